//! How long are the free runs of several maps, which share one circuit in turns (seed 000, E7)?

use raddle_bitmap::{FreeMap, Kind, Layout, Shared, View};

use crate::free_map::RaddleFreeMap;
use crate::handle::{enter, using, with};
use crate::launch::unknown;
use crate::memory::{Out, Plain, list};
use crate::status::{Failure, RaddleStatus, guarded};

/// Circuit that searches several free maps one after the other: a round is made of periods, and
/// each map is searched in one of them.
#[derive(Debug)]
pub struct RaddleShared(Shared);

/// Division of the width of the circuit among the maps that one period searches.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleLayout {
    /// The maps are placed one behind the other, without gaps.
    Packed = 0,
    /// The width has two halves, each for a map of at most half the width; a map that is alone in
    /// its period has the whole width.
    Halves = 1,
}

/// Free map that the circuit searches once in each round.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleSharedMap {
    /// Period in which the map is searched: that of the map before it in the list, or one more; 0
    /// for the first map.
    pub period: u32,
    /// Number of blocks of the map, free and taken.
    pub blocks: u32,
}

// SAFETY: integers.
unsafe impl Plain for RaddleSharedMap {}
// SAFETY: a handle, which is a number to this crate.
unsafe impl Plain for *const RaddleFreeMap {}

/// Makes a circuit `width` blocks wide, where the maps of one period have no more than `bound`
/// blocks together. Writes its handle to `shared`. `layout` is one of `RaddleLayout`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_shared_new(
    width: u32,
    bound: u32,
    maps: *const RaddleSharedMap,
    count: usize,
    layout: u32,
    shared: *mut *mut RaddleShared,
) -> RaddleStatus {
    guarded(|| {
        // SAFETY: the caller keeps the promises of the crate.
        let (maps, out) = unsafe { (list("maps", maps, count)?, Out::new("shared", shared)?) };
        let layout = match layout {
            0 => Layout::Packed,
            1 => Layout::Halves,
            other => return Err(unknown("layout", other, "RaddleLayout")),
        };
        let mut periods: Vec<Vec<Kind>> = Vec::new();
        for (id, map) in (0..).zip(maps) {
            if map.period as usize == periods.len() {
                periods.push(Vec::new());
            }
            let last = periods.len().checked_sub(1) == Some(map.period as usize);
            let period = periods.last_mut().filter(|_| last).ok_or_else(|| {
                Failure::argument(format!(
                    "`maps[{id}].period` is {}: give that of the map before it, or one more",
                    map.period
                ))
            })?;
            period.push(Kind { id, blocks: map.blocks });
        }
        let made = Shared::new(width, bound, &periods, &layout).map_err(Failure::invalid)?;
        enter(RaddleShared(made), &out)
    })
}

/// Writes to `longest` the length in blocks of the longest free run (free blocks in a row) of each
/// map of a period, in the order of the maps. `count` is the number of maps of the period.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_shared_longest(
    shared: *const RaddleShared,
    period: u32,
    maps: *const *const RaddleFreeMap,
    count: usize,
    longest: *mut u32,
) -> RaddleStatus {
    with(shared, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let (maps, out) =
            unsafe { (list("maps", maps, count)?, Out::list("longest", longest, count)?) };
        // One map may stand at several places, so each is copied.
        let mut copies: Vec<FreeMap> = Vec::with_capacity(maps.len());
        for &map in maps {
            using(map, |map| {
                copies.push(map.map.clone());
                Ok(RaddleStatus::Ok)
            })?;
        }
        let views: Vec<View<'_>> = copies.iter().map(FreeMap::view).collect();
        out.write(&it.0.find(period as usize, &views).map_err(Failure::invalid)?)?;
        Ok(RaddleStatus::Ok)
    })
}
