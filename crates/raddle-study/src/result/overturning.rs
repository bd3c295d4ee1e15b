//! Which warnings can overturn the answer, so that they belong on the first screen?
//!
//! On that screen each warning is one line, however many profiles it concerns; the list of all
//! warnings further down explains it. Fractions are from 0 to 1.

use raddle_dispatch::RefusedReset;
use raddle_policy::Preemption;
use raddle_sim::{PreemptionSummary, Scaling};
use raddle_trace::{CommRule, Profile, QuirkMet};

use super::device::{DeviceFacts, DeviceFound};
use super::facts::{ProfileFacts, met, scaled};
use crate::assumed::why_assumed;
use crate::units::{count, counted, duration, percent, plain};

/// Warning that can overturn the study's answer (make it wrong), as one line and in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overturning {
    /// Short line at the top of a printed result, in place of the full sentences in `warnings`.
    pub line: String,
    /// Warning in full: one sentence for each profile or recipe that it concerns.
    pub warnings: Vec<String>,
}

/// Smallest fraction that makes the study's answer doubtful. It holds for communication kernels as
/// a part of kernel time, and for copies as a part of the time of all work.
const LARGE: f64 = 0.25;
/// Groups of faults of input files that can make the study's answer wrong, each as (names of the
/// faults, words of the warning about them).
const IN_FILES: [(&[&str], &str); 3] = [
    (
        &["truncated", "damaged", "lost-events"],
        "the file is cut or damaged, so work may be missing",
    ),
    (&["no-line-end"], "the last line has no end, its last value may be cut"),
    (&["time-outlier"], "times lie far from all others, so the span says little"),
];
/// Largest number of characters of a profile's name in a warning that names one profile. `FIRST` is
/// the limit where the warning also counts further profiles. A longer name loses its middle.
const ALONE: usize = 18;
const FIRST: usize = 10;
/// Largest number of messages of the profiler that a warning's line quotes; `TOLD` is the largest
/// number of characters of one quoted message.
const QUOTED: usize = 2;
const TOLD: usize = 120;

impl Overturning {
    /// Makes a warning from (name of a profile, sentence about it); `None` where there are none.
    /// The function `line` writes the short line from the names.
    pub(crate) fn of<'p>(
        found: impl IntoIterator<Item = (&'p str, String)>,
        line: impl FnOnce(&str) -> String,
    ) -> Option<Self> {
        let (names, warnings): (Vec<&str>, Vec<String>) = found.into_iter().unzip();
        (!names.is_empty()).then(|| Self { line: line(&brief(&names)), warnings })
    }
}

/// Writes a list of profile names briefly: a single name alone, or the first name and the number of
/// further names.
fn brief(names: &[&str]) -> String {
    match names {
        [only] => plain(only, ALONE),
        [first, more @ ..] => format!("{} +{} more", plain(first, FIRST), more.len()),
        [] => String::new(),
    }
}

/// Returns the warnings about profiles that can make the study's answer for the device `target`
/// wrong. `queued` is true if gaps recorded between launches are left out; `scaling` is the rule by
/// which times are scaled to the device.
#[must_use]
pub fn of_profiles(
    sources: &[ProfileFacts],
    target: &DeviceFacts,
    (communication, queued): (CommRule, bool),
    scaling: Scaling,
) -> Vec<Overturning> {
    let devices = [guessed(sources), assumed(sources, target), unknown(sources, target)];
    devices
        .into_iter()
        .chain([impossible(sources), diagnosed(sources)])
        .chain([elsewhere(sources, scaling), no_launch_times(sources, queued)])
        .chain([communicating(sources, communication), copying(sources)])
        .flatten()
        .chain(in_files(sources.iter().map(|source| (&*source.name, source.quirks.clone()))))
        .collect()
}

/// Returns lines about files of profiles that can make the study's answer wrong: a file is cut or
/// damaged, or some of its times lie far from all others. Each profile comes with its name.
#[must_use]
pub fn of_files<'p>(profiles: impl IntoIterator<Item = (&'p str, &'p Profile)>) -> Vec<String> {
    let profiles = profiles.into_iter();
    let met = profiles.map(|(name, profile)| (name, profile.report.quirks().collect()));
    in_files(met).map(|found| found.line).collect()
}

