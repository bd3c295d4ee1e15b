//! Do allocators answer as those of `raddle-workgroup`?

use proptest::prelude::*;
use raddle_capi::*;
use raddle_policy::{CuId, CuShape, Demand, LaunchId};
use raddle_workgroup::{Allocator, SimdRule};

use crate::call::{Owned, told};

const CUS: u16 = 2;
const SIMDS: i32 = 2;
/// Number of places that the test gives to each call: no workgroup that is drawn has more waves.
const WAVES: usize = 8;

#[derive(Clone, Debug)]
enum Step {
    Allocate { cu: u16, demand: RaddleDemand, simd: i32, launch: u32, workgroup: u64 },
    Release { cu: u16, launch: u32, workgroup: u64 },
    Save { launch: u32 },
    Restore { launch: u32 },
}

fn step() -> impl Strategy<Value = Step> {
    let demand = (1..=WAVES as u16, 0..6_u16, 0..6_u16, 0..6_u32, 0..3_u16);
    let demand = demand.prop_map(|(waves, vgpr, sgpr, lds, barriers)| RaddleDemand {
        waves,
        vgpr,
        sgpr,
        lds,
        barriers,
    });
    let name = (0..CUS, 0..3_u32, 0..6_u64);
    prop_oneof![
        4 => (name.clone(), demand, -1..SIMDS).prop_map(|((cu, launch, workgroup), demand, simd)| {
            Step::Allocate { cu, demand, simd, launch, workgroup }
        }),
        2 => name.prop_map(|(cu, launch, workgroup)| Step::Release { cu, launch, workgroup }),
        1 => (0..3_u32).prop_map(|launch| Step::Save { launch }),
        1 => (0..3_u32).prop_map(|launch| Step::Restore { launch }),
    ]
}

/// Answer to one step: the status, the placement, the places of the waves, and the number of
/// displaced workgroups.
type Told = (RaddleStatus, RaddlePlacement, Vec<RaddlePlace>, usize);

fn expected(model: &mut Allocator, step: &Step) -> Told {
    let plain = |status| (status, RaddlePlacement::default(), Vec::new(), 0);
    match *step {
        Step::Allocate { cu, demand, simd, launch, workgroup } => {
            let RaddleDemand { waves, vgpr, sgpr, lds, barriers } = demand;
            let demand = Demand { waves, vgpr, sgpr, lds, barriers };
            let rule = u8::try_from(simd).map_or(SimdRule::MostRoom, SimdRule::From);
            let plan = match model.probe(CuId(cu), &demand, rule) {
                Ok(plan) => plan,
                Err(why) => {
                    // The order of the enum is the order of the names.
                    let lacks = why.resource() as u32;
                    let placement = RaddlePlacement { lacks, rotation: why.rotation() };
                    return (RaddleStatus::Refused, placement, Vec::new(), 0);
                }
            };
            let rotation = plan.rotation();
            match model.commit(plan, LaunchId(launch), workgroup) {
                Err(_) => plain(RaddleStatus::Invalid),
                Ok(places) => {
                    let place = |it: &raddle_policy::Place| RaddlePlace {
                        simd: it.simd,
                        vgpr: it.vgpr,
                        sgpr: it.sgpr,
                        lds: it.lds,
                    };
                    let placement = RaddlePlacement { lacks: 0, rotation };
                    (RaddleStatus::Ok, placement, places.iter().map(place).collect(), 0)
                }
            }
        }
        Step::Release { cu, launch, workgroup } => {
            let released = model.release(CuId(cu), LaunchId(launch), workgroup).is_ok();
            plain(if released { RaddleStatus::Ok } else { RaddleStatus::Invalid })
        }
        Step::Save { launch } => {
            model.save(LaunchId(launch));
            plain(RaddleStatus::Ok)
        }
        Step::Restore { launch } => {
            let displaced = model.restore(LaunchId(launch));
            (RaddleStatus::Ok, RaddlePlacement::default(), Vec::new(), displaced)
        }
    }
}

fn given(allocator: *mut RaddleAllocator, step: &Step) -> Told {
    let plain = |status| (status, RaddlePlacement::default(), Vec::new(), 0);
    // SAFETY: places of ours.
    unsafe {
        match *step {
            Step::Allocate { cu, demand, simd, launch, workgroup } => {
                let (mut placement, mut places) = Default::default();
                let at: (*mut RaddlePlacement, *mut [RaddlePlace; WAVES]) =
                    (&raw mut placement, &raw mut places);
                let status = raddle_allocator_allocate(
                    allocator,
                    cu,
                    &raw const demand,
                    simd,
                    launch,
                    workgroup,
                    at.0,
                    at.1.cast(),
                    WAVES,
                );
                let waves = if status == RaddleStatus::Ok { usize::from(demand.waves) } else { 0 };
                (status, placement, places[..waves].to_vec(), 0)
            }
            Step::Release { cu, launch, workgroup } => {
                plain(raddle_allocator_release(allocator, cu, launch, workgroup))
            }
            Step::Save { launch } => plain(raddle_allocator_save(allocator, launch)),
            Step::Restore { launch } => {
                let (status, displaced) =
                    told(|it| raddle_allocator_restore(allocator, launch, it));
                (status, RaddlePlacement::default(), Vec::new(), displaced)
            }
        }
    }
}

proptest! {
    #[test]
    fn allocators(steps in prop::collection::vec(step(), 1..80)) {
        let (simds, waves_per_simd, vgpr_per_simd) = (SIMDS as u8, 8, 16);
        let (sgpr, lds, workgroups, barriers) = (40, 16, 6, 6);
        let shape = CuShape { simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers };
        let given_shape = RaddleCuShape { simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers };
        let mut model = Allocator::new(shape, CUS);
        // SAFETY: places of ours.
        let allocator = Owned::new(|it| unsafe { raddle_allocator_new(&raw const given_shape, CUS, it) });
        for step in &steps {
            prop_assert_eq!(given(allocator.0, step), expected(&mut model, step), "{:?}", step);
        }
        // SAFETY: a place of ours.
        let (_, groups) = told(|it| unsafe { raddle_allocator_count(allocator.0, it) });
        prop_assert_eq!(groups, model.groups());
    }
}
