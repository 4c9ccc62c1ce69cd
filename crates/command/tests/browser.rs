//! Pages as a browser shows them: each is opened in a headless one, which is then asked what it sees.
//!
//! Nothing is installed here: where there is no browser, these tests say so and do nothing.

mod common;

use common::{browser, end_of, folder, root, run};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Checks a program and writes its page into a folder.
fn page(program: &str, folder: &Path, arguments: &[&str]) -> String {
    written("check", program, folder, &[&["--no-schedule"], arguments].concat())
}

/// The page that a command writes.
fn written(command: &str, program: &str, folder: &Path, arguments: &[&str]) -> String {
    let report = folder.display().to_string();
    let output = run(&root(), &[&[command, program, "--report", &report], arguments].concat());
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read_to_string(folder.join("index.html")).expect("the page was written")
}

/// The document as it stands when the page has drawn itself; `script` runs after that.
fn drawn(browser: &Path, folder: &Path, page: &str, script: &str) -> String {
    let file = folder.join("opened.html");
    let script = format!("<script>{script}</script></body>");
    fs::write(&file, page.replace("</body>", &script)).expect("the page can be written");
    let child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync", "--dump-dom"])
        .args(["--window-size=1200,1600", "--virtual-time-budget=3000"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .stdout(fs::File::create(folder.join("dom.html")).expect("a file can be made"))
        .stderr(Stdio::null())
        .spawn()
        .expect("the browser can be started");
    end_of(child, Duration::from_secs(60), "the browser");
    let dom = fs::read_to_string(folder.join("dom.html")).expect("the document is text");
    assert!(dom.contains(r#"data-ready="yes""#), "{}", dom.lines().nth(1).unwrap_or("the browser shows nothing"));
    dom
}

/// How often a text occurs.
fn occurrences(dom: &str, text: &str) -> usize {
    dom.matches(text).count()
}

#[test]
fn a_violation_is_drawn_and_can_be_stepped_through() {
    let Some(browser) = browser() else { return };
    let folder = folder("page-of-a-violation");
    let page = page("examples/threads/lost-update.mz", &folder, &["--all"]);
    let press = "const press = (key) => document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));";
    let dom = drawn(&browser, &folder, &page, press);
    assert!(dom.contains(r#"data-steps="9""#) && dom.contains(r#"data-states="25""#));
    assert_eq!(occurrences(&dom, r#"class="race-link""#), 1);
    assert!(dom.contains(r#"<span class="position">9 / 9</span>"#), "it begins at the violation");

    // Four steps back is the step that changes the balance, on line 10.
    let back = format!("{press} for (let i = 0; i < 4; i++) press('ArrowLeft'); press('h');");
    let dom = drawn(&browser, &folder, &page, &back);
    assert!(dom.contains(r#"<span class="position">5 / 9</span>"#));
    assert!(
        dom.contains(r#"<tr class="changed"><th scope="row">balance</th><td><del>0</del> → <ins>10</ins></td></tr>"#)
    );
    assert!(dom.contains(r#"<li class="race current" aria-current="true"><code>    balance"#));
    // The other teller's read comes first in every order in which the write does not overtake it; the join comes later.
    assert!(dom.contains(r#"class="row race is-before"#) && dom.contains(r#"is-after"#));
    // Beyond the ends there is nothing.
    let far = format!("{press} for (let i = 0; i < 99; i++) press('ArrowLeft');");
    assert!(drawn(&browser, &folder, &page, &far).contains(r#"<span class="position">0 / 9</span>"#));
}

#[test]
fn a_deadlock_is_drawn_as_a_cycle() {
    let Some(browser) = browser() else { return };
    let folder = folder("page-of-a-deadlock");
    let page = page("examples/threads/dining-philosophers.mz", &folder, &["-D", "N=4"]);
    let dom = drawn(&browser, &folder, &page, "");
    assert_eq!(occurrences(&dom, r#"class="wait""#), 4);
    assert_eq!(occurrences(&dom, "no actor can move</span>"), 1);
}

#[test]
fn critical_sections_are_folded_and_open_by_a_click_a_key_and_a_step() {
    let Some(browser) = browser() else { return };
    let folder = folder("page-with-folds");
    let page = page("examples/threads/bounded-buffer-one-condition.mz", &folder, &[]);
    let hidden = r#"hidden="""#;
    let dom = drawn(&browser, &folder, &page, "");
    // Of 24 steps those stand that take the lock, the signal that decides, and the last one.
    assert_eq!(occurrences(&dom, r#"class="row fold"#), 2, "{dom}");
    assert_eq!(occurrences(&dom, hidden), 8);
    assert!(dom.contains("5 steps of producer[0] while it holds m (8 to 12)"));
    assert!(dom.contains(r#"aria-label="the choice""#));
    let click = "document.querySelector('.fold button').click();";
    assert_eq!(occurrences(&drawn(&browser, &folder, &page, click), hidden), 3);
    let press = "document.dispatchEvent(new KeyboardEvent('keydown', { key: 'f', bubbles: true }));";
    assert_eq!(occurrences(&drawn(&browser, &folder, &page, press), hidden), 0);
    assert_eq!(occurrences(&drawn(&browser, &folder, &page, &press.repeat(2)), hidden), 8);
    // A step into a fold shows the step.
    let back = "for (let i = 0; i < 14; i++) document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }));";
    let dom = drawn(&browser, &folder, &page, back);
    assert!(dom.contains(r#"<span class="position">10 / 24</span>"#));
    assert_eq!(occurrences(&dom, hidden), 0, "both folds were stepped into");
}

#[test]
fn local_variables_stand_with_the_state() {
    let Some(browser) = browser() else { return };
    let folder = folder("page-with-locals");
    let page = page("examples/threads/peterson-hasty.mz", &folder, &[]);
    let dom = drawn(&browser, &folder, &page, "");
    assert!(dom.contains(r#"<span class="dim">process[1] · </span>me</th><td>1</td>"#), "{dom}");
}

#[test]
fn a_proof_and_a_large_program_have_pages_too() {
    let Some(browser) = browser() else { return };
    let folder = folder("page-of-a-proof");
    let proof = page("examples/threads/peterson.mz", &folder, &[]);
    let dom = drawn(&browser, &folder, &proof, "");
    assert!(dom.contains(r#"data-steps="0""#) && dom.contains(r#"data-states="48""#));
    let large = page("examples/handlers/two-phase-commit-hasty.mz", &folder, &[]);
    let dom = drawn(&browser, &folder, &large, "");
    assert!(dom.contains(r#"data-states="0""#), "thousands of states are no picture");
}

#[test]
fn violations_of_one_race_are_listed_together() {
    let Some(browser) = browser() else { return };
    let folder = folder("page-of-many-violations");
    let page = page("examples/threads/bounded-buffer-one-condition.mz", &folder, &["--all"]);
    let dom = drawn(&browser, &folder, &page, "");
    assert_eq!(occurrences(&dom, r##"<a href="#violation-"##), 4);
    assert_eq!(occurrences(&dom, "<h2>the choice of "), 4);
    assert_eq!(occurrences(&dom, r#"<section class="violation""#), 4);
}

#[test]
fn a_comparison_is_drawn_as_bars() {
    let Some(browser) = browser() else { return };
    let folder = folder("page-of-a-comparison");
    let engines = ["--engine", "exhaustive,enumerate", "--quiet"];
    let page = written("compare", "examples/threads/lost-update.mz", &folder, &engines);
    let dom = drawn(&browser, &folder, &page, "");
    assert_eq!(occurrences(&dom, r#"<g class="bar lane-0">"#), 7, "all that `exhaustive` counts");
    assert!(dom.contains(r#"aria-label="states: exhaustive 25""#));
}

#[test]
fn what_has_no_end_is_told_as_a_round() {
    let Some(browser) = browser() else { return };
    let folder = folder("page-of-a-cascade");
    let other = "examples/smart-home/always-on.groovy";
    let page = page("examples/smart-home/always-off.groovy", &folder, &[other, "--no-conflicts"]);
    let dom = drawn(&browser, &folder, &page, "");
    let round = r#"<ol><li>"Always On" turns on the switch</li><li>"Always Off" turns off the switch</li></ol>"#;
    assert!(dom.contains(round), "{dom}");
}

#[test]
fn apps_stand_in_a_matrix_that_leads_to_each_pair() {
    let Some(browser) = browser() else { return };
    let folder = folder("page-of-pairs");
    let page = written("pairs", "examples/smart-home", &folder, &["--no-store", "--quiet"]);
    let press = "const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        document.querySelector('.matrix .cell').focus(); press('ArrowDown'); press('ArrowRight');";
    let dom = drawn(&browser, &folder, &page, press);
    assert!(dom.contains(r#"data-cells="156""#) && dom.contains(r#"data-told="26""#), "13 apps, each with 12 others");
    assert_eq!(occurrences(&dom, r#"class="cell fight""#), 2 * 14 + 1, "every fight twice, and in the legend");
    // Down and to the right, past the places where an app would meet itself.
    assert!(dom.contains(r#"aria-live="polite">always-off + always-on: violated, 2 conflicts, 2 cascades<"#), "{dom}");
    let step_through = r#"href="pairs/fire-alarm+lock-when-away-"#;
    assert_eq!(occurrences(&dom, step_through), 2);
    let address = dom.split(step_through).nth(1).and_then(|rest| rest.split(".html").next()).expect("there is a link");
    let pair = folder.join(format!("pairs/fire-alarm+lock-when-away-{address}.html"));
    let dom = drawn(&browser, &folder, &fs::read_to_string(pair).expect("the pair has a page"), "");
    assert!(dom.contains(r#"<a href="../index.html">← all pairs</a>"#));
    assert_eq!(occurrences(&dom, r#"<section class="violation""#), 2);
}

#[test]
fn whatever_a_program_says_stays_text() {
    let Some(browser) = browser() else { return };
    let folder = folder("page-of-a-mean-program");
    let program = folder.join("mean.mz");
    let message = "</script><img src=x onerror=document.title='gone'><!--";
    let source = format!("shared x = 0;\n// {message}\nthread a {{ x = 1; assert(x == 0, \"{message}\"); }}\n");
    fs::write(&program, source).expect("a program can be written");
    let page = page(&program.display().to_string(), &folder, &[]);
    let dom = drawn(&browser, &folder, &page, "");
    assert!(dom.contains("<h2>assertion failed: &lt;/script&gt;&lt;img src=x onerror="));
    assert!(!dom.contains("<title>gone</title>") && occurrences(&dom, "<img") == 0);
}

#[test]
fn a_sweep_is_drawn_as_curves() {
    let Some(browser) = browser() else { return };
    let folder = folder("page-of-a-sweep");
    let arguments = ["-D", "JOBS=1..3", "--engine", "enumerate,optimal"];
    let page = written("compare", "examples/handlers/work-pool.mz", &folder, &arguments);
    let dom = drawn(&browser, &folder, &page, "");
    assert_eq!(occurrences(&dom, r#"<td class="told verified""#), 6);
    assert!(dom.contains("<title>enumerate, JOBS=3: 1,170 (verified)</title>"), "a dot tells its number");
    assert!(dom.contains(r#"data-stopped="0""#));
}
