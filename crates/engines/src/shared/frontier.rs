//! The states that wait to be expanded, first in, first out.
//!
//! They wait in batches, so that a batch can be expanded as one slice and its memory serves again.

use std::collections::VecDeque;

/// A queue of states.
pub(crate) struct Frontier<T> {
    /// The most states that are taken out at once.
    batch: usize,
    batches: VecDeque<Vec<T>>,
    len: usize,
    spare: Vec<Vec<T>>,
}

impl<T> Frontier<T> {
    /// Nothing waits. At most `batch` states will be taken out at once.
    pub(crate) fn new(batch: usize) -> Self {
        Frontier { batch, batches: VecDeque::new(), len: 0, spare: Vec::new() }
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether none waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a state behind all others.
    #[inline]
    pub(crate) fn push(&mut self, state: T) {
        self.len += 1;
        match self.batches.back_mut() {
            Some(batch) if batch.len() < self.batch => batch.push(state),
            _ => {
                let mut batch = self.spare.pop().unwrap_or_default();
                batch.push(state);
                self.batches.push_back(batch);
            }
        }
    }

    /// Takes the first batch out.
    pub(crate) fn take(&mut self) -> Option<Vec<T>> {
        let batch = self.batches.pop_front()?;
        self.len -= batch.len();
        Some(batch)
    }

    /// Gives the memory of a batch back.
    pub(crate) fn recycle(&mut self, mut batch: Vec<T>) {
        batch.clear();
        self.spare.push(batch);
    }
}
