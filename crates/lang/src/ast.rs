//! The syntax tree: what the parser reads, the compiler compiles and [`crate::print`] writes.

use mazurka_core::{Fairness, Form};
use std::ops::Range;

/// The bytes of the source that something stands in.
pub type Span = Range<usize>;

/// A name and where it stands.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

impl Name {
    /// A name that stands nowhere, for trees that are built rather than read.
    pub fn new(text: impl Into<String>) -> Self {
        Name { text: text.into(), span: 0..0 }
    }
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// Its definitions in the order of the source.
    pub items: Vec<Item>,
}

/// `(i in from..to)` behind the name of a thread or an event: one for each value.
#[derive(Clone, Debug)]
pub struct Family {
    /// The parameter.
    pub parameter: Name,
    /// The first value.
    pub from: Expr,
    /// The value after the last one.
    pub to: Expr,
}

/// What variables start with.
#[derive(Clone, Debug)]
pub enum Initial {
    /// One value, for all elements.
    Same(Expr),
    /// A value for each element.
    Each(Vec<Expr>, Span),
}

/// What kind of object `mutex`, `cond`, `rwlock` and `handler` define.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A lock.
    Mutex,
    /// A condition variable.
    Cond,
    /// A lock that one writer or several readers hold.
    RwLock,
    /// A handler that takes its messages in order of arrival.
    FifoHandler,
    /// A handler that takes its messages in any order.
    AnyHandler,
}

/// A definition.
#[derive(Clone, Debug)]
pub enum Item {
    /// `include "locks.mz";`
    Include {
        /// The file, as it is named there.
        path: String,
        /// Where it is named.
        span: Span,
    },
    /// `const N = 3;`
    Const {
        /// Its name.
        name: Name,
        /// Its value unless `-D` says otherwise.
        value: Expr,
    },
    /// `enum colour { red, green = 5 }`
    Enum {
        /// Its name.
        name: Name,
        /// Its constants; without a value, each is one more than the one before it, and the first is 0.
        members: Vec<(Name, Option<Expr>)>,
    },
    /// `shared x = 0;`
    Shared {
        /// Its name.
        name: Name,
        /// How many elements, if it is an array.
        length: Option<Expr>,
        /// The enum whose names reports show for its values.
        of: Option<Name>,
        /// What it starts with.
        initial: Initial,
    },
    /// `mutex m;`, `cond c;`, `rwlock l;`, `handler h any;`
    Object {
        /// Its name.
        name: Name,
        /// What it is.
        kind: ObjectKind,
        /// How many, if it is an array.
        length: Option<Expr>,
        /// `fair handler h;`: how handlers are treated, if that is said.
        fairness: Option<Fairness>,
    },
    /// `semaphore s = 2;`
    Semaphore {
        /// Its name.
        name: Name,
        /// How many, if it is an array.
        length: Option<Expr>,
        /// What it starts with.
        initial: Initial,
    },
    /// `channel c(2);`
    Channel {
        /// Its name.
        name: Name,
        /// How many, if it is an array.
        length: Option<Expr>,
        /// How many values each of them holds.
        capacity: Expr,
    },
    /// `thread t { … }`
    Thread {
        /// Its name.
        name: Name,
        /// One for each value.
        family: Option<Family>,
        /// `strong thread t { … }`: how it is treated, if that is said.
        fairness: Option<Fairness>,
        /// What it does.
        body: Block,
    },
    /// `message m(a, b) { … }`
    Message(Function),
    /// `def f(a, b) { … }`
    Def(Function),
    /// `event e when guard { … }`
    Event {
        /// Its name.
        name: Name,
        /// One for each value.
        family: Option<Family>,
        /// `fair event e { … }`: how it is treated, if that is said.
        fairness: Option<Fairness>,
        /// Whether it starts disabled.
        disabled: bool,
        /// When it may happen.
        guard: Option<Expr>,
        /// What it does.
        body: Block,
    },
    /// `never (…);`
    Never {
        /// What must never be true.
        condition: Expr,
    },
    /// `eventually (…);`, `always eventually (…);`, `(…) leads_to (…);`, `leads_to(i in 0..n) (…) to (…);`
    Promise {
        /// Which of them.
        form: Form,
        /// One for each value.
        family: Option<Family>,
        /// What leads to the goal, where something does.
        cause: Option<Expr>,
        /// What has to become true.
        goal: Expr,
        /// Where it stands, without its `;`.
        span: Span,
    },
}

