//! Launch path: which packets do launches become, and what does that cost?
//!
//! A launch states its kernel, its grid, and whether a copy stands before it, as far as its profile
//! knows (`raddle_policy::KernelCall`). Profiles have no addresses of kernels, arguments and
//! signals: those in the packets made here only tell one object from another. By the configuration,
//! arguments lie at one address for all launches of a kernel, or at a new one for every launch; the
//! truth lies between these two assumptions.

use alloc::collections::BTreeMap;

use raddle_policy::{KernelCall, Launch, LaunchPath, Submission, Ticks};

use crate::encoder::{Encoder, PacketTally};
use crate::error::PacketError;
use crate::error::Reason;
use crate::launch::LaunchImage;
use crate::layout::{AqlConfig, AqlFormat};
use crate::overhead::Overhead;
use crate::packet_types::{AQL_BYTES, AQL_ENTRIES, AqlPacket, HALF_WORDS};
use crate::replacement::{AnyReplacement, NEAR, Replacement};
use crate::repr::KernelDispatch;
use crate::table::TableScope;

/// Assumption about the memory address of a launch's arguments, which profiles do not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum KernelArguments {
    /// Every launch has its arguments at a new address.
    #[default]
    New,
    /// All launches of a kernel have their arguments at one address.
    Fixed,
}

/// Settings of the launch path [`CondensedPath`]: the costs of launching, and the rules by which
/// packets are filled. Times are in nanoseconds, 0 by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct CondensedConfig {
    /// Time in which the host writes one packet, in nanoseconds.
    pub(crate) enqueue_ns: u64,
    /// Time in which the device reads one packet, in nanoseconds.
    pub(crate) processing_ns: u64,
    /// Time in which the device decodes one kernel of a condensed packet, in nanoseconds.
    pub(crate) decode_ns: u64,
    /// Time in which one kernel is passed to the compute units, in nanoseconds.
    pub(crate) schedule_ns: u64,
    /// Time of one cleanup (work between the end of a launch and the report of its end), in
    /// nanoseconds.
    pub(crate) cleanup_ns: u64,
    pub(crate) keep: Replacement,
    /// Largest difference between a launch and a stored launch of the same kernel up to which the
    /// launch counts as near, and is then not stored itself. The unit is half-words (16 bits) of a
    /// packet, the header of the difference included.
    pub(crate) near: u16,
    /// Number of launches that the agent's table can store, 1 to 8.
    pub(crate) entries: u16,
    pub(crate) scope: TableScope,
    pub(crate) arguments: KernelArguments,
    /// True if every launch has a completion signal, and so a cleanup of its own (work between its
    /// end and the report of its end).
    pub(crate) signals: bool,
    /// Most launches that one packet may have, 1 to 31. It stands for the number of launches that a
    /// host has issued ahead when it sends a packet.
    pub(crate) ahead: u8,
    /// True if a kernel is launched while the one before it runs. It can then start as soon as it
    /// is launched itself; a recipe needs the setting `window` for this. If false, launches that
    /// are submitted together start when all of them are launched.
    pub(crate) overlap: bool,
}

impl CondensedConfig {
    /// Returns which queues share one table of stored launches: one queue, the queues of a process,
    /// or all of an agent.
    #[must_use]
    pub const fn scope(&self) -> TableScope {
        self.scope
    }

    /// Returns these settings with the costs of launching, in nanoseconds.
    #[must_use]
    pub const fn with_costs_ns(self, costs: Overhead) -> Self {
        let Overhead { enqueue, processing, decode, schedule, cleanup } = costs;
        Self {
            enqueue_ns: enqueue,
            processing_ns: processing,
            decode_ns: decode,
            schedule_ns: schedule,
            cleanup_ns: cleanup,
            ..self
        }
    }

    /// Returns these settings with the policy that decides which launches are stored in the agent's
    /// table.
    #[must_use]
    pub const fn with_keep(self, keep: Replacement) -> Self {
        Self { keep, ..self }
    }

    /// Returns these settings with the largest difference up to which a launch is near to a stored
    /// launch of the same kernel, and is then not stored itself. The unit is half-words (16 bits)
    /// of a packet; the header of the difference is included.
    #[must_use]
    pub const fn with_near(self, near: u16) -> Self {
        Self { near, ..self }
    }

    /// Returns these settings with the number of launches that the agent's table can store, 1 to 8.
    #[must_use]
    pub const fn with_entries(self, entries: u16) -> Self {
        Self { entries, ..self }
    }

    /// Returns these settings with the choice of the queues that share one table of stored
    /// launches.
    #[must_use]
    pub const fn with_scope(self, scope: TableScope) -> Self {
        Self { scope, ..self }
    }

    /// Returns these settings with an assumption about the address of a launch's arguments.
    #[must_use]
    pub const fn with_arguments(self, arguments: KernelArguments) -> Self {
        Self { arguments, ..self }
    }

    /// Returns these settings with the choice whether every launch has a completion signal, and so
    /// a cleanup of its own (work between its end and the report of its end).
    #[must_use]
    pub const fn with_signals(self, signals: bool) -> Self {
        Self { signals, ..self }
    }

