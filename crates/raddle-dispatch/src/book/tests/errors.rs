//! Which starts and ends does the account of resident workgroups refuse, and does it bear the
//! largest numbers?

use crate::book::Reason;
use crate::book::{Book, BookError};
use raddle_policy::{
    CuId, CuShape, Cus, Demand, Launch, LaunchId, Piece, Place, Resource, WaveSpan,
};
use raddle_testkit::{LARGEST_CU, SMALL_CU};

const SHAPE: CuShape =
    CuShape { vgpr_per_simd: 8, sgpr: 16, lds: 8, workgroups: 4, barriers: 4, ..SMALL_CU };

const ALL: WaveSpan = WaveSpan::All;

const fn launch(id: u32, demand: Demand) -> Launch {
    raddle_testkit::launch(id).workgroups(u64::MAX).demand(demand).build()
}

const fn demand(waves: u16, vgpr: u16, sgpr: u16, lds: u32, barriers: u16) -> Demand {
    Demand { waves, vgpr, sgpr, lds, barriers }
}

const PAIR: Launch = launch(0, demand(2, 1, 1, 1, 1));

const fn piece(first: u64, stride: u32, count: u32, cu: u16) -> Piece {
    let cu = CuId(cu);
    Piece { first, stride, count, cu }
}

const fn on(simd: u8) -> Place {
    Place { simd, vgpr: 0, sgpr: 0, lds: 0 }
}

const fn range(first: u16, count: u16) -> WaveSpan {
    WaveSpan::Range { first, count }
}

const fn cut(first: u16, count: u16) -> WaveSpan {
    WaveSpan::Cut { first, count }
}

/// Checks that the account refuses a start and does not change. Returns the error's message.
#[track_caller]
fn refused(book: &mut Book, of: &Launch, span: WaveSpan, pieces: &[Piece], at: &[Place]) -> String {
    let (cus, waves) = (book.cus().clone(), book.resident_waves(of.id));
    let error = book.start(of, span, pieces, at).expect_err("is refused");
    assert_eq!((book.cus(), book.resident_waves(of.id)), (&cus, waves));
    error.to_string()
}

#[track_caller]
fn not_ended(book: &mut Book, span: WaveSpan, pieces: &[Piece]) -> BookError {
    let (cus, waves) = (book.cus().clone(), book.resident_waves(PAIR.id));
    let error = book.end(PAIR.id, span, pieces).expect_err("is refused");
    assert_eq!((book.cus(), book.resident_waves(PAIR.id)), (&cus, waves));
    error
}

#[test]
fn over_commitment_is_refused() {
    let mut book = Book::new(SHAPE, 2);
    let over = "k0 does not fit on cu1: the answer over-commits it; ask `Cus::room` first";
    assert_eq!(refused(&mut book, &PAIR, ALL, &[piece(0, 1, 5, 1)], &[]), over);
    let in_parts = [piece(0, 1, 2, 0), piece(2, 1, 2, 1), piece(4, 1, 3, 1)];
    assert_eq!(refused(&mut book, &PAIR, ALL, &in_parts, &[]), over);
    let nowhere = refused(&mut book, &PAIR, ALL, &[piece(0, 1, 1, 2)], &[]);
    assert!(nowhere.contains("cu2"), "{nowhere}");
    // An empty piece beside a full one must not pass because both are checked by their sum.
    let empty = [piece(0, 1, 1, 1), piece(1, 1, 0, 1)];
    assert_eq!(refused(&mut book, &PAIR, ALL, &empty, &[]), over);
    let crowd = [on(0); 10];
    assert_eq!(refused(&mut book, &PAIR, ALL, &[piece(0, 1, 5, 1)], &crowd), over);
    let no_waves = launch(1, demand(0, 0, 0, 0, 0));
    assert!(refused(&mut book, &no_waves, ALL, &[piece(0, 1, 1, 0)], &[]).contains("over-commits"));
    assert_eq!(book.cus().lacking(CuId(0), &no_waves.demand), Some((Resource::Waves, 1, 0)));
}

