//! A model in words: names, descriptions, and what it means that no actor can move.

use crate::ast::SyncOp;
use crate::code::{Instruction, Member, SyncKind};
use crate::coverage::BLOCKED;
use crate::model::{Holder, Model};
use crate::names::Key;
use crate::run::resolve;
use crate::state::{Kind, Record, Records, State, Status};
use mazurka_core::{
    Access, ActorId, Description, Ending, ObjectId, ObjectKind, Outcome, Step, System, Value, Violation, ViolationKind,
};

fn member(model: &Model, actor: ActorId) -> Option<&Member> {
    let program = model.program();
    let threads = program.threads.len();
    match actor.index().checked_sub(threads) {
        None => program.threads.get(actor.index()),
        Some(event) => program.events.get(event).map(|event| &event.member),
    }
}

/// An actor's full name.
pub(crate) fn actor_name(model: &Model, actor: ActorId) -> String {
    if let Some(member) = member(model, actor) {
        return member.name.clone();
    }
    let program = model.program();
    match model.key(actor) {
        None => format!("actor {}", actor.0),
        Some(Key::Child { parent, number, handler, body }) => {
            let bodies = if handler.is_some() { &program.messages } else { &program.functions };
            format!("{}/{}.{number}", actor_name(model, parent), bodies[usize::from(body)].name)
        }
        Some(Key::Thread { parent, slot, body }) => {
            format!("{}/{}~{}", actor_name(model, parent), program.functions[usize::from(body)].name, slot + 1)
        }
        Some(Key::Message { handler, message, arguments }) => {
            format!("{}:{}", program.handlers[handler as usize].name, message_text(model, message, &arguments))
        }
    }
}

fn message_text(model: &Model, message: u16, arguments: &[i64]) -> String {
    let name = &model.program().messages[usize::from(message)].name;
    if arguments.is_empty() {
        return name.clone();
    }
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    format!("{name}({})", arguments.join(", "))
}

/// A name that does not depend on how actors are told apart: two models of one program say the same.
fn label(model: &Model, words: &[i64], record: &Record) -> String {
    let program = model.program();
    match record.header.kind {
        Kind::Thread | Kind::Event => actor_name(model, record.actor(words)),
        Kind::Message => {
            let handler = &program.handlers[record.owner(words) as usize].name;
            format!("{} on {handler}", program.messages[record.detail(words) as usize].name)
        }
        Kind::Spawned => match model.key(record.presence(words)) {
            Some(Key::Thread { body, .. }) => program.functions[usize::from(body)].name.clone(),
            _ => actor_name(model, record.presence(words)),
        },
    }
}

/// An object's name.
pub(crate) fn object_name(model: &Model, object: ObjectId) -> String {
    match object_of(model, object) {
        Object::Cell(cell) => model.program().cell_names[cell].clone(),
        Object::Mutex(mutex) => model.program().mutexes[mutex].clone(),
        Object::Sync(number) => model.program().syncs[number].name.clone(),
        Object::Condition(condition) => model.program().conditions[condition].clone(),
        Object::Handler(handler) => model.program().handlers[handler].name.clone(),
        Object::Mailbox(handler) => format!("the mailbox of {}", model.program().handlers[handler].name),
        Object::Event(event) => model.program().events[event].member.name.clone(),
        Object::Invariant(invariant) => {
            let program = model.program();
            let line = program.location(program.invariants[invariant].line, 1).line;
            format!("a variable of the invariant in line {line}")
        }
        Object::Life(actor) => format!("the life of {}", actor_name(model, actor)),
        Object::Children(actor) => format!("the threads of {}", actor_name(model, actor)),
    }
}

enum Object {
    Cell(usize),
    Mutex(usize),
    Sync(usize),
    Condition(usize),
    Handler(usize),
    Mailbox(usize),
    Event(usize),
    Invariant(usize),
    Life(ActorId),
    Children(ActorId),
}

