use super::walk::{Part, walk};
use super::*;
use mazurka_core::{
    ActorId, Ending, Exploration, Fingerprint, Insight, Observer, Outcome, Step, System, Traits, Violation,
};
use mazurka_engines::{Capture, Cutoffs, Options, explore};
use mazurka_lang::ast::{Expr, ExprKind, Family, Initial, Item, StatementKind, Unit};
use mazurka_lang::{Identity, Model, State, compile, parse};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// The first word of how something is shown for debugging: the name of the variant.
fn variant(shown: &dyn fmt::Debug) -> String {
    let text = format!("{shown:?}");
    text.split(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

/// Whether there are more members than a word has bits.
fn is_crowd(family: &Family) -> bool {
    matches!(family.to.kind, ExprKind::Number(65..))
}

/// Counts what occurs in a program.
fn count(unit: &mut Unit, census: &mut BTreeMap<String, u64>) {
    let mut add = |what: String| *census.entry(what).or_default() += 1;
    for item in &unit.items {
        add(variant(item));
        match item {
            Item::Shared { length, initial, .. } => {
                add(format!("shared {}", if length.is_some() { "array" } else { "scalar" }));
                add(format!("initial {}", if matches!(initial, Initial::Each(..)) { "each" } else { "same" }));
            }
            Item::Object { kind, length, .. } => {
                add(format!("{kind:?}{}", if length.is_some() { " array" } else { "" }));
            }
            Item::Thread { family: Some(_), .. } => add("thread family".into()),
            Item::Event { family, disabled, guard, .. } => {
                family.iter().for_each(|_| add("event family".into()));
                if family.as_ref().is_some_and(is_crowd) {
                    add("event crowd".into());
                }
                guard.iter().for_each(|_| add("event guard".into()));
                if *disabled {
                    add("event disabled".into());
                }
            }
            _ => {}
        }
    }
    walk(unit, &mut |part| match part {
        Part::Block(block) => block.statements.iter().for_each(|statement| {
            add(variant(&statement.kind));
            match &statement.kind {
                StatementKind::Spawn(name, _) => add(format!("spawn {}", name.is_some())),
                StatementKind::If(_, _, Some(_)) => add("else".into()),
                StatementKind::Assert(_, Some(_)) => add("assert with a text".into()),
                StatementKind::Update(_, op, _) => add(format!("{op:?}")),
                StatementKind::Return(value) => add(format!("return {}", value.is_some())),
                StatementKind::Atomic(block) => {
                    let guarded = block.statements.first().map(|first| &first.kind);
                    add(format!("atomic {}", matches!(guarded, Some(StatementKind::Assume(_)))));
                }
                _ => {}
            }
        }),
        Part::Expr(Expr { kind, .. }) => {
            add(variant(kind));
            match kind {
                ExprKind::Unary(op, _) => add(format!("{op:?}")),
                ExprKind::Binary(op, ..) => add(format!("{op:?}")),
                ExprKind::Sync(op, ..) => add(format!("{op:?}")),
                _ => {}
            }
        }
        Part::Place(place) => {
            let index = place.index.as_ref().map(|index| variant(&index.kind));
            add(format!("index {}", index.unwrap_or_default()));
        }
        Part::Call(_) => {}
    });
}

/// All that the language has.
const LANGUAGE: &str = "Const Enum Shared Object Thread Message Def Event Never \
    Let Spawn Respawn Assign Update Evaluate If While For Break Continue Return Assert Assume Lock Unlock Wait Signal \
    Broadcast Join Post Enable Disable Atomic \
    Declare Switch DoWhile ForLoop Conditional \
    Number Place Unary Binary Logical Call Cas Swap FetchAdd Choose Negate Not \
    Add Subtract Multiply Divide Remainder And Or Xor ShiftLeft ShiftRight \
    Equal NotEqual Less LessEqual Greater GreaterEqual else Mutex Cond FifoHandler AnyHandler \
    Semaphore RwLock Channel Sync WaitTimeout TryLock Acquire TryAcquire Release ReadLock TryReadLock ReadUnlock \
    WriteLock TryWriteLock WriteUnlock Send TrySend Receive TryReceive";

const VARIETIES: [&str; 21] = [
    "shared array",
    "shared scalar",
    "initial each",
    "Mutex array",
    "Cond array",
    "FifoHandler array",
    "AnyHandler array",
    "thread family",
    "event family",
    "event crowd",
    "event guard",
    "event disabled",
    "spawn true",
    "spawn false",
    "assert with a text",
    "return true",
    "return false",
    "atomic true",
    "atomic false",
    "index Number",
    "index Binary",
];

#[test]
fn every_program_compiles_and_everything_occurs() -> Result<(), String> {
    let mut census = BTreeMap::new();
    for seed in 0..25_000 {
        let mut unit = generate(seed).unit;
        let text = print(&unit);
        let read = parse(&text).map_err(|error| format!("{seed}: {}\n{text}", error.message))?;
        assert_eq!(print(&read), text, "program {seed} is read as another one");
        compile("random.mz", &text, &[]).map_err(|error| format!("{seed}: {error:?}\n{text}"))?;
        count(&mut unit, &mut census);
    }
    for what in LANGUAGE.split_whitespace().chain(VARIETIES) {
        let occurrences = census.get(what).copied().unwrap_or_default();
        assert!(occurrences >= 100, "{what} occurs only {occurrences} times");
    }
    Ok(())
}

fn hash_of_programs(count: u64) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    (0..count).for_each(|seed| print(&generate(seed).unit).hash(&mut hasher));
    hasher.finish()
}

#[test]
fn a_number_is_one_program_for_ever() {
    assert_eq!(hash_of_programs(100), hash_of_programs(100));
    assert_ne!(hash_of_programs(100), hash_of_programs(99));
}

#[test]
fn programs_that_are_to_terminate_do() -> Result<(), String> {
    for seed in 0..1_000 {
        let Generated { shape, unit } = generate(seed);
        let program = compile("random.mz", &print(&unit), &[]).map_err(|error| format!("{seed}: {error:?}"))?;
        let model = Model::new(program.into(), Identity::Presence);
        let reference = reference::explore(&model, 50_000, false);
        assert!(!shape.terminating || reference.is_none_or(|reference| reference.terminates), "program {seed}");
    }
    Ok(())
}

#[test]
fn crowds_are_compared_and_those_beyond_a_word_move() -> Result<(), String> {
    let (mut crowds, mut small, mut beyond) = (0, 0, 0);
    for seed in 0..4_000 {
        let unit = generate(seed).unit;
        let has_crowd =
            unit.items.iter().any(|item| matches!(item, Item::Event { family: Some(family), .. } if is_crowd(family)));
        if !has_crowd {
            continue;
        }
        crowds += 1;
        let program = compile("random.mz", &print(&unit), &[]).map_err(|error| format!("{seed}: {error:?}"))?;
        let model = Model::new(program.into(), Identity::Presence);
        small += u64::from(reference::explore(&model, 20_000, false).is_some());
        beyond += u64::from(moves_beyond_a_word(&model));
    }
    assert!(crowds >= 60 && small * 10 >= crowds * 9 && beyond * 2 >= crowds, "{crowds}: {small}, {beyond}");
    Ok(())
}

/// Whether an actor whose number is more than a word has bits can move at the start or one step later.
fn moves_beyond_a_word(model: &Model) -> bool {
    let enabled = |state: &State| {
        let mut actors = Vec::new();
        model.enabled(state, &mut actors);
        actors
    };
    let start = model.initial_states();
    let later = start.iter().flat_map(|state| {
        enabled(state).into_iter().map(|actor| {
            let (mut after, mut step) = (state.clone(), Step::default());
            step.begin(Outcome::FIRST);
            model.step(&mut after, actor, &mut step);
            after
        })
    });
    start.iter().cloned().chain(later).any(|state| enabled(&state).iter().any(|actor| actor.index() >= 64))
}

fn settings(programs: u64) -> Settings {
    Settings { seed: 0, programs: Some(programs), ..Settings::default() }
}

/// All engines on a thousand programs from this number on.
fn all_engines_agree_from(seed: u64) {
    let mut calls = 0;
    let agreement = run(&Settings { seed, ..settings(1_000) }, Contender::all(), &mut |_| calls += 1);
    assert!(agreement.disagreement.is_none(), "{agreement}");
    let tally = &agreement.tally;
    assert_eq!((tally.programs, calls), (1_000, 1_000));
    assert_eq!(tally.terminating + tally.cyclic + tally.too_large, 1_000);
    assert!(tally.too_large < 50 && tally.terminating > 500 && tally.cyclic > 150, "{tally}");
}

// Two tests run beside each other.
#[test]
fn all_engines_agree() {
    all_engines_agree_from(0);
}

#[test]
fn all_engines_agree_on_more() {
    all_engines_agree_from(1_000);
}

/// A model that is explored with something wrong.
struct Broken<'m> {
    model: &'m Model,
    /// Forgets the last actor where there are three or more.
    forgets: bool,
    /// Never comes to a second outcome.
    sticks: bool,
}

