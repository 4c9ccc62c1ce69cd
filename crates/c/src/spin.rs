//! Loops that wait: spin locks, flags that another thread sets, exchanges that are tried again.
//!
//! A loop waits if its rounds leave no trace: they read, they try to exchange and fail, they calculate in registers, and
//! nothing that a round calculates is used in the next one, or one variable only, which has the same value again. A round
//! of such a loop that changes nothing can be taken out of an execution, and what is left is an execution with the same later steps. So engines that follow executions
//! need no second round: an actor that has gone round once without changing anything stops there, and what it would do in a
//! later round it does in the first one of another execution. What is found here is which loops these are, in the
//! instructions of clang; whether a round changed anything is seen while it runs (`run/spinning.rs`).

use crate::ir::{Constant, Function, Operation, Value};
use crate::library::{Routine, routine};
use rustc_hash::{FxHashMap, FxHashSet};

/// A loop that may wait.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// The block that every round begins with.
    pub(crate) head: u32,
    /// For each block of the function, whether it belongs to the loop.
    body: Vec<bool>,
    /// The variable that a round sets and the next one uses: rounds are the same only if it is.
    pub(crate) kept: Option<Box<str>>,
    /// The next larger loop around it, by its number.
    pub(crate) parent: Option<usize>,
}

impl Loop {
    pub(crate) fn has(&self, block: u32) -> bool {
        self.body[block as usize]
    }
}

/// The functions that only read, try and calculate, and always return.
pub(crate) fn calm_functions<'m>(
    functions: &[(&'m Function, &FxHashSet<Box<str>>)],
    defined: &dyn Fn(&str) -> bool,
) -> FxHashSet<&'m str> {
    let mut calm: FxHashSet<&str> = FxHashSet::default();
    loop {
        let before = calm.len();
        for (function, promoted) in functions {
            let is_calm = |operation| is_calm(operation, promoted, &calm, defined);
            let mut operations =
                function.blocks.iter().flat_map(|block| &block.instructions).map(|each| &each.operation);
            let shape = FlowGraph::of(function);
            if !function.is_variadic && shape.loops().is_empty() && operations.all(is_calm) {
                calm.insert(&function.name);
            }
        }
        if calm.len() == before {
            return calm;
        }
    }
}

/// The loops of a function that may wait.
pub(crate) fn waiting_loops(
    function: &Function,
    promoted: &FxHashSet<Box<str>>,
    calm: &FxHashSet<&str>,
    defined: &dyn Fn(&str) -> bool,
) -> Vec<Loop> {
    let shape = FlowGraph::of(function);
    let mut found: Vec<Loop> = shape
        .loops()
        .into_iter()
        .filter(|(head, body)| {
            let blocks = (0..function.blocks.len()).filter(|&block| body[block]);
            let mut operations =
                blocks.flat_map(|block| &function.blocks[block].instructions).map(|instruction| &instruction.operation);
            operations.all(|operation| is_calm(operation, promoted, calm, defined) && !ends_function(operation))
                && !has_phis(function, *head)
        })
        .filter_map(|(head, body)| {
            let kept = kept(function, &shape, promoted, head, &body)?;
            // One is compared, more are not.
            let kept = match kept[..] {
                [] => None,
                [one] => Some(one.into()),
                _ => return None,
            };
            Some(Loop { head, body, kept, parent: None })
        })
        .collect();
    let size = |of: &Loop| of.body.iter().filter(|&&has| has).count();
    for number in 0..found.len() {
        let around = (0..found.len()).filter(|&other| other != number && found[other].has(found[number].head));
        found[number].parent = around.min_by_key(|&other| size(&found[other]));
    }
    found
}

fn has_phis(function: &Function, block: u32) -> bool {
    let first = function.blocks[block as usize].instructions.first();
    first.is_some_and(|first| matches!(first.operation, Operation::Phi { .. }))
}

fn ends_function(operation: &Operation) -> bool {
    matches!(operation, Operation::Return { .. })
}

/// Whether an operation leaves no trace but in registers, or none if it fails.
fn is_calm(
    operation: &Operation,
    promoted: &FxHashSet<Box<str>>,
    calm: &FxHashSet<&str>,
    defined: &dyn Fn(&str) -> bool,
) -> bool {
    match operation {
        Operation::Store { pointer: Value::Local(variable), .. } => promoted.contains(variable),
        Operation::Alloca { .. } => true,
        Operation::Call { callee: Value::Constant(Constant::Address(callee, 0)), arguments, .. } => {
            let is_known = match routine(callee, defined(callee)) {
                Some(known) => matches!(
                    known,
                    Routine::Nothing
                        | Routine::First
                        | Routine::Current
                        | Routine::SameThread
                        | Routine::TryLock
                        | Routine::TryLockC11
                        | Routine::TryReadLock
                        | Routine::TryWriteLock
                ),
                None => calm.contains(&**callee),
            };
            is_known && arguments.iter().all(|argument| argument.by_value.is_none())
        }
        Operation::Store { .. }
        | Operation::Call { .. }
        | Operation::VariableArgument { .. }
        | Operation::Unknown(_) => false,
        _ => true,
    }
}

