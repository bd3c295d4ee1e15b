//! Do rings answer as those of `raddle-bitmap`, and checks of placements as the checker of tables?

use std::ffi::c_char;
use std::fmt::Write;
use std::ptr::null;

use proptest::prelude::*;
use raddle_bitmap::Ring;
use raddle_capi::*;
use raddle_golden::allocation::{AllocationOptions, StartRule, check};

use crate::call::{Owned, cases, last_error, text, told};

const HEAD: &str = "# raddle placement table 1\n# units = 2\n# wave-slots = 4\n# resource vgpr = 16 per-wave\n# resource lds = 8 shared\nclock,event,unit,workgroup,waves,wave,tag,vgpr_start,vgpr_size,lds_start,lds_size\n";

/// Event for a placement check, right or wrong; its numbers are small, so that events often concern
/// one workgroup.
#[derive(Clone, Debug)]
struct Step {
    later: u64,
    kind: u8,
    unit: u64,
    workgroup: u64,
    waves: Option<u64>,
    wave: Option<u64>,
    tag: Option<u64>,
    starts: [u64; 2],
    sizes: [u64; 2],
}

fn step() -> impl Strategy<Value = Step> {
    let maybe = |most: u64| prop_oneof![3 => (0..most).prop_map(Some), 1 => Just(None)];
    let numbers = (0..3_u64, 0..8_u8, 0..3_u64, 0..4_u64);
    (numbers, maybe(4), maybe(3), maybe(4), [0..17_u64, 0..9], [0..9_u64, 0..5]).prop_map(
        |((later, kind, unit, workgroup), waves, wave, tag, starts, sizes)| Step {
            later,
            kind,
            unit,
            workgroup,
            waves,
            wave,
            tag,
            starts,
            sizes,
        },
    )
}

/// Reports a step at the clock `clock` by the function of C for its kind.
fn tell(handle: *mut RaddlePlacementCheck, clock: u64, step: &Step) -> RaddleStatus {
    let or = |number: Option<u64>| number.unwrap_or(RADDLE_NOT_TOLD);
    let (waves, wave, tag) = (or(step.waves), or(step.wave), or(step.tag));
    let Step { unit, workgroup, starts, sizes, .. } = step;
    let (starts, sizes) = (starts.as_ptr(), sizes.as_ptr());
    // SAFETY: lists of ours.
    unsafe {
        match step.kind {
            0 | 1 => raddle_placement_check_request(handle, clock, *workgroup, waves, sizes, 2),
            2..=4 => raddle_placement_check_place(
                handle, clock, *unit, *workgroup, waves, starts, sizes, 2,
            ),
            5 => {
                raddle_placement_check_wave(handle, clock, *unit, *workgroup, wave, tag, starts, 2)
            }
            6 => raddle_placement_check_end(handle, clock, *unit, *workgroup, wave, tag),
            _ => raddle_placement_check_free(handle, clock, *unit, *workgroup),
        }
    }
}

/// Returns a step as the line of a table that `raddle check-placement` reads.
fn line(clock: u64, step: &Step) -> String {
    let cell = |number: Option<u64>| number.map_or_else(String::new, |it| it.to_string());
    let Step { unit, workgroup, starts: [a, b], sizes: [c, d], .. } = step;
    let (waves, wave, tag) = (cell(step.waves), cell(step.wave), cell(step.tag));
    match step.kind {
        0 | 1 => format!("{clock},request,,{workgroup},{waves},,,,{c},,{d}\n"),
        2..=4 => format!("{clock},place,{unit},{workgroup},{waves},,,{a},{c},{b},{d}\n"),
        5 => format!("{clock},wave,{unit},{workgroup},,{wave},{tag},{a},,{b},\n"),
        6 => format!("{clock},end,{unit},{workgroup},,{wave},{tag},,,,\n"),
        _ => format!("{clock},free,{unit},{workgroup},,,,,,,\n"),
    }
}

