//! Which channel does a launch belong to?

use alloc::vec;
use alloc::vec::Vec;

use raddle_policy::{Launch, LaunchId, ProcessId, StreamId};

/// Launches whose channel is remembered; by the lowest bits of their ids. Many times the launches that
/// are ready at once.
const RECENT: usize = 1024;

/// Channels by stream, in the order of their first use.
#[derive(Clone, Debug)]
pub(super) struct Channels {
    /// How many there are at most; without a limit, one a stream.
    fold: Option<u32>,
    /// By process and stream, ascending.
    known: Vec<((ProcessId, StreamId), u32)>,
    /// A cache: the same launch is looked up many times in a row.
    recent: Vec<Recent>,
}

/// What is remembered of a launch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recent {
    launch: Option<LaunchId>,
    channel: u32,
    /// The class of its workgroups at the last look-up, as a guess.
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

    /// How many have been used.
    pub(super) fn len(&self) -> usize {
        let used = self.known.len();
        self.fold.map_or(used, |fold| used.min(fold as usize))
    }

    /// The channel of a launch.
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
                // As many as there are pairs of process and stream: fewer than launches.
                let used = self.known.len() as u32;
                let channel = self.fold.map_or(used, |fold| used % fold.max(1));
                self.known.insert(at, (stream, channel));
                channel
            }
        }
    }
}
