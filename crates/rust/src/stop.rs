//! Stopping a thread of a model in the midst of the user's code: where its stack is full, where it does not come to an operation, and
//! where the process would abort (`unwind.rs`).
//!
//! The fiber is suspended right where it is, and never resumed or unwound. Nothing on its stack is destroyed, so whatever others borrow
//! from it stays. The execution ends there: no other fiber of it is run again, since the code was not at a place where it gives
//! anything away.
//!
//! Our own code is never stopped half-way: it is marked as busy, and is not begun where little of the stack is left
//! ([`is_low`]). On Linux with x86-64, a fault in the reserve at the end of a stack and a signal of the watchdog
//! (`watch.rs`) come to handlers which make the fiber go on in [`stand`], as if it had called it. A fiber that is in code of
//! another library, such as the allocator, may hold a lock of that: it is let go on, instruction by instruction, until it comes back.
//! Elsewhere, an overflow within a double is told, any other ends the process.

use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU8, Ordering};

/// Why a fiber was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    /// Its stack was full.
    Overflow = 1,
    /// It came to no operation for too long.
    Stuck = 2,
    /// It took too much memory within one step.
    Memory = 3,
    /// It panicked where a panic makes the process abort.
    Abort = 4,
}

/// A fiber that was stopped.
pub(crate) struct Stopped {
    pub(crate) why: Why,
    /// It was waiting for a lock or a thread of the process.
    pub(crate) waited: bool,
    trace: Backtrace,
}

/// What our own code may need of a stack.
const RED: usize = 48 * 1024;
/// One half of the reserve, which stays closed until it is needed.
const HALF: usize = 64 * 1024;
/// The page below the reserve that stays closed.
const PAGE: usize = 4096;

/// What a stack needs beyond what its user may use.
pub(crate) const BEYOND: usize = RED + if system::HAS_RESERVE { 2 * HALF } else { 0 };

/// The stack of the fiber that runs.
#[derive(Clone, Copy)]
struct Bounds {
    limit: usize,
    base: usize,
    /// Why the watchdog wants the fiber to be stopped, if it does.
    wanted: *const AtomicU8,
}

const NO_FIBER: Bounds = Bounds { limit: 0, base: 0, wanted: std::ptr::null() };

thread_local! {
    static BOUNDS: Cell<Bounds> = const { Cell::new(NO_FIBER) };
    /// Below this, our own code does not begin.
    static FLOOR: Cell<usize> = const { Cell::new(0) };
    /// Our own code runs.
    static IS_BUSY: Cell<bool> = const { Cell::new(false) };
    /// Whether the fiber was waiting when it was stopped.
    static WAITED: Cell<bool> = const { Cell::new(false) };
    /// Why the fiber is to be stopped.
    static WANTED: Cell<u8> = const { Cell::new(0) };
    static STOPPED: RefCell<Option<Stopped>> = const { RefCell::new(None) };
}

/// A fiber with a stack of these bounds runs from here on, until [`leave`].
pub(crate) fn enter(limit: usize, base: usize, wanted: &AtomicU8) {
    BOUNDS.set(Bounds { limit, base, wanted });
    FLOOR.set(limit + PAGE + BEYOND);
}

/// No fiber runs any more. What it was stopped for, if it was.
pub(crate) fn leave() -> Option<Stopped> {
    BOUNDS.set(NO_FIBER);
    FLOOR.set(0);
    STOPPED.take()
}

/// Marks our own code as long as it lives.
pub(crate) struct Busy(());

impl Busy {
    #[inline]
    pub(crate) fn new() -> Self {
        IS_BUSY.set(true);
        Busy(())
    }
}

impl Drop for Busy {
    #[inline]
    fn drop(&mut self) {
        IS_BUSY.set(false);
    }
}

/// Whether too little is left of the stack for our own code, or it is not to begin for another reason.
#[inline]
pub(crate) fn is_low() -> bool {
    let here = 0u8;
    (&raw const here as usize) < FLOOR.get()
}

/// Stops the fiber that calls, after [`is_low`]: its stack is as good as full, or the watchdog asks for it.
pub(crate) fn stop_here() -> ! {
    let bounds = BOUNDS.get();
    // SAFETY: `enter` was given it for as long as the fiber runs.
    let wanted = unsafe { bounds.wanted.as_ref() }.map_or(0, |wanted| wanted.load(Ordering::Relaxed));
    WANTED.set(if wanted == 0 { Why::Overflow as u8 } else { wanted });
    stand()
}

