//! Why did no kernel run, in the recording itself?
//!
//! Every moment without a kernel has one cause, by what else the recording shows at that moment: a
//! copy or fill that runs; else an op that was issued and has not begun, while the last kernel ran
//! or since; else nothing was issued, so the device waits for the host. Where the file does not tell
//! when the next op was issued, the cause is unknown.

use std::collections::BTreeMap;

use raddle_trace::{Field, Op, OpKind, Origin, Profile};
use serde::Serialize;

use super::kernels::family;
use crate::units::share;

/// Cause of a time in which no kernel ran in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordedCause {
    /// No kernel ran because the host had issued no work.
    Host,
    /// Work that was issued after the last kernel had ended had not reached the device yet.
    Launching,
    /// Work that was issued while the last kernel still ran had not begun: because of the delay
    /// between kernels (also those of a graph), or as its stream waited for another.
    Queued,
    /// No kernel ran, but copies or fills did.
    Copies,
    /// The file does not tell when the next op was issued, so the cause is unknown.
    Unknown,
}

impl RecordedCause {
    /// All causes of time without a kernel, in the order of the enum.
    pub const ALL: [Self; 5] =
        [Self::Host, Self::Launching, Self::Queued, Self::Copies, Self::Unknown];

    /// Returns the cause in words that can stand in a sentence.
    #[must_use]
    pub const fn told(self) -> &'static str {
        match self {
            Self::Host => "nothing was issued",
            Self::Launching => "launches were on their way",
            Self::Queued => "work issued earlier had not begun",
            Self::Copies => "copies or fills ran alone",
            Self::Unknown => "unknown, as launches were not recorded",
        }
    }

    /// Returns the cause in a few words that fit a table cell.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Host => "no work issued",
            Self::Launching => "launching",
            Self::Queued => "queued work",
            Self::Copies => "copies",
            Self::Unknown => "unknown",
        }
    }
}

/// Idle time of a recording, in which no kernel ran, by cause and by place.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RecordedIdle {
    /// Total time in which no kernel ran, in ns.
    pub idle_ns: u64,
    /// Total time in which no kernel ran, as a fraction of the length of the recording.
    pub share: f64,
    /// Idle time of each cause, the longest first; causes without idle time are left out.
    pub causes: Vec<IdlePart>,
    /// Idle times by the families (similar names) of the kernels before and after, the longest
    /// total first.
    pub places: Vec<IdlePlace>,
}

/// Part of the idle time of a recording that one cause explains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct IdlePart {
    /// Cause of this part of the idle time, in which no kernel ran.
    pub cause: RecordedCause,
    /// Idle time of this cause, in which no kernel ran, in ns.
    pub ns: u64,
    /// Idle time of this cause as a fraction of the length of the recording.
    pub share: f64,
}

/// All idle times (without a running kernel) of a recording that lie between kernels of the same
/// two [families](super::family).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct IdlePlace {
    /// Family (similar names) of the kernel that ran last before the idle time; `None` at the begin
    /// of the recording.
    pub after: Option<String>,
    /// Family (similar names) of the kernel that ran first after the idle time; `None` at the end
    /// of the recording.
    pub before: Option<String>,
    /// Number of idle times between a kernel of the family `after` and one of the family `before`.
    pub times: u64,
    /// Sum of the idle times between kernels of the families `after` and `before`, in ns.
    pub total_ns: u64,
    /// Longest idle time between kernels of the families `after` and `before`, in ns.
    pub longest_ns: u64,
    /// Cause of the largest part of `total_ns`.
    pub mostly: RecordedCause,
}

/// Kind of an event in a walk through a recording in order of time: an op (launch, copy or fill) is
/// issued, begins or ends. Events at the same time are processed in the order of the enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum GapEdge {
    KernelEnds(u32),
    CopyEnds,
    Issued,
    /// An op begins; the number is the time in ns at which it was issued.
    PendingEnds(u64),
    /// A launch, copy or fill begins whose time of issue is unknown.
    BeginsUnissued,
    CopyBegins,
    KernelBegins(u32),
}

/// Idle time (without a running kernel) that is still going on, split by cause, in ns.
#[derive(Clone, Copy, Debug, Default)]
struct OpenGap {
    after: Option<u32>,
    began_ns: u64,
    /// Number of ops that were issued before the idle time and have not begun.
    queued: u32,
    by_cause: [u64; 5],
}

