//! How is progress shown?
//!
//! Progress is shown on the error stream: on a terminal by a line that is drawn again and again,
//! after a second; elsewhere by a plain line every ten seconds.

mod lines;

use std::fs::File;
use std::io::{self, BufRead, IsTerminal, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use raddle_study::Watcher;

use crate::units::plain;
use lines::{EVERY, SILENCE, ToldWork};

/// Time for which work must have lasted before a line of progress is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Largest number of recipes whose first figures are shown above the progress line; `ROW` is the
/// largest number of characters of a recipe's name there, and of its figures. A plain line has room
/// for `LINE` characters of figures.
const ROWS: usize = 12;
const ROW: usize = 60;
const LINE: usize = 400;

/// Returns whether the user has switched progress messages off (`RADDLE_PROGRESS=off`).
pub(crate) fn is_silenced() -> bool {
    std::env::var_os(SILENCE).is_some_and(|value| value == "off")
}

/// Starts to write plain lines of progress to the error stream. Returns `None` unless `shown`; also
/// on a terminal, where a progress bar is drawn instead.
fn told(shown: bool, shorter: &'static str) -> Option<ToldWork> {
    let plainly = shown && !io::stderr().is_terminal();
    plainly.then(|| ToldWork::new(EVERY, shorter, io::stderr()))
}

/// Progress of some work: a line that is redrawn on a terminal, or plain lines elsewhere; a silent
/// one shows nothing.
#[derive(Clone, Debug)]
pub(crate) struct ProgressLine {
    bar: Option<ProgressBar>,
    told: Option<Arc<ToldWork>>,
}

impl ProgressLine {
    /// Makes a progress line that counts up to `total`; it is silent unless `shown`. `template` is
    /// the form of the line, and `what` the word in it for the work.
    pub(crate) fn new(shown: bool, what: &'static str, template: &str, total: u64) -> Self {
        let bar = shown.then(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
            if let Ok(style) = ProgressStyle::with_template(template) {
                let rate = |state: &ProgressState, text: &mut dyn std::fmt::Write| {
                    // A rate that cannot be written is left out.
                    let _ = write!(text, "{:.0}/s", state.per_sec());
                };
                bar.set_style(style.with_key("rate", rate));
            }
            bar.set_message(what);
            bar
        });
        Self { bar, told: None }
    }

    /// Shows the progress by plain lines where the error stream is no terminal: `unit` names what
    /// is counted, and `shorter` tells the user how to make the work shorter.
    fn telling(self, unit: &'static str, shorter: &'static str) -> Self {
        let told = told(self.bar.is_some(), shorter).map(Arc::new);
        if let (Some(told), Some(bar)) = (&told, &self.bar) {
            told.turn_to(Some((bar.clone(), unit)));
        }
        Self { told, ..self }
    }

    /// Makes a progress line that counts the rows of a database, which are read after the bytes of
    /// its file.
    pub(crate) fn rows(shown: bool) -> Self {
        let template = "{msg} {wide_bar} {human_pos}/{human_len} rows, {rate}, {eta} left";
        Self::new(shown, "reading", template, 0).telling("rows", "")
    }

    /// Makes a progress line that counts the launches of simulations, up to `total`.
    pub(crate) fn runs(shown: bool, total: u64) -> Self {
        let template =
            "{prefix}{msg} {wide_bar} {human_pos}/{human_len} launches, {rate}, {eta} left";
        Self::new(shown, "replaying", template, total)
    }

    /// Makes a progress line that counts the cases of a sweep, up to `total`; `shorter` tells the
    /// user how to make the sweep shorter.
    pub(crate) fn cases(shown: bool, total: u64, shorter: &'static str) -> Self {
        Self::some_cases(shown, "sweeping", total).telling("cases", shorter)
    }

    fn some_cases(shown: bool, what: &'static str, total: u64) -> Self {
        let template = "{msg} {wide_bar} {human_pos}/{human_len} cases, {rate}, {eta} left";
        Self::new(shown, what, template, total)
    }

    /// Makes a progress line that counts the bytes of a text whose length is unknown.
    pub(crate) fn text(shown: bool) -> Self {
        let line = Self::new(shown, "reading", "{msg} {bytes} {spinner}, {bytes_per_sec}", 0);
        line.telling("bytes", "")
    }

    /// Makes a progress line that counts the bytes of a file, up to `total`.
    pub(crate) fn bytes(shown: bool, total: u64) -> Self {
        let template = "{msg} {wide_bar} {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left";
        Self::new(shown, "reading", template, total).telling("bytes", "")
    }

    /// Changes the word in the progress line that names the work.
    pub(crate) fn say(&self, what: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(plain(&what, 200));
        }
    }

    /// Shows `rows`, lines with the figures of recipes, above the progress line in the terminal.
    fn above(&self, rows: &str) {
        if let Some(bar) = &self.bar {
            bar.set_prefix(rows.to_owned());
        }
    }

    /// Adds `n` to the count that the progress line in the terminal shows.
    pub(crate) fn add(&self, n: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(n);
            self.draw(bar);
        }
    }

    /// Sets the count `done` and the total `of` that the progress line in the terminal shows.
    pub(crate) fn at(&self, done: u64, of: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(of);
            bar.set_position(done);
            self.draw(bar);
        }
    }

    /// Removes the progress line from the terminal, as the work is done.
    pub(crate) fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Returns a reader of a file that shows on this progress line how much of the file has been
    /// read.
    pub(crate) fn reading(self, file: File) -> ProgressReader {
        ProgressReader { file, progress: self }
    }

    /// Begins to draw the progress line on the terminal, once the work has lasted for [`PATIENCE`].
    fn draw(&self, bar: &ProgressBar) {
        if self.told.is_none() && bar.is_hidden() && bar.elapsed() > PATIENCE {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

/// Watcher of a study that shows how many launches of its simulations, or how many of its cases,
/// are done.
#[derive(Debug)]
pub(crate) struct RunsShown {
    shown: bool,
    bar: Mutex<Option<ProgressLine>>,
    /// Warnings of the study, which are shown above the recipes' first figures.
    warned: Mutex<Vec<String>>,
    /// First figures of the recipes that were simulated latest, as (recipe, figures).
    found: Mutex<Vec<(String, String)>>,
    /// Plain lines of progress, which begin before the first simulation, since preparing a study
    /// may take long too.
    told: Option<Arc<ToldWork>>,
}

impl RunsShown {
    /// Makes a watcher that shows nothing unless `shown`; `shorter` tells the user how to make the
    /// study shorter.
    pub(crate) fn new(shown: bool, shorter: &'static str) -> Self {
        Self {
            shown,
            bar: Mutex::new(None),
            warned: Mutex::default(),
            found: Mutex::default(),
            told: told(shown, shorter).map(Arc::new),
        }
    }

    fn begin_with(&self, line: ProgressLine, unit: &'static str) {
        if let (Some(told), Some(bar)) = (&self.told, &line.bar) {
            told.turn_to(Some((bar.clone(), unit)));
        }
        let line = ProgressLine { told: self.told.clone(), ..line };
        *self.bar.lock().unwrap_or_else(PoisonError::into_inner) = Some(line);
    }

    /// Clears the warnings and first figures that progress shows, as the whole answer is now known.
    pub(crate) fn answered(&self) {
        self.warned.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Returns a text with one line for each warning, and for each recipe whose figures are known so
    /// far.
    fn table(&self) -> String {
        let warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        let warned: String = warned.iter().map(|text| format!("! {text}\n")).collect();
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let width = found.iter().map(|(recipe, _)| recipe.len()).max().unwrap_or(0);
        let rows =
            found.iter().map(|(recipe, figures)| format!("so far  {recipe:<width$}  {figures}\n"));
        warned + &rows.collect::<String>()
    }

    fn with(&self, tell: impl Fn(&ProgressLine)) {
        if self.shown {
            self.bar.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(tell);
        }
    }
}

impl Watcher for RunsShown {
    fn begin(&self, launches: u64) {
        let line = ProgressLine::runs(self.shown, launches);
        line.above(&self.table());
        self.begin_with(line, "launches");
    }

    fn begin_more(&self, launches: u64) {
        self.with(|line| line.bar.iter().for_each(|bar| bar.inc_length(launches)));
    }

    fn begin_cases(&self, cases: u64) {
        self.begin_with(ProgressLine::some_cases(self.shown, "searching", cases), "cases");
    }

    fn say(&self, what: &str) {
        self.with(|bar| bar.say(what.to_owned()));
    }

    fn warn(&self, what: &str) {
        if !self.shown {
            return;
        }
        if let Some(told) = &self.told {
            told.note(format!("! {what}"));
        }
        self.warned.lock().unwrap_or_else(PoisonError::into_inner).push(what.to_owned());
    }

    fn found(&self, recipe: &str, figures: &dyn Fn() -> String) {
        if !self.shown {
            return;
        }
        let figures = figures();
        let row = (plain(recipe, ROW), plain(&figures, ROW));
        if let Some(told) = &self.told {
            let figures = plain(&figures, LINE);
            told.note(format!("so far, without intervals: {}: {figures}", row.0));
        }
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.retain(|(known, _)| *known != row.0);
        found.push(row);
        let gone = found.len().saturating_sub(ROWS);
        found.drain(..gone);
        drop(found);
        let table = self.table();
        self.with(|line| line.above(&table));
    }

    fn add(&self, launches: u64) {
        self.with(|bar| bar.add(launches));
    }

    fn done(&self) {
        self.with(ProgressLine::done);
        if let Some(told) = &self.told {
            told.turn_to(None);
        }
    }
}

/// A reader of a file that shows how much of it has been read; see [`ProgressLine::reading`].
#[derive(Debug)]
pub(crate) struct ProgressReader {
    file: File,
    progress: ProgressLine,
}

impl Read for ProgressReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.file.read(buffer)?;
        self.progress.add(n as u64);
        if n == 0 {
            self.progress.done();
        }
        Ok(n)
    }
}

impl Drop for ProgressReader {
    fn drop(&mut self) {
        self.progress.done();
    }
}

/// A reader of a text that shows how much of it has been consumed, not how much of its file has
/// been read: a short compressed file may hold a long text.
#[derive(Debug)]
pub(crate) struct ProgressText<R> {
    text: R,
    progress: ProgressLine,
}

impl<R: BufRead> ProgressText<R> {
    /// Makes a reader of a text that shows on this progress line how much of the text has been
    /// consumed.
    pub(crate) const fn new(text: R, progress: ProgressLine) -> Self {
        Self { text, progress }
    }
}

impl<R: BufRead> Read for ProgressText<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.text.read(buffer)?;
        self.progress.add(n as u64);
        Ok(n)
    }
}

