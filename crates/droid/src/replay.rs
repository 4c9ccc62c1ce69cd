//! Runs the given order once: a trace is one legal execution, and whatever is not has been damaged.
//!
//! On the way each line is given to its task: a thread up to its event loop, or the handler of one event.

use crate::line::Line;
use crate::operation::{MessageId, Operation, ThreadId};
use hashbrown::HashMap;
use mazurka_core::Diagnostic;
use std::collections::VecDeque;

/// A thread up to its event loop, or the handler of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) thread: ThreadId,
    /// The event, if it is a handler.
    pub(crate) message: Option<MessageId>,
}

/// A trace whose lines are given to tasks.
#[derive(Debug, Default)]
pub(crate) struct Replayed {
    /// Threads and handlers, in the order in which they first appear.
    pub(crate) tasks: Vec<Task>,
    /// For each line its task; none for the line that begins the trace.
    pub(crate) task_of: Vec<Option<usize>>,
}

/// Where a thread stands.
struct Thread {
    task: usize,
    forked: bool,
    started: bool,
    exited: bool,
    queue: Option<VecDeque<MessageId>>,
    looping: bool,
    /// The handler that runs, and the line of its call.
    running: Option<(MessageId, usize, usize)>,
    /// Notifications that no wait has taken.
    tokens: u32,
}

/// The first thread is there from the start.
const FIRST: ThreadId = ThreadId(1);

struct Replay<'l> {
    lines: &'l [Line],
    replayed: Replayed,
    threads: HashMap<ThreadId, Thread>,
    /// Where each event was posted, and whether it was called.
    posted: HashMap<MessageId, (usize, bool)>,
    /// The holder of a lock, and where it was acquired.
    locks: HashMap<u32, (usize, usize)>,
}

/// Runs the lines in their order.
pub(crate) fn check(lines: &[Line]) -> Result<Replayed, Diagnostic> {
    let mut replay = Replay {
        lines,
        replayed: Replayed::default(),
        threads: HashMap::new(),
        posted: HashMap::new(),
        locks: HashMap::new(),
    };
    for at in 0..lines.len() {
        let task = replay.step(at)?;
        replay.replayed.task_of.push(task);
    }
    replay.end()?;
    Ok(replay.replayed)
}

