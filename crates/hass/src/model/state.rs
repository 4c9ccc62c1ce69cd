//! The state of a home between two steps.

use super::zone::{Key, Zone};
use crate::template::Val;
use std::sync::Arc;

/// A run of an automation or script: which routine, and which of its runs.
pub(crate) type RunId = (u16, u8);

/// Everything that can change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The value of each slot.
    pub(crate) values: Vec<u16>,
    /// Who wrote a slot last within which cause: routine plus one, and the cause; zeros where that is over.
    pub(crate) writers: Vec<(u16, u8)>,
    /// Which triggers are armed, which of two routines comes first, the part of the day, the weekday.
    pub(crate) marks: Vec<u8>,
    pub(crate) runs: Vec<Run>,
    pub(crate) zone: Zone,
}

/// A loop: the round, how many there are, and the items.
pub(crate) type Round = (u32, u32, Option<Arc<Vec<Val>>>);

/// A run between two points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Run {
    pub(crate) id: RunId,
    pub(crate) at: u16,
    pub(crate) status: Status,
    /// The loops that it is in: round, rounds, items.
    pub(crate) loops: Vec<Round>,
    pub(crate) variables: Vec<(Arc<str>, Val)>,
    /// Who waits for it, and whether it is a branch of that one.
    pub(crate) parent: Option<RunId>,
    pub(crate) is_branch: bool,
    /// How many it waits for.
    pub(crate) children: u8,
    /// The event that began it, until time has passed.
    pub(crate) cause: u8,
    /// How many automations led to it without an event of the environment.
    pub(crate) depth: u8,
    /// Time has passed in a delay or a wait, and nothing was asked since.
    pub(crate) waited: bool,
    /// A trigger was lost because of it.
    pub(crate) lost: bool,
    /// A branch of it was stopped.
    pub(crate) ends: bool,
    /// It began because a device came back as it had been: the slot.
    pub(crate) returned: Option<u16>,
    /// It began with the trigger of this number.
    pub(crate) trigger: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Status {
    /// It runs, or will within this step.
    Ready,
    /// A device works on a call: what will change when it has done so.
    Call(Arc<Vec<(u16, u16)>>),
    Sleep,
    WaitTemplate,
    /// Which of the triggers are armed, as bits.
    WaitTrigger(u32),
    Queued,
    Children,
}

impl State {
    pub(crate) fn run(&self, id: RunId) -> Option<&Run> {
        self.runs.iter().find(|run| run.id == id)
    }

    pub(crate) fn run_mut(&mut self, id: RunId) -> Option<&mut Run> {
        self.runs.iter_mut().find(|run| run.id == id)
    }

    /// Numbers the runs of each routine from 0 on, in their order: states that differ only in that are the same.
    pub(crate) fn normalize(&mut self) -> Vec<(RunId, RunId)> {
        self.runs.sort_by_key(|run| run.id);
        let mut moved: Vec<(RunId, RunId)> = Vec::new();
        let (mut routine, mut next) = (u16::MAX, 0);
        for run in &mut self.runs {
            if run.id.0 != routine {
                (routine, next) = (run.id.0, 0);
            }
            if run.id.1 != next {
                moved.push((run.id, (routine, next)));
                run.id.1 = next;
            }
            next += 1;
        }
        for &(old, new) in &moved {
            self.zone.rename(Key::Run(old.0, old.1), Key::Run(new.0, new.1));
            for run in &mut self.runs {
                if run.parent == Some(old) {
                    run.parent = Some(new);
                }
            }
        }
        moved
    }
}
