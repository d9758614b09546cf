//! One function in the making: reading and writing the state, and ways out.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, Endianness, InstBuilder, MemFlagsData, Signature, Type, Value, types,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::FunctionBuilder;
use narrows_model::{Area, Overwrite, Place, Scalar, System};

use super::Interpreted;
use super::constant_channels::Facts;
use crate::native::level::Layout;
use crate::native::undo_log::{BLOCKED, DONE, EDGE_SHIFT, UNUSUAL, UndoLog};

/// The state is a string of bytes: nothing in it is aligned.
const FLAGS: MemFlagsData = MemFlagsData::new().with_notrap().with_endianness(Endianness::Little);

/// An address: a base and a constant.
#[derive(Clone, Copy)]
pub(super) struct Address {
    pub(super) base: Value,
    pub(super) offset: i32,
}

impl Address {
    pub(super) fn plus(self, bytes: u32) -> Address {
        Address { offset: self.offset + bytes as i32, ..self }
    }
}

pub(super) struct Emitter<'e, 'b> {
    pub(super) builder: FunctionBuilder<'b>,
    pub(super) system: &'e System,
    pub(super) layout: &'e Layout,
    pub(super) facts: &'e Facts,
    pub(super) undo_log: Value,
    pub(super) state: Value,
    pub(super) locals: Value,
    /// Where to go if the statement can't be executed.
    pub(super) blocked: Block,
    /// Where to go if something is unusual.
    pub(super) unusual: Block,
    /// Whether changes are noted.
    pub(super) notes: bool,
    /// How many changes are noted at most.
    pub(super) changes: usize,
    /// The number of the edge, in a function that is made of several.
    pub(super) edge: u32,
}

impl<'e, 'b> Emitter<'e, 'b> {
    pub(super) fn new(
        mut builder: FunctionBuilder<'b>,
        system: &'e System,
        layout: &'e Layout,
        facts: &'e Facts,
    ) -> Self {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let parameters = builder.block_params(entry);
        let (undo_log, state, locals) = (parameters[0], parameters[1], parameters[2]);
        let (blocked, unusual) = (builder.create_block(), builder.create_block());
        builder.set_cold_block(unusual);
        let mut emitter = Emitter {
            builder,
            system,
            layout,
            facts,
            undo_log,
            state,
            locals,
            blocked,
            unusual,
            notes: true,
            changes: 0,
            edge: 0,
        };
        let body = emitter.block();
        emitter.jump(body);
        emitter.go_to(blocked);
        emitter.leave(BLOCKED);
        emitter.go_to(unusual);
        emitter.leave(UNUSUAL);
        emitter.go_to(body);
        emitter
    }

    pub(super) fn finish(mut self, target: TargetFrontendConfig) {
        self.builder.seal_all_blocks();
        self.builder.finalize(target);
    }

    pub(super) fn block(&mut self) -> Block {
        self.builder.create_block()
    }

    pub(super) fn go_to(&mut self, block: Block) {
        self.builder.switch_to_block(block);
    }

    pub(super) fn jump(&mut self, block: Block) {
        self.builder.ins().jump(block, &[]);
    }

    pub(super) fn branch(&mut self, condition: Value, yes: Block, no: Block) {
        self.builder.ins().brif(condition, yes, &[], no, &[]);
    }

    /// Ends the function.
    pub(super) fn leave(&mut self, code: u32) {
        let code = self.constant((self.edge << EDGE_SHIFT | code) as i32);
        self.builder.ins().return_(&[code]);
    }

    pub(super) fn done(&mut self) {
        self.leave(DONE);
    }

    /// Goes on only if a condition is true.
    pub(super) fn demand(&mut self, condition: Value, otherwise: Block) {
        let next = self.block();
        self.branch(condition, next, otherwise);
        self.go_to(next);
    }

    pub(super) fn constant(&mut self, value: i32) -> Value {
        self.builder.ins().iconst(types::I32, i64::from(value as u32))
    }

    pub(super) fn address_constant(&mut self, address: usize) -> Value {
        self.builder.ins().iconst(types::I64, address as i64)
    }

    pub(super) fn compare(&mut self, how: IntCC, left: Value, right: Value) -> Value {
        self.builder.ins().icmp(how, left, right)
    }

    pub(super) fn compare_to(&mut self, how: IntCC, left: Value, right: i32) -> Value {
        let right = self.constant(right);
        self.compare(how, left, right)
    }

    /// Makes a number of a truth value.
    pub(super) fn number(&mut self, truth: Value) -> Value {
        self.builder.ins().uextend(types::I32, truth)
    }

    /// Adds a number without sign, times a constant, to an address.
    pub(super) fn step(&mut self, address: Address, count: Value, stride: u32) -> Address {
        let wide = self.builder.ins().uextend(types::I64, count);
        let stride = self.builder.ins().iconst(types::I64, i64::from(stride));
        let bytes = self.builder.ins().imul(wide, stride);
        Address { base: self.builder.ins().iadd(address.base, bytes), ..address }
    }

    /// Makes a plain value of an address.
    pub(super) fn pointer(&mut self, address: Address) -> Value {
        if address.offset == 0 {
            return address.base;
        }
        let offset = self.builder.ins().iconst(types::I64, i64::from(address.offset));
        self.builder.ins().iadd(address.base, offset)
    }

    /// Reads a field of the undo log.
    pub(super) fn register(&mut self, of: Type, offset: usize) -> Value {
        self.builder.ins().load(of, FLAGS, self.undo_log, offset as i32)
    }

    pub(super) fn set_register(&mut self, offset: usize, value: Value) {
        self.builder.ins().store(FLAGS, value, self.undo_log, offset as i32);
    }

