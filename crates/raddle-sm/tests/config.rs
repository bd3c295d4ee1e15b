//! How are the parameters of `block-warp` spelled?
#![cfg(feature = "serde")]

use raddle_sm::{BlockWarpConfig, Choose};
use serde_json::{from_str, to_string};

#[test]
fn names_are_kebab_case_and_everything_has_a_default() {
    let text = r#"{"strict":false,"choose":"most-free","fall-through":true,"backfill":true,"whole-blocks-for-barriers":true}"#;
    let options = BlockWarpConfig {
        choose: Choose::MostFree,
        fall_through: true,
        ..BlockWarpConfig::default()
    };
    assert_eq!(to_string(&options).unwrap(), text);
    assert_eq!(from_str::<BlockWarpConfig>(text).unwrap(), options);
    assert_eq!(from_str::<BlockWarpConfig>("{}").unwrap(), BlockWarpConfig::default());
    let error = from_str::<BlockWarpConfig>(r#"{"back-fill":true}"#).unwrap_err().to_string();
    assert!(error.starts_with("unknown field"), "{error}");
}
