//! What devices can do: the table of capabilities, read from `capabilities.txt`.
//!
//! A capability has attributes with the values that their environment can give them, and commands that set them. The
//! table is data: a new kind of device is a paragraph of that file.

use crate::Profile;
use mazurka_core::Severity;
use mazurka_groovy::Frozen;
use std::collections::HashMap;

const TABLE: &str = include_str!("capabilities.txt");

/// All capabilities of one profile.
#[derive(Debug)]
pub struct Capabilities {
    list: Vec<Capability>,
    by_name: HashMap<String, usize>,
}

/// A kind of device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capability {
    /// The name after `capability.` in an app's input.
    pub name: String,
    /// What people call such a device.
    pub words: String,
    /// How much it matters what apps do to such a device.
    pub severity: Severity,
    /// What can be known of it.
    pub attributes: Vec<Attribute>,
    /// Where else the study keeps what is known of it.
    pub(crate) copies: Vec<Duplicate>,
    /// What it can be told to do.
    pub commands: Vec<Command>,
    pub(crate) sayings: Vec<Saying>,
}

/// Something that can be known of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribute {
    /// Its name in subscriptions and queries.
    pub name: String,
    /// Whether its values are numbers.
    pub number: bool,
    /// Whether an event counts even if it changes nothing.
    pub always: bool,
    /// Whether a person asks for its events.
    pub manual: bool,
    /// Whether its environment changes it without an event.
    pub quiet: bool,
    /// Whether it stays as it is although there is an event that says it has changed.
    pub fixed: bool,
    /// The values that its environment can give it, in order.
    pub events: Vec<String>,
    /// Its value in each of the two initial states.
    pub start: [String; 2],
    /// Further names under which apps know it.
    pub aka: Vec<String>,
}

/// A further variable in which the study keeps an attribute. Apps see it by its names, and it can be out of date.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Duplicate {
    /// Its names.
    pub(crate) names: Vec<String>,
    /// The attribute, as an index.
    pub(crate) of: usize,
    /// Whether it is kept in the list that the device is in, and not in the device.
    pub(crate) in_list: bool,
    /// Whether it follows what the environment does.
    pub(crate) by_environment: bool,
    /// Whether it follows what apps do.
    pub(crate) by_apps: bool,
    /// Whether a command to the list does nothing where this has the value already.
    pub(crate) guards: bool,
    /// Whether it flips between true and false instead of following.
    pub(crate) flips: bool,
    /// Its value in each of the two initial states, if not the attribute's.
    pub(crate) start: Option<[String; 2]>,
}

/// Something that a device can be told to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// Its name.
    pub name: String,
    /// What it sets: an index into the attributes, and the value.
    pub effects: Vec<(usize, Effect)>,
    /// The name by which subscribers know the change, if it is another one.
    pub event_name: Option<String>,
    /// Whether the copies in the device do not follow.
    pub(crate) bare: bool,
    /// How many of the effects are the device's own. The others come from the list that it is in.
    pub(crate) own_effects: usize,
}

/// The value that a command gives to an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// This value.
    Value(String),
    /// The command's argument with this index.
    Argument(usize),
    /// The entry with this key of the map that is the command's first argument.
    Entry(String),
    /// The color that the first argument names: a text, or the `hex` entry of a map.
    Color,
    /// The opposite of `true` or `false`.
    Not,
    /// One more, or one less.
    Add(i64),
}

/// How people speak of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Saying {
    attribute: String,
    value: String,
    does: String,
    did: String,
    happened: Option<String>,
}

impl Attribute {
    /// A value of the table as apps see it.
    pub(crate) fn value(&self, text: &str) -> Frozen {
        match text.parse::<i32>() {
            Ok(number) if self.number => Frozen::Int(number),
            _ => Frozen::text(text),
        }
    }

    /// Whether an app means this attribute by that name.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aka.iter().any(|other| other == name)
    }
}

impl Capability {
    /// The index of an attribute.
    pub fn attribute(&self, name: &str) -> Option<usize> {
        let exact = self.attributes.iter().position(|attribute| attribute.name == name);
        exact.or_else(|| self.attributes.iter().position(|attribute| attribute.is_called(name)))
    }

    /// Adds what another capability can do; where both know a name, this one's meaning stays.
    pub(crate) fn join(&mut self, other: &Capability) {
        self.severity = self.severity.max(other.severity);
        for attribute in &other.attributes {
            if !self.attributes.iter().any(|known| known.name == attribute.name) {
                self.attributes.push(attribute.clone());
            }
        }
        for command in other.commands.iter().filter(|command| self.command(&command.name).is_none()).collect::<Vec<_>>()
        {
            let own = |index: usize| {
                self.attributes.iter().position(|known| known.name == other.attributes[index].name).unwrap_or(0)
            };
            let effects = command.effects.iter().map(|(index, effect)| (own(*index), effect.clone())).collect();
            self.commands.push(Command { effects, ..command.clone() });
        }
        self.sayings.extend(other.sayings.iter().cloned());
    }

