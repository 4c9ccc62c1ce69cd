//! Semaphores, read-write locks, channels and what is done with them.

use super::declare::element_names;
use super::{Compiler, Global};
use crate::ast::{Expr, Initial, Name, Place, SyncOp};
use crate::code::{Instruction, NONE, PlaceRef, Register, SyncKind, SyncObject};

/// How many read-write locks there may be: every actor knows which of them it reads.
const MAX_RW_LOCKS: usize = 512;
/// How many values a channel may hold.
const MAX_CAPACITY: i64 = 1024;
/// How many words of a state the channels may have.
const MAX_SYNC_WORDS: usize = 1 << 20;

impl Compiler<'_> {
    fn declare_syncs(&mut self, name: &Name, length: Option<u32>, kinds: impl IntoIterator<Item = SyncKind>) -> u32 {
        let base = self.program.syncs.len() as u32;
        let mut at = self.program.sync_words() as u32;
        for (name, kind) in element_names(&name.text, length).into_iter().zip(kinds) {
            self.program.syncs.push(SyncObject { name, kind, at });
            at = at.saturating_add(kind.words());
        }
        base
    }

    pub(super) fn declare_semaphore(&mut self, name: &Name, length: Option<&Expr>, initial: &Initial) {
        let length = self.length(length);
        let values = self.initial_values(length, initial);
        let span = match initial {
            Initial::Same(expr) => &expr.span,
            Initial::Each(_, span) => span,
        };
        if let Some(value) = values.iter().find(|value| **value < 0) {
            self.error(format!("a semaphore that starts with {value}"), span, "expected 0 or more");
        }
        let base = self.declare_syncs(name, length, values.into_iter().map(|initial| SyncKind::Semaphore { initial }));
        self.define(name, Global::Semaphore { base, length });
    }

    pub(super) fn declare_rw_lock(&mut self, name: &Name, length: Option<u32>) {
        let first = self.program.rw_locks() as u32;
        let count = length.unwrap_or(1);
        let base = if first as usize + count as usize > MAX_RW_LOCKS {
            let label = format!("expected at most {MAX_RW_LOCKS}");
            self.error("the program has too many read-write locks", &name.span, label);
            0
        } else {
            self.declare_syncs(name, length, (first..first + count).map(|number| SyncKind::RwLock { number }))
        };
        self.define(name, Global::RwLock { base, length });
    }

    pub(super) fn declare_channel(&mut self, name: &Name, length: Option<&Expr>, capacity: &Expr) {
        let length = self.length(length);
        let mut values = self.constant(capacity, "the capacity of a channel");
        if !(1..=MAX_CAPACITY).contains(&values) {
            let label = format!("expected 1 to {MAX_CAPACITY}");
            self.error(format!("a channel that holds {values} values"), &capacity.span, label);
            values = 1;
        }
        let count = length.unwrap_or(1) as usize;
        if self.program.sync_words() + count * (1 + values as usize) > MAX_SYNC_WORDS {
            let label = format!("expected at most {MAX_SYNC_WORDS} values in all");
            self.error("the channels hold too many values", &capacity.span, label);
            values = 1;
        }
        let kind = SyncKind::Channel { capacity: values as u32 };
        let base = self.declare_syncs(name, length, std::iter::repeat_n(kind, count));
        self.define(name, Global::Channel { base, length });
    }

    /// An operation that is written like a call; the register of its value.
    pub(super) fn sync(&mut self, op: SyncOp, object: &Place, operand: Option<&Expr>, expr: &Expr) -> Register {
        self.only_outside_guards(op.name(), &expr.span);
        if op.waits() {
            self.must_not_wait(op.name(), &expr.span);
        }
        let mark = self.next_register;
        let place = self.object_place(object, op.object());
        if op == SyncOp::TryLock {
            self.note_tried(object, place);
        }
        let operand = operand.map_or(NONE, |operand| self.expr(operand));
        let dst = if op.has_value() { self.result(mark) } else { NONE };
        let instruction = Instruction::Sync { op, object: place, operand, dst };
        self.emit_visible(instruction, self.text(&expr.span), &expr.span);
        // A statement does not look at the register of an operation without a value.
        if dst == NONE { 0 } else { dst }
    }

    /// A step that only tries to acquire a mutex does not wait for its holder.
    fn note_tried(&mut self, mutex: &Place, place: PlaceRef) {
        let Some(&Global::Mutex { base, length }) = self.globals.get(&mutex.name.text) else { return };
        let (first, count) = if place.index == NONE { (place.base, 1) } else { (base, length.unwrap_or(1)) };
        let tried = self.program.tried.iter_mut().skip(first as usize).take(count as usize);
        tried.for_each(|tried| *tried = true);
    }

    /// A wait for a signal that may time out; the register that tells whether the signal came.
    pub(super) fn wait_timeout(&mut self, condition: &Place, mutex: &Place, expr: &Expr) -> Register {
        self.only_outside_guards("wait_timeout", &expr.span);
        self.must_not_wait("wait_timeout", &expr.span);
        let signalled = self.register();
        self.wait(condition, mutex, signalled, &expr.span);
        self.release(usize::from(signalled) + 1);
        signalled
    }
}
