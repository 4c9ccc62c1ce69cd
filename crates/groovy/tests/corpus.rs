//! Every script of a directory parses, and every method of it runs to some end on a platform that says yes to all.
//! The directory is named by `MAZURKA_CORPUS` (several with `:` between them): no such scripts are part of this repository,
//! so the tests are ignored unless they are asked for (`cargo test -- --ignored`).
#![allow(clippy::print_stdout)]

use mazurka_groovy::{Elements, Host, Instance, Limits, Object, Run, Script, Span, Trouble, TroubleKind, Value, parse};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn scripts(directory: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            scripts(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "groovy") {
            into.push(path);
        }
    }
}

/// The texts of the corpus by their paths.
fn corpus() -> Vec<(PathBuf, String)> {
    let directories = std::env::var("MAZURKA_CORPUS").expect("MAZURKA_CORPUS names directories with scripts");
    let mut paths = Vec::new();
    directories.split(':').for_each(|directory| scripts(Path::new(directory), &mut paths));
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("a readable file");
        (path, String::from_utf8_lossy(&bytes).into_owned())
    };
    paths.into_iter().map(read).collect()
}

#[test]
#[ignore = "needs scripts that are not part of this repository"]
fn every_script_of_the_corpus_parses() {
    let corpus = corpus();
    let mut failures = Vec::new();
    for (path, source) in &corpus {
        if let Err(errors) = parse(source) {
            let error = &errors[0];
            let line = source[..error.span.start].matches('\n').count() + 1;
            failures.push(format!("{}:{line}: {} ({})", path.display(), error.message, error.label));
        }
    }
    println!("{} scripts, {} failures", corpus.len(), failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A platform on which everything exists.
struct Yes;

fn anything() -> Value {
    Object::new(0, 0).into()
}

impl Host for Yes {
    fn call(
        &mut self,
        run: &mut Run,
        _: Option<&Object>,
        _: &str,
        arguments: &[Value],
        _: Span,
    ) -> Result<Option<Value>, Trouble> {
        if let Some(Value::Closure(closure)) = arguments.last() {
            run.call_closure(self, closure, &[anything()])?;
        }
        Ok(Some(anything()))
    }

    fn get(&mut self, run: &mut Run, of: Option<&Object>, name: &str, _: Span) -> Result<Option<Value>, Trouble> {
        let is_method = run.instance().is_some_and(|instance| instance.script().has_method(name));
        Ok(match name {
            _ if of.is_none() && is_method => None,
            "value" | "name" | "currentSwitch" | "mode" | "label" | "displayName" | "unit" | "type" => {
                Some("on".into())
            }
            "id" | "deviceNetworkId" => Some("7".into()),
            "integerValue" | "doubleValue" | "numericValue" => Some(Value::Int(50)),
            "date" | "dateCreated" => Some(Value::Date(0)),
            "time" => Some(Value::Long(0)),
            "data" => Some("{\"buttonNumber\":1}".into()),
            "state" | "atomicState" | "settings" | "params" => Some(Value::map([])),
            _ => Some(anything()),
        })
    }

    fn set(&mut self, _: &mut Run, of: Option<&Object>, _: &str, _: &Value, _: Span) -> Result<bool, Trouble> {
        Ok(of.is_some())
    }

    fn elements(&mut self, _: &mut Run, _: &Object) -> Result<Option<Elements>, Trouble> {
        Ok(Some(Elements::List(vec!["element".into()])))
    }

    fn text(&mut self, _: &mut Run, _: &Object) -> Result<String, Trouble> {
        Ok("12".to_owned())
    }

    fn now(&mut self, _: &mut Run) -> Result<i64, Trouble> {
        Ok(1_564_694_080_896)
    }

    fn zone_offset(&mut self, _: Option<&str>, _: i64) -> Option<i64> {
        Some(0)
    }

    fn random(&mut self, _: &mut Run, _: u64) -> Result<u64, Trouble> {
        Ok(0)
    }
}

/// Runs a method with anything as its arguments, and says how that ended.
fn end_of(script: &Arc<Script>, name: Option<&str>) -> String {
    let instance = Instance::new(script.clone(), 0);
    let mut run = Run::new(Limits { fuel: 20_000, memory: 1 << 20 });
    // Nothing last: a method with one parameter would take null for it.
    let tries = [1, 2, 3, 4, 5, 6, 0].into_iter().map(|count| match name {
        Some(name) => run.call_method(&mut Yes, &instance, name, &vec![anything(); count]),
        None => run.run_script(&mut Yes, &instance),
    });
    let own = |trouble: &Trouble| match trouble.kind() {
        TroubleKind::MissingMethod { method, .. } => Some(method.as_str()) == name,
        _ => false,
    };
    for result in tries {
        match result {
            Ok(_) => return "ok".to_owned(),
            Err(trouble) if own(&trouble) => {}
            Err(trouble) => {
                let line = trouble.position().map_or(0, |at| at.line);
                let text: String = trouble.to_string().chars().take(100).collect();
                return format!("{text} (line {line})");
            }
        }
    }
    "not callable".to_owned()
}

#[test]
#[ignore = "needs scripts that are not part of this repository"]
fn every_method_of_the_corpus_runs_to_some_end() {
    let corpus = corpus();
    let mut ends: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, source) in &corpus {
        let Ok(script) = parse(source) else { continue };
        let script = Arc::new(script);
        let names: Vec<String> = script.method_names().map(str::to_owned).collect();
        let top = std::iter::once(None).chain(names.iter().map(|name| Some(name.as_str())));
        for name in top {
            let end = end_of(&script, name);
            let place = format!("{} {}", path.file_name().unwrap_or_default().display(), name.unwrap_or("top level"));
            ends.entry(end.split(" (line").next().unwrap_or_default().to_owned())
                .or_default()
                .push(format!("{place}: {end}"));
        }
    }
    for (end, places) in &ends {
        println!("{:5} {end}    e.g. {}", places.len(), places[0]);
    }
}
