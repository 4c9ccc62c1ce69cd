//! What a program has to do in the end, and who is treated how.

use super::Model;
use crate::code::{Body, Promise};
use crate::run::{Frame, evaluate};
use crate::state::{Kind, State};
use mazurka_core::{ActorId, ClassId, Fairness, Liveness, Property};

impl Model {
    /// Whether a condition holds; `None` where it has no value.
    fn condition(&self, state: &State, promise: &Promise, condition: &Body) -> Option<bool> {
        let mut frame: Frame = smallvec::smallvec![0; usize::from(condition.registers)];
        if let (Some(first), Some(parameter)) = (frame.first_mut(), promise.parameter) {
            *first = parameter;
        }
        let evaluated = evaluate(&self.program, &state.words, frame, condition.entry, &mut |_| {});
        evaluated.ok().map(|evaluated| evaluated.holds)
    }

    /// How a thread or an event is treated, if that is said, with what is written before its name.
    fn said_of(&self, actor: ActorId) -> Option<(Option<Fairness>, &'static str)> {
        let threads = self.program.threads.len();
        match actor.index().checked_sub(threads) {
            None => Some((self.program.threads[actor.index()].fairness, "thread")),
            Some(event) => Some((self.program.events.get(event)?.member.fairness, "event")),
        }
    }

    fn handler_of(&self, class: ClassId) -> Option<&crate::code::HandlerInfo> {
        let ClassId::Handler(object) = class else { return None };
        let number = object.0.checked_sub(self.first_handler_object())?;
        self.program.handlers.get(number as usize)
    }
}

/// A condition without a value (it divides by zero, say) counts against the program: a goal is not reached then, and a
/// cause is there.
impl Liveness<State> for Model {
    fn properties(&self) -> &[Property] {
        &self.program.properties
    }

    fn holds(&self, state: &State, property: usize) -> bool {
        let promise = &self.program.promises[property];
        promise.goal.as_ref().and_then(|goal| self.condition(state, promise, goal)).unwrap_or(false)
    }

    fn begins(&self, state: &State, property: usize) -> bool {
        let promise = &self.program.promises[property];
        promise.cause.as_ref().and_then(|cause| self.condition(state, promise, cause)).unwrap_or(true)
    }

    /// A spawned thread is what it is at present, so that it is the same one when a state comes back.
    fn class(&self, state: &State, actor: ActorId) -> Option<ClassId> {
        if actor.index() < self.program.threads.len() + self.program.events.len() {
            return Some(ClassId::Actor(actor));
        }
        let record = self.record_of(&state.words, actor)?;
        match record.header.kind {
            Kind::Message => Some(ClassId::Handler(self.handler_object(record.owner(&state.words)))),
            _ => Some(ClassId::Actor(record.presence(&state.words))),
        }
    }

    fn fairness(&self, class: ClassId) -> Option<Fairness> {
        match class {
            ClassId::Actor(actor) => self.said_of(actor)?.0,
            ClassId::Handler(_) => self.handler_of(class)?.fairness,
        }
    }

    fn remedy(&self, class: ClassId, fairness: Fairness) -> Option<String> {
        let word = match fairness {
            Fairness::None => return None,
            Fairness::Weak => "fair",
            Fairness::Strong => "strong",
        };
        let (kind, name) = match class {
            ClassId::Actor(actor) => (self.said_of(actor)?.1, crate::words::actor_name(self, actor)),
            ClassId::Handler(_) => ("handler", self.handler_of(class)?.name.clone()),
        };
        // The word stands before the definition of a whole family.
        let name = name.split('[').next().unwrap_or_default();
        Some(format!("write `{word} {kind} {name}`"))
    }
}
