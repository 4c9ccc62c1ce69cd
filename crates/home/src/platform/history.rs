//! What devices remember of the past.
//!
//! A search keeps no past: which events there were since some moment is a choice, of which all alternatives are explored.
//! An attribute with words has seen nothing, or one or two events of one of its first two values; a number has seen nothing,
//! or its present value.

use super::{devices_of, kind};
use crate::happening::Notice;
use crate::stage::Stage;
use mazurka_groovy::{Frozen, Object, Run, Trouble, Value};

impl Stage<'_> {
    /// A question about the past; `None` if it is not one.
    pub(super) fn history(
        &mut self,
        run: &mut Run,
        object: &Object,
        name: &str,
        arguments: &[Value],
    ) -> Result<Option<Value>, Trouble> {
        let named = match name {
            "statesSince" | "statesBetween" => match arguments.first() {
                Some(attribute @ Value::Text(_)) => Some(run.text(self, attribute)?),
                _ => None,
            },
            "eventsSince" | "eventsBetween" | "events" => None,
            _ => return Ok(None),
        };
        let mut all = Vec::new();
        for device in devices_of(object) {
            all.extend(self.past_of(device, named.as_deref()));
        }
        Ok(Some(Value::list(all)))
    }

    fn past_of(&mut self, device: u32, attribute: Option<&str>) -> Vec<Value> {
        let home = self.home;
        let powers = &home.wiring.devices[device as usize].powers;
        let index = attribute.map_or(Some(0), |name| powers.attribute(name));
        let Some(attribute) = index.and_then(|index| powers.attributes.get(index)) else { return Vec::new() };
        let slot = home.layout.attribute(device, index.unwrap_or(0));
        let notice = |value: Frozen| {
            let notice = Notice {
                name: attribute.name.as_str().into(),
                value,
                device: Some(device),
                physical: true,
                manual: false,
                data: None,
            };
            Value::Object(Object::with(kind::EVENT, 0, notice))
        };
        if attribute.number {
            return match self.choose(2) {
                0 => Vec::new(),
                _ => self.value(slot).map(notice).into_iter().collect(),
            };
        }
        let of =
            |place: usize| attribute.events.get(place).or(attribute.events.first()).map(|text| attribute.value(text));
        let (first, second) = (of(0), of(1));
        let (value, count) = match self.choose(5) {
            0 => return Vec::new(),
            1 => (first, 1),
            2 => (first, 2),
            3 => (second, 1),
            _ => (second, 2),
        };
        value.map_or_else(Vec::new, |value| (0..count).map(|_| notice(value.clone())).collect())
    }
}
