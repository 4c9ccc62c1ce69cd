//! `mazurka explore` from outside: in a headless browser, where there is one, and at its ends.

mod common;

use common::chromium::Chromium;
use common::{browser, end_of, folder, root, run};
use serde_json::json;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A command that serves a page.
struct Explorer {
    child: Option<Child>,
    address: String,
}

impl Explorer {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mazurka"))
            .args([&["explore", "--no-open"], arguments].concat())
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command can be started");
        let mut lines = BufReader::new(child.stdout.take().expect("it prints")).lines();
        let first = lines.next().expect("it prints a line").expect("it prints text");
        let address = first.strip_prefix("EXPLORE  ").unwrap_or_else(|| panic!("{first}")).to_owned();
        Explorer { child: Some(child), address }
    }

    fn port(&self) -> u16 {
        let (_, port) = self.address.rsplit_once(':').expect("there is a port");
        port.split('/').next().and_then(|port| port.parse().ok()).expect("it is a number")
    }

    /// Ctrl-C: the command has to end in order.
    fn interrupt(mut self) -> Output {
        let child = self.child.take().expect("it runs");
        let asked = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(asked.expect("a signal can be sent").success());
        end_of(child, Duration::from_secs(10), "the explorer")
    }
}

impl Drop for Explorer {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn open(browser: &Path, folder: &Path, explorer: &Explorer, place: &str) -> Chromium {
    let address = if place.is_empty() { explorer.address.clone() } else { format!("{}/{place}", explorer.address) };
    let mut page = Chromium::open(browser, folder, &address, (1500, 950));
    page.wait_until("document.documentElement?.dataset.ready");
    assert_eq!(page.evaluate("document.documentElement.dataset.ready"), "yes");
    page
}

/// Waits until the page has answered all that it was asked.
fn settle(page: &mut Chromium) {
    page.wait_until("!document.documentElement.dataset.busy");
}

/// Where the page stands: the place, how many steps, how many violations on the way, how many actors can move.
fn standing(page: &mut Chromium) -> [String; 4] {
    settle(page);
    ["place", "steps", "wrongs", "able"].map(|name| {
        page.evaluate(&format!("document.documentElement.dataset.{name}")).as_str().unwrap_or_default().to_owned()
    })
}

/// Clicks what an expression finds.
fn click(page: &mut Chromium, selector: &str) {
    let selector = json!(selector);
    page.evaluate(&format!("document.querySelector({selector}).click()"));
    settle(page);
}

/// Moves the actor of this name.
fn step(page: &mut Chromium, actor: &str) {
    let actor = json!(actor);
    page.evaluate(&format!(
        "[...document.querySelectorAll('.mover.able')].find((row) => row.querySelector('.actor').textContent === {actor}).querySelector('button').click()"
    ));
    settle(page);
}

#[test]
fn lost_update_is_clicked_through_and_its_race_reversed() {
    let Some(browser) = browser() else { return };
    let folder = folder("explore-lost-update");
    let explorer = Explorer::start(&root(), &["examples/threads/lost-update.mz"]);
    let mut page = open(&browser, &folder, &explorer, "");
    assert_eq!(standing(&mut page), ["0", "0", "0", "1"]);
    step(&mut page, "bank");
    step(&mut page, "bank");
    // Both tellers are there, and their next steps read the balance: no conflict. The bank waits for the first of them.
    assert_eq!(page.evaluate("document.querySelectorAll('.mover.able').length"), 2);
    assert_eq!(page.evaluate("document.querySelectorAll('.mover.blocked .awaits').length"), 1);
    let tellers = page.evaluate("[...document.querySelectorAll('.mover.able .actor')].map((name) => name.textContent)");
    let [ann, bob] = [0, 1].map(|index| tellers[index].as_str().expect("a name").to_owned());
    step(&mut page, &ann);
    step(&mut page, &bob);
    // Now both are about to write it: the two steps are joined by a mark.
    assert_eq!(page.evaluate("document.querySelectorAll('.clash-marks .clash').length"), 1);
    assert_eq!(page.evaluate("document.querySelector('.clashes strong').textContent"), "balance");
    step(&mut page, &ann);
    let state = page.evaluate("document.querySelector('table.state tr.changed').textContent");
    assert_eq!(state, "balance0 → 10");
    step(&mut page, &bob);
    assert_eq!(page.evaluate("document.querySelectorAll('.race-partner').length > 0"), true);
    // The rest of it: the tellers end, the bank joins them and finds a deposit missing.
    for _ in 0..20 {
        if standing(&mut page)[3] == "0" {
            break;
        }
        page.press("1");
        settle(&mut page);
    }
    let [place, steps, wrongs, _] = standing(&mut page);
    assert_eq!(wrongs, "1", "{place}");
    assert_eq!(page.evaluate("document.querySelectorAll('.wrongs li.here').length"), 1);
    let message = page.evaluate("document.querySelector('.wrongs button').textContent");
    assert_eq!(message, "✗ assertion failed: no deposit is lost");
    // Back to the first write, which came after the other teller's read. In the other order nothing is lost.
    for _ in 5..steps.parse::<usize>().expect("a number") {
        page.press("ArrowLeft");
        settle(&mut page);
    }
    assert_eq!(standing(&mut page)[1], "5");
    let partners = page.evaluate("[...document.querySelectorAll('.race-partner')].map((one) => one.textContent)");
    let mut gone = false;
    for index in 0..partners.as_array().map_or(0, Vec::len) {
        page.evaluate(&format!("document.querySelectorAll('.race-partner .reverse')[{index}].click()"));
        let [reversed, .., wrongs, _] = standing(&mut page);
        assert_ne!(reversed, place);
        gone |= wrongs == "0";
        if gone {
            break;
        }
    }
    assert!(gone, "{partners}");
    assert_eq!(page.evaluate("document.querySelectorAll('.wrongs li.here').length"), 0);
    // It is remembered: a click goes back to it.
    click(&mut page, ".wrongs button");
    assert_eq!(standing(&mut page)[2], "1");
    // The address is a link that can be kept.
    let address = page.evaluate("location.href").as_str().expect("an address").to_owned();
    assert_eq!(address, format!("{}/{}", explorer.address, standing(&mut page)[0]));
    drop(page);
    let ended = explorer.interrupt();
    assert!(ended.status.success() && ended.stderr.is_empty(), "{ended:?}");
}

/// A program of six traces: three threads write one variable.
const WRITERS: &str = "shared x = 0;\nthread a { x = 1; }\nthread b { x = 2; }\nthread c { x = 3; }\n";

fn written(folder: &Path, name: &str, source: &str) -> String {
    let program = folder.join(name);
    fs::write(&program, source).expect("a program can be written");
    program.display().to_string()
}

#[test]
fn a_program_whose_names_are_markup_stays_text() {
    let Some(browser) = browser() else { return };
    let folder = folder("explore-a-mean-program");
    let mean = "<img src=x onerror=\"document.title='gone'\"></script><!--";
    let shown = mean.replace('"', "'");
    let source = format!(
        "// {mean}\nshared x = 0;\nthread a {{ x = 1; assert(x == 0, \"{shown}\"); }}\nthread b {{ x = 2; }}\n"
    );
    let program = written(&folder, "<b>mean<b>.mz", &source);
    let explorer = Explorer::start(&folder, &[&program]);
    let mut page = open(&browser, &folder, &explorer, "");
    for _ in 0..4 {
        page.press("1");
        settle(&mut page);
    }
    assert_eq!(standing(&mut page)[2], "1");
    assert_eq!(page.evaluate("document.querySelectorAll('img, b').length"), 0);
    assert_ne!(page.evaluate("document.title"), "gone");
    assert!(
        page.evaluate("document.querySelector('.wrongs').textContent")
            .as_str()
            .is_some_and(|text| text.contains("<img src=x"))
    );
    assert!(
        page.evaluate("document.querySelector('.source').textContent").as_str().is_some_and(|text| text.contains(mean))
    );
    // What stands in the address is no markup either, and no place.
    let mut other = {
        drop(page);
        let folder = folder.join("other");
        fs::create_dir_all(&folder).expect("a folder can be made");
        open(&browser, &folder, &explorer, "0-9.9")
    };
    let note = other.evaluate("document.querySelector('.note').textContent");
    assert_eq!(note, "step 1: there is no actor 9, 2 can move here");
    assert_eq!(standing(&mut other)[0], "0");
    drop(other);
    assert!(explorer.interrupt().status.success());
}

/// Runs an engine step by step for a while, then execution by execution, to its end.
fn watched_executions(engine: &str) -> (u64, String) {
    let Some(browser) = browser() else { return (6, String::new()) };
    let folder = folder(&format!("explore-watch-{engine}"));
    let program = written(&folder, "writers.mz", WRITERS);
    let explorer = Explorer::start(&folder, &[&program]);
    let mut page = open(&browser, &folder, &explorer, "");
    page.evaluate("document.querySelector('.watch').open = true");
    let chosen = json!(engine);
    page.evaluate(&format!("document.querySelector('.watch select').value = {chosen}"));
    page.evaluate("document.querySelector('.pace-step').click()");
    page.wait_until(
        "document.documentElement.dataset.engine === 'waits' && document.documentElement.dataset.nodes === '2'",
    );
    page.evaluate("document.querySelector('.pace-step').click()");
    page.wait_until(
        "document.documentElement.dataset.engine === 'waits' && document.documentElement.dataset.nodes === '3'",
    );
    page.evaluate("document.querySelector('.pace-execution').click()");
    page.wait_until(
        "document.documentElement.dataset.engine === 'waits' && document.documentElement.dataset.leaves === '1'",
    );
    // Of what is still to be tried it says why.
    let todo = page.evaluate("[...document.querySelectorAll('.todo-row')].map((row) => row.textContent).join('\\n')");
    page.evaluate("document.querySelector('.pace-run').click()");
    page.wait_until("document.documentElement.dataset.engine === 'none'");
    assert_eq!(page.evaluate("document.documentElement.dataset.verdict"), "verified");
    assert_eq!(page.evaluate("document.querySelectorAll('.todo-row').length"), 0, "everything was tried");
    let ends = page.evaluate("document.querySelectorAll('.node-row.leaf.finished').length");
    // A node opens in the three columns.
    page.evaluate("document.querySelector('.node-row.leaf .node-button').click()");
    let [_, steps, _, able] = standing(&mut page);
    assert_eq!((steps.as_str(), able.as_str()), ("3", "0"));
    drop(page);
    assert!(explorer.interrupt().status.success());
    (ends.as_u64().expect("a number"), todo.as_str().unwrap_or_default().to_owned())
}

#[test]
fn dpor_is_watched_and_has_six_leaves() {
    let (leaves, todo) = watched_executions("dpor");
    assert_eq!(leaves, 6);
    assert!(todo.is_empty() || todo.contains("races with"), "{todo}");
}

#[test]
fn optimal_is_watched_and_has_six_leaves() {
    let (leaves, todo) = watched_executions("optimal");
    assert_eq!(leaves, 6);
    assert!(todo.contains("races with"), "{todo}");
}

#[test]
fn an_engine_is_stopped_when_its_page_goes_away_and_by_ctrl_c() {
    let Some(browser) = browser() else { return };
    let folder = folder("explore-two-tabs");
    // Nine threads that write one variable have 362,880 orders.
    let program = written(&folder, "many.mz", "shared x = 0;\nthread writer(i in 0..9) { x = i; }\n");
    let explorer = Explorer::start(&folder, &[&program]);
    let mut page = open(&browser, &folder, &explorer, "");
    page.evaluate("document.querySelector('.watch').open = true");
    page.evaluate("document.querySelector('.pace-step').click()");
    page.wait_until("document.documentElement.dataset.engine === 'waits'");
    // Another tab is told that an engine runs, and can explore all the same.
    let second = folder.join("second");
    fs::create_dir_all(&second).expect("a folder can be made");
    let mut other = open(&browser, &second, &explorer, "");
    other.press("1");
    assert_eq!(standing(&mut other)[1], "1");
    other.evaluate("document.querySelector('.watch').open = true");
    other.evaluate("document.querySelector('.pace-step').click()");
    other.wait_until("document.querySelector('.watch .note').textContent.startsWith('an engine runs already')");
    drop(page);
    // The first tab is gone, and so is its engine.
    let begins = "(document.querySelector('.pace-step').click(), document.documentElement.dataset.engine !== 'none')";
    other.wait_until(begins);
    let ended = explorer.interrupt();
    assert!(ended.status.success() && ended.stderr.is_empty(), "{ended:?}");
}

#[test]
fn a_session_that_has_ended_is_told() {
    let Some(browser) = browser() else { return };
    let folder = folder("explore-old-session");
    let explorer = Explorer::start(&root(), &["examples/threads/lost-update.mz"]);
    let wrong = format!("http://127.0.0.1:{}/#00000000000000000000000000000000/0", explorer.port());
    let mut page = Chromium::open(&browser, &folder, &wrong, (900, 700));
    page.wait_until("document.documentElement?.dataset.ready");
    let told = page.evaluate("document.querySelector('.note').textContent");
    assert!(told.as_str().is_some_and(|told| told.contains("a session that has ended")), "{told}");
    // The right address, put in the place of the old one, is enough.
    page.tell("Page.navigate", &json!({ "url": explorer.address }));
    page.wait_until("document.documentElement?.dataset.ready === 'yes'");
    assert!(explorer.interrupt().status.success());
    page.press("1");
    page.wait_until("document.querySelector('.note').textContent.startsWith('The command has ended')");
}

#[test]
fn a_saved_schedule_begins_at_its_violation_in_windows_of_all_sizes() {
    let Some(browser) = browser() else { return };
    let folder = folder("explore-a-schedule");
    let source = fs::read_to_string(root().join("examples/threads/lost-update.mz")).expect("an example");
    written(&folder, "lost-update.mz", &source);
    assert_eq!(run(&folder, &["check", "lost-update.mz"]).status.code(), Some(1));
    let explorer = Explorer::start(&folder, &["lost-update.schedule"]);
    let mut page = open(&browser, &folder, &explorer, "");
    assert_eq!(standing(&mut page)[1..3], ["9", "1"]);
    for (width, columns) in [(1500, 3), (1000, 2), (420, 1)] {
        page.tell(
            "Emulation.setDeviceMetricsOverride",
            &json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false }),
        );
        let template = page.evaluate("getComputedStyle(document.querySelector('.columns')).gridTemplateColumns");
        assert_eq!(template.as_str().map(|tracks| tracks.split(' ').count()), Some(columns), "{width}");
        let overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert!(overflow.as_i64().is_some_and(|pixels| pixels <= 0), "{width}: {overflow}");
    }
    drop(page);
    assert!(explorer.interrupt().status.success());
}

