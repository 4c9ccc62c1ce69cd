//! A trace as a [`System`].
//!
//! All that a step does and needs is known beforehand, so a state is small: how far each task has come, which one holds
//! each lock, and what stands in each queue.

use crate::operation::ThreadId;
use crate::program::{Code, Done, Object, Program};
use crate::words;
use mazurka_core::{
    Access, ActorId, ActorKind, Awaited, BlockedVisitor, Description, Ending, Footprint, Insight, Narrator, ObjectId,
    Outcome, Rule, Step, System, Traits, Value,
};

/// A program that was recorded as one execution.
#[derive(Debug)]
pub struct Recording {
    program: Program,
    /// Where the locks and each of the queues stand in a state.
    locks: usize,
    queues: Vec<usize>,
    words: usize,
    queue_of: Vec<Option<usize>>,
    /// The objects of each queue.
    mailboxes: Vec<Mailbox>,
}

/// A queue, by the objects that footprints know of it.
#[derive(Clone, Copy, Debug)]
struct Mailbox {
    mailbox: ObjectId,
    handler: ObjectId,
}

/// How far each task has come: for each task its next step, for each lock its holder, and what stands in each queue.
/// Zero is no task, and a task is one more than its number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State(Box<[u32]>);

/// What blocks a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// It is not there yet.
    Unmade,
    /// Another task runs on its thread, or comes first.
    Queue(usize),
    /// A step is not done yet.
    After(Done),
    /// The thread that it posts to is gone.
    Gone(ThreadId),
    /// Another task holds a lock, by number.
    Lock(usize, usize),
    /// A thread was not notified.
    Token(ThreadId),
}

impl Recording {
    pub(crate) fn new(program: Program) -> Self {
        let locks = program.tasks.len();
        let mut words = locks + program.locks.len();
        let mut queues = Vec::with_capacity(program.queues.len());
        for &(_, most) in &program.queues {
            queues.push(words);
            words += most;
        }
        let queue_of = (0..program.tasks.len()).map(|task| program.queue_of(task)).collect();
        let none = ObjectId(u32::MAX);
        let mailbox = |&(thread, _): &(ThreadId, usize)| Mailbox {
            mailbox: program.object(&Object::Mailbox(thread)).unwrap_or(none),
            handler: program.object(&Object::Handler(thread)).unwrap_or(none),
        };
        let mailboxes = program.queues.iter().map(mailbox).collect();
        Recording { program, locks, queues, words, queue_of, mailboxes }
    }

    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    fn is_done(&self, state: &State, done: Done) -> bool {
        state.0[done.task] as usize > done.step
    }

    pub(crate) fn holder(&self, state: &State, lock: usize) -> Option<usize> {
        state.0[self.locks + lock].checked_sub(1).map(|task| task as usize)
    }

    /// What stands in a queue, the first one first.
    pub(crate) fn queued<'s>(&self, state: &'s State, queue: usize) -> impl Iterator<Item = usize> + 's {
        let start = self.queues[queue];
        let most = self.program.queues[queue].1;
        state.0[start..start + most].iter().take_while(|&&entry| entry != 0).map(|&entry| entry as usize - 1)
    }

    fn next_code(&self, state: &State, task: usize) -> Option<&Code> {
        self.program.tasks[task].steps.get(state.0[task] as usize)
    }

    /// Whether a task is there: it was made, and has not come to its end.
    pub(crate) fn is_there(&self, state: &State, task: usize) -> bool {
        self.next_code(state, task).is_some()
            && self.program.tasks[task].made.is_none_or(|made| self.is_done(state, made))
    }

    /// What keeps a task that has not ended from moving.
    pub(crate) fn obstacle(&self, state: &State, task: usize) -> Option<Obstacle> {
        let code = self.next_code(state, task)?;
        if !self.is_there(state, task) {
            return Some(Obstacle::Unmade);
        }
        if let Some(&waits_for) = code.after.iter().find(|&&done| !self.is_done(state, done)) {
            return Some(Obstacle::After(waits_for));
        }
        if let Some(queue) = self.queue_of[task]
            && self.queued(state, queue).next() != Some(task)
        {
            return Some(Obstacle::Queue(queue));
        }
        if let Some(exit) = code.unless
            && self.is_done(state, exit)
        {
            return Some(Obstacle::Gone(self.program.tasks[exit.task].task.thread));
        }
        if let Some(lock) = code.lock
            && let Some(holder) = self.holder(state, lock)
        {
            return Some(Obstacle::Lock(lock, holder));
        }
        let thread = code.waits?;
        let tokens = self.program.tokens.get(&thread)?;
        let count = |steps: &[Done]| steps.iter().filter(|&&done| self.is_done(state, done)).count();
        (count(&tokens.given) <= count(&tokens.taken)).then_some(Obstacle::Token(thread))
    }

    fn can_move(&self, state: &State, task: usize) -> bool {
        self.next_code(state, task).is_some() && self.obstacle(state, task).is_none()
    }

    /// The task of an actor.
    fn task(&self, actor: ActorId) -> Option<usize> {
        (actor.index() < self.program.tasks.len()).then_some(actor.index())
    }

    fn number(&self, object: &Object) -> Option<ObjectId> {
        self.program.object(object)
    }

    /// What a task awaits that an obstacle keeps from moving.
    fn awaited(&self, obstacle: &Obstacle) -> Option<Awaited> {
        match obstacle {
            Obstacle::Unmade => None,
            Obstacle::Queue(queue) => Some(Awaited::Freed(self.mailboxes[*queue].handler)),
            Obstacle::After(done) => self.number(&Object::Done(*done)).map(Awaited::Made),
            Obstacle::Gone(thread) => self.number(&Object::Open(*thread)).map(Awaited::Made),
            Obstacle::Lock(lock, _) => self.number(&Object::Lock(self.program.locks[*lock])).map(Awaited::Freed),
            Obstacle::Token(thread) => self.number(&Object::Tokens(*thread)).map(Awaited::Made),
        }
    }
}

