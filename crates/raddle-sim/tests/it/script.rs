//! Does a script show what a dispatcher does, and can it be compared as JSON?

use raddle_dispatch::slots::HighestLevel;
use raddle_policy::Preemption;
use raddle_preempt::policy::ByRule;
use raddle_sim::Script;

/// Returns a script of a low launch of six workgroups, of which two units hold four, and an urgent
/// launch that revokes it.
fn revoked() -> Script {
    let script = Script::on("2x2").join(0, 3).launch(0).level(5).workgroups(6).waves(4);
    script.at(50).launch(1).workgroups(2).waves(8).lasts(20)
}

#[test]
fn a_transcript_is_a_table_with_a_line_an_action() {
    let script = revoked();
    let builder = script.builder().turn("highest-level", HighestLevel);
    let builder = builder.preempt("drain", ByRule::fixed(Preemption::Drain));
    let mut dispatcher = builder.build().expect("it builds");
    let transcript = script.run(&mut dispatcher).expect("lawful policies");
    insta::assert_snapshot!(transcript, @r"
      0  k0  submit
      0  k0  start      w0+2x2@cu0 w1+2x2@cu1
     50  k0  take off   drain
     50  k1  submit
    100  k0  (ended)    w0+2x2@cu0 w1+2x2@cu1
    100  p0  (drained)  drain after 50
    100  k1  start      w0@cu0 w1@cu1
    120  k1  (ended)    w0@cu0 w1@cu1
    120  k0  restore
    120  k0  start      w4@cu0 w5@cu1
    220  k0  (ended)    w4@cu0 w5@cu1
    ");
    let json = serde_json::to_value(&transcript).expect("it can be written");
    let first = serde_json::json!({ "t": 0, "of": "k0", "action": "submit", "what": "" });
    assert_eq!((json.as_array().map(Vec::len), &json[0]), (Some(transcript.lines.len()), &first));
}

#[test]
fn what_is_no_device_has_no_dispatcher() {
    for device in ["", "4", "4x", "x2", "0x2", "4x0", "4x9", "-1x2", "4x2x2"] {
        assert!(Script::on(device).builder().build().is_err(), "{device}");
    }
}
