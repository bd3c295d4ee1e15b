//! What happens in S1 to S4?

use raddle_golden::placement::contract::XorShift;
use raddle_policy::CuId;

use crate::subject::Subject;

#[derive(Clone, Copy)]
pub(crate) enum Scenario {
    /// The device is full; one workgroup ends, one is placed.
    S1,
    /// The device fills and drains.
    S2,
    /// The same, with as many workgroups an answer as a dispatcher gets.
    S2Bulk,
    /// Eight workgroups end, then the device fills.
    S3,
    /// Four kernels share the device: one workgroup ends, each tries until none fits.
    S4,
    /// The device is full and stays so.
    Refusal,
}

impl Scenario {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::S1 => "S1",
            Self::S2 => "S2",
            Self::S2Bulk => "S2 bulk",
            Self::S3 => "S3",
            Self::S4 => "S4",
            Self::Refusal => "refusal",
        }
    }
}

/// The resident workgroups of a scenario under way.
pub(crate) struct Scene<S> {
    subject: S,
    kernels: usize,
    list: Vec<(usize, u64, CuId)>,
    draws: XorShift,
}

impl<S: Subject> Scene<S> {
    pub(crate) fn new(subject: S, kernels: usize) -> Self {
        Self { subject, kernels, list: Vec::new(), draws: XorShift::default() }
    }

    pub(crate) fn set_up(&mut self, scenario: Scenario) {
        match scenario {
            Scenario::S4 => {
                self.sweep();
                for _ in 0..5000 {
                    self.drop_and_sweep();
                }
            }
            _ => self.fill(),
        }
    }

    /// Plays so many operations; what they are counted in.
    pub(crate) fn ops(&mut self, scenario: Scenario, ops: u32) -> u64 {
        let mut counted = 0;
        for _ in 0..ops {
            counted += match scenario {
                Scenario::S1 => self.replace(),
                Scenario::S2 => self.drain_and_fill(false),
                Scenario::S2Bulk => self.drain_and_fill(true),
                Scenario::S3 => self.drop_eight_and_fill(),
                Scenario::S4 => self.drop_and_sweep(),
                Scenario::Refusal => {
                    assert!(self.subject.place(0).is_none(), "the device is full");
                    1
                }
            };
        }
        counted
    }

    fn place(&mut self, kernel: usize) -> Option<(usize, u64, CuId)> {
        let (workgroup, cu) = self.subject.place(kernel)?;
        Some((kernel, workgroup, cu))
    }

    fn pick(&mut self) -> usize {
        (self.draws.draw() % self.list.len() as u64) as usize
    }

    fn fill(&mut self) {
        while let Some(entry) = self.place(0) {
            self.list.push(entry);
        }
    }

    fn replace(&mut self) -> u64 {
        let position = self.pick();
        let (kernel, workgroup, cu) = self.list[position];
        self.subject.release(kernel, workgroup, cu);
        self.list[position] = self.place(0).expect("it always fits");
        1
    }

    fn drain_and_fill(&mut self, bulk: bool) -> u64 {
        let placed = self.list.len() as u64;
        for at in 0..self.list.len() {
            let (kernel, workgroup, cu) = self.list[at];
            self.subject.release(kernel, workgroup, cu);
        }
        self.list.clear();
        if bulk {
            let list = &mut self.list;
            self.subject.fill(0, |workgroup, cu| list.push((0, workgroup, cu)));
        } else {
            self.fill();
        }
        placed
    }

    fn drop_one(&mut self) {
        let position = self.pick();
        let (kernel, workgroup, cu) = self.list.swap_remove(position);
        self.subject.release(kernel, workgroup, cu);
    }

    fn drop_eight_and_fill(&mut self) -> u64 {
        (0..8).for_each(|_| self.drop_one());
        self.fill();
        8
    }

    fn drop_and_sweep(&mut self) -> u64 {
        self.drop_one();
        self.sweep();
        1
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
}
