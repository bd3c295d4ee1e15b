//! What does the layer know of a device, and who schedules it?

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

use opencl_sys::{
    CL_DEVICE_LOCAL_MEM_SIZE, CL_DEVICE_MAX_COMPUTE_UNITS, CL_DEVICE_MAX_WORK_GROUP_SIZE,
    CL_DEVICE_MAX_WORK_ITEM_SIZES, CL_DEVICE_NAME, CL_DEVICE_PARENT_DEVICE,
    CL_DEVICE_PCI_BUS_INFO_KHR, CL_DEVICE_TYPE, CL_DEVICE_TYPE_CPU, CL_DEVICE_UUID_KHR,
    cl_device_id, cl_device_info, cl_device_type, cl_uint, cl_ulong,
};
use raddle_live::start_from_env;
use raddle_policy::Preemption;
use raddle_preempt::{Abilities, Declared, ResetScope};

use crate::ending;
use crate::native::{NativeHandle, asked, asked_bytes, contained, lock, native};
use crate::words::Sight;

use super::DeviceLanes;
use super::runtime::Launcher;

fn end_logs() {
    contained(|| {
        // A thread that holds the lock makes a device, and has logged nothing.
        if let Ok(all) = DEVICES.try_lock() {
            all.values().for_each(|device| device.client.end_log());
        }
    });
}

static DEVICES: Mutex<BTreeMap<NativeHandle, Arc<DeviceLanes>>> = Mutex::new(BTreeMap::new());

impl DeviceLanes {
    /// Returns the scheduling state of the device with the handle `device`; `None` where the layer
    /// cannot schedule the device.
    pub(crate) fn of(device: cl_device_id) -> Option<Arc<Self>> {
        let mut all = lock(&DEVICES);
        if let Some(known) = all.get(&NativeHandle(device)) {
            return Some(Arc::clone(known));
        }
        let made = Arc::new(Self::new(device)?);
        ending::begin(end_logs);
        all.insert(NativeHandle(device), Arc::clone(&made));
        Some(made)
    }

    fn new(device: cl_device_id) -> Option<Self> {
        let sight = Sight::of(device);
        let declared = declared(sight);
        let name = shared_name(device);
        let started = start_from_env(declared, &name, |reporter| Launcher::new(declared, reporter));
        let (client, link) = started.ok()?;
        let local: cl_ulong = ask(device, CL_DEVICE_LOCAL_MEM_SIZE)?;
        Some(Self {
            handle: NativeHandle(device),
            client,
            link,
            sight,
            most_items: ask(device, CL_DEVICE_MAX_WORK_ITEM_SIZES)?,
            most_of_all: ask(device, CL_DEVICE_MAX_WORK_GROUP_SIZE)?,
            local_bytes: local,
            units: ask::<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS)?.into(),
        })
    }
}

/// Asks for a property of a device that is a number or a handle; `None` where the runtime does not
/// know it.
fn ask<T: Copy>(device: cl_device_id, what: cl_device_info) -> Option<T> {
    asked(|size, value: *mut c_void| {
        native!(clGetDeviceInfo(device, what, size, value, std::ptr::null_mut()))
    })
}

/// Returns the name by which programs with different runtimes find out that they use the same
/// device. It is `CPU` for every processor, else the device's name with its PCI address or UUID.
/// Parts of a device have the name of the whole.
fn shared_name(device: cl_device_id) -> String {
    let mut device = device;
    while let Some(whole) = ask::<cl_device_id>(device, CL_DEVICE_PARENT_DEVICE)
        && !whole.is_null()
    {
        device = whole;
    }
    if ask::<cl_device_type>(device, CL_DEVICE_TYPE).is_some_and(|it| it & CL_DEVICE_TYPE_CPU != 0)
    {
        return "CPU".to_owned();
    }
    let name = asked_bytes(|size, value, ret| {
        native!(clGetDeviceInfo(device, CL_DEVICE_NAME, size, value, ret))
    });
    let name = name.unwrap_or_default();
    let name = String::from_utf8_lossy(name.strip_suffix(&[0]).unwrap_or(&name));
    // The members of a `cl_device_pci_bus_info_khr`.
    let bus = ask::<[cl_uint; 4]>(device, CL_DEVICE_PCI_BUS_INFO_KHR);
    let bus = bus.map(|[domain, bus, slot, function]| {
        format!("{domain:04x}:{bus:02x}:{slot:02x}.{function:x}")
    });
    let id = || ask::<[u8; 16]>(device, CL_DEVICE_UUID_KHR).map(u128::from_be_bytes);
    let place = bus.or_else(|| id().map(|id| format!("{id:032x}")));
    let name: String = name.trim().chars().take(80).collect();
    place.map_or(name.clone(), |place| format!("{name} at {place}"))
}

/// Returns the preemption abilities of the layer on a device, given the kind of memory through
/// which the device sees what the host writes.
fn declared(sight: Sight) -> Declared {
    let sees = sight != Sight::None;
    Declared {
        abilities: Abilities::NONE.with(Preemption::Flag, sees).with(Preemption::Reset, sees),
        // The first work-item of a launch decides for all.
        latched: true,
        // No work in the runtime waits for a launch, so there is none to take out.
        withdraws: false,
        scope: ResetScope::Queue,
    }
}
