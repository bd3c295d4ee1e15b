//! Does the verdict follow from the figures? Expected rankings were worked out by hand beforehand.

use super::{
    JudgedBy, JudgedProcess, PolicyFigures, PolicyRow, ProcessFigures, UrgentWaits, VerdictKind,
};
use crate::fidelity::ModelError;

const MS: f64 = 1e6;

fn process(name: &str, judged: JudgedBy, alone_ms: f64) -> JudgedProcess {
    JudgedProcess::plain(name, judged, Some((alone_ms * MS) as u64))
}

/// Makes the row of a recipe. `decisive_ms` holds the figure by which each process is judged, and
/// `wait_ms` is the longest wait of every process, both in ms.
pub(super) fn row(recipe: &str, decisive_ms: &[f64], wait_ms: f64) -> PolicyRow {
    let figures = |&ms: &f64| ProcessFigures {
        decisive_ns: Some((ms * MS) as u64),
        requests: None,
        longest_wait_ns: (wait_ms * MS) as u64,
        ..ProcessFigures::default()
    };
    PolicyRow {
        offered: true,
        recipe: recipe.to_owned(),
        complete: true,
        processes: decisive_ms.iter().map(figures).collect(),
        idle: 0.45,
        idle_host: 0.4,
        ..PolicyRow::default()
    }
}

pub(super) fn serve_and_train() -> Vec<JudgedProcess> {
    vec![process("decode", JudgedBy::Requests, 9.5), process("train", JudgedBy::Steps, 26.0)]
}

pub(super) fn of(
    processes: Vec<JudgedProcess>,
    rows: &[(&str, &[f64], f64)],
    goals: &[&str],
) -> PolicyFigures {
    let rows = rows.iter().map(|&(recipe, figures, wait)| row(recipe, figures, wait)).collect();
    let goals = goals.iter().map(|goal| goal.parse().expect("a goal")).collect();
    PolicyFigures::new("leftover", processes, rows, goals)
}

/// Makes figures of one process under several recipes, each given as (recipe, end of the process,
/// wait of its most urgent streams), in ms.
fn streams(rows: &[(&str, f64, f64)]) -> PolicyFigures {
    let of = |&(recipe, end, wait): &(&str, f64, f64)| {
        let mut own = row(recipe, &[end], 0.0);
        own.processes[0].urgent = Some(UrgentWaits { level: 0, p99_ns: (wait * MS) as u64 });
        own
    };
    let process = process("app", JudgedBy::End, 10.0);
    PolicyFigures::new("streams", vec![process], rows.iter().map(of).collect(), Vec::new())
}

#[test]
fn the_waits_of_urgent_streams_decide_where_all_ends_are_alike() {
    let use_it = streams(&[("streams", 11.0, 9.5), ("mps", 11.0, 9.5), ("drain", 11.01, 0.5)]);
    assert_eq!(ranked(&use_it), ["drain", "streams", "mps"]);
    assert_eq!(
        (use_it.verdict.kind, use_it.sentence()),
        (
            VerdictKind::Use,
            "Use drain: the most urgent launches of app (level 0) wait 9.5 -> 0.5 ms (p99); every process takes the same time to within 1 %."
        )
    );
    let stay = streams(&[("mps", 11.0, 9.5), ("streams", 11.0, 0.5)]);
    assert_eq!(
        (stay.verdict.kind, stay.sentence()),
        (
            VerdictKind::Stay,
            "Stay with streams: every process takes the same time to within 1 %, but under mps the most urgent launches of app (level 0) wait 0.5 -> 9.5 ms (p99)."
        )
    );
    // A wait of microseconds is none, and equal waits change nothing.
    for waits in [[0.001, 0.01], [2.0, 2.0]] {
        let none = streams(&[("mps", 11.0, waits[0]), ("streams", 11.0, waits[1])]);
        assert_eq!(none.verdict.kind, VerdictKind::NoEffect);
    }
}

#[test]
fn the_waits_of_urgent_streams_are_told_where_ends_differ() {
    let paid = streams(&[("streams", 11.0, 0.5), ("mps", 8.0, 9.5)]);
    let told = "Under mps the most urgent launches of app (level 0) wait 0.5 -> 9.5 ms (p99).";
    assert!(paid.sentence().starts_with("Use mps: ") && paid.sentence().ends_with(told));
    let missed = streams(&[("streams", 8.0, 9.5), ("drain", 11.0, 0.5)]);
    let told = "Under drain the most urgent launches of app (level 0) wait 9.5 -> 0.5 ms (p99).";
    assert!(missed.sentence().starts_with("Stay with ") && missed.sentence().ends_with(told));
}

