//! The naive oracle, and what other tools got wrong.

use super::component::{Edges, fair_components};
use super::graph::StepGraph;
use crate::{Engine, Options, explore};
use mazurka_core::{
    ActorId, Budget, ClassId, Counter, Exploration, Fairness, Form, Liveness, Meter, Move, Observer, Outcome, Property,
    Random, Schedule, Silent, Step, Stepper, StopReason, System, Verdict,
};
use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

/// A program that is drawn: of each state its steps.
#[derive(Clone, Debug)]
struct Drawn {
    /// For each state who can move, to where, and whether that is progress. Several steps of one actor are outcomes of one.
    steps: Vec<Vec<(u32, u32, bool)>>,
    starts: Vec<u32>,
    fairness: Vec<Fairness>,
    properties: Vec<Property>,
    /// For each property and state whether the goal is reached, and whether the cause is there.
    goals: Vec<Vec<bool>>,
    causes: Vec<Vec<bool>>,
}

impl Drawn {
    /// A program that begins in state 0, with these steps (from, who, to).
    fn of(steps: &[(u32, u32, u32)], fairness: &[Fairness]) -> Drawn {
        let states = steps.iter().map(|&(from, _, to)| from.max(to) + 1).max().unwrap_or(1) as usize;
        let from = |state: usize| {
            let mine = steps.iter().filter(move |step| step.0 as usize == state);
            let mut mine: Vec<_> = mine.map(|&(_, who, to)| (who, to, false)).collect();
            mine.sort_unstable();
            mine
        };
        Drawn {
            steps: (0..states).map(from).collect(),
            starts: vec![0],
            fairness: fairness.to_vec(),
            properties: Vec::new(),
            goals: Vec::new(),
            causes: Vec::new(),
        }
    }

    fn asking(mut self, property: Property, causes: &[u32], goals: &[u32]) -> Drawn {
        let flags = |of: &[u32]| (0..self.steps.len() as u32).map(|state| of.contains(&state)).collect();
        let (causes, goals) = (flags(causes), flags(goals));
        self.causes.push(causes);
        self.goals.push(goals);
        self.properties.push(property);
        self
    }

    fn eventually(self, goals: &[u32]) -> Drawn {
        self.asking(Property::eventually("goal"), &[], goals)
    }

    fn explore(&self, options: &Options) -> Exploration {
        explore(Engine::Exhaustive, self, options, &mut Silent)
    }

    fn verdict(&self) -> Verdict {
        self.explore(&Options::default()).verdict
    }

    /// The stem and the loop, by who moves.
    fn lasso(&self) -> Option<(Vec<u32>, Vec<u32>)> {
        let found = self.explore(&Options::default()).violations.pop()?;
        let moves: Vec<u32> = found.schedule.moves.iter().map(|step| step.actor.0).collect();
        let (stem, round) = moves.split_at(found.schedule.lasso?.from);
        Some((stem.to_vec(), round.to_vec()))
    }
}

impl System for Drawn {
    type State = u32;

    fn initial_states(&self) -> Vec<u32> {
        self.starts.clone()
    }

    fn enabled(&self, state: &u32, into: &mut Vec<ActorId>) {
        into.extend(self.steps[*state as usize].iter().map(|step| ActorId(step.0)));
        into.dedup();
    }

    fn step(&self, state: &mut u32, actor: ActorId, step: &mut Step) {
        let mine: Vec<_> = self.steps[*state as usize].iter().filter(|step| step.0 == actor.0).collect();
        let &&(_, target, is_progress) = &mine[step.choose(mine.len() as u64) as usize];
        *state = target;
        if is_progress {
            step.progress();
        }
    }

    fn liveness(&self) -> &dyn Liveness<u32> {
        self
    }
}

impl Liveness<u32> for Drawn {
    fn properties(&self) -> &[Property] {
        &self.properties
    }

    fn holds(&self, state: &u32, property: usize) -> bool {
        self.goals[property][*state as usize]
    }

    fn begins(&self, state: &u32, property: usize) -> bool {
        self.causes[property][*state as usize]
    }

