//! The table of states: what a search looks at for every transition lies together, in 64 bytes per state.

use super::numbers::Numbers;
use super::sets::Set;
use crate::shared::bits::{members, members_of_word, word};
use crate::shared::visited::Key;
use mazurka_core::{ActorId, Fingerprint};

/// A state by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::stateful) struct NodeId(pub(in crate::stateful) u32);

impl NodeId {
    pub(in crate::stateful) fn index(self) -> usize {
        self.0 as usize
    }
}

/// No number.
pub(in crate::stateful) const NONE: u32 = u32::MAX;

/// A header's bits for "an execution that went through here has ended", "the summary has grown since it was sent on" and
/// "the summary was never sent on"; its low half is the first transition in.
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

/// Three sets of 64 actors in a state: the enabled ones, the backtrack set, and those that were tried.
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

    /// Adds actors to the backtrack set, if they can move.
    #[inline]
    fn add_to_backtrack(&mut self, more: u64) {
        self.backtrack |= self.enabled & more;
    }
}

/// Where the sets of the actors beyond the first 64 are kept of a state: for which words of 64 actors, and where. Only
/// actors that are enabled are ever in one of the sets. So the words without any are left out at both ends: where every
/// message is another actor, a state has one word of these, however many messages there were.
#[derive(Clone, Copy, Default)]
struct Extent {
    start: u64,
    first: u32,
    len: u32,
}

impl Extent {
    /// The words, the first 64 actors included.
    fn words(self) -> impl Iterator<Item = usize> + use<> {
        std::iter::once(0).chain(self.first as usize..(self.first + self.len) as usize)
    }

    /// Where the sets of the actors of a word are kept, if there are any. The word is none of the first one.
    #[inline]
    fn place(self, word: usize) -> Option<usize> {
        let index = word.checked_sub(self.first as usize)?;
        (index < self.len as usize).then_some(self.start as usize + index)
    }
}

/// The enabled actors of a state.
#[derive(Clone, Copy)]
pub(in crate::stateful) struct Enabled<'n> {
    first: u64,
    /// The first of the other words.
    from: usize,
    others: &'n [Actors],
}

impl<'n> Enabled<'n> {
    /// How many words it has.
    pub(in crate::stateful) fn len(&self) -> usize {
        if self.others.is_empty() { 1 } else { self.from + self.others.len() }
    }

    /// A word of it, with zeros behind its end.
    #[inline]
    pub(in crate::stateful) fn word(&self, index: usize) -> u64 {
        if index == 0 {
            return self.first;
        }
        let place = index.checked_sub(self.from);
        place.and_then(|place| self.others.get(place)).map_or(0, |actors| actors.enabled)
    }

    pub(in crate::stateful) fn contains(&self, actor: ActorId) -> bool {
        self.word(actor.index() / 64) >> (actor.0 % 64) & 1 == 1
    }

    pub(in crate::stateful) fn words(self) -> impl Iterator<Item = u64> + 'n {
        (0..self.len()).map(move |index| self.word(index))
    }

    /// The actors, in order.
    pub(in crate::stateful) fn actors(self) -> impl Iterator<Item = ActorId> + 'n {
        members(self.words()).map(ActorId)
    }

    #[cfg(test)]
    pub(in crate::stateful) fn of(first: u64) -> Self {
        Enabled { first, from: 1, others: &[] }
    }
}

/// The table.
pub(in crate::stateful) struct Nodes {
    numbers: Numbers,
    rows: Vec<Row>,
    /// The sets of actors beyond the first 64, and where each state has its own. There are none as long as no such actor
    /// was enabled.
    others: Vec<Actors>,
    spans: Vec<Extent>,
}

impl Nodes {
    pub(in crate::stateful) fn new() -> Self {
        Nodes { numbers: Numbers::new(), rows: Vec::new(), others: Vec::new(), spans: Vec::new() }
    }

    /// The number of a state, if it is known.
    #[inline]
    pub(in crate::stateful) fn find(&self, fingerprint: Fingerprint) -> Option<NodeId> {
        let halves = halves(fingerprint);
        self.numbers.find(Key::from(fingerprint).hash(), |id: NodeId| self.rows[id.index()].fingerprint == halves)
    }

