//! The library: one test per group of methods.

mod support;

use support::{TestHost, call_test, check};

#[test]
fn texts() {
    check(&[
        ("'Hello'.length() + 'Hello'.size()", "10"),
        (
            "['aB'.toUpperCase(), 'aB'.toLowerCase(), 'ab'.capitalize(), 'AB'.uncapitalize(), ' x '.trim()]",
            "[AB, ab, Ab, aB, x]",
        ),
        (
            "['abc'.contains('b'), 'abc'.startsWith('ab'), 'abc'.endsWith('x'), ''.isEmpty()]",
            "[true, true, false, true]",
        ),
        ("['abcb'.indexOf('b'), 'abcb'.lastIndexOf('b'), 'abcb'.indexOf('b', 2), 'a'.indexOf('x')]", "[1, 3, 3, -1]"),
        (
            "['abcdef'.substring(2), 'abcdef'.substring(1, 3), 'abc'.take(2), 'abc'.drop(2), 'abc'.takeRight(1)]",
            "[cdef, bc, ab, c, c]",
        ),
        ("'abc'.substring(5)", "IndexOutOfBoundsException: index 5 of 3 elements @ 2:1"),
        (
            "['a.b'.replace('.', '-'), 'a1b2'.replaceAll('[0-9]', '#'), 'aab'.replaceFirst('a', 'x')]",
            "[a-b, a#b#, xab]",
        ),
        (
            "['a,b,,c,,'.split(','), 'a b  c'.split(), 'a:b:c'.split(':', 2), 'a1b'.split('')]",
            "[[a, b, , c], [a, b, c], [a, b:c], [a, 1, b]]",
        ),
        ("['a, b;c'.tokenize(', ;'), ' a  b '.tokenize()]", "[[a, b, c], [a, b]]"),
        ("['7'.padLeft(3, '0'), 'x'.padRight(3) + '|', 'x'.center(5, '*')]", "[007, x  |, **x**]"),
        (
            "['12'.toInteger(), '3'.toLong(), '1.5'.toDouble(), '2.50'.toBigDecimal(), 'true'.toBoolean(), '1'.toFloat()]",
            "[12, 3, 1.5, 2.50, true, 1.0]",
        ),
        (
            "['12'.isNumber(), '1.5'.isNumber(), 'x'.isNumber(), '12'.isInteger(), '1.5'.isInteger(), '1.5'.isFloat()]",
            "[true, true, false, true, false, true]",
        ),
        ("'12.5'.toInteger()", "NumberFormatException: For input string: \"12.5\" @ 2:1"),
        (
            "['a'.equals('a'), 'a'.equalsIgnoreCase('A'), 'a'.compareTo('b'), 'ab'.reverse(), 'a'.next()]",
            "[true, true, -1, ba, b]",
        ),
        ("'abc'.toList() + 'abc'.collect { it + it } + ['x'] + 'ab'.each { }", "[a, b, c, aa, bb, cc, x, ab]"),
        ("'abcabc'.count('b') + 'line1\\nline2'.readLines().size()", "4"),
        ("'a1b22'.find(/\\d+/) + 'a1b22'.findAll(/\\d+/)", "1[1, 22]"),
        ("'abc'.getBytes() + 'é'.bytes", "[97, 98, 99, -61, -87]"),
        (
            "'hi there'.encodeAsBase64() + ' ' + new String('aGk='.decodeBase64()) + ' ' + 'abc'.bytes.encodeHex()",
            "aGkgdGhlcmU= hi 616263",
        ),
        ("URLEncoder.encode('a b&c/é', 'UTF-8') + ' ' + URLDecoder.decode('a+b%26', 'UTF-8')", "a+b%26c%2F%C3%A9 a b&"),
        ("'  a\\n   b'.stripIndent()", "a\n b"),
        ("new StringBuilder('a').append('b').append(1).toString() + (new StringBuffer() << 'x' << 'y')", "ab1xy"),
        ("'hello'.hashCode()", "99162322"),
    ]);
}

