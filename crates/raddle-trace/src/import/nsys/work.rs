//! How do the records of Nsight Systems become kernels, whichever export they come from?

use raddle_policy::Dim3;

use crate::config::BarrierRule;
use crate::profile::Op;
use crate::provenance::Field;
use crate::report::{ImportReport, Quirk};

/// Name that Nsight Systems gives to a fill of memory.
pub(super) const SET: &str = "[CUDA memset]";

/// Name of a kernel whose name is not in the file.
pub(super) const UNNAMED: &str = "unnamed";

/// Shared memory of one workgroup, in bytes, and how exactly it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lds {
    /// Size of the shared memory in bytes, exact.
    Exact(u32),
    /// Size of the shared memory in bytes, one of several sizes that the file prints alike.
    Rounded(u32),
    /// The file gives no size of the shared memory.
    Unknown,
}

/// A kernel as a record of Nsight Systems describes it; a value that the record lacks is `None`.
#[derive(Clone, Copy, Debug)]
pub(super) struct NsysKernel {
    /// Grid along x, y and z, in workgroups; `None` for each that the record lacks.
    pub(super) grid: [Option<i64>; 3],
    /// Workgroup along x, y and z, in work-items; `None` for each that the record lacks.
    pub(super) block: [Option<i64>; 3],
    /// Registers of one work-item (32 bits each); `None` where the record lacks them.
    pub(super) registers: Option<i64>,
    /// Shared memory of one workgroup, in bytes.
    pub(super) lds: Lds,
}

impl NsysKernel {
    /// Sets the fields of `op` that only kernels have, and returns the faults that were met in the
    /// record. An op without a valid grid and workgroup stays opaque.
    pub(super) fn fill(&self, op: &mut Op, barriers: BarrierRule) -> KernelNotes {
        let mut notes = KernelNotes::default();
        let shape = extents(self.grid)
            .zip(extents(self.block))
            .and_then(|([x, y, z], block)| op.set_shape(Dim3::new(x, y, z), block.map(u64::from)));
        if shape.is_none() {
            let given = |all: [Option<i64>; 3]| all.iter().all(Option::is_some);
            let threads = extents(self.block)
                .and_then(|all| all.into_iter().try_fold(1, |all: u32, own| all.checked_mul(own)));
            let both = given(self.grid) && given(self.block);
            notes.add(Quirk::ImpossibleThreads, both && threads.is_none());
            notes.add(Quirk::ImpossibleGrid, both && threads.is_some());
            return notes;
        }
        // No device has as many, so they count as a figure that cannot be.
        op.set_registers(self.registers.map(|n| u32::try_from(n).unwrap_or(u32::MAX)));
        // A size that prints as 0 may be some hundred bytes, and so may hide a barrier.
        let (lds_bytes, sure) = match self.lds {
            Lds::Exact(bytes) => (bytes, Some(bytes)),
            Lds::Rounded(bytes) => (bytes, Some(bytes).filter(|&n| n > 0)),
            Lds::Unknown => (0, None),
        };
        op.set_shared_memory(sure, barriers);
        op.footprint.lds_bytes = lds_bytes;
        if matches!(self.lds, Lds::Rounded(_)) {
            op.assume(Field::SharedMemory);
        }
        notes.add(Quirk::RoundedSharedMemory, matches!(self.lds, Lds::Rounded(_)));
        notes.add(Quirk::NoSharedMemory, self.lds == Lds::Unknown);
        notes
    }
}

/// Faults in the record of one kernel, as a set with one bit for each fault, in the order of
/// `QUIRKS`. Faults are counted later, and only if the kernel ran on the device whose work is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KernelNotes(u8);

impl KernelNotes {
    const QUIRKS: [Quirk; 5] = [
        Quirk::NoSharedMemory,
        Quirk::RoundedSharedMemory,
        Quirk::Clusters,
        Quirk::ImpossibleGrid,
        Quirk::ImpossibleThreads,
    ];

    /// Adds a quirk (fault of the file) to the set if `so` is true; the quirk must be one of
    /// `QUIRKS`.
    pub(super) fn add(&mut self, quirk: Quirk, so: bool) {
        let at = Self::QUIRKS.iter().position(|&known| known == quirk);
        self.0 |= at.map_or(0, |at| u8::from(so) << at);
    }

    /// Adds 1 to the import report's count of each quirk (fault of the file) in the set.
    pub(super) fn count(self, report: &mut ImportReport) {
        for (at, quirk) in Self::QUIRKS.into_iter().enumerate() {
            report.add(quirk, u64::from(self.0 >> at & 1));
        }
    }
}

fn extents(extents: [Option<i64>; 3]) -> Option<[u32; 3]> {
    let [x, y, z] = extents.map(|extent| u32::try_from(extent?).ok());
    Some([x?, y?, z?])
}

#[cfg(test)]
mod tests {
    use raddle_policy::Barrier;

    use super::*;
    use crate::profile::OpKind;

    fn kernel(grid: [Option<i64>; 3], block: [Option<i64>; 3]) -> (KernelNotes, Op) {
        let mut op = Op::at(OpKind::Kernel, 0, 1);
        let kernel = NsysKernel { grid, block, registers: Some(0), lds: Lds::Rounded(0) };
        (kernel.fill(&mut op, BarrierRule::Assume), op)
    }

    fn counted(notes: KernelNotes) -> Vec<(&'static str, u64)> {
        let mut report = ImportReport::default();
        notes.count(&mut report);
        report.quirks().map(|met| (met.name, met.count)).collect()
    }

    #[test]
    fn what_has_no_shape_that_can_be_counted_is_opaque_and_an_empty_one_is_not() {
        let one = [Some(1); 3];
        for (grid, given) in [
            ([Some(1), None, Some(1)], false),
            ([Some(-1), Some(1), Some(1)], true),
            ([Some(1 << 32), Some(1), Some(1)], true),
            ([Some(i64::from(u32::MAX)); 3], true),
        ] {
            for (grid, block, what) in
                [(grid, one, "impossible-grid"), (one, grid, "impossible-threads")]
            {
                let (notes, op) = kernel(grid, block);
                assert!(op.is_opaque() && (op.workgroups, op.footprint.threads) == (0, 0));
                let met = if given { vec![(what, 1)] } else { Vec::new() };
                assert_eq!((op.grid, counted(notes)), (Dim3::default(), met));
            }
        }
        let (_, op) = kernel([Some(4), Some(2), Some(1)], [Some(0), Some(1), Some(1)]);
        assert!(!op.is_opaque() && op.workgroups == 0);
    }

    #[test]
    fn what_prints_as_no_shared_memory_may_still_hide_a_barrier() {
        let (notes, op) = kernel([Some(4); 3], [Some(2); 3]);
        assert_eq!((op.workgroups, op.footprint.threads), (64, 8));
        assert_eq!(op.footprint.barrier, Barrier::Assumed);
        let wanted = [("rounded-shared-memory", 1)];
        assert_eq!(counted(notes), wanted);
    }

    #[test]
    fn every_quirk_that_can_be_noted_is_counted() {
        for quirk in KernelNotes::QUIRKS {
            let mut notes = KernelNotes::default();
            notes.add(quirk, false);
            assert_eq!(counted(notes), []);
            notes.add(quirk, true);
            assert_eq!(counted(notes), [(quirk.name(), 1)]);
        }
    }
}