/// Returns the warnings about faults that were met in the files of profiles.
fn in_files<'p>(
    met: impl Iterator<Item = (&'p str, Vec<QuirkMet>)>,
) -> impl Iterator<Item = Overturning> {
    let met: Vec<_> = met.collect();
    let before = before_zero(&met);
    let others = IN_FILES.iter().filter_map(move |(quirks, told)| met_in_files(&met, quirks, told));
    others.chain(before)
}

/// Warns of profiles with ops (launches, copies or fills) that start before the recording began;
/// `None` where there are none.
fn before_zero(files: &[(&str, Vec<QuirkMet>)]) -> Option<Overturning> {
    let met = |name: &str| {
        let all = files.iter().flat_map(|(_, quirks)| quirks);
        all.filter(|quirk| quirk.name == name).map(|quirk| quirk.count).sum()
    };
    let ops = counted(met("before-zero"), "op starts", "ops start");
    let so = match met("apart-before-zero") {
        0 => "their times may be wrong",
        _ => "they lie apart from the rest, so the span says little",
    };
    let told = format!("{ops} before 0, when the recording began: {so}");
    met_in_files(files, &["before-zero", "apart-before-zero"], &told)
}

/// Warns of profiles that were recorded on another device than the one replayed on; `None` where
/// there are none.
fn elsewhere(sources: &[ProfileFacts], scaling: Scaling) -> Option<Overturning> {
    let other = || {
        let factors = |source: &ProfileFacts| source.recorded_on.factors();
        // A guessed device is left out here, as another warning is about the guess.
        let known = sources.iter().filter(|source| source.device.found != DeviceFound::Guessed);
        known.filter_map(move |source| Some((source, factors(source)?)))
    };
    let found = other().map(|(source, [least, most])| {
        let ProfileFacts { name, device, .. } = source;
        let times = scaled(scaling);
        let text = format!(
            "{name} was recorded on {device}; its workgroup times are {times}. Where both devices of a pair were measured, true times were {least} to {most} times those of a replay (docs/fidelity.md)"
        );
        (&**name, text)
    });
    let (first, [least, most]) = other().next()?;
    let on = plain(&first.device.id, FIRST);
    Overturning::of(found, |names| {
        let is_scaled = matches!(scaling, Scaling::Clock | Scaling::Bandwidth);
        let times = if is_scaled { "scaled" } else { "unscaled" };
        format!("{names}: recorded on {on}, {times}: true times {least} to {most}x")
    })
}

/// Warns of profiles whose device was guessed; `None` where there are none.
fn guessed(sources: &[ProfileFacts]) -> Option<Overturning> {
    let guessed = || sources.iter().filter(|source| source.device.found == DeviceFound::Guessed);
    let found = guessed().map(|source| {
        let ProfileFacts { name, device, .. } = source;
        let why = device.because.unwrap_or_default();
        let text = format!(
            "{name} does not say on which device it was recorded; names of its kernels speak of {why}, which newer devices run too, and {device}: give the right one with --device"
        );
        (&**name, text)
    });
    let device = guessed().next().map(|source| &source.device);
    let (id, why) = device.map_or(("", ""), |it| (&*it.id, it.because.unwrap_or_default()));
    Overturning::of(found, |names| {
        format!("{names}: no device named; {id} for its {why} kernels (--device)")
    })
}

/// Warns of profiles whose device is assumed: the device table has only a similar one, or several
/// that fit. Where there is no such profile, warns if the device to replay on was assumed in this
/// way; else returns `None`.
fn assumed(sources: &[ProfileFacts], target: &DeviceFacts) -> Option<Overturning> {
    let with = || sources.iter().filter_map(|source| Some((source, source.assumed.as_deref()?)));
    let found = with().map(|(source, why)| {
        let ProfileFacts { name, device, .. } = source;
        let text = format!(
            "{name} was recorded on a device that is taken for {}: {why}. Give the right one with --device",
            device.id
        );
        (&**name, text)
    });
    let Some((first, why)) = with().next() else {
        let why = why_assumed(&target.id, None);
        let why = why.filter(|_| target.found == DeviceFound::Assumed)?;
        let line = format!("{} assumed: {why} (--device)", target.id);
        return Some(Overturning { warnings: vec![line.clone()], line });
    };
    Overturning::of(found, |names| {
        format!("{names}: {} assumed: {why} (--device)", first.device.id)
    })
}

