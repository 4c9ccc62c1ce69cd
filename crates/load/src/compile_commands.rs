//! `compile_commands.json`: the files of a C program and what the compiler is told for each, as CMake, Meson and Bear write
//! it.
//!
//! Of the options, those are taken that change what a file means: macros, folders of headers, the language. Relative
//! names in them belong to the folder of the entry.

use crate::LoadError;
use crate::read_text;
use mazurka::report::terminal::name as shown;
use std::path::{Path, PathBuf};

/// A file and what clang is told for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) file: String,
    pub(crate) options: Vec<String>,
}

/// The C files of a database.
pub(crate) fn read(database: &str) -> Result<Vec<Entry>, LoadError> {
    let text = read_text(database, "compile_commands.json")?;
    let trouble = |line: usize, what: &str| {
        let expected = "expected a list of objects with `directory`, `file`, and `command` or `arguments`";
        LoadError::plain(format!("error: {}:{line}: {what}\n{expected}", shown(database)))
    };
    let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
    let value = reader.value(0).filter(|_| reader.rest_is_blank());
    let line = |reader: &Reader<'_>| {
        text.as_bytes()[..reader.at.min(text.len())].iter().filter(|&&byte| byte == b'\n').count() + 1
    };
    let value = value.ok_or_else(|| trouble(line(&reader), "this is no JSON"))?;
    let Value::List(list) = value else { return Err(trouble(1, "this is no list")) };
    let mut entries: Vec<Entry> = Vec::new();
    for item in list {
        let entry = Entry::of(&item, database).ok_or_else(|| trouble(1, "an entry is not complete"))?;
        let is_c = Path::new(&entry.file).extension().is_some_and(|extension| extension == "c");
        // The first one counts where a file is compiled several times.
        if is_c && entries.iter().all(|known| known.file != entry.file) {
            entries.push(entry);
        }
    }
    Ok(entries)
}

/// Whether two names are of the same file.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    one == other
        || matches!((Path::new(one).canonicalize(), Path::new(other).canonicalize()), (Ok(one), Ok(other)) if one == other)
}

impl Entry {
    fn of(item: &Value, database: &str) -> Option<Entry> {
        let folder = item.text("directory").unwrap_or(".");
        // A relative folder is one beside the database.
        let folder = Path::new(database).parent().unwrap_or(Path::new("")).join(folder);
        let arguments = match item.get("arguments") {
            Some(Value::List(list)) => {
                list.iter().map(|one| one.as_text().map(str::to_owned)).collect::<Option<Vec<_>>>()?
            }
            _ => words(item.text("command")?),
        };
        let file = from_here(&folder.join(item.text("file")?));
        Some(Entry { file, options: wanted(&arguments, &folder) })
    }
}

/// A path as it is named from the present folder, if it is in there.
fn from_here(path: &Path) -> String {
    let full = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let here = std::env::current_dir().ok().and_then(|here| full.strip_prefix(here).ok().map(PathBuf::from));
    here.unwrap_or(full).to_string_lossy().into_owned()
}

/// Options whose value is a path.
const PATHS: [&str; 7] = ["-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot"];

/// The options that change what a file means.
fn wanted(arguments: &[String], folder: &Path) -> Vec<String> {
    let mut options = Vec::new();
    let mut rest = arguments.iter().skip(1);
    while let Some(argument) = rest.next() {
        if let Some(option) = PATHS.iter().find(|option| argument.starts_with(**option)) {
            let joined = argument[option.len()..].trim_start_matches('=');
            let value = if joined.is_empty() { rest.next().map_or("", String::as_str) } else { joined };
            options.extend([(*option).to_owned(), folder.join(value).to_string_lossy().into_owned()]);
        } else if let Some(option) = ["-D", "-U"].iter().find(|option| argument.starts_with(**option)) {
            let joined = &argument[option.len()..];
            let value = if joined.is_empty() { rest.next().map_or("", String::as_str) } else { joined };
            options.push(format!("{option}{value}"));
        } else if argument.starts_with("-std=")
            || argument.starts_with("--sysroot=")
            || [
                "-ansi",
                "-pthread",
                "-fsigned-char",
                "-funsigned-char",
                "-fms-extensions",
                "-fplan9-extensions",
                "-nostdinc",
            ]
            .contains(&argument.as_str())
        {
            options.push(argument.clone());
        } else if argument == "-o" {
            rest.next();
        }
    }
    options
}

