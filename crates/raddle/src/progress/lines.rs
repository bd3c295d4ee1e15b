//! How is progress told where the error stream is no terminal?
//!
//! A thread writes one plain line every ten seconds, the first one after ten, so that short work is
//! silent.

use std::io::Write;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use indicatif::ProgressBar;

/// Time between two lines of progress, and before the first one.
pub(super) const EVERY: Duration = Duration::from_secs(10);
/// Reciprocal of the part of the work (a twentieth) that must be done before the remaining time is
/// estimated.
const PACE: u64 = 20;
/// Environment variable that, with the value `off`, silences all progress.
pub(super) const SILENCE: &str = "RADDLE_PROGRESS";

/// Counter of some work, and the unit that it counts; `None` where no work is counted.
type Counted = Option<(ProgressBar, &'static str)>;

/// Work whose progress a thread reports, one line at a time, until this value is dropped.
#[derive(Debug)]
pub(super) struct ToldWork {
    /// Work that is counted now, and true if any work has been counted yet.
    now: Arc<Mutex<(Counted, bool)>>,
    /// Lines that the progress thread writes before its next line of progress.
    notes: Arc<Mutex<Vec<String>>>,
    /// Sender of a channel; the progress thread ends when this sender is dropped.
    _end: Sender<()>,
}

impl ToldWork {
    /// Starts the progress thread, which writes a line of progress to `out` after each time of
    /// length `every`. Its first line also says `shorter`, how to make the work shorter (may be
    /// empty).
    pub(super) fn new(
        every: Duration,
        shorter: &'static str,
        mut out: impl Write + Send + 'static,
    ) -> Self {
        let now: Arc<Mutex<(Counted, bool)>> = Arc::default();
        let (end, ended) = mpsc::channel();
        let watched = Arc::clone(&now);
        let notes: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = Arc::clone(&notes);
        let tell = move || {
            let mut hint = first_hint(shorter);
            let mut lasted = Duration::ZERO;
            while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                lasted = lasted.saturating_add(every);
                for note in noted.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
                    let _ = writeln!(out, "raddle: {note}");
                }
                let counted = watched.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let Some(line) = line(counted, lasted) else { continue };
                // If the error stream cannot be written, there is nobody to tell.
                let _ = writeln!(out, "raddle: {line}{hint}");
                hint.clear();
            }
        };
        // Without a thread the work goes on, and is silent.
        let _ = thread::Builder::new().name("progress".to_owned()).spawn(tell);
        Self { now, notes, _end: end }
    }

    /// Makes the progress thread write `line` before its next line of progress.
    pub(super) fn note(&self, line: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    /// Makes the progress thread report the work `counted` from now on, as (counter, unit that it
    /// counts); `None` means that no work is counted.
    pub(super) fn turn_to(&self, counted: Counted) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = (counted, true);
    }
}

/// Returns the hint at the end of the first line of progress: how to make the work shorter, and how
/// to silence the lines.
fn first_hint(shorter: &str) -> String {
    let shorter = if shorter.is_empty() { String::new() } else { format!("{shorter}; ") };
    format!(" ({shorter}{SILENCE}=off tells no progress)")
}

/// Returns a line of progress on counted work, or on preparations that have lasted for `lasted`
/// while no work was counted yet; `None` where there is nothing to report.
fn line((counted, begun): (Counted, bool), lasted: Duration) -> Option<String> {
    let Some((bar, unit)) = counted else {
        // Between and behind counted work there is nothing long.
        return (!begun).then(|| format!("preparing, for {} so far", span(lasted)));
    };
    let (done, of) = (bar.position(), bar.length().unwrap_or(0));
    let idle = bar.is_finished() || (done == 0 && of == 0);
    (!idle).then(|| counts(&bar.message(), (done, of), unit, bar.elapsed()))
}

