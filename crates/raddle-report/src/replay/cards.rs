//! Which three cards does the HTML page have at its top: where is the GPU idle and why, what limits
//! occupancy, and what did the slowest requests wait for?

use raddle_sim::{DeviceTime, RequestSummary, SlowRequest};
use raddle_study::VendorWords;
use raddle_study::answer::{JudgedProcess, PolicyFigures};
use raddle_study::inspect::{LaunchLimits, NamedKernel, by_kernel, one_more};
use raddle_study::result::{RecipeResult, Replay, ReplayResult};
use raddle_study::units::{duration, percent, plain};

use super::{NAME, spent};
use crate::document::{BarPart, Block, ChartBar};

/// Largest number of kernels for which the card on occupancy says what would let one more workgroup
/// fit on a compute unit.
const KERNELS: usize = 2;
/// Smallest fraction of the time, or of the idle time, that a sentence mentions: a tenth.
const MUCH: f64 = 0.1;
/// Largest number of characters that a card at the top of the page shows of the name of a kernel.
const KERNEL: usize = 40;

/// Returns the result under the baseline (the way of sharing with which the others are compared),
/// and that under the recommended way of sharing where it is another one.
pub(super) fn compared(result: &ReplayResult) -> Vec<&RecipeResult> {
    result.compared().into_iter().filter_map(|at| result.recipes.get(at)).collect()
}

/// Makes the blocks of the three cards at the top of the HTML page, which explain the answer: idle
/// time, occupancy, and waiting requests.
pub(super) fn cards(result: &ReplayResult, replay: &Replay<'_>) -> Vec<Vec<Block>> {
    vec![idle(result), occupancy(replay), waited(result)]
}

