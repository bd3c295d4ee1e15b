//! What does one event say?
//!
//! Most events are of no interest, and their category stands near their start, so an event is read
//! only as far as it takes to know. Values stay text.

use super::fields::{Broken, Fields, said};
use super::shape::Unit;
use crate::decimal::unquote;

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
    /// A range on the device's lane that is no work.
    Annotation,
    /// Anything else.
    #[default]
    Other,
}

impl Category {
    /// By the names in use since 2022, and those before.
    fn of(name: &[u8]) -> Self {
        match name {
            b"kernel" | b"Kernel" => Self::Kernel,
            b"gpu_memcpy" | b"Memcpy" => Self::Copy,
            b"gpu_memset" | b"Memset" => Self::Set,
            b"cuda_runtime" | b"cuda_driver" | b"Runtime" => Self::Call,
            b"gpu_user_annotation" => Self::Annotation,
            _ => Self::Other,
        }
    }
}

/// What a call starts on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Api {
    /// Copies, fills, or a kernel in CUDA, where nothing depends on which.
    Plain,
    /// A kernel, its grid in workgroups (HIP).
    HipWorkgroups,
    /// A kernel, its grid in work-items (HIP).
    HipWorkItems,
    /// A whole graph.
    Graph,
}

impl Api {
    /// By the name of the call; `None` where it can start nothing.
    pub(super) fn of(call: &[u8]) -> Option<Self> {
        const PLAIN: [&[u8]; 11] = [
            b"cudaLaunch",
            b"cudaMemcpy",
            b"cudaMemset",
            b"cudaMemPrefetch",
            b"cuLaunch",
            b"cuMemcpy",
            b"cuMemset",
            b"cuMemPrefetch",
            b"hipMemcpy",
            b"hipMemset",
            b"hipMemPrefetch",
        ];
        const GRAPHS: [&[u8]; 3] = [b"cudaGraphLaunch", b"cuGraphLaunch", b"hipGraphLaunch"];
        const WORKGROUPS: [&[u8]; 4] =
            [b"hipLaunch", b"hipExtLaunch", b"hipModuleLaunch", b"hipDrvLaunch"];
        let is_one_of = |prefixes: &[&[u8]]| prefixes.iter().any(|p| call.starts_with(p));
        match call {
            b"hipExtModuleLaunchKernel" | b"hipHccModuleLaunchKernel" => Some(Self::HipWorkItems),
            _ if is_one_of(&PLAIN) => Some(Self::Plain),
            _ if is_one_of(&GRAPHS) => Some(Self::Graph),
            _ if is_one_of(&WORKGROUPS) => Some(Self::HipWorkgroups),
            _ => None,
        }
    }

    /// What the grid of the kernel that it starts is counted in, where that is known.
    pub(super) fn unit(self) -> Option<Unit> {
        match self {
            Self::HipWorkgroups => Some(Unit::Workgroups),
            Self::HipWorkItems => Some(Unit::WorkItems),
            Self::Plain | Self::Graph => None,
        }
    }
}

/// An event of interest, or of none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Event<'a> {
    /// What kind it is; where that is of no interest, the rest was not read.
    pub(super) category: Category,
    /// What a call starts; a call that starts nothing was not read on either.
    pub(super) api: Option<Api>,
    /// The category's text, with quotes.
    pub(super) cat: Option<&'a [u8]>,
    pub(super) ph: Option<&'a [u8]>,
    pub(super) name: Option<&'a [u8]>,
    pub(super) tid: Option<&'a [u8]>,
    pub(super) ts: Option<&'a [u8]>,
    pub(super) dur: Option<&'a [u8]>,
    pub(super) args: Option<&'a [u8]>,
}

impl<'a> Event<'a> {
    /// Reads an event, as far as it is of interest.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Broken> {
        let mut event = Self::default();
        for field in Fields::of(bytes) {
            let (key, value) = field?;
            match key {
                b"cat" => {
                    event.cat = Some(value);
                    event.category = Category::of(&said(value).unwrap_or_default());
                    if event.category == Category::Other {
                        return Ok(event);
                    }
                }
                b"ph" => event.ph = Some(value),
                b"name" => {
                    event.name = Some(value);
                    event.api = event.started()?;
                    if event.category == Category::Call && event.api.is_none() {
                        return Ok(event);
                    }
                }
                b"tid" => event.tid = Some(value),
                b"ts" => event.ts = Some(value),
                b"dur" => event.dur = Some(value),
                b"args" => event.args = Some(value),
                _ => {}
            }
        }
        event.api = event.started()?;
        Ok(event)
    }

    /// What it starts, if it is a call.
    fn started(&self) -> Result<Option<Api>, Broken> {
        match (self.category, self.name) {
            (Category::Call, Some(name)) => Ok(Api::of(&said(name).ok_or(Broken)?)),
            _ => Ok(None),
        }
    }

    /// Its arguments; none where they are no object.
    pub(super) fn args(&self) -> Result<Args<'a>, Broken> {
        match self.args {
            Some(value) if value.starts_with(b"{") => Args::read(value),
            _ => Ok(Args::default()),
        }
    }
}

