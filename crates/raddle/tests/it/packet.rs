//! Do the verbs of `raddle packet` turn launches into packets and back, and say what that saves?

use std::fmt::Write;

use serde_json::{Value, json};

use crate::common::{Place, Ran, kernel, table, trace};

const TABLE_6: &str = "06020480addeefbeedfead0b064034127856eddecefa";

fn packet(digits: &str) -> String {
    format!("{digits:0<128}")
}

fn launch(kernel: u64, kernarg: u64) -> String {
    json!({"kernel_object": kernel, "kernarg_address": kernarg}).to_string()
}

/// Returns the input for three iterations of six kernels, with a barrier after two.
fn stream() -> String {
    let mut lines: Vec<String> = (0..18).map(|n| launch(1 + n % 6, 64 * n)).collect();
    lines.insert(12, json!({"barrier": true}).to_string());
    lines.join("\n")
}

fn document(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

fn encode(input: &str) -> Ran {
    Place::new().ask(&["packet", "encode"], input)
}

fn decode(input: impl AsRef<[u8]>) -> Ran {
    Place::new().ask(&["packet", "decode"], input)
}

fn asked(verb: &str, input: &str) -> Value {
    document(&Place::new().ask(&["packet", verb, "--format", "json"], input))
}

#[test]
fn launches_become_packets_and_come_back() {
    let ran = encode(&stream());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let kinds: Vec<&str> = ran.out.lines().map(|line| &line[..2]).collect();
    assert_eq!(kinds, ["07", "07", "07", "07", "07", "07", "06", "03", "06"]);
    let decoded = decode(&ran.out);
    assert_eq!(decoded.out.matches("\"kernel_object\"").count(), 18, "{}", decoded.out);
    assert!(decoded.out.contains("packet 6: condensed packet, 64 bytes"), "{}", decoded.out);
    let told = asked("encode", &stream());
    assert_eq!((&told["launches"], &told["barriers"]), (&json!(18), &json!(1)));
}

#[test]
fn each_verb_takes_the_document_of_the_other() {
    let encoded = asked("encode", &stream());
    let decoded = asked("decode", &encoded.to_string());
    assert_eq!(asked("encode", &decoded.to_string()), encoded);
    assert_eq!(asked("decode", &decoded.to_string()), decoded, "its own one, too");
    let lines = encode(&stream()).out;
    assert_eq!(asked("decode", &lines), decoded);
    assert_eq!(encode(&decoded.to_string()).out, lines);
    // Packets of the golden model are such a document too, one a line.
    let question = json!({"dispatch": {"fields": {"kernel_object": 7}}}).to_string();
    let golden = Place::new().ask(&["golden", "packet"], format!("{question}\n{question}"));
    let launched = asked("decode", &golden.out);
    assert_eq!(launched["packets"][1]["launches"][0]["kernel_object"], "0x0000000000000007");
}

#[test]
fn a_decoded_document_tells_entries_differences_and_barriers() {
    let decoded = asked("decode", &encode(&stream()).out);
    let packets = decoded["packets"].as_array().unwrap();
    assert_eq!((&packets[5]["ref_num"], &packets[5]["condensed"]), (&json!(5), &Value::Null));
    let condensed = packets[6]["condensed"].as_array().unwrap();
    assert_eq!(condensed.len(), 6);
    let diff = json!({"kernarg_address": "0x00000000000001c0"});
    assert_eq!(condensed[1], json!({"ref_num": 1, "diff": diff}));
    assert_eq!(packets[6]["ref_num"], Value::Null);
    assert_eq!(packets[7]["barrier"]["barrier"], "and");
    assert_eq!(packets[7]["launches"], json!([]));
    assert_eq!(decoded["refused"], Value::Null);
}

#[test]
fn barriers_wait_for_what_they_are_told() {
    let told = json!({"barrier": "or", "signals": [16, "0x20"], "completion_signal": "0xff", "synch_scopes": 3});
    let ran = encode(&told.to_string());
    let digits = "0503000000000000".to_owned() + "1000000000000000" + "2000000000000000";
    let digits = format!("{digits:0<112}ff00000000000000\n");
    assert_eq!((ran.code, &*ran.out), (0, &*digits));
    let barrier = &asked("decode", &ran.out)["packets"][0]["barrier"];
    let zero = "0x0000000000000000";
    let signals = ["0x0000000000000010", "0x0000000000000020", zero, zero, zero];
    assert_eq!((&barrier["barrier"], &barrier["signals"]), (&json!("or"), &json!(signals)));
    assert_eq!(barrier["completion_signal"], "0x00000000000000ff");
    assert_eq!(barrier["synch_scopes"], 3);
    assert_eq!(encode(&barrier.to_string()).out, digits);
    assert_eq!(encode(r#"{"barrier":"and"}"#).out, encode(r#"{"barrier":true}"#).out);
    assert_eq!(encode(r#"{"barrier":true}"#).out, format!("{}\n", packet("03")));
}

#[test]
fn digits_may_have_a_prefix_and_blanks() {
    let line = packet("02");
    let spaced: Vec<&str> = (0..32).map(|word| &line[4 * word..4 * word + 4]).collect();
    let spaced = format!("  0x{}  \r\n\n{}\n", spaced.join(" "), line.to_uppercase());
    assert_eq!(asked("decode", &spaced), asked("decode", &format!("{line}\n{line}")));
    let mut bytes = [0; 64];
    bytes[0] = 2;
    assert_eq!(decode(bytes).out, decode(&line).out, "bytes are packets as they are");
}

#[test]
fn the_packet_that_is_refused_is_told_with_its_error() {
    // Packets before a bad one are told, it is drawn, and the error says where.
    let input = format!("{}\n{}\n", packet("02"), packet("0601"));
    let ran = decode(&input);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("packet 1: condensed packet"), "{}", ran.out);
    assert!(ran.err.contains("packet 1: kernel 0: empty reference entry 0"), "{}", ran.err);
    let told = asked("decode", &input);
    assert_eq!(told["packets"].as_array().unwrap().len(), 1);
    let refused = &told["refused"];
    assert_eq!((&refused["number"], &refused["packet"]), (&json!(1), &json!(packet("0601"))));
    assert_eq!(refused["kind"], "condensed packet");
    assert!(refused["error"].as_str().unwrap().starts_with("kernel 0: empty"), "{refused}");
    // A packet that was not decoded cannot be encoded again.
    let ran = encode(&told.to_string());
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("/refused: `packet decode` refused a packet"), "{}", ran.err);
    // The packet of Table 6 stands on entries that nothing here fills.
    let ran = decode(packet(TABLE_6));
    assert!(ran.err.contains("empty reference entry 4"), "{}", ran.err);
    assert!(ran.err.contains("`raddle golden packet` takes entries"), "{}", ran.err);
}

/// Checks that the tool refuses each of these inputs, and returns its messages.
fn refused(inputs: &[&str], ask: impl Fn(&str) -> Ran) -> String {
    let mut said = String::new();
    for input in inputs {
        let ran = ask(input);
        assert_eq!((ran.code, &*ran.out), (1, ""), "{input}");
        writeln!(said, "{}\n{}", input.escape_debug(), ran.err.trim_end()).expect("text takes it");
    }
    said
}

#[test]
fn what_cannot_be_encoded_is_refused_with_what_to_do() {
    let inputs = [
        r#"{"kernel":1}"#,
        r#"{"grid_size_X":1}"#,
        r#"{"nothing_like_it":1}"#,
        r#"{"fields":{"setup":1}}"#,
        r#"{"barrier":false}"#,
        r#"{"barrier":true,"signals":[1,2,3,4,5,6]}"#,
        r#"{"barrier":true,"completion_signal":-1}"#,
        r#"{"grid_size_x":4294967296}"#,
        "\nnonsense",
        r#"{"packets":["07"]}"#,
        r#"{"packets":[{"launches":[{"setup":"x"}]}]}"#,
    ];
    insta::assert_snapshot!("packet-encode-refused", refused(&inputs, encode));
    let ran = Place::new().ask(&["packet", "encode", "--condensed-type", "2"], "");
    assert_eq!((ran.code, &*ran.out), (2, ""), "{}", ran.err);
}

#[test]
fn what_cannot_be_decoded_is_refused_at_its_place() {
    let swapped = packet("02").replacen("0000", "00g0", 1);
    let inputs = [
        "abc",
        &format!("\n{swapped}"),
        &format!("{}\n# note", packet("02")),
        "é",
        r#"{"launches":3}"#,
        r#"{"packets":["02"]}"#,
        r#"{"packets":[7]}"#,
        "{\"packets\"",
    ];
    insta::assert_snapshot!("packet-decode-refused", refused(&inputs, |input| decode(input)));
}

#[test]
fn nothing_to_do_is_said() {
    for (verb, what) in [("encode", "no launches"), ("decode", "no packets")] {
        for input in ["", "\n \n"] {
            let ran = Place::new().ask(&["packet", verb], input);
            assert_eq!((ran.code, &*ran.out), (0, ""));
            let wanted =
                format!("note: the standard input holds {what}: there is nothing to {verb}\n");
            assert_eq!(ran.err, wanted);
        }
        assert!(asked(verb, "")["packets"].as_array().unwrap().is_empty());
    }
}

/// Checks the counted savings for two kernels in turn, six times: if their arguments always have
/// one address, each kernel is stored once and ten launches share a packet; with new addresses, the
/// 50 half-words make two packets.
#[test]
fn what_a_profile_would_save() {
    let mut table =
        "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n".to_owned();
    for n in 0..12 {
        table += &format!("k{},4,1,1,64,1,1,{},50\n", n % 2, 100 * n);
    }
    let place = Place::new();
    place.file("loop.csv", &table);
    let ran = place.raddle(&["packet", "stats", "loop.csv", "--format", "json"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let report = document(&ran);
    let costs = json!({"enqueue-ns": 2000, "processing-ns": 3000, "decode-ns": 0, "schedule-ns": 1000, "cleanup-ns": 2000});
    let assumed = json!({"near": 9, "entries": 8, "scope": "queue", "signals": false, "release-scope": false, "hold-us": null, "costs": costs});
    assert_eq!(report["assumed"], assumed);
    let saved = &report["profiles"][0];
    assert_eq!((&saved["launches"], &saved["kernels"]), (&json!(12), &json!(2)));
    assert_eq!((&saved["repeated"], &saved["changes"]), (&json!(10), &json!([])));
    assert_eq!(saved["ordinary-overhead-ns"], 12 * 8000);
    for row in saved["rows"].as_array().expect("a list") {
        assert_eq!((&row["reference"], &row["condensed"]), (&json!(2), &json!(10)), "{row}");
        assert_eq!((&row["own-kernel"], &row["other-kernel"]), (&json!(10), &json!(0)), "{row}");
        // Two reference packets, then for each packet E, P and C, and S for every kernel.
        let packets = if row["arguments"] == "fixed" { 1 } else { 2 };
        assert_eq!(
            (&row["packets"], &row["bytes"]),
            (&json!(2 + packets), &json!(64 * (2 + packets)))
        );
        assert_eq!(row["overhead-ns"], 2 * 8000 + packets * 7000 + 10 * 1000, "{row}");
    }
    // A signal takes four half-words more: six and then three launches a packet, each cleaned up.
    let told = place.raddle(&["packet", "stats", "loop.csv", "--signals"]).out;
    for row in [
        "first              4  3.00x  256 B  83.3%   0.0%      5.00   56.0 us  41.7%",
        "first              6  2.00x  384 B  83.3%   0.0%      2.50   66.0 us  31.2%",
        "every launch has a signal of its own",
    ] {
        assert!(told.contains(row), "{row}: {told}");
    }
    assert_eq!(place.raddle(&["packet", "stats", "absent.csv"]).code, 1);
}

/// Checks that launches encoded from another kernel's entry are counted apart: of nine kernels and
/// then the ninth again, it has no entry, and with fixed arguments is near to no other, so the
/// kernel and the arguments differ.
#[test]
fn launches_by_an_entry_of_another_kernel_are_counted_apart() {
    let rows: Vec<String> =
        (0..11).map(|n| format!("k{} 1 4 64 32 0 {n} {n} 1", n.min(8))).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let place = Place::new();
    place.file("nine.csv", table(&rows));
    let report = document(&place.raddle(&["packet", "stats", "nine.csv", "--format", "json"]));
    let row = &report["profiles"][0]["rows"][0];
    assert_eq!((&row["arguments"], &row["keep"]), (&json!("fixed"), &json!("first")));
    assert_eq!((&row["reference"], &row["condensed"]), (&json!(8), &json!(3)), "{row}");
    assert_eq!((&row["own-kernel"], &row["other-kernel"]), (&json!(0), &json!(3)), "{row}");
    let text = place.raddle(&["packet", "stats", "nine.csv"]).out;
    assert!(text.contains("   0.0%  27.3% "), "{text}");
}

/// Checks that a packet waits from its own first launch on: 32 launches at one time fill a
/// reference and a condensed packet, and those at 90 and 110 us share the next one.
#[test]
fn a_packet_waits_from_its_own_first_launch_on() {
    let mut rows = vec!["k 1 4 64 32 0 0 0 1"; 32];
    rows.extend(["k 1 4 64 32 0 90000 90000 1", "k 1 4 64 32 0 110000 110000 1"]);
    let place = Place::new();
    place.file("burst.csv", table(&rows));
    let packets = |hold: &[&str]| {
        let args = [&["packet", "stats", "burst.csv", "--format", "json"], hold].concat();
        let report = document(&place.raddle(&args));
        let profile = &report["profiles"][0];
        let packets = profile["rows"].as_array().unwrap().iter().map(|row| row["packets"].clone());
        let [fixed_first, fixed_recent, fixed_frequent, ..] = &packets.collect::<Vec<_>>()[..]
        else {
            panic!("{profile}");
        };
        assert!(fixed_first == fixed_recent && fixed_recent == fixed_frequent);
        fixed_first.as_u64().unwrap()
    };
    assert_eq!(packets(&[]), 3);
    for (hold, wanted) in [("100", 3), ("20", 3), ("19", 4), ("0", 4)] {
        assert_eq!(packets(&["--hold-us", hold]), wanted, "{hold}");
    }
    let text = place.raddle(&["packet", "stats", "burst.csv", "--hold-us", "20"]).out;
    assert!(text.replace("\n  ", " ").contains("for at most 20 us after the first of a packet"));
    assert!(!text.contains("not known when"), "{text}");
}

/// Checks that a limit to the waiting of packets is reported where a trace does not hold when
/// kernels were issued.
#[test]
fn a_limit_to_waiting_says_where_the_times_are_not_known() {
    let place = Place::new();
    let far = [kernel("k", 0, 5), kernel("k", 500, 5), kernel("k", 900, 5)];
    place.file("trace.json", trace("", &far.each_ref().map(String::as_str)));
    let said = |hold: &[&str]| {
        let args = [&["packet", "stats", "trace.json"], hold].concat();
        place.raddle(&args).out.replace("\n  ", " ")
    };
    let words = "Of 3 launches and copies it is not known when they were issued";
    assert!(said(&["--hold-us", "1"]).contains(words), "{}", said(&["--hold-us", "1"]));
    assert!(!said(&[]).contains(words));
}

#[test]
fn all_of_it_is_readable_on_a_terminal_of_80_columns() {
    let place = Place::new();
    place.file("train.csv", table(&["a_kernel 1 4 64 32 0 0 0 1"]));
    for args in [
        &["packet", "stats", "train.csv"][..],
        &["packet", "stats", "train.csv", "--scope", "agent", "--signals", "--hold-us", "99999999"],
        &["packet", "--help"],
        &["packet", "stats", "--help"],
        &["packet", "encode", "--help"],
        &["packet", "decode", "--help"],
        &["packet", "-h"],
        &["packet", "stats", "-h"],
        &["packet", "encode", "-h"],
        &["packet", "decode", "-h"],
    ] {
        let ran = place.raddle(args);
        assert_eq!(ran.code, 0, "{ran:?}");
        let wide: Vec<&str> = ran.out.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{args:?}: {wide:#?}");
    }
    // The question and the answer are one line each, as `golden` takes and gives them.
    // Every field changes, to the widest value that it can have; and what is not read is not 0.
    let widest = json!({"synch_scopes": 255, "grid_size_x": u32::MAX, "group_segment_size": u32::MAX,
        "kernel_object": "0xffffffffffffffff", "kernarg_address": "0xffffffffffffffff",
        "completion_signal": "0xffffffffffffffff", "private_segment_size": u32::MAX});
    let widest = json!({"condensed": [{"ref_num": 7, "diff": widest}]});
    let unread = format!("06010000{}", "ff".repeat(60));
    let unread = json!({"decode": [unread], "table": {"0": {}}});
    for question in [None, Some(widest), Some(unread)] {
        let question = question.map(|question| question.to_string());
        let args = ["explain", "packet"].into_iter().chain(question.as_deref());
        let explained = place.raddle(&args.collect::<Vec<_>>()).out;
        let steps: Vec<&str> = explained.lines().filter(|line| !line.contains('{')).collect();
        assert!(steps.len() > 8, "{explained}");
        let wide: Vec<&&str> = steps.iter().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{wide:#?}");
    }
    let wrong = json!({"reference": {"fields": {}}}).to_string();
    let ran = place.raddle(&["explain", "packet", &wrong]);
    assert!(ran.err.contains("`ref-num` is missing"), "{}", ran.err);
}

#[test]
fn costs_are_said_to_be_assumed_or_given() {
    let place = Place::new();
    place.file("one.csv", table(&["k 1 4 64 32 0 0 0 1"]));
    let said = |args: &[&str]| {
        let args = [&["packet", "stats", "one.csv"], args].concat();
        place.raddle(&args).out.replace("\n  ", " ")
    };
    let usual = said(&[]);
    assert!(usual.contains("assumed, not measured (the proportion of the worked example"));
    assert!(usual.contains("overhead 8.00 us (assumed)"), "{usual}");
    let given = said(&["--enqueue-ns", "0", "--cleanup-ns", "7"]);
    assert!(given.contains("(as given): a packet 0 + 3000 ns"), "{given}");
    assert!(given.contains("a cleanup 7 ns. Give those of a device with --enqueue-ns"), "{given}");
    let help = place.raddle(&["packet", "stats", "--help"]).out;
    assert!(help.contains("Costs, assumed and not measured:"), "{help}");
}
