//! Which workgroups of a launch are known by name, and where do they lie?
//!
//! Pages of 64 neighbours, by number: what starts comes at the back, what ends leaves at the front,
//! so a name is found by arithmetic. However far apart the names are, a page costs what 64 take.

use std::collections::VecDeque;

use raddle_policy::{CuId, MAX_SIMDS, Split};

/// Workgroups that lie somewhere, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// Sorted by their numbers; none is empty.
    pages: VecDeque<Box<Page>>,
}

/// The workgroups `64 * number ..`.
#[derive(Clone, Debug)]
struct Page {
    number: u64,
    /// One bit each.
    there: u64,
    at: [(CuId, Split); 64],
}

/// The page of a workgroup, and its place there.
const fn place(workgroup: u64) -> (u64, usize) {
    (workgroup / 64, (workgroup % 64) as usize)
}

impl Names {
    pub(super) fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    fn find(&self, number: u64) -> Result<usize, usize> {
        match (self.pages.front(), self.pages.back()) {
            (Some(first), _) if first.number == number => Ok(0),
            (_, Some(last)) if last.number == number => Ok(self.pages.len() - 1),
            (_, Some(last)) if last.number < number => Err(self.pages.len()),
            _ => self.pages.binary_search_by_key(&number, |page| page.number),
        }
    }

    /// Where a workgroup lies, and on which SIMDs.
    pub(super) fn get(&self, workgroup: u64) -> Option<(CuId, Split)> {
        let (number, at) = place(workgroup);
        let page = &self.pages[self.find(number).ok()?];
        (page.there >> at & 1 == 1).then(|| page.at[at])
    }

    /// Enters a workgroup; `false`, and nothing changed, if it is there already.
    pub(super) fn insert(&mut self, workgroup: u64, cu: CuId, split: Split) -> bool {
        let (number, at) = place(workgroup);
        let position = self.find(number).unwrap_or_else(|position| {
            let page = Page { number, there: 0, at: [(CuId(0), [0; MAX_SIMDS]); 64] };
            self.pages.insert(position, Box::new(page));
            position
        });
        let page = &mut self.pages[position];
        let fresh = page.there >> at & 1 == 0;
        if fresh {
            page.there |= 1 << at;
            page.at[at] = (cu, split);
        }
        fresh
    }

    /// Takes a workgroup out that lies on this compute unit.
    pub(super) fn remove(&mut self, workgroup: u64, cu: CuId) -> Option<Split> {
        let (number, at) = place(workgroup);
        let position = self.find(number).ok()?;
        let page = &mut self.pages[position];
        let (there, split) = page.at[at];
        if page.there >> at & 1 == 0 || there != cu {
            return None;
        }
        page.there &= !(1 << at);
        if page.there == 0 {
            self.pages.remove(position);
        }
        Some(split)
    }

    /// Where they all lie.
    pub(super) fn places(&self) -> impl Iterator<Item = (CuId, Split)> + Clone {
        self.pages.iter().flat_map(|page| {
            let there = (0..64).filter(|at| page.there >> at & 1 == 1);
            there.map(|at: usize| page.at[at])
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn names_are_kept_as_a_map_keeps_them(
            steps in prop::collection::vec((any::<bool>(), 0u64..300, 0u16..2), 1..400),
        ) {
            let (mut names, mut map) = (Names::default(), BTreeMap::new());
            for (comes, code, cu) in steps {
                // Some far away, up to the last number that there is.
                let workgroup = if code < 200 { code } else { u64::MAX - (299 - code) * 50 };
                let (cu, split) = (CuId(cu), [code as u16; MAX_SIMDS]);
                if comes {
                    let fresh = !map.contains_key(&workgroup);
                    prop_assert_eq!(names.insert(workgroup, cu, split), fresh);
                    map.entry(workgroup).or_insert((cu, split));
                } else {
                    let known = map.get(&workgroup).copied();
                    let ours = known.filter(|&(at, _)| at == cu);
                    prop_assert_eq!(names.remove(workgroup, cu), ours.map(|(_, split)| split));
                    if ours.is_some() {
                        map.remove(&workgroup);
                    }
                }
                prop_assert_eq!(names.get(workgroup), map.get(&workgroup).copied());
                prop_assert!(names.places().eq(map.values().copied()));
                prop_assert_eq!(names.is_empty(), map.is_empty());
            }
        }
    }
}
