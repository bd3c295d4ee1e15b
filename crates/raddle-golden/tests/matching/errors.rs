//! Is malformed input refused by its name?

use raddle_bitmap::{Full, Grouped};
use raddle_golden::ModelError;
use raddle_golden::matching::model::{Cu, Left, MatchHead, Wants, by, lowest, record};
use raddle_workgroup::Error;
use raddle_workgroup::order::{Fixed, Lowest};

use crate::{amounts, cu, head, matching, waves};

fn two_simds() -> Cu<&'static str> {
    cu("1111", &[("1111", 2), ("1111", 2)])
}

fn error(cus: Vec<Cu<&'static str>>, head: Option<MatchHead<&'static str>>) -> ModelError {
    let model = matching(cus, 2, 1);
    let order = Fixed::new(2).unwrap();
    model.decide(&[head], by(Full), (&order, 0), &mut Lowest, lowest).unwrap_err()
}

#[test]
fn demands_fit_the_shape_of_every_compute_unit() {
    let one = cu("1111", &[("1111", 2)]);
    assert_eq!(
        error(vec![two_simds(), one], head(0, 0, &[(1, 1), (1, 1)])),
        ModelError::GroupCount { channel: 0, groups: 2, cu: 1, simds: 1 }
    );
}

#[test]
fn of_a_resource_that_is_not_there_nothing_is_left() {
    let groups = vec![amounts(&[("lds", 1)]), amounts(&[])];
    let wants = Wants::Groups { shared: amounts(&[("sgpr", 0)]), groups };
    let (model, order) = (matching(vec![two_simds()], 1, 1), Fixed::new(1).unwrap());
    let heads = [Some(MatchHead { level: 0, wants })];
    let decision = model.decide(&heads, by(Full), (&order, 0), &mut Lowest, lowest).unwrap();
    assert!(decision.target.is_none());
    let [refusal] = &decision.refusals[..] else { panic!("{:?}", decision.refusals) };
    let found = (refusal.simd, refusal.resource, refusal.wanted, refusal.left);
    assert_eq!(found, (Some(0), "lds", 1, Left::Free(0)));
}

#[test]
fn waves_need_a_pointer_and_a_number_that_the_table_has() {
    let none = Cu { pointer: None, ..two_simds() };
    assert_eq!(error(vec![two_simds(), none], waves(0, 0, 1, 1)), ModelError::NoPointer { cu: 1 });
    for count in [0, 33, u64::MAX] {
        let beyond = Error::WaveCount { count, most: 32 };
        assert_eq!(error(vec![two_simds()], waves(0, 0, count, 1)), beyond.into());
    }
    let wanted = ModelError::Wanted { channel: 0 };
    assert_eq!(error(vec![two_simds()], waves(0, 0, 4, u64::MAX)), wanted);
}

#[test]
fn levels_channels_and_searches_must_be_of_the_model() {
    let outside = Error::LevelOutside { level: 2, levels: 2 };
    assert_eq!(error(vec![two_simds()], head(2, 0, &[(1, 1), (1, 1)])), outside.into());
    let grouped = Grouped::new(8, 2).unwrap();
    let other = raddle_bitmap::Error::OtherSize { search: 8, map: 4 };
    assert_eq!(record(&two_simds(), by(grouped)), Err(other));
    assert_eq!(ModelError::from(other).to_string(), other.to_string());
    // More channels than there are marks for.
    let model = matching(vec![two_simds()], 1, 1);
    let heads = [None, head(0, 0, &[(1, 1), (1, 1)]), head(0, 0, &[(1, 1), (1, 1)])];
    let order = Fixed::new(1).unwrap();
    let decision = model.decide(&heads, by(Full), (&order, 0), &mut Lowest, lowest);
    let outside = Error::ChannelOutside { channel: 2, channels: 1 };
    assert_eq!(decision.unwrap_err(), outside.into());
}

#[test]
fn errors_say_what_to_do() {
    for (error, text) in [
        (
            ModelError::GroupCount { channel: 3, groups: 2, cu: 5, simds: 4 },
            "the head of channel 3 has 2 wave groups, compute unit 5 has 4 SIMDs: give one each",
        ),
        (
            ModelError::NoPointer { cu: 5 },
            "compute unit 5 has no pointer, so waves cannot be balanced there: give it one",
        ),
        (
            ModelError::Wanted { channel: 3 },
            "the waves of the head of channel 3 want more than 64 bits count: give less",
        ),
    ] {
        assert_eq!(error.to_string(), text);
    }
}
