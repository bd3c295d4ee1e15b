//! What does one event say?

use super::shape::GridUnit;
use crate::decimal::{Micros, micros, natural, unquote};
use crate::import::document::{members, string};

/// The kinds of events that matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Category {
    /// A kernel on the device.
    Kernel,
    /// A copy on the device.
    Copy,
    /// A fill on the device.
    Set,
    /// A call of the runtime or driver on the host.
    Call,
    /// A record of the stream or event that a call of the host waited for.
    Sync,
    /// A range on the device's lane that is no work.
    Annotation,
    /// A range of the host that its program named.
    Range,
    /// An event of any other kind.
    #[default]
    Other,
}

impl Category {
    /// Returns the category by its name, as in use since 2022 or before.
    fn of(name: &str) -> Self {
        match name {
            "kernel" | "Kernel" => Self::Kernel,
            "gpu_memcpy" | "Memcpy" => Self::Copy,
            "gpu_memset" | "Memset" => Self::Set,
            "cuda_runtime" | "cuda_driver" | "Runtime" => Self::Call,
            "cuda_sync" => Self::Sync,
            "gpu_user_annotation" => Self::Annotation,
            "user_annotation" => Self::Range,
            _ => Self::Other,
        }
    }
}

/// The kind of work that a call starts on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::import) enum Api {
    /// A copy, a fill, or a kernel in CUDA, where nothing depends on which.
    Plain,
    /// A kernel, its grid in workgroups (HIP).
    HipWorkgroups,
    /// A kernel, its grid in work-items (HIP).
    HipWorkItems,
    /// A whole graph.
    Graph,
}

impl Api {
    /// Returns the kind of a call by its name; `None` where the call can start nothing.
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

    /// Returns the unit of the grid of the kernel that the call starts, where that is known.
    pub(in crate::import) fn unit(self) -> Option<GridUnit> {
        match self {
            Self::HipWorkgroups => Some(GridUnit::Workgroups),
            Self::HipWorkItems => Some(GridUnit::WorkItems),
            Self::Plain | Self::Graph => None,
        }
    }
}

/// An event, with its values as they are written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KinetoEvent<'t> {
    pub(super) category: Category,
    /// The category's text, with quotes.
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
    /// Reads the event at the start of `text`; returns it and its length.
    pub(super) fn read(text: &'t [u8]) -> serde_json::Result<(Self, usize)> {
        let names = ["cat", "ph", "name", "pid", "tid", "ts", "dur", "args"];
        let ([cat, ph, name, pid, tid, ts, dur, args], len) = members(text, &names)?;
        let category = cat.and_then(string).map_or(Category::Other, |cat| Category::of(&cat));
        Ok((Self { category, cat, ph, name, pid, tid, ts, dur, args }, len))
    }

    /// Returns the arguments with these names; none where the event has no object of arguments.
    pub(super) fn args<const N: usize>(&self, names: &[&str; N]) -> [Option<&'t str>; N] {
        let args = self.args.and_then(|args| members(args.as_bytes(), names).ok());
        args.map_or([None; N], |(values, _)| values)
    }

    /// Returns the number of the thread that called; 0 where the event has none.
    pub(super) fn thread(&self) -> u64 {
        self.tid.map(unquote).and_then(natural).unwrap_or(0)
    }

    /// Returns the label of the event's stream, which an argument or else the thread gives: the
    /// number or name, without the word "stream".
    pub(super) fn stream_label(&self, stream: Option<&'t str>) -> &'t str {
        let label = stream.or(self.tid).map_or("", unquote);
        label.strip_prefix("stream ").unwrap_or(label).trim()
    }
}

/// Returns start and duration; `None` where one is missing, is no exact number or is negative.
pub(super) fn times(event: &KinetoEvent<'_>) -> Option<(Micros, Micros)> {
    let start = micros(event.ts?).ok()?;
    let duration = micros(event.dur?).ok()?;
    (duration.nanos >= 0).then_some((start, duration))
}

/// Reads the number that ties an op to its launch call; 0 ties nothing.
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
            (r#"{"name":"cat","cat":"cpu_op"}"#, Category::Other),
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
