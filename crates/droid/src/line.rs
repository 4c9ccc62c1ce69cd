//! One line of a trace: `<index> <NAME> <key>:<value> …`.
//!
//! The tool that these traces were made for drops a line that it does not know without a word, so a damaged trace is
//! another program. Here such a line is an error. What the shipped traces do differently from each other is tolerated: a tab
//! for a space, spaces at the end, a class without its semicolon, a loop without its queue.

use crate::operation::{MessageId, Operation, Place, ThreadId};
use mazurka_core::Diagnostic;
use std::ops::Range;

/// A line that says something.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The operation's number, by which the file of dependences names it.
    pub(crate) index: u32,
    /// The line in the file, from 1.
    pub(crate) number: u32,
    /// Whose operation it is; `None` for the first line.
    pub(crate) thread: ThreadId,
    pub(crate) operation: Operation,
    /// Where it stands in the text.
    pub(crate) span: Range<usize>,
}

/// Reads all lines, in the order of their indices.
pub(crate) fn read_all(text: &str) -> Result<Vec<Line>, Diagnostic> {
    let mut lines: Vec<Line> = Vec::new();
    let mut start = 0;
    for (number, whole) in text.split_inclusive('\n').enumerate() {
        let content = whole.trim_end();
        let offset = start + (content.len() - content.trim_start().len());
        start += whole.len();
        let content = content.trim_start();
        if content.is_empty() || content.starts_with("End of trace") {
            continue;
        }
        let line = Reader { text: content, offset }.line(number as u32 + 1)?;
        if let Some(last) = lines.last()
            && line.index <= last.index
        {
            let digits = content.find([' ', '\t']).unwrap_or(content.len());
            return Err(Diagnostic::new(
                format!("operation {} comes after operation {}", line.index, last.index),
                offset..offset + digits,
                format!("expected a number greater than {}", last.index),
            ));
        }
        lines.push(line);
    }
    if lines.iter().all(|line| line.operation == Operation::Start) {
        return Err(Diagnostic::new(
            "the trace has no operation",
            0..0,
            "expected a line such as `2 THREADINIT tid:1`",
        ));
    }
    Ok(lines)
}

/// Reads a number as the other files write it: decimal, or hexadecimal after 0x, or octal after 0. Longer ones are cut
/// to 32 bits.
fn handle(text: &str) -> Option<u32> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hexadecimal) => (hexadecimal, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        None => (digits, 10),
    };
    if !digits.starts_with(|c: char| c.is_ascii_hexdigit()) {
        return None;
    }
    let value = u64::from_str_radix(digits, radix).ok()? as u32;
    Some(if negative { value.wrapping_neg() } else { value })
}

/// Takes a line apart.
struct Reader<'t> {
    text: &'t str,
    /// Where the text stands in the file.
    offset: usize,
}

/// A word of a line and where it stands.
#[derive(Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    start: usize,
}

impl Word<'_> {
    fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    fn error(&self, message: impl Into<String>, expected: impl Into<String>) -> Diagnostic {
        Diagnostic::new(message, self.span(), expected)
    }
}

/// The fields of an operation, one after the other.
struct Fields<'t, W> {
    name: &'t str,
    words: W,
    end: usize,
}