fn made() -> Owned<RaddlePlacementCheck> {
    // SAFETY: a place of ours.
    let check = Owned::new(|check| unsafe { raddle_placement_check_new(2, 4, 1, check) });
    for (name, blocks, share, rule) in [
        (c"vgpr", 16, RaddleShare::PerWave, RaddleStartRule::Worst),
        (c"lds", 8, RaddleShare::Shared, RaddleStartRule::Ring),
    ] {
        // SAFETY: a text of ours.
        let status = unsafe {
            raddle_placement_check_resource(
                check.0,
                name.as_ptr(),
                blocks,
                share as u32,
                rule as u32,
            )
        };
        assert_eq!(status, RaddleStatus::Ok);
    }
    check
}

/// Returns the text of a check, with the number of each event replaced by that of its line in the
/// table.
fn report(check: &Owned<RaddlePlacementCheck>) -> String {
    let mut said: *const c_char = null();
    // SAFETY: a place of ours.
    assert_eq!(unsafe { raddle_placement_check_text(check.0, &mut said) }, RaddleStatus::Ok);
    let (said, head) = (text(said), HEAD.lines().count() as u64);
    let mut parts = said.split("line ");
    let mut shifted = parts.next().unwrap().to_owned();
    for part in parts {
        let (number, rest) = part.split_at(part.find(|it: char| !it.is_ascii_digit()).unwrap());
        write!(shifted, "line {}{rest}", number.parse::<u64>().unwrap() + head).unwrap();
    }
    shifted
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn told_events_are_checked_as_a_table(steps in prop::collection::vec(step(), 0..60)) {
        let check_c = made();
        let (mut table, mut clock) = (HEAD.to_owned(), 0);
        let rules = [("vgpr".to_owned(), StartRule::Worst), ("lds".to_owned(), StartRule::Ring)];
        let options = AllocationOptions { starts_of: rules.into(), lag: 1, starts: None };
        let mut before = 0;
        for step in &steps {
            clock += step.later;
            let longer = table.clone() + &line(clock, step);
            match (tell(check_c.0, clock, step), check(longer.as_bytes(), &options)) {
                (RaddleStatus::Invalid, Err(fault)) => {
                    // An error of the table ends it, that of a call changes nothing.
                    prop_assert_eq!(last_error(), fault.message);
                    clock -= step.later;
                }
                (status, Ok(_)) => {
                    table = longer;
                    let so_far = report(&check_c);
                    let found = so_far.lines().find_map(|it| it.strip_prefix("findings: "));
                    let found = found.unwrap_or_default().split(", ");
                    let total: u64 = found.filter_map(|it| it.split(' ').nth(1)?.parse::<u64>().ok()).sum();
                    let expected = if total > before { RaddleStatus::Finding } else { RaddleStatus::Ok };
                    prop_assert_eq!(status, expected, "{}", so_far);
                    before = total;
                }
                (status, Err(fault)) => prop_assert!(false, "{:?} {}", status, fault),
            }
        }
        let whole = check(table.as_bytes(), &options).unwrap();
        // SAFETY: a place of ours.
        let (status, total) = told(|it| unsafe { raddle_placement_check_finish(check_c.0, it) });
        prop_assert_eq!((status, total), (RaddleStatus::Ok, whole.total()));
        if !table.ends_with("lds_size\n") {
            prop_assert_eq!(report(&check_c), whole.to_string());
        }
    }

    #[test]
    fn a_ring_is_that_of_the_crate(
        blocks in 1..20_u32,
        steps in prop::collection::vec((any::<bool>(), 0..22_u32), 0..100),
    ) {
        let mut ring = Ring::new(blocks).unwrap();
        // SAFETY: a place of ours.
        let handle = Owned::new(|it| unsafe { raddle_ring_new(blocks, it) });
        for (takes, number) in steps {
            if takes {
                // SAFETY: places of ours.
                let found = told(|start| unsafe { raddle_ring_find(handle.0, number, start) });
                // SAFETY: as above.
                let taken = told(|start| unsafe { raddle_ring_allocate(handle.0, number, start) });
                let expected = match ring.allocate(number) {
                    Some(start) => (RaddleStatus::Ok, start),
                    None => (RaddleStatus::Refused, 0),
                };
                prop_assert_eq!((found, taken), (expected, expected));
            } else {
                let released = raddle_ring_release(handle.0, number);
                match ring.release(number) {
                    Ok(()) => prop_assert_eq!(released, RaddleStatus::Ok),
                    Err(error) => {
                        prop_assert_eq!((released, last_error()), (RaddleStatus::Invalid, error.to_string()));
                    }
                }
            }
        }
    }
}

