//! Does the allocator find the places it should, take nothing when asked, and give everything back?

use proptest::prelude::*;
use raddle_dispatch::Book;
use raddle_policy::{
    Allocate, Answer, CuId, CuShape, Demand, Fact, Launch, LaunchId, Piece, Place, Preemption,
    ReadyView, Resource, Round, Tick, WaveSpan,
};
use raddle_testkit::{altered, any_launch, any_shape, ready};
use raddle_workgroup::{Allocator, BaselineConfig, Greedy, GroupPlan, SimdRule};

const CU: CuId = CuId(0);

const SHAPE: CuShape = CuShape {
    simds: 4,
    waves_per_simd: 10,
    vgpr_per_simd: 64,
    sgpr: 200,
    lds: 256,
    workgroups: 40,
    barriers: 40,
};

const fn demand(waves: u16, vgpr: u16, sgpr: u16, lds: u32) -> Demand {
    Demand { waves, vgpr, sgpr, lds, barriers: 0 }
}

fn probe(allocator: &Allocator, demand: &Demand, rule: SimdRule) -> GroupPlan {
    allocator.probe(CU, demand, rule).expect("it fits")
}

/// Places a workgroup of launch 0 on the first compute unit. Returns the addresses of its waves.
fn place(allocator: &mut Allocator, workgroup: u64, demand: &Demand) -> Vec<Place> {
    let plan = probe(allocator, demand, SimdRule::MostRoom);
    allocator.commit(plan, LaunchId(0), workgroup).expect("just probed").to_vec()
}

/// Naive model of one compute unit, a list of booleans for the granules (`true` = taken), which
/// says to which SIMD a wave has to go.
struct Naive {
    slots: Vec<u16>,
    vgpr: Vec<Vec<bool>>,
}

impl Naive {
    fn new(shape: &CuShape) -> Self {
        let simds = usize::from(shape.simds);
        Self {
            slots: vec![shape.waves_per_simd; simds],
            vgpr: vec![vec![false; shape.vgpr_per_simd.into()]; simds],
        }
    }

    /// Returns (SIMD, first granule) of a wave that takes `vgpr` granules: the SIMD with most room,
    /// ties to the lowest, and there the first run that is long enough; `None` where none is.
    fn simd(&self, vgpr: usize) -> Option<(usize, usize)> {
        let fits = |simd: usize| {
            let map = &self.vgpr[simd];
            let ends = 0..(map.len() + 1).saturating_sub(vgpr);
            ends.into_iter().find(|&start| !map[start..start + vgpr].contains(&true))
        };
        let room = |simd: usize| {
            let free = self.vgpr[simd].iter().filter(|taken| !**taken).count();
            let slots = usize::from(self.slots[simd]);
            free.checked_div(vgpr).map_or(slots, |waves| waves.min(slots))
        };
        let simds = (0..self.slots.len()).filter(|&simd| self.slots[simd] > 0);
        let with_place = simds.filter_map(|simd| Some((simd, fits(simd)?)));
        with_place.min_by_key(|&(simd, _)| (usize::MAX - room(simd), simd))
    }

    fn set(&mut self, place: &Place, vgpr: u16, taken: bool) {
        let (simd, start) = (usize::from(place.simd), usize::from(place.vgpr));
        self.vgpr[simd][start..start + usize::from(vgpr)].fill(taken);
        if taken {
            self.slots[simd] -= 1;
        } else {
            self.slots[simd] += 1;
        }
    }
}

/// Draws a compute unit, and demands that fit it when it is empty.
fn device() -> impl Strategy<Value = (CuShape, Vec<Demand>)> {
    any_shape().prop_flat_map(|shape| {
        let one = any_launch(shape, 1, false).prop_map(|launch| launch.demand);
        (Just(shape), prop::collection::vec(one, 1..4))
    })
}

