//! From YAML to automations and scripts: old spellings and new ones.

use super::ast::{
    Action, ActionKind, At, Bound, Call, Condition, ConditionKind, Match, Mode, Opaque, Repeat, Routine, RoutineKind,
    Target, Templated, Trigger, TriggerKind,
};
use super::include::Problem;
use super::registry::Registry;
use crate::duration;
use crate::template::{self, Template, Val, scan};
use crate::words::{device_state, purpose};
use crate::yaml::{Node, Place, Value};
use std::sync::Arc;

type Read<T> = Result<T, Problem>;

/// Reads automations and scripts, and notes what it does not understand.
pub(crate) struct Reader<'r> {
    pub(crate) registry: &'r Registry,
    pub(crate) opaque: Vec<Opaque>,
}

fn wrong<T>(place: Place, message: impl Into<String>, expected: impl Into<String>) -> Read<T> {
    Err(Problem::new(place, message, expected))
}

/// How deep actions and conditions may be nested.
const MOST_RUNS: usize = 10;

impl<'r> Reader<'r> {
    pub(crate) fn new(registry: &'r Registry) -> Self {
        Reader { registry, opaque: Vec::new() }
    }

    fn note(&mut self, place: Place, what: impl Into<String>, decides: bool) {
        let opaque = Opaque { place, what: what.into(), decides };
        if !self.opaque.contains(&opaque) {
            self.opaque.push(opaque);
        }
    }

    /// Reads an automation.
    pub(crate) fn automation(&mut self, node: &Node, number: usize) -> Read<Routine> {
        if !node.is_map() {
            return wrong(
                node.place,
                format!("an automation is {}", node.kind()),
                "expected a mapping with triggers and actions",
            );
        }
        let alias = node.get("alias").map(Node::to_string);
        let id = node.get("id").map(Node::to_string);
        let name = alias.clone().or_else(|| id.clone()).unwrap_or_else(|| format!("automation {number}"));
        let object = template_slug(alias.as_deref().or(id.as_deref()).unwrap_or(&format!("automation {number}")));
        let Some(triggers) = node.get_any(&["triggers", "trigger"]) else {
            return wrong(node.place, "the automation has no triggers", "expected `triggers:`");
        };
        let Some(actions) = node.get_any(&["actions", "action"]) else {
            return wrong(node.place, "the automation has no actions", "expected `actions:`");
        };
        let (mode, max) = self.mode(node)?;
        let variables = self.variables(node.get("variables"))?;
        let mut trigger_variables = self.variables(node.get("trigger_variables"))?;
        trigger_variables.extend(variables);
        Ok(Routine {
            kind: RoutineKind::Automation,
            name,
            entity: format!("automation.{object}"),
            place: node.place,
            mode,
            max,
            triggers: self.triggers(triggers)?,
            conditions: self.conditions(node.get_any(&["conditions", "condition"]))?,
            actions: self.actions(Some(actions))?,
            variables: trigger_variables,
            initially_on: node.get("initial_state").and_then(Node::truth) != Some(false),
            opaque: std::mem::take(&mut self.opaque),
            source: Arc::new(node.clone()),
        })
    }

    /// Reads a script.
    pub(crate) fn script(&mut self, object: &str, node: &Node) -> Read<Routine> {
        // A list is a script that has only its actions.
        let sequence = if node.is_map() { node.get("sequence") } else { Some(node) };
        let Some(sequence) = sequence else {
            return wrong(node.place, format!("the script {object} does nothing"), "expected `sequence:`");
        };
        let (mode, max) = self.mode(node)?;
        let mut variables: Vec<(String, Templated)> = Vec::new();
        for (name, field) in node.get("fields").map(Node::entries).unwrap_or_default() {
            if let Some(default) = field.get("default") {
                variables.push((name.to_string(), Templated::Val(fixed(default))));
            }
        }
        variables.extend(self.variables(node.get("variables"))?);
        Ok(Routine {
            kind: RoutineKind::Script,
            name: node.get("alias").map_or_else(|| object.to_owned(), Node::to_string),
            entity: format!("script.{object}"),
            place: node.place,
            mode,
            max,
            triggers: Vec::new(),
            conditions: Vec::new(),
            actions: self.actions(Some(sequence))?,
            variables,
            initially_on: true,
            opaque: std::mem::take(&mut self.opaque),
            source: Arc::new(node.clone()),
        })
    }

    fn mode(&self, node: &Node) -> Read<(Mode, usize)> {
        let mode = match node.get("mode") {
            None => Mode::Single,
            Some(mode) => match mode.text() {
                Some("single") => Mode::Single,
                Some("restart") => Mode::Restart,
                Some("queued") => Mode::Queued,
                Some("parallel") => Mode::Parallel,
                _ => {
                    return wrong(
                        mode.place,
                        format!("`mode: {mode}`"),
                        "expected single, restart, queued or parallel",
                    );
                }
            },
        };
        let max = match node.get("max").map(|max| (&max.value, max.place)) {
            None | Some((Value::Tag(..) | Value::Text(_), _)) => MOST_RUNS,
            Some((Value::Int(max), _)) if *max >= 1 => *max as usize,
            Some((_, place)) => return wrong(place, "`max` is no number", "expected a whole number from 1 on"),
        };
        Ok((mode, if matches!(mode, Mode::Single | Mode::Restart) { 1 } else { max }))
    }

    fn variables(&mut self, node: Option<&Node>) -> Read<Vec<(String, Templated)>> {
        let Some(node) = node else { return Ok(Vec::new()) };
        if !node.is_map() && !node.is_null() {
            return wrong(node.place, format!("`variables` is {}", node.kind()), "expected a mapping");
        }
        node.entries().iter().map(|(name, value)| Ok((name.to_string(), self.templated(value)?))).collect()
    }

