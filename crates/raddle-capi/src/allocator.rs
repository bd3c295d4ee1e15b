//! At which addresses does a workgroup lie on a compute unit?

use raddle_policy::{CuId, CuShape, LaunchId};
use raddle_workgroup::{Allocator, SimdRule};

use crate::handle::{enter, with};
use crate::memory::{Out, read};
use crate::nouns::{RaddleCuShape, RaddleDemand, RaddlePlace, RaddleResource};
use crate::status::{Failure, RaddleStatus, guarded};

/// Compute units of a device, with each granule of their resources free or taken by a workgroup.
#[derive(Debug)]
pub struct RaddleAllocator {
    allocator: Allocator,
    simds: u8,
    /// Addresses of the waves of the workgroup placed last; kept so that the next placement needs
    /// no new memory.
    places: Vec<RaddlePlace>,
}

/// Result of a request to place a workgroup.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddlePlacement {
    /// Resource of which too little was free if the workgroup was refused, one of `RaddleResource`;
    /// else 0.
    pub lacks: u32,
    /// SIMD to pass as `simd` in the next request, if workgroups are to begin on one SIMD after the
    /// other; also set where this request was refused.
    pub rotation: u8,
}

/// Makes an allocator of `cus` empty compute units, 1 or more, of one shape. Writes its handle to
/// `allocator`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_allocator_new(
    shape: *const RaddleCuShape,
    cus: u16,
    allocator: *mut *mut RaddleAllocator,
) -> RaddleStatus {
    guarded(|| {
        // SAFETY: the caller keeps the promises of the crate.
        let (shape, out) = unsafe { (read("shape", shape)?, Out::new("allocator", allocator)?) };
        let shape = shape.checked()?;
        if cus == 0 {
            return Err(Failure::argument("`cus` is 0: give 1 or more"));
        }
        check_memory(&shape, cus)?;
        let allocator = Allocator::new(shape, cus);
        enter(RaddleAllocator { allocator, simds: shape.simds, places: Vec::new() }, &out)
    })
}

/// Returns an error for a device whose free maps, at one bit for each granule, would take more than
/// a gibibyte. Such a device must be a mistake, and without the check the program could run out of
/// memory.
fn check_memory(shape: &CuShape, cus: u16) -> Result<(), Failure> {
    const MOST: u64 = 1 << 33;
    let vector = u64::from(shape.simds) * u64::from(shape.vgpr_per_simd);
    let granules = u64::from(cus) * (vector + u64::from(shape.sgpr) + u64::from(shape.lds));
    if granules <= MOST {
        return Ok(());
    }
    let text =
        format!("{granules} granules are too many: give at most {MOST} on all compute units");
    Err(Failure::argument(text))
}

/// Places a workgroup on a compute unit and takes the granules that it needs. Writes to `places`
/// the address (SIMD and granules) of each wave, in the order of the waves.
///
/// `simd` chooses the SIMD of each wave: -1 takes the SIMD with room for most further waves.
/// Another number takes the first SIMD with room from `simd` on, going round, and the search for
/// each further wave begins one SIMD further. `placement` and `places` may be null, the latter with
/// a capacity of 0; otherwise there must be room for all waves, and `Room` has changed nothing.
/// Answers `Refused` where the workgroup does not fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_allocator_allocate(
    allocator: *mut RaddleAllocator,
    cu: u16,
    demand: *const RaddleDemand,
    simd: i32,
    launch: u32,
    workgroup: u64,
    placement: *mut RaddlePlacement,
    places: *mut RaddlePlace,
    capacity: usize,
) -> RaddleStatus {
    with(allocator, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let (demand, placement, out) = unsafe {
            let placement = Out::optional("placement", placement)?;
            (read("demand", demand)?, placement, Out::list("places", places, capacity)?)
        };
        let demand = demand.checked()?;
        it.check_cu(cu)?;
        let rule = it.rule(simd)?;
        if capacity > 0 {
            out.check_room(usize::from(demand.waves))?;
        }
        let put = |lacks, rotation| {
            if let Some(placement) = &placement {
                placement.put(RaddlePlacement { lacks, rotation });
            }
        };
        let plan = match it.allocator.probe(CuId(cu), &demand, rule) {
            Ok(plan) => plan,
            Err(refusal) => {
                put(RaddleResource::of(refusal.resource()), refusal.rotation());
                return Ok(RaddleStatus::Refused);
            }
        };
        let rotation = plan.rotation();
        let placed = it.allocator.commit(plan, LaunchId(launch), workgroup);
        let placed = placed.map_err(Failure::invalid)?;
        put(0, rotation);
        if capacity > 0 {
            it.places.clear();
            it.places.extend(placed.iter().map(RaddlePlace::from));
            out.write(&it.places)?;
        }
        Ok(RaddleStatus::Ok)
    })
}

impl RaddleAllocator {
    fn check_cu(&self, cu: u16) -> Result<(), Failure> {
        let cus = self.allocator.len();
        if usize::from(cu) < cus {
            return Ok(());
        }
        Err(Failure::argument(format!("`cu` is {cu} of {cus} compute units: count from 0")))
    }

    fn rule(&self, simd: i32) -> Result<SimdRule, Failure> {
        if simd == -1 {
            return Ok(SimdRule::MostRoom);
        }
        let known = u8::try_from(simd).ok().filter(|&simd| simd < self.simds);
        let outside = || {
            let simds = self.simds;
            Failure::argument(format!("`simd` is {simd} of {simds}: count from 0, or give -1"))
        };
        known.map(SimdRule::From).ok_or_else(outside)
    }
}

/// Frees all granules that a workgroup has on the compute unit `cu`; an error, with nothing
/// changed, where the workgroup is not there.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_allocator_release(
    allocator: *mut RaddleAllocator,
    cu: u16,
    launch: u32,
    workgroup: u64,
) -> RaddleStatus {
    with(allocator, |it| {
        it.check_cu(cu)?;
        let released = it.allocator.release(CuId(cu), LaunchId(launch), workgroup);
        released.map_err(Failure::invalid)?;
        Ok(RaddleStatus::Ok)
    })
}

/// Frees all granules that the workgroups of a launch have, and stores their places for
/// `raddle_allocator_restore`.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_allocator_save(
    allocator: *mut RaddleAllocator,
    launch: u32,
) -> RaddleStatus {
    with(allocator, |it| {
        it.allocator.save(LaunchId(launch));
        Ok(RaddleStatus::Ok)
    })
}

/// Takes again exactly the places that the workgroups of a launch had when it was saved. Writes to
/// `displaced` the number of workgroups of which some granules are taken by other work now. These
/// workgroups hold no granules, and their compute units take no new workgroup until they have been
/// released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_allocator_restore(
    allocator: *mut RaddleAllocator,
    launch: u32,
    displaced: *mut usize,
) -> RaddleStatus {
    with(allocator, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let displaced = unsafe { Out::new("displaced", displaced)? };
        displaced.put(it.allocator.restore(LaunchId(launch)));
        Ok(RaddleStatus::Ok)
    })
}

/// Writes the number of workgroups that are on the device to `workgroups`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_allocator_count(
    allocator: *const RaddleAllocator,
    workgroups: *mut usize,
) -> RaddleStatus {
    with(allocator, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let workgroups = unsafe { Out::new("workgroups", workgroups)? };
        workgroups.put(it.allocator.groups());
        Ok(RaddleStatus::Ok)
    })
}
