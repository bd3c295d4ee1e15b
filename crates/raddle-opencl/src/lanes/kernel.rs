//! What does the layer know of a kernel of the program?
//!
//! The layer makes a second kernel for it, from the second build of the program (with the
//! prologue). The second kernel's arguments are set when a launch is given to the runtime.

use std::ffi::{CString, c_char, c_void};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use opencl_sys::{
    CL_INVALID_CONTEXT, CL_INVALID_KERNEL, CL_INVALID_KERNEL_ARGS,
    CL_KERNEL_COMPILE_WORK_GROUP_SIZE, CL_KERNEL_CONTEXT, CL_KERNEL_FUNCTION_NAME,
    CL_KERNEL_NUM_ARGS, CL_KERNEL_PROGRAM, CL_KERNEL_WORK_GROUP_SIZE, cl_context, cl_int,
    cl_kernel, cl_kernel_exec_info, cl_program, cl_uint,
};
use raddle_kernel::launch::may_run_again;
use raddle_kernel::{Ranges, Verdict};
use raddle_policy::Idempotence;
use raddle_preempt::LaunchHandle;

use crate::arguments::{ClArgumentKind, KernelArgument, bytes};
use crate::counts::Count;
use crate::memory::ranges;
use crate::native::{NativeHandle, asked, asked_bytes, guarded, lock, native};
use crate::program::{Second, second};
use crate::registry::{HandleRegistry, counted};
use crate::sizes::{Part, Sizes};
use crate::words::number;

use super::QueueLane;
use super::pace::Pace;

type Arguments = Arc<Vec<Option<KernelArgument>>>;

/// Kernel object of the program, with what the layer knows about it.
pub(crate) struct ProgramKernel {
    handle: NativeHandle,
    context: NativeHandle,
    program: NativeHandle,
    name: CString,
    beside: Result<Beside, Count>,
    /// Second kernel object, without a test of the preemption flag, for devices on which launches
    /// cannot leave. It is made at its first use; `Some(None)` where the runtime cannot make it.
    plain: OnceLock<Option<Twin>>,
    arguments: Mutex<Arguments>,
    /// One entry for each argument: true if the program has set the argument, even to a value that
    /// the layer does not know.
    given: Mutex<Vec<bool>>,
    /// Run time of the kernel's launches, divided by their number of workgroups.
    pace: Pace,
    /// Limits on the workgroups of the kernel, as (device, limits), for each device asked so far.
    limits: Mutex<Vec<(NativeHandle, KernelLimits)>>,
}

/// Second build of a kernel, with the prologue (code at its start that tests the preemption flag).
pub(crate) struct Beside {
    twin: Twin,
    kinds: Vec<ClArgumentKind>,
    verdict: Option<Verdict>,
    /// Answer whether launches of the kernel may be cut into ranges of workgroups.
    ranges: Ranges,
    /// True if the kernel has added arguments that say which range of a larger launch it runs.
    is_told: bool,
    /// Counter for the reason why no verdict (may it be stopped?) was found; `None` for a verdict.
    unjudged: Option<Count>,
    /// Second build of the program, from which this second build of the kernel is made.
    #[expect(dead_code, reason = "it is kept")]
    second: Arc<Second>,
}

/// Kernel object that the layer launches in place of the program's own, and its set arguments.
struct Twin {
    kernel: NativeHandle,
    set: Mutex<Set>,
}

/// Arguments that the layer last set in a kernel object of its own. Only changed ones are set
/// again.
#[derive(Default)]
struct Set {
    arguments: Option<Arguments>,
    /// Shared memory, with the preemption flag, that was last set as an argument: (its queue, its
    /// address, which another queue may get later); `None` before the first.
    stream: Option<(NativeHandle, *const ())>,
}

// SAFETY: the address is only compared.
unsafe impl Send for Set {}

/// Limits of a workgroup of a kernel on one device, in work-items.
#[derive(Clone, Copy)]
struct KernelLimits {
    most: usize,
    /// Size that a workgroup must have in each dimension; all 0 if any size is allowed.
    must: [usize; 3],
}

static KERNELS: HandleRegistry<ProgramKernel> = HandleRegistry::new();

