//! Dining philosophers: a ring, each takes the left fork, then the right one, and puts them down in that order. All of
//! them with the left fork in hand is the deadlock.

use crate::Native;

/// A table with this many philosophers, at most 32.
#[derive(Clone)]
pub struct Dining(pub u32);

const HUNGRY: u64 = 0;
const HAS_LEFT: u64 = 1;
const EATS: u64 = 2;
const HAS_RIGHT: u64 = 3;

impl Dining {
    fn next(&self, seat: u32) -> u32 {
        if seat + 1 == self.0 { 0 } else { seat + 1 }
    }

    fn previous(&self, seat: u32) -> u32 {
        if seat == 0 { self.0 - 1 } else { seat - 1 }
    }
}

fn at(state: u64, seat: u32) -> u64 {
    state >> (2 * seat) & 3
}

impl Native for Dining {
    /// Two bits per philosopher. Who holds a fork follows from its two neighbours.
    type State = u64;

    fn start(&self) -> u64 {
        0
    }

    fn actions(&self, &state: &u64, mut each: impl FnMut(u32)) {
        for seat in 0..self.0 {
            let possible = match at(state, seat) {
                HUNGRY => !matches!(at(state, self.previous(seat)), EATS | HAS_RIGHT),
                HAS_LEFT => !matches!(at(state, self.next(seat)), HAS_LEFT | EATS),
                _ => true,
            };
            if possible {
                each(seat);
            }
        }
    }

    fn act(&self, state: &mut u64, seat: u32) {
        let after = (at(*state, seat) + 1) & 3;
        *state = *state & !(3 << (2 * seat)) | after << (2 * seat);
    }

    fn objects(&self, seat: u32) -> [u32; 2] {
        [seat, self.next(seat)]
    }
}
