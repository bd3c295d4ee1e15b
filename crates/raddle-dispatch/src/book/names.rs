//! Which workgroups of a launch started with addresses, so that their numbers are known, and on
//! which compute units are they?
//!
//! The workgroups that start in one answer are one row or a few: consecutive numbers on consecutive
//! compute units. Rows are sorted by number. New rows are added at the back, and most rows end as
//! they started, at the front. So a workgroup is found by arithmetic, and adding or removing a row
//! takes as long as a workgroup would.

use alloc::collections::VecDeque;

use raddle_policy::{CuId, MAX_SIMDS, Piece, Split};

/// A row of workgroups with consecutive numbers, from `first` on: `each` workgroups on each of
/// `units` neighbouring compute units, from `cu` on. All of them divide their waves among the SIMDs
/// in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NamedRow {
    pub(super) first: u64,
    /// The number of workgroups of the row (workgroups on neighbouring compute units) on each
    /// compute unit, 1 or more.
    pub(super) each: u32,
    /// The number of neighbouring compute units of the row (workgroups on neighbouring compute
    /// units), 1 or more.
    pub(super) units: u16,
    pub(super) cu: CuId,
    /// The waves of one workgroup of the row (workgroups on neighbouring compute units), by SIMD.
    pub(super) split: Split,
}

impl NamedRow {
    pub(super) fn count(&self) -> u64 {
        u64::from(self.each) * u64::from(self.units)
    }

    fn last(&self) -> u64 {
        self.first + (self.count() - 1)
    }

    /// Returns the number of waves on each SIMD of one compute unit of this row of workgroups;
    /// `None` if a number is larger than a u16 holds.
    pub(super) fn waves(&self) -> Option<Split> {
        let mut waves = self.split;
        for of_simd in &mut waves {
            *of_simd = u16::try_from(u32::from(*of_simd).checked_mul(self.each)?).ok()?;
        }
        Some(waves)
    }

    /// Returns this row of workgroups without those on its first `unit` compute units.
    fn starting_at(&self, unit: u16) -> Self {
        Self {
            first: self.first + u64::from(unit) * u64::from(self.each),
            units: self.units - unit,
            // The row ends at a compute unit, so the sum is the id of one.
            cu: CuId(self.cu.0 + unit),
            ..*self
        }
    }

    /// Returns the workgroups of the row (workgroups on neighbouring compute units) from offset
    /// `from` to below offset `to`, as up to three rows: complete compute units in the middle, and
    /// incomplete ones before and behind them.
    fn parts(self, mut from: u64, to: u64) -> impl Iterator<Item = Self> {
        let each = u64::from(self.each);
        core::iter::from_fn(move || {
            let (left, within) = (to.saturating_sub(from), from % each);
            // The position is below the number of units, which is a u16.
            let unit = self.starting_at(u16::try_from(from / each).ok().filter(|_| left > 0)?);
            let (units, count) = match left / each {
                whole @ 1.. if within == 0 => (whole as u16, self.each),
                _ => (1, left.min(each - within) as u32),
            };
            from += u64::from(units) * u64::from(count);
            Some(Self { first: unit.first + within, each: count, units, ..unit })
        })
    }
}

/// Returns the workgroups of `pieces` (each is equal workgroups on one compute unit) as rows of
/// consecutive workgroups. Pieces do not name SIMDs, so the numbers of waves on each SIMD are all
/// 0.
pub(super) fn rows(pieces: &[Piece]) -> impl Iterator<Item = NamedRow> {
    let end = |piece: &Piece| piece.first.checked_add(u64::from(piece.count));
    let in_row =
        move |piece: &Piece| (piece.stride == 1 || piece.count == 1) && end(piece).is_some();
    let follows = move |one: &Piece, next: &Piece| {
        (in_row(one) && in_row(next) && one.count == next.count)
            && one.cu.index() + 1 == next.cu.index()
            && end(one) == Some(next.first)
    };
    pieces.chunk_by(follows).flat_map(move |run| {
        let Piece { first, stride, count, cu } = run[0];
        let (rows, each) = if in_row(&run[0]) { (u32::from(count > 0), count) } else { (count, 1) };
        (0..u64::from(rows)).map(move |at| NamedRow {
            // Numbers beyond u64 become `u64::MAX`.
            first: first.saturating_add(at.saturating_mul(stride.into())),
            each,
            // A run has one piece a compute unit.
            units: run.len() as u16,
            cu,
            split: [0; MAX_SIMDS],
        })
    })
}

/// The workgroups on the device that started with known addresses, as rows (consecutive numbers on
/// consecutive compute units). The account knows the numbers of such workgroups only.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// The rows of workgroups, which do not overlap, sorted by workgroup number.
    rows: VecDeque<NamedRow>,
}

