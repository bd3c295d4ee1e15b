//! How many packets does a queue become under a rule, and at what cost?

use raddle_packet::{
    AQL_BYTES, Agent, AqlFormat, AqlPacket, Condensed, Encoder, HALF_WORDS, LaunchImage, Overhead,
    PacketTally, Replacement, cleanups,
};
use serde::Serialize;

use super::stream::{Item, TableQueue};

/// One rule for one place of the arguments.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct PacketCounts {
    /// Where the arguments of a launch lie.
    pub(super) arguments: &'static str,
    pub(super) keep: &'static str,
    pub(super) packets: u64,
    pub(super) bytes: u64,
    /// Launches sent in condensed packets.
    pub(super) condensed: u64,
    /// Those of them that go by an entry of their own kernel.
    pub(super) own_kernel: u64,
    /// Those that go by an entry of another kernel, with the kernel object among what differs.
    pub(super) other_kernel: u64,
    pub(super) reference: u64,
    pub(super) ordinary: u64,
    pub(super) condensed_packets: u64,
    /// In nanoseconds.
    pub(super) overhead_ns: u64,
}

/// How packets are made, whatever is worth an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Making<'l> {
    pub(super) layout: &'l AqlFormat,
    /// Half-words up to which an entry of the same kernel is near.
    pub(super) near: u16,
    /// How long the first launch of a packet waits for others, in nanoseconds, if there is an end.
    pub(super) hold_ns: Option<u64>,
    pub(super) costs: &'l Overhead,
}

impl Making<'_> {
    /// All tables under one rule (B15).
    pub(super) fn row(
        &self,
        arguments: &'static str,
        replacement: Replacement,
        queues: &[TableQueue],
    ) -> PacketCounts {
        let mut row = PacketCounts {
            arguments,
            keep: replacement.name(),
            packets: 0,
            bytes: 0,
            condensed: 0,
            own_kernel: 0,
            other_kernel: 0,
            reference: 0,
            ordinary: 0,
            condensed_packets: 0,
            overhead_ns: 0,
        };
        for queue in queues {
            let mut agent = Agent::new(*self.layout);
            let mut send = |packet: &AqlPacket| self.count(&mut agent, packet, &mut row);
            let tally = self.play(replacement, queue, &mut send);
            row.packets += tally.packets();
            row.condensed += tally.condensed;
            row.reference += tally.reference;
            row.ordinary += tally.ordinary;
            row.condensed_packets += tally.condensed_packets;
        }
        row.bytes = row.packets.saturating_mul(AQL_BYTES as u64);
        row
    }

    /// What one packet costs, and whose entries it names.
    fn count(&self, agent: &mut Agent, packet: &AqlPacket, row: &mut PacketCounts) {
        let mut list = [LaunchImage::default(); HALF_WORDS];
        let Ok(launches) = agent.receive(packet, &mut list) else { return };
        let none = [0; HALF_WORDS];
        let runs = none.get(..launches.len()).unwrap_or(&none);
        let mut cost = self.costs.ordinary(runs);
        if let Ok(condensed) = Condensed::parse(packet, self.layout) {
            cost = self.costs.condensed(runs, u64::from(cleanups(launches)).saturating_sub(1));
            let kernel = self.layout.field("kernel_object").unwrap_or(0);
            for launch in condensed.kernels(self.layout) {
                let other = launch.diff.vector >> kernel & 1 == 1;
                *if other { &mut row.other_kernel } else { &mut row.own_kernel } += 1;
            }
        }
        row.overhead_ns = row.overhead_ns.saturating_add(cost);
    }

    /// Sends a queue. A packet goes when the next launch has no room in it, and before a launch that
    /// its first one would wait too long for.
    fn play(
        &self,
        replacement: Replacement,
        queue: &TableQueue,
        send: &mut impl FnMut(&AqlPacket),
    ) -> PacketTally {
        let mut encoder = Encoder::new(*self.layout, replacement.policy(self.near));
        // When the first launch of the open packet was issued.
        let mut open: Option<u64> = None;
        for (item, issued) in queue.iter() {
            let Item::Launch(launch) = item else {
                encoder.flush(send);
                open = None;
                continue;
            };
            let late = |(since, hold): (u64, u64)| issued.saturating_sub(since) > hold;
            if open.zip(self.hold_ns).is_some_and(late) {
                encoder.flush(send);
                open = None;
            }
            let before = encoder.tally();
            encoder.launch(launch, send);
            let after = encoder.tally();
            let full = after.condensed_packets > before.condensed_packets;
            open = match (after.condensed > before.condensed, open) {
                (true, Some(since)) if !full => Some(since),
                (true, _) => Some(issued),
                (false, _) => None,
            };
        }
        encoder.flush(send);
        encoder.tally()
    }
}
