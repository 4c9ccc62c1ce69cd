//! Addresses. An address is a number: a space and a place in it. It depends on what it is the address of and on what the
//! actor that made it did, never on how threads were interleaved; and it survives all that a program does to numbers.

use crate::code::NONE;

/// How many bits the place has.
const PLACE_BITS: u32 = 36;

/// The space of variables.
pub(crate) const GLOBALS: u64 = 1;
/// The space of constants, which are in no state.
pub(crate) const CONSTANTS: u64 = 2;
/// Functions, by number.
pub(crate) const FUNCTIONS: u64 = 3;
/// The first space of the first actor. Each has three.
const ACTORS: u64 = 4;

/// The spaces of an actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Region {
    /// What it allocated.
    Heap,
    /// Local variables that others may see, and the thread's own variables.
    Shared,
    /// Local variables that no other actor can see.
    Private,
}

/// The address of a place in a space.
#[inline]
pub(crate) fn address(space: u64, place: u64) -> u64 {
    space << PLACE_BITS | place
}

/// The space of an address.
#[inline]
pub(crate) fn space(address: u64) -> u64 {
    address >> PLACE_BITS
}

/// The place of an address in its space.
#[inline]
pub(crate) fn offset(address: u64) -> u64 {
    address & ((1 << PLACE_BITS) - 1)
}

/// An actor's space.
#[inline]
pub(crate) fn space_of(actor: u32, region: Region) -> u64 {
    ACTORS + 3 * u64::from(actor) + region as u64
}

/// Whose space, and which.
#[inline]
pub(crate) fn owner(space: u64) -> Option<(u32, Region)> {
    let number = space.checked_sub(ACTORS)?;
    let region = match number % 3 {
        0 => Region::Heap,
        1 => Region::Shared,
        _ => Region::Private,
    };
    let actor = u32::try_from(number / 3).unwrap_or(NONE);
    Some((actor, region))
}

/// Whether no other actor can see what is at an address.
#[inline]
pub(crate) fn is_hidden(address: u64) -> bool {
    let space = space(address);
    space == CONSTANTS || space >= ACTORS && (space - ACTORS) % 3 == 2
}
