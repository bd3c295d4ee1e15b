//! Which timelines are drawn, and what do results say of them?

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use raddle_report::replay::{DrawnTimeline, PERFETTO};
use raddle_report::timeline::{Recorder, Timeline, TimelineNames, write_perfetto};
use raddle_sim::{Outcome, Workload};

use crate::args::{RunArgs, TimelineFormat};
use crate::error::CliError;
use crate::progress::Progress;

/// The most slices on compute units where nobody says otherwise.
const MOST: u32 = 500_000;

/// What is drawn of each recipe.
#[derive(Debug)]
pub(crate) struct Wanted {
    most: usize,
    /// From when to when, where not all of a run.
    window: Option<(u64, u64)>,
    names: TimelineNames,
}

impl Wanted {
    /// What the command line asks for; `None`: nothing.
    pub(crate) fn of(run: &RunArgs, names: TimelineNames) -> Option<Self> {
        let none = run.no_files || run.timeline == Some(TimelineFormat::None);
        (!none).then(|| Self { most: most(run) as usize, window: run.timeline_window, names })
    }

    /// What looks on while a run goes.
    pub(crate) fn recorder(&self, cus: u16, workload: &Workload) -> Recorder {
        let recorder = Recorder::new(cus, workload.processes.len(), self.most);
        match self.window {
            Some((from, to)) => recorder.window(from, to),
            None => recorder,
        }
    }

    /// Writes what was recorded into the folder of recipe `name`.
    pub(crate) fn write(
        &self,
        recorder: Recorder,
        workload: &Workload,
        outcome: &Outcome,
        (folder, name): (&Path, &str),
        progress: &Progress,
    ) -> Result<DrawnTimeline, CliError> {
        let timeline = recorder.finish(workload, outcome, &self.names);
        let file = format!("{name}/{PERFETTO}");
        write(&timeline, &folder.join(name), progress).map_err(CliError::writing(&file))?;
        Ok(DrawnTimeline::new(file, &timeline))
    }
}

/// The most slices of a timeline.
pub(crate) fn most(run: &RunArgs) -> u32 {
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
