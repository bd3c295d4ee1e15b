//! Which formats are refused?

use raddle_packet::{
    Agent, AqlOptions, Encoder, Error, Field, First, Format, FormatFault, Frequency, HalfWords,
    HeaderBits, Launch, MostRecent, Scope, Spec, Table, Types,
};

const TYPES: Types =
    Types { dispatch: 1, reference: 2, condensed: 3, barrier_and: None, barrier_or: None };

const fn field(name: &'static str, offset: u16, bytes: u8) -> Field {
    Field { name, offset, bytes, spare: 0 }
}

const FIELDS: [Field; 3] = [field("a", 1, 1), field("b", 8, 8), field("c", 16, 4)];

fn spec(fields: &[Field]) -> Spec<'_> {
    Spec {
        types: TYPES,
        half_words: HalfWords::LowFirst,
        header_bits: HeaderBits::LowFirst,
        header_half_words: 1,
        ref_bits: 4,
        entries: 16,
        fields,
        scopes: 0,
        kernel: 1,
        signal: 2,
        ref_num_at: 2,
        num_kernels_at: 1,
        diff_values_at: 2,
    }
}

fn fault<const BYTES: usize>(spec: &Spec<'_>) -> FormatFault {
    match Format::<BYTES>::new(spec) {
        Err(Error::Format(fault)) => fault,
        other => panic!("{other:?}"),
    }
}

/// What firmware has to reserve; `xtask/checks/firmware` has the same for a 32-bit machine.
#[test]
#[cfg(all(target_pointer_width = "64", target_arch = "x86_64"))]
fn sizes_are_those_of_the_readme() {
    let sizes = [
        ("Format", size_of::<Format<64>>()),
        ("Agent", size_of::<Agent<64, 8>>()),
        ("Encoder<First>", size_of::<Encoder<64, 8, First>>()),
        ("Encoder<MostRecent>", size_of::<Encoder<64, 8, MostRecent<8>>>()),
        ("Encoder<Frequency>", size_of::<Encoder<64, 8, Frequency<8>>>()),
    ];
    let readme = include_str!("../../README.md");
    for (name, bytes) in sizes {
        let row = format!("| `{name}` | {},{:03} |", bytes / 1000, bytes % 1000);
        assert!(readme.contains(&row), "{row}");
    }
    let queue = size_of::<Agent<64, 8>>() + 31 * size_of::<Launch<64>>();
    assert!((queue, size_of::<Launch<64>>()) == (3936, 64) && readme.contains("3,936 bytes"));
    assert!(include_str!("../../src/format.rs").contains("1,384 bytes"));
    assert!(include_str!("../../src/encoder.rs").contains("2,944 bytes"));
}

