//! Does the controller do what seed 001, its digest and a naive controller say?
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "all of this is test code")]

mod checks;
mod control;
mod defined;
mod device;
mod hands;
mod history;
mod leaving;
mod mutants;
mod naive;
#[path = "../common/random.rs"]
mod random_numbers;
#[path = "../common/refused.rs"]
mod refused;
#[path = "../common/reports.rs"]
mod reports;
mod resets;
mod schedule;
mod schedules;
mod vectors;
mod wished;
