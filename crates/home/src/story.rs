//! A violation in the words of a person who lives there: what happens, what the apps do about it, and in which order.

use crate::happening::Happening;
use crate::home::Home;
use crate::stage::Action;
use crate::store::Dynamic;
use crate::words::quoted;
use mazurka_core::{ActorId, Found, Move, Narrator, Race, Step, System, ViolationKind};
use mazurka_groovy::Frozen;

/// One thing that an app did, and when.
pub(crate) struct Deed {
    /// The step's place in the schedule.
    step: usize,
    actor: ActorId,
    action: Action,
}

impl Home {
    /// Which app did what when, for apps that fight: one sentence.
    pub(crate) fn tell_conflict(&self, found: &Found) -> Option<String> {
        let (before, last) = self.fight(found)?;
        let Some(before) = before else {
            return Some(format!("when {}, {}", self.clause(last.actor), self.told(&last)));
        };
        if before.step == last.step {
            let (when, first, second) = (self.clause(last.actor), self.told(&before), self.told(&last));
            return Some(format!("when {when}, {first}, and then {second}"));
        }
        let (first, second) = (self.clause(before.actor), self.clause(last.actor));
        Some(format!("when {first}, {}; when {second} after that, {}", self.told(&before), self.told(&last)))
    }

    /// The deed that a conflict is about, and the one of another app that it undoes.
    fn fight(&self, found: &Found) -> Option<(Option<Deed>, Deed)> {
        let (mut deeds, _) = self.deeds(found)?;
        let at = deeds.iter().rposition(|deed| self.is_culprit(deed, found))?;
        deeds.truncate(at + 1);
        let last = deeds.pop()?;
        let fights = |deed: &Deed| deed.action.app != last.action.app && deed.action.slot == last.action.slot;
        let before = deeds.iter().rposition(fights).map(|at| deeds.swap_remove(at));
        Some((before, last))
    }

    /// The two steps of a schedule that the sentence about a violation speaks of, and the object that they both change.
    /// Outside `None` if the sentence leaves that open; inside `None` if it speaks of one step only.
    pub fn told_steps(&self, found: &Found) -> Option<Option<Race>> {
        match found.violation.kind {
            ViolationKind::Conflict => {
                let (before, last) = self.fight(found)?;
                let before = before.filter(|before| before.step < last.step && before.actor != last.actor);
                let race = |before: Deed| {
                    Some(Race { first: before.step, second: last.step, object: last.action.slot?.object() })
                };
                Some(before.and_then(race))
            }
            ViolationKind::Cascade => Some(None),
            _ => None,
        }
    }

    /// Which apps set each other off without end: one sentence.
    pub(crate) fn tell_cascade(&self, found: &Found) -> Option<String> {
        let when = self.clause(found.schedule.moves.last()?.actor);
        let mut names: Vec<String> = Vec::new();
        for deed in self.round(found) {
            let name = quoted(&self.apps[deed.action.app as usize].name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Some(match names.as_slice() {
            [] => return None,
            [alone] => format!("when {when}, {alone} does what sets it off again, and nothing ends that"),
            [some @ .., last] => {
                format!("when {when}, {} and {last} set each other off, and nothing ends that", some.join(", "))
            }
        })
    }

    /// What is enough for a violation, if it is one event: a sentence.
    pub(crate) fn tell_alone(&self, found: &Found) -> Option<String> {
        let [only] = found.schedule.moves[..] else { return None };
        Some(format!("it is enough that {}", self.clause(only.actor)))
    }

    /// What apps do again and again in the last step, if they do.
    pub(crate) fn round(&self, found: &Found) -> Vec<Deed> {
        match self.deeds(found) {
            Some((deeds, Some(from))) if found.violation.kind == ViolationKind::Cascade => {
                deeds.into_iter().skip(from).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Everything that apps do in a schedule, in order, and the place from which on they would do it again for ever.
    fn deeds(&self, found: &Found) -> Option<(Vec<Deed>, Option<usize>)> {
        let mut state = self.initial_states().into_iter().nth(found.schedule.start)?;
        let (mut deeds, mut recorder, mut again) = (Vec::new(), Step::default(), None);
        for (step, &Move { actor, outcome }) in found.schedule.moves.iter().enumerate() {
            let (actions, round) = self.actions(&state, actor, outcome);
            again = round.map(|first| deeds.len() + first);
            deeds.extend(actions.into_iter().map(|action| Deed { step, actor, action }));
            recorder.begin(outcome);
            self.step(&mut state, actor, &mut recorder);
        }
        Some((deeds, again))
    }

    /// Whether a deed is the one that the violation is about: in the last step, at its place.
    fn is_culprit(&self, deed: &Deed, found: &Found) -> bool {
        deed.step + 1 == found.schedule.moves.len()
            && deed.action.slot.is_some()
            && deed.action.location == found.violation.location
    }

    pub(crate) fn told(&self, deed: &Deed) -> String {
        format!("{} {}", quoted(&self.apps[deed.action.app as usize].name), deed.action.text)
    }

    /// What happens, as it stands behind "when".
    fn clause(&self, actor: ActorId) -> String {
        let name = self.actor_name(actor);
        let Some(event) = self.events.get(actor.index()) else {
            return self.timer_clause(actor).unwrap_or(name);
        };
        match &event.happening {
            Happening::Attribute { device, .. } => device_clause(&name, &self.wiring.devices[*device as usize].name),
            Happening::Touch { app: Some(app) } => format!("a person taps {}", quoted(&self.apps[*app as usize].name)),
            Happening::Touch { app: None } => "a person taps an app".to_owned(),
            Happening::Mode { value } => match self.store.value(*value) {
                Some(Frozen::Text(mode)) => format!("the mode becomes {mode}"),
                _ => name,
            },
            Happening::Sun { name } if name.starts_with("sunrise") => "the sun rises".to_owned(),
            Happening::Sun { .. } => "the sun sets".to_owned(),
            Happening::Method { .. } | Happening::Nothing => name,
        }
    }

    fn timer_clause(&self, actor: ActorId) -> Option<String> {
        let slot = self.store.timers().get(actor.index() - self.events.len()).copied()?;
        let Some(Dynamic::Timer { app, method }) = self.store.dynamic(slot) else { return None };
        Some(format!("it is time for {method} of {}", quoted(&self.apps[app as usize].name)))
    }
}

/// "front door locked by hand" as "the front door is locked by hand".
fn device_clause(name: &str, device: &str) -> String {
    const DONE: [&str; 5] = ["pushed", "held", "touched", "tested", "detected"];
    let is_done = |words: &str| words.ends_with(" by hand") || DONE.iter().any(|done| words.ends_with(done));
    if let Some(value) = name.strip_prefix(device).and_then(|rest| rest.strip_prefix(": ")) {
        return format!("the {device} says {value}");
    }
    match name.strip_prefix(device).and_then(|rest| rest.strip_prefix(' ')) {
        Some(rest) if is_done(rest) => format!("the {device} is {rest}"),
        Some(rest) => format!("the {device} {rest}"),
        None => match name.strip_suffix(" detected") {
            Some(what) => format!("{what} is detected"),
            None => name.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_is_told_in_whole_sentences() {
        assert_eq!(device_clause("front door locked by hand", "front door"), "the front door is locked by hand");
        assert_eq!(device_clause("window opens", "window"), "the window opens");
        assert_eq!(device_clause("smoke detected", "smoke detector"), "smoke is detected");
        assert_eq!(device_clause("sensor: temperature 45", "sensor"), "the sensor says temperature 45");
    }
}
