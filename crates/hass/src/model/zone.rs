//! Time: a zone of clocks, as a matrix of difference bounds (Dill 1989; Bengtsson and Yi 2004).
//!
//! A clock is a timer that runs: a delay, the `for` of a trigger, a timeout, the time since a state changed. It was 0 when it
//! started. The matrix bounds the difference of any two clocks, and is kept canonical: every bound is as tight as the others
//! make it, so that equal zones are equal matrices. Bounds are not strict: at equal deadlines both orders are possible.
//! Time passes at the end of every step, up to the first deadline. All in milliseconds.

use smallvec::SmallVec;

/// No bound.
const FREE: i64 = i64::MAX / 4;

/// Which clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Key {
    /// The delay, the timeout or the call of a run: routine and instance.
    Run(u16, u8),
    /// The `for` of a trigger, by its number.
    Hold(u16),
    /// A timer helper, by its slot.
    Timer(u16),
    /// A repeating trigger, by its number.
    Pattern(u16),
    /// Since when an entity has its state, by its slot.
    Age(u16),
    /// What is expected within a time.
    Promise,
    /// The time of day.
    Day,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Clock {
    key: Key,
    /// When it goes off, if it does.
    deadline: Option<i64>,
    /// It may go off from then on.
    earliest: i64,
    /// Beyond this its value does not matter.
    most: i64,
}

/// The clocks and what is known of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Zone {
    clocks: SmallVec<[Clock; 3]>,
    /// Row by row: `bounds[i][j]` bounds clock i minus clock j; clock 0 is always 0.
    bounds: Vec<i64>,
}

impl Zone {
    fn size(&self) -> usize {
        self.clocks.len() + 1
    }

    fn at(&self, row: usize, column: usize) -> i64 {
        if self.bounds.is_empty() { 0 } else { self.bounds[row * self.size() + column] }
    }

    fn index(&self, key: Key) -> Option<usize> {
        self.clocks.iter().position(|clock| clock.key == key).map(|at| at + 1)
    }

    /// Whether a clock runs.
    pub(crate) fn runs(&self, key: Key) -> bool {
        self.index(key).is_some()
    }

