//! The states that wait to be expanded, first in, first out.
//!
//! They wait in [`Chunk`]s. Where the program packs its states, a chunk holds bytes: of each state what differs from the
//! one before it, a few dozen bytes instead of an allocation of its own. Whoever reads a chunk has one state in full at a
//! time. The first state of a chunk is packed against the program's first initial state, so chunks can be written and read
//! by different threads, and in any order. Where states cannot be packed, they wait as they are.

use mazurka_core::System;
use std::collections::VecDeque;
use std::hash::Hash;

/// How a program's states wait.
pub(crate) struct Packing<'a, S: System> {
    system: &'a S,
    /// What the first state of a chunk is packed against. `None` if states wait as they are.
    origin: Option<S::State>,
}

impl<'a, S: System> Packing<'a, S> {
    /// Packs the states, if the program can.
    pub(crate) fn new(system: &'a S) -> Self {
        let origin = if system.insight().packs() { system.initial_states().into_iter().next() } else { None };
        Packing { system, origin }
    }
}

/// States that follow each other.
pub(crate) struct Chunk<T> {
    form: Form<T>,
    /// How many there are, with those that are left out.
    all: usize,
    /// The indices of the states that are left out, in order.
    left_out: Vec<u32>,
}

enum Form<T> {
    Packed(Box<[u8]>),
    Plain(Vec<T>),
}

impl<T: Clone> Chunk<T> {
    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.all - self.left_out.len()
    }

    /// Shows the states one after the other. Those that are packed are made in `place`.
    pub(crate) fn read<'c, S: System<State = T>>(
        &'c self,
        packing: &'c Packing<'_, S>,
        place: &'c mut Option<T>,
    ) -> Reader<'c, S> {
        let bytes = match &self.form {
            Form::Packed(bytes) => &bytes[..],
            Form::Plain(_) => &[],
        };
        if let Some(origin) = &packing.origin {
            copy_into(place, origin);
        }
        Reader { packing, chunk: self, next: 0, left_out: &self.left_out, bytes, place }
    }
}

/// Reads a chunk.
pub(crate) struct Reader<'c, S: System> {
    packing: &'c Packing<'c, S>,
    chunk: &'c Chunk<S::State>,
    next: usize,
    left_out: &'c [u32],
    bytes: &'c [u8],
    place: &'c mut Option<S::State>,
}

impl<S: System> Reader<'_, S> {
    /// The next state.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<&S::State> {
        while let Some((&first, rest)) = self.left_out.split_first()
            && first as usize == self.next
        {
            self.left_out = rest;
            self.pass()?;
        }
        self.pass()?;
        match &self.chunk.form {
            Form::Plain(states) => states.get(self.next - 1),
            Form::Packed(_) => self.place.as_ref(),
        }
    }

    /// Goes on by one state.
    #[inline]
    fn pass(&mut self) -> Option<()> {
        if self.next == self.chunk.all {
            return None;
        }
        self.next += 1;
        if let Form::Packed(_) = self.chunk.form {
            let is_whole = self.packing.system.insight().unpack(&mut self.bytes, self.place.as_mut()?);
            assert!(is_whole, "a state is unpacked as it was packed");
        }
        Some(())
    }
}

/// A queue of states.
pub(crate) struct Frontier<T> {
    /// The most states of a chunk.
    most: usize,
    chunks: VecDeque<Chunk<T>>,
    /// The states behind those in chunks: one after the other, or packed.
    plain: Vec<T>,
    packed: Vec<u8>,
    open: usize,
    /// The state that was packed last.
    last: Option<T>,
    len: usize,
}

impl<T: Clone + Hash> Frontier<T> {
    /// Nothing waits. A chunk will have at most this many states.
    pub(crate) fn new(most: usize) -> Self {
        let (chunks, plain, packed) = (VecDeque::new(), Vec::new(), Vec::new());
        Frontier { most, chunks, plain, packed, open: 0, last: None, len: 0 }
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether none waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a state behind all others. Mostly another state is left in its place, whose memory can serve again.
    #[inline]
    pub(crate) fn push<S: System<State = T>>(&mut self, packing: &Packing<'_, S>, state: &mut Option<T>) {
        if self.open == self.most {
            self.close();
        }
        match &packing.origin {
            None => self.plain.extend(state.take()),
            Some(origin) => {
                if self.open == 0 {
                    copy_into(&mut self.last, origin);
                }
                if let (Some(state), Some(last)) = (&*state, &self.last) {
                    packing.system.insight().pack(state, last, &mut self.packed);
                }
                std::mem::swap(&mut self.last, state);
            }
        }
        self.open += 1;
        self.len += 1;
    }

    /// Ends a chunk.
    fn close(&mut self) {
        if self.open > 0 {
            let form = if self.plain.is_empty() {
                let bytes = self.packed.as_slice().into();
                self.packed.clear();
                Form::Packed(bytes)
            } else {
                Form::Plain(std::mem::take(&mut self.plain))
            };
            self.chunks.push_back(Chunk { form, all: std::mem::take(&mut self.open), left_out: Vec::new() });
        }
    }

    /// Leaves states out, which were put here since it was empty. Their places are told in order.
    pub(crate) fn leave_out(&mut self, places: &[u32]) {
        if places.is_empty() {
            return;
        }
        self.close();
        for &place in places {
            let (chunk, index) = (place as usize / self.most, place as usize % self.most);
            self.chunks[chunk].left_out.push(index as u32);
        }
        self.len -= places.len();
    }

    /// Takes all states of another queue over, behind its own.
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.close();
        other.close();
        self.chunks.append(&mut other.chunks);
        self.len += std::mem::take(&mut other.len);
    }

