//! Random programs are the same as closures over the doubles of std as in `.mz`: what can go wrong, how many traces, how variables end.

use mazurka_agree::{RustTally, compare_as_closures};
use std::io::Write;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// `MAZURKA_AGREE_RUST=20000` compares more programs, `MAZURKA_AGREE_RUST_SEED` others.
#[test]
fn random_programs_are_the_same_as_closures() {
    let (seed, programs) = (number("MAZURKA_AGREE_RUST_SEED", 0), number("MAZURKA_AGREE_RUST", 300));
    let mut tally = RustTally::default();
    let differences = compare_as_closures(seed..seed + programs, &mut tally);
    assert!(differences.is_empty(), "{tally}{} differ:\n{}", differences.len(), differences.join("\n"));
    writeln!(std::io::stderr(), "{tally}").expect("standard error can be written to");
    assert!(tally.compared * 8 > tally.programs && tally.violated > 0, "{tally}");
}
