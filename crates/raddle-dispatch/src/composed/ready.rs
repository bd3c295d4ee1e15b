//! Which launches does the allocate policy see, in the order of their submission?
//!
//! Launches mostly come at the back and leave at the front, so both are cheap.

use alloc::vec::Vec;

use raddle_policy::{LaunchId, ReadyLaunch};

/// The launches that the allocate policy sees, in the order of submission.
#[derive(Debug, Default)]
pub(super) struct Ready {
    entries: Vec<ReadyLaunch>,
    /// The number, in the order of submission, of the launch with the same index in `entries`.
    submissions: Vec<u64>,
    /// The index of the first launch in `entries` that the allocate policy sees; launches before it
    /// are no longer shown.
    front: usize,
}

impl Ready {
    /// Returns the launches that the allocate policy sees.
    pub(super) fn launches(&self) -> &[ReadyLaunch] {
        &self.entries[self.front..]
    }

    fn find(&self, submission: u64) -> Result<usize, usize> {
        let found = self.submissions[self.front..].binary_search(&submission);
        found.map(|at| at + self.front).map_err(|at| at + self.front)
    }

    /// Adds a waiting launch to those that the allocate policy sees, or updates its entry.
    /// `submission` is the number of the launch in the order of submission.
    pub(super) fn show(&mut self, submission: u64, entry: ReadyLaunch) {
        match self.find(submission) {
            Ok(at) => self.entries[at] = entry,
            Err(at) => {
                self.entries.insert(at, entry);
                self.submissions.insert(at, submission);
            }
        }
    }

    /// Returns the entry of a launch with this number in the order of submission; `None` if the
    /// allocate policy does not see it.
    pub(super) fn get(&self, submission: u64, launch: LaunchId) -> Option<&ReadyLaunch> {
        let at = self.find(submission).ok()?;
        self.entries.get(at).filter(|entry| entry.launch().id == launch)
    }

    /// Removes a launch from those that the allocate policy sees. Returns whether it was there.
    pub(super) fn hide(&mut self, submission: u64) -> bool {
        match self.find(submission) {
            Ok(at) if at == self.front => self.front += 1,
            Ok(at) => {
                self.entries.remove(at);
                self.submissions.remove(at);
            }
            Err(_) => return false,
        }
        // Entries that have left are dropped once they are the larger part, so hiding stays cheap.
        if self.front > self.entries.len() / 2 {
            self.entries.drain(..self.front);
            self.submissions.drain(..self.front);
            self.front = 0;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: u32) -> ReadyLaunch {
        raddle_testkit::launch(id).ready()
    }

    fn ids(ready: &Ready) -> Vec<u32> {
        ready.launches().iter().map(|entry| entry.launch().id.0).collect()
    }

    #[test]
    fn the_order_of_submission_stays_whoever_comes_and_goes() {
        let mut ready = Ready::default();
        for submission in [4, 1, 3, 0, 2] {
            ready.show(submission, entry(submission as u32));
        }
        assert_eq!(ids(&ready), [0, 1, 2, 3, 4]);
        assert!(ready.hide(0) && ready.hide(3));
        assert_eq!(ids(&ready), [1, 2, 4]);
        ready.show(0, entry(0));
        assert!(!ready.hide(7), "it is not there");
        assert_eq!(ids(&ready), [0, 1, 2, 4]);
        ready.hide(0);
        ready.hide(1);
        ready.hide(2);
        assert_eq!(ids(&ready), [4]);
        assert!(ready.get(4, LaunchId(4)).is_some() && ready.get(4, LaunchId(5)).is_none());
    }
}
