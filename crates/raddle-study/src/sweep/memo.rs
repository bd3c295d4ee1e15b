//! How is a value that several cases of a sweep need computed only once?

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::error::StudyError;

/// Slot of a store for one value that is computed once. It holds the value, or the error of its
/// computation as (true if the user made a mistake, message).
type MemoSlot<T> = Arc<OnceLock<Result<T, (bool, String)>>>;

/// Store of computed values by key; each value is computed only once, even if several threads ask
/// for it at the same time.
#[derive(Debug)]
pub(super) struct Memo<T> {
    made: Mutex<BTreeMap<String, MemoSlot<T>>>,
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self { made: Mutex::default() }
    }
}

impl<T: Clone> Memo<T> {
    /// Returns the value stored for a key; computes it with `make` if it is missing. Other threads
    /// that ask for the value wait meanwhile.
    pub(super) fn get(
        &self,
        key: &str,
        make: impl FnOnce() -> Result<T, StudyError>,
    ) -> Result<T, StudyError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = Arc::clone(made.entry(key.to_owned()).or_default());
        drop(made);
        let told = |error: StudyError| (error.is_usage(), error.to_string());
        let made = slot.get_or_init(|| make().map_err(told));
        made.clone().map_err(|(usage, text)| match usage {
            true => StudyError::Usage(text),
            false => StudyError::Refused(text),
        })
    }
}
