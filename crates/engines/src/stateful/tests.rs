//! Small programs with known counts.
