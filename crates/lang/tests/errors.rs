//! Every error of the parser and the compiler: what it says, which text it marks and what stands there.

use mazurka_lang::{CompileError, compile};

/// A source, what is wrong with it, the text that is marked and what was expected there.
type Case = (&'static str, &'static str, &'static str, &'static str);

const SYNTAX: &[Case] = &[
    ("shared x; $", "unexpected character '$'", "$", "not part of the language"),
    ("shared é;", "unexpected character 'é'", "é", "not part of the language"),
    ("shared x; /* no end", "a comment that does not end", "/*", "expected `*/` after this"),
    ("thread t { assert(1, \"no end); }", "a text that does not end on its line", "\"", "expected a closing `\"`"),
    (
        "x = 1;",
        "expected a definition (include, const, enum, shared, mutex, cond, semaphore, rwlock, channel, handler, thread, message, def, event, never, eventually, always eventually or leads_to), found `x`",
        "x",
        "expected a definition (include, const, enum, shared, mutex, cond, semaphore, rwlock, channel, handler, thread, message, def, event, never, eventually, always eventually or leads_to)",
    ),
    (
        "shared x; always (x == 1);",
        "expected `eventually`, as in `always eventually (x == 0);`, found `(`",
        "(",
        "expected `eventually`, as in `always eventually (x == 0);`",
    ),
    (
        "shared x; (x == 1) leads_too (x == 0);",
        "expected `leads_to`, as in `(x == 1) leads_to (y == 1);`, found `leads_too`",
        "leads_too",
        "expected `leads_to`, as in `(x == 1) leads_to (y == 1);`",
    ),
    (
        "shared x[2]; leads_to(i in 0..2) (x[i] == 1) (x[i] == 2);",
        "expected `to`, as in `leads_to(i in 0..3) (x[i] == 1) to (y[i] == 1);`, found `(`",
        "(",
        "expected `to`, as in `leads_to(i in 0..3) (x[i] == 1) to (y[i] == 1);`",
    ),
    (
        "fair shared y;",
        "expected `thread`, `event` or `handler`, as in `fair event timeout { … }`, found `shared`",
        "shared",
        "expected `thread`, `event` or `handler`, as in `fair event timeout { … }`",
    ),
    ("shared x; eventually x == 1", "expected `;`, found the end of the file", "1", "expected `;` after this"),
    ("const = 1;", "expected the name of a constant, found `=`", "=", "expected the name of a constant"),
    (
        "shared lock;",
        "expected the name of a shared variable, found `lock`",
        "lock",
        "expected the name of a shared variable",
    ),
    ("const N;", "expected `=`, found `;`", ";", "expected `=`"),
    ("shared x", "expected `;`, found the end of the file", "x", "expected `;` after this"),
    ("include lib;", "expected a text in quotes, found `lib`", "lib", "expected a text in quotes"),
    ("include \"lib.mz\"", "expected `;`, found the end of the file", "\"", "expected `;` after this"),
    ("include \"lib.mz;", "a text that does not end on its line", "\"", "expected a closing `\"`"),
    ("thread t { include \"lib.mz\"; }", "expected a statement, found `include`", "include", "expected a statement"),
    (
        "include \"lib.mz\"; thread t { }",
        "`lib.mz` cannot be included: this program is not a file",
        "\"lib.mz\"",
        "expected a .mz file, named as seen from this one",
    ),
    ("enum { a }", "expected the name of an enum, found `{`", "{", "expected the name of an enum"),
    ("enum c;", "expected `{`, found `;`", ";", "expected `{`"),
    ("enum c { a b }", "expected `,` or `}`, found `b`", "b", "expected `,` or `}`"),
    ("enum c { 5 }", "expected the name of a constant, found `5`", "5", "expected the name of a constant"),
    ("enum c { a = }", "expected an expression, found `}`", "}", "expected an expression"),
    ("enum c { a", "expected `,` or `}`, found the end of the file", "", "expected `,` or `}`"),
    ("shared x: 5;", "expected the name of an enum, found `5`", "5", "expected the name of an enum"),
    ("thread t { let r: c; }", "expected `=`, found `;`", ";", "expected `=`"),
    ("shared a[2;", "expected `]`, found `;`", ";", "expected `]`"),
    ("shared a[2] = [1 2];", "expected `,` or `]`, found `2`", "2", "expected `,` or `]`"),
    ("mutex 5;", "expected the name of a mutex, found `5`", "5", "expected the name of a mutex"),
    (
        "cond 5;",
        "expected the name of a condition variable, found `5`",
        "5",
        "expected the name of a condition variable",
    ),
    (
        "channel c;",
        "expected how many values the channel holds, as in `channel c(2);`, found `;`",
        ";",
        "expected how many values the channel holds, as in `channel c(2);`",
    ),
    (
        "semaphore s; thread t { let r = acquire(s); }",
        "`acquire` has no value",
        "acquire",
        "expected a value; `acquire(…);` is a statement",
    ),
    (
        "channel c(1); thread t { send(c); }",
        "expected `,` and the value to send, found `)`",
        ")",
        "expected `,` and the value to send",
    ),
    ("handler 5;", "expected the name of a handler, found `5`", "5", "expected the name of a handler"),
    ("thread 5 { }", "expected the name of a thread, found `5`", "5", "expected the name of a thread"),
    (
        "thread t(0..3) { }",
        "expected the name of the family's parameter, as in `(i in 0..3)`, found `0`",
        "0",
        "expected the name of the family's parameter, as in `(i in 0..3)`",
    ),
    ("thread t(i = 0..3) { }", "expected `in`, found `=`", "=", "expected `in`"),
    ("thread t(i in 0, 3) { }", "expected `..`, found `,`", ",", "expected `..`"),
    ("thread t", "expected `{`, found the end of the file", "", "expected `{`"),
    ("thread t { ", "a block that does not end", "{", "expected a `}` that closes this"),
    ("message 5() { }", "expected the name of a message, found `5`", "5", "expected the name of a message"),
    ("def 5() { }", "expected the name of a function, found `5`", "5", "expected the name of a function"),
    ("def f(5) { }", "expected the name of a parameter, found `5`", "5", "expected the name of a parameter"),
    ("event 5 { }", "expected the name of an event, found `5`", "5", "expected the name of an event"),
    ("event e when { }", "expected an expression, found `{`", "{", "expected an expression"),
    ("thread t { 5; }", "expected a statement, found `5`", "5", "expected a statement"),
    ("thread t { let r = 1 }", "expected `;`, found `}`", "1", "expected `;` after this"),
    (
        "thread t { let 5 = 1; }",
        "expected the name of a local variable, found `5`",
        "5",
        "expected the name of a local variable",
    ),
    (
        "shared x; thread t { x + 1; }",
        "expected `=`, `+=`, `++` or a call, found `+`",
        "+",
        "expected `=`, `+=`, `++` or a call",
    ),
    ("thread t { if 1 x = 2; }", "expected `{`, found `x`", "x", "expected `{`"),
    (
        "thread t { for 5 in 0..1 { } }",
        "expected the loop's variable, as in `for i in 0..3`, found `5`",
        "5",
        "expected the loop's variable, as in `for i in 0..3`",
    ),
    (
        "thread t { for (5; 1; 2) { } }",
        "expected the start of a loop, as in `for (let i = 0; i < 3; i += 1)`, found `5`",
        "5",
        "expected the start of a loop, as in `for (let i = 0; i < 3; i += 1)`",
    ),
    ("thread t { for (let i = 0) { } }", "expected `;`, found `)`", ")", "expected `;`"),
    ("thread t { for (let i = 0; i < 3) { } }", "expected `;`, found `)`", ")", "expected `;`"),
    ("thread t { for (let i = 0, j = 1; i < 3; i++) { } }", "expected `;`, found `,`", ",", "expected `;`"),
    (
        "thread t { for (let i = 0; i < 3; return) { } }",
        "expected what comes after each round, as in `for (let i = 0; i < 3; i += 1)`, found `return`",
        "return",
        "expected what comes after each round, as in `for (let i = 0; i < 3; i += 1)`",
    ),
    ("thread t { for (let i = 0; i < 3; i++ { } }", "expected `)`, found `{`", "{", "expected `)`"),
    ("thread t { for (;;) x = 1; }", "expected `{`, found `x`", "x", "expected `{`"),
    ("thread t { switch 1 x = 1; }", "expected `{`, found `x`", "x", "expected `{`"),
    (
        "thread t { switch (1) { x = 1; } }",
        "expected `case`, `default` or `}`, found `x`",
        "x",
        "expected `case`, `default` or `}`",
    ),
    ("thread t { switch (1) { case 1 break; } }", "expected `:`, found `break`", "break", "expected `:`"),
    ("thread t { switch (1) { case: break; } }", "expected an expression, found `:`", ":", "expected an expression"),
    ("thread t { switch (1) { default 1: } }", "expected `:`, found `1`", "1", "expected `:`"),
    ("thread t { switch (1) { case 1: ", "a block that does not end", "{", "expected a `}` that closes this"),
    ("thread t { case 1: }", "expected a statement, found `case`", "case", "expected a statement"),
    ("thread t { let a[2 = 1; }", "expected `]`, found `=`", "=", "expected `]`"),
    ("thread t { let a[2] 1; }", "expected `;`, found `1`", "]", "expected `;` after this"),
    (
        "def f() { } thread t { let a[2] = spawn f(); }",
        "a thread handle cannot be kept in an array",
        "2",
        "expected a local variable",
    ),
    ("thread t { do x = 1; }", "expected `{`, found `x`", "x", "expected `{`"),
    ("thread t { do { } }", "expected `while`, found `}`", "}", "expected `while`"),
    ("thread t { do { } while; }", "expected an expression, found `;`", ";", "expected an expression"),
    ("thread t { do { } while (1) }", "expected `;`, found `}`", ")", "expected `;` after this"),
    ("thread t { assert 1; }", "expected `(`, found `1`", "1", "expected `(`"),
    ("thread t { assert(1, 2); }", "expected a text in quotes, found `2`", "2", "expected a text in quotes"),
    ("thread t { lock(5); }", "expected a mutex, found `5`", "5", "expected a mutex"),
    ("thread t { wait(c); }", "expected `,`, found `)`", ")", "expected `,`"),
    ("thread t { signal(5); }", "expected a condition variable, found `5`", "5", "expected a condition variable"),
    (
        "thread t { join 5; }",
        "expected a thread handle, as in `let t = spawn f(); join t;`, found `5`",
        "5",
        "expected a thread handle, as in `let t = spawn f(); join t;`",
    ),
    ("thread t { post 5, m(); }", "expected a handler, found `5`", "5", "expected a handler"),
    ("thread t { post h m(); }", "expected `,`, found `m`", "m", "expected `,`"),
    ("thread t { post h, 5; }", "expected the name of a message, found `5`", "5", "expected the name of a message"),
    ("thread t { enable 5; }", "expected an event, found `5`", "5", "expected an event"),
    (
        "shared a[2]; thread t { a[0] = spawn f(); }",
        "a thread handle cannot be kept in an array",
        "0",
        "expected a local variable",
    ),
    (
        "shared x; thread t { x = cas(5, 0, 1); }",
        "expected a shared variable, found `5`",
        "5",
        "expected a shared variable",
    ),
    ("thread t { let r = (1; }", "expected `)`, found `;`", ";", "expected `)`"),
    (
        "thread t { let r = 9223372036854775808; }",
        "a number that does not fit into 64 bits",
        "9223372036854775808",
        "expected at most 9223372036854775807",
    ),
    (
        "thread t { let r = 0xFFFFFFFFFFFFFFFF; }",
        "a number that does not fit into 64 bits",
        "0xFFFFFFFFFFFFFFFF",
        "expected at most 9223372036854775807",
    ),
    ("thread t { let r = 1 ? 2; }", "expected `:`, found `;`", ";", "expected `:`"),
    ("thread t { let r = 1 ? : 2; }", "expected an expression, found `:`", ":", "expected an expression"),
    ("thread t { let r = ? 1 : 2; }", "expected an expression, found `?`", "?", "expected an expression"),
    ("thread t { let r = 1 : 2; }", "expected `;`, found `:`", "1", "expected `;` after this"),
    ("thread t { let r = 12abc; }", "expected `;`, found `abc`", "2", "expected `;` after this"),
];

