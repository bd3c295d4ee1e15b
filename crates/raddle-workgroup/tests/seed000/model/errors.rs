//! Is malformed input refused by its name, and nothing changed?

use raddle_bitmap::{Full, Grouped};
use raddle_golden::matching::model::{
    Cu, Head, Held, Model, Stock, Wants, by, compare, give, lowest, record, split, starts, take,
};
use raddle_workgroup::Error;
use raddle_workgroup::order::{Fixed, Lowest};

use super::{amounts, cu, head, waves};

fn two_simds() -> Cu<&'static str> {
    cu("1111", &[("1111", 2), ("1111", 2)])
}

fn error(cus: Vec<Cu<&'static str>>, head: Option<Head<&'static str>>) -> Error {
    let model = Model::new(cus, 2, 1).unwrap();
    let order = Fixed::new(2).unwrap();
    model.decide(&[head], by(Full), (&order, 0), &mut Lowest, lowest).unwrap_err()
}

#[test]
fn demands_fit_the_shape_of_every_compute_unit() {
    let one = cu("1111", &[("1111", 2)]);
    assert_eq!(
        error(vec![two_simds(), one], head(0, 0, &[(1, 1), (1, 1)])),
        Error::GroupCount { channel: 0, groups: 2, cu: 1, simds: 1 }
    );
    let wants = |shared: &[_], first: &[_]| {
        let groups = vec![amounts(first), amounts(&[])];
        Some(Head { level: 0, wants: Wants::Groups { shared: amounts(shared), groups } })
    };
    let unknown = |simd| Error::NoResource { channel: 0, cu: 0, simd };
    assert_eq!(error(vec![two_simds()], wants(&[("sgpr", 0)], &[])), unknown(None));
    assert_eq!(error(vec![two_simds()], wants(&[], &[("lds", 1)])), unknown(Some(0)));
}

#[test]
fn waves_need_a_pointer_and_a_number_that_the_table_has() {
    let none = Cu { pointer: None, ..two_simds() };
    assert_eq!(error(vec![two_simds(), none], waves(0, 0, 1, 1)), Error::NoPointer { cu: 1 });
    let foreign = Cu { pointer: cu("1", &[("1", 1)]).pointer, ..two_simds() };
    assert_eq!(error(vec![foreign], waves(0, 0, 1, 1)), Error::OtherTarget);
    for count in [0, 33, u64::MAX] {
        let most = 32;
        assert_eq!(
            error(vec![two_simds()], waves(0, 0, count, 1)),
            Error::WaveCount { count, most }
        );
    }
    assert_eq!(error(vec![two_simds()], waves(0, 0, 4, u64::MAX)), Error::Wanted { channel: 0 });
}

#[test]
fn levels_records_and_searches_must_be_of_the_model() {
    assert_eq!(
        error(vec![two_simds()], head(2, 0, &[(1, 1), (1, 1)])),
        Error::LevelOutside { level: 2, levels: 2 }
    );
    let heads = [head(0, 0, &[(1, 1), (1, 1)])];
    let (records, cus) = (0, 1);
    assert_eq!(compare(&heads, &[two_simds()], &[]), Err(Error::RecordCount { records, cus }));
    let grouped = Grouped::new(8, 2).unwrap();
    let (search, map) = (8, 4);
    let other = raddle_bitmap::Error::OtherSize { search, map };
    assert_eq!(record(&two_simds(), by(grouped)), Err(Error::Map(other)));
    assert_eq!(Error::Map(other).to_string(), other.to_string());
    // More channels than there are marks for.
    let model = Model::new(vec![two_simds()], 1, 1).unwrap();
    let heads = [None, head(0, 0, &[(1, 1), (1, 1)]), head(0, 0, &[(1, 1), (1, 1)])];
    let order = Fixed::new(1).unwrap();
    let decision = model.decide(&heads, by(Full), (&order, 0), &mut Lowest, lowest);
    assert_eq!(decision.unwrap_err(), Error::ChannelOutside { channel: 2, channels: 1 });
}

