//! The values that a running script works with.
//!
//! Lists and maps are shared by reference, as in Groovy. A value belongs to one thread and one run; [`Frozen`] is its
//! form for the time between runs.
//!
//! [`Frozen`]: super::Frozen

use super::native::Native;
use super::pattern::Pattern;
use super::run::{Cell, Instance};
use super::trouble::Trouble;
use indexmap::{Equivalent, IndexMap};
use rust_decimal::Decimal;
use rustc_hash::FxBuildHasher;
use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

/// A value of the language.
///
/// Integers wrap at 32 and 64 bits as Groovy's do. `float` is kept as a double, `BigInteger` as a decimal without a
/// fraction. A text with interpolations is a text as soon as it is evaluated.
#[derive(Clone, Default)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `null`, because nothing is known of what would stand there: what that is and why, as in "the weather, which is not
    /// modelled". To scripts it is null; an exception that it causes tells of it ([`Trouble::unknown`](super::Trouble::unknown)).
    Unknown(Arc<str>),
    /// `true` or `false`.
    Bool(bool),
    /// An `Integer`.
    Int(i32),
    /// A `Long`.
    Long(i64),
    /// A `BigDecimal`, which is what a literal such as `1.5` is.
    Decimal(Decimal),
    /// A `Double` or `Float`.
    Double(f64),
    /// A text.
    Text(Arc<str>),
    /// A list, set, range or array.
    List(Rc<List>),
    /// A map that keeps the order of insertion.
    Map(Rc<Map>),
    /// A closure.
    Closure(Rc<Closure>),
    /// The name of a method used as a value, as in `subscribe(app, handler)`; its text is the name.
    Method(Arc<str>),
    /// A date, in milliseconds since 1970 UTC.
    Date(i64),
    /// A compiled regular expression.
    Pattern(Rc<Pattern>),
    /// A class, by its simple name.
    Class(Arc<str>),
    /// An object of the host: a device, an event, `state`, `location`, …
    Object(Object),
    /// An object of the library that scripts use but the host need not know: a date format, an exception, …
    Native(Rc<Native>),
}

/// A reference to something of the host. The interpreter never looks inside.
#[derive(Clone)]
pub struct Object {
    /// What it is; the host chooses the numbers.
    pub kind: u16,
    /// Which one.
    pub id: u32,
    /// What the host wants to carry along.
    pub extra: Option<Rc<Extra>>,
}

/// Anything that a host attaches to an [`Object`].
pub struct Extra(pub Box<dyn Any>);

impl Object {
    /// An object without an attachment.
    pub fn new(kind: u16, id: u32) -> Self {
        Object { kind, id, extra: None }
    }

    /// An object that carries something along.
    pub fn with(kind: u16, id: u32, extra: impl Any) -> Self {
        Object { kind, id, extra: Some(Rc::new(Extra(Box::new(extra)))) }
    }

    /// What the object carries, if it is of that type.
    pub fn extra<T: Any>(&self) -> Option<&T> {
        self.extra.as_ref()?.0.downcast_ref()
    }
}

/// Dropping a list of lists of lists … must not use up the stack: what a collection holds is taken out of it first.
struct Remains(Vec<Value>);

impl Remains {
    fn scatter(&mut self) {
        while let Some(value) = self.0.pop() {
            match value {
                Value::List(list) => {
                    if let Ok(mut list) = Rc::try_unwrap(list) {
                        self.0.append(list.items.get_mut());
                    }
                }
                Value::Map(map) => {
                    if let Ok(mut map) = Rc::try_unwrap(map) {
                        self.take_entries(&mut map);
                    }
                }
                Value::Closure(closure) => {
                    if let Ok(mut closure) = Rc::try_unwrap(closure) {
                        self.take_captured(&mut closure);
                    }
                }
                _ => {}
            }
        }
    }

    fn take_entries(&mut self, map: &mut Map) {
        let entries = std::mem::take(map.entries.get_mut());
        self.0.extend(entries.into_iter().flat_map(|(key, value)| [key.0, value]));
    }

    fn take_captured(&mut self, closure: &mut Closure) {
        if let ClosureBody::Code { captured, .. } = &mut closure.body {
            let cells = std::mem::take(captured).into_vec();
            self.0.extend(cells.into_iter().filter_map(|cell| Rc::try_unwrap(cell).ok()).map(RefCell::into_inner));
        }
    }
}

/// Whether a value holds others, so that dropping it goes deeper.
fn holds(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Map(_) | Value::Closure(_))
}

impl Drop for List {
    fn drop(&mut self) {
        if self.items.get_mut().iter().any(holds) {
            Remains(std::mem::take(self.items.get_mut())).scatter();
        }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        if self.entries.get_mut().values().any(holds) {
            let mut remains = Remains(Vec::new());
            remains.take_entries(self);
            remains.scatter();
        }
    }
}

