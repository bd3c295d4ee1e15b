//! What does a decision of `matching` cost, with an address for every wave, and each choice of its recipe?
//!
//! The policy is asked as a dispatcher asks it: a question through the trait `Allocate`, the
//! answer, and the fact that ends it. `counters` is a loop over free amounts without addresses, as
//! other simulators have; `by_hand` is the index of `matching` written for one case. Goals: eight
//! placed and eight ended in 1.4 times `by_hand`, at 1,024 compute units in 1.15 times 64; any rule
//! of places at 304 in 1.3 times 64.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use raddle_policy::{
    Allocate, Answer, CuId, CuShape, Cus, Demand, Fact, Launch, LaunchId, Level, Piece, ProcessId,
    ReadyLaunch, ReadyView, Round, StreamId, Tick, Ticks, WaveSpan,
};
use raddle_workgroup::{
    Amounts, Balance, FreeWeights, LevelOrder, LevelWindows, Matching, MatchingConfig, PlaceRule,
    PowerWeights, SearchRule, SplitRule,
};

const CUS: [u16; 3] = [64, 304, 1024];
/// The number of placements, each with the end of a workgroup, in one sample of a benchmark.
const OPS: usize = 1000;
/// The compute unit of an AMD R9 Nano.
const SHAPE: CuShape = CuShape {
    simds: 4,
    waves_per_simd: 10,
    vgpr_per_simd: 64,
    sgpr: 200,
    lds: 256,
    workgroups: 40,
    barriers: 40,
};
const DEMAND: Demand = Demand { waves: 4, vgpr: 8, sgpr: 1, lds: 16, barriers: 0 };

fn main() {
    divan::main();
}

/// Returns the entry, of a launch of this many workgroups.
fn grown(entry: ReadyLaunch, workgroups: u64) -> ReadyLaunch {
    let mut launch = *entry.launch();
    launch.workgroups = workgroups;
    ReadyLaunch::new(launch, entry.submitted()).with_next(entry.next())
}

fn launch(id: u32, level: u8, demand: Demand) -> ReadyLaunch {
    let launch = Launch::new(LaunchId(id), ProcessId(0), u64::MAX / 2, demand)
        .with_stream(StreamId(id))
        .with_level(Level(level));
    ReadyLaunch::new(launch, Tick::ZERO)
}

/// A device under the policy matching, with its resident workgroups.
struct Device {
    policy: Matching,
    cus: Cus,
    ready: Vec<ReadyLaunch>,
    /// The resident workgroups: (index of the launch, number of the workgroup, its compute unit).
    resident: Vec<(usize, u64, CuId)>,
    round: Round,
    now: Tick,
    /// The state of the pseudo-random generator (xorshift) that chooses which workgroup ends.
    random: u64,
}

impl Device {
    fn new(config: &MatchingConfig, shape: CuShape, cus: u16, ready: Vec<ReadyLaunch>) -> Self {
        let policy = Matching::new(config.clone(), shape, cus).expect("the shape is lawful");
        let (cus, round, now) = (Cus::new(shape, cus), Round::default(), Tick::ZERO);
        let random = 88_172_645_463_325_252;
        Self { policy, cus, ready, resident: Vec::new(), round, now, random }
    }

    /// Makes a device of `cus` compute units that is filled with workgroups of one launch.
    fn full(config: &MatchingConfig, cus: u16) -> Self {
        let mut device = Self::new(config, SHAPE, cus, vec![launch(0, 0, DEMAND)]);
        while device.place(0) {}
        device
    }

    /// Places one workgroup of the launches from index `from` on. Returns whether one fits.
    fn place(&mut self, from: usize) -> bool {
        let view = ReadyView::new(&self.ready[from..], &self.cus);
        self.round.clear();
        let answer = self.policy.allocate(&view, self.now, &mut self.round);
        let Answer::Start { launch, .. } = answer else { return false };
        black_box(&self.round.places);
        let piece = self.round.pieces[0];
        let entry = &mut self.ready[launch.index()];
        *entry = entry.with_next(entry.next() + 1);
        self.resident.push((launch.index(), piece.first, piece.cu));
        true
    }

