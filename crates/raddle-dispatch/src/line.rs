//! How is one line of the decision log written as JSON?

use alloc::format;
use alloc::string::String;
#[cfg(feature = "recipes")]
use alloc::vec::Vec;

use raddle_policy::{
    Event, Hint, Idempotence, Launch, LaunchId, Level, Piece, Place, Preemption, ProcessId,
    StreamId, Tick, Ticks, WaveSpan,
};
use serde::{Deserialize, Serialize};

#[cfg(feature = "recipes")]
use crate::answer::runs::PieceRun;
use crate::answer::{LoggedAnswer, TakenOff, WrittenPieces};

/// One line of a decision log: its tick, the number of the decision to which it belongs, and an
/// event or an answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(not(feature = "recipes"), expect(unreachable_pub, reason = "the log exports it"))]
#[doc(hidden)]
pub struct LogLine<T> {
    /// The tick at which the event or answer happened.
    pub t: Tick,
    /// The number of the dispatcher's decision to which the line of the decision log belongs.
    pub step: u64,
    /// The event or answer that the line of the decision log contains; as JSON it has a key `event`
    /// or `answer`.
    #[serde(flatten)]
    pub said: T,
}

/// An event in the form of the decision log. `P` is the type of its pieces (equal workgroups on one
/// compute unit): [`WrittenPieces`] when a log is written, a list of runs of pieces when a log is
/// read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case", deny_unknown_fields)]
#[serde(expecting = "an object with a key `event`")]
pub(crate) enum LoggedEvent<P> {
    ProcessJoined {
        process: ProcessId,
        share: u32,
    },
    ProcessLeft {
        process: ProcessId,
    },
    LaunchIssued {
        launch: Launch,
    },
    LaunchReady {
        launch: Launch,
    },
    CopyIssued {
        copy: LaunchId,
        process: ProcessId,
        stream: StreamId,
        level: Level,
        lasts: Ticks,
    },
    CopyReady {
        copy: LaunchId,
    },
    CopyEnded {
        copy: LaunchId,
    },
    WavesEnded {
        launch: LaunchId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        waves: Option<(u16, u16)>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cut: Option<(u16, u16)>,
        pieces: P,
    },
    TakenOff {
        launch: LaunchId,
        #[serde(with = "TakenOff")]
        how: Preemption,
        done: u64,
    },
    Restored {
        launch: LaunchId,
    },
    /// The submit call of a launch has returned (only in the log of a live runtime).
    Submitted {
        launch: LaunchId,
    },
    /// The runtime refused a launch for now, and the launch is back in the buffer of its process
    /// (only in the log of a live runtime).
    NotSubmitted {
        launch: LaunchId,
    },
    /// The runtime has judged whether a launch is idempotent, which it knows when the launch is
    /// submitted (only in the log of a live runtime).
    Judged {
        launch: LaunchId,
        idempotent: Idempotence,
    },
    /// The raised preemption flag of a process is visible on the device: every launch of the
    /// process that starts from now on sees it.
    Raised {
        process: ProcessId,
    },
    /// The reset of a process, which kills its running launches, is over.
    ResetOver {
        process: ProcessId,
    },
    /// A host was told that this launch and all launches of the process before it have ended (only
    /// in the log of a live runtime).
    Reached {
        process: ProcessId,
        launch: LaunchId,
    },
    Hint {
        process: ProcessId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stream: Option<StreamId>,
        hint: Hint,
    },
    Woke {},
    /// An event that this version of the format of decision logs cannot spell.
    #[serde(skip_deserializing)]
    Unknown,
}

impl<'a> From<&Event<'a>> for LoggedEvent<WrittenPieces<'a>> {
    fn from(event: &Event<'a>) -> Self {
        match *event {
            Event::ProcessJoined { process, share } => Self::ProcessJoined { process, share },
            Event::ProcessLeft { process } => Self::ProcessLeft { process },
            Event::LaunchIssued { launch } => Self::LaunchIssued { launch },
            Event::LaunchReady { launch } => Self::LaunchReady { launch },
            Event::CopyIssued { copy, process, stream, level, lasts } => {
                Self::CopyIssued { copy, process, stream, level, lasts }
            }
            Event::CopyReady { copy } => Self::CopyReady { copy },
            Event::CopyEnded { copy } => Self::CopyEnded { copy },
            Event::WavesEnded { launch, waves: span, pieces } => {
                let (waves, cut) = spelled(span);
                Self::WavesEnded { launch, waves, cut, pieces: WrittenPieces { pieces, from: 0 } }
            }
            Event::TakenOff { launch, how, done } => Self::TakenOff { launch, how, done },
            Event::Restored { launch } => Self::Restored { launch },
            Event::Raised { process } => Self::Raised { process },
            Event::ResetOver { process } => Self::ResetOver { process },
            Event::Hint { process, stream, hint } => Self::Hint { process, stream, hint },
            Event::Woke => Self::Woke {},
            _ => Self::Unknown,
        }
    }
}

