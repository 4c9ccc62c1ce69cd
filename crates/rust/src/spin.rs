//! Loops that wait for another thread.
//!
//! A thread keeps its looks since it last changed anything. If it comes to a look at the same place, at the same object and with
//! the same *image* as an earlier one, it would do the same again and again: it **spins**, and cannot move until one of the
//! objects that it looked at since has changed.
//!
//! The image is a hash of the stack of the thread's own code, of the registers that outlive calls, and of the program counter.
//! The doubles take them within the caller's frame, so what is ours lies below and is not hashed. On the first visit,
//! the stack may hold leftovers where the loop is yet to write, so one more earlier look at that place is asked for.
//!
//! **Why nothing is lost.** Let a thread come back to an equal local state with only looks in between, all of which are still up to
//! date. Leave these looks out of the execution: no other thread notices, this one stands in the same state, so the rest goes through,
//! to the same end. So every state that can be reached is reached without such a round. A round that saw one object
//! before and another one after a change is not left out: one of its looks is out of date. If all others have ended or are
//! blocked, the loop runs for ever: a livelock.
//!
//! **What it rests on.** That equal images mean equal local states. What a loop changes in private memory on the heap or in
//! statics is not seen. Therefore a loop that is met is run on for [`ROUNDS`] rounds, alone: a loop that leaves, or does
//! anything but look, is none. Its place is remembered, and the search is begun again.
//!
//! Where no image can be taken (other processors than x86-64), no loop is recognised: such programs are cut at the bound for
//! the length of schedules, and the verdict says so.

use crate::exec::Exec;
use crate::names::Site;
use crate::operation::Operation;
use mazurka_core::Fingerprint;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

/// How many rounds a loop is run on before it counts as one that spins.
const ROUNDS: u32 = 64;

/// How often a loop at one place is run on.
const PROBES: u32 = 16;

/// A look at an object.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    site: usize,
    object: u32,
    version: u32,
    image: u64,
}

/// A loop that is being run on.
pub(crate) struct Probe {
    site: Site,
    object: u32,
    image: u64,
    rounds: u32,
    /// What the thread had seen when it was first there.
    history: u128,
    spins: Vec<(u32, u32)>,
}

/// Where a thread stands in its own code: stack pointer, registers that outlive calls, program counter.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Frame {
    stack_pointer: usize,
    registers: [u64; 7],
}

/// To be inlined into the code that is checked.
#[inline(always)]
pub(crate) fn frame() -> Frame {
    #[allow(unused_mut)]
    let mut frame = Frame { stack_pointer: 0, registers: [0; 7] };
    #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
    // SAFETY: the code writes eight words into `frame`, which is that large, and changes nothing else but a scratch register.
    unsafe {
        std::arch::asm!(
            "mov [{to}], rsp", "mov [{to} + 8], rbx", "mov [{to} + 16], rbp", "mov [{to} + 24], r12",
            "mov [{to} + 32], r13", "mov [{to} + 40], r14", "mov [{to} + 48], r15",
            "lea {at}, [rip]", "mov [{to} + 56], {at}",
            to = in(reg) &raw mut frame, at = out(reg) _, options(nostack)
        );
    }
    frame
}

/// The present stack pointer.
#[inline(always)]
pub(crate) fn here() -> usize {
    frame().stack_pointer
}

impl Frame {
    /// Whether the processor is one of which an image can be taken.
    fn is_known(&self) -> bool {
        self.stack_pointer != 0
    }

    #[inline(never)]
    fn image(&self, base: usize) -> u64 {
        let length = base.saturating_sub(self.stack_pointer);
        // SAFETY: from the stack pointer of a frame that is still active up to the root of the same fiber, all of which is
        // mapped. Bytes that were never written since the stack was mapped are zero. No reference to them is kept.
        let bytes = unsafe { std::slice::from_raw_parts(self.stack_pointer as *const u8, length) };
        let image = Fingerprint::of_bytes(bytes).0 as u64;
        self.registers
            .iter()
            .fold(image, |image, &register| (image.rotate_left(5) ^ register).wrapping_mul(0x517C_C1B7_2722_0A95))
    }
}

fn key(site: Site) -> usize {
    std::ptr::from_ref(site) as usize
}