impl System for Recording {
    type State = State;

    fn initial_states(&self) -> Vec<State> {
        vec![State(vec![0; self.words].into_boxed_slice())]
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        into.extend((0..self.program.tasks.len()).filter(|&task| self.can_move(state, task)).map(actor));
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        let Some(task) = self.task(actor) else { return };
        let Some(code) = self.next_code(state, task) else { return };
        for touch in code.footprint.touches() {
            step.touch(touch.object, touch.access);
        }
        let begins_handler = self.queue_of[task].is_some() && state.0[task] == 0;
        if !begins_handler && code.after.is_empty() && code.unless.is_none() && code.waits.is_none() {
            step.cannot_wait();
        }
        state.0[task] += 1;
        if let Some(lock) = code.lock {
            state.0[self.locks + lock] = task as u32 + 1;
        }
        for lock in &code.unlocks {
            state.0[self.locks + lock] = 0;
        }
        if let Some(posted) = code.post
            && let Some(queue) = self.queue_of[posted]
        {
            let place = self.queues[queue] + self.queued(state, queue).count();
            state.0[place] = posted as u32 + 1;
        }
        if let Some(queue) = self.queue_of[task]
            && self.next_code(state, task).is_none()
        {
            let (start, most) = (self.queues[queue], self.program.queues[queue].1);
            state.0.copy_within(start + 1..start + most, start);
            state.0[start + most - 1] = 0;
        }
    }

    fn ending(&self, state: &State) -> Ending {
        words::ending(self, state)
    }

    fn traits(&self) -> Traits {
        Traits {
            threads: true,
            recorded: true,
            fifo_mailboxes: !self.program.queues.is_empty(),
            fixed_steps: self.program.waits_for_gates_and_locks_only(),
            tells_blocked: true,
            ..Traits::default()
        }
    }

    fn blocked(&self, state: &State, _enabled: &[ActorId], visit: &mut BlockedVisitor<'_>) {
        for task in (0..self.program.tasks.len()).filter(|&task| self.is_there(state, task)) {
            if let Some(obstacle) = self.obstacle(state, task) {
                visit(actor(task), &mut |footprint| {
                    if let Some(code) = self.next_code(state, task) {
                        footprint.include(&code.footprint);
                    }
                    self.awaited(&obstacle)
                });
            }
        }
    }

    fn actor(&self, actor: ActorId) -> ActorKind {
        match self.task(actor).and_then(|task| self.queue_of[task]) {
            Some(queue) => {
                let Mailbox { mailbox, handler } = self.mailboxes[queue];
                ActorKind::Message { handler, fifo: Some(mailbox) }
            }
            None => ActorKind::Thread,
        }
    }

    fn object(&self, object: ObjectId) -> mazurka_core::Object {
        let rule = match self.program.objects.get(object.0 as usize) {
            Some(Object::Lock(_)) => Rule::Mutex,
            Some(Object::Done(_) | Object::Life(_)) => Rule::Gate,
            _ => Rule::Free,
        };
        mazurka_core::Object { kind: words::object_kind(self, object), rule }
    }

    fn narrator(&self) -> &dyn Narrator<State> {
        self
    }

    fn insight(&self) -> &dyn Insight<State> {
        self
    }
}

impl Insight<State> for Recording {
    fn holder(&self, state: &State, object: ObjectId) -> Option<ActorId> {
        words::holder(self, state, object)
    }

    fn absent(&self, actor: ActorId, footprint: &mut Footprint) {
        if let Some(life) = self.number(&Object::Life(actor.index())) {
            footprint.touch(life, Access::READ);
        }
    }

    fn foresee(&self, state: &State, actor: ActorId, footprint: &mut Footprint) -> bool {
        let code = self.task(actor).and_then(|task| self.next_code(state, task));
        code.is_some_and(|code| {
            footprint.clone_from(&code.footprint);
            true
        })
    }
}

impl Narrator<State> for Recording {
    fn actor_name(&self, actor: ActorId) -> String {
        words::actor_name(self, actor)
    }

    fn object_name(&self, object: ObjectId) -> String {
        words::object_name(self, object)
    }

    fn touch_verb(&self, object: ObjectId, access: Access) -> &'static str {
        words::touch_verb(self, object, access)
    }

    fn describe(&self, state: &State, actor: ActorId, _outcome: Outcome) -> Description {
        let code = self.task(actor).and_then(|task| self.next_code(state, task));
        words::describe(self, actor, code)
    }

    fn observe(&self, state: &State, into: &mut Vec<Value>) {
        words::observe(self, state, into);
    }
}

fn actor(task: usize) -> ActorId {
    ActorId(task as u32)
}
