//! Are the worked examples of the spec reproduced, each value of them?
//!
//! They lie in `fixtures/vectors` of raddle-testkit.

use raddle_packet::{
    AqlFormat, AqlPacket, Condensed, Diff, Encoder, LaunchImage, NEAR, Overhead, Replacement,
};
use serde_json::{Map, Value};

use crate::naive::Orders;
use crate::sample::{agent, aql, encode, entry, hex, kripke, launches, options, text};

fn vectors() -> Value {
    raddle_testkit::vectors("vectors002.json")
}

fn number(value: &Value) -> u64 {
    match value.as_str() {
        Some(text) => u64::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap(),
        None => value.as_u64().unwrap(),
    }
}

fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().expect("an object")
}

fn list(value: &Value) -> &[Value] {
    let list = value.as_array().expect("a list");
    assert!(!list.is_empty());
    list
}

fn format(key: &str) -> AqlFormat {
    let orders = Orders {
        high_bits_first: key.contains("header_bits=msb"),
        high_half_first: key.contains("words=msw"),
        narrow_private: key.contains("16-bit private"),
    };
    AqlFormat::new(&options(orders)).unwrap()
}

/// Checks that the kernels of a condensed packet are those of a list in a worked example.
fn same(packet: &AqlPacket, format: &AqlFormat, wanted: &[Value]) {
    let packet = Condensed::parse(packet, format).unwrap();
    let found: Vec<_> = packet.kernels(format).collect();
    assert_eq!(found.len(), wanted.len());
    for (kernel, wanted) in found.iter().zip(wanted) {
        let mut diff = Diff::default();
        for (name, value) in object(&wanted["diff"]) {
            diff.set(format, format.field(name).unwrap(), number(value)).unwrap();
        }
        assert_eq!((u64::from(kernel.ref_num), kernel.diff), (number(&wanted["ref_num"]), diff));
    }
}

#[test]
fn bits_and_layout() {
    let all = vectors();
    let format = aql();
    let bits = list(&all["diff_bits"]);
    assert_eq!(bits.len(), format.fields().len());
    for (number_of, (field, wanted)) in format.fields().iter().zip(bits).enumerate() {
        assert_eq!(field.name(), wanted["field"]);
        assert_eq!(number(&wanted["mask"]), 1 << number_of);
        assert_eq!(number(&wanted["half_words"]), field.half_words() as u64);
    }
    let layout = list(&all["reference_layout"]);
    for field in format.fields() {
        let row = layout.iter().find(|row| row["field"] == field.name()).unwrap();
        assert_eq!(number(&row["offset"]), field.offset() as u64);
        assert_eq!(number(&row["bits"]), u64::from(field.bits()));
    }
    assert_eq!(layout.len(), format.fields().len() + 3, "type, number and reserved2 beside them");
}

#[test]
fn table_6() {
    let all = vectors();
    for (key, wanted) in object(&all["table6"]) {
        let format = format(key);
        let packet = hex(wanted["hex"].as_str().unwrap());
        same(&packet, &format, list(&wanted["decoded"]));
        let parsed = Condensed::parse(&packet, &format).unwrap();
        assert_eq!(u64::from(parsed.used()), number(&wanted["half_words_used"]));
        let headers: Vec<String> = parsed
            .kernels(&format)
            .map(|kernel| format!("0x{:04x}", format.pack(kernel.ref_num, kernel.diff.vector)))
            .collect();
        assert_eq!(Value::from(headers), wanted["diff_headers"], "{key}");
        let mut again = Condensed::new(&format);
        for kernel in parsed.kernels(&format) {
            again.push(&format, kernel.ref_num, kernel.diff.vector, &kernel.diff.values).unwrap();
        }
        assert_eq!(*again.emit(), packet, "{key}");
    }
    let literal = &all["table6_line21_literal_diff1"];
    same(&hex(literal["hex"].as_str().unwrap()), &aql(), list(&literal["decoded"]));
}

