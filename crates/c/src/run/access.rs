//! Memory: where an address is, what is there, and what touching it means.

use super::{Done, Run, crash};
use crate::code::NONE;
use crate::ir::{Order, masked};
use crate::memory::{CONSTANTS, FUNCTIONS, GLOBALS, Region, is_hidden, offset, owner, space};
use crate::model::Model;
use crate::state::{Block, Head, View};
use mazurka_core::{Access, ObjectId};

/// What stands in memory that was never set, if that is looked for. The same by chance is possible and not to be expected.
pub(crate) const UNSET: u64 = 0xc5a3_9e71_d24b_8f36;

/// Where the bytes of an address are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the words of the state, counted in bytes.
    State(usize),
    /// Among the constants.
    Constant(usize),
}

/// Where this many bytes are, or why they cannot be accessed.
pub(crate) fn locate(
    model: &Model,
    view: View<'_>,
    own: Option<(u32, usize, &Head)>,
    address: u64,
    size: u64,
) -> Result<Place, &'static str> {
    let (space, place) = (space(address), offset(address));
    let program = model.program();
    match space {
        GLOBALS => {
            let word = program.global_words.get(place as usize / 8).filter(|word| word.variable != NONE);
            let Some(word) = word else { return Err(OUTSIDE) };
            let variable = &program.variables[word.variable as usize];
            if place + size > u64::from(variable.address) + u64::from(variable.size) {
                return Err(OUTSIDE);
            }
            Ok(Place::State(8 * word.storage as usize + place as usize % 8))
        }
        CONSTANTS => {
            let number = program.constant_words.get(place as usize / 8).copied().filter(|&number| number != NONE);
            let Some(variable) = number.map(|number| &program.variables[number as usize]) else { return Err(OUTSIDE) };
            if place + size > u64::from(variable.address) + u64::from(variable.size) {
                return Err(OUTSIDE);
            }
            Ok(Place::Constant(place as usize))
        }
        0 if place < 4096 => Err("a null pointer is used"),
        0 => Err("a number is used as a pointer"),
        FUNCTIONS => Err("a function is used as data"),
        _ => {
            let Some((actor, region)) = owner(space) else { return Err("a number is used as a pointer") };
            let found;
            let (at, head) = match own {
                Some((own, at, head)) if own == actor => (at, head),
                _ => match view.actor(actor) {
                    Some(entry) => {
                        found = view.head(entry);
                        (entry.at, &found)
                    }
                    None if region == Region::Heap => return Err(FREED),
                    None => return Err(RETURNED),
                },
            };
            match region {
                Region::Heap => locate_block(view.words, at, head, place, size).ok_or_else(|| {
                    // A block that is in use has room for the place, but not for all of the access.
                    let is_used = locate_block(view.words, at, head, place, 0).is_some();
                    if !is_used && model.blocks().was_in_block(actor, place) { FREED } else { BEYOND }
                }),
                Region::Shared => locate_stack(at + head.shared_at(), head.shared_words, place, size),
                Region::Private => locate_stack(at + head.private_at(), head.private_words, place, size),
            }
        }
    }
}

const OUTSIDE: &str = "an access outside of all variables";
const FREED: &str = "memory is used after it was freed";
const BEYOND: &str = "an access outside of all blocks of memory";
const RETURNED: &str = "a local variable is used after its function has returned";

fn locate_stack(start: usize, words: u32, place: u64, size: u64) -> Result<Place, &'static str> {
    if place + size > 8 * u64::from(words) {
        return Err(RETURNED);
    }
    Ok(Place::State(8 * start + place as usize))
}

fn locate_block(words: &[u64], at: usize, head: &Head, place: u64, size: u64) -> Option<Place> {
    let mut start = at + head.heap_at();
    let blocks = &words[at + head.blocks_at()..at + head.heap_at()];
    for &block in blocks {
        let block = Block::unpack(block);
        // The space behind a block belongs to none.
        if place >= block.place && place < block.place + block.size.max(1) {
            if !block.is_alive || place + size > block.place + block.size {
                break;
            }
            return Some(Place::State(8 * start + (place - block.place) as usize));
        }
        start += block.words();
    }
    None
}

