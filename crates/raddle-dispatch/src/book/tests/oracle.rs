//! Does the account of resident workgroups equal a naive ledger of single waves?
//!
//! The ledger knows every wave by its SIMD and adds everything up anew for each question.

use std::collections::BTreeMap;

use super::ledger::{Group, Kind, Ledger};
use crate::book::Reason;
use crate::book::{Book, BookError};
use proptest::collection::vec;
use proptest::prelude::*;
use raddle_policy::{Barrier, CuId, CuShape, Cus, Launch, LaunchId, Piece, Place, WaveSpan};
use raddle_testkit::{any_launch, any_shape};

/// One random operation on the tested account and on the oracle; its numbers are reduced to the
/// range of the device.
#[derive(Clone, Copy, Debug)]
enum Step {
    Counted { launch: usize, cus: [u16; 2], counts: [u32; 2] },
    Addressed { launch: usize, cu: u16, simds: u32, count: u32 },
    Waves { launch: usize, cu: u16, count: u16 },
    Cut { launch: usize, cu: u16, simds: u32, count: u16 },
    End { which: usize, count: u32 },
    SaveAndRestore { launch: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let launch = 0usize..3;
    let counts = [0u32..=4, 1u32..=3];
    prop_oneof![
        3 => (launch.clone(), [0u16..6, 0u16..6], counts)
            .prop_map(|(launch, cus, counts)| Step::Counted { launch, cus, counts }),
        3 => (launch.clone(), 0u16..6, any::<u32>(), 1u32..=2)
            .prop_map(|(launch, cu, simds, count)| Step::Addressed { launch, cu, simds, count }),
        3 => (launch.clone(), 0u16..6, 1u16..=6)
            .prop_map(|(launch, cu, count)| Step::Waves { launch, cu, count }),
        3 => (launch.clone(), 0u16..6, any::<u32>(), 1u16..=3)
            .prop_map(|(launch, cu, simds, count)| Step::Cut { launch, cu, simds, count }),
        4 => (0usize..64, 1u32..=3).prop_map(|(which, count)| Step::End { which, count }),
        1 => launch.prop_map(|launch| Step::SaveAndRestore { launch }),
    ]
}

fn setup() -> impl Strategy<Value = (CuShape, u16, Vec<Launch>, Vec<Step>)> {
    any_shape().prop_flat_map(|shape| {
        let launches = vec(any_launch(shape, 1, true), 3);
        (Just(shape), 1u16..=4, launches, vec(step(), 1..60)).prop_map(
            |(shape, cus, mut launches, steps)| {
                for (id, launch) in (0..).zip(&mut launches) {
                    launch.id = LaunchId(id);
                    // Any of its workgroups may be cut, and it never ends.
                    launch.barrier = Barrier::No;
                    launch.workgroups = u64::MAX;
                }
                (shape, cus, launches, steps)
            },
        )
    })
}

/// Returns a generator of pseudo-random SIMD numbers below `simds`.
fn random(mut code: u32, simds: u8) -> impl FnMut() -> u8 {
    move || {
        code = code.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((code >> 16) % u32::from(simds)) as u8
    }
}

/// The tested account (`Book`) with its oracle, the naive ledger, and the next workgroup of each
/// launch.
struct Pair {
    book: Book,
    ledger: Ledger,
    next: BTreeMap<LaunchId, u64>,
    /// The number of waves that have started, by launch, of its next workgroup, where that was cut
    /// (its waves may be on different compute units).
    cut: BTreeMap<LaunchId, u16>,
}

impl Pair {
    /// Starts workgroups in the tested account. Checks that it accepts them exactly if the oracle
    /// does (`ledger` is not `None`), and that a refusal changes nothing.
    fn start(
        &mut self,
        launch: &Launch,
        waves: WaveSpan,
        pieces: &[Piece],
        places: &[Place],
        ledger: Option<Ledger>,
    ) -> bool {
        let before = self.book.clone();
        let goes_on = self.cut.get(&launch.id).filter(|_| !matches!(waves, WaveSpan::Cut { .. }));
        let refused = match (self.book.start(launch, waves, pieces, places), ledger) {
            // Waves of a workgroup that had begun before go on beside a workgroup that is cut.
            (Ok(()), Some(ledger)) => {
                self.ledger = ledger;
                return true;
            }
            (Err(BookError(Reason::CutGoesOn { launch: id, wave, .. })), _) => {
                goes_on.is_some_and(|&cut| (id, wave) == (launch.id, cut))
            }
            (Err(BookError(Reason::Overcommit { launch: id, .. })), None) => id == launch.id,
            _ => false,
        };
        assert!(refused, "{pieces:?}");
        assert_eq!(self.book.cus(), before.cus());
        assert_eq!(self.book.resident_waves(launch.id), before.resident_waves(launch.id));
        false
    }

    fn next(&self, launch: &Launch) -> u64 {
        self.next.get(&launch.id).copied().unwrap_or(0)
    }

