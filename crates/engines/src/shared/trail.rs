//! The places of the current path, to come back to.
//!
//! A mark for each place would be enough, but a path of a hundred thousand steps of a program with large states must fit
//! into memory as well. So only the last places are all marked; of those further back every 64th is. A search that goes
//! back that far takes at most 63 steps again, marks what it passes, and has the marks of all of them as it goes on going
//! back. So nothing is run again on paths of usual length, and on longer ones about one step for each that is taken back.

use mazurka_core::{Machine, Move};

/// How many of the last places are all marked.
const WINDOW: usize = 1024;
/// Of the others, every one at a multiple of this is.
const STRIDE: usize = 64;

/// The places of a path, by the number of steps that lead there.
pub(crate) struct Trail<M> {
    marks: Vec<Option<M>>,
    /// Marks that are no longer needed and whose room serves again.
    spare: Vec<M>,
}

impl<K> Trail<K> {
    /// No places yet.
    pub(crate) fn new() -> Self {
        Trail { marks: Vec::new(), spare: Vec::new() }
    }

    /// Adds the place where a machine stands, after this many steps.
    pub(crate) fn save<M: Machine<Mark = K>>(&mut self, steps: usize, machine: &M) {
        self.truncate(steps);
        self.marks.resize_with(steps, || None);
        let mark = match self.spare.pop() {
            Some(mut mark) => {
                machine.mark_again(&mut mark);
                mark
            }
            None => machine.mark(),
        };
        self.marks.push(Some(mark));
        if let Some(old) = steps.checked_sub(WINDOW)
            && !old.is_multiple_of(STRIDE)
        {
            self.marks[old] = None;
        }
    }

    /// The places up to the one after this many steps, for another search.
    pub(crate) fn up_to(&self, steps: usize) -> Self
    where
        K: Clone,
    {
        Trail { marks: self.marks[..=steps].to_vec(), spare: Vec::new() }
    }

    fn truncate(&mut self, len: usize) {
        while self.marks.len() > len {
            if let Some(Some(mark)) = self.marks.pop()
                && self.spare.len() < STRIDE
            {
                self.spare.push(mark);
            }
        }
    }

    /// Brings a machine to the place after this many of the moves of the path, and keeps all marks: for a look, not to go
    /// back.
    pub(crate) fn visit<M: Machine<Mark = K>>(&self, steps: usize, moves: &[Move], machine: &mut M) {
        let Some(marked) = self.marks[..=steps].iter().rposition(Option::is_some) else { return };
        if let Some(mark) = &self.marks[marked] {
            machine.rewind(mark);
        }
        for &step in &moves[marked..steps] {
            machine.step(step);
        }
    }

    /// Brings a machine to the place after this many of the moves of the path.
    pub(crate) fn rewind<M: Machine<Mark = K>>(&mut self, steps: usize, moves: &[Move], machine: &mut M) {
        self.truncate(steps + 1);
        let Some(marked) = self.marks.iter().rposition(Option::is_some) else { return };
        if let Some(mark) = &self.marks[marked] {
            machine.rewind(mark);
        }
        for (mark, &step) in self.marks[marked + 1..].iter_mut().zip(&moves[marked..steps]) {
            machine.step(step);
            *mark = Some(machine.mark());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::Chain;
    use mazurka_core::{ActorId, Stepper, System};

    #[test]
    fn every_place_of_a_long_path_is_found_again_with_few_marks() {
        let chain = Chain(10_000);
        let mut machine = Stepper::new(&chain, chain.initial_states()[0]);
        let (mut trail, mut moves) = (Trail::new(), Vec::new());
        for steps in 0..5000u32 {
            trail.save(steps as usize, &machine);
            let step = Move::from(ActorId(steps % 2));
            machine.step(step);
            moves.push(step);
        }
        let marked = trail.marks.iter().filter(|mark| mark.is_some()).count();
        assert!(marked < WINDOW + 5000 / STRIDE + 2, "{marked} marks");
        for steps in (0..5000).rev().step_by(7) {
            trail.rewind(steps, &moves, &mut machine);
            assert_eq!(*machine.state() as usize, steps);
        }
    }
}