    fn fairness(&self, class: ClassId) -> Option<Fairness> {
        match class {
            ClassId::Actor(actor) => self.fairness.get(actor.index()).copied(),
            ClassId::Handler(_) => None,
        }
    }
}

/// The oracle: tries every set of states as the one that is visited again and again. It knows nothing of components, and
/// follows the definition of fairness word by word.
mod oracle {
    use super::*;

    /// Whether a fair execution violates a property.
    pub(super) fn violates(drawn: &Drawn, number: usize) -> bool {
        let form = drawn.properties[number].form;
        let (goal, cause) = (&drawn.goals[number], &drawn.causes[number]);
        let states = drawn.steps.len();
        let free = |state: usize| !goal[state];
        let may_take = |&&(_, _, is_progress): &&(u32, u32, bool)| form != Form::Progress || !is_progress;
        let reachable = closure(drawn, drawn.starts.iter().map(|&start| start as usize), |_| true);
        let beginnings: Vec<usize> = match form {
            Form::Eventually => drawn.starts.iter().map(|&start| start as usize).filter(|&start| free(start)).collect(),
            Form::LeadsTo => (0..states).filter(|&state| reachable[state] && cause[state] && free(state)).collect(),
            Form::AlwaysEventually | Form::Progress => {
                (0..states).filter(|&state| reachable[state] && free(state)).collect()
            }
        };
        let region = closure(drawn, beginnings.into_iter(), free);
        (1u32..1 << states).any(|set| {
            let is_in = |state: usize| set >> state & 1 == 1;
            let members = || (0..states).filter(|&state| is_in(state));
            if !members().all(|state| region[state]) {
                return false;
            }
            let inner = |state: usize| {
                drawn.steps[state].iter().filter(may_take).filter(|step| is_in(step.1 as usize)).collect::<Vec<_>>()
            };
            // Every state of the set reaches every other one by steps within the set.
            let connected = members().all(|from| {
                let (mut seen, mut work) = (1u32 << from, vec![from]);
                while let Some(state) = work.pop() {
                    for step in inner(state) {
                        if seen >> step.1 & 1 == 0 {
                            seen |= 1 << step.1;
                            work.push(step.1 as usize);
                        }
                    }
                }
                seen == set
            });
            let is_fair = |(actor, fairness): (usize, &Fairness)| {
                let moves = members().any(|state| inner(state).iter().any(|step| step.0 as usize == actor));
                let mut able = members().map(|state| drawn.steps[state].iter().any(|step| step.0 as usize == actor));
                moves
                    || match fairness {
                        Fairness::None => true,
                        Fairness::Weak => !able.all(|able| able),
                        Fairness::Strong => !able.any(|able| able),
                    }
            };
            connected && drawn.fairness.iter().enumerate().all(is_fair)
        })
    }

    /// The length of the shortest stem and loop together that violate a property: from every state in which a loop may begin,
    /// all walks are followed together with what they settle.
    pub(super) fn shortest(drawn: &Drawn, number: usize) -> Option<usize> {
        let form = drawn.properties[number].form;
        let (goal, cause) = (&drawn.goals[number], &drawn.causes[number]);
        let free = |state: usize| !goal[state];
        // How far it is to each state, and to each state of the region. A stem may come to the cause and leave it.
        let starts: Vec<(usize, bool)> = drawn.starts.iter().map(|&start| (start as usize, false)).collect();
        let opens = |state: usize, open: bool| match form {
            Form::Eventually => free(state),
            Form::LeadsTo => free(state) && (open || cause[state]),
            Form::AlwaysEventually | Form::Progress => free(state),
        };
        let mut stems = vec![usize::MAX; drawn.steps.len()];
        let mut work: VecDeque<(usize, bool, usize)> =
            starts.into_iter().map(|(state, _)| (state, opens(state, false), 0)).collect();
        let mut seen = HashSet::new();
        while let Some((state, open, length)) = work.pop_front() {
            if form == Form::Eventually && !open || !seen.insert((state, open)) {
                continue;
            }
            if open {
                stems[state] = stems[state].min(length);
            }
            for step in &drawn.steps[state] {
                let target = step.1 as usize;
                work.push_back((target, opens(target, open), length + 1));
            }
        }
        (0..stems.len()).filter(|&state| stems[state] < usize::MAX).fold(None, |best, start| {
            let most = best.map_or(usize::MAX, |best: usize| best.saturating_sub(stems[start]));
            let round = shortest_round(drawn, form, start, &free, most);
            round.map_or(best, |round| Some(best.map_or(usize::MAX, |best| best).min(stems[start] + round)))
        })
    }

