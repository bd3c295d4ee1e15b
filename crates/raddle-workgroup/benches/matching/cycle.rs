//! How long does a whole cycle take: eight channels matched, eight workgroups placed, eight retired?

use std::hint::black_box;

use raddle_golden::placement::contract::{Kernel, XorShift};
use raddle_policy::{
    Allocate, Answer, CuId, CuShape, Cus, Demand, Fact, LaunchId, Level, Piece, ReadyLaunch,
    ReadyView, Round, StreamId, Tick, WaveSpan,
};
use raddle_workgroup::{Matching, MatchingConfig};

use crate::{RUNS, clock, median, sorted};

const CHANNELS: usize = 8;
/// Registers, scalar registers and LDS in maps of 128, 64 and 48 granules.
const SHAPE: CuShape = CuShape {
    simds: 4,
    waves_per_simd: 16,
    vgpr_per_simd: 128,
    sgpr: 64,
    lds: 48,
    workgroups: 64,
    barriers: 64,
};
const CYCLES: u32 = 20_000;

struct Device {
    policy: Matching,
    cus: Cus,
    /// One head a channel, each of a level of its own.
    entries: Vec<ReadyLaunch>,
    resident: Vec<(usize, u64, CuId)>,
    round: Round,
    draws: XorShift,
}

impl Device {
    fn new(config: &MatchingConfig, cus: u16) -> Self {
        let kernel = Kernel { threads: 64, vgpr: 0, sgpr: 0, lds: 0 };
        let any = kernel.launch(LaunchId(0), 1, cus).expect("it takes nothing but a wave");
        let entry = |channel: u32| {
            let granules = channel as u16;
            let launch = raddle_policy::Launch {
                id: LaunchId(channel),
                stream: StreamId(channel),
                level: Level(channel as u8),
                workgroups: u64::MAX / 2,
                demand: Demand {
                    waves: 1,
                    vgpr: 8 + 4 * granules,
                    sgpr: 2 + granules,
                    lds: 1 + channel,
                    barriers: 0,
                },
                ..any
            };
            ReadyLaunch { launch, next: 0, assigned: 0, cut: 0, submitted: Tick::ZERO }
        };
        let policy = Matching::new(config.clone(), SHAPE, cus);
        let mut device = Self {
            policy: policy.expect("the shape can be searched"),
            cus: Cus::new(SHAPE, cus),
            entries: (0..CHANNELS as u32).map(entry).collect(),
            resident: Vec::new(),
            round: Round::default(),
            draws: XorShift::default(),
        };
        // To about three quarters of what it holds.
        for _ in 0..usize::from(cus) {
            device.place_eight();
        }
        for _ in 0..2 * usize::from(cus) {
            device.retire_one();
        }
        device
    }

    /// Each channel has one workgroup that waits; the levels say who goes first.
    fn place_eight(&mut self) {
        for channel in 0..CHANNELS {
            let view = ReadyView { launches: &self.entries[channel..], cus: &self.cus };
            self.round.clear();
            let answer = self.policy.allocate(&view, Tick::ZERO, &mut self.round);
            let Answer::Start { launch, .. } = answer else { continue };
            black_box(&self.round.places);
            let piece = self.round.pieces[0];
            self.entries[launch.index()].next += 1;
            self.resident.push((launch.index(), piece.first, piece.cu));
        }
    }

    fn retire_one(&mut self) {
        if self.resident.is_empty() {
            return;
        }
        let at = (self.draws.draw() % self.resident.len() as u64) as usize;
        let (entry, workgroup, cu) = self.resident.swap_remove(at);
        let (launch, pieces) = (&self.entries[entry].launch, &[Piece::one(workgroup, cu)]);
        let fact = Fact::Ended { launch, waves: WaveSpan::All, pieces };
        self.policy.observe(&fact, Tick::ZERO);
    }

    fn cycle(&mut self) {
        self.place_eight();
        for _ in 0..CHANNELS {
            self.retire_one();
        }
    }
}

/// Nanoseconds a cycle, ascending, and how many workgroups are on the device.
fn run(config: &MatchingConfig, cus: u16) -> (Vec<f64>, usize) {
    let mut device = Device::new(config, cus);
    (0..CYCLES).for_each(|_| device.cycle());
    let runs = sorted((0..RUNS).map(|_| {
        let start = clock::nanoseconds();
        (0..CYCLES).for_each(|_| device.cycle());
        (clock::nanoseconds() - start) / f64::from(CYCLES)
    }));
    (runs, device.resident.len())
}

pub(crate) fn times(config: &MatchingConfig, cus: u16) -> Vec<f64> {
    run(config, cus).0
}

pub(crate) fn report() {
    println!();
    println!("whole cycle: 8 channels matched and placed (3 resources), 8 retired");
    println!("  CUs   median ns    best   workgroups on the device");
    for cus in [16, 64, 256, 1024] {
        let (runs, resident) = run(&MatchingConfig::default(), cus);
        println!("{cus:>5} {:>11.0} {:>7.0} {resident:>12}", median(&runs), runs[0]);
    }
}
