//! A module: the text of one file of IR.

use super::cursor::{Constant, Cursor, Value};
use super::instruction::{Instruction, Operation, debug_location, instruction};
use super::token::{Token, tokens};
use super::types::{Type, Types};
use mazurka_core::Diagnostic;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A variable of the program.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub(crate) name: Arc<str>,
    pub(crate) ty: Type,
    /// `None` if it is defined elsewhere.
    pub(crate) initial: Option<Constant>,
    pub(crate) is_constant: bool,
    pub(crate) is_thread_local: bool,
    /// Other modules do not see it.
    pub(crate) is_internal: bool,
    /// May be defined in several modules.
    pub(crate) is_weak: bool,
    /// Its alignment, where the text tells one.
    pub(crate) align: u64,
    pub(crate) debug: Option<u32>,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Box<str>,
    pub(crate) ty: Type,
}

/// A basic block.
#[derive(Clone, Debug)]
pub(crate) struct BasicBlock {
    pub(crate) name: Box<str>,
    pub(crate) instructions: Vec<Instruction>,
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: Arc<str>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) is_variadic: bool,
    pub(crate) is_internal: bool,
    pub(crate) is_weak: bool,
    /// Empty if it is only declared.
    pub(crate) blocks: Vec<BasicBlock>,
    pub(crate) debug: Option<u32>,
    /// The local variables that debug information names: the place in memory, and the number of the variable.
    pub(crate) variables: Vec<(Box<str>, u32)>,
}

/// A file of IR.
#[derive(Clone, Debug, Default)]
pub(crate) struct Module {
    pub(crate) types: Types,
    pub(crate) globals: Vec<Global>,
    pub(crate) functions: Vec<Function>,
    /// Other names of functions and variables.
    pub(crate) aliases: Vec<(Arc<str>, Constant)>,
    /// Debug information and what else has a number, as text.
    pub(crate) metadata: FxHashMap<u32, String>,
    /// What clang calls itself.
    pub(crate) producer: Option<String>,
}

/// How many instructions a program may have.
const MOST_LINES: usize = 16_000_000;

impl Module {
    /// Reads a module.
    pub(crate) fn read(text: &str) -> Result<Module, Diagnostic> {
        let mut reader = Reader::new(text);
        let mut module = Module::default();
        if reader.lines.len() > MOST_LINES {
            let message = format!("more than {MOST_LINES} lines");
            return Err(Diagnostic::new(message, 0..0, "expected a smaller program"));
        }
        // Types stand before their uses, but not before each other's.
        for number in 0..reader.lines.len() {
            let line = reader.lines[number].1;
            if line.starts_with('%') && line.contains(" = type ") {
                let row = tokens(line);
                if let [Token::Local(name), _, _, rest @ ..] = &row[..] {
                    let ty = Cursor::new(rest, &module.types).ty().unwrap_or(Type::Other);
                    module.types.named.insert(Arc::from(&**name), ty);
                }
            }
        }
        while let Some((at, line)) = reader.next() {
            match line.as_bytes().first() {
                Some(b'@') => module.symbol(at, line)?,
                Some(b'!') => module.metadata_line(line),
                Some(b'd') if line.starts_with("define") => {
                    let function = module.function(at, line, &mut reader)?;
                    module.functions.push(function);
                }
                Some(b'd') if line.starts_with("declare") => {
                    let row = tokens(line);
                    let function = module.head(at, line, &row)?;
                    module.functions.push(function);
                }
                Some(b't') if line.starts_with("target datalayout") => module.check_layout(at, line)?,
                None | Some(b';' | b'%' | b' ' | b'\t' | b'}' | b'^' | b'$') => {}
                _ if ["source_filename", "target ", "attributes ", "module asm", "uselistorder", "}"]
                    .iter()
                    .any(|start| line.starts_with(start)) => {}
                _ => {
                    return Err(unexpected(
                        at,
                        line,
                        "expected a line of LLVM IR: `define`, `declare`, `@name = …` and the like",
                    ));
                }
            }
        }
        // An empty C file is a module without anything.
        if module.functions.is_empty() && module.globals.is_empty() && !text.contains("\nsource_filename = ") {
            return Err(Diagnostic::new("no functions and no variables", 0..text.len().min(1), "expected LLVM IR"));
        }
        module.check_end(text)?;
        let producer = module.metadata.values().find_map(|text| field(text, "producer"));
        module.producer = producer.map(|text| text.trim_matches('"').to_owned());
        Ok(module)
    }

