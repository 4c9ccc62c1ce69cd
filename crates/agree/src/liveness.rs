//! What has to happen in the end, on random programs: the engine's answers against two naive oracles.
//!
//! A random program gets random promises, statements `progress` and words on fairness. Of its states an explicit graph is
//! made, plainly. Then there are two ways to an answer that share nothing with the engine's. On few states, every set of states is tried
//! as the one that an execution visits again and again. On more, every set of strongly fair classes is tried as the one that
//! cannot move any more: what is left is a search for a component that has a witness for every other class, and which states
//! reach which is found state by state. A lasso that the engine tells is followed on that graph, step by step, and once more
//! in the names that last.

use crate::shrink;
use crate::walk::{Part, walk};
use crate::{SHRINKING_ATTEMPTS, Settings, generate};
use mazurka_core::{
    ClassId, Ending, Fairness, Fingerprint, Form, Found, Move, Outcome, Random, Schedule, Silent, Step, Stepper,
    StopReason, System, Traits, class_of, fairness_of,
};
use mazurka_engines::{Engine, Options, explore};
use mazurka_lang::ast::{BinaryOp, Block, Expr, ExprKind, Initial, Item, Place, Statement, StatementKind, Unit};
use mazurka_lang::{Identity, Model, compile, print};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// A program with more states than this is left out.
const MOST_STATES: usize = 150;
/// On this many states, every set of them is tried.
const MOST_FOR_SETS: usize = 12;
/// With more strongly fair classes than this, not every set of them is tried.
const MOST_STRONG: usize = 8;

/// What was asked so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LivenessTally {
    /// Programs that were made.
    pub programs: u64,
    /// Those that were left out: too many states, or what they do has no meaning.
    pub left_out: u64,
    /// Questions that were answered: one for each property of each program.
    pub questions: u64,
    /// Of these, those that are violated.
    pub violated: u64,
    /// Of these, those violated by standing still.
    pub still: u64,
    /// Questions that were also answered by trying all sets of states.
    pub by_sets: u64,
}

impl fmt::Display for LivenessTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LivenessTally { programs, left_out, questions, violated, still, by_sets } = self;
        writeln!(f, "{programs} programs, {left_out} left out; {questions} questions, all answers agree")?;
        writeln!(f, "  {violated} violated, {still} of them by standing still; {by_sets} by every set of states too")
    }
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LivenessAgreement {
    /// What was asked.
    pub tally: LivenessTally,
    /// The first disagreement, which ended the run: in words, with the program and a smaller one.
    pub disagreement: Option<String>,
}

/// Makes programs and asks of each what has to happen, up to the first disagreement or until a limit is reached.
pub fn run_liveness(settings: &Settings, progress: &mut dyn FnMut(&LivenessTally)) -> LivenessAgreement {
    let started = Instant::now();
    let mut tally = LivenessTally::default();
    while !settings.cancel.is_cancelled()
        && settings.programs.is_none_or(|programs| tally.programs < programs)
        && settings.time.is_none_or(|time| started.elapsed() < time)
    {
        let seed = settings.seed.wrapping_add(tally.programs);
        tally.programs += 1;
        let unit = promising(seed);
        match compare(&print(&unit), settings.variant.fairness) {
            Ok(Some(answers)) => {
                tally.questions += answers.questions;
                tally.violated += answers.violated;
                tally.still += answers.still;
                tally.by_sets += answers.by_sets;
            }
            Ok(None) => tally.left_out += 1,
            Err(difference) => {
                let shows = |candidate: &Unit| compare(&print(candidate), settings.variant.fairness).is_err();
                let small = print(&shrink::shrink(&unit, SHRINKING_ATTEMPTS, shows));
                let again = compare(&small, settings.variant.fairness).err().unwrap_or_default();
                let disagreement = format!(
                    "DISAGREEMENT on program {seed}: {difference}\n\nthe smallest program found: {again}\n\n{small}\n\
                     the program as it was made:\n\n{}",
                    print(&unit)
                );
                return LivenessAgreement { tally, disagreement: Some(disagreement) };
            }
        }
        progress(&tally);
    }
    LivenessAgreement { tally, disagreement: None }
}

