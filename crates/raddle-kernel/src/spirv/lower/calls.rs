//! How is a call translated, of a function of the SPIR-V module or of a built-in function?

use std::collections::BTreeSet;

use rspirv::dr::{Function, Instruction as Code, Operand as Part};
use rspirv::spirv::{Decoration, FunctionParameterAttribute, Op, Word};
use smallvec::smallvec;

use super::SpirvLowering;
use crate::ir::{Construct, Instruction, Operand, PointerOrigin, Spans};
use crate::spirv::operations::is_pure_call;
use crate::spirv::types::id_at;

// Numbers of the extended instruction set for OpenCL.
pub(in crate::spirv) const VLOADN: u32 = 171;
pub(in crate::spirv) const VSTOREN: u32 = 172;
pub(in crate::spirv) const VLOAD_HALF: u32 = 173;
pub(in crate::spirv) const VLOAD_HALFN: u32 = 174;
pub(in crate::spirv) const VLOADA_HALFN: u32 = 179;
pub(in crate::spirv) const VSTOREA_HALFN: u32 = 180;
pub(in crate::spirv) const VSTOREA_HALFN_R: u32 = 181;
pub(in crate::spirv) const PRINTF: u32 = 184;
pub(in crate::spirv) const PREFETCH: u32 = 185;

impl<'m> SpirvLowering<'m> {
    pub(super) fn name(&self, id: Word) -> String {
        let linked =
            self.module.annotations.iter().find_map(|note| match note.operands.as_slice() {
                [
                    Part::IdRef(of),
                    Part::Decoration(Decoration::LinkageAttributes),
                    Part::LiteralString(name),
                    ..,
                ] if *of == id => Some(name.as_str()),
                _ => None,
            });
        linked.or_else(|| self.names.get(&id).copied()).unwrap_or("a function").to_owned()
    }

    pub(super) fn call(&mut self, code: &'m Code) -> Result<(), (Construct, u32)> {
        let Some(id) = id_at(code, 0) else { return Ok(()) };
        let given: Vec<Operand> = code.operands[1..]
            .iter()
            .filter_map(|part| part.id_ref_any())
            .map(|id| self.operand(id))
            .collect();
        let void = code.result_type.is_none_or(|ty| self.types.op(ty) == Op::TypeVoid);
        let to = self.result(code);
        match self.functions.get(&id).copied() {
            Some(function) if !function.blocks.is_empty() => {
                let line = self.line;
                let given = self.own_copies(function, given);
                self.function(function, &given, (!void).then_some(to))?;
                self.line = line;
            }
            _ => {
                let name = self.name(id);
                if is_pure_call(&name) {
                    let of = std::iter::once(Operand::Int(id.into())).chain(given).collect();
                    let operation = Op::FunctionCall as u32;
                    self.push(Instruction::Pure { to, operation, of });
                    return Ok(());
                }
                self.refuse(Construct::Call(name));
                self.push(Instruction::Fresh { to });
            }
        }
        Ok(())
    }

    /// Makes private copies of the structures that a call passes by value, where the called
    /// function may change them: the caller's structures must stay unchanged. `given` are the
    /// operands of the call. Returns them with the copies in place of those structures.
    pub(super) fn own_copies(
        &mut self,
        function: &'m Function,
        mut given: Vec<Operand>,
    ) -> Vec<Operand> {
        for (parameter, operand) in function.parameters.iter().zip(&mut given) {
            let (Some(id), Some(ty)) = (parameter.result_id, parameter.result_type) else {
                continue;
            };
            let by_value = self.module.annotations.iter().any(|note| {
                note.operands.first() == Some(&Part::IdRef(id))
                    && note.operands.contains(&Part::FunctionParameterAttribute(
                        FunctionParameterAttribute::ByVal,
                    ))
            });
            if !by_value || only_read(function, id) {
                continue;
            }
            let (to, value) = (self.register(), self.register());
            let origin = self.place(PointerOrigin::Private);
            self.push(Instruction::Place { to, origin });
            let at = *operand;
            *operand = Operand::Reg(to);
            let size = self.size_of(Some(ty)).unwrap_or(0);
            let spans: Spans = smallvec![(0, size)];
            let whole = spans.clone();
            self.push(Instruction::Load { to: value, pointer: true, at, size, spans });
            let value = Operand::Reg(value);
            self.push(Instruction::Store { at: *operand, value, size, spans: whole });
        }
        given
    }

    /// Translates a call of a built-in function of OpenCL C in SPIR-V.
    pub(super) fn extended(&mut self, code: &'m Code) {
        let to = self.result(code);
        // Debug information is an extended instruction too.
        if id_at(code, 0) != self.opencl {
            self.push(Instruction::Fresh { to });
            return;
        }
        let number = match code.operands.get(1) {
            Some(Part::LiteralExtInstInteger(number)) => *number,
            _ => u32::MAX,
        };
        let rest = &code.operands[2..];
        match number {
            PRINTF => self.refuse(Construct::Print),
            PREFETCH => {}
            VLOADN | VLOAD_HALF | VLOAD_HALFN | VLOADA_HALFN => {
                self.vector_access(code, number, rest, to);
                return;
            }
            VSTOREN..=VSTOREA_HALFN_R => self.vector_access(code, number, rest, to),
            _ => {
                let mut of = self.operands(&code.operands);
                of.extend(code.result_type.map(|ty| Operand::Int(i64::from(ty))));
                // Results that come back through a pointer: fract, frexp, lgamma_r, modf, remquo, sincos.
                let pointers: Vec<Operand> = rest
                    .iter()
                    .filter_map(|part| part.id_ref_any())
                    .filter(|id| {
                        self.types
                            .type_of(*id)
                            .is_some_and(|ty| self.types.op(ty) == Op::TypePointer)
                    })
                    .collect::<Vec<_>>()
                    .into_iter()
                    .map(|id| self.operand(id))
                    .collect();
                for at in pointers {
                    self.push(Instruction::Touch { at, write: true });
                }
                self.push(Instruction::Pure { to, operation: Op::ExtInst as u32, of });
                return;
            }
        }
        self.push(Instruction::Fresh { to });
    }
}

/// Returns whether a function only reads the memory to which one of its pointers leads.
fn only_read(function: &Function, pointer: Word) -> bool {
    let mut derived = BTreeSet::from([pointer]);
    // Definitions come before uses, but for phis, which are not followed.
    for code in function.blocks.iter().flat_map(|block| &block.instructions) {
        let used = |index: usize| id_at(code, index).is_some_and(|id| derived.contains(&id));
        let uses = (0..code.operands.len()).filter(|&index| used(index)).count();
        let fine = match code.class.opcode {
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::Bitcast
                if used(0) =>
            {
                derived.extend(code.result_id);
                true
            }
            Op::Load => true,
            Op::CopyMemory | Op::CopyMemorySized => !used(0),
            _ => uses == 0,
        };
        if !fine {
            return false;
        }
    }
    true
}
