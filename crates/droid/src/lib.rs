//! DroidRacer traces: recorded executions of Android apps, to be reordered.
//!
//! A trace is a program given as one execution. What a thread did before its event loop, and what each event handler
//! did, is fixed code without values and without branches; to explore the trace is to try the other orders in which
//! threads could have moved and events could have been posted. [`read`] turns the text of a trace and of the file of
//! dependences beside it into a [`Recording`], which is a [`mazurka_core::System`].
//!
//! The way from text to program: `line` reads one line into an `operation`, `dependence` reads the other file, `replay`
//! runs the given order once to see that it is a legal execution, and `program` cuts the operations of each task into
//! steps. `recording` runs them, and `words` has the names.
//!
//! ```
//! use mazurka_core::{Narrator, System};
//!
//! let trace = "1 START\n2 THREADINIT tid:1\n3 FORK par-tid:1 child-tid:2\n4 THREADINIT tid:2\n5 THREADEXIT tid:2\n";
//! let recording = mazurka_droid::read("trace.txt", trace, None).expect("a trace");
//! let mut enabled = Vec::new();
//! recording.enabled(&recording.initial_states()[0], &mut enabled);
//! assert_eq!(recording.actor_name(enabled[0]), "t1");
//! ```
#![forbid(unsafe_code)]

mod dependence;
mod line;
mod operation;
mod program;
mod recording;
mod replay;
mod words;

pub use recording::{Recording, State};

use mazurka_core::Diagnostic;

/// Why two files are not a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The trace has errors.
    Trace(Vec<Diagnostic>),
    /// The file of dependences has errors.
    Dependence(Vec<Diagnostic>),
}

/// Reads a trace, and the dependences between its operations if there are any. `file` is what reports call the trace.
pub fn read(file: &str, trace: &str, dependence: Option<&str>) -> Result<Recording, ReadError> {
    let lines = line::read_all(trace).map_err(|error| ReadError::Trace(vec![error]))?;
    let edges =
        dependence::read_all(dependence.unwrap_or(""), &lines).map_err(|error| ReadError::Dependence(vec![error]))?;
    let replayed = replay::check(&lines).map_err(|error| ReadError::Trace(vec![error]))?;
    Ok(Recording::new(program::Program::new(file, trace, &lines, &edges, &replayed)))
}