fn object_of(model: &Model, object: ObjectId) -> Object {
    let program = model.program();
    let handlers = program.handlers.len();
    let mut number = object.0 as usize;
    let mut within = |length: usize| {
        let found = (number < length).then_some(number);
        number = number.saturating_sub(length);
        found
    };
    if let Some(cell) = within(program.cells.len()) {
        return Object::Cell(cell);
    }
    if let Some(mutex) = within(program.mutexes.len()) {
        return Object::Mutex(mutex);
    }
    if let Some(sync) = within(program.syncs.len()) {
        return Object::Sync(sync);
    }
    if let Some(condition) = within(program.conditions.len()) {
        return Object::Condition(condition);
    }
    if let Some(handler) = within(handlers) {
        return Object::Handler(handler);
    }
    if let Some(handler) = within(handlers) {
        return Object::Mailbox(handler);
    }
    if let Some(event) = within(program.events.len()) {
        return Object::Event(event);
    }
    if let Some(invariant) = within(program.invariants.len()) {
        return Object::Invariant(invariant);
    }
    let actor = ActorId((number / 2) as u32);
    if number.is_multiple_of(2) { Object::Life(actor) } else { Object::Children(actor) }
}

/// What kind of thing an object is.
pub(crate) fn object_kind(model: &Model, object: ObjectId) -> ObjectKind {
    match object_of(model, object) {
        Object::Cell(_) => ObjectKind::Variable,
        Object::Mutex(_) => ObjectKind::Lock,
        Object::Sync(number) => match model.program().syncs[number].kind {
            SyncKind::Semaphore { .. } | SyncKind::RwLock { .. } => ObjectKind::Lock,
            SyncKind::Channel { .. } => ObjectKind::Mailbox,
        },
        Object::Condition(_) => ObjectKind::Signal,
        Object::Handler(_) => ObjectKind::Handler,
        Object::Mailbox(_) => ObjectKind::Mailbox,
        Object::Event(_) => ObjectKind::Switch,
        Object::Invariant(_) => ObjectKind::Invariant,
        Object::Life(_) | Object::Children(_) => ObjectKind::Life,
    }
}

/// Which actor holds an object, so that others have to wait for it.
pub(crate) fn holder(model: &Model, words: &[i64], object: ObjectId) -> Option<ActorId> {
    match object_of(model, object) {
        Object::Mutex(mutex) => model.holder(words, mutex).actor(),
        Object::Sync(number) => match model.program().syncs[number].kind {
            SyncKind::RwLock { number } => {
                let lock = number as usize;
                let reader = || model.readers(words, lock).next().map(|record| record.actor(words));
                model.writer(words, lock).actor().or_else(reader)
            }
            SyncKind::Semaphore { .. } | SyncKind::Channel { .. } => None,
        },
        Object::Handler(handler) => Records::new(words, model.layout())
            .find(|record| {
                let is_message = record.header.kind == Kind::Message && record.header.status != Status::Pending;
                is_message && record.owner(words) as usize == handler
            })
            .map(|record| record.actor(words)),
        Object::Life(actor) => model.record_of(words, actor).map(|_| actor),
        _ => None,
    }
}

/// What touching an object is called.
pub(crate) fn touch_verb(model: &Model, object: ObjectId, access: Access) -> &'static str {
    let changes = access.changes() || access.contains(Access::REWRITE);
    match (object_of(model, object), changes) {
        (Object::Cell(_), true) => "wrote",
        (Object::Cell(_), false) => "read",
        (Object::Mutex(_), _) if access.contains(Access::RELEASE) && !access.contains(Access::WRITE) => "released",
        (Object::Mutex(_), _) => "took",
        (Object::Sync(number), changes) => match model.program().syncs[number].kind {
            _ if !changes => "tried",
            SyncKind::Semaphore { .. } if access == Access::WRITE => "released",
            SyncKind::Semaphore { .. } => "acquired",
            SyncKind::RwLock { .. } => "locked or unlocked",
            SyncKind::Channel { .. } => "used",
        },
        (Object::Condition(_), _) if access.contains(Access::ADD) => "waited on",
        (Object::Condition(_), _) => "signalled",
        (Object::Handler(_), _) => "ran on",
        (Object::Mailbox(_), _) => "posted to",
        (Object::Event(_), true) => "switched",
        (Object::Event(_), false) => "happened",
        (Object::Invariant(_), _) => "changed",
        (Object::Life(_) | Object::Children(_), _) => "affected",
    }
}