const MEANING: &[Case] = &[
    ("shared x; mutex x;", "`x` is defined twice", "x", "this name belongs to a shared variable already"),
    ("shared a[2]; thread a { }", "`a` is defined twice", "a", "this name belongs to a shared array already"),
    ("enum c { }", "`c` has no constants", "c", "expected at least one"),
    ("enum c { a, a }", "`a` is defined twice", "a", "this name belongs to a constant already"),
    ("shared a; enum c { a }", "`a` is defined twice", "a", "this name belongs to a shared variable already"),
    ("enum c { a } shared c;", "`c` is defined twice", "c", "this name belongs to an enum already"),
    (
        "shared x; enum c { a = x }",
        "the value of a constant must be constant",
        "x",
        "expected numbers and constants only",
    ),
    (
        "enum c { a = 9223372036854775807, b }",
        "arithmetic overflow in the value of a constant",
        "b",
        "this has no value",
    ),
    ("shared x: c; enum c { a }", "`c` is not defined", "c", "expected a name that is defined"),
    ("const N = 1; shared x: N;", "`N` is a constant", "N", "expected an enum"),
    ("enum c { a } thread t { let r = c; }", "`c` is an enum", "c", "expected a variable"),
    ("enum c { a } thread t { a = 1; }", "`a` is a constant", "a", "expected a variable"),
    ("thread t { let r: c = 1; }", "`c` is not defined", "c", "expected a name that is defined"),
    ("enum c { a } def f() { } thread t { let r: c = [1]; }", "1 initial values", "[1]", "expected one value"),
    ("const N = x; shared x;", "`x` is not defined", "x", "expected a name that is defined"),
    (
        "shared x; const N = x + 1;",
        "the value of a constant must be constant",
        "x + 1",
        "expected numbers and constants only",
    ),
    (
        "shared x; const N = true ? 1 : x;",
        "the value of a constant must be constant",
        "true ? 1 : x",
        "expected numbers and constants only",
    ),
    ("const N = true ? 1 : y;", "`y` is not defined", "y", "expected a name that is defined"),
    (
        "const N = 0; const M = N ? 1 : 5 / N;",
        "division by zero in the value of a constant",
        "N ? 1 : 5 / N",
        "this has no value",
    ),
    (
        "shared x; thread t { assume(x ? 1 : cas(x, 0, 1)); }",
        "`cas` in a condition",
        "cas(x, 0, 1)",
        "a condition may only look",
    ),
    ("const N = 1 / 0;", "division by zero in the value of a constant", "1 / 0", "this has no value"),
    (
        "const N = 9223372036854775807 + 1;",
        "arithmetic overflow in the value of a constant",
        "9223372036854775807 + 1",
        "this has no value",
    ),
    ("shared x; shared a[x];", "a length must be constant", "x", "expected numbers and constants only"),
    ("shared a[0];", "a length of 0", "0", "expected 1 to 65536"),
    ("mutex m[65537];", "a length of 65537", "65537", "expected 1 to 65536"),
    ("shared x = y;", "`y` is not defined", "y", "expected a name that is defined"),
    (
        "shared x = choose(0..2);",
        "an initial value must be constant",
        "choose(0..2)",
        "expected numbers and constants only",
    ),
    ("shared a[2] = [1, 2, 3];", "3 initial values", "[1, 2, 3]", "expected 2 values"),
    ("shared x = [1];", "1 initial values", "[1]", "expected one value"),
    ("thread t(i in 3..0) { }", "a family of -3 members", "3..0", "expected 0 to 65536"),
    (
        "shared x; event e(i in 0..x) { }",
        "the range of a family must be constant",
        "x",
        "expected numbers and constants only",
    ),
    ("thread t { x = 1; }", "`x` is not defined", "x", "expected a name that is defined"),
    ("thread t { let r = y + 1; }", "`y` is not defined", "y", "expected a name that is defined"),
    ("thread t { f(); }", "`f` is not defined", "f", "expected a name that is defined"),
    ("thread t { let r = 1; let r = 2; }", "`r` is defined twice", "r", "a local variable has this name already"),
    (
        "thread t { for i in 0..2 { let i = 1; } }",
        "`i` is defined twice",
        "i",
        "a local variable has this name already",
    ),
    ("def f(a, a) { }", "`a` is defined twice", "a", "a local variable has this name already"),
    (
        "shared x; thread t { let x = 1; }",
        "a local variable named `x`",
        "x",
        "this name belongs to a shared variable already",
    ),
    ("thread t { { } }", "expected a statement, found `{`", "{", "expected a statement"),
    ("thread t { let a[0] = 1; }", "a length of 0", "0", "expected 1 to 65536"),
    ("shared x; thread t { let a[x] = 1; }", "a length must be constant", "x", "expected numbers and constants only"),
    ("thread t { let a[2] = [1, 2, 3]; }", "3 initial values", "[1, 2, 3]", "expected 2 values"),
    ("thread t { let a[2] = a[0]; }", "`a` is not defined", "a", "expected a name that is defined"),
    ("thread t { let a[2] = 0; let a = 1; }", "`a` is defined twice", "a", "a local variable has this name already"),
    ("thread t { let a[2] = 0; a[2] = 1; }", "index 2 is out of range", "2", "expected 0 to 1"),
    ("thread t { let a[2] = 0; let r = a[0 - 1]; }", "index -1 is out of range", "0 - 1", "expected 0 to 1"),
    ("thread t { let a[2] = 0; a = 1; }", "`a` has 2 elements", "a", "expected an index, as in `a[0]` up to `[1]`"),
    ("thread t { let a[2] = 0; a++; }", "`a` has 2 elements", "a", "expected an index, as in `a[0]` up to `[1]`"),
    ("thread t { let a[2] = 0; let r = a; }", "`a` has 2 elements", "a", "expected an index, as in `a[0]` up to `[1]`"),
    (
        "thread t { let a[2] = 0; let r = cas(a[0], 0, 1); }",
        "`a` is a local variable",
        "a",
        "expected a shared variable",
    ),
    (
        "thread t { let a[2] = 0; join a; }",
        "`a` is a local array",
        "a",
        "expected a thread handle, as in `let t = spawn f();`",
    ),
    ("thread t { let r = 1; r[0] = 2; }", "`r` is not an array", "0", "expected no index"),
    ("shared x; thread t { x[0] = 2; }", "`x` is not an array", "0", "expected no index"),
    ("shared x; thread t { let r = x[1]; }", "`x` is not an array", "1", "expected no index"),
    ("shared a[3]; thread t { a = 1; }", "`a` has 3 elements", "a", "expected an index, as in `a[0]` up to `[2]`"),
    (
        "event e(i in 2..4) { } thread t { enable e; }",
        "`e` has 2 elements",
        "e",
        "expected an index, as in `e[2]` up to `[3]`",
    ),
    ("shared a[3]; thread t { a[3] = 1; }", "index 3 is out of range", "3", "expected 0 to 2"),
    ("shared a[3]; thread t { let r = a[1 - 2]; }", "index -1 is out of range", "1 - 2", "expected 0 to 2"),
    ("event e(i in 2..4) { } thread t { enable e[1]; }", "index 1 is out of range", "1", "expected 2 to 3"),
    ("event e(i in 0..0) { } thread t { enable e[0]; }", "index 0 is out of range", "0", "expected 0 to -1"),
    ("mutex m; thread t { m = 1; }", "`m` is a mutex", "m", "expected a variable"),
    ("shared x; thread t { lock(x); }", "`x` is a shared variable", "x", "expected a mutex"),
    ("mutex m; thread t { signal(m); }", "`m` is a mutex", "m", "expected a condition variable"),
    ("cond c; mutex m; thread t { wait(m, c); }", "`m` is a mutex", "m", "expected a condition variable"),
    ("mutex m; thread t { post m, n(); } message n() { }", "`m` is a mutex", "m", "expected a handler"),
    ("handler h; def f() { } thread t { post h, f(); }", "`f` is a function", "f", "expected a message"),
    ("message m() { } thread t { m(); }", "`m` is a message", "m", "expected a function"),
    ("message m() { } thread t { spawn m(); }", "`m` is a message", "m", "expected a function"),
    ("thread s { } thread t { enable s; }", "`s` is a thread", "s", "expected an event"),
    ("const N = 1; thread t { N = 2; }", "`N` is a constant", "N", "expected a variable"),
    ("thread t { let r = 1; lock(r); }", "`r` is a local variable", "r", "expected a mutex"),
    ("def f(a) { } thread t { f(); }", "`f` is given 0", "f", "expected 1 argument"),
    ("def f() { } thread t { f(1); }", "`f` is given 1", "f", "expected 0 arguments"),
    ("handler h; message m(a, b) { } thread t { post h, m(1); }", "`m` is given 1", "m", "expected 2 arguments"),
    ("thread t { break; }", "`break` outside a loop", "break", "expected a loop or a `switch` around it"),
    (
        "thread t { switch (1) { default: continue; } }",
        "`continue` outside a loop",
        "continue",
        "expected a loop around it",
    ),
    (
        "shared x; thread t { switch (x) { case 1: x = 2; case 2: x = 3; } }",
        "`case 1` runs into the next case",
        "case 1",
        "expected `break`, `continue` or `return` at the end of its statements",
    ),
    (
        "shared x; thread t { switch (x) { default: if (x) { break; } case 2: x = 3; } }",
        "`default` runs into the next case",
        "default",
        "expected `break`, `continue` or `return` at the end of its statements",
    ),
    (
        "const N = 2; thread t { switch (1) { case 2: break; case N: break; } }",
        "a second case for 2",
        "case N",
        "expected each value once",
    ),
    (
        "thread t { switch (1) { default: break; case 1: default: break; } }",
        "a second `default`",
        "default",
        "expected at most one",
    ),
    (
        "shared x; thread t { switch (1) { case x: break; } }",
        "the value of a case must be constant",
        "x",
        "expected numbers and constants only",
    ),
    ("thread t { switch (1) { case y: break; } }", "`y` is not defined", "y", "expected a name that is defined"),
    (
        "thread t { switch (1) { case 1: let r = 1; break; default: r = 2; } }",
        "`r` is not defined",
        "r",
        "expected a name that is defined",
    ),
    ("thread t { continue; }", "`continue` outside a loop", "continue", "expected a loop around it"),
    (
        "thread t { for (let i = 0; i < 1; i++) { } let r = i; }",
        "`i` is not defined",
        "i",
        "expected a name that is defined",
    ),
    (
        "thread t { for (let i = 0; i < 1; i++) { let i = 1; } }",
        "`i` is defined twice",
        "i",
        "a local variable has this name already",
    ),
    ("thread t { do { let r = 1; } while (r); }", "`r` is not defined", "r", "expected a name that is defined"),
    ("thread t { return 1; }", "`return` with a value", "return 1", "only a `def` function returns a value"),
    ("event e { return 1; }", "`return` with a value", "return 1", "only a `def` function returns a value"),
    ("def f() { } thread t { let h = spawn f(); let r = h; }", "`h` is a thread handle", "h", "expected a number"),
    ("def f() { } thread t { let h = spawn f(); h = 1; }", "`h` is a thread handle", "h", "expected a variable"),
    (
        "def f() { } thread t { let h = spawn f(); let h = spawn f(); }",
        "`h` is defined twice",
        "h",
        "a local variable has this name already",
    ),
    ("def f() { } thread t { h = spawn f(); }", "`h` is not defined", "h", "expected a name that is defined"),
    (
        "def f() { } thread t { let r = 1; r = spawn f(); }",
        "`r` is a number",
        "r",
        "expected a thread handle, as in `let t = spawn f();`",
    ),
    (
        "shared x; def f() { } thread t { x = spawn f(); }",
        "`x` is a shared variable",
        "x",
        "expected a thread handle, as in `let t = spawn f();`",
    ),
    ("thread t { let r = 1; join r; }", "`r` is a number", "r", "expected a thread handle, as in `let t = spawn f();`"),
    (
        "shared x; thread t { join x; }",
        "`x` is a shared variable",
        "x",
        "expected a thread handle, as in `let t = spawn f();`",
    ),
    ("thread t { join r; }", "`r` is not defined", "r", "expected a name that is defined"),
    ("mutex m; event e { lock(m); }", "`lock` in an event", "lock(m)", "an event is one step: it cannot wait"),
    ("shared x; event e { assume(x); }", "`assume` in an event", "assume(x)", "an event is one step: it cannot wait"),
    (
        "shared x; event e { atomic { assume(x); } }",
        "`assume` in an event",
        "assume(x)",
        "an event is one step: it cannot wait",
    ),
    (
        "mutex m; thread t { atomic { lock(m); } }",
        "`lock` in an atomic block",
        "lock(m)",
        "one step cannot wait in its middle",
    ),
    (
        "mutex m; cond c; thread t { atomic { wait(c, m); } }",
        "`wait` in an atomic block",
        "wait(c, m)",
        "one step cannot wait in its middle",
    ),
    (
        "def f() { } thread t { let h = spawn f(); atomic { join h; } }",
        "`join` in an atomic block",
        "join h",
        "one step cannot wait in its middle",
    ),
    (
        "shared x; thread t { atomic { x = 1; assume(x); } }",
        "`assume` in an atomic block",
        "assume(x)",
        "one step cannot wait in its middle",
    ),
    (
        "shared x; thread t { atomic { atomic { assume(x); } } }",
        "`assume` in an atomic block",
        "assume(x)",
        "one step cannot wait in its middle",
    ),
    (
        "mutex m; def f() { lock(m); } thread t { atomic { f(); } }",
        "a call of `f`",
        "f",
        "one step cannot wait in its middle: this function waits",
    ),
    (
        "mutex m; def f() { g(); } def g() { lock(m); } event e { f(); }",
        "a call of `f`",
        "f",
        "one step cannot wait in its middle: this function waits",
    ),
    (
        "cond c[2]; mutex m; def w() { lock(m); return 0; } def f() { signal(c[w()]); } thread t { atomic { f(); } }",
        "a call of `f`",
        "f",
        "one step cannot wait in its middle: this function waits",
    ),
    (
        "handler h[2]; message n() { } mutex m; def w() { lock(m); return 0; } def f() { post h[w()], n(); } thread t { atomic { f(); } }",
        "a call of `f`",
        "f",
        "one step cannot wait in its middle: this function waits",
    ),
    (
        "shared x; def f() { x = 1; return 1; } thread t { assume(f()); }",
        "a call of `f`",
        "f",
        "a condition may only look: this function does more",
    ),
    (
        "shared x; def f() { assert(x); return 1; } event e when f() { }",
        "a call of `f`",
        "f",
        "a condition may only look: this function does more",
    ),
    (
        "def f() { return choose(0..2); } never f();",
        "a call of `f`",
        "f",
        "a condition may only look: this function does more",
    ),
    (
        "shared x; thread t { assume(cas(x, 0, 1)); }",
        "`cas` in a condition",
        "cas(x, 0, 1)",
        "a condition may only look",
    ),
    ("shared x; event e when swap(x, 1) { }", "`swap` in a condition", "swap(x, 1)", "a condition may only look"),
    (
        "shared x; eventually (fetch_add(x, 1) > 3);",
        "`fetch_add` in a condition",
        "fetch_add(x, 1)",
        "a condition may only look",
    ),
    (
        "shared x; def f() { x = 1; return 1; } (x == 0) leads_to (f() == 1);",
        "a call of `f`",
        "f",
        "a condition may only look: this function does more",
    ),
    (
        "shared x; def f() { progress; return 1; } always eventually (f() == x);",
        "a call of `f`",
        "f",
        "a condition may only look: this function does more",
    ),
    (
        "shared x; thread t { x = 1; } eventually (y == 1);",
        "`y` is not defined",
        "y",
        "expected a name that is defined",
    ),
    (
        "shared x; always eventually(i in 0..x) (x == i);",
        "the range of a family must be constant",
        "x",
        "expected numbers and constants only",
    ),
    (
        "shared x; never fetch_add(x, 1) > 3;",
        "`fetch_add` in a condition",
        "fetch_add(x, 1)",
        "a condition may only look",
    ),
    (
        "thread t { atomic { assume(choose(0..2)); } }",
        "`choose` in a condition",
        "choose(0..2)",
        "a condition may only look",
    ),
];

