//! Makes the statements of one body; its expressions are made in `expressions`.

mod expressions;
mod syncs;
mod syntax;

use super::tree::{assign, binary, call, element, number, place, statement, variable, when};
use super::{Callable, World};
use mazurka_core::Random;
use mazurka_lang::ast::{BinaryOp, Block, Expr, ExprKind, Name, Place, Statement, StatementKind};
use syntax::Array;

/// What a body may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    /// Only look: what conditions may call.
    Look,
    /// Everything but wait: what events and atomic blocks may do.
    Act,
    /// Everything.
    Plain,
}

#[derive(Clone, Debug)]
struct Local {
    name: String,
    assignable: bool,
}

type Recipe<B> = fn(&mut B, &mut Vec<Statement>);

/// One body while it is made.
pub(super) struct Body<'w> {
    world: &'w World,
    random: &'w mut Random,
    mode: Mode,
    /// Whether the present code may run any number of times.
    repeats: bool,
    in_function: bool,
    /// How many visible operations are left.
    left: i32,
    spent: i32,
    locals: Vec<Local>,
    arrays: Vec<Array>,
    handles: Vec<String>,
    names: u32,
    loops: u32,
    depth: u32,
}

impl<'w> Body<'w> {
    pub(super) fn new(world: &'w World, random: &'w mut Random, mode: Mode, operations: i32) -> Self {
        Body {
            world,
            random,
            mode,
            repeats: false,
            in_function: false,
            left: operations,
            spent: 0,
            locals: Vec::new(),
            arrays: Vec::new(),
            handles: Vec::new(),
            names: 0,
            loops: 0,
            depth: 0,
        }
    }

    /// The body's parameters: it does not assign to them.
    pub(super) fn parameters(&mut self, count: usize) -> Vec<Name> {
        (0..count)
            .map(|_| {
                let name = self.new_name();
                self.know(&name);
                Name::new(name)
            })
            .collect()
    }

    /// The body may read a local with this name.
    pub(super) fn know(&mut self, name: &str) {
        self.locals.push(Local { name: name.to_owned(), assignable: false });
    }

    /// Says whether the body may run any number of times.
    pub(super) fn repeats(&mut self, repeats: bool) {
        self.repeats = repeats;
    }

    /// The body is that of a function.
    pub(super) fn in_function(&mut self) {
        self.in_function = true;
    }

    pub(super) fn random(&mut self) -> &mut Random {
        self.random
    }

    /// How many visible operations the body has.
    pub(super) fn spent(&self) -> i32 {
        self.spent
    }

    fn spend(&mut self, operations: i32) {
        self.left -= operations;
        self.spent += operations;
    }

    fn affords(&self, operations: i32) -> bool {
        self.left >= operations
    }

    fn new_name(&mut self) -> String {
        self.names += 1;
        format!("r{}", self.names)
    }

    fn new_local(&mut self) -> Name {
        let name = self.new_name();
        self.locals.push(Local { name: name.clone(), assignable: true });
        Name::new(name)
    }
}