/// Whether a promoted variable has the same constant whenever control comes to a block, as in
/// `expected = 0; while (!exchange(&lock, &expected, 1)) expected = 0;`.
fn is_constant_at(function: &Function, shape: &FlowGraph, variable: &str, at: u32) -> bool {
    /// What is known of the variable: nothing came here yet, this constant, or it differs.
    #[derive(Clone, Copy, PartialEq)]
    enum Known {
        Nothing,
        Constant(u64),
        Differs,
    }
    let last_store = |block: usize| {
        function.blocks[block].instructions.iter().rev().find_map(|instruction| match &instruction.operation {
            Operation::Store { pointer: Value::Local(name), value, .. } if **name == *variable => Some(match value {
                Value::Constant(Constant::Number(number)) => Known::Constant(*number),
                Value::Constant(Constant::Zero) => Known::Constant(0),
                _ => Known::Differs,
            }),
            _ => None,
        })
    };
    let stores: Vec<Option<Known>> = (0..function.blocks.len()).map(last_store).collect();
    let mut before = vec![Known::Nothing; stores.len()];
    before[0] = Known::Differs;
    let mut open: Vec<u32> = vec![0];
    while let Some(block) = open.pop() {
        let behind = stores[block as usize].unwrap_or(before[block as usize]);
        for &next in &shape.next[block as usize] {
            let known = &mut before[next as usize];
            let joined = match *known {
                Known::Nothing => behind,
                same if same == behind => same,
                _ => Known::Differs,
            };
            if joined != *known {
                *known = joined;
                open.push(next);
            }
        }
    }
    matches!(before[at as usize], Known::Constant(_))
}

/// The promoted variables that a round sets and the next one uses before it sets them, but for those that always have the
/// same constant there. `None`: a round makes memory of its own.
fn kept<'f>(
    function: &'f Function,
    shape: &FlowGraph,
    promoted: &FxHashSet<Box<str>>,
    head: u32,
    body: &[bool],
) -> Option<Vec<&'f str>> {
    let instructions = |block: usize| function.blocks[block].instructions.iter();
    let mut set: Vec<&str> = Vec::new();
    for block in (0..body.len()).filter(|&block| body[block]) {
        for instruction in instructions(block) {
            match &instruction.operation {
                Operation::Store { pointer: Value::Local(variable), .. } if promoted.contains(variable) => {
                    if !set.contains(&&**variable) {
                        set.push(variable);
                    }
                }
                Operation::Alloca { .. } => return None,
                _ => {}
            }
        }
    }
    // Whether a variable is used from the head on before it is set: within the loop, and behind it.
    let is_used = |variable: &str| {
        let first_use = |block: usize| {
            instructions(block).find_map(|instruction| match &instruction.operation {
                Operation::Load { pointer: Value::Local(name), .. } if **name == *variable => Some(true),
                Operation::Store { pointer: Value::Local(name), .. } if **name == *variable => Some(false),
                _ => None,
            })
        };
        let mut seen = vec![false; body.len()];
        let mut open = vec![head];
        while let Some(block) = open.pop() {
            if std::mem::replace(&mut seen[block as usize], true) {
                continue;
            }
            match first_use(block as usize) {
                Some(true) => return true,
                Some(false) => {}
                None => open.extend(&shape.next[block as usize]),
            }
        }
        false
    };
    set.retain(|&variable| is_used(variable) && !is_constant_at(function, shape, variable, head));
    Some(set)
}

/// Where control goes.
struct FlowGraph {
    next: Vec<Vec<u32>>,
    before: Vec<Vec<u32>>,
}

impl FlowGraph {
    fn of(function: &Function) -> FlowGraph {
        let numbers: FxHashMap<&str, u32> =
            function.blocks.iter().enumerate().map(|(number, block)| (&*block.name, number as u32)).collect();
        let number = |name: &str| numbers.get(name).copied();
        let mut shape = FlowGraph { next: Vec::new(), before: vec![Vec::new(); function.blocks.len()] };
        for (from, block) in function.blocks.iter().enumerate() {
            let next: Vec<u32> = match block.instructions.last().map(|last| &last.operation) {
                Some(Operation::Jump { to }) => number(to).into_iter().collect(),
                Some(Operation::Branch { yes, no, .. }) => [yes, no].into_iter().filter_map(|to| number(to)).collect(),
                Some(Operation::Switch { default, cases, .. }) => std::iter::once(default)
                    .chain(cases.iter().map(|case| &case.1))
                    .filter_map(|to| number(to))
                    .collect(),
                _ => Vec::new(),
            };
            next.iter().for_each(|&to| shape.before[to as usize].push(from as u32));
            shape.next.push(next);
        }
        shape
    }

    /// The loops that are entered at one block only: that block, and the body.
    fn loops(&self) -> Vec<(u32, Vec<bool>)> {
        let mut ends: Vec<(u32, Vec<u32>)> = Vec::new();
        for (from, head) in self.edges_back() {
            match ends.iter_mut().find(|(known, _)| *known == head) {
                Some((_, known)) => known.push(from),
                None => ends.push((head, vec![from])),
            }
        }
        let mut loops = Vec::new();
        for (head, ends) in ends {
            let mut body = vec![false; self.next.len()];
            body[head as usize] = true;
            let mut open = ends;
            while let Some(block) = open.pop() {
                if !std::mem::replace(&mut body[block as usize], true) {
                    open.extend(&self.before[block as usize]);
                }
            }
            // With another way into it, the walk back comes to the function's beginning.
            if head == 0 || !body[0] {
                loops.push((head, body));
            }
        }
        loops
    }

    /// The edges to a block that is being visited, in a walk from the first block on.
    fn edges_back(&self) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        let mut marks = vec![0u8; self.next.len()];
        let mut stack: Vec<(u32, usize)> = Vec::new();
        if !marks.is_empty() {
            marks[0] = 1;
            stack.push((0, 0));
        }
        while let Some((block, number)) = stack.last_mut() {
            let (from, next) = (*block, self.next[*block as usize].get(*number).copied());
            *number += 1;
            match next {
                None => {
                    marks[from as usize] = 2;
                    stack.pop();
                }
                Some(to) => match marks[to as usize] {
                    0 => {
                        marks[to as usize] = 1;
                        stack.push((to, 0));
                    }
                    1 => found.push((from, to)),
                    _ => {}
                },
            }
        }
        found
    }
}
