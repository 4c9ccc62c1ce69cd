//! Every program of the project that is not tiny: `stateful` beside `exhaustive`.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --bench programs` prints a table, the programs with the least
//! reduction first. Both engines run on one thread, `exhaustive` stands first, and each time is the best of five runs.
//! Nothing is asserted about time.

use mazurka_benches::stateful_beside_exhaustive;
use mazurka_lang::{Identity, Model, compile};
use std::fs;
use std::path::{Path, PathBuf};

/// Programs with fewer transitions say little about time.
const FEWEST: u64 = 500;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    ["examples", "tests/papers"].iter().for_each(|folder| find(&root.join(folder), &mut files));
    files.sort();
    let mut rows = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let source = fs::read_to_string(&file).expect("it can be read");
        let program = compile(&name, &source, &[]).expect("it compiles");
        let [full, reduced] = stateful_beside_exhaustive(&Model::new(program.into(), Identity::Presence));
        if full.0 >= FEWEST {
            rows.push((1.0 - reduced.0 as f64 / full.0 as f64, name, full, reduced));
        }
    }
    rows.sort_by(|one, other| one.0.total_cmp(&other.0));
    println!(
        "{:<40} {:>18} {:>7} {:>16} {:>11} {:>9}",
        "program", "transitions", "saved", "ms", "times each", "in total"
    );
    for (saved, name, full, reduced) in rows {
        let total = reduced.1 / full.1;
        println!(
            "{name:<40} {:>18} {:>5.0} % {:>16} {:>11.1} {total:>9.2}",
            format!("{} / {}", full.0, reduced.0),
            100.0 * saved,
            format!("{:.2} / {:.2}", full.1 * 1e3, reduced.1 * 1e3),
            total / (1.0 - saved),
        );
    }
}

/// The `.mz` files below a folder.
fn find(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("it is a folder") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            find(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "mz") {
            into.push(path);
        }
    }
}
