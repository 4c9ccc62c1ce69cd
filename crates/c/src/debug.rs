//! What debug information tells: places in the source, names and types of variables.

use crate::ir::field;
use mazurka_core::Location;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A type in the debug information: the module and the number there.
pub(crate) type TypeId = (u32, u32);

/// The debug information of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Debug {
    /// For each module its metadata, as text.
    modules: Vec<FxHashMap<u32, String>>,
    places: Vec<Location>,
    known: FxHashMap<(u32, u32), u32>,
    files: FxHashMap<(u32, u32), Arc<str>>,
}

/// What a type is.
pub(crate) enum Shape {
    Signed(u64),
    Unsigned(u64),
    Boolean,
    Character,
    Float(u64),
    Pointer(Option<TypeId>),
    /// Fields with their names, offsets and types, in bytes.
    Structure(Vec<(String, u64, TypeId)>),
    Union,
    Array {
        element: TypeId,
        count: u64,
    },
    Enumeration {
        size: u64,
        names: Vec<(i64, String)>,
    },
    Unknown,
}

/// How many names a chain of types may have.
const LONGEST_CHAIN: usize = 32;

impl Debug {
    /// Adds the metadata of a module, and returns its number.
    pub(crate) fn add(&mut self, metadata: FxHashMap<u32, String>) -> u32 {
        self.modules.push(metadata);
        self.modules.len() as u32 - 1
    }

    fn node(&self, (module, number): TypeId) -> Option<&str> {
        self.modules.get(module as usize)?.get(&number).map(String::as_str)
    }

    fn reference(&self, (module, number): TypeId, name: &str) -> Option<TypeId> {
        let value = field(self.node((module, number))?, name)?;
        Some((module, value.strip_prefix('!')?.parse().ok()?))
    }

    fn number(&self, of: TypeId, name: &str) -> Option<u64> {
        field(self.node(of)?, name)?.parse().ok()
    }

    /// The name in a node.
    pub(crate) fn name(&self, of: TypeId) -> Option<String> {
        let name = field(self.node(of)?, "name")?.trim_matches('"');
        (!name.is_empty()).then(|| name.to_owned())
    }

    /// The folder that clang was called in for a module.
    fn called_in(&self, module: u32) -> Option<&str> {
        let unit = self.modules.get(module as usize)?.values().find(|node| node.starts_with("!DICompileUnit"))?;
        let file = field(unit, "file")?.strip_prefix('!')?.parse().ok()?;
        Some(field(self.node((module, file))?, "directory")?.trim_matches('"'))
    }

    fn file(&mut self, of: TypeId) -> Option<Arc<str>> {
        let mut scope = of;
        for _ in 0..LONGEST_CHAIN {
            if let Some(file) = self.reference(scope, "file") {
                if let Some(known) = self.files.get(&file) {
                    return Some(Arc::clone(known));
                }
                let node = self.node(file)?;
                let name = field(node, "filename")?.trim_matches('"');
                let folder = field(node, "directory").unwrap_or_default().trim_matches('"');
                // A relative name is one from where clang was called, unless it says another folder.
                let is_here = folder.is_empty() || self.called_in(file.0).is_none_or(|here| here == folder);
                let name: Arc<str> =
                    if is_here || name.starts_with('/') { name.into() } else { format!("{folder}/{name}").into() };
                self.files.insert(file, Arc::clone(&name));
                return Some(name);
            }
            scope = self.reference(scope, "scope")?;
        }
        None
    }

    /// The number of a place, given the number of its debug location.
    pub(crate) fn place(&mut self, module: u32, location: u32) -> Option<u32> {
        if let Some(&known) = self.known.get(&(module, location)) {
            return Some(known);
        }
        let node = (module, location);
        let line = self.number(node, "line").unwrap_or(0) as u32;
        let column = self.number(node, "column").unwrap_or(1).max(1) as u32;
        let file = self.reference(node, "scope").and_then(|scope| self.file(scope))?;
        let number = self.places.len() as u32;
        self.places.push(Location { file, line, column });
        self.known.insert(node, number);
        Some(number)
    }

    /// The place with a number.
    pub(crate) fn location(&self, place: u32) -> Option<&Location> {
        self.places.get(place as usize)
    }

    /// The variable that a `!dbg` of a global variable names: its name and its type.
    pub(crate) fn global(&self, module: u32, number: u32) -> Option<(String, Option<TypeId>)> {
        let variable = self.reference((module, number), "var")?;
        self.variable(variable)
    }

    /// A variable: its name and its type.
    pub(crate) fn variable(&self, variable: TypeId) -> Option<(String, Option<TypeId>)> {
        Some((self.name(variable)?, self.reference(variable, "type")))
    }

    /// The source files that the places are in.
    pub(crate) fn source_files(&self) -> Vec<Arc<str>> {
        let mut files: Vec<Arc<str>> = self.places.iter().map(|place| Arc::clone(&place.file)).collect();
        files.sort();
        files.dedup();
        files
    }

    /// The type behind typedefs and qualifiers.
    fn plain(&self, mut ty: TypeId) -> Option<TypeId> {
        for _ in 0..LONGEST_CHAIN {
            let node = self.node(ty)?;
            let is_alias = [
                "DW_TAG_typedef",
                "DW_TAG_const_type",
                "DW_TAG_volatile_type",
                "DW_TAG_atomic_type",
                "DW_TAG_restrict_type",
            ]
            .iter()
            .any(|tag| field(node, "tag") == Some(tag));
            if !is_alias {
                return Some(ty);
            }
            ty = self.reference(ty, "baseType")?;
        }
        None
    }

