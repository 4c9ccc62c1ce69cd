//! What a trace's threads, events and objects are called, and which of them wait for what.

use crate::operation::{Place, ThreadId};
use crate::program::{Code, Object};
use crate::recording::{Obstacle, Recording, State};
use mazurka_core::{
    Access, ActorId, Description, Ending, Location, ObjectId, ObjectKind, Value, Violation, ViolationKind,
};
use std::sync::Arc;

/// Threads are `t1`, `t2` … and the handlers of events `e1`, `e2` …, by the numbers that the trace gives them.
pub(crate) fn actor_name(recording: &Recording, actor: ActorId) -> String {
    match recording.program().tasks.get(actor.index()) {
        Some(code) => match code.task.message {
            Some(message) => format!("e{}", message.0),
            None => format!("t{}", code.task.thread.0),
        },
        None => format!("actor {}", actor.0),
    }
}

fn task_name(recording: &Recording, task: usize) -> String {
    actor_name(recording, ActorId(task as u32))
}

pub(crate) fn object_name(recording: &Recording, object: ObjectId) -> String {
    match recording.program().objects.get(object.0 as usize) {
        Some(Object::Place(Place::Field(object, field))) => format!("0x{object:x}.{field}"),
        Some(Object::Place(Place::Static(class, field))) => format!("{class}.{field}"),
        Some(Object::Lock(lock)) => lock_name(*lock),
        Some(Object::Done(done)) => step_name(recording, &recording.program().tasks[done.task].steps[done.step]),
        Some(Object::Life(task)) => task_name(recording, *task),
        Some(Object::Mailbox(thread)) => format!("the queue of t{}", thread.0),
        Some(Object::Handler(thread) | Object::Open(thread)) => format!("t{}", thread.0),
        Some(Object::Tokens(thread)) => format!("the notifications of t{}", thread.0),
        None => format!("object {}", object.0),
    }
}

pub(crate) fn object_kind(recording: &Recording, object: ObjectId) -> ObjectKind {
    match recording.program().objects.get(object.0 as usize) {
        Some(Object::Lock(_)) => ObjectKind::Lock,
        Some(Object::Life(_)) => ObjectKind::Life,
        Some(Object::Mailbox(_)) => ObjectKind::Mailbox,
        Some(Object::Handler(_)) => ObjectKind::Handler,
        _ => ObjectKind::Variable,
    }
}

/// Which task holds a lock, and whose turn it is on a thread with a queue.
pub(crate) fn holder(recording: &Recording, state: &State, object: ObjectId) -> Option<ActorId> {
    let program = recording.program();
    let task = match program.objects.get(object.0 as usize)? {
        Object::Lock(lock) => recording.holder(state, program.locks.iter().position(|other| other == lock)?),
        Object::Handler(thread) => {
            let queue = program.queues.iter().position(|(other, _)| other == thread)?;
            recording.queued(state, queue).next()
        }
        _ => None,
    }?;
    Some(ActorId(task as u32))
}

fn lock_name(lock: u32) -> String {
    format!("lock 0x{lock:x}")
}

fn step_name(recording: &Recording, code: &Code) -> String {
    let first = code.lines.first().map_or(0, |&line| recording.program().texts[line].1);
    format!("line {first}")
}

pub(crate) fn touch_verb(recording: &Recording, object: ObjectId, access: Access) -> &'static str {
    match recording.program().objects.get(object.0 as usize) {
        Some(Object::Lock(_)) if access.contains(Access::WRITE) => "took",
        Some(Object::Lock(_)) => "released",
        Some(Object::Mailbox(_)) => "posted to",
        Some(Object::Life(_)) if access.changes() => "posted",
        Some(Object::Handler(_)) if access.contains(Access::WRITE) => "ran on",
        Some(Object::Handler(_)) => "left",
        Some(Object::Open(_)) if access.changes() => "ended",
        Some(Object::Open(_)) => "posted to",
        Some(Object::Done(_)) if access.changes() => "came to",
        Some(Object::Done(_)) => "waited for",
        Some(Object::Tokens(_)) if access.contains(Access::WRITE) => "took one of",
        Some(Object::Tokens(_)) => "added to",
        _ if access.changes() => "wrote",
        _ => "read",
    }
}

