//! Local arrays: their elements are registers in a row.

use super::{Compiler, Local};
use crate::ast::{BinaryOp, Declaration, Expr, Initial, Place};
use crate::code::{Instruction, Register};

/// An element of a local array: one that is known before the program runs is a register as any other.
#[derive(Clone, Copy)]
enum Element {
    Fixed(Register),
    At { first: Register, length: u16, index: Register },
}

impl Compiler<'_> {
    pub(super) fn declare_local(&mut self, of: &Declaration) {
        let (length, shown_as) = (self.length(of.length.as_ref()), self.enumeration(of.of.as_ref()));
        let count = length.unwrap_or(1) as usize;
        let first = self.registers(count);
        let behind = self.next_register;
        let registers = || first..first.saturating_add(count as Register);
        match &of.initial {
            Initial::Same(value) => {
                let src = self.expr(value);
                registers().for_each(|dst| {
                    self.emit(Instruction::Move { dst, src });
                });
            }
            Initial::Each(values, span) => {
                self.check_count(values.len(), length, span);
                for (dst, value) in registers().zip(values) {
                    let src = self.expr(value);
                    self.emit(Instruction::Move { dst, src });
                    self.next_register = behind;
                }
            }
        }
        self.next_register = behind;
        let length = length.map(|length| length as u16);
        self.name_local(&of.name, Local { register: first, length, of: shown_as, is_handle: false });
    }

    /// Reads an element: the register that holds its value.
    pub(super) fn read_element(&mut self, array: Local, place: &Place) -> Register {
        let mark = self.next_register;
        match self.local_element(array, place) {
            Element::Fixed(register) => register,
            Element::At { first, length, index } => {
                let dst = self.result(mark);
                self.emit(Instruction::LoadElement { dst, first, length, index });
                dst
            }
        }
    }

    pub(super) fn assign_element(&mut self, array: Local, place: &Place, op: Option<BinaryOp>, value: &Expr) {
        match self.local_element(array, place) {
            Element::Fixed(register) => self.assign_register(register, op, value),
            Element::At { first, length, index } => {
                let src = match op {
                    None => self.expr(value),
                    Some(op) => {
                        let old = self.register();
                        self.emit(Instruction::LoadElement { dst: old, first, length, index });
                        let value = self.expr(value);
                        let src = self.register();
                        self.emit(Instruction::Binary { op, dst: src, left: old, right: value });
                        src
                    }
                };
                self.emit(Instruction::StoreElement { first, length, index, src });
            }
        }
    }

    /// The element that a place names. An index that is out of range is a crash, or an error where it is constant.
    fn local_element(&mut self, array: Local, place: &Place) -> Element {
        let (first, length) = (array.register, array.length.unwrap_or(1));
        let Some(index) = &place.index else {
            self.index_missing(place, 0, u32::from(length));
            return Element::Fixed(first);
        };
        match self.constant_offset(0, u32::from(length), index) {
            Some(offset) => Element::Fixed(first + offset.unwrap_or_default() as Register),
            None => {
                let index = self.expr(index);
                self.emit(Instruction::Bound { index, length: u32::from(length) });
                Element::At { first, length, index }
            }
        }
    }
}
