//! Calls: evaluating arguments, finding what a name means, binding parameters.

use super::statement::Flow;
use super::{Env, Frame, Instance, MAX_CALLS, StackPlace};
use crate::host::Elements;
use crate::library;
use crate::native::Native;
use crate::script::Script;
use crate::span::Span;
use crate::tree::{self, Access, Call, Callee, Expr, ExprKind, Function, Member, Method, Symbol};
use crate::trouble::{Trouble, TroubleKind};
use crate::value::{Closure, ClosureBody, Delegate, Object, Value};
use smallvec::SmallVec;
use std::rc::Rc;
use std::sync::Arc;

/// The values of arguments. Most calls have few.
pub(super) type ArgumentValues = SmallVec<[Value; 4]>;

impl Frame<'_> {
    pub(super) fn arguments(&mut self, arguments: &tree::Arguments) -> Result<ArgumentValues, Trouble> {
        if arguments.named.is_empty() {
            return self.items(&arguments.positional);
        }
        let named = self.map(&arguments.named)?;
        let mut values = self.items(&arguments.positional)?;
        values.insert(0, named);
        Ok(values)
    }

    pub(super) fn call(&mut self, call: &Call, span: Span) -> Result<Value, Trouble> {
        match &call.callee {
            Callee::Name(symbol) => {
                let arguments = self.arguments(&call.arguments)?;
                let name = self.script.name(*symbol).clone();
                self.call_name(&name, Some(*symbol), &arguments, span)
            }
            Callee::Method { object, name, access } => self.call_member(object, name, *access, &call.arguments, span),
            Callee::Computed(name) => {
                let name = self.eval(name)?;
                let name: Arc<str> = Arc::from(self.env.text(&name)?);
                let arguments = self.arguments(&call.arguments)?;
                self.call_name(&name, self.script.symbol(&name), &arguments, span)
            }
            Callee::Value(callee) => {
                let callee = self.eval(callee)?;
                let arguments = self.arguments(&call.arguments)?;
                self.env.run.at = span;
                self.env.call_value(&callee, &arguments)
            }
        }
    }

    /// `name(…)`: what a closure is delegated to, the script's own methods, closures in its fields, the host.
    fn call_name(
        &mut self,
        name: &Arc<str>,
        symbol: Option<Symbol>,
        arguments: &[Value],
        span: Span,
    ) -> Result<Value, Trouble> {
        self.env.run.at = span;
        let mut delegate = self.delegate.clone();
        while let Some(link) = delegate {
            if let Some(result) = self.env.try_call_on(&link.value, name, arguments, span)? {
                return Ok(result);
            }
            delegate = link.outer.clone();
        }
        self.env.call_global(self.instance, name, symbol, arguments, span)
    }

    fn call_member(
        &mut self,
        object: &Expr,
        name: &Member,
        access: Access,
        arguments: &tree::Arguments,
        span: Span,
    ) -> Result<Value, Trouble> {
        if matches!(object.kind, ExprKind::This) {
            let name = self.member(name)?;
            let arguments = self.arguments(arguments)?;
            self.env.run.at = span;
            return self.env.call_global(self.instance, &name, self.script.symbol(&name), &arguments, span);
        }
        let receiver = self.eval(object)?;
        if receiver.is_null() && access != Access::Plain {
            return Ok(Value::Null);
        }
        let name = self.member(name)?;
        let arguments = self.arguments(arguments)?;
        self.env.run.at = span;
        if access == Access::Spread {
            return self.env.call_spread(&receiver, &name, &arguments);
        }
        if let Value::Date(millis) = receiver
            && (name.starts_with("set") || &*name == "clearTime")
        {
            return self.change_date(object, millis, &name, &arguments);
        }
        self.env.call_at(&receiver, &name, &arguments, span)
    }

    /// A method that changes a date: the result replaces the date where it came from, if that is a place.
    fn change_date(&mut self, place: &Expr, millis: i64, name: &str, arguments: &[Value]) -> Result<Value, Trouble> {
        let Some(changed) = library::changed_date(&mut self.env, millis, name, arguments)? else {
            return Err(self.env.missing_method(&Value::Date(millis), name, arguments));
        };
        let changed = Value::Date(changed);
        if place.is_place() {
            self.assign(place, changed.clone())?;
        }
        Ok(if name == "clearTime" { changed } else { Value::Null })
    }
}

