//! What must always hold, and of which variables.

use crate::values::Data;
use crate::{Model, Role, Variable, View};
use mazurka_core::{Location, ObjectId, Panic, Value, Violation, ViolationKind, caught};

pub(crate) struct Invariant {
    /// Steps that write a variable of the invariant write this, too, so that all combinations of values are seen.
    pub(crate) object: ObjectId,
    pub(crate) reads: Vec<ObjectId>,
    pub(crate) holds: Box<dyn Fn(&View<'_>) -> bool + Send + Sync>,
    pub(crate) location: Location,
}

impl Model {
    /// The violation of an invariant, if it does not hold in this state.
    pub(crate) fn broken(&self, words: &[u32], number: usize) -> Option<Violation> {
        let invariant = &self.invariants[number];
        let name = &self.objects[invariant.object.0 as usize].name;
        let violation = match caught(|| (invariant.holds)(&View::silent(self, words))) {
            Ok(true) => return None,
            Ok(false) => Violation::new(ViolationKind::Invariant, format!("invariant broken: {name}")),
            Err(Panic { message, .. }) => {
                Violation::new(ViolationKind::Crash, format!("panicked in the invariant `{name}`: {message}"))
            }
        };
        let values = invariant.reads.iter().map(|&object| self.shown(words, object)).collect();
        Some(Violation { location: Some(invariant.location.clone()), values, ..violation })
    }

    /// An object and what it holds, by name.
    pub(crate) fn shown(&self, words: &[u32], object: ObjectId) -> Value {
        let thing = &self.objects[object.0 as usize];
        let word = words[object.0 as usize];
        let value = match &thing.role {
            Role::Variable { table, .. } => table.show(word),
            Role::Mutex => match word.checked_sub(1) {
                Some(holder) => self.actors[holder as usize].name.clone(),
                None => "free".to_owned(),
            },
            Role::Condition | Role::Invariant | Role::Thread(_) => String::new(),
        };
        Value { name: thing.name.clone(), value }
    }
}

/// A variable, or several: a tuple, an array or a vector of variables.
pub trait Variables: Send + Sync + 'static {
    /// What they hold, in the same form.
    type Values;

    /// Visits the model and the number of each variable.
    #[doc(hidden)]
    fn visit(&self, visit: &mut dyn FnMut(u32, ObjectId));

    /// What they hold.
    #[doc(hidden)]
    fn values(&self, view: &View<'_>) -> Self::Values;
}

impl<T: Data> Variables for Variable<T> {
    type Values = T;

    fn visit(&self, visit: &mut dyn FnMut(u32, ObjectId)) {
        visit(self.model(), self.object());
    }

    fn values(&self, view: &View<'_>) -> T {
        view[*self].clone()
    }
}

impl<V: Variables, const N: usize> Variables for [V; N] {
    type Values = [V::Values; N];

    fn visit(&self, visit: &mut dyn FnMut(u32, ObjectId)) {
        self.iter().for_each(|one| one.visit(visit));
    }

    fn values(&self, view: &View<'_>) -> Self::Values {
        std::array::from_fn(|index| self[index].values(view))
    }
}

impl<V: Variables> Variables for Vec<V> {
    type Values = Vec<V::Values>;

    fn visit(&self, visit: &mut dyn FnMut(u32, ObjectId)) {
        self.iter().for_each(|one| one.visit(visit));
    }

    fn values(&self, view: &View<'_>) -> Self::Values {
        self.iter().map(|one| one.values(view)).collect()
    }
}

macro_rules! tuples {
    ($($($name:ident)+;)+) => {$(
        impl<$($name: Variables),+> Variables for ($($name,)+) {
            type Values = ($($name::Values,)+);

            fn visit(&self, visit: &mut dyn FnMut(u32, ObjectId)) {
                #[allow(non_snake_case)]
                let ($($name,)+) = self;
                $($name.visit(visit);)+
            }

            fn values(&self, view: &View<'_>) -> Self::Values {
                #[allow(non_snake_case)]
                let ($($name,)+) = self;
                ($($name.values(view),)+)
            }
        }
    )+};
}

tuples! {
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
}