/// The arguments of an event that matter; everything else is passed over.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Args<'a> {
    pub(super) device: Option<&'a [u8]>,
    pub(super) context: Option<&'a [u8]>,
    pub(super) stream: Option<&'a [u8]>,
    /// AMD since 2026: then `stream` is the stream, before it is this queue.
    pub(super) hsa_queue: Option<&'a [u8]>,
    pub(super) correlation: Option<&'a [u8]>,
    pub(super) registers: Option<&'a [u8]>,
    pub(super) shared_memory: Option<&'a [u8]>,
    pub(super) grid: Option<&'a [u8]>,
    pub(super) block: Option<&'a [u8]>,
    pub(super) priority: Option<&'a [u8]>,
    /// Only AMD's kernels say `Dispatch ...` here.
    pub(super) kind: Option<&'a [u8]>,
    /// The occupancy that the profiler estimates, in percent.
    pub(super) percent: Option<&'a [u8]>,
    /// What it says of occupancy since 2026.
    pub(super) occupancy: Option<&'a [u8]>,
}

impl<'a> Args<'a> {
    fn read(object: &'a [u8]) -> Result<Self, Broken> {
        let mut args = Self::default();
        for field in Fields::of(object) {
            let (key, value) = field?;
            let place = match key {
                b"device" => &mut args.device,
                b"context" => &mut args.context,
                b"stream" => &mut args.stream,
                b"hsa_queue" => &mut args.hsa_queue,
                b"correlation" => &mut args.correlation,
                b"registers per thread" => &mut args.registers,
                b"shared memory" => &mut args.shared_memory,
                b"grid" => &mut args.grid,
                b"block" => &mut args.block,
                b"priority" => &mut args.priority,
                b"kind" => &mut args.kind,
                b"est. achieved occupancy %" => &mut args.percent,
                b"occupancy" => &mut args.occupancy,
                _ => continue,
            };
            *place = Some(value);
        }
        Ok(args)
    }
}

/// The text of a value; nothing where it is not UTF-8, which only names need not be.
pub(super) fn text(value: &[u8]) -> &str {
    std::str::from_utf8(value).unwrap_or_default()
}

/// The label of a stream: its number or name, without the word "stream".
pub(super) fn stream_label<'a>(event: &Event<'a>, args: &Args<'a>) -> &'a str {
    let label = args.stream.or(event.tid).map_or("", |value| unquote(text(value)));
    label.strip_prefix("stream ").unwrap_or(label).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_category_is_that_of_the_outer_level_however_written() {
        let of = |text: &str| Event::read(text.as_bytes()).map(|event| event.category);
        assert_eq!(of(r#"{"ph":"X", "cat" : "kernel","name":"k"}"#), Ok(Category::Kernel));
        assert_eq!(of(r#"{"name":"cat","cat":"cpu_op"}"#), Ok(Category::Other));
        assert_eq!(of(r#"{"args":{"cat":"cpu_op"},"cat":"kernel"}"#), Ok(Category::Kernel));
        assert_eq!(of(r#"{"name":"\"cat\":\"kernel\""}"#), Ok(Category::Other));
        assert_eq!(of(r#"{"cat":"ker\u006eel"}"#), Ok(Category::Kernel));
        assert_eq!(of(r#"{"cat":7}"#), Ok(Category::Other));
        assert_eq!(of("{}"), Ok(Category::Other));
        assert_eq!(of(r#"{"name":"a"b","cat":"kernel"}"#), Err(Broken));
        // What is of no interest is not read on.
        assert_eq!(of(r#"{"cat":"cpu_op","name":"a"b"}"#), Ok(Category::Other));
    }

    #[test]
    fn launch_calls() {
        let of = |call: &str| Api::of(call.as_bytes());
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
