//! The Groovy dialect of SmartThings apps.
//!
//! [`parse`] turns the text of an app into a [`Script`], which never changes again and is shared between threads. An
//! [`Instance`] is a script with its own script-level variables: one app in a home. A [`Run`] executes methods of
//! instances; whatever lies outside of the language (inputs, devices, `subscribe`, `state`, the clock) it asks of a
//! [`Host`]. [`Value`]s live during one run; what stays between runs is [`Frozen`].
//!
//! A construct or library method that is not supported is an error ([`TroubleKind::Unsupported`]) when it is reached,
//! never a silent no-op.
//!
//! ```
//! use mazurka_groovy::parse;
//!
//! let script = parse("def handler(evt) { switches.on() }").expect("a script");
//! assert!(script.has_method("handler"));
//! let errors = parse("def handler(evt) {").expect_err("the brace is never closed");
//! assert_eq!(errors[0].message, "expected `}`, found the end of the file");
//! ```
//!
//! Where it differs from Groovy: a text with interpolations is a text at once; `float` is a double and `BigInteger` a
//! decimal, which has 28 digits; a date is a plain value, so a second variable does not see it change; arrays are lists;
//! characters are texts; loops go over a copy of the collection, so changing it meanwhile is no error; overloads are
//! told apart by the number of arguments and by declared simple types; classes that a script declares cannot be used;
//! regular expressions have no look-around and no back references; of JDK classes only those exist that apps use.
#![forbid(unsafe_code)]

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
pub use json::parse as parse_json;
pub use native::Native;
pub use pattern::{Matcher, Pattern};
pub use run::{Instance, Limits, Run};
pub use script::{Script, parse};
pub use span::{Position, Span};
pub use trouble::{Trouble, TroubleKind};
pub use value::{Closure, Extra, List, ListKind, Map, Object, Value};
