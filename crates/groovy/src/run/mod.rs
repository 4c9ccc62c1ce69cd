//! Running scripts: a tree walker over frames of slots.
//!
//! `expression` and `statement` walk the tree, `call` binds arguments and finds methods, `access` reads and writes
//! properties and elements, `operator` and `convert` work on values. The library's methods are in `library`.

mod access;
mod call;
mod convert;
mod expression;
mod operator;
mod statement;

use super::host::Host;
use super::pattern::Pattern;
use super::script::Script;
use super::span::Span;
use super::text;
use super::trouble::{Trouble, TroubleKind};
use super::value::{Closure, Delegate, Value};
pub(super) use access::{at_index, out_of_range};
pub(super) use convert::{number_format, number_of_text};
pub(super) use operator::{DAY, compare_texts, entries_of, entry};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// How deeply calls of methods and closures may be nested.
const MAX_CALLS: u32 = 200;
/// How deeply expressions may be evaluated within each other, over all nested calls. Together with the parser's bound
/// on nesting this keeps a run within a stack of two megabytes.
const MAX_DEPTH: u32 = 1_500;
/// A run remembers this many compiled patterns.
const MAX_PATTERNS: usize = 256;
/// What an element of a list or map counts for in the memory budget.
const ITEM_SIZE: usize = size_of::<Value>();

/// A variable that a closure shares with the code around it.
pub(super) type Cell = Rc<RefCell<Value>>;

/// A place in a frame.
enum StackPlace {
    Own(Value),
    Shared(Cell),
}

/// A script with its own script-level variables: one app. They last as long as the instance.
pub struct Instance {
    script: Arc<Script>,
    tag: u32,
    /// Fields, and names that were assigned without being declared.
    globals: RefCell<FxHashMap<Arc<str>, Value>>,
    fields_set: std::cell::Cell<bool>,
}

impl Instance {
    /// A fresh instance; `tag` is the host's number for it.
    pub fn new(script: Arc<Script>, tag: u32) -> Rc<Self> {
        Rc::new(Instance { script, tag, globals: RefCell::default(), fields_set: std::cell::Cell::new(false) })
    }

    /// Its script.
    pub fn script(&self) -> &Arc<Script> {
        &self.script
    }

    /// The host's number for it.
    pub fn tag(&self) -> u32 {
        self.tag
    }

    /// A script-level variable.
    pub fn global(&self, name: &str) -> Option<Value> {
        self.globals.borrow().get(name).cloned()
    }

    /// Sets a script-level variable.
    pub fn set_global(&self, name: &str, value: Value) {
        let mut globals = self.globals.borrow_mut();
        match globals.get_mut(name) {
            Some(place) => *place = value,
            None => {
                globals.insert(Arc::from(name), value);
            }
        }
    }

    /// All script-level variables, sorted by name.
    pub fn globals(&self) -> Vec<(Arc<str>, Value)> {
        let mut all: Vec<_> = self.globals.borrow().iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }
}

/// What a run may use up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Statements, calls and rounds of loops.
    pub fuel: u64,
    /// Bytes of texts, lists and maps that are built, whether or not they are still in use.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { fuel: 2_000_000, memory: 64 << 20 }
    }
}

/// The machine that executes script code: its stack, its budgets, and who is running.
///
/// One run serves a whole step, across the apps that take part in it: a host that reacts to a command by running a
/// handler of another app calls [`Run::call_method`] on the run that it was given, so depth and budgets are shared.
pub struct Run {
    limits: Limits,
    fuel: u64,
    memory: u64,
    calls: u32,
    depth: u32,
    stack: Vec<StackPlace>,
    instance: Option<Rc<Instance>>,
    /// The statement or call that is being executed.
    at: Span,
    patterns: FxHashMap<Arc<str>, Rc<Pattern>>,
    /// Inside of `use(TimeCategory)`, numbers have units.
    time_category: u32,
}

