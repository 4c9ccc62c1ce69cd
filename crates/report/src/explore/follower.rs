//! Brings a program to places, and tells what there is to see there.
//!
//! The states of the last paths are kept: a place is reached from the one on those paths that is nearest before it, so one
//! click is one step.

use super::at::{At, Clash, Halt, Mover, PathStep, RaceWith, Standing, TouchedAs, Way, Wrong, access_words};
use super::{NoWaypoint, Turn, Waypoint};
use crate::story::{History, changes, observe, output_change, update_held, waited, waits};
use crate::{Change, Row, Waited, cycle};
use mazurka_core::{
    ActorId, ActorKind, Dependence, Description, Ending, Footprint, HappensBefore, Location, Machine, Move, ObjectId,
    Outcome, Schedule, Stepper, System, ToldAccesses, Value, Violation,
};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// How many paths are kept.
const MOST_PATHS: usize = 64;
/// How many outcomes of one step are shown.
const MOST_WAYS: usize = 24;
/// How many next steps are looked at in one place. Beyond that, actors are shown without their footprints.
const MOST_LOOKS: usize = 2_000;
/// How many actors are shown at one place.
const MOST_MOVERS: usize = 2_000;
/// How many pairs of next steps that conflict are shown.
const MOST_CLASHES: usize = 500;
/// How far apart two racing steps may be for it to be tried whether the later one could come first.
const FARTHEST_TRIED: usize = 500;
/// What a program prints is found by running all of it again: not for longer paths.
const LONGEST_WITH_OUTPUT: usize = 1_000;

/// What brings a program to places.
pub trait Follow {
    /// What there is to see at a place, without the first `known` steps of the path.
    fn at(&mut self, waypoint: &Waypoint, known: usize) -> Result<At, NoWaypoint>;

    /// The schedule that leads to a place.
    fn schedule(&mut self, waypoint: &Waypoint) -> Result<Schedule, NoWaypoint>;

    /// The place to which a schedule leads; `None` if the program does not follow it.
    fn waypoint(&mut self, schedule: &Schedule) -> Option<Waypoint>;

    /// How many initial states there are.
    fn starts(&self) -> usize;
}

/// What brings a [`System`] to places.
pub struct Follower<'s, S: System> {
    system: &'s S,
    starts: Vec<Arc<Beginning<S::State>>>,
    /// Whether data races are looked for.
    races: bool,
    paths: VecDeque<Walked<S::State>>,
}

/// An initial state.
struct Beginning<T> {
    state: T,
    values: Vec<Value>,
    violations: Vec<Violation>,
    present: Vec<ActorId>,
}

/// A step that was taken, and the state after it.
struct Followed<T> {
    turn: Turn,
    step: Move,
    state: T,
    footprint: Footprint,
    text: String,
    location: Option<Location>,
    changes: Vec<Change>,
    locals: Vec<Value>,
    values: Vec<Value>,
    violations: Vec<Violation>,
    accesses: Option<Box<ToldAccesses>>,
}

struct Walked<T> {
    start: usize,
    beginning: Arc<Beginning<T>>,
    steps: Vec<Arc<Followed<T>>>,
}

impl<T> Walked<T> {
    fn state(&self) -> &T {
        self.steps.last().map_or(&self.beginning.state, |last| &last.state)
    }

    fn values(&self) -> &[Value] {
        self.steps.last().map_or(&self.beginning.values, |last| &last.values)
    }

    /// How many of the first steps to a place this path has.
    fn common(&self, waypoint: &Waypoint) -> usize {
        let same = self.steps.iter().zip(&waypoint.turns).take_while(|(step, turn)| step.turn == **turn);
        if self.start == waypoint.start { same.count() } else { 0 }
    }

    fn schedule(&self) -> Schedule {
        Schedule::new(self.start, self.steps.iter().map(|step| step.step).collect())
    }
}