/// Blocks.
impl Body<'_> {
    /// The recipes and how often they are tried. A recipe adds a statement or a few, or nothing where it does not fit.
    const RECIPES: [(u32, Recipe<Self>); 36] = [
        (9, Self::read),
        (9, Self::write),
        (4, Self::update),
        (2, Self::compute),
        (4, Self::branch),
        (2, Self::counted_while),
        (2, Self::counted_for),
        (2, Self::leave_loop),
        (1, Self::leave),
        (5, Self::assertion),
        (2, Self::assumption),
        (7, Self::critical_section),
        (5, Self::two_locks),
        (4, Self::wait),
        (4, Self::wake),
        (5, Self::spawn_and_join),
        (4, Self::spawn),
        (3, Self::join),
        (9, Self::post),
        (6, Self::switch),
        (3, Self::atomic),
        (3, Self::exchange),
        (3, Self::call),
        (1, Self::crash),
        (2, Self::counted_do),
        (2, Self::counted_for_loop),
        (3, Self::cases),
        (2, Self::local_array),
        (5, Self::element_write),
        (6, Self::hold),
        (3, Self::hold_two),
        (4, Self::try_to_hold),
        (4, Self::release),
        (5, Self::send),
        (5, Self::receive),
        (4, Self::wait_for_some_time),
    ];

    /// A block with at most this many recipes.
    pub(super) fn block(&mut self, most: usize) -> Block {
        let (locals, arrays, handles) = (self.locals.len(), self.arrays.len(), self.handles.len());
        self.depth += 1;
        let mut statements = Vec::new();
        for _ in 0..=self.random.below(most) {
            let before = statements.len();
            // A recipe may not fit: a few tries find one that does.
            for _ in 0..6 {
                let recipe = Self::RECIPES[self.random.weighted(Self::RECIPES.iter().map(|recipe| recipe.0))].1;
                recipe(self, &mut statements);
                if statements.len() > before {
                    break;
                }
            }
        }
        self.depth -= 1;
        // Locals at the top are in scope until the body ends.
        if self.depth > 0 {
            self.locals.truncate(locals);
            self.arrays.truncate(arrays);
            self.handles.truncate(handles);
        }
        Block { statements }
    }

    /// A block that uses up what operations there are, or nearly.
    pub(super) fn full_block(&mut self) -> Block {
        let mut block = self.block(3);
        for _ in 0..3 {
            if self.affords(1) {
                block.statements.extend(self.block(2).statements);
            }
        }
        block
    }

    fn push(&mut self, out: &mut Vec<Statement>, kind: StatementKind) {
        out.push(statement(kind));
    }

    /// A block that runs this many times; its operations count as often.
    fn looped(&mut self, times: i32, most: usize) -> Block {
        let (left, spent) = (self.left, self.spent);
        self.left /= times;
        self.loops += 1;
        let block = self.block(most);
        self.loops -= 1;
        let cost = (self.spent - spent) * times;
        (self.left, self.spent) = (left - cost, spent + cost);
        block
    }

    /// A block that is one step.
    fn one_step(&mut self, most: usize) -> Block {
        let (left, spent, mode) = (self.left, self.spent, self.mode);
        self.left = 3;
        self.mode = mode.min(Mode::Act);
        let block = self.block(most);
        (self.left, self.spent, self.mode) = (left, spent, mode);
        block
    }

    /// A loop that does not end by itself. It begins with a visible operation, so that every round takes a step.
    pub(super) fn endless_loop(&mut self, out: &mut Vec<Statement>) {
        let repeats = std::mem::replace(&mut self.repeats, true);
        self.left = self.left.max(3);
        let condition = if self.random.percent(40) {
            binary(BinaryOp::NotEqual, self.shared(), number(self.random.between(0, 2)))
        } else {
            number(1)
        };
        let mut statements = Vec::new();
        if matches!(condition.kind, ExprKind::Number(_)) {
            let value = self.shared();
            let name = self.new_local();
            self.push(&mut statements, StatementKind::Let(name, value));
        }
        self.depth += 1;
        self.loops += 1;
        statements.extend(self.block(3).statements);
        self.loops -= 1;
        self.depth -= 1;
        self.repeats = repeats;
        self.push(out, StatementKind::While(condition, Block { statements }));
    }
}