/// The program of a number, with promises.
fn promising(seed: u64) -> Unit {
    let mut unit = generate(seed).unit;
    let mut random = Random::new(seed ^ 0x6c69_7665);
    // A check that fails ends an execution early: without them there is more to see.
    if random.percent(50) {
        unit.items.retain(|item| !matches!(item, Item::Never { .. }));
    }
    let places: Vec<(String, Option<usize>)> = unit
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Shared { name, length: None, .. } => Some((name.text.clone(), None)),
            Item::Shared { name, initial: Initial::Each(values, _), .. } => {
                Some((name.text.clone(), Some(values.len())))
            }
            Item::Shared { name, .. } => Some((name.text.clone(), Some(1))),
            _ => None,
        })
        .collect();
    for item in &mut unit.items {
        if let Item::Thread { fairness, .. } | Item::Event { fairness, .. } = item {
            *fairness = some_fairness(&mut random);
        }
        if let Item::Object { fairness, kind, .. } = item
            && matches!(kind, mazurka_lang::ast::ObjectKind::FifoHandler | mazurka_lang::ast::ObjectKind::AnyHandler)
        {
            *fairness = some_fairness(&mut random);
        }
    }
    if random.percent(25) {
        walk(&mut unit, &mut |part| {
            if let Part::Block(Block { statements }) = part
                && random.percent(30)
            {
                let at = random.below(statements.len() + 1);
                statements.insert(at, Statement { kind: StatementKind::Progress, span: 0..0 });
            }
        });
    }
    for form in [Form::Eventually, Form::AlwaysEventually, Form::LeadsTo] {
        for _ in 0..1 + random.below(2) {
            let cause = (form == Form::LeadsTo).then(|| condition(&mut random, &places));
            let goal = condition(&mut random, &places);
            unit.items.push(Item::Promise { form, family: None, cause, goal, span: 0..0 });
        }
    }
    unit
}

fn some_fairness(random: &mut Random) -> Option<Fairness> {
    if random.percent(40) { None } else { random.pick(&Fairness::ALL).copied() }
}

/// A comparison of a shared variable with a small number.
fn condition(random: &mut Random, places: &[(String, Option<usize>)]) -> Expr {
    let number = |value: i64| Expr::new(ExprKind::Number(value));
    let value = number(random.between(0, 3));
    let Some((name, length)) = random.pick(places) else { return number(0) };
    let index = length.map(|length| Box::new(number(random.below(length) as i64)));
    let place = Place { name: mazurka_lang::ast::Name::new(name.as_str()), index };
    let op = random.pick(&[BinaryOp::Equal, BinaryOp::NotEqual, BinaryOp::Less]).copied().unwrap_or(BinaryOp::Equal);
    Expr::new(ExprKind::Binary(op, Box::new(Expr::new(ExprKind::Place(place))), Box::new(value)))
}

/// What came of one program.
#[derive(Default)]
struct Answers {
    questions: u64,
    violated: u64,
    still: u64,
    by_sets: u64,
}

