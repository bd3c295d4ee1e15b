//! Which registers of a kernel get their value from a single instruction?

use super::graph::{Graph, intervals};
use crate::ir::{BlockId, Body, Operand};
use crate::value::Value;

/// Returns, for each register, `Some(None)` if at most one instruction sets it, before every use
/// (the value is filled in later); else `None`.
pub(super) fn assigned_once(body: &Body, graph: &Graph) -> Vec<Option<Option<Value>>> {
    let order = &graph.order;
    let mut places: Vec<Option<(BlockId, usize)>> = vec![None; body.registers as usize];
    let mut fixed = vec![Some(None); body.registers as usize];
    let steps = |block: BlockId| body.blocks[block].steps.iter().enumerate();
    for &block in order {
        for (index, step) in steps(block) {
            if let Some(to) = step.instruction.sets() {
                let before = places[to as usize].replace((block, index));
                if before.is_some() {
                    fixed[to as usize] = None;
                }
            }
        }
    }
    let intervals = intervals(order, &graph.dominators);
    for &block in order {
        // The condition of a block is used behind its last step.
        let condition = body.blocks[block].condition.map(|of| (usize::MAX, of));
        let uses = steps(block).flat_map(|(index, step)| {
            step.instruction.uses().into_iter().map(move |of| (index, of))
        });
        for (index, of) in uses.chain(condition) {
            let Operand::Reg(register) = of else { continue };
            let Some((set, at)) = places[register as usize] else { continue };
            let ((begin, end), (here, _)) = (intervals[set], intervals[block]);
            let before = if set == block { at < index } else { (begin..end).contains(&here) };
            if !before {
                fixed[register as usize] = None;
            }
        }
    }
    fixed
}
