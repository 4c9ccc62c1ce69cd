//! The operations of each task, cut into steps.
//!
//! A step is one operation that others could come before or after, and everything behind it that concerns no other task or
//! only lets others move: what only one thread touches needs no interleaving, and neither does releasing a lock, creating
//! a thread or ending a handler, for sooner is never worse. So what can be waited for, and what can be in conflict with
//! another thread, stands at the beginning of a step.

use crate::dependence::Edge;
use crate::line::Line;
use crate::operation::{MessageId, Operation, Place, ThreadId};
use crate::replay::{Replayed, Task};
use hashbrown::{HashMap, HashSet};
use mazurka_core::{Access, Footprint, ObjectId};
use std::sync::Arc;

/// A step of a task, as something that is done or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Done {
    pub(crate) task: usize,
    pub(crate) step: usize,
}

/// What can be touched.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Object {
    Place(Place),
    Lock(u32),
    /// A step that another task waits for.
    Done(Done),
    /// A posted event.
    Life(usize),
    /// What was posted to a thread.
    Mailbox(ThreadId),
    /// Which task runs on a thread.
    Handler(ThreadId),
    /// Whether a thread takes posts.
    Open(ThreadId),
    /// How often a thread was notified and has not waited yet.
    Tokens(ThreadId),
}

/// One step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    /// Its lines, by their places in the list of lines.
    pub(crate) lines: Vec<usize>,
    pub(crate) footprint: Footprint,
    /// What has to be done before.
    pub(crate) after: Vec<Done>,
    /// What must not be done before: the end of a thread that is posted to.
    pub(crate) unless: Option<Done>,
    /// The lock that it takes, by number.
    pub(crate) lock: Option<usize>,
    pub(crate) unlocks: Vec<usize>,
    /// The task of the event that it posts.
    pub(crate) post: Option<usize>,
    /// It waits for a notification of this thread, where these are not told apart.
    pub(crate) waits: Option<ThreadId>,
}

/// The code of a task.
#[derive(Clone, Debug)]
pub(crate) struct TaskCode {
    pub(crate) task: Task,
    pub(crate) steps: Vec<Code>,
    /// What makes it: a fork, or a post; the first thread is there from the start.
    pub(crate) made: Option<Done>,
}

/// Notifications of a thread and what takes them, where it matters which came first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tokens {
    pub(crate) given: Vec<Done>,
    pub(crate) taken: Vec<Done>,
}

/// A trace as code.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) file: Arc<str>,
    pub(crate) tasks: Vec<TaskCode>,
    pub(crate) objects: Vec<Object>,
    pub(crate) locks: Vec<u32>,
    /// For each thread with a queue, how many events it gets at most.
    pub(crate) queues: Vec<(ThreadId, usize)>,
    pub(crate) tokens: HashMap<ThreadId, Tokens>,
    /// For each line its text without the index, and its number.
    pub(crate) texts: Vec<(String, u32)>,
    numbers: HashMap<Object, ObjectId>,
}

impl Program {
    /// Makes code of lines that were replayed.
    pub(crate) fn new(file: &str, text: &str, lines: &[Line], edges: &[Edge], replayed: &Replayed) -> Self {
        Builder::new(lines, edges, replayed).build(file, text)
    }

    /// The number of an object that is touched.
    pub(crate) fn object(&self, object: &Object) -> Option<ObjectId> {
        self.numbers.get(object).copied()
    }

    /// Whether no task waits for a notification that several could give, or finds a thread gone.
    pub(crate) fn waits_for_gates_and_locks_only(&self) -> bool {
        let mut steps = self.tasks.iter().flat_map(|task| &task.steps);
        self.tokens.is_empty() && steps.all(|step| step.unless.is_none())
    }

    /// The queue in which a task waits, by number.
    pub(crate) fn queue_of(&self, task: usize) -> Option<usize> {
        let Task { thread, message } = self.tasks[task].task;
        message.and_then(|_| self.queues.iter().position(|queue| queue.0 == thread))
    }
}