/// This many bytes in words, from a byte on.
pub(crate) fn read_words(words: &[u64], at: usize, size: u8) -> u64 {
    let (word, shift) = (at / 8, 8 * (at % 8) as u32);
    let low = words[word] >> shift;
    let value = if at % 8 + size as usize > 8 { low | words[word + 1] << (64 - shift) } else { low };
    masked(value, 8 * size)
}

fn write_words(words: &mut [u64], at: usize, size: u8, value: u64) {
    let (word, shift) = (at / 8, 8 * (at % 8) as u32);
    let mask = masked(u64::MAX, 8 * size);
    words[word] = words[word] & !(mask << shift) | (value & mask) << shift;
    if at % 8 + size as usize > 8 {
        let back = 64 - shift;
        words[word + 1] = words[word + 1] & !(mask >> back) | (value & mask) >> back;
    }
}

/// What is at an address, for those who only look.
pub(crate) fn peek(model: &Model, view: View<'_>, address: u64, size: u8) -> Option<u64> {
    match locate(model, view, None, address, u64::from(size)).ok()? {
        Place::State(at) => Some(read_words(view.words, at, size)),
        Place::Constant(at) => {
            let mut bytes = [0; 8];
            bytes[..size as usize].copy_from_slice(model.program().constant_bytes.get(at..at + size as usize)?);
            Some(u64::from_le_bytes(bytes))
        }
    }
}

/// Visits the objects of this many bytes.
pub(crate) fn for_each_object(model: &Model, address: u64, size: u64, mut visit: impl FnMut(ObjectId)) {
    if size == 0 || is_hidden(address) {
        return;
    }
    let place = offset(address);
    if space(address) == GLOBALS {
        let object = |place: u64| {
            let word = model.program().global_words.get(place as usize / 8)?;
            let before = word.starts & ((2u16 << (place % 8)) - 1) as u8;
            // A scalar that begins within the word follows the one that the word begins with.
            (word.object != NONE).then(|| word.object + before.count_ones())
        };
        if let (Some(first), Some(last)) = (object(place), object(place + size - 1)) {
            (first..=last).for_each(|object| visit(ObjectId(object)));
            return;
        }
    }
    for granule in place >> 2..(place + size).div_ceil(4) {
        visit(model.objects().cell(crate::memory::address(space(address), granule << 2)));
    }
}

