//! What differs between the results of replays, other than their figures?

use serde_json::Value;

use super::input::{ComparedProfile, ComparedResult, names};
use super::label::label;

/// (name of an input of a replay, function that writes the input of a result as text). Two results
/// have the same input where these texts are equal.
type Input = (&'static str, fn(&ComparedResult) -> String);

/// Inputs of a replay that change its figures. Between results with different inputs no figure is
/// judged better or worse.
const INPUTS: [Input; 4] = [
    ("device", |result| {
        let device = &result.device;
        format!("{} ({}, {} compute units)", device.product, device.id, device.cus)
    }),
    ("profiles", |result| {
        let profile = |profile: &ComparedProfile| {
            let ComparedProfile { name, kernels, workgroups, span_ns, share, .. } = profile;
            let share = if *share > 1 { format!(", share {share}") } else { String::new() };
            format!("{name}: {kernels} kernels, {workgroups} workgroups, {span_ns} ns{share}")
        };
        result.profiles.iter().map(profile).collect::<Vec<_>>().join("; ")
    }),
    ("arrivals", |result| {
        let when = |profile: &ComparedProfile| {
            let ComparedProfile { name, start_ns, requests, .. } = profile;
            let requests = requests.as_ref().map_or_else(|| "one run".to_owned(), asked);
            format!("{name} begins at {start_ns} ns, {requests}")
        };
        result.profiles.iter().map(when).collect::<Vec<_>>().join("; ")
    }),
    ("launch-latency", |result| {
        let fitted = |it: &&ComparedProfile| (it.launch_ns, it.handover_ns) != (0, 0);
        let latency = |it: &ComparedProfile| {
            format!("{}: {} ns to start, {} ns between ops", it.name, it.launch_ns, it.handover_ns)
        };
        let told: Vec<String> = result.profiles.iter().filter(fitted).map(latency).collect();
        if told.is_empty() { "none".to_owned() } else { told.join("; ") }
    }),
];

/// Describes the requested load of a profile in words. The number of requests is left out where the
/// replay chose it itself, as it is then no input.
fn asked(requests: &Value) -> String {
    let is_open = requests.get("as-many-as-needed").and_then(Value::as_bool) == Some(true);
    let is_in_words = requests.get("format").and_then(Value::as_str) == Some("words");
    let word = |(key, value): (&String, &Value)| match (key.as_str(), value) {
        ("replayed", _) if is_open => None,
        // Where the load was given in words, these say nothing more of it.
        ("format" | "task", _) if is_in_words => None,
        ("unsorted", value) if value.as_u64() == Some(0) => None,
        (_, Value::Null | Value::Bool(false)) => None,
        (key, Value::Bool(true)) => Some(key.replace('-', " ")),
        ("per-s", rate) => Some(format!("{rate}/s")),
        ("replayed", count) => Some(format!("{count} requests")),
        (_, Value::String(text)) => Some(text.clone()),
        (key, value) => Some(format!("{} {value}", key.replace('-', " "))),
    };
    let words = requests.as_object().into_iter().flatten().filter_map(word);
    words.collect::<Vec<String>>().join(", ")
}

/// Returns the names of the inputs that differ between two results. Only results with equal inputs
/// can be judged better or worse.
pub(super) fn unlike_inputs(a: &ComparedResult, b: &ComparedResult) -> Vec<&'static str> {
    let unlike = |(what, of): Input| (of(a) != of(b)).then_some(what);
    INPUTS.into_iter().filter_map(unlike).collect()
}

/// Describes all differences between results other than their figures, one sentence each: version
/// of raddle, inputs, assumptions, recipes.
pub(super) fn differences(inputs: &[ComparedResult]) -> Vec<String> {
    let mut said = Vec::new();
    let version: Input = ("version of raddle", |result| result.raddle.clone());
    let recipe: Input = ("recipe", |result| result.chosen.clone().unwrap_or_default());
    // Goals change the advice, and no figure.
    let goals: Input = ("goals", |result| {
        let goals = result.answer.iter().flat_map(|answer| &answer.goals);
        let goals: Vec<String> = goals.map(|goal| format!("`{goal}`")).collect();
        if goals.is_empty() { "none".to_owned() } else { goals.join(", ") }
    });
    for (what, of) in [version].into_iter().chain(INPUTS).chain([goals, recipe]) {
        let all: Vec<String> = inputs.iter().map(of).collect();
        if all.iter().any(|text| *text != all[0]) {
            let each = all.iter().enumerate().map(|(n, text)| format!("{} {text}", label(n)));
            said.push(format!("{what}: {}", each.collect::<Vec<_>>().join(" | ")));
        }
    }
    for assumed in names(inputs, |result| result.assumptions.iter()) {
        let there = |input: &ComparedResult| input.assumptions.iter().any(|said| said == assumed);
        let there: Vec<bool> = inputs.iter().map(there).collect();
        if there.contains(&false) {
            said.push(format!("assumed in {} only: {assumed}", labels(&there)));
        }
    }
    if inputs.iter().any(|input| input.chosen.is_some()) {
        return said;
    }
    for name in names(inputs, |result| result.recipes.iter().map(|recipe| &recipe.name)) {
        let found = |input: &ComparedResult| {
            input.recipes.iter().find(|recipe| recipe.name == name).map(|r| r.recipe.clone())
        };
        let found: Vec<_> = inputs.iter().map(found).collect();
        let there: Vec<bool> = found.iter().map(Option::is_some).collect();
        if there.contains(&false) {
            let others: Vec<bool> = inputs.iter().map(|it| it.has_other_parameters(name)).collect();
            let others = match others.contains(&true) {
                true => format!("; {} has it with other parameters", labels(&others)),
                false => String::new(),
            };
            said.push(format!("recipe {name} is in {} only{others}", labels(&there)));
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

/// Returns the facts that may make the answer of a result wrong, one line each, with the labels of
/// the results that state the fact.
pub(super) fn overturning(inputs: &[ComparedResult]) -> Vec<String> {
    let lines = names(inputs, |result| result.overturning.iter()).into_iter();
    let told = lines.map(|line| {
        let has = |input: &ComparedResult| input.overturning.iter().any(|own| own == line);
        format!("{}: {line}", labels(&inputs.iter().map(has).collect::<Vec<_>>()))
    });
    told.collect()
}

fn labels(there: &[bool]) -> String {
    let at = there.iter().enumerate().filter(|(_, there)| **there);
    at.map(|(n, _)| label(n)).collect::<Vec<_>>().join(", ")
}
