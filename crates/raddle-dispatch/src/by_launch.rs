//! How is a value that is kept for each launch found by the launch's id?

use alloc::vec::Vec;
use core::fmt;

use hashbrown::HashMap;
use raddle_policy::LaunchId;
use rustc_hash::FxBuildHasher;

/// A map from launch ids to entries, whose lookups take a time that does not grow with the number
/// of entries.
///
/// A hash without a random seed decides where an entry lies, so equal calls cost the same in every
/// run. No decision may depend on the order of the hash, so [`ids`](Self::ids) sorts the ids.
///
/// ```
/// use raddle_dispatch::ByLaunch;
/// use raddle_policy::LaunchId;
///
/// let mut started = ByLaunch::default();
/// *started.or_insert_with(LaunchId(7), || 0) += 4;
/// started.insert(LaunchId(3), 1);
/// assert_eq!((started.get(LaunchId(7)), started.get(LaunchId(5))), (Some(&4), None));
/// assert_eq!(started.ids(), [LaunchId(3), LaunchId(7)]);
/// ```
#[derive(Clone)]
#[doc(hidden)]
pub struct ByLaunch<T>(HashMap<LaunchId, T, FxBuildHasher>);

impl<T> Default for ByLaunch<T> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<T> fmt::Debug for ByLaunch<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByLaunch").field("len", &self.0.len()).finish_non_exhaustive()
    }
}

impl<T> ByLaunch<T> {
    /// Returns whether a launch has an entry in this map by launch id.
    #[must_use]
    pub fn contains(&self, id: LaunchId) -> bool {
        self.0.contains_key(&id)
    }

    /// Returns the entry of a launch in this map; `None` where the launch has none.
    #[must_use]
    pub fn get(&self, id: LaunchId) -> Option<&T> {
        self.0.get(&id)
    }

    /// Returns a mutable reference to the entry of a launch; `None` where it has none.
    pub fn get_mut(&mut self, id: LaunchId) -> Option<&mut T> {
        self.0.get_mut(&id)
    }

    /// Returns a mutable reference to the entry of a launch, after adding the entry `new()` if
    /// there is none.
    pub fn or_insert_with(&mut self, id: LaunchId, new: impl FnOnce() -> T) -> &mut T {
        self.0.entry(id).or_insert_with(new)
    }

    /// Sets the entry of a launch. Returns the old entry; `None` where there was none.
    pub fn insert(&mut self, id: LaunchId, entry: T) -> Option<T> {
        self.0.insert(id, entry)
    }

    /// Removes the entry of a launch, and returns it; `None` where there is none.
    pub fn remove(&mut self, id: LaunchId) -> Option<T> {
        self.0.remove(&id)
    }

    /// Returns whether `holds` returns true for at least one entry of the map. Entries are visited
    /// in the order of their hash, so `holds` must not count or store them.
    pub fn any(&self, holds: impl FnMut(&T) -> bool) -> bool {
        self.0.values().any(holds)
    }

    /// Returns the ids of all launches that have an entry in this map, sorted in ascending order.
    #[must_use]
    pub fn ids(&self) -> Vec<LaunchId> {
        let mut ids: Vec<LaunchId> = self.0.keys().copied().collect();
        ids.sort_unstable();
        ids
    }
}
