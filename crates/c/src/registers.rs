//! From many registers to few: copies are followed, what is not used is dropped, and registers that are never needed at the
//! same time share one. For each place where an actor may stand it is noted which registers are dead there: they are set
//! to 0, so that equal futures are equal states.

use crate::code::{Home, Instruction as I, List, LocalVariable, NONE, Operand, Pc, Pools, Program, Register};
use rustc_hash::FxHashMap;

/// What a function came to.
pub(crate) struct FunctionSize {
    pub(crate) instructions: u32,
    pub(crate) registers: u32,
}

/// How often dropping an instruction is followed by a look for others.
const ROUNDS: usize = 4;

/// Finishes the code of a function, whose targets are numbers of blocks, and adds it to the program.
#[expect(clippy::too_many_arguments, reason = "they are what a function's code is made of")]
pub(crate) fn finish(
    program: &mut Program,
    code: Vec<I>,
    places: Vec<u32>,
    starts: &[Pc],
    registers: u32,
    parameters: u32,
    first_pool: usize,
    variables: &mut [LocalVariable],
) -> FunctionSize {
    let mut body = Draft { code, places, shown: Vec::new(), registers: registers as usize };
    // Whatever is missing at the end of the text must not be run into.
    body.code.push(I::Unreachable);
    body.places.push(body.places.last().copied().unwrap_or(NONE));
    let at_start = |block: Pc| starts.get(block as usize).copied().filter(|&start| start != NONE).unwrap_or(0);
    for instruction in &mut body.code {
        for_each_target(instruction, program, &mut |target| *target = at_start(*target));
    }
    for _ in 0..ROUNDS {
        body.follow_copies(program);
        if !body.drop_unused(program) {
            break;
        }
    }
    body.fuse(program);
    body.note_variables(program, variables);
    let (colours, count) = body.colour(program, parameters);
    body.rename(program, &colours, first_pool);
    body.drop_self_moves(program);
    body.add_to(program, count, variables, &colours);
    FunctionSize { instructions: body.code.len() as u32, registers: count }
}

struct Draft {
    code: Vec<I>,
    places: Vec<u32>,
    /// For each instruction the variables that live in registers before it.
    shown: Vec<Vec<u32>>,
    registers: usize,
}

/// A set of registers.
type Set = Vec<u64>;

fn has(set: &Set, register: Register) -> bool {
    set[register as usize / 64] >> (register % 64) & 1 == 1
}

/// Whether a register is live; none is not.
fn is_live(set: &Set, register: Register) -> bool {
    register != NONE && has(set, register)
}

fn add(set: &mut Set, register: Register) {
    set[register as usize / 64] |= 1 << (register % 64);
}

fn remove(set: &mut Set, register: Register) {
    set[register as usize / 64] &= !(1 << (register % 64));
}

