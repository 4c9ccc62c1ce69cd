//! Reading and writing names, properties and elements.

use super::{Env, Frame, MAX_DEPTH};
use crate::host::Elements;
use crate::library;
use crate::native::Native;
use crate::number;
use crate::span::Span;
use crate::tree::{Access, Expr, ExprKind, Member, Symbol};
use crate::trouble::{Trouble, TroubleKind};
use crate::value::{Delegate, List, Object, Value};
use std::rc::Rc;

impl Frame<'_> {
    /// A name that is no local variable.
    pub(super) fn name(&mut self, symbol: Symbol, span: Span) -> Result<Value, Trouble> {
        let name = self.script.name(symbol).clone();
        if let Some(value) = self.delegated(&name, span)? {
            return Ok(value);
        }
        self.global_by_name(&name, span)
    }

    /// What the objects that this closure is delegated to make of a name.
    fn delegated(&mut self, name: &str, span: Span) -> Result<Option<Value>, Trouble> {
        let mut delegate = self.delegate.clone();
        while let Some(link) = delegate {
            if name == "delegate" {
                return Ok(Some(link.value.clone()));
            }
            if let Some(value) = self.env.try_property(&link.value, name, span)? {
                return Ok(Some(value));
            }
            delegate = link.outer.clone();
        }
        Ok(None)
    }

    /// A field, a getter of the script, something of the host, or the name of a method.
    pub(super) fn global_by_name(&mut self, name: &str, span: Span) -> Result<Value, Trouble> {
        if let Some(value) = self.instance.global(name) {
            return Ok(value);
        }
        if let Some(getter) = self.script.symbol(name).and_then(|symbol| self.script.getter(symbol)) {
            return self.env.call_method(self.instance, &self.script.name(getter).clone(), &[]);
        }
        let env = &mut self.env;
        if let Some(value) = env.host.get(env.run, None, name, span)? {
            return Ok(value);
        }
        if self.script.has_method(name) {
            return Ok(Value::Method(name.into()));
        }
        let (receiver, property) = ("the app".to_owned(), name.to_owned());
        Err(Trouble::new(TroubleKind::MissingProperty { receiver, property }))
    }

    pub(super) fn set_global(&mut self, name: &str, value: Value, span: Span) -> Result<(), Trouble> {
        let known = self.instance.global(name).is_some();
        let env = &mut self.env;
        if known || !env.host.set(env.run, None, name, &value, span)? {
            self.instance.set_global(name, value);
        }
        Ok(())
    }

    pub(super) fn property(
        &mut self,
        object: &Expr,
        name: &Member,
        access: Access,
        span: Span,
    ) -> Result<Value, Trouble> {
        if matches!(object.kind, ExprKind::This) {
            let name = self.member(name)?;
            return self.global_by_name(&name, span);
        }
        let object = self.eval(object)?;
        if object.is_null() && access != Access::Plain {
            return Ok(Value::Null);
        }
        if let (Member::Fixed(symbol), Access::Plain | Access::Safe) = (name, access) {
            return self.env.get_property(&object, self.script.name(*symbol), span);
        }
        let name = self.member(name)?;
        if access == Access::Spread {
            let items = self.env.iterated(&object)?;
            return self.env.spread_property(items, &name, span);
        }
        self.env.get_property(&object, &name, span)
    }

    pub(super) fn index(&mut self, object: &Expr, index: &Expr, safe: bool, span: Span) -> Result<Value, Trouble> {
        if matches!(object.kind, ExprKind::This) {
            let name = self.eval(index)?;
            let name = self.env.text(&name)?;
            return self.global_by_name(&name, span);
        }
        let object = self.eval(object)?;
        if safe && object.is_null() {
            return Ok(Value::Null);
        }
        let index = self.eval(index)?;
        self.env.get_index(&object, &index, span)
    }

    /// `target = value`; the value is that of the expression too.
    pub(super) fn assign(&mut self, target: &Expr, value: Value) -> Result<Value, Trouble> {
        let span = target.span;
        match &target.kind {
            ExprKind::Local(slot) => self.write(*slot, value.clone()),
            ExprKind::Name(symbol) => {
                let name = self.script.name(*symbol).clone();
                if !self.set_delegated(&name, &value, span)? {
                    self.set_global(&name, value.clone(), span)?;
                }
            }
            ExprKind::Property { object, name, access } => self.assign_property(object, name, *access, &value, span)?,
            ExprKind::Index { object, index, .. } => {
                let object = self.eval(object)?;
                let index = self.eval(index)?;
                self.env.set_index(&object, &index, value.clone(), span)?;
            }
            _ => return Err(Trouble::unsupported("this kind of assignment")),
        }
        Ok(value)
    }

    fn assign_property(
        &mut self,
        object: &Expr,
        name: &Member,
        access: Access,
        value: &Value,
        span: Span,
    ) -> Result<(), Trouble> {
        let name = self.member(name)?;
        if matches!(object.kind, ExprKind::This) {
            return self.set_global(&name, value.clone(), span);
        }
        let place = object;
        let object = self.eval(object)?;
        if object.is_null() && access == Access::Safe {
            return Ok(());
        }
        if let Value::Date(millis) = object {
            let setter = format!("set{}", library::upper_first(&name));
            return match library::changed_date(&mut self.env, millis, &setter, std::slice::from_ref(value))? {
                Some(changed) if place.is_place() => self.assign(place, Value::Date(changed)).map(drop),
                Some(_) => Ok(()),
                None => Err(self.env.missing_property(&object, &name)),
            };
        }
        if access == Access::Spread {
            for item in self.env.iterated(&object)? {
                self.env.set_property(&item, &name, value.clone(), span)?;
            }
            return Ok(());
        }
        self.env.set_property(&object, &name, value.clone(), span)
    }

    /// A map or an object of the host that a closure is delegated to takes assignments.
    fn set_delegated(&mut self, name: &str, value: &Value, span: Span) -> Result<bool, Trouble> {
        let mut delegate = self.delegate.clone();
        while let Some(link) = delegate {
            match &link.value {
                Value::Map(map) => {
                    map.set(name, value.clone());
                    return Ok(true);
                }
                Value::Object(object) => {
                    let env = &mut self.env;
                    if env.host.set(env.run, Some(object), name, value, span)? {
                        return Ok(true);
                    }
                }
                _ => {}
            }
            delegate = link.outer.clone();
        }
        Ok(false)
    }
}

