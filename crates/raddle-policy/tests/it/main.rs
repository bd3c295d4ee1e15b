//! Does the test kit find what breaks a law?

mod broken_allocate;
mod broken_others;