    /// Returns these settings with the most launches that one packet may have, 1 to 31.
    #[must_use]
    pub const fn with_ahead(self, ahead: u8) -> Self {
        Self { ahead, ..self }
    }

    /// Returns these settings with the choice whether a kernel is launched while the one before it
    /// runs, and can start as soon as it is launched itself.
    #[must_use]
    pub const fn with_overlap(self, overlap: bool) -> Self {
        Self { overlap, ..self }
    }
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
    /// Returns the fewest half-words (16 bits) that a kernel takes in a packet: one for its header,
    /// and four for the address of its arguments if every launch has new ones.
    const fn least_room(&self) -> u16 {
        match self.arguments {
            KernelArguments::New => 5,
            KernelArguments::Fixed => 1,
        }
    }
}

/// State of one table of stored launches: its encoder, which makes the packets, and the packet that
/// is being filled.
#[derive(Clone, Debug)]
struct TableState {
    encoder: Encoder<AnyReplacement>,
    /// Number of kernels in the condensed packet that is being filled; 0 where none is.
    open: u8,
    /// True if the cleanup of the latest launch was not counted yet. It is counted later, if that
    /// launch turns out to be the last one of its packet.
    owes_cleanup: bool,
    /// Queue of the packet that is being filled, as (process, stream). Queues may share a table,
    /// but a packet belongs to one queue, and only one packet is filled at a time.
    queue: (u16, u32),
}

/// Launch path that puts launches into condensed packets. A launch joins the packet of an earlier
/// launch of its stream while there is room, and then costs less than a launch with a packet of its
/// own. A copy or a fill between two launches of a stream ends the packet of the first. A launch of
/// an unknown kernel has an ordinary packet.
///
/// The last launch of a packet has a cleanup: work between its end and the report of its end. The
/// time of the cleanup belongs to one submission: that of the last launch, if it fills the packet,
/// else that of the next launch in the queue. Where there is no next launch, or another stream uses
/// the table first, [`finish`](Self::finish) returns the time of the cleanup.
#[derive(Clone, Debug)]
pub struct CondensedPath {
    config: CondensedConfig,
    format: AqlFormat,
    tables: BTreeMap<(u32, u32), TableState>,
    launches: u64,
    /// Number of packets whose cleanup (work after the last launch) is in no submission's cost yet.
    untold: u64,
}

/// Highest byte of made-up addresses of kernel code (kernel objects). The next two constants are
/// for the addresses of arguments and signals.
const OBJECTS: u64 = 1 << 56;
const ARGUMENTS: u64 = 2 << 56;
const SIGNALS: u64 = 3 << 56;

impl CondensedPath {
    /// Returns a launch path with these settings and the default layout of packets, before its
    /// first launch.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) when `entries` is not 1 to 8, `ahead` not 1 to 31.
    pub fn new(config: CondensedConfig) -> Result<Self, PacketError> {
        let options = AqlConfig { entries: config.entries.clamp(1, 8), ..AqlConfig::default() };
        Self::in_format(config, AqlFormat::new(&options)?)
    }

    /// Returns a launch path with these settings and packets of the layout `format`, which sets the
    /// number of table entries.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) when `entries` of the configuration is not 1 to 8, or `ahead` not 1
    /// to 31.
    #[doc(hidden)]
    pub fn in_format(config: CondensedConfig, format: AqlFormat) -> Result<Self, PacketError> {
        let limits = [
            ("entries", config.entries, AQL_ENTRIES as u16),
            ("ahead", config.ahead.into(), HALF_WORDS as u16),
        ];
        for (key, found, most) in limits {
            if found == 0 || found > most {
                return Err(PacketError(Reason::Setting { key, found, most }));
            }
        }
        Ok(Self { config, format, tables: BTreeMap::new(), launches: 0, untold: 0 })
    }

    /// Returns the counts of launches and packets, summed over all tables of stored launches;
    /// barriers are not counted.
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

    /// Returns the fields of the dispatch packet for `launch`, as the next launch of this path. The
    /// addresses in it are made up.
    #[must_use]
    #[doc(hidden)]
    pub fn image(&self, launch: &Launch) -> LaunchImage {
        let KernelCall { kernel, grid, threads, lds_bytes, .. } = launch.call;
        let kernel = u64::from(launch.process.0) << 40 | u64::from(kernel) << 8;
        let number = self.launches << 6;
        let fields = KernelDispatch {
            // The barrier bit is set, so the launch waits for earlier ones; no profile states
            // whether caches are written back.
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

    /// Accepts a launch and returns the cost of its submission. Each packet that is complete now is
    /// passed to `send`.
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
        // A packet is full where even the least kernel has no room. The room is also 0 where no
        // packet is open, behind a launch with a packet of its own.
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

    /// Passes all packets that are being filled to `send`, table by table. Returns the time of the
    /// cleanups (work after the last launch of a packet) that is in no submission's cost.
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

    fn minds_refills(&self) -> bool {
        false
    }
}
