//! Which timelines are drawn, and what do results say of them?

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use raddle_report::timeline::{Grain, Recorder, Timeline, TimelineNames, write_perfetto};
use raddle_sim::{Outcome, Workload};
use serde::Serialize;

use crate::args::{RunArgs, TimelineFormat};
use crate::error::CliError;
use crate::progress::Progress;
use crate::units::count;

/// The name of a timeline in the folder of its recipe, for ui.perfetto.dev.
pub(crate) const PERFETTO: &str = "timeline.perfetto-trace";
/// The most slices on compute units where nobody says otherwise.
const MOST: u32 = 500_000;

/// What is drawn of each recipe.
#[derive(Debug)]
pub(crate) struct Wanted {
    most: usize,
    names: TimelineNames,
}

/// What is told of a timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Drawn {
    /// Its files, within the folder of results.
    pub(crate) files: Vec<String>,
    /// How finely compute units are drawn: by `slot`, by `cu`, not at all (`launch`), or only
    /// when each `stream` had work.
    pub(crate) grain: &'static str,
    /// How many slices it has, those of launches and streams included.
    pub(crate) slices: u64,
    /// A sample of a counter is the highest value in so many nanoseconds.
    pub(crate) counter_step_ns: u64,
    /// Whether the times at which launches were off the device were too many to be drawn.
    pub(crate) off_times_left_out: bool,
}

impl Wanted {
    /// What the command line asks for; `None`: nothing.
    pub(crate) fn of(run: &RunArgs, names: TimelineNames) -> Option<Self> {
        let none = run.no_files || run.timeline == Some(TimelineFormat::None);
        (!none).then(|| Self { most: most(run) as usize, names })
    }

    /// What looks on while a run goes.
    pub(crate) fn recorder(&self, cus: u16, workload: &Workload) -> Recorder {
        Recorder::new(cus, workload.processes.len(), self.most)
    }

    /// Writes what was recorded into the folder of recipe `name`.
    pub(crate) fn write(
        &self,
        recorder: Recorder,
        workload: &Workload,
        outcome: &Outcome,
        (folder, name): (&Path, &str),
        progress: &Progress,
    ) -> Result<Drawn, CliError> {
        let timeline = recorder.finish(workload, outcome, &self.names);
        let file = format!("{name}/{PERFETTO}");
        write(&timeline, &folder.join(name), progress).map_err(CliError::writing(&file))?;
        Ok(Drawn {
            files: vec![file],
            grain: timeline.grain.name(),
            slices: timeline.drawn(),
            counter_step_ns: timeline.counter_step_ns,
            off_times_left_out: timeline.aways_left_out,
        })
    }
}

fn most(run: &RunArgs) -> u32 {
    run.timeline_slices.unwrap_or(MOST)
}

fn write(timeline: &Timeline, folder: &Path, progress: &Progress) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let to = BufWriter::with_capacity(1 << 16, File::create(folder.join(PERFETTO))?);
    let mut told = 0;
    let mut watch = |done: u64, of: u64| {
        if done == 0 {
            progress.more(of);
        }
        progress.add(done.saturating_sub(told));
        told = done;
    };
    write_perfetto(timeline, to, &mut watch)
}

/// What a reader should know of timelines that are coarser than could be: one line a kind, with the
/// recipes that it concerns.
pub(crate) fn coarse<'d>(
    run: &RunArgs,
    drawn: impl Iterator<Item = (&'d str, &'d Drawn)> + Clone,
) -> Vec<String> {
    let of = |is: &dyn Fn(&Drawn) -> bool| {
        let names: Vec<&str> =
            drawn.clone().filter(|(_, drawn)| is(drawn)).map(|(name, _)| name).collect();
        names.join(", ")
    };
    let most = count(u64::from(most(run)));
    let cu = format!(
        "one slice for as long as a launch is on a compute unit, because there are more than \
         {most} by workgroup slot"
    );
    let launch = format!(
        "launches on their streams only, because there are more than {most} slices even by \
         compute unit"
    );
    let stream =
        format!("only when each stream had work, because there are more than {most} launches");
    let mut lines = Vec::new();
    for (grain, what) in [(Grain::Cu, cu), (Grain::Launch, launch), (Grain::Stream, stream)] {
        let names = of(&|drawn| drawn.grain == grain.name());
        if !names.is_empty() {
            lines.push(format!("{names}: {what} (--timeline-slices)"));
        }
    }
    let names = of(&|drawn| drawn.counter_step_ns > 1);
    if !names.is_empty() {
        lines.push(format!(
            "{names}: counters show the highest value of each span of summary.json's \
             counter-step-ns, because they change more than {most} times"
        ));
    }
    let names = of(&|drawn| drawn.off_times_left_out);
    if !names.is_empty() {
        lines.push(format!(
            "{names}: the times at which launches were off the device are not drawn, because there \
             are more than {most}"
        ));
    }
    lines
}
