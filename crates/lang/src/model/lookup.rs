//! Looking things up in a state.

use super::{Model, is_forgotten_when_stopped};
use crate::ast::SyncOp;
use crate::code::{Instruction, NONE, SyncKind};
use crate::run::resolve;
use crate::state::{Kind, Record, Records, Status, low};
use mazurka_core::{Access, ActorId};
use smallvec::SmallVec;

impl Model {
    pub(super) fn records<'w>(&self, words: &'w [i64]) -> Records<'w> {
        Records::new(words, &self.layout)
    }

    /// The record of an actor that is not an event: the running one, or else the first in the mailbox.
    pub(crate) fn record_of(&self, words: &[i64], actor: ActorId) -> Option<Record> {
        self.records(words).find(|record| record.actor(words) == actor)
    }

    /// The threads that wait at a condition variable.
    pub(crate) fn waiters(&self, words: &[i64], condition: usize) -> SmallVec<[Record; 4]> {
        self.records(words)
            .filter(|record| record.header.status == Status::Waiting && self.waits_at(words, record) == Some(condition))
            .collect()
    }

    /// The condition variable at which a waiting thread waits.
    pub(crate) fn waits_at(&self, words: &[i64], record: &Record) -> Option<usize> {
        let before = record.header.pc.checked_sub(1)?;
        match self.program.code[before as usize] {
            Instruction::Wait { condition, .. } => Some(resolve(condition, &words[record.frame()..])),
            _ => None,
        }
    }

    /// Whether a waiting thread may stop to wait without a signal.
    pub(crate) fn may_time_out(&self, record: &Record) -> bool {
        let before = record.header.pc.checked_sub(1).map(|before| self.program.code[before as usize]);
        matches!(before, Some(Instruction::Wait { signalled, .. }) if signalled != NONE)
    }

    /// How acquiring a mutex touches it. One that some steps only try to acquire is a shared object like any other: an
    /// actor that acquires it need not have waited for the one that released it.
    pub(crate) fn locking(&self, mutex: usize) -> Access {
        if self.program.tried[mutex] { Access::READ_WRITE } else { Access::WRITE }
    }

    /// Whether an operation can be done at once. Its object is a mutex for `trylock`.
    pub(crate) fn is_possible(&self, words: &[i64], op: SyncOp, object: usize) -> bool {
        if op == SyncOp::TryLock {
            return words[self.layout.mutexes + object] == 0;
        }
        let sync = &self.program.syncs[object];
        let count = self.sync_count(words, object);
        match (op, sync.kind) {
            (SyncOp::Acquire | SyncOp::TryAcquire, _) => count > 0,
            (SyncOp::Receive | SyncOp::TryReceive, _) => count > 0,
            (SyncOp::Send | SyncOp::TrySend, SyncKind::Channel { capacity }) => count < i64::from(capacity),
            (SyncOp::ReadLock | SyncOp::TryReadLock, SyncKind::RwLock { number }) => {
                words[self.layout.writers + number as usize] == 0
            }
            (SyncOp::WriteLock | SyncOp::TryWriteLock, SyncKind::RwLock { number }) => {
                count == 0 && words[self.layout.writers + number as usize] == 0
            }
            _ => true,
        }
    }

    /// How often a semaphore can still be acquired, how many readers a read-write lock has, or how many values a channel.
    pub(crate) fn sync_count(&self, words: &[i64], object: usize) -> i64 {
        words[self.layout.syncs + self.program.syncs[object].at as usize]
    }

    /// Whether a violation has stopped an actor whose record goes.
    pub(crate) fn forgot_a_stopped_actor(&self, words: &[i64]) -> bool {
        words[self.layout.stopped..self.layout.stopped_readers].contains(&1)
    }

    /// How often a read-write lock is held for reading by actors that ended with it in their hands and are forgotten,
    /// those aside that a violation stopped.
    pub(crate) fn readers_that_ended(&self, words: &[i64], object: usize, lock: usize) -> i64 {
        let counted =
            |record: &Record| record.header.status != Status::Halted || !is_forgotten_when_stopped(record.header.kind);
        let known: i64 = self.readers(words, lock).filter(counted).map(|reader| words[reader.stack() + lock]).sum();
        let stopped = &words[self.layout.stopped_readers..self.layout.events];
        self.sync_count(words, object) - known - stopped.get(lock).copied().unwrap_or(0)
    }

    /// The actors that hold a read-write lock for reading and are not forgotten.
    pub(crate) fn readers<'w>(&self, words: &'w [i64], lock: usize) -> impl Iterator<Item = Record> + 'w {
        let has_begun = |record: &Record| record.header.status != Status::Pending;
        self.records(words).filter(has_begun).filter(move |record| words[record.stack() + lock] > 0)
    }

    pub(crate) fn child_by_handle(&self, words: &[i64], parent: ActorId, handle: i64) -> Option<Record> {
        self.records(words).find(|record| {
            record.header.kind == Kind::Spawned
                && record.owner(words) == parent.0
                && i64::from(record.detail(words) >> 1) + 1 == handle
                && record.detail(words) & 1 == 0
        })
    }

    /// Whether a thread that was there from the start has come to its end.
    pub(crate) fn has_ended(&self, words: &[i64], actor: ActorId) -> bool {
        actor.index() < self.program.threads.len()
            && self
                .records(words)
                .nth(actor.index())
                .is_some_and(|thread| matches!(thread.header.status, Status::Finished | Status::Halted))
    }

    pub(crate) fn free_slot(&self, words: &[i64], parent: ActorId) -> u32 {
        let mut taken: SmallVec<[u32; 8]> = self
            .records(words)
            .filter(|record| record.header.kind == Kind::Spawned && record.owner(words) == parent.0)
            .map(|record| record.detail(words) >> 1)
            .collect();
        taken.sort_unstable();
        (0..).zip(taken.iter().chain([&u32::MAX])).find(|(slot, taken)| slot != *taken).map_or(0, |(slot, _)| slot)
    }

    /// Where the record of a new spawned thread goes.
    pub(crate) fn place_of_thread(&self, words: &[i64], presence: ActorId) -> usize {
        let stable = self.names.stable(presence);
        self.records(words)
            .find(|record| match record.header.kind {
                Kind::Thread => false,
                Kind::Spawned => self.names.stable(record.presence(words)) > stable,
                Kind::Message | Kind::Event => true,
            })
            .map_or(words.len(), |record| record.at)
    }

    /// Where the record of a new message goes.
    pub(crate) fn place_in_mailbox(&self, words: &[i64], handler: u32, new: &[i64]) -> usize {
        let any = self.program.handlers[handler as usize].any;
        // By content, and equal ones by name: which was posted first must not matter to the row.
        let comes_after = |record: &[i64], new: &[i64]| {
            let name = |record: &[i64]| self.names.stable(ActorId(low(record[1])));
            let by_content = (record[2], &record[4..]).cmp(&(new[2], &new[4..]));
            by_content.then_with(|| name(record).cmp(&name(new))).is_gt()
        };
        self.records(words)
            .find(|record| match record.header.kind {
                Kind::Thread | Kind::Spawned => false,
                Kind::Event => true,
                Kind::Message if record.owner(words) != handler => record.owner(words) > handler,
                Kind::Message => {
                    any && record.header.status == Status::Pending && comes_after(&words[record.at..record.end()], new)
                }
            })
            .map_or(words.len(), |record| record.at)
    }
}
