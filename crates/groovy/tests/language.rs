//! The language: one small test per construct.

mod support;

use support::{TestHost, call_test, check, effects, eval};

#[test]
fn numbers() {
    check(&[
        ("1 + 2", "3"),
        ("7 / 2", "3.5"),
        ("6 / 2", "3"),
        ("10 / 3", "3.3333333333"),
        ("1.10 + 2", "3.10"),
        ("1.5 * 1.5", "2.25"),
        ("0.1 + 0.2", "0.3"),
        ("7 % 3", "1"),
        ("-7 % 3", "-1"),
        ("2 ** 10", "1024"),
        ("1 ** 5000", "1"),
        ("(-1) ** 100000001", "-1"),
        ("-2 ** 2", "-4"),
        ("2 ** -1", "0.5"),
        ("2147483647 + 1", "-2147483648"),
        ("2147483648 + 1", "2147483649"),
        ("2147483647L + 1", "2147483648"),
        ("1000 * 60 * 60 * 24 * 30", "-1702967296"),
        ("0xFF", "255"),
        ("0b101 + 010", "13"),
        ("1_000_000", "1000000"),
        ("1.5f", "1.5"),
        ("3d", "3.0"),
        ("1e3 as double", "1000.0"),
        ("12345678.9d", "1.23456789E7"),
        ("0.0001d", "1.0E-4"),
        ("5G", "5"),
        ("7 & 3 | 8 ^ 1", "11"),
        ("1 << 4 >> 1", "8"),
        ("-1 >>> 28", "15"),
        ("~5", "-6"),
        ("1 <=> 2", "-1"),
        ("1 == 1.0", "true"),
        ("1L == 1", "true"),
        ("5.0 == 5", "true"),
        ("1 / 0", "ArithmeticException: Division by zero @ 2:1"),
        ("1.0d / 0", "Infinity"),
    ]);
}

#[test]
fn increments_and_compound_assignments() {
    check(&[
        ("def a = 1; def b = a++; def c = ++a; [a, b, c, a--, --a]", "[3, 1, 3, 3, 1]"),
        ("def a = 1; a += 2; a *= 5; a -= 1; a /= 2; a", "7"),
        ("def a = 7; a %= 4; a **= 2; a <<= 1; a |= 1; a &= 0xF; a ^= 2; a >>= 1; a", "0"),
        ("def a = 'x'; a += 1; a", "x1"),
        ("def a = [1]; a += 2; a <<= 3; a", "[1, 2, 3]"),
        ("def a; a ?= 5; a ?= 6; a", "5"),
        ("def m = [n: 1]; m.n++; m.n += 5; m['n']--; m", "[n:6]"),
        ("def l = [1, 2]; l[0]++; l[1] *= 10; l", "[2, 20]"),
        ("def a = 'a'; a++; a", "b"),
        ("def a; a++", "NullPointerException: Cannot invoke method next() on null object @ 2:8"),
        ("int x = 7; x /= 2; x", "3"),
        ("int x = 0; x += 2.7; x", "2"),
    ]);
}

