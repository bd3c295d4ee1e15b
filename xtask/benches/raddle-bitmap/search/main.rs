//! How fast is every search, against every yardstick and every peer, in one run?
//!
//! `cargo xtask bench -p raddle-bitmap [FILTER]`: criterion measures the rows whose `group/row`
//! contains the filter, and the tables at the end say what one map, query or step costs and which
//! goals hold. Ratios count, and only those of one run.
#![allow(clippy::print_stdout, reason = "a benchmark prints its tables")]

mod batch;
mod check;
mod churn;
mod contender;
mod contents;
mod first_fit;
mod goals;
mod lab;
mod longest;
mod methods;
mod ours;
mod peers;
mod table;
mod yardsticks;

fn main() {
    let mut lab = lab::Lab::new(check::everything);
    longest::run(&mut lab);
    methods::run(&mut lab);
    batch::run(&mut lab);
    first_fit::run(&mut lab);
    churn::run(&mut lab);
    batch::run_in_memory(&mut lab);
    table::print(&lab);
}
