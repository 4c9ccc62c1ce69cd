//! Names, values and sentences for people.

use crate::code::{Home, Instruction as I};
use crate::debug::{Shape, TypeId};
use crate::memory::{CONSTANTS, FUNCTIONS, GLOBALS, Region, address, offset, owner, space, space_of};
use crate::model::{Model, was_ended};
use crate::objects::{ActorKey, Key, Kind, SyncKind, What};
use crate::run::{MutexWord, obstacle, peek};
use crate::state::{Block, Entry, LINK, Status, View};
use mazurka_core::{
    Access, ActorId, Awaited, Description, Ending, Footprint, ObjectId, Value, Violation, ViolationKind,
};
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// The blocks of memory that were allocated: by actor and place, which of the actor's it was, its size and its type.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    table: RwLock<BTreeMap<(u32, u64), Allocation>>,
}

#[derive(Clone, Copy, Debug)]
struct Allocation {
    number: u32,
    size: u64,
    ty: Option<TypeId>,
}

impl Blocks {
    /// Notes a block that was allocated. By presence a place may be used again.
    pub(crate) fn note(&self, actor: u32, place: u64, number: u32, size: u64, ty: Option<TypeId>) {
        let key = (actor, place);
        let known = self.table.read().unwrap_or_else(PoisonError::into_inner).get(&key).map(|known| known.size);
        if known.is_none_or(|known| known < size) {
            self.table.write().unwrap_or_else(PoisonError::into_inner).insert(key, Allocation { number, size, ty });
        }
    }

    fn find(&self, actor: u32, place: u64) -> Option<(u64, Allocation)> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        let (&(_, start), &allocation) = table.range((actor, 0)..=(actor, place)).next_back()?;
        Some((start, allocation))
    }

    /// Whether a place was in a block once.
    pub(crate) fn was_in_block(&self, actor: u32, place: u64) -> bool {
        self.find(actor, place).is_some_and(|(start, allocation)| place < start + allocation.size.max(1))
    }

    /// Whether a block began at a place once.
    pub(crate) fn was_block(&self, actor: u32, place: u64) -> bool {
        self.find(actor, place).is_some_and(|(start, _)| start == place)
    }
}

/// The name of an actor: what the program calls it, or the function that it runs and which of its creator's it is.
pub(crate) fn actor_name(model: &Model, actor: u32) -> String {
    let Some(info) = model.actors().info(actor) else { return format!("actor {actor}") };
    if actor == 0 {
        return model.program().functions[info.function as usize].name.to_string();
    }
    let name = match model.actors().called(actor) {
        Some((name, false)) => return name,
        Some((name, true)) => name,
        None => {
            let function = model.program().functions.get(info.function as usize);
            function.map_or_else(|| "handler".to_owned(), |function| function.name.to_string())
        }
    };
    let name = match info.handler {
        Some((handler, _)) if info.kind == Kind::Message => format!("{}:{name}", actor_name(model, handler)),
        _ => name,
    };
    match info.key {
        ActorKey::Child { .. } | ActorKey::Slot { .. } => format!("{name} {}", path(model, actor)),
        ActorKey::Message { argument, copy, .. } => format!("{name}({argument:#x}) {copy}"),
    }
}

/// The name of the actor that a value of this type stands for, if it is a handle.
fn handle_name(model: &Model, ty: TypeId, value: u64) -> Option<String> {
    let debug = &model.program().debug;
    let is_word = matches!(debug.shape(ty), Shape::Unsigned(8) | Shape::Pointer(_));
    if !is_word || !matches!(&*debug.type_name(ty)?, "mazurka_handler" | "pthread_t" | "thrd_t") {
        return None;
    }
    let actor = u32::try_from(value.checked_sub(1)?).ok()?;
    model.actors().info(actor).map(|_| actor_name(model, actor))
}

/// Which child of which an actor is: `2.1` is the first one of the main thread's second.
fn path(model: &Model, actor: u32) -> String {
    let mut numbers = Vec::new();
    let mut at = actor;
    while at != 0 && numbers.len() < 32 {
        let (parent, number) = match model.actors().info(at).map(|info| info.key) {
            Some(ActorKey::Child { parent, number }) => (parent, number),
            Some(ActorKey::Slot { parent, slot }) => (parent, slot + 1),
            Some(ActorKey::Message { handler, copy, .. }) => (handler, copy + 1),
            None => break,
        };
        numbers.push(number.to_string());
        at = parent;
    }
    numbers.reverse();
    numbers.join(".")
}