/// Where a fiber is that was stopped: for ever.
extern "C" fn stand() -> ! {
    let why = match WANTED.replace(0) {
        1 => Why::Overflow,
        2 => Why::Stuck,
        _ => Why::Memory,
    };
    stand_for(why, Backtrace::force_capture)
}

fn stand_for(why: Why, trace: impl FnOnce() -> Backtrace) -> ! {
    // Not to be stopped once more: what follows takes locks.
    BOUNDS.set(NO_FIBER);
    FLOOR.set(0);
    STOPPED.set(Some(Stopped { why, waited: WAITED.take(), trace: trace() }));
    crate::exec::stand_still()
}

/// Whether the code that runs is that of a fiber, and may be stopped.
pub(crate) fn may_be_stopped() -> bool {
    BOUNDS.get().limit != 0 && !IS_BUSY.get()
}

/// Stops the fiber that runs: it panicked where a panic makes the process abort.
pub(crate) fn aborts() -> ! {
    stand_for(Why::Abort, Backtrace::disabled)
}

impl Stopped {
    /// The function of the user's that the fiber is in, and its place, as far as the executable tells.
    pub(crate) fn function(&self) -> Option<(String, Option<String>)> {
        const OURS: [&str; 5] = ["mazurka_rust::", "std::", "core::", "alloc::", "corosensei::"];
        let text = self.trace.to_string();
        let mut lines = text.lines().map(str::trim).peekable();
        while let Some(line) = lines.next() {
            let Some((number, name)) = line.split_once(": ") else { continue };
            let name = name.trim_start_matches('<');
            // An impl is told by its type, unless that is built in.
            let of = match name.split_once(" as ") {
                Some((of, implemented)) if !of.contains("::") => implemented,
                _ => name,
            };
            let is_ours = OURS.iter().any(|ours| of.starts_with(ours)) || of.starts_with('_') || of == "unknown>";
            if number.parse::<u32>().is_err() || is_ours {
                continue;
            }
            let place = lines.peek().and_then(|line| line.strip_prefix("at "));
            // Without the column, and as the compiler names files.
            let place = place.and_then(|place| place.rsplit_once(':')).map(|(place, _)| place.trim_start_matches("./"));
            return Some((name.replace("::{{closure}}", ""), place.map(str::to_owned)));
        }
        None
    }
}

pub(crate) use system::{Thread, close_reserve, stop};

/// Linux with x86-64.
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(feature = "portable")))]
mod system {
    use super::{BOUNDS, FLOOR, HALF, IS_BUSY, NO_FIBER, PAGE, WAITED, WANTED, Why, stand};
    use std::cell::Cell;
    use std::ffi::{c_int, c_void};
    use std::mem::MaybeUninit;
    use std::sync::OnceLock;
    use std::sync::atomic::Ordering;

    pub(super) const HAS_RESERVE: bool = true;

    /// An OS thread on which fibers run.
    #[derive(Clone, Copy)]
    pub(crate) struct Thread(libc::pthread_t);

    impl Thread {
        pub(crate) fn current() -> Self {
            install();
            // SAFETY: it has no preconditions.
            Thread(unsafe { libc::pthread_self() })
        }
    }

    /// What is to be known before a signal comes.
    struct Setup {
        /// The code of the executable.
        own: (usize, usize),
        /// The function of the C library through which a thread waits for a lock of `std`.
        waits: (usize, usize),
        before: libc::sigaction,
        /// The handler of single steps that was there before.
        before_steps: libc::sigaction,
        signal: c_int,
    }

    thread_local! {
        /// Why a fiber that is in the code of another library is to be stopped when it comes back; 0 if it is not.
        static STEPPING: Cell<u8> = const { Cell::new(0) };
    }

    /// The flag of the processor for a signal after each instruction.
    const TRAP: i64 = 1 << 8;

    static SETUP: OnceLock<Setup> = OnceLock::new();

