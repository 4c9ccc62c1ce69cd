//! Models in Rust against the same programs in `.mz`: the same verdicts from every engine, the same states, the same traces.

use mazurka::engines::{Options, refuses};
use mazurka::model::{Condition, Mutex, Thread, Variable};
use mazurka::{
    Access, ActorId, Budget, Check, Counter, Engine, Exploration, Found, Model, MzProgram, ObjectId, Silent, Step,
    Subject, System, Verdict, ViolationKind, lang,
};
use mazurka_core::Meter;
use proptest::prelude::*;
use std::fmt::Write;
use std::mem::discriminant;
use std::time::Duration;

const VARIABLES: usize = 3;
const MUTEXES: usize = 2;

/// A program of both kinds.
#[derive(Clone, Debug)]
struct Program {
    threads: Vec<Vec<Statement>>,
    events: Vec<Event>,
    /// These two variables never have these values at the same time.
    never: Option<[(usize, i64); 2]>,
}

#[derive(Clone, Debug)]
struct Event {
    guard: Option<(usize, i64)>,
    does: Vec<Change>,
}

/// What is done to variables in one step.
#[derive(Clone, Copy, Debug)]
enum Change {
    Store(usize, i64),
    Copy(usize, usize),
    /// Adds 1, modulo 3.
    Count(usize),
    Choose(usize),
    Assert(usize, i64),
}

#[derive(Clone, Debug)]
enum Statement {
    Change(Change),
    Two(Change, Change),
    If(usize, i64, Vec<Statement>, Vec<Statement>),
    Locked(usize, Vec<Statement>),
    /// Waits, under a mutex, while a variable has a value.
    Wait(usize, usize, i64),
    Signal {
        all: bool,
    },
    Acquire,
    Release,
}

impl Change {
    /// The variable that it writes.
    fn target(self) -> Option<usize> {
        match self {
            Change::Store(x, _) | Change::Copy(x, _) | Change::Count(x) | Change::Choose(x) => Some(x),
            Change::Assert(..) => None,
        }
    }

    fn mz(self) -> String {
        match self {
            Change::Store(x, value) => format!("x{x} = {value};"),
            Change::Copy(x, y) => format!("x{x} = x{y};"),
            Change::Count(x) => format!("x{x} = (x{x} + 1) % 3;"),
            Change::Choose(x) => format!("x{x} = choose(0..2);"),
            Change::Assert(x, value) => format!("assert(x{x} != {value});"),
        }
    }

    fn act(self, s: &mut mazurka::model::Act<'_>, x: &[Variable<i64>; VARIABLES]) {
        match self {
            Change::Store(at, value) => s[x[at]] = value,
            Change::Copy(at, from) => s[x[at]] = s[x[from]],
            Change::Count(at) => s[x[at]] = (s[x[at]] + 1) % 3,
            Change::Choose(at) => s[x[at]] = s.choose(2) as i64,
            Change::Assert(at, value) => {
                let holds = s[x[at]] != value;
                s.assert(holds, "it has another value");
            }
        }
    }
}

impl Statement {
    fn mz(&self, into: &mut String) {
        let all = |body: &[Statement], into: &mut String| body.iter().for_each(|one| one.mz(into));
        let text = match self {
            Statement::Change(change) => format!("atomic {{ {} }}\n", change.mz()),
            Statement::Two(one, other) => format!("atomic {{ {} {} }}\n", one.mz(), other.mz()),
            Statement::If(x, value, then, otherwise) => {
                let (mut yes, mut no) = (String::new(), String::new());
                all(then, &mut yes);
                all(otherwise, &mut no);
                format!("if (x{x} == {value}) {{\n{yes}}} else {{\n{no}}}\n")
            }
            Statement::Locked(mutex, body) => {
                let mut inner = String::new();
                all(body, &mut inner);
                format!("lock(m{mutex});\n{inner}unlock(m{mutex});\n")
            }
            Statement::Wait(mutex, x, value) => {
                format!("lock(m{mutex});\nwhile (x{x} == {value}) {{ wait(c, m{mutex}); }}\nunlock(m{mutex});\n")
            }
            Statement::Signal { all: false } => "signal(c);\n".to_owned(),
            Statement::Signal { all: true } => "broadcast(c);\n".to_owned(),
            Statement::Acquire => "acquire(turns);\n".to_owned(),
            Statement::Release => "release(turns);\n".to_owned(),
        };
        into.push_str(&text);
    }

