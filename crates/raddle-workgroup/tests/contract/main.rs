//! Do round-robin and greedy put every workgroup where the placement contract puts it?

mod fixtures;
mod golden;
mod naive;
mod parity;
mod policies;
mod scenarios;
mod subject;