impl<'s, S: System> Follower<'s, S> {
    /// Nothing was followed yet. `races`: whether data races are looked for.
    pub fn new(system: &'s S, races: bool) -> Self {
        let begin = |state: S::State| {
            let stepper = Stepper::new(system, state);
            let (mut violations, mut present) = (Vec::new(), Vec::new());
            system.insight().violations_at_start(stepper.state(), &mut violations);
            violations.extend(deadlock(&stepper));
            stepper.present(&mut present);
            let state = stepper.state().clone();
            Arc::new(Beginning { values: observe(system, &state), state, violations, present })
        };
        let starts = system.initial_states().into_iter().map(begin).collect();
        Follower { system, starts, races, paths: VecDeque::new() }
    }

    /// Follows the path to a place, from the nearest place before it that is known.
    fn walk(&mut self, waypoint: &Waypoint) -> Result<&Walked<S::State>, NoWaypoint> {
        let none = NoWaypoint::NoSuchStart { start: waypoint.start, states: self.starts.len() };
        let beginning = self.starts.get(waypoint.start).ok_or(none)?;
        let nearest = self.paths.iter().max_by_key(|path| path.common(waypoint));
        let known = nearest.map_or(&[][..], |path| &path.steps[..path.common(waypoint)]);
        let mut path = Walked { start: waypoint.start, beginning: Arc::clone(beginning), steps: known.to_vec() };
        let mut stepper = Stepper::new(self.system, path.state().clone()).telling_accesses(self.races);
        for &turn in &waypoint.turns[path.steps.len()..] {
            let step = follow(self.system, &mut stepper, &path, turn)?;
            path.steps.push(Arc::new(step));
        }
        self.paths.retain(|known| !(known.start == path.start && is_prefix(&known.steps, &path.steps)));
        self.paths.truncate(MOST_PATHS - 1);
        self.paths.push_front(path);
        Ok(&self.paths[0])
    }
}

/// Whether one path is the beginning of another one: what it knows is known there, too.
fn is_prefix<T>(one: &[Arc<Followed<T>>], other: &[Arc<Followed<T>>]) -> bool {
    one.len() <= other.len() && one.iter().zip(other).all(|(one, other)| Arc::ptr_eq(one, other))
}

/// The deadlock in which a program stands, if it does.
fn deadlock<S: System>(stepper: &Stepper<'_, S>) -> Option<Violation> {
    match stepper.enabled().is_empty().then(|| stepper.ending())? {
        Ending::Deadlock(violation) => Some(*violation),
        Ending::Finished | Ending::Blocked => None,
    }
}

/// Takes one more step.
fn follow<S: System>(
    system: &S,
    stepper: &mut Stepper<'_, S>,
    path: &Walked<S::State>,
    turn: Turn,
) -> Result<Followed<S::State>, NoWaypoint> {
    let (number, able) = (path.steps.len() + 1, stepper.enabled().len());
    let actor = stepper.enabled().get(turn.actor as usize).copied();
    let actor = actor.ok_or(NoWaypoint::NoSuchActor { step: number, actor: turn.actor, able })?;
    let step = Move { actor, outcome: Outcome(turn.outcome) };
    let Description { text, location } = system.narrator().describe(stepper.state(), actor, step.outcome);
    let no_outcome = NoWaypoint::NoSuchOutcome { step: number, outcome: turn.outcome };
    let record = stepper.try_step(step).ok_or(no_outcome)?;
    let (footprint, mut violations) = (record.footprint.clone(), record.violations.clone());
    let accesses = record.accesses.clone();
    let before = path.steps.last().and_then(|last| last.accesses.as_ref());
    if let (Some(before), Some(after)) = (before, &accesses) {
        violations.extend(before.races_with(after).map(|(_, violation)| violation));
    }
    violations.extend(deadlock(stepper));
    let values = observe(system, stepper.state());
    let mut locals = Vec::new();
    system.narrator().observe_locals(stepper.state(), actor, &mut locals);
    let (changes, state) = (changes(path.values(), &values), stepper.state().clone());
    Ok(Followed { turn, step, state, footprint, text, location, changes, locals, values, violations, accesses })
}

