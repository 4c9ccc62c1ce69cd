//! The lowered program: a compact register code, and what is known of its variables.

use crate::debug::Debug;
use crate::ir::Order;
use crate::library::Routine;
use std::sync::Arc;

/// A register of a frame.
pub(crate) type Register = u32;
/// A place in the code.
pub(crate) type Pc = u32;
/// No register, no place.
pub(crate) const NONE: u32 = u32::MAX;

/// A register, or a number in the table of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Operand(u32);

const CONSTANT: u32 = 1 << 31;

impl Operand {
    pub(crate) fn register(register: Register) -> Self {
        Operand(register)
    }

    pub(crate) fn constant(number: usize) -> Self {
        Operand(CONSTANT | number as u32)
    }

    /// The register, if it is one.
    #[inline]
    pub(crate) fn as_register(self) -> Option<Register> {
        (self.0 & CONSTANT == 0).then_some(self.0)
    }

    #[inline]
    pub(crate) fn index(self) -> Result<usize, usize> {
        if self.0 & CONSTANT == 0 { Ok(self.0 as usize) } else { Err((self.0 & !CONSTANT) as usize) }
    }
}

/// A part of the pool of operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct List {
    pub(crate) start: u32,
    pub(crate) length: u32,
}

impl List {
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.length) as usize
    }
}

/// Operations on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    DivideUnsigned,
    Divide,
    RemainderUnsigned,
    Remainder,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    And,
    Or,
    Xor,
    Nand,
    /// The second one.
    Exchange,
    Max,
    Min,
    MaxUnsigned,
    MinUnsigned,
    FloatAdd,
    FloatSubtract,
    FloatMultiply,
    FloatDivide,
    FloatRemainder,
}

impl Binary {
    /// Whether it may have no meaning.
    pub(crate) fn may_fail(self) -> bool {
        use Binary::{Divide, DivideUnsigned, Remainder, RemainderUnsigned, ShiftLeft, ShiftRight, ShiftRightSigned};
        matches!(
            self,
            Divide | DivideUnsigned | Remainder | RemainderUnsigned | ShiftLeft | ShiftRight | ShiftRightSigned
        )
    }
}

/// Comparisons. Those of floats are ordered unless they say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Predicate {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    LessUnsigned,
    LessOrEqualUnsigned,
    GreaterUnsigned,
    GreaterOrEqualUnsigned,
    /// A mask of the answers that are true: equal 1, less 2, greater 4, unordered 8.
    Float(u8),
}

/// Between kinds of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
    SignedToFloat,
    UnsignedToFloat,
    FloatToSigned,
    FloatToUnsigned,
    FloatToFloat,
    /// Changes the sign of a float.
    Negate,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Instruction {
    Move {
        dst: Register,
        src: Operand,
    },
    Binary {
        operation: Binary,
        width: u8,
        dst: Register,
        left: Operand,
        right: Operand,
    },
    Compare {
        predicate: Predicate,
        width: u8,
        dst: Register,
        left: Operand,
        right: Operand,
    },
    Truncate {
        width: u8,
        dst: Register,
        src: Operand,
    },
    SignExtend {
        from: u8,
        to: u8,
        dst: Register,
        src: Operand,
    },
    Convert {
        conversion: Conversion,
        from: u8,
        to: u8,
        dst: Register,
        src: Operand,
    },
    /// An address: base + index × scale.
    Index {
        dst: Register,
        base: Operand,
        index: Operand,
        scale: u32,
    },
    Select {
        dst: Register,
        condition: Operand,
        yes: Operand,
        no: Operand,
    },
    Jump {
        to: Pc,
    },
    Branch {
        condition: Operand,
        yes: Pc,
        no: Pc,
    },
    Switch {
        value: Operand,
        table: u32,
    },
    /// The address of a local variable in the frame's memory.
    Local {
        dst: Register,
        offset: u32,
        private: bool,
    },
    /// The address of a variable of the thread.
    ThreadLocal {
        dst: Register,
        offset: u32,
        private: bool,
    },
    /// Memory that lasts until the function returns.
    Allocate {
        dst: Register,
        bytes: Operand,
        private: bool,
    },
    Load {
        dst: Register,
        pointer: Operand,
        size: u8,
        order: Order,
    },
    Store {
        value: Operand,
        pointer: Operand,
        size: u8,
        order: Order,
    },
    /// Reads, calculates and writes at once. `dst` is [`NONE`] if what was read is not used.
    Modify {
        operation: Binary,
        size: u8,
        order: Order,
        dst: Register,
        pointer: Operand,
        value: Operand,
    },
    /// `operands`: the expected and the new value; `results` of the pool: what was read, and whether it was exchanged.
    Exchange {
        pointer: Operand,
        operands: u32,
        results: u32,
        size: u8,
        order: Order,
        failure: Order,
    },
    Fence {
        order: Order,
    },
    Call {
        function: u32,
        arguments: List,
        results: List,
    },
    CallPointer {
        pointer: Operand,
        arguments: List,
        results: List,
    },
    Routine {
        call: u32,
    },
    Return {
        values: List,
    },
    AtomicBegin,
    AtomicEnd,
    /// The way into a loop that may wait.
    Enter {
        spin: u32,
        kept: Operand,
    },
    /// The way from one round of it to the next. `kept`: what the next round uses of this one.
    Again {
        spin: u32,
        kept: Operand,
    },
    Unreachable,
    Unsupported {
        message: u32,
    },
}