    /// The name of a type, for people.
    pub(crate) fn type_name(&self, mut ty: TypeId) -> Option<String> {
        for _ in 0..LONGEST_CHAIN {
            if let Some(name) = self.name(ty) {
                return Some(name);
            }
            ty = self.reference(ty, "baseType")?;
        }
        None
    }

    /// Whether two types are the same, but for typedefs and qualifiers; in two modules they are if they have the same name.
    pub(crate) fn is_same(&self, one: TypeId, other: TypeId) -> bool {
        match (self.plain(one), self.plain(other)) {
            (Some(one), Some(other)) => {
                one == other || self.name(one).is_some_and(|name| self.name(other) == Some(name))
            }
            _ => false,
        }
    }

    /// How many scalars a type has that are told one by one, and locks; texts are told as one. More than `most` are not counted.
    pub(crate) fn parts(&self, ty: TypeId, most: u64, is_one: &dyn Fn(TypeId) -> bool) -> u64 {
        match self.shape(ty) {
            _ if most == 0 || is_one(ty) => 1,
            Shape::Structure(fields) => fields
                .iter()
                .fold(0, |sum, (_, _, of)| if sum > most { sum } else { sum + self.parts(*of, most, is_one) }),
            Shape::Array { element, count } if !matches!(self.shape(element), Shape::Character) => {
                count.saturating_mul(self.parts(element, most, is_one))
            }
            _ => 1,
        }
    }

    /// What a type is.
    pub(crate) fn shape(&self, ty: TypeId) -> Shape {
        self.try_shape(ty).unwrap_or(Shape::Unknown)
    }

    fn try_shape(&self, ty: TypeId) -> Option<Shape> {
        let ty = self.plain(ty)?;
        let node = self.node(ty)?;
        let bytes = self.number(ty, "size").unwrap_or(0) / 8;
        if node.starts_with("!DIBasicType") {
            return Some(match field(node, "encoding")? {
                "DW_ATE_boolean" => Shape::Boolean,
                "DW_ATE_float" => Shape::Float(bytes),
                "DW_ATE_signed_char" => Shape::Character,
                "DW_ATE_unsigned" | "DW_ATE_unsigned_char" => Shape::Unsigned(bytes),
                _ => Shape::Signed(bytes),
            });
        }
        Some(match field(node, "tag")? {
            "DW_TAG_pointer_type" => Shape::Pointer(self.reference(ty, "baseType")),
            "DW_TAG_structure_type" => Shape::Structure(self.fields(ty)?),
            "DW_TAG_union_type" => Shape::Union,
            "DW_TAG_array_type" => {
                let element = self.reference(ty, "baseType")?;
                let counts = self.elements(ty)?.into_iter().map(|range| self.number(range, "count").unwrap_or(0));
                let counts: Vec<u64> = counts.collect();
                match counts[..] {
                    [count] => Shape::Array { element, count },
                    // Rows of rows: one row of them all.
                    [_, ..] => Shape::Array { element, count: counts.iter().product() },
                    [] => Shape::Unknown,
                }
            }
            "DW_TAG_enumeration_type" => {
                let names = self.elements(ty)?.into_iter().filter_map(|item| {
                    let value = field(self.node(item)?, "value")?.parse().ok()?;
                    Some((value, self.name(item)?))
                });
                Shape::Enumeration { size: bytes, names: names.collect() }
            }
            _ => Shape::Unknown,
        })
    }

    fn elements(&self, ty: TypeId) -> Option<Vec<TypeId>> {
        let list = self.node(self.reference(ty, "elements")?)?;
        let inner = list.strip_prefix("!{")?.strip_suffix('}')?;
        Some(inner.split(", ").filter_map(|item| Some((ty.0, item.strip_prefix('!')?.parse().ok()?))).collect())
    }

    fn fields(&self, ty: TypeId) -> Option<Vec<(String, u64, TypeId)>> {
        let fields = self.elements(ty)?.into_iter().filter_map(|item| {
            let offset = self.number(item, "offset").unwrap_or(0) / 8;
            Some((self.name(item).unwrap_or_default(), offset, self.reference(item, "baseType")?))
        });
        Some(fields.collect())
    }

    /// How many bytes a type takes.
    pub(crate) fn size(&self, ty: TypeId) -> u64 {
        self.plain(ty).and_then(|ty| self.number(ty, "size")).unwrap_or(0) / 8
    }

    /// The path to the part of a value that is this many bytes behind its beginning, and the type of that part. `is_meant` says which
    /// of the parts that begin there is meant; otherwise it is the smallest.
    pub(crate) fn part(&self, ty: TypeId, offset: u64, is_meant: &dyn Fn(TypeId) -> bool) -> (String, Option<TypeId>) {
        let (mut path, mut ty, mut offset) = (String::new(), ty, offset);
        for _ in 0..LONGEST_CHAIN {
            match self.shape(ty) {
                _ if offset == 0 && is_meant(ty) => return (path, Some(ty)),
                Shape::Structure(fields) => {
                    let inside =
                        |(_, at, of): &&(String, u64, TypeId)| offset >= *at && offset < at + self.size(*of).max(1);
                    let Some((name, at, of)) = fields.iter().find(inside) else { break };
                    if !name.is_empty() {
                        path = format!("{path}.{name}");
                    }
                    offset -= at;
                    ty = *of;
                }
                Shape::Array { element, .. } if self.size(element) > 0 => {
                    let size = self.size(element);
                    path = format!("{path}[{}]", offset / size);
                    offset %= size;
                    ty = element;
                }
                _ if offset == 0 => return (path, Some(ty)),
                _ => break,
            }
        }
        if offset > 0 { (format!("{path}+{offset}"), None) } else { (path, Some(ty)) }
    }
}
