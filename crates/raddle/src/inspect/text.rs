//! How is what is in a profile told to a person?

use super::claims::Claims;
use super::kernels::{Kernel, Part, Placing, Shape};
use super::limits::{Limits, Persistent};
use super::streams::Stream;
use super::{CommTold, Inspected, Report, fidelity_text};
use crate::console::heading;
use crate::devices::{Found, Told};
use crate::table::Table;
use crate::units::{count, counted, duration, percent, plain, wrap};

/// Columns of a line of text.
const WIDTH: usize = 100;
/// Characters of names.
const PROFILE: usize = 40;
const STREAM: usize = 16;
const KERNEL: usize = 44;
/// Kernels, streams and the like are listed up to so many.
const LISTED: usize = 10;

/// The whole text.
pub(super) fn render(report: &Report, colour: bool) -> String {
    let texts = report.profiles.iter().map(|profile| {
        let mut page = Page { out: head(profile, colour), colour };
        whole(profile, &mut page);
        page.out
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Text under construction.
pub(super) struct Page {
    pub(super) out: String,
    pub(super) colour: bool,
}

impl Page {
    /// A paragraph that begins with its title.
    pub(super) fn section(&mut self, title: &str, text: &str) {
        let text = wrap(&format!("{title}: {text}"), WIDTH, "  ");
        let rest = text.strip_prefix(title).unwrap_or_default();
        self.out += &format!("{}{rest}\n", heading(title, self.colour));
    }

    /// A title, and a line below it for each of these.
    pub(super) fn list(&mut self, title: &str, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        self.out += &format!("{}\n", heading(&format!("{title}:"), self.colour));
        for line in lines.iter().take(LISTED) {
            self.out += &format!("  {}\n", wrap(line, WIDTH - 2, "    "));
        }
        if lines.len() > LISTED {
            let more = count((lines.len() - LISTED) as u64);
            self.out += &format!("  and {more} more with --format json\n");
        }
    }

    /// A table with an empty line on both sides.
    pub(super) fn table(&mut self, table: &Table) {
        self.out += &format!("\n{}\n", table.render(self.colour));
    }
}

fn head(profile: &Inspected, colour: bool) -> String {
    let name = plain(&profile.name, PROFILE);
    let work = format!(
        "{} of {}: {} ({}), {}, {}",
        counted(profile.events, "event", "events"),
        profile.format,
        counted(profile.kernels, "kernel", "kernels"),
        counted(profile.workgroups, "workgroup", "workgroups"),
        counted(profile.copies, "copy", "copies"),
        counted(profile.sets, "fill", "fills"),
    );
    let clock =
        format!("{}, in steps of {}", duration(profile.span_ns), duration(profile.resolution_ns));
    let lines = [work, clock, device(profile)];
    let lines = lines.map(|line| format!("  {}\n", wrap(&line, WIDTH - 2, "    ")));
    format!("{}\n{}", heading(&name, colour), lines.concat())
}

fn device(profile: &Inspected) -> String {
    let Some(device) = &profile.device else {
        let why = profile.unknown.as_deref().unwrap_or("nobody knows where");
        return format!("device unknown, so nothing is said of residency: {}", plain(why, 400));
    };
    let Told { found, .. } = device;
    let how = match found {
        Found::Named => "named by --device".to_owned(),
        Found::Properties => "made from the figures in the file".to_owned(),
        Found::Assumed => "assumed, as its nearest neighbour in the device table".to_owned(),
        _ => "in the device table".to_owned(),
    };
    let called = match profile.called.as_deref() {
        Some("") | None => "the file names none".to_owned(),
        Some(name) => format!("`{}` in the file", plain(name, PROFILE)),
    };
    format!("on {device}: {how}; {called}")
}

fn whole(profile: &Inspected, page: &mut Page) {
    page.table(&streams(&profile.streams));
    if profile.streams.len() > LISTED {
        let more = count((profile.streams.len() - LISTED) as u64);
        page.out += &format!("and {more} more streams with --format json\n\n");
    }
    page.section("Concurrency", &concurrency(profile));
    page.table(&kernels(&profile.by_kernel));
    page.section("Kernels", &kernels_note(profile));
    if let Some(limits) = &profile.limits {
        page.table(&shapes(&profile.by_kernel));
        page.section("Shapes", SHAPES);
        page.table(&limiters(limits));
        page.section("Limits", &limits_note(limits));
        page.list(
            "Persistent by their looks",
            &limits.persistent.iter().map(persistent).collect::<Vec<_>>(),
        );
    }
    page.section("Communication", &communication(profile));
    if let Some(claims) = &profile.claims {
        page.section("Occupancy in the file", &claimed(claims));
    }
    page.section("Arrivals", &arrivals(profile));
    page.section("Origins", &origins(profile));
    let met = profile.quirks.iter();
    let met = met.map(|met| format!("{} {}: {}", met.name, count(met.count), met.explanation));
    page.list("Met in the file", &met.collect::<Vec<_>>());
    if let Some(fidelity) = &profile.self_replay {
        fidelity_text::render(fidelity, page);
    }
}

fn streams(streams: &[Stream]) -> Table {
    let header = [
        "stream",
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
    let mut table = Table::new(&header, &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let mut longest: Vec<&Stream> = streams.iter().collect();
    longest.sort_by_key(|stream| std::cmp::Reverse(stream.busy_ns));
    for stream in longest.into_iter().take(LISTED) {
        let priority = match stream.priorities[..] {
            [] => "-".to_owned(),
            [only] => only.to_string(),
            [first, .., last] => format!("{first}..{last}"),
        };
        table.row(&[
            &plain(&stream.label, STREAM),
            &stream.context.map_or_else(|| "-".to_owned(), |context| context.to_string()),
            &count(stream.kernels),
            &count(stream.copies),
            &count(stream.sets),
            &duration(stream.kernel_ns),
            &duration(stream.busy_ns),
            &percent(stream.busy),
            &duration(stream.overlap_ns),
            &priority,
        ]);
    }
    table
}

fn concurrency(profile: &Inspected) -> String {
    let running = &profile.concurrency;
    let [none, one, two, more] = running.shares.map(percent);
    format!(
        "of {}, no kernel ran for {none}, 1 for {one}, 2 for {two}, 3 or more for {more}; at most \
         {} at a time. The device was busy with kernels for {}",
        duration(profile.span_ns),
        count(running.most),
        duration(running.busy_ns),
    )
}

fn kernels(kernels: &[Kernel]) -> Table {
    let header = ["#", "kernel", "launches", "total", "share", "median", "longest", "shapes"];
    let mut table = Table::new(&header, &[0, 2, 3, 4, 5, 6, 7]);
    for (position, kernel) in kernels.iter().take(LISTED).enumerate() {
        let times = &kernel.times;
        table.row(&[
            &(position + 1).to_string(),
            &plain(kernel.name.strip_prefix("void ").unwrap_or(&kernel.name), KERNEL),
            &count(times.launches),
            &duration(times.total_ns),
            &percent(times.share),
            &duration(times.median_ns),
            &duration(times.max_ns),
            &count(kernel.shapes.len() as u64),
        ]);
    }
    table
}

fn kernels_note(profile: &Inspected) -> String {
    let all = profile.by_kernel.len();
    format!(
        "the {} with the most time of {}, in {}; share of the time of all kernels, each counted in \
         full",
        count(all.min(LISTED) as u64),
        count(all as u64),
        counted(profile.shapes, "shape", "different shapes"),
    )
}

const SHAPES: &str = "of each kernel above the one with the most time, on the device above; \
    resident = workgroups that a compute unit holds; rounds = workgroups / (CUs x resident); \
    occupancy = of the work-items that the device has room for, in the first round";

fn shapes(kernels: &[Kernel]) -> Table {
    let header = [
        "#",
        "workgroups",
        "work-items",
        "VGPRs",
        "LDS",
        "resident",
        "limiter",
        "rounds",
        "occupancy",
        "of its time",
    ];
    let mut table = Table::new(&header, &[0, 1, 2, 3, 4, 5, 7, 8, 9]);
    let longest = kernels.iter().take(LISTED).enumerate();
    for (position, kernel) in longest {
        if let Some((shape, placing)) = first_shape(kernel) {
            let of_its_time =
                crate::units::share(shape.times.total_ns.into(), kernel.times.total_ns.into());
            table.row(&[
                &(position + 1).to_string(),
                &count(shape.workgroups),
                &count(shape.threads.into()),
                &shape.vgprs_per_thread.to_string(),
                &count(shape.lds_bytes.into()),
                &placing.resident.to_string(),
                &placing.limiters.join(" "),
                &format!("{:.2}", placing.rounds),
                &percent(placing.occupancy),
                &percent(of_its_time),
            ]);
        }
    }
    table
}

fn first_shape(kernel: &Kernel) -> Option<(&Shape, &Placing)> {
    let shape = kernel.shapes.first()?;
    Some((shape, shape.placing.as_ref()?))
}

fn limiters(limits: &Limits) -> Table {
    let header = ["limiter", "launches", "kernel time", "share", "of it at once"];
    let mut table = Table::new(&header, &[1, 2, 3, 4]);
    for limited in limits.by_limiter.iter().filter(|limited| limited.part.launches > 0) {
        table.row(&[
            limited.limiter,
            &count(limited.part.launches),
            &duration(limited.part.total_ns),
            &percent(limited.part.share),
            &percent(limited.one_round.share),
        ]);
    }
    table
}

fn limits_note(limits: &Limits) -> String {
    let mut text = format!(
        "what keeps one more workgroup off a compute unit; of it at once = launches of which all \
         workgroups fit together, so that it does not matter. Fewer workgroups than CUs: {}. All \
         workgroups at once: {}; such launches cannot be left at the end of a workgroup",
        part(&limits.fewer_than_cus),
        part(&limits.one_round),
    );
    if limits.unfit.launches > 0 {
        text += &format!(". Not even one workgroup fits: {}", part(&limits.unfit));
    }
    text
}

fn part(part: &Part) -> String {
    let launches = counted(part.launches, "launch", "launches");
    format!("{launches}, {} of kernel time", percent(part.share))
}

fn persistent(found: &Persistent) -> String {
    format!(
        "`{}`: {} of {} workgroups, median {}, longest {}, {} of kernel time",
        plain(&found.kernel, KERNEL),
        counted(found.launches, "launch", "launches"),
        count(found.workgroups),
        duration(found.median_ns),
        duration(found.max_ns),
        percent(found.share),
    )
}

fn communication(profile: &Inspected) -> String {
    let CommTold { rule, launches, recorded_ns, inspected_ns } = &profile.comm;
    if *launches == 0 {
        return "no kernel of a library that moves data between devices".to_owned();
    }
    if *rule == "drop" {
        return format!(
            "{} of {} left out (--comm drop), by their names",
            counted(*launches, "launch", "launches"),
            duration(*recorded_ns),
        );
    }
    let part = part(&profile.communication);
    let text = format!("{part}, by their names; mostly waiting for other devices");
    if *rule == "keep" {
        return text;
    }
    let (now, recorded) = (duration(*inspected_ns), duration(*recorded_ns));
    format!("{text}, so cut to {now} of {recorded} (--comm {rule})")
}

fn claimed(claims: &Claims) -> String {
    let Claims { agree, differ, differ_above_48_kib, worst } = claims;
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
            "; {} above 48 KiB of LDS, for which the profile itself writes 0: a gap of the \
             profiler's own tool, not of these figures",
            counted(*differ_above_48_kib, "kernel", "kernels"),
        );
    }
    text
}

fn arrivals(profile: &Inspected) -> String {
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

fn origins(profile: &Inspected) -> String {
    let fields = profile.origins.iter().map(|origins| {
        let parts = [
            (origins.measured, "measured"),
            (origins.joined, "joined"),
            (origins.assumed, "assumed"),
        ];
        let parts = parts.iter().filter(|(share, _)| *share > 0.0);
        let parts: Vec<String> =
            parts.map(|(share, origin)| format!("{} {origin}", percent(*share))).collect();
        format!("{} {}", origins.field, parts.join(", "))
    });
    fields.collect::<Vec<_>>().join("; ")
}