impl Env<'_> {
    /// Runs the top-level statements of a script.
    pub(super) fn run_script(&mut self, instance: &Rc<Instance>) -> Result<Value, Trouble> {
        self.set_fields(instance)?;
        let script = instance.script.clone();
        self.execute(instance, script.body(), None, &[], None, &[])
    }

    /// Calls a method of a script by its name.
    pub(super) fn call_method(
        &mut self,
        instance: &Rc<Instance>,
        name: &str,
        arguments: &[Value],
    ) -> Result<Value, Trouble> {
        self.set_fields(instance)?;
        let symbol = instance.script.symbol(name);
        match self.call_own(instance, symbol, arguments)? {
            Some(result) => Ok(result),
            None => Err(self.missing_global(name, arguments)),
        }
    }

    /// Gives the fields of a script their first values.
    fn set_fields(&mut self, instance: &Rc<Instance>) -> Result<(), Trouble> {
        if instance.fields_set.replace(true) {
            return Ok(());
        }
        let script = instance.script.clone();
        for field in script.fields() {
            let value = match &field.value {
                Some(expression) => self.in_frame(instance, None, 0, |frame| frame.eval(expression))?,
                None => Value::Null,
            };
            instance.set_global(script.name(field.name), value);
        }
        Ok(())
    }

    /// Calls one of the script's own methods; `None` if none takes these arguments.
    fn call_own(
        &mut self,
        instance: &Rc<Instance>,
        symbol: Option<Symbol>,
        arguments: &[Value],
    ) -> Result<Option<Value>, Trouble> {
        let Some(symbol) = symbol else { return Ok(None) };
        let script = instance.script.clone();
        let Some(method) = self.select(&script, script.overloads(symbol), arguments) else { return Ok(None) };
        let result = self.execute(instance, &method.function, None, &[], None, arguments)?;
        Ok(Some(match &method.returns {
            Some(class) if !result.is_null() => {
                let cast = self.cast(result, class);
                cast.map_err(|trouble| trouble.locate(method.span, instance.tag, || script.position(method.span)))?
            }
            _ => result,
        }))
    }

    /// The method among those of one name that takes these arguments.
    fn select<'s>(&mut self, script: &'s Script, overloads: &[u32], arguments: &[Value]) -> Option<&'s Method> {
        let methods = overloads.iter().map(|&index| script.method(index));
        let mut taking = methods.filter(|method| takes(&method.function, arguments.len()));
        taking.find(|method| self.fits(&method.function, arguments))
    }

    /// Whether the arguments are of the classes that the parameters were declared with.
    fn fits(&mut self, function: &Function, arguments: &[Value]) -> bool {
        let mut pairs = function.parameters.iter().zip(arguments);
        // With default values left out, arguments and parameters do not line up: then anything goes.
        function.variadic
            || arguments.len() != function.parameters.len()
            || pairs.all(|(parameter, value)| parameter.class.as_ref().is_none_or(|class| self.accepts(class, value)))
    }

    /// Calls a name without a receiver, outside of any closure's delegate.
    pub(super) fn call_global(
        &mut self,
        instance: &Rc<Instance>,
        name: &str,
        symbol: Option<Symbol>,
        arguments: &[Value],
        span: Span,
    ) -> Result<Value, Trouble> {
        if let Some(result) = self.call_own(instance, symbol, arguments)? {
            return Ok(result);
        }
        if let Some(callee) = instance.global(name) {
            return self.call_value(&callee, arguments);
        }
        let answer = self.host.call(self.run, None, name, arguments, span);
        if let Some(result) = answer.map_err(|trouble| trouble.by_unknown(arguments))? {
            return Ok(result);
        }
        if let Some(result) = library::global(self, name, arguments)? {
            return Ok(result);
        }
        Err(self.missing_global(name, arguments))
    }

    fn missing_global(&mut self, name: &str, arguments: &[Value]) -> Trouble {
        let arguments = arguments.iter().map(|argument| self.in_words(argument)).collect();
        Trouble::new(TroubleKind::MissingMethod { receiver: "the app".to_owned(), method: name.to_owned(), arguments })
    }

    /// The error of a method that a value does not have.
    pub(crate) fn missing_method(&mut self, receiver: &Value, name: &str, arguments: &[Value]) -> Trouble {
        if receiver.is_null() {
            return Trouble::null(format!("Cannot invoke method {name}() on null object"));
        }
        let arguments = arguments.iter().map(|argument| self.in_words(argument)).collect();
        let receiver = self.in_words(receiver);
        Trouble::new(TroubleKind::MissingMethod { receiver, method: name.to_owned(), arguments })
    }

    /// Calls a value that should be a closure.
    pub(crate) fn call_value(&mut self, callee: &Value, arguments: &[Value]) -> Result<Value, Trouble> {
        match callee {
            Value::Closure(closure) => self.call_closure(&closure.clone(), arguments),
            other => self.call_on(other, "call", arguments),
        }
    }

    /// Calls a method of a value.
    pub(crate) fn call_on(&mut self, receiver: &Value, name: &str, arguments: &[Value]) -> Result<Value, Trouble> {
        self.call_at(receiver, name, arguments, self.run.at)
    }

    fn call_at(&mut self, receiver: &Value, name: &str, arguments: &[Value], span: Span) -> Result<Value, Trouble> {
        let result = match self.try_call_on(receiver, name, arguments, span) {
            Ok(Some(result)) => Ok(result),
            Ok(None) => Err(self.missing_method(receiver, name, arguments)),
            Err(trouble) => Err(trouble),
        };
        result.map_err(|trouble| trouble.by_unknown([receiver].into_iter().chain(arguments)))
    }

    /// Calls a method of a value, if it has it: the host's for its objects, else the library's.
    fn try_call_on(
        &mut self,
        receiver: &Value,
        name: &str,
        arguments: &[Value],
        span: Span,
    ) -> Result<Option<Value>, Trouble> {
        self.run.tick()?;
        match receiver {
            Value::Object(object) => self.call_object(object, receiver, name, arguments, span),
            _ if arguments.iter().any(|argument| matches!(argument, Value::Unknown(_))) => {
                // To the library it is one null like any other.
                let plain = |argument: &Value| if argument.is_null() { Value::Null } else { argument.clone() };
                let arguments: ArgumentValues = arguments.iter().map(plain).collect();
                library::call(self, receiver, name, &arguments)
            }
            _ => library::call(self, receiver, name, arguments),
        }
    }

    fn call_object(
        &mut self,
        object: &Object,
        receiver: &Value,
        name: &str,
        arguments: &[Value],
        span: Span,
    ) -> Result<Option<Value>, Trouble> {
        if let Some(result) = self.host.call(self.run, Some(object), name, arguments, span)? {
            return Ok(Some(result));
        }
        let view = match self.host.elements(self.run, object)? {
            Some(Elements::List(items)) => Some(Value::list(items)),
            Some(Elements::Map(map)) => Some(Value::Map(map)),
            None => None,
        };
        if let Some(view) = view
            && let Some(result) = library::call(self, &view, name, arguments)?
        {
            return Ok(Some(result));
        }
        if let Some(result) = library::call_plain(self, receiver, name, arguments)? {
            return Ok(Some(result));
        }
        self.accessor(object, name, arguments, span)
    }

    /// `getName()` and `setName(x)` stand for the property `name`.
    fn accessor(
        &mut self,
        object: &Object,
        name: &str,
        arguments: &[Value],
        span: Span,
    ) -> Result<Option<Value>, Trouble> {
        if let ([], Some(property)) = (arguments, property_name(name, "get")) {
            return self.host.get(self.run, Some(object), &property, span);
        }
        if let ([value], Some(property)) = (arguments, property_name(name, "set")) {
            let set = self.host.set(self.run, Some(object), &property, value, span)?;
            return Ok(set.then_some(Value::Null));
        }
        Ok(None)
    }

    /// `receiver*.name(…)`.
    fn call_spread(&mut self, receiver: &Value, name: &str, arguments: &[Value]) -> Result<Value, Trouble> {
        let mut results = Vec::new();
        for item in self.iterated(receiver)? {
            results.push(if item.is_null() { Value::Null } else { self.call_on(&item, name, arguments)? });
        }
        self.run.charge_items(results.len())?;
        Ok(Value::list(results))
    }

    /// Calls a closure.
    pub(crate) fn call_closure(&mut self, closure: &Rc<Closure>, arguments: &[Value]) -> Result<Value, Trouble> {
        match &closure.body {
            ClosureBody::Code { index, captured } => {
                let script = closure.instance.script.clone();
                let code = script.closure(*index);
                let destructured = self.destructured(&code.function, code.implicit, arguments)?;
                let arguments = destructured.as_deref().unwrap_or(arguments);
                let delegate = closure.delegate.borrow().clone();
                self.execute(&closure.instance, &code.function, Some(code), captured, delegate, arguments)
            }
            ClosureBody::Method { receiver: None, name } => {
                let symbol = closure.instance.script.symbol(name);
                self.call_global(&closure.instance, name, symbol, arguments, self.run.at)
            }
            ClosureBody::Method { receiver: Some(receiver), name } => self.call_on(receiver, name, arguments),
            ClosureBody::Curried { inner, before, after } => {
                let all: Vec<Value> = before.iter().chain(arguments).chain(after).cloned().collect();
                self.call_closure(inner, &all)
            }
            ClosureBody::Composed { first, second } => {
                let result = self.call_closure(first, arguments)?;
                self.call_closure(second, &[result])
            }
        }
    }

    /// A closure with several parameters takes a single list or map entry apart.
    fn destructured(
        &mut self,
        function: &Function,
        implicit: bool,
        arguments: &[Value],
    ) -> Result<Option<Vec<Value>>, Trouble> {
        let spread = match arguments {
            [Value::List(list)] if function.parameters.len() > 1 => Some(list.items()),
            [Value::Native(native)] if function.parameters.len() > 1 => match &**native {
                Native::Entry(key, value) => Some(vec![key.clone(), value.clone()]),
                _ => None,
            },
            _ => None,
        };
        let given = spread.as_deref().unwrap_or(arguments);
        let taken = takes(function, given.len()) && !(implicit && given.len() > 1);
        if taken && self.fits(function, given) {
            return Ok(spread);
        }
        let arguments = arguments.iter().map(|argument| self.in_words(argument)).collect();
        let (receiver, method) = ("a closure".to_owned(), "call".to_owned());
        Err(Trouble::new(TroubleKind::MissingMethod { receiver, method, arguments }))
    }

    /// Calls a closure whose unknown names belong to a value.
    pub(crate) fn call_with_delegate(
        &mut self,
        closure: &Rc<Closure>,
        delegate: Value,
        arguments: &[Value],
    ) -> Result<Value, Trouble> {
        let outer = closure.delegate.borrow().clone();
        let link = Rc::new(Delegate { value: delegate, outer: outer.clone() });
        *closure.delegate.borrow_mut() = Some(link);
        let result = self.call_closure(closure, arguments);
        *closure.delegate.borrow_mut() = outer;
        result
    }

    /// Executes the code of a method or closure in a fresh frame.
    fn execute(
        &mut self,
        instance: &Rc<Instance>,
        function: &Function,
        code: Option<&tree::ClosureCode>,
        captured: &[super::Cell],
        delegate: Option<Rc<Delegate>>,
        arguments: &[Value],
    ) -> Result<Value, Trouble> {
        self.in_frame(instance, delegate, function.slots, |frame| {
            if let Some(code) = code {
                for (&(_, slot), cell) in code.captures.iter().zip(captured) {
                    let place = frame.base + usize::from(slot);
                    frame.env.run.stack[place] = StackPlace::Shared(cell.clone());
                }
            }
            frame.bind(function, arguments)?;
            match frame.block(&function.body)? {
                Flow::Return(value) => Ok(value),
                _ => Ok(Value::Null),
            }
        })
    }

    /// Does something in a frame of its own, and leaves everything as it was, also after an error.
    fn in_frame(
        &mut self,
        instance: &Rc<Instance>,
        delegate: Option<Rc<Delegate>>,
        slots: u16,
        inner: impl FnOnce(&mut Frame<'_>) -> Result<Value, Trouble>,
    ) -> Result<Value, Trouble> {
        self.run.tick()?;
        if self.run.calls >= MAX_CALLS {
            return Err(Trouble::new(TroubleKind::TooDeep));
        }
        self.run.calls += 1;
        let base = self.run.stack.len();
        self.run.stack.resize_with(base + usize::from(slots), || StackPlace::Own(Value::Null));
        let at = self.run.at;
        let changes = self.run.instance.as_ref().is_none_or(|current| !Rc::ptr_eq(current, instance));
        let outer = changes.then(|| self.run.instance.replace(instance.clone()));
        let mut frame = Frame { env: self.again(), instance, script: &instance.script, base, delegate };
        let result = inner(&mut frame);
        if let Some(outer) = outer {
            self.run.instance = outer;
        }
        self.run.at = at;
        self.run.stack.truncate(base);
        self.run.calls -= 1;
        result
    }
}

