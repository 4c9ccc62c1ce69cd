//! What the owner expects, looked at when the loop waits again.
//!
//! While a device still answers, nothing is settled: `never` and `always` look only at what stays. They begin the first time
//! that it is as it should be, since nobody knows how the home was before. The time of `within` begins when its condition comes
//! to be so, and is over when that is no longer so or what is expected has been so once.

use super::layout::{Layout, Wishes};
use super::stage::Stage;
use super::state::Status;
use super::system::{Finding, Model};
use super::zone::Key;
use crate::config::{Condition, Configuration, Expectation, Expected};
use crate::duration;
use mazurka_core::{Violation, ViolationKind};
use std::sync::atomic::Ordering;

/// What is told between the end of the time and the last answer of a device.
const GRACE: i64 = 1_000;

/// The bits of the mark: it was as it should be; the condition of `within` was so.
const SOUND: u8 = 1;
const BEGUN: u8 = 2;

/// The entities that an expectation speaks of, members of groups and what templates read among them.
pub(crate) fn entities_of(expectation: &Expectation, configuration: &Configuration) -> Vec<String> {
    let wishes = Wishes {
        sunrise: 0,
        sunset: 0,
        unavailable: false,
        hands: false,
        extra: &[],
        exact: false,
        expected: Some(expectation),
    };
    let layout = Layout::new(configuration, &[], &wishes);
    let mut entities: Vec<String> = layout.slots.into_iter().map(|slot| slot.name.0).collect();
    entities.dedup();
    entities
}

impl Model {
    /// What is expected of this model, if something is.
    pub(crate) fn expectation(&self) -> Option<&Expectation> {
        self.configuration.expectations.get(self.options.expectation?)
    }

    /// What a broken expectation is called.
    pub(crate) fn broken(&self) -> Violation {
        let Some(expectation) = self.expectation() else { return Violation::new(ViolationKind::Invariant, "") };
        let Expectation { name, text, .. } = expectation;
        let name = if name == text { String::new() } else { format!("\"{name}\" does not hold: ") };
        let (_, sentence) = text.split_once(' ').unwrap_or(("", text));
        let sentence = sentence.trim();
        let told = match &expectation.kind {
            Expected::Never(_) => format!("{sentence}, which was never to be"),
            Expected::Always(_) => format!("not so that {sentence}, which was always to be"),
            Expected::Within(length, ..) => {
                let (of, then) = sentence
                    .split_once(" of ")
                    .and_then(|(_, rest)| rest.split_once(','))
                    .map_or((sentence, ""), |(of, then)| (of.trim(), then.trim()));
                format!("{} after {of}, it has not been so that {then}", duration::told(*length))
            }
        };
        Violation::new(ViolationKind::Invariant, format!("{name}{told}"))
    }

    /// The entities of the expectation that nothing in the configuration mentions.
    pub(crate) fn unknown_in_expectation(&self) -> Vec<String> {
        let Some(expectation) = self.expectation() else { return Vec::new() };
        let own = expectation.place.map(|place| place.file.0 as usize);
        let sources = || self.configuration.sources.iter().enumerate().filter(|(number, _)| Some(*number) != own);
        let mut entities = entities_of(expectation, &self.configuration);
        entities.retain(|entity| {
            let object = entity.split('.').nth(1).unwrap_or(entity);
            let is_written = |text: &str| text.contains(entity.as_str());
            // Helpers, scenes and the like are written without their domain.
            let is_own = super::services::is_helper(entity)
                || self.configuration.derived.iter().any(|derived| derived.entity == *entity);
            let is_stored = self.configuration.helpers.iter().any(|helper| helper.entity == *entity)
                || self.configuration.registry.knows(entity);
            entity != "sun.sun"
                && !is_stored
                && !sources().any(|(_, source)| is_written(&source.text) || is_own && source.text.contains(object))
        });
        entities
    }

    /// Whether what is expected was put to the test.
    pub fn was_tested(&self) -> bool {
        self.tested.load(Ordering::Relaxed)
    }
}

impl Stage<'_, '_> {
    /// Looks at what is expected, at the end of a step.
    pub(crate) fn look_at_expectation(&mut self) {
        let model = self.model;
        let Some(expectation) = model.expectation() else { return };
        match &expectation.kind {
            Expected::Never(condition) => self.look_at_state(condition, true),
            Expected::Always(condition) => self.look_at_state(condition, false),
            Expected::Within(length, of, then) => {
                let mark = self.mark(model.expectation_mark);
                let begun = self.is_so(of);
                let is_over = !begun || self.is_so(then);
                if is_over {
                    self.stop_clock(Key::Promise);
                } else if mark & BEGUN == 0 {
                    self.start_clock(Key::Promise, length + GRACE);
                }
                if begun && mark & BEGUN == 0 {
                    model.tested.store(true, Ordering::Relaxed);
                }
                self.set_mark(model.expectation_mark, if begun { BEGUN } else { 0 });
            }
        }
    }

    fn look_at_state(&mut self, condition: &Condition, is_bad: bool) {
        let model = self.model;
        let mark = self.mark(model.expectation_mark);
        if self.is_so(condition) != is_bad {
            self.set_mark(model.expectation_mark, SOUND);
            model.tested.store(true, Ordering::Relaxed);
        } else if mark == SOUND && !self.is_answering() {
            self.find(Finding::Broken);
        }
    }

    /// The time of `within` is over.
    pub(crate) fn promise_is_due(&mut self) {
        if self.is_answering() {
            self.start_clock(Key::Promise, 10 * GRACE);
        } else {
            self.find(Finding::Broken);
        }
    }

    /// Whether a device has not answered yet.
    fn is_answering(&self) -> bool {
        self.state.runs.iter().any(|run| matches!(run.status, Status::Call(_)))
    }

    fn is_so(&mut self, condition: &Condition) -> bool {
        matches!(self.holds(condition, &Vec::new()), Ok(Some(true)))
    }
}