/// Returns the kernel of the program with the handle `kernel`; `None` where the layer does not know
/// it.
pub(crate) fn of(kernel: cl_kernel) -> Option<Arc<ProgramKernel>> {
    KERNELS.get(NativeHandle(kernel))
}

impl ProgramKernel {
    fn new(kernel: cl_kernel) -> Option<Self> {
        let null = std::ptr::null_mut();
        let ask = |what, size, value| native!(clGetKernelInfo(kernel, what, size, value, null));
        let context: cl_context = asked(|size, value| ask(CL_KERNEL_CONTEXT, size, value))?;
        let program: cl_program = asked(|size, value| ask(CL_KERNEL_PROGRAM, size, value))?;
        let count: cl_uint = asked(|size, value| ask(CL_KERNEL_NUM_ARGS, size, value))?;
        let name = asked_bytes(|size, value, ret| {
            native!(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, size, value, ret))
        })?;
        let name = CString::from_vec_with_nul(name).ok()?;
        let beside = second(program)
            .ok_or(Count::NoSource)
            .and_then(|second| Beside::new(second, name.to_str().unwrap_or_default(), count));
        Some(Self {
            handle: NativeHandle(kernel),
            context: NativeHandle(context),
            program: NativeHandle(program),
            name,
            beside,
            plain: OnceLock::new(),
            arguments: Mutex::new(Arc::new(vec![None; count as usize])),
            given: Mutex::new(vec![false; count as usize]),
            pace: Pace::default(),
            limits: Mutex::new(Vec::new()),
        })
    }

    /// Returns the layer's own kernel object without a prologue (code that tests the preemption
    /// flag), made at the first call; `None` where the runtime cannot make it.
    fn plain(&self) -> Option<&Twin> {
        let made = || {
            let mut code = 0;
            let kernel = native!(clCreateKernel(self.program.0, self.name.as_ptr(), &raw mut code));
            (!kernel.is_null()).then(|| Twin::new(NativeHandle(kernel)))
        };
        self.plain.get_or_init(made).as_ref()
    }

    /// Returns the kernel object that the layer launches in a lane (a queue that the layer
    /// schedules): with a test of the preemption flag where launches can leave the device, else
    /// without. `None` where there is no such object.
    fn twin(&self, lane: &QueueLane) -> Option<&Twin> {
        match (&lane.words, &self.beside) {
            (_, Err(_)) => None,
            (Some(_), Ok(beside)) => Some(&beside.twin),
            (None, Ok(_)) => self.plain(),
        }
    }

    /// Returns the error code for a launch in the queue of `lane`, if the kernel lacks an argument
    /// or is of another context; else `None`. The layer checks this at the call, as some runtimes
    /// do so only later.
    pub(crate) fn refused(&self, lane: &QueueLane) -> Option<cl_int> {
        let lacks = lock(&self.given).iter().any(|given| !given);
        let other = self.context != lane.context;
        let code = if other { CL_INVALID_CONTEXT } else { CL_INVALID_KERNEL_ARGS };
        (lacks || other).then_some(code)
    }

    fn given(&self, index: cl_uint) {
        if let Some(place) = lock(&self.given).get_mut(index as usize) {
            *place = true;
        }
    }

    /// Returns the second build of the kernel, with the prologue (code that tests the preemption
    /// flag). The error is the counter for the reason why launches of the kernel cannot leave the
    /// device.
    pub(crate) fn beside(&self) -> Result<&Beside, Count> {
        self.beside.as_ref().map_err(|why| *why)
    }

    /// Returns the counter for the reason why the kernel could not be judged, so that its launches
    /// are never stopped part-way; `None` where it was judged.
    pub(crate) fn unjudged(&self) -> Option<Count> {
        self.beside.as_ref().ok().and_then(|beside| beside.unjudged)
    }

    /// Records the run time `took` of a launch, or of a range of one, with the sizes `sizes`.
    pub(crate) fn ran(&self, sizes: &Sizes, took: Duration) {
        sizes.workgroups().into_iter().for_each(|workgroups| self.pace.took(workgroups, took));
    }

    /// Returns the number of workgroups of each range, if a launch is to be cut into ranges that
    /// each take about the time `bound`; `None` where it is not to be cut.
    pub(crate) fn range(&self, sizes: &Sizes, lane: &QueueLane, bound: Duration) -> Option<u64> {
        let may = match self.beside.as_ref().map_or(Ranges::Never, |beside| beside.ranges) {
            Ranges::Plain => true,
            // Without the prologue nobody tells the kernel where it is.
            Ranges::Told => lane.words.is_some(),
            Ranges::Never => false,
        };
        let workgroups = sizes.workgroups().filter(|_| may)?;
        self.pace.range(workgroups, bound, lane.device.units)
    }

    /// Returns the arguments of the kernel as the program has set them by now.
    pub(crate) fn arguments(&self) -> Arguments {
        Arc::clone(&lock(&self.arguments))
    }

    fn set(&self, index: cl_uint, argument: KernelArgument) {
        let mut all = lock(&self.arguments);
        if let Some(place) = Arc::make_mut(&mut all).get_mut(index as usize) {
            *place = Some(argument);
        }
    }

    /// Returns whether the runtime would accept a launch with these numbers of work-items and these
    /// arguments, as far as the layer can tell.
    pub(crate) fn fits(&self, lane: &QueueLane, sizes: &Sizes, arguments: &Arguments) -> bool {
        let Some(twin) = self.twin(lane) else { return false };
        if self.context != lane.context || arguments.iter().any(Option::is_none) {
            return false;
        }
        let local = arguments.iter().flatten().map(|argument| match argument {
            KernelArgument::Local(bytes) => *bytes as u64,
            _ => 0,
        });
        if local.sum::<u64>() > lane.device.local_bytes {
            return false;
        }
        let Some(limits) = self.limits(lane, twin) else { return false };
        let Some(group) = sizes.local else { return limits.must == [0; 3] };
        let within = group.iter().zip(lane.device.most_items).all(|(size, most)| *size <= most);
        let all = group.iter().try_fold(1_usize, |all, &size| all.checked_mul(size));
        let most = limits.most.min(lane.device.most_of_all);
        within
            && all.is_some_and(|all| all <= most)
            && (limits.must == [0; 3] || limits.must == group)
    }

    fn limits(&self, lane: &QueueLane, twin: &Twin) -> Option<KernelLimits> {
        let device = lane.device.handle;
        let mut known = lock(&self.limits);
        if let Some((_, limits)) = known.iter().find(|(other, _)| *other == device) {
            return Some(*limits);
        }
        let null = std::ptr::null_mut();
        let kernel = twin.kernel.0;
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

    /// Returns the verdict whether a launch with these arguments, or the range `part` of one, may be
    /// stopped part-way and run again. `sizes` are those of the range.
    pub(crate) fn verdict(&self, arguments: &Arguments, sizes: &Sizes, part: &Part) -> Idempotence {
        let Ok(Beside { verdict: Some(verdict), .. }) = &self.beside else {
            return Idempotence::Unknown;
        };
        // The memory of arguments is asked for where it counts.
        let at =
            if matches!(verdict, Verdict::Conditional(_)) { ranges(arguments) } else { vec![] };
        let may = may_run_again(verdict, &at, |index| bytes(arguments, index), &sizes.whole(part));
        match verdict {
            _ if may => Idempotence::Idempotent,
            Verdict::Not(_) => Idempotence::Not,
            _ => Idempotence::Unknown,
        }
    }
}

