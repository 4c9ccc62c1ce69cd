//! Small homes for tests.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]

use mazurka_core::{ActorId, Footprint, Insight, Narrator, Outcome, Step, System, Violation};
use mazurka_home::{Home, HomeText, Options, Profile, State};

/// An app of a name with these preferences and methods.
pub fn app(name: &str, inputs: &str, methods: &str) -> String {
    format!("definition(name: \"{name}\")\npreferences {{ section(\"x\") {{\n{inputs}\n}} }}\n{methods}\n")
}

/// A home with these apps.
pub fn home_with(options: &Options, apps: &[String]) -> Home {
    let sources: Vec<(String, String)> =
        apps.iter().enumerate().map(|(index, app)| (format!("{index}.groovy"), app.clone())).collect();
    Home::load(&sources, options).unwrap_or_else(|faults| panic!("{faults:#?}"))
}

/// A home as usual.
pub fn home(apps: &[String]) -> Home {
    home_with(&Options::default(), apps)
}

/// The environment of the study, without a search for conflicts.
pub fn study(apps: &[String]) -> Home {
    home_with(&Options { profile: Profile::Paper, conflicts: false, ..Options::default() }, apps)
}

/// A home by a `home.toml`.
pub fn home_by(toml: &str, apps: &[String]) -> Home {
    let home = Some(HomeText { file: "home.toml".into(), text: toml.into() });
    home_with(&Options { home, ..Options::default() }, apps)
}

/// A home at one point of one execution.
pub struct Visit<'h> {
    pub home: &'h Home,
    pub state: State,
    pub violations: Vec<Violation>,
    pub footprint: Footprint,
    /// How many outcomes the last step has.
    pub outcomes: usize,
}

impl<'h> Visit<'h> {
    /// Stands at one of the initial states: 0 is everything on, open, present.
    pub fn at_start(home: &'h Home, start: usize) -> Self {
        let state = home.initial_states().swap_remove(start);
        let mut violations = Vec::new();
        home.violations_at_start(&state, &mut violations);
        Visit { home, state, violations, footprint: Footprint::default(), outcomes: 1 }
    }

    /// The names of the enabled actors.
    pub fn enabled(&self) -> Vec<String> {
        self.actors().into_iter().map(|actor| self.home.actor_name(actor)).collect()
    }

    fn actors(&self) -> Vec<ActorId> {
        let mut enabled = Vec::new();
        self.home.enabled(&self.state, &mut enabled);
        enabled
    }

    /// Lets something happen, by its name.
    pub fn happen(&mut self, name: &str) -> &mut Self {
        self.choose(name, 0)
    }

    /// Lets something happen with an outcome.
    pub fn choose(&mut self, name: &str, outcome: u64) -> &mut Self {
        let actor = self
            .actors()
            .into_iter()
            .find(|&actor| self.home.actor_name(actor) == name)
            .unwrap_or_else(|| panic!("{name:?} is not one of {:?}", self.enabled()));
        let before = self.state.clone();
        let mut step = Step::default();
        step.begin(Outcome(outcome));
        self.home.step(&mut self.state, actor, &mut step);
        step.footprint_mut().seal();
        self.footprint = step.footprint().clone();
        self.violations = step.violations().to_vec();
        self.outcomes = outcomes(self.home, &before, actor);
        // The second time it is remembered, and must be the same.
        let mut again = before;
        let mut remembered = Step::default();
        remembered.begin(Outcome(outcome));
        self.home.step(&mut again, actor, &mut remembered);
        remembered.footprint_mut().seal();
        assert_eq!(again, self.state);
        assert_eq!(remembered.footprint(), &self.footprint);
        assert_eq!(remembered.violations(), self.violations);
        self
    }

    /// The value of something, by its name.
    pub fn value(&self, name: &str) -> Option<String> {
        let mut values = Vec::new();
        self.home.observe(&self.state, &mut values);
        values.into_iter().find(|value| value.name == name).map(|value| value.value)
    }

    /// What the last step touched: name and ways.
    pub fn touched(&self) -> Vec<(String, bool)> {
        self.footprint
            .touches()
            .iter()
            .map(|touch| (self.home.object_name(touch.object), touch.access.changes()))
            .collect()
    }

    /// Whether the last step changed an object; `None` if it did not touch it.
    pub fn changed(&self, name: &str) -> Option<bool> {
        self.touched().into_iter().find(|(known, _)| known == name).map(|(_, changed)| changed)
    }

    /// The messages of the last step's violations.
    pub fn messages(&self) -> Vec<String> {
        self.violations.iter().map(|violation| violation.message.clone()).collect()
    }

    /// What is said of the step that would happen next.
    pub fn described(&self, name: &str) -> String {
        let actor = self.actors().into_iter().find(|&actor| self.home.actor_name(actor) == name).unwrap();
        self.home.describe(&self.state, actor, Outcome::FIRST).text
    }
}

/// How many outcomes a step has.
pub fn outcomes(home: &Home, state: &State, actor: ActorId) -> usize {
    let mut count = 0;
    let mut outcome = Some(Outcome::FIRST);
    while let Some(current) = outcome {
        let mut step = Step::default();
        step.begin(current);
        home.step(&mut state.clone(), actor, &mut step);
        outcome = step.next_outcome();
        count += 1;
    }
    count
}
