//! When is a workgroup cut that never fits, and what becomes of its waves (seed 000, E3)?

use raddle_policy::{
    Allocate, Answer, Barrier, CuId, CuShape, Cus, Demand, Fact, Launch, Level, Piece, ReadyLaunch,
    ReadyView, Resource, Round, Tick, WaveSpan,
};
use raddle_testkit::{SMALL_CU, altered, demand, ready};
use raddle_workgroup::{Matching, MatchingConfig, SplitRule};

const SHAPE: CuShape =
    CuShape { waves_per_simd: 2, vgpr_per_simd: 8, lds: 8, workgroups: 4, barriers: 4, ..SMALL_CU };

fn launch(id: u32, barrier: Barrier, waves: u16, lds: u32) -> Launch {
    let launch = raddle_testkit::launch(id).stream(id).level(1).workgroups(2).barrier(barrier);
    launch.demand(Demand { lds, ..demand(waves, 2) }).build()
}

/// A policy on two compute units, with the launches that wait.
struct Scene {
    policy: Matching,
    cus: Cus,
    entries: Vec<ReadyLaunch>,
}

impl Scene {
    fn new(threshold: u64, launches: &[Launch]) -> Self {
        let split = Some(SplitRule::default().with_threshold(threshold).with_retry_us(Some(1)));
        let config = MatchingConfig::default().with_split(split);
        Self {
            policy: Matching::new(config, SHAPE, 2).expect("the scenario is sound"),
            cus: Cus::new(SHAPE, 2),
            entries: launches.iter().copied().map(ready).collect(),
        }
    }

    /// Asks the policy one question at the time `us`, in microseconds, and enters its answer in the
    /// list of launches, as a dispatcher would.
    fn ask(&mut self, us: u64) -> (Answer, Round) {
        let mut round = Round::default();
        let view = ReadyView::new(&self.entries, &self.cus);
        let answer = self.policy.allocate(&view, Tick(us * 1_000), &mut round);
        if let Answer::Start { launch, waves } = answer {
            let entry = self
                .entries
                .iter_mut()
                .find(|it| it.launch().id == launch)
                .expect("the scenario is sound");
            *entry = match waves {
                WaveSpan::Cut { .. } if entry.cut() + 1 < entry.launch().demand.waves => {
                    entry.with_cut(entry.cut() + 1)
                }
                _ => entry.with_next(entry.next() + 1).with_cut(0),
            };
        }
        (answer, round)
    }

    /// Returns everything that starts at the time `us`, in microseconds: (launch, workgroup, its
    /// wave if it is cut, compute unit).
    fn starts(&mut self, us: u64) -> Vec<(u32, u64, Option<u16>, u16)> {
        let mut started = vec![];
        loop {
            match self.ask(us) {
                (Answer::Start { launch, waves }, round) => {
                    let wave = match waves {
                        WaveSpan::Cut { first, count: 1 } => Some(first),
                        _ => None,
                    };
                    let piece = round.pieces[0];
                    started.push((launch.0, piece.first, wave, piece.cu.0));
                }
                _ => return started,
            }
        }
    }

    fn end(&mut self, launch: usize, workgroup: u64, wave: Option<u16>, cu: u16) {
        let waves = wave.map_or(WaveSpan::All, |first| WaveSpan::Cut { first, count: 1 });
        let launch = &self.entries[launch].launch();
        let pieces = &[Piece::one(workgroup, CuId(cu))];
        self.policy.observe(&Fact::Ended { launch, waves, pieces }, Tick::ZERO);
    }
}

/// Makes two compute units that are three quarters full, so that a workgroup of two waves fits only
/// wave by wave, one wave on each.
fn nearly_full(threshold: u64, barrier: Barrier) -> Scene {
    let filler = launch(0, Barrier::Yes, 3, 0).with_level(Level(0));
    let mut scene = Scene::new(threshold, &[filler, launch(1, barrier, 2, 3)]);
    assert_eq!((scene.ask(0).1.pieces[0].cu, scene.ask(0).1.pieces[0].cu), (CuId(0), CuId(1)));
    scene
}

