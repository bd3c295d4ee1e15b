//! Which granules are free, how long a free run does a search report, and which run is taken (seed
//! 000, E4 to E7; E1, a43 and a44)?

use raddle_policy::CuShape;
use serde_json::Value;

/// Most granules (smallest amounts that are handed out) of a device that the model handles; no real
/// device has more.
const MOST_GRANULES: u64 = 1 << 26;

/// Map of the granules of one resource: (for each granule true if it is free, end of the granules
/// that were taken last).
#[derive(Clone, Debug)]
pub(in crate::twin) struct Map(Vec<bool>, u64);

/// Rule that picks one of the free runs of granules that are long enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::twin) enum Fit {
    First,
    Best,
    Worst,
    Next,
}

impl Map {
    pub(in crate::twin) fn new(granules: u64) -> Self {
        Self(vec![true; granules as usize], 0)
    }

    /// Lists the map's free runs (neighbouring free granules) as (start, length), ascending.
    fn runs(&self) -> Vec<(usize, u64)> {
        let (mut runs, mut at) = (Vec::new(), 0);
        for run in self.0.chunk_by(|a, b| a == b) {
            if run[0] {
                runs.push((at, run.len() as u64));
            }
            at += run.len();
        }
        runs
    }

    pub(in crate::twin) fn free(&self) -> u64 {
        self.0.iter().filter(|free| **free).count() as u64
    }

    fn longest(&self) -> u64 {
        self.runs().iter().map(|run| run.1).max().unwrap_or(0)
    }

    /// Returns the first of the `want` neighbouring free granules that are taken by the rule `fit`;
    /// 0 for 0 granules, `None` where no run is long enough.
    pub(in crate::twin) fn start_of(&self, want: u64, fit: Fit) -> Option<u64> {
        if want == 0 {
            return Some(0);
        }
        if fit == Fit::Next {
            // Every start is tried, from the end of the last run on and then from 0.
            let mut all = (self.1..self.0.len() as u64).chain(0..self.1);
            return all.find(|&start| self.is_free(start, want));
        }
        let long = self.runs().into_iter().filter(|run| run.1 >= want);
        let found = match fit {
            Fit::First | Fit::Next => long.min_by_key(|run| run.0),
            Fit::Best => long.min_by_key(|run| (run.1, run.0)),
            Fit::Worst => long.min_by_key(|run| (u64::MAX - run.1, run.0)),
        };
        found.map(|run| run.0 as u64)
    }

    /// Returns whether these `len` granules from `start` on exist and are free.
    pub(in crate::twin) fn is_free(&self, start: u64, len: u64) -> bool {
        let range = start as usize..start.saturating_add(len) as usize;
        len == 0 || self.0.get(range).is_some_and(|them| them.iter().all(|free| *free))
    }

    /// Records that a search has handed out the `len` granules from `start` on; the rule `next`
    /// continues its search behind them.
    pub(super) const fn gave(&mut self, start: u64, len: u64) {
        if len > 0 {
            self.1 = start + len;
        }
    }

    pub(in crate::twin) fn set(&mut self, start: u64, len: u64, free: bool) {
        let range = start as usize..start.saturating_add(len) as usize;
        if len > 0
            && let Some(them) = self.0.get_mut(range)
        {
            them.fill(free);
        }
    }
}

/// Returns whether a device of `count` compute units has more granules than the model can handle.
pub(in crate::twin) fn is_too_large(shape: &CuShape, count: u16) -> bool {
    let vector = u64::from(shape.vgpr_per_simd) * u64::from(shape.simds);
    let granules = vector + u64::from(shape.lds) + u64::from(shape.sgpr);
    granules * u64::from(count) > MOST_GRANULES
}

/// Method by which a circuit searches the longest free run of one resource. Some methods report
/// less than its full length.
#[derive(Clone, Debug)]
pub(super) enum Finder {
    /// Full search: reports the length of the longest free run, in granules. A circuit that several
    /// resources share in turn also searches in this way.
    Full,
    /// Reports the longest run of free groups, each of this number of granules.
    Groups(u64),
    /// Reports the largest of these amounts of granules for which a free run is long enough.
    Amounts(Vec<u64>),
}

impl Finder {
    /// Makes the search of a resource with `granules` granules, by the setting `search` of a recipe
    /// (file that chooses the policies of a run).
    pub(super) fn of(search: &Value, resource: &str, granules: u64) -> Self {
        let of = |value: &Value| match value {
            Value::Object(each) => each.get(resource).cloned(),
            Value::Null => None,
            all => Some(all.clone()),
        };
        let number = |value: &Value| of(value).and_then(|it| it.as_u64()).filter(|&it| it > 0);
        let grouped = &search["grouped"];
        if let Some(size) = number(&grouped["size"]) {
            return Self::Groups(size);
        }
        if let Some(groups) = number(&grouped["groups"]) {
            return Self::Groups((granules / groups).max(1));
        }
        let Some(sampled) = search.get("sampled") else { return Self::Full };
        let named = |value: &Value| value.as_array().map(|all| numbers(all));
        if let Some(excluded) = sampled.get("excluding") {
            let Some(excluded) = of(excluded) else { return Self::Full };
            let named = named(&excluded);
            let out =
                |&it: &u64| named.as_ref().map_or_else(|| is_prime(it), |all| all.contains(&it));
            return Self::Amounts((1..=granules).filter(|it| !out(it)).collect());
        }
        match sampled.get("amounts").map(of) {
            Some(None) => Self::Full,
            Some(Some(amounts)) if amounts.as_array().is_some_and(|all| !all.is_empty()) => {
                let amounts = named(&amounts).unwrap_or_default();
                Self::Amounts(amounts.into_iter().filter(|&it| it <= granules).collect())
            }
            // The default amounts are 1, 2, 3, 4, 6, 8, 12, ..: powers of two, and half as much
            // again.
            _ => {
                let powers = (0..32).map(|shift| 1u64 << shift);
                let steps = powers.flat_map(|it| [it, it + it / 2]);
                let mut steps: Vec<u64> = steps.filter(|&it| it <= granules).collect();
                steps.dedup();
                Self::Amounts(steps)
            }
        }
    }

    /// Returns the length in granules of the free run that the search reports of a map.
    pub(super) fn report(&self, map: &Map) -> u64 {
        match self {
            Self::Full => map.longest(),
            Self::Groups(size) => {
                let whole =
                    |group: &[bool]| group.len() as u64 == *size && group.iter().all(|it| *it);
                let groups = map.0.chunks(*size as usize).map(whole).collect();
                Map(groups, 0).longest() * size
            }
            Self::Amounts(amounts) => {
                let longest = map.longest();
                amounts.iter().copied().filter(|&it| it <= longest).max().unwrap_or(0)
            }
        }
    }
}

fn numbers(all: &[Value]) -> Vec<u64> {
    all.iter().filter_map(Value::as_u64).collect()
}

fn is_prime(n: u64) -> bool {
    n > 1 && (2..n).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
}