impl Frame<'_> {
    /// Gives the parameters their values. The caller has seen to it that the function takes that many.
    fn bind(&mut self, function: &Function, arguments: &[Value]) -> Result<(), Trouble> {
        let parameters = &function.parameters;
        let required = parameters.iter().filter(|parameter| parameter.default.is_none()).count();
        let mut optional = arguments.len().saturating_sub(required);
        let mut given = arguments.iter();
        for (index, parameter) in parameters.iter().enumerate() {
            let value = if function.variadic && index + 1 == parameters.len() {
                rest_of(given.as_slice())
            } else {
                match &parameter.default {
                    Some(default) if optional == 0 => self.eval(default)?,
                    Some(_) => {
                        optional -= 1;
                        given.next().cloned().unwrap_or_default()
                    }
                    None => given.next().cloned().unwrap_or_default(),
                }
            };
            let value = match &parameter.class {
                Some(class) if !value.is_null() && !function.variadic => self.env.cast(value, class)?,
                _ => value,
            };
            self.declare(parameter.declared, value);
        }
        Ok(())
    }
}

/// What a variadic parameter gets: a list that was passed whole, or the rest of the arguments.
fn rest_of(rest: &[Value]) -> Value {
    match rest {
        [list @ Value::List(_)] => list.clone(),
        rest => Value::list(rest.to_vec()),
    }
}

/// Whether a function can be called with this number of arguments. As in Groovy, one parameter may be left out and is null.
fn takes(function: &Function, count: usize) -> bool {
    let most = function.parameters.len();
    let least = function.parameters.iter().filter(|parameter| parameter.default.is_none()).count();
    if function.variadic {
        return count + 1 >= least;
    }
    (least..=most).contains(&count) || (count == 0 && most == 1)
}

/// The property that a getter or setter stands for.
pub(crate) fn property_name(method: &str, prefix: &str) -> Option<String> {
    let rest = method.strip_prefix(prefix)?;
    let first = rest.chars().next().filter(|first| first.is_uppercase())?;
    Some(first.to_lowercase().chain(rest.chars().skip(1)).collect())
}