/// A name, parameters and a body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Name>,
    /// What it does.
    pub body: Block,
}

/// Statements in braces.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The statements.
    pub statements: Vec<Statement>,
}

/// A statement and where it stands.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where it stands, without its `;` and without its block; of a `do`, what stands behind its block.
    pub span: Span,
}

/// A variable or an element of an array.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its name.
    pub name: Name,
    /// Which element.
    pub index: Option<Box<Expr>>,
}

/// A call of a function or a message.
#[derive(Clone, Debug)]
pub struct Call {
    /// Of what.
    pub name: Name,
    /// With what.
    pub arguments: Vec<Expr>,
}

/// `let a[4] = 0;`, `let c: colour = red;`
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The name of the local variable.
    pub name: Name,
    /// How many elements, if it is an array.
    pub length: Option<Expr>,
    /// The enum whose names reports show for its values.
    pub of: Option<Name>,
    /// What it starts with.
    pub initial: Initial,
}

/// What a `switch` does for some values.
#[derive(Clone, Debug)]
pub struct Case {
    /// For which values; one at least.
    pub labels: Vec<Label>,
    /// What it does.
    pub body: Block,
}

/// `case 3:` or `default:`.
#[derive(Clone, Debug)]
pub struct Label {
    /// The value; `None` for `default`.
    pub value: Option<Expr>,
    /// Where it stands, without its `:`.
    pub span: Span,
}

/// `for (start; condition; next) { … }`; each of the three may be absent.
#[derive(Clone, Debug)]
pub struct ForLoop {
    /// What comes before the first round: a `let`, an assignment or a call.
    pub start: Option<Statement>,
    /// Looked at before each round. The loop has no end without it.
    pub condition: Option<Expr>,
    /// What comes after each round.
    pub next: Option<Statement>,
    /// What is done in each round.
    pub body: Block,
}

/// The statements.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `let r = x;`
    Let(Name, Expr),
    /// `let a[4] = 0;`, `let c: colour = red;`
    Declare(Box<Declaration>),
    /// `let t = spawn f(1);` or `spawn f(1);`
    Spawn(Option<Name>, Call),
    /// `t = spawn f(1);`
    Respawn(Name, Call),
    /// `x = 1;`
    Assign(Place, Expr),
    /// `x += 1;`
    Update(Place, BinaryOp, Expr),
    /// `f(1);`, `fetch_add(x, 1);`
    Evaluate(Expr),
    /// `if (c) { … } else { … }`
    If(Expr, Block, Option<Block>),
    /// `switch (e) { case 1: … break; default: … }`
    Switch(Expr, Vec<Case>),
    /// `while (c) { … }`
    While(Expr, Block),
    /// `do { … } while (c);`
    DoWhile(Block, Expr),
    /// `for i in a..b { … }`
    For(Name, Expr, Expr, Block),
    /// `for (let i = 0; i < 3; i += 1) { … }`
    ForLoop(Box<ForLoop>),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`
    Return(Option<Expr>),
    /// `assert(e, "text");`
    Assert(Expr, Option<String>),
    /// `assume(e);`
    Assume(Expr),
    /// `lock(m);`
    Lock(Place),
    /// `unlock(m);`
    Unlock(Place),
    /// `wait(c, m);`
    Wait(Place, Place),
    /// `signal(c);`
    Signal(Place),
    /// `broadcast(c);`
    Broadcast(Place),
    /// `join t;`
    Join(Name),
    /// `post h, m(1);`
    Post(Place, Call),
    /// `enable e;`
    Enable(Place),
    /// `disable e;`
    Disable(Place),
    /// `atomic { … }`
    Atomic(Block),
    /// `progress;`
    Progress,
}

impl StatementKind {
    /// The blocks that stand in it.
    pub(crate) fn blocks(&self) -> Vec<&Block> {
        match self {
            StatementKind::If(_, then, otherwise) => std::iter::once(then).chain(otherwise).collect(),
            StatementKind::While(_, body)
            | StatementKind::DoWhile(body, _)
            | StatementKind::For(_, _, _, body)
            | StatementKind::Atomic(body) => vec![body],
            StatementKind::ForLoop(of) => vec![&of.body],
            StatementKind::Switch(_, cases) => cases.iter().map(|case| &case.body).collect(),
            _ => Vec::new(),
        }
    }
}

/// An expression and where it stands.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

impl Expr {
    /// An expression that stands nowhere, for trees that are built rather than read.
    pub fn new(kind: ExprKind) -> Self {
        Expr { kind, span: 0..0 }
    }
}

/// The expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `3`, `true`
    Number(i64),
    /// `x`, `a[i]`, a constant, a local
    Place(Place),
    /// `-e`, `!e`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a && b` (true) or `a || b` (false)
    Logical(bool, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `f(1, 2)`
    Call(Call),
    /// `cas(x, old, new)`: 1 if it swapped
    Cas(Place, Box<Expr>, Box<Expr>),
    /// `swap(x, v)`: the old value
    Swap(Place, Box<Expr>),
    /// `fetch_add(x, n)`: the old value
    FetchAdd(Place, Box<Expr>),
    /// `choose(a..b)`: each value from a to b - 1
    Choose(Box<Expr>, Box<Expr>),
    /// `acquire(s)`, `trylock(m)`, `send(c, 1)`: an operation on an object, with its operand
    Sync(SyncOp, Place, Option<Box<Expr>>),
    /// `wait_timeout(c, m)`: 1 if it was signalled, 0 if it timed out
    WaitTimeout(Place, Place),
}

