//! What `printf` and its like make of their arguments. Along a search what is printed is not looked at, so it is made only
//! when an execution is told.

use super::{Done, Run};
use crate::code::Operand;
use crate::ir::{masked, sign_extended};
use std::fmt::Write;

/// How many bytes one call makes at most.
const LONGEST: usize = 1 << 16;

/// Where the arguments of a format come from.
enum Source<'a> {
    Given(&'a [Operand]),
    /// From memory, at this address.
    List(u64),
}

impl Run<'_> {
    pub(super) fn emit_output(&mut self, bytes: &[u8]) {
        if let Some(witness) = &mut self.witness {
            witness.output.extend_from_slice(bytes);
        }
    }

    pub(super) fn print(
        &mut self,
        is_asked: bool,
        format: u64,
        arguments: &[Operand],
        first: usize,
        list: Option<u64>,
    ) -> Done<u64> {
        if self.witness.is_none() && !is_asked {
            return Ok(0);
        }
        let text = self.formatted(format, arguments.get(first..).unwrap_or_default(), list, false)?;
        self.emit_output(&text);
        Ok(text.len() as u64)
    }

    pub(super) fn print_text(&mut self, text: u64, ends_line: bool) -> Done<u64> {
        if self.witness.is_some() {
            let text = self.peek_text(text, LONGEST);
            self.emit_output(text.as_bytes());
            if ends_line {
                self.emit_output(b"\n");
            }
        }
        Ok(1)
    }

    pub(super) fn format_to(
        &mut self,
        target: u64,
        most: Option<u64>,
        format: u64,
        arguments: &[Operand],
        first: usize,
        list: Option<u64>,
    ) -> Done<u64> {
        let mut text = self.formatted(format, arguments.get(first..).unwrap_or_default(), list, true)?;
        let length = text.len() as u64;
        if most == Some(0) {
            return Ok(length);
        }
        if let Some(most) = most {
            text.truncate(most as usize - 1);
        }
        text.push(0);
        self.write_bytes(target, &text)?;
        Ok(length)
    }

    /// A text by its format. `counts` tells that reading the arguments is an access of the program.
    fn formatted(&mut self, format: u64, arguments: &[Operand], list: Option<u64>, counts: bool) -> Done<Vec<u8>> {
        let format = self.peek_text(format, LONGEST).into_bytes();
        let mut source = match list {
            // A list of x86-64 tells where the next argument is in its second word.
            Some(list) if self.locate(list, 24).is_ok() => Source::List(self.load(list + 8, 8)?),
            Some(list) => Source::List(if self.locate(list, 8).is_ok() { self.load(list, 8)? } else { list }),
            None => Source::Given(arguments),
        };
        let mut text = Vec::new();
        let mut rest = &format[..];
        while let Some((&byte, more)) = rest.split_first() {
            rest = more;
            if byte != b'%' {
                text.push(byte);
                continue;
            }
            let Some(directive) = Directive::read(&mut rest) else { break };
            self.directive(directive, &mut source, &mut text, counts)?;
            if text.len() > LONGEST {
                break;
            }
        }
        Ok(text)
    }

    fn next_argument(&self, source: &mut Source<'_>) -> u64 {
        match source {
            Source::Given(rest) => match rest.split_first() {
                Some((&first, more)) => {
                    *rest = more;
                    self.get(first)
                }
                None => 0,
            },
            Source::List(at) => {
                *at += 8;
                self.load(*at - 8, 8).unwrap_or(0)
            }
        }
    }

    fn amount(&self, given: Option<Amount>, source: &mut Source<'_>) -> Option<i64> {
        match given? {
            Amount::Argument => Some(sign_extended(self.next_argument(source), 32) as i64),
            Amount::Number(number) => Some(number),
        }
    }

    fn directive(
        &mut self,
        directive: Directive,
        source: &mut Source<'_>,
        text: &mut Vec<u8>,
        counts: bool,
    ) -> Done<()> {
        if directive.kind == b'%' {
            text.push(b'%');
            return Ok(());
        }
        let width = self.amount(directive.width, source);
        let precision = self.amount(directive.precision, source).filter(|&precision| precision >= 0);
        let left = directive.left || width.is_some_and(|width| width < 0);
        let width = width.map_or(0, |width| width.unsigned_abs().min(LONGEST as u64) as usize);
        let precision = precision.map(|precision| precision.min(LONGEST as i64) as usize);
        let value = self.next_argument(source);
        let mut sign = String::new();
        let mut is_number = true;
        let body: Vec<u8> = match directive.kind {
            b'd' | b'i' => {
                let value = sign_extended(value, directive.bits) as i64;
                if value < 0 {
                    sign.push('-');
                } else if directive.plus {
                    sign.push('+');
                } else if directive.space {
                    sign.push(' ');
                }
                digits(value.unsigned_abs().to_string(), precision)
            }
            b'u' => digits(masked(value, directive.bits).to_string(), precision),
            b'x' | b'X' | b'o' => {
                let value = masked(value, directive.bits);
                let mut shown = match directive.kind {
                    b'x' => format!("{value:x}"),
                    b'X' => format!("{value:X}"),
                    _ => format!("{value:o}"),
                };
                if directive.alternate && value != 0 {
                    match directive.kind {
                        b'x' => sign.push_str("0x"),
                        b'X' => sign.push_str("0X"),
                        _ => shown.insert(0, '0'),
                    }
                }
                digits(shown, precision)
            }
            b'c' => {
                is_number = false;
                vec![value as u8]
            }
            b's' => {
                is_number = false;
                let most = precision.unwrap_or(LONGEST);
                if value == 0 {
                    b"(null)".to_vec()
                } else if counts {
                    self.read_text(value, most as u64)?
                } else {
                    self.peek_text(value, most).into_bytes()
                }
            }
            b'p' => {
                is_number = false;
                if value == 0 { b"(nil)".to_vec() } else { format!("{value:#x}").into_bytes() }
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let value = f64::from_bits(value);
                if value.is_sign_negative() {
                    sign.push('-');
                } else if directive.plus {
                    sign.push('+');
                } else if directive.space {
                    sign.push(' ');
                }
                is_number = value.is_finite();
                let mut shown = match directive.kind {
                    b'a' | b'A' if is_number => {
                        sign.push_str("0x");
                        hexadecimal(value.abs(), precision)
                    }
                    kind => float(value.abs(), kind.to_ascii_lowercase(), precision.unwrap_or(6), directive.alternate),
                };
                if directive.kind.is_ascii_uppercase() {
                    sign.make_ascii_uppercase();
                    shown.make_ascii_uppercase();
                }
                shown.into_bytes()
            }
            _ => return Ok(()),
        };
        let padding = width.saturating_sub(sign.len() + body.len());
        let has_zeros = directive.zero
            && !left
            && is_number
            && (precision.is_none() || matches!(directive.kind.to_ascii_lowercase(), b'f' | b'e' | b'g' | b'a'));
        if !left && !has_zeros {
            text.extend(std::iter::repeat_n(b' ', padding));
        }
        text.extend_from_slice(sign.as_bytes());
        if has_zeros {
            text.extend(std::iter::repeat_n(b'0', padding));
        }
        text.extend(body);
        if left {
            text.extend(std::iter::repeat_n(b' ', padding));
        }
        Ok(())
    }
}

