//! Expressions of generated programs.

use super::types::{Int, Member};
use super::{Maker, Parameter, Place};

impl Maker {
    pub(super) fn constant(&mut self, int: Int) -> String {
        int.literal(&mut self.random)
    }

    /// What can be read and assigned to: variables, elements, members, and what pointers point to.
    pub(super) fn place(&mut self) -> Option<Place> {
        if !self.wholes.is_empty() && self.random.percent(35) {
            let (base, number) = self.wholes[self.random.below(self.wholes.len())].clone();
            return self.member(&base, number);
        }
        self.random.pick(&self.places).cloned()
    }

    /// An integer in a struct.
    pub(super) fn member(&mut self, base: &str, number: usize) -> Option<Place> {
        let members = &self.records[number].members;
        let (name, member) = members[self.random.below(members.len())].clone();
        match member {
            Member::Int(int) | Member::Bits(int, _) => Some(Place { text: format!("{base}.{name}"), int }),
            Member::Double => None,
            Member::Array(int, length) => {
                let index = self.index(length);
                Some(Place { text: format!("{base}.{name}[{index}]"), int })
            }
            Member::Record(other) => self.member(&format!("{base}.{name}"), other),
            Member::Union(_) if self.random.percent(40) => {
                Some(Place { text: format!("{base}.{name}.word"), int: Int::UNSIGNED_LONG })
            }
            Member::Union(int) => {
                let index = self.index(8 / int.bytes() as usize);
                Some(Place { text: format!("{base}.{name}.part[{index}]"), int })
            }
        }
    }

    /// An index below a length: mostly a constant, so that expressions stay small.
    pub(super) fn index(&mut self, length: usize) -> String {
        if self.random.percent(60) || self.depth > 4 {
            return self.random.below(length).to_string();
        }
        let value = self.int(Int::UNSIGNED, 1);
        format!("({value}) % {length}")
    }

    /// An expression of this type.
    pub(super) fn int(&mut self, int: Int, size: usize) -> String {
        self.depth += 1;
        let text = self.made(int, size);
        self.depth -= 1;
        text
    }

    fn made(&mut self, int: Int, size: usize) -> String {
        let name = int.name();
        if size == 0 || self.depth > 7 {
            return self.leaf(int);
        }
        match self.random.below(20) {
            0..=3 => self.leaf(int),
            4..=6 => {
                // Unsigned arithmetic wraps around.
                let wide = if self.random.percent(50) { Int::UNSIGNED } else { Int::UNSIGNED_LONG };
                let op = ["+", "-", "*", "&", "|", "^"][self.random.below(6)];
                let (left, right) = (self.any(size - 1), self.any(size - 1));
                format!("({name})(({})({left}) {op} ({})({right}))", wide.name(), wide.name())
            }
            7 | 8 => {
                // Signed arithmetic on operands that are small.
                let op = ["+", "-", "*"][self.random.below(3)];
                let wide = if self.random.percent(50) { Int::INT } else { Int::LONG };
                let (left, right) = (self.int(wide, size - 1), self.int(wide, size - 1));
                format!("({name})((({left}) % 1000) {op} (({right}) % 999))")
            }
            9 | 10 => {
                let of = self.any_int();
                let op = ["div", "rem"][self.random.below(2)];
                let (left, right) = (self.int(of, size - 1), self.int(of, size - 1));
                format!("({name}){op}_{}({left}, {right})", of.short())
            }
            11 => {
                let wide = if self.random.percent(50) { Int::UNSIGNED } else { Int::UNSIGNED_LONG };
                let (value, by) = (self.any(size - 1), self.any(size - 1));
                format!("({name})(({})({value}) << (({by}) & {}))", wide.name(), wide.bits - 1)
            }
            12 => {
                let of = self.any_int();
                let (value, by) = (self.int(of, size - 1), self.any(size - 1));
                format!("({name})(({value}) >> (({by}) & {}))", of.bits.min(32) - 1)
            }
            13 | 14 => {
                // The usual conversions decide in which type is compared.
                let op = ["<", "<=", ">", ">=", "==", "!="][self.random.below(6)];
                let (left, right) = (self.any(size - 1), self.any(size - 1));
                format!("({name})(({left}) {op} ({right}))")
            }
            15 => {
                let op = ["&&", "||"][self.random.below(2)];
                let (left, right) = (self.any(size - 1), self.any(size - 1));
                format!("({name})(({left}) {op} !({right}))")
            }
            16 => {
                let (condition, left, right) = (self.any(size - 1), self.int(int, size - 1), self.int(int, size - 1));
                format!("({name})(({condition}) ? ({left}) : ({right}))")
            }
            17 => {
                let value = self.double(size - 1);
                match self.random.below(3) {
                    0 => format!("({name})whole({value})"),
                    1 => format!("({name})small((float)({value}))"),
                    _ => format!("({name})(({value}) < {}.5)", self.random.below(100)),
                }
            }
            18 => match self.table.clone() {
                Some((table, length)) => {
                    let (index, left, right) = (self.index(length), self.int(Int::INT, 1), self.int(Int::INT, 1));
                    format!("({name}){table}[{index}]({left}, {right})")
                }
                None => format!("({name})~({})", self.any(size - 1)),
            },
            _ => self.call().map_or_else(|| self.leaf(int), |call| format!("({name}){call}")),
        }
    }

