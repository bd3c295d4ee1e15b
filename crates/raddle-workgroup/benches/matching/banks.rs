//! How long does matching take on bare maps: every head against every SIMD, and a cycle of it?
//!
//! Three maps a SIMD (registers, scalar registers, LDS) in three banks, whose byte summaries are
//! live. No policy: no levels that change, no addresses by wave, no refusals. What is left is what
//! matching costs at least.

use std::hint::black_box;

use raddle_bitmap::batch::{Comparer, fits, words_of_answers};
use raddle_bitmap::{Bank, Map64, Map128};
use raddle_golden::placement::contract::XorShift;

use crate::{RUNS, clock, median, sorted};

const HEADS: usize = 8;
const SIMDS: usize = 4;
const CALLS: u32 = 40_000;

/// A workgroup on a SIMD: where, and from where how much of each resource.
struct Resident {
    simd: usize,
    runs: [(u32, u32); 3],
}

struct Device {
    registers: Bank<Map128>,
    scalar: Bank<Map64>,
    lds: Bank<Map64>,
    resident: Vec<Resident>,
    answers: Vec<u64>,
    draws: XorShift,
}

impl Device {
    fn new(cus: usize) -> Self {
        let simds = cus * SIMDS;
        let held = "few maps, of few blocks";
        let mut device = Self {
            registers: Bank::new(simds, 128).expect(held),
            scalar: Bank::new(simds, 64).expect(held),
            lds: Bank::new(simds, 48).expect(held),
            resident: Vec::new(),
            answers: vec![0; HEADS * words_of_answers(simds)],
            draws: XorShift::default(),
        };
        // Until hardly anything fits, and then a third of it goes.
        while device.place(Comparer::best()) > 0 {}
        for _ in 0..device.resident.len() / 3 {
            device.retire();
        }
        device.refresh();
        device
    }

    fn draw(&mut self, below: usize) -> usize {
        (self.draws.draw() % below as u64) as usize
    }

    fn refresh(&mut self) {
        self.registers.refresh();
        self.scalar.refresh();
        self.lds.refresh();
    }

    /// What eight heads want of each resource.
    fn wants(&mut self) -> [[u8; 3]; HEADS] {
        std::array::from_fn(|_| {
            [8 + self.draw(33), 2 + self.draw(15), 1 + self.draw(12)].map(|want| want as u8)
        })
    }

    fn fits(&mut self, comparer: Comparer, wants: &[[u8; 3]; HEADS]) {
        let found = [self.registers.bytes(), self.scalar.bytes(), self.lds.bytes()];
        fits(comparer, &found, wants, &mut self.answers).expect("the banks are equally large");
    }

    /// Matches eight heads, and places each on a SIMD of its own; how many were placed.
    fn place(&mut self, comparer: Comparer) -> usize {
        let wants = self.wants();
        self.fits(comparer, &wants);
        let (words, mut chosen, mut count) = (self.answers.len() / HEADS, [usize::MAX; HEADS], 0);
        for (head, want) in wants.iter().enumerate() {
            let answers = &self.answers[head * words..][..words];
            let mut fitting = set_bits(answers);
            let Some(simd) = fitting.find(|simd| !chosen[..count].contains(simd)) else { continue };
            let plans = [
                self.registers.map(simd).map(|map| map.first_fit(want[0].into())),
                self.scalar.map(simd).map(|map| map.first_fit(want[1].into())),
                self.lds.map(simd).map(|map| map.first_fit(want[2].into())),
            ];
            let [Ok(Some(first)), Ok(Some(second)), Ok(Some(third))] = plans else {
                unreachable!("the bytes are live, and a SIMD is chosen once")
            };
            let runs = [&first, &second, &third].map(|plan| (plan.start(), plan.len()));
            let taken = "nothing happened since the search";
            self.registers.commit(simd, first).expect(taken);
            self.scalar.commit(simd, second).expect(taken);
            self.lds.commit(simd, third).expect(taken);
            self.resident.push(Resident { simd, runs });
            chosen[count] = simd;
            count += 1;
        }
        self.refresh();
        count
    }

    fn retire(&mut self) {
        let at = self.draw(self.resident.len());
        let Resident { simd, runs } = self.resident.swap_remove(at);
        let held = "it was taken, and is given back once";
        self.registers.release(simd, runs[0].0, runs[0].1).expect(held);
        self.scalar.release(simd, runs[1].0, runs[1].1).expect(held);
        self.lds.release(simd, runs[2].0, runs[2].1).expect(held);
    }

    fn cycle(&mut self) {
        let placed = self.place(Comparer::best());
        (0..placed).for_each(|_| self.retire());
    }
}

fn set_bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(at, &word)| {
        let next = |rest: &u64| Some(rest & (rest - 1)).filter(|&rest| rest != 0);
        let first = Some(word).filter(|&word| word != 0);
        std::iter::successors(first, next).map(move |rest| at * 64 + rest.trailing_zeros() as usize)
    })
}

pub(crate) fn report() {
    println!();
    println!("on bare maps: {HEADS} heads against every SIMD, 3 resources, from live bytes");
    println!("  CUs   comparer   median ns    best   pairs that fit");
    for cus in [64, 1024] {
        for &comparer in Comparer::ALL {
            one_comparer(cus, comparer);
        }
    }
    println!();
    println!(
        "on bare maps: {HEADS} heads matched and placed on SIMDs of their own, {HEADS} retired"
    );
    println!("  CUs   median ns    best   workgroups on the device");
    for cus in [16, 64, 256, 1024] {
        let mut device = Device::new(cus);
        let runs = times(|| device.cycle());
        let resident = device.resident.len();
        println!("{cus:>5} {:>11.0} {:>7.0} {resident:>12}", median(&runs), runs[0]);
    }
}

fn one_comparer(cus: usize, comparer: Comparer) {
    if !comparer.is_here() {
        println!("{cus:>5}   {:<8}   not run: the processor lacks it", comparer.name());
        return;
    }
    let mut device = Device::new(cus);
    let wants: [_; 64] = std::array::from_fn(|_| device.wants());
    let mut turn = 0;
    let runs = times(|| {
        turn = (turn + 1) % wants.len();
        device.fits(comparer, &wants[turn]);
        black_box(&device.answers);
    });
    let fitting: u32 = device.answers.iter().map(|word| word.count_ones()).sum();
    let share = 100.0 * f64::from(fitting) / (HEADS * SIMDS * cus) as f64;
    let (name, median) = (comparer.name(), median(&runs));
    println!("{cus:>5}   {name:<8} {median:>11.1} {:>7.1} {share:>9.0} %", runs[0]);
}

/// Nanoseconds a call, ascending.
fn times(mut call: impl FnMut()) -> Vec<f64> {
    (0..CALLS).for_each(|_| call());
    sorted((0..RUNS).map(|_| {
        let start = clock::nanoseconds();
        (0..CALLS).for_each(|_| call());
        (clock::nanoseconds() - start) / f64::from(CALLS)
    }))
}
