//! The table of states: what a search looks at for every transition lies together, in 64 bytes per state.

use super::numbers::Numbers;
use super::rows::{members, members_of_word, word, words_for};
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

/// No number.
pub(super) const NONE: u32 = u32::MAX;

/// A header's bits for "an execution that went through here has ended", "there are claims to be sent on" and "nothing was
/// ever sent on"; its low half is the first transition in.
const CLOSED: u64 = 1 << 32;
const FRESH: u64 = 1 << 33;
const NEW: u64 = 1 << 34;

/// What is known of a state.
struct Row {
    fingerprint: [u64; 2],
    header: u64,
    summary: Set,
    /// Of the first 64 actors.
    actors: Actors,
}

/// What is known of 64 actors in a state: who can move, who is to be tried, and who was.
#[derive(Clone, Copy, Default)]
struct Actors {
    enabled: u64,
    backtrack: u64,
    done: u64,
}

impl Actors {
    fn untried(&self) -> u64 {
        self.backtrack & !self.done
    }

    /// Adds some to those who are to be tried, if they can move.
    #[inline]
    fn try_later(&mut self, more: u64) {
        self.backtrack |= self.enabled & more;
    }
}

/// Who can move in a state.
#[derive(Clone, Copy)]
pub(super) struct Enabled<'n> {
    first: u64,
    others: &'n [Actors],
}

impl<'n> Enabled<'n> {
    /// How many words it has.
    pub(super) fn len(&self) -> usize {
        self.others.len() + 1
    }

    /// A word of it, with zeros behind its end.
    #[inline]
    pub(super) fn word(&self, index: usize) -> u64 {
        if index == 0 { self.first } else { self.others.get(index - 1).map_or(0, |actors| actors.enabled) }
    }

    pub(super) fn contains(&self, actor: ActorId) -> bool {
        self.word(actor.index() / 64) >> (actor.0 % 64) & 1 == 1
    }

    pub(super) fn words(self) -> impl Iterator<Item = u64> + 'n {
        (0..self.len()).map(move |index| self.word(index))
    }

    /// Who they are, one after the other.
    pub(super) fn actors(self) -> impl Iterator<Item = ActorId> + 'n {
        members(self.words()).map(ActorId)
    }

    #[cfg(test)]
    pub(super) fn of(first: u64) -> Self {
        Enabled { first, others: &[] }
    }
}

/// The table.
pub(super) struct Nodes {
    numbers: Numbers,
    rows: Vec<Row>,
    /// Of each state what is known of the actors beyond the first 64, and how many words a set has for these.
    others: Vec<Actors>,
    other_words: usize,
}

impl Nodes {
    pub(super) fn new() -> Self {
        Nodes { numbers: Numbers::new(), rows: Vec::new(), others: Vec::new(), other_words: 0 }
    }

    /// The number of a state, if it is known.
    #[inline]
    pub(super) fn find(&self, fingerprint: Fingerprint) -> Option<NodeId> {
        let halves = halves(fingerprint);
        self.numbers.find(Key::from(fingerprint).hash(), |id: NodeId| self.rows[id.index()].fingerprint == halves)
    }

