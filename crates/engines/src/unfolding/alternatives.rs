//! Alternatives: what shows that something is left to explore (definition 8).
//!
//! After a configuration C was explored with each of the events D in turn, there is more to explore from C exactly if
//! some configuration holds C and, for each event of D, another one in conflict with it. Such a configuration is looked for
//! among the known events by an exact search: of the events of D that nothing is in conflict with yet, the one with the
//! fewest candidates is taken, and its candidates are tried in turn. Only the smallest candidates are: whatever holds a
//! larger one holds a smaller one too. What was tried in vain is remembered.

use super::events::{EventId, Events};
use crate::bits::Bits;
use crate::tally::FastSet;

/// A configuration on the way to an alternative.
#[derive(Clone)]
struct Reached {
    configuration: Bits,
    /// What cannot be added to it: these and their effects.
    barred: Bits,
}

impl Reached {
    fn new(events: &Events, configuration: &Bits) -> Self {
        Reached { configuration: configuration.clone(), barred: events.barred(configuration) }
    }

    fn with(&self, events: &Events, event: EventId) -> Self {
        let mut reached = self.clone();
        events.include(&mut reached.configuration, event);
        let new = reached.configuration.without(&self.configuration);
        events.bar_more(&mut reached.barred, &reached.configuration, new);
        reached
    }
}

/// An event that has to be avoided, and how that is tried.
struct Choice {
    reached: Reached,
    /// What is left to try, the next one last.
    candidates: Vec<EventId>,
}

/// A configuration that holds `configuration` and is in conflict with every event of `avoid`, if there is one.
pub(super) fn alternative(events: &Events, configuration: &Bits, avoid: &[EventId]) -> Option<Bits> {
    // Most events are in conflict with nothing that is known.
    let avoidable = |&event: &EventId| !events.direct_conflicts(event).is_empty();
    if !avoid.iter().rev().all(avoidable) {
        return None;
    }
    let mut choices: Vec<Choice> = Vec::new();
    let mut tried: FastSet<Bits> = FastSet::default();
    let mut reached = Reached::new(events, configuration);
    loop {
        match hardest(events, &reached, avoid) {
            None => return Some(reached.configuration),
            Some(candidates) => choices.push(Choice { reached, candidates }),
        }
        reached = next_try(events, &mut choices, &mut tried)?;
    }
}

/// The candidates against the event that is hardest to avoid, among those that nothing is in conflict with yet.
fn hardest(events: &Events, reached: &Reached, avoid: &[EventId]) -> Option<Vec<EventId>> {
    let open = avoid.iter().filter(|&&event| !reached.barred.contains(event));
    open.map(|&event| candidates(events, reached, event)).min_by_key(Vec::len)
}

/// The smallest events that are in conflict with `against` and can be added to a configuration.
fn candidates(events: &Events, reached: &Reached, against: EventId) -> Vec<EventId> {
    let mut fitting = events.direct_conflicts(against);
    fitting.subtract(events.cutoffs());
    fitting.subtract(&reached.barred);
    let fits = |&event: &EventId| !events.causes(event).meets(&reached.barred) && !events.causes(event).meets(&fitting);
    fitting.iter().filter(fits).collect()
}

/// The next configuration to go on with; what has no candidates left is given up.
fn next_try(events: &Events, choices: &mut Vec<Choice>, tried: &mut FastSet<Bits>) -> Option<Reached> {
    while let Some(choice) = choices.last_mut() {
        let Some(candidate) = choice.candidates.pop() else {
            choices.pop();
            continue;
        };
        let reached = choice.reached.with(events, candidate);
        // Two first candidates never lead to the same configuration: only further ones have to be remembered.
        if choices.len() == 1 || tried.insert(reached.configuration.clone()) {
            return Some(reached);
        }
    }
    None
}
