//! What is said of the kernel launches of a profile: which there are, where their figures come from,
//! and how many run at a time, for how long?

use raddle_trace::{Field, Op, OpKind, Origin, Profile};
use serde::Serialize;

use crate::units::{percent, share};

/// The kernel launches of a profile.
pub(crate) fn kernels(profile: &Profile) -> impl Iterator<Item = &Op> {
    profile.ops.iter().filter(|op| op.kind == OpKind::Kernel)
}

/// Shares of the kernel launches, by where one field of them comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct OriginShares {
    pub(crate) measured: f64,
    pub(crate) joined: f64,
    pub(crate) assumed: f64,
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
        }
    }

    /// Those that are not 0, in words.
    pub(crate) fn told(&self, and: &str) -> String {
        let named =
            [(self.measured, "measured"), (self.joined, "joined"), (self.assumed, "assumed")];
        let named = named.iter().filter(|(share, _)| *share > 0.0);
        let named = named.map(|(share, origin)| format!("{} {origin}", percent(*share)));
        named.collect::<Vec<_>>().join(and)
    }
}

/// For how long one, two, and three or more of some things ran, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ConcurrentTime {
    pub(crate) one: u64,
    pub(crate) two: u64,
    pub(crate) more: u64,
    /// The most at a time.
    pub(crate) most: u64,
}

impl ConcurrentTime {
    /// Of things that ran from start to end.
    pub(crate) fn of(spans: impl Iterator<Item = (u64, u64)>) -> Self {
        let mut edges: Vec<(u64, i8)> =
            spans.flat_map(|(start, end)| [(start, 1), (end, -1)]).collect();
        // At one instant, ends before starts: touching is no overlap.
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
