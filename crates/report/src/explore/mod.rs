//! What the live explorer shows, as plain data, and how its page and its server write to each other.
//!
//! A [`Waypoint`] is a place where an execution stands, as a short text. A [`Follower`] brings a program there and tells what there
//! is to see ([`At`]). A [`Teller`] tells an [`Audience`] what an engine does. [`wire`] reads requests and writes answers.

mod at;
mod follower;
mod sign;
mod waypoint;
pub mod wire;

pub use at::{At, Clash, Halt, Mover, PathStep, RaceWith, Standing, TouchedAs, Way, Wrong};
pub use follower::{Follow, Follower};
pub use sign::{Audience, Leaf, NodeNumber, Sign, Teller};
pub use waypoint::{MOST_STEPS, NoWaypoint, Turn, Waypoint};
