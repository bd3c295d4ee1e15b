//! What does the account of resident workgroups keep, and what does it refuse?

mod errors;
mod ledger;
mod oracle;
mod rows;
