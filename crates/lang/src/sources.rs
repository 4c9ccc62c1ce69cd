//! The files of a program: the one that is checked, and those that it includes.
//!
//! Their texts stand one after the other in one long text, each from a line of its own on. So a place is one number in
//! all of the crate, and lines are counted over all files. Only what shows a place to people asks for the file.
//!
//! Nothing is read here: a [`Loader`] does that.

use crate::ast::{Item, Span, Unit};
use crate::parse::{MAX_SOURCE, Outline, Tokens, parse_file};
use hashbrown::{HashMap, HashSet};
use mazurka_core::Diagnostic;
use std::sync::Arc;

/// How deeply files may include each other.
const MAX_DEPTH: usize = 32;
/// How many files a program may have.
const MAX_FILES: usize = 1000;
/// How long all of them may be together.
const MAX_TOTAL: usize = 4 * MAX_SOURCE;

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceName {
    /// What messages and reports call it.
    pub name: String,
    /// What tells it apart from all other files, by whatever name it was found.
    pub identity: String,
}

/// Finds and reads files that are included. An error says in words what is wrong.
pub trait Loader {
    /// The file that an `include` of the file named `from` means by `path`.
    fn find(&mut self, from: &str, path: &str) -> Result<SourceName, String>;

    /// The text of a file that was found.
    fn read(&mut self, file: &SourceName) -> Result<String, String>;
}

/// A program that is one text includes nothing.
struct Alone;

impl Loader for Alone {
    fn find(&mut self, _from: &str, _path: &str) -> Result<SourceName, String> {
        Err("this program is not a file".to_owned())
    }

    fn read(&mut self, _file: &SourceName) -> Result<String, String> {
        Err("this program is not a file".to_owned())
    }
}

/// The texts of a program's files.
#[derive(Clone, Debug)]
pub struct Sources {
    text: String,
    files: Vec<File>,
}

#[derive(Clone, Debug)]
struct File {
    name: Arc<str>,
    identity: String,
    span: Span,
    /// Its first line, counted over all files from 1.
    first_line: u32,
}

impl Sources {
    /// Reads a program with all that it includes. The files are there even if something is wrong with them.
    pub fn read(main: SourceName, text: &str, loader: &mut dyn Loader) -> (Sources, Result<Unit, Diagnostic>) {
        let sources = Sources { text: String::new(), files: Vec::new() };
        let mut reader = Reader {
            sources,
            loader,
            open: Vec::new(),
            tokens: Vec::new(),
            functions: HashSet::new(),
            places: HashMap::new(),
        };
        reader.sources.add(main, text);
        let mut unit = Unit::default();
        // Definitions may stand in any order: all files have to be there before one of them is read.
        let result = reader.collect(0).and_then(|()| reader.expand(0, &mut unit.items));
        (reader.sources, result.map(|()| unit))
    }

    /// Reads a program that is one text.
    pub(crate) fn read_alone(name: &str, text: &str) -> (Sources, Result<Unit, Diagnostic>) {
        let main = SourceName { name: name.to_owned(), identity: name.to_owned() };
        Sources::read(main, text, &mut Alone)
    }

    fn add(&mut self, file: SourceName, text: &str) -> usize {
        if !self.files.is_empty() {
            self.text.push('\n');
        }
        let before = self.files.last().map_or(1, |last| {
            let lines = self.text[last.span.start..].matches('\n').count() as u32;
            last.first_line + lines
        });
        let start = self.text.len();
        self.text.push_str(text);
        let span = start..self.text.len();
        self.files.push(File { name: file.name.into(), identity: file.identity, span, first_line: before });
        self.files.len() - 1
    }

    /// The names and texts of the files, that of the program first.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|file| (&*file.name, &self.text[file.span.clone()]))
    }

    /// The number of the file that an error is about, and the error with its place in that file.
    pub fn locate(&self, error: &Diagnostic) -> (usize, Diagnostic) {
        let number = self.files.partition_point(|file| file.span.start <= error.span.start).saturating_sub(1);
        let start = self.files[number].span.start;
        let span = error.span.start - start..error.span.end.max(error.span.start) - start;
        (number, Diagnostic { span, ..error.clone() })
    }

    /// All texts, one after the other.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// For each file its first line, counted over all of them, and its name.
    pub(crate) fn first_lines(&self) -> Vec<(u32, Arc<str>)> {
        self.files.iter().map(|file| (file.first_line, Arc::clone(&file.name))).collect()
    }
}