/// A call of a function that the model knows.
#[derive(Clone, Debug)]
pub(crate) struct RoutineCall {
    pub(crate) routine: Routine,
    pub(crate) arguments: List,
    pub(crate) result: Register,
    /// How many bits the result has.
    pub(crate) width: u8,
    /// The type of what is allocated, where that can be seen.
    pub(crate) block_type: Option<(u32, u32)>,
    /// The name of the function.
    pub(crate) name: Arc<str>,
}

/// A loop that may wait: see `spin.rs`.
#[derive(Clone, Debug)]
pub(crate) struct Spin {
    /// The next larger one around it, or [`NONE`].
    pub(crate) parent: u32,
    /// Whether a round uses something of the one before.
    pub(crate) keeps: bool,
}

/// Where a `switch` goes.
#[derive(Clone, Debug, Default)]
pub(crate) struct SwitchTable {
    pub(crate) default: Pc,
    /// Sorted by value.
    pub(crate) cases: Vec<(u64, Pc)>,
}

/// What a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// Its code begins here.
    Code(Pc),
    /// The model knows it.
    Routine(Routine),
    Missing,
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: Arc<str>,
    pub(crate) body: Body,
    /// Behind its last instruction.
    pub(crate) end: Pc,
    pub(crate) registers: u32,
    pub(crate) parameters: u32,
    /// Whether further arguments are put into memory, whose address follows the parameters.
    pub(crate) is_variadic: bool,
    /// Words of memory for its local variables that others may see, and for those that they may not.
    pub(crate) shared_words: u32,
    pub(crate) private_words: u32,
    pub(crate) variables: Vec<LocalVariable>,
    /// The number of its debug information, and of the module that it is from.
    pub(crate) debug: Option<(u32, u32)>,
}

/// Where a local variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    Register(Register),
    Memory { offset: u32, private: bool },
}

/// A local variable that the source names.
#[derive(Clone, Debug)]
pub(crate) struct LocalVariable {
    pub(crate) name: Arc<str>,
    pub(crate) home: Home,
    /// Its type, in the debug information of the module.
    pub(crate) ty: Option<(u32, u32)>,
}

/// A variable of the program.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: Arc<str>,
    /// Where it is in its space.
    pub(crate) address: u32,
    pub(crate) size: u32,
    /// Where its words are in a state, if it is no constant.
    pub(crate) storage: u32,
    pub(crate) is_constant: bool,
    /// Its type, in the debug information of the module.
    pub(crate) ty: Option<(u32, u32)>,
    /// Its first object, and how many it has; none if they are made when they are touched.
    pub(crate) first_object: u32,
    pub(crate) objects: u32,
}

