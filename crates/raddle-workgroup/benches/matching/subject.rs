//! What places and releases workgroups?

use std::hint::black_box;

use raddle_golden::placement::contract::{Kernel, SHAPE};
use raddle_policy::{
    Allocate, Answer, CuId, Cus, Fact, Launch, LaunchId, Piece, ReadyLaunch, ReadyView, Round,
    Tick, WaveSpan,
};
use raddle_workgroup::{Matching, MatchingConfig};

pub(crate) trait Subject {
    /// Places the next workgroup of a kernel; its number and compute unit.
    fn place(&mut self, kernel: usize) -> Option<(u64, CuId)>;
    /// As many as fit of a kernel, in as few answers as it gives; each is handed to `placed`.
    fn fill(&mut self, kernel: usize, mut placed: impl FnMut(u64, CuId)) {
        while let Some((workgroup, cu)) = self.place(kernel) {
            placed(workgroup, cu);
        }
    }
    fn release(&mut self, kernel: usize, workgroup: u64, cu: CuId);
}

/// The policy, asked and told through its trait.
pub(crate) struct TheMatching {
    policy: Matching,
    cus: Cus,
    entries: Vec<ReadyLaunch>,
    round: Round,
}

impl TheMatching {
    pub(crate) fn new(kernels: &[Kernel], cus: u16) -> Self {
        Self::with(&MatchingConfig::default(), kernels, cus)
    }

    pub(crate) fn with(config: &MatchingConfig, kernels: &[Kernel], cus: u16) -> Self {
        let launch = |(id, kernel): (u32, &Kernel)| -> Launch {
            kernel.launch(LaunchId(id), u64::MAX / 2, cus).expect("it fits an empty device")
        };
        let entry =
            |launch| ReadyLaunch { launch, next: 0, assigned: 0, cut: 0, submitted: Tick::ZERO };
        let policy = Matching::new(config.clone(), SHAPE, cus);
        Self {
            policy: policy.expect("the contract's shape can be searched"),
            cus: Cus::new(SHAPE, cus),
            entries: (0..).zip(kernels).map(launch).map(entry).collect(),
            round: Round::default(),
        }
    }
}

impl Subject for TheMatching {
    fn place(&mut self, kernel: usize) -> Option<(u64, CuId)> {
        let launches = &self.entries[kernel..=kernel];
        let view = ReadyView { launches, cus: &self.cus };
        self.round.clear();
        match self.policy.allocate(&view, Tick::ZERO, &mut self.round) {
            Answer::Start { .. } => {
                black_box(&self.round.places);
                let piece = self.round.pieces[0];
                self.entries[kernel].next += 1;
                Some((piece.first, piece.cu))
            }
            _ => None,
        }
    }

    /// As a dispatcher asks: one answer may place many.
    fn fill(&mut self, kernel: usize, mut placed: impl FnMut(u64, CuId)) {
        loop {
            let launches = &self.entries[kernel..=kernel];
            let view = ReadyView { launches, cus: &self.cus };
            self.round.clear();
            let answer = self.policy.allocate_round(&view, Tick::ZERO, &mut self.round);
            let Answer::Start { .. } = answer else { return };
            black_box(&self.round.places);
            for piece in &self.round.pieces {
                piece.workgroups().for_each(|workgroup| placed(workgroup, piece.cu));
                self.entries[kernel].next += u64::from(piece.count);
            }
        }
    }

    fn release(&mut self, kernel: usize, workgroup: u64, cu: CuId) {
        let launch = &self.entries[kernel].launch;
        let pieces = &[Piece::one(workgroup, cu)];
        let fact = Fact::Ended { launch, waves: WaveSpan::All, pieces };
        self.policy.observe(&fact, Tick::ZERO);
    }
}