/// The name of an object.
pub(crate) fn object_name(model: &Model, object: ObjectId) -> String {
    match model.objects().what(object) {
        What::Scalar(number) => scalar_name(model, number),
        What::Life(actor) => actor_name(model, actor),
        What::Unknown => format!("object {}", object.0),
        What::Key(key) => match key {
            Key::Process => "the program".to_owned(),
            Key::Cell(address) | Key::Sync(_, address) => address_name(model, address),
            Key::Handler(handler) | Key::Gate(handler) => actor_name(model, handler),
            Key::Mailbox(handler) => format!("the mailbox of {}", actor_name(model, handler)),
            Key::Heap(actor) => format!("the heap of {}", actor_name(model, actor)),
        },
    }
}

/// The name of a scalar of a variable.
fn scalar_name(model: &Model, number: u32) -> String {
    let program = model.program();
    let is_in = |variable: &&crate::code::Variable| {
        !variable.is_constant
            && variable.first_object != crate::code::NONE
            && (variable.first_object..variable.first_object + variable.objects).contains(&number)
    };
    let Some(variable) = program.variables.iter().find(is_in) else { return format!("variable {number}") };
    // Where the scalar begins.
    let start = variable.address as usize / 8;
    let words = (variable.size as usize).div_ceil(8).max(1);
    for (index, word) in program.global_words[start..start + words].iter().enumerate() {
        let mut object = word.object;
        for byte in 0..8u64 {
            object += u32::from(byte > 0 && word.starts >> byte & 1 == 1);
            if object == number {
                return part_name(model, &variable.name, variable.ty, 8 * index as u64 + byte);
            }
        }
    }
    variable.name.to_string()
}

fn part_name(model: &Model, name: &str, ty: Option<TypeId>, offset: u64) -> String {
    part_name_as(model, name, ty, offset, &|_| false)
}

fn part_name_as(
    model: &Model,
    name: &str,
    ty: Option<TypeId>,
    offset: u64,
    is_meant: &dyn Fn(TypeId) -> bool,
) -> String {
    match ty {
        Some(ty) => {
            let (path, _) = model.program().debug.part(ty, offset, is_meant);
            format!("{name}{}", without_inner(&path))
        }
        None if offset == 0 => name.to_owned(),
        None => format!("{name}+{offset}"),
    }
}

/// Parts that the model gives to locks are not shown.
fn without_inner(path: &str) -> &str {
    path.find(".mazurka_").or_else(|| path.find(".__data")).map_or(path, |at| &path[..at])
}

/// The name of what is at an address.
pub(crate) fn address_name(model: &Model, at: u64) -> String {
    address_name_as(model, at, &|_| false)
}

/// The name of what a pointer to a type leads to: the whole of a structure, not the first thing in it.
fn pointer_name(model: &Model, at: u64, to: Option<TypeId>) -> String {
    address_name_as(model, at, &|ty| to.is_none_or(|to| model.program().debug.is_same(to, ty)))
}