    fn counted(&mut self, launch: &Launch, cus: [u16; 2], counts: [u32; 2]) {
        let mut pieces = Vec::new();
        let mut next = self.next(launch);
        for (cu, count) in cus.into_iter().zip(counts).filter(|&(_, count)| count > 0) {
            pieces.push(Piece { first: next, stride: 1, count, cu: CuId(cu) });
            next += u64::from(count);
        }
        let mut ledger = Some(self.ledger.clone());
        for piece in &pieces {
            for _ in 0..piece.count {
                ledger = ledger.and_then(|it| it.with_whole(launch, piece.cu));
            }
        }
        if self.start(launch, WaveSpan::All, &pieces, &[], ledger) {
            self.next.insert(launch.id, next);
        }
    }

    fn addressed(&mut self, launch: &Launch, cu: CuId, code: u32, count: u32) {
        let mut places = Vec::new();
        let mut ledger = Some(self.ledger.clone());
        let (waves, first) = (launch.demand.waves, self.next(launch));
        let mut random = random(code, self.ledger.shape.simds);
        for i in 0..count {
            // An even code places waves where the ledger would, an odd code places them at random.
            let whole = ledger.clone().and_then(|it| it.with_whole(launch, cu));
            let chosen = whole.and_then(|it| Some(it.groups.last()?.simds.clone()));
            let simds = chosen
                .filter(|_| code.is_multiple_of(2))
                .unwrap_or_else(|| (0..waves).map(|_| random()).collect());
            places.extend(simds.iter().map(|&simd| Place { simd, ..Place::default() }));
            let kind = Kind::Addressed(first + u64::from(i));
            let simds = simds.into_iter().map(Some);
            ledger = ledger.and_then(|it| it.with(launch, cu, kind, simds));
        }
        let pieces = [Piece { first, stride: 1, count, cu }];
        if self.start(launch, WaveSpan::All, &pieces, &places, ledger) {
            self.next.insert(launch.id, first + u64::from(count));
        }
    }

    /// Starts `count` further waves of the launch's partly started workgroup or, where there is
    /// none, of its next workgroup.
    fn waves(&mut self, launch: &Launch, cu: CuId, count: u16) {
        let begun = self.ledger.begun(launch);
        let next = self.next(launch);
        let (cu, kind, first) =
            begun.map_or((cu, Kind::Partial(next), 0), |it| (it.cu, it.kind, it.started));
        let Kind::Partial(workgroup) = kind else { unreachable!("it begins so") };
        let count = count.min(launch.demand.waves - first);
        let ledger = self.ledger.clone().with(launch, cu, kind, vec![None; count.into()]);
        let waves = WaveSpan::Range { first, count };
        let started = self.start(launch, waves, &[Piece::one(workgroup, cu)], &[], ledger);
        if started && first == 0 {
            self.next.insert(launch.id, next + 1);
        }
    }

    /// Starts `count` further waves of the launch's cut workgroup (its waves may be on different
    /// compute units) or, where there is none, cuts its next workgroup. Returns whether the waves
    /// fitted.
    fn cut(&mut self, launch: &Launch, cu: CuId, code: u32, count: u16) -> bool {
        let workgroup = self.next(launch);
        let first = self.cut.get(&launch.id).copied().unwrap_or(0);
        let count = count.min(launch.demand.waves - first);
        let mut random = random(code, self.ledger.shape.simds);
        let simds: Vec<Option<u8>> =
            (0..count).map(|_| (code % 3 == 1).then(&mut random)).collect();
        let place = |simd: &Option<u8>| simd.map(|simd| Place { simd, ..Place::default() });
        let places: Vec<Place> = simds.iter().filter_map(place).collect();
        let ledger = self.ledger.clone().with(launch, cu, Kind::Cut(workgroup, first), simds);
        let waves = WaveSpan::Cut { first, count };
        let started = self.start(launch, waves, &[Piece::one(workgroup, cu)], &places, ledger);
        if started {
            let wave = first + count;
            self.cut.insert(launch.id, wave);
            if wave == launch.demand.waves {
                self.cut.remove(&launch.id);
                self.next.insert(launch.id, workgroup + 1);
            }
        }
        started
    }

