//! Smart homes: SmartThings apps as programs to be checked.
//!
//! [`Home::load`] reads apps, binds their inputs to devices and installs them. A [`Home`] is a
//! [`System`](mazurka_core::System): its actors are the events of the environment and the timers of the apps, and a step
//! is one such event with everything that the apps do about it. [`mazurka_groovy`] runs the apps; [`Capabilities`] knows what
//! devices can do.
//!
//! ```
//! use mazurka_core::{Narrator, System};
//! use mazurka_home::{Home, Options};
//!
//! let app = r#"
//!     definition(name: "Night Light")
//!     preferences { section("Light") { input "light", "capability.switch"; input "eye", "capability.motionSensor" } }
//!     def installed() { subscribe(eye, "motion.active", seen) }
//!     def seen(evt) { light.on() }
//! "#;
//! let home = Home::load(&[("night.groovy".into(), app.into())], &Options::default()).expect("it is an app");
//! let mut enabled = Vec::new();
//! home.enabled(&home.initial_states()[0], &mut enabled);
//! let names: Vec<String> = enabled.into_iter().map(|actor| home.actor_name(actor)).collect();
//! assert_eq!(names, ["motion sensor sees motion", "motion sensor sees no more motion"]);
//! ```
//!
//! # What is left out
//!
//! Time stands still: every event happens at the same moment, and a timer can go off as soon as it is set. What an app
//! does after some time has passed since a moment that it noted is not seen. Devices remember nothing; a question about the
//! past is a choice. A random number is the first, a middle or the last one of its range. The web does not answer. Routines
//! and child apps are noted and do nothing; of child devices only that they are there and what they are told is followed. Only what some app has subscribed to changes by itself; everything else
//! stays as it is in the two initial states.
#![forbid(unsafe_code)]

mod app;
mod basis;
mod capability;
mod clock;
mod environment;
mod happening;
mod home;
mod home_file;
mod layout;
mod library;
mod liveness;
mod memo;
mod model;
mod overview;
mod platform;
mod reading;
mod rules;
mod scan;
mod severity;
mod stage;
mod state;
mod store;
mod story;
mod wiring;
mod words;
mod written;

pub use app::{App, Input, InputKind};
pub use basis::IdleRule;
pub use capability::{Attribute, Capabilities, Capability, Command, Effect};
pub use home::{Faults, Home};
pub use library::{included, library_name, with_libraries};
pub use overview::{InputOverview, Overview};
pub use state::State;

/// What a home is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which environment the apps live in.
    pub profile: Profile,
    /// Whether to look for apps that fight over a device. Who wrote last is then part of the state.
    pub conflicts: bool,
    /// What must never be, such as `lock == "unlocked" and mode == "Away"`.
    pub never: Vec<String>,
    /// What has to be true at some point.
    pub eventually: Vec<String>,
    /// What has to be true again and again.
    pub always_eventually: Vec<String>,
    /// What has to follow what, such as `smoke == "clear" ~> alarm == "off"`.
    pub leads_to: Vec<String>,
    /// The devices and events that come about in the end whenever they always can.
    pub fair: Vec<String>,
    /// Which devices there are and what is plugged into what, if a file says so.
    pub home: Option<HomeText>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            profile: Profile::default(),
            conflicts: true,
            never: Vec::new(),
            eventually: Vec::new(),
            always_eventually: Vec::new(),
            leads_to: Vec::new(),
            fair: Vec::new(),
            home: None,
        }
    }
}

/// A `home.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomeText {
    /// What messages call it.
    pub file: String,
    /// Its text.
    pub text: String,
}

/// Which environment the apps live in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// As a home is.
    #[default]
    Usual,
    /// As in the study of VMCAI 2022: its vocabulary and values, timers that run at once, events found by scanning.
    Paper,
}

/// The modes of a home that does not say which ones it has.
pub(crate) const MODES: [&str; 3] = ["Home", "Away", "Night"];

/// The modes of the study.
pub(crate) const PAPER_MODES: [&str; 3] = ["home", "away", "night"];