    fn build(&self, t: &mut Thread, shared: Shared) {
        let Shared { x, mutexes, condition, turns } = shared;
        let all = |body: &[Statement], t: &mut Thread| body.iter().for_each(|one| one.build(t, shared));
        match *self {
            Statement::Change(change) => t.step("change").then(move |s| change.act(s, &x)),
            Statement::Two(one, other) => t.step("change").then(move |s| {
                one.act(s, &x);
                other.act(s, &x);
            }),
            Statement::If(at, value, ref then, ref otherwise) => {
                t.if_else("if", move |s| s[x[at]] == value, |t| all(then, t), |t| all(otherwise, t));
            }
            Statement::Locked(mutex, ref body) => {
                t.lock(mutexes[mutex]);
                all(body, t);
                t.unlock(mutexes[mutex]);
            }
            Statement::Wait(mutex, at, value) => {
                t.lock(mutexes[mutex]);
                t.repeat_while("while", move |s| s[x[at]] == value, |t| t.wait(condition, mutexes[mutex]));
                t.unlock(mutexes[mutex]);
            }
            Statement::Signal { all: false } => t.signal(condition),
            Statement::Signal { all: true } => t.broadcast(condition),
            Statement::Acquire => t.step("acquire").when(move |s| s[turns] > 0).then(move |s| s[turns] -= 1),
            Statement::Release => t.step("release").then(move |s| s[turns] += 1),
        }
    }
}

#[derive(Clone, Copy)]
struct Shared {
    x: [Variable<i64>; VARIABLES],
    mutexes: [Mutex; MUTEXES],
    condition: Condition,
    turns: Variable<i64>,
}

impl Program {
    fn mz(&self) -> MzProgram {
        let mut text = "shared x0 = 0, x1 = 1, x2 = 2; mutex m0, m1; cond c; semaphore turns = 1;\n".to_owned();
        for (number, thread) in self.threads.iter().enumerate() {
            let mut body = String::new();
            thread.iter().for_each(|statement| statement.mz(&mut body));
            let _ = writeln!(text, "thread t{number} {{\n{body}}}");
        }
        for (number, event) in self.events.iter().enumerate() {
            let guard = event.guard.map_or(String::new(), |(x, value)| format!(" when x{x} == {value}"));
            let body: Vec<String> = event.does.iter().map(|change| change.mz()).collect();
            let _ = writeln!(text, "event e{number}{guard} {{ {} }}", body.join(" "));
        }
        if let Some([(x, one), (y, other)]) = self.never {
            let _ = writeln!(text, "never (x{x} == {one} && x{y} == {other});");
        }
        MzProgram::new(lang::compile("random.mz", &text, &[]).unwrap_or_else(|error| panic!("{error:?}\n{text}")))
    }

    fn model(&self) -> Model {
        let mut model = Model::new();
        let x = std::array::from_fn(|n| model.variable(format!("x{n}"), n as i64));
        let mutexes = std::array::from_fn(|n| model.mutex(format!("m{n}")));
        let shared = Shared { x, mutexes, condition: model.condition("c"), turns: model.variable("turns", 1) };
        for (number, thread) in self.threads.iter().enumerate() {
            model.thread(format!("t{number}"), |t| thread.iter().for_each(|statement| statement.build(t, shared)));
        }
        for (number, event) in self.events.iter().enumerate() {
            let does = event.does.clone();
            let draft = model.event(format!("e{number}"));
            let draft = match event.guard {
                Some((at, value)) => draft.when(move |s| s[x[at]] == value),
                None => draft,
            };
            draft.then(move |s| does.iter().for_each(|change| change.act(s, &x)));
        }
        if let Some([(one, a), (other, b)]) = self.never {
            let never = format!("x{one} is not {a} while x{other} is {b}");
            model.invariant(never, (x[one], x[other]), move |(one, other)| !(one == a && other == b));
        }
        model
    }
}

