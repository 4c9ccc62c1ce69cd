//! Light-weight capture of local states: naming them by the sequence of their changes.
//!
//! Section 3 of Yang, Chen, Gopalakrishnan and Kirby, *Efficient Stateful Dynamic Partial Order Reduction*, SPIN 2008. The
//! local state of a thread of a real program is hard to read, but what one step changes in it is often known. So a local
//! state is a number, and a table says to which number a change leads from another one: the same change from the same
//! number leads to the same number. Two changes are special: nothing changed, which keeps the number, and it is unknown
//! what changed, which leads to a number that was never used. The theorem: equal numbers mean equal local states. The reverse
//! does not hold, since two paths into one local state are two numbers.
//!
//! [`LocalIds`] is that table (figure 4), for programs that tell changes. [`Captured`] follows a path with it, for programs that
//! tell local states word by word: there a change is the words that became others, and it is unknown when the number of
//! words changed, as it does when a function is called. (The paper takes a change for unknown when functions are called or
//! pointers move.)

use crate::Capture;
use hashbrown::HashMap;
use mazurka_core::{ActorId, Fingerprint, Machine};
use rustc_hash::FxBuildHasher;
use std::rc::Rc;

/// Words by their places.
type Words = Box<[(u32, i64)]>;

/// What a step did to its actor's local state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Nothing: the empty change.
    Nothing,
    /// Unknown.
    Unknown,
    /// These words, by their places, became these.
    Words(Words),
}

impl Change {
    /// The change from some words to others.
    pub(crate) fn between(before: &[i64], after: &[i64]) -> Self {
        if before.len() != after.len() {
            return Change::Unknown;
        }
        let others = before.iter().zip(after).zip(0..).filter(|((one, other), _)| one != other);
        let words: Words = others.map(|((_, &word), place)| (place, word)).collect();
        if words.is_empty() { Change::Nothing } else { Change::Words(words) }
    }

    /// The change from nothing to some words.
    pub(crate) fn making(words: &[i64]) -> Self {
        Change::Words((0..).zip(words.iter().copied()).collect())
    }
}

/// The number of a local state of an actor. Equal numbers of one actor mean equal local states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LocalId(pub(crate) u32);

impl LocalId {
    /// The local state of an actor that is not there yet.
    pub(crate) const ABSENT: LocalId = LocalId(0);
}

/// To which local states changes lead.
#[derive(Default)]
pub(crate) struct LocalIds {
    /// For an actor, from a number, by a change.
    table: HashMap<(ActorId, LocalId, Words), LocalId, FxBuildHasher>,
    given: u32,
}

impl LocalIds {
    /// The number of the local state that a change leads to: `NEXTLOCAL` in the paper.
    pub(crate) fn next(&mut self, actor: ActorId, from: LocalId, change: Change) -> LocalId {
        match change {
            Change::Nothing => from,
            Change::Unknown => self.fresh(),
            Change::Words(words) => {
                let fresh = LocalId(self.given + 1);
                let next = *self.table.entry((actor, from, words)).or_insert(fresh);
                self.given += u32::from(next == fresh);
                next
            }
        }
    }

    fn fresh(&mut self) -> LocalId {
        self.given += 1;
        LocalId(self.given)
    }
}

/// The local state of an actor on the path.
#[derive(Clone)]
struct Local {
    id: LocalId,
    words: Rc<[i64]>,
}

/// The state that a path has come to, as it is told apart from others; the last steps can be taken back.
pub(crate) struct Captured {
    capture: Capture,
    ids: LocalIds,
    present: HashMap<ActorId, Local, FxBuildHasher>,
    /// What `present` held before, and how many steps there were when that changed.
    undo: Vec<(usize, ActorId, Option<Local>)>,
    /// What is no actor's own.
    shared: Fingerprint,
    actors: Vec<ActorId>,
    words: Vec<i64>,
}

impl Captured {
    /// Before the first state.
    pub(crate) fn new(capture: Capture) -> Self {
        Captured {
            capture,
            ids: LocalIds::default(),
            present: HashMap::default(),
            undo: Vec::new(),
            shared: Fingerprint(0),
            actors: Vec::new(),
            words: Vec::new(),
        }
    }

    /// A path begins.
    pub(crate) fn start<M: Machine>(&mut self, machine: &M) {
        if self.capture == Capture::Delta {
            self.present.clear();
            self.look_around(0, machine);
        }
    }

    /// `actor` took the last one of this many steps.
    pub(crate) fn step<M: Machine>(&mut self, steps: usize, actor: ActorId, machine: &M) {
        if self.capture == Capture::Exact {
            return;
        }
        while let Some((_, actor, before)) = self.undo.pop_if(|(len, ..)| *len >= steps) {
            match before {
                Some(local) => self.present.insert(actor, local),
                None => self.present.remove(&actor),
            };
        }
        if let Some(before) = self.present.get(&actor).cloned() {
            self.words.clear();
            machine.locals(actor, &mut self.words);
            let change = Change::between(&before.words, &self.words);
            if change != Change::Nothing {
                let id = self.ids.next(actor, before.id, change);
                self.put(steps, actor, Some(Local { id, words: self.words.as_slice().into() }));
            }
        }
        self.look_around(steps, machine);
    }

