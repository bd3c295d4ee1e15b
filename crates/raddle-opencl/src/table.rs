//! Which entry points does the layer take, and what becomes of each?

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::cl_uint;

use crate::lanes::{kernel, lane, launch};
use crate::{calls, events, extensions, memory, native, program};

/// How many entry points the layer knows.
pub(crate) const fn entries() -> cl_uint {
    (size_of::<cl_icd_dispatch>() / size_of::<usize>()) as cl_uint
}

/// The layer's entry points; where the runtime has none, neither has the layer.
pub(crate) fn layer() -> &'static cl_icd_dispatch {
    native::own_table(hooked)
}

/// Puts the layer's functions in the place of the entry points that it takes.
macro_rules! take {
    ($table:ident: $($entry:ident = $ours:expr;)*) => {
        $(if $table.$entry.is_some() {
            $table.$entry = Some($ours);
        })*
    };
}

fn hooked(mut table: cl_icd_dispatch) -> cl_icd_dispatch {
    take! { table:
        clGetPlatformInfo = extensions::platform_info;
        clGetDeviceInfo = extensions::device_info;
        clGetExtensionFunctionAddress = extensions::of_any;
        clGetExtensionFunctionAddressForPlatform = extensions::of_platform;
        clCreateCommandQueue = lane::create;
        clCreateCommandQueueWithProperties = lane::create_with;
        clRetainCommandQueue = lane::retain;
        clReleaseCommandQueue = lane::release;
        clGetCommandQueueInfo = lane::info;
        clFinish = lane::finish;
        clCreateProgramWithSource = program::create;
        clRetainProgram = program::retain;
        clReleaseProgram = program::release;
        clBuildProgram = program::build_own;
        clCreateKernel = kernel::create;
        clCreateKernelsInProgram = kernel::create_all;
        clCloneKernel = kernel::clone;
        clRetainKernel = kernel::retain;
        clReleaseKernel = kernel::release;
        clSetKernelArg = kernel::set_argument;
        clSetKernelArgSVMPointer = kernel::set_pointer;
        clSetKernelExecInfo = kernel::set_execution;
        clSVMAlloc = memory::svm_alloc;
        clSVMFree = memory::svm_free;
    }
    take! { table:
        clWaitForEvents = events::wait;
        clGetEventInfo = events::info;
        clGetEventProfilingInfo = events::profile;
        clRetainEvent = events::retain;
        clReleaseEvent = events::release;
        clSetEventCallback = events::call_at;
        clSetUserEventStatus = events::set_status;
        clEnqueueNDRangeKernel = launch::nd_range;
        clEnqueueTask = launch::task;
        clEnqueueNativeKernel = calls::native_kernel;
        clEnqueueMarker = calls::marker;
        clEnqueueMarkerWithWaitList = calls::marker_behind;
        clEnqueueBarrier = calls::barrier;
        clEnqueueBarrierWithWaitList = calls::barrier_behind;
        clEnqueueWaitForEvents = calls::wait_for_events;
        clEnqueueReadBuffer = calls::read_buffer;
        clEnqueueWriteBuffer = calls::write_buffer;
        clEnqueueReadBufferRect = calls::read_rect;
        clEnqueueWriteBufferRect = calls::write_rect;
        clEnqueueReadImage = calls::read_image;
        clEnqueueWriteImage = calls::write_image;
        clEnqueueCopyBuffer = calls::copy_buffer;
        clEnqueueCopyBufferRect = calls::copy_rect;
        clEnqueueCopyImage = calls::copy_image;
        clEnqueueCopyImageToBuffer = calls::image_to_buffer;
        clEnqueueCopyBufferToImage = calls::buffer_to_image;
        clEnqueueFillBuffer = calls::fill_buffer;
        clEnqueueFillImage = calls::fill_image;
        clEnqueueMapBuffer = calls::map_buffer;
        clEnqueueMapImage = calls::map_image;
        clEnqueueUnmapMemObject = calls::unmap;
        clEnqueueMigrateMemObjects = calls::migrate;
        clEnqueueSVMFree = calls::svm_free;
        clEnqueueSVMMemcpy = calls::svm_copy;
        clEnqueueSVMMemFill = calls::svm_fill;
        clEnqueueSVMMap = calls::svm_map;
        clEnqueueSVMUnmap = calls::svm_unmap;
        clEnqueueSVMMigrateMem = calls::svm_migrate;
        clEnqueueAcquireGLObjects = calls::acquire_gl;
        clEnqueueReleaseGLObjects = calls::release_gl;
        clEnqueueAcquireEGLObjectsKHR = calls::acquire_egl;
        clEnqueueReleaseEGLObjectsKHR = calls::release_egl;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places that `offsetof` gives in the public header for C.
    #[test]
    fn entries_lie_where_the_header_has_them() {
        let index = |offset: usize| offset / size_of::<usize>();
        assert_eq!(index(std::mem::offset_of!(cl_icd_dispatch, clGetEventInfo)), 42);
        assert_eq!(index(std::mem::offset_of!(cl_icd_dispatch, clEnqueueNDRangeKernel)), 59);
        assert_eq!(index(std::mem::offset_of!(cl_icd_dispatch, clSetEventCallback)), 81);
        assert_eq!(index(std::mem::offset_of!(cl_icd_dispatch, clGetKernelArgInfo)), 101);
        assert_eq!(index(std::mem::offset_of!(cl_icd_dispatch, clCloneKernel)), 137);
        assert_eq!(
            index(std::mem::offset_of!(cl_icd_dispatch, clSetContextDestructorCallback)),
            148
        );
    }

    #[test]
    fn what_the_runtime_lacks_the_layer_lacks_too() {
        let table = hooked(native::empty());
        assert!(table.clGetDeviceInfo.is_none() && table.clEnqueueNDRangeKernel.is_none());
    }
}
