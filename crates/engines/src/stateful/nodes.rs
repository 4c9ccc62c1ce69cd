//! The table of states: what a search looks at for every transition lies in one row of words per state, together.

use super::numbers::Numbers;
use super::rows::{grown, members, padded, same, words_for};
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

/// Where in a row the fingerprint (two words) and the header (one word) stand; the sets follow: who is enabled, the
/// claims, and then those that only matter where the search goes on. So what is looked at in a state that is merely met
/// again lies side by side.
const HEADER: usize = 2;
const SETS: usize = 3;
/// The header's bit for "an execution that went through here has ended"; its low half is the first transition in.
const CLOSED: u64 = 1 << 32;
/// The header's bit for "there are claims to be sent on".
const FRESH: u64 = 1 << 33;

/// The sets of actors that a state has, in the order in which they stand in its row. The claims stand behind the first
/// one, and those of them that have not been sent on at the end.
#[derive(Clone, Copy, PartialEq)]
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
    /// How many words a set of actors has, a set of claims, and a whole row.
    actor_words: usize,
    claim_words: usize,
    stride: usize,
}

impl Nodes {
    pub(super) fn new() -> Self {
        Nodes { numbers: Numbers::new(), words: Vec::new(), len: 0, actor_words: 1, claim_words: 1, stride: SETS + 5 }
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

    /// Adds a state that is not known.
    pub(super) fn add(&mut self, fingerprint: Fingerprint, enabled: &[ActorId]) -> NodeId {
        let id = NodeId(self.len);
        self.len += 1;
        if let Some(last) = enabled.iter().max() {
            self.widen(words_for(last.0), self.claim_words);
        }
        let [high, low] = halves(fingerprint);
        let at = self.words.len();
        self.words.resize(at + self.stride, 0);
        let row = &mut self.words[at..];
        (row[0], row[1], row[HEADER]) = (high, low, u64::from(NONE));
        for actor in enabled {
            row[SETS + actor.index() / 64] |= 1 << (actor.0 % 64);
        }
        self.numbers.add(Key::from(fingerprint).hash(), id);
        id
    }

    /// Makes room for sets with more members.
    fn widen(&mut self, actor_words: usize, claim_words: usize) {
        if actor_words <= self.actor_words && claim_words <= self.claim_words {
            return;
        }
        let (actor_words, claim_words) = (grown(self.actor_words, actor_words), grown(self.claim_words, claim_words));
        let (of_actors, of_claims) = ((self.actor_words, actor_words), (self.claim_words, claim_words));
        let stride = SETS + 3 * actor_words + 2 * claim_words;
        let mut words = Vec::with_capacity(self.words.len() / self.stride * stride);
        for row in self.words.chunks(self.stride) {
            let (start, mut sets) = row.split_at(SETS);
            words.extend_from_slice(start);
            for (old, new) in [of_actors, of_claims, of_actors, of_actors, of_claims] {
                let (set, rest) = sets.split_at(old);
                words.extend(padded(set, new));
                sets = rest;
            }
        }
        (self.words, self.actor_words, self.claim_words, self.stride) = (words, actor_words, claim_words, stride);
    }

    fn header(&mut self, id: NodeId) -> &mut u64 {
        &mut self.words[id.index() * self.stride + HEADER]
    }

    /// Where a set stands among the words of a row behind its header.
    #[inline]
    fn offset(&self, which: Actors) -> usize {
        which as usize * self.actor_words + if which == Actors::Enabled { 0 } else { self.claim_words }
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

    /// Whether everybody who can move in a state is to be tried there.
    #[inline]
    pub(super) fn tries_all(&self, id: NodeId) -> bool {
        same(self.set(id, Actors::Enabled), self.set(id, Actors::Backtrack))
    }

    /// Notes that an actor is tried in a state; true if it was not before.
    pub(super) fn mark_done(&mut self, id: NodeId, actor: ActorId) -> bool {
        let (word, bit) = (actor.index() / 64, 1 << (actor.0 % 64));
        let at = id.index() * self.stride + SETS + word;
        let (backtrack, done) = (at + self.offset(Actors::Backtrack), at + self.offset(Actors::Done));
        let is_new = self.words[done] & bit == 0;
        self.words[done] |= bit;
        self.words[backtrack] |= bit;
        is_new
    }

    /// Adds some actors to what is to be tried in a state; if one of them cannot move there, everybody. True if there is
    /// something to try now and there was nothing before.
    #[inline]
    pub(super) fn try_later(&mut self, id: NodeId, wanted: &[u64]) -> bool {
        let enabled = self.set(id, Actors::Enabled);
        let cannot = |(index, wanted): (usize, &u64)| wanted & !enabled.get(index).copied().unwrap_or(0) != 0;
        let everybody = wanted.iter().enumerate().any(cannot);
        let wanted = |index: usize| if everybody { u64::MAX } else { wanted.get(index).copied().unwrap_or(0) };
        self.add_to_backtrack(id, wanted)
    }

    /// Adds those to what is to be tried in a state who cannot move in another one.
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
        let (width, backtrack) = (self.actor_words, self.offset(Actors::Backtrack));
        let row = &mut self.words[id.index() * self.stride + SETS..][..backtrack + 2 * width];
        let (mut had, mut has) = (0, 0);
        for index in 0..width {
            let (enabled, old, done) = (row[index], row[backtrack + index], row[backtrack + width + index]);
            let all = old | enabled & more(index);
            had |= old & !done;
            has |= all & !done;
            row[backtrack + index] = all;
        }
        had == 0 && has != 0
    }

    /// The claims that reach a state from below.
    #[inline]
    pub(super) fn claims(&self, id: NodeId) -> &[u64] {
        &self.words[id.index() * self.stride + SETS + self.actor_words..][..self.claim_words]
    }

    /// Whether a state can learn nothing from another one that it leads to by a transition with claims of its own:
    /// everybody is to be tried there, and all these claims are known.
    #[inline]
    pub(super) fn learns_nothing(&self, id: NodeId, to: NodeId, own: &[u64]) -> bool {
        let row = |id: NodeId| &self.words[id.index() * self.stride + SETS..][..self.stride - SETS];
        let (here, there) = (row(id), row(to));
        let (claims, backtrack) = (self.actor_words, self.offset(Actors::Backtrack));
        let tries = |index| here[index] == here[backtrack + index];
        let knows = |index: usize| {
            let new = there[claims + index] | own.get(index).copied().unwrap_or(0);
            new & !here[claims + index] == 0
        };
        own.len() <= self.claim_words && (0..self.actor_words).all(tries) && (0..self.claim_words).all(knows)
    }

    /// Adds claims to those that reach a state; true if it had nothing to send on before, and has now.
    #[inline]
    pub(super) fn learn(&mut self, id: NodeId, claims: &[u64]) -> bool {
        if claims.len() > self.claim_words {
            self.widen(self.actor_words, claims.len());
        }
        if self.claims(id).iter().zip(claims).all(|(known, claims)| claims & !known == 0) {
            return false;
        }
        let row = &mut self.words[id.index() * self.stride..][..self.stride];
        let (row, fresh) = row.split_at_mut(self.stride - self.claim_words);
        let known = &mut row[SETS + self.actor_words..][..self.claim_words];
        for ((known, fresh), &claims) in known.iter_mut().zip(fresh).zip(claims) {
            *fresh |= claims & !*known;
            *known |= claims;
        }
        let had_some = row[HEADER] & FRESH != 0;
        row[HEADER] |= FRESH;
        !had_some
    }

    /// The claims that reach a state and have been sent on; false if there are none.
    pub(super) fn take_sent(&self, id: NodeId, into: &mut Vec<u64>) -> bool {
        let end = (id.index() + 1) * self.stride;
        let fresh = &self.words[end - self.claim_words..end];
        into.clear();
        into.extend(self.claims(id).iter().zip(fresh).map(|(known, fresh)| known & !fresh));
        into.iter().any(|&word| word != 0)
    }

    /// Takes the claims that are to be sent on.
    pub(super) fn take_fresh(&mut self, id: NodeId, into: &mut Vec<u64>) {
        *self.header(id) &= !FRESH;
        let end = (id.index() + 1) * self.stride;
        into.clear();
        into.extend(self.words[end - self.claim_words..end].iter_mut().map(std::mem::take));
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
        let first = nodes.add(Fingerprint(7), &[ActorId(0), ActorId(2)]);
        nodes.replace_first_in(first, 5);
        nodes.close(first);
        assert!(nodes.mark_done(first, ActorId(2)) && !nodes.mark_done(first, ActorId(2)));
        assert!(nodes.learn(first, &[0b110]) && !nodes.learn(first, &[0b010]) && !nodes.learn(first, &[0b111]));
        let second = nodes.add(Fingerprint(8), &[ActorId(70)]);
        assert!(nodes.learn(second, &[0, 0, 1]));
        let mut fresh = Vec::new();
        nodes.take_fresh(first, &mut fresh);
        assert_eq!(fresh, [0b111, 0, 0]);
        assert!(!nodes.learn(first, &[0b010]) && nodes.learn(first, &[0b1000]));
        assert_eq!((nodes.find(Fingerprint(7)), nodes.find(Fingerprint(9))), (Some(first), None));
        assert_eq!((nodes.is_closed(first), nodes.first_in(first), nodes.first_in(second)), (true, 5, NONE));
        assert_eq!(nodes.enabled(first).collect::<Vec<_>>(), [ActorId(0), ActorId(2)]);
        assert_eq!(nodes.first_not_done(first, 1), Some(ActorId(0)));
        assert_eq!((nodes.claims(first), nodes.claims(second)), (&[0b1111, 0, 0][..], &[0, 0, 1][..]));
        assert!(nodes.try_later(first, &[0, 0, 1]) && !nodes.try_later(first, &[1]));
        assert_eq!((nodes.tries_all(first), nodes.first_untried(first, 0)), (true, Some(ActorId(0))));
        assert_eq!((nodes.begin_untried(first, 0), nodes.first_untried(first, 0)), (1, None));
    }
}
