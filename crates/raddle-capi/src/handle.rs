//! Which object of raddle does a handle in C stand for, and may this thread use it now?
//!
//! A handle looks like a pointer and is a number: the position of the object in a table, and how often that
//! position was used before. So a handle that was freed is known as one, whatever became of the memory. Its highest
//! bit is set, which is true of no address of a program on the usual systems of 64 bits.

use std::any::Any;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use crate::memory::Out;
use crate::status::{Failure, Outcome, RaddleStatus, guarded};

/// Number of low bits of a handle that hold the position (from 0) of its object in the table of all
/// objects. The highest bit is set in every handle, and the bits between count how often that
/// position was used before.
const PLACE_BITS: u32 = usize::BITS / 2;
const MARK: usize = 1 << (usize::BITS - 1);
/// Largest number of times that a position of the table of objects is used; after that the position
/// is never used again.
const LAST_USE: usize = (MARK >> PLACE_BITS) - 1;
/// Number of positions in the first block of the table of objects; each further block has twice as
/// many as the one before, and no block ever moves.
const FIRST: usize = 64;
const BLOCKS: usize = (PLACE_BITS - FIRST.ilog2()) as usize;

type Object = Option<Box<dyn Any + Send>>;

/// Entry of the table of objects that handles stand for.
struct Place {
    /// Number of times that this position of the table of objects was freed. A handle stores the
    /// number as it was when the handle was made; if the two differ, the handle was freed. They are
    /// compared before the object is locked, so that a freed handle does not lock the object that
    /// is at its position now.
    uses: AtomicUsize,
    object: Mutex<Object>,
}

type Block = Box<[Place]>;
static TABLE: [OnceLock<Block>; BLOCKS] = [const { OnceLock::new() }; BLOCKS];
static UNUSED: Mutex<Unused> = Mutex::new(Unused { freed: Vec::new(), next: 0 });

/// Unused positions in the table of objects that handles stand for, kept for the handles that are
/// made next.
struct Unused {
    freed: Vec<usize>,
    /// Lowest position in the table of objects that was never used.
    next: usize,
}

/// Returns where the table of objects, which is made of blocks, has the position `place`: (number
/// of the block, index in that block).
const fn block_of(place: usize) -> (usize, usize) {
    let block = ((place + FIRST) / FIRST).ilog2();
    (block as usize, place + FIRST - (FIRST << block))
}

fn parts(handle: *const c_void) -> (usize, usize) {
    let bits = handle.addr();
    (bits & ((1 << PLACE_BITS) - 1), (bits & !MARK) >> PLACE_BITS)
}

fn nothing() -> Failure {
    let text = "the handle names nothing: it was freed, or a call of raddle never gave it";
    Failure::new(RaddleStatus::Handle, text)
}

/// Adds an object to the table of all objects, and writes its handle to `to`.
pub(crate) fn enter<T: Any + Send>(object: T, to: &Out<*mut T>) -> Outcome {
    let object: Box<dyn Any + Send> = Box::new(object);
    let place = {
        let mut unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner);
        unused.freed.pop().unwrap_or_else(|| {
            unused.next += 1;
            unused.next - 1
        })
    };
    let (block, at) = block_of(place);
    let many = || Failure::new(RaddleStatus::Invalid, "too many handles: free some");
    let block = TABLE.get(block).ok_or_else(many)?.get_or_init(|| {
        let empty = |_| Place { uses: AtomicUsize::new(0), object: Mutex::new(None) };
        (0..FIRST << block).map(empty).collect()
    });
    let uses = block[at].uses.load(Ordering::Acquire);
    *block[at].object.lock().unwrap_or_else(PoisonError::into_inner) = Some(object);
    to.put(std::ptr::without_provenance_mut(MARK | uses << PLACE_BITS | place));
    Ok(RaddleStatus::Ok)
}

/// Returns the entry of the table of objects that a handle stands for; an error where the handle
/// names no object.
#[inline]
fn find(handle: *const c_void) -> Result<&'static Place, Failure> {
    if handle.is_null() {
        return Err(Failure::new(RaddleStatus::Null, "the handle is null: make one first"));
    }
    if handle.addr() & MARK == 0 {
        return Err(nothing());
    }
    let (place, uses) = parts(handle);
    let (block, at) = block_of(place);
    let block = TABLE.get(block).and_then(OnceLock::get).ok_or_else(nothing)?;
    if block[at].uses.load(Ordering::Acquire) == uses { Ok(&block[at]) } else { Err(nothing()) }
}

