//! The tables of the search: what is looked at for every transition, packed.

pub(super) mod nodes;
mod numbers;
pub(super) mod sets;
