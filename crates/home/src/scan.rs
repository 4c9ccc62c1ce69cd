//! The events of the study of VMCAI 2022, found as that study found them: by a look at the words of the apps.
//!
//! The study did not run the apps to learn what they subscribe to. It scanned their text for `input`, `subscribe` and
//! `schedule`, comments and dead code included. The published numbers of events follow from that, so `--profile paper`
//! scans, too. Everywhere else the events come from the subscriptions that the apps really make.

use crate::capability::Capabilities;
use std::collections::HashMap;

/// An event of the study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scanned {
    /// The environment gives an attribute of the device with this capability a value.
    Attribute { capability: String, attribute: String, value: String },
    /// A person taps an app.
    Touch,
    /// The mode becomes another one.
    Mode(String),
    /// Sunrise, sunset: the mode is overwritten with this text.
    Sun(String),
    /// A method of an app runs at its time.
    Schedule { app: usize, method: String },
    /// Nothing happens: the study adds this where there is only one event.
    Nothing,
}

/// Scans apps, the first one first. The order of the events is that of the study: the apps take turns.
pub(crate) fn scan(sources: &[&str], table: &Capabilities) -> Vec<Scanned> {
    let mut scanner = Scanner { table, texts: Vec::new(), capabilities: Vec::new() };
    let lists: Vec<Vec<Vec<Scanned>>> =
        sources.iter().enumerate().map(|(app, source)| scanner.app(app, &words(source))).collect();
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut events = Vec::new();
    let mut exhausted = false;
    while !exhausted {
        exhausted = true;
        for list in &mut lists {
            if let Some(entry) = list.next() {
                events.extend(entry);
                exhausted = false;
            }
        }
    }
    if events.len() == 1 {
        events.push(Scanned::Nothing);
    }
    events
}

struct Scanner<'t> {
    table: &'t Capabilities,
    /// What some app asked for, in the words of the app.
    texts: Vec<String>,
    /// The capabilities of which some attribute was asked for.
    capabilities: Vec<String>,
}

impl Scanner<'_> {
    fn app(&mut self, app: usize, words: &[&str]) -> Vec<Vec<Scanned>> {
        let mut inputs: HashMap<String, String> = HashMap::new();
        let mut entries = Vec::new();
        let mut at = 0;
        while at < words.len() {
            match words[at] {
                "input" => {
                    let (name, next) = quoted(words, at + 1);
                    let (kind, next) = quoted(words, next);
                    inputs.insert(name, kind);
                    at = next;
                }
                "installed" | "initialize" => {
                    if let Some(method) = schedules_first(words, at) {
                        self.add("schedule", vec![Scanned::Schedule { app, method }], &mut entries);
                    }
                    at += 1;
                }
                "subscribe" => at = self.subscription(words, at + 1, &inputs, &mut entries),
                _ => at += 1,
            }
        }
        entries
    }

    /// Reads what follows `subscribe`; returns where to go on.
    fn subscription(
        &mut self,
        words: &[&str],
        at: usize,
        inputs: &HashMap<String, String>,
        entries: &mut Vec<Vec<Scanned>>,
    ) -> usize {
        let at = if words.get(at) == Some(&"(") { at + 1 } else { at };
        let variable = words.get(at).copied().unwrap_or_default();
        let (text, next) = match variable {
            "app" => ("app".to_owned(), at + 1),
            "location" if words.get(at + 2) != Some(&"\"") => ("location".to_owned(), at + 1),
            _ => quoted(words, at + 1),
        };
        let capability = inputs.get(variable).map_or("", String::as_str);
        match text.as_str() {
            "unlock" => {}
            "app" | "location" | "position" | "sunrise" | "sunset" | "sunriseTime" | "sunsetTime" | "mode"
            | "mode.away" | "mode.home" | "mode.night" => {
                if !self.texts.contains(&text) {
                    self.add(&text, home_events(&text), entries);
                }
            }
            _ => {
                let is_new_capability =
                    !capability.is_empty() && !self.capabilities.iter().any(|used| used == capability);
                if !self.texts.contains(&text) || is_new_capability {
                    let events = self.device_events(&text, capability);
                    self.capabilities.push(capability.to_owned());
                    self.add(&text, events, entries);
                }
            }
        }
        next
    }

    fn add(&mut self, text: &str, events: Vec<Scanned>, entries: &mut Vec<Vec<Scanned>>) {
        self.texts.push(text.to_owned());
        entries.push(events);
    }

    /// The events of an attribute, or of one value of it.
    fn device_events(&self, text: &str, capability: &str) -> Vec<Scanned> {
        if text == "tamper.tampered" {
            return self.device_events("contact", "capability.contactSensor");
        }
        let (name, value) = match text.split_once('.') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let asked = capability.strip_prefix("capability.").unwrap_or(capability);
        let own = self.table.get(asked).filter(|capability| capability.attribute(name).is_some());
        let Some(capability) = own.or_else(|| self.table.with_attribute(name)) else { return Vec::new() };
        let Some(index) = capability.attribute(name) else { return Vec::new() };
        let attribute = &capability.attributes[index];
        let values = match value {
            Some(value) => vec![value.to_owned()],
            None => attribute.events.clone(),
        };
        let event = |value: String| Scanned::Attribute {
            capability: capability.name.clone(),
            attribute: attribute.name.clone(),
            value: as_sent(&capability.name, value),
        };
        values.into_iter().map(event).collect()
    }
}

