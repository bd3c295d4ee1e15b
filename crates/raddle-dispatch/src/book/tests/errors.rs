//! Which starts and ends does the account of resident workgroups refuse, and does it bear the
//! largest numbers?

use crate::book::{Asked, Book, BookError, FreeUnits, OnDevice, Reason};
use raddle_policy::{
    Barrier, CuId, CuShape, Cus, Demand, Launch, LaunchId, Piece, Place, Resource, WaveSpan,
};
use raddle_testkit::{LARGEST_CU, SMALL_CU, altered};

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

/// Checks that the account refuses a start and does not change. Returns the message of the error.
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
    let many: Vec<Piece> =
        (0..70_000).map(|at| piece(at * u64::from(u32::MAX), 1, u32::MAX, 0)).collect();
    assert_eq!(refused(&mut book, &PAIR, ALL, &many, &[on(0)]), wrong);
}

#[test]
fn workgroups_start_in_order_and_each_once() {
    let mut book = Book::new(SHAPE, 1);
    let from = |first| format!("a start of k0 must name workgroups from {first} on, each once");
    let next = |next| format!("the next workgroup of k0 is {next}");
    for wrong in [piece(0, 0, 2, 0), piece(3, 1, 1, 0), piece(u64::MAX, 9, 2, 0)] {
        assert_eq!(refused(&mut book, &PAIR, ALL, &[wrong], &[]), from(0), "{wrong:?}");
        assert_eq!(refused(&mut book, &PAIR, ALL, &[wrong], &[on(0); 4]), from(0), "{wrong:?}");
    }
    assert_eq!(refused(&mut book, &PAIR, ALL, &[], &[]), from(0));
    assert_eq!(refused(&mut book, &PAIR, range(0, 1), &[piece(1, 1, 1, 0)], &[]), next(0));
    book.start(&PAIR, ALL, &[piece(0, 1, 1, 0)], &[on(0), on(1)]).expect("fits");
    assert_eq!(refused(&mut book, &PAIR, ALL, &[piece(0, 1, 1, 0)], &[on(0), on(1)]), from(1));
    assert_eq!(refused(&mut book, &PAIR, range(0, 1), &[piece(0, 1, 1, 0)], &[]), next(1));
    book.start(&PAIR, range(0, 1), &[piece(1, 1, 1, 0)], &[]).expect("fits");
    let goes_on = "workgroup 1 of k0 goes on at wave 1 on cu0";
    assert_eq!(refused(&mut book, &PAIR, ALL, &[piece(1, 1, 1, 0)], &[on(0), on(1)]), goes_on);
    assert_eq!(refused(&mut book, &PAIR, range(0, 1), &[piece(1, 1, 1, 0)], &[]), goes_on);
    let out_of_order = |error: String| assert!(error.contains("are out of order"), "{error}");
    for (first, count) in [(1, 0), (1, 2), (1, u16::MAX)] {
        out_of_order(refused(&mut book, &PAIR, range(first, count), &[piece(1, 1, 1, 0)], &[]));
    }
    for (first, count) in [(1, 1), (u16::MAX, u16::MAX)] {
        out_of_order(refused(&mut book, &PAIR, range(first, count), &[piece(2, 1, 1, 0)], &[]));
    }
    let two = [piece(2, 1, 1, 0), piece(3, 1, 1, 0)];
    out_of_order(refused(&mut book, &PAIR, range(0, 1), &two, &[]));
    out_of_order(refused(&mut book, &PAIR, range(0, 1), &[], &[]));
}

#[test]
fn no_workgroup_starts_beyond_the_last() {
    let last = altered(PAIR, |it| it.workgroups = 2);
    let mut book = Book::new(SHAPE, 1);
    let from = |first| format!("a start of k0 must name workgroups from {first} on, each once");
    assert_eq!(refused(&mut book, &last, ALL, &[piece(0, 1, 3, 0)], &[]), from(0));
    book.start(&last, range(0, 1), &[piece(0, 1, 1, 0)], &[]).expect("fits");
    book.start(&last, ALL, &[piece(1, 1, 1, 0)], &[]).expect("fits");
    // Workgroup 0 has still a wave to start, so that the launch is not over.
    assert_eq!(refused(&mut book, &last, ALL, &[piece(2, 1, 1, 0)], &[]), from(2));
    let none = "k0 has no workgroup left to distribute";
    assert_eq!(refused(&mut book, &last, range(0, 1), &[piece(2, 1, 1, 0)], &[]), none);
    let one = "k0 is cut: one piece of workgroup 2 starts";
    assert_eq!(refused(&mut book, &last, cut(0, 1), &[piece(2, 1, 1, 0)], &[]), one);
}

