//! Doubles of `std::sync::mpsc`.
//!
//! That a sender is dropped is no step, unless it is the last one: then the receiver can see it.

use crate::exec::{Exec, is_running, perform, with};
use crate::handle::Handle;
use crate::names::{Kind, Site};
use crate::operation::{Needs, Operation, Verb};
use crate::spin::{Frame, frame};
use mazurka_core::{Access, VectorClock};
use std::collections::VecDeque;
use std::fmt;
use std::panic::Location;
use std::sync::mpsc as real;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

/// A channel of a model.
struct Channel<T> {
    handle: Handle,
    senders: Handle,
    queue: Mutex<VecDeque<(T, VectorClock)>>,
    /// A sender waits until its message is taken.
    is_rendezvous: bool,
    site: Site,
}

impl<T> Channel<T> {
    #[track_caller]
    fn new(bound: Option<usize>) -> Arc<Self> {
        let site = Location::caller();
        let room = bound.map_or(u64::MAX, |bound| bound.max(1) as u64);
        let handle = Handle::new(Kind::Channel, site, |exec, object| exec.objects[object as usize].room = room);
        let senders = Handle::new(Kind::Count, site, |exec, object| exec.objects[object as usize].count = 1);
        Arc::new(Channel { handle, senders, queue: Mutex::default(), is_rendezvous: bound == Some(0), site })
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<(T, VectorClock)>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn object(&self, exec: &mut Exec) -> u32 {
        self.handle.object(exec, Kind::Channel, self.site, |_, _| {})
    }

    fn count(&self, exec: &mut Exec) -> u32 {
        self.senders.object(exec, Kind::Count, self.site, |_, _| {})
    }

    fn send(&self, value: T, site: Site, waits: bool) -> Result<(), TrySendError<T>> {
        let object = with(|exec| self.object(exec));
        let needs = if waits { Needs::Room } else { Needs::Nothing };
        let operation = Operation::new(Verb::Send, object, Access::READ_WRITE, site).needing(needs);
        if !perform(operation, None) {
            self.queue().push_back((value, VectorClock::new()));
            return Ok(());
        }
        enum Sent {
            Yes(u64),
            Full,
            Disconnected,
        }
        let sent = with(|exec| {
            let it = &exec.objects[object as usize];
            let sent = match (it.is_closed, it.count < it.room) {
                (true, _) => Sent::Disconnected,
                (_, false) => Sent::Full,
                _ => Sent::Yes(it.bits + it.count),
            };
            exec.saw(match &sent {
                Sent::Yes(_) => 0,
                Sent::Full => 1,
                Sent::Disconnected => 2,
            });
            exec.touch(object, if matches!(sent, Sent::Yes(_)) { Access::READ_WRITE } else { Access::READ });
            sent
        });
        let number = match sent {
            Sent::Full => return Err(TrySendError::Full(value)),
            Sent::Disconnected => return Err(TrySendError::Disconnected(value)),
            Sent::Yes(number) => number,
        };
        let clock = with(|exec| {
            exec.objects[object as usize].count += 1;
            exec.append(object);
            let actor = &mut exec.actors[exec.current];
            let clock = actor.clock.clone();
            actor.tick();
            clock
        });
        self.queue().push_back((value, clock));
        if self.is_rendezvous && waits {
            let taken = Operation::new(Verb::Send, object, Access::READ, site).needing(Needs::Taken(number));
            if perform(taken, None) {
                with(|exec| exec.touch(object, Access::READ));
            }
        }
        Ok(())
    }

    /// Receives; with a frame it does not wait.
    #[inline(never)]
    fn receive(&self, site: Site, frame: Option<&Frame>) -> Result<T, TryRecvError> {
        let waits = frame.is_none();
        let object = with(|exec| self.object(exec));
        let needs = if waits { Needs::Items } else { Needs::Nothing };
        let operation = Operation::new(Verb::Receive, object, Access::READ_WRITE, site).needing(needs);
        if !perform(operation, frame) {
            return self.queue().pop_front().map(|(value, _)| value).ok_or(TryRecvError::Disconnected);
        }
        let is_there = !self.queue().is_empty();
        if with(|exec| exec.is_same_round(is_there)) {
            let is_closed = with(|exec| exec.objects[object as usize].is_closed);
            return Err(if is_closed { TryRecvError::Disconnected } else { TryRecvError::Empty });
        }
        let taken = self.queue().pop_front();
        with(|exec| {
            let it = &mut exec.objects[object as usize];
            let is_closed = it.is_closed;
            if taken.is_some() {
                it.count -= 1;
                it.bits += 1;
            }
            exec.touch(object, if taken.is_some() { Access::READ_WRITE } else { Access::READ });
            exec.saw(u64::from(is_closed) << 1 | u64::from(taken.is_some()));
            match taken {
                Some((value, clock)) => {
                    exec.saw_value(object);
                    exec.take_out(object);
                    exec.actors[exec.current].clock.join(&clock);
                    Ok(value)
                }
                None if is_closed => Err(TryRecvError::Disconnected),
                None => Err(TryRecvError::Empty),
            }
        })
    }

    fn add_sender(&self) {
        with(|exec| {
            let count = self.count(exec);
            if let Some(it) = exec.objects.get_mut(count as usize) {
                it.count += 1;
                exec.touch(count, Access::ADD);
            }
        });
    }

    fn drop_sender(&self) {
        let is_last = with(|exec| {
            let count = self.count(exec);
            if exec.given_up || exec.objects.get(count as usize).is_none() {
                return false;
            }
            let senders = exec.objects[count as usize].count;
            // Of two that are left, each may be the last: neither drop commutes with the other.
            exec.touch(count, if senders > 2 { Access::ADD } else { Access::READ_WRITE });
            if senders > 1 {
                exec.objects[count as usize].count -= 1;
            }
            senders == 1
        });
        if is_last {
            self.close(true);
        }
    }

    /// One side is gone. Where both are, it does not matter which of the two was first. The last sender is held against the others.
    fn close(&self, is_sender: bool) {
        let (object, count) = with(|exec| (self.object(exec), self.count(exec)));
        if !perform(Operation::new(Verb::Disconnect, object, Access::ADD, self.site), None) {
            return;
        }
        with(|exec| {
            if exec.objects.get(object as usize).is_none() {
                return;
            }
            if is_sender {
                exec.touch(count, Access::READ_WRITE);
            }
            exec.touch(object, Access::ADD);
            exec.objects[object as usize].is_closed = true;
            exec.objects[object as usize].version += 1;
        });
    }
}

impl Exec {
    /// The present thread appends to a queue: what is in it follows from what those have seen who filled it.
    fn append(&mut self, object: u32) {
        let history = self.actors[self.current].history;
        let it = &mut self.objects[object as usize];
        it.version += 1;
        it.value = crate::exec::mix(it.value, history as u64);
        self.actors[self.current].looks.clear();
    }

