//! Do encoding and decoding allocate nothing?

use raddle_packet::{
    Agent, AqlOptions, Condensed, Encoder, Format, KernelDispatch, Launch, Received, Rule, View,
};
use raddle_testkit::{Counting, made};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn the_count_counts() {
    assert_eq!(made(|| drop(std::hint::black_box(vec![1_u8]))), 1);
}

#[test]
fn a_stream_there_and_back() {
    for rule in Rule::ALL {
        let (mut launches, mut faults, mut sum) = (0, 0, 0);
        let everything = || {
            let format = Format::aql(&AqlOptions::default()).unwrap();
            let mut encoder = Encoder::<64, 8, _>::new(format, rule.keeper::<8>(9)).unwrap();
            let mut agent = Agent::<64, 8>::new(format).unwrap();
            let (mut into, mut list) = (agent.clone(), [Launch::default(); 31]);
            let mut receive = |packet: &[u8; 64]| {
                let parsed = Condensed::parse(packet, &format);
                faults += u64::from(parsed.is_err());
                if let Ok(Received::Launches(found)) = agent.receive(packet) {
                    for launch in found {
                        launches += 1;
                        sum += launch.get(&format, 11);
                    }
                }
                faults += u64::from(View::new(packet, &format).fault().is_some());
                let count = into.receive_into(packet, &mut list).expect("what was sent is good");
                sum += list[..count].iter().map(|launch| launch.get(&format, 11)).sum::<u64>();
            };
            let mut many = [Launch::default(); 6];
            for n in 0..3000 {
                let kernel = KernelDispatch {
                    kernel_object: n * n % 13,
                    kernarg_address: n,
                    ..KernelDispatch::default()
                };
                // One by one, and six at a time.
                many[n as usize % 6] = kernel.launch(&format).unwrap();
                match n % 12 {
                    0..6 => encoder.launch(&many[n as usize % 6], &mut receive),
                    11 => encoder.launches(&many, &mut receive),
                    _ => {}
                }
            }
            encoder.flush(&mut receive);
        };
        assert_eq!(made(everything), 0, "{}", rule.name());
        assert_eq!((launches, sum), (3000, 2 * 2999 * 1500), "{}", rule.name());
        assert!(faults > 0, "reference packets are no condensed ones");
    }
}