fn address_name_as(model: &Model, at: u64, is_meant: &dyn Fn(TypeId) -> bool) -> String {
    let program = model.program();
    let (space, place) = (space(at), offset(at));
    match space {
        0 => format!("{at}"),
        GLOBALS | CONSTANTS => {
            let is_constant = space != GLOBALS;
            let variable = program.variables.iter().find(|variable| {
                let start = u64::from(variable.address);
                variable.is_constant == is_constant && (start..start + u64::from(variable.size).max(1)).contains(&place)
            });
            match variable {
                Some(variable) => {
                    part_name_as(model, &variable.name, variable.ty, place - u64::from(variable.address), is_meant)
                }
                None => format!("{at:#x}"),
            }
        }
        FUNCTIONS => program
            .functions
            .get(place as usize)
            .map_or_else(|| format!("{at:#x}"), |function| function.name.to_string()),
        _ => match owner(space) {
            Some((actor, Region::Heap)) => match model.blocks().find(actor, place) {
                Some((start, Allocation { number, ty, .. })) => {
                    let kind = ty.and_then(|ty| program.debug.type_name(ty)).unwrap_or_else(|| "block".to_owned());
                    let whose =
                        if actor == 0 { format!("{number}") } else { format!("{}.{number}", path(model, actor)) };
                    let ty = ty.map(|ty| (ty, program.debug.size(ty).max(1)));
                    let rest = place - start;
                    match ty {
                        Some((ty, size)) if rest < size => {
                            part_name_as(model, &format!("{kind}#{whose}"), Some(ty), rest, is_meant)
                        }
                        // An array of them.
                        Some((ty, size)) => {
                            let name = format!("{kind}#{whose}[{}]", rest / size);
                            part_name_as(model, &name, Some(ty), rest % size, is_meant)
                        }
                        None => part_name(model, &format!("{kind}#{whose}"), None, rest),
                    }
                }
                None => format!("memory of {}", actor_name(model, actor)),
            },
            Some((actor, region)) => stack_name(model, actor, region, place, is_meant),
            None => format!("{at:#x}"),
        },
    }
}

/// The name of the block that begins at an address.
pub(crate) fn block_name(model: &Model, at: u64) -> String {
    let name = address_name(model, at);
    name.find(['.', '[']).filter(|&end| name[..end].contains('#')).map_or(name.clone(), |end| name[..end].to_owned())
}

/// The name of a local variable, which is known in an actor's first function.
fn stack_name(model: &Model, actor: u32, region: Region, place: u64, is_meant: &dyn Fn(TypeId) -> bool) -> String {
    let program = model.program();
    let name = || {
        let function = program.functions.get(model.actors().info(actor)?.function as usize)?;
        let first = if region == Region::Private { &program.thread_private } else { &program.thread_shared };
        let within = place.checked_sub(8 * first.len() as u64)?;
        let mut best: Option<(&crate::code::LocalVariable, u32)> = None;
        for variable in &function.variables {
            if let Home::Memory { offset, private } = variable.home
                && private == (region == Region::Private)
                && u64::from(offset) <= within
                && best.is_none_or(|(_, known)| known < offset)
            {
                best = Some((variable, offset));
            }
        }
        let (variable, offset) = best?;
        let rest = within - u64::from(offset);
        let size = variable.ty.map_or(u64::MAX, |ty| program.debug.size(ty).max(1));
        (rest < size).then(|| part_name_as(model, &variable.name, variable.ty, rest, is_meant))
    };
    name().unwrap_or_else(|| format!("a local variable of {}", actor_name(model, actor)))
}

/// What touching an object is called.
pub(crate) fn touch_verb(model: &Model, object: ObjectId, access: Access) -> &'static str {
    let changes = access.changes();
    match model.objects().what(object) {
        What::Life(_) if changes => "created, woke or ended",
        What::Life(_) => "began, joined or was woken by",
        What::Key(Key::Sync(SyncKind::Mutex | SyncKind::RwLock, _)) => match access {
            Access::RELEASE => "unlocked",
            _ if changes => "locked",
            _ => "looked at",
        },
        What::Key(Key::Sync(SyncKind::Condition, _)) => {
            if access == Access::ADD {
                "waited for"
            } else {
                "signalled"
            }
        }
        What::Key(Key::Sync(SyncKind::Semaphore, _)) => {
            if access.contains(Access::READ) {
                "took"
            } else {
                "posted"
            }
        }
        What::Key(Key::Sync(SyncKind::Barrier, _)) => "reached",
        What::Key(Key::Sync(SyncKind::Once, _)) => "ran",
        What::Key(Key::Process) => "ended",
        What::Key(Key::Handler(_)) => "ran on",
        _ if access == Access::ADD => "added to",
        _ if changes => "wrote",
        _ => "read",
    }
}

