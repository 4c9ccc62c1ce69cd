//! The compiled form of a program: a register code, flat and small.
//!
//! A *visible* instruction is one that other actors can notice: a step begins with one and runs the local instructions
//! behind it up to the next visible one. Between `Atomic` and `AtomicEnd`, and within an event, visible instructions do
//! not end the step.

use crate::ast::{BinaryOp, SyncOp, UnaryOp};
use mazurka_core::{Fairness, Location, Property};
use smallvec::SmallVec;
use std::sync::Arc;

/// A register of the running function.
pub(crate) type Register = u16;
/// No register.
pub(crate) const NONE: Register = Register::MAX;
/// Stands in the register of a value that an assertion did not come to read.
pub(crate) const UNREAD: i64 = i64::MIN;
/// An index into the code.
pub(crate) type Pc = u32;

/// A variable, lock, condition variable, semaphore, channel, handler or event: the first of an array, and the register with the index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaceRef {
    pub(crate) base: u32,
    pub(crate) index: Register,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Instruction {
    // Local.
    Const {
        dst: Register,
        value: i64,
    },
    Move {
        dst: Register,
        src: Register,
    },
    Unary {
        op: UnaryOp,
        dst: Register,
        src: Register,
    },
    Binary {
        op: BinaryOp,
        dst: Register,
        left: Register,
        right: Register,
    },
    /// The same with a number on the right.
    BinaryConst {
        op: BinaryOp,
        dst: Register,
        left: Register,
        right: i64,
    },
    Jump {
        to: Pc,
    },
    /// Goes to `to` if the register is zero (`when` false) or not (`when` true).
    Branch {
        condition: Register,
        when: bool,
        to: Pc,
    },
    /// The register must hold an index below the length.
    Bound {
        index: Register,
        length: u32,
    },
    /// Reads an element of a local array, whose elements are the registers from `first` on. The index is in range.
    LoadElement {
        dst: Register,
        first: Register,
        length: u16,
        index: Register,
    },
    /// Writes an element of a local array.
    StoreElement {
        first: Register,
        length: u16,
        index: Register,
        src: Register,
    },
    Assert {
        condition: Register,
        assertion: u32,
    },
    /// A thread handle goes out of scope or is about to be overwritten.
    Forget {
        thread: Register,
    },
    Call {
        function: u16,
        arguments: Register,
        dst: Register,
    },
    Return {
        src: Register,
    },
    AtomicEnd,
    /// The end of a guard that began behind `Assume`, `Atomic`, an event or an invariant.
    GuardEnd {
        condition: Register,
        resume: Pc,
    },
    /// The end of a thread, a message or an event.
    End,
    /// The step is progress.
    Progress,

    // Visible.
    Load {
        dst: Register,
        place: PlaceRef,
    },
    Store {
        place: PlaceRef,
        src: Register,
    },
    Cas {
        place: PlaceRef,
        dst: Register,
        arguments: Register,
    },
    Swap {
        place: PlaceRef,
        dst: Register,
        src: Register,
    },
    FetchAdd {
        place: PlaceRef,
        dst: Register,
        src: Register,
    },
    Lock {
        mutex: PlaceRef,
    },
    Unlock {
        mutex: PlaceRef,
    },
    /// Releases the mutex and waits; the mutex stands in the `Reacquire` that follows. A wait that may time out has
    /// a register that tells whether it was signalled.
    Wait {
        condition: PlaceRef,
        signalled: Register,
    },
    Reacquire {
        mutex: PlaceRef,
    },
    Signal {
        condition: PlaceRef,
        all: bool,
    },
    Spawn {
        function: u16,
        arguments: Register,
        dst: Register,
    },
    Join {
        thread: Register,
    },
    Post {
        handler: PlaceRef,
        message: u16,
        arguments: Register,
    },
    Enable {
        event: PlaceRef,
        on: bool,
    },
    /// The guard stands behind it and ends with `GuardEnd`.
    Assume,
    /// With a guard behind it, or without.
    Atomic {
        guarded: bool,
    },
    Choose {
        dst: Register,
        from: Register,
        to: Register,
    },
    /// An operation on a mutex (`trylock`) or one of the program's [`SyncObject`]s.
    Sync {
        op: SyncOp,
        object: PlaceRef,
        operand: Register,
        dst: Register,
    },
}

impl Instruction {
    /// Whether other actors can notice it.
    pub(crate) fn is_visible(self) -> bool {
        use Instruction::{
            Assume, Atomic, Cas, Choose, Enable, FetchAdd, Join, Load, Lock, Post, Reacquire, Signal, Spawn, Store,
            Swap, Sync, Unlock, Wait,
        };
        matches!(
            self,
            Load { .. }
                | Store { .. }
                | Cas { .. }
                | Swap { .. }
                | FetchAdd { .. }
                | Lock { .. }
                | Unlock { .. }
                | Wait { .. }
                | Reacquire { .. }
                | Signal { .. }
                | Spawn { .. }
                | Join { .. }
                | Post { .. }
                | Enable { .. }
                | Assume
                | Atomic { .. }
                | Choose { .. }
                | Sync { .. }
        )
    }
}