/// What is known of eight bytes of the variables' space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GlobalWord {
    /// The variable, or [`NONE`].
    pub(crate) variable: u32,
    /// Where the word is in a state.
    pub(crate) storage: u32,
    /// The object of the first byte, or [`NONE`].
    pub(crate) object: u32,
    /// A bit for each byte with which another object begins.
    pub(crate) starts: u8,
}

/// A program that can be run.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub(crate) code: Vec<Instruction>,
    /// For each instruction the number of its place in the source.
    pub(crate) places: Vec<u32>,
    /// For each instruction the registers that are dead before it, as a list in `dead_registers`.
    pub(crate) dead: Vec<List>,
    pub(crate) dead_registers: Vec<Register>,
    /// For each instruction where an actor may stand the variables of its function that live in registers there.
    pub(crate) live_variables: Vec<List>,
    pub(crate) live_pool: Vec<(u32, Register)>,
    pub(crate) constants: Vec<u64>,
    pub(crate) pool: Vec<Operand>,
    pub(crate) switches: Vec<SwitchTable>,
    pub(crate) calls: Vec<RoutineCall>,
    pub(crate) messages: Vec<String>,
    pub(crate) functions: Vec<Function>,
    /// The function that runs first, and what it is given.
    pub(crate) entry: u32,
    pub(crate) main_arguments: Vec<u64>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) global_words: Vec<GlobalWord>,
    /// The initial words of the variables.
    pub(crate) initial: Vec<u64>,
    /// The bytes of constants, and for each eight of them the variable.
    pub(crate) constant_bytes: Vec<u8>,
    pub(crate) constant_words: Vec<u32>,
    /// The initial words of the variables of each thread: those that others may see, and those that they may not.
    pub(crate) thread_shared: Vec<u64>,
    pub(crate) thread_private: Vec<u64>,
    /// Whether threads have an `errno`, first in their private memory.
    pub(crate) has_errno: bool,
    /// Where the keys of thread-specific values are counted, and then the function that each one's values are given to at
    /// the end of a thread. 0 if there are no keys.
    pub(crate) keys_at: u64,
    /// Where the private memory of a thread has the read-write locks that it reads under.
    pub(crate) reading_at: u64,
    /// How many objects the variables have.
    pub(crate) objects: u32,
    pub(crate) debug: Debug,
    pub(crate) features: Features,
    /// The loops that may wait.
    pub(crate) spins: Vec<Spin>,
    /// What clang calls itself.
    pub(crate) producer: Option<String>,
    pub(crate) options: crate::Options,
    /// The lines of the source files, for reports.
    pub(crate) sources: std::collections::BTreeMap<Box<str>, Vec<String>>,
}

/// What a program uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Features {
    /// Some mutex is only tried.
    pub(crate) tries: bool,
    /// The whole program may be ended.
    pub(crate) exits: bool,
    /// There are handlers that take their messages in any order.
    pub(crate) any_handlers: bool,
    /// There are handlers that take their messages in order.
    pub(crate) fifo_handlers: bool,
    /// A message may be blocked.
    pub(crate) messages_wait: bool,
    /// There are events that may happen again and again.
    pub(crate) events: bool,
    /// No loops and no recursion.
    pub(crate) terminates: bool,
    /// Atomic accesses that are weaker than sequentially consistent.
    pub(crate) relaxed: bool,
    /// Threads are made.
    pub(crate) threads: bool,
}

