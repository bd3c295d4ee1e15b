//! Launch path: which packets do launches become, and what does that cost?
//!
//! A launch says which kernel it is, its grid, and whether a copy stands before it, as far as its source
//! knows (`raddle_policy::KernelCall`). Addresses of kernels, arguments and signals are in no profile:
//! those in the packets made here only tell one from another. Arguments lie where those of their kernel
//! always lie, or elsewhere for every launch, as the configuration says; bounds, and no records.

use alloc::collections::BTreeMap;

use raddle_policy::{KernelCall, Launch, LaunchPath, Submission, Ticks};

use crate::encoder::{Encoder, PacketTally};
use crate::error::PacketError;
use crate::launch::LaunchImage;
use crate::layout::{AqlConfig, AqlFormat};
use crate::packet_types::{AQL_BYTES, AQL_ENTRIES, AqlPacket, HALF_WORDS};
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
    /// C, for each cleanup: the time from the end of a launch until its end is known.
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
/// packet of that one while there is room, and costs only what a kernel of it costs. A copy or a fill
/// between two launches of a stream ends the packet of the first. A launch of which nobody knows which
/// kernel it is has an ordinary packet.
///
/// The last launch of a packet has a cleanup, which is paid once. That it is the last one is known
/// where the packet is full by it. Where another packet ends it, that one waits for the cleanup
/// instead. So no launch is told the cleanup of the last packet of a stream, nor of one that ends
/// because another stream uses the table: [`finish`](Self::finish) says those.
#[derive(Clone, Debug)]
pub struct CondensedPath {
    config: CondensedConfig,
    format: AqlFormat,
    tables: BTreeMap<(u32, u32), TableState>,
    launches: u64,
    /// Packets whose cleanup no launch was told of.
    untold: u64,
}

/// Addresses that are in no profile: what stands in their highest byte.
const OBJECTS: u64 = 1 << 56;
const ARGUMENTS: u64 = 2 << 56;
const SIGNALS: u64 = 3 << 56;

impl CondensedPath {
    /// A path of this configuration.
    ///
    /// # Errors
    /// [`PacketError::Setting`] when `entries` is not 1 to 8, `ahead` not 1 to 31.
    pub fn new(config: CondensedConfig) -> Result<Self, PacketError> {
        let options = AqlConfig { entries: config.entries.clamp(1, 8), ..AqlConfig::default() };
        Self::in_format(config, AqlFormat::new(&options)?)
    }

    /// The same in packets of another layout, which has the number of entries.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn in_format(config: CondensedConfig, format: AqlFormat) -> Result<Self, PacketError> {
        let limits = [
            ("entries", config.entries, AQL_ENTRIES as u16),
            ("ahead", config.ahead.into(), HALF_WORDS as u16),
        ];
        for (key, found, most) in limits {
            if found == 0 || found > most {
                return Err(PacketError::Setting { key, found, most });
            }
        }
        Ok(Self { config, format, tables: BTreeMap::new(), launches: 0, untold: 0 })
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

    /// The next launch as a packet has it.
    #[must_use]
    pub fn image(&self, launch: &Launch) -> LaunchImage {
        let KernelCall { kernel, grid, threads, lds_bytes, .. } = launch.call;
        let kernel = u64::from(launch.process.0) << 40 | u64::from(kernel) << 8;
        let number = self.launches << 6;
        let fields = KernelDispatch {
            // It waits for what came before; whether caches are written back is in no profile.
            synch_scopes: 1,
            setup: match (grid.y > 1, grid.z > 1) {
                (_, true) => 3,
                (true, false) => 2,
                (false, false) => 1,
            },
            // The work-items of a workgroup are taken to lie along x.
            workgroup_size_x: u16::try_from(threads).unwrap_or(u16::MAX),
            workgroup_size_y: 1,
            workgroup_size_z: 1,
            grid_size_x: grid.x.saturating_mul(threads),
            grid_size_y: grid.y,
            grid_size_z: grid.z,
            private_segment_size: 0,
            group_segment_size: lds_bytes,
            kernel_object: OBJECTS | kernel,
            kernarg_address: match self.config.arguments {
                KernelArguments::New => ARGUMENTS | number,
                KernelArguments::Fixed => ARGUMENTS | kernel,
            },
            completion_signal: if self.config.signals { SIGNALS | number } else { 0 },
        };
        // Every value is as wide as its field.
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

    /// Takes a launch, and says what it costs; `send` gets each packet that is complete by it.
    pub fn take(&mut self, launch: &Launch, send: &mut impl FnMut(&AqlPacket)) -> Submission {
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
        if state.queue != queue {
            self.untold += u64::from(core::mem::take(&mut state.owes_cleanup));
        }
        if state.open >= ahead || state.queue != queue || launch.call.behind_copy {
            state.queue = queue;
            state.encoder.flush(send);
            state.open = 0;
        }
        let before = state.encoder.tally();
        if launch.call.is_unknown() {
            state.encoder.ordinary(&image, send);
        } else {
            state.encoder.launch(&image, send);
        }
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

    /// Sends what is open, table by table; the time of all cleanups that no launch was told of.
    pub fn finish(&mut self, send: &mut impl FnMut(&AqlPacket)) -> Ticks {
        for state in self.tables.values_mut() {
            state.encoder.flush(send);
            state.open = 0;
            self.untold += u64::from(core::mem::take(&mut state.owes_cleanup));
        }
        Ticks(core::mem::take(&mut self.untold).saturating_mul(self.config.cleanup_ns))
    }
}

impl LaunchPath for CondensedPath {
    fn submit(&mut self, launch: &Launch) -> Submission {
        self.take(launch, &mut |_| {})
    }

    fn overlaps(&self) -> bool {
        self.config.overlap
    }
}
