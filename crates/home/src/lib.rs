//! Smart homes: SmartThings apps as programs to be checked.
//!
//! [`Home::load`] reads apps, binds their inputs to devices and installs them. A [`Home`] is a
//! [`System`](mazurka_core::System): its actors are the events of the environment and the timers of the apps, and a step
//! is one such event with everything that the apps do about it. [`groovy`] runs the apps; [`Capabilities`] knows what
//! devices can do.
#![forbid(unsafe_code)]

mod capability;
pub mod groovy;
mod scan;

pub use capability::{Attribute, Capabilities, Capability, Command, Effect};

/// Which environment the apps live in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// As a home is.
    #[default]
    Usual,
    /// As in the study of VMCAI 2022: its vocabulary and values, timers that run at once, events found by scanning.
    Paper,
}
