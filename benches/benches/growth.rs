//! Time against size: `stateful` beside `exhaustive`, on families of programs with a thousand to a million transitions.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --bench growth` prints a table. What should be seen is that the time
//! per transition stays about the same as the graph grows. Both engines run on one thread, `exhaustive` stands first, and
//! each figure is the best of five runs. Nothing is asserted about time.

use mazurka_benches::stateful_beside_exhaustive;
use mazurka_lang::{Identity, Model, compile};

/// A family: its name, its program, the constant that makes it grow, and the sizes.
const FAMILIES: [(&str, &str, &str, [i64; 4]); 5] = [
    (
        "all in conflict",
        "const M = 100; shared x = 0; event add(i in 0..8) { x = (x + i + 1) % M; }",
        "M",
        [125, 1_250, 12_500, 125_000],
    ),
    ("one alarm", include_str!("../../examples/families/sensors-with-one-alarm.mz"), "N", [6, 10, 14, 18]),
    ("ring", include_str!("../../examples/families/ring-that-enables-the-next.mz"), "N", [12, 40, 130, 400]),
    ("rooms", include_str!("../../examples/families/home-with-rooms.mz"), "M", [6, 9, 12, 15]),
    (
        "threads, a lock",
        "const K = 2; mutex m; shared x = 0;
         thread t(i in 0..3) { for k in 0..K { lock(m); x = x + i + 1; unlock(m); } }",
        "K",
        [2, 5, 11, 24],
    ),
];

fn main() {
    println!(
        "{:<16} {:>8} {:>24} {:>18} {:>12} {:>10}",
        "family", "size", "transitions", "ms", "ns each", "times each"
    );
    for (name, source, constant, sizes) in FAMILIES {
        for size in sizes {
            let program = compile(name, source, &[(constant.to_owned(), size)]).expect("it compiles");
            let model = Model::new(program.into(), Identity::Presence);
            let best = stateful_beside_exhaustive(&model);
            let [full, reduced] = best.map(|(transitions, seconds)| seconds * 1e9 / transitions as f64);
            println!(
                "{name:<16} {size:>8} {:>24} {:>18} {:>12} {:>10.1}",
                format!("{} / {}", best[0].0, best[1].0),
                format!("{:.1} / {:.1}", best[0].1 * 1e3, best[1].1 * 1e3),
                format!("{full:.0} / {reduced:.0}"),
                reduced / full
            );
        }
    }
}