impl Run<'_> {
    #[inline]
    pub(crate) fn locate(&self, address: u64, size: u64) -> Done<Place> {
        let own = Some((self.actor, self.at, &self.head));
        locate(self.model, self.model.view(self.state), own, address, size).or_else(crash)
    }

    #[inline]
    pub(crate) fn load(&self, address: u64, size: u8) -> Done<u64> {
        match self.locate(address, u64::from(size))? {
            Place::State(at) => Ok(read_words(&self.state.words, at, size)),
            Place::Constant(at) => {
                let mut bytes = [0; 8];
                bytes[..size as usize].copy_from_slice(&self.program.constant_bytes[at..at + size as usize]);
                Ok(u64::from_le_bytes(bytes))
            }
        }
    }

    /// What is at an address. If nothing is, that may be so because another actor freed it.
    #[inline]
    pub(crate) fn look(&mut self, address: u64, size: u8) -> Done<u64> {
        let value = self.load(address, size);
        if value.is_err() {
            self.touch_what_is_gone(address, u64::from(size));
        }
        value
    }

    /// Notes an access of memory that is not there, where it was once.
    pub(crate) fn touch_what_is_gone(&mut self, address: u64, size: u64) {
        if let Some(witness) = &mut self.witness {
            witness.used = Some(address);
        }
        let place = offset(address);
        let was_there = match owner(space(address)) {
            Some((actor, Region::Heap)) => self.model.blocks().was_in_block(actor, place),
            Some((actor, Region::Shared)) => {
                self.model.actors().info(actor).is_some() && place < 8 * super::DEEPEST as u64
            }
            _ => false,
        };
        if was_there {
            self.touch_cells(address, size.min(1 << 20), Access::READ);
        }
    }

    /// Reading what was never set is wrong. Less than four bytes count if the four around them were not set either.
    pub(crate) fn refuse_unset(&self, address: u64, size: u8, value: u64) -> Done<()> {
        let unset = |at: u64, size: u8| masked(UNSET.rotate_right(8 * (at % 8) as u32), 8 * size);
        let around = address & !3;
        let is_unset = value == unset(address, size)
            && (size >= 4 || self.load(around, 4).is_ok_and(|value| value == unset(around, 4)));
        if is_unset {
            return crash(format!("{} is read before it is set", crate::words::address_name(self.model, address)));
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn store(&mut self, address: u64, size: u8, value: u64) -> Done<()> {
        match self.locate(address, u64::from(size))? {
            Place::State(at) => {
                write_words(&mut self.state.words, at, size, value);
                Ok(())
            }
            Place::Constant(_) => crash("a constant is written"),
        }
    }

    /// Notes that this many bytes were touched.
    #[inline]
    pub(crate) fn touch_cells(&mut self, address: u64, size: u64, access: Access) {
        self.changed |= access.changes();
        let step = &mut *self.step;
        for_each_object(self.model, address, size, |object| step.touch(object, access));
    }

    /// Reads this many bytes, and notes it.
    pub(crate) fn read_bytes(&mut self, address: u64, size: u64) -> Done<Vec<u8>> {
        let place = match self.locate(address, size) {
            Ok(place) => place,
            Err(stop) => {
                self.touch_what_is_gone(address, size);
                return Err(stop);
            }
        };
        self.touch_cells(address, size, Access::READ);
        self.accessed(address, size, true, false, Order::None);
        Ok(match place {
            Place::State(at) => {
                let bytes: &[u8] = bytemuck::cast_slice(&self.state.words);
                bytes[at..at + size as usize].to_vec()
            }
            Place::Constant(at) => self.program.constant_bytes[at..at + size as usize].to_vec(),
        })
    }

    /// Writes bytes, and notes it: each object is told apart by whether it changes.
    pub(crate) fn write_bytes(&mut self, address: u64, bytes: &[u8]) -> Done<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let at = match self.locate(address, bytes.len() as u64) {
            Ok(Place::State(at)) => at,
            Ok(Place::Constant(_)) => return crash("a constant is written"),
            Err(stop) => {
                self.touch_what_is_gone(address, bytes.len() as u64);
                return Err(stop);
            }
        };
        let all: &mut [u8] = bytemuck::cast_slice_mut(&mut self.state.words);
        let target = &mut all[at..at + bytes.len()];
        let changes = target != bytes;
        target.copy_from_slice(bytes);
        let access = if changes { Access::WRITE } else { Access::REWRITE };
        self.touch_cells(address, bytes.len() as u64, access);
        self.accessed(address, bytes.len() as u64, false, true, Order::None);
        Ok(())
    }

    /// A text up to its 0, without that.
    pub(crate) fn read_text(&mut self, address: u64, most: u64) -> Done<Vec<u8>> {
        let mut text = Vec::new();
        while (text.len() as u64) < most {
            let at = address.wrapping_add(text.len() as u64);
            let byte = self.look(at, 1)? as u8;
            self.touch_cells(at, 1, Access::READ);
            self.accessed(at, 1, true, false, Order::None);
            if byte == 0 {
                break;
            }
            text.push(byte);
            self.fuel = match self.fuel.checked_sub(1) {
                Some(left) => left,
                None => return crash("a step that does not end"),
            };
        }
        Ok(text)
    }

    /// A text for people, which is no access of the program.
    pub(crate) fn peek_text(&self, address: u64, most: usize) -> String {
        let mut text = Vec::new();
        while text.len() < most {
            match self.load(address.wrapping_add(text.len() as u64), 1) {
                Ok(byte) if byte != 0 => text.push(byte as u8),
                _ => break,
            }
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}
