//! What may a caller decide about an import?

use std::sync::Arc;

use raddle_policy::Barrier;

use crate::captures::GraphCaptures;

/// Choices of the caller where a profile's file leaves something open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportConfig {
    /// Rule by which workgroups are taken to meet at barriers, which no profile says.
    pub barriers: BarrierRule,
    /// Number of the device whose work is kept from a file with several; `None` takes the one with
    /// the most kernels. The number is that in the file; in a result of rocprofv3 it is the handle
    /// of the agent, or else the number among the GPUs, from 0.
    pub device: Option<u32>,
    /// Captures of graphs, from which a kernel without a shape gets the shape of its launch during
    /// the capture; used for traces of the PyTorch profiler only. `None` where there are none.
    pub captures: Option<Arc<GraphCaptures>>,
    /// True if the shapes of tensors are read that ops of the host worked on, for [`Profile::works`];
    /// traces of the PyTorch profiler alone have them. Reading them takes time and memory.
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
    /// Every workgroup of which the file does not say it is taken to have a barrier.
    Yes,
    /// No workgroup of which the file does not say it is taken to have a barrier.
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
