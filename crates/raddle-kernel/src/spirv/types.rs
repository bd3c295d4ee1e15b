//! How large is a SPIR-V type, and where in it lies a member?
//!
//! Kernels for OpenCL carry no offsets: a structure is laid out as C lays it out, unless it is packed.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass, Word};

/// Table with one entry for each id of a SPIR-V module, `None` where nothing is stored; ids count
/// from 1.
#[derive(Debug)]
pub(crate) struct ById<T>(Vec<Option<T>>);

impl<T: Copy> ById<T> {
    /// Returns an empty table for all ids of a SPIR-V module.
    pub(crate) fn of(module: &Module) -> Self {
        let bound = module.header.as_ref().map_or(0, |header| header.bound);
        Self(vec![None; bound as usize])
    }

    pub(crate) fn get(&self, id: Word) -> Option<T> {
        self.0.get(id as usize).copied().flatten()
    }

    pub(crate) fn set(&mut self, id: Word, to: Option<T>) {
        if let Some(place) = self.0.get_mut(id as usize) {
            *place = to;
        }
    }
}

/// Types and constants of a SPIR-V module, and the type of each value.
#[derive(Debug)]
pub(crate) struct Types<'m> {
    global: ById<&'m Instruction>,
    values: ById<Word>,
    packed: BTreeSet<Word>,
    /// Number of the built-in (such as the work-item's number) for which a variable stands, by the
    /// variable's id.
    builtins: BTreeMap<Word, i64>,
    /// Modes of each conversion (rounding mode, saturation), by the id of its result.
    modes: BTreeMap<Word, BTreeSet<i64>>,
}

/// Size and alignment of a type of SPIR-V, in bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct TypeLayout {
    pub(crate) size: u64,
    align: u64,
}

/// Largest nesting depth of types for which a layout is computed.
const DEEPEST: u32 = 64;

/// Number that marks a saturating conversion among the modes of conversions; the other numbers are
/// rounding modes.
const SATURATES: i64 = 1 << 32;

impl<'m> Types<'m> {
    pub(crate) fn of(module: &'m Module) -> Self {
        let (mut global, mut values) = (ById::of(module), ById::of(module));
        for found in &module.types_global_values {
            global.set(found.result_id.unwrap_or(0), Some(found));
        }
        for found in module.all_inst_iter() {
            values.set(found.result_id.unwrap_or(0), found.result_type);
        }
        let (mut packed, mut builtins) = (BTreeSet::new(), BTreeMap::new());
        let mut modes: BTreeMap<Word, BTreeSet<i64>> = BTreeMap::new();
        for note in module.annotations.iter().filter(|note| note.class.opcode == Op::Decorate) {
            match note.operands.as_slice() {
                [Operand::IdRef(of), Operand::Decoration(Decoration::CPacked), ..] => {
                    packed.insert(*of);
                }
                [Operand::IdRef(of), _, Operand::BuiltIn(number)] => {
                    builtins.insert(*of, i64::from(*number as u32));
                }
                [Operand::IdRef(of), _, Operand::FPRoundingMode(mode)] => {
                    modes.entry(*of).or_default().insert(i64::from(*mode as u32));
                }
                [Operand::IdRef(of), Operand::Decoration(Decoration::SaturatedConversion)] => {
                    modes.entry(*of).or_default().insert(SATURATES);
                }
                _ => {}
            }
        }
        Self { global, values, packed, builtins, modes }
    }

    /// Returns the modes (rounding, saturation) of the conversion whose result has the id `result`,
    /// as numbers; none where the id is `None` or has no modes.
    pub(crate) fn modes(&self, result: Option<Word>) -> impl Iterator<Item = i64> {
        self.modes.get(&result.unwrap_or(0)).into_iter().flatten().copied()
    }

    /// Returns the id of the type of the value with the id `id`; `None` where the value has none.
    pub(crate) fn type_of(&self, id: Word) -> Option<Word> {
        self.values.get(id)
    }

    /// Returns the number of the SPIR-V built-in, such as the work-item's number, for which a
    /// variable stands; `None` for other variables.
    pub(crate) fn builtin(&self, id: Word) -> Option<i64> {
        self.builtins.get(&id).copied()
    }