/// Where an instruction comes from, for people.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) text: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// A function, message, thread or event: where its code begins and how many registers it has.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) entry: Pc,
    pub(crate) end: Pc,
    pub(crate) registers: u16,
    pub(crate) parameters: u16,
}

/// A thread or event: one for each member of a family.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) body: Body,
    /// The family's parameter, which goes into the first register.
    pub(crate) parameter: Option<i64>,
    /// How it is treated in executions without end, if that is said.
    pub(crate) fairness: Option<Fairness>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// A local variable by name: which register it is, and from where to where in the code.
#[derive(Clone, Debug)]
pub(crate) struct LocalName {
    pub(crate) name: String,
    pub(crate) register: Register,
    /// The enum whose names are shown for its values.
    pub(crate) of: Option<EnumNumber>,
    pub(crate) from: Pc,
    pub(crate) to: Pc,
}

#[derive(Clone, Debug)]
pub(crate) struct EventInfo {
    pub(crate) member: Member,
    /// Where the guard's code begins, if there is one; the body's code follows at its entry.
    pub(crate) guard: Option<Pc>,
    pub(crate) disabled: bool,
}

/// A semaphore, read-write lock or channel.
#[derive(Clone, Debug)]
pub(crate) struct SyncObject {
    pub(crate) name: String,
    pub(crate) kind: SyncKind,
    /// Where its words begin among those of all such objects.
    pub(crate) at: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyncKind {
    /// One word: how often it can still be acquired.
    Semaphore { initial: i64 },
    /// One word: how many readers there are. `number` counts the read-write locks: the writer stands behind the mutexes,
    /// and each actor knows how often it holds the lock for reading.
    RwLock { number: u32 },
    /// How many values there are, and as many words as fit in, the oldest value first; the rest are 0.
    Channel { capacity: u32 },
}

impl SyncKind {
    /// How many words of the state it has.
    pub(crate) fn words(self) -> u32 {
        match self {
            SyncKind::Semaphore { .. } | SyncKind::RwLock { .. } => 1,
            SyncKind::Channel { capacity } => 1 + capacity,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct HandlerInfo {
    pub(crate) name: String,
    pub(crate) any: bool,
    /// How it is treated in executions without end, if that is said.
    pub(crate) fairness: Option<Fairness>,
}

/// The number of an enum.
pub(crate) type EnumNumber = u32;

/// Something that an assertion read.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    pub(crate) text: String,
    /// The register that holds it.
    pub(crate) register: Register,
    /// The enum whose names are shown for its values.
    pub(crate) of: Option<EnumNumber>,
}

#[derive(Clone, Debug)]
pub(crate) struct Assertion {
    /// The statement.
    pub(crate) text: String,
    pub(crate) message: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// Whether its condition is always false.
    pub(crate) is_false: bool,
    /// What was read.
    pub(crate) values: Vec<Read>,
}

#[derive(Clone, Debug)]
pub(crate) struct Invariant {
    pub(crate) body: Body,
    /// The rule.
    pub(crate) text: String,
    pub(crate) message: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// The cells that it looks at.
    pub(crate) cells: Vec<u32>,
}

/// The conditions of something that has to happen; `progress` has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Promise {
    pub(crate) cause: Option<Body>,
    pub(crate) goal: Option<Body>,
    /// The family's parameter, which goes into the first register.
    pub(crate) parameter: Option<i64>,
}

/// A compiled program. It has no state: [`crate::Model`] runs it.
#[derive(Debug)]
pub struct Program {
    /// For each file its first line and its name. Lines are counted over all files.
    pub(crate) files: Vec<(u32, Arc<str>)>,
    pub(crate) code: Vec<Instruction>,
    /// For each instruction its site.
    pub(crate) sites: Vec<Site>,
    pub(crate) site_of: Vec<u32>,
    /// For each instruction the registers that are dead there and may hold something: they are cleared at the end of
    /// a step, so that states which differ in nothing that matters are one state.
    pub(crate) dead: Vec<SmallVec<[Register; 4]>>,

    /// The local variables, each with where it is known.
    pub(crate) locals: Vec<LocalName>,
    /// For each instruction the local variables that are known there and still needed, by their places in `locals`.
    pub(crate) locals_at: Vec<SmallVec<[u32; 4]>>,

