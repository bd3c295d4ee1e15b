//! Do the ways of taking work off answer the questions about them without contradiction?

use raddle_policy::Preemption;

#[test]
fn a_launch_leaves_for_the_buffer_or_is_held_and_begins_again_only_from_the_buffer() {
    for way in Preemption::ALL {
        assert!(!(way.holds() && way.empties()), "{way:?}");
        assert!(!way.begins_again() || way.empties() && way.frees_places(), "{way:?}");
        assert!(!way.saves() || way.holds(), "{way:?}: what is saved is brought back");
        assert!(!way.stands_still() || way.frees_places(), "{way:?}: it would stand for nothing");
    }
}

#[test]
fn each_way_is_named_once_and_ends_in_a_wait() {
    for (at, way) in Preemption::ALL.into_iter().enumerate() {
        assert_eq!(way as usize, at, "{way:?} is counted by its position");
        let same = Preemption::ALL.into_iter().filter(|other| other.name() == way.name());
        assert_eq!(same.count(), 1, "{way:?}");
        assert_eq!(way.gentler().is_none(), way == Preemption::Wait);
        assert_eq!(way.outdoes(Preemption::Wait), way != Preemption::Wait, "{way:?}");
        assert!(way.gentler().is_none_or(|gentler| gentler < way), "{way:?}");
    }
}

#[test]
fn ways_answer_as_their_words_say() {
    let rows = Preemption::ALL.map(|way| {
        let answers = [
            (way.holds(), "holds"),
            (way.empties(), "empties"),
            (way.stands_still(), "stands still"),
            (way.frees_places(), "frees places"),
            (way.begins_again(), "begins again"),
            (way.drains(), "drains"),
            (way.saves(), "saves"),
        ];
        let yes: Vec<_> =
            answers.into_iter().filter_map(|(yes, word)| yes.then_some(word)).collect();
        format!("{}: {}", way.name(), yes.join(", "))
    });
    let wanted = [
        "wait: ",
        "flag: empties",
        "drain: holds, drains",
        "reset: empties, stands still, frees places, begins again",
        "switch: holds, stands still, frees places, saves",
    ];
    assert_eq!(rows, wanted);
}