#[test]
fn what_cannot_be_explored_is_said_and_ctrl_c_ends_it() {
    let folder = folder("explore-errors");
    let error = |arguments: &[&str]| {
        let output = run(&root(), &[&["explore", "--no-open"], arguments].concat());
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{output:?}");
        String::from_utf8(output.stderr).expect("an error is text")
    };
    let program = "examples/threads/lost-update.mz";
    assert!(error(&[program, "--at", "0-5"]).starts_with("error: step 1: there is no actor 5, 1 can move here\n"));
    assert!(error(&[program, "--at", "up"]).starts_with("error: --at: expected a place such as `0-2.1`"));
    assert!(error(&["nothing.mz"]).contains("there is no such file"));
    assert!(error(&["nothing.schedule"]).contains("nothing.schedule"));
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("it has an address").port().to_string();
    let told = error(&[program, "--port", &port]);
    assert!(told.starts_with(&format!("error: port {port} is taken by another program\n")), "{told}");

    let program = written(&folder, "writers.mz", WRITERS);
    let explorer = Explorer::start(&folder, &[&program]);
    let port = explorer.port();
    assert!(TcpStream::connect(("127.0.0.1", port)).is_ok());
    let ended = explorer.interrupt();
    assert!(ended.status.success() && ended.stderr.is_empty(), "{ended:?}");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "nothing is left");
    let left: Vec<_> =
        fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(left, ["writers.mz"], "nothing was written");
}
