//! Routines as flat code: what a run executes, one operation after the other.

use crate::config::{Action, ActionKind, Call, Condition, Repeat, Routine, Templated, Trigger};
use crate::template::Template;
use crate::yaml::Place;
use std::sync::Arc;

/// An operation.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Goes on if all of the conditions hold, else jumps. In a choose, an error is a no.
    Test(Arc<Vec<Condition>>, usize),
    Jump(usize),
    Call(Arc<Call>),
    Delay(Templated),
    WaitTemplate {
        template: Arc<Template>,
        timeout: Option<Templated>,
        goes_on: bool,
    },
    WaitTrigger {
        triggers: Arc<Vec<Trigger>>,
        timeout: Option<Templated>,
        goes_on: bool,
    },
    Variables(Arc<Vec<(String, Templated)>>),
    Event {
        name: String,
        data: Arc<Vec<(String, Templated)>>,
    },
    Stop {
        error: bool,
    },
    /// Begins a loop with this many rounds, or one round for each item; jumps if there are none.
    Loop(Option<Templated>, bool, usize),
    /// Ends a round: back to the body, or on.
    Next(usize),
    /// Begins a loop of `while` or `until`.
    Enter,
    /// Counts a round of `while` or `until`.
    Count,
    /// Ends a loop of `while` or `until`.
    Leave,
    /// Lets others run.
    GiveWay,
    /// Starts branches, each from its place, and goes on when all have ended.
    Parallel(Vec<usize>, usize),
    End,
}

/// A routine, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) ops: Vec<(Op, Place, bool)>,
    /// Whether actions look at the trigger.
    pub(crate) keeps_trigger: bool,
    /// Whether they look at how a wait ended, and at the round of a loop.
    pub(crate) keeps_wait: bool,
    pub(crate) keeps_repeat: bool,
}

pub(crate) fn compile(routine: &Routine) -> Code {
    let mut builder = Builder { ops: Vec::new() };
    builder.sequence(&routine.actions, routine.place);
    builder.push(Op::End, routine.place, false);
    let text = format!("{:?}", routine.actions);
    let uses = |name: &str| text.contains(&format!("Name(\"{name}\")"));
    let keeps_trigger = uses("trigger") || text.contains("kind: Trigger(");
    Code { ops: builder.ops, keeps_trigger, keeps_wait: uses("wait"), keeps_repeat: uses("repeat") }
}

struct Builder {
    ops: Vec<(Op, Place, bool)>,
}

impl Builder {
    fn push(&mut self, op: Op, place: Place, goes_on: bool) -> usize {
        self.ops.push((op, place, goes_on));
        self.ops.len() - 1
    }

    fn aim(&mut self, jump: usize) {
        let here = self.ops.len();
        match &mut self.ops[jump].0 {
            Op::Test(_, to) | Op::Jump(to) | Op::Loop(_, _, to) | Op::Parallel(_, to) => *to = here,
            _ => {}
        }
    }

    /// A false condition ends the sequence that it stands in.
    fn sequence(&mut self, actions: &[Action], _place: Place) {
        let mut exits = Vec::new();
        for action in actions {
            let (place, goes_on) = (action.place, action.goes_on);
            match &action.kind {
                ActionKind::Condition(condition) => {
                    exits.push(self.push(Op::Test(Arc::new(vec![condition.clone()]), 0), place, goes_on));
                }
                kind => self.action(kind, place, goes_on),
            }
        }
        exits.into_iter().for_each(|exit| self.aim(exit));
    }

    fn action(&mut self, kind: &ActionKind, place: Place, goes_on: bool) {
        match kind {
            ActionKind::Call(call) => {
                self.push(Op::Call(Arc::new(call.clone())), place, goes_on);
            }
            ActionKind::Delay(length) => {
                self.push(Op::Delay(length.clone()), place, goes_on);
            }
            ActionKind::WaitTemplate { template, timeout, goes_on: on } => {
                let op = Op::WaitTemplate { template: Arc::clone(template), timeout: timeout.clone(), goes_on: *on };
                self.push(op, place, goes_on);
            }
            ActionKind::WaitTrigger { triggers, timeout, goes_on: on } => {
                let op =
                    Op::WaitTrigger { triggers: Arc::new(triggers.clone()), timeout: timeout.clone(), goes_on: *on };
                self.push(op, place, goes_on);
            }
            ActionKind::Condition(_) | ActionKind::Nothing => {}
            ActionKind::Choose { branches, otherwise } => {
                let mut ends = Vec::new();
                for (conditions, actions) in branches {
                    let test = self.push(Op::Test(Arc::new(conditions.clone()), 0), place, false);
                    self.sequence(actions, place);
                    ends.push(self.push(Op::Jump(0), place, false));
                    self.aim(test);
                }
                self.sequence(otherwise, place);
                ends.into_iter().for_each(|end| self.aim(end));
            }
            ActionKind::If { conditions, then, otherwise } => {
                let test = self.push(Op::Test(Arc::new(conditions.clone()), 0), place, false);
                self.sequence(then, place);
                let end = self.push(Op::Jump(0), place, false);
                self.aim(test);
                self.sequence(otherwise, place);
                self.aim(end);
            }
            ActionKind::Repeat { repeat, body } => self.repeat(repeat, body, place),
            ActionKind::Parallel(branches) => {
                let parallel = self.push(Op::Parallel(Vec::new(), 0), place, goes_on);
                let mut starts = Vec::new();
                for branch in branches {
                    starts.push(self.ops.len());
                    self.sequence(branch, place);
                    self.push(Op::End, place, false);
                }
                let here = self.ops.len();
                self.ops[parallel].0 = Op::Parallel(starts, here);
            }
            ActionKind::Sequence(actions) => self.sequence(actions, place),
            ActionKind::Variables(variables) => {
                self.push(Op::Variables(Arc::new(variables.clone())), place, goes_on);
            }
            ActionKind::Stop { error } => {
                self.push(Op::Stop { error: *error }, place, goes_on);
            }
            ActionKind::Event { name, data } => {
                self.push(Op::Event { name: name.clone(), data: Arc::new(data.clone()) }, place, goes_on);
            }
        }
    }

    fn repeat(&mut self, repeat: &Repeat, body: &[Action], place: Place) {
        match repeat {
            Repeat::Count(count) | Repeat::Each(count) => {
                let is_each = matches!(repeat, Repeat::Each(_));
                let begin = self.push(Op::Loop(Some(count.clone()), is_each, 0), place, false);
                let start = self.ops.len();
                self.sequence(body, place);
                self.push(Op::Next(start), place, false);
                self.aim(begin);
            }
            Repeat::While(conditions) => {
                self.push(Op::Enter, place, false);
                let start = self.push(Op::Count, place, false);
                let test = self.push(Op::Test(Arc::new(conditions.clone()), 0), place, false);
                self.sequence(body, place);
                self.push(Op::GiveWay, place, false);
                self.push(Op::Jump(start), place, false);
                self.aim(test);
                self.push(Op::Leave, place, false);
            }
            Repeat::Until(conditions) => {
                self.push(Op::Enter, place, false);
                let start = self.push(Op::Count, place, false);
                self.sequence(body, place);
                let again = self.push(Op::Test(Arc::new(conditions.clone()), 0), place, false);
                let end = self.push(Op::Jump(0), place, false);
                self.aim(again);
                self.push(Op::GiveWay, place, false);
                self.push(Op::Jump(start), place, false);
                self.aim(end);
                self.push(Op::Leave, place, false);
            }
        }
    }
}
