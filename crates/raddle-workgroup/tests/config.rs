//! How are the parameters of the baselines spelled?
#![cfg(feature = "serde")]

use raddle_workgroup::{
    BaselineConfig, MatchingConfig, PlaceRule, PowerWeights, SearchRule, SpatialConfig, SplitRule,
};
use serde_json::{from_str, to_string};

#[test]
fn names_are_kebab_case_and_everything_has_a_default() {
    let config = BaselineConfig::default().with_addresses(true);
    assert_eq!(to_string(&config).unwrap(), r#"{"addresses":true}"#);
    assert_eq!(from_str::<BaselineConfig>(r#"{"addresses":true}"#).unwrap(), config);
    assert_eq!(from_str::<BaselineConfig>("{}").unwrap(), BaselineConfig::default());
    let shares: SpatialConfig = from_str(r#"{"shares":[3,1]}"#).unwrap();
    assert_eq!(shares, SpatialConfig::default().with_shares(vec![3, 1]));
}

#[test]
fn unknown_keys_are_errors() {
    for error in [
        from_str::<BaselineConfig>(r#"{"adresses":true}"#).unwrap_err(),
        from_str::<SpatialConfig>(r#"{"share":[1]}"#).unwrap_err(),
    ] {
        assert!(error.to_string().starts_with("unknown field"), "{error}");
    }
}

#[test]
fn every_part_of_matching_is_chosen_by_name() {
    assert_eq!(from_str::<MatchingConfig>("{}").unwrap(), MatchingConfig::default());
    let text = r#"{"search":"full","order":"static","pick":"lowest","balance":"tail","place":"lowest-index"}"#;
    assert_eq!(to_string(&MatchingConfig::default()).unwrap(), text);
    let text = concat!(
        r#"{"search":{"grouped":{"groups":16}},"order":{"windows":{"windows-us":[8,4,3,1]}},"#,
        r#""pick":{"seeded":{"seed":7}},"balance":"fixed","place":{"mix":{"free":{"waves":2,"vgpr":6,"#,
        r#""sgpr":1,"lds":3,"amounts":"longest-run"},"power":{"weights":[4,12,10,64,2,3],"#,
        r#""history-ticks":512},"shares":[1,2]}},"split":{"threshold":9,"retry-us":5},"channels":4}"#
    );
    let config: MatchingConfig = from_str(text).unwrap();
    assert_eq!(to_string(&config).unwrap(), text);
    let sampled: MatchingConfig = from_str(r#"{"search":{"sampled":{}}}"#).unwrap();
    assert_eq!(*sampled.search(), SearchRule::Sampled { amounts: None, excluding: None });
    let power = r#"{"place":{"least-power":{"weights":[1,2,3,4,5,6]}}}"#;
    let weights = PowerWeights::new([1, 2, 3, 4, 5, 6]);
    let place = PlaceRule::LeastPower(weights);
    assert_eq!(from_str(power).ok(), Some(MatchingConfig::default().with_place(place)));
    assert_eq!(weights.history(), Ok(1024), "what the seed prefers");
    let split = MatchingConfig::default().with_split(Some(SplitRule::default()));
    assert_eq!(from_str(r#"{"split":{}}"#).ok(), Some(split));
    for bad in [
        r#"{"searches":"full"}"#,
        r#"{"split":{"treshold":9}}"#,
        r#"{"place":{"most-free":{"wave":1}}}"#,
        r#"{"search":{"grouped":{"group":4}}}"#,
    ] {
        let error = from_str::<MatchingConfig>(bad).unwrap_err().to_string();
        assert!(error.starts_with("unknown field"), "{error}");
    }
    // Weights have no default.
    assert!(from_str::<MatchingConfig>(r#"{"place":"least-power"}"#).is_err());
}
