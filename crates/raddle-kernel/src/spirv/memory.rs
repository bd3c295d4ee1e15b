//! Which bytes does a SPIR-V instruction read or write?

use rspirv::dr::{Function, Instruction as Code, Operand as Part};
use rspirv::spirv::{MemoryAccess, Op, StorageClass, Word};
use smallvec::{SmallVec, smallvec};

use super::lower::calls::{
    VLOAD_HALF, VLOAD_HALFN, VLOADA_HALFN, VLOADN, VSTOREA_HALFN, VSTOREA_HALFN_R,
};
use super::lower::{SpirvFrame, SpirvLowering, sorted};
use super::operations::commutes;
use super::types::{id_at, word};
use crate::ir::{Construct, Instruction, Operand, Reg, Spans};

impl<'m> SpirvLowering<'m> {
    pub(super) fn is_long(&self, ty: Option<Word>) -> bool {
        let ty = ty.and_then(|ty| self.types.get(ty));
        ty.is_some_and(|ty| ty.class.opcode == Op::TypeInt && word(ty, 0) == Some(64))
    }

    /// Translates 64-bit arithmetic of SPIR-V, which may compute an address. A sum, difference,
    /// product or shift by a constant becomes an offset to a pointer; other operations stay
    /// unchanged.
    pub(super) fn long(&mut self, code: &'m Code) {
        let to = self.result(code);
        let parts = self.operands(&code.operands);
        let op = code.class.opcode;
        let sum = match (op, parts.as_slice()) {
            (Op::IAdd, &[a, b]) => Some((a, smallvec![(b, 1)])),
            (Op::ISub, &[a, b]) => Some((a, smallvec![(b, -1)])),
            (Op::IMul, &[a, Operand::Int(by)] | &[Operand::Int(by), a]) => {
                Some((Operand::Int(0), smallvec![(a, by)]))
            }
            (Op::ShiftLeftLogical, &[a, Operand::Int(by @ 0..=62)]) => {
                Some((Operand::Int(0), smallvec![(a, 1_i64 << by)]))
            }
            _ => None,
        };
        self.push(match sum {
            Some((base, terms)) => Instruction::Offset { to, base, bytes: 0, terms },
            None => Instruction::Pure { to, operation: op as u32, of: sorted(op, parts) },
        });
    }

    pub(super) fn size_of(&self, pointer: Option<Word>) -> Option<u32> {
        self.types.size(self.types.pointee(pointer?)?.1)
    }

    pub(super) fn load(
        &mut self,
        frame: &mut SpirvFrame<'m>,
        code: &'m Code,
    ) -> Result<(), (Construct, u32)> {
        let to = self.result(code);
        let Some(pointer) = id_at(code, 0) else { return Ok(()) };
        let at = self.operand(pointer);
        let pointee = self.types.type_of(pointer).and_then(|ty| self.types.pointee(ty));
        let Some((class, ty)) = pointee else {
            self.refuse(Construct::Instruction("OpLoad".to_owned()));
            return Ok(());
        };
        if class == StorageClass::Input {
            // A built-in number of the work-item.
            let number = self.types.builtin(pointer).map_or(at, Operand::Int);
            self.push(Instruction::Pure { to, operation: Op::Load as u32, of: vec![number] });
            return Ok(());
        }
        if volatile(code) {
            self.push(Instruction::Volatile { at });
        }
        let Some(size) = self.types.size(ty) else {
            self.push(Instruction::Touch { at, write: false });
            self.push(Instruction::Fresh { to });
            return Ok(());
        };
        let spans = match code.result_id.and_then(|id| frame.lanes.loads.get(&id)) {
            Some(lanes) if self.types.lanes(ty).is_some() => self.spans(ty, lanes.iter().copied()),
            _ => smallvec![(0, size)],
        };
        let pointer = !matches!(
            self.types.op(ty),
            Op::TypeInt | Op::TypeFloat | Op::TypeBool | Op::TypeVector
        );
        self.push(Instruction::Load { to, pointer, at, size, spans });
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        frame: &mut SpirvFrame<'m>,
        here: (usize, usize),
        code: &'m Code,
    ) {
        let (Some(pointer), Some(value)) = (id_at(code, 0), id_at(code, 1)) else { return };
        let ty = self.types.type_of(value);
        let (at, value) = (self.operand(pointer), self.operand(value));
        if volatile(code) {
            self.push(Instruction::Volatile { at });
        }
        let Some((ty, size)) = ty.and_then(|ty| Some((ty, self.types.size(ty)?))) else {
            self.push(Instruction::Touch { at, write: true });
            return;
        };
        let class = self.types.type_of(pointer).and_then(|ty| self.types.pointee(ty));
        let own = class.is_some_and(|(class, _)| class == StorageClass::Function);
        let valued = frame.lanes.valued.get(&here).filter(|_| !own);
        let whole = valued.is_none_or(|lanes| Some(lanes.len()) == self.lanes_of(ty));
        let spans = match (frame.lanes.stores.get(&here), valued, self.types.lanes(ty)) {
            (Some(lanes), ..) if !own => self.spans(ty, lanes.iter().copied()),
            (_, Some(lanes), _) if !whole => self.spans(ty, lanes.iter().copied()),
            // A vector of three lies in the room of four.
            (_, _, Some(3)) if !own => self.spans(ty, 0..3),
            _ => smallvec![(0, size)],
        };
        self.push(Instruction::Store { at, value, size, spans });
        if !whole {
            // Lanes without a value may be written, and may be left.
            self.push(Instruction::Touch { at, write: true });
        }
    }

