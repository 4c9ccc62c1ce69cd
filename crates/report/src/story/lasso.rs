//! How an execution without end goes on, in words.

use mazurka_core::{ActorId, ActorKind, ClassId, Ending, Fairness, Lap, Schedule, System, class_name, fairness_of};

/// Names beyond this many are counted.
const MOST_NAMES: usize = 4;

/// How an execution goes on for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldLasso {
    /// The index of the row with which the loop begins; the number of rows if the program stands still after the last one.
    pub from: usize,
    /// Why nothing happens any more, if the program stands still, in one sentence without a full stop.
    pub still: Option<String>,
    /// Who moves, who could and does not, and who cannot, in one sentence without a full stop.
    pub why: String,
    /// With which fairness it would not be so, in one sentence without a full stop, where that is known.
    pub remedy: Option<String>,
}

impl ToldLasso {
    /// Follows the loop of a schedule; `None` if it has none.
    pub(super) fn of<S: System>(system: &S, schedule: &Schedule) -> Option<ToldLasso> {
        let lasso = schedule.lasso.as_ref()?;
        let lap = Lap::follow(system, schedule)?;
        let still = (lasso.from == schedule.moves.len()).then(|| standstill(system, &lap));
        let why = still.clone().unwrap_or_else(|| round(system, &lap, lasso.fairness));
        Some(ToldLasso { from: lasso.from, still, why, remedy: lasso.remedy.clone() })
    }
}

/// Why nothing happens any more.
fn standstill<S: System>(system: &S, lap: &Lap) -> String {
    match &lap.ending {
        Some(Ending::Deadlock(deadlock)) => format!("no actor can move any more: {}", deadlock.message),
        Some(_) => "everything that was to be done is done".to_owned(),
        None => {
            let able: Vec<ClassId> = lap.able.keys().copied().collect();
            format!("nothing has to happen any more: {} may rest", names(system, &able))
        }
    }
}

/// Who moves round and round, and what becomes of the others.
fn round<S: System>(system: &S, lap: &Lap, all: Option<Fairness>) -> String {
    let moving: Vec<ClassId> = lap.moves.keys().copied().collect();
    let who = names(system, &moving);
    let mut parts = vec![match moving.len() {
        1 => format!("{who} goes round for ever"),
        _ => format!("{who} take turns for ever"),
    }];
    let rests = |class: &ClassId| !lap.moves.contains_key(class);
    let is_fair = |class: ClassId| fairness_of(system, class, all) != Fairness::None;
    // A fair class that never moves can move in some states of the loop and not in others.
    for (&class, states) in lap.able.iter().filter(|(class, _)| rests(class) && is_fair(**class)).take(MOST_NAMES) {
        let (name, all) = (class_name(system, class), lap.states);
        parts
            .push(format!("{name} can move in {states} of the loop's {all} states only, and always misses its chance"));
    }
    let idle: Vec<ClassId> = lap.able.keys().copied().filter(|&class| rests(&class) && !is_fair(class)).collect();
    if !idle.is_empty() {
        let verb = if idle.len() == 1 { "does" } else { "do" };
        parts.push(format!("{} can move and {verb} not have to", names(system, &idle)));
    }
    let waits = |class: &ClassId| rests(class) && !lap.able.contains_key(class) && !is_event(system, *class);
    let waiting: Vec<ClassId> = lap.blocked.keys().copied().filter(|class| waits(class)).collect();
    if !waiting.is_empty() {
        let verb = if waiting.len() == 1 { "waits" } else { "wait" };
        parts.push(format!("{} {verb} all the time", names(system, &waiting)));
    }
    parts.join("; ")
}

fn is_event<S: System>(system: &S, class: ClassId) -> bool {
    matches!(class, ClassId::Actor(ActorId(actor)) if system.actor(ActorId(actor)) == ActorKind::Event)
}

/// `a, b and c`.
fn names<S: System>(system: &S, classes: &[ClassId]) -> String {
    let mut names: Vec<String> = classes.iter().take(MOST_NAMES).map(|&class| class_name(system, class)).collect();
    if classes.len() > MOST_NAMES {
        names.push(format!("{} more", classes.len() - MOST_NAMES));
    }
    match &names[..] {
        [] => "nobody".to_owned(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}