fn digits(shown: String, precision: Option<usize>) -> Vec<u8> {
    match precision {
        Some(0) if shown == "0" => Vec::new(),
        Some(precision) => format!("{shown:0>precision$}").into_bytes(),
        None => shown.into_bytes(),
    }
}

/// A number that is not negative; `whole` tells that zeros at the end are kept.
fn float(value: f64, kind: u8, precision: usize, whole: bool) -> String {
    if !value.is_finite() {
        return if value.is_nan() { "nan" } else { "inf" }.to_owned();
    }
    match kind {
        b'f' => format!("{value:.precision$}"),
        b'e' => scientific(value, precision),
        _ => {
            let precision = precision.max(1);
            let trim = |text: &str| match whole {
                true if text.contains('.') => text.to_owned(),
                true => format!("{text}."),
                false => trimmed(text).to_owned(),
            };
            let text = scientific(value, precision - 1);
            let exponent = if value == 0.0 { 0 } else { exponent_of(&text) };
            if exponent < -4 || exponent >= precision as i32 {
                let (mantissa, rest) = text.split_once('e').unwrap_or((&text, "+00"));
                return format!("{}e{rest}", trim(mantissa));
            }
            trim(&format!("{value:.*}", (precision as i32 - 1 - exponent).max(0) as usize))
        }
    }
}

