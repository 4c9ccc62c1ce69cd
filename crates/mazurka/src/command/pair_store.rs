//! What is known of pairs, kept on disk: a run that was ended is taken up where it stopped.

use anyhow::{Context, Result};
use mazurka::Fingerprint;
use mazurka::report::pairs::PairRow;
use redb::{Database, DatabaseError, ReadableDatabase, TableDefinition};
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// The rows by the fingerprint of everything that they depend on.
const ROWS: TableDefinition<'_, u128, &str> = TableDefinition::new("pairs");

/// How long a store may be in other hands.
const PATIENCE: Duration = Duration::from_secs(2);

/// A file with rows.
pub(crate) struct PairStore {
    database: Database,
}

impl PairStore {
    /// Opens a store, and makes it if there is none. It is made beside its place and moved there when it is whole: a
    /// run that is killed meanwhile leaves nothing that cannot be opened.
    pub(crate) fn open(path: &Path) -> Result<PairStore> {
        let trouble = || {
            format!(
                "error: {}: cannot keep results here\nexpected a new file, or one that `pairs` made",
                path.display()
            )
        };
        if !path.exists() {
            let mut name = path.file_name().unwrap_or_default().to_os_string();
            name.push(".new");
            let new = path.with_file_name(name);
            make(&new).and_then(|()| Ok(fs::rename(&new, path)?)).with_context(trouble)?;
        }
        let database = open_when_free(path).with_context(trouble)?;
        Ok(PairStore { database })
    }

    /// What is known of a pair.
    pub(crate) fn find(&self, key: Fingerprint) -> Result<Option<PairRow>> {
        let table = self.database.begin_read()?.open_table(ROWS)?;
        Ok(table.get(key.0)?.and_then(|row| PairRow::restore(row.value())))
    }

    /// Keeps rows. They are on disk when this returns.
    pub(crate) fn keep(&self, rows: &[(Fingerprint, PairRow)]) -> Result<()> {
        let write = self.database.begin_write()?;
        {
            let mut table = write.open_table(ROWS)?;
            for (key, row) in rows {
                table.insert(key.0, row.store().as_str())?;
            }
        }
        write.commit()?;
        Ok(())
    }
}

/// Opens a store that may still be in the hands of a run that was killed: a process that it was just about to start
/// holds its files for a moment.
fn open_when_free(path: &Path) -> Result<Database, DatabaseError> {
    let started = Instant::now();
    loop {
        match Database::open(path) {
            Err(DatabaseError::DatabaseAlreadyOpen) if started.elapsed() < PATIENCE => thread::sleep(PATIENCE / 40),
            opened => return opened,
        }
    }
}

/// Makes an empty store.
fn make(path: &Path) -> Result<()> {
    let _ = fs::remove_file(path);
    let write = Database::create(path)?.begin_write()?;
    write.open_table(ROWS)?;
    write.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_again() {
        let path = std::env::temp_dir().join(format!("mazurka-pair-store-{}", std::process::id()));
        let row = PairRow::failed(vec!["a".to_owned(), "b".to_owned()], "why", 1.0);
        let store = PairStore::open(&path).expect("a store can be made");
        store.keep(&[(Fingerprint(7), row.clone())]).expect("a row can be kept");
        drop(store);
        let store = PairStore::open(&path).expect("a store can be opened again");
        assert_eq!(store.find(Fingerprint(7)).expect("it can be read"), Some(row));
        assert_eq!(store.find(Fingerprint(8)).expect("it can be read"), None);
        drop(store);
        fs::write(&path, "something else").expect("a file can be written");
        assert!(PairStore::open(&path).is_err());
        let _ = fs::remove_file(&path);
    }
}
