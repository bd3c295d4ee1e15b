//! What else differs between results than their figures?

use serde_json::Value;

use super::input::{ComparedProfile, ComparedResult, names};
use super::label::label;

/// What went into two results and is not the same: better and worse are said of equal work on one
/// device only.
pub(super) fn unlike_inputs(a: &ComparedResult, b: &ComparedResult) -> Vec<&'static str> {
    fn unlike<T: PartialEq>(
        a: &ComparedResult,
        b: &ComparedResult,
        of: impl Fn(&ComparedProfile) -> T,
    ) -> bool {
        !a.profiles.iter().map(&of).eq(b.profiles.iter().map(&of))
    }
    let work = |p: &ComparedProfile| (p.name.clone(), p.kernels, p.workgroups, p.span_ns, p.share);
    let when = |p: &ComparedProfile| (p.start_ns, p.requests.clone());
    [
        ((&a.device.id, a.device.cus) != (&b.device.id, b.device.cus), "device"),
        (unlike(a, b, work), "profiles"),
        (unlike(a, b, when), "arrivals"),
    ]
    .into_iter()
    .filter_map(|(differ, what)| differ.then_some(what))
    .collect()
}

/// What else differs, and makes figures differ.
pub(super) fn differences(inputs: &[ComparedResult]) -> Vec<String> {
    let mut said = Vec::new();
    let device = |result: &ComparedResult| {
        let device = &result.device;
        format!("{} ({}, {} CUs)", device.product, device.id, device.cus)
    };
    unlike(&mut said, "version of raddle", inputs, |result| result.raddle.clone());
    unlike(&mut said, "device", inputs, device);
    let profile = |profile: &ComparedProfile| {
        let ComparedProfile { name, kernels, workgroups, span_ns, .. } = profile;
        format!("{name}: {kernels} kernels, {workgroups} workgroups, {span_ns} ns")
    };
    unlike(&mut said, "profiles", inputs, |result| {
        result.profiles.iter().map(profile).collect::<Vec<_>>().join("; ")
    });
    let when = |profile: &ComparedProfile| {
        let requests =
            profile.requests.as_ref().map_or_else(|| "one run".to_owned(), Value::to_string);
        format!("{} begins at {} ns, {requests}", profile.name, profile.start_ns)
    };
    unlike(&mut said, "arrivals", inputs, |result| {
        result.profiles.iter().map(when).collect::<Vec<_>>().join("; ")
    });
    for assumed in names(inputs, |result| result.assumptions.iter()) {
        let there = |input: &ComparedResult| input.assumptions.iter().any(|said| said == assumed);
        let there: Vec<bool> = inputs.iter().map(there).collect();
        if there.contains(&false) {
            said.push(format!("assumed in {} only: {assumed}", labels(&there)));
        }
    }
    for name in names(inputs, |result| result.recipes.iter().map(|recipe| &recipe.name)) {
        let found = |input: &ComparedResult| {
            input.recipes.iter().find(|recipe| recipe.name == name).map(|r| r.recipe.clone())
        };
        let found: Vec<_> = inputs.iter().map(found).collect();
        let there: Vec<bool> = found.iter().map(Option::is_some).collect();
        if there.contains(&false) {
            said.push(format!("recipe {name} is in {} only", labels(&there)));
        }
        let mut settings = found.iter().flatten();
        if let Some(first) = settings.next()
            && settings.any(|other| other != first)
        {
            said.push(format!(
                "recipe {name} has other settings or words under the same name in {}",
                labels(&there)
            ));
        }
    }
    said
}

fn labels(there: &[bool]) -> String {
    let at = there.iter().enumerate().filter(|(_, there)| **there);
    at.map(|(n, _)| label(n)).collect::<Vec<_>>().join(", ")
}

fn unlike(
    said: &mut Vec<String>,
    what: &str,
    inputs: &[ComparedResult],
    of: impl Fn(&ComparedResult) -> String,
) {
    let all: Vec<String> = inputs.iter().map(of).collect();
    if all.windows(2).all(|pair| pair[0] == pair[1]) {
        return;
    }
    let each = all.iter().enumerate().map(|(n, text)| format!("{} {text}", label(n)));
    said.push(format!("{what}: {}", each.collect::<Vec<_>>().join(" | ")));
}
