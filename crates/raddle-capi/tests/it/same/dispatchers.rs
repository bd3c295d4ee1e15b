//! Does a dispatcher answer as that of `raddle-dispatch` does, to right events and to wrong ones?

use std::ffi::CString;
use std::ptr::null;

use proptest::prelude::*;
use raddle_capi::*;
use raddle_dispatch::{Composed, Dispatcher, Recipe};
use raddle_policy::*;

use crate::call::{Owned, cases, last_error};

const SHAPE: CuShape = CuShape {
    simds: 2,
    waves_per_simd: 8,
    vgpr_per_simd: 16,
    sgpr: 40,
    lds: 16,
    workgroups: 6,
    barriers: 6,
};
const CUS: u16 = 3;

/// Recipes to test, which together use every bundled policy.
const RECIPES: [&str; 9] = [
    "raddle = 1",
    "raddle = 1\n[turn]\npolicy = 'highest-level'\n[allocate]\npolicy = 'matching'\n[preempt]\npolicy = 'switch'",
    "raddle = 1\n[turn]\npolicy = 'highest-level'\n[allocate]\npolicy = 'round-robin'\naddresses = true\n[preempt]\npolicy = 'drain'",
    "raddle = 1\nwindow = 2\n[turn]\npolicy = 'highest-level'\n[allocate]\npolicy = 'greedy'\n[preempt]\npolicy = 'reset'",
    "raddle = 1\nwindow = 3\n[turn]\npolicy = 'round-robin'\nslice-us = 1\n[preempt]\npolicy = 'flag'",
    "raddle = 1\n[allocate]\npolicy = 'block-warp'",
    "raddle = 1\n[allocate]\npolicy = 'spatial'",
    "raddle = 1\n[turn]\npolicy = 'weighted-slices'\nrule = 'min-one'\nt0-us = 1\ncapacity = 2\n[preempt]\npolicy = 'wait'",
    "raddle = 1\nwindow = 4\n[launch-path]\npolicy = 'condensed'\nenqueue-ns = 20\nprocessing-ns = 30\nschedule-ns = 10\ncleanup-ns = 20\noverlap = true",
];

