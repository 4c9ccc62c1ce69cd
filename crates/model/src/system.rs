//! The faces that engines and reports see of a model.

use crate::run::Standing;
use crate::thread::{HALTED, Instruction, Operation};
use crate::{Body, Model, Role, State};
use mazurka_core::{
    Access, ActorId, ActorKind, BlockedVisitor, Description, Ending, Fingerprint, Footprint, Insight, Liveness,
    Narrator, Object, ObjectId, Outcome, Rule, Step, System, Traits, Value, Violation, ViolationKind, pack_row,
    unpack_row,
};

impl System for Model {
    type State = State;

    fn initial_states(&self) -> Vec<State> {
        self.starts()
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        into.extend(self.all_actors().filter(|&actor| self.is_enabled(&state.words, actor)));
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        self.take(&mut state.words, actor, step);
    }

    fn blocked(&self, state: &State, enabled: &[ActorId], visit: &mut BlockedVisitor<'_>) {
        // The enabled ones are in order.
        let mut enabled = enabled.iter().copied().peekable();
        for actor in self.all_actors() {
            let may_move = match self.actors[actor.index()].body {
                Body::Event { .. } => true,
                Body::Thread { .. } => self.standing(&state.words, actor).is_some(),
            };
            if enabled.next_if_eq(&actor).is_none() && may_move {
                visit(actor, &mut |footprint| self.obstacle(&state.words, actor, footprint));
            }
        }
    }

    fn ending(&self, state: &State) -> Ending {
        let stopped = self.objects.iter().zip(&state.words);
        if stopped.into_iter().any(|(thing, &word)| matches!(thing.role, Role::Thread(_)) && word == HALTED) {
            // What the others wait for may be what a panic prevented.
            return Ending::Blocked;
        }
        let blocked = self.all_actors().filter_map(|actor| Some((actor, self.standing(&state.words, actor)?)));
        let blocked: Vec<(ActorId, Standing<'_>)> = blocked.collect();
        let Some((_, first)) = blocked.first() else { return Ending::Finished };
        let reasons: Vec<String> = blocked.iter().map(|(actor, at)| self.reason(state, *actor, at)).collect();
        let violation = Violation::new(ViolationKind::Deadlock, format!("deadlock: {}", reasons.join("; ")));
        Ending::Deadlock(Box::new(Violation { location: Some(first.at.location.clone()), ..violation }))
    }

    fn traits(&self) -> Traits {
        let events = self.actors.iter().any(|actor| matches!(actor.body, Body::Event { .. }));
        let threads = self.actors.iter().any(|actor| matches!(actor.body, Body::Thread { .. }));
        Traits { events, threads, terminates: !events && !self.has_loops, tells_blocked: true, ..Traits::default() }
    }

    fn actor(&self, actor: ActorId) -> ActorKind {
        match self.actors[actor.index()].body {
            Body::Event { .. } => ActorKind::Event,
            Body::Thread { .. } => ActorKind::Thread,
        }
    }

    fn object(&self, object: ObjectId) -> Object {
        let role = &self.objects[object.0 as usize].role;
        let rule = if matches!(role, Role::Mutex) { Rule::Mutex } else { Rule::Free };
        Object { kind: role.kind(), rule }
    }

    fn narrator(&self) -> &dyn Narrator<State> {
        self
    }

    fn insight(&self) -> &dyn Insight<State> {
        self
    }

    fn liveness(&self) -> &dyn Liveness<State> {
        self
    }
}

impl Insight<State> for Model {
    fn violations_at_start(&self, state: &State, into: &mut Vec<Violation>) {
        into.extend((0..self.invariants.len()).filter_map(|number| self.broken(&state.words, number)));
    }

    fn holder(&self, state: &State, object: ObjectId) -> Option<ActorId> {
        match self.objects[object.0 as usize].role {
            Role::Mutex => state.words[object.0 as usize].checked_sub(1).map(ActorId),
            Role::Thread(actor) => Some(ActorId(actor as u32)),
            Role::Variable { .. } | Role::Condition | Role::Invariant => None,
        }
    }

    fn fingerprint(&self, state: &State) -> Fingerprint {
        Fingerprint::of_bytes(bytemuck::cast_slice(&state.words))
    }

    fn packs(&self) -> bool {
        true
    }