#[test]
fn contradictions_are_refused() {
    let good = spec(&FIELDS);
    assert!(Format::<24>::new(&good).is_ok());
    assert_eq!(fault::<20>(&good), FormatFault::Size(20));
    assert_eq!(fault::<0>(&good), FormatFault::Size(0));
    assert_eq!(fault::<520>(&good), FormatFault::Size(520));
    assert_eq!(fault::<16>(&good), FormatFault::Place("c"));
    for types in [
        Types { condensed: 1, ..TYPES },
        Types { condensed: 2, ..TYPES },
        Types { barrier_and: Some(3), ..TYPES },
        Types { barrier_and: Some(1), ..TYPES },
        Types { barrier_or: Some(2), ..TYPES },
        Types { barrier_and: Some(9), barrier_or: Some(9), ..TYPES },
    ] {
        assert!(matches!(fault::<24>(&Spec { types, ..good }), FormatFault::Types(_)), "{types:?}");
    }
    assert!(Format::<24>::new(&Spec { types: Types { reference: 1, ..TYPES }, ..good }).is_ok());
    assert_eq!(fault::<24>(&spec(&[])), FormatFault::Fields(0));
    assert_eq!(fault::<24>(&spec(&[FIELDS[0]; 30])), FormatFault::Fields(30));
    for (header_half_words, ref_bits) in [(0, 4), (3, 4), (1, 14), (2, 30)] {
        let bad = Spec { header_half_words, ref_bits, entries: 1, ..good };
        assert_eq!(fault::<24>(&bad), FormatFault::Header);
    }
    assert_eq!(fault::<24>(&Spec { entries: 0, ..good }), FormatFault::Entries(0));
    assert_eq!(fault::<24>(&Spec { entries: 17, ..good }), FormatFault::Entries(17));
    for (scopes, kernel, signal) in [(3, 1, 2), (0, 3, 2), (0, 1, 3)] {
        let bad = Spec { scopes, kernel, signal, ..good };
        assert_eq!(fault::<24>(&bad), FormatFault::Role);
    }
    for bad in [field("x", 0, 1), field("x", 3, 1), field("x", 12, 8), field("x", 14, 4)] {
        let fields = [FIELDS[0], bad, FIELDS[2]];
        assert_eq!(fault::<24>(&spec(&fields)), FormatFault::Place("x"), "{bad:?}");
    }
    let three = [FIELDS[0], field("x", 9, 3), FIELDS[2]];
    assert_eq!(fault::<24>(&spec(&three)), FormatFault::Place("x"));
    let number = Spec { header_half_words: 2, ref_bits: 17, entries: 1, ..good };
    assert_eq!(fault::<24>(&number), FormatFault::Header);
    assert!(Format::<24>::new(&Spec { ref_bits: 16, ..number }).is_ok());
    for (bytes, spare, is_good) in [(4, 4, true), (2, 6, true), (4, 5, false), (2, 7, false)] {
        let last = Field { spare, ..field("x", 16, bytes) };
        let fields = [FIELDS[0], FIELDS[1], last];
        let made = Format::<32>::new(&spec(&fields));
        let wanted = if is_good { None } else { Some(Error::Format(FormatFault::Spare("x"))) };
        assert_eq!(made.err(), wanted, "{bytes} and {spare}");
    }
    let spare = [FIELDS[0], Field { spare: 8, ..FIELDS[1] }, FIELDS[2]];
    assert_eq!(fault::<24>(&spec(&spare)), FormatFault::Place("c"));
    assert_eq!(fault::<24>(&Spec { ref_num_at: 23, ..good }), FormatFault::Place("ref_num"));
    for (num_kernels_at, diff_values_at) in [(0, 2), (2, 2), (1, 3), (1, 24), (4, 2)] {
        let bad = Spec { num_kernels_at, diff_values_at, ..good };
        assert_eq!(fault::<24>(&bad), FormatFault::Place("num_kernels"));
    }
    // All of a kernel takes 8 half-words: a header, 1 + 4 + 2.
    assert!(Format::<24>::new(&Spec { diff_values_at: 8, ..good }).is_ok());
    assert_eq!(fault::<24>(&Spec { diff_values_at: 10, ..good }), FormatFault::Room(7));
}

#[test]
fn a_table_holds_what_its_format_names() {
    let format = Format::<24>::new(&spec(&FIELDS)).unwrap();
    assert!(Table::<24, 16>::new(&format).is_ok());
    assert!(Table::<24, 8>::new(&format).is_err());
    assert!(Agent::<24, 8>::new(format).is_err());
    assert!(Encoder::<24, 8, First>::new(format, First { near: 1 }).is_err());
    // What lies beyond the entries of a format is forgotten, whichever way packets are decoded.
    let large = Format::aql(&AqlOptions::default()).unwrap();
    let mut table = Table::<64, 8>::new(&large).unwrap();
    for ref_num in [4, 6] {
        table.store(&large, ref_num, &Launch::default()).unwrap();
    }
    let small = Format::aql(&AqlOptions { entries: 5, ..AqlOptions::default() }).unwrap();
    let mut agent = Agent::with_table(small, table);
    assert!(agent.table().entries().map(|(number, _)| number).eq([4]));
    let packet = |number: u8| {
        let mut packet = [0; 64];
        (packet[0], packet[1], packet[2]) = (6, 1, number);
        packet
    };
    let beyond = Error::RefNum { ref_num: 6, entries: 5 };
    assert_eq!(agent.receive(&packet(6)).err(), Some(beyond));
    assert_eq!(agent.receive_into(&packet(6), &mut [Launch::default(); 1]), Err(beyond));
    assert_eq!(agent.receive_into(&packet(4), &mut [Launch::default(); 1]), Ok(1));
    let aql = Format::aql(&AqlOptions { entries: 9, ..AqlOptions::default() });
    assert_eq!(aql, Err(Error::Format(FormatFault::Entries(9))));
}

#[test]
fn who_shares_a_table() {
    let of = |scope: Scope| [(0, 0), (0, 1), (1, 0)].map(|(p, q)| scope.table(p, q));
    let [a, b, c] = of(Scope::Queue);
    assert!(a != b && a != c && b != c);
    let [a, b, c] = of(Scope::Process);
    assert!(a == b && a != c);
    let [a, b, c] = of(Scope::Agent);
    assert!(a == b && a == c);
    assert_eq!(Scope::default(), Scope::Queue);
}
