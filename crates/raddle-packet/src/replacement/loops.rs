//! Are launches packed as the obvious way packs them?
//!
//! Every policy, on loops of kernels with something else in them here and there: the obvious encoder
//! looks at every entry for every launch and writes every packet by the naive codec.

use std::cell::RefCell;
use std::vec::Vec;

use super::{LaunchRequest, NearestEntry, PacketChoice, Replacement, ReplacementPolicy};
use crate::naive::{self, Kernel, Orders, write};
use crate::sample::{KERNARG, KERNEL, SIGNAL, entry, format, launches, options, orders};
use crate::{Agent, AqlFormat, AqlPacket, Encoder, LaunchImage, PacketTypes};
use proptest::collection::vec;
use proptest::prelude::*;

/// Calls that a policy got, each as (launch, nearest entry, empty entry, free half-words, `None`
/// for a question or `Some` of the entry that was used).
type Heard = Vec<(LaunchImage, Option<NearestEntry>, Option<u16>, u16, Option<u16>)>;

/// Policy that records the calls that it gets and passes them on to `policy`; if `stubborn`, it
/// decides otherwise now and then.
#[derive(Debug)]
struct Recorder<'h, P> {
    policy: P,
    heard: &'h RefCell<Heard>,
    stubborn: bool,
}

impl<P> Recorder<'_, P> {
    fn record(&self, request: &LaunchRequest<'_>, used: Option<u16>) {
        let LaunchRequest { launch, nearest, vacant, room, .. } = *request;
        self.heard.borrow_mut().push((*launch, nearest, vacant, room, used));
    }
}

impl<P: ReplacementPolicy> ReplacementPolicy for Recorder<'_, P> {
    fn choose(&mut self, request: &LaunchRequest<'_>) -> PacketChoice {
        self.record(request, None);
        if self.stubborn && self.heard.borrow().len() % 11 == 7 {
            return if request.room == 0 { PacketChoice::Store(3) } else { PacketChoice::Ordinary };
        }
        self.policy.choose(request)
    }

    fn used(&mut self, request: &LaunchRequest<'_>, ref_num: u16) {
        self.record(request, Some(ref_num));
        self.policy.used(request, ref_num);
    }
}

/// Encodes a list of launches, and returns every packet.
fn encode<P: ReplacementPolicy>(
    encoder: &mut Encoder<P>,
    stream: &[LaunchImage],
) -> Vec<AqlPacket> {
    let mut packets = Vec::new();
    let mut send = |packet: &AqlPacket| packets.push(*packet);
    stream.iter().for_each(|launch| encoder.launch(launch, &mut send));
    encoder.flush(&mut send);
    packets
}

/// Draws loops of one to nine kernels, in which a launch mostly has one field with a new value,
/// most often the arguments.
fn looped() -> impl Strategy<Value = Vec<(u64, Vec<(usize, u64)>)>> {
    let field =
        || prop_oneof![12 => Just(KERNARG), 2 => Just(SIGNAL), 1 => Just(KERNEL), 1 => 0..13_usize];
    let changes = |fields| vec((field(), 0..4_u64), fields);
    let change = prop_oneof![1 => changes(0..=0), 12 => changes(1..=1), 1 => changes(2..=3)];
    (1..=9_u64, vec(change, 0..80)).prop_map(|(kernels, changes)| {
        (0..).zip(changes).map(|(at, change)| (at % kernels, change)).collect()
    })
}

fn stream(format: &AqlFormat, looped: &[(u64, Vec<(usize, u64)>)]) -> Vec<LaunchImage> {
    let launch = |(kernel, changes): &(u64, Vec<(usize, u64)>)| {
        let mut launch = entry(*kernel).launch(format).unwrap();
        for (field, value) in changes {
            launch.set(format, *field, *value).unwrap();
        }
        launch
    };
    looped.iter().map(launch).collect()
}

/// Finds the table entry nearest to a launch by comparing every field of every entry, by the rule
/// in words.
fn nearest(
    format: &AqlFormat,
    table: &[(u16, LaunchImage)],
    launch: &LaunchImage,
) -> Option<NearestEntry> {
    let near = |(ref_num, entry): &(u16, LaunchImage)| {
        let (mut vector, mut cost) = (0, 1);
        for (number, field) in format.fields().iter().enumerate() {
            if launch.get(number) != entry.get(number) {
                vector |= 1 << number;
                cost += field.half_words() as u16;
            }
        }
        NearestEntry { ref_num: *ref_num, vector, cost }
    };
    table.iter().map(near).min_by_key(|near| (near.cost, near.vector >> KERNEL & 1, near.ref_num))
}