impl<S: System> Follow for Follower<'_, S> {
    fn at(&mut self, waypoint: &Waypoint, known: usize) -> Result<At, NoWaypoint> {
        let system = self.system;
        let path = self.walk(waypoint)?;
        let known = known.min(path.steps.len());
        let (actors, told) = tell_path(system, path, known);
        let stepper = Stepper::new(system, path.state().clone());
        let (movers, footprints) = movers(system, &stepper, path);
        let wrongs = |steps: usize, violations: &[Violation]| {
            violations.iter().map(|violation| Wrong { steps, violation: violation.clone() }).collect::<Vec<_>>()
        };
        let at_start = wrongs(0, &path.beginning.violations);
        let on_the_way = path.steps.iter().zip(1..).flat_map(|(step, steps)| wrongs(steps, &step.violations));
        Ok(At {
            waypoint: waypoint.clone(),
            actors,
            known,
            path: told,
            values: path.values().to_vec(),
            movers,
            clashes: clashes(system, &footprints),
            halt: halt(system, &stepper, path),
            wrongs: at_start.into_iter().chain(on_the_way).collect(),
        })
    }

    fn schedule(&mut self, waypoint: &Waypoint) -> Result<Schedule, NoWaypoint> {
        Ok(self.walk(waypoint)?.schedule())
    }

    fn waypoint(&mut self, schedule: &Schedule) -> Option<Waypoint> {
        let beginning = self.starts.get(schedule.start)?;
        let mut stepper = Stepper::new(self.system, beginning.state.clone());
        let mut waypoint = Waypoint { start: schedule.start, turns: Vec::with_capacity(schedule.moves.len()) };
        for &step in &schedule.moves {
            let actor = stepper.enabled().iter().position(|&actor| actor == step.actor)?;
            stepper.try_step(step)?;
            waypoint.turns.push(Turn { actor: actor as u32, outcome: step.outcome.0 });
        }
        Some(waypoint)
    }

    fn starts(&self) -> usize {
        self.starts.len()
    }
}

/// The actors that have moved, and the steps from `known` on.
fn tell_path<S: System>(system: &S, path: &Walked<S::State>, known: usize) -> (Vec<String>, Vec<PathStep>) {
    let (mut actors, mut columns) = (Vec::new(), HashMap::new());
    let (mut history, mut held) = (History::new(), HashMap::new());
    let mut order = HappensBefore::new(Dependence::default());
    let mut told = Vec::with_capacity(path.steps.len() - known);
    let mut output = Vec::new();
    if path.steps.len() <= LONGEST_WITH_OUTPUT && known < path.steps.len() {
        output = system.narrator().output(&path.schedule());
    }
    for (index, step) in path.steps.iter().enumerate() {
        let actor = step.step.actor;
        let causes = history.push(system, index, actor, &step.footprint);
        let column = *columns.entry(actor).or_insert_with(|| {
            actors.push(system.narrator().actor_name(actor));
            actors.len() - 1
        });
        let holds = update_held(system, &step.state, actor, &step.footprint, &mut held);
        if index >= known {
            let mut changes = step.changes.clone();
            changes.extend(output.get(index).and_then(|text| output_change(text)));
            let row = Row {
                number: index + 1,
                actor: column,
                outcome: step.step.outcome,
                text: step.text.clone(),
                location: step.location.clone(),
                changes,
                holds,
                locals: step.locals.clone(),
                causes,
            };
            let races = races(system, &order, path, index);
            told.push(PathStep { row, touched: touched(system, &step.footprint), races });
        }
        order.push(actor, &step.footprint);
    }
    (actors, told)
}

