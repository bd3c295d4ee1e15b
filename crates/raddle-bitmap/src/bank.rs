//! Which of many maps of one resource have a run that is long enough?
//!
//! What matching asks all the time: the longest run of every map is kept beside the maps, a byte
//! each, and only maps that have changed are measured again, up to 64 at a time, when somebody asks.

use alloc::vec;
use alloc::vec::Vec;

use crate::batch::PART;
use crate::{Error, Map, RunPlan, WordStore};

/// Maps of one resource and one size, such as the vector registers of every SIMD of a device, with
/// the longest run of each.
///
/// Maps are named by their index. A change leaves a map's summary stale;
/// [`refresh`](Self::refresh) mends all stale ones in one pass.
///
/// ```
/// use raddle_bitmap::{Bank, Map128};
///
/// let mut registers: Bank<Map128> = Bank::new(3, 128)?;
/// let plan = registers.map(1)?.first_fit(100).expect("it is empty");
/// registers.commit(1, plan)?;
/// registers.refresh();
/// assert_eq!(registers.bytes(), [128, 28, 128]);
/// assert!(registers.with_run(29).eq([0, 2]));
/// # Ok::<(), raddle_bitmap::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bank<M> {
    maps: Vec<M>,
    /// The longest run of each map as of its last measuring, 255 for more.
    bytes: Vec<u8>,
    /// The longest runs exactly, where a byte may be too small; else empty.
    exact: Vec<u32>,
    /// Maps that have changed since, each once.
    stale: Vec<usize>,
    is_stale: Vec<bool>,
}

impl<S: WordStore> Bank<Map<S>> {
    /// So many maps of `blocks` free blocks.
    ///
    /// # Errors
    /// As [`Map::new`]; [`Error::TooManyMaps`] where no memory could hold them.
    pub fn new(maps: usize, blocks: u32) -> Result<Self, Error> {
        let map: Map<S> = Map::new(blocks)?;
        // The largest of the lists below, in bytes.
        let largest = size_of::<Map<S>>().max(size_of::<usize>());
        if maps.checked_mul(largest).is_none_or(|bytes| isize::try_from(bytes).is_err()) {
            return Err(Error::TooManyMaps { maps });
        }
        let exact = if blocks > u32::from(u8::MAX) { maps } else { 0 };
        Ok(Self {
            bytes: vec![byte(blocks); maps],
            exact: vec![blocks; exact],
            maps: vec![map; maps],
            stale: Vec::with_capacity(maps),
            is_stale: vec![false; maps],
        })
    }

    /// How many maps there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.maps.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.maps.is_empty()
    }

    /// One of the maps, to search in.
    ///
    /// # Errors
    /// [`Error::NoSuchMap`].
    #[inline]
    pub fn map(&self, at: usize) -> Result<&Map<S>, Error> {
        self.maps.get(at).ok_or(Error::NoSuchMap { at, maps: self.maps.len() })
    }

    /// Takes the run of a plan from one of the maps; its start.
    ///
    /// # Errors
    /// [`Error::NoSuchMap`], or as [`Map::commit`]; nothing has changed then.
    #[inline]
    pub fn commit(&mut self, at: usize, plan: RunPlan) -> Result<u32, Error> {
        let len = plan.len();
        self.change(at, len, |map| map.commit(plan))
    }

    /// Gives back `len` blocks from `start` to one of the maps.
    ///
    /// # Errors
    /// [`Error::NoSuchMap`], or as [`Map::release`]; nothing has changed then.
    #[inline]
    pub fn release(&mut self, at: usize, start: u32, len: u32) -> Result<(), Error> {
        self.change(at, len, |map| map.release(start, len))
    }

    /// Changes `len` blocks of one of the maps, which is stale then unless `len` is 0.
    #[inline]
    fn change<T>(
        &mut self,
        at: usize,
        len: u32,
        change: impl FnOnce(&mut Map<S>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let absent = Error::NoSuchMap { at, maps: self.maps.len() };
        let changed = change(self.maps.get_mut(at).ok_or(absent)?)?;
        if len > 0 && !self.is_stale[at] {
            self.is_stale[at] = true;
            self.stale.push(at);
        }
        Ok(changed)
    }

    /// Measures the maps that have changed since the last time; how many those were.
    pub fn refresh(&mut self) -> usize {
        let refreshed = self.stale.len();
        for part in self.stale.chunks(PART) {
            let longest = S::longest_of(part.len(), |at| self.maps[part[at]].storage());
            for (&at, longest) in part.iter().zip(longest) {
                self.bytes[at] = byte(longest);
                self.is_stale[at] = false;
                if let Some(exact) = self.exact.get_mut(at) {
                    *exact = longest;
                }
            }
        }
        self.stale.clear();
        refreshed
    }

    /// The longest run of one of the maps as of the last [`refresh`](Self::refresh), in blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchMap`].
    #[inline]
    pub fn longest(&self, at: usize) -> Result<u32, Error> {
        let byte = self.bytes.get(at).ok_or(Error::NoSuchMap { at, maps: self.maps.len() })?;
        Ok(self.exact.get(at).copied().unwrap_or(u32::from(*byte)))
    }

    /// The longest run of each map as of the last [`refresh`](Self::refresh), in blocks; 255 stands
    /// for 255 or more. A byte a map is what many can be compared in at once.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The maps with a run of at least `want` blocks as of the last [`refresh`](Self::refresh),
    /// ascending.
    pub fn with_run(&self, want: u32) -> impl Iterator<Item = usize> + '_ {
        let least = byte(want);
        let maps = self.bytes.iter().enumerate().filter(move |&(_, &byte)| byte >= least);
        // Where a byte is too small to tell, the exact length does; there is none where it never is.
        maps.map(|(at, _)| at).filter(move |&at| {
            want <= u32::from(u8::MAX) || self.exact.get(at).is_some_and(|&run| run >= want)
        })
    }
}

/// A length, or the most that a byte holds.
const fn byte(blocks: u32) -> u8 {
    if blocks < u8::MAX as u32 { blocks as u8 } else { u8::MAX }
}