impl<R: BufRead> BufRead for ProgressText<R> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        self.text.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.text.consume(amount);
        self.progress.add(amount as u64);
    }
}

impl<R> Drop for ProgressText<R> {
    fn drop(&mut self) {
        self.progress.done();
    }
}

#[cfg(test)]
impl<R> ProgressText<R> {
    /// Returns (number of bytes read so far, their total or `None` if unknown); `None` if the
    /// progress line is silent.
    pub(crate) fn told(&self) -> Option<(u64, Option<u64>)> {
        self.progress.bar.as_ref().map(|bar| (bar.position(), bar.length()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, Write};

    use super::*;

    fn at(progress: &ProgressLine) -> (u64, Option<u64>) {
        let bar = progress.bar.as_ref().expect("it counts");
        (bar.position(), bar.length())
    }

    #[test]
    fn warnings_stand_above_the_figures_until_the_answer() {
        let told = |shown| {
            let runs = RunsShown::new(shown, "");
            runs.warn("serve: too many requests");
            runs.found("mps", &|| "serve p99 3 ms".to_owned());
            runs
        };
        let runs = told(true);
        let rows = "! serve: too many requests\nso far  mps  serve p99 3 ms\n";
        assert_eq!(runs.table(), rows);
        runs.answered();
        assert_eq!(runs.table(), "");
        assert_eq!(told(false).table(), "");
    }

    #[test]
    fn what_is_not_shown_counts_nothing() {
        let silent = ProgressLine::runs(false, 10);
        silent.add(3);
        silent.at(5, 9);
        assert!(silent.bar.is_none());
    }

    #[test]
    fn counts_and_totals_grow_as_they_are_told() {
        let rows = ProgressLine::rows(true);
        rows.at(100, 250);
        assert_eq!(at(&rows), (100, Some(250)));
        let runs = ProgressLine::runs(true, 10);
        runs.add(3);
        runs.add(2);
        assert_eq!(at(&runs), (5, Some(10)));
    }

    #[test]
    fn a_file_counts_what_is_read_of_it() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[b'x'; 1000]).unwrap();
        file.rewind().unwrap();
        let mut reading = ProgressLine::bytes(true, 1000).reading(file);
        for read in [300, 600] {
            reading.read_exact(&mut [0; 300]).unwrap();
            assert_eq!(at(&reading.progress), (read, Some(1000)));
        }
        let bar = reading.progress.bar.clone().unwrap();
        assert!(!bar.is_finished());
        drop(reading);
        assert!(bar.is_finished(), "whoever stops reading takes the line away");
    }

