//! What does each op of a profile need most, and how is that known?
//!
//! A rule that the user gives is taken first, then the shapes of tensors, the name of the kernel,
//! and the size of the launch.

use std::collections::BTreeMap;

use raddle_device::Device;
use raddle_trace::{
    CopyDirection, KernelNeed, LaunchSize, LaunchWork, NamedNeed, NeedSource, Op, OpKind, Profile,
};

/// The resource that one op of a profile needs most, and the source from which this is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpNeed {
    /// The resource that the op needs most.
    pub need: KernelNeed,
    /// The source from which the need is known: a rule of the user, shapes of tensors, the kernel's
    /// name, or the grid and length of the launch.
    pub source: NeedSource,
    /// The memory bandwidth that the launch needs at least, by the shapes of its tensors, in
    /// thousandths of the memory's peak; `None` where no shapes are recorded.
    pub permille: Option<u64>,
    /// The need (resource needed most) that the kernel's name suggests, where the shapes of tensors
    /// suggest another one; `None` where both agree or one is unknown.
    pub named: Option<KernelNeed>,
}

/// Returns the need of each op of a profile that was recorded on `own`; `said` returns the need
/// that the user states for a kernel name, if any. A copy or fill needs memory, unless its name
/// says that it crosses to the host or another device, or stays in the host.
pub fn op_needs(
    profile: &Profile,
    own: &Device,
    said: impl Fn(&str) -> Option<KernelNeed>,
) -> Vec<OpNeed> {
    let works: BTreeMap<usize, LaunchWork> =
        profile.works.iter().map(|of| (of.op as usize, of.work)).collect();
    let peak = own.memory_rates().peak;
    let by_kernel: Vec<(Option<KernelNeed>, NamedNeed)> =
        profile.kernels.iter().map(|name| (said(name), NamedNeed::of(name))).collect();
    let nameless = (None, NamedNeed::of(""));
    let of = |(position, op): (usize, &Op)| {
        if op.kind != OpKind::Kernel {
            // The links to the host and to other devices are much slower than the memory.
            let name = profile.kernels.get(op.kernel as usize).map_or("", String::as_str);
            let inside = |direction| direction == CopyDirection::Inside;
            let crosses = CopyDirection::of(name).is_some_and(|direction| !inside(direction));
            let need = if crosses { KernelNeed::Latency } else { KernelNeed::Memory };
            return OpNeed { need, source: NeedSource::Name, ..OpNeed::default() };
        }
        let (said, by_kernel) = by_kernel.get(op.kernel as usize).unwrap_or(&nameless);
        if let Some(need) = *said {
            return OpNeed { need, source: NeedSource::Said, ..OpNeed::default() };
        }
        let size = LaunchSize {
            workgroups: op.workgroups,
            grid_x: op.grid.x,
            units: own.cus.into(),
            at_once: at_once(op, own),
            duration_ns: profile.own_ns(position),
        };
        let (named, source) = by_kernel.of_launch(&size);
        let by_name = OpNeed { need: named, source, ..OpNeed::default() };
        // A small launch fills no resource, and communication depends on other devices.
        if source == NeedSource::Size || by_kernel.communicates() {
            return by_name;
        }
        let shaped = works.get(&position).and_then(|work| work.need(size.duration_ns, peak));
        let Some((need, permille)) = shaped else { return by_name };
        let is_other = named != need && named != KernelNeed::Unknown;
        OpNeed {
            need,
            source: NeedSource::Shapes,
            permille: Some(permille),
            named: is_other.then_some(named),
        }
    };
    profile.ops.iter().enumerate().map(of).collect()
}

/// Returns the number of workgroups of an op that fit on a device at once, at least 1.
pub(crate) fn at_once(op: &Op, device: &Device) -> u64 {
    let resident = device.residency(&op.footprint).workgroups().max(1);
    device.at_once(resident, op.cluster.into()).max(1)
}
