//! What a closure can say to the checker.

use crate::exec::{is_running, perform, with};
use crate::names::Site;
use crate::operation::{NO_OBJECT, Needs, Operation, Verb};
use mazurka_core::Access;
use std::panic::Location;
use std::sync::PoisonError;

/// One of the numbers below `alternatives`: all of them are explored. Outside of a model it is 0.
///
/// # Panics
/// If there is no alternative.
#[track_caller]
pub fn choose(alternatives: usize) -> usize {
    assert!(alternatives > 0, "a choice needs at least one alternative");
    if !is_running() || !perform(Operation::new(Verb::Choose, NO_OBJECT, Access::READ, Location::caller()), None) {
        return 0;
    }
    with(|exec| exec.choose(alternatives as u64)) as usize
}

/// Goes on only if the condition holds: executions in which it does not are not looked at any further, and do not count.
/// Outside of a model nothing is done.
#[track_caller]
pub fn assume(holds: bool) {
    if is_running() && !holds {
        perform(Operation::new(Verb::Assume, NO_OBJECT, Access::READ, Location::caller()).needing(Needs::Never), None);
    }
}

/// Says that the thread gets something done here: a loop that comes here again and again is no livelock. It is asked for where a
/// check looks for livelocks.
pub fn progress() {
    if is_running() {
        with(|exec| exec.progress());
    }
}

/// Says whether a condition holds that has to hold at this place in some execution. Use the macro `cover!`.
#[track_caller]
pub fn cover(holds: bool) {
    let site: Site = Location::caller();
    if !is_running() {
        return;
    }
    with(|exec| {
        if exec.given_up {
            return;
        }
        let mut covers = exec.shared.covers.lock().unwrap_or_else(PoisonError::into_inner);
        match covers.iter_mut().find(|(known, _)| *known == site) {
            Some((_, is_covered)) => *is_covered |= holds,
            None => covers.push((site, holds)),
        }
    });
}
