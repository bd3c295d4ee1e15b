//! What does the layer know of a kernel of the program?
//!
//! A second kernel stands beside it, from the second program. Its arguments are set when a launch is given to the
//! runtime.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex};

use opencl_sys::{
    CL_KERNEL_COMPILE_WORK_GROUP_SIZE, CL_KERNEL_CONTEXT, CL_KERNEL_FUNCTION_NAME,
    CL_KERNEL_NUM_ARGS, CL_KERNEL_PROGRAM, CL_KERNEL_WORK_GROUP_SIZE, cl_context, cl_int,
    cl_kernel, cl_kernel_exec_info, cl_program, cl_uint,
};
use raddle_kernel::Verdict;
use raddle_kernel::launch::may_run_again;
use raddle_policy::Idempotence;
use raddle_preempt::LaunchHandle;

use crate::arguments::{Argument, Kind};
use crate::counts::Count;
use crate::memory::ranges;
use crate::native::{Handle, asked, asked_bytes, guarded, lock, native};
use crate::program::{Second, second};
use crate::registry::{Registry, counted};
use crate::sizes::Sizes;
use crate::words::number;

use super::Lane;

type Arguments = Arc<Vec<Option<Argument>>>;

/// A kernel of the program.
pub(crate) struct Kernel {
    handle: Handle,
    context: Handle,
    beside: Result<Beside, Count>,
    arguments: Mutex<Arguments>,
    /// What a group of it may hold, by device.
    limits: Mutex<Vec<(Handle, KernelLimits)>>,
}

/// The second kernel.
pub(crate) struct Beside {
    kernel: Handle,
    kinds: Vec<Kind>,
    verdict: Option<Verdict>,
    /// Its program.
    #[expect(dead_code, reason = "it is kept")]
    second: Arc<Second>,
    set: Mutex<Set>,
}

/// What the second kernel has as arguments.
#[derive(Default)]
struct Set {
    arguments: Option<Arguments>,
    /// Whose words and cuts: of the queue with this address, which may come again, in this shared memory.
    stream: Option<(Handle, *const ())>,
}

// SAFETY: the address is only compared.
unsafe impl Send for Set {}

/// What a group of a kernel may hold on one device.
#[derive(Clone, Copy)]
struct KernelLimits {
    most: usize,
    /// The one size that it may have; zeros: any.
    must: [usize; 3],
}

static KERNELS: Registry<Kernel> = Registry::new();

/// What is known of a kernel.
pub(crate) fn of(kernel: cl_kernel) -> Option<Arc<Kernel>> {
    KERNELS.get(Handle(kernel))
}