fn change() -> impl Strategy<Value = Change> {
    let (variable, value) = (0..VARIABLES, 0..3i64);
    prop_oneof![
        4 => (variable.clone(), value.clone()).prop_map(|(x, value)| Change::Store(x, value)),
        3 => (variable.clone(), variable.clone()).prop_map(|(x, y)| Change::Copy(x, y)),
        3 => variable.clone().prop_map(Change::Count),
        1 => variable.clone().prop_map(Change::Choose),
        1 => (variable, value).prop_map(|(x, value)| Change::Assert(x, value)),
    ]
}

/// Whether two changes write different variables. A step of `.mz` that writes one twice is a write to it even if it has its
/// old value then; one of a model is not.
fn are_apart(changes: &[Change]) -> bool {
    let [one, other] = changes else { return true };
    one.target().is_none() || one.target() != other.target()
}

fn statement() -> impl Strategy<Value = Statement> {
    let (variable, value, mutex) = (0..VARIABLES, 0..3i64, 0..MUTEXES);
    let leaf = prop_oneof![
        5 => change().prop_map(Statement::Change),
        2 => [change(), change()]
            .prop_filter("one variable", |changes| are_apart(changes))
            .prop_map(|[one, other]| Statement::Two(one, other)),
        1 => (mutex.clone(), variable.clone(), value.clone()).prop_map(|(m, x, value)| Statement::Wait(m, x, value)),
        1 => any::<bool>().prop_map(|all| Statement::Signal { all }),
        1 => Just(Statement::Acquire),
        1 => Just(Statement::Release),
    ];
    leaf.prop_recursive(2, 4, 2, move |inner| {
        let body = || prop::collection::vec(inner.clone(), 0..3);
        prop_oneof![
            (variable.clone(), value.clone(), body(), body())
                .prop_map(|(x, value, then, otherwise)| Statement::If(x, value, then, otherwise)),
            (mutex.clone(), body()).prop_map(|(mutex, body)| Statement::Locked(mutex, body)),
        ]
    })
}

fn event() -> impl Strategy<Value = Event> {
    let guard = prop::option::weighted(0.7, (0..VARIABLES, 0..3i64));
    let does = prop::collection::vec(change(), 1..3).prop_filter("one variable", |changes| are_apart(changes));
    (guard, does).prop_map(|(guard, does)| Event { guard, does })
}

fn program() -> impl Strategy<Value = Program> {
    let never = prop::option::of([(0..VARIABLES, 0..3i64), (0..VARIABLES, 0..3i64)]);
    let threads = || prop::collection::vec(prop::collection::vec(statement(), 1..4), 2..4);
    let events = || prop::collection::vec(event(), 1..4);
    prop_oneof![
        3 => (threads(), Just(Vec::new()), never.clone()),
        1 => (Just(Vec::new()), events(), never.clone()),
        1 => (prop::collection::vec(prop::collection::vec(statement(), 1..3), 1..3), events(), never),
    ]
    .prop_map(|(threads, events, never)| Program { threads, events, never })
}

fn explore(subject: &dyn Subject, engine: Engine) -> Exploration {
    let mut options = Options::default();
    options.budget.size = Some(5_000);
    subject.explore(engine, &options, &mut Silent)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_model_is_the_same_program(program in program()) {
        let (mz, model) = (program.mz(), program.model());
        let reference = explore(&mz, Engine::Exhaustive);
        let is_verified = reference.verdict == Verdict::Verified;
        for &engine in Engine::ALL {
            if refuses(engine, &Subject::traits(&model)).is_some() {
                continue;
            }
            let (told, built) = (explore(&mz, engine), explore(&model, engine));
            if [&told, &built].iter().any(|exploration| matches!(exploration.verdict, Verdict::Inconclusive(_))) {
                continue;
            }
            let is_same = discriminant(&told.verdict) == discriminant(&built.verdict);
            prop_assert!(is_same, "{}: {}, {}", engine, told.verdict, built.verdict);
            if is_verified && told.verdict == Verdict::Verified {
                let counters = match engine {
                    Engine::Exhaustive => &[Counter::States, Counter::Transitions, Counter::EndStates][..],
                    Engine::Optimal | Engine::Enumerate => &[Counter::Executions, Counter::Traces],
                    Engine::Unfolding => &[Counter::Events, Counter::Configurations],
                    _ => &[],
                };
                for &counter in counters {
                    let [told, built] = [&told, &built].map(|exploration| exploration.statistics.get(counter));
                    prop_assert_eq!(told, built, "{} {:?}", engine, counter);
                }
            }
        }
        // What is complete by construction is found complete.
        let meter = Meter::start(&Budget { time: Some(Duration::from_millis(30)), ..Budget::default() });
        prop_assert_eq!(model.footprints(&meter), Ok(()));
    }
}