/// `%a` without its `0x`: one digit before the point, as many behind it as are needed or wanted.
fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    let bits = value.to_bits();
    let (mut exponent, mut fraction) = ((bits >> 52) as i32 - 1023, bits & ((1 << 52) - 1));
    let mut first = 1;
    if bits >> 52 == 0 {
        (first, exponent) = (0, if fraction == 0 { 0 } else { -1022 });
    }
    let mut digits = 13;
    if let Some(precision) = precision.filter(|&precision| precision < 13) {
        // To the nearest one, and to the even one of two.
        let shift = 4 * (13 - precision as u32);
        let whole = (first << 52) | fraction;
        let (kept, rest, half) = (whole >> shift, whole & ((1 << shift) - 1), 1 << (shift - 1));
        let rounded = (kept + u64::from(rest > half || (rest == half && kept & 1 == 1))) << shift;
        (first, fraction, digits) = (rounded >> 52, rounded & ((1 << 52) - 1), precision);
    }
    let mut shown = format!("{fraction:013x}");
    shown.truncate(digits);
    match precision {
        Some(precision) => shown = format!("{shown:0<precision$}"),
        None => shown.truncate(shown.trim_end_matches('0').len()),
    }
    let point = if shown.is_empty() { "" } else { "." };
    format!("{first}{point}{shown}p{exponent:+}")
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

fn exponent_of(text: &str) -> i32 {
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

fn scientific(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mut shown = mantissa.to_owned();
    // Writing to a string does not fail.
    let _ = write!(shown, "e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs());
    shown
}

#[derive(Clone, Copy)]
enum Amount {
    Number(i64),
    Argument,
}

/// What stands behind a `%`.
struct Directive {
    left: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alternate: bool,
    width: Option<Amount>,
    precision: Option<Amount>,
    bits: u8,
    kind: u8,
}

impl Directive {
    fn read(rest: &mut &[u8]) -> Option<Directive> {
        let mut directive = Directive {
            left: false,
            plus: false,
            space: false,
            zero: false,
            alternate: false,
            width: None,
            precision: None,
            bits: 32,
            kind: 0,
        };
        loop {
            match rest.first()? {
                b'-' => directive.left = true,
                b'+' => directive.plus = true,
                b' ' => directive.space = true,
                b'0' => directive.zero = true,
                b'#' => directive.alternate = true,
                _ => break,
            }
            *rest = &rest[1..];
        }
        directive.width = amount(rest);
        if rest.first() == Some(&b'.') {
            *rest = &rest[1..];
            directive.precision = amount(rest).or(Some(Amount::Number(0)));
        }
        loop {
            match rest.first()? {
                b'l' | b'j' | b'z' | b't' | b'q' | b'L' => directive.bits = 64,
                b'h' => directive.bits = if directive.bits == 16 { 8 } else { 16 },
                _ => break,
            }
            *rest = &rest[1..];
        }
        directive.kind = *rest.first()?;
        *rest = &rest[1..];
        Some(directive)
    }
}

/// A width or a precision.
fn amount(rest: &mut &[u8]) -> Option<Amount> {
    if rest.first() == Some(&b'*') {
        *rest = &rest[1..];
        return Some(Amount::Argument);
    }
    let mut number = None;
    while let Some(digit) = rest.first().filter(|byte| byte.is_ascii_digit()) {
        number = Some((number.unwrap_or(0i64) * 10 + i64::from(digit - b'0')).min(1 << 20));
        *rest = &rest[1..];
    }
    number.map(Amount::Number)
}
