//! Do the algorithms place as the naive device does, whatever the kernels?

use proptest::prelude::*;
use raddle_golden::placement::contract::{Algorithm, ContractKernel, SHAPE};
use raddle_policy::{CuId, Cus};

use crate::fixtures::kernel;
use crate::naive::Naive;
use crate::ours::Ours;
use crate::subject::Subject;

/// Draws kernels of which at least one workgroup fits an empty compute unit.
fn kernels() -> impl Strategy<Value = Vec<ContractKernel>> {
    let one = (1u32..=1024, 0u32..=256, 0u32..=400, prop_oneof![Just(0), 1u32..=40_000])
        .prop_map(|(threads, vgpr, sgpr, lds)| kernel([threads, vgpr, sgpr, lds]))
        .prop_filter("must fit", |kernel| {
            let room = |demand| Cus::new(SHAPE, 1).room(CuId(0), &demand);
            kernel.demand().is_ok_and(|demand| room(demand) > 0)
        });
    prop::collection::vec(one, 1..=4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn the_algorithms_place_where_the_naive_device_places(
        round_robin in any::<bool>(),
        kernels in kernels(),
        cus in 1u16..=3,
        steps in prop::collection::vec((0u8..5, any::<u16>()), 1..150),
    ) {
        let algorithm = if round_robin { Algorithm::RoundRobin } else { Algorithm::Greedy };
        let mut ours = Ours::new(algorithm, &kernels, cus);
        let mut naive = Naive::new(algorithm, &kernels, cus);
        let mut list: Vec<(usize, u64)> = Vec::new();
        for (what, which) in steps {
            let which = usize::from(which);
            if what < 2 && !list.is_empty() {
                let (kernel, workgroup) = list.swap_remove(which % list.len());
                ours.release(kernel, workgroup);
                naive.release(kernel, workgroup);
            } else {
                let kernel = which % kernels.len();
                let (found, expected) = (ours.place(kernel), naive.place(kernel));
                prop_assert_eq!(&found, &expected);
                list.extend(found.map(|(workgroup, _)| (kernel, workgroup)));
            }
            prop_assert_eq!(ours.probes(), naive.probes());
        }
    }
}
