//! What is known of pairs, kept on disk: a run that was ended is taken up where it stopped.

use crate::journal::{Contents, Journal, JournalError};
use anyhow::{Result, anyhow, bail};
use mazurka::Fingerprint;
use mazurka::report::format::count;
use mazurka::report::pairs::PairRow;
use mazurka::report::terminal;
use std::collections::HashMap;
use std::path::Path;

/// What the journal is called within.
const TITLE: &str = "pairs";

/// A file with rows, by the fingerprint of everything that they depend on.
pub(crate) struct PairStore {
    journal: Journal,
    rows: HashMap<u128, String>,
}

impl PairStore {
    /// Opens a store, and makes it if there is none. Also says what happened to it, if something did. Where there can be
    /// no store, all pairs are checked; a file that is not ours is an error.
    pub(crate) fn open(path: &Path) -> Result<(Option<PairStore>, Vec<String>)> {
        let (journal, contents) = match Journal::open(path, TITLE) {
            Ok(opened) => opened,
            Err(error @ JournalError::Foreign) => {
                let expected = "expected a new file, or one that `pairs` made";
                bail!("error: {}: {}\n{expected}", terminal::path(path), words(&error));
            }
            Err(error) => {
                let remark =
                    format!("{}: {}; what is found is not kept for the next run", terminal::path(path), words(&error));
                return Ok((None, vec![remark]));
            }
        };
        let Contents { records: rows, damaged, set_aside } = contents;
        let mut remarks = Vec::new();
        if damaged > 0 {
            let rows = count(damaged as u64, "row is damaged and left out", "rows are damaged and left out");
            remarks.push(format!("{}: {rows}; what they held is checked again", terminal::path(path)));
        }
        if let Some(aside) = set_aside {
            let (file, aside) = (terminal::path(path), terminal::path(&aside));
            remarks
                .push(format!("{file}: cannot be read as a store of pairs; it is now {aside}, and a new one begins"));
        }
        Ok((Some(PairStore { journal, rows }), remarks))
    }

    /// What is known of a pair.
    pub(crate) fn find(&self, key: Fingerprint) -> Option<PairRow> {
        PairRow::restore(self.rows.get(&key.0)?)
    }

    /// Keeps rows. They are on disk when this returns.
    pub(crate) fn keep(&self, rows: &[(Fingerprint, PairRow)]) -> Result<()> {
        let records: Vec<_> = rows.iter().map(|(key, row)| (key.0, row.store())).collect();
        self.journal.add(&records).map_err(|error| anyhow!("{}", words(&error)))
    }
}

fn words(error: &JournalError) -> String {
    match error {
        JournalError::Foreign => "exists and is not a store of pairs".to_owned(),
        JournalError::InUse => "another process does not let go of it".to_owned(),
        JournalError::Io(error) => crate::save::SaveError::why_of(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_kept_is_found_again() {
        let path = std::env::temp_dir().join(format!("mazurka-pair-store-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        let row = PairRow::failed(vec!["a".to_owned(), "b".to_owned()], "why\nand\twhy", 1.0);
        let open = |path: &Path| {
            let (store, remarks) = PairStore::open(path).expect("it can be opened");
            (store.expect("there is a store"), remarks)
        };
        let (store, remarks) = open(&path);
        assert!(remarks.is_empty());
        store.keep(&[(Fingerprint(7), row.clone())]).expect("a row can be kept");
        let (store, _) = open(&path);
        assert_eq!((store.find(Fingerprint(7)), store.find(Fingerprint(8))), (Some(row), None));
        let text = fs::read_to_string(&path).expect("it is text");
        fs::write(&path, text.replace("\"b\"", "\"c\"")).expect("it can be changed");
        let (store, remarks) = open(&path);
        assert_eq!(store.find(Fingerprint(7)), None);
        assert!(remarks[0].ends_with("1 row is damaged and left out; what they held is checked again"), "{remarks:?}");
        let (store, remarks) = PairStore::open(&path.join("below")).expect("it is no error");
        assert!(
            store.is_none() && remarks[0].ends_with("its folder is a file; what is found is not kept for the next run")
        );
        fs::write(&path, "something else").expect("a file can be written");
        assert!(PairStore::open(&path).is_err());
        let _ = fs::remove_file(&path);
    }
}
