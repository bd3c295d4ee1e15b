//! Does a dispatcher in a running simulator hand out its resources as it must?
//!
//! The checker is that of `raddle check-placement`, told event by event.

use std::ffi::{CString, c_char};

use raddle_golden::allocation::{
    AllocationCheck, AllocationDevice, AllocationEvent, AllocationEventKind, AllocationOptions,
    AllocationReport, StartRule,
};

use crate::handle::{enter, with};
use crate::launch::unknown;
use crate::memory::{Out, list, text};
use crate::status::{Failure, Outcome, RaddleStatus, guarded};

/// Number that means that an event does not report the value.
pub const RADDLE_NOT_TOLD: u64 = u64::MAX;

/// Checker of the parts of resources that a dispatcher hands out. First the resources are declared,
/// then events are reported in the order of their clocks. Resources are numbered in the order in
/// which they were declared.
#[derive(Debug)]
pub struct RaddlePlacementCheck {
    stage: Stage,
    /// Text of the report that the last call of `raddle_placement_check_text` gave to the caller,
    /// kept for as long as the caller may read it.
    text: CString,
}

#[derive(Debug)]
enum Stage {
    Declared(AllocationDevice, AllocationOptions),
    Running(Box<AllocationCheck>, usize),
    Finished(AllocationReport),
}

/// Use of the part of a resource that a workgroup holds: by all its waves together, or by each wave
/// for itself.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleShare {
    /// Each wave uses an equal share of what the workgroup holds, in the order of the waves'
    /// numbers.
    PerWave = 0,
    /// Every wave uses all that the workgroup holds of the resource.
    Shared = 1,
}

/// Rule by which the check predicts where the run of blocks starts that a workgroup gets of a
/// resource.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleStartRule {
    /// Predicts no start: any free place is right.
    Any = 0,
    /// Predicts the start of the lowest run of free blocks that is long enough.
    First = 1,
    /// Predicts the start of the shortest run of free blocks that is long enough, of equal ones the
    /// lowest.
    Best = 2,
    /// Predicts the start of the longest run of free blocks, of equal ones the lowest.
    Worst = 3,
    /// Predicts the lowest start at or after the end of the part that was placed last; behind the
    /// last block the search goes on at block 0.
    Next = 4,
    /// Predicts a start at the end of the run placed last (a ring), or at 0 where the blocks up to
    /// the end are too few; runs come back in the order in which they were placed.
    Ring = 5,
}

impl RaddlePlacementCheck {
    /// Passes an event at the clock `clock` about a workgroup to the checker; `fill` sets the other
    /// fields of the event. After the first event no resource can be declared any more.
    fn tell(
        &mut self,
        clock: u64,
        kind: AllocationEventKind,
        workgroup: u64,
        fill: impl FnOnce(&mut AllocationEvent) -> Result<(), Failure>,
    ) -> Outcome {
        if let Stage::Declared(device, options) = &self.stage {
            let made = AllocationCheck::new(device.clone(), options);
            let made = made.map_err(|fault| invalid(fault.message))?;
            self.stage = Stage::Running(Box::new(made), device.names().count());
        }
        let Stage::Running(check, resources) = &mut self.stage else {
            return Err(invalid("the check is finished: make another one".to_owned()));
        };
        let mut event = AllocationEvent::new(clock, kind, workgroup, *resources);
        fill(&mut event)?;
        match check.take(event).map_err(|fault| invalid(fault.message))? {
            0 => Ok(RaddleStatus::Ok),
            _ => Ok(RaddleStatus::Finding),
        }
    }

    fn declared(&mut self) -> Result<(&mut AllocationDevice, &mut AllocationOptions), Failure> {
        match &mut self.stage {
            Stage::Declared(device, options) => Ok((device, options)),
            _ => Err(invalid("events were told: declare the device before the first".to_owned())),
        }
    }
}

fn invalid(text: String) -> Failure {
    Failure::new(RaddleStatus::Invalid, text)
}

/// Returns the value `number` of an event; `None` for `RADDLE_NOT_TOLD`, which means that the event
/// does not report the value.
fn told(number: u64) -> Option<u64> {
    (number != RADDLE_NOT_TOLD).then_some(number)
}

