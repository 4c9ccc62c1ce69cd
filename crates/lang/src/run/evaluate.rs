//! Code that touches nothing but registers, and guards, which only read.

use super::{FUEL, MAX_CALLS};
use crate::ast::Fault;
use crate::code::{Instruction, NONE, Pc, PlaceRef, Program, Register};
use smallvec::SmallVec;

/// Runs the instructions that touch nothing but the registers, and returns the first one of another kind, to which `pc`
/// then points; after a fault it points to the culprit.
#[inline]
pub(super) fn compute(
    program: &Program,
    registers: &mut [i64],
    pc: &mut Pc,
    fuel: &mut u32,
) -> Result<Instruction, Fault> {
    let at = |register: Register| usize::from(register);
    loop {
        *fuel = fuel.checked_sub(1).ok_or(Fault::EndlessStep)?;
        let instruction = program.code[*pc as usize];
        match instruction {
            Instruction::Const { dst, value } => registers[at(dst)] = value,
            Instruction::Move { dst, src } => registers[at(dst)] = registers[at(src)],
            Instruction::Unary { op, dst, src } => registers[at(dst)] = op.apply(registers[at(src)])?,
            Instruction::Binary { op, dst, left, right } => {
                registers[at(dst)] = op.apply(registers[at(left)], registers[at(right)])?;
            }
            Instruction::BinaryConst { op, dst, left, right } => {
                registers[at(dst)] = op.apply(registers[at(left)], right)?;
            }
            Instruction::Bound { index, length } => {
                if !(0..i64::from(length)).contains(&registers[at(index)]) {
                    return Err(Fault::IndexOutOfRange);
                }
            }
            Instruction::LoadElement { dst, first, index, .. } => {
                registers[at(dst)] = registers[at(first) + registers[at(index)] as usize];
            }
            Instruction::StoreElement { first, index, src, .. } => {
                registers[at(first) + registers[at(index)] as usize] = registers[at(src)];
            }
            Instruction::Jump { to } => {
                *pc = to;
                continue;
            }
            Instruction::Branch { condition, when, to } => {
                if (registers[at(condition)] != 0) == when {
                    *pc = to;
                    continue;
                }
            }
            other => return Ok(other),
        }
        *pc += 1;
    }
}

/// The index of what a place names, given the registers of the frame.
pub(crate) fn resolve(place: PlaceRef, registers: &[i64]) -> usize {
    place.base as usize + if place.index == NONE { 0 } else { registers[usize::from(place.index)] as usize }
}

/// A condition that stood false, or true and where the code behind it begins.
pub(crate) struct Evaluated {
    pub(crate) holds: bool,
    pub(crate) resume: Pc,
}

/// The registers of a guard: a copy of those that it begins with.
pub(crate) type Frame = SmallVec<[i64; 24]>;

/// Evaluates a guard: code that only looks. `looked` is told each cell.
pub(crate) fn evaluate(
    program: &Program,
    words: &[i64],
    mut registers: Frame,
    pc: Pc,
    looked: &mut impl FnMut(usize),
) -> Result<Evaluated, Fault> {
    let mut fuel = FUEL;
    match evaluate_frame(program, words, &mut registers, pc, looked, 0, &mut fuel)? {
        Leaving::Guard(evaluated) => Ok(evaluated),
        Leaving::Return(value) => Ok(Evaluated { holds: value != 0, resume: pc }),
    }
}

enum Leaving {
    Guard(Evaluated),
    Return(i64),
}

fn evaluate_frame(
    program: &Program,
    words: &[i64],
    registers: &mut [i64],
    mut pc: Pc,
    looked: &mut impl FnMut(usize),
    depth: u32,
    fuel: &mut u32,
) -> Result<Leaving, Fault> {
    loop {
        let instruction = compute(program, registers, &mut pc, fuel)?;
        pc += 1;
        match instruction {
            Instruction::Load { dst, place } => {
                let cell = resolve(place, registers);
                looked(cell);
                registers[usize::from(dst)] = words[cell];
            }
            Instruction::Call { function, arguments, dst } => {
                if depth >= MAX_CALLS {
                    return Err(Fault::CallDepth);
                }
                let body = &program.functions[usize::from(function)];
                let first = usize::from(arguments);
                let mut inner: Frame = smallvec::smallvec![0; usize::from(body.registers)];
                let given = usize::from(body.parameters);
                inner[..given].copy_from_slice(&registers[first..first + given]);
                match evaluate_frame(program, words, &mut inner, body.entry, looked, depth + 1, fuel)? {
                    Leaving::Return(value) => registers[usize::from(dst)] = value,
                    guard @ Leaving::Guard(_) => return Ok(guard),
                }
            }
            Instruction::Return { src } => return Ok(Leaving::Return(registers[usize::from(src)])),
            Instruction::GuardEnd { condition, resume } => {
                let holds = registers[usize::from(condition)] != 0;
                return Ok(Leaving::Guard(Evaluated { holds, resume }));
            }
            // An atomic block within a function that only looks changes nothing: the whole guard is one step.
            Instruction::Atomic { guarded: false } | Instruction::AtomicEnd => {}
            other => unreachable!("the compiler lets only code that looks into a guard, not {other:?}"),
        }
    }
}
