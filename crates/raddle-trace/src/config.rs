//! What may a caller decide about an import?

use std::sync::Arc;

use raddle_policy::Barrier;

use crate::captures::GraphCaptures;

/// Choices that the caller of an import makes where a profile's file leaves something open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportConfig {
    /// Rule that decides whether the workgroups of a kernel have a barrier, where the file does not
    /// say.
    pub barriers: BarrierRule,
    /// Number of the device whose work is imported from a file with several devices; `None` takes
    /// the device with the most kernels. It is the number that the file gives the device; in a
    /// result of rocprofv3 it is the `handle` of the GPU, or else its index among the GPUs of the
    /// file, from 0.
    pub device: Option<u32>,
    /// Captures of graphs, from which a kernel of unknown grid and workgroup gets those of its
    /// launch in a capture; used only for traces of the PyTorch profiler. `None` where the caller
    /// has none.
    pub captures: Option<Arc<GraphCaptures>>,
    /// True if the importer reads the shapes of the tensors that ops of the host worked on, and
    /// derives [`Profile::works`] from them. Only traces of the PyTorch profiler have shapes;
    /// reading them takes time and memory.
    ///
    /// [`Profile::works`]: crate::Profile::works
    pub op_shapes: bool,
}

/// Rule for whether the waves of a workgroup meet at a barrier, where the file does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BarrierRule {
    /// A barrier is assumed if the workgroup uses shared memory, or if the size of that memory is
    /// unknown; else there is none.
    #[default]
    Assume,
    /// Every workgroup is taken to have a barrier, unless the file says that it has none.
    Yes,
    /// No workgroup is taken to have a barrier, unless the file says that it has one.
    No,
}

impl BarrierRule {
    /// Returns the barrier that a workgroup with `lds_bytes` bytes of shared memory is taken to
    /// have; `None` for an unknown size.
    #[must_use]
    pub(crate) const fn barrier(self, lds_bytes: Option<u32>) -> Barrier {
        match (self, lds_bytes) {
            (Self::Yes, _) => Barrier::Yes,
            (Self::No, _) | (Self::Assume, Some(0)) => Barrier::No,
            (Self::Assume, _) => Barrier::Assumed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_shared_memory_is_never_read_as_none() {
        assert_eq!(BarrierRule::Assume.barrier(None), Barrier::Assumed);
        assert_eq!(BarrierRule::Assume.barrier(Some(16)), Barrier::Assumed);
        assert_eq!(BarrierRule::Assume.barrier(Some(0)), Barrier::No);
        assert_eq!(BarrierRule::Yes.barrier(Some(0)), Barrier::Yes);
        assert_eq!(BarrierRule::No.barrier(Some(16)), Barrier::No);
    }
}
