//! Dynamic partial-order reduction: at least one execution of each trace.
use crate::Options;
use crate::backtracking::{Counts, Search, Stateless};
use crate::tally::{Tally, from_each_start};
use mazurka_core::{Exploration, Observer, System, Traits};

/// Suits every program that tells who waits: without that, a step that is never taken would be held against nothing.
pub(crate) fn refuses(traits: &Traits) -> Option<String> {
    crate::stateful::refuses(traits)
}

/// Explores a program. The promise stands at the head of this file.
pub(crate) fn explore<S: System>(system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    let mut tally = Tally::new(options, observer);
    let mut counts = Counts::default();
    let walked = from_each_start(system, &mut tally, |machine, tally| {
        let mut search = Search::new(machine, tally, Stateless);
        let walked = search.run();
        counts.add(search.counts());
        walked
    });
    tally.conclude(system, walked, &counts.named(false))
}