#[test]
fn a_check_that_says_nothing_is_refused() {
    let check = made();
    let (sizes, mut place) = ([1_u64, 2, 3], std::ptr::null_mut());
    let refused = |status, expected, said: &str| {
        assert_eq!(status, expected);
        assert!(last_error().contains(said), "{}", last_error());
    };
    // SAFETY: places and lists of ours.
    unsafe {
        let many = raddle_placement_check_new(70_000, 0, 0, &mut place);
        refused(
            many,
            RaddleStatus::Argument,
            "`units` is `70000`: give a whole number from 1 to 65536",
        );
        let resource = |name: &std::ffi::CStr, blocks, share, rule| {
            raddle_placement_check_resource(check.0, name.as_ptr(), blocks, share, rule)
        };
        refused(resource(c"lds", 4, 0, 0), RaddleStatus::Argument, "declared twice");
        refused(resource(c"sgpr", 0, 0, 0), RaddleStatus::Argument, "`resource sgpr` is `0`");
        refused(resource(c"sgpr", 4, 2, 0), RaddleStatus::Argument, "RaddleShare");
        refused(resource(c"sgpr", 4, 0, 6), RaddleStatus::Argument, "RaddleStartRule");
        refused(resource(c"\xff", 4, 0, 0), RaddleStatus::Utf8, "`name` is not UTF-8");
        let request = |clock, workgroup, count| {
            raddle_placement_check_request(check.0, clock, workgroup, 1, sizes.as_ptr(), count)
        };
        refused(request(9, 0, 3), RaddleStatus::Argument, "`sizes` has 3 numbers, and 2 resources");
        refused(
            request(9, 1 << 62, 2),
            RaddleStatus::Invalid,
            "`workgroup` is 4611686018427387904",
        );
        assert_eq!(request(9, 0, 2), RaddleStatus::Ok);
        refused(request(8, 1, 2), RaddleStatus::Invalid, "clock 8 is before clock 9");
        refused(resource(c"sgpr", 4, 0, 0), RaddleStatus::Invalid, "before the first");
        let end = raddle_placement_check_end(check.0, 9, 0, 7, 0, 0);
        refused(end, RaddleStatus::Invalid, "workgroup 7 was never placed");
        let (_, total) = told(|it| raddle_placement_check_finish(check.0, it));
        assert_eq!(total, 1, "an open request is a stop");
        refused(request(9, 2, 2), RaddleStatus::Invalid, "the check is finished");
        let bare = Owned::new(|it| raddle_placement_check_new(1, 0, 0, it));
        let free = raddle_placement_check_free(bare.0, 1, 0, 0);
        refused(free, RaddleStatus::Invalid, "has no resource");
        let late = Owned::new(|it| raddle_placement_check_new(1, 0, 5, it));
        raddle_placement_check_resource(late.0, c"lds".as_ptr(), 4, 1, RaddleStartRule::Any as u32);
        let free = raddle_placement_check_free(late.0, 1, 0, 0);
        refused(free, RaddleStatus::Invalid, "a lag is for predicted starts");
    }
}
