//! Where results go: one format to standard output, others into files.

use crate::BAD_INPUT;
use crate::console::Console;
use crate::save::save;
use anyhow::{Result, anyhow, bail};
use mazurka::report::terminal::name;
use std::path::Path;

/// A format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
    Sarif,
    Junit,
    Html,
    Csv,
}

impl Format {
    pub(crate) const ALL: [Format; 6] =
        [Format::Text, Format::Json, Format::Sarif, Format::Junit, Format::Html, Format::Csv];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Json => "json",
            Format::Sarif => "sarif",
            Format::Junit => "junit",
            Format::Html => "html",
            Format::Csv => "csv",
        }
    }
}

/// A format, and the file into which it goes if not to standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    format: Format,
    file: Option<String>,
}

impl Output {
    /// Reads `json` or `json=FILE`.
    pub(crate) fn parse(text: &str) -> Option<Output> {
        let (name, file) = match text.split_once('=') {
            Some((name, file)) => (name, Some(file.to_owned())),
            None => (text, None),
        };
        let format = Format::ALL.into_iter().find(|format| format.name() == name)?;
        (file.as_deref() != Some("")).then_some(Output { format, file })
    }
}

/// All that is to be written.
#[derive(Debug)]
pub(crate) struct Outputs<'a> {
    outputs: &'a [Output],
    /// What goes to standard output: text, unless something else is asked for.
    pub(crate) standard: Format,
}

impl<'a> Outputs<'a> {
    /// Looks at what was asked for, before anything runs. `supported` is what the command can write, `programs` are
    /// the files that nothing may overwrite.
    pub(crate) fn new(outputs: &'a [Output], supported: &[Format], programs: &[String]) -> Result<Self> {
        if let Some(unknown) = outputs.iter().find(|output| !supported.contains(&output.format)) {
            let names: Vec<&str> = supported.iter().map(|format| format.name()).collect();
            bail!(
                "error: --format {}: not a format of this command\nexpected {}",
                unknown.format.name(),
                names.join(" or ")
            );
        }
        let standard: Vec<Format> = outputs.iter().filter(|one| one.file.is_none()).map(|one| one.format).collect();
        if let [one, other, ..] = standard[..] {
            bail!(
                "error: --format {} and --format {} both go to standard output\n\
                 expected a file for all but one, as in --format {}=FILE",
                one.name(),
                other.name(),
                other.name()
            );
        }
        let files: Vec<&str> = outputs.iter().filter_map(|output| output.file.as_deref()).collect();
        for (index, file) in files.iter().enumerate() {
            if files[..index].contains(file) {
                bail!("error: --format: {} is named twice\nexpected a file for each format", name(file));
            }
        }
        let outputs = Outputs { outputs, standard: standard.first().copied().unwrap_or(Format::Text) };
        outputs.spare(programs)?;
        Ok(outputs)
    }

    /// Refuses to write over any of these files: what was read, or will be written by another name.
    pub(crate) fn spare(&self, programs: &[String]) -> Result<()> {
        for file in self.outputs.iter().filter_map(|output| output.file.as_deref()) {
            if programs.iter().any(|program| same_file(program, file)) {
                bail!("error: --format: {} is the program\nexpected another file for the result", name(file));
            }
        }
        Ok(())
    }

    /// Writes each format where it belongs; `render` makes its text for the medium in which it is read. Standard output
    /// comes first: a file that cannot be written must not cost the result of a long search.
    pub(crate) fn write(
        &self,
        console: &Console,
        unwritten: &mut Unwritten,
        mut render: impl FnMut(Format, Medium) -> String,
    ) {
        console.print(&render(self.standard, Medium::Standard));
        for Output { format, file } in self.outputs {
            let Some(file) = file else { continue };
            let saved = save(Path::new(file), render(*format, Medium::File).as_bytes(), &|_| true);
            unwritten.note(saved.map_err(|error| {
                let why = error.why("exists and is not a file");
                anyhow!("{}: {why}\nexpected a place where the result can be written", name(file))
            }));
        }
    }
}

/// What could not be written. It is told after the result, and does not change the verdict.
#[derive(Debug, Default)]
pub(crate) struct Unwritten(Vec<String>);

impl Unwritten {
    /// Takes note of a failure, and gives what there is otherwise.
    pub(crate) fn note<T>(&mut self, written: Result<T>) -> Option<T> {
        written.map_err(|error| self.0.push(format!("{error:#}"))).ok()
    }

    /// Tells what could not be written, and gives the exit code: that of the verdict, unless that says that all is well
    /// while a file that was asked for is missing.
    pub(crate) fn tell(&self, console: &Console, verdict: u8) -> u8 {
        self.0.iter().for_each(|failure| console.warning(failure));
        if verdict == 0 && !self.0.is_empty() { BAD_INPUT } else { verdict }
    }
}

/// Where a result is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Medium {
    Standard,
    File,
}

fn same_file(one: &str, other: &str) -> bool {
    match (Path::new(one).canonicalize(), Path::new(other).canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_may_have_a_file() {
        let output = |format, file: Option<&str>| Some(Output { format, file: file.map(str::to_owned) });
        assert_eq!(Output::parse("json"), output(Format::Json, None));
        assert_eq!(Output::parse("junit=a=b.xml"), output(Format::Junit, Some("a=b.xml")));
        for wrong in ["", "yaml", "json=", "=x", "JSON"] {
            assert_eq!(Output::parse(wrong), None, "{wrong}");
        }
    }
}