/// What an actor is about to do.
pub(crate) fn describe(model: &Model, state: &State, actor: ActorId, outcome: Outcome) -> Description {
    let program = model.program();
    let words = &state.words;
    if let Some(event) = actor.index().checked_sub(program.threads.len()).and_then(|event| program.events.get(event)) {
        let location = Some(program.location(event.member.line, event.member.column));
        return Description { text: event.member.name.clone(), location };
    }
    let Some(record) = model.record_of(words, actor) else {
        return Description { text: "nothing".to_owned(), location: None };
    };
    if record.header.status == Status::Pending {
        let message = record.detail(words) as u16;
        let text = format!("begin {}", message_text(model, message, &words[record.stack()..record.end()]));
        let location = Some(program.site_location(program.messages[usize::from(message)].entry));
        return Description { text, location };
    }
    if record.header.status == Status::Waiting {
        let site = program.site(record.header.pc - 1);
        let location = Some(program.location(site.line, site.column));
        return Description { text: format!("timeout: {}", site.text), location };
    }
    let frame = &words[record.frame()..record.end()];
    let site = program.site(record.header.pc);
    let text = match program.code[record.header.pc as usize] {
        Instruction::Sync { op, object, .. } if op.has_value() => {
            format!("{} ({})", site.text, sync_value(model, words, op, resolve(object, frame)))
        }
        Instruction::Load { place, .. } => {
            let cell = resolve(place, frame);
            format!("{} ({})", site.text, program.show_cell(cell, words[cell]))
        }
        Instruction::Choose { from, .. } => {
            let chosen = frame[usize::from(from)].wrapping_add(outcome.0 as i64);
            format!("{} ({chosen})", site.text)
        }
        Instruction::Signal { .. } => match woken(model, state, actor, outcome) {
            names if names.is_empty() => format!("{} (no thread waits)", site.text),
            names => format!("{} (wakes {})", site.text, names.join(", ")),
        },
        _ => site.text.clone(),
    };
    Description { text, location: Some(program.location(site.line, site.column)) }
}

/// What an operation will give, in words.
fn sync_value(model: &Model, words: &[i64], op: SyncOp, object: usize) -> String {
    let is_possible = model.is_possible(words, op, object);
    match op {
        SyncOp::Receive | SyncOp::TryReceive if is_possible => {
            words[model.layout().syncs + model.program().syncs[object].at as usize + 1].to_string()
        }
        SyncOp::Receive | SyncOp::TryReceive => "empty".to_owned(),
        _ => i64::from(is_possible).to_string(),
    }
}

/// The waiters that a signal wakes.
fn woken(model: &Model, state: &State, actor: ActorId, outcome: Outcome) -> Vec<String> {
    let waiting = |state: &State| -> Vec<ActorId> {
        Records::new(&state.words, model.layout())
            .filter(|record| record.header.status == Status::Waiting)
            .map(|record| record.actor(&state.words))
            .collect()
    };
    let mut after = state.clone();
    let mut step = Step::default();
    step.begin(outcome);
    model.step(&mut after, actor, &mut step);
    let still = waiting(&after);
    waiting(state)
        .into_iter()
        .filter(|waiter| !still.contains(waiter))
        .map(|waiter| actor_name(model, waiter))
        .collect()
}

/// What a person would want to see of a state.
pub(crate) fn observe(model: &Model, words: &[i64], into: &mut Vec<Value>) {
    let program = model.program();
    let mut push = |name: &str, value: String| into.push(Value { name: name.to_owned(), value });
    for (cell, (name, &value)) in program.cell_names.iter().zip(words).enumerate() {
        push(name, program.show_cell(cell, value));
    }
    for (mutex, name) in program.mutexes.iter().enumerate() {
        push(name, holder_text(model, model.holder(words, mutex)));
    }
    for sync in &program.syncs {
        let at = model.layout().syncs + sync.at as usize;
        let count = words[at];
        let text = match sync.kind {
            SyncKind::Semaphore { .. } => count.to_string(),
            SyncKind::RwLock { .. } if count > 0 => {
                format!("{count} reader{}", if count == 1 { "" } else { "s" })
            }
            SyncKind::RwLock { number } => holder_text(model, model.writer(words, number as usize)),
            SyncKind::Channel { .. } => {
                let values = words[at + 1..=at + count as usize].iter().map(ToString::to_string);
                format!("[{}]", values.collect::<Vec<_>>().join(", "))
            }
        };
        push(&sync.name, text);
    }
    for (number, event) in program.events.iter().enumerate() {
        let on = words[model.layout().events + number / 64] >> (number % 64) & 1 == 1;
        push(&event.member.name, if on { "enabled" } else { "disabled" }.to_owned());
    }
    for (number, handler) in program.handlers.iter().enumerate() {
        let waiting: Vec<String> = Records::new(words, model.layout())
            .filter(|record| record.header.status == Status::Pending && record.owner(words) as usize == number)
            .map(|record| message_text(model, record.detail(words) as u16, &words[record.stack()..record.end()]))
            .collect();
        push(&handler.name, format!("[{}]", waiting.join(", ")));
    }
}