/// The operations on mutexes, semaphores, read-write locks and channels that are written like calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncOp {
    /// `trylock(m)`: 1 if it took the mutex
    TryLock,
    /// `acquire(s)`
    Acquire,
    /// `try_acquire(s)`: 1 if it acquired the semaphore
    TryAcquire,
    /// `release(s)`
    Release,
    /// `read_lock(l)`
    ReadLock,
    /// `try_read_lock(l)`: 1 if it took the lock
    TryReadLock,
    /// `read_unlock(l)`
    ReadUnlock,
    /// `write_lock(l)`
    WriteLock,
    /// `try_write_lock(l)`: 1 if it took the lock
    TryWriteLock,
    /// `write_unlock(l)`
    WriteUnlock,
    /// `send(c, v)`
    Send,
    /// `try_send(c, v)`: 1 if it sent the value
    TrySend,
    /// `receive(c)`: the value
    Receive,
    /// `try_receive(c, v)`: the value, or `v` if there is none
    TryReceive,
}

impl SyncOp {
    /// All of them.
    pub const ALL: [SyncOp; 14] = [
        SyncOp::TryLock,
        SyncOp::Acquire,
        SyncOp::TryAcquire,
        SyncOp::Release,
        SyncOp::ReadLock,
        SyncOp::TryReadLock,
        SyncOp::ReadUnlock,
        SyncOp::WriteLock,
        SyncOp::TryWriteLock,
        SyncOp::WriteUnlock,
        SyncOp::Send,
        SyncOp::TrySend,
        SyncOp::Receive,
        SyncOp::TryReceive,
    ];

    /// What it is called in a program.
    pub fn name(self) -> &'static str {
        match self {
            SyncOp::TryLock => "trylock",
            SyncOp::Acquire => "acquire",
            SyncOp::TryAcquire => "try_acquire",
            SyncOp::Release => "release",
            SyncOp::ReadLock => "read_lock",
            SyncOp::TryReadLock => "try_read_lock",
            SyncOp::ReadUnlock => "read_unlock",
            SyncOp::WriteLock => "write_lock",
            SyncOp::TryWriteLock => "try_write_lock",
            SyncOp::WriteUnlock => "write_unlock",
            SyncOp::Send => "send",
            SyncOp::TrySend => "try_send",
            SyncOp::Receive => "receive",
            SyncOp::TryReceive => "try_receive",
        }
    }

    /// What it is an operation on.
    pub(crate) fn object(self) -> &'static str {
        match self {
            SyncOp::TryLock => "a mutex",
            SyncOp::Acquire | SyncOp::TryAcquire | SyncOp::Release => "a semaphore",
            SyncOp::Send | SyncOp::TrySend | SyncOp::Receive | SyncOp::TryReceive => "a channel",
            _ => "a read-write lock",
        }
    }

    /// Whether it may have to wait.
    pub fn waits(self) -> bool {
        use SyncOp::{Acquire, ReadLock, Receive, Send, WriteLock};
        matches!(self, Acquire | ReadLock | WriteLock | Send | Receive)
    }

    /// Whether it is done only if that is possible at once.
    pub fn tries(self) -> bool {
        use SyncOp::{TryAcquire, TryLock, TryReadLock, TryReceive, TrySend, TryWriteLock};
        matches!(self, TryLock | TryAcquire | TryReadLock | TryWriteLock | TrySend | TryReceive)
    }

    /// Whether it has a value.
    pub fn has_value(self) -> bool {
        self.tries() || self == SyncOp::Receive
    }

    /// What its second operand is, if it has one.
    pub fn operand(self) -> Option<&'static str> {
        match self {
            SyncOp::Send | SyncOp::TrySend => Some("the value to send"),
            SyncOp::TryReceive => Some("the value if there is nothing to receive"),
            _ => None,
        }
    }
}

