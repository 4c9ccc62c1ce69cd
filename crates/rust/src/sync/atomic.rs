//! Doubles of `std::sync::atomic`.
//!
//! A value is kept by the execution, so what was made before the closure ran (a static, say) has its first value again in each
//! execution. Two stores of the same value differ if they are releases, so while a program has cells a store is a write
//! even if it changes nothing.

use crate::exec::{Exec, Shape, is_running, mix, perform, with};
use crate::handle::Handle;
use crate::memory::{acquires, releases};
use crate::names::{Kind, Site};
use crate::operation::{Operation, Verb};
use crate::spin::{Frame, frame};
use mazurka_core::Access;
use std::fmt;
use std::panic::Location;
pub use std::sync::atomic::Ordering;

/// A fence between this thread's operations before and after.
#[track_caller]
pub fn fence(order: Ordering) {
    std::sync::atomic::fence(order);
    if is_running() {
        let site = Location::caller();
        with(|exec| {
            // A loop that is run on leaves nothing behind.
            if !exec.is_same_round(false) {
                exec.note_order(order, site);
                exec.fence(order);
            }
        });
    }
}

/// A fence for the compiler only. Nothing is reordered in a model.
pub fn compiler_fence(order: Ordering) {
    std::sync::atomic::compiler_fence(order);
}

/// Numbers that look like addresses differ from execution to execution.
fn is_address(bits: u64) -> bool {
    cfg!(target_pointer_width = "64") && (1 << 40..1 << 47).contains(&bits)
}

/// What an atomic is to an execution: a word and how it is shown.
#[derive(Clone, Copy)]
struct Word {
    bits: u64,
    shape: Shape,
}

impl Word {
    fn init(self, exec: &mut Exec, object: u32) {
        let object = &mut exec.objects[object as usize];
        (object.bits, object.shape) = (self.bits, self.shape);
        // The first value is not told apart by its address: it follows from what the creator has seen.
        let named = if self.shape == Shape::Pointer && self.bits != 0 || is_address(self.bits) { 1 } else { self.bits };
        object.value = mix(u128::from(named), 0x51);
    }
}

impl Handle {
    fn atomic(&self, exec: &mut Exec, word: Word, site: Site) -> u32 {
        let object = self.object(exec, Kind::Atomic, site, |exec, object| word.init(exec, object));
        if exec.objects.get(object as usize).is_some_and(|object| object.is_lent) {
            // What was written meanwhile, no other thread has seen.
            word.init(exec, object);
            exec.objects[object as usize].is_lent = false;
        }
        object
    }
}

/// The present thread saw the value of an atomic.
fn looked(exec: &mut Exec, object: u32, order: Ordering, site: Site) {
    exec.touch(object, Access::READ);
    exec.note_order(order, site);
    exec.acquire(object, order);
    exec.note_read(object, order, site);
    exec.saw_value(object);
}

/// The present thread stores into an atomic.
fn put(exec: &mut Exec, object: u32, bits: u64, order: Ordering, site: Site, updates: bool) {
    let is_changed = exec.objects[object as usize].bits != bits;
    let is_write = is_changed || exec.has_cells;
    exec.touch(object, if is_write { Access::WRITE } else { Access::REWRITE });
    let history = exec.actors[exec.current].history;
    let it = &mut exec.objects[object as usize];
    it.bits = bits;
    let is_named = it.shape == Shape::Pointer && bits != 0 || is_address(bits);
    if is_changed {
        it.version += 1;
        it.value = mix(if is_named { history } else { u128::from(bits) }, 0x51);
        exec.actors[exec.current].looks.clear();
    }
    exec.release(object, order, updates);
    exec.note_stored(object, order, site);
}

#[inline(never)]
fn load(handle: &Handle, word: Word, order: Ordering, site: Site, frame: &Frame) -> u64 {
    let object = with(|exec| handle.atomic(exec, word, site));
    let is_live = perform(Operation::new(Verb::Load, object, Access::READ, site), Some(frame));
    with(|exec| {
        if is_live && !exec.is_same_round(false) {
            looked(exec, object, order, site);
        }
        exec.objects.get(object as usize).map_or(word.bits, |object| object.bits)
    })
}

#[inline(never)]
fn store(handle: &Handle, word: Word, bits: u64, order: Ordering, site: Site) {
    let object = with(|exec| handle.atomic(exec, word, site));
    let is_live = perform(Operation::new(Verb::Store, object, Access::WRITE, site), None);
    with(|exec| {
        if is_live {
            exec.note_order(order, site);
            put(exec, object, bits, order, site, false);
        }
    });
}

/// Both orderings of an operation that may fail.
#[derive(Clone, Copy)]
struct Orders {
    success: Ordering,
    failure: Ordering,
}