/// Step of a host that drives a dispatcher.
#[derive(Clone, Debug)]
enum Step {
    /// Reports a launch that is issued or ready.
    Launch { ready: bool, process: u16, level: u8, workgroups: u64, waves: u16, kind: u32 },
    /// Reports a copy of a process that is issued.
    Copy { process: u16 },
    /// Reports what an action asked for; `which` chooses one of the reports that are due.
    Report { which: usize },
    /// Reports an event that no action asked for, or whose launch or process does not exist.
    Wrong { kind: u32, launch: u32, process: u16 },
    /// Reports a hint of a process.
    Hint { process: u16, hint: u32, value: u64 },
    /// Lets the dispatchers decide, `after` ticks after the last step.
    Decide { after: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    // A workgroup of 17 waves fits no compute unit.
    let waves = prop_oneof![9 => 1..6_u16, 1 => Just(17)];
    let launch = (any::<bool>(), 0..3_u16, 0..3_u8, 1..20_u64, waves, 0..3_u32);
    prop_oneof![
        3 => launch.prop_map(|(ready, process, level, workgroups, waves, kind)| {
            Step::Launch { ready, process, level, workgroups, waves, kind }
        }),
        1 => (0..2_u16).prop_map(|process| Step::Copy { process }),
        8 => any::<usize>().prop_map(|which| Step::Report { which }),
        1 => (1..15_u32, 0..8_u32, 0..3_u16)
            .prop_map(|(kind, launch, process)| Step::Wrong { kind, launch, process }),
        1 => (0..3_u16, 0..5_u32, 0..90_u64)
            .prop_map(|(process, hint, value)| Step::Hint { process, hint, value }),
        6 => (0..900_u64).prop_map(|after| Step::Decide { after }),
    ]
}

/// Event in the form of C, with the launch and the pieces that its pointers name.
#[derive(Clone, Debug)]
struct Told {
    event: RaddleEvent,
    launch: RaddleLaunch,
    pieces: Vec<RaddlePiece>,
}

impl Told {
    fn new(kind: RaddleEventKind, launch: u32, process: u16) -> Self {
        // SAFETY: an event is integers and pointers, for which zeros are valid.
        let zeros: RaddleEvent = unsafe { std::mem::zeroed() };
        let event = RaddleEvent { kind: kind as u32, launch, process, share: 1, ..zeros };
        Self { event, launch: RaddleLaunch::default(), pieces: Vec::new() }
    }
}

/// Returns the Rust event that the documentation gives an event of C as its meaning.
fn meant<'p>(told: &Told, pieces: &'p mut Vec<Piece>) -> Event<'p> {
    let RaddleEvent { process, launch, how, hint, value, lasts, .. } = told.event;
    let (process, launch) = (ProcessId(process), LaunchId(launch));
    match told.event.kind {
        1 => Event::ProcessJoined { process, share: told.event.share },
        2 => Event::ProcessLeft { process },
        3 => Event::LaunchIssued { launch: launch_meant(&told.launch) },
        4 => Event::LaunchReady { launch: launch_meant(&told.launch) },
        5 => Event::CopyIssued {
            copy: launch,
            process,
            stream: StreamId(9),
            level: Level(0),
            lasts: Ticks(lasts),
        },
        6 => Event::CopyReady { copy: launch },
        7 => Event::CopyEnded { copy: launch },
        8 => {
            pieces.extend(told.pieces.iter().map(|it| Piece {
                first: it.first,
                stride: it.stride,
                count: it.count,
                cu: CuId(it.cu),
            }));
            let RaddleWaves { kind, first, count } = told.event.waves;
            let waves =
                [WaveSpan::All, WaveSpan::Range { first, count }, WaveSpan::Cut { first, count }];
            Event::WavesEnded { launch, waves: waves[kind as usize], pieces }
        }
        9 => Event::TakenOff { launch, how: Preemption::ALL[how as usize], done: 0 },
        10 => Event::Restored { launch },
        11 => Event::Raised { process },
        12 => Event::ResetOver { process },
        13 => {
            let hint = match hint {
                0 => Hint::Priority(Level(value as u8)),
                1 => Hint::Deadline(Ticks(value)),
                2 => Hint::Laxity(Ticks(value)),
                3 => Hint::Utilisation(value as u16),
                _ => Hint::Custom(value),
            };
            Event::Hint { process, stream: None, hint }
        }
        _ => Event::Woke,
    }
}

fn launch_meant(it: &RaddleLaunch) -> Launch {
    let RaddleDemand { waves, vgpr, sgpr, lds, barriers } = it.demand;
    let demand = Demand { waves, vgpr, sgpr, lds, barriers };
    let verdicts = [Idempotence::Unknown, Idempotence::Idempotent, Idempotence::Not];
    let mut launch = Launch::new(LaunchId(it.id), ProcessId(it.process), it.workgroups, demand)
        .with_stream(StreamId(it.stream))
        .with_level(Level(it.level))
        .with_barrier([Barrier::Assumed, Barrier::No, Barrier::Yes][it.barrier as usize])
        .with_idempotent(verdicts[it.idempotent as usize]);
    launch.call = KernelCall {
        kernel: it.kernel,
        grid: Dim3::new(it.grid[0], it.grid[1], it.grid[2]),
        threads: it.threads,
        lds_bytes: it.lds_bytes,
        behind_copy: it.behind_copy == 1,
    };
    launch.activity = Activity(it.activity);
    launch.estimate = Some(Ticks(it.estimate));
    launch
}

/// Dispatcher in C and its model in Rust, with the reports that are due after their actions.
struct Both {
    ours: Owned<RaddleDispatcher>,
    model: Composed,
    now: u64,
    launches: u32,
    due: Vec<Told>,
}

impl Both {
    fn new(recipe: &str) -> Self {
        let text = CString::new(recipe).unwrap();
        let CuShape { simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers } =
            SHAPE;
        let shape =
            RaddleCuShape { simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers };
        // SAFETY: texts and places of ours.
        let ours = Owned::new(|it| unsafe {
            raddle_dispatcher_new(text.as_ptr(), &raw const shape, CUS, null(), it)
        });
        let model = Recipe::parse("given", recipe).unwrap().builder(SHAPE, CUS).unwrap();
        let mut both =
            Self { ours, model: model.build().unwrap(), now: 0, launches: 0, due: Vec::new() };
        both.tell(&mut Told::new(RaddleEventKind::ProcessJoined, 0, 0));
        both.tell(&mut Told::new(RaddleEventKind::ProcessJoined, 0, 1));
        both
    }

