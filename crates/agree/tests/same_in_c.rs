//! Random programs are the same in C as in `.mz`: what can go wrong, how many traces, whether there is a data race.

#[path = "../../load/tests/common/mod.rs"]
mod common;

use mazurka_agree::{CTally, compare_as_c};
use mazurka_c::clang::Clang;
use std::io::Write;
use std::path::Path;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// `MAZURKA_AGREE_C=5000` compares more programs, `MAZURKA_AGREE_C_SEED` others.
#[test]
fn random_programs_are_the_same_in_c() {
    let Ok(clang) = Clang::find() else { return common::skip("clang", "there is no clang") };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (seed, programs) = (number("MAZURKA_AGREE_C_SEED", 0), number("MAZURKA_AGREE_C", 300));
    let mut tally = CTally::default();
    let differences = compare_as_c(seed..seed + programs, &clang, folder, &mut tally).expect("clang takes the file");
    let shortest = differences.iter().min_by_key(|difference| difference.c.len());
    let summary: Vec<String> =
        differences.iter().map(|difference| format!("{}: {}", difference.seed, difference.words)).collect();
    assert!(
        differences.is_empty(),
        "{tally}{} differ:\n{}\n\nThe shortest:\n{}",
        differences.len(),
        summary.join("\n"),
        shortest.map(ToString::to_string).unwrap_or_default()
    );
    writeln!(std::io::stderr(), "{tally}").expect("standard error can be written to");
    assert!(tally.compared * 3 > tally.programs, "{tally}");
}

/// Programs that were not the same in C once: a section that nothing interrupts beside an exchange of the same variable, and a
/// read lock that is released by a thread that does not hold it.
#[test]
fn programs_that_differed_once_are_the_same_in_c() {
    let Ok(clang) = Clang::find() else { return common::skip("clang", "there is no clang") };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for seed in [23_000_033, 23_000_335, 23_000_872, 23_000_941, 23_002_091, 23_002_329] {
        let mut tally = CTally::default();
        let differences = compare_as_c(seed..seed + 1, &clang, folder, &mut tally).expect("clang takes the file");
        assert_eq!(differences, []);
        assert_eq!(tally.compared, 1, "{tally}");
    }
}