/// Warns of profiles whose device is unknown, if the user did not name the device replayed on,
/// which stands in for it; `None` where there are none.
fn unknown(sources: &[ProfileFacts], target: &DeviceFacts) -> Option<Overturning> {
    let named = matches!(target.found, DeviceFound::Named | DeviceFound::File);
    let found = sources
        .iter()
        .filter(|_| !named)
        .filter_map(|source| Some((&*source.name, stands_in(source, target)?)));
    Overturning::of(found, |names| {
        format!("{names}: device unknown, taken as {} (--device)", target.id)
    })
}

/// Explains why the device replayed on stands in for the device of a profile; `None` where it does
/// not.
pub(super) fn stands_in(source: &ProfileFacts, target: &DeviceFacts) -> Option<String> {
    let why = match source.device.found {
        DeviceFound::StandIn => "does not say on which device it was recorded",
        DeviceFound::Strange => "was recorded on a device that is not known here",
        _ => return None,
    };
    Some(format!("{} {why}, so {target} stands in for it in the cost model", source.name))
}

/// Faults of files by which a launch has a figure that no device allows, each as (name of the
/// fault, figure that counts as unknown).
const IMPOSSIBLE: [(&str, &str); 6] = [
    ("impossible-registers", "registers"),
    ("impossible-shared-memory", "shared memory"),
    ("impossible-threads", "shape"),
    ("impossible-grid", "grid"),
    ("impossible-time", "time"),
    ("impossible-launch-time", "launch time"),
];

/// Warns of profiles with figures that no device can have, which count as unknown; `None` where
/// there are none.
fn impossible(sources: &[ProfileFacts]) -> Option<Overturning> {
    let met = |source: &ProfileFacts| {
        let count = |name: &str| {
            let met = source.quirks.iter().find(|quirk| quirk.name == name);
            met.map(|quirk| quirk.count)
        };
        let found = IMPOSSIBLE.iter().filter_map(|(name, what)| Some((*what, count(name)?)));
        found.collect::<Vec<(&str, u64)>>()
    };
    let all: Vec<_> = sources.iter().map(|source| (source, met(source))).collect();
    let with = || all.iter().filter(|(_, met)| !met.is_empty());
    let found = with().map(|(source, met)| {
        let told = met.iter().map(|(what, times)| format!("{what} of {}", count(*times)));
        let told: Vec<String> = told.collect();
        let text = format!(
            "the file of {} has figures that can be those of no device, which count as unknown: {} launches. A compute unit may hold fewer workgroups than it seems",
            source.name,
            told.join(", ")
        );
        (&*source.name, text)
    });
    let mut kinds: Vec<(&str, u64)> = Vec::new();
    for (what, times) in with().flat_map(|(_, met)| met) {
        match kinds.iter_mut().find(|(known, _)| known == what) {
            Some((_, all)) => *all += times,
            None => kinds.push((*what, *times)),
        }
    }
    if kinds.is_empty() {
        return None;
    }
    let told: Vec<String> = kinds
        .iter()
        .map(|(what, times)| format!("{what} of {}", counted(*times, "launch", "launches")))
        .collect();
    Overturning::of(found, |names| format!("{names}: {} cannot be, so unknown", told.join(", ")))
}