/// Asks the engine and the oracles; `None` if the program is left out, an error if they differ.
fn compare(source: &str, fairness: Option<Fairness>) -> Result<Option<Answers>, String> {
    let Ok(program) = compile("random.mz", source, &[]) else { return Ok(None) };
    let program = Arc::new(program);
    let model = Model::new(Arc::clone(&program), Identity::Presence);
    if !Traits::of(&model).liveness {
        return Ok(None);
    }
    let Some(graph) = Graph::of(&model, fairness) else { return Ok(None) };
    let by_history = Model::new(program, Identity::History);
    let options = |threads| Options { all: true, threads, fairness, ..Options::default() };
    let exploration = explore(Engine::Exhaustive, &model, &options(1), &mut Silent);
    if exploration.stop != StopReason::Complete {
        return Err(format!("the search did not come to its end: {:?}", exploration.verdict));
    }
    let together = explore(Engine::Exhaustive, &model, &options(3), &mut Silent);
    if together.violations != exploration.violations {
        return Err("three threads find something else than one".to_owned());
    }
    let mut answers = Answers::default();
    for (number, property) in mazurka_core::Liveness::properties(&model).iter().enumerate() {
        let wanted = property.violation();
        let found = exploration.violations.iter().find(|found| found.violation == wanted);
        let told = |oracle: &str| {
            let what =
                if found.is_some() { "a violation, and there is none" } else { "no violation, and there is one" };
            format!("{}: exhaustive finds {what} ({oracle})", property.text)
        };
        let question = Question::of(&graph, number, property.form);
        if question.by_strong_classes() != found.is_some() {
            return Err(told("by sets of strongly fair classes"));
        }
        if graph.nodes.len() <= MOST_FOR_SETS {
            answers.by_sets += 1;
            if question.by_sets_of_states() != found.is_some() {
                return Err(told("by sets of states"));
            }
        }
        answers.questions += 1;
        let Some(found) = found else { continue };
        answers.violated += 1;
        let from = found.schedule.lasso.as_ref().map_or(0, |lasso| lasso.from);
        answers.still += u64::from(from == found.schedule.moves.len());
        question.follow(&model, &found.schedule).map_err(|wrong| format!("{}: {wrong}", property.text))?;
        let lasting = Model::retell(&model, &by_history, &found.schedule);
        let met = lasting.and_then(|schedule| Some(Stepper::replay(&by_history, &schedule)?.1));
        if !met.is_some_and(|met| met.iter().any(|met| met.same_site(&found.violation))) {
            return Err(format!("{}: the lasso is none in lasting names", property.text));
        }
    }
    let surplus = |found: &&Found| found.violation.kind == mazurka_core::ViolationKind::Liveness;
    if exploration.violations.iter().filter(surplus).count() as u64 != answers.violated {
        return Err("a property is violated that the program does not have".to_owned());
    }
    Ok(Some(answers))
}

/// All states of a program.
struct Graph {
    nodes: Vec<Node>,
    numbers: HashMap<Fingerprint, usize>,
    fairness: BTreeMap<ClassId, Fairness>,
    starts: usize,
}

struct Node {
    /// Who moves, where to, and whether that is progress.
    steps: Vec<(ClassId, usize, bool)>,
    able: BTreeSet<ClassId>,
    goals: Vec<bool>,
    causes: Vec<bool>,
    /// Whether an execution can stand still here.
    can_rest: bool,
}

impl Graph {
    /// `None` if there are too many states, or too many strongly fair classes.
    fn of(model: &Model, all: Option<Fairness>) -> Option<Graph> {
        let liveness = model.liveness();
        let properties = liveness.properties().len();
        let mut graph = Graph { nodes: Vec::new(), numbers: HashMap::new(), fairness: BTreeMap::new(), starts: 0 };
        let mut states = Vec::new();
        for state in model.initial_states() {
            graph.number(model, state, &mut states);
        }
        graph.starts = states.len();
        let mut step = Step::default();
        while graph.nodes.len() < states.len() {
            if states.len() > MOST_STATES {
                return None;
            }
            let state = states[graph.nodes.len()].clone();
            let mut actors = Vec::new();
            model.enabled(&state, &mut actors);
            let mut node = Node {
                steps: Vec::new(),
                able: BTreeSet::new(),
                goals: (0..properties).map(|property| liveness.holds(&state, property)).collect(),
                causes: (0..properties).map(|property| liveness.begins(&state, property)).collect(),
                can_rest: !actors.is_empty() || model.ending(&state) != Ending::Blocked,
            };
            for actor in actors {
                let class = class_of(model, &state, actor);
                node.able.insert(class);
                graph.fairness.insert(class, fairness_of(model, class, all));
                let mut outcome = Some(Outcome::FIRST);
                while let Some(current) = outcome {
                    let mut next = state.clone();
                    step.take(model, &mut next, Move { actor, outcome: current });
                    outcome = step.next_outcome();
                    let is_progress = step.is_progress();
                    let target = graph.number(model, next, &mut states);
                    node.steps.push((class, target, is_progress));
                }
            }
            graph.nodes.push(node);
        }
        let strong = graph.fairness.values().filter(|&&fairness| fairness == Fairness::Strong).count();
        (strong <= MOST_STRONG).then_some(graph)
    }

