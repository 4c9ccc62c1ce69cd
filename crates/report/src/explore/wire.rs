//! How the page of the explorer and its server write to each other: JSON in both directions.
//!
//! A request is the last part of an address and a small object; [`Request`] lists them all. An answer is one object, and what an
//! engine shows is one object on each line.

use super::at::{PathStep, Standing, TouchedAs, Way};
use super::{At, Halt, Mover, NoWaypoint, Sign, Waypoint};
use crate::html::Source;
use crate::json::{PlaceObject, StepObject, statistics};
use mazurka_core::{ActorKind, Exploration, Value, Violation};
use serde::{Deserialize, Serialize};

/// What a page asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// What is explored.
    Program,
    /// What there is to see at a place, but for the first steps of the path, of which this many are known.
    At(Waypoint, usize),
    /// The place that is reached if two steps of the path, by their indices, change places.
    Reverse(Waypoint, usize, usize),
    /// A place with a shorter path and the same violation.
    Minimise(Waypoint),
    /// A schedule that leads to a place, as a file.
    Save(Waypoint),
    /// Runs an engine and shows what it does.
    Watch(String, Pace),
    /// Tells the engine that runs how to go on.
    Go(Pace),
}

/// How a watched engine goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pace {
    /// It waits.
    Pause,
    /// It takes one step, and waits.
    Step,
    /// It goes on to the end of its path, and waits.
    Execution,
    /// It goes on to its end.
    Run,
    /// It ends.
    Stop,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Empty {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AtBody {
    place: String,
    #[serde(default)]
    known: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WaypointBody {
    place: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReverseBody {
    place: String,
    first: usize,
    second: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WatchBody {
    engine: String,
    pace: Pace,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GoBody {
    pace: Pace,
}

impl Request {
    /// Reads a request; `None` if there is none of that name, and an error in words if its body is wrong.
    pub fn read(name: &str, body: &[u8]) -> Option<Result<Request, String>> {
        Some(match name {
            "program" => parsed(body).map(|Empty {}| Request::Program),
            "at" => parsed(body).and_then(|AtBody { place, known }| Ok(Request::At(waypoint(&place)?, known))),
            "reverse" => parsed(body).and_then(|ReverseBody { place, first, second }| {
                Ok(Request::Reverse(waypoint(&place)?, first, second))
            }),
            "minimise" => parsed(body).and_then(|WaypointBody { place }| Ok(Request::Minimise(waypoint(&place)?))),
            "save" => parsed(body).and_then(|WaypointBody { place }| Ok(Request::Save(waypoint(&place)?))),
            "watch" => parsed(body).map(|WatchBody { engine, pace }| Request::Watch(engine, pace)),
            "go" => parsed(body).map(|GoBody { pace }| Request::Go(pace)),
            _ => return None,
        })
    }
}

fn parsed<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| error.to_string())
}

fn waypoint(text: &str) -> Result<Waypoint, String> {
    text.parse().map_err(|error: NoWaypoint| error.to_string())
}

/// What is explored.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The program, as the user named it.
    pub program: &'a str,
    /// Its texts.
    pub sources: &'a [Source],
    /// How many initial states there are.
    pub starts: usize,
    /// Where the page begins.
    pub begin: &'a Waypoint,
    /// The engines: their names, what they promise, and why they refuse the program, if they do.
    pub engines: &'a [EngineShown],
}

/// An engine that can be watched.
#[derive(Clone, Debug)]
pub struct EngineShown {
    /// Its name.
    pub name: &'static str,
    /// What it promises.
    pub summary: &'static str,
    /// Why it refuses the program, if it does.
    pub refuses: Option<String>,
}

#[derive(Serialize)]
struct ShownObject<'a> {
    program: &'a str,
    sources: Vec<TextObject<'a>>,
    starts: usize,
    place: String,
    engines: Vec<EngineObject<'a>>,
}

#[derive(Serialize)]
struct TextObject<'a> {
    file: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct EngineObject<'a> {
    name: &'a str,
    summary: &'a str,
    refuses: Option<&'a str>,
}

/// What is explored, as an answer.
pub fn program(shown: &Shown<'_>) -> String {
    line(&ShownObject {
        program: shown.program,
        sources: shown.sources.iter().map(|Source { file, text }| TextObject { file, text }).collect(),
        starts: shown.starts,
        place: shown.begin.to_string(),
        engines: shown
            .engines
            .iter()
            .map(|EngineShown { name, summary, refuses }| EngineObject { name, summary, refuses: refuses.as_deref() })
            .collect(),
    })
}

