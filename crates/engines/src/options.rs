//! What all engines can be told.

use mazurka_core::{Budget, Dependence, Fairness};

/// What all engines can be told. The default is the first violation, on all cores, without limits.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What the search may use, and how it can be interrupted.
    pub budget: Budget,
    /// Look for all violations. Otherwise the first one ends the search.
    pub all: bool,
    /// Look for data races, too: see [`mazurka_core::Accesses`].
    pub races: bool,
    /// How actors are treated that are treated fairly at all, where something has to happen in the end; as the program says if
    /// nothing is given.
    pub fairness: Option<Fairness>,
    /// On how many threads to search; 0 means as many as the machine has cores. No result depends on it, but for how
    /// often `event` has to decide.
    pub threads: usize,
    /// What counts as dependent, for engines that tell traces apart.
    pub dependence: Dependence,
    /// Use the algorithm as published, without our optimisations.
    pub plain: bool,
    /// Run `stateful` truly as published, without our repairs: it misses violations, and a search that finds nothing proves
    /// nothing. For comparison.
    pub as_published: bool,
    /// Do without sleep sets, in engines that have them.
    pub no_sleep: bool,
    /// How states are told apart, in engines that can do it in two ways.
    pub capture: Capture,
    /// Where an unfolding is cut.
    pub cutoffs: Cutoffs,
    /// After how many transitions without a reduction `stateful` gives up the analysis; about five hundred by default.
    pub patience: Option<u64>,
}

/// Where an unfolding is cut off: at an event whose state a smaller configuration reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cutoffs {
    /// Smaller: with fewer events.
    #[default]
    Size,
    /// Smaller by a total (adequate) order, number of events first and then weights, compared with any configuration met:
    /// cuts off more.
    Order,
    /// Nowhere: every trace is explored. A path that returns to a state is cut there, and the verdict says so.
    None,
}

/// How states are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Capture {
    /// By all that they consist of.
    #[default]
    Exact,
    /// By what is shared, and by how the local state of each actor has changed since it began. Takes some equal states for
    /// different ones, and needs to know only what steps change.
    Delta,
}

impl Options {
    /// The number of threads: all cores for 0.
    pub(crate) fn thread_count(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}
