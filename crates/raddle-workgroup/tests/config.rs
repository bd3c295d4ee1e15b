//! How are the parameters of the baselines spelled?
#![cfg(feature = "serde")]

use raddle_workgroup::{
    Cursor, GreedyConfig, LeftoverConfig, Rotation, RoundRobinConfig, SpatialConfig,
};
use serde_json::{from_str, to_string};

#[test]
fn names_are_kebab_case_and_everything_has_a_default() {
    let config =
        RoundRobinConfig { addresses: true, rotation: Rotation::Peer, cursor: Cursor::PerLaunch };
    let text = r#"{"addresses":true,"rotation":"peer","cursor":"per-launch"}"#;
    assert_eq!(to_string(&config).unwrap(), text);
    assert_eq!(from_str::<RoundRobinConfig>(text).unwrap(), config);
    assert_eq!(from_str::<RoundRobinConfig>("{}").unwrap(), RoundRobinConfig::default());
    let text = r#"{"addresses":false,"rotation":"none"}"#;
    assert_eq!(to_string(&GreedyConfig::default()).unwrap(), text);
    assert_eq!(from_str::<LeftoverConfig>("{}").unwrap(), LeftoverConfig::default());
    let shares: SpatialConfig = from_str(r#"{"shares":[3,1]}"#).unwrap();
    assert_eq!(shares, SpatialConfig { shares: vec![3, 1] });
}

#[test]
fn unknown_keys_are_errors() {
    for error in [
        from_str::<RoundRobinConfig>(r#"{"adresses":true}"#).unwrap_err(),
        from_str::<GreedyConfig>(r#"{"cursor":"device"}"#).unwrap_err(),
        from_str::<LeftoverConfig>(r#"{"x":1}"#).unwrap_err(),
        from_str::<SpatialConfig>(r#"{"share":[1]}"#).unwrap_err(),
    ] {
        assert!(error.to_string().starts_with("unknown field"), "{error}");
    }
}
