//! Which actor waits for which, where no actor can move.

use mazurka_core::{ActorId, Awaited, Footprint, Location, ObjectId, ObjectKind, Outcome, System};

/// An actor that waits in a deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The actor that waits.
    pub actor: String,
    /// What it wants to do, as the source has it.
    pub text: String,
    /// Where the source has it.
    pub location: Option<Location>,
    /// What it waits for.
    pub awaited: Waited,
    /// The locks and the like that it holds.
    pub holds: Vec<String>,
}

/// What an actor waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waited {
    /// An object, with its holder if that is known.
    Object {
        /// The object.
        name: String,
        /// Its holder.
        holder: Option<String>,
    },
    /// The end of another actor.
    End(String),
    /// A signal, from any actor.
    Signal,
}

impl Waited {
    /// The actor that would have to move first.
    pub fn actor(&self) -> Option<&str> {
        match self {
            Waited::Object { holder, .. } => holder.as_deref(),
            Waited::End(actor) => Some(actor),
            Waited::Signal => None,
        }
    }

    /// What it waits for, in a few words.
    pub fn words(&self) -> String {
        match self {
            Waited::Object { name, .. } => name.clone(),
            Waited::End(actor) => format!("the end of {actor}"),
            Waited::Signal => "a signal".to_owned(),
        }
    }
}

/// All actors that are stuck in a state in which no actor can move. `footprints` are those of the steps that led there: what
/// was never touched is held by no actor.
pub(crate) fn waits<S: System>(system: &S, state: &S::State, footprints: &[Footprint]) -> Vec<Wait> {
    let mut touched: Vec<ObjectId> =
        footprints.iter().flat_map(|footprint| footprint.touches()).map(|touch| touch.object).collect();
    touched.sort_unstable();
    touched.dedup();
    let in_hand = |actor: ActorId| {
        let objects = touched.iter().filter(|&&object| is_taken(system.object(object).kind));
        let held = objects.filter(|&&object| system.insight().holder(state, object) == Some(actor));
        held.map(|&object| system.narrator().object_name(object)).collect()
    };
    let mut waits = Vec::new();
    system.blocked(state, &[], &mut |actor, obstacle| {
        if let Some(awaited) =
            obstacle(&mut Footprint::default()).and_then(|awaited| waited(system, state, actor, awaited))
        {
            let description = system.narrator().describe(state, actor, Outcome::FIRST);
            waits.push(Wait {
                actor: system.narrator().actor_name(actor),
                text: description.text,
                location: description.location,
                awaited,
                holds: in_hand(actor),
            });
        }
    });
    waits
}

/// Whether a thing of this kind is acquired and released.
fn is_taken(kind: ObjectKind) -> bool {
    matches!(kind, ObjectKind::Lock | ObjectKind::Handler)
}

/// What an actor waits for; `None` for an event that cannot happen, which is no reason to be stuck.
pub(crate) fn waited<S: System>(system: &S, state: &S::State, actor: ActorId, awaited: Awaited) -> Option<Waited> {
    let object = awaited.object();
    let holder = system.insight().holder(state, object);
    match system.object(object).kind {
        ObjectKind::Life if holder == Some(actor) => Some(Waited::Signal),
        ObjectKind::Life => holder.map(|holder| Waited::End(system.narrator().actor_name(holder))),
        kind if is_taken(kind) => Some(Waited::Object {
            name: system.narrator().object_name(object),
            holder: holder.map(|holder| system.narrator().actor_name(holder)),
        }),
        _ => None,
    }
}

/// A line for each actor that waits: what it holds and what it waits for, and then the cycle if there is one.
pub(crate) fn waits_in_words(waits: &[Wait]) -> Vec<String> {
    let mut lines: Vec<String> = waits.iter().map(wait_in_words).collect();
    lines.extend(cycle_of_names(waits).map(|cycle| format!("a cycle: {cycle}")));
    lines
}

fn wait_in_words(wait: &Wait) -> String {
    let holds =
        if wait.holds.is_empty() { "holds nothing".to_owned() } else { format!("holds {}", wait.holds.join(", ")) };
    format!("{} {holds}, waits for {}", wait.actor, wait.awaited.words())
}

/// The actors that wait for each other, as `a → b → a`.
pub(crate) fn cycle_of_names(waits: &[Wait]) -> Option<String> {
    let mut names: Vec<&str> = cycle(waits).into_iter().map(|index| waits[index].actor.as_str()).collect();
    names.push(names.first()?);
    Some(names.join(" → "))
}

/// Why actors that wait for each other cannot go on: the order in which each of them acquires what it needs.
pub(crate) fn cycle_in_words(waits: &[Wait]) -> Option<String> {
    let cycle = cycle(waits);
    let last = *cycle.last()?;
    if let [alone] = cycle.as_slice() {
        let Wait { actor, awaited, .. } = &waits[*alone];
        return Some(match awaited {
            Waited::End(_) => format!("{actor} waits for its own end"),
            _ => format!("{actor} takes {} while it holds it already", awaited.words()),
        });
    }
    // Each one holds what the one before it in the cycle waits for.
    let before = std::iter::once(last).chain(cycle.iter().copied());
    let sides: Vec<String> = cycle
        .iter()
        .zip(before)
        .map(|(&index, before)| {
            let (Wait { actor, awaited, .. }, held) = (&waits[index], &waits[before].awaited);
            match (held, awaited) {
                (Waited::Object { name, .. }, Waited::Object { name: wanted, .. }) => {
                    format!("{actor} takes {name} before {wanted}")
                }
                (Waited::Object { name, .. }, _) => format!("{actor} holds {name} and waits for {}", awaited.words()),
                _ => format!("{actor} waits for {}", awaited.words()),
            }
        })
        .collect();
    Some(format!("{}: a cycle", sides.join(", ")))
}

/// The actors that wait for each other in a cycle, by their places in `waits`: each for the next, the last for the
/// first.
pub fn cycle(waits: &[Wait]) -> Vec<usize> {
    let next = |index: usize| {
        let other = waits[index].awaited.actor()?;
        waits.iter().position(|wait| wait.actor == other)
    };
    for start in 0..waits.len() {
        let mut path = vec![start];
        while let Some(after) = path.last().and_then(|&last| next(last)) {
            if after == start {
                return path;
            }
            if path.contains(&after) {
                break;
            }
            path.push(after);
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::Threads;

    #[test]
    fn crossed_locks_are_a_cycle() {
        let story = Threads::crossed_locks().tell(&[0, 1], 2);
        let told: Vec<_> = story
            .waits
            .iter()
            .map(|wait| (wait.actor.as_str(), wait.holds.join(","), wait.awaited.words(), wait.awaited.actor()))
            .collect();
        assert_eq!(
            told,
            [
                ("T1", "lock 0".to_owned(), "lock 1".to_owned(), Some("T2")),
                ("T2", "lock 1".to_owned(), "lock 0".to_owned(), Some("T1"))
            ]
        );
        assert_eq!(cycle(&story.waits), [0, 1]);
    }

    #[test]
    fn a_chain_that_leads_into_a_cycle_is_not_part_of_it() {
        let wait = |actor: &str, other: &str| Wait {
            actor: actor.to_owned(),
            text: String::new(),
            location: None,
            awaited: Waited::End(other.to_owned()),
            holds: Vec::new(),
        };
        assert_eq!(cycle(&[wait("a", "b"), wait("b", "c"), wait("c", "b")]), [1, 2]);
        assert_eq!(cycle(&[wait("a", "a")]), [0]);
        assert_eq!(cycle(&[wait("a", "b"), wait("b", "nobody")]), [0; 0]);
    }
}