/// The earlier steps that a step races with, the latest first: nothing but the conflict orders the two, and the later one could
/// have come first.
fn races<S: System>(system: &S, order: &HappensBefore, path: &Walked<S::State>, index: usize) -> Vec<RaceWith> {
    let Followed { step, footprint, .. } = &*path.steps[index];
    let (mut racing, mut races) = (Vec::new(), Vec::new());
    order.racing(step.actor, footprint, &mut racing);
    let mut knows = order.knowledge(step.actor);
    for first in racing {
        if order.within(first, &knows) {
            continue;
        }
        knows.join(order.clock(first));
        let object = told_object(system, &path.steps[first].footprint, footprint);
        if let Some(object) = object.filter(|_| could_come_first(system, order, path, first, index)) {
            races.push(RaceWith { first, object: system.narrator().object_name(object) });
        }
    }
    races
}

/// Whether the later one of two steps can be taken without the earlier one and what happens after that. Where they are far apart,
/// that is not tried.
fn could_come_first<S: System>(
    system: &S,
    order: &HappensBefore,
    path: &Walked<S::State>,
    first: usize,
    second: usize,
) -> bool {
    if second - first > FARTHEST_TRIED {
        return true;
    }
    let before = first.checked_sub(1).map_or(&path.beginning.state, |before| &path.steps[before].state);
    let mut stepper = Stepper::new(system, before.clone());
    let beside = (first + 1..second).filter(|&step| !order.before(first, step));
    beside.chain([second]).all(|step| stepper.try_step(path.steps[step].step).is_some())
}

/// The object on which two footprints conflict that tells most.
fn told_object<S: System>(system: &S, one: &Footprint, other: &Footprint) -> Option<ObjectId> {
    Dependence::default().common(one, other).min_by_key(|&object| (system.object(object).kind, object))
}

fn touched<S: System>(system: &S, footprint: &Footprint) -> Vec<TouchedAs> {
    let told = |touch: &mazurka_core::Touch| TouchedAs {
        object: system.narrator().object_name(touch.object),
        kind: system.object(touch.object).kind,
        access: access_words(touch.access),
    };
    footprint.touches().iter().map(told).collect()
}

/// Who can move, who cannot, and who has ended; and what those that can move would touch.
fn movers<S: System>(system: &S, stepper: &Stepper<'_, S>, path: &Walked<S::State>) -> (Vec<Mover>, Vec<Footprint>) {
    let (mut movers, mut footprints, mut looks) = (Vec::new(), Vec::new(), MOST_LOOKS);
    for (turn, &actor) in stepper.enabled().iter().enumerate().take(MOST_MOVERS) {
        let Description { text, location } = system.narrator().describe(stepper.state(), actor, Outcome::FIRST);
        let (ways, footprint, has_more) = look_ahead(system, stepper, actor, &mut looks);
        let standing = Standing::Able { turn: turn as u32, touched: touched(system, &footprint), ways, has_more };
        footprints.push(footprint);
        let (name, kind) = (system.narrator().actor_name(actor), system.actor(actor));
        movers.push(Mover { name, kind, text, location, standing });
    }
    let mut here: HashSet<ActorId> = stepper.enabled().iter().copied().collect();
    system.blocked(stepper.state(), stepper.enabled(), &mut |actor, obstacle| {
        here.insert(actor);
        if movers.len() >= MOST_MOVERS {
            return;
        }
        let mut footprint = Footprint::default();
        let awaited = obstacle(&mut footprint);
        footprint.seal();
        let waited_for = awaited.and_then(|awaited| waited(system, stepper.state(), actor, awaited));
        let (awaits, holder) = match waited_for {
            Some(Waited::Object { name, holder }) => (name, holder),
            Some(waited) => (waited.words(), None),
            None => {
                let objects = match awaited {
                    Some(awaited) => vec![awaited.object()],
                    None => footprint.touches().iter().map(|touch| touch.object).collect(),
                };
                let names: Vec<_> = objects.into_iter().map(|object| system.narrator().object_name(object)).collect();
                let change = match names.is_empty() {
                    true => "a change".to_owned(),
                    false => format!("a change of {}", names.join(", ")),
                };
                (change, None)
            }
        };
        let Description { text, location } = system.narrator().describe(stepper.state(), actor, Outcome::FIRST);
        let (name, kind) = (system.narrator().actor_name(actor), system.actor(actor));
        movers.push(Mover { name, kind, text, location, standing: Standing::Blocked { awaits, holder } });
    });
    let earlier = path.beginning.present.iter().copied().chain(path.steps.iter().map(|step| step.step.actor));
    for actor in earlier {
        // An event that does not exist now may exist again.
        if movers.len() < MOST_MOVERS && here.insert(actor) && system.actor(actor) != ActorKind::Event {
            let (name, kind) = (system.narrator().actor_name(actor), system.actor(actor));
            movers.push(Mover { name, kind, text: String::new(), location: None, standing: Standing::Ended });
        }
    }
    (movers, footprints)
}