/// Sum of all idle times (without a running kernel) between the same two kernels or families, split
/// by cause, in ns.
#[derive(Clone, Copy, Debug, Default)]
struct PlaceSum {
    times: u64,
    longest_ns: u64,
    by_cause: [u64; 5],
}

impl PlaceSum {
    fn add(&mut self, more: &Self) {
        self.times += more.times;
        self.longest_ns = self.longest_ns.max(more.longest_ns);
        self.by_cause.iter_mut().zip(more.by_cause).for_each(|(sum, ns)| *sum += ns);
    }
}

/// State of a walk through the events of a recording in order of time: how many kernels and copies
/// run, how many ops (launches, copies or fills) were issued and wait, and the idle times so far.
#[derive(Debug, Default)]
struct IdleSweep {
    kernels: u32,
    copies: u32,
    pending: u32,
    gap: Option<OpenGap>,
    places: BTreeMap<(Option<u32>, Option<u32>), PlaceSum>,
}

impl IdleSweep {
    /// Adds `ns`, the time since the previous events, to the cause of the current idle time.
    /// `moment` holds the next events, which tell whether the op that ends the idle time has a
    /// known time of issue.
    fn spend(&mut self, ns: u64, moment: &[(u64, GapEdge)]) {
        let ends_by = |edge| moment.iter().any(|(_, own)| *own == edge);
        let cause = if self.copies > 0 {
            RecordedCause::Copies
        } else if self.gap.is_some_and(|gap| gap.queued > 0) {
            RecordedCause::Queued
        } else if self.pending > 0 {
            RecordedCause::Launching
        } else if ends_by(GapEdge::Issued) || !ends_by(GapEdge::BeginsUnissued) {
            RecordedCause::Host
        } else {
            RecordedCause::Unknown
        };
        if let Some(gap) = &mut self.gap {
            gap.by_cause[cause as usize] += ns;
        }
    }

    fn pass(&mut self, at: u64, edge: GapEdge) {
        match edge {
            GapEdge::KernelEnds(name) => {
                self.kernels -= 1;
                if self.kernels == 0 {
                    let (after, queued) = (Some(name), self.pending);
                    self.gap = Some(OpenGap { after, began_ns: at, queued, ..OpenGap::default() });
                }
            }
            GapEdge::KernelBegins(name) => {
                self.kernels += 1;
                self.close(Some(name));
            }
            GapEdge::CopyBegins => self.copies += 1,
            GapEdge::CopyEnds => self.copies -= 1,
            GapEdge::Issued => self.pending += 1,
            GapEdge::PendingEnds(issued) => {
                self.pending -= 1;
                if let Some(gap) = self.gap.as_mut().filter(|gap| issued < gap.began_ns) {
                    gap.queued -= 1;
                }
            }
            GapEdge::BeginsUnissued => {}
        }
    }

    fn close(&mut self, before: Option<u32>) {
        let Some(OpenGap { after, by_cause, .. }) = self.gap.take() else { return };
        let ns: u64 = by_cause.iter().sum();
        if ns == 0 {
            return;
        }
        let gap = PlaceSum { times: 1, longest_ns: ns, by_cause };
        self.places.entry((after, before)).or_default().add(&gap);
    }
}

/// Returns whether the recording states when a launch, copy or fill was issued.
pub(crate) fn is_issue_known(op: &Op) -> bool {
    matches!(op.provenance.of(Field::Arrival), Origin::Measured | Origin::Joined)
}

/// Returns all times of issue, begins and ends of the launches, copies and fills in a profile, in
/// order of time, each as (ns, kind).
fn edges(profile: &Profile) -> Vec<(u64, GapEdge)> {
    let mut edges = Vec::with_capacity(4 * profile.ops.len());
    for op in &profile.ops {
        if is_issue_known(op) {
            let begins = GapEdge::PendingEnds(op.arrival_ns);
            edges.extend([(op.arrival_ns, GapEdge::Issued), (op.start_ns, begins)]);
        } else {
            edges.push((op.start_ns, GapEdge::BeginsUnissued));
        }
        let (begins, ends) = match op.kind {
            OpKind::Kernel => (GapEdge::KernelBegins(op.kernel), GapEdge::KernelEnds(op.kernel)),
            OpKind::Copy | OpKind::Set => (GapEdge::CopyBegins, GapEdge::CopyEnds),
        };
        // An op lasts at least 1 ns here, so that it ends after it began.
        edges.extend([
            (op.start_ns, begins),
            (op.end_ns().max(op.start_ns.saturating_add(1)), ends),
        ]);
    }
    edges.sort_unstable();
    edges
}

