//! Files that the command writes: whole or not at all, and never in the place of a file that is not ours.
//!
//! A file is written under another name in the same folder, and gets its name when it is complete. A run that is killed,
//! or a disk that is full, leaves the old file as it was.

use mazurka_load::file_trouble;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// How much of a file is read to see whether it is ours.
const HEAD: u64 = 4096;
/// How often a name is tried that other processes use at the same time.
const MOST_TRIES: usize = 100;

/// Which files may be replaced: those whose beginning this accepts.
pub(crate) type MayReplace<'a> = &'a dyn Fn(&[u8]) -> bool;

/// Why a file was not written.
#[derive(Debug)]
pub(crate) enum SaveError {
    /// Something else has this name.
    Taken,
    /// The system refused.
    Io(io::Error),
}

impl SaveError {
    /// The reason in words; `taken` is what is said of a name that something else has.
    pub(crate) fn why(&self, taken: &str) -> String {
        match self {
            SaveError::Taken => taken.to_owned(),
            SaveError::Io(error) => SaveError::why_of(error),
        }
    }

    /// What the system says of a file that cannot be written, in our words where they are clearer.
    pub(crate) fn why_of(error: &io::Error) -> String {
        match error.kind() {
            io::ErrorKind::NotFound => "there is no such folder".to_owned(),
            io::ErrorKind::NotADirectory => "its folder is a file".to_owned(),
            io::ErrorKind::StorageFull => "the disk is full".to_owned(),
            io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only".to_owned(),
            _ => file_trouble(error),
        }
    }
}

impl From<io::Error> for SaveError {
    fn from(error: io::Error) -> Self {
        SaveError::Io(error)
    }
}

/// Writes a file. A new file never takes the place of another one, also if that is made at the same time; a file that is
/// there is replaced if `may_replace` accepts how it begins.
pub(crate) fn save(path: &Path, contents: &[u8], may_replace: MayReplace<'_>) -> Result<(), SaveError> {
    save_with(path, contents, may_replace, |_| Ok(()))
}

/// Writes a file that can be run.
pub(crate) fn save_executable(path: &Path, contents: &[u8], may_replace: MayReplace<'_>) -> Result<(), SaveError> {
    save_with(path, contents, may_replace, make_executable)
}

fn save_with(
    path: &Path,
    contents: &[u8],
    may_replace: MayReplace<'_>,
    finish: fn(&File) -> io::Result<()>,
) -> Result<(), SaveError> {
    if is_stream(path) {
        let mut file = OpenOptions::new().write(true).open(path)?;
        return Ok(file.write_all(contents).and_then(|()| file.flush())?);
    }
    // A link stays a link: what it leads to is replaced.
    let target = if path.is_symlink() { path.canonicalize()? } else { path.to_owned() };
    let present = fs::metadata(&target).ok();
    if present.is_some() && !is_ours(&target, may_replace)? {
        return Err(SaveError::Taken);
    }
    let mut temporary = Temporary::new(&target)?;
    if let Some(present) = present {
        let _ = temporary.file.set_permissions(present.permissions());
    }
    temporary.file.write_all(contents)?;
    finish(&temporary.file)?;
    temporary.file.sync_all()?;
    for _ in 0..MOST_TRIES {
        match fs::hard_link(&temporary.path, &target) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            // Not every kind of disk has links.
            Err(_) if !target.exists() => return Ok(fs::rename(&temporary.path, &target)?),
            Err(error) => return Err(error.into()),
        }
        match is_ours(&target, may_replace) {
            Ok(true) => return Ok(fs::rename(&temporary.path, &target)?),
            Ok(false) => return Err(SaveError::Taken),
            // It has gone meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(SaveError::Taken)
}

/// Whether a path names a device or what a descriptor leads to, as `/dev/stdout` and `/dev/null` do: there is no name
/// there that could be given to another file.
fn is_stream(path: &Path) -> bool {
    let descriptors = ["/proc", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr"];
    let is_device = || fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    descriptors.iter().any(|descriptor| path.starts_with(descriptor)) || path.starts_with("/dev") && is_device()
}

fn is_ours(path: &Path, may_replace: MayReplace<'_>) -> io::Result<bool> {
    // A pipe would wait for its other end.
    if !fs::metadata(path)?.is_file() {
        return Ok(false);
    }
    let mut head = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    Ok(may_replace(&head))
}

/// A file that is not complete. It is gone when this is dropped.
struct Temporary {
    path: PathBuf,
    file: File,
}

impl Temporary {
    /// A new file in the folder of another one.
    fn new(beside: &Path) -> io::Result<Temporary> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = beside.with_file_name(format!(".mazurka-{}-{number}.tmp", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok(Temporary { path, file }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(unix)]
fn make_executable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_file: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::thread;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("mazurka-save-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder can be made");
        folder
    }

    fn ours(head: &[u8]) -> bool {
        head.starts_with(b"ours")
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("the folder can be listed");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_file_of_ours_is_replaced_and_no_other() {
        let folder = folder("replace");
        let path = folder.join("file");
        save(&path, b"ours 1", &ours).expect("a new file");
        save(&path, b"ours 2", &ours).expect("a file of ours");
        assert_eq!(fs::read(&path).expect("it is there"), b"ours 2");
        fs::write(&path, "theirs").expect("it can be written");
        assert!(matches!(save(&path, b"ours 3", &ours), Err(SaveError::Taken)));
        assert_eq!(fs::read(&path).expect("it is there"), b"theirs");
        assert!(matches!(save(&folder, b"ours", &ours), Err(SaveError::Taken)));
        let below_a_file = save(&path.join("file"), b"ours", &ours).expect_err("its folder is a file");
        assert_eq!(below_a_file.why(""), "its folder is a file");
        assert_eq!(names(&folder), ["file"]);
        let _ = fs::remove_dir_all(&folder);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_a_device_is_written_to() {
        let folder = folder("links");
        let (file, link) = (folder.join("file"), folder.join("link"));
        fs::write(&file, "ours 1").expect("it can be written");
        std::os::unix::fs::symlink("file", &link).expect("a link can be made");
        save(&link, b"ours 2", &ours).expect("what it leads to is ours");
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).expect("it is there"), b"ours 2");
        save(Path::new("/dev/null"), b"anything", &ours).expect("it takes all");
        #[cfg(target_os = "linux")]
        assert_eq!(
            save(Path::new("/dev/full"), b"anything", &ours).expect_err("it is full").why(""),
            "the disk is full"
        );
        let _ = fs::remove_dir_all(&folder);
    }

    #[test]
    fn of_many_that_write_at_once_none_takes_the_place_of_a_file_that_is_not_ours() {
        let folder = folder("many");
        for round in 0..50 {
            let path = folder.join(format!("file-{round}"));
            let theirs = AtomicBool::new(false);
            thread::scope(|scope| {
                for number in 0..8 {
                    let path = &path;
                    scope.spawn(move || save(path, format!("ours {number}").as_bytes(), &ours));
                }
                scope.spawn(|| {
                    let file = OpenOptions::new().write(true).create_new(true).open(&path);
                    if let Ok(mut file) = file {
                        file.write_all(b"theirs").expect("it can be written");
                        theirs.store(true, Ordering::Relaxed);
                    }
                });
            });
            let text = fs::read(&path).expect("it is there");
            let expected: &[u8] = if theirs.load(Ordering::Relaxed) { b"theirs" } else { b"ours" };
            assert!(text.starts_with(expected), "{}", String::from_utf8_lossy(&text));
        }
        assert_eq!(names(&folder).len(), 50);
        let _ = fs::remove_dir_all(&folder);
    }
}
