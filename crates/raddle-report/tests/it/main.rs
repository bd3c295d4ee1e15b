//! Do the files that raddle-report writes contain what it was given?
#![allow(clippy::unwrap_used, reason = "all of this is test code")]

mod written;