    fn install() {
        SETUP.get_or_init(|| {
            let signal = libc::SIGRTMAX() - 3;
            let waits = libc::syscall as *const () as usize;
            let (mut before, mut before_steps) = (MaybeUninit::zeroed(), MaybeUninit::zeroed());
            // SAFETY: both structures are plain data that may be zero, and are filled in before they are used. The handlers
            // do only what a signal handler may.
            let (before, before_steps) = unsafe {
                let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                action.sa_sigaction = on_fault as *const () as usize;
                libc::sigaction(libc::SIGSEGV, &raw const action, before.as_mut_ptr());
                action.sa_sigaction = on_request as *const () as usize;
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
                action.sa_sigaction = on_step as *const () as usize;
                libc::sigaction(libc::SIGTRAP, &raw const action, before_steps.as_mut_ptr());
                (before.assume_init(), before_steps.assume_init())
            };
            Setup { own: own_code(), waits: (waits, waits + 64), before, before_steps, signal }
        });
    }

    /// Where the executable has the code that this function is in.
    fn own_code() -> (usize, usize) {
        unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, found: *mut c_void) -> c_int {
            // SAFETY: the loader passes a valid description with `dlpi_phnum` headers, and `found` is what was given below.
            let (info, found) = unsafe { (&*info, &mut *found.cast::<(usize, usize)>()) };
            let here = own_code as *const () as usize;
            for number in 0..usize::from(info.dlpi_phnum) {
                // SAFETY: as above.
                let header = unsafe { &*info.dlpi_phdr.add(number) };
                let from = info.dlpi_addr as usize + header.p_vaddr as usize;
                let to = from + header.p_memsz as usize;
                if header.p_type == libc::PT_LOAD && (from..to).contains(&here) {
                    *found = (from, to);
                    return 1;
                }
            }
            0
        }
        let mut found = (0, 0);
        // SAFETY: `visit` gets back the pointer to `found`, which outlives the call.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
        found
    }

    /// Closes the reserve of a new stack.
    pub(crate) fn close_reserve(limit: usize) {
        // SAFETY: these pages belong to a stack that is not used yet. If it fails, the reserve is part of the stack.
        unsafe { libc::mprotect((limit + PAGE) as *mut c_void, 2 * HALF, libc::PROT_NONE) };
    }

    /// Asks an OS thread to stop the fiber that it runs.
    pub(crate) fn stop(thread: Thread) {
        if let Some(setup) = SETUP.get() {
            // SAFETY: whoever asks sees to it that the thread is there, and the signal has a handler.
            unsafe { libc::pthread_kill(thread.0, setup.signal) };
        }
    }

    /// Makes a fiber go on in `stand`.
    ///
    /// # Safety
    /// `context` is that of a signal that has interrupted a fiber, whose stack can be written to below its stack pointer. The fiber
    /// is never resumed where it was.
    unsafe fn divert(context: *mut c_void, why: u8) {
        WANTED.set(why);
        BOUNDS.set(NO_FIBER);
        // SAFETY: by the contract. What lies below the stack pointer belongs to the function that was interrupted, which does not
        // go on.
        unsafe {
            let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
            let top = registers[libc::REG_RSP as usize] as usize - size_of::<usize>();
            *(top as *mut usize) = registers[libc::REG_RIP as usize] as usize;
            registers[libc::REG_RSP as usize] = top as i64;
            registers[libc::REG_RIP as usize] = landing as *const () as usize as i64;
        }
    }

    /// Aligns the stack and calls `stand`. The unwinder is told how to find the function that was interrupted.
    #[unsafe(naked)]
    unsafe extern "C" fn landing() -> ! {
        std::arch::naked_asm!(
            ".cfi_startproc",
            ".cfi_signal_frame",
            "push rbp",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset rbp, -16",
            "mov rbp, rsp",
            ".cfi_def_cfa_register rbp",
            "and rsp, -16",
            "call {stand}",
            "ud2",
            ".cfi_endproc",
            stand = sym stand,
        )
    }

    /// The program counter where a signal came.
    unsafe fn counter(context: *mut c_void) -> usize {
        // SAFETY: the context of a signal.
        unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RIP as usize] as usize }
    }

    fn is_in(range: (usize, usize), address: usize) -> bool {
        (range.0..range.1).contains(&address)
    }

    /// A fault: if it is in the reserve of the fiber that runs, its stack is full.
    unsafe extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        let Some(setup) = SETUP.get() else { return };
        let limit = BOUNDS.get().limit;
        // SAFETY: the system passes both, for a fault.
        let (address, at) = unsafe { ((*info).si_addr() as usize, counter(context)) };
        let reserve = (limit + PAGE, limit + PAGE + 2 * HALF);
        if limit != 0 && is_in(reserve, address) && !IS_BUSY.get() {
            let is_upper = address >= reserve.0 + HALF;
            let half = if is_upper { reserve.0 + HALF } else { reserve.0 };
            let is_own = is_in(setup.own, at);
            // SAFETY: the pages belong to the stack of the fiber that was interrupted.
            let is_open = unsafe { libc::mprotect(half as *mut c_void, HALF, libc::PROT_READ | libc::PROT_WRITE) } == 0;
            if is_open && (is_own || is_upper) {
                // SAFETY: half of the reserve is open.
                unsafe { stop_when_back(context, Why::Overflow as u8, is_own) };
                return;
            }
        }
        // SAFETY: as this handler was called.
        unsafe { pass_on(&setup.before, signal, info, context) };
    }

    /// Calls the handler that was there before.
    unsafe fn pass_on(before: &libc::sigaction, signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        let handler = before.sa_sigaction;
        if handler == libc::SIG_DFL || handler == libc::SIG_IGN || before.sa_flags & libc::SA_SIGINFO == 0 {
            // SAFETY: what was there before is there again, and the signal comes again.
            unsafe { libc::sigaction(signal, std::ptr::from_ref(before), std::ptr::null_mut()) };
            return;
        }
        // SAFETY: it was installed as a handler with this signature, as its flags say.
        unsafe {
            let handler: unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                std::mem::transmute(handler as *const ());
            handler(signal, info, context);
        }
    }

    /// Stops a fiber now, or, if it is in the code of another library, when it comes back from there.
    ///
    /// # Safety
    /// As for `divert`.
    unsafe fn stop_when_back(context: *mut c_void, why: u8, is_own: bool) {
        // SAFETY: by the contract.
        unsafe {
            let flags = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_EFL as usize];
            *flags = if is_own { *flags & !TRAP } else { *flags | TRAP };
            STEPPING.set(if is_own { 0 } else { why });
            if is_own {
                divert(context, why);
            }
        }
    }

    /// An instruction of another library was run.
    unsafe extern "C" fn on_step(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        let Some(setup) = SETUP.get() else { return };
        let why = STEPPING.get();
        if why == 0 {
            // SAFETY: as this handler was called.
            return unsafe { pass_on(&setup.before_steps, signal, info, context) };
        }
        // SAFETY: the fiber was interrupted, and there was room on its stack when the steps began.
        unsafe { stop_when_back(context, why, is_in(setup.own, counter(context))) };
    }

    /// The watchdog asks: if the fiber is where it may be stopped, it is.
    unsafe extern "C" fn on_request(_signal: c_int, _info: *mut libc::siginfo_t, context: *mut c_void) {
        let (Some(setup), bounds) = (SETUP.get(), BOUNDS.get()) else { return };
        if bounds.limit == 0 {
            return;
        }
        if IS_BUSY.get() {
            // The fiber stops when our own code begins again.
            return FLOOR.set(usize::MAX);
        }
        // SAFETY: the context of a signal.
        let (at, top) = unsafe {
            let registers = &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
            (counter(context), registers[libc::REG_RSP as usize] as usize)
        };
        let is_on_fiber = is_in((bounds.limit + PAGE + 3 * HALF, bounds.base), top);
        // SAFETY: `enter` was given it for as long as the fiber runs.
        let wanted = unsafe { &*bounds.wanted }.load(Ordering::Relaxed);
        if is_on_fiber && wanted != 0 && STEPPING.get() == 0 {
            let waits = is_in(setup.waits, at);
            WAITED.set(waits);
            // SAFETY: there is room on the stack below, as was looked at.
            unsafe { stop_when_back(context, wanted, waits || is_in(setup.own, at)) };
        }
    }
}

/// Everywhere else.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(feature = "portable"))))]
mod system {
    pub(super) const HAS_RESERVE: bool = false;

    /// An OS thread on which fibers run.
    #[derive(Clone, Copy)]
    pub(crate) struct Thread;

    impl Thread {
        pub(crate) fn current() -> Self {
            Thread
        }
    }

    pub(crate) fn close_reserve(_limit: usize) {}

    pub(crate) fn stop(_thread: Thread) {}
}
