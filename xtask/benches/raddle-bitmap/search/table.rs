//! What was measured, and which goals hold?
//!
//! Two tables: every row of this run, and every goal both of whose rows were run. Times are
//! nanoseconds for one element: a map, a query, a step of a trace.

use std::collections::BTreeMap;

use raddle_bitmap::batch::Kernel;

use crate::churn::EMPTY;
use crate::goals::{self, Goals};
use crate::lab::{Absent, Lab, Time};
use crate::ours::row_of;

/// Prints both tables; nothing where nothing was measured.
pub(crate) fn print(lab: &Lab) {
    let times = Times::of(lab);
    if times.0.is_empty() {
        return;
    }
    println!("\nprocessor: {}", levels());
    for &kernel in Kernel::ALL {
        let here = if kernel.is_here() { "here" } else { "not here, so not run" };
        println!("kernel {}: {}, {here}", row_of(kernel), kernel.name());
    }
    rows(lab, &times);
    goals(lab, &times);
}

/// What was measured, by group and row, the trace itself taken off where there is one.
struct Times(BTreeMap<(String, String), Time>);

impl Times {
    fn of(lab: &Lab) -> Self {
        let mut times = BTreeMap::new();
        for row in &lab.ran {
            if let Some(time) = lab.time(&row.group, &row.name) {
                times.insert((row.group.clone(), row.name.clone()), time);
            }
        }
        Self(times)
    }

    fn get(&self, group: &str, name: &str) -> Option<Time> {
        self.0.get(&(group.to_owned(), name.to_owned())).copied()
    }

    /// Without what the trace costs by itself. `None` where that was not measured.
    fn net(&self, group: &str, name: &str) -> Option<Time> {
        let time = self.get(group, name)?;
        if !group.starts_with("churn-") {
            return Some(time);
        }
        let empty = self.get(group, EMPTY)?;
        let (median, least) = (time.median - empty.median, time.least - empty.least);
        Some(Time { median, least })
    }

    /// The faster of two ways to use a peer, where there are two; which, and its time.
    fn fastest(&self, group: &str, peer: &'static str) -> Option<(&'static str, Time)> {
        let twin = goals::TWINS.iter().find(|(name, _)| *name == peer).map(|(_, twin)| *twin);
        let names = [Some(peer), twin].into_iter().flatten();
        let timed = names.filter_map(|name| Some((name, self.net(group, name)?)));
        timed.min_by(|(_, one), (_, other)| one.median.total_cmp(&other.median))
    }

    fn has_group(&self, name: &str) -> bool {
        self.0.keys().any(|(group, _)| group == name)
    }
}

fn levels() -> String {
    #[cfg(target_arch = "x86_64")]
    {
        let levels = [
            ("SSSE3", std::arch::is_x86_feature_detected!("ssse3")),
            ("AVX2", std::arch::is_x86_feature_detected!("avx2")),
            ("BMI2", std::arch::is_x86_feature_detected!("bmi2")),
            ("AVX-512 F", std::arch::is_x86_feature_detected!("avx512f")),
            ("BW", std::arch::is_x86_feature_detected!("avx512bw")),
            ("VL", std::arch::is_x86_feature_detected!("avx512vl")),
            ("VBMI", std::arch::is_x86_feature_detected!("avx512vbmi")),
            ("VBMI2", std::arch::is_x86_feature_detected!("avx512vbmi2")),
        ];
        let names = |has: bool| {
            let some: Vec<&str> = levels
                .iter()
                .filter(|(_, is_here)| *is_here == has)
                .map(|(name, _)| *name)
                .collect();
            if some.is_empty() { "none".to_owned() } else { some.join(", ") }
        };
        format!("x86-64 with {}; without: {}", names(true), names(false))
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        format!("{}, no level of which a kernel knows", std::env::consts::ARCH)
    }
}

fn rows(lab: &Lab, times: &Times) {
    println!(
        "\n{:<24} {:<18} {:>11} {:>11} {:>11} {:>9}",
        "group", "row", "median ns", "least ns", "net ns", "x ours"
    );
    for row in &lab.ran {
        let Some(time) = times.get(&row.group, &row.name) else {
            continue;
        };
        let net = times.net(&row.group, &row.name);
        let is_traced = row.group.starts_with("churn-");
        let shown = net.filter(|_| is_traced).map(|net| digits(net.median)).unwrap_or_default();
        let ours = times.net(&row.group, "ours");
        let ratio = net.zip(ours).map(|(net, ours)| net.median / ours.median);
        println!(
            "{:<24} {:<18} {:>11} {:>11} {:>11} {:>9}",
            row.group,
            row.name,
            digits(time.median),
            digits(time.least),
            shown,
            ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
        );
    }
    for Absent { group, name, why } in &lab.absent {
        if times.has_group(group) {
            println!("{group:<24} {name:<18} not run: {why}");
        }
    }
}

fn goals(lab: &Lab, times: &Times) {
    println!(
        "\n{:<16} {:<24} {:<13} {:>9} {:>9}  {:<17} {:>9} {:>8} {:>8} {:>7}  holds?",
        "goal", "group", "row", "then ns", "ns", "against", "ns", "ratio", "of least", "goal"
    );
    for goals in goals::ALL {
        let (group, name) = goals.row;
        match times.net(group, name) {
            Some(ours) => against(goals, ours, times),
            None => {
                let is_it = |absent: &&Absent| absent.group == group && absent.name == name;
                let absent = lab.absent.iter().find(is_it).filter(|_| times.has_group(group));
                if let Some(Absent { why, .. }) = absent {
                    println!("{:<16} {group:<24} {name:<13} not run: {why}", goals.source);
                }
            }
        }
    }
}

fn against(goals: &Goals, ours: Time, times: &Times) {
    let (group, name) = goals.row;
    for &(peer, least) in goals.least {
        let Some((peer, theirs)) = times.fastest(goals.peers, peer) else {
            continue;
        };
        let ratio = theirs.median / ours.median;
        // Where no ratio is asked for, the prototype's time is all there is to compare with.
        let verdict = match least {
            0.0 => "",
            _ if ratio >= least => "holds",
            _ => "missed",
        };
        println!(
            "{:<16} {group:<24} {name:<13} {:>9} {:>9}  {peer:<17} {:>9} {ratio:>8.2} {:>8.2} {:>7}  {verdict}",
            goals.source,
            goals.figure.map(digits).unwrap_or_default(),
            digits(ours.median),
            digits(theirs.median),
            theirs.least / ours.least,
            if least > 0.0 { least.to_string() } else { String::new() },
        );
    }
}

/// Three digits that count.
fn digits(nanoseconds: f64) -> String {
    match nanoseconds {
        ..10.0 => format!("{nanoseconds:.3}"),
        ..100.0 => format!("{nanoseconds:.2}"),
        _ => format!("{nanoseconds:.0}"),
    }
}
