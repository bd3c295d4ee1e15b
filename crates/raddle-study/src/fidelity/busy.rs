//! How long did at least one kernel run, and where does the difference come from?
//!
//! Busy time = the sum of the durations - the overlaps. So the difference is that of the durations
//! (not run, rounded, spread out) less that of the overlaps (in a stream, across streams).

use serde::Serialize;

use super::both::{Both, Span};
use super::{DifferencePart, share};

/// The largest error of the busy time that keeps the goal, as a share.
const BUSY_GOAL: f64 = 0.05;

/// The time during which at least one kernel ran.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct BusyTime {
    /// The busy time in the recording.
    pub recorded_ns: u64,
    /// The busy time in the simulation.
    pub simulated_ns: u64,
    /// (Simulated - recorded) / recorded.
    pub difference: f64,
    /// The time that recorded kernels overlap, over the recorded busy time: without overlap the
    /// difference is 0 whatever the model.
    pub overlap: f64,
    /// The parts, one a cause, in a fixed order; they add up to simulated - recorded. Shares are of
    /// the recorded busy time.
    pub causes: Vec<DifferencePart>,
}

/// The reason why the busy time differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BusyCause {
    /// Kernels that were refused or never ended.
    NotRun,
    /// Workgroup times are rounded to whole nanoseconds, and the error grows with the rounds.
    Rounding,
    /// Kernels that lasted longer than planned (or shorter), because workgroups waited for room.
    Room,
    /// Kernels of one stream overlap more (negative) or less than in the recording.
    OverlapInStream,
    /// Kernels of several streams overlap more (negative) or less than in the recording.
    OverlapAcrossStreams,
}

impl BusyCause {
    /// All causes, in the order in which they are shown.
    const ALL: [Self; 5] = [
        Self::NotRun,
        Self::Rounding,
        Self::Room,
        Self::OverlapInStream,
        Self::OverlapAcrossStreams,
    ];

    /// The kebab-case name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::NotRun => "not-run",
            Self::Rounding => "rounding",
            Self::Room => "room",
            Self::OverlapInStream => "overlap-in-stream",
            Self::OverlapAcrossStreams => "overlap-across-streams",
        }
    }

    /// The meaning of the cause, for a person.
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
    /// Returns whether the error is within the goal.
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

/// The time that some spans take, counted three ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Covered {
    /// Each span on its own.
    sum: i128,
    /// Overlaps within a stream count once.
    streams: i128,
    /// Every overlap counts once.
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

/// Returns how much of a span lies beyond the last end of the spans before it, in order of start;
/// moves that end.
fn beyond(end: &mut i64, span: Span) -> i128 {
    let new = span.end.saturating_sub(span.start.max(*end)).max(0);
    *end = span.end.max(*end);
    i128::from(new)
}
