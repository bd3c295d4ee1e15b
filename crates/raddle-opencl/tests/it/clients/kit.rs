//! What do clients need to launch something?

use std::ffi::{CStr, CString, c_void};
use std::ptr;

use opencl_sys::*;

use super::cl::{cl, devices};

/// Source of the kernels that most clients use. A launch of `advance` and `sum` may not be run
/// again.
pub(crate) const SOURCE: &str = "
__kernel void advance(__global uint *x, uint rounds) {
  size_t i = get_global_id(0);
  uint v = x[i];
  for (uint r = 0; r < rounds; r++) v = v * 1664525u + 1013904223u;
  x[i] = v;
}
__kernel void sum(__global const uint *x, __global uint *all) { atomic_add(all, x[get_global_id(0)]); }
__kernel void turn(__global uint *x, __local uint *room) {
  size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
  room[l] = x[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[i] = room[n - 1 - l] + (uint)l;
}
__kernel void spread(__global const uint *x, __global uint *y, uint rounds) {
  size_t i = get_global_id(0);
  uint v = x[i];
  for (uint r = 0; r < rounds; r++) v = v * 22695477u + 1u;
  y[i] = v;
}
__kernel void pick(__global const uint *x, __global uint *y, __local uint *room) {
  size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
  room[l] = (x[i] + (uint)l) % (uint)n;
  barrier(CLK_LOCAL_MEM_FENCE);
  y[i] = x[i - l + room[n - 1 - l]];
}
__kernel void put(__global uint *x, uint at, uint value) { x[at] = value; }
";

/// Objects that a client launches with: a device, a context, a queue and the built program.
pub(crate) struct Kit {
    pub(crate) device: cl_device_id,
    pub(crate) context: cl_context,
    pub(crate) queue: cl_command_queue,
    pub(crate) program: cl_program,
}

// SAFETY: handles may be used from any thread.
unsafe impl Send for Kit {}

/// Value of an argument of a kernel: a memory object, a number, or a size of local memory in bytes.
pub(crate) enum Set {
    Memory(cl_mem),
    Number(u32),
    Local(usize),
}

impl Kit {
    pub(crate) fn new() -> Self {
        Self::with(0)
    }

    /// Makes a kit whose queue has these properties, such as that of profiling.
    pub(crate) fn with(properties: cl_command_queue_properties) -> Self {
        let (_, device) = devices().pop().expect("a device");
        let mut code = 0;
        let context =
            cl!(clCreateContext(ptr::null(), 1, &device, None, ptr::null_mut(), &raw mut code));
        assert_eq!(code, 0);
        let mut kit = Self { device, context, queue: ptr::null_mut(), program: ptr::null_mut() };
        kit.queue = kit.queue(properties);
        kit.program = kit.program(SOURCE);
        kit
    }

    pub(crate) fn queue(&self, properties: cl_command_queue_properties) -> cl_command_queue {
        let mut code = 0;
        let queue = cl!(clCreateCommandQueue(self.context, self.device, properties, &raw mut code));
        assert_eq!(code, 0);
        queue
    }

    pub(crate) fn program(&self, source: &str) -> cl_program {
        self.program_by(source, c"-DUNUSED=1")
    }

    pub(crate) fn program_by(&self, source: &str, options: &CStr) -> cl_program {
        let program = self.unbuilt(source);
        let options = options.as_ptr();
        let (device, null) = (&raw const self.device, ptr::null_mut());
        assert_eq!(cl!(clBuildProgram(program, 1, device, options, None, null)), 0);
        program
    }

    pub(crate) fn unbuilt(&self, source: &str) -> cl_program {
        let text = CString::new(source).expect("a text");
        let mut text = text.as_ptr();
        let mut code = 0;
        let program = cl!(clCreateProgramWithSource(
            self.context,
            1,
            &raw mut text,
            ptr::null(),
            &raw mut code
        ));
        assert_eq!(code, 0);
        program
    }

    pub(crate) fn kernel(&self, name: &str) -> cl_kernel {
        Self::kernel_of(self.program, name)
    }

    pub(crate) fn kernel_of(program: cl_program, name: &str) -> cl_kernel {
        let name = CString::new(name).expect("a name");
        let mut code = 0;
        let kernel = cl!(clCreateKernel(program, name.as_ptr(), &raw mut code));
        assert_eq!(code, 0);
        kernel
    }

    /// Makes a buffer that holds the numbers from 0 to `count` - 1, of 32 bits each.
    pub(crate) fn buffer(&self, count: u32) -> cl_mem {
        self.buffer_of(&(0..count).collect::<Vec<_>>())
    }

    pub(crate) fn buffer_of(&self, numbers: &[u32]) -> cl_mem {
        let mut code = 0;
        let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
        let from = numbers.as_ptr().cast_mut().cast();
        let buffer =
            cl!(clCreateBuffer(self.context, flags, size_of_val(numbers), from, &raw mut code));
        assert_eq!(code, 0);
        buffer
    }

    pub(crate) fn user_event(&self) -> cl_event {
        let mut code = 0;
        let event = cl!(clCreateUserEvent(self.context, &raw mut code));
        assert_eq!(code, 0);
        event
    }

    /// Reads the first `count` numbers of a buffer when everything in the queue has ended.
    pub(crate) fn read(&self, queue: cl_command_queue, buffer: cl_mem, count: usize) -> Vec<u32> {
        let mut numbers = vec![0; count];
        let to: *mut c_void = numbers.as_mut_ptr().cast();
        let code = cl!(clEnqueueReadBuffer(
            queue,
            buffer,
            CL_TRUE,
            0,
            count * 4,
            to,
            0,
            ptr::null(),
            ptr::null_mut()
        ));
        assert_eq!(code, 0);
        numbers
    }
}

/// Sets the first arguments of a kernel to the given values.
pub(crate) fn set(kernel: cl_kernel, arguments: &[Set]) {
    for (index, argument) in (0..).zip(arguments) {
        let code = match argument {
            Set::Memory(memory) => {
                cl!(clSetKernelArg(kernel, index, 8, ptr::from_ref(memory).cast()))
            }
            Set::Number(number) => {
                cl!(clSetKernelArg(kernel, index, 4, ptr::from_ref(number).cast()))
            }
            Set::Local(bytes) => cl!(clSetKernelArg(kernel, index, *bytes, ptr::null())),
        };
        assert_eq!(code, 0, "argument {index}");
    }
}

/// Launches `items` work-items in workgroups of `group`, after the events in `behind`, and returns
/// the OpenCL code.
pub(crate) fn launch(
    queue: cl_command_queue,
    kernel: cl_kernel,
    items: usize,
    group: usize,
    behind: &[cl_event],
    event: *mut cl_event,
) -> cl_int {
    let list = if behind.is_empty() { ptr::null() } else { behind.as_ptr() };
    let local = if group == 0 { ptr::null() } else { &raw const group };
    let count = u32::try_from(behind.len()).expect("few");
    cl!(clEnqueueNDRangeKernel(
        queue,
        kernel,
        1,
        ptr::null(),
        &raw const items,
        local,
        count,
        list,
        event
    ))
}

/// Launches as `launch` does, where the launch must be accepted. Returns its event.
pub(crate) fn launched(
    queue: cl_command_queue,
    kernel: cl_kernel,
    items: usize,
    group: usize,
    behind: &[cl_event],
) -> cl_event {
    let mut event = ptr::null_mut();
    assert_eq!(launch(queue, kernel, items, group, behind, &raw mut event), 0);
    event
}

/// Returns the OpenCL status of an event: 0 is complete, below 0 is an error.
pub(crate) fn status(event: cl_event) -> cl_int {
    let mut status: cl_int = 99;
    let code = cl!(clGetEventInfo(
        event,
        CL_EVENT_COMMAND_EXECUTION_STATUS,
        4,
        (&raw mut status).cast(),
        ptr::null_mut()
    ));
    assert_eq!(code, 0);
    status
}

pub(crate) fn wait(events: &[cl_event]) -> cl_int {
    cl!(clWaitForEvents(u32::try_from(events.len()).expect("few"), events.as_ptr()))
}

/// Returns a hash of the numbers as text, by which results are compared.
pub(crate) fn digest(numbers: &[u32]) -> String {
    let all = numbers.iter().fold(0xcbf2_9ce4_8422_2325_u64, |all, number| {
        (all ^ u64::from(*number)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{all:016x}")
}
