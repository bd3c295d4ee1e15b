//! Which free run takes a wish, and why that one?

use raddle_bitmap::FreeMap;
use raddle_bitmap::circuit::MOST_BLOCKS;

use super::methods::Words;
use super::rows::WIDEST;
use crate::bitmap::{FitWord, MapForm, place};
use crate::explanation::{ExplainedStep, counted, few, step};

/// The runs, then the choice.
pub(super) fn steps(map: &FreeMap, form: MapForm, want: u64, fit: FitWord) -> Vec<ExplainedStep> {
    let mut lines = Vec::new();
    if map.blocks() as usize <= WIDEST {
        lines.push(map.digits(form.polarity).to_string());
    }
    let runs = map.runs().map(|(start, len)| {
        let fits = if u64::from(len) >= want { "long enough" } else { "too short" };
        format!("{} from {start}: {fits}", counted(len, "block", "blocks"))
    });
    lines.extend(few(runs.collect()));
    if map.free_blocks() == 0 {
        lines.push("none".to_owned());
    }
    let title = format!(
        "The free runs of {}, {} = free",
        counted(map.blocks(), "block", "blocks"),
        Words::of(form).free
    );
    vec![step(title, lines), choice(map, want, fit)]
}

fn choice(map: &FreeMap, want: u64, fit: FitWord) -> ExplainedStep {
    let rule = match fit {
        FitWord::First => "First fit: the first run that is long enough",
        FitWord::Best => "Best fit: the shortest run that is long enough",
        FitWord::Worst => "Worst fit: the longest run, if it is long enough",
    };
    let wanted = counted(want, "block", "blocks");
    let mut lines = vec![format!("{rule}; ties go to the lowest start")];
    lines.push(match place(map, want, fit) {
        Some(_) if want == 0 => "Nothing wanted is there always, at 0".to_owned(),
        Some(start) => format!("It starts at {start}: its lowest {wanted} are taken"),
        None => {
            let free = u64::from(map.free_blocks());
            let longest = counted(map.longest(), "block", "blocks");
            let pieces = if free >= want { ", in pieces too small" } else { "" };
            format!("None is: the longest has {longest}, and {} are free in all{pieces}", free)
        }
    });
    step(format!("Where {wanted} lie"), lines)
}

const _: () = assert!(WIDEST <= MOST_BLOCKS as usize, "what is shown can be traced");