#[test]
fn addresses_must_match_the_waves() {
    let mut book = Book::new(SHAPE, 1);
    let one = [piece(0, 1, 1, 0)];
    let wrong = "k0 starts with addresses: give one for each wave, on a SIMD that exists";
    assert_eq!(refused(&mut book, &PAIR, ALL, &one, &[on(0)]), wrong);
    assert_eq!(refused(&mut book, &PAIR, ALL, &one, &[on(0), on(2)]), wrong);
    assert_eq!(refused(&mut book, &PAIR, ALL, &one, &[on(0), on(200)]), wrong);
    let many = vec![piece(0, 1, u32::MAX, 0); 70_000];
    assert_eq!(refused(&mut book, &PAIR, ALL, &many, &[on(0)]), wrong);
}

#[test]
fn a_workgroup_known_by_name_starts_once() {
    let mut book = Book::new(SHAPE, 1);
    let out_of_order = |error: String| assert!(error.contains("are out of order"), "{error}");
    out_of_order(refused(&mut book, &PAIR, ALL, &[piece(3, 0, 2, 0)], &[on(0); 4]));
    out_of_order(refused(&mut book, &PAIR, ALL, &[piece(u64::MAX, 9, 2, 0)], &[on(0); 4]));
    book.start(&PAIR, ALL, &[piece(3, 1, 1, 0)], &[on(0), on(1)]).expect("fits");
    out_of_order(refused(&mut book, &PAIR, ALL, &[piece(3, 1, 1, 0)], &[on(0), on(1)]));
    out_of_order(refused(&mut book, &PAIR, range(0, 1), &[piece(3, 1, 1, 0)], &[]));
    book.start(&PAIR, range(0, 1), &[piece(4, 1, 1, 0)], &[]).expect("fits");
    out_of_order(refused(&mut book, &PAIR, ALL, &[piece(4, 1, 1, 0)], &[on(0), on(1)]));
    for (first, count) in [(0, 1), (1, 0), (1, 2), (1, u16::MAX), (u16::MAX, u16::MAX)] {
        out_of_order(refused(&mut book, &PAIR, range(first, count), &[piece(4, 1, 1, 0)], &[]));
    }
    let two = [piece(5, 1, 1, 0), piece(6, 1, 1, 0)];
    out_of_order(refused(&mut book, &PAIR, range(0, 1), &two, &[]));
    out_of_order(refused(&mut book, &PAIR, range(0, 1), &[], &[]));
}

#[test]
fn what_is_not_there_cannot_end() {
    let mut book = Book::new(SHAPE, 2);
    let one = [piece(0, 1, 1, 0)];
    let absent = BookError(Reason::NotResident { launch: PAIR.id, cu: CuId(0) });
    assert_eq!(not_ended(&mut book, ALL, &one), absent);
    assert!(absent.to_string().starts_with("k0 is said to end on cu0, where less of it lies"));
    book.start(&PAIR, ALL, &[piece(0, 1, 2, 1)], &[]).expect("fits");
    assert_eq!(not_ended(&mut book, ALL, &one), absent);
    for bad in [piece(0, 1, 3, 1), piece(0, 1, u32::MAX, 1), piece(0, 1, 0, 1), piece(0, 1, 1, 9)] {
        let launch = PAIR.id;
        let cu = bad.cu;
        assert_eq!(
            not_ended(&mut book, ALL, &[bad]),
            BookError(Reason::NotResident { launch, cu })
        );
    }
    // Beside the counted workgroups lies a workgroup with addresses, whose number is known.
    book.start(&PAIR, ALL, &[piece(7, 1, 1, 1)], &[on(0), on(1)]).expect("fits");
    assert_eq!(not_ended(&mut book, ALL, &[piece(7, 1, 1, 0)]), absent);
    let (launch, cu) = (PAIR.id, CuId(1));
    for bad in [piece(7, 1, 4, 1), piece(7, 1, u32::MAX, 1), piece(0, 1, 3, 1)] {
        assert_eq!(
            not_ended(&mut book, ALL, &[bad]),
            BookError(Reason::NotResident { launch, cu })
        );
    }
    let workgroup = 7;
    let twice = BookError(Reason::Waves { launch, workgroup });
    assert_eq!(not_ended(&mut book, ALL, &[piece(7, 0, 2, 1)]), twice);
    book.end(PAIR.id, ALL, &[piece(0, 1, 2, 1), piece(7, 1, 1, 1)]).expect("both kinds are there");
    assert_eq!(book.cus(), &Cus::new(SHAPE, 2));
}

