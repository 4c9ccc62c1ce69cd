//! The table of states: what a search looks at for every transition lies in one row of words per state, together.

use super::numbers::Numbers;
use super::rows::{grown, members, padded, same, word, words_for};
use super::sets::Set;
use crate::visited::Key;
use mazurka_core::{ActorId, Fingerprint};

/// A state by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(pub(super) u32);

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// No transition.
pub(super) const NONE: u32 = u32::MAX;

/// Where in a row the fingerprint (two words), the header (one word) and the summary (two words) stand; the sets of actors
/// follow. As long as there are at most 64 actors, a row fills one line of the cache.
const HEADER: usize = 2;
const SUMMARY: usize = 3;
const SETS: usize = 5;
/// The header's bits for "an execution that went through here has ended", "there are claims to be sent on" and "nothing was
/// ever sent on"; its low half is the first transition in.
const CLOSED: u64 = 1 << 32;
const FRESH: u64 = 1 << 33;
const NEW: u64 = 1 << 34;

/// The sets of actors that a state has, in the order in which they stand in its row.
#[derive(Clone, Copy)]
enum Actors {
    Enabled,
    Backtrack,
    Done,
}

/// The table.
pub(super) struct Nodes {
    numbers: Numbers,
    words: Vec<u64>,
    len: u32,
    /// How many words a set of actors has, and a whole row.
    actor_words: usize,
    stride: usize,
}

impl Nodes {
    pub(super) fn new() -> Self {
        Nodes { numbers: Numbers::new(), words: Vec::new(), len: 0, actor_words: 1, stride: SETS + 3 }
    }

    /// The number of a state, if it is known.
    pub(super) fn find(&self, fingerprint: Fingerprint) -> Option<NodeId> {
        let [high, low] = halves(fingerprint);
        let is_same = |id: NodeId| {
            let row = &self.words[id.index() * self.stride..][..HEADER];
            row[0] == high && row[1] == low
        };
        self.numbers.find(Key::from(fingerprint).hash(), is_same)
    }

