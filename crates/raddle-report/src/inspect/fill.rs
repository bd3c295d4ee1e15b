//! How are the facts about a profile shown to a person?

use raddle_study::VendorWords;
use raddle_study::inspect::{
    CommunicationRule, InspectedProfile, InspectedStream, Inspection, LaunchLimits, LaunchPart,
    LaunchShape, NamedKernel, PersistentShape, Placing, StatedOccupancy,
};
use raddle_study::result::{DeviceFound, met};
use raddle_study::units::{
    copies_elsewhere, count, counted, duration, percent, plain, share, size,
};

use super::{KERNEL, LISTED, amounts, fidelity, idle, needs, verdicts};
use crate::document::{Block, Column, Document, List, Table};
use crate::verdict::verdict_in;

/// Largest number of characters that `inspect` shows of the name of a profile; `STREAM` is that of
/// the name of a stream.
const PROFILE: usize = 40;
const STREAM: usize = 16;

/// Largest number of kernels that the answer without `-v` shows.
const FEW: usize = 5;
/// Largest number of pairs of kernels with idle time between them that the answer without `-v` shows.
const FEW_PLACES: usize = 3;

/// Makes the document of the verb `inspect`: what takes the time of each profile, and why the
/// device was idle. With `verbose` it also has streams, the shapes of launches (grid and needs),
/// what limits how many workgroups run at once, and where each figure comes from.
#[must_use]
pub fn document(inspection: &Inspection, verbose: bool) -> Document {
    let mut document = Document::default();
    document.full = "with --format json";
    inspection.profiles.iter().for_each(|profile| {
        document.add(verdict_in(profile.idle_sentence()));
    });
    inspection.profiles.iter().for_each(|profile| fill(&mut document, profile, verbose));
    if !verbose {
        let text = "`-v` prints streams, shapes, what limits them, and where figures come from.";
        document.add(Block::Note(text.to_owned()));
    }
    document
}

fn fill(document: &mut Document, profile: &InspectedProfile, verbose: bool) {
    let words = VendorWords::of(profile.device.as_ref().map(|device| device.vendor));
    head(document, profile, words);
    let places = if verbose { FEW } else { FEW_PLACES };
    idle::fill(document, &profile.idle, places);
    if verbose {
        document.table(streams(&profile.streams));
        if let Some(more @ 1..) = profile.streams.len().checked_sub(LISTED) {
            let text = format!("and {} more streams with --format json", count(more as u64));
            document.add(Block::Note(text));
        }
        document.paragraph("Concurrency", concurrency(profile));
    }
    let most = if verbose { LISTED } else { FEW };
    document.table(kernels(&profile.by_kernel, most));
    document.paragraph("Kernels", kernels_note(profile, most));
    if verbose || !profile.verdicts.is_empty() {
        verdicts::fill(document, &profile.verdicts, profile.by_kernel.len());
    }
    if let Some(limits) = profile.limits.as_ref().filter(|_| verbose) {
        document.table(shapes(&profile.by_kernel, words));
        document.paragraph("Shapes", shapes_note(words));
        document.table(limiters(limits, words));
        document.paragraph("Limits", limits_note(limits, words));
        let persistent = limits.persistent.iter().map(|it| persistent(it, words)).collect();
        document.list("Persistent by their looks", persistent);
    }
    if let Some(limits) = profile.limits.as_ref().filter(|it| !verbose && it.unfit.launches > 0) {
        let told = format!("{} so large that {}", words.workgroups, unfit(limits, words));
        document.paragraph("Limits", told);
    }
    if let Some(needs) = &profile.needs {
        needs::fill(document, needs, verbose);
    }
    if let Some(amounts) = &profile.amounts {
        amounts::fill(document, amounts);
    }
    if verbose || profile.comm.launches > 0 {
        document.paragraph("Communication", communication(profile));
    }
    if verbose {
        if let Some(claims) = &profile.claims {
            document.paragraph("Occupancy in the file", claimed(claims, words));
        }
        document.paragraph("Arrivals", arrivals(profile));
        document.paragraph("Origins", origins(profile));
    }
    let said = profile.diagnostics.iter().map(|text| plain(text, 1000)).collect();
    document.list("Said by the profiler", said);
    document.list("Unusual in the file", profile.quirks.iter().map(met).collect());
    if let Some(fidelity) = &profile.self_replay {
        fidelity::fill(document, fidelity);
    }
}

