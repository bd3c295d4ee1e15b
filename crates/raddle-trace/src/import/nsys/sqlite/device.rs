//! Which GPU does a record of an export name, and which limits has it?
//!
//! Records name the device by CUDA's number, which is the process's own: with
//! `CUDA_VISIBLE_DEVICES`, two processes may both call their device 0. The table of GPUs has
//! numbers of its own, rows that hold only zeros, and the CUDA number of some process. The table of
//! CUDA devices (2026) joins the numbers.

use std::collections::BTreeMap;

use crate::import::sqlite::database::{Database, DatabaseRow};
use crate::profile::SourceDevice;
use crate::report::{ImportReport, Quirk};

const GPUS: &str = "TARGET_INFO_GPU";
const CUDA_DEVICES: &str = "TARGET_INFO_CUDA_DEVICE";

const COLUMNS: [&str; 12] = [
    "id",
    "cuDevice",
    "smCount",
    "name",
    "computeMajor",
    "computeMinor",
    "maxRegistersPerSm",
    "maxWarpsPerSm",
    "threadsPerWarp",
    "maxShmemPerSm",
    "maxBlocksPerSm",
    "totalMemory",
];

/// A GPU of an Nsight Systems export, identified as well as the file allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gpu {
    /// A GPU known by its number in the export's table of GPUs.
    Known(i64),
    /// A GPU of which only CUDA's number is known, which several GPUs may share; `None` where the
    /// record has no number.
    Cuda(Option<u64>),
}

/// GPUs of an Nsight Systems export, and the CUDA numbers that processes use for them.
#[derive(Debug, Default)]
pub(super) struct Gpus {
    rows: Vec<GpuRow>,
    /// Number of a GPU in the export's table of GPUs, by (process, number by which CUDA names the
    /// GPU in that process).
    used: BTreeMap<(u64, u64), i64>,
    /// Number of a GPU in the export's table of GPUs, by the number by which CUDA names the GPU;
    /// `None` where that number means different GPUs in different processes.
    agreed: BTreeMap<u64, Option<i64>>,
}

#[derive(Debug)]
struct GpuRow {
    id: Option<i64>,
    cuda: Option<u64>,
    device: SourceDevice,
}

impl Gpus {
    pub(super) fn read(database: &Database) -> Self {
        let mut gpus = Self::default();
        database.scan(GPUS, &COLUMNS, |row| {
            gpus.rows.extend(entry(row));
            true
        });
        database.scan(CUDA_DEVICES, &["gpuId", "cudaId", "pid"], |row| {
            let cuda = row.number(1).and_then(|n| u64::try_from(n).ok());
            if let (Some(gpu), Some(cuda)) = (row.number(0), cuda) {
                let pid = row.number(2).unwrap_or(0).cast_unsigned();
                gpus.used.entry((pid, cuda)).or_insert(gpu);
                let agreed = gpus.agreed.entry(cuda).or_insert(Some(gpu));
                *agreed = agreed.filter(|&other| other == gpu);
            }
            true
        });
        gpus
    }

    /// Returns the GPU that CUDA names by the number `cuda` in the process `pid`. Where the export
    /// does not tell which GPU that is, the result has only CUDA's number, or no number if `cuda`
    /// is `None`.
    pub(super) fn of(&self, pid: u64, cuda: Option<u64>) -> Gpu {
        let known = cuda.and_then(|cuda| {
            let used = self.used.get(&(pid, cuda)).copied();
            used.or_else(|| self.agreed.get(&cuda).copied().flatten())
        });
        known.map_or(Gpu::Cuda(cuda), Gpu::Known)
    }

    /// Returns the properties of a GPU. `numbers` are the CUDA numbers that processes use for it. A
    /// GPU that the table of GPUs lacks gets the properties of the first GPU there, which the
    /// import report notes. `None` where the table has no GPU at all.
    pub(super) fn source(
        mut self,
        gpu: Gpu,
        mut numbers: impl Iterator<Item = u64>,
        report: &mut ImportReport,
    ) -> Option<SourceDevice> {
        if self.rows.is_empty() {
            report.note(Quirk::NoDevice);
            return None;
        }
        let by_id = match gpu {
            Gpu::Known(id) => self.rows.iter().position(|row| row.id == Some(id)),
            Gpu::Cuda(_) => None,
        };
        let by_cuda = |number| self.rows.iter().position(|row| row.cuda == Some(number));
        let at = by_id.or_else(|| numbers.find_map(by_cuda));
        report.add(Quirk::DeviceNotListed, u64::from(at.is_none()));
        Some(self.rows.swap_remove(at.unwrap_or(0)).device)
    }
}

/// Reads a row of the export's table of GPUs; `None` for a row without the properties of a GPU.
fn entry(row: &DatabaseRow<'_>) -> Option<GpuRow> {
    let small = |at| row.number(at).and_then(|n| u32::try_from(n).ok()).filter(|&n| n > 0);
    let sms = small(2)?;
    let (waves, wave_size) = (small(7), small(8));
    let minor = row.number(5).and_then(|n| u32::try_from(n).ok());
    Some(GpuRow {
        id: row.number(0),
        cuda: row.number(1).and_then(|n| u64::try_from(n).ok()),
        device: SourceDevice {
            name: row.text(3).unwrap_or_default().trim().to_owned(),
            sms: Some(sms),
            compute_major: small(4),
            compute_minor: minor,
            registers_per_sm: small(6),
            threads_per_sm: waves.zip(wave_size).and_then(|(n, size)| n.checked_mul(size)),
            shared_bytes_per_sm: small(9),
            wave_size,
            workgroups_per_sm: small(10),
            memory_bytes: row.number(11).and_then(|n| u64::try_from(n).ok()).filter(|&n| n > 0),
            ..SourceDevice::default()
        },
    })
}
