//! A journal: a file of records that several processes add to, and that survives accidents.
//!
//! ```text
//! mazurka journal 1 pairs
//! CHECKSUM KEY TEXT
//! ```
//!
//! One line is one record, with a checksum in front. Records are only ever added, so a process that is killed costs at
//! most the record that it was writing, and whatever happens to a line happens to no other one. A line that is not as it
//! was written is counted, left out, and gone when the journal is opened the next time. The file is locked while it is
//! read or added to, and no longer.

use mazurka::Fingerprint;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// What every journal begins with.
const MAGIC: &str = "mazurka journal 1 ";
/// The most bytes of a line.
const LONGEST_LINE: u64 = 16 << 20;
/// How long another process may hold the file.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a file may go away while it is opened.
const MOST_TRIES: usize = 100;

/// A file of records.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    header: String,
}

/// What a journal holds when it is opened.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    /// The records by their keys; of several with one key, the last.
    pub(crate) records: HashMap<u128, String>,
    /// How many lines were not as they were written.
    pub(crate) damaged: usize,
    /// Where a file was moved that could not be read as a journal.
    pub(crate) set_aside: Option<PathBuf>,
}

/// Why a file cannot be used as a journal.
#[derive(Debug)]
pub(crate) enum JournalError {
    /// It is something else.
    Foreign,
    /// Another process does not let go of it.
    InUse,
    /// The system refused.
    Io(io::Error),
}

impl From<io::Error> for JournalError {
    fn from(error: io::Error) -> Self {
        JournalError::Io(error)
    }
}

impl Journal {
    /// Opens a journal, and makes it if there is none. A file that is no text, or the rest of a journal, is moved aside;
    /// any other file is refused.
    pub(crate) fn open(path: &Path, title: &str) -> Result<(Journal, Contents), JournalError> {
        let journal = Journal { path: path.to_owned(), header: format!("{MAGIC}{title}\n") };
        let mut set_aside = None;
        for _ in 0..MOST_TRIES {
            let mut file = journal.locked()?;
            file.seek(SeekFrom::Start(0))?;
            let found = Scan::read(&mut file, &journal.header)?;
            match found.kind {
                FileKind::Empty => {
                    file.set_len(0)?;
                    file.write_all(journal.header.as_bytes()).and_then(|()| file.sync_data())?;
                }
                FileKind::Journal if found.damaged > 0 => {
                    // Where this fails, the damage is told again the next time.
                    let _ = journal.rewrite(&found.lines);
                }
                FileKind::Journal => {}
                FileKind::Foreign => return Err(JournalError::Foreign),
                FileKind::Unreadable => {
                    set_aside = Some(move_aside(path)?);
                    continue;
                }
            }
            let records = found.lines.iter().filter_map(|line| record(line)).collect();
            return Ok((journal, Contents { records, damaged: found.damaged, set_aside }));
        }
        Err(JournalError::InUse)
    }

