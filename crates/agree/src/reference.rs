//! The plainest way to visit every state: a queue and a table of whole states.
//!
//! The oracle of the agreement, `exhaustive`, is an engine too, with fingerprints, batches and threads. Here it is
//! compared with a page of code that has none of that, and that also knows whether the program can run for ever.

use super::observations::Observations;
use mazurka_core::{ActorId, Ending, Insight, Move, Outcome, Step, System, ToldAccesses};
use mazurka_lang::{Model, State};
use rustc_hash::FxHashMap;

/// What is true of a program.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub(super) states: u64,
    pub(super) transitions: u64,
    /// Whether no state comes back, so that every execution ends.
    pub(super) terminates: bool,
    pub(super) observations: Observations,
}

/// The most transitions of a program that is compared: an event that chooses in a loop has thousands from one state.
const MOST_TRANSITIONS: usize = 1_000_000;

/// Visits every state, and every two steps in a row if data races are wanted; `None` if there are more states than `most`,
/// or too many transitions.
pub(super) fn explore(model: &Model, most: usize, races: bool) -> Option<Reference> {
    let mut search = Search { model, numbers: FxHashMap::default(), states: Vec::new(), edges: Vec::new(), races };
    let mut observations = Observations::default();
    let mut violations = Vec::new();
    for state in model.initial_states() {
        model.violations_at_start(&state, &mut violations);
        search.number(state);
    }
    violations.iter().for_each(|violation| observations.note_violation(violation));
    let mut next = 0;
    while next < search.states.len() {
        if search.states.len() > most {
            return None;
        }
        search.expand(next, &mut observations)?;
        next += 1;
    }
    Some(Reference {
        states: search.states.len() as u64,
        transitions: search.edges.len() as u64,
        terminates: search.is_acyclic(),
        observations,
    })
}

struct Search<'m> {
    model: &'m Model,
    numbers: FxHashMap<State, usize>,
    states: Vec<State>,
    edges: Vec<(usize, usize)>,
    races: bool,
}

impl Search<'_> {
    fn number(&mut self, state: State) -> usize {
        let next = self.states.len();
        let number = *self.numbers.entry(state.clone()).or_insert(next);
        if number == next {
            self.states.push(state);
        }
        number
    }

    /// Takes all steps from a state; `None` if these are too many.
    fn expand(&mut self, from: usize, observations: &mut Observations) -> Option<()> {
        let state = self.states[from].clone();
        let mut actors: Vec<ActorId> = Vec::new();
        self.model.enabled(&state, &mut actors);
        if actors.is_empty() {
            let ending = self.model.ending(&state);
            if let Ending::Deadlock(violation) = &ending {
                observations.note_violation(violation);
            }
            observations.note_end(&ending, self.model.fingerprint(&state));
        }
        let mut step = Step::default();
        for actor in actors {
            let mut outcome = Some(Outcome::FIRST);
            while let Some(current) = outcome {
                let mut successor = state.clone();
                step.begin(current);
                self.model.step(&mut successor, actor, &mut step);
                step.violations().iter().for_each(|violation| observations.note_violation(violation));
                outcome = step.next_outcome();
                if self.races {
                    self.take_two(&state, Move { actor, outcome: current }, observations);
                }
                let to = self.number(successor);
                if self.edges.len() == MOST_TRANSITIONS {
                    return None;
                }
                self.edges.push((from, to));
            }
        }
        Some(())
    }

    /// Takes a step and then every other one: the definition of a data race.
    fn take_two(&self, state: &State, first: Move, observations: &mut Observations) {
        let (mut between, mut step) = (state.clone(), Step::default());
        let told = ToldAccesses::take(self.model, &mut between, first, &mut step);
        let mut actors = Vec::new();
        self.model.enabled(&between, &mut actors);
        for actor in actors {
            let mut outcome = Some(Outcome::FIRST);
            while let Some(current) = outcome {
                let second = Move { actor, outcome: current };
                let second = ToldAccesses::take(self.model, &mut between.clone(), second, &mut step);
                told.races_with(&second).for_each(|(_, violation)| observations.note_violation(&violation));
                outcome = step.next_outcome();
            }
        }
    }

    /// Takes away states without predecessors as long as there are any; those of a cycle stay.
    fn is_acyclic(&self) -> bool {
        let mut successors = vec![Vec::new(); self.states.len()];
        let mut predecessors = vec![0u32; self.states.len()];
        for &(from, to) in &self.edges {
            successors[from].push(to);
            predecessors[to] += 1;
        }
        let mut free: Vec<usize> = (0..self.states.len()).filter(|&state| predecessors[state] == 0).collect();
        let mut taken = 0;
        while let Some(state) = free.pop() {
            taken += 1;
            for &to in &successors[state] {
                predecessors[to] -= 1;
                if predecessors[to] == 0 {
                    free.push(to);
                }
            }
        }
        taken == self.states.len()
    }
}