#[test]
fn texts() {
    check(&[
        (r#""a" + 'b' + 1 + null"#, "ab1null"),
        (r#"def n = 3; "n is $n, ${n + 1}, ${n > 2 ? "big" : "small"}!""#, "n is 3, 4, big!"),
        (r#"def e = [a: [b: 'c']]; "$e.a.b.""#, "c."),
        (r#"def e = [a: 1]; "${e.a}$e.a ${e} \$e""#, "11 [a:1] $e"),
        (r#"'single $x ${y}'"#, "single $x ${y}"),
        (r#""tab\tnew\nline \u00e9 \\ \" \101""#, "tab\tnew\nline é \\ \" A"),
        ("'''three\nlines'''", "three\nlines"),
        ("def x = 1; \"\"\"x\n$x \"quoted\" ${x}\"\"\"", "x\n1 \"quoted\" 1"),
        (r"def x = 2; /a\d$x\/b/", r"a\d2/b"),
        (r"def x = 2; $/dollar $x / $$ ok/$", "dollar 2 / $ ok"),
        (r#""${}""#, "null"),
        (r#"def x = 'a'; "${x.collect { "[${it}]" }.join("")}""#, "[a]"),
        (r#""a" * 3"#, "aaa"),
        (r#""hello" - "l""#, "helo"),
        (r#""abc"[1] + "abc"[-1] + "abcdef"[1..3]"#, "bcbcd"),
        (
            r#""\
x""#, "x",
        ),
    ]);
}

#[test]
fn truth_equality_and_order() {
    check(&[
        ("[null, 0, '', [], [:], false, 0.0, 0L].collect { it ? 1 : 0 }", "[0, 0, 0, 0, 0, 0, 0, 0]"),
        ("[1, 'x', [0], [a: 0], true, -1, new Date()].collect { it ? 1 : 0 }", "[1, 1, 1, 1, 1, 1, 1]"),
        ("!'' && !!'x'", "true"),
        ("null == null && null != 1 && 1 != null", "true"),
        ("[1, 2] == [1, 2.0] && [a: 1] == [a: 1L]", "true"),
        (r#"def a = 'x'; "$a" == 'x' && [("$a".toString()): 1].x == 1"#, "true"),
        ("'5' == 5", "false"),
        ("'a' < 'b' && 'Z' < 'a'", "true"),
        ("null < 1 && null < 'a'", "true"),
        ("5 < '10'", "IllegalArgumentException: Cannot compare Integer '5' and String '10' @ 2:1"),
        ("1 <= 1.0 && 2 >= 1", "true"),
        ("true <=> false", "1"),
        ("def l = []; l === l && !([] === [])", "true"),
        ("2 in [1, 2] && !(3 in [1, 2]) && 3 !in [1, 2]", "true"),
        ("'a' in [a: 1] && 5 in 1..10 && 'x' in String", "true"),
        ("1 instanceof Integer && 1L instanceof Long && 1.5 instanceof BigDecimal && 1 !instanceof String", "true"),
        ("[] instanceof List && [:] instanceof Map && 'x' instanceof String && null !instanceof Object", "true"),
    ]);
}

#[test]
fn conditions() {
    check(&[
        ("true ? 1 : 2", "1"),
        ("def x = null; x ?: 5", "5"),
        ("def x = 0; x == 0\n  ? 'zero'\n  : 'other'", "zero"),
        ("def x = false ||\n true; x", "true"),
        ("def x = false\n || true\n && true; x", "true"),
        ("if (false) 1 else if (true) 2 else 3", "2"),
        ("if (false) {\n1\n}\nelse {\n2\n}", "2"),
        ("if (false) 1", "null"),
        ("def x = null; x?.foo?.bar", "null"),
        ("def x = null; x?.foo(1 / 0)", "null"),
        ("def x = [a: null]; x.a?.b ?: 'none'", "none"),
        ("def l = null; l?[0]", "null"),
        ("def c = true; c ?[1]:[2]", "[1]"),
    ]);
}

#[test]
fn lists_and_ranges() {
    check(&[
        ("[1, 'a', null, [2]]", "[1, a, null, [2]]"),
        ("[]", "[]"),
        ("[1, 2, 3,]", "[1, 2, 3]"),
        ("def l = [1, 2, 3]; [l[0], l[-1], l[5], l[0..1], l[0, 2]]", "[1, 3, null, [1, 2], [1, 3]]"),
        ("def l = [1]; l[3] = 4; l", "[1, null, null, 4]"),
        ("def l = [1]; l[-5]", "IndexOutOfBoundsException: index -5 of 1 elements @ 2:14"),
        ("(1..4).collect { it }", "[1, 2, 3, 4]"),
        ("(1..<4).toList() + (3..1).toList()", "[1, 2, 3, 3, 2, 1]"),
        ("1..3", "1..3"),
        ("('a'..'e').join()", "abcde"),
        ("def x = [2, 3]; [1, *x, 4]", "[1, 2, 3, 4]"),
        ("[1, 2, 3] - 2 + [4, 5] - [4]", "[1, 3, 5]"),
        ("[1, 2] * 2", "[1, 2, 1, 2]"),
        ("def l = []; l << 1 << 2; l", "[1, 2]"),
        ("[[n: 1], [n: 2]].n", "[1, 2]"),
        ("[[n: 1], [n: 2]]*.n", "[1, 2]"),
        ("['a', 'b']*.toUpperCase()", "[A, B]"),
        ("['a', null]*.toUpperCase()", "[A, null]"),
    ]);
}

#[test]
fn maps() {
    check(&[
        ("[:]", "[:]"),
        ("[a: 1, 'b c': 2, 3: 4]", "[a:1, b c:2, 3:4]"),
        ("def k = 'x'; [(k): 1, \"$k$k\": 2, k: 3]", "[x:1, xx:2, k:3]"),
        ("def m = [a: 1]; m.b = 2; m['c'] = 3; m.'d e' = 4; m", "[a:1, b:2, c:3, d e:4]"),
        ("def m = [a: 1]; [m.a, m['a'], m.get('a'), m.x, m.'a']", "[1, 1, 1, null, 1]"),
        ("def m = [b: 2]; [a: 1, *:m]", "[a:1, b:2]"),
        ("[a: 1] + [b: 2, a: 3]", "[a:3, b:2]"),
        ("def m = [a: 1]; m << [b: 2]; m", "[a:1, b:2]"),
        ("def m = [1: 'int', 1L: 'long']; m[1] + m[1L]", "intlong"),
        ("def n = 'dyn'; def m = [dyn: 5]; m.\"$n\" + m.\"${n}\"", "10"),
        ("[default: 1, in: 2, if: 3, class: 4].if", "3"),
        ("def m = [f: { it * 2 }]; m.f(4)", "8"),
        ("[\n a: 1,\n b: [\n  c: 2\n ]\n]", "[a:1, b:[c:2]]"),
    ]);
}

#[test]
fn closures() {
    check(&[
        ("def c = { it + 1 }; c(1) + c.call(2)", "5"),
        ("def c = { a, b = 10 -> a + b }; [c(1), c(1, 2)]", "[11, 3]"),
        ("def c = { -> 5 }; c()", "5"),
        ("def c = { it }; c()", "null"),
        ("def n = 0; [1, 2, 3].each { n += it }; n", "6"),
        ("def fs = []; for (i in 1..3) { def j = i; fs << { j * 10 } }; fs.collect { it() }", "[10, 20, 30]"),
        ("def make = { x -> { y -> x + y } }; make(1)(2)", "3"),
        ("def f\nf = { n -> n < 2 ? 1 : n * f(n - 1) }\nf(5)", "120"),
        ("[[1, 2], [3, 4]].collect { a, b -> a * b }", "[2, 12]"),
        ("[a: 1, b: 2].collect { k, v -> k + v }", "[a1, b2]"),
        ("def c = { String s, int n -> s * n }; c('x', 3)", "xxx"),
        ("def add = { a, b -> a + b }; add.curry(1)(2) + add.rcurry(1)(2)", "6"),
        ("def c = { a, b -> a }; c(1)", "MissingMethodException: no method call(Integer '1') on a closure @ 2:24"),
        ("def inc = { it + 1 }; def dbl = { it * 2 }; [(inc >> dbl)(3), (inc << dbl)(3)]", "[8, 7]"),
        ("[1, 2].inject(0) { acc, x -> acc + x }", "3"),
        ("def c = { Object... xs -> xs.size() }; [c(), c(1), c(1, 2)]", "[0, 1, 2]"),
        ("'abc'.with { toUpperCase() + length() }", "ABC3"),
        ("def m = [a: 1]; m.with { b = a + 1 }; m", "[a:1, b:2]"),
        ("def up = 'x'.&concat; up('y')", "xy"),
    ]);
}

#[test]
fn loops_and_jumps() {
    check(&[
        ("def s = 0; for (i in [1, 2, 3]) { s += i }; s", "6"),
        ("def s = 0; for (int i = 0; i < 5; i++) { if (i == 1) continue; if (i == 4) break; s += i }; s", "5"),
        ("def s = 0; for (def i = 0, j = 10; i < j; i++, j--) s++; s", "5"),
        ("def s = ''; for (e in [a: 1, b: 2]) { s += e.key + e.value }; s", "a1b2"),
        ("def s = ''; for (String c : 'xyz') s += c + '.'; s", "x.y.z."),
        ("def i = 0; while (i < 3) i++; i", "3"),
        ("def i = 5; do { i++ } while (i < 3); i", "6"),
        (
            "def s = 0\nouter: for (i in 1..3) {\n for (j in 1..3) {\n if (j == 2) continue outer\n if (i == 3) break outer\n s += 1\n }\n}\ns",
            "2",
        ),
        ("for (x in null) { return 1 }; 2", "2"),
        ("for (x in 1..3) { if (x == 2) return x }", "2"),
        ("for (;;) { break }; 7", "7"),
        ("while (true) {}", "the handler takes too many steps: it probably loops for ever @ 2:1"),
    ]);
}

#[test]
fn switches() {
    let source = "def f(x) { switch (x) {
            case 1: return 'one'
            case 'a': case 'b': return 'letter'
            case [5, 6]: return 'list'
            case 10..20: return 'range'
            case ~/x.*/: return 'pattern'
            case Date: return 'date'
            case { it instanceof Integer && it > 100 }: return 'big'
            case null: return 'null'
            default: return 'other' } }
        def test() { [1, 'a', 'b', 6, 15, 'xyz', new Date(), 101, null, 3.5].collect { f(it) } }";
    let expected = "[one, letter, letter, list, range, pattern, date, big, null, other]";
    assert_eq!(call_test(source, &mut TestHost::new()), expected);
    check(&[
        ("def s = ''; switch (1) { case 1: s += 'a'; case 2: s += 'b'; break; default: s += 'c' }; s", "ab"),
        ("switch (3) { case 1: 'x'; break; default: 'd' }", "d"),
        ("switch ('q') {\ncase 'q':\n'value'\nbreak\n}", "value"),
        ("switch (9) { case 1: 'x' }", "null"),
    ]);
}

#[test]
fn exceptions() {
    check(&[
        ("try { 1 / 0 } catch (e) { e.message }", "Division by zero"),
        ("try { null.foo() } catch (NullPointerException e) { 'npe' }", "npe"),
        (
            "try { throw new IllegalStateException('bad') } catch (Exception e) { \"$e.message $e\" }",
            "bad IllegalStateException: bad",
        ),
        (
            "try { throw new Exception('x') } catch (IOException | RuntimeException e) { 1 } catch (Exception e) { 2 }",
            "2",
        ),
        ("try { 'x'.toInteger() } catch (NumberFormatException e) { e.message }", "For input string: \"x\""),
        ("def s = ''; try { s += 'a' } finally { s += 'b' }; s", "ab"),
        (
            "def s = ''; try { try { throw new Exception('q') } finally { s += 'f' } } catch (e) { s += e.message }; s",
            "fq",
        ),
        ("def f = { try { return 1 } finally { 2 } }; f()", "1"),
        ("try { 'x'.foo() } catch (MissingMethodException e) { 'missing' }", "missing"),
        ("try { nosuch } catch (MissingPropertyException e) { 'missing' }", "missing"),
        ("try { [1] as Date } catch (ClassCastException e) { 'cast' }", "cast"),
        ("throw new RuntimeException('out')", "RuntimeException: out @ 2:1"),
        ("assert 1 == 2", "AssertionError: assert 1 == 2 @ 2:1"),
        ("assert 1 == 2 : 'no'", "AssertionError: no @ 2:1"),
        ("try { assert false } catch (Exception e) { 1 } catch (AssertionError e) { 2 }", "2"),
    ]);
}

#[test]
fn trouble_that_no_script_can_catch() {
    check(&[
        ("try { 'x'.execute() } catch (Throwable e) { 1 }", "not supported: running a program of the system @ 2:7"),
        (
            "try { while (true) {} } catch (e) { 1 }",
            "the handler takes too many steps: it probably loops for ever @ 2:7",
        ),
        (
            "def l = []; try { while (true) { l << ('x' * 100000) } } catch (e) { 1 }",
            "the handler builds too much data @ 2:39",
        ),
        ("def f; f = { f() }; try { f() } catch (e) { 1 }", "calls are nested too deeply @ 2:14"),
        ("try { stop() } catch (e) { 1 }", "stopped by the platform @ 2:7"),
        ("new XmlSlurper()", "not supported: new XmlSlurper(…) @ 2:1"),
        ("MessageDigest.getInstance('MD5')", "not supported: MessageDigest.getInstance @ 2:1"),
    ]);
}

#[test]
fn methods() {
    let source = "def f(a, b = a + 1, c = 3) { [a, b, c] }
        def g(x) { x }
        private String typed(int n, String s) { s * n }
        def typed(String s) { 'text' }
        int rounded() { 7.9 }
        boolean truth() { 'x' }
        def getLimit() { 42 }
        void nothing() { return }
        def named(Map m, x) { \"$m $x\" }
        def rest(a, Object... more) { \"$a $more\" }
        static helper() { 'static' }
        def \"quoted name\"() { 'quoted' }
        def test() {
            [f(1), f(1, 5), f(1, 5, 9), g(), typed(2, 'x'), typed('q'), rounded(), truth(), limit, nothing(),
             named(1, a: 2, b: 3), rest(1), rest(1, 2, 3), helper(), 'quoted name'(), this.g(4)]
        }";
    let expected = "[[1, 2, 3], [1, 5, 3], [1, 5, 9], null, xx, text, 7, true, 42, null, [a:2, b:3] 1, 1 [], 1 [2, 3], \
                    static, quoted, 4]";
    assert_eq!(call_test(source, &mut TestHost::new()), expected);
    let wrong = "def f(int n) { n }\ndef test() { f('x') }";
    let expected = "MissingMethodException: no method f(String 'x') on the app @ 2:14";
    assert_eq!(call_test(wrong, &mut TestHost::new()), expected);
}

#[test]
fn dynamic_names() {
    let source = "def one(x) { \"one $x\" }
        def test() {
            def n = 'one'; def i = 1
            [\"$n\"(5), this.\"$n\"(6), \"${n}\"(7), settings[\"x$i\"], settings.\"x${i + 1}\", this.\"x$i\", 'abc'.\"toUpper${'Case'}\"(), \"$n\" + '!']
        }";
    let expected = "[one 5, one 6, one 7, 11, 22, 11, ABC, one!]";
    assert_eq!(call_test(source, &mut TestHost::new()), expected);
}

#[test]
fn fields_and_undeclared_variables() {
    let source = "import groovy.transform.Field
        @Field def count = 5
        @Field static final int LIMIT = 7
        def bump() { count++; total = count + LIMIT }
        def test() { bump(); bump(); [count, total] }";
    assert_eq!(call_test(source, &mut TestHost::new()), "[7, 14]");
}

#[test]
fn declarations_and_conversions() {
    check(&[
        ("def (a, b) = [1, 2]; [b, a]", "[2, 1]"),
        ("def a, b = 2, c; [a, b, c]", "[null, 2, null]"),
        ("def a = 1; def b = 2; (a, b) = [b, a]; [a, b]", "[2, 1]"),
        (
            "int i = 3.9; long l = 5; double d = 2; String s = 12; boolean b = 'x'; [i, l, d, s + 1, b]",
            "[3, 5, 2.0, 121, true]",
        ),
        ("int i; boolean b; String s; [i, b, s]", "[0, false, null]"),
        ("Integer i = 'x'; i", "120"),
        ("Integer i = 'xx'; i", "GroovyCastException: cannot make String 'xx' a Integer @ 2:13"),
        ("List<String> l = ['a']; Map<String, List<Integer>> m = [a: [1]]; l + m", "[a, [a:[1]]]"),
        ("final x = 1; final String y = 'z'; \"$x$y\"", "1z"),
        ("'12' as Integer", "12"),
        (
            "['5' as int, '2.5' as BigDecimal, 3.7 as int, 5 as String, '1.5' as float, '7' as Long]",
            "[5, 2.5, 3, 5, 1.5, 7]",
        ),
        ("(int) 3.9 + (int) -3.9", "0"),
        ("(String) 5 + (double) 2", "52.0"),
        ("def x = 4; (x) + 1", "5"),
        ("([1, 1, 2] as Set).size()", "2"),
        ("null as int", "GroovyCastException: cannot make null a int @ 2:1"),
        ("null as Integer", "null"),
        ("new int[3]", "[0, 0, 0]"),
        ("String[] a = ['x', 'y']; a.length + a[0]", "2x"),
        ("def x = 5 as String; x.size()", "1"),
        ("int x = 5; x = 7 / 2; x", "3"),
    ]);
}

#[test]
fn regular_expressions() {
    check(&[
        ("'abc123' ==~ /[a-z]+\\d+/", "true"),
        ("'abc123' ==~ /[a-z]+/", "false"),
        ("('a1b22' =~ /\\d+/) ? 'found' : 'none'", "found"),
        ("def m = 'k=v' =~ /(\\w)=(\\w)/; m[0][1] + m[0][2] + m.count", "kv1"),
        ("def m = 'k=v' =~ /(\\w)=(\\w)/; m.matches() ? m.group(2) : ''", "v"),
        ("def m = 'a1b22' =~ /\\d+/; m[1]", "22"),
        ("('a1b22' =~ /\\d+/).collect { it }", "[1, 22]"),
        ("'2001-02-03'.replaceAll(/(\\d+)-(\\d+)/, '$2/$1')", "02/2001-03"),
        ("'aXbX'.replaceAll('X') { it.toLowerCase() + '!' }", "ax!bx!"),
        ("def p = ~/ab+/; p.matcher('abb').matches() && 'abb'.matches('ab+')", "true"),
        ("'x' ==~ /(?=x)x/", "not supported: the regular expression /(?=x)x/ @ 2:1"),
    ]);
}

#[test]
fn command_style_calls_and_named_arguments() {
    let done = effects(
        "log.debug \"x ${1 + 1}\"
        input \"a\", \"capability.switch\", title: \"T\", required: false
        input(\"b\", \"number\", title: 'N', )
        input name: \"c\", type: \"enum\",
            options: [\"x\", \"y\"]
        input [name: 'd']
        section(\"s\") {
            input 'e', 'bool'
        }
        section {
            log.info 'inner'
        }
        section 'plain', { input 'f' }
        def label = section('value') { 5 }
        log.warn label
        runIn 60, handler
        sendPush('never')",
    );
    let expected = [
        "log.debug(x 2)",
        "input([title:T, required:false], a, capability.switch)",
        "input([title:N], b, number)",
        "input([name:c, type:enum, options:[x, y]])",
        "input([name:d])",
        "section(s)",
        "input(e, bool)",
        "section()",
        "log.info(inner)",
        "section(plain)",
        "input(f)",
        "section(value)",
        "log.warn(5)",
        "MissingPropertyException: no property handler on the app @ 17:19",
    ];
    assert_eq!(done, expected);
}

#[test]
fn method_names_as_values() {
    let source = "def handler(evt) { }
        def test() { subscribe(switches, 'switch.on', handler); runIn(5, \"handler\"); runIn 5, handler, [overwrite: false] }";
    let mut host = TestHost::new();
    call_test(source, &mut host);
    let expected = [
        "subscribe(object of kind 1, switch.on, handler)",
        "runIn(5, handler)",
        "runIn(5, handler, [overwrite:false])",
    ];
    assert_eq!(host.done, expected);
}

#[test]
fn host_objects() {
    check(&[
        ("switches.collect { it.name }", "[switch 0, switch 1]"),
        ("switches*.name + switches.name", "[switch 0, switch 1, switch 0, switch 1]"),
        ("switches[0].name + switches.size() + switches.first()", "switch 02switch 0"),
        ("switches.find { it.name == 'switch 1' }?.displayName", "switch 1"),
        ("switches.any { it.currentSwitch == 'on' } || switches.currentSwitch == ['off', 'off']", "true"),
        ("switches[1].on(); switches.findAll { it.currentSwitch == 'on' }.size()", "1"),
        ("\"$switches.name ${switches[0]}\"", "[switch 0, switch 1] switch 0"),
        ("switches[0] == switches.first() && switches[0] != switches[1]", "true"),
        ("switches[0].getName()", "switch 0"),
        ("switches[0].nope", "MissingPropertyException: no property nope on Device 'switch 0' @ 2:1"),
        ("switches[0].nope(1)", "MissingMethodException: no method nope(Integer '1') on Device 'switch 0' @ 2:1"),
        ("switches.collectEntries { [(it.name): it.currentSwitch] }", "[switch 0:off, switch 1:off]"),
        ("for (s in switches) { if (s.name.endsWith('1')) return s }", "switch 1"),
        ("unset ?: 'none'", "none"),
        ("unset.foo", "NullPointerException: Cannot get property 'foo' on null object @ 2:1"),
        ("state.n = 1; state.n += 1; state.list = []; state.list << 5; state", "[n:2, list:[5]]"),
    ]);
    assert_eq!(effects("switches*.on(); switches.off(); switches.each { it.on() }").len(), 5);
}

#[test]
fn line_rules() {
    check(&[
        ("def x = [3, 1, 2]\n  .sort()\n  .collect { it * 2 }\n  .findAll { it > 2 }\nx", "[4, 6]"),
        ("def s = 'a' +\n 'b'\ns", "ab"),
        ("def m = null\n ?.foo\nm", "null"),
        ("def x = 1 // comment\n/* block\ncomment */ def y = 2 ; x + y", "3"),
        ("def f = { a,\n b ->\n a + b\n}\nf(1,\n2)", "3"),
        ("return\n5", "null"),
        ("def a = 1; def b = 2;; a + b;", "3"),
        ("def x = 5\n-1\nx", "5"),
        ("def x = (5\n-1)\nx", "4"),
    ]);
    let crlf = "\u{feff}def test() {\r\n\tdef x = 1\r\n\tif (x)\r\n\t{\r\n\t\treturn 'crlf'\r\n\t}\r\n}\r\n";
    assert_eq!(call_test(crlf, &mut TestHost::new()), "crlf");
    let on_next_line = "preferences\n{\n section('x')\n {\n input 'y'\n }\n}\ndef test() { 1 }";
    assert_eq!(call_test(on_next_line, &mut TestHost::new()), "1");
}

#[test]
fn classes_are_read_over_and_refused_when_used() {
    let source = "class Thing { int x\n def f() { \"${x}\" } }\ndef test() { new Thing() }";
    assert_eq!(call_test(source, &mut TestHost::new()), "not supported: new Thing(…) @ 3:14");
}

#[test]
fn time_category() {
    let source = "import groovy.time.TimeCategory\ndef test() {
        def d = new Date(0)
        def later = use(TimeCategory) { d + 5.minutes + 1.day }
        def span
        use (TimeCategory) { span = 90.seconds + 1.hour }
        \"${later.time} $span\" }";
    assert_eq!(call_test(source, &mut TestHost::new()), "86700000 1 hours, 1 minutes, 30.000 seconds");
    assert_eq!(eval("5.minutes"), "MissingPropertyException: no property minutes on Integer '5' @ 2:1");
}
