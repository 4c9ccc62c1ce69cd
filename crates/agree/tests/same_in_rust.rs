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

/// Programs of which the closures have fewer traces: readers of a lock order nothing there, and a handler counts as a lock only if
/// a message that it runs waits.
#[test]
fn closures_may_be_finer() {
    for seed in [3_310_007_304, 3_330_000_615, 3_330_019_276] {
        let mut tally = RustTally::default();
        assert_eq!(compare_as_closures(seed..seed + 1, &mut tally), Vec::<String>::new());
        assert_eq!(tally.compared, 1);
    }
}
