//! Makes small random programs.
//!
//! One number is one program. A program has a few actors, a few shared variables with few values, and few visible
//! operations, so that all of its states can be visited and mostly all of its executions be run. All statements,
//! expressions and definitions of the language occur, and so do deadlocks, crashes and assumptions that stay false.
//! Seldom there is a crowd: a family of more events than a word has bits, of which few can happen at a time.
//!
//! Whether a program terminates is decided first. In one that does, a body may call, spawn, post and enable only what
//! was made before it, loops are counted, and an event happens a limited number of times. In the others, code that may
//! run for ever keeps all values small, joins what it spawns, and posts only while a token is free: so there are
//! finitely many states.

mod body;
mod tree;

use body::{Body, Mode};
use mazurka_core::Random;
use mazurka_lang::ast::{
    BinaryOp, Block, Expr, ExprKind, Family, Function, Initial, Item, Name, ObjectKind, Statement, StatementKind, Unit,
};
use tree::{assign, binary, call, number, place, statement, variable, when};

/// What a program consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Threads that share variables.
    Threads,
    /// Threads with locks and condition variables.
    Locks,
    /// Handlers that take their messages in order of arrival.
    Fifo,
    /// Handlers that take their messages in any order.
    Any,
    /// Threads, locks and handlers of both kinds.
    Mixed,
    /// Events.
    Events,
    /// Events that are enabled and disabled.
    Switches,
    /// Everything.
    Everything,
    /// Threads with semaphores, read-write locks, channels, and locks that are tried.
    Sync,
    /// The same with handlers and events.
    SyncMixed,
}

/// The kinds and how often they are made.
const KINDS: [(Kind, u32); 10] = [
    (Kind::Threads, 4),
    (Kind::Locks, 4),
    (Kind::Fifo, 4),
    (Kind::Any, 4),
    (Kind::Mixed, 4),
    (Kind::Events, 2),
    (Kind::Switches, 2),
    (Kind::Everything, 3),
    (Kind::Sync, 6),
    (Kind::SyncMixed, 4),
];

impl Kind {
    fn has_threads(self) -> bool {
        !matches!(self, Kind::Events | Kind::Switches)
    }

    fn has_locks(self) -> bool {
        matches!(self, Kind::Locks | Kind::Mixed | Kind::Everything)
    }

    fn has_syncs(self) -> bool {
        matches!(self, Kind::Sync | Kind::SyncMixed)
    }

    fn has_handlers(self) -> bool {
        matches!(self, Kind::Fifo | Kind::Any | Kind::Mixed | Kind::Everything | Kind::SyncMixed)
    }

    fn has_events(self) -> bool {
        matches!(self, Kind::Events | Kind::Switches | Kind::Everything | Kind::SyncMixed)
    }

    fn has_switches(self) -> bool {
        matches!(self, Kind::Switches | Kind::Everything)
    }
}

/// What was decided about a program before it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What it consists of.
    pub kind: Kind,
    /// Whether each of its executions ends.
    pub terminating: bool,
    /// About how many visible operations its actors have together.
    pub operations: i32,
}

/// A program and what was decided about it.
#[derive(Clone, Debug)]
pub struct Generated {
    /// What was decided.
    pub shape: Shape,
    /// The program.
    pub unit: Unit,
}

/// Something with a name; an array or a family has a first index and a number of elements.
#[derive(Clone, Debug)]
struct Thing {
    name: String,
    range: Option<(i64, i64)>,
}

impl Thing {
    /// The number of members from which on a family is a crowd.
    const CROWD: i64 = 60;

    fn is_crowd(&self) -> bool {
        self.range.is_some_and(|range| range.1 >= Self::CROWD)
    }
}

/// A function or a message.
#[derive(Clone, Debug)]
struct Callable {
    name: String,
    parameters: usize,
    /// What its body may do.
    mode: Mode,
    /// How many visible operations it has.
    cost: i32,
    /// The variable that is 1 while a message that was posted by repeating code is under way.
    token: Option<String>,
}

/// What bodies may use: it grows while the program is made.
#[derive(Debug, Default)]
struct World {
    constants: Vec<(String, i64)>,
    /// Whether there is an enum.
    has_enum: bool,
    variables: Vec<Thing>,
    mutexes: Vec<Thing>,
    conditions: Vec<Thing>,
    semaphores: Vec<Thing>,
    rw_locks: Vec<Thing>,
    channels: Vec<Thing>,
    /// Whether mutexes are tried, and waits time out.
    tries: bool,
    handlers: Vec<Thing>,
    events: Vec<Thing>,
    functions: Vec<Callable>,
    messages: Vec<Callable>,
    /// Whether threads may be spawned.
    spawns: bool,
}