    fn pack(&self, state: &State, before: &State, into: &mut Vec<u8>) {
        pack_row(&state.words, &before.words, into);
    }

    fn unpack(&self, bytes: &mut &[u8], state: &mut State) -> bool {
        unpack_row(bytes, &mut state.words, self.objects.len()).is_some()
    }

    fn absent(&self, actor: ActorId, footprint: &mut Footprint) {
        if let Body::Thread { life, .. } = self.actors[actor.index()].body {
            footprint.touch(life, Access::READ);
        }
    }
}

impl Narrator<State> for Model {
    fn actor_name(&self, actor: ActorId) -> String {
        self.actors[actor.index()].name.clone()
    }

    fn object_name(&self, object: ObjectId) -> String {
        self.name(object).to_owned()
    }

    fn touch_verb(&self, object: ObjectId, access: Access) -> &'static str {
        let changes = access.changes() || access.contains(Access::REWRITE);
        match &self.objects[object.0 as usize].role {
            Role::Variable { .. } if changes => "wrote",
            Role::Variable { .. } => "read",
            Role::Mutex if access.contains(Access::RELEASE) => "released",
            Role::Mutex => "acquired",
            Role::Condition if access.contains(Access::ADD) => "waited for",
            Role::Condition => "signalled",
            Role::Invariant => "changed",
            Role::Thread(_) => "woke",
        }
    }

    fn describe(&self, state: &State, actor: ActorId, _outcome: Outcome) -> Description {
        if let Body::Event { location, .. } = &self.actors[actor.index()].body {
            return Description { text: self.actor_name(actor), location: Some(location.clone()) };
        }
        match self.standing(&state.words, actor) {
            Some(standing) => {
                Description { text: self.text(standing.at), location: Some(standing.at.location.clone()) }
            }
            None => Description { text: "nothing".to_owned(), location: None },
        }
    }

    fn observe(&self, state: &State, into: &mut Vec<Value>) {
        let objects = (0..self.objects.len() as u32).map(ObjectId);
        let has_value =
            |object: &ObjectId| matches!(self.objects[object.0 as usize].role, Role::Variable { .. } | Role::Mutex);
        into.extend(objects.filter(has_value).map(|object| self.shown(&state.words, object)));
    }
}

impl Model {
    fn all_actors(&self) -> impl Iterator<Item = ActorId> + use<> {
        (0..self.actors.len() as u32).map(ActorId)
    }

    fn name(&self, object: ObjectId) -> &str {
        &self.objects[object.0 as usize].name
    }

    /// What a thread does, in words.
    fn text(&self, at: &Instruction) -> String {
        if let Some(name) = &at.name {
            return name.clone();
        }
        match at.operation {
            Operation::Lock(mutex) => format!("lock {}", self.name(mutex)),
            Operation::Unlock(mutex) => format!("unlock {}", self.name(mutex)),
            Operation::Wait { condition, .. } => format!("wait for {}", self.name(condition)),
            Operation::Reacquire { mutex, .. } => format!("lock {} again", self.name(mutex)),
            Operation::Signal { condition, all: false } => format!("signal {}", self.name(condition)),
            Operation::Signal { condition, all: true } => format!("broadcast {}", self.name(condition)),
            Operation::Step(_) | Operation::Branch { .. } | Operation::Goto(_) => String::new(),
        }
    }

    /// What a thread that cannot move waits for.
    fn reason(&self, state: &State, actor: ActorId, standing: &Standing<'_>) -> String {
        let who = self.actor_name(actor);
        match standing.at.operation {
            Operation::Reacquire { condition, .. } if standing.is_waiting => {
                format!("{who} waits for a signal of {}", self.name(condition))
            }
            Operation::Lock(mutex) | Operation::Reacquire { mutex, .. } => {
                let holder = match self.holder(state, mutex) {
                    Some(holder) if holder == actor => "itself".to_owned(),
                    Some(holder) if self.standing(&state.words, holder).is_none() => {
                        format!("{}, which has ended", self.actor_name(holder))
                    }
                    Some(holder) => self.actor_name(holder),
                    None => "no thread".to_owned(),
                };
                format!("{who} waits for {} held by {holder}", self.name(mutex))
            }
            _ => format!("{who} waits to {}", self.text(standing.at)),
        }
    }
}
