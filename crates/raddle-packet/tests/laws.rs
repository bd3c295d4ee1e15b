//! Does the launch path keep the laws of its trait, and cost what its packets cost?

use proptest::prelude::*;
use raddle_packet::{
    Agent, AqlConfig, AqlFormat, AqlPacket, Condensed, CondensedConfig, CondensedPath, HALF_WORDS,
    KernelArguments, LaunchImage, Overhead, Replacement, TableScope, cleanups,
};
use raddle_policy::{Dim3, KernelCall, Launch, LaunchPath, ProcessId, StreamId, Submission, Ticks};
use raddle_testkit::{altered, check_launch_path, launch, submissions};

fn config() -> impl Strategy<Value = CondensedConfig> {
    let keep = prop::sample::select(Replacement::ALL.to_vec());
    let scope =
        prop::sample::select(vec![TableScope::Queue, TableScope::Process, TableScope::Agent]);
    let arguments = prop::sample::select(vec![KernelArguments::New, KernelArguments::Fixed]);
    let costs = prop_oneof![3 => 0..3_u64, 1 => Just(u64::MAX)];
    (keep, scope, arguments, costs, any::<bool>(), 1..=31_u8, 1..9_u16).prop_map(
        |(keep, scope, arguments, ns, signals, ahead, entries)| {
            CondensedConfig::default()
                .with_costs_ns(
                    Overhead::default()
                        .with_enqueue(ns)
                        .with_processing(ns / 2)
                        .with_decode(ns / 3)
                        .with_schedule(1)
                        .with_cleanup(ns),
                )
                .with_keep(keep)
                .with_near(9)
                .with_entries(entries)
                .with_scope(scope)
                .with_arguments(arguments)
                .with_signals(signals)
                .with_ahead(ahead)
                .with_overlap(signals)
        },
    )
}

proptest! {
    #[test]
    fn it_keeps_them(config in config(), submissions in submissions()) {
        check_launch_path(|| CondensedPath::new(config).unwrap(), &submissions);
    }
}

/// Drawn launch: (its kernel, grid, work-items, LDS, true if a copy stands before it, its stream).
type DrawnLaunch = (u32, u32, u32, u32, bool, u32);

fn drawn() -> impl Strategy<Value = Vec<DrawnLaunch>> {
    let copied = prop::bool::weighted(0.1);
    prop::collection::vec((0..6_u32, 0..9_u32, 0..3_u32, 0..4_u32, copied, 0..2_u32), 1..200)
}

fn launch_of((kernel, x, wide, lds_bytes, behind_copy, stream): DrawnLaunch) -> Launch {
    let grid = Dim3::new(1 + x, 1 + x / 7, 1 + x / 8);
    let call = KernelCall { kernel, grid, threads: 64 << wide, lds_bytes, behind_copy };
    launch(0).stream(stream).call(call).build()
}

