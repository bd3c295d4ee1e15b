//! How do whole workgroups with addresses start and end?

use raddle_policy::{CuId, Launch, LaunchId, MAX_SIMDS, Piece, Place, Split};

use super::counted::give_counted;
use super::{Book, BookError, ResidentLaunch, named, named_twice, total};

impl Book {
    pub(super) fn start_addressed(
        &mut self,
        launch: &Launch,
        pieces: &[Piece],
        places: &[Place],
    ) -> Result<(), BookError> {
        let demand = launch.demand;
        let waves = usize::from(demand.waves).max(1);
        let simds = self.cus.shape().simds;
        let splits: Vec<Option<Split>> =
            places.chunks(waves).map(|places| split_of(places, simds)).collect();
        if total(pieces).saturating_mul(waves as u64) != places.len() as u64
            || splits.contains(&None)
        {
            return Err(BookError::Places { launch: launch.id });
        }
        self.check_fresh(launch.id, pieces)?;
        let shares = named(pieces).zip(splits.iter().flatten());
        self.take_all(&demand, shares.map(|((_, cu), split)| (cu, *split, 1)))
            .map_err(|cu| BookError::Overcommit { launch: launch.id, cu })?;
        let mut resident = self.entry(launch);
        for ((workgroup, cu), split) in named(pieces).zip(splits.into_iter().flatten()) {
            resident.addressed.insert(workgroup, (cu, split));
            resident.waves += waves as u64;
        }
        self.put_back(launch.id, resident);
        Ok(())
    }

    /// Checks that no workgroup is named twice or is resident by name already.
    fn check_fresh(&self, launch: LaunchId, pieces: &[Piece]) -> Result<(), BookError> {
        let known = self.resident.get(&launch);
        let twice = named_twice(pieces).or_else(|| {
            let known = known?;
            named(pieces).map(|(workgroup, _)| workgroup).find(|workgroup| {
                known.addressed.contains_key(workgroup) || known.partial.contains_key(workgroup)
            })
        });
        twice.map_or(Ok(()), |workgroup| Err(BookError::Waves { launch, workgroup }))
    }

    pub(super) fn end_whole(
        &mut self,
        launch: LaunchId,
        resident: &mut ResidentLaunch,
        pieces: &[Piece],
    ) -> Result<(), BookError> {
        let (demand, cu) = (resident.demand, pieces.first().map_or(CuId(0), |p| p.cu));
        let waves = u64::from(demand.waves);
        // Checked first, so that no piece, however large, is gone through for nothing.
        if total(pieces).saturating_mul(waves) > resident.waves {
            return Err(BookError::NotResident { launch, cu });
        }
        if let Some(workgroup) = named_twice(pieces) {
            return Err(BookError::Waves { launch, workgroup });
        }
        let mut by_name: Vec<(u64, CuId, Split)> = Vec::new();
        let mut nameless: Vec<Piece> = Vec::new();
        for (workgroup, cu) in named(pieces) {
            match resident.addressed.get(&workgroup) {
                Some(&(at, split)) if at == cu => by_name.push((workgroup, cu, split)),
                Some(_) => return Err(BookError::NotResident { launch, cu }),
                None => nameless.push(Piece::one(workgroup, cu)),
            }
        }
        if let Some(cu) = give_counted(&mut self.cus, &mut self.scratch, resident, &nameless) {
            return Err(BookError::NotResident { launch, cu });
        }
        for (workgroup, cu, split) in by_name {
            resident.addressed.remove(&workgroup);
            self.cus.give_split(cu, &demand, &split, 1);
            resident.waves -= waves;
        }
        Ok(())
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
