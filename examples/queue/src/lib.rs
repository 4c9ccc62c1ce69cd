//! A bounded queue without locks, for one producer and one consumer.
//!
//! In production `mazurka_sync` is `std`, and costs nothing. The tests at the end turn on its feature `check`, and look at every
//! order of the two threads: `cargo test -p queue`.

use mazurka_sync::cell::UnsafeCell;
use mazurka_sync::sync::atomic::{AtomicUsize, Ordering};
use std::mem::MaybeUninit;
use std::sync::Arc;

struct Shared<T> {
    slots: Box<[UnsafeCell<MaybeUninit<T>>]>,
    /// How many items were taken, and how many were put in.
    head: AtomicUsize,
    tail: AtomicUsize,
}

// SAFETY: a slot is written by the producer while it is free, and read by the consumer while it is filled. Which of the two it is
// follows from `head` and `tail`, which are published with release and read with acquire.
unsafe impl<T: Send> Sync for Shared<T> {}
// SAFETY: the items go with it.
unsafe impl<T: Send> Send for Shared<T> {}

/// The end that puts items in.
pub struct Producer<T>(Arc<Shared<T>>);

/// The end that takes items out.
pub struct Consumer<T>(Arc<Shared<T>>);

/// A queue with room for this number of items.
///
/// # Panics
/// If there is room for none.
pub fn queue<T>(room: usize) -> (Producer<T>, Consumer<T>) {
    assert!(room > 0, "a queue has room for something");
    let slots = (0..room).map(|_| UnsafeCell::new(MaybeUninit::uninit())).collect();
    let shared = Arc::new(Shared { slots, head: AtomicUsize::new(0), tail: AtomicUsize::new(0) });
    (Producer(Arc::clone(&shared)), Consumer(shared))
}

impl<T> Producer<T> {
    /// Puts an item in, or gives it back if there is no room.
    pub fn push(&mut self, item: T) -> Result<(), T> {
        let Shared { slots, head, tail } = &*self.0;
        let next = tail.load(Ordering::Relaxed);
        if next - head.load(Ordering::Acquire) == slots.len() {
            return Err(item);
        }
        slots[next % slots.len()].with_mut(|slot| {
            // SAFETY: the consumer has left this slot, and does not come back before `tail` is published.
            unsafe { (*slot).write(item) };
        });
        tail.store(next + 1, Ordering::Release);
        Ok(())
    }
}

impl<T> Consumer<T> {
    /// Takes the oldest item out, if there is one.
    pub fn pop(&mut self) -> Option<T> {
        let Shared { slots, head, tail } = &*self.0;
        let next = head.load(Ordering::Relaxed);
        if next == tail.load(Ordering::Acquire) {
            return None;
        }
        let item = slots[next % slots.len()].with(|slot| {
            // SAFETY: the producer has filled this slot, and does not come back before `head` is published.
            unsafe { (*slot).assume_init_read() }
        });
        head.store(next + 1, Ordering::Release);
        Some(item)
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        let (head, tail) = (*self.head.get_mut(), *self.tail.get_mut());
        for filled in head..tail {
            let slot = filled % self.slots.len();
            // SAFETY: filled and not taken, and there is no other reference to the queue.
            unsafe { self.slots[slot].get_mut().assume_init_drop() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::queue;
    use mazurka_sync::thread;

    #[mazurka::test]
    fn items_come_out_once_and_in_order() {
        let (mut producer, mut consumer) = queue(2);
        let thread = thread::spawn(move || (1..=3).filter(|&item| producer.push(Box::new(item)).is_ok()).count());
        let mut taken: Vec<_> = (0..2).filter_map(|_| consumer.pop()).collect();
        let pushed = thread.join().expect("it does not panic");
        taken.extend(std::iter::from_fn(|| consumer.pop()));
        assert!(taken.is_sorted() && taken.len() == pushed);
    }

    #[mazurka::test]
    fn what_is_left_is_dropped() {
        let (mut producer, consumer) = queue(2);
        let thread = thread::spawn(move || drop(producer.push(String::from("left"))));
        drop(consumer);
        thread.join().expect("it does not panic");
    }

    /// Not a model: the doubles behave like `std`.
    #[test]
    fn it_works_on_real_threads() {
        let (mut producer, mut consumer) = queue(4);
        let thread = thread::spawn(move || {
            for mut item in 0..1000 {
                while let Err(back) = producer.push(item) {
                    item = back;
                    thread::yield_now();
                }
            }
        });
        let mut next = 0;
        while next < 1000 {
            match consumer.pop() {
                Some(item) => {
                    assert_eq!(item, next);
                    next += 1;
                }
                None => thread::yield_now(),
            }
        }
        thread.join().expect("it does not panic");
    }
}
