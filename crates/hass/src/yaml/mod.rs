//! YAML as Home Assistant reads it: version 1.1, with the rules of PyYAML for plain scalars.
//!
//! The events come from a parser for YAML 1.2; what a plain scalar means is decided here (`scalar.rs`), so `on` is a boolean
//! and `12:30:00` a number. Every node knows its place. Tags are kept: an include is resolved by the reader of a
//! configuration, which knows files.

mod node;
mod parse;
mod scalar;

pub use node::{FileId, Node, Place, Value};
pub use parse::{YamlError, parse};

/// The most nodes that one configuration may have, aliases and includes counted each time that they are used.
pub const MOST_NODES: usize = 2_000_000;

/// How deep nodes may be nested.
pub const MOST_DEPTH: usize = 100;
