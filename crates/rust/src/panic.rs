//! A panic of a thread as a violation.

use mazurka_core::{Panic, Value, Violation, ViolationKind};

/// What a panic says: `assert!` and its relatives are assertions, everything else is a crash. A message is the same however the
/// violation is reached, so the two sides of `assert_eq!` become values.
pub(crate) fn violation(panic: &Panic) -> Violation {
    let mut values = Vec::new();
    let mut lines = Vec::new();
    for line in panic.message.lines() {
        let side = line.trim_start().split_once(": ").filter(|(side, _)| matches!(*side, "left" | "right"));
        match side {
            Some((side, value)) => values.push(Value { name: side.to_owned(), value: value.to_owned() }),
            None => lines.push(line.trim_end()),
        }
    }
    let said = lines.join(" ");
    let is_assertion = said.starts_with("assertion ");
    let kind = if is_assertion { ViolationKind::Assertion } else { ViolationKind::Crash };
    let message = if is_assertion { said } else { format!("panicked: {said}") };
    Violation { location: panic.location.clone(), values, ..Violation::new(kind, message) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sides_of_an_assertion_are_values() {
        let message = "assertion `left == right` failed: a deposit is lost\n  left: 10\n right: 20";
        let told = violation(&Panic { message: message.to_owned(), location: None });
        assert_eq!(told.kind, ViolationKind::Assertion);
        assert_eq!(told.message, "assertion `left == right` failed: a deposit is lost");
        assert_eq!(told.values.iter().map(|value| value.value.as_str()).collect::<Vec<_>>(), ["10", "20"]);
        let crash = violation(&Panic { message: "no such key".to_owned(), location: None });
        assert_eq!((crash.kind, crash.message.as_str()), (ViolationKind::Crash, "panicked: no such key"));
    }
}