#[inline(never)]
fn update(
    handle: &Handle,
    word: Word,
    orders: Orders,
    site: Site,
    frame: &Frame,
    change: &mut dyn FnMut(u64) -> Option<u64>,
) -> Result<u64, u64> {
    let object = with(|exec| handle.atomic(exec, word, site));
    let is_live = perform(Operation::new(Verb::Update, object, Access::READ_WRITE, site), Some(frame));
    let old = with(|exec| exec.objects.get(object as usize).map_or(word.bits, |object| object.bits));
    let new = change(old);
    with(|exec| {
        if !is_live || exec.is_same_round(new.is_some_and(|new| new != old)) {
            return;
        }
        looked(exec, object, if new.is_some() { orders.success } else { orders.failure }, site);
        if let Some(new) = new {
            put(exec, object, new, orders.success, site, true);
        }
    });
    if new.is_some() { Ok(old) } else { Err(old) }
}

#[track_caller]
fn check_load(order: Ordering) {
    let is_fit = order == Ordering::Relaxed || acquires(order) && order != Ordering::AcqRel;
    assert!(is_fit, "there is no such thing as a load with {order:?}");
}

#[track_caller]
fn check_store(order: Ordering) {
    let is_fit = order == Ordering::Relaxed || releases(order) && order != Ordering::AcqRel;
    assert!(is_fit, "there is no such thing as a store with {order:?}");
}

