//! Which parts of a device, in percent of its compute units, are tried for each tenant (process)?

use raddle_trace::PriorityRule;

use crate::profiles::Loaded;

/// Largest number of tenants for which a device is divided in many ways: all whose parts are
/// multiples of a fixed step in percent. With more tenants only equal parts are tried, and
/// divisions in which one tenant has twice the part of each other.
const STEPPED: usize = 3;

/// Facts about the tenants (processes) of a device that decide in which ways it is shared and
/// divided among them for a try.
#[derive(Clone, Debug)]
pub(crate) struct Tenants {
    /// Bytes of device memory that each tenant is known to need; 0 where nothing is known.
    pub(super) memory: Vec<u64>,
    /// True if some tenants may be more urgent than others: there are rules of priority, or
    /// requests.
    pub(super) by_level: bool,
    /// Index of the first tenant with the same profile, requests, urgency level and share, for each
    /// tenant. Tenants that agree in all of these get equal parts of the device.
    alike: Vec<usize>,
    /// Shares that the user gave, by which the device is divided among the tenants. `None` where
    /// the user gave none; several divisions are tried then.
    shares: Option<Vec<u32>>,
}

impl Tenants {
    /// Returns the facts about tenants from their profiles and the user's priority rules; `shared`
    /// is true if the user gave shares.
    pub(crate) fn of(profiles: &[Loaded], rules: &[PriorityRule], shared: bool) -> Self {
        let rate = |of: &Loaded| of.requests.as_ref().map(|it| it.facts.clone());
        let key = |of: &Loaded| (of.given.clone(), rate(of), of.share, of.most_urgent(rules));
        let keys: Vec<_> = profiles.iter().map(key).collect();
        let first = |own| keys.iter().position(|it| it == own).unwrap_or_default();
        let requested = profiles.iter().any(|loaded| loaded.requests.is_some());
        Self {
            memory: profiles.iter().map(|it| it.memory().unwrap_or(0)).collect(),
            by_level: !rules.is_empty() || requested,
            alike: keys.iter().map(first).collect(),
            shares: shared.then(|| profiles.iter().map(|it| it.share).collect()),
        }
    }

    /// Returns facts about `tenants` tenants whose memory needs and profiles are unknown, so that
    /// no two of them count as alike.
    #[cfg(test)]
    pub(super) fn strangers(tenants: usize, by_level: bool) -> Self {
        let (memory, alike) = (vec![0; tenants], (0..tenants).collect());
        Self { memory, by_level, alike, shares: None }
    }

    pub(super) fn len(&self) -> usize {
        self.memory.len()
    }

    /// Returns the divisions of the device that are tried: in each, every tenant has a percentage
    /// of the compute units, at most 100 in sum.
    pub(super) fn partitions(&self) -> Vec<Vec<u32>> {
        let step = if self.len() == 2 { 10 } else { 20 };
        self.asked().unwrap_or_else(|| self.fair(sets(self.len(), step)))
    }

    /// Returns the combinations of guarantees and limits that are tried: in each, every tenant has
    /// (guarantee, limit), in percent of the compute units. Every list of guarantees is tried
    /// without limits, then with one tenant limited to the middle between its guarantee and 100,
    /// for each tenant in turn. With many tenants only equal guarantees are tried with a limit.
    pub(super) fn request_limits(&self) -> Vec<Vec<(u32, u32)>> {
        let tenants = self.len();
        let mut found = Vec::new();
        let guarantees = self.asked().unwrap_or_else(|| self.fair(sets(tenants, 20)));
        for (at, set) in guarantees.iter().enumerate() {
            let limited = |who: Option<usize>| -> Vec<(u32, u32)> {
                let most = |(tenant, &own): (usize, &u32)| {
                    (own, if who == Some(tenant) { own.midpoint(100) } else { 100 })
                };
                set.iter().enumerate().map(most).collect()
            };
            found.push(limited(None));
            if tenants <= STEPPED || at == 0 {
                found.extend((0..tenants).map(|who| limited(Some(who))));
            }
        }
        found
    }

    /// Returns the one division of the device, in percent for each tenant, that follows from the
    /// shares that the user gave; `None` where the user gave no shares.
    fn asked(&self) -> Option<Vec<Vec<u32>>> {
        let shares = self.shares.as_ref()?;
        let sum: u64 = shares.iter().copied().map(u64::from).sum();
        // A part of a hundred is at most a hundred.
        let percent = |&own: &u32| (u64::from(own) * 100).checked_div(sum).unwrap_or(0) as u32;
        Some(vec![shares.iter().map(percent).collect()])
    }

