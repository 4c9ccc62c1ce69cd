//! Which registers still matter at each instruction.
//!
//! Two states that differ only in a register that is not read again have the same future. So the dead registers
//! are cleared at the end of each step. Two passes over each body find them: backwards which registers are live, then
//! forwards which of the others may hold something.

use crate::code::{Instruction, NONE, Pc, PlaceRef, Program, Register};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;

type Set = SmallVec<[u64; 1]>;

fn empty(registers: u16) -> Set {
    smallvec![0; usize::from(registers).div_ceil(64).max(1)]
}

fn add(set: &mut Set, register: Register) {
    if register != NONE {
        set[usize::from(register) / 64] |= 1 << (register % 64);
    }
}

fn add_all(set: &mut Set, registers: Range<Register>) {
    registers.for_each(|register| add(set, register));
}

fn remove(set: &mut Set, register: Register) {
    if register != NONE {
        set[usize::from(register) / 64] &= !(1 << (register % 64));
    }
}

/// The registers of a set, given by its words.
fn members(words: impl Iterator<Item = u64>) -> SmallVec<[Register; 4]> {
    let mut members = SmallVec::new();
    for (first, mut word) in (0..).step_by(64).zip(words) {
        while word != 0 {
            members.push(first + word.trailing_zeros() as Register);
            word &= word - 1;
        }
    }
    members
}

/// Adds `more` and says whether that changed anything.
fn unite(set: &mut Set, more: &Set) -> bool {
    let mut changed = false;
    for (word, &other) in set.iter_mut().zip(more) {
        changed |= *word | other != *word;
        *word |= other;
    }
    changed
}

struct Flow {
    uses: SmallVec<[Register; 8]>,
    defines: Register,
    /// The local array of which an element is read.
    looks_into: Range<Register>,
    /// The local array of which an element is written. The others keep their values, so none is defined.
    changes: Range<Register>,
    next: SmallVec<[Pc; 2]>,
}

fn flow(program: &Program, pc: Pc) -> Flow {
    use Instruction::*;
    let mut uses: SmallVec<[Register; 8]> = SmallVec::new();
    let mut defines = NONE;
    let (mut looks_into, mut changes) = (0..0, 0..0);
    let mut next: SmallVec<[Pc; 2]> = smallvec![pc + 1];
    let place = |uses: &mut SmallVec<[Register; 8]>, place: PlaceRef| uses.push(place.index);
    let arguments = |uses: &mut SmallVec<[Register; 8]>, first: Register, count: u16| uses.extend(first..first + count);
    match program.code[pc as usize] {
        Const { dst, .. } => defines = dst,
        Move { dst, src } | Unary { dst, src, .. } | BinaryConst { dst, left: src, .. } => {
            uses.push(src);
            defines = dst;
        }
        Binary { dst, left, right, .. } => {
            uses.extend([left, right]);
            defines = dst;
        }
        Jump { to } => next = smallvec![to],
        Branch { condition, to, .. } => {
            uses.push(condition);
            next.push(to);
        }
        Bound { index, .. } => uses.push(index),
        LoadElement { dst, first, length, index } => {
            uses.push(index);
            looks_into = first..first + length;
            defines = dst;
        }
        StoreElement { first, length, index, src } => {
            uses.extend([index, src]);
            changes = first..first + length;
        }
        Assert { condition, assertion } => {
            uses.push(condition);
            uses.extend(program.assertions[assertion as usize].values.iter().map(|read| read.register));
        }
        Call { function, arguments: first, dst } => {
            arguments(&mut uses, first, program.functions[usize::from(function)].parameters);
            defines = dst;
        }
        Return { src } => {
            uses.push(src);
            next.clear();
        }
        AtomicEnd | Assume | Atomic { .. } | Progress => {}
        GuardEnd { condition, resume } => {
            uses.push(condition);
            next = smallvec![resume];
        }
        End => next.clear(),
        Load { dst, place: of } => {
            place(&mut uses, of);
            defines = dst;
        }
        Store { place: of, src } => {
            place(&mut uses, of);
            uses.push(src);
        }
        Cas { place: of, dst, arguments: first } => {
            place(&mut uses, of);
            arguments(&mut uses, first, 2);
            defines = dst;
        }
        Swap { place: of, dst, src } | FetchAdd { place: of, dst, src } => {
            place(&mut uses, of);
            uses.push(src);
            defines = dst;
        }
        Lock { mutex } | Unlock { mutex } | Reacquire { mutex } => place(&mut uses, mutex),
        // A waiting thread is found by its condition variable for as long as it waits, that is at the `Reacquire`.
        Wait { condition, signalled } => {
            place(&mut uses, condition);
            defines = signalled;
        }
        Signal { condition, .. } => place(&mut uses, condition),
        Spawn { function, arguments: first, dst } => {
            arguments(&mut uses, first, program.functions[usize::from(function)].parameters);
            defines = dst;
        }
        Join { thread } | Forget { thread } => uses.push(thread),
        Post { handler, message, arguments: first } => {
            place(&mut uses, handler);
            arguments(&mut uses, first, program.messages[usize::from(message)].parameters);
        }
        Enable { event, .. } => place(&mut uses, event),
        Choose { dst, from, to } => {
            uses.extend([from, to]);
            defines = dst;
        }
        Sync { object, operand, dst, .. } => {
            place(&mut uses, object);
            uses.push(operand);
            defines = dst;
        }
    }
    if let Reacquire { .. } = program.code[pc as usize]
        && let Some(Wait { condition, signalled }) = pc.checked_sub(1).map(|before| program.code[before as usize])
    {
        uses.extend([condition.index, signalled]);
    }
    Flow { uses, defines, looks_into, changes, next }
}