    /// The shortest fair loop from a state, shorter than this many steps.
    fn shortest_round(
        drawn: &Drawn,
        form: Form,
        start: usize,
        free: &impl Fn(usize) -> bool,
        most: usize,
    ) -> Option<usize> {
        let able = |state: usize| drawn.steps[state].iter().fold(0u8, |able, step| able | 1 << step.0);
        let is_fair = |&(moved, never_able, ever_able): &(u8, u8, u8)| {
            drawn.fairness.iter().enumerate().all(|(actor, fairness)| {
                let has = |set: u8| set >> actor & 1 == 1;
                has(moved)
                    || match fairness {
                        Fairness::None => true,
                        Fairness::Weak => has(never_able),
                        Fairness::Strong => !has(ever_able),
                    }
            })
        };
        // Who moved, who could not move in some state, and who could.
        let begun = (0u8, !able(start), able(start));
        if is_fair(&begun) {
            return Some(0);
        }
        let (mut work, mut seen) = (VecDeque::from([(start, begun, 0)]), HashSet::new());
        while let Some((state, (moved, unable, ever), length)) = work.pop_front() {
            if length + 1 >= most {
                return None;
            }
            for &(actor, target, is_progress) in &drawn.steps[state] {
                let target = target as usize;
                if !free(target) || form == Form::Progress && is_progress {
                    continue;
                }
                let settled = (moved | 1 << actor, unable | !able(target), ever | able(target));
                if target == start && is_fair(&settled) {
                    return Some(length + 1);
                }
                if seen.insert((target, settled)) {
                    work.push_back((target, settled, length + 1));
                }
            }
        }
        None
    }

    fn closure(drawn: &Drawn, from: impl Iterator<Item = usize>, through: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut work: Vec<usize> = from.collect();
        let mut seen = vec![false; drawn.steps.len()];
        while let Some(state) = work.pop() {
            if !std::mem::replace(&mut seen[state], true) {
                work.extend(drawn.steps[state].iter().map(|step| step.1 as usize).filter(|&to| through(to)));
            }
        }
        seen
    }
}

fn random(random: &mut Random) -> Drawn {
    let (states, actors) = (1 + random.below(8), 1 + random.below(4));
    let fairness = (0..actors).map(|_| Fairness::ALL[random.below(3)]).collect();
    let density = 1 + random.below(3);
    let steps = (0..states).map(|_| {
        let mut steps = Vec::new();
        for actor in 0..actors as u32 {
            if random.below(3) < density {
                let outcomes = 1 + random.below(2);
                steps.extend((0..outcomes).map(|_| (actor, random.below(states) as u32, random.below(3) == 0)));
            }
        }
        steps
    });
    let steps: Vec<Vec<_>> = steps.collect();
    let starts = (0..1 + random.below(2)).map(|_| random.below(states) as u32).collect();
    let mut drawn = Drawn { steps, starts, fairness, properties: vec![], goals: vec![], causes: vec![] };
    for property in [
        Property::eventually("q"),
        Property::always_eventually("q"),
        Property::leads_to("p", "q"),
        Property::progress(),
    ] {
        let mut some = |one_in: usize| (0..states as u32).filter(|_| random.below(one_in) == 0).collect::<Vec<_>>();
        let (causes, goals) = (some(3), some(4));
        drawn = drawn.asking(property, &causes, &goals);
    }
    drawn
}

