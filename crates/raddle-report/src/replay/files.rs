//! Which files were written, and what do they contain?

use std::path::Path;

use raddle_study::result::{DrawnTimeline, LOG, PAGE, ReplayResult, SUMMARY};
use raddle_study::units::{duration, plain, size};

use crate::document::{Block, Document, Medium};

/// Size of all decision logs together, in bytes, from which on the document shows it.
const LARGE: u64 = 1_000_000;

/// Sentence for a reader who has the HTML page without the files in its folder, as when it was sent
/// by mail.
const BESIDE: &str = "These files lie in the folder of this page. A page that was mailed alone left them behind, so that its links to them lead nowhere: ask its sender for the folder.";

/// Text of a link that downloads a file.
const DOWNLOAD: &str = "download";

/// Largest number of characters that the list of files shows of the name of a file.
const FILE: usize = 160;

/// Facts about the output that the document shows in addition to the result itself.
#[derive(Debug)]
pub struct Closing<'c> {
    /// Folder with the files of the result; `None` where none were written.
    pub folder: Option<&'c Path>,
    /// Commands that the user may run next, one line each.
    pub next: Vec<String>,
    /// Number of characters in a line of the terminal; `None` where it is not known.
    pub columns: Option<usize>,
    /// True if the terminal shows everything (`-v`), not only the brief answer.
    pub verbose: bool,
}

/// Writes in one line what a timeline leaves out or draws coarsely; `None` where it shows
/// everything.
fn coarse(drawn: &DrawnTimeline) -> Option<String> {
    let units = match drawn.grain {
        "cu" => Some("compute units by launch, not by workgroup".to_owned()),
        "launch" => Some("no compute units".to_owned()),
        _ => None,
    };
    let cut = drawn.cut_ns.map(|at| format!("launches up to {} only", duration(at)));
    let step = drawn.counter_step_ns;
    let counters =
        (step > 1).then(|| format!("counters by their highest value in {}", duration(step)));
    let off = drawn.off_times_left_out.then(|| "no times off the device".to_owned());
    let all: Vec<String> = [units, cut, counters, off].into_iter().flatten().collect();
    (!all.is_empty()).then(|| format!("{}: {}", plain(&drawn.file, FILE), all.join("; ")))
}

pub(super) fn fill(document: &mut Document, result: &ReplayResult, closing: &Closing<'_>) {
    document.section("files", "Files");
    let recipes = result.recipes.iter();
    let logs: Vec<String> = recipes.clone().filter_map(|recipe| recipe.log.clone()).collect();
    let drawn = recipes.clone().flat_map(|of| of.timeline.iter().chain(&of.slowest_timeline));
    let timelines: Vec<String> = drawn.clone().map(|drawn| drawn.file.clone()).collect();
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
    document.page(Block::Note(BESIDE.to_owned()));
    for (text, paths, how) in [
        (
            "Everything above as one JSON document, for other programs and for `raddle compare`:",
            vec![SUMMARY.to_owned()],
            DOWNLOAD,
        ),
        (
            "Every event and every answer of a run, one JSON line each. `raddle replay --events FILE` feeds the events again and must get the same answers:",
            logs,
            DOWNLOAD,
        ),
        (
            "When which launch ran where. Drag a file onto the page of `ui.perfetto.dev`; it stays on your machine:",
            timelines,
            "download, open in ui.perfetto.dev",
        ),
    ] {
        if !paths.is_empty() {
            document.page(Block::Files { text: text.to_owned(), paths, how });
        }
    }
    let label = "Timelines drawn coarser, for no more slices than wanted (--timeline-slices)";
    document.list(label, drawn.filter_map(coarse).collect());
}
