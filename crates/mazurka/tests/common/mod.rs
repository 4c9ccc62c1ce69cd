//! What tests of engines share.

use std::fs;
use std::path::Path;

/// A program of the tree.
pub(crate) fn source(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All orders of some things.
pub(crate) fn orders<T: Clone>(things: &[T]) -> Vec<Vec<T>> {
    if things.is_empty() {
        return vec![Vec::new()];
    }
    let with_first = |first: usize| {
        let mut rest = things.to_vec();
        let taken = rest.remove(first);
        orders(&rest).into_iter().map(move |order| [vec![taken.clone()], order].concat())
    };
    (0..things.len()).flat_map(with_first).collect()
}
