//! Which kernel launches does a profile have, where do their figures come from, and how many run at
//! a time, for how long?

use raddle_trace::{Field, Op, OpKind, Origin, Profile, UnknownTime};
use serde::Serialize;

use crate::units::{count, counted, percent, share};

pub(crate) fn kernels(profile: &Profile) -> impl Iterator<Item = &Op> {
    profile.ops.iter().filter(|op| op.kind == OpKind::Kernel)
}

/// Fractions of the kernel launches by the origin of one field, such as the arrival: measured,
/// joined from other records, assumed or unknown.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OriginShares {
    pub(crate) measured: f64,
    pub(crate) joined: f64,
    pub(crate) assumed: f64,
    /// Fraction of the launches for which the field that this value sums up, such as the number of
    /// registers, is unknown, as the profile has no shape (grid
    /// and needed resources) of the kernel.
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) unknown: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_none(share: &f64) -> bool {
    *share <= 0.0
}

impl OriginShares {
    pub(crate) fn of(kernels: &[&Op], field: Field) -> Self {
        let of = |origin| {
            let from = kernels.iter().filter(|op| op.provenance.of(field) == origin);
            share(from.count() as u128, kernels.len() as u128)
        };
        Self {
            measured: of(Origin::Measured),
            joined: of(Origin::Joined),
            assumed: of(Origin::Assumed),
            unknown: of(Origin::Unknown),
        }
    }

    /// Writes the fractions above 0 in words, separated by `and`: "60 % measured and 40 % assumed".
    #[must_use]
    pub fn told(&self, and: &str) -> String {
        let named = [
            (self.measured, "measured"),
            (self.joined, "joined"),
            (self.assumed, "assumed"),
            (self.unknown, "unknown"),
        ];
        let named = named.iter().filter(|(share, _)| *share > 0.0);
        let named = named.map(|(share, origin)| format!("{} {origin}", percent(*share)));
        named.collect::<Vec<_>>().join(and)
    }
}

/// Fractions of the kernel time of a profile for which the shape (grid and needed resources) is
/// unknown, or taken from the capture of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct UnknownKernels {
    /// Fraction of the kernel time without a known shape: that of kernels whose shape the profile
    /// lacks, and of kernels that were left out of the profile.
    pub(crate) share: f64,
    pub(crate) opaque: u64,
    pub(crate) opaque_ns: u64,
    pub(crate) left_out: u64,
    /// Number of kernels that were left out of the profile because their times are impossible. All
    /// other kernels that were left out have malformed records.
    pub(crate) timeless: u64,
    /// Number of kernels of the profile that were not left out.
    pub(crate) of: u64,
    /// Fraction of the kernel time whose shapes come from the capture of a graph, where launches
    /// were matched to the captured ones by their order.
    pub(crate) in_order: f64,
    /// Fraction of the kernel time whose shapes come from the capture of a graph, where launches
    /// were matched to the captured ones by the names of their kernels.
    pub(crate) by_name: f64,
}

impl UnknownKernels {
    /// Returns how much of the kernel time of a profile has an unknown or a captured shape; `None`
    /// where every kernel came with its shape.
    pub(crate) fn of(profile: &Profile) -> Option<Self> {
        let unknown = profile.unknown_time();
        let UnknownTime { opaque, opaque_ns, left_out, timeless, .. } = unknown;
        let report = &profile.report;
        let part = |ns: u64| share(ns.into(), unknown.kernel_ns.into());
        let found = Self {
            share: part(opaque_ns.saturating_add(unknown.left_out_ns)),
            opaque,
            opaque_ns,
            left_out,
            timeless,
            of: report.kernels,
            in_order: part(report.shape_in_order_ns),
            by_name: part(report.shape_by_name_ns),
        };
        let given = report.shape_in_order_ns.saturating_add(report.shape_by_name_ns);
        (opaque > 0 || left_out > 0 || given > 0).then_some(found)
    }

