//! Schedules that are kept: as a file, and as a regression test.

pub mod regression;
mod schedule_file;

pub use schedule_file::{Place, ReplayError, SavedLoop, SavedStep, ScheduleError, ScheduleFile, may_be_replaced};
