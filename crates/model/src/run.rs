//! What is enabled and blocked in a state, and what a step does to it.

use crate::thread::{FINISHED, HALTED, Instruction, Operation, WAITING};
use crate::{Act, Actor, Atomic, Body, Model, Role, View};
use mazurka_core::{Access, ActorId, Awaited, Footprint, ObjectId, Step, Violation, ViolationKind, caught};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// A state of a [`Model`]: a number for each object.
#[derive(Debug, PartialEq, Eq)]
pub struct State {
    pub(crate) words: Vec<u32>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        State { words: self.words.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
    }
}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write(bytemuck::cast_slice(&self.words));
    }
}

/// A thread that has not come to its end: where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Standing<'m> {
    pub(crate) at: &'m Instruction,
    /// It waits for a signal.
    pub(crate) is_waiting: bool,
    pub(crate) life: ObjectId,
}

impl Model {
    /// Where an actor stands, if it is a thread that goes on.
    pub(crate) fn standing(&self, words: &[u32], actor: ActorId) -> Option<Standing<'_>> {
        let Body::Thread { life, code, .. } = &self.actors[actor.index()].body else { return None };
        let word = words[life.0 as usize];
        let at = code.get((word & !WAITING) as usize)?;
        Some(Standing { at, is_waiting: word & WAITING != 0, life: *life })
    }

    /// Whether an actor can move.
    pub(crate) fn is_enabled(&self, words: &[u32], actor: ActorId) -> bool {
        if let Body::Event { step, .. } = &self.actors[actor.index()].body {
            return self.holds(words, step);
        }
        let Some(Standing { at, is_waiting, .. }) = self.standing(words, actor) else { return false };
        match &at.operation {
            _ if is_waiting => false,
            Operation::Step(step) => self.holds(words, step),
            Operation::Lock(mutex) | Operation::Reacquire { mutex, .. } => words[mutex.0 as usize] == 0,
            _ => true,
        }
    }

    /// Whether a step's guard holds. One that panics does, so that the step is taken and its panic is seen.
    fn holds(&self, words: &[u32], step: &Atomic) -> bool {
        step.guard.as_ref().is_none_or(|guard| caught(|| guard(&View::silent(self, words))).unwrap_or(true))
    }

    /// What an actor is blocked on: adds the footprint of the step. A guard that reads one variable cannot change before that
    /// variable does.
    pub(crate) fn obstacle(&self, words: &[u32], actor: ActorId, footprint: &mut Footprint) -> Option<Awaited> {
        let only = |footprint: &Footprint| match footprint.touches() {
            [only] => Some(only.object),
            _ => None,
        };
        if let Body::Event { step, .. } = &self.actors[actor.index()].body {
            self.reads(words, step, footprint);
            return only(footprint).map(Awaited::Made);
        }
        let Standing { at, is_waiting, life } = self.standing(words, actor)?;
        match at.operation {
            Operation::Step(ref step) => {
                self.reads(words, step, footprint);
                only(footprint).map(Awaited::Freed)
            }
            Operation::Lock(mutex) => {
                footprint.touch(mutex, Access::WRITE);
                Some(Awaited::Freed(mutex))
            }
            Operation::Reacquire { mutex, .. } => {
                footprint.touch(mutex, Access::WRITE);
                if is_waiting {
                    footprint.touch(life, Access::READ);
                }
                Some(if is_waiting { Awaited::Made(life) } else { Awaited::Freed(mutex) })
            }
            _ => None,
        }
    }

    /// Adds what a step's guard reads.
    fn reads(&self, words: &[u32], step: &Atomic, footprint: &mut Footprint) {
        if let Some(guard) = &step.guard {
            // A guard that panics has read what it has read.
            let _ = caught(|| guard(&View::recording(self, words, footprint)));
            footprint.seal();
        }
    }

    /// Takes a step of an enabled actor.
    pub(crate) fn take(&self, words: &mut [u32], actor: ActorId, step: &mut Step) {
        let (life, at) = match &self.actors[actor.index()].body {
            Body::Event { step: atomic, .. } => return self.act(words, actor, atomic, step),
            Body::Thread { life, code, .. } => (*life, &code[words[life.0 as usize] as usize]),
        };
        let place = life.0 as usize;
        // A thread that panics stays where it is and never moves again.
        words[place] = HALTED;
        let mut next = at.next;
        match at.operation {
            Operation::Step(ref atomic) => {
                if atomic.guard.is_none() {
                    step.cannot_wait();
                }
                self.act(words, actor, atomic, step);
            }
            Operation::Branch { ref test, otherwise } => {
                step.cannot_wait();
                if !test(&View::recording(self, words, step.footprint_mut())) {
                    next = otherwise;
                }
            }
            Operation::Lock(mutex) => {
                step.cannot_wait();
                self.acquire(words, actor, mutex, step);
            }
            Operation::Reacquire { mutex, .. } => {
                self.acquire(words, actor, mutex, step);
                step.read(life);
            }
            Operation::Unlock(mutex) => {
                step.cannot_wait();
                if !self.release(words, actor, mutex, step, at) {
                    return;
                }
            }
            Operation::Wait { condition, mutex } => {
                step.cannot_wait();
                if !self.release(words, actor, mutex, step, at) {
                    return;
                }
                step.touch(condition, Access::ADD);
                next |= WAITING;
            }
            Operation::Signal { condition, all } => {
                step.cannot_wait();
                self.signal(words, condition, all, step);
            }
            Operation::Goto(_) => unreachable!("no thread stands at what is no step"),
        }
        words[place] = next;
    }

    fn act(&self, words: &mut [u32], actor: ActorId, atomic: &Atomic, step: &mut Step) {
        if let Some(guard) = &atomic.guard {
            guard(&View::recording(self, words, step.footprint_mut()));
        }
        let mut act = Act::new(self, words, step, actor);
        (atomic.action)(&mut act);
        act.finish();
    }

    fn acquire(&self, words: &mut [u32], actor: ActorId, mutex: ObjectId, step: &mut Step) {
        step.write(mutex);
        words[mutex.0 as usize] = actor.0 + 1;
    }

    /// Releases a mutex; false if the thread does not hold it.
    fn release(&self, words: &mut [u32], actor: ActorId, mutex: ObjectId, step: &mut Step, at: &Instruction) -> bool {
        if words[mutex.0 as usize] != actor.0 + 1 {
            step.read(mutex);
            let what = if matches!(at.operation, Operation::Wait { .. }) { "waits with" } else { "unlocks" };
            let (who, name) = (&self.actors[actor.index()].name, &self.objects[mutex.0 as usize].name);
            let message = format!("{who} {what} {name}, which it does not hold");
            let violation = Violation::new(ViolationKind::Crash, message);
            step.fail(Violation { location: Some(at.location.clone()), actor: Some(actor), ..violation });
            return false;
        }
        step.touch(mutex, Access::RELEASE);
        words[mutex.0 as usize] = 0;
        true
    }

    /// Wakes one of the threads that wait for a condition, or all of them.
    fn signal(&self, words: &mut [u32], condition: ObjectId, all: bool, step: &mut Step) {
        let actors = (0..self.actors.len() as u32).map(ActorId);
        let waits = |standing: &Standing<'_>| {
            let Operation::Reacquire { condition: other, .. } = standing.at.operation else { return false };
            standing.is_waiting && other == condition
        };
        let waiting =
            actors.filter_map(|actor| self.standing(words, actor).filter(waits).map(|standing| standing.life));
        let waiting: SmallVec<[ObjectId; 8]> = waiting.collect();
        if waiting.is_empty() {
            step.read(condition);
            return;
        }
        step.write(condition);
        let woken = if all {
            &waiting[..]
        } else {
            let chosen = step.choose(waiting.len() as u64) as usize;
            &waiting[chosen..=chosen]
        };
        for &life in woken {
            words[life.0 as usize] &= !WAITING;
            step.write(life);
        }
    }

    /// Where executions begin: one state for each choice of first values.
    pub(crate) fn starts(&self) -> Vec<State> {
        let first = |actor: &Actor| match actor.body {
            Body::Thread { entry, .. } => entry,
            Body::Event { .. } => FINISHED,
        };
        let mut states = vec![State { words: Vec::with_capacity(self.objects.len()) }];
        for object in &self.objects {
            let words = match &object.role {
                Role::Variable { starts, .. } => &starts[..],
                Role::Thread(actor) => &[first(&self.actors[*actor])],
                Role::Mutex | Role::Condition | Role::Invariant => &[0],
            };
            let extended =
                |word: u32| states.iter().map(move |state| State { words: [&state.words[..], &[word]].concat() });
            states = words.iter().flat_map(|&word| extended(word)).collect();
        }
        states
    }
}
