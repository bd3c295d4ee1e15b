//! What do the cells of one row of rocprof's table of kernels say?

use csv::StringRecord;
use serde::Deserialize;

use crate::config::BarrierRule;
use crate::decimal::{Natural, natural};
use crate::import::rocprof::launch::{set_launch, timed};
use crate::profile::{Op, OpKind};
use crate::provenance::Origin;
use crate::report::Quirk;

/// Cells of one row of rocprof's table of kernels. Fields have the column names of rocprofv3 in
/// lower case; the columns of rocprof v1, v2 and ROCm Compute Profiler are read into the same
/// fields. `None` where the cell is blank or the table lacks the column.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct DispatchRow<'r> {
    #[serde(alias = "kernelname")]
    pub(super) kernel_name: Option<&'r str>,
    #[serde(alias = "gpu-id", alias = "gpu_id")]
    agent_id: Option<&'r str>,
    #[serde(alias = "queue-id")]
    pub(super) queue_id: Option<Natural>,
    pub(super) stream_id: Option<Natural>,
    #[serde(alias = "beginns")]
    pub(super) start_timestamp: Option<Natural>,
    #[serde(alias = "endns")]
    pub(super) end_timestamp: Option<Natural>,
    /// Time in nanoseconds at which the packet was put into its queue; `None` where the row does
    /// not say it.
    dispatchns: Option<Natural>,
    grid_size_x: Option<Natural>,
    grid_size_y: Option<Natural>,
    grid_size_z: Option<Natural>,
    workgroup_size_x: Option<Natural>,
    workgroup_size_y: Option<Natural>,
    workgroup_size_z: Option<Natural>,
    /// Volume of the grid in work-items; `None` where the row does not give it.
    #[serde(alias = "grd")]
    grid_size: Option<Natural>,
    #[serde(alias = "wgr", alias = "wgp")]
    workgroup_size: Option<Natural>,
    /// Shared memory of a workgroup as launched, in bytes; `None` where the row does not give it.
    #[serde(alias = "lds", alias = "lds_per_workgroup")]
    pub(super) group_segment_size: Option<Natural>,
    /// Shared memory of a workgroup in bytes, rounded up to 512, without the part that is asked for
    /// at launch; `None` where the row does not give it.
    pub(super) lds_block_size: Option<Natural>,
    #[serde(alias = "vgpr", alias = "arch_vgpr")]
    pub(super) vgpr_count: Option<Natural>,
    #[serde(alias = "accum_vgpr")]
    pub(super) accum_vgpr_count: Option<Natural>,
    #[serde(alias = "sgpr")]
    sgpr_count: Option<Natural>,
    #[serde(alias = "index")]
    pub(super) dispatch_id: Option<Natural>,
    /// Name of the database that a row was exported from; each process has its own. `None` where
    /// the row does not give it.
    pub(super) guid: Option<&'r str>,
    pub(super) counter_name: Option<&'r str>,
}

impl<'r> DispatchRow<'r> {
    /// Reads a row with the column names `names` and the cells `cells`; a row that cannot be read
    /// becomes a blank one.
    pub(super) fn of_columns(names: &'r StringRecord, cells: &'r StringRecord) -> Self {
        cells.deserialize(Some(names)).unwrap_or_default()
    }

    /// Returns (grid, workgroup), each along x, y and z in work-items; `None` where an axis is
    /// missing.
    pub(super) fn axes(&self) -> Option<[[u64; 3]; 2]> {
        let grid = [self.grid_size_x?.0, self.grid_size_y?.0, self.grid_size_z?.0];
        let [x, y] = [self.workgroup_size_x?.0, self.workgroup_size_y?.0];
        Some([grid, [x, y, self.workgroup_size_z?.0]])
    }

    /// Returns (grid, workgroup), each along x, y and z in work-items; where only volumes are
    /// given, they count as x. `None` where the row gives none.
    pub(super) fn shape(&self) -> Option<[[u64; 3]; 2]> {
        self.axes().or_else(|| Some([[self.grid_size?.0, 1, 1], [self.workgroup_size?.0, 1, 1]]))
    }

    /// Returns the number of the device that ran the kernel: 4 for `4`, `Agent 4` and `GPU 4`;
    /// `None` where the row has no number.
    pub(super) fn device(&self) -> Option<u64> {
        natural(self.agent_id?.trim_start_matches(|c: char| !c.is_ascii_digit()))
    }

    /// Builds the op of the kernel in this row, without its registers and its lane (stream), which
    /// are set later.
    ///
    /// # Errors
    /// The quirk (fault) for which the row is left out.
    pub(super) fn op(&self, barriers: BarrierRule) -> Result<Op, Quirk> {
        let span = self.start_timestamp.zip(self.end_timestamp);
        let op = span.and_then(|(start, end)| timed(OpKind::Kernel, start.0, end.0));
        let mut op = op.ok_or(Quirk::Malformed)?;
        let lds = small(self.group_segment_size.or(self.lds_block_size))?;
        if let Some(shape) = self.shape() {
            set_launch(&mut op, shape, lds, barriers);
        }
        op.footprint.sgprs_per_wave = small(self.sgpr_count)?.unwrap_or(0);
        let issued = self.dispatchns.and_then(|ns| i64::try_from(ns.0).ok());
        if let Some(issued) = issued.filter(|&ns| ns > 0) {
            op.set_arrival(issued, Origin::Measured);
        }
        Ok(op)
    }
}

/// Converts the number in a cell to 32 bits, `None` for a blank cell. A larger number is an error,
/// the quirk of a malformed row.
pub(super) fn small(cell: Option<Natural>) -> Result<Option<u32>, Quirk> {
    cell.map(|n| u32::try_from(n.0).map_err(|_| Quirk::Malformed)).transpose()
}
