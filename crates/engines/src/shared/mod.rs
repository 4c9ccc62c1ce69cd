//! The parts that engines share, each named after its concept.
//!
//! For searches over states: [`visited`] (the set of states that were met), [`frontier`] (those to be expanded),
//! [`ancestry`] (how each was reached). For searches along executions: [`dfs`] (the depth-first driver), [`trail`] (marks to
//! return to), [`execution`] (clocks, races, initials), [`waiting`] (blocked next operations), [`sleep`] (sleep sets),
//! [`wakeup`] (wakeup trees), [`capture`] (local states by their changes). For all: [`tally`] (counts, limits, findings and
//! the conclusion), [`ledger`] (the same without a path), [`findings`] (violations, each once), [`data_race`] (accesses that nothing orders), [`bits`] and [`common_bits`] (sets of
//! small numbers), [`trace`] (names of events and traces).

pub(crate) mod ancestry;
pub(crate) mod bits;
pub(crate) mod capture;
pub(crate) mod common_bits;
pub(crate) mod data_race;
pub(crate) mod dfs;
pub(crate) mod execution;
pub(crate) mod findings;
pub(crate) mod frontier;
pub(crate) mod ledger;
pub(crate) mod sleep;
pub(crate) mod tally;
pub(crate) mod trace;
pub(crate) mod trail;
pub(crate) mod visited;
pub(crate) mod waiting;
pub(crate) mod wakeup;
