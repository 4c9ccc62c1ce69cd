//! Reports in the XML of JUnit, which build servers read.
//!
//! A proof is one test that passes, each violation is one that fails. A search that proves nothing and finds nothing is
//! an error: it must not look like a pass. There are several schemas of this format; what the strictest one asks for is
//! there, and nothing that another one forbids.

use crate::format::timestamp;
use crate::{Report, Story, TextOptions, Vacuity, html, meaning, text};
use mazurka_core::Verdict;
use std::time::SystemTime;

/// The test that a proof passes.
const PROOF: &str = "no order of events breaks it";

/// The whole report as one XML document. `started` is when the search began.
pub fn report(report: &Report<'_>, started: SystemTime) -> String {
    let verdict = &report.exploration.verdict;
    let mut results: Vec<(&str, String)> = report.stories.iter().map(failed).collect();
    let failures = results.len();
    let undecided = meaning::unproven(verdict);
    let errors = usize::from(undecided.is_some());
    results.extend(undecided.map(|reason| (PROOF, element("error", verdict.name(), &reason, ""))));
    if *verdict == Verdict::Verified {
        results.push((PROOF, String::new()));
    }
    let seconds = report.exploration.statistics.seconds.max(0.0);
    // One search has found them all: its time is that of the first.
    let times = [seconds].into_iter().chain(std::iter::repeat(0.0));
    let cases: String =
        results.iter().zip(times).map(|((name, wrong), time)| case(report, name, time, wrong)).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites>\n  \
         <testsuite id=\"0\" package=\"mazurka\" name=\"{}\" timestamp=\"{}\" hostname=\"localhost\" \
         tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\">\n\
         {}{cases}    \
         <system-out>{}</system-out>\n    <system-err/>\n  </testsuite>\n\
         </testsuites>\n",
        escape(report.program),
        timestamp(started),
        results.len(),
        properties(report),
        escape(&text::verdict(report, &wide())),
    )
}

/// How text is laid out that a build server shows.
fn wide() -> TextOptions {
    TextOptions { width: 100, ..TextOptions::default() }
}

fn properties(report: &Report<'_>) -> String {
    let exploration = report.exploration;
    let mut properties = vec![
        ("engine".to_owned(), report.engine.to_owned()),
        ("verdict".to_owned(), exploration.verdict.name().to_owned()),
    ];
    if report.vacuity() != Vacuity::None {
        properties.push(("vacuity".to_owned(), report.vacuity().name().to_owned()));
    }
    properties.extend(meaning::reason(report).map(|reason| ("reason".to_owned(), reason)));
    let counts = exploration.statistics.iter();
    properties.extend(counts.map(|(counter, count)| (counter.name().to_owned(), count.to_string())));
    let lines = properties
        .iter()
        .map(|(name, value)| format!("      <property name=\"{}\" value=\"{}\"/>\n", escape(name), escape(value)));
    format!("    <properties>\n{}    </properties>\n", lines.collect::<String>())
}

/// A test, with what is wrong with it, if anything is.
fn case(report: &Report<'_>, name: &str, seconds: f64, wrong: &str) -> String {
    let (name, class) = (escape(name), escape(report.program));
    let end = if wrong.is_empty() { "/>".to_owned() } else { format!(">\n      {wrong}\n    </testcase>") };
    format!("    <testcase name=\"{name}\" classname=\"{class}\" time=\"{seconds:.3}\"{end}\n")
}

/// The test of a violation: its name, and what is wrong.
fn failed(story: &Story) -> (&str, String) {
    let violation = &story.violation;
    (&violation.message, element("failure", violation.kind.name(), &violation.message, &text::story(story, &wide())))
}

/// What is wrong with a test.
fn element(tag: &str, kind: &str, message: &str, content: &str) -> String {
    let end = if content.is_empty() { "/>".to_owned() } else { format!(">{}</{tag}>", escape(content)) };
    format!("<{tag} type=\"{kind}\" message=\"{}\"{end}", escape(message))
}