    /// Reports an event to both dispatchers, and compares their answers.
    fn tell(&mut self, told: &mut Told) {
        let mut pieces = Vec::new();
        let expected = self.model.event(&meant(told, &mut pieces), Tick(self.now));
        (told.event.issued, told.event.pieces) = (&raw const told.launch, told.pieces.as_ptr());
        (told.event.piece_count, told.event.stream) = (told.pieces.len(), 9);
        // SAFETY: an event of ours.
        let status =
            unsafe { raddle_dispatcher_event(self.ours.0, self.now, &raw const told.event) };
        match expected {
            Ok(()) => assert_eq!(status, RaddleStatus::Ok, "{told:?}: {}", last_error()),
            Err(error) => {
                assert_eq!((status, last_error()), (RaddleStatus::Invalid, error.to_string()));
            }
        }
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Launch { ready, process, level, workgroups, waves, kind } => {
                let id = self.launches;
                self.launches += 1;
                let demand =
                    RaddleDemand { waves, vgpr: 2, sgpr: 1, lds: u32::from(level), barriers: 1 };
                let event = if ready {
                    RaddleEventKind::LaunchReady
                } else {
                    RaddleEventKind::LaunchIssued
                };
                let launch = RaddleLaunch {
                    id,
                    stream: 9,
                    process,
                    level,
                    workgroups,
                    demand,
                    barrier: kind,
                    idempotent: kind,
                    estimate: 7,
                    activity: [id, 1, 2, 3, 4, 5],
                    kernel: 1 + kind,
                    grid: [workgroups as u32, 1, 1],
                    threads: 64,
                    lds_bytes: 128,
                    behind_copy: kind & 1,
                };
                let mut told = Told { launch, ..Told::new(event, id, process) };
                self.tell(&mut told);
                if !ready {
                    told.event.kind = RaddleEventKind::LaunchReady as u32;
                    self.due.push(told);
                }
            }
            Step::Copy { process } => {
                let id = self.launches;
                self.launches += 1;
                self.tell(&mut Told::new(RaddleEventKind::CopyIssued, id, process));
                self.due.push(Told::new(RaddleEventKind::CopyReady, id, process));
            }
            Step::Report { which } if !self.due.is_empty() => {
                let mut told = self.due.swap_remove(which % self.due.len());
                self.tell(&mut told);
            }
            Step::Report { .. } => {}
            Step::Wrong { kind: 3 | 4 | 8 | 14, .. } => {}
            Step::Wrong { kind, launch, process } => {
                let mut told = Told::new(RaddleEventKind::Woke, launch, process);
                told.event.kind = kind;
                self.tell(&mut told);
            }
            Step::Hint { process, hint, value } => {
                let mut told = Told::new(RaddleEventKind::Hint, 0, process);
                (told.event.hint, told.event.value) = (hint, value);
                self.tell(&mut told);
            }
            Step::Decide { after } => self.decide(after),
        }
    }

    /// Lets both dispatchers decide, compares every action, and notes which reports are due.
    fn decide(&mut self, after: u64) {
        self.now += after;
        let mut expected = Actions::default();
        let decided = self.model.decide(Tick(self.now), &mut expected);
        let mut actions = std::mem::MaybeUninit::<RaddleActions>::uninit();
        // SAFETY: a place of ours.
        let status =
            unsafe { raddle_dispatcher_decide(self.ours.0, self.now, actions.as_mut_ptr()) };
        if let Err(error) = decided {
            // An id that is used again is a fault of the host, which ends the run.
            assert_eq!((status, last_error()), (RaddleStatus::Invalid, error.to_string()));
            return;
        }
        assert_eq!(status, RaddleStatus::Ok, "{}", last_error());
        // SAFETY: the status is `Ok`, so it was written; its lists stand until the next decision.
        let (all, list, pieces, places, cuts) = unsafe {
            let all = actions.assume_init();
            let list = std::slice::from_raw_parts(all.list, all.count);
            let pieces = std::slice::from_raw_parts(all.pieces, all.piece_count);
            let places = std::slice::from_raw_parts(all.places, all.place_count);
            (all, list, pieces, places, std::slice::from_raw_parts(all.cuts, all.cut_count))
        };
        assert_eq!(all.count, expected.list.len());
        for (given, action) in list.iter().zip(&expected.list) {
            let text = described(given, pieces, places, cuts);
            assert_eq!(text, meant_action(action, &expected));
            self.note(given, pieces);
        }
        for cu in 0..CUS {
            let mut free = RaddleFreeAmounts::default();
            // SAFETY: a place of ours.
            let status = unsafe { raddle_dispatcher_free(self.ours.0, cu, &raw mut free) };
            let Free { waves, vgpr, sgpr, lds, workgroups, barriers } =
                self.model.cus().free(CuId(cu));
            let expected = RaddleFreeAmounts { waves, vgpr, sgpr, lds, workgroups, barriers };
            assert_eq!((status, free), (RaddleStatus::Ok, expected));
        }
    }

    fn note(&mut self, action: &RaddleAction, pieces: &[RaddlePiece]) {
        use RaddleEventKind as Kind;
        let mut due = |kind, change: &dyn Fn(&mut Told)| {
            let mut told = Told::new(kind, action.launch, action.process);
            change(&mut told);
            self.due.push(told);
        };
        match action.kind {
            2 => {
                for piece in &pieces[action.first_piece..][..action.piece_count] {
                    due(Kind::WavesEnded, &|told| {
                        told.pieces = vec![*piece];
                        told.event.waves = action.waves;
                    });
                }
            }
            3 => due(Kind::CopyEnded, &|_| {}),
            5 => due(Kind::TakenOff, &|told| told.event.how = action.how),
            6 => due(Kind::Restored, &|_| {}),
            7 => due(Kind::Raised, &|_| {}),
            8 => due(Kind::ResetOver, &|_| {}),
            11 => due(Kind::Woke, &|_| {}),
            _ => {}
        }
    }
}

