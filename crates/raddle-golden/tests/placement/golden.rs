//! Are the replays those of the golden files, byte for byte, and of the table of hashes?

use std::fmt::Write;
use std::io::Read;

use raddle_golden::ModelError;
use raddle_golden::placement::contract::{Algorithm, PlacedWorkgroup, PlacementReplay};
use raddle_policy::{LaunchId, Resource};

use crate::fixtures::{algorithm, kernel, number, peers, table};

const KERNELS: [[u32; 4]; 2] = [[256, 32, 16, 4096], [64, 24, 32, 0]];

#[test]
fn every_byte_of_the_golden_files() {
    let Some(peers) = peers() else { return };
    for (index, given) in KERNELS.into_iter().enumerate() {
        for name in ["round-robin", "greedy"] {
            let kernel = kernel(given);
            let [threads, vgpr, sgpr, lds] = given;
            let mut text = format!(
                "# MGPUSim d01e70d5 replay; 64 CUs R9Nano; kernel threads={threads} vgpr={vgpr} sgpr={sgpr} lds={lds}; wg,cu,then per wavefront simd:vgprOffsetB:sgprOffsetB:ldsOffsetB\n"
            );
            let algorithm = algorithm(name);
            let replay = PlacementReplay { algorithm, cus: 64, groups: 4000, kernel };
            let rows = &mut |row: &PlacedWorkgroup| writeln!(text, "{row}").unwrap();
            assert_eq!(replay.run(rows).map(|outcome| outcome.placed), Ok(4000));
            let path = peers.join(format!("replay_{name}_k{index}_cu64_wg4000.csv.gz"));
            let file = std::fs::File::open(&path).unwrap();
            let mut golden = String::new();
            flate2::read::GzDecoder::new(file).read_to_string(&mut golden).unwrap();
            for (line, (found, expected)) in (1..).zip(text.lines().zip(golden.lines())) {
                assert_eq!(found, expected, "{}:{line}", path.display());
            }
            assert!(text == golden, "{} is longer or shorter", path.display());
        }
    }
}

#[test]
fn hashes_cycles_and_ticks() {
    for row in table("replays.csv") {
        let given = [1, 2, 3, 4].map(|column: usize| row[column].parse().unwrap());
        let replay = PlacementReplay {
            algorithm: algorithm(&row[0]),
            cus: row[5].parse().unwrap(),
            groups: number(&row[6]),
            kernel: kernel(given),
        };
        let outcome = replay.run(&mut |_| {}).unwrap();
        assert_eq!(outcome.placed, replay.groups);
        let found = [
            format!("{:016x}", outcome.fnv1a),
            outcome.cycles.to_string(),
            outcome.ticks.to_string(),
        ];
        for (found, expected) in found.iter().zip(&row[7..]).filter(|(_, known)| *known != "-") {
            assert_eq!(found, expected, "{row:?}");
        }
    }
}

#[test]
fn nothing_to_place_is_one_tick() {
    for algorithm in [Algorithm::RoundRobin, Algorithm::Greedy] {
        let mut replay =
            PlacementReplay { algorithm, cus: 1, groups: 0, kernel: kernel(KERNELS[0]) };
        let outcome = replay.run(&mut |row| panic!("a row: {row}")).unwrap();
        assert_eq!((outcome.cycles, outcome.ticks, outcome.placed), (1, 1, 0));
        assert_eq!(outcome.fnv1a, 0xcbf2_9ce4_8422_2325);
        replay.kernel.lds = 65537;
        let Err(ModelError::NeverFits(refusal)) = replay.run(&mut |_| {}) else {
            panic!("257 granules of LDS fit nowhere");
        };
        assert_eq!((refusal.launch, refusal.resource), (LaunchId(0), Resource::Lds));
        assert_eq!((refusal.wanted, refusal.available), (257, 256));
    }
}
