//! The double of `std::sync::Condvar`. A thread is never woken without a reason.

use super::lock::Lock;
use super::mutex::MutexGuard;
use crate::exec::{Exec, is_running, perform, with};
use crate::handle::Handle;
use crate::names::{Kind, Site};
use crate::operation::{Needs, Operation, Verb};
use mazurka_core::Access;
use std::panic::Location;
use std::sync::{LockResult, PoisonError};
use std::time::Duration;

/// The double of `std::sync::Condvar`.
#[derive(Debug)]
pub struct Condvar {
    handle: Handle,
    real: std::sync::Condvar,
}

/// Whether a wait came to its end because its time was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether the time was over.
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

impl Default for Condvar {
    #[track_caller]
    fn default() -> Self {
        Condvar::new()
    }
}

impl Condvar {
    /// A new condition variable.
    #[track_caller]
    pub fn new() -> Self {
        Condvar { handle: Handle::new(Kind::Condvar, Location::caller(), |_, _| {}), real: std::sync::Condvar::new() }
    }

    fn object(&self, exec: &mut Exec, site: Site) -> u32 {
        self.handle.object(exec, Kind::Condvar, site, |_, _| {})
    }

    /// As `std` has it.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let site = Location::caller();
        match guard.into_real() {
            Ok((mutex, real)) => match self.real.wait(real) {
                Ok(real) => Ok(MutexGuard::of_real(mutex, real)),
                Err(poisoned) => Err(PoisonError::new(MutexGuard::of_real(mutex, poisoned.into_inner()))),
            },
            Err(guard) => match self.wait_within(guard, site, false) {
                Ok((guard, _)) => Ok(guard),
                Err(poisoned) => Err(PoisonError::new(poisoned.into_inner().0)),
            },
        }
    }

    /// As `std` has it: waits as long as the condition holds.
    #[track_caller]
    pub fn wait_while<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<MutexGuard<'a, T>> {
        while condition(&mut guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// As `std` has it. Within a model the time may be over at any moment.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        limit: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let site = Location::caller();
        match guard.into_real() {
            Ok((mutex, real)) => match self.real.wait_timeout(real, limit) {
                Ok((real, result)) => Ok((MutexGuard::of_real(mutex, real), WaitTimeoutResult(result.timed_out()))),
                Err(poisoned) => {
                    let (real, result) = poisoned.into_inner();
                    let result = WaitTimeoutResult(result.timed_out());
                    Err(PoisonError::new((MutexGuard::of_real(mutex, real), result)))
                }
            },
            Err(guard) => self.wait_within(guard, site, true),
        }
    }

    /// As `std` has it: waits as long as the condition holds and the time is not over.
    #[track_caller]
    pub fn wait_timeout_while<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        limit: Duration,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        loop {
            if !condition(&mut guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            let (woken, result) = self.wait_timeout(guard, limit)?;
            guard = woken;
            if result.timed_out() {
                let holds = condition(&mut guard);
                return Ok((guard, WaitTimeoutResult(holds)));
            }
        }
    }

    fn wait_within<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        site: Site,
        may_time_out: bool,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let (mutex, locked_at) = guard.into_parts();
        let locked_at = locked_at.unwrap_or(site);
        let condition = with(|exec| self.object(exec, site));
        let is_live = perform(Operation::new(Verb::Wait, condition, Access::ADD, site), None);
        if is_live {
            with(|exec| {
                mutex.give_back(exec, locked_at, false);
                exec.touch(condition, Access::ADD);
                self.join(exec, condition);
            });
        }
        // While it waits with a limit it can always move: then the time is over.
        let timed_out = is_live && may_time_out && {
            let needs = if may_time_out { Needs::Nothing } else { Needs::Awake };
            let is_live = perform(Operation::new(Verb::TimeOut, condition, Access::ADD, site).needing(needs), None);
            is_live && with(|exec| self.leave(exec, condition))
        };
        let object = with(|exec| mutex.object(exec, site));
        let needs = if may_time_out { Needs::Free } else { Needs::AwakeAndFree };
        let access = with(|exec| super::mutex::locking(exec));
        let is_live = is_live && perform(Operation::new(Verb::Reacquire, object, access, site).needing(needs), None);
        let result = WaitTimeoutResult(timed_out);
        match mutex.taken(object, is_live, site) {
            Ok(guard) => Ok((guard, result)),
            Err(poisoned) => Err(PoisonError::new((poisoned.into_inner(), result))),
        }
    }

    /// The present thread is among those who wait: in the order of their names, since which one came first makes no difference.
    fn join(&self, exec: &mut Exec, condition: u32) {
        let (slot, id) = (exec.current as u32, exec.actors[exec.current].id);
        let (actors, queue) = (&exec.actors, &mut exec.objects[condition as usize].queue);
        let at = queue.partition_point(|&other| actors[other as usize].id < id);
        queue.insert(at, slot);
        exec.fall_asleep();
    }

    /// The present thread does not wait any longer. True if it was not notified.
    fn leave(&self, exec: &mut Exec, condition: u32) -> bool {
        let slot = exec.current as u32;
        let life = exec.actors[exec.current].life;
        exec.touch_id(life, Access::READ);
        let queue = &mut exec.objects[condition as usize].queue;
        let place = queue.iter().position(|&other| other == slot);
        if let Some(place) = place {
            queue.remove(place);
            exec.touch(condition, Access::ADD);
        }
        exec.actors[exec.current].status = crate::exec::Status::Ready;
        exec.saw(u64::from(place.is_some()));
        place.is_some()
    }

    /// Wakes one of those who wait: each of them in some execution.
    #[track_caller]
    pub fn notify_one(&self) {
        let site = Location::caller();
        if is_running() { self.notify(false, site) } else { self.real.notify_one() }
    }

    /// Wakes all who wait.
    #[track_caller]
    pub fn notify_all(&self) {
        let site = Location::caller();
        if is_running() { self.notify(true, site) } else { self.real.notify_all() }
    }

    fn notify(&self, all: bool, site: Site) {
        let object = with(|exec| self.object(exec, site));
        if !perform(Operation::new(Verb::Notify, object, Access::WRITE, site), None) {
            return;
        }
        with(|exec| {
            let waiting = exec.objects[object as usize].queue.len();
            if waiting == 0 {
                return exec.touch(object, Access::READ);
            }
            exec.touch(object, Access::WRITE);
            let first = if all { 0 } else { exec.choose(waiting as u64) as usize };
            let count = if all { waiting } else { 1 };
            let woken: Vec<u32> = exec.objects[object as usize].queue.drain(first..first + count).collect();
            woken.into_iter().for_each(|slot| exec.wake(slot as usize));
            exec.actors[exec.current].looks.clear();
        });
    }
}