impl Drop for Closure {
    fn drop(&mut self) {
        let mut remains = Remains(Vec::new());
        remains.take_captured(self);
        remains.scatter();
    }
}

/// What a list is in Groovy's eyes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListKind {
    /// A list or an array.
    #[default]
    List,
    /// A set: adding what is there already does nothing.
    Set,
    /// A range, whose text is `from..to`.
    Range,
}

/// The elements of a list, set, range or array.
#[derive(Default)]
pub struct List {
    items: RefCell<Vec<Value>>,
    kind: ListKind,
}

impl List {
    /// A list of that kind.
    pub fn new(items: Vec<Value>, kind: ListKind) -> Self {
        List { items: RefCell::new(items), kind }
    }

    /// What kind of a list it is.
    pub fn kind(&self) -> ListKind {
        self.kind
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.items.borrow().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.borrow().is_empty()
    }

    /// The element at an index.
    pub fn get(&self, index: usize) -> Option<Value> {
        self.items.borrow().get(index).cloned()
    }

    /// The elements as they are now. Callers iterate over this copy, so that the script may change the list meanwhile.
    pub fn items(&self) -> Vec<Value> {
        self.items.borrow().clone()
    }

    /// Looks at the elements without copying them. The look must not run script code.
    pub fn look<T>(&self, look: impl FnOnce(&[Value]) -> T) -> T {
        look(&self.items.borrow())
    }

    /// Appends an element; a set only takes it if it has no equal one, and says so.
    pub fn push(&self, value: Value) -> bool {
        let fresh = self.kind != ListKind::Set || !self.items.borrow().iter().any(|item| item.same(&value));
        if fresh {
            self.items.borrow_mut().push(value);
        }
        fresh
    }

    /// Changes the elements. The change must not run script code.
    pub fn change<T>(&self, change: impl FnOnce(&mut Vec<Value>) -> T) -> T {
        change(&mut self.items.borrow_mut())
    }
}

/// The entries of a map, in order of insertion.
#[derive(Default)]
pub struct Map {
    entries: RefCell<Entries>,
    /// What a key stands for that is not there, if that is not plainly null.
    absent: Option<fn(&str) -> Value>,
}

type Entries = IndexMap<Key, Value, FxBuildHasher>;

/// A value as the key of a map: compared as Java compares, so `1` and `1L` are different keys.
#[derive(Clone)]
struct Key(Value);

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash(&self.0, state, &mut { MAX_HASHED });
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.0.same(&other.0)
    }
}

impl Eq for Key {}

/// A text looks up its key without becoming a value first.
struct Name<'a>(&'a str);

impl Hash for Name<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl Equivalent<Key> for Name<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        matches!(&key.0, Value::Text(text) if **text == *self.0)
    }
}

struct ByRef<'a>(&'a Value);

impl Hash for ByRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash(self.0, state, &mut { MAX_HASHED });
    }
}

impl Equivalent<Key> for ByRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.0.same(&key.0)
    }
}

/// How many elements of a key are looked at: a list may contain itself, twice.
const MAX_HASHED: u32 = 256;
/// After this many comparisons two values count as different.
const MAX_COMPARED: u32 = 100_000;
/// Values that are nested more deeply count as different.
const MAX_NESTING: u32 = 64;

/// A text hashes exactly as `str` does, for the sake of [`Name`].
fn hash<H: Hasher>(value: &Value, state: &mut H, left: &mut u32) {
    *left = left.saturating_sub(1);
    match value {
        Value::Text(text) => text.hash(state),
        Value::Bool(flag) => flag.hash(state),
        Value::Int(number) => number.hash(state),
        Value::Long(number) => number.hash(state),
        Value::Decimal(number) => number.hash(state),
        Value::Double(number) => number.to_bits().hash(state),
        Value::Date(date) => date.hash(state),
        Value::Method(name) | Value::Class(name) => name.hash(state),
        Value::Object(object) => (object.kind, object.id).hash(state),
        // Lists that begin alike hash alike.
        Value::List(list) => {
            for item in list.items.borrow().iter() {
                if *left == 0 {
                    break;
                }
                hash(item, state, left);
            }
        }
        // A map may be a key of itself, and must not be looked into while an entry is added to it.
        Value::Null | Value::Unknown(_) | Value::Map(_) | Value::Closure(_) | Value::Pattern(_) | Value::Native(_) => {
            0_u8.hash(state)
        }
    }
}