#[derive(Serialize)]
struct AtObject<'a> {
    place: String,
    start: usize,
    steps: usize,
    actors: &'a [String],
    known: usize,
    path: Vec<PathObject<'a>>,
    values: Vec<(&'a str, &'a str)>,
    movers: Vec<MoverObject<'a>>,
    clashes: Vec<ClashObject<'a>>,
    halt: Option<HaltObject<'a>>,
    wrongs: Vec<WrongObject<'a>>,
}

#[derive(Serialize)]
struct PathObject<'a> {
    #[serde(flatten)]
    step: StepObject<'a>,
    holds: Option<&'a str>,
    causes: Vec<CauseShown<'a>>,
    touched: Vec<TouchedObject<'a>>,
    races: Vec<RaceShown<'a>>,
}

#[derive(Serialize)]
struct CauseShown<'a> {
    row: usize,
    object: &'a str,
    kind: &'static str,
}

#[derive(Serialize)]
struct RaceShown<'a> {
    first: usize,
    object: &'a str,
}

#[derive(Serialize)]
struct TouchedObject<'a> {
    object: &'a str,
    kind: &'static str,
    access: &'static str,
}

#[derive(Serialize)]
struct MoverObject<'a> {
    name: &'a str,
    kind: &'static str,
    text: &'a str,
    r#where: Option<PlaceObject<'a>>,
    standing: &'static str,
    turn: Option<u32>,
    touched: Vec<TouchedObject<'a>>,
    ways: Vec<WayObject<'a>>,
    more: bool,
    awaits: Option<&'a str>,
    holder: Option<&'a str>,
}

#[derive(Serialize)]
struct WayObject<'a> {
    turn: String,
    text: &'a str,
    wrong: Option<&'a str>,
}

#[derive(Serialize)]
struct ClashObject<'a> {
    turns: (u32, u32),
    object: &'a str,
    accesses: (&'static str, &'static str),
}

#[derive(Serialize)]
struct HaltObject<'a> {
    kind: &'static str,
    cycle: &'a [String],
}

#[derive(Serialize)]
struct WrongObject<'a> {
    steps: usize,
    kind: &'static str,
    message: &'a str,
    r#where: Option<PlaceObject<'a>>,
    values: Vec<(&'a str, &'a str)>,
}

fn pairs(values: &[Value]) -> Vec<(&str, &str)> {
    values.iter().map(|value| (value.name.as_str(), value.value.as_str())).collect()
}

fn touched(touched: &[TouchedAs]) -> Vec<TouchedObject<'_>> {
    touched
        .iter()
        .map(|TouchedAs { object, kind, access }| TouchedObject { object, kind: kind.name(), access })
        .collect()
}

/// What there is to see at a place, as an answer.
pub fn at(at: &At) -> String {
    line(&AtObject {
        place: at.waypoint.to_string(),
        start: at.waypoint.start,
        steps: at.waypoint.turns.len(),
        actors: &at.actors,
        known: at.known,
        path: at.path.iter().map(|step| path_object(at, step)).collect(),
        values: pairs(&at.values),
        movers: at.movers.iter().map(mover_object).collect(),
        clashes: at
            .clashes
            .iter()
            .map(|clash| ClashObject { turns: clash.turns, object: &clash.object, accesses: clash.accesses })
            .collect(),
        halt: at.halt.as_ref().map(halt_object),
        wrongs: at.wrongs.iter().map(|wrong| wrong_object(wrong.steps, &wrong.violation)).collect(),
    })
}

fn path_object<'a>(at: &'a At, step: &'a PathStep) -> PathObject<'a> {
    let row = &step.row;
    let cause = |cause: &'a crate::Cause| CauseShown { row: cause.row, object: &cause.object, kind: cause.kind.name() };
    PathObject {
        step: StepObject::new(&at.actors[row.actor], row),
        holds: row.holds.as_deref(),
        causes: row.causes.iter().map(cause).collect(),
        touched: touched(&step.touched),
        races: step.races.iter().map(|race| RaceShown { first: race.first, object: &race.object }).collect(),
    }
}

