//! How is an answer of a policy or of the dispatcher written as a line of the decision log?

pub(crate) mod runs;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use raddle_policy::{
    CacheLoad, CuId, LaunchId, LoadedSlice, Piece, Place, Preemption, ProcessId, Refusal, StreamId,
    Submission, Tick, Ticks,
};
use serde::{Deserialize, Serialize, Serializer};

use runs::runs;

/// An answer of a policy or of the dispatcher, in the form of a line of the decision log. A replay
/// compares the text of the line; a check of the log reads only some fields. `P` is the type of the
/// pieces (equal workgroups on one compute unit): [`WrittenPieces`] when a log is written, runs of
/// equal pieces when it is read.
#[derive(Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[serde(bound(deserialize = "P: Deserialize<'de>"))]
pub(crate) enum LoggedAnswer<'a, P = WrittenPieces<'a>> {
    Turn {
        may_issue: Cow<'a, [ProcessId]>,
        #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
        until: Option<Tick>,
        #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
        load: Option<WrittenLoad<'a>>,
    },
    /// The streams of one process that may submit launches, as answered by a turn policy that
    /// chooses among streams.
    Streams {
        #[serde(skip_deserializing)]
        process: ProcessId,
        #[serde(skip_deserializing)]
        may_issue: &'a [StreamId],
        #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
        until: Option<Tick>,
    },
    Preempt {
        process: ProcessId,
        how: Cow<'a, str>,
    },
    Submit {
        launch: LaunchId,
        /// True if the call that submits the launch has not returned yet, which occurs only in the
        /// log of a live runtime; a later event reports that it has.
        #[serde(default, skip_serializing)]
        call: bool,
        #[serde(skip_deserializing)]
        packets: u32,
        #[serde(skip_deserializing)]
        bytes: u64,
        #[serde(skip_deserializing)]
        cost: Ticks,
        #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
        cleanup: Option<Ticks>,
    },
    Start {
        launch: LaunchId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        waves: Option<(u16, u16)>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cut: Option<(u16, u16)>,
        /// The pieces (equal workgroups on one compute unit) that start, in a log whose lines leave
        /// out what follows from earlier ones: workgroups are numbered from the one behind the
        /// highest that has started. `None` where `pieces` has them.
        #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
        runs: Option<P>,
        /// The pieces (equal workgroups on one compute unit) that start, with the full numbers of
        /// their workgroups; `None` where `runs` has them.
        #[serde(
            skip_serializing_if = "Option::is_none",
            deserialize_with = "Deserialize::deserialize"
        )]
        pieces: Option<P>,
        #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
        addresses: Option<String>,
        #[serde(
            skip_serializing_if = "<[_]>::is_empty",
            serialize_with = "as_lists",
            skip_deserializing
        )]
        places: &'a [Place],
    },
    StartCopy {
        copy: LaunchId,
    },
    Assign {
        launch: LaunchId,
        #[serde(skip_deserializing)]
        workgroup: u64,
        #[serde(skip_deserializing)]
        cu: CuId,
    },
    TakeOff {
        launch: LaunchId,
        #[serde(with = "TakenOff")]
        how: Preemption,
    },
    Restore {
        launch: LaunchId,
    },
    Raise {
        process: ProcessId,
    },
    Lower {
        process: ProcessId,
    },
    Reset {
        process: ProcessId,
    },
    Drained {
        process: ProcessId,
        #[serde(skip_deserializing)]
        resumed: bool,
    },
    Refuse(Refusal),
    Wait {
        #[serde(skip_deserializing)]
        refusals: &'a [Refusal],
        #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
        retry_at: Option<Tick>,
    },
    WakeAt {
        at: Tick,
    },
    /// A policy has broken a law of its trait, so another policy answers in its place from now on.
    Broke {
        #[serde(skip_deserializing)]
        slot: &'a str,
        #[serde(skip_deserializing)]
        law: &'a str,
    },
    /// An answer that this version of the log format cannot spell.
    #[serde(other, skip_serializing)]
    Unknown,
}

impl<'a> LoggedAnswer<'a> {
    /// Returns the log line that says that a launch is submitted to the device.
    pub(crate) fn submit(launch: LaunchId, via: &Submission) -> Self {
        let Submission { packets, bytes, cost, cleanup } = *via;
        let cleanup = (cleanup.0 > 0).then_some(cleanup);
        Self::Submit { launch, call: false, packets, bytes, cost, cleanup }
    }
}

/// The processes that a turn policy chose to run next, and the processes from which it chose
/// (`candidates`), in the form of a line of the decision log.
#[derive(Serialize)]
pub(crate) struct WrittenLoad<'a> {
    candidates: &'a [ProcessId],
    /// The processes chosen to run next, in the order in which they run, each as (process, weight
    /// as a fraction in lowest terms, slice in ticks).
    #[serde(serialize_with = "as_slices")]
    loaded: &'a [LoadedSlice],
}

impl<'a> From<&'a CacheLoad> for WrittenLoad<'a> {
    fn from(load: &'a CacheLoad) -> Self {
        Self { candidates: &load.candidates, loaded: &load.loaded }
    }
}

fn as_slices<S: Serializer>(loaded: &[LoadedSlice], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(loaded.iter().map(|&LoadedSlice { process, weight: (over, under), slice }| {
        let under = u128::from(under);
        let (mut by, mut rest) = (over, under);
        while rest > 0 {
            (by, rest) = (rest, by % rest);
        }
        (process, format!("{}/{}", over / by.max(1), under / by.max(1)), slice)
    }))
}

/// The pieces (equal workgroups on one compute unit) of a log line. They are written as runs of
/// equal pieces on neighbouring compute units, with `from` subtracted from the number of each run's
/// first workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrittenPieces<'a> {
    pub(crate) pieces: &'a [Piece],
    pub(crate) from: u64,
}

impl Serialize for WrittenPieces<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(runs(self.pieces).map(|run| run.counted_from(self.from)))
    }
}

pub(crate) fn as_lists<S: Serializer>(places: &[Place], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(places.iter().map(|place| (place.simd, place.vgpr, place.sgpr, place.lds)))
}

/// The words by which a log names the methods of preemption, such as `kill` and `save`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Preemption", rename_all = "kebab-case")]
pub(crate) enum TakenOff {
    Wait,
    Flag,
    Drain,
    #[serde(rename = "kill")]
    Reset,
    #[serde(rename = "save")]
    Switch,
}