/// Figures of six recipes from the table of a review, in ms: ([99th percentile of `decode`, step of
/// `train`], longest wait of `decode`).
pub(super) const REVIEW: [(&str, &[f64], f64); 6] = [
    ("spatial", &[33.6, 29.2], 0.0),
    ("block-warp", &[47.0, 26.2], 0.1),
    ("leftover-drain", &[16.9, 27.7], 0.3),
    ("greedy", &[30.2, 26.1], 3.0),
    ("leftover", &[42.5, 26.15], 4.5),
    ("weighted-slices", &[132.0, 26.2], 40.0),
];

fn ranked(figures: &PolicyFigures) -> Vec<&str> {
    figures.ranking.iter().map(|&at| &*figures.rows[at].recipe).collect()
}

#[test]
fn the_mix_of_the_review_is_ranked_by_requests() {
    let figures = of(serve_and_train(), &REVIEW, &[]);
    let wanted =
        ["leftover-drain", "greedy", "spatial", "leftover", "block-warp", "weighted-slices"];
    assert_eq!(ranked(&figures), wanted);
    let verdict = &figures.verdict;
    assert_eq!(verdict.kind, VerdictKind::Use);
    assert_eq!(
        verdict.text,
        "Use leftover-drain: decode p99 42.5 -> 16.9 ms, for a train step 6 % longer."
    );
    assert_eq!(
        verdict.why.as_deref(),
        Some(
            "decode no longer queues behind whole launches of others: its longest wait for the GPU is 300 us, under leftover 4.5 ms."
        )
    );
}

#[test]
fn each_of_the_four_policies_can_win() {
    let three = |figures: [[f64; 2]; 4]| {
        let names = ["leftover", "spatial", "leftover-drain", "weighted-slices"];
        let rows: Vec<_> = names.into_iter().zip(figures.iter()).collect();
        let rows: Vec<(&str, &[f64], f64)> =
            rows.iter().map(|&(name, figures)| (name, figures.as_slice(), 1.0)).collect();
        let figures = of(serve_and_train(), &rows, &[]);
        (figures.verdict.kind, figures.verdict.recipe.expect("it names one"), figures.verdict.text)
    };
    let (kind, recipe, _) = three([[12.0, 27.0], [30.0, 40.0], [11.9, 60.0], [90.0, 30.0]]);
    assert_eq!((kind, recipe.as_str()), (VerdictKind::Stay, "leftover"));
    let (kind, recipe, text) = three([[42.0, 27.0], [14.0, 27.0], [30.0, 27.0], [90.0, 30.0]]);
    assert_eq!((kind, recipe.as_str()), (VerdictKind::Use, "spatial"));
    assert_eq!(text, "Use spatial: decode p99 42 -> 14 ms, at no cost to the others.");
    let (kind, recipe, _) = three([[42.0, 27.0], [40.0, 27.0], [12.0, 28.0], [90.0, 30.0]]);
    assert_eq!((kind, recipe.as_str()), (VerdictKind::Use, "leftover-drain"));
    let (kind, recipe, text) = three([[420.0, 27.0], [300.0, 54.0], [200.0, 27.0], [21.0, 30.0]]);
    assert_eq!((kind, recipe.as_str()), (VerdictKind::Use, "weighted-slices"));
    assert_eq!(text, "Use weighted-slices: decode p99 420 -> 21 ms, for a train step 11 % longer.");
    // A time that would have no digits left in the unit of the other has its own unit.
    let (.., text) = three([[771.0, 27.0], [3.48, 30.0], [42.0, 27.0], [12.0, 90.0]]);
    assert_eq!(text, "Use spatial: decode p99 0.77 s -> 3.48 ms, for a train step 11 % longer.");
}