impl Drop for ProgramKernel {
    fn drop(&mut self) {
        KERNELS.gone(self.handle);
    }
}

impl Beside {
    fn new(second: Arc<Second>, name: &str, count: cl_uint) -> Result<Self, Count> {
        let (kernel, verdict) = second.kernel(name)?;
        let (verdict, unjudged) = (verdict.cloned(), second.unjudged(verdict));
        let null = std::ptr::null_mut();
        let ask =
            |size, value| native!(clGetKernelInfo(kernel.0, CL_KERNEL_NUM_ARGS, size, value, null));
        // A source may have two kernels of one name, of which the preprocessor takes one.
        let is_told = asked(ask) == Some(count + 7);
        let found = second.ranges(name);
        let ranges = if found == Ranges::Told && !is_told { Ranges::Never } else { found };
        let kinds: Option<Vec<ClArgumentKind>> =
            (0..count).map(|index| second.kind((name, kernel), index)).collect();
        let twin = Twin::new(kernel);
        let kinds = kinds.ok_or(Count::Hidden)?;
        Ok(Self { twin, kinds, verdict, ranges, is_told, unjudged, second })
    }
}

impl ProgramKernel {
    /// Launches the range `part` of a launch: sets the arguments of the kernel object that the
    /// layer uses in place of the program's own, and calls `enqueue` with that object. Returns the
    /// first OpenCL error code, or 0.
    pub(crate) fn launch(
        &self,
        arguments: &Arguments,
        lane: &QueueLane,
        (handle, part): (LaunchHandle, &Part),
        enqueue: impl FnOnce(cl_kernel) -> cl_int,
    ) -> cl_int {
        let Some(twin) = self.twin(lane) else { return CL_INVALID_KERNEL };
        let mut set = lock(&twin.set);
        let mut code = twin.give(&mut set, arguments);
        if let Some(words) = &lane.words {
            let count = arguments.len() as cl_uint;
            let place = (lane.queue, words.place());
            if set.stream != Some(place) {
                code = code.min(words.give(twin.kernel.0, count));
                set.stream = Some(place);
            }
            let set = |index: cl_uint, number: u32| {
                let value: *const c_void = std::ptr::from_ref(&number).cast();
                let size = size_of::<u32>();
                native!(clSetKernelArg(twin.kernel.0, index, size, value))
            };
            code = code.min(set(count + 2, handle.slot()));
            code = code.min(set(count + 3, number(handle.sequence())));
            if self.beside.as_ref().is_ok_and(|beside| beside.is_told) {
                let place = [part.axis, part.first, part.groups];
                code = (count + 4..).zip(place).fold(code, |code, (at, it)| code.min(set(at, it)));
            }
        }
        if code != 0 {
            *set = Set::default();
            return code;
        }
        enqueue(twin.kernel.0)
    }
}