    /// Keeps the lists of percentages in which tenants that are alike (same profile, requests,
    /// level and share) get equal parts.
    fn fair(&self, mut sets: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
        sets.retain(|set| set.iter().zip(&self.alike).all(|(own, &like)| *own == set[like]));
        sets
    }
}

/// Returns the lists of percentages that are tried for `tenants` tenants. Equal parts are always
/// among them. For few tenants so are all parts that are multiples of `step` percent; for many,
/// those in which one tenant has twice the part of each other.
fn sets(tenants: usize, step: u32) -> Vec<Vec<u32>> {
    // A number of tenants is far below 2^32.
    let parts = tenants as u32;
    let equal = vec![100 / parts; tenants];
    if tenants <= STEPPED {
        let mut found = Vec::new();
        split(tenants, 100, step, &mut Vec::new(), &mut found);
        if !equal[0].is_multiple_of(step) {
            found.push(equal);
        }
        return found;
    }
    let twice = (0..tenants).map(|larger| {
        let part = 100 / (parts + 1);
        (0..tenants).map(|at| if at == larger { 2 * part } else { part }).collect()
    });
    std::iter::once(equal).chain(twice).filter(|set: &Vec<u32>| set[0] > 0).collect()
}

/// Adds to `found` every list of percentages that begins with `set` and divides `left` percent
/// among `parts` further tenants, in multiples of `step`.
fn split(parts: usize, left: u32, step: u32, set: &mut Vec<u32>, found: &mut Vec<Vec<u32>>) {
    if parts == 1 {
        found.push(set.iter().copied().chain([left]).collect());
        return;
    }
    let others = step * (parts as u32 - 1);
    for part in (step..=left.saturating_sub(others)).step_by(step as usize) {
        set.push(part);
        split(parts - 1, left - part, step, set, found);
        set.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partitions(tenants: usize) -> Vec<Vec<u32>> {
        Tenants::strangers(tenants, false).partitions()
    }

    #[test]
    fn shares_are_tried_in_steps_and_add_up() {
        let two = partitions(2);
        assert_eq!((two.len(), &two[0], &two[8]), (9, &vec![10, 90], &vec![90, 10]));
        let three = partitions(3);
        assert_eq!((three.len(), &three[0], &three[6]), (7, &vec![20, 20, 60], &vec![33; 3]));
        assert_eq!(partitions(5).len(), 6);
        assert_eq!(partitions(5)[1], [32, 16, 16, 16, 16]);
        for tenants in 2..120 {
            for set in partitions(tenants) {
                assert_eq!(set.len(), tenants);
                assert!(set.iter().sum::<u32>() <= 100 && set.iter().all(|&part| part > 0));
            }
        }
    }

    #[test]
    fn tenants_that_nothing_tells_apart_get_equal_parts() {
        let of = |alike: &[usize]| {
            let alike = alike.to_vec();
            Tenants { alike: alike.clone(), ..Tenants::strangers(alike.len(), false) }.partitions()
        };
        assert_eq!(of(&[0, 0]), [[50, 50]]);
        assert_eq!(of(&[0, 1, 1]), [[20, 40, 40], [60, 20, 20], [33, 33, 33]]);
        assert_eq!(of(&[0; 5]), [[20; 5]]);
        assert_eq!(of(&[0, 1, 0, 0, 0]), [[20, 20, 20, 20, 20], [16, 32, 16, 16, 16]]);
    }

    #[test]
    fn shares_of_the_user_are_the_only_ones_tried() {
        let shares = Some(vec![3, 7]);
        let own = Tenants { shares, ..Tenants::strangers(2, false) };
        assert_eq!(own.partitions(), [[30, 70]]);
        let limits = own.request_limits();
        assert_eq!(limits[1..], [vec![(30, 65), (70, 100)], vec![(30, 100), (70, 85)]]);
    }

    #[test]
    fn limits_are_tried_between_guarantee_and_all() {
        let request_limits = |tenants| Tenants::strangers(tenants, false).request_limits();
        let two = request_limits(2);
        assert_eq!(two.len(), 5 * 3);
        assert_eq!(
            two[..3],
            [vec![(20, 100), (80, 100)], vec![(20, 60), (80, 100)], vec![(20, 100), (80, 90)]]
        );
        assert_eq!((request_limits(3).len(), request_limits(5).len()), (7 * 4, 6 + 5));
    }
}
