//! Tables of names: what devices call their triggers, what purpose-specific triggers mean, and how ids are made.

pub(crate) use crate::template::slug;

/// The state that a trigger or condition of a device stands for; `*` is any change.
pub(crate) fn device_state(domain: &str, kind: &str) -> Option<&'static str> {
    Some(match (domain, kind) {
        (_, "turned_on" | "on") => "on",
        (_, "turned_off" | "off") => "off",
        (_, "changed_states" | "toggled") => "*",
        ("cover" | "valve", "opened" | "open") => "open",
        ("cover" | "valve", "closed") => "closed",
        ("cover" | "valve", "opening") => "opening",
        ("cover" | "valve", "closing") => "closing",
        ("lock", "locked") => "locked",
        ("lock", "unlocked") => "unlocked",
        ("lock", "jammed") => "jammed",
        ("lock", "open" | "opened") => "open",
        ("person" | "device_tracker", "home") => "home",
        ("person" | "device_tracker", "not_home") => "not_home",
        ("alarm_control_panel", "disarmed") => "disarmed",
        ("alarm_control_panel", "triggered") => "triggered",
        ("alarm_control_panel", "armed_away") => "armed_away",
        ("alarm_control_panel", "armed_home") => "armed_home",
        ("alarm_control_panel", "armed_night") => "armed_night",
        ("media_player", "playing") => "playing",
        ("media_player", "paused") => "paused",
        ("media_player", "idle") => "idle",
        ("vacuum", "cleaning") => "cleaning",
        ("vacuum", "docked") => "docked",
        ("binary_sensor", "locked" | "not_locked") => {
            if kind == "locked" {
                "off"
            } else {
                "on"
            }
        }
        ("binary_sensor", kind) => return binary_sensor(kind),
        _ => return None,
    })
}

/// The pairs of names of a binary sensor's classes: the first one is on.
fn binary_sensor(kind: &str) -> Option<&'static str> {
    const ON: [&str; 22] = [
        "motion",
        "occupied",
        "opened",
        "open",
        "present",
        "moist",
        "smoke",
        "gas",
        "co",
        "problem",
        "bat_low",
        "plugged_in",
        "connected",
        "vibration",
        "sound",
        "cold",
        "hot",
        "light",
        "moving",
        "powered",
        "running",
        "tampered",
    ];
    let (plain, is_off) = match kind.strip_prefix("not_").or_else(|| kind.strip_prefix("no_")) {
        Some(plain) => (plain, true),
        None => (kind, kind == "closed"),
    };
    let is_known = ON.contains(&plain) || plain == "closed" || plain == "unsafe" || plain == "update";
    is_known.then_some(if is_off { "off" } else { "on" })
}

/// The service that an action of a device stands for.
pub(crate) fn device_service(domain: &str, kind: &str) -> Option<String> {
    let service = match (domain, kind) {
        (_, "turn_on" | "turn_off" | "toggle") => kind,
        ("cover", "open" | "close" | "stop") => return Some(format!("cover.{kind}_cover")),
        ("cover", "set_position") => "set_cover_position",
        ("lock", "lock" | "unlock" | "open") => kind,
        ("alarm_control_panel", "arm_away" | "arm_home" | "arm_night" | "disarm" | "trigger") => {
            return Some(format!("alarm_control_panel.alarm_{kind}"));
        }
        ("climate", "set_hvac_mode" | "set_preset_mode") => kind,
        ("vacuum", "clean") => "start",
        ("vacuum", "dock") => "return_to_base",
        ("button", "press") => kind,
        ("number", "set_value") => kind,
        ("select", "select_option") => kind,
        ("light", "brightness_increase" | "brightness_decrease" | "flash") => "turn_on",
        _ => return None,
    };
    Some(format!("{domain}.{service}"))
}

/// What a trigger of the new style waits for.
pub(crate) struct Purpose {
    pub(crate) attribute: Option<&'static str>,
    /// The values; none stands for any change.
    pub(crate) states: &'static [&'static str],
}