/// Finds the live and the dead registers of the body that stands from `entry` to `end`.
pub(crate) fn analyse(program: &mut Program, entry: Pc, end: Pc, registers: u16, parameters: u16) {
    let flows: Vec<Flow> = (entry..end).map(|pc| flow(program, pc)).collect();
    let live = live_registers(&flows, entry, registers);
    let dirty = dirty_registers(program, &flows, &live, entry, registers, parameters);
    let first = program.locals.partition_point(|local| local.from < entry);
    let last = program.locals.partition_point(|local| local.from < end);
    for (offset, pc) in (entry..end).enumerate() {
        // Behind a call the caller's frame waits: what is dead behind it is dead already while it waits.
        let kept = match program.code[pc as usize] {
            Instruction::Call { dst, .. } => {
                let mut kept = live[offset + 1].clone();
                remove(&mut kept, dst);
                kept
            }
            _ => live[offset].clone(),
        };
        let dead = dirty[offset].iter().zip(&kept).map(|(dirty, kept)| dirty & !kept);
        program.dead[pc as usize] = members(dead);
        if program.code[pc as usize].is_visible() {
            let is_live = |register: Register| live[offset][usize::from(register) / 64] >> (register % 64) & 1 == 1;
            let known = (first as u32..).zip(&program.locals[first..last]);
            let known = known.filter(|(_, local)| local.from <= pc && pc < local.to && is_live(local.register));
            program.locals_at[pc as usize] = known.map(|(number, _)| number).collect();
        }
    }
}

fn live_registers(flows: &[Flow], entry: Pc, registers: u16) -> Vec<Set> {
    let mut live = vec![empty(registers); flows.len() + 1];
    let mut changed = true;
    while changed {
        changed = false;
        for (offset, flow) in flows.iter().enumerate().rev() {
            let mut now = empty(registers);
            for &next in &flow.next {
                unite(&mut now, &live[(next - entry) as usize]);
            }
            remove(&mut now, flow.defines);
            for &used in &flow.uses {
                add(&mut now, used);
            }
            add_all(&mut now, flow.looks_into.clone());
            changed |= unite(&mut live[offset], &now);
        }
    }
    live
}

fn dirty_registers(
    program: &Program,
    flows: &[Flow],
    live: &[Set],
    entry: Pc,
    registers: u16,
    parameters: u16,
) -> Vec<Set> {
    let mut dirty = vec![empty(registers); flows.len() + 1];
    let clears = clearing_points(program, entry, flows.len());
    (0..parameters).for_each(|parameter| add(&mut dirty[0], parameter));
    let mut work = vec![0usize];
    let mut seen = vec![false; flows.len() + 1];
    while let Some(offset) = work.pop() {
        let Some(flow) = flows.get(offset) else { continue };
        let mut after = dirty[offset].clone();
        if clears[offset] {
            for (word, &kept) in after.iter_mut().zip(&live[offset]) {
                *word &= kept;
            }
        }
        add(&mut after, flow.defines);
        add_all(&mut after, flow.changes.clone());
        for &next in &flow.next {
            let next = (next - entry) as usize;
            if unite(&mut dirty[next], &after) || !seen[next] {
                seen[next] = true;
                work.push(next);
            }
        }
    }
    dirty
}

/// Registers are cleared where a visible instruction is met, but not within a guard: it runs on a copy of the frame.
fn clearing_points(program: &Program, entry: Pc, length: usize) -> Vec<bool> {
    let mut in_guard = false;
    program.code[entry as usize..entry as usize + length]
        .iter()
        .map(|instruction| {
            let clears = instruction.is_visible() && !in_guard;
            match instruction {
                Instruction::Assume | Instruction::Atomic { guarded: true } => in_guard = true,
                Instruction::GuardEnd { .. } => in_guard = false,
                _ => {}
            }
            clears
        })
        .collect()
}
