//! What has the program set as the arguments of a kernel?
//!
//! They are recorded, as the launch is given to the runtime later, when the program may have set others.

use std::ffi::c_void;

use opencl_sys::{
    CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_LOCAL,
    CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_TYPE_NAME, cl_int, cl_kernel, cl_uint,
};
use raddle_kernel::ArgumentKind;
use smallvec::SmallVec;

use crate::native::{NativeHandle, asked, asked_bytes, native};

/// Kind of an OpenCL kernel argument. It decides how the layer stores the value that the program
/// sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClArgumentKind {
    /// The kernel argument is plain bytes, such as a number or a struct, which the runtime copies
    /// when the argument is set.
    Value,
    /// The kernel argument is a memory object: a buffer, an image or a pipe.
    Memory,
    /// The kernel argument is local memory, for which the program gives only a size in bytes.
    Local,
    /// The kernel argument is a sampler of images.
    Sampler,
}

/// Value of a kernel argument, as the program has set it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KernelArgument {
    Value(SmallVec<[u8; 16]>),
    Memory(NativeHandle),
    /// The kernel argument is local memory of this number of bytes.
    Local(usize),
    Sampler(NativeHandle),
    /// The kernel argument is an address in shared virtual memory.
    Svm(NativeHandle),
}

impl ClArgumentKind {
    /// Returns the kind of the argument with the index `index`, from the argument information that
    /// its program was built with (`-cl-kernel-arg-info`); `None` where the layer cannot record
    /// such an argument.
    pub(crate) fn of(kernel: cl_kernel, index: cl_uint) -> Option<Self> {
        let null = std::ptr::null_mut();
        let space: cl_uint = asked(|size, value| {
            let what = CL_KERNEL_ARG_ADDRESS_QUALIFIER;
            native!(clGetKernelArgInfo(kernel, index, what, size, value, null))
        })?;
        Some(match space {
            CL_KERNEL_ARG_ADDRESS_GLOBAL | CL_KERNEL_ARG_ADDRESS_CONSTANT => Self::Memory,
            CL_KERNEL_ARG_ADDRESS_LOCAL => Self::Local,
            _ => {
                let name = asked_bytes(|size, value, ret| {
                    let what = CL_KERNEL_ARG_TYPE_NAME;
                    native!(clGetKernelArgInfo(kernel, index, what, size, value, ret))
                })?;
                match name.as_slice() {
                    b"sampler_t\0" | b"sampler_t" => Self::Sampler,
                    b"queue_t\0" | b"queue_t" => return None,
                    name if name.starts_with(b"image") => Self::Memory,
                    _ => Self::Value,
                }
            }
        })
    }

    /// Returns the kind of an argument of a SPIR-V kernel by its type in the module, as runtimes
    /// may have no argument information for such kernels. `None` where the layer cannot record such
    /// an argument.
    pub(crate) fn of_module(kind: ArgumentKind) -> Option<Self> {
        match kind {
            ArgumentKind::Value => Some(Self::Value),
            ArgumentKind::Buffer | ArgumentKind::Image => Some(Self::Memory),
            ArgumentKind::Local => Some(Self::Local),
            ArgumentKind::Sampler => Some(Self::Sampler),
            _ => None,
        }
    }
}

impl KernelArgument {
    /// Reads an argument of the kind `kind` that the runtime has accepted; `None` where its bytes
    /// do not fit the kind.
    ///
    /// # Safety
    /// `value` is null or has `size` bytes.
    pub(crate) unsafe fn new(
        kind: ClArgumentKind,
        size: usize,
        value: *const c_void,
    ) -> Option<Self> {
        let handle = || {
            if value.is_null() {
                return Some(NativeHandle::NULL);
            }
            // SAFETY: the runtime has accepted a handle there; it need not be aligned.
            (size == size_of::<NativeHandle>())
                .then(|| unsafe { value.cast::<NativeHandle>().read_unaligned() })
        };
        match kind {
            ClArgumentKind::Memory => handle().map(Self::Memory),
            ClArgumentKind::Sampler => handle().map(Self::Sampler),
            ClArgumentKind::Local => Some(Self::Local(size)),
            ClArgumentKind::Value if value.is_null() => None,
            ClArgumentKind::Value => {
                // SAFETY: the caller says so.
                let bytes = unsafe { std::slice::from_raw_parts(value.cast::<u8>(), size) };
                Some(Self::Value(SmallVec::from_slice(bytes)))
            }
        }
    }

    /// Sets this value as the argument with the index `index` of a kernel, by a call of the
    /// runtime, and returns the OpenCL code of that call.
    pub(crate) fn set(&self, kernel: cl_kernel, index: cl_uint) -> cl_int {
        let of =
            |size: usize, value: *const c_void| native!(clSetKernelArg(kernel, index, size, value));
        match self {
            Self::Value(bytes) => of(bytes.len(), bytes.as_ptr().cast()),
            Self::Memory(handle) | Self::Sampler(handle) => {
                of(size_of::<NativeHandle>(), std::ptr::from_ref(handle).cast())
            }
            Self::Local(bytes) => of(*bytes, std::ptr::null()),
            Self::Svm(at) => native!(clSetKernelArgSVMPointer(kernel, index, at.0)),
        }
    }
}

/// Returns the bytes of the argument with the index `index` if it is plain data: one or more
/// numbers. `None` for other arguments.
pub(crate) fn bytes(arguments: &[Option<KernelArgument>], index: u32) -> Option<&[u8]> {
    match arguments.get(index as usize) {
        Some(Some(KernelArgument::Value(bytes))) => Some(bytes),
        _ => None,
    }
}
