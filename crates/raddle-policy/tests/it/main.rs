//! Does the book count right, and does the test kit find what breaks a law?

mod book_errors;
mod book_oracle;
mod broken_allocate;
mod broken_others;
mod ledger;
