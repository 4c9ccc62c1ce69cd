//! A watchdog: threads of a model that come to no operation any more.
//!
//! Each OS thread on which fibers run has a [`Beat`], which changes whenever a fiber is resumed and whenever it stands again. While
//! there are any, one thread of the process looks at all of them. If a fiber runs for too long within one step, or the
//! process takes too much memory meanwhile, it says so on standard error, and then has the fiber stopped (`stop.rs`), if it can be.

use crate::exec::Shared;
use crate::names::Site;
use crate::source;
use crate::stop::{Thread, Why, stop};
use mazurka_core::ActorId;
use std::io::Write;
use std::panic::Location;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// How often the watchdog looks. It counts its looks instead of asking for the time, so that a process that was suspended
/// is not taken for one that does nothing.
const TICK: Duration = Duration::from_millis(100);
/// A step may take this much more memory,
const MOST_BYTES: u64 = 1 << 30;
/// or more if it takes no longer than this number of ticks: others allocate, too.
const FEW: u32 = 5;
/// A fiber may be where it cannot be stopped: it is asked this often in each tick.
const ATTEMPTS: u32 = 50;

/// What an OS thread on which fibers run does right now.
pub(crate) struct Beat {
    /// Odd while a fiber runs.
    count: AtomicU64,
    actor: AtomicU32,
    /// The operation that the fiber stood before.
    site: AtomicPtr<Location<'static>>,
    /// Why the fiber is to be stopped.
    pub(crate) wanted: AtomicU8,
    thread: Thread,
    /// What the OS thread is called, which is what libtest calls the test.
    test: String,
    shared: Weak<Shared>,
}

struct Watched {
    beats: Vec<Arc<Beat>>,
    is_looking: bool,
}

static WATCHED: Mutex<Watched> = Mutex::new(Watched { beats: Vec::new(), is_looking: false });

fn watched() -> MutexGuard<'static, Watched> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The beat of an OS thread, watched as long as this lives.
pub(crate) struct Watch(Arc<Beat>);

impl Watch {
    /// Of the present OS thread, for fibers of a closure.
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        let beat = Arc::new(Beat {
            count: AtomicU64::new(0),
            actor: AtomicU32::new(0),
            site: AtomicPtr::new(null_mut()),
            wanted: AtomicU8::new(0),
            thread: Thread::current(),
            test: std::thread::current().name().unwrap_or("a closure").to_owned(),
            shared: Arc::downgrade(shared),
        });
        let mut watched = watched();
        watched.beats.push(Arc::clone(&beat));
        if !watched.is_looking {
            let thread = std::thread::Builder::new().name("mazurka watchdog".to_owned());
            // Without it, all goes on as it does without a watchdog.
            watched.is_looking = thread.spawn(look).is_ok();
        }
        Watch(beat)
    }

    /// A fiber is resumed.
    #[inline]
    pub(crate) fn begin(&self, actor: ActorId, site: Option<Site>) -> &AtomicU8 {
        let beat = &*self.0;
        beat.actor.store(actor.0, Ordering::Relaxed);
        beat.site.store(site.map_or(null_mut(), |site| std::ptr::from_ref(site).cast_mut()), Ordering::Relaxed);
        beat.count.store(beat.count.load(Ordering::Relaxed) | 1, Ordering::Release);
        &beat.wanted
    }

    /// It stands again.
    #[inline]
    pub(crate) fn end(&self) {
        let beat = &*self.0;
        beat.count.store((beat.count.load(Ordering::Relaxed) | 1) + 1, Ordering::Release);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // The watchdog holds this lock while it sends a signal: so the OS thread that is to get it is still there.
        watched().beats.retain(|beat| !Arc::ptr_eq(beat, &self.0));
    }
}

/// What the watchdog remembers of a beat.
struct Seen {
    beat: Weak<Beat>,
    count: u64,
    ticks: u32,
    bytes: u64,
    is_told: bool,
}

/// The watchdog, until there is nothing to watch.
fn look() {
    let mut seen: Vec<Seen> = Vec::new();
    loop {
        std::thread::sleep(TICK);
        let mut watched = watched();
        if watched.beats.is_empty() {
            watched.is_looking = false;
            return;
        }
        seen.retain(|seen| seen.beat.strong_count() > 0);
        for beat in &watched.beats {
            match seen.iter_mut().find(|seen| std::ptr::eq(seen.beat.as_ptr(), Arc::as_ptr(beat))) {
                Some(seen) => seen.look(beat),
                None => seen.push(Seen { beat: Arc::downgrade(beat), count: 0, ticks: 0, bytes: 0, is_told: false }),
            }
        }
    }
}

impl Seen {
    fn look(&mut self, beat: &Beat) {
        let count = beat.count.load(Ordering::Acquire);
        if count.is_multiple_of(2) || count != self.count {
            self.is_told = false;
            (self.count, self.ticks) = (count, 0);
            return;
        }
        self.ticks += 1;
        if self.is_told {
            return self.insist(beat);
        }
        let bytes = bytes_in_use();
        if self.ticks == 1 {
            self.bytes = bytes;
        }
        let Some(shared) = beat.shared.upgrade() else { return };
        let why = if TICK * self.ticks >= shared.step_time {
            Why::Stuck
        } else if self.ticks >= FEW && bytes.saturating_sub(self.bytes) > MOST_BYTES {
            Why::Memory
        } else {
            return;
        };
        self.is_told = true;
        // By now it may go on: then the signal finds nothing wanted, or stops a step that took long enough.
        let told = beat.told(&shared, why);
        let _ = writeln!(std::io::stderr(), "mazurka: {}: {told}", beat.test);
        beat.wanted.store(why as u8, Ordering::Relaxed);
        self.insist(beat);
    }

    fn insist(&self, beat: &Beat) {
        for _ in 0..ATTEMPTS {
            stop(beat.thread);
            std::thread::sleep(TICK / (2 * ATTEMPTS));
            if beat.count.load(Ordering::Acquire) != self.count {
                return;
            }
        }
    }
}

impl Beat {
    fn told(&self, shared: &Shared, why: Why) -> String {
        let site = self.site.load(Ordering::Relaxed);
        // SAFETY: it is null or was made from a reference to a place in the code, which is there for ever.
        let site = unsafe { site.as_ref() };
        told(shared, ActorId(self.actor.load(Ordering::Relaxed)), site, why)
    }
}

/// What is wrong with a thread that was last seen before an operation, or has come to none yet.
pub(crate) fn told(shared: &Shared, actor: ActorId, site: Option<Site>, why: Why) -> String {
    let name = shared.names.actor_name(actor);
    let since = match site {
        Some(site) => {
            let line = source::line_at(site).map_or_else(String::new, |line| format!("`{line}`, "));
            format!("since {line}{}:{}", site.file(), site.line())
        }
        None => "since it began".to_owned(),
    };
    match why {
        Why::Overflow => format!("{name} overflows its stack of {} KiB", shared.stack_size / 1024),
        Why::Abort => format!("{name} aborts"),
        Why::Stuck => format!("{name} has come to no operation for {:?}, {since}", shared.step_time),
        Why::Memory => {
            format!(
                "{name} has taken more than {} MiB of memory without coming to an operation, {since}",
                MOST_BYTES >> 20
            )
        }
    }
}

/// How much memory the process has in use; 0 where that is not known.
fn bytes_in_use() -> u64 {
    let pages = || std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse::<u64>().ok();
    if cfg!(target_os = "linux") { pages().unwrap_or(0) * 4096 } else { 0 }
}
