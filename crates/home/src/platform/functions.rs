//! The functions and names that apps can use without a receiver.

use super::{app, kind, outside, unanswered, unknown_outside};
use crate::Profile;
use crate::app::Input;
use crate::happening::Notice;
use crate::stage::Stage;
use crate::store::MapKind;
use crate::wiring::InputValue;
use mazurka_groovy::{Frozen, Object, Run, Span, Trouble, Value};

/// What would reach outside of the home. It is noted and not done.
const MESSAGES: [&str; 11] = [
    "sendSms",
    "sendSMS",
    "sendSmsMessage",
    "sendPush",
    "sendPushMessage",
    "sendNotification",
    "sendNotificationEvent",
    "sendNotificationToContacts",
    "sendHubCommand",
    "sendEvent",
    "subscribeToCommand",
];

/// What a platform can do and is not modelled.
const UNMODELLED: [(&str, &str); 10] = [
    ("getAllGlobalVars", "a hub variable"),
    ("getGlobalVar", "a hub variable"),
    ("getGlobalVarsByType", "a hub variable"),
    ("downloadHubFile", "a file of the hub"),
    ("getHubFiles", "a file of the hub"),
    ("getHubUID", "the identity of the hub"),
    ("getMACFromIP", "the network of the hub"),
    ("getRooms", "the rooms of the home"),
    ("sendHsmEvent", "the alarm system of the hub"),
    ("subscribeToSsdp", "the network of the hub"),
];

/// What changes something of the hub that is not modelled. It is noted, and nothing comes of it.
const WITHOUT_EFFECT: [(&str, &str); 6] = [
    ("setGlobalVar", "sets a hub variable"),
    ("addInUseGlobalVar", ""),
    ("removeInUseGlobalVar", ""),
    ("removeAllInUseGlobalVar", ""),
    ("uploadHubFile", "writes a file of the hub"),
    ("deleteHubFile", "deletes a file of the hub"),
];

/// Requests to the web.
const REQUESTS: [&str; 13] = [
    "httpGet",
    "httpPost",
    "httpPostJson",
    "httpPut",
    "httpPutJson",
    "httpDelete",
    "httpHead",
    "httpPatch",
    "httpPatchJson",
    "asynchttpGet",
    "asynchttpPost",
    "asynchttp_v1",
    "httpGetJson",
];

