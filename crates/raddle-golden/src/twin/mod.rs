//! Are the answers of a decision log those that the seeds and the documented rules ask for?
//!
//! Beside each policy stands a *twin*: a naive model of its rules that was written from the text of its
//! seed and the pages of `docs/policies`, and shares no code with the policy. [`check`] reads a log line by
//! line, keeps what its events and answers say of the device, and asks the twin for each answer.
//!
//! | slot | twins |
//! |---|---|
//! | `allocate` | `matching`, `block-warp`, `round-robin`, `greedy`, `leftover`, `spatial` |
//! | `turn` | `weighted-slices`, `round-robin`, `unmap-all`, `vruntime`, `highest-level`, `everyone` |
//! | `preempt` | `never`, `wait`, `flag`, `drain`, `reset`, `switch`, `cheapest` |
//! | `launch-path` | `ordinary`, `condensed` |
//!
//! A policy or a setting without a twin is named in the report as not checked. After an answer that
//! differs, a twin goes on from what the log says, so that one fault is not told again and again.
//!
//! ```
//! let log = concat!(
//!     r#"{"raddle-log":2,"detail":"answers","device":"any","cus":2,"#,
//!     r#""shape":{"simds":1,"waves-per-simd":4,"vgpr-per-simd":8,"sgpr":65535,"lds":4,"workgroups":4,"barriers":4},"#,
//!     r#""recipe":{"raddle":1,"launch-path":{"policy":"ordinary","packet-ns":0},"turn":{"policy":"everyone"},"#,
//!     r#""allocate":{"policy":"greedy","addresses":false},"preempt":{"policy":"never"}}}"#, "\n",
//!     r#"{"t":0,"step":0,"event":"process-joined","process":0,"share":1}"#, "\n",
//!     r#"{"t":0,"step":0,"event":"launch-ready","launch":{"id":0,"process":0,"stream":0,"level":0,"workgroups":1,"#,
//!     r#""demand":{"waves":1,"vgpr":1,"sgpr":0,"lds":0,"barriers":0},"barrier":"no","idempotent":"unknown"}}"#, "\n",
//!     r#"{"t":0,"step":0,"answer":"turn","may-issue":[0]}"#, "\n",
//!     r#"{"t":0,"step":0,"answer":"submit","launch":0,"packets":1,"bytes":64,"cost":0}"#, "\n",
//!     r#"{"t":0,"step":0,"answer":"start","launch":0,"pieces":[[0,1,1,1,1]]}"#, "\n",
//! );
//! let report = raddle_golden::twin::check(log.as_bytes())?;
//! let first = report.first().expect("greedy takes the lowest compute unit");
//! assert_eq!((first.line, &*first.policy), (6, "greedy"));
//! assert_eq!(first.expected, "workgroup 0 of k0 on CU 0");
//! assert_eq!(first.found, "workgroup 0 of k0 on CU 1");
//! # Ok::<(), raddle_dispatch::DispatchError>(())
//! ```

mod addressed;
mod baselines;
mod block_warp;
mod cheapest;
mod condensed;
mod desk;
mod leaving;
mod line;
mod matching;
mod open;
mod path;
mod placing;
mod processes;
mod report;
mod slices;
mod slots;
mod spatial;
mod turning;
mod turns;
mod unit;
mod vruntime;

use std::io::BufRead;

use raddle_dispatch::DispatchError;
use raddle_read::without_content;

pub use self::report::{CheckedSlot, Finding, Report};

use self::line::{Answered, Header, Heard, Said};
use self::open::OpenLog;

/// Checks the answers of a decision log by the rules of its policies. The log is text; each of its
/// lines may be in full or leave out what follows from the lines before.
///
/// # Errors
/// When the text is not a log, or a line cannot be read. An answer that breaks a rule is no error:
/// it is in the report.
pub fn check(log: impl BufRead) -> Result<Report, DispatchError> {
    let mut checker = Checker::default();
    for (at, line) in raddle_dispatch::log::spelled_out(log).enumerate() {
        checker.take(at + 1, &line?)?;
    }
    Ok(checker.report())
}

/// A check of a decision log, by naive models (twins) of its policies, that gets one line at a
/// time.
#[derive(Default)]
pub struct Checker {
    log: Option<OpenLog>,
}

impl std::fmt::Debug for Checker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let line = self.log.as_ref().map(OpenLog::line);
        f.debug_struct("Checker").field("line", &line).finish_non_exhaustive()
    }
}

impl Checker {
    /// Checks the next line of a decision log, given in full as
    /// [`raddle_dispatch::log::spelled_out`] writes it; `number` is the number of the line, from 1.
    /// The first line is the header.
    ///
    /// # Errors
    /// When the line cannot be read.
    pub fn take(&mut self, number: usize, text: &str) -> Result<(), DispatchError> {
        let bad = |error: serde_json::Error| {
            DispatchError::bad_log(number, without_content(&error.to_string()))
        };
        match &mut self.log {
            None => {
                let header: Header = serde_json::from_str(text).map_err(bad)?;
                let sound = (1..=raddle_dispatch::log::LOG_VERSION).contains(&header.raddle_log);
                if !sound || header.shape.check().is_err() {
                    let what = "it is no header of a decision log of this version";
                    return Err(DispatchError::bad_log(number, what));
                }
                self.log = Some(OpenLog::new(&header));
            }
            // The last line, with the counts.
            Some(_) if text.starts_with("{\"raddle-log-end\":") => {}
            Some(log) if text.contains("\"event\":") => {
                let line: Said<Heard> = serde_json::from_str(text).map_err(bad)?;
                log.begin(number, line.at, true);
                log.hear(line.said);
            }
            Some(log) => {
                let line: Said<Answered> = serde_json::from_str(text).map_err(bad)?;
                log.begin(number, line.at, false);
                log.answered(line.said);
            }
        }
        Ok(())
    }

    /// Returns the report of the check: how many answers were checked, and which differ.
    #[must_use]
    pub fn report(self) -> Report {
        self.log.map(OpenLog::report).unwrap_or_default()
    }
}