    /// The copies of an attribute that are kept in the list, or those in the device.
    pub(crate) fn copies_of(&self, attribute: usize, in_list: bool) -> impl Iterator<Item = (usize, &Duplicate)> {
        let wanted = move |copy: &Duplicate| copy.of == attribute && copy.in_list == in_list;
        self.copies.iter().enumerate().filter(move |(_, copy)| wanted(copy))
    }

    /// The copy that has a name in the list, or in the device.
    pub(crate) fn copy(&self, name: &str, in_list: bool) -> Option<usize> {
        self.copies.iter().position(|copy| copy.in_list == in_list && copy.names.iter().any(|known| known == name))
    }

    /// The texts that an attribute can be, unless it is a number or a command can set it to anything.
    pub(crate) fn texts(&self, attribute: usize) -> Option<Vec<String>> {
        let known = &self.attributes[attribute];
        if known.number {
            return None;
        }
        let mut texts: Vec<String> = known.events.iter().chain(&known.start).cloned().collect();
        for (set, effect) in self.commands.iter().flat_map(|command| &command.effects) {
            match effect {
                Effect::Value(value) if *set == attribute => texts.push(value.clone()),
                _ if *set == attribute => return None,
                _ => {}
            }
        }
        texts.sort_unstable();
        texts.dedup();
        Some(texts)
    }

    /// A command.
    pub fn command(&self, name: &str) -> Option<&Command> {
        self.commands.iter().find(|command| command.name == name)
    }

    /// How people say that an attribute is brought to a value, and that it was: "locks", "locked".
    pub fn verbs(&self, attribute: &str, value: &str) -> Option<(&str, &str)> {
        let saying = self.saying(attribute, value)?;
        (!saying.does.is_empty()).then_some((saying.does.as_str(), saying.did.as_str()))
    }

    /// How people say that a device's attribute came to a value by itself or by hand.
    pub fn happening(&self, attribute: &str, value: &str, device: &str) -> String {
        if let Some(words) = self.saying(attribute, value).and_then(|saying| saying.happened.as_ref()) {
            return words.replace("{}", device);
        }
        let told = self.attributes.iter().filter(|attribute| !attribute.events.is_empty()).count();
        if told > 1 || self.attributes.first().is_some_and(|attribute| attribute.number) {
            format!("{device}: {} {value}", spaced(attribute))
        } else {
            format!("{device}: {value}")
        }
    }

    fn saying(&self, attribute: &str, value: &str) -> Option<&Saying> {
        self.sayings.iter().find(|saying| saying.attribute == attribute && saying.value == value)
    }
}

/// A name of the table as people write it: `heatingSetpoint` is "heating setpoint".
pub(crate) fn spaced(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    for (index, letter) in name.char_indices() {
        if letter.is_uppercase() && index > 0 {
            words.push(' ');
            words.extend(letter.to_lowercase());
        } else {
            words.push(letter);
        }
    }
    words
}

impl Capabilities {
    /// The table of a profile.
    ///
    /// # Panics
    /// If the table that is built in is wrong, which a test rules out.
    pub fn of(profile: Profile) -> Self {
        match read(TABLE, profile) {
            Ok(table) => table,
            Err(error) => panic!("capabilities.txt: {error}"),
        }
    }

    /// The capability with this name.
    pub fn get(&self, name: &str) -> Option<&Capability> {
        self.index(name).map(|index| &self.list[index])
    }

    /// The first capability that has an attribute.
    pub(crate) fn with_attribute(&self, name: &str) -> Option<&Capability> {
        self.list.iter().find(|capability| capability.attributes.iter().any(|attribute| attribute.name == name))
    }

    /// Whether some kind of device knows a command.
    pub(crate) fn knows_command(&self, name: &str) -> bool {
        self.list.iter().any(|capability| capability.command(name).is_some())
    }

    /// The names of all capabilities, in the order of the table.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|capability| capability.name.as_str())
    }

    fn index(&self, name: &str) -> Option<usize> {
        // Some apps write "switch level" for `switchLevel`.
        self.by_name.get(name).or_else(|| self.by_name.get(&joined(name))).copied()
    }
}

