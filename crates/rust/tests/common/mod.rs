//! What the tests of closures share: every engine on one closure, compared with each other.
#![allow(dead_code)]

use mazurka_core::{Counter, Ending, Exploration, Fingerprint, Observer, System, Verdict, Violation};
use mazurka_engines::{Engine, Options, explore, refuses};
use mazurka_rust::Closure;
use std::collections::BTreeSet;

/// The ends that a search comes to.
#[derive(Default)]
pub(crate) struct Ends {
    pub(crate) ends: BTreeSet<Fingerprint>,
}

impl Observer for Ends {
    fn end(&mut self, _ending: &Ending, state: Fingerprint) {
        self.ends.insert(state);
    }
}

pub(crate) fn options() -> Options {
    let mut options = Options { threads: 1, all: true, ..Options::default() };
    options.budget.depth = Some(2_000);
    options
}

pub(crate) struct Searched {
    pub(crate) exploration: Exploration,
    pub(crate) ends: BTreeSet<Fingerprint>,
}

impl Searched {
    pub(crate) fn get(&self, counter: Counter) -> u64 {
        self.exploration.statistics.get(counter).unwrap_or(0)
    }

    pub(crate) fn messages(&self) -> BTreeSet<String> {
        self.exploration.violations.iter().map(|found| found.violation.message.clone()).collect()
    }
}

pub(crate) fn search(closure: &Closure, engine: Engine, options: &Options) -> Searched {
    closure.settled(|closure| {
        let mut ends = Ends::default();
        let exploration = explore(engine, closure, options, &mut ends);
        Searched { exploration, ends: ends.ends }
    })
}

/// Explores a closure with every engine that takes it: the same verdict, messages and ends everywhere, and `optimal` runs one
/// execution of each trace that `enumerate` counts. Returns the number of traces.
pub(crate) fn agree(body: fn()) -> u64 {
    let closure = Closure::new(body);
    let all = search(&closure, Engine::Enumerate, &options());
    let traces = all.get(Counter::Traces);
    for &engine in Engine::ALL {
        if refuses(engine, &closure.traits()).is_some() {
            continue;
        }
        let searched = search(&closure, engine, &options());
        assert_eq!(searched.exploration.verdict, all.exploration.verdict, "{engine}");
        assert_eq!(searched.messages(), all.messages(), "{engine}");
        assert_eq!(searched.ends, all.ends, "{engine}: ends");
        if engine == Engine::Optimal {
            assert_eq!(searched.get(Counter::Executions), traces, "{engine}: executions and traces");
        }
    }
    traces
}

/// The executions of `optimal`, for programs that are too large to be enumerated.
pub(crate) fn optimal(body: fn()) -> u64 {
    let closure = Closure::new(body);
    let searched = search(&closure, Engine::Optimal, &options());
    assert_eq!(searched.exploration.verdict, Verdict::Verified, "{:?}", searched.messages());
    searched.get(Counter::Executions)
}

/// The first violation that `optimal` finds.
pub(crate) fn violation(body: fn()) -> Violation {
    let closure = Closure::new(body);
    let searched = search(&closure, Engine::Optimal, &Options { all: false, ..options() });
    let found = searched.exploration.violations.into_iter().next();
    found.unwrap_or_else(|| panic!("{:?}", searched.exploration.verdict)).violation
}
