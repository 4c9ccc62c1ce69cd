//! What has to happen in the end: whether a program has a fair execution without end in which it does not.
//!
//! A property ([`Property`]) is violated by a *lasso*: a stem and a loop that is repeated for ever, fair and without the
//! goal. There are four forms, so no automaton is needed. Each is a question about a region of the state graph:
//!
//! | form | region |
//! | --- | --- |
//! | `eventually Q` | what is reached from an initial state through states without Q |
//! | `always eventually Q` | all states without Q |
//! | `P leads_to Q` | what is reached from a state with P through states without Q |
//! | `progress` | all states, without the steps of progress |
//!
//! The property is violated if and only if the region has a set of states that a fair execution visits again and again,
//! all of it ([`component`]). To every state belongs a step of no actor, which leads to itself, so that finished programs,
//! deadlocks and "nothing has to happen" are lassos too, with a loop of no moves.
//!
//! This comes after the search of `exhaustive`, and only if the program has properties: a walk of its own visits all
//! states once more and keeps what the questions need ([`graph`]). It is taken by one thread, so the answer does not
//! depend on the number of threads. Of a search that was cut, what is found is reported; a proof needs all states.
//!
//! Engines that reduce cannot promise it. Weak fairness is not closed under the exchange of independent steps: let an actor
//! be able to move while x or y is 1; `y=1 x=0 x=1 y=0` for ever keeps it able, `x=0 y=1 …` does not, and the
//! writes of x and y are independent.

mod component;
mod graph;
mod lasso;

#[cfg(test)]
mod tests;

use crate::{Engine, Options};
use component::{Edges, fair_components};
use graph::{Collected, StepGraph};
use mazurka_core::{
    ActorKind, Answered, Budget, ClassId, Counter, Exploration, Fairness, Form, Found, Meter, Observer, Property,
    StopReason, System, Verdict, class_name,
};
use std::time::Duration;

/// How many states are looked at to find out which actors' fairness decides.
const MOST_FOR_REMEDIES: usize = 20_000_000;

/// How many names a remedy lists.
const MOST_NAMES: usize = 4;

/// Why an engine cannot answer a program that says what has to happen; `None` if it can.
pub(crate) fn refuses(engine: Engine) -> Option<String> {
    (engine != Engine::Exhaustive).then(|| {
        format!(
            "the program says what has to happen in the end, and only {} looks for executions without end: {engine} does \
             not follow all of them",
            Engine::Exhaustive
        )
    })
}

/// Adds to the result of `exhaustive` whether everything happens that has to.
pub(crate) fn extend<S: System>(
    system: &S,
    options: &Options,
    observer: &mut dyn Observer,
    exploration: Exploration,
) -> Exploration {
    let properties = system.liveness().properties();
    let is_over = exploration.stop != StopReason::Complete || matches!(exploration.verdict, Verdict::Unsupported(_));
    if properties.is_empty() || is_over {
        return exploration;
    }
    let taken = Duration::from_secs_f64(exploration.statistics.seconds);
    let time = options.budget.time.map(|limit| limit.saturating_sub(taken));
    let mut meter = Meter::start(&Budget { time, ..options.budget.clone() });
    let Exploration { mut stop, cut, mut violations, mut statistics, .. } = exploration;
    let collected = Collected::walk(system, options, &mut meter, observer);
    let mut search = Search { system, options, meter, collected };
    let mut lost = false;
    for number in 0..properties.len() {
        if search.collected.stop.is_some_and(|stop| stop == StopReason::Cancelled) || search.meter.is_over() {
            break;
        }
        match search.violation(number) {
            Answer::Holds => {}
            Answer::Stopped => break,
            Answer::Lost => lost = true,
            Answer::Violated(found) => {
                observer.violation(&found.violation);
                violations.push(found);
                if !options.all {
                    stop = StopReason::FirstViolation;
                    break;
                }
            }
        }
    }
    let limit = search.collected.stop.or_else(|| search.meter.check());
    if let Some(limit) = limit
        && stop == StopReason::Complete
    {
        stop = limit;
    }
    let all = limit.is_none() && cut.is_none();
    let vacuous = |number: usize| if all { search.vacuous(number) } else { None };
    let answered: Vec<_> = (0..properties.len())
        .map(|number| Answered { property: properties[number].clone(), vacuous: vacuous(number) })
        .collect();
    statistics.set(Counter::KeptSteps, search.graph().kept_steps() as u64);
    statistics.seconds += search.meter.elapsed().as_secs_f64();
    if let Some(bytes) = search.meter.peak_bytes() {
        statistics.raise(Counter::PeakBytes, bytes);
    }
    let mut exploration = Exploration { answered, ..Exploration::conclude(stop, cut, violations, statistics) };
    if lost && exploration.verdict != Verdict::Violated {
        exploration.verdict = Verdict::Unsupported("the program did not do the same thing twice".into());
    }
    exploration
}

/// What a question about one property comes to.
enum Answer {
    Holds,
    Violated(Found),
    /// The lasso could not be followed: the program is not deterministic.
    Lost,
    /// A limit was reached before there was an answer.
    Stopped,
}

struct Search<'s, S: System> {
    system: &'s S,
    options: &'s Options,
    meter: Meter,
    collected: Collected,
}

