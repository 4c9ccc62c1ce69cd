//! Sentences for people.

use crate::capability::spaced;
use crate::home::Home;
use crate::layout::Fixed;
use crate::store::Slot;
use mazurka_groovy::{Frozen, Trouble, TroubleKind};

/// A name in quotes.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// Values that come and go: "on and off", "heat, cool and off".
pub(crate) fn in_turn(values: &[String]) -> String {
    match values {
        [] => "again and again".to_owned(),
        [one] => format!("{one} again and again"),
        [some @ .., last] => format!("{} and {last}, again and again", some.join(", ")),
    }
}

/// What two apps do to each other: one brings an attribute or the mode to a value, another one had brought it to another.
pub(crate) fn conflict(home: &Home, slot: Slot, (app, new): (u32, &Frozen), (other, old): (u32, &Frozen)) -> String {
    let (app, other) = (quoted(&home.apps[app as usize].name), quoted(&home.apps[other as usize].name));
    let (new, old) = (new.to_string(), old.to_string());
    let Some(Fixed::Attribute { device, attribute }) = home.layout.fixed(slot) else {
        return format!("{app} sets the mode to {new}, which {other} had set to {old}");
    };
    let device = &home.wiring.devices[device as usize];
    let attribute = &device.powers.attributes[attribute as usize];
    let verbs = |value: &str| device.powers.verbs(&attribute.name, value);
    if let (Some((does, _)), Some((_, did))) = (verbs(&new), verbs(&old)) {
        return format!("{app} {does} the {} that {other} {did}", device.name);
    }
    let (what, device) = (spaced(&attribute.name), &device.name);
    // Values of which there are too many to tell them apart are not part of the sentence: it stays the same one.
    let is_known = |value: &String| attribute.events.contains(value) || attribute.start.contains(value);
    if attribute.number || !is_known(&new) || !is_known(&old) {
        return format!("{app} changes the {what} of the {device}, which {other} had set");
    }
    format!("{app} sets the {what} of the {device} to {new}, which {other} had set to {old}")
}

/// Why a handler crashed, without the values at hand: it is the same fault whatever they were.
pub(crate) fn plain(trouble: &Trouble) -> String {
    match trouble.kind() {
        TroubleKind::NullPointer(what) => format!("there is nothing (null) where something was expected: {what}"),
        TroubleKind::MissingMethod { receiver, method, .. } => {
            format!("{} has no method {method}", without_value(receiver))
        }
        TroubleKind::MissingProperty { receiver, property } => {
            format!("{} has no property {property}", without_value(receiver))
        }
        TroubleKind::BadCast { class, .. } => format!("a value cannot be made a {class}"),
        TroubleKind::IndexOutOfRange(_) => "an index lies outside of the list".to_owned(),
        TroubleKind::Arithmetic(what) | TroubleKind::IllegalArgument(what) => without_value(what),
        TroubleKind::BadFormat { .. } => "a text does not have the form that it should have".to_owned(),
        TroubleKind::Assertion(_) => "an assertion failed".to_owned(),
        TroubleKind::Thrown { class, .. } => format!("an exception was thrown and not caught: {class}"),
        TroubleKind::OutOfFuel => "one event takes more steps than are looked at".to_owned(),
        TroubleKind::OutOfMemory => "one event builds more data than is looked at".to_owned(),
        TroubleKind::TooDeep => "its calls are nested deeper than is looked at".to_owned(),
        TroubleKind::Unsupported(what) => what.clone(),
        TroubleKind::Host(_) => "it was stopped".to_owned(),
    }
}

/// A text without what stands in quotes: "Integer '5'" is "Integer".
fn without_value(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for (index, part) in text.split('\'').enumerate() {
        if index % 2 == 0 {
            kept.push_str(if index > 0 { part } else { part.trim_end() });
        }
    }
    kept.replace("  ", " ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_left_out() {
        let text = without_value("Cannot compare Integer '5' and String 'x'");
        assert_eq!(text, "Cannot compare Integer and String");
        assert_eq!(without_value("the app"), "the app");
    }

    #[test]
    fn values_in_turn() {
        let some = |values: &[&str]| in_turn(&values.iter().map(|&value| value.to_owned()).collect::<Vec<_>>());
        assert_eq!(some(&["on"]), "on again and again");
        assert_eq!(some(&["heat", "cool", "off"]), "heat, cool and off, again and again");
    }
}