/// Words as one name: "switch level" is `switchLevel`.
fn joined(words: &str) -> String {
    let mut name = String::with_capacity(words.len());
    for word in words.split_whitespace() {
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if !name.is_empty() => name.extend(first.to_uppercase()),
            Some(first) => name.push(first),
            None => {}
        }
        name.push_str(letters.as_str());
    }
    name
}

/// Reads the table: the lines of one profile.
fn read(text: &str, profile: Profile) -> Result<Capabilities, String> {
    let mut table = Capabilities { list: Vec::new(), by_name: HashMap::new() };
    for (number, line) in text.lines().enumerate() {
        let words = words(line);
        let mut words: &[String] = &words;
        let only = match words.first().map(String::as_str) {
            None => continue,
            Some("usual") => Some(Profile::Usual),
            Some("paper") => Some(Profile::Paper),
            Some(_) => None,
        };
        if only.is_some() {
            words = &words[1..];
        }
        if only.is_none_or(|only| only == profile) {
            read_line(words, &mut table).map_err(|error| format!("line {}: {error}", number + 1))?;
        }
    }
    Ok(table)
}

fn read_line(words: &[String], table: &mut Capabilities) -> Result<(), String> {
    let text: Vec<&str> = words.iter().map(String::as_str).collect();
    match text.as_slice() {
        ["capability", name, words] => {
            let capability = Capability { name: (*name).into(), words: (*words).into(), ..Capability::default() };
            table.by_name.insert((*name).into(), table.list.len());
            table.list.push(capability);
            return Ok(());
        }
        ["alias", name, of] => {
            let index = table.index(of).ok_or_else(|| format!("no capability {of}"))?;
            table.by_name.insert((*name).into(), index);
            return Ok(());
        }
        _ => {}
    }
    let capability = table.list.last_mut().ok_or("a capability comes first")?;
    match text.as_slice() {
        ["severity", name] => {
            capability.severity = Severity::by_name(name).ok_or_else(|| format!("no severity {name}"))?;
        }
        ["attribute", name, rest @ ..] => capability.attributes.push(read_attribute(name, rest)?),
        ["copy", name, "of", attribute, rest @ ..] => {
            let copy = read_copy(name, attribute, rest, capability)?;
            capability.copies.push(copy);
        }
        ["command", name, rest @ ..] => {
            let command = read_command(name, rest, capability)?;
            capability.commands.push(command);
        }
        ["say", attribute, value, does, did, rest @ ..] => capability.sayings.push(Saying {
            attribute: (*attribute).into(),
            value: (*value).into(),
            does: (*does).into(),
            did: (*did).into(),
            happened: rest.first().map(|&words| words.into()),
        }),
        _ => return Err("expected capability, severity, attribute, copy, command, say or alias".into()),
    }
    Ok(())
}

fn read_attribute(name: &str, mut rest: &[&str]) -> Result<Attribute, String> {
    let mut attribute = Attribute { name: name.into(), ..Attribute::default() };
    while let [word, tail @ ..] = rest {
        rest = tail;
        match *word {
            "number" => attribute.number = true,
            "always" => attribute.always = true,
            "manual" => attribute.manual = true,
            "quiet" => attribute.quiet = true,
            "fixed" => attribute.fixed = true,
            "events" => {
                let end = tail.iter().position(|&word| word == "start").ok_or("expected start")?;
                attribute.events = tail[..end].iter().map(|&value| value.into()).collect();
                let [one, other, tail @ ..] = &tail[end + 1..] else { return Err("expected two start values".into()) };
                attribute.start = [(*one).into(), (*other).into()];
                rest = tail;
            }
            "aka" => {
                attribute.aka = tail.iter().map(|&name| name.into()).collect();
                rest = &[];
            }
            other => return Err(format!("{other} is not known of an attribute")),
        }
    }
    Ok(attribute)
}

fn read_copy(name: &str, of: &str, mut rest: &[&str], capability: &Capability) -> Result<Duplicate, String> {
    let of = capability.attribute(of).ok_or_else(|| format!("no attribute {of}"))?;
    let mut copy =
        Duplicate { names: vec![name.into()], of, by_environment: true, by_apps: true, ..Duplicate::default() };
    while let [word, tail @ ..] = rest {
        rest = tail;
        match *word {
            "list" => copy.in_list = true,
            "apps" => copy.by_environment = false,
            "environment" => copy.by_apps = false,
            "guards" => copy.guards = true,
            "flips" => copy.flips = true,
            "start" => {
                let [one, other, tail @ ..] = tail else { return Err("expected two start values".into()) };
                copy.start = Some([(*one).into(), (*other).into()]);
                rest = tail;
            }
            "aka" => {
                copy.names.extend(tail.iter().map(|&name| name.into()));
                rest = &[];
            }
            other => return Err(format!("{other} is not known of a copy")),
        }
    }
    Ok(copy)
}

