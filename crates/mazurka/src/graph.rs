//! All states of a small program: a plain breadth-first walk, for a picture and not for a verdict.

use mazurka_core::{ActorId, Ending, Fingerprint, Move, Outcome, Schedule, Step, Stepper, System, Value};
use mazurka_report::graph::{Edge, Mark, Node, StateGraph};
use rustc_hash::FxHashMap;

/// A picture with more steps per state than this shows nothing.
const STEPS_PER_STATE: usize = 16;

/// The state graph of a program with at most `most` states, with the paths of these schedules; `None` if there are more.
pub(crate) fn walk<S: System>(system: &S, schedules: &[&Schedule], most: usize) -> Option<StateGraph> {
    let mut walk =
        Walk { system, most, graph: StateGraph::default(), states: Vec::new(), numbers: FxHashMap::default() };
    for state in system.initial_states() {
        walk.reach(state, 0)?;
    }
    let mut next = 0;
    while next < walk.states.len() {
        walk.expand(next)?;
        next += 1;
    }
    walk.graph.paths = schedules.iter().map(|schedule| walk.path(schedule)).collect();
    Some(walk.graph)
}

struct Walk<'s, S: System> {
    system: &'s S,
    most: usize,
    graph: StateGraph,
    states: Vec<S::State>,
    numbers: FxHashMap<Fingerprint, usize>,
}

impl<S: System> Walk<'_, S> {
    /// The number of a state; `None` if that would be one too many.
    fn reach(&mut self, state: S::State, depth: usize) -> Option<usize> {
        let fingerprint = self.system.insight().fingerprint(&state);
        if let Some(&known) = self.numbers.get(&fingerprint) {
            return Some(known);
        }
        let number = self.states.len();
        if number == self.most {
            return None;
        }
        self.numbers.insert(fingerprint, number);
        self.graph.nodes.push(Node { depth, values: self.observe(&state), mark: self.mark(&state) });
        self.states.push(state);
        Some(number)
    }

    /// Takes every step that is possible in a state.
    fn expand(&mut self, from: usize) -> Option<()> {
        let before = self.states[from].clone();
        let mut step = Step::without_footprint();
        for actor in self.enabled(&before) {
            let mut outcome = Some(Outcome::FIRST);
            while let Some(taken) = outcome {
                let text = self.system.narrator().describe(&before, actor, taken).text;
                let mut after = before.clone();
                step.take(self.system, &mut after, Move { actor, outcome: taken });
                let to = self.reach(after, self.graph.nodes[from].depth + 1)?;
                let wrong = !step.violations().is_empty();
                self.graph.edges.push(Edge { from, to, actor: self.system.narrator().actor_name(actor), text, wrong });
                if self.graph.edges.len() > STEPS_PER_STATE * self.most {
                    return None;
                }
                outcome = step.next_outcome();
            }
        }
        Some(())
    }

    /// The states that a schedule passes.
    fn path(&self, schedule: &Schedule) -> Vec<usize> {
        let Some(start) = self.system.initial_states().into_iter().nth(schedule.start) else { return Vec::new() };
        let number = |state: &S::State| self.numbers.get(&self.system.insight().fingerprint(state)).copied();
        let mut path: Vec<usize> = number(&start).into_iter().collect();
        let mut stepper = Stepper::new(self.system, start);
        for &taken in &schedule.moves {
            if stepper.try_step(taken).is_none() {
                break;
            }
            path.extend(number(stepper.state()));
        }
        path
    }

    fn enabled(&self, state: &S::State) -> Vec<ActorId> {
        let mut actors = Vec::new();
        self.system.enabled(state, &mut actors);
        actors
    }

    fn observe(&self, state: &S::State) -> Vec<Value> {
        let mut values = Vec::new();
        self.system.narrator().observe(state, &mut values);
        values
    }

    fn mark(&self, state: &S::State) -> Mark {
        if !self.enabled(state).is_empty() {
            return Mark::OnTheWay;
        }
        match self.system.ending(state) {
            Ending::Deadlock(_) => Mark::Deadlock,
            Ending::Finished | Ending::Blocked => Mark::End,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Check, MzProgram, Subject, lang};

    fn program(source: &str) -> MzProgram {
        MzProgram::new(lang::compile("small.mz", source, &[]).expect("it compiles"))
    }

    #[test]
    fn every_state_is_there_once_and_the_path_leads_to_the_violation() {
        let crossed = program(
            "mutex a; mutex b;
             thread one { lock(a); lock(b); unlock(b); unlock(a); }
             thread two { lock(b); lock(a); unlock(a); unlock(b); }",
        );
        let checked = Check::new(&crossed).all().run();
        let schedule = &checked.shortened[0].schedule;
        let graph = crossed.graph(&[schedule], 100).expect("the program is small");
        assert_eq!(Some(graph.nodes.len() as u64), checked.exploration.statistics.get(mazurka_core::Counter::States));
        let last = graph.paths[0].last().map(|&node| graph.nodes[node].mark);
        assert_eq!((graph.paths[0].len(), last), (3, Some(Mark::Deadlock)));
        assert!(crossed.graph(&[], graph.nodes.len() - 1).is_none());
    }

    #[test]
    fn states_that_come_back_make_a_cycle() {
        let toggle = program("shared light = 0; event button { light = 1 - light; }");
        let graph = toggle.graph(&[], 10).expect("the program is small");
        let edges: Vec<_> = graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        assert_eq!((graph.nodes.len(), edges), (2, vec![(0, 1), (1, 0)]));
    }
}
