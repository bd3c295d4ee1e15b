//! How much energy does a run draw, and does a meter find the weights of instructions again?

use raddle_policy::{Activity, StreamId};
use raddle_sim::{EnergyModel, Summary, Task, TestBench};
use raddle_workgroup::place::{Meter, calibrate};

use crate::kit::{SHAPE, WAVE_UW, copy, kernel, run_default, workload};

#[test]
fn waves_draw_while_they_are_resident() {
    assert_eq!(
        EnergyModel::of_instructions(EnergyModel::ASSUMED.pj).wave_uw(crate::kit::ACTIVITY, false),
        WAVE_UW
    );
    // Two workgroups of 3 waves run for 100 ns on one compute unit each; then 1 wave runs for 50
    // ns.
    let later = Task { activity: Activity([0, 10, 0, 0, 0, 0]), ..kernel(100, 1, 1, 50) };
    let later = Task { stream: StreamId(1), ..later };
    let workload = workload(vec![vec![kernel(0, 2, 3, 100), later]]);
    let outcome = run_default(&workload, 2);
    let energy = &outcome.energy;
    assert_eq!(energy.cu_peak_uw, [4000.max(3 * WAVE_UW), 3 * WAVE_UW]);
    let first = u128::from(3 * WAVE_UW * 100);
    assert_eq!(energy.cu_fj, [first + 4000 * 50, first]);
    assert_eq!(energy.peak_uw, 6 * WAVE_UW, "10 uJ a tick never stand beside each other");
    let summary = Summary::new(&workload, &outcome, &[]).energy.expect("something was drawn");
    let total = 2 * first + 4000 * 50;
    assert_eq!(summary.energy_uj, 0, "far below a microjoule");
    assert_eq!(u128::from(summary.mean_mw), total / 150 / 1000);
    assert_eq!((summary.peak_mw, summary.cu_peak_mw), (12, 6));
}

#[test]
fn figures_of_evenness_and_idleness_are_those_of_a_computation_by_hand() {
    // One compute unit draws 4 mW for 100 ns, the other for 50 ns; both draw 10 mW when idle.
    let draws = |workgroups, ticks| Task {
        activity: Activity([0, 10, 0, 0, 0, 0]),
        ..kernel(0, workgroups, 1, ticks)
    };
    let other = Task { stream: StreamId(1), ..draws(1, 50) };
    let workload = workload(vec![vec![draws(1, 100), other]]);
    let mut outcome = run_default(&workload, 2);
    let model = EnergyModel { idle_mw: 5, cu_idle_mw: 10, ..EnergyModel::ASSUMED };
    let mut energy = outcome.energy.clone();
    assert_eq!(energy.cu_fj, [400_000, 200_000]);
    assert_eq!(energy.cu_squared, [16 * 100, 16 * 50]);
    energy.idle_uw = 25_000;
    outcome.energy = energy;
    let summary = Summary::new(&workload, &outcome, &[]).energy.expect("something was drawn");
    assert_eq!((summary.hottest_to_mean, summary.jain), (1.3333, 0.9));
    // The first unit draws 4 mW throughout, the second 2 mW on average and 2 beside it: the root of
    // half of its variance of 4, over the mean of 3 mW.
    assert_eq!(summary.over_time, 0.4714);
    assert_eq!(model.wave_uw(Activity([0, 10, 0, 0, 0, 0]), true), 10 * (400 + 150 + 1003));
}

#[test]
fn what_comes_and_goes_in_one_tick_is_no_peak() {
    // The kernel has two rounds on one compute unit: at 100 one round leaves and the next comes.
    let outcome = run_default(&workload(vec![vec![kernel(0, 16, 1, 100)]]), 1);
    assert_eq!(outcome.energy.peak_uw, 8 * WAVE_UW);
    assert_eq!(outcome.energy.total_fj(), u128::from(16 * 100 * WAVE_UW));
}

#[test]
fn without_an_activity_nothing_is_known() {
    let unknown = Task { activity: Activity::UNKNOWN, ..kernel(0, 4, 2, 10) };
    let workload = workload(vec![vec![unknown, copy(0, 30)]]);
    let outcome = run_default(&workload, 1);
    assert_eq!(outcome.energy.total_fj(), 0);
    assert_eq!(Summary::new(&workload, &outcome, &[]).energy, None);
}

#[test]
fn calibrating_at_the_model_gives_its_weights() {
    for (pj, weights) in [
        ([8, 24, 20, 128, 4, 6], [4, 12, 10, 64, 2, 3]),
        ([1, 1, 1, 1, 1, 1], [1; 6]),
        ([7, 0, 21, 0, 0, 14], [1, 0, 3, 0, 0, 2]),
        (EnergyModel::ASSUMED.pj, [6, 40, 40, 200, 5, 3]),
    ] {
        let bench = TestBench::of_instructions(SHAPE, EnergyModel::of_instructions(pj));
        let found = calibrate(&mut |kind| bench.measure(kind), 6).expect("all six are measured");
        assert_eq!(found.as_slice(), weights, "{pj:?}");
    }
    let bench = TestBench::of_instructions(SHAPE, EnergyModel::ASSUMED);
    assert_eq!(bench.measure(0), Some(8 * 60), "8 waves at once, 60 mW each");
    let beyond = calibrate(&mut |kind| bench.measure(kind), 7);
    assert_eq!(
        beyond.map_err(|error| error.to_string()),
        Err("the power of kind 6 could not be measured: measure again".to_owned())
    );
    let none = TestBench::of_instructions(SHAPE, EnergyModel::NONE);
    assert_eq!(
        calibrate(&mut |kind| none.measure(kind), 6).map_err(|error| error.to_string()),
        Err("no weight is above 0: give at least one".to_owned())
    );
}

#[test]
fn tests_of_resources_are_the_users_own() {
    let model = EnergyModel::of_instructions(EnergyModel::ASSUMED.pj);
    let tests = vec![Activity([100, 0, 0, 0, 0, 0]), Activity([0, 50, 50, 0, 0, 0])];
    let bench = TestBench::new(SHAPE, model, tests);
    let found = calibrate(&mut |kind| bench.measure(kind), 2).expect("both are measured");
    assert_eq!(found.as_slice(), [3, 20], "48 mW to 320 mW");
}

/// A meter that reads a test bench with an error of up to 3 in 100, by a fixed pattern.
struct Noisy {
    bench: TestBench,
    readings: u64,
}

impl Meter for Noisy {
    fn measure(&mut self, kind: usize) -> Option<u64> {
        // Each measurement is the mean of 64 readings.
        let exact = self.bench.measure(kind)?;
        let mut sum = 0;
        for _ in 0..64 {
            self.readings = self.readings.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            sum += exact * (970 + (self.readings >> 33) % 61) / 1000;
        }
        Some(sum / 64)
    }
}

#[test]
fn a_noisy_meter_gives_nearly_the_same_proportions() {
    let model = EnergyModel::of_instructions([80, 240, 200, 1280, 40, 60]);
    let bench = TestBench::of_instructions(SHAPE, model);
    let found = calibrate(&mut Noisy { bench, readings: 1 }, 6).expect("all six are measured");
    let found = found.as_slice();
    // Every pair is in proportion within 2 in 100.
    for (a, &x) in found.iter().enumerate() {
        for (b, &y) in found.iter().enumerate() {
            let (is, wanted) = (x * u64::from(model.pj[b]), y * u64::from(model.pj[a]));
            assert!(is.abs_diff(wanted) * 50 <= wanted, "{found:?}: {a} to {b}");
        }
    }
    assert_ne!(found, [4, 12, 10, 64, 2, 3], "the noise is there");
}
