//! Do encoding and decoding allocate nothing?

use raddle_packet::{
    Agent, AqlFormat, AqlPacket, Condensed, Encoder, HALF_WORDS, KernelDispatch, LaunchImage,
    PacketView, Replacement,
};
use raddle_testkit::{CountingAllocator, made};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn the_count_counts() {
    assert_eq!(made(|| drop(std::hint::black_box(vec![1_u8]))), 1);
}

#[test]
fn a_stream_there_and_back() {
    for replacement in Replacement::ALL {
        let (mut launches, mut faults, mut sum) = (0, 0, 0);
        let everything = || {
            let format = AqlFormat::default();
            let mut encoder = Encoder::new(format, replacement.policy(9));
            let mut agent = Agent::new(format);
            let mut list = [LaunchImage::default(); HALF_WORDS];
            let mut receive = |packet: &AqlPacket| {
                faults += u64::from(Condensed::parse(packet, &format).is_err());
                faults += u64::from(PacketView::new(packet, &format).fault().is_some());
                let found =
                    agent.receive(packet, &mut list).expect("what was sent is good").launches();
                launches += found.len();
                sum += found.iter().map(|launch| launch.get(11)).sum::<u64>();
            };
            for n in 0..3000 {
                let kernel = KernelDispatch {
                    kernel_object: n * n % 13,
                    kernarg_address: n,
                    ..KernelDispatch::default()
                };
                encoder.launch(&kernel.launch(&format).unwrap(), &mut receive);
            }
            encoder.flush(&mut receive);
        };
        assert_eq!(made(everything), 0, "{}", replacement.name());
        assert_eq!((launches, sum), (3000, 2999 * 1500), "{}", replacement.name());
        assert!(faults > 0, "reference packets are no condensed ones");
    }
}
