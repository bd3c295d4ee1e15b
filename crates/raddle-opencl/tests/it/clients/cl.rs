//! How do clients call OpenCL? Through the loader, as any program does.

use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::*;

/// Returns the functions of the OpenCL loader; the table is empty where no loader is installed.
pub(crate) fn loader() -> &'static cl_icd_dispatch {
    static LOADER: OnceLock<cl_icd_dispatch> = OnceLock::new();
    LOADER.get_or_init(load)
}

macro_rules! symbols {
    ($library:ident, $table:ident: $($name:ident)*) => {$(
        // SAFETY: a function of this name in a loader has this type.
        $table.$name = unsafe { symbol($library, concat!(stringify!($name), "\0")) };
    )*};
}

/// Returns the function with the name `name`, which ends with zero, in a library; `None` where it
/// has none.
///
/// # Safety
/// It has this type.
unsafe fn symbol<F>(library: *mut c_void, name: &str) -> Option<F> {
    // SAFETY: the library is loaded, and the name ends with zero.
    let at = unsafe { libc::dlsym(library, name.as_ptr().cast()) };
    // SAFETY: the caller says so, and functions are as large as addresses.
    (!at.is_null()).then(|| unsafe { std::mem::transmute_copy(&at) })
}

fn load() -> cl_icd_dispatch {
    // SAFETY: every field is an optional function or a number, for which zero is a value.
    let mut table: cl_icd_dispatch = unsafe { std::mem::zeroed() };
    // SAFETY: a loader of OpenCL may be loaded at any time. It stays loaded.
    let library = unsafe { libc::dlopen(c"libOpenCL.so.1".as_ptr(), libc::RTLD_NOW) };
    if library.is_null() {
        return table;
    }
    symbols! { library, table:
        clGetPlatformIDs clGetPlatformInfo clGetDeviceIDs clGetDeviceInfo clCreateContext clRetainContext
        clReleaseContext clGetContextInfo clCreateCommandQueue clRetainCommandQueue clReleaseCommandQueue
        clGetCommandQueueInfo clCreateBuffer clCreateImage clCreateSubBuffer clRetainMemObject
        clReleaseMemObject clGetMemObjectInfo clSetMemObjectDestructorCallback clCreateSampler
        clReleaseSampler clCreateProgramWithSource clCreateProgramWithBinary clCreateProgramWithIL clRetainProgram
        clReleaseProgram clBuildProgram clCompileProgram clLinkProgram clGetProgramInfo
        clGetProgramBuildInfo clCreateKernel clCreateKernelsInProgram clRetainKernel clReleaseKernel
        clSetKernelArg clGetKernelInfo clGetKernelArgInfo clGetKernelWorkGroupInfo clCloneKernel
        clSetKernelArgSVMPointer clSetKernelExecInfo clWaitForEvents clGetEventInfo clRetainEvent
        clReleaseEvent clGetEventProfilingInfo clSetEventCallback clCreateUserEvent
        clSetUserEventStatus clFlush clFinish clEnqueueReadBuffer clEnqueueWriteBuffer
        clEnqueueCopyBuffer clEnqueueFillBuffer clEnqueueReadBufferRect clEnqueueWriteBufferRect
        clEnqueueCopyBufferRect clEnqueueReadImage clEnqueueWriteImage clEnqueueCopyImage
        clEnqueueMapBuffer clEnqueueUnmapMemObject clEnqueueMigrateMemObjects
        clEnqueueNDRangeKernel clEnqueueTask clEnqueueNativeKernel clEnqueueMarker
        clEnqueueMarkerWithWaitList clEnqueueBarrier clEnqueueBarrierWithWaitList
        clEnqueueWaitForEvents clGetExtensionFunctionAddressForPlatform
        clCreateCommandQueueWithProperties clSVMAlloc clSVMFree clEnqueueSVMFree clEnqueueSVMMemcpy
        clEnqueueSVMMemFill clEnqueueSVMMap clEnqueueSVMUnmap
    }
    table
}

/// Calls a function of the OpenCL loader.
macro_rules! cl {
    ($name:ident ( $($argument:expr),* $(,)? )) => {{
        let call = $crate::clients::cl::loader().$name.expect("the loader has it");
        // SAFETY: the client gives what the function needs, or what it must refuse.
        unsafe { call($($argument),*) }
    }};
}
pub(crate) use cl;

/// Returns every device, each as (platform, device).
pub(crate) fn devices() -> Vec<(cl_platform_id, cl_device_id)> {
    if loader().clGetPlatformIDs.is_none() {
        return Vec::new();
    }
    let mut count = 0;
    if cl!(clGetPlatformIDs(0, ptr::null_mut(), &raw mut count)) != 0 {
        return Vec::new();
    }
    let mut platforms = vec![ptr::null_mut(); count as usize];
    cl!(clGetPlatformIDs(count, platforms.as_mut_ptr(), ptr::null_mut()));
    let mut all = Vec::new();
    for platform in platforms {
        let mut count = 0;
        let any = CL_DEVICE_TYPE_ALL;
        if cl!(clGetDeviceIDs(platform, any, 0, ptr::null_mut(), &raw mut count)) != 0 {
            continue;
        }
        let mut devices = vec![ptr::null_mut(); count as usize];
        cl!(clGetDeviceIDs(platform, any, count, devices.as_mut_ptr(), ptr::null_mut()));
        all.extend(devices.into_iter().map(|device| (platform, device)));
    }
    all
}

/// Returns the text that an OpenCL query answers; empty where the query is refused.
pub(crate) fn text(ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> String {
    let mut size = 0;
    if ask(0, ptr::null_mut(), &raw mut size) != 0 {
        return String::new();
    }
    let mut bytes = vec![0_u8; size];
    ask(size, bytes.as_mut_ptr().cast(), ptr::null_mut());
    String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned()
}