/// Makes the program that a number stands for.
pub fn generate(seed: u64) -> Generated {
    let mut random = Random::new(seed);
    let kind = KINDS[random.weighted(KINDS.iter().map(|kind| kind.1))].0;
    let terminating = random.percent(if kind.has_threads() { 65 } else { 30 });
    let shape = Shape { kind, terminating, operations: random.between(6, 12) as i32 };
    let mut maker = Maker { random, shape, world: World::default(), items: Vec::new(), actors: Vec::new() };
    maker.program();
    let mut items = maker.items;
    items.extend(maker.actors);
    Generated { shape, unit: Unit { items } }
}

struct Maker {
    random: Random,
    shape: Shape,
    world: World,
    /// Constants, variables and objects.
    items: Vec<Item>,
    /// Whatever has a body.
    actors: Vec<Item>,
}

impl Maker {
    fn program(&mut self) {
        let kind = self.shape.kind;
        self.world.spawns = kind.has_threads() && self.random.percent(25);
        self.constants();
        self.enumeration();
        self.variables();
        if kind.has_locks() {
            self.objects(ObjectKind::Mutex);
            self.objects(ObjectKind::Cond);
        }
        if kind.has_syncs() {
            self.syncs();
        }
        if kind.has_handlers() {
            self.handlers();
        }
        self.functions(&[Mode::Look, Mode::Act]);
        // The one that is made first cannot cause the other one: in a terminating program that is what rules out a
        // cycle.
        if self.random.percent(50) {
            self.events();
            self.messages();
        } else {
            self.messages();
            self.events();
        }
        if kind.has_threads() {
            self.functions(&[Mode::Plain]);
            self.threads();
        }
        self.invariants();
        // Definitions may stand in any order.
        if self.random.percent(20) {
            self.actors.reverse();
        }
    }

    fn constants(&mut self) {
        for name in ["N", "K"].into_iter().take(self.random.below(3)) {
            let (value, written) = match self.world.constants.first() {
                Some((first, value)) if self.random.percent(50) => {
                    (value + 1, binary(BinaryOp::Add, variable(first), number(1)))
                }
                _ => {
                    let value = self.random.between(1, 2);
                    (value, number(value))
                }
            };
            self.world.constants.push((name.to_owned(), value));
            self.items.push(Item::Const { name: Name::new(name), value: written });
        }
    }

    /// Constants for the values that most variables have.
    fn enumeration(&mut self) {
        if !self.random.percent(25) {
            return;
        }
        let names = ["none", "some", "all"];
        self.world.constants.extend((0..).zip(names).map(|(value, name)| (name.to_owned(), value)));
        let members = names.into_iter().map(|name| (Name::new(name), None)).collect();
        self.items.push(Item::Enum { name: Name::new("amount"), members });
        self.world.has_enum = true;
    }

    /// A number as it is, or as a constant that has its value.
    fn written(&mut self, value: i64) -> Expr {
        match self.world.constants.iter().find(|constant| constant.1 == value) {
            Some((name, _)) if self.random.percent(50) => variable(name),
            _ => number(value),
        }
    }

    fn variables(&mut self) {
        let count = self.random.between(1, 3) as usize;
        for name in ["x", "y", "z"].into_iter().take(count) {
            let length = self.random.percent(25).then(|| self.random.between(2, 3));
            let initial = match length {
                Some(length) if self.random.percent(50) => {
                    Initial::Each((0..length).map(|_| number(self.random.between(0, 2))).collect(), 0..0)
                }
                _ => Initial::Same(number(if self.random.percent(75) { 0 } else { self.random.between(-1, 2) })),
            };
            let written = length.map(|length| self.written(length));
            let of = (self.world.has_enum && self.random.percent(60)).then(|| Name::new("amount"));
            self.world.variables.push(Thing { name: name.to_owned(), range: length.map(|length| (0, length)) });
            self.items.push(Item::Shared { name: Name::new(name), length: written, of, initial });
        }
    }

    /// A variable that bodies write only where the maker says so.
    fn reserve(&mut self, name: &str) {
        self.items.push(Item::Shared {
            name: Name::new(name),
            length: None,
            of: None,
            initial: Initial::Same(number(0)),
        });
    }

    fn objects(&mut self, kind: ObjectKind) {
        let names: &[&str] = match kind {
            ObjectKind::Mutex => &["m", "l"],
            ObjectKind::Cond => &["c"],
            ObjectKind::RwLock => &["b"],
            ObjectKind::FifoHandler => &["h"],
            ObjectKind::AnyHandler => &["g"],
        };
        let count = self.random.between(1, names.len() as i64) as usize;
        for &name in &names[..count] {
            let (thing, written) = self.thing(name);
            match kind {
                ObjectKind::Mutex => self.world.mutexes.push(thing),
                ObjectKind::Cond => self.world.conditions.push(thing),
                ObjectKind::RwLock => self.world.rw_locks.push(thing),
                ObjectKind::FifoHandler | ObjectKind::AnyHandler => self.world.handlers.push(thing),
            }
            self.items.push(Item::Object { name: Name::new(name), kind, length: written, fairness: None });
        }
    }

