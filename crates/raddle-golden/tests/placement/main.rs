//! Do round-robin and greedy put every workgroup where the placement contract puts it?

mod fixtures;
mod golden;
mod naive;
mod ours;
mod parity;
mod scenarios;
mod subject;
