//! What a handler can ask of the event that it is told of.

use super::{kind, outside};
use crate::Profile;
use crate::clock;
use crate::happening::Notice;
use crate::stage::Stage;
use mazurka_groovy::{Frozen, Object, Run, Trouble, Value};
use std::sync::Arc;

impl Stage<'_> {
    /// A property of an event.
    pub(super) fn get_of_notice(&mut self, _: &mut Run, object: &Object, name: &str) -> Result<Option<Value>, Trouble> {
        let Some(notice) = object.extra::<Notice>() else { return Ok(None) };
        let in_study = self.home.profile == Profile::Paper;
        let label = || match notice.device {
            _ if in_study => String::new(),
            Some(device) => self.home.wiring.devices[device as usize].label.to_string(),
            None => String::new(),
        };
        let device = || notice.device.map(|id| Value::Object(Object::new(kind::DEVICE, id))).unwrap_or_default();
        let number = || notice.number();
        let described =
            || if in_study { String::new() } else { format!("{} {} is {}", label(), notice.name, notice.text()) };
        Ok(Some(match name {
            "value" | "stringValue" => Value::text(notice.text()),
            "name" => Value::Text(notice.name.clone()),
            "device" => device(),
            "deviceId" => match notice.device {
                Some(device) => Value::Text(self.home.wiring.devices[device as usize].id.clone()),
                None => Value::Null,
            },
            "displayName" | "linkText" => Value::text(label()),
            "description" | "descriptionText" => Value::text(described()),
            "isStateChange" | "stateChange" => Value::Bool(!in_study),
            "physical" => Value::Bool(in_study || notice.physical),
            "digital" => Value::Bool(!notice.physical),
            "displayed" => Value::Bool(true),
            "data" => Value::text(json(&data_of(notice, in_study))),
            "jsonData" | "jsonValue" => data_of(notice, in_study).thaw(),
            "numericValue" | "numberValue" | "integerValue" | "longValue" | "floatValue" | "doubleValue" => {
                match number() {
                    Some(number) => number,
                    None if in_study => Value::Null,
                    None => return Err(Trouble::thrown("NumberFormatException", "the event's value is not a number")),
                }
            }
            "date" | "dateValue" | "dateCreated" | "lastUpdated" => Value::Date(clock::NOW),
            "isoDate" => Value::text("2019-08-01T21:14:40.896Z"),
            "unixTime" => Value::Long(clock::NOW),
            "unit" if in_study => Value::text(""),
            "source" => Value::text(if notice.device.is_some() { "DEVICE" } else { "LOCATION" }),
            "id" => Value::text("event"),
            "location" => Value::Object(Object::new(kind::LOCATION, 0)),
            "hub" => outside(),
            "unit"
            | "locationId"
            | "hubId"
            | "type"
            | "category"
            | "installedSmartAppId"
            | "xyzValue"
            | "parameters" => Value::Null,
            _ => return Ok(None),
        }))
    }

    /// An event as text.
    pub(super) fn text_of_notice(&self, object: &Object) -> String {
        match object.extra::<Notice>() {
            Some(notice) => format!("{}: {}", notice.name, notice.text()),
            None => "event".to_owned(),
        }
    }
}

/// What comes with an event. In the study every event says which phone was seen.
fn data_of(notice: &Notice, in_study: bool) -> Frozen {
    let phone = [(Frozen::text("dni"), Frozen::text("mobile0"))];
    notice.data.clone().unwrap_or_else(|| Frozen::Map(if in_study { Arc::from(phone) } else { Arc::from([]) }))
}

/// A value as JSON text.
pub(super) fn json(value: &Frozen) -> String {
    match value {
        Frozen::Text(text) => format!("{:?}", &**text),
        Frozen::List(items) => format!("[{}]", items.iter().map(json).collect::<Vec<_>>().join(",")),
        Frozen::Map(entries) => {
            let entry = |(key, value): &(Frozen, Frozen)| format!("{:?}:{}", key.to_string(), json(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}