    /// What is used and stands nowhere was cut off with the end of the file.
    fn check_end(&self, text: &str) -> Result<(), Diagnostic> {
        let functions = self.functions.iter().flat_map(|function| {
            let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
            function.debug.into_iter().chain(instructions.filter_map(|instruction| instruction.debug))
        });
        let nodes = self.metadata.values().flat_map(|node| references(node));
        let missing = functions.chain(nodes).filter(|number| !self.metadata.contains_key(number)).min();
        missing.map_or(Ok(()), |number| {
            let end = text.trim_end().len();
            let message = format!("the metadata `!{number}` is missing");
            let start = text[..end].rfind('\n').map_or(0, |line| line + 1);
            Err(Diagnostic::new(
                message,
                start..end,
                format!("expected `!{number} = …` after this: is the file cut short?"),
            ))
        })
    }

    fn check_layout(&self, at: usize, line: &str) -> Result<(), Diagnostic> {
        let layout = line.split('"').nth(1).unwrap_or_default();
        let is_narrow = layout.split('-').any(|part| part.starts_with("p:32") || part.starts_with("p:16"));
        if layout.starts_with('E') || is_narrow {
            return Err(unexpected(at, line, "expected a little-endian target with pointers of 64 bits"));
        }
        Ok(())
    }

    fn metadata_line(&mut self, line: &str) {
        let Some((number, rest)) = line[1..].split_once(" = ") else { return };
        if let Ok(number) = number.parse() {
            self.metadata.insert(number, rest.strip_prefix("distinct ").unwrap_or(rest).to_owned());
        }
    }

    /// A variable or an alias.
    fn symbol(&mut self, at: usize, line: &str) -> Result<(), Diagnostic> {
        let row = tokens(line);
        let [Token::Global(name), Token::Sign(b'='), rest @ ..] = &row[..] else {
            return Err(unexpected(at, line, "expected `@name = …`"));
        };
        let has = |end: usize, word: &str| rest[..end].iter().any(|token| token.is_word(word));
        let name: Arc<str> = Arc::from(&**name);
        let kind = rest
            .iter()
            .position(|token| ["global", "constant", "alias", "ifunc"].iter().any(|kind| token.is_word(kind)));
        let Some(kind) = kind else { return Err(unexpected(at, line, "expected `global` or `constant`")) };
        let mut cursor = Cursor::new(&rest[kind + 1..], &self.types);
        let Some(ty) = cursor.ty() else { return Err(unexpected(at, line, "expected a type")) };
        if rest[kind].is_word("alias") || rest[kind].is_word("ifunc") {
            cursor.eat(b',');
            let target = cursor.ty().and_then(|of| cursor.constant(&of));
            let Some(target) = target else { return Err(unexpected(at, line, "expected what the alias stands for")) };
            self.aliases.push((name, target));
            return Ok(());
        }
        let is_external = has(kind, "external") || has(kind, "extern_weak");
        let initial = if is_external {
            None
        } else {
            let Some(initial) = cursor.constant(&ty) else { return Err(unexpected(at, line, "expected a constant")) };
            Some(initial)
        };
        let aligned = rest.iter().position(|token| token.is_word("align")).and_then(|at| match rest.get(at + 1) {
            Some(Token::Word(number)) => number.parse().ok(),
            _ => None,
        });
        self.globals.push(Global {
            is_constant: rest[kind].is_word("constant"),
            is_thread_local: has(kind, "thread_local"),
            is_internal: has(kind, "internal") || has(kind, "private"),
            is_weak: ["common", "weak", "linkonce", "linkonce_odr", "weak_odr"].iter().any(|word| has(kind, word)),
            align: aligned.filter(|align: &u64| align.is_power_of_two() && *align <= 4096).unwrap_or(1),
            debug: debug_location(rest),
            name,
            ty,
            initial,
        });
        Ok(())
    }

