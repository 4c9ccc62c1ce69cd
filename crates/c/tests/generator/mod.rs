//! Makes small random C programs with one thread, for the comparison with the machine.
//!
//! One number is one program: a function `program_N` that computes with integers of all widths, floats, structs, unions,
//! bit fields, arrays, pointers and strings, calls the functions that were made for it, and prints as it goes. What it
//! prints is decided by the language: nothing is undefined, nothing reads a value that was not written, and every loop and
//! every recursion is counted. Arithmetic that could overflow is done unsigned, or on operands that were made small.

mod expression;
mod statement;
mod types;

use mazurka_core::Random;
use std::fmt::Write;
use types::{Int, Member, Record};

/// What programs in one file share.
pub(crate) const PRELUDE: &str = include_str!("prelude.h");

/// Something that can be read and assigned to: C text, and the type of its value.
#[derive(Clone, Debug)]
struct Place {
    text: String,
    int: Int,
}

/// A function that later code may call.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    parameters: Vec<Parameter>,
}

#[derive(Clone, Debug)]
enum Parameter {
    Int(Int),
    Double,
    /// A struct by value, by its number.
    Record(usize),
    /// A pointer to an integer that may be written.
    Pointer(Int),
    /// A pointer to a struct that may be written.
    RecordPointer(usize),
}

/// One program while it is made.
pub(crate) struct Maker {
    random: Random,
    /// What all of its names begin with.
    prefix: String,
    text: String,
    records: Vec<Record>,
    functions: Vec<Function>,
    /// The name of the table of functions with two `int` parameters, and its length.
    table: Option<(String, usize)>,
    globals: Vec<Place>,
    /// Structs that can be named here: C text and the struct's number.
    globals_of_records: Vec<(String, usize)>,
    places: Vec<Place>,
    doubles: Vec<String>,
    wholes: Vec<(String, usize)>,
    /// Arrays of 8 `char` that hold a string.
    strings: Vec<String>,
    names: usize,
    depth: usize,
    loops: usize,
    indent: usize,
}

/// The C text of the program with this number. Its entry is `int program_N(void)`.
pub(crate) fn generate(number: u64) -> String {
    let mut maker = Maker {
        random: Random::new(number ^ 0xc0de),
        prefix: format!("p{number}_"),
        text: String::new(),
        records: Vec::new(),
        functions: Vec::new(),
        table: None,
        globals: Vec::new(),
        globals_of_records: Vec::new(),
        places: Vec::new(),
        doubles: Vec::new(),
        wholes: Vec::new(),
        strings: Vec::new(),
        names: 0,
        depth: 0,
        loops: 0,
        indent: 0,
    };
    maker.program(number);
    maker.text
}

/// Lines.
impl Maker {
    fn line(&mut self, text: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{:width$}{text}", "", width = self.indent * 4);
    }

    fn open(&mut self, text: &str) {
        self.line(&format!("{text} {{"));
        self.indent += 1;
    }

    fn close(&mut self, text: &str) {
        self.indent -= 1;
        self.line(&format!("}}{text}"));
    }

    fn name(&mut self, of: &str) -> String {
        self.names += 1;
        format!("{}{of}{}", self.prefix, self.names)
    }

    fn local(&mut self, of: &str) -> String {
        self.names += 1;
        format!("{of}{}", self.names)
    }
}

/// Definitions.
impl Maker {
    fn program(&mut self, number: u64) {
        let calls = format!("{}calls", self.prefix);
        self.line(&format!("static int {calls};"));
        for _ in 0..self.random.below(3) {
            self.record();
        }
        for _ in 0..=self.random.below(4) {
            self.global();
        }
        self.table();
        for _ in 0..=self.random.below(3) {
            self.function(&calls);
        }
        if self.random.percent(40) {
            self.recursion();
        }
        self.enter();
        self.open(&format!("int program_{number}(void)"));
        self.body(5 + number as usize % 4);
        self.report();
        let result = self.int(Int::INT, 2);
        self.line(&format!("return {result};"));
        self.close("");
        self.line("");
    }

