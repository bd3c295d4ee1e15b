//! Does the policy run every set of options as the golden model of seed 004 does?

use proptest::prelude::*;
use raddle_policy::{Level, ProcessState, Tick, Turn};
use raddle_timeslice::{
    LoadOrder, Reload, Shares, SliceRule, TakeOver, WeightedSlices, WeightedSlicesConfig,
};
use serde_json::json;

/// Settings and tasks that both the golden model and the policy get.
#[derive(Clone, Debug)]
struct Options {
    rule: SliceRule,
    order: LoadOrder,
    reload: Reload,
    take_over: TakeOver,
    shares: Shares,
    capacity: u32,
    longest_us: Option<u64>,
    /// Tasks, each as (level from 1, share, time of its arrival in microseconds).
    tasks: Vec<(u8, u32, u64)>,
}

fn options() -> impl Strategy<Value = Options> {
    let order = prop_oneof![
        Just(LoadOrder::Fifo),
        any::<u64>().prop_map(|seed| LoadOrder::Random { seed })
    ];
    let take_over = [TakeOver::SliceEnd, TakeOver::AtOnce, TakeOver::BatchEnd];
    let ways = (
        prop::sample::select(SliceRule::ALL.to_vec()),
        order,
        prop::sample::select(vec![Reload::OnePass, Reload::Completion]),
        prop::sample::select(take_over.to_vec()),
        prop::sample::select(vec![Shares::Weight, Shares::Time]),
    );
    let task = (1..4_u8, 1..4_u32, prop_oneof![Just(0), 0..4000_u64]);
    let limits = (1..5_u32, prop::option::of(10..200_u64));
    (ways, limits, prop::collection::vec(task, 1..7)).prop_map(|(ways, limits, mut tasks)| {
        let (rule, order, reload, take_over, shares) = ways;
        let (capacity, longest_us) = limits;
        tasks[0].2 = 0;
        Options { rule, order, reload, take_over, shares, capacity, longest_us, tasks }
    })
}

const END_US: u64 = 6000;

fn by_golden(o: &Options) -> Vec<u64> {
    let name = |id: usize| format!("t{id}");
    let tasks: Vec<_> = (o.tasks.iter().enumerate())
        .map(|(id, (level, share, _))| json!({"name": name(id), "level": level, "created": 0, "ran": 0, "share": share}))
        .collect();
    let late = o.tasks.iter().enumerate().filter(|(_, task)| task.2 > 0);
    let arrives: serde_json::Map<_, _> =
        late.map(|(id, task)| (name(id), json!(task.2 * 1000))).collect();
    let mut question = json!({
        "t0": 10_000, "capacity": o.capacity, "rule": o.rule, "order": o.order, "now": 0,
        "reload": o.reload, "take-over": o.take_over, "shares": o.shares, "tasks": tasks,
        "run": {"until": END_US * 1000, "arrives": arrives},
    });
    if let Some(longest) = o.longest_us {
        question["longest"] = json!(longest * 1000);
    }
    let topic = raddle_golden::topic("slices").unwrap();
    let answer = raddle_golden::explain(topic, &question.to_string()).unwrap().answer;
    let answer: serde_json::Value = serde_json::from_str(answer.get()).unwrap();
    (0..o.tasks.len()).map(|id| answer["ran"][name(id)].as_u64().unwrap()).collect()
}

fn by_policy(o: &Options) -> Vec<u64> {
    let Options { rule, order, reload, take_over, shares, capacity, longest_us, .. } = *o;
    let settings = WeightedSlicesConfig::new(rule).with_t0_us(10);
    let config = settings
        .with_order(order)
        .with_reload(reload)
        .with_take_over(take_over)
        .with_shares(shares)
        .with_capacity(capacity)
        .with_longest_us(longest_us);
    let mut states: Vec<ProcessState> = (0..)
        .zip(&o.tasks)
        .map(|(id, &(level, share, comes))| {
            let (level, joined) = (Level(level - 1), Tick(comes * 1000));
            let mut state = ProcessState::new(raddle_policy::ProcessId(id), level, Tick::ZERO);
            (state.share, state.joined) = (share, joined);
            state
        })
        .collect();
    let (mut policy, mut now) = (WeightedSlices::new(config).unwrap(), Tick(0));
    while now < Tick(END_US * 1000) {
        let view: Vec<ProcessState> =
            states.iter().filter(|state| state.joined <= now).copied().collect();
        let mut named = Vec::new();
        let until = policy.turn(&view, now, &mut named).unwrap_or(Tick::MAX);
        let comes = states.iter().map(|state| state.joined).filter(|comes| *comes > now).min();
        let next = until.min(comes.unwrap_or(Tick::MAX)).min(Tick(END_US * 1000));
        for state in states.iter_mut().filter(|state| state.joined <= now) {
            state.alive = next.since(state.joined);
            if named == [state.id] {
                state.ran += next.since(now);
            }
        }
        now = next;
    }
    states.iter().map(|state| state.ran.0).collect()
}

proptest! {
    #[test]
    fn every_set_of_options_runs_as_the_golden_model_says(options in options()) {
        prop_assert_eq!(by_policy(&options), by_golden(&options));
    }
}
