//! What a program uses, found in its code: how its actors may wait, and whether it may go on for ever.

use crate::code::{Body, Features, Function, Instruction as I, Pools, Program, RoutineCall};
use crate::ir::Order;
use crate::library::Routine;
use crate::memory::{FUNCTIONS, offset, space};
use rustc_hash::FxHashSet;

/// The function that a number is the address of.
fn function_at(value: u64) -> Option<u32> {
    (space(value) == FUNCTIONS).then(|| offset(value) as u32)
}

impl RoutineCall {
    /// Which argument is a function that is run in an actor of its own, and goes nowhere else.
    fn runs(&self) -> Option<usize> {
        match self.routine {
            Routine::Create => Some(2),
            Routine::CreateC11 | Routine::Post | Routine::QPost | Routine::QCreate | Routine::Event => Some(1),
            _ => None,
        }
    }
}

impl Program {
    /// Finds out what the program uses.
    pub(crate) fn learn_features(&mut self) {
        let mut features = Features { terminates: !self.may_repeat(), ..self.features };
        for instruction in &self.code {
            match *instruction {
                I::Routine { call } => match self.calls[call as usize].routine {
                    Routine::TryLock | Routine::TryLockC11 | Routine::TimedLock | Routine::TimedLockC11 => {
                        features.tries = true
                    }
                    Routine::Exit => features.exits = true,
                    Routine::HandlerAny | Routine::QCreate => features.any_handlers = true,
                    Routine::HandlerFifo => features.fifo_handlers = true,
                    Routine::Event => features.events = true,
                    Routine::Create | Routine::CreateC11 => features.threads = true,
                    _ => {}
                },
                I::Load { order, .. }
                | I::Store { order, .. }
                | I::Modify { order, .. }
                | I::Exchange { order, .. } => {
                    features.relaxed |= order != Order::None && order != Order::Sequential;
                }
                _ => {}
            }
        }
        features.messages_wait = (features.any_handlers || features.fifo_handlers) && self.messages_may_wait();
        self.features = features;
    }

    /// Whether a function that is posted, or one that it calls, may be blocked.
    fn messages_may_wait(&mut self) -> bool {
        let by_pointer = self.called_by_pointer();
        let mut open: Vec<u32> = Vec::new();
        for call in self.calls.iter().filter(|call| matches!(call.routine, Routine::Post | Routine::QPost)) {
            let function = call.runs().and_then(|index| self.pool[call.arguments.range()].get(index)?.index().err());
            match function.and_then(|number| function_at(self.constants[number])) {
                Some(function) => open.push(function),
                None => open.extend(&by_pointer),
            }
        }
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        while let Some(number) = open.pop() {
            let Some(function) = self.functions.get(number as usize).filter(|_| seen.insert(number)) else { continue };
            let entry = match function.body {
                Body::Code(entry) => entry,
                Body::Routine(routine) if routine.may_block() => return true,
                _ => continue,
            };
            for instruction in &self.code[entry as usize..function.end as usize] {
                match *instruction {
                    I::Routine { call } if self.calls[call as usize].routine.may_block() => return true,
                    I::Call { function, .. } => open.push(function),
                    I::CallPointer { .. } => open.extend(&by_pointer),
                    _ => {}
                }
            }
        }
        false
    }

    /// The functions that a pointer may lead to: those whose address stands in memory at first, or in an instruction
    /// that does not hand it straight to what runs the function in an actor of its own.
    fn called_by_pointer(&mut self) -> FxHashSet<u32> {
        let Program { code, constants, pool, calls, initial, constant_bytes, functions, .. } = self;
        let memory = [bytemuck::cast_slice(initial), &constant_bytes[..]];
        let words = memory.iter().flat_map(|bytes| bytes.windows(8));
        let in_memory = words.filter_map(|word| function_at(u64::from_le_bytes(word.try_into().ok()?)));
        let mut found: FxHashSet<u32> = in_memory.filter(|&function| (function as usize) < functions.len()).collect();
        let mut pools = Pools { pool, calls };
        for instruction in code {
            let runs = match *instruction {
                I::Routine { call } => pools.calls[call as usize].runs(),
                _ => None,
            };
            let mut index = 0;
            instruction.for_each_use(&mut pools, &mut |operand| {
                if runs != Some(index) {
                    found.extend(operand.index().err().and_then(|number| function_at(constants[number])));
                }
                index += 1;
            });
        }
        found
    }

    /// Whether the code has a loop or a recursion.
    fn may_repeat(&self) -> bool {
        let backwards = self.code.iter().enumerate().any(|(pc, instruction)| {
            let pc = pc as u32;
            match *instruction {
                I::Jump { to } => to <= pc,
                I::Branch { yes, no, .. } => yes <= pc || no <= pc,
                I::Switch { table, .. } => {
                    let table = &self.switches[table as usize];
                    table.default <= pc || table.cases.iter().any(|case| case.1 <= pc)
                }
                _ => false,
            }
        });
        backwards
            || self.recurses()
            || self.calls.iter().any(|call| matches!(call.routine, Routine::Post | Routine::QPost | Routine::Event))
    }

    /// Whether a function may be called, or run by a thread, while it runs.
    fn recurses(&self) -> bool {
        let mut marks = vec![0u8; self.functions.len()];
        let targets = |function: &Function| -> Vec<u32> {
            let Body::Code(entry) = function.body else { return Vec::new() };
            let code = &self.code[entry as usize..function.end as usize];
            let mut targets: Vec<u32> = Vec::new();
            for instruction in code {
                match *instruction {
                    I::Call { function, .. } => targets.push(function),
                    // Anything may be called.
                    I::CallPointer { .. } => return (0..self.functions.len() as u32).collect(),
                    I::Routine { call }
                        if matches!(self.calls[call as usize].routine, Routine::Create | Routine::CreateC11) =>
                    {
                        let arguments = &self.pool[self.calls[call as usize].arguments.range()];
                        let constants = arguments.iter().filter_map(|argument| argument.index().err());
                        targets.extend(constants.filter_map(|number| function_at(self.constants[number])));
                    }
                    _ => {}
                }
            }
            targets
        };
        let mut stack: Vec<(u32, Vec<u32>)> = Vec::new();
        for root in 0..self.functions.len() as u32 {
            if marks[root as usize] != 0 {
                continue;
            }
            marks[root as usize] = 1;
            stack.push((root, targets(&self.functions[root as usize])));
            while let Some((function, open)) = stack.last_mut() {
                match open.pop() {
                    None => {
                        marks[*function as usize] = 2;
                        stack.pop();
                    }
                    Some(next) => match marks.get(next as usize) {
                        Some(0) => {
                            marks[next as usize] = 1;
                            stack.push((next, targets(&self.functions[next as usize])));
                        }
                        Some(1) => return true,
                        _ => {}
                    },
                }
            }
        }
        false
    }
}
