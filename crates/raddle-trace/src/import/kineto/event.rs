//! What does one event say?
//!
//! Most events are of no interest, and their category stands near their start, so it is looked up
//! in the bytes first; only the others are parsed.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::decimal::unquote;

/// What the bytes of an event tell about its category without parsing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Glance<'a> {
    /// It has none.
    None,
    /// This one.
    Sure(&'a [u8]),
    /// Only parsing can tell.
    Unsure,
}

/// Looks for the category of an event in its bytes.
pub(super) fn glance(event: &[u8]) -> Glance<'_> {
    const KEY: &[u8] = b"\"cat\"";
    let mut from = 0;
    while let Some(hit) = event[from..].windows(KEY.len()).position(|w| w == KEY) {
        let key = from + hit;
        from = key + KEY.len();
        // A string that merely says cat is followed by no colon.
        let Some(value) = event[from..].trim_ascii_start().strip_prefix(b":") else {
            continue;
        };
        // Behind another brace it may be the key of an inner object.
        if event[1..key].contains(&b'{') {
            return Glance::Unsure;
        }
        let Some(value) = value.trim_ascii_start().strip_prefix(b"\"") else {
            return Glance::Unsure;
        };
        return match value.iter().position(|&b| b == b'"' || b == b'\\') {
            Some(end) if value[end] == b'"' => Glance::Sure(&value[..end]),
            _ => Glance::Unsure,
        };
    }
    Glance::None
}

/// The kinds of events that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    Other,
}

impl Category {
    /// By the names in use since 2022, and those before.
    pub(super) fn of(name: &[u8]) -> Self {
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

/// Whether a call of this name can start work on the device.
pub(super) fn is_launch(call: &str) -> bool {
    const PREFIXES: [&str; 16] = [
        "cudaLaunch",
        "cudaGraphLaunch",
        "cudaMemcpy",
        "cudaMemset",
        "cudaMemPrefetch",
        "cuLaunch",
        "cuGraphLaunch",
        "cuMemcpy",
        "cuMemset",
        "cuMemPrefetch",
        "hipLaunch",
        "hipExtLaunch",
        "hipGraphLaunch",
        "hipMemcpy",
        "hipMemset",
        "hipModuleLaunch",
    ];
    PREFIXES.iter().any(|prefix| call.starts_with(prefix))
        || matches!(call, "hipExtModuleLaunchKernel" | "hipHccModuleLaunchKernel")
}

/// Whether a call of this name starts a whole graph.
pub(super) fn is_graph_launch(call: &str) -> bool {
    call.contains("GraphLaunch")
}

/// An event as it is written; numbers stay text.
#[derive(Debug, Deserialize)]
pub(super) struct RawEvent<'a> {
    #[serde(borrow, default)]
    pub(super) ph: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) cat: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) tid: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) ts: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) dur: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) args: Option<RawArgs<'a>>,
}

/// The arguments of an event that matter; everything else is passed over unread.
#[derive(Debug, Default, Deserialize)]
pub(super) struct RawArgs<'a> {
    #[serde(borrow, default)]
    pub(super) device: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) context: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) stream: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) correlation: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "registers per thread")]
    pub(super) registers: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "shared memory")]
    pub(super) shared_memory: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) grid: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) block: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) priority: Option<&'a RawValue>,
    /// Only AMD's kernels say `Dispatch ...` here.
    #[serde(borrow, default)]
    pub(super) kind: Option<&'a RawValue>,
}

/// The label of a stream: its number or name, without the word "stream".
pub(super) fn stream_label<'a>(event: &RawEvent<'a>, args: &RawArgs<'a>) -> &'a str {
    let text = args.stream.or(event.tid).map_or("", |raw| unquote(raw.get()));
    text.strip_prefix("stream ").unwrap_or(text).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_category_is_found_only_at_the_outer_level() {
        assert_eq!(glance(br#"{"ph":"X", "cat" : "kernel","name":"k"}"#), Glance::Sure(b"kernel"));
        assert_eq!(glance(br#"{"name":"cat","cat":"cpu_op"}"#), Glance::Sure(b"cpu_op"));
        assert_eq!(glance(br#"{"args":{"cat":"cpu_op"},"cat":"kernel"}"#), Glance::Unsure);
        assert_eq!(glance(br#"{"name":"f{}","cat":"kernel"}"#), Glance::Unsure);
        assert_eq!(glance(br#"{"name":"\"cat\":\"kernel\""}"#), Glance::None);
        assert_eq!(glance(br#"{"cat":"ker\u006eel"}"#), Glance::Unsure);
        assert_eq!(glance(br#"{"cat":7}"#), Glance::Unsure);
        assert_eq!(glance(br#"{}"#), Glance::None);
    }

    #[test]
    fn launch_calls() {
        for call in [
            "cudaLaunchKernelExC",
            "cuLaunchKernelEx",
            "cudaMemcpyAsync",
            "hipExtModuleLaunchKernel",
        ] {
            assert!(is_launch(call), "{call}");
        }
        for call in ["cudaStreamSynchronize", "cudaMalloc", "INVALID", "hipGetDevice"] {
            assert!(!is_launch(call), "{call}");
        }
        assert!(is_graph_launch("cudaGraphLaunch") && !is_graph_launch("cudaLaunchKernel"));
    }
}
