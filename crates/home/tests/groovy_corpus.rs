//! Every script of a directory parses. The directory is named by `MAZURKA_CORPUS` (several with `:` between them).

use mazurka_home::groovy::parse;
use std::path::{Path, PathBuf};

fn scripts(directory: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            scripts(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "groovy") {
            into.push(path);
        }
    }
}

#[test]
#[allow(clippy::print_stdout)]
fn every_script_of_the_corpus_parses() {
    let Ok(directories) = std::env::var("MAZURKA_CORPUS") else {
        println!("skipped: MAZURKA_CORPUS names no directory");
        return;
    };
    let mut paths = Vec::new();
    directories.split(':').for_each(|directory| scripts(Path::new(directory), &mut paths));
    let mut failures = Vec::new();
    for path in &paths {
        let source = String::from_utf8_lossy(&std::fs::read(path).expect("a readable file")).into_owned();
        if let Err(errors) = parse(&source) {
            let error = &errors[0];
            let line = source[..error.span.start].matches('\n').count() + 1;
            failures.push(format!("{}:{line}: {} ({})", path.display(), error.message, error.label));
        }
    }
    println!("{} scripts, {} failures", paths.len(), failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