#[test]
fn a_decision_is_carried_out_once_and_not_after_a_change() {
    let mut model = Model::new(vec![two_simds()], 1, 1).unwrap();
    let order = Fixed::new(1).unwrap();
    let heads = [head(0, 1, &[(1, 1), (1, 1)])];
    let decide = |model: &Model<_>| {
        model.decide(&heads, by(Full), (&order, 0), &mut Lowest, lowest).unwrap()
    };
    let (first, second) = (decide(&model), decide(&model));
    let held = model.commit(first).unwrap().unwrap();
    let before = model.cus().to_vec();
    assert_eq!(model.commit(second).unwrap_err(), Error::OldDecision);
    assert_eq!(model.cus(), before);
    let third = decide(&model);
    model.release(held).unwrap();
    assert_eq!(model.commit(third).unwrap_err(), Error::OldDecision);
    // A decision of another model, of which as much has changed.
    let mut larger = Model::new(vec![cu("0", &[("0", 0), ("0", 0)]), two_simds()], 1, 1).unwrap();
    let mut fresh = Model::new(vec![two_simds()], 1, 1).unwrap();
    let foreign = decide(&larger);
    assert_eq!(fresh.commit(foreign).unwrap_err(), Error::CuOutside { cu: 1, cus: 1 });
    let foreign = decide(&fresh);
    assert!(larger.commit(foreign).is_err(), "its first compute unit has nothing free");
    assert_eq!(larger.cus()[1], two_simds());
}

#[test]
fn everything_is_taken_or_nothing() {
    let mut unit = two_simds();
    let wanted = head(0, 2, &[(2, 1), (3, 2)]).unwrap();
    let parts = split((0, &wanted.wants), (0, &unit)).unwrap();
    let pieces = starts(&parts, &unit).unwrap();
    // The second SIMD loses a wave slot meanwhile: what comes before it must not stay taken.
    unit.simds[1].insert("waves", Stock::Count(1));
    let before = unit.clone();
    assert_eq!(take(&mut unit, &pieces), Err(Error::TakeBeyond { wanted: 2, free: 1 }));
    assert_eq!(unit, before);
    assert_eq!(starts(&parts, &unit), Err(Error::TakeBeyond { wanted: 2, free: 1 }));
    let not_taken = Error::Map(raddle_bitmap::Error::NotTaken { start: 0, len: 2 });
    assert_eq!(give(&mut unit, &pieces), Err(not_taken));
    assert_eq!(unit, before);
    // Pieces of another compute unit.
    let mut small = cu("1111", &[("1111", 2)]);
    assert_eq!(take(&mut small, &pieces), Err(Error::TakeBeyond { wanted: 1, free: 0 }));
    let mut model = Model::new(vec![unit], 1, 1).unwrap();
    let held = Held { channel: 0, cu: 7, pieces };
    assert_eq!(model.release(held), Err(Error::CuOutside { cu: 7, cus: 1 }));
}

#[test]
fn errors_say_what_to_do() {
    let (channel, cu) = (3, 5);
    for (error, text) in [
        (
            Error::GroupCount { channel, groups: 2, cu, simds: 4 },
            "the head of channel 3 has 2 wave groups, compute unit 5 has 4 SIMDs: give one each",
        ),
        (
            Error::NoResource { channel, cu, simd: None },
            "the head of channel 3 wants a resource that compute unit 5 does not have: name only what there is",
        ),
        (
            Error::NoResource { channel, cu, simd: Some(1) },
            "the head of channel 3 wants a resource that SIMD 1 of compute unit 5 does not have: name only what there is",
        ),
        (
            Error::NoPointer { cu },
            "compute unit 5 has no pointer, so waves cannot be balanced there: give it one",
        ),
        (
            Error::Wanted { channel },
            "the waves of the head of channel 3 want more than 64 bits count: give less",
        ),
        (Error::RecordCount { records: 1, cus: 2 }, "1 records of 2 compute units: give one each"),
        (Error::CuOutside { cu, cus: 5 }, "compute unit 5 is not there, 5 are: name one of them"),
        (Error::OldDecision, "something has changed since the decision was made: decide again"),
    ] {
        assert_eq!(error.to_string(), text);
    }
}