impl Env<'_> {
    /// `object.name`.
    pub(super) fn get_property(&mut self, object: &Value, name: &str, span: Span) -> Result<Value, Trouble> {
        if let Value::Map(map) = object {
            return Ok(map.get_or_null(name));
        }
        if object.is_null() {
            return Err(Trouble::null(format!("Cannot get property '{name}' on null object")).by_unknown([object]));
        }
        match self.try_property(object, name, span)? {
            Some(value) => Ok(value),
            None => Err(self.missing_property(object, name)),
        }
    }

    fn missing_property(&mut self, object: &Value, name: &str) -> Trouble {
        let receiver = self.in_words(object);
        Trouble::new(TroubleKind::MissingProperty { receiver, property: name.to_owned() })
    }

    /// A property, if the value has it. A map has all of them.
    fn try_property(&mut self, object: &Value, name: &str, span: Span) -> Result<Option<Value>, Trouble> {
        match object {
            Value::Null | Value::Unknown(_) => Ok(None),
            Value::Map(map) => Ok(Some(map.get_or_null(name))),
            Value::Object(object) => self.object_property(object, name, span),
            Value::List(list) => match library::property(self, object, name)? {
                Some(value) => Ok(Some(value)),
                None => self.spread_property(list.items(), name, span).map(Some),
            },
            other => library::property(self, other, name),
        }
    }

    fn object_property(&mut self, object: &Object, name: &str, span: Span) -> Result<Option<Value>, Trouble> {
        if let Some(value) = self.host.get(self.run, Some(object), name, span)? {
            return Ok(Some(value));
        }
        match self.host.elements(self.run, object)? {
            // What is its own only element would be asked again, for ever.
            Some(Elements::List(items)) if !is_only_itself(&items, object) => {
                return self.spread_property(items, name, span).map(Some);
            }
            Some(Elements::Map(map)) => return Ok(Some(map.get(name).unwrap_or_default())),
            _ => {}
        }
        let getter = format!("get{}", library::upper_first(name));
        self.host.call(self.run, Some(object), &getter, &[], span)
    }

    /// The property of each element; null has none of its own.
    fn spread_property(&mut self, items: Vec<Value>, name: &str, span: Span) -> Result<Value, Trouble> {
        // A list can contain itself.
        if self.run.depth >= MAX_DEPTH {
            return Err(Trouble::new(TroubleKind::TooDeep));
        }
        self.run.depth += 1;
        let of_item = |item: Value| match item.is_null() {
            true => Ok(Value::Null),
            false => self.get_property(&item, name, span),
        };
        let values: Result<Vec<Value>, Trouble> = items.into_iter().map(of_item).collect();
        self.run.depth -= 1;
        let values = values?;
        self.run.charge_items(values.len())?;
        Ok(Value::list(values))
    }

    /// `object.name = value`.
    pub(super) fn set_property(&mut self, object: &Value, name: &str, value: Value, span: Span) -> Result<(), Trouble> {
        let done = match object {
            Value::Null | Value::Unknown(_) => {
                let what = format!("Cannot set property '{name}' on null object");
                return Err(Trouble::null(what).by_unknown([object]));
            }
            Value::Map(map) => {
                self.run.charge_items(1)?;
                map.set(name, value);
                true
            }
            Value::Object(object) => self.set_object_property(object, name, &value, span)?,
            Value::Closure(closure) if name == "delegate" => {
                let outer = closure.delegate.borrow().clone();
                *closure.delegate.borrow_mut() = Some(Rc::new(Delegate { value, outer }));
                true
            }
            Value::Closure(_) => name == "resolveStrategy",
            other => library::set_property(self, other, name, &value)?,
        };
        if done { Ok(()) } else { Err(self.missing_property(object, name)) }
    }

    fn set_object_property(&mut self, object: &Object, name: &str, value: &Value, span: Span) -> Result<bool, Trouble> {
        if self.host.set(self.run, Some(object), name, value, span)? {
            return Ok(true);
        }
        let setter = format!("set{}", library::upper_first(name));
        let arguments = std::slice::from_ref(value);
        Ok(self.host.call(self.run, Some(object), &setter, arguments, span)?.is_some())
    }

    /// `object[index]`.
    pub(crate) fn get_index(&mut self, object: &Value, index: &Value, span: Span) -> Result<Value, Trouble> {
        match object {
            Value::Null | Value::Unknown(_) => {
                Err(Trouble::null("Cannot invoke method getAt() on null object").by_unknown([object]))
            }
            Value::List(list) => self.list_index(list, index, span),
            Value::Map(map) => Ok(map.find_or_null(&key_of(index))),
            Value::Text(text) => self.text_index(text, index),
            Value::Object(object) => self.object_index(object, index, span),
            Value::Native(native) => match &**native {
                Native::Matcher(matcher) => {
                    let at = number::to_long(index).and_then(|at| at_index(at, matcher.count()));
                    at.and_then(|at| matcher.at(at)).ok_or_else(|| out_of_range(index, matcher.count()))
                }
                _ => self.call_on(object, "getAt", std::slice::from_ref(index)),
            },
            other => self.call_on(other, "getAt", std::slice::from_ref(index)),
        }
    }

    fn list_index(&mut self, list: &List, index: &Value, span: Span) -> Result<Value, Trouble> {
        match index {
            Value::List(indices) => {
                let mut values = Vec::new();
                for index in indices.items() {
                    values.push(self.list_index(list, &index, span)?);
                }
                Ok(Value::list(values))
            }
            Value::Text(name) => self.spread_property(list.items(), name, span),
            _ => {
                let Some(at) = number::to_long(index) else { return Err(self.bad_cast(index, "Integer")) };
                if at < 0 && at_index(at, list.len()).is_none() {
                    return Err(out_of_range(index, list.len()));
                }
                Ok(at_index(at, list.len()).and_then(|at| list.get(at)).unwrap_or_default())
            }
        }
    }

    fn text_index(&mut self, text: &str, index: &Value) -> Result<Value, Trouble> {
        let characters: Vec<char> = text.chars().collect();
        let at = |index: &Value| -> Result<char, Trouble> {
            let at = number::to_long(index).and_then(|at| at_index(at, characters.len()));
            at.map(|at| characters[at]).ok_or_else(|| out_of_range(index, characters.len()))
        };
        match index {
            Value::List(indices) => {
                let part: Result<String, Trouble> = indices.items().iter().map(at).collect();
                Ok(Value::from(part?))
            }
            index => Ok(Value::from(at(index)?.to_string())),
        }
    }

    fn object_index(&mut self, object: &Object, index: &Value, span: Span) -> Result<Value, Trouble> {
        if let Some(value) = self.host.index(self.run, object, index, span)? {
            return Ok(value);
        }
        if let Value::Text(name) = index {
            return self.get_property(&Value::Object(object.clone()), name, span);
        }
        match self.host.elements(self.run, object)? {
            Some(Elements::List(items)) => self.get_index(&Value::list(items), index, span),
            Some(Elements::Map(map)) => Ok(map.find(index).unwrap_or_default()),
            None => self.call_on(&Value::Object(object.clone()), "getAt", std::slice::from_ref(index)),
        }
    }

    /// `object[index] = value`.
    pub(crate) fn set_index(&mut self, object: &Value, index: &Value, value: Value, span: Span) -> Result<(), Trouble> {
        match object {
            Value::Null | Value::Unknown(_) => {
                Err(Trouble::null("Cannot invoke method putAt() on null object").by_unknown([object]))
            }
            Value::List(list) => self.set_list_index(list, index, value),
            Value::Map(map) => {
                self.run.charge_items(2)?;
                map.insert(key_of(index), value);
                Ok(())
            }
            Value::Object(host_object) => {
                if self.host.set_index(self.run, host_object, index, &value, span)? {
                    return Ok(());
                }
                match index {
                    Value::Text(name) => self.set_property(object, name, value, span),
                    _ => self.call_on(object, "putAt", &[index.clone(), value]).map(drop),
                }
            }
            other => self.call_on(other, "putAt", &[index.clone(), value]).map(drop),
        }
    }

    /// A list grows up to the index that is assigned.
    fn set_list_index(&mut self, list: &List, index: &Value, value: Value) -> Result<(), Trouble> {
        let at = number::to_long(index).ok_or_else(|| self.bad_cast(index, "Integer"))?;
        let size = list.len();
        let at = if at < 0 { at_index(at, size) } else { usize::try_from(at).ok() };
        let Some(at) = at else { return Err(out_of_range(index, size)) };
        self.run.charge_items((at + 1).saturating_sub(size))?;
        list.change(|items| {
            if at >= items.len() {
                items.resize(at + 1, Value::Null);
            }
            items[at] = value;
        });
        Ok(())
    }
}

