//! Footprints, and the one place where dependence is decided.
//!
//! A footprint lists the shared objects that a step touched and how. Locks, condition variables, mailboxes, the life of
//! an actor (created, woken, ended), the enabledness of an event and a global invariant are objects too, so two steps
//! of different actors depend on each other exactly when their footprints conflict; see [`Dependence::conflicts`].

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::ops::BitOr;

/// A shared object, by a dense number that the program assigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// How an object was touched: a set of the ways below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Access(u8);

impl Access {
    /// The step depends on the object's value.
    pub const READ: Access = Access(1);
    /// The step changed the object.
    pub const WRITE: Access = Access(2);
    /// The step changed the object, and how depends on the object's value.
    pub const READ_WRITE: Access = Access(1 | 2);
    /// The step stored the value that was there already.
    pub const REWRITE: Access = Access(4);
    /// The step changed the object in a way that commutes with other additions, such as putting a message into a bag.
    pub const ADD: Access = Access(8);
    /// The step appended a message to a first-in-first-out mailbox.
    pub const POST: Access = Access(16);
    /// The step released the object: an actor that acquires it later had to wait for that, so the two are ordered and yet no
    /// race; see [`Dependence::races`].
    pub const RELEASE: Access = Access(32);

    /// Whether all ways in `other` are in this set.
    pub fn contains(self, other: Access) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the object may have another value after the step.
    pub fn changes(self) -> bool {
        self.0 & (Access::WRITE.0 | Access::ADD.0 | Access::POST.0 | Access::RELEASE.0) != 0
    }
}

impl BitOr for Access {
    type Output = Access;
    fn bitor(self, other: Access) -> Access {
        Access(self.0 | other.0)
    }
}

/// One object and how it was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Touch {
    /// What was touched.
    pub object: ObjectId,
    /// How.
    pub access: Access,
}

/// What a step touched, each object once, in the order of the objects' ids (once [`Footprint::seal`]ed).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Footprint {
    touches: SmallVec<[Touch; 6]>,
}

impl Footprint {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.touches.clear();
    }

    /// Adds one touch.
    pub fn touch(&mut self, object: ObjectId, access: Access) {
        match self.touches.last_mut() {
            Some(last) if last.object == object => last.access = last.access | access,
            _ => self.touches.push(Touch { object, access }),
        }
    }

    /// Touches everything that another step touched, as it did. To be sealed.
    pub fn include(&mut self, other: &Footprint) {
        other.touches.iter().for_each(|touch| self.touch(touch.object, touch.access));
    }

    /// Sorts the touches and merges those of one object: their normal form. A write of an object includes a rewrite of
    /// it.
    pub fn seal(&mut self) {
        if self.touches.windows(2).all(|pair| pair[0].object < pair[1].object) {
            return;
        }
        self.touches.sort_unstable_by_key(|touch| touch.object);
        self.touches.dedup_by(|later, kept| {
            let same = later.object == kept.object;
            if same {
                kept.access = kept.access | later.access;
            }
            same
        });
    }

    /// What was touched.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    /// How an object was touched, if it was.
    pub fn access(&self, object: ObjectId) -> Option<Access> {
        self.touches.iter().find(|touch| touch.object == object).map(|touch| touch.access)
    }

    /// Whether the step changed nothing that another actor could see.
    pub fn is_read_only(&self) -> bool {
        self.touches.iter().all(|touch| !touch.access.changes())
    }
}

/// Which touches of one object depend on each other.
///
/// | | read | write | rewrite | add | post |
/// |---|---|---|---|---|---|
/// | read | | yes | `rewrites` | yes | yes |
/// | write | yes | yes | yes | yes | yes |
/// | rewrite | `rewrites` | yes | `rewrites` | yes | yes |
/// | add | yes | yes | yes | | yes |
/// | post | yes | yes | yes | yes | `posts` |
///
/// A release depends on what a write depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// Whether two posts into one first-in-first-out mailbox depend on each other: yes for engines that see a mailbox
    /// as a shared object, no for those that reorder messages by their own rules.
    pub posts: bool,
    /// Whether a write that stores the value which is there already counts as a write. Otherwise it counts as a read.
    pub rewrites: bool,
}

impl Default for Dependence {
    /// Everything that may matter does.
    fn default() -> Self {
        Dependence { posts: true, rewrites: true }
    }
}

