//! From the instructions of a function to register code.
//!
//! Promoted variables are registers, so their loads and stores are moves. All other variables of fixed size have their place in
//! the frame's memory. Phis become moves on edges. Values of structure types are a register for each scalar.
//! What is not understood becomes an instruction that ends the run, if it is ever reached.

use crate::code::{
    Binary, Body, Conversion, Home, Instruction as I, List, LocalVariable, NONE, Operand, Pc, Predicate, Program,
    Register, RoutineCall, Spin, SwitchTable,
};
use crate::escape::{Fates, Locals};
use crate::ir::{
    Argument, Constant, Function, Instruction, Module, Operation, Order, Type, Types, Value, sign_extended,
};
use crate::library::Routine;
use crate::link::{Symbol, Symbols, is_thread_local_address, symbol_address};
use crate::registers;
use crate::spin::Loop;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// How many scalars a value may have.
const MOST_LEAVES: usize = 16;
/// The most bytes of local variables in memory that a function may have.
const LARGEST_FRAME: u64 = 8 << 20;

/// The scalars of a value.
type Parts = SmallVec<[Operand; 2]>;

type Lowered<T> = Result<T, String>;

/// Lowers a function, and adds it to the program.
#[expect(clippy::too_many_arguments, reason = "they are what a function is made from")]
pub(crate) fn lower(
    program: &mut Program,
    index: u32,
    function: &Function,
    module: &Module,
    debug: u32,
    symbols: &Symbols,
    locals: &Locals,
    fates: &FxHashMap<&str, Fates>,
    loops: &[Loop],
) {
    let first_pool = program.pool.len();
    let first_spin = program.spins.len() as u32;
    for spin in loops {
        let parent = spin.parent.map_or(NONE, |parent| first_spin + parent as u32);
        program.spins.push(Spin { parent, keeps: spin.kept.is_some() });
    }
    let mut lowering = Lowering {
        types: &module.types,
        function,
        debug,
        symbols,
        locals,
        fates,
        loops,
        first_spin,
        registers: 0,
        values: FxHashMap::default(),
        homes: FxHashMap::default(),
        constants: FxHashMap::default(),
        code: Vec::new(),
        places: Vec::new(),
        place: NONE,
        blocks: FxHashMap::default(),
        starts: Vec::new(),
        stubs: Vec::new(),
        shared: 0,
        private: 0,
        varargs: NONE,
        program,
    };
    lowering.run();
    let Lowering { code, places, registers, starts, shared, private, values, homes, .. } = lowering;
    let parameters = function
        .parameters
        .iter()
        .map(|parameter| module.types.leaves(&parameter.ty, MOST_LEAVES).map_or(1, |leaves| leaves.len()));
    let parameters = parameters.sum::<usize>() as u32 + u32::from(function.is_variadic);
    let mut variables = Vec::new();
    for (place, number) in &function.variables {
        let Some((name, ty)) = program.debug.variable((debug, *number)) else { continue };
        let home = match homes.get(&**place) {
            Some(&(offset, private)) => Home::Memory { offset, private },
            None => {
                match values.get(&**place).map(|parts| (parts.first().and_then(|part| part.as_register()), parts.len()))
                {
                    Some((Some(register), 1)) => Home::Register(register),
                    _ => continue,
                }
            }
        };
        variables.push(LocalVariable { name: Arc::from(name), home, ty });
    }
    let finished = registers::finish(program, code, places, &starts, registers, parameters, first_pool, &mut variables);
    let entry = program.code.len() as Pc - finished.instructions;
    let end = program.code.len() as Pc;
    let target = &mut program.functions[index as usize];
    target.body = Body::Code(entry);
    target.end = end;
    target.registers = finished.registers;
    target.parameters = parameters - u32::from(function.is_variadic);
    target.is_variadic = function.is_variadic;
    target.shared_words = shared / 8;
    target.private_words = private / 8;
    target.variables = variables;
    target.debug = function.debug.map(|number| (debug, number));
}

struct Lowering<'p, 'l> {
    program: &'p mut Program,
    types: &'l Types,
    function: &'l Function,
    debug: u32,
    symbols: &'l Symbols,
    locals: &'l Locals,
    fates: &'l FxHashMap<&'l str, Fates>,
    /// The loops that may wait, and the program's number of the first.
    loops: &'l [Loop],
    first_spin: u32,
    registers: u32,
    /// The registers of local values.
    values: FxHashMap<&'l str, Parts>,
    /// Variables in the frame's memory, and addresses of their parts: where, and whether they are private.
    homes: FxHashMap<&'l str, (u32, bool)>,
    constants: FxHashMap<u64, Operand>,
    code: Vec<I>,
    places: Vec<u32>,
    place: u32,
    /// Blocks by name. Targets of jumps are numbers of blocks at first.
    blocks: FxHashMap<&'l str, u32>,
    /// Where each block begins.
    starts: Vec<Pc>,
    /// Edges with moves on them: their number, and from where to where.
    stubs: Vec<(u32, u32, u32)>,
    shared: u32,
    private: u32,
    /// The register with the address of further arguments.
    varargs: Register,
}

