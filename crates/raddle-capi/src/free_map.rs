//! Which blocks of a map are free, and where is a free run?

use raddle_bitmap::{FreeMap, Polarity, RunPlan};

use crate::handle::{enter, with};
use crate::memory::{Out, list};
use crate::status::{Failure, Outcome, RaddleStatus, guarded};

/// Map of equal blocks of a resource, each free or taken. Blocks count from 0.
#[derive(Debug)]
pub struct RaddleFreeMap {
    pub(crate) map: FreeMap,
    /// Number of the block behind the run of blocks that was allocated last, where
    /// `RaddleFit::Next` begins to search; 0 before the first allocation.
    after: u32,
}

impl RaddleFreeMap {
    const fn new(map: FreeMap) -> Self {
        Self { map, after: 0 }
    }
}

/// Choice among the free runs (free blocks in a row) that are long enough; the lowest blocks of the
/// chosen run are taken.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleFit {
    /// Chooses the lowest free run (free blocks in a row) that is long enough.
    First = 0,
    /// Chooses the shortest free run (free blocks in a row) that is long enough, of equal ones the
    /// lowest.
    Best = 1,
    /// Chooses the longest free run (free blocks in a row), of equal ones the lowest.
    Worst = 2,
    /// Chooses the run with the lowest start at or after the end of the run that
    /// `raddle_free_map_allocate` gave last by any fit (0 before the first); else the lowest run of
    /// all.
    Next = 3,
}

/// Counts of blocks of a map: all blocks, the free ones, and those in the longest free run (free
/// blocks in a row).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleFreeBlocks {
    /// Number of all blocks of the map.
    pub blocks: u32,
    /// Number of free blocks of the map.
    pub free: u32,
    /// Length of the longest free run (free blocks in a row), in blocks.
    pub longest: u32,
}

fn fit(of: &RaddleFreeMap, fit: u32, want: u32) -> Result<Option<RunPlan>, Failure> {
    let RaddleFreeMap { map, after } = of;
    match fit {
        0 => Ok(map.first_fit(want)),
        1 => Ok(map.best_fit(want)),
        2 => Ok(map.worst_fit(want)),
        3 => Ok(map.next_fit(*after, want)),
        _ => Err(Failure::argument(format!("`fit` is {fit}: give one of `RaddleFit`, 0 to 3"))),
    }
}

/// Makes a map of `blocks` blocks, 1 or more, all free. Writes its handle to `map`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_free_map_new(
    blocks: u32,
    map: *mut *mut RaddleFreeMap,
) -> RaddleStatus {
    guarded(|| {
        // SAFETY: the caller keeps the promises of the crate.
        let map = unsafe { Out::new("map", map)? };
        enter(RaddleFreeMap::new(FreeMap::new(blocks).map_err(Failure::invalid)?), &map)
    })
}

/// Makes a map from words, and writes its handle to `map`: bit `i % 64` of word `i / 64` is block
/// `i`, 1 is free, and bits past the last block are 0. There are `blocks / 64` words, rounded up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_free_map_from_words(
    words: *const u64,
    count: usize,
    blocks: u32,
    map: *mut *mut RaddleFreeMap,
) -> RaddleStatus {
    guarded(|| {
        // SAFETY: the caller keeps the promises of the crate.
        let (words, map) = unsafe { (list("words", words, count)?, Out::new("map", map)?) };
        let made = FreeMap::from_words(words, blocks, Polarity::FreeIsOne);
        enter(RaddleFreeMap::new(made.map_err(Failure::invalid)?), &map)
    })
}

