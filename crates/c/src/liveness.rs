//! What a C program has to do in the end: make progress, or end.

use crate::code::{Instruction as I, Program};
use crate::library::Routine;
use crate::model::Model;
use crate::state::State;
use mazurka_core::{ActorId, ActorKind, Form, Liveness, Location, Property, System};

/// What a program is asked. Calls of `mazurka_progress` ask for progress again and again. Where livelocks are looked for, to end
/// is as good.
pub(crate) fn properties(program: &Program) -> Vec<Property> {
    let is_progress = |code: &I| match code {
        I::Routine { call } => program.calls[*call as usize].routine == Routine::Progress,
        _ => false,
    };
    let first = program.code.iter().position(is_progress);
    let place = |at: usize| program.debug.location(*program.places.get(at)?).cloned();
    let location: Option<Location> = first.and_then(place);
    let asked = match (program.options.livelocks, first) {
        (false, None) => return Vec::new(),
        (false, Some(_)) => Property::progress(),
        (true, None) => livelock("threads may go on for ever, and never all come to their ends"),
        (true, Some(_)) => livelock("threads may go on for ever without progress, and never all come to their ends"),
    };
    vec![Property { location, ..asked }]
}

fn livelock(message: &str) -> Property {
    Property {
        form: Form::Progress,
        text: "no livelock".to_owned(),
        message: format!("livelock: {message}"),
        location: None,
    }
}

impl Liveness<State> for Model {
    fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// Whether the program has come to its end, as far as livelocks are concerned: nothing but events can happen. A
    /// deadlock is told as what it is.
    fn holds(&self, state: &State, _property: usize) -> bool {
        let mut enabled: Vec<ActorId> = Vec::new();
        if self.program().options.livelocks {
            self.enabled(state, &mut enabled);
        }
        self.program().options.livelocks && enabled.iter().all(|&actor| self.actor(actor) == ActorKind::Event)
    }
}
