//! The numbers of states by their hashes.
//!
//! One word per state: half of its hash, and its number. A lookup of an unknown state mostly reads one place of memory,
//! that of a known one two, the second being the state's row. A table is searched by linear probing from the home slot of a
//! hash. That slot grows with the hash, so a table grows by being copied from one end to the other, without reading the
//! rows.

use super::nodes::NodeId;

/// The table. An empty slot holds 0.
pub(super) struct Numbers {
    slots: Vec<u64>,
    len: usize,
}

const SMALLEST: usize = 64;

/// The half of a hash that is kept.
fn tag(slot: u64) -> u64 {
    slot >> 32
}

impl Numbers {
    pub(super) fn new() -> Self {
        Numbers { slots: vec![0; SMALLEST], len: 0 }
    }

    /// The number with this hash that is the right one.
    #[inline]
    pub(super) fn find(&self, hash: u64, is_right: impl Fn(NodeId) -> bool) -> Option<NodeId> {
        let mut index = self.home(tag(hash));
        loop {
            match self.slots.get(index) {
                Some(0) => return None,
                Some(&slot) => {
                    let id = NodeId(slot as u32 - 1);
                    if tag(slot) == tag(hash) && is_right(id) {
                        return Some(id);
                    }
                    index += 1;
                }
                None => index = 0,
            }
        }
    }

    /// Adds a number that is not there.
    pub(super) fn add(&mut self, hash: u64, id: NodeId) {
        // Full at 3/4: beyond that, a search for what is not there becomes long.
        if self.len * 4 >= self.slots.len() * 3 {
            let old = std::mem::take(&mut self.slots);
            self.slots = vec![0; old.len() * 2];
            old.into_iter().filter(|&slot| slot != 0).for_each(|slot| self.put(slot));
        }
        self.put(tag(hash) << 32 | u64::from(id.0 + 1));
        self.len += 1;
    }

    fn put(&mut self, slot: u64) {
        let mut index = self.home(tag(slot));
        loop {
            match self.slots.get_mut(index) {
                Some(free @ 0) => {
                    *free = slot;
                    return;
                }
                Some(_) => index += 1,
                None => index = 0,
            }
        }
    }

    /// The home slot of this half of a hash.
    fn home(&self, tag: u64) -> usize {
        ((tag * self.slots.len() as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_hashes_alike_ones_too() {
        let mut numbers = Numbers::new();
        // Three states of every four have the same hash, and some stand at the very end.
        let hash = |id: u32| {
            (u64::from(id) / 4 * 3).wrapping_mul(0x9E37_79B9_7F4A_7C15) | u64::from(id.is_multiple_of(8)) << 63
        };
        for id in 0..10_000 {
            assert_eq!(numbers.find(hash(id), |found| found == NodeId(id)), None);
            numbers.add(hash(id), NodeId(id));
        }
        for id in 0..10_000 {
            assert_eq!(numbers.find(hash(id), |found| found == NodeId(id)), Some(NodeId(id)));
        }
        assert_eq!(numbers.find(12_345, |_| false), None);
    }
}