impl Names {
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the index of the first row of workgroups whose highest number is `workgroup` or
    /// more; the number of rows if there is none.
    fn find(&self, workgroup: u64) -> usize {
        match (self.rows.front(), self.rows.back()) {
            (Some(first), _) if workgroup <= first.last() => 0,
            (_, Some(last)) if workgroup > last.last() => self.rows.len(),
            _ => self.rows.partition_point(|row| row.last() < workgroup),
        }
    }

    /// Returns the index of the row that contains a workgroup, and the offset of the workgroup in
    /// that row (workgroups on neighbouring units); `None` where no row contains the workgroup.
    fn position(&self, workgroup: u64) -> Option<(usize, u64)> {
        let at = self.find(workgroup);
        Some((at, workgroup.checked_sub(self.rows.get(at)?.first)?))
    }

    /// Returns (compute unit, waves on each SIMD) of a workgroup; `None` where the workgroup is not
    /// on the device.
    pub(super) fn get(&self, workgroup: u64) -> Option<(CuId, Split)> {
        let (at, within) = self.position(workgroup)?;
        let one = self.rows[at].parts(within, within + 1).next()?;
        Some((one.cu, one.split))
    }

    /// Adds a row of workgroups, which are on the device from now on. If any of them is on the
    /// device already, nothing changes, and the error is the lowest of these.
    pub(super) fn insert(&mut self, row: NamedRow) -> Result<(), u64> {
        let at = self.find(row.first);
        if let Some(next) = self.rows.get(at).filter(|next| next.first <= row.last()) {
            return Err(next.first.max(row.first));
        }
        self.rows.insert(at, row);
        Ok(())
    }

    /// Removes the workgroups of a row, even if they were added in other rows. Calls `found` with
    /// the removed workgroups as rows, and `missing` with each workgroup that is not on the compute
    /// unit that the row gives for it.
    pub(super) fn remove(
        &mut self,
        row: NamedRow,
        mut found: impl FnMut(NamedRow),
        mut missing: impl FnMut(u64, CuId),
    ) {
        let mut left = row;
        loop {
            let units = match self.remove_units(&left) {
                Some(row) => {
                    found(row);
                    row.units
                }
                None => {
                    self.remove_unit(&left, &mut found, &mut missing);
                    1
                }
            };
            if units == left.units {
                return;
            }
            left = left.starting_at(units);
        }
    }

    /// Removes the workgroups that the beginning of `row` has in common with one stored row, on the
    /// same compute units, and returns them as a row. `None`, with nothing removed, where no stored
    /// row has the workgroups of the first compute unit of `row`.
    fn remove_units(&mut self, row: &NamedRow) -> Option<NamedRow> {
        let (at, within) = self.position(row.first)?;
        let known = &self.rows[at];
        let each = u64::from(known.each);
        if known.each != row.each || !within.is_multiple_of(each) {
            return None;
        }
        // The position is below the number of units, which is a u16.
        let known = known.starting_at((within / each) as u16);
        let units = known.units.min(row.units);
        if known.cu != row.cu {
            return None;
        }
        self.carve(at, within, u64::from(units) * each);
        Some(NamedRow { units, ..known })
    }

    /// Removes the workgroups on the first compute unit of `row` one by one. Calls `found` with
    /// each that was on that unit, and `missing` with each that was not.
    fn remove_unit(
        &mut self,
        row: &NamedRow,
        found: &mut impl FnMut(NamedRow),
        missing: &mut impl FnMut(u64, CuId),
    ) {
        for workgroup in (row.first..=u64::MAX).take(row.each as usize) {
            let known = self.position(workgroup).and_then(|(at, within)| {
                let one = self.rows[at].parts(within, within + 1).next()?;
                (one.cu == row.cu).then_some((at, within, one))
            });
            match known {
                Some((at, within, one)) => {
                    self.carve(at, within, 1);
                    found(one);
                }
                None => missing(workgroup, row.cu),
            }
        }
    }

    /// Removes `count` workgroups from the stored row with the index `at`, beginning at the offset
    /// `from` in the row.
    fn carve(&mut self, at: usize, from: u64, count: u64) {
        let row = self.rows[at];
        let behind = row.parts(from + count, row.count());
        let mut left = row.parts(0, from).chain(behind);
        match left.next() {
            Some(first) => self.rows[at] = first,
            None => drop(self.rows.remove(at)),
        }
        for (place, row) in (at + 1..).zip(left) {
            self.rows.insert(place, row);
        }
    }