    /// Two or three of: semaphores, read-write locks, channels, mutexes that are tried with waits that time out.
    fn syncs(&mut self) {
        let left_out = self.random.below(4);
        let also_left_out = self.random.below(4);
        for which in (0..4).filter(|&which| which != left_out && which != also_left_out) {
            match which {
                0 => {
                    let (thing, written) = self.thing("a");
                    let initial = Initial::Same(number(self.random.between(0, 2)));
                    self.world.semaphores.push(thing);
                    self.items.push(Item::Semaphore { name: Name::new("a"), length: written, initial });
                }
                1 => {
                    self.objects(ObjectKind::RwLock);
                }
                2 => {
                    let (thing, written) = self.thing("d");
                    let capacity = number(self.random.between(1, 2));
                    self.world.channels.push(thing);
                    self.items.push(Item::Channel { name: Name::new("d"), length: written, capacity });
                }
                _ => {
                    self.world.tries = true;
                    self.objects(ObjectKind::Mutex);
                    if self.random.percent(60) {
                        self.objects(ObjectKind::Cond);
                    }
                }
            }
        }
    }

    /// Something that may be an array, and its length as it is written.
    fn thing(&mut self, name: &str) -> (Thing, Option<Expr>) {
        let length = self.random.percent(20).then_some(2);
        let written = length.map(|length| self.written(length));
        (Thing { name: name.to_owned(), range: length.map(|length| (0, length)) }, written)
    }

    fn handlers(&mut self) {
        let both = self.random.percent(40);
        let first_is_any = self.random.percent(50);
        let (fifo, any) = match self.shape.kind {
            Kind::Fifo => (true, false),
            Kind::Any => (false, true),
            _ => (both || !first_is_any, both || first_is_any),
        };
        if fifo {
            self.objects(ObjectKind::FifoHandler);
        }
        if any {
            self.objects(ObjectKind::AnyHandler);
        }
    }

    /// What a body starts with.
    fn body(&mut self, mode: Mode, operations: i32) -> Body<'_> {
        Body::new(&self.world, &mut self.random, mode, operations)
    }
}

/// What has a body.
impl Maker {
    fn functions(&mut self, modes: &[Mode]) {
        for &mode in modes {
            if !self.random.percent(if mode == Mode::Plain && self.world.spawns { 90 } else { 25 }) {
                continue;
            }
            let name = match mode {
                Mode::Look => "look",
                Mode::Act => "act",
                Mode::Plain => "work",
            };
            let parameters = self.random.below(3);
            let operations = self.random.between(1, 2) as i32;
            let terminating = self.shape.terminating;
            let mut body = self.body(mode, operations);
            body.repeats(!terminating);
            let names = body.parameters(parameters);
            body.in_function();
            let mut statements = body.block(3).statements;
            if body.random().percent(75) {
                let value = body.small(1);
                statements.push(statement(StatementKind::Return(Some(value))));
            }
            let cost = body.spent();
            let function =
                Function { name: Name::new(name), parameters: names, body: Block { statements: statements.clone() } };
            self.world.functions.push(Callable { name: name.to_owned(), parameters, mode, cost, token: None });
            self.actors.push(Item::Def(function));
        }
    }

    fn messages(&mut self) {
        if !self.shape.kind.has_handlers() {
            return;
        }
        let count = self.random.between(1, 2) as usize;
        for name in ["p", "q"].into_iter().take(count) {
            let parameters = self.random.below(3);
            let terminating = self.shape.terminating;
            let mut body = self.body(Mode::Plain, 2);
            body.repeats(!terminating);
            let names = body.parameters(parameters);
            let mut statements = body.block(2).statements;
            let mut cost = 1 + body.spent();
            let again = if terminating { parameters > 0 && self.random.percent(30) } else { self.random.percent(40) };
            let token = (!terminating).then(|| format!("busy_{name}"));
            if let Some(token) = &token {
                self.reserve(token);
                // A message that goes on for ever keeps its token: another one would be one more for ever.
                if !again {
                    statements.insert(0, assign(token, number(0)));
                }
            }
            if again {
                statements.push(self.post_again(name, &names));
                cost += 2;
            }
            let function = Function { name: Name::new(name), parameters: names, body: Block { statements } };
            self.world.messages.push(Callable { name: name.to_owned(), parameters, mode: Mode::Plain, cost, token });
            self.actors.push(Item::Message(function));
        }
    }

