//! C programs, by way of LLVM IR as text.
//!
//! clang translates a C program to IR; this crate reads the text ([`Program::from_ir`]), lowers it to a register code, and
//! runs that: a [`Model`] implements [`mazurka_core::System`]. A state is a row of words, so every engine can explore C as it
//! explores anything else, and a crash of the program is a value. Memory is sequentially consistent.
//!
//! ```
//! use mazurka_c::{Identity, Model, Options, Program};
//! use mazurka_core::System;
//!
//! let text = "define i32 @main() {\n  ret i32 0\n}\n";
//! let program = Program::from_ir(&[("empty.ll".to_owned(), text.to_owned())], &Options::default())?;
//! let model = Model::new(program.into(), Identity::History);
//! let mut enabled = Vec::new();
//! model.enabled(&model.initial_states()[0], &mut enabled);
//! assert!(enabled.is_empty());
//! # Ok::<(), mazurka_c::ReadError>(())
//! ```
#![forbid(unsafe_code)]

mod assertions;
pub mod clang;
mod clocks;
mod code;
mod coverage;
mod debug;
mod escape;
mod features;
mod ir;
mod library;
mod link;
mod liveness;
mod lower;
mod memory;
mod model;
mod objects;
mod printed;
mod registers;
mod run;
mod spin;
mod state;
mod words;

pub use assertions::{Assertion, assertions};
pub use code::Program;
pub use mazurka_core::Identity;
pub use model::{Finished, Model};
pub use printed::Printed;
pub use state::State;

use mazurka_core::{Diagnostic, Location};

/// How many keys of thread-specific values there may be.
pub(crate) const MOST_KEYS: u64 = 16;

/// How many locks a thread may hold for reading.
pub(crate) const MOST_READING: usize = 8;

/// What a program is run with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The function that runs first.
    pub entry: String,
    /// The arguments of `main`, without the program's name.
    pub arguments: Vec<String>,
    /// The values of `__VERIFIER_nondet_…`, from and to.
    pub nondet: Option<(i64, i64)>,
    /// Whether all local variables in memory are visible to others: for tests.
    pub all_visible: bool,
    /// Whether it is wrong to read memory that was never set.
    pub unset: bool,
    /// Whether it is wrong that threads go on for ever, without `mazurka_progress`.
    pub livelocks: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            entry: "main".to_owned(),
            arguments: Vec::new(),
            nondet: None,
            all_visible: false,
            unset: false,
            livelocks: false,
        }
    }
}

/// Why texts are not a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The file that it is about.
    pub file: String,
    /// What is wrong.
    pub diagnostic: Diagnostic,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}: {}", self.file, self.diagnostic.message, self.diagnostic.label)
    }
}

impl std::error::Error for ReadError {}

impl Program {
    /// Makes a program of files of IR: their names, and their texts.
    pub fn from_ir(files: &[(String, String)], options: &Options) -> Result<Program, ReadError> {
        let mut modules = Vec::new();
        for (file, text) in files {
            let module = ir::Module::read(text).map_err(|diagnostic| ReadError { file: file.clone(), diagnostic })?;
            modules.push((file.clone(), module));
        }
        link::link(&modules, options)
    }

    /// The source files that the program was made from, as clang names them.
    pub fn source_files(&self) -> Vec<String> {
        self.debug.source_files().iter().map(ToString::to_string).collect()
    }

    /// What clang calls itself.
    pub fn producer(&self) -> Option<&str> {
        self.producer.as_deref()
    }

    /// The line of the source at a place, without the blanks around it.
    pub fn line(&self, location: &Location) -> Option<&str> {
        let line = self.sources.get(&*location.file)?.get((location.line as usize).checked_sub(1)?)?;
        Some(line.trim())
    }

    /// Whether atomic accesses are used that are weaker than sequentially consistent.
    pub fn uses_weak_atomics(&self) -> bool {
        self.features.relaxed
    }

    /// The values that were explored where the program asks for any, if it does.
    pub fn explored_values(&self) -> Option<(i64, i64)> {
        let asks = self.calls.iter().any(|call| call.routine == library::Routine::Nondet);
        self.options.nondet.filter(|_| asks)
    }

    /// Bytes that tell programs apart by what they do: the same for the same code, whatever stands in comments.
    pub fn identity_bytes(&self) -> Vec<u8> {
        let Program { code, constants, pool, initial, calls, switches, constant_bytes, .. } = self;
        format!("{code:?}{constants:?}{pool:?}{initial:?}{calls:?}{switches:?}{constant_bytes:?}").into_bytes()
    }

    /// Gives the text of a source file, which reports show.
    pub fn add_source(&mut self, file: &str, text: &str) {
        self.sources.insert(file.into(), text.lines().map(str::to_owned).collect());
    }
}