    pub(super) fn load(&mut self, of: Type, address: Address) -> Value {
        self.builder.ins().load(of, FLAGS, address.base, address.offset)
    }

    pub(super) fn load_word(&mut self, address: Address) -> Value {
        self.builder.ins().uload16(types::I32, FLAGS, address.base, address.offset)
    }

    pub(super) fn load_byte(&mut self, address: Address) -> Value {
        self.builder.ins().uload8(types::I32, FLAGS, address.base, address.offset)
    }

    /// Stores what nobody takes back.
    pub(super) fn store_plain(&mut self, address: Address, value: Value) {
        self.builder.ins().store(FLAGS, value, address.base, address.offset);
    }

    pub(super) fn read(&mut self, address: Address, scalar: Scalar) -> Value {
        match scalar.bytes() {
            1 => self.load_byte(address),
            2 if scalar == Scalar::Short => {
                self.builder.ins().sload16(types::I32, FLAGS, address.base, address.offset)
            }
            2 => self.load_word(address),
            _ => self.load(types::I32, address),
        }
    }

    /// Returns what remains of a value when it is stored.
    pub(super) fn truncate(&mut self, scalar: Scalar, value: Value) -> Value {
        let mask = match scalar {
            Scalar::Bit | Scalar::Bool => 1,
            Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) | Scalar::Channel => 0xff,
            Scalar::Short => {
                let half = self.builder.ins().ireduce(types::I16, value);
                return self.builder.ins().sextend(types::I32, half);
            }
            Scalar::Int => return value,
            Scalar::Unsigned(bits) => ((1i64 << bits) - 1) as i32,
        };
        let mask = self.constant(mask);
        self.builder.ins().band(value, mask)
    }

    /// Stores what remains of a value.
    pub(super) fn write(&mut self, address: Address, scalar: Scalar, value: Value) {
        let value = match scalar {
            Scalar::Bit | Scalar::Bool | Scalar::Unsigned(_) => self.truncate(scalar, value),
            _ => value,
        };
        self.write_bytes(address, scalar.bytes(), value);
    }

    /// Stores the low bytes of a number, and notes what was there.
    pub(super) fn write_bytes(&mut self, address: Address, width: u32, value: Value) {
        self.note(address, width);
        let Address { base, offset } = address;
        match width {
            1 => self.builder.ins().istore8(FLAGS, value, base, offset),
            2 => self.builder.ins().istore16(FLAGS, value, base, offset),
            _ => self.builder.ins().store(FLAGS, value, base, offset),
        };
    }

    fn note(&mut self, address: Address, width: u32) {
        if !self.notes {
            return;
        }
        self.changes += 1;
        let Address { base, offset } = address;
        let old = match width {
            1 => self.builder.ins().uload8(types::I64, FLAGS, base, offset),
            2 => self.builder.ins().uload16(types::I64, FLAGS, base, offset),
            4 => self.builder.ins().uload32(FLAGS, base, offset),
            _ => self.load(types::I64, address),
        };
        let log = self.register(types::I64, offset_of!(UndoLog, log));
        // Offset and width are neighbours, so that one store writes both.
        const { assert!(offset_of!(Overwrite, offset) == 0 && offset_of!(Overwrite, width) == 4) };
        let constant = (i64::from(width) << 32) + i64::from(offset);
        let mut place = self.builder.ins().iconst(types::I64, constant);
        if base != self.state {
            let start = self.builder.ins().isub(base, self.state);
            place = self.builder.ins().iadd(start, place);
        }
        self.store_plain(Address { base: log, offset: 0 }, place);
        self.store_plain(Address { base: log, offset: offset_of!(Overwrite, old) as i32 }, old);
        let size = self.builder.ins().iconst(types::I64, size_of::<Overwrite>() as i64);
        let next = self.builder.ins().iadd(log, size);
        self.set_register(offset_of!(UndoLog, log), next);
    }

    /// Calls a function of this program.
    pub(super) fn call(&mut self, function: usize, arguments: &[Value], convention: CallConv) {
        let mut signature = Signature::new(convention);
        for argument in arguments {
            let of = self.builder.func.dfg.value_type(*argument);
            signature.params.push(AbiParam::new(of));
        }
        let signature = self.builder.import_signature(signature);
        let function = self.address_constant(function);
        self.builder.ins().call_indirect(signature, function, arguments);
    }

    /// Finds a place; an index out of range is unusual.
    pub(super) fn place(&mut self, place: &Place) -> Result<Address, Interpreted> {
        let start = match place.area {
            Area::Global => Address { base: self.state, offset: self.layout.globals as i32 },
            Area::Local => Address { base: self.locals, offset: 0 },
            Area::Hidden => {
                let start = self.register(types::I32, offset_of!(UndoLog, hidden));
                self.step(Address { base: self.state, offset: 0 }, start, 1)
            }
        };
        self.place_from(start, place)
    }

    pub(super) fn place_from(&mut self, start: Address, place: &Place) -> Result<Address, Interpreted> {
        let mut address = start.plus(place.offset);
        for index in &place.indices {
            match index.value.constant() {
                Some(value) => {
                    let value = u32::try_from(value).ok().filter(|value| *value < index.length);
                    address = address.plus(value.ok_or(Interpreted)? * index.stride);
                }
                None => {
                    let value = self.value(&index.value)?;
                    let inside = self.compare_to(IntCC::UnsignedLessThan, value, index.length as i32);
                    self.demand(inside, self.unusual);
                    address = self.step(address, value, index.stride);
                }
            }
        }
        Ok(address)
    }
}
