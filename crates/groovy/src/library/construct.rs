//! `new`.

use super::arguments::{double, long};
use super::{date, exception};
use crate::native::Native;
use crate::number;
use crate::run::{Env, number_format, number_of_text};
use crate::span::Span;
use crate::trouble::Trouble;
use crate::value::Value;
use crate::{class, codec};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

impl Env<'_> {
    /// Makes an object of a class: one of the library's, else one of the host's.
    pub(crate) fn construct(&mut self, class: &str, arguments: &[Value], span: Span) -> Result<Value, Trouble> {
        if let Some(value) = collection(self, class, arguments)? {
            return Ok(value);
        }
        if let Some(value) = scalar(self, class, arguments)? {
            return Ok(value);
        }
        if let Some(value) = object(self, class, arguments)? {
            return Ok(value);
        }
        if let Some(value) = self.host.construct(self.run, class, arguments, span)? {
            return Ok(value);
        }
        if class::is_exception(class) {
            let message = match arguments.first() {
                Some(Value::Null) | None => None,
                Some(message) => Some(self.text(message)?),
            };
            return Ok(exception(class, message.as_deref()));
        }
        Err(Trouble::unsupported(format!("new {class}(…)")))
    }
}

fn collection(env: &mut Env<'_>, class: &str, arguments: &[Value]) -> super::Answer {
    let items = |env: &mut Env<'_>| match arguments {
        [] => Ok(Vec::new()),
        [size] if size.is_number() => Ok(Vec::new()),
        [other, ..] => env.iterated(other),
    };
    let value = match class {
        "ArrayList" | "LinkedList" | "Vector" | "Stack" | "ConcurrentLinkedQueue" => Value::list(items(env)?),
        "HashSet" | "LinkedHashSet" => Value::set(items(env)?),
        "HashMap" | "LinkedHashMap" | "ConcurrentHashMap" => match arguments {
            [Value::Map(map)] => Value::map(map.entries()),
            _ => Value::map([]),
        },
        "TreeMap" | "TreeSet" => return Err(Trouble::unsupported(format!("new {class}(…)"))),
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn scalar(env: &mut Env<'_>, class: &str, arguments: &[Value]) -> super::Answer {
    let value = match (class, arguments) {
        ("Date", []) => Value::Date(env.host.now(env.run)?),
        ("Date", [Value::Date(millis)]) => Value::Date(*millis),
        ("Date", [millis]) if millis.is_number() => Value::Date(long(env, millis)?),
        ("Date", [Value::Null]) => return Err(Trouble::null("new Date(null)")),
        ("Date", _) => match date::from_fields(env, arguments)? {
            Some(date) => date,
            None => return Err(Trouble::unsupported("new Date(…) of these arguments")),
        },
        ("String", []) => Value::text(""),
        ("String", [Value::List(_), ..]) => {
            let bytes = codec::bytes_of(&arguments[0]).ok_or_else(|| env.bad_cast(&arguments[0], "byte[]"))?;
            Value::from(String::from_utf8_lossy(&bytes).into_owned())
        }
        ("String", [value, ..]) => Value::from(env.text(value)?),
        ("Integer" | "Long" | "BigDecimal" | "BigInteger" | "Double" | "Float", [Value::Text(text)]) => {
            number_of_text(text, class).ok_or_else(|| number_format(text))?
        }
        ("BigInteger", [Value::Text(text), radix]) => {
            let radix = u32::try_from(long(env, radix)?).unwrap_or(10).clamp(2, 36);
            let number = i64::from_str_radix(text, radix).map_err(|_| number_format(text))?;
            Value::Decimal(number.into())
        }
        ("BigDecimal", [value]) => {
            number::to_decimal(value).map(Value::Decimal).ok_or_else(|| env.bad_cast(value, class))?
        }
        ("Double" | "Float", [value]) => Value::Double(double(env, value)?),
        ("Integer" | "Long" | "BigInteger", [value]) => env.cast(value.clone(), class)?,
        ("Boolean", [value]) => env.cast(value.clone(), class)?,
        ("Object", []) => Value::map([]),
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn object(env: &mut Env<'_>, class: &str, arguments: &[Value]) -> super::Answer {
    let native = match (class, arguments) {
        ("Random", _) => Native::Random,
        ("SimpleDateFormat", [pattern, ..]) => {
            Native::DateFormat { pattern: Arc::from(env.text(pattern)?), zone: RefCell::new(None) }
        }
        ("GregorianCalendar", []) => {
            Native::Calendar { millis: Cell::new(env.host.now(env.run)?), zone: RefCell::new(None) }
        }
        ("DecimalFormat", [pattern, ..]) => Native::NumberFormat(Arc::from(env.text(pattern)?)),
        ("StringBuilder" | "StringBuffer", []) => Native::Builder(RefCell::default()),
        ("StringBuilder" | "StringBuffer", [size]) if size.is_number() => Native::Builder(RefCell::default()),
        ("StringBuilder" | "StringBuffer", [value]) => Native::Builder(RefCell::new(env.text(value)?)),
        ("JsonSlurper" | "JsonSlurperClassic", []) => Native::JsonSlurper,
        ("JsonBuilder", []) => Native::JsonBuilder(RefCell::default()),
        ("JsonBuilder", [content]) => Native::JsonBuilder(RefCell::new(content.clone())),
        ("JsonOutput", []) => return Ok(Some(Value::Class(Arc::from(class)))),
        _ => return Ok(None),
    };
    Ok(Some(Value::Native(Rc::new(native))))
}
