//! How many things run at a time?

use raddle_trace::Profile;
use serde::Serialize;

use super::kernels::kernels;
use crate::units::share;

/// For how long how many kernels ran, from time 0 to the last end.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Concurrency {
    pub(super) none_ns: u64,
    pub(super) one_ns: u64,
    pub(super) two_ns: u64,
    pub(super) more_ns: u64,
    /// The shares of them in the span.
    pub(super) shares: [f64; 4],
    /// At least one ran.
    pub(super) busy_ns: u64,
    /// The most at a time.
    pub(super) most: u64,
}

impl Concurrency {
    pub(super) fn of(profile: &Profile) -> Self {
        let running = Running::of(kernels(profile).map(|op| (op.start_ns, op.end_ns())));
        let busy_ns = running.at_least_one();
        let none_ns = profile.span_ns.saturating_sub(busy_ns);
        let Running { one, two, more, most } = running;
        let part = |ns: u64| share(ns.into(), profile.span_ns.into());
        Self {
            none_ns,
            one_ns: one,
            two_ns: two,
            more_ns: more,
            shares: [none_ns, one, two, more].map(part),
            busy_ns,
            most,
        }
    }
}

/// For how long one, two, and three or more of some things ran, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Running {
    pub(super) one: u64,
    pub(super) two: u64,
    pub(super) more: u64,
    /// The most at a time.
    pub(super) most: u64,
}

impl Running {
    /// Of things that ran from start to end.
    pub(super) fn of(spans: impl Iterator<Item = (u64, u64)>) -> Self {
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

    pub(super) const fn at_least_one(&self) -> u64 {
        self.one + self.two + self.more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_to_how_many_run() {
        let of = |spans: &[(u64, u64)]| {
            let Running { one, two, more, most } = Running::of(spans.iter().copied());
            (one, two, more, most)
        };
        assert_eq!(of(&[]), (0, 0, 0, 0));
        assert_eq!(of(&[(5, 15), (15, 25)]), (20, 0, 0, 1));
        assert_eq!(of(&[(0, 10), (5, 15)]), (10, 5, 0, 2));
        assert_eq!(of(&[(0, 100), (10, 30), (20, 40), (20, 30)]), (70, 20, 10, 4));
    }
}
