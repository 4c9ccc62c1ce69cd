//! Models in Rust, built from named variables, events, threads and locks.
//!
//! A [`Model`] is a [`System`](mazurka_core::System) that is put together while the program runs. Steps read and write
//! variables through the view that they are given, so footprints are complete by construction; guards are evaluated in
//! the same way, so it is known which actors are blocked, and on what; and everything has the name that a report shows.
//!
//! ```
//! use mazurka_core::{Step, System};
//! use mazurka_model::Model;
//!
//! let mut airlock = Model::new();
//! let left = airlock.variable("left door", false);
//! let right = airlock.variable("right door", false);
//! airlock.event("open the left door").when(move |s| !s[right]).then(move |s| s[left] = true);
//! airlock.event("open the right door").when(move |s| !s[left]).then(move |s| s[right] = true);
//! airlock.invariant("one door is shut", (left, right), |(left, right)| !(left && right));
//!
//! let mut enabled = Vec::new();
//! airlock.enabled(&airlock.initial_states()[0], &mut enabled);
//! assert_eq!(enabled.len(), 2);
//! ```
//!
//! A state is one number for each object of the model: what a variable holds by its place in a table of the values that
//! it has had (`values`), the holder of a mutex, where a thread stands in its code. What a step does is in closures of the
//! model (`access`, `thread`), which a state has no part of. `run` executes a step, `system` has the faces that engines and
//! reports see.
#![forbid(unsafe_code)]

mod access;
mod invariant;
mod liveness;
mod run;
mod system;
mod thread;
mod values;

pub use access::{Act, Variable, View};
pub use invariant::Variables;
pub use run::State;
pub use thread::{Condition, Mutex, Thread};
pub use values::Data;

use access::{Action, Guard};
use invariant::Invariant;
use liveness::Promises;
use mazurka_core::{Location, ObjectId, ObjectKind};
use std::panic;
use std::sync::atomic::{AtomicU32, Ordering};
use thread::Instruction;
use values::{AnyTable, Table};

/// A model: variables, and what events and threads do with them.
///
/// The methods add to the model, and panic where a name is already taken: reports would not tell the two apart.
pub struct Model {
    /// Which model it is, so that a variable of another one is not mistaken for its own.
    id: u32,
    objects: Vec<Thing>,
    actors: Vec<Actor>,
    invariants: Vec<Invariant>,
    promises: Promises,
    has_loops: bool,
}

/// A shared object. Its number is also the place of its word in a state.
struct Thing {
    name: String,
    role: Role,
}

enum Role {
    Variable {
        table: Box<dyn AnyTable>,
        starts: Vec<u32>,
        /// The invariants that read it.
        invariants: Vec<usize>,
    },
    Mutex,
    Condition,
    Invariant,
    /// A thread, by its number among the actors; the word says where it stands.
    Thread(usize),
}

impl Role {
    fn kind(&self) -> ObjectKind {
        match self {
            Role::Variable { .. } => ObjectKind::Variable,
            Role::Mutex => ObjectKind::Lock,
            Role::Condition => ObjectKind::Signal,
            Role::Invariant => ObjectKind::Invariant,
            Role::Thread(_) => ObjectKind::Life,
        }
    }
}

struct Actor {
    name: String,
    body: Body,
}

enum Body {
    Event { step: Atomic, location: Location },
    Thread { life: ObjectId, code: Vec<Instruction>, entry: u32 },
}

/// What is done in one step.
struct Atomic {
    guard: Option<Guard>,
    action: Action,
}

impl Default for Model {
    fn default() -> Self {
        Model::new()
    }
}

impl Model {
    /// An empty model.
    pub fn new() -> Self {
        static MODELS: AtomicU32 = AtomicU32::new(0);
        let id = MODELS.fetch_add(1, Ordering::Relaxed);
        Model {
            id,
            objects: Vec::new(),
            actors: Vec::new(),
            invariants: Vec::new(),
            promises: Promises::default(),
            has_loops: false,
        }
    }

    /// A shared variable with its first value. Steps read it as `s[x]` and write it as `s[x] = …`.
    #[track_caller]
    pub fn variable<T: Data>(&mut self, name: impl Into<String>, initial: T) -> Variable<T> {
        self.variable_among(name, [initial])
    }

    /// A shared variable that may begin with any of these values, at least one. There is an initial state for each of them.
    #[track_caller]
    pub fn variable_among<T: Data>(
        &mut self,
        name: impl Into<String>,
        initial: impl IntoIterator<Item = T>,
    ) -> Variable<T> {
        let name = name.into();
        let table = Table::default();
        let mut starts: Vec<u32> = initial.into_iter().map(|value| table.number(value)).collect();
        starts.sort_unstable();
        starts.dedup();
        assert!(!starts.is_empty(), "the variable `{name}` needs a value to begin with");
        let object = self.object(name, Role::Variable { table: Box::new(table), starts, invariants: Vec::new() });
        Variable::new(self.id, object)
    }