impl<'t, W: Iterator<Item = Word<'t>>> Fields<'t, W> {
    /// The value of the next field, which has this key.
    fn value(&mut self, key: &str, example: &str) -> Result<Word<'t>, Diagnostic> {
        let expected = format!("expected `{key}:{example}`");
        let Some(word) = self.words.next() else {
            return Err(Diagnostic::new(format!("{} ends too early", self.name), self.end..self.end, expected));
        };
        match word.text.split_once(':') {
            Some((found, value)) if found == key && !value.is_empty() => {
                Ok(Word { text: value, start: word.start + found.len() + 1 })
            }
            _ => Err(word.error(format!("`{}` is not the field that {} has here", word.text, self.name), expected)),
        }
    }

    fn number(&mut self, key: &str) -> Result<u32, Diagnostic> {
        let word = self.value(key, "1")?;
        word.text
            .parse()
            .map_err(|_| word.error(format!("`{}` is not a number", word.text), "expected a whole number, as in 1"))
    }

    fn handle(&mut self, key: &str) -> Result<u32, Diagnostic> {
        let word = self.value(key, "0x1a")?;
        handle(word.text).ok_or_else(|| {
            word.error(format!("`{}` is not a number", word.text), "expected a number, as in 0x1a or 26")
        })
    }

    fn thread(&mut self, key: &str) -> Result<ThreadId, Diagnostic> {
        self.number(key).map(ThreadId)
    }

    /// The operation ends here.
    fn end(mut self) -> Result<(), Diagnostic> {
        match self.words.next() {
            None => Ok(()),
            Some(word) => {
                Err(word
                    .error(format!("`{}` is more than {} has", word.text, self.name), "expected the end of the line"))
            }
        }
    }
}

/// Whether an operation only marks that something happened: its fields beyond the thread mean nothing here.
fn is_mark(name: &str) -> bool {
    let kinds = ["ENABLE-", "TRIGGER-"];
    kinds.iter().any(|kind| name.starts_with(kind)) || ["ACCESS", "NATIVE-ENTRY", "NATIVE-EXIT"].contains(&name)
}

/// What is known, for error messages.
const OPERATIONS: &str = "THREADINIT, THREADEXIT, FORK, ATTACH-Q, LOOP, POST, CALL, RET, READ, WRITE, READ-STATIC, \
     WRITE-STATIC, LOCK, UNLOCK, NOTIFY, WAIT, NOP, NATIVE-POST, UI-POST, DELAY-POST, or an ENABLE- or TRIGGER- operation";

impl<'t> Reader<'t> {
    fn words(&self) -> impl Iterator<Item = Word<'t>> + use<'t> {
        let (text, offset) = (self.text, self.offset);
        let place = move |word: &str| offset + (word.as_ptr() as usize - text.as_ptr() as usize);
        text.split([' ', '\t']).filter(|word| !word.is_empty()).map(move |word| Word { text: word, start: place(word) })
    }

    fn line(&self, number: u32) -> Result<Line, Diagnostic> {
        let span = self.offset..self.offset + self.text.len();
        let mut words = self.words();
        let Some(first) = words.next() else {
            return Err(Diagnostic::new("an empty line", span, "expected an operation"));
        };
        let index = first.text.trim_start_matches('+').parse().map_err(|_| {
            let what = format!("`{}` is not the number of an operation", shortened(first.text));
            first.error(what, "expected a line such as `2 THREADINIT tid:1`")
        })?;
        let Some(name) = words.next() else {
            return Err(Diagnostic::new(
                "a number without an operation",
                span,
                format!("expected one of {OPERATIONS}"),
            ));
        };
        let (thread, operation) = operation(name, words, span.end)?;
        Ok(Line { index, number, thread, operation, span })
    }
}

