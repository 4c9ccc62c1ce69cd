//! Several threads expand a batch of states, and find what one thread would find.
//!
//! A batch is cut into pieces, which the threads take in order, one at a time. Each successor is claimed in the visited set
//! at once. So a thread knows which of its successors are new, but one of them may also be a successor of an earlier piece,
//! which is still being expanded by another thread. That thread sees that a later piece has claimed the state: the claim
//! is *contested*. It keeps its own candidate, and when the batch is done, the earlier candidate wins and the later one
//! is left out. That is rare, since the pieces that are expanded at the same time are few and the claims are made in turn.
//!
//! The visited set does not grow while states are claimed. Where there is no room for one, it is kept, no more pieces are
//! begun, and it is added when those that were begun are done.

use super::expander::{Expander, Report, Sink, Task};
use crate::shared::ancestry::Ancestry;
use crate::shared::frontier::{Chunk, Frontier};
use crate::shared::visited::{Claim, Key, Share, VisitedSet};
use mazurka_core::System;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Some states, and what came of them. Pieces lie side by side, and threads that work on two of them write all the time:
/// no cache line has parts of both.
#[repr(align(128))]
pub(super) struct Piece<T> {
    share: Share,
    /// The states, and the number of the first one.
    parents: Vec<Chunk<T>>,
    first: u64,
    is_done: bool,
    candidates: Candidates<T>,
    report: Report,
}

/// The successors that are new, as far as their piece knows.
struct Candidates<T> {
    states: Frontier<T>,
    keys: Vec<Key>,
    /// Each one's parent, and which of its successors it is.
    origins: Vec<(u64, u32)>,
    /// Those that another piece has claimed, and which.
    contested: Vec<(u32, Share)>,
    /// Those for which there was no room in the visited set.
    homeless: Vec<u32>,
    /// Those that turned out not to be new.
    lost: Vec<u32>,
}

impl<T: Clone + std::hash::Hash> Piece<T> {
    /// A piece without states. Its successors will wait in chunks of this many.
    pub(super) fn new(chunk: usize) -> Self {
        let candidates = Candidates {
            states: Frontier::new(chunk),
            keys: Vec::new(),
            origins: Vec::new(),
            contested: Vec::new(),
            homeless: Vec::new(),
            lost: Vec::new(),
        };
        Piece { share: 0, parents: Vec::new(), first: 0, is_done: false, candidates, report: Report::default() }
    }

    /// Takes about this many states from the front of a level; `first` is the number of the next one.
    pub(super) fn fill(&mut self, share: Share, states: usize, level: &mut Frontier<T>, first: &mut u64) {
        (self.share, self.first, self.is_done) = (share, *first, false);
        let mut taken = 0;
        while taken < states
            && let Some(chunk) = level.take()
        {
            taken += chunk.len();
            self.parents.push(chunk);
        }
        *first += taken as u64;
    }

    /// Hands over what came of it, and is ready for other states.
    pub(super) fn give(&mut self, next: &mut Frontier<T>, ancestry: &mut Ancestry) -> Report {
        let Candidates { states, keys, origins, lost, .. } = &mut self.candidates;
        lost.sort_unstable();
        states.leave_out(lost);
        next.append(states);
        let mut lost = lost.drain(..).peekable();
        for (index, (parent, ordinal)) in (0..).zip(origins.drain(..)) {
            if lost.next_if_eq(&index).is_none() {
                ancestry.push(parent, ordinal);
            }
        }
        drop(lost);
        keys.clear();
        self.parents.clear();
        std::mem::take(&mut self.report)
    }
}

/// Claims states for a piece.
struct Claims<'a, 't, S: System> {
    task: &'a Task<'t, S>,
    visited: &'a VisitedSet,
    share: Share,
    /// How many pieces there are behind this one at most.
    most: Share,
    candidates: &'a mut Candidates<S::State>,
    is_crowded: &'a AtomicBool,
}

impl<S: System> Sink<S::State> for Claims<'_, '_, S> {
    fn visited(&self) -> &VisitedSet {
        self.visited
    }