fn read_command(name: &str, mut rest: &[&str], of: &Capability) -> Result<Command, String> {
    let mut command = Command { name: name.into(), ..Command::default() };
    if let ["bare", tail @ ..] = rest {
        command.bare = true;
        rest = tail;
    }
    let mut of_list = None;
    while let [word, value, tail @ ..] = rest {
        if *word == "list" {
            of_list = Some(command.effects.len());
            rest = &rest[1..];
            continue;
        }
        rest = tail;
        if *word == "as" {
            command.event_name = Some((*value).into());
            continue;
        }
        let attribute = of.attribute(word).ok_or_else(|| format!("no attribute {word}"))?;
        command.effects.push((attribute, read_effect(value)?));
    }
    command.own_effects = of_list.unwrap_or(command.effects.len());
    if rest.is_empty() { Ok(command) } else { Err("expected pairs of attribute and value".into()) }
}

fn read_effect(value: &str) -> Result<Effect, String> {
    let Some(special) = value.strip_prefix('$') else { return Ok(Effect::Value(value.into())) };
    Ok(match special {
        "color" => Effect::Color,
        "not" => Effect::Not,
        "next" => Effect::Add(1),
        "previous" => Effect::Add(-1),
        _ => match (special.strip_prefix('.'), special.parse::<usize>()) {
            (Some(key), _) => Effect::Entry(key.into()),
            (None, Ok(index)) if index > 0 => Effect::Argument(index - 1),
            _ => return Err(format!("{value} is not a value")),
        },
    })
}

/// The words of a line; those in quotes may contain spaces and may be empty.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        if first == '#' {
            break;
        }
        let (word, tail) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        words.push(word.to_owned());
        rest = tail.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_well_formed_in_both_profiles() {
        for profile in [Profile::Usual, Profile::Paper] {
            let table = Capabilities::of(profile);
            assert!(table.list.len() > 60, "{}", table.list.len());
            for capability in &table.list {
                for saying in &capability.sayings {
                    let index = capability.attribute(&saying.attribute);
                    assert!(index.is_some(), "{}: {}", capability.name, saying.attribute);
                }
                for attribute in capability.attributes.iter().filter(|attribute| attribute.number) {
                    for value in attribute.events.iter().chain(&attribute.start) {
                        assert!(value.parse::<i64>().is_ok(), "{}.{}: {value}", capability.name, attribute.name);
                    }
                }
            }
        }
    }

    #[test]
    fn a_lock_can_be_locked() {
        let table = Capabilities::of(Profile::Usual);
        let lock = table.get("lock").expect("there is one");
        assert_eq!(lock.attributes[0].events, ["locked", "unlocked"]);
        assert_eq!(lock.attributes[0].start, ["unlocked", "locked"]);
        assert_eq!(lock.command("lock").expect("there is one").effects, [(0, Effect::Value("locked".into()))]);
        assert_eq!(lock.verbs("lock", "unlocked"), Some(("unlocks", "unlocked")));
        assert_eq!(lock.happening("lock", "locked", "front door"), "front door locked by hand");
        assert_eq!(table.get("switch level").map(|found| found.name.as_str()), Some("switchLevel"));
        assert_eq!(table.get("flux capacitor"), None);
    }

    #[test]
    fn the_profiles_differ_where_the_study_has_its_own_words() {
        let mute = |profile| {
            let table = Capabilities::of(profile);
            let player = table.get("musicPlayer").expect("there is one");
            player.attributes[player.attribute("mute").expect("it has one")].events.clone()
        };
        assert_eq!(mute(Profile::Usual), ["unmuted", "muted"]);
        assert_eq!(mute(Profile::Paper), ["umuted", "muted"]);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let error = read("capability x \"x\"\ncommand go speed 3", Profile::Usual).expect_err("no such attribute");
        assert_eq!(error, "line 2: no attribute speed");
        assert!(read("attribute x events start 1 2", Profile::Usual).is_err());
        assert!(read("capability x \"x\"\nattribute y events a start 1", Profile::Usual).is_err());
        assert!(read("capability x \"x\"\nattribute y nonsense", Profile::Usual).is_err());
    }

    #[test]
    fn names_as_people_write_them() {
        assert_eq!(spaced("heatingSetpoint"), "heating setpoint");
        assert_eq!(spaced("pH"), "p h");
        assert_eq!(joined("color temperature"), "colorTemperature");
    }
}