impl Map {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.borrow().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.borrow().is_empty()
    }

    /// The value of a text key.
    pub fn get(&self, key: &str) -> Option<Value> {
        self.entries.borrow().get(&Name(key)).cloned()
    }

    /// The value of a text key, or what a script gets where there is none.
    pub(super) fn get_or_null(&self, key: &str) -> Value {
        self.get(key).unwrap_or_else(|| self.absent.map_or(Value::Null, |absent| absent(key)))
    }

    /// The value of any key, or what a script gets where there is none.
    pub(super) fn find_or_null(&self, key: &Value) -> Value {
        match key {
            Value::Text(name) => self.get_or_null(name),
            key => self.find(key).unwrap_or_default(),
        }
    }

    /// The value of any key.
    pub fn find(&self, key: &Value) -> Option<Value> {
        self.entries.borrow().get(&ByRef(key)).cloned()
    }

    /// Sets the value of a text key.
    pub fn set(&self, key: &str, value: Value) {
        let mut entries = self.entries.borrow_mut();
        match entries.get_mut(&Name(key)) {
            Some(place) => *place = value,
            None => {
                entries.insert(Key(Value::text(key)), value);
            }
        }
    }

    /// Sets the value of any key, and returns what was there.
    pub fn insert(&self, key: Value, value: Value) -> Option<Value> {
        self.entries.borrow_mut().insert(Key(key), value)
    }

    /// Removes an entry; the others keep their order.
    pub fn remove(&self, key: &Value) -> Option<Value> {
        self.entries.borrow_mut().shift_remove(&ByRef(key))
    }

    /// Removes all entries.
    pub fn clear(&self) {
        self.entries.borrow_mut().clear();
    }

    /// The entries as they are now. Callers iterate over this copy, so that the script may change the map meanwhile.
    pub fn entries(&self) -> Vec<(Value, Value)> {
        self.entries.borrow().iter().map(|(key, value)| (key.0.clone(), value.clone())).collect()
    }

    /// The keys.
    pub fn keys(&self) -> Vec<Value> {
        self.entries.borrow().keys().map(|key| key.0.clone()).collect()
    }

    /// The values.
    pub fn values(&self) -> Vec<Value> {
        self.entries.borrow().values().cloned().collect()
    }
}

impl FromIterator<(Value, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (Value, Value)>>(entries: I) -> Self {
        let entries: Entries = entries.into_iter().map(|(key, value)| (Key(key), value)).collect();
        Map { entries: RefCell::new(entries), absent: None }
    }
}

/// A closure: its code, and the variables of the enclosing code that it uses.
pub struct Closure {
    pub(super) instance: Rc<Instance>,
    pub(super) body: ClosureBody,
    /// Where names that are known nowhere else are looked up: `with`, `delegate`.
    pub(super) delegate: RefCell<Option<Rc<Delegate>>>,
}

/// What a closure does when it is called.
pub(super) enum ClosureBody {
    /// A closure of the script, with the variables that it shares with the enclosing code.
    Code { index: u32, captured: Box<[Cell]> },
    /// `&name`: a method of the script or of a value.
    Method { receiver: Option<Value>, name: Arc<str> },
    /// `curry` and `rcurry`.
    Curried { inner: Rc<Closure>, before: Vec<Value>, after: Vec<Value> },
    /// `>>` and `<<`: the first, then the second with its result.
    Composed { first: Rc<Closure>, second: Rc<Closure> },
}

/// The objects to which a closure's unknown names belong, innermost first.
#[derive(Clone)]
pub(super) struct Delegate {
    pub(super) value: Value,
    pub(super) outer: Option<Rc<Delegate>>,
}

impl Value {
    /// A text.
    pub fn text(text: impl AsRef<str>) -> Self {
        Value::Text(Arc::from(text.as_ref()))
    }

    /// A list.
    pub fn list(items: Vec<Value>) -> Self {
        Value::List(Rc::new(List::new(items, ListKind::List)))
    }

    /// A set: the first of equal elements stays.
    pub fn set(items: Vec<Value>) -> Self {
        let set = List::new(Vec::with_capacity(items.len()), ListKind::Set);
        for item in items {
            set.push(item);
        }
        Value::List(Rc::new(set))
    }

    /// A map with any keys.
    pub fn map(entries: impl IntoIterator<Item = (Value, Value)>) -> Self {
        Value::Map(Rc::new(entries.into_iter().collect()))
    }

    /// A map that answers for text keys which it does not have.
    pub fn map_with_absent(entries: impl IntoIterator<Item = (Value, Value)>, absent: fn(&str) -> Value) -> Self {
        let mut map: Map = entries.into_iter().collect();
        map.absent = Some(absent);
        Value::Map(Rc::new(map))
    }