/// Returns an action of C in words, to compare with `meant_action`.
fn described(
    it: &RaddleAction,
    pieces: &[RaddlePiece],
    places: &[RaddlePlace],
    cuts: &[RaddleStreamCut],
) -> String {
    let cuts = &cuts[it.first_cut..][..it.cut_count];
    let cuts: Vec<_> = cuts.iter().map(|it| (it.stream, it.from, it.to)).collect();
    let pieces = &pieces[it.first_piece..][..it.piece_count];
    let places = &places[it.first_place..][..it.place_count];
    let pieces: Vec<_> = pieces.iter().map(|it| (it.first, it.stride, it.count, it.cu)).collect();
    let places: Vec<_> = places.iter().map(|it| (it.simd, it.vgpr, it.sgpr, it.lds)).collect();
    let RaddleWaves { kind, first, count } = it.waves;
    format!(
        "{} k{} p{} how {} cu {} lacks {} waves {kind} {first} {count} {pieces:?} {places:?} {cuts:?} s{} w{} {:?} {} {} {}",
        it.kind,
        it.launch,
        it.process,
        it.how,
        it.cu,
        it.resource,
        it.sequence,
        it.workgroup,
        (it.packets, it.bytes, it.cost, it.cleanup),
        it.ticks,
        it.wanted,
        it.available
    )
}

