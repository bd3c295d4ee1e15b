//! Which channel does a stream belong to?

use alloc::vec::Vec;

use raddle_policy::{Launch, ProcessId, StreamId};

/// Channels by stream, in the order of their first use.
#[derive(Clone, Debug)]
pub(super) struct Channels {
    /// How many there are at most; without a limit, one a stream.
    fold: Option<u32>,
    /// By process and stream, ascending.
    known: Vec<((ProcessId, StreamId), u32)>,
}

impl Channels {
    pub(super) const fn new(fold: Option<u16>) -> Self {
        let fold = match fold {
            Some(count) => Some(count as u32),
            None => None,
        };
        Self { fold, known: Vec::new() }
    }

    /// How many have been used.
    pub(super) fn len(&self) -> usize {
        let used = self.known.len();
        self.fold.map_or(used, |fold| used.min(fold as usize))
    }

    /// The channel of a launch.
    #[inline]
    pub(super) fn of(&mut self, launch: &Launch) -> usize {
        let stream = (launch.process, launch.stream);
        match self.known.binary_search_by_key(&stream, |&(stream, _)| stream) {
            Ok(at) => self.known[at].1 as usize,
            Err(at) => {
                // As many as there are pairs of process and stream: fewer than launches.
                let used = self.known.len() as u32;
                let channel = self.fold.map_or(used, |fold| used % fold.max(1));
                self.known.insert(at, (stream, channel));
                channel as usize
            }
        }
    }
}