    /// Adds records, each a text without line breaks. They are on disk when this returns.
    pub(crate) fn add(&self, records: &[(u128, String)]) -> Result<(), JournalError> {
        let mut file = self.locked()?;
        let length = file.seek(SeekFrom::End(0))?;
        let mut lines = String::new();
        if length == 0 {
            lines.push_str(&self.header);
        } else {
            // What an accident left of a line must not take the next one with it.
            let mut last = [0];
            file.seek(SeekFrom::Start(length - 1))?;
            file.read_exact(&mut last)?;
            lines.push_str(if last == *b"\n" { "" } else { "\n" });
        }
        for (key, text) in records {
            if text.contains('\n') {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "a record has a line break").into());
            }
            lines.push_str(&line(*key, text));
            lines.push('\n');
        }
        file.write_all(lines.as_bytes())?;
        Ok(file.sync_data()?)
    }

    /// The file, which belongs to this process until it is closed.
    fn locked(&self) -> Result<File, JournalError> {
        let started = Instant::now();
        loop {
            if fs::metadata(&self.path).is_ok_and(|metadata| !metadata.is_file()) {
                return Err(JournalError::Foreign);
            }
            let file = OpenOptions::new().read(true).append(true).create(true).open(&self.path)?;
            match file.try_lock() {
                // Another process may have moved the file away and made another one.
                Ok(()) if same_file(&file, &self.path) => return Ok(file),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if started.elapsed() < PATIENCE => {
                    thread::sleep(Duration::from_millis(5));
                }
                Err(TryLockError::WouldBlock) => return Err(JournalError::InUse),
                // Not every kind of disk has locks.
                Err(TryLockError::Error(_)) => return Ok(file),
            }
            if started.elapsed() > 2 * PATIENCE {
                return Err(JournalError::InUse);
            }
        }
    }

    /// Puts a journal of these lines in the place of the one that is locked.
    fn rewrite(&self, lines: &[String]) -> io::Result<()> {
        // A link stays a link: what it leads to is replaced, and keeps its mode.
        let path = fs::canonicalize(&self.path)?;
        let new = path.with_file_name(format!(".mazurka-{}-journal.tmp", std::process::id()));
        let whole: String = [self.header.trim_end()]
            .into_iter()
            .chain(lines.iter().map(String::as_str))
            .flat_map(|line| [line, "\n"])
            .collect();
        let write = || -> io::Result<()> {
            let mut file = File::create(&new)?;
            file.write_all(whole.as_bytes())?;
            file.set_permissions(fs::metadata(&path)?.permissions())?;
            file.sync_all()?;
            fs::rename(&new, &path)
        };
        write().inspect_err(|_| drop(fs::remove_file(&new)))
    }
}

/// A record as it stands on its line.
fn line(key: u128, text: &str) -> String {
    let rest = format!("{key:032x} {text}");
    format!("{:032x} {rest}", Fingerprint::of_bytes(rest.as_bytes()).0)
}

/// The record of a line, if that is as it was written.
fn record(line: &str) -> Option<(u128, String)> {
    let (checksum, rest) = line.split_at_checked(32)?;
    let rest = rest.strip_prefix(' ')?;
    if checksum != format!("{:032x}", Fingerprint::of_bytes(rest.as_bytes()).0) {
        return None;
    }
    let (key, text) = rest.split_at_checked(32)?;
    Some((u128::from_str_radix(key, 16).ok()?, text.strip_prefix(' ')?.to_owned()))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileKind {
    /// There is nothing in it, or the beginning of a journal's first line.
    Empty,
    Journal,
    /// A file that is no journal of ours.
    Foreign,
    /// Anything else: a journal of another program, or what an accident made of one of ours.
    Unreadable,
}

/// What stands in a file.
struct Scan {
    kind: FileKind,
    /// The lines that are records.
    lines: Vec<String>,
    damaged: usize,
}

impl Scan {
    fn read(file: impl Read, header: &str) -> io::Result<Scan> {
        let mut reader = BufReader::new(file);
        let (mut lines, mut damaged, mut is_text) = (Vec::new(), 0, true);
        let mut first = Vec::new();
        let mut bytes = Vec::new();
        for number in 0.. {
            bytes.clear();
            if reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            if number == 0 {
                first.clone_from(&bytes);
            }
            let is_whole = bytes.pop_if(|last| *last == b'\n').is_some();
            let line = std::str::from_utf8(&bytes).ok();
            is_text &= line.is_some_and(|line| !line.contains(|c: char| c.is_control() && !"\t\r".contains(c)));
            if number == 0 && is_whole && bytes == header.trim_end().as_bytes() {
                continue;
            }
            match line.filter(|line| is_whole && record(line).is_some()) {
                Some(line) => lines.push(line.to_owned()),
                // The empty line is what is written after a line that was cut.
                None if bytes.is_empty() && is_whole => {}
                None => damaged += 1,
            }
        }
        let kind = if header.as_bytes().starts_with(&first) && (lines.is_empty() && damaged <= 1) {
            if first.len() < header.len() || damaged == 0 { FileKind::Empty } else { FileKind::Journal }
        } else if !lines.is_empty() || resembles(&first, header) {
            FileKind::Journal
        } else if is_text {
            FileKind::Foreign
        } else {
            FileKind::Unreadable
        };
        let damaged = if kind == FileKind::Empty { 0 } else { damaged };
        Ok(Scan { kind, lines, damaged })
    }
}

/// Whether a first line was that of a journal before something happened to it: most of it is the same.
fn resembles(first: &[u8], header: &str) -> bool {
    let alike = first.iter().zip(header.as_bytes()).filter(|(one, other)| one == other).count();
    alike * 2 > header.len()
}

/// Gives a file another name that nothing else has.
fn move_aside(path: &Path) -> io::Result<PathBuf> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".damaged");
    for number in 1.. {
        let mut name = name.clone();
        if number > 1 {
            name.push(format!("-{number}"));
        }
        let aside = path.with_file_name(name);
        match fs::hard_link(path, &aside) {
            Ok(()) => return fs::remove_file(path).map(|()| aside),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            // Not every kind of disk has links.
            Err(_) if !aside.exists() => return fs::rename(path, &aside).map(|()| aside),
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(unix)]
fn same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let (file, path) = (file.metadata().map(identity), fs::metadata(path).map(identity));
    matches!((file, path), (Ok(file), Ok(path)) if file == path)
}