impl<S: System> Search<'_, S> {
    fn graph(&self) -> &StepGraph {
        &self.collected.graph
    }

    fn violation(&self, number: usize) -> Answer {
        let property = &self.system.liveness().properties()[number];
        let graph = self.graph();
        let region = graph.region(number, property.form, &self.meter);
        let edges = Edges::of(property.form);
        let components = fair_components(graph, &region.states, &graph.fairness, edges, usize::MAX, &self.meter);
        let Some(path) = lasso::shortest(graph, &region, &components, edges, &self.meter) else {
            return if self.meter.is_over() { Answer::Stopped } else { Answer::Holds };
        };
        let Some(mut schedule) = self.collected.schedule(self.system, &path) else { return Answer::Lost };
        if let Some(lasso) = &mut schedule.lasso {
            lasso.fairness = self.options.fairness;
            lasso.remedy = self.remedy(&region.states, edges);
        }
        // Whatever is reported has been checked step by step, by something that knows nothing of this search.
        let follows = mazurka_core::Lap::follow(self.system, &schedule);
        match follows.is_some_and(|lap| lap.violated.contains(&number)) {
            true => Answer::Violated(Found { violation: property.violation(), schedule }),
            false => Answer::Lost,
        }
    }

    /// Which actors would have to be treated fairly, or more so, for the property to hold: first those whose steps may stay away,
    /// then strong fairness for those who wait, then for all.
    fn remedy(&self, region: &[u32], edges: Edges) -> Option<String> {
        let graph = self.graph();
        let given = &graph.fairness;
        let holds = |fairness: &[Fairness]| {
            fair_components(graph, region, fairness, edges, 1, &self.meter).is_empty() && !self.meter.is_over()
        };
        let raises: [(&[Fairness], Fairness); 3] = [
            (&[Fairness::None], Fairness::Weak),
            (&[Fairness::Weak], Fairness::Strong),
            (&[Fairness::None, Fairness::Weak], Fairness::Strong),
        ];
        for (from, to) in raises {
            let raise = |&own: &Fairness| if from.contains(&own) { to } else { own };
            let mut fairness: Vec<Fairness> = given.iter().map(raise).collect();
            if fairness == *given || !holds(&fairness) {
                continue;
            }
            // As few as possible: what can be taken back is, as long as that takes little time.
            let mut needed = Vec::new();
            let mut left = MOST_FOR_REMEDIES;
            for class in (0..given.len()).filter(|&class| from.contains(&given[class])) {
                fairness[class] = given[class];
                left = left.saturating_sub(region.len());
                if left == 0 || !holds(&fairness) {
                    fairness[class] = to;
                    needed.push(class);
                }
            }
            return Some(self.remedy_in_words(&needed, to));
        }
        None
    }

    fn remedy_in_words(&self, classes: &[usize], fairness: Fairness) -> String {
        let ids = classes.iter().map(|&class| self.graph().classes[class]);
        let mut names: Vec<String> = ids.clone().take(MOST_NAMES).map(|class| class_name(self.system, class)).collect();
        if classes.len() > MOST_NAMES {
            names.push(format!("{} more", classes.len() - MOST_NAMES));
        }
        let is_event = |class| matches!(class, ClassId::Actor(actor) if self.system.actor(actor) == ActorKind::Event);
        let moves = if ids.clone().all(is_event) { "happen" } else { "move" };
        // What the program says does not count if another fairness was asked for.
        let says = ids.filter(|_| self.options.fairness.is_none());
        let mut written: Vec<String> =
            says.filter_map(|class| self.system.liveness().remedy(class, fairness)).collect();
        written.dedup();
        let written = match &written[..] {
            [] => String::new(),
            [one] => format!(": {one}"),
            [one, ..] => format!(": {one}, and so on"),
        };
        let names = match &names[..] {
            [] => return "it would hold if every actor were treated so".to_owned(),
            [one] => one.clone(),
            [others @ .., last] => format!("{} and {last}", others.join(", ")),
        };
        match fairness {
            Fairness::Strong => {
                let chance = if classes.len() == 1 { "its chance" } else { "their chances" };
                format!("it would hold if {names} were strongly fair, that is, did not miss {chance} for ever{written}")
            }
            _ => format!("it would hold if {names} had to {moves} in the end{written}"),
        }
    }

    /// Why nothing put a property to the test.
    fn vacuous(&self, number: usize) -> Option<String> {
        let Property { form, .. } = self.system.liveness().properties()[number];
        let graph = self.graph();
        let mut states = 0..graph.len() as u32;
        let reason = match form {
            Form::Eventually if (0..graph.roots).all(|state| graph.holds(state, number)) => {
                "is true in the initial state, before the first step"
            }
            Form::AlwaysEventually if states.all(|state| graph.holds(state, number)) => "is never false",
            Form::LeadsTo if !states.clone().any(|state| graph.begins(state, number)) => {
                "begins with what is never true"
            }
            Form::LeadsTo if states.all(|state| !graph.begins(state, number) || graph.holds(state, number)) => {
                "leads to what is true already whenever it begins"
            }
            _ => return None,
        };
        Some(reason.to_owned())
    }
}
