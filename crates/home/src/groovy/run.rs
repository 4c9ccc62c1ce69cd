//! Running scripts.

use super::host::Host;
use super::script::Script;
use super::trouble::Trouble;
use super::value::{Closure, Value};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// A variable that a closure shares with the code around it.
pub(super) type Cell = Rc<RefCell<Value>>;

/// A script with its own script-level variables: one app. They last as long as the instance.
pub struct Instance {
    script: Arc<Script>,
    tag: u32,
}

impl Instance {
    /// A fresh instance; `tag` is the host's number for it.
    pub fn new(script: Arc<Script>, tag: u32) -> Rc<Self> {
        Rc::new(Instance { script, tag })
    }

    /// Its script.
    pub fn script(&self) -> &Arc<Script> {
        &self.script
    }

    /// The host's number for it.
    pub fn tag(&self) -> u32 {
        self.tag
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
    instance: Vec<Rc<Instance>>,
}

impl Run {
    /// A machine with these limits.
    pub fn new(limits: Limits) -> Self {
        let _ = limits;
        Run { instance: Vec::new() }
    }

    /// Fills the budgets again: to be called before each step when a run is used for several.
    pub fn refuel(&mut self) {}

    /// Who is running; `None` outside of script code.
    pub fn instance(&self) -> Option<&Rc<Instance>> {
        self.instance.last()
    }

    /// Runs the top-level statements of a script: `definition`, `preferences`, `mappings`.
    pub fn run_script(&mut self, host: &mut dyn Host, instance: &Rc<Instance>) -> Result<Value, Trouble> {
        let _ = (host, instance);
        Err(Trouble::unsupported("running"))
    }

    /// Calls a method of a script.
    pub fn call_method(
        &mut self,
        host: &mut dyn Host,
        instance: &Rc<Instance>,
        name: &str,
        arguments: &[Value],
    ) -> Result<Value, Trouble> {
        let _ = (host, instance, name, arguments);
        Err(Trouble::unsupported("running"))
    }

    /// Calls a closure.
    pub fn call_closure(
        &mut self,
        host: &mut dyn Host,
        closure: &Rc<Closure>,
        arguments: &[Value],
    ) -> Result<Value, Trouble> {
        let _ = (host, closure, arguments);
        Err(Trouble::unsupported("running"))
    }

    /// Calls a closure whose unknown names belong to `delegate`, as `with` does.
    pub fn call_with_delegate(
        &mut self,
        host: &mut dyn Host,
        closure: &Rc<Closure>,
        delegate: Value,
        arguments: &[Value],
    ) -> Result<Value, Trouble> {
        let _ = (host, closure, delegate, arguments);
        Err(Trouble::unsupported("running"))
    }

    /// Whether a value counts as true.
    pub fn truth(&mut self, host: &mut dyn Host, value: &Value) -> Result<bool, Trouble> {
        let _ = (host, value);
        Err(Trouble::unsupported("running"))
    }

    /// The text of a value, as Groovy prints it.
    pub fn text(&mut self, host: &mut dyn Host, value: &Value) -> Result<String, Trouble> {
        let _ = (host, value);
        Err(Trouble::unsupported("running"))
    }

    /// Equality as `==` has it: null-safe, numbers by value, a list element by element.
    pub fn equal(&mut self, host: &mut dyn Host, left: &Value, right: &Value) -> Result<bool, Trouble> {
        let _ = (host, left, right);
        Err(Trouble::unsupported("running"))
    }
}
