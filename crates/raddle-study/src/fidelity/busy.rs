//! How long did at least one kernel run, recorded and simulated, and why do the two differ?
//!
//! Busy time = the sum of the durations - the overlaps. So the difference is that of the durations
//! (not run, rounded, spread out) less that of the overlaps (in a stream, across streams).

use serde::Serialize;

use super::both::{Both, Span};
use super::{DifferencePart, share};

/// Largest error of a replay's busy time, as a fraction of the recorded one, that counts as good.
const BUSY_GOAL: f64 = 0.05;

/// Comparison of the busy time (in which at least one kernel ran) between recording and simulation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct BusyTime {
    /// Time in which at least one kernel ran in the recording, in ns.
    pub recorded_ns: u64,
    /// Time in which at least one kernel ran in the simulation, in ns.
    pub simulated_ns: u64,
    /// Error of the simulated busy time as a fraction: (simulated - recorded) / recorded.
    pub difference: f64,
    /// Time in which recorded kernels overlap, as a fraction of the recorded busy time. Without
    /// overlap the busy time is the sum of the kernels' durations, so that a small error of the
    /// busy time proves little about the simulation.
    pub overlap: f64,
    /// Parts of the difference in busy time, one for each cause, in a fixed order. Their times add
    /// up to simulated - recorded; their fractions are of the recorded busy time.
    pub causes: Vec<DifferencePart>,
}

/// Cause of a difference between the simulated and the recorded busy time (in which at least one
/// kernel ran).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BusyCause {
    /// Kernels of the recording were refused in the simulation, or never ended there, which
    /// shortens the busy time.
    NotRun,
    /// Durations of workgroups are rounded to whole nanoseconds. The error grows with the number of
    /// rounds, as a kernel with more workgroups than fit on the device runs them in rounds.
    Rounding,
    /// Kernels lasted longer (or shorter) than planned, because workgroups waited for free compute
    /// units.
    Room,
    /// Kernels of the same stream overlap more in the simulation than in the recording, which
    /// shortens the busy time, or less, which lengthens it.
    OverlapInStream,
    /// Kernels of different streams overlap more in the simulation than in the recording, which
    /// shortens the busy time, or less, which lengthens it.
    OverlapAcrossStreams,
}

impl BusyCause {
    const ALL: [Self; 5] = [
        Self::NotRun,
        Self::Rounding,
        Self::Room,
        Self::OverlapInStream,
        Self::OverlapAcrossStreams,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::NotRun => "not-run",
            Self::Rounding => "rounding",
            Self::Room => "room",
            Self::OverlapInStream => "overlap-in-stream",
            Self::OverlapAcrossStreams => "overlap-across-streams",
        }
    }

    const fn explanation(self) -> &'static str {
        match self {
            Self::NotRun => "kernels that were refused or never ended",
            Self::Rounding => "workgroup times are whole nanoseconds, times rounds",
            Self::Room => "workgroups waited for room beside other kernels",
            Self::OverlapInStream => "kernels of one stream overlap more, or less",
            Self::OverlapAcrossStreams => "kernels of several streams overlap more, or less",
        }
    }
}

impl BusyTime {
    /// Returns whether the error of the busy time is at most 5 %.
    #[must_use]
    pub fn keeps_goal(&self) -> bool {
        self.difference.abs() <= BUSY_GOAL
    }

    pub(super) fn of(ops: &[Both]) -> Self {
        let kernels = || ops.iter().filter(|op| op.kernel);
        let recorded = Covered::by(kernels().map(|op| (op.stream, op.recorded)));
        let ran = kernels().filter(|op| op.ran());
        let simulated = Covered::by(ran.filter_map(|op| Some((op.stream, op.simulated?))));
        let [mut not_run, mut rounding, mut room, mut handed] = [0_i128; 4];
        for op in kernels() {
            match op.simulated.filter(|_| !op.refused) {
                None => not_run -= i128::from(op.recorded.ns()),
                Some(span) => {
                    // The time that a programmatic launch waited beside the launch before it counts
                    // as overlap in the stream.
                    handed += i128::from(op.own) - i128::from(op.recorded.ns());
                    rounding += i128::from(op.planned) - i128::from(op.own);
                    room += i128::from(span.ns()) - i128::from(op.planned);
                }
            }
        }
        let parts = BusyCause::ALL.map(|cause| {
            let ns = match cause {
                BusyCause::NotRun => not_run,
                BusyCause::Rounding => rounding,
                BusyCause::Room => room,
                BusyCause::OverlapInStream => recorded.in_stream() - simulated.in_stream() + handed,
                BusyCause::OverlapAcrossStreams => {
                    recorded.across_streams() - simulated.across_streams()
                }
            };
            DifferencePart::new(cause.name(), cause.explanation(), ns, recorded.union)
        });
        Self {
            recorded_ns: u64::try_from(recorded.union).unwrap_or(u64::MAX),
            simulated_ns: u64::try_from(simulated.union).unwrap_or(u64::MAX),
            difference: share(simulated.union - recorded.union, recorded.union),
            overlap: share(recorded.sum - recorded.union, recorded.union),
            causes: parts.to_vec(),
        }
    }
}

/// Total time of a set of time spans, in ns, with overlaps counted in three different ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Covered {
    /// Sum of the lengths of all spans (times from a begin to an end), in ns; overlaps count as
    /// often as spans overlap.
    sum: i128,
    /// Sum over the streams, in ns, of the time in which the stream has at least one span; overlaps
    /// within a stream count once.
    streams: i128,
    /// Time in which there is at least one span of any stream, in ns; every overlap counts once.
    union: i128,
}

impl Covered {
    fn by(spans: impl Iterator<Item = (u32, Span)>) -> Self {
        let mut spans: Vec<(u32, Span)> = spans.collect();
        spans.sort_unstable_by_key(|(_, span)| span.start);
        let streams = spans.iter().map(|(stream, _)| *stream as usize + 1).max().unwrap_or(0);
        let mut ends = vec![i64::MIN; streams];
        let (mut covered, mut end) = (Self::default(), i64::MIN);
        for (stream, span) in spans {
            covered.sum += i128::from(span.ns());
            covered.streams += beyond(&mut ends[stream as usize], span);
            covered.union += beyond(&mut end, span);
        }
        covered
    }

    fn in_stream(&self) -> i128 {
        self.sum - self.streams
    }

    fn across_streams(&self) -> i128 {
        self.streams - self.union
    }
}

/// Returns the length, in ns, of the part of `span` that comes after `end`, the latest end of all
/// spans before it. Then moves `end` to the end of `span` where that is later.
fn beyond(end: &mut i64, span: Span) -> i128 {
    let new = span.end.saturating_sub(span.start.max(*end)).max(0);
    *end = span.end.max(*end);
    i128::from(new)
}