impl System for Broken<'_> {
    type State = State;

    fn initial_states(&self) -> Vec<State> {
        self.model.initial_states()
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        self.model.enabled(state, into);
        if self.forgets && into.len() > 2 {
            into.pop();
        }
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        if !self.sticks {
            return self.model.step(state, actor, step);
        }
        let mut inner = Step::default();
        inner.begin(Outcome::FIRST);
        self.model.step(state, actor, &mut inner);
        inner.violations().iter().for_each(|violation| step.fail(violation.clone()));
    }

    fn ending(&self, state: &State) -> Ending {
        self.model.ending(state)
    }

    fn insight(&self) -> &dyn Insight<State> {
        self
    }
}

impl Insight<State> for Broken<'_> {
    fn violations_at_start(&self, state: &State, into: &mut Vec<Violation>) {
        self.model.violations_at_start(state, into);
    }

    fn fingerprint(&self, state: &State) -> Fingerprint {
        self.model.fingerprint(state)
    }
}

fn broken(forgets: bool, sticks: bool) -> Contender<'static> {
    Contender {
        name: "broken".to_owned(),
        applies: Box::new(|_: &Traits, _| true),
        run: Box::new(move |model: &Model, options: &Options, observer: &mut dyn Observer| -> Exploration {
            explore(Engine::Exhaustive, &Broken { model, forgets, sticks }, options, observer)
        }),
        identity: Identity::Presence,
        promise: promise(Engine::Exhaustive),
    }
}