    /// The first line of a function.
    fn head(&self, at: usize, line: &str, row: &[Token]) -> Result<Function, Diagnostic> {
        let Some(start) = row.iter().position(|token| matches!(token, Token::Global(_))) else {
            return Err(unexpected(at, line, "expected the name of a function"));
        };
        let Token::Global(name) = &row[start] else { return Err(unexpected(at, line, "expected a name")) };
        let has = |word: &str| row[..start].iter().any(|token| token.is_word(word));
        let mut cursor = Cursor::new(row, &self.types);
        cursor.at = start + 1;
        cursor.eat(b'(');
        let (mut parameters, mut is_variadic, mut unnamed) = (Vec::new(), false, 0u32);
        while !cursor.eat(b')') {
            if cursor.eat_word("...") {
                is_variadic = true;
                continue;
            }
            let Some(ty) = cursor.ty() else { return Err(unexpected(at, line, "expected the type of a parameter")) };
            cursor.attributes();
            let name = match cursor.peek() {
                Some(Token::Local(name)) => {
                    cursor.at += 1;
                    name.clone()
                }
                _ => unnamed.to_string().into(),
            };
            if *name == *unnamed.to_string() {
                unnamed += 1;
            }
            parameters.push(Parameter { name, ty });
            cursor.eat(b',');
        }
        Ok(Function {
            name: Arc::from(&**name),
            parameters,
            is_variadic,
            is_internal: has("internal") || has("private"),
            is_weak: ["weak", "linkonce", "linkonce_odr", "weak_odr", "available_externally"]
                .iter()
                .any(|word| has(word)),
            blocks: Vec::new(),
            debug: debug_location(row),
            variables: Vec::new(),
        })
    }

    /// A function with its body.
    fn function(&self, at: usize, line: &str, reader: &mut Reader<'_>) -> Result<Function, Diagnostic> {
        let row = tokens(line);
        let mut function = self.head(at, line, &row)?;
        // A first block without a label has the number after those of the parameters.
        let unnamed = function.parameters.iter().filter(|parameter| parameter.name.parse::<u32>().is_ok()).count();
        let mut block = BasicBlock { name: unnamed.to_string().into(), instructions: Vec::new() };
        loop {
            let Some((at, line)) = reader.next() else {
                let message = format!("the function `{}` has no end", function.name);
                return Err(Diagnostic::new(
                    message,
                    at..at + line.len(),
                    "expected `}` at its end: is the file cut short?",
                ));
            };
            let trimmed = line.trim_start();
            if trimmed.starts_with('}') {
                break;
            }
            if trimmed.is_empty() || trimmed.starts_with(';') {
                continue;
            }
            if let Some(name) = label(trimmed) {
                let next = BasicBlock { name, instructions: Vec::new() };
                let done = std::mem::replace(&mut block, next);
                if !(done.instructions.is_empty() && function.blocks.is_empty()) {
                    function.blocks.push(done);
                }
                continue;
            }
            let mut row = tokens(trimmed);
            // The cases of a switch and the ends of an invoke stand on lines of their own.
            while is_open(&row) || reader.continues() {
                let Some((_, more)) = reader.next() else { break };
                row.extend(tokens(more));
            }
            if let Some(variable) = declared(&row, &self.types) {
                function.variables.push(variable);
                continue;
            }
            if matches!(row.first(), Some(Token::Attributes(_))) {
                continue;
            }
            let mut cursor = Cursor::new(&row, &self.types);
            let Some(read) = instruction(&mut cursor) else {
                return Err(unexpected(at, line, "expected an instruction"));
            };
            block.instructions.push(read);
        }
        function.blocks.push(block);
        for block in &mut function.blocks {
            let ends = block.instructions.iter().position(|instruction| {
                matches!(
                    instruction.operation,
                    Operation::Jump { .. }
                        | Operation::Branch { .. }
                        | Operation::Switch { .. }
                        | Operation::Return { .. }
                        | Operation::Unreachable
                )
            });
            // What this reader does not know may be an end, too.
            match ends {
                Some(end) => block.instructions.truncate(end + 1),
                None => block.instructions.push(Instruction {
                    result: None,
                    operation: Operation::Unknown("a block without an end".into()),
                    debug: None,
                }),
            }
        }
        Ok(function)
    }
}