    /// The present thread takes from a queue.
    fn take_out(&mut self, object: u32) {
        let it = &mut self.objects[object as usize];
        it.version += 1;
        it.value = crate::exec::mix(it.value, 0x99);
        self.actors[self.current].looks.clear();
    }
}

/// What was made outside of a model cannot be waited for within one.
#[track_caller]
fn stranger() {
    assert!(!is_running(), "a channel that was made before the closure ran is used within it: make it in the closure");
}

enum Side<T, R> {
    Real(R),
    Modelled(Arc<Channel<T>>),
}

/// The double of `std::sync::mpsc::Sender`.
pub struct Sender<T>(Side<T, real::Sender<T>>);

/// The double of `std::sync::mpsc::SyncSender`.
pub struct SyncSender<T>(Side<T, real::SyncSender<T>>);

/// The double of `std::sync::mpsc::Receiver`.
pub struct Receiver<T>(Side<T, real::Receiver<T>>);

/// A channel without a bound.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    if is_running() {
        let channel = Channel::new(None);
        return (Sender(Side::Modelled(Arc::clone(&channel))), Receiver(Side::Modelled(channel)));
    }
    let (sender, receiver) = real::channel();
    (Sender(Side::Real(sender)), Receiver(Side::Real(receiver)))
}

/// A channel with room for this number of messages; with none, a sender waits until its message is taken.
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    if is_running() {
        let channel = Channel::new(Some(bound));
        return (SyncSender(Side::Modelled(Arc::clone(&channel))), Receiver(Side::Modelled(channel)));
    }
    let (sender, receiver) = real::sync_channel(bound);
    (SyncSender(Side::Real(sender)), Receiver(Side::Real(receiver)))
}