/// What an actor is about to do: the line of the source.
pub(crate) fn describe(model: &Model, view: View<'_>, actor: u32) -> Description {
    let Some(entry) = view.actor(actor) else { return Description { text: actor_name(model, actor), location: None } };
    let head = view.head(entry);
    let program = model.program();
    let pc = match (entry.status, program.functions[head.function as usize].body) {
        (Status::Event, crate::code::Body::Code(entry)) => entry,
        _ => head.pc,
    };
    let location = model.location(pc);
    let line = location.as_ref().and_then(|location| program.line(location));
    let text = match (line, entry.status) {
        (_, Status::Pending | Status::Event) => format!("{} begins", program.functions[head.function as usize].name),
        (Some(line), Status::TimedWaiting) => format!("{line} times out"),
        (Some(line), Status::Woken) => format!("{line} goes on"),
        (Some(line), _) => line.to_owned(),
        (None, _) => operation(model, view, entry),
    };
    Description { text, location }
}

/// An operation in words, where the source is not at hand.
fn operation(model: &Model, view: View<'_>, entry: Entry) -> String {
    let head = view.head(entry);
    let program = model.program();
    let value = |operand: crate::code::Operand| match operand.index() {
        Ok(register) => {
            view.words.get(entry.at + head.frames_at() + head.frame as usize + LINK + register).copied().unwrap_or(0)
        }
        Err(constant) => program.constants[constant],
    };
    match program.code.get(head.pc as usize) {
        Some(I::Load { pointer, .. }) => format!("read {}", address_name(model, value(*pointer))),
        Some(I::Store { pointer, value: stored, .. }) => {
            format!("write {} = {}", address_name(model, value(*pointer)), value(*stored) as i64)
        }
        Some(I::Modify { pointer, .. } | I::Exchange { pointer, .. }) => {
            format!("change {}", address_name(model, value(*pointer)))
        }
        Some(I::Routine { call }) => {
            let call = &program.calls[*call as usize];
            let first = program.pool[call.arguments.range()].first().map(|&operand| value(operand));
            match first {
                Some(first) if model.is_address(first) => format!("{}({})", call.name, address_name(model, first)),
                _ => call.name.to_string(),
            }
        }
        Some(I::AtomicBegin) => "an atomic section".to_owned(),
        _ => actor_name(model, entry.actor),
    }
}

/// How many parts of a variable are shown.
const MOST_PARTS: u64 = 16;
/// How many parts of a variable are told one by one.
const MOST_TOLD: u64 = 64;
/// How many characters of a text are shown.
const LONGEST_TEXT: u64 = 32;
/// How many variables are shown.
const MOST_VARIABLES: usize = 200;

/// A value of a type at an address, for people.
pub(crate) fn show(model: &Model, view: View<'_>, ty: TypeId, at: u64, depth: u32) -> String {
    let debug = &model.program().debug;
    let number = |size: u64| peek(model, view, at, size.clamp(1, 8) as u8);
    if let Some(name) = number(8).and_then(|value| handle_name(model, ty, value)) {
        return name;
    }
    let shown = match debug.shape(ty) {
        _ if depth == 0 => None,
        Shape::Signed(size) => {
            number(size).map(|value| (crate::ir::sign_extended(value, 8 * size as u8) as i64).to_string())
        }
        Shape::Unsigned(size) => number(size).map(|value| value.to_string()),
        Shape::Boolean => number(1).map(|value| if value & 1 == 1 { "true" } else { "false" }.to_owned()),
        Shape::Character => number(1).map(|value| match char::from(value as u8) {
            character if (' '..='~').contains(&character) => format!("'{character}'"),
            _ => (value as i8).to_string(),
        }),
        Shape::Float(4) => number(4).map(|value| f32::from_bits(value as u32).to_string()),
        Shape::Float(_) => number(8).map(|value| f64::from_bits(value).to_string()),
        Shape::Pointer(to) => number(8).map(|value| show_pointer(model, view, to, value)),
        Shape::Enumeration { size, names } => number(size).map(|value| {
            let value = crate::ir::sign_extended(value, 8 * size.clamp(1, 8) as u8) as i64;
            let name = names.into_iter().find(|(known, _)| *known == value).map(|(_, name)| name);
            name.unwrap_or_else(|| value.to_string())
        }),
        Shape::Structure(fields) if is_lock(model, ty) => {
            let _ = fields;
            peek(model, view, at, 8).map(|word| lock_value(model, ty, word))
        }
        Shape::Structure(fields) => {
            let parts: Vec<String> = fields
                .iter()
                .map(|(name, offset, of)| format!("{name} = {}", show(model, view, *of, at + offset, depth - 1)))
                .collect();
            Some(format!("{{{}}}", parts.join(", ")))
        }
        Shape::Union => number(8).map(|value| format!("{value:#x}")),
        Shape::Array { element, count } => {
            if let Shape::Character = debug.shape(element) {
                let bytes: Vec<u8> = (0..count.min(64))
                    .map_while(|index| peek(model, view, at + index, 1))
                    .map(|byte| byte as u8)
                    .collect();
                let text: Vec<u8> = bytes.into_iter().take_while(|&byte| byte != 0).collect();
                return format!("{:?}", String::from_utf8_lossy(&text));
            }
            let size = debug.size(element);
            let mut parts: Vec<String> = (0..count.min(MOST_PARTS))
                .map(|index| show(model, view, element, at + index * size, depth - 1))
                .collect();
            if count > MOST_PARTS {
                parts.push("…".to_owned());
            }
            Some(format!("[{}]", parts.join(", ")))
        }
        Shape::Unknown => None,
    };
    shown.unwrap_or_else(|| "…".to_owned())
}

