//! What a reduction is worth depends on what a step costs: `stateful` beside `exhaustive` where a fifth of the
//! transitions is left out.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --bench step_cost` prints a table. To find out which actors need not
//! be tried takes some hundred nanoseconds for each transition, whatever the transition does. A step of a `.mz` program
//! takes about as long, one of a program that computes something takes much longer. Both engines run on one thread,
//! `exhaustive` stands first, and each figure is the best of five runs. Nothing is asserted about time.

use mazurka_benches::stateful_beside_exhaustive;
use mazurka_core::{ActorId, ObjectId, Step, System, Traits};
use std::time::{Duration, Instant};

const NANOSECONDS: [u64; 6] = [0, 300, 1_000, 3_000, 10_000, 30_000];

/// Two threads that add up what they read of each other, after the program `fib` of the unfolding paper.
struct Adders {
    rounds: u8,
    /// What each step takes beside what it does.
    cost: Duration,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    steps: [u8; 2],
    kept: [i64; 2],
    shared: [i64; 2],
}

const SHARED: [ObjectId; 2] = [ObjectId(0), ObjectId(1)];

impl System for Adders {
    type State = State;

    fn initial_states(&self) -> Vec<State> {
        vec![State { steps: [0; 2], kept: [0; 2], shared: [1; 2] }]
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        let has_steps = |&index: &usize| state.steps[index] < 2 * self.rounds;
        into.extend((0..2).filter(has_steps).map(|index| ActorId(index as u32)));
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        let started = Instant::now();
        while started.elapsed() < self.cost {}
        let mine = actor.index();
        match (mine, state.steps[mine] % 2) {
            (_, 0) => {
                step.read(SHARED[1]);
                state.kept[mine] = state.shared[1];
            }
            (0, _) => {
                step.read(SHARED[0]);
                step.write(SHARED[0]);
                state.shared[0] += state.kept[0];
            }
            _ => {
                step.read(SHARED[0]);
                step.write(SHARED[1]);
                state.shared[1] = state.kept[1] + state.shared[0];
            }
        }
        state.steps[mine] += 1;
    }

    /// No actor is ever blocked.
    fn traits(&self) -> Traits {
        Traits { threads: true, terminates: true, tells_blocked: true, ..Traits::default() }
    }
}

fn main() {
    println!("{:>12} {:>16} {:>18} {:>12} {:>14}", "ns of a step", "transitions", "ms", "times each", "times in total");
    for cost in NANOSECONDS {
        let best = stateful_beside_exhaustive(&Adders { rounds: 5, cost: Duration::from_nanos(cost) });
        let total = best[1].1 / best[0].1;
        println!(
            "{cost:>12} {:>16} {:>18} {:>12.2} {total:>14.2}",
            format!("{} / {}", best[0].0, best[1].0),
            format!("{:.1} / {:.1}", best[0].1 * 1e3, best[1].1 * 1e3),
            total * best[0].0 as f64 / best[1].0 as f64,
        );
    }
}