#[test]
fn a_workgroup_is_cut_when_failures_exceed_the_threshold() {
    for threshold in [0, 1, 3, 256] {
        let mut scene = nearly_full(threshold, Barrier::No);
        for round in 0..threshold {
            let (answer, _) = scene.ask(round);
            // Asked again before, the count is the same: it says when the round comes that cuts.
            let retry_at = Some(Tick(threshold * 1_000));
            assert_eq!(answer, Answer::Wait { retry_at }, "round {round} of {threshold}");
            assert_eq!(scene.ask(round).0, answer, "asked again at once: the same round");
        }
        // Failure threshold + 1; each piece takes the whole LDS, so they lie apart.
        let pieces = [(1, 0, Some(0), 0), (1, 0, Some(1), 1)];
        assert_eq!(scene.starts(threshold), pieces, "{threshold}");
        // The next workgroup waits whole, and the count begins again.
        if threshold > 0 {
            let retry_at = Some(Tick((2 * threshold + 1) * 1_000));
            assert_eq!(scene.ask(threshold + 1).0, Answer::Wait { retry_at });
        }
    }
}

#[test]
fn rounds_without_a_question_count() {
    for threshold in [1, 3, 256] {
        let mut scene = nearly_full(threshold, Barrier::No);
        let retry_at = Some(Tick(threshold * 1_000));
        assert_eq!(scene.ask(0).0, Answer::Wait { retry_at });
        // Too early by a round, where there is one before, and then in time.
        if threshold > 1 {
            assert_eq!(scene.ask(threshold - 1).0, Answer::Wait { retry_at });
        }
        assert_eq!(scene.starts(threshold).len(), 2, "{threshold}");
    }
}

/// Checks that no time counts as failed decisions while nothing could be cut. In one tick, without
/// an event between two questions, a launch that stays whole may take the place of a head (next
/// workgroup of a channel) that could be cut: a packet that was submitted earlier arrives in front
/// of it.
#[test]
fn time_in_which_nothing_could_be_cut_has_no_rounds() {
    let mut scene = nearly_full(2, Barrier::No);
    assert_eq!(scene.ask(0).0, Answer::Wait { retry_at: Some(Tick(2_000)) });
    let behind = std::mem::replace(&mut scene.entries[1], ready(launch(2, Barrier::Yes, 2, 3)));
    assert_eq!(scene.ask(0).0, Answer::WAIT, "the same round");
    // The wake that was ordered comes: failure 2, as none was counted in the meantime.
    assert_eq!(scene.ask(2).0, Answer::WAIT);
    scene.entries[1] = behind;
    assert_eq!(scene.starts(3), [(1, 0, Some(0), 0), (1, 0, Some(1), 1)], "failure 3 cuts");
}

#[test]
fn a_piece_takes_no_barrier() {
    // Of four barriers each workgroup takes one; the fifth fits as pieces alone.
    let shape = CuShape { waves_per_simd: 20, vgpr_per_simd: 80, workgroups: 20, ..SHAPE };
    let split = Some(SplitRule::default().with_threshold(0));
    let config = MatchingConfig::default().with_split(split);
    let policy = Matching::new(config, shape, 1).expect("the scenario is sound");
    let one = raddle_testkit::launch(0).workgroups(5).barrier(Barrier::No);
    let one = one.demand(Demand { barriers: 1, ..demand(2, 2) }).build();
    let cus = Cus::new(shape, 1);
    let mut scene = Scene { policy, cus, entries: vec![ready(one)] };
    let started: Vec<_> = scene.starts(0).into_iter().map(|it| (it.1, it.2)).collect();
    let whole = [(0, None), (1, None), (2, None), (3, None)];
    assert_eq!(started, [&whole[..], &[(4, Some(0)), (4, Some(1))]].concat());
}

#[test]
fn one_whose_waves_meet_is_never_cut() {
    for barrier in [Barrier::Yes, Barrier::Assumed] {
        let mut scene = nearly_full(2, barrier);
        for round in 0..1_000 {
            // There is nothing to cut, so nothing asks for rounds either.
            assert_eq!(scene.ask(round).0, Answer::WAIT);
        }
    }
}

#[test]
fn a_success_begins_the_count_again() {
    let mut scene = nearly_full(3, Barrier::No);
    assert_eq!((scene.starts(0), scene.starts(1), scene.starts(2)), (vec![], vec![], vec![]));
    scene.end(0, 1, None, 1);
    // Both of the launch fit on what has become free.
    assert_eq!(scene.starts(3), [(1, 0, None, 1), (1, 1, None, 1)]);
    let more = altered(*scene.entries[1].launch(), |it| it.workgroups = 4);
    scene.entries[1] = ready(more).with_next(scene.entries[1].next());
    for round in 4..7 {
        assert_eq!(scene.starts(round), [], "{round}");
    }
    // Failures 1 (after the success), 2, 3; the fourth cuts. One piece fits, on the first unit.
    assert_eq!(scene.starts(7), [(1, 2, Some(0), 0)]);
}