/// The ways in which an actor's next step may go, and what they touch; whether there are more.
fn look_ahead<S: System>(
    system: &S,
    stepper: &Stepper<'_, S>,
    actor: ActorId,
    looks: &mut usize,
) -> (Vec<Way>, Footprint, bool) {
    let (mut ways, mut footprint, mut next) = (Vec::new(), Footprint::default(), Some(Outcome::FIRST));
    while let Some(outcome) = next.filter(|_| ways.len() < MOST_WAYS && *looks > 0) {
        *looks -= 1;
        let mut ahead = stepper.clone();
        let Description { text, .. } = system.narrator().describe(stepper.state(), actor, outcome);
        let record = ahead.step(Move { actor, outcome });
        footprint.include(&record.footprint);
        next = record.next_outcome;
        let wrong = record.violations.first().map(|violation| violation.message.clone());
        let wrong = wrong.or_else(|| deadlock(&ahead).map(|violation| violation.message));
        ways.push(Way { outcome, text, wrong });
    }
    footprint.seal();
    (ways, footprint, next.is_some())
}

/// The next steps that conflict, each pair with the object that tells most.
fn clashes<S: System>(system: &S, footprints: &[Footprint]) -> Vec<Clash> {
    let mut clashes = Vec::new();
    for (one, mine) in footprints.iter().enumerate() {
        for (other, theirs) in footprints.iter().enumerate().skip(one + 1) {
            if clashes.len() >= MOST_CLASHES {
                return clashes;
            }
            let Some(object) = told_object(system, mine, theirs) else { continue };
            let words = |footprint: &Footprint| footprint.access(object).map_or("", access_words);
            clashes.push(Clash {
                turns: (one as u32, other as u32),
                object: system.narrator().object_name(object),
                accesses: (words(mine), words(theirs)),
            });
        }
    }
    clashes
}

