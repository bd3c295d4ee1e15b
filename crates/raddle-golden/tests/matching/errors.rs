//! Is malformed input refused by its name?

use raddle_bitmap::{Full, Grouped};
use raddle_golden::ModelError;
use raddle_golden::matching::model::{Cu, Left, MatchHead, Wants, by, lowest, record};
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
        let beyond = format!("{count} waves are not in the split table: give 1 to 32");
        assert_eq!(error(vec![two_simds()], waves(0, 0, count, 1)).to_string(), beyond);
    }
    let wanted = ModelError::Wanted { channel: 0 };
    assert_eq!(error(vec![two_simds()], waves(0, 0, 4, u64::MAX)), wanted);
}

#[test]
fn levels_channels_and_searches_must_be_of_the_model() {
    let outside = error(vec![two_simds()], head(2, 0, &[(1, 1), (1, 1)]));
    assert_eq!(outside.to_string(), "level 2 is not there, 2 are: fold it to the last");
    let grouped = Grouped::new(8, 2).unwrap();
    let other = record(&two_simds(), by(grouped)).unwrap_err();
    let text = "the search is for 8 blocks, the map has 4: make one for its size";
    assert_eq!(
        (other.to_string(), ModelError::from(other).to_string()),
        (text.to_owned(), text.to_owned())
    );
    // More channels than there are marks for.
    let model = matching(vec![two_simds()], 1, 1);
    let heads = [None, head(0, 0, &[(1, 1), (1, 1)]), head(0, 0, &[(1, 1), (1, 1)])];
    let order = Fixed::new(1).unwrap();
    let decision = model.decide(&heads, by(Full), (&order, 0), &mut Lowest, lowest);
    let text = "channel 2 is not there, 1 are: fold it, or make more";
    assert_eq!(decision.unwrap_err().to_string(), text);
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
