//! The grammar for editors knows every word of the language.

use std::fs;
use std::path::Path;

#[test]
fn the_grammar_for_editors_has_every_word() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("the file is there");
    let grammar = read("editors/vscode/syntaxes/mz.tmLanguage.json");
    let tokens = read("crates/lang/src/token.rs");
    let words = tokens.lines().filter_map(|line| line.trim().strip_prefix("#[token(\"")?.strip_suffix("\")]"));
    let words: Vec<&str> = words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic())).collect();
    assert!(words.len() > 40, "the words were found: {words:?}");
    for word in words {
        let is_there = grammar.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|part| part == word);
        assert!(is_there, "the grammar for editors does not know `{word}`");
    }
}
