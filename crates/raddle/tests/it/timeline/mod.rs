//! Does a timeline file hold what happened, in the format that its viewer reads?

mod decoded;
mod files;
mod proto;
mod rendered;
