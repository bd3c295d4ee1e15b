//! Which free run takes a wish, and why that one?

use raddle_bitmap::FreeMap;
use raddle_bitmap::circuit::MOST_BLOCKS;

use super::methods::{Words, step};
use super::rows::WIDEST;
use crate::explain::Step;
use crate::golden::bitmap::{Fit, Form, place};
use crate::units::{count, counted};

/// So many runs are listed.
const LISTED: usize = 20;

/// The runs, then the choice.
pub(super) fn steps(map: &FreeMap, form: Form, want: u64, fit: Fit) -> Vec<Step> {
    let mut lines = Vec::new();
    if map.blocks() as usize <= WIDEST {
        lines.push(map.digits(form.polarity).to_string());
    }
    let listed = map.runs().take(LISTED).map(|(start, len)| {
        let fits = if u64::from(len) >= want { "long enough" } else { "too short" };
        format!("{} from {start}: {fits}", counted(len.into(), "block", "blocks"))
    });
    lines.extend(listed);
    let runs = map.runs().count();
    if runs > LISTED {
        lines.push(format!("... and {} more", count((runs - LISTED) as u64)));
    }
    if runs == 0 {
        lines.push("none".to_owned());
    }
    let title = format!(
        "The free runs of {}, {} = free",
        counted(map.blocks().into(), "block", "blocks"),
        Words::of(form).free
    );
    vec![step(title, lines), choice(map, want, fit)]
}

fn choice(map: &FreeMap, want: u64, fit: Fit) -> Step {
    let rule = match fit {
        Fit::First => "First fit: the first run that is long enough",
        Fit::Best => "Best fit: the shortest run that is long enough",
        Fit::Worst => "Worst fit: the longest run, if it is long enough",
    };
    let wanted = counted(want, "block", "blocks");
    let mut lines = vec![format!("{rule}; ties go to the lowest start")];
    lines.push(match place(map, want, fit) {
        Some(_) if want == 0 => "Nothing wanted is there always, at 0".to_owned(),
        Some(start) => format!("It starts at {start}: its lowest {wanted} are taken"),
        None => {
            let free = u64::from(map.free_blocks());
            let longest = counted(map.longest().into(), "block", "blocks");
            let pieces = if free >= want { ", in pieces too small" } else { "" };
            format!(
                "None is: the longest has {longest}, and {} are free in all{pieces}",
                count(free)
            )
        }
    });
    step(format!("Where {wanted} lie"), lines)
}

const _: () = assert!(WIDEST <= MOST_BLOCKS as usize, "what is shown can be traced");
