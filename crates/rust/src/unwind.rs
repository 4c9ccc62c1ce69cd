//! Threads that unwind.
//!
//! `std` counts panics per OS thread, and the fibers of a model share one. So the count goes with the fiber: when a fiber stands while
//! it unwinds, the count is brought down to zero and kept ([`take`]), and it is raised again before the fiber goes on
//! ([`Unwinding::put_back`]). The steps of destructors that a panic runs are steps like others, then, and `panicking` tells the truth.
//!
//! There are no functions of `std` for this, but there are two ways to change the count by one:
//!
//! - *Down*: to catch a panic lowers the count. `resume_unwind` within a panic hook does not raise it. So a panic whose hook
//!   catches such a one raises the count once and lowers it twice.
//! - *Up*: `resume_unwind` raises the count, and what unwinds is not caught if a destructor never comes back. So a fiber of its own
//!   unwinds and is suspended in a destructor for ever.
//!
//! A panic that must not unwind (a destructor panics while it is run by a panic, or a function of another ABI does) makes `std` abort the
//! process, after the hook. On Linux with x86-64, the hook does not return for a fiber: it unwinds `std`'s own frames, so that the lock of
//! the hook is free again, and then the fiber is stopped for good (`stop.rs`).
//!
//! While `std` prepares a panic (it formats the message, it runs the hook), a fiber cannot be suspended ([`is_held`]). Where frames
//! cannot be looked at (elsewhere than on Linux with x86-64), that is so whenever a fiber unwinds: then the operations of destructors
//! belong to the step that they are in.

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, Yielder};
use mazurka_core::{Location, Panic};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{PanicHookInfo, catch_unwind, panic_any, resume_unwind, set_hook, take_hook};
use std::sync::Once;
use std::thread::panicking;

/// What lowers the count of panics.
struct Lower;

/// What finds out where `std` prepares panics.
struct Learn;

thread_local! {
    static IS_LOWERED: Cell<bool> = const { Cell::new(false) };
    /// The last two panics of the fiber that runs, the last one first.
    static PANICS: RefCell<Vec<Panic>> = const { RefCell::new(Vec::new()) };
}

/// A fiber that stands while it unwinds.
#[derive(Debug)]
pub(crate) struct Unwinding {
    count: u32,
    panics: Vec<Panic>,
}

/// Installs the hook. Panics that are none of its business go to the hook that was there before.
pub(crate) fn install() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        // Its hook keeps silent about what it catches: it has to be the inner one.
        let _ = mazurka_core::caught(|| ());
        let before = take_hook();
        set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if info.payload().is::<Lower>() {
                catch_within();
                return IS_LOWERED.set(true);
            }
            if info.payload().is::<Learn>() {
                return frames::learn(info);
            }
            if crate::exec::is_running() {
                let panic = Panic { message: message(info.payload()), location: info.location().map(location) };
                PANICS.with_borrow_mut(|panics| {
                    panics.truncate(1);
                    panics.insert(0, panic);
                });
                if !can_unwind(info) && crate::stop::may_be_stopped() {
                    frames::stop(info);
                }
            }
            before(info);
        }));
        let _ = catch_unwind(|| panic_any(Learn));
    });
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a message".to_owned())
}

fn location(place: &std::panic::Location<'_>) -> Location {
    Location { file: place.file().into(), line: place.line(), column: place.column() }
}

/// `PanicHookInfo::can_unwind` is not stable, but what is printed of one says it.
fn can_unwind(info: &PanicHookInfo<'_>) -> bool {
    !format!("{info:?}").contains(" can_unwind: false")
}

/// Lowers the count of panics and ends the state in which another one aborts, if `std` prepares a panic; otherwise does nothing.
fn catch_within() {
    let _ = catch_unwind(|| resume_unwind(Box::new(())));
}

