//! Which launches are stored in an entry of the agent's reference table, and which entry do they
//! replace?
//!
//! The encoder asks a policy for every launch how it is sent. A launch that differs little from a
//! stored one is condensed; the policies differ in what they do with all other launches.

use crate::launch::LaunchImage;
use crate::layout::{AqlFormat, KERNEL_OBJECT};
use crate::packet_types::{AQL_ENTRIES, HALF_WORDS};

/// Kind of packet by which one launch is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PacketChoice {
    /// A condensed packet, which gives the launch as its difference from the most similar launch
    /// that the agent has stored. If the agent's reference table is empty, an ordinary packet is
    /// sent instead.
    Condense,
    /// An ordinary dispatch packet, which has all fields of the launch.
    Ordinary,
    /// A reference packet, which also stores the launch in this entry of the agent's reference
    /// table. If there is no such entry, an ordinary packet is sent instead.
    Store(u16),
}

/// Entry of the agent's reference table (stored launch) from which a launch differs in the fewest
/// half-words (16 bits). Among equals an entry of the same kernel is preferred, then the lowest
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearestEntry {
    /// Number of the entry of the agent's reference table from which the launch differs least.
    pub ref_num: u16,
    /// Fields that differ, as bits: bit `i` is field `i`.
    pub vector: u16,
    /// Number of half-words (16 bits) that the launch takes in a condensed packet as a difference
    /// from the entry, the header included.
    pub cost: u16,
}

/// Launch to be sent, and the state of the encoder that sends it.
#[derive(Clone, Copy, Debug)]
pub struct LaunchRequest<'a> {
    /// Packet format of the encoder.
    pub format: &'a AqlFormat,
    /// Launch to be sent.
    pub launch: &'a LaunchImage,
    /// Entry (stored launch) from which the launch differs least; `None` where the agent's
    /// reference table is empty.
    pub nearest: Option<NearestEntry>,
    /// Number of the lowest empty entry of the agent's reference table; `None` where the table is
    /// full.
    pub vacant: Option<u16>,
    /// Number of half-words (16 bits) that are free in the condensed packet that is being filled; 0
    /// if no packet is being filled.
    pub room: u16,
}

impl LaunchRequest<'_> {
    /// Returns whether the nearest entry of the agent's reference table is of the same kernel, and
    /// the launch differs from it by at most `near` half-words (16 bits). If an entry of another
    /// kernel is the nearest, the answer is false.
    #[must_use]
    #[inline]
    pub(crate) fn is_near(&self, near: u16) -> bool {
        self.nearest
            .is_some_and(|nearest| nearest.cost <= near && nearest.vector >> KERNEL_OBJECT & 1 == 0)
    }

    /// Returns the kind of packet for a launch that is not stored in the agent's reference table.
    /// It is a condensed packet if the one that is being filled has room for the launch, or if an
    /// empty packet has room for two launches of that size; otherwise an ordinary packet.
    #[must_use]
    pub fn without_entry(&self) -> PacketChoice {
        let most = (HALF_WORDS as u16 / 2).max(self.room);
        match self.nearest {
            Some(nearest) if nearest.cost <= most => PacketChoice::Condense,
            _ => PacketChoice::Ordinary,
        }
    }
}

/// Policy that decides which launches are stored in the agent's table, and in which entry. Other
/// crates take one by [`Replacement`], or [`FirstPolicy`].
pub trait ReplacementPolicy {
    /// Returns the kind of packet by which the launch in `request` is sent.
    fn choose(&mut self, request: &LaunchRequest<'_>) -> PacketChoice;

    /// Records that a launch was encoded as its difference from the entry `ref_num`, or stored in
    /// that entry.
    fn used(&mut self, request: &LaunchRequest<'_>, ref_num: u16) {
        let _ = (request, ref_num);
    }
}

/// Largest difference, by default, at which a launch counts as near to a stored launch and is not
/// stored itself, in half-words (16 bits) of a packet with the header. It leaves room for a new
/// argument address and a new signal.
pub const NEAR: u16 = 9;

/// Policy that stores a launch only while the agent's reference table has an empty entry, and only
/// where no entry is near the launch (differs from it little). It never replaces an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstPolicy {
    /// Largest difference, in half-words (16 bits) of a packet, at which a launch counts as near to
    /// an entry of the agent's reference table, so that it is not stored itself.
    pub near: u16,
}