fn mover_object(mover: &Mover) -> MoverObject<'_> {
    let kind = match mover.kind {
        ActorKind::Event => "event",
        ActorKind::Thread => "thread",
        ActorKind::Message { .. } => "message",
    };
    let object = MoverObject {
        name: &mover.name,
        kind,
        text: &mover.text,
        r#where: mover.location.as_ref().map(PlaceObject::new),
        standing: "ended",
        turn: None,
        touched: Vec::new(),
        ways: Vec::new(),
        more: false,
        awaits: None,
        holder: None,
    };
    match &mover.standing {
        Standing::Able { turn, touched: touches, ways, has_more } => MoverObject {
            standing: "able",
            turn: Some(*turn),
            touched: touched(touches),
            ways: ways.iter().map(|way| way_object(*turn, way)).collect(),
            more: *has_more,
            ..object
        },
        Standing::Blocked { awaits, holder } => {
            MoverObject { standing: "blocked", awaits: Some(awaits), holder: holder.as_deref(), ..object }
        }
        Standing::Ended => object,
    }
}

fn way_object(actor: u32, way: &Way) -> WayObject<'_> {
    let turn = super::Turn { actor, outcome: way.outcome.0 };
    WayObject { turn: turn.to_string(), text: &way.text, wrong: way.wrong.as_deref() }
}

fn halt_object(halt: &Halt) -> HaltObject<'_> {
    match halt {
        Halt::Finished => HaltObject { kind: "finished", cycle: &[] },
        Halt::Assumption => HaltObject { kind: "assumption", cycle: &[] },
        Halt::Deadlock(cycle) => HaltObject { kind: "deadlock", cycle },
    }
}

fn wrong_object(steps: usize, violation: &Violation) -> WrongObject<'_> {
    WrongObject {
        steps,
        kind: violation.kind.name(),
        message: &violation.message,
        r#where: violation.location.as_ref().map(PlaceObject::new),
        values: pairs(&violation.values),
    }
}

/// A place, as an answer, and what is to be said of how it was found.
pub fn place(waypoint: &Waypoint, note: &str) -> String {
    line(&serde_json::json!({ "place": waypoint.to_string(), "note": note }))
}

/// The text of a file that the browser saves, as an answer.
pub fn file(name: &str, text: &str) -> String {
    line(&serde_json::json!({ "name": name, "text": text }))
}

/// That something was done, as an answer.
pub fn done() -> String {
    line(&serde_json::json!({}))
}

/// Why something cannot be done, as an answer.
pub fn error(why: &str) -> String {
    line(&serde_json::json!({ "error": why }))
}

/// One line of JSON.
fn line(object: &impl Serialize) -> String {
    let mut text = serde_json::to_string(object)
        .unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }).to_string());
    text.push('\n');
    text
}

/// What an engine shows, as one line.
pub fn sign(sign: &Sign) -> String {
    line(&match sign {
        Sign::Step { node, parent, actor, text, location, waypoint } => serde_json::json!({
            "step": node,
            "parent": parent,
            "actor": actor,
            "text": text,
            "where": location.as_ref().map(PlaceObject::new),
            "place": waypoint.to_string(),
        }),
        Sign::State { node, enabled, asleep } => {
            serde_json::json!({ "state": node, "enabled": enabled, "asleep": asleep })
        }
        Sign::Branch { node, actors, why } => serde_json::json!({ "branch": node, "actors": actors, "why": why }),
        Sign::Leaf { node, leaf } => serde_json::json!({ "leaf": node, "kind": leaf.name() }),
        Sign::Closed { node } => serde_json::json!({ "closed": node }),
        Sign::Wrong { node, message } => serde_json::json!({ "wrong": node, "message": message }),
    })
}

/// How a watched search stands, as one line: what it has done so far, and whether it waits to be told to go on.
pub fn so_far(passed: Passed, waits: bool) -> String {
    let Passed { steps, leaves } = passed;
    line(&serde_json::json!({ "steps": steps, "leaves": leaves, "waits": waits }))
}

/// What a watched search has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// The steps that it took.
    pub steps: u64,
    /// The paths that have ended.
    pub leaves: u64,
}

/// What a search concluded, as the last line: with the places of its violations.
pub fn concluded(exploration: &Exploration, places: &[Option<Waypoint>]) -> String {
    let found = exploration.violations.iter().zip(places).map(|(found, waypoint)| {
        serde_json::json!({
            "kind": found.violation.kind.name(),
            "message": found.violation.message,
            "place": waypoint.as_ref().map(Waypoint::to_string),
        })
    });
    let found: Vec<_> = found.collect();
    line(&serde_json::json!({
        "verdict": exploration.verdict.name(),
        "reason": exploration.verdict.to_string(),
        "violations": found,
        "statistics": statistics(&exploration.statistics),
    }))
}
