//! Handlers that run messages one at a time: event loops, actors, queues of work.
//!
//! Each message is an actor of its own. A handler takes its messages in the order of their posts ([`Handler::fifo`]) or
//! in any order ([`Handler::any`]); the engines `em-dpor` and `event` are made for the two. Footprints are those of
//! handlers in `.mz` programs: a post writes the life of the message and appends to the mailbox, a message that begins
//! reads its life and writes its handler, which it releases at its end.
//!
//! `event` orders the messages of a handler that takes any only where they conflict, which holds as long as all that they share is seen
//! in footprints and none of them has to wait. So once a message waits, or the program has cells, handlers are locks like any
//! other, and the search is begun again.

use crate::exec::{Exec, Message, is_running, perform, with};
use crate::handle::Handle;
use crate::names::Kind;
use crate::operation::{NO_OBJECT, Needs, Operation, Verb};
use mazurka_core::{Access, ActorKind};
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A handler of messages. Clones are the same handler.
pub struct Handler<M>(Arc<Inner<M>>);

struct Inner<M> {
    handler: Handle,
    mailbox: Handle,
    takes_any: bool,
    name: String,
    run: Box<dyn Fn(M) + Send + Sync>,
}

impl<M> Clone for Handler<M> {
    fn clone(&self) -> Self {
        Handler(Arc::clone(&self.0))
    }
}

impl<M> std::fmt::Debug for Handler<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Handler({})", self.0.name)
    }
}

impl<M: Send + 'static> Handler<M> {
    /// A handler that runs its messages in the order of their posts.
    ///
    /// # Panics
    /// Outside of a model.
    #[track_caller]
    pub fn fifo(name: &str, run: impl Fn(M) + Send + Sync + 'static) -> Self {
        Handler::new(name, false, Box::new(run))
    }

    /// A handler that runs its messages in any order.
    ///
    /// # Panics
    /// Outside of a model.
    #[track_caller]
    pub fn any(name: &str, run: impl Fn(M) + Send + Sync + 'static) -> Self {
        Handler::new(name, true, Box::new(run))
    }

    #[track_caller]
    fn new(name: &str, takes_any: bool, run: Box<dyn Fn(M) + Send + Sync>) -> Self {
        assert!(is_running(), "a handler can be made only within a model");
        let site = Location::caller();
        let handler = Handle::new(Kind::Handler { any: takes_any }, site, |_, _| {});
        let mailbox = Handle::new(Kind::Mailbox, site, |_, _| {});
        with(|exec| exec.has_handler(takes_any));
        Handler(Arc::new(Inner { handler, mailbox, takes_any, name: name.to_owned(), run }))
    }

    /// Posts a message.
    ///
    /// # Panics
    /// Outside of a model.
    #[track_caller]
    pub fn post(&self, message: M) {
        assert!(is_running(), "a message can be posted only within a model");
        let site = Location::caller();
        let kind = Kind::Handler { any: self.0.takes_any };
        let (handler, mailbox) = with(|exec| {
            let handler = self.0.handler.object(exec, kind, site, |_, _| {});
            (handler, self.0.mailbox.object(exec, Kind::Mailbox, site, |_, _| {}))
        });
        let object = if self.0.takes_any { NO_OBJECT } else { mailbox };
        if !perform(Operation::new(Verb::Post, object, Access::POST, site), None) {
            return;
        }
        let this = Arc::clone(&self.0);
        let body = Box::new(move || {
            let begin = Operation::new(Verb::Begin, handler, Access::WRITE, site).needing(Needs::Turn);
            if perform(begin, None) {
                with(|exec| exec.begin_message(handler, (!this.takes_any).then_some(mailbox)));
                (this.run)(message);
            }
        });
        with(|exec| {
            let id = exec.objects[handler as usize].id;
            let fifo = (!self.0.takes_any).then(|| exec.objects[mailbox as usize].id);
            let number = exec.objects[handler as usize].count;
            exec.objects[handler as usize].count = number + 1;
            let slot = exec.spawn(ActorKind::Message { handler: id, fifo }, || None, 0, body);
            let mailbox = fifo.map(|_| mailbox);
            exec.actors[slot].message = Some(Message { handler, mailbox });
            if let Some(mailbox) = mailbox {
                exec.touch(mailbox, Access::POST);
                exec.objects[mailbox as usize].queue.push(slot as u32);
            }
        });
    }
}

impl Exec {
    /// A handler is made: which engines fit depends on it.
    fn has_handler(&mut self, takes_any: bool) {
        let flag = if takes_any { &self.shared.any } else { &self.shared.fifo };
        let is_first = !flag.swap(true, Ordering::Relaxed);
        if is_first && self.actors[self.current].id.0 != 0 {
            // It was not known when the search began.
            self.shared.again.store(true, Ordering::Relaxed);
        }
        if takes_any && self.has_cells {
            self.handlers_are_locks();
        }
    }

    /// The order of the messages of a handler matters, whatever they touch.
    pub(crate) fn handlers_are_locks(&self) {
        if !self.shared.handlers_are_locks.swap(true, Ordering::Relaxed) {
            self.shared.again.store(true, Ordering::Relaxed);
        }
    }

    /// Whether a message is the next one that its handler can run.
    pub(crate) fn is_turn(&self, slot: usize) -> bool {
        let Some(Message { handler, mailbox }) = self.actors[slot].message else { return false };
        let is_first = |mailbox: u32| self.objects[mailbox as usize].queue.first() == Some(&(slot as u32));
        self.objects[handler as usize].holder.is_none() && mailbox.is_none_or(is_first)
    }

    /// The present message begins.
    fn begin_message(&mut self, handler: u32, mailbox: Option<u32>) {
        self.touch(handler, Access::WRITE);
        self.objects[handler as usize].holder = Some(self.current as u32);
        self.acquire(handler, Ordering::Acquire);
        if let Some(mailbox) = mailbox {
            self.objects[mailbox as usize].queue.remove(0);
        }
    }

    /// The present message has come to its end.
    pub(crate) fn end_message(&mut self, handler: u32) {
        self.touch(handler, Access::RELEASE);
        self.objects[handler as usize].holder = None;
        self.release(handler, Ordering::Release, true);
    }
}
