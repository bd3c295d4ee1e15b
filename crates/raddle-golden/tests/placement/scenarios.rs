//! What happens in S1 to S4 and X1, with which placements, probes and hash?

use raddle_golden::placement::contract::{ContractKernel, Fnv1a, XorShift};

use crate::fixtures::{algorithm, kernel, number, table};
use crate::naive::Naive;
use crate::ours::Ours;
use crate::subject::{Subject, row};

const MIXED: [[u32; 4]; 4] =
    [[256, 32, 16, 4096], [64, 24, 32, 0], [512, 64, 48, 16384], [128, 128, 96, 8192]];
const LIMITS: [[u32; 4]; 4] =
    [[64, 7, 20, 0], [150, 21, 250, 300], [256, 30, 10, 14000], [320, 50, 100, 9000]];

/// Resident workgroups and log of a scenario that is being played.
struct Scene<'a> {
    subject: &'a mut dyn Subject,
    kernels: usize,
    list: Vec<(usize, u64)>,
    draws: XorShift,
    hash: Fnv1a,
    rows: u64,
}

impl<'a> Scene<'a> {
    fn new(subject: &'a mut dyn Subject, kernels: usize) -> Self {
        Self {
            subject,
            kernels,
            list: Vec::new(),
            draws: XorShift::default(),
            hash: Fnv1a::default(),
            rows: 0,
        }
    }

    fn place(&mut self, kernel: usize) -> Option<(usize, u64)> {
        let (workgroup, placed) = self.subject.place(kernel)?;
        let line = row(kernel as u64, &placed) + "\n";
        self.hash.update(line.as_bytes());
        self.rows += 1;
        Some((kernel, workgroup))
    }

    fn fill(&mut self) {
        while let Some(entry) = self.place(0) {
            self.list.push(entry);
        }
    }

    fn pick(&mut self) -> usize {
        (self.draws.draw() % self.list.len() as u64) as usize
    }

    fn drop_one(&mut self) {
        let position = self.pick();
        let (kernel, workgroup) = self.list.swap_remove(position);
        self.subject.release(kernel, workgroup);
    }

    fn sweep(&mut self) {
        loop {
            let mut placed = false;
            for kernel in 0..self.kernels {
                if let Some(entry) = self.place(kernel) {
                    self.list.push(entry);
                    placed = true;
                }
            }
            if !placed {
                break;
            }
        }
    }

    fn set_up(&mut self, scenario: &str) {
        match scenario {
            "S4" | "X1" => self.sweep(),
            _ => self.fill(),
        }
        if scenario == "S4" {
            (0..5000).for_each(|_| self.op(scenario));
        }
    }

    /// Makes one operation of a scenario, such as a placement; S2 releases what the operation
    /// before it placed.
    fn op(&mut self, scenario: &str) {
        match scenario {
            "S1" => {
                let position = self.pick();
                let (kernel, workgroup) = self.list[position];
                self.subject.release(kernel, workgroup);
                self.list[position] = self.place(0).expect("it always fits");
            }
            "S2" => {
                for (kernel, workgroup) in std::mem::take(&mut self.list) {
                    self.subject.release(kernel, workgroup);
                }
                self.fill();
            }
            "S3" => {
                (0..8).for_each(|_| self.drop_one());
                self.fill();
            }
            _ => {
                self.drop_one();
                self.sweep();
            }
        }
    }
}

fn kernels(scenario: &str) -> Vec<ContractKernel> {
    let given: &[[u32; 4]] = match scenario {
        "S4" => &MIXED,
        "X1" => &LIMITS,
        _ => &MIXED[..1],
    };
    given.iter().copied().map(kernel).collect()
}

/// Plays the scenario of one row of the table, and returns the row with the figures that were
/// found.
fn play(subject: &mut dyn Subject, expected: &[String]) -> Vec<String> {
    let scenario = expected[0].as_str();
    let mut scene = Scene::new(subject, kernels(scenario).len());
    scene.set_up(scenario);
    let (rows, probes) = (scene.rows, scene.subject.probes());
    (0..number(&expected[2])).for_each(|_| scene.op(scenario));
    let mut found = expected[..4].to_vec();
    found.extend([
        scene.rows.to_string(),
        scene.list.len().to_string(),
        (scene.rows - rows).to_string(),
        (scene.subject.probes() - probes).to_string(),
        format!("{:016x}", scene.hash.0),
    ]);
    found
}

#[test]
fn the_algorithms_give_every_check_value() {
    for expected in table("scenarios.csv") {
        let (kernels, cus) = (kernels(&expected[0]), number(&expected[1]) as u16);
        let mut ours = Ours::new(algorithm(&expected[3]), &kernels, cus);
        assert_eq!(play(&mut ours, &expected), expected);
    }
}

/// Checks the naive device too against the check values, in the scenario that does not take long.
#[test]
fn the_naive_device_gives_the_check_values_of_s3() {
    for expected in table("scenarios.csv").iter().filter(|row| row[0] == "S3") {
        let mut naive = Naive::new(algorithm(&expected[3]), &kernels("S3"), 64);
        assert_eq!(play(&mut naive, expected), *expected);
    }
}