impl Dependence {
    /// Whether two touches of the same object depend on each other.
    pub fn touches(self, one: Access, other: Access) -> bool {
        const READ: u8 = Access::READ.0;
        const WRITE: u8 = Access::WRITE.0 | Access::RELEASE.0;
        const REWRITE: u8 = Access::REWRITE.0;
        const ADD: u8 = Access::ADD.0;
        const POST: u8 = Access::POST.0;
        // For each way of touching, the ways that depend on it.
        let against = |ways: u8| {
            let mut mask = 0;
            if ways & READ != 0 {
                mask |= WRITE | ADD | POST | if self.rewrites { REWRITE } else { 0 };
            }
            if ways & WRITE != 0 {
                mask |= READ | WRITE | REWRITE | ADD | POST;
            }
            if ways & REWRITE != 0 {
                mask |= WRITE | ADD | POST | if self.rewrites { READ | REWRITE } else { 0 };
            }
            if ways & ADD != 0 {
                mask |= READ | WRITE | REWRITE | POST;
            }
            if ways & POST != 0 {
                mask |= READ | WRITE | REWRITE | ADD | if self.posts { POST } else { 0 };
            }
            mask
        };
        against(one.0) & other.0 != 0
    }

    /// Whether two touches of the same object, the earlier one first, depend on each other and could have come in the
    /// other order: acquiring what an earlier step released could not.
    pub fn races(self, earlier: Access, later: Access) -> bool {
        self.touches(earlier, later) && !(earlier == Access::RELEASE && later == Access::WRITE)
    }

    /// Whether every touch that depends on `other` depends on `one`, too.
    pub fn subsumes(self, one: Access, other: Access) -> bool {
        let ways = (0..6).map(|way| Access(1 << way));
        ways.filter(|&way| self.touches(way, other)).all(|way| self.touches(way, one))
    }

    /// Whether two steps of different actors depend on each other: the definition that all engines share.
    pub fn conflicts(self, one: &Footprint, other: &Footprint) -> bool {
        self.common(one, other).next().is_some()
    }

    /// The objects on which two footprints conflict.
    pub fn common<'a>(self, one: &'a Footprint, other: &'a Footprint) -> impl Iterator<Item = ObjectId> + 'a {
        let mut rest = other.touches.as_slice();
        one.touches.iter().filter_map(move |mine| {
            while let Some((theirs, tail)) = rest.split_first() {
                if theirs.object >= mine.object {
                    break;
                }
                rest = tail;
            }
            let theirs = rest.first()?;
            (theirs.object == mine.object && self.touches(mine.access, theirs.access)).then_some(mine.object)
        })
    }
}

/// A footprint by its number in a [`FootprintTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FootprintId(pub u32);

/// Footprints by number. Few are distinct, so whether two of them conflict is one bit in a table.
#[derive(Clone, Debug)]
pub struct FootprintTable {
    dependence: Dependence,
    numbers: HashMap<Footprint, FootprintId, FxBuildHasher>,
    footprints: Vec<Footprint>,
    /// One bit per pair with both numbers below `TABLED`, in rows of 64-bit words.
    conflicts: Vec<Vec<u64>>,
}

/// Pairs beyond this number are compared object by object: the table would outgrow its use.
const TABLED: usize = 4096;

impl FootprintTable {
    /// An empty table that decides by `dependence`.
    pub fn new(dependence: Dependence) -> Self {
        FootprintTable { dependence, numbers: HashMap::default(), footprints: Vec::new(), conflicts: Vec::new() }
    }

    /// The number of a sealed footprint.
    pub fn intern(&mut self, footprint: &Footprint) -> FootprintId {
        if let Some(&id) = self.numbers.get(footprint) {
            return id;
        }
        let id = FootprintId(self.footprints.len() as u32);
        self.numbers.insert(footprint.clone(), id);
        self.footprints.push(footprint.clone());
        let index = id.0 as usize;
        if index < TABLED {
            let mut row = vec![0u64; index / 64 + 1];
            for (other, theirs) in self.footprints.iter().enumerate() {
                if self.dependence.conflicts(footprint, theirs) {
                    row[other / 64] |= 1 << (other % 64);
                }
            }
            self.conflicts.push(row);
        }
        id
    }

    /// The footprint with this number.
    pub fn get(&self, id: FootprintId) -> &Footprint {
        &self.footprints[id.0 as usize]
    }

