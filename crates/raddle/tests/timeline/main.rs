//! Does a timeline file hold what happened, in the format that its viewer reads?

#[path = "../common/mod.rs"]
mod common;
mod decoded;
mod files;
mod proto;
mod rendered;