/// The tasks that touch a place.
#[derive(Default)]
struct Touched {
    threads: HashSet<ThreadId>,
    tasks: HashSet<usize>,
    written: bool,
}

struct Builder<'l> {
    lines: &'l [Line],
    edges: &'l [Edge],
    /// The lines that an edge leads to.
    targets: HashSet<usize>,
    replayed: &'l Replayed,
    places: HashMap<&'l Place, Touched>,
    /// For each line its step.
    steps: Vec<Done>,
    /// Where things happen, by line.
    forks: HashMap<ThreadId, usize>,
    posts: HashMap<MessageId, usize>,
    queues: HashMap<ThreadId, usize>,
    loops: HashMap<ThreadId, usize>,
    exits: HashMap<ThreadId, usize>,
    notifies: HashMap<ThreadId, Vec<usize>>,
    waits: HashMap<ThreadId, Vec<usize>>,
    tasks: Vec<Vec<Code>>,
    objects: Vec<Object>,
    numbers: HashMap<Object, ObjectId>,
    locks: Vec<u32>,
}

impl<'l> Builder<'l> {
    fn new(lines: &'l [Line], edges: &'l [Edge], replayed: &'l Replayed) -> Self {
        let mut builder = Builder {
            lines,
            edges,
            targets: edges.iter().map(|edge| edge.target).collect(),
            replayed,
            places: HashMap::new(),
            steps: vec![Done { task: 0, step: 0 }; lines.len()],
            forks: HashMap::new(),
            posts: HashMap::new(),
            queues: HashMap::new(),
            loops: HashMap::new(),
            exits: HashMap::new(),
            notifies: HashMap::new(),
            waits: HashMap::new(),
            tasks: vec![Vec::new(); replayed.tasks.len()],
            objects: Vec::new(),
            numbers: HashMap::new(),
            locks: Vec::new(),
        };
        builder.note_places();
        builder
    }

    /// Notes where things happen, and which task touches what.
    fn note_places(&mut self) {
        for (at, line) in self.lines.iter().enumerate() {
            let Some(task) = self.replayed.task_of[at] else { continue };
            match &line.operation {
                Operation::Fork(child) => drop(self.forks.insert(*child, at)),
                Operation::Post(message, _) => drop(self.posts.insert(*message, at)),
                Operation::AttachQueue => drop(self.queues.insert(line.thread, at)),
                Operation::Loop => drop(self.loops.insert(line.thread, at)),
                Operation::ThreadExit => drop(self.exits.insert(line.thread, at)),
                Operation::Notify(other) => self.notifies.entry(*other).or_default().push(at),
                Operation::Wait => self.waits.entry(line.thread).or_default().push(at),
                Operation::Read(place) | Operation::Write(place) => {
                    let touched = self.places.entry(place).or_default();
                    touched.threads.insert(line.thread);
                    touched.tasks.insert(task);
                    touched.written |= matches!(line.operation, Operation::Write(_));
                }
                _ => {}
            }
        }
    }

    fn build(mut self, file: &str, text: &str) -> Program {
        self.cut();
        for at in 0..self.lines.len() {
            if self.replayed.task_of[at].is_some() {
                self.translate(at);
            }
        }
        self.hold_back();
        let lines = self.lines;
        let texts = lines.iter().map(|line| (text_of(&text[line.span.clone()]), line.number)).collect();
        let tasks = (0..self.tasks.len()).map(|task| self.task_code(task)).collect();
        let mut queues: Vec<(ThreadId, usize)> = self.queues.keys().map(|&thread| (thread, 0)).collect();
        queues.sort_unstable();
        for (thread, most) in &mut queues {
            let events = |task: &&Task| task.thread == *thread && task.message.is_some();
            *most = self.replayed.tasks.iter().filter(events).count();
        }
        let tokens = self.equal_tokens();
        let Builder { objects, numbers, locks, .. } = self;
        Program { file: file.into(), tasks, objects, locks, queues, tokens, texts, numbers }
    }