proptest! {
    #[test]
    fn each_wave_goes_to_the_simd_with_most_room(
        (shape, demands) in device(),
        steps in prop::collection::vec((any::<bool>(), any::<u16>()), 1..60),
    ) {
        let mut allocator = Allocator::new(shape, 1);
        let mut naive = Naive::new(&shape);
        let mut held: Vec<(u64, Demand, Vec<Place>)> = Vec::new();
        for (number, (leave, which)) in (0..).zip(steps) {
            let which = usize::from(which);
            if leave && !held.is_empty() {
                let (number, demand, places) = held.swap_remove(which % held.len());
                prop_assert_eq!(allocator.release(CU, LaunchId(0), number), Ok(()));
                places.iter().for_each(|place| naive.set(place, demand.vgpr, false));
                continue;
            }
            let demand = demands[which % demands.len()];
            let probed = allocator.probe(CU, &demand, SimdRule::MostRoom);
            // The SIMD that is looked at first changes where a workgroup lies, never whether it
            // fits.
            for simd in 0..shape.simds {
                let other = allocator.probe(CU, &demand, SimdRule::From(simd));
                prop_assert_eq!(other.is_ok(), probed.is_ok());
            }
            let refusal = allocator.fragmentation(LaunchId(0), CU, &demand);
            prop_assert!(refusal.wanted > refusal.available);
            let Ok(plan) = probed else { continue };
            prop_assert_eq!(refusal.resource, Resource::Cus, "nothing lacks");
            let places = allocator.commit(plan, LaunchId(0), number).unwrap().to_vec();
            for place in &places {
                let expected = naive.simd(demand.vgpr.into());
                prop_assert_eq!(expected, Some((place.simd.into(), place.vgpr.into())));
                naive.set(place, demand.vgpr, true);
            }
            held.push((number, demand, places));
        }
        prop_assert_eq!(allocator.groups(), held.len());
        for (number, ..) in held {
            prop_assert_eq!(allocator.release(CU, LaunchId(0), number), Ok(()));
        }
        // Empty again: the first of each kind lies as on a new compute unit.
        for demand in demands {
            let again = allocator.probe(CU, &demand, SimdRule::MostRoom);
            let new = Allocator::new(shape, 1).probe(CU, &demand, SimdRule::MostRoom);
            prop_assert_eq!(again, new);
        }
    }
}

#[test]
fn a_plan_takes_nothing_and_is_taken_once() {
    let mut allocator = Allocator::new(SHAPE, 1);
    let half = demand(4, 32, 25, 128);
    let [first, second, third] = [0, 1, 2].map(|_| probe(&allocator, &half, SimdRule::From(3)));
    assert_eq!((&first, first.rotation()), (&second, 3));
    let simds: Vec<u8> = first.places().iter().map(|place| place.simd).collect();
    assert_eq!(simds, [3, 0, 1, 2]);
    let launch = LaunchId(7);
    assert_eq!(allocator.commit(first, launch, 0).map(<[Place]>::len), Ok(4));
    let stale = "the plan for workgroup 1 of k7 is out of date: probe again".to_owned();
    assert_eq!(
        allocator.commit(second, launch, 1).map_err(|error| error.to_string()),
        Err(stale.clone())
    );
    let held = "workgroup 0 of k7 lies on the device already: release it first".to_owned();
    assert_eq!(
        allocator.commit(third, launch, 0).map_err(|error| error.to_string()),
        Err(held.clone())
    );
    let plan = probe(&allocator, &half, SimdRule::MostRoom);
    let elsewhere = plan.places().to_vec();
    assert_eq!(allocator.commit(plan, launch, 1), Ok(&elsewhere[..]));
    assert_eq!(allocator.groups(), 2);
    assert_eq!(allocator.release(CU, launch, 0), Ok(()));
    let absent = Err("workgroup 0 of k7 does not lie on the device: release each once".to_owned());
    assert_eq!(allocator.release(CU, launch, 0).map_err(|error| error.to_string()), absent);
    assert_eq!(allocator.release(CuId(1), launch, 0).map_err(|error| error.to_string()), absent);
    let refused = allocator.probe(CuId(1), &half, SimdRule::From(2)).unwrap_err();
    assert_eq!((refused.resource(), refused.rotation()), (Resource::Cus, 2));
}

