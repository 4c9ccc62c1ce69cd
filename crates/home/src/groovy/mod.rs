//! The Groovy dialect of SmartThings apps.
//!
//! [`parse`] turns the text of an app into a [`Script`], which never changes again and is shared between threads. An
//! [`Instance`] is a script with its own script-level variables: one app in a home. A [`Run`] executes methods of
//! instances; whatever lies outside of the language (inputs, devices, `subscribe`, `state`, the clock) it asks of a
//! [`Host`]. [`Value`]s live during one run; what stays between runs is [`Frozen`].
//!
//! A construct or library method that is not supported is an error ([`TroubleKind::Unsupported`]) when it is reached,
//! never a silent no-op.

mod calendar;
mod class;
mod codec;
mod frozen;
mod host;
mod json;
mod library;
mod native;
mod number;
mod parse;
mod pattern;
mod run;
mod script;
mod span;
mod text;
mod tree;
mod trouble;
mod value;

pub use frozen::{Frozen, NotFreezable};
pub use host::{Elements, Host};
pub(crate) use json::parse as parse_json;
pub use native::Native;
pub use pattern::{Matcher, Pattern};
pub use run::{Instance, Limits, Run};
pub use script::{Script, parse};
pub use span::{Position, Span};
pub use trouble::{Trouble, TroubleKind};
pub use value::{Closure, Extra, List, ListKind, Map, Object, Value};