/// A step by its first line, and how many lines more it has.
pub(crate) fn describe(recording: &Recording, actor: ActorId, code: Option<&Code>) -> Description {
    let program = recording.program();
    let Some((code, &first)) = code.and_then(|code| Some((code, code.lines.first()?))) else {
        return Description { text: actor_name(recording, actor), location: None };
    };
    let (text, line) = &program.texts[first];
    let text = match code.lines.len() - 1 {
        0 => text.clone(),
        1 => format!("{text} and 1 line more"),
        more => format!("{text} and {more} lines more"),
    };
    Description { text, location: Some(location(&program.file, *line)) }
}

fn location(file: &Arc<str>, line: u32) -> Location {
    Location { file: Arc::clone(file), line, column: 1 }
}

/// No actor can move: everything is done, or some wait for ever. A task that is only queued behind them is not named.
pub(crate) fn ending(recording: &Recording, state: &State) -> Ending {
    let program = recording.program();
    let obstacle = |task| Some((task, recording.obstacle(state, task)?));
    let stuck: Vec<(usize, Obstacle)> = (0..program.tasks.len()).filter_map(obstacle).collect();
    let is_cause = |(task, obstacle): &(usize, Obstacle)| match *obstacle {
        Obstacle::Unmade => false,
        Obstacle::Queue(queue) => {
            // The one in front is stuck itself, unless it was never posted.
            !recording.queued(state, queue).any(|other| other != *task && recording.obstacle(state, other).is_some())
        }
        _ => true,
    };
    let causes: Vec<&(usize, Obstacle)> = stuck.iter().filter(|stuck| is_cause(stuck)).collect();
    let Some((first, _)) = causes.first() else { return Ending::Finished };
    let reasons: Vec<String> = causes.iter().map(|(task, obstacle)| reason(recording, *task, *obstacle)).collect();
    let mut violation = Violation::new(ViolationKind::Deadlock, format!("deadlock: {}", reasons.join("; ")));
    violation.location = describe_next(recording, state, *first).location;
    Ending::Deadlock(Box::new(violation))
}

fn describe_next(recording: &Recording, state: &State, task: usize) -> Description {
    use mazurka_core::Narrator as _;
    recording.describe(state, ActorId(task as u32), mazurka_core::Outcome::FIRST)
}

/// What each task waits for.
fn reason(recording: &Recording, task: usize, obstacle: Obstacle) -> String {
    let program = recording.program();
    let who = task_name(recording, task);
    match obstacle {
        Obstacle::Unmade => format!("{who} waits to be made"),
        Obstacle::Queue(queue) => format!("{who} waits in the queue of t{}", program.queues[queue].0.0),
        Obstacle::After(done) => {
            let code = &program.tasks[done.task].steps[done.step];
            format!("{who} waits for {} of {}", step_name(recording, code), task_name(recording, done.task))
        }
        Obstacle::Gone(ThreadId(thread)) => format!("{who} waits to post to t{thread}, which has ended"),
        Obstacle::Lock(lock, holder) => {
            let holder = if holder == task { "itself".to_owned() } else { task_name(recording, holder) };
            format!("{who} waits for {} held by {holder}", lock_name(program.locks[lock]))
        }
        Obstacle::Token(ThreadId(thread)) => format!("{who} waits for a notification of t{thread}"),
    }
}

/// What is held by which task, and what stands in the queues.
pub(crate) fn observe(recording: &Recording, state: &State, into: &mut Vec<Value>) {
    let program = recording.program();
    for (number, &lock) in program.locks.iter().enumerate() {
        let holder = recording.holder(state, number).map_or("free".to_owned(), |task| task_name(recording, task));
        into.push(Value { name: lock_name(lock), value: holder });
    }
    for (number, (thread, _)) in program.queues.iter().enumerate() {
        let events: Vec<String> = recording.queued(state, number).map(|task| task_name(recording, task)).collect();
        into.push(Value { name: format!("queue of t{}", thread.0), value: format!("[{}]", events.join(" ")) });
    }
}