/// Checks that a plan which fails at its last wave, as a place has been taken since, leaves no
/// trace of the waves before it.
#[test]
fn a_plan_that_is_stale_in_part_changes_nothing() {
    let mut allocator = Allocator::new(SHAPE, 1);
    let wide = demand(4, 40, 40, 16);
    let plan = probe(&allocator, &wide, SimdRule::From(0));
    let blocker = probe(&allocator, &demand(1, 30, 0, 0), SimdRule::From(3));
    allocator.commit(blocker, LaunchId(1), 0).unwrap();
    let stale = "the plan for workgroup 0 of k0 is out of date: probe again".to_owned();
    assert_eq!(
        allocator.commit(plan, LaunchId(0), 0).map_err(|error| error.to_string()),
        Err(stale.clone())
    );
    allocator.release(CU, LaunchId(1), 0).unwrap();
    let all = demand(40, 6, 5, 256);
    assert_eq!(probe(&allocator, &all, SimdRule::MostRoom).places().len(), 40);
}

#[test]
fn a_rotation_keeps_the_steps_of_waves_before_the_one_that_failed() {
    let mut allocator = Allocator::new(SHAPE, 1);
    place(&mut allocator, 0, &demand(3, 64, 0, 0));
    let after = |demand: Demand, from: u8| {
        let refused = allocator.probe(CU, &demand, SimdRule::From(from)).unwrap_err();
        (refused.resource(), refused.rotation())
    };
    // Only SIMD 3 has registers left: one wave of 40 finds it, the second does not.
    assert_eq!(after(demand(2, 40, 0, 0), 1), (Resource::Vgpr, 0));
    assert_eq!(after(demand(1, 65, 0, 0), 1), (Resource::Vgpr, 1), "at its first wave");
    assert_eq!(after(demand(2, 40, 101, 0), 1), (Resource::Sgpr, 1));
    assert_eq!(after(demand(2, 40, 0, 257), 1), (Resource::Lds, 1));
    // SIMD 3 has ten slots for waves with registers; all SIMDs have 37 for waves without.
    assert_eq!(after(demand(11, 1, 0, 0), 3), (Resource::Vgpr, 0));
    assert_eq!(after(demand(38, 0, 0, 0), 0).0, Resource::Waves);
}

#[test]
fn a_refusal_for_fragmentation_names_the_longest_run_left() {
    let mut allocator = Allocator::new(SHAPE, 1);
    // Six pieces of LDS, every second one given back: 3 x 40 + 16 free, none longer than 40.
    for number in 0..6 {
        place(&mut allocator, number, &demand(1, 0, 0, 40));
    }
    for number in [0, 2, 4] {
        allocator.release(CU, LaunchId(0), number).unwrap();
    }
    let wish = demand(1, 0, 0, 100);
    let refused = allocator.probe(CU, &wish, SimdRule::MostRoom).unwrap_err();
    assert_eq!(refused.resource(), Resource::Lds);
    let refusal = allocator.fragmentation(LaunchId(9), CU, &wish);
    assert_eq!((refusal.resource, refusal.wanted, refusal.available), (Resource::Lds, 100, 40));
    assert_eq!((refusal.launch, refusal.cu), (LaunchId(9), Some(CU)));
}

#[test]
fn scalar_registers_that_never_limit_start_at_0() {
    let shape = CuShape { sgpr: u16::MAX, ..SHAPE };
    let mut allocator = Allocator::new(shape, 1);
    let greedy = demand(40, 1, u16::MAX, 0);
    let places = place(&mut allocator, 0, &greedy);
    assert!(places.iter().all(|place| place.sgpr == 0));
}

/// Makes the policy greedy with addresses, an account of one compute unit, and one launch of four
/// workgroups.
fn policy() -> (Greedy, Book, Launch) {
    let base = raddle_testkit::Scenario::example().launches[0];
    let launch = altered(base, |it| (it.workgroups, it.demand) = (4, demand(4, 16, 1, 64)));
    (Greedy::new(BaselineConfig::default().with_addresses(true)), Book::new(SHAPE, 1), launch)
}

/// Starts the workgroups of `launch` that fit, in one answer. Returns the answer's addresses, and
/// the refusal that says why the rest waits.
fn start(policy: &mut Greedy, book: &mut Book, launch: &Launch) -> Round {
    let entry = ready(*launch);
    let mut round = Round::default();
    let launches = [entry];
    let view = ReadyView::new(&launches, book.cus());
    if let Answer::Start { waves, .. } = policy.allocate_round(&view, Tick::ZERO, &mut round) {
        book.start(launch, waves, &round.pieces, &round.places).expect("law 2 holds");
    }
    round
}

