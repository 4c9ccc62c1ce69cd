//! Data races, by C11's happens-before along one execution.

/// Clocks of threads and cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clocks {}
