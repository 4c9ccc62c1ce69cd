//! The published pairs of apps, for those who have the corpus: `MAZURKA_CORPUS` is the folder with the apps, `MAZURKA_PAIRS`
//! the table of published figures.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use mazurka_core::ViolationKind;
use mazurka_home::{Home, Options, Profile};

#[test]
#[ignore = "needs the apps of the study"]
fn all_pairs_are_installed_and_have_the_published_number_of_events() {
    let corpus = std::env::var("MAZURKA_CORPUS").expect("MAZURKA_CORPUS is the folder with the apps");
    let table = std::env::var("MAZURKA_PAIRS").expect("MAZURKA_PAIRS is the table of published figures");
    let options = Options { profile: Profile::Paper, conflicts: false, ..Options::default() };
    let mut pairs = 0;
    for line in std::fs::read_to_string(table).unwrap().lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let read = |name: &str| {
            let bytes = std::fs::read(format!("{corpus}/{name}.groovy")).unwrap();
            (name.to_owned(), String::from_utf8_lossy(&bytes).into_owned())
        };
        let home = Home::load(&[read(fields[2]), read(fields[3])], &options)
            .unwrap_or_else(|faults| panic!("{line}: {:?}", faults[0].diagnostics));
        assert_eq!(home.event_count().to_string(), fields[4], "{line}");
        let unsupported = |kind: ViolationKind| kind == ViolationKind::Unsupported;
        assert!(!home.install_violations().iter().any(|violation| unsupported(violation.kind)), "{line}");
        pairs += 1;
    }
    assert_eq!(pairs, 298);
}
