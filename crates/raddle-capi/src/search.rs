//! Which length of the longest free run (free blocks in a row) does a circuit of seed 000 report?

use raddle_bitmap::{Full, Grouped, Sampled, Search};

use crate::free_map::RaddleFreeMap;
use crate::handle::{enter, using, with};
use crate::memory::{Out, list};
use crate::status::{Failure, RaddleStatus, guarded};

/// Search for the length of the longest free run (free blocks in a row) of a map, with the answer
/// that a search circuit of one kind gives (seed 000).
pub struct RaddleSearch(Box<dyn Search + Send>);

impl std::fmt::Debug for RaddleSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RaddleSearch").field(&self.0.is_exact()).finish()
    }
}

/// Makes the search that reports the longest free run (free blocks in a row) exactly, for maps of
/// every size. Writes its handle to `search`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_search_full(search: *mut *mut RaddleSearch) -> RaddleStatus {
    guarded(|| {
        // SAFETY: the caller keeps the promises of the crate.
        let search = unsafe { Out::new("search", search)? };
        enter(RaddleSearch(Box::new(Full)), &search)
    })
}

/// Makes the search that cuts a map of `blocks` blocks into `groups` equal groups, and reports a
/// multiple of the size of a group: a lower bound of the longest free run (free blocks in a row).
/// Writes its handle to `search`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_search_grouped(
    blocks: u32,
    groups: u32,
    search: *mut *mut RaddleSearch,
) -> RaddleStatus {
    guarded(|| {
        // SAFETY: the caller keeps the promises of the crate.
        let search = unsafe { Out::new("search", search)? };
        let made = Grouped::new(blocks, groups).map_err(Failure::invalid)?;
        enter(RaddleSearch(Box::new(made)), &search)
    })
}

/// Makes the search that looks for free runs of k + 1 blocks in a row for each k of a list, in maps
/// of `blocks` blocks, and reports the longest of them: a lower bound of the longest run. Writes
/// its handle to `search`. The list is ascending, and each k is below `blocks`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_search_sampled(
    blocks: u32,
    k: *const u32,
    count: usize,
    search: *mut *mut RaddleSearch,
) -> RaddleStatus {
    guarded(|| {
        // SAFETY: the caller keeps the promises of the crate.
        let (k, search) = unsafe { (list("k", k, count)?, Out::new("search", search)?) };
        let made = Sampled::new(blocks, k).map_err(Failure::invalid)?;
        enter(RaddleSearch(Box::new(made)), &search)
    })
}

/// Writes to `longest` the length that the search reports for the longest free run of a map, in
/// blocks. An error where the search is for maps of another size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_search_longest(
    search: *const RaddleSearch,
    map: *const RaddleFreeMap,
    longest: *mut u32,
) -> RaddleStatus {
    with(search, |search| {
        using(map, |map| {
            // SAFETY: the caller keeps the promises of the crate.
            let longest = unsafe { Out::new("longest", longest)? };
            longest.put(search.0.longest(map.map.view()).map_err(Failure::invalid)?);
            Ok(RaddleStatus::Ok)
        })
    })
}