struct Reader<'l> {
    sources: Sources,
    loader: &'l mut dyn Loader,
    /// The files that are being read: each includes the next.
    open: Vec<usize>,
    /// The tokens of each file, until they are parsed.
    tokens: Vec<Tokens>,
    /// The names of the functions and messages of all files.
    functions: HashSet<String>,
    /// Which file stands in the place of an `include`, by where that names it.
    places: HashMap<usize, usize>,
}

impl Reader<'_> {
    /// Finds the files that a file includes, and those that they include.
    fn collect(&mut self, file: usize) -> Result<(), Diagnostic> {
        let outline = Outline::of(&self.sources.text, &self.sources.files[file].span)?;
        self.functions.extend(outline.functions);
        self.tokens.push(outline.tokens);
        self.open.push(file);
        let mut included_here = Vec::new();
        for (path, span) in outline.includes {
            self.include(file, &path, &span, &mut included_here)?;
        }
        self.open.pop();
        Ok(())
    }

    /// Adds the definitions of a file, with those of the files that it includes in their places.
    fn expand(&mut self, file: usize, items: &mut Vec<Item>) -> Result<(), Diagnostic> {
        let tokens = std::mem::take(&mut self.tokens[file]);
        let unit = parse_file(&self.sources.text, tokens, &self.functions)?;
        for item in unit.items {
            if let Item::Include { span, .. } = &item {
                // A file that two others include stands in the first place.
                if let Some(&included) = self.places.get(&span.start) {
                    self.expand(included, items)?;
                }
            } else {
                items.push(item);
            }
        }
        Ok(())
    }

    fn include(
        &mut self,
        from: usize,
        path: &str,
        span: &Span,
        included_here: &mut Vec<usize>,
    ) -> Result<(), Diagnostic> {
        let trouble = |what: String| {
            let message = format!("`{path}` cannot be included: {what}");
            Diagnostic::new(message, span.clone(), "expected a .mz file, named as seen from this one")
        };
        let found = self.loader.find(&self.sources.files[from].name, path).map_err(trouble)?;
        if let Some(known) = self.sources.files.iter().position(|file| file.identity == found.identity) {
            return self.include_again(known, path, span, included_here);
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(Diagnostic::new(
                "files that include each other too deeply",
                span.clone(),
                format!("at most {MAX_DEPTH} levels are allowed"),
            ));
        }
        let text = self.loader.read(&found).map_err(trouble)?;
        if text.len() > MAX_SOURCE {
            return Err(trouble(format!("it has {} bytes, more than 4 MiB", text.len())));
        }
        if self.sources.files.len() >= MAX_FILES || self.sources.text.len() + text.len() > MAX_TOTAL {
            return Err(Diagnostic::new(
                "the program has too many files",
                span.clone(),
                format!("expected at most {MAX_FILES} files, and 16 MiB in all of them"),
            ));
        }
        let number = self.sources.add(found, &text);
        included_here.push(number);
        self.places.insert(span.start, number);
        self.collect(number)
    }

    /// A file that is there already is not read again, so that two files may share a third one.
    fn include_again(
        &self,
        known: usize,
        path: &str,
        span: &Span,
        included_here: &mut Vec<usize>,
    ) -> Result<(), Diagnostic> {
        if let Some(first) = self.open.iter().position(|&open| open == known) {
            let name = |&file: &usize| &*self.sources.files[file].name;
            let chain: Vec<&str> = self.open[first..].iter().chain([&known]).map(name).collect();
            let error =
                Diagnostic::new(format!("`{path}` includes itself"), span.clone(), "this file is being read already");
            return Err(error.note(chain.join(" includes ")));
        }
        if included_here.contains(&known) {
            let message = format!("`{path}` is included twice");
            return Err(Diagnostic::new(message, span.clone(), "expected each file once"));
        }
        included_here.push(known);
        Ok(())
    }
}