    /// Adds a state that is not known, with claims that are to be sent on. Who can move there is told in part by a list, in
    /// part by bits.
    pub(super) fn add(&mut self, fingerprint: Fingerprint, enabled: &[ActorId], bits: &[u64]) -> NodeId {
        let id = NodeId(self.rows.len() as u32);
        let last = enabled.iter().map(|actor| words_for(actor.0)).max().unwrap_or(0);
        self.widen(last.max(bits.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1)));
        let header = u64::from(NONE) | FRESH | NEW;
        let actors = Actors { enabled: word(bits, 0), ..Actors::default() };
        self.rows.push(Row { fingerprint: halves(fingerprint), header, summary: Set::EMPTY, actors });
        let others = (1..=self.other_words).map(|index| Actors { enabled: word(bits, index), ..Actors::default() });
        self.others.extend(others);
        enabled.iter().for_each(|actor| self.actors_mut(id, actor.index() / 64).enabled |= 1 << (actor.0 % 64));
        self.numbers.add(Key::from(fingerprint).hash(), id);
        id
    }

    /// Makes room for sets with more members. Each of them is copied, so they grow by more than they must.
    fn widen(&mut self, words: usize) {
        let old = self.other_words;
        if words <= old + 1 {
            return;
        }
        let new = (words - 1).max(old + old / 4);
        let mut others = Vec::with_capacity(self.rows.len() * new);
        for row in 0..self.rows.len() {
            others.extend_from_slice(&self.others[row * old..][..old]);
            others.resize((row + 1) * new, Actors::default());
        }
        self.others = others;
        self.other_words = new;
    }

    #[inline]
    fn row(&self, id: NodeId) -> &Row {
        &self.rows[id.index()]
    }

    #[inline]
    fn row_mut(&mut self, id: NodeId) -> &mut Row {
        &mut self.rows[id.index()]
    }

    /// What is known of actors beyond the first 64.
    #[inline]
    fn others(&self, id: NodeId) -> &[Actors] {
        if self.other_words == 0 { &[] } else { &self.others[id.index() * self.other_words..][..self.other_words] }
    }

    /// What is known of the actors that stand in one word of a set.
    #[inline]
    fn actors(&self, id: NodeId, word: usize) -> &Actors {
        if word == 0 { &self.row(id).actors } else { &self.others(id)[word - 1] }
    }

    #[inline]
    fn actors_mut(&mut self, id: NodeId, word: usize) -> &mut Actors {
        if word == 0 {
            &mut self.rows[id.index()].actors
        } else {
            &mut self.others[id.index() * self.other_words + word - 1]
        }
    }

    /// Whether something holds for all actors.
    #[inline]
    fn all(&self, id: NodeId, holds: impl Fn(&Actors) -> bool) -> bool {
        holds(&self.row(id).actors) && self.others(id).iter().all(holds)
    }

    /// Whether an execution that went through a state has ended: the history H of the paper.
    pub(super) fn is_closed(&self, id: NodeId) -> bool {
        self.row(id).header & CLOSED != 0
    }

    pub(super) fn close(&mut self, id: NodeId) {
        self.row_mut(id).header |= CLOSED;
    }

    /// The first of the transitions that lead to a state.
    pub(super) fn first_in(&self, id: NodeId) -> u32 {
        self.row(id).header as u32
    }

    /// Puts a transition in front of those that lead to a state, and returns the one that was first.
    pub(super) fn replace_first_in(&mut self, id: NodeId, edge: u32) -> u32 {
        let header = &mut self.row_mut(id).header;
        let old = *header as u32;
        *header = *header >> 32 << 32 | u64::from(edge);
        old
    }

    /// Who can move in a state.
    #[inline]
    pub(super) fn enabled(&self, id: NodeId) -> Enabled<'_> {
        Enabled { first: self.row(id).actors.enabled, others: self.others(id) }
    }

    /// Whether nobody can move in a state.
    pub(super) fn is_end(&self, id: NodeId) -> bool {
        self.all(id, |actors| actors.enabled == 0)
    }

    /// Whether somebody is to be tried in a state who was not.
    pub(super) fn has_untried(&self, id: NodeId) -> bool {
        !self.all(id, |actors| actors.untried() == 0)
    }

    /// Of those who were not tried in a state the one whose turn it is: the first from `turn` on, or else the first.
    pub(super) fn first_not_done(&self, id: NodeId, turn: u32) -> Option<ActorId> {
        self.first(id, turn, |actors| actors.enabled & !actors.done)
    }

    /// The same of those who are to be tried.
    pub(super) fn first_untried(&self, id: NodeId, turn: u32) -> Option<ActorId> {
        self.first(id, turn, Actors::untried)
    }

    #[inline]
    fn first(&self, id: NodeId, turn: u32, among: impl Fn(&Actors) -> u64) -> Option<ActorId> {
        if self.other_words == 0 {
            let left = among(&self.row(id).actors);
            let late = left & u64::MAX.checked_shl(turn).unwrap_or(0);
            return (left != 0).then(|| ActorId(if late == 0 { left } else { late }.trailing_zeros()));
        }
        let left = |word: usize, mask: u64| {
            let left = among(self.actors(id, word)) & mask;
            (left != 0).then(|| ActorId(word as u32 * 64 + left.trailing_zeros()))
        };
        let middle = turn as usize / 64;
        let late = |word| left(word, if word == middle { u64::MAX << (turn % 64) } else { u64::MAX });
        (middle..self.words()).find_map(late).or_else(|| (0..self.words()).find_map(|word| left(word, u64::MAX)))
    }

    /// How many words a set of actors has.
    pub(super) fn words(&self) -> usize {
        self.other_words + 1
    }

    /// Those who are to be tried in a state and were not, as far as they stand in one word of the set: they are tried now.
    pub(super) fn begin_untried(&mut self, id: NodeId, word: usize) -> impl Iterator<Item = u32> + use<> {
        let actors = self.actors_mut(id, word);
        let untried = actors.untried();
        actors.done |= untried;
        members_of_word(word, untried)
    }

    /// Those who can move in a state and were not tried, as far as they stand in one word of the set: they are tried now.
    pub(super) fn begin_all(&mut self, id: NodeId, word: usize) -> impl Iterator<Item = u32> + use<> {
        self.actors_mut(id, word).try_later(u64::MAX);
        self.begin_untried(id, word)
    }

    /// Of the states where it is settled who is to be tried, how many steps are not to be, and how many there are in all.
    /// Where somebody is still to be tried, others may be when that is done; unless everybody is.
    pub(super) fn savings(&self) -> (u64, u64) {
        let (mut saved, mut all) = (0, 0);
        for id in self.settled() {
            for actors in (0..self.words()).map(|word| self.actors(id, word)) {
                saved += u64::from((actors.enabled & !actors.backtrack).count_ones());
                all += u64::from(actors.enabled.count_ones());
            }
        }
        (saved, all)
    }

    /// Whether a step is not to be taken in a state where that is settled.
    pub(super) fn saves_anything(&self) -> bool {
        self.settled().any(|id| !self.tries_all(id))
    }

    /// The states where it is settled who is to be tried.
    fn settled(&self) -> impl Iterator<Item = NodeId> {
        let is_settled = |&id: &NodeId| self.tries_all(id) || !self.has_untried(id);
        (0..self.rows.len() as u32).map(NodeId).filter(is_settled)
    }

    /// Whether everybody who can move in a state is to be tried there.
    #[inline]
    pub(super) fn tries_all(&self, id: NodeId) -> bool {
        self.all(id, |actors| actors.enabled == actors.backtrack)
    }

    /// Notes that an actor is tried in a state.
    pub(super) fn mark_done(&mut self, id: NodeId, actor: ActorId) {
        let (actors, bit) = (self.actors_mut(id, actor.index() / 64), 1 << (actor.0 % 64));
        actors.done |= bit;
        actors.backtrack |= bit;
    }

    /// Adds some actors to what is to be tried in a state; if one of them cannot move there, everybody. True if there is
    /// something to try now and there was nothing before.
    #[inline]
    pub(super) fn try_later(&mut self, id: NodeId, wanted: &[u64]) -> bool {
        let enabled = self.enabled(id);
        let cannot = |(index, wanted): (usize, &u64)| wanted & !enabled.word(index) != 0;
        let everybody = wanted.iter().enumerate().any(cannot);
        self.add_to_backtrack(id, |index| if everybody { u64::MAX } else { word(wanted, index) })
    }

    /// Adds everybody to what is to be tried in a state. True as above.
    pub(super) fn try_all_later(&mut self, id: NodeId) -> bool {
        self.add_to_backtrack(id, |_| u64::MAX)
    }

    /// Adds those to what is to be tried in a state who cannot move in another one. True as above.
    #[inline]
    pub(super) fn try_disabled(&mut self, id: NodeId, other: NodeId) -> bool {
        let mut new = false;
        for word in 0..self.words() {
            let disabled = self.actors(id, word).enabled & !self.actors(other, word).enabled;
            new |= disabled != 0 && self.add_to_backtrack(id, |index| if index == word { disabled } else { 0 });
        }
        new
    }

    #[inline]
    fn add_to_backtrack(&mut self, id: NodeId, more: impl Fn(usize) -> u64) -> bool {
        let (mut had, mut has) = (0, 0);
        for word in 0..self.words() {
            let actors = self.actors_mut(id, word);
            had |= actors.untried();
            actors.try_later(more(word));
            has |= actors.untried();
        }
        had == 0 && has != 0
    }

    /// The claims that reach a state from below, and those of who waits there.
    #[inline]
    pub(super) fn summary(&self, id: NodeId) -> Set {
        self.row(id).summary
    }

    /// Changes the summary of a state, which is to be sent on. True if nothing was to be sent on from there before.
    #[inline]
    pub(super) fn set_summary(&mut self, id: NodeId, summary: Set) -> bool {
        let row = self.row_mut(id);
        let had_some = row.header & FRESH != 0;
        row.header |= FRESH;
        row.summary = summary;
        !had_some
    }

    /// Whether there are claims to be sent on.
    #[inline]
    pub(super) fn is_fresh(&self, id: NodeId) -> bool {
        self.row(id).header & FRESH != 0
    }

    /// Whether nothing was ever sent on.
    pub(super) fn is_new(&self, id: NodeId) -> bool {
        self.row(id).header & NEW != 0
    }

    /// The claims of a state are sent on now.
    pub(super) fn begin_sending(&mut self, id: NodeId) {
        self.row_mut(id).header &= !(FRESH | NEW);
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
        assert_eq!(nodes.enabled(first).actors().collect::<Vec<_>>(), [ActorId(0), ActorId(2)]);
        assert_eq!(nodes.first_not_done(first, 1), Some(ActorId(0)));
        assert!(nodes.try_later(first, &[0, 0, 1]) && !nodes.try_later(first, &[1]));
        assert_eq!((nodes.tries_all(first), nodes.first_untried(first, 0)), (true, Some(ActorId(0))));
        assert_eq!((nodes.begin_untried(first, 0).collect::<Vec<_>>(), nodes.first_untried(first, 0)), (vec![0], None));
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
        assert_eq!(nodes.begin_untried(waits, 0).collect::<Vec<_>>(), [1]);
        assert_eq!((nodes.savings(), nodes.saves_anything()), ((3, 9), true));
    }
}
