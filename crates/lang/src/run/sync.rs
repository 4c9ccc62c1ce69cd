//! Operations on semaphores, read-write locks and channels, `trylock`, and waits that time out.

use super::{Run, Stop};
use crate::ast::{Fault, SyncOp};
use crate::code::{Instruction, PlaceRef, Register, SyncKind};
use crate::state::Status;
use mazurka_core::Access;

/// The step looked at the object and changed it.
pub(crate) const TAKE: Access = Access::READ_WRITE;

impl Run<'_> {
    pub(super) fn sync(&mut self, op: SyncOp, object: PlaceRef, operand: Register, dst: Register) -> Result<(), Stop> {
        let number = self.place(object);
        if op == SyncOp::TryLock {
            self.try_lock(number, dst);
            return Ok(());
        }
        let object = self.model.sync_object(number);
        if op.tries() && !self.model.is_possible(self.words, op, number) {
            self.touch(object, Access::READ);
            let value = if op == SyncOp::TryReceive { self.get(operand) } else { 0 };
            self.set(dst, value);
            return Ok(());
        }
        let sync = &self.program.syncs[number];
        let at = self.model.layout().syncs + sync.at as usize;
        let value = match sync.kind {
            SyncKind::Semaphore { .. } => {
                self.count(op, number, at);
                1
            }
            SyncKind::RwLock { number: lock } => {
                self.read_or_write(op, number, at, lock as usize)?;
                1
            }
            SyncKind::Channel { capacity } => {
                self.touch(object, TAKE);
                let filled = self.words[at] as usize;
                match op {
                    SyncOp::Send | SyncOp::TrySend => {
                        self.words[at + 1 + filled] = self.get(operand);
                        self.words[at] += 1;
                        1
                    }
                    _ => {
                        let values = &mut self.words[at + 1..=at + capacity as usize];
                        let oldest = std::mem::take(&mut values[0]);
                        values.rotate_left(1);
                        self.words[at] -= 1;
                        oldest
                    }
                }
            }
        };
        if op.has_value() {
            self.set(dst, value);
        }
        Ok(())
    }

    fn count(&mut self, op: SyncOp, semaphore: usize, at: usize) {
        let object = self.model.sync_object(semaphore);
        if op == SyncOp::Release {
            // There are never more of them than fit into the word.
            self.touch(object, Access::WRITE);
            self.words[at] = self.words[at].saturating_add(1);
        } else {
            self.touch(object, TAKE);
            self.words[at] -= 1;
        }
    }

    /// `lock` counts the read-write locks; the word at `at` tells how many readers there are.
    fn read_or_write(&mut self, op: SyncOp, number: usize, at: usize, lock: usize) -> Result<(), Stop> {
        let object = self.model.sync_object(number);
        let (reads, writer) = (self.record.stack() + lock, self.model.layout().writers + lock);
        let own = i64::from(self.actor.0) + 1;
        match op {
            SyncOp::ReadLock | SyncOp::TryReadLock => {
                self.touch(object, TAKE);
                self.words[reads] += 1;
                self.words[at] += 1;
            }
            SyncOp::ReadUnlock => {
                if self.words[reads] == 0 {
                    return Err(Fault::ReadUnlockNotHeld.into());
                }
                self.touch(object, TAKE);
                self.words[reads] -= 1;
                self.words[at] -= 1;
            }
            SyncOp::WriteUnlock => {
                if self.words[writer] != own {
                    self.touch(object, Access::READ);
                    return Err(Fault::WriteUnlockNotHeld.into());
                }
                self.touch(object, TAKE);
                self.words[writer] = 0;
            }
            _ => {
                self.touch(object, TAKE);
                self.words[writer] = own;
            }
        }
        Ok(())
    }

    fn try_lock(&mut self, mutex: usize, dst: Register) {
        let is_free = self.model.is_possible(self.words, SyncOp::TryLock, mutex);
        self.touch(self.model.mutex_object(mutex), if is_free { TAKE } else { Access::READ });
        if is_free {
            self.words[self.model.layout().mutexes + mutex] = i64::from(self.actor.0) + 1;
        }
        self.set(dst, i64::from(is_free));
    }

    /// No signal has come: the actor does not wait any longer and goes for its mutex.
    pub(super) fn time_out(&mut self) {
        let Instruction::Wait { condition, signalled } = self.program.code[self.pc as usize - 1] else {
            unreachable!("who waits stands behind a wait")
        };
        self.touch(self.model.condition_object(self.place(condition)), Access::ADD);
        self.touch(self.model.life(self.actor), Access::READ);
        self.set(signalled, 0);
        self.status = Status::Ready;
    }
}
