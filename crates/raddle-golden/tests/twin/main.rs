//! Do the twins find nothing in logs of policies that keep their rules, and each answer that was changed?

mod device;
mod kit;
mod known;
mod planted;
mod questions;
mod state;
