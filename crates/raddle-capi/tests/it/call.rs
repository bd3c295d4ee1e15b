//! How does a test call as C does?

use std::ffi::{CStr, c_char};
use std::ptr::null_mut;

use proptest::prelude::ProptestConfig;
use raddle_capi::{RaddleStatus, raddle_free, raddle_last_error};

/// Returns the setting for this many cases a property in an ordinary run, and for as many as `PROPTEST_CASES` gives in
/// a long one.
pub(crate) fn cases(ordinary: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    let long = std::env::var_os("PROPTEST_CASES").is_some();
    ProptestConfig { cases: if long { config.cases } else { ordinary }, ..config }
}

/// Returns the text of the last error.
pub(crate) fn last_error() -> String {
    text(raddle_last_error())
}

/// Copies a text of raddle.
pub(crate) fn text(from: *const c_char) -> String {
    // SAFETY: a text of raddle, which stands until the next error.
    unsafe { CStr::from_ptr(from) }.to_str().unwrap().to_owned()
}

/// A handle that is freed at the end.
#[derive(Debug)]
pub(crate) struct Owned<T>(pub(crate) *mut T);

impl<T> Owned<T> {
    /// Makes a handle by a function of raddle.
    pub(crate) fn new(make: impl FnOnce(*mut *mut T) -> RaddleStatus) -> Self {
        let mut handle = null_mut();
        assert_eq!(make(&raw mut handle), RaddleStatus::Ok, "{}", last_error());
        Self(handle)
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        assert_eq!(raddle_free(self.0.cast()), RaddleStatus::Ok);
    }
}

/// Returns the status of a call, and what it wrote to its place.
pub(crate) fn told<T: Default>(call: impl FnOnce(*mut T) -> RaddleStatus) -> (RaddleStatus, T) {
    let mut value = T::default();
    let status = call(&raw mut value);
    (status, value)
}
