//! Random small homes: `stateful` must report exactly the conflicts, crashes, cascades and broken rules that `exhaustive`
//! reports.
//!
//! Each home comes from one number. `MAZURKA_HOMES=100000 cargo test --release --test homes` runs many.

use mazurka::home::{Home, Options as HomeOptions};
use mazurka::{Check, Engine, Verdict, Violation};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A small generator: the same homes every time.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const CONDITIONS: [&str; 10] = [
    "lamp.currentSwitch == 'on'",
    "door.currentLock == 'locked'",
    "sensor.currentMotion == 'active'",
    "location.mode == 'Away'",
    "state.count > 1",
    "state.flag",
    "evt?.value == 'on'",
    "!state.flag && lamp.currentSwitch == 'off'",
    "state.size() > 1",
    "state.other.size() > 0",
];

const ACTIONS: [&str; 17] = [
    "lamp.on()",
    "lamp.off()",
    "door.lock()",
    "door.unlock()",
    "siren.siren()",
    "siren.off()",
    "state.count = ((state.count ?: 0) + 1) % 3",
    "state.flag = !state.flag",
    "state.other = [1]",
    "state.remove('other')",
    "setLocationMode('Away')",
    "setLocationMode('Home')",
    "runIn(60, later)",
    "runIn(60, again)",
    "unschedule(later)",
    "unsubscribe(lamp)",
    "subscribe(lamp, 'switch', first)",
];

const SUBSCRIPTIONS: [&str; 7] = [
    "subscribe(lamp, 'switch', first)",
    "subscribe(lamp, 'switch.on', second)",
    "subscribe(door, 'lock', first)",
    "subscribe(sensor, 'motion.active', second)",
    "subscribe(sensor, 'motion', first)",
    "subscribe(location, 'mode', second)",
    "subscribe(app, first)",
];

fn statements(random: &mut Random, depth: usize, text: &mut String) {
    for _ in 0..1 + random.below(2) {
        if depth < 2 && random.below(3) == 0 {
            writeln!(text, "    if ({}) {{", random.pick(&CONDITIONS)).expect("a text grows");
            statements(random, depth + 1, text);
            if random.below(2) == 0 {
                text.push_str("    } else {\n");
                statements(random, depth + 1, text);
            }
            text.push_str("    }\n");
        } else {
            writeln!(text, "    {}", random.pick(&ACTIONS)).expect("a text grows");
        }
    }
}

fn app(random: &mut Random, name: &str) -> String {
    let mut text =
        format!("definition(name: \"{name}\", namespace: \"x\", author: \"x\", description: \"x\")\npreferences {{\n");
    for (input, capability) in [("lamp", "switch"), ("door", "lock"), ("sensor", "motionSensor"), ("siren", "alarm")] {
        writeln!(text, "    section {{ input \"{input}\", \"capability.{capability}\" }}").expect("a text grows");
    }
    text.push_str("}\ndef installed() {\n");
    for _ in 0..1 + random.below(2) {
        writeln!(text, "    {}", random.pick(&SUBSCRIPTIONS)).expect("a text grows");
    }
    text.push_str("}\n");
    for handler in ["first(evt)", "second(evt)", "later(evt = null)", "again(evt = null)"] {
        writeln!(text, "def {handler} {{").expect("a text grows");
        statements(random, 0, &mut text);
        text.push_str("}\n");
    }
    text
}

/// What is wrong, without the schedules and the values: where several stand at one place, once.
fn found(home: &Home, engine: Engine, plain: bool) -> Option<BTreeSet<(String, String, String)>> {
    let mut options = mazurka::engines::Options { all: true, threads: 1, plain, ..Default::default() };
    options.budget.time = Some(std::time::Duration::from_secs(20));
    let checked = Check::new(home).engine(engine).options(options).run();
    if matches!(checked.exploration.verdict, Verdict::Inconclusive(_)) {
        return None;
    }
    assert!(!matches!(checked.exploration.verdict, Verdict::Unsupported(_)), "{checked}");
    let told = |violation: &Violation| {
        let place = violation.location.as_ref().map(ToString::to_string).unwrap_or_default();
        (violation.kind.name().to_owned(), violation.message.clone(), place)
    };
    Some(checked.exploration.violations.iter().map(|found| told(&found.violation)).collect())
}

#[test]
fn stateful_reports_what_exhaustive_reports() {
    let homes: u64 = std::env::var("MAZURKA_HOMES").ok().and_then(|homes| homes.parse().ok()).unwrap_or(300);
    let first: u64 = std::env::var("MAZURKA_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut with_violations = 0;
    for seed in first..first + homes {
        let mut random = Random::new(seed);
        let sources = ["One", "Two"].map(|name| (format!("{name}.groovy"), app(&mut random, name)));
        let never = if random.below(2) == 0 {
            vec!["lock == \"unlocked\" and mode == \"Away\"".to_owned()]
        } else {
            Vec::new()
        };
        let options = HomeOptions { conflicts: random.below(3) > 0, never, ..HomeOptions::default() };
        let load = || Home::load(&sources, &options).unwrap_or_else(|faults| panic!("seed {seed}: {faults:?}"));
        let Some(all) = found(&load(), Engine::Exhaustive, false) else { continue };
        with_violations += u64::from(!all.is_empty());
        for plain in [false, true] {
            let Some(reduced) = found(&load(), Engine::Stateful, plain) else { continue };
            assert_eq!(reduced, all, "seed {seed}, plain {plain}\n{}\n{}", sources[0].1, sources[1].1);
        }
    }
    assert!(with_violations > homes / 4, "only {with_violations} of {homes} homes have something wrong");
}