/// The local variables of an actor that it still needs, of the function that it is in.
pub(crate) fn locals(model: &Model, words: &[i64], actor: ActorId, into: &mut Vec<Value>) {
    let program = model.program();
    let Some(record) = model.record_of(words, actor) else { return };
    if matches!(record.header.status, Status::Finished | Status::Halted | Status::Pending) {
        return;
    }
    let frame = &words[record.frame()..record.end()];
    let locals = program.locals_at[record.header.pc as usize].iter().map(|&local| &program.locals[local as usize]);
    into.extend(locals.filter_map(|local| {
        let value = frame.get(usize::from(local.register))?;
        Some(Value { name: local.name.clone(), value: program.show(local.of, *value) })
    }));
}

fn holder_text(model: &Model, holder: Holder) -> String {
    match holder {
        Holder::Free => "free".to_owned(),
        Holder::Actor(actor) => actor_name(model, actor),
        Holder::Halted => "held by a stopped actor".to_owned(),
        Holder::Ended => "held by an ended actor".to_owned(),
    }
}

/// Why an actor cannot move.
enum Wait {
    Mutex(usize),
    /// To read or to write under a read-write lock: which of the objects, and which of these locks it is.
    RwLock(SyncOp, usize, usize),
    /// At a semaphore or a channel: any actor may help.
    Help(SyncOp, usize),
    Thread(Option<Record>),
    Signal(usize),
    Assumption,
}

fn wait_of(model: &Model, words: &[i64], record: &Record) -> Option<Wait> {
    let frame = &words[record.frame()..record.end()];
    match record.header.status {
        Status::Finished | Status::Halted | Status::Pending => return None,
        Status::Waiting => return model.waits_at(words, record).map(Wait::Signal),
        Status::Fresh | Status::Ready => {}
    }
    match model.program().code[record.header.pc as usize] {
        Instruction::Lock { mutex } | Instruction::Reacquire { mutex } => Some(Wait::Mutex(resolve(mutex, frame))),
        Instruction::Join { thread } => {
            let handle = frame[usize::from(thread)];
            Some(Wait::Thread(model.child_by_handle(words, record.presence(words), handle)))
        }
        Instruction::Sync { op, object, .. } => {
            let object = resolve(object, frame);
            Some(match model.program().syncs[object].kind {
                SyncKind::RwLock { number } => Wait::RwLock(op, object, number as usize),
                SyncKind::Semaphore { .. } | SyncKind::Channel { .. } => Wait::Help(op, object),
            })
        }
        _ => Some(Wait::Assumption),
    }
}

/// The actors that wait, directly or through others, for an assumption or for an actor that a violation stopped; by the
/// places of their records. A signal, a release, a value or room in a channel may come from any actor.
fn excused(model: &Model, words: &[i64], records: &[Record]) -> Vec<bool> {
    let waits: Vec<Option<Wait>> = records.iter().map(|record| wait_of(model, words, record)).collect();
    let stopped = |record: &Record| record.header.status == Status::Halted;
    let is_culprit = |place: usize| match &waits[place] {
        Some(wait) => matches!(wait, Wait::Assumption),
        None => stopped(&records[place]),
    };
    let mut excused: Vec<bool> = (0..records.len()).map(is_culprit).collect();
    let any_is_excused = model.forgot_a_stopped_actor(words) || excused.contains(&true);
    loop {
        let is_excused = |record: &Record| {
            records.iter().position(|other| other.at == record.at).is_some_and(|place| excused[place])
        };
        let excuses = |holder: Holder| match holder {
            Holder::Halted | Holder::Free => true,
            Holder::Actor(actor) => model.record_of(words, actor).is_some_and(|record| is_excused(&record)),
            Holder::Ended => false,
        };
        let more = (0..records.len()).filter(|&place| {
            !excused[place]
                && match &waits[place] {
                    None | Some(Wait::Assumption) => false,
                    Some(Wait::Signal(_) | Wait::Help(..)) => any_is_excused,
                    Some(Wait::Thread(child)) => child.as_ref().is_some_and(is_excused),
                    Some(Wait::Mutex(mutex)) => excuses(model.holder(words, *mutex)),
                    // All holders have to release it.
                    Some(Wait::RwLock(_, object, lock)) => {
                        excuses(model.writer(words, *lock))
                            && model.readers_that_ended(words, *object, *lock) == 0
                            && model.readers(words, *lock).all(|reader| is_excused(&reader))
                    }
                }
        });
        let more: Vec<usize> = more.collect();
        if more.is_empty() {
            return excused;
        }
        more.into_iter().for_each(|place| excused[place] = true);
    }
}