    fn number(&mut self, model: &Model, state: mazurka_lang::State, states: &mut Vec<mazurka_lang::State>) -> usize {
        *self.numbers.entry(model.insight().fingerprint(&state)).or_insert_with(|| {
            states.push(state);
            states.len() - 1
        })
    }
}

/// A property of the program.
struct Question<'g> {
    graph: &'g Graph,
    number: usize,
    form: Form,
    /// The states among which the loop has to be.
    region: Vec<bool>,
}

impl<'g> Question<'g> {
    fn of(graph: &'g Graph, number: usize, form: Form) -> Self {
        let is_open = |node: usize| !graph.nodes[node].goals[number];
        let mut work: Vec<usize> = (0..graph.nodes.len())
            .filter(|&node| match form {
                Form::Eventually => node < graph.starts,
                Form::LeadsTo => graph.nodes[node].causes[number],
                Form::AlwaysEventually | Form::Progress => true,
            })
            .collect();
        let mut region = vec![false; graph.nodes.len()];
        while let Some(node) = work.pop() {
            if is_open(node) && !std::mem::replace(&mut region[node], true) {
                work.extend(graph.nodes[node].steps.iter().map(|step| step.1));
            }
        }
        Question { graph, number, form, region }
    }

    /// The steps of a node that stay within a set.
    fn steps<'s>(&'s self, node: usize, within: &'s dyn Fn(usize) -> bool) -> impl Iterator<Item = ClassId> + 's {
        let counts = move |step: &&(ClassId, usize, bool)| within(step.1) && !(self.form == Form::Progress && step.2);
        self.graph.nodes[node].steps.iter().filter(counts).map(|step| step.0)
    }

