//! A place: where an execution stands, as a short text.
//!
//! `0-2.1~3.0` begins in initial state 0; then the third of the actors that can move there moves, then the second one with
//! outcome 3, then the first one. The text stands in addresses, so it has neither names nor anything that a browser writes
//! in another way. It belongs to the program as it is: what lasts longer is a saved schedule, which has names.

use std::fmt;
use std::str::FromStr;

/// The most steps that lead to a place.
pub const MOST_STEPS: usize = 10_000;

/// How a step is chosen at a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Turn {
    /// Which of the actors that can move, from 0.
    pub actor: u32,
    /// Which outcome the step takes, where it has a choice.
    pub outcome: u64,
}

/// Where an execution stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Waypoint {
    /// Which of the initial states.
    pub start: usize,
    /// The steps since then.
    pub turns: Vec<Turn>,
}

/// Why there is no such place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoWaypoint {
    /// The text is none.
    #[error("expected a place such as `0-2.1`, the number of an initial state and then those of the actors that move")]
    Malformed,
    /// There are too many steps.
    #[error("a place may be {MOST_STEPS} steps away, and not more")]
    TooFar,
    /// The program has fewer initial states.
    #[error("there is no initial state {start}: the program has {states}")]
    NoSuchStart {
        /// Which one, from 0.
        start: usize,
        /// How many there are.
        states: usize,
    },
    /// Fewer actors can move.
    #[error("step {step}: there is no actor {actor}, {able} can move here")]
    NoSuchActor {
        /// The step's number, from 1.
        step: usize,
        /// Which actor, from 0.
        actor: u32,
        /// How many can move.
        able: usize,
    },
    /// The step has no such outcome.
    #[error("step {step}: there is no outcome {outcome}")]
    NoSuchOutcome {
        /// The step's number, from 1.
        step: usize,
        /// Which outcome.
        outcome: u64,
    },
}

impl FromStr for Waypoint {
    type Err = NoWaypoint;

    fn from_str(text: &str) -> Result<Waypoint, NoWaypoint> {
        let (start, turns) = match text.split_once('-') {
            Some((start, turns)) => (start, Some(turns)),
            None => (text, None),
        };
        let turns = turns.map_or_else(Vec::new, |turns| turns.split('.').collect());
        if turns.len() > MOST_STEPS {
            return Err(NoWaypoint::TooFar);
        }
        let turns: Result<_, _> = turns.into_iter().map(Turn::from_str).collect();
        Ok(Waypoint { start: number(start)?, turns: turns? })
    }
}

impl FromStr for Turn {
    type Err = NoWaypoint;

    fn from_str(text: &str) -> Result<Turn, NoWaypoint> {
        let (actor, outcome) = text.split_once('~').unwrap_or((text, "0"));
        Ok(Turn { actor: number(actor)?, outcome: number(outcome)? })
    }
}

/// Digits and nothing else.
fn number<N: FromStr>(text: &str) -> Result<N, NoWaypoint> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number).ok_or(NoWaypoint::Malformed)
}

impl fmt::Display for Waypoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.start)?;
        for (turn, sign) in self.turns.iter().zip(std::iter::once('-').chain(std::iter::repeat('.'))) {
            write!(f, "{sign}{turn}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.outcome {
            0 => write!(f, "{}", self.actor),
            outcome => write!(f, "{}~{outcome}", self.actor),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_place_is_written_as_it_is_read() {
        for text in ["0", "3", "0-2", "0-2.1~3.0", "1-0.0.0~18446744073709551615"] {
            assert_eq!(text.parse::<Waypoint>().map(|place| place.to_string()), Ok(text.to_owned()));
        }
        let place: Waypoint = "0-2.1~3".parse().expect("it is a place");
        assert_eq!(place.turns, [Turn { actor: 2, outcome: 0 }, Turn { actor: 1, outcome: 3 }]);
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for text in ["", "-", "0-", "0-.", "a", "+1", "0-1.", "0-1..2", "0-1~", "0-~1", "0-4294967296", "0 -1", "0-1\n"]
        {
            assert_eq!(text.parse::<Waypoint>(), Err(NoWaypoint::Malformed), "{text:?}");
        }
        let far = format!("0-{}0", "0.".repeat(MOST_STEPS));
        assert_eq!(far.parse::<Waypoint>(), Err(NoWaypoint::TooFar));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[0-9.~-]{0,40}|.{0,40}") {
            if let Ok(place) = text.parse::<Waypoint>() {
                prop_assert_eq!(place.to_string().parse::<Waypoint>(), Ok(place));
            }
        }
    }
}