#[test]
fn lists() {
    check(&[
        ("def l = [1]; l.add(2); l.addAll([3, 4]); l.add(0, 0); l.push(5); l", "[0, 1, 2, 3, 4, 5]"),
        ("def l = [5, 6, 7]; def r = l.remove(0); l.removeElement(7); [l, r]", "[[6], 5]"),
        ("def l = ['a', 'b', 'a']; l.remove('a'); l.removeAll(['b']); l", "[a]"),
        ("def l = [1, 2, 3, 4]; l.removeAll { it % 2 == 0 }; l.retainAll([1]); l", "[1]"),
        (
            "[[3, 1, 2].sort(), [3, 1, 2].sort { -it }, [3, 1].sort { a, b -> a <=> b }, ['b', 'a'].sort()]",
            "[[1, 2, 3], [3, 2, 1], [1, 3], [a, b]]",
        ),
        (
            "def l = [3, 1]; def s = l.sort(false); def t = l.toSorted(); [l, s, t, l.sort(), l]",
            "[[1, 3], [1, 3], [1, 3], [1, 3], [1, 3]]",
        ),
        (
            "[[1, 2, 3].find { it > 1 }, [1, 2, 3].findAll { it > 1 }, [1].find { it > 5 }, [0, 2].find()]",
            "[2, [2, 3], null, 2]",
        ),
        (
            "[[1, 2].any { it > 1 }, [1, 2].every { it > 1 }, [].any { true }, [].every { false }]",
            "[true, false, false, true]",
        ),
        (
            "[[1, 2, 2].count(2), [1, 2, 3].count { it > 1 }, [1, 2].sum(), [1, 2].sum { it * 10 }, [].sum(), ['a', 'b'].sum()]",
            "[2, 2, 3, 30, null, ab]",
        ),
        ("[[3, 1, 2].min(), [3, 1, 2].max(), ['aa', 'b'].max { it.size() }, [].max()]", "[1, 3, aa, null]"),
        (
            "[[1, 2, 2, 1].unique(), [1, 2, 1] as Set, [1, [2, [3]]].flatten(), [1, 2].reverse()]",
            "[[1, 2], [1, 2], [1, 2, 3], [2, 1]]",
        ),
        (
            "[[1, 2, 3].first(), [1, 2, 3].last(), [1, 2, 3].head(), [1, 2, 3].tail(), [1, 2, 3].init()]",
            "[1, 3, 1, [2, 3], [1, 2]]",
        ),
        ("[].first()", "NoSuchElementException: Cannot access first() element from an empty List @ 2:1"),
        (
            "[[1, 2, 3].take(2), [1, 2, 3].drop(2), [1, 2, 3, 4].collate(3), [1, 2, 3].subList(0, 2)]",
            "[[1, 2], [3], [[1, 2, 3], [4]], [1, 2]]",
        ),
        ("[[1, 2].join('-'), [1, 2].join(), ['a', null].join(',')]", "[1-2, 12, a,null]"),
        (
            "[[1, 2].contains(2), [1, 2].containsAll([1]), [1, 2].indexOf(2), [1, 2].isEmpty(), [1, 2].size()]",
            "[true, true, 1, false, 2]",
        ),
        ("['a', 'b'].collectEntries { [it, it * 2] } + [1].collectEntries { [(it): 'x'] }", "[a:aa, b:bb, 1:x]"),
        ("[1, 2, 3, 4].groupBy { it % 2 == 0 ? 'even' : 'odd' }", "[odd:[1, 3], even:[2, 4]]"),
        ("[[1, 2, 3].inject { a, b -> a * b }, ['a', 'b', 'a'].countBy { it }]", "[6, [a:2, b:1]]"),
        ("def s = ''; ['a', 'b'].eachWithIndex { x, i -> s += \"$i$x\" }; s", "0a1b"),
        ("[[1, 2], [3, 4]].transpose() + [[1, 2], [3]].collectMany { it }", "[[1, 3], [2, 4], 1, 2, 3]"),
        ("[[1, 2, 3].intersect([2, 3, 4]), [1].disjoint([2]), [1, 2, 3].findIndexOf { it == 2 }]", "[[2, 3], true, 1]"),
        (
            "[[1, 2, 3, 4].split { it > 2 }, [1, 'a', 2].grep(Integer), ['a', 'bb'].findResult { it.size() > 1 ? it : null }]",
            "[[[3, 4], [1, 2]], [1, 2], bb]",
        ),
        (
            "def l = [1, 2, 3]; [l.pop(), l, l.getAt(0), l.get(1), l.indices, l.clear(), l]",
            "[3, [], 1, 2, [0, 1], null, []]",
        ),
        ("def it2 = [1, 2].iterator(); def s = 0; while (it2.hasNext()) s += it2.next(); s", "3"),
        ("['a', 'b'].withIndex() + [5].indexed()", "[[a, 0], [b, 1], [0:5]]"),
        ("[4, 5].getAt(1) + [1, 2, 3].takeWhile { it < 3 }.size() + [1, 2, 3].dropWhile { it < 3 }[0]", "10"),
        ("[1, 2].permutations()", "not supported: the list method permutations @ 2:1"),
        ("[1, 2].nope()", "MissingMethodException: no method nope() on ArrayList '[1, 2]' @ 2:1"),
        ("null.each { 1 / 0 }; null.findAll { true }", "[]"),
        ("5.each { x -> x }", "5"),
    ]);
}