    /// An expression of some type, without a cast around it.
    pub(super) fn any(&mut self, size: usize) -> String {
        let int = self.any_int();
        if (size == 0 || self.random.percent(40))
            && let Some(place) = self.place()
        {
            return place.text;
        }
        self.int(int, size)
    }

    fn leaf(&mut self, int: Int) -> String {
        if self.random.percent(75)
            && let Some(place) = self.place()
        {
            return format!("({})({})", int.name(), place.text);
        }
        self.constant(int)
    }

    /// A call of a function that was made before.
    pub(super) fn call(&mut self) -> Option<String> {
        let function = self.random.pick(&self.functions).cloned()?;
        let mut arguments = Vec::new();
        for parameter in &function.parameters {
            arguments.push(match parameter {
                Parameter::Int(int) => self.int(*int, 1),
                Parameter::Double => self.double(1),
                Parameter::Record(record) => self.whole(*record)?,
                Parameter::RecordPointer(record) => format!("&{}", self.whole(*record)?),
                Parameter::Pointer(int) => {
                    // Bit fields have no address.
                    let fitting: Vec<&Place> = self.places.iter().filter(|place| place.int == *int).collect();
                    format!("&{}", self.random.pick(&fitting)?.text)
                }
            });
        }
        Some(format!("{}({})", function.name, arguments.join(", ")))
    }

    /// A struct that can be named here.
    pub(super) fn whole(&mut self, record: usize) -> Option<String> {
        let fitting: Vec<&String> =
            self.wholes.iter().filter(|whole| whole.1 == record).map(|whole| &whole.0).collect();
        self.random.pick(&fitting).map(|text| (*text).clone())
    }

    /// An expression of type `double` that is a number and not too large.
    pub(super) fn double(&mut self, size: usize) -> String {
        self.depth += 1;
        let text = match self.random.below(if size == 0 || self.depth > 6 { 2 } else { 9 }) {
            0 => format!("{}.{}", self.random.between(-50, 50), self.random.below(1000)),
            1 => match self.random.pick(&self.doubles).cloned() {
                Some(variable) => variable,
                None => format!("(double)({})", self.leaf(Int::INT)),
            },
            2 => format!("(double)({})", self.any(size - 1)),
            3 => format!("(double)(float)({})", self.double(size - 1)),
            4 => {
                let (value, by) = (self.double(size - 1), self.any(0));
                format!("({value}) / (1.5 + (unsigned char)({by}))")
            }
            5 => {
                let (left, right) = (self.double(size - 1), self.double(size - 1));
                format!("(({left}) < ({right}) ? ({left}) : -({right}))")
            }
            6 => {
                let (left, right) = (self.double(size - 1), self.double(size - 1));
                format!("(double)((float)({left}) * 0.5f - (float)({right}))")
            }
            _ => {
                let op = ["+", "-", "*"][self.random.below(3)];
                let (left, right) = (self.double(size - 1), self.int(Int::INT, size - 1));
                format!("(({left}) {op} (({right}) % 100))")
            }
        };
        self.depth -= 1;
        text
    }
}