#[test]
fn random_programs_agree_with_the_oracle() {
    let mut generator = Random::new(27);
    let (mut violated, mut still, mut longest) = (0u32, 0u32, 0);
    let rounds = 12_000;
    for round in 0..rounds {
        let drawn = random(&mut generator);
        let exploration = drawn.explore(&Options { all: true, threads: 1, ..Options::default() });
        for (number, property) in drawn.properties.iter().enumerate() {
            let found = exploration.violations.iter().find(|found| found.violation == property.violation());
            assert_eq!(found.is_some(), oracle::violates(&drawn, number), "program {round}: {property:?} {drawn:?}");
            let Some(found) = found else { continue };
            let lasso = found.schedule.lasso.as_ref().map_or(0, |lasso| lasso.from);
            violated += 1;
            still += u32::from(lasso == found.schedule.moves.len());
            longest = longest.max(found.schedule.moves.len() - lasso);
            check_by_hand(&drawn, number, &found.schedule);
            let replayed = Stepper::replay(&drawn, &found.schedule).map(|(_, violations)| violations);
            assert!(replayed.is_some_and(|violations| violations.contains(&found.violation)));
        }
    }
    // Each form is asked of each program: both answers are common, and so is standing still.
    assert!(violated > rounds && violated < 4 * rounds - rounds / 2, "{violated} of {}", 4 * rounds);
    assert!(still > rounds / 10 && longest > 5, "{still} {longest}");
}

/// How short lassos are: of programs that are small enough to find the shortest one, how many are longer, and by how much.
#[test]
fn lassos_are_short() {
    let mut generator = Random::new(27);
    let (mut lassos, mut longer, mut surplus, mut shortest) = (0, 0, 0, 0);
    for _ in 0..2_000 {
        let drawn = random(&mut generator);
        let exploration = drawn.explore(&Options { all: true, threads: 1, ..Options::default() });
        for (number, property) in drawn.properties.iter().enumerate() {
            let found = exploration.violations.iter().find(|found| found.violation == property.violation());
            let (found, least) = (found.map(|found| found.schedule.moves.len()), oracle::shortest(&drawn, number));
            assert_eq!(found.is_some(), least.is_some(), "{property:?} {drawn:?}");
            let (Some(found), Some(least)) = (found, least) else { continue };
            assert!(found >= least, "{property:?} {drawn:?}");
            lassos += 1;
            shortest += least;
            longer += u32::from(found > least);
            surplus += found - least;
        }
    }
    assert_eq!((lassos, shortest, longer, surplus), (5_732, 8_018, 137, 142));
}

/// Checks a lasso against the definition, without anything of the checker.
fn check_by_hand(drawn: &Drawn, number: usize, schedule: &Schedule) {
    let from = schedule.lasso.as_ref().map_or(usize::MAX, |lasso| lasso.from);
    let mut states = vec![drawn.starts[schedule.start] as usize];
    let mut progress = Vec::new();
    for Move { actor, outcome: Outcome(outcome) } in &schedule.moves {
        let steps = &drawn.steps[states[states.len() - 1]];
        let mine: Vec<_> = steps.iter().filter(|step| step.0 == actor.0).collect();
        states.push(mine[*outcome as usize].1 as usize);
        progress.push(mine[*outcome as usize].2);
    }
    assert_eq!(states.last(), Some(&states[from]), "the loop is closed");
    let round = if from == schedule.moves.len() { &states[from..] } else { &states[from..states.len() - 1] };
    for (actor, fairness) in drawn.fairness.iter().enumerate() {
        let moves = schedule.moves[from..].iter().any(|step| step.actor.index() == actor);
        let able = |&state: &usize| drawn.steps[state].iter().any(|step| step.0 as usize == actor);
        match fairness {
            Fairness::None => {}
            Fairness::Weak => assert!(moves || !round.iter().all(able)),
            Fairness::Strong => assert!(moves || !round.iter().any(able)),
        }
    }
    let open = |states: &[usize]| states.iter().all(|&state| !drawn.goals[number][state]);
    match drawn.properties[number].form {
        Form::Eventually => assert!(open(&states)),
        Form::AlwaysEventually => assert!(open(round)),
        Form::LeadsTo => {
            let last = states.iter().rposition(|&state| drawn.causes[number][state]).expect("a cause");
            assert!(open(&states[last.min(from)..]) || open(&states[last..]) && open(round));
        }
        Form::Progress => assert!(open(round) && !progress[from..].contains(&true)),
    }
}

