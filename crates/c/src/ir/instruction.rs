//! The instructions of a function, as the text has them.

use super::cursor::{Cursor, FLAGS, Value};
use super::token::Token;
use super::types::Type;

/// How an access orders others; `None` where it is not atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Order {
    None,
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    Sequential,
}

impl Order {
    pub(crate) fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcquireRelease | Order::Sequential)
    }

    pub(crate) fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcquireRelease | Order::Sequential)
    }
}

/// What an instruction does.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Alloca {
        ty: Type,
        count: Option<(Type, Value)>,
    },
    Load {
        ty: Type,
        pointer: Value,
        order: Order,
    },
    Store {
        ty: Type,
        value: Value,
        pointer: Value,
        order: Order,
    },
    ReadModifyWrite {
        operation: Box<str>,
        pointer: Value,
        ty: Type,
        value: Value,
        order: Order,
    },
    CompareExchange {
        pointer: Value,
        ty: Type,
        expected: Value,
        new: Value,
        order: Order,
        failure: Order,
    },
    Fence {
        order: Order,
    },
    Binary {
        operation: Box<str>,
        ty: Type,
        left: Value,
        right: Value,
    },
    Negate {
        ty: Type,
        value: Value,
    },
    Compare {
        is_float: bool,
        predicate: Box<str>,
        ty: Type,
        left: Value,
        right: Value,
    },
    Cast {
        operation: Box<str>,
        from: Type,
        value: Value,
        to: Type,
    },
    Element {
        ty: Type,
        base: Value,
        indices: Vec<(Type, Value)>,
    },
    Select {
        condition: Value,
        ty: Type,
        yes: Value,
        no: Value,
    },
    Phi {
        ty: Type,
        incoming: Vec<(Value, Box<str>)>,
    },
    Extract {
        ty: Type,
        value: Value,
        path: Vec<u64>,
    },
    Insert {
        ty: Type,
        value: Value,
        element_type: Type,
        element: Value,
        path: Vec<u64>,
    },
    Call {
        result: Type,
        callee: Value,
        arguments: Vec<Argument>,
    },
    VariableArgument {
        list: Value,
        ty: Type,
    },
    Jump {
        to: Box<str>,
    },
    Branch {
        condition: Value,
        yes: Box<str>,
        no: Box<str>,
    },
    Switch {
        ty: Type,
        value: Value,
        default: Box<str>,
        cases: Vec<(u64, Box<str>)>,
    },
    Return {
        ty: Type,
        value: Option<Value>,
    },
    Unreachable,
    /// What this reader does not know: the name of the instruction.
    Unknown(Box<str>),
}

/// What is given to a function.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub(crate) ty: Type,
    pub(crate) value: Value,
    /// The type of a structure that is passed as a pointer to a copy.
    pub(crate) by_value: Option<Type>,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub(crate) result: Option<Box<str>>,
    pub(crate) operation: Operation,
    /// The number of its debug location.
    pub(crate) debug: Option<u32>,
}

/// Reads an instruction. One that is not understood is [`Operation::Unknown`].
pub(crate) fn instruction(cursor: &mut Cursor<'_>) -> Option<Instruction> {
    let result = match cursor.tokens {
        [Token::Local(name), Token::Sign(b'='), ..] => {
            cursor.at = 2;
            Some(name.clone())
        }
        _ => None,
    };
    cursor.skip_words(&["tail", "musttail", "notail"]);
    let Some(Token::Word(name)) = cursor.peek() else { return None };
    cursor.at += 1;
    let operation = operation(name, cursor).unwrap_or_else(|| Operation::Unknown(name.clone()));
    Some(Instruction { result, operation, debug: debug_location(cursor.tokens) })
}

/// The number behind `!dbg`.
pub(crate) fn debug_location(tokens: &[Token]) -> Option<u32> {
    let at = tokens.iter().rposition(|token| matches!(token, Token::Meta(name) if &**name == "dbg"))?;
    match tokens.get(at + 1)? {
        Token::Meta(number) => number.parse().ok(),
        _ => None,
    }
}