#[test]
fn what_is_killed_is_free_again() {
    let (mut policy, mut book, launch) = policy();
    let first = start(&mut policy, &mut book, &launch);
    assert_eq!((first.pieces.len(), first.places.len()), (1, 16));
    book.kill(launch.id);
    policy.observe(&Fact::TakenOff { launch: &launch, how: Preemption::Reset }, Tick::ZERO);
    assert_eq!(start(&mut policy, &mut book, &launch), first);
}

#[test]
fn what_is_saved_comes_back_to_its_places() {
    let (mut policy, mut book, launch) = policy();
    let other = altered(launch, |it| it.id = LaunchId(5));
    let first = start(&mut policy, &mut book, &launch);
    assert!(book.save(launch.id));
    policy.observe(&Fact::TakenOff { launch: &launch, how: Preemption::Switch }, Tick::ZERO);
    let second = start(&mut policy, &mut book, &other);
    assert_eq!(second, first, "they were free meanwhile");
    let (waves, pieces) = (WaveSpan::All, &second.pieces[..]);
    book.end(other.id, waves, pieces).unwrap();
    policy.observe(&Fact::Ended { launch: &other, waves, pieces }, Tick::ZERO);
    assert!(book.restore(launch.id));
    policy.observe(&Fact::Restored { launch: &launch }, Tick::ZERO);
    let third = start(&mut policy, &mut book, &other);
    assert!(third.pieces.is_empty(), "the device is full again");
    book.end(launch.id, waves, &first.pieces).unwrap();
    policy.observe(&Fact::Ended { launch: &launch, waves, pieces: &first.pieces }, Tick::ZERO);
    assert_eq!(start(&mut policy, &mut book, &other), first);
}

/// Checks that a saved workgroup whose granules were taken by another one, although enough are free
/// by number, keeps its compute unit closed until it ends.
#[test]
fn a_displaced_workgroup_keeps_its_compute_unit_closed_until_it_ends() {
    let mut allocator = Allocator::new(SHAPE, 2);
    let (one, two) = (LaunchId(1), LaunchId(2));
    let quarter = demand(1, 16, 0, 64);
    for launch in [one, two] {
        let plan = probe(&allocator, &quarter, SimdRule::From(0));
        let places = allocator.commit(plan, launch, 0).unwrap();
        assert_eq!(places[0], Place::default());
        if launch == one {
            allocator.save(one);
        }
    }
    assert_eq!(allocator.restore(one), 1);
    let refused =
        |allocator: &Allocator, cu| allocator.probe(cu, &quarter, SimdRule::MostRoom).is_err();
    assert_eq!(allocator.groups(), 2);
    assert!(refused(&allocator, CU) && !refused(&allocator, CuId(1)));
    allocator.release(CU, two, 0).unwrap();
    assert!(refused(&allocator, CU));
    allocator.release(CU, one, 0).unwrap();
    assert!(!refused(&allocator, CU));
    assert_eq!((allocator.groups(), allocator.restore(one)), (0, 0));
}

#[test]
fn facts_about_what_was_never_placed_change_nothing() {
    let (mut policy, mut book, launch) = policy();
    let other = altered(launch, |it| (it.id, it.workgroups) = (LaunchId(5), 1));
    start(&mut policy, &mut book, &other);
    let waves = WaveSpan::All;
    let pieces = &[Piece::one(3, CuId(9)), Piece::one(u64::MAX, CU)];
    policy.observe(&Fact::Ended { launch: &launch, waves, pieces }, Tick::ZERO);
    policy.observe(&Fact::TakenOff { launch: &launch, how: Preemption::Reset }, Tick::ZERO);
    policy.observe(&Fact::Restored { launch: &launch }, Tick::ZERO);
    let rest = start(&mut policy, &mut book, &launch);
    assert_eq!(rest.pieces, [Piece { first: 0, stride: 1, count: 3, cu: CU }]);
}