fn head(document: &mut Document, profile: &InspectedProfile, words: VendorWords) {
    let work = format!(
        "{} of {}: {} ({} {}), {}{}, {}",
        counted(profile.events, "event", "events"),
        profile.format,
        counted(profile.kernels, "kernel", "kernels"),
        count(profile.workgroups),
        words.workgroups,
        counted(profile.copies, "copy", "copies"),
        copies_elsewhere(&profile.copies_elsewhere),
        counted(profile.sets, "fill", "fills"),
    );
    let clock =
        format!("{}, in steps of {}", duration(profile.span_ns), duration(profile.resolution_ns));
    document.add(Block::Heading(plain(&profile.name, PROFILE)));
    let unknown = profile.unknown_kernels.map(|unknown| unknown.told());
    let held = profile.memory_bytes.map(|bytes| {
        format!("{} of device memory held at most by its own allocations, as recorded", size(bytes))
    });
    let items = unknown.into_iter().chain([work, clock, device(profile)]).chain(held).collect();
    document.add(Block::List(List { label: String::new(), items, inline: false, anchor: "" }));
}

fn device(profile: &InspectedProfile) -> String {
    let Some(device) = &profile.device else {
        let why = profile.unknown.as_deref().unwrap_or("nobody knows where");
        return format!("device unknown, so nothing is said of residency: {}", plain(why, 400));
    };
    let how = match device.found {
        DeviceFound::Named => "named by --device",
        DeviceFound::File => "read from the file that --device names",
        DeviceFound::Properties => "made from the figures in the file",
        DeviceFound::Guessed => "a guess, by the newest device that names of its kernels speak of",
        DeviceFound::Assumed => "assumed, as its nearest neighbour in the device table",
        _ => "in the device table",
    };
    let called = match profile.called.as_deref() {
        Some("") | None => "the file names none".to_owned(),
        Some(name) => format!("`{}` in the file", plain(name, PROFILE)),
    };
    format!("on {device}: {how}; {called}")
}

fn streams(streams: &[InspectedStream]) -> Table {
    let figures = [
        "context",
        "kernels",
        "copies",
        "fills",
        "kernel time",
        "busy",
        "of span",
        "overlap",
        "priority",
    ];
    let mut table = Table::new("Streams", [Column::name("stream", STREAM)]).figures(figures);
    let mut longest: Vec<&InspectedStream> = streams.iter().collect();
    longest.sort_by_key(|stream| std::cmp::Reverse(stream.busy_ns));
    for stream in longest.into_iter().take(LISTED) {
        let priority = match stream.priorities[..] {
            [] => "-".to_owned(),
            [only] => only.to_string(),
            [first, .., last] => format!("{first}..{last}"),
        };
        table.row([
            stream.label.clone(),
            stream.context.map_or_else(|| "-".to_owned(), |context| context.to_string()),
            count(stream.kernels),
            count(stream.copies),
            count(stream.sets),
            duration(stream.kernel_ns),
            duration(stream.busy_ns),
            percent(stream.busy),
            duration(stream.overlap_ns),
            priority,
        ]);
    }
    table
}

fn concurrency(profile: &InspectedProfile) -> String {
    let running = &profile.concurrency;
    let [none, one, two, more] = running.shares.map(percent);
    format!(
        "of {}, no kernel ran for {none}, 1 for {one}, 2 for {two}, 3 or more for {more}; at most {} at a time. The device was busy with kernels for {}",
        duration(profile.span_ns),
        count(running.most),
        duration(running.busy_ns),
    )
}