#[test]
fn waves_that_are_not_there_cannot_end() {
    let mut book = Book::new(SHAPE, 1);
    let one = [piece(4, 1, 1, 0)];
    book.start(&PAIR, range(0, 1), &one, &[]).expect("fits");
    let wrong = BookError(Reason::Waves { launch: PAIR.id, workgroup: 4 });
    for (first, count) in [(0, 2), (1, 1), (0, 0), (u16::MAX, u16::MAX)] {
        assert_eq!(not_ended(&mut book, range(first, count), &one), wrong);
    }
    for bad in [piece(4, 1, 1, 1), piece(4, 0, 2, 0), piece(4, 0, u32::MAX, 0)] {
        assert_eq!(not_ended(&mut book, range(0, 1), &[bad]), wrong);
    }
    book.start(&PAIR, range(0, 1), &[piece(5, 1, 1, 0)], &[]).expect("fits");
    assert_eq!(not_ended(&mut book, range(0, 1), &[one[0], one[0]]), wrong);
    book.end(PAIR.id, range(0, 1), &one).expect("is there");
    assert_eq!(not_ended(&mut book, range(0, 1), &one), wrong);
    book.start(&PAIR, range(1, 1), &one, &[]).expect("fits");
    book.end(PAIR.id, range(1, 1), &one).expect("is there");
    assert_eq!(not_ended(&mut book, range(1, 1), &one), wrong);
}

/// A launch of workgroups of four waves that take half of the LDS, the slots and the barriers of a
/// unit each.
const FOUR: Launch = launch(0, demand(4, 1, 1, 4, 2));

#[test]
fn a_part_takes_what_a_workgroup_shares() {
    let mut book = Book::new(SHAPE, 2);
    book.start(&FOUR, cut(0, 1), &[piece(3, 1, 1, 0)], &[]).expect("fits");
    let one = book.cus().free(CuId(0));
    assert_eq!((one.waves, one.vgpr, one.sgpr), (7, 15, 15));
    assert_eq!((one.lds, one.workgroups, one.barriers), (4, 3, 4));
    book.start(&FOUR, cut(1, 2), &[piece(3, 1, 1, 0)], &[on(1), on(1)]).expect("fits");
    let full = book.cus().free(CuId(0));
    assert_eq!((full.waves, full.lds, full.workgroups, full.barriers), (5, 0, 2, 2));
    assert_eq!([0, 1].map(|simd| book.cus().simd(CuId(0), simd).0), [3, 2], "by the addresses");
    let over = refused(&mut book, &FOUR, cut(3, 1), &[piece(3, 1, 1, 0)], &[]);
    assert!(over.contains("k0 does not fit on cu0"), "{over}");
    book.start(&FOUR, cut(3, 1), &[piece(3, 1, 1, 1)], &[]).expect("fits elsewhere");
    assert_eq!(book.resident_waves(FOUR.id), 4);
    // A part gives back its slot, barriers and LDS when it ends, whatever is left of its workgroup.
    book.end(FOUR.id, cut(1, 2), &[piece(3, 1, 1, 0)]).expect("is there");
    assert_eq!(book.cus().free(CuId(0)), one);
    book.end(FOUR.id, cut(3, 1), &[piece(3, 1, 1, 1)]).expect("is there");
    book.end(FOUR.id, cut(0, 1), &[piece(3, 1, 1, 0)]).expect("is there");
    assert_eq!(book.cus(), &Cus::new(SHAPE, 2));
    assert!(book.lift(FOUR.id).is_none());
}