    fn task_code(&mut self, number: usize) -> TaskCode {
        let task = self.replayed.tasks[number];
        let made = match task.message {
            Some(message) => self.posts.get(&message),
            None => self.forks.get(&task.thread),
        };
        let mut steps = std::mem::take(&mut self.tasks[number]);
        steps.iter_mut().for_each(|step| step.footprint.seal());
        TaskCode { task, steps, made: made.map(|&at| self.steps[at]) }
    }

    /// Gives each line to a step.
    fn cut(&mut self) {
        for at in 0..self.lines.len() {
            let Some(task) = self.replayed.task_of[at] else { continue };
            if self.tasks[task].is_empty() || self.begins_step(at) {
                self.tasks[task].push(Code::default());
            }
            let step = self.tasks[task].len() - 1;
            self.tasks[task][step].lines.push(at);
            self.steps[at] = Done { task, step };
        }
    }

    /// Whether others could come before or after an operation in a way that matters.
    fn begins_step(&self, at: usize) -> bool {
        let line = &self.lines[at];
        self.targets.contains(&at)
            || match &line.operation {
                Operation::Lock(_) | Operation::Post(..) | Operation::Wait => true,
                Operation::ThreadExit => self.queues.contains_key(&line.thread),
                Operation::Read(place) | Operation::Write(place) => {
                    self.places.get(place).is_some_and(|touched| touched.written && touched.threads.len() > 1)
                }
                _ => false,
            }
    }

    fn number(&mut self, object: Object) -> ObjectId {
        if let Some(&number) = self.numbers.get(&object) {
            return number;
        }
        let number = ObjectId(self.objects.len() as u32);
        self.objects.push(object.clone());
        self.numbers.insert(object, number);
        number
    }

    fn touch(&mut self, at: usize, object: Object, access: Access) {
        let number = self.number(object);
        self.code(at).footprint.touch(number, access);
    }

    fn code(&mut self, at: usize) -> &mut Code {
        let Done { task, step } = self.steps[at];
        &mut self.tasks[task][step]
    }

    fn lock_number(&mut self, lock: u32) -> usize {
        self.locks.iter().position(|&known| known == lock).unwrap_or_else(|| {
            self.locks.push(lock);
            self.locks.len() - 1
        })
    }

    /// Whether the order of accesses to a place can matter: several tasks touch it, and one of them writes.
    fn is_shared(&self, place: &Place) -> bool {
        self.places.get(place).is_some_and(|touched| touched.written && touched.tasks.len() > 1)
    }

    /// Says what an operation touches and does.
    fn translate(&mut self, at: usize) {
        let line = &self.lines[at];
        match &line.operation {
            Operation::Read(place) if self.is_shared(place) => {
                self.touch(at, Object::Place(place.clone()), Access::READ);
            }
            Operation::Write(place) if self.is_shared(place) => {
                self.touch(at, Object::Place(place.clone()), Access::WRITE);
            }
            Operation::Lock(lock) => {
                self.touch(at, Object::Lock(*lock), Access::WRITE);
                let lock = self.lock_number(*lock);
                self.code(at).lock = Some(lock);
            }
            Operation::Unlock(lock) => {
                self.touch(at, Object::Lock(*lock), Access::RELEASE);
                let lock = self.lock_number(*lock);
                self.code(at).unlocks.push(lock);
            }
            Operation::Post(message, to) => self.translate_post(at, *message, *to),
            Operation::Call(_) => {
                self.touch(at, Object::Life(self.steps[at].task), Access::READ);
                self.touch(at, Object::Handler(line.thread), Access::WRITE);
            }
            Operation::Return(_) => self.touch(at, Object::Handler(line.thread), Access::RELEASE),
            Operation::ThreadExit if self.queues.contains_key(&line.thread) => {
                self.touch(at, Object::Open(line.thread), Access::WRITE);
            }
            _ => {}
        }
    }