/// A text that fits into a message.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Reads what follows the index.
fn operation<'t>(
    name: Word<'t>,
    words: impl Iterator<Item = Word<'t>>,
    end: usize,
) -> Result<(ThreadId, Operation), Diagnostic> {
    let mut fields = Fields { name: name.text, words, end };
    let (thread, operation) = match name.text {
        "START" => (ThreadId(0), Operation::Start),
        "THREADINIT" => (fields.thread("tid")?, Operation::ThreadInit),
        "THREADEXIT" => (fields.thread("tid")?, Operation::ThreadExit),
        "FORK" => (fields.thread("par-tid")?, Operation::Fork(fields.thread("child-tid")?)),
        "ATTACH-Q" => {
            let thread = fields.thread("tid")?;
            fields.value("queue", "1")?;
            (thread, Operation::AttachQueue)
        }
        "LOOP" => return Ok((fields.thread("tid")?, Operation::Loop)),
        "POST" | "NATIVE-POST" | "UI-POST" | "DELAY-POST" => {
            let source = fields.thread("src")?;
            let message = MessageId(fields.number("msg")?);
            (source, Operation::Post(message, fields.thread("dest")?))
        }
        "CALL" => (fields.thread("tid")?, Operation::Call(MessageId(fields.number("msg")?))),
        "RET" => (fields.thread("tid")?, Operation::Return(MessageId(fields.number("msg")?))),
        "READ" | "WRITE" => {
            let (thread, object) = (fields.thread("tid")?, fields.handle("obj")?);
            fields.value("class", "Name;")?;
            (thread, access(name.text, Place::Field(object, fields.number("field")?)))
        }
        "READ-STATIC" | "WRITE-STATIC" => {
            let thread = fields.thread("tid")?;
            let class = fields.value("class", "Name;")?.text.trim_end_matches(';').to_owned();
            (thread, access(name.text, Place::Static(class, fields.number("field")?)))
        }
        "LOCK" => (fields.thread("tid")?, Operation::Lock(fields.handle("lock-obj")?)),
        "UNLOCK" => (fields.thread("tid")?, Operation::Unlock(fields.handle("lock-obj")?)),
        "NOTIFY" => (fields.thread("tid")?, Operation::Notify(fields.thread("notifiedTid")?)),
        "WAIT" => (fields.thread("tid")?, Operation::Wait),
        "NOP" => (fields.thread("tid")?, Operation::Gate),
        mark if is_mark(mark) => return Ok((fields.thread("tid")?, Operation::Mark)),
        other => {
            let what = format!("`{}` is not an operation that is known here", shortened(other));
            return Err(name.error(what, format!("expected one of {OPERATIONS}")));
        }
    };
    fields.end()?;
    Ok((thread, operation))
}

fn access(name: &str, place: Place) -> Operation {
    if name.starts_with("READ") { Operation::Read(place) } else { Operation::Write(place) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_c_reads_them_and_cut_to_32_bits() {
        assert_eq!(handle("0x410c3c98"), Some(0x410c_3c98));
        assert_eq!(handle("26"), Some(26));
        assert_eq!(handle("017"), Some(15));
        assert_eq!(handle("0x1ffffffff"), Some(u32::MAX));
        assert_eq!(handle("-1"), Some(u32::MAX));
        assert_eq!(handle("0"), Some(0));
        for wrong in ["", "x", "0x", "1z", "+-1", "0x1 "] {
            assert_eq!(handle(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_shipped_traces_do_differently_is_tolerated() {
        let text =
            "1 START\n\n2 READ tid:1\tobj:0x1 class:a field:7  \n3 LOOP tid:1\nEnd of trace!!\n4 LOOP tid:1 queue:9\n";
        let lines = read_all(text).expect("a trace");
        assert_eq!(lines[1].operation, Operation::Read(Place::Field(1, 7)));
        assert_eq!((lines[2].number, lines[3].number), (4, 6));
        assert_eq!(lines[3].operation, Operation::Loop);
    }

    #[test]
    fn what_is_wrong_is_marked_in_the_text() {
        let wrong = [
            ("1 START\n2 FORK par-tid:1 child:2\n", "child:2", "expected `child-tid:1`"),
            ("1 POST src:1 msg:x dest:2\n", "x", "expected a whole number, as in 1"),
            ("2 THREADINIT tid:1 more\n", "more", "expected the end of the line"),
            ("2 THREADINIT tid:1\n2 THREADEXIT tid:1\n", "2", "expected a number greater than 2"),
            ("one THREADINIT tid:1\n", "one", "expected a line such as `2 THREADINIT tid:1`"),
            ("1 READ tid:1 obj:zz class:a; field:1", "zz", "expected a number, as in 0x1a or 26"),
        ];
        for (text, marked, expected) in wrong {
            let error = read_all(text).expect_err(text);
            assert_eq!((&text[error.span.clone()], error.label.as_str()), (marked, expected), "{text}");
        }
        assert!(read_all("1 JOIN tid:1").expect_err("unknown").label.contains("THREADINIT, "));
        assert!(read_all("1 CALL tid:1").expect_err("cut").message.contains("ends too early"));
        assert!(read_all("").is_err() && read_all("1 START\n").is_err());
    }
}
