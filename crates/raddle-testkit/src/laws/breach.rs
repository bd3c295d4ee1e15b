//! Which law did a policy break, and how?

use std::fmt;

/// Breach of a law: which law of its trait a policy broke, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Name of the trait to which the law belongs, such as `Allocate`.
    pub of: &'static str,
    /// Number of the law in the documentation of the trait, from 1.
    pub law: u8,
    /// Description, in words, of the answer or event that broke the law.
    pub what: String,
}

impl Breach {
    pub(super) fn new(of: &'static str, law: u8, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { of, law, what }
    }

    /// Returns `Ok` where `kept` is true, else the error that the law with the number `law` of the
    /// trait `of` is broken; `what` describes the answer that broke it.
    pub(super) fn unless(
        kept: bool,
        of: &'static str,
        law: u8,
        what: impl FnOnce() -> String,
    ) -> Result<(), Self> {
        if kept { Ok(()) } else { Err(Self::new(of, law, what())) }
    }
}

/// Panics with the number of the broken law if `examined` is an error.
#[track_caller]
pub(super) fn upheld(examined: Result<(), Breach>) {
    if let Err(breach) = examined {
        panic!("{breach}");
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "law {} of {} is broken: {}", self.law, self.of, self.what)
    }
}

impl core::error::Error for Breach {}