/// The value of a pointer to a type: a text that it leads to, or the name of what it leads to.
fn show_pointer(model: &Model, view: View<'_>, to: Option<TypeId>, value: u64) -> String {
    let debug = &model.program().debug;
    if value == 0 {
        return "null".to_owned();
    }
    if space(value) == FUNCTIONS {
        return address_name(model, value);
    }
    if !model.is_address(value) {
        return format!("{value:#x}");
    }
    if space(value) == CONSTANTS && to.is_some_and(|to| matches!(debug.shape(to), Shape::Character)) {
        let bytes = (0..LONGEST_TEXT).map_while(|index| peek(model, view, value + index, 1).filter(|&byte| byte != 0));
        let text: Vec<u8> = bytes.map(|byte| byte as u8).collect();
        return format!("{:?}", String::from_utf8_lossy(&text));
    }
    format!("&{}", pointer_name(model, value, to))
}

fn is_lock(model: &Model, ty: TypeId) -> bool {
    let name = model.program().debug.type_name(ty).unwrap_or_default();
    ["pthread_", "sem_t", "mtx_t", "cnd_t", "once_flag"].iter().any(|known| name.starts_with(known))
}

fn lock_value(model: &Model, ty: TypeId, word: u64) -> String {
    let name = model.program().debug.type_name(ty).unwrap_or_default();
    match &*name {
        "pthread_mutex_t" | "mtx_t" | "pthread_spinlock_t" => match MutexWord::unpack(word).holder {
            0 => "free".to_owned(),
            holder => format!("held by {}", actor_name(model, holder - 1)),
        },
        "pthread_rwlock_t" => match (word as u32, word >> 32) {
            (0, 0) => "free".to_owned(),
            (0, readers) => format!("{readers} reading"),
            (writer, _) => format!("held by {}", actor_name(model, writer - 1)),
        },
        "sem_t" => (word as u32).to_string(),
        "pthread_barrier_t" => format!("{} of {}", word >> 32, word as u32),
        _ => "…".to_owned(),
    }
}

/// The variables of the program, and what was allocated once something is in it. Each part is told by itself, so that a
/// report can tell which one changes.
pub(crate) fn observe(model: &Model, view: View<'_>, into: &mut Vec<Value>) {
    let shown = model.program().variables.iter().filter(|variable| !variable.is_constant && variable.ty.is_some());
    for variable in shown.take(MOST_VARIABLES) {
        let Some(ty) = variable.ty else { continue };
        tell(model, view, variable.name.to_string(), ty, address(GLOBALS, u64::from(variable.address)), into);
    }
    let most = into.len() + MOST_VARIABLES;
    for entry in view.entries() {
        let head = view.head(entry);
        for &word in &view.words[entry.at + head.blocks_at()..entry.at + head.heap_at()] {
            let block = Block::unpack(word);
            let at = address(space_of(entry.actor, Region::Heap), block.place);
            let set = (0..block.size).step_by(8).any(|offset| {
                let size = (block.size - offset).min(8).next_power_of_two() as u8;
                peek(model, view, at + offset, size).is_some_and(|word| word != 0)
            });
            let Some((_, Allocation { ty: Some(ty), .. })) = model.blocks().find(entry.actor, block.place) else {
                continue;
            };
            if !block.is_alive || !set || into.len() > most {
                continue;
            }
            let size = model.program().debug.size(ty).max(1);
            for index in (0..block.size / size).take(MOST_PARTS as usize) {
                let at = at + index * size;
                tell(model, view, pointer_name(model, at, Some(ty)), ty, at, into);
            }
        }
    }
}

