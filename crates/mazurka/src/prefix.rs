//! A small part of the unfolding of a program, told for a picture.

use mazurka_core::{Schedule, Stepper, System};
use mazurka_engines::{Options, unfolding_prefix};
use mazurka_report::unfolding::{Event, Unfolding};

/// The events that the engine `unfolding` makes of a program, if there are at most this many.
pub(crate) fn draw<S: System>(system: &S, options: &Options, most: usize) -> Option<Unfolding> {
    // Data races are no part of it.
    let options = Options { races: false, ..options.clone() };
    let prefix = unfolding_prefix(system, &options, most)?;
    let tell = |event: &mazurka_engines::PrefixEvent| {
        let moves = event.history.iter().map(|&cause| prefix[cause].step).collect();
        let (stepper, _) = Stepper::replay(system, &Schedule::new(event.start, moves))?;
        Some(Event {
            actor: system.narrator().actor_name(event.step.actor),
            text: system.narrator().describe(stepper.state(), event.step.actor, event.step.outcome).text,
            causes: event.causes.clone(),
            conflicts: event.conflicts.clone(),
            is_cutoff: event.is_cutoff,
        })
    };
    prefix.iter().map(tell).collect::<Option<_>>().map(|events| Unfolding { events })
}

#[cfg(test)]
mod tests {
    use crate::{Check, Counter, Engine, MzProgram, Subject};
    use mazurka_engines::Options;
    use mazurka_lang::compile;
    use mazurka_report::unfolding::svg;
    use std::fs;
    use std::path::Path;

    fn file(path: &str) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// The engine does not look for data races, and the picture does not either.
    #[test]
    fn a_picture_can_be_made_where_data_races_are_asked_for() {
        let source = "shared x = 0; thread a { x = 1; } thread b { x = 2; }";
        let program = MzProgram::new(compile("two.mz", source, &[]).expect("it compiles"));
        let options = Options { races: true, ..Options::default() };
        assert!(program.unfolding(&options, 80).is_some());
    }

    #[test]
    fn the_manual_shows_figure_1_as_it_is_drawn() {
        let path = "tests/papers/unfolding/figure-1-one-writer-two-readers.mz";
        let program = MzProgram::new(compile(path, &file(path), &[]).expect("it compiles"));
        let unfolding = program.unfolding(&Options::default(), 10).expect("the program is small");
        let conflicts: usize = unfolding.events.iter().map(|event| event.conflicts.len()).sum();
        assert_eq!((unfolding.events.len(), conflicts), (10, 4));
        assert!(program.unfolding(&Options::default(), 9).is_none(), "there is one event too many");
        assert_eq!(svg(&unfolding), file("docs/pictures/unfolding-figure-1.svg"));
    }

    #[test]
    fn a_picture_has_the_events_and_cutoffs_that_are_counted() {
        let path = "examples/events/door-alarm.mz";
        let program = MzProgram::new(compile(path, &file(path), &[]).expect("it compiles"));
        let options = Options { all: true, ..Options::default() };
        let checked = Check::new(&program).engine(Engine::Unfolding).options(options.clone()).run();
        let count = |counter| checked.exploration.statistics.get(counter).expect("it is counted");
        let unfolding = program.unfolding(&options, 100).expect("the program is small");
        let cutoffs = unfolding.events.iter().filter(|event| event.is_cutoff).count();
        assert_eq!(unfolding.events.len() as u64, count(Counter::Events));
        assert_eq!(cutoffs as u64, count(Counter::Cutoffs));
    }
}
