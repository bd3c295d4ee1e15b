//! What may a caller decide about an import?

use std::sync::Arc;

use raddle_policy::Barrier;

use crate::captures::GraphCaptures;

/// What an import should do where the file leaves a choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportConfig {
    /// Whether workgroups are taken to meet at barriers, which no profile says.
    pub barriers: BarrierRule,
    /// The device to keep from a file with several; the one with the most kernels by default. It is
    /// the number that the file gives it; in a result of rocprofv3 the handle of its agent, or else
    /// its number among the GPUs, from 0.
    pub device: Option<u32>,
    /// What gives kernels without a shape that of their launch while a graph was captured: so far in
    /// traces of the PyTorch profiler.
    pub captures: Option<Arc<GraphCaptures>>,
}

/// Whether the waves of a workgroup are taken to meet at a barrier where the file does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BarrierRule {
    /// Assumed if the workgroup uses shared memory or its size is unknown, else not.
    #[default]
    Assume,
    /// Every workgroup has one.
    Yes,
    /// None has one.
    No,
}

impl BarrierRule {
    /// The barrier of a workgroup with this much shared memory, in bytes; `None` is unknown.
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
