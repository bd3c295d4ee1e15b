//! Do the accounts of processes equal a sum over every span for every process?

use proptest::prelude::*;

use super::*;
use crate::times::ProcessTime;

/// The counts from which the activity of a process follows: [waves on the device, launches
/// submitted and not held, launches ready, launches issued].
type Stand = [u64; 4];

/// A naive account of times, which adds every span of time to each figure that counts it; the
/// oracle of `Usage`.
#[derive(Default)]
struct Naive {
    times: Vec<ProcessTime>,
    waits_ns: Vec<u64>,
    wave_ns: Vec<u128>,
    shared_wave_ns: Vec<u128>,
    blocked_ns: Vec<u64>,
    busy_ns: u64,
    device: DeviceTime,
}

impl Naive {
    fn new(processes: usize) -> Self {
        Self {
            times: vec![ProcessTime::default(); processes],
            waits_ns: vec![0; processes],
            wave_ns: vec![0; processes],
            shared_wave_ns: vec![0; processes],
            blocked_ns: vec![0; processes * processes],
            ..Self::default()
        }
    }

    /// Adds a span of `ns` nanoseconds in which the processes have the counts `at`; `copies` is the
    /// number of running [copies within the device's memory, other copies].
    fn pass(&mut self, ns: u64, at: &[Stand], copies: [u64; 2], slots: u64) {
        if ns == 0 {
            return;
        }
        let running = at.iter().filter(|stand| stand[0] > 0).count() as u64;
        let runnable = at.iter().filter(|stand| stand[2] > 0).count();
        self.busy_ns += if running > 0 { ns } else { 0 };
        for (process, &[waves, placed, ready, issued]) in at.iter().enumerate() {
            let time = &mut self.times[process];
            let spent = &mut time.spent;
            let field = match (waves, placed, ready, issued) {
                (1.., ..) if running == 1 => &mut spent.alone_ns,
                (1.., ..) => &mut spent.beside_ns,
                (_, 1.., ..) => &mut spent.room_ns,
                (_, _, 1.., _) => &mut spent.turn_ns,
                (.., 1..) => &mut spent.dependency_ns,
                _ => &mut spent.host_ns,
            };
            *field += ns;
            if waves == 0 && (placed > 0 || ready > 0) {
                for (other, stand) in at.iter().enumerate() {
                    self.blocked_ns[process * at.len() + other] +=
                        if stand[0] > 0 { ns } else { 0 };
                }
            }
            time.run_ns += if waves > 0 { ns } else { 0 };
            if ready > 0 {
                time.alive_ns += ns;
                time.run_of_all_ns += ns * running;
            }
            let waits = &mut self.waits_ns[process];
            *waits = if ready > 0 && waves == 0 { *waits + ns } else { 0 };
            time.longest_wait_ns = time.longest_wait_ns.max(*waits);
            self.wave_ns[process] += u128::from(waves * ns);
            self.shared_wave_ns[process] += if runnable >= 2 { u128::from(waves * ns) } else { 0 };
        }
        let any = |what: usize| at.iter().any(|stand| stand[what] > 0);
        let used: u64 = at.iter().map(|stand| stand[0]).sum();
        let device = &mut self.device;
        device.window_ns += ns;
        let field = match running {
            0 if copies[0] > 0 => &mut device.copying_inside_ns,
            0 if any(1) => &mut device.idle_room_ns,
            0 if any(2) => &mut device.idle_turn_ns,
            0 if any(3) && copies[1] > 0 => &mut device.idle_copies_ns,
            0 if any(3) => &mut device.idle_dependency_ns,
            0 => &mut device.idle_host_ns,
            _ if used * 4 < slots => &mut device.under_quarter_ns,
            _ if used * 4 <= slots * 3 => &mut device.to_three_quarters_ns,
            _ => &mut device.above_ns,
        };
        *field += ns;
    }
}

/// Returns the times of a process as a plain tuple, to compare with the naive account.
fn plain(time: &ProcessTime) -> (u64, u64, u64, u64, TimeSpent) {
    (time.run_ns, time.alive_ns, time.run_of_all_ns, time.longest_wait_ns, time.spent)
}

const PROCESSES: usize = 4;
const SLOTS: u64 = 16;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn accounts_are_settled_as_if_at_every_tick(
        steps in prop::collection::vec((0u64..4, 0..PROCESSES, 0usize..6, 0u64..5), 1..200),
    ) {
        let (mut usage, mut naive) = (Usage::new(PROCESSES, SLOTS), Naive::new(PROCESSES));
        let (mut stands, mut now) = ([[0u64; 4]; PROCESSES], Tick::ZERO);
        let mut copies = [0; 2];
        for (span, process, what, value) in steps {
            let issued: Vec<u64> = stands.iter().map(|stand| stand[3]).collect();
            now = now + raddle_policy::Ticks(span);
            naive.pass(span, &stands, copies, SLOTS);
            usage.advance(now, &issued);
            let id = process as u16;
            if let Some(copies) = copies.get_mut(what.wrapping_sub(4)) {
                let direction = (what == 4).then_some(CopyDirection::Inside);
                usage.copies(value as i32 - *copies as i32, direction);
                *copies = value;
                continue;
            }
            let before = std::mem::replace(&mut stands[process][what], value);
            let (more, less) = (value.saturating_sub(before), before.saturating_sub(value));
            match what {
                0 => {
                    usage.came(id, more);
                    usage.went(id, less);
                }
                1 => {
                    (0..more).for_each(|_| usage.place(id, true));
                    (0..less).for_each(|_| usage.place(id, false));
                }
                2 => {
                    (0..more).for_each(|_| usage.gained(id));
                    (0..less).for_each(|_| usage.lost(id));
                }
                _ => usage.touch(id),
            }
            if value == 4 {
                prop_assert_eq!(usage.spent(id), naive.times[process].spent);
            }
        }
        usage.mark();
        let used = usage.finish();
        prop_assert!(used.times.processes.iter().map(plain).eq(naive.times.iter().map(plain)));
        prop_assert_eq!(used.times.busy_ns, naive.busy_ns);
        prop_assert_eq!(used.wave_ns, naive.wave_ns);
        prop_assert_eq!(used.shared_wave_ns, naive.shared_wave_ns);
        prop_assert_eq!(used.blocked_ns, naive.blocked_ns);
        prop_assert_eq!(used.device_time, naive.device);
    }
}
