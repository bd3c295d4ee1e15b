//! What does the layer know of an object of the program?
//!
//! The layer finds an object by its handle. Handles come again: the address of an object that is
//! gone is given to the next one. So an entry counts the references of the program by the calls
//! that take and release them. Once the program has released the last one, the object is found
//! under its handle only while another part of the layer still keeps it.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use crate::native::NativeHandle;

/// Defines the entry points that retain and release objects of one kind, so that the layer too
/// counts the references that the program has.
macro_rules! counted {
    ($all:ident: $object:ty, $retain:ident, $release:ident) => {
        pub(crate) unsafe extern "C" fn retain(object: $object) -> opencl_sys::cl_int {
            $crate::native::guarded(|| {
                let code = $crate::native::native!($retain(object));
                if code == 0 {
                    $all.retained(NativeHandle(object));
                }
                code
            })
        }

        pub(crate) unsafe extern "C" fn release(object: $object) -> opencl_sys::cl_int {
            $crate::native::guarded(|| {
                $all.released(NativeHandle(object));
                $crate::native::native!($release(object))
            })
        }
    };
}
pub(crate) use counted;

/// Registry of the program's objects of one kind, such as its kernels, by handle.
pub(crate) struct HandleRegistry<T>(RwLock<BTreeMap<NativeHandle, Entry<T>>>);

struct Entry<T> {
    references: u32,
    /// Registered object, kept alive while the program has references to it; `None` after the
    /// program has released the last one.
    kept: Option<Arc<T>>,
    found: Weak<T>,
}

impl<T> HandleRegistry<T> {
    pub(crate) const fn new() -> Self {
        Self(RwLock::new(BTreeMap::new()))
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<NativeHandle, Entry<T>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<NativeHandle, Entry<T>>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers an object that the runtime has made; the program then has one reference to it.
    pub(crate) fn made(&self, handle: NativeHandle, object: Arc<T>) {
        let found = Arc::downgrade(&object);
        let entry = Entry { references: 1, kept: Some(object), found };
        let before = self.write().insert(handle, entry);
        // The old object is dropped outside of the lock, as it looks for itself here.
        drop(before);
    }

    pub(crate) fn get(&self, handle: NativeHandle) -> Option<Arc<T>> {
        self.read().get(&handle)?.found.upgrade()
    }

    /// Counts one more reference to an object, which the program has taken.
    pub(crate) fn retained(&self, handle: NativeHandle) {
        if let Some(entry) = self.write().get_mut(&handle) {
            entry.references += 1;
            entry.kept = entry.found.upgrade();
        }
    }

    /// Counts one reference less to an object, which the program gives back. To be called before
    /// the runtime's release.
    pub(crate) fn released(&self, handle: NativeHandle) {
        let mut entries = self.write();
        let Some(entry) = entries.get_mut(&handle) else { return };
        entry.references = entry.references.saturating_sub(1);
        let last = if entry.references == 0 { entry.kept.take() } else { None };
        drop(entries);
        drop(last);
        self.gone(handle);
    }

    /// Removes the entry of an object that was dropped; an entry for a newer object with the same
    /// handle stays.
    pub(crate) fn gone(&self, handle: NativeHandle) {
        let mut entries = self.write();
        if entries.get(&handle).is_some_and(|entry| entry.found.strong_count() == 0) {
            entries.remove(&handle);
        }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.read().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handle(address: usize) -> NativeHandle {
        NativeHandle(std::ptr::without_provenance_mut(address))
    }

    #[test]
    fn a_handle_that_comes_again_names_the_new_object() {
        let all = HandleRegistry::new();
        all.made(handle(8), Arc::new(1));
        let old = all.get(handle(8)).expect("it was made");
        all.released(handle(8));
        assert_eq!(all.get(handle(8)).as_deref(), Some(&1), "work in the lane keeps it");
        all.made(handle(8), Arc::new(2));
        drop(old);
        all.gone(handle(8));
        assert_eq!(all.get(handle(8)).as_deref(), Some(&2));
        all.released(handle(8));
        assert_eq!(all.get(handle(8)), None);
        all.gone(handle(8));
        assert_eq!(all.len(), 0);
    }

    #[test]
    fn references_are_counted() {
        let all = HandleRegistry::new();
        all.made(handle(8), Arc::new(1));
        all.retained(handle(8));
        all.released(handle(8));
        assert_eq!(all.get(handle(8)).as_deref(), Some(&1));
        all.released(handle(8));
        assert_eq!(all.get(handle(8)), None);
    }
}
