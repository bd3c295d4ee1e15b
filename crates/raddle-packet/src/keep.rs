//! Which launches are worth an entry of the table?
//!
//! The encoder asks for every launch which way it goes. A launch that a near entry stands for is
//! condensed; the rules differ in what becomes of the others, and of the entries.

use crate::format::Format;
use crate::launch::Launch;

/// The way of one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// In a condensed packet, by the nearest entry; as an ordinary packet where there is none.
    Condense,
    /// As an ordinary packet.
    Ordinary,
    /// As a reference packet that fills this entry; as an ordinary one where there is no such entry.
    Store(u16),
}

/// The entry that a launch differs least from: fewest half-words, then the same kernel, then the
/// lowest number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Which.
    pub ref_num: u16,
    /// The fields that differ.
    pub vector: u32,
    /// Half-words of the difference, its header included.
    pub cost: u16,
}

/// What a rule may know of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a, const BYTES: usize> {
    /// The layout.
    pub format: &'a Format<BYTES>,
    /// The launch.
    pub launch: &'a Launch<BYTES>,
    /// The nearest entry, if any is filled.
    pub nearest: Option<Nearest>,
    /// The lowest entry that is empty.
    pub vacant: Option<u16>,
    /// Half-words left in the condensed packet that is open; 0 if none is.
    pub room: u16,
}

impl<const BYTES: usize> Ask<'_, BYTES> {
    /// Whether the nearest entry is of the same kernel and differs in so many half-words at most. One
    /// of the same kernel does not count where another kernel's is nearer still.
    #[must_use]
    #[inline]
    pub fn is_near(&self, near: u16) -> bool {
        let kernel = 1 << self.format.kernel();
        self.nearest.is_some_and(|nearest| nearest.cost <= near && nearest.vector & kernel == 0)
    }

    /// Condensed where the open packet has room for it or two such would share a packet, else ordinary.
    #[must_use]
    pub fn without_entry(&self) -> Way {
        let worth = (self.format.capacity() / 2).max(self.room);
        let worth_it = self.nearest.is_some_and(|nearest| nearest.cost <= worth);
        if worth_it { Way::Condense } else { Way::Ordinary }
    }
}

/// Decides which launches are stored, and where.
pub trait Keep<const BYTES: usize> {
    /// The way of the next launch.
    fn way(&mut self, ask: &Ask<'_, BYTES>) -> Way;

    /// Hears that a launch went by an entry: condensed, or stored there.
    fn used(&mut self, ask: &Ask<'_, BYTES>, ref_num: u16) {
        let _ = (ask, ref_num);
    }
}

/// How near is near where nothing else is said: a new argument block and a new signal.
pub const NEAR: u16 = 9;

/// Fills the empty entries with the first launches that no entry is near to; nothing leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First {
    /// Half-words up to which an entry is near.
    pub near: u16,
}

impl<const BYTES: usize> Keep<BYTES> for First {
    #[inline]
    fn way(&mut self, ask: &Ask<'_, BYTES>) -> Way {
        match ask.vacant {
            _ if ask.is_near(self.near) => Way::Condense,
            Some(ref_num) => Way::Store(ref_num),
            None => ask.without_entry(),
        }
    }
}

/// Stores every launch that no entry is near to, in place of the entry not used for longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MostRecent<const ENTRIES: usize> {
    /// Half-words up to which an entry is near.
    pub near: u16,
    uses: u64,
    last: [u64; ENTRIES],
}

impl<const ENTRIES: usize> MostRecent<ENTRIES> {
    /// With this distance.
    #[must_use]
    pub const fn new(near: u16) -> Self {
        Self { near, uses: 0, last: [0; ENTRIES] }
    }
}

impl<const BYTES: usize, const ENTRIES: usize> Keep<BYTES> for MostRecent<ENTRIES> {
    #[inline]
    fn way(&mut self, ask: &Ask<'_, BYTES>) -> Way {
        if ask.is_near(self.near) {
            return Way::Condense;
        }
        let oldest = (0..ask.format.entries()).zip(&self.last).min_by_key(|(_, last)| **last);
        let ref_num = ask.vacant.or(oldest.map(|(ref_num, _)| ref_num));
        ref_num.map_or(Way::Ordinary, Way::Store)
    }

    #[inline]
    fn used(&mut self, _: &Ask<'_, BYTES>, ref_num: u16) {
        self.uses += 1;
        if let Some(last) = self.last.get_mut(usize::from(ref_num)) {
            *last = self.uses;
        }
    }
}

/// Kernels without an entry that are counted at a time.
const CANDIDATES: usize = 32;

/// Stores the kernels launched most often: one without an entry takes the place of the least used
/// entry once it has been launched more often than that was.
///
/// Counts of kernels without an entry are kept for 32 of them; a further one takes over the lowest
/// count, so no kernel that is frequent is missed for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frequency<const ENTRIES: usize> {
    /// Half-words up to which an entry is near.
    pub near: u16,
    counts: [u64; ENTRIES],
    kernels: [u64; ENTRIES],
    candidates: [(u64, u64); CANDIDATES],
}

