//! Which local variables can be registers, and which no other thread can ever see.
//!
//! A variable is **promoted** to a register if it is a scalar that is only loaded and stored as a whole. Of the others, one is
//! **private** if its address goes nowhere but into accesses, addresses of its parts, promoted variables, and
//! functions that do not keep it. Accesses of private memory are invisible to others, so they take no steps of their own.
//! What functions do with the addresses that they are given is found out for all of them at once: at first nothing is kept,
//! and what is found to be kept is added until nothing changes.

use crate::ir::{Function, Operation, Type, Types, Value};
use crate::library::routine;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a function does with an address that it is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fate {
    /// Others may come to know it.
    pub(crate) escapes: bool,
    /// It is returned.
    pub(crate) returned: bool,
}

/// What is known of a function's parameters.
pub(crate) type Fates = Vec<Fate>;

/// What is known of a function's local variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locals {
    pub(crate) promoted: FxHashSet<Box<str>>,
    pub(crate) private: FxHashSet<Box<str>>,
}

/// One use of a local value.
#[derive(Clone, Copy)]
struct Use {
    block: u32,
    instruction: u32,
}

/// Looks at one function.
pub(crate) struct Analysis<'f> {
    function: &'f Function,
    uses: FxHashMap<&'f str, Vec<Use>>,
    pub(crate) promoted: FxHashSet<Box<str>>,
}

impl<'f> Analysis<'f> {
    /// `promotes`: whether any variable is to be a register.
    pub(crate) fn new(function: &'f Function, types: &Types, promotes: bool) -> Self {
        let mut uses: FxHashMap<&str, Vec<Use>> = FxHashMap::default();
        for (block, content) in function.blocks.iter().enumerate() {
            for (instruction, content) in content.instructions.iter().enumerate() {
                let here = Use { block: block as u32, instruction: instruction as u32 };
                for_each_value(&content.operation, &mut |value| {
                    if let Value::Local(name) = value {
                        uses.entry(name).or_default().push(here);
                    }
                });
            }
        }
        let mut analysis = Analysis { function, uses, promoted: FxHashSet::default() };
        for (name, ty, count) in analysis.allocations() {
            let is_one = count.is_none_or(|value| *value == Value::Constant(crate::ir::Constant::Number(1)));
            if promotes && is_one && types.width(ty).is_some() && analysis.is_register(name, ty) {
                analysis.promoted.insert(name.into());
            }
        }
        analysis
    }

    fn allocations(&self) -> Vec<(&'f str, &'f Type, Option<&'f Value>)> {
        let instructions = self.function.blocks.iter().flat_map(|block| &block.instructions);
        let allocations = instructions.filter_map(|instruction| match &instruction.operation {
            Operation::Alloca { ty, count } => {
                Some((instruction.result.as_deref()?, ty, count.as_ref().map(|(_, value)| value)))
            }
            _ => None,
        });
        allocations.collect()
    }

    fn operation(&self, of: Use) -> (&'f Operation, Option<&'f str>) {
        let function: &'f Function = self.function;
        let instruction = &function.blocks[of.block as usize].instructions[of.instruction as usize];
        (&instruction.operation, instruction.result.as_deref())
    }

    /// Whether a variable is only loaded and stored as a whole.
    fn is_register(&self, name: &str, of: &Type) -> bool {
        let is = |value: &Value| matches!(value, Value::Local(local) if **local == *name);
        self.uses.get(name).into_iter().flatten().all(|&place| match self.operation(place).0 {
            Operation::Load { ty, order: crate::ir::Order::None, .. } => ty == of,
            Operation::Store { ty, value, order: crate::ir::Order::None, .. } => ty == of && !is(value),
            _ => false,
        })
    }

    /// What becomes of an address that begins as the local value `root`.
    pub(crate) fn fate(&self, root: &str, fates: &FxHashMap<&str, Fates>, defined: &dyn Fn(&str) -> bool) -> Fate {
        let mut fate = Fate::default();
        let mut derived: FxHashSet<&str> = FxHashSet::default();
        let mut open: Vec<&str> = Vec::new();
        if let Some((name, _)) = self.uses.get_key_value(root) {
            derived.insert(name);
            open.push(name);
        }
        while let Some(name) = open.pop() {
            let is = |value: &Value| matches!(value, Value::Local(local) if **local == *name);
            let mut next: Vec<&'f str> = Vec::new();
            for &place in self.uses.get(name).into_iter().flatten() {
                let (operation, result) = self.operation(place);
                match operation {
                    Operation::Load { .. }
                    | Operation::Compare { .. }
                    | Operation::Branch { .. }
                    | Operation::Switch { .. } => {}
                    Operation::Store { value, pointer, .. } => {
                        if is(value) {
                            match pointer {
                                Value::Local(variable) if self.promoted.contains(variable) => {
                                    next.extend(self.loads_of(variable));
                                }
                                _ => fate.escapes = true,
                            }
                        }
                    }
                    Operation::ReadModifyWrite { value, .. } => fate.escapes |= is(value),
                    Operation::CompareExchange { expected, new, .. } => fate.escapes |= is(expected) || is(new),
                    Operation::Element { .. }
                    | Operation::Cast { .. }
                    | Operation::Phi { .. }
                    | Operation::Select { .. }
                    | Operation::Binary { .. } => next.extend(result),
                    Operation::Return { .. } => fate.returned = true,
                    Operation::VariableArgument { .. } => {}
                    Operation::Call { callee, arguments, .. } => {
                        let callee = match callee {
                            Value::Constant(crate::ir::Constant::Address(callee, 0)) => Some(&**callee),
                            _ => None,
                        };
                        for (number, argument) in arguments.iter().enumerate() {
                            if !is(&argument.value) || argument.by_value.is_some() {
                                continue;
                            }
                            let does = callee.map_or(Fate { escapes: true, returned: true }, |callee| {
                                given(callee, number, fates, defined)
                            });
                            fate.escapes |= does.escapes;
                            if does.returned {
                                next.extend(result);
                            }
                        }
                        fate.escapes |= callee.is_none() && !arguments.iter().any(|argument| is(&argument.value));
                    }
                    _ => fate.escapes = true,
                }
            }
            for value in next {
                if derived.insert(value) {
                    open.push(value);
                }
            }
            if fate.escapes && fate.returned {
                break;
            }
        }
        fate
    }

