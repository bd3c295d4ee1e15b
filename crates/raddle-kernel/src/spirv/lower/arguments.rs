//! What are the arguments of a kernel?

use rspirv::dr::{Function, Operand as Part};
use rspirv::spirv::{Op, StorageClass, Word};

use super::{GivenArguments, SpirvLowering};
use crate::ir::{Argument, ArgumentKind, IntegerWidths, Operand, PointerOrigin, Reg};
use crate::spirv::types::id_at;

impl<'m> SpirvLowering<'m> {
    pub(super) fn arguments(&mut self, function: &'m Function) -> (Vec<Argument>, GivenArguments) {
        let mut arguments = Vec::new();
        let mut given = GivenArguments::default();
        for (index, parameter) in function.parameters.iter().enumerate() {
            let number = u32::try_from(index).unwrap_or(u32::MAX);
            let kind = parameter.result_type.map_or(ArgumentKind::Other, |ty| self.kind(ty));
            let register = self.register();
            let origin = match kind {
                ArgumentKind::Buffer | ArgumentKind::Image => Some(PointerOrigin::Argument(number)),
                ArgumentKind::Local => Some(self.place(PointerOrigin::Local)),
                _ => None,
            };
            let by_value = parameter.result_type.and_then(|ty| self.types.pointee(ty));
            match (origin, by_value) {
                (Some(origin), _) => given.places.push((register, origin)),
                // A structure handed over by value lies in memory of the work-item.
                (None, Some(_)) => {
                    let origin = self.place(PointerOrigin::Private);
                    given.places.push((register, origin));
                    given.handed.push(origin);
                }
                (None, None) if kind == ArgumentKind::Value => {
                    given.scalars.push((register, number));
                }
                (None, None) => {}
            }
            let name = parameter.result_id.and_then(|id| self.argument_name(function, id));
            let name = name.map_or_else(|| format!("argument {index}"), str::to_owned);
            arguments.push(Argument { name, kind });
            given.values.push(Operand::Reg(register));
        }
        (arguments, given)
    }

    /// Returns the numbers of bits of all integer types, and of the integer arguments among
    /// `scalars`: arguments by value, as (register, index of the argument).
    pub(super) fn widths(&self, scalars: &[(Reg, u32)], kernel: &Function) -> IntegerWidths {
        let types = self.module.types_global_values.iter();
        let types =
            types.filter_map(|ty| Some((ty.result_id?, self.types.integer(ty.result_id?)?)));
        let arguments = scalars.iter().filter_map(|&(register, index)| {
            let ty = kernel.parameters.get(index as usize)?.result_type?;
            Some((register, self.types.integer(ty)?))
        });
        IntegerWidths {
            types: types.map(|(ty, bits)| (i64::from(ty), bits)).collect(),
            arguments: arguments.collect(),
        }
    }

    /// Returns the name of a kernel's parameter: its own, or that of the parameter of another
    /// function to which it is passed on; `None` where neither is known.
    fn argument_name(&self, function: &'m Function, id: Word) -> Option<&'m str> {
        if let Some(name) = self.names.get(&id).filter(|name| !name.is_empty()) {
            return Some(name);
        }
        let mut calls = function.blocks.iter().flat_map(|block| &block.instructions);
        let call = calls.find(|code| {
            code.class.opcode == Op::FunctionCall && code.operands.contains(&Part::IdRef(id))
        })?;
        let index = call.operands.iter().position(|part| *part == Part::IdRef(id))?;
        let inner = self.functions.get(&id_at(call, 0)?)?;
        let inner = inner.parameters.get(index.checked_sub(1)?)?.result_id?;
        self.names.get(&inner).copied().filter(|name| !name.is_empty())
    }

    pub(super) fn kind(&self, ty: Word) -> ArgumentKind {
        match self.types.op(ty) {
            Op::TypePointer => match self.types.pointee(ty).map(|(class, _)| class) {
                Some(StorageClass::Function) => ArgumentKind::Value,
                Some(StorageClass::Workgroup) => ArgumentKind::Local,
                _ => ArgumentKind::Buffer,
            },
            Op::TypeImage | Op::TypeSampledImage => ArgumentKind::Image,
            Op::TypeSampler => ArgumentKind::Sampler,
            Op::TypeInt
            | Op::TypeFloat
            | Op::TypeVector
            | Op::TypeBool
            | Op::TypeStruct
            | Op::TypeArray => ArgumentKind::Value,
            _ => ArgumentKind::Other,
        }
    }
}
