//! Visible operations: what a thread stands before, when it can go on, and what it awaits if it cannot.

use crate::names::Site;
use mazurka_core::Access;

/// What an operation does. Part of what a thread has seen, and of how an operation is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verb {
    Load,
    Store,
    Update,
    Lock,
    TryLock,
    Unlock,
    ReadLock,
    ReadUnlock,
    Wait,
    /// The second half of a wait: woken, it takes its mutex again.
    Reacquire,
    /// The second half of a wait that timed out, or the choice whether it does.
    TimeOut,
    Notify,
    Join,
    Choose,
    Assume,
    Send,
    Receive,
    Disconnect,
    Park,
    Unpark,
    Arrive,
    /// Arrived at a barrier, it waits for the others.
    Depart,
    Count,
    /// Looks at something that is no number: whether a lock is poisoned, whether a thread has ended.
    Look,
    Post,
    /// A message begins.
    Begin,
}

impl Verb {
    /// The verb for "main … hits", where the source has no line to show.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Verb::Load => "loads",
            Verb::Store => "stores",
            Verb::Update => "updates",
            Verb::Lock | Verb::Reacquire => "locks",
            Verb::TryLock => "tries to lock",
            Verb::Unlock => "unlocks",
            Verb::ReadLock => "locks for reading",
            Verb::ReadUnlock => "unlocks from reading",
            Verb::Wait => "waits for",
            Verb::TimeOut => "times out",
            Verb::Notify => "notifies",
            Verb::Join => "joins",
            Verb::Choose => "chooses",
            Verb::Assume => "assumes",
            Verb::Send => "sends to",
            Verb::Receive => "receives from",
            Verb::Disconnect => "disconnects",
            Verb::Park => "parks",
            Verb::Unpark => "unparks",
            Verb::Arrive => "arrives at",
            Verb::Depart => "departs from",
            Verb::Count => "counts references",
            Verb::Look => "looks at",
            Verb::Post => "posts",
            Verb::Begin => "begins",
        }
    }

    /// Whether code expects that it may not come back from there: a call that waits. Between two steps on atomics, code may leave
    /// things in a state in which no destructor is safe.
    pub(crate) fn may_unwind(self) -> bool {
        use Verb::{
            Arrive, Assume, Begin, Choose, Depart, Join, Lock, Park, Reacquire, ReadLock, Receive, Send, TimeOut, Wait,
        };
        matches!(
            self,
            Lock | ReadLock
                | Wait
                | Reacquire
                | TimeOut
                | Join
                | Choose
                | Assume
                | Send
                | Receive
                | Park
                | Arrive
                | Depart
                | Begin
        )
    }

    /// Whether the thread looks at one word, and may look again and again.
    pub(crate) fn looks(self) -> bool {
        matches!(self, Verb::Load | Verb::Update | Verb::TryLock | Verb::Receive)
    }
}

/// What has to hold before a thread can go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Needs {
    Nothing,
    /// No thread holds the object, neither for writing nor for reading.
    Free,
    /// No thread holds the object for writing.
    NoWriter,
    /// The thread was woken.
    Awake,
    /// The thread was woken, and no thread holds the object.
    AwakeAndFree,
    /// The thread in this slot has ended.
    Ended(u32),
    /// Something is in the object, or nothing will ever be.
    Items,
    /// There is room in the object, or nothing will ever be taken out.
    Room,
    /// More than this number of things were taken out of the object.
    Taken(u64),
    /// The message is the next one that its handler can run.
    Turn,
    /// What never holds: an assumption that is false.
    Never,
}

/// An operation without an object.
pub(crate) const NO_OBJECT: u32 = u32::MAX;

/// A visible operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    pub(crate) verb: Verb,
    /// Its number in this execution, or [`NO_OBJECT`].
    pub(crate) object: u32,
    /// How the object is touched, as far as it is known before.
    pub(crate) access: Access,
    pub(crate) needs: Needs,
    pub(crate) site: Site,
}

impl Operation {
    /// One that can always go on.
    pub(crate) fn new(verb: Verb, object: u32, access: Access, site: Site) -> Self {
        Operation { verb, object, access, needs: Needs::Nothing, site }
    }

    /// One that has to wait.
    pub(crate) fn needing(self, needs: Needs) -> Self {
        Operation { needs, ..self }
    }
}
