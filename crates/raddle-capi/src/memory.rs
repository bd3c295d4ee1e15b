//! How is memory of the caller read and written?
//!
//! The only file that follows pointers of the caller. What can be checked of a pointer is checked here: null,
//! alignment, and a length that no memory has.

use std::ffi::{CStr, c_char};
use std::mem::size_of;

use crate::status::{Failure, Outcome, RaddleStatus};

/// Type for which any bytes are a valid value, so that a caller in C cannot write an invalid one.
///
/// # Safety
/// Integers, raw pointers, and `repr(C)` structs and arrays of them.
pub(crate) unsafe trait Plain: Copy + 'static {}

// SAFETY: integers.
unsafe impl Plain for u8 {}
// SAFETY: integers.
unsafe impl Plain for u32 {}
// SAFETY: integers.
unsafe impl Plain for u64 {}

/// Checks the address `at` of `count` elements that the caller gives; an error, which names the
/// argument `name`, where it is null or misaligned, or no memory can hold that many elements.
fn check<T>(name: &str, at: *const T, count: usize) -> Result<(), Failure> {
    if at.is_null() {
        return Err(Failure::new(
            RaddleStatus::Null,
            format!("`{name}` is null: give it an address"),
        ));
    }
    if !at.is_aligned() {
        return Err(Failure::argument(format!(
            "`{name}` is not aligned to {} bytes: give the address of a variable of its type",
            align_of::<T>()
        )));
    }
    let bytes = count.checked_mul(size_of::<T>()).filter(|&bytes| isize::try_from(bytes).is_ok());
    if bytes.and_then(|bytes| at.addr().checked_add(bytes)).is_none() {
        return Err(Failure::argument(format!(
            "`{name}` cannot have {count} elements: give the number that is there"
        )));
    }
    Ok(())
}

/// Reads a value from the caller's memory; an error, which names the argument `name`, where `from`
/// is null or misaligned.
///
/// # Safety
/// `from` is null, misaligned, or has a value behind it that nobody writes meanwhile.
pub(crate) unsafe fn read<T: Plain>(name: &str, from: *const T) -> Result<T, Failure> {
    check(name, from, 1)?;
    // SAFETY: it is neither null nor misaligned, so there is a value, and any bytes are one.
    Ok(unsafe { from.read() })
}

/// Returns a list in the caller's memory, which has no elements where `count` is 0, even at a null
/// pointer. An error, which names the argument `name`, where `from` is null or misaligned
/// otherwise.
///
/// # Safety
/// `from` is null, misaligned, or has `count` elements behind it that nobody writes while the list is used.
pub(crate) unsafe fn list<'a, T: Plain>(
    name: &str,
    from: *const T,
    count: usize,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check(name, from, count)?;
    // SAFETY: it is neither null nor misaligned, so there are elements, and any bytes are such.
    Ok(unsafe { std::slice::from_raw_parts(from, count) })
}

/// Returns a text in the caller's memory, which ends with a zero byte; an error, which names the
/// argument `name`, where `from` is null or the text is not UTF-8.
///
/// # Safety
/// `from` is null, or has bytes behind it up to one of zero, that nobody writes while the text is used.
pub(crate) unsafe fn text<'a>(name: &str, from: *const c_char) -> Result<&'a str, Failure> {
    check(name, from, 1)?;
    // SAFETY: it is not null, so there is a text.
    let text = unsafe { CStr::from_ptr(from) };
    text.to_str().map_err(|error| {
        let at = error.valid_up_to();
        let text = format!("`{name}` is not UTF-8 at byte {at}: write it in UTF-8");
        Failure::new(RaddleStatus::Utf8, text)
    })
}

/// Memory of the caller that takes up to `capacity` values.
pub(crate) struct Out<T> {
    to: *mut T,
    capacity: usize,
    name: &'static str,
}

impl<T: Copy> Out<T> {
    /// Returns the memory at `to` for one value; an error, which names the argument `name`, where
    /// `to` is null or misaligned.
    ///
    /// # Safety
    /// `to` is null, misaligned, or the address of room for a `T`, which nobody else reads or writes
    /// until the returned value is dropped.
    pub(crate) unsafe fn new(name: &'static str, to: *mut T) -> Result<Self, Failure> {
        check(name, to, 1)?;
        Ok(Self { to, capacity: 1, name })
    }

    /// Returns the memory at `to` for one value; `None` where `to` is null, as the caller does not
    /// want the value. An error, which names the argument `name`, where `to` is misaligned.
    ///
    /// # Safety
    /// `to` is null, misaligned, or the address of room for a `T`, which nobody else reads or writes
    /// until the returned value is dropped.
    pub(crate) unsafe fn optional(name: &'static str, to: *mut T) -> Result<Option<Self>, Failure> {
        // SAFETY: the caller promises it.
        (!to.is_null()).then(|| unsafe { Self::new(name, to) }).transpose()
    }

    /// Returns the memory at `to` for a list of up to `capacity` values; `to` may be null where
    /// `capacity` is 0. An error, which names the argument `name`, where `to` is null or misaligned
    /// otherwise.
    ///
    /// # Safety
    /// `to` is null, misaligned, or the address of room for `capacity` values, which nobody else reads
    /// or writes until the returned value is dropped.
    pub(crate) unsafe fn list(
        name: &'static str,
        to: *mut T,
        capacity: usize,
    ) -> Result<Self, Failure> {
        if capacity > 0 {
            check(name, to, capacity)?;
        }
        Ok(Self { to, capacity, name })
    }

    /// Writes one value to the caller's memory.
    #[inline]
    pub(crate) fn put(&self, value: T) {
        if self.capacity > 0 {
            // SAFETY: there is a place, as promised to whoever made this.
            unsafe { self.to.write(value) };
        }
    }

    /// Returns an error where the caller's list is too short for `wanted` values.
    #[inline]
    pub(crate) fn check_room(&self, wanted: usize) -> Result<(), Failure> {
        if wanted <= self.capacity {
            return Ok(());
        }
        let (name, capacity) = (self.name, self.capacity);
        let text = format!("`{name}` has room for {capacity}, {wanted} are needed: give more");
        Err(Failure::new(RaddleStatus::Room, text))
    }

    /// Writes a list to the caller's memory, and its length to `count`. Where the memory has too
    /// little room, it writes the length alone, and returns an error.
    #[inline]
    pub(crate) fn fill(&self, values: &[T], count: &Out<usize>) -> Outcome {
        count.put(values.len());
        self.write(values)?;
        Ok(RaddleStatus::Ok)
    }

    /// Writes a list to the caller's memory; an error where the memory is too small for the list.
    #[inline]
    pub(crate) fn write(&self, values: &[T]) -> Result<(), Failure> {
        self.check_room(values.len())?;
        if !values.is_empty() {
            // SAFETY: there is room for so many, as promised to whoever made this; no list of ours overlaps it.
            unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), self.to, values.len()) };
        }
        Ok(())
    }
}
