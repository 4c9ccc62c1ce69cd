//! No input panics, overflows the stack or runs for ever, neither in the parser nor at run time.

mod support;

use mazurka_groovy::{Frozen, Limits, NotFreezable, Run, Script, Value, parse};
use proptest::prelude::*;
use support::{TestHost, call_test, eval, instance};

/// A source with a little of everything.
const SAMPLE: &str = r#"import groovy.json.JsonSlurper
/* comment */ definition(name: "x", description: """multi
$line ${ [1, 2].collect { "<${it}>" } } text""", icon: 'http://x')
@Field final static Map<String, List<Integer>> TABLE = [a: [1], (1 + 1): 2, "$x y": 3]
preferences {
    page(name: "p") { section("Title") { input "x", "capability.switch", title: "T", required: false } }
}
private def f(a, int b = 5, String... rest) throws Exception {
    def (p, q) = [1, 2]; a?.b?.c(1)*.d ?: rest[0..-1] << 3
    outer: for (int i = 0, j = 1; i < 10 && !a; i++) { for (x in 1..<5) { if (x in [1] || x !in [2]) continue outer } }
    switch (evt.value) { case ~/a.*\/b/: case [1, 2]: return $/dollar $a/$; default: break }
    try { throw new Exception("e") } catch (A | B e) { log.debug "x: ${e.message}" } finally { x <<= 1; y ?= 2 }
    do { a.b['c'].d = -x ** 2 as int } while (a ==~ /\d+/)
    "$name"(1, *list, key: v) { x, y = 2 -> x <=> y }; obj."m$i"(this.&f, { -> }, (int) 3.5e2, new int[3], 0xFFL)
    if (a instanceof Map) b else if (c) { d } else e
    return a ? b : c
}
"#;

#[test]
fn a_source_cut_anywhere_is_read_or_refused() {
    assert!(parse(SAMPLE).is_ok(), "{:?}", parse(SAMPLE).err());
    for end in (0..SAMPLE.len()).filter(|&end| SAMPLE.is_char_boundary(end)) {
        check_errors(&SAMPLE[..end]);
        check_errors(&SAMPLE[end..]);
    }
}

/// Errors point into the source and say what was expected.
fn check_errors(source: &str) {
    if let Err(errors) = parse(source) {
        for error in errors {
            assert!(error.span.start <= error.span.end && error.span.end <= source.len(), "{error:?}");
            assert!(!error.message.is_empty() && !error.label.is_empty(), "{error:?}");
        }
    }
}

