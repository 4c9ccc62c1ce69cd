//! What the user interface keeps in `.storage`: entities, devices, areas, labels.

use serde_json::Value as Json;

/// An entity of the registry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Entry {
    id: String,
    entity: String,
    device: String,
    area: String,
    labels: Vec<String>,
}

/// The registries of entities and devices, as far as there are any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registry {
    entries: Vec<Entry>,
    /// Devices with their areas and labels.
    devices: Vec<(String, String, Vec<String>)>,
    /// Areas with their floors.
    areas: Vec<(String, String)>,
}

fn word(json: &Json, key: &str) -> String {
    json.get(key).and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn words(json: &Json, key: &str) -> Vec<String> {
    let items = json.get(key).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Json::as_str).map(str::to_owned).collect()
}

fn list<'j>(json: &'j Json, key: &str) -> &'j [Json] {
    json.pointer(&format!("/data/{key}")).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
}

impl Registry {
    /// Reads the registries from the texts of `core.entity_registry`, `core.device_registry` and `core.area_registry`. What
    /// is no JSON says nothing.
    pub fn read(entities: Option<&str>, devices: Option<&str>, areas: Option<&str>) -> Self {
        let json =
            |text: Option<&str>| text.and_then(|text| serde_json::from_str::<Json>(text).ok()).unwrap_or(Json::Null);
        let (entities, devices, areas) = (json(entities), json(devices), json(areas));
        let entry = |json: &Json| Entry {
            id: word(json, "id"),
            entity: word(json, "entity_id"),
            device: word(json, "device_id"),
            area: word(json, "area_id"),
            labels: words(json, "labels"),
        };
        let enabled = |json: &&Json| json.get("disabled_by").is_none_or(Json::is_null);
        Registry {
            entries: list(&entities, "entities").iter().filter(enabled).map(entry).collect(),
            devices: list(&devices, "devices")
                .iter()
                .map(|json| (word(json, "id"), word(json, "area_id"), words(json, "labels")))
                .collect(),
            areas: list(&areas, "areas").iter().map(|json| (word(json, "id"), word(json, "floor_id"))).collect(),
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether an entity stands in it.
    pub fn knows(&self, entity: &str) -> bool {
        self.entries.iter().any(|entry| entry.entity == entity)
    }

    /// The entity with an id of the registry.
    pub fn by_id(&self, id: &str) -> Option<String> {
        self.entries.iter().find(|entry| entry.id == id).map(|entry| entry.entity.clone())
    }

    /// The entities of a device, an area, a floor or a label.
    pub fn members(&self, kind: &str, id: &str) -> Vec<String> {
        let device = |entry: &Entry| self.devices.iter().find(|(device, ..)| *device == entry.device);
        let area = |entry: &Entry| match entry.area.as_str() {
            "" => device(entry).map(|(_, area, _)| area.clone()).unwrap_or_default(),
            area => area.to_owned(),
        };
        let is_member = |entry: &&Entry| match kind {
            "device" => entry.device == id,
            "area" => area(entry) == id,
            "floor" => self.areas.iter().any(|(name, floor)| floor == id && area(entry) == *name),
            _ => {
                entry.labels.iter().any(|label| label == id)
                    || device(entry).is_some_and(|(.., labels)| labels.iter().any(|label| label == id))
            }
        };
        self.entries.iter().filter(is_member).map(|entry| entry.entity.clone()).collect()
    }
}