/// Whether an object of the host is a list of nothing but itself.
fn is_only_itself(items: &[Value], object: &Object) -> bool {
    matches!(items, [Value::Object(only)] if only.kind == object.kind && only.id == object.id)
}

/// A key as maps keep it: the name of a method is its text.
fn key_of(index: &Value) -> Value {
    match index {
        Value::Method(name) => Value::Text(name.clone()),
        other => other.clone(),
    }
}

/// An index into a list of this length; negative ones count from the end.
pub(crate) fn at_index(index: i64, size: usize) -> Option<usize> {
    let from_end = if index < 0 { index.checked_add(i64::try_from(size).ok()?)? } else { index };
    usize::try_from(from_end).ok().filter(|&at| at < size)
}

pub(crate) fn out_of_range(index: &Value, size: usize) -> Trouble {
    Trouble::new(TroubleKind::IndexOutOfRange(format!("index {index} of {size} elements")))
}

impl Env<'_> {
    /// A property by a name that was computed.
    pub(crate) fn get_index_or_property(&mut self, object: &Value, name: &str) -> Result<Value, Trouble> {
        self.get_property(object, name, self.run.at)
    }

    /// Sets a property by a name that was computed.
    pub(crate) fn set_any_property(&mut self, object: &Value, name: &str, value: Value) -> Result<(), Trouble> {
        self.set_property(object, name, value, self.run.at)
    }
}
