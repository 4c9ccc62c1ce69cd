//! From modules to one program: symbols, the memory of variables, and then the functions, one by one.

use crate::code::{Body, Function, GlobalWord, NONE, Program, Variable};
use crate::escape::{Analysis, fates};
use crate::ir::{Constant, Global, Module, Operation, Type, Types, Value};
use crate::library::{Routine, routine};
use crate::lower::lower;
use crate::memory::{CONSTANTS, FUNCTIONS, GLOBALS, address};
use crate::spin::{calm_functions, waiting_loops};
use crate::{Options, ReadError};
use mazurka_core::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    Address(u64),
    Function(u32),
    ThreadLocal { offset: u32, private: bool },
}

/// What the names of one module stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    own: FxHashMap<Arc<str>, Symbol>,
}

impl Symbols {
    pub(crate) fn get(&self, name: &str) -> Option<Symbol> {
        self.own.get(name).copied()
    }
}

/// How many bytes the variables of a program may have.
const MOST_BYTES: u64 = 64 << 20;
/// Variables with more scalars than this have no objects of their own: these are made when they are touched.
const MOST_OBJECTS: usize = 4096;
/// Bytes between variables that belong to none.
const GAP: u64 = 64;

/// Makes one program of modules.
pub(crate) fn link(files: &[(String, Module)], options: &Options) -> Result<Program, ReadError> {
    let mut linker =
        Linker { program: Program { options: options.clone(), ..Program::default() }, files, symbols: Vec::new() };
    linker.program.producer = files.iter().find_map(|(_, module)| module.producer.clone());
    let modules: Vec<u32> = files.iter().map(|(_, module)| linker.program.debug.add(module.metadata.clone())).collect();
    linker.declare_functions()?;
    linker.reserve_for_routines();
    linker.place_variables(&modules)?;
    linker.add_aliases();
    linker.fill_variables();
    linker.lower_functions(&modules);
    linker.finish()
}

struct Linker<'f> {
    program: Program,
    files: &'f [(String, Module)],
    symbols: Vec<Symbols>,
}

fn trouble(file: &str, message: String, label: &str) -> ReadError {
    ReadError { file: file.to_owned(), diagnostic: Diagnostic::new(message, 0..0, label) }
}