/// Lowers the count of panics by one. Fails if the hook was replaced.
fn lower() -> bool {
    IS_LOWERED.set(false);
    let _ = catch_unwind(|| panic_any(Lower));
    IS_LOWERED.get()
}

/// Raises the count of panics by one.
fn raise() {
    struct Stays<'y>(&'y Yielder<(), ()>);
    impl Drop for Stays<'_> {
        fn drop(&mut self) {
            self.0.suspend(());
        }
    }
    let Ok(stack) = DefaultStack::new(64 * 1024) else { return };
    let mut fiber: Coroutine<(), (), (), DefaultStack> =
        Coroutine::with_stack(stack, |yielder: &Yielder<(), ()>, ()| {
            let _stays = Stays(yielder);
            resume_unwind(Box::new(()));
        });
    fiber.resume(());
    // SAFETY: it stands in `Stays::drop` and is never resumed. Nothing but its own frames borrows from its stack.
    unsafe { fiber.force_reset() };
}

/// A fiber stands while it unwinds: takes the count from the OS thread. None if that cannot be done.
pub(crate) fn take() -> Option<Unwinding> {
    // It may have been stopped while `std` prepared a panic.
    catch_within();
    let mut count = 0;
    while panicking() {
        if !lower() {
            return None;
        }
        count += 1;
    }
    Some(Unwinding { count, panics: PANICS.take() })
}

impl Unwinding {
    /// The fiber goes on.
    pub(crate) fn put_back(self) {
        PANICS.set(self.panics);
        for _ in 0..self.count {
            raise();
        }
    }

    /// Where the last panic happened.
    pub(crate) fn place(&self) -> Option<&Location> {
        self.panics.first()?.location.as_ref()
    }

    /// Why `std` would abort the process, and where, if the fiber was stopped for that: the last panic could not unwind.
    pub(crate) fn aborts(&self) -> (String, Option<Location>) {
        let Some(last) = self.panics.first() else { return ("aborts".to_owned(), None) };
        let before = self.panics.get(1);
        match before {
            // The place of the last one is in `std`.
            Some(Panic { message, location }) if last.message.starts_with("panic in a destructor") => {
                (format!("aborts: a destructor panicked while a panic unwound: {message}"), location.clone())
            }
            Some(Panic { message, location }) if last.message.starts_with("panic in a function") => {
                (format!("aborts: a function panicked that cannot unwind: {message}"), location.clone())
            }
            _ => (format!("aborts: {}", last.message), last.location.clone()),
        }
    }
}

/// The panic whose payload was caught at the root of the fiber that runs.
pub(crate) fn caught(payload: &(dyn Any + Send)) -> Panic {
    let panic = Panic::of(payload);
    let last = PANICS.with_borrow(|panics| panics.first().filter(|last| last.message == panic.message).cloned());
    last.unwrap_or(panic)
}

/// Whether the fiber that runs panics and cannot be suspended.
pub(crate) fn is_held() -> bool {
    panicking() && frames::is_preparing()
}

/// Linux with x86-64.
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(feature = "portable")))]
mod frames {
    use std::ffi::{c_int, c_void};
    use std::panic::PanicHookInfo;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The function of `std` that prepares a panic; 0 if it was not found.
    static PREPARES: AtomicUsize = AtomicUsize::new(0);

    const NEXT: c_int = 0;
    const STOP: c_int = 5;

    type Visit = unsafe extern "C" fn(context: *mut c_void, argument: *mut c_void) -> c_int;
    type Stop =
        unsafe extern "C" fn(c_int, c_int, u64, *mut c_void, context: *mut c_void, argument: *mut c_void) -> c_int;

    // The interface of the unwinder that `std` links.
    unsafe extern "C-unwind" {
        fn _Unwind_Backtrace(visit: Visit, argument: *mut c_void) -> c_int;
        fn _Unwind_ForcedUnwind(exception: *mut c_void, stop: Stop, argument: *mut c_void) -> c_int;
        /// The stack pointer of a frame.
        fn _Unwind_GetCFA(context: *mut c_void) -> usize;
        /// Where the function of a frame begins.
        fn _Unwind_GetRegionStart(context: *mut c_void) -> usize;
    }