    /// A message posts itself once more: for ever, or with a first argument that counts down.
    fn post_again(&mut self, name: &str, parameters: &[Name]) -> Statement {
        let handler = self.body(Mode::Plain, 0).handler();
        let mut arguments: Vec<Expr> = parameters.iter().map(|parameter| variable(&parameter.text)).collect();
        match parameters.first() {
            Some(first) if self.shape.terminating => {
                arguments[0] = binary(BinaryOp::Subtract, variable(&first.text), number(1));
                let post = statement(StatementKind::Post(handler, call(name, arguments)));
                when(binary(BinaryOp::Greater, variable(&first.text), number(0)), vec![post])
            }
            _ => statement(StatementKind::Post(handler, call(name, arguments))),
        }
    }

    fn events(&mut self) {
        if !self.shape.kind.has_events() {
            return;
        }
        let most = if self.shape.kind.has_threads() { 2 } else { 4 };
        let count = self.random.between(1, most) as usize;
        let mut things: Vec<Thing> = ["e", "f", "o", "u"]
            .into_iter()
            .take(count)
            .map(|name| {
                let range = self.random.percent(20).then(|| (self.random.between(0, 1), 2));
                Thing { name: name.to_owned(), range }
            })
            .collect();
        if self.random.percent(8) {
            let crowd = Thing { name: "v".to_owned(), range: Some((0, self.random.between(Thing::CROWD, 130))) };
            things.insert(self.random.below(count + 1), crowd);
        }
        let switches = self.shape.kind.has_switches();
        if switches && !self.shape.terminating {
            self.world.events.clone_from(&things);
        }
        for thing in things {
            self.event(&thing);
            if switches && self.shape.terminating {
                self.world.events.push(thing);
            }
        }
    }

    fn event(&mut self, thing: &Thing) {
        let (terminating, switches) = (self.shape.terminating, self.shape.kind.has_switches());
        let family = thing.range.map(|range| self.family(range));
        let counts = !switches || thing.is_crowd() || self.random.percent(40);
        let counter = (terminating && counts).then(|| format!("times_{}", thing.name));
        // A crowd that is not held back by its switches is held back by its guards.
        let disabled = switches && self.random.percent(if thing.is_crowd() { 50 } else { 35 });
        let mut body = self.body(Mode::Act, 3);
        body.repeats(!terminating);
        if let Some(family) = &family {
            body.know(&family.parameter.text);
        }
        let mut guard = match &family {
            Some(family) if thing.is_crowd() && !disabled => Some(body.guard_of_few(&family.parameter.text)),
            _ => body.random().percent(60).then(|| body.guard()),
        };
        let mut statements = body.block(3).statements;
        if let Some(counter) = &counter {
            self.reserve(counter);
            let limited = binary(BinaryOp::Less, variable(counter), number(self.random.between(1, 2)));
            guard = Some(match guard {
                Some(guard) => Expr::new(ExprKind::Logical(true, Box::new(limited), Box::new(guard))),
                None => limited,
            });
            statements.insert(0, statement(StatementKind::Update(place(counter), BinaryOp::Add, number(1))));
        } else if terminating {
            let own = match &family {
                Some(family) => tree::element(&thing.name, variable(&family.parameter.text)),
                None => place(&thing.name),
            };
            statements.insert(0, statement(StatementKind::Disable(own)));
        }
        let body = Block { statements };
        self.actors.push(Item::Event { name: Name::new(&thing.name), family, fairness: None, disabled, guard, body });
    }

    fn family(&mut self, (first, count): (i64, i64)) -> Family {
        let (from, to) = (self.written(first), self.written(first + count));
        Family { parameter: Name::new("i"), from, to }
    }

    fn threads(&mut self) {
        let posts = !self.world.messages.is_empty();
        let count = self.random.between(if posts || self.world.spawns { 1 } else { 2 }, 3) as usize;
        let ranges: Vec<Option<(i64, i64)>> =
            (0..count).map(|_| (count < 3 && self.random.percent(25)).then_some((0, 2))).collect();
        let actors: i64 = ranges.iter().map(|range| range.map_or(1, |range| range.1)).sum();
        let share = (self.shape.operations / actors as i32).max(2);
        for (name, range) in ["s", "t", "w"].into_iter().zip(ranges) {
            let family = range.map(|range| self.family(range));
            let endless = !self.shape.terminating && self.random.percent(60);
            let mut body = self.body(Mode::Plain, share);
            if let Some(family) = &family {
                body.know(&family.parameter.text);
            }
            let mut block = body.full_block();
            if endless {
                body.endless_loop(&mut block.statements);
            }
            self.actors.push(Item::Thread { name: Name::new(name), family, fairness: None, body: block });
        }
    }

    fn invariants(&mut self) {
        let chance = if self.shape.kind.has_threads() { 15 } else { 40 };
        if self.random.percent(chance) {
            let condition = self.body(Mode::Look, 3).guard();
            self.actors.push(Item::Never { condition });
        }
    }
}
