//! A headless Chromium that is told what to do: its own protocol over two pipes, one JSON object after the other, each with a
//! zero byte behind it.

use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a page may take to come to what is awaited.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page.
pub(crate) struct Chromium {
    child: Child,
    to: File,
    from: BufReader<File>,
    page: String,
    sent: u64,
}

impl Chromium {
    /// Opens an address in a window of this size.
    pub(crate) fn open(browser: &Path, folder: &Path, address: &str, (width, height): (u32, u32)) -> Self {
        let (to, from) = (folder.join("to"), folder.join("from"));
        let made = Command::new("mkfifo").args([&to, &from]).status().expect("pipes can be made");
        assert!(made.success());
        // The browser reads from 3 and writes to 4.
        let script = r#"browser="$1"; to="$2"; from="$3"; shift 3; exec "$browser" "$@" 3<"$to" 4>"$from""#;
        let child = Command::new("sh")
            .args(["-c", script, "sh"])
            .args([browser, to.as_path(), from.as_path()])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--remote-debugging-pipe", "--hide-scrollbars"])
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser can be started");
        let to = File::options().write(true).open(to).expect("the browser reads");
        let from = BufReader::new(File::open(from).expect("the browser writes"));
        let mut chromium = Chromium { child, to, from, page: String::new(), sent: 0 };
        let target = chromium.tell("Target.createTarget", &json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = chromium.tell("Target.attachToTarget", &json!({ "targetId": target, "flatten": true }));
        chromium.page = attached["sessionId"].as_str().expect("a session").to_owned();
        chromium.tell("Page.navigate", &json!({ "url": address }));
        chromium
    }

    /// Has the browser do something, and returns what it answers.
    pub(crate) fn tell(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": params });
        if !self.page.is_empty() {
            message["sessionId"] = json!(self.page);
        }
        let sent = self.to.write_all(format!("{message}\0").as_bytes()).and_then(|()| self.to.flush());
        sent.expect("the browser is there");
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).expect("the browser is there");
            assert_eq!(bytes.pop(), Some(0), "the browser has ended");
            let answer: Value = serde_json::from_slice(&bytes).expect("the browser speaks JSON");
            if answer["id"] == self.sent {
                return answer;
            }
        }
    }

    /// What an expression is on the page.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.tell("Runtime.evaluate", &params);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true on the page. While a page is being loaded, nothing is.
    pub(crate) fn wait_until(&mut self, expression: &str) {
        let started = Instant::now();
        let params = json!({ "expression": format!("Boolean({expression})"), "returnByValue": true });
        while self.ask("Runtime.evaluate", &params)["result"]["result"]["value"] != true {
            if started.elapsed() > PATIENCE {
                let text = self.evaluate("document.body.innerText");
                panic!("{expression} does not come true: {}", text.as_str().unwrap_or_default());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Writes a picture of what is seen.
    pub(crate) fn picture(&mut self, file: &Path) {
        let shot = self.tell("Page.captureScreenshot", &json!({ "format": "png" }));
        let encoded = shot["data"].as_str().expect("a picture").as_bytes();
        std::fs::write(file, decoded(encoded)).expect("a picture can be written");
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str) {
        let key = json!(key);
        self.evaluate(&format!(
            "(document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', {{ key: {key}, bubbles: true }}))"
        ));
    }
}

/// Base 64.
fn decoded(encoded: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let (mut bits, mut count, mut bytes) = (0u32, 0, Vec::new());
    for &byte in encoded.iter().filter(|byte| **byte != b'=') {
        (bits, count) = ((bits << 6) | u32::from(digit(byte)), count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