    /// Whether two footprints conflict.
    pub fn conflict(&self, one: FootprintId, other: FootprintId) -> bool {
        let (high, low) = (one.max(other).0 as usize, one.min(other).0 as usize);
        match self.conflicts.get(high) {
            Some(row) => row[low / 64] >> (low % 64) & 1 == 1,
            None => self.dependence.conflicts(&self.footprints[high], &self.footprints[low]),
        }
    }

    /// How many footprints are known.
    pub fn len(&self) -> usize {
        self.footprints.len()
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.footprints.is_empty()
    }

    /// What decides.
    pub fn dependence(&self) -> Dependence {
        self.dependence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footprint(touches: &[(u32, Access)]) -> Footprint {
        let mut footprint = Footprint::default();
        for &(object, access) in touches {
            footprint.touch(ObjectId(object), access);
        }
        footprint.seal();
        footprint
    }

    #[test]
    fn dependence_is_symmetric_and_reads_commute() {
        let ways = [Access::READ, Access::WRITE, Access::REWRITE, Access::ADD, Access::POST, Access::RELEASE];
        for posts in [false, true] {
            for rewrites in [false, true] {
                let dependence = Dependence { posts, rewrites };
                for one in ways {
                    for other in ways {
                        assert_eq!(dependence.touches(one, other), dependence.touches(other, one));
                    }
                }
                assert!(!dependence.touches(Access::READ, Access::READ));
                assert!(!dependence.touches(Access::ADD, Access::ADD));
                assert!(dependence.touches(Access::WRITE, Access::WRITE));
                assert!(dependence.races(Access::WRITE, Access::WRITE));
                assert!(
                    dependence.touches(Access::RELEASE, Access::WRITE)
                        && dependence.touches(Access::RELEASE, Access::READ)
                );
                assert!(!dependence.races(Access::RELEASE, Access::WRITE));
                assert_eq!(dependence.touches(Access::POST, Access::POST), posts);
                assert_eq!(dependence.touches(Access::REWRITE, Access::REWRITE), rewrites);
                assert_eq!(dependence.touches(Access::REWRITE, Access::READ), rewrites);
            }
        }
    }

    #[test]
    fn what_changes_an_object_covers_a_look_at_it() {
        let dependence = Dependence { posts: true, rewrites: false };
        let (read, write, rewrite) = (Access::READ, Access::WRITE, Access::REWRITE);
        assert!(dependence.subsumes(write, read) && dependence.subsumes(read | write, write | rewrite));
        assert!(dependence.subsumes(read, rewrite) && dependence.subsumes(rewrite, read));
        assert!(!dependence.subsumes(read, write) && !dependence.subsumes(Access::ADD, read));
        assert!(!Dependence::default().subsumes(read, rewrite));
    }

    #[test]
    fn the_table_says_what_the_definition_says() {
        let some = [
            footprint(&[(1, Access::READ), (7, Access::WRITE)]),
            footprint(&[(7, Access::READ), (1, Access::READ)]),
            footprint(&[(1, Access::READ)]),
            footprint(&[(2, Access::WRITE), (9, Access::WRITE), (2, Access::READ)]),
            footprint(&[]),
        ];
        let mut table = FootprintTable::new(Dependence::default());
        let ids: Vec<_> = some.iter().map(|f| table.intern(f)).collect();
        for (one, &a) in some.iter().zip(&ids) {
            for (other, &b) in some.iter().zip(&ids) {
                assert_eq!(table.conflict(a, b), Dependence::default().conflicts(one, other));
            }
        }
        assert!(table.conflict(ids[0], ids[1]));
        assert!(!table.conflict(ids[0], ids[2]));
        assert_eq!(table.intern(&some[3]), ids[3]);
        assert_eq!(some[3].touches().len(), 2);
    }

    #[test]
    fn beyond_the_table_pairs_are_compared_directly() {
        let mut table = FootprintTable::new(Dependence::default());
        let ids: Vec<_> = (0..TABLED as u32 + 3)
            .map(|i| table.intern(&footprint(&[(i / 2, Access::WRITE), (1 << 20, Access::READ), (i, Access::READ)])))
            .collect();
        let last = ids[TABLED + 2];
        assert!(table.conflict(last, ids[TABLED + 2]));
        assert!(!table.conflict(last, ids[5]));
    }
}
