//! One table of what engines count.

macro_rules! counters {
    ($($(#[doc = $doc:literal])+ $variant:ident => $name:literal),+ $(,)?) => {
        /// What engines count. Each engine sets those that apply to it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Counter {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Counter {
            /// All counters, in the order in which they are shown.
            pub const ALL: &'static [Counter] = &[$(Counter::$variant,)+];

            /// The counter's name in reports, stable.
            pub fn name(self) -> &'static str {
                match self { $(Counter::$variant => $name,)+ }
            }

            /// What is counted, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Counter::$variant => concat!($($doc),+),)+ }
            }
        }
    };
}

counters! {
    /// Executions (maximal schedules) that were run.
    Executions => "executions",
    /// Runs given up because they could only repeat what was seen.
    Blocked => "blocked",
    /// Traces (classes of equivalent executions) that were met.
    Traces => "traces",
    /// Traces, where messages that a handler takes in any order are ordered by their conflicts only.
    EventTraces => "event_traces",
    /// Distinct states that were met.
    States => "states",
    /// Steps that were taken.
    Transitions => "transitions",
    /// States met again, at which the search went no further.
    Revisited => "revisited",
    /// Pairs of steps whose order could have been the other one, as often as they were met.
    Races => "races",
    /// Moves that a race asked to be tried as well.
    BacktrackPoints => "backtrack_points",
    /// Events of the unfolding that were built.
    Events => "events",
    /// Those of them after which nothing new can happen.
    Cutoffs => "cutoffs",
    /// Maximal configurations of the unfolding that were explored; with cutoffs, of the part in front of them.
    Configurations => "configurations",
    /// Executions that ended blocked by an assumption, or the states in which they did where states are stored.
    AssumeBlocked => "assume_blocked",
    /// States in which no actor can move.
    EndStates => "end_states",
    /// Steps that were kept to look for executions without end: those with which something is still to happen. 6 bytes each.
    KeptSteps => "kept_steps",
    /// The length of the longest schedule that was followed.
    MaxDepth => "max_depth",
    /// The most memory that the process held, in bytes.
    PeakBytes => "peak_bytes",
}

const COUNTERS: usize = Counter::ALL.len();

/// What an engine counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    counts: [Option<u64>; COUNTERS],
    /// How long the search took.
    pub seconds: f64,
}

impl Statistics {
    /// Sets a counter.
    pub fn set(&mut self, counter: Counter, count: u64) {
        self.counts[counter as usize] = Some(count);
    }

    /// Adds to a counter.
    pub fn add(&mut self, counter: Counter, count: u64) {
        *self.counts[counter as usize].get_or_insert(0) += count;
    }

    /// Raises a counter to at least this.
    pub fn raise(&mut self, counter: Counter, count: u64) {
        let held = self.counts[counter as usize].get_or_insert(0);
        *held = (*held).max(count);
    }

    /// What a counter stands at, if it applies.
    pub fn get(&self, counter: Counter) -> Option<u64> {
        self.counts[counter as usize]
    }

    /// The counters that apply, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (Counter, u64)> + '_ {
        Counter::ALL.iter().filter_map(|&counter| Some((counter, self.get(counter)?)))
    }
}
