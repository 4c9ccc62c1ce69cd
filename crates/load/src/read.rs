//! Reading files: text, of a size that can be handled, from places that have an end.

use crate::LoadError;
use mazurka::report::terminal::name;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The most bytes that a file may have.
pub const MOST_BYTES: u64 = 64 << 20;

/// The only folder that this process reads, if it is confined to one.
static ONLY: OnceLock<PathBuf> = OnceLock::new();

/// From now on nothing outside of this folder is read, whatever a program includes and wherever links lead, and no compiler
/// is called: the program comes from a stranger.
pub fn confine(folder: &Path) -> io::Result<()> {
    let folder = folder.canonicalize()?;
    ONLY.get_or_init(|| folder);
    Ok(())
}

pub(crate) fn is_confined() -> bool {
    ONLY.get().is_some()
}

/// Whether this process may look at a file or folder.
pub(crate) fn is_open_to_us(path: &Path) -> bool {
    ONLY.get().is_none_or(|only| path.canonicalize().is_ok_and(|path| path.starts_with(only)))
}

/// Reads a text. `kind` says what was expected, as in "an app". A byte order mark at its beginning is left out.
pub fn read_text(file: &str, kind: &str) -> Result<String, LoadError> {
    let bytes = read_bytes(Path::new(file))
        .map_err(|why| LoadError::plain(format!("error: {}: {why}\nexpected {kind} that can be read", name(file))))?;
    decode(bytes).map_err(|(line, byte)| {
        LoadError::plain(format!("error: {}:{line}: byte {byte} is not UTF-8\nexpected a text file", name(file)))
    })
}

/// The text of some bytes without a byte order mark; otherwise the line and the byte at which it is none.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<String, (usize, usize)> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        (error.as_bytes()[..valid].iter().filter(|&&byte| byte == b'\n').count() + 1, valid)
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// Reads a file, or says why it cannot be read.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    look(path)?;
    let trouble = |error: io::Error| file_trouble(&error);
    let mut bytes = Vec::new();
    File::open(path).map_err(trouble)?.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(trouble)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("the file is larger than {} MiB", MOST_BYTES >> 20));
    }
    Ok(bytes)
}

/// What is known of a file before it is opened, or why that will not be done.
pub(crate) fn look(path: &Path) -> Result<Metadata, String> {
    if !is_open_to_us(path) {
        // Whether there is one is not for strangers to know.
        return Err(file_trouble(&io::ErrorKind::NotFound.into()));
    }
    let metadata = fs::metadata(path).map_err(|error| file_trouble(&error))?;
    if metadata.is_dir() {
        return Err("this is a folder".to_owned());
    }
    if !metadata.is_file() && !is_open_already(path) {
        return Err("this is a device or a pipe, not a file".to_owned());
    }
    Ok(metadata)
}

/// Whether a path leads to what this process was given, such as `/dev/stdin` or `/dev/fd/63` of a shell's `<(…)`. To
/// open that does not block.
fn is_open_already(path: &Path) -> bool {
    path == Path::new("/dev/stdin") || path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd")
}

/// What the system says of a file that cannot be used, in our words where they are clearer.
pub fn file_trouble(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::IsADirectory => "this is a folder".to_owned(),
        io::ErrorKind::NotADirectory => "its folder is a file".to_owned(),
        io::ErrorKind::PermissionDenied => "access is denied".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(path: &Path) -> String {
        read_text(&path.display().to_string(), "a program").expect_err("it cannot be read").to_string()
    }

    #[test]
    fn what_is_no_text_is_told_with_its_place() {
        let folder = std::env::temp_dir().join(format!("mazurka-read-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder can be made");
        let file = folder.join("file");
        fs::write(&file, "\u{feff}one\ntwo").expect("it can be written");
        assert_eq!(read_text(&file.display().to_string(), "a text").expect("it is text"), "one\ntwo");
        fs::write(&file, b"one\n\xff").expect("it can be written");
        assert!(error(&file).contains("file:2: byte 4 is not UTF-8\nexpected a text file"));
        assert!(error(&folder).ends_with("this is a folder\nexpected a program that can be read"));
        assert!(error(&folder.join("none")).contains("none: there is no such file"));
        let large = File::create(&file).expect("it can be made");
        large.set_len(MOST_BYTES + 1).expect("it can be made long");
        assert!(error(&file).contains("the file is larger than 64 MiB"));
        #[cfg(target_os = "linux")]
        for device in ["/dev/zero", "/dev/tty"] {
            assert!(error(Path::new(device)).contains("this is a device or a pipe, not a file"));
        }
        let _ = fs::remove_dir_all(&folder);
    }
}