fn kernels(kernels: &[NamedKernel], most: usize) -> Table {
    let figures = ["launches", "total", "share", "median", "longest", "shapes"];
    let columns = [Column::figure("#"), Column::name("kernel", KERNEL)];
    let mut table = Table::new("Kernels", columns).figures(figures);
    for (position, kernel) in kernels.iter().take(most).enumerate() {
        let times = &kernel.times;
        table.row([
            (position + 1).to_string(),
            kernel.name.strip_prefix("void ").unwrap_or(&kernel.name).to_owned(),
            count(times.launches),
            duration(times.total_ns),
            percent(times.share),
            duration(times.median_ns),
            duration(times.max_ns),
            count(kernel.shapes.len() as u64),
        ]);
    }
    table
}

fn kernels_note(profile: &InspectedProfile, most: usize) -> String {
    let all = profile.by_kernel.len();
    format!(
        "the {} with the most time of {}, in {}; share of the time of all kernels, each counted in full",
        count(all.min(most) as u64),
        count(all as u64),
        counted(profile.shapes, "shape", "different shapes"),
    )
}

fn shapes(kernels: &[NamedKernel], words: VendorWords) -> Table {
    let VendorWords { workgroups, work_items, registers, shared, .. } = words;
    let columns = ["#", workgroups, work_items, registers, shared, "resident"].map(Column::figure);
    let columns = columns.into_iter().chain([Column::text("limiter")]);
    let columns = columns.chain(["rounds", "occupancy", "its time"].map(Column::figure));
    let mut table = Table::new("Shapes", columns.collect::<Vec<_>>());
    for (position, kernel) in kernels.iter().take(LISTED).enumerate() {
        let Some((shape, placing)) = first_shape(kernel) else { continue };
        table.row([
            (position + 1).to_string(),
            count(shape.workgroups),
            count(shape.threads.into()),
            shape.vgprs_per_thread.to_string(),
            count(shape.lds_bytes.into()),
            placing.resident.to_string(),
            limiters_in_brief(placing, words),
            // Rounded up, as a little above two rounds takes three.
            format!("{:.2}", (placing.rounds * 100.0 - 1e-6).ceil() / 100.0),
            percent(placing.occupancy),
            percent(share(shape.times.total_ns.into(), kernel.times.total_ns.into())),
        ]);
    }
    table
}

fn shapes_note(words: VendorWords) -> String {
    let VendorWords {
        workgroups, work_items, unit, units, registers, shared, shared_memory, ..
    } = words;
    format!(
        "of each kernel above the one with the most time, on the device above; {registers} = of one of its {work_items}; {shared} = bytes of {shared_memory} of one of its {workgroups}; resident = {workgroups} that one {unit} holds; limiter = what keeps one more off it; rounds = {workgroups} / ({units} x resident); occupancy = of the {work_items} that the device has room for, in the first round; its time = share of the time of the kernel"
    )
}

fn first_shape(kernel: &NamedKernel) -> Option<(&LaunchShape, &Placing)> {
    let shape = kernel.shapes.first()?;
    Some((shape, shape.placing.as_ref()?))
}

/// Names the resources that limit how many workgroups of one launch a compute unit holds, in words
/// short enough for a table.
fn limiters_in_brief(placing: &Placing, words: VendorWords) -> String {
    let brief = |it: &&'static str| if *it == "lds" { words.shared } else { words.limiter(it) };
    placing.limiters.iter().map(brief).collect::<Vec<_>>().join(", ")
}

fn limiters(limits: &LaunchLimits, words: VendorWords) -> Table {
    let figures = ["launches", "kernel time", "share", "fit at once"];
    let mut table = Table::new("Limiters", [Column::text("limiter")]).figures(figures);
    for limited in limits.by_limiter.iter().filter(|limited| limited.part.launches > 0) {
        table.row([
            words.limiter(limited.limiter).to_owned(),
            count(limited.part.launches),
            duration(limited.part.total_ns),
            percent(limited.part.share),
            percent(limited.one_round.share),
        ]);
    }
    table
}