    /// Adds a state that is not known, with claims that are to be sent on. Who can move there is told in part by a list, in
    /// part by bits.
    pub(super) fn add(&mut self, fingerprint: Fingerprint, enabled: &[ActorId], others: &[u64]) -> NodeId {
        let id = NodeId(self.len);
        self.len += 1;
        if let Some(last) = enabled.iter().max() {
            self.widen(words_for(last.0));
        }
        self.widen(others.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1));
        let [high, low] = halves(fingerprint);
        let at = self.words.len();
        self.words.resize(at + self.stride, 0);
        let row = &mut self.words[at..];
        (row[0], row[1], row[HEADER]) = (high, low, u64::from(NONE) | FRESH | NEW);
        for actor in enabled {
            row[SETS + actor.index() / 64] |= 1 << (actor.0 % 64);
        }
        row[SETS..].iter_mut().zip(others).for_each(|(mine, others)| *mine |= others);
        self.numbers.add(Key::from(fingerprint).hash(), id);
        id
    }

    /// Makes room for sets with more members.
    fn widen(&mut self, actor_words: usize) {
        if actor_words <= self.actor_words {
            return;
        }
        let (old, new) = (self.actor_words, grown(self.actor_words, actor_words));
        let stride = SETS + 3 * new;
        let mut words = Vec::with_capacity(self.words.len() / self.stride * stride);
        for row in self.words.chunks(self.stride) {
            let (start, sets) = row.split_at(SETS);
            words.extend_from_slice(start);
            sets.chunks(old).for_each(|set| words.extend(padded(set, new)));
        }
        (self.words, self.actor_words, self.stride) = (words, new, stride);
    }

    fn header(&mut self, id: NodeId) -> &mut u64 {
        &mut self.words[id.index() * self.stride + HEADER]
    }

    /// Where a set stands among the words of a row behind its header.
    #[inline]
    fn offset(&self, which: Actors) -> usize {
        which as usize * self.actor_words
    }

    #[inline]
    fn set(&self, id: NodeId, which: Actors) -> &[u64] {
        &self.words[id.index() * self.stride + SETS + self.offset(which)..][..self.actor_words]
    }

    /// Whether an execution that went through a state has ended: the history H of the paper.
    pub(super) fn is_closed(&self, id: NodeId) -> bool {
        self.words[id.index() * self.stride + HEADER] & CLOSED != 0
    }

    pub(super) fn close(&mut self, id: NodeId) {
        *self.header(id) |= CLOSED;
    }

    /// The first of the transitions that lead to a state.
    pub(super) fn first_in(&self, id: NodeId) -> u32 {
        self.words[id.index() * self.stride + HEADER] as u32
    }

    /// Puts a transition in front of those that lead to a state, and returns the one that was first.
    pub(super) fn replace_first_in(&mut self, id: NodeId, edge: u32) -> u32 {
        let header = self.header(id);
        let old = *header as u32;
        *header = *header >> 32 << 32 | u64::from(edge);
        old
    }

    /// Who can move in a state.
    pub(super) fn enabled(&self, id: NodeId) -> impl Iterator<Item = ActorId> + '_ {
        members(self.set(id, Actors::Enabled).iter().copied()).map(ActorId)
    }

    /// Who can move in a state, as bits.
    pub(super) fn enabled_bits(&self, id: NodeId) -> &[u64] {
        self.set(id, Actors::Enabled)
    }

    /// Whether nobody can move in a state.
    pub(super) fn is_end(&self, id: NodeId) -> bool {
        self.set(id, Actors::Enabled).iter().all(|&word| word == 0)
    }

    /// Whether somebody is to be tried in a state who was not.
    pub(super) fn has_untried(&self, id: NodeId) -> bool {
        let (backtrack, done) = (self.set(id, Actors::Backtrack), self.set(id, Actors::Done));
        backtrack.iter().zip(done).any(|(backtrack, done)| backtrack & !done != 0)
    }

    /// Of those who were not tried in a state the one whose turn it is: the first from `turn` on, or else the first.
    pub(super) fn first_not_done(&self, id: NodeId, turn: u32) -> Option<ActorId> {
        self.first_beside_done(id, Actors::Enabled, turn)
    }

    /// The same of those who are to be tried.
    pub(super) fn first_untried(&self, id: NodeId, turn: u32) -> Option<ActorId> {
        self.first_beside_done(id, Actors::Backtrack, turn)
    }

    fn first_beside_done(&self, id: NodeId, which: Actors, turn: u32) -> Option<ActorId> {
        let (set, done) = (self.set(id, which), self.set(id, Actors::Done));
        if let ([set], [done]) = (set, done) {
            let left = set & !done;
            let late = left & u64::MAX.checked_shl(turn).unwrap_or(0);
            return (left != 0).then(|| ActorId(if late == 0 { left } else { late }.trailing_zeros()));
        }
        let left = |index: usize, mask: u64| {
            let word = set[index] & !done[index] & mask;
            (word != 0).then(|| ActorId(index as u32 * 64 + word.trailing_zeros()))
        };
        let middle = turn as usize / 64;
        let late = |index| left(index, if index == middle { u64::MAX << (turn % 64) } else { u64::MAX });
        (middle..set.len()).find_map(late).or_else(|| (0..set.len()).find_map(|index| left(index, u64::MAX)))
    }

    /// How many words a set of actors has.
    pub(super) fn actor_words(&self) -> usize {
        self.actor_words
    }

    /// Those who are to be tried in a state and were not, as far as they stand in one word of the set: they are tried now.
    pub(super) fn begin_untried(&mut self, id: NodeId, word: usize) -> u64 {
        let at = id.index() * self.stride + SETS + word;
        let (backtrack, done) = (at + self.offset(Actors::Backtrack), at + self.offset(Actors::Done));
        let untried = self.words[backtrack] & !self.words[done];
        self.words[done] |= untried;
        untried
    }

    /// Those who can move in a state and were not tried, as far as they stand in one word of the set: they are tried now.
    pub(super) fn begin_all(&mut self, id: NodeId, word: usize) -> u64 {
        let at = id.index() * self.stride + SETS + word;
        let backtrack = at + self.offset(Actors::Backtrack);
        self.words[backtrack] = self.words[at];
        self.begin_untried(id, word)
    }

    /// Of the states where it is settled who is to be tried, how many steps are not to be, and how many there are in all.
    /// Where somebody is still to be tried, others may be when that is done; unless everybody is.
    pub(super) fn savings(&self) -> (u64, u64) {
        let is_settled = |&id: &NodeId| self.tries_all(id) || !self.has_untried(id);
        let settled = || (0..self.len).map(NodeId).filter(is_settled);
        let count = |which| -> u64 {
            settled().flat_map(|id| self.set(id, which)).map(|word| u64::from(word.count_ones())).sum()
        };
        let all = count(Actors::Enabled);
        (all - count(Actors::Backtrack), all)
    }

    /// Whether everybody who can move in a state is to be tried there.
    #[inline]
    pub(super) fn tries_all(&self, id: NodeId) -> bool {
        same(self.set(id, Actors::Enabled), self.set(id, Actors::Backtrack))
    }

    /// Notes that an actor is tried in a state.
    pub(super) fn mark_done(&mut self, id: NodeId, actor: ActorId) {
        let (word, bit) = (actor.index() / 64, 1 << (actor.0 % 64));
        let at = id.index() * self.stride + SETS + word;
        let (backtrack, done) = (at + self.offset(Actors::Backtrack), at + self.offset(Actors::Done));
        self.words[done] |= bit;
        self.words[backtrack] |= bit;
    }

    /// Adds some actors to what is to be tried in a state; if one of them cannot move there, everybody. True if there is
    /// something to try now and there was nothing before.
    #[inline]
    pub(super) fn try_later(&mut self, id: NodeId, wanted: &[u64]) -> bool {
        let enabled = self.set(id, Actors::Enabled);
        let cannot = |(index, wanted): (usize, &u64)| wanted & !word(enabled, index) != 0;
        let everybody = wanted.iter().enumerate().any(cannot);
        let wanted = |index: usize| if everybody { u64::MAX } else { word(wanted, index) };
        self.add_to_backtrack(id, wanted)
    }

    /// Adds everybody to what is to be tried in a state. True as above.
    pub(super) fn try_all_later(&mut self, id: NodeId) -> bool {
        self.add_to_backtrack(id, |_| u64::MAX)
    }

    /// Adds those to what is to be tried in a state who cannot move in another one. True as above.
    #[inline]
    pub(super) fn try_disabled(&mut self, id: NodeId, other: NodeId) -> bool {
        if same(self.set(id, Actors::Enabled), self.set(other, Actors::Enabled)) {
            return false;
        }
        let (from, to) = (id.index() * self.stride + SETS, other.index() * self.stride + SETS);
        let mut new = false;
        for index in 0..self.actor_words {
            let disabled = self.words[from + index] & !self.words[to + index];
            new |= disabled != 0 && self.add_to_backtrack(id, |word| if word == index { disabled } else { 0 });
        }
        new
    }

    fn add_to_backtrack(&mut self, id: NodeId, more: impl Fn(usize) -> u64) -> bool {
        let width = self.actor_words;
        let row = &mut self.words[id.index() * self.stride + SETS..][..3 * width];
        let (mut had, mut has) = (0, 0);
        for index in 0..width {
            let (enabled, old, done) = (row[index], row[width + index], row[2 * width + index]);
            let all = old | enabled & more(index);
            had |= old & !done;
            has |= all & !done;
            row[width + index] = all;
        }
        had == 0 && has != 0
    }

    /// The claims that reach a state from below, and those of who waits there.
    #[inline]
    pub(super) fn summary(&self, id: NodeId) -> Set {
        let row = &self.words[id.index() * self.stride..][..SETS];
        Set([row[SUMMARY], row[SUMMARY + 1]])
    }

    /// Changes the summary of a state, which is to be sent on. True if nothing was to be sent on from there before.
    #[inline]
    pub(super) fn set_summary(&mut self, id: NodeId, Set(summary): Set) -> bool {
        let row = &mut self.words[id.index() * self.stride..][..SETS];
        let had_some = row[HEADER] & FRESH != 0;
        row[HEADER] |= FRESH;
        [row[SUMMARY], row[SUMMARY + 1]] = summary;
        !had_some
    }

    /// Whether there are claims to be sent on.
    #[inline]
    pub(super) fn is_fresh(&self, id: NodeId) -> bool {
        self.words[id.index() * self.stride + HEADER] & FRESH != 0
    }

    /// Whether nothing was ever sent on.
    pub(super) fn is_new(&self, id: NodeId) -> bool {
        self.words[id.index() * self.stride + HEADER] & NEW != 0
    }

    /// The claims of a state are sent on now.
    pub(super) fn begin_sending(&mut self, id: NodeId) {
        *self.header(id) &= !(FRESH | NEW);
    }
}