#[test]
fn maps() {
    check(&[
        ("def m = [a: 1]; m.put('b', 2); m.putAll([c: 3]); m.remove('a'); m", "[b:2, c:3]"),
        (
            "def m = [a: 1, b: null]; [m.size(), m.isEmpty(), m.containsKey('b'), m.containsKey('x'), m.containsValue(1)]",
            "[2, false, true, false, true]",
        ),
        ("def m = [a: 1]; [m.get('x', 5), m, m.getOrDefault('y', 6), m.putIfAbsent('a', 9)]", "[5, [a:1, x:5], 6, 1]"),
        (
            "def m = [a: 1, b: 2]; [m.keySet(), m.values(), m.entrySet().collect { it.key + it.value }]",
            "[[a, b], [1, 2], [a1, b2]]",
        ),
        ("def s = ''; [a: 1, b: 2].each { s += it.key + it.value }; [c: 3].each { k, v -> s += k + v }; s", "a1b2c3"),
        (
            "def s = ''; [a: 1, b: 2].eachWithIndex { e, i -> s += \"$i$e.key\" }; [c: 3].eachWithIndex { k, v, i -> s += \"$k$v$i\" }; s",
            "0a1bc30",
        ),
        ("[a: 1, b: 2, c: 3].findAll { it.value > 1 } + [x: 5].findAll { k, v -> k == 'y' }", "[b:2, c:3]"),
        (
            "[[a: 1, b: 2].find { it.value == 2 }.key, [a: 1].find { k, v -> v == 9 }, [a: 1].any { k, v -> v == 1 }, [a: 1].every { it.value == 2 }]",
            "[b, null, true, false]",
        ),
        (
            "[[a: 1, b: 2].collect { it.value }, [a: 1].collectEntries { k, v -> [v, k] }, [a: 1, b: 2].count { it.value > 1 }]",
            "[[1, 2], [1:a], 1]",
        ),
        (
            "[[b: 1, a: 2].sort(), [b: 1, a: 2].sort { it.value }, [a: 1, b: 5].max { it.value }.key]",
            "[[a:2, b:1], [b:1, a:2], b]",
        ),
        (
            "[[a: 1, b: 2].inject(0) { s, k, v -> s + v }, [a: 1, b: 1].groupBy { it.value }, [a: 1, b: 2].subMap(['b'])]",
            "[3, [1:[a:1, b:1]], [b:2]]",
        ),
        ("def m = [a: 1]; m.each { it.value }; m.clear(); m.isEmpty()", "true"),
        ("[a: 1].toString() + [a: [b: 'c']]", "[a:1][a:[b:c]]"),
        ("[a: 1] as HashMap", "[a:1]"),
        ("[a: 1, b: 2].removeAll { k, v -> v == 1 }", "true"),
        ("new HashMap([a: 1]) + new LinkedHashMap()", "[a:1]"),
    ]);
}