impl Replay<'_> {
    fn error(&self, at: usize, message: impl Into<String>, expected: impl Into<String>) -> Diagnostic {
        Diagnostic::new(message, self.lines[at].span.clone(), expected)
    }

    fn number(&self, at: usize) -> u32 {
        self.lines[at].number
    }

    /// Takes one line and says whose it is.
    fn step(&mut self, at: usize) -> Result<Option<usize>, Diagnostic> {
        let lines = self.lines;
        let line = &lines[at];
        let thread = line.thread;
        match &line.operation {
            Operation::Start => return Ok(None),
            Operation::ThreadInit => self.thread_init(at, thread)?,
            _ => {}
        }
        self.is_alive(at, thread)?;
        if let Operation::Call(message) = line.operation {
            self.call(at, thread, message)?;
        }
        let task = self.task(at, thread)?;
        match &line.operation {
            Operation::Fork(child) => self.fork(at, *child)?,
            Operation::ThreadExit => self.exit(at, thread, task)?,
            Operation::AttachQueue => self.attach(at, thread)?,
            Operation::Loop => self.begin_loop(at, thread, task)?,
            Operation::Post(message, to) => self.post(at, *message, *to)?,
            Operation::Return(message) => self.return_from(at, thread, *message)?,
            Operation::Lock(lock) => self.lock(at, *lock, task)?,
            Operation::Unlock(lock) => self.unlock(at, *lock, task)?,
            Operation::Notify(other) => self.notify(at, *other)?,
            Operation::Wait => self.wait(at, thread)?,
            _ => {}
        }
        Ok(Some(task))
    }

    fn new_task(&mut self, thread: ThreadId, message: Option<MessageId>) -> usize {
        self.replayed.tasks.push(Task { thread, message });
        self.replayed.tasks.len() - 1
    }

    fn thread_init(&mut self, at: usize, id: ThreadId) -> Result<(), Diagnostic> {
        if id == FIRST && !self.threads.contains_key(&id) {
            self.make_thread(id);
        }
        match self.threads.get_mut(&id) {
            Some(thread) if thread.started => {
                Err(self.error(at, format!("thread {} begins twice", id.0), "expected another thread"))
            }
            Some(thread) => {
                thread.started = true;
                Ok(())
            }
            None => Err(self.never_forked(at, id)),
        }
    }

    fn never_forked(&self, at: usize, id: ThreadId) -> Diagnostic {
        let fork = format!("expected `FORK par-tid:… child-tid:{}` before this line", id.0);
        self.error(at, format!("thread {} was never forked", id.0), fork)
    }

    fn make_thread(&mut self, id: ThreadId) {
        let task = self.new_task(id, None);
        let thread = Thread {
            task,
            forked: true,
            started: false,
            exited: false,
            queue: None,
            looping: false,
            running: None,
            tokens: 0,
        };
        self.threads.insert(id, thread);
    }

    fn is_alive(&self, at: usize, id: ThreadId) -> Result<(), Diagnostic> {
        match self.threads.get(&id) {
            Some(thread) if thread.exited => {
                Err(self.error(at, format!("thread {} has ended", id.0), "expected nothing more of it"))
            }
            Some(thread) if thread.started => Ok(()),
            Some(thread) if thread.forked => {
                let expected = format!("expected `THREADINIT tid:{}` before this line", id.0);
                Err(self.error(at, format!("thread {} has not begun", id.0), expected))
            }
            _ if id == FIRST => {
                let expected = "expected `THREADINIT tid:1` before this line";
                Err(self.error(at, "thread 1 has not begun", expected))
            }
            _ => Err(self.never_forked(at, id)),
        }
    }

    /// Whose operation a line of a thread is: the running handler's, or the thread's as long as it does not loop.
    fn task(&self, at: usize, id: ThreadId) -> Result<usize, Diagnostic> {
        let Some(thread) = self.threads.get(&id) else { return Err(self.never_forked(at, id)) };
        match (thread.running, thread.looping) {
            (Some((_, task, _)), _) => Ok(task),
            (None, false) => Ok(thread.task),
            (None, true) if self.lines[at].operation == Operation::ThreadExit => Ok(thread.task),
            (None, true) => {
                let what = format!("thread {} runs only handlers after its LOOP", id.0);
                Err(self.error(at, what, format!("expected `CALL tid:{} msg:…` first", id.0)))
            }
        }
    }

    fn fork(&mut self, at: usize, child: ThreadId) -> Result<(), Diagnostic> {
        if self.threads.contains_key(&child) || child == FIRST {
            return Err(self.error(at, format!("thread {} is there already", child.0), "expected a new thread"));
        }
        self.make_thread(child);
        Ok(())
    }

    fn exit(&mut self, at: usize, id: ThreadId, task: usize) -> Result<(), Diagnostic> {
        let Some(thread) = self.threads.get_mut(&id) else { return Ok(()) };
        if let Some((message, ..)) = thread.running {
            let expected = format!("expected `RET tid:{} msg:{}` first", id.0, message.0);
            return Err(self.error(at, format!("thread {} ends within a handler", id.0), expected));
        }
        thread.exited = true;
        self.gives_all_locks_back(at, task)
    }

    fn attach(&mut self, at: usize, id: ThreadId) -> Result<(), Diagnostic> {
        let Some(thread) = self.threads.get_mut(&id) else { return Ok(()) };
        match thread.queue.replace(VecDeque::new()) {
            None => Ok(()),
            Some(_) => {
                Err(self.error(at, format!("thread {} has a queue already", id.0), "expected one queue a thread"))
            }
        }
    }

    fn begin_loop(&mut self, at: usize, id: ThreadId, task: usize) -> Result<(), Diagnostic> {
        let Some(thread) = self.threads.get_mut(&id) else { return Ok(()) };
        if thread.queue.is_none() {
            let expected = format!("expected `ATTACH-Q tid:{} queue:…` first", id.0);
            return Err(self.error(at, format!("thread {} loops without a queue", id.0), expected));
        }
        if std::mem::replace(&mut thread.looping, true) {
            return Err(self.error(at, format!("thread {} loops already", id.0), "expected one LOOP a thread"));
        }
        self.gives_all_locks_back(at, task)
    }

    fn post(&mut self, at: usize, message: MessageId, to: ThreadId) -> Result<(), Diagnostic> {
        if let Some(&(before, _)) = self.posted.get(&message) {
            let what = format!("message {} was posted in line {} already", message.0, self.number(before));
            return Err(self.error(at, what, "expected a message of its own for each post"));
        }
        let Some(queue) = self.threads.get_mut(&to).filter(|thread| !thread.exited).and_then(|it| it.queue.as_mut())
        else {
            let what = format!("thread {} has no queue to post to", to.0);
            return Err(self.error(at, what, format!("expected `ATTACH-Q tid:{} queue:…` before this line", to.0)));
        };
        queue.push_back(message);
        self.posted.insert(message, (at, false));
        Ok(())
    }

    fn call(&mut self, at: usize, id: ThreadId, message: MessageId) -> Result<(), Diagnostic> {
        let task = self.replayed.tasks.len();
        let Some(thread) = self.threads.get_mut(&id) else { return Ok(()) };
        if !thread.looping {
            let what = format!("thread {} runs a handler before its LOOP", id.0);
            return Err(self.error(at, what, format!("expected `LOOP tid:{}` before this line", id.0)));
        }
        if let Some((running, ..)) = thread.running {
            let what = format!("the handler of message {} has not ended", running.0);
            return Err(self.error(at, what, format!("expected `RET tid:{} msg:{}` first", id.0, running.0)));
        }
        match thread.queue.as_mut().and_then(VecDeque::pop_front) {
            Some(front) if front == message => thread.running = Some((message, task, at)),
            Some(front) => {
                let what = format!("message {} is not the first in the queue of thread {}", message.0, id.0);
                return Err(self.error(at, what, format!("expected message {}, which was posted earlier", front.0)));
            }
            None => {
                let what = format!("message {} is not in the queue of thread {}", message.0, id.0);
                return Err(self.error(at, what, format!("expected a POST to thread {} before this line", id.0)));
            }
        }
        if let Some(posted) = self.posted.get_mut(&message) {
            posted.1 = true;
        }
        self.new_task(id, Some(message));
        Ok(())
    }

    fn return_from(&mut self, at: usize, id: ThreadId, message: MessageId) -> Result<(), Diagnostic> {
        let running = self.threads.get_mut(&id).and_then(|thread| thread.running.take());
        match running {
            Some((running, task, _)) if running == message => self.gives_all_locks_back(at, task),
            Some((running, ..)) => {
                let what = format!("the handler that runs is that of message {}", running.0);
                Err(self.error(at, what, format!("expected `RET tid:{} msg:{}`", id.0, running.0)))
            }
            None => {
                let what = format!("no handler runs on thread {}", id.0);
                Err(self.error(at, what, format!("expected `CALL tid:{} msg:{}` before this line", id.0, message.0)))
            }
        }
    }

    fn lock(&mut self, at: usize, lock: u32, task: usize) -> Result<(), Diagnostic> {
        match self.locks.get(&lock) {
            None => {
                self.locks.insert(lock, (task, at));
                Ok(())
            }
            Some(&(holder, since)) => {
                let who = if holder == task { "it is not re-entrant" } else { "another one holds it" };
                let what = format!("lock 0x{lock:x} was taken in line {}, and {who}", self.number(since));
                Err(self.error(at, what, format!("expected `UNLOCK … lock-obj:0x{lock:x}` before this line")))
            }
        }
    }

    fn unlock(&mut self, at: usize, lock: u32, task: usize) -> Result<(), Diagnostic> {
        match self.locks.remove(&lock) {
            Some((holder, _)) if holder == task => Ok(()),
            _ => {
                let what = format!("lock 0x{lock:x} is released by one that does not hold it");
                Err(self.error(at, what, format!("expected `LOCK … lock-obj:0x{lock:x}` before it, in the same task")))
            }
        }
    }

    fn gives_all_locks_back(&self, at: usize, task: usize) -> Result<(), Diagnostic> {
        let held = self.locks.iter().filter(|(_, (holder, _))| *holder == task).min_by_key(|(_, (_, since))| *since);
        match held {
            None => Ok(()),
            Some((lock, &(_, since))) => {
                let what = format!("lock 0x{lock:x} is never released");
                let end = format!("expected `UNLOCK … lock-obj:0x{lock:x}` up to line {}", self.number(at));
                Err(self.error(since, what, end))
            }
        }
    }

    fn notify(&mut self, at: usize, other: ThreadId) -> Result<(), Diagnostic> {
        match self.threads.get_mut(&other) {
            Some(thread) => {
                thread.tokens += 1;
                Ok(())
            }
            None => Err(self.never_forked(at, other)),
        }
    }

    fn wait(&mut self, at: usize, id: ThreadId) -> Result<(), Diagnostic> {
        match self.threads.get_mut(&id) {
            Some(thread) if thread.tokens > 0 => {
                thread.tokens -= 1;
                Ok(())
            }
            _ => {
                let what = format!("no thread has notified thread {}", id.0);
                Err(self.error(at, what, format!("expected `NOTIFY … notifiedTid:{}` before this line", id.0)))
            }
        }
    }

    /// The trace ends: every handler has ended, every event was handled, every lock is free.
    fn end(&self) -> Result<(), Diagnostic> {
        let running = self.threads.values().filter_map(|thread| thread.running).min_by_key(|&(.., at)| at);
        if let Some((message, _, at)) = running {
            let what = format!("the handler of message {} never ends", message.0);
            let expected = format!("expected `RET tid:{} msg:{}` after it", self.lines[at].thread.0, message.0);
            return Err(self.error(at, what, expected));
        }
        let unhandled = self.posted.iter().filter(|(_, (_, called))| !called).min_by_key(|(_, (at, _))| *at);
        if let Some((message, &(at, _))) = unhandled {
            let what = format!("message {} is never handled, so what its handler does is not known", message.0);
            return Err(self.error(at, what, format!("expected `CALL … msg:{}` after it", message.0)));
        }
        match self.locks.values().min_by_key(|(_, since)| *since) {
            None => Ok(()),
            Some(&(task, _)) => self.gives_all_locks_back(self.lines.len() - 1, task),
        }
    }
}
