//! How long a run is reported of each map of one resource, and where do runs lie?
//!
//! Units: granules.

use alloc::vec::Vec;

use raddle_bitmap::Bank;
use raddle_policy::Resource;

use super::finder::Finder;
use crate::Error;

/// The maps of one resource, on all compute units.
#[derive(Clone, Debug)]
pub(super) struct RunMaps {
    bank: Bank,
    finder: Finder,
    /// What the finder reports of each map; none where it reports the longest run.
    reported: Vec<u32>,
}

impl RunMaps {
    /// So many maps of `granules` free granules.
    ///
    /// # Errors
    /// [`Error::SearchRule`] where no memory could hold them.
    pub(super) fn new(
        finder: Finder,
        resource: Resource,
        maps: usize,
        granules: u32,
    ) -> Result<Self, Error> {
        let bank = Bank::new(maps, granules);
        let bank = bank.map_err(|cause| Error::SearchRule { resource, cause })?;
        let reported = if finder.is_exact() { 0 } else { maps };
        let reported = (0..reported).map(|_| finder.of_empty(granules)).collect();
        Ok(Self { bank, finder, reported })
    }

    /// The run that is reported of each map, at most its longest.
    #[inline(always)]
    pub(super) fn runs(&self) -> &[u32] {
        if self.reported.is_empty() { self.bank.longest_runs() } else { &self.reported }
    }

    /// The run that is reported of a map without anything taken.
    pub(super) fn of_empty(&self) -> u32 {
        self.finder.of_empty(self.bank.blocks())
    }

    /// Free granules of a map; its longest run alone, if asked for.
    pub(super) fn free(&self, map: usize, longest: bool) -> u64 {
        let bank = &self.bank;
        u64::from(if longest { bank.longest(map) } else { bank.free_blocks(map) })
    }

    /// Takes the lowest run of a length that is reported; its start.
    #[inline(always)]
    pub(super) fn take(&mut self, map: usize, want: u32) -> u32 {
        let start = self.bank.take_first(map, want);
        self.report(map);
        start.expect("no more is reported than there is")
    }

    /// Whether a run is free.
    pub(super) fn is_free(&self, map: usize, start: u32, len: u32) -> bool {
        self.bank.fit_at(map, start, len).is_some()
    }

    /// Takes a run that is free.
    pub(super) fn take_at(&mut self, map: usize, start: u32, len: u32) {
        if let Some(plan) = self.bank.fit_at(map, start, len) {
            let taken = self.bank.commit(map, plan);
            debug_assert!(taken.is_ok(), "{len} from {start} were free");
        }
        self.report(map);
    }

    /// Gives back a run that was taken.
    #[inline(always)]
    pub(super) fn give(&mut self, map: usize, start: u32, len: u32) {
        let given = self.bank.release(map, start, len);
        debug_assert!(given.is_ok(), "{len} from {start} were taken");
        self.report(map);
    }

    /// A map has changed.
    #[inline(always)]
    fn report(&mut self, map: usize) {
        if !self.reported.is_empty() {
            self.reported[map] = self.bank.view(map).map_or(0, |view| self.finder.longest(view));
        }
    }
}