impl Kernel {
    fn new(kernel: cl_kernel) -> Option<Self> {
        let null = std::ptr::null_mut();
        let ask = |what, size, value| native!(clGetKernelInfo(kernel, what, size, value, null));
        let context: cl_context = asked(|size, value| ask(CL_KERNEL_CONTEXT, size, value))?;
        let program: cl_program = asked(|size, value| ask(CL_KERNEL_PROGRAM, size, value))?;
        let count: cl_uint = asked(|size, value| ask(CL_KERNEL_NUM_ARGS, size, value))?;
        let name = asked_bytes(|size, value, ret| {
            native!(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, size, value, ret))
        })?;
        let name = String::from_utf8(name).ok()?;
        let beside = second(program)
            .ok_or(Count::NoSource)
            .and_then(|second| Beside::new(second, name.trim_end_matches('\0'), count));
        let arguments = Mutex::new(Arc::new(vec![None; count as usize]));
        let limits = Mutex::new(Vec::new());
        let handle = Handle(kernel);
        Some(Self { handle, context: Handle(context), beside, arguments, limits })
    }

    /// The second one, or why its launches cannot leave.
    pub(crate) fn beside(&self) -> Result<&Beside, Count> {
        self.beside.as_ref().map_err(|why| *why)
    }

    /// Its arguments as they are now.
    pub(crate) fn arguments(&self) -> Arguments {
        Arc::clone(&lock(&self.arguments))
    }

    fn set(&self, index: cl_uint, argument: Argument) {
        let mut all = lock(&self.arguments);
        if let Some(place) = Arc::make_mut(&mut all).get_mut(index as usize) {
            *place = Some(argument);
        }
    }

    /// Whether a launch is as the runtime accepts it, as far as it can be told without it.
    pub(crate) fn fits(&self, lane: &Lane, sizes: &Sizes, arguments: &Arguments) -> bool {
        let Ok(beside) = &self.beside else { return false };
        if self.context != lane.context || arguments.iter().any(Option::is_none) {
            return false;
        }
        let local = arguments.iter().flatten().map(|argument| match argument {
            Argument::Local(bytes) => *bytes as u64,
            _ => 0,
        });
        if local.sum::<u64>() > lane.device.local_bytes {
            return false;
        }
        let Some(limits) = self.limits(lane, beside) else { return false };
        let Some(group) = sizes.local else { return limits.must == [0; 3] };
        let within = group.iter().zip(lane.device.most_items).all(|(size, most)| *size <= most);
        let all = group.iter().try_fold(1_usize, |all, &size| all.checked_mul(size));
        let most = limits.most.min(lane.device.most_of_all);
        within
            && all.is_some_and(|all| all <= most)
            && (limits.must == [0; 3] || limits.must == group)
    }

    fn limits(&self, lane: &Lane, beside: &Beside) -> Option<KernelLimits> {
        let device = lane.device.handle;
        let mut known = lock(&self.limits);
        if let Some((_, limits)) = known.iter().find(|(other, _)| *other == device) {
            return Some(*limits);
        }
        let null = std::ptr::null_mut();
        let kernel = beside.kernel.0;
        let most = asked(|size, value| {
            let what = CL_KERNEL_WORK_GROUP_SIZE;
            native!(clGetKernelWorkGroupInfo(kernel, device.0, what, size, value, null))
        })?;
        let must = asked(|size, value| {
            let what = CL_KERNEL_COMPILE_WORK_GROUP_SIZE;
            native!(clGetKernelWorkGroupInfo(kernel, device.0, what, size, value, null))
        })?;
        let limits = KernelLimits { most, must };
        known.push((device, limits));
        Some(limits)
    }

    /// Whether a launch with these arguments may be stopped part-way and run again.
    pub(crate) fn verdict(&self, arguments: &Arguments) -> Idempotence {
        let Ok(Beside { verdict: Some(verdict), .. }) = &self.beside else {
            return Idempotence::Unknown;
        };
        let may = match verdict {
            Verdict::Conditional(_) => may_run_again(verdict, &ranges(arguments)),
            verdict => may_run_again(verdict, &[]),
        };
        match verdict {
            _ if may => Idempotence::Idempotent,
            Verdict::Not(_) => Idempotence::Not,
            _ => Idempotence::Unknown,
        }
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        KERNELS.gone(self.handle);
    }
}

impl Beside {
    fn new(second: Arc<Second>, name: &str, count: cl_uint) -> Result<Self, Count> {
        let (kernel, verdict) = second.kernel(name)?;
        let verdict = verdict.cloned();
        let kinds = (0..count).map(|index| Kind::of(kernel.0, index)).collect();
        let Some(kinds) = kinds else {
            let _ = native!(clReleaseKernel(kernel.0));
            return Err(Count::Hidden);
        };
        Ok(Self { kernel, kinds, verdict, second, set: Mutex::default() })
    }

    /// Sets the arguments and enqueues it: the code of either.
    pub(crate) fn launch(
        &self,
        arguments: &Arguments,
        lane: &Lane,
        handle: LaunchHandle,
        enqueue: impl FnOnce(cl_kernel) -> cl_int,
    ) -> cl_int {
        let mut set = lock(&self.set);
        let kernel = self.kernel.0;
        let mut code = 0;
        if !set.arguments.as_ref().is_some_and(|before| Arc::ptr_eq(before, arguments)) {
            // Handles come again, so only bytes are compared.
            let before = set.arguments.take();
            let same = |index: usize, argument: &Argument| {
                let known = before.as_ref().and_then(|before| before.get(index));
                matches!(argument, Argument::Value(_) | Argument::Local(_))
                    && known.is_some_and(|known| known.as_ref() == Some(argument))
            };
            for (index, argument) in (0..).zip(arguments.iter()) {
                if let Some(argument) = argument
                    && !same(index as usize, argument)
                {
                    code = code.min(argument.set(kernel, index));
                }
            }
            set.arguments = Some(Arc::clone(arguments));
        }
        let count = self.kinds.len() as cl_uint;
        if let Some(words) = &lane.words {
            let place = (lane.queue, words.place());
            if set.stream != Some(place) {
                code = code.min(words.give(kernel, count));
                set.stream = Some(place);
            }
        }
        for (index, number) in [(count + 2, handle.slot()), (count + 3, number(handle.sequence))] {
            let value: *const c_void = std::ptr::from_ref(&number).cast();
            code = code.min(native!(clSetKernelArg(kernel, index, size_of::<u32>(), value)));
        }
        if code != 0 {
            (set.arguments, set.stream) = (None, None);
            return code;
        }
        enqueue(kernel)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = native!(clReleaseKernel(self.kernel.0));
    }
}

