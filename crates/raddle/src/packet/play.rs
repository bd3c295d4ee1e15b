//! How many packets do the launches of a profile become if a rule says which launches are stored,
//! and what time do the packets cost?

use std::collections::BTreeMap;

use raddle_packet::{
    AqlFormat, AqlPacket, Condensed, CondensedConfig, CondensedPath, KernelArguments, PacketError,
    Replacement,
};
use raddle_policy::Submission;
use serde::Serialize;

use super::recorded::RecordedLaunch;

/// Numbers of packets, and the time that launching by them costs, for one combination of two
/// settings: which launches are stored in the table, and whether the addresses of arguments change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct PacketCounts {
    /// Assumption about the addresses of launch arguments: `fixed`, one address for each kernel, or
    /// `new`, a new address for each launch.
    pub(super) arguments: &'static str,
    pub(super) keep: &'static str,
    pub(super) packets: u64,
    pub(super) bytes: u64,
    /// Number of launches that went into condensed packets.
    pub(super) condensed: u64,
    /// Number of launches in condensed packets that are encoded as differences from a stored launch
    /// of their own kernel.
    pub(super) own_kernel: u64,
    /// Number of launches in condensed packets that are encoded as differences from a stored launch
    /// of another kernel. The address of the kernel's code (kernel object) is then one of the
    /// fields that differ.
    pub(super) other_kernel: u64,
    pub(super) reference: u64,
    pub(super) ordinary: u64,
    pub(super) condensed_packets: u64,
    /// Time that launching by all these packets costs, in nanoseconds.
    pub(super) overhead_ns: u64,
}

/// Settings by which `packet stats` makes packets, without the rule that says which launches are
/// stored in the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Making<'l> {
    pub(super) layout: &'l AqlFormat,
    /// Settings of the encoder of condensed packets (the launch path), as a dispatcher would get
    /// them.
    pub(super) config: CondensedConfig,
    /// Longest time, in nanoseconds, for which the first launch of a condensed packet waits for
    /// others to join it; `None` for no limit.
    pub(super) hold_ns: Option<u64>,
}

/// Returns the word for an assumption about the addresses of launch arguments: `fixed`, one address
/// for each kernel, or `new`, a new address for each launch.
pub(super) const fn name(arguments: KernelArguments) -> &'static str {
    match arguments {
        KernelArguments::Fixed => "fixed",
        KernelArguments::New => "new",
    }
}

impl Making<'_> {
    /// Encodes all launches as a dispatcher would, and counts the packets. The rule `keep` says
    /// which launches are stored in the table.
    pub(super) fn row(
        &self,
        arguments: KernelArguments,
        keep: Replacement,
        launches: &[RecordedLaunch],
    ) -> Result<PacketCounts, PacketError> {
        let config = self.config.with_arguments(arguments).with_keep(keep);
        let mut path = CondensedPath::in_format(config, *self.layout)?;
        let (mut own_kernel, mut other_kernel) = (0, 0);
        let kernel = self.layout.field("kernel_object").unwrap_or(0);
        let mut send = |packet: &AqlPacket| {
            let Ok(condensed) = Condensed::parse(packet, self.layout) else { return };
            for launch in condensed.kernels(self.layout) {
                let other = launch.diff.vector >> kernel & 1 == 1;
                *if other { &mut other_kernel } else { &mut own_kernel } += 1;
            }
        };
        let (mut packets, mut bytes, mut overhead_ns) = (0, 0, 0_u64);
        // By table, the time at which the first launch of its last packet was issued.
        let mut since: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for &RecordedLaunch { mut launch, issued } in launches {
            let table = config.scope().table(0, launch.stream.0);
            let late = |(since, hold): (&u64, u64)| issued.saturating_sub(*since) > hold;
            launch.call.behind_copy |= since.get(&table).zip(self.hold_ns).is_some_and(late);
            let via: Submission = path.take(&launch, &mut send);
            if via.packets > 0 {
                since.insert(table, issued);
            }
            packets += u64::from(via.packets);
            bytes += via.bytes;
            overhead_ns = overhead_ns.saturating_add(via.cost.0).saturating_add(via.cleanup.0);
        }
        overhead_ns = overhead_ns.saturating_add(path.finish(&mut send).0);
        let tally = path.tally();
        Ok(PacketCounts {
            arguments: name(arguments),
            keep: keep.name(),
            packets,
            bytes,
            condensed: tally.condensed(),
            own_kernel,
            other_kernel,
            reference: tally.reference(),
            ordinary: tally.ordinary(),
            condensed_packets: tally.condensed_packets(),
            overhead_ns,
        })
    }
}
