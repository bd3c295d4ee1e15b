//! How do independent pieces of work go at the same time, where there are threads?
//!
//! Results are collected by position, so they do not depend on how many go at a time.

use crate::error::StudyError;

/// Does the same with every item.
#[cfg(feature = "parallel")]
pub(crate) fn map<T: Sync, R: Send>(
    items: &[T],
    each: impl Fn(&T) -> Result<R, StudyError> + Sync + Send,
) -> Result<Vec<R>, StudyError> {
    use rayon::prelude::*;
    items.par_iter().with_max_len(1).map(each).collect()
}

/// Does the same with every item.
#[cfg(not(feature = "parallel"))]
pub(crate) fn map<T, R>(
    items: &[T],
    each: impl Fn(&T) -> Result<R, StudyError>,
) -> Result<Vec<R>, StudyError> {
    items.iter().map(each).collect()
}

/// Does the same with two items.
#[cfg(feature = "parallel")]
pub(crate) fn both<T: Sync, R: Send>(
    [one, other]: [&T; 2],
    each: impl Fn(&T) -> Result<R, StudyError> + Sync,
) -> Result<[R; 2], StudyError> {
    let (one, other) = rayon::join(|| each(one), || each(other));
    Ok([one?, other?])
}

/// Does the same with two items.
#[cfg(not(feature = "parallel"))]
pub(crate) fn both<T, R>(
    [one, other]: [&T; 2],
    each: impl Fn(&T) -> Result<R, StudyError>,
) -> Result<[R; 2], StudyError> {
    Ok([each(one)?, each(other)?])
}

/// Threads for runs.
#[derive(Debug)]
pub(crate) struct Workers {
    #[cfg(feature = "parallel")]
    pool: rayon::ThreadPool,
}

#[cfg(feature = "parallel")]
impl Workers {
    /// So many, or one a core.
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