proptest! {
    /// Checks that an agent launches the launches that a path took, in their order, in as many
    /// packets as the path said, at the total cost that figures 5 and 7 of seed 002 give. No packet
    /// goes across a copy, and a launch of an unknown kernel has a packet of its own.
    #[test]
    fn packets_launch_what_was_taken_at_the_cost_of_the_figures(
        launches in drawn(),
        config in config(),
        ahead in 1..=31_u8,
        entries in 1..9_u16,
    ) {
        let (enqueue, processing, decode, schedule, cleanup) = (4, 6, 7, 1, 5);
        let model = Overhead::default().with_enqueue(enqueue).with_processing(processing).with_decode(decode).with_schedule(schedule).with_cleanup(cleanup);
        let config = config.with_costs_ns(model).with_entries(entries).with_ahead(ahead);
        let format = AqlFormat::new(&AqlConfig::default().with_entries(entries));
        let format = format.unwrap();
        for stream in 0..2 {
            // A table each, so that an agent hears one of them.
            let mut path = CondensedPath::new(config).unwrap();
            let mut sent: Vec<AqlPacket> = Vec::new();
            let (mut told, mut cost, mut wanted) = (0, 0, Vec::new());
            for launch in launches.iter().map(|&it| launch_of(it)).filter(|it| it.stream.0 == stream) {
                wanted.push((path.image(&launch), launch.call));
                let via = path.take(&launch, &mut |packet| sent.push(*packet));
                told += via.packets;
                cost += via.cost.0 + via.cleanup.0;
            }
            cost += path.finish(&mut |packet| sent.push(*packet)).0;
            prop_assert_eq!(sent.len(), told as usize);
            let (mut agent, mut figures, mut wanted) = (Agent::new(format), 0, wanted.into_iter());
            for packet in &sent {
                let mut list = [LaunchImage::default(); HALF_WORDS];
                let got = agent.receive(packet, &mut list).unwrap().launches();
                let runs = vec![0; got.len()];
                let condensed = Condensed::parse(packet, &format).is_ok();
                figures += match condensed {
                    true => model.condensed(&runs, u64::from(cleanups(got)) - 1),
                    false => model.ordinary(&runs),
                };
                prop_assert!(got.len() <= usize::from(ahead));
                for (place, image) in got.iter().enumerate() {
                    let (launch, call) = wanted.next().unwrap();
                    prop_assert_eq!(*image, launch);
                    prop_assert!(!call.behind_copy || place == 0, "{:?} in place {}", call, place);
                    prop_assert!(!call.is_unknown() || packet[0] == 2);
                }
            }
            prop_assert!(wanted.next().is_none());
            prop_assert_eq!(cost, figures);
        }
    }

    /// Checks that each packet has its cleanup counted once: by its last launch, by the packet
    /// after it, or at the end.
    #[test]
    fn a_cleanup_a_packet(launches in drawn(), config in config()) {
        let costs = Overhead::default().with_cleanup(1);
        let config = config.with_costs_ns(costs).with_signals(false);
        let mut path = CondensedPath::new(config).unwrap();
        let (mut packets, mut paid) = (0, 0);
        for &it in &launches {
            let one = path.submit(&launch_of(it));
            packets += u64::from(one.packets);
            paid += one.cost.0 + one.cleanup.0;
        }
        prop_assert_eq!(paid + path.finish(&mut |_| {}).0, packets);
    }
}

/// Returns the launch number `n` of a loop over six kernels.
fn kernel(n: u32) -> Launch {
    let call = KernelCall { kernel: 1 + n % 6, ..KernelCall::UNKNOWN };
    launch(n).call(call).build()
}

/// Checks that kernels are told apart by their number alone: not by the needs of their workgroups,
/// nor by their level.
#[test]
fn kernels_are_told_by_identity() {
    let packets = |same: bool| {
        let config = CondensedConfig::default().with_arguments(KernelArguments::Fixed);
        let mut path = CondensedPath::new(config).unwrap();
        for n in 0..12 {
            let mut launch = kernel(if same { 0 } else { n });
            launch.demand.lds = n;
            launch.demand.vgpr = n as u16;
            path.submit(&launch);
        }
        (path.tally().reference(), path.tally().condensed())
    };
    assert_eq!((packets(true), packets(false)), ((1, 11), (6, 6)));
    // Kernels of two processes are two kernels, also where both processes have one table.
    let config = CondensedConfig::default().with_scope(TableScope::Agent);
    let mut path = CondensedPath::new(config).unwrap();
    for process in [0, 1, 0, 1] {
        path.submit(&altered(kernel(0), |it| it.process = ProcessId(process)));
    }
    assert_eq!(path.tally().reference(), 2);
}

/// Checks the costs of a loop over six kernels, launch by launch, against the parts of figures 5
/// and 7 of seed 002: six reference packets, then one condensed packet for each iteration.
#[test]
fn the_loop_of_six_costs_what_the_figures_say() {
    let model = Overhead::default()
        .with_enqueue(2)
        .with_processing(3)
        .with_decode(0)
        .with_schedule(1)
        .with_cleanup(2);
    let costs = CondensedConfig::default().with_costs_ns(model).with_ahead(6);
    let mut path = CondensedPath::new(costs).unwrap();
    let one = |cost, packets, cleanup| Submission {
        packets,
        bytes: 64 * u64::from(packets),
        cost: Ticks(cost),
        cleanup: Ticks(cleanup),
    };
    let all: Vec<Submission> = (0..60).map(|n| path.submit(&kernel(n))).collect();
    assert_eq!(all[..6], [one(6, 1, 2); 6]);
    for iteration in all[6..].chunks(6) {
        assert_eq!(iteration[0], one(6, 1, 0));
        assert_eq!(iteration[1..5], [one(1, 0, 0); 4]);
        assert_eq!(iteration[5], one(1, 0, 2));
    }
    // The sum is that of the model: 42 + 6 and nine times 7 + 6.
    let sum: u64 = all.iter().map(|one| one.cost.0 + one.cleanup.0).sum();
    assert_eq!(sum, model.ordinary(&[0; 6]) + 9 * model.condensed(&[0; 6], 0));
    assert_eq!((path.tally().launches(), path.tally().reference()), (60, 6));
}

