//! Statements of generated programs.

use super::types::{Int, Member};
use super::{Maker, Place};

impl Maker {
    /// Statements, with a few locals before them.
    pub(super) fn body(&mut self, statements: usize) {
        let known = self.known();
        if self.indent == 1 {
            self.locals();
        }
        for _ in 0..statements {
            self.statement();
        }
        if self.indent > 1 {
            self.forget(known);
        }
    }

    fn known(&self) -> [usize; 4] {
        [self.places.len(), self.doubles.len(), self.wholes.len(), self.strings.len()]
    }

    fn forget(&mut self, [places, doubles, wholes, strings]: [usize; 4]) {
        self.places.truncate(places);
        self.doubles.truncate(doubles);
        self.wholes.truncate(wholes);
        self.strings.truncate(strings);
    }

    fn locals(&mut self) {
        for _ in 0..1 + self.random.below(3) {
            let (name, int) = (self.local("v"), self.any_int());
            let initial = self.int(int, 2);
            self.line(&format!("{} {name} = {initial};", int.name()));
            self.places.push(Place { text: name, int });
        }
        if self.random.percent(50) {
            let (name, initial) = (self.local("d"), self.double(2));
            self.line(&format!("double {name} = {initial};"));
            self.doubles.push(name);
        }
        if self.random.percent(50) {
            let (name, int, length) = (self.local("array"), self.any_int(), 2 + self.random.below(5));
            let first = self.int(int, 1);
            self.line(&format!("{} {name}[{length}] = {{ {first} }};", int.name()));
            let index = self.index(length);
            self.places.push(Place { text: format!("{name}[{index}]"), int });
            self.places.push(Place { text: format!("(*({name} + {}))", length - 1), int });
        }
        for number in 0..self.records.len() {
            let (name, tag) = (self.local("whole"), self.records[number].tag.clone());
            match self.random.below(3) {
                0 => self.line(&format!("struct {tag} {name} = {{ 0 }};")),
                1 => {
                    self.line(&format!("struct {tag} {name};"));
                    self.line(&format!(
                        "memset(&{name}, {}, sizeof {name});",
                        if self.has_double(number) { 0 } else { 37 }
                    ));
                }
                _ => {
                    let first = self.records[number].members[0].0.clone();
                    let designated = matches!(self.records[number].members[0].1, Member::Int(_) | Member::Bits(..));
                    let initial = if designated { format!(".{first} = {}", self.random.below(2)) } else { "0".into() };
                    self.line(&format!("struct {tag} {name} = {{ {initial} }};"));
                }
            }
            self.wholes.push((name.clone(), number));
            for _ in 0..2 {
                if let Some(place) = self.member(&name, number) {
                    let value = self.any(2);
                    self.line(&format!("{} = {value};", place.text));
                }
            }
            if self.random.percent(40) {
                self.line(&format!("struct {tag} *{name}_at = &{name};"));
                self.wholes.push((format!("(*{name}_at)"), number));
            }
        }
        if self.random.percent(40) {
            let name = self.local("text");
            let initial = ["", "a", "zebra", "1234567", "%d"][self.random.below(5)];
            self.line(&format!("char {name}[16] = \"{initial}\";"));
            self.strings.push(name);
        }
    }

    fn has_double(&self, number: usize) -> bool {
        self.records[number].members.iter().any(|(_, member)| match member {
            Member::Double => true,
            Member::Record(other) => self.has_double(*other),
            _ => false,
        })
    }