/// Locks the object of a handle and returns it; an error where the handle names no object, or
/// another call uses the object. `freeing` is true where the object is to be freed, which is
/// allowed even after a call on it has panicked.
#[inline]
fn lock(handle: *const c_void, freeing: bool) -> Result<MutexGuard<'static, Object>, Failure> {
    let place = find(handle)?;
    let object = match place.object.try_lock() {
        Ok(object) => object,
        Err(TryLockError::Poisoned(object)) if freeing => object.into_inner(),
        Err(TryLockError::Poisoned(_)) => {
            let text = "a call on this handle ended in a fault of raddle: free the handle";
            return Err(Failure::new(RaddleStatus::Fault, text));
        }
        Err(TryLockError::WouldBlock) => {
            let text = "another call uses the handle: let one thread at a time use it, and name it once in a call";
            return Err(Failure::new(RaddleStatus::Busy, text));
        }
    };
    // Another thread may have freed the object meanwhile.
    find(handle)?;
    if object.is_some() { Ok(object) } else { Err(nothing()) }
}

/// Calls `call` with the object of a handle, and returns its outcome; an error where the handle
/// names no object of this type. It is for use inside of a guarded call, which catches panics.
#[inline]
pub(crate) fn using<T: Any + Send>(
    handle: *const T,
    call: impl FnOnce(&mut T) -> Outcome,
) -> Outcome {
    let mut held = lock(handle.cast(), false)?;
    let object = held.as_mut().and_then(|object| object.downcast_mut());
    let other = || Failure::new(RaddleStatus::Handle, "the handle is of another kind of object");
    call(object.ok_or_else(other)?)
}

/// Calls `call` with the object of a handle, and returns its status to C; panics are caught.
#[inline]
pub(crate) fn with<T: Any + Send>(
    handle: *const T,
    call: impl FnOnce(&mut T) -> Outcome,
) -> RaddleStatus {
    guarded(|| using(handle, call))
}

/// Frees the object of a handle, whatever its kind. The handle never names an object again. A null
/// handle is no error and changes nothing.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_free(handle: *mut c_void) -> RaddleStatus {
    guarded(|| {
        if handle.is_null() {
            return Ok(RaddleStatus::Ok);
        }
        let (number, uses) = parts(handle);
        let place = find(handle)?;
        let mut held = lock(handle, true)?;
        let object = held.take();
        place.uses.store(uses + 1, Ordering::Release);
        drop(held);
        place.object.clear_poison();
        if uses < LAST_USE {
            UNUSED.lock().unwrap_or_else(PoisonError::into_inner).freed.push(number);
        }
        drop(object);
        Ok(RaddleStatus::Ok)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_fill_one_block_after_the_other() {
        let blocks = [(0, (0, 0)), (63, (0, 63)), (64, (1, 0)), (191, (1, 127)), (192, (2, 0))];
        for (place, expected) in blocks {
            assert_eq!(block_of(place), expected, "{place}");
        }
        let last = (1 << PLACE_BITS) - 1;
        assert!(block_of(last).0 <= BLOCKS, "what lies past the last block is refused");
    }

    #[test]
    fn after_a_fault_a_handle_can_only_be_freed() {
        struct Thing;
        let mut handle: *mut Thing = std::ptr::null_mut();
        // SAFETY: a place of ours.
        let out = unsafe { Out::new("handle", &raw mut handle) }.expect("a place");
        assert_eq!(guarded(|| enter(Thing, &out)), RaddleStatus::Ok);
        assert_eq!(with(handle, |_| panic!("on purpose")), RaddleStatus::Fault);
        assert_eq!(with(handle, |_| Ok(RaddleStatus::Ok)), RaddleStatus::Fault);
        assert_eq!(raddle_free(handle.cast()), RaddleStatus::Ok);
        assert_eq!(with(handle, |_| Ok(RaddleStatus::Ok)), RaddleStatus::Handle);
        assert_eq!(raddle_free(handle.cast()), RaddleStatus::Handle);
    }
}