/// Checks that a packet is full, so that its cleanup is counted, once it holds as many launches as
/// the host is ahead, and once no other launch has room in it; each case by itself.
#[test]
fn a_packet_is_full_by_launches_or_by_half_words() {
    let cleaned = |ahead, arguments| {
        let costs = Overhead::default().with_decode(4).with_schedule(1).with_cleanup(1);
        let costs = CondensedConfig::default().with_costs_ns(costs);
        let mut path =
            CondensedPath::new(costs.with_ahead(ahead).with_arguments(arguments)).unwrap();
        let all: Vec<Submission> = (0..20).map(|n| path.submit(&kernel(6 * n))).collect();
        // The first one is a reference packet; every other one is taken out of a condensed one.
        assert!(all[0].cost == Ticks(1) && all[1..].iter().all(|one| one.cost >= Ticks(5)));
        let places = (1..).zip(&all[1..]).filter(|(_, one)| one.cleanup == Ticks(1));
        places.map(|(n, _)| n).collect::<Vec<u32>>()
    };
    assert_eq!(cleaned(3, KernelArguments::Fixed), [3, 6, 9, 12, 15, 18]);
    // Five half-words each, six of them in 31.
    assert_eq!(cleaned(31, KernelArguments::New), [6, 12, 18]);
}

/// Checks that with a completion signal for each launch, half as many fit in a packet, and each has
/// a cleanup.
#[test]
fn signals_take_room_and_time() {
    let costs = Overhead::default().with_cleanup(2);
    let config = CondensedConfig::default().with_costs_ns(costs).with_signals(true).with_ahead(31);
    let mut path = CondensedPath::new(config).unwrap();
    let all: Vec<Submission> = (0..60).map(|n| path.submit(&kernel(n))).collect();
    assert!(all.iter().all(|one| one.cleanup == Ticks(2)));
    // Kernarg and signal take 9 of 31 half-words: three a packet.
    let packets: u32 = all.iter().map(|one| one.packets).sum();
    assert_eq!(packets, 6 + 54 / 3);
}

#[test]
fn a_table_for_each_queue_or_for_all() {
    let packets = |scope| {
        let config = CondensedConfig::default().with_scope(scope);
        let mut path = CondensedPath::new(config).unwrap();
        let mut sum = 0;
        for n in 0..40 {
            let mut launch = kernel(6 * n);
            launch.stream = StreamId(n / 20);
            sum += path.submit(&launch).packets;
        }
        (sum, path.tally().reference())
    };
    // Each queue stores the kernel; six launches fit a packet: 19 of each in 4, or 19 and 20 in 8.
    assert_eq!(packets(TableScope::Queue), (2 + 8, 2));
    assert_eq!(packets(TableScope::Process), (1 + 8, 1));
}

/// Checks that a packet belongs to one queue, whichever queues share a table.
#[test]
fn streams_share_a_table_but_no_packet() {
    let sent = |scope| {
        let config = CondensedConfig::default().with_scope(scope);
        let mut path = CondensedPath::new(config).unwrap();
        let launch = |(process, stream)| {
            let launch = kernel(0).with_stream(StreamId(stream));
            altered(launch, |it| it.process = ProcessId(process))
        };
        let queues = [(0, 0), (0, 0), (0, 0), (0, 1), (0, 1), (0, 0), (1, 0), (1, 0)];
        queues.map(|queue| path.submit(&launch(queue)).packets)
    };
    // The first launch of a table fills an entry; two condensed ones share a packet.
    assert_eq!(sent(TableScope::Queue), [1, 1, 0, 1, 1, 0, 1, 1]);
    assert_eq!(sent(TableScope::Process), [1, 1, 0, 1, 0, 1, 1, 1]);
    // A kernel of another process is another one, which fills an entry of its own.
    assert_eq!(sent(TableScope::Agent), [1, 1, 0, 1, 0, 1, 1, 1]);
}