#[test]
fn workgroups_that_are_assigned_start_beside_others() {
    let launch = altered(PAIR, |it| it.workgroups = 6);
    let (mut units, mut on) = (FreeUnits::new(SHAPE, 2), OnDevice::default());
    for (group, cu) in [(0, 1), (1, 0), (2, 1)] {
        on.assign(&launch, group, CuId(cu)).expect("it is the next one");
    }
    on.assign(&launch, 2, CuId(0)).expect_err("it is assigned");
    let mut start = |on: &mut OnDevice, pieces: &[Piece], draining| {
        let asked = Asked { launch: &launch, draining, waves: ALL, pieces, places: &[] };
        units.start(on, asked).map_err(|error| error.to_string())
    };
    let goes_on = |group, cu| Err(format!("workgroup {group} of k0 goes on at wave 0 on cu{cu}"));
    let none = Err("k0 has no workgroup left to distribute".into());
    assert_eq!(start(&mut on, &[piece(0, 1, 1, 0)], false), goes_on(0, 1));
    assert_eq!(
        start(&mut on, &[piece(0, 0, 2, 1)], false),
        Err("the next workgroup of k0 is 3".into())
    );
    assert_eq!(start(&mut on, &[piece(2, 1, 3, 1)], true), none, "only those that are assigned");
    assert_eq!(start(&mut on, &[piece(2, 1, 5, 1)], false), none, "there are six");
    assert_eq!((on.waiting(), on.undistributed(&launch)), (3, 3));
    start(&mut on, &[piece(0, 1, 1, 1)], true).expect("it is assigned to it");
    start(&mut on, &[piece(2, 1, 2, 1)], false).expect("one is assigned, one is the next");
    assert_eq!((on.waiting(), on.undistributed(&launch), on.resident_waves()), (1, 2, 6));
    // Of a saved launch what had not started is placed anew, in order.
    assert!(units.save(&mut on, &launch));
    on.unbind();
    assert_eq!((on.waiting(), on.undistributed(&launch), on.head(&launch)), (0, 3, (1, 2)));
    assert!(units.restore(&mut on, &launch));
    let asked =
        |pieces| Asked { launch: &launch, draining: false, waves: ALL, pieces, places: &[] };
    let two = [piece(1, 1, 1, 0), piece(4, 1, 1, 0)];
    units.start(&mut on, asked(&two)).expect_err("one run at a time");
    units.start(&mut on, asked(&two[..1])).expect("it is the first that came back");
    units.start(&mut on, asked(&two[1..])).expect("it was never placed");
    assert_eq!((on.waiting(), on.undistributed(&launch), on.head(&launch)), (0, 1, (5, 6)));
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
    book.start(&PAIR, ALL, &[piece(2, 1, 1, 1)], &[on(0), on(1)]).expect("fits");
    assert_eq!(not_ended(&mut book, ALL, &[piece(2, 1, 1, 0)]), absent);
    let (launch, cu) = (PAIR.id, CuId(1));
    for bad in [piece(2, 1, 4, 1), piece(2, 1, u32::MAX, 1), piece(3, 1, 3, 1)] {
        assert_eq!(
            not_ended(&mut book, ALL, &[bad]),
            BookError(Reason::NotResident { launch, cu })
        );
    }
    let workgroup = 2;
    let twice = BookError(Reason::Waves { launch, workgroup });
    assert_eq!(not_ended(&mut book, ALL, &[piece(2, 0, 2, 1)]), twice);
    book.end(PAIR.id, ALL, &[piece(0, 1, 2, 1), piece(2, 1, 1, 1)]).expect("both kinds are there");
    assert_eq!(book.cus(), &Cus::new(SHAPE, 2));
}

#[test]
fn waves_that_are_not_there_cannot_end() {
    let mut book = Book::new(SHAPE, 1);
    let one = [piece(0, 1, 1, 0)];
    book.start(&PAIR, range(0, 1), &one, &[]).expect("fits");
    let wrong = BookError(Reason::Waves { launch: PAIR.id, workgroup: 0 });
    for (first, count) in [(0, 2), (1, 1), (0, 0), (u16::MAX, u16::MAX)] {
        assert_eq!(not_ended(&mut book, range(first, count), &one), wrong);
    }
    for bad in [piece(0, 1, 1, 1), piece(0, 0, 2, 0), piece(0, 0, u32::MAX, 0)] {
        assert_eq!(not_ended(&mut book, range(0, 1), &[bad]), wrong);
    }
    book.start(&PAIR, range(0, 1), &[piece(1, 1, 1, 0)], &[]).expect("fits");
    assert_eq!(not_ended(&mut book, range(0, 1), &[one[0], one[0]]), wrong);
    book.end(PAIR.id, range(0, 1), &one).expect("is there");
    assert_eq!(not_ended(&mut book, range(0, 1), &one), wrong);
    book.start(&PAIR, range(1, 1), &one, &[]).expect("fits");
    book.end(PAIR.id, range(1, 1), &one).expect("is there");
    assert_eq!(not_ended(&mut book, range(1, 1), &one), wrong);
}