    /// The values that are loaded from a variable.
    fn loads_of(&self, variable: &str) -> Vec<&'f str> {
        let places = self.uses.get(variable).into_iter().flatten();
        places
            .filter_map(|&place| match self.operation(place) {
                (Operation::Load { .. }, result) => result,
                _ => None,
            })
            .collect()
    }

    /// What is known of the local variables, given what functions do with their parameters.
    pub(crate) fn locals(self, fates: &FxHashMap<&str, Fates>, defined: &dyn Fn(&str) -> bool) -> Locals {
        let others =
            self.allocations().into_iter().map(|(name, ..)| name).filter(|name| !self.promoted.contains(*name));
        let private =
            others.filter(|name| self.fate(name, fates, defined) == Fate::default()).map(Into::into).collect();
        Locals { private, promoted: self.promoted }
    }
}

/// What a function does with one of its arguments.
fn given(callee: &str, number: usize, fates: &FxHashMap<&str, Fates>, defined: &dyn Fn(&str) -> bool) -> Fate {
    if let Some(routine) = routine(callee, defined(callee)) {
        let escapes = number >= 32 || routine.keeps() >> number & 1 == 1;
        return Fate { escapes, returned: number == 0 && routine.returns_first() };
    }
    let unknown = Fate { escapes: true, returned: true };
    fates.get(callee).and_then(|fates| fates.get(number)).copied().unwrap_or(unknown)
}

/// Finds out what functions do with their parameters, of all modules at once. Functions of one name in several modules are
/// taken for one that does what any of them does.
pub(crate) fn fates<'m>(analyses: &[Analysis<'m>], defined: &dyn Fn(&str) -> bool) -> FxHashMap<&'m str, Fates> {
    let mut known: FxHashMap<&'m str, Fates> = FxHashMap::default();
    for analysis in analyses {
        let function: &'m Function = analysis.function;
        let fates = known.entry(&*function.name).or_default();
        if fates.len() < function.parameters.len() {
            fates.resize(function.parameters.len(), Fate::default());
        }
    }
    loop {
        let mut changed = false;
        for analysis in analyses {
            let function: &'m Function = analysis.function;
            for (number, parameter) in function.parameters.iter().enumerate() {
                let before = known[&*function.name][number];
                if before.escapes && before.returned {
                    continue;
                }
                let after = analysis.fate(&parameter.name, &known, defined);
                let joined =
                    Fate { escapes: before.escapes || after.escapes, returned: before.returned || after.returned };
                if joined != before {
                    changed = true;
                    if let Some(fates) = known.get_mut(&*function.name) {
                        fates[number] = joined;
                    }
                }
            }
        }
        if !changed {
            return known;
        }
    }
}

/// Visits the values that an operation uses.
pub(crate) fn for_each_value<'o>(operation: &'o Operation, visit: &mut dyn FnMut(&'o Value)) {
    match operation {
        Operation::Alloca { count, .. } => count.iter().for_each(|(_, value)| visit(value)),
        Operation::Load { pointer, .. } => visit(pointer),
        Operation::Store { value, pointer, .. } | Operation::ReadModifyWrite { value, pointer, .. } => {
            visit(value);
            visit(pointer);
        }
        Operation::CompareExchange { pointer, expected, new, .. } => {
            visit(pointer);
            visit(expected);
            visit(new);
        }
        Operation::Binary { left, right, .. } | Operation::Compare { left, right, .. } => {
            visit(left);
            visit(right);
        }
        Operation::Negate { value, .. } | Operation::Cast { value, .. } | Operation::Extract { value, .. } => {
            visit(value)
        }
        Operation::Element { base, indices, .. } => {
            visit(base);
            indices.iter().for_each(|(_, index)| visit(index));
        }
        Operation::Select { condition, yes, no, .. } => {
            visit(condition);
            visit(yes);
            visit(no);
        }
        Operation::Phi { incoming, .. } => incoming.iter().for_each(|(value, _)| visit(value)),
        Operation::Insert { value, element, .. } => {
            visit(value);
            visit(element);
        }
        Operation::Call { callee, arguments, .. } => {
            visit(callee);
            arguments.iter().for_each(|argument| visit(&argument.value));
        }
        Operation::VariableArgument { list, .. } => visit(list),
        Operation::Branch { condition, .. } => visit(condition),
        Operation::Switch { value, .. } => visit(value),
        Operation::Return { value, .. } => value.iter().for_each(visit),
        Operation::Fence { .. } | Operation::Jump { .. } | Operation::Unreachable | Operation::Unknown(_) => {}
    }
}