/// Recipes that every body may use.
impl Body<'_> {
    fn read(&mut self, out: &mut Vec<Statement>) {
        let value = if self.affords(1) && self.random.percent(60) { self.shared() } else { self.small(2) };
        let name = self.new_local();
        self.push(out, StatementKind::Let(name, value));
    }

    fn compute(&mut self, out: &mut Vec<Statement>) {
        let assignable: Vec<String> =
            self.locals.iter().filter(|local| local.assignable).map(|local| local.name.clone()).collect();
        let Some(name) = self.random.pick(&assignable) else { return };
        if self.repeats || self.random.percent(50) {
            let value = self.small(2);
            out.push(assign(name, value));
        } else {
            let (op, value) = self.change();
            self.push(out, StatementKind::Update(place(name), op, value));
        }
    }

    fn branch(&mut self, out: &mut Vec<Statement>) {
        if self.depth > 2 {
            return;
        }
        let condition = self.condition();
        let then = self.block(2);
        let otherwise = self.random.percent(40).then(|| self.block(2));
        self.push(out, StatementKind::If(condition, then, otherwise));
    }

    /// A new variable that counts the rounds of a loop, and how many there are.
    fn counter(&mut self, out: &mut Vec<Statement>) -> (String, i64) {
        let counter = self.new_name();
        self.push(out, StatementKind::Let(Name::new(&counter), number(0)));
        self.know(&counter);
        (counter, self.random.between(1, 2))
    }

    fn counted_while(&mut self, out: &mut Vec<Statement>) {
        if self.depth > 2 {
            return;
        }
        let (counter, times) = self.counter(out);
        let mut condition = binary(BinaryOp::Less, variable(&counter), number(times));
        if self.random.percent(30) {
            let more = self.condition();
            condition = Expr::new(ExprKind::Logical(true, Box::new(condition), Box::new(more)));
        }
        let mut body = self.looped(times as i32, 2);
        body.statements.insert(0, statement(StatementKind::Update(place(&counter), BinaryOp::Add, number(1))));
        self.push(out, StatementKind::While(condition, body));
    }

    fn counted_for(&mut self, out: &mut Vec<Statement>) {
        if self.depth > 2 {
            return;
        }
        let variable = self.new_name();
        let from = self.random.between(0, 1);
        let to = from + self.random.between(1, 2);
        let (from, to, times) = (self.literal_for(from), self.literal_for(to), (to - from) as i32);
        let locals = self.locals.len();
        self.know(&variable);
        let body = self.looped(times, 2);
        self.locals.truncate(locals);
        self.push(out, StatementKind::For(Name::new(variable), from, to, body));
    }

    fn leave_loop(&mut self, out: &mut Vec<Statement>) {
        if self.loops == 0 {
            return;
        }
        let kind = if self.random.percent(50) { StatementKind::Break } else { StatementKind::Continue };
        if self.random.percent(75) {
            let condition = self.condition();
            out.push(when(condition, vec![statement(kind)]));
        } else {
            self.push(out, kind);
        }
    }

    fn leave(&mut self, out: &mut Vec<Statement>) {
        let value = if self.in_function && self.random.percent(80) { Some(self.small(1)) } else { None };
        let leave = statement(StatementKind::Return(value));
        if self.random.percent(75) {
            let condition = self.condition();
            out.push(when(condition, vec![leave]));
        } else {
            out.push(leave);
        }
    }

    fn call(&mut self, out: &mut Vec<Statement>) {
        let callable: Vec<&Callable> =
            self.world.functions.iter().filter(|function| function.mode <= self.mode).collect();
        let Some(&function) = self.random.pick(&callable) else { return };
        if !self.affords(function.cost) {
            return;
        }
        self.spend(function.cost);
        let arguments = self.arguments(function.parameters);
        let value = Expr::new(ExprKind::Call(call(&function.name, arguments)));
        if self.random.percent(50) {
            let value = if self.repeats { binary(BinaryOp::Remainder, value, number(3)) } else { value };
            let name = self.new_local();
            self.push(out, StatementKind::Let(name, value));
        } else {
            self.push(out, StatementKind::Evaluate(value));
        }
    }

    fn atomic(&mut self, out: &mut Vec<Statement>) {
        if self.depth > 2 || !self.affords(1) {
            return;
        }
        self.spend(1);
        let guard = (self.mode == Mode::Plain && self.random.percent(40)).then(|| self.guard());
        let mut block = self.one_step(3);
        if let Some(guard) = guard {
            block.statements.insert(0, statement(StatementKind::Assume(guard)));
        }
        self.push(out, StatementKind::Atomic(block));
    }
}