#[test]
fn parts_start_in_order_and_as_nothing_else() {
    let mut book = Book::new(SHAPE, 2);
    let out_of_order = |error: String| assert!(error.contains("are out of order"), "{error}");
    let (one, two) = ([piece(3, 1, 1, 0)], [piece(3, 1, 1, 0), piece(4, 1, 1, 0)]);
    for (first, count) in [(1, 1), (0, 0), (0, 5), (0, u16::MAX), (u16::MAX, u16::MAX)] {
        out_of_order(refused(&mut book, &FOUR, cut(first, count), &one, &[]));
    }
    out_of_order(refused(&mut book, &FOUR, cut(0, 1), &two, &[]));
    out_of_order(refused(&mut book, &FOUR, cut(0, 1), &[piece(3, 1, 2, 0)], &[]));
    out_of_order(refused(&mut book, &FOUR, cut(0, 1), &[], &[]));
    for places in [vec![on(0); 2], vec![on(2)], vec![on(200)]] {
        let error = refused(&mut book, &FOUR, cut(0, 1), &one, &places);
        assert!(error.contains("give one for each wave"), "{error}");
    }
    book.start(&FOUR, cut(0, 1), &one, &[]).expect("fits");
    for (first, count) in [(0, 1), (2, 1), (1, 0), (1, 4), (1, u16::MAX)] {
        out_of_order(refused(&mut book, &FOUR, cut(first, count), &one, &[]));
    }
    for span in [ALL, range(0, 1), range(1, 1)] {
        out_of_order(refused(&mut book, &FOUR, span, &one, &[]));
    }
    out_of_order(refused(&mut book, &FOUR, ALL, &one, &[on(0); 4]));
    // Parts start in order also while no part is on the device, and where only the last one is.
    book.end(FOUR.id, cut(0, 1), &one).expect("is there");
    out_of_order(refused(&mut book, &FOUR, ALL, &one, &[]));
    out_of_order(refused(&mut book, &FOUR, cut(0, 1), &one, &[]));
    book.start(&FOUR, cut(1, 3), &one, &[]).expect("the waves that are left");
    out_of_order(refused(&mut book, &FOUR, cut(0, 1), &one, &[]));
    out_of_order(refused(&mut book, &FOUR, range(0, 1), &one, &[]));
    // A workgroup that began whole or wave by wave is not cut later.
    book.start(&FOUR, range(0, 1), &[piece(4, 1, 1, 1)], &[]).expect("fits");
    out_of_order(refused(&mut book, &FOUR, cut(0, 1), &[piece(4, 1, 1, 1)], &[]));
    out_of_order(refused(&mut book, &FOUR, cut(1, 1), &[piece(4, 1, 1, 1)], &[]));
    book.start(&FOUR, ALL, &[piece(5, 1, 1, 1)], &[on(0); 4].map(|it| Place { simd: 1, ..it }))
        .expect("fits");
    out_of_order(refused(&mut book, &FOUR, cut(0, 1), &[piece(5, 1, 1, 1)], &[]));
}

#[test]
fn parts_that_are_not_there_cannot_end() {
    let mut book = Book::new(SHAPE, 1);
    let pair = launch(0, demand(2, 1, 1, 1, 1));
    let one = [piece(4, 1, 1, 0)];
    let wrong = BookError(Reason::Waves { launch: pair.id, workgroup: 4 });
    book.start(&pair, cut(0, 1), &one, &[]).expect("fits");
    for span in [cut(1, 1), cut(0, 2), cut(0, 0), cut(u16::MAX, u16::MAX), range(0, 1)] {
        assert_eq!(not_ended(&mut book, span, &one), wrong);
    }
    for bad in [piece(4, 1, 1, 1), piece(4, 0, 2, 0), piece(4, 0, u32::MAX, 0)] {
        assert_eq!(not_ended(&mut book, cut(0, 1), &[bad]), wrong);
    }
    let whole = BookError(Reason::NotResident { launch: pair.id, cu: CuId(0) });
    assert_eq!(not_ended(&mut book, ALL, &one), whole);
    book.start(&pair, cut(1, 1), &one, &[]).expect("fits");
    book.start(&pair, cut(0, 1), &[piece(5, 1, 1, 0)], &[]).expect("fits");
    assert_eq!(not_ended(&mut book, cut(0, 1), &[one[0], one[0]]), wrong);
    book.end(pair.id, cut(0, 1), &[one[0], piece(5, 1, 1, 0)]).expect("equal pieces of two");
    assert_eq!(not_ended(&mut book, cut(0, 1), &one), wrong);
    book.end(pair.id, cut(1, 1), &one).expect("is there");
    assert_eq!(book.cus(), &Cus::new(SHAPE, 1));
}