/// What it means that no actor can move.
pub(crate) fn ending(model: &Model, words: &[i64]) -> Ending {
    let records: Vec<Record> = Records::new(words, model.layout()).collect();
    let is_stuck = |record: &Record| wait_of(model, words, record).is_some();
    let stuck: Vec<&Record> = records.iter().filter(|record| is_stuck(record)).collect();
    let excused = excused(model, words, &records);
    let deadlocked: Vec<&Record> = records
        .iter()
        .zip(excused)
        .filter(|(record, excused)| !excused && is_stuck(record))
        .map(|pair| pair.0)
        .collect();
    let Some(first) = deadlocked.first() else {
        let assuming = stuck.iter().filter(|record| matches!(wait_of(model, words, record), Some(Wait::Assumption)));
        assuming.for_each(|record| model.marks().note(record.header.pc, BLOCKED));
        if !stuck.is_empty() {
            return Ending::Blocked;
        }
        model.marks().note_finished();
        return Ending::Finished;
    };
    let reasons: Vec<String> = deadlocked.iter().map(|record| reason(model, words, record)).collect();
    let mut violation = Violation::new(ViolationKind::Deadlock, format!("deadlock: {}", reasons.join("; ")));
    violation.location = Some(model.place_location(first));
    Ending::Deadlock(Box::new(violation))
}

/// The actor that a waiter for a lock waits for.
fn held_by(model: &Model, words: &[i64], waiter: &Record, holder: Holder) -> String {
    match holder {
        Holder::Actor(actor) if actor == waiter.actor(words) => "itself".to_owned(),
        Holder::Actor(actor) => match model.record_of(words, actor) {
            Some(holder) if holder.header.status == Status::Finished => {
                format!("{}, which has ended", label(model, words, &holder))
            }
            Some(holder) => label(model, words, &holder),
            None => "no actor".to_owned(),
        },
        Holder::Ended => "an actor that has ended".to_owned(),
        Holder::Halted | Holder::Free => "no actor".to_owned(),
    }
}

fn reason(model: &Model, words: &[i64], record: &Record) -> String {
    let program = model.program();
    let who = label(model, words, record);
    match wait_of(model, words, record) {
        Some(Wait::Mutex(mutex)) => {
            format!(
                "{who} waits for {} held by {}",
                program.mutexes[mutex],
                held_by(model, words, record, model.holder(words, mutex))
            )
        }
        Some(Wait::RwLock(op, object, lock)) => {
            let what = if op == SyncOp::ReadLock { "to read under" } else { "to write under" };
            let mut holders: Vec<String> = match model.writer(words, lock) {
                Holder::Free => Vec::new(),
                writer => vec![held_by(model, words, record, writer)],
            };
            let readers = model.readers(words, lock);
            holders.extend(readers.map(|reader| held_by(model, words, record, Holder::Actor(reader.actor(words)))));
            if holders.is_empty() {
                holders.push("an actor that has ended".to_owned());
            }
            format!("{who} waits {what} {}, held by {}", program.syncs[object].name, holders.join(" and "))
        }
        Some(Wait::Help(op, object)) => {
            let name = &program.syncs[object].name;
            match op {
                SyncOp::Send => format!("{who} waits to send to {name}, which is full"),
                SyncOp::Receive => format!("{who} waits to receive from {name}, which is empty"),
                _ => format!("{who} waits to acquire {name}, which is 0"),
            }
        }
        Some(Wait::Thread(Some(child))) => format!("{who} waits for {} to end", label(model, words, &child)),
        Some(Wait::Signal(condition)) => format!("{who} waits for a signal on {}", program.conditions[condition]),
        Some(Wait::Thread(None) | Wait::Assumption) | None => format!("{who} waits"),
    }
}