    fn statement(&mut self) {
        match self.random.below(if self.indent > 3 { 9 } else { 17 }) {
            0..=2 => self.assignment(),
            3 => self.compound(),
            4 => self.print(),
            5 => self.copy(),
            6 => self.text(),
            7 => {
                if let Some(call) = self.call() {
                    self.line(&format!("{call};"));
                }
            }
            8 => self.jump(),
            9 | 10 => self.branch(),
            11 | 12 => self.count(),
            13 => self.switch(),
            14 => self.walk(),
            15 => self.block_of_memory(),
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) {
        let Some(place) = self.place() else { return };
        let value = self.any(3);
        self.line(&format!("{} = {value};", place.text));
        if !self.doubles.is_empty() && self.random.percent(30) {
            let (variable, value) = (self.doubles[self.random.below(self.doubles.len())].clone(), self.double(2));
            if !variable.contains('.') {
                self.line(&format!("{variable} = ({value}) * 0.001;"));
            }
        }
    }

    /// `+=` and the like, where they are defined for all values.
    fn compound(&mut self) {
        let Some(place) = self.place() else { return };
        let text = place.text;
        // What is narrower than an int is computed as int, and cannot overflow.
        let wraps = !place.int.signed || place.int.bits < 32;
        let by = self.int(Int { bits: 16, signed: true }, 2);
        let bits = self.random.below(8);
        match self.random.below(7) {
            0 if wraps => self.line(&format!("{text} += {by};")),
            1 if wraps => self.line(&format!("{text} -= {by};")),
            2 if wraps => self.line(&format!("{text}++;")),
            3 if wraps => self.line(&format!("--{text};")),
            4 => self.line(&format!("{text} ^= {by};")),
            5 => self.line(&format!("{text} >>= {bits};")),
            _ => self.line(&format!("{text} %= 1 + (unsigned char)({by});")),
        }
    }

    /// Prints numbers in all formats.
    fn print(&mut self) {
        let flags = ["", "", "", "0", "-", "+", "#", " "][self.random.below(8)];
        let width = ["", "", "5", "12"][self.random.below(4)];
        match self.random.below(7) {
            0 => {
                let value = self.double(2);
                let conversion = ["f", ".3f", "e", "g", ".0f", ".10g"][self.random.below(6)];
                let flags = if flags == "#" { "" } else { flags };
                let width = if conversion.starts_with('.') { "" } else { width };
                self.line(&format!("printf(\"[%{flags}{width}{conversion}]\\n\", {value});"));
            }
            1 => {
                let (value, other) = (self.int(Int::INT, 2), self.int(Int::LONG, 2));
                let width = self.random.below(9);
                self.line(&format!("printf(\"%*d %.3ld %%\\n\", {width}, {value}, {other});"));
            }
            2 => {
                let value = self.int(Int::INT, 1);
                self.line(&format!("putchar('a' + (unsigned)({value}) % 26); puts(\"!\");"));
            }
            3 => {
                let value = self.int(Int::INT, 2);
                let conversion = ["hhd", "hd", "hhu", "hu"][self.random.below(4)];
                self.line(&format!("printf(\"%{conversion}\\n\", {value});"));
            }
            _ => {
                let int = [Int::INT, Int::UNSIGNED, Int::LONG, Int::UNSIGNED_LONG][self.random.below(4)];
                let conversion = match int.signed {
                    true => ["d", "i"][self.random.below(2)],
                    false => ["u", "x", "X", "o"][self.random.below(4)],
                };
                let flags = match (int.signed, flags) {
                    (true, "#") | (false, "+" | " ") => "",
                    (false, "#") if conversion == "u" => "",
                    _ => flags,
                };
                let length = if int.bits == 64 { ["l", "ll"][self.random.below(2)] } else { "" };
                let cast =
                    if length == "ll" { if int.signed { "(long long)" } else { "(unsigned long long)" } } else { "" };
                let value = self.int(int, 2);
                self.line(&format!("printf(\"%{flags}{width}{length}{conversion}\\n\", {cast}({value}));"));
            }
        }
    }

    /// A struct is assigned as a whole.
    fn copy(&mut self) {
        let Some((target, record)) = self.random.pick(&self.wholes).cloned() else { return };
        let Some(source) = self.whole(record) else { return };
        if source == target {
            return;
        }
        match self.random.below(3) {
            0 => self.line(&format!("memmove(&{target}, &{source}, sizeof {target});")),
            _ => self.line(&format!("{target} = {source};")),
        }
    }

    /// Something with strings.
    fn text(&mut self) {
        let Some(text) = self.random.pick(&self.strings).cloned() else { return };
        let number = self.random.below(1000);
        match self.random.below(8) {
            0 => self.line(&format!("snprintf({text}, sizeof {text}, \"%d-%s\", {number}, \"tail\");")),
            1 => self.line(&format!("if (strlen({text}) < 8) strcat({text}, \"{number}\");")),
            2 => self.line(&format!("strcpy({text}, strcmp({text}, \"m\") < 0 ? \"low\" : \"high\");")),
            3 => self.line(&format!("{text}[{}] = 'a' + {};", number % 3, number % 26)),
            4 => self.line(&format!("printf(\"%s %10s|%-8s|%.2s\\n\", {text}, {text}, {text}, {text});")),
            5 => self.line(&format!(
                "{{ char *at = strchr({text}, '1'); printf(\"%d\\n\", at ? (int)(at - {text}) : -1); }}"
            )),
            6 => self.line(&format!("memset({text}, 'q', {}); {text}[15] = 0;", number % 15)),
            _ => self.line(&format!("printf(\"%zu %d\\n\", strlen({text}), memcmp({text}, \"zebra\", 2) == 0);")),
        }
    }

    fn jump(&mut self) {
        if self.loops > 0 {
            let condition = self.any(2);
            let jump = ["break", "continue"][self.random.below(2)];
            self.line(&format!("if ({condition}) {jump};"));
        }
    }

    fn branch(&mut self) {
        let condition = self.any(3);
        self.open(&format!("if ({condition})"));
        self.body(2);
        if self.random.percent(50) {
            self.indent -= 1;
            self.open("} else");
            self.body(2);
        }
        self.close("");
    }

    /// A loop that counts.
    fn count(&mut self) {
        let (counter, times) = (self.local("i"), 1 + self.random.below(4));
        self.loops += 1;
        let places = self.places.len();
        match self.random.below(3) {
            0 => {
                self.open(&format!("for (int {counter} = 0; {counter} < {times}; {counter}++)"));
                self.body(2);
                self.close("");
            }
            1 => {
                self.line(&format!("unsigned {counter} = {times};"));
                self.open(&format!("while ({counter}-- > 0)"));
                self.body(2);
                self.close("");
            }
            _ => {
                self.line(&format!("long {counter} = 0;"));
                self.open("do");
                self.body(2);
                self.close(&format!(" while (++{counter} < {times});"));
            }
        }
        self.places.truncate(places);
        self.loops -= 1;
    }

    fn switch(&mut self) {
        let value = self.any(2);
        let loops = std::mem::take(&mut self.loops);
        self.open(&format!("switch (({value}) & 3)"));
        for case in 0..3 {
            self.line(&format!("case {case}: {{"));
            self.indent += 1;
            self.body(1);
            // Some cases run into the next one.
            if self.random.percent(70) {
                self.line("break;");
            }
            self.close("");
        }
        self.line("default:");
        self.print();
        self.close("");
        self.loops = loops;
    }

    /// Goes through an array with a pointer.
    fn walk(&mut self) {
        let (array, sum, int) = (self.local("walked"), self.local("sum"), self.any_int());
        let name = int.name();
        let values: Vec<String> = (0..3).map(|_| self.int(int, 1)).collect();
        self.line(&format!("{name} {array}[3] = {{ {} }};", values.join(", ")));
        self.line(&format!("unsigned long {sum} = 0;"));
        self.line(&format!(
            "for ({name} *at = {array}; at != {array} + 3; at++) {sum} = {sum} * 31 + (unsigned long)*at;"
        ));
        self.line(&format!("for (unsigned char *at = (unsigned char *){array}; at < (unsigned char *)({array} + 3); ++at) {sum} ^= *at;"));
        self.places.push(Place { text: sum, int: Int::UNSIGNED_LONG });
    }

    /// Memory of the heap, as an array or as a list.
    fn block_of_memory(&mut self) {
        let (block, int) = (self.local("block"), self.any_int());
        let name = int.name();
        let length = 1 + self.random.below(5);
        if self.random.percent(50) {
            self.line(&format!("{name} *{block} = calloc({length}, sizeof *{block});"));
        } else {
            self.line(&format!("{name} *{block} = malloc({length} * sizeof({name}));"));
            let byte = self.random.below(256);
            self.line(&format!("memset({block}, {byte}, {length} * sizeof({name}));"));
        }
        let value = self.int(int, 2);
        let index = self.index(length);
        self.line(&format!("{block}[{index}] = {value};"));
        if self.random.percent(30) {
            self.line(&format!("{block} = realloc({block}, {} * sizeof({name}));", length + 2));
        }
        let shown = int.shown(&format!("{block}[{}]", self.random.below(length)));
        self.line(&shown);
        self.line(&format!("free({block});"));
    }

    /// Prints all that the program knows at its end.
    pub(super) fn report(&mut self) {
        for place in self.places.clone() {
            let shown = place.int.shown(&place.text);
            self.line(&shown);
        }
        for double in self.doubles.clone() {
            self.line(&format!("printf(\"%.9g\\n\", {double});"));
        }
        for text in self.strings.clone() {
            self.line(&format!("printf(\"%s\\n\", {text});"));
        }
        for (base, record) in self.wholes.clone() {
            self.report_record(&base, record);
        }
    }

    fn report_record(&mut self, base: &str, record: usize) {
        for (name, member) in self.records[record].members.clone() {
            let text = format!("{base}.{name}");
            match member {
                Member::Int(int) => self.line(&int.shown(&text)),
                // What a narrow bit field holds is computed as int, whatever its type.
                Member::Bits(..) => self.line(&format!("printf(\"%ld\\n\", (long){text});")),
                Member::Double => self.line(&format!("printf(\"%.6g\\n\", {text});")),
                Member::Array(int, length) => self.line(&int.shown(&format!("{text}[{}]", length - 1))),
                Member::Record(other) => self.report_record(&text, other),
                Member::Union(_) => self.line(&format!("printf(\"%lx\\n\", {text}.word);")),
            }
        }
    }
}
