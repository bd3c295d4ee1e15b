//! How does a program in Python give the daemon of `raddle live` hints about itself?

use pyo3::prelude::*;

use crate::replay::RaddleError;

/// Says something of this process to the policies of the daemon, and returns how many of its programs
/// have joined the daemon, one for each device. Times are nanoseconds.
#[pyfunction]
#[pyo3(signature = (*, level = None, share = None, priority = None, deadline_ns = None, laxity_ns = None, utilisation = None, custom = None))]
pub(crate) fn hint(
    level: Option<u8>,
    share: Option<u32>,
    priority: Option<u8>,
    deadline_ns: Option<u64>,
    laxity_ns: Option<u64>,
    utilisation: Option<u16>,
    custom: Option<u64>,
) -> PyResult<u64> {
    // The numbers of kinds are those of C.
    let numbers = [
        priority.map(u64::from),
        deadline_ns,
        laxity_ns,
        utilisation.map(u64::from),
        custom,
        level.map(u64::from),
        share.map(u64::from),
    ];
    let given = (0..).zip(numbers).filter_map(|(kind, value)| Some((kind, value?)));
    let mut joined = 0;
    for (kind, value) in given {
        joined = said(kind, value)?;
    }
    Ok(joined)
}

#[cfg(all(feature = "full", target_os = "linux"))]
fn said(kind: u32, value: u64) -> PyResult<u64> {
    let said = raddle_live::LiveHint::by_number(kind, value);
    let said = said.ok_or_else(|| RaddleError::new_err("no such hint"))?;
    raddle_live::hint(said).map_err(|error| RaddleError::new_err(error.to_string()))
}

#[cfg(not(all(feature = "full", target_os = "linux")))]
fn said(_: u32, _: u64) -> PyResult<u64> {
    Err(RaddleError::new_err("this raddle schedules no live programs: the wheel for Linux does"))
}
