//! Does a policy that is an order keep the laws, and place as asking one by one by that order would?

use proptest::prelude::*;
use raddle_policy::{
    Allocate, Answer, CuId, Free, Launch, PerProcess, ProcessId, Rank, Ranked, ReadyLaunch,
    ReadyView, Round, Tick,
};
use raddle_testkit::{
    OneByOne, World, cases, check_allocate, check_bulk, scenario, scenario_with, wide_scenario,
};

/// An order of launches and of compute units for tests, each chosen by a number: 0 is no order, 1
/// and above sort by level, room or registers, or mix them.
#[derive(Clone, Copy, Debug)]
struct Order {
    launches: u8,
    units: u8,
}

/// Returns a pseudo-random rank below 5, equal for equal arguments.
fn wild(numbers: [u64; 3]) -> u64 {
    let mixed = numbers.iter().fold(7u64, |mixed, number| {
        (mixed ^ number).wrapping_mul(6_364_136_223_846_793_005).rotate_left(23)
    });
    mixed % 5
}

impl Rank for Order {
    fn launch(&self, launch: &ReadyLaunch) -> u64 {
        let (left, id) = (launch.undistributed(), launch.launch().id.0.into());
        match self.launches {
            0 => 0,
            1 => launch.launch().level.0.into(),
            2 => left,
            3 => u64::MAX - left,
            _ => wild([left, id, 0]),
        }
    }

    fn unit(&self, launch: &Launch, room: u32, free: &Free) -> u64 {
        match self.units {
            0 => 0,
            1 => room.into(),
            2 => (u32::MAX - room).into(),
            3 => free.vgpr,
            _ => wild([free.waves, free.lds + free.workgroups, launch.id.0.into()]),
        }
    }
}

/// A policy that places by the order, one workgroup in each answer: the oracle of `Ranked`.
#[derive(Clone, Debug)]
struct Naive(Order);

impl Allocate for Naive {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        let mut waiting: Vec<&ReadyLaunch> =
            ready.launches().iter().filter(|entry| entry.undistributed() > 0).collect();
        waiting.sort_by_key(|entry| self.0.launch(entry));
        for entry in waiting {
            let launch = &entry.launch();
            let with_room = ready.cus().ids().filter_map(|cu| {
                let room = ready.cus().room(cu, &launch.demand);
                let free = ready.cus().free(cu);
                (room > 0).then(|| (self.0.unit(launch, room, &free), cu))
            });
            if let Some((_, cu)) = with_room.min() {
                return round.start_one(entry, cu);
            }
        }
        Answer::WAIT
    }
}

fn orders() -> impl Strategy<Value = Order> {
    (0u8..5, 0u8..5).prop_map(|(launches, units)| Order { launches, units })
}

/// Returns the tick, launch, workgroup and compute unit of each start, in order.
fn starts(
    s: &raddle_testkit::Scenario,
    policy: &mut dyn Allocate,
) -> Vec<(Tick, String, u64, CuId)> {
    let run = World::play(s, policy).expect("it keeps the laws");
    let mut starts = Vec::new();
    for line in &run.lines {
        if let raddle_testkit::Deed::Started { launch, pieces, .. } = &line.deed {
            let mut one: Vec<_> =
                pieces.iter().flat_map(|piece| piece.workgroups().map(|w| (w, piece.cu))).collect();
            one.sort_unstable();
            starts.extend(one.iter().map(|&(w, cu)| (line.at, launch.to_string(), w, cu)));
        }
    }
    starts
}

proptest! {
    #[test]
    fn it_keeps_the_laws(s in scenario(), order in orders()) {
        check_allocate(|| Ranked::new(order), &s);
        check_bulk(|| Ranked::new(order), &s);
    }

    #[test]
    fn it_places_as_the_order_says(s in scenario_with(true), order in orders()) {
        let naive = starts(&s, &mut Naive(order));
        prop_assert_eq!(&starts(&s, &mut OneByOne(Ranked::new(order))), &naive);
        prop_assert_eq!(&starts(&s, &mut Ranked::new(order)), &naive);
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn in_bulk_as_one_by_one_on_every_device(s in wide_scenario(), order in orders()) {
        check_bulk(|| Ranked::new(order), &s);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn policies_of_several_processes_keep_the_laws(scenario in scenario(), of: [u8; 4]) {
        let order = |launches, units| Ranked::new(Order { launches: launches % 5, units: units % 5 });
        let make = || PerProcess::new(order(of[0], of[1])).with(ProcessId(1), order(of[2], of[3]));
        check_allocate(make, &scenario);
        check_bulk(make, &scenario);
    }
}