fn operation(name: &str, cursor: &mut Cursor<'_>) -> Option<Operation> {
    Some(match name {
        "alloca" => {
            cursor.eat_word("inalloca");
            let ty = cursor.ty()?;
            let has_count = cursor.eat(b',') && cursor.word() != "align" && cursor.word() != "addrspace";
            let count = if has_count && cursor.word().starts_with('i') { Some(cursor.typed()?) } else { None };
            Operation::Alloca { ty, count }
        }
        "load" => {
            let is_atomic = cursor.eat_word("atomic");
            cursor.eat_word("volatile");
            let ty = cursor.ty()?;
            cursor.eat(b',');
            let (_, pointer) = cursor.typed()?;
            Operation::Load { ty, pointer, order: order(cursor, is_atomic) }
        }
        "store" => {
            let is_atomic = cursor.eat_word("atomic");
            cursor.eat_word("volatile");
            let (ty, value) = cursor.typed()?;
            cursor.eat(b',');
            let (_, pointer) = cursor.typed()?;
            Operation::Store { ty, value, pointer, order: order(cursor, is_atomic) }
        }
        "atomicrmw" => {
            cursor.eat_word("volatile");
            let Token::Word(operation) = cursor.next()? else { return None };
            let (_, pointer) = cursor.typed()?;
            cursor.eat(b',');
            let (ty, value) = cursor.typed()?;
            Operation::ReadModifyWrite { operation: operation.clone(), pointer, ty, value, order: order(cursor, true) }
        }
        "cmpxchg" => {
            cursor.skip_words(FLAGS);
            let (_, pointer) = cursor.typed()?;
            cursor.eat(b',');
            let (ty, expected) = cursor.typed()?;
            cursor.eat(b',');
            let (_, new) = cursor.typed()?;
            let success = order(cursor, true);
            let failure = order(cursor, true);
            Operation::CompareExchange { pointer, ty, expected, new, order: success, failure }
        }
        "fence" => Operation::Fence { order: order(cursor, true) },
        "icmp" | "fcmp" => {
            cursor.skip_words(FLAGS);
            let Token::Word(predicate) = cursor.next()? else { return None };
            let (ty, left) = cursor.typed()?;
            cursor.eat(b',');
            let right = cursor.value(&ty)?;
            Operation::Compare { is_float: name == "fcmp", predicate: predicate.clone(), ty, left, right }
        }
        "trunc" | "zext" | "sext" | "bitcast" | "inttoptr" | "ptrtoint" | "sitofp" | "uitofp" | "fptosi" | "fptoui"
        | "fpext" | "fptrunc" | "addrspacecast" => {
            cursor.skip_words(FLAGS);
            let (from, value) = cursor.typed()?;
            if !cursor.eat_word("to") {
                return None;
            }
            Operation::Cast { operation: name.into(), from, value, to: cursor.ty()? }
        }
        "freeze" => {
            let (from, value) = cursor.typed()?;
            Operation::Cast { operation: "bitcast".into(), to: from.clone(), from, value }
        }
        "getelementptr" => {
            cursor.skip_words(FLAGS);
            let ty = cursor.ty()?;
            cursor.eat(b',');
            let (_, base) = cursor.typed()?;
            let mut indices = Vec::new();
            while cursor.eat(b',') && !matches!(cursor.peek(), Some(Token::Meta(_))) {
                indices.push(cursor.typed()?);
            }
            Operation::Element { ty, base, indices }
        }
        "select" => {
            cursor.skip_words(FLAGS);
            let (_, condition) = cursor.typed()?;
            cursor.eat(b',');
            let (ty, yes) = cursor.typed()?;
            cursor.eat(b',');
            let (_, no) = cursor.typed()?;
            Operation::Select { condition, ty, yes, no }
        }
        "phi" => {
            cursor.skip_words(FLAGS);
            let ty = cursor.ty()?;
            let mut incoming = Vec::new();
            while cursor.eat(b'[') {
                let value = cursor.value(&ty)?;
                cursor.eat(b',');
                incoming.push((value, cursor.label()?));
                cursor.eat(b']');
                cursor.eat(b',');
            }
            Operation::Phi { ty, incoming }
        }
        "extractvalue" => {
            let (ty, value) = cursor.typed()?;
            Operation::Extract { ty, value, path: path(cursor)? }
        }
        "insertvalue" => {
            let (ty, value) = cursor.typed()?;
            cursor.eat(b',');
            let (element_type, element) = cursor.typed()?;
            Operation::Insert { ty, value, element_type, element, path: path(cursor)? }
        }
        "call" => call(cursor)?,
        "va_arg" => {
            let (_, list) = cursor.typed()?;
            cursor.eat(b',');
            Operation::VariableArgument { list, ty: cursor.ty()? }
        }
        "br" if cursor.word() == "label" => Operation::Jump { to: cursor.label()? },
        "br" => {
            let (_, condition) = cursor.typed()?;
            cursor.eat(b',');
            let yes = cursor.label()?;
            cursor.eat(b',');
            Operation::Branch { condition, yes, no: cursor.label()? }
        }
        "switch" => {
            let (ty, value) = cursor.typed()?;
            cursor.eat(b',');
            let default = cursor.label()?;
            let mut cases = Vec::new();
            cursor.eat(b'[');
            while !cursor.eat(b']') {
                let (_, case) = cursor.typed()?;
                let Value::Constant(super::cursor::Constant::Number(case)) = case else { return None };
                cursor.eat(b',');
                cases.push((case, cursor.label()?));
            }
            Operation::Switch { ty, value, default, cases }
        }
        "ret" => match cursor.ty()? {
            Type::Void => Operation::Return { ty: Type::Void, value: None },
            ty => {
                let value = Some(cursor.value(&ty)?);
                Operation::Return { ty, value }
            }
        },
        "unreachable" => Operation::Unreachable,
        "fneg" => {
            cursor.skip_words(FLAGS);
            let (ty, value) = cursor.typed()?;
            Operation::Negate { ty, value }
        }
        "add" | "sub" | "mul" | "udiv" | "sdiv" | "urem" | "srem" | "shl" | "lshr" | "ashr" | "and" | "or" | "xor"
        | "fadd" | "fsub" | "fmul" | "fdiv" | "frem" => {
            cursor.skip_words(FLAGS);
            let (ty, left) = cursor.typed()?;
            cursor.eat(b',');
            let right = cursor.value(&ty)?;
            Operation::Binary { operation: name.into(), ty, left, right }
        }
        _ => return None,
    })
}

