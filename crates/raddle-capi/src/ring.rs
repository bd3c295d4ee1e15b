//! Where does a run of blocks begin that a ring hands out?

use raddle_bitmap::Ring;

use crate::handle::{enter, with};
use crate::memory::Out;
use crate::status::{Failure, RaddleStatus, guarded};

/// Ring of equal blocks, handed out in runs of neighbouring blocks. A run begins at the tail, or at
/// 0 where the blocks from the tail to the end are too few; a released run is reclaimed once all
/// runs handed out before it are. Blocks count from 0.
#[derive(Debug)]
pub struct RaddleRing(Ring);

/// Makes a ring of `blocks` blocks, 1 or more, of which no run is handed out. Writes its handle to
/// `ring`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_ring_new(blocks: u32, ring: *mut *mut RaddleRing) -> RaddleStatus {
    guarded(|| {
        // SAFETY: the caller keeps the promises of the crate.
        let ring = unsafe { Out::new("ring", ring)? };
        enter(RaddleRing(Ring::new(blocks).map_err(Failure::invalid)?), &ring)
    })
}

/// Writes to `start` the block at which a run of `want` blocks would begin, and takes nothing. A
/// run of 0 blocks begins at 0. Answers `Refused` where there is no room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_ring_find(
    ring: *const RaddleRing,
    want: u32,
    start: *mut u32,
) -> RaddleStatus {
    with(ring, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let start = unsafe { Out::new("start", start)? };
        let Some(found) = it.0.find(want) else { return Ok(RaddleStatus::Refused) };
        start.put(found);
        Ok(RaddleStatus::Ok)
    })
}

/// Hands out a run of `want` blocks, and writes to `start` the block at which it begins. Answers
/// `Refused` where there is no room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_ring_allocate(
    ring: *mut RaddleRing,
    want: u32,
    start: *mut u32,
) -> RaddleStatus {
    with(ring, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let start = unsafe { Out::new("start", start)? };
        let Some(taken) = it.0.allocate(want) else { return Ok(RaddleStatus::Refused) };
        start.put(taken);
        Ok(RaddleStatus::Ok)
    })
}

/// Gives back the run of 1 or more blocks that begins at the block `start`; an error where no run
/// that is handed out begins there.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_ring_release(ring: *mut RaddleRing, start: u32) -> RaddleStatus {
    with(ring, |it| {
        it.0.release(start).map_err(Failure::invalid)?;
        Ok(RaddleStatus::Ok)
    })
}
