//! `subscribe` and `unsubscribe`.

use super::{app, devices_in, kind};
use crate::Profile;
use crate::stage::Stage;
use crate::store::{Source, Subscription};
use mazurka_groovy::{Run, Trouble, Value};
use std::sync::Arc;

/// Whether a child device is among what is subscribed to.
fn has_child(source: &Value) -> bool {
    match source {
        Value::Object(object) => object.kind == kind::CHILD,
        Value::List(list) => list.items().iter().any(has_child),
        _ => false,
    }
}

impl Stage<'_> {
    /// `subscribe(device, "attribute.value", handler)` and its shorter forms.
    pub(super) fn subscribe(&mut self, run: &mut Run, arguments: &[Value]) -> Result<Value, Trouble> {
        let app = app(run);
        // Options come as a leading map when they are named, and as a last one when they are written as a map.
        let plain: Vec<&Value> = arguments.iter().filter(|argument| !matches!(argument, Value::Map(_))).collect();
        let (source, event, handler) = match plain.as_slice() {
            [source, handler] => (*source, None, *handler),
            [source, event, handler, ..] => (*source, Some(run.text(self, event)?), *handler),
            _ => return Err(Trouble::illegal("subscribe takes a device, an event and a handler")),
        };
        let handler: Arc<str> = match handler {
            Value::Method(name) | Value::Text(name) => name.clone(),
            Value::Closure(_) => return Err(Trouble::unsupported("a closure as the handler of a subscription")),
            other => run.text(self, other)?.into(),
        };
        if has_child(source) {
            return Err(Trouble::unsupported("a subscription to a child device"));
        }
        let wanted = self.wanted(source, event.as_deref()).into_iter();
        let wanted = wanted.map(|(source, name, value)| Subscription { source, name, value, handler: handler.clone() });
        // An app that subscribes twice is told once.
        self.change_subscriptions(app, |list| list.extend(wanted));
        Ok(Value::Bool(true))
    }

    /// What is subscribed to: whose events, their name and their value.
    fn wanted(&self, source: &Value, event: Option<&str>) -> Vec<(Source, Arc<str>, Option<Arc<str>>)> {
        let (name, value) = match event.map(|event| event.split_once('.').unwrap_or((event, ""))) {
            Some((name, value)) => (Some(name), (!value.is_empty()).then(|| Arc::from(value))),
            None => (None, None),
        };
        match source {
            Value::Object(object) if object.kind == kind::APP => {
                vec![(Source::App, self.home.touch_name().into(), None)]
            }
            Value::Object(object) if object.kind == kind::LOCATION => {
                let is_mode = name.is_none_or(|name| name == "mode");
                let name: Arc<str> =
                    if is_mode { self.home.mode_name().into() } else { name.unwrap_or_default().into() };
                // The study loses which mode is asked for.
                let value = value.filter(|_| self.home.profile == Profile::Usual || !is_mode);
                vec![(Source::Location, name, value)]
            }
            _ => {
                let Some(name) = name else { return Vec::new() };
                let devices = devices_in(source).into_iter();
                devices.filter_map(|device| self.wanted_of_device(device, name, value.clone())).collect()
            }
        }
    }

    fn wanted_of_device(
        &self,
        device: u32,
        name: &str,
        value: Option<Arc<str>>,
    ) -> Option<(Source, Arc<str>, Option<Arc<str>>)> {
        if self.home.profile == Profile::Paper {
            return match name {
                "tamper" if value.is_some() => Some((Source::Device(device), "contact".into(), None)),
                "unlocked" => None,
                _ => Some((Source::Device(device), name.into(), value)),
            };
        }
        // An attribute that is known by several names has one in subscriptions.
        let powers = &self.home.wiring.devices[device as usize].powers;
        let name = powers.attribute(name).map_or(name, |index| powers.attributes[index].name.as_str());
        Some((Source::Device(device), name.into(), value))
    }

    /// `unsubscribe()` forgets everything, `unsubscribe(device)` what was asked of that device.
    pub(super) fn unsubscribe(&mut self, run: &mut Run, arguments: &[Value]) -> Result<Value, Trouble> {
        let app = app(run);
        match arguments {
            [] => self.forget_subscriptions(app),
            [source, rest @ ..] => {
                let name = match rest.first() {
                    Some(Value::Text(name)) => Some(name.clone()),
                    _ => None,
                };
                let sources: Vec<Source> = match source {
                    Value::Object(object) if object.kind == kind::APP => vec![Source::App],
                    Value::Object(object) if object.kind == kind::LOCATION => vec![Source::Location],
                    devices => devices_in(devices).into_iter().map(Source::Device).collect(),
                };
                let goes = |known: &Subscription| {
                    sources.contains(&known.source) && name.as_ref().is_none_or(|name| *name == known.name)
                };
                self.change_subscriptions(app, |list| list.retain(|known| !goes(known)));
            }
        }
        Ok(Value::Null)
    }
}
