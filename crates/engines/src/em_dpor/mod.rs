//! EM-DPOR: threads with first-in-first-out event queues, events reordered only where it matters.

mod class;
mod configuration;
mod covering;
mod events;
mod find_target;
mod openings;
mod order;
mod plan;
mod published;
mod tasks;
mod yardstick;

pub use yardstick::covering_classes;

use crate::Options;
use crate::tally::{FastSet, Tally, from_each_start};
use mazurka_core::{Counter, Exploration, Fingerprint, Observer, Stepper, StopReason, System, Traits};
use tasks::Leak;

/// Needs to know who waits, and knows no other mailboxes than first-in-first-out ones.
pub(crate) fn refuses(traits: &Traits) -> Option<String> {
    if traits.any_mailboxes {
        return Some(
            "em-dpor is made for handlers that take their messages in order of arrival, and the program has one that \
             takes them in any order"
                .to_owned(),
        );
    }
    crate::stateful::refuses(traits)
}

/// Explores a program. The promise stands at the head of this file.
pub(crate) fn explore<S: System>(system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    let mut tally = Tally::new(options, observer);
    let mut counted = Counted {
        classes: FastSet::default(),
        fixed_steps: system.traits().fixed_steps,
        counts: covering::Counts::default(),
        races: 0,
    };
    let mut mutexes_count = false;
    let walked = from_each_start(system, &mut tally, |machine, tally| {
        let (start, before) = (tally.schedule.start, tally.executions());
        let walked = counted.search(machine, tally, mutexes_count)?;
        if walked == Err(Leak) {
            // Once a message ends with a mutex in its hands, mutexes count everywhere.
            mutexes_count = true;
            tally.begin_over(before);
            counted.classes.retain(|class| class.0 != start);
            let Some(state) = system.initial_states().into_iter().nth(start) else { return Ok(()) };
            let _ = counted.search(Stepper::new(system, state), tally, true)?;
        }
        Ok(())
    });
    tally.conclude(system, walked, &counted.named(options.plain))
}

/// What was counted.
struct Counted {
    classes: FastSet<(usize, Fingerprint)>,
    fixed_steps: bool,
    counts: covering::Counts,
    races: u64,
}

impl Counted {
    /// Searches from one initial state.
    fn search<S: System>(
        &mut self,
        machine: Stepper<'_, S>,
        tally: &mut Tally<'_>,
        mutexes_count: bool,
    ) -> Result<Result<(), Leak>, StopReason> {
        if tally.options.plain {
            let races = published::Search::new(machine, tally, &mut self.classes, mutexes_count).run()?;
            return Ok(races.map(|races| self.races += races));
        }
        let mut search = covering::Search::new(machine, tally, &mut self.classes, self.fixed_steps, mutexes_count);
        let counts = search.run()?;
        Ok(counts.map(|counts| {
            self.counts.events += counts.events;
            self.counts.blocked += counts.blocked;
        }))
    }

    fn named(&self, plain: bool) -> Vec<(Counter, u64)> {
        let traces = (Counter::Traces, self.classes.len() as u64);
        if plain {
            return vec![traces, (Counter::Races, self.races)];
        }
        vec![(Counter::Blocked, self.counts.blocked), traces, (Counter::Events, self.counts.events)]
    }
}
