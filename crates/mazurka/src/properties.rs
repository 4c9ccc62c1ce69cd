//! What a program in Rust has to do in the end.

use mazurka_core::{
    ActorId, ActorKind, BlockedVisitor, ClassId, Ending, Fairness, Insight, Liveness, Narrator, Object, ObjectId,
    Property, Step, System, Traits, class_name,
};

/// A condition on a state.
type Condition<'a, State> = Box<dyn Fn(&State) -> bool + Send + Sync + 'a>;
type CauseAndGoal<'a, S> = (Option<Condition<'a, S>>, Condition<'a, S>);

/// A [`System`] with what it has to do in the end. A [`Model`](crate::Model) has methods of its own for that.
///
/// ```
/// use mazurka::{ActorId, Check, Properties, Step, System, Verdict};
///
/// /// A lamp that a switch turns on and off.
/// struct Lamp;
///
/// impl System for Lamp {
///     type State = bool;
///
///     fn initial_states(&self) -> Vec<bool> {
///         vec![true]
///     }
///
///     fn enabled(&self, _on: &bool, into: &mut Vec<ActorId>) {
///         into.push(ActorId(0));
///     }
///
///     fn step(&self, on: &mut bool, _switch: ActorId, _step: &mut Step) {
///         *on = !*on;
///     }
/// }
///
/// let lamp = Properties::of(&Lamp).eventually("it is dark", |on| !on);
/// // Nobody has to touch the switch.
/// assert_eq!(Check::new(&lamp).run().exploration.verdict, Verdict::Violated);
/// let lamp = lamp.fair("actor 0", mazurka::Fairness::Weak);
/// assert_eq!(Check::new(&lamp).run().exploration.verdict, Verdict::Verified);
/// ```
pub struct Properties<'a, S: System> {
    system: &'a S,
    properties: Vec<Property>,
    /// For each of them its cause, if it has one, and its goal.
    conditions: Vec<CauseAndGoal<'a, S::State>>,
    /// How actors are treated, by name, where that is said.
    fairness: Vec<(String, Fairness)>,
}

impl<'a, S: System> Properties<'a, S> {
    /// A system that does not have to do anything yet.
    pub fn of(system: &'a S) -> Self {
        Properties { system, properties: Vec::new(), conditions: Vec::new(), fairness: Vec::new() }
    }

    /// What has to be true at some point of every fair execution.
    #[must_use]
    pub fn eventually(self, name: &str, goal: impl Fn(&S::State) -> bool + Send + Sync + 'a) -> Self {
        self.with(Property::eventually(name), None, Box::new(goal))
    }

    /// What has to be true again and again in every fair execution.
    #[must_use]
    pub fn always_eventually(self, name: &str, goal: impl Fn(&S::State) -> bool + Send + Sync + 'a) -> Self {
        self.with(Property::always_eventually(name), None, Box::new(goal))
    }

    /// What has to follow: whenever the cause is there, the goal is reached, then or later.
    #[must_use]
    pub fn leads_to(
        self,
        name: &str,
        cause: impl Fn(&S::State) -> bool + Send + Sync + 'a,
        goal: impl Fn(&S::State) -> bool + Send + Sync + 'a,
    ) -> Self {
        let message = format!("may not come about: {name}");
        let property = Property { message, text: name.to_owned(), ..Property::leads_to("", "") };
        self.with(property, Some(Box::new(cause)), Box::new(goal))
    }

    /// How an actor is treated in executions without end. Unless this is said, events may stay away for ever, and whatever
    /// else can always move from some point on moves.
    #[must_use]
    pub fn fair(mut self, actor: &str, fairness: Fairness) -> Self {
        self.fairness.push((actor.to_owned(), fairness));
        self
    }

    fn with(
        mut self,
        property: Property,
        cause: Option<Condition<'a, S::State>>,
        goal: Condition<'a, S::State>,
    ) -> Self {
        self.properties.push(property);
        self.conditions.push((cause, goal));
        self
    }
}

impl<S: System> System for Properties<'_, S> {
    type State = S::State;

    fn initial_states(&self) -> Vec<S::State> {
        self.system.initial_states()
    }

    fn enabled(&self, state: &S::State, into: &mut Vec<ActorId>) {
        self.system.enabled(state, into);
    }

    fn step(&self, state: &mut S::State, actor: ActorId, step: &mut Step) {
        self.system.step(state, actor, step);
    }

    fn blocked(&self, state: &S::State, enabled: &[ActorId], visit: &mut BlockedVisitor<'_>) {
        self.system.blocked(state, enabled, visit);
    }

    fn ending(&self, state: &S::State) -> Ending {
        self.system.ending(state)
    }

    fn traits(&self) -> Traits {
        self.system.traits()
    }

    fn actor(&self, actor: ActorId) -> ActorKind {
        self.system.actor(actor)
    }

    fn object(&self, object: ObjectId) -> Object {
        self.system.object(object)
    }

    fn narrator(&self) -> &dyn Narrator<S::State> {
        self.system.narrator()
    }

    fn insight(&self) -> &dyn Insight<S::State> {
        self.system.insight()
    }

    fn liveness(&self) -> &dyn Liveness<S::State> {
        self
    }
}

impl<S: System> Liveness<S::State> for Properties<'_, S> {
    fn properties(&self) -> &[Property] {
        &self.properties
    }

    fn holds(&self, state: &S::State, property: usize) -> bool {
        (self.conditions[property].1)(state)
    }

    fn begins(&self, state: &S::State, property: usize) -> bool {
        self.conditions[property].0.as_ref().is_none_or(|cause| cause(state))
    }

    fn fairness(&self, class: ClassId) -> Option<Fairness> {
        let said = |name: &str| self.fairness.iter().rev().find(|(actor, _)| actor == name);
        if self.fairness.is_empty() {
            None
        } else {
            said(&class_name(self.system, class)).map(|(_, fairness)| *fairness)
        }
    }
}
