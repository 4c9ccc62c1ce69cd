//! The server, asked by a plain socket: who is answered, who is not, and that it ends.

use mazurka::engines::Options;
use mazurka::report::html::Source;
use mazurka::{Cancel, Fingerprint, MzProgram, Origin, lang};
use mazurka_explore::{Begin, Exhibit, ServeError, serve};
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

const LOST_UPDATE: &str = include_str!("../../../examples/threads/lost-update.mz");

/// A server on a program.
struct Served {
    port: u16,
    token: String,
}

/// Runs `ask` while a server runs that begins at a place.
fn served_at<T>(source: &str, begin: &str, ask: impl FnOnce(&Served) -> T) -> T {
    let program = MzProgram::new(lang::compile("test.mz", source, &[]).expect("it compiles"));
    let texts = [Source { file: "test.mz".into(), text: source.into() }];
    let origin = Origin {
        files: vec!["test.mz".into()],
        source: Fingerprint::of_bytes(source.as_bytes()),
        defines: Vec::new(),
        engine: "explore".into(),
    };
    let (cancel, begin) = (Cancel::default(), Begin::Waypoint(begin.parse().expect("a place")));
    let options = Options::default();
    let exhibit = Exhibit { name: "test.mz", texts: &texts, subject: &program, origin, begin, options };
    let (tell, told) = channel();
    std::thread::scope(|scope| {
        let server = scope
            .spawn(|| serve(&exhibit, 0, &cancel, |opened| tell.send(opened.address.clone()).expect("the test waits")));
        let address = told.recv_timeout(Duration::from_secs(20)).expect("the server starts");
        let (port, token) = address["http://127.0.0.1:".len()..].split_once("/#").expect("an address with a token");
        let served = Served { port: port.parse().expect("a port"), token: token.to_owned() };
        let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| ask(&served)));
        cancel.cancel();
        server.join().expect("the server does not panic").expect("the server ends in order");
        asked.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn served<T>(ask: impl FnOnce(&Served) -> T) -> T {
    served_at(LOST_UPDATE, "0", ask)
}

impl Served {
    /// Sends bytes, and returns all that comes back until the connection ends.
    fn raw(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        // A request that is refused early may find the door closed.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        match stream.read_to_end(&mut answer) {
            Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("{error}"),
            _ => String::from_utf8(answer).expect("an answer is text"),
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server is there");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time can be set");
        stream
    }

    /// A request with these headers, and with what every request needs that is not said.
    fn request(&self, line: &str, headers: &[(&str, &str)], body: &str) -> String {
        let mut request = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        headers.iter().for_each(|(name, value)| request.push_str(&format!("{name}: {value}\r\n")));
        if !body.is_empty() || line.starts_with("POST") {
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        self.raw(format!("{request}\r\n{body}").as_bytes())
    }

    fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Asks as the page does: the status and the answer.
    fn ask(&self, name: &str, body: &Value) -> (u16, Value) {
        let (host, origin) = (self.host(), format!("http://{}", self.host()));
        let headers = [
            ("Host", &*host),
            ("Origin", &origin),
            ("Sec-Fetch-Site", "same-origin"),
            ("X-Mazurka-Token", &self.token),
            ("Content-Type", "application/json"),
        ];
        let answer = self.request(&format!("POST /api/{name}"), &headers, &body.to_string());
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a body");
        (status(head), serde_json::from_str(body).expect("an answer is JSON"))
    }
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

#[test]
fn the_page_is_served_to_the_exact_host_with_a_policy_and_without_cookies() {
    served(|served| {
        let port = served.port;
        let status_for = |host: &str| status(&served.request("GET /", &[("Host", host)], ""));
        for host in ["127.0.0.1", "localhost", "[::1]"] {
            assert_eq!(status_for(&format!("{host}:{port}")), 200, "{host}");
        }
        let wrong = port.wrapping_add(1);
        for host in [
            format!("127.0.0.1.evil.example:{port}"),
            format!("evil.example:{port}"),
            format!("127.0.0.1:{wrong}"),
            "127.0.0.1".to_owned(),
        ] {
            assert_eq!(status_for(&host), 403, "{host}");
        }
        let host = served.host();
        assert_eq!(status(&served.request("GET /", &[], "")), 403, "no Host");
        assert_eq!(
            status(&served.request("GET /", &[("Host", &host), ("Host", "evil.example")], "")),
            403,
            "two of them"
        );
        assert_eq!(status(&served.raw(b"GET / HTTP/1.0\r\n\r\n")), 403, "an old request");
        let absolute = format!("GET http://{host}/");
        assert_eq!(status(&served.request(&absolute, &[("Host", &host)], "")), 403, "a proxy's request");

        let page = served.request("GET /", &[("Host", &host)], "");
        let (head, body) = page.split_once("\r\n\r\n").expect("a page has a body");
        let head = head.to_ascii_lowercase();
        let (_, policy) = head.split_once("content-security-policy: ").expect("there is a policy");
        let (_, nonce) = policy.split_once("script-src 'nonce-").expect("the policy has a nonce");
        let nonce = &nonce[..32];
        assert!(policy.starts_with("default-src 'none';") && policy.contains("frame-ancestors 'none'"));
        assert!(!policy.contains("unsafe"));
        assert!(
            body.contains(&format!("<script nonce=\"{nonce}\">"))
                && body.contains(&format!("<style nonce=\"{nonce}\">"))
        );
        assert!(!body.contains(&served.token), "the token stands in the address only");
        for header in [
            "x-content-type-options: nosniff",
            "cross-origin-resource-policy: same-origin",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
        ] {
            assert!(head.contains(header), "{header}");
        }
        assert!(!head.contains("set-cookie") && !head.contains("access-control-allow"));
        let again = served.request("GET /", &[("Host", &host)], "");
        assert!(!again.contains(nonce), "a nonce is used once");
    });
}

#[test]
fn other_sites_are_refused_before_anything_else() {
    served(|served| {
        let host = served.host();
        for (name, value) in [
            ("Origin", "http://evil.example"),
            ("Origin", "null"),
            ("Origin", &*format!("https://{host}")),
            ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Site", "same-site"),
        ] {
            for line in ["GET /", "GET /nothing", "POST /api/at", "OPTIONS /api/at"] {
                let answer = served.request(line, &[("Host", &host), (name, value)], "");
                assert_eq!(status(&answer), 403, "{line} with {name}: {value}");
            }
        }
        // A preflight is never answered.
        let asks = [("Host", &*host), ("Access-Control-Request-Method", "POST")];
        let answer = served.request("OPTIONS /api/at", &asks, "");
        assert_eq!(status(&answer), 405);
        assert!(!answer.to_ascii_lowercase().contains("access-control-allow"));
    });
}

#[test]
fn a_request_needs_the_token_and_json() {
    served(|served| {
        let host = served.host();
        let json = ("Content-Type", "application/json");
        let asked = |headers: &[(&str, &str)]| {
            let headers: Vec<_> = [("Host", &*host)].iter().chain(headers).copied().collect();
            status(&served.request("POST /api/at", &headers, r#"{"place":"0"}"#))
        };
        let token = ("X-Mazurka-Token", &*served.token);
        assert_eq!(asked(&[token, json]), 200);
        assert_eq!(asked(&[json]), 403, "no token");
        assert_eq!(asked(&[("X-Mazurka-Token", "00000000000000000000000000000000"), json]), 403, "another token");
        assert_eq!(asked(&[token, token, json]), 403, "two of them");
        assert_eq!(asked(&[token]), 403, "no type");
        assert_eq!(asked(&[token, ("Content-Type", "text/plain")]), 403, "what a form can send");
        assert_eq!(asked(&[("Cookie", &*format!("token={}", served.token)), json]), 403, "a cookie is no token");
    });
}

#[test]
fn what_is_not_there_is_not_found_and_no_address_is_a_file() {
    served(|served| {
        let host = served.host();
        for path in ["/../", "/../../etc/passwd", "/index.html", "/favicon.ico", "/api", "/%2e%2e/", "//"] {
            assert_eq!(status(&served.request(&format!("GET {path}"), &[("Host", &host)], "")), 404, "{path}");
        }
        assert_eq!(status(&served.request("POST /", &[("Host", &host)], "")), 405);
        assert_eq!(status(&served.request("GET /api/at", &[("Host", &host)], "")), 405);
        assert_eq!(served.ask("nothing", &json!({})).0, 404);
        assert_eq!(served.ask("at/../program", &json!({})).0, 404);
    });
}

#[test]
fn what_is_too_large_or_makes_no_sense_is_refused() {
    served(|served| {
        let large = json!({ "place": "0".repeat(70_000) });
        assert_eq!(served.ask("at", &large), (413, json!({ "error": "the request is too large" })));
        let far = format!("0-{}0", "0.".repeat(10_000));
        let (status_of_far, answer) = served.ask("at", &json!({ "place": far }));
        assert_eq!(
            (status_of_far, answer["error"].as_str()),
            (400, Some("a place may be 10000 steps away, and not more"))
        );
        assert_eq!(served.ask("at", &json!({ "place": "../etc" })).0, 400);
        assert_eq!(served.ask("at", &json!({ "place": 1 })).0, 400);
        assert_eq!(served.ask("at", &json!({ "place": "0", "file": "/etc/passwd" })).0, 400, "what is not known");
        assert_eq!(served.ask("at", &json!([])).0, 400);
        let (status_of_none, answer) = served.ask("at", &json!({ "place": "0-0.9" }));
        assert_eq!(status_of_none, 422);
        assert!(answer["error"].as_str().is_some_and(|why| why.starts_with("step 2: there is no actor 9")), "{answer}");
        let (host, token) = (served.host(), &served.token);
        let head = format!(
            "POST /api/at HTTP/1.1\r\nHost: {host}\r\nX-Mazurka-Token: {token}\r\nContent-Type: application/json\r\n"
        );
        // Two lengths, and a length beside chunks: what smuggles requests past others.
        let two = format!("{head}Content-Length: 13\r\nContent-Length: 14\r\n\r\n{{\"place\":\"0\"}}");
        assert_eq!(status(&served.raw(two.as_bytes())), 400);
        let garbage = served.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03");
        assert!(garbage.is_empty() || status(&garbage) == 400, "{garbage}");
        let long = format!("GET /{} HTTP/1.1\r\nHost: {host}\r\n\r\n", "a".repeat(200_000));
        assert!([0, 400, 414, 431].contains(&status(&served.raw(long.as_bytes()))));
        assert_eq!(served.ask("at", &json!({ "place": "0" })).0, 200, "the server is still there");
    });
}

#[test]
fn a_head_that_does_not_arrive_ends_its_connection() {
    served(|served| {
        let mut stream = served.connect();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("the server is there");
        let (started, mut answer) = (Instant::now(), Vec::new());
        let _ = stream.read_to_end(&mut answer);
        let waited = started.elapsed();
        assert!(waited > Duration::from_secs(8) && waited < Duration::from_secs(25), "{waited:?}");
        assert!(!String::from_utf8_lossy(&answer).contains("200 OK"));
    });
}

#[test]
fn there_is_a_limit_to_connections_and_room_again_after_it() {
    served(|served| {
        let idle: Vec<TcpStream> = (0..64).map(|_| served.connect()).collect();
        let host = served.host();
        let page = || status(&served.request("GET /", &[("Host", &host)], ""));
        // The connection may be gone before that is read.
        assert!([0, 503].contains(&page()), "there are 64");
        drop(idle);
        let started = Instant::now();
        while page() != 200 {
            assert!(started.elapsed() < Duration::from_secs(5), "there is room again");
        }
    });
}

#[test]
fn the_port_answers_on_loopback_only() {
    served(|served| {
        // Every address of this machine that is not loopback, as far as one is known.
        let outside = std::net::UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
            socket.connect("192.0.2.1:9")?;
            socket.local_addr()
        });
        if let Ok(address) = outside.map(|address| address.ip())
            && !address.is_loopback()
        {
            let tried = TcpStream::connect_timeout(&(address, served.port).into(), Duration::from_secs(2));
            assert!(tried.is_err(), "{address} answers");
        }
    });
}

#[test]
fn a_program_is_run_a_race_is_reversed_and_the_violation_comes_and_goes() {
    served(|served| {
        let (_, program) = served.ask("program", &json!({}));
        assert_eq!((program["program"].as_str(), program["place"].as_str()), (Some("test.mz"), Some("0")));
        assert_eq!(program["engines"].as_array().map(Vec::len), Some(9));
        // The bank makes Ann and Bob; Ann reads, Bob reads, then both write.
        let at = |place: &str| served.ask("at", &json!({ "place": place })).1;
        let both = at("0-0.0");
        let able: Vec<_> =
            both["movers"].as_array().expect("a list").iter().filter(|one| one["standing"] == "able").collect();
        assert_eq!(able.len(), 2);
        let waits = both["movers"].as_array().expect("a list").iter().find(|one| one["standing"] == "blocked");
        assert_eq!(waits.map(|bank| bank["name"].clone()), Some(json!("bank")));
        let at_end = |place: &str| {
            // Whoever comes first moves, until no actor can.
            let mut place = place.to_owned();
            loop {
                let here = at(&place);
                if !here["halt"].is_null() {
                    return (place, here);
                }
                place.push_str(".0");
            }
        };
        let turns_of_both = |turns: &str| format!("0-0.0.{turns}");
        let (place, end) = at_end(&turns_of_both("0.1.0"));
        assert_eq!(end["wrongs"].as_array().map(Vec::len), Some(1), "{end}");
        let ended = end["movers"].as_array().expect("a list").iter().filter(|one| one["standing"] == "ended").count();
        assert_eq!((ended, end["halt"]["kind"].as_str()), (3, Some("finished")));
        let races: Vec<(usize, usize)> = end["path"]
            .as_array()
            .expect("a path")
            .iter()
            .enumerate()
            .flat_map(|(second, step)| {
                let races = step["races"].as_array().cloned().unwrap_or_default();
                races.into_iter().map(move |race| (race["first"].as_u64().unwrap_or(0) as usize, second))
            })
            .collect();
        // Ann's write comes after Bob's read; and so does Bob's write after Ann's.
        let gone = races.iter().filter_map(|&(first, second)| {
            let (status, answer) = served.ask("reverse", &json!({ "place": place, "first": first, "second": second }));
            let reversed = answer["place"].as_str().filter(|_| status == 200)?.to_owned();
            Some((reversed.clone(), at_end(&reversed).1["wrongs"].as_array().map(Vec::len)))
        });
        let gone: Vec<_> = gone.collect();
        assert!(gone.iter().any(|(_, wrongs)| *wrongs == Some(0)), "{races:?} {gone:?}");
        // What does not race cannot be reversed.
        let (status, answer) = served.ask("reverse", &json!({ "place": place, "first": 0, "second": 1 }));
        assert_eq!(status, 422, "{answer}");
        assert_eq!(served.ask("reverse", &json!({ "place": place, "first": 5, "second": 99 })).0, 422);

        let (status, saved) = served.ask("save", &json!({ "place": place }));
        assert_eq!(status, 200);
        let text = saved["text"].as_str().expect("a text");
        assert!(text.starts_with("mazurka schedule 1\nprogram test.mz\n") && text.ends_with("end\n"), "{text}");
        let (status, short) = served.ask("minimise", &json!({ "place": place }));
        assert_eq!(status, 200, "{short}");
        let (status, answer) = served.ask("save", &json!({ "place": "0-0" }));
        assert_eq!((status, answer["error"].is_string()), (422, true));
    });
}

#[test]
fn a_program_whose_names_are_markup_is_only_text() {
    let source = "shared x = 0;\nthread a { x = 1; assert(x == 0, \"<img src=x onerror=alert(1)>\"); }\n";
    served_at(source, "0-0.0", |served| {
        let (status, here) = served.ask("at", &json!({ "place": "0-0.0" }));
        assert_eq!((status, here["wrongs"].as_array().map(Vec::len)), (200, Some(1)));
        let host = served.host();
        let page = served.request("GET /", &[("Host", &host)], "");
        assert!(!page.contains("onerror"), "the page has no data");
    });
}

#[test]
fn a_place_that_does_not_exist_and_a_port_that_is_taken_are_said() {
    let program = MzProgram::new(lang::compile("test.mz", LOST_UPDATE, &[]).expect("it compiles"));
    let origin =
        Origin { files: Vec::new(), source: Fingerprint::of_bytes(b""), defines: Vec::new(), engine: "explore".into() };
    let served = |begin: &str, port: u16| {
        let begin = Begin::Waypoint(begin.parse().expect("a place"));
        let origin = origin.clone();
        let exhibit =
            Exhibit { name: "test.mz", texts: &[], subject: &program, origin, begin, options: Options::default() };
        serve(&exhibit, port, &Cancel::default(), |_| panic!("it does not start")).expect_err("it ends at once")
    };
    assert!(
        matches!(served("0-7", 0), ServeError::NoBeginning(why) if why == "step 1: there is no actor 7, 1 can move here")
    );
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("it has an address").port();
    let error = served("0", port).to_string();
    assert_eq!(error, format!("port {port} is taken by another program"));
}