impl<const ENTRIES: usize> Frequency<ENTRIES> {
    /// With this distance.
    #[must_use]
    pub const fn new(near: u16) -> Self {
        let (counts, kernels) = ([0; ENTRIES], [0; ENTRIES]);
        Self { near, counts, kernels, candidates: [(0, 0); CANDIDATES] }
    }

    /// Counts a kernel without an entry; its place among the candidates.
    fn count(&mut self, kernel: u64) -> usize {
        let known = |(seen, count): &(u64, u64)| *count > 0 && *seen == kernel;
        let at = self.candidates.iter().position(known).unwrap_or_else(|| {
            // The lowest count; an unused place has none.
            (0..CANDIDATES).min_by_key(|&at| self.candidates[at].1).unwrap_or(0)
        });
        let (name, count) = &mut self.candidates[at];
        *name = kernel;
        *count += 1;
        at
    }
}

impl<const BYTES: usize, const ENTRIES: usize> Keep<BYTES> for Frequency<ENTRIES> {
    #[inline]
    fn way(&mut self, ask: &Ask<'_, BYTES>) -> Way {
        if ask.is_near(self.near) {
            return Way::Condense;
        }
        let kernel = ask.launch.get(ask.format, ask.format.kernel());
        if let Some(ref_num) = ask.vacant {
            if let Some(name) = self.kernels.get_mut(usize::from(ref_num)) {
                *name = kernel;
            }
            return Way::Store(ref_num);
        }
        let at = self.count(kernel);
        let entries = usize::from(ask.format.entries()).min(ENTRIES);
        let least = (0..entries).min_by_key(|&entry| self.counts[entry]);
        match least {
            Some(entry) if self.candidates[at].1 > self.counts[entry] => {
                // They change places; `used` counts this launch.
                let count = self.candidates[at].1 - 1;
                self.candidates[at] = (self.kernels[entry], self.counts[entry]);
                (self.counts[entry], self.kernels[entry]) = (count, kernel);
                Way::Store(entry as u16)
            }
            _ => ask.without_entry(),
        }
    }

    #[inline]
    fn used(&mut self, _: &Ask<'_, BYTES>, ref_num: u16) {
        if let Some(count) = self.counts.get_mut(usize::from(ref_num)) {
            *count += 1;
        }
    }
}

/// The rules by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Rule {
    /// [`First`].
    First,
    /// [`MostRecent`].
    MostRecent,
    /// [`Frequency`].
    #[default]
    Frequency,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::First, Self::MostRecent, Self::Frequency];

    /// The kebab-case name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::MostRecent => "most-recent",
            Self::Frequency => "frequency",
        }
    }

    /// The rule at work.
    #[must_use]
    pub const fn keeper<const ENTRIES: usize>(self, near: u16) -> Keeper<ENTRIES> {
        match self {
            Self::First => Keeper::First(First { near }),
            Self::MostRecent => Keeper::MostRecent(MostRecent::new(near)),
            Self::Frequency => Keeper::Frequency(Frequency::new(near)),
        }
    }
}

/// A rule chosen at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "a rule lives as long as its encoder")]
pub enum Keeper<const ENTRIES: usize> {
    /// [`First`].
    First(First),
    /// [`MostRecent`].
    MostRecent(MostRecent<ENTRIES>),
    /// [`Frequency`].
    Frequency(Frequency<ENTRIES>),
}

impl<const BYTES: usize, const ENTRIES: usize> Keep<BYTES> for Keeper<ENTRIES> {
    #[inline]
    fn way(&mut self, ask: &Ask<'_, BYTES>) -> Way {
        match self {
            Self::First(rule) => rule.way(ask),
            Self::MostRecent(rule) => rule.way(ask),
            Self::Frequency(rule) => rule.way(ask),
        }
    }

    #[inline]
    fn used(&mut self, ask: &Ask<'_, BYTES>, ref_num: u16) {
        match self {
            Self::First(_) => {}
            Self::MostRecent(rule) => rule.used(ask, ref_num),
            Self::Frequency(rule) => rule.used(ask, ref_num),
        }
    }
}

/// Ways decided beforehand, such as those of [`optimal`](crate::optimal).
#[derive(Clone, Copy, Debug)]
pub struct Scripted<'w> {
    ways: &'w [Way],
}

impl<'w> Scripted<'w> {
    /// One way for each launch; launches behind the last one are ordinary.
    #[must_use]
    pub const fn new(ways: &'w [Way]) -> Self {
        Self { ways }
    }
}

impl<const BYTES: usize> Keep<BYTES> for Scripted<'_> {
    fn way(&mut self, _: &Ask<'_, BYTES>) -> Way {
        let Some((way, rest)) = self.ways.split_first() else { return Way::Ordinary };
        self.ways = rest;
        *way
    }
}
