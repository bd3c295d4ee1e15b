//! How do whole workgroups with addresses start and end?

use raddle_policy::{CuId, Cus, Launch, LaunchId, MAX_SIMDS, Piece, Place, Split};

use super::counted::give_counted;
use super::{Book, BookError, ResidentLaunch, named, named_twice, total};

/// A workgroup by name: its number, where it lies, on which SIMDs.
pub(super) type NamedGroup = (u64, CuId, Split);

impl Book {
    pub(super) fn start_addressed(
        &mut self,
        launch: &Launch,
        pieces: &[Piece],
        places: &[Place],
    ) -> Result<(), BookError> {
        let id = launch.id;
        let waves = usize::from(launch.demand.waves).max(1);
        let mut groups = std::mem::take(&mut self.groups);
        groups.clear();
        let whole = total(pieces).saturating_mul(waves as u64) == places.len() as u64;
        let simds = self.cus.shape().simds;
        let each = named(if whole { pieces } else { &[] }).zip(places.chunks(waves));
        groups.extend(each.map_while(|((workgroup, cu), places)| {
            Some((workgroup, cu, split_of(places, simds)?))
        }));
        let entered = if whole && groups.len() * waves == places.len() {
            self.enter_named(launch, &groups)
        } else {
            Err(BookError::Places { launch: id })
        };
        self.groups = groups;
        self.drop_if_gone(id);
        entered
    }

    fn enter_named(&mut self, launch: &Launch, groups: &[NamedGroup]) -> Result<(), BookError> {
        let resident = Self::entry(&mut self.resident, &mut self.spare, self.cus.len(), launch);
        let twice = groups.iter().position(|&(workgroup, cu, split)| {
            resident.partial.contains_key(&workgroup)
                || !resident.addressed.insert(workgroup, cu, split)
        });
        let entered = match twice {
            Some(at) => Err(BookError::Waves { launch: launch.id, workgroup: groups[at].0 }),
            None => take_named(&mut self.cus, launch, groups),
        };
        if entered.is_err() {
            for &(workgroup, cu, _) in &groups[..twice.unwrap_or(groups.len())] {
                resident.addressed.remove(workgroup, cu);
            }
        } else {
            resident.waves += groups.len() as u64 * u64::from(launch.demand.waves);
        }
        entered
    }
}

/// What lies on one compute unit after the other: where, on which SIMDs, of how many workgroups;
/// `None` for more waves than a SIMD can have.
fn by_unit(groups: &[NamedGroup]) -> impl Iterator<Item = (CuId, Option<Split>, u32)> + Clone {
    groups.chunk_by(|a, b| a.1 == b.1).map(|run| {
        let mut waves = [0u32; MAX_SIMDS];
        for (_, _, split) in run {
            for (sum, &more) in waves.iter_mut().zip(split) {
                *sum = sum.saturating_add(more.into());
            }
        }
        let fits = waves.iter().all(|&waves| waves <= u32::from(u16::MAX));
        // Each has a wave, so they are u32 if their waves are u16.
        (run[0].1, fits.then(|| waves.map(|waves| waves as u16)), run.len() as u32)
    })
}

/// Takes the room of all of them, or nothing.
fn take_named(cus: &mut Cus, launch: &Launch, groups: &[NamedGroup]) -> Result<(), BookError> {
    let demand = &launch.demand;
    let units = by_unit(groups);
    for (taken, (cu, split, count)) in units.clone().enumerate() {
        if !split.is_some_and(|split| cus.take_split(cu, demand, &split, count)) {
            for (cu, split, count) in units.take(taken) {
                cus.give_split(cu, demand, &split.unwrap_or_default(), count);
            }
            return Err(BookError::Overcommit { launch: launch.id, cu });
        }
    }
    Ok(())
}

impl ResidentLaunch {
    /// Ends whole workgroups of a launch of which some are known by name.
    pub(super) fn end_whole(
        &mut self,
        launch: LaunchId,
        pieces: &[Piece],
        cus: &mut Cus,
        (scratch, groups): (&mut [u32], &mut Vec<NamedGroup>),
    ) -> Result<(), BookError> {
        let cu = pieces.first().map_or(CuId(0), |piece| piece.cu);
        let waves = u64::from(self.demand.waves);
        // Checked first, so that no piece, however large, is gone through for nothing.
        if total(pieces).saturating_mul(waves) > self.waves {
            return Err(BookError::NotResident { launch, cu });
        }
        groups.clear();
        let mut others = Vec::new();
        for (workgroup, cu) in named(pieces) {
            match self.addressed.remove(workgroup, cu) {
                Some(split) => groups.push((workgroup, cu, split)),
                None => others.push(Piece::one(workgroup, cu)),
            }
        }
        if let Err(fault) = self.end_others(launch, pieces, &others, (cus, scratch)) {
            for &(workgroup, cu, split) in groups.iter() {
                self.addressed.insert(workgroup, cu, split);
            }
            return Err(fault);
        }
        for (cu, split, count) in by_unit(groups) {
            cus.give_split(cu, &self.demand, &split.unwrap_or_default(), count);
        }
        self.waves -= groups.len() as u64 * waves;
        Ok(())
    }

    /// Ends those of the pieces that are not known by name on their compute units.
    fn end_others(
        &mut self,
        launch: LaunchId,
        pieces: &[Piece],
        others: &[Piece],
        (cus, scratch): (&mut Cus, &mut [u32]),
    ) -> Result<(), BookError> {
        let Some(first) = others.first() else { return Ok(()) };
        if let Some(workgroup) = named_twice(pieces) {
            return Err(BookError::Waves { launch, workgroup });
        }
        let elsewhere = others.iter().any(|piece| self.addressed.get(piece.first).is_some());
        let fault =
            if elsewhere { Some(first.cu) } else { give_counted(cus, scratch, self, others) };
        fault.map_or(Ok(()), |cu| Err(BookError::NotResident { launch, cu }))
    }
}

/// Waves by SIMD; `None` where a place names a SIMD that does not exist.
pub(super) fn split_of(places: &[Place], simds: u8) -> Option<Split> {
    let mut split = [0; MAX_SIMDS];
    for place in places {
        if place.simd >= simds {
            return None;
        }
        *split.get_mut(usize::from(place.simd))? += 1;
    }
    Some(split)
}