    pub(crate) cells: Vec<i64>,
    pub(crate) cell_names: Vec<String>,
    /// For each cell the enum whose names are shown for its values.
    pub(crate) cell_enums: Vec<Option<EnumNumber>>,
    /// For each enum its constants.
    pub(crate) enums: Vec<Vec<(String, i64)>>,
    /// For each cell the invariants that look at it.
    pub(crate) cell_invariants: Vec<SmallVec<[u32; 2]>>,
    pub(crate) mutexes: Vec<String>,
    /// For each mutex whether some `trylock` may name it.
    pub(crate) tried: Vec<bool>,
    pub(crate) syncs: Vec<SyncObject>,
    pub(crate) conditions: Vec<String>,
    pub(crate) handlers: Vec<HandlerInfo>,
    pub(crate) threads: Vec<Member>,
    pub(crate) events: Vec<EventInfo>,
    pub(crate) functions: Vec<Body>,
    pub(crate) messages: Vec<Body>,
    pub(crate) assertions: Vec<Assertion>,
    pub(crate) invariants: Vec<Invariant>,
    /// What has to happen in the end, and the conditions of each.
    pub(crate) properties: Vec<Property>,
    pub(crate) promises: Vec<Promise>,
    pub(crate) constants: Vec<(String, i64)>,
    /// Whether actors may be created while it runs.
    pub(crate) creates_actors: bool,
    /// Whether something is repeated as long as a condition holds.
    pub(crate) repeats: bool,
}

impl Program {
    /// The place of a line that is counted over all files.
    pub(crate) fn location(&self, line: u32, column: u32) -> Location {
        let file = self.files.partition_point(|file| file.0 <= line).saturating_sub(1);
        let (first_line, name) = &self.files[file];
        Location { file: Arc::clone(name), line: line - first_line + 1, column }
    }

    /// A value as people read it: by the name that it has in an enum, if it has one.
    pub(crate) fn show(&self, of: Option<EnumNumber>, value: i64) -> String {
        let constants = of.map_or(&[][..], |of| &self.enums[of as usize]);
        let named = constants.iter().find(|constant| constant.1 == value);
        named.map_or_else(|| value.to_string(), |constant| constant.0.clone())
    }

    /// The value of a cell as people read it.
    pub(crate) fn show_cell(&self, cell: usize, value: i64) -> String {
        self.show(self.cell_enums[cell], value)
    }

    pub(crate) fn site(&self, pc: Pc) -> &Site {
        &self.sites[self.site_of[pc as usize] as usize]
    }

    pub(crate) fn site_location(&self, pc: Pc) -> Location {
        let site = self.site(pc);
        self.location(site.line, site.column)
    }

    /// Whether threads may be created while it runs.
    pub(crate) fn spawns(&self) -> bool {
        self.code.iter().any(|instruction| matches!(instruction, Instruction::Spawn { .. }))
    }

    /// Whether detached threads are numbered; see [`NUMBERED`](crate::state::NUMBERED).
    pub(crate) fn numbers_threads(&self) -> bool {
        let is_detached = |code: &Instruction| matches!(code, Instruction::Spawn { dst: NONE, .. });
        self.code.iter().any(is_detached) && self.terminates()
    }

    /// How many read-write locks there are.
    pub(crate) fn rw_locks(&self) -> usize {
        self.syncs.iter().filter(|sync| matches!(sync.kind, SyncKind::RwLock { .. })).count()
    }

    /// How many words of the state its semaphores, read-write locks and channels have.
    pub(crate) fn sync_words(&self) -> usize {
        self.syncs.last().map_or(0, |last| (last.at + last.kind.words()) as usize)
    }

    /// Whether every execution comes to an end: nothing happens again and again, and no function or message leads to
    /// itself by calls, spawns and posts.
    pub(crate) fn terminates(&self) -> bool {
        let bodies: Vec<&Body> = self.functions.iter().chain(&self.messages).collect();
        let next = |body: &Body| {
            let code = &self.code[body.entry as usize..body.end as usize];
            code.iter().filter_map(|instruction| match *instruction {
                Instruction::Call { function, .. } | Instruction::Spawn { function, .. } => Some(usize::from(function)),
                Instruction::Post { message, .. } => Some(self.functions.len() + usize::from(message)),
                _ => None,
            })
        };
        // A body that calls only bodies that end, ends.
        let mut ends = vec![false; bodies.len()];
        while let Some(body) = (0..bodies.len()).find(|&body| !ends[body] && next(bodies[body]).all(|to| ends[to])) {
            ends[body] = true;
        }
        !self.repeats && self.events.is_empty() && ends.iter().all(|&ends| ends)
    }

    /// Whether a message may have to wait before it comes to its end.
    pub(crate) fn messages_wait(&self) -> bool {
        let mut seen = vec![false; self.code.len()];
        let mut work: Vec<Pc> = self.messages.iter().map(|message| message.entry).collect();
        while let Some(pc) = work.pop() {
            if std::mem::replace(&mut seen[pc as usize], true) {
                continue;
            }
            let instruction = self.code[pc as usize];
            match instruction {
                Instruction::Lock { .. }
                | Instruction::Reacquire { .. }
                | Instruction::Join { .. }
                | Instruction::Assume
                | Instruction::Atomic { guarded: true } => return true,
                Instruction::Sync { op, .. } if op.waits() => return true,
                Instruction::Return { .. } | Instruction::End => continue,
                Instruction::Jump { to } => {
                    work.push(to);
                    continue;
                }
                Instruction::Branch { to, .. } => work.push(to),
                Instruction::Call { function, .. } => work.push(self.functions[usize::from(function)].entry),
                _ => {}
            }
            work.push(pc + 1);
        }
        false
    }

    /// The constants and their values, `-D` included.
    pub fn constants(&self) -> &[(String, i64)] {
        &self.constants
    }
}