    fn lanes_of(&self, ty: Word) -> Option<usize> {
        self.types.lanes(ty).and_then(|lanes| usize::try_from(lanes).ok())
    }

    /// Returns the bytes that the elements `lanes` of a vector take in memory, as (offset, length).
    /// The padding behind a vector of three elements is no element.
    pub(super) fn spans(&self, vector: Word, lanes: impl Iterator<Item = u32>) -> Spans {
        let each = self.types.element(vector).and_then(|element| self.types.size(element));
        let each = each.unwrap_or(0);
        lanes.map(|lane| (lane.saturating_mul(each), each)).collect()
    }

    pub(super) fn copy_memory(&mut self, code: &'m Code) {
        let (Some(to), Some(from)) = (id_at(code, 0), id_at(code, 1)) else { return };
        let size = match code.class.opcode {
            Op::CopyMemory => self.size_of(self.types.type_of(to)),
            _ => id_at(code, 2)
                .and_then(|id| self.types.constant(id))
                .and_then(|size| u32::try_from(size).ok()),
        };
        let (to, from) = (self.operand(to), self.operand(from));
        if volatile(code) {
            self.push(Instruction::Volatile { at: from });
            self.push(Instruction::Volatile { at: to });
        }
        let Some(size) = size else {
            self.push(Instruction::Touch { at: from, write: false });
            self.push(Instruction::Touch { at: to, write: true });
            return;
        };
        let value = self.register();
        let spans: Spans = smallvec![(0, size)];
        let spans_read = spans.clone();
        let load =
            Instruction::Load { to: value, pointer: true, at: from, size, spans: spans_read };
        self.push(load);
        let value = Operand::Reg(value);
        self.push(Instruction::Store { at: to, value, size, spans });
    }

    /// Translates a SPIR-V access chain, which computes a pointer to a part of an object. If `skip`
    /// is 2, the first index counts whole objects, as in `OpPtrAccessChain`; if 1, it selects a
    /// part.
    pub(super) fn chain(&mut self, code: &'m Code, skip: usize) {
        let to = self.result(code);
        let Some(base_id) = id_at(code, 0) else { return };
        let base = self.operand(base_id);
        let pointee = self.types.type_of(base_id).and_then(|ty| self.types.pointee(ty));
        let found = pointee.and_then(|(_, ty)| self.indexed(ty, code, skip));
        let instruction = match found {
            Some((bytes, terms)) => Instruction::Offset { to, base, bytes, terms },
            None => {
                let of = self.operands(&code.operands);
                Instruction::Pure { to, operation: code.class.opcode as u32, of }
            }
        };
        self.push(instruction);
    }