impl Run {
    /// A machine with these limits.
    pub fn new(limits: Limits) -> Self {
        Run {
            limits,
            fuel: limits.fuel,
            memory: limits.memory,
            calls: 0,
            depth: 0,
            stack: Vec::new(),
            instance: None,
            at: Span::default(),
            patterns: FxHashMap::default(),
            time_category: 0,
        }
    }

    /// Fills the budgets again: to be called before each step when a run is used for several.
    pub fn refuel(&mut self) {
        self.fuel = self.limits.fuel;
        self.memory = self.limits.memory;
    }

    /// Who is running; `None` outside of script code.
    pub fn instance(&self) -> Option<&Rc<Instance>> {
        self.instance.as_ref()
    }

    /// The statement or call that is being executed.
    pub fn at(&self) -> Span {
        self.at
    }

    /// Uses up one step of the budget. A host counts its own loops with it, such as the events of a cascade.
    pub fn tick(&mut self) -> Result<(), Trouble> {
        match self.fuel.checked_sub(1) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => Err(Trouble::new(TroubleKind::OutOfFuel)),
        }
    }

    /// Uses up memory for something that is about to be built.
    pub(super) fn charge(&mut self, bytes: usize) -> Result<(), Trouble> {
        match self.memory.checked_sub(bytes as u64) {
            Some(left) => {
                self.memory = left;
                Ok(())
            }
            None => Err(Trouble::new(TroubleKind::OutOfMemory)),
        }
    }

    /// Uses up memory for elements of a collection, of the script's or of the host's on its behalf.
    pub fn charge_items(&mut self, items: usize) -> Result<(), Trouble> {
        self.charge(items.saturating_mul(ITEM_SIZE))
    }

    /// The compiled form of a pattern.
    fn compiled(&mut self, source: &Arc<str>) -> Result<Rc<Pattern>, Trouble> {
        if let Some(pattern) = self.patterns.get(source) {
            return Ok(pattern.clone());
        }
        let pattern = Pattern::new(source)?;
        if self.patterns.len() >= MAX_PATTERNS {
            self.patterns.clear();
        }
        self.patterns.insert(source.clone(), pattern.clone());
        Ok(pattern)
    }

    /// Runs the top-level statements of a script: `definition`, `preferences`, `mappings`.
    pub fn run_script(&mut self, host: &mut dyn Host, instance: &Rc<Instance>) -> Result<Value, Trouble> {
        Env { run: self, host }.run_script(instance)
    }

    /// Calls a method of a script.
    pub fn call_method(
        &mut self,
        host: &mut dyn Host,
        instance: &Rc<Instance>,
        name: &str,
        arguments: &[Value],
    ) -> Result<Value, Trouble> {
        Env { run: self, host }.call_method(instance, name, arguments)
    }

    /// Calls a closure.
    pub fn call_closure(
        &mut self,
        host: &mut dyn Host,
        closure: &Rc<Closure>,
        arguments: &[Value],
    ) -> Result<Value, Trouble> {
        Env { run: self, host }.call_closure(closure, arguments)
    }

    /// Calls a closure whose unknown names belong to `delegate`, as `with` does.
    pub fn call_with_delegate(
        &mut self,
        host: &mut dyn Host,
        closure: &Rc<Closure>,
        delegate: Value,
        arguments: &[Value],
    ) -> Result<Value, Trouble> {
        Env { run: self, host }.call_with_delegate(closure, delegate, arguments)
    }

    /// Calls a method of any value: of the library, or of the host for one of its objects.
    pub fn call_on(
        &mut self,
        host: &mut dyn Host,
        receiver: &Value,
        name: &str,
        arguments: &[Value],
    ) -> Result<Value, Trouble> {
        Env { run: self, host }.call_on(receiver, name, arguments)
    }

    /// Whether a value counts as true.
    pub fn truth(&mut self, host: &mut dyn Host, value: &Value) -> Result<bool, Trouble> {
        Env { run: self, host }.truth(value)
    }

    /// The text of a value, as Groovy prints it.
    pub fn text(&mut self, host: &mut dyn Host, value: &Value) -> Result<String, Trouble> {
        Env { run: self, host }.text(value)
    }

    /// Equality as `==` has it: null-safe, numbers by value, a list element by element.
    pub fn equal(&mut self, host: &mut dyn Host, left: &Value, right: &Value) -> Result<bool, Trouble> {
        Env { run: self, host }.equal(left, right)
    }

    /// The value as `as` or a declared type would convert it: `convert(host, &value, "Integer")`.
    pub fn convert(&mut self, host: &mut dyn Host, value: &Value, class: &str) -> Result<Value, Trouble> {
        Env { run: self, host }.convert(value, class)
    }
}

