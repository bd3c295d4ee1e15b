//! Which kind and which values does one event of a trace in JSON have?

use super::shape::GridUnit;
use crate::decimal::{Micros, micros, natural, unquote};
use crate::import::document::{members, string};

/// Kinds of events of a PyTorch trace that the importer treats differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Category {
    /// An event of a kernel that ran on the device.
    Kernel,
    /// An event of a copy by the device.
    Copy,
    /// An event of a fill of memory by the device.
    Set,
    /// A call of the CUDA or HIP runtime or driver on the host.
    Call,
    /// A record of the stream or CUDA event that a call of the host waited for.
    Sync,
    /// A named range on the device's time line that is no work.
    Annotation,
    /// A range of the host's time to which the program gave a name.
    Range,
    /// An op of PyTorch on the host.
    HostOp,
    /// An event of any other kind.
    #[default]
    Other,
}

impl Category {
    /// Returns the category with this name, as profilers have written it since 2022 or before.
    fn of(name: &str) -> Self {
        match name {
            "kernel" | "Kernel" => Self::Kernel,
            "gpu_memcpy" | "Memcpy" => Self::Copy,
            "gpu_memset" | "Memset" => Self::Set,
            "cuda_runtime" | "cuda_driver" | "Runtime" => Self::Call,
            "cuda_sync" => Self::Sync,
            "gpu_user_annotation" => Self::Annotation,
            "user_annotation" => Self::Range,
            "cpu_op" | "Operator" => Self::HostOp,
            _ => Self::Other,
        }
    }
}

/// Kind of work that a call of the host starts on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::import) enum Api {
    /// A call that starts a copy, a fill, or a kernel of CUDA; all three are treated alike.
    Plain,
    /// A call that starts a kernel of HIP, and gives its grid in workgroups.
    HipWorkgroups,
    /// A call that starts a kernel of HIP, and gives its grid in work-items.
    HipWorkItems,
    /// A call that starts a whole graph of kernels.
    Graph,
}

impl Api {
    /// Returns the kind of work that a call of this name starts; `None` where it can start none.
    pub(in crate::import) fn of(call: &str) -> Option<Self> {
        const PLAIN: [&str; 11] = [
            "cudaLaunch",
            "cudaMemcpy",
            "cudaMemset",
            "cudaMemPrefetch",
            "cuLaunch",
            "cuMemcpy",
            "cuMemset",
            "cuMemPrefetch",
            "hipMemcpy",
            "hipMemset",
            "hipMemPrefetch",
        ];
        const GRAPHS: [&str; 3] = ["cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch"];
        const WORKGROUPS: [&str; 4] =
            ["hipLaunch", "hipExtLaunch", "hipModuleLaunch", "hipDrvLaunch"];
        let is_one_of = |prefixes: &[&str]| prefixes.iter().any(|p| call.starts_with(p));
        match call {
            "hipExtModuleLaunchKernel" | "hipHccModuleLaunchKernel" => Some(Self::HipWorkItems),
            _ if is_one_of(&PLAIN) => Some(Self::Plain),
            _ if is_one_of(&GRAPHS) => Some(Self::Graph),
            _ if is_one_of(&WORKGROUPS) => Some(Self::HipWorkgroups),
            _ => None,
        }
    }

    /// Returns the unit in which the launch call gives the grid; `None` where the call gives no
    /// grid.
    pub(in crate::import) fn unit(self) -> Option<GridUnit> {
        match self {
            Self::HipWorkgroups => Some(GridUnit::Workgroups),
            Self::HipWorkItems => Some(GridUnit::WorkItems),
            Self::Plain | Self::Graph => None,
        }
    }
}

/// An event of a trace, with its values as text, as they are written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KinetoEvent<'t> {
    pub(super) category: Category,
    /// Text of the event's category, with quotes; `None` where the event has none.
    pub(super) cat: Option<&'t str>,
    pub(super) ph: Option<&'t str>,
    pub(super) name: Option<&'t str>,
    pub(super) pid: Option<&'t str>,
    pub(super) tid: Option<&'t str>,
    pub(super) ts: Option<&'t str>,
    pub(super) dur: Option<&'t str>,
    args: Option<&'t str>,
}

