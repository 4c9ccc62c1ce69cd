//! What variables can hold, and the tables that number it.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::any::Any;
use std::fmt::Debug;
use std::hash::{BuildHasher, Hash};
use std::sync::{OnceLock, PoisonError, RwLock};

/// What a variable can hold: anything that can be cloned, compared, hashed and shown.
pub trait Data: Clone + Eq + Hash + Debug + Send + Sync + 'static {}

impl<T: Clone + Eq + Hash + Debug + Send + Sync + 'static> Data for T {}

/// How many values the first chunk has room for; each further one has twice as many.
const FIRST: usize = 8;
/// Enough chunks for every number of 31 bits.
const CHUNKS: usize = 28;

/// The values that one variable has had, by number. Values are added and never removed, so they are read without a lock.
/// With several threads the numbers may differ from run to run. Nothing that is told depends on them.
pub(crate) struct Table<T> {
    chunks: [OnceLock<Box<[OnceLock<T>]>>; CHUNKS],
    numbers: RwLock<HashTable<u32>>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { chunks: [const { OnceLock::new() }; CHUNKS], numbers: RwLock::default() }
    }
}

impl<T: Data> Table<T> {
    /// The value with this number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &T {
        let (chunk, place) = place(number as usize);
        let value = self.chunks[chunk].get().and_then(|chunk| chunk[place].get());
        value.expect("a state holds numbers of values that are there")
    }

    /// The number of a value.
    pub(crate) fn number(&self, value: T) -> u32 {
        // Most variables have few values.
        if let Some(first) = self.chunks[0].get() {
            for (number, known) in (0..).zip(first) {
                match known.get() {
                    Some(known) if *known == value => return number,
                    Some(_) => {}
                    None => break,
                }
            }
        }
        let hash = FxBuildHasher.hash_one(&value);
        let is_it = |&number: &u32| *self.get(number) == value;
        let known = self.numbers.read().unwrap_or_else(PoisonError::into_inner).find(hash, is_it).copied();
        known.unwrap_or_else(|| self.add(hash, value))
    }

    #[cold]
    fn add(&self, hash: u64, value: T) -> u32 {
        let mut numbers = self.numbers.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = numbers.find(hash, |&number| *self.get(number) == value) {
            return number;
        }
        let number = numbers.len();
        let (chunk, place) = place(number);
        let room = || (0..FIRST << chunk).map(|_| OnceLock::new()).collect();
        let is_new = self.chunks[chunk].get_or_init(room)[place].set(value).is_ok();
        debug_assert!(is_new, "a place is filled once");
        let number = u32::try_from(number).expect("states run out before numbers do");
        numbers.insert_unique(hash, number, |&number| FxBuildHasher.hash_one(self.get(number)));
        number
    }
}

/// The chunk in which a number stands, and its place there.
fn place(number: usize) -> (usize, usize) {
    let chunk = (number / FIRST + 1).ilog2() as usize;
    (chunk, number - FIRST * ((1 << chunk) - 1))
}

/// A table, whatever its values are.
pub(crate) trait AnyTable: Send + Sync {
    /// A value as it is shown.
    fn show(&self, number: u32) -> String;

    fn as_any(&self) -> &dyn Any;
}

impl<T: Data> AnyTable for Table<T> {
    fn show(&self, number: u32) -> String {
        format!("{:?}", self.get(number))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A value that a step is writing.
pub(crate) trait Scratch {
    fn as_any(&self) -> &dyn Any;

    fn as_any_mut(&mut self) -> &mut dyn Any;

    /// The number of the value.
    fn number(self: Box<Self>, table: &dyn AnyTable) -> u32;
}

pub(crate) struct Written<T>(pub(crate) T);

impl<T: Data> Scratch for Written<T> {
    fn as_any(&self) -> &dyn Any {
        &self.0
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        &mut self.0
    }

    fn number(self: Box<Self>, table: &dyn AnyTable) -> u32 {
        table_of::<T>(table).number(self.0)
    }
}

/// The table of values of a type.
#[inline]
pub(crate) fn table_of<T: Data>(table: &dyn AnyTable) -> &Table<T> {
    table.as_any().downcast_ref().expect("a variable has the type that it was made with")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_one_number_and_a_number_one_value() {
        let table = Table::default();
        let numbers: Vec<u32> = (0..1000).map(|value: u64| table.number(value * 7)).collect();
        assert_eq!(numbers, (0..1000).collect::<Vec<_>>());
        for (number, value) in (0..).zip((0..1000).map(|value| value * 7)) {
            assert_eq!((table.number(value), table.get(number)), (number, &value));
        }
        assert_eq!(table.show(3), "21");
    }

    #[test]
    fn chunks_follow_each_other_without_a_gap() {
        let mut next = (0, 0);
        for number in 0..5000 {
            assert_eq!(place(number), next);
            next = if next.1 + 1 == FIRST << next.0 { (next.0 + 1, 0) } else { (next.0, next.1 + 1) };
        }
    }

    #[test]
    fn threads_that_add_the_same_values_agree_on_their_numbers() {
        let table = Table::default();
        let add = || (0..500).map(|value: u32| table.number(format!("value {value}"))).collect::<Vec<_>>();
        std::thread::scope(|scope| {
            let others: Vec<_> = (0..4).map(|_| scope.spawn(add)).collect();
            let mine = add();
            for other in others {
                assert_eq!(other.join().expect("it does not panic"), mine);
            }
        });
    }
}