/// A launch whose workgroups have four waves and take half of a compute unit's LDS, workgroup slots
/// and barriers each.
const FOUR: Launch = launch(0, demand(4, 1, 1, 4, 2));

#[test]
fn a_part_takes_what_a_workgroup_shares() {
    let mut book = Book::new(SHAPE, 2);
    book.start(&FOUR, cut(0, 1), &[piece(0, 1, 1, 0)], &[]).expect("fits");
    let one = book.cus().free(CuId(0));
    assert_eq!((one.waves, one.vgpr, one.sgpr), (7, 15, 15));
    assert_eq!((one.lds, one.workgroups, one.barriers), (4, 3, 4));
    book.start(&FOUR, cut(1, 2), &[piece(0, 1, 1, 0)], &[on(1), on(1)]).expect("fits");
    let full = book.cus().free(CuId(0));
    assert_eq!((full.waves, full.lds, full.workgroups, full.barriers), (5, 0, 2, 2));
    assert_eq!([0, 1].map(|simd| book.cus().simd(CuId(0), simd).0), [3, 2], "by the addresses");
    let over = refused(&mut book, &FOUR, cut(3, 1), &[piece(0, 1, 1, 0)], &[]);
    assert!(over.contains("k0 does not fit on cu0"), "{over}");
    book.start(&FOUR, cut(3, 1), &[piece(0, 1, 1, 1)], &[]).expect("fits elsewhere");
    assert_eq!(book.resident_waves(FOUR.id), 4);
    // A part gives back its slot, barriers and LDS when it ends, whatever is left of its workgroup.
    book.end(FOUR.id, cut(1, 2), &[piece(0, 1, 1, 0)]).expect("is there");
    assert_eq!(book.cus().free(CuId(0)), one);
    book.end(FOUR.id, cut(3, 1), &[piece(0, 1, 1, 1)]).expect("is there");
    book.end(FOUR.id, cut(0, 1), &[piece(0, 1, 1, 0)]).expect("is there");
    assert_eq!(book.cus(), &Cus::new(SHAPE, 2));
    assert!(!book.save(FOUR.id));
}

#[test]
fn parts_start_in_order_and_as_nothing_else() {
    let mut book = Book::new(SHAPE, 2);
    let (one, two) = ([piece(0, 1, 1, 0)], [piece(0, 1, 1, 0), piece(1, 1, 1, 0)]);
    let goes_on =
        |group, wave| format!("workgroup {group} of k0 was cut and goes on at wave {wave}");
    for (first, count) in [(1, 1), (0, 0), (0, 5), (0, u16::MAX), (u16::MAX, u16::MAX)] {
        assert_eq!(refused(&mut book, &FOUR, cut(first, count), &one, &[]), goes_on(0, 0));
    }
    let one_piece = "k0 is cut: one piece of workgroup 0 starts";
    for wrong in [&two[..], &two[1..], &[piece(0, 1, 2, 0)], &[]] {
        assert_eq!(refused(&mut book, &FOUR, cut(0, 1), wrong, &[]), one_piece);
    }
    let meets = FOUR.with_barrier(Barrier::Assumed);
    let error = refused(&mut book, &meets, cut(0, 1), &one, &[]);
    assert_eq!(error, "k0 is cut, whose waves may meet at a barrier");
    for places in [vec![on(0); 2], vec![on(2)], vec![on(200)]] {
        let error = refused(&mut book, &FOUR, cut(0, 1), &one, &places);
        assert!(error.contains("give one for each wave"), "{error}");
    }
    book.start(&FOUR, cut(0, 1), &one, &[]).expect("fits");
    for (first, count) in [(0, 1), (2, 1), (1, 0), (1, 4), (1, u16::MAX)] {
        assert_eq!(refused(&mut book, &FOUR, cut(first, count), &one, &[]), goes_on(0, 1));
    }
    // No other workgroup starts meanwhile, in whatever way.
    for pieces in [&one[..], &two[1..]] {
        for span in [ALL, range(0, 1), range(1, 1)] {
            assert_eq!(refused(&mut book, &FOUR, span, pieces, &[]), goes_on(0, 1));
        }
        assert_eq!(refused(&mut book, &FOUR, ALL, pieces, &[on(0); 4]), goes_on(0, 1));
    }
    // Parts start in order also while no part is on the device, and where only the last one is.
    book.end(FOUR.id, cut(0, 1), &one).expect("is there");
    assert_eq!(refused(&mut book, &FOUR, ALL, &one, &[]), goes_on(0, 1));
    assert_eq!(refused(&mut book, &FOUR, cut(0, 1), &one, &[]), goes_on(0, 1));
    book.start(&FOUR, cut(1, 3), &one, &[]).expect("the waves that are left");
    let one_piece = "k0 is cut: one piece of workgroup 1 starts";
    assert_eq!(refused(&mut book, &FOUR, cut(0, 1), &one, &[]), one_piece);
    // A workgroup that began whole or wave by wave is not cut later.
    book.start(&FOUR, range(0, 1), &[piece(1, 1, 1, 1)], &[]).expect("fits");
    let one_piece = "k0 is cut: one piece of workgroup 2 starts";
    for span in [cut(0, 1), cut(1, 1)] {
        assert_eq!(refused(&mut book, &FOUR, span, &[piece(1, 1, 1, 1)], &[]), one_piece);
    }
}