/// The operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `!`
    Not,
}

/// The operators with two operands, both of which are always evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl BinaryOp {
    /// The operator's sign.
    pub fn sign(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
        }
    }

    /// How tightly it binds; `||` and `&&` bind with 1 and 2. Operators of one strength group from left to right.
    pub(crate) fn strength(self) -> u8 {
        match self {
            BinaryOp::Or => 3,
            BinaryOp::Xor => 4,
            BinaryOp::And => 5,
            BinaryOp::Equal | BinaryOp::NotEqual => 6,
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => 7,
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 8,
            BinaryOp::Add | BinaryOp::Subtract => 9,
            BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 10,
        }
    }

    /// The operator's result, or what went wrong.
    pub(crate) fn apply(self, a: i64, b: i64) -> Result<i64, Fault> {
        let checked = match self {
            BinaryOp::Add => a.checked_add(b),
            BinaryOp::Subtract => a.checked_sub(b),
            BinaryOp::Multiply => a.checked_mul(b),
            BinaryOp::Divide | BinaryOp::Remainder if b == 0 => return Err(Fault::DivisionByZero),
            BinaryOp::Divide => a.checked_div(b),
            BinaryOp::Remainder => a.checked_rem(b),
            BinaryOp::And => Some(a & b),
            BinaryOp::Or => Some(a | b),
            BinaryOp::Xor => Some(a ^ b),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight if !(0..64).contains(&b) => return Err(Fault::Shift),
            BinaryOp::ShiftLeft => {
                let shifted = a << b;
                (shifted >> b == a).then_some(shifted)
            }
            BinaryOp::ShiftRight => Some(a >> b),
            BinaryOp::Equal => Some(i64::from(a == b)),
            BinaryOp::NotEqual => Some(i64::from(a != b)),
            BinaryOp::Less => Some(i64::from(a < b)),
            BinaryOp::LessEqual => Some(i64::from(a <= b)),
            BinaryOp::Greater => Some(i64::from(a > b)),
            BinaryOp::GreaterEqual => Some(i64::from(a >= b)),
        };
        checked.ok_or(Fault::Overflow)
    }
}

impl UnaryOp {
    /// The operator's result, or what went wrong.
    pub(crate) fn apply(self, a: i64) -> Result<i64, Fault> {
        match self {
            UnaryOp::Negate => a.checked_neg().ok_or(Fault::Overflow),
            UnaryOp::Not => Ok(i64::from(a == 0)),
        }
    }
}

/// What has no meaning: a crash of the program that does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    DivisionByZero,
    Overflow,
    Shift,
    IndexOutOfRange,
    UnlockNotHeld,
    WaitNotHeld,
    ReadUnlockNotHeld,
    WriteUnlockNotHeld,
    EmptyChoice,
    CallDepth,
    EndlessStep,
    JoinNothing,
}

impl Fault {
    /// What happened, in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Fault::DivisionByZero => "division by zero",
            Fault::Overflow => "arithmetic overflow",
            Fault::Shift => "shift by less than 0 or more than 63",
            Fault::IndexOutOfRange => "index out of range",
            Fault::UnlockNotHeld => "unlock of a mutex that is not held",
            Fault::WaitNotHeld => "wait with a mutex that is not held",
            Fault::ReadUnlockNotHeld => "read_unlock of a lock that is not held for reading",
            Fault::WriteUnlockNotHeld => "write_unlock of a lock that is not held for writing",
            Fault::EmptyChoice => "choose from an empty range",
            Fault::CallDepth => "calls nested more than 64 deep",
            Fault::EndlessStep => "a step that does not end (a loop within one step)",
            Fault::JoinNothing => "join of a thread that was joined already",
        }
    }
}