    /// Adds a state that is not known, with a summary that is to be sent on. Its enabled actors are told in part by a list,
    /// in part by bits.
    pub(in crate::stateful) fn add(&mut self, fingerprint: Fingerprint, enabled: &[ActorId], bits: &[u64]) -> NodeId {
        let id = NodeId(self.rows.len() as u32);
        let listed = enabled.iter().map(|actor| actor.index() / 64);
        let told = bits.iter().enumerate().filter(|(_, word)| **word != 0).map(|(index, _)| index);
        let others = listed.chain(told).filter(|&word| word > 0);
        let bounds = others.fold(None, |bounds: Option<(usize, usize)>, word| {
            Some(bounds.map_or((word, word), |(first, last)| (first.min(word), last.max(word))))
        });
        let header = u64::from(NONE) | FRESH | NEW;
        let actors = Actors { enabled: word(bits, 0), ..Actors::default() };
        if bounds.is_some() || !self.spans.is_empty() {
            let (first, last) = bounds.unwrap_or((1, 0));
            let (start, len) = (self.others.len() as u64, (last + 1 - first) as u32);
            self.spans.resize(self.rows.len(), Extent::default());
            self.spans.push(Extent { start, first: first as u32, len });
            self.others.extend((first..=last).map(|index| Actors { enabled: word(bits, index), ..Actors::default() }));
        }
        self.rows.push(Row { fingerprint: halves(fingerprint), header, summary: Set::EMPTY, actors });
        for actor in enabled {
            if let Some(actors) = self.actors_mut(id, actor.index() / 64) {
                actors.enabled |= 1 << (actor.0 % 64);
            }
        }
        self.numbers.add(Key::from(fingerprint).hash(), id);
        id
    }

    /// Where the sets of actors beyond the first 64 are.
    #[inline]
    fn span(&self, id: NodeId) -> Extent {
        self.spans.get(id.index()).copied().unwrap_or_default()
    }

    #[inline]
    fn row(&self, id: NodeId) -> &Row {
        &self.rows[id.index()]
    }

    #[inline]
    fn row_mut(&mut self, id: NodeId) -> &mut Row {
        &mut self.rows[id.index()]
    }

    /// The sets of actors beyond the first 64.
    #[inline]
    fn others(&self, id: NodeId) -> &[Actors] {
        let Extent { start, len, .. } = self.span(id);
        &self.others[start as usize..start as usize + len as usize]
    }

    /// The sets of the actors of one word; `None` if none of these is enabled.
    #[inline]
    fn actors(&self, id: NodeId, word: usize) -> Option<&Actors> {
        if word == 0 { Some(&self.row(id).actors) } else { Some(&self.others[self.span(id).place(word)?]) }
    }

    #[inline]
    fn actors_mut(&mut self, id: NodeId, word: usize) -> Option<&mut Actors> {
        if word == 0 {
            return Some(&mut self.rows[id.index()].actors);
        }
        let place = self.span(id).place(word)?;
        Some(&mut self.others[place])
    }

    /// Whether something holds for all actors.
    #[inline]
    fn all(&self, id: NodeId, holds: impl Fn(&Actors) -> bool) -> bool {
        holds(&self.row(id).actors) && self.others(id).iter().all(holds)
    }

    /// Whether an execution that went through a state has ended: the history H of the paper.
    pub(in crate::stateful) fn is_closed(&self, id: NodeId) -> bool {
        self.row(id).header & CLOSED != 0
    }

    pub(in crate::stateful) fn close(&mut self, id: NodeId) {
        self.row_mut(id).header |= CLOSED;
    }

    /// The first of the transitions that lead to a state.
    pub(in crate::stateful) fn first_in(&self, id: NodeId) -> u32 {
        self.row(id).header as u32
    }

    /// Puts a transition in front of those that lead to a state, and returns the one that was first.
    pub(in crate::stateful) fn replace_first_in(&mut self, id: NodeId, edge: u32) -> u32 {
        let header = &mut self.row_mut(id).header;
        let old = *header as u32;
        *header = *header >> 32 << 32 | u64::from(edge);
        old
    }

