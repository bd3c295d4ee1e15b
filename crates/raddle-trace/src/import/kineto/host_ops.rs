//! Which op of PyTorch on the host made a launch, and how many bytes and how much arithmetic does
//! that op tell of the kernel?
//!
//! A launch belongs to the innermost op that its thread was in when it called. (The number
//! `External id` names that op only in newer traces.) An op that launched several kernels says
//! nothing about any of them.

use std::cmp::Reverse;

use super::event::{KinetoEvent, times};
use super::meaning::OpMeaning;
use super::tensors::OpInputs;
use crate::assemble::{Interner, push};
use crate::import::document::string;
use crate::work::{DraftWorks, LaunchWork};

/// An op that PyTorch ran on the host: its thread, and its begin and end in nanoseconds. `work` is
/// an index in [`HostOps::works`] plus 1; 0 means that the work is unknown.
#[derive(Clone, Copy, Debug)]
struct HostOp {
    thread: u64,
    begin: i64,
    end: i64,
    work: u32,
}

/// Ops that PyTorch ran on the host, with the work (bytes and arithmetic) that the shapes of their
/// tensors imply.
#[derive(Debug, Default)]
pub(super) struct HostOps {
    ops: Vec<HostOp>,
    works: Interner<LaunchWork>,
}

impl HostOps {
    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    pub(super) fn take(&mut self, event: &KinetoEvent<'_>) {
        let Some((start, lasts)) = times(event) else { return };
        let work =
            event.name.and_then(string).and_then(|name| OpMeaning::of(&name)).and_then(|meaning| {
                let names = ["Input Dims", "Input type", "Input Strides", "Concrete Inputs"];
                meaning.work(&OpInputs::read(event.args(&names))?)
            });
        let op = HostOp {
            thread: event.thread(),
            begin: start.nanos,
            end: start.nanos.saturating_add(lasts.nanos),
            work: work.map_or(0, |work| self.works.number(&work) + 1),
        };
        push(&mut self.ops, op);
    }

    /// Returns the work (bytes and arithmetic) of each of the `count` ops that the device ran.
    /// `launches` has for each launched kernel (thread that launched it, time of the launch call in
    /// nanoseconds, index of the kernel among the device's ops).
    pub(super) fn launched(
        self,
        count: usize,
        launches: impl Iterator<Item = (u64, i64, u32)>,
    ) -> DraftWorks {
        let Self { mut ops, works } = self;
        let works = works.into_items();
        if works.is_empty() {
            return DraftWorks::default();
        }
        ops.sort_by_key(|op| (op.thread, op.begin, Reverse(op.end)));
        let mut launches: Vec<_> = launches.collect();
        launches.sort_unstable();
        let mut made_by: Vec<(usize, u32)> = Vec::with_capacity(launches.len());
        let (mut inside, mut next): (Vec<usize>, usize) = (Vec::new(), 0);
        for (thread, time, at) in launches {
            while ops.get(next).is_some_and(|op| (op.thread, op.begin) <= (thread, time)) {
                let begun = ops[next];
                // Ops that the thread has left by now are not around one that begins.
                while inside.last().is_some_and(|&op| is_left(&ops[op], begun.thread, begun.begin))
                {
                    inside.pop();
                }
                inside.push(next);
                next += 1;
            }
            while inside.last().is_some_and(|&op| is_left(&ops[op], thread, time)) {
                inside.pop();
            }
            made_by.extend(innermost(&ops, &inside).map(|op| (op, at)));
        }
        made_by.sort_unstable();
        let mut of = vec![0; count];
        for one in made_by.chunk_by(|a, b| a.0 == b.0) {
            if let [(op, at)] = *one {
                of[at as usize] = ops[op].work;
            }
        }
        DraftWorks::new(of, works)
    }
}

/// Returns whether the thread `thread` has left the op `op` at the time `time` (nanoseconds), or
/// never ran it.
fn is_left(op: &HostOp, thread: u64, time: i64) -> bool {
    op.thread != thread || op.end < time
}

/// Returns the index of the innermost op in which a thread is, the last entry of `inside`. `None`
/// where the thread is in no op, or where the innermost two begin and end together, since either
/// could contain the other.
fn innermost(ops: &[HostOp], inside: &[usize]) -> Option<usize> {
    let (&last, before) = inside.split_last()?;
    let span = |op: usize| (ops[op].begin, ops[op].end);
    let is_sure = before.last().is_none_or(|&before| span(before) != span(last));
    is_sure.then_some(last)
}
