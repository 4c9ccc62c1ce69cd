//! The assertions of a program, and whether an execution came to them: what was never looked at proves nothing.

use crate::code::{Body, Instruction as I, Operand, Pc, Pools, Program};
use crate::coverage::{PASSED, REACHED};
use crate::library::Routine as R;
use crate::memory::{FUNCTIONS, offset, space};
use crate::model::Model;
use crate::registers::{ends_block, for_each_target};
use mazurka_core::Location;
use rustc_hash::{FxHashMap, FxHashSet};

/// An assertion, or another place that must not be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The line of the source.
    pub text: String,
    /// Where it is.
    pub location: Location,
    /// Whether an execution looked at its condition.
    pub is_reached: bool,
    /// Whether it has no condition: it says no more than that it is not reached.
    pub is_false: bool,
    /// An assumption right in front of it that no execution passed.
    pub behind: Option<Location>,
}

/// The assertions of a program in the functions that it may call, and what the executions of these models came to. All
/// models are of that program.
pub fn assertions(models: &[&Model]) -> Vec<Assertion> {
    let Some(model) = models.first() else { return Vec::new() };
    let mut program = model.program().clone();
    let has = |pc: Pc, mark: u8| models.iter().any(|model| model.marks().has(pc, mark));
    let sources = sources(&mut program);
    let is_start = |pc: Pc| sources.contains_key(&pc) || pc == 0 || ends_block(&program.code[pc as usize - 1]);
    let mut assertions = Vec::new();
    for function in used_functions(&program) {
        let function = &program.functions[function as usize];
        let Body::Code(entry) = function.body else { continue };
        let start_of = |pc: Pc| (entry..=pc).rev().find(|&pc| is_start(pc)).unwrap_or(entry);
        let unpassed = |pc: Pc| {
            let is_assumption = |pc: &Pc| match program.code[*pc as usize] {
                I::Routine { call } => program.calls[call as usize].routine == R::Assume,
                _ => false,
            };
            let assumption = (start_of(pc)..=pc).find(|pc| is_assumption(pc) && !has(*pc, PASSED))?;
            model.location(assumption)
        };
        for pc in entry..function.end {
            let I::Routine { call } = program.code[pc as usize] else { continue };
            let from: Vec<Pc> = match program.calls[call as usize].routine {
                R::AssertThat => vec![pc],
                R::AssertFail | R::AssertFailMac | R::ErrorReached => {
                    sources.get(&start_of(pc)).cloned().unwrap_or_else(|| vec![pc])
                }
                _ => continue,
            };
            let Some(location) = model.location(pc) else { continue };
            let lines = program.sources.get(&*location.file);
            let line = lines.and_then(|lines| lines.get((location.line as usize).checked_sub(1)?));
            let decides = |pc: &Pc| !matches!(program.code[*pc as usize], I::Jump { .. });
            assertions.push(Assertion {
                text: line
                    .map_or_else(|| "an assertion".to_owned(), |line| line.trim().trim_end_matches(';').to_owned()),
                location,
                is_reached: from.iter().any(|&pc| has(pc, REACHED)),
                is_false: from[..] == [pc] && program.calls[call as usize].routine != R::AssertThat
                    || !from.iter().any(decides),
                behind: from.iter().find_map(|&pc| unpassed(pc)),
            });
        }
    }
    assertions
}

/// From where each place is jumped to.
fn sources(program: &mut Program) -> FxHashMap<Pc, Vec<Pc>> {
    let mut sources: FxHashMap<Pc, Vec<Pc>> = FxHashMap::default();
    for (pc, mut instruction) in program.code.clone().into_iter().enumerate() {
        for_each_target(&mut instruction, program, &mut |to| sources.entry(*to).or_default().push(pc as Pc));
    }
    sources
}

/// The functions that may be called: the first one, those that the code of others names, and those whose address is
/// stored somewhere from the beginning. In their order.
fn used_functions(program: &Program) -> Vec<u32> {
    let function_at = |word: u64| (space(word) == FUNCTIONS).then_some(offset(word) as u32);
    let stored = program
        .constant_bytes
        .chunks_exact(8)
        .map(|bytes| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)));
    let mut open: Vec<u32> = stored.chain(program.initial.iter().copied()).filter_map(function_at).collect();
    open.push(program.entry);
    let (mut pool, mut calls) = (program.pool.clone(), program.calls.clone());
    let mut pools = Pools { pool: &mut pool, calls: &mut calls };
    let mut used = FxHashSet::default();
    while let Some(number) = open.pop() {
        let Some(function) = program.functions.get(number as usize) else { continue };
        let Body::Code(entry) = function.body else { continue };
        if !used.insert(number) {
            continue;
        }
        for instruction in &program.code[entry as usize..function.end as usize] {
            if let I::Call { function, .. } = instruction {
                open.push(*function);
            }
            let mut named = |operand: &mut Operand| {
                let constant = operand.index().err().and_then(|number| program.constants.get(number).copied());
                open.extend(constant.and_then(function_at));
            };
            let mut instruction = *instruction;
            instruction.for_each_use(&mut pools, &mut named);
        }
    }
    let mut used: Vec<u32> = used.into_iter().collect();
    used.sort_unstable();
    used
}