impl Twin {
    fn new(kernel: NativeHandle) -> Self {
        Self { kernel, set: Mutex::default() }
    }

    /// Sets, by calls of the runtime, the arguments that differ from those set in this kernel
    /// object before. Returns the OpenCL error code, or 0.
    fn give(&self, set: &mut Set, arguments: &Arguments) -> cl_int {
        if set.arguments.as_ref().is_some_and(|before| Arc::ptr_eq(before, arguments)) {
            return 0;
        }
        // Handles come again, so only bytes are compared.
        let before = set.arguments.take();
        let same = |index: usize, argument: &KernelArgument| {
            let known = before.as_ref().and_then(|before| before.get(index));
            matches!(argument, KernelArgument::Value(_) | KernelArgument::Local(_))
                && known.is_some_and(|known| known.as_ref() == Some(argument))
        };
        let mut code = 0;
        for (index, argument) in (0..).zip(arguments.iter()) {
            if let Some(argument) = argument
                && !same(index as usize, argument)
            {
                code = code.min(argument.set(self.kernel.0, index));
            }
        }
        set.arguments = Some(Arc::clone(arguments));
        code
    }
}

impl Drop for Twin {
    fn drop(&mut self) {
        let _ = native!(clReleaseKernel(self.kernel.0));
    }
}

/// Registers a kernel that the runtime has made, so that its launches can be scheduled; null is
/// ignored.
fn made(kernel: cl_kernel) {
    if kernel.is_null() {
        return;
    }
    if let Some(known) = ProgramKernel::new(kernel) {
        KERNELS.made(NativeHandle(kernel), Arc::new(known));
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
            // SAFETY: the runtime has stored `number` kernels, where there is room.
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
            lock(&to.given).clone_from(&lock(&from.given));
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
        let known = of(kernel);
        known.iter().for_each(|known| known.given(index));
        if let Some(known) = known
            && let Ok(beside) = &known.beside
            && let Some(&kind) = beside.kinds.get(index as usize)
            // SAFETY: the runtime has accepted `size` bytes.
            && let Some(argument) = unsafe { KernelArgument::new(kind, size, value) }
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
            known.given(index);
            known.set(index, KernelArgument::Svm(NativeHandle(at.cast_mut())));
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
            for twin in [Some(&beside.twin), known.plain()].into_iter().flatten() {
                let set = lock(&twin.set);
                let _ = native!(clSetKernelExecInfo(twin.kernel.0, what, size, value));
                drop(set);
            }
        }
        code
    })
}
