//! The home itself: its mode, its place on earth, its routines; and what an app knows of itself.

use super::devices::reading_of;
use super::{app, kind, outside, unknown_outside};
use crate::capability::spaced;
use crate::clock;
use crate::happening::Notice;
use crate::stage::Stage;
use crate::{Profile, reading};
use mazurka_groovy::{Frozen, Native, Object, Run, Span, Trouble, Value};
use std::rc::Rc;
use std::sync::Arc;

impl Stage<'_> {
    /// Calls a method of `location`.
    pub(super) fn call_location(
        &mut self,
        run: &mut Run,
        name: &str,
        arguments: &[Value],
        at: Span,
    ) -> Result<Option<Value>, Trouble> {
        match (name, arguments) {
            ("setMode", [mode]) => self.set_mode(run, mode, at).map(|()| Some(Value::Null)),
            ("currentValue" | "latestValue", [about, ..]) => {
                let about = run.text(self, about)?;
                Ok(Some(self.value_of_location(&about)))
            }
            ("currentState" | "latestState", [about, ..]) => {
                let about = run.text(self, about)?;
                let value = self.value_of_location(&about);
                Ok(Some(if value.is_null() { value } else { reading_of(&about, &value) }))
            }
            ("eventsSince" | "eventsBetween" | "statesSince" | "events", _) => Ok(Some(Value::list(Vec::new()))),
            ("getSunriseAndSunset", _) => Ok(Some(self.sunrise_and_sunset())),
            _ => Ok(None),
        }
    }

    /// What `location` says of itself by name: the times of sunrise and sunset, its alarm.
    fn value_of_location(&mut self, about: &str) -> Value {
        match about {
            "sunriseTime" | "sunrise" => self.sun_time(clock::SUNRISE),
            "sunsetTime" | "sunset" => self.sun_time(clock::SUNSET),
            "mode" => self.mode(),
            "alarmSystemStatus" => Value::text("off"),
            _ => Value::Null,
        }
    }

    fn sun_time(&self, after_midnight: i64) -> Value {
        if self.home.profile == Profile::Paper {
            return Value::Date(clock::NOW);
        }
        let (hour, minute) = (after_midnight / 3_600_000, after_midnight / 60_000 % 60);
        Value::text(format!("2019-08-01T{hour:02}:{minute:02}:00.000-0400"))
    }

    fn mode(&mut self) -> Value {
        self.value(self.home.layout.mode()).unwrap_or_default().thaw()
    }

    /// A property of `location`.
    pub(super) fn get_of_location(&mut self, name: &str) -> Option<Value> {
        let mode =
            |name: &Arc<str>| Value::record([("name", Value::Text(name.clone())), ("id", Value::Text(name.clone()))]);
        let in_study = self.home.profile == Profile::Paper;
        Some(match name {
            "mode" | "locationMode" => self.mode(),
            "currentMode" => {
                let now = self.mode();
                Value::record([("name", now.clone()), ("id", now)])
            }
            "modes" => Value::list(self.home.wiring.modes.iter().map(mode).collect()),
            "timeZone" => Value::Native(Rc::new(Native::Zone(clock::ZONE.into()))),
            "name" | "id" => Value::text("Home"),
            "zipCode" => Value::text("92617"),
            "latitude" => Value::Double(40.7),
            "longitude" => Value::Double(-74.0),
            "temperatureScale" => Value::text("F"),
            "contactBookEnabled" => {
                if in_study {
                    Value::Int(1)
                } else {
                    Value::Bool(false)
                }
            }
            "contacts" => Value::list(vec![Value::text("AJ")]),
            "hubs" => Value::list(vec![outside()]),
            "helloHome" => Value::Object(Object::new(kind::HELLO_HOME, 0)),
            "sunrise" => self.value_of_location("sunrise"),
            "sunset" => self.value_of_location("sunset"),
            "channelName" | "country" | "hub" | "properties" | "timeFormat" => unknown_outside(),
            _ => return None,
        })
    }

    /// An app sets the mode of the home.
    pub(super) fn set_mode(&mut self, run: &mut Run, mode: &Value, at: Span) -> Result<(), Trouble> {
        let home = self.home;
        let mode = match mode {
            Value::Map(record) => record.get("name").unwrap_or_default(),
            other => other.clone(),
        };
        let mode: Arc<str> = run.text(self, &mode)?.into();
        let slot = home.layout.mode();
        let value = Frozen::Text(Arc::clone(&mode));
        let id = home.store.intern_value(value.clone());
        if self.read(slot) == id {
            return Ok(());
        }
        let app = app(run);
        self.note_writer(slot, app, &value, at);
        self.write_mode(id, true);
        self.note_change(app, at, slot, || format!("sets the mode to {mode}"));
        let notice = Notice { physical: false, ..Notice::of_home(home.mode_name(), value) };
        self.refuse_endless_cascade(&notice, app, at)?;
        self.tell(run, &notice, None)
    }

    /// `location.helloHome`: routines are noted, what they would do is not known.
    pub(super) fn call_hello_home(
        &mut self,
        run: &mut Run,
        name: &str,
        arguments: &[Value],
        at: Span,
    ) -> Result<Option<Value>, Trouble> {
        match name {
            "getPhrases" => Ok(Some(reading::phrases())),
            "execute" => {
                let routine = match arguments.first() {
                    Some(routine) => run.text(self, routine)?,
                    None => String::new(),
                };
                self.note_action(app(run), at, || format!("runs the routine {routine}"));
                Ok(Some(Value::Null))
            }
            _ => Ok(None),
        }
    }

    /// A property of an app.
    pub(super) fn get_of_app(&self, app: u32, name: &str) -> Option<Value> {
        let known = &self.home.apps[app as usize];
        Some(match name {
            "label" | "name" | "displayName" => Value::text(&known.name),
            "id" => Value::text(format!("app{app}")),
            "installationState" => Value::text("COMPLETE"),
            "accountId" | "namespace" | "parent" => unknown_outside(),
            _ => return None,
        })
    }

    /// What an app can have done to itself: its label, its settings. Noted, not done.
    pub(super) fn call_app(
        &mut self,
        run: &mut Run,
        name: &str,
        _: &[Value],
        at: Span,
    ) -> Result<Option<Value>, Trouble> {
        match name {
            "updateLabel" | "updateSetting" | "clearSetting" | "removeSetting" | "save" => {
                self.note_action(app(run), at, || format!("changes itself: {}", spaced(name)));
                Ok(Some(Value::Null))
            }
            _ => Ok(None),
        }
    }
}
