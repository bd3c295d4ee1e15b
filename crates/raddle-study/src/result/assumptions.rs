//! On which assumptions does every figure of a replay rest?

use raddle_sim::Scaling;
use raddle_trace::{BarrierRule, CommRule};

use super::device::{DeviceFacts, DeviceFound};
use super::facts::{CommunicationShares, ProfileFacts, RequestFacts, StreamWaitFacts, scaled};
use super::overturning::{Overturning, stands_in};
use crate::units::{count, counted, duration, percent, plain};

/// Largest number of characters that a sentence shows of the name of a task (an entry of an arrival
/// file); a longer name loses its middle.
const TASK: usize = 40;

/// Sentence for replays in which contention is not charged.
const UNCHARGED: &str = "co-location costs nothing until a resource is full";

/// Rules that stand in for facts that no profile tells, and sentences on their effect.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Rule for which workgroups have a barrier, as no profile tells it.
    pub barriers: BarrierRule,
    /// Rule for communication kernels (which move data between devices).
    pub communication: CommRule,
    /// Sentence on the memory that the processes need together, and on how much the device has.
    pub memory: String,
    /// True if a launch without a recorded time of issue counts as issued together with the launch
    /// before it. The recorded gaps between such launches then vanish.
    pub queued: bool,
    /// Source of the assumed or measured energy of each kind of instruction, in words; `None` where
    /// energy is not counted.
    pub energy: Option<&'static str>,
    /// Property of devices, such as their memory bandwidth, by which times are scaled to another
    /// device.
    pub scaling: Scaling,
    /// Sentence about the time that neighbours cost while no resource is full; `None` where replays
    /// do not charge it.
    pub contention: Option<String>,
    /// Statements of the user about the work, such as which kernels may be killed and run again,
    /// one sentence each.
    pub claims: Vec<String>,
    /// Warnings about rules of the user that changed nothing, one sentence each.
    pub warnings: Vec<String>,
    /// Warnings from the replays that can make the study's answer wrong.
    pub overturning: Vec<Overturning>,
    /// Ways of sharing that people ask about and that were not tried, with the reasons, one clause
    /// each.
    pub not_tried: Vec<String>,
    /// True if the user named what is compared: recipes (sets of scheduling policies), or ways of
    /// sharing the device.
    pub by_name: bool,
    /// True if the driver of the device offers one of the recipes that were asked for.
    pub by_driver: bool,
}

/// Returns the assumptions of the cost model, each as a clause (part of a sentence). If an
/// assumption concerns only some kernels, its clause says how much of each profile's kernel time
/// they take.
pub(super) fn cost_model(sources: &[ProfileFacts], rules: &Rules, repeats: bool) -> Vec<String> {
    let mut said = vec![
        format!(
            "a workgroup lasts launch duration / ceil(workgroups / (CUs x resident)) of the profile's own device, {} on another one",
            scaled(rules.scaling)
        ),
        rules.contention.clone().unwrap_or_else(|| UNCHARGED.to_owned()),
        match rules.barriers {
            BarrierRule::Assume => format!(
                "barriers assumed where shared memory is used: {} of kernel time",
                each(sources, |source| percent(source.barrier_assumed))
            ),
            BarrierRule::Yes => "every workgroup is taken to have a barrier".to_owned(),
            BarrierRule::No => "no workgroup is taken to have a barrier".to_owned(),
        },
        format!("arrivals: {}", each(sources, |source| source.arrivals.told(" and "))),
        contention(sources),
        hosts(sources),
        latency(sources),
    ];
    if let Some(weights) = rules.energy {
        said.push(format!(
            "energy: weights of instructions are {weights}, and by the name of a kernel what its waves do: {} of kernel time",
            each(sources, |source| percent(source.activity_assumed))
        ));
    }
    said.extend(stream_waits(sources));
    if sources.iter().any(|source| source.unknown_kernels.is_some()) {
        let unknown = |source: &ProfileFacts| source.unknown_kernels.map_or(0.0, |it| it.share);
        said.push(format!(
            "a kernel without a shape fills the wave slots of the device while it lasts, divided by the most kernels that were recorded at once with it{}: {} of kernel time",
            if rules.energy.is_some() { ", and its energy is an upper bound" } else { "" },
            each(sources, |source| percent(unknown(source)))
        ));
    }
    said.extend(communication(sources, rules.communication));
    said.extend(requests(sources));
    if let Some(repeating) = repeating(sources, repeats) {
        said.push(repeating);
    } else if sources.len() > 1 {
        said.push(
            if repeats {
                "the shorter profiles repeat until the longest has ended once"
            } else {
                "no profile repeats"
            }
            .to_owned(),
        );
    }
    said.extend(rules.claims.iter().cloned());
    said
}

