//! The folder of a Home Assistant configuration. Nothing outside of it is read, whatever its files and links say.

use crate::read::{decode, is_open_to_us, read_bytes};
use mazurka_hass::config::Files;
use std::fs;
use std::path::{Path, PathBuf};

/// The most bytes of one file of a configuration.
const MOST_BYTES: u64 = 8 << 20;

/// The most bytes of a whole configuration.
const MOST_ALTOGETHER: u64 = 64 << 20;

/// The folder of a configuration.
pub struct Folder {
    root: PathBuf,
    spare: u64,
}

impl Folder {
    /// A folder that is there.
    pub fn new(root: &Path) -> Result<Self, String> {
        if !is_open_to_us(root) {
            return Err(crate::file_trouble(&std::io::ErrorKind::NotFound.into()));
        }
        let root = root.canonicalize().map_err(|error| crate::file_trouble(&error))?;
        Ok(Folder { root, spare: MOST_ALTOGETHER })
    }

    /// The real path of something in the folder; nothing if it is not there.
    fn inside(&self, path: &str) -> Result<Option<PathBuf>, String> {
        let Ok(real) = self.root.join(path).canonicalize() else { return Ok(None) };
        if real.starts_with(&self.root) { Ok(Some(real)) } else { Err("a link leads out of the folder".to_owned()) }
    }
}

impl Files for Folder {
    fn read(&mut self, path: &str) -> Result<Option<String>, String> {
        let Some(real) = self.inside(path)? else { return Ok(None) };
        let length = fs::metadata(&real).map_err(|error| crate::file_trouble(&error))?.len();
        if length > MOST_BYTES {
            return Err(format!("the file is larger than {} MiB", MOST_BYTES >> 20));
        }
        self.spare = self
            .spare
            .checked_sub(length)
            .ok_or_else(|| format!("the configuration is larger than {} MiB", MOST_ALTOGETHER >> 20))?;
        let text =
            decode(read_bytes(&real)?).map_err(|(line, byte)| format!("byte {byte} in line {line} is not UTF-8"))?;
        Ok(Some(text))
    }

    fn list(&mut self, folder: &str) -> Result<Option<Vec<(String, bool)>>, String> {
        let Some(real) = self.inside(folder)? else { return Ok(None) };
        let Ok(entries) = fs::read_dir(real) else { return Ok(None) };
        let mut names = Vec::new();
        for entry in entries.flatten() {
            if let Ok(name) = entry.file_name().into_string() {
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                names.push((name, is_folder));
            }
        }
        Ok(Some(names))
    }
}
