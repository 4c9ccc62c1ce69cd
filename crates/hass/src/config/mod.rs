//! A configuration, read: files, includes, packages, blueprints, and what stands in them.
//!
//! What is wrong with one automation is a [`Problem`] with its place, and the others are read all the same, as Home Assistant
//! does. Nothing outside of the folder is asked for.

mod ast;
mod blueprint;
mod entities;
mod expectation;
mod files;
mod include;
mod read;
mod registry;
mod routine;

pub use ast::{
    Action, ActionKind, At, Bound, Call, Condition, ConditionKind, Match, Mode, Opaque, Repeat, Routine, RoutineKind,
    Target, Templated, Trigger, TriggerKind,
};
pub use entities::{Derived, Group, Helper, Scene};
pub use expectation::{Expectation, Expected};
pub use files::{Files, Memory};
pub use include::{Problem, Source};
pub use read::{Broken, Configuration, read_configuration, read_files};
pub use registry::Registry;