/// Runs up to the disagreement of the only contender.
fn caught(contender: Contender<'_>, programs: u64) -> Result<Disagreement, String> {
    let agreement = run(&settings(programs), vec![contender], &mut |_| {});
    let disagreement = agreement.disagreement.ok_or("not caught")?;
    // One number shows it again.
    assert_eq!(print(&generate(disagreement.seed).unit), disagreement.source);
    assert!(disagreement.shrunk.lines().count() <= 15, "{disagreement}");
    Ok(disagreement)
}

#[test]
fn an_engine_that_forgets_an_actor_is_caught() -> Result<(), String> {
    let disagreement = caught(broken(true, false), 1_000)?;
    assert_eq!(disagreement.difference.kind, DifferenceKind::Missing);
    assert!(disagreement.to_string().contains("mazurka agree --seed"));
    Ok(())
}

#[test]
fn an_engine_that_sticks_to_the_first_outcome_is_caught() -> Result<(), String> {
    let disagreement = caught(broken(false, true), 200)?;
    assert!(disagreement.shrunk.contains("choose") || disagreement.shrunk.contains("signal"), "{disagreement}");
    Ok(())
}

#[test]
fn an_engine_that_runs_a_trace_twice_is_caught() -> Result<(), String> {
    let mut enumerate = Contender::of(Engine::Enumerate);
    enumerate.promise.traces_exactly = true;
    let disagreement = caught(enumerate, 100)?;
    assert_eq!(disagreement.difference.kind, DifferenceKind::Traces);
    assert!(disagreement.command().ends_with("--programs 1 --engine enumerate"));
    Ok(())
}

#[test]
fn a_disagreement_is_shown_again_in_its_variant() -> Result<(), String> {
    let mut panics = Contender::of(Engine::EmDpor);
    panics.run = Box::new(|_, options, _| panic!("plain {}", options.plain));
    let variant =
        Options { plain: true, no_sleep: true, capture: Capture::Delta, cutoffs: Cutoffs::Order, ..Options::default() };
    let settings = Settings { variant, ..settings(20) };
    let disagreement = run(&settings, vec![panics], &mut |_| {}).disagreement.ok_or("not caught")?;
    assert_eq!(disagreement.difference.words, "panicked: plain true");
    let arguments = "--engine em-dpor --plain --no-sleep --capture delta --cutoffs order";
    assert!(disagreement.command().ends_with(arguments), "{}", disagreement.command());
    Ok(())
}