#[test]
fn threads_do_not_matter() {
    let mut generator = Random::new(5);
    for _ in 0..300 {
        let drawn = random(&mut generator);
        let run = |threads| {
            let exploration = drawn.explore(&Options { all: true, threads, ..Options::default() });
            (exploration.verdict, exploration.violations, exploration.answered)
        };
        let alone = run(1);
        assert_eq!(run(2), alone);
        assert_eq!(run(4), alone);
    }
}

const NONE: Fairness = Fairness::None;
const WEAK: Fairness = Fairness::Weak;
const STRONG: Fairness = Fairness::Strong;

#[test]
fn a_program_that_ends_without_the_goal_is_a_loop_of_no_steps() {
    let ends = Drawn::of(&[(0, 0, 1)], &[WEAK]).eventually(&[]);
    assert_eq!(ends.lasso(), Some((vec![0], vec![])));
}

/// To stand still is always possible, unless a fair actor can move: tla-rs #62 forgot it.
#[test]
fn nothing_has_to_happen_that_is_not_fair() {
    let steps = [(0, 0, 1), (1, 0, 1)];
    assert_eq!(Drawn::of(&steps, &[NONE]).eventually(&[1]).lasso(), Some((vec![], vec![])));
    assert_eq!(Drawn::of(&steps, &[WEAK]).eventually(&[1]).verdict(), Verdict::Verified);
}

#[test]
fn a_step_to_the_same_state_is_a_step() {
    // Actor 0 moves for ever without leaving the state; actor 1 would.
    let steps = [(0, 0, 0), (0, 1, 1)];
    assert_eq!(Drawn::of(&steps, &[WEAK, NONE]).eventually(&[1]).lasso(), Some((vec![], vec![0])));
    assert_eq!(Drawn::of(&steps, &[WEAK, WEAK]).eventually(&[1]).verdict(), Verdict::Verified);
}

/// TLC #201: whether an actor moves within a component is a matter of its steps, not of the states at their ends.
#[test]
fn what_leaves_a_component_is_not_taken_in_it() {
    let round = [(0, 0, 1), (1, 0, 0)];
    // Actor 1 can always move, to states that the component has, but its own steps lead elsewhere.
    let leaves = [(0, 1, 2), (1, 1, 2), (2, 0, 2)];
    let all = [&round[..], &leaves[..]].concat();
    assert_eq!(Drawn::of(&all, &[NONE, WEAK]).eventually(&[2]).verdict(), Verdict::Verified);
    // Once it may also step within the component, it can be treated fairly there.
    let stays = [&all[..], &[(0, 1, 1)]].concat();
    let (_, round) = Drawn::of(&stays, &[NONE, WEAK]).eventually(&[2]).lasso().expect("a fair round");
    assert!(round.contains(&1), "{round:?}");
}

/// tla-rs #59: the loop itself has to be fair, not the component around it.
#[test]
fn an_unfair_cycle_in_a_fair_component_is_not_shown() {
    // 0 ⇄ 1 by actor 0, and 0 → 2 → 0 by actor 1: the short cycle leaves actor 1 waiting.
    let steps = [(0, 0, 1), (1, 0, 0), (0, 1, 2), (2, 1, 0), (1, 1, 1)];
    let (stem, round) = Drawn::of(&steps, &[WEAK, WEAK]).eventually(&[]).lasso().expect("it never ends");
    assert!(round.contains(&1), "{stem:?} {round:?}");
    // The other way round: the whole component is unfair to actor 2, which is strongly fair and leaves it from state 2; the
    // smaller cycle is fair.
    let steps = [(0, 0, 1), (1, 0, 0), (0, 1, 2), (2, 1, 0), (2, 2, 3), (3, 0, 3)];
    let drawn = Drawn::of(&steps, &[NONE, NONE, STRONG]).eventually(&[3]);
    let (_, round) = drawn.clone().asking(Property::eventually("goal"), &[], &[3]).lasso().expect("a fair cycle");
    assert!(!round.contains(&1));
    // With a reason to leave it, none is.
    let steps = [(0, 0, 1), (1, 0, 0), (0, 2, 3), (3, 0, 3)];
    assert_eq!(Drawn::of(&steps, &[WEAK, NONE, STRONG]).eventually(&[3]).verdict(), Verdict::Verified);
    assert_eq!(Drawn::of(&steps, &[WEAK, NONE, WEAK]).eventually(&[3]).verdict(), Verdict::Violated);
}

