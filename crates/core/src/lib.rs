//! What a program is, and what it means to explore one.
//!
//! Start with [`System`]: a deterministic transition system whose actors take turns. A frontend implements it, an
//! engine drives it, and neither knows the other. Everything else here is a word that the two share: [`ActorId`] and
//! [`Move`], [`Footprint`] and [`Dependence`], [`HappensBefore`], [`Fingerprint`], [`Verdict`], [`Statistics`],
//! [`Budget`] and [`Observer`]. The crate does no input or output and serialises nothing.
#![forbid(unsafe_code)]

mod actor;
mod budget;
mod choice;
mod clock;
mod data_race;
mod diagnostic;
mod exploration;
mod fingerprint;
mod footprint;
mod happens_before;
mod insight;
mod kinds;
mod lasso;
mod liveness;
mod machine;
mod narrator;
mod observer;
mod pack;
mod panics;
mod random;
mod statistics;
mod step;
mod system;
mod violation;

pub use actor::{ActorId, Move};
pub use budget::{Budget, Cancel, Meter, StopReason};
pub use choice::{Choices, Outcome};
pub use clock::VectorClock;
pub use data_race::{Accesses, ToldAccesses};
pub use diagnostic::Diagnostic;
pub use exploration::{Answered, Bound, Explanation, Exploration, Found, Race, Verdict};
pub use fingerprint::{Fingerprint, FingerprintHasher};
pub use footprint::{Access, Dependence, Footprint, FootprintId, FootprintTable, ObjectId, Touch};
pub use happens_before::HappensBefore;
pub use insight::{Insight, NoInsight, awaited, survey};
pub use kinds::{ActorKind, Identity, Object, ObjectKind, Rule};
pub use lasso::{Lap, Lasso};
pub use liveness::{ClassId, Fairness, Form, Liveness, NoLiveness, Property, class_name, class_of, fairness_of};
pub use machine::{Machine, Replay, StepRecord, Stepper};
pub use narrator::{ByNumber, Description, Narrator, Value};
pub use observer::{Because, Explored, Observer, Progress, Silent};
pub use pack::{Word, pack_row, read_number, unpack_row, write_number};
pub use panics::{Panic, caught, panicked_at};
pub use random::Random;
pub use statistics::{Counter, Statistics};
pub use step::Step;
pub use system::{Awaited, BlockedVisitor, Ending, Obstacle, Schedule, System, Traits};
pub use violation::{Location, Severity, Violation, ViolationKind};