fn first_error(source: &str) -> mazurka_core::Diagnostic {
    match compile("test.mz", source, &[]) {
        Ok(_) => panic!("no error: {source}"),
        Err(CompileError::Source(errors)) => errors[0].clone(),
        Err(other) => panic!("{other:?}: {source}"),
    }
}

#[test]
fn every_error_names_the_place_and_what_was_expected() {
    for &(source, message, marked, label) in SYNTAX.iter().chain(MEANING) {
        let error = first_error(source);
        let found = (error.message.as_str(), &source[error.span.clone()], error.label.as_str());
        assert_eq!(found, (message, marked, label), "{source}");
    }
}

#[test]
fn a_word_of_the_language_is_explained() {
    assert_eq!(first_error("shared lock;").notes, ["that is a word of the language, so it cannot be a name"]);
    assert!(first_error("shared 5;").notes.is_empty());
}

#[test]
fn a_slip_of_the_pen_is_guessed() {
    let note = |source: &str| first_error(source).notes;
    assert_eq!(note("shared counter; thread t { couner = 1; }"), ["there is a `counter`"]);
    assert_eq!(note("shared counter; thread t { coutner = 1; }"), ["there is a `counter`"]);
    assert_eq!(note("shared Counter; thread t { counter = 1; }"), ["there is a `Counter`"]);
    assert!(note("shared counter; thread t { other = 1; }").is_empty());
}

