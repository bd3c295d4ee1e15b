//! Is a file of another form, or a broken one, read as far as it goes?

use flate2::Compression;
use flate2::write::GzEncoder;
use raddle_trace::{ImportConfig, ProfileFormat, read};
use std::io::Write;

use super::{V100, count, event, given, kernel, refused, text_of, trace, with};
use crate::common::{names, quirks};

#[test]
fn quirk_01_a_bare_array_of_events() {
    let p = trace(&format!("\n [{}, ]", kernel("a", "10", "5")));
    assert_eq!((names(&p), p.format), (vec!["a"], ProfileFormat::Kineto));
    assert_eq!(p.device, None);
}

#[test]
fn quirk_01_metadata_before_and_behind_the_events() {
    let p = trace(&format!(
        r#"{{"schemaVersion":1,"distributedInfo":{{"rank":0,"pg":["}}",1]}},"traceEvents":[{}],"traceName":"./someone/x.json","displayTimeUnit":"ms","baseTimeNanoseconds":1735632360000000000,"deviceProperties":[{V100}]}}"#,
        kernel("a", "10.000", "5.000")
    ));
    assert_eq!((names(&p), p.span_ns), (vec!["a"], 5_000));
    assert_eq!(p.device.expect("behind the events").sms, Some(80));
}

#[test]
fn quirk_01_null_absent_and_empty_events_are_refused_clearly() {
    assert!(refused(r#"{"schemaVersion":1,"traceEvents":null}"#).contains("no GPU kernels"));
    assert!(refused(r#"{"schemaVersion":1,"traceEvents":[]}"#).contains("no events at all"));
    assert!(refused(r#"{"schemaVersion":1}"#).contains("one key, and not `traceEvents`"));
    let cpu_only = text_of(V100, &[event("cpu_op", "aten::add", "1", r#""dur":1"#)]);
    assert!(refused(&cpu_only).contains("but only `cpu_op` and the description of"));
}

#[test]
fn quirk_02_content_tells_gzip_and_how_many_members_it_has() {
    let text = text_of(V100, &[kernel("a", "10", "5"), kernel("b", "20", "5")]);
    let pack = |part: &str| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(part.as_bytes()).unwrap();
        packed.finish().unwrap()
    };
    let (head, tail) = text.split_at(text.len() / 2);
    let members = [pack(head), pack(tail), pack("")].concat();
    for bytes in [text.clone().into_bytes(), pack(&text), members] {
        for name in ["trace.json", "trace.json.gz"] {
            let p = read(name, bytes.as_slice(), &ImportConfig::default()).unwrap();
            assert_eq!((names(&p), p.name.as_str()), (vec!["a", "b"], "trace"));
            assert_eq!(quirks(&p), [("no-launch-call", 2)]);
        }
    }
}

#[test]
fn quirk_02_other_compression_is_refused_with_advice() {
    let told = |bytes: &[u8]| given(bytes).unwrap_err().to_string();
    assert!(told(b"\x28\xb5\x2f\xfd\x04\x58").contains("zstd -d"));
    assert!(told(b"\xfd7zXZ\0\0\x04").contains("xz -d"));
}

#[test]
fn quirk_15_names_may_be_long_and_hold_anything_escaped() {
    let long = format!("void f<{}>(int, \\\"x\\\", {{lambda()#1}})", "a::b<c>, ".repeat(300));
    let p = with(V100, &[kernel(&long, "1", "1"), kernel("unknown", "2", "1")]);
    assert_eq!(names(&p), [long.replace('\\', "").as_str(), "unknown"]);
}

/// Kernel names that break the JSON: with one bare quote, two, with braces of either kind, at the
/// end.
const BROKEN: [&str; 8] =
    ["a\"b", "say \"hi\"", "\"", "a\"}b", "a\"{b", "a\"b\"{", "}\"}\"}", "a\", \"b\": \"c\\"];

#[test]
fn quirk_15_a_bare_quote_costs_its_own_event_alone() {
    for name in BROKEN {
        let events = [
            kernel("before", "1", "1"),
            kernel(name, "3", "1"),
            kernel("behind", "5", "1"),
            kernel("last", "7", "1"),
        ];
        let p = with(V100, &events);
        assert_eq!(names(&p), ["before", "behind", "last"], "{name}");
        assert!(count(&p, "malformed") >= 1, "{name}: {:?}", p.report);
        assert_eq!(count(&p, "damaged"), 0, "{name}");
    }
}

#[test]
fn quirk_15_a_bare_quote_in_an_event_of_no_interest_costs_no_kernel() {
    for name in BROKEN {
        let odd =
            || event("user_annotation", name, "3", "\"dur\":1,\n    \"args\":{\n    \"x\":[1]}");
        let events = [
            kernel("before", "1", "1"),
            odd(),
            kernel("between", "5", "1"),
            odd(),
            kernel("behind", "7", "1"),
        ];
        assert_eq!(names(&with(V100, &events)), ["before", "between", "behind"], "{name}");
    }
}

#[test]
fn quirk_15_a_bare_quote_in_the_last_event_loses_nothing_before_it() {
    for name in BROKEN {
        let p = with(V100, &[kernel("a", "1", "1"), kernel("b", "3", "1"), kernel(name, "5", "1")]);
        assert_eq!(names(&p), ["a", "b"], "{name}");
    }
}

#[test]
fn quirk_16_a_killed_job_leaves_whole_events_and_a_comma() {
    let whole = text_of(V100, &[kernel("a", "1", "1"), kernel("b", "3", "1")]);
    let cut = whole.trim_end_matches("]}");
    let lost = |text: &str| {
        let p = trace(text);
        assert_eq!((names(&p), count(&p, "truncated")), (vec!["a", "b"], 1), "{text}");
        count(&p, "lost-events")
    };
    assert_eq!(lost(cut), 0);
    assert_eq!(lost(&format!("{cut},\n")), 1);
    assert_eq!(lost(&format!("{cut},\n{{\"ph\":\"X\",\"cat\":\"ker")), 1);
}