/// Writes one number for each declared resource into an event. `to` chooses whether these are the
/// starts or the sizes of the parts that the workgroup holds. `name` is the argument that the error
/// names if their count is wrong.
fn put(
    event: &mut AllocationEvent,
    name: &str,
    numbers: &[u64],
    to: impl Fn(&mut (Option<u64>, Option<u64>)) -> &mut Option<u64>,
) -> Result<(), Failure> {
    if numbers.len() != event.parts.len() {
        let (given, wanted) = (numbers.len(), event.parts.len());
        return Err(Failure::argument(format!(
            "`{name}` has {given} numbers, and {wanted} resources are declared: give one for each"
        )));
    }
    event.parts.iter_mut().zip(numbers).for_each(|(part, &number)| *to(part) = told(number));
    Ok(())
}

/// Makes a checker of 1 to 65536 compute units without resources, and writes its handle to `check`.
/// `wave_slots` is the most waves that are on a unit at a time, 0 for any number. `lag`, mostly 0,
/// is the number of clocks between the moment at which the device chooses where a workgroup's part
/// of a resource starts and the event that reports it: a start is right if the rule predicts it for
/// any moment in between. With a lag, and no rule for any resource, the first event is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_placement_check_new(
    units: u32,
    wave_slots: u32,
    lag: u64,
    check: *mut *mut RaddlePlacementCheck,
) -> RaddleStatus {
    guarded(|| {
        // SAFETY: the caller keeps the promises of the crate.
        let check = unsafe { Out::new("check", check)? };
        let device = AllocationDevice::new(units.into(), wave_slots.into());
        let device = device.map_err(Failure::argument)?;
        let options = AllocationOptions { lag, ..AllocationOptions::default() };
        let stage = Stage::Declared(device, options);
        enter(RaddlePlacementCheck { stage, text: CString::default() }, &check)
    })
}

/// Declares a resource that every unit has: its number of blocks, 1 or more, its use by waves, one
/// of `RaddleShare`, and its rule for starts, one of `RaddleStartRule`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_placement_check_resource(
    check: *mut RaddlePlacementCheck,
    name: *const c_char,
    blocks: u32,
    share: u32,
    starts: u32,
) -> RaddleStatus {
    with(check, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let name = unsafe { text("name", name)? };
        let (device, options) = it.declared()?;
        let per_wave = match share {
            0 => true,
            1 => false,
            other => return Err(unknown("share", other, "RaddleShare")),
        };
        let rule = match starts {
            0 => None,
            1 => Some(StartRule::First),
            2 => Some(StartRule::Best),
            3 => Some(StartRule::Worst),
            4 => Some(StartRule::Next),
            5 => Some(StartRule::Ring),
            other => return Err(unknown("starts", other, "RaddleStartRule")),
        };
        device.add(name, blocks.into(), per_wave).map_err(Failure::argument)?;
        if let Some(rule) = rule {
            options.starts_of.insert(name.to_owned(), rule);
        }
        Ok(RaddleStatus::Ok)
    })
}

/// Reports that a workgroup of `waves` waves waits for a place since the clock `clock` (a time of
/// the caller, in clocks). `sizes` has the number of blocks that it wants of each resource. Here
/// and in all events, the answer `Finding` says that a rule is broken, `RADDLE_NOT_TOLD` means that
/// a number is not known, and numbers go up to 2^62 - 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_placement_check_request(
    check: *mut RaddlePlacementCheck,
    clock: u64,
    workgroup: u64,
    waves: u64,
    sizes: *const u64,
    count: usize,
) -> RaddleStatus {
    with(check, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let sizes = unsafe { list("sizes", sizes, count)? };
        it.tell(clock, AllocationEventKind::Request, workgroup, |event| {
            event.waves = told(waves);
            put(event, "sizes", sizes, |part| &mut part.1)
        })
    })
}