/// A run and its host: what everything needs that may call script code or ask for something of the platform.
pub(super) struct Env<'a> {
    pub(super) run: &'a mut Run,
    pub(super) host: &'a mut dyn Host,
}

impl Env<'_> {
    /// The same, for a shorter time.
    fn again(&mut self) -> Env<'_> {
        Env { run: self.run, host: self.host }
    }

    /// The text of a value.
    pub(super) fn text(&mut self, value: &Value) -> Result<String, Trouble> {
        let mut into = String::new();
        self.write_text(value, &mut into)?;
        Ok(into)
    }

    /// Writes the text of a value.
    pub(super) fn write_text(&mut self, value: &Value, into: &mut String) -> Result<(), Trouble> {
        if let Value::Text(text) = value {
            into.push_str(text);
            return Ok(());
        }
        let Env { run, host } = self;
        let before = into.len();
        text::write(value, into, &mut |object| host.text(run, object))?;
        self.run.charge(into.len() - before)
    }

    /// Whether numbers have units now, as in `use(TimeCategory) { 5.minutes }`.
    pub(super) fn in_time_category(&self) -> bool {
        self.run.time_category > 0
    }

    /// Runs a closure in which numbers have units.
    pub(super) fn with_time_category(&mut self, closure: &Rc<Closure>) -> Result<Value, Trouble> {
        self.run.time_category += 1;
        let result = self.call_closure(closure, &[]);
        self.run.time_category -= 1;
        result
    }
}

/// A method or closure that is being executed.
struct Frame<'a> {
    env: Env<'a>,
    instance: &'a Rc<Instance>,
    script: &'a Script,
    /// Where its slots begin on the stack.
    base: usize,
    delegate: Option<Rc<Delegate>>,
}

impl Frame<'_> {
    fn read(&self, slot: u16) -> Value {
        match &self.env.run.stack[self.base + usize::from(slot)] {
            StackPlace::Own(value) => value.clone(),
            StackPlace::Shared(cell) => cell.borrow().clone(),
        }
    }

    fn write(&mut self, slot: u16, value: Value) {
        match &mut self.env.run.stack[self.base + usize::from(slot)] {
            StackPlace::Own(place) => *place = value,
            StackPlace::Shared(cell) => *cell.borrow_mut() = value,
        }
    }

    /// Makes a fresh variable: one that closures share gets a cell of its own, each time its declaration is executed.
    fn declare(&mut self, declared: super::tree::Declared, value: Value) {
        let place = if self.script.is_captured(declared.variable) {
            StackPlace::Shared(Rc::new(RefCell::new(value)))
        } else {
            StackPlace::Own(value)
        };
        self.env.run.stack[self.base + usize::from(declared.slot)] = place;
    }

    /// The cell of a variable that a closure is about to share.
    fn share(&mut self, slot: u16) -> Cell {
        let place = &mut self.env.run.stack[self.base + usize::from(slot)];
        match place {
            StackPlace::Shared(cell) => cell.clone(),
            StackPlace::Own(value) => {
                let cell = Rc::new(RefCell::new(std::mem::take(value)));
                *place = StackPlace::Shared(cell.clone());
                cell
            }
        }
    }

    /// Gives trouble its place in the script.
    #[cold]
    fn locate(&self, trouble: Trouble, span: Span) -> Trouble {
        trouble.locate(span, self.instance.tag, || self.script.position(span))
    }
}
