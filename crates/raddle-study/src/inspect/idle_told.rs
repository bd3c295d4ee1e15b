//! Why is the device idle most in a recording, in one sentence?

use super::{InspectedProfile, RecordedCause};
use crate::units::{duration, percent, plain};

/// Largest number of characters of the name of a profile or a kernel in the sentence.
const NAME: usize = 40;

/// Fraction of a recording below which the time without a kernel is not worth a cause.
const LITTLE: f64 = 0.01;

impl RecordedCause {
    /// Returns what a user can do about idle time of this cause, as the end of a sentence.
    const fn cure(self) -> &'static str {
        match self {
            Self::Host => "issue work earlier, or let another program use the device meanwhile",
            Self::Launching => "launch more work at once, by graphs or larger batches",
            Self::Queued => "look for waits between streams, and for small kernels in a row",
            Self::Copies => "copy on a stream of its own while kernels run",
            Self::Unknown => "record launches too",
        }
    }
}

impl InspectedProfile {
    /// Says in one sentence for how much of the recording no kernel ran, what the cause of most of
    /// it is, after which kernel most of that lies, and what to do about it.
    #[must_use]
    pub fn idle_sentence(&self) -> String {
        let name = plain(&self.name, NAME);
        let span = duration(self.span_ns);
        let most = self.idle.causes.first().filter(|_| self.idle.share >= LITTLE);
        let Some(most) = most else {
            let busy = percent(1.0 - self.idle.share);
            return format!("{name} keeps the device busy: a kernel runs for {busy} of {span}.");
        };
        let all = percent(self.idle.share);
        let why = match most.cause {
            RecordedCause::Unknown => {
                "as launches were not recorded, the cause is unknown".to_owned()
            }
            cause => format!("{} because {}", percent(most.share), cause.told()),
        };
        let place = self.idle.places.iter().find(|place| place.mostly == most.cause);
        let place = match place.map(|place| (place.after.as_deref(), place.before.as_deref())) {
            Some((Some(after), _)) => format!(", above all after {}", plain(after, NAME)),
            Some((None, Some(before))) => format!(", above all before {}", plain(before, NAME)),
            _ => String::new(),
        };
        let cure = most.cause.cure();
        format!("{name} leaves the device idle for {all} of {span}, {why}{place}: {cure}.")
    }
}
