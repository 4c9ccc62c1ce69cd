//! What a data race is.
//!
//! Some execution takes two steps of different actors one right after the other, both access one shared variable, at
//! least one of them writes it, at least one of them is **plain** ([`Step::plain`]), and the first did not make the actor
//! of the second. Nothing orders such a pair: whatever orders two steps (a lock that is released and acquired, a thread
//! that ends and is joined, a signal, a post and the message that begins, an atomic operation that sees another one) takes
//! a step of its own between them.
//!
//! Where memory is sequentially consistent, some execution has two conflicting accesses that synchronisation leaves
//! unordered exactly if some execution has two of them side by side (Adve and Hill, *Weak Ordering: A New Definition*,
//! ISCA 1990; Boehm and Adve, *Foundations of the C++ Concurrency Memory Model*, PLDI 2008): of an unordered pair that
//! another race keeps apart, that other race is side by side. So if a program has a race, at least one is found. This assumes
//! that an attempt that fails (a try-lock) orders nothing; ours order, since they never fail without a reason. A pair that
//! is kept apart by a racing flag only is not told: what is told is the race on the flag.

use crate::{
    Access, ActorId, Description, Location, Move, ObjectId, ObjectKind, Step, System, Violation, ViolationKind,
};
use smallvec::SmallVec;
use std::fmt::Write;

/// What a step did to shared variables, as far as a search for data races has to know.
#[derive(Clone, Debug)]
pub struct Accesses {
    actor: ActorId,
    is_plain: bool,
    variables: SmallVec<[(ObjectId, Access); 2]>,
    made: SmallVec<[ActorId; 2]>,
}

impl Accesses {
    /// What a step did, given what it recorded.
    pub fn of<S: System>(system: &S, actor: ActorId, step: &Step) -> Self {
        let is_variable = |object| system.object(object).kind == ObjectKind::Variable;
        let touches = step.footprint().touches().iter();
        Accesses {
            actor,
            is_plain: step.is_plain(),
            variables: touches.filter(|t| is_variable(t.object)).map(|t| (t.object, t.access)).collect(),
            made: step.actors_made().into(),
        }
    }

    /// Whose step it was.
    pub fn actor(&self) -> ActorId {
        self.actor
    }

    /// Whether the step was a plain one.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Whether a shared variable was accessed.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// Whether a shared variable was written.
    pub fn writes(&self) -> bool {
        self.variables.iter().any(|&(_, access)| writes(access))
    }

    /// The variables on which this step and a later one race, if nothing comes between the two.
    pub fn races_with<'a>(&'a self, later: &'a Accesses) -> impl Iterator<Item = ObjectId> + 'a {
        let may_race =
            self.actor != later.actor && (self.is_plain || later.is_plain) && !self.made.contains(&later.actor);
        let conflicts = move |&(object, access): &(ObjectId, Access)| {
            let theirs = later.variables.iter().find(|(other, _)| *other == object);
            theirs.filter(|(_, theirs)| writes(access) || writes(*theirs)).map(|_| object)
        };
        self.variables.iter().filter(move |_| may_race).filter_map(conflicts)
    }
}

/// A write of the value that is there already is a write.
fn writes(access: Access) -> bool {
    access.changes() || access.contains(Access::REWRITE)
}

/// A step's accesses, with the words for them.
#[derive(Clone, Debug)]
pub struct ToldAccesses {
    /// What was accessed.
    pub accesses: Accesses,
    /// What the step does.
    description: Description,
    /// The names of its variables, in order.
    names: SmallVec<[String; 2]>,
}

impl ToldAccesses {
    /// Takes a step, and tells what it did.
    pub fn take<S: System>(system: &S, state: &mut S::State, next: Move, step: &mut Step) -> Self {
        let description = system.narrator().describe(state, next.actor, next.outcome);
        step.take(system, state, next);
        step.footprint_mut().seal();
        let accesses = Accesses::of(system, next.actor, step);
        let names = accesses.variables.iter().map(|&(object, _)| system.narrator().object_name(object)).collect();
        ToldAccesses { accesses, description, names }
    }

