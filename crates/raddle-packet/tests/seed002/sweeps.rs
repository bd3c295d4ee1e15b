//! What does each rule do with every small stream, at a glance?

use std::fmt::Write;

use raddle_packet::{AqlConfig, AqlFormat, Encoder, LaunchImage, Replacement};

use crate::sample::{KERNARG, KERNEL, encode};

/// Returns a launch of the kernel `a`, `b` or `c`; a capital letter stands for other arguments.
fn launch(format: &AqlFormat, letter: char) -> LaunchImage {
    let mut launch = LaunchImage::default();
    let kernel = u64::from(letter.to_ascii_lowercase() as u32);
    launch.set(format, KERNEL, kernel).unwrap();
    launch.set(format, 5, kernel * 64).unwrap();
    launch.set(format, KERNARG, u64::from(letter as u32)).unwrap();
    launch
}

/// Encodes a stream of such letters, and returns the packets as text: o ordinary, s stored, +
/// condensed, a bar between packets; then the launches in the table.
fn told(format: AqlFormat, rule: Replacement, near: u16, stream: &str) -> String {
    let launches: Vec<LaunchImage> = stream.chars().map(|letter| launch(&format, letter)).collect();
    let mut encoder = Encoder::new(format, rule.policy(near));
    let packets = encode(&mut encoder, &launches);
    let shown = packets.iter().map(|packet| match packet[0] {
        2 => "o".to_owned(),
        7 => format!("s{}", packet[10]),
        _ => "+".repeat(packet[1].into()),
    });
    let shown: Vec<String> = shown.collect();
    let table = encoder
        .table()
        .entries()
        .map(|(_, launch)| char::from_u32(launch.get(KERNARG) as u32).unwrap_or('?'));
    format!("{:<28} {}", shown.join("|"), table.collect::<String>())
}

/// Returns a table of short streams of kernels a to c, encoded with a table of 2 entries. An entry
/// is near to a launch of its kernel if the difference takes up to `near` half-words: at 5 an entry
/// with other arguments still is, at 4 only an equal launch.
fn sweep(rule: Replacement) -> String {
    let format = AqlFormat::new(&AqlConfig::default().with_entries(2)).unwrap();
    let mut table = String::new();
    for near in [4, 5, 11] {
        for stream in [
            "a",
            "aa",
            "aA",
            "ab",
            "abab",
            "abAB",
            "abc",
            "abcabc",
            "aabcc",
            "abccc",
            "abcccc",
            "aabbcccca",
            "abcabcABC",
            "abcbcbc",
            "aAaAaA",
            "abaacbca",
            "ccbbaaccc",
        ] {
            let told = told(format, rule, near, stream);
            writeln!(table, "near {near:2}  {stream:<10} {}", told.trim_end()).unwrap();
        }
    }
    table
}

#[test]
fn first() {
    insta::assert_snapshot!(sweep(Replacement::First));
}

#[test]
fn most_recent() {
    insta::assert_snapshot!(sweep(Replacement::MostRecent));
}

#[test]
fn frequency() {
    insta::assert_snapshot!(sweep(Replacement::Frequency));
}