#[cfg(feature = "recipes")]
impl LoggedEvent<Vec<PieceRun>> {
    /// Returns the event as the dispatcher takes it, for a device of `cus` compute units. The
    /// pieces (equal workgroups on one compute unit) of the event are put into `pieces`.
    ///
    /// # Errors
    /// When the event names a compute unit that the device does not have, has both keys `waves` and
    /// `cut`, or is of a kind that occurs only in logs of live runtimes.
    pub(crate) fn event<'p>(
        &self,
        cus: u16,
        pieces: &'p mut Vec<Piece>,
    ) -> Result<Event<'p>, &'static str> {
        Ok(match *self {
            Self::ProcessJoined { process, share } => Event::ProcessJoined { process, share },
            Self::ProcessLeft { process } => Event::ProcessLeft { process },
            Self::LaunchIssued { launch } => Event::LaunchIssued { launch },
            Self::LaunchReady { launch } => Event::LaunchReady { launch },
            Self::CopyIssued { copy, process, stream, level, lasts } => {
                Event::CopyIssued { copy, process, stream, level, lasts }
            }
            Self::CopyReady { copy } => Event::CopyReady { copy },
            Self::CopyEnded { copy } => Event::CopyEnded { copy },
            Self::WavesEnded { launch, waves, cut, pieces: ref written } => {
                let waves = read_span(waves, cut)
                    .ok_or("it names `waves` and `cut`: waves are of one of the two kinds")?;
                for run in written {
                    if u32::from(run.piece.cu.0) + u32::from(run.cus) > u32::from(cus) {
                        return Err(
                            "its pieces name a compute unit that the device does not have: count from 0",
                        );
                    }
                    pieces.extend(run.expand());
                }
                Event::WavesEnded { launch, waves, pieces }
            }
            Self::TakenOff { launch, how, done } => Event::TakenOff { launch, how, done },
            Self::Restored { launch } => Event::Restored { launch },
            Self::Hint { process, stream, hint } => Event::Hint { process, stream, hint },
            Self::Woke {} => Event::Woke,
            Self::Raised { process } => Event::Raised { process },
            Self::ResetOver { process } => Event::ResetOver { process },
            // A dispatcher gets no events of a live runtime.
            Self::Submitted { .. }
            | Self::NotSubmitted { .. }
            | Self::Judged { .. }
            | Self::Reached { .. }
            | Self::Unknown => {
                return Err("only the log of a live program has it: a dispatcher does not hear it");
            }
        })
    }
}

/// The waves of each workgroup that a line names, as (first wave, number of waves); `None` for all.
type FirstAndCount = Option<(u16, u16)>;

/// Returns the values of the keys `waves` and `cut` by which a log line names waves of a workgroup;
/// at least one of the two is `None`.
pub(crate) const fn spelled(span: WaveSpan) -> (FirstAndCount, FirstAndCount) {
    match span {
        WaveSpan::All => (None, None),
        WaveSpan::Range { first, count } => (Some((first, count)), None),
        WaveSpan::Cut { first, count } => (None, Some((first, count))),
    }
}

/// Returns the waves of a workgroup that the keys `waves` and `cut` of a log line name; `None`
/// where both are given.
#[cfg(feature = "recipes")]
pub(crate) const fn read_span(waves: FirstAndCount, cut: FirstAndCount) -> Option<WaveSpan> {
    match (waves, cut) {
        (None, None) => Some(WaveSpan::All),
        (Some((first, count)), None) => Some(WaveSpan::Range { first, count }),
        (None, Some((first, count))) => Some(WaveSpan::Cut { first, count }),
        (Some(_), Some(_)) => None,
    }
}

impl<'a> LoggedAnswer<'a> {
    /// Returns the decision log's answer that starts workgroups. If `full` is true it has the
    /// addresses `places`, else a hash of them. `from` is the number that a short log subtracts
    /// from the numbers of workgroups; `None` for a log spelled in full.
    pub(crate) fn start(
        launch: LaunchId,
        span: WaveSpan,
        pieces: &'a [Piece],
        places: &'a [Place],
        (full, from): (bool, Option<u64>),
    ) -> Self {
        let (waves, cut) = spelled(span);
        let addresses = (!full && !places.is_empty()).then(|| hash_of(places));
        let places = if full { places } else { &[] };
        let runs = from.map(|from| WrittenPieces { pieces, from });
        let pieces = from.is_none().then_some(WrittenPieces { pieces, from: 0 });
        Self::Start { launch, waves, cut, runs, pieces, addresses, places }
    }
}