    /// An event: something that may happen whenever its guard holds, again and again, all in one step.
    ///
    /// ```
    /// # let mut model = mazurka_model::Model::new();
    /// let open = model.variable("open", false);
    /// model.event("open the door").when(move |s| !s[open]).then(move |s| s[open] = true);
    /// ```
    #[track_caller]
    pub fn event(&mut self, name: impl Into<String>) -> Draft<'_> {
        let name = self.new_actor(name.into());
        let location = here();
        Draft::new(move |step| self.actors.push(Actor { name, body: Body::Event { step, location } }))
    }

    /// A thread: steps that are taken one after the other. `write` is called once and writes down the thread's code.
    ///
    /// ```
    /// # let mut model = mazurka_model::Model::new();
    /// let lock = model.mutex("lock");
    /// let count = model.variable("count", 0);
    /// model.thread("worker", |t| {
    ///     t.lock(lock);
    ///     t.step("count").then(move |s| s[count] += 1);
    ///     t.unlock(lock);
    /// });
    /// ```
    #[track_caller]
    pub fn thread(&mut self, name: impl Into<String>, write: impl FnOnce(&mut Thread)) {
        let name = self.new_actor(name.into());
        let mut thread = Thread::new(self.id);
        write(&mut thread);
        let (code, entry, has_loops) = thread.finish(&name);
        let life = self.object(format!("thread {name}"), Role::Thread(self.actors.len()));
        self.has_loops |= has_loops;
        self.actors.push(Actor { name, body: Body::Thread { life, code, entry } });
    }

    /// A mutex, which threads lock and unlock.
    #[track_caller]
    pub fn mutex(&mut self, name: impl Into<String>) -> Mutex {
        let object = self.object(name.into(), Role::Mutex);
        Mutex { model: self.id, object }
    }

    /// A condition variable, at which threads wait until another one signals.
    #[track_caller]
    pub fn condition(&mut self, name: impl Into<String>) -> Condition {
        let object = self.object(name.into(), Role::Condition);
        Condition { model: self.id, object }
    }

    /// What must hold of some variables in every state. The closure gets their values and nothing else, so it is known
    /// which steps may break it.
    ///
    /// ```
    /// # let mut model = mazurka_model::Model::new();
    /// let (stock, sold) = (model.variable("stock", 3), model.variable("sold", 0));
    /// model.invariant("nothing is lost", (stock, sold), |(stock, sold)| stock + sold == 3);
    /// model.invariant("no more than 9 are sold", sold, |sold| sold <= 9);
    /// ```
    #[track_caller]
    pub fn invariant<V: Variables>(
        &mut self,
        name: impl Into<String>,
        variables: V,
        holds: impl Fn(V::Values) -> bool + Send + Sync + 'static,
    ) {
        let name = name.into();
        let mut reads: Vec<ObjectId> = Vec::new();
        variables.visit(&mut |model, object| {
            self.must_own(model, &name);
            reads.push(object);
        });
        reads.sort_unstable();
        reads.dedup();
        let number = self.invariants.len();
        for &read in &reads {
            if let Role::Variable { invariants, .. } = &mut self.objects[read.0 as usize].role {
                invariants.push(number);
            }
        }
        let object = self.object(name, Role::Invariant);
        let holds = Box::new(move |view: &View<'_>| holds(variables.values(view)));
        self.invariants.push(Invariant { object, reads, holds, location: here() });
    }

    #[track_caller]
    fn object(&mut self, name: String, role: Role) -> ObjectId {
        assert!(self.objects.iter().all(|other| other.name != name), "the model already has an object called `{name}`");
        self.objects.push(Thing { name, role });
        ObjectId(self.objects.len() as u32 - 1)
    }

    #[track_caller]
    fn new_actor(&self, name: String) -> String {
        assert!(self.actors.iter().all(|other| other.name != name), "the model already has an actor called `{name}`");
        name
    }

    #[track_caller]
    fn must_own(&self, model: u32, name: &str) {
        assert!(model == self.id, "`{name}` uses a variable of another model");
    }
}

/// A step that is being written: a guard, if it has one, and what it does.
#[must_use = "a step that does nothing is not part of the model: end it with `.then(…)`"]
pub struct Draft<'d> {
    guard: Option<Guard>,
    add: Box<dyn FnOnce(Atomic) + 'd>,
}

impl<'d> Draft<'d> {
    fn new(add: impl FnOnce(Atomic) + 'd) -> Self {
        Draft { guard: None, add: Box::new(add) }
    }

    /// The step can be taken only where this holds; a thread waits for it. Of several guards, all have to hold.
    pub fn when(mut self, guard: impl Fn(&View<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.guard = Some(match self.guard.take() {
            None => Box::new(guard),
            Some(before) => Box::new(move |view| before(view) && guard(view)),
        });
        self
    }

    /// What the step does.
    pub fn then(self, action: impl Fn(&mut Act<'_>) + Send + Sync + 'static) {
        (self.add)(Atomic { guard: self.guard, action: Box::new(action) });
    }
}

/// Where the caller stands.
#[track_caller]
fn here() -> Location {
    let place = panic::Location::caller();
    Location { file: straight(place.file()).into(), line: place.line(), column: place.column() }
}

/// A path without `folder/..` in it, which is how the compiler names files outside of a package's folder.
fn straight(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match parts.last() {
            Some(&last) if part == ".." && last != ".." && !last.is_empty() => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::straight;

    #[test]
    fn a_path_is_shown_without_detours() {
        assert_eq!(straight("crates/mazurka/../../examples/rust/lift.rs"), "examples/rust/lift.rs");
        assert_eq!(straight("../a/./b.rs"), "../a/./b.rs");
        assert_eq!(straight("/src/../a.rs"), "/a.rs");
        assert_eq!(straight("a\\..\\b.rs"), "a\\..\\b.rs");
    }
}
