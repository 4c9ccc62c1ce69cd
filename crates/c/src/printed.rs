//! What a program prints along a schedule.
//!
//! While programs are explored, nothing is printed: arguments of `printf` are local, and no state holds a text. To see
//! what was printed, the schedule is run once more.

use crate::model::Model;
use crate::run::Run;
use mazurka_core::{ActorId, Move, Outcome, Schedule, Step, System, Violation};

/// What one execution came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// What it printed.
    pub output: Vec<u8>,
    /// What went wrong in it.
    pub violations: Vec<Violation>,
    /// Whether it went on until nothing could move.
    pub is_over: bool,
}

impl Model {
    /// What the program prints along a schedule.
    pub fn printed(&self, schedule: &Schedule) -> Printed {
        let mut moves = schedule.moves.iter().copied();
        self.print_along(|_| moves.next())
    }

    /// What the program prints if always the first actor that can move does, for at most so many steps.
    pub fn printed_alone(&self, most: usize) -> Printed {
        let mut steps = 0;
        self.print_along(|enabled| {
            steps += 1;
            let actor = *enabled.first().filter(|_| steps <= most)?;
            Some(Move { actor, outcome: Outcome::FIRST })
        })
    }

    fn print_along(&self, mut next: impl FnMut(&[ActorId]) -> Option<Move>) -> Printed {
        let mut step = Step::default();
        step.begin(Outcome::FIRST);
        let mut output = Vec::new();
        let mut state = self.start_with(&mut step, &mut output);
        let mut violations = step.violations().to_vec();
        let mut enabled = Vec::new();
        loop {
            enabled.clear();
            self.enabled(&state, &mut enabled);
            let Some(chosen) = next(&enabled) else { break };
            let Ok(index) = self.view(&state).find(chosen.actor.0) else { break };
            step.begin(chosen.outcome);
            let mut run = Run::new(self, &mut state, &mut step, index);
            run.output = Some(&mut output);
            run.step();
            violations.extend_from_slice(step.violations());
        }
        Printed { output, violations, is_over: enabled.is_empty() }
    }
}
