//! Makes operations on semaphores, read-write locks and channels, on mutexes that are tried, and waits that time out.

use super::super::tree::{number, statement};
use super::Body;
use mazurka_lang::ast::{Block, Expr, ExprKind, Place, Statement, StatementKind, SyncOp};

fn operation(op: SyncOp, object: &Place) -> Expr {
    Expr::new(ExprKind::Sync(op, object.clone(), None))
}

fn done(op: SyncOp, object: &Place) -> Statement {
    statement(StatementKind::Evaluate(operation(op, object)))
}

/// An object, and the operations that acquire it, try to acquire it, and release it.
struct Held {
    object: Place,
    takes: SyncOp,
    tries: SyncOp,
    gives_back: SyncOp,
}

impl Body<'_> {
    /// A semaphore or a side of a read-write lock.
    fn something_to_hold(&mut self) -> Option<Held> {
        let (semaphores, locks) = (!self.world.semaphores.is_empty(), !self.world.rw_locks.is_empty());
        if semaphores && (!locks || self.random.percent(50)) {
            let object = self.object(&self.world.semaphores)?;
            return Some(Held {
                object,
                takes: SyncOp::Acquire,
                tries: SyncOp::TryAcquire,
                gives_back: SyncOp::Release,
            });
        }
        let object = self.object(&self.world.rw_locks)?;
        Some(if self.random.percent(60) {
            Held { object, takes: SyncOp::ReadLock, tries: SyncOp::TryReadLock, gives_back: SyncOp::ReadUnlock }
        } else {
            Held { object, takes: SyncOp::WriteLock, tries: SyncOp::TryWriteLock, gives_back: SyncOp::WriteUnlock }
        })
    }

    fn inner(&mut self, most: usize) -> Vec<Statement> {
        self.depth += 1;
        let statements = self.block(most).statements;
        self.depth -= 1;
        statements
    }

    pub(super) fn hold(&mut self, out: &mut Vec<Statement>) {
        if !self.waits() || !self.affords(2) {
            return;
        }
        let Some(Held { object, takes, gives_back, .. }) = self.something_to_hold() else { return };
        self.spend(2);
        out.push(done(takes, &object));
        out.extend(self.inner(2));
        if self.random.percent(93) {
            out.push(done(gives_back, &object));
        }
    }

    pub(super) fn hold_two(&mut self, out: &mut Vec<Statement>) {
        if !self.waits() || !self.affords(3) {
            return;
        }
        let (Some(outer), Some(inner)) = (self.something_to_hold(), self.something_to_hold()) else { return };
        self.spend(4);
        out.push(done(outer.takes, &outer.object));
        out.push(done(inner.takes, &inner.object));
        out.push(done(inner.gives_back, &inner.object));
        out.push(done(outer.gives_back, &outer.object));
    }

    pub(super) fn try_to_hold(&mut self, out: &mut Vec<Statement>) {
        if !self.acts() || !self.affords(2) || self.depth > 2 {
            return;
        }
        let mutexes = self.world.tries && self.random.percent(50);
        let (attempt, gives_back) = if mutexes {
            let Some(mutex) = self.object(&self.world.mutexes) else { return };
            (operation(SyncOp::TryLock, &mutex), statement(StatementKind::Unlock(mutex)))
        } else {
            let Some(Held { object, tries, gives_back, .. }) = self.something_to_hold() else { return };
            (operation(tries, &object), done(gives_back, &object))
        };
        self.spend(2);
        let mut then = self.inner(2);
        if self.random.percent(93) {
            then.push(gives_back);
        }
        let otherwise = self.random.percent(30).then(|| Block { statements: self.inner(1) });
        self.push(out, StatementKind::If(attempt, Block { statements: then }, otherwise));
    }

    /// Makes room for another actor: not where that happens again and again. Or releases what may not be held.
    pub(super) fn release(&mut self, out: &mut Vec<Statement>) {
        if !self.acts() || !self.affords(1) {
            return;
        }
        if self.random.percent(10)
            && let Some(lock) = self.object(&self.world.rw_locks)
        {
            self.spend(1);
            let op = if self.random.percent(50) { SyncOp::ReadUnlock } else { SyncOp::WriteUnlock };
            return out.push(done(op, &lock));
        }
        if self.repeats {
            return;
        }
        let Some(semaphore) = self.object(&self.world.semaphores) else { return };
        self.spend(1);
        out.push(done(SyncOp::Release, &semaphore));
    }

    pub(super) fn send(&mut self, out: &mut Vec<Statement>) {
        if !self.acts() || !self.affords(1) {
            return;
        }
        let Some(channel) = self.object(&self.world.channels) else { return };
        self.spend(1);
        let value = Some(Box::new(self.simple()));
        if self.waits() && self.random.percent(70) {
            let send = Expr::new(ExprKind::Sync(SyncOp::Send, channel, value));
            return self.push(out, StatementKind::Evaluate(send));
        }
        let attempt = Expr::new(ExprKind::Sync(SyncOp::TrySend, channel, value));
        self.use_value(out, attempt);
    }

    pub(super) fn receive(&mut self, out: &mut Vec<Statement>) {
        if !self.acts() || !self.affords(1) {
            return;
        }
        let Some(channel) = self.object(&self.world.channels) else { return };
        self.spend(1);
        let value = if self.waits() && self.random.percent(70) {
            operation(SyncOp::Receive, &channel)
        } else {
            Expr::new(ExprKind::Sync(SyncOp::TryReceive, channel, Some(Box::new(number(-1)))))
        };
        self.use_value(out, value);
    }

    fn use_value(&mut self, out: &mut Vec<Statement>, value: Expr) {
        if self.random.percent(60) {
            let name = self.new_local();
            self.push(out, StatementKind::Let(name, value));
        } else {
            self.push(out, StatementKind::Evaluate(value));
        }
    }

    pub(super) fn wait_for_some_time(&mut self, out: &mut Vec<Statement>) {
        if !self.waits() || !self.world.tries || !self.affords(3) || self.depth > 2 {
            return;
        }
        let Some(condition) = self.object(&self.world.conditions) else { return };
        let Some(mutex) = self.object(&self.world.mutexes) else { return };
        self.spend(3);
        self.push(out, StatementKind::Lock(mutex.clone()));
        let wait = Expr::new(ExprKind::WaitTimeout(condition, mutex.clone()));
        self.use_value(out, wait);
        self.push(out, StatementKind::Unlock(mutex));
    }
}
