//! Launch path: what does it cost to launch by condensed packets?
//!
//! A launch as a dispatcher knows it has no kernel object, arguments or signals. Its kernel is told
//! by what a workgroup of it asks for; its arguments lie where those of its kernel always lie, or
//! elsewhere for every launch, as the configuration says.

use alloc::collections::BTreeMap;

use raddle_policy::{Launch, LaunchPath, Submission, Ticks};

use crate::encoder::{Encoder, PacketTally};
use crate::error::PacketError;
use crate::launch::LaunchImage;
use crate::layout::{AqlFormat, AqlOptions};
use crate::packet_types::{AQL_BYTES, AQL_ENTRIES, HALF_WORDS};
use crate::replacement::{AnyReplacement, NEAR, Replacement};
use crate::repr::KernelDispatch;
use crate::table::TableScope;

/// Where the arguments of a launch lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum KernelArguments {
    /// Elsewhere for every launch.
    #[default]
    New,
    /// Where those of its kernel always lie.
    Fixed,
}

/// What a condensed launch costs, and how packets are filled. Times are nanoseconds; without any
/// set, nothing costs anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct CondensedConfig {
    /// E, for each packet: the host writes it.
    pub enqueue_ns: u64,
    /// P, for each packet: the device reads it.
    pub processing_ns: u64,
    /// For each kernel of a condensed packet: it is taken apart.
    pub decode_ns: u64,
    /// S, for each kernel: it is handed to the compute units.
    pub schedule_ns: u64,
    /// C, for each cleanup: from the end of a launch until anybody knows of it.
    pub cleanup_ns: u64,
    /// What is worth an entry.
    pub keep: Replacement,
    /// Half-words up to which an entry of the same kernel is near enough.
    pub near: u16,
    /// Entries of the table, 1 to 8.
    pub entries: u16,
    /// Which streams share a table.
    pub scope: TableScope,
    /// Where the arguments of a launch lie.
    pub arguments: KernelArguments,
    /// Whether every launch has a signal of its own, and so a cleanup (B13).
    pub signals: bool,
    /// How many launches a packet holds at most: as many as the host has issued ahead when it sends
    /// one; 1 to 31. However long ago the first of them was: a launch path does not see when a host
    /// issued what.
    pub ahead: u8,
    /// Whether a kernel is launched while the one before it runs, and starts as soon as it is
    /// launched itself (B14); in a recipe it needs a window. Else those submitted together start when
    /// all of them are launched.
    pub overlap: bool,
}

impl Default for CondensedConfig {
    fn default() -> Self {
        Self {
            enqueue_ns: 0,
            processing_ns: 0,
            decode_ns: 0,
            schedule_ns: 0,
            cleanup_ns: 0,
            keep: Replacement::Frequency,
            near: NEAR,
            entries: 8,
            scope: TableScope::Queue,
            arguments: KernelArguments::New,
            signals: false,
            ahead: 31,
            overlap: false,
        }
    }
}

impl CondensedConfig {
    /// Half-words that the least kernel takes in a packet: one that names its entry, and where
    /// arguments are new, the four of their address.
    const fn least_room(&self) -> u16 {
        match self.arguments {
            KernelArguments::New => 5,
            KernelArguments::Fixed => 1,
        }
    }
}

/// One table and the packets that refer to it.
#[derive(Clone, Debug)]
struct TableState {
    encoder: Encoder<AnyReplacement>,
    /// Kernels of the open packet.
    open: u8,
    /// Whether the last launch sent is to be cleaned up, if it turns out to be the last of its packet.
    owes_cleanup: bool,
    /// Queue of the open packet: a process and a stream. A packet lies in one queue, whoever shares
    /// the table; and one is open at a time, as what the table holds depends on the order of all
    /// packets that refer to it.
    queue: (u16, u32),
}

/// Launches in condensed packets: what comes behind an earlier launch of its stream goes into the
/// packet of that one while there is room, and costs only what a kernel of it costs.
///
/// The last launch of a packet has a cleanup, which is paid once. That it is the last one is known
/// where the packet is full by it. Where another packet ends it, that one waits for the cleanup
/// instead. So the last packet of a stream is taken to have none, and so is one that ends because
/// another stream uses the table.
#[derive(Clone, Debug)]
pub struct CondensedPath {
    config: CondensedConfig,
    format: AqlFormat,
    tables: BTreeMap<(u32, u32), TableState>,
    launches: u64,
}