/// Returns a text that says how much of the work is done (`done` of `of`, which is 0 if unknown),
/// and how long the remainder takes at the pace of the time `lasted`.
fn counts(what: &str, (done, of): (u64, u64), unit: &str, lasted: Duration) -> String {
    // Files are counted in bytes, and told in megabytes.
    let (scale, unit) = if unit == "bytes" { (1_000_000, "MB") } else { (1, unit) };
    if of == 0 {
        return format!("{what}, {} {unit} so far", done / scale);
    }
    // The first launches may be much longer or shorter than the others.
    let known = if done.saturating_mul(PACE) < of || done >= of { 0 } else { done };
    let left = u128::from(of.saturating_sub(done));
    let left_s = (lasted.as_millis() * left).checked_div(u128::from(known) * 1000);
    let left = match left_s.map(|seconds| u64::try_from(seconds).unwrap_or(u64::MAX)) {
        Some(seconds) => format!("about {} left", span(Duration::from_secs(seconds.max(1)))),
        None => "time left unknown".to_owned(),
    };
    format!("{what}, {} of {} {unit}, {left}", done / scale, of.div_ceil(scale))
}

/// Writes a time in whole seconds, or in minutes where it is longer than two minutes.
fn span(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..=120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output stream that sends all text written to it to a test.
    struct KeptLines(Sender<String>);

    impl Write for KeptLines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            // The test may have seen enough.
            let _ = self.0.send(String::from_utf8_lossy(bytes).into_owned());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// Returns the next line that the progress thread writes.
    fn next(lines: &mpsc::Receiver<String>) -> String {
        let mut text = String::new();
        while !text.ends_with('\n') {
            text += &lines.recv_timeout(Duration::from_secs(60)).expect("a line comes");
        }
        text
    }

    #[test]
    fn lines_come_until_the_work_ends_and_say_once_how_to_shorten_it() {
        let (sent, lines) = mpsc::channel();
        let told = ToldWork::new(Duration::from_millis(2), "`--x` is shorter", KeptLines(sent));
        let first = next(&lines);
        assert!(first.starts_with("raddle: preparing, for 0 s so far ("), "{first}");
        assert!(first.contains("`--x` is shorter; RADDLE_PROGRESS=off"), "{first}");
        told.note("so far: mps: serve p99 9 ms".to_owned());
        let note = std::iter::repeat_with(|| next(&lines)).find(|line| line.contains("p99"));
        assert_eq!(note.as_deref(), Some("raddle: so far: mps: serve p99 9 ms\n"));
        let bar = ProgressBar::hidden();
        bar.set_length(400);
        bar.set_position(100);
        bar.set_message("recipe 2 of 5: mps");
        told.turn_to(Some((bar, "launches")));
        let later = std::iter::repeat_with(|| next(&lines)).find(|line| line.contains("mps"));
        let later = later.expect("lines go on");
        assert!(later.starts_with("raddle: recipe 2 of 5: mps, 100 of 400 launches"), "{later}");
        assert!(!later.contains("--x"), "once: {later}");
        drop(told);
        while let Ok(line) = lines.recv_timeout(Duration::from_secs(60)) {
            assert!(line.len() < 400, "the last lines on their way");
        }
    }

    #[test]
    fn work_that_ends_sooner_is_silent() {
        let (sent, lines) = mpsc::channel();
        drop(ToldWork::new(Duration::from_secs(600), "", KeptLines(sent)));
        let ended = lines.recv_timeout(Duration::from_secs(60));
        assert_eq!(ended, Err(RecvTimeoutError::Disconnected), "the thread ended without a line");
    }

    #[test]
    fn the_time_left_follows_from_the_pace() {
        let of = |counts: (u64, u64), unit: &str| {
            super::counts("sweeping", counts, unit, Duration::from_secs(30))
        };
        assert_eq!(of((3, 12), "cases"), "sweeping, 3 of 12 cases, about 90 s left");
        assert_eq!(of((1, 12), "cases"), "sweeping, 1 of 12 cases, about 6 min left");
        assert_eq!(of((0, 12), "cases"), "sweeping, 0 of 12 cases, time left unknown");
        assert_eq!(of((7, 0), "rows"), "sweeping, 7 rows so far");
        let bytes = of((150_000_000, 200_000_001), "bytes");
        assert_eq!(bytes, "sweeping, 150 of 201 MB, about 10 s left");
        let early = of((4, 100), "cases");
        assert_eq!(early, "sweeping, 4 of 100 cases, time left unknown");
        let most = of((u64::MAX / 2, u64::MAX), "cases");
        assert!(most.ends_with("about 30 s left"), "no overflow: {most}");
    }
}
