//! Which processes do the turn policies of this crate let issue?

use raddle_dispatch::slots::{Everyone, HighestLevel, Ordinary, OrdinaryConfig};
use raddle_policy::{LaunchPath, Level, ProcessState, Submission, Tick, Ticks, Turn, turn_fn};
use raddle_testkit::{Scenario, render_launch_path};

fn process(id: u16, level: u8) -> ProcessState {
    ProcessState::new(raddle_policy::ProcessId(id), Level(level), Tick::ZERO)
}

fn sweep(mut turn: impl Turn) -> String {
    let mut table = String::from("levels    may issue\n");
    for levels in
        [vec![], vec![3], vec![0, 0], vec![0, 1], vec![1, 0], vec![2, 1, 1], vec![255, 255]]
    {
        let states: Vec<_> = (0..).zip(&levels).map(|(id, &level)| process(id, level)).collect();
        let mut may_issue = Vec::new();
        turn.turn(&states, Tick(9), &mut may_issue);
        let names: Vec<String> = may_issue.iter().map(ToString::to_string).collect();
        let levels: Vec<String> = levels.iter().map(ToString::to_string).collect();
        table += format!("{:9} {}", levels.join(","), names.join(" ")).trim_end();
        table += "\n";
    }
    table
}

#[test]
fn highest_level_shares_a_tie() {
    insta::assert_snapshot!(sweep(HighestLevel), @r"
    levels    may issue

    3         p0
    0,0       p0 p1
    0,1       p0
    1,0       p1
    2,1,1     p1 p2
    255,255   p0 p1
    ");
}

#[test]
fn everyone_is_everyone() {
    insta::assert_snapshot!(sweep(Everyone), @r"
    levels    may issue

    3         p0
    0,0       p0 p1
    0,1       p0 p1
    1,0       p0 p1
    2,1,1     p0 p1 p2
    255,255   p0 p1
    ");
}

#[test]
fn ordinary_costs_one_packet_a_launch() {
    let config = OrdinaryConfig::default().with_packet_ns(1500).with_cleanup_ns(7);
    let mut path = Ordinary::new(config);
    let each = Submission { packets: 1, bytes: 64, cost: Ticks(1500), cleanup: Ticks(7) };
    for id in 0..3 {
        assert_eq!(path.submit(&crate::composed::launch(id, 0, 1)), each);
    }
}

/// Checks `HighestLevel` combined with a policy that names the last process, by id, for ten ticks:
/// the last of the most urgent ones has the turn.
#[test]
fn one_policy_stands_behind_another() {
    let last = turn_fn(|processes: &[ProcessState], now, may_issue: &mut Vec<_>| {
        may_issue.extend(processes.last().map(|process| process.id));
        Some(now + Ticks(10))
    });
    let mut both = HighestLevel.then(last);
    let mut may_issue = Vec::new();
    let until = both.turn(
        &[process(0, 5), process(1, 2), process(2, 2), process(3, 9)],
        Tick(9),
        &mut may_issue,
    );
    assert_eq!((may_issue, until), (vec![raddle_policy::ProcessId(2)], Some(Tick(19))));
    assert_eq!(both.turn(&[], Tick(30), &mut Vec::new()), Some(Tick(40)));
}

#[test]
fn a_launch_path_is_rendered() {
    let mut path = Ordinary::new(OrdinaryConfig::default().with_packet_ns(1500));
    let table =
        render_launch_path(&mut path, &Scenario::example().launches).expect("it keeps the laws");
    insta::assert_snapshot!(table, @r"
    launch  packets  bytes  cost  cleanup
        k0  1        64     1500  0
        k1  1        64     1500  0
        k2  1        64     1500  0
        k3  1        64     1500  0
    ");
}