/// The value of a variable, or of its parts.
fn tell(model: &Model, view: View<'_>, name: String, ty: TypeId, at: u64, into: &mut Vec<Value>) {
    let debug = &model.program().debug;
    let is_whole = |ty| is_lock(model, ty);
    if debug.type_name(ty).is_some_and(|name| name.starts_with("pthread_cond")) {
        return;
    }
    match debug.shape(ty) {
        _ if is_whole(ty) || debug.parts(ty, MOST_TOLD, &is_whole) > MOST_TOLD => {}
        Shape::Structure(fields) => {
            for (field, offset, of) in fields {
                let name = if field.is_empty() { name.clone() } else { format!("{name}.{field}") };
                tell(model, view, name, of, at + offset, into);
            }
            return;
        }
        Shape::Array { element, count } if !matches!(debug.shape(element), Shape::Character) => {
            let size = debug.size(element);
            (0..count)
                .for_each(|index| tell(model, view, format!("{name}[{index}]"), element, at + index * size, into));
            return;
        }
        _ => {}
    }
    into.push(Value { name, value: show(model, view, ty, at, 3) });
}

/// The local variables of an actor in its running function.
pub(crate) fn observe_locals(model: &Model, view: View<'_>, actor: u32, into: &mut Vec<Value>) {
    let Some(entry) = view.actor(actor).filter(|entry| entry.status.is_alive()) else { return };
    let head = view.head(entry);
    let Ok(index) = view.find(actor) else { return };
    let frame = entry.at + head.frames_at() + head.frame as usize;
    let end = view.end(index);
    if frame + LINK <= end && head.pc < model.program().code.len() as u32 {
        into.extend(values_at(model, view, &view.words[frame..end], actor, head.pc));
    }
}

/// The local variables, given the words of a frame and where its actor stands.
pub(crate) fn values_at(model: &Model, view: View<'_>, frame: &[u64], actor: u32, pc: u32) -> Vec<Value> {
    let program = model.program();
    let function = program.functions.iter().find(|function| match function.body {
        crate::code::Body::Code(entry) => (entry..function.end).contains(&pc),
        _ => false,
    });
    let Some(function) = function else { return Vec::new() };
    let live = &program.live_pool[program.live_variables[pc as usize].range()];
    let mut values = Vec::new();
    for (number, variable) in function.variables.iter().enumerate() {
        let value = match variable.home {
            Home::Register(_) => {
                let register = live.iter().find(|(known, _)| *known == number as u32).map(|(_, register)| *register);
                register.and_then(|register| frame.get(LINK + register as usize)).map(|&bits| match variable.ty {
                    Some(ty) => show_bits(model, view, ty, bits),
                    None => (bits as i64).to_string(),
                })
            }
            Home::Memory { offset, private } => variable.ty.map(|ty| {
                let link = frame.get(2).copied().unwrap_or(0);
                let (region, base) =
                    if private { (Region::Private, link >> 32) } else { (Region::Shared, link & 0xffff_ffff) };
                show(model, view, ty, address(space_of(actor, region), 8 * base + u64::from(offset)), 3)
            }),
        };
        if let Some(value) = value {
            values.push(Value { name: variable.name.to_string(), value });
        }
    }
    values
}