    /// A null of which only this is known: what would stand there, and why it does not.
    pub fn unknown(what: impl AsRef<str>) -> Self {
        Value::Unknown(Arc::from(what.as_ref()))
    }

    /// A map with text keys.
    pub fn record<'a>(entries: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        Value::map(entries.into_iter().map(|(key, value)| (Value::text(key), value)))
    }

    /// An `Integer` if the number fits, else a `Long`.
    pub fn int(number: i64) -> Self {
        i32::try_from(number).map_or(Value::Long(number), Value::Int)
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null | Value::Unknown(_))
    }

    /// Whether it is a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Value::Int(_) | Value::Long(_) | Value::Decimal(_) | Value::Double(_))
    }

    /// The text, if it is one (or the name of a method).
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) | Value::Method(text) => Some(text),
            _ => None,
        }
    }

    /// The list, if it is one.
    pub fn as_list(&self) -> Option<&Rc<List>> {
        if let Value::List(list) = self { Some(list) } else { None }
    }

    /// The map, if it is one.
    pub fn as_map(&self) -> Option<&Rc<Map>> {
        if let Value::Map(map) = self { Some(map) } else { None }
    }

    /// The host's object, if it is one.
    pub fn as_object(&self) -> Option<&Object> {
        if let Value::Object(object) = self { Some(object) } else { None }
    }

    /// The closure, if it is one.
    pub fn as_closure(&self) -> Option<&Rc<Closure>> {
        if let Value::Closure(closure) = self { Some(closure) } else { None }
    }

    /// Equality as Java's `equals` has it: numbers of different classes differ. Map keys and sets use it.
    pub fn same(&self, other: &Value) -> bool {
        same(self, other, 0, &mut { MAX_COMPARED })
    }

    /// The value of the present moment, to be kept between runs. Closures and values that contain themselves have none.
    pub fn freeze(&self) -> Result<super::Frozen, super::NotFreezable> {
        super::frozen::freeze(self)
    }
}

fn same(left: &Value, right: &Value, depth: u32, budget: &mut u32) -> bool {
    if depth > MAX_NESTING || *budget == 0 {
        return false;
    }
    *budget -= 1;
    match (left, right) {
        (left, right) if left.is_null() || right.is_null() => left.is_null() && right.is_null(),
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Long(a), Value::Long(b)) | (Value::Date(a), Value::Date(b)) => a == b,
        (Value::Decimal(a), Value::Decimal(b)) => a == b,
        (Value::Double(a), Value::Double(b)) => a.to_bits() == b.to_bits(),
        (Value::Text(a), Value::Text(b))
        | (Value::Class(a), Value::Class(b))
        | (Value::Method(a), Value::Method(b)) => a == b,
        (Value::Object(a), Value::Object(b)) => a.kind == b.kind && a.id == b.id,
        (Value::Closure(a), Value::Closure(b)) => Rc::ptr_eq(a, b),
        (Value::Pattern(a), Value::Pattern(b)) => Rc::ptr_eq(a, b),
        (Value::Native(a), Value::Native(b)) => Rc::ptr_eq(a, b) || a.same(b, |x, y| same(x, y, depth + 1, budget)),
        (Value::List(a), Value::List(b)) => Rc::ptr_eq(a, b) || same_items(a, b, depth, budget),
        (Value::Map(a), Value::Map(b)) => Rc::ptr_eq(a, b) || same_entries(a, b, depth, budget),
        _ => false,
    }
}

fn same_items(left: &List, right: &List, depth: u32, budget: &mut u32) -> bool {
    let (left, right) = (left.items.borrow(), right.items.borrow());
    left.len() == right.len() && left.iter().zip(right.iter()).all(|(a, b)| same(a, b, depth + 1, budget))
}

fn same_entries(left: &Map, right: &Map, depth: u32, budget: &mut u32) -> bool {
    // A map that is being changed is compared with its own keys: it is none of them.
    let (Ok(left), Ok(right)) = (left.entries.try_borrow(), right.entries.try_borrow()) else { return false };
    left.len() == right.len()
        && left.iter().all(|(key, a)| right.get(&ByRef(&key.0)).is_some_and(|b| same(a, b, depth + 1, budget)))
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Value::Bool(flag)
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Self {
        Value::Int(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::text(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(Arc::from(text))
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Value::Object(object)
    }
}

/// The text without the host's help: its objects show only their numbers. [`Run::text`](super::Run::text) asks the host.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        let mut plain =
            |object: &Object| -> Result<String, Trouble> { Ok(format!("object {}:{}", object.kind, object.id)) };
        match super::text::write(self, &mut text, &mut plain) {
            Ok(()) => f.write_str(&text),
            Err(_) => Err(fmt::Error),
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}: {}", super::class::name_of(self))
    }
}