#[cfg(feature = "recipes")]
impl WrittenPieces<'_> {
    /// Returns the JSON text by which a log line names `pieces` (each is equal workgroups on one
    /// compute unit).
    pub(crate) fn text(pieces: &[Piece]) -> String {
        let written = serde_json::to_string(&WrittenPieces { pieces, from: 0 });
        written.expect("numbers in lists are JSON")
    }
}

/// Returns, as text, the hash that a log writes instead of the places of waves (the SIMD of each
/// wave, and where its registers and LDS begin).
#[must_use]
#[cfg_attr(not(feature = "recipes"), expect(unreachable_pub, reason = "the log exports it"))]
#[doc(hidden)]
pub fn hash_of(places: &[Place]) -> String {
    format!("{:08x}", digest(places))
}

/// Returns a hash of addresses, by which two answers can be told apart. It follows the steps of
/// FNV-1a on whole words, in four independent sums, so that no multiplication waits for the one
/// before.
fn digest(places: &[Place]) -> u32 {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut lanes = [1u64, 2, 3, 4];
    for four in places.chunks(lanes.len()) {
        for (lane, place) in lanes.iter_mut().zip(four) {
            let registers = u64::from(place.vgpr) << 8 | u64::from(place.sgpr) << 24;
            let word = u64::from(place.simd) | registers;
            *lane = (*lane ^ word ^ u64::from(place.lds).rotate_left(40)).wrapping_mul(PRIME);
        }
    }
    let hash = lanes
        .into_iter()
        .fold(places.len() as u64, |hash, lane| (hash.rotate_left(23) ^ lane).wrapping_mul(PRIME));
    (hash ^ hash >> 32) as u32
}

#[cfg(feature = "recipes")]
#[cfg(test)]
mod tests {
    use raddle_policy::CuId;

    use super::*;

    fn read(text: &str) -> LoggedEvent<Vec<PieceRun>> {
        serde_json::from_str::<LogLine<_>>(text).unwrap().said
    }

    #[test]
    fn spans_are_read_as_they_were_written() {
        let pieces = [Piece { first: 3, stride: 2, count: 4, cu: CuId(1) }];
        let launch = LaunchId(5);
        let cut = |first, count| WaveSpan::Cut { first, count };
        for waves in
            [WaveSpan::All, WaveSpan::Range { first: 0, count: 1 }, cut(0, 1), cut(7, u16::MAX)]
        {
            let event = Event::WavesEnded { launch, waves, pieces: &pieces };
            let said = serde_json::to_string(&LoggedEvent::from(&event)).unwrap();
            let text = format!("{{\"t\":9,\"step\":2,{}", &said[1..]);
            assert_eq!(read(&text).event(2, &mut Vec::new()), Ok(event), "{text}");
        }
    }

    #[test]
    fn a_span_is_of_one_kind() {
        let text = r#"{"t":9,"step":2,"event":"waves-ended","launch":5,"waves":[0,1],"cut":[0,1],"pieces":[[3,1,1,0,1]]}"#;
        assert!(read(text).event(2, &mut Vec::new()).is_err());
    }

    #[test]
    fn unknown_keys_are_refused() {
        for text in [
            r#"{"t":9,"step":2,"event":"woke","launch":5}"#,
            r#"{"t":9,"step":2,"event":"restored","launch":5,"done":1}"#,
        ] {
            assert!(
                serde_json::from_str::<LogLine<LoggedEvent<Vec<PieceRun>>>>(text).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn the_hash_tells_every_part_of_an_address() {
        let place = Place { simd: 1, vgpr: 2, sgpr: 3, lds: 4 };
        let places = [place; 9];
        let mut seen = std::collections::BTreeSet::from([digest(&places), digest(&places[1..])]);
        for at in 0..places.len() {
            for other in [
                Place { simd: 2, ..place },
                Place { vgpr: 3, ..place },
                Place { sgpr: 4, ..place },
                Place { lds: 5, ..place },
                Place { lds: 4 | 1 << 31, ..place },
            ] {
                let mut places = places;
                places[at] = other;
                assert!(seen.insert(digest(&places)), "{at}: {other:?}");
            }
        }
    }
}