/// A text as XML takes it: control characters have no place there, not even escaped.
fn escape(text: &str) -> String {
    let allowed = |character: char| match character {
        '\n' | '\t' => character,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        _ => character,
    };
    html::escape(&text.chars().map(allowed).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Basis;
    use crate::example::{Threads, counts};
    use mazurka_core::{Counter, Exploration, StopReason};
    use std::time::Duration;

    fn of(stop: StopReason, stories: &[Story], threads: &Threads) -> String {
        let found = stories.iter().map(|_| threads.found(&[2, 2, 0, 0])).collect();
        let exploration = Exploration::conclude(stop, None, found, counts(&[(Counter::States, 6)], 0.25));
        let (program, engine, basis) = ("three.mz", "exhaustive", &Basis::default());
        let told = Report {
            program,
            engine,
            picked: None,
            basis,
            alternative: None,
            hint: None,
            exploration: &exploration,
            stories,
        };
        report(&told, SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000))
    }

    #[test]
    fn a_violation_is_a_test_that_fails() {
        let threads = Threads::three();
        insta::assert_snapshot!(of(StopReason::Complete, &[threads.tell(&[2, 2, 0, 0], 4)], &threads), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites>
          <testsuite id="0" package="mazurka" name="three.mz" timestamp="2001-09-09T01:46:40" hostname="localhost" tests="1" failures="1" errors="0" time="0.250">
            <properties>
              <property name="engine" value="exhaustive"/>
              <property name="verdict" value="violated"/>
              <property name="reason" value="the search is complete"/>
              <property name="states" value="6"/>
            </properties>
            <testcase name="assertion failed: r1 == 0" classname="three.mz" time="0.250">
              <failure type="assertion" message="assertion failed: r1 == 0">VIOLATION  assertion failed: r1 == 0                                  three.mz:2
          why      T3 incremented x before T1 did; nothing orders the two
          race     T3  r3 = x++  (three.mz:22)   with   T1  r1 = x++  (three.mz:1)

          step  T3                    T1
          1     r3 = z
          2     r3 = x++   x: 0 → 1
          3                           r1 = x++         x: 1 → 2, r1: 0 → 1
          4                           assert r1 == 0   ✗   r1 = 1
        </failure>
            </testcase>
            <system-out>VERDICT  violated   exhaustive: 6 states, 1 violation, 250 ms
        </system-out>
            <system-err/>
          </testsuite>
        </testsuites>
        "#);
    }

    #[test]
    fn a_proof_is_a_test_that_passes() {
        insta::assert_snapshot!(of(StopReason::Complete, &[], &Threads::three()), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites>
          <testsuite id="0" package="mazurka" name="three.mz" timestamp="2001-09-09T01:46:40" hostname="localhost" tests="1" failures="0" errors="0" time="0.250">
            <properties>
              <property name="engine" value="exhaustive"/>
              <property name="verdict" value="verified"/>
              <property name="states" value="6"/>
            </properties>
            <testcase name="no order of events breaks it" classname="three.mz" time="0.250"/>
            <system-out>VERDICT  verified   exhaustive: 6 states, 250 ms
        </system-out>
            <system-err/>
          </testsuite>
        </testsuites>
        "#);
    }

    #[test]
    fn a_search_without_an_answer_is_an_error() {
        insta::assert_snapshot!(of(StopReason::TimeLimit, &[], &Threads::three()), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites>
          <testsuite id="0" package="mazurka" name="three.mz" timestamp="2001-09-09T01:46:40" hostname="localhost" tests="1" failures="0" errors="1" time="0.250">
            <properties>
              <property name="engine" value="exhaustive"/>
              <property name="verdict" value="inconclusive"/>
              <property name="reason" value="the time limit was reached; nothing was found so far"/>
              <property name="states" value="6"/>
            </properties>
            <testcase name="no order of events breaks it" classname="three.mz" time="0.250">
              <error type="inconclusive" message="the time limit was reached"/>
            </testcase>
            <system-out>VERDICT  inconclusive   exhaustive: 6 states, 250 ms
                 the time limit was reached; nothing was found so far
                 a longer --time-limit lets the search continue
        </system-out>
            <system-err/>
          </testsuite>
        </testsuites>
        "#);
    }

    #[test]
    fn what_xml_does_not_know_is_replaced() {
        assert_eq!(escape("a<b> & \"c\"\u{1b}[0m\u{0}\n"), "a&lt;b&gt; &amp; &quot;c&quot;\u{fffd}[0m\u{fffd}\n");
    }
}