/// A command's words, as a shell separates them.
fn words(command: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut quote): (Option<String>, Option<char>) = (None, None);
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (None, ' ' | '\t' | '\n') => words.extend(word.take()),
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (Some(open), _) if open == character => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(characters.next()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// What JSON has, as far as it is needed here.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
    /// A number, `true`, `false` or `null`.
    Other,
}

impl Value {
    fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Object(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_text()
    }
}

/// How deep values may be nested.
const DEEPEST: usize = 64;

struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<u8> {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn takes(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn rest_is_blank(&mut self) -> bool {
        self.peek().is_none()
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        match self.peek()? {
            _ if depth > DEEPEST => None,
            b'"' => Some(Value::Text(self.text()?)),
            b'[' => {
                self.at += 1;
                let mut list = Vec::new();
                while !self.takes(b']') {
                    if !list.is_empty() && !self.takes(b',') {
                        return None;
                    }
                    list.push(self.value(depth + 1)?);
                }
                Some(Value::List(list))
            }
            b'{' => {
                self.at += 1;
                let mut entries = Vec::new();
                while !self.takes(b'}') {
                    if !entries.is_empty() && !self.takes(b',') {
                        return None;
                    }
                    self.peek().filter(|&byte| byte == b'"')?;
                    let name = self.text()?;
                    if !self.takes(b':') {
                        return None;
                    }
                    entries.push((name, self.value(depth + 1)?));
                }
                Some(Value::Object(entries))
            }
            _ => {
                let start = self.at;
                while self.bytes.get(self.at).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
                {
                    self.at += 1;
                }
                (self.at > start).then_some(Value::Other)
            }
        }
    }

    /// A text from its quotation mark on.
    fn text(&mut self) -> Option<String> {
        self.at += 1;
        let mut text = Vec::new();
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            match byte {
                b'"' => return String::from_utf8(text).ok(),
                b'\\' => {
                    let escaped = *self.bytes.get(self.at)?;
                    self.at += 1;
                    let character = match escaped {
                        b'n' => '\n',
                        b't' => '\t',
                        b'r' => '\r',
                        b'b' => '\u{8}',
                        b'f' => '\u{c}',
                        b'u' => {
                            let digits = std::str::from_utf8(self.bytes.get(self.at..self.at + 4)?).ok()?;
                            self.at += 4;
                            char::from_u32(u32::from_str_radix(digits, 16).ok()?).unwrap_or('\u{fffd}')
                        }
                        other => char::from(other),
                    };
                    text.extend(character.encode_utf8(&mut [0; 4]).bytes());
                }
                _ => text.push(byte),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<Value> {
        let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
        reader.value(0).filter(|_| reader.rest_is_blank())
    }

    #[test]
    fn json_is_read_and_nothing_else() {
        let text = r#" [ { "file": "a\"b\u0041.c", "n": -1.5e3, "all": [true, null, {}] } ] "#;
        let Some(Value::List(list)) = value(text) else { panic!("{text}") };
        assert_eq!(list[0].text("file"), Some("a\"bA.c"));
        for wrong in ["", "[", "[1 2]", "{\"a\" 1}", "[1] x", "\"a", "\"\\u12", &"[".repeat(1000)] {
            assert_eq!(value(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn options_that_change_the_meaning_are_kept() {
        let command =
            r#"/usr/bin/cc -DN=3 -D 'TEXT="a b"' -Iinclude -isystem /usr/x -O2 -g -std=c11 -MD -MF x.d -o x.o -c x.c"#;
        let options = wanted(&words(command), Path::new("/b"));
        assert_eq!(options, ["-DN=3", "-DTEXT=\"a b\"", "-I", "/b/include", "-isystem", "/usr/x", "-std=c11"]);
    }
}
