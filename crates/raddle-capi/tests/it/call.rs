//! How does a test call as C does?

use std::ffi::{CStr, c_char};
use std::ptr::null_mut;

use proptest::prelude::ProptestConfig;
use raddle_capi::{RaddleStatus, raddle_free, raddle_last_error};

/// Returns the proptest setting for `ordinary` cases a property, or for as many cases as the
/// variable `PROPTEST_CASES` gives.
pub(crate) fn cases(ordinary: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    let long = std::env::var_os("PROPTEST_CASES").is_some();
    ProptestConfig { cases: if long { config.cases } else { ordinary }, ..config }
}

/// Returns the text of the last error of a call in this thread.
pub(crate) fn last_error() -> String {
    text(raddle_last_error())
}

/// Copies a text that raddle lends, such as that of an error.
pub(crate) fn text(from: *const c_char) -> String {
    // SAFETY: a text of raddle, which stands until the next error.
    unsafe { CStr::from_ptr(from) }.to_str().unwrap().to_owned()
}

/// Handle of an object of raddle, which is freed when this value is dropped.
#[derive(Debug)]
pub(crate) struct Owned<T>(pub(crate) *mut T);

impl<T> Owned<T> {
    /// Makes an object by the function `make` of raddle, which writes its handle; fails where it
    /// answers an error.
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

/// Calls a function of raddle that writes one value, and returns its status and that value.
pub(crate) fn told<T: Default>(call: impl FnOnce(*mut T) -> RaddleStatus) -> (RaddleStatus, T) {
    let mut value = T::default();
    let status = call(&raw mut value);
    (status, value)
}
