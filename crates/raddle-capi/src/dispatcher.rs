//! How does a program in C drive a dispatcher made from a recipe?

use std::ffi::c_char;
use std::fs::File;
use std::io::BufWriter;

use raddle_dispatch::log::{Detail, LOG_VERSION, LogHeader, LogWriter};
use raddle_dispatch::{Composed, Dispatcher, Recipe};
use raddle_policy::{Actions, CuId, CuShape, Piece, Tick};

use crate::action::{ActionLists, RaddleActions};
use crate::event::RaddleEvent;
use crate::handle::{enter, with};
use crate::memory::{Out, read, text};
use crate::nouns::RaddleCuShape;
use crate::status::{Failure, RaddleStatus, guarded};

/// A dispatcher, which takes events and returns actions. Time is in ticks of the caller, and never goes down; the same
/// events at the same ticks give the same actions.
#[derive(Debug)]
pub struct RaddleDispatcher {
    composed: Composed,
    cus: u16,
    actions: Actions,
    lists: ActionLists,
    /// The pieces of the last event, kept for their memory.
    pieces: Vec<Piece>,
}

/// The free resources of a compute unit, in granules.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleFreeAmounts {
    /// Wave slots.
    pub waves: u64,
    /// Vector-register granules.
    pub vgpr: u64,
    /// Scalar-register granules.
    pub sgpr: u64,
    /// LDS granules.
    pub lds: u64,
    /// Workgroup slots.
    pub workgroups: u64,
    /// Barriers.
    pub barriers: u64,
}

/// Makes a dispatcher from the text of a recipe (TOML, or JSON where it begins with `{`) for `cus` empty compute units
/// of one shape. `log` is the name of a file for the decision log, or null: `raddle log FILE --check` and
/// `raddle log FILE --replay` read it. A file of this name is written over.
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

/// Opens a log.
fn log_to(file: &str, recipe: Recipe, shape: CuShape, cus: u16) -> Result<LogWriter, Failure> {
    let opened = File::create(file).map_err(|error| {
        let text = format!("the log {file} cannot be written: {error}; check its folder");
        Failure::new(RaddleStatus::Invalid, text)
    })?;
    let (detail, device) = (Detail::Answers, "given by a host".to_owned());
    let header = LogHeader { raddle_log: LOG_VERSION, detail, device, cus, shape, recipe };
    Ok(header.writer(Box::new(BufWriter::new(opened))))
}

/// Ends the decision log, which has lost its end where this is not called before the dispatcher is freed. Does nothing
/// without one.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_dispatcher_finish(dispatcher: *mut RaddleDispatcher) -> RaddleStatus {
    with(dispatcher, |it| {
        it.composed.finish().map_err(Failure::invalid)?;
        Ok(RaddleStatus::Ok)
    })
}

/// Tells an event. All known events of one tick are told first; then one decision is asked for.
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

/// Decides what to do now, which is nothing where no event was told since the last decision. After an error, which is
/// a policy that broke its law, the run cannot go on.
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

/// Writes 1 if the dispatcher wants to hear of launches that wait for others, and of copies; else 0. It does where
/// its recipe has a `window`.
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

/// Tells what is free on a compute unit in the account of the dispatcher.
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
