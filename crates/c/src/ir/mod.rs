//! Reading LLVM IR as text, of the versions 14 to 19 and, since what is not known is skipped, most likely of others.

pub(crate) mod cursor;
pub(crate) mod instruction;
pub(crate) mod module;
pub(crate) mod token;
pub(crate) mod types;

pub(crate) use cursor::{Constant, Value, masked, sign_extended};
pub(crate) use instruction::{Argument, Instruction, Operation, Order};
pub(crate) use module::{Function, Global, Module, field};
pub(crate) use types::{Type, Types};