fn halves(Fingerprint(bits): Fingerprint) -> [u64; 2] {
    [(bits >> 64) as u64, bits as u64]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_keep_what_they_know_as_the_table_widens() {
        let mut nodes = Nodes::new();
        let first = nodes.add(Fingerprint(7), &[ActorId(0)], &[0b100]);
        nodes.replace_first_in(first, 5);
        nodes.close(first);
        nodes.mark_done(first, ActorId(2));
        assert!(!nodes.set_summary(first, Set([9, 1])) && nodes.is_new(first));
        nodes.begin_sending(first);
        assert!(!nodes.is_new(first) && !nodes.is_fresh(first));
        let second = nodes.add(Fingerprint(8), &[], &[0, 1 << 6, 0]);
        assert!(nodes.set_summary(first, Set([0, 5])) && !nodes.set_summary(first, Set([8, 0])));
        assert!(nodes.is_fresh(first) && nodes.is_fresh(second));
        assert_eq!((nodes.summary(first), nodes.summary(second)), (Set([8, 0]), Set::EMPTY));
        assert_eq!((nodes.find(Fingerprint(7)), nodes.find(Fingerprint(9))), (Some(first), None));
        assert_eq!((nodes.is_closed(first), nodes.first_in(first), nodes.first_in(second)), (true, 5, NONE));
        assert_eq!(nodes.enabled(first).collect::<Vec<_>>(), [ActorId(0), ActorId(2)]);
        assert_eq!(nodes.first_not_done(first, 1), Some(ActorId(0)));
        assert!(nodes.try_later(first, &[0, 0, 1]) && !nodes.try_later(first, &[1]));
        assert_eq!((nodes.tries_all(first), nodes.first_untried(first, 0)), (true, Some(ActorId(0))));
        assert_eq!((nodes.begin_untried(first, 0), nodes.first_untried(first, 0)), (1, None));
    }

    #[test]
    fn only_where_it_is_settled_who_is_tried_something_is_saved() {
        let mut nodes = Nodes::new();
        let actors = [0, 1, 2].map(ActorId);
        let [tried, waits, full] = [1, 2, 3].map(|fingerprint| nodes.add(Fingerprint(fingerprint), &actors, &[]));
        [tried, waits, full].iter().for_each(|&id| nodes.mark_done(id, ActorId(0)));
        assert_eq!(nodes.savings(), (6, 9));
        nodes.try_later(waits, &[0b10]);
        assert_eq!(nodes.savings(), (4, 6), "who conflicts with actor 1 is not known yet");
        nodes.try_later(full, &[0b110]);
        assert_eq!(nodes.savings(), (2, 6), "nobody is left to be added");
        nodes.begin_untried(waits, 0);
        assert_eq!(nodes.savings(), (3, 9));
    }
}
