//! Does a device survive being written and read, and are unknown keys refused?
#![cfg(feature = "serde")]

use raddle_device::{Device, table};

#[test]
fn devices_are_read_back_as_they_were_written() {
    for device in table() {
        let text = serde_json::to_string(&device).unwrap();
        assert!(text.contains("\"memory-bytes-per-us\":"), "kebab-case: {text}");
        assert_eq!(serde_json::from_str::<Device>(&text).unwrap(), device);
    }
}

#[test]
fn unknown_keys_are_refused() {
    let text = serde_json::to_string(&table()[0]).unwrap();
    let odd = text.replacen('{', "{\"sms\":80,", 1);
    let error = serde_json::from_str::<Device>(&odd).unwrap_err().to_string();
    assert!(error.contains("unknown field `sms`"), "{error}");
}