#[test]
fn errors_name_the_place_the_text_and_what_was_expected() {
    let cases = [
        ("def f( {", "expected the name of a parameter, found `{`", 7),
        ("def x = 'abc", "a text that does not end", 8),
        ("def x = 1 +", "expected an expression, found the end of the file", 11),
        ("foo(1, 2", "expected `,` or `)`, found the end of the file", 8),
        ("def f() { if (x { } }", "expected `)`, found `}`", 20),
        ("x = [a: 1, 2]", "expected a key with `:`, found `2`", 11),
        ("/* never", "a comment that does not end", 0),
        ("1 = 2", "nothing that can be assigned to", 0),
        ("x = 5 }", "expected an expression, found `}`", 6),
        ("def class = 1", "expected the name of a variable, found `class`", 4),
        ("def x = \"$\"", "a `$` that nothing follows", 9),
        ("'\\q'", "unknown escape `\\q` in a text", 1),
        ("a \u{1} b", "unexpected character '\\u{1}'", 2),
    ];
    for (source, message, start) in cases {
        let errors = parse(source).expect_err(source);
        assert_eq!((errors[0].message.as_str(), errors[0].span.start), (message, start), "{source}");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let opens = [
        "(", "[", "{", "((", "[a:", "{ x -> ", "\"${", "f(", "if (x) ", "!", "-", "x ? ", "a = ", "new A(", "~",
        "(int)", "try {", "a ** ",
    ];
    for open in opens {
        check_errors(&open.repeat(100_000));
        assert!(parse(&open.repeat(100_000)).is_err(), "{open}");
    }
    for chain in [".a", " + 1", "[0]", "(1)", " ?: 1", " as int", "{}", " && a", "..1"] {
        check_errors(&format!("a{}", chain.repeat(100_000)));
    }
    check_errors(&"if (x) {} else ".repeat(50_000));
    check_errors(&"a b ".repeat(50_000));
}

#[test]
fn garbage_is_refused_at_once() {
    let garbage: String =
        (0..10_000_000_u32).map(|i| char::from(b' ' + (i.wrapping_mul(2_654_435_761) >> 25) as u8 % 95)).collect();
    assert!(parse(&garbage).is_err());
    check_errors(&garbage[..3_000_000]);
    check_errors(&"a(".repeat(1_000_000));
    check_errors(&"[(".repeat(1_000_000));
    check_errors(&"x {(\n".repeat(500_000));
}

#[test]
fn expressions_as_deep_as_the_parser_allows_run() {
    assert_eq!(eval(&format!("{}1{}", "(1 + ".repeat(50), ")".repeat(50))), "51");
    assert_eq!(eval(&format!("1{}", " + 1".repeat(390))), "391");
    assert_eq!(eval(&format!("''{}", ".trim()".repeat(390))), "");
}

#[test]
fn recursion_ends_before_the_stack_does() {
    let bodies = [
        "f()",
        "[1].each { f() }",
        "[1, 2].collect { [a: it].collect { k, v -> [3].find { f() } } }",
        "def x = \"${[1].collect { \"${f()}\" }}\"",
        "switch (f()) { case 1: f() }",
        "try { f() } finally { 1 }",
        "[3, 1].sort { a, b -> f() }",
        "if (true) { for (x in [1]) { while (true) { do { switch (1) { case 1: f() } } while (true) } } }",
        "1 + (1 + (1 + (1 + (1 + (1 + (1 + (1 + (1 + (1 + f())))))))))",
        "[a: { f() }].a()",
        "with { with { f() } }",
    ];
    for body in bodies {
        let source = format!("def f() {{ {body} }}\ndef test() {{ f() }}");
        let result = call_test(&source, &mut TestHost::new());
        assert!(result.starts_with("calls are nested too deeply"), "{body}: {result}");
    }
}

#[test]
fn budgets_end_every_loop() {
    let fuel = [
        "while (true) { }",
        "for (;;) { }",
        "do { } while (true)",
        "def i = 0; while (true) i++",
        "1.upto(2000000000) { }",
    ];
    for body in fuel {
        assert!(eval(body).starts_with("the handler takes too many steps"), "{body}: {}", eval(body));
    }
    let memory = [
        "def s = 'x'; while (true) s += s",
        "def l = [1]; while (true) l += l",
        "def l = []; while (true) l.addAll([1] * 1000)",
        "(1..2000000000).size()",
        "'x' * 2000000000",
        "'x'.padLeft(2000000000)",
        "new int[2000000000]",
        "def l = []; l[2000000000] = 1",
        "def m = [:]; def i = 0; while (true) { m[\"k${i++}\"] = 'x' * 1000 }",
        "def b = new StringBuilder(); while (true) b << ('x' * 1000)",
        "String.format('%9999d', 1) * 100000",
    ];
    for body in memory {
        assert!(eval(body).starts_with("the handler builds too much data"), "{body}: {}", eval(body));
    }
}

#[test]
fn odd_numbers_do_no_harm() {
    let bodies = [
        "Integer.MIN_VALUE.intdiv(-1)",
        "Integer.MIN_VALUE % -1",
        "-Integer.MIN_VALUE",
        "Long.MIN_VALUE.abs()",
        "1 << 1000",
        "new Date(Long.MAX_VALUE) + Integer.MAX_VALUE",
        "new Date(Long.MIN_VALUE).format('yyyy')",
        "new Date(0) - new Date(Long.MIN_VALUE)",
        "def c = Calendar.instance; c.set(Calendar.YEAR, Integer.MAX_VALUE); c.add(Calendar.HOUR, Integer.MAX_VALUE); c.time",
        "10 ** 1000",
        "1e28 * 10",
        "9999999999999999999999999999 + 1",
        "(0.0d / 0) as int",
        "(1.0d / 0) as BigDecimal",
        "1.5.round(1000000)",
        "1.5.setScale(-5, 4)",
        "Long.MAX_VALUE.upto(Long.MAX_VALUE) { }",
        "Math.floorMod(1, 0)",
        "'abc'.substring(-1)",
        "def m = [:]; def n = [:]; m[[n]] = 1; m[[m]] = 2; m[m] = 3; m",
        "def l = []; l << l << l; def k = []; k << k << k; l == k",
        "def l = []; l << l << l; def k = []; k << k << k; [(l): 1, (k): 2].size() + ([l, k] as Set).size()",
        "'abc'[5]",
        "[1][-9]",
        "use(groovy.time.TimeCategory) { Long.MAX_VALUE.years + 5.minutes }",
        "5.step(1, 0) { }",
        "Date.parse('yyyy-MM-dd', '999999999-99-99')",
        "String.format('%99999999999d', 1)",
        "Integer.toString(5, 99)",
        "'x'.charAt(1)",
    ];
    for body in bodies {
        eval(body);
    }
}

#[test]
fn scripts_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Script>();
    shared::<Frozen>();
}