    fn retire(&mut self) {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let at = (self.random % self.resident.len() as u64) as usize;
        self.release(at);
    }

    fn release(&mut self, at: usize) {
        let (launch, workgroup, cu) = self.resident.swap_remove(at);
        let pieces = &[Piece::one(workgroup, cu)];
        let launch = &self.ready[launch].launch();
        self.policy.observe(&Fact::Ended { launch, waves: WaveSpan::All, pieces }, self.now);
    }

    /// Lets 100 ns pass on a full device, ends one workgroup, and places one in its room.
    fn replace(&mut self) {
        self.now = self.now + Ticks(100);
        self.retire();
        assert!(self.place(0), "what ended left room");
    }

    /// Ends all workgroups of the device, and fills it again.
    fn refill(&mut self) {
        while !self.resident.is_empty() {
            self.release(self.resident.len() - 1);
        }
        while self.place(0) {}
    }
}

#[divan::bench(args = CUS)]
fn one_ends_one_is_placed(bencher: Bencher<'_, '_>, cus: u16) {
    let mut device = Device::full(&MatchingConfig::default(), cus);
    bencher.counter(ItemsCount::new(OPS)).bench_local(|| (0..OPS).for_each(|_| device.replace()));
}

#[divan::bench(args = CUS)]
fn device_drains_and_fills(bencher: Bencher<'_, '_>, cus: u16) {
    let mut device = Device::full(&MatchingConfig::default(), cus);
    bencher.counter(ItemsCount::new(device.resident.len())).bench_local(|| device.refill());
}

#[divan::bench(args = CUS)]
fn full_device_refuses(bencher: Bencher<'_, '_>, cus: u16) {
    let mut device = Device::full(&MatchingConfig::default(), cus);
    bencher.counter(ItemsCount::new(OPS)).bench_local(|| {
        assert!((0..OPS).all(|_| !device.place(0)), "the device is full");
    });
}

/// Returns the demand of a workgroup of the launch `n`, one of eight launches of different demands.
const fn eighth(n: u16) -> Demand {
    Demand { waves: 1, vgpr: 8 + 4 * n, sgpr: 2 + n, lds: 1 + n as u32, barriers: 0 }
}

/// Makes a device with eight launches of eight levels, whose workgroups take about three quarters
/// of its resources.
fn eight(config: &MatchingConfig, cus: u16) -> Device {
    let ready = (0..8).map(|n| launch(n.into(), n as u8, eighth(n))).collect();
    let shape = CuShape {
        waves_per_simd: 16,
        vgpr_per_simd: 128,
        sgpr: 64,
        lds: 48,
        workgroups: 64,
        barriers: 64,
        ..SHAPE
    };
    let mut device = Device::new(config, shape, cus, ready);
    (0..cus).for_each(|_| device.place_eight());
    (0..2 * cus).for_each(|_| device.retire());
    device
}

impl Device {
    /// Places the next workgroup of each launch, all in one answer of the policy.
    fn place_eight(&mut self) {
        for entry in &mut self.ready {
            *entry = grown(*entry, entry.next() + 1);
        }
        let view = ReadyView::new(&self.ready, &self.cus);
        self.round.clear();
        let answer = self.policy.allocate_round(&view, self.now, &mut self.round);
        let Answer::Start { launch, waves } = answer else { return };
        black_box(&self.round.places);
        for (launch, _, pieces, _) in self.round.starts(launch, waves) {
            let entry = &mut self.ready[launch.index()];
            *entry = entry.with_next(entry.next() + 1);
            self.resident.push((launch.index(), pieces[0].first, pieces[0].cu));
        }
    }

    fn cycle(&mut self) {
        self.place_eight();
        (0..8).for_each(|_| self.retire());
    }
}

