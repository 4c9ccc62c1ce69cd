//! Reads the files that a `.mz` program includes.

use crate::load::file_trouble;
use mazurka_lang::{Loader, SourceName};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// A longer file is no program: so much is read, and a byte more to see that there is more.
const MOST_BYTES: u64 = 4 << 20;

/// The file system: a file is named as seen from the one that includes it.
pub(crate) struct Files;

impl Loader for Files {
    fn find(&mut self, from: &str, path: &str) -> Result<SourceName, String> {
        let path = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
        let kind = fs::metadata(&path).map_err(|error| file_trouble(&error))?;
        if kind.is_dir() {
            return Err("this is a folder".to_owned());
        }
        if !kind.is_file() {
            return Err("this is not a file with a text in it".to_owned());
        }
        if kind.len() > MOST_BYTES {
            return Err(format!("it has {} bytes, more than 4 MiB", kind.len()));
        }
        Ok(identify(&path.display().to_string()))
    }

    fn read(&mut self, file: &SourceName) -> Result<String, String> {
        let mut bytes = Vec::new();
        let open = File::open(&file.name).map_err(|error| file_trouble(&error))?;
        open.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| file_trouble(&error))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..valid].iter().filter(|&&byte| byte == b'\n').count() + 1;
            format!("byte {valid} in line {line} is not UTF-8")
        })?;
        Ok(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned))
    }
}

/// The file with this name: one file is one file, however its path is written and whatever links lead to it.
pub(crate) fn identify(name: &str) -> SourceName {
    let identity = fs::canonicalize(name).map_or_else(|_| name.to_owned(), |path| path.display().to_string());
    SourceName { name: name.to_owned(), identity }
}
