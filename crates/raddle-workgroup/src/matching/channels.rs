//! To which channel (queue of workgroups) does a launch belong?

use alloc::vec;
use alloc::vec::Vec;

use raddle_policy::{Launch, LaunchId, ProcessId, StreamId};

/// The number of entries of the cache that remembers the channel (queue of workgroups) of each
/// launch. Launches share an entry if their ids are equal modulo this number, so it is many times
/// the number of launches that are ready together.
const RECENT: usize = 1024;

/// The channel (queue of workgroups) of each stream; channels are numbered in the order of their
/// first use.
#[derive(Clone, Debug)]
pub(super) struct Channels {
    /// The largest number of channels; when all are used, further streams share them in turn. With
    /// `None`, each stream has a channel of its own.
    fold: Option<u32>,
    /// The channel of each stream, sorted by stream: ((process, stream), channel).
    known: Vec<((ProcessId, StreamId), u32)>,
    /// A cache of the channels of launches, since one launch is looked up many times in a row.
    recent: Vec<Recent>,
}

/// An entry of the cache: the channel (queue of workgroups) of a launch that was looked up lately.
/// `launch` is `None` in an unused entry.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recent {
    launch: Option<LaunchId>,
    channel: u32,
    /// The index of the demand class (workgroups of equal demand) that the launch had at the last
    /// look-up. The next look-up tries this class first.
    pub(super) class: usize,
}

impl Recent {
    #[inline]
    pub(super) const fn channel(&self) -> usize {
        self.channel as usize
    }
}

impl Channels {
    pub(super) fn new(fold: Option<u16>) -> Self {
        let recent = vec![Recent::default(); RECENT];
        Self { fold: fold.map(u32::from), known: Vec::new(), recent }
    }

    /// Returns the number of channels that have been used.
    pub(super) fn len(&self) -> usize {
        let used = self.known.len();
        self.fold.map_or(used, |fold| used.min(fold as usize))
    }

    /// Returns the cache entry with the channel of a launch; a stream that has no channel yet gets
    /// the next one.
    #[inline]
    pub(super) fn of(&mut self, launch: &Launch) -> &mut Recent {
        let at = launch.id.index() % RECENT;
        if self.recent[at].launch != Some(launch.id) {
            self.meet(launch);
        }
        &mut self.recent[at]
    }

    #[cold]
    #[inline(never)]
    fn meet(&mut self, launch: &Launch) {
        let (id, channel) = (launch.id, self.find(launch));
        self.recent[id.index() % RECENT] = Recent { launch: Some(id), channel, class: 0 };
    }

    fn find(&mut self, launch: &Launch) -> u32 {
        let stream = (launch.process, launch.stream);
        match self.known.binary_search_by_key(&stream, |&(stream, _)| stream) {
            Ok(at) => self.known[at].1,
            Err(at) => {
                // There are no more pairs of process and stream than launches, which a u32 counts.
                let used = self.known.len() as u32;
                let channel = self.fold.map_or(used, |fold| used % fold.max(1));
                self.known.insert(at, (stream, channel));
                channel
            }
        }
    }
}