impl ReplacementPolicy for FirstPolicy {
    #[inline]
    fn choose(&mut self, request: &LaunchRequest<'_>) -> PacketChoice {
        match request.vacant {
            _ if request.is_near(self.near) => PacketChoice::Condense,
            Some(ref_num) => PacketChoice::Store(ref_num),
            None => request.without_entry(),
        }
    }
}

/// Policy that stores every launch to which no entry of the agent's reference table is near
/// (differs from it little), in place of the least recently used entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MostRecentPolicy {
    near: u16,
    uses: u64,
    /// Time of the last use of each entry of the agent's reference table, counted in uses of
    /// entries from 1 on.
    last: [u64; AQL_ENTRIES],
}

impl MostRecentPolicy {
    /// Returns a policy with the limit `near`: a launch is near to an entry of the agent's
    /// reference table of the same kernel if it differs from it by at most `near` half-words (16
    /// bits).
    #[must_use]
    pub(crate) const fn new(near: u16) -> Self {
        Self { near, uses: 0, last: [0; AQL_ENTRIES] }
    }
}

impl ReplacementPolicy for MostRecentPolicy {
    #[inline]
    fn choose(&mut self, request: &LaunchRequest<'_>) -> PacketChoice {
        if request.is_near(self.near) {
            return PacketChoice::Condense;
        }
        let oldest = (0..request.format.entries()).zip(&self.last).min_by_key(|(_, last)| **last);
        let ref_num = request.vacant.or(oldest.map(|(ref_num, _)| ref_num));
        ref_num.map_or(PacketChoice::Ordinary, PacketChoice::Store)
    }

    #[inline]
    fn used(&mut self, _: &LaunchRequest<'_>, ref_num: u16) {
        self.uses += 1;
        if let Some(last) = self.last.get_mut(usize::from(ref_num)) {
            *last = self.uses;
        }
    }
}

/// Number of kernels without an entry in the agent's reference table whose launches are counted, to
/// find frequent kernels.
const CANDIDATES: usize = 32;

/// Policy that stores the kernels that are launched most often. A kernel without an entry in the
/// agent's reference table replaces the least used entry once it was launched more often than that
/// entry was used.
///
/// Launches are counted for 32 kernels without an entry. A further kernel takes the place of the
/// one with the lowest count and continues its count, so every frequent kernel is found in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrequencyPolicy {
    near: u16,
    /// Number of uses of each entry of the agent's reference table. `kernels` has the kernel of
    /// each entry, in the same order.
    counts: [u64; AQL_ENTRIES],
    kernels: [u64; AQL_ENTRIES],
    /// Kernels without an entry in the agent's reference table whose launches are counted, each as
    /// (address of the kernel, number of its launches).
    candidates: [(u64, u64); CANDIDATES],
}

impl FrequencyPolicy {
    /// Returns a policy with the limit `near`: a launch is near to an entry of the agent's
    /// reference table of the same kernel if it differs from it by at most `near` half-words (16
    /// bits).
    #[must_use]
    pub(crate) const fn new(near: u16) -> Self {
        let (counts, kernels) = ([0; AQL_ENTRIES], [0; AQL_ENTRIES]);
        Self { near, counts, kernels, candidates: [(0, 0); CANDIDATES] }
    }

    /// Counts a launch of a kernel without an entry in the agent's reference table. Returns the
    /// kernel's index in `candidates`.
    fn count(&mut self, kernel: u64) -> usize {
        let known = |(seen, count): &(u64, u64)| *count > 0 && *seen == kernel;
        let at = self.candidates.iter().position(known).unwrap_or_else(|| {
            // An unknown kernel takes over the lowest count; an unused place has count 0.
            (0..CANDIDATES).min_by_key(|&at| self.candidates[at].1).unwrap_or(0)
        });
        let (name, count) = &mut self.candidates[at];
        *name = kernel;
        *count += 1;
        at
    }
}