    // Values

    pub(crate) fn template(&mut self, text: &str, place: Place, decides: bool) -> Read<Arc<Template>> {
        match template::parse(text, place) {
            Ok(template) => {
                if decides {
                    for what in scan(&template).opaque {
                        self.note(place, what, true);
                    }
                }
                Ok(Arc::new(template))
            }
            Err(why) => {
                wrong(place, format!("the template cannot be read: {why}"), "expected a template of Home Assistant")
            }
        }
    }

    fn templated(&mut self, node: &Node) -> Read<Templated> {
        Ok(match &node.value {
            Value::Text(text) if template::is_template(text) => {
                Templated::Template(self.template(text, node.place, false)?)
            }
            Value::List(items) => Templated::List(items.iter().map(|item| self.templated(item)).collect::<Read<_>>()?),
            Value::Map(entries) => {
                let entries = entries.iter().map(|(key, value)| Ok((key.to_string(), self.templated(value)?)));
                Templated::Map(entries.collect::<Read<_>>()?)
            }
            _ => Templated::Val(fixed(node)),
        })
    }

    /// A value that decides something.
    fn deciding(&mut self, node: &Node) -> Read<Templated> {
        let value = self.templated(node)?;
        let mut opaque = Vec::new();
        value.templates(&mut |template| {
            opaque.extend(scan(template).opaque.into_iter().map(|what| (template.place, what)))
        });
        opaque.into_iter().for_each(|(place, what)| self.note(place, what, true));
        Ok(value)
    }

    fn length(&mut self, node: &Node) -> Read<Templated> {
        let value = self.deciding(node)?;
        match value.fixed() {
            Some(fixed) if duration::of_value(&fixed).is_none() => wrong(
                node.place,
                format!("`{node}` is no length of time"),
                "expected seconds, HH:MM:SS, or hours, minutes and seconds",
            ),
            Some(fixed) => Ok(Templated::Val(Val::Span(duration::of_value(&fixed).unwrap_or(0)))),
            None => Ok(value),
        }
    }

    fn optional_length(&mut self, node: Option<&Node>) -> Read<Option<Templated>> {
        node.filter(|node| !node.is_null()).map(|node| self.length(node)).transpose()
    }

