//! Which free run is taken for a requested number of blocks, and why that one?

use raddle_bitmap::FreeMap;
use raddle_bitmap::circuit::{MOST_BLOCKS, Setup};

use super::methods::ExplainWords;
use super::rows::WIDEST;
use crate::bitmap::FitWord;
use crate::explanation::{Story, counted};

/// Explains where a request of `want` blocks is placed: adds to the explanation the free runs of
/// `map`, and the start that the rule `fit` chooses among them. `start` is `None` where no run is
/// long enough; `after` is the block from which next fit searches.
pub(in crate::bitmap) fn tell(
    (map, form): (&FreeMap, Setup),
    (want, fit, after): (u64, FitWord, u64),
    start: Option<u32>,
    story: &mut Story,
) {
    let blocks = |n: u64| counted(n, "block", "blocks");
    let free = ExplainWords::of(form).free;
    story.step(format!("The free runs of {}, {free} = free", blocks(map.blocks().into())));
    if map.blocks() as usize <= WIDEST {
        story.note(map.digits(form.polarity).to_string());
    }
    for (start, len) in map.runs() {
        let fits = if u64::from(len) >= want { "long enough" } else { "too short" };
        story.line(format!("{} from {start}: {fits}", blocks(len.into())));
    }
    if map.free_blocks() == 0 {
        story.note("none");
    }
    let wanted = blocks(want);
    story.step(format!("Where {wanted} lie"));
    let ties = "; ties go to the lowest start";
    story.note(match fit {
        FitWord::First => format!("First fit: the first run that is long enough{ties}"),
        FitWord::Best => format!("Best fit: the shortest run that is long enough{ties}"),
        FitWord::Worst => format!("Worst fit: the longest run, if it is long enough{ties}"),
        FitWord::Next => {
            format!("Next fit: the first start from {after} on, else the first of all")
        }
    });
    story.note(match start {
        Some(_) if want == 0 => "Nothing wanted is there always, at 0".to_owned(),
        Some(start) if matches!(fit, FitWord::Next) => {
            format!("The start is {start}: {wanted} from there are taken")
        }
        Some(start) => format!("It starts at {start}: its lowest {wanted} are taken"),
        None => {
            let (free, longest) = (u64::from(map.free_blocks()), blocks(map.longest().into()));
            let pieces = if free >= want { ", in pieces too small" } else { "" };
            format!("None is: the longest has {longest}, and {free} are free in all{pieces}")
        }
    });
}

const _: () = assert!(WIDEST <= MOST_BLOCKS as usize, "what is shown can be traced");