#[test]
fn parts_are_lifted_and_go_back_where_they_were() {
    let mut book = Book::new(SHAPE, 2);
    book.start(&FOUR, cut(0, 1), &[piece(0, 1, 1, 0)], &[on(1)]).expect("fits");
    book.start(&FOUR, cut(1, 2), &[piece(0, 1, 1, 1)], &[]).expect("fits");
    let before = book.cus().clone();
    let lifted = book.lift(FOUR.id).expect("is there");
    assert_eq!(book.cus(), &Cus::new(SHAPE, 2));
    // Another launch takes all LDS of one unit: one part has no room to come back, so no part comes
    // back.
    let other = launch(1, demand(1, 0, 0, 8, 0));
    book.start(&other, ALL, &[piece(0, 1, 1, 1)], &[]).expect("fits");
    let occupied = book.cus().clone();
    let lifted = book.lower(lifted).expect_err("no LDS");
    assert_eq!(book.cus(), &occupied);
    book.end(other.id, ALL, &[piece(0, 1, 1, 1)]).expect("is there");
    book.lower(lifted).expect("it fits again");
    assert_eq!(book.cus(), &before);
    // After a lift and a lower the workgroup goes on at its fourth wave; after a kill, at its
    // first.
    book.start(&FOUR, cut(3, 1), &[piece(0, 1, 1, 0)], &[]).expect("the last wave");
    assert!(book.kill(FOUR.id));
    book.start(&FOUR, cut(0, 4), &[piece(0, 1, 1, 0)], &[]).expect("from the first wave on");
    book.end(FOUR.id, cut(0, 4), &[piece(0, 1, 1, 0)]).expect("is there");
    assert_eq!(book.cus(), &Cus::new(SHAPE, 2));
}

#[test]
fn what_was_killed_leaves_nothing_behind() {
    let mut book = Book::new(SHAPE, 2);
    assert!(!book.kill(PAIR.id), "it was never there");
    book.start(&PAIR, ALL, &[piece(0, 1, 1, 0)], &[]).expect("fits");
    assert!(book.kill(PAIR.id));
    assert_eq!((book.cus(), book.resident_waves(PAIR.id)), (&Cus::new(SHAPE, 2), 0));
    assert!(!book.kill(PAIR.id) && book.lift(PAIR.id).is_none());
    // The next launch reuses the table of the killed one, which must be empty.
    let other = launch(1, PAIR.demand);
    book.start(&other, ALL, &[piece(0, 1, 1, 1)], &[]).expect("fits");
    book.end(other.id, ALL, &[piece(0, 1, 1, 0)]).expect_err("it lies on the other unit");
    book.end(other.id, ALL, &[piece(0, 1, 1, 1)]).expect("is there");
    assert_eq!(book.cus(), &Cus::new(SHAPE, 2));
}

#[test]
fn one_id_has_one_demand() {
    let mut book = Book::new(SHAPE, 1);
    book.start(&PAIR, ALL, &[piece(0, 1, 1, 0)], &[]).expect("fits");
    let other = launch(0, demand(1, 0, 0, 0, 0));
    for span in [ALL, range(0, 1)] {
        let error = refused(&mut book, &other, span, &[piece(1, 1, 1, 0)], &[]);
        assert!(error.contains("with another demand"), "{error}");
    }
    book.end(PAIR.id, ALL, &[piece(0, 1, 1, 0)]).expect("is there");
    book.start(&other, ALL, &[piece(1, 1, 1, 0)], &[]).expect("the id is free again");
}

#[test]
fn what_was_lifted_goes_back_only_where_it_was() {
    // Workgroups of two waves need scalar registers of which all but those of one wave are taken.
    let tight = launch(0, demand(2, 1, 15, 1, 1));
    let mut book = Book::new(SHAPE, 1);
    book.start(&tight, range(0, 1), &[piece(0, 1, 1, 0)], &[]).expect("fits");
    let before = book.cus().clone();
    let lifted = book.lift(tight.id).expect("is there");
    assert_eq!(book.cus(), &Cus::new(SHAPE, 1));
    let other = launch(1, demand(1, 0, 2, 0, 0));
    book.start(&other, ALL, &[piece(0, 1, 1, 0)], &[]).expect("fits");
    let occupied = book.cus().clone();
    let lifted = book.lower(lifted).expect_err("two scalar registers are gone");
    assert_eq!(book.cus(), &occupied);
    book.end(other.id, ALL, &[piece(0, 1, 1, 0)]).expect("is there");
    let lifted = Book::new(SHAPE, 2).lower(lifted).expect_err("another device");
    book.lower(lifted).expect("the wave that was there fits");
    assert_eq!(book.cus(), &before);
    let lifted = book.lift(tight.id).expect("is there");
    book.start(&tight, range(0, 1), &[piece(1, 1, 1, 0)], &[]).expect("fits");
    book.lower(lifted).expect_err("the launch has started anew");
    assert_eq!(book.resident_waves(tight.id), 1);
    assert!(book.lift(LaunchId(9)).is_none());
}