    /// The enabled actors of a state.
    #[inline]
    pub(in crate::stateful) fn enabled(&self, id: NodeId) -> Enabled<'_> {
        Enabled { first: self.row(id).actors.enabled, from: self.span(id).first as usize, others: self.others(id) }
    }

    /// Whether no actor can move in a state.
    pub(in crate::stateful) fn is_end(&self, id: NodeId) -> bool {
        self.all(id, |actors| actors.enabled == 0)
    }

    /// Whether the backtrack set of a state has an actor that was not tried.
    pub(in crate::stateful) fn has_untried(&self, id: NodeId) -> bool {
        !self.all(id, |actors| actors.untried() == 0)
    }

    /// Of the enabled actors that were not tried the one whose turn it is: the first from `turn` on, or else the first.
    pub(in crate::stateful) fn first_not_done(&self, id: NodeId, turn: u32) -> Option<ActorId> {
        self.first(id, turn, |actors| actors.enabled & !actors.done)
    }

    /// The same of those in the backtrack set.
    pub(in crate::stateful) fn first_untried(&self, id: NodeId, turn: u32) -> Option<ActorId> {
        self.first(id, turn, Actors::untried)
    }

    #[inline]
    fn first(&self, id: NodeId, turn: u32, among: impl Fn(&Actors) -> u64) -> Option<ActorId> {
        let span = self.span(id);
        if span.len == 0 {
            let left = among(&self.row(id).actors);
            let late = left & u64::MAX.checked_shl(turn).unwrap_or(0);
            return (left != 0).then(|| ActorId(if late == 0 { left } else { late }.trailing_zeros()));
        }
        let left = |word: usize, mask: u64| {
            let left = self.actors(id, word).map_or(0, &among) & mask;
            (left != 0).then(|| ActorId(word as u32 * 64 + left.trailing_zeros()))
        };
        let middle = turn as usize / 64;
        let late = |word| left(word, if word == middle { u64::MAX << (turn % 64) } else { u64::MAX });
        let mut from_middle = span.words().filter(|&word| word >= middle);
        from_middle.find_map(late).or_else(|| span.words().find_map(|word| left(word, u64::MAX)))
    }

    /// For which words of 64 actors a state may have some that are enabled.
    pub(in crate::stateful) fn words(&self, id: NodeId) -> impl Iterator<Item = usize> + use<> {
        self.span(id).words()
    }

    /// The untried actors of a backtrack set, those of one word: they are tried now.
    pub(in crate::stateful) fn begin_untried(&mut self, id: NodeId, word: usize) -> impl Iterator<Item = u32> + use<> {
        let actors = self.actors_mut(id, word);
        let untried = actors.map_or(0, |actors| {
            let untried = actors.untried();
            actors.done |= untried;
            untried
        });
        members_of_word(word, untried)
    }

    /// The enabled actors of a state that were not tried, those of one word: they are tried now.
    pub(in crate::stateful) fn begin_all(&mut self, id: NodeId, word: usize) -> impl Iterator<Item = u32> + use<> {
        if let Some(actors) = self.actors_mut(id, word) {
            actors.add_to_backtrack(u64::MAX);
        }
        self.begin_untried(id, word)
    }

    /// How many steps are left out in settled states, and how many there are in all. A state is settled if its backtrack set
    /// is done (while it is not, it may still grow) or contains all enabled actors.
    pub(in crate::stateful) fn reductions(&self) -> (u64, u64) {
        let (mut left_out, mut all) = (0, 0);
        for id in self.settled() {
            for actors in std::iter::once(&self.row(id).actors).chain(self.others(id)) {
                left_out += u64::from((actors.enabled & !actors.backtrack).count_ones());
                all += u64::from(actors.enabled.count_ones());
            }
        }
        (left_out, all)
    }

    /// Whether a step is left out in a settled state.
    pub(in crate::stateful) fn reduces_anything(&self) -> bool {
        self.settled().any(|id| !self.tries_all(id))
    }

    /// The settled states.
    fn settled(&self) -> impl Iterator<Item = NodeId> {
        let is_settled = |&id: &NodeId| self.tries_all(id) || !self.has_untried(id);
        (0..self.rows.len() as u32).map(NodeId).filter(is_settled)
    }

    /// Whether the backtrack set of a state contains all enabled actors.
    #[inline]
    pub(in crate::stateful) fn tries_all(&self, id: NodeId) -> bool {
        self.all(id, |actors| actors.enabled == actors.backtrack)
    }

    /// An actor is tried in a state.
    pub(in crate::stateful) fn mark_done(&mut self, id: NodeId, actor: ActorId) {
        let bit = 1 << (actor.0 % 64);
        if let Some(actors) = self.actors_mut(id, actor.index() / 64) {
            actors.done |= bit;
            actors.backtrack |= bit;
        }
    }

    /// Algorithm 5, lines 9 to 13: adds actors to the backtrack set of a state; if one of them cannot move there, all that
    /// can. True if the set has an untried actor now and had none before.
    #[inline]
    pub(in crate::stateful) fn add_to_backtrack(&mut self, id: NodeId, points: &[u64]) -> bool {
        if self.spans.is_empty()
            && let Some((&first, others)) = points.split_first()
        {
            let actors = &mut self.rows[id.index()].actors;
            let had = actors.untried();
            let all = first & !actors.enabled != 0 || others.iter().any(|&others| others != 0);
            actors.add_to_backtrack(if all { u64::MAX } else { first });
            return had == 0 && actors.untried() != 0;
        }
        let enabled = self.enabled(id);
        let cannot = |(index, points): (usize, &u64)| points & !enabled.word(index) != 0;
        let all = points.iter().enumerate().any(cannot);
        self.extend_backtrack(id, |index| if all { u64::MAX } else { word(points, index) })
    }

    /// Adds all enabled actors to the backtrack set of a state. True as above.
    pub(in crate::stateful) fn add_all_to_backtrack(&mut self, id: NodeId) -> bool {
        self.extend_backtrack(id, |_| u64::MAX)
    }

    /// Adds the actors to the backtrack set of a state that cannot move in another one. True as above.
    #[inline]
    pub(in crate::stateful) fn add_disabled_to_backtrack(&mut self, id: NodeId, other: NodeId) -> bool {
        let mut new = false;
        for word in self.words(id) {
            let disabled = self.enabled(id).word(word) & !self.enabled(other).word(word);
            new |= disabled != 0 && self.extend_backtrack(id, |index| if index == word { disabled } else { 0 });
        }
        new
    }

    #[inline]
    fn extend_backtrack(&mut self, id: NodeId, more: impl Fn(usize) -> u64) -> bool {
        let (mut had, mut has) = (0, 0);
        for word in self.words(id) {
            if let Some(actors) = self.actors_mut(id, word) {
                had |= actors.untried();
                actors.add_to_backtrack(more(word));
                has |= actors.untried();
            }
        }
        had == 0 && has != 0
    }

    /// The summary of a state: the entries that reach it from below, and those of its blocked actors.
    #[inline]
    pub(in crate::stateful) fn summary(&self, id: NodeId) -> Set {
        self.row(id).summary
    }

    /// Changes the summary of a state, which is to be sent on. True if it was not before.
    #[inline]
    pub(in crate::stateful) fn set_summary(&mut self, id: NodeId, summary: Set) -> bool {
        let row = self.row_mut(id);
        let had_some = row.header & FRESH != 0;
        row.header |= FRESH;
        row.summary = summary;
        !had_some
    }

    /// Whether the summary is to be sent on.
    #[inline]
    pub(in crate::stateful) fn is_fresh(&self, id: NodeId) -> bool {
        self.row(id).header & FRESH != 0
    }

    /// Whether the summary was never sent on.
    pub(in crate::stateful) fn is_new(&self, id: NodeId) -> bool {
        self.row(id).header & NEW != 0
    }

    /// The summary is sent on now.
    pub(in crate::stateful) fn begin_sending(&mut self, id: NodeId) {
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
    fn a_state_has_room_for_the_actors_that_it_enables_and_no_others() {
        let mut nodes = Nodes::new();
        for message in 0..10_000 {
            let id = nodes.add(Fingerprint(u128::from(message) + 1), &[ActorId(message)], &[]);
            assert!(nodes.enabled(id).actors().eq([ActorId(message)]) && nodes.enabled(id).contains(ActorId(message)));
            assert!(!nodes.add_to_backtrack(id, &[0, 0]) && nodes.add_all_to_backtrack(id));
            assert_eq!(nodes.first_untried(id, message + 1), Some(ActorId(message)));
        }
        assert_eq!((nodes.others.len(), nodes.spans.len()), (10_000 - 64, 10_000));
    }

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
        assert!(nodes.add_to_backtrack(first, &[0, 0, 1]) && !nodes.add_to_backtrack(first, &[1]));
        assert_eq!((nodes.tries_all(first), nodes.first_untried(first, 0)), (true, Some(ActorId(0))));
        assert_eq!((nodes.begin_untried(first, 0).collect::<Vec<_>>(), nodes.first_untried(first, 0)), (vec![0], None));
    }

    #[test]
    fn steps_are_left_out_only_in_settled_states() {
        let mut nodes = Nodes::new();
        let actors = [0, 1, 2].map(ActorId);
        let [tried, waits, full] = [1, 2, 3].map(|fingerprint| nodes.add(Fingerprint(fingerprint), &actors, &[]));
        [tried, waits, full].iter().for_each(|&id| nodes.mark_done(id, ActorId(0)));
        assert_eq!(nodes.reductions(), (6, 9));
        nodes.add_to_backtrack(waits, &[0b10]);
        assert_eq!(nodes.reductions(), (4, 6), "the conflicts of actor 1 are not known yet");
        nodes.add_to_backtrack(full, &[0b110]);
        assert_eq!(nodes.reductions(), (2, 6), "no actor is left to be added");
        assert_eq!(nodes.begin_untried(waits, 0).collect::<Vec<_>>(), [1]);
        assert_eq!((nodes.reductions(), nodes.reduces_anything()), ((3, 9), true));
    }
}