    /// The races of this step with a later one, if nothing comes between the two; each with its variable.
    pub fn races_with<'a>(&'a self, later: &'a ToldAccesses) -> impl Iterator<Item = (ObjectId, Violation)> + 'a {
        let name = |object| {
            let place = self.accesses.variables.iter().position(|(other, _)| *other == object);
            place.map_or("", |place| self.names[place].as_str())
        };
        self.accesses.races_with(&later.accesses).map(move |object| (object, self.violation(later, name(object))))
    }

    fn violation(&self, later: &ToldAccesses, variable: &str) -> Violation {
        let (one, other) = (self.description.location.as_ref(), later.description.location.as_ref());
        let (one, other) = (one.min(other), one.max(other));
        let mut message = format!("data race on {variable}");
        if let (Some(one), Some(other)) = (one, other) {
            // Writing to a string does not fail.
            let _ = write!(message, " between {} and {}", place(one, None), place(other, Some(one)));
        }
        Violation {
            location: one.cloned(),
            actor: Some(later.accesses.actor),
            ..Violation::new(ViolationKind::Race, message)
        }
    }
}

/// A place, in full where it is in another file than the one before.
fn place(location: &Location, before: Option<&Location>) -> String {
    let Location { file, line, column } = location;
    let is_elsewhere = before.is_some_and(|before| before.file != *file);
    if is_elsewhere { format!("{file}:{line}:{column}") } else { format!("{line}:{column}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    const X: ObjectId = ObjectId(0);

    fn told(actor: u32, access: Access, is_plain: bool, line: u32) -> ToldAccesses {
        let location = Location { file: Arc::from("f.mz"), line, column: 5 };
        ToldAccesses {
            accesses: Accesses {
                actor: ActorId(actor),
                is_plain,
                variables: SmallVec::from_slice(&[(X, access)]),
                made: SmallVec::new(),
            },
            description: Description { text: String::new(), location: Some(location) },
            names: SmallVec::from_iter(["x".to_owned()]),
        }
    }

    #[test]
    fn a_race_needs_two_actors_a_write_and_a_plain_access() {
        let race = |one: &ToldAccesses, other: &ToldAccesses| {
            let forth = one.races_with(other).count();
            assert_eq!(other.races_with(one).count(), forth);
            forth == 1
        };
        let (read, write, rewrite) = (Access::READ, Access::WRITE, Access::REWRITE);
        assert!(race(&told(0, write, true, 1), &told(1, write, true, 2)));
        assert!(race(&told(0, write, true, 1), &told(1, read, false, 2)));
        assert!(race(&told(0, read | write, false, 1), &told(1, read, true, 2)));
        assert!(race(&told(0, rewrite, true, 1), &told(1, read, true, 2)), "a write of what is there is a write");
        assert!(!race(&told(0, read, true, 1), &told(1, read, true, 2)));
        assert!(!race(&told(0, write, false, 1), &told(1, write, false, 2)));
        assert!(!race(&told(0, write, true, 1), &told(0, write, true, 2)));
    }

    #[test]
    fn who_was_made_by_a_step_comes_after_it() {
        let (mut one, other) = (told(0, Access::WRITE, false, 1), told(1, Access::WRITE, true, 2));
        assert_eq!(one.races_with(&other).count(), 1);
        one.accesses.made.push(ActorId(1));
        assert_eq!(one.races_with(&other).count(), 0);
    }

    #[test]
    fn a_race_is_the_same_in_both_orders() {
        let (one, other) = (told(0, Access::WRITE, true, 9), told(1, Access::WRITE, true, 3));
        let both: Vec<Violation> =
            one.races_with(&other).chain(other.races_with(&one)).map(|(_, violation)| violation).collect();
        assert!(both[0].same_site(&both[1]));
        assert_eq!(both[0].message, "data race on x between 3:5 and 9:5");
        assert_eq!(both[0].location.as_ref().map(|location| location.line), Some(3));
    }
}