/// Warns of profiles in whose recording the profiler itself reports a fault; `None` where there are
/// none.
fn diagnosed(sources: &[ProfileFacts]) -> Option<Overturning> {
    let with = || sources.iter().filter(|source| !source.diagnostics.is_empty());
    let found = with().map(|source| {
        let told: Vec<String> = source.diagnostics.iter().map(|text| plain(text, 1000)).collect();
        (&*source.name, format!("the profiler says of {}: {}", source.name, told.join("; ")))
    });
    let mut texts: Vec<&str> = Vec::new();
    for text in with().flat_map(|source| &source.diagnostics) {
        if !texts.contains(&&**text) {
            texts.push(text);
        }
    }
    let told: Vec<String> =
        texts.iter().take(QUOTED).map(|text| format!("\"{}\"", beginning(text, TOLD))).collect();
    let more = match texts.len().saturating_sub(QUOTED) {
        0 => String::new(),
        more => format!("; {more} more with `-v`"),
    };
    Overturning::of(found, |names| format!("{names}: nsys says {}{more}", told.join("; ")))
}

/// Returns the first sentence of `text`, which an outside program wrote, or its first words where
/// the sentence has more than `limit` characters.
fn beginning(text: &str, limit: usize) -> String {
    let text = plain(text, usize::MAX);
    let sentence = text.split_once(". ").map_or(&*text, |(first, _)| first);
    if sentence.chars().count() <= limit {
        return sentence.to_owned();
    }
    let end = sentence.char_indices().nth(limit).map_or(sentence.len(), |(at, _)| at);
    let words = sentence[..end].rsplit_once(' ').map_or(&sentence[..end], |(words, _)| words);
    format!("{words} …")
}

/// Warns of profiles of which a tenth or more of the launches has no recorded time of issue; `None`
/// where there are none. Replays have to assume when the host issues such launches, which changes
/// what their figures mean.
fn no_launch_times(sources: &[ProfileFacts], queued: bool) -> Option<Overturning> {
    let without = || sources.iter().filter(|source| source.issue_unknown());
    let found = without().map(|source| {
        let ProfileFacts { name, span_ns, kernel_ns, .. } = source;
        let how = match queued {
            true => "with the one before them or at once: the gaps of the recording close, and makespan, used and latencies say how the work queues, not how it arrives",
            false => "as long after the end of the one before them as recorded: its gaps stay whatever the device does, so idle time and what another way would gain are assumed (`--arrivals queued` closes them)",
        };
        let text = format!(
            "{} of the launches of {name} have no recorded launch time, so they are issued {how}; the recording lasts {} with {} of kernel time. Record the launches too (docs/profiles.md)",
            percent(source.arrivals.assumed),
            duration(*span_ns),
            duration(*kernel_ns),
        );
        (&**name, text)
    });
    let most = without().map(|source| source.arrivals.assumed).fold(0.0, f64::max);
    Overturning::of(found, |names| {
        let gaps = if queued { "recorded gaps close" } else { "recorded gaps are kept" };
        format!("{names}: {} without launch times, so {gaps}", percent(most))
    })
}

/// Returns a warning about profiles in which communication kernels take a large part of kernel
/// time, if the rule keeps their recorded times; `None` where there are none.
fn communicating(sources: &[ProfileFacts], rule: CommRule) -> Option<Overturning> {
    let share = |source: &ProfileFacts| source.communication.map_or(0.0, |found| found.recorded);
    let how = match rule {
        CommRule::Keep => "lasts as recorded",
        _ => "ends when they ended in the recording",
    };
    let kept = matches!(rule, CommRule::Keep | CommRule::Peers);
    let large = || sources.iter().filter(move |source| kept && share(source) > LARGE);
    let found = large().map(|source| {
        let name = &*source.name;
        let text = format!(
            "{} of the kernel time of {name} is communication, which mostly waits for peers that are not here and {how}: what its figures lose or gain beside others is not what a run with its peers would (`--comm` changes it)",
            percent(share(source))
        );
        (name, text)
    });
    let most = large().map(share).fold(0.0, f64::max);
    Overturning::of(found, |names| {
        format!("{names}: {} of kernel time is communication (--comm)", percent(most))
    })
}

