//! How is independent work done by several threads at the same time, where a machine has threads?
//!
//! Results are collected by position, so they do not depend on the number of threads.

use crate::error::StudyError;

/// Applies `each` to every item on several threads, and returns the results in order, or an error.
#[cfg(feature = "parallel")]
pub(crate) fn map<T: Sync, R: Send>(
    items: &[T],
    each: impl Fn(&T) -> Result<R, StudyError> + Sync + Send,
) -> Result<Vec<R>, StudyError> {
    use rayon::prelude::*;
    items.par_iter().with_max_len(1).map(each).collect()
}

/// Applies `each` to every item, one after the other, and returns the results in order, or the
/// first error.
#[cfg(not(feature = "parallel"))]
pub(crate) fn map<T, R>(
    items: &[T],
    each: impl Fn(&T) -> Result<R, StudyError>,
) -> Result<Vec<R>, StudyError> {
    items.iter().map(each).collect()
}

/// Calls both functions, at the same time if a thread is free, and returns both results.
#[cfg(feature = "parallel")]
pub(crate) fn join<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    rayon::join(one, other)
}

/// Calls both functions, one after the other, and returns both results.
#[cfg(not(feature = "parallel"))]
pub(crate) fn join<A, B>(one: impl FnOnce() -> A, other: impl FnOnce() -> B) -> (A, B) {
    (one(), other())
}

/// Calls `one` with every number below `count`, each as soon as a thread is free; the first error
/// ends the loop. `jobs` is the number of threads; `None` starts one for each processor core. The
/// threads are new ones, not those of the pool in [`Workers`], so a call may block until another
/// call has ended.
#[cfg(feature = "parallel")]
pub(crate) fn each(
    jobs: Option<u16>,
    count: usize,
    one: impl Fn(usize) -> Result<(), StudyError> + Sync,
) -> Result<(), StudyError> {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = jobs.map_or_else(cores, usize::from).min(count);
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<StudyError>> = Mutex::new(None);
    let fail = |error| {
        next.store(count, Ordering::Relaxed);
        failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(error);
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    if let Err(error) = one(number) {
                        fail(error);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    failed.map_or(Ok(()), Err)
}

/// Calls `one` with every number below `count`, one after the other.
#[cfg(not(feature = "parallel"))]
pub(crate) fn each(
    _: Option<u16>,
    count: usize,
    one: impl Fn(usize) -> Result<(), StudyError>,
) -> Result<(), StudyError> {
    (0..count).try_for_each(one)
}

/// Pool of threads on which the simulations of a study run.
#[derive(Debug)]
pub(crate) struct Workers {
    #[cfg(feature = "parallel")]
    pool: rayon::ThreadPool,
}

#[cfg(feature = "parallel")]
impl Workers {
    /// Starts `jobs` threads; with `None`, one for each processor core.
    pub(crate) fn new(jobs: Option<u16>) -> Result<Self, StudyError> {
        let threads = jobs.map_or(0, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| {
            StudyError::Refused(format!(
                "threads cannot be started ({error}): give a smaller --jobs"
            ))
        })?;
        Ok(Self { pool })
    }

    pub(crate) fn map<T: Sync, R: Send>(
        &self,
        items: &[T],
        each: impl Fn(&T) -> Result<R, StudyError> + Sync + Send,
    ) -> Result<Vec<R>, StudyError> {
        self.pool.install(|| map(items, each))
    }
}

#[cfg(not(feature = "parallel"))]
impl Workers {
    #[expect(clippy::unnecessary_wraps, reason = "threads may fail to start")]
    pub(crate) const fn new(_: Option<u16>) -> Result<Self, StudyError> {
        Ok(Self {})
    }

    pub(crate) fn map<T, R>(
        &self,
        items: &[T],
        each: impl Fn(&T) -> Result<R, StudyError>,
    ) -> Result<Vec<R>, StudyError> {
        map(items, each)
    }
}
