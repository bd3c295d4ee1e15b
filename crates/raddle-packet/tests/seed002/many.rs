//! Are many launches at once packed as they are one by one, and as the obvious way packs them?
//!
//! Loops of kernels with new arguments take a way of their own through the encoder, so these streams
//! are such loops, with something else in them here and there.

use std::cell::RefCell;

use proptest::collection::vec;
use proptest::prelude::*;
use raddle_packet::{
    AQL_BYTES, AqlOptions, Ask, HalfWords, HeaderBits, Keep, Rule, Tally, Types, Way,
};

use crate::encoding::{Checked, naive_nearest};
use crate::naive::{self, Kernel, Orders, write};
use crate::random::orders;
use crate::sample::{
    Aql, AqlAgent, AqlEncoder, KERNARG, KERNEL, One, Packet, SIGNAL, entry, formats, launches,
};

/// What was asked and told: the launch, the room, and whether that was `used`.
type Heard = Vec<(One, u16, bool)>;

/// Follows a rule and writes down what it hears. Now and then it has a will of its own.
#[derive(Debug)]
struct Listening<'h, K> {
    rule: K,
    heard: &'h RefCell<Heard>,
    stubborn: bool,
}

impl<K: Keep<AQL_BYTES>> Keep<AQL_BYTES> for Listening<'_, K> {
    fn way(&mut self, ask: &Ask<'_, AQL_BYTES>) -> Way {
        self.heard.borrow_mut().push((*ask.launch, ask.room, false));
        if self.stubborn && self.heard.borrow().len() % 11 == 7 {
            return if ask.room == 0 { Way::Store(3) } else { Way::Ordinary };
        }
        self.rule.way(ask)
    }

    fn used(&mut self, ask: &Ask<'_, AQL_BYTES>, ref_num: u16) {
        self.heard.borrow_mut().push((*ask.launch, ask.room, true));
        self.rule.used(ask, ref_num);
    }
}

/// Loops of one to nine kernels: mostly one field has a new value, most often the arguments.
fn looped() -> impl Strategy<Value = Vec<(u64, Vec<(usize, u64)>)>> {
    let field =
        || prop_oneof![12 => Just(KERNARG), 2 => Just(SIGNAL), 1 => Just(KERNEL), 1 => 0..13_usize];
    let changes = |fields| vec((field(), 0..4_u64), fields);
    let change = prop_oneof![1 => changes(0..=0), 12 => changes(1..=1), 1 => changes(2..=3)];
    (1..=9_u64, vec(change, 0..80)).prop_map(|(kernels, changes)| {
        (0..).zip(changes).map(|(at, change)| (at % kernels, change)).collect()
    })
}

fn stream(format: &Aql, looped: &[(u64, Vec<(usize, u64)>)]) -> Vec<One> {
    let launch = |(kernel, changes): &(u64, Vec<(usize, u64)>)| {
        let mut launch = entry(*kernel).launch(format).unwrap();
        for (field, value) in changes {
            launch.set(format, *field, *value).unwrap();
        }
        launch
    };
    looped.iter().map(launch).collect()
}

/// Packets, what was counted, what was heard.
fn encode<K: Keep<AQL_BYTES>>(
    format: Aql,
    (rule, stubborn): (K, bool),
    lists: &[&[One]],
) -> (Vec<Packet>, Tally, Heard) {
    let (mut packets, heard) = (Vec::new(), RefCell::default());
    let listening = Listening { rule, heard: &heard, stubborn };
    let mut encoder = AqlEncoder::new(format, listening).unwrap();
    for list in lists {
        encoder.launches(list, &mut |packet| packets.push(*packet));
    }
    encoder.flush(&mut |packet| packets.push(*packet));
    (packets, encoder.tally(), heard.take())
}

/// The obvious way: every entry is looked at for every launch, every packet written by the naive
/// codec once it is complete.
struct Slow {
    format: Aql,
    orders: Orders,
    table: Vec<(u16, One)>,
    open: Vec<Kernel>,
    packets: Vec<Packet>,
}

impl Slow {
    fn encode<K: Keep<AQL_BYTES>>(
        format: Aql,
        n: usize,
        (rule, stubborn): (K, bool),
        stream: &[One],
    ) -> (Vec<Packet>, Heard) {
        let heard = RefCell::default();
        let mut keep = Listening { rule, heard: &heard, stubborn };
        let (table, open, packets) = (Vec::new(), Vec::new(), Vec::new());
        let mut slow = Self { format, orders: orders(n), table, open, packets };
        stream.iter().for_each(|launch| slow.launch(launch, &mut keep));
        slow.flush();
        (slow.packets, heard.take())
    }