/// tla-rs #64: the loop is a walk through the component, not all of its states with arrows that are not there.
#[test]
fn the_loop_is_a_walk_of_steps_that_are_there() {
    // Two rings that share a state, and both actors have to move.
    let steps = [(0, 0, 1), (1, 0, 2), (2, 0, 0), (0, 1, 3), (3, 1, 4), (4, 1, 0)];
    let drawn = Drawn::of(&steps, &[STRONG, STRONG]).eventually(&[]);
    assert_eq!(drawn.lasso(), Some((vec![], vec![0, 0, 0, 1, 1, 1])));
    let found = drawn.explore(&Options::default()).violations.pop().expect("a violation");
    check_by_hand(&drawn, 0, &found.schedule);
}

/// What the tour of a component settles needlessly is left out: actor 1 can move in the component, but nowhere on the loop.
#[test]
fn a_loop_passes_by_what_it_need_not_settle() {
    let steps = [(0, 0, 1), (1, 0, 0), (1, 2, 2), (2, 1, 3), (3, 0, 0)];
    let drawn = Drawn::of(&steps, &[NONE, STRONG, NONE]).eventually(&[]);
    assert_eq!(drawn.lasso(), Some((vec![], vec![])));
    let drawn = Drawn::of(&steps, &[WEAK, STRONG, NONE]).eventually(&[]);
    assert_eq!(drawn.lasso(), Some((vec![], vec![0, 0])));
}

/// Stateright: states that several ways lead to, and cycles, hide executions from a search that remembers what it has
/// seen on the way.
#[test]
fn joins_and_cycles_hide_nothing() {
    // One way to state 3 comes by the goal, the other does not.
    let join = [(0, 0, 1), (0, 1, 2), (1, 0, 3), (2, 0, 3)];
    assert_eq!(Drawn::of(&join, &[WEAK, WEAK]).eventually(&[1]).lasso(), Some((vec![1, 0], vec![])));
    let cycle = [(0, 0, 1), (1, 0, 0), (1, 1, 2)];
    assert_eq!(Drawn::of(&cycle, &[WEAK, WEAK]).eventually(&[2]).lasso(), Some((vec![], vec![0, 0])));
}

/// TLC #1251: 26 strong constraints were 2^25 cases.
#[test]
fn many_strong_actors_take_no_time() {
    let started = Instant::now();
    let count = 26u32;
    // A ring in which each state lets one actor out, and the last one of a chain stays.
    let mut steps = Vec::new();
    for state in 0..count {
        steps.push((state, count, (state + 1) % count));
        steps.push((state, state, count));
    }
    let fairness = [vec![STRONG; count as usize], vec![WEAK]].concat();
    assert_eq!(Drawn::of(&steps, &fairness).eventually(&[count]).verdict(), Verdict::Verified);
    // Without one of them there is still a reason to leave; without all there is none.
    let fairness = vec![WEAK; count as usize + 1];
    assert_eq!(Drawn::of(&steps, &fairness).eventually(&[count]).verdict(), Verdict::Violated);
    // All move within the ring: a loop that serves each of them.
    for state in 0..count {
        steps.push((state, state, (state + 2) % count));
    }
    let fairness = vec![STRONG; count as usize + 1];
    let (_, round) = Drawn::of(&steps, &fairness).eventually(&[count]).lasso().expect("a fair round");
    assert!((0..=count).all(|actor| round.contains(&actor)));
    assert!(started.elapsed() < Duration::from_secs(1));
}

