//! What is known of the apps of a home before anything happens: for a list of apps.

use crate::app::{ANY_DEVICE, InputKind};
use crate::home::Home;
use crate::store::{Source, Subscription};
use crate::wiring::InputValue;
use mazurka_core::{ActorId, Narrator, System, Violation};

/// An app in a home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overview {
    /// The app's name.
    pub name: String,
    /// Its file, as the user named it.
    pub file: String,
    /// What it asks for.
    pub inputs: Vec<InputOverview>,
    /// What it has subscribed to when it is installed: `front door lock.unlocked → handler`.
    pub subscriptions: Vec<String>,
    /// What stopped a page of its preferences from being read to its end.
    pub page_trouble: Vec<String>,
}

/// An input and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputOverview {
    /// The name by which the app knows it.
    pub name: String,
    /// What is asked for, as the app has it.
    pub kind: String,
    /// What it stands for.
    pub value: String,
}

impl Home {
    /// The apps, one by one.
    pub fn overview(&self) -> Vec<Overview> {
        (0..self.apps.len()).map(|app| self.overview_of(app)).collect()
    }

    /// What can happen in some initial state, by name.
    pub fn possible_at_start(&self) -> Vec<String> {
        let mut enabled: Vec<ActorId> = Vec::new();
        for state in self.initial_states() {
            self.enabled(&state, &mut enabled);
        }
        enabled.sort_unstable();
        enabled.dedup();
        enabled.into_iter().map(|actor| self.actor_name(actor)).collect()
    }

    /// How many events the environment has: those of the study, or those that some initial state allows.
    pub fn event_count(&self) -> usize {
        self.possible_at_start().len()
    }

    /// What went wrong when the apps were installed.
    pub fn install_violations(&self) -> Vec<Violation> {
        self.starts.iter().flat_map(|start| start.violations.iter().cloned()).collect()
    }

    fn overview_of(&self, index: usize) -> Overview {
        let app = &self.apps[index];
        let inputs = app.inputs.iter().zip(&self.wiring.inputs[index]);
        let mut subscriptions: Vec<String> = Vec::new();
        for start in &self.starts {
            let list = self.subscription_list(start.state.get(self.layout.subscriptions(index as u32)));
            for text in list.iter().map(|subscription| self.subscription_text(subscription)) {
                if !subscriptions.contains(&text) {
                    subscriptions.push(text);
                }
            }
        }
        Overview {
            name: app.name.clone(),
            file: app.file.to_string(),
            inputs: inputs
                .map(|(input, value)| InputOverview {
                    name: input.name.clone(),
                    kind: kind_name(&input.kind),
                    value: self.input_text(value),
                })
                .collect(),
            subscriptions,
            page_trouble: app.page_trouble.clone(),
        }
    }

    fn subscription_text(&self, subscription: &Subscription) -> String {
        let source = match subscription.source {
            Source::Device(device) => self.wiring.devices[device as usize].name.as_str(),
            Source::Location => "location",
            Source::App => "app",
        };
        let value = subscription.value.as_ref().map(|value| format!(".{value}")).unwrap_or_default();
        format!("{source} {}{value} → {}", subscription.name, subscription.handler)
    }

    fn input_text(&self, value: &InputValue) -> String {
        let name = |device: &u32| self.wiring.devices[*device as usize].name.clone();
        match value {
            InputValue::Device(device) | InputValue::List(device) => name(device),
            InputValue::Devices(devices) => devices.iter().map(name).collect::<Vec<_>>().join(", "),
            InputValue::Value(value) => value.to_string(),
        }
    }
}

pub(crate) fn kind_name(kind: &InputKind) -> String {
    match kind {
        InputKind::Capability(name) => format!("capability.{name}"),
        InputKind::Device(make) => format!("device.{make}"),
        InputKind::AnyDevice => ANY_DEVICE.to_owned(),
        other => format!("{other:?}").to_lowercase(),
    }
}
