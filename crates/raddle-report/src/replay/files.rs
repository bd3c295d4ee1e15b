//! Which files were written, and what is in them?

use std::path::Path;

use super::result::ReplayResult;
use super::runs::{DrawnTimeline, LOG, PAGE, SUMMARY};
use crate::document::{Block, Document, Medium};
use crate::units::{count, duration, size};

/// Decision logs that are larger than this together are named with their size.
const LARGE: u64 = 1_000_000;

/// What is said beside the result itself.
#[derive(Debug)]
pub struct Closing<'c> {
    /// Where the files are, if there are any.
    pub folder: Option<&'c Path>,
    /// What to try next, a command a line.
    pub next: Vec<String>,
    /// The most slices of a timeline.
    pub most_slices: u32,
    /// The columns of the terminal, where they are known.
    pub columns: Option<usize>,
    /// Whether the terminal shows everything.
    pub verbose: bool,
}

impl DrawnTimeline {
    /// In what it is coarser than it could be, of at most so many slices.
    fn coarse(&self, most: &str) -> Vec<String> {
        let grain = match self.grain {
            "cu" => Some(format!(
                "one slice for as long as a launch is on a compute unit, because there are more than {most} by workgroup slot (--timeline-slices)"
            )),
            "launch" if self.cut_ns.is_none() => Some(format!(
                "launches on their streams only, because there are more than {most} slices even by compute unit (--timeline-slices)"
            )),
            _ => None,
        };
        let cut = self.cut_ns.map(|at| {
            format!("launches up to {} only, because there are more than {most} launches (--timeline-slices)", duration(at))
        });
        let counters = (self.counter_step_ns > 1).then(|| format!("counters show the highest value of each span of summary.json's counter-step-ns, because they change more than {most} times"));
        let off = self.off_times_left_out.then(|| format!("the times at which launches were off the device are not drawn, because there are more than {most}"));
        [grain, cut, counters, off].into_iter().flatten().collect()
    }
}

/// In what timelines are coarser than they could be: a line a kind, with the recipes concerned.
fn coarse(drawn: &[(&str, &DrawnTimeline)], most: u32) -> Vec<String> {
    let most = count(most.into());
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, drawn) in drawn {
        for what in drawn.coarse(&most) {
            match lines.iter_mut().find(|(line, _)| *line == what) {
                Some((_, names)) => names.push(name),
                None => lines.push((what, vec![name])),
            }
        }
    }
    lines.into_iter().map(|(what, names)| format!("{}: {what}", names.join(", "))).collect()
}

pub(super) fn fill(document: &mut Document, result: &ReplayResult, closing: &Closing<'_>) {
    document.section("files", "Files");
    let recipes = result.recipes.iter();
    let logs: Vec<String> = recipes.clone().filter_map(|recipe| recipe.log.clone()).collect();
    let drawn = recipes.clone().flat_map(|of| {
        let both = of.timeline.iter().chain(&of.slowest_timeline);
        both.map(|drawn| (&*of.name, drawn))
    });
    let drawn: Vec<(&str, &DrawnTimeline)> = drawn.collect();
    let timelines: Vec<String> = drawn.iter().map(|(_, drawn)| drawn.file.clone()).collect();
    if let Some(folder) = closing.folder {
        let bytes = recipes.filter_map(|recipe| recipe.log_bytes).fold(0, u64::saturating_add);
        let mut each = String::new();
        if !timelines.is_empty() {
            each = format!(", {} (for ui.perfetto.dev)", timelines.join(", "));
        }
        match bytes {
            _ if logs.is_empty() => {}
            0..LARGE => each += &format!(", and for each recipe {LOG}"),
            _ => {
                let size = size(bytes);
                each += &format!(
                    ", and for each recipe {LOG} ({size} in all; `--log none` writes none)"
                );
            }
        }
        let text = format!("{}: {PAGE}, {SUMMARY}{each}", folder.display());
        document.add_on(Medium::Terminal, Block::Paragraph { label: "Files".to_owned(), text });
    }
    for (text, paths) in [
        (
            "Everything above as one JSON document, for other programs and for `raddle compare`:",
            vec![SUMMARY.to_owned()],
        ),
        (
            "Every event and every answer of a run, one JSON line each. `raddle replay --events FILE` feeds the events again and must get the same answers:",
            logs,
        ),
        (
            "When which launch ran where. To look at one, open `ui.perfetto.dev` in a browser and drag the file onto the page; the file stays on your machine:",
            timelines,
        ),
    ] {
        if !paths.is_empty() {
            document.page(Block::Files { text: text.to_owned(), paths });
        }
    }
    document.list("Timelines drawn coarser", coarse(&drawn, closing.most_slices));
}
