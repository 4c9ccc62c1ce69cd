//! Why a violation happens: small programs with known mistakes, each with the sentence that it should get. The steps
//! that are shown with the sentence are those that it is about, in every format.

mod common;

use common::{folder, run};
use serde_json::Value;
use std::fs;

/// A mistake, the sentence, and the texts of the steps that the sentence is about.
struct Case {
    name: &'static str,
    program: &'static str,
    why: &'static str,
    /// The first step; the other one of a race or the step that should have come first; or the other outcome.
    steps: Option<(&'static str, &'static str, &'static str)>,
}

const CASES: [Case; 14] = [
    Case {
        name: "lost update",
        program: "shared balance = 0;
            def deposit(n) { let before = balance; balance = before + n; }
            thread bank {
                let a = spawn deposit(10); let b = spawn deposit(10);
                join a; join b; assert(balance == 20);
            }",
        why: "bank/deposit.2 read balance before bank/deposit.1 wrote it; nothing orders the two",
        steps: Some(("race", "let before = balance (0)", "balance = before + n")),
    },
    Case {
        name: "check then act",
        program: "shared open = 1, used = 0;
            thread user { if (open == 1) { assert(open == 1, \"it is open when it is used\"); } }
            thread closer { open = 0; }",
        why: "closer wrote open before user read it; nothing orders the two",
        steps: Some(("race", "open = 0", "assert(open == 1, \"it is open when it is used\") (0)")),
    },
    Case {
        name: "stolen signal",
        program: "mutex m; cond changed; shared full = 0;
            thread consumer(i in 0..2) {
                lock(m); while (full == 0) { wait(changed, m); } full = 0; signal(changed); unlock(m);
            }
            thread producer(i in 0..2) {
                lock(m); while (full == 1) { wait(changed, m); } full = 1; signal(changed); unlock(m);
            }",
        why: "consumer[0] did signal(changed) and woke consumer[1]; had it woken producer[1], this could have been avoided",
        steps: Some(("choice", "signal(changed) (wakes consumer[1])", "signal(changed) (wakes producer[1])")),
    },
    Case {
        name: "lost wakeup",
        program: "mutex m; cond ready;
            thread waiter { lock(m); wait(ready, m); unlock(m); }
            thread caller { lock(m); signal(ready); unlock(m); }",
        why: "caller signalled ready before waiter waited on it; nothing orders the two",
        steps: Some(("race", "signal(ready) (no thread waits)", "wait(ready, m)")),
    },
    Case {
        name: "signal without the lock",
        program: "mutex m; cond ready; shared flag = 0;
            thread waiter { lock(m); while (flag == 0) { wait(ready, m); } unlock(m); }
            thread caller { flag = 1; signal(ready); }",
        why: "caller signalled ready before waiter waited on it; nothing orders the two",
        steps: Some(("race", "signal(ready) (no thread waits)", "wait(ready, m)")),
    },
    Case {
        name: "lock order",
        program: "mutex a; mutex b;
            thread left { lock(a); lock(b); unlock(b); unlock(a); }
            thread right { lock(b); lock(a); unlock(a); unlock(b); }",
        why: "left takes a before b, right takes b before a: a cycle",
        steps: None,
    },
    Case {
        name: "lock taken twice",
        program: "mutex m;
            thread t { lock(m); lock(m); }
            thread u { lock(m); unlock(m); }",
        why: "t takes m while it holds it already",
        steps: None,
    },
    Case {
        name: "message order",
        program: "shared open = 0; handler ui any;
            message start() { open = 1; }
            message draw() { assert(open == 1, \"the window is open\"); }
            thread main { post ui, start(); post ui, draw(); }",
        why: "main/draw.2 ran on ui before main/start.1 could; nothing orders the two",
        steps: Some(("early", "begin draw", "begin start")),
    },
    Case {
        name: "post order",
        program: "shared open = 1; handler ui;
            message close() { open = 0; }
            message draw() { assert(open == 1, \"the window is open\"); }
            thread user { post ui, close(); }
            thread loader { post ui, draw(); }",
        why: "user posted to the mailbox of ui before loader did; nothing orders the two",
        steps: Some(("race", "post ui, close()", "post ui, draw()")),
    },
    Case {
        name: "use after removal",
        program: "shared device = 1;
            event remove { device = 0; disable remove; }
            event use { assert(device == 1, \"the device is there\"); }",
        why: "remove wrote device before use read it; nothing orders the two",
        steps: Some(("race", "remove", "use")),
    },
    Case {
        name: "use before initialisation",
        program: "shared config = 0;
            thread init { config = 7; }
            thread user { assert(config == 7, \"the configuration is there\"); }",
        why: "user read config before init could write it; nothing orders the two",
        steps: Some(("early", "assert(config == 7, \"the configuration is there… (0)", "config = 7")),
    },
    Case {
        name: "join that comes too late",
        program: "shared result = 0;
            def work() { result = 1; }
            thread main { let t = spawn work(); assert(result == 1, \"the work is done\"); join t; }",
        why: "main read result before main/work.1 could write it; nothing orders the two",
        steps: Some(("early", "assert(result == 1, \"the work is done\") (0)", "result = 1")),
    },
    Case {
        name: "a wait too many",
        program: "mutex m; cond c;
            thread one { lock(m); wait(c, m); unlock(m); }
            thread two { lock(m); wait(c, m); unlock(m); }
            thread caller { lock(m); signal(c); unlock(m); }",
        why: "every execution ends in a deadlock, whatever the order of the steps",
        steps: None,
    },
    Case {
        name: "a choice",
        program: "shared x = 0;
            thread t { let c = choose(0..3); x = c; assert(c != 2, \"two is unlucky\"); }
            thread u { x = 5; }",
        why: "t did let c = choose(0..3) and got 2; with 0 this could have been avoided",
        steps: Some(("choice", "let c = choose(0..3) (2)", "let c = choose(0..3) (0)")),
    },
];

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn each_mistake_gets_its_sentence_and_its_steps() {
    let folder = folder("reasons");
    let mut wrong = Vec::new();
    for case in &CASES {
        let file = format!("{}.mz", case.name.replace(' ', "-"));
        fs::write(folder.join(&file), case.program).expect("a program can be written");
        let output = run(&folder, &["check", &file, "--format", "json"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("the report is JSON");
        let violation = &report["violations"][0];
        let step = |number: &Value| {
            let index = number.as_u64().map_or(usize::MAX, |number| number as usize - 1);
            text(&violation["schedule"][index]["text"]).to_owned()
        };
        let steps = ["race", "early", "choice"].into_iter().find_map(|kind| {
            let told = violation.get(kind)?;
            Some(match kind {
                "race" => (kind, step(&told["first"]), step(&told["second"])),
                "early" => (kind, step(&told["step"]), text(&told["text"]).to_owned()),
                _ => (kind, step(&told["step"]), text(&told["instead"]).to_owned()),
            })
        });
        let told = steps.as_ref().map(|(kind, one, other)| (*kind, one.as_str(), other.as_str()));
        if text(&violation["why"]) != case.why || told != case.steps {
            wrong.push(format!("{}: {}\n    {told:?}", case.name, text(&violation["why"])));
        }
        agrees(&folder, &file, case, violation);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The text, SARIF and the page tell the same.
fn agrees(folder: &std::path::Path, file: &str, case: &Case, violation: &Value) {
    let printed = |arguments: &[&str]| {
        let output = run(folder, &[&["check", file], arguments].concat());
        String::from_utf8(output.stdout).expect("the report is text")
    };
    let why = text(&violation["why"]);
    let in_text = printed(&["--no-schedule"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(in_text.contains(&why.split_whitespace().collect::<Vec<_>>().join(" ")), "{}: {in_text}", case.name);
    let sarif: Value = serde_json::from_str(&printed(&["--format", "sarif"])).expect("SARIF is JSON");
    let result = &sarif["runs"][0]["results"][0];
    assert!(text(&result["message"]["text"]).ends_with(why), "{}: {result}", case.name);
    if let Some((kind, first, second)) = case.steps {
        let related: Vec<&str> = result["relatedLocations"]
            .as_array()
            .map(|related| related.iter().map(|one| text(&one["message"]["text"])).collect())
            .unwrap_or_default();
        assert!(related.first().is_some_and(|text| text.ends_with(first)), "{}: {related:?}", case.name);
        assert!(kind == "choice" || related[1].ends_with(second), "{}: {related:?}", case.name);
    }
}
