//! How each state was reached, in about two bytes per state.
//!
//! States are numbered in the order in which they are found, and expanded in that order too. So the parents of
//! successive states never decrease, and what is kept of a state is how far its parent lies beyond the parent of the
//! state before it (mostly 0 or 1) and which of the parent's successors it is (mostly a small number), each in as many
//! bytes as it needs. A mark at every 64th state lets one be looked up without reading all before it.

use mazurka_core::{read_number, write_number};

/// The tree of first visits.
pub(crate) struct Ancestry {
    /// For each state that an execution begins with, which of the program's initial states it is.
    roots: Vec<usize>,
    children: usize,
    last_parent: u64,
    bytes: Vec<u8>,
    marks: Vec<Mark>,
}

/// Where reading can begin.
struct Mark {
    offset: usize,
    /// The parent before the first one that is read.
    parent: u64,
}

const MARK_EVERY: usize = 64;

impl Ancestry {
    /// No states yet.
    pub(crate) fn new() -> Self {
        Ancestry { roots: Vec::new(), children: 0, last_parent: 0, bytes: Vec::new(), marks: Vec::new() }
    }

    /// How many states there are: the number of the next one.
    pub(crate) fn len(&self) -> usize {
        self.roots.len() + self.children
    }

    /// Adds an initial state. They come before all others.
    pub(crate) fn push_root(&mut self, start: usize) {
        debug_assert_eq!(self.children, 0);
        self.roots.push(start);
    }

    /// Adds the successor of a state; `ordinal` says which one.
    pub(crate) fn push(&mut self, parent: u64, ordinal: u32) {
        debug_assert!(parent >= self.last_parent);
        if self.children.is_multiple_of(MARK_EVERY) {
            self.marks.push(Mark { offset: self.bytes.len(), parent: self.last_parent });
        }
        write_number(parent - self.last_parent, &mut self.bytes);
        write_number(ordinal.into(), &mut self.bytes);
        self.last_parent = parent;
        self.children += 1;
    }

    /// The initial state from which a state was reached, and which successor was taken at each step.
    pub(crate) fn path(&self, mut state: u64) -> (usize, Vec<u32>) {
        let mut ordinals = Vec::new();
        while let Some(child) = (state as usize).checked_sub(self.roots.len()) {
            let (parent, ordinal) = self.origin(child);
            ordinals.push(ordinal);
            state = parent;
        }
        ordinals.reverse();
        (self.roots[state as usize], ordinals)
    }

    /// The parent of a child, and which of its successors the child is.
    fn origin(&self, child: usize) -> (u64, u32) {
        let mark = &self.marks[child / MARK_EVERY];
        let mut bytes = &self.bytes[mark.offset..];
        let mut read = || read_number(&mut bytes).unwrap_or(0);
        let (mut parent, mut ordinal) = (mark.parent, 0);
        for _ in 0..=child % MARK_EVERY {
            parent += read();
            ordinal = read();
        }
        (parent, ordinal as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_traced_back_to_its_root() {
        let mut ancestry = Ancestry::new();
        ancestry.push_root(3);
        ancestry.push_root(5);
        let mut expected = vec![(3, vec![]), (5, vec![])];
        // Some states have many children, some have none.
        for parent in 0..2_000u64 {
            let children = if parent < 2 { 1_000 } else { parent % 3 };
            for child in 0..children {
                let ordinal = (child * child * parent) as u32;
                let (start, mut path) = expected[parent as usize].clone();
                path.push(ordinal);
                expected.push((start, path));
                ancestry.push(parent, ordinal);
            }
        }
        assert_eq!(ancestry.len(), expected.len());
        for (state, path) in expected.iter().enumerate() {
            assert_eq!(&ancestry.path(state as u64), path);
        }
    }

    #[test]
    fn numbers_may_have_more_than_32_bits() {
        let mut ancestry = Ancestry::new();
        for child in 0..100u64 {
            ancestry.push((child << 33) + child, child as u32);
        }
        assert!((0..100).all(|child| ancestry.origin(child) == (((child as u64) << 33) + child as u64, child as u32)));
    }
}