    fn translate_post(&mut self, at: usize, message: MessageId, to: ThreadId) {
        let is_event = |task: &Task| task.message == Some(message);
        let task = self.replayed.tasks.iter().position(is_event);
        self.code(at).post = task;
        if let Some(task) = task {
            self.touch(at, Object::Life(task), Access::WRITE);
        }
        self.touch(at, Object::Mailbox(to), Access::POST);
        if let Some(&exit) = self.exits.get(&to) {
            self.touch(at, Object::Open(to), Access::READ);
            self.code(at).unless = Some(self.steps[exit]);
        }
    }

    /// Says what waits for what.
    fn hold_back(&mut self) {
        for (at, line) in self.lines.iter().enumerate() {
            if self.replayed.task_of[at].is_none() {
                continue;
            }
            let source = match &line.operation {
                Operation::ThreadInit => self.forks.get(&line.thread),
                Operation::Post(_, to) => self.queues.get(to),
                Operation::Call(_) => self.loops.get(&line.thread),
                _ => None,
            };
            if let Some(&source) = source {
                self.wait_for(at, source);
            }
            if line.operation == Operation::ThreadExit && self.loops.contains_key(&line.thread) {
                let handled = |&before: &usize| {
                    self.lines[before].thread == line.thread
                        && matches!(self.lines[before].operation, Operation::Return(_))
                };
                (0..at).filter(handled).collect::<Vec<_>>().into_iter().for_each(|source| self.wait_for(at, source));
            }
        }
        for edge in self.edges {
            self.wait_for(edge.target, edge.source);
        }
        self.pair_notifications();
    }

    /// One operation waits until another one is done.
    fn wait_for(&mut self, at: usize, source: usize) {
        let done = self.steps[source];
        // What comes earlier in the same task needs no waiting.
        if done.task == self.steps[at].task {
            return;
        }
        self.touch(source, Object::Done(done), Access::WRITE);
        self.touch(at, Object::Done(done), Access::READ);
        let code = self.code(at);
        if !code.after.contains(&done) {
            code.after.push(done);
        }
    }

    /// Whether the notifications of a thread come in one order always, and what takes them too.
    fn are_in_order(&self, thread: ThreadId) -> bool {
        let in_one_task = |lines: Option<&Vec<usize>>| {
            let tasks: HashSet<usize> = lines.into_iter().flatten().map(|&at| self.steps[at].task).collect();
            tasks.len() <= 1
        };
        in_one_task(self.notifies.get(&thread)) && in_one_task(self.waits.get(&thread))
    }

    /// The n-th wait takes the n-th notification where both come in one order; elsewhere it matters which came first.
    fn pair_notifications(&mut self) {
        let threads: Vec<ThreadId> = self.notifies.keys().copied().collect();
        for thread in threads {
            let given = self.notifies.get(&thread).cloned().unwrap_or_default();
            let taken = self.waits.get(&thread).cloned().unwrap_or_default();
            if self.are_in_order(thread) {
                taken.iter().zip(&given).for_each(|(&wait, &notify)| self.wait_for(wait, notify));
                continue;
            }
            given.iter().for_each(|&at| self.touch(at, Object::Tokens(thread), Access::ADD));
            for at in taken {
                self.touch(at, Object::Tokens(thread), Access::WRITE);
                self.code(at).waits = Some(thread);
            }
        }
    }

    fn equal_tokens(&self) -> HashMap<ThreadId, Tokens> {
        let done = |lines: Option<&Vec<usize>>| lines.into_iter().flatten().map(|&at| self.steps[at]).collect();
        let threads = self.waits.keys().copied().filter(|&thread| !self.are_in_order(thread));
        threads
            .map(|thread| {
                let tokens = Tokens { given: done(self.notifies.get(&thread)), taken: done(self.waits.get(&thread)) };
                (thread, tokens)
            })
            .collect()
    }
}

/// A line without its index.
fn text_of(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    words.join(" ")
}