/// What every engine that takes the model finds: the one violation's kind, message and number of steps.
fn found(model: &Model) -> (ViolationKind, String, usize) {
    let mut found = Vec::new();
    for &engine in Engine::ALL {
        if refuses(engine, &Subject::traits(model)).is_none() {
            let checked = Check::new(model).engine(engine).run();
            assert_eq!(checked.exploration.verdict, Verdict::Violated, "{engine}\n{checked}");
            let Found { violation, schedule } = &checked.shortened[0];
            assert!(
                violation.location.as_ref().is_some_and(|place| place.file.ends_with("models.rs")),
                "{violation:?}"
            );
            found.push((violation.kind, violation.message.clone(), schedule.moves.len()));
        }
    }
    found.dedup();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn a_panic_anywhere_in_a_model_is_a_violation_with_its_schedule() {
    let two_threads = |build: fn(&mut Thread, Variable<usize>)| {
        let mut model = Model::new();
        let x = model.variable("x", 0);
        model.thread("counts", |t| t.step("count").then(move |s| s[x] += 1));
        model.thread("reads", |t| build(t, x));
        found(&model)
    };
    let crash = |message: &str, steps| (ViolationKind::Crash, message.to_owned(), steps);
    let index = "panicked: index out of bounds: the len is 1 but the index is 1";
    let in_step = two_threads(|t, x| t.step("read").then(move |s| assert!([true][s[x]])));
    assert_eq!(in_step, crash(index, 2));
    let in_guard = two_threads(|t, x| t.step("read").when(move |s| [true][s[x]]).then(|_| {}));
    assert_eq!(in_guard, crash(index, 2));
    let in_test = two_threads(|t, x| t.only_if("read", move |s| [true][s[x]], |_| {}));
    assert_eq!(in_test, crash(index, 2));

    let mut model = Model::new();
    let x = model.variable("x", 0);
    model.event("count").when(move |s| s[x] < 2).then(move |s| s[x] += 1);
    model.invariant("it is in the list", x, |x| [true, true][x]);
    let message = "panicked in the invariant `it is in the list`: index out of bounds: the len is 2 but the index is 2";
    assert_eq!(found(&model), crash(message, 2));
}

#[test]
fn a_thread_that_panicked_has_written_nothing_and_moves_no_more() {
    let mut model = Model::new();
    let x = model.variable("x", 0);
    model.thread("panics", |t| {
        t.step("panic").then(move |s| {
            s[x] = 1;
            panic!("on purpose");
        });
        t.step("never").then(|s| s.assert(false, "it goes on"));
    });
    model.thread("waits", |t| t.step("see").when(move |s| s[x] == 1).then(|s| s.assert(false, "it was written")));
    let checked = Check::new(&model).all().run();
    let messages: Vec<_> = checked.shortened.iter().map(|found| &found.violation.message[..]).collect();
    assert_eq!(messages, ["panicked: on purpose"], "and no deadlock comes of it");
}

#[test]
fn a_mutex_is_released_by_its_holder_only() {
    let model = |write: fn(&mut Thread, Mutex, Condition)| {
        let mut model = Model::new();
        let (mutex, condition) = (model.mutex("m"), model.condition("c"));
        model.thread("other", |t| t.lock(mutex));
        model.thread("t", |t| write(t, mutex, condition));
        Check::new(&model).engine(Engine::Optimal).run().stories[0].violation.message.clone()
    };
    assert_eq!(model(|t, m, _| t.unlock(m)), "t unlocks m, which it does not hold");
    assert_eq!(model(|t, m, c| t.wait(c, m)), "t waits with m, which it does not hold");
    assert_eq!(model(|t, m, _| t.lock(m)), "deadlock: t waits for m held by other, which has ended");
}

/// What a panic says.
fn refusal<T>(build: impl FnOnce() -> T) -> String {
    let built = std::panic::catch_unwind(std::panic::AssertUnwindSafe(build)).map(|_| ());
    let panic = built.expect_err("it is refused");
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).expect("a panic has words")
}

