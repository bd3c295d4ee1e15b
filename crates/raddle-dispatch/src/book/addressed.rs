//! How are starts and ends of whole workgroups recorded whose waves have addresses?

use alloc::vec::Vec;

use raddle_policy::{CuId, Cus, Launch, MAX_SIMDS, Piece, Place, Split, TakenUnits};

use super::error::Reason;
use super::free_units::FreeUnits;
use super::names::{NamedRow, rows};
use super::on_device::{Asked, OnDevice};
use super::{BookError, named_twice, total};

impl FreeUnits {
    pub(super) fn start_addressed(
        &mut self,
        on: &mut OnDevice,
        asked: Asked<'_>,
    ) -> Result<(), BookError> {
        let Asked { launch, pieces, places, .. } = asked;
        let waves = usize::from(launch.demand.waves).max(1);
        let mut named = core::mem::take(&mut self.rows);
        named.clear();
        let whole = total(pieces).saturating_mul(waves as u64) == places.len() as u64;
        let simds = self.cus.shape().simds;
        let entered = if whole && with_waves(pieces, places, (waves, simds), &mut named).is_some() {
            take_named(&mut self.cus, launch, &named)
        } else {
            Err(BookError(Reason::Places { launch: launch.id }))
        };
        if entered.is_ok() {
            for &row in &named {
                let entered = on.addressed.insert(row);
                debug_assert!(entered.is_ok(), "a workgroup starts once, as the order was checked");
                on.waves += row.count() * u64::from(launch.demand.waves);
            }
        }
        self.rows = named;
        entered
    }
}

/// Adds to `named` the workgroups of `pieces` (equal workgroups on one compute unit), joined into
/// rows of consecutive numbers on neighbouring units, with the SIMD of each wave from `places`. A
/// workgroup has `waves` waves, a compute unit `simds` SIMDs. Returns `None` if a place names a
/// SIMD that does not exist, or if places are missing.
fn with_waves(
    pieces: &[Piece],
    places: &[Place],
    (waves, simds): (usize, u8),
    named: &mut Vec<NamedRow>,
) -> Option<()> {
    let (mut rest, mut last): (_, &[Place]) = (places, &[]);
    for piece in pieces {
        let (places, behind) = rest.split_at_checked(piece.count as usize * waves)?;
        rest = behind;
        let before = core::mem::replace(&mut last, places);
        // A piece that continues the one before it on the next compute unit belongs to its row.
        if let Some(row) = named.last_mut()
            && (row.each, 1) == (piece.count, piece.stride)
            && row.cu.index() + usize::from(row.units) == piece.cu.index()
            && row.first.checked_add(row.count()) == Some(piece.first)
            && on_the_same_simds(before, places)
        {
            row.units += 1;
            continue;
        }
        let begin = named.len();
        for (workgroup, places) in piece.workgroups().zip(places.chunks(waves)) {
            let split = split_of(places, simds)?;
            match named[begin..].last_mut() {
                Some(row)
                    if row.split == split
                        && workgroup.checked_sub(row.first) == Some(row.each.into()) =>
                {
                    row.each += 1;
                }
                _ => {
                    let (first, cu) = (workgroup, piece.cu);
                    named.push(NamedRow { first, each: 1, units: 1, cu, split });
                }
            }
        }
    }
    Some(())
}

fn on_the_same_simds(one: &[Place], other: &[Place]) -> bool {
    let differ = one.iter().zip(other).fold(0, |differ, (a, b)| differ | (a.simd ^ b.simd));
    one.len() == other.len() && differ == 0
}

/// Returns the compute units that these rows of workgroups take, as (range of compute units,
/// workgroups on each, waves on each SIMD of each). Rows on one compute unit are added up. The
/// error is a compute unit with more waves on a SIMD than a u16 holds.
fn by_units(named: &[NamedRow]) -> impl Iterator<Item = Result<TakenUnits, CuId>> + Clone {
    let same = |a: &NamedRow, b: &NamedRow| (a.units, b.units) == (1, 1) && a.cu == b.cu;
    named.chunk_by(same).map(|rows| {
        let units = rows[0].cu.index()..rows[0].cu.index() + usize::from(rows[0].units);
        let (mut waves, mut groups) = ([0u16; MAX_SIMDS], 0u32);
        for row in rows {
            let more = row.waves().ok_or(row.cu)?;
            for (sum, more) in waves.iter_mut().zip(more) {
                *sum = sum.checked_add(more).ok_or(row.cu)?;
            }
            // Each workgroup has a wave, so their number fits a u32 if the waves fit a u16.
            groups += row.each;
        }
        Ok((units, groups, waves))
    })
}

