//! Is everything right that goes through a driver: copies, events, collectives, failures, lost processes,
//! closed and held streams, stronger ways, claims, every scope?
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "all of this is test code")]

mod card;
mod gpu;
mod hands;
mod held;
mod kinds;
mod plan;
mod play;
mod random;
#[path = "../common/random.rs"]
mod random_numbers;
#[path = "../common/refused.rs"]
mod refused;
#[path = "../common/reports.rs"]
mod reports;
mod scopes;
mod threads;
mod truth;
mod turns;
mod wakes;
