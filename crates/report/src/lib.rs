//! Everything that a person or a machine reads.
//!
//! - `story`, what is told, as plain data: a [`Story`] is a schedule told (who moved, what changed, what went wrong and
//!   why), a [`Report`] is one run of one engine with its stories.
//! - `render`, how it is shown: [`text`], [`json`], [`sarif`], [`junit`] and [`html`] render a report, [`compare`] shows
//!   engines side by side, [`walkthrough`] tells a story step by step, and [`unfolding`] draws how executions branch.
//!   [`format`](mod@format) writes and reads numbers, durations and sizes, [`terminal`] writes control characters out.
//! - `saved`: [`ScheduleFile`] is a schedule that can be saved, edited and run again; [`regression`] makes a test of it.
//! - [`explore`]: what there is to see at one place of an execution, and how the live explorer's page and server write to each
//!   other.
//! - `homes`: tables over the apps of smart homes ([`apps`], [`automations`]) and over pairs of them ([`pairs`], [`accept`], [`matrix`]).
//!
//! This is the only crate that serialises. It knows no engine and no frontend, prints nothing and reads no arguments:
//! everything is returned as a `String`.
#![forbid(unsafe_code)]

#[cfg(test)]
mod example;
pub mod explore;
mod homes;
mod render;
mod saved;
mod story;

pub use homes::{accept, apps, automations, matrix, pairs};
pub use render::text::TextOptions;
pub use render::{compare, format, html, json, junit, layout, progress, sarif, terminal, text, unfolding, walkthrough};
pub(crate) use render::{meaning, table};
pub use saved::{Place, ReplayError, SavedLoop, SavedStep, ScheduleError, ScheduleFile, may_be_replaced, regression};
pub use story::{
    Basis, Cause, Change, Considered, Length, Picked, Report, Row, Site, Story, ToldChoice, ToldEarly, ToldLasso,
    ToldRace, Tried, Vacuity, Vacuous, Wait, Waited, cycle, graph,
};
pub(crate) use story::{Side, groups, waits};
