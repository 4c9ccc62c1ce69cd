//! Removal of events that are no longer needed (procedure `Remove`), and how long they are kept all the same.
//!
//! Needed are the configuration C, what was explored beside it (D), and what is in conflict with an event of either and
//! with nothing before that event, with all causes: `Q` in the paper. Without these an alternative could be missed.
//! What may follow C is needed as well here, because it is found only once, when C grows.
//!
//! All other events are the paper's cache `G`: an event that comes up again while it is there need not be made again.
//! The paper moves events to it one by one. Here they just stay, and are forgotten all at once when they have become
//! too many; an alternative that is found with their help is one all the same. The bound is on the number of events,
//! and twice what is needed always has room, so that forgetting takes little time.

use super::events::{EventId, Events};
use super::path::Path;
use crate::shared::bits::Bits;

/// How many events are kept in any case.
const ROOM: usize = 256;

/// When to forget.
pub(super) struct Removal {
    /// The number of events from which on they are forgotten.
    limit: usize,
}

impl Removal {
    pub(super) fn new() -> Self {
        Removal { limit: ROOM }
    }

    /// Forgets what is not needed, if it has become too much. `pending` is what the nodes of the search still refer to.
    pub(super) fn tidy<K>(&mut self, events: &mut Events, path: &mut Path<K>, pending: impl Iterator<Item = EventId>) {
        if events.len() < self.limit {
            return;
        }
        let needed = needed(events, path, pending);
        self.limit = ROOM.max(2 * needed.len());
        events.retain(&needed);
        path.retain(&needed);
    }
}

/// What may not be forgotten.
fn needed<K>(events: &Events, path: &Path<K>, pending: impl Iterator<Item = EventId>) -> Bits {
    let configuration = &path.configuration;
    let (mut needed, mut explored) = (configuration.clone(), Bits::default());
    let mut include = |event: EventId| {
        if !needed.contains(event) {
            events.include(&mut needed, event);
        }
    };
    for event in pending.filter(|&event| explored.insert(event)) {
        include(event);
        events.rivals(event).iter().for_each(|&rival| include(rival));
    }
    // What may turn out to be a rival of a member: it has no conflict with anything before.
    let mut barred = Bits::default();
    for more in path.barred_in_turn() {
        barred.extend(more.iter().copied());
        more.iter().filter(|&&event| !events.causes(event).meets(&barred)).for_each(|&event| include(event));
    }
    let firsts = path.actors.iter().flat_map(|&actor| events.attempts_after(None, actor));
    let others = path.events().flat_map(|event| events.attempts_after(Some(event), events.step(event).actor));
    for &attempt in firsts.chain(others) {
        let attempt = events.attempt(attempt);
        if attempt.causes.is_within(configuration) {
            attempt.events.iter().for_each(|&event| include(event));
        }
    }
    needed
}
