//! Two-phase commit, after the `TwoPhase` specification of the TLA+ examples: resource managers prepare, commit or abort
//! what a transaction manager decides. Messages stay once they are sent.

use crate::Native;

/// How many resource managers there are, at most 16.
#[derive(Clone)]
pub struct TwoPhase(pub u32);

/// What the managers are doing and what was sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transaction {
    /// Two bits per resource manager.
    resources: u32,
    /// The resource managers that told that they are prepared.
    prepared_sent: u16,
    /// Those of them that the transaction manager knows of.
    prepared_known: u16,
    decision: Decision,
}

/// What the transaction manager has decided, and sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Decision {
    None,
    Commit,
    Abort,
}

const WORKING: u32 = 0;
const PREPARED: u32 = 1;
const COMMITTED: u32 = 2;
const ABORTED: u32 = 3;

// The transaction manager's two actions, then five for each resource manager.
const COMMIT: u32 = 0;
const ABORT: u32 = 1;
const LEARN_PREPARED: u32 = 0;
const PREPARE: u32 = 1;
const CHOOSE_TO_ABORT: u32 = 2;
const LEARN_COMMIT: u32 = 3;
const LEARN_ABORT: u32 = 4;

impl Native for TwoPhase {
    type State = Transaction;

    fn start(&self) -> Transaction {
        Transaction { resources: 0, prepared_sent: 0, prepared_known: 0, decision: Decision::None }
    }

    fn actions(&self, state: &Transaction, mut each: impl FnMut(u32)) {
        let undecided = state.decision == Decision::None;
        if undecided {
            if state.prepared_known.count_ones() == self.0 {
                each(COMMIT);
            }
            each(ABORT);
        }
        for resource in 0..self.0 {
            let first = 2 + 5 * resource;
            if undecided && state.prepared_sent >> resource & 1 == 1 {
                each(first + LEARN_PREPARED);
            }
            if state.resources >> (2 * resource) & 3 == WORKING {
                each(first + PREPARE);
                each(first + CHOOSE_TO_ABORT);
            }
            match state.decision {
                Decision::None => {}
                Decision::Commit => each(first + LEARN_COMMIT),
                Decision::Abort => each(first + LEARN_ABORT),
            }
        }
    }

    fn act(&self, state: &mut Transaction, action: u32) {
        let Some(of_resource) = action.checked_sub(2) else {
            state.decision = if action == COMMIT { Decision::Commit } else { Decision::Abort };
            return;
        };
        let (resource, what) = (of_resource / 5, of_resource % 5);
        let becomes = match what {
            LEARN_PREPARED => {
                state.prepared_known |= 1 << resource;
                return;
            }
            PREPARE => {
                state.prepared_sent |= 1 << resource;
                PREPARED
            }
            LEARN_COMMIT => COMMITTED,
            _ => ABORTED,
        };
        state.resources = state.resources & !(3 << (2 * resource)) | becomes << (2 * resource);
    }

    fn objects(&self, action: u32) -> [u32; 2] {
        match action.checked_sub(2) {
            None => [0, 1],
            Some(of_resource) if of_resource % 5 == LEARN_PREPARED => [0, 2 + of_resource / 5],
            Some(of_resource) => [1, 2 + of_resource / 5],
        }
    }
}