    /// Finds the actors that are new and those that are gone.
    fn look_around<M: Machine>(&mut self, steps: usize, machine: &M) {
        self.shared = machine.shared_fingerprint();
        self.actors.clear();
        machine.present(&mut self.actors);
        let actors = std::mem::take(&mut self.actors);
        let gone: Vec<ActorId> = self.present.keys().copied().filter(|actor| !actors.contains(actor)).collect();
        gone.into_iter().for_each(|actor| self.put(steps, actor, None));
        for &actor in &actors {
            if !self.present.contains_key(&actor) {
                self.words.clear();
                machine.locals(actor, &mut self.words);
                let id = self.ids.next(actor, LocalId::ABSENT, Change::making(&self.words));
                self.put(steps, actor, Some(Local { id, words: self.words.as_slice().into() }));
            }
        }
        self.actors = actors;
    }

    fn put(&mut self, steps: usize, actor: ActorId, local: Option<Local>) {
        let before = match local {
            Some(local) => self.present.insert(actor, local),
            None => self.present.remove(&actor),
        };
        self.undo.push((steps, actor, before));
    }

    /// What the present state is told apart by; `whole` is its fingerprint.
    pub(crate) fn key(&self, whole: Fingerprint) -> Fingerprint {
        if self.capture == Capture::Exact {
            return whole;
        }
        let named = |(actor, local): (&ActorId, &Local)| {
            let mut bytes = [0; 8];
            bytes[..4].copy_from_slice(&actor.0.to_le_bytes());
            bytes[4..].copy_from_slice(&local.id.0.to_le_bytes());
            Fingerprint::of_bytes(&bytes).0
        };
        let locals = self.present.iter().map(named).fold(0u128, u128::wrapping_add);
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&self.shared.0.to_le_bytes());
        bytes[16..].copy_from_slice(&locals.to_le_bytes());
        Fingerprint::of_bytes(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::Chain;
    use mazurka_core::{Move, Stepper, System};

    const ACTOR: ActorId = ActorId(0);

    fn words(words: &[(u32, i64)]) -> Change {
        Change::Words(words.into())
    }

    #[test]
    fn the_four_cases_of_figure_4() {
        let mut ids = LocalIds::default();
        let first = ids.next(ACTOR, LocalId::ABSENT, Change::making(&[0, 0]));
        let second = ids.next(ACTOR, first, words(&[(0, 5)]));
        assert_ne!(first, second, "a change that was not seen yet");
        assert_eq!(ids.next(ACTOR, first, words(&[(0, 5)])), second, "one that was");
        assert_eq!(ids.next(ACTOR, first, Change::Nothing), first, "the empty change");
        let unknown = [ids.next(ACTOR, first, Change::Unknown), ids.next(ACTOR, first, Change::Unknown)];
        assert!(unknown[0] != unknown[1] && !unknown.contains(&second), "the unknown change");
        // Back to what it was is another number: equal local states may have different ones.
        assert_ne!(ids.next(ACTOR, second, words(&[(0, 0)])), first);
    }

    #[test]
    fn changes_are_told_word_by_word() {
        assert_eq!(Change::between(&[1, 2, 3], &[1, 5, 3]), words(&[(1, 5)]));
        assert_eq!(Change::between(&[1, 2], &[1, 2]), Change::Nothing);
        assert_eq!(Change::between(&[1, 2], &[1, 2, 0]), Change::Unknown, "a function was called");
    }

    /// The theorem: equal numbers mean equal local states, whatever the ways to them. A small space of local states, and a
    /// hundred thousand random steps of two actors, some of them calls.
    #[test]
    fn equal_numbers_mean_equal_local_states() {
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        let mut below = |limit: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % limit
        };
        let mut ids = LocalIds::default();
        let mut meaning: HashMap<(ActorId, LocalId), Vec<i64>, FxBuildHasher> = HashMap::default();
        let mut met_again = 0;
        for _ in 0..10_000 {
            let actor = ActorId(below(2) as u32);
            let mut local = vec![below(2) as i64, 0, 0];
            let mut id = ids.next(actor, LocalId::ABSENT, Change::making(&local));
            for _ in 0..10 {
                let before = local.clone();
                match below(20) {
                    0 => local.push(0),
                    1 if local.len() > 3 => local.truncate(3),
                    _ => {
                        let place = below(local.len() as u64) as usize;
                        local[place] = below(3) as i64;
                    }
                }
                id = ids.next(actor, id, Change::between(&before, &local));
                match meaning.insert((actor, id), local.clone()) {
                    Some(known) if known == local => met_again += 1,
                    Some(known) => panic!("{id:?} of {actor:?} is {known:?} and {local:?}"),
                    None => {}
                }
            }
        }
        assert!(met_again > 20_000, "only {met_again} local states were met again");
    }

    #[test]
    fn a_program_without_local_states_is_captured_as_a_whole() {
        let chain = Chain(10);
        let mut machine = Stepper::new(&chain, chain.initial_states()[0]);
        let mut captured = Captured::new(Capture::Delta);
        captured.start(&machine);
        let mut keys = vec![captured.key(machine.fingerprint())];
        for steps in 1..9u32 {
            let actor = ActorId((steps + 1) % 2);
            machine.step(Move::from(actor));
            captured.step(steps as usize, actor, &machine);
            keys.push(captured.key(machine.fingerprint()));
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 9);
    }
}