    fn record(&mut self) {
        let number = self.records.len();
        let tag = format!("{}s{number}", self.prefix);
        let mut members = Vec::new();
        for index in 0..=self.random.below(5) {
            let name = format!("f{index}");
            let member = match self.random.below(10) {
                0 | 1 => Member::Bits(self.bit_field_type(), 1 + self.random.below(20) as u32),
                2 => Member::Array(self.any_int(), 1 + self.random.below(4)),
                3 => Member::Double,
                4 if number > 0 => Member::Record(self.random.below(number)),
                5 => Member::Union(self.any_int()),
                _ => Member::Int(self.any_int()),
            };
            members.push((name, member));
        }
        self.open(&format!("struct {tag}"));
        for (name, member) in &members {
            let text = match member {
                Member::Int(int) => format!("{} {name};", int.name()),
                Member::Double => format!("double {name};"),
                Member::Bits(int, width) => format!("{} {name} : {width};", int.name()),
                Member::Array(int, length) => format!("{} {name}[{length}];", int.name()),
                Member::Record(other) => format!("struct {} {name};", self.records[*other].tag),
                Member::Union(int) => {
                    format!("union {{ unsigned long word; {} part[{}]; }} {name};", int.name(), 8 / int.bytes())
                }
            };
            self.line(&text);
        }
        self.close(";");
        self.records.push(Record { tag, members });
    }

    /// Of a bit field: what its type may be.
    fn bit_field_type(&mut self) -> Int {
        if self.random.percent(50) { Int::INT } else { Int::UNSIGNED }
    }

    fn any_int(&mut self) -> Int {
        Int::ALL[self.random.below(Int::ALL.len())]
    }

    fn global(&mut self) {
        let name = self.name("g");
        let int = self.any_int();
        let initial = self.constant(int);
        let storage = if self.random.percent(60) { "static " } else { "" };
        match self.random.below(8) {
            0 | 1 => {
                let length = 2 + self.random.below(4);
                let values: Vec<String> = (0..=self.random.below(length)).map(|_| self.constant(int)).collect();
                self.line(&format!("{storage}{} {name}[{length}] = {{ {} }};", int.name(), values.join(", ")));
                self.globals.extend((0..length).map(|index| Place { text: format!("{name}[{index}]"), int }));
            }
            2 => {
                let (rows, columns) = (2, 3);
                let row = |maker: &mut Self| {
                    let values: Vec<String> = (0..columns).map(|_| maker.constant(int)).collect();
                    format!("{{ {} }}", values.join(", "))
                };
                let text = format!("{}, {}", row(self), row(self));
                self.line(&format!("{storage}{} {name}[{rows}][{columns}] = {{ {text} }};", int.name()));
                self.globals.push(Place { text: format!("{name}[1][2]"), int });
                self.globals.push(Place { text: format!("{name}[0][1]"), int });
            }
            3 => {
                // A pointer that is initialised with an address.
                self.line(&format!("{storage}{} {name}_target[3] = {{ {initial} }};", int.name()));
                self.line(&format!("{storage}{} *{name} = &{name}_target[1];", int.name()));
                self.globals.push(Place { text: format!("(*{name})"), int });
                self.globals.push(Place { text: format!("{name}[-1]"), int });
            }
            4 if !self.records.is_empty() => {
                let number = self.random.below(self.records.len());
                let tag = self.records[number].tag.clone();
                self.line(&format!("{storage}struct {tag} {name};"));
                self.globals_of_records.push((name, number));
            }
            _ => {
                self.line(&format!("{storage}{} {name} = {initial};", int.name()));
                self.globals.push(Place { text: name, int });
            }
        }
    }

