//! In which memory do host and device share the states of a queue's launches (words) and the ranges
//! of launches that are to leave or are killed (cuts)?

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering, fence};

use opencl_sys::{
    CL_DEVICE_HOST_UNIFIED_MEMORY, CL_DEVICE_SVM_ATOMICS, CL_DEVICE_SVM_CAPABILITIES,
    CL_DEVICE_SVM_FINE_GRAIN_BUFFER, CL_MEM_READ_WRITE, CL_MEM_SVM_ATOMICS,
    CL_MEM_SVM_FINE_GRAIN_BUFFER, CL_MEM_USE_HOST_PTR, cl_bitfield, cl_bool, cl_context,
    cl_device_id, cl_int, cl_kernel, cl_uint,
};

use crate::native::{NativeHandle, asked, native};

/// Kind of memory through which a device sees, while kernels run, what the host writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// No memory exists through which the device sees, while kernels run, what the host writes.
    None,
    /// The memory through which the device sees what the host writes is shared virtual memory.
    /// `atomics` is true if atomic operations of the host and of the device work on it together.
    Svm { atomics: bool },
    /// The memory through which the device sees what the host writes is a buffer in memory of the
    /// host.
    HostPointer,
}

impl Sight {
    pub(crate) fn of(device: cl_device_id) -> Self {
        let ask = |what| {
            move |size, value| {
                native!(clGetDeviceInfo(device, what, size, value, std::ptr::null_mut()))
            }
        };
        let svm: cl_bitfield = asked(ask(CL_DEVICE_SVM_CAPABILITIES)).unwrap_or(0);
        let unified: cl_bool = asked(ask(CL_DEVICE_HOST_UNIFIED_MEMORY)).unwrap_or(0);
        let forced = std::env::var_os("RADDLE_OPENCL_HOST_POINTER").is_some();
        if std::env::var_os("RADDLE_OPENCL_NO_FLAG").is_some() {
            Self::None
        } else if svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER != 0 && !forced {
            Self::Svm { atomics: svm & CL_DEVICE_SVM_ATOMICS != 0 }
        } else if unified != 0 {
            Self::HostPointer
        } else {
            Self::None
        }
    }
}

/// Number of words in the shared memory of a queue. Each launch in the runtime has one, with the
/// launch's state, by its slot number.
pub(crate) const WORDS: usize = 256;

/// Memory of one queue that the host and the device share.
#[repr(C, align(128))]
struct SharedWords {
    words: [AtomicU32; WORDS],
    /// Two ranges of launches, each as (first launch number, number of launches): those that leave,
    /// then those that are killed.
    cuts: [AtomicU32; 4],
}

/// Returns the number of a launch that its kernel compares with the ranges of launches to leave or
/// be killed: the lowest 32 bits of the submission number.
#[expect(clippy::cast_possible_truncation, reason = "numbers of launches wrap")]
pub(crate) const fn number(sequence: u64) -> u32 {
    sequence as u32
}

/// Kind of a cut, a range of launches of one queue that are told through shared memory to end:
/// either they leave at their start, or they are killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Leave,
    Kill,
}

/// Memory of a queue that host and device share. One word for each launch says whether it runs,
/// leaves or is killed; two ranges say which launches are to leave and which are killed.
pub(crate) struct Words {
    shared: *mut SharedWords,
    place: WordsPlace,
}

enum WordsPlace {
    Svm {
        context: NativeHandle,
    },
    /// Two buffers in memory of the host: one for the words with the launches' states, one for the
    /// ranges of launches that leave or are killed.
    Buffers {
        words: NativeHandle,
        cuts: NativeHandle,
    },
}

// SAFETY: what is shared is atomic, and handles may be used from any thread.
unsafe impl Send for Words {}
// SAFETY: as above.
unsafe impl Sync for Words {}

