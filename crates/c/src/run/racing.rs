//! What a step tells the clocks of data races.

use super::Run;
use crate::ir::Order;
use mazurka_core::ObjectId;

impl Run<'_> {
    /// A step begins.
    pub(super) fn tick(&mut self) {}

    /// So many bytes were accessed.
    #[inline]
    pub(super) fn accessed(&mut self, _address: u64, _size: u64, _reads: bool, _writes: bool, _order: Order) {}

    pub(super) fn acquired(&mut self, _object: ObjectId) {}

    pub(super) fn released(&mut self, _object: ObjectId) {}

    pub(super) fn born(&mut self, _child: u32) {}

    pub(super) fn joined(&mut self, _thread: u32) {}

    pub(super) fn ended(&mut self) {}

    pub(super) fn fence(&mut self, _order: Order) {}
}