impl ReplacementPolicy for FrequencyPolicy {
    #[inline]
    fn choose(&mut self, request: &LaunchRequest<'_>) -> PacketChoice {
        if request.is_near(self.near) {
            return PacketChoice::Condense;
        }
        let kernel = request.launch.get(KERNEL_OBJECT);
        if let Some(ref_num) = request.vacant {
            if let Some(name) = self.kernels.get_mut(usize::from(ref_num)) {
                *name = kernel;
            }
            return PacketChoice::Store(ref_num);
        }
        let at = self.count(kernel);
        let entries = usize::from(request.format.entries());
        let least = (0..entries).min_by_key(|&entry| self.counts[entry]);
        match least {
            Some(entry) if self.candidates[at].1 > self.counts[entry] => {
                // The candidate and the kernel of the entry change places. One launch is taken off,
                // because `used` counts it.
                let count = self.candidates[at].1 - 1;
                self.candidates[at] = (self.kernels[entry], self.counts[entry]);
                (self.counts[entry], self.kernels[entry]) = (count, kernel);
                PacketChoice::Store(entry as u16)
            }
            _ => request.without_entry(),
        }
    }

    #[inline]
    fn used(&mut self, _: &LaunchRequest<'_>, ref_num: u16) {
        if let Some(count) = self.counts.get_mut(usize::from(ref_num)) {
            *count += 1;
        }
    }
}

/// Choice of the replacement policy, as a configuration names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Replacement {
    /// Policy [`FirstPolicy`]: the first launches keep their entries of the agent's reference
    /// table for ever.
    First,
    /// Every launch to which no entry of the agent's reference table is near (differs from it
    /// little) is stored, in place of the least recently used entry.
    MostRecent,
    /// The kernels launched most often have the entries of the agent's reference table: a kernel
    /// without an entry replaces the least used entry once it was launched more often than that
    /// entry was used.
    #[default]
    Frequency,
}

impl Replacement {
    /// All replacement policies, in the order of the enum.
    pub const ALL: [Self; 3] = [Self::First, Self::MostRecent, Self::Frequency];

    /// Returns the name of the replacement policy in kebab-case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::MostRecent => "most-recent",
            Self::Frequency => "frequency",
        }
    }

    /// Returns the policy for which this value stands, with the limit `near`: a launch is near to
    /// an entry of the agent's reference table of the same kernel if it differs from it by at most
    /// `near` half-words (16 bits).
    #[must_use]
    pub const fn policy(self, near: u16) -> AnyReplacement {
        AnyReplacement(match self {
            Self::First => Chosen::First(FirstPolicy { near }),
            Self::MostRecent => Chosen::MostRecent(MostRecentPolicy::new(near)),
            Self::Frequency => Chosen::Frequency(FrequencyPolicy::new(near)),
        })
    }
}

/// Replacement policy that is chosen at run time by [`Replacement::policy`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnyReplacement(Chosen);

#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "a policy lives as long as its encoder")]
enum Chosen {
    First(FirstPolicy),
    MostRecent(MostRecentPolicy),
    Frequency(FrequencyPolicy),
}

impl ReplacementPolicy for AnyReplacement {
    #[inline]
    fn choose(&mut self, request: &LaunchRequest<'_>) -> PacketChoice {
        match &mut self.0 {
            Chosen::First(policy) => policy.choose(request),
            Chosen::MostRecent(policy) => policy.choose(request),
            Chosen::Frequency(policy) => policy.choose(request),
        }
    }

    #[inline]
    fn used(&mut self, request: &LaunchRequest<'_>, ref_num: u16) {
        match &mut self.0 {
            Chosen::First(_) => {}
            Chosen::MostRecent(policy) => policy.used(request, ref_num),
            Chosen::Frequency(policy) => policy.used(request, ref_num),
        }
    }
}

#[cfg(test)]
mod loops;
