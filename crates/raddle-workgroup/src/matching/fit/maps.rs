//! Which length of a free run is reported of each map of free granules of one resource, and at
//! which granules are runs taken?
//!
//! Units: granules.

use alloc::vec::Vec;
use core::ops::Range;

use raddle_bitmap::{Bank, MapState};
use raddle_policy::{FreeRun, Resource};

use super::finder::ResourceSearch;
use crate::Error;
use crate::matching::config::Fit;

/// The maps of the free granules of one resource, on all compute units.
#[derive(Clone, Debug)]
pub(super) struct RunMaps {
    bank: Bank,
    finder: ResourceSearch,
    /// The length in granules of the free run that the finder (the simulated search circuit)
    /// reports for each granule map. Empty where the finder always reports the longest run, which
    /// the maps know themselves.
    reported: Vec<u32>,
    /// The end of the run that was taken last from each granule map, as the number of a granule;
    /// empty unless the fit is [`Fit::Next`].
    after: Vec<u32>,
}

impl RunMaps {
    /// Returns `maps` granule maps with `granules` free granules each. `exact` is true if `finder`
    /// always reports the longest run; then its reports are not stored.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) where no memory could hold the maps.
    pub(super) fn new(
        finder: ResourceSearch,
        resource: Resource,
        maps: usize,
        granules: u32,
        exact: bool,
    ) -> Result<Self, Error> {
        let bank = Bank::new(maps, granules);
        let bank = bank.map_err(|cause| Error::search(resource, cause))?;
        let reported = if exact { 0 } else { maps };
        let reported = (0..reported).map(|_| finder.of_empty(granules)).collect();
        Ok(Self { bank, finder, reported, after: Vec::new() })
    }

    /// Begins to record, for each granule map, the end of the run that was taken last.
    pub(super) fn remember_ends(&mut self) {
        self.after = (0..self.bank.len()).map(|_| 0).collect();
    }

    /// Returns, for each granule map, the length in granules of the free run that the finder (the
    /// simulated search circuit) reports. `exact` says that this is always the longest free run.
    #[inline(always)]
    pub(super) fn runs(&self, exact: bool) -> &[u32] {
        if exact { self.bank.longest_runs() } else { &self.reported }
    }

    /// Returns the length of the free run that the search reports of an all-free granule map.
    pub(super) fn of_empty(&self) -> u32 {
        self.finder.of_empty(self.bank.blocks())
    }

    /// Returns the number of free granules of a granule map; where `longest` is true, only the
    /// length of the run that the finder (the simulated search circuit) reports.
    pub(super) fn free(&self, map: usize, longest: bool) -> u64 {
        u64::from(if longest { self.found(map) } else { self.bank.free_blocks(map) })
    }

    /// Searches a granule map as it is now, and returns the length of the run that the finder (the
    /// simulated search circuit) reports.
    fn found(&self, map: usize) -> u32 {
        match &self.finder {
            ResourceSearch::Exact => self.bank.longest(map),
            finder => self.bank.view(map).map_or(0, |view| finder.longest(view)),
        }
    }

    /// Returns the number of free granules, and the length of the longest free run, summed over
    /// several granule maps.
    pub(super) fn all(&self, maps: Range<usize>) -> FreeRun {
        maps.fold(FreeRun::default(), |sum, map| FreeRun {
            free: sum.free + u64::from(self.bank.free_blocks(map)),
            longest: sum.longest + u64::from(self.bank.longest(map)),
        })
    }

    #[inline(always)]
    pub(super) fn free_blocks(&self, map: usize) -> u32 {
        self.bank.free_blocks(map)
    }

    /// Takes runs of `want` granules from these granule maps, each run at the same place in all
    /// maps and as low as possible, until `starts` is full or no run is left. Writes the first
    /// granule of each run to `starts`. Returns the number of runs taken from each map; `None`,
    /// with nothing taken, where the maps differ. If `want` is 0, nothing is taken, and the length
    /// of `starts` is returned.
    #[inline(always)]
    pub(super) fn take_row(
        &mut self,
        maps: Range<usize>,
        want: u32,
        starts: &mut [u32],
    ) -> Option<usize> {
        match want {
            0 => Some(starts.len()),
            _ => self.bank.take_row_of_equal(maps, want, starts),
        }
    }