impl Linker<'_> {
    fn declare_functions(&mut self) -> Result<(), ReadError> {
        let files = self.files;
        // Which module defines a name that all modules see.
        let mut defined: FxHashMap<&str, (usize, bool)> = FxHashMap::default();
        for (number, (file, module)) in files.iter().enumerate() {
            for function in
                module.functions.iter().filter(|function| !function.blocks.is_empty() && !function.is_internal)
            {
                match defined.get(&*function.name) {
                    Some((other, false)) if !function.is_weak => {
                        let message =
                            format!("the function `{}` is defined in {} as well", function.name, files[*other].0);
                        return Err(trouble(file, message, "expected one definition"));
                    }
                    Some((_, false)) => {}
                    _ => {
                        defined.insert(&function.name, (number, function.is_weak));
                    }
                }
            }
        }
        let mut shared: FxHashMap<Arc<str>, u32> = FxHashMap::default();
        for (number, (_, module)) in files.iter().enumerate() {
            let mut symbols = Symbols::default();
            for function in &module.functions {
                let own = function.is_internal && !function.blocks.is_empty();
                let known = if own { None } else { shared.get(&function.name).copied() };
                let index = known.unwrap_or_else(|| {
                    let index = self.program.functions.len() as u32;
                    self.program.functions.push(Function {
                        name: Arc::clone(&function.name),
                        body: Body::Missing,
                        end: 0,
                        registers: 0,
                        parameters: 0,
                        is_variadic: false,
                        shared_words: 0,
                        private_words: 0,
                        variables: Vec::new(),
                        debug: None,
                    });
                    if !own {
                        shared.insert(Arc::clone(&function.name), index);
                    }
                    index
                });
                let is_defined = own || defined.contains_key(&*function.name);
                if let Some(routine) = routine(&function.name, is_defined) {
                    self.program.functions[index as usize].body = Body::Routine(routine);
                } else if own || defined.get(&*function.name).is_some_and(|(module, _)| *module == number) {
                    // A mark; the code comes later.
                    self.program.functions[index as usize].body = Body::Code(NONE);
                }
                symbols.own.insert(Arc::clone(&function.name), Symbol::Function(index));
            }
            self.symbols.push(symbols);
        }
        Ok(())
    }

    /// What the model keeps in the program's memory: `errno` and the values by key of each thread, and how many keys there are.
    fn reserve_for_routines(&mut self) {
        let uses = |wanted: &[Routine]| {
            self.program
                .functions
                .iter()
                .any(|function| matches!(function.body, Body::Routine(routine) if wanted.contains(&routine)))
        };
        let has_keys = uses(&[Routine::KeyCreate, Routine::KeyGet, Routine::KeySet]);
        if has_keys || uses(&[Routine::ErrnoLocation]) {
            self.program.has_errno = true;
            self.program.thread_private.resize(if has_keys { 1 + crate::MOST_KEYS as usize } else { 1 }, 0);
        }
        self.program.reading_at = 8 * self.program.thread_private.len() as u64;
        if uses(&[Routine::ReadLock, Routine::TryReadLock, Routine::TimedReadLock, Routine::RwUnlock]) {
            let all = self.program.thread_private.len() + crate::MOST_READING;
            self.program.thread_private.resize(all, 0);
        }
        if has_keys {
            let global = Global {
                name: Arc::from("(keys)"),
                ty: Type::Array(1 + crate::MOST_KEYS, Type::Int(64).into()),
                initial: None,
                is_constant: false,
                is_thread_local: false,
                is_internal: true,
                is_weak: false,
                align: 8,
                debug: None,
            };
            if let Symbol::Address(at) = self.place(0, &Module::default(), &global, 8 + 8 * crate::MOST_KEYS) {
                self.program.keys_at = at;
            }
        }
    }

    fn place_variables(&mut self, modules: &[u32]) -> Result<(), ReadError> {
        let files = self.files;
        let mut shared: FxHashMap<Arc<str>, (Symbol, bool)> = FxHashMap::default();
        let hidden = self.hidden_thread_locals();
        let mut total = 0u64;
        for (number, (file, module)) in files.iter().enumerate() {
            for global in &module.globals {
                if global.initial.is_none() && !is_stream(&global.name) {
                    continue;
                }
                if !global.is_internal
                    && let Some(&(symbol, is_weak)) = shared.get(&global.name)
                {
                    if !is_weak && !global.is_weak && !is_stream(&global.name) {
                        let message = format!("the variable `{}` is defined in another file as well", global.name);
                        return Err(trouble(file, message, "expected one definition"));
                    }
                    self.symbols[number].own.insert(Arc::clone(&global.name), symbol);
                    continue;
                }
                let size = module.types.size(&global.ty);
                total = total.saturating_add(size);
                if total > MOST_BYTES {
                    let message = format!(
                        "the variables of the program take more than {} MiB with `{}`",
                        MOST_BYTES >> 20,
                        global.name
                    );
                    return Err(trouble(file, message, "expected less memory: make the arrays smaller"));
                }
                let symbol = if global.is_thread_local {
                    self.place_thread_local(module, global, hidden.contains(&global.name))
                } else {
                    self.place(modules[number], module, global, size)
                };
                if !global.is_internal {
                    shared.insert(Arc::clone(&global.name), (symbol, global.is_weak));
                }
                self.symbols[number].own.insert(Arc::clone(&global.name), symbol);
            }
        }
        for (number, (_, module)) in files.iter().enumerate() {
            for global in &module.globals {
                if let Some(&(symbol, _)) = shared.get(&global.name) {
                    self.symbols[number].own.entry(Arc::clone(&global.name)).or_insert(symbol);
                }
            }
        }
        Ok(())
    }

    /// Variables of the threads whose address goes nowhere: they are used only by loads and stores.
    fn hidden_thread_locals(&self) -> FxHashSet<Arc<str>> {
        let globals = self.files.iter().flat_map(|(_, module)| &module.globals);
        let mut hidden: FxHashSet<Arc<str>> =
            globals.filter(|global| global.is_thread_local).map(|global| Arc::clone(&global.name)).collect();
        if hidden.is_empty() {
            return hidden;
        }
        for function in self.files.iter().flat_map(|(_, module)| &module.functions) {
            let addresses = addresses_of_thread_locals(function);
            for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
                let mut drop = |value: &Value| match value {
                    Value::Constant(constant) => drop_symbols(constant, &mut hidden),
                    Value::Local(name) => {
                        if let Some(symbol) = addresses.get(&**name) {
                            hidden.remove(*symbol);
                        }
                    }
                    _ => {}
                };
                match &instruction.operation {
                    Operation::Load { .. } => {}
                    Operation::Store { value, .. } => drop(value),
                    Operation::Call { callee, .. } if is_thread_local_address(callee) => {}
                    other => crate::escape::for_each_value(other, &mut |value| drop(value)),
                }
            }
        }
        for global in self.files.iter().flat_map(|(_, module)| &module.globals) {
            if let Some(initial) = &global.initial {
                drop_symbols(initial, &mut hidden);
            }
        }
        hidden
    }

    fn place_thread_local(&mut self, module: &Module, global: &Global, private: bool) -> Symbol {
        let words = if private { &mut self.program.thread_private } else { &mut self.program.thread_shared };
        let offset = 8 * words.len() as u32;
        let size = module.types.size(&global.ty) as usize;
        words.resize(words.len() + size.div_ceil(8).max(1), 0);
        Symbol::ThreadLocal { offset, private }
    }

    fn place(&mut self, debug: u32, module: &Module, global: &Global, size: u64) -> Symbol {
        let program = &mut self.program;
        let is_constant = global.is_constant || is_stream(&global.name);
        let align = module.types.align(&global.ty).max(global.align).max(8);
        let words = size.div_ceil(8).max(1) as usize;
        let told = global.debug.and_then(|number| program.debug.global(debug, number));
        let (name, ty) = match told {
            Some((name, ty)) => (Arc::from(name), ty),
            None => (Arc::clone(&global.name), None),
        };
        let number = program.variables.len() as u32;
        let mut variable = Variable {
            name,
            address: 0,
            size: size as u32,
            storage: 0,
            is_constant,
            ty,
            first_object: NONE,
            objects: 0,
        };
        let space = if is_constant {
            let at = (program.constant_bytes.len() as u64 + GAP / 4).next_multiple_of(align);
            variable.address = at as u32;
            program.constant_bytes.resize(at as usize + 8 * words, 0);
            program.constant_words.resize(program.constant_bytes.len() / 8, NONE);
            program.constant_words[at as usize / 8..].fill(number);
            CONSTANTS
        } else {
            let at = (8 * program.global_words.len() as u64 + GAP).next_multiple_of(align);
            variable.address = at as u32;
            variable.storage = program.initial.len() as u32;
            program.initial.resize(program.initial.len() + words, 0);
            let none = GlobalWord { variable: NONE, storage: 0, object: NONE, starts: 0 };
            program.global_words.resize(at as usize / 8, none);
            for word in 0..words as u32 {
                let storage = variable.storage + word;
                program.global_words.push(GlobalWord { variable: number, storage, object: NONE, starts: 0 });
            }
            self.number_objects(&module.types, global, &mut variable);
            GLOBALS
        };
        let symbol = Symbol::Address(address(space, u64::from(variable.address)));
        self.program.variables.push(variable);
        symbol
    }

    /// One object for each scalar of a variable.
    fn number_objects(&mut self, types: &Types, global: &Global, variable: &mut Variable) {
        let Some(leaves) = types.leaves(&global.ty, MOST_OBJECTS) else { return };
        let program = &mut self.program;
        variable.first_object = program.objects;
        variable.objects = leaves.len() as u32;
        let first = variable.address as usize / 8;
        let words = &mut program.global_words[first..];
        let mut current = program.objects;
        let mut next = 0;
        for (index, word) in words.iter_mut().enumerate() {
            // The first byte belongs to what began before, unless a scalar begins with it.
            let mut starts = 0u8;
            let base = 8 * index as u64;
            word.object = current;
            while let Some((at, _)) = leaves.get(next).filter(|(at, _)| *at < base + 8) {
                if *at > base {
                    starts |= 1 << (at - base);
                } else {
                    word.object = program.objects + next as u32;
                }
                current = program.objects + next as u32;
                next += 1;
            }
            word.starts = starts;
        }
        program.objects += variable.objects.max(1);
    }

    fn add_aliases(&mut self) {
        for (number, (_, module)) in self.files.iter().enumerate() {
            for (name, target) in &module.aliases {
                let Constant::Address(target, offset) = target else { continue };
                let symbol = match self.symbols[number].get(target) {
                    Some(Symbol::Address(address)) => Symbol::Address(address.wrapping_add(*offset as u64)),
                    Some(other) => other,
                    None => continue,
                };
                for symbols in &mut self.symbols {
                    symbols.own.insert(Arc::clone(name), symbol);
                }
            }
        }
    }

    fn fill_variables(&mut self) {
        let files = self.files;
        let mut done: FxHashSet<u64> = FxHashSet::default();
        for (number, (_, module)) in files.iter().enumerate() {
            for global in &module.globals {
                let symbol = self.symbols[number].get(&global.name);
                let stream = u64::from(is_stream(&global.name));
                let (Some(symbol), Some(initial)) = (
                    symbol,
                    global
                        .initial
                        .clone()
                        .or(Some(Constant::Number(stream)))
                        .filter(|_| global.initial.is_some() || stream == 1),
                ) else {
                    continue;
                };
                let initial = match &*global.name {
                    "stderr" | "__stderrp" => Constant::Number(2),
                    _ => initial,
                };
                let mut bytes = vec![0u8; (module.types.size(&global.ty) as usize).max(8)];
                self.fill(&mut bytes, 0, &global.ty, &initial, number, &module.types);
                let program = &mut self.program;
                match symbol {
                    Symbol::ThreadLocal { offset, private } => {
                        let words = if private { &mut program.thread_private } else { &mut program.thread_shared };
                        copy_words(&bytes, &mut words[offset as usize / 8..]);
                    }
                    // A definition that gave way to another one must not spoil it.
                    Symbol::Address(at) if !global.is_weak || done.insert(at) => {
                        let offset = crate::memory::offset(at) as usize;
                        if crate::memory::space(at) == CONSTANTS {
                            let end = (offset + bytes.len()).min(program.constant_bytes.len());
                            program.constant_bytes[offset..end].copy_from_slice(&bytes[..end - offset]);
                        } else {
                            let storage = program.global_words[offset / 8].storage as usize;
                            copy_words(&bytes, &mut program.initial[storage..]);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn fill(&self, bytes: &mut [u8], at: usize, ty: &Type, constant: &Constant, module: usize, types: &Types) {
        let mut put = |value: &[u8]| {
            if let Some(place) = bytes.get_mut(at..at + value.len()) {
                place.copy_from_slice(value);
            }
        };
        match constant {
            Constant::Number(number) => put(&number.to_le_bytes()[..(types.size(ty) as usize).min(8)]),
            Constant::Wide(number) => put(&number.to_le_bytes()),
            Constant::Bytes(text) => put(text),
            Constant::Address(symbol, offset) => {
                if let Some(address) =
                    self.symbols[module].get(symbol).and_then(|symbol| symbol_address(symbol, *offset))
                {
                    put(&address.to_le_bytes());
                }
            }
            Constant::Aggregate(parts) => {
                for (index, (part, constant)) in parts.iter().enumerate() {
                    if let Some((offset, _)) = types.field(ty, index as u64) {
                        self.fill(bytes, at + offset as usize, part, constant, module, types);
                    }
                }
            }
            Constant::Zero | Constant::Undefined => {}
        }
    }

    fn lower_functions(&mut self, modules: &[u32]) {
        let files = self.files;
        let names: FxHashSet<&str> = files
            .iter()
            .flat_map(|(_, module)| &module.functions)
            .filter(|function| !function.blocks.is_empty())
            .map(|function| &*function.name)
            .collect();
        let defined = |name: &str| names.contains(name);
        let mut analyses = Vec::new();
        for (_, module) in files {
            let bodies = module.functions.iter().filter(|function| !function.blocks.is_empty());
            analyses.extend(bodies.map(|function| Analysis::new(function, &module.types, !self.program.options.unset)));
        }
        let fates = fates(&analyses, &defined);
        let promoted: Vec<FxHashSet<Box<str>>> = analyses.iter().map(|analysis| analysis.promoted.clone()).collect();
        let bodies = files.iter().flat_map(|(_, module)| &module.functions);
        let bodies: Vec<(&crate::ir::Function, &FxHashSet<Box<str>>)> =
            bodies.filter(|function| !function.blocks.is_empty()).zip(&promoted).collect();
        let calm = calm_functions(&bodies, &defined);
        let mut promoted = promoted.iter();
        let mut analyses = analyses.into_iter();
        for (number, (_, module)) in files.iter().enumerate() {
            for function in module.functions.iter().filter(|function| !function.blocks.is_empty()) {
                let (Some(analysis), Some(promoted)) = (analyses.next(), promoted.next()) else { return };
                let Some(Symbol::Function(index)) = self.symbols[number].get(&function.name) else { continue };
                let is_open = self.program.functions[index as usize].body == Body::Code(NONE);
                if is_open {
                    let loops = waiting_loops(function, promoted, &calm, &defined);
                    let mut locals = analysis.locals(&fates, &defined);
                    if self.program.options.all_visible {
                        locals.private.clear();
                    }
                    lower(
                        &mut self.program,
                        index,
                        function,
                        module,
                        modules[number],
                        &self.symbols[number],
                        &locals,
                        &fates,
                        &loops,
                    );
                }
            }
        }
        // Of two functions with one name in one file, the other one.
        for function in self.program.functions.iter_mut().filter(|function| function.body == Body::Code(NONE)) {
            function.body = Body::Missing;
        }
    }

    /// What `main` is given: how many arguments there are, and where they are.
    fn add_arguments(&mut self) {
        let given: Vec<String> =
            std::iter::once("program".to_owned()).chain(self.program.options.arguments.iter().cloned()).collect();
        if self.program.functions[self.program.entry as usize].parameters < 2 {
            self.program.main_arguments = vec![given.len() as u64];
            return;
        }
        let mut places: Vec<u8> = Vec::new();
        for text in &given {
            let at = self.add_constant("(argument)", [text.as_bytes(), &[0]].concat());
            places.extend(at.to_le_bytes());
        }
        places.extend([0; 8]);
        let list = self.add_constant("argv", places);
        self.program.main_arguments = vec![given.len() as u64, list];
    }

    fn add_constant(&mut self, name: &str, bytes: Vec<u8>) -> u64 {
        let size = bytes.len() as u64;
        let global = Global {
            name: Arc::from(name),
            ty: Type::Array(size, Type::Int(8).into()),
            initial: None,
            is_constant: true,
            is_thread_local: false,
            is_internal: true,
            is_weak: false,
            align: 8,
            debug: None,
        };
        let Symbol::Address(at) = self.place(0, &Module::default(), &global, size) else { return 0 };
        let start = crate::memory::offset(at) as usize;
        self.program.constant_bytes[start..start + bytes.len()].copy_from_slice(&bytes);
        at
    }

    fn finish(mut self) -> Result<Program, ReadError> {
        let entry = self.program.options.entry.clone();
        let found = self
            .program
            .functions
            .iter()
            .position(|function| *function.name == *entry && matches!(function.body, Body::Code(_)));
        let Some(found) = found else {
            let file = self.files.first().map_or("", |(file, _)| file);
            let label = "expected a file that defines it, or the name of another function with --entry";
            return Err(trouble(file, format!("there is no function `{entry}`"), label));
        };
        self.program.entry = found as u32;
        self.add_arguments();
        self.program.learn_features();
        Ok(self.program)
    }
}

/// The value of a symbol as a number.
pub(crate) fn symbol_address(symbol: Symbol, offset: i64) -> Option<u64> {
    match symbol {
        Symbol::Address(address) => Some(address.wrapping_add(offset as u64)),
        Symbol::Function(number) => Some(address(FUNCTIONS, u64::from(number)).wrapping_add(offset as u64)),
        Symbol::ThreadLocal { .. } => None,
    }
}

fn is_stream(name: &str) -> bool {
    matches!(name, "stdout" | "stderr" | "stdin" | "__stdoutp" | "__stderrp" | "__stdinp")
}

fn copy_words(bytes: &[u8], words: &mut [u64]) {
    for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut eight = [0; 8];
        eight[..chunk.len()].copy_from_slice(chunk);
        *word = u64::from_le_bytes(eight);
    }
}

fn drop_symbols(constant: &Constant, from: &mut FxHashSet<Arc<str>>) {
    match constant {
        Constant::Address(symbol, _) => {
            from.remove(symbol);
        }
        Constant::Aggregate(parts) => parts.iter().for_each(|(_, part)| drop_symbols(part, from)),
        _ => {}
    }
}

/// `llvm.threadlocal.address`, which newer versions put before each use.
pub(crate) fn is_thread_local_address(callee: &Value) -> bool {
    matches!(callee, Value::Constant(Constant::Address(name, 0)) if name.starts_with("llvm.threadlocal.address"))
}

fn addresses_of_thread_locals(function: &crate::ir::Function) -> FxHashMap<&str, &Arc<str>> {
    let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    let addresses = instructions.filter_map(|instruction| match &instruction.operation {
        Operation::Call { callee, arguments, .. } if is_thread_local_address(callee) => match &arguments.first()?.value
        {
            Value::Constant(Constant::Address(symbol, _)) => Some((instruction.result.as_deref()?, symbol)),
            _ => None,
        },
        _ => None,
    });
    addresses.collect()
}
