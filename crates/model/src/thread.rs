//! How the code of a thread is written down.

use crate::access::Guard;
use crate::{Atomic, Draft, View, here};
use mazurka_core::{Location, ObjectId};

/// A mutex of a model.
#[derive(Clone, Copy, Debug)]
pub struct Mutex {
    pub(crate) model: u32,
    pub(crate) object: ObjectId,
}

/// A condition variable of a model.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    pub(crate) model: u32,
    pub(crate) object: ObjectId,
}

/// One step of a thread.
pub(crate) struct Instruction {
    /// What it is called; nothing where the operation tells.
    pub(crate) name: Option<String>,
    pub(crate) location: Location,
    pub(crate) operation: Operation,
    /// The instruction after this one.
    pub(crate) next: u32,
}

pub(crate) enum Operation {
    Step(Atomic),
    /// Goes on with the next instruction if the test holds.
    Branch {
        test: Guard,
        otherwise: u32,
    },
    Lock(ObjectId),
    Unlock(ObjectId),
    /// Releases the mutex and waits. A [`Operation::Reacquire`] follows.
    Wait {
        condition: ObjectId,
        mutex: ObjectId,
    },
    Reacquire {
        condition: ObjectId,
        mutex: ObjectId,
    },
    Signal {
        condition: ObjectId,
        all: bool,
    },
    /// Goes elsewhere: no step, and gone from finished code.
    Goto(u32),
}

/// Where a thread stands that has come to its end.
pub(crate) const FINISHED: u32 = 0x7fff_ffff;
/// Where a thread stands that a panic has stopped.
pub(crate) const HALTED: u32 = 0x7fff_fffe;
/// Added to the place of a thread that waits for a signal.
pub(crate) const WAITING: u32 = 0x8000_0000;

/// The code of a thread while it is written down. Each method adds a step, except that [`Thread::forever`] adds none.
///
/// A part that is there several times is a loop or a function of Rust: `for _ in 0..3 { t.lock(lock); … }` adds the steps
/// of three rounds.
pub struct Thread {
    model: u32,
    code: Vec<Instruction>,
    has_loops: bool,
}

impl Thread {
    pub(crate) fn new(model: u32) -> Self {
        Thread { model, code: Vec::new(), has_loops: false }
    }

