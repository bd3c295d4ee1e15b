//! Which memory do launches keep, and which bytes do their arguments name?
//!
//! A program may give its buffers, samplers and shared memory back as soon as a launch is enqueued.
//! The runtime keeps them until the launch has ended; so does the layer, as the runtime hears of
//! the launch later.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

use opencl_sys::{
    CL_MEM_ASSOCIATED_MEMOBJECT, CL_MEM_HOST_PTR, CL_MEM_OFFSET, CL_MEM_SIZE, cl_context, cl_mem,
    cl_mem_info, cl_svm_mem_flags, cl_uint,
};
use raddle_kernel::launch::Range;

use crate::arguments::KernelArgument;
use crate::native::{NativeHandle, asked, guarded, lock, native};

/// Objects of the program that the layer keeps from being freed while a launch needs them.
#[derive(Debug, Default)]
pub(crate) struct KeptObjects {
    memory: Vec<NativeHandle>,
    samplers: Vec<NativeHandle>,
    shared: Vec<Arc<Svm>>,
}

impl KeptObjects {
    /// Takes a reference to each object that the arguments name, so that it is not freed, and
    /// returns the references.
    pub(crate) fn of(arguments: &[Option<KernelArgument>]) -> Self {
        let mut kept = Self::default();
        for argument in arguments.iter().flatten() {
            match *argument {
                KernelArgument::Memory(at)
                    if !at.is_null() && native!(clRetainMemObject(at.0)) == 0 =>
                {
                    kept.memory.push(at);
                }
                KernelArgument::Sampler(at)
                    if !at.is_null() && native!(clRetainSampler(at.0)) == 0 =>
                {
                    kept.samplers.push(at);
                }
                KernelArgument::Svm(at) => kept.shared.extend(svm_at(at)),
                _ => {}
            }
        }
        kept
    }
}

impl Drop for KeptObjects {
    fn drop(&mut self) {
        for memory in &self.memory {
            let _ = native!(clReleaseMemObject(memory.0));
        }
        for sampler in &self.samplers {
            let _ = native!(clReleaseSampler(sampler.0));
        }
    }
}

/// Shared virtual memory that the program has allocated; it is freed when neither the program nor a
/// launch needs it any more.
#[derive(Debug)]
pub(crate) struct Svm {
    context: NativeHandle,
    at: NativeHandle,
    bytes: usize,
    /// True if the layer frees this shared virtual memory; false if the OpenCL runtime does.
    is_ours: std::sync::atomic::AtomicBool,
}

impl Drop for Svm {
    fn drop(&mut self) {
        if *self.is_ours.get_mut() {
            native!(clSVMFree(self.context.0, self.at.0));
        }
    }
}

static SVM: Mutex<BTreeMap<usize, Arc<Svm>>> = Mutex::new(BTreeMap::new());

/// Returns the shared memory that contains an address; `None` where there is none.
fn svm_at(at: NativeHandle) -> Option<Arc<Svm>> {
    let all = lock(&SVM);
    let (&begin, svm) = all.range(..=at.0.addr()).next_back()?;
    (at.0.addr() - begin < svm.bytes).then(|| Arc::clone(svm))
}

pub(crate) unsafe extern "C" fn svm_alloc(
    context: cl_context,
    flags: cl_svm_mem_flags,
    bytes: usize,
    alignment: cl_uint,
) -> *mut c_void {
    guarded(|| {
        let at = native!(clSVMAlloc(context, flags, bytes, alignment));
        if !at.is_null() {
            let svm = Svm {
                context: NativeHandle(context),
                at: NativeHandle(at),
                bytes,
                is_ours: std::sync::atomic::AtomicBool::new(true),
            };
            // An address that comes again was given back before, by an enqueued call.
            let before = lock(&SVM).insert(at.addr(), Arc::new(svm));
            if let Some(before) = before {
                before.is_ours.store(false, std::sync::atomic::Ordering::Relaxed);
            }
        }
        at
    })
}

pub(crate) unsafe extern "C" fn svm_free(context: cl_context, at: *mut c_void) {
    guarded(|| {
        let known = lock(&SVM).remove(&at.addr());
        match known {
            Some(svm) => drop(svm),
            None => native!(clSVMFree(context, at)),
        }
    });
}

/// Removes the shared virtual memory at the addresses `places` from the layer's list, as the
/// runtime will free it.
pub(crate) fn forget_svm(places: &[*mut c_void]) {
    for at in places {
        let known = lock(&SVM).remove(&at.addr());
        if let Some(svm) = known {
            svm.is_ours.store(false, std::sync::atomic::Ordering::Relaxed);
        }
    }
}

/// Returns the range of addresses to which each argument gives access. Memory objects whose address
/// the host does not know get made-up ranges beyond all real addresses, which do not overlap.
pub(crate) fn ranges(arguments: &[Option<KernelArgument>]) -> Vec<Range> {
    let mut roots: Vec<NativeHandle> = Vec::new();
    arguments
        .iter()
        .map(|argument| match argument {
            Some(KernelArgument::Memory(memory)) if !memory.is_null() => {
                range(memory.0, &mut roots)
            }
            Some(KernelArgument::Svm(at)) => match svm_at(*at) {
                Some(svm) => Range::new(svm.at.0.addr() as u64, svm.bytes as u64),
                None if at.is_null() => Range::EMPTY,
                None => Range::ALL,
            },
            _ => Range::EMPTY,
        })
        .collect()
}

/// First address of the made-up ranges for memory objects without an address: no address of a
/// process is as high.
const BEYOND: u64 = 1 << 62;
/// Binary logarithm of the length of each made-up address range: 2^48 bytes, more than any memory
/// object has.
const ROOM: u32 = 48;

fn range(memory: cl_mem, roots: &mut Vec<NativeHandle>) -> Range {
    fn ask<T: Copy>(memory: cl_mem, what: cl_mem_info) -> Option<T> {
        asked(|size, value| {
            native!(clGetMemObjectInfo(memory, what, size, value, std::ptr::null_mut()))
        })
    }
    let mut known = || {
        let bytes: usize = ask(memory, CL_MEM_SIZE)?;
        let offset: usize = ask(memory, CL_MEM_OFFSET)?;
        let root: cl_mem = ask(memory, CL_MEM_ASSOCIATED_MEMOBJECT)?;
        let root = if root.is_null() { memory } else { root };
        let host: *mut c_void = ask(root, CL_MEM_HOST_PTR)?;
        if !host.is_null() {
            return Some(Range::new((host.addr() + offset) as u64, bytes as u64));
        }
        let index = roots.iter().position(|known| known.0 == root).unwrap_or_else(|| {
            roots.push(NativeHandle(root));
            roots.len() - 1
        });
        let begin = BEYOND + ((index as u64) << ROOM) + offset as u64;
        Some(Range::new(begin, bytes as u64))
    };
    known().unwrap_or(Range::ALL)
}