/// Warns of profiles of which copies of unknown direction are a large part of the time; `None`
/// where there are none.
fn copying(sources: &[ProfileFacts]) -> Option<Overturning> {
    let large = || sources.iter().filter(|source| source.copied > LARGE);
    let found = large().map(|source| {
        let name = &*source.name;
        let text = format!(
            "{} of the time of the work of {name} is copies whose direction nobody wrote down: they last as recorded and never wait for each other, so beside other copies the work takes longer than here",
            percent(source.copied)
        );
        (name, text)
    });
    let most = large().map(|source| source.copied).fold(0.0, f64::max);
    Overturning::of(found, |names| {
        format!("{names}: {} of its time is copies of unknown direction", percent(most))
    })
}

/// Returns a warning about profiles in whose files one of the faults `quirks` was found, or `None`;
/// `told` says what these faults mean.
fn met_in_files(
    files: &[(&str, Vec<QuirkMet>)],
    quirks: &[&str],
    told: &str,
) -> Option<Overturning> {
    let found = files.iter().filter_map(|(name, all)| {
        let own = all.iter().filter(|quirk| quirks.contains(&quirk.name));
        let own: Vec<String> = own.map(met).collect();
        let text = format!("in the file of {name}: {}", own.join("; "));
        (!own.is_empty()).then_some((*name, text))
    });
    Overturning::of(found, |names| format!("{names}: {told}"))
}

/// Returns a warning that under a recipe some resets (kills of running launches, which start again
/// later) were refused although a launch ran; `None` where none were. Such launches stop by
/// themselves instead, as a flag in memory tells them to.
pub(super) fn refused_resets(name: &str, preemption: &PreemptionSummary) -> Option<Overturning> {
    let refused = preemption.resets_refused.iter();
    let refused = || refused.clone().filter(|(why, _)| **why != RefusedReset::NothingRuns);
    let (&most, _) = refused().max_by_key(|(_, times)| **times)?;
    let resets = preemption.ways.iter().filter(|way| way.way == Preemption::Reset);
    let made: u64 = resets.map(|way| way.count).sum();
    let wished = made + refused().map(|(_, times)| *times).sum::<u64>();
    let of = format!("{} of {} resets", count(made), count(wished));
    let why: Vec<String> = refused()
        .map(|(why, times)| format!("{} times {}", count(*times), because(*why)))
        .collect();
    Some(Overturning {
        line: format!("{name}: {of}, {}", because(most)),
        warnings: vec![format!(
            "under {name} {of} were made: {}. Such work leaves by the flag, and what runs is waited for",
            why.join(", ")
        )],
    })
}

/// Returns the reason why a reset (kill of a running launch, which starts again later) was not
/// made, in words.
const fn because(why: RefusedReset) -> &'static str {
    match why {
        RefusedReset::NothingRuns => "nothing ran",
        RefusedReset::NotIdempotent => "a launch that ran may not be killed",
        RefusedReset::KilledOften => "a launch that ran was killed often before",
        RefusedReset::CopyRuns => "a copy ran",
        RefusedReset::OtherProcess => "another process was in the runtime",
        // All other reasons: a launch has no verdict, and without a verdict it is not killed.
        _ => "a launch that ran has no verdict (--idempotent)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_room_for_the_names_of_few_characters() {
        let long = "a-profile-with-a-long-name";
        for (names, end) in [
            (&["serve"][..], "serve"),
            (&[long], "name"),
            (&["serve", "train"], "serve +1 more"),
            (&[long, "b", "c"], " +2 more"),
        ] {
            let told = brief(names);
            assert!(told.ends_with(end) && told.chars().count() <= ALONE, "{told}");
        }
        assert_eq!(Overturning::of([], str::to_owned), None);
    }

    #[test]
    fn a_text_of_the_profiler_keeps_its_first_sentence() {
        let whole = "Not all CUDA events might have been collected";
        assert_eq!(beginning(whole, TOLD), whole);
        let driver = "Driver (13.3) is not supported by this build. Libraries for 12.9 are used";
        assert_eq!(beginning(driver, TOLD), "Driver (13.3) is not supported by this build");
        assert_eq!(beginning(whole, 20), "Not all CUDA events …");
        assert_eq!(beginning(&"x".repeat(200), 5), "xxxxx …");
    }
}