#[test]
fn table_6_on_the_sample_table() {
    let all = vectors();
    let (format, sample) = (aql(), &all["table6_dispatch_on_sample_rst"]);
    let mut agent = agent(format, [4, 6]);
    let key = "header_bits=lsb,half_words=lsw";
    let packet = hex(all["table6"][key]["hex"].as_str().unwrap());
    let found = launches(&mut agent, &packet).unwrap();
    let entries = [("rst4", 4), ("rst6", 6)]
        .map(|(name, number)| (&sample[name], *agent.table().get(number).unwrap()));
    let dispatched = list(&sample["dispatch"]).iter().zip(found);
    for (wanted, launch) in entries.into_iter().chain(dispatched) {
        for (field, described) in format.fields().iter().enumerate() {
            let found = launch.get(field);
            assert_eq!(found, number(&wanted[described.name()]), "{}", described.name());
        }
    }
    for (kernel, changed) in ["changed_0", "changed_1"].into_iter().enumerate() {
        let entry = agent.table().get([4, 6][kernel]).unwrap();
        let vector = dispatched_vector(&format, &sample["dispatch"][kernel], entry);
        let names: Vec<&str> = (0..13)
            .filter(|field| vector >> field & 1 == 1)
            .map(|field| format.fields()[field].name())
            .collect();
        assert_eq!(Value::from(names), sample[changed]);
    }
}

fn dispatched_vector(format: &AqlFormat, fields: &Value, entry: &LaunchImage) -> u16 {
    let mut launch = LaunchImage::default();
    for (field, described) in format.fields().iter().enumerate() {
        launch.set(format, field, number(&fields[described.name()])).unwrap();
    }
    launch.differs(entry)
}

#[test]
fn the_reference_packet() {
    let all = vectors();
    // The packet of the vectors has the type of Table 2; ours is 7.
    let wanted = all["reference_packet_4"]["hex"].as_str().unwrap().replacen("02", "07", 1);
    let launch = entry(4).launch(&aql()).unwrap();
    assert_eq!(text(&launch.reference(&aql(), 4).unwrap()), wanted);
}

#[test]
fn six_kernels_and_what_fits() {
    let all = vectors();
    let (format, kripke_six) = (aql(), &all["kripke_six"]);
    let mut encoder = Encoder::new(format, Replacement::First.policy(NEAR));
    let entries: Vec<_> = (0..6).map(|n| entry(n).launch(&format).unwrap()).collect();
    encode(&mut encoder, &entries);
    let packets = encode(&mut encoder, &kripke(0));
    assert_eq!(packets.len(), 1);
    assert_eq!(text(&packets[0]), kripke_six["hex"].as_str().unwrap());
    assert_eq!(encoder.tally().half_words(), number(&kripke_six["half_words_used"]));

    let vector = |name: &str| match name {
        "no diff" => 0,
        "one 16-bit" => 1 << 2,
        "one 32-bit" => 1 << 9,
        "grid xyz" => 0b111 << 5,
        "one 64-bit" => 1 << 11,
        "kernarg+completion" => 0b11 << 11,
        "kobj+kernarg+completion" => 0b111 << 10,
        _ => 0x1fff,
    };
    for (name, wanted) in object(&all["capacity"]) {
        let format = self::format(name);
        let each = format.cost(vector(name));
        assert_eq!(u64::from(each), number(&wanted["half_words_each"]), "{name}");
        assert_eq!(u64::from(31 / each), number(&wanted["kernels_per_packet"]), "{name}");
        assert_eq!(u64::from(31 % each), number(&wanted["left_over"]), "{name}");
    }
}

#[test]
fn overhead() {
    let all = vectors();
    let example = &all["overhead_example"];
    let runs: Vec<u64> = list(&example["X"]).iter().map(number).collect();
    let part = |name: &str| number(&example[name]);
    let costs = Overhead::default()
        .with_enqueue(part("E"))
        .with_processing(part("P"))
        .with_decode(0)
        .with_schedule(part("S"))
        .with_cleanup(part("C"));
    for (key, wanted) in object(example).iter().filter(|(key, _)| key.starts_with("iters")) {
        let decode = u64::from(key.contains("decode 1"));
        let own = if key.contains("every kernel") { 5 } else { 0 };
        let costs = costs.with_decode(decode);
        let iterations = if key.contains("10") { 10 } else { 1 };
        let (ordinary, condensed) = (costs.ordinary(&runs), costs.condensed(&runs, own));
        assert_eq!(ordinary, number(&wanted["normal_per_iter"]), "{key}");
        assert_eq!(condensed, number(&wanted["condensed_per_iter"]), "{key}");
        assert_eq!(ordinary * iterations, number(&wanted["normal_total"]), "{key}");
        let total = ordinary + (iterations - 1) * condensed;
        assert_eq!(total, number(&wanted["condensed_total"]), "{key}");
    }
}