/// Returns the parts into which a replay divides the time of the device, each as (index of the
/// colour in the legend, name, ns).
fn parts(time: &DeviceTime) -> [(usize, &'static str, u64); 8] {
    [
        (0, "over 3/4 full", time.above_ns),
        (5, "1/4 to 3/4 full", time.to_three_quarters_ns),
        // A copy inside the device takes no part of its wave slots.
        (7, "under 1/4 full", time.under_quarter_ns.saturating_add(time.copying_inside_ns)),
        (6, "idle: host", time.idle_host_ns),
        (4, "idle: copies", time.idle_copies_ns),
        (2, "idle: dependency", time.idle_dependency_ns),
        (1, "idle: turn", time.idle_turn_ns),
        (3, "idle: room", time.idle_room_ns),
    ]
}

fn share(ns: u64, of: u64) -> f64 {
    ns as f64 / of.max(1) as f64
}

fn part(look: usize, share: f64) -> BarPart {
    BarPart { look, share, text: percent(share) }
}

fn idle(result: &ReplayResult) -> Vec<Block> {
    let compared = compared(result);
    let times: Vec<&DeviceTime> = compared.iter().map(|of| &of.summary.device_time).collect();
    let shown = |at: usize| times.iter().any(|time| parts(time)[at].2 > 0);
    let all = parts(&DeviceTime::default());
    let names = (0..all.len()).filter(|&at| shown(at)).map(|at| (all[at].0, all[at].1));
    let bars = compared.iter().zip(&times).map(|(of, time)| ChartBar {
        name: of.name.clone(),
        note: format!("idle {}", percent(time.idle())),
        parts: parts(time).map(|(look, _, ns)| part(look, share(ns, time.window_ns))).to_vec(),
    });
    let mut card = vec![
        Block::Heading("Where is the GPU idle, and why?".to_owned()),
        Block::Bars { title: String::new(), names: names.collect(), bars: bars.collect() },
    ];
    if let Some(text) = idle_words(result, false) {
        card.push(Block::Note(format!("{}.", text.replacen('u', "U", 1))));
    }
    card
}

/// Says for which fraction of the time the device was idle, or nearly empty, and why: under the
/// recommended recipe (way of sharing the device), or else the baseline. With `brief`, only the
/// largest cause is named. `None` if there is no result.
pub(super) fn idle_words(result: &ReplayResult, brief: bool) -> Option<String> {
    let of = *compared(result).last()?;
    let time = &of.summary.device_time;
    let part = |ns: u64| percent(share(ns, time.window_ns));
    let assumed = result.answer.issue_unknown().is_some();
    let is_told = |_: &String| share(time.idle_host_ns, time.window_ns) >= MUCH;
    let host = match (assumed, recorded_otherwise(&result.answer).filter(is_told)) {
        (true, _) => "of gaps, which are assumed".to_owned(),
        (_, Some(recorded)) => format!("no host issued work{recorded}"),
        _ => "no host issued work".to_owned(),
    };
    let causes = [
        (time.idle_host_ns, &*host),
        (time.idle_copies_ns, "work waited for a copy"),
        (time.idle_dependency_ns, "issued work waited"),
        (time.idle_turn_ns, "the policy held work back"),
        (time.idle_room_ns, "work had no room"),
    ];
    let mut causes: Vec<(u64, &str)> = causes.into_iter().filter(|(ns, _)| *ns > 0).collect();
    causes.sort_by_key(|(ns, _)| std::cmp::Reverse(*ns));
    let why = match causes.as_slice() {
        [] => String::new(),
        [(_, only)] => format!(", because {only}"),
        all => {
            let told = all.iter().take(if brief { 1 } else { all.len() });
            let told: Vec<String> =
                told.map(|(ns, why)| format!("{} as {why}", part(*ns))).collect();
            format!(" ({})", told.join(", "))
        }
    };
    let (name, idle) = (plain(&of.name, NAME), percent(time.idle()));
    let copying = match time.copying_inside_ns {
        0 => String::new(),
        ns => format!(", copying inside the device alone for {}", part(ns)),
    };
    let nearly = format!("; under a quarter full for {}{copying}", part(time.under_quarter_ns));
    let nearly = if brief { "" } else { &nearly };
    let if_so = if assumed { " (assumed)" } else { "" };
    let window = duration(time.window_ns);
    Some(format!("under {name}, idle {idle}{if_so} of {window}{why}{nearly}"))
}

/// Returns a clause about a recording in which the device was idle although the host had already
/// issued work: the fraction of the idle time in which that was so, for the process with the
/// largest fraction. `None` where that fraction is less than a tenth.
fn recorded_otherwise(answer: &PolicyFigures) -> Option<String> {
    let most = |a: &&JudgedProcess, b: &&JudgedProcess| a.idle_issued.total_cmp(&b.idle_issued);
    let process = answer.processes.iter().max_by(most).filter(|it| it.idle_issued >= MUCH)?;
    let (name, share) = (plain(&process.name, NAME), percent(process.idle_issued));
    Some(format!("; in the recording of {name} work had been issued in {share} of the idle time"))
}

fn occupancy(replay: &Replay<'_>) -> Vec<Block> {
    let mut card = vec![Block::Heading("What limits occupancy?".to_owned())];
    let mut all: Vec<(&str, NamedKernel)> = Vec::new();
    let words = VendorWords::of(Some(replay.target.vendor));
    let VendorWords { workgroups, unit, .. } = words;
    for profile in &replay.profiles {
        let kernels = by_kernel(profile.profile, Some(replay.target));
        let limits = LaunchLimits::of(&kernels, replay.target);
        let mut by: Vec<(f64, &str)> = limits
            .by_limiter
            .iter()
            .filter(|limited| limited.part.share >= 0.01)
            .map(|limited| (limited.part.share, words.limiter(limited.limiter)))
            .collect();
        by.sort_by(|a, b| b.0.total_cmp(&a.0));
        let by: Vec<String> =
            by.iter().map(|(share, name)| format!("{name} for {}", percent(*share))).collect();
        let text = format!(
            "limited by {} of its kernel time; for {} of it all {workgroups} fit at once, so that no limit matters.",
            by.join(", by "),
            percent(limits.one_round.share)
        );
        if !by.is_empty() {
            card.push(Block::Paragraph { label: profile.name.to_owned(), text });
        }
        all.extend(kernels.into_iter().map(|kernel| (profile.name, kernel)));
    }
    all.sort_by_key(|(_, kernel)| std::cmp::Reverse(kernel.times.total_ns));
    let limited = all.iter().filter_map(|(profile, kernel)| {
        let shape = kernel.shapes.first()?;
        let placing = shape.placing.as_ref()?;
        let waits = placing.resident > 0 && shape.workgroups > placing.at_once;
        let more = one_more(shape, replay.target).filter(|_| waits)?;
        Some(format!(
            "`{}` ({} of the kernel time of {profile}): {} {workgroups} per {unit}, limited by {}; one more fits with at most {more}",
            plain(&kernel.name, KERNEL),
            percent(kernel.times.share),
            placing.resident,
            words.limiter(placing.limiter),
        ))
    });
    card.extend(limited.take(KERNELS).map(Block::Note));
    card
}

/// Returns (name, requests) of the first process that has requests; `None` where none has.
fn requests(of: &RecipeResult) -> Option<(&str, &RequestSummary)> {
    of.summary.processes.iter().find_map(|own| Some((&*own.name, own.requests.as_ref()?)))
}

fn waited(result: &ReplayResult) -> Vec<Block> {
    let mut card = vec![Block::Heading("What did the slowest requests wait for?".to_owned())];
    let slowest = compared(result).into_iter().filter_map(|of| {
        let (name, requests) = requests(of)?;
        Some((of, name, requests.slowest.first()?))
    });
    let slowest: Vec<(&RecipeResult, &str, &SlowRequest)> = slowest.collect();
    let full_ns = slowest.iter().map(|(.., slow)| slow.latency_ns).max().unwrap_or(0);
    let bars = slowest.iter().map(|(of, name, slow)| {
        let note = format!("{name} #{}, {}", slow.number, duration(slow.latency_ns));
        spent::bar(of.name.clone(), note, slow, full_ns)
    });
    let bars: Vec<ChartBar> = bars.collect();
    if !bars.is_empty() {
        let names = spent::legend(slowest.iter().map(|(.., slow)| *slow));
        card.push(Block::Bars { title: String::new(), names, bars });
    }
    let blocked = compared(result).into_iter().filter_map(|of| {
        let pairs = of.summary.blocked.iter();
        let pairs =
            pairs.flat_map(|row| row.by.iter().map(move |by| (by.ns, &row.victim, &by.process)));
        let (ns, victim, blocker) = pairs.max_by_key(|pair| pair.0)?;
        Some(Block::Note(format!(
            "Who blocks whom most under {}: {} waited {} while {} ran.",
            plain(&of.name, NAME),
            plain(victim, NAME),
            duration(ns),
            plain(blocker, NAME)
        )))
    });
    card.extend(blocked);
    let none = card.len() == 1;
    if none {
        card.push(Block::Note("There are no requests, and nobody waited for anybody.".to_owned()));
    } else {
        let text = "All slow requests, and who blocks whom".to_owned();
        card.push(Block::Link { text, to: "#requests".to_owned() });
    }
    card
}