impl<'t> KinetoEvent<'t> {
    /// Reads the event at the start of `text`; returns (the event, its length in bytes), or an
    /// error where no whole event is there.
    pub(super) fn read(text: &'t [u8]) -> serde_json::Result<(Self, usize)> {
        let names = ["cat", "ph", "name", "pid", "tid", "ts", "dur", "args"];
        let ([cat, ph, name, pid, tid, ts, dur, args], len) = members(text, &names)?;
        let category = cat.and_then(string).map_or(Category::Other, |cat| Category::of(&cat));
        Ok((Self { category, cat, ph, name, pid, tid, ts, dur, args }, len))
    }

    /// Returns the values of the event's arguments with these names; `None` for each that the event
    /// lacks.
    pub(super) fn args<const N: usize>(&self, names: &[&str; N]) -> [Option<&'t str>; N] {
        let args = self.args.and_then(|args| members(args.as_bytes(), names).ok());
        args.map_or([None; N], |(values, _)| values)
    }

    /// Returns the number of the thread in the event; 0 where the event has none.
    pub(super) fn thread(&self) -> u64 {
        self.tid.map(unquote).and_then(natural).unwrap_or(0)
    }

    /// Returns the label of the event's stream, without the word "stream": the event's argument
    /// `stream`, or, where that is `None`, the number of the event's thread.
    pub(super) fn stream_label(&self, stream: Option<&'t str>) -> &'t str {
        let label = stream.or(self.tid).map_or("", unquote);
        label.strip_prefix("stream ").unwrap_or(label).trim()
    }
}

/// Returns (start, duration) of an event; `None` where one is missing, is no exact number, or the
/// duration is negative.
pub(super) fn times(event: &KinetoEvent<'_>) -> Option<(Micros, Micros)> {
    let start = micros(event.ts?).ok()?;
    let duration = micros(event.dur?).ok()?;
    (duration.nanos >= 0).then_some((start, duration))
}

/// Reads the correlation number, which an op shares with its launch call; `None` for 0, for a
/// missing value and for text that is no number.
pub(super) fn tie(correlation: Option<&str>) -> Option<u64> {
    correlation.and_then(natural).filter(|&n| n > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_category_is_that_of_the_outer_level_however_written() {
        for (text, category) in [
            (r#"{"ph":"X", "cat" : "kernel","name":"k"}"#, Category::Kernel),
            (r#"{"name":"cat","cat":"cpu_op"}"#, Category::HostOp),
            (r#"{"args":{"cat":"cpu_op"},"cat":"kernel"}"#, Category::Kernel),
            (r#"{"name":"\"cat\":\"kernel\""}"#, Category::Other),
            (r#"{"cat":"ker\u006eel"}"#, Category::Kernel),
            (r#"{"cat":7}"#, Category::Other),
            ("{}", Category::Other),
        ] {
            assert_eq!(KinetoEvent::read(text.as_bytes()).unwrap().0.category, category, "{text}");
        }
    }

    #[test]
    fn launch_calls() {
        let of = Api::of;
        for call in ["cudaLaunchKernelExC", "cuLaunchKernelEx", "cudaMemcpyAsync", "hipMemsetAsync"]
        {
            assert_eq!(of(call), Some(Api::Plain), "{call}");
        }
        for call in ["hipExtModuleLaunchKernel", "hipHccModuleLaunchKernel"] {
            assert_eq!(of(call), Some(Api::HipWorkItems), "{call}");
        }
        for call in [
            "hipLaunchKernel",
            "hipModuleLaunchKernel",
            "hipExtLaunchKernel",
            "hipLaunchCooperativeKernel",
        ] {
            assert_eq!(of(call), Some(Api::HipWorkgroups), "{call}");
        }
        for call in ["cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch"] {
            assert_eq!(of(call), Some(Api::Graph), "{call}");
        }
        for call in ["cudaStreamSynchronize", "cudaMalloc", "INVALID", "hipGetDevice", "hipFree"] {
            assert_eq!(of(call), None, "{call}");
        }
    }
}