#[test]
fn values_freeze_and_thaw() {
    let instance = instance(
        "def test() { [a: [1, 2.5, 'x', null, true, 5L, 1.5d], (3): new Date(7)] }\ndef bad() { [c: { 1 }] }\ndef large() { def l = [1]; 50.times { l = [l, l] }; l }\ndef cyclic() { def l = []; l << l; l }",
    );
    let mut host = TestHost::new();
    let mut run = Run::new(Limits::default());
    let mut call = |name| run.call_method(&mut host, &instance, name, &[]).expect("a value");
    let value = call("test");
    let frozen = value.freeze().expect("freezable");
    assert_eq!(frozen.thaw().freeze(), Ok(frozen.clone()));
    assert_eq!(frozen.to_string(), value.to_string());
    assert_eq!(call("bad").freeze(), Err(NotFreezable::Kind("a closure")));
    assert_eq!(call("large").freeze(), Err(NotFreezable::Large));
    assert_eq!(call("cyclic").freeze(), Err(NotFreezable::Nested));
    assert_eq!(Value::int(5).freeze(), Ok(Frozen::Int(5)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn token_soup_is_read_or_refused(words in prop::collection::vec(word(), 0..60)) {
        check_errors(&words.join(" "));
        check_errors(&words.concat());
    }

    #[test]
    fn what_can_be_read_can_be_run(words in prop::collection::vec(word(), 0..12)) {
        let source = format!("def test() {{\n{}\n}}", words.join(" "));
        if parse(&source).is_ok() {
            call_test(&source, &mut TestHost::new());
        }
    }
}

fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "b",
        "it",
        "def",
        "if",
        "else",
        "for",
        "in",
        "while",
        "do",
        "switch",
        "case",
        "default",
        "try",
        "catch",
        "return",
        "break",
        "new",
        "Date",
        "int",
        "as",
        "instanceof",
        "null",
        "true",
        "this",
        "1",
        "2.5",
        "0x1F",
        "'t'",
        "\"g$a\"",
        "\"",
        "'",
        "${",
        "}",
        "{",
        "(",
        ")",
        "[",
        "]",
        "[:]",
        ",",
        ";",
        ":",
        "\n",
        ".",
        "?.",
        "*.",
        "..",
        "->",
        "=",
        "+=",
        "++",
        "--",
        "==",
        "=~",
        "==~",
        "<=>",
        "<<",
        "?",
        "?:",
        "!",
        "-",
        "+",
        "*",
        "/",
        "**",
        "%",
        "&&",
        "||",
        "<",
        ">",
        "@",
        "~",
        "/x/",
        "$/",
        "/$",
        "\"\"\"",
        "size()",
        "each",
        "collect",
        "state",
        "switches",
        "log",
        "toString()",
        "private",
        "void",
        "import",
        "class",
        "assert",
        "throw",
    ])
}