/// Recipes for bodies that act.
impl Body<'_> {
    fn acts(&self) -> bool {
        self.mode >= Mode::Act
    }

    fn write(&mut self, out: &mut Vec<Statement>) {
        if !self.acts() || !self.affords(1) {
            return;
        }
        self.spend(1);
        let Some(target) = self.variable_place() else { return };
        let value = self.small(2);
        self.push(out, StatementKind::Assign(target, value));
    }

    fn update(&mut self, out: &mut Vec<Statement>) {
        if !self.acts() || !self.affords(2) {
            return;
        }
        self.spend(2);
        let Some(target) = self.variable_place() else { return };
        let (op, value) = self.change();
        self.push(out, StatementKind::Update(target, op, value));
    }

    /// An operator and a value for an update; one that makes nothing grow where the code repeats.
    fn change(&mut self) -> (BinaryOp, Expr) {
        const ALWAYS: [BinaryOp; 4] = [BinaryOp::And, BinaryOp::Xor, BinaryOp::ShiftRight, BinaryOp::Remainder];
        const ONCE: [BinaryOp; 6] =
            [BinaryOp::Add, BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Multiply, BinaryOp::Or, BinaryOp::ShiftLeft];
        let from: &[BinaryOp] = if self.repeats || self.random.percent(30) { &ALWAYS } else { &ONCE };
        let op = from[self.random.below(from.len())];
        let value = match op {
            BinaryOp::Remainder => number(self.random.between(2, 3)),
            BinaryOp::Xor => number(1),
            _ => number(self.random.between(1, 2)),
        };
        (op, value)
    }

    fn assertion(&mut self, out: &mut Vec<Statement>) {
        if !self.acts() {
            return;
        }
        // Most assertions hold most of the time: one that fails ends its actor, and with it what there is to see.
        let condition = if self.random.percent(75) {
            binary(BinaryOp::NotEqual, self.subject(), self.literal())
        } else {
            self.condition()
        };
        let text = self.random.percent(15).then(|| "as expected".to_owned());
        self.push(out, StatementKind::Assert(condition, text));
    }

    fn exchange(&mut self, out: &mut Vec<Statement>) {
        if !self.acts() || !self.affords(1) {
            return;
        }
        let value = self.exchanged();
        if self.random.percent(60) {
            let name = self.new_local();
            self.push(out, StatementKind::Let(name, value));
        } else {
            self.push(out, StatementKind::Evaluate(value));
        }
    }

    /// An operation that looks and acts at once, or a choice.
    fn exchanged(&mut self) -> Expr {
        self.spend(1);
        let choice = ExprKind::Choose(Box::new(number(0)), Box::new(number(self.random.between(2, 3))));
        let Some(target) = self.variable_place() else { return Expr::new(choice) };
        let value = Box::new(self.literal());
        Expr::new(match self.random.below(4) {
            0 => ExprKind::Cas(target, value, Box::new(self.literal())),
            1 => ExprKind::Swap(target, value),
            2 if self.repeats => ExprKind::FetchAdd(target, Box::new(number(0))),
            2 => ExprKind::FetchAdd(target, value),
            _ => choice,
        })
    }

    fn wake(&mut self, out: &mut Vec<Statement>) {
        if !self.acts() || !self.affords(1) {
            return;
        }
        let Some(condition) = self.object(&self.world.conditions) else { return };
        self.spend(1);
        let one = self.random.percent(65);
        self.push(out, if one { StatementKind::Signal(condition) } else { StatementKind::Broadcast(condition) });
    }

    fn post(&mut self, out: &mut Vec<Statement>) {
        let Some(message) = self.random.pick(&self.world.messages) else { return };
        if !self.acts() || !self.affords(1 + message.cost / 2) {
            return;
        }
        self.spend(1 + message.cost);
        let handler = self.handler();
        let arguments = self.arguments(message.parameters);
        let post = statement(StatementKind::Post(handler, call(&message.name, arguments)));
        match &message.token {
            Some(token) if self.repeats => {
                let free = ExprKind::Cas(place(token), Box::new(number(0)), Box::new(number(1)));
                out.push(when(Expr::new(free), vec![post]));
            }
            _ => out.push(post),
        }
    }

    /// A handler to post to.
    pub(super) fn handler(&mut self) -> Place {
        self.object(&self.world.handlers).unwrap_or_else(|| place("h"))
    }

    fn switch(&mut self, out: &mut Vec<Statement>) {
        if !self.acts() || !self.affords(1) {
            return;
        }
        let Some(event) = self.object(&self.world.events) else { return };
        self.spend(1);
        let on = self.random.percent(60);
        self.push(out, if on { StatementKind::Enable(event) } else { StatementKind::Disable(event) });
    }

    /// Threads that are not joined: only where that happens a limited number of times.
    fn spawn(&mut self, out: &mut Vec<Statement>) {
        if self.repeats {
            return;
        }
        let Some(call) = self.spawned() else { return };
        if self.random.percent(40) {
            return self.push(out, StatementKind::Spawn(None, call));
        }
        let name = self.new_name();
        self.push(out, StatementKind::Spawn(Some(Name::new(&name)), call));
        // The handle of the first one is lost.
        if self.random.percent(40)
            && let Some(again) = self.spawned()
        {
            self.push(out, StatementKind::Respawn(Name::new(&name), again));
        }
        self.handles.push(name);
    }

    fn spawned(&mut self) -> Option<mazurka_lang::ast::Call> {
        if !self.world.spawns || !self.acts() {
            return None;
        }
        let function = self.random.pick(&self.world.functions)?;
        if !self.affords(1) {
            return None;
        }
        self.spend(1 + function.cost);
        let arguments = self.arguments(function.parameters);
        Some(call(&function.name, arguments))
    }

    /// What may go wrong: a division by zero, an index out of range, an overflow, an empty choice, a wrong unlock.
    fn crash(&mut self, out: &mut Vec<Statement>) {
        if !self.acts() || !self.affords(1) || self.random.percent(50) {
            return;
        }
        let value = self.shared();
        let value = match self.random.below(6) {
            0 => binary(BinaryOp::Divide, number(2), value),
            1 => binary(BinaryOp::Add, number(i64::MAX - 1), value),
            2 => binary(BinaryOp::ShiftLeft, number(1), binary(BinaryOp::Subtract, value, number(1))),
            3 => Expr::new(ExprKind::Choose(Box::new(number(0)), Box::new(value))),
            4 => match self.world.variables.iter().find(|variable| variable.range.is_some()) {
                Some(array) => Expr::new(ExprKind::Place(element(&array.name, value))),
                None => binary(BinaryOp::Remainder, number(2), value),
            },
            _ => {
                if let Some(mutex) = self.object(&self.world.mutexes) {
                    self.push(out, StatementKind::Unlock(mutex));
                }
                return;
            }
        };
        let name = Name::new(self.new_name());
        self.push(out, StatementKind::Let(name, value));
    }
}

