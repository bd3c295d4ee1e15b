//! Do random sequences of calls through C give the answers of the crates below?

mod allocators;
mod block_warps;
mod controllers;
mod dispatchers;
mod maps;
mod packets;
mod placements;
mod slices;
