//! What services do to states: Appendix A of the design, as data.

use crate::template::Val;

/// What a call does to one entity.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    /// Its state becomes this.
    State(String),
    /// Its state becomes the other one.
    Toggle,
    /// An attribute becomes this.
    Attribute(&'static str, Val),
    /// Its state is a fresh time.
    Press,
    /// Its number grows by this many steps.
    Add(f64),
    /// The option this many further on, around the end or not; or the first or last one.
    Cycle(i64, bool),
    Edge(bool),
    Start(Option<Val>),
    Pause,
    Cancel,
    Finish,
    /// Its number becomes the initial one.
    Reset,
}

fn value(data: &[(String, Val)], key: &str) -> Option<Val> {
    data.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
}

/// Whether entities of a domain live in Home Assistant itself: a call on one of them is done at once.
pub(crate) fn is_helper(entity: &str) -> bool {
    let domain = entity.split('.').next().unwrap_or("");
    domain.starts_with("input_")
        || matches!(domain, "timer" | "counter" | "schedule" | "automation" | "group" | "script")
}

/// The effects of a service on an entity of its domain, in order. Nothing is known of others: they send a message.
pub(crate) fn effects(service: &str, entity: &str, data: &[(String, Val)]) -> Option<Vec<Effect>> {
    let (mut domain, name) = service.split_once('.')?;
    if domain == "homeassistant" {
        domain = entity.split('.').next().unwrap_or("");
    }
    let state = |text: &str| Some(vec![Effect::State(text.to_owned())]);
    let then =
        |first: &str, second: &str| Some(vec![Effect::State(first.to_owned()), Effect::State(second.to_owned())]);
    let given = |key: &str| value(data, key).map(|value| value.to_string());
    match (domain, name) {
        ("light", "turn_on") => {
            let zero = |key: &str| value(data, key).and_then(|value| value.as_number()) == Some(0.0);
            if zero("brightness") || zero("brightness_pct") {
                return state("off");
            }
            let mut effects = vec![Effect::State("on".to_owned())];
            if let Some(brightness) = value(data, "brightness") {
                effects.push(Effect::Attribute("brightness", brightness));
            } else if let Some(percent) = value(data, "brightness_pct").and_then(|value| value.as_number()) {
                effects.push(Effect::Attribute("brightness", Val::Int((percent * 2.55).round() as i64)));
            }
            for key in ["color_temp_kelvin", "rgb_color", "hs_color", "xy_color", "effect", "color_temp"] {
                effects.extend(value(data, key).map(|value| Effect::Attribute(key, value)));
            }
            Some(effects)
        }
        ("cover", "toggle") | ("valve", "toggle") => Some(vec![Effect::Toggle]),
        ("climate" | "water_heater", "turn_on") => state("heat"),
        ("media_player", "turn_on") => state("on"),
        (
            "light" | "switch" | "fan" | "siren" | "humidifier" | "input_boolean" | "remote" | "climate"
            | "media_player" | "water_heater" | "group" | "script" | "automation" | "binary_sensor" | "camera"
            | "vacuum" | "entity",
            "turn_on" | "turn_off" | "toggle",
        ) => match name {
            "turn_on" => state("on"),
            "turn_off" => state("off"),
            _ => Some(vec![Effect::Toggle]),
        },
        ("cover", "turn_on" | "open_cover") | ("valve", "open_valve") => then("opening", "open"),
        ("cover", "turn_off" | "close_cover") | ("valve", "close_valve") => then("closing", "closed"),
        ("cover", "stop_cover") => state("open"),
        ("cover", "set_cover_position") => {
            let position = value(data, "position").unwrap_or(Val::Int(50));
            let text = if position.as_number() == Some(0.0) { "closed" } else { "open" };
            Some(vec![Effect::State(text.to_owned()), Effect::Attribute("current_position", position)])
        }
        ("lock", "lock" | "turn_on") => then("locking", "locked"),
        ("lock", "unlock" | "turn_off") => then("unlocking", "unlocked"),
        ("lock", "open") => state("open"),
        ("alarm_control_panel", "alarm_disarm") => state("disarmed"),
        ("alarm_control_panel", "alarm_trigger") => then("pending", "triggered"),
        ("alarm_control_panel", name) => match name.strip_prefix("alarm_arm_") {
            Some(how) => then("arming", &format!("armed_{how}")),
            None => None,
        },
        ("climate", "set_hvac_mode") => given("hvac_mode").and_then(|mode| state(&mode)),
        ("climate", "set_temperature") => {
            let mut effects: Vec<Effect> = given("hvac_mode").map(Effect::State).into_iter().collect();
            effects.extend(value(data, "temperature").map(|value| Effect::Attribute("temperature", value)));
            Some(effects)
        }
        ("climate" | "fan", "set_preset_mode") => {
            Some(value(data, "preset_mode").map(|value| Effect::Attribute("preset_mode", value)).into_iter().collect())
        }
        ("climate", "set_fan_mode") => {
            Some(value(data, "fan_mode").map(|value| Effect::Attribute("fan_mode", value)).into_iter().collect())
        }
        ("fan", "set_percentage") => {
            let percentage = value(data, "percentage").unwrap_or(Val::Int(50));
            let text = if percentage.as_number() == Some(0.0) { "off" } else { "on" };
            Some(vec![Effect::State(text.to_owned()), Effect::Attribute("percentage", percentage)])
        }
        ("media_player", "media_play" | "play_media") => state("playing"),
        ("media_player", "media_pause") => state("paused"),
        ("media_player", "media_stop") => state("idle"),
        ("media_player", "volume_set") => Some(
            value(data, "volume_level").map(|value| Effect::Attribute("volume_level", value)).into_iter().collect(),
        ),
        ("media_player", "select_source") => {
            Some(value(data, "source").map(|value| Effect::Attribute("source", value)).into_iter().collect())
        }
        ("vacuum", "start") => state("cleaning"),
        ("vacuum", "pause") => state("paused"),
        ("vacuum", "stop") => state("idle"),
        ("vacuum", "return_to_base") | ("lawn_mower", "dock") => then("returning", "docked"),
        ("lawn_mower", "start_mowing") => state("mowing"),
        ("number" | "input_number" | "input_text" | "text" | "counter", "set_value") => {
            given("value").and_then(|value| state(&value))
        }
        ("input_number" | "counter", "increment") => Some(vec![Effect::Add(1.0)]),
        ("input_number" | "counter", "decrement") => Some(vec![Effect::Add(-1.0)]),
        ("counter", "reset") => Some(vec![Effect::Reset]),
        ("select" | "input_select", "select_option") => given("option").and_then(|option| state(&option)),
        ("select" | "input_select", "select_next" | "select_previous") => {
            let around = value(data, "cycle").is_none_or(|cycle| cycle != Val::Bool(false));
            Some(vec![Effect::Cycle(if name == "select_next" { 1 } else { -1 }, around)])
        }
        ("select" | "input_select", "select_first" | "select_last") => Some(vec![Effect::Edge(name == "select_last")]),
        ("input_datetime", "set_datetime") => given("time").or_else(|| given("datetime")).and_then(|time| state(&time)),
        ("input_button" | "button", "press") => Some(vec![Effect::Press]),
        ("timer", "start") => Some(vec![Effect::Start(value(data, "duration"))]),
        ("timer", "pause") => Some(vec![Effect::Pause]),
        ("timer", "cancel") => Some(vec![Effect::Cancel]),
        ("timer", "finish") => Some(vec![Effect::Finish]),
        _ => None,
    }
}