macro_rules! atomic {
    ($(#[$doc:meta])* $name:ident [$($generic:ident)?], $type:ty, $shape:ident, |$value:ident| $bits:expr, |$word:ident| $back:expr) => {
        $(#[$doc])*
        pub struct $name $(<$generic>)? {
            handle: Handle,
            real: std::sync::atomic::$name $(<$generic>)?,
        }

        impl $(<$generic>)? $name $(<$generic>)? {
            /// A new atomic.
            #[track_caller]
            pub fn new($value: $type) -> Self {
                let bits = $bits;
                let site = Location::caller();
                let word = Word { bits, shape: Shape::$shape };
                let handle = Handle::new(Kind::Atomic, site, |exec, object| word.init(exec, object));
                $name { handle, real: std::sync::atomic::$name::new($value) }
            }

            #[inline]
            fn word(&self) -> Word {
                let $value = self.real.load(Ordering::Relaxed);
                Word { bits: $bits, shape: Shape::$shape }
            }

            /// As `std` has it.
            #[track_caller]
            #[inline(always)]
            pub fn load(&self, order: Ordering) -> $type {
                if !is_running() {
                    return self.real.load(order);
                }
                check_load(order);
                let $word = load(&self.handle, self.word(), order, Location::caller(), &frame());
                $back
            }

            /// As `std` has it.
            #[track_caller]
            #[inline(always)]
            pub fn store(&self, $value: $type, order: Ordering) {
                if !is_running() {
                    return self.real.store($value, order);
                }
                check_store(order);
                store(&self.handle, self.word(), $bits, order, Location::caller());
            }

            /// As `std` has it.
            #[track_caller]
            #[inline(always)]
            pub fn swap(&self, $value: $type, order: Ordering) -> $type {
                if !is_running() {
                    return self.real.swap($value, order);
                }
                let orders = Orders { success: order, failure: order };
                let (Ok($word) | Err($word)) =
                    update(&self.handle, self.word(), orders, Location::caller(), &frame(), &mut |_| Some($bits));
                $back
            }

            /// As `std` has it.
            #[track_caller]
            #[inline(always)]
            pub fn compare_exchange(
                &self,
                current: $type,
                new: $type,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$type, $type> {
                if !is_running() {
                    return self.real.compare_exchange(current, new, success, failure);
                }
                check_load(failure);
                let orders = Orders { success, failure };
                let expected = { let $value = current; $bits };
                let wanted = { let $value = new; $bits };
                let updated = update(&self.handle, self.word(), orders, Location::caller(), &frame(), &mut |old| {
                    (old == expected).then_some(wanted)
                });
                match updated {
                    Ok($word) => Ok($back),
                    Err($word) => Err($back),
                }
            }

            /// As `std` has it. It never fails without a reason.
            #[track_caller]
            #[inline(always)]
            pub fn compare_exchange_weak(
                &self,
                current: $type,
                new: $type,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$type, $type> {
                self.compare_exchange(current, new, success, failure)
            }

            /// As `std` has it.
            #[deprecated = "use `compare_exchange`, as with std"]
            #[track_caller]
            #[inline(always)]
            pub fn compare_and_swap(&self, current: $type, new: $type, order: Ordering) -> $type {
                let failure = match order {
                    Ordering::AcqRel => Ordering::Acquire,
                    Ordering::Release => Ordering::Relaxed,
                    order => order,
                };
                let (Ok(old) | Err(old)) = self.compare_exchange(current, new, order, failure);
                old
            }

            /// As `std` has it: a load, and then attempts to exchange until one succeeds.
            #[track_caller]
            #[inline(always)]
            pub fn fetch_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut change: impl FnMut($type) -> Option<$type>,
            ) -> Result<$type, $type> {
                let mut seen = self.load(fetch_order);
                while let Some(new) = change(seen) {
                    match self.compare_exchange(seen, new, set_order, fetch_order) {
                        done @ Ok(_) => return done,
                        Err(other) => seen = other,
                    }
                }
                Err(seen)
            }

            /// The value, where there can be no other reference.
            pub fn into_inner(mut self) -> $type {
                *self.get_mut()
            }

            /// A reference, while there can be no other. What is written through it is seen by later operations.
            #[track_caller]
            pub fn get_mut(&mut self) -> &mut $type {
                if is_running() {
                    let (word, site) = (self.word(), Location::caller());
                    let $word = with(|exec| {
                        let object = self.handle.atomic(exec, word, site);
                        exec.objects.get_mut(object as usize).map_or(word.bits, |object| {
                            object.is_lent = true;
                            object.bits
                        })
                    });
                    *self.real.get_mut() = $back;
                }
                self.real.get_mut()
            }
        }

        impl $(<$generic>)? fmt::Debug for $name $(<$generic>)? {
            /// As `std` has it: what a relaxed load reads.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.load(Ordering::Relaxed), f)
            }
        }

        impl $(<$generic>)? From<$type> for $name $(<$generic>)? {
            #[track_caller]
            fn from(value: $type) -> Self {
                $name::new(value)
            }
        }
    };
}

macro_rules! fetch {
    ($name:ident, $type:ty, |$value:ident| $bits:expr, |$word:ident| $back:expr, $($method:ident: |$old:ident, $operand:ident| $new:expr;)+) => {
        impl $name {
            $(
                /// As `std` has it.
                #[track_caller]
                #[inline(always)]
                pub fn $method(&self, $operand: $type, order: Ordering) -> $type {
                    if !is_running() {
                        return self.real.$method($operand, order);
                    }
                    let orders = Orders { success: order, failure: order };
                    let (Ok($word) | Err($word)) =
                        update(&self.handle, self.word(), orders, Location::caller(), &frame(), &mut |$word| {
                            let $old: $type = $back;
                            let $value: $type = $new;
                            Some($bits)
                        });
                    $back
                }
            )+
        }
    };
}

macro_rules! number {
    ($name:ident, $type:ty, $shape:ident, |$value:ident| $bits:expr) => {
        atomic!(
            /// The double of the atomic of this name.
            $name [], $type, $shape, |$value| $bits, |word| word as $type
        );
        fetch! { $name, $type, |$value| $bits, |word| word as $type,
            fetch_add: |old, by| old.wrapping_add(by);
            fetch_sub: |old, by| old.wrapping_sub(by);
            fetch_and: |old, by| old & by;
            fetch_nand: |old, by| !(old & by);
            fetch_or: |old, by| old | by;
            fetch_xor: |old, by| old ^ by;
            fetch_max: |old, by| old.max(by);
            fetch_min: |old, by| old.min(by);
        }

        impl Default for $name {
            #[track_caller]
            fn default() -> Self {
                $name::new(0)
            }
        }
    };
}

number!(AtomicU8, u8, Unsigned, |value| u64::from(value));
number!(AtomicU16, u16, Unsigned, |value| u64::from(value));
number!(AtomicU32, u32, Unsigned, |value| u64::from(value));
number!(AtomicU64, u64, Unsigned, |value| value);
number!(AtomicUsize, usize, Unsigned, |value| value as u64);
number!(AtomicI8, i8, Signed, |value| i64::from(value) as u64);
number!(AtomicI16, i16, Signed, |value| i64::from(value) as u64);
number!(AtomicI32, i32, Signed, |value| i64::from(value) as u64);
number!(AtomicI64, i64, Signed, |value| value as u64);
number!(AtomicIsize, isize, Signed, |value| value as u64);
atomic!(
    /// The double of the atomic of this name.
    AtomicBool [], bool, Bool, |value| u64::from(value), |word| word != 0
);
fetch! { AtomicBool, bool, |value| u64::from(value), |word| word != 0,
    fetch_and: |old, by| old & by;
    fetch_nand: |old, by| !(old & by);
    fetch_or: |old, by| old | by;
    fetch_xor: |old, by| old ^ by;
}
impl AtomicBool {
    /// As `std` has it.
    #[track_caller]
    #[inline(always)]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}

atomic!(
    /// The double of the atomic of this name. Addresses differ from execution to execution, so a pointer is known by who stored it.
    AtomicPtr [T], *mut T, Pointer, |value| value as usize as u64, |word| word as usize as *mut T
);

impl Default for AtomicBool {
    #[track_caller]
    fn default() -> Self {
        AtomicBool::new(false)
    }
}

impl<T> Default for AtomicPtr<T> {
    #[track_caller]
    fn default() -> Self {
        AtomicPtr::new(std::ptr::null_mut())
    }
}
