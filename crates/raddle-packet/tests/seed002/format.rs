//! Which formats are refused, and what does a table hold?

use raddle_packet::{
    Agent, AqlConfig, AqlFormat, LaunchImage, PacketTypes, ReferenceTable, TableScope,
};

use crate::sample::{aql, hex, launches};

/// Checks the sizes of types, which firmware has to reserve in memory, against those in the README;
/// they are equal on every machine that aligns a `u64` to 8 bytes.
#[test]
fn sizes_are_those_of_the_readme() {
    use raddle_packet::{AnyReplacement, Encoder, FirstPolicy};
    let sizes = [
        ("Agent", size_of::<Agent>()),
        ("Encoder<FirstPolicy>", size_of::<Encoder<FirstPolicy>>()),
        ("Encoder<AnyReplacement>", size_of::<Encoder<AnyReplacement>>()),
        ("[LaunchImage; 31]", size_of::<[LaunchImage; 31]>()),
    ];
    for (name, bytes) in sizes {
        let bytes = match bytes {
            0..1000 => bytes.to_string(),
            _ => format!("{},{:03}", bytes / 1000, bytes % 1000),
        };
        let row = format!("| `{name}` | {bytes} |");
        assert!(include_str!("../../README.md").contains(&row), "{row}");
    }
}

#[test]
fn contradictions_are_refused() {
    let usual = AqlConfig::default();
    let format = |types| AqlFormat::new(&usual.with_types(types));
    let none = PacketTypes { barrier_and: None, barrier_or: None, ..AqlFormat::default().types() };
    for (types, shared) in [
        (PacketTypes { condensed: 2, ..none }, 2),
        (PacketTypes { condensed: 7, ..none }, 7),
        (PacketTypes { barrier_and: Some(6), ..none }, 6),
        (PacketTypes { barrier_and: Some(2), ..none }, 2),
        (PacketTypes { barrier_or: Some(7), ..none }, 7),
        (PacketTypes { barrier_and: Some(9), barrier_or: Some(9), ..none }, 9),
    ] {
        assert_eq!(
            format(types).map_err(|error| error.to_string()),
            Err(format!(
                "packet type {shared} stands for two kinds: only dispatch and reference may share one"
            )),
            "{types:?}"
        );
    }
    assert!(format(none).is_ok() && format(PacketTypes { reference: 2, ..none }).is_ok());
    for entries in 0..=10 {
        let made = AqlFormat::new(&usual.with_entries(entries));
        let refused = !(1..=8).contains(&entries);
        let text = format!("{entries} entries: give 1 to 8");
        assert_eq!(made.err().map(|error| error.to_string()), refused.then_some(text));
    }
}

/// Checks that an agent forgets the table entries beyond those of its format.
#[test]
fn a_table_holds_what_its_format_names() {
    let mut table = ReferenceTable::default();
    for ref_num in [4, 5, 6] {
        table.store(&aql(), ref_num, &LaunchImage::default()).unwrap();
    }
    let small = AqlFormat::new(&AqlConfig::default().with_entries(5)).unwrap();
    let mut agent = Agent::with_table(small, table);
    assert!(agent.table().entries().map(|(number, _)| number).eq([4]));
    let beyond = "ref_num 6 is not in a table of 5: use 0 to 4".to_owned();
    assert_eq!(
        launches(&mut agent, &hex("060106")).map_err(|error| error.to_string()),
        Err(beyond.clone())
    );
    assert_eq!(launches(&mut agent, &hex("060104")), Ok(vec![LaunchImage::default()]));
}

#[test]
fn who_shares_a_table() {
    let of = |scope: TableScope| [(0, 0), (0, 1), (1, 0)].map(|(p, q)| scope.table(p, q));
    let [a, b, c] = of(TableScope::Queue);
    assert!(a != b && a != c && b != c);
    let [a, b, c] = of(TableScope::Process);
    assert!(a == b && a != c);
    let [a, b, c] = of(TableScope::Agent);
    assert!(a == b && a == c);
    assert_eq!(TableScope::default(), TableScope::Queue);
}
