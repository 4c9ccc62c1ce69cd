//! What the command prints for machines is what `docs/report.schema.json` says, and it says no less than is printed.
//!
//! The schema uses few keywords, so a validator for these is a page of code. A keyword that it does not know is a
//! failure: nothing passes unchecked.

mod common;

use common::{root, run};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

struct Schema(Value);

impl Schema {
    fn read() -> Schema {
        let text = fs::read_to_string(root().join("docs/report.schema.json")).expect("the schema can be read");
        Schema(serde_json::from_str(&text).expect("the schema is JSON"))
    }

    /// What is wrong with a value, by place.
    fn trouble(&self, definition: &str, value: &Value) -> Vec<String> {
        let mut trouble = Vec::new();
        self.check(self.definition(definition), value, "$", &mut trouble);
        trouble
    }

    fn definition(&self, name: &str) -> &Value {
        self.0["$defs"].get(name).unwrap_or_else(|| panic!("the schema has no definition {name}"))
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, trouble: &mut Vec<String>) {
        for (keyword, wanted) in schema.as_object().expect("a schema is an object") {
            match keyword.as_str() {
                "$ref" => {
                    let name = wanted.as_str().and_then(|name| name.strip_prefix("#/$defs/"));
                    self.check(self.definition(name.expect("a reference stays within")), value, at, trouble);
                }
                "type" if !has_type(wanted, value) => trouble.push(format!("{at}: expected {wanted}, found {value}")),
                "enum" if !wanted.as_array().is_some_and(|all| all.contains(value)) => {
                    trouble.push(format!("{at}: expected one of {wanted}, found {value}"));
                }
                "minimum" if value.as_f64() < wanted.as_f64() => {
                    trouble.push(format!("{at}: {value} is below {wanted}"))
                }
                "required" if value.is_object() => {
                    let names = wanted.as_array().into_iter().flatten().filter_map(Value::as_str);
                    trouble
                        .extend(names.filter(|&name| value.get(name).is_none()).map(|name| format!("{at}: no {name}")));
                }
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(wanted, item, &format!("{at}[{index}]"), trouble);
                    }
                }
                "properties" | "additionalProperties" => self.check_members(schema, keyword, value, at, trouble),
                "type" | "enum" | "minimum" | "required" | "description" => {}
                unknown => panic!("the validator does not know the keyword {unknown}"),
            }
        }
    }

    fn check_members(&self, schema: &Value, keyword: &str, value: &Value, at: &str, trouble: &mut Vec<String>) {
        for (name, member) in value.as_object().into_iter().flatten() {
            let at = format!("{at}.{name}");
            match (schema["properties"].get(name), keyword, &schema["additionalProperties"]) {
                (Some(known), "properties", _) => self.check(known, member, &at, trouble),
                (None, "additionalProperties", Value::Bool(false)) => trouble.push(format!("{at}: not in the schema")),
                (None, "additionalProperties", other) => self.check(other, member, &at, trouble),
                // A field may be new, but then the schema has to learn of it.
                (None, "properties", Value::Null) => trouble.push(format!("{at}: the schema does not describe it")),
                _ => {}
            }
        }
    }
}

fn has_type(wanted: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        unknown => panic!("the validator does not know the type {unknown}"),
    };
    match wanted {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        other => panic!("a type is a name or a list of names, found {other}"),
    }
}

fn printed(arguments: &[&str]) -> Value {
    let output = run(&root(), &[arguments, &["--format", "json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

#[test]
fn whatever_is_printed_is_what_the_schema_says() {
    let schema = Schema::read();
    let mut fields = BTreeSet::new();
    let mut look_at = |name: &str, report: &Value| {
        assert_eq!(schema.trouble("report", report), [""; 0], "{name}");
        let violations = report["violations"].as_array().into_iter().flatten();
        fields.extend(violations.flat_map(|violation| violation.as_object()).flat_map(|o| o.keys().cloned()));
    };
    for (folder, arguments) in [
        ("examples/threads", &["--all"][..]),
        ("examples/handlers", &["--all"]),
        ("examples/events", &["--all"]),
        ("examples/liveness", &["--all"]),
        ("examples/threads", &["--max-steps", "3"]),
        ("examples/threads", &["--engine", "enumerate", "--time-limit", "200ms"]),
    ] {
        for entry in fs::read_dir(root().join(folder)).expect("the examples can be listed") {
            let program = entry.expect("the examples can be listed").path().display().to_string();
            look_at(&program, &printed(&[&["check", &program], arguments].concat()));
        }
    }
    let apps = ["check", "examples/smart-home/always-on.groovy", "examples/smart-home/always-off.groovy", "--all"];
    look_at("apps that set each other off", &printed(&apps));
    // Every field that the schema has was met, but for the one that needs a file.
    let described: BTreeSet<String> =
        schema.definition("violation")["properties"].as_object().into_iter().flat_map(|o| o.keys().cloned()).collect();
    let never: Vec<_> = described.difference(&fields).collect();
    assert_eq!(never, ["schedule_file"]);
}

#[test]
fn a_comparison_is_what_the_schema_says() {
    let comparison = printed(&["compare", "examples/threads/lost-update.mz"]);
    assert_eq!(Schema::read().trouble("comparison", &comparison), [""; 0]);
}

#[test]
fn a_table_of_pairs_is_what_the_schema_says() {
    let pairs = printed(&["pairs", "examples/smart-home", "--no-store", "--quiet"]);
    assert_eq!(Schema::read().trouble("pairs", &pairs), [""; 0]);
    assert_eq!(pairs["pairs"].as_array().map(Vec::len), Some(78));
}

#[test]
fn the_validator_notices_what_is_wrong() {
    let schema = Schema::read();
    let report = printed(&["check", "examples/threads/dining-philosophers.mz"]);
    let wrong: [(&str, Value); 5] = [
        ("/verdict", "fine".into()),
        ("/violations/0/schedule/0/where/line", 0.into()),
        ("/violations/0/replayed", "yes".into()),
        ("/statistics/states", 1.5.into()),
        ("/violations/0/schedule/0/changes/0", serde_json::json!({ "name": "x", "old": null, "newer": null })),
    ];
    for (place, value) in wrong {
        let mut report = report.clone();
        *report.pointer_mut(place).expect("the place is there") = value;
        assert_ne!(schema.trouble("report", &report), [""; 0], "{place}");
    }
}
