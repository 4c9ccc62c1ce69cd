//! The types of generated programs.

use mazurka_core::Random;

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Int {
    pub(super) bits: u32,
    pub(super) signed: bool,
}

impl Int {
    pub(super) const INT: Int = Int { bits: 32, signed: true };
    pub(super) const UNSIGNED: Int = Int { bits: 32, signed: false };
    pub(super) const LONG: Int = Int { bits: 64, signed: true };
    pub(super) const UNSIGNED_LONG: Int = Int { bits: 64, signed: false };
    pub(super) const ALL: [Int; 8] = [
        Int { bits: 8, signed: true },
        Int { bits: 8, signed: false },
        Int { bits: 16, signed: true },
        Int { bits: 16, signed: false },
        Int::INT,
        Int::UNSIGNED,
        Int::LONG,
        Int::UNSIGNED_LONG,
    ];

    pub(super) fn name(self) -> &'static str {
        match (self.bits, self.signed) {
            (8, true) => "signed char",
            (8, false) => "unsigned char",
            (16, true) => "short",
            (16, false) => "unsigned short",
            (32, true) => "int",
            (32, false) => "unsigned",
            (_, true) => "long",
            (_, false) => "unsigned long",
        }
    }

    /// The end of the names of the prelude's functions for this type.
    pub(super) fn short(self) -> String {
        format!("{}{}", if self.signed { 'i' } else { 'u' }, self.bits)
    }

    pub(super) fn bytes(self) -> u32 {
        self.bits / 8
    }

    /// A literal of the type: small numbers and both ends are as likely as the rest together.
    pub(super) fn literal(self, random: &mut Random) -> String {
        let (least, most) = match (self.signed, self.bits) {
            (true, bits) => (i128::from(i64::MIN >> (64 - bits)), i128::from(i64::MAX >> (64 - bits))),
            (false, bits) => (0, i128::from(u64::MAX >> (64 - bits))),
        };
        let value = match random.below(12) {
            0 => least,
            1 => most,
            2 => most / 2 + 1,
            3 => i128::from(random.word()) & most,
            4 => least.max(-1),
            _ => i128::from(random.between(0, 20)),
        };
        let suffix = match (self.bits, self.signed) {
            (64, true) => "L",
            (64, false) => "UL",
            (32, false) => "U",
            _ => "",
        };
        // The least number has no literal of its own.
        if value < -i128::from(i32::MAX) {
            return format!("({}{suffix} - 1)", value + 1);
        }
        if value < 0 { format!("({value}{suffix})") } else { format!("{value}{suffix}") }
    }

    /// A statement that prints a value of this type.
    pub(super) fn shown(self, value: &str) -> String {
        let format = match (self.bits, self.signed) {
            (64, true) => "%ld",
            (64, false) => "%lu",
            (_, true) => "%d",
            (_, false) => "%u",
        };
        format!("printf(\"{format}\\n\", {value});")
    }
}

/// A part of a struct.
#[derive(Clone, Debug)]
pub(super) enum Member {
    Int(Int),
    Double,
    Bits(Int, u32),
    Array(Int, usize),
    Record(usize),
    /// A union of a word and an array that covers it.
    Union(Int),
}

/// A struct.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) tag: String,
    pub(super) members: Vec<(String, Member)>,
}
