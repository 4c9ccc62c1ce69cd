//! Libraries of Hubitat: `#include namespace.name` on a line of an app puts the text of a library into it.
//!
//! The text goes to the end of the app, where methods, fields and imports can stand as well, behind a comment that says which
//! file it is from. So the lines of the app stay what they are, and a fault in a library is shown in its own file.

use std::sync::Arc;

/// What stands before the text of a library, with the name of its file.
const FROM: &str = "//#from ";

/// What asks for a library, and what stands there instead when the library is there: as long, and a comment.
const INCLUDE: &str = "#include";
const INCLUDED: &str = "//nclude";

/// The libraries that a text asks for, each with its line.
pub fn included(text: &str) -> Vec<(usize, String)> {
    let asked = |(number, line): (usize, &str)| {
        let rest = line.trim_start().strip_prefix(INCLUDE)?;
        let name = rest.split_whitespace().next()?;
        rest.starts_with(char::is_whitespace).then(|| (number + 1, name.to_owned()))
    };
    text.lines().enumerate().filter_map(asked).collect()
}

/// What a library calls itself, with its namespace: `library(name: "…", namespace: "…")`.
pub fn library_name(text: &str) -> Option<String> {
    let (at, _) = text.match_indices("library").find(|(at, word)| {
        let line = text[..*at].rsplit('\n').next().unwrap_or_default();
        line.trim().is_empty() && text[at + word.len()..].trim_start().starts_with('(')
    })?;
    let value = |key: &str| {
        text[at..].match_indices(key).find_map(|(place, _)| {
            let before = text[at..at + place].chars().next_back()?;
            let rest = text[at + place + key.len()..].trim_start().strip_prefix(':')?.trim_start();
            let quote = rest.chars().next().filter(|quote| *quote == '"' || *quote == '\'')?;
            let is_whole = !before.is_alphanumeric();
            is_whole.then(|| rest[1..].split(quote).next().unwrap_or_default().to_owned())
        })
    };
    Some(format!("{}.{}", value("namespace")?, value("name")?))
}

/// An app with its libraries, for each its file and its text.
pub fn with_libraries(text: &str, libraries: &[(String, String)]) -> String {
    let mut joined = String::with_capacity(text.len());
    let texts = std::iter::once((None, text)).chain(libraries.iter().map(|(file, text)| (Some(file), text.as_str())));
    for (file, text) in texts {
        if let Some(file) = file {
            joined += &format!("\n{FROM}{}\n", file.replace(['\n', '\r'], " "));
        }
        for line in text.split_inclusive('\n') {
            let blanks = line.len() - line.trim_start().len();
            if line[blanks..].starts_with(INCLUDE) {
                joined += &line[..blanks];
                joined += INCLUDED;
                joined += &line[blanks + INCLUDE.len()..];
            } else {
                joined += line;
            }
        }
    }
    joined
}

/// The parts of an app with its libraries: where each begins, its file and its text. The app itself has no file here.
pub(crate) fn parts(text: &str) -> Vec<(usize, Option<&str>, &str)> {
    let marks = text.match_indices(FROM).filter(|(at, _)| text[..*at].ends_with('\n'));
    let mut parts: Vec<(usize, Option<&str>, &str)> = vec![(0, None, text)];
    for (at, _) in marks {
        let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
        let file = text[at + FROM.len()..line_end].trim_end();
        if let Some(last) = parts.last_mut() {
            last.2 = &text[last.0..at];
        }
        parts.push((line_end, Some(file), &text[line_end..]));
    }
    parts
}

/// The file and the line within it that a line of an app with its libraries is.
pub(crate) fn origin(text: &str, file: &Arc<str>, line: u32) -> (Arc<str>, u32) {
    if !text.contains(FROM) {
        return (Arc::clone(file), line);
    }
    let mut found = (Arc::clone(file), line);
    for (start, library, _) in parts(text) {
        let before = text[..start].matches('\n').count() as u32;
        if let Some(library) = library.filter(|_| line > before) {
            found = (Arc::from(library), line - before);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: &str =
        "library(\n  author: \"a\", category: 'x',\n  name: 'tools',\n  namespace: \"acme\"\n)\ndef help() {}\n";

    #[test]
    fn a_library_is_known_by_what_it_calls_itself() {
        assert_eq!(library_name(LIBRARY).as_deref(), Some("acme.tools"));
        assert_eq!(library_name("def library(x) {}\n"), None);
        assert_eq!(library_name("definition(name: 'x', namespace: 'y')"), None);
        assert_eq!(
            included("// #include a.b\n  #include acme.tools // mine\n#includes x\n"),
            [(2, "acme.tools".to_owned())]
        );
    }

    #[test]
    fn lines_stay_in_their_files() {
        let app = "#include acme.tools\ndef installed() { help() }";
        let text = with_libraries(app, &[("lib/tools.groovy".to_owned(), LIBRARY.to_owned())]);
        assert!(text.starts_with("//nclude acme.tools\ndef installed"));
        let file: Arc<str> = "app.groovy".into();
        let place = |line| origin(&text, &file, line);
        assert_eq!(place(2), ("app.groovy".into(), 2));
        let line = text.lines().position(|line| line.contains("def help")).map_or(0, |at| at as u32 + 1);
        assert_eq!(place(line), ("lib/tools.groovy".into(), 6));
        assert_eq!(parts(&text)[1].2, LIBRARY);
        assert_eq!(origin(app, &file, 7), (file, 7));
    }
}