    pub(crate) fn get(&self, id: Word) -> Option<&'m Instruction> {
        self.global.get(id)
    }

    pub(crate) fn op(&self, id: Word) -> Op {
        self.get(id).map_or(Op::Nop, |found| found.class.opcode)
    }

    /// Returns the value of the constant with the id `id`: an integer, 0 or 1 for a boolean, or 0
    /// for a constant whose bits are all 0; `None` for other ids.
    pub(crate) fn constant(&self, id: Word) -> Option<i64> {
        let found = self.get(id)?;
        match found.class.opcode {
            Op::ConstantNull | Op::ConstantFalse => Some(0),
            Op::ConstantTrue => Some(1),
            Op::Constant => {
                let ty = self.get(found.result_type?)?;
                if ty.class.opcode != Op::TypeInt {
                    let bits = [Operand::LiteralBit32(0), Operand::LiteralBit64(0)];
                    return found.operands.first().filter(|it| bits.contains(it)).map(|_| 0);
                }
                let bits = word(ty, 0)?;
                match found.operands.first()? {
                    Operand::LiteralBit32(value) => {
                        let unused = 64_u32.checked_sub(bits.min(32))?;
                        Some((i64::from(*value) << unused) >> unused)
                    }
                    Operand::LiteralBit64(value) => Some(value.cast_signed()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns (storage class, type) of the object to which a pointer type points; `None` for other
    /// types.
    pub(crate) fn pointee(&self, pointer: Word) -> Option<(StorageClass, Word)> {
        let found = self.get(pointer)?;
        match (found.class.opcode, found.operands.as_slice()) {
            (Op::TypePointer, [Operand::StorageClass(class), Operand::IdRef(of)]) => {
                Some((*class, *of))
            }
            _ => None,
        }
    }

    pub(crate) fn layout(&self, id: Word) -> Option<TypeLayout> {
        self.layout_within(id, 0)
    }

    pub(crate) fn size(&self, id: Word) -> Option<u32> {
        u32::try_from(self.layout(id)?.size).ok()
    }

    fn layout_within(&self, id: Word, depth: u32) -> Option<TypeLayout> {
        if depth > DEEPEST {
            return None;
        }
        let found = self.get(id)?;
        let inner = |index| self.layout_within(id_at(found, index)?, depth + 1);
        match found.class.opcode {
            Op::TypeBool => Some(TypeLayout { size: 1, align: 1 }),
            Op::TypeInt | Op::TypeFloat => {
                let size = u64::from(word(found, 0)?).div_ceil(8).next_power_of_two();
                Some(TypeLayout { size, align: size })
            }
            Op::TypeVector => {
                let count = u64::from(word(found, 1)?).next_power_of_two();
                let size = inner(0)?.size.checked_mul(count)?;
                Some(TypeLayout { size, align: size })
            }
            Op::TypeArray => {
                let count = u64::try_from(self.constant(id_at(found, 1)?)?).ok()?;
                let each = inner(0)?;
                Some(TypeLayout { size: each.size.checked_mul(count)?, align: each.align })
            }
            Op::TypePointer
            | Op::TypeEvent
            | Op::TypeSampler
            | Op::TypeImage
            | Op::TypeSampledImage => Some(TypeLayout { size: 8, align: 8 }),
            Op::TypeStruct => self.members(id, depth).map(|(_, layout)| layout),
            _ => None,
        }
    }

    /// Returns (byte offset of each member, layout of the whole) of the structure type `id`; `None`
    /// where a size is not known. `depth` is the number of enclosing types so far.
    fn members(&self, id: Word, depth: u32) -> Option<(Vec<u64>, TypeLayout)> {
        let found = self.get(id)?;
        let packed = self.packed.contains(&id);
        let (mut size, mut align, mut begins) = (0_u64, 1_u64, Vec::new());
        for index in 0..found.operands.len() {
            let member = self.layout_within(id_at(found, index)?, depth + 1)?;
            let to = if packed { 1 } else { member.align.max(1) };
            size = size.checked_next_multiple_of(to)?;
            begins.push(size);
            size = size.checked_add(member.size)?;
            align = align.max(to);
        }
        Some((begins, TypeLayout { size: size.checked_next_multiple_of(align)?, align }))
    }

    /// Returns (byte offset, type) of the member with the index `index` of a structure; `None`
    /// where there is no such member.
    pub(crate) fn member(&self, structure: Word, index: usize) -> Option<(u64, Word)> {
        let (begins, _) = self.members(structure, 0)?;
        Some((*begins.get(index)?, id_at(self.get(structure)?, index)?))
    }

    /// Returns the element type of an array or a vector; `None` for other types.
    pub(crate) fn element(&self, id: Word) -> Option<Word> {
        let found = self.get(id)?;
        match found.class.opcode {
            Op::TypeArray | Op::TypeVector | Op::TypeRuntimeArray => id_at(found, 0),
            _ => None,
        }
    }

    /// Returns the number of bits of an integer type; `None` for other types.
    pub(crate) fn integer(&self, id: Word) -> Option<u32> {
        let found = self.get(id)?;
        (found.class.opcode == Op::TypeInt).then(|| word(found, 0)).flatten()
    }

    /// Returns the number of elements of a vector type; `None` for other types.
    pub(crate) fn lanes(&self, id: Word) -> Option<u32> {
        let found = self.get(id)?;
        (found.class.opcode == Op::TypeVector).then(|| word(found, 1)).flatten()
    }
}

/// Returns the instruction's operand with the index `index` if it is an id; else `None`.
pub(crate) fn id_at(instruction: &Instruction, index: usize) -> Option<Word> {
    instruction.operands.get(index)?.id_ref_any()
}

/// Returns the instruction's operand with the index `index` if it is a number of 32 bits; else
/// `None`.
pub(crate) fn word(instruction: &Instruction, index: usize) -> Option<u32> {
    match instruction.operands.get(index)? {
        Operand::LiteralBit32(value) => Some(*value),
        _ => None,
    }
}