/// Reports that a workgroup of `waves` waves gets its part of a unit's resources at the clock
/// `clock`. `starts` has the first block and `sizes` the number of blocks of each resource, `count`
/// numbers each; a resource of which it gets no block has size 0, and any start.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_placement_check_place(
    check: *mut RaddlePlacementCheck,
    clock: u64,
    unit: u64,
    workgroup: u64,
    waves: u64,
    starts: *const u64,
    sizes: *const u64,
    count: usize,
) -> RaddleStatus {
    with(check, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let (starts, sizes) =
            unsafe { (list("starts", starts, count)?, list("sizes", sizes, count)?) };
        it.tell(clock, AllocationEventKind::Place, workgroup, |event| {
            (event.unit, event.waves) = (told(unit), told(waves));
            put(event, "starts", starts, |part| &mut part.0)?;
            put(event, "sizes", sizes, |part| &mut part.1)
        })
    })
}

/// Reports that a wave starts at the clock `clock`. `wave` is its number within the workgroup, from
/// 0, `tag` the name that the unit gives it, and `bases` has the first block of its part of each
/// resource.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_placement_check_wave(
    check: *mut RaddlePlacementCheck,
    clock: u64,
    unit: u64,
    workgroup: u64,
    wave: u64,
    tag: u64,
    bases: *const u64,
    count: usize,
) -> RaddleStatus {
    with(check, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let bases = unsafe { list("bases", bases, count)? };
        it.tell(clock, AllocationEventKind::Wave, workgroup, |event| {
            (event.unit, event.wave, event.tag) = (told(unit), told(wave), told(tag));
            put(event, "bases", bases, |part| &mut part.0)
        })
    })
}

/// Reports that a wave of a workgroup ends on a compute unit at the clock `clock`; where neither
/// `wave` nor `tag` is given (both are `RADDLE_NOT_TOLD`), that all waves of the workgroup end.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_placement_check_end(
    check: *mut RaddlePlacementCheck,
    clock: u64,
    unit: u64,
    workgroup: u64,
    wave: u64,
    tag: u64,
) -> RaddleStatus {
    with(check, |it| {
        it.tell(clock, AllocationEventKind::End, workgroup, |event| {
            (event.unit, event.wave, event.tag) = (told(unit), told(wave), told(tag));
            Ok(())
        })
    })
}

/// Reports that a workgroup gives back, at the clock `clock`, all that it holds of the resources of
/// a compute unit.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_placement_check_free(
    check: *mut RaddlePlacementCheck,
    clock: u64,
    unit: u64,
    workgroup: u64,
) -> RaddleStatus {
    with(check, |it| {
        it.tell(clock, AllocationEventKind::Free, workgroup, |event| {
            event.unit = told(unit);
            Ok(())
        })
    })
}

/// Ends the check, and writes the number of all findings (broken rules) to `findings`; requests
/// that are still open may be findings, too. Events after this call are errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_placement_check_finish(
    check: *mut RaddlePlacementCheck,
    findings: *mut u64,
) -> RaddleStatus {
    with(check, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let findings = unsafe { Out::new("findings", findings)? };
        let empty = Stage::Finished(AllocationReport::default());
        let report = match std::mem::replace(&mut it.stage, empty) {
            Stage::Declared(..) => AllocationReport::default(),
            Stage::Running(check, _) => check.finish(),
            Stage::Finished(report) => report,
        };
        findings.put(report.total());
        it.stage = Stage::Finished(report);
        Ok(RaddleStatus::Ok)
    })
}

/// Writes to `text` the address of the report so far, as `raddle check-placement` prints it; a
/// `line` in it is the number of an event, from 1. The text stands until the next call for a text
/// of this check, or until the check is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_placement_check_text(
    check: *mut RaddlePlacementCheck,
    text: *mut *const c_char,
) -> RaddleStatus {
    with(check, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let text = unsafe { Out::new("text", text)? };
        let report = match &it.stage {
            Stage::Declared(..) => AllocationReport::default().to_string(),
            Stage::Running(check, _) => check.report().to_string(),
            Stage::Finished(report) => report.to_string(),
        };
        // The name of a resource comes from a text of C, so no zero byte is in it.
        it.text = CString::new(report).unwrap_or_default();
        text.put(it.text.as_ptr());
        Ok(RaddleStatus::Ok)
    })
}
