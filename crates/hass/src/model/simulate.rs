//! A scenario, played: one way through the model, with given times. The same steps as the search takes, so what is compared
//! with Home Assistant here is what is searched.

use super::stage::Happened;
use super::state::RunId;
use super::system::{Doing, Model, Options};
use super::zone::Key;
use crate::config::Configuration;
use crate::template::Val;
use mazurka_core::{ActorId, Step, System, ViolationKind};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is done to a home, and when.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The configuration.
    pub configuration: Arc<Configuration>,
    /// The states of entities at the start; one that is not defined and has none is not there.
    pub states: Vec<(String, String)>,
    /// What happens, in order.
    pub steps: Vec<ScenarioStep>,
    /// Milliseconds to wait at the end.
    pub settle: i64,
}

/// One thing that is done.
#[derive(Clone, Debug)]
pub enum ScenarioStep {
    /// An entity gets a state.
    Set(String, String),
    /// An event is heard.
    Event(String, Vec<(String, Val)>),
    /// Milliseconds pass.
    Wait(i64),
    /// An automation is turned off, and on again.
    Renew(String),
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Automations that ran and states that changed, in order: `[alias]`, `entity:old->new`, and `|` after each step.
    pub log: Vec<String>,
    /// The states at the end, those of automations left out.
    pub states: Vec<(String, String)>,
    /// Whether two timers went off at one time: which of them comes first is open.
    pub has_tie: bool,
    /// Whether automations set each other off without end; what they did is then no longer followed.
    pub is_endless: bool,
}

/// Plays a scenario. The error says which step the model does not allow.
pub fn play(scenario: &Scenario) -> Result<Played, String> {
    let mut extra: Vec<(String, Val)> =
        scenario.states.iter().map(|(entity, state)| (entity.clone(), Val::text(state))).collect();
    for step in &scenario.steps {
        if let ScenarioStep::Set(entity, state) = step {
            extra.push((entity.clone(), Val::text(state)));
        }
    }
    let all: Vec<usize> = (0..scenario.configuration.automations.len()).collect();
    let model = Model::build(
        Arc::clone(&scenario.configuration),
        &all,
        Options { pauses: true, ..Options::default() },
        &extra,
        true,
    );
    let initial = scenario.states.iter().filter_map(|(entity, state)| {
        let slot = model.layout.slot(entity, None)?;
        Some((slot, model.layout.slots[slot as usize].number_of(&Val::text(state))))
    });
    let mut player = Player {
        state: model.initial_with(initial),
        model: &model,
        now: 0,
        starts: FxHashMap::default(),
        log: Vec::new(),
        has_tie: false,
        is_endless: false,
    };
    player.read_clocks(&[], &[]);
    for (key, start) in &mut player.starts {
        // What there is has been so for a second.
        *start -= if let Key::Age(_) = key { 1000 } else { 0 };
    }
    for step in &scenario.steps {
        if player.is_endless {
            break;
        }
        match step {
            ScenarioStep::Wait(ms) => player.pass(player.now + ms)?,
            ScenarioStep::Set(entity, state) => {
                let Some(slot) = model.layout.slot(entity, None) else {
                    player.log.push("|".to_owned());
                    continue;
                };
                let value = model.layout.slots[slot as usize].number_of(&Val::text(state));
                if player.state.values[slot as usize] != value {
                    let actor = model
                        .doing(|doing| matches!(doing, Doing::Change(known, new) if *known == slot && *new == value));
                    player.take(actor.ok_or_else(|| format!("{entity} cannot become {state}"))?)?;
                }
                player.log.push("|".to_owned());
            }
            ScenarioStep::Event(name, data) => {
                let actor = model.doing(|doing| match doing {
                    Doing::Event(known, fields) => {
                        known == name && data.iter().all(|(key, value)| super::ask::field(fields, key) == *value)
                    }
                    _ => false,
                });
                if let Some(actor) = actor {
                    player.take(actor)?;
                }
                player.log.push("|".to_owned());
            }
            ScenarioStep::Renew(entity) => {
                player.renew(entity);
                player.log.push("|".to_owned());
            }
        }
    }
    if !player.is_endless {
        player.pass(player.now + scenario.settle)?;
    }
    let states = model.layout.slots.iter().zip(&player.state.values).filter(|(slot, _)| {
        slot.name.1.is_none() && !slot.name.0.starts_with("automation.") && !slot.name.0.starts_with("script.")
    });
    let states = states.map(|(slot, &value)| (slot.name.0.clone(), slot.values[value as usize].to_string())).collect();
    Ok(Played { log: player.log, states, has_tie: player.has_tie, is_endless: player.is_endless })
}

struct Player<'m> {
    model: &'m Model,
    state: super::State,
    now: i64,
    /// When each clock was started.
    starts: FxHashMap<Key, i64>,
    log: Vec<String>,
    has_tie: bool,
    is_endless: bool,
}

impl Player<'_> {
    fn take(&mut self, actor: ActorId) -> Result<(), String> {
        for (&key, start) in &self.starts {
            self.state.zone.fix(key, self.now - start);
        }
        let mut enabled = Vec::new();
        self.model.enabled(&self.state, &mut enabled);
        if !enabled.contains(&actor) {
            return Err(format!("the model does not allow {actor:?} at {} ms", self.now));
        }
        let mut step = Step::without_footprint();
        let Happened { log, started, moved, .. } = self.model.perform_step(&mut self.state, actor, &mut step, true);
        self.log.extend(log);
        self.is_endless |= step.violations().iter().any(|violation| violation.kind == ViolationKind::Cascade);
        self.read_clocks(&started, &moved);
        Ok(())
    }

    /// Clocks that are new, or were started again, start now.
    fn read_clocks(&mut self, fresh: &[Key], moved: &[(RunId, RunId)]) {
        for (old, new) in moved {
            if let Some(at) = self.starts.remove(&Key::Run(old.0, old.1)) {
                self.starts.insert(Key::Run(new.0, new.1), at);
            }
        }
        let running: Vec<Key> = self.state.zone.keys().collect();
        for &key in &running {
            if fresh.contains(&key) || !self.starts.contains_key(&key) {
                self.starts.insert(key, self.now);
            }
        }
        self.starts.retain(|key, _| running.contains(key));
    }

    /// Lets time pass, with everything that goes off.
    fn pass(&mut self, until: i64) -> Result<(), String> {
        loop {
            let mut due: Vec<(i64, Key)> = self
                .starts
                .iter()
                .filter(|(key, _)| !matches!(key, Key::Day | Key::Pattern(_)))
                .filter_map(|(key, start)| {
                    // A timer begins at the last whole second; scenarios begin one millisecond after it.
                    let start = if let Key::Timer(_) = key { (start + 1).div_euclid(1000) * 1000 - 1 } else { *start };
                    Some((start + self.state.zone.deadline(*key)?, *key))
                })
                .collect();
            due.sort_unstable();
            if self.is_endless {
                break;
            }
            let Some(&(at, key)) = due.first().filter(|(at, _)| *at <= until) else { break };
            self.has_tie |= at == until || due.get(1).is_some_and(|(other, _)| *other == at);
            self.now = at;
            self.take(self.model.actor_of(key))?;
        }
        self.now = until;
        Ok(())
    }

    fn renew(&mut self, entity: &str) {
        if let Some(routine) = self.model.routine_of(entity) {
            for other in 0..self.model.routines.len() as u16 {
                if let Some(mark) = self.model.pair_mark(other, routine) {
                    self.state.marks[mark as usize] = if other < routine { 1 } else { 2 };
                }
            }
        }
    }
}