fn for_each(set: &Set, mut visit: impl FnMut(Register)) {
    for (index, &word) in set.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            visit(64 * index as u32 + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
}

/// Visits the targets of a jump.
pub(crate) fn for_each_target(instruction: &mut I, program: &mut Program, visit: &mut dyn FnMut(&mut Pc)) {
    match instruction {
        I::Jump { to } => visit(to),
        I::Branch { yes, no, .. } => {
            visit(yes);
            visit(no);
        }
        I::Switch { table, .. } => {
            let table = &mut program.switches[*table as usize];
            visit(&mut table.default);
            table.cases.iter_mut().for_each(|case| visit(&mut case.1));
        }
        _ => {}
    }
}

pub(crate) fn ends_block(instruction: &I) -> bool {
    matches!(
        instruction,
        I::Jump { .. }
            | I::Branch { .. }
            | I::Switch { .. }
            | I::Return { .. }
            | I::Unreachable
            | I::Unsupported { .. }
    )
}

fn uses(instruction: I, program: &mut Program, visit: &mut dyn FnMut(Register)) {
    let mut instruction = instruction;
    let mut pools = Pools { pool: &mut program.pool, calls: &mut program.calls };
    instruction.for_each_use(&mut pools, &mut |operand| {
        if let Some(register) = operand.as_register() {
            visit(register);
        }
    });
}

fn results(instruction: I, program: &mut Program, visit: &mut dyn FnMut(Register)) {
    let mut instruction = instruction;
    let mut pools = Pools { pool: &mut program.pool, calls: &mut program.calls };
    instruction.for_each_result(&mut pools, &mut |register| visit(*register));
}

impl Draft {
    /// Where blocks begin, in order, and behind the last one.
    fn leaders(&self, program: &mut Program) -> Vec<usize> {
        let mut is_leader = vec![false; self.code.len() + 1];
        is_leader[0] = true;
        is_leader[self.code.len()] = true;
        for (at, instruction) in self.code.iter().enumerate() {
            let mut instruction = *instruction;
            for_each_target(&mut instruction, program, &mut |target| is_leader[*target as usize] = true);
            if ends_block(&instruction) {
                is_leader[at + 1] = true;
            }
        }
        (0..is_leader.len()).filter(|&at| is_leader[at]).collect()
    }

    /// Uses what a register was copied from instead of the register.
    fn follow_copies(&mut self, program: &mut Program) {
        let leaders = self.leaders(program);
        for block in leaders.windows(2) {
            let mut copies: FxHashMap<Register, Operand> = FxHashMap::default();
            for at in block[0]..block[1] {
                let instruction = &mut self.code[at];
                let mut pools = Pools { pool: &mut program.pool, calls: &mut program.calls };
                if !copies.is_empty() {
                    instruction.for_each_use(&mut pools, &mut |operand| {
                        if let Some(source) = operand.as_register().and_then(|register| copies.get(&register)) {
                            *operand = *source;
                        }
                    });
                }
                instruction.for_each_result(&mut pools, &mut |set| {
                    copies.remove(set);
                    copies.retain(|_, source| *source != Operand::register(*set));
                });
                if let I::Move { dst, src } = *instruction
                    && src != Operand::register(dst)
                {
                    copies.insert(dst, src);
                }
            }
        }
    }

    /// For each block the registers that are live at its end.
    fn live_out(&self, program: &mut Program, leaders: &[usize]) -> Vec<Set> {
        let words = self.registers.div_ceil(64).max(1);
        let blocks = leaders.len() - 1;
        let mut number = vec![0u32; self.code.len() + 1];
        for (block, pair) in leaders.windows(2).enumerate() {
            number[pair[0]] = block as u32;
        }
        let successors: Vec<Vec<u32>> = leaders
            .windows(2)
            .map(|pair| {
                let mut last = self.code[pair[1] - 1];
                let mut next = Vec::new();
                for_each_target(&mut last, program, &mut |target| next.push(number[*target as usize]));
                if !ends_block(&last) && pair[1] < self.code.len() {
                    next.push(number[pair[1]]);
                }
                next
            })
            .collect();
        let mut live_in = vec![vec![0u64; words]; blocks];
        let mut live_out = vec![vec![0u64; words]; blocks];
        loop {
            let mut changed = false;
            for block in (0..blocks).rev() {
                let mut live = vec![0u64; words];
                for &next in &successors[block] {
                    for (word, other) in live.iter_mut().zip(&live_in[next as usize]) {
                        *word |= other;
                    }
                }
                live_out[block].clone_from(&live);
                for at in (leaders[block]..leaders[block + 1]).rev() {
                    step_back(self.code[at], program, &mut live);
                }
                if live != live_in[block] {
                    live_in[block] = live;
                    changed = true;
                }
            }
            if !changed {
                return live_out;
            }
        }
    }

    /// Drops instructions whose results are not used; true if there were any.
    fn drop_unused(&mut self, program: &mut Program) -> bool {
        let leaders = self.leaders(program);
        let live_out = self.live_out(program, &leaders);
        let mut keep = vec![true; self.code.len()];
        for (block, mut live) in live_out.into_iter().enumerate() {
            for at in (leaders[block]..leaders[block + 1]).rev() {
                let instruction = self.code[at];
                let mut is_used = !instruction.is_pure();
                results(instruction, program, &mut |register| is_used |= has(&live, register));
                if let I::Modify { dst, .. } = &mut self.code[at]
                    && *dst != NONE
                    && !has(&live, *dst)
                {
                    // What was there is not used: such additions commute.
                    *dst = NONE;
                }
                if let I::Routine { call } = self.code[at]
                    && !is_live(&live, program.calls[call as usize].result)
                {
                    // What it returns is not used.
                    program.calls[call as usize].result = NONE;
                }
                keep[at] = is_used;
                if is_used {
                    step_back(self.code[at], program, &mut live);
                }
            }
        }
        self.retain(program, &keep)
    }

    /// Keeps some of the instructions; true if others went.
    fn retain(&mut self, program: &mut Program, keep: &[bool]) -> bool {
        if keep.iter().all(|&keep| keep) {
            return false;
        }
        let mut moved = Vec::with_capacity(keep.len() + 1);
        let mut count = 0;
        for &keep in keep {
            moved.push(count);
            count += u32::from(keep);
        }
        moved.push(count);
        for instruction in &mut self.code {
            for_each_target(instruction, program, &mut |target| *target = moved[*target as usize]);
        }
        let mut number = 0;
        self.code.retain(|_| {
            number += 1;
            keep[number - 1]
        });
        number = 0;
        self.places.retain(|_| {
            number += 1;
            keep[number - 1]
        });
        number = 0;
        self.shown.retain(|_| {
            number += 1;
            keep[number - 1]
        });
        true
    }

    /// Jumps to jumps go to the end of the chain.
    fn fuse(&mut self, program: &mut Program) {
        let code = self.code.clone();
        let end_of = |target: Pc| {
            let mut at = target;
            for _ in 0..8 {
                match code[at as usize] {
                    I::Jump { to } if to != at => at = to,
                    _ => break,
                }
            }
            at
        };
        for instruction in &mut self.code {
            for_each_target(instruction, program, &mut |target| *target = end_of(*target));
        }
    }

    /// Notes which variables live in registers where actors may stand.
    fn note_variables(&mut self, program: &mut Program, variables: &[LocalVariable]) {
        let leaders = self.leaders(program);
        let live_out = self.live_out(program, &leaders);
        let mut shown = vec![Vec::new(); self.code.len()];
        for (block, mut live) in live_out.into_iter().enumerate() {
            for at in (leaders[block]..leaders[block + 1]).rev() {
                step_back(self.code[at], program, &mut live);
                if self.code[at].may_stop() {
                    let is_live = |variable: &LocalVariable| matches!(variable.home, Home::Register(register) if has(&live, register));
                    shown[at] =
                        (0..variables.len() as u32).filter(|&number| is_live(&variables[number as usize])).collect();
                }
            }
        }
        self.shown = shown;
    }

    /// Gives each register one of few.
    fn colour(&self, program: &mut Program, parameters: u32) -> (Vec<u32>, u32) {
        let leaders = self.leaders(program);
        let live_out = self.live_out(program, &leaders);
        let mut conflicts: Vec<Vec<Register>> = vec![Vec::new(); self.registers];
        let mut friends: Vec<Vec<Register>> = vec![Vec::new(); self.registers];
        let mut is_used = vec![false; self.registers];
        let mut live_at_start = vec![0u64; self.registers.div_ceil(64).max(1)];
        for (block, mut live) in live_out.into_iter().enumerate() {
            for at in (leaders[block]..leaders[block + 1]).rev() {
                let instruction = self.code[at];
                let copied = match instruction {
                    I::Move { dst, src } => {
                        if let Some(src) = src.as_register() {
                            friends[dst as usize].push(src);
                            friends[src as usize].push(dst);
                        }
                        src.as_register()
                    }
                    _ => None,
                };
                let mut set: Vec<Register> = Vec::new();
                results(instruction, program, &mut |register| set.push(register));
                for (number, &register) in set.iter().enumerate() {
                    is_used[register as usize] = true;
                    for_each(&live, |other| {
                        if other != register && Some(other) != copied {
                            conflicts[register as usize].push(other);
                            conflicts[other as usize].push(register);
                        }
                    });
                    for &other in &set[..number] {
                        conflicts[register as usize].push(other);
                        conflicts[other as usize].push(register);
                    }
                }
                uses(instruction, program, &mut |register| is_used[register as usize] = true);
                step_back(instruction, program, &mut live);
            }
            if block == 0 {
                live_at_start = live;
            }
        }
        let mut colours = vec![NONE; self.registers];
        let mut count = parameters;
        for parameter in 0..parameters {
            colours[parameter as usize] = parameter;
            // What is read before it is set is 0, and must not be what a caller gave.
            for_each(&live_at_start, |other| {
                if other >= parameters {
                    conflicts[other as usize].push(parameter);
                }
            });
        }
        for register in parameters as usize..self.registers {
            if !is_used[register] {
                continue;
            }
            let mut taken: Vec<u32> = conflicts[register].iter().map(|&other| colours[other as usize]).collect();
            taken.sort_unstable();
            taken.dedup();
            let is_free = |colour: &u32| *colour != NONE && taken.binary_search(colour).is_err();
            let liked = friends[register].iter().map(|&friend| colours[friend as usize]).find(is_free);
            let colour = liked.unwrap_or_else(|| (0..).find(|colour| is_free(colour)).unwrap_or(0));
            colours[register] = colour;
            count = count.max(colour + 1);
        }
        (colours, count)
    }

    fn rename(&mut self, program: &mut Program, colours: &[u32], first_pool: usize) {
        for instruction in &mut self.code {
            // What is in the pool is renamed once, below.
            let mut empty = Pools { pool: &mut [], calls: &mut [] };
            if !uses_pool(instruction) {
                instruction.for_each_use(&mut empty, &mut |operand| rename_operand(operand, colours));
                instruction.for_each_result(&mut empty, &mut |register| *register = colours[*register as usize]);
            } else {
                match instruction {
                    I::Exchange { pointer, .. } | I::CallPointer { pointer, .. } => rename_operand(pointer, colours),
                    I::Routine { call } => {
                        let result = &mut program.calls[*call as usize].result;
                        if *result != NONE {
                            *result = colours[*result as usize];
                        }
                    }
                    _ => {}
                }
            }
        }
        program.pool[first_pool..].iter_mut().for_each(|operand| rename_operand(operand, colours));
    }

    fn drop_self_moves(&mut self, program: &mut Program) {
        let keep: Vec<bool> = self
            .code
            .iter()
            .map(|instruction| !matches!(instruction, I::Move { dst, src } if *src == Operand::register(*dst)))
            .collect();
        self.retain(program, &keep);
    }

    /// Adds the code to the program, with what is dead and what is live where actors may stand.
    fn add_to(&mut self, program: &mut Program, count: u32, variables: &mut [LocalVariable], colours: &[u32]) {
        self.registers = count as usize;
        for variable in variables.iter_mut() {
            if let Home::Register(register) = &mut variable.home {
                *register = colours[*register as usize];
            }
        }
        let leaders = self.leaders(program);
        let live_out = self.live_out(program, &leaders);
        let mut dead = vec![List::default(); self.code.len()];
        let mut shown = vec![List::default(); self.code.len()];
        for (block, mut live) in live_out.into_iter().enumerate() {
            for at in (leaders[block]..leaders[block + 1]).rev() {
                let instruction = self.code[at];
                let mut after = live.clone();
                step_back(instruction, program, &mut live);
                if !instruction.may_stop() {
                    continue;
                }
                let needed = if let I::Call { .. } | I::CallPointer { .. } = instruction {
                    results(instruction, program, &mut |register| remove(&mut after, register));
                    &after
                } else {
                    &live
                };
                let start = program.dead_registers.len() as u32;
                program.dead_registers.extend((0..count).filter(|&register| !has(needed, register)));
                dead[at] = List { start, length: program.dead_registers.len() as u32 - start };
                let start = program.live_pool.len() as u32;
                for &number in &self.shown[at] {
                    if let Home::Register(register) = variables[number as usize].home {
                        program.live_pool.push((number, register));
                    }
                }
                shown[at] = List { start, length: program.live_pool.len() as u32 - start };
            }
        }
        let entry = program.code.len() as Pc;
        for instruction in &mut self.code {
            for_each_target(instruction, program, &mut |target| *target += entry);
        }
        program.code.extend_from_slice(&self.code);
        program.places.extend_from_slice(&self.places);
        program.dead.extend(dead);
        program.live_variables.extend(shown);
    }
}

/// From what is live behind an instruction to what is live before it.
fn step_back(instruction: I, program: &mut Program, live: &mut Set) {
    results(instruction, program, &mut |register| remove(live, register));
    uses(instruction, program, &mut |register| add(live, register));
}

fn uses_pool(instruction: &I) -> bool {
    matches!(
        instruction,
        I::Exchange { .. } | I::Call { .. } | I::CallPointer { .. } | I::Routine { .. } | I::Return { .. }
    )
}

fn rename_operand(operand: &mut Operand, colours: &[u32]) {
    if let Some(register) = operand.as_register() {
        *operand = Operand::register(colours[register as usize]);
    }
}
