//! Alternatives: what shows that something is left to explore (definition 8).
//!
//! After a configuration C was explored with each of the events D in turn, there is more to explore from C exactly if
//! some configuration holds C and, for each event of D, another one in conflict with it. What can be explored without
//! an event of D was found while that event was explored: its rivals. So a rival of each is looked for by an exact
//! search: of the events of D that nothing is in conflict with yet, the one with the fewest candidates is taken, and
//! its candidates are tried in turn. What was tried without success is remembered.

use super::events::{EventId, Events};
use super::path::Path;
use crate::shared::bits::Bits;
use crate::shared::tally::FastSet;

/// What the search may choose from.
struct Choices<'e> {
    events: &'e Events,
    configuration: &'e Bits,
    /// Each event that has to be avoided, and by what it can be.
    avoid: Vec<(EventId, Vec<EventId>)>,
    /// All of these events, with their causes.
    relevant: Bits,
}

/// Events on the way to an alternative.
#[derive(Clone, Default)]
struct Reached {
    /// What is added to the configuration.
    added: Bits,
    /// What cannot be added any more: these and their effects.
    barred: Bits,
}

/// An event that has to be avoided, and how that is tried.
struct Attempted {
    reached: Reached,
    /// What is left to try, the next one last.
    candidates: Vec<EventId>,
}

/// What can be added to the configuration of a path such that something is in conflict with every event of `avoid`.
pub(super) fn alternative<K>(events: &Events, path: &Path<K>, avoid: &[EventId]) -> Option<Bits> {
    let fits = |&rival: &EventId| can_be_added(events, rival, &path.barred);
    // The last one was explored just now: most often nothing was found by which it can be avoided.
    let choices = avoid.iter().rev().map(|&event| {
        let candidates: Vec<EventId> = events.rivals(event).iter().copied().filter(fits).collect();
        (!candidates.is_empty()).then_some((event, candidates))
    });
    let avoid: Vec<(EventId, Vec<EventId>)> = choices.collect::<Option<_>>()?;
    Choices::new(events, &path.configuration, avoid).find()
}

/// Whether an event can be added to a configuration that bars these.
fn can_be_added(events: &Events, event: EventId, barred: &Bits) -> bool {
    !barred.contains(event) && !events.causes(event).meets(barred)
}

impl<'e> Choices<'e> {
    fn new(events: &'e Events, configuration: &'e Bits, avoid: Vec<(EventId, Vec<EventId>)>) -> Self {
        let mut relevant = Bits::default();
        for (event, candidates) in &avoid {
            relevant.insert(*event);
            candidates.iter().for_each(|&candidate| events.include(&mut relevant, candidate));
        }
        relevant.subtract(configuration);
        Choices { events, configuration, avoid, relevant }
    }

    fn find(&self) -> Option<Bits> {
        let mut attempted: Vec<Attempted> = Vec::new();
        let mut tried: FastSet<Bits> = FastSet::default();
        let mut reached = Reached::default();
        loop {
            match self.hardest(&reached) {
                None => return Some(reached.added),
                Some(candidates) => attempted.push(Attempted { reached, candidates }),
            }
            reached = self.next_try(&mut attempted, &mut tried)?;
        }
    }

    /// The candidates against the event that is hardest to avoid, among those that nothing is in conflict with yet.
    fn hardest(&self, reached: &Reached) -> Option<Vec<EventId>> {
        let open = self.avoid.iter().filter(|(event, _)| !reached.barred.contains(*event));
        let fits = |&candidate: &EventId| can_be_added(self.events, candidate, &reached.barred);
        open.map(|(_, candidates)| candidates.iter().copied().filter(fits).collect()).min_by_key(Vec::len)
    }

    /// The next events to go on with; what has no candidates left is given up.
    fn next_try(&self, attempted: &mut Vec<Attempted>, tried: &mut FastSet<Bits>) -> Option<Reached> {
        while let Some(last) = attempted.last_mut() {
            let Some(candidate) = last.candidates.pop() else {
                attempted.pop();
                continue;
            };
            let reached = self.with(&last.reached, candidate);
            // Two first candidates never lead to the same events: only further ones have to be remembered.
            if attempted.len() == 1 || tried.insert(reached.added.clone()) {
                return Some(reached);
            }
        }
        None
    }

    /// Adds an event and its causes.
    fn with(&self, reached: &Reached, event: EventId) -> Reached {
        let mut with = reached.clone();
        self.events.include(&mut with.added, event);
        with.added.subtract(self.configuration);
        for new in with.added.without(&reached.added) {
            let mut related = self.events.related(new);
            related.intersect(&self.relevant);
            related.subtract(&with.added);
            with.barred.extend(related.iter().filter(|&other| !self.events.causes(other).contains(new)));
        }
        with
    }
}
