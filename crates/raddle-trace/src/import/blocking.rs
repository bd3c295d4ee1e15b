//! Which calls of the host return only when work of the device has ended?

/// Work of the device for which a call of the host may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocking {
    /// The call waits for all work of one stream.
    Stream,
    /// The call waits for all work of the device.
    Device,
    /// The call waits for all work that was issued before a CUDA or HIP event was recorded.
    Event,
    /// The call waits for the copy that it made, if it returns after the end of that copy.
    Copy,
}

impl Blocking {
    /// Returns the work that a call of the host with this name waits for; `None` where it waits for
    /// none.
    pub(super) fn of(call: &str) -> Option<Self> {
        const NAMES: [(&str, Blocking); 6] = [
            ("StreamSynchronize", Blocking::Stream),
            ("DeviceSynchronize", Blocking::Device),
            ("CtxSynchronize", Blocking::Device),
            ("ThreadSynchronize", Blocking::Device),
            ("EventSynchronize", Blocking::Event),
            ("Memcpy", Blocking::Copy),
        ];
        let rest = ["cuda", "cu", "hip"].iter().find_map(|prefix| call.strip_prefix(prefix))?;
        NAMES.iter().find(|(name, _)| rest.starts_with(name)).map(|&(_, blocking)| blocking)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_by_their_names() {
        for (call, found) in [
            ("cudaStreamSynchronize_v3020", Some(Blocking::Stream)),
            ("cuStreamSynchronize_ptsz", Some(Blocking::Stream)),
            ("hipDeviceSynchronize", Some(Blocking::Device)),
            ("cuCtxSynchronize", Some(Blocking::Device)),
            ("cudaEventSynchronize", Some(Blocking::Event)),
            ("cuMemcpyDtoH_v2", Some(Blocking::Copy)),
            ("hipMemcpyWithStream", Some(Blocking::Copy)),
            ("cudaEventQuery", None),
            ("cudaStreamWaitEvent_v3020", None),
            ("cudaLaunchKernel", None),
            ("StreamSynchronize", None),
        ] {
            assert_eq!(Blocking::of(call), found, "{call}");
        }
    }
}