#[test]
fn the_published_em_dpor_may_run_a_class_twice_and_ours_not() -> Result<(), String> {
    let readers = "shared x = 0; thread s(i in 0..2) { let r = x; } thread t { swap(x, 0); }";
    let of = |plain| Contender::of(Engine::EmDpor).varied(&Options { plain, ..Options::default() });
    let executions = |plain| match compare(readers, &[of(plain)], false) {
        Ok(Some(Comparison { standings, .. })) => Ok(standings),
        other => Err(format!("{other:?}")),
    };
    assert_eq!(executions(false)?, [Standing::Agrees { executions: 4, more: 0 }]);
    assert_eq!(executions(true)?, [Standing::Agrees { executions: 5, more: 0 }]);
    Ok(())
}

#[test]
fn an_engine_that_panics_is_caught() -> Result<(), String> {
    let mut panics = broken(false, false);
    panics.run = Box::new(|model, _, _| panic!("{} states", model.initial_states().len()));
    let disagreement = caught(panics, 10)?;
    assert_eq!(disagreement.difference.words, "panicked: 1 states");
    assert_eq!(disagreement.shrunk, "");
    Ok(())
}

#[test]
fn an_engine_that_does_not_come_to_its_end_is_caught() -> Result<(), String> {
    let mut endless = broken(false, false);
    endless.run = Box::new(|model, options, observer| {
        options.budget.cancel.cancel();
        explore(Engine::Exhaustive, model, options, observer)
    });
    let disagreement = caught(endless, 10)?;
    assert_eq!(disagreement.difference.kind, DifferenceKind::Endless);
    Ok(())
}

#[test]
fn limits_end_a_run() {
    let nothing = Settings { time: Some(Duration::ZERO), ..Settings::default() };
    assert_eq!(run(&nothing, Contender::all(), &mut |_| {}).tally.programs, 0);
    let cancelled = settings(10);
    cancelled.cancel.cancel();
    assert_eq!(run(&cancelled, Contender::all(), &mut |_| {}).tally.programs, 0);
    let only_oracle = Settings { engines: vec![Engine::Exhaustive], ..settings(5) };
    let agreement = run(&only_oracle, Contender::all(), &mut |_| {});
    assert_eq!((agreement.tally.scores.len(), agreement.tally.programs), (0, 5));
    assert!(agreement.to_string().contains("5 programs, the oracle"));
}

#[test]
fn a_program_with_too_many_transitions_is_not_compared() {
    let source = "shared x = 0; event e { for i in 0..15 { x = choose(0..3); } }";
    assert_eq!(compare(source, &[], false), Ok(None));
}

/// `enumerate` that does not look for data races, and says that it does.
fn blind_to_races<'a>() -> Contender<'a> {
    let Contender { name, run, applies, identity, promise } = Contender::of(Engine::Enumerate);
    let run: Run<'a> =
        Box::new(move |model, options, observer| run(model, &Options { races: false, ..options.clone() }, observer));
    Contender { name, applies, run, identity, promise }
}

#[test]
fn data_races_are_compared() {
    let source = "shared x = 0; thread a { x = 1; } thread b { x = 1; }";
    assert!(compare(source, &[blind_to_races()], false).is_ok());
    let missing = compare(source, &[blind_to_races()], true).expect_err("a race is missing");
    assert_eq!((missing.kind, missing.engine.as_str()), (DifferenceKind::Missing, "enumerate"));
    assert!(missing.words.contains("data race on x between 1:26 and 1:46"), "{}", missing.words);
    let engines = Contender::all().into_iter().filter(Contender::finds_races).collect::<Vec<_>>();
    assert_eq!(engines.len(), 4, "dpor, optimal, event and enumerate");
    assert!(compare(source, &engines, true).is_ok());
}

#[test]
fn all_engines_see_the_data_races_of_random_programs() {
    let variant = Options { races: true, ..Options::default() };
    let settings = Settings { seed: 1, programs: Some(300), variant, ..Settings::default() };
    let agreement = run(&settings, Contender::all(), &mut |_| {});
    assert_eq!(agreement.disagreement, None);
}

#[test]
fn a_writer_that_comes_before_a_second_reader_is_not_missed() {
    // Readers that did not conflict made `stateful` miss the reader that waits for ever.
    let source = "rwlock b; def work() { write_lock(b); }
        thread s(i in 0..2) { read_lock(b); spawn work(); read_unlock(b); }";
    let compared = compare(source, &Contender::all(), false);
    assert!(matches!(compared, Ok(Some(_))), "{compared:?}");
}
