//! How does a program in C drive a dispatcher made from a recipe?

use std::ffi::c_char;
use std::fs::File;
use std::io::BufWriter;

use raddle_dispatch::log::{LogHeader, LogWriter};
use raddle_dispatch::{Composed, Dispatcher, Recipe};
use raddle_policy::{Actions, CuId, CuShape, Piece, Tick};

use crate::action::{ActionLists, RaddleActions};
use crate::event::RaddleEvent;
use crate::handle::{enter, with};
use crate::memory::{Out, read, text};
use crate::nouns::RaddleCuShape;
use crate::status::{Failure, RaddleStatus, guarded};

/// Dispatcher, which takes events and returns actions. Time is in ticks of the caller, and never
/// goes down; equal events at equal ticks give equal actions.
#[derive(Debug)]
pub struct RaddleDispatcher {
    composed: Composed,
    cus: u16,
    actions: Actions,
    lists: ActionLists,
    /// Pieces (equal workgroups on one compute unit) of the last event; kept so that the next event
    /// needs no new memory.
    pieces: Vec<Piece>,
}

/// Free resources of one compute unit.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleFreeAmounts {
    /// Number of free wave slots.
    pub waves: u64,
    /// Number of free vector-register granules, over all SIMDs.
    pub vgpr: u64,
    /// Number of free scalar-register granules.
    pub sgpr: u64,
    /// Number of free granules of shared memory (LDS).
    pub lds: u64,
    /// Number of free workgroup slots.
    pub workgroups: u64,
    /// Number of free hardware barriers.
    pub barriers: u64,
}

/// Makes a dispatcher for `cus` empty compute units of one shape, and writes its handle to
/// `dispatcher`. `recipe` is a text that names the dispatcher's policies (TOML, or JSON where it
/// begins with `{`). `log` is the name of a file for the decision log, or null:
/// `raddle log FILE --check` and `raddle log FILE --replay` read it. A file of this name is written
/// over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_dispatcher_new(
    recipe: *const c_char,
    shape: *const RaddleCuShape,
    cus: u16,
    log: *const c_char,
    dispatcher: *mut *mut RaddleDispatcher,
) -> RaddleStatus {
    guarded(|| {
        // SAFETY: the caller keeps the promises of the crate.
        let (recipe, shape, out) = unsafe {
            (text("recipe", recipe)?, read("shape", shape)?, Out::new("dispatcher", dispatcher)?)
        };
        // SAFETY: as above.
        let log = if log.is_null() { None } else { Some(unsafe { text("log", log)? }) };
        let shape = shape.checked()?;
        let name = "given";
        let read = Recipe::parse(name, recipe).map_err(Failure::invalid)?;
        let builder = read.builder(shape, cus);
        let mut builder = builder.map_err(|error| Failure::invalid(error.of_file(name, recipe)))?;
        if let Some(log) = log {
            builder = builder.log(log_to(log, read, shape, cus)?);
        }
        let composed = builder.build().map_err(Failure::invalid)?;
        let (actions, lists, pieces) = (Actions::default(), ActionLists::default(), Vec::new());
        enter(RaddleDispatcher { composed, cus, actions, lists, pieces }, &out)
    })
}

/// Opens the file of a decision log and returns the log's writer; an error where the file cannot be
/// written.
fn log_to(file: &str, recipe: Recipe, shape: CuShape, cus: u16) -> Result<LogWriter, Failure> {
    let opened = File::create(file).map_err(|error| {
        let text = format!("the log {file} cannot be written: {error}; check its folder");
        Failure::new(RaddleStatus::Invalid, text)
    })?;
    let header = LogHeader::new(recipe, "given by a host", shape, cus);
    Ok(header.writer(Box::new(BufWriter::new(opened))))
}

/// Ends the decision log; without this call before the dispatcher is freed, the end of the log is
/// lost. Does nothing where there is no log.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_dispatcher_finish(dispatcher: *mut RaddleDispatcher) -> RaddleStatus {
    with(dispatcher, |it| {
        it.composed.finish().map_err(Failure::invalid)?;
        Ok(RaddleStatus::Ok)
    })
}

/// Reports to the dispatcher an event of the tick `now`. Report all events of one tick first, and
/// then call `raddle_dispatcher_decide` once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_dispatcher_event(
    dispatcher: *mut RaddleDispatcher,
    now: u64,
    event: *const RaddleEvent,
) -> RaddleStatus {
    with(dispatcher, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let event = unsafe { read("event", event)?.checked(&mut it.pieces)? };
        it.composed.event(&event, Tick(now)).map_err(Failure::invalid)?;
        Ok(RaddleStatus::Ok)
    })
}

/// Decides what to do at the tick `now`, and writes the actions: none where no event was reported
/// since the last decision. An error means that a policy broke its law; do not go on with this
/// dispatcher then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_dispatcher_decide(
    dispatcher: *mut RaddleDispatcher,
    now: u64,
    actions: *mut RaddleActions,
) -> RaddleStatus {
    with(dispatcher, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let out = unsafe { Out::new("actions", actions)? };
        it.actions.clear();
        it.composed.decide(Tick(now), &mut it.actions).map_err(Failure::invalid)?;
        out.put(it.lists.take(&it.actions));
        Ok(RaddleStatus::Ok)
    })
}

/// Writes 1 to `ahead` if the dispatcher takes the events `LaunchIssued` (a launch that waits for
/// another) and `CopyIssued`, which it does where its recipe has a `window`; else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_dispatcher_looks_ahead(
    dispatcher: *const RaddleDispatcher,
    ahead: *mut u32,
) -> RaddleStatus {
    with(dispatcher, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let ahead = unsafe { Out::new("ahead", ahead)? };
        ahead.put(it.composed.looks_ahead().into());
        Ok(RaddleStatus::Ok)
    })
}

/// Writes the free resources of a compute unit, as the dispatcher counts them, to `free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_dispatcher_free(
    dispatcher: *const RaddleDispatcher,
    cu: u16,
    free: *mut RaddleFreeAmounts,
) -> RaddleStatus {
    with(dispatcher, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let out = unsafe { Out::new("free", free)? };
        if cu >= it.cus {
            let cus = it.cus;
            let text = format!("`cu` is {cu} of {cus} compute units: count from 0");
            return Err(Failure::argument(text));
        }
        let free = it.composed.cus().free(CuId(cu));
        out.put(RaddleFreeAmounts {
            waves: free.waves,
            vgpr: free.vgpr,
            sgpr: free.sgpr,
            lds: free.lds,
            workgroups: free.workgroups,
            barriers: free.barriers,
        });
        Ok(RaddleStatus::Ok)
    })
}
