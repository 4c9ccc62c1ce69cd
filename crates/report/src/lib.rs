//! Everything that a person or a machine reads.
//!
//! A [`Story`] is a schedule told: who moved, what changed, what went wrong and why. A [`Report`] is one run of one
//! engine with its stories; [`text`], [`json`], [`sarif`], [`junit`] and [`html`] render it. [`walkthrough`] tells a story
//! step by step, and [`unfolding`] draws how executions branch. [`ScheduleFile`] is a schedule that can be saved, edited
//! and run again, and [`regression`] makes a test of it. [`compare`]
//! sets engines side by side, [`pairs`] (with [`accept`]), [`matrix`] and [`apps`] the apps of smart homes, and [`format`](mod@format)
//! writes and reads numbers, durations and sizes as people do. [`terminal`] keeps control characters from one.
//!
//! This is the only crate that serialises. It knows no engine and no frontend, prints nothing and reads no arguments:
//! everything is returned as a `String`.
#![forbid(unsafe_code)]

pub mod accept;
pub mod apps;
mod basis;
mod causes;
pub mod compare;
#[cfg(test)]
mod example;
pub mod format;
pub mod graph;
mod groups;
pub mod html;
pub mod json;
pub mod junit;
pub mod layout;
pub mod matrix;
mod meaning;
pub mod pairs;
pub mod progress;
pub mod regression;
mod run;
pub mod sarif;
mod schedule_file;
mod story;
mod table;
pub mod terminal;
pub mod text;
pub mod unfolding;
mod waits;
pub mod walkthrough;

pub use basis::{Basis, Considered, Site, Vacuity, Vacuous};
pub use causes::Cause;
pub use run::{Picked, Report, Tried};
pub use schedule_file::{Place, ReplayError, SavedStep, ScheduleError, ScheduleFile, may_be_replaced};
pub(crate) use story::Side;
pub use story::{Change, Length, Row, Story, ToldChoice, ToldEarly, ToldRace};
pub use text::TextOptions;
pub use waits::{Wait, Waited, cycle};