#[test]
fn numbers() {
    check(&[
        (
            "[-5.abs(), 3.7.intValue(), 3.toDouble(), 7.intdiv(2), 5.toString() + 1, 3.7.toInteger()]",
            "[-5, 3, 3.0, 3, 51, 3]",
        ),
        (
            "[(-5).abs(), Math.abs(-2.5), Math.max(1, 2.5), Math.min(3, 2L), Math.floor(2.7), Math.ceil(2.1), Math.round(2.5)]",
            "[5, 2.5, 2.5, 2, 2.0, 3.0, 3]",
        ),
        ("[2.345.round(2), 2.5d.round(), 2.344d.round(2), 7.round(), 2.4.round()]", "[2.35, 3, 2.34, 7, 2]"),
        (
            "[Math.sqrt(16), Math.pow(2, 3), Math.PI > 3.14, Math.toRadians(180) == Math.PI, Math.sin(0)]",
            "[4.0, 8.0, true, true, 0.0]",
        ),
        (
            "[Integer.parseInt('42'), Integer.parseInt('ff', 16), Integer.toHexString(255), Long.parseLong('7'), Double.parseDouble('1.5'), Integer.valueOf('3'), Float.parseFloat('2')]",
            "[42, 255, ff, 7, 1.5, 3, 2.0]",
        ),
        ("Integer.parseInt('x')", "NumberFormatException: For input string: \"x\" @ 2:1"),
        (
            "[Integer.MAX_VALUE, Long.MAX_VALUE, new BigDecimal('1.50'), new Float('2.5'), new BigInteger('12')]",
            "[2147483647, 9223372036854775807, 1.50, 2.5, 12]",
        ),
        (
            "def s = ''; 3.times { s += it }; 1.upto(3) { s += it }; 3.downto(1) { s += it }; 0.step(10, 5) { s += it }; s",
            "01212332105",
        ),
        (
            "[String.format('%02d:%02d', 5, 7), String.format('%.2f', 3.14159), String.format('%5s|%-5s|', 'a', 'b'), String.format('%x %X %%', 255, 255)]",
            "[05:07, 3.14,     a|b    |, ff FF %]",
        ),
        (
            "[String.format('%,d', 1234567), String.format('%+d', 5), String.format('%s %s', 'a', 1), String.format('%08.3f', 3.5)]",
            "[1,234,567, +5, a 1, 0003.500]",
        ),
        (
            "[new java.text.DecimalFormat('#.##').format(2.345), new java.text.DecimalFormat('0.00').format(5), new java.text.DecimalFormat('#,##0.0').format(1234.56), new java.text.DecimalFormat('00').format(7)]",
            "[2.34, 5.00, 1,234.6, 07]",
        ),
        (
            "[1.5.setScale(0, BigDecimal.ROUND_HALF_UP), 2.25.setScale(1, java.math.RoundingMode.DOWN), 10.mod(3), 2.power(3), 5.compareTo(3)]",
            "[2, 2.2, 1, 8, 1]",
        ),
        ("new Random().nextInt(10) + Math.random()", "0.0"),
        ("5.foo()", "MissingMethodException: no method foo() on Integer '5' @ 2:1"),
        ("[5.max(3), 7.next(), 7.previous(), 255.toString(16), 1.5.isNaN()]", "[5, 8, 6, ff, false]"),
    ]);
}

