//! Do the policies of this crate keep the laws of their traits?

use proptest::prelude::*;
use raddle_dispatch::slots::{Everyone, HighestLevel, Never, Ordinary, OrdinaryConfig};
use raddle_testkit::{
    check_launch_path, check_preempt, check_turn, submissions, turn_scenario, victims,
};

proptest! {
    #[test]
    fn turns_keep_their_laws(scenario in turn_scenario()) {
        check_turn(|| Everyone, &scenario);
        check_turn(|| HighestLevel, &scenario);
    }

    #[test]
    fn preemptions_keep_their_laws(victims in victims()) {
        check_preempt(|| Never, &victims);
    }

    #[test]
    fn the_ordinary_path_keeps_its_laws(submissions in submissions(), packet_ns: u64) {
        check_launch_path(|| Ordinary::new(OrdinaryConfig::default().with_packet_ns(packet_ns)), &submissions);
    }
}
