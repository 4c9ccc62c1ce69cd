//! Summaries: the accesses that can follow a state (appendix D of the paper), and how transitions transfer them.
//!
//! `entries` has the entries, which conflict with which, and which subsume which. `classes` has the transfer functions of
//! transitions and their backtrack points.

pub(super) mod classes;
pub(super) mod entries;