fn refused<T>(error: TrySendError<T>) -> SendError<T> {
    match error {
        TrySendError::Full(value) | TrySendError::Disconnected(value) => SendError(value),
    }
}

impl<T> Sender<T> {
    /// As `std` has it.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        match &self.0 {
            Side::Real(real) => {
                stranger();
                real.send(value)
            }
            Side::Modelled(_) if !is_running() => Err(SendError(value)),
            Side::Modelled(channel) => channel.send(value, Location::caller(), true).map_err(refused),
        }
    }
}

impl<T> SyncSender<T> {
    /// As `std` has it.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        match &self.0 {
            Side::Real(real) => {
                stranger();
                real.send(value)
            }
            Side::Modelled(_) if !is_running() => Err(SendError(value)),
            Side::Modelled(channel) => channel.send(value, Location::caller(), true).map_err(refused),
        }
    }

    /// As `std` has it: fails if there is no room.
    #[track_caller]
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        match &self.0 {
            Side::Real(real) => {
                stranger();
                real.try_send(value)
            }
            Side::Modelled(_) if !is_running() => Err(TrySendError::Disconnected(value)),
            Side::Modelled(channel) => channel.send(value, Location::caller(), false),
        }
    }
}

impl<T> Receiver<T> {
    /// As `std` has it.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        match &self.0 {
            Side::Real(real) => {
                stranger();
                real.recv()
            }
            Side::Modelled(_) if !is_running() => Err(RecvError),
            Side::Modelled(channel) => channel.receive(Location::caller(), None).map_err(|_| RecvError),
        }
    }

    /// As `std` has it: fails if there is nothing.
    #[track_caller]
    #[inline(always)]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match &self.0 {
            Side::Real(real) => {
                stranger();
                real.try_recv()
            }
            Side::Modelled(_) if !is_running() => Err(TryRecvError::Disconnected),
            Side::Modelled(channel) => channel.receive(Location::caller(), Some(&frame())),
        }
    }

    /// As `std` has it. Within a model the time may be over whenever there is nothing.
    #[track_caller]
    #[inline(always)]
    pub fn recv_timeout(&self, limit: Duration) -> Result<T, RecvTimeoutError> {
        match &self.0 {
            Side::Real(real) => {
                stranger();
                real.recv_timeout(limit)
            }
            Side::Modelled(_) => self.try_recv().map_err(|error| match error {
                TryRecvError::Empty => RecvTimeoutError::Timeout,
                TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
            }),
        }
    }

    /// The messages, until all senders are gone.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter(self)
    }

    /// The messages that are there.
    pub fn try_iter(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.try_recv().ok())
    }
}

/// The messages of a receiver, until all senders are gone.
pub struct IntoIter<T>(Receiver<T>);

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

/// The messages of a receiver that is borrowed, until all senders are gone.
#[derive(Debug)]
pub struct Iter<'a, T>(&'a Receiver<T>);

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        Iter(self)
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}

macro_rules! sender {
    ($name:ident) => {
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                $name(match &self.0 {
                    Side::Real(real) => Side::Real(real.clone()),
                    Side::Modelled(channel) => {
                        if is_running() {
                            channel.add_sender();
                        }
                        Side::Modelled(Arc::clone(channel))
                    }
                })
            }
        }

        impl<T> Drop for $name<T> {
            fn drop(&mut self) {
                if let (Side::Modelled(channel), true) = (&self.0, is_running()) {
                    channel.drop_sender();
                }
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}

sender!(Sender);
sender!(SyncSender);

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        if let (Side::Modelled(channel), true) = (&self.0, is_running()) {
            channel.close(false);
        }
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receiver")
    }
}
