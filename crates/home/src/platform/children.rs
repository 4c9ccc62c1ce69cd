//! Child devices, as far as they are modelled: an app can add some, find them again, remove them and tell them to do
//! something. What they would do then, what they say and when is not modelled.

use super::{app, kind};
use crate::capability::spaced;
use crate::stage::Stage;
use mazurka_groovy::{Frozen, Object, Run, Span, Trouble, Value};
use std::sync::Arc;

/// The variable of an app in which its children are kept.
const CHILDREN: &str = "child devices";

/// A child device.
#[derive(Clone, Debug)]
struct Child {
    /// Its network id, by which the app finds it.
    id: Arc<str>,
    label: Arc<str>,
    driver: Arc<str>,
}

impl Child {
    fn frozen(&self) -> Frozen {
        Frozen::List(Arc::from([&self.id, &self.label, &self.driver].map(|text| Frozen::Text(Arc::clone(text)))))
    }

    fn of(frozen: &Frozen) -> Option<Child> {
        let Frozen::List(parts) = frozen else { return None };
        match &**parts {
            [Frozen::Text(id), Frozen::Text(label), Frozen::Text(driver)] => {
                Some(Child { id: Arc::clone(id), label: Arc::clone(label), driver: Arc::clone(driver) })
            }
            _ => None,
        }
    }
}

/// What an app gets for a child that it did not add itself: one may be there from a page of its, or not.
fn unknown_child() -> Value {
    Value::unknown("a child device that it did not add while it was followed, and which is not modelled")
}

impl Stage<'_> {
    /// Calls a function about child devices; `None` if it is not one.
    pub(super) fn call_of_children(
        &mut self,
        run: &mut Run,
        name: &str,
        arguments: &[Value],
        at: Span,
    ) -> Result<Option<Value>, Trouble> {
        let app = app(run);
        Ok(Some(match (name, arguments) {
            ("getChildDevices" | "getAllChildDevices", _) => self.child_devices(app),
            ("getChildDevice", [id, ..]) => {
                let id = run.text(self, id)?;
                let found = self.children(app).into_iter().find(|child| *child.id == *id);
                found.map_or_else(unknown_child, |child| child_object(app, child))
            }
            ("deleteChildDevice", [id, ..]) => {
                let id = run.text(self, id)?;
                let mut children = self.children(app);
                children.retain(|child| *child.id != *id);
                self.set_children(app, &children);
                Value::Null
            }
            ("addChildDevice", _) => self.add_child(run, arguments, at)?,
            _ => return Ok(None),
        }))
    }

    /// `addChildDevice(namespace, driver, id, …)` or `addChildDevice(driver, id, …)`.
    fn add_child(&mut self, run: &mut Run, arguments: &[Value], at: Span) -> Result<Value, Trouble> {
        let app = app(run);
        let texts: Vec<Arc<str>> = arguments.iter().filter_map(Value::as_text).map(Arc::from).collect();
        let (driver, id) = match texts.as_slice() {
            [_, driver, id, ..] | [driver, id] => (Arc::clone(driver), Arc::clone(id)),
            _ => return Err(Trouble::unsupported("addChildDevice without the names of a driver and of a device")),
        };
        let options = arguments.iter().find_map(|argument| argument.as_map().cloned());
        let named = |key: &str| options.as_ref()?.get(key).filter(|value| !value.is_null());
        let label = match named("label").or_else(|| named("name")) {
            Some(label) => run.text(self, &label)?.into(),
            None => Arc::clone(&driver),
        };
        let child = Child { id, label, driver };
        let mut children = self.children(app);
        children.retain(|known| known.id != child.id);
        children.push(child.clone());
        self.set_children(app, &children);
        self.note_action(app, at, || format!("adds a child device ({})", child.label));
        Ok(child_object(app, child))
    }

    /// All children that an app has added.
    pub(super) fn child_devices(&mut self, app: u32) -> Value {
        Value::list(self.children(app).into_iter().map(|child| child_object(app, child)).collect())
    }

    fn children(&mut self, app: u32) -> Vec<Child> {
        match self.variable(Some(app), CHILDREN).freeze() {
            Ok(Frozen::List(children)) => children.iter().filter_map(Child::of).collect(),
            _ => Vec::new(),
        }
    }

    fn set_children(&mut self, app: u32, children: &[Child]) {
        self.set_variable(Some(app), CHILDREN, Frozen::List(children.iter().map(Child::frozen).collect()));
    }

    /// Tells a child device to do something. What it says is not modelled.
    pub(super) fn call_child(
        &mut self,
        run: &mut Run,
        object: &Object,
        name: &str,
        arguments: &[Value],
        at: Span,
    ) -> Result<Option<Value>, Trouble> {
        let asks = ["current", "latest", "get", "is", "has", "supports"].iter().any(|start| name.starts_with(start));
        let asks = asks || ["events", "states"].iter().any(|start| name.starts_with(start));
        if asks {
            let known = super::property_of_getter(name).filter(|_| arguments.is_empty());
            let answer = known.and_then(|property| self.get_of_child(object, &property).ok());
            return match answer {
                Some(answer) => Ok(Some(answer)),
                None => Err(Trouble::unsupported(format!("what a child device says ({name})"))),
            };
        }
        let label = object.extra::<Child>().map_or_else(|| "one".into(), |child| Arc::clone(&child.label));
        self.note_action(app(run), at, || format!("tells its child device {label} to {}", spaced(name)));
        Ok(Some(Value::Null))
    }

    /// A property of a child device.
    pub(super) fn get_of_child(&self, object: &Object, name: &str) -> Result<Value, Trouble> {
        let Some(child) = object.extra::<Child>() else {
            return Err(Trouble::unsupported(format!("a child device that was kept in the state ({name})")));
        };
        Ok(match name {
            "id" | "deviceId" | "deviceNetworkId" => Value::Text(Arc::clone(&child.id)),
            "label" | "displayName" | "name" => Value::Text(Arc::clone(&child.label)),
            "typeName" => Value::Text(Arc::clone(&child.driver)),
            _ => return Err(Trouble::unsupported(format!("what a child device says ({name})"))),
        })
    }

    /// A child device as text.
    pub(super) fn text_of_child(&self, object: &Object) -> String {
        object.extra::<Child>().map_or_else(|| "child device".to_owned(), |child| child.label.to_string())
    }
}

fn child_object(app: u32, child: Child) -> Value {
    Value::Object(Object::with(kind::CHILD, app, child))
}
