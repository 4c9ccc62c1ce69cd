//! The state graph of a small program, as plain data for a picture.

use mazurka_core::Value;

/// All states that a program can be in, and the steps between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateGraph {
    /// The states, in the order of their distance from the start.
    pub nodes: Vec<Node>,
    /// The steps.
    pub edges: Vec<Edge>,
    /// For each violation the states that its schedule passes, by number, the first one included.
    pub paths: Vec<Vec<usize>>,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// How many steps lead there at least.
    pub depth: usize,
    /// What there is to see of it.
    pub values: Vec<Value>,
    /// What it is beyond a state on the way.
    pub mark: Mark,
}

/// What is special about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Nothing: some actor can move.
    OnTheWay,
    /// Everything is done, or no actor has anything left to do.
    End,
    /// No actor can move, and some actor has something left to do.
    Deadlock,
}

impl Mark {
    /// The mark's name in a page.
    pub fn name(self) -> &'static str {
        match self {
            Mark::OnTheWay => "on the way",
            Mark::End => "end",
            Mark::Deadlock => "deadlock",
        }
    }
}

/// A step from one state to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The number of the state before.
    pub from: usize,
    /// The number of the state after.
    pub to: usize,
    /// The actor that moves.
    pub actor: String,
    /// What it does.
    pub text: String,
    /// Whether the step is wrong.
    pub wrong: bool,
}