impl<'l> Lowering<'_, 'l> {
    fn run(&mut self) {
        let function = self.function;
        for (number, block) in function.blocks.iter().enumerate() {
            self.blocks.insert(&block.name, number as u32);
        }
        self.starts = vec![NONE; function.blocks.len()];
        // What has no place in the source stands at the first place that the function has.
        let mut places = function.blocks.iter().flat_map(|block| &block.instructions).filter_map(|each| each.debug);
        self.place = places.find_map(|debug| self.program.debug.place(self.debug, debug)).unwrap_or(NONE);
        for parameter in &function.parameters {
            let count = self.leaf_types(&parameter.ty).map_or(1, |leaves| leaves.len());
            let parts = (0..count).map(|_| Operand::register(self.fresh())).collect();
            self.values.insert(&parameter.name, parts);
        }
        if function.is_variadic {
            self.varargs = self.fresh();
        }
        // Variables of fixed size have places in the frame. Registers that others use before they are set stand ready.
        for (number, block) in function.blocks.iter().enumerate() {
            for instruction in &block.instructions {
                let Some(name) = instruction.result.as_deref() else { continue };
                if let Operation::Alloca { ty, count } = &instruction.operation {
                    if self.locals.promoted.contains(name) {
                        let register = self.fresh();
                        self.values.insert(name, smallvec![Operand::register(register)]);
                        continue;
                    }
                    let fixed = match count {
                        None => Some(1),
                        Some((_, Value::Constant(Constant::Number(count)))) => Some(*count),
                        _ => None,
                    };
                    if let Some(count) = fixed
                        && number == 0
                    {
                        let bytes = self.types.size(ty).saturating_mul(count);
                        self.reserve(name, bytes, self.types.align(ty));
                    }
                }
            }
        }
        if u64::from(self.shared) + u64::from(self.private) > LARGEST_FRAME {
            (self.shared, self.private) = (0, 0);
            self.homes.clear();
            self.starts.fill(0);
            self.unsupported(format!("more than {} MiB of local variables are not modelled", LARGEST_FRAME >> 20));
            return;
        }
        for (number, block) in function.blocks.iter().enumerate() {
            self.starts[number] = self.code.len() as Pc;
            for instruction in &block.instructions {
                if let Some(place) = instruction.debug.and_then(|debug| self.program.debug.place(self.debug, debug)) {
                    self.place = place;
                }
                if let Err(message) = self.instruction(number as u32, instruction) {
                    self.unsupported(message);
                }
            }
        }
        let mut next = 0;
        while let Some(&(stub, from, to)) = self.stubs.get(next) {
            next += 1;
            self.starts[stub as usize] = self.code.len() as Pc;
            if let Err(message) = self.moves(from, to) {
                self.unsupported(message);
            }
            self.mark_round(from, to);
            self.emit(I::Jump { to });
        }
    }

    fn unsupported(&mut self, message: String) {
        let number = self.program.messages.len() as u32;
        self.program.messages.push(message);
        self.emit(I::Unsupported { message: number });
    }

    fn emit(&mut self, instruction: I) {
        self.code.push(instruction);
        self.places.push(self.place);
    }

    fn fresh(&mut self) -> Register {
        self.registers += 1;
        self.registers - 1
    }

    fn constant(&mut self, value: u64) -> Operand {
        if let Some(&known) = self.constants.get(&value) {
            return known;
        }
        let operand = Operand::constant(self.program.constants.len());
        self.program.constants.push(value);
        self.constants.insert(value, operand);
        operand
    }

    fn list(&mut self, operands: impl IntoIterator<Item = Operand>) -> List {
        let start = self.program.pool.len() as u32;
        self.program.pool.extend(operands);
        List { start, length: self.program.pool.len() as u32 - start }
    }

    /// Gives a variable its place in the frame's memory.
    fn reserve(&mut self, name: &'l str, bytes: u64, align: u64) {
        let private = self.locals.private.contains(name);
        let top = if private { &mut self.private } else { &mut self.shared };
        let at = (u64::from(*top) + 8).next_multiple_of(align.max(8)).min(LARGEST_FRAME);
        // A frame that is larger is refused as a whole.
        *top = (at + bytes.min(LARGEST_FRAME).next_multiple_of(8)) as u32;
        self.homes.insert(name, (at as u32, private));
    }

    fn leaf_types(&self, ty: &Type) -> Lowered<Vec<(u64, Type)>> {
        let told = || format!("a value of {} bytes in registers is not modelled", self.types.size(ty));
        self.types.leaves(ty, MOST_LEAVES).ok_or_else(told)
    }

    fn width(&self, ty: &Type) -> Lowered<u8> {
        self.types.width(ty).ok_or_else(|| match self.types.resolve(ty) {
            Type::Int(bits) => format!("numbers of {bits} bits are not modelled"),
            Type::Vector(..) => "vectors are not modelled".to_owned(),
            _ => "a value of this type is not modelled".to_owned(),
        })
    }

    fn size(&self, ty: &Type) -> Lowered<u8> {
        self.width(ty)?;
        Ok(if *self.types.resolve(ty) == Type::LongDouble { 8 } else { self.types.size(ty) as u8 })
    }

    /// The scalars of a value.
    fn parts(&mut self, value: &'l Value, ty: &Type) -> Lowered<Parts> {
        match value {
            Value::Local(name) => {
                if let Some(&(offset, private)) = self.homes.get(&**name) {
                    let dst = self.fresh();
                    self.emit(I::Local { dst, offset, private });
                    return Ok(smallvec![Operand::register(dst)]);
                }
                self.registers_of(name, ty)
            }
            Value::Constant(constant) => {
                let mut parts = Parts::new();
                self.constant_parts(constant, ty, &mut parts)?;
                Ok(parts)
            }
            Value::Metadata(_) => Ok(smallvec![self.constant(0)]),
            Value::Assembly(_) => Err("inline assembly is not modelled".to_owned()),
        }
    }

    /// The registers of a local value, which may be set later in the text.
    fn registers_of(&mut self, name: &'l str, ty: &Type) -> Lowered<Parts> {
        if let Some(parts) = self.values.get(name) {
            return Ok(parts.clone());
        }
        let count = self.leaf_types(ty)?.len();
        let parts: Parts = (0..count).map(|_| Operand::register(self.fresh())).collect();
        self.values.insert(name, parts.clone());
        Ok(parts)
    }

    fn constant_parts(&mut self, constant: &Constant, ty: &Type, into: &mut Parts) -> Lowered<()> {
        match constant {
            Constant::Number(number) => into.push(self.constant(*number)),
            Constant::Address(symbol, offset) => {
                let operand = match self.symbols.get(symbol) {
                    Some(Symbol::ThreadLocal { offset: at, private }) => {
                        let dst = self.fresh();
                        self.emit(I::ThreadLocal { dst, offset: at.wrapping_add(*offset as u32), private });
                        Operand::register(dst)
                    }
                    Some(known) => {
                        let address = symbol_address(known, *offset).unwrap_or(0);
                        self.constant(address)
                    }
                    None => return Err(format!("`{symbol}` is defined in no file")),
                };
                into.push(operand);
            }
            Constant::Zero | Constant::Undefined => {
                for _ in self.leaf_types(ty)? {
                    let zero = self.constant(0);
                    into.push(zero);
                }
            }
            Constant::Aggregate(parts) if self.types.width(ty).is_none() => {
                for (ty, part) in parts {
                    self.constant_parts(part, ty, into)?;
                }
            }
            Constant::Wide(number) => {
                let (low, high) = (self.constant(*number as u64), self.constant((*number >> 64) as u64));
                into.extend([low, high]);
            }
            Constant::Aggregate(parts) => {
                // A small vector.
                let (mut bits, mut at) = (0u64, 0);
                for (ty, part) in parts {
                    let Constant::Number(number) = part else { return Err("this constant is not modelled".to_owned()) };
                    bits |= number << at;
                    at += 8 * self.types.size(ty);
                }
                let operand = self.constant(bits);
                into.push(operand);
            }
            Constant::Bytes(bytes) => {
                for &byte in bytes.iter() {
                    let operand = self.constant(u64::from(byte));
                    into.push(operand);
                }
            }
        }
        Ok(())
    }

    /// A value that is one scalar.
    fn scalar(&mut self, value: &'l Value, ty: &Type) -> Lowered<Operand> {
        match self.parts(value, ty)?[..] {
            [part] => Ok(part),
            _ => Err(self.width(ty).err().unwrap_or_else(|| "a structure is not modelled here".to_owned())),
        }
    }

    fn pointer(&mut self, value: &'l Value) -> Lowered<Operand> {
        self.scalar(value, &Type::Pointer)
    }

    /// The register for a result.
    fn result(&mut self, name: Option<&'l str>) -> Register {
        match name {
            None => self.fresh(),
            Some(name) => {
                let known = self.values.get(name).and_then(|parts| parts.first()).and_then(|part| part.as_register());
                known.unwrap_or_else(|| {
                    let register = self.fresh();
                    self.values.insert(name, smallvec![Operand::register(register)]);
                    register
                })
            }
        }
    }

    /// The registers for a result.
    fn results(&mut self, name: Option<&'l str>, ty: &Type) -> Lowered<Parts> {
        match name {
            Some(name) => self.registers_of(name, ty),
            None => Ok(self.leaf_types(ty)?.iter().map(|_| Operand::register(self.fresh())).collect()),
        }
    }

    fn is_promoted(&self, pointer: &Value) -> bool {
        matches!(pointer, Value::Local(name) if self.locals.promoted.contains(name))
    }

    /// An address and this many bytes.
    fn plus(&mut self, base: Operand, bytes: u64) -> Operand {
        if bytes == 0 {
            return base;
        }
        let (dst, right) = (self.fresh(), self.constant(bytes));
        self.emit(I::Binary { operation: Binary::Add, width: 64, dst, left: base, right });
        Operand::register(dst)
    }

    fn instruction(&mut self, block: u32, instruction: &'l Instruction) -> Lowered<()> {
        let result = instruction.result.as_deref();
        match &instruction.operation {
            Operation::Phi { .. } => {}
            Operation::Alloca { ty, count } => {
                let Some(name) = result else { return Ok(()) };
                if self.locals.promoted.contains(name) {
                    // What is not set yet is 0, in every round of a loop.
                    let (dst, src) = (self.result(result), self.constant(0));
                    self.emit(I::Move { dst, src });
                } else if !self.homes.contains_key(name) {
                    let private = self.locals.private.contains(name);
                    let size = self.types.size(ty);
                    let bytes = match count {
                        None => self.constant(size),
                        Some((ty, count)) => {
                            let (count, dst, right) = (self.scalar(count, ty)?, self.fresh(), self.constant(size));
                            self.emit(I::Binary { operation: Binary::Multiply, width: 64, dst, left: count, right });
                            Operand::register(dst)
                        }
                    };
                    let dst = self.result(result);
                    self.emit(I::Allocate { dst, bytes, private });
                }
            }
            Operation::Load { ty, pointer, order } => {
                if self.is_promoted(pointer) {
                    let (src, dst) = (self.pointer(pointer)?, self.result(result));
                    self.emit(I::Move { dst, src });
                    return Ok(());
                }
                let base = self.pointer(pointer)?;
                let leaves = self.leaf_types(ty)?;
                let results = self.results(result, ty)?;
                for ((offset, leaf), dst) in leaves.iter().zip(results) {
                    let (pointer, size) = (self.plus(base, *offset), self.size(leaf)?);
                    let dst = dst.as_register().unwrap_or(NONE);
                    self.emit(I::Load { dst, pointer, size, order: *order });
                }
            }
            Operation::Store { ty, value, pointer, order } => {
                if self.is_promoted(pointer) {
                    let (src, variable) = (self.scalar(value, ty)?, self.pointer(pointer)?);
                    let dst = variable.as_register().unwrap_or(NONE);
                    self.emit(I::Move { dst, src });
                    return Ok(());
                }
                let (values, base) = (self.parts(value, ty)?, self.pointer(pointer)?);
                for ((offset, leaf), value) in self.leaf_types(ty)?.iter().zip(values) {
                    let (pointer, size) = (self.plus(base, *offset), self.size(leaf)?);
                    self.emit(I::Store { value, pointer, size, order: *order });
                }
            }
            Operation::ReadModifyWrite { operation, pointer, ty, value, order } => {
                let (pointer, value) = (self.pointer(pointer)?, self.scalar(value, ty)?);
                let operation = binary(operation).ok_or_else(|| format!("atomicrmw {operation} is not modelled"))?;
                let (size, dst) = (self.size(ty)?, self.result(result));
                self.emit(I::Modify { operation, size, order: *order, dst, pointer, value });
            }
            Operation::CompareExchange { pointer, ty, expected, new, order, failure } => {
                let pointer = self.pointer(pointer)?;
                let (expected, new, size) = (self.scalar(expected, ty)?, self.scalar(new, ty)?, self.size(ty)?);
                let operands = self.list([expected, new]).start;
                let pair = Type::Struct { fields: [ty.clone(), Type::Int(1)].into(), packed: false };
                let results = self.results(result, &pair)?;
                if results.len() != 2 {
                    // The text has another value of this name.
                    return Err("the result of this cmpxchg is no pair".to_owned());
                }
                let results = self.list(results).start;
                self.emit(I::Exchange { pointer, operands, results, size, order: *order, failure: *failure });
            }
            Operation::Fence { order } => self.emit(I::Fence { order: *order }),
            Operation::Binary { operation, ty, left, right } => {
                let (left, right, width) = (self.scalar(left, ty)?, self.scalar(right, ty)?, self.width(ty)?);
                let operation = binary(operation).ok_or_else(|| format!("{operation} is not modelled"))?;
                if matches!(self.types.resolve(ty), Type::Vector(..)) {
                    return Err("vectors are not modelled".to_owned());
                }
                let dst = self.result(result);
                self.emit(I::Binary { operation, width, dst, left, right });
            }
            Operation::Negate { ty, value } => {
                let (src, width, dst) = (self.scalar(value, ty)?, self.width(ty)?, self.result(result));
                self.emit(I::Convert { conversion: Conversion::Negate, from: width, to: width, dst, src });
            }
            Operation::Compare { is_float, predicate, ty, left, right } => {
                let (left, right, width) = (self.scalar(left, ty)?, self.scalar(right, ty)?, self.width(ty)?);
                let known = if *is_float { float_predicate(predicate) } else { integer_predicate(predicate) };
                let predicate = known.ok_or_else(|| format!("the comparison {predicate} is not modelled"))?;
                let dst = self.result(result);
                self.emit(I::Compare { predicate, width, dst, left, right });
            }
            Operation::Cast { operation, from, value, to } => self.cast(operation, from, value, to, result)?,
            Operation::Element { ty, base, indices } => self.element(ty, base, indices, result)?,
            Operation::Select { condition, ty, yes, no } => {
                let condition = self.scalar(condition, &Type::Int(1))?;
                let (yes, no) = (self.parts(yes, ty)?, self.parts(no, ty)?);
                let results = self.results(result, ty)?;
                for ((dst, yes), no) in results.into_iter().zip(yes).zip(no) {
                    let dst = dst.as_register().unwrap_or(NONE);
                    self.emit(I::Select { dst, condition, yes, no });
                }
            }
            Operation::Extract { ty, value, path } => {
                let parts = self.parts(value, ty)?;
                let (first, inner) = self.part_of(ty, path)?;
                let count = self.leaf_types(&inner)?.len();
                let results = self.results(result, &inner)?;
                for (dst, src) in results.into_iter().zip(parts.into_iter().skip(first).take(count)) {
                    let dst = dst.as_register().unwrap_or(NONE);
                    self.emit(I::Move { dst, src });
                }
            }
            Operation::Insert { ty, value, element_type, element, path } => {
                let mut parts = self.parts(value, ty)?;
                let elements = self.parts(element, element_type)?;
                let (first, _) = self.part_of(ty, path)?;
                for (number, element) in elements.into_iter().enumerate() {
                    if let Some(part) = parts.get_mut(first + number) {
                        *part = element;
                    }
                }
                let results = self.results(result, ty)?;
                for (dst, src) in results.into_iter().zip(parts) {
                    let dst = dst.as_register().unwrap_or(NONE);
                    self.emit(I::Move { dst, src });
                }
            }
            Operation::Call { result: ty, callee, arguments } => self.call(ty, callee, arguments, result)?,
            Operation::VariableArgument { list, ty } => {
                // A list that is one pointer: the next argument is where it points to.
                let (list, size) = (self.pointer(list)?, self.size(ty)?);
                let at = self.fresh();
                self.emit(I::Load { dst: at, pointer: list, size: 8, order: Order::None });
                let dst = self.result(result);
                self.emit(I::Load { dst, pointer: Operand::register(at), size, order: Order::None });
                let next = self.plus(Operand::register(at), 8);
                self.emit(I::Store { value: next, pointer: list, size: 8, order: Order::None });
            }
            Operation::Jump { to } => {
                let to = self.target(to)?;
                self.moves(block, to)?;
                self.mark_round(block, to);
                self.emit(I::Jump { to });
            }
            Operation::Branch { condition, yes, no } => {
                let condition = self.scalar(condition, &Type::Int(1))?;
                let (yes, no) = (self.edge(block, yes)?, self.edge(block, no)?);
                self.emit(I::Branch { condition, yes, no });
            }
            Operation::Switch { ty, value, default, cases } => {
                let value = self.scalar(value, ty)?;
                let default = self.edge(block, default)?;
                let mut table = SwitchTable { default, cases: Vec::new() };
                for (case, to) in cases {
                    let to = self.edge(block, to)?;
                    table.cases.push((*case, to));
                }
                table.cases.sort_unstable_by_key(|case| case.0);
                self.program.switches.push(table);
                self.emit(I::Switch { value, table: self.program.switches.len() as u32 - 1 });
            }
            Operation::Return { ty, value } => {
                let parts = match value {
                    None => Parts::new(),
                    Some(value) => self.parts(value, ty)?,
                };
                let values = self.list(parts);
                self.emit(I::Return { values });
            }
            Operation::Unreachable => self.emit(I::Unreachable),
            Operation::Unknown(name) => return Err(format!("the instruction `{name}` is not modelled")),
        }
        Ok(())
    }

    fn cast(
        &mut self,
        operation: &str,
        from: &Type,
        value: &'l Value,
        to: &Type,
        result: Option<&'l str>,
    ) -> Lowered<()> {
        // The address of a variable is that of its first part.
        if operation == "bitcast"
            && let (Value::Local(name), Some(result)) = (value, result)
            && let Some(&home) = self.homes.get(&**name)
        {
            self.homes.insert(result, home);
            return Ok(());
        }
        if operation == "bitcast" && self.types.width(from).is_none() {
            let (parts, results) = (self.parts(value, from)?, self.results(result, to)?);
            for (dst, src) in results.into_iter().zip(parts) {
                let dst = dst.as_register().unwrap_or(NONE);
                self.emit(I::Move { dst, src });
            }
            return Ok(());
        }
        let (src, from_width, to_width) = (self.scalar(value, from)?, self.width(from)?, self.width(to)?);
        let dst = self.result(result);
        let convert = |conversion| I::Convert { conversion, from: from_width, to: to_width, dst, src };
        self.emit(match operation {
            "sext" => I::SignExtend { from: from_width, to: to_width, dst, src },
            "sitofp" => convert(Conversion::SignedToFloat),
            "uitofp" => convert(Conversion::UnsignedToFloat),
            "fptosi" => convert(Conversion::FloatToSigned),
            "fptoui" => convert(Conversion::FloatToUnsigned),
            "fpext" | "fptrunc" => convert(Conversion::FloatToFloat),
            _ if to_width < from_width => I::Truncate { width: to_width, dst, src },
            _ => I::Move { dst, src },
        });
        Ok(())
    }

    fn element(
        &mut self,
        ty: &Type,
        base: &'l Value,
        indices: &'l [(Type, Value)],
        result: Option<&'l str>,
    ) -> Lowered<()> {
        let (mut of, mut offset, mut is_first) = (ty.clone(), 0u64, true);
        let mut scaled: Vec<(&'l Value, &'l Type, u64)> = Vec::new();
        for (index_type, index) in indices {
            let (size, inner) = if std::mem::take(&mut is_first) {
                (self.types.size(&of), None)
            } else if let Type::Array(_, element) | Type::Vector(_, element) = self.types.resolve(&of) {
                (self.types.size(element), Some((**element).clone()))
            } else {
                let Value::Constant(Constant::Number(number)) = index else {
                    return Err("a field that is no constant".to_owned());
                };
                let (at, field) = self.types.field(&of, *number).ok_or("a field that does not exist")?;
                offset = offset.wrapping_add(at);
                of = field.clone();
                continue;
            };
            match index {
                Value::Constant(Constant::Number(number)) => {
                    let number = sign_extended(*number, self.width(index_type)?);
                    offset = offset.wrapping_add(number.wrapping_mul(size));
                }
                Value::Constant(Constant::Zero | Constant::Undefined) => {}
                other => scaled.push((other, index_type, size)),
            }
            of = inner.unwrap_or(of);
        }
        if scaled.is_empty()
            && let (Value::Local(name), Some(result)) = (base, result)
            && let Some(&(at, private)) = self.homes.get(&**name)
        {
            self.homes.insert(result, (at.wrapping_add(offset as u32), private));
            return Ok(());
        }
        let mut address = self.pointer(base)?;
        for (index, index_type, size) in scaled {
            let (mut index, width) = (self.scalar(index, index_type)?, self.width(index_type)?);
            if width < 64 {
                let dst = self.fresh();
                self.emit(I::SignExtend { from: width, to: 64, dst, src: index });
                index = Operand::register(dst);
            }
            let dst = self.fresh();
            let scale = u32::try_from(size).map_err(|_| "an element of this size is not modelled".to_owned())?;
            self.emit(I::Index { dst, base: address, index, scale });
            address = Operand::register(dst);
        }
        let src = self.plus(address, offset);
        let dst = self.result(result);
        self.emit(I::Move { dst, src });
        Ok(())
    }

    /// Which scalar a part begins with, and the part's type.
    fn part_of(&self, ty: &Type, path: &[u64]) -> Lowered<(usize, Type)> {
        let (mut first, mut of) = (0, ty.clone());
        for &index in path {
            for before in 0..index {
                let (_, field) = self.types.field(&of, before).ok_or("a field that does not exist")?;
                first += self.leaf_types(field)?.len();
            }
            of = self.types.field(&of, index).ok_or("a field that does not exist")?.1.clone();
        }
        Ok((first, of))
    }

    fn target(&self, name: &str) -> Lowered<u32> {
        self.blocks.get(name).copied().ok_or_else(|| format!("there is no block `{name}`"))
    }

    fn has_phis(&self, block: u32) -> bool {
        let first = self.function.blocks[block as usize].instructions.first();
        first.is_some_and(|first| matches!(first.operation, Operation::Phi { .. }))
    }

    /// Notes that an edge leads into a loop that may wait, or from one of its rounds to the next.
    fn mark_round(&mut self, from: u32, to: u32) {
        if let Some(number) = self.loops.iter().position(|spin| spin.head == to) {
            let (spin, known) = (self.first_spin + number as u32, &self.loops[number]);
            let register = known.kept.as_deref().and_then(|kept| self.values.get(kept)?.first().copied());
            let kept = register.unwrap_or_else(|| self.constant(0));
            self.emit(if known.has(from) { I::Again { spin, kept } } else { I::Enter { spin, kept } });
        }
    }

    /// The block to go to from a branch: a stub, if something happens on the edge.
    fn edge(&mut self, from: u32, to: &str) -> Lowered<u32> {
        let to = self.target(to)?;
        if !self.has_phis(to) && self.loops.iter().all(|spin| spin.head != to) {
            return Ok(to);
        }
        let known = self.stubs.iter().find(|stub| (stub.1, stub.2) == (from, to)).map(|stub| stub.0);
        Ok(known.unwrap_or_else(|| {
            let stub = self.starts.len() as u32;
            self.starts.push(NONE);
            self.stubs.push((stub, from, to));
            stub
        }))
    }

    /// The moves that the phis of a block ask for on an edge.
    fn moves(&mut self, from: u32, to: u32) -> Lowered<()> {
        if !self.has_phis(to) {
            return Ok(());
        }
        let function: &'l Function = self.function;
        let name = &function.blocks[from as usize].name;
        let (mut sources, mut results) = (Parts::new(), Parts::new());
        for instruction in &function.blocks[to as usize].instructions {
            let Operation::Phi { ty, incoming } = &instruction.operation else { break };
            let value = incoming.iter().find(|(_, label)| label == name).map(|(value, _)| value);
            let value = value.ok_or_else(|| format!("a phi without a value for the block `{name}`"))?;
            sources.extend(self.parts(value, ty)?);
            results.extend(self.results(instruction.result.as_deref(), ty)?);
        }
        if sources.len() > 1 {
            // All are read before any is set.
            for source in &mut sources {
                let dst = self.fresh();
                self.emit(I::Move { dst, src: *source });
                *source = Operand::register(dst);
            }
        }
        for (dst, src) in results.into_iter().zip(sources) {
            let dst = dst.as_register().unwrap_or(NONE);
            self.emit(I::Move { dst, src });
        }
        Ok(())
    }

    fn call(&mut self, ty: &Type, callee: &'l Value, given: &'l [Argument], result: Option<&'l str>) -> Lowered<()> {
        if let Value::Assembly(text) = callee {
            let text = String::from_utf8_lossy(text);
            let is_quiet = text.trim().is_empty()
                || [
                    "mfence", "lfence", "sfence", "pause", "nop", "rep nop", "rep; nop", "yield", "sync", "lwsync",
                    "isync", "dmb ish", "dmb sy", "isb",
                ]
                .iter()
                .any(|word| text.trim() == *word);
            return if is_quiet { Ok(()) } else { Err("inline assembly is not modelled".to_owned()) };
        }
        if is_thread_local_address(callee)
            && let [argument] = given
        {
            let (src, dst) = (self.pointer(&argument.value)?, self.result(result));
            self.emit(I::Move { dst, src });
            return Ok(());
        }
        let symbol = match callee {
            Value::Constant(Constant::Address(name, 0)) => self.symbols.get(name).map(|symbol| (name, symbol)),
            _ => None,
        };
        let routine = match symbol {
            Some((name, Symbol::Function(number))) => match self.program.functions[number as usize].body {
                Body::Routine(routine) => Some((routine, Arc::clone(name))),
                Body::Missing if name.starts_with("llvm.") => return self.intrinsic(name, ty, given, result),
                _ => None,
            },
            _ => None,
        };
        let mut operands = Parts::new();
        for (number, argument) in given.iter().enumerate() {
            if let Some(copied) = &argument.by_value {
                let escapes = symbol
                    .and_then(|(name, _)| self.fates.get(&**name))
                    .and_then(|fates| fates.get(number))
                    .is_none_or(|fate| fate.escapes || fate.returned);
                let copy = self.copy_of(&argument.value, copied, !escapes)?;
                operands.push(copy);
            } else {
                operands.extend(self.parts(&argument.value, &argument.ty)?);
            }
        }
        if let Some((routine, name)) = routine {
            return self.routine(routine, name, operands, ty, result);
        }
        let arguments = self.list(operands);
        let results = if *ty == Type::Void { Parts::new() } else { self.results(result, ty)? };
        let results = self.list(results);
        match (symbol, callee) {
            (Some((name, Symbol::Function(function))), _) => {
                let is_atomic = name.starts_with("__VERIFIER_atomic_");
                if is_atomic {
                    self.emit(I::AtomicBegin);
                }
                self.emit(I::Call { function, arguments, results });
                if is_atomic {
                    self.emit(I::AtomicEnd);
                }
            }
            (_, callee) => {
                let pointer = self.pointer(callee)?;
                self.emit(I::CallPointer { pointer, arguments, results });
            }
        }
        Ok(())
    }

    /// A copy of a structure that is passed by value.
    fn copy_of(&mut self, value: &'l Value, ty: &Type, private: bool) -> Lowered<Operand> {
        let source = self.pointer(value)?;
        let size = self.types.size(ty);
        let top = if private { &mut self.private } else { &mut self.shared };
        let at = top.saturating_add(8).next_multiple_of(8);
        *top = at.saturating_add((size as u32).next_multiple_of(8));
        let dst = self.fresh();
        self.emit(I::Local { dst, offset: at, private });
        let copy = Operand::register(dst);
        let size = self.constant(size);
        self.routine(Routine::CopyMemory, Arc::from("memcpy"), smallvec![copy, source, size], &Type::Void, None)?;
        let dst = self.fresh();
        self.emit(I::Local { dst, offset: at, private });
        Ok(Operand::register(dst))
    }

    fn routine(
        &mut self,
        routine: Routine,
        name: Arc<str>,
        mut operands: Parts,
        ty: &Type,
        result: Option<&'l str>,
    ) -> Lowered<()> {
        match routine {
            Routine::AtomicBegin => {
                self.emit(I::AtomicBegin);
                return Ok(());
            }
            Routine::AtomicEnd => {
                self.emit(I::AtomicEnd);
                return Ok(());
            }
            Routine::Nothing if *ty == Type::Void => return Ok(()),
            Routine::VaStart => {
                if self.varargs == NONE {
                    return Err("va_start in a function without further arguments".to_owned());
                }
                operands.push(Operand::register(self.varargs));
            }
            _ => {}
        }
        let width = self.types.width(ty).unwrap_or(64);
        let is_allocation =
            matches!(routine, Routine::Malloc | Routine::Calloc | Routine::Realloc | Routine::AlignedAlloc);
        let block_type = result.filter(|_| is_allocation).and_then(|result| self.stored_type(result));
        let arguments = self.list(operands);
        let result = if *ty == Type::Void { NONE } else { self.result(result) };
        let call = self.program.calls.len() as u32;
        self.program.calls.push(RoutineCall { routine, arguments, result, width, name, block_type });
        self.emit(I::Routine { call });
        Ok(())
    }

    /// What a value points to, if it is stored into a variable that the source names.
    fn stored_type(&self, value: &str) -> Option<(u32, u32)> {
        let is = |used: &Value, name: &str| matches!(used, Value::Local(local) if **local == *name);
        let instructions = || self.function.blocks.iter().flat_map(|block| &block.instructions);
        let cast = instructions().find_map(|instruction| match &instruction.operation {
            Operation::Cast { value: used, .. } if is(used, value) => instruction.result.as_deref(),
            _ => None,
        });
        let value = cast.unwrap_or(value);
        let pointer = instructions().find_map(|instruction| match &instruction.operation {
            Operation::Store { value: stored, pointer, .. } if is(stored, value) => Some(pointer),
            _ => None,
        })?;
        let ty = match pointer {
            Value::Local(variable) => {
                let (_, number) = self.function.variables.iter().find(|(place, _)| place == variable)?;
                self.program.debug.variable((self.debug, *number))?.1
            }
            Value::Constant(Constant::Address(name, 0)) => match self.symbols.get(name)? {
                Symbol::Address(at) => {
                    let place = crate::memory::offset(at) as u32;
                    let mut variables = self.program.variables.iter();
                    variables.find(|variable| !variable.is_constant && variable.address == place)?.ty
                }
                _ => None,
            },
            _ => None,
        };
        match self.program.debug.shape(ty?) {
            crate::debug::Shape::Pointer(of) => of,
            _ => None,
        }
    }

    /// Intrinsics whose result is more than a scalar.
    fn intrinsic(&mut self, name: &str, ty: &Type, given: &'l [Argument], result: Option<&'l str>) -> Lowered<()> {
        let unknown = || format!("{name} is not modelled");
        let mut parts = name.split('.').skip(1);
        let operation = match (parts.next(), parts.next(), parts.next()) {
            (Some(operation), Some("with"), Some("overflow")) => operation,
            _ => return Err(unknown()),
        };
        let [left, right] = given else { return Err(unknown()) };
        let width = self.width(&left.ty)?;
        let (left, right) = (self.scalar(&left.value, &left.ty)?, self.scalar(&right.value, &right.ty)?);
        let results = self.results(result, ty)?;
        let (calculated, signed) = match operation {
            "sadd" => (Binary::Add, true),
            "uadd" => (Binary::Add, false),
            "ssub" => (Binary::Subtract, true),
            "usub" => (Binary::Subtract, false),
            "smul" => (Binary::Multiply, true),
            "umul" => (Binary::Multiply, false),
            _ => return Err(unknown()),
        };
        let [value, flag] = results[..] else { return Err(unknown()) };
        let (value, flag) = (value.as_register().unwrap_or(NONE), flag.as_register().unwrap_or(NONE));
        // The operation and its kind go as numbers.
        let (code, is_signed, bits) =
            (self.constant(calculated as u64), self.constant(u64::from(signed)), self.constant(u64::from(width)));
        let name: Arc<str> = Arc::from(name);
        let arguments = self.list([left, right, code, is_signed, bits]);
        let call = self.program.calls.len() as u32;
        self.program.calls.push(RoutineCall {
            routine: Routine::AddOverflow,
            arguments,
            result: flag,
            width: 1,
            block_type: None,
            name,
        });
        self.emit(I::Routine { call });
        self.emit(I::Binary { operation: calculated, width, dst: value, left, right });
        Ok(())
    }
}