    #[inline]
    fn offer(&mut self, key: Key, parent: u64, ordinal: u32, state: &mut Option<S::State>) {
        let index = self.candidates.keys.len() as u32;
        match self.visited.claim(key, self.share) {
            Claim::New => {}
            Claim::Known(share) => {
                if !(1..=self.most).contains(&share.wrapping_sub(self.share)) {
                    return;
                }
                self.candidates.contested.push((index, share));
            }
            Claim::NoRoom => {
                self.is_crowded.store(true, Ordering::Relaxed);
                self.candidates.homeless.push(index);
            }
        }
        self.candidates.states.push(self.task.packing, state);
        self.candidates.keys.push(key);
        self.candidates.origins.push((parent, ordinal));
    }
}

/// Expands pieces, one expander for each thread. Tells how many, from the front, are done: all, unless there was no room.
pub(super) fn expand<S: System>(
    task: &Task<'_, S>,
    pieces: &mut [Piece<S::State>],
    expanders: &mut [Expander<S>],
    visited: &mut VisitedSet,
) -> usize {
    let states = pieces.iter().flat_map(|piece| &piece.parents).map(Chunk::len).sum();
    let mut crowded: Vec<_> = visited.make_room(states).collect();
    crowded.par_iter_mut().for_each(|shard| shard.grow());

    let (seen, most, is_crowded) = (&*visited, pieces.len() as Share, AtomicBool::new(false));
    let queue = Mutex::new(pieces.iter_mut());
    expanders.par_iter_mut().for_each(|expander| {
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        while !is_crowded.load(Ordering::Relaxed)
            && let Some(Piece { share, parents, first, is_done, candidates, report }) = next()
        {
            let mut sink = Claims { task, visited: seen, share: *share, most, candidates, is_crowded: &is_crowded };
            expander.expand(task, *first, parents, &mut sink);
            (*report, *is_done) = (expander.take_report(), true);
        }
    });
    let done = pieces.iter().take_while(|piece| piece.is_done).count();
    settle(&mut pieces[..done], visited);
    done
}

/// Finds out which candidates are the first of their kind.
fn settle<T>(pieces: &mut [Piece<T>], visited: &mut VisitedSet) {
    for Piece { candidates: Candidates { keys, contested, homeless, .. }, .. } in &*pieces {
        let (mut contested, mut homeless) =
            (contested.iter().map(|it| it.0).peekable(), homeless.iter().copied().peekable());
        let claimed = (0..)
            .zip(keys)
            .filter(|(index, _)| contested.next_if_eq(index).is_none() && homeless.next_if_eq(index).is_none());
        visited.note_claimed(claimed.map(|(_, &key)| key));
    }
    for number in 0..pieces.len() {
        let Candidates { contested, homeless, .. } = &mut pieces[number].candidates;
        let (contested, homeless) = (std::mem::take(contested), std::mem::take(homeless));
        for (index, share) in contested {
            if !wins(pieces, number, index, share) {
                pieces[number].candidates.lost.push(index);
            }
        }
        for index in homeless {
            let candidates = &mut pieces[number].candidates;
            if !visited.insert(candidates.keys[index as usize]) {
                candidates.lost.push(index);
            }
        }
    }
}

/// Whether a candidate of a piece is the first of its kind, though it was claimed for another share. If so, the one that was
/// claimed has lost.
fn wins<T>(pieces: &mut [Piece<T>], number: usize, index: u32, share: Share) -> bool {
    let Piece { share: own, candidates, .. } = &pieces[number];
    let (other, key) = (number + usize::from(share.wrapping_sub(*own)), candidates.keys[index as usize]);
    // A share of long ago may have the same number.
    let Some(Piece { candidates: Candidates { keys, lost, .. }, .. }) = pieces.get_mut(other) else { return false };
    let Some(claimed) = keys.iter().position(|&other| other == key) else { return false };
    let claimed = claimed as u32;
    let is_first = !lost.contains(&claimed);
    if is_first {
        lost.push(claimed);
    }
    is_first
}