#[test]
fn what_makes_no_difference_says_why() {
    let rows: [(&str, &[f64], f64); 2] =
        [("leftover", &[84.5, 105.0], 0.1), ("leftover-drain", &[84.5, 105.5], 0.1)];
    let figures = of(serve_and_train(), &rows, &[]);
    assert_eq!(figures.verdict.kind, VerdictKind::NoEffect);
    assert_eq!(
        figures.verdict.text,
        "Scheduling will not help: the host is too slow, the GPU is idle 45 % of the time. CUDA graphs, larger batches or one more process will."
    );
    // A host that waits for requests is not called too slow.
    let served = |alone_ms| vec![process("decode", JudgedBy::Requests, alone_ms); 2];
    assert_eq!(
        of(served(40.0), &rows, &[]).verdict.text,
        "Scheduling will not help: the GPU is idle 45 % of the time, mostly as no request is there. It has room for more load, or for another process."
    );
    // Where requests queue, there is no room, however idle the device is.
    let queues = of(served(9.5), &rows, &[]).verdict.text;
    let told = "Scheduling will not help: requests of decode queue behind each other (their p99 is 11.1 times that of one alone)";
    assert!(queues.starts_with(told) && !queues.contains("room"), "{queues}");
    // A span that may be wrong makes no share of it.
    let mut apart = serve_and_train();
    apart[1].times_apart = true;
    assert_eq!(
        of(apart, &rows, &[]).verdict.text,
        "Under all 2 policies every process takes the same time to within 1 %. Do not conclude how long train takes or how idle the GPU is: times in the file lie far from all others."
    );
    // Work that was issued and had not begun is no fault of the host.
    let mut issued = serve_and_train();
    issued[1].idle_issued = 0.51;
    let issued = of(issued, &rows, &[]).verdict.text;
    assert!(
        issued.contains("In the recording of train it was mostly so while work was"),
        "{issued}"
    );
    let mut busy = of(serve_and_train(), &rows, &[]);
    for row in &mut busy.rows {
        (row.idle, row.idle_host) = (0.03, 0.0);
    }
    let busy = PolicyFigures::new("leftover", busy.processes, busy.rows, Vec::new());
    assert_eq!(busy.verdict.kind, VerdictKind::NoEffect);
    assert!(busy.verdict.text.contains("to within 1 %"), "{}", busy.verdict.text);
}

#[test]
fn a_gain_below_the_models_error_is_none() {
    let rows: [(&str, &[f64], f64); 2] =
        [("leftover", &[12.3, 26.0], 0.1), ("spatial", &[10.0, 26.0], 0.1)];
    let mut processes = serve_and_train();
    processes[1].self_replay = Some(ModelError {
        busy: -0.24,
        uncalibrated: Some(0.078),
        makespan: -0.011,
        within: Some(0.92),
    });
    let figures = of(processes.clone(), &rows, &[]);
    assert_eq!(figures.verdict.kind, VerdictKind::BelowError);
    assert!(
        figures.verdict.text.contains("by 23 %, which is less than the model's own error of 24 %")
    );
    let told = "train replayed alone, errors: busy time -24.0 % (+7.8 % uncalibrated), length -1.1 %; 92 % of waits agree";
    assert!(figures.verdict.trust.contains(&told.to_owned()), "{:?}", figures.verdict.trust);
    let doubted = "less than the model's own error of 24.0 %: spatial, a decode p99 19 % shorter";
    assert_eq!(figures.doubts(), [doubted]);
    processes[1].self_replay = Some(ModelError { busy: 0.004, ..ModelError::default() });
    let figures = of(processes.clone(), &rows, &[]);
    assert_eq!((figures.verdict.kind, figures.doubts()), (VerdictKind::Use, Vec::new()));
    // The end of a host that waits for the device depends on the model, so its error counts.
    processes[1].end_error = Some(-0.275);
    let figures = of(processes, &rows, &[]);
    assert_eq!(figures.verdict.kind, VerdictKind::BelowError);
    let told = "train replayed alone, errors: busy time +0.4 %, length +0.0 %, end -27.5 %";
    assert!(figures.verdict.trust.contains(&told.to_owned()), "{:?}", figures.verdict.trust);
}

#[test]
fn goals_come_first() {
    // Only drain meets both; without the second goal it is the best anyway.
    let figures = of(serve_and_train(), &REVIEW, &["decode p99 20ms", "train step +10%"]);
    assert_eq!(figures.rows[2].goals_met, [true, true]);
    assert_eq!(figures.rows[0].goals_met, [false, false]);
    assert_eq!(figures.verdict.recipe.as_deref(), Some("leftover-drain"));
    // The step may not grow: greedy is the best of those that keep it.
    let figures = of(serve_and_train(), &REVIEW, &["train step +1%"]);
    assert_eq!(ranked(&figures)[..2], ["greedy", "leftover"]);
    assert_eq!(ranked(&figures)[4..], ["leftover-drain", "spatial"]);
    // No recipe reaches a p99 of 10 ms.
    let figures = of(serve_and_train(), &REVIEW, &["decode p99 10ms"]);
    assert_eq!(figures.verdict.kind, VerdictKind::NoGoalMet);
    assert_eq!(
        figures.verdict.text,
        "No policy meets the goals. leftover-drain comes nearest: `decode p99 10ms` is 16.9 ms."
    );
}