/// The meaning of a trigger such as `motion.detected`.
pub(crate) fn purpose(name: &str) -> Option<Purpose> {
    let (domain, event) = name.split_once('.')?;
    let states: &'static [&'static str] = match (domain, event) {
        (
            "light" | "fan" | "siren" | "remote" | "switch" | "humidifier" | "media_player" | "update" | "schedule",
            "turned_on" | "block_started" | "became_available",
        ) => &["on"],
        (_, "turned_off" | "block_ended") => &["off"],
        ("motion" | "occupancy" | "vibration" | "moisture" | "illuminance", "detected") => &["on"],
        (_, "cleared") => &["off"],
        ("door" | "window" | "gate" | "garage_door", "opened") => &["on", "open"],
        ("door" | "window" | "gate" | "garage_door", "closed") => &["off", "closed"],
        ("valve", "opened") => &["open"],
        ("valve", "closed") => &["closed"],
        ("cover", event) if event.ends_with("_opened") => &["open"],
        ("cover", event) if event.ends_with("_closed") => &["closed"],
        ("lock", "locked") => &["locked"],
        ("lock", "unlocked") => &["unlocked"],
        ("lock", "opened") => &["open"],
        ("lock", "jammed") => &["jammed"],
        ("alarm_control_panel", "armed") => {
            &["armed_away", "armed_home", "armed_night", "armed_vacation", "armed_custom_bypass"]
        }
        ("alarm_control_panel", "armed_away") => &["armed_away"],
        ("alarm_control_panel", "armed_home") => &["armed_home"],
        ("alarm_control_panel", "armed_night") => &["armed_night"],
        ("alarm_control_panel", "armed_vacation") => &["armed_vacation"],
        ("alarm_control_panel", "disarmed") => &["disarmed"],
        ("alarm_control_panel", "triggered") => &["triggered"],
        ("air_quality", event) if event.ends_with("_detected") => &["on"],
        ("air_quality", event) if event.ends_with("_cleared") => &["off"],
        ("battery", "became_low" | "started_charging") => &["on"],
        ("battery", "no_longer_low" | "stopped_charging") => &["off"],
        ("media_player", "started_playing") => &["playing"],
        ("media_player", "paused_playing") => &["paused"],
        ("media_player", "stopped_playing") => &["idle", "off", "standby"],
        ("vacuum", "started_cleaning") => &["cleaning"],
        ("vacuum" | "lawn_mower", "returned_to_dock") => &["docked"],
        ("vacuum" | "lawn_mower", "errored") => &["error"],
        ("lawn_mower", "started_mowing") => &["mowing"],
        ("timer", "started") => &["active"],
        ("timer", "paused") => &["paused"],
        ("select", "selection_changed")
        | ("text", "changed")
        | ("button", "pressed")
        | ("scene", "activated")
        | ("event", "received")
        | ("doorbell", "rang")
        | ("counter", "incremented" | "decremented") => &[],
        _ => return None,
    };
    Some(Purpose { attribute: None, states })
}

/// The meaning of a condition such as `light.is_on`.
pub(crate) fn purpose_condition(name: &str) -> Option<(Option<&'static str>, &'static [&'static str])> {
    let (domain, question) = name.split_once('.')?;
    let states: &'static [&'static str] = match (domain, question) {
        (_, "is_on" | "is_detected" | "is_available") => &["on"],
        (_, "is_off" | "is_not_detected") => &["off"],
        ("door" | "window" | "gate" | "garage_door" | "valve", "is_open") => &["on", "open"],
        ("door" | "window" | "gate" | "garage_door" | "valve", "is_closed") => &["off", "closed"],
        ("cover", question) if question.ends_with("_is_open") => &["open"],
        ("cover", question) if question.ends_with("_is_closed") => &["closed"],
        ("lock", "is_locked") => &["locked"],
        ("lock", "is_unlocked") => &["unlocked"],
        ("lock", "is_open") => &["open"],
        ("alarm_control_panel", "is_armed_away") => &["armed_away"],
        ("alarm_control_panel", "is_armed_home") => &["armed_home"],
        ("alarm_control_panel", "is_armed_night") => &["armed_night"],
        ("alarm_control_panel", "is_armed") => &["armed_away", "armed_home", "armed_night", "armed_vacation"],
        ("alarm_control_panel", "is_disarmed") => &["disarmed"],
        ("alarm_control_panel", "is_triggered") => &["triggered"],
        ("media_player", "is_playing") => &["playing"],
        ("media_player", "is_paused") => &["paused"],
        ("vacuum", "is_cleaning") => &["cleaning"],
        ("vacuum" | "lawn_mower", "is_docked") => &["docked"],
        ("timer", "is_active") => &["active"],
        ("timer", "is_paused") => &["paused"],
        ("timer", "is_idle") => &["idle"],
        _ => return None,
    };
    Some((None, states))
}
