//! Which locks and threads does a client use?
//!
//! `tests/loom` compiles the client with loom's in their place.

pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
pub(crate) use std::thread;
