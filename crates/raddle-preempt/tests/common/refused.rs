//! Which text has the error that refuses a submission, by its number?

use raddle_preempt::LaunchHandle;

/// Returns the text of the error for a report of a launch that is not in the runtime.
pub(crate) fn not_in_runtime(handle: LaunchHandle) -> String {
    let (process, sequence) = (handle.process(), handle.sequence());
    format!("submission {sequence} of {process} is not in the runtime: report the end of each once")
}

/// Returns the text of the error for a kill that nobody commanded.
pub(crate) fn no_reset(handle: LaunchHandle) -> String {
    let (process, sequence) = (handle.process(), handle.sequence());
    format!(
        "submission {sequence} of {process} cannot have been killed, no reset was commanded: whoever killed it, its memory may be half written"
    )
}