/// What it means that no actor can move, if none can.
fn halt<S: System>(system: &S, stepper: &Stepper<'_, S>, path: &Walked<S::State>) -> Option<Halt> {
    Some(match stepper.enabled().is_empty().then(|| stepper.ending())? {
        Ending::Finished => Halt::Finished,
        Ending::Blocked => Halt::Assumption,
        Ending::Deadlock(_) => {
            let footprints: Vec<Footprint> = path.steps.iter().map(|step| step.footprint.clone()).collect();
            let waits = waits::waits(system, stepper.state(), &footprints);
            Halt::Deadlock(cycle(&waits).into_iter().map(|index| waits[index].actor.clone()).collect())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::Threads;
    use proptest::prelude::*;

    fn at(threads: &Threads, text: &str) -> At {
        Follower::new(threads, false).at(&text.parse().expect("a place"), 0).expect("the program comes there")
    }

    fn standing(at: &At) -> Vec<String> {
        let told = |mover: &Mover| match &mover.standing {
            Standing::Able { turn, touched, .. } => {
                let touched: Vec<_> = touched.iter().map(|one| format!("{} {}", one.access, one.object)).collect();
                format!("{turn} {}: {}", mover.name, touched.join("; "))
            }
            Standing::Blocked { awaits, holder } => format!("{} waits for {awaits}, held by {holder:?}", mover.name),
            Standing::Ended => format!("{} has ended", mover.name),
        };
        at.movers.iter().map(told).collect()
    }

    #[test]
    fn the_first_place_tells_who_can_move_and_which_next_steps_conflict() {
        let at = at(&Threads::three(), "0");
        assert_eq!(standing(&at), ["0 T1: update x", "1 T2: update x", "2 T3: read z"]);
        let clash = Clash { turns: (0, 1), object: "x".into(), accesses: ("update", "update") };
        assert_eq!(at.clashes, [clash]);
        assert!(at.path.is_empty() && at.wrongs.is_empty() && at.halt.is_none());
    }

    #[test]
    fn a_path_tells_what_changed_what_raced_and_what_went_wrong() {
        // T2 increments before T1 does, so T1's assertion fails.
        let at = at(&Threads::three(), "0-1.0.0");
        assert_eq!(at.actors, ["T2", "T1"]);
        let races: Vec<_> = at.path.iter().map(|step| step.races.clone()).collect();
        assert_eq!(races, [vec![], vec![RaceWith { first: 0, object: "x".into() }], vec![]]);
        assert_eq!(at.wrongs.iter().map(|wrong| wrong.steps).collect::<Vec<_>>(), [3]);
        assert_eq!(standing(&at), ["0 T3: read z"]);
        assert_eq!(at.path[1].touched.len(), 1);
    }

    #[test]
    fn a_deadlock_tells_who_waits_for_whom() {
        let at = at(&Threads::crossed_locks(), "0-0.1");
        let expected = ["T1 waits for lock 1, held by Some(\"T2\")", "T2 waits for lock 0, held by Some(\"T1\")"];
        assert_eq!(standing(&at), expected);
        assert_eq!(at.halt, Some(Halt::Deadlock(vec!["T1".into(), "T2".into()])));
        assert_eq!(at.wrongs.len(), 1);
    }

    #[test]
    fn what_is_known_is_not_told_again_and_a_place_leads_back_to_itself() {
        let threads = Threads::three();
        let mut follower = Follower::new(&threads, false);
        let waypoint: Waypoint = "0-1.0.0.0".parse().expect("a place");
        let at = follower.at(&waypoint, 3).expect("the program comes there");
        assert_eq!((at.known, at.path.len(), at.path[0].row.number), (3, 1, 4));
        let schedule = follower.schedule(&waypoint).expect("the program comes there");
        assert_eq!(follower.waypoint(&schedule), Some(waypoint));
        assert_eq!(follower.paths.len(), 1, "the path is kept once");
    }

    #[test]
    fn a_place_that_is_none_says_where_it_ends() {
        let threads = Threads::three();
        let mut follower = Follower::new(&threads, false);
        let mut trouble = |text: &str| follower.at(&text.parse().expect("a place"), 0).expect_err(text).to_string();
        assert_eq!(trouble("1"), "there is no initial state 1: the program has 1");
        assert_eq!(trouble("0-0.7"), "step 2: there is no actor 7, 3 can move here");
        assert_eq!(trouble("0-0~4"), "step 1: there is no outcome 4");
    }

    proptest! {
        #[test]
        fn no_place_panics(start in 0usize..2, turns in prop::collection::vec((0u32..4, 0u64..2), 0..9), known in 0usize..9) {
            let threads = Threads::three();
            let turns = turns.into_iter().map(|(actor, outcome)| Turn { actor, outcome }).collect();
            let _ = Follower::new(&threads, false).at(&Waypoint { start, turns }, known);
        }
    }
}
