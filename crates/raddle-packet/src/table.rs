//! What does an agent remember of reference packets, and who shares it?

use crate::error::{Error, FormatFault};
use crate::format::Format;
use crate::launch::Launch;

/// The reference state table (seed 002, Table 3): launches by number, at most `ENTRIES` of them.
///
/// Only a reference packet changes an entry; a difference never does (B12).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table<const BYTES: usize, const ENTRIES: usize> {
    launches: [Launch<BYTES>; ENTRIES],
    valid: [bool; ENTRIES],
}

impl<const BYTES: usize, const ENTRIES: usize> Default for Table<BYTES, ENTRIES> {
    fn default() -> Self {
        Self { launches: [Launch::default(); ENTRIES], valid: [false; ENTRIES] }
    }
}

impl<const BYTES: usize, const ENTRIES: usize> Table<BYTES, ENTRIES> {
    /// An empty table for this format.
    ///
    /// # Errors
    /// When the format has more entries than `ENTRIES`.
    pub fn new(format: &Format<BYTES>) -> Result<Self, Error> {
        if usize::from(format.entries()) > ENTRIES {
            return Err(FormatFault::Entries(format.entries()).into());
        }
        Ok(Self::default())
    }

    /// The launch stored under a number.
    #[must_use]
    #[inline]
    pub fn get(&self, ref_num: u16) -> Option<&Launch<BYTES>> {
        let at = usize::from(ref_num);
        if self.valid.get(at).copied().unwrap_or(false) { self.launches.get(at) } else { None }
    }

    /// Whether anything is stored under a number.
    #[inline]
    pub(crate) fn is_full(&self, ref_num: u16) -> bool {
        self.valid.get(usize::from(ref_num)).copied().unwrap_or(false)
    }

    /// The launch in the place of a number, whether anything was stored there or not.
    #[inline]
    pub(crate) fn place(&self, ref_num: u16) -> Option<&Launch<BYTES>> {
        self.launches.get(usize::from(ref_num))
    }

    /// Stores a launch under a number.
    ///
    /// # Errors
    /// When the format has no such entry; nothing is stored then.
    pub fn store(
        &mut self,
        format: &Format<BYTES>,
        ref_num: u16,
        launch: &Launch<BYTES>,
    ) -> Result<(), Error> {
        let at = usize::from(ref_num);
        let there = ref_num < format.entries();
        match (self.launches.get_mut(at), self.valid.get_mut(at)) {
            (Some(to), Some(valid)) if there => {
                *to = *launch;
                *valid = true;
                Ok(())
            }
            _ => Err(Error::RefNum { ref_num, entries: format.entries() }),
        }
    }

    /// Forgets every entry from this one on.
    pub(crate) fn forget_from(&mut self, ref_num: u16) {
        self.valid.iter_mut().skip(ref_num.into()).for_each(|valid| *valid = false);
    }

    /// Every entry that holds something, by number.
    pub fn entries(&self) -> impl Iterator<Item = (u16, &Launch<BYTES>)> {
        let all = (0..=u16::MAX).zip(&self.launches).zip(&self.valid);
        all.filter(|(_, valid)| **valid).map(|(entry, _)| entry)
    }

    /// The lowest entry of the format that holds nothing.
    #[must_use]
    pub fn vacant(&self, format: &Format<BYTES>) -> Option<u16> {
        (0..format.entries()).find(|&ref_num| self.get(ref_num).is_none())
    }
}

/// Which queues share a table (B15).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Scope {
    /// None: each has its own. Order within a queue then is all the order that is needed.
    #[default]
    Queue,
    /// Those of one process.
    Process,
    /// All of an agent. Processes see each other's kernels and arguments.
    Agent,
}

impl Scope {
    /// Which table the packets of a queue of a process use.
    #[must_use]
    pub const fn table(self, process: u32, queue: u32) -> (u32, u32) {
        match self {
            Self::Queue => (process, queue),
            Self::Process => (process, 0),
            Self::Agent => (0, 0),
        }
    }
}
