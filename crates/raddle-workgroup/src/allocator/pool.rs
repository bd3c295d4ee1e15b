//! Where is there a run of granules of one resource, of which a compute unit may have none?

use raddle_bitmap::FreeMap;

/// The granules of one resource.
///
/// Nothing wanted is there always, at 0, also where there is nothing.
#[derive(Clone, Debug)]
pub(super) struct Pool(Option<FreeMap>);

impl Pool {
    /// So many free granules.
    pub(super) fn new(granules: u32) -> Self {
        // The one thing refused is a map without blocks.
        Self(FreeMap::new(granules).ok())
    }

    pub(super) fn free(&self) -> u32 {
        self.0.as_ref().map_or(0, FreeMap::free_blocks)
    }

    pub(super) fn longest(&self) -> u32 {
        self.0.as_ref().map_or(0, FreeMap::longest)
    }

    /// The lowest start at or after `from` of so many free granules.
    #[inline]
    pub(super) fn first_from(&self, from: u32, want: u32) -> Option<u32> {
        match &self.0 {
            Some(map) => map.first_fit_from(from, want).map(|plan| plan.start()),
            None => (want == 0).then_some(0),
        }
    }

    /// Takes a run, if it is free.
    pub(super) fn take(&mut self, start: u32, len: u32) -> bool {
        let Some(map) = &mut self.0 else {
            return len == 0;
        };
        let plan = map.fit_at(start, len);
        plan.is_some_and(|plan| map.commit(plan).is_ok())
    }

    /// Gives back a run that is known to be taken.
    pub(super) fn give(&mut self, start: u32, len: u32) {
        if let Some(map) = &mut self.0 {
            let given = map.release(start, len);
            debug_assert!(given.is_ok(), "{len} granules from {start} were taken");
        }
    }
}