    #[expect(clippy::type_complexity, reason = "constant and counted terms, used once")]
    pub(super) fn indexed(
        &mut self,
        mut ty: Word,
        code: &'m Code,
        skip: usize,
    ) -> Option<(i64, SmallVec<[(Operand, i64); 2]>)> {
        let mut bytes = 0_i64;
        let mut terms: SmallVec<[(Operand, i64); 2]> = SmallVec::new();
        for (number, part) in code.operands.iter().enumerate().skip(1) {
            let id = part.id_ref_any()?;
            let each = if number < skip {
                i64::try_from(self.types.layout(ty)?.size).ok()?
            } else if self.types.op(ty) == Op::TypeStruct {
                let index = usize::try_from(self.types.constant(id)?).ok()?;
                let (offset, member) = self.types.member(ty, index)?;
                bytes = bytes.checked_add(i64::try_from(offset).ok()?)?;
                ty = member;
                continue;
            } else {
                ty = self.types.element(ty)?;
                i64::try_from(self.types.layout(ty)?.size).ok()?
            };
            match self.operand(id) {
                Operand::Int(index) => bytes = bytes.checked_add(index.checked_mul(each)?)?,
                operand @ Operand::Reg(_) => terms.push((operand, each)),
            }
        }
        Some((bytes, terms))
    }

    pub(super) fn atomic(&mut self, frame: &mut SpirvFrame<'m>, code: &'m Code) {
        let at = self.first(code);
        let commutes = commutes(code.class.opcode);
        let used = code.result_id.is_some_and(|id| is_used(frame.function, id));
        self.push(Instruction::Atomic { at, repeatable: commutes && !used });
        if code.result_id.is_some() {
            let to = self.result(code);
            self.push(Instruction::Fresh { to });
        }
    }

    /// Translates a call of `vloadn`, `vstoren` or a related function of OpenCL C: the access to
    /// the vector with a given index behind a pointer to elements. `number` is the function's
    /// number in the instruction set, `rest` are the operands of the call. A load sets `to`.
    pub(super) fn vector_access(&mut self, code: &'m Code, number: u32, rest: &[Part], to: Reg) {
        let write = !matches!(number, VLOADN | VLOAD_HALF | VLOAD_HALFN | VLOADA_HALFN);
        let ids: Vec<Word> = rest.iter().filter_map(Part::id_ref_any).collect();
        let (value, index, pointer) = match (write, ids.as_slice()) {
            (false, [index, pointer, ..]) => (None, *index, *pointer),
            (true, [value, index, pointer, ..]) => (Some(*value), *index, *pointer),
            _ => return self.refuse(Construct::Instruction("OpExtInst".to_owned())),
        };
        let vector = match value {
            Some(value) => self.types.type_of(value),
            None => code.result_type,
        };
        let lanes = vector.map_or(1, |vector| self.types.lanes(vector).unwrap_or(1));
        let element = self.types.type_of(pointer).and_then(|ty| self.size_of(Some(ty)));
        let (Some(element), at) = (element, self.operand(pointer)) else {
            return self.refuse(Construct::Instruction("OpExtInst".to_owned()));
        };
        // Aligned three-lane halves step by four.
        let aligned = matches!(number, VLOADA_HALFN | VSTOREA_HALFN | VSTOREA_HALFN_R);
        let step = if aligned { lanes.next_power_of_two() } else { lanes };
        let each = i64::from(step.saturating_mul(element));
        let size = lanes.saturating_mul(element);
        let index = self.operand(index);
        let place = self.register();
        let terms = smallvec![(index, each)];
        self.push(Instruction::Offset { to: place, base: at, bytes: 0, terms });
        let at = Operand::Reg(place);
        let spans = smallvec![(0, size)];
        match value {
            Some(value) => {
                let value = self.operand(value);
                self.push(Instruction::Store { at, value, size, spans });
            }
            None => self.push(Instruction::Load { to, pointer: false, at, size, spans }),
        }
    }
}

fn volatile(code: &Code) -> bool {
    code.operands.iter().any(
        |part| matches!(part, Part::MemoryAccess(access) if access.contains(MemoryAccess::VOLATILE)),
    )
}

fn is_used(function: &Function, id: Word) -> bool {
    let mut all = function.blocks.iter().flat_map(|block| &block.instructions);
    all.any(|code| code.operands.iter().any(|part| part.id_ref_any() == Some(id)))
}
