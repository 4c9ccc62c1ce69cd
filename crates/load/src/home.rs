//! The apps of a smart home as something that can be checked: with the severity of what is found, the two steps that a
//! conflict is about, and the rules that nothing put to the test.

use mazurka::engines::{Options, explain};
use mazurka::report::{Basis, Considered, Site, Story, Vacuous};
use mazurka::{
    Counter, Engine, Explanation, Exploration, Found, Meter, Observer, Race, Schedule, Statistics, Stepper, Subject,
    Verdict,
};
use mazurka_home::{Home, IdleRule};

/// The apps of a smart home.
#[derive(Debug)]
pub struct HomeProgram(Home);

impl HomeProgram {
    /// Makes a home checkable.
    pub fn new(home: Home) -> Self {
        HomeProgram(home)
    }

    /// The home.
    pub fn home(&self) -> &Home {
        &self.0
    }

    /// What explains a violation: the two steps that its sentence speaks of, if one could have come without the other.
    fn explanation(&self, found: &Found, meter: &Meter) -> Option<Explanation> {
        let Some(told) = self.0.told_steps(found) else { return explain(&self.0, found, meter) };
        let is_race = |race: &Race| {
            let mut without = found.schedule.clone();
            without.moves.truncate(race.second + 1);
            without.moves.remove(race.first);
            Stepper::replay(&self.0, &without).is_some()
        };
        told.filter(is_race).map(Explanation::Race)
    }
}

impl Subject for HomeProgram {
    fn inner(&self) -> &dyn Subject {
        &self.0
    }

    fn explore(&self, engine: Engine, options: &Options, observer: &mut dyn Observer) -> Exploration {
        // The apps were not installed in time.
        if let Some(stop) = self.0.stopped() {
            return Exploration::conclude(stop, None, Vec::new(), Statistics::default());
        }
        let mut exploration = self.0.explore(engine, options, observer);
        exploration.statistics.set(Counter::Events, self.0.event_count() as u64);
        exploration
    }

    fn story(&self, found: &Found, original: &Schedule, meter: &Meter) -> Story {
        let story = Story::tell(&self.0, found, original, self.explanation(found, meter));
        Story { severity: Some(self.0.severity(&found.violation)), ..story }
    }

    fn basis(&self, exploration: &Exploration) -> Basis {
        let home = &self.0;
        let considered = home.considered().into_iter().map(|(what, text)| Considered { what: what.to_owned(), text });
        let idle = if exploration.verdict == Verdict::Verified { home.idle_rules() } else { Vec::new() };
        let vacuous = |IdleRule { rule, reason, remedy }| Vacuous {
            site: Site { text: rule, location: None },
            reason,
            remedy: Some(remedy),
        };
        Basis {
            considered: considered.collect(),
            stated: home.rule_count(),
            vacuous: idle.into_iter().map(vacuous).collect(),
            ..Basis::of(home.promise())
        }
    }
}