impl Exec {
    /// Whether a thread that comes to an operation is in a loop that is being run on: then it does not stop there.
    pub(crate) fn comes_again(&mut self, slot: usize, operation: &Operation, frame: Option<&Frame>) -> bool {
        let can_spin = self.shared.spin_detection && operation.verb.looks();
        let frame = frame.filter(|frame| can_spin && frame.is_known());
        let actor = &mut self.actors[slot];
        let base = actor.stack_base;
        // Of the first look at a place no image is needed: an even earlier one is asked for.
        let is_first = |operation: &Operation| {
            let is_same = |look: &Look| (look.site, look.object) == (key(operation.site), operation.object);
            actor.probe.is_none() && !actor.looks.iter().any(is_same)
        };
        let frame = frame.filter(|_| !is_first(operation));
        let image = frame.map(|frame| frame.image(base));
        actor.image = image.unwrap_or(0);
        if let Some(mut probe) = actor.probe.take() {
            if image.is_none() {
                return self.is_no_loop(*probe);
            }
            let is_there =
                probe.site == operation.site && probe.object == operation.object && image == Some(probe.image);
            // A loop of several looks comes to the others in between.
            let is_known = actor.looks.iter().any(|look| {
                (look.site, look.object, Some(look.image)) == (key(operation.site), operation.object, image)
            });
            if !is_known {
                return self.is_no_loop(*probe);
            }
            probe.rounds += u32::from(is_there);
            if probe.rounds < ROUNDS || !is_there {
                actor.probe = Some(probe);
                return true;
            }
            actor.history = probe.history;
            actor.spins = probe.spins;
            self.is_probing = false;
            return false;
        }
        let Some(image) = image else { return false };
        self.detect_spin(slot, operation, image)
    }

    /// The loop was none: it left, or it changed something. What was done since was done within one step, so the search is begun
    /// again.
    pub(crate) fn is_no_loop(&mut self, probe: Probe) -> bool {
        self.is_probing = false;
        let mut no_loops = self.shared.no_loops.lock().unwrap_or_else(PoisonError::into_inner);
        if !no_loops.contains(&probe.site) {
            no_loops.push(probe.site);
        }
        self.shared.again.store(true, Ordering::Relaxed);
        false
    }

    /// Whether the present thread is in a loop that is being run on, so that what it looks at is known. One that changes something is
    /// no loop.
    pub(crate) fn is_same_round(&mut self, changes: bool) -> bool {
        if !self.is_probing || !changes {
            return self.is_probing;
        }
        if let Some(probe) = self.actors[self.current].probe.take() {
            self.is_no_loop(*probe);
        }
        false
    }

    /// Blocks a thread that would do the same again; true if that is to be tried first.
    fn detect_spin(&mut self, slot: usize, operation: &Operation, image: u64) -> bool {
        let actor = &self.actors[slot];
        let (site, object) = (key(operation.site), operation.object);
        let is_same = |look: &Look| look.site == site && look.object == object;
        let Some(from) = actor.looks.iter().rposition(|look| is_same(look) && look.image == image) else {
            return false;
        };
        if !actor.looks[..from].iter().any(is_same) {
            return false;
        }
        let no_loops = self.shared.no_loops.lock().unwrap_or_else(PoisonError::into_inner);
        if no_loops.contains(&operation.site) {
            return false;
        }
        drop(no_loops);
        let spins: Vec<(u32, u32)> = actor.looks[from..].iter().map(|look| (look.object, look.version)).collect();
        let is_current = spins.iter().all(|&(object, version)| self.objects[object as usize].version == version);
        let history = actor.history;
        let mut probed = self.shared.probed.lock().unwrap_or_else(PoisonError::into_inner);
        let probes = probed.entry(site).or_default();
        let is_believed = *probes == PROBES;
        *probes += u32::from(is_current && !is_believed);
        drop(probed);
        let actor = &mut self.actors[slot];
        if is_current && !is_believed {
            self.is_probing = true;
            actor.probe = Some(Box::new(Probe { site: operation.site, object, image, rounds: 0, history, spins }));
            return true;
        }
        actor.spins = spins;
        false
    }

    /// A thread does a look.
    pub(crate) fn note_look(&mut self, slot: usize, operation: &Operation) {
        let version = self.objects[operation.object as usize].version;
        let actor = &mut self.actors[slot];
        let image = actor.image;
        actor.looks.push(Look { site: key(operation.site), object: operation.object, version, image });
    }
}