/// Measures placing one workgroup of each of eight launches, in one answer, and then ending eight.
#[divan::bench(args = [16, 64, 1024])]
fn eight_placed_eight_end(bencher: Bencher<'_, '_>, cus: u16) {
    let mut device = eight(&MatchingConfig::default(), cus);
    bencher.bench_local(|| device.cycle());
}

/// Measures placing one workgroup of each of eight launches, with a question to the policy for
/// each, and then ending eight.
#[divan::bench(args = [16, 64, 1024])]
fn eight_by_eight_questions(bencher: Bencher<'_, '_>, cus: u16) {
    let mut device = eight(&MatchingConfig::default(), cus);
    device.ready.iter_mut().for_each(|entry| *entry = grown(*entry, u64::MAX / 2));
    bencher.bench_local(|| {
        (0..8).for_each(|from| assert!(device.place(from), "there is room"));
        (0..8).for_each(|_| device.retire());
    });
}

/// Measures placing eight workgroups and ending eight with a hand-written index of these eight
/// demands alone, without a policy, a launch or a log around it: the least that it can cost.
#[divan::bench(args = [16, 64, 1024])]
fn eight_placed_eight_end_by_hand(bencher: Bencher<'_, '_>, cus: u16) {
    let mut hand = Hand::new(cus.into());
    let mut device = eight(&MatchingConfig::default(), cus);
    for _ in 0..1000 {
        device.cycle();
        hand.cycle();
    }
    let places = device.resident.iter().map(|&(launch, _, cu)| (launch, cu.index()));
    assert!(hand.resident.iter().map(|it| (it.launch, it.cu)).eq(places), "the same placements");
    bencher.bench_local(|| hand.cycle());
}

/// A compute unit of the hand-written index: maps of free granules, and the longest free run of
/// each.
#[derive(Clone, Copy)]
struct HandUnit {
    vgpr: [[u64; 2]; 4],
    scalar: [[u64; 1]; 2],
    vgpr_runs: [u8; 4],
    scalar_runs: [u8; 2],
    slots: [u8; 4],
    turn: usize,
}

/// The place of a workgroup in the hand-written index: its launch, compute unit, SIMD, and the
/// first granules of its runs.
#[derive(Clone, Copy)]
struct HandPlace {
    launch: usize,
    cu: usize,
    simd: usize,
    starts: [u32; 3],
}

struct Hand {
    units: Vec<HandUnit>,
    /// The compute units that take one more workgroup: for each word of 64 units, one mask for each
    /// of eight launches.
    open: Vec<[u64; 8]>,
    resident: Vec<HandPlace>,
    random: u64,
}

impl Hand {
    fn new(cus: usize) -> Self {
        let unit = HandUnit {
            vgpr: [[u64::MAX; 2]; 4],
            scalar: [[u64::MAX], [(1 << 48) - 1]],
            vgpr_runs: [128; 4],
            scalar_runs: [64, 48],
            slots: [16; 4],
            turn: 1,
        };
        let (units, open) = (vec![unit; cus], vec![[0; 8]; cus.div_ceil(64)]);
        let mut hand = Self { units, open, resident: vec![], random: 88_172_645_463_325_252 };
        (0..cus).for_each(|cu| hand.update(cu));
        (0..cus).for_each(|_| hand.place_eight());
        (0..2 * cus).for_each(|_| hand.retire());
        hand
    }

    fn update(&mut self, cu: usize) {
        let unit = &self.units[cu];
        let (run, slots) = (unit.vgpr_runs[unit.turn], unit.slots[unit.turn]);
        let (word, bit) = (&mut self.open[cu / 64], cu % 64);
        for (n, open) in (0..8).zip(word) {
            let fits = (slots > 0)
                & (run >= 8 + 4 * n)
                & (unit.scalar_runs[0] >= 2 + n)
                & (unit.scalar_runs[1] > n);
            *open = *open & !(1 << bit) | u64::from(fits) << bit;
        }
    }