/// Writes the map as words, as `raddle_free_map_from_words` reads them, and the number of words to
/// `count`. Where `words` has too little room, only the number is written, and the answer is
/// `Room`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_free_map_words(
    map: *const RaddleFreeMap,
    words: *mut u64,
    capacity: usize,
    count: *mut usize,
) -> RaddleStatus {
    with(map, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let out = unsafe { (Out::list("words", words, capacity)?, Out::new("count", count)?) };
        let mut words = vec![0_u64; it.map.blocks().div_ceil(64) as usize];
        for (start, len) in it.map.runs() {
            for block in start..start + len {
                words[block as usize / 64] |= 1 << (block % 64);
            }
        }
        out.0.fill(&words, &out.1)
    })
}

/// Writes to `free` the number of blocks of a map, of its free blocks, and of those in its longest
/// free run (free blocks in a row).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_free_map_count(
    map: *const RaddleFreeMap,
    free: *mut RaddleFreeBlocks,
) -> RaddleStatus {
    with(map, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let free = unsafe { Out::new("free", free)? };
        let (blocks, longest) = (it.map.blocks(), it.map.longest());
        free.put(RaddleFreeBlocks { blocks, free: it.map.free_blocks(), longest });
        Ok(RaddleStatus::Ok)
    })
}

/// Finds a run of `want` free blocks in a row by the choice `fit`, one of `RaddleFit`, and writes
/// its first block to `start`; takes nothing. A run of 0 blocks starts at 0. Answers `Refused`
/// where no run is long enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_free_map_find(
    map: *const RaddleFreeMap,
    fit: u32,
    want: u32,
    start: *mut u32,
) -> RaddleStatus {
    with(map, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let start = unsafe { Out::new("start", start)? };
        found(self::fit(it, fit, want)?, &start)
    })
}

fn found(plan: Option<RunPlan>, start: &Out<u32>) -> Outcome {
    let Some(plan) = plan else { return Ok(RaddleStatus::Refused) };
    start.put(plan.start());
    Ok(RaddleStatus::Ok)
}

/// Finds a run of `want` free blocks in a row by the choice `fit`, one of `RaddleFit`, takes it,
/// and writes its first block to `start`. A run of 0 blocks starts at 0. Answers `Refused`, and
/// takes nothing, where no run is long enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_free_map_allocate(
    map: *mut RaddleFreeMap,
    fit: u32,
    want: u32,
    start: *mut u32,
) -> RaddleStatus {
    with(map, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let start = unsafe { Out::new("start", start)? };
        let Some(plan) = self::fit(it, fit, want)? else { return Ok(RaddleStatus::Refused) };
        let taken = it.map.commit(plan).map_err(Failure::invalid)?;
        // An empty run is nowhere, so the next search goes on from where it was.
        if want > 0 {
            it.after = taken + want;
        }
        start.put(taken);
        Ok(RaddleStatus::Ok)
    })
}

/// Takes the `len` blocks from `start`. Answers `Refused`, and takes nothing, where one of them is
/// taken; the answer is `Invalid` where they lie past the end.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_free_map_take(
    map: *mut RaddleFreeMap,
    start: u32,
    len: u32,
) -> RaddleStatus {
    with(map, |it| match it.map.take(start, len) {
        Ok(()) => Ok(RaddleStatus::Ok),
        Err(error) if error.kind() == raddle_bitmap::ErrorKind::State => Ok(RaddleStatus::Refused),
        Err(error) => Err(Failure::invalid(error)),
    })
}

/// Gives back the `len` blocks from `start`; they may have been taken by several calls. The answer
/// is `Invalid`, with nothing changed, where one of them is free or past the end.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_free_map_release(
    map: *mut RaddleFreeMap,
    start: u32,
    len: u32,
) -> RaddleStatus {
    with(map, |it| {
        it.map.release(start, len).map_err(Failure::invalid)?;
        Ok(RaddleStatus::Ok)
    })
}

/// Adds `by` free blocks behind the last block of the map.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_free_map_grow(map: *mut RaddleFreeMap, by: u32) -> RaddleStatus {
    with(map, |it| {
        it.map.grow(by).map_err(Failure::invalid)?;
        Ok(RaddleStatus::Ok)
    })
}