#[test]
fn what_cannot_be_built_is_refused_in_words() {
    let mut model = Model::new();
    let x = model.variable("x", 0);
    model.event("e").then(|_| {});
    assert_eq!(refusal(|| model.mutex("x")), "the model already has an object called `x`");
    assert_eq!(refusal(|| model.thread("e", |_| {})), "the model already has an actor called `e`");
    assert_eq!(
        refusal(|| model.thread("t", |t| t.forever(|_| {}))),
        "the thread `t` has a `forever` without a step in it"
    );
    let nothing: [u8; 0] = [];
    assert_eq!(refusal(|| model.variable_among("y", nothing)), "the variable `y` needs a value to begin with");
    let mut other = Model::new();
    assert_eq!(refusal(|| other.invariant("i", x, |x| x == 0)), "`i` uses a variable of another model");
    // What is seen only when a step is taken is a violation.
    other.variable("y", 0);
    other.event("e").then(move |s| s[x] = 1);
    assert_eq!(found(&other).1, "panicked: this is a variable of another model");
}

#[test]
fn a_model_may_begin_with_any_of_several_values() {
    let mut model = Model::new();
    let x = model.variable_among("x", [1, 2, 2, 3]);
    let y = model.variable_among("y", [false, true]);
    model.invariant("x is small", (x, y), |(x, y)| x < 3 || !y);
    assert_eq!(System::initial_states(&model).len(), 6);
    let checked = Check::new(&model).run();
    assert_eq!(checked.stories[0].violation.message, "invariant broken: x is small");
    assert!(checked.stories[0].rows.is_empty(), "it is wrong from the start");
}

/// Two actors, the second of which can move only before the first has. Nothing tells that it is blocked after that.
struct TellsNothing;

impl System for TellsNothing {
    type State = [bool; 2];

    fn initial_states(&self) -> Vec<[bool; 2]> {
        vec![[false; 2]]
    }

    fn enabled(&self, &[first, second]: &[bool; 2], into: &mut Vec<ActorId>) {
        into.extend((!first).then_some(ActorId(0)));
        into.extend((!first && !second).then_some(ActorId(1)));
    }

    fn step(&self, moved: &mut [bool; 2], actor: ActorId, step: &mut Step) {
        step.touch(ObjectId(0), if actor.0 == 0 { Access::WRITE } else { Access::READ });
        moved[actor.index()] = true;
        step.assert(actor.0 == 0, "the second actor never moves");
    }
}

#[test]
fn no_way_through_the_library_calls_a_program_verified_that_an_engine_refuses() {
    let subject: &dyn Subject = &TellsNothing;
    assert_eq!(Check::new(subject).run().exploration.verdict, Verdict::Violated);
    for &engine in Engine::ALL {
        let direct = mazurka::engines::explore(engine, &TellsNothing, &Options::default(), &mut Silent);
        let checked = Check::new(subject).engine(engine).run().exploration;
        for exploration in [direct, explore(subject, engine), checked] {
            match exploration.verdict {
                Verdict::Violated => assert!(!engine.reduces(), "{engine}"),
                Verdict::Unsupported(reason) => {
                    assert!(engine.reduces() && reason.contains("`tells_blocked`"), "{engine}: {reason}");
                }
                other => panic!("{engine}: {other}"),
            }
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_what_is_told() {
    let tell = |threads: usize| {
        let mut model = Model::new();
        let list = model.variable("list", Vec::new());
        for n in 0..3 {
            model.thread(format!("t{n}"), |t| {
                for _ in 0..3 {
                    t.step("push").then(move |s| s[list].push(n));
                }
            });
        }
        model.invariant("0 is not between 1 and 2", list, |list| !list.windows(3).any(|three| three == [1, 0, 2]));
        let checked = Check::new(&model).engine(Engine::Exhaustive).all().threads(threads).run();
        (checked.exploration.violations, checked.exploration.statistics.get(Counter::States))
    };
    let alone = tell(1);
    for _ in 0..5 {
        assert_eq!(tell(4), alone);
    }
}
