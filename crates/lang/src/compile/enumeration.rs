//! Enums: constants that count up by themselves, and names for the values of variables.

use super::{Compiler, Global};
use crate::ast::{Expr, Fault, Name, Place};
use crate::code::EnumNumber;

impl Compiler<'_> {
    pub(super) fn declare_enum(&mut self, name: &Name, members: &[(Name, Option<Expr>)]) {
        if members.is_empty() {
            self.error(format!("`{}` has no constants", name.text), &name.span, "expected at least one");
        }
        let mut next = Some(0i64);
        let mut constants = Vec::new();
        for (member, value) in members {
            let value = match (value, next) {
                (Some(value), _) => self.constant(value, "the value of a constant"),
                (None, Some(next)) => next,
                (None, None) => {
                    let message = format!("{} in the value of a constant", Fault::Overflow.words());
                    self.error(message, &member.span, "this has no value");
                    0
                }
            };
            self.define(member, Global::Const(value));
            constants.push((member.text.clone(), value));
            next = value.checked_add(1);
        }
        let number = self.program.enums.len() as EnumNumber;
        self.program.enums.push(constants);
        self.define(name, Global::Enum(number));
    }

    /// The enum that a variable is declared with.
    pub(super) fn enumeration(&mut self, of: Option<&Name>) -> Option<EnumNumber> {
        let name = of?;
        match self.globals.get(&name.text) {
            Some(&Global::Enum(number)) => return Some(number),
            Some(&other) => self.wrong_kind(name, other.what(), "an enum"),
            None => self.unknown(name),
        }
        None
    }

    /// The enum whose names are shown for the values of a place.
    pub(super) fn enumeration_of(&self, place: &Place) -> Option<EnumNumber> {
        match (self.local(&place.name.text), self.globals.get(&place.name.text)) {
            (Some(local), _) => local.of,
            (None, Some(&Global::Shared { base, .. })) => self.program.cell_enums[base as usize],
            _ => None,
        }
    }
}
