//! Which local variables are visible, and where they live.
//!
//! Every method, every closure and the script's top level has a frame of its own. A closure that uses a variable of the
//! code around it gets a slot for it too, and the variable is marked as captured: it then lives in a cell that both share.

use crate::tree::{Declared, Slot, Symbol, Variable};
use std::sync::Arc;

/// A visible local variable.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) name: Symbol,
    pub(super) declared: Declared,
    /// The declared class, where it changes the values that are assigned.
    pub(super) class: Option<Arc<str>>,
}

/// What is known about a frame when its code has been read.
pub(super) struct FrameLayout {
    pub(super) slots: u16,
    pub(super) captures: Vec<(Slot, Slot)>,
}

#[derive(Default)]
struct OpenFunction {
    blocks: Vec<Vec<Local>>,
    slots: u16,
    captures: Vec<(Slot, Local)>,
    /// A closure sees the variables of the code around it, a method does not.
    closure: bool,
}

/// All functions that enclose the present place.
#[derive(Default)]
pub(super) struct Scopes {
    functions: Vec<OpenFunction>,
    captured: Vec<bool>,
}

impl Scopes {
    pub(super) fn enter_method(&mut self) {
        self.functions.push(OpenFunction { blocks: vec![Vec::new()], ..OpenFunction::default() });
    }

    pub(super) fn enter_closure(&mut self) {
        self.functions.push(OpenFunction { blocks: vec![Vec::new()], closure: true, ..OpenFunction::default() });
    }

    /// Leaves a method or closure.
    pub(super) fn leave(&mut self) -> FrameLayout {
        let function = self.functions.pop().unwrap_or_default();
        let captures = function.captures.into_iter().map(|(outer, local)| (outer, local.declared.slot)).collect();
        FrameLayout { slots: function.slots, captures }
    }

    pub(super) fn enter_block(&mut self) {
        if let Some(function) = self.functions.last_mut() {
            function.blocks.push(Vec::new());
        }
    }

    pub(super) fn leave_block(&mut self) {
        if let Some(function) = self.functions.last_mut() {
            function.blocks.pop();
        }
    }

    /// Declares a variable in the innermost block; `None` if a frame cannot hold that many.
    pub(super) fn declare(&mut self, name: Symbol, class: Option<Arc<str>>) -> Option<Declared> {
        let variable = Variable(u32::try_from(self.captured.len()).ok()?);
        let function = self.functions.last_mut()?;
        let slot = function.slots;
        function.slots = slot.checked_add(1)?;
        self.captured.push(false);
        let declared = Declared { slot, variable };
        function.blocks.last_mut()?.push(Local { name, declared, class });
        Some(declared)
    }

    /// The variable that a name means here.
    pub(super) fn resolve(&mut self, name: Symbol) -> Option<Local> {
        self.resolve_in(self.functions.len().checked_sub(1)?, name)
    }

    fn resolve_in(&mut self, index: usize, name: Symbol) -> Option<Local> {
        let function = &self.functions[index];
        let own = function.blocks.iter().rev().flat_map(|block| block.iter().rev()).find(|local| local.name == name);
        if let Some(local) = own {
            return Some(local.clone());
        }
        if !function.closure {
            return None;
        }
        let outer = self.resolve_in(index.checked_sub(1)?, name)?;
        self.capture(index, outer)
    }

    /// Gives a closure its own slot for a variable of the code around it.
    fn capture(&mut self, index: usize, outer: Local) -> Option<Local> {
        let function = &mut self.functions[index];
        let variable = outer.declared.variable;
        if let Some((_, known)) = function.captures.iter().find(|(_, local)| local.declared.variable == variable) {
            return Some(known.clone());
        }
        let slot = function.slots;
        function.slots = slot.checked_add(1)?;
        let local = Local { declared: Declared { slot, variable }, ..outer.clone() };
        function.captures.push((outer.declared.slot, local.clone()));
        if let Some(captured) = self.captured.get_mut(variable.0 as usize) {
            *captured = true;
        }
        Some(local)
    }

    /// For every variable of the script whether a closure shares it.
    pub(super) fn captured(&self) -> Box<[bool]> {
        self.captured.clone().into()
    }
}
