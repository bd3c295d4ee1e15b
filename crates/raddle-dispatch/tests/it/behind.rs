//! Does a launch start in the tick in which the one before it is taken off?

use raddle_dispatch::slots::{HighestLevel, Ordinary, OrdinaryConfig};
use raddle_dispatch::{Composed, Event};
use raddle_policy::{
    Allocate, Answer, CuId, Preempt, Preemption, ProcessId, ReadyView, Round, Tick, VictimView,
};
use raddle_testkit::altered;

use crate::composed::{SHAPE, joined, launch, ready, step};

/// A preempt policy that drains process 1 and leaves the work of others on the device.
struct DrainsOne;

impl Preempt for DrainsOne {
    fn preempt(&mut self, victim: &VictimView<'_>, _now: Tick) -> Option<Preemption> {
        (victim.process().id == ProcessId(1)).then_some(Preemption::Drain)
    }
}

/// An allocate policy that considers only the first launch, so that a launch without room stops the
/// others.
struct FirstAlone;

impl Allocate for FirstAlone {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        let first = ready.launches().iter().find(|entry| entry.undistributed() > 0);
        let fits = first.filter(|entry| ready.cus().room(CuId(0), &entry.launch().demand) > 0);
        fits.map_or(Answer::WAIT, |entry| round.start_one(entry, CuId(0)))
    }
}

#[test]
fn a_launch_starts_when_the_one_before_it_leaves_the_view() {
    // No launch arrives in the tick of the take-off: a packet takes 100 ticks.
    let path = Ordinary::new(OrdinaryConfig::default().with_packet_ns(100));
    let mut d = Composed::builder(SHAPE, 1)
        .launch_path("ordinary", path)
        .turn("highest-level", HighestLevel)
        .allocate("first-alone", FirstAlone)
        .preempt("drains-one", DrainsOne)
        .build()
        .expect("it builds");
    // One workgroup of five waves fits; the second does not, though single waves of it would.
    let mut wide = launch(1, 1, 2);
    wide.demand.waves = 5;
    let narrow = altered(launch(2, 1, 2), |it| it.process = ProcessId(2));
    let events = [joined(0), joined(1), joined(2), ready(wide), ready(narrow)];
    assert_eq!(step(&mut d, 0, &events), ["submit k1", "wake 100", "submit k2"]);
    assert_eq!(step(&mut d, 100, &[Event::Woke]), ["start 1 of k1"]);
    assert_eq!(
        step(&mut d, 200, &[ready(launch(3, 0, 1))]),
        ["drain k1", "submit k3", "wake 300", "start 1 of k2", "start 1 of k2"],
        "k2 stays on the device and has room"
    );
}
