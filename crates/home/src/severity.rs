//! How much a finding matters: by its kind, and by the devices that it is about.

use crate::home::Home;
use crate::wiring::InputValue;
use crate::words::quoted;
use mazurka_core::{Severity, Violation, ViolationKind};

impl Home {
    /// How much a violation matters. A broken rule is what its author wanted never to be; a fight is as severe as its
    /// device; a crash as the devices of the app that crashes.
    pub fn severity(&self, violation: &Violation) -> Severity {
        match violation.kind {
            ViolationKind::Invariant => Severity::High,
            ViolationKind::Conflict => self.severity_of_device(&violation.message).unwrap_or_default(),
            ViolationKind::Cascade => {
                self.severity_of_device(&violation.message).unwrap_or_default().max(Severity::Medium)
            }
            ViolationKind::Crash => self.severity_of_app(&violation.message).max(Severity::Medium),
            _ => Severity::Medium,
        }
    }

    /// The severity of the device that a sentence is about: `words.rs` writes "the" and its name.
    fn severity_of_device(&self, sentence: &str) -> Option<Severity> {
        // A device may be part of an app's name.
        let apps = self.apps.iter().map(|app| quoted(&app.name));
        let sentence = apps.fold(sentence.to_owned(), |rest, app| rest.replace(&app, ""));
        let is_named = |name: &str| {
            sentence
                .match_indices(&format!("the {name}"))
                .any(|(at, found)| !sentence[at + found.len()..].starts_with(|next: char| next.is_alphanumeric()))
        };
        let named = self.wiring.devices.iter().filter(|device| is_named(&device.name));
        named.max_by_key(|device| device.name.len()).map(|device| device.powers.severity)
    }

    /// The highest severity among the devices of the app that a sentence begins with.
    fn severity_of_app(&self, sentence: &str) -> Severity {
        let Some(app) = self.apps.iter().position(|app| sentence.starts_with(&quoted(&app.name))) else {
            return Severity::Medium;
        };
        let devices = self.wiring.inputs[app].iter().flat_map(|input| match input {
            InputValue::Device(device) | InputValue::List(device) => vec![*device],
            InputValue::Devices(devices) => devices.to_vec(),
            InputValue::Value(_) => Vec::new(),
        });
        let severities = devices.map(|device| self.wiring.devices[device as usize].powers.severity);
        severities.max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Home, Options};
    use mazurka_core::{Severity, Violation, ViolationKind};

    /// A home with one app that has these inputs.
    fn home(name: &str, inputs: &[&str]) -> Home {
        let inputs: String =
            inputs.iter().map(|input| format!("input \"{input}\", \"capability.{input}\"\n")).collect();
        let source = format!(
            "definition(name: \"{name}\", namespace: \"x\", author: \"x\", description: \"x\")\n\
             preferences {{ section {{ {inputs} }} }}\ndef installed() {{ }}\n"
        );
        Home::load(&[("a.groovy".to_owned(), source)], &Options::default()).expect("it is an app")
    }

    #[test]
    fn what_safety_depends_on_is_more_severe_than_light() {
        let home = home("Guard the lock", &["lock", "light", "switch"]);
        let of = |kind, message: &str| home.severity(&Violation::new(kind, message));
        let app = "\"Guard the lock\"";
        assert_eq!(of(ViolationKind::Conflict, &format!("{app} locks the lock that {app} unlocked")), Severity::High);
        assert_eq!(
            of(ViolationKind::Conflict, &format!("{app} turns on the light that {app} turned off")),
            Severity::Low
        );
        assert_eq!(of(ViolationKind::Conflict, &format!("{app} turns on the switch that …")), Severity::Medium);
        assert_eq!(of(ViolationKind::Conflict, "sets the mode to Away"), Severity::Medium);
        assert_eq!(of(ViolationKind::Cascade, &format!("{app} changes the light without end")), Severity::Medium);
        assert_eq!(of(ViolationKind::Crash, &format!("{app} crashes: null")), Severity::High);
        assert_eq!(of(ViolationKind::Invariant, "never: x"), Severity::High);
    }

    #[test]
    fn the_crash_of_an_app_without_such_devices_is_less_severe() {
        let home = home("Lamp", &["light"]);
        let crash = Violation::new(ViolationKind::Crash, "\"Lamp\" crashes: null");
        assert_eq!(home.severity(&crash), Severity::Medium);
    }
}