    /// Takes the first chunk out.
    pub(crate) fn take(&mut self) -> Option<Chunk<T>> {
        if self.chunks.is_empty() {
            self.close();
        }
        let chunk = self.chunks.pop_front()?;
        self.len -= chunk.len();
        Some(chunk)
    }
}

/// A copy of a state, in the memory of an earlier copy if there is one.
#[inline]
pub(crate) fn copy_into<'t, T: Clone>(place: &'t mut Option<T>, state: &T) -> &'t mut T {
    match place {
        Some(copy) => {
            copy.clone_from(state);
            copy
        }
        None => place.insert(state.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::{Chain, Counters};
    use mazurka_core::{ActorId, Insight, Step};

    /// Counters whose states are packed.
    struct Packed(Counters);

    impl System for Packed {
        type State = Vec<u8>;

        fn initial_states(&self) -> Vec<Vec<u8>> {
            self.0.initial_states()
        }

        fn enabled(&self, state: &Vec<u8>, into: &mut Vec<ActorId>) {
            self.0.enabled(state, into);
        }

        fn step(&self, state: &mut Vec<u8>, actor: ActorId, step: &mut Step) {
            self.0.step(state, actor, step);
        }

        fn insight(&self) -> &dyn Insight<Vec<u8>> {
            self
        }
    }

    impl Insight<Vec<u8>> for Packed {
        fn packs(&self) -> bool {
            true
        }

        fn pack(&self, state: &Vec<u8>, before: &Vec<u8>, into: &mut Vec<u8>) {
            into.extend(state.iter().zip(before).map(|(new, old)| new.wrapping_sub(*old)));
        }

        fn unpack(&self, bytes: &mut &[u8], state: &mut Vec<u8>) -> bool {
            let Some((differences, rest)) = bytes.split_at_checked(state.len()) else { return false };
            state.iter_mut().zip(differences).for_each(|(cell, by)| *cell = cell.wrapping_add(*by));
            *bytes = rest;
            true
        }
    }

    /// Puts states in, some of them by way of another queue, and takes all out again.
    fn come_out_in_order<S: System>(system: &S, states: &[S::State])
    where
        S::State: std::fmt::Debug,
    {
        let packing = Packing::new(system);
        let (mut queue, mut other) = (Frontier::new(7), Frontier::new(5));
        for (index, state) in states.iter().enumerate() {
            let into = if index % 40 < 20 { &mut queue } else { &mut other };
            into.push(&packing, &mut Some(state.clone()));
            if index % 40 == 39 {
                queue.append(&mut other);
            }
        }
        queue.append(&mut other);
        assert_eq!((queue.len(), other.len()), (states.len(), 0));
        let (mut place, mut out) = (None, Vec::new());
        while let Some(chunk) = queue.take() {
            let mut reader = chunk.read(&packing, &mut place);
            let before = out.len();
            while let Some(state) = reader.next() {
                out.push(state.clone());
            }
            assert_eq!(out.len() - before, chunk.len());
        }
        assert!(queue.is_empty() && out == states);
    }

    #[test]
    fn states_that_are_left_out_do_not_come_out() {
        let states: Vec<Vec<u8>> = (0..100u8).map(|number| vec![number, 255 - number]).collect();
        let packed = Packed(Counters { actors: 2, steps: 9, shared: false });
        let packing = Packing::new(&packed);
        let mut queue = Frontier::new(8);
        states.iter().for_each(|state| queue.push(&packing, &mut Some(state.clone())));
        let left_out = [0, 1, 7, 8, 31, 32, 40, 41, 42, 43, 44, 45, 46, 47, 99];
        queue.leave_out(&left_out);
        assert_eq!(queue.len(), 100 - left_out.len());
        let (mut place, mut out) = (None, Vec::new());
        while let Some(chunk) = queue.take() {
            let (mut reader, before) = (chunk.read(&packing, &mut place), out.len());
            while let Some(state) = reader.next() {
                out.push(u32::from(state[0]));
            }
            assert_eq!(out.len() - before, chunk.len());
        }
        assert!(queue.is_empty() && out.into_iter().eq((0..100).filter(|number| !left_out.contains(number))));
    }

    #[test]
    fn states_come_out_in_the_order_in_which_they_went_in() {
        come_out_in_order(&Chain(9), &(0..100).collect::<Vec<u32>>());
        let states: Vec<Vec<u8>> = (0..100u8).map(|number| vec![number, number / 3, 255 - number]).collect();
        come_out_in_order(&Packed(Counters { actors: 3, steps: 9, shared: false }), &states);
    }
}
