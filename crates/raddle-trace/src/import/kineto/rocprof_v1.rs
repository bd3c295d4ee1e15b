//! Which work do the events of rocprof v1 describe (`rocprof --hip-trace`, results.json)?
//!
//! The events have no category, and write numbers as strings. Work differs from calls of the host
//! by its arguments: a kernel names its device and its queue, a copy its direction. Kernels have
//! grids, in work-items, only where their arguments are those of rocprof's table of kernels.

use super::collect::{KinetoCollector, KinetoOp, TraceMaker, set_footprint};
use super::event::KinetoEvent;
use super::plain::work_of_rpd;
use super::shape::KernelExtents;
use crate::assemble::push;
use crate::decimal::{natural, unquote};
use crate::profile::{Op, OpKind, StreamLabel};
use crate::report::Quirk;

const ARGS: [&str; 12] = [
    "BeginNs",
    "EndNs",
    "dev-id",
    "gpu-id",
    "stream-id",
    "queue-id",
    "grd",
    "wgr",
    "lds",
    "vgpr",
    "arch_vgpr",
    "accum_vgpr",
];

/// A kernel, copy or fill as an event of rocprof v1 writes it.
struct RocprofWork {
    kind: OpKind,
    begin: u64,
    end: u64,
    device: Option<u64>,
    stream: String,
    /// (volume of the grid, volume of the workgroup), both in work-items; `None` where the event
    /// has none.
    shape: Option<[u32; 2]>,
    lds_bytes: Option<u32>,
    registers: Option<u32>,
}

impl RocprofWork {
    /// Reads an event as a kernel, copy or fill of rocprof v1; `None` where it is none.
    fn of(event: &KinetoEvent<'_>, name: &str) -> Option<Self> {
        let args = event.args(&ARGS);
        let number = |at: usize| args[at].map(unquote).and_then(natural);
        let small = |at: usize| number(at).and_then(|n| u32::try_from(n).ok());
        let (begin, end) = (number(0)?, number(1)?);
        let device = number(2).or_else(|| number(3));
        let kind = match kind_of(name) {
            Some(kind) => kind,
            None => {
                // Calls of the host have times too, and no device.
                device?;
                number(5)?;
                OpKind::Kernel
            }
        };
        let lane = match (number(4), number(5)) {
            (Some(stream), _) => stream.to_string(),
            (None, queue) => format!("queue {}", queue.unwrap_or(0)),
        };
        let arch = small(10).or_else(|| small(9));
        Some(Self {
            kind,
            begin,
            end,
            device,
            stream: if kind == OpKind::Kernel { lane } else { "copies".to_owned() },
            shape: small(6).zip(small(7)).map(|(grid, group)| [grid, group]),
            lds_bytes: small(8),
            registers: arch.map(|arch| arch.saturating_add(small(11).unwrap_or(0))),
        })
    }
}

/// Returns the kind, copy or fill, of an op of rocprof v1 with this name; `None` where the name
/// means neither.
fn kind_of(name: &str) -> Option<OpKind> {
    match work_of_rpd(name.strip_prefix("hc").unwrap_or(name)) {
        Some(OpKind::Kernel) | None => name.starts_with("hcMemcpy").then_some(OpKind::Copy),
        found => found,
    }
}

impl KinetoCollector {
    /// Reads an event, if it is a kernel, copy or fill of rocprof v1. Returns `None` where it is
    /// none of these, and false for a copy or fill without a valid time. A kernel without one is
    /// counted as left out.
    pub(super) fn rocprof_v1(&mut self, event: &KinetoEvent<'_>, name: &str) -> Option<bool> {
        let work = RocprofWork::of(event, name)?;
        self.maker = TraceMaker::RocprofV1;
        self.fine = true;
        self.kernels_seen += u64::from(work.kind == OpKind::Kernel);
        let duration = work.end.checked_sub(work.begin);
        let begin = i64::try_from(work.begin).ok().filter(|&begin| begin > 0);
        let (Some(begin), Some(duration)) = (begin, duration) else {
            if work.kind == OpKind::Kernel {
                self.report.leave_out();
            }
            return Some(work.kind == OpKind::Kernel);
        };
        let mut op = Op::at(work.kind, begin, duration);
        let mut extents = None;
        if work.kind == OpKind::Kernel {
            set_footprint(&mut op, work.registers, work.lds_bytes);
            if let Some([grid, group]) = work.shape {
                let groups = if group == 0 { 0 } else { grid.div_ceil(group) };
                let shape = KernelExtents { grid: [groups, 1, 1], block: [group, 1, 1] };
                extents = Some(self.extents.number(&shape));
                self.report.note(Quirk::FlatGrid);
            }
        }
        op.kernel = self.names.number(crate::import::rocprof::kernel_name(name));
        let label = StreamLabel { label: work.stream, context: None };
        op.stream = self.lane(&label, work.device, false);
        push(&mut self.ops, KinetoOp::new(op, None, extents));
        Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_told_by_their_names() {
        for name in ["CopyHostToDevice", "hcMemcpyDeviceToHost", "hcCopyHostToDevice"] {
            assert_eq!(kind_of(name), Some(OpKind::Copy), "{name}");
        }
        assert_eq!(kind_of("FillBuffer"), Some(OpKind::Set));
        for name in ["hipMemcpy", "vec_add", "KernelExecution", "hcc"] {
            assert_eq!(kind_of(name), None, "{name}");
        }
    }
}
