//! Which enqueuing calls go through a lane, a scheduled queue, unchanged?

use std::ffi::c_void;

use opencl_sys::{
    CL_FALSE, cl_bool, cl_command_queue, cl_event, cl_int, cl_map_flags, cl_mem,
    cl_mem_migration_flags, cl_uint,
};

use crate::lanes::in_order::{Call, enqueue};
use crate::lanes::lane;
use crate::memory::forget_svm;
use crate::native::{NativeHandle, called_back, guarded, native, store};

type Text = *const c_void;
type Place = *mut c_void;
type Sizes = *const usize;
type NativeKernel = Option<unsafe extern "C" fn(*mut c_void)>;

/// Defines entry points (functions of OpenCL) that only enqueue a command. Each takes the queue,
/// the arguments of the command, the wait list and the event. In the macro, the argument that tells
/// whether the call blocks stands between semicolons.
macro_rules! enqueueing {
    ($($name:ident = $entry:ident (
        $($first:ident : $first_type:ty),* $(; $blocks:ident; $($more:ident : $more_type:ty),*)?
    );)*) => {$(
        pub(crate) unsafe extern "C" fn $name(
            queue: cl_command_queue,
            $($first: $first_type,)*
            $($blocks: cl_bool, $($more: $more_type,)*)?
            count: cl_uint,
            list: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int {
            guarded(|| {
                let blocks = [$($blocks != CL_FALSE)?].contains(&true);
                let call = Call { kind: 0, count, list, event, blocks };
                enqueue(queue, &call, |queue, word, count, list, event| {
                    let _ = word;
                    $(let $blocks = word;)?
                    native!($entry(queue, $($first,)* $($blocks, $($more,)*)? count, list, event))
                })
            })
        }
    )*};
}

/// Defines entry points (functions of OpenCL) that enqueue the mapping of a memory object and
/// return the address.
macro_rules! mapping {
    ($($name:ident = $entry:ident ( $($argument:ident : $type:ty),* );)*) => {$(
        pub(crate) unsafe extern "C" fn $name(
            queue: cl_command_queue,
            memory: cl_mem,
            blocks: cl_bool,
            flags: cl_map_flags,
            $($argument: $type,)*
            count: cl_uint,
            list: *const cl_event,
            event: *mut cl_event,
            code: *mut cl_int,
        ) -> *mut c_void {
            guarded(|| {
                let mut at = std::ptr::null_mut();
                let call = Call { kind: 0, count, list, event, blocks: blocks != CL_FALSE };
                let told = enqueue(queue, &call, |queue, blocks, count, list, event| {
                    let mut code = 0;
                    at = native!($entry(
                        queue, memory, blocks, flags, $($argument,)* count, list, event, &raw mut code
                    ));
                    code
                });
                // SAFETY: the program gives a place for the code, or null.
                unsafe { store(code, told) };
                if told == 0 { at } else { std::ptr::null_mut() }
            })
        }
    )*};
}

mapping! {
    map_buffer = clEnqueueMapBuffer(offset: usize, size: usize);
    map_image = clEnqueueMapImage(origin: Sizes, region: Sizes, row: *mut usize, slice: *mut usize);
}

enqueueing! {
    read_buffer = clEnqueueReadBuffer(buffer: cl_mem; blocks; offset: usize, size: usize, to: Place);
    write_buffer = clEnqueueWriteBuffer(buffer: cl_mem; blocks; offset: usize, size: usize, from: Text);
    read_rect = clEnqueueReadBufferRect(buffer: cl_mem; blocks; origin: Sizes, host: Sizes, region: Sizes,
        row: usize, slice: usize, host_row: usize, host_slice: usize, to: Place);
    write_rect = clEnqueueWriteBufferRect(buffer: cl_mem; blocks; origin: Sizes, host: Sizes, region: Sizes,
        row: usize, slice: usize, host_row: usize, host_slice: usize, from: Text);
    read_image = clEnqueueReadImage(image: cl_mem; blocks; origin: Sizes, region: Sizes, row: usize,
        slice: usize, to: Place);
    write_image = clEnqueueWriteImage(image: cl_mem; blocks; origin: Sizes, region: Sizes, row: usize,
        slice: usize, from: Text);
    svm_copy = clEnqueueSVMMemcpy(; blocks; to: Place, from: Text, size: usize);
    svm_map = clEnqueueSVMMap(; blocks; flags: cl_map_flags, at: Place, size: usize);
    copy_buffer = clEnqueueCopyBuffer(from: cl_mem, to: cl_mem, at: usize, there: usize, size: usize);
    copy_rect = clEnqueueCopyBufferRect(from: cl_mem, to: cl_mem, origin: Sizes, there: Sizes,
        region: Sizes, row: usize, slice: usize, to_row: usize, to_slice: usize);
    copy_image = clEnqueueCopyImage(from: cl_mem, to: cl_mem, origin: Sizes, there: Sizes,
        region: Sizes);
    image_to_buffer = clEnqueueCopyImageToBuffer(from: cl_mem, to: cl_mem, origin: Sizes,
        region: Sizes, at: usize);
    buffer_to_image = clEnqueueCopyBufferToImage(from: cl_mem, to: cl_mem, at: usize,
        origin: Sizes, region: Sizes);
    fill_buffer = clEnqueueFillBuffer(buffer: cl_mem, pattern: Text, length: usize, at: usize,
        size: usize);
    fill_image = clEnqueueFillImage(image: cl_mem, color: Text, origin: Sizes, region: Sizes);
    unmap = clEnqueueUnmapMemObject(memory: cl_mem, at: Place);
    migrate = clEnqueueMigrateMemObjects(number: cl_uint, all: *const cl_mem,
        flags: cl_mem_migration_flags);
    native_kernel = clEnqueueNativeKernel(function: NativeKernel, with: Place, bytes: usize,
        number: cl_uint, all: *const cl_mem, places: *mut *const c_void);
    marker_behind = clEnqueueMarkerWithWaitList();
    barrier_behind = clEnqueueBarrierWithWaitList();
    svm_fill = clEnqueueSVMMemFill(at: Place, pattern: Text, length: usize, size: usize);
    svm_unmap = clEnqueueSVMUnmap(at: Place);
    svm_migrate = clEnqueueSVMMigrateMem(number: cl_uint, all: *mut *const c_void, sizes: Sizes,
        flags: cl_mem_migration_flags);
    acquire_gl = clEnqueueAcquireGLObjects(number: cl_uint, all: *const cl_mem);
    release_gl = clEnqueueReleaseGLObjects(number: cl_uint, all: *const cl_mem);
    acquire_egl = clEnqueueAcquireEGLObjectsKHR(number: cl_uint, all: *const cl_mem);
    release_egl = clEnqueueReleaseEGLObjectsKHR(number: cl_uint, all: *const cl_mem);
}

/// Enqueues a marker by the call of OpenCL 1.0, which has no wait list: the marker ends when all
/// earlier commands of the queue have ended.
pub(crate) unsafe extern "C" fn marker(queue: cl_command_queue, event: *mut cl_event) -> cl_int {
    guarded(|| {
        if event.is_null() || lane::of(queue).is_none() {
            return native!(clEnqueueMarker(queue, event));
        }
        let call = Call { kind: 0, count: 0, list: std::ptr::null(), event, blocks: false };
        enqueue(queue, &call, |queue, _, count, list, event| {
            native!(clEnqueueMarkerWithWaitList(queue, count, list, event))
        })
    })
}

/// Enqueues a barrier in a queue. Does nothing in a queue that the layer schedules in order (a
/// lane), where every command waits for the one before.
pub(crate) unsafe extern "C" fn barrier(queue: cl_command_queue) -> cl_int {
    guarded(|| match lane::of(queue) {
        Some(_) => 0,
        None => native!(clEnqueueBarrier(queue)),
    })
}

/// Enqueues, by the call of OpenCL 1.0, a barrier that waits for a list of events.
pub(crate) unsafe extern "C" fn wait_for_events(
    queue: cl_command_queue,
    count: cl_uint,
    list: *const cl_event,
) -> cl_int {
    guarded(|| {
        let event = std::ptr::null_mut();
        let call = Call { kind: 0, count, list, event, blocks: false };
        let is_lane = lane::of(queue).is_some();
        enqueue(queue, &call, |queue, _, count, list, event| {
            if is_lane && count > 0 && !event.is_null() {
                native!(clEnqueueMarkerWithWaitList(queue, count, list, event))
            } else {
                native!(clEnqueueWaitForEvents(queue, count, list))
            }
        })
    })
}

/// Callback of the program by which the runtime asks it to free shared virtual memory
/// (`clEnqueueSVMFree`).
type FreeCall = unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void);

