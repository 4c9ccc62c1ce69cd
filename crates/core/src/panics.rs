//! Panics of the code that a user wrote: caught, and told instead of printed.
//!
//! A search runs a step millions of times, and a violation is replayed again and again until its schedule is short. So
//! what a panic would print is kept, with its place, and goes into the report. The hook that does this is set once, when
//! the first step is taken; it passes on to the hook that was there before whatever panics outside of [`caught`].

use crate::{Location, Violation, ViolationKind};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// A panic that was caught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panic {
    /// What it says.
    pub message: String,
    /// Where it happened, if that is known.
    pub location: Option<Location>,
}

impl Panic {
    /// What a payload says that was caught within [`caught`] just now, on this thread.
    #[cold]
    pub fn of(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let message = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Panic {
            message: message.unwrap_or_else(|| "without a message".to_owned()),
            location: PLACE.with(|last| last.borrow_mut().take()),
        }
    }

    /// The panic as a fault of the program.
    pub fn violation(self) -> Violation {
        let message = format!("panicked: {}", self.message);
        Violation { location: self.location, ..Violation::new(ViolationKind::Crash, message) }
    }
}

impl std::fmt::Display for Panic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.location {
            Some(location) => write!(f, "{} ({location})", self.message),
            None => f.write_str(&self.message),
        }
    }
}

thread_local! {
    /// Whether panics on this thread are caught.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
    /// Where the last panic that was caught happened.
    static PLACE: RefCell<Option<Location>> = const { RefCell::new(None) };
}

/// Where the last panic happened that came up within [`caught`] on this thread, and of which nothing was made yet.
pub fn panicked_at() -> Option<Location> {
    PLACE.with(|last| last.borrow().clone())
}

static HOOK: Once = Once::new();

#[cold]
fn hook() {
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if !IS_CAUGHT.get() {
                return before(info);
            }
            let place = info.location().map(|place| Location {
                file: place.file().into(),
                line: place.line(),
                column: place.column(),
            });
            PLACE.with(|last| *last.borrow_mut() = place);
        }));
    });
}

/// Runs something that may panic. Nothing is printed then.
#[inline]
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, Panic> {
    if !HOOK.is_completed() {
        hook();
    }
    let before = IS_CAUGHT.replace(true);
    // The caller either gives up what `run` worked with, or tells the user that it broke off there.
    let result = catch_unwind(AssertUnwindSafe(run));
    IS_CAUGHT.set(before);
    result.map_err(|payload| Panic::of(&*payload))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_with_its_place() {
        assert_eq!(caught(|| 1), Ok(1));
        let panic = caught(|| panic!("no {}", "way")).map_err(|panic: Panic| (panic.message.clone(), panic.location));
        let (message, location) = panic.expect_err("it panics");
        assert_eq!(message, "no way");
        assert!(location.is_some_and(|place| place.file.ends_with("panics.rs")));
        // Caught within what is caught.
        assert!(caught(|| caught(|| panic!("inner")).is_err()).is_ok_and(|inner| inner));
    }
}