    /// Names of entities: a text with commas, or a list. Ids of the registry are resolved.
    fn entities(&mut self, node: Option<&Node>, place: Place) -> Read<Vec<String>> {
        let Some(node) = node else { return wrong(place, "there is no entity", "expected `entity_id:`") };
        let mut entities = Vec::new();
        for item in node.items() {
            let Some(text) = item.text() else {
                return wrong(item.place, format!("`{item}` is no entity"), "expected a name such as light.hall");
            };
            for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                entities.push(self.entity(name, item.place)?);
            }
        }
        Ok(entities)
    }

    fn entity(&mut self, name: &str, place: Place) -> Read<String> {
        let name = name.to_lowercase();
        if template::is_template(&name) {
            return wrong(place, "a template stands where an entity is wanted", "expected a name such as light.hall");
        }
        if name.contains('.') {
            return Ok(name);
        }
        // Where the secrets are not known, each is an entity of its own.
        if let Some(secret) = name.strip_prefix("<secret ") {
            return Ok(format!("entity.{}", template_slug(secret)));
        }
        if name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(self.registry.by_id(&name).unwrap_or_else(|| format!("entity.{name}")));
        }
        wrong(place, format!("`{name}` is no entity"), "expected a name such as light.hall")
    }

    /// States of a trigger or condition: texts. A boolean is the mistake of leaving out quotes.
    fn states(&self, node: &Node) -> Read<Vec<String>> {
        node.items()
            .iter()
            .map(|item| match &item.value {
                Value::Text(text) => Ok(text.clone()),
                Value::Bool(value) => {
                    let word = if *value { "on" } else { "off" };
                    wrong(
                        item.place,
                        "a boolean stands where a state is wanted",
                        format!("expected a text in quotes, as in \"{word}\""),
                    )
                }
                Value::Int(_) | Value::Float(_) => Ok(item.to_string()),
                _ => wrong(item.place, format!("{} stands where a state is wanted", item.kind()), "expected a text"),
            })
            .collect()
    }

    fn matching(&self, node: &Node, given: &str, not: &str) -> Read<Match> {
        match (node.get(given), node.get(not)) {
            (Some(given), _) if given.is_null() => Ok(Match::Any),
            (Some(given), _) => Ok(Match::In(self.states(given)?)),
            (None, Some(not)) => Ok(Match::NotIn(self.states(not)?)),
            (None, None) => Ok(Match::Open),
        }
    }

    fn bound(&mut self, node: Option<&Node>) -> Read<Option<Bound>> {
        let Some(node) = node.filter(|node| !node.is_null()) else { return Ok(None) };
        match &node.value {
            Value::Int(number) => Ok(Some(Bound::Number(*number as f64))),
            Value::Float(number) => Ok(Some(Bound::Number(*number))),
            Value::Text(text) => match Val::text(text).as_number() {
                Some(number) => Ok(Some(Bound::Number(number))),
                None => Ok(Some(Bound::Entity(self.entity(text, node.place)?))),
            },
            _ => wrong(
                node.place,
                format!("{} stands where a number is wanted", node.kind()),
                "expected a number or an entity",
            ),
        }
    }

    fn weekdays(&self, node: Option<&Node>) -> Read<Option<Vec<u32>>> {
        let Some(node) = node.filter(|node| !node.is_null()) else { return Ok(None) };
        const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
        let day =
            |item: &Node| match item.text().and_then(|text| DAYS.iter().position(|day| *day == text.to_lowercase())) {
                Some(day) => Ok(day as u32),
                None => {
                    wrong(item.place, format!("`{item}` is no weekday"), "expected mon, tue, wed, thu, fri, sat or sun")
                }
            };
        node.items().iter().map(day).collect::<Read<_>>().map(Some)
    }

    fn at(&mut self, node: &Node) -> Read<Option<At>> {
        match &node.value {
            Value::Int(second) if (0..86_400).contains(second) => Ok(Some(At::Fixed(*second))),
            Value::Text(text)
                if text.starts_with("input_datetime.") || text.starts_with("sensor.") || text.starts_with("time.") =>
            {
                Ok(Some(At::Entity(text.to_lowercase(), 0)))
            }
            Value::Text(text) if template::is_template(text) => {
                self.note(node.place, "a template as a time", true);
                Ok(None)
            }
            Value::Text(text) => match duration::of_text(text) {
                Some(ms) if text.contains(':') && (0..86_400_000).contains(&ms) => Ok(Some(At::Fixed(ms / 1000))),
                _ => {
                    wrong(node.place, format!("`{text}` is no time of day"), "expected HH:MM:SS, or an input_datetime")
                }
            },
            Value::Map(_) => {
                let entity = self.entities(node.get("entity_id"), node.place)?;
                let offset = node.get("offset").and_then(|offset| duration::of_value(&fixed(offset))).unwrap_or(0);
                Ok(entity.into_iter().next().map(|entity| At::Entity(entity, offset)))
            }
            _ => wrong(
                node.place,
                format!("{} stands where a time of day is wanted", node.kind()),
                "expected HH:MM:SS in quotes",
            ),
        }
    }

    // Triggers

    fn triggers(&mut self, node: &Node) -> Read<Vec<Trigger>> {
        let mut triggers = Vec::new();
        let mut number = 0;
        self.triggers_into(node, &mut triggers, &mut number, 0)?;
        Ok(triggers)
    }

    fn triggers_into(&mut self, node: &Node, into: &mut Vec<Trigger>, number: &mut usize, depth: usize) -> Read<()> {
        for item in node.items() {
            if let (Some(inner), None) = (item.get("triggers"), item.get_any(&["trigger", "platform"])) {
                if depth > 10 {
                    return wrong(item.place, "triggers are nested too deeply", "expected a list of triggers");
                }
                self.triggers_into(inner, into, number, depth + 1)?;
                continue;
            }
            if matches!(item.value, Value::List(_)) {
                self.triggers_into(item, into, number, depth + 1)?;
                continue;
            }
            let id = item.get("id").map_or_else(|| number.to_string(), Node::to_string);
            *number += 1;
            if self.is_disabled(item)? {
                continue;
            }
            let kind = self.trigger(item)?;
            if let TriggerKind::Opaque(what) = &kind {
                self.note(item.place, what.clone(), true);
            }
            into.push(Trigger { place: item.place, id, kind, variables: self.variables(item.get("variables"))? });
        }
        Ok(())
    }

    fn is_disabled(&mut self, node: &Node) -> Read<bool> {
        let Some(enabled) = node.get("enabled") else { return Ok(false) };
        let Some(text) = enabled.text().filter(|text| template::is_template(text)) else {
            return Ok(enabled.truth() == Some(false));
        };
        let Some(template) = template::parse(text, node.place).ok() else { return Ok(false) };
        if let Some(Val::Bool(on)) = constant(&template) {
            return Ok(!on);
        }
        self.note(node.place, "`enabled` by a template is taken as on", false);
        Ok(false)
    }

    fn trigger(&mut self, node: &Node) -> Read<TriggerKind> {
        let Some(platform) = node.get_any(&["trigger", "platform"]) else {
            return wrong(
                node.place,
                "the trigger does not say what kind it is",
                "expected `trigger:` (or `platform:` in the old spelling)",
            );
        };
        let Some(platform) = platform.text() else {
            return wrong(
                platform.place,
                format!("the kind of a trigger is {}", platform.kind()),
                "expected a text such as state",
            );
        };
        // What the editor of 2026 writes has its fields one level deeper.
        let merged;
        let node = match node.get("options").filter(|options| options.is_map()) {
            Some(options) if !platform.contains('.') => {
                let entries = node.entries().iter().chain(options.entries()).cloned().collect();
                merged = Node::new(node.place, Value::Map(entries));
                &merged
            }
            _ => node,
        };
        Ok(match platform {
            "state" => {
                let attribute = node.get("attribute").map(Node::to_string);
                TriggerKind::State {
                    entities: self.entities(node.get("entity_id"), node.place)?,
                    attribute,
                    from: self.matching(node, "from", "not_from")?,
                    to: self.matching(node, "to", "not_to")?,
                    hold: self.optional_length(node.get("for"))?,
                    blind: false,
                }
            }
            "numeric_state" => {
                let (above, below) = (self.bound(node.get("above"))?, self.bound(node.get("below"))?);
                if above.is_none() && below.is_none() {
                    return wrong(node.place, "the trigger has no bound", "expected `above:` or `below:`");
                }
                TriggerKind::Numeric {
                    entities: self.entities(node.get("entity_id"), node.place)?,
                    attribute: node.get("attribute").map(Node::to_string),
                    above,
                    below,
                    value: node
                        .get("value_template")
                        .map(|value| self.template(&value.to_string(), value.place, true))
                        .transpose()?,
                    hold: self.optional_length(node.get("for"))?,
                }
            }
            "template" => {
                let Some(value) = node.get("value_template") else {
                    return wrong(node.place, "the trigger has no template", "expected `value_template:`");
                };
                TriggerKind::Template {
                    template: self.template(&value.to_string(), value.place, true)?,
                    hold: self.optional_length(node.get("for"))?,
                }
            }
            "time" => {
                let Some(at) = node.get("at") else {
                    return wrong(node.place, "the trigger has no time", "expected `at:`");
                };
                let mut times = Vec::new();
                for item in at.items() {
                    times.extend(self.at(item)?);
                }
                TriggerKind::Time { at: times, weekdays: self.weekdays(node.get("weekday"))? }
            }
            "time_pattern" => pattern(node)?,
            "sun" => {
                let rises = match node.get("event").and_then(Node::text) {
                    Some("sunrise") => true,
                    Some("sunset") => false,
                    _ => {
                        return wrong(
                            node.place,
                            "the trigger does not say which event of the sun",
                            "expected `event: sunrise` or `event: sunset`",
                        );
                    }
                };
                TriggerKind::Sun { rises, offset: self.offset(node.get("offset"))? }
            }
            "homeassistant" => match node.get("event").and_then(Node::text) {
                Some("shutdown") => TriggerKind::Shutdown,
                _ => TriggerKind::Start,
            },
            "event" => {
                let Some(names) = node.get("event_type") else {
                    return wrong(node.place, "the trigger does not say which event", "expected `event_type:`");
                };
                let data = match node.get("event_data") {
                    Some(data) if data.is_map() => data
                        .entries()
                        .iter()
                        .map(|(key, value)| Ok((key.to_string(), self.templated(value)?)))
                        .collect::<Read<_>>()?,
                    _ => Vec::new(),
                };
                TriggerKind::Event { names: names.items().iter().map(Node::to_string).collect(), data }
            }
            "zone" => {
                let entities = self.entities(node.get("entity_id"), node.place)?;
                let zone = zone_state(&self.entities(node.get("zone"), node.place)?);
                match node.get("event").and_then(Node::text) {
                    Some("leave") => TriggerKind::State {
                        entities,
                        attribute: None,
                        from: Match::In(vec![zone]),
                        to: Match::Open,
                        hold: None,
                        blind: true,
                    },
                    _ => TriggerKind::State {
                        entities,
                        attribute: None,
                        from: Match::Open,
                        to: Match::In(vec![zone]),
                        hold: None,
                        blind: true,
                    },
                }
            }
            "device" => self.device_trigger(node)?,
            "mqtt"
            | "webhook"
            | "tag"
            | "calendar"
            | "geo_location"
            | "conversation"
            | "persistent_notification"
            | "litejet"
            | "kira"
            | "hue"
            | "zha"
            | "zwave_js.event"
            | "zwave_js.value_updated"
            | "telegram_bot" => TriggerKind::Outside(outside_words(platform, node)),
            other if other.contains('.') => self.purpose_trigger(other, node)?,
            other => TriggerKind::Opaque(format!("the trigger `{other}`")),
        })
    }

    fn offset(&self, node: Option<&Node>) -> Read<i64> {
        let Some(node) = node.filter(|node| !node.is_null()) else { return Ok(0) };
        match duration::of_value(&fixed(node)) {
            Some(ms) => Ok(ms / 1000),
            None => wrong(node.place, format!("`{node}` is no offset"), "expected HH:MM:SS with a sign"),
        }
    }

    /// A trigger of a device: those of entities are state triggers, others are pure events.
    fn device_trigger(&mut self, node: &Node) -> Read<TriggerKind> {
        let word = |key: &str| node.get(key).map(Node::to_string);
        let (domain, kind) = (word("domain").unwrap_or_default(), word("type").unwrap_or_default());
        let hold = self.optional_length(node.get("for"))?;
        let Some(entity) = node.get("entity_id") else {
            return Ok(TriggerKind::Outside(outside_words("device", node)));
        };
        let entities = self.entities(Some(entity), node.place)?;
        let (above, below) = (self.bound(node.get("above"))?, self.bound(node.get("below"))?);
        if above.is_some() || below.is_some() {
            let attribute = match kind.as_str() {
                "position" => Some("current_position".to_owned()),
                "current_temperature_changed" => Some("current_temperature".to_owned()),
                _ => None,
            };
            return Ok(TriggerKind::Numeric { entities, attribute, above, below, value: None, hold });
        }
        let to = match word("to") {
            Some(to) => Match::In(vec![to]),
            None => match device_state(&domain, &kind) {
                Some("*") => Match::Any,
                Some(state) => Match::In(vec![state.to_owned()]),
                None => return Ok(TriggerKind::Outside(outside_words("device", node))),
            },
        };
        let from = match (&to, word("from")) {
            (_, Some(from)) => Match::In(vec![from]),
            _ => Match::Open,
        };
        Ok(TriggerKind::State { entities, attribute: None, from, to, hold, blind: false })
    }

    /// A trigger of the new style, such as `motion.detected`.
    fn purpose_trigger(&mut self, name: &str, node: &Node) -> Read<TriggerKind> {
        let entities = self.target_entities(node)?;
        let options = node.get("options");
        let hold = self.optional_length(options.and_then(|options| options.get("for")))?;
        let behavior = options.and_then(|options| options.get("behavior")).map(Node::to_string);
        if behavior.as_deref().is_some_and(|behavior| behavior != "each" && behavior != "any") && entities.len() > 1 {
            return Ok(TriggerKind::Opaque(format!("`behavior` of the trigger `{name}` with several entities")));
        }
        match purpose(name) {
            Some(purpose) if !entities.is_empty() => Ok(TriggerKind::State {
                entities,
                attribute: purpose.attribute.map(str::to_owned),
                from: Match::Open,
                to: if purpose.states.is_empty() {
                    Match::Any
                } else {
                    Match::In(purpose.states.iter().map(|&state| state.to_owned()).collect())
                },
                hold,
                blind: true,
            }),
            Some(_) => {
                Ok(TriggerKind::Opaque(format!("the target of the trigger `{name}`, which the registry would tell")))
            }
            None => Ok(TriggerKind::Outside(outside_words(name, node))),
        }
    }

    /// The entities of a `target`, as far as they are known.
    fn target_entities(&mut self, node: &Node) -> Read<Vec<String>> {
        let Some(target) = node.get("target") else { return Ok(Vec::new()) };
        let mut entities = match target.get("entity_id") {
            Some(entity) => self.entities(Some(entity), node.place)?,
            None => Vec::new(),
        };
        for (key, kind) in MEMBERS {
            for item in target.get(key).map(Node::items).unwrap_or_default() {
                entities.extend(self.registry.members(kind, &item.to_string()));
            }
        }
        Ok(entities)
    }

    // Conditions

    pub(crate) fn conditions(&mut self, node: Option<&Node>) -> Read<Vec<Condition>> {
        self.conditions_at(node, 0)
    }

    fn conditions_at(&mut self, node: Option<&Node>, depth: usize) -> Read<Vec<Condition>> {
        node.map(Node::items).unwrap_or_default().iter().map(|item| self.condition(item, depth)).collect()
    }

    fn condition(&mut self, node: &Node, depth: usize) -> Read<Condition> {
        if depth > 40 {
            return wrong(node.place, "conditions are nested too deeply", "expected at most 40 inside of each other");
        }
        let kind = self.condition_kind(node, depth)?;
        if let ConditionKind::Opaque(what) = &kind {
            self.note(node.place, what.clone(), true);
        }
        Ok(Condition { place: node.place, kind })
    }

    fn condition_kind(&mut self, node: &Node, depth: usize) -> Read<ConditionKind> {
        match &node.value {
            Value::Text(text) if template::is_template(text) => {
                return Ok(ConditionKind::Template(self.template(text, node.place, true)?));
            }
            Value::Text(text) => {
                return wrong(node.place, format!("`{text}` is no condition"), "expected a mapping or a template");
            }
            Value::Bool(value) => {
                let text = if *value { "{{ true }}" } else { "{{ false }}" };
                return Ok(ConditionKind::Template(self.template(text, node.place, true)?));
            }
            Value::List(items) => {
                return Ok(ConditionKind::And(
                    items.iter().map(|item| self.condition(item, depth + 1)).collect::<Read<_>>()?,
                ));
            }
            Value::Map(_) => {}
            _ => {
                return wrong(
                    node.place,
                    format!("a condition is {}", node.kind()),
                    "expected a mapping or a template",
                );
            }
        }
        if self.is_disabled(node)? {
            return Ok(ConditionKind::Disabled);
        }
        for key in ["and", "or", "not"] {
            if let Some(inner) = node.get(key).filter(|_| node.get("condition").is_none()) {
                let inner = self.conditions_at(Some(inner), depth + 1)?;
                return Ok(combined(key, inner));
            }
        }
        let Some(named) = node.get("condition") else {
            return wrong(node.place, "the condition does not say what kind it is", "expected `condition:`");
        };
        let Some(name) = named.text() else {
            // A list under `condition:` is all of them.
            return Ok(ConditionKind::And(self.conditions_at(Some(named), depth + 1)?));
        };
        if template::is_template(name) {
            return Ok(ConditionKind::Template(self.template(name, named.place, true)?));
        }
        let merged;
        let node = match node.get("options").filter(|options| options.is_map()) {
            Some(options) if !name.contains('.') => {
                let entries = node.entries().iter().chain(options.entries()).cloned().collect();
                merged = Node::new(node.place, Value::Map(entries));
                &merged
            }
            _ => node,
        };
        Ok(match name {
            "and" | "or" | "not" => combined(name, self.conditions_at(node.get("conditions"), depth + 1)?),
            "state" => {
                let Some(state) = node.get("state") else {
                    return wrong(node.place, "the condition has no state", "expected `state:`");
                };
                ConditionKind::State {
                    entities: self.entities(node.get("entity_id"), node.place)?,
                    any: node.get("match").is_some_and(|how| how.text() == Some("any")),
                    attribute: node.get("attribute").map(Node::to_string),
                    states: if node.get("attribute").is_some() {
                        state.items().iter().map(Node::to_string).collect()
                    } else {
                        self.states(state)?
                    },
                    hold: self.optional_length(node.get("for"))?,
                }
            }
            "numeric_state" => {
                let (above, below) = (self.bound(node.get("above"))?, self.bound(node.get("below"))?);
                if above.is_none() && below.is_none() {
                    return wrong(node.place, "the condition has no bound", "expected `above:` or `below:`");
                }
                ConditionKind::Numeric {
                    entities: self.entities(node.get("entity_id"), node.place)?,
                    attribute: node.get("attribute").map(Node::to_string),
                    above,
                    below,
                    value: node
                        .get("value_template")
                        .map(|value| self.template(&value.to_string(), value.place, true))
                        .transpose()?,
                }
            }
            "template" => {
                let Some(value) = node.get("value_template") else {
                    return wrong(node.place, "the condition has no template", "expected `value_template:`");
                };
                ConditionKind::Template(self.template(&value.to_string(), value.place, true)?)
            }
            "time" => {
                let after = node.get("after").map(|at| self.at(at)).transpose()?.flatten();
                let before = node.get("before").map(|at| self.at(at)).transpose()?.flatten();
                ConditionKind::Time { after, before, weekdays: self.weekdays(node.get("weekday"))? }
            }
            "sun" => {
                let side = |reader: &Self, key: &str, offset: &str| -> Read<Option<(bool, i64)>> {
                    let Some(event) = node.get(key) else { return Ok(None) };
                    let rises = match event.text() {
                        Some("sunrise") => true,
                        Some("sunset") => false,
                        _ => {
                            return wrong(
                                event.place,
                                format!("`{event}` is no event of the sun"),
                                "expected sunrise or sunset",
                            );
                        }
                    };
                    Ok(Some((rises, reader.offset(node.get(offset))?)))
                };
                ConditionKind::Sun {
                    after: side(self, "after", "after_offset")?,
                    before: side(self, "before", "before_offset")?,
                }
            }
            "zone" => ConditionKind::State {
                entities: self.entities(node.get("entity_id"), node.place)?,
                any: false,
                attribute: None,
                states: self
                    .entities(node.get("zone"), node.place)?
                    .iter()
                    .map(|zone| zone_state(std::slice::from_ref(zone)))
                    .collect(),
                hold: None,
            },
            "trigger" => {
                let Some(ids) = node.get("id") else {
                    return wrong(node.place, "the condition has no id", "expected `id:`");
                };
                ConditionKind::Trigger(ids.items().iter().map(Node::to_string).collect())
            }
            "device" => self.device_condition(node)?,
            other if other.contains('.') => self.purpose_condition(other, node)?,
            other => ConditionKind::Opaque(format!("the condition `{other}`")),
        })
    }

    fn device_condition(&mut self, node: &Node) -> Read<ConditionKind> {
        let word = |key: &str| node.get(key).map(Node::to_string).unwrap_or_default();
        let (domain, kind) = (word("domain"), word("type"));
        let (above, below) = (self.bound(node.get("above"))?, self.bound(node.get("below"))?);
        let Some(entity) = node.get("entity_id") else {
            return Ok(ConditionKind::Opaque(format!("the condition `{kind}` of a device")));
        };
        let entities = self.entities(Some(entity), node.place)?;
        if above.is_some() || below.is_some() {
            return Ok(ConditionKind::Numeric { entities, attribute: None, above, below, value: None });
        }
        let plain = kind.strip_prefix("is_").unwrap_or(&kind);
        Ok(match device_state(&domain, plain) {
            Some(state) if state != "*" => ConditionKind::State {
                entities,
                any: false,
                attribute: None,
                states: vec![state.to_owned()],
                hold: self.optional_length(node.get("for"))?,
            },
            _ => ConditionKind::Opaque(format!("the condition `{kind}` of a device")),
        })
    }

    fn purpose_condition(&mut self, name: &str, node: &Node) -> Read<ConditionKind> {
        let entities = self.target_entities(node)?;
        let any = node
            .get("options")
            .and_then(|options| options.get("behavior"))
            .is_none_or(|behavior| behavior.text() != Some("all"));
        Ok(match crate::words::purpose_condition(name) {
            Some((attribute, states)) if !entities.is_empty() => ConditionKind::State {
                entities,
                any,
                attribute: attribute.map(str::to_owned),
                states: states.iter().map(|&state| state.to_owned()).collect(),
                hold: None,
            },
            Some(_) => {
                ConditionKind::Opaque(format!("the target of the condition `{name}`, which the registry would tell"))
            }
            None => ConditionKind::Opaque(format!("the condition `{name}`")),
        })
    }

    // Actions

    pub(crate) fn actions(&mut self, node: Option<&Node>) -> Read<Vec<Action>> {
        self.actions_at(node, 0)
    }

    fn actions_at(&mut self, node: Option<&Node>, depth: usize) -> Read<Vec<Action>> {
        let Some(node) = node else { return Ok(Vec::new()) };
        if depth > 40 {
            return wrong(node.place, "actions are nested too deeply", "expected at most 40 inside of each other");
        }
        let mut actions = Vec::new();
        for item in node.items() {
            if matches!(item.value, Value::List(_)) {
                actions.extend(self.actions_at(Some(item), depth + 1)?);
                continue;
            }
            if self.is_disabled(item)? {
                continue;
            }
            let kind = self.action(item, depth)?;
            let goes_on = item.get("continue_on_error").and_then(Node::truth) == Some(true);
            actions.push(Action { place: item.place, goes_on, kind });
        }
        Ok(actions)
    }

    fn timeout(&mut self, node: &Node) -> Read<(Option<Templated>, bool)> {
        let timeout = self.optional_length(node.get("timeout"))?;
        let goes_on = node.get("continue_on_timeout").and_then(Node::truth) != Some(false);
        Ok((timeout, goes_on))
    }

    fn action(&mut self, node: &Node, depth: usize) -> Read<ActionKind> {
        if let Value::Text(text) = &node.value {
            if template::is_template(text) {
                return Ok(ActionKind::Condition(self.condition(node, depth)?));
            }
            return wrong(
                node.place,
                format!("`{text}` is no action"),
                "expected a mapping such as `action: light.turn_on`",
            );
        }
        if !node.is_map() {
            return wrong(
                node.place,
                format!("an action is {}", node.kind()),
                "expected a mapping such as `action: light.turn_on`",
            );
        }
        let has = |key: &str| node.get(key);
        if let Some(delay) = has("delay") {
            return Ok(ActionKind::Delay(self.length(delay)?));
        }
        if let Some(template) = has("wait_template") {
            let template = self.template(&template.to_string(), template.place, true)?;
            let (timeout, goes_on) = self.timeout(node)?;
            return Ok(ActionKind::WaitTemplate { template, timeout, goes_on });
        }
        if has("condition").is_some() || ["and", "or", "not"].iter().any(|key| has(key).is_some()) {
            return Ok(ActionKind::Condition(self.condition(node, depth)?));
        }
        if let Some(event) = has("event") {
            let data = has("event_data").or_else(|| has("event_data_template"));
            let data = data.map(Node::entries).unwrap_or_default();
            let data =
                data.iter().map(|(key, value)| Ok((key.to_string(), self.templated(value)?))).collect::<Read<_>>()?;
            return Ok(ActionKind::Event { name: event.to_string(), data });
        }
        if has("device_id").is_some() && has("action").is_none() && has("service").is_none() {
            return self.device_action(node);
        }
        if let Some(scene) = has("scene") {
            let service = Templated::Val(Val::text("scene.turn_on"));
            let targets = vec![Target::Entities(self.deciding(scene)?)];
            return Ok(ActionKind::Call(Call { service, targets, data: Vec::new(), answer: None }));
        }
        if let Some(repeat) = has("repeat") {
            return self.repeat(repeat, depth);
        }
        if let Some(choose) = has("choose") {
            let mut branches = Vec::new();
            for branch in choose.items() {
                if self.is_disabled(branch)? {
                    continue;
                }
                let Some(conditions) = branch.get_any(&["conditions", "condition"]) else {
                    return wrong(branch.place, "a branch of `choose` has no conditions", "expected `conditions:`");
                };
                let conditions = self.conditions_at(Some(conditions), depth + 1)?;
                branches.push((conditions, self.actions_at(branch.get("sequence"), depth + 1)?));
            }
            return Ok(ActionKind::Choose { branches, otherwise: self.actions_at(has("default"), depth + 1)? });
        }
        if let Some(triggers) = has("wait_for_trigger") {
            let triggers = self.triggers(triggers)?;
            let (timeout, goes_on) = self.timeout(node)?;
            return Ok(ActionKind::WaitTrigger { triggers, timeout, goes_on });
        }
        if let Some(variables) = has("variables") {
            return Ok(ActionKind::Variables(self.variables(Some(variables))?));
        }
        if let Some(conditions) = has("if") {
            return Ok(ActionKind::If {
                conditions: self.conditions_at(Some(conditions), depth + 1)?,
                then: self.actions_at(has("then"), depth + 1)?,
                otherwise: self.actions_at(has("else"), depth + 1)?,
            });
        }
        if let Some(service) = node.get_any(&["action", "service", "service_template"]) {
            return self.call(service, node);
        }
        if has("stop").is_some() {
            return Ok(ActionKind::Stop { error: has("error").and_then(Node::truth) == Some(true) });
        }
        if let Some(parallel) = has("parallel") {
            let mut branches = Vec::new();
            for item in parallel.items() {
                branches.push(match item.get("sequence") {
                    Some(sequence) => self.actions_at(Some(sequence), depth + 1)?,
                    None => self.actions_at(Some(item), depth + 1)?,
                });
            }
            return Ok(ActionKind::Parallel(branches));
        }
        if let Some(sequence) = has("sequence") {
            return Ok(ActionKind::Sequence(self.actions_at(Some(sequence), depth + 1)?));
        }
        if has("set_conversation_response").is_some() {
            return Ok(ActionKind::Nothing);
        }
        let keys: Vec<String> = node.entries().iter().map(|(key, _)| format!("`{key}`")).collect();
        wrong(
            node.place,
            format!("an action that is not known, with {}", keys.join(", ")),
            "expected `action:`, `delay:`, `choose:` or another action",
        )
    }

    fn repeat(&mut self, node: &Node, depth: usize) -> Read<ActionKind> {
        let body = self.actions_at(node.get("sequence"), depth + 1)?;
        let repeat = if let Some(count) = node.get("count") {
            Repeat::Count(self.deciding(count)?)
        } else if let Some(conditions) = node.get("while") {
            Repeat::While(self.conditions_at(Some(conditions), depth + 1)?)
        } else if let Some(conditions) = node.get("until") {
            Repeat::Until(self.conditions_at(Some(conditions), depth + 1)?)
        } else if let Some(items) = node.get("for_each") {
            Repeat::Each(self.deciding(items)?)
        } else {
            return wrong(
                node.place,
                "`repeat` does not say how often",
                "expected `count:`, `while:`, `until:` or `for_each:`",
            );
        };
        Ok(ActionKind::Repeat { repeat, body })
    }

    fn call(&mut self, service: &Node, node: &Node) -> Read<ActionKind> {
        let name = self.deciding(service)?;
        if let Some(Val::Text(fixed)) = name.fixed() {
            if !fixed.contains('.') {
                return wrong(
                    service.place,
                    format!("`{fixed}` is no action"),
                    "expected domain.action, as in light.turn_on",
                );
            }
        } else if name.fixed().is_some() {
            return wrong(
                service.place,
                format!("`{service}` is no action"),
                "expected domain.action, as in light.turn_on",
            );
        }
        let mut targets = Vec::new();
        let mut data = Vec::new();
        for block in [Some(node), node.get("target"), node.get("data"), node.get("data_template")].into_iter().flatten()
        {
            if let Value::Text(_) = block.value {
                // The whole target or data is a template.
                self.note(block.place, "a template instead of a mapping", true);
                continue;
            }
            if let Some(entity) = block.get("entity_id") {
                targets.push(Target::Entities(self.target(entity)?));
            }
            for (key, kind) in MEMBERS {
                for item in block.get(key).map(Node::items).unwrap_or_default() {
                    targets.push(Target::Members(kind, item.to_string()));
                }
            }
        }
        for block in [node.get("data"), node.get("data_template")].into_iter().flatten() {
            for (key, value) in block.entries() {
                let key = key.to_string();
                if key != "entity_id" && !MEMBERS.iter().any(|(member, _)| *member == key) {
                    data.push((key, self.templated(value)?));
                }
            }
        }
        let answer = node.get("response_variable").map(Node::to_string);
        Ok(ActionKind::Call(Call { service: name, targets, data, answer }))
    }

    /// The entities of a call: names with commas are split, ids of the registry resolved.
    fn target(&mut self, node: &Node) -> Read<Templated> {
        match &node.value {
            Value::Text(text) if template::is_template(text) => self.deciding(node),
            Value::Text(text) if text == "all" || text == "none" => Ok(Templated::Val(Val::text(text))),
            Value::Text(text) => {
                let mut names = Vec::new();
                for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                    names.push(Templated::Val(Val::text(self.entity(name, node.place)?)));
                }
                Ok(Templated::List(names))
            }
            Value::List(items) => {
                let mut names = Vec::new();
                for item in items {
                    match self.target(item)? {
                        Templated::List(more) => names.extend(more),
                        one => names.push(one),
                    }
                }
                Ok(Templated::List(names))
            }
            Value::Null => Ok(Templated::List(Vec::new())),
            Value::Tag(..) => {
                self.note(node.place, "an input without a value", true);
                Ok(Templated::List(Vec::new()))
            }
            _ => wrong(
                node.place,
                format!("{} stands where an entity is wanted", node.kind()),
                "expected a name such as light.hall",
            ),
        }
    }

    fn device_action(&mut self, node: &Node) -> Read<ActionKind> {
        let word = |key: &str| node.get(key).map(Node::to_string).unwrap_or_default();
        let (domain, kind) = (word("domain"), word("type"));
        let service = crate::words::device_service(&domain, &kind);
        let targets = match node.get("entity_id") {
            Some(entity) => vec![Target::Entities(self.target(entity)?)],
            None => Vec::new(),
        };
        if targets.is_empty() || service.is_none() {
            self.note(node.place, format!("the action `{kind}` of a device"), false);
        }
        let mut data = Vec::new();
        for key in ["brightness_pct", "position", "value", "option", "hvac_mode", "preset_mode"] {
            if let Some(value) = node.get(key) {
                data.push((key.to_owned(), self.templated(value)?));
            }
        }
        let service = service.unwrap_or_else(|| format!("{domain}.{kind}"));
        Ok(ActionKind::Call(Call { service: Templated::Val(Val::text(service)), targets, data, answer: None }))
    }
}

