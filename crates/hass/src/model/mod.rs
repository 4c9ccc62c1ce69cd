//! Some automations of a home as a program that can be checked.
//!
//! Home Assistant is one thread. A step is one thing that happens (a device reports, a button is pressed, a delay ends, a call
//! returns) with everything that follows before the loop waits again; see `stage.rs`. Three things are open, and all
//! ways are tried: when the environment does something, how long a device takes, and in which order automations with the
//! same trigger are called. Time is exact (`zone`).

mod ask;
mod code;
mod expect;
mod follow;
mod layout;
mod listen;
mod perform;
mod scenario;
mod services;
mod simulate;
mod stage;
mod state;
mod system;
mod zone;

pub(crate) use expect::entities_of;
pub(crate) use layout::{has_effect, set_by};
pub use scenario::test_script;
pub use simulate::{Played, Scenario, ScenarioStep, play};
pub use state::State;
pub(crate) use system::ONE_EVENT;
pub use system::{Model, Options};