/// Checks that a recipe that meets more goals counts as nearer to meeting all. Of recipes that meet
/// equally many, the one comes first that exceeds a limit by the smaller factor at worst.
#[test]
fn who_meets_more_goals_comes_nearest() {
    let rows: [(&str, &[f64], f64); 4] = [
        ("leftover", &[90.0, 52.0], 1.0),
        ("even", &[22.0, 27.5], 1.0),
        ("last", &[20.5, 29.3], 1.0),
        ("level", &[80.0, 20.0], 1.0),
    ];
    let goals = ["decode p99 20ms", "decode p99 19ms", "train step 25ms"];
    let figures = of(serve_and_train(), &rows, &goals);
    assert_eq!(ranked(&figures), ["level", "even", "last", "leftover"]);
    assert_eq!(
        figures.verdict.text,
        "No policy meets all goals. level comes nearest with 1 of 3: `decode p99 20ms` is 80 ms, `decode p99 19ms` is 80 ms."
    );
}

#[test]
fn much_of_many_is_told_in_brief() {
    let mut processes = serve_and_train();
    processes.push(process("eval", JudgedBy::End, 5.0));
    let errors = [(0.01, -0.02, Some(0.5)), (-0.04, 0.01, None), (0.02, 0.0, Some(0.9))];
    for (at, (busy, makespan, within)) in errors.into_iter().enumerate() {
        processes[at].recorded_on = Some("a V100".to_owned());
        let found = ModelError { busy, makespan, within, ..ModelError::default() };
        processes[at].self_replay = Some(found);
    }
    processes[0].recorded_on = Some("an H100".to_owned());
    let rows: [(&str, &[f64], f64); 1] = [("leftover", &[10.0, 26.0, 6.0], 0.1)];
    assert_eq!(
        of(processes, &rows, &[]).trust_in_brief(),
        [
            "Simulated",
            "train, eval were recorded on a V100 and are not scaled",
            "decode was recorded on an H100 and is not scaled",
            "Replayed alone, worst errors: busy time -4.0 %, length -2.0 %; 50 % of waits agree",
        ]
    );
}

#[test]
fn what_cannot_be_compared_says_so() {
    let figures = of(serve_and_train(), &REVIEW[..1], &[]);
    assert_eq!(figures.verdict.kind, VerdictKind::OneRecipe);
    let mut figures = of(serve_and_train(), &REVIEW, &[]);
    figures.rows[4].complete = false;
    let figures = PolicyFigures::new("leftover", figures.processes, figures.rows, Vec::new());
    assert_eq!(figures.verdict.kind, VerdictKind::Incomplete);
    assert_eq!(ranked(&figures).last(), Some(&"leftover"));
}

#[test]
fn trust_says_what_the_figures_rest_on() {
    let mut processes = serve_and_train();
    processes[1].recorded_on = Some("a V100".to_owned());
    let mut figures = of(processes, &REVIEW, &[]);
    figures.rows.iter_mut().for_each(|row| row.processes[0].requests = Some(12));
    let figures = PolicyFigures::new("leftover", figures.processes, figures.rows, Vec::new());
    assert_eq!(
        figures.verdict.trust,
        [
            "Simulated",
            "12 requests of decode: p99 is the slowest",
            "train was recorded on a V100 and is not scaled",
        ]
    );
}