#[test]
fn parts_that_are_not_there_cannot_end() {
    let mut book = Book::new(SHAPE, 1);
    let pair = launch(0, demand(2, 1, 1, 1, 1));
    let one = [piece(0, 1, 1, 0)];
    let wrong = BookError(Reason::Waves { launch: pair.id, workgroup: 0 });
    book.start(&pair, cut(0, 1), &one, &[]).expect("fits");
    for span in [cut(1, 1), cut(0, 2), cut(0, 0), cut(u16::MAX, u16::MAX), range(0, 1)] {
        assert_eq!(not_ended(&mut book, span, &one), wrong);
    }
    for bad in [piece(0, 1, 1, 1), piece(0, 0, 2, 0), piece(0, 0, u32::MAX, 0)] {
        assert_eq!(not_ended(&mut book, cut(0, 1), &[bad]), wrong);
    }
    let whole = BookError(Reason::NotResident { launch: pair.id, cu: CuId(0) });
    assert_eq!(not_ended(&mut book, ALL, &one), whole);
    book.start(&pair, cut(1, 1), &one, &[]).expect("fits");
    book.start(&pair, cut(0, 1), &[piece(1, 1, 1, 0)], &[]).expect("fits");
    assert_eq!(not_ended(&mut book, cut(0, 1), &[one[0], one[0]]), wrong);
    book.end(pair.id, cut(0, 1), &[one[0], piece(1, 1, 1, 0)]).expect("equal pieces of two");
    assert_eq!(not_ended(&mut book, cut(0, 1), &one), wrong);
    book.end(pair.id, cut(1, 1), &one).expect("is there");
    assert_eq!(book.cus(), &Cus::new(SHAPE, 1));
}

#[test]
fn parts_are_saved_and_go_back_where_they_were() {
    let mut book = Book::new(SHAPE, 2);
    book.start(&FOUR, cut(0, 1), &[piece(0, 1, 1, 0)], &[on(1)]).expect("fits");
    book.start(&FOUR, cut(1, 2), &[piece(0, 1, 1, 1)], &[]).expect("fits");
    let before = book.cus().clone();
    assert!(book.save(FOUR.id) && !book.save(FOUR.id));
    assert_eq!(book.cus(), &Cus::new(SHAPE, 2));
    // Another launch takes all LDS of one unit: one part has no room to come back, so no part comes
    // back.
    let other = launch(1, demand(1, 0, 0, 8, 0));
    book.start(&other, ALL, &[piece(0, 1, 1, 1)], &[]).expect("fits");
    let occupied = book.cus().clone();
    assert!(!book.restore(FOUR.id), "no LDS");
    assert_eq!(book.cus(), &occupied);
    book.end(other.id, ALL, &[piece(0, 1, 1, 1)]).expect("is there");
    assert!(book.restore(FOUR.id), "it fits again");
    assert_eq!(book.cus(), &before);
    // Once restored, the workgroup goes on at its fourth wave; after a kill, at its
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
    assert!(!book.kill(PAIR.id) && !book.save(PAIR.id));
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
    let last = altered(PAIR, |it| it.workgroups = 1);
    book.start(&last, ALL, &[piece(0, 1, 1, 0)], &[]).expect("fits");
    let other = launch(0, demand(1, 0, 0, 0, 0));
    for span in [ALL, range(0, 1)] {
        let error = refused(&mut book, &other, span, &[piece(1, 1, 1, 0)], &[]);
        assert!(error.contains("with another demand"), "{error}");
    }
    let longer = altered(PAIR, |it| it.workgroups = 2);
    let error = refused(&mut book, &longer, ALL, &[piece(1, 1, 1, 0)], &[]);
    assert!(error.contains("demand or grid"), "{error}");
    book.end(PAIR.id, ALL, &[piece(0, 1, 1, 0)]).expect("is there");
    book.start(&other, ALL, &[piece(0, 1, 1, 0)], &[]).expect("the id is free again");
}