fn path(cursor: &mut Cursor<'_>) -> Option<Vec<u64>> {
    let mut path = Vec::new();
    while cursor.eat(b',') && !matches!(cursor.peek(), Some(Token::Meta(_))) {
        path.push(cursor.number()?);
    }
    Some(path)
}

fn call(cursor: &mut Cursor<'_>) -> Option<Operation> {
    let mut result = loop {
        if let Some(ty) = cursor.ty() {
            break ty;
        }
        // Calling conventions and attributes.
        match cursor.next()? {
            Token::Word(_) => cursor.skip_parenthesis(),
            Token::Attributes(_) | Token::Text(_) => {}
            _ => return None,
        }
    };
    // A function type stands for what it returns only up to its parenthesis, which was skipped with it.
    if result == Type::Function {
        result = returned(cursor)?;
    }
    let callee = cursor.value(&Type::Pointer)?;
    cursor.eat(b'(');
    let mut arguments = Vec::new();
    while !cursor.eat(b')') {
        let ty = cursor.ty()?;
        let by_value = cursor.attributes();
        // `metadata i32* %x`
        let value = match ty {
            Type::Other if !matches!(cursor.peek(), Some(Token::Meta(_))) => {
                let inner = cursor.ty()?;
                cursor.value(&inner)?
            }
            _ => cursor.value(&ty)?,
        };
        arguments.push(Argument { ty, value, by_value });
        cursor.eat(b',');
    }
    Some(Operation::Call { result, callee, arguments })
}

/// What a function of the type that ends here returns.
fn returned(cursor: &Cursor<'_>) -> Option<Type> {
    let mut again = Cursor::new(cursor.tokens, cursor.types);
    let call = cursor.tokens.iter().position(|token| token.is_word("call"))?;
    // The parenthesis of the parameters is the last one before the callee.
    let mut open = 0u32;
    let mut begin = cursor.at;
    while begin > call {
        begin -= 1;
        match cursor.tokens[begin] {
            Token::Sign(b')') => open += 1,
            Token::Sign(b'(') if open <= 1 => break,
            Token::Sign(b'(') => open -= 1,
            _ => {}
        }
    }
    let before = &cursor.tokens[..begin];
    again.tokens = before;
    again.at = call + 1;
    loop {
        if let Some(ty) = again.ty() {
            return Some(ty);
        }
        if let Token::Word(_) = again.next()? {
            again.skip_parenthesis();
        }
    }
}

/// The memory order that stands next, if the instruction is atomic.
fn order(cursor: &mut Cursor<'_>, is_atomic: bool) -> Order {
    if !is_atomic {
        return Order::None;
    }
    while let Some(token) = cursor.next() {
        let Token::Word(word) = token else { continue };
        return match &**word {
            "monotonic" | "unordered" => Order::Relaxed,
            "acquire" => Order::Acquire,
            "release" => Order::Release,
            "acq_rel" => Order::AcquireRelease,
            "seq_cst" => Order::Sequential,
            _ => continue,
        };
    }
    Order::Sequential
}
