//! A schedule followed once more: what its steps did, and a time for each of them.
//!
//! The times are the earliest ones that the clocks allow, with some room between any two steps. They are found as the longest
//! paths of a graph of differences (Bellman and Ford): an edge is a least or a most time between two steps.

use super::stage::Happened;
use super::state::{RunId, State, Status};
use super::system::{Doing, Model, Who};
use super::zone::Key;
use mazurka_core::{Move, Step, System};
use rustc_hash::FxHashMap;

/// How many milliseconds there are between two steps, if they can be: the first ones that can.
const ROOM: [i64; 5] = [2_000, 1_000, 100, 10, 0];

/// A schedule that was followed.
pub(crate) struct Followed {
    /// The second of the day at which it begins.
    pub(crate) start: i64,
    /// When each step happens, in milliseconds from then on.
    pub(crate) times: Vec<i64>,
    pub(crate) steps: Vec<Happened>,
    /// The state at the end.
    pub(crate) end: State,
    /// The calls of devices, in the order in which they began: the steps in which they began and ended.
    pub(crate) calls: Vec<(usize, Option<usize>)>,
}

/// A clock that runs: the moment at which it was started, when it goes off at the latest, and at the earliest.
type FollowedClock = (usize, Option<i64>, i64);

impl Model {
    pub(crate) fn follow(&self, moves: &[Move]) -> Followed {
        let start = if self.layout.times.is_empty() { 43_200 } else { 0 };
        let mut state = self.initial_states().remove(0);
        let mut table = Timetable::default();
        let mut clocks: FxHashMap<Key, FollowedClock> = FxHashMap::default();
        let (mut steps, mut day) = (Vec::new(), 0);
        let mut calls: Vec<(usize, Option<usize>)> = Vec::new();
        let mut open: Vec<(RunId, usize)> = Vec::new();
        for key in state.zone.keys() {
            clocks.insert(key, (0, state.zone.deadline(key), state.zone.earliest(key)));
        }
        for (number, next) in moves.iter().enumerate() {
            let moment = number + 1;
            for (since, deadline, _) in clocks.values() {
                if let Some(deadline) = deadline {
                    table.at_most(*since, moment, *deadline);
                }
            }
            let key = self.key_of(next.actor);
            if let Some((since, _, earliest)) = key.and_then(|key| clocks.get(&key)) {
                table.at_least(*since, moment, *earliest);
            }
            if let Who::Run(id) = self.who(next.actor)
                && let Some(Status::Call(_)) = state.run(id).map(|run| &run.status)
                && let Some(at) = open.iter().position(|(run, _)| *run == id)
            {
                let (_, call) = open.remove(at);
                calls[call] = (calls[call].0, Some(number));
            }
            let is_day = matches!(self.who(next.actor), Who::Doing((Doing::Day, _)));
            let mut step = Step::without_footprint();
            step.begin(next.outcome);
            let happened = self.perform_step(&mut state, next.actor, &mut step, true);
            for &(key, length, is_older) in &happened.assumed {
                if let Some((since, ..)) = clocks.get(&key) {
                    if is_older {
                        table.at_least(*since, moment, length);
                    } else {
                        table.at_most(*since, moment, length - 1);
                    }
                }
            }
            if is_day {
                let part = state.marks[self.day_mark() as usize];
                day += i64::from(part == 0);
                let at = (day * 86_400 + self.part_start(part) - start) * 1000;
                table.at_least(0, moment, at);
                table.at_most(0, moment, at);
            }
            for &(old, new) in &happened.moved {
                if let Some(clock) = clocks.remove(&Key::Run(old.0, old.1)) {
                    clocks.insert(Key::Run(new.0, new.1), clock);
                }
                open.iter_mut().filter(|(run, _)| *run == old).for_each(|(run, _)| *run = new);
            }
            for &run in &happened.called {
                open.push((run, calls.len()));
                calls.push((number, None));
            }
            let running: Vec<Key> = state.zone.keys().collect();
            for &key in &running {
                if happened.started.contains(&key) || !clocks.contains_key(&key) {
                    clocks.insert(key, (moment, state.zone.deadline(key), state.zone.earliest(key)));
                }
            }
            clocks.retain(|key, _| running.contains(key));
            steps.push(happened);
        }
        let times = ROOM.iter().find_map(|room| table.solve(moves.len(), *room));
        let times = times.unwrap_or_else(|| (0..moves.len() as i64).map(|number| number * 1000).collect());
        Followed { start, times, steps, end: state, calls }
    }
}

/// Bounds of the time between two moments; moment 0 is the start, moment 1 the first step.
#[derive(Default)]
struct Timetable {
    /// From, to, and the least time between them.
    edges: Vec<(usize, usize, i64)>,
}

impl Timetable {
    fn at_least(&mut self, from: usize, to: usize, length: i64) {
        self.edges.push((from, to, length));
    }

    fn at_most(&mut self, from: usize, to: usize, length: i64) {
        self.edges.push((to, from, -length));
    }

    /// The earliest times of this many steps with that much room between them; nothing if there are none.
    fn solve(&self, count: usize, room: i64) -> Option<Vec<i64>> {
        let mut times = vec![0; count + 1];
        let order = (0..count).map(|moment| (moment, moment + 1, room));
        let edges: Vec<(usize, usize, i64)> = self.edges.iter().copied().chain(order).collect();
        for _ in 0..=count + 1 {
            let mut changed = false;
            for &(from, to, length) in &edges {
                if times[from] + length > times[to] {
                    times[to] = times[from] + length;
                    changed = true;
                }
            }
            if times[0] > 0 {
                return None;
            }
            if !changed {
                return Some(times.split_off(1));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_get_the_earliest_times_with_room_between_them() {
        let mut table = Timetable::default();
        // The second step is at most 5 s after the first, the third exactly 10 s after the first.
        table.at_most(1, 2, 5_000);
        table.at_least(1, 3, 10_000);
        table.at_most(1, 3, 10_000);
        assert_eq!(table.solve(3, 2_000), Some(vec![2_000, 4_000, 12_000]));
        assert_eq!(table.solve(3, 6_000), None);
        assert_eq!(table.solve(3, 0), Some(vec![0, 0, 10_000]));
    }
}