    /// Returns (compute unit, waves on each SIMD, number of workgroups) for each compute unit of
    /// each stored row of workgroups.
    pub(super) fn places(&self) -> impl Iterator<Item = (CuId, Split, u32)> + Clone {
        self.rows.iter().flat_map(|row| {
            let waves = row.waves().unwrap_or_default();
            // The row ends at a compute unit, so the sum is the id of one.
            (0..row.units).map(move |unit| (CuId(row.cu.0 + unit), waves, row.each))
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Returns (number, compute unit) of every workgroup in a row of workgroups.
    fn each(row: NamedRow) -> impl Iterator<Item = (u64, CuId)> {
        row.parts(0, row.count()).flat_map(|part| {
            let unit = move |unit| part.starting_at(unit);
            (0..part.units).map(unit).flat_map(|unit| {
                (0..u64::from(unit.each)).map(move |at| (unit.first + at, unit.cu))
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn names_are_kept_as_a_map_keeps_them(
            steps in prop::collection::vec(
                (any::<bool>(), 0u64..60, (1u32..4, 1u16..4), 0u16..2), 1..200,
            ),
        ) {
            let (mut names, mut map) = (Names::default(), BTreeMap::new());
            for (comes, code, (count, units), cu) in steps {
                // Some workgroup numbers are far from the others, up to `u64::MAX`.
                let far = u64::MAX - (59 - code) * 50 - if code < 59 { 11 } else { 0 };
                let first = if code < 50 { code } else { far };
                let (count, units) = if code == 59 { (1, 1) } else { (count, units) };
                let row = NamedRow { first, each: count, units, cu: CuId(cu), split: [code as u16; MAX_SIMDS] };
                let known = |map: &BTreeMap<u64, (CuId, Split)>, at: u64| map.get(&at).copied();
                if comes {
                    let there = each(row).find(|(at, _)| map.contains_key(at));
                    prop_assert_eq!(names.insert(row), there.map_or(Ok(()), |(at, _)| Err(at)));
                    if there.is_none() {
                        map.extend(each(row).map(|(at, cu)| (at, (cu, row.split))));
                    }
                } else {
                    let (mut found, mut missing) = (Vec::new(), Vec::new());
                    names.remove(row, |row| found.push(row), |at, cu| missing.push((at, cu)));
                    let ours = |(at, cu)| known(&map, at).filter(|&(lies, _)| lies == cu);
                    let (there, gone): (Vec<_>, Vec<_>) = each(row).partition(|&it| ours(it).is_some());
                    prop_assert_eq!(missing, gone);
                    let found = found.into_iter().flat_map(|row| each(row).map(move |it| (it, row.split)));
                    let wanted = there.iter().map(|&(at, cu)| ((at, cu), map[&at].1));
                    prop_assert!(found.eq(wanted));
                    map.retain(|at, _| !there.iter().any(|(gone, _)| gone == at));
                }
                prop_assert_eq!(names.get(first), known(&map, first));
                let mut by_unit = BTreeMap::new();
                for (cu, split, groups) in names.places() {
                    let (waves, all): &mut (u32, u32) = by_unit.entry(cu).or_default();
                    (*waves, *all) = (*waves + u32::from(split[0]), *all + groups);
                }
                let mut naive = BTreeMap::new();
                for (cu, split) in map.values() {
                    let (waves, all): &mut (u32, u32) = naive.entry(*cu).or_default();
                    (*waves, *all) = (*waves + u32::from(split[0]), *all + 1);
                }
                prop_assert_eq!(by_unit, naive);
                prop_assert_eq!(names.is_empty(), map.is_empty());
            }
        }

        #[test]
        fn rows_name_what_pieces_name(
            pieces in prop::collection::vec((0u64..40, 1u32..3, 0u32..4, 0u16..5), 0..6),
            far in any::<bool>(),
        ) {
            let pieces: Vec<Piece> = pieces.into_iter().map(|(first, stride, count, cu)| {
                let first = if far { u64::MAX - 2 + first % 3 } else { first };
                Piece { first, stride, count, cu: CuId(cu) }
            }).collect();
            let named = pieces.iter().flat_map(|it| it.workgroups().map(|at| (at, it.cu)));
            prop_assert!(rows(&pieces).flat_map(each).eq(named));
        }

        #[test]
        fn pieces_that_follow_each_other_are_one_row(first in 0u64..9, each in 1u32..4, units in 1u16..9) {
            let piece = |at: u16| Piece {
                first: first + u64::from(at) * u64::from(each),
                stride: 1,
                count: each,
                cu: CuId(3 + at),
            };
            let pieces: Vec<Piece> = (0..units).map(piece).collect();
            let row = NamedRow { first, each, units, cu: CuId(3), split: [0; MAX_SIMDS] };
            prop_assert_eq!(rows(&pieces).collect::<Vec<_>>(), [row]);
        }
    }
}