#[test]
fn a_proof_that_rests_on_nothing_says_so() {
    let vacuous = |drawn: Drawn| {
        let exploration = drawn.explore(&Options::default());
        assert_eq!(exploration.verdict, Verdict::Verified);
        exploration.answered[0].vacuous.clone()
    };
    let ring = || Drawn::of(&[(0, 0, 1), (1, 0, 0)], &[WEAK]);
    let told = |words: &str| Some(words.to_owned());
    let at_start = "is true in the initial state, before the first step";
    assert_eq!(vacuous(ring().eventually(&[0])), told(at_start));
    assert_eq!(vacuous(ring().eventually(&[1])), None);
    let leads_to = |causes: &[u32], goals: &[u32]| ring().asking(Property::leads_to("p", "q"), causes, goals);
    assert_eq!(vacuous(leads_to(&[], &[0])), told("begins with what is never true"));
    assert_eq!(vacuous(leads_to(&[0], &[0])), told("leads to what is true already whenever it begins"));
    assert_eq!(vacuous(leads_to(&[0], &[1])), None);
    let again = |goals: &[u32]| ring().asking(Property::always_eventually("q"), &[], goals);
    assert_eq!(vacuous(again(&[0, 1])), told("is never false"));
    assert_eq!(vacuous(again(&[0])), None);
}

#[test]
fn a_search_that_was_cut_proves_nothing() {
    let chain: Vec<_> = (0..2_000).map(|state| (state, 0, state + 1)).collect();
    let chain = || Drawn::of(&chain, &[WEAK]).eventually(&[2_000]);
    assert_eq!(chain().verdict(), Verdict::Verified);
    let budget = Budget { depth: Some(10), ..Budget::default() };
    let exploration = chain().explore(&Options { budget, ..Options::default() });
    assert!(matches!(exploration.verdict, Verdict::Bounded { .. }));
    assert_eq!(exploration.answered[0].vacuous, None);
    // What is found before the cut is reported all the same.
    let mut lost = chain();
    lost.steps[3].push((0, 3, false));
    let budget = Budget { depth: Some(10), ..Budget::default() };
    let exploration = lost.explore(&Options { budget, ..Options::default() });
    assert_eq!((exploration.verdict, exploration.stop), (Verdict::Violated, StopReason::FirstViolation));
}

/// Only steps that some question is about are kept.
#[test]
fn what_is_kept_is_counted() {
    let kept = |drawn: Drawn| drawn.explore(&Options::default()).statistics.get(Counter::KeptSteps);
    let ring = || Drawn::of(&[(0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 0, 0)], &[WEAK]);
    assert_eq!(kept(ring()), None);
    assert_eq!(kept(ring().eventually(&[])), Some(4));
    assert_eq!(kept(ring().eventually(&[2])), Some(2));
    assert_eq!(kept(ring().eventually(&[1, 3])), Some(0));
    assert_eq!(kept(ring().eventually(&[1, 3]).eventually(&[0, 1, 2])), Some(0));
    assert_eq!(kept(ring().eventually(&[1, 3]).eventually(&[1, 2])), Some(1));
}

/// P and Coyote: to stay open for long is not to stay open for ever.
#[test]
fn a_long_way_is_no_endless_one() {
    let chain: Vec<_> = (0..20_000).map(|state| (state, 0, state + 1)).collect();
    assert_eq!(Drawn::of(&chain, &[WEAK]).eventually(&[20_000]).verdict(), Verdict::Verified);
}