/// The keys of a target besides entities, and what they name.
const MEMBERS: [(&str, &str); 4] =
    [("device_id", "device"), ("area_id", "area"), ("floor_id", "floor"), ("label_id", "label")];

fn combined(name: &str, inner: Vec<Condition>) -> ConditionKind {
    match name {
        "and" => ConditionKind::And(inner),
        "or" => ConditionKind::Or(inner),
        _ => ConditionKind::Not(inner),
    }
}

/// The value of a template that looks at nothing.
fn constant(template: &Template) -> Option<Val> {
    match template.text.trim().trim_start_matches("{{").trim_end_matches("}}").trim() {
        "true" | "True" => Some(Val::Bool(true)),
        "false" | "False" => Some(Val::Bool(false)),
        _ => None,
    }
}

/// A node without templates as a value.
pub(crate) fn fixed(node: &Node) -> Val {
    match &node.value {
        Value::Null => Val::None,
        Value::Bool(value) => Val::Bool(*value),
        Value::Int(number) => Val::Int(*number),
        Value::Float(number) => Val::float(*number),
        Value::Text(text) => Val::text(text),
        Value::List(items) => Val::list(items.iter().map(fixed).collect()),
        Value::Map(entries) => {
            Val::Map(Arc::new(entries.iter().map(|(key, value)| (Val::text(key.to_string()), fixed(value))).collect()))
        }
        Value::Tag(tag, inner) => Val::opaque(format!("`!{tag} {inner}`")),
    }
}