/// Returns the assumption about the times of workgroups where kernels ran side by side in the
/// recording, as one clause.
fn contention(sources: &[ProfileFacts]) -> String {
    let share = each(sources, |source| percent(source.overlapped));
    let calibrated =
        |source: &ProfileFacts| source.self_replay.is_some_and(|it| it.uncalibrated.is_some());
    match sources.iter().any(calibrated) {
        true => format!(
            "where the source ran kernels side by side, rounds are over the compute units that it left free, by self-replay: {share} of kernel time"
        ),
        false => format!(
            "workgroup times are upper bounds where the source ran kernels side by side: {share} of kernel time"
        ),
    }
}

/// Returns the assumption about the launch latency (the time that a launch needs before it can
/// start), as one clause.
fn latency(sources: &[ProfileFacts]) -> String {
    if sources.iter().all(|source| (source.launch_ns, source.handover_ns) == (0, 0)) {
        return "launches take no time to reach the device (`--launch-latency fitted` takes it from the recording)".to_owned();
    }
    let told = |source: &ProfileFacts| {
        format!(
            "{} from launch to start, {} from one op to the next",
            duration(source.launch_ns),
            duration(source.handover_ns)
        )
    };
    format!("launch latency fitted to the recording: {}", each(sources, told))
}

/// Returns the assumption about the recorded waits of one stream for another, as one clause; `None`
/// where no profile has any.
fn stream_waits(sources: &[ProfileFacts]) -> Option<String> {
    sources.iter().find(|source| source.stream_waits.all() > 0)?;
    let told = |source: &ProfileFacts| {
        let StreamWaitFacts { inferred, rule, .. } = source.stream_waits;
        let all = source.stream_waits.all();
        if all == 0 {
            return "none".to_owned();
        }
        let share = percent(inferred as f64 / all as f64);
        let all = counted(all, "wait", "waits");
        match rule {
            "none" => format!("{all}, none of which holds"),
            "recorded" => format!("{all}, without the {share} whose source is not recorded"),
            _ => format!("{all}, the source of {share} inferred"),
        }
    };
    Some(format!("between streams: {} (`--waits`)", each(sources, told)))
}

/// Returns the assumption on whether hosts wait for the device, and how much of their waiting is
/// known, as one clause.
fn hosts(sources: &[ProfileFacts]) -> String {
    const OPEN: &str = "open loop: recorded launch times are kept";
    if sources.iter().all(|source| source.known_waits.is_none()) {
        return OPEN.to_owned();
    }
    let known = |source: &ProfileFacts| source.known_waits.map_or("none".to_owned(), percent);
    let known = format!("known of the time for which it waited: {}", each(sources, known));
    let open = sources.iter().filter(|source| !source.closed).map(|source| &*source.name);
    let open: Vec<&str> = open.collect();
    match open[..] {
        [] => format!(
            "closed loop: a host waits for the work that it waited for when recorded; {known}"
        ),
        _ if open.len() == sources.len() => format!("{OPEN}; {known}"),
        _ => format!(
            "closed loop, but for {}: a host waits for the work that it waited for when recorded; {known}",
            open.join(", ")
        ),
    }
}

/// Returns the assumption about communication kernels, with their part of kernel time, as one
/// clause; `None` where there are none and no rule changed anything.
fn communication(sources: &[ProfileFacts], comm: CommRule) -> Option<String> {
    if sources.iter().all(|source| source.communication.is_none()) {
        let none = "no kernel is communication by its name".to_owned();
        return (comm != CommRule::Keep).then_some(none);
    }
    let said = |figure: &dyn Fn(&CommunicationShares) -> String| {
        each(sources, |source| source.communication.as_ref().map_or("none".to_owned(), figure))
    };
    let recorded = |found: &CommunicationShares| percent(found.recorded);
    Some(match comm {
        CommRule::Fixed => format!(
            "communication lasts as long as the shortest launch of its kernel and grid, its work without the wait for peers: {} of kernel time",
            said(&|found| format!("{} instead of {}", percent(found.replayed), recorded(found)))
        ),
        CommRule::Peers => format!(
            "communication ends with its peers, which go on as recorded, later by as much as the collective before was; its units are held until then: {} of kernel time",
            said(&recorded)
        ),
        CommRule::Drop => format!(
            "communication is left out, and what waited for it waits for what it waited for: {} of kernel time",
            said(&|found| format!(
                "{}, {}",
                counted(found.launches, "launch", "launches"),
                recorded(found)
            ))
        ),
        CommRule::Keep => format!(
            "communication, which mostly waits for peers, lasts as recorded: {} of kernel time (`--comm` changes it)",
            said(&recorded)
        ),
    })
}