#[test]
fn what_the_seeds_leave_open_is_not_advised() {
    // Means of 16 and 32 ms that spread alike over four seeds, or the other way round.
    let drawn = |spread_ms: f64, alike: f64| {
        let seeds = [-1.0, 1.0, -1.0, 1.0];
        let rows = |name: &str, ms: f64, spread: f64| {
            let one = |sign: &f64| row(name, &[ms + sign * spread, 26.0], 1.0);
            PolicyRow::over_seeds(seeds.iter().map(one).collect()).expect("four rows")
        };
        let drain = rows("leftover-drain", 16.0, spread_ms * alike);
        let rows = vec![rows("leftover", 32.0, spread_ms), drain];
        PolicyFigures::new("leftover", serve_and_train(), rows, Vec::new())
    };
    let sure = drawn(2.0, 1.0);
    assert_eq!(sure.verdict.kind, VerdictKind::Use);
    let found = sure.rows[1].processes[0];
    assert_eq!(found.decisive_ns, Some(16_000_000));
    // 3.182 * sqrt(16/3) / 2 ms.
    let known = found.drawn.expect("several seeds");
    assert_eq!((known.seeds, known.decisive_within_ns), (4, 3_674_257));
    assert!(sure.verdict.trust.iter().any(|text| text.starts_with("Means over 4 seeds")));
    // Each mean may be off by 18 ms, but every seed says 16 ms less.
    let paired = drawn(10.0, 1.0);
    assert_eq!(paired.verdict.kind, VerdictKind::Use);
    assert_eq!(paired.paired_change(1, 0), Some((-16e6, 0.0)));
    // Differences of 16 ms give or take twice the spread: 3.182 * sqrt(4/3) * 2 * spread / 2.
    assert_eq!(drawn(4.0, -1.0).verdict.kind, VerdictKind::Use, "14.7 ms to both sides");
    let open = drawn(5.0, -1.0);
    assert_eq!(open.verdict.kind, VerdictKind::BelowError, "18.4 ms to both sides");
    let said = "seed by seed, decode p99 is 34.4 ms shorter to 2.37 ms longer than under leftover";
    assert!(open.verdict.text.contains(said), "{}", open.verdict.text);
}

/// Makes the figures of three recipes of which the last is today's. Under the first recipe, the p99
/// of the first process has an interval from 19 ms to `most_ms`.
fn with_interval(most_ms: f64, today: &str) -> PolicyFigures {
    let rows: [(&str, &[f64], f64); 3] = [
        ("mps", &[20.0, 26.0], 0.0),
        ("partition-50-50", &[25.0, 26.0], 0.0),
        (today, &[40.0, 26.0], 0.0),
    ];
    let bound = |ms: f64| row("mps", &[ms, 26.0], 0.0);
    let rows = rows.iter().map(|&(recipe, figures, wait)| row(recipe, figures, wait));
    let mut rows: Vec<PolicyRow> = rows.collect();
    rows[0] = rows[0].clone().between(&[bound(19.0), bound(most_ms)], &[]);
    PolicyFigures::new(today, serve_and_train(), rows, Vec::new())
}

/// Checks that no confidence interval of a process's time begins below its time alone, for three
/// seeds whose interval is wider than their mean.
#[test]
fn no_interval_begins_below_the_process_alone() {
    let seeds = [10.0, 14.0, 30.0].map(|ms| row("mps", &[ms, 26.0], 0.0));
    let mean = PolicyRow::over_seeds(seeds.to_vec()).expect("three rows");
    assert!(mean.processes[0].drawn.expect("three seeds").decisive_within_ns > 18_000_000);
    let bounds = [row("mps", &[17.0, 26.0], 0.0)];
    let least = |processes: &[JudgedProcess]| {
        let found = mean.clone().between(&bounds, processes);
        found.processes[0].between_ns.expect("it has bounds")[0]
    };
    assert_eq!(least(&serve_and_train()), 9_500_000);
    let slower = [process("decode", JudgedBy::Requests, 20.0)];
    assert_eq!(least(&slower), 17_000_000, "a bound lies around its figure");
}

#[test]
fn an_interval_that_covers_the_second_best_says_either() {
    let figures = with_interval(24.0, "time-slice");
    assert_eq!(figures.rows[0].processes[0].between_ns, Some([19_000_000, 24_000_000]));
    assert_eq!(figures.verdict.kind, VerdictKind::Use, "{}", figures.verdict.text);
    let figures = with_interval(26.0, "time-slice");
    assert_eq!(figures.verdict.kind, VerdictKind::Either);
    assert_eq!(figures.verdict.recipe.as_deref(), Some("mps"));
    assert!(figures.verdict.by_trial);
    assert!(
        figures.verdict.text.starts_with(
            "Either mps or partition-50-50: too little is known of contention to tell which is better. Both tried on the device tell it."
        ),
        "{}",
        figures.verdict.text
    );
    // Queues of their own are today's way of two processes on other devices, which have no MPS.
    let amd = with_interval(26.0, "streams").verdict;
    assert_eq!(amd.kind, VerdictKind::Either);
    let told = "Both tried on the device tell it";
    assert!(amd.by_trial && amd.text.contains(told), "{}", amd.text);
}

