//! EM-DPOR: threads with first-in-first-out event queues, events reordered only where it matters.

mod class;
mod find_target;
mod order;
mod published;
mod tasks;

use crate::Options;
use crate::tally::{FastSet, Tally, from_each_start};
use mazurka_core::{Exploration, Fingerprint, Observer, System, Traits};

/// Needs to know who waits, and knows no other mailboxes than first-in-first-out ones.
pub(crate) fn refuses(traits: &Traits) -> Option<String> {
    if traits.any_mailboxes {
        return Some(
            "em-dpor is made for handlers that take their messages in order of arrival, and the program has \
                     one that takes them in any order"
                .to_owned(),
        );
    }
    crate::stateful::refuses(traits)
}

/// Explores a program. The promise stands at the head of this file.
pub(crate) fn explore<S: System>(system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    let mut tally = Tally::new(options, observer);
    let mut classes: FastSet<(usize, Fingerprint)> = FastSet::default();
    let mut races = 0;
    let mut mutexes_count = false;
    let walked = from_each_start(system, &mut tally, |machine, tally| {
        if !mutexes_count {
            let again = system.initial_states().into_iter().nth(tally.schedule.start);
            match published::Search::new(machine, tally, &mut classes, false).run()? {
                Ok(found) => {
                    races += found;
                    return Ok(());
                }
                Err(tasks::Leak) => mutexes_count = true,
            }
            tally.restart();
            let Some(state) = again else { return Ok(()) };
            let machine = mazurka_core::Stepper::new(system, state);
            if let Ok(found) = published::Search::new(machine, tally, &mut classes, true).run()? {
                races += found;
            }
            return Ok(());
        }
        if let Ok(found) = published::Search::new(machine, tally, &mut classes, true).run()? {
            races += found;
        }
        Ok(())
    });
    tally.conclude(system, walked, &published::counted(races, classes.len()))
}
