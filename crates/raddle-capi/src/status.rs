//! Which number does a call from C return, and where is the text of its error?

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Answer of a call: 0 is success, above 0 is a result that is no error, below 0 is an error. A
/// call that answers an error has changed nothing, unless its documentation says otherwise.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleStatus {
    /// The call has succeeded.
    Ok = 0,
    /// There is no room, or no such run of blocks, which is no error: nothing has changed.
    /// `raddle_controller_report` alone answers this for a report that has taken effect.
    Refused = 1,
    /// There is nothing to write now, such as no command or no slice, which is no error.
    Empty = 2,
    /// The event breaks a rule, which the report of the placement check names. The call itself met
    /// no error, and the check goes on.
    Finding = 3,
    /// A pointer or a handle that must not be null is null.
    Null = -1,
    /// The handle names no object: it was freed, or never was a handle, or the object is of another
    /// kind.
    Handle = -2,
    /// A call on this handle is under way in another thread, or the handle stands twice in one
    /// call.
    Busy = -3,
    /// A text that the caller gave is not UTF-8.
    Utf8 = -4,
    /// An argument is outside its range, or a pointer is misaligned.
    Argument = -5,
    /// A buffer is too small; where the call has a count, it says how many elements are needed.
    Room = -6,
    /// The arguments contradict each other or earlier calls, or a recipe cannot be read; the text
    /// of the error says how.
    Invalid = -7,
    /// A fault of raddle stopped the call: please report the text of the error. The handles of the
    /// call can only be freed.
    Fault = -8,
}

impl RaddleStatus {
    const ALL: [(Self, &'static CStr); 12] = [
        (Self::Ok, c"done"),
        (Self::Refused, c"no room: nothing has changed"),
        (Self::Empty, c"nothing to tell now"),
        (Self::Finding, c"the event breaks a rule"),
        (Self::Null, c"a pointer or handle is null"),
        (Self::Handle, c"the handle is freed, or of another kind"),
        (Self::Busy, c"the handle is in use"),
        (Self::Utf8, c"a text is not UTF-8"),
        (Self::Argument, c"an argument is outside its range"),
        (Self::Room, c"a buffer is too small"),
        (Self::Invalid, c"the arguments contradict each other or earlier calls"),
        (Self::Fault, c"a fault of raddle"),
    ];
}

/// Error of a call, with the text that `raddle_last_error` returns.
#[derive(Debug)]
pub(crate) struct Failure {
    status: RaddleStatus,
    text: String,
}

impl Failure {
    pub(crate) fn new(status: RaddleStatus, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }

    /// Returns the error for an argument outside its range.
    pub(crate) fn argument(text: impl Into<String>) -> Self {
        Self::new(RaddleStatus::Argument, text)
    }

    /// Returns the error for a call that is refused by the Rust crate behind the C interface.
    pub(crate) fn invalid(error: impl fmt::Display) -> Self {
        Self::new(RaddleStatus::Invalid, error.to_string())
    }
}

/// Outcome of a call from C: its status, or its error.
pub(crate) type Outcome = Result<RaddleStatus, Failure>;

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Runs a call from C and returns its status. Keeps the text of an error for `raddle_last_error`,
/// and lets no panic out.
#[inline]
pub(crate) fn guarded(call: impl FnOnce() -> Outcome) -> RaddleStatus {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(status)) => status,
        Ok(Err(failure)) => keep(failure),
        Err(panic) => keep(caught(&*panic)),
    }
}

#[cold]
fn caught(panic: &(dyn std::any::Any + Send)) -> Failure {
    let told = panic.downcast_ref::<&str>().copied();
    let told = told.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = format!("a fault of raddle, please report it: {}", told.unwrap_or("it has no text"));
    Failure::new(RaddleStatus::Fault, text)
}

#[cold]
fn keep(failure: Failure) -> RaddleStatus {
    let text = CString::new(failure.text.replace('\0', " ")).unwrap_or_default();
    // A thread that is ending has no place for a text any more.
    let _ = LAST.try_with(|last| last.replace(text));
    failure.status
}

/// Returns the text of the last error in this thread; empty before the first error. The text stands
/// until the next error in this thread, or the end of the thread. Answers that are no errors do not
/// change it.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Returns a few words on what a status means, for every number. The text is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_status_text(status: i32) -> *const c_char {
    let known = RaddleStatus::ALL.iter().find(|(known, _)| *known as i32 == status);
    known.map_or(c"no status of raddle", |(_, text)| text).as_ptr()
}

/// Returns the version of the library, such as "0.1.0". Below 1.0.0, functions and structs may
/// change with the second number: compare it with the version of the header, `RADDLE_VERSION`. The
/// text stands for ever.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last() -> String {
        LAST.with(|last| last.borrow().to_str().expect("a text of ours").to_owned())
    }

    #[test]
    fn a_panic_becomes_a_status_with_its_text() {
        assert_eq!(guarded(|| panic!("on {}", "purpose")), RaddleStatus::Fault);
        assert_eq!(last(), "a fault of raddle, please report it: on purpose");
        assert_eq!(guarded(|| panic!("plain")), RaddleStatus::Fault);
        assert!(last().ends_with(": plain"));
    }

    #[test]
    fn a_text_stands_until_the_next_error_of_its_thread() {
        let fail = |text: &'static str| guarded(move || Err(Failure::argument(text)));
        assert_eq!(fail("one\0two"), RaddleStatus::Argument);
        assert_eq!(guarded(|| Ok(RaddleStatus::Refused)), RaddleStatus::Refused);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert_eq!(last(), "");
                fail("elsewhere");
            });
        });
        assert_eq!(last(), "one two");
    }
}
