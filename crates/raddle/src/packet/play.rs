//! How many packets does a queue become under a rule, and at what cost?

use raddle_packet::{
    AQL_BYTES, Agent, Condensed, Encoder, Error, Item, Keep, Limits, Overhead, Received, Rule,
    Scripted, Tally, optimal,
};
use serde::Serialize;

use super::stream::Queue;
use crate::golden::packet::{Aql, Packet};

/// So many launches the optimal rule is tried on: the most for which it can be found. What cannot
/// be found for few cannot be for more.
const SAMPLES: [u64; 5] = [32, 64, 128, 256, 512];

/// One rule for one place of the arguments.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Row {
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

/// Packets of a sample.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Sampled {
    pub(super) arguments: &'static str,
    pub(super) launches: u64,
    /// By the rules, in their order.
    pub(super) packets: Vec<(&'static str, u64)>,
    /// `None` where the search would be too long, or knows nothing of a limit.
    pub(super) optimal: Option<u64>,
}

/// How packets are made, whatever is worth an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Making<'l> {
    pub(super) layout: &'l Aql,
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
        rule: Rule,
        queues: &[Queue],
    ) -> Result<Row, Error> {
        let mut row = Row {
            arguments,
            keep: rule.name(),
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
            let mut agent = Agent::<AQL_BYTES, 8>::new(*self.layout)?;
            let mut send = |packet: &Packet| self.count(&mut agent, packet, &mut row);
            let tally = self.play(rule.keeper::<8>(self.near), queue, &mut send)?;
            row.packets += tally.packets();
            row.condensed += tally.condensed;
            row.reference += tally.reference;
            row.ordinary += tally.ordinary;
            row.condensed_packets += tally.condensed_packets;
        }
        row.bytes = row.packets.saturating_mul(AQL_BYTES as u64);
        Ok(row)
    }

    /// What one packet costs, and whose entries it names.
    fn count(&self, agent: &mut Agent<AQL_BYTES, 8>, packet: &Packet, row: &mut Row) {
        let Ok(Received::Launches(launches)) = agent.receive(packet) else { return };
        let (count, cleanups) = (launches.len(), launches.cleanups());
        let none = [0; u8::MAX as usize];
        let runs = none.get(..count).unwrap_or(&none);
        let mut cost = self.costs.ordinary(runs);
        if let Ok(condensed) = Condensed::parse(packet, self.layout) {
            cost = self.costs.condensed(runs, u64::from(cleanups).saturating_sub(1));
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
        keep: impl Keep<AQL_BYTES>,
        queue: &Queue,
        send: &mut impl FnMut(&Packet),
    ) -> Result<Tally, Error> {
        let mut encoder = Encoder::<AQL_BYTES, 8, _>::new(*self.layout, keep)?;
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
        Ok(encoder.tally())
    }

    /// The first launches of the queue that has most, by every rule and the optimal one.
    pub(super) fn sampled(
        &self,
        arguments: &'static str,
        queues: &[Queue],
    ) -> Result<Sampled, Error> {
        let none = Queue::default();
        let longest = queues.iter().max_by_key(|queue| queue.launches()).unwrap_or(&none);
        let mut found = self.sample(arguments, longest, SAMPLES[0])?;
        for most in &SAMPLES[1..] {
            if found.optimal.is_none() || found.launches < *most / 2 {
                break;
            }
            let more = self.sample(arguments, longest, *most)?;
            if more.optimal.is_none() {
                break;
            }
            found = more;
        }
        Ok(found)
    }

    fn sample(&self, arguments: &'static str, queue: &Queue, most: u64) -> Result<Sampled, Error> {
        let sample = queue.first(most);
        let mut packets = Vec::new();
        for rule in Rule::ALL {
            let tally = self.play(rule.keeper::<8>(self.near), &sample, &mut |_| {})?;
            packets.push((rule.name(), tally.packets()));
        }
        let optimal = match self.hold_ns {
            None => self.optimal(&sample)?,
            Some(_) => None,
        };
        Ok(Sampled { arguments, launches: sample.launches(), packets, optimal })
    }

    /// The fewest packets, where they can be found.
    fn optimal(&self, queue: &Queue) -> Result<Option<u64>, Error> {
        match optimal(self.layout, queue.items(), &Limits::default()) {
            Ok(found) => {
                let tally = self.play(Scripted::new(&found.ways), queue, &mut |_| {})?;
                Ok(Some(tally.packets()))
            }
            Err(Error::TooLarge { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