#[test]
fn advice_says_where_a_wait_may_stand() {
    assert_eq!(
        first_error("mutex m; event e { lock(m); }").notes,
        ["a condition for the whole event goes behind `when`"]
    );
    assert_eq!(
        first_error("mutex m; thread t { atomic { lock(m); } }").notes,
        ["an `assume` may be the block's first statement: then the whole block waits for it"]
    );
}

#[test]
fn all_errors_of_meaning_are_told_at_once() {
    let error = compile("test.mz", "shared x; thread t { y = 1; lock(x); }\nthread u { z = 2; }", &[]);
    let Err(CompileError::Source(errors)) = error else { panic!("{error:?}") };
    let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
    assert_eq!(messages, ["`y` is not defined", "`x` is a shared variable", "`z` is not defined"]);
}

#[test]
fn a_constant_that_is_not_there_cannot_be_set() {
    let error = compile("test.mz", "const N = 1; const M = 2;", &[("K".to_owned(), 3)]);
    let known = vec!["N".to_owned(), "M".to_owned()];
    assert_eq!(error.err(), Some(CompileError::UnknownConstant { name: "K".to_owned(), known }));
}

#[test]
fn what_is_too_deep_or_too_large_is_an_error() {
    let message = |source: &str| first_error(source).message;
    assert_eq!(
        message(&format!("thread t {{ let r = {}1{}; }}", "(".repeat(300), ")".repeat(300))),
        "nested too deeply"
    );
    assert_eq!(message(&format!("thread t {{ let r = {}1; }}", "!".repeat(300))), "nested too deeply");
    assert_eq!(message(&format!("thread t {{ {} }}", "if 1 { ".repeat(300))), "nested too deeply");
    assert_eq!(message(&format!("thread t {{ if 1 {{ }} {} }}", "else if 1 { } ".repeat(300))), "nested too deeply");
    assert_eq!(message(&format!("thread t {{ {} }}", "do { ".repeat(300))), "nested too deeply");
    assert_eq!(message(&format!("thread t {{ {} }}", "switch (1) { case 1: ".repeat(300))), "nested too deeply");
    assert_eq!(message(&format!("thread t {{ {} }}", "for (;;) { ".repeat(300))), "nested too deeply");
    assert_eq!(message(&format!("thread t {{ let r = {}1; }}", "1 ? ".repeat(300))), "nested too deeply");
    assert_eq!(message(&format!("thread t {{ let r = {}1; }}", "1 ? 2 : ".repeat(300))), "nested too deeply");
    assert_eq!(message(&format!("thread t {{ let r = 1{}; }}", " + 1".repeat(3000))), "an expression that is too long");
    assert_eq!(message(&" ".repeat(5 << 20)), "the file has 5242880 bytes: too large for a program");
    let locals: String = (0..2500).map(|i| format!("let v{i} = 0; ")).collect();
    assert_eq!(message(&format!("\nthread t {{ {locals} }}")), "too many local values at once in line 2");
    assert_eq!(message("\n\nthread t { let a[2001] = 0; }"), "too many local values at once in line 3");
    assert_eq!(message("thread t { let a[1000] = 0; let b[65536]; }"), "too many local values at once in line 1");
    let arrays: String = (0..5).map(|i| format!("shared a{i}[65536]; ")).collect();
    let too_many = "the program has too many variables, locks, handlers, threads and events";
    assert_eq!(message(&format!("{arrays} message m() {{ }} never a0[0];")), too_many);
    let threads: String = (0..5).map(|i| format!("thread a{i}(i in 0..65536) {{ }} ")).collect();
    assert_eq!(message(&threads), too_many);
    let functions: String = (0..65_536).map(|i| format!("def f{i}() {{ }} ")).collect();
    assert_eq!(message(&functions), "the program has too many functions or messages");
}