fn limits_note(limits: &LaunchLimits, words: VendorWords) -> String {
    let VendorWords { workgroups, unit, units, .. } = words;
    let mut text = format!(
        "what keeps more {workgroups} off one {unit}; fit at once = share of the launches whose {workgroups} are all on the device together, so that no limit holds them up. Fewer {workgroups} than {units}: {}. All {workgroups} at once: {}; a scheduler that waits for the end of {workgroups} has to wait for the end of such a launch",
        part(&limits.fewer_than_cus),
        part(&limits.one_round),
    );
    if limits.unfit.launches > 0 {
        text += &format!(". Of these {}", unfit(limits, words));
    }
    text
}

/// Says how many launches have workgroups so large that a compute unit cannot hold even one.
fn unfit(limits: &LaunchLimits, words: VendorWords) -> String {
    format!("not even one fits on one {}: {}", words.unit, part(&limits.unfit))
}

fn part(part: &LaunchPart) -> String {
    let launches = counted(part.launches, "launch", "launches");
    format!("{launches}, {} of kernel time", percent(part.share))
}

fn persistent(found: &PersistentShape, words: VendorWords) -> String {
    let workgroups = words.workgroups;
    format!(
        "`{}`: {} of {} {workgroups}, median {}, longest {}, {} of kernel time",
        plain(&found.kernel, KERNEL),
        counted(found.launches, "launch", "launches"),
        count(found.workgroups),
        duration(found.median_ns),
        duration(found.max_ns),
        percent(found.share),
    )
}

fn communication(profile: &InspectedProfile) -> String {
    let CommunicationRule { rule, launches, recorded_ns, inspected_ns } = &profile.comm;
    if *launches == 0 {
        return "no kernel of a library that moves data between devices".to_owned();
    }
    if *rule == "drop" {
        let launches = counted(*launches, "launch", "launches");
        let recorded = duration(*recorded_ns);
        return format!("{launches} of {recorded} left out (--comm drop), by their names");
    }
    let part = part(&profile.communication);
    let text = format!("{part}, by their names; mostly waiting for other devices");
    match *rule {
        "keep" => return text,
        "peers" => return format!("{text}: a replay ends them with these (--comm peers)"),
        _ => {}
    }
    let (now, recorded) = (duration(*inspected_ns), duration(*recorded_ns));
    format!("{text}, so cut to {now} of {recorded} (--comm {rule})")
}

fn claimed(claims: &StatedOccupancy, words: VendorWords) -> String {
    let StatedOccupancy { agree, differ, differ_above_48_kib, worst } = claims;
    let mut text = format!(
        "{} agree with ours within 1%, {} differ",
        counted(*agree, "statement", "statements"),
        count(*differ),
    );
    if let Some(worst) = worst {
        let tenths = |tenths: u64| format!("{}.{}%", tenths / 10, tenths % 10);
        text += &format!(
            ", the most `{}` with {} against {}",
            plain(&worst.kernel, KERNEL),
            tenths(worst.claimed_tenths),
            tenths(worst.ours_tenths),
        );
    }
    if *differ_above_48_kib > 0 {
        text += &format!(
            "; {} above 48 KiB of {}, for which the profile itself writes 0: a gap of the profiler's own tool, not of these figures",
            counted(*differ_above_48_kib, "kernel", "kernels"),
            words.shared_memory,
        );
    }
    text
}

fn arrivals(profile: &InspectedProfile) -> String {
    let arrivals = &profile.arrivals;
    if arrivals.known == 0 {
        return "no launch was recorded, so all are assumed".to_owned();
    }
    format!(
        "{} of {} with a recorded launch; from launch to start p50 {}, p99 {}",
        count(arrivals.known),
        counted(profile.kernels, "kernel", "kernels"),
        duration(arrivals.wait_p50_ns),
        duration(arrivals.wait_p99_ns),
    )
}

fn origins(profile: &InspectedProfile) -> String {
    let fields = profile.origins.iter().map(|of| format!("{} {}", of.field, of.shares.told(", ")));
    fields.collect::<Vec<_>>().join("; ")
}
