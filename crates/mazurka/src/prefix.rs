//! A small part of the unfolding of a program, told for a picture.

use mazurka_core::{Schedule, Stepper, System};
use mazurka_engines::{Options, unfolding_prefix};
use mazurka_report::unfolding::{Event, Unfolding};

/// The events that the engine `unfolding` makes of a program, if they are at most so many.
pub(crate) fn draw<S: System>(system: &S, options: &Options, most: usize) -> Option<Unfolding> {
    let prefix = unfolding_prefix(system, options, most)?;
    let tell = |event: &mazurka_engines::PrefixEvent| {
        let moves = event.history.iter().map(|&cause| prefix[cause].step).collect();
        let (stepper, _) = Stepper::replay(system, &Schedule { start: event.start, moves })?;
        Some(Event {
            actor: system.actor_name(event.step.actor),
            text: system.describe(stepper.state(), event.step.actor, event.step.outcome).text,
            causes: event.causes.clone(),
            conflicts: event.conflicts.clone(),
            is_cutoff: event.is_cutoff,
        })
    };
    prefix.iter().map(tell).collect::<Option<_>>().map(|events| Unfolding { events })
}
