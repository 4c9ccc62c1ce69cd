//! Violations with one race behind them, told together.

use crate::Story;
use mazurka_core::Location;

/// A racing step: where it stands, or what it says where that is not known.
type RacingStep<'a> = (Option<&'a Location>, &'a str);

/// The stories by their races, as places in the list: stories whose two deciding steps stand at the same places are one
/// group, in the order of their first members; a story without a race is a group of its own.
pub(crate) fn by_race(stories: &[Story]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Option<[RacingStep<'_>; 2]>, Vec<usize>)> = Vec::new();
    for (index, story) in stories.iter().enumerate() {
        let race = sides(story);
        match groups.iter_mut().find(|(known, _)| race.is_some() && *known == race) {
            Some((_, members)) => members.push(index),
            None => groups.push((race, vec![index])),
        }
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

/// The two racing steps, whichever came first.
fn sides(story: &Story) -> Option<[RacingStep<'_>; 2]> {
    let row = |index: usize| story.rows.get(index).map(|row| side(row.location.as_ref(), &row.text));
    let mut sides = match (&story.race, &story.early) {
        (Some(race), _) => [row(race.first)?, row(race.second)?],
        (None, Some(early)) => [row(early.step)?, side(early.location.as_ref(), &early.text)],
        (None, None) => return None,
    };
    sides.sort();
    Some(sides)
}

fn side<'a>(location: Option<&'a Location>, text: &'a str) -> RacingStep<'a> {
    match location {
        Some(location) => (Some(location), ""),
        None => (None, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::Threads;

    #[test]
    fn one_race_is_one_group_in_whatever_order() {
        let (threads, locks) = (Threads::three(), Threads::crossed_locks());
        let (one, deadlock) = (threads.tell(&[2, 2, 0, 0], 4), locks.tell(&[0, 1], 2));
        let other_race = threads.tell(&[1, 0, 0], 3);
        let mut reversed = one.clone();
        if let Some(race) = &mut reversed.race {
            (race.first, race.second) = (race.second, race.first);
        }
        let stories = [one, deadlock.clone(), other_race, reversed, deadlock];
        assert_eq!(by_race(&stories), [vec![0, 3], vec![1], vec![2], vec![4]]);
    }
}