#[test]
fn the_largest_numbers_neither_panic_nor_overflow() {
    let sizes = [0, 1, u16::MAX];
    for waves in sizes {
        for vgpr in sizes {
            for (sgpr, lds) in sizes.into_iter().zip([0, 1, u32::MAX]) {
                for barriers in sizes {
                    everything(
                        &launch(u32::MAX, demand(waves, vgpr, sgpr, lds, barriers)),
                        LARGEST_CU,
                    );
                    everything(&launch(u32::MAX, demand(waves, vgpr, sgpr, lds, barriers)), SHAPE);
                }
            }
        }
    }
}

/// Tries each operation with workgroups that fit and with too many, and checks that the device is
/// empty at the end.
fn everything(launch: &Launch, shape: CuShape) {
    let mut book = Book::new(shape, 1);
    let (id, cu) = (launch.id, CuId(0));
    let room = book.cus().room(cu, &launch.demand);
    assert_eq!(room > 0, book.cus().lacking(cu, &launch.demand).is_none());
    assert_eq!(room > 0, book.cus().never(launch).is_none());
    let whole = [piece(u64::MAX, u32::MAX, room, 0)];
    let too_many = [piece(u64::MAX, u32::MAX, u32::MAX, 0), piece(0, 1, u32::MAX, 0)];
    assert!(book.start(launch, ALL, &too_many, &[]).is_err());
    assert!(book.start(launch, ALL, &too_many, &[on(7)]).is_err());
    assert_eq!(book.start(launch, ALL, &whole, &[]).is_ok(), room > 0);
    let waves = u64::from(room) * u64::from(launch.demand.waves);
    assert_eq!(book.resident_waves(id), waves);
    if let Some(lifted) = book.lift(id) {
        book.lower(lifted).expect("nothing else came");
    }
    assert!(book.end(id, ALL, &too_many).is_err());
    assert_eq!(book.end(id, ALL, &whole).is_ok(), room > 0);
    let span = range(0, launch.demand.waves);
    let one = [piece(u64::MAX, u32::MAX, 1, 0)];
    assert_eq!(book.start(launch, span, &one, &[]).is_ok(), room > 0);
    assert_eq!(book.end(id, span, &one).is_ok(), room > 0);
    let span = cut(0, launch.demand.waves);
    let room = Cus::new(shape, 1).room(CuId(0), &launch.demand.of(span));
    assert_eq!(book.start(launch, span, &one, &[]).is_ok(), room > 0);
    assert_eq!(book.end(id, span, &one).is_ok(), room > 0);
    assert_eq!(book.cus(), &Cus::new(shape, 1));
}

#[test]
fn an_impossible_shape_has_room_for_nothing() {
    let one = launch(0, demand(1, 0, 0, 0, 0));
    for shape in [
        CuShape { simds: 0, ..SHAPE },
        CuShape { waves_per_simd: 0, ..SHAPE },
        CuShape { workgroups: 0, ..SHAPE },
    ] {
        assert!(shape.check().is_err());
        assert_eq!(Cus::new(shape, 1).room(CuId(0), &one.demand), 0);
        assert!(Cus::new(shape, 1).never(&one).is_some());
    }
    let wide = Cus::new(CuShape { simds: 255, ..SHAPE }, u16::MAX);
    assert_eq!(wide.shape().simds, 8);
    assert_eq!(wide.ids().last(), Some(CuId(u16::MAX - 1)));
    let never = Cus::new(SHAPE, 0).never(&one).expect("no compute unit");
    assert_eq!(never.resource, Resource::Cus);
    let empty = Launch { workgroups: 0, ..one };
    assert_eq!(Cus::new(SHAPE, 1).never(&empty).map(|it| it.resource), Some(Resource::Grid));
}
