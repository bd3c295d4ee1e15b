//! Launch path: what does it cost to launch by condensed packets?
//!
//! A launch as a dispatcher knows it has no kernel object, arguments or signals. Its kernel is told
//! by what a workgroup of it asks for; its arguments lie where those of its kernel always lie, or
//! elsewhere for every launch, as the configuration says.

use alloc::collections::BTreeMap;

use raddle_policy::{Launch as Task, LaunchPath, Submission, Ticks};

use crate::aql::{AQL_BYTES, AQL_ENTRIES, AqlOptions};
use crate::encoder::{Encoder, Tally};
use crate::error::Error;
use crate::format::Format;
use crate::keep::{Keeper, NEAR, Rule};
use crate::launch::Launch;
use crate::table::Scope;
use crate::value::KernelDispatch;

/// Where the arguments of a launch lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Arguments {
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
    pub keep: Rule,
    /// Half-words up to which an entry of the same kernel is near enough.
    pub near: u16,
    /// Entries of the table, 1 to 8.
    pub entries: u16,
    /// Which streams share a table.
    pub scope: Scope,
    /// Where the arguments of a launch lie.
    pub arguments: Arguments,
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
            keep: Rule::Frequency,
            near: NEAR,
            entries: 8,
            scope: Scope::Queue,
            arguments: Arguments::New,
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
            Arguments::New => 5,
            Arguments::Fixed => 1,
        }
    }
}

/// One table and what goes by it.
#[derive(Clone, Debug)]
struct Shared {
    encoder: Encoder<AQL_BYTES, AQL_ENTRIES, Keeper<AQL_ENTRIES>>,
    /// Kernels of the open packet.
    open: u8,
    /// Whether the last launch sent is to be cleaned up, if it turns out to be the last of its packet.
    owes: bool,
    /// Its queue: a process and a stream. A packet lies in one queue, whoever shares the table; and
    /// one is open at a time, as what the table holds depends on the order of all packets by it.
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
    format: Format<AQL_BYTES>,
    tables: BTreeMap<(u32, u32), Shared>,
    launches: u64,
}

impl CondensedPath {
    /// With this configuration.
    ///
    /// # Errors
    /// [`Error::Setting`] when `entries` is not 1 to 8, `ahead` not 1 to 31.
    pub fn new(config: CondensedConfig) -> Result<Self, Error> {
        let most = AQL_ENTRIES as u16;
        for (key, found, most) in
            [("entries", config.entries, most), ("ahead", config.ahead.into(), 31)]
        {
            if found == 0 || found > most {
                return Err(Error::Setting { key, found, most });
            }
        }
        let options = AqlOptions { entries: config.entries, ..AqlOptions::default() };
        let format = Format::aql(&options)?;
        Ok(Self { config, format, tables: BTreeMap::new(), launches: 0 })
    }

    /// What was sent so far, over all tables.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut sum = Tally::default();
        for shared in self.tables.values() {
            let one = shared.encoder.tally();
            sum.ordinary += one.ordinary;
            sum.reference += one.reference;
            sum.condensed += one.condensed;
            sum.condensed_packets += one.condensed_packets;
            sum.half_words += one.half_words;
        }
        sum
    }

    /// A launch as a packet would have it.
    fn image(&self, task: &Task) -> Launch<AQL_BYTES> {
        let demand = &task.demand;
        let parts = [
            u64::from(demand.waves),
            demand.vgpr.into(),
            demand.sgpr.into(),
            demand.lds.into(),
            demand.barriers.into(),
        ];
        // FNV-1a over the words: a name for what a workgroup asks for.
        let kernel = parts.iter().fold(0xcbf2_9ce4_8422_2325_u64, |name, part| {
            (name ^ part).wrapping_mul(0x100_0000_01b3)
        });
        let fresh = self.launches.wrapping_mul(64);
        let fields = KernelDispatch {
            setup: 1,
            workgroup_size_x: demand.waves,
            grid_size_x: task.workgroups as u32,
            grid_size_y: (task.workgroups >> 32) as u32,
            group_segment_size: demand.lds,
            kernel_object: kernel,
            kernarg_address: match self.config.arguments {
                Arguments::New => fresh,
                Arguments::Fixed => 0,
            },
            completion_signal: if self.config.signals { fresh | 1 } else { 0 },
            ..KernelDispatch::default()
        };
        // Every value is as wide as its field in this format.
        fields.launch(&self.format).unwrap_or_default()
    }

    /// Sends one launch; what it costs. `None` where there is no table to send it by, which the
    /// format of a path that could be made rules out.
    fn send(&mut self, task: &Task) -> Option<Submission> {
        let image = self.image(task);
        self.launches = self.launches.wrapping_add(1);
        let CondensedConfig { keep, near, ahead, scope, .. } = self.config;
        let key = scope.table(task.process.0.into(), task.stream.0);
        let queue = (task.process.0, task.stream.0);
        let shared = match self.tables.entry(key) {
            alloc::collections::btree_map::Entry::Occupied(shared) => shared.into_mut(),
            alloc::collections::btree_map::Entry::Vacant(place) => {
                let encoder = Encoder::new(self.format, keep.keeper(near)).ok()?;
                place.insert(Shared { encoder, open: 0, owes: false, queue })
            }
        };
        if shared.open >= ahead || shared.queue != queue {
            shared.owes &= shared.queue == queue;
            shared.queue = queue;
            shared.encoder.flush(&mut |_| {});
            shared.open = 0;
        }
        let before = shared.encoder.tally();
        shared.encoder.launch(&image, &mut |_| {});
        let after = shared.encoder.tally();
        let condensed = after.condensed > before.condensed;
        let sent = after.condensed_packets > before.condensed_packets;
        let joined = condensed && !sent && shared.open > 0;
        shared.open = match (condensed, joined) {
            (true, true) => shared.open + 1,
            (true, false) => 1,
            (false, _) => 0,
        };
        // Full where no other kernel has room, however little it differs.
        let full = shared.open >= ahead || shared.encoder.room() < self.config.least_room();
        let cleans = !condensed || self.config.signals || full;
        let late = shared.owes && !joined;
        shared.owes = !cleans;
        let mut one = self.cost(joined, condensed, cleans);
        if late {
            one.cost = Ticks(one.cost.0.saturating_add(self.config.cleanup_ns));
        }
        Some(one)
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
    fn submit(&mut self, launch: &Task) -> Submission {
        self.send(launch).unwrap_or_default()
    }

    fn overlaps(&self) -> bool {
        self.config.overlap
    }
}
