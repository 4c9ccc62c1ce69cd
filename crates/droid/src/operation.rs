//! What a line of a trace says was done.

/// A thread, by the number that the trace gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ThreadId(pub(crate) u32);

/// An event, by the number of its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct MessageId(pub(crate) u32);

/// A place in the heap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// A field of an object.
    Field(u32, u32),
    /// A static field of a class.
    Static(String, u32),
}

/// An operation of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// The trace begins: the operation of no task.
    Start,
    ThreadInit,
    ThreadExit,
    Fork(ThreadId),
    /// The thread gets its queue.
    AttachQueue,
    /// From here on the thread only runs handlers.
    Loop,
    Post(MessageId, ThreadId),
    Call(MessageId),
    Return(MessageId),
    Read(Place),
    Write(Place),
    Lock(u32),
    Unlock(u32),
    Notify(ThreadId),
    Wait,
    /// A gate: it waits for the operations that the file of dependences names.
    Gate,
    /// Something that matters only where the file of dependences names it.
    Mark,
}