fn template_slug(text: &str) -> String {
    crate::words::slug(text)
}

/// What the state of a person says who is in a zone.
fn zone_state(zones: &[String]) -> String {
    let zone = zones.first().map_or("", String::as_str);
    zone.strip_prefix("zone.").unwrap_or(zone).to_owned()
}

/// Equal things outside have equal words.
fn outside_words(platform: &str, node: &Node) -> String {
    const TELLING: [&str; 14] = [
        "topic",
        "payload",
        "webhook_id",
        "tag_id",
        "domain",
        "type",
        "subtype",
        "device_id",
        "event",
        "command",
        "zone",
        "entity_id",
        "discovery_id",
        "target",
    ];
    let mut words = vec![match platform {
        "mqtt" => "a message".to_owned(),
        "webhook" => "a webhook".to_owned(),
        "tag" => "a tag".to_owned(),
        "calendar" => "the calendar".to_owned(),
        "device" => "a device".to_owned(),
        "conversation" => "a sentence is said".to_owned(),
        "persistent_notification" => "a notification".to_owned(),
        other => other.to_owned(),
    }];
    words.extend(
        TELLING.iter().filter_map(|key| Some(node.get(key)?.to_string())).map(|word| word.chars().take(40).collect()),
    );
    words.join(" ")
}