    /// Writes in words how much of the kernel time has no shape, a captured one, or was left out.
    #[must_use]
    pub fn told(&self) -> String {
        let (lacks, before) = match (self.opaque, self.left_out) {
            (_, 0) => ("without a shape", ""),
            (0, _) => ("left out", ": "),
            _ => ("without a shape or left out", "; left out: "),
        };
        let mut text = format!("{} of kernel time {lacks}", percent(self.share));
        if self.opaque > 0 {
            let (opaque, of) = (count(self.opaque), counted(self.of, "kernel", "kernels"));
            text += &format!(": {opaque} of {of} are opaque, and fill the device's wave slots");
        }
        if self.left_out > 0 {
            let why = why_left_out(self.left_out, self.timeless);
            text += &format!("{before}{why}, here taken to last as long as the others");
        }
        if self.in_order + self.by_name > 0.0 {
            let (in_order, by_name) = (percent(self.in_order), percent(self.by_name));
            text += &format!("; shapes from --shapes-from: {in_order} in order, {by_name} by name");
        }
        text
    }
}

/// Writes in words how many kernels were left out of a profile, and why: `timeless` of them for
/// impossible times, the others for malformed records.
pub(crate) fn why_left_out(left_out: u64, timeless: u64) -> String {
    let malformed = left_out.saturating_sub(timeless);
    let told = [(timeless, "times cannot be"), (malformed, "records are malformed")];
    let told = told.into_iter().filter(|(number, _)| *number > 0);
    let told =
        told.map(|(number, why)| format!("{} whose {why}", counted(number, "kernel", "kernels")));
    told.collect::<Vec<_>>().join(" and ")
}

/// Times for which 1, 2, and 3 or more spans, such as runs of a kernel, went on at once, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConcurrentTime {
    pub(crate) one: u64,
    pub(crate) two: u64,
    pub(crate) more: u64,
    /// Largest number of spans, such as runs of a kernel, that were under way at the same moment.
    pub(crate) most: u64,
}

impl ConcurrentTime {
    /// Returns for how long 1, 2, and 3 or more of `spans` were under way at once; each span is
    /// (start, end) in ns.
    pub(crate) fn of(spans: impl Iterator<Item = (u64, u64)>) -> Self {
        let mut edges: Vec<(u64, i8)> =
            spans.flat_map(|(start, end)| [(start, 1), (end, -1)]).collect();
        // Ends come before starts at one instant: spans that touch do not overlap.
        edges.sort_unstable();
        let (mut found, mut running, mut since) = (Self::default(), 0_u64, 0);
        for (at, change) in edges {
            let time = match running {
                0 => &mut 0,
                1 => &mut found.one,
                2 => &mut found.two,
                _ => &mut found.more,
            };
            *time += at - since;
            since = at;
            running = running.saturating_add_signed(change.into());
            found.most = found.most.max(running);
        }
        found
    }

    pub(crate) const fn at_least_one(&self) -> u64 {
        self.one + self.two + self.more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_to_how_many_run() {
        let of = |spans: &[(u64, u64)]| {
            let ConcurrentTime { one, two, more, most } = ConcurrentTime::of(spans.iter().copied());
            (one, two, more, most)
        };
        assert_eq!(of(&[]), (0, 0, 0, 0));
        assert_eq!(of(&[(5, 15), (15, 25)]), (20, 0, 0, 1));
        assert_eq!(of(&[(0, 10), (5, 15)]), (10, 5, 0, 2));
        assert_eq!(of(&[(0, 100), (10, 30), (20, 40), (20, 30)]), (70, 20, 10, 4));
    }

    #[test]
    fn quirk_21_only_time_shared_with_another_counts() {
        let shared = |spans: &[(u64, u64)]| {
            let all: u64 = spans.iter().map(|(start, end)| end - start).sum();
            (all - ConcurrentTime::of(spans.iter().copied()).one, all)
        };
        assert_eq!(shared(&[(0, 10), (10, 20)]), (0, 20));
        assert_eq!(shared(&[(0, 10), (5, 15)]), (10, 20));
        assert_eq!(shared(&[(0, 100), (10, 20), (15, 25)]), (15 + 20, 120));
        assert_eq!(shared(&[(0, 10), (0, 10)]), (20, 20));
    }
}
