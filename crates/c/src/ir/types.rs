//! Types, and how they lie in memory: the rules of 64-bit little-endian machines.

use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// A type of IR. All pointers are one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Void,
    Int(u32),
    Pointer,
    Float,
    Double,
    /// 80 bits in 16 bytes; calculated as a double.
    LongDouble,
    Array(u64, Arc<Type>),
    Vector(u64, Arc<Type>),
    Struct {
        fields: Arc<[Type]>,
        packed: bool,
    },
    Named(Arc<str>),
    Function,
    /// Labels, metadata, and what has no size.
    Other,
}

/// How deeply types may be nested: beyond that a type has no size.
const DEEPEST: u32 = 100;

/// The named types of a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Types {
    pub(crate) named: FxHashMap<Arc<str>, Type>,
    /// Size and alignment of those that were asked for.
    measured: RefCell<FxHashMap<Arc<str>, (u64, u64)>>,
}

impl Types {
    /// What a named type stands for.
    pub(crate) fn resolve<'t>(&'t self, mut of: &'t Type) -> &'t Type {
        for _ in 0..DEEPEST {
            match of {
                Type::Named(name) => of = self.named.get(name).unwrap_or(&Type::Other),
                other => return other,
            }
        }
        &Type::Other
    }

    /// How many bytes a value takes.
    pub(crate) fn size(&self, of: &Type) -> u64 {
        self.measure(of, DEEPEST).0
    }

    /// At multiples of how many bytes a value stands.
    pub(crate) fn align(&self, of: &Type) -> u64 {
        self.measure(of, DEEPEST).1
    }

    /// Size and alignment. Sizes that do not fit are the largest number there is.
    fn measure(&self, of: &Type, depth: u32) -> (u64, u64) {
        let Some(depth) = depth.checked_sub(1) else { return (0, 1) };
        if let Type::Named(name) = of {
            if let Some(&known) = self.measured.borrow().get(name) {
                return known;
            }
            let measure = self.measure(self.resolve(of), depth);
            self.measured.borrow_mut().insert(Arc::clone(name), measure);
            return measure;
        }
        match of {
            Type::Int(bits) => {
                let bytes = u64::from(bits.div_ceil(8)).next_power_of_two();
                (bytes, bytes.min(16))
            }
            Type::Pointer | Type::Double => (8, 8),
            Type::Float => (4, 4),
            Type::LongDouble => (16, 16),
            Type::Array(count, element) => {
                let (size, align) = self.measure(element, depth);
                (size.saturating_mul(*count), align)
            }
            Type::Vector(count, element) => {
                let size = self.measure(element, depth).0.saturating_mul(*count);
                (size, size.checked_next_power_of_two().unwrap_or(1).clamp(1, 64))
            }
            Type::Struct { fields, packed } => {
                let (mut end, mut widest) = (0u64, 1);
                for field in fields.iter() {
                    let (size, align) = self.measure(field, depth);
                    let align = if *packed { 1 } else { align };
                    widest = widest.max(align);
                    end = end.checked_next_multiple_of(align).unwrap_or(u64::MAX).saturating_add(size);
                }
                (end.checked_next_multiple_of(widest).unwrap_or(u64::MAX), widest)
            }
            Type::Void | Type::Named(_) | Type::Function | Type::Other => (0, 1),
        }
    }

    /// Where a field or an element begins, and its type.
    pub(crate) fn field<'t>(&'t self, of: &'t Type, index: u64) -> Option<(u64, &'t Type)> {
        match self.resolve(of) {
            Type::Array(_, element) | Type::Vector(_, element) => {
                Some((index.wrapping_mul(self.size(element)), element))
            }
            Type::Struct { fields, packed } => {
                let mut end = 0u64;
                for (number, field) in fields.iter().enumerate() {
                    let (size, align) = self.measure(field, DEEPEST);
                    end = if *packed { end } else { end.checked_next_multiple_of(align)? };
                    if number as u64 == index {
                        return Some((end, field));
                    }
                    end = end.saturating_add(size);
                }
                None
            }
            _ => None,
        }
    }

    /// The bits of a value that fits into a register.
    pub(crate) fn width(&self, of: &Type) -> Option<u8> {
        match self.resolve(of) {
            Type::Int(bits) if (1..=64).contains(bits) => Some(*bits as u8),
            Type::Pointer | Type::Double | Type::LongDouble => Some(64),
            Type::Float => Some(32),
            // Small structures are passed as vectors.
            vector @ Type::Vector(..) => match self.size(vector) {
                bytes @ (1 | 2 | 4 | 8) => Some(8 * bytes as u8),
                _ => None,
            },
            _ => None,
        }
    }

    /// The scalars that a value is made of, each with its place; `None` if they are more than `most` or no scalars.
    pub(crate) fn leaves(&self, of: &Type, most: usize) -> Option<Vec<(u64, Type)>> {
        let mut leaves = Vec::new();
        self.add_leaves(of, 0, most, &mut leaves, DEEPEST).then_some(leaves)
    }

    fn add_leaves(&self, of: &Type, at: u64, most: usize, into: &mut Vec<(u64, Type)>, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let of = self.resolve(of);
        if self.width(of).is_some() {
            into.push((at, of.clone()));
            return into.len() <= most;
        }
        match of {
            Type::Array(count, element) | Type::Vector(count, element) => {
                let size = self.size(element);
                *count <= most as u64
                    && (0..*count).all(|index| self.add_leaves(element, at + index * size, most, into, depth))
            }
            Type::Struct { fields, .. } => (0..fields.len() as u64).all(|index| {
                self.field(of, index)
                    .is_some_and(|(offset, field)| self.add_leaves(field, at + offset, most, into, depth))
            }),
            // Integers of 128 bits lie in memory as two of 64.
            Type::Int(128) => {
                into.extend([(at, Type::Int(64)), (at + 8, Type::Int(64))]);
                into.len() <= most
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_lie_in_memory_as_on_the_machine() {
        let types = Types::default();
        let fields: Arc<[Type]> =
            [Type::Int(8), Type::Int(32), Type::Array(3, Type::Int(16).into()), Type::Pointer].into();
        let plain = Type::Struct { fields: Arc::clone(&fields), packed: false };
        let packed = Type::Struct { fields, packed: true };
        assert_eq!((types.size(&plain), types.align(&plain)), (24, 8));
        assert_eq!((types.size(&packed), types.align(&packed)), (19, 1));
        assert_eq!(types.field(&plain, 3).map(|(at, _)| at), Some(16));
        assert_eq!(types.field(&packed, 3).map(|(at, _)| at), Some(11));
        let places: Vec<u64> = types.leaves(&plain, 10).into_iter().flatten().map(|(at, _)| at).collect();
        assert_eq!(places, [0, 4, 8, 10, 12, 16]);
        assert_eq!(types.leaves(&plain, 3), None);
        assert_eq!(types.size(&Type::Int(1)), 1);
    }

    #[test]
    fn a_type_that_contains_itself_has_an_end() {
        let mut types = Types::default();
        let itself = Type::Named("a".into());
        types.named.insert("a".into(), Type::Struct { fields: [itself.clone()].into(), packed: false });
        assert_eq!(types.size(&itself), 0);
        assert_eq!(types.leaves(&itself, 10), None);
        let huge = Type::Array(u64::MAX, Type::Array(8, Type::Pointer.into()).into());
        assert_eq!(types.size(&huge), u64::MAX);
    }
}