    fn place_eight(&mut self) {
        for n in 0..8_u32 {
            let words = self.open.iter().enumerate();
            let mut some = words.filter(|(_, word)| word[n as usize] != 0);
            let Some((at, word)) = some.next() else { continue };
            let cu = at * 64 + word[n as usize].trailing_zeros() as usize;
            let unit = &mut self.units[cu];
            let simd = unit.turn;
            let starts = [
                take(&mut unit.vgpr[simd], &mut unit.vgpr_runs[simd], 8 + 4 * n),
                take(&mut unit.scalar[0], &mut unit.scalar_runs[0], 2 + n),
                take(&mut unit.scalar[1], &mut unit.scalar_runs[1], 1 + n),
            ];
            unit.slots[simd] -= 1;
            unit.turn = (simd + 1) % 4;
            self.resident.push(HandPlace { launch: n as usize, cu, simd, starts });
            self.update(cu);
        }
    }

    fn retire(&mut self) {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let at = (self.random % self.resident.len() as u64) as usize;
        let HandPlace { launch, cu, simd, starts } = self.resident.swap_remove(at);
        let (n, unit) = (launch as u32, &mut self.units[cu]);
        give(&mut unit.vgpr[simd], &mut unit.vgpr_runs[simd], starts[0], 8 + 4 * n);
        give(&mut unit.scalar[0], &mut unit.scalar_runs[0], starts[1], 2 + n);
        give(&mut unit.scalar[1], &mut unit.scalar_runs[1], starts[2], 1 + n);
        unit.slots[simd] += 1;
        self.update(cu);
    }

    fn cycle(&mut self) {
        self.place_eight();
        (0..8).for_each(|_| self.retire());
    }
}

/// Takes the first free run of `len` granules in a map, and updates `longest`. Returns the first
/// granule of the run.
fn take<const W: usize>(map: &mut [u64; W], longest: &mut u8, len: u32) -> u32 {
    // Runs that reach the end of the word before.
    let (mut start, mut before) = (0, 0);
    for (base, &word) in (0..).step_by(64).zip(map.iter()) {
        let starts = starts(word, len);
        if before + word.trailing_ones() >= len {
            start = base - before;
            break;
        }
        if starts != 0 {
            start = base + starts.trailing_zeros();
            break;
        }
        before = word.leading_ones();
    }
    flip(map, start, len);
    let (mut best, mut before) = (0, 0);
    for &word in map.iter() {
        best = best.max(longest_of(word)).max(before + word.trailing_ones());
        before = word.leading_ones();
    }
    *longest = best as u8;
    start
}

/// Frees a run of granules in a map: with its free neighbours, it may be the longest now, which
/// `longest` then says.
fn give<const W: usize>(map: &mut [u64; W], longest: &mut u8, start: u32, len: u32) {
    let all = (0..)
        .step_by(64)
        .zip(map.iter())
        .fold(0, |all, (base, &word)| all | u128::from(word) << base);
    let below = (all << 1 << (127 - start)).leading_ones();
    let behind = (all >> (start + len - 1) >> 1).trailing_ones();
    flip(map, start, len);
    *longest = (*longest).max((below + len + behind) as u8);
}

fn flip<const W: usize>(map: &mut [u64; W], start: u32, len: u32) {
    let run = ((1_u128 << len) - 1) << start;
    for (base, word) in (0..).step_by(64).zip(map) {
        *word ^= (run >> base) as u64;
    }
}

/// Returns the bits of `word` at which a run of `len` set bits starts.
fn starts(word: u64, len: u32) -> u64 {
    let (mut starts, mut have) = (word, 1);
    while have < len {
        let by = have.min(len - have);
        starts &= starts >> by;
        have += by;
    }
    starts
}

/// Returns the length of the longest run of set bits in a word, found by doubling lengths and going
/// back, without a branch.
fn longest_of(word: u64) -> u32 {
    let mut powers = [word; 6];
    for at in 1..6 {
        powers[at] = powers[at - 1] & (powers[at - 1] >> (1 << (at - 1)));
    }
    let (mut starts, mut len) = (u64::MAX, 0);
    for at in (0..6).rev() {
        let left = starts & (powers[at] >> len);
        let more = left != 0;
        (starts, len) = (if more { left } else { starts }, len + (u32::from(more) << at));
    }
    // Of 63 found in a row the whole word may be.
    len.max(word.trailing_ones())
}