#[test]
fn a_way_that_fares_as_the_best_one_hides_no_doubt() {
    let row = |recipe: &str| requested(recipe, |n| if (200..204).contains(&n) { 40 } else { 10 });
    let today = requested("time-slice", |n| 20 + n % 7);
    let rows = vec![today, row("mps"), row("streams"), row("stream-priorities")];
    let found = PolicyFigures::new("time-slice", serve_and_train(), rows, Vec::new());
    assert_eq!(found.verdict.kind, VerdictKind::Either, "{}", found.verdict.text);
    let text = &found.verdict.text;
    assert!(text.starts_with("Either mps or time-slice: "), "{text}");
}

#[test]
fn advice_that_turns_round_with_the_cause_of_gaps_is_none() {
    let rows: [(&str, &[f64], f64); 4] = [
        ("time-slice", &[42.5, 30.0], 5.0),
        ("mps-priority", &[16.9, 31.0], 0.1),
        ("streams", &[21.0, 31.0], 0.1),
        ("mps", &[20.5, 31.0], 0.1),
    ];
    let of = |queued_ms: [f64; 4]| {
        let mut processes = serve_and_train();
        processes[1].issue_unknown = true;
        let rows = rows.iter().zip(queued_ms).map(|(&(recipe, figures, wait), queued)| {
            let other = row(recipe, &[queued, 31.0], wait);
            row(recipe, figures, wait).queued(Some(&other))
        });
        PolicyFigures::new("time-slice", processes, rows.collect(), Vec::new()).verdict
    };
    let found = of([42.5, 16.9, 21.0, 20.5]);
    assert_eq!(found.kind, VerdictKind::Use, "{}", found.text);
    let found = of([42.5, 16.9, 21.0, 16.8]);
    // In one reading the two are alike, so the gain is no advice, though neither reading turns it round.
    let told =
        "Either mps-priority or mps: they differ by 21 % (0.0 % if work was queued) over all";
    assert!(found.text.starts_with(told), "{}", found.text);
    // Of two ways that would be better, the best one is named.
    let found = of([42.5, 16.9, 16.5, 16.0]);
    assert_eq!(found.kind, VerdictKind::Either, "{}", found.text);
    assert_eq!((found.recipe.as_deref(), found.or.as_deref()), (Some("mps-priority"), Some("mps")));
    assert!(found.text.starts_with("Either mps-priority or mps: the file of train does not say"));
    assert!(!found.text.contains("Assumed: "), "said once: {}", found.text);
}

#[test]
fn advice_by_assumed_gaps_says_so() {
    let rows: [(&str, &[f64], f64); 2] =
        [("time-slice", &[42.5, 30.0], 5.0), ("mps-priority", &[16.9, 31.0], 0.1)];
    let mut processes = serve_and_train();
    processes[1].issue_unknown = true;
    let found = of(processes, &rows, &[]).verdict;
    assert_eq!(found.kind, VerdictKind::Use);
    let end = "Assumed: the file of train does not say when work was issued, so its gaps are taken for waits for the host.";
    assert!(found.text.ends_with(end), "{}", found.text);
}

/// Makes a row of 400 requests, of which the n-th takes `ms(n)` milliseconds.
fn requested(recipe: &str, ms: impl Fn(u64) -> u64) -> PolicyRow {
    let mut row = row(recipe, &[1.0, 30.0], 1.0);
    let times: Vec<u64> = (0..400).map(|n| ms(n) * 1_000_000).collect();
    let mut sorted = times.clone();
    sorted.sort_unstable();
    row.processes[0].decisive_ns = Some(raddle_sim::percentile(&sorted, 99));
    row.processes[0].requests = Some(400);
    row.in_order_ns = vec![times, Vec::new()];
    row
}

#[test]
fn an_order_that_other_requests_might_turn_round_is_no_advice() {
    let of = |ms: fn(u64) -> u64| {
        let rows = vec![requested("time-slice", |n| 20 + n % 7), requested("mps", ms)];
        PolicyFigures::new("time-slice", serve_and_train(), rows, Vec::new())
    };
    // Each request takes three quarters of its time under time slices, whatever requests are drawn.
    let found = of(|n| (20 + n % 7) * 3 / 4);
    assert_eq!(found.verdict.kind, VerdictKind::Use, "{}", found.verdict.text);
    // Requests are shorter but for one burst, of which many draws hold more than this sample does.
    let found = of(|n| if (200..204).contains(&n) { 40 } else { 10 });
    assert_eq!(found.verdict.kind, VerdictKind::Either, "{}", found.verdict.text);
    assert!(found.verdict.text.starts_with("Either mps or time-slice"), "{}", found.verdict.text);
    assert!(found.verdict.by_trial);
}