/// Takes the resources of all workgroups in `named` from their compute units. If a row of
/// workgroups does not fit, takes nothing and returns an error.
fn take_named(cus: &mut Cus, launch: &Launch, named: &[NamedRow]) -> Result<(), BookError> {
    let demand = &launch.demand;
    let all = by_units(named);
    for (taken, units) in all.clone().enumerate() {
        let entered = units
            .and_then(|(units, groups, waves)| cus.take_split_each(units, demand, &waves, groups));
        if let Err(cu) = entered {
            for (units, groups, waves) in all.take(taken).flatten() {
                cus.give_each(units, demand, &waves, groups);
            }
            return Err(BookError(Reason::Overcommit { launch: launch.id, cu }));
        }
    }
    Ok(())
}

impl OnDevice {
    /// Ends whole workgroups of a launch, some of which started with known addresses. `left` and
    /// `named` are scratch memory; on an error nothing has changed.
    pub(super) fn end_addressed(
        &mut self,
        launch: &Launch,
        pieces: &[Piece],
        cus: &mut Cus,
        (left, named): (&mut Vec<TakenUnits>, &mut Vec<NamedRow>),
    ) -> Result<(), BookError> {
        let cu = pieces.first().map_or(CuId(0), |piece| piece.cu);
        let waves = u64::from(launch.demand.waves);
        // The number is checked first, so that no piece, however large, is gone through in vain.
        if total(pieces).saturating_mul(waves) > self.waves {
            return Err(BookError(Reason::NotResident { launch: launch.id, cu }));
        }
        named.clear();
        let mut others = Vec::new();
        for row in rows(pieces) {
            let missing = |workgroup, cu| others.push(Piece::one(workgroup, cu));
            self.addressed.remove(row, |row| named.push(row), missing);
        }
        if let Err(fault) = self.end_others(launch, pieces, &others, (cus, left)) {
            for &row in named.iter() {
                let back = self.addressed.insert(row);
                debug_assert!(back.is_ok(), "it was there before");
            }
            return Err(fault);
        }
        for (units, groups, waves) in by_units(named).flatten() {
            cus.give_each(units, &launch.demand, &waves, groups);
        }
        self.waves -= named.iter().map(NamedRow::count).sum::<u64>() * waves;
        Ok(())
    }

    /// Ends the workgroups `others`: those of `pieces` that did not start with known addresses on
    /// the compute unit on which `pieces` has them. `left` is scratch memory.
    fn end_others(
        &mut self,
        launch: &Launch,
        pieces: &[Piece],
        others: &[Piece],
        (cus, left): (&mut Cus, &mut Vec<TakenUnits>),
    ) -> Result<(), BookError> {
        let Some(first) = others.first() else { return Ok(()) };
        if let Some(workgroup) = named_twice(pieces) {
            return Err(BookError(Reason::Waves { launch: launch.id, workgroup }));
        }
        let elsewhere = others.iter().any(|piece| self.addressed.get(piece.first).is_some());
        let ended = match elsewhere {
            true => Err(first.cu),
            false => self.end_counted(launch, others, cus, left),
        };
        ended.map(|_| ()).map_err(|cu| BookError(Reason::NotResident { launch: launch.id, cu }))
    }
}

/// Returns the number of waves on each SIMD of a compute unit, by the SIMD that each of `places`
/// names; `None` where one names a SIMD that does not exist.
pub(super) fn split_of(places: &[Place], simds: u8) -> Option<Split> {
    let mut split = [0u16; MAX_SIMDS];
    // Each SIMD is counted in a byte of a u64, which 255 places cannot overflow.
    for places in places.chunks(255) {
        let (mut bytes, mut highest) = (0u64, 0);
        for place in places {
            bytes = bytes.wrapping_add(1 << (8 * (place.simd % 8)));
            highest = highest.max(place.simd);
        }
        if highest >= simds {
            return None;
        }
        for (sum, more) in split.iter_mut().zip(bytes.to_le_bytes()) {
            *sum += u16::from(more);
        }
    }
    Some(split)
}
