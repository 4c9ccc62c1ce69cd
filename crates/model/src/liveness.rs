//! What a model has to do in the end, and which of its actors are treated fairly.

use crate::{Actor, Model, State, Variables, View, here};
use mazurka_core::{ActorId, ClassId, Fairness, Liveness, Property, caught};
use std::fmt;
use std::sync::Arc;

/// A condition on a state.
type StateCondition = Box<dyn Fn(&View<'_>) -> bool + Send + Sync>;

/// What has to happen.
#[derive(Default)]
pub(crate) struct Promises {
    properties: Vec<Property>,
    /// For each of them its cause, if it has one, and its goal.
    conditions: Vec<(Option<StateCondition>, StateCondition)>,
    /// How actors are treated, where that is said.
    fairness: Vec<(ActorId, Fairness)>,
}

impl fmt::Debug for Promises {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.properties).finish()
    }
}

/// What has to happen in the end. Executions count that are fair: a thread that can always move from some point on moves. Events
/// may stay away for ever, unless [`Model::fair`] says otherwise.
impl Model {
    /// What has to be true at some point of every fair execution.
    ///
    /// ```
    /// # let mut model = mazurka_model::Model::new();
    /// let done = model.variable("done", false);
    /// model.thread("worker", |t| t.step("finish").then(move |s| s[done] = true));
    /// model.eventually("it is done", done, |done| done);
    /// ```
    #[track_caller]
    pub fn eventually<V: Variables>(
        &mut self,
        name: impl Into<String>,
        variables: V,
        goal: impl Fn(V::Values) -> bool + Send + Sync + 'static,
    ) {
        let name = name.into();
        self.promise(Property::eventually(&name), &name, variables, goal);
    }

    /// What has to be true again and again in every fair execution.
    #[track_caller]
    pub fn always_eventually<V: Variables>(
        &mut self,
        name: impl Into<String>,
        variables: V,
        goal: impl Fn(V::Values) -> bool + Send + Sync + 'static,
    ) {
        let name = name.into();
        self.promise(Property::always_eventually(&name), &name, variables, goal);
    }

    /// What has to follow: whenever the cause is there, the goal is reached, then or later.
    ///
    /// ```
    /// # let mut model = mazurka_model::Model::new();
    /// let (asked, served) = (model.variable("asked", false), model.variable("served", false));
    /// model.leads_to("whoever asks is served", (asked, served), |(asked, _)| asked, |(_, served)| served);
    /// ```
    #[track_caller]
    pub fn leads_to<V: Variables>(
        &mut self,
        name: impl Into<String>,
        variables: V,
        cause: impl Fn(V::Values) -> bool + Send + Sync + 'static,
        goal: impl Fn(V::Values) -> bool + Send + Sync + 'static,
    ) {
        let name = name.into();
        let message = format!("may not come about: {name}");
        let property = Property { message, text: name.clone(), ..Property::leads_to("", "") };
        let variables = Arc::new(variables);
        variables.visit(&mut |model, _| self.must_own(model, &name));
        let (of_cause, of_goal) = (Arc::clone(&variables), variables);
        let cause: StateCondition = Box::new(move |view| cause(of_cause.values(view)));
        let goal: StateCondition = Box::new(move |view| goal(of_goal.values(view)));
        self.promises.properties.push(property.at(here()));
        self.promises.conditions.push((Some(cause), goal));
    }

    /// How an event or a thread is treated in executions without end: see [`Fairness`].
    ///
    /// # Panics
    /// If no event and no thread has this name.
    #[track_caller]
    pub fn fair(&mut self, name: &str, fairness: Fairness) {
        let actor = self.actors.iter().position(|actor| actor.name == name);
        let actor = actor.unwrap_or_else(|| panic!("the model has no event and no thread called `{name}`"));
        self.promises.fairness.push((ActorId(actor as u32), fairness));
    }

    #[track_caller]
    fn promise<V: Variables>(
        &mut self,
        property: Property,
        name: &str,
        variables: V,
        goal: impl Fn(V::Values) -> bool + Send + Sync + 'static,
    ) {
        variables.visit(&mut |model, _| self.must_own(model, name));
        let goal: StateCondition = Box::new(move |view| goal(variables.values(view)));
        self.promises.properties.push(property.at(here()));
        self.promises.conditions.push((None, goal));
    }

    /// Whether a condition holds; one that panics has no value.
    fn says(&self, state: &State, condition: &StateCondition) -> Option<bool> {
        caught(|| condition(&View::silent(self, &state.words))).ok()
    }
}

/// A condition that panics counts against the program: a goal is not reached then, and a cause is there.
impl Liveness<State> for Model {
    fn properties(&self) -> &[Property] {
        &self.promises.properties
    }

    fn holds(&self, state: &State, property: usize) -> bool {
        self.says(state, &self.promises.conditions[property].1).unwrap_or(false)
    }

    fn begins(&self, state: &State, property: usize) -> bool {
        let cause = self.promises.conditions[property].0.as_ref();
        cause.is_none_or(|cause| self.says(state, cause).unwrap_or(true))
    }

    fn fairness(&self, class: ClassId) -> Option<Fairness> {
        let said = self.promises.fairness.iter().rev().find(|(actor, _)| ClassId::Actor(*actor) == class);
        said.map(|(_, fairness)| *fairness)
    }

    fn remedy(&self, class: ClassId, fairness: Fairness) -> Option<String> {
        let ClassId::Actor(actor) = class else { return None };
        let Actor { name, .. } = self.actors.get(actor.index())?;
        Some(format!("`fair({name:?}, Fairness::{fairness:?})` says so"))
    }
}