/// Data for a call of a [`FreeCall`]: the queue, the program's callback that frees shared virtual
/// memory, and the program's own pointer.
struct Freeing {
    queue: NativeHandle,
    free: FreeCall,
    data: *mut c_void,
}

pub(crate) unsafe extern "C" fn svm_free(
    queue: cl_command_queue,
    number: cl_uint,
    places: *mut *mut c_void,
    free: Option<FreeCall>,
    data: *mut c_void,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    guarded(|| {
        // The callback is called with the queue that the program knows.
        let freeing = free.map(|free| {
            Box::into_raw(Box::new(Freeing { queue: NativeHandle(queue), free, data }))
        });
        let (free, data): (Option<FreeCall>, _) = match freeing {
            Some(freeing) => (Some(freed), freeing.cast()),
            None => (None, data),
        };
        let call = Call { kind: 0, count, list, event, blocks: false };
        let code = enqueue(queue, &call, |queue, _, count, list, event| {
            native!(clEnqueueSVMFree(queue, number, places, free, data, count, list, event))
        });
        match freeing {
            // SAFETY: the runtime has not taken it.
            Some(freeing) if code != 0 => drop(unsafe { Box::from_raw(freeing) }),
            None if code == 0 && !places.is_null() => {
                // SAFETY: the runtime has accepted `number` places.
                forget_svm(unsafe { std::slice::from_raw_parts(places, number as usize) });
            }
            _ => {}
        }
        code
    })
}

unsafe extern "C" fn freed(
    _: cl_command_queue,
    number: cl_uint,
    places: *mut *mut c_void,
    data: *mut c_void,
) {
    called_back(|| {
        // SAFETY: it was made from a box for this call.
        let Freeing { queue, free, data } = *unsafe { Box::from_raw(data.cast::<Freeing>()) };
        // SAFETY: the program gave both.
        unsafe { free(queue.0, number, places, data) };
    });
}