impl RecordedIdle {
    /// Finds the times in which no kernel of a profile ran, and what caused them.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let mut sweep = IdleSweep { gap: Some(OpenGap::default()), ..IdleSweep::default() };
        let edges = edges(profile);
        let mut now = 0;
        for moment in edges.chunk_by(|a, b| a.0 == b.0) {
            let at = moment[0].0;
            sweep.spend(at.saturating_sub(now), moment);
            moment.iter().for_each(|&(_, edge)| sweep.pass(at, edge));
            now = now.max(at);
        }
        sweep.close(None);
        Self::new(&sweep.places, profile)
    }

    fn new(found: &BTreeMap<(Option<u32>, Option<u32>), PlaceSum>, profile: &Profile) -> Self {
        let of_span = |ns: u64| share(ns.into(), profile.span_ns.into());
        let name = |at: Option<u32>| profile.kernels.get(at? as usize).map(|name| family(name));
        let mut by_cause = [0; 5];
        let mut families: BTreeMap<(Option<&str>, Option<&str>), PlaceSum> = BTreeMap::new();
        for (&(after, before), place) in found {
            families.entry((name(after), name(before))).or_default().add(place);
        }
        let mut places = Vec::with_capacity(families.len());
        for ((after, before), place) in families {
            by_cause
                .iter_mut()
                .zip(place.by_cause)
                .for_each(|(sum, ns): (&mut u64, u64)| *sum += ns);
            // Of causes of equal time, the first counts.
            let causes = RecordedCause::ALL.into_iter().rev();
            let mostly = causes.max_by_key(|cause| place.by_cause[*cause as usize]);
            places.push(IdlePlace {
                after: after.map(str::to_owned),
                before: before.map(str::to_owned),
                times: place.times,
                total_ns: place.by_cause.iter().sum(),
                longest_ns: place.longest_ns,
                mostly: mostly.expect("there are five causes"),
            });
        }
        places.sort_by_key(|place| std::cmp::Reverse(place.total_ns));
        let idle_ns = by_cause.iter().sum();
        let parts = RecordedCause::ALL.into_iter().zip(by_cause).filter(|(_, ns)| *ns > 0);
        let mut causes: Vec<IdlePart> =
            parts.map(|(cause, ns)| IdlePart { cause, ns, share: of_span(ns) }).collect();
        causes.sort_by_key(|part| std::cmp::Reverse(part.ns));
        Self { idle_ns, share: of_span(idle_ns), causes, places }
    }

    /// Returns the fraction of the idle time, 0 to 1, that `cause` explains; 0 where there is no
    /// idle time.
    pub(crate) fn share_of(&self, cause: RecordedCause) -> f64 {
        self.caused_by(cause) as f64 / self.idle_ns.max(1) as f64
    }

    /// Returns the idle time that `cause` explains, in ns.
    #[must_use]
    pub fn caused_by(&self, cause: RecordedCause) -> u64 {
        self.causes.iter().find(|part| part.cause == cause).map_or(0, |part| part.ns)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use raddle_trace::{ImportConfig, read};

    use super::*;

    /// Makes a profile from rows with the columns kind, stream, arrival (`-` where it was not
    /// recorded), start and duration; times in ns.
    fn profile(rows: &[String]) -> Profile {
        let mut text = "kind,name,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,\
                        arrival_ns,start_ns,duration_ns\n"
            .to_owned();
        for row in rows {
            let cells: Vec<&str> = row.split_whitespace().collect();
            let [kind, stream, arrival, start, duration] = cells[..] else {
                panic!("{row}: 5 cells are wanted");
            };
            let shape = if kind == "copy" { ",,,,," } else { "8,1,1,64,1,1" };
            let arrival = if arrival == "-" { "" } else { arrival };
            let (kind, name) = if kind == "copy" { ("copy", "copy") } else { ("kernel", kind) };
            text += &format!("{kind},{name},{stream},{shape},{arrival},{start},{duration}\n");
        }
        read("t.csv", text.as_bytes(), &ImportConfig::default()).expect("a launch table")
    }

    fn causes(idle: &RecordedIdle) -> [u64; 5] {
        RecordedCause::ALL.map(|cause| idle.caused_by(cause))
    }

    #[test]
    fn each_moment_without_a_kernel_has_one_cause() {
        // Time 0 is the first issue. 0..10 issued; 10..110 kernel a; 110..150 nothing issued;
        // 150..180 issued; 180..200 a copy; 200..205 issued; 205..305 kernel b.
        let rows = ["a 1 0 10 100", "copy 1 150 180 20", "b 1 190 205 100"];
        let idle = RecordedIdle::of(&profile(&rows.map(str::to_owned)));
        assert_eq!(causes(&idle), [40, 10 + 30 + 5, 0, 20, 0]);
        assert_eq!(idle.idle_ns, 105);
        let place = &idle.places[0];
        assert_eq!((place.after.as_deref(), place.before.as_deref()), (Some("a"), Some("b")));
        assert_eq!((place.times, place.total_ns, place.longest_ns), (1, 95, 95));
        assert_eq!(place.mostly, RecordedCause::Host);
    }

    #[test]
    fn without_recorded_launches_the_cause_is_unknown() {
        let rows = ["a 1 - 0 100", "copy 1 - 150 20", "b 1 - 200 100"];
        let idle = RecordedIdle::of(&profile(&rows.map(str::to_owned)));
        assert_eq!(causes(&idle), [0, 0, 0, 20, 80]);
    }

    #[test]
    fn work_that_was_issued_before_the_idle_time_was_queued() {
        // 0..100 kernel a; b was issued at 50 and begins at 130; c is issued at 200, when b ends,
        // and begins at 220.
        let rows = ["a 1 0 0 100", "b 1 50 130 70", "c 2 200 220 10"];
        let idle = RecordedIdle::of(&profile(&rows.map(str::to_owned)));
        assert_eq!(causes(&idle), [0, 20, 30, 0, 0]);
        let mostly: Vec<RecordedCause> = idle.places.iter().map(|place| place.mostly).collect();
        assert_eq!(mostly, [RecordedCause::Queued, RecordedCause::Launching]);
    }

    proptest! {
        #[test]
        fn the_causes_are_those_of_a_look_at_every_moment(
            ops in prop::collection::vec(
                (any::<bool>(), any::<bool>(), 0_u64..40, 0_u64..12, 1_u64..20), 1..12),
        ) {
            // A lane each, as ops of one lane do not overlap.
            let rows: Vec<String> = ops.iter().enumerate().map(|(at, (copy, known, issue, wait, ns))| {
                let kind = if *copy && at > 0 { "copy" } else { "k" };
                let arrival = if *known { issue.to_string() } else { "-".to_owned() };
                format!("{kind} {at} {arrival} {} {ns}", issue + wait)
            }).collect();
            let profile = profile(&rows);
            let idle = RecordedIdle::of(&profile);
            let issued = |op: &raddle_trace::Op| {
                op.provenance.of(Field::Arrival) != Origin::Assumed
            };
            let mut by_cause = [0_u64; 5];
            for t in 0..profile.span_ns {
                let runs = |kernel: bool| profile.ops.iter().any(|op| {
                    (op.kind == OpKind::Kernel) == kernel && op.start_ns <= t && t < op.end_ns()
                });
                if runs(true) {
                    continue;
                }
                let waits = |op: &&raddle_trace::Op| {
                    issued(op) && op.arrival_ns <= t && t < op.start_ns
                };
                let kernels = profile.ops.iter().filter(|op| op.kind == OpKind::Kernel);
                let ended = kernels.map(raddle_trace::Op::end_ns).filter(|end| *end <= t).max();
                let is_queued =
                    |op: &raddle_trace::Op| op.arrival_ns < ended.unwrap_or_default();
                // The next thing that happens: an issue, or a begin that nobody saw issued.
                let next = profile.ops.iter().map(|op| {
                    if issued(op) { (op.arrival_ns, false) } else { (op.start_ns, true) }
                });
                let next = next.filter(|(at, _)| *at > t).min();
                let cause = if runs(false) {
                    RecordedCause::Copies
                } else if profile.ops.iter().filter(waits).any(is_queued) {
                    RecordedCause::Queued
                } else if profile.ops.iter().any(|op| waits(&op)) {
                    RecordedCause::Launching
                } else if next.is_none_or(|(_, unseen)| !unseen) {
                    RecordedCause::Host
                } else {
                    RecordedCause::Unknown
                };
                by_cause[cause as usize] += 1;
            }
            prop_assert_eq!(causes(&idle), by_cause);
            prop_assert_eq!(idle.idle_ns, by_cause.iter().sum::<u64>());
        }
    }
}
