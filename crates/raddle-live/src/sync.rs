//! Which locks and threads does a client use?
//!
//! The test `tests/loom` compiles the client with those of the crate `loom` in their place.

pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
pub(crate) use std::thread;