/// Returns the configuration that differs from the default in the one choice that `name` says.
fn choice(name: &str) -> MatchingConfig {
    let free = |amounts| FreeWeights { waves: 4, vgpr: 1, sgpr: 1, lds: 1, amounts };
    let power = PowerWeights::new([3, 5, 2, 9, 4, 7]).with_history_ticks(Some(1024));
    let config = MatchingConfig::default();
    match name {
        "search grouped" => config.with_search(SearchRule::groups(8)),
        "search sampled" => config.with_search(SearchRule::amounts(vec![])),
        "order windows" => {
            config.with_order(LevelOrder::Windows(LevelWindows::us(vec![8, 4, 3, 1])))
        }
        "split" => {
            config.with_split(Some(SplitRule::default().with_threshold(8).with_retry_us(Some(1))))
        }
        "balance fixed" => config.with_balance(Balance::Fixed),
        "place round-robin" => config.with_place(PlaceRule::RoundRobin),
        "place most-free" => config.with_place(PlaceRule::MostFree(free(Amounts::Free))),
        "place most-free, runs" => {
            config.with_place(PlaceRule::MostFree(free(Amounts::LongestRun)))
        }
        "place least-power" => config.with_place(PlaceRule::LeastPower(power)),
        _ => config.with_place(PlaceRule::Mix { free: free(Amounts::Free), power, shares: [1, 1] }),
    }
}

const CHOICES: [&str; 10] = [
    "search grouped",
    "search sampled",
    "order windows",
    "split",
    "balance fixed",
    "place round-robin",
    "place most-free",
    "place most-free, runs",
    "place least-power",
    "place mix",
];

#[divan::bench(args = CHOICES, consts = [64, 304])]
fn choice_one_is_placed<const CUS: u16>(bencher: Bencher<'_, '_>, name: &str) {
    let mut device = Device::full(&choice(name), CUS);
    bencher.counter(ItemsCount::new(OPS)).bench_local(|| (0..OPS).for_each(|_| device.replace()));
}

#[divan::bench(args = CHOICES, consts = [64, 304])]
fn choice_drains_and_fills<const CUS: u16>(bencher: Bencher<'_, '_>, name: &str) {
    let mut device = Device::full(&choice(name), CUS);
    bencher.counter(ItemsCount::new(device.resident.len())).bench_local(|| device.refill());
}

/// Measures the simplest policy for comparison: counters of free waves, registers and LDS of each
/// compute unit, where the lowest unit with room is chosen.
#[divan::bench(args = CUS)]
fn counters_one_is_placed(bencher: Bencher<'_, '_>, cus: u16) {
    let amounts = |demand: Demand| {
        let waves = u32::from(demand.waves);
        [waves, waves * u32::from(demand.vgpr), waves * u32::from(demand.sgpr), demand.lds]
    };
    let taken = amounts(DEMAND);
    let simds = u32::from(SHAPE.simds);
    let empty = [
        simds * u32::from(SHAPE.waves_per_simd),
        simds * u32::from(SHAPE.vgpr_per_simd),
        u32::from(SHAPE.sgpr),
        SHAPE.lds,
    ];
    let mut free = vec![empty; usize::from(cus)];
    let place = |free: &mut [[u32; 4]]| {
        let cu =
            free.iter().position(|free| free.iter().zip(&taken).all(|(free, take)| free >= take));
        cu.inspect(|&cu| free[cu].iter_mut().zip(&taken).for_each(|(free, take)| *free -= take))
    };
    while place(&mut free).is_some() {}
    let mut at = 0;
    bencher.counter(ItemsCount::new(OPS)).bench_local(|| {
        for _ in 0..OPS {
            at = (at + 7919) % free.len();
            free[at].iter_mut().zip(&taken).for_each(|(free, take)| *free += take);
            black_box(place(&mut free));
        }
    });
}
