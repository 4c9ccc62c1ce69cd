//! Home Assistant: the automations of a home as a program to be checked.
//!
//! [`config`] reads a configuration: YAML as Home Assistant reads it, includes, packages, blueprints, old spellings and new
//! ones. [`template`] evaluates its Jinja templates. [`model`] makes a [`System`](mazurka_core::System) of some automations, in
//! steps that are atomic exactly where Home Assistant's are, with exact time; [`Home`] puts the slices of a whole home side
//! by side.
//!
//! ```
//! use mazurka_core::{Narrator, System};
//! use mazurka_hass::config::{Memory, read_configuration};
//! use mazurka_hass::{Home, Options};
//!
//! let text = r#"
//! automation:
//!   alias: Hall
//!   triggers: {trigger: state, entity_id: binary_sensor.hall, to: "on"}
//!   actions:
//!     - {action: light.turn_on, target: {entity_id: light.hall}}
//!     - {delay: 300}
//!     - {action: light.turn_off, target: {entity_id: light.hall}}
//! "#;
//! let configuration = read_configuration(&mut Memory::new([("configuration.yaml", text)])).expect("it can be read");
//! let home = Home::new(configuration, &[], &Options { unavailable: false, ..Options::default() }).expect("all are known");
//! let mut enabled = Vec::new();
//! home.enabled(&home.initial_states()[0], &mut enabled);
//! let names: Vec<String> = enabled.into_iter().map(|actor| home.actor_name(actor)).collect();
//! assert_eq!(names, ["binary_sensor.hall becomes on"]);
//! ```
//!
//! # What is left out
//!
//! Devices answer within ten seconds, and set what they were asked for. The sun rises at 6:30 and sets at 18:00. Of queued
//! and parallel automations two runs are followed. Trigger-based template entities, `scene.create`, and times that an entity
//! tells change nothing or are open. What a template cannot know (the month, a random number, the web) is tried both ways.
#![forbid(unsafe_code)]

pub mod config;
mod duration;
mod home;
pub mod model;
pub mod template;
mod words;
pub mod yaml;

pub use home::{Home, HomeState, OneSlice};
pub use model::Options;