fn binary(name: &str) -> Option<Binary> {
    Some(match name {
        "add" => Binary::Add,
        "sub" => Binary::Subtract,
        "mul" => Binary::Multiply,
        "udiv" => Binary::DivideUnsigned,
        "sdiv" => Binary::Divide,
        "urem" => Binary::RemainderUnsigned,
        "srem" => Binary::Remainder,
        "shl" => Binary::ShiftLeft,
        "lshr" => Binary::ShiftRight,
        "ashr" => Binary::ShiftRightSigned,
        "and" => Binary::And,
        "or" => Binary::Or,
        "xor" => Binary::Xor,
        "nand" => Binary::Nand,
        "xchg" => Binary::Exchange,
        "max" => Binary::Max,
        "min" => Binary::Min,
        "umax" => Binary::MaxUnsigned,
        "umin" => Binary::MinUnsigned,
        "fadd" => Binary::FloatAdd,
        "fsub" => Binary::FloatSubtract,
        "fmul" => Binary::FloatMultiply,
        "fdiv" => Binary::FloatDivide,
        "frem" => Binary::FloatRemainder,
        _ => return None,
    })
}

fn integer_predicate(name: &str) -> Option<Predicate> {
    Some(match name {
        "eq" => Predicate::Equal,
        "ne" => Predicate::NotEqual,
        "slt" => Predicate::Less,
        "sle" => Predicate::LessOrEqual,
        "sgt" => Predicate::Greater,
        "sge" => Predicate::GreaterOrEqual,
        "ult" => Predicate::LessUnsigned,
        "ule" => Predicate::LessOrEqualUnsigned,
        "ugt" => Predicate::GreaterUnsigned,
        "uge" => Predicate::GreaterOrEqualUnsigned,
        _ => return None,
    })
}

fn float_predicate(name: &str) -> Option<Predicate> {
    Some(Predicate::Float(match name {
        "false" => 0,
        "oeq" => 1,
        "olt" => 2,
        "ole" => 3,
        "ogt" => 4,
        "oge" => 5,
        "one" => 6,
        "ord" => 7,
        "uno" => 8,
        "ueq" => 9,
        "ult" => 10,
        "ule" => 11,
        "ugt" => 12,
        "uge" => 13,
        "une" => 14,
        "true" => 15,
        _ => return None,
    }))
}
