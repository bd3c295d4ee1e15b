//! What does the book keep, and what does it refuse?

mod errors;
mod ledger;
mod oracle;
mod rows;
