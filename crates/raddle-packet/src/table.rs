//! Which launches does an agent store in its reference table, and which queues share a table?

use crate::error::PacketError;
use crate::launch::LaunchImage;
use crate::layout::AqlFormat;
use crate::packet_types::AQL_ENTRIES;

/// Table of stored launches, by entry number, in an agent (the reader of packets). Seed 002, a
/// patent, calls it the reference state table.
///
/// Only a reference packet changes an entry. A condensed packet never does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceTable {
    launches: [Option<LaunchImage>; AQL_ENTRIES],
}

impl ReferenceTable {
    /// Returns the launch stored in the entry `ref_num`; `None` where the entry is empty.
    #[must_use]
    #[inline]
    pub fn get(&self, ref_num: u16) -> Option<&LaunchImage> {
        self.launches.get(usize::from(ref_num))?.as_ref()
    }

    /// Stores a launch in the entry `ref_num`.
    ///
    /// # Errors
    /// When the format has no such entry; nothing is stored then.
    pub fn store(
        &mut self,
        format: &AqlFormat,
        ref_num: u16,
        launch: &LaunchImage,
    ) -> Result<(), PacketError> {
        format.check_entry(ref_num)?;
        self.launches[usize::from(ref_num)] = Some(*launch);
        Ok(())
    }

    /// Empties every entry of the table whose number is `ref_num` or more.
    pub(crate) fn forget_from(&mut self, ref_num: u16) {
        self.launches.iter_mut().skip(ref_num.into()).for_each(|launch| *launch = None);
    }

    /// Returns every entry under which a launch is stored, as (entry number, launch).
    pub fn entries(&self) -> impl Iterator<Item = (u16, &LaunchImage)> {
        (0..).zip(&self.launches).filter_map(|(number, launch)| Some((number, launch.as_ref()?)))
    }

    /// Returns the lowest entry number of the packet format under which no launch is stored; `None`
    /// where all entries are in use.
    #[must_use]
    pub(crate) fn vacant(&self, format: &AqlFormat) -> Option<u16> {
        (0..format.entries()).find(|&ref_num| self.get(ref_num).is_none())
    }
}

/// Choice of the queues that share one table of stored launches, which seed 002 (a patent) leaves
/// open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum TableScope {
    /// Each queue has a table of its own. The contents of the table then depend on the order within
    /// that queue alone.
    #[default]
    Queue,
    /// All queues of one process share one table.
    Process,
    /// All queues of an agent share one table. Processes see each other's kernels and arguments.
    Agent,
}

impl TableScope {
    /// Returns the key (process, queue) of the table that a queue uses. Queues that share a table
    /// have equal keys: a part of the key that does not matter is 0.
    #[must_use]
    #[doc(hidden)]
    pub const fn table(self, process: u32, queue: u32) -> (u32, u32) {
        match self {
            Self::Queue => (process, queue),
            Self::Process => (process, 0),
            Self::Agent => (0, 0),
        }
    }
}