#[test]
fn a_limit_stops_the_search_of_components() {
    let budget = Budget::default();
    budget.cancel.cancel();
    let (over, open) = (Meter::start(&budget), Meter::start(&Budget::default()));
    let graph = StepGraph::of(&[vec![(0, 1)], vec![(0, 0)]], &[vec![], vec![]], &[WEAK]);
    let found = |meter| fair_components(&graph, &[0, 1], &[WEAK], Edges::All, 1, meter).len();
    assert_eq!((found(&over), found(&open)), (0, 1));
    let region = |meter| graph.region(0, Form::Eventually, meter).states.len();
    assert_eq!((region(&over), region(&open)), (1, 2));
}

/// Cancels after the first search has said that it is done.
struct Impatient(Budget);

impl Observer for Impatient {
    fn violation(&mut self, _violation: &mazurka_core::Violation) {
        self.0.cancel.cancel();
    }
}

#[test]
fn a_limit_stops_in_order() {
    let budget = Budget::default();
    let drawn = Drawn::of(&[(0, 0, 1), (1, 0, 0)], &[WEAK]).eventually(&[]).eventually(&[]);
    let options = Options { all: true, budget: budget.clone(), ..Options::default() };
    let exploration = explore(Engine::Exhaustive, &drawn, &options, &mut Impatient(budget));
    assert_eq!((exploration.verdict, exploration.stop), (Verdict::Violated, StopReason::Cancelled));
    assert_eq!(exploration.violations.len(), 1);
}

#[test]
fn the_remedy_is_named() {
    let remedy = |drawn: Drawn| {
        let found = drawn.explore(&Options::default()).violations.pop().expect("a violation");
        found.schedule.lasso.and_then(|lasso| lasso.remedy)
    };
    let steps = [(0, 0, 1), (1, 0, 0), (0, 1, 2), (0, 2, 0)];
    let words = "it would hold if actor 1 were strongly fair, that is, did not miss its chance for ever";
    let event = remedy(Drawn::of(&steps, &[WEAK, NONE, NONE]).eventually(&[2]));
    // Weak fairness does not help an actor that can move only now and then.
    assert_eq!(event.as_deref(), Some(words));
    let strong = remedy(Drawn::of(&steps, &[WEAK, WEAK, NONE]).eventually(&[2]));
    assert_eq!(strong.as_deref(), Some(words));
    let steps = [(0, 0, 1), (1, 1, 2), (0, 2, 0)];
    let event = remedy(Drawn::of(&steps, &[WEAK, NONE, NONE]).eventually(&[2]));
    assert_eq!(event.as_deref(), Some("it would hold if actor 1 had to happen in the end"));
    assert_eq!(remedy(Drawn::of(&steps, &[WEAK, WEAK, WEAK]).eventually(&[3])), None);
}

#[test]
fn engines_that_cannot_promise_it_refuse() {
    let drawn = Drawn::of(&[(0, 0, 0)], &[WEAK]).eventually(&[]);
    for &engine in Engine::ALL {
        let verdict = explore(engine, &drawn, &Options::default(), &mut Silent).verdict;
        match engine {
            Engine::Exhaustive => assert_eq!(verdict, Verdict::Violated),
            _ => assert!(matches!(verdict, Verdict::Unsupported(_)), "{engine}"),
        }
    }
}

#[test]
fn fairness_is_asked_of_the_whole_program() {
    let meter = Meter::start(&Budget::default());
    // The class is able by a step that leads out of the region: the component is unfair to it all the same.
    let graph = StepGraph::of(&[vec![(0, 1)], vec![(0, 0)]], &[vec![1], vec![1]], &[WEAK, WEAK]);
    assert!(fair_components(&graph, &[0, 1], &[WEAK, WEAK], Edges::All, 1, &meter).is_empty());
    assert_eq!(fair_components(&graph, &[0, 1], &[WEAK, NONE], Edges::All, 1, &meter).len(), 1);
    let graph = StepGraph::of(&[vec![(0, 1)], vec![(0, 0)]], &[vec![1], vec![]], &[WEAK, WEAK]);
    assert_eq!(fair_components(&graph, &[0, 1], &[WEAK, WEAK], Edges::All, 1, &meter).len(), 1);
    assert!(fair_components(&graph, &[0, 1], &[WEAK, STRONG], Edges::All, 1, &meter).is_empty());
}