fn pattern(node: &Node) -> Read<TriggerKind> {
    // The length of each unit, and of the whole of which it is a part.
    const UNITS: [(&str, i64, i64); 3] = [("hours", 3600, 86_400), ("minutes", 60, 3600), ("seconds", 1, 60)];
    let mut period = None;
    let mut words = Vec::new();
    for (key, unit, whole) in UNITS {
        let Some(value) = node.get(key) else { continue };
        let text = value.to_string();
        words.push(format!("{key} {text}"));
        let every = match text.strip_prefix('/') {
            Some(step) => step.parse::<i64>().ok().map(|step| step * unit),
            None if text == "*" => Some(unit),
            None => text.parse::<i64>().ok().map(|_| whole),
        };
        match every {
            Some(every) if every > 0 => {
                period = Some(period.map_or(every, |period: i64| {
                    if text == "*" || text.starts_with('/') { every.min(period) } else { period.max(every) }
                }))
            }
            _ => return wrong(value.place, format!("`{text}` is no pattern"), "expected a number, /n or *"),
        }
    }
    match period {
        Some(period) => Ok(TriggerKind::Pattern { period, words: words.join(", ") }),
        None => wrong(node.place, "the trigger has no pattern", "expected `hours:`, `minutes:` or `seconds:`"),
    }
}
