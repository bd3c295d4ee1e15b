//! May a launch of a kernel be cut into ranges of its workgroups, which run one after the other?
//!
//! Workgroups that have not begun are launched later, whatever the kernel does, so that no verdict
//! on a second run is needed. Two things forbid a cut: workgroups that wait for other workgroups,
//! which may be in a later range; and calls by which a workgroup asks for its place among all,
//! which a smaller launch would answer otherwise.

use rspirv::spirv::{BuiltIn, Op};

use crate::flow;
use crate::ir::{Body, Instruction, Operand};

/// Answer whether launches of a kernel may be cut into ranges of workgroups.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Ranges {
    /// No: a workgroup may wait for other workgroups, or the analysis could not exclude that.
    #[default]
    Never,
    /// Yes, if the kernel gets added arguments that say which workgroups of the whole launch it
    /// runs. The kernel uses the number of its workgroup, the number of workgroups, or the size or
    /// offset of the launch.
    Told,
    /// Yes, without a change of the kernel: a global offset gives each work-item its right global
    /// id.
    Plain,
}

/// SPIR-V built-ins, such as the local id, that have the same value in a cut launch as in the whole
/// launch. The launch of each range gets a global offset for that.
const OWN: [BuiltIn; 12] = [
    BuiltIn::WorkDim,
    BuiltIn::WorkgroupSize,
    BuiltIn::EnqueuedWorkgroupSize,
    BuiltIn::LocalInvocationId,
    BuiltIn::LocalInvocationIndex,
    BuiltIn::GlobalInvocationId,
    BuiltIn::SubgroupSize,
    BuiltIn::SubgroupMaxSize,
    BuiltIn::NumSubgroups,
    BuiltIn::NumEnqueuedSubgroups,
    BuiltIn::SubgroupId,
    BuiltIn::SubgroupLocalInvocationId,
];

/// SPIR-V built-ins that have another value in a cut launch. The prologue (code put at the start of
/// the kernel) can compute their value in the whole launch.
const TOLD: [BuiltIn; 4] =
    [BuiltIn::WorkgroupId, BuiltIn::NumWorkgroups, BuiltIn::GlobalSize, BuiltIn::GlobalOffset];

pub(crate) fn ranges(body: &Body) -> Ranges {
    let is_one_of =
        |all: &[BuiltIn], number: i64| all.iter().any(|it| i64::from(*it as u32) == number);
    let mut found = Ranges::Plain;
    for step in body.blocks.iter().flat_map(|block| &block.steps) {
        let Instruction::Pure { operation, of, .. } = &step.instruction else { continue };
        if *operation != Op::Load as u32 {
            continue;
        }
        match of.first() {
            Some(Operand::Int(number)) if is_one_of(&OWN, *number) => {}
            Some(Operand::Int(number)) if is_one_of(&TOLD, *number) => found = Ranges::Told,
            _ => return Ranges::Never,
        }
    }
    if flow::waits(body) { Ranges::Never } else { found }
}
