//! Which PTX instructions does the analysis know by the name that SPIR-V has for them?
//!
//! Sums and products of 32 bits, conversions of integers and comparisons: guards (values that a
//! condition tests and a later write changes) are found by them.

use rspirv::spirv::Op;

use super::names::integer;
use super::{PtxFrame, PtxLowering};
use crate::ir::{Instruction, Operand};
use crate::ptx::text::{PtxInstruction as Code, type_size};

impl<'m, 't> PtxLowering<'m, 't> {
    /// Translates an instruction of PTX that has a counterpart in SPIR-V. Returns whether `code` is
    /// such an instruction.
    pub(super) fn known(&mut self, frame: &mut PtxFrame<'t>, code: &'m Code<'t>) -> bool {
        let Some((&to, parts)) = code.operands.split_first() else { return false };
        let short = |ty: &str| matches!(ty, "s32" | "u32");
        let value = match (code.words.as_slice(), parts) {
            (["add", ty], &[a, b]) if short(ty) => self.of(frame, Op::IAdd, [a, b]),
            (["mul", "lo", ty], &[a, b]) if short(ty) => self.of(frame, Op::IMul, [a, b]),
            (["mad", "lo", ty], &[a, b, c]) if short(ty) => {
                let product = self.of(frame, Op::IMul, [a, b]);
                let of = vec![product, self.operand(frame, c)];
                self.pure_value(Op::IAdd, of)
            }
            (&["cvt", to, from], &[value]) if is_integer(to) && is_integer(from) => {
                let value = self.operand(frame, value);
                self.converted(value, to, from)
            }
            // A number of more bits than the registers is not compared as it is written.
            (&["setp", how @ ("eq" | "ne"), ty], &[a, b])
                if type_size(ty) >= Some(2)
                    && !ty.contains('f')
                    && !to.contains('|')
                    && parts.iter().all(|part| integer(part).is_none_or(is_short)) =>
            {
                self.of(frame, if how == "eq" { Op::IEqual } else { Op::INotEqual }, [a, b])
            }
            _ => return false,
        };
        let to = self.named(frame, to);
        self.push(Instruction::Copy { to, from: value });
        true
    }

    fn of(&mut self, frame: &mut PtxFrame<'t>, op: Op, parts: [&'t str; 2]) -> Operand {
        let of = parts.into_iter().map(|part| self.operand(frame, part)).collect();
        self.pure_value(op, of)
    }

    pub(super) fn pure_value(&mut self, op: Op, of: Vec<Operand>) -> Operand {
        let to = self.register();
        self.push(Instruction::Pure { to, operation: op as u32, of });
        Operand::Reg(to)
    }

    /// Converts an integer from the type `from` to the type `to` (words of PTX, such as `u32`) and
    /// returns the result. The result is an operation with three operands: the old value, the kind
    /// of the conversion, and the number of bytes of the new value.
    pub(super) fn converted(&mut self, value: Operand, to: &str, from: &str) -> Operand {
        let op = if from.starts_with('s') { Op::SConvert } else { Op::UConvert };
        let bytes = |ty: &str| i64::from(type_size(ty).unwrap_or(0));
        // The kind holds the old width, and how the new value fills a register that is wider.
        let kind = bytes(from) * 2 + i64::from(to.starts_with('s'));
        self.pure_value(op, vec![value, Operand::Int(kind), Operand::Int(bytes(to))])
    }
}

fn is_integer(ty: &str) -> bool {
    ty.starts_with(['s', 'u']) && type_size(ty).is_some()
}

fn is_short(number: i64) -> bool {
    i16::try_from(number).is_ok()
}