/// The lines of a text, each with its place.
struct Reader<'t> {
    lines: Vec<(usize, &'t str)>,
    at: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        let begin = text.as_ptr() as usize;
        let lines = text.lines().map(|line| (line.as_ptr() as usize - begin, line)).collect();
        Reader { lines, at: 0 }
    }

    fn next(&mut self) -> Option<(usize, &'t str)> {
        let line = self.lines.get(self.at).copied();
        self.at += 1;
        line
    }

    /// Whether the next line goes on with an instruction.
    fn continues(&self) -> bool {
        self.lines.get(self.at).is_some_and(|(_, line)| {
            let line = line.trim_start();
            ["to label", "catch ", "cleanup", "filter "].iter().any(|start| line.starts_with(start))
        })
    }
}

/// Whether a switch is not at its end.
fn is_open(row: &[Token]) -> bool {
    let is_switch = row.first().is_some_and(|first| first.is_word("switch"));
    is_switch && row.contains(&Token::Sign(b'[')) && !row.contains(&Token::Sign(b']'))
}

/// The label that a line is.
fn label(line: &str) -> Option<Box<str>> {
    let before = match line.strip_prefix('"') {
        Some(quoted) => return quoted.split_once("\":").map(|(name, _)| name.into()),
        None => line.split_once(':')?.0,
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'-');
    (!before.is_empty() && before.bytes().all(is_name)).then(|| before.into())
}

/// The local variable that a debug record declares: the place in memory and the number of the variable.
fn declared(row: &[Token], types: &Types) -> Option<(Box<str>, u32)> {
    let is_record = matches!(row.first(), Some(Token::Attributes(name)) if &**name == "dbg_declare");
    let is_call = row.iter().any(|token| matches!(token, Token::Global(name) if &**name == "llvm.dbg.declare"));
    if !is_record && !is_call {
        return None;
    }
    let open = row.iter().position(|token| *token == Token::Sign(b'('))?;
    let mut cursor = Cursor::new(row, types);
    cursor.at = open + 1;
    cursor.eat_word("metadata");
    let (_, place) = cursor.typed()?;
    cursor.eat(b',');
    cursor.eat_word("metadata");
    match (place, cursor.next()?) {
        (Value::Local(place), Token::Meta(number)) => Some((place, number.parse().ok()?)),
        _ => Some(("".into(), 0)),
    }
}

/// The numbers of the nodes that a metadata node refers to.
fn references(node: &str) -> impl Iterator<Item = u32> {
    // What stands in quotes is every other part.
    let outside = node.split('"').step_by(2);
    outside.flat_map(|part| part.split('!').skip(1)).filter_map(|rest| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest[..digits].parse().ok()
    })
}

/// The text of a field of a metadata node, up to the comma or the parenthesis behind it.
pub(crate) fn field<'m>(text: &'m str, name: &str) -> Option<&'m str> {
    let open = text.find('(')?;
    let mut rest = &text[open + 1..];
    loop {
        rest = rest.trim_start();
        let end = field_end(rest);
        let (key, value) = rest[..end].split_once(": ").unwrap_or(("", ""));
        if key == name {
            return Some(value.trim());
        }
        rest = rest.get(end + 1..)?;
    }
}

/// Where a field ends: at a comma or a parenthesis outside of quotes and inner parentheses.
fn field_end(text: &str) -> usize {
    let (mut open, mut quoted) = (0u32, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'(' => open += 1,
            b')' if open == 0 => return at,
            b')' => open -= 1,
            b',' if open == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

fn unexpected(at: usize, line: &str, expected: &str) -> Diagnostic {
    let shown: String = line.trim().chars().take(60).collect();
    Diagnostic::new(format!("this is not understood: `{shown}`"), at..at + line.len(), expected)
}