impl Instruction {
    /// Visits what the instruction uses.
    pub(crate) fn for_each_use(&mut self, program: &mut Pools<'_>, visit: &mut dyn FnMut(&mut Operand)) {
        use Instruction as I;
        match self {
            I::Move { src, .. } | I::Truncate { src, .. } | I::SignExtend { src, .. } | I::Convert { src, .. } => {
                visit(src)
            }
            I::Binary { left, right, .. } | I::Compare { left, right, .. } => {
                visit(left);
                visit(right);
            }
            I::Index { base, index, .. } => {
                visit(base);
                visit(index);
            }
            I::Select { condition, yes, no, .. } => {
                visit(condition);
                visit(yes);
                visit(no);
            }
            I::Branch { condition, .. } => visit(condition),
            I::Enter { kept, .. } | I::Again { kept, .. } => visit(kept),
            I::Switch { value, .. } => visit(value),
            I::Allocate { bytes, .. } => visit(bytes),
            I::Load { pointer, .. } => visit(pointer),
            I::Store { value, pointer, .. } | I::Modify { value, pointer, .. } => {
                visit(value);
                visit(pointer);
            }
            I::Exchange { pointer, operands, .. } => {
                visit(pointer);
                let at = *operands as usize;
                program.pool[at..at + 2].iter_mut().for_each(visit);
            }
            I::Call { arguments, .. } => program.pool[arguments.range()].iter_mut().for_each(visit),
            I::CallPointer { pointer, arguments, .. } => {
                visit(pointer);
                program.pool[arguments.range()].iter_mut().for_each(visit);
            }
            I::Routine { call } => {
                let range = program.calls[*call as usize].arguments.range();
                program.pool[range].iter_mut().for_each(visit);
            }
            I::Return { values } => program.pool[values.range()].iter_mut().for_each(visit),
            I::Jump { .. }
            | I::Local { .. }
            | I::ThreadLocal { .. }
            | I::Fence { .. }
            | I::AtomicBegin
            | I::AtomicEnd
            | I::Unreachable
            | I::Unsupported { .. } => {}
        }
    }

    /// Visits the registers that the instruction sets.
    pub(crate) fn for_each_result(&mut self, program: &mut Pools<'_>, visit: &mut dyn FnMut(&mut Register)) {
        use Instruction as I;
        let mut in_pool = |operands: &mut [Operand]| {
            for operand in operands {
                if let Some(mut register) = operand.as_register() {
                    visit(&mut register);
                    *operand = Operand::register(register);
                }
            }
        };
        match self {
            I::Exchange { results, .. } => in_pool(&mut program.pool[*results as usize..*results as usize + 2]),
            I::Call { results, .. } | I::CallPointer { results, .. } => in_pool(&mut program.pool[results.range()]),
            I::Routine { call } => {
                let result = &mut program.calls[*call as usize].result;
                if *result != NONE {
                    visit(result);
                }
            }
            I::Modify { dst, .. } => {
                if *dst != NONE {
                    visit(dst);
                }
            }
            I::Move { dst, .. }
            | I::Binary { dst, .. }
            | I::Compare { dst, .. }
            | I::Truncate { dst, .. }
            | I::SignExtend { dst, .. }
            | I::Convert { dst, .. }
            | I::Index { dst, .. }
            | I::Select { dst, .. }
            | I::Local { dst, .. }
            | I::ThreadLocal { dst, .. }
            | I::Allocate { dst, .. }
            | I::Load { dst, .. } => visit(dst),
            I::Jump { .. }
            | I::Branch { .. }
            | I::Switch { .. }
            | I::Store { .. }
            | I::Fence { .. }
            | I::Return { .. }
            | I::AtomicBegin
            | I::AtomicEnd
            | I::Enter { .. }
            | I::Again { .. }
            | I::Unreachable
            | I::Unsupported { .. } => {}
        }
    }

    /// Whether nothing is lost without the instruction if its result is not used.
    pub(crate) fn is_pure(&self) -> bool {
        use Instruction as I;
        match self {
            I::Binary { operation, .. } => !operation.may_fail(),
            I::Move { .. }
            | I::Compare { .. }
            | I::Truncate { .. }
            | I::SignExtend { .. }
            | I::Convert { .. }
            | I::Index { .. }
            | I::Select { .. }
            | I::Local { .. }
            | I::ThreadLocal { .. } => true,
            _ => false,
        }
    }

    /// Whether an actor may stand before the instruction, or in it.
    pub(crate) fn may_stop(&self) -> bool {
        use Instruction as I;
        matches!(
            self,
            I::Load { .. }
                | I::Store { .. }
                | I::Modify { .. }
                | I::Exchange { .. }
                | I::Call { .. }
                | I::CallPointer { .. }
                | I::Routine { .. }
                | I::AtomicBegin
        )
    }
}

/// What instructions refer to.
pub(crate) struct Pools<'p> {
    pub(crate) pool: &'p mut [Operand],
    pub(crate) calls: &'p mut [RoutineCall],
}