/// A kernel was made.
fn made(kernel: cl_kernel) {
    if kernel.is_null() {
        return;
    }
    if let Some(known) = Kernel::new(kernel) {
        KERNELS.made(Handle(kernel), Arc::new(known));
    }
}

pub(crate) unsafe extern "C" fn create(
    program: cl_program,
    name: *const c_char,
    code: *mut cl_int,
) -> cl_kernel {
    guarded(|| {
        let kernel = native!(clCreateKernel(program, name, code));
        made(kernel);
        kernel
    })
}

pub(crate) unsafe extern "C" fn create_all(
    program: cl_program,
    room: cl_uint,
    kernels: *mut cl_kernel,
    count: *mut cl_uint,
) -> cl_int {
    guarded(|| {
        let mut number = 0;
        let code = native!(clCreateKernelsInProgram(program, room, kernels, &raw mut number));
        // SAFETY: the program gives a place for the number, or null.
        unsafe { crate::native::store(count, number) };
        if code == 0 && !kernels.is_null() {
            // SAFETY: the runtime has stored so many.
            let all = unsafe { std::slice::from_raw_parts(kernels, number.min(room) as usize) };
            all.iter().for_each(|&kernel| made(kernel));
        }
        code
    })
}

pub(crate) unsafe extern "C" fn clone(from: cl_kernel, code: *mut cl_int) -> cl_kernel {
    guarded(|| {
        let kernel = native!(clCloneKernel(from, code));
        made(kernel);
        if let (Some(from), Some(to)) = (of(from), of(kernel)) {
            *lock(&to.arguments) = from.arguments();
        }
        kernel
    })
}

counted!(KERNELS: cl_kernel, clRetainKernel, clReleaseKernel);

pub(crate) unsafe extern "C" fn set_argument(
    kernel: cl_kernel,
    index: cl_uint,
    size: usize,
    value: *const c_void,
) -> cl_int {
    guarded(|| {
        let code = native!(clSetKernelArg(kernel, index, size, value));
        if code != 0 {
            return code;
        }
        if let Some(known) = of(kernel)
            && let Ok(beside) = &known.beside
            && let Some(&kind) = beside.kinds.get(index as usize)
            // SAFETY: the runtime has accepted so many bytes.
            && let Some(argument) = unsafe { Argument::new(kind, size, value) }
        {
            known.set(index, argument);
        }
        code
    })
}

pub(crate) unsafe extern "C" fn set_pointer(
    kernel: cl_kernel,
    index: cl_uint,
    at: *const c_void,
) -> cl_int {
    guarded(|| {
        let code = native!(clSetKernelArgSVMPointer(kernel, index, at));
        if code == 0
            && let Some(known) = of(kernel)
        {
            known.set(index, Argument::Svm(Handle(at.cast_mut())));
        }
        code
    })
}

pub(crate) unsafe extern "C" fn set_execution(
    kernel: cl_kernel,
    what: cl_kernel_exec_info,
    size: usize,
    value: *const c_void,
) -> cl_int {
    guarded(|| {
        let code = native!(clSetKernelExecInfo(kernel, what, size, value));
        if code == 0
            && let Some(known) = of(kernel)
            && let Ok(beside) = &known.beside
        {
            let set = lock(&beside.set);
            let _ = native!(clSetKernelExecInfo(beside.kernel.0, what, size, value));
            drop(set);
        }
        code
    })
}