/// Naive encoder, with lists that grow.
struct Slow {
    format: AqlFormat,
    orders: Orders,
    table: Vec<(u16, LaunchImage)>,
    open: Vec<Kernel>,
    packets: Vec<AqlPacket>,
}

impl Slow {
    fn request<'a>(&'a self, launch: &'a LaunchImage) -> LaunchRequest<'a> {
        let used: usize = self.open.iter().map(|kernel| write(self.orders, kernel).len()).sum();
        let room = if used == 0 { 0 } else { 31 - used as u16 };
        let nearest = nearest(&self.format, &self.table, launch);
        let vacant = (0..8).find(|number| self.table.iter().all(|(held, _)| held != number));
        LaunchRequest { format: &self.format, launch, nearest, vacant, room }
    }

    fn launch(&mut self, launch: &LaunchImage, policy: &mut impl ReplacementPolicy) {
        let types = self.format.types();
        let request = self.request(launch);
        match (policy.choose(&request), request.nearest) {
            (PacketChoice::Condense, Some(near)) => {
                policy.used(&request, near.ref_num);
                let fields = (0..13).filter(|field| near.vector >> field & 1 == 1);
                let diff = fields.map(|field| (field, launch.get(field))).collect();
                self.open.push((near.ref_num, diff));
                if naive::packet(self.orders, &self.open).is_none() {
                    let last = self.open.pop();
                    self.flush();
                    self.open.extend(last);
                }
            }
            (PacketChoice::Store(number), _) if number < 8 => {
                policy.used(&request, number);
                self.store(launch, number);
            }
            _ if types.reference == types.dispatch => {
                policy.used(&request, 0);
                self.store(launch, 0);
            }
            _ => {
                self.flush();
                self.packets.push(launch.dispatch(&self.format));
            }
        }
    }

    fn store(&mut self, launch: &LaunchImage, number: u16) {
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

proptest! {
    #[test]
    fn packets_and_requests_are_those_of_the_obvious_encoder(
        n in 0..8_usize, replacement in prop::sample::select(Replacement::ALL.to_vec()),
        near in 0..31_u16, stubborn in any::<bool>(), shared in any::<bool>(), looped in looped(),
    ) {
        // `shared`: every dispatch packet fills an entry (B11).
        let mut given = options(orders(n));
        if shared {
            given.types = PacketTypes { reference: given.types.dispatch, ..given.types };
        }
        let format = AqlFormat::new(&given).unwrap();
        let stream = stream(&format, &looped);
        let (heard, wanted) = (RefCell::default(), RefCell::default());
        let recorder = |heard| Recorder { policy: replacement.policy(near), heard, stubborn };
        let packets = encode(&mut Encoder::new(format, recorder(&heard)), &stream);
        let (table, open) = (Vec::new(), Vec::new());
        let mut slow = Slow { format, orders: orders(n), table, open, packets: Vec::new() };
        let mut policy = recorder(&wanted);
        stream.iter().for_each(|launch| slow.launch(launch, &mut policy));
        slow.flush();
        prop_assert_eq!((&packets, heard.take()), (&slow.packets, wanted.take()));
        let mut agent = Agent::new(format);
        let decoded = packets.iter().map(|packet| launches(&mut agent, packet).unwrap());
        prop_assert_eq!(decoded.collect::<Vec<_>>().concat(), stream);
    }
}

/// Checks that the lowest of several equally near entries is chosen, where the kernel itself is
/// what differs.
#[test]
fn of_entries_as_near_the_lowest_is_chosen() {
    let format = format(0);
    let heard = RefCell::default();
    let policy = Replacement::First.policy(1);
    let mut encoder = Encoder::new(format, Recorder { policy, heard: &heard, stubborn: false });
    let launch = |kernel_object| {
        crate::KernelDispatch { kernel_object, ..Default::default() }.launch(&format).unwrap()
    };
    encode(&mut encoder, &[5, 6, 7].map(launch));
    let heard = heard.take();
    assert_eq!(heard[4].1.map(|near| near.ref_num), Some(0));
}

/// Checks that a launch that differs much from every stored one is condensed where the packet being
/// filled has room for it, or where two launches of its size would share a packet.
#[test]
fn room_in_the_open_packet_is_used() {
    let (format, launch) = (AqlFormat::default(), LaunchImage::default());
    let choice = |cost, room| {
        let nearest = Some(NearestEntry { ref_num: 0, vector: 0, cost });
        let (format, launch) = (&format, &launch);
        LaunchRequest { format, launch, nearest, vacant: None, room }.without_entry()
    };
    assert_eq!(choice(15, 0), PacketChoice::Condense);
    assert_eq!(choice(16, 0), PacketChoice::Ordinary);
    assert_eq!(choice(16, 16), PacketChoice::Condense);
    assert_eq!(choice(17, 16), PacketChoice::Ordinary);
}