    /// A step that reads and writes variables. The thread waits until its guard holds.
    #[track_caller]
    pub fn step(&mut self, name: impl Into<String>) -> Draft<'_> {
        let (name, location) = (Some(name.into()), here());
        Draft::new(move |step| self.add(name, location, Operation::Step(step)))
    }

    /// Waits until no thread holds the mutex, and acquires it.
    #[track_caller]
    pub fn lock(&mut self, mutex: Mutex) {
        let mutex = self.mutex(mutex);
        self.operation(Operation::Lock(mutex));
    }

    /// Releases the mutex. It is a violation if the thread does not hold it.
    #[track_caller]
    pub fn unlock(&mut self, mutex: Mutex) {
        let mutex = self.mutex(mutex);
        self.operation(Operation::Unlock(mutex));
    }

    /// Releases the mutex and waits for a signal, in one step; after that acquires the mutex again, in another step. It is
    /// a violation if the thread does not hold the mutex. No thread is woken without a signal.
    #[track_caller]
    pub fn wait(&mut self, condition: Condition, mutex: Mutex) {
        let (condition, mutex) = (self.condition(condition), self.mutex(mutex));
        self.operation(Operation::Wait { condition, mutex });
        self.operation(Operation::Reacquire { condition, mutex });
    }

    /// Wakes one of the threads that wait for the condition; each of them is tried. A signal without a waiter is lost.
    #[track_caller]
    pub fn signal(&mut self, condition: Condition) {
        let condition = self.condition(condition);
        self.operation(Operation::Signal { condition, all: false });
    }

    /// Wakes all threads that wait for the condition.
    #[track_caller]
    pub fn broadcast(&mut self, condition: Condition) {
        let condition = self.condition(condition);
        self.operation(Operation::Signal { condition, all: true });
    }

    /// Does something only if a test holds. The test is a step.
    #[track_caller]
    pub fn only_if(
        &mut self,
        name: impl Into<String>,
        test: impl Fn(&View<'_>) -> bool + Send + Sync + 'static,
        body: impl FnOnce(&mut Thread),
    ) {
        self.if_else(name, test, body, |_| {});
    }

    /// Does one thing if a test holds, and another one otherwise. The test is a step.
    #[track_caller]
    pub fn if_else(
        &mut self,
        name: impl Into<String>,
        test: impl Fn(&View<'_>) -> bool + Send + Sync + 'static,
        body: impl FnOnce(&mut Thread),
        otherwise: impl FnOnce(&mut Thread),
    ) {
        let branch = self.branch(name.into(), here(), Box::new(test));
        body(self);
        let end_of_body = self.goto();
        self.land_branch(branch);
        otherwise(self);
        self.land_goto(end_of_body);
    }

    /// Does something again and again while a test holds. Each test is a step.
    #[track_caller]
    pub fn repeat_while(
        &mut self,
        name: impl Into<String>,
        test: impl Fn(&View<'_>) -> bool + Send + Sync + 'static,
        body: impl FnOnce(&mut Thread),
    ) {
        let branch = self.branch(name.into(), here(), Box::new(test));
        body(self);
        self.go_back(branch);
        self.land_branch(branch);
    }

    /// Does something for ever.
    pub fn forever(&mut self, body: impl FnOnce(&mut Thread)) {
        let start = self.code.len();
        body(self);
        self.go_back(start);
    }

    fn branch(&mut self, name: String, location: Location, test: Guard) -> usize {
        self.add(Some(name), location, Operation::Branch { test, otherwise: 0 });
        self.code.len() - 1
    }

    #[track_caller]
    fn goto(&mut self) -> usize {
        self.operation(Operation::Goto(0));
        self.code.len() - 1
    }

    fn go_back(&mut self, to: usize) {
        self.has_loops = true;
        self.operation(Operation::Goto(to as u32));
    }

    fn land_branch(&mut self, branch: usize) {
        let here = self.code.len() as u32;
        if let Operation::Branch { otherwise, .. } = &mut self.code[branch].operation {
            *otherwise = here;
        }
    }

    fn land_goto(&mut self, goto: usize) {
        self.code[goto].operation = Operation::Goto(self.code.len() as u32);
    }

    #[track_caller]
    fn operation(&mut self, operation: Operation) {
        self.add(None, here(), operation);
    }

    fn add(&mut self, name: Option<String>, location: Location, operation: Operation) {
        let next = self.code.len() as u32 + 1;
        self.code.push(Instruction { name, location, operation, next });
    }

    #[track_caller]
    fn mutex(&self, mutex: Mutex) -> ObjectId {
        assert!(mutex.model == self.model, "this is a mutex of another model");
        mutex.object
    }

    #[track_caller]
    fn condition(&self, condition: Condition) -> ObjectId {
        assert!(condition.model == self.model, "this is a condition variable of another model");
        condition.object
    }

    /// The code, where it begins, and whether it has loops. Every instruction is followed by one that is a step.
    pub(crate) fn finish(mut self, name: &str) -> (Vec<Instruction>, u32, bool) {
        let targets: Vec<u32> = (0..=self.code.len() as u32).map(|at| self.land(at, name)).collect();
        for instruction in &mut self.code {
            instruction.next = targets[instruction.next as usize];
            if let Operation::Branch { otherwise, .. } = &mut instruction.operation {
                *otherwise = targets[*otherwise as usize];
            }
        }
        (self.code, targets[0], self.has_loops)
    }

    /// The first step at a place or where it leads to.
    fn land(&self, mut at: u32, name: &str) -> u32 {
        for _ in 0..=self.code.len() {
            match self.code.get(at as usize).map(|instruction| &instruction.operation) {
                None => return FINISHED,
                Some(&Operation::Goto(to)) => at = to,
                Some(_) => return at,
            }
        }
        panic!("the thread `{name}` has a `forever` without a step in it")
    }
}