#[test]
fn what_is_large_but_not_too_large_is_compiled() {
    let compiles = |source: &str| assert!(compile("test.mz", source, &[]).is_ok());
    compiles(&format!("shared x; thread t {{ x = x{}; }}", " + 1".repeat(900)));
    compiles(&format!("shared x; thread t {{ {} }}", "x = x + 1; ".repeat(20_000)));
    // As deep as it gets.
    compiles(&format!("shared x; thread t {{ x = {}x{}; }}", "x ? ".repeat(190), " : x".repeat(190)));
    compiles(&format!("shared x; thread t {{ x = {}x; }}", "x ? x : ".repeat(190)));
    compiles(&format!("shared x; thread t {{ {}{} }}", "switch (x) { case 1: ".repeat(190), "} ".repeat(190)));
    compiles("shared x; thread t { let a[1990] = 7; a[x] = 1; x = a[a[x]]; }");
    let accesses = "a[i] = a[i + 1]; x = a[x]; ".repeat(3_000);
    compiles(&format!("shared x; thread t {{ let a[1500] = 7; for i in 0..9 {{ {accesses} }} }}"));
    let cases: String = (0..20_000).map(|i| format!("case {i}: x = {i} + 1; break; ")).collect();
    compiles(&format!("shared x; thread t {{ switch (x) {{ {cases} }} }}"));
    compiles(&format!("shared x; thread t {{ {}{} }}", "for (;x;) { ".repeat(190), "} ".repeat(190)));
    compiles(&format!("shared x; thread t {{ {}{} }}", "do { ".repeat(190), "} while (x); ".repeat(190)));
    // A chain of functions as long as there may be functions, all looked through by the invariant.
    let chain: String = (1..30_000).map(|i| format!("def f{i}() {{ return f{}(); }} ", i - 1)).collect();
    compiles(&format!("shared x; never f29999(); def f0() {{ return x; }} {chain}"));
}

