//! `state` and `atomicState`.

use super::map_kind;
use crate::stage::Stage;
use mazurka_groovy::{Map, Object, Run, Trouble, Value};
use std::rc::Rc;

impl Stage<'_> {
    /// An entry, or null.
    pub(super) fn get_entry(&mut self, object: &Object, key: &str) -> Value {
        self.entry_value(object.id, map_kind(object), key).unwrap_or_else(|| {
            let by_page = self.home.apps[object.id as usize].set_by_pages.iter().any(|set| set == key);
            if by_page { Value::unknown(format!("state.{key}, which its pages set")) } else { Value::Null }
        })
    }

    /// All entries: to look at the whole map is to depend on each of them, and on which there are.
    pub(super) fn whole_map(&mut self, object: &Object) -> Rc<Map> {
        let (app, map) = (object.id, map_kind(object));
        let keys = self.keys(app, map);
        let entry =
            |key: &std::sync::Arc<str>| (Value::Text(key.clone()), self.entry_value(app, map, key).unwrap_or_default());
        Rc::new(keys.iter().map(entry).collect())
    }

    /// The methods of a map that change it, and those that need not look at all of it.
    pub(super) fn call_map(
        &mut self,
        run: &mut Run,
        object: &Object,
        name: &str,
        arguments: &[Value],
    ) -> Result<Option<Value>, Trouble> {
        let (app, map) = (object.id, map_kind(object));
        Ok(Some(match (name, arguments) {
            ("get" | "getAt", [key]) => {
                let key = run.text(self, key)?;
                self.get_entry(object, &key)
            }
            ("put" | "putAt", [key, value]) => {
                let key = run.text(self, key)?;
                let before = self.get_entry(object, &key);
                self.set_entry(app, map, &key, value)?;
                before
            }
            ("putAll" | "leftShift", [Value::Map(entries)]) => {
                for (key, value) in entries.entries() {
                    let key = run.text(self, &key)?;
                    self.set_entry(app, map, &key, &value)?;
                }
                Value::Object(object.clone())
            }
            ("remove", [key]) => {
                let key = run.text(self, key)?;
                self.remove_entry(app, map, &key).unwrap_or_default()
            }
            ("clear", []) => {
                for key in self.keys(app, map).iter() {
                    self.remove_entry(app, map, key);
                }
                Value::Null
            }
            ("containsKey", [key]) => {
                let key = run.text(self, key)?;
                Value::Bool(self.entry_value(app, map, &key).is_some())
            }
            ("size", []) => Value::int(self.keys(app, map).len() as i64),
            ("isEmpty", []) => Value::Bool(self.keys(app, map).is_empty()),
            _ => return Ok(None),
        }))
    }
}
