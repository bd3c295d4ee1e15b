//! Are our bytes those of the public HSA headers?
//!
//! A small C program is compiled against `hsa/hsa.h` (Debian: `libhsa-runtime-dev`) where that and a
//! C compiler are installed; elsewhere the test says that it was skipped, and passes, unless
//! `RADDLE_REQUIRE_HSA=1`.
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use raddle_packet::{AqlFormat, BarrierPacket, KernelDispatch};

/// Text of a C program that prints every offset and size of HSA's packets, then 1,000 dispatch and
/// 500 barrier packets as hexadecimal.
const PROGRAM: &str = r#"
#include <hsa/hsa.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FIELD(type, name) \
    printf(#name " %zu %zu\n", offsetof(type, name), sizeof(((type *)0)->name))

static uint64_t state;
static uint64_t draw(void) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state >> 17 ^ state << 23;
}

static void print(const void *packet) {
    const unsigned char *bytes = packet;
    for (int n = 0; n < 64; n++) printf("%02x", bytes[n]);
    printf("\n");
}

int main(void) {
    typedef hsa_kernel_dispatch_packet_t dispatch;
    typedef hsa_barrier_and_packet_t barrier;
    printf("sizes %zu %zu\n", sizeof(dispatch), sizeof(barrier));
    FIELD(dispatch, header); FIELD(dispatch, setup);
    FIELD(dispatch, workgroup_size_x); FIELD(dispatch, workgroup_size_y);
    FIELD(dispatch, workgroup_size_z); FIELD(dispatch, reserved0);
    FIELD(dispatch, grid_size_x); FIELD(dispatch, grid_size_y); FIELD(dispatch, grid_size_z);
    FIELD(dispatch, private_segment_size); FIELD(dispatch, group_segment_size);
    FIELD(dispatch, kernel_object); FIELD(dispatch, kernarg_address);
    FIELD(dispatch, reserved2); FIELD(dispatch, completion_signal);
    FIELD(barrier, header); FIELD(barrier, dep_signal); FIELD(barrier, completion_signal);
    printf("bits %d %d %d %d\n", HSA_PACKET_HEADER_TYPE, HSA_PACKET_HEADER_BARRIER,
        HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE, HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
    printf("types %d %d %d\n", HSA_PACKET_TYPE_KERNEL_DISPATCH, HSA_PACKET_TYPE_BARRIER_AND,
        HSA_PACKET_TYPE_BARRIER_OR);
    for (int n = 0; n < 1000; n++) {
        dispatch p;
        memset(&p, 0, sizeof p);
        unsigned scopes = draw() & 0xff;
        p.header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE | scopes << 8;
        p.setup = draw(); p.workgroup_size_x = draw(); p.workgroup_size_y = draw();
        p.workgroup_size_z = draw(); p.grid_size_x = draw(); p.grid_size_y = draw();
        p.grid_size_z = draw(); p.private_segment_size = draw(); p.group_segment_size = draw();
        p.kernel_object = draw(); p.kernarg_address = (void *)draw();
        p.completion_signal.handle = draw();
        print(&p);
    }
    for (int n = 0; n < 500; n++) {
        barrier p;
        memset(&p, 0, sizeof p);
        unsigned scopes = draw() & 0xff;
        unsigned type = n % 2 ? HSA_PACKET_TYPE_BARRIER_OR : HSA_PACKET_TYPE_BARRIER_AND;
        p.header = type << HSA_PACKET_HEADER_TYPE | scopes << 8;
        for (int s = 0; s < 5; s++) p.dep_signal[s].handle = draw();
        p.completion_signal.handle = draw();
        print(&p);
    }
    return 0;
}
"#;

/// Generator that draws the numbers of the C program a second time.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 17 ^ self.0 << 23
    }
}

/// Builds and runs the C program, and returns the text that it prints; `None` where it cannot be
/// built.
fn printed() -> Option<String> {
    let required = std::env::var("RADDLE_REQUIRE_HSA").is_ok_and(|value| value == "1");
    let skipped = |why: &str| {
        assert!(!required, "the HSA check is required: {why}");
        println!("skipped: {why} (on Debian: apt-get install libhsa-runtime-dev gcc)");
    };
    if !Path::new("/usr/include/hsa/hsa.h").is_file() {
        skipped("hsa/hsa.h is not installed");
        return None;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join("hsa.c"), folder.join("hsa"));
    fs::write(&source, PROGRAM).expect("the folder of this test is ours");
    let built = Command::new("cc").arg(&source).arg("-o").arg(&program).output();
    let Ok(built) = built else {
        skipped("there is no C compiler");
        return None;
    };
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&program).output().expect("it was just built");
    Some(String::from_utf8(ran.stdout).expect("ASCII"))
}

fn hex(packet: &[u8; 64]) -> String {
    packet.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_offset_and_a_thousand_packets() {
    let Some(printed) = printed() else { return };
    let mut lines = printed.lines();
    let mut line = || lines.next().expect("the program prints more");
    assert_eq!(line(), "sizes 64 64");
    let format = AqlFormat::default();
    // The header of 16 bits is type and scopes here, which follow each other.
    assert_eq!(line(), "header 0 2");
    let ours: Vec<_> = format.fields().iter().filter(|it| it.name() != "synch_scopes").collect();
    let mut ours = ours.into_iter();
    for _ in 0..14 {
        let found = line();
        match found.split(' ').next() {
            Some("reserved0") => assert_eq!(found, "reserved0 10 2"),
            Some("reserved2") => assert_eq!(found, "reserved2 48 8"),
            _ => {
                let field = ours.next().expect("as many fields");
                assert_eq!(found, format!("{} {} {}", field.name(), field.offset(), field.bytes()));
            }
        }
    }
    assert_eq!(ours.next(), None);
    assert_eq!(
        [line(), line(), line()],
        ["header 0 2", "dep_signal 8 40", "completion_signal 56 8"]
    );
    assert_eq!(line(), "bits 0 8 9 11");
    assert_eq!(line(), "types 2 3 5");
    let mut draw = Draw(0);
    for _ in 0..1000 {
        let mut next = || draw.next();
        let packet = KernelDispatch {
            synch_scopes: next() as u8,
            setup: next() as u16,
            workgroup_size_x: next() as u16,
            workgroup_size_y: next() as u16,
            workgroup_size_z: next() as u16,
            grid_size_x: next() as u32,
            grid_size_y: next() as u32,
            grid_size_z: next() as u32,
            private_segment_size: next() as u32,
            group_segment_size: next() as u32,
            kernel_object: next(),
            kernarg_address: next(),
            completion_signal: next(),
        };
        let bytes = packet.emit(&format).unwrap();
        assert_eq!(line(), hex(&bytes));
        assert_eq!(KernelDispatch::parse(&bytes, &format), Ok(packet));
    }
    for n in 0..500 {
        let mut next = || draw.next();
        let packet = BarrierPacket {
            any: n % 2 == 1,
            synch_scopes: next() as u8,
            dep_signal: std::array::from_fn(|_| next()),
            completion_signal: next(),
        };
        let bytes = packet.emit(&format).unwrap();
        assert_eq!(line(), hex(&bytes));
        assert_eq!(BarrierPacket::parse(&bytes, &format), Ok(packet));
    }
    assert_eq!(lines.next(), None);
}