    /// What can be reached from a node within a set.
    fn reached(&self, from: usize, within: &dyn Fn(usize) -> bool) -> Vec<bool> {
        let mut seen = vec![false; self.graph.nodes.len()];
        let mut work = vec![from];
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                let counts =
                    |step: &&(ClassId, usize, bool)| within(step.1) && !(self.form == Form::Progress && step.2);
                work.extend(self.graph.nodes[node].steps.iter().filter(counts).map(|step| step.1));
            }
        }
        seen
    }

    /// Tries every set of states.
    fn by_sets_of_states(&self) -> bool {
        let all = self.graph.nodes.len();
        (1u32..1 << all).any(|set| {
            let within = |node: usize| set >> node & 1 == 1;
            let members: Vec<usize> = (0..all).filter(|&node| within(node)).collect();
            members.iter().all(|&node| self.region[node])
                && members.iter().all(|&node| {
                    let reached = self.reached(node, &within);
                    members.iter().all(|&other| reached[other])
                })
                && self.goes_on(&members, &within)
                && self
                    .graph
                    .fairness
                    .iter()
                    .all(|(class, fairness)| self.is_fair(*class, *fairness, &members, &within))
        })
    }

    fn goes_on(&self, members: &[usize], within: &dyn Fn(usize) -> bool) -> bool {
        members.iter().any(|&node| self.graph.nodes[node].can_rest || self.steps(node, within).next().is_some())
    }

    fn is_fair(&self, class: ClassId, fairness: Fairness, members: &[usize], within: &dyn Fn(usize) -> bool) -> bool {
        let able = |node: &usize| self.graph.nodes[*node].able.contains(&class);
        let moves = || members.iter().any(|&node| self.steps(node, within).any(|mover| mover == class));
        match fairness {
            Fairness::None => true,
            Fairness::Weak => !members.iter().all(able) || moves(),
            Fairness::Strong => !members.iter().any(able) || moves(),
        }
    }

    /// Tries every set of strongly fair classes as those that cannot move any more.
    fn by_strong_classes(&self) -> bool {
        let all = self.graph.nodes.len();
        let strong: Vec<ClassId> = self
            .graph
            .fairness
            .iter()
            .filter(|(_, fairness)| **fairness == Fairness::Strong)
            .map(|(class, _)| *class)
            .collect();
        (0u32..1 << strong.len()).any(|choice| {
            let is_out = |class: &ClassId| {
                strong.iter().position(|other| other == class).is_some_and(|at| choice >> at & 1 == 1)
            };
            let within = |node: usize| self.region[node] && !self.graph.nodes[node].able.iter().any(is_out);
            let reach: Vec<Option<Vec<bool>>> =
                (0..all).map(|node| within(node).then(|| self.reached(node, &within))).collect();
            let reaches = |from: usize, to: usize| reach[from].as_ref().is_some_and(|reached| reached[to]);
            (0..all).filter(|&node| within(node)).any(|node| {
                let members: Vec<usize> =
                    (0..all).filter(|&other| reaches(node, other) && reaches(other, node)).collect();
                let inside = |other: usize| members.contains(&other);
                let serves = |(class, fairness): (&ClassId, &Fairness)| {
                    is_out(class)
                        || match fairness {
                            // It has to move: the sets in which it cannot are tried by themselves.
                            Fairness::Strong => {
                                members.iter().any(|&node| self.steps(node, &inside).any(|mover| mover == *class))
                            }
                            other => self.is_fair(*class, *other, &members, &inside),
                        }
                };
                self.goes_on(&members, &inside) && self.graph.fairness.iter().all(serves)
            })
        })
    }

    /// Follows a lasso: it has to be closed, fair, and without the goal.
    fn follow(&self, model: &Model, schedule: &Schedule) -> Result<(), String> {
        let from = schedule.lasso.as_ref().ok_or("there is no loop")?.from;
        let mut state = model.initial_states().swap_remove(schedule.start);
        let node = |state: &mazurka_lang::State| self.graph.numbers.get(&model.insight().fingerprint(state)).copied();
        let mut path = vec![node(&state).ok_or("the start is unknown")?];
        let (mut movers, mut step) = (Vec::new(), Step::default());
        for &next in &schedule.moves {
            let class = class_of(model, &state, next.actor);
            step.take(model, &mut state, next);
            let target = node(&state).ok_or("a state is unknown")?;
            let edge = (class, target, step.is_progress());
            let before = path[path.len() - 1];
            if !self.graph.nodes[before].steps.contains(&edge) {
                return Err("a step is none of the program".to_owned());
            }
            movers.push(edge);
            path.push(target);
        }
        if path.last() != path.get(from) {
            return Err("the loop is not closed".to_owned());
        }
        let stands = from == schedule.moves.len();
        let round = if stands { &path[from..] } else { &path[from..path.len() - 1] };
        if stands && !self.graph.nodes[path[from]].can_rest {
            return Err("it stands still where an assumption blocks it".to_owned());
        }
        for (class, fairness) in &self.graph.fairness {
            let moves = movers[from..].iter().any(|mover| mover.0 == *class);
            let able = |node: &usize| self.graph.nodes[*node].able.contains(class);
            let is_fair = match fairness {
                Fairness::None => true,
                Fairness::Weak => moves || !round.iter().all(able),
                Fairness::Strong => moves || !round.iter().any(able),
            };
            if !is_fair {
                return Err("the loop is not fair".to_owned());
            }
        }
        let is_open = |node: &usize| !self.graph.nodes[*node].goals[self.number];
        let begins = |node: &usize| self.graph.nodes[*node].causes[self.number];
        let is_violated = match self.form {
            Form::Eventually => path.iter().all(is_open),
            Form::AlwaysEventually => round.iter().all(is_open),
            Form::LeadsTo => {
                let last_goal = path.iter().rposition(|node| !is_open(node)).map_or(0, |goal| goal + 1);
                round.iter().all(is_open) && path[last_goal..].iter().any(begins)
            }
            Form::Progress => movers[from..].iter().all(|mover| !mover.2),
        };
        if is_violated { Ok(()) } else { Err("what has to happen happens".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_promises_are_kept_or_not_as_the_oracles_say() {
        let settings = Settings { seed: 1, programs: Some(1_500), ..Settings::default() };
        let LivenessAgreement { tally, disagreement } = run_liveness(&settings, &mut |_| {});
        assert_eq!(disagreement, None);
        // Both answers are common, and so are loops with and without steps.
        assert!(tally.questions > 3_000 && tally.by_sets > 500, "{tally:?}");
        assert!(tally.violated > tally.questions / 10 && tally.violated < tally.questions, "{tally:?}");
        assert!(tally.still > tally.violated / 10 && tally.still < tally.violated, "{tally:?}");
    }
}
