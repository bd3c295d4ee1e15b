//! What does the layer know of a device, and who schedules it?

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

use opencl_sys::{
    CL_DEVICE_LOCAL_MEM_SIZE, CL_DEVICE_MAX_WORK_GROUP_SIZE, CL_DEVICE_MAX_WORK_ITEM_SIZES,
    cl_device_id, cl_device_info, cl_ulong,
};
use raddle_live::start_from_env;
use raddle_preempt::{Abilities, Declared, ResetScope};

use crate::ending;
use crate::native::{Handle, asked, contained, lock, native};
use crate::words::Sight;

use super::DeviceLanes;
use super::runtime::Launcher;

/// Writes out and ends the logs of all devices.
fn end_logs() {
    contained(|| {
        // A thread that holds the lock makes a device, and has logged nothing.
        if let Ok(all) = DEVICES.try_lock() {
            all.values().for_each(|device| device.client.end_log());
        }
    });
}

static DEVICES: Mutex<BTreeMap<Handle, Arc<DeviceLanes>>> = Mutex::new(BTreeMap::new());

impl DeviceLanes {
    /// Returns the device with the handle `device`; `None` where the layer cannot schedule it.
    pub(crate) fn of(device: cl_device_id) -> Option<Arc<Self>> {
        let mut all = lock(&DEVICES);
        if let Some(known) = all.get(&Handle(device)) {
            return Some(Arc::clone(known));
        }
        let made = Arc::new(Self::new(device)?);
        ending::begin(end_logs);
        all.insert(Handle(device), Arc::clone(&made));
        Some(made)
    }

    fn new(device: cl_device_id) -> Option<Self> {
        fn ask<T: Copy>(device: cl_device_id, what: cl_device_info) -> Option<T> {
            asked(|size, value: *mut c_void| {
                native!(clGetDeviceInfo(device, what, size, value, std::ptr::null_mut()))
            })
        }
        let sight = Sight::of(device);
        let declared = declared(sight);
        let started = start_from_env(declared, |reporter| Launcher::new(declared, reporter));
        let (client, link) = started.ok()?;
        let local: cl_ulong = ask(device, CL_DEVICE_LOCAL_MEM_SIZE)?;
        Some(Self {
            handle: Handle(device),
            client,
            link,
            sight,
            most_items: ask(device, CL_DEVICE_MAX_WORK_ITEM_SIZES)?,
            most_of_all: ask(device, CL_DEVICE_MAX_WORK_GROUP_SIZE)?,
            local_bytes: local,
        })
    }
}

/// Returns the abilities of the layer on a device that sees the stores of the host in the way
/// `sight`.
fn declared(sight: Sight) -> Declared {
    let sees = sight != Sight::None;
    Declared {
        abilities: Abilities { can_flag: sees, can_reset: sees, ..Abilities::NONE },
        // The first work-item of a launch decides for all.
        latched: true,
        // No work in the runtime waits for a launch, so there is none to take out.
        withdraws: false,
        scope: ResetScope::Queue,
    }
}