/// Returns the text that `figure` gives for the only profile; for several profiles the texts of
/// all, each with the name of its profile before it.
fn each(sources: &[ProfileFacts], figure: impl Fn(&ProfileFacts) -> String) -> String {
    match sources {
        [source] => figure(source),
        _ => {
            let figures =
                sources.iter().map(|source| format!("{} {}", source.name, figure(source)));
            figures.collect::<Vec<_>>().join(", ")
        }
    }
}

/// Returns warnings about profiles whose device is unknown, if the user named the device to replay
/// on, which stands in for it. The user chose that, so these warnings do not make the study's
/// answer doubtful.
pub(super) fn named_for(sources: &[ProfileFacts], target: &DeviceFacts) -> Vec<String> {
    let named = matches!(target.found, DeviceFound::Named | DeviceFound::File);
    let named = sources.iter().filter(|_| named);
    named.filter_map(|source| stands_in(source, target)).collect()
}

/// Returns the assumptions about the requests of the profiles, one clause each; empty where there
/// are no requests.
fn requests(profiles: &[ProfileFacts]) -> Vec<String> {
    let of = |profile: &ProfileFacts| {
        Some(format!("{}: {}", profile.name, one_load(profile.requests.as_ref()?)))
    };
    let mut said: Vec<String> = profiles.iter().filter_map(of).collect();
    if !said.is_empty() {
        said.insert(0, "a request runs the whole profile, launches as long after its arrival as in the profile; one that arrives earlier than the one before it ends queues behind it, stream by stream".to_owned());
    }
    said
}

/// Returns the assumption about the requests of one profile, as one clause.
fn one_load(facts: &RequestFacts) -> String {
    let task = plain(&facts.task, TASK);
    let mut text = match (facts.replayed, facts.of) {
        (Some(replayed), Some(of)) => {
            let (replayed, of) = (count(replayed), count(of));
            format!("{replayed} of {of} requests of `{task}` ({})", facts.process)
        }
        _ => format!("requests of `{task}` ({})", facts.process),
    };
    if facts.is_open {
        text += ", under each policy as many as narrow the 95 % interval of p99 to a tenth of it or as a run can afford, the first tenth not counted";
    }
    let kept = facts.replayed == facts.of && facts.of.is_some();
    if let Some(until) = facts.until_ns.filter(|_| !kept) {
        text += &format!(", those before {}", duration(until));
    }
    if let Some(width) = facts.jitter_ns {
        text += &format!(", each moved later by less than {}", duration(width));
    }
    if let Some(seed) = facts.seed {
        text += &match facts.seeds {
            None => format!(", seed {seed}"),
            Some(seeds) => format!(", {seeds} seeds from {seed} on"),
        };
    }
    if let Some(unit) = &facts.time_unit {
        text += &format!(", the file's time in {unit}");
    }
    if facts.unsorted > 0 {
        text += &format!(", {} steps back in time sorted", count(facts.unsorted));
    }
    text
}

/// Returns the assumption on how long profiles without requests repeat, as one clause (once if
/// `repeats` is false); `None` where no profile has requests.
fn repeating(profiles: &[ProfileFacts], repeats: bool) -> Option<String> {
    let without = profiles.iter().filter(|profile| profile.requests.is_none()).count();
    if without == profiles.len() {
        return None;
    }
    let said = match (without, repeats) {
        (0, _) => "every profile runs by its requests alone",
        (_, true) => {
            "profiles without requests repeat until the longest of them has ended once and every request with a time of its own has ended"
        }
        (_, false) => "profiles without requests run once",
    };
    Some(said.to_owned())
}
