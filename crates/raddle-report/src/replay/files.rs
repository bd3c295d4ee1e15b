//! How are the files of a result called, and what do results say of a timeline?

use serde::Serialize;

use crate::timeline::Grain;
use crate::units::count;

/// The result as a whole.
pub const SUMMARY: &str = "summary.json";
/// The page.
pub const PAGE: &str = "report.html";
/// A decision log, in the folder of its recipe.
pub const LOG: &str = "decisions.jsonl";
/// A timeline, in the folder of its recipe.
pub const PERFETTO: &str = "timeline.perfetto-trace";

/// What results say of a timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DrawnTimeline {
    /// Its files, within the folder of results.
    pub files: Vec<String>,
    /// The name of its [`Grain`].
    pub grain: &'static str,
    /// Its slices, those of launches and streams included.
    pub slices: u64,
    /// A sample of a counter is the highest value in so many nanoseconds.
    pub counter_step_ns: u64,
    /// Whether the times at which launches were off the device were too many to be drawn.
    pub off_times_left_out: bool,
}

/// In what timelines are coarser than they could be: a line a kind, with the recipes concerned.
pub(super) fn coarse(drawn: &[(&str, &DrawnTimeline)], most: u32) -> Vec<String> {
    let most = count(most.into());
    let grain = |grain: Grain| move |drawn: &DrawnTimeline| drawn.grain == grain.name();
    let (cu, launch, stream) = (grain(Grain::Cu), grain(Grain::Launch), grain(Grain::Stream));
    type Condition<'a> = &'a dyn Fn(&DrawnTimeline) -> bool;
    let kinds: [(Condition<'_>, String); 5] = [
        (
            &cu,
            format!(
                "one slice for as long as a launch is on a compute unit, because there are more than {most} by workgroup slot (--timeline-slices)"
            ),
        ),
        (
            &launch,
            format!(
                "launches on their streams only, because there are more than {most} slices even by compute unit (--timeline-slices)"
            ),
        ),
        (
            &stream,
            format!(
                "only when each stream had work, because there are more than {most} launches (--timeline-slices)"
            ),
        ),
        (
            &|drawn| drawn.counter_step_ns > 1,
            format!(
                "counters show the highest value of each span of summary.json's counter-step-ns, because they change more than {most} times"
            ),
        ),
        (
            &|drawn| drawn.off_times_left_out,
            format!(
                "the times at which launches were off the device are not drawn, because there are more than {most}"
            ),
        ),
    ];
    let line = |(is, what): (&dyn Fn(&DrawnTimeline) -> bool, String)| {
        let names = drawn.iter().filter(|(_, drawn)| is(drawn)).map(|(name, _)| *name);
        let names: Vec<&str> = names.collect();
        (!names.is_empty()).then(|| format!("{}: {what}", names.join(", ")))
    };
    kinds.into_iter().filter_map(line).collect()
}
