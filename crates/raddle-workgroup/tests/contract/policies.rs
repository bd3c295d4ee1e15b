//! How are the policies themselves driven through a scenario?

use raddle_dispatch::Book;
use raddle_golden::placement::contract::{Algorithm, Kernel, SHAPE};
use raddle_policy::{
    Allocate, Answer, Fact, Launch, LaunchId, Piece, ReadyLaunch, ReadyView, Round, Tick, WaveSpan,
};
use raddle_workgroup::{Cursor, Greedy, GreedyConfig, Rotation, RoundRobin, RoundRobinConfig};

use crate::subject::{Placed, Subject};

/// The kernels as launches without end, one launch an algorithm object.
pub(crate) struct Policies {
    policy: Box<dyn Allocate>,
    book: Book,
    entries: Vec<ReadyLaunch>,
    round: Round,
    /// Where each workgroup lies.
    lying: Vec<Vec<Piece>>,
    /// Where scanning begins, by kernel: kept here only to count probes.
    cursors: Option<Vec<usize>>,
    probes: u64,
}

pub(crate) fn policy(algorithm: Algorithm) -> Box<dyn Allocate> {
    let (addresses, rotation) = (true, Rotation::Peer);
    match algorithm {
        Algorithm::RoundRobin => {
            let config = RoundRobinConfig { addresses, rotation, cursor: Cursor::PerLaunch };
            Box::new(RoundRobin::new(config).expect("nothing can be wrong"))
        }
        Algorithm::Greedy => {
            let config = GreedyConfig { addresses, rotation };
            Box::new(Greedy::new(config).expect("nothing can be wrong"))
        }
    }
}

impl Policies {
    pub(crate) fn new(algorithm: Algorithm, kernels: &[Kernel], cus: u16) -> Self {
        let launches = (0..).zip(kernels).map(|(id, kernel)| {
            let launch = kernel.launch(LaunchId(id), u64::MAX, cus);
            launch.expect("the kernels of the scenarios fit")
        });
        let entry = |launch: Launch| ReadyLaunch {
            launch,
            next: 0,
            assigned: 0,
            cut: 0,
            submitted: Tick::ZERO,
        };
        let round_robin = algorithm == Algorithm::RoundRobin;
        Self {
            policy: policy(algorithm),
            book: Book::new(SHAPE, cus),
            entries: launches.map(entry).collect(),
            round: Round::default(),
            lying: vec![Vec::new(); kernels.len()],
            cursors: round_robin.then(|| vec![0; kernels.len()]),
            probes: 0,
        }
    }

    fn count(&mut self, kernel: usize, found: Option<usize>) {
        let cus = self.book.cus().len();
        let start = self.cursors.as_ref().map_or(0, |cursors| cursors[kernel]);
        let probes = found.map_or(cus, |cu| (cu + cus - start) % cus + 1);
        self.probes += probes as u64;
        if let (Some(cursors), Some(cu)) = (&mut self.cursors, found) {
            cursors[kernel] = (cu + 1) % cus;
        }
    }
}

impl Subject for Policies {
    fn place(&mut self, kernel: usize) -> Option<(u64, Placed)> {
        self.round.clear();
        let entry = self.entries[kernel];
        let view = ReadyView { launches: &[entry], cus: self.book.cus() };
        let answer = self.policy.allocate(&view, Tick::ZERO, &mut self.round);
        let Answer::Start { launch, waves } = answer else {
            self.count(kernel, None);
            return None;
        };
        assert_eq!((launch, waves), (entry.launch.id, WaveSpan::All));
        let (pieces, places) = (&self.round.pieces, &self.round.places);
        let started = self.book.start(&entry.launch, waves, pieces, places);
        started.expect("no answer over-commits");
        let launch = &entry.launch;
        let fact = Fact::Started { launch, waves, pieces, places };
        self.policy.observe(&fact, Tick::ZERO);
        let piece = pieces[0];
        assert_eq!((pieces.len(), piece), (1, Piece::one(entry.next, piece.cu)));
        self.entries[kernel].next += 1;
        self.lying[kernel].push(piece);
        let places = places.clone();
        self.count(kernel, Some(piece.cu.index()));
        let cu = piece.cu;
        Some((entry.next, Placed { cu, places }))
    }

    fn release(&mut self, kernel: usize, workgroup: u64) {
        let (launch, waves) = (self.entries[kernel].launch, WaveSpan::All);
        let pieces = &[self.lying[kernel][workgroup as usize]];
        let ended = self.book.end(launch.id, waves, pieces);
        ended.expect("it was placed, and ends once");
        let fact = Fact::Ended { launch: &launch, waves, pieces };
        self.policy.observe(&fact, Tick::ZERO);
    }

    fn probes(&self) -> u64 {
        self.probes
    }
}