#[test]
fn not_more_errors_are_told_than_anybody_reads() {
    let source: String = (0..5000).map(|i| format!("thread t{i} {{ unknown{i} = other{i}; }}\n")).collect();
    let Err(CompileError::Source(errors)) = compile("test.mz", &source, &[]) else { panic!("no error") };
    assert_eq!(errors.len(), 100);
}

#[test]
fn the_words_of_liveness_are_words_only_where_they_mean_something() {
    let source = "shared fair = 0, strong = 1, unfair, eventually, always, leads_to, to, progress;
        fair thread t { let eventually2 = eventually; progress = to + eventually2; progress; leads_to = always; }
        strong event e when unfair == 0 { progress += 1; progress; unfair = strong; fair = 2; }
        unfair handler h; message m() { to = 1; } thread p { post h, m(); }
        eventually (eventually == 0); always eventually(i in 0..2) (always == i); eventually fair == 2;
        (fair == 1) leads_to (to == 1); leads_to(to2 in 0..2) (to == to2) to (strong == to2);";
    let compiles = |source: &str| compile("test.mz", source, &[]).expect("it compiles");
    compiles(source);
    // What is printed is what was read.
    let printed = mazurka_lang::print(&mazurka_lang::parse(source).expect("it is read"));
    assert_eq!(mazurka_lang::print(&mazurka_lang::parse(&printed).expect("it is read again")), printed);
    compiles(&printed);
    let promises =
        ["fair thread t", "strong event e", "unfair handler h", "always eventually(i in 0..2)", "leads_to(to2"];
    assert!(promises.iter().all(|promise| printed.contains(promise)), "{printed}");
}
