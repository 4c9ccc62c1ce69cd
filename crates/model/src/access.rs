//! How guards and steps see the variables of a model: every access is recorded.

use crate::values::{Data, Scratch, Written, table_of};
use crate::{Model, Role};
use mazurka_core::{Access, ActorId, Footprint, Location, ObjectId, Step, Violation, ViolationKind};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

pub(crate) type Guard = Box<dyn Fn(&View<'_>) -> bool + Send + Sync>;
pub(crate) type Action = Box<dyn Fn(&mut Act<'_>) + Send + Sync>;

/// A shared variable of a [`Model`]. It is a name, not the value: what it holds is in the state.
pub struct Variable<T> {
    model: u32,
    object: ObjectId,
    of: PhantomData<fn() -> T>,
}

impl<T> Variable<T> {
    pub(crate) fn new(model: u32, object: ObjectId) -> Self {
        Variable { model, object, of: PhantomData }
    }

    pub(crate) fn model(self) -> u32 {
        self.model
    }

    pub(crate) fn object(self) -> ObjectId {
        self.object
    }
}

impl<T> Clone for Variable<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Variable<T> {}

impl<T> fmt::Debug for Variable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Variable({})", self.object.0)
    }
}

impl Model {
    /// What a variable holds.
    #[inline]
    #[track_caller]
    fn value<T: Data>(&self, words: &[u32], variable: Variable<T>) -> &T {
        assert!(variable.model == self.id, "this is a variable of another model");
        match &self.objects[variable.object.0 as usize].role {
            Role::Variable { table, .. } => table_of(&**table).get(words[variable.object.0 as usize]),
            _ => unreachable!("an object keeps its role"),
        }
    }
}

/// A state as a guard sees it: `s[x]` is what the variable `x` holds.
pub struct View<'a> {
    model: &'a Model,
    words: &'a [u32],
    seen: Option<RefCell<&'a mut Footprint>>,
}

impl<'a> View<'a> {
    /// Records what is read.
    pub(crate) fn recording(model: &'a Model, words: &'a [u32], seen: &'a mut Footprint) -> Self {
        View { model, words, seen: Some(RefCell::new(seen)) }
    }

    /// Records nothing.
    pub(crate) fn silent(model: &'a Model, words: &'a [u32]) -> Self {
        View { model, words, seen: None }
    }
}

impl<T: Data> Index<Variable<T>> for View<'_> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, variable: Variable<T>) -> &T {
        if let Some(seen) = &self.seen {
            seen.borrow_mut().touch(variable.object, Access::READ);
        }
        self.model.value(self.words, variable)
    }
}

/// A step that is being taken: `s[x]` is what the variable `x` holds, and `s[x] = …` writes it.
pub struct Act<'a> {
    model: &'a Model,
    words: &'a mut [u32],
    step: RefCell<&'a mut Step>,
    actor: ActorId,
    /// The variables that were written, with their new values.
    written: SmallVec<[(ObjectId, Box<dyn Scratch>); 2]>,
}

impl<'a> Act<'a> {
    pub(crate) fn new(model: &'a Model, words: &'a mut [u32], step: &'a mut Step, actor: ActorId) -> Self {
        Act { model, words, step: RefCell::new(step), actor, written: SmallVec::new() }
    }

    /// A number below `alternatives`. All of them are explored.
    ///
    /// # Panics
    /// If there are no alternatives.
    #[track_caller]
    pub fn choose(&mut self, alternatives: usize) -> usize {
        assert!(alternatives > 0, "there is nothing to choose from");
        self.step.get_mut().choose(alternatives as u64) as usize
    }

    /// The step is a violation unless `holds`. What follows in it is done all the same.
    #[track_caller]
    pub fn assert(&mut self, holds: bool, message: &str) {
        if !holds {
            self.fail(message, crate::here());
        }
    }

    #[cold]
    fn fail(&mut self, message: &str, location: Location) {
        let violation = Violation::new(ViolationKind::Assertion, format!("assertion failed: {message}"));
        let actor = Some(self.actor);
        self.step.get_mut().fail(Violation { location: Some(location), actor, ..violation });
    }

    /// Puts the new values into the state, and checks the invariants that read them. A step that panicked before has
    /// written nothing.
    pub(crate) fn finish(self) {
        let Act { model, words, step, actor, written } = self;
        let step = step.into_inner();
        let mut changed: SmallVec<[usize; 4]> = SmallVec::new();
        for (object, value) in written {
            let Role::Variable { table, invariants, .. } = &model.objects[object.0 as usize].role else {
                unreachable!("only variables are written")
            };
            let number = value.number(&**table);
            let word = &mut words[object.0 as usize];
            let access = if *word == number { Access::REWRITE } else { Access::WRITE };
            *word = number;
            step.touch(object, access);
            for &invariant in invariants {
                step.touch(model.invariants[invariant].object, access);
                if access == Access::WRITE && !changed.contains(&invariant) {
                    changed.push(invariant);
                }
            }
        }
        for invariant in changed {
            if let Some(violation) = model.broken(words, invariant) {
                step.fail(Violation { actor: Some(actor), ..violation });
            }
        }
    }

    /// The place of a variable among those that were written.
    #[track_caller]
    fn written<T: Data>(&self, variable: Variable<T>) -> Option<usize> {
        assert!(variable.model() == self.model.id, "this is a variable of another model");
        self.written.iter().position(|(object, _)| *object == variable.object())
    }
}

impl<T: Data> Index<Variable<T>> for Act<'_> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, variable: Variable<T>) -> &T {
        if let Some(place) = self.written(variable) {
            return self.written[place].1.as_any().downcast_ref().expect("a variable keeps its type");
        }
        self.step.borrow_mut().touch(variable.object(), Access::READ);
        self.model.value(self.words, variable)
    }
}

impl<T: Data> IndexMut<Variable<T>> for Act<'_> {
    #[track_caller]
    fn index_mut(&mut self, variable: Variable<T>) -> &mut T {
        let known = self.written(variable);
        let place = known.unwrap_or_else(|| {
            // What is lent out may be read as well as written.
            let value = self[variable].clone();
            self.written.push((variable.object(), Box::new(Written(value))));
            self.written.len() - 1
        });
        self.written[place].1.as_any_mut().downcast_mut().expect("a variable keeps its type")
    }
}