impl Stage<'_> {
    /// Calls a function of the platform; `None` if there is none of that name.
    pub(super) fn call_function(
        &mut self,
        run: &mut Run,
        name: &str,
        arguments: &[Value],
        at: Span,
    ) -> Result<Option<Value>, Trouble> {
        if MESSAGES.contains(&name) {
            self.note_action(app(run), at, || format!("sends a message ({name})"));
            return Ok(Some(Value::Null));
        }
        if REQUESTS.contains(&name) {
            return self.request(run, name, arguments, at).map(Some);
        }
        if let Some(answer) = self.call_of_children(run, name, arguments, at)? {
            return Ok(Some(answer));
        }
        if let Some(what) = UNMODELLED.iter().find(|(known, _)| *known == name).map(|(_, what)| what) {
            return Err(Trouble::unsupported(format!("{what} ({name})")));
        }
        if let Some((_, what)) = WITHOUT_EFFECT.iter().find(|(known, _)| *known == name) {
            if !what.is_empty() {
                self.note_action(app(run), at, || format!("{what} ({name})"));
            }
            return Ok(Some(Value::Bool(true)));
        }
        if let Some(answer) = self.call_timer(run, name, arguments)? {
            return Ok(Some(answer));
        }
        if let Some(answer) = self.call_time(run, name, arguments)? {
            return Ok(Some(answer));
        }
        Ok(Some(match (name, arguments) {
            ("subscribe", _) => self.subscribe(run, arguments)?,
            ("unsubscribe", _) => self.unsubscribe(run, arguments)?,
            ("setLocationMode", [mode]) => {
                self.set_mode(run, mode, at)?;
                if self.home.profile == Profile::Paper {
                    let mode = run.text(self, mode)?;
                    self.set_variable(Some(app(run)), "location_mode", Frozen::text(&mode));
                }
                Value::Null
            }
            ("sendLocationEvent", [Value::Map(event), ..]) => {
                let text = |key: &str| event.get(key).map(|value| value.to_string()).unwrap_or_default();
                let notice = Notice { physical: false, ..Notice::of_home(&text("name"), Frozen::text(&text("value"))) };
                self.refuse_endless_cascade(&notice, app(run), at)?;
                self.tell(run, &notice, None)?;
                Value::Null
            }
            ("createAccessToken", _) => {
                let token = Value::text("token");
                self.set_entry(app(run), MapKind::State, "accessToken", &token)?;
                token
            }
            ("getTemperatureScale", []) => Value::text("F"),
            ("getChildApps" | "getAllChildApps" | "findAllChildAppsByName", _) => Value::list(Vec::new()),
            ("addChildApp", _) => {
                self.note_action(app(run), at, || format!("adds an app of its own ({name})"));
                outside()
            }
            ("parseJson", [text]) => self.parse_json(run, text)?,
            ("textToSpeech", _) => {
                Value::record([("uri", Value::text("http://speech")), ("duration", Value::text("10"))])
            }
            ("httpError", [_, ..]) => return Err(Trouble::thrown("HttpError", "the app answered with an error")),
            ("apiServerUrl" | "getApiServerUrl" | "getServerUrl", _) => Value::text("https://api"),
            ("fullApiServerUrl", _) => Value::text("https://api"),
            ("stringToMap", _) => Value::map([]),
            ("appSetting" | "getAppSetting", _) => {
                Value::unknown("a setting of the app's author, which is not modelled")
            }
            ("getChildAppByName" | "getChildAppById" | "findChildAppByName" | "getParent", _) => {
                Value::unknown("another instance of an app, which is not modelled")
            }
            (
                "getWeatherFeature" | "getTwcConditions" | "getTwcForecast" | "getTwcLocation" | "getTwcAlerts"
                | "parseLanMessage",
                _,
            ) => unknown_outside(),
            (
                "deleteChildApp"
                | "revokeAccessToken"
                | "render"
                | "redirect"
                | "pause"
                | "pauseExecution"
                | "setPreferences"
                | "definition"
                | "library"
                | "preferences"
                | "mappings"
                | "include"
                | "registerChangeHandler",
                _,
            ) => Value::Null,
            // Pages are for people; none is shown while events happen.
            ("dynamicPage" | "page" | "section" | "input" | "paragraph" | "href" | "label" | "image", _) => Value::Null,
            ("buildActionUrl" | "buildResourceUrl", _) => Value::text("https://api"),
            ("getLocation", []) => Value::Object(Object::new(kind::LOCATION, 0)),
            ("getSettings", []) => self.settings(app(run)),
            ("getApp", []) => Value::Object(Object::new(kind::APP, app(run))),
            ("getState", []) => Value::Object(Object::new(kind::STATE, app(run))),
            _ => return Ok(None),
        }))
    }

    /// A request to the web is noted. There is no answer; in the study, the request itself is the answer.
    fn request(&mut self, run: &mut Run, name: &str, arguments: &[Value], at: Span) -> Result<Value, Trouble> {
        self.note_action(app(run), at, || format!("asks the web ({name})"));
        if self.home.profile == Profile::Paper
            && let [request, .., Value::Closure(answered)] = arguments
        {
            return run.call_closure(self, answered, std::slice::from_ref(request));
        }
        Ok(unknown_outside())
    }

    fn parse_json(&mut self, run: &mut Run, text: &Value) -> Result<Value, Trouble> {
        let text = run.text(self, text)?;
        mazurka_groovy::parse_json(&text)
    }

    /// What a name stands for.
    pub(super) fn name(&mut self, run: &mut Run, name: &str) -> Option<Value> {
        let app = app(run);
        let object = |kind: u16| Some(Value::Object(Object::new(kind, app)));
        match name {
            "state" => object(kind::STATE),
            "atomicState" => object(kind::ATOMIC_STATE),
            "location" => Some(Value::Object(Object::new(kind::LOCATION, 0))),
            "app" => object(kind::APP),
            "log" => Some(Value::Object(Object::new(kind::LOG, 0))),
            "settings" => Some(self.settings(app)),
            _ if self.is_field(app, name) => Some(self.variable(Some(app), name)),
            "childDevices" if !self.home.apps[app as usize].script.has_method(name) => Some(self.child_devices(app)),
            _ => self.home.input(app, name).or_else(|| self.rare_name(app, name)),
        }
    }

    /// Whether a name is that of a variable that lasts.
    fn is_field(&self, app: u32, name: &str) -> bool {
        self.home.apps[app as usize].fields.iter().any(|field| field == name)
    }

    /// What a name stands for that few apps use, unless it is a method of the app.
    fn rare_name(&self, app: u32, name: &str) -> Option<Value> {
        let known = &self.home.apps[app as usize];
        if known.script.has_method(name) {
            return None;
        }
        Some(match name {
            "params" | "request" | "appSettings" => Value::map([]),
            "childApps" => Value::list(Vec::new()),
            "parent" => Value::unknown("the parent of the app, which is not modelled"),
            "apiServerUrl" | "serverUrl" => Value::text("https://api"),
            "temperatureScale" => Value::text("F"),
            "zipCode" => Value::text("92617"),
            "util" => outside(),
            _ if known.mentioned.iter().any(|mentioned| mentioned == name) => unanswered(name),
            // A name that was put together, as in `this."${device.id}_level"`, is that of a setting.
            _ if !known.source.contains(name) => unanswered(name),
            _ => return None,
        })
    }

    /// An app stores something under a name. An input can be overwritten for the rest of the step.
    pub(super) fn set_name(&mut self, run: &mut Run, name: &str, value: &Value, _: Span) -> Result<bool, Trouble> {
        let app = app(run);
        match (name, value) {
            // `state = [:]` empties it.
            ("state" | "atomicState", Value::Map(entries)) => {
                let map = if name == "state" { MapKind::State } else { MapKind::Atomic };
                for key in self.keys(app, map).iter() {
                    self.remove_entry(app, map, key);
                }
                for (key, value) in entries.entries() {
                    let key = run.text(self, &key)?;
                    self.set_entry(app, map, &key, &value)?;
                }
                Ok(true)
            }
            _ if self.is_field(app, name) => {
                let value = value.freeze().map_err(Trouble::from)?;
                self.set_variable(Some(app), name, value);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// All inputs of an app by name.
    fn settings(&mut self, app: u32) -> Value {
        let home = self.home;
        let make = || {
            let known = home.apps[app as usize].inputs.iter().zip(&home.wiring.inputs[app as usize]);
            let answered = known.filter(|(_, value)| !value.is_nothing());
            let entry = |(input, value): (&Input, &InputValue)| (Value::text(&input.name), super::input_value(value));
            Value::map_with_absent(answered.map(entry), unanswered)
        };
        self.settings[app as usize].get_or_insert_with(make).clone()
    }
}