/// Returns an action of Rust in the words of `described`, without a conversion of the crate under
/// test.
fn meant_action(action: &Action, all: &Actions) -> String {
    let mut it = RaddleAction::default();
    let (mut pieces, mut places, mut cuts) = (Vec::new(), Vec::new(), Vec::new());
    let how_number =
        |how: &Preemption| Preemption::ALL.iter().position(|it| it == how).unwrap() as u32;
    match action {
        Action::Submit { launch, sequence, via } => {
            it.sequence = *sequence;
            (it.kind, it.launch, it.packets, it.bytes) = (1, launch.0, via.packets, via.bytes);
            (it.cost, it.cleanup) = (via.cost.0, via.cleanup.0);
        }
        Action::Start { launch, waves, pieces: given, places: at } => {
            (it.kind, it.launch) = (2, launch.0);
            let (kind, (first, count)) = match waves {
                WaveSpan::All => (0, (0, 0)),
                WaveSpan::Range { .. } => (1, waves.bounds(0)),
                WaveSpan::Cut { .. } => (2, waves.bounds(0)),
            };
            it.waves = RaddleWaves { kind, first, count };
            let piece = |it: &Piece| RaddlePiece {
                first: it.first,
                stride: it.stride,
                count: it.count,
                cu: it.cu.0,
            };
            pieces = all.pieces(given).iter().map(piece).collect();
            let place = |it: &Place| RaddlePlace {
                simd: it.simd,
                vgpr: it.vgpr,
                sgpr: it.sgpr,
                lds: it.lds,
            };
            places = all.places(at).iter().map(place).collect();
            (it.piece_count, it.place_count) = (pieces.len(), places.len());
        }
        Action::StartCopy { copy } => (it.kind, it.launch) = (3, copy.0),
        Action::Assign { launch, workgroup, cu } => {
            (it.kind, it.launch, it.workgroup, it.cu) = (4, launch.0, *workgroup, i32::from(cu.0));
        }
        Action::TakeOff { launch, how } => {
            (it.kind, it.launch, it.how) = (5, launch.0, how_number(how))
        }
        Action::Restore { launch } => (it.kind, it.launch) = (6, launch.0),
        Action::Raise { process, cuts: given } => {
            (it.kind, it.process) = (7, process.0);
            let cut = |&(stream, cut): &(StreamId, FlagCut)| RaddleStreamCut {
                stream: stream.0,
                from: cut.from,
                to: cut.to,
            };
            cuts = all.cuts(given).iter().map(cut).collect();
            it.cut_count = cuts.len();
        }
        Action::Lower { process } => (it.kind, it.process) = (12, process.0),
        Action::Reset { process } => (it.kind, it.process) = (8, process.0),
        Action::Drained { process, how, after } => {
            (it.kind, it.process, it.how, it.ticks) = (9, process.0, how_number(how), after.0);
        }
        Action::Refuse { refusal } => {
            (it.kind, it.launch, it.resource) = (10, refusal.launch.0, refusal.resource as u32);
            it.cu = refusal.cu.map_or(-1, |cu| i32::from(cu.0));
            (it.wanted, it.available) = (refusal.wanted, refusal.available);
        }
        Action::WakeAt(at) => (it.kind, it.ticks) = (11, at.0),
        other => panic!("{other:?} is new"),
    }
    described(&it, &pieces, &places, &cuts)
}

proptest! {
    #![proptest_config(cases(400))]
    #[test]
    fn dispatchers(recipe in 0..RECIPES.len(), steps in prop::collection::vec(step(), 1..120)) {
        let mut both = Both::new(RECIPES[recipe]);
        for step in &steps {
            both.step(step);
        }
    }
}

#[test]
fn recipes_that_cannot_be_read_are_explained() {
    let shape = RaddleCuShape { simds: 1, waves_per_simd: 1, workgroups: 1, ..Default::default() };
    let refused = |recipe: &[u8], status| {
        let text = CString::new(recipe).unwrap();
        let mut handle = std::ptr::null_mut();
        // SAFETY: texts and places of ours.
        let got = unsafe {
            raddle_dispatcher_new(text.as_ptr(), &raw const shape, 1, null(), &raw mut handle)
        };
        assert_eq!((got, handle.is_null()), (status, true));
        last_error()
    };
    let said = refused(b"raddle = 1\n[trun]\npolicy = 'everyone'", RaddleStatus::Invalid);
    assert!(said.starts_with("recipe given, line 2, `trun`: unknown key"), "{said}");
    let said = refused(b"raddle = 1\n[preempt]\npolicy = 'cheapest'", RaddleStatus::Invalid);
    assert!(said.starts_with("recipe given, line 2, `preempt"), "{said}");
    let said = refused(b"raddle = \xff1", RaddleStatus::Utf8);
    assert_eq!(said, "`recipe` is not UTF-8 at byte 9: write it in UTF-8");
}