/// The value of a scalar type, from its bits.
fn show_bits(model: &Model, view: View<'_>, ty: TypeId, bits: u64) -> String {
    let debug = &model.program().debug;
    if let Some(name) = handle_name(model, ty, bits) {
        return name;
    }
    match debug.shape(ty) {
        Shape::Signed(size) => (crate::ir::sign_extended(bits, 8 * size.clamp(1, 8) as u8) as i64).to_string(),
        Shape::Boolean => (bits & 1 == 1).to_string(),
        Shape::Float(4) => f32::from_bits(bits as u32).to_string(),
        Shape::Float(_) => f64::from_bits(bits).to_string(),
        Shape::Character => (bits as i8).to_string(),
        Shape::Pointer(to) => show_pointer(model, view, to, bits),
        Shape::Enumeration { size, names } => {
            let value = crate::ir::sign_extended(bits, 8 * size.clamp(1, 8) as u8) as i64;
            names.into_iter().find(|(known, _)| *known == value).map_or_else(|| value.to_string(), |(_, name)| name)
        }
        _ => bits.to_string(),
    }
}

/// Who holds an object.
pub(crate) fn holder(model: &Model, view: View<'_>, object: ObjectId) -> Option<ActorId> {
    match model.objects().what(object) {
        What::Key(Key::Sync(SyncKind::Mutex, at)) => {
            let mutex = MutexWord::unpack(peek(model, view, at, 8)?);
            mutex.holder.checked_sub(1).map(ActorId)
        }
        What::Key(Key::Sync(SyncKind::RwLock, at)) => (peek(model, view, at, 8)? as u32).checked_sub(1).map(ActorId),
        What::Key(Key::Handler(handler)) => view.head(view.actor(handler)?).handler.checked_sub(1).map(ActorId),
        What::Life(actor) => Some(ActorId(actor)),
        _ => None,
    }
}

/// What it means that no actor can move.
pub(crate) fn ending(model: &Model, view: View<'_>) -> Ending {
    let (exited, stopped) = was_ended(view);
    if exited || stopped {
        return Ending::Finished;
    }
    let (mut is_assumed, mut is_spinning, mut waiting) = (false, false, Vec::new());
    for entry in view.entries() {
        match entry.status {
            Status::Halted => return Ending::Finished,
            Status::Assumed => is_assumed = true,
            Status::Spinning => is_spinning = true,
            Status::Pending | Status::NotStarted | Status::Event => {}
            status if status.is_alive() => waiting.push(entry),
            _ => {}
        }
    }
    if is_spinning {
        model.marks().note_end_in_loop();
    }
    if is_spinning && !is_assumed {
        model.note_spinning(view);
    }
    if is_assumed || is_spinning {
        return Ending::Blocked;
    }
    if waiting.is_empty() {
        return Ending::Finished;
    }
    let mut violation = Violation::new(ViolationKind::Deadlock, deadlock(model, view, &waiting));
    if let [only] = waiting[..] {
        violation.location = model.location(view.head(only).pc);
    }
    Ending::Deadlock(Box::new(violation))
}

/// Who waits for what.
fn deadlock(model: &Model, view: View<'_>, waiting: &[Entry]) -> String {
    let told: Vec<String> = waiting
        .iter()
        .map(|&entry| {
            let name = actor_name(model, entry.actor);
            let mut footprint = Footprint::default();
            let awaited = obstacle(model, view, entry, &mut footprint).map(Awaited::object);
            let what = match (entry.status, awaited.map(|object| model.objects().what(object))) {
                (Status::Waiting, _) => {
                    format!("a signal of {}", address_name(model, view.head(entry).waits))
                }
                (Status::AtBarrier, _) => format!("the barrier {}", address_name(model, view.head(entry).waits)),
                (_, Some(What::Life(actor))) => format!("the end of {}", actor_name(model, actor)),
                (_, Some(_)) => {
                    let object = awaited.unwrap_or(ObjectId(0));
                    match holder(model, view, object) {
                        Some(ActorId(holder)) if holder == entry.actor => {
                            format!("{}, which it holds", object_name(model, object))
                        }
                        Some(ActorId(holder)) => {
                            format!("{}, which {} holds", object_name(model, object), actor_name(model, holder))
                        }
                        None => object_name(model, object),
                    }
                }
                _ => "something that does not come".to_owned(),
            };
            format!("{name} waits for {what}")
        })
        .collect();
    format!("deadlock: {}", told.join("; "))
}