    /// All clocks.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        self.clocks.iter().map(|clock| clock.key)
    }

    /// Lets a clock have one value.
    pub(crate) fn fix(&mut self, key: Key, milliseconds: i64) {
        if let Some(index) = self.index(key) {
            let most = self.clocks[index - 1].most;
            self.constrain(0, index, -milliseconds.min(most));
            self.constrain(index, 0, milliseconds);
        }
    }

    /// The clocks that have a deadline.
    pub(crate) fn pending(&self) -> impl Iterator<Item = Key> + '_ {
        self.clocks.iter().filter(|clock| clock.deadline.is_some()).map(|clock| clock.key)
    }

    /// When a clock goes off, counted from its start.
    pub(crate) fn deadline(&self, key: Key) -> Option<i64> {
        self.clocks.iter().find(|clock| clock.key == key)?.deadline
    }

    /// When a clock goes off at the earliest, counted from its start.
    pub(crate) fn earliest(&self, key: Key) -> i64 {
        self.clocks.iter().find(|clock| clock.key == key).map_or(0, |clock| clock.earliest)
    }

    /// Starts a clock, or starts it again.
    pub(crate) fn start(&mut self, key: Key, deadline: Option<i64>, most: i64) {
        self.insert(key, deadline, most, deadline.unwrap_or(0));
    }

    /// Starts a clock that goes off at some time between the earliest one and its deadline.
    pub(crate) fn start_between(&mut self, key: Key, earliest: i64, deadline: i64) {
        self.insert(key, Some(deadline), 0, earliest.max(0));
    }

    fn insert(&mut self, key: Key, deadline: Option<i64>, most: i64, earliest: i64) {
        self.stop(key);
        let place = self.clocks.partition_point(|clock| clock.key < key);
        let (old, new) = (self.size(), self.size() + 1);
        let at = place + 1;
        let mut bounds = vec![0; new * new];
        let from = |index: usize| match index.cmp(&at) {
            std::cmp::Ordering::Less => index,
            // The new clock is 0, as the clock of reference is.
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => index - 1,
        };
        for row in 0..new {
            for column in 0..new {
                bounds[row * new + column] =
                    if self.bounds.is_empty() { 0 } else { self.bounds[from(row) * old + from(column)] };
            }
        }
        self.clocks.insert(place, Clock { key, deadline, earliest, most: deadline.unwrap_or(most) });
        self.bounds = bounds;
    }

    /// Gives a clock another name, which keeps its place among the others.
    pub(crate) fn rename(&mut self, old: Key, new: Key) {
        for clock in &mut self.clocks {
            if clock.key == old {
                clock.key = new;
            }
        }
    }

    /// Stops a clock.
    pub(crate) fn stop(&mut self, key: Key) {
        let Some(gone) = self.index(key) else { return };
        let old = self.size();
        let kept: Vec<usize> = (0..old).filter(|&index| index != gone).collect();
        let bounds = kept.iter().flat_map(|&row| kept.iter().map(move |&column| (row, column)));
        self.bounds = bounds.map(|(row, column)| self.bounds[row * old + column]).collect();
        self.clocks.remove(gone - 1);
        if self.clocks.is_empty() {
            self.bounds.clear();
        }
    }

    /// Adds the bound `row - column <= bound`; false if nothing is left.
    fn constrain(&mut self, row: usize, column: usize, bound: i64) -> bool {
        let size = self.size();
        if bound.saturating_add(self.at(column, row)) < 0 {
            return false;
        }
        if bound < self.at(row, column) {
            self.bounds[row * size + column] = bound;
            for i in 0..size {
                for j in 0..size {
                    let around = self.at(i, row).saturating_add(bound).saturating_add(self.at(column, j)).min(FREE);
                    if around < self.at(i, j) {
                        self.bounds[i * size + j] = around;
                    }
                }
            }
        }
        true
    }

    /// Whether a clock can be the next one to go off.
    pub(crate) fn can_go_off(&self, key: Key) -> bool {
        let (Some(index), Some(deadline)) = (self.index(key), self.deadline(key)) else { return false };
        self.at(index, 0) >= self.clocks[index - 1].earliest.min(deadline)
    }

    /// Lets a clock go off now: it is time for it, and no other one is past its own.
    pub(crate) fn go_off(&mut self, key: Key) -> bool {
        let (Some(index), Some(deadline)) = (self.index(key), self.deadline(key)) else { return false };
        let earliest = self.clocks[index - 1].earliest;
        if !self.constrain(0, index, -earliest) || !self.constrain(index, 0, deadline) {
            return false;
        }
        self.stop(key);
        true
    }

    /// Whether a clock can be at least, and whether it can be less than, this many milliseconds.
    pub(crate) fn compare(&self, key: Key, milliseconds: i64) -> (bool, bool) {
        match self.index(key) {
            Some(index) => (self.at(index, 0) >= milliseconds, -self.at(0, index) < milliseconds),
            None => (true, false),
        }
    }

    /// Takes one side of that.
    pub(crate) fn assume(&mut self, key: Key, milliseconds: i64, is_more: bool) {
        if let Some(index) = self.index(key) {
            if is_more {
                self.constrain(0, index, -milliseconds);
            } else {
                self.constrain(index, 0, milliseconds);
            }
        }
    }

    /// Lets time pass, up to the first deadline.
    pub(crate) fn elapse(&mut self) {
        let size = self.size();
        if size == 1 {
            return;
        }
        for index in 1..size {
            self.bounds[index * size] = FREE;
        }
        for index in 1..size {
            if let Some(deadline) = self.clocks[index - 1].deadline {
                self.constrain(index, 0, deadline);
            }
        }
        self.widen();
    }

    /// Forgets what is beyond the largest value that matters of a clock without deadline.
    fn widen(&mut self) {
        let size = self.size();
        let most: SmallVec<[i64; 4]> = std::iter::once(0).chain(self.clocks.iter().map(|clock| clock.most)).collect();
        let mut changed = false;
        for row in 0..size {
            for column in 0..size {
                let bound = self.at(row, column);
                if row == column || bound >= FREE {
                    continue;
                }
                let new = if row > 0 && bound > most[row] {
                    FREE
                } else if column > 0 && bound < -most[column] {
                    -most[column]
                } else {
                    continue;
                };
                self.bounds[row * size + column] = new;
                changed = true;
            }
        }
        if changed {
            for over in 0..size {
                for row in 0..size {
                    for column in 0..size {
                        let around = self.at(row, over).saturating_add(self.at(over, column)).min(FREE);
                        if around < self.at(row, column) {
                            self.bounds[row * size + column] = around;
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Key = Key::Run(0, 0);
    const B: Key = Key::Run(1, 0);

    #[test]
    fn timers_keep_their_order() {
        let mut zone = Zone::default();
        zone.start(A, Some(300), 0);
        zone.elapse();
        zone.start(B, Some(120), 0);
        zone.elapse();
        // B began at any time up to 300 after A, so either may be first.
        assert!(zone.can_go_off(A) && zone.can_go_off(B));
        let mut first = zone.clone();
        assert!(first.go_off(B));
        first.elapse();
        // A still runs; a new B that starts now can only overtake it if there is time.
        assert!(first.can_go_off(A));
        let mut together = Zone::default();
        together.start(A, Some(300), 0);
        together.start(B, Some(120), 0);
        together.elapse();
        assert!(together.can_go_off(B) && !together.can_go_off(A));
        assert!(together.go_off(B));
        together.start(B, Some(200), 0);
        together.elapse();
        assert!(together.can_go_off(A) && !together.can_go_off(B), "180 are left of the 300");
    }

    #[test]
    fn one_timer_alone_is_one_state() {
        let mut zone = Zone::default();
        zone.start(A, Some(300), 0);
        zone.elapse();
        let once = zone.clone();
        zone.start(A, Some(300), 0);
        zone.elapse();
        assert_eq!(zone, once);
        assert!(zone.go_off(A));
        zone.elapse();
        assert_eq!(zone, Zone::default());
    }

    #[test]
    fn ages_are_split_and_forgotten() {
        let age = Key::Age(3);
        let mut zone = Zone::default();
        zone.start(age, None, 60);
        zone.elapse();
        assert_eq!(zone.compare(age, 60), (true, true));
        let mut older = zone.clone();
        older.assume(age, 60, true);
        assert_eq!(older.compare(age, 60), (true, false));
        older.elapse();
        assert_eq!(older.compare(age, 60), (true, false));
        zone.assume(age, 60, false);
        zone.elapse();
        assert_eq!(zone.compare(age, 60), (true, true));
    }
}