#[test]
fn dates() {
    check(&[
        ("new Date(0)", "Thu Jan 01 00:00:00 UTC 1970"),
        ("new Date()", "Thu Aug 01 21:14:40 UTC 2019"),
        ("new Date().time + now()", "3129388161792"),
        (
            "new Date(0).format('yyyy-MM-dd HH:mm:ss.SSS EEE MMMM d h:mm a')",
            "1970-01-01 00:00:00.000 Thu January 1 12:00 AM",
        ),
        (
            "new Date(0).format(\"yyyy-MM-dd'T'HH:mm:ssZ\", TimeZone.getTimeZone('GMT-05:00'))",
            "1969-12-31T19:00:00-0500",
        ),
        ("new Date().format('HH:mm z', TimeZone.getTimeZone('America/New_York'))", "17:14 America/New_York"),
        (
            "new Date().format('HH', TimeZone.getTimeZone('Mars/Olympus'))",
            "not supported: the time zone Mars/Olympus @ 2:1",
        ),
        (
            "def f = new java.text.SimpleDateFormat('yyyy-MM-dd'); f.setTimeZone(TimeZone.getTimeZone('UTC')); f.format(new Date(86400000L))",
            "1970-01-02",
        ),
        ("Date.parse('yyyy-MM-dd HH:mm', '2020-02-29 12:30').time", "1582979400000"),
        ("Date.parse(\"yyyy-MM-dd'T'HH:mm:ss.SSSZ\", '2015-01-09T15:50:32.000-0600').time", "1420840232000"),
        ("Date.parse('yyyy', 'x')", "ParseException: Unparseable date: \"x\" @ 2:1"),
        ("new java.text.SimpleDateFormat('h:mm a').parse('3:05 PM').time", "54300000"),
        (
            "def d = new Date(0); [(d + 1).time, (d - 1).time, (d + 3) - d, d.before(d + 1), d.after(d + 1), d < d + 1]",
            "[86400000, -86400000, 3, true, false, true]",
        ),
        (
            "def d = new Date(90061000L); [d.hours, d.minutes, d.seconds, d.date, d.month, d.year, d.day, d.getHours()]",
            "[1, 1, 1, 2, 0, 70, 5, 1]",
        ),
        ("new Date(90061000L).clearTime().time", "86400000"),
        (
            "def c = Calendar.getInstance(); c.setTime(new Date(0)); c.add(Calendar.MONTH, 1); c.set(Calendar.HOUR_OF_DAY, 5); [c.time.time, c.get(Calendar.DAY_OF_WEEK), c.get(Calendar.YEAR)]",
            "[2696400000, 1, 1970]",
        ),
        (
            "def d = new Date(90061000L); d.clearTime(); d.hours = 5; d.setMinutes(7); [d.time, new Date(119, 7, 1, 12, 0).time, new Date(hours: 0).hours]",
            "[104820000, 1564660800000, 0]",
        ),
        ("new Date().parse('yyyy-MM-dd', '1970-01-02').time", "86400000"),
        ("Calendar.instance.get(Calendar.DAY_OF_YEAR)", "213"),
    ]);
}

#[test]
fn json() {
    check(&[
        (
            "new groovy.json.JsonSlurper().parseText('{\"a\": [1, 2.5, true, null, \"x\\\\n\"], \"b\": {}}')",
            "[a:[1, 2.5, true, null, x\n], b:[:]]",
        ),
        (
            "groovy.json.JsonOutput.toJson([a: 1, b: ['x', null, true], c: 'q\"q'])",
            "{\"a\":1,\"b\":[\"x\",null,true],\"c\":\"q\\\"q\"}",
        ),
        ("new groovy.json.JsonBuilder([a: 1]).toString()", "{\"a\":1}"),
        ("new groovy.json.JsonBuilder([a: [1]]).toPrettyString()", "{\n    \"a\": [\n        1\n    ]\n}"),
        ("new groovy.json.JsonSlurper().parseText('{bad')", "JsonException: not JSON at character 1: bad @ 2:1"),
        ("try { new groovy.json.JsonSlurper().parseText('[' * 1000) } catch (e) { 'caught' }", "caught"),
    ]);
}

#[test]
fn values_that_contain_themselves() {
    let cases = [
        "def l = []; l << l; l.toString().size() > 5",
        "def m = [:]; m.m = m; \"$m\".size() > 5",
        "def l = []; l << l; l.hashCode() != 0 || true",
        "def l = []; 20000.times { l = [l] }; l.size() == 1",
        "def m = [:]; 20000.times { m = [m: m] }; m.size() == 1",
        "def c = { 1 }; 10000.times { def d = c; c = { d } }; c() != null",
    ];
    for case in cases {
        let source = format!("def test() {{ {case} }}");
        assert_eq!(call_test(&source, &mut TestHost::new()), "true", "{case}");
    }
    check(&[("def a = []; a << a; def b = []; b << b; a == b", "calls are nested too deeply @ 2:41")]);
}
