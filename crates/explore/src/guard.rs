//! Who may ask: the page that this process serves, in a browser on this machine, and nothing else.
//!
//! Any web site that the user visits can send requests to a port of this machine, and with a name of its own that resolves to
//! 127.0.0.1 (DNS rebinding) it could read the answers. What stops that is the exact `Host`, since a browser sends the name that
//! it has connected to. A token that stands only in the address that the command prints stops everything else: other users
//! of the machine, and other programs. It travels in a header of its own, which no other origin can send without a preflight, and
//! a preflight is never answered. There are no cookies.

use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::http::request::Parts;
use std::fmt::Write as _;

/// The header with the token.
pub(crate) const TOKEN: HeaderName = HeaderName::from_static("x-mazurka-token");
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// What a request has to have.
pub(crate) struct Guard {
    hosts: [String; 3],
    token: String,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused(pub(crate) &'static str);

impl Guard {
    pub(crate) fn new(port: u16, token: String) -> Self {
        let hosts = ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{host}:{port}"));
        Guard { hosts, token }
    }

    /// Whether a request comes from this machine's browser to this server: to be asked before anything else.
    pub(crate) fn admit(&self, parts: &Parts) -> Result<(), Refused> {
        let host = only(&parts.headers, &HOST)?.ok_or(Refused("there is no Host"))?;
        if !self.hosts.iter().any(|known| known == host) {
            return Err(Refused("this is not the Host that is served here"));
        }
        if parts.uri.authority().is_some() {
            return Err(Refused("a proxy is not served"));
        }
        if let Some(origin) = only(&parts.headers, &ORIGIN)?
            && origin.strip_prefix("http://") != Some(host)
        {
            return Err(Refused("this is not the Origin that is served here"));
        }
        match only(&parts.headers, &FETCH_SITE)? {
            None | Some("same-origin" | "none") => Ok(()),
            Some(_) => Err(Refused("other sites are not served")),
        }
    }

    /// Whether a request below `/api` may be answered.
    pub(crate) fn admit_api(&self, parts: &Parts) -> Result<(), Refused> {
        let token = only(&parts.headers, &TOKEN)?.ok_or(Refused("there is no token"))?;
        if !is_same(token.as_bytes(), self.token.as_bytes()) {
            return Err(Refused("the token is another one: this address belongs to a session that has ended"));
        }
        match only(&parts.headers, &CONTENT_TYPE)? {
            Some("application/json") => Ok(()),
            _ => Err(Refused("the Content-Type has to be application/json")),
        }
    }
}

/// The one value of a header. Two of them are no value: which one counts would be a matter of taste.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Refused> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    match (value.to_str(), values.next()) {
        (Ok(value), None) => Ok(Some(value)),
        _ => Err(Refused("a header is there twice, or is no text")),
    }
}

/// Whether two texts are the same, in a time that does not depend on where they differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |differs, (one, other)| differs | (one ^ other)) == 0
}

/// 128 random bits in hexadecimal digits.
pub(crate) fn random_digits() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;

    fn parts(uri: &str, headers: &[(&str, &str)]) -> Parts {
        let request =
            headers.iter().fold(Request::builder().uri(uri), |request, (name, value)| request.header(*name, *value));
        request.body(()).expect("a request").into_parts().0
    }

    fn guard() -> Guard {
        Guard::new(4711, "0123456789abcdef0123456789abcdef".into())
    }

    #[test]
    fn only_the_exact_host_is_served() {
        let admits = |headers: &[(&str, &str)]| guard().admit(&parts("/", headers)).is_ok();
        for host in ["127.0.0.1:4711", "localhost:4711", "[::1]:4711"] {
            assert!(admits(&[("host", host)]), "{host}");
        }
        for host in [
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1:47110",
            "127.0.0.1.evil.example:4711",
            "evil.example:4711",
            "LOCALHOST:4711",
            "user@127.0.0.1:4711",
            "0.0.0.0:4711",
            "",
        ] {
            assert!(!admits(&[("host", host)]), "{host}");
        }
        assert!(!admits(&[]), "no Host");
        assert!(!admits(&[("host", "127.0.0.1:4711"), ("host", "127.0.0.1:4711")]), "two of them");
        assert!(
            guard().admit(&parts("http://127.0.0.1:4711/", &[("host", "127.0.0.1:4711")])).is_err(),
            "a proxy's form"
        );
    }

    #[test]
    fn an_origin_has_to_be_ours_where_there_is_one() {
        let host = ("host", "localhost:4711");
        let admits = |header| guard().admit(&parts("/", &[host, header])).is_ok();
        assert!(admits(("origin", "http://localhost:4711")));
        for origin in
            ["http://127.0.0.1:4711", "https://localhost:4711", "http://localhost:4712", "null", "http://evil.example"]
        {
            assert!(!admits(("origin", origin)), "{origin}");
        }
        assert!(admits(("sec-fetch-site", "same-origin")) && admits(("sec-fetch-site", "none")));
        assert!(!admits(("sec-fetch-site", "cross-site")) && !admits(("sec-fetch-site", "same-site")));
    }

    #[test]
    fn a_request_needs_the_token_and_json() {
        let token = ("x-mazurka-token", "0123456789abcdef0123456789abcdef");
        let json = ("content-type", "application/json");
        let admits = |headers: &[(&str, &str)]| guard().admit_api(&parts("/api/at", headers)).is_ok();
        assert!(admits(&[token, json]));
        assert!(!admits(&[json]) && !admits(&[token]) && !admits(&[token, token, json]));
        assert!(!admits(&[("x-mazurka-token", "0123456789abcdef0123456789abcdee"), json]));
        assert!(!admits(&[("x-mazurka-token", ""), json]));
        assert!(!admits(&[token, ("content-type", "text/plain")]));
    }

    #[test]
    fn two_tokens_are_not_the_same() {
        let (one, other) = (random_digits().expect("random bits"), random_digits().expect("random bits"));
        assert!(one.len() == 32 && one != other);
    }
}