#[test]
fn what_was_saved_goes_back_only_where_it_was() {
    // Workgroups of two waves need scalar registers of which all but those of one wave are taken.
    let tight = launch(0, demand(2, 1, 15, 1, 1));
    let mut book = Book::new(SHAPE, 1);
    book.start(&tight, range(0, 1), &[piece(0, 1, 1, 0)], &[]).expect("fits");
    let before = book.cus().clone();
    assert!(book.save(tight.id));
    assert_eq!((book.cus(), book.resident_waves(tight.id)), (&Cus::new(SHAPE, 1), 0));
    let error = refused(&mut book, &tight, range(1, 1), &[piece(0, 1, 1, 0)], &[]);
    assert_eq!(error, "k0 is saved off the device; restore it first");
    book.end(tight.id, range(0, 1), &[piece(0, 1, 1, 0)]).expect_err("it is off the device");
    let other = launch(1, demand(1, 0, 2, 0, 0));
    book.start(&other, ALL, &[piece(0, 1, 1, 0)], &[]).expect("fits");
    let occupied = book.cus().clone();
    assert!(!book.restore(tight.id), "two scalar registers are gone");
    assert_eq!(book.cus(), &occupied);
    book.end(other.id, ALL, &[piece(0, 1, 1, 0)]).expect("is there");
    assert!(book.restore(tight.id), "the wave that was there fits");
    assert_eq!((book.cus(), book.resident_waves(tight.id)), (&before, 1));
    assert!(!book.restore(tight.id) && !book.save(LaunchId(9)) && !book.restore(LaunchId(9)));
    // A saved launch that is killed has nothing to give back.
    assert!(book.save(tight.id) && !book.kill(tight.id));
    assert_eq!(book.cus(), &Cus::new(SHAPE, 1));
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

/// Tries each operation of the account with workgroups that fit and with too many, and checks that
/// no resource is taken at the end.
fn everything(launch: &Launch, shape: CuShape) {
    let mut book = Book::new(shape, 1);
    let (id, cu) = (launch.id, CuId(0));
    let room = book.cus().room(cu, &launch.demand);
    assert_eq!(room > 0, book.cus().lacking(cu, &launch.demand).is_none());
    assert_eq!(room > 0, book.cus().never(launch).is_none());
    let whole = [piece(0, 1, room, 0)];
    let far = [piece(u64::MAX, u32::MAX, u32::MAX, 0)];
    let too_many = [piece(0, 1, u32::MAX, 0), piece(u32::MAX.into(), 1, u32::MAX, 0)];
    for wrong in [&far[..], &too_many] {
        assert!(book.start(launch, ALL, wrong, &[]).is_err());
        assert!(book.start(launch, ALL, wrong, &[on(7)]).is_err());
    }
    assert_eq!(book.start(launch, ALL, &whole, &[]).is_ok(), room > 0);
    let waves = u64::from(room) * u64::from(launch.demand.waves);
    assert_eq!(book.resident_waves(id), waves);
    assert!(book.save(id) == (room > 0) && book.restore(id) == (room > 0));
    assert!(book.end(id, ALL, &far).is_err() && book.end(id, ALL, &too_many).is_err());
    assert_eq!(book.end(id, ALL, &whole).is_ok(), room > 0);
    let span = range(0, launch.demand.waves);
    let one = [piece(room.into(), 1, 1, 0)];
    assert_eq!(book.start(launch, span, &one, &[]).is_ok(), room > 0);
    assert_eq!(book.end(id, span, &one).is_ok(), room > 0);
    let span = cut(0, launch.demand.waves);
    let one = [piece(u64::from(room) + u64::from(room > 0), 1, 1, 0)];
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
    let empty = altered(one, |it| it.workgroups = 0);
    assert_eq!(Cus::new(SHAPE, 1).never(&empty).map(|it| it.resource), Some(Resource::Grid));
}