    fn end(&mut self, which: usize, count: u32) {
        let resident = self.ledger.groups.iter().filter(|group| !group.simds.is_empty());
        let all: Vec<Group> = resident.cloned().collect();
        let Some(&Group { cu, launch: id, kind, started, ref simds, .. }) =
            all.get(which % all.len().max(1))
        else {
            return;
        };
        match kind {
            Kind::Counted => {
                let same = |it: &&Group| (it.cu, it.launch, it.kind) == (cu, id, kind);
                let there = all.iter().filter(same).count() as u32;
                let piece = Piece { first: 1 << 40, stride: 1, count, cu };
                let ended = self.book.end(id, WaveSpan::All, &[piece]);
                assert_eq!(ended.is_ok(), count <= there, "{ended:?}, {count} of {there}");
                for _ in 0..if ended.is_ok() { count } else { 0 } {
                    self.ledger.end_counted(id, cu);
                }
            }
            Kind::Addressed(workgroup) => {
                self.book.end(id, WaveSpan::All, &[Piece::one(workgroup, cu)]).expect("resident");
                self.ledger.remove(id, kind);
            }
            Kind::Cut(workgroup, first) => {
                let (count, piece) = (started, Piece::one(workgroup, cu));
                // The part cannot be ended under another span of waves than that of its start.
                for other in [
                    WaveSpan::Range { first, count },
                    WaveSpan::Cut { first, count: count + 1 },
                    WaveSpan::Cut { first, count: count - 1 },
                ] {
                    let wrong = self.book.end(id, other, &[piece]);
                    assert_eq!(
                        wrong,
                        Err(BookError(Reason::Waves { launch: id, workgroup })),
                        "{other:?}"
                    );
                }
                self.book.end(id, WaveSpan::Cut { first, count }, &[piece]).expect("resident");
                self.ledger.remove(id, kind);
            }
            Kind::Partial(workgroup) => {
                let resident = simds.len() as u16;
                let (first, count) = (started - resident, resident.min(count as u16));
                let waves = WaveSpan::Range { first, count };
                self.book.end(id, waves, &[Piece::one(workgroup, cu)]).expect("resident");
                self.ledger.end_waves(id, kind, count);
            }
        }
    }

    /// Ends every wave of a launch that is on the device.
    fn end_all(&mut self, id: LaunchId) {
        while self.ledger.waves_of(id) > 0 {
            let mut resident = self.ledger.groups.iter().filter(|group| !group.simds.is_empty());
            let which = resident.position(|group| group.launch == id).expect("counted");
            self.end(which, 1);
        }
    }

    fn save_and_restore(&mut self, id: LaunchId) {
        let before = self.book.clone();
        let whole = self.ledger.clone();
        let mut killed = self.book.clone();
        if !self.book.save(id) {
            assert_eq!(self.ledger.waves_of(id), 0);
            return;
        }
        assert!(killed.kill(id) && !killed.kill(id) && !killed.save(id));
        assert_eq!(killed.cus(), self.book.cus());
        self.ledger.groups.retain(|group| group.launch != id);
        self.compare(&[]);
        assert!(self.book.restore(id) && !self.book.restore(id), "nothing else came");
        self.ledger = whole;
        assert_eq!(self.book.cus(), before.cus());
    }

    fn compare(&self, launches: &[Launch]) {
        let cus = self.book.cus();
        for cu in cus.ids() {
            for simd in 0..self.ledger.shape.simds {
                assert_eq!(cus.simd(cu, simd), self.ledger.free_of(cu, simd), "{cu} SIMD {simd}");
            }
            assert_eq!(cus.free(cu), self.ledger.free(cu), "{cu}");
            for Launch { id, demand, .. } in launches {
                let room = self.ledger.room(cu, demand);
                assert_eq!(cus.room(cu, demand), room, "room for {id} on {cu}");
                assert_eq!(cus.lacking(cu, demand).is_none(), room > 0, "{id} on {cu}");
            }
        }
        for Launch { id, .. } in launches {
            assert_eq!(self.book.resident_waves(*id), self.ledger.waves_of(*id), "{id}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_book_agrees_with_a_ledger_of_waves((shape, cus, launches, steps) in setup()) {
        let mut pair = Pair {
            book: Book::new(shape, cus),
            ledger: Ledger { shape, groups: Vec::new() },
            next: BTreeMap::new(),
            cut: BTreeMap::new(),
        };
        for step in steps {
            match step {
                Step::Counted { launch, cus: at, counts } => {
                    pair.counted(&launches[launch], at.map(|cu| cu % cus), counts);
                }
                Step::Addressed { launch, cu, simds, count } => {
                    pair.addressed(&launches[launch], CuId(cu % cus), simds, count);
                }
                Step::Waves { launch, cu, count } => {
                    pair.waves(&launches[launch], CuId(cu % cus), count);
                }
                Step::Cut { launch, cu, simds, count } => {
                    pair.cut(&launches[launch], CuId(cu % cus), simds, count);
                }
                Step::End { which, count } => pair.end(which, count),
                Step::SaveAndRestore { launch } => pair.save_and_restore(LaunchId(launch as u32)),
            }
            pair.compare(&launches);
        }
        // At last all workgroups end, the partly started ones wave by wave, and everything is free.
        for launch in &launches {
            pair.end_all(launch.id);
        }
        for launch in &launches {
            while pair.ledger.begun(launch).is_some() {
                pair.waves(launch, CuId(0), 1);
                prop_assert!(pair.ledger.waves_of(launch.id) > 0, "one wave fits an empty unit");
                pair.end_all(launch.id);
            }
        }
        for launch in &launches {
            while pair.cut.contains_key(&launch.id) {
                prop_assert!(pair.cut(launch, CuId(0), 0, 1), "one wave fits an empty unit");
                pair.end_all(launch.id);
            }
        }
        prop_assert_eq!(pair.book.cus(), &Cus::new(shape, cus));
        for launch in &launches {
            prop_assert!(!pair.book.save(launch.id), "something of it is left");
        }
    }
}