/// Recipes for bodies that may wait.
impl Body<'_> {
    fn waits(&self) -> bool {
        self.mode == Mode::Plain
    }

    fn assumption(&mut self, out: &mut Vec<Statement>) {
        if !self.waits() || !self.affords(1) {
            return;
        }
        self.spend(1);
        let guard = self.guard();
        self.push(out, StatementKind::Assume(guard));
    }

    fn critical_section(&mut self, out: &mut Vec<Statement>) {
        if !self.waits() || !self.affords(2) {
            return;
        }
        let Some(mutex) = self.object(&self.world.mutexes) else { return };
        self.spend(2);
        self.push(out, StatementKind::Lock(mutex.clone()));
        self.depth += 1;
        out.extend(self.block(2).statements);
        self.depth -= 1;
        if self.random.percent(95) {
            self.push(out, StatementKind::Unlock(mutex));
        }
    }

    fn two_locks(&mut self, out: &mut Vec<Statement>) {
        if !self.waits() || !self.affords(3) {
            return;
        }
        let Some(outer) = self.object(&self.world.mutexes) else { return };
        let Some(inner) = self.object(&self.world.mutexes) else { return };
        self.spend(4);
        self.push(out, StatementKind::Lock(outer.clone()));
        self.push(out, StatementKind::Lock(inner.clone()));
        self.push(out, StatementKind::Unlock(inner));
        self.push(out, StatementKind::Unlock(outer));
    }

    fn wait(&mut self, out: &mut Vec<Statement>) {
        if !self.waits() || !self.affords(3) || self.depth > 2 {
            return;
        }
        let Some(condition) = self.object(&self.world.conditions) else { return };
        let Some(mutex) = self.object(&self.world.mutexes) else { return };
        self.spend(3);
        let wait = statement(StatementKind::Wait(condition, mutex.clone()));
        self.push(out, StatementKind::Lock(mutex.clone()));
        match self.random.below(3) {
            0 => out.push(wait),
            1 => {
                let condition = self.condition();
                out.push(when(condition, vec![wait]));
            }
            _ => {
                let condition = self.condition();
                self.push(out, StatementKind::While(condition, Block { statements: vec![wait] }));
            }
        }
        self.push(out, StatementKind::Unlock(mutex));
    }

    fn spawn_and_join(&mut self, out: &mut Vec<Statement>) {
        if !self.waits() {
            return;
        }
        let Some(call) = self.spawned() else { return };
        let name = self.new_name();
        self.push(out, StatementKind::Spawn(Some(Name::new(&name)), call));
        if !self.repeats && self.random.percent(50) {
            self.depth += 1;
            out.extend(self.block(1).statements);
            self.depth -= 1;
        }
        self.spend(1);
        self.push(out, StatementKind::Join(Name::new(name)));
    }

    fn join(&mut self, out: &mut Vec<Statement>) {
        if !self.waits() || !self.affords(1) {
            return;
        }
        let Some(handle) = self.random.pick(&self.handles).cloned() else { return };
        self.spend(1);
        self.push(out, StatementKind::Join(Name::new(handle)));
    }
}
