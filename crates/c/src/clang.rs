//! Calling clang. This is the only place of the crate that reaches outside.

use mazurka_core::StopReason;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The headers that stand before those of the system, by name.
const HEADERS: &[(&str, &str)] = &[
    ("ctype.h", include_str!("../include/ctype.h")),
    ("mazurka.h", include_str!("../include/mazurka.h")),
    ("mazurka_types.h", include_str!("../include/mazurka_types.h")),
    ("pthread.h", include_str!("../include/pthread.h")),
    ("semaphore.h", include_str!("../include/semaphore.h")),
    ("threads.h", include_str!("../include/threads.h")),
];

/// The environment variable that names the compiler.
const VARIABLE: &str = "MAZURKA_CLANG";
/// The versions that are looked for where there is no plain `clang`.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=30;
/// How often a compiler that runs is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// A compiler.
#[derive(Clone, Debug)]
pub struct Clang {
    program: PathBuf,
}

/// Why a file was not translated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClangError {
    /// There is no clang.
    Missing,
    /// It could not be run.
    Failed(String),
    /// It found errors: what it printed.
    Errors(String),
    /// It was ended before it was done.
    Stopped(StopReason),
}

impl fmt::Display for ClangError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClangError::Missing => f.write_str(
                "error: clang was not found\nexpected clang 14 or newer: install it (apt install clang, \
                 xcode-select --install), or name it in MAZURKA_CLANG",
            ),
            ClangError::Failed(reason) => write!(f, "error: clang could not be run: {reason}"),
            ClangError::Errors(text) => f.write_str(text),
            ClangError::Stopped(reason) => write!(f, "error: clang was ended: {}", reason.words()),
        }
    }
}

impl std::error::Error for ClangError {}

impl Clang {
    /// Finds the compiler: the one that the environment names, `clang`, or the newest `clang-NN` on the path.
    pub fn find() -> Result<Clang, ClangError> {
        if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
            return Ok(Clang { program: named.into() });
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        let names = std::iter::once("clang".to_owned()).chain(VERSIONS.rev().map(|version| format!("clang-{version}")));
        for name in names {
            if let Some(found) = folders.iter().map(|folder| folder.join(&name)).find(|program| program.is_file()) {
                return Ok(Clang { program: found });
            }
        }
        Err(ClangError::Missing)
    }

    /// A compiler by its name.
    pub fn named(program: impl Into<PathBuf>) -> Clang {
        Clang { program: program.into() }
    }

    /// Where it is.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Translates a C file to IR. `options` are the user's.
    pub fn translate(&self, file: &str, options: &[String]) -> Result<String, ClangError> {
        self.translate_within(file, options, false, |_| None)
    }

    /// Translates a C file to IR. One that was preprocessed on some machine has the types of its C library in it. Again and
    /// again `stop` is told how many bytes the compiler holds, and may end it.
    pub fn translate_within(
        &self,
        file: &str,
        options: &[String],
        is_preprocessed: bool,
        mut stop: impl FnMut(u64) -> Option<StopReason>,
    ) -> Result<String, ClangError> {
        let headers = Headers::write().map_err(|error| ClangError::Failed(error.to_string()))?;
        let mut command = Command::new(&self.program);
        command
            .args(["-O0", "-Xclang", "-disable-O0-optnone", "-g", "-gcolumn-info", "-fno-discard-value-names", "-S"])
            .args(["-emit-llvm", "-w", "-D__MAZURKA__", "-D_BITS_PTHREADTYPES_COMMON_H=1"])
            .arg("-isystem")
            .arg(&headers.folder)
            .args(if is_preprocessed { &[][..] } else { &["-include", "mazurka_types.h"] })
            .args(options)
            .args(["-o", "-", "--", file])
            .stdin(Stdio::null());
        let failed = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => ClangError::Missing,
            _ => ClangError::Failed(error.to_string()),
        };
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
        let (output, errors) = (read_beside(child.stdout.take()), read_beside(child.stderr.take()));
        let status = wait_within(&mut child, &mut stop)?;
        let [output, errors] = [output, errors].map(|bytes| bytes.join().unwrap_or_default());
        if !status.success() {
            return Err(ClangError::Errors(String::from_utf8_lossy(&errors).into_owned()));
        }
        String::from_utf8(output).map_err(|_| ClangError::Failed("its output is no text".to_owned()))
    }
}

/// Waits for a process, and ends it if it is to stop.
fn wait_within(child: &mut Child, stop: &mut dyn FnMut(u64) -> Option<StopReason>) -> Result<ExitStatus, ClangError> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) => {}
            Err(error) => return Err(ClangError::Failed(error.to_string())),
        }
        if let Some(reason) = stop(memory_of(child.id())) {
            // It may have ended by itself meanwhile.
            let _ = child.kill();
            let _ = child.wait();
            return Err(ClangError::Stopped(reason));
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// Reads all that a process writes, in a thread of its own.
fn read_beside(from: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            let _ = from.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// How many bytes a process holds; 0 where the system does not tell.
fn memory_of(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let held = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = held.and_then(|held| held.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.map_or(0, |kibibytes| kibibytes.saturating_mul(1024))
}

/// A folder with our headers, for as long as it is needed.
struct Headers {
    folder: PathBuf,
}

impl Headers {
    fn write() -> std::io::Result<Headers> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("mazurka-headers-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let headers = Headers { folder };
        for (name, text) in HEADERS {
            std::fs::write(headers.folder.join(name), text)?;
        }
        Ok(headers)
    }
}

impl Drop for Headers {
    fn drop(&mut self) {
        // What cannot be removed stays in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