    /// A table of functions with two parameters, for calls through pointers.
    fn table(&mut self) {
        if !self.random.percent(50) {
            return;
        }
        let name = self.name("table");
        let length = 2 + self.random.below(3);
        let mut members = Vec::new();
        for _ in 0..length {
            let member = self.name("op");
            self.enter();
            self.places =
                vec![Place { text: "a".to_owned(), int: Int::INT }, Place { text: "b".to_owned(), int: Int::INT }];
            self.doubles.clear();
            let value = self.int(Int::INT, 3);
            self.line(&format!("static int {member}(int a, int b) {{ return {value}; }}"));
            members.push(member);
        }
        self.line(&format!("static int (*const {name}[{length}])(int, int) = {{ {} }};", members.join(", ")));
        self.table = Some((name, length));
    }

    /// Nothing local is known.
    fn enter(&mut self) {
        self.places = self.globals.clone();
        self.wholes = self.globals_of_records.clone();
        self.doubles.clear();
        self.strings.clear();
    }

    fn function(&mut self, calls: &str) {
        let name = self.name("f");
        let result = self.any_int();
        let mut parameters = Vec::new();
        let mut texts = Vec::new();
        self.enter();
        for index in 0..self.random.below(4) {
            let local = format!("a{index}");
            let record = (!self.records.is_empty()).then(|| self.random.below(self.records.len()));
            let int = self.any_int();
            let (parameter, text) = match (self.random.below(8), record) {
                (0, Some(record)) => {
                    self.wholes.push((local.clone(), record));
                    (Parameter::Record(record), format!("struct {} {local}", self.records[record].tag))
                }
                (1, Some(record)) => {
                    self.wholes.push((format!("(*{local})"), record));
                    (Parameter::RecordPointer(record), format!("struct {} *{local}", self.records[record].tag))
                }
                (2, _) => {
                    self.doubles.push(local.clone());
                    (Parameter::Double, format!("double {local}"))
                }
                (3, _) => {
                    self.places.push(Place { text: format!("(*{local})"), int });
                    (Parameter::Pointer(int), format!("{} *{local}", int.name()))
                }
                _ => {
                    self.places.push(Place { text: local.clone(), int });
                    (Parameter::Int(int), format!("{} {local}", int.name()))
                }
            };
            parameters.push(parameter);
            texts.push(text);
        }
        let parameters_text = if texts.is_empty() { "void".to_owned() } else { texts.join(", ") };
        self.open(&format!("static {} {name}({parameters_text})", result.name()));
        // So that no program runs for long.
        let otherwise = self.random.below(100);
        self.line(&format!("if (++{calls} > 60) return {otherwise};"));
        if self.random.percent(30) {
            let (counter, initial) = (self.local("kept"), self.random.below(5));
            self.line(&format!("static unsigned {counter} = {initial};"));
            self.line(&format!("{counter} += 3;"));
            self.places.push(Place { text: counter, int: Int::UNSIGNED });
        }
        self.body(3);
        let value = self.int(result, 3);
        self.line(&format!("return {value};"));
        self.close("");
        self.functions.push(Function { name, parameters });
    }

    /// A function that calls itself with a parameter that counts down, and another one that returns a struct.
    fn recursion(&mut self) {
        let name = self.name("r");
        let int = self.any_int();
        self.enter();
        self.places.push(Place { text: "a".to_owned(), int });
        self.places.push(Place { text: "n".to_owned(), int: Int::INT });
        let (base, step) = (self.int(int, 1), self.int(int, 1));
        let functions = std::mem::take(&mut self.functions);
        let next = self.int(int, 2);
        self.functions = functions;
        let type_name = int.name();
        self.open(&format!("static {type_name} {name}(int n, {type_name} a)"));
        self.line(&format!("if (n <= 0) return {base};"));
        self.line(&format!("{type_name} deeper = {name}(n - 1, {next});"));
        self.line(&format!("return ({type_name})((unsigned long)deeper ^ (unsigned long)({step}));"));
        self.close("");
        let shown = int.shown(&format!("{name}({}, 1)", 3 + self.random.below(6)));
        let entry = self.name("deep");
        self.line(&format!("static int {entry}(void) {{ {shown} return 0; }}"));
        self.functions.push(Function { name: entry, parameters: Vec::new() });
    }
}