    /// Returns a copy of which granules of a map are free; `None` where there is no such map.
    pub(super) fn state(&self, map: usize) -> Option<MapState> {
        self.bank.state(map)
    }

    /// Makes the granule maps with these indices equal to a copy that [`Self::state`] returned.
    #[inline(always)]
    pub(super) fn set_all(&mut self, maps: Range<usize>, to: &MapState) {
        self.bank.set_all(maps, to);
    }

    /// Frees all granules of the granule maps with these indices.
    #[inline(always)]
    pub(super) fn give_all(&mut self, maps: Range<usize>) {
        self.bank.release_all(maps);
    }

    /// Takes a run of `want` granules, no longer than the run that the search reports, from the
    /// granule map with the index `map` by the rule `fit`. Returns the first granule of the run.
    #[inline(always)]
    pub(super) fn take(&mut self, map: usize, want: u32, fit: Fit) -> u32 {
        let start = match fit {
            Fit::First => self.bank.take_first(map, want),
            Fit::Best | Fit::Worst | Fit::Next => self.take_chosen(map, want, fit),
        };
        start.expect("no more is reported than there is")
    }

    #[inline(never)]
    fn take_chosen(&mut self, map: usize, want: u32, fit: Fit) -> Option<u32> {
        if want == 0 {
            return Some(0);
        }
        let (bank, view) = (&self.bank, self.bank.view(map)?);
        let plan = match fit {
            Fit::First => bank.first_fit(map, want),
            Fit::Best => bank.fit_at(map, view.best_fit(want)?, want),
            Fit::Worst => bank.fit_at(map, view.worst_fit(want)?, want),
            Fit::Next => {
                let after = self.after.get(map).copied().unwrap_or_default();
                let behind = bank.first_fit_from(map, after, want);
                behind.or_else(|| bank.first_fit_from(map, 0, want))
            }
        };
        let start = self.bank.commit(map, plan?).ok()?;
        if let Some(after) = self.after.get_mut(map) {
            *after = start + want;
        }
        Some(start)
    }

    /// Takes a run of `want` granules by the rule `fit` from each of the granule maps `first`,
    /// `first` + 1, ..., as many as `starts` has entries, and writes the starts of the runs to
    /// `starts`.
    #[inline(always)]
    pub(super) fn take_each(&mut self, first: usize, want: u32, fit: Fit, starts: &mut [u32]) {
        if fit == Fit::First {
            let taken = want == 0 || self.bank.take_first_of_each(first, want, starts);
            assert!(taken, "no more is reported than there is");
            return;
        }
        for (map, start) in (first..).zip(starts) {
            *start = self.take(map, want, fit);
        }
    }

    /// Frees one run of `len` granules in each of the granule maps `first`, `first` + 1, ...; each
    /// entry of `starts` is the start of the run in one of these maps.
    #[inline(always)]
    pub(super) fn give_each(&mut self, first: usize, starts: &[u32], len: u32) {
        let given = self.bank.release_of_each(first, starts, len);
        debug_assert!(given.is_ok(), "{len} from {starts:?} were taken");
    }

    pub(super) fn is_free(&self, map: usize, start: u32, len: u32) -> bool {
        self.bank.fit_at(map, start, len).is_some()
    }

    /// Takes a run of `len` granules from `start` on in the granule map with the index `map`; all
    /// of them must be free.
    pub(super) fn take_at(&mut self, map: usize, start: u32, len: u32) {
        if let Some(plan) = self.bank.fit_at(map, start, len) {
            let taken = self.bank.commit(map, plan);
            debug_assert!(taken.is_ok(), "{len} from {start} were free");
        }
    }

    /// Frees a run of `len` granules from `start` on in the granule map with the index `map`; all
    /// of them must be taken.
    #[inline(always)]
    pub(super) fn give(&mut self, map: usize, start: u32, len: u32) {
        let given = self.bank.release(map, start, len);
        debug_assert!(given.is_ok(), "{len} from {start} were taken");
    }

    /// Searches the granule maps with these indices anew, because they have changed, and stores the
    /// length of the run that the search reports for each.
    pub(super) fn report(&mut self, maps: Range<usize>) {
        for map in maps {
            let longest = self.found(map);
            if let Some(reported) = self.reported.get_mut(map) {
                *reported = longest;
            }
        }
    }
}
