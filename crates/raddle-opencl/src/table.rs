//! Which entry points does the layer take, and what becomes of each?

use std::sync::OnceLock;

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::cl_uint;

use crate::{extensions, native};

/// How many entry points the layer knows.
pub(crate) const fn entries() -> cl_uint {
    (size_of::<cl_icd_dispatch>() / size_of::<usize>()) as cl_uint
}

/// The layer's entry points; where the runtime has none, neither has the layer.
pub(crate) fn layer() -> &'static cl_icd_dispatch {
    static LAYER: OnceLock<cl_icd_dispatch> = OnceLock::new();
    LAYER.get_or_init(|| hooked(*native::target()))
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
