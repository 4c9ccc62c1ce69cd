//! The `.mz` language: small concurrent programs as text.
//!
//! [`compile`] turns a source into a [`Program`], and a [`Model`] makes the program explorable: it implements
//! [`mazurka_core::System`]. [`parse`] and [`print()`] go between text and the syntax tree [`ast`].
//!
//! ```
//! use mazurka_core::{Narrator, System};
//! use mazurka_lang::{Identity, Model, compile};
//!
//! let program = compile("two.mz", "shared x = 0; thread a { x = 1; } thread b { x = 2; }", &[])?;
//! let model = Model::new(program.into(), Identity::History);
//! let mut enabled = Vec::new();
//! model.enabled(&model.initial_states()[0], &mut enabled);
//! assert_eq!(enabled.iter().map(|&actor| model.actor_name(actor)).collect::<Vec<_>>(), ["a", "b"]);
//! # Ok::<(), mazurka_lang::CompileError>(())
//! ```
#![forbid(unsafe_code)]

pub mod ast;
mod code;
mod compile;
mod coverage;
mod effects;
mod guard;
mod liveness;
mod model;
mod names;
mod parse;
mod print;
mod run;
mod sources;
mod state;
mod token;
mod words;

pub use code::Program;
pub use coverage::{AssertionCoverage, Coverage, Excerpt, InvariantCoverage};
pub use mazurka_core::Identity;
pub use model::Model;
pub use parse::parse;
pub use print::print;
pub use sources::{Loader, SourceName, Sources};
pub use state::State;

use ast::Unit;
use mazurka_core::Diagnostic;

/// Why a source is not a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// The source has errors. Where there are several files, [`Sources::locate`] tells which one an error is about.
    Source(Vec<Diagnostic>),
    /// A constant was to be set that the program does not have.
    UnknownConstant {
        /// The constant.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
}

/// Compiles a program that is one text. `file` is what messages call it; `defines` sets constants.
pub fn compile(file: &str, source: &str, defines: &[(String, i64)]) -> Result<Program, CompileError> {
    let (sources, unit) = Sources::read_alone(file, source);
    compile_files(&sources, &unit.map_err(|error| CompileError::Source(vec![error]))?, defines)
}

/// Compiles a program that was read with the files that it includes.
pub fn compile_files(sources: &Sources, unit: &Unit, defines: &[(String, i64)]) -> Result<Program, CompileError> {
    compile::compile(sources, unit, defines)
}