/// The value that the study's event of some value really has.
fn as_sent(capability: &str, value: String) -> String {
    match (capability, value.as_str()) {
        ("carbonMonoxideDetector", "detected") => "tested".to_owned(),
        ("relaySwitch", "on") => "off".to_owned(),
        ("relaySwitch", "off") => "on".to_owned(),
        _ => value,
    }
}

/// The events of the home itself.
fn home_events(text: &str) -> Vec<Scanned> {
    let modes = |names: &[&str]| names.iter().map(|&name| Scanned::Mode(name.to_owned())).collect();
    match text {
        "app" => vec![Scanned::Touch],
        "location" | "position" | "mode" => modes(&["home", "away", "night"]),
        sun if sun.starts_with("sun") => vec![Scanned::Sun(sun.to_owned())],
        mode => modes(&[mode.trim_start_matches("mode.")]),
    }
}

/// The method that is scheduled by the first words of an install method's body, or right after a call of it.
fn schedules_first(words: &[&str], at: usize) -> Option<String> {
    if words.get(at + 1) != Some(&"(") || words.get(at + 2) != Some(&")") {
        return None;
    }
    let body = if words.get(at + 3) == Some(&"{") { at + 4 } else { at + 3 };
    if words.get(body) != Some(&"schedule") {
        return None;
    }
    let end = body + words[body..].iter().position(|&word| word == ")")?;
    let arguments = &words[body + 1..end];
    let comma = arguments.iter().rposition(|&word| word == ",")?;
    let method = arguments[comma + 1..].iter().find(|&&word| word != "\"")?;
    Some(method.trim_matches('\'').to_owned())
}

/// The next text in double quotes at or after a place, and the place behind it.
fn quoted(words: &[&str], at: usize) -> (String, usize) {
    let find = |from: usize| {
        words.get(from..).and_then(|rest| rest.iter().position(|&word| word == "\"")).map(|offset| from + offset)
    };
    let Some(open) = find(at) else { return (String::new(), words.len()) };
    let Some(close) = find(open + 1) else { return (String::new(), words.len()) };
    (words[open + 1..close].join(" "), close + 1)
}

/// The words of a source: what stands between blanks, and each of a few signs by itself.
pub(crate) fn words(source: &str) -> Vec<&str> {
    const SIGNS: &[char] = &['(', '"', ':', ',', '{', '}', ')', '/', '*'];
    let mut words = Vec::new();
    for part in source.split([' ', '\t', '\n', '\r']) {
        let mut rest = part;
        while let Some(sign) = rest.find(SIGNS) {
            if sign > 0 {
                words.push(&rest[..sign]);
            }
            words.push(&rest[sign..=sign]);
            rest = &rest[sign + 1..];
        }
        if !rest.is_empty() {
            words.push(rest);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    fn attribute(capability: &str, attribute: &str, value: &str) -> Scanned {
        Scanned::Attribute { capability: capability.into(), attribute: attribute.into(), value: value.into() }
    }

    fn scanned(sources: &[&str]) -> Vec<Scanned> {
        scan(sources, &Capabilities::of(Profile::Paper))
    }

    #[test]
    fn comments_count_and_the_apps_take_turns() {
        let one = r#"input "door", "capability.contactSensor"
            def installed() { subscribe(door, "contact.open", h) // subscribe(location, "mode", h)
            }"#;
        let other = r#"input "who", "capability.presenceSensor"
            def installed() { subscribe(who, "presence", h); subscribe(app, touched) }"#;
        let mode = |name: &str| Scanned::Mode(name.into());
        assert_eq!(
            scanned(&[one, other]),
            [
                attribute("contactSensor", "contact", "open"),
                attribute("presenceSensor", "presence", "present"),
                attribute("presenceSensor", "presence", "not present"),
                mode("home"),
                mode("away"),
                mode("night"),
                Scanned::Touch,
            ]
        );
    }

    #[test]
    fn the_same_attribute_of_another_capability_counts_again() {
        let app = r#"input "a", "capability.switch" input "b", "capability.switchLevel" input "c", "capability.switch"
            subscribe(a, "switch.on", h) subscribe(b, "switch.on", h) subscribe(c, "switch.on", h)"#;
        assert_eq!(scanned(&[app]), [attribute("switch", "switch", "on"), attribute("switchLevel", "switch", "on")]);
    }

    #[test]
    fn some_events_are_not_what_they_are_called() {
        let app = r#"input "a", "capability.carbonMonoxideDetector" subscribe(a, "carbonMonoxide.detected", h)
            input "b", "capability.relaySwitch" subscribe(b, "switch", h)"#;
        let relay = |value| attribute("relaySwitch", "switch", value);
        let gas = attribute("carbonMonoxideDetector", "carbonMonoxide", "tested");
        assert_eq!(scanned(&[app]), [gas, relay("off"), relay("on")]);
    }

    #[test]
    fn a_schedule_counts_where_an_install_method_begins_with_it() {
        let app = r#"def installed() { schedule("0 0 * * *", "check") }  def check() {}"#;
        assert_eq!(scanned(&[app]), [Scanned::Schedule { app: 0, method: "check".into() }, Scanned::Nothing]);
        assert_eq!(scanned(&["def installed() { log.debug 1; schedule(t, h) }"]), []);
    }
}
