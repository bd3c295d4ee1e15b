//! Which entry points of OpenCL does the layer replace, and by which functions?

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::cl_uint;

use crate::lanes::{kernel, lane, launch};
use crate::{calls, events, extensions, memory, native, program};

/// Returns the number of entry points (functions of OpenCL) that the layer knows.
pub(crate) const fn entries() -> cl_uint {
    (size_of::<cl_icd_dispatch>() / size_of::<usize>()) as cl_uint
}

/// Returns the entry points (functions of OpenCL) of this layer; an entry point that the runtime
/// lacks is missing here too.
pub(crate) fn layer() -> &'static cl_icd_dispatch {
    native::own_table(hooked)
}

/// Replaces entry points of a table by functions of the layer; entry points that the table lacks
/// stay missing.
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
        clCreateProgramWithIL = program::create_of_il;
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

    /// Checks that entry points lie at the offsets that `offsetof` gives in the public header for
    /// C.
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

    macro_rules! named {
        ($($name:ident)*) => {
            [$((stringify!($name), std::mem::offset_of!(cl_icd_dispatch, $name))),*]
        };
    }

    /// (name, byte offset in the table) of every entry point (function of OpenCL 3.0).
    const NAMED: [(&str, usize); 149] = named! {
        clGetPlatformIDs clGetPlatformInfo clGetDeviceIDs clGetDeviceInfo clCreateContext
        clCreateContextFromType clRetainContext clReleaseContext clGetContextInfo
        clCreateCommandQueue clRetainCommandQueue clReleaseCommandQueue clGetCommandQueueInfo
        clSetCommandQueueProperty clCreateBuffer clCreateImage2D clCreateImage3D clRetainMemObject
        clReleaseMemObject clGetSupportedImageFormats clGetMemObjectInfo clGetImageInfo
        clCreateSampler clRetainSampler clReleaseSampler clGetSamplerInfo
        clCreateProgramWithSource clCreateProgramWithBinary clRetainProgram clReleaseProgram
        clBuildProgram clUnloadCompiler clGetProgramInfo clGetProgramBuildInfo clCreateKernel
        clCreateKernelsInProgram clRetainKernel clReleaseKernel clSetKernelArg clGetKernelInfo
        clGetKernelWorkGroupInfo clWaitForEvents clGetEventInfo clRetainEvent clReleaseEvent
        clGetEventProfilingInfo clFlush clFinish clEnqueueReadBuffer clEnqueueWriteBuffer
        clEnqueueCopyBuffer clEnqueueReadImage clEnqueueWriteImage clEnqueueCopyImage
        clEnqueueCopyImageToBuffer clEnqueueCopyBufferToImage clEnqueueMapBuffer clEnqueueMapImage
        clEnqueueUnmapMemObject clEnqueueNDRangeKernel clEnqueueTask clEnqueueNativeKernel
        clEnqueueMarker clEnqueueWaitForEvents clEnqueueBarrier clGetExtensionFunctionAddress
        clCreateFromGLBuffer clCreateFromGLTexture2D clCreateFromGLTexture3D
        clCreateFromGLRenderbuffer clGetGLObjectInfo clGetGLTextureInfo clEnqueueAcquireGLObjects
        clEnqueueReleaseGLObjects clGetGLContextInfoKHR clGetDeviceIDsFromD3D10KHR
        clCreateFromD3D10BufferKHR clCreateFromD3D10Texture2DKHR clCreateFromD3D10Texture3DKHR
        clEnqueueAcquireD3D10ObjectsKHR clEnqueueReleaseD3D10ObjectsKHR clSetEventCallback
        clCreateSubBuffer clSetMemObjectDestructorCallback clCreateUserEvent clSetUserEventStatus
        clEnqueueReadBufferRect clEnqueueWriteBufferRect clEnqueueCopyBufferRect
        clCreateSubDevicesEXT clRetainDeviceEXT clReleaseDeviceEXT clCreateEventFromGLsyncKHR
        clCreateSubDevices clRetainDevice clReleaseDevice clCreateImage
        clCreateProgramWithBuiltInKernels clCompileProgram clLinkProgram clUnloadPlatformCompiler
        clGetKernelArgInfo clEnqueueFillBuffer clEnqueueFillImage clEnqueueMigrateMemObjects
        clEnqueueMarkerWithWaitList clEnqueueBarrierWithWaitList
        clGetExtensionFunctionAddressForPlatform clCreateFromGLTexture clGetDeviceIDsFromD3D11KHR
        clCreateFromD3D11BufferKHR clCreateFromD3D11Texture2DKHR clCreateFromD3D11Texture3DKHR
        clCreateFromDX9MediaSurfaceKHR clEnqueueAcquireD3D11ObjectsKHR
        clEnqueueReleaseD3D11ObjectsKHR clGetDeviceIDsFromDX9MediaAdapterKHR
        clEnqueueAcquireDX9MediaSurfacesKHR clEnqueueReleaseDX9MediaSurfacesKHR
        clCreateFromEGLImageKHR clEnqueueAcquireEGLObjectsKHR clEnqueueReleaseEGLObjectsKHR
        clCreateEventFromEGLSyncKHR clCreateCommandQueueWithProperties clCreatePipe clGetPipeInfo
        clSVMAlloc clSVMFree clEnqueueSVMFree clEnqueueSVMMemcpy clEnqueueSVMMemFill
        clEnqueueSVMMap clEnqueueSVMUnmap clCreateSamplerWithProperties clSetKernelArgSVMPointer
        clSetKernelExecInfo clGetKernelSubGroupInfoKHR clCloneKernel clCreateProgramWithIL
        clEnqueueSVMMigrateMem clGetDeviceAndHostTimer clGetHostTimer clGetKernelSubGroupInfo
        clSetDefaultDeviceCommandQueue clSetProgramReleaseCallback
        clSetProgramSpecializationConstant clCreateBufferWithProperties
        clCreateImageWithProperties clSetContextDestructorCallback
    };

    /// Returns the word for an entry point in the table of `docs/live-opencl.md`, which says how
    /// the layer treats it; `None` where the page does not name the entry point.
    fn documented(name: &str) -> Option<&'static str> {
        let page = include_str!("../README.md");
        let name = format!("`{name}`");
        let fates = ["leaves", "in order", "waits", "answers", "kept up", "passes"];
        let row = |fate: &&str| {
            let head = format!("| {fate} | ");
            page.lines().any(|line| line.starts_with(&head) && line.contains(&name))
        };
        fates.into_iter().find(row).or_else(|| page.contains(&name).then_some("passes"))
    }

    #[test]
    fn the_documentation_says_what_becomes_of_every_entry_point() {
        let mut words = [0_usize; size_of::<cl_icd_dispatch>() / size_of::<usize>()];
        words.iter_mut().zip(1..).for_each(|(word, number)| *word = number);
        // SAFETY: the sizes are equal, and none of these functions, none of which is null, is called.
        let fake: cl_icd_dispatch = unsafe { std::mem::transmute(words) };
        // SAFETY: as above.
        let taken: [usize; 150] = unsafe { std::mem::transmute(hooked(fake)) };
        for (name, offset) in NAMED {
            let index = offset / size_of::<usize>();
            let passes = taken[index] == words[index];
            let told = documented(name);
            assert_eq!(told.map(|told| told == "passes"), Some(passes), "{name}: {told:?}");
        }
    }

    #[test]
    fn what_the_runtime_lacks_the_layer_lacks_too() {
        let table = hooked(native::empty());
        assert!(table.clGetDeviceInfo.is_none() && table.clEnqueueNDRangeKernel.is_none());
    }
}
