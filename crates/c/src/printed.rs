//! What is noted of an execution for people: what it prints, and who freed what.
//!
//! While programs are explored, nothing is noted: arguments of `printf` are local, and no state holds a text. To see
//! what happened, the schedule is run once more.

use crate::memory::{offset, space};
use crate::model::Model;
use crate::run::Run;
use mazurka_core::{ActorId, Move, Outcome, Schedule, Step, System, Violation};

/// What is noted while an execution runs.
#[derive(Debug, Default)]
pub(crate) struct Witness {
    /// What the program prints.
    pub(crate) output: Vec<u8>,
    /// The blocks that were freed: where they were, their sizes, who did it, and the place in the code.
    pub(crate) freed: Vec<(u64, u64, u32, u32)>,
    /// The address of freed memory that was used last.
    pub(crate) used: Option<u64>,
}

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

    /// What the program prints if always the first actor that can move does, for at most this many steps.
    pub fn printed_alone(&self, most: usize) -> Printed {
        let mut steps = 0;
        self.print_along(|enabled| {
            steps += 1;
            let actor = *enabled.first().filter(|_| steps <= most)?;
            Some(Move { actor, outcome: Outcome::FIRST })
        })
    }

    fn print_along(&self, next: impl FnMut(&[ActorId]) -> Option<Move>) -> Printed {
        let (witness, violations, is_over) = self.witness(next, |_| {});
        Printed { output: witness.output, violations, is_over }
    }

    /// What each step of a schedule prints; what is printed before the first one counts to that.
    pub(crate) fn printed_by_steps(&self, schedule: &Schedule) -> Vec<String> {
        let mut moves = schedule.moves.iter().copied();
        let (mut printed, mut before) = (Vec::with_capacity(schedule.moves.len()), 0);
        self.witness(
            |_| moves.next(),
            |witness| {
                printed.push(String::from_utf8_lossy(&witness.output[before..]).into_owned());
                before = witness.output.len();
            },
        );
        printed
    }

    /// Where memory was freed that is used at the end of a schedule.
    pub(crate) fn where_freed(&self, schedule: &Schedule) -> Option<String> {
        let mut moves = schedule.moves.iter().copied();
        let (witness, ..) = self.witness(|_| moves.next(), |_| {});
        let used = witness.used?;
        let holds = |&&(at, size, ..): &&(u64, u64, u32, u32)| {
            space(at) == space(used) && (offset(at)..offset(at) + size.max(1)).contains(&offset(used))
        };
        let &(at, _, actor, pc) = witness.freed.iter().rev().find(holds)?;
        let place = self.location(pc).map_or_else(String::new, |place| format!(" ({place})"));
        let block = crate::words::block_name(self, at);
        Some(format!("{} freed {block}{place}", crate::words::actor_name(self, actor)))
    }

    /// Runs an execution, and looks at what was noted after each step.
    fn witness(
        &self,
        mut next: impl FnMut(&[ActorId]) -> Option<Move>,
        mut look: impl FnMut(&Witness),
    ) -> (Witness, Vec<Violation>, bool) {
        let mut step = Step::default();
        step.begin(Outcome::FIRST);
        let mut witness = Witness::default();
        let mut state = self.start_with(&mut step, &mut witness);
        let mut violations = step.violations().to_vec();
        let mut enabled = Vec::new();
        loop {
            enabled.clear();
            self.enabled(&state, &mut enabled);
            let Some(chosen) = next(&enabled) else { break };
            let Ok(index) = self.view(&state).find(chosen.actor.0) else { break };
            step.begin(chosen.outcome);
            Run::new(self, &mut state, &mut step, index).step_with(&mut witness);
            violations.extend_from_slice(step.violations());
            look(&witness);
        }
        (witness, violations, enabled.is_empty())
    }
}
