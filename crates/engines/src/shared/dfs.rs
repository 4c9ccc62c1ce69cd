//! The depth-first driver: what searches along executions have in common.
//!
//! A search stands in a state at the end of a path. It takes a step there and goes on from the next state, until the path
//! ends; then it returns to the last state of the path with something left to do, and brings the program back there.

use mazurka_core::StopReason;

/// What is to be done in the last state of the path.
pub(crate) enum Next<T> {
    /// Take this step.
    Take(T),
    /// A step was settled without being taken: ask again.
    Again,
    /// Nothing is left: the state leaves the path.
    Close,
}

/// A depth-first search.
pub(crate) trait DepthFirst {
    /// A step to be taken.
    type Choice;

    /// Whether there is no state on the path any more, or the search has to end for another reason.
    fn is_done(&self) -> bool;

    /// What is to be done in the last state of the path.
    fn next(&mut self) -> Result<Next<Self::Choice>, StopReason>;

    /// Brings the program back to the last state of the path.
    fn rewind(&mut self);

    /// Takes a step from the last state of the path; true if the state that it leads to was added to the path.
    fn take(&mut self, choice: Self::Choice) -> Result<bool, StopReason>;

    /// The last state of the path leaves it.
    fn close(&mut self);
}

/// Searches to the end. `at_end_of_path` says whether the program stands in the last state of the path.
pub(crate) fn walk<D: DepthFirst>(search: &mut D, mut at_end_of_path: bool) -> Result<(), StopReason> {
    while !search.is_done() {
        match search.next()? {
            Next::Take(choice) => {
                if !at_end_of_path {
                    search.rewind();
                }
                at_end_of_path = search.take(choice)?;
            }
            Next::Again => at_end_of_path = false,
            Next::Close => {
                search.close();
                at_end_of_path = false;
            }
        }
    }
    Ok(())
}
