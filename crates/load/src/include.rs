//! Reads the files that a `.mz` program includes.

use crate::read::{decode, look, read_bytes};
use mazurka::lang::{Loader, SourceName};
use std::fs;
use std::path::Path;

/// A longer file is no program.
const MOST_BYTES: u64 = 4 << 20;

/// The file system: a file is named as seen from the one that includes it.
pub(crate) struct Files;

impl Loader for Files {
    fn find(&mut self, from: &str, path: &str) -> Result<SourceName, String> {
        let path = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
        let length = look(&path)?.len();
        if length > MOST_BYTES {
            return Err(format!("it has {length} bytes, more than 4 MiB"));
        }
        Ok(identify(&path.display().to_string()))
    }

    fn read(&mut self, file: &SourceName) -> Result<String, String> {
        let bytes = read_bytes(Path::new(&file.name))?;
        decode(bytes).map_err(|(line, byte)| format!("byte {byte} in line {line} is not UTF-8"))
    }
}

/// The file with this name: one file is one file, however its path is written and whatever links lead to it.
pub(crate) fn identify(name: &str) -> SourceName {
    let identity = fs::canonicalize(name).map_or_else(|_| name.to_owned(), |path| path.display().to_string());
    SourceName { name: name.to_owned(), identity }
}