    #[test]
    fn recipes_with_figures_are_a_table_that_fills() {
        let shown = RunsShown::new(true, "");
        shown.begin(100);
        let tell = |recipe: &str, figures: &'static str| shown.found(recipe, &|| figures.into());
        tell("mps", "serve p99 9 ms");
        tell("time-slice", "serve p99 7 ms");
        tell("mps", "serve p99 8 ms\u{1b}[2J");
        let table = shown.table();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "so far  time-slice  serve p99 7 ms");
        assert!(lines[1].starts_with("so far  mps         serve p99 8 ms"), "{table}");
        assert!(lines.len() == 2 && !table.contains('\u{1b}'), "{table:?}");
        let prefix = shown.bar.lock().unwrap().as_ref().and_then(|line| line.bar.clone());
        assert_eq!(prefix.map(|bar| bar.prefix()), Some(table));
        (0..40).for_each(|at| tell(&at.to_string(), "serve p99 7 ms"));
        assert_eq!(shown.table().lines().count(), ROWS);
        let silent = RunsShown::new(false, "");
        silent.found("mps", &|| unreachable!("nobody looks at it"));
    }

    #[test]
    fn nothing_is_shown_before_a_second() {
        let rows = ProgressLine::rows(true);
        rows.at(1, 2);
        assert!(rows.bar.as_ref().is_some_and(ProgressBar::is_hidden));
    }
}