impl Words {
    /// Makes memory that the host shares with a device in the way `sight`; `None` where the device
    /// has no such memory or the runtime does not allocate it.
    pub(crate) fn new(context: cl_context, sight: Sight) -> Option<Self> {
        let size = size_of::<SharedWords>();
        match sight {
            Sight::None => None,
            Sight::Svm { atomics } => {
                let atomics = if atomics { CL_MEM_SVM_ATOMICS } else { 0 };
                let flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | atomics;
                let memory = native!(clSVMAlloc(context, flags, size, 0));
                let shared = memory.cast::<SharedWords>();
                if shared.is_null() {
                    return None;
                }
                // SAFETY: the runtime gave `size` bytes.
                unsafe { std::ptr::write_bytes(memory.cast::<u8>(), 0, size) };
                Some(Self { shared, place: WordsPlace::Svm { context: NativeHandle(context) } })
            }
            Sight::HostPointer => {
                let zero = SharedWords {
                    words: [const { AtomicU32::new(0) }; WORDS],
                    cuts: [const { AtomicU32::new(0) }; 4],
                };
                let shared = Box::into_raw(Box::new(zero));
                // SAFETY: it was just made.
                let (words, cuts) = unsafe { (&raw mut (*shared).words, &raw mut (*shared).cuts) };
                let buffer = |bytes: usize, at: *mut c_void| {
                    let flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
                    let mut code: cl_int = 0;
                    NativeHandle(native!(clCreateBuffer(context, flags, bytes, at, &raw mut code)))
                };
                let place = WordsPlace::Buffers {
                    words: buffer(WORDS * 4, words.cast()),
                    cuts: buffer(16, cuts.cast()),
                };
                let made = Self { shared, place };
                match made.place {
                    WordsPlace::Buffers { words, cuts } if words.is_null() || cuts.is_null() => {
                        None
                    }
                    _ => Some(made),
                }
            }
        }
    }

    fn shared(&self) -> &SharedWords {
        // SAFETY: it stays until this is dropped, and is atomic.
        unsafe { &*self.shared }
    }

    /// Returns the address of the shared memory, which identifies it.
    pub(crate) const fn place(&self) -> *const () {
        self.shared.cast_const().cast()
    }

    /// Returns the word in shared memory with the state of the launch in the slot `slot`.
    pub(crate) fn word(&self, slot: u32) -> &AtomicU32 {
        &self.shared().words[slot as usize % WORDS]
    }

    /// Sets the range of launches that leave, or that are killed: `count` launches from the number
    /// `first` on.
    pub(crate) fn raise(&self, cut: Cut, first: u32, count: u32) {
        let at = if cut == Cut::Leave { 0 } else { 2 };
        let cuts = &self.shared().cuts;
        // The count is 0 while the first number changes, so that no launch sees a mixed cut.
        cuts[at + 1].store(0, Ordering::Release);
        cuts[at].store(first, Ordering::Release);
        cuts[at + 1].store(count, Ordering::Release);
        fence(Ordering::SeqCst);
    }

    /// Empties both ranges of launches (those that leave, those that are killed) in the shared
    /// memory, so that no launch leaves or is killed.
    pub(crate) fn lower(&self) {
        self.raise(Cut::Leave, 0, 0);
        self.raise(Cut::Kill, 0, 0);
    }

    /// Sets two arguments of a kernel, with the indices `first` and `first + 1`: the words with the
    /// launches' states, and the ranges of launches that leave or are killed. Returns the OpenCL
    /// error code, or 0.
    pub(crate) fn give(&self, kernel: cl_kernel, first: cl_uint) -> cl_int {
        match &self.place {
            WordsPlace::Svm { .. } => {
                // SAFETY: only the addresses of the fields are taken.
                let (words, cuts) =
                    unsafe { (&raw mut (*self.shared).words, &raw mut (*self.shared).cuts) };
                let code = native!(clSetKernelArgSVMPointer(kernel, first, words.cast()));
                code.min(native!(clSetKernelArgSVMPointer(kernel, first + 1, cuts.cast())))
            }
            WordsPlace::Buffers { words, cuts } => {
                let size = size_of::<NativeHandle>();
                let give = |index, memory: &NativeHandle| {
                    let value = std::ptr::from_ref(memory).cast();
                    native!(clSetKernelArg(kernel, index, size, value))
                };
                give(first, words).min(give(first + 1, cuts))
            }
        }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        match self.place {
            WordsPlace::Svm { context } => native!(clSVMFree(context.0, self.shared.cast())),
            WordsPlace::Buffers { words, cuts } => {
                for buffer in [words, cuts].into_iter().filter(|buffer| !buffer.is_null()) {
                    let _ = native!(clReleaseMemObject(buffer.0));
                }
                // SAFETY: it was made from a box, and no launch of the queue is left.
                drop(unsafe { Box::from_raw(self.shared) });
            }
        }
    }
}
