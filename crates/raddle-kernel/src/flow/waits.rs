//! May a work-item wait for what work-items of another workgroup do?
//!
//! A work-item can wait only in a loop that goes on until a value in memory changes. A loop whose
//! condition depends on its counters and on memory that the kernel never writes ends by itself.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::graph;
use super::once::assigned_once;
use super::rows::Rows;
use super::{Access, Analysis};
use crate::ir::{BlockId, Body, Construct, Instruction, PointerOrigin};

/// Returns whether a work-item may wait in a loop for work-items of other workgroups; true where
/// that cannot be told.
pub(crate) fn waits(body: &Body) -> bool {
    let Ok(graph) = graph(body) else { return true };
    let fixed = assigned_once(body, &graph);
    let mut analysis = Analysis::new(body, &graph, None, fixed.clone());
    let (by_block, refusals) = analysis.run();
    let known = |(construct, _): &(Construct, u32)| {
        matches!(
            construct,
            Construct::Atomic | Construct::OrderedAtomic | Construct::Volatile | Construct::Print
        )
    };
    if !refusals.iter().all(known) {
        return true;
    }
    let written = analysis.written_by(&by_block);
    let mut analysis = Analysis::new(body, &graph, Some(written.clone()), fixed);
    let (by_block, _) = analysis.run();
    analysis.waits(&by_block, &written)
}

impl Analysis<'_> {
    /// Returns whether a work-item may wait in a loop for other work-items. The loop has no number
    /// of iterations that counters fix, and it reads memory that the kernel writes (`written`), or
    /// makes atomic or volatile accesses.
    fn waits(
        &mut self,
        by_block: &BTreeMap<BlockId, Vec<Access>>,
        written: &BTreeSet<PointerOrigin>,
    ) -> bool {
        let mut rows = Rows::of(self);
        let loops = self.graph.loops.len();
        let open: Vec<usize> = (0..loops).filter(|&at| !rows.counts(self, at)).collect();
        let read = |access: &Access| {
            !access.write && access.origins.iter().any(|origin| written.contains(origin))
        };
        open.into_iter().any(|at| {
            self.graph.loops[at].inside.iter().any(|&block| {
                let mut steps = self.body.blocks[block].steps.iter();
                by_block.get(&block).into_iter().flatten().any(read)
                    || steps.any(|step| {
                        matches!(
                            step.instruction,
                            Instruction::Atomic { .. } | Instruction::Volatile { .. }
                        )
                    })
            })
        })
    }
}