#[test]
fn pieces_end_by_themselves_and_give_everything_back() {
    let mut scene = nearly_full(0, Barrier::No);
    assert_eq!(scene.starts(0), [(1, 0, Some(0), 0), (1, 0, Some(1), 1)]);
    scene.entries.truncate(1);
    // Two workgroups that want a whole compute unit each.
    let whole = launch(2, Barrier::Yes, 4, 8).with_level(Level(0));
    scene.entries.push(ready(whole));
    let cut = launch(1, Barrier::No, 2, 3);
    let end = |scene: &mut Scene, first, cu| {
        let (waves, pieces) = (WaveSpan::Cut { first, count: 1 }, &[Piece::one(0, CuId(cu))]);
        let fact = Fact::Ended { launch: &cut, waves, pieces };
        scene.policy.observe(&fact, Tick::ZERO);
    };
    scene.end(0, 0, None, 0);
    scene.end(0, 1, None, 1);
    end(&mut scene, 0, 1);
    assert_eq!(scene.starts(1), [], "that piece lies elsewhere");
    end(&mut scene, 1, 1);
    assert_eq!(scene.starts(2), [(2, 0, None, 1)], "one piece is gone, the other is not");
    end(&mut scene, 0, 0);
    assert_eq!(scene.starts(3), [(2, 1, None, 0)]);
}

#[test]
fn whole_workgroups_of_better_levels_go_before_pieces() {
    let filler = launch(0, Barrier::Yes, 3, 0).with_level(Level(0));
    let mut scene = Scene::new(0, &[filler, launch(1, Barrier::No, 3, 3)]);
    scene.ask(0);
    scene.ask(0);
    // One slot is free on each of the two; the third piece waits.
    assert_eq!(scene.starts(0), [(1, 0, Some(0), 0), (1, 0, Some(1), 1)]);
    let least =
        altered(launch(2, Barrier::Yes, 1, 0), |it| (it.workgroups, it.level) = (1, Level(200)));
    scene.entries.push(ready(least));
    // A filler ends, and both have room: the piece was of level 1 before it was cut.
    scene.end(0, 0, None, 0);
    let whole_first = [(2, 0, None, 0), (1, 0, Some(2), 0)];
    assert_eq!(scene.starts(1), whole_first, "a piece is of the least urgent level of all");
}

#[test]
fn the_head_that_has_waited_longest_is_cut() {
    let filler = launch(0, Barrier::Yes, 3, 0).with_level(Level(0));
    let mut scene = Scene::new(2, &[filler, launch(1, Barrier::No, 2, 3)]);
    scene.ask(0);
    scene.ask(0);
    assert_eq!(scene.starts(0), []);
    let late = ready(launch(2, Barrier::No, 2, 2)).with_next(scene.entries[1].next());
    // In front of it in the view, of a channel behind it.
    scene.entries.insert(1, late);
    assert_eq!(scene.starts(1), []);
    let first = scene.starts(2)[0];
    assert_eq!((first.0, first.2), (1, Some(0)), "not 2, which came later");
}

#[test]
fn what_fits_nowhere_whole_may_fit_in_pieces() {
    // Five waves, where a compute unit has room for four.
    let mut scene = Scene::new(1, &[launch(0, Barrier::No, 5, 0)]);
    assert_eq!(scene.starts(0), []);
    let waves: Vec<_> = scene.starts(1).into_iter().map(|it| (it.1, it.2, it.3)).collect();
    assert_eq!(waves[..5], [0, 1, 2, 3, 4].map(|wave| (0, Some(wave), wave / 4)));
    for barrier in [Barrier::Yes, Barrier::Assumed] {
        let mut scene = Scene::new(1, &[launch(0, barrier, 5, 0)]);
        let Answer::Never { refusal } = scene.ask(0).0 else { panic!("it can never fit") };
        assert_eq!((refusal.resource, refusal.wanted, refusal.available), (Resource::Waves, 3, 2));
    }
    // One wave with the whole LDS does not fit either.
    let mut scene = Scene::new(1, &[launch(0, Barrier::No, 5, 9)]);
    assert!(matches!(scene.ask(0).0, Answer::Never { .. }));
}