    fn ask<'a>(&'a self, launch: &'a One) -> Ask<'a, AQL_BYTES> {
        let used: usize = self.open.iter().map(|kernel| write(self.orders, kernel).len()).sum();
        let room = if used == 0 { 0 } else { 31 - used as u16 };
        let nearest = naive_nearest(&self.format, &self.table, launch);
        let vacant = (0..8).find(|number| self.table.iter().all(|(held, _)| held != number));
        Ask { format: &self.format, launch, nearest, vacant, room }
    }

    fn launch<K: Keep<AQL_BYTES>>(&mut self, launch: &One, keep: &mut K) {
        let types = self.format.types();
        let ask = self.ask(launch);
        match (keep.way(&ask), ask.nearest) {
            (Way::Condense, Some(near)) => {
                keep.used(&ask, near.ref_num);
                let fields = (0..13).filter(|field| near.vector >> field & 1 == 1);
                let diff = fields.map(|field| (field, launch.get(&self.format, field))).collect();
                self.open.push((near.ref_num, diff));
                if naive::packet(self.orders, &self.open).is_none() {
                    let last = self.open.pop();
                    self.flush();
                    self.open.extend(last);
                }
            }
            (Way::Store(number), _) if number < 8 => {
                keep.used(&ask, number);
                self.store(launch, number);
            }
            _ if types.reference == types.dispatch => {
                keep.used(&ask, 0);
                self.store(launch, 0);
            }
            _ => {
                self.flush();
                self.packets.push(launch.dispatch(&self.format));
            }
        }
    }

    fn store(&mut self, launch: &One, number: u16) {
        self.flush();
        self.packets.push(launch.reference(&self.format, number).unwrap());
        self.table.retain(|(held, _)| *held != number);
        self.table.push((number, *launch));
    }

    fn flush(&mut self) {
        let kernels = std::mem::take(&mut self.open);
        if !kernels.is_empty() {
            self.packets.push(naive::packet(self.orders, &kernels).unwrap());
        }
    }
}

/// Format `n`, in which every dispatch packet fills an entry (B11).
fn sharing(n: usize) -> Aql {
    let usual = AqlOptions::default();
    let orders = orders(n);
    let half_words =
        if orders.high_half_first { HalfWords::HighFirst } else { HalfWords::LowFirst };
    let header_bits =
        if orders.high_bits_first { HeaderBits::HighFirst } else { HeaderBits::LowFirst };
    let types = Types { reference: usual.types.dispatch, ..usual.types };
    let narrow_private = orders.narrow_private;
    Aql::aql(&AqlOptions { types, half_words, header_bits, narrow_private, ..usual }).unwrap()
}

proptest! {
    #[test]
    fn many_at_once_are_the_same_as_one_by_one(
        n in 0..8_usize, rule in prop::sample::select(Rule::ALL.to_vec()), near in 0..31_u16,
        stubborn in any::<bool>(), shared in any::<bool>(), looped in looped(), cuts in vec(0..80_usize, 0..4),
    ) {
        let format = if shared { sharing(n) } else { formats()[n] };
        let stream = stream(&format, &looped);
        let listening = || (rule.keeper::<8>(near), stubborn);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let lists: Vec<&[One]> = cuts.windows(2).map(|ends| &stream[ends[0]..ends[1]]).collect();
        let single: Vec<&[One]> = stream.chunks(1).collect();
        let (packets, tally, heard) = encode(format, listening(), &lists);
        let once = encode(format, listening(), &single);
        prop_assert_eq!((&packets, tally, &heard), (&once.0, once.1, &once.2));
        let slow = Slow::encode(format, n, listening(), &stream);
        prop_assert_eq!((&packets, &heard), (&slow.0, &slow.1));
        // Every launch is asked about once, in order.
        let asked: Vec<One> = heard.iter().filter(|(.., used)| !used).map(|heard| heard.0).collect();
        prop_assert_eq!(&asked, &stream);
        let mut agent = AqlAgent::new(format).unwrap();
        let decoded = packets.iter().map(|packet| launches(&mut agent, packet).unwrap());
        prop_assert_eq!(decoded.collect::<Vec<_>>().concat(), stream);
    }

    #[test]
    fn the_nearest_entry_is_told_in_loops(
        rule in prop::sample::select(Rule::ALL.to_vec()), near in 0..31_u16, looped in looped(),
    ) {
        let format = formats()[0];
        let stream = stream(&format, &looped);
        let mut encoder = AqlEncoder::new(format, Checked::new(rule.keeper::<8>(near))).unwrap();
        encoder.launches(&stream, &mut |_| {});
    }
}