impl CondensedPath {
    /// A path of this configuration.
    ///
    /// # Errors
    /// [`PacketError::Setting`] when `entries` is not 1 to 8, `ahead` not 1 to 31.
    pub fn new(config: CondensedConfig) -> Result<Self, PacketError> {
        let limits = [
            ("entries", config.entries, AQL_ENTRIES as u16),
            ("ahead", config.ahead.into(), HALF_WORDS as u16),
        ];
        for (key, found, most) in limits {
            if found == 0 || found > most {
                return Err(PacketError::Setting { key, found, most });
            }
        }
        let options = AqlOptions { entries: config.entries, ..AqlOptions::default() };
        let format = AqlFormat::new(&options)?;
        Ok(Self { config, format, tables: BTreeMap::new(), launches: 0 })
    }

    /// What was sent so far, over all tables.
    #[must_use]
    pub fn tally(&self) -> PacketTally {
        let mut sum = PacketTally::default();
        for state in self.tables.values() {
            let one = state.encoder.tally();
            sum.ordinary += one.ordinary;
            sum.reference += one.reference;
            sum.condensed += one.condensed;
            sum.condensed_packets += one.condensed_packets;
            sum.half_words += one.half_words;
        }
        sum
    }

    /// A launch as a packet would have it.
    fn image(&self, launch: &Launch) -> LaunchImage {
        let demand = &launch.demand;
        let parts = [
            u64::from(demand.waves),
            demand.vgpr.into(),
            demand.sgpr.into(),
            demand.lds.into(),
            demand.barriers.into(),
        ];
        // FNV-1a over the words: a kernel is told by what a workgroup asks for.
        let kernel = parts.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, part| {
            (hash ^ part).wrapping_mul(0x100_0000_01b3)
        });
        let fresh = self.launches.wrapping_mul(64);
        let fields = KernelDispatch {
            setup: 1,
            workgroup_size_x: demand.waves,
            grid_size_x: launch.workgroups as u32,
            grid_size_y: (launch.workgroups >> 32) as u32,
            group_segment_size: demand.lds,
            kernel_object: kernel,
            kernarg_address: match self.config.arguments {
                KernelArguments::New => fresh,
                KernelArguments::Fixed => 0,
            },
            completion_signal: if self.config.signals { fresh | 1 } else { 0 },
            ..KernelDispatch::default()
        };
        // Every value is as wide as its field in this format.
        fields.launch(&self.format).unwrap_or_default()
    }

    fn cost(&self, joined: bool, condensed: bool, cleans: bool) -> Submission {
        let config = &self.config;
        let packet = config.enqueue_ns.saturating_add(config.processing_ns);
        let packet = if joined { 0 } else { packet };
        let decode = if condensed { config.decode_ns } else { 0 };
        let cost = packet.saturating_add(decode).saturating_add(config.schedule_ns);
        Submission {
            packets: u32::from(!joined),
            bytes: if joined { 0 } else { AQL_BYTES as u64 },
            cost: Ticks(cost),
            cleanup: Ticks(if cleans { config.cleanup_ns } else { 0 }),
        }
    }
}

impl LaunchPath for CondensedPath {
    fn submit(&mut self, launch: &Launch) -> Submission {
        let image = self.image(launch);
        self.launches = self.launches.wrapping_add(1);
        let CondensedConfig { keep, near, ahead, scope, .. } = self.config;
        let queue = (launch.process.0, launch.stream.0);
        let key = scope.table(queue.0.into(), queue.1);
        let state = self.tables.entry(key).or_insert_with(|| TableState {
            encoder: Encoder::new(self.format, keep.policy(near)),
            open: 0,
            owes_cleanup: false,
            queue,
        });
        if state.open >= ahead || state.queue != queue {
            state.owes_cleanup &= state.queue == queue;
            state.queue = queue;
            state.encoder.flush(&mut |_| {});
            state.open = 0;
        }
        let before = state.encoder.tally();
        state.encoder.launch(&image, &mut |_| {});
        let after = state.encoder.tally();
        let condensed = after.condensed > before.condensed;
        let sent = after.condensed_packets > before.condensed_packets;
        let joined = condensed && !sent && state.open > 0;
        state.open = match (condensed, joined) {
            (true, true) => state.open + 1,
            (true, false) => 1,
            (false, _) => 0,
        };
        // Full where no other kernel has room, however little it differs: also where none is open, behind
        // a launch with a packet of its own.
        let full = state.open >= ahead || state.encoder.room() < self.config.least_room();
        let cleans = self.config.signals || full;
        let late_cleanup = state.owes_cleanup && !joined;
        state.owes_cleanup = !cleans;
        let mut submission = self.cost(joined, condensed, cleans);
        if late_cleanup {
            let cost = submission.cost.0.saturating_add(self.config.cleanup_ns);
            submission.cost = Ticks(cost);
        }
        submission
    }

    fn overlaps(&self) -> bool {
        self.config.overlap
    }
}