#[cfg(not(unix))]
fn same_file(_file: &File, _path: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_core::Random;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("mazurka-journal-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder can be made");
        folder
    }

    fn open(path: &Path) -> (Journal, Contents) {
        Journal::open(path, "test").expect("it can be opened")
    }

    fn truth() -> HashMap<u128, String> {
        (1..=20u128)
            .map(|key| ((key * key) << 90, format!("{{\"row\": {key}, \"text\": \"é{}\"}}", "x".repeat(key as usize))))
            .collect()
    }

    /// A journal with all of the truth in it.
    fn written(path: &Path) -> Vec<u8> {
        let (journal, _) = open(path);
        let mut records: Vec<_> = truth().into_iter().collect();
        records.sort();
        records.chunks(3).for_each(|some| journal.add(some).expect("records can be added"));
        fs::read(path).expect("it is there")
    }

    #[test]
    fn what_is_added_is_found_again() {
        let folder = folder("add");
        let path = folder.join("journal");
        written(&path);
        assert_eq!(open(&path).1, Contents { records: truth(), ..Contents::default() });
        open(&path).0.add(&[(1 << 90, "new".to_owned())]).expect("a record can be added");
        assert_eq!(open(&path).1.records[&(1 << 90)], "new");
        assert!(open(&path).0.add(&[(7, "two\nlines".to_owned())]).is_err());
        let _ = fs::remove_dir_all(&folder);
    }

    #[cfg(unix)]
    #[test]
    fn a_rewritten_journal_keeps_its_link_and_its_mode() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder("link");
        let (path, link) = (folder.join("journal"), folder.join("link"));
        let whole = written(&path);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("a mode can be set");
        std::os::unix::fs::symlink(&path, &link).expect("a link can be made");
        // A record that is damaged makes it be written again.
        let mut bytes = whole;
        let end = bytes.len() - 3;
        bytes[end] ^= 1;
        fs::write(&path, &bytes).expect("it can be written");
        assert_eq!(open(&link).1.damaged, 1);
        assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
        assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o640);
        assert_eq!(open(&path).1.damaged, 0, "what the link leads to was written again");
        let _ = fs::remove_dir_all(&folder);
    }

    /// Opens a journal to which something happened: whatever is found must be true, what is gone is told, and the journal
    /// can be used.
    fn survives(path: &Path, bytes: &[u8], whole: &[u8]) {
        fs::write(path, bytes).expect("it can be written");
        let truth = truth();
        let contents = match Journal::open(path, "test") {
            Ok((journal, contents)) => {
                journal.add(&[(5, "after".to_owned())]).expect("a record can be added");
                contents
            }
            Err(JournalError::Foreign) => {
                assert_eq!(fs::read(path).expect("it is there"), bytes, "a file of another program was changed");
                return;
            }
            Err(error) => panic!("{error:?}"),
        };
        for (key, text) in &contents.records {
            assert_eq!(truth.get(key), Some(text), "a record that was never written");
        }
        let cut = whole.starts_with(bytes);
        let told = contents.damaged > 0 || contents.set_aside.is_some();
        assert!(contents.records.len() == truth.len() || told || cut, "records are gone and nothing says so");
        let again = open(path).1;
        assert_eq!((again.damaged, again.set_aside), (0, None));
        assert_eq!(again.records.len(), contents.records.len() + 1);
        if let Some(aside) = contents.set_aside {
            assert_eq!(fs::read(&aside).expect("it was kept"), bytes);
            fs::remove_file(aside).expect("it can be removed");
        }
    }

    /// What is found in these bytes: nothing that was never written.
    fn read(bytes: &[u8]) -> Scan {
        let found = Scan::read(bytes, &format!("{MAGIC}test\n")).expect("it can be read");
        let truth = truth();
        for (key, text) in found.lines.iter().filter_map(|line| record(line)) {
            assert_eq!(truth.get(&key), Some(&text), "a record that was never written");
        }
        found
    }

    /// How often each kind of accident happens here; a larger number for a longer run.
    fn accidents() -> usize {
        std::env::var("MAZURKA_ACCIDENTS").ok().and_then(|number| number.parse().ok()).unwrap_or(500)
    }

    #[test]
    fn a_flipped_bit_costs_one_record_and_is_told() {
        let folder = folder("bits");
        let path = folder.join("journal");
        let whole = written(&path);
        let mut random = Random::new(0x1357_9bdf);
        for _ in 0..3 * accidents() {
            let (at, bit) = (random.below(whole.len()), random.below(8));
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            let found = read(&bytes);
            assert!(found.lines.len() >= truth().len() - 2, "one bit cost more than two records");
            assert!(found.lines.len() == truth().len() || found.damaged > 0, "records are gone and nothing says so");
            if random.below(20) == 0 {
                survives(&path, &bytes, &whole);
            }
        }
        let _ = fs::remove_dir_all(&folder);
    }

    #[test]
    fn a_journal_that_was_cut_or_overwritten_can_be_opened() {
        let folder = folder("cuts");
        let path = folder.join("journal");
        let whole = written(&path);
        let mut random = Random::new(0x2468_ace0);
        for _ in 0..accidents() {
            let cut = &whole[..random.below(whole.len() + 1)];
            read(cut);
            let mut bytes = whole.clone();
            for _ in 0..=random.below(4) {
                let (at, length) = (random.below(bytes.len()), random.below(200));
                let end = (at + length).min(bytes.len());
                match random.below(4) {
                    0 => bytes[at..end].fill(0),
                    1 => bytes[at..end].iter_mut().for_each(|byte| *byte = random.below(256) as u8),
                    2 => drop(bytes.drain(at..end)),
                    _ => {
                        let copy = bytes[at..end].to_vec();
                        let to = random.below(bytes.len());
                        bytes.splice(to..to, copy);
                    }
                }
            }
            read(&bytes);
            if random.below(20) == 0 {
                survives(&path, cut, &whole);
                survives(&path, &bytes, &whole);
            }
        }
        survives(&path, &[0; 4096], &whole);
        survives(&path, b"redb\x1a\x0a\xa9\x0d\x0a and so on", &whole);
        survives(&path, b"a letter to my mother\n", &whole);
        let _ = fs::remove_dir_all(&folder);
    }

    #[test]
    fn many_may_begin_at_once() {
        let folder = folder("many");
        for round in 0..20 {
            let path = folder.join(format!("journal-{round}"));
            thread::scope(|scope| {
                for number in 0..6u128 {
                    let path = &path;
                    scope.spawn(move || {
                        open(path).0.add(&[(number, format!("row {number}"))]).expect("it can be added")
                    });
                }
            });
            let contents = open(&path).1;
            assert_eq!((contents.records.len(), contents.damaged), (6, 0));
        }
        assert!(matches!(Journal::open(&folder, "test"), Err(JournalError::Foreign)));
        let _ = fs::remove_dir_all(&folder);
    }
}
