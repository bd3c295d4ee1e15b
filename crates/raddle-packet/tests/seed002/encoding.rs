//! Is the nearest entry chosen, and is a packet filled before the next one begins?

use proptest::prelude::*;
use raddle_packet::{AQL_BYTES, Ask, Condensed, Item, Keep, Nearest, Rule, Way};

use crate::random::stream;
use crate::sample::{Aql, AqlEncoder, One, Packet, aql};

/// Every entry, every field: the nearest one, by the rule in words.
pub(crate) fn naive_nearest(format: &Aql, table: &[(u16, One)], launch: &One) -> Option<Nearest> {
    let mut best: Option<Nearest> = None;
    for (ref_num, entry) in table {
        let (mut vector, mut cost) = (0, 1);
        for (field, described) in format.fields().iter().enumerate() {
            if launch.get(format, field) != entry.get(format, field) {
                vector |= 1 << field;
                cost += described.half_words();
            }
        }
        let near = Nearest { ref_num: *ref_num, vector, cost };
        let key = |near: &Nearest| (near.cost, near.vector >> 10 & 1, near.ref_num);
        if best.as_ref().is_none_or(|best| key(&near) < key(best)) {
            best = Some(near);
        }
    }
    best
}

/// Follows a rule and checks what it is told against a table of its own.
#[derive(Debug)]
pub(crate) struct Checked<K> {
    rule: K,
    table: Vec<(u16, One)>,
    /// Half-words of the open packet.
    used: u16,
}

impl<K> Checked<K> {
    pub(crate) const fn new(rule: K) -> Self {
        Self { rule, table: Vec::new(), used: 0 }
    }
}

impl<K: Keep<AQL_BYTES>> Keep<AQL_BYTES> for Checked<K> {
    fn way(&mut self, ask: &Ask<'_, AQL_BYTES>) -> Way {
        assert_eq!(ask.nearest, naive_nearest(ask.format, &self.table, ask.launch));
        let filled: Vec<u16> = self.table.iter().map(|(ref_num, _)| *ref_num).collect();
        let vacant = (0..ask.format.entries()).find(|ref_num| !filled.contains(ref_num));
        assert_eq!(ask.vacant, vacant);
        assert_eq!(ask.room, if self.used == 0 { 0 } else { 31 - self.used });
        let way = self.rule.way(ask);
        if let Way::Store(ref_num) = way {
            self.table.retain(|(held, _)| *held != ref_num);
            self.table.push((ref_num, *ask.launch));
        }
        self.used = match (way, ask.nearest) {
            (Way::Condense, Some(near)) if self.used + near.cost <= 31 => self.used + near.cost,
            (Way::Condense, Some(near)) => near.cost,
            _ => 0,
        };
        way
    }

    fn used(&mut self, ask: &Ask<'_, AQL_BYTES>, ref_num: u16) {
        self.rule.used(ask, ref_num);
    }
}

proptest! {
    #[test]
    fn the_nearest_entry_is_told(
        rule in prop::sample::select(Rule::ALL.to_vec()), near in 0..31_u16, stream in stream(),
    ) {
        let mut encoder = AqlEncoder::new(aql(), Checked::new(rule.keeper::<8>(near))).unwrap();
        for item in &stream {
            if let Item::Launch(launch) = item {
                encoder.launch(launch, &mut |_| {});
            }
        }
    }

    /// Two condensed packets that follow each other would not have fitted into one, up to a kernel.
    #[test]
    fn packets_are_filled(
        rule in prop::sample::select(Rule::ALL.to_vec()), near in 0..31_u16, stream in stream(),
    ) {
        let format = aql();
        let mut encoder = AqlEncoder::new(format, rule.keeper::<8>(near)).unwrap();
        let mut packets: Vec<Packet> = Vec::new();
        let mut send = |packet: &Packet| packets.push(*packet);
        for item in &stream {
            if let Item::Launch(launch) = item {
                encoder.launch(launch, &mut send);
            }
        }
        encoder.flush(&mut send);
        for pair in packets.windows(2).filter(|pair| pair[0][0] == 6 && pair[1][0] == 6) {
            let [first, second] = [pair[0], pair[1]].map(|p| Condensed::parse(&p, &format).unwrap());
            let next = second.kernels(&format).next().unwrap();
            prop_assert!(first.used() + format.cost(next.diff.vector) > 31);
        }
    }
}
