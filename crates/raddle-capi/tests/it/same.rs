//! Do random sequences of calls through C give the answers of the crates below?

mod allocators;
mod dispatchers;
mod maps;