    /// What is passed to a hook lies in the frame of the function that prepares the panic.
    fn address(info: &PanicHookInfo<'_>) -> usize {
        std::ptr::from_ref(info) as usize
    }

    /// Finds out which function prepares panics.
    pub(super) fn learn(info: &PanicHookInfo<'_>) {
        unsafe extern "C" fn visit(context: *mut c_void, argument: *mut c_void) -> c_int {
            // SAFETY: the unwinder passes a valid context, and what was given below.
            let (below, (info, found)) = unsafe { (_Unwind_GetCFA(context), &mut *argument.cast::<(usize, usize)>()) };
            if below > *info {
                return STOP;
            }
            // SAFETY: as above.
            *found = unsafe { _Unwind_GetRegionStart(context) };
            NEXT
        }
        let mut argument = (address(info), 0);
        // SAFETY: `visit` gets back the pointer to `argument`, which outlives the call.
        unsafe { _Unwind_Backtrace(visit, (&raw mut argument).cast()) };
        PREPARES.store(argument.1, Ordering::Relaxed);
    }

    /// Whether the code that runs was called by the function that prepares panics.
    pub(super) fn is_preparing() -> bool {
        unsafe extern "C" fn visit(context: *mut c_void, argument: *mut c_void) -> c_int {
            // SAFETY: the unwinder passes a valid context, and what was given below.
            let is_it = unsafe { _Unwind_GetRegionStart(context) } == PREPARES.load(Ordering::Relaxed);
            if !is_it {
                return NEXT;
            }
            // SAFETY: as above.
            unsafe { *argument.cast::<bool>() = true };
            STOP
        }
        let mut found = PREPARES.load(Ordering::Relaxed) == 0;
        // SAFETY: `visit` gets back the pointer to `found`, which outlives the call.
        unsafe { _Unwind_Backtrace(visit, (&raw mut found).cast()) };
        found
    }

    /// Stops the fiber that runs, from within the hook, for a panic after which the process would abort.
    pub(super) fn stop(info: &PanicHookInfo<'_>) {
        /// What the unwinder keeps for itself.
        #[repr(C, align(16))]
        struct Exception([u64; 8]);

        unsafe extern "C" fn leave(
            _version: c_int,
            _actions: c_int,
            _class: u64,
            _exception: *mut c_void,
            context: *mut c_void,
            info: *mut c_void,
        ) -> c_int {
            // SAFETY: the unwinder passes a valid context.
            if unsafe { _Unwind_GetCFA(context) } > info as usize {
                // The frame that prepared the panic is gone, and has released the lock of the hook.
                crate::stop::aborts();
            }
            NEXT
        }
        // It is used until the fiber stands for good, and then it is not worth to be freed.
        let exception: *mut Exception = Box::leak(Box::new(Exception([0; 8])));
        // SAFETY: the exception is zeroed, valid and lasts for ever. The frames that are unwound are those of the hook and of the
        // function of `std` that called it, which `std` compiles so that hooks may unwind. `leave` does not let the unwinder go
        // further: no code of the user's is unwound, and the fiber is never resumed. It comes back only if frames cannot be
        // read; then the process aborts as it does without a model.
        unsafe { _Unwind_ForcedUnwind(exception.cast(), leave, address(info) as *mut c_void) };
    }
}

/// Everywhere else.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(feature = "portable"))))]
mod frames {
    use std::panic::PanicHookInfo;

    pub(super) fn learn(_info: &PanicHookInfo<'_>) {}

    pub(super) fn is_preparing() -> bool {
        true
    }

    pub(super) fn stop(_info: &PanicHookInfo<'_>) {}
}
