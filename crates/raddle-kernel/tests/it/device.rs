//! What do tests need of an OpenCL device, and with which values does a kernel of the corpus begin?

use std::collections::BTreeMap;
use std::ptr;
use std::sync::Mutex;

use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device, get_all_devices};
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::program::Program;
use opencl3::types::CL_BLOCKING;

use crate::corpus::{Case, Given};

/// Contents of the buffers of a kernel, by index of the argument.
pub(crate) type Memory = BTreeMap<usize, Vec<u8>>;

/// An OpenCL device with one queue, on which kernels of the corpus run.
pub(crate) struct OpenCl {
    context: Context,
    queue: CommandQueue,
}

/// An argument that a test adds behind those of a kernel of the corpus.
pub(crate) enum More<'b> {
    Buffer(&'b Buffer<u8>),
    Number(u32),
}

impl OpenCl {
    /// Opens the first OpenCL device; `None`, with a message, where there is none and none is
    /// required.
    pub(crate) fn open() -> Option<Self> {
        // A driver may tell a second thread of devices that it has not finished opening.
        static OPENING: Mutex<()> = Mutex::new(());
        let _alone = OPENING.lock();
        let devices = get_all_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default();
        let Some(&device) = devices.first() else {
            assert!(std::env::var_os("RADDLE_REQUIRE_OPENCL").is_none(), "an OpenCL device");
            println!("skipped: no OpenCL device");
            return None;
        };
        let context = Context::from_device(&Device::new(device)).expect("a context");
        let queue = CommandQueue::create_default_with_properties(&context, 0, 0).expect("a queue");
        Some(Self { context, queue })
    }

    pub(crate) fn program(&self, source: &str) -> Program {
        Program::create_and_build_from_source(&self.context, source, "-w")
            .unwrap_or_else(|log| panic!("{log}\n{source}"))
    }

    pub(crate) fn buffer(&self, bytes: &[u8]) -> Buffer<u8> {
        // SAFETY: no host pointer is handed over; the write blocks.
        unsafe {
            let mut buffer =
                Buffer::create(&self.context, CL_MEM_READ_WRITE, bytes.len(), ptr::null_mut())
                    .expect("a buffer");
            self.queue
                .enqueue_write_buffer(&mut buffer, CL_BLOCKING, 0, bytes, &[])
                .expect("a write");
            buffer
        }
    }

    pub(crate) fn read(&self, buffer: &Buffer<u8>, length: usize) -> Vec<u8> {
        let mut bytes = vec![0_u8; length];
        // SAFETY: the buffer has this many bytes, and the read blocks.
        unsafe {
            self.queue
                .enqueue_read_buffer(buffer, CL_BLOCKING, 0, &mut bytes, &[])
                .expect("a read");
        }
        bytes
    }

    /// Makes buffers of equal size with these contents, by index of the argument.
    pub(crate) fn buffers(&self, start: &Memory) -> BTreeMap<usize, Buffer<u8>> {
        // Two arguments in one buffer need room for the larger.
        let most = most(start);
        let filled = start.iter().map(|(&index, bytes)| {
            let mut bytes = bytes.clone();
            bytes.resize(most, 0);
            (index, self.buffer(&bytes))
        });
        filled.collect()
    }

    pub(crate) fn memory(&self, buffers: &BTreeMap<usize, Buffer<u8>>, start: &Memory) -> Memory {
        let most = most(start);
        buffers.iter().map(|(&index, buffer)| (index, self.read(buffer, most))).collect()
    }

    /// Launches a kernel of the corpus and waits for its end. With `shared`, a pair of arguments,
    /// the buffer of the first one stands for the second one, too.
    pub(crate) fn launch(
        &self,
        kernel: &Kernel,
        case: &Case,
        buffers: &BTreeMap<usize, Buffer<u8>>,
        shared: Option<(usize, usize)>,
        more: &[More<'_>],
    ) {
        let mut launch = ExecuteKernel::new(kernel);
        for (index, given) in case.arguments.iter().enumerate() {
            let from = match shared {
                Some((a, b)) if b == index => a,
                _ => index,
            };
            // SAFETY: types and sizes are those of the kernel's arguments, which the corpus states.
            unsafe {
                match (given, buffers.get(&from)) {
                    (Given::Int(value), _) => launch.set_arg(value),
                    (Given::Float(value), _) => launch.set_arg(value),
                    (Given::Local(size), _) => launch.set_arg_local_buffer(*size),
                    (_, Some(buffer)) => launch.set_arg(buffer),
                    (_, None) => panic!("an argument without a buffer"),
                };
            }
        }
        for argument in more {
            // SAFETY: these are the types that the test appended.
            unsafe {
                match argument {
                    More::Buffer(buffer) => launch.set_arg(*buffer),
                    More::Number(number) => launch.set_arg(number),
                };
            }
        }
        // SAFETY: all arguments are set; the sizes divide each other.
        unsafe {
            launch
                .set_global_work_size(case.global)
                .set_local_work_size(case.local)
                .enqueue_nd_range(&self.queue)
                .expect("a launch");
        }
        self.queue.finish().expect("an end");
    }
}

fn most(start: &Memory) -> usize {
    start.values().map(Vec::len).max().unwrap_or(0)
}

/// Returns the contents of a kernel's buffers before it runs.
pub(crate) fn start(case: &Case, seed: u64) -> Memory {
    let arguments = case.arguments.iter().enumerate();
    arguments
        .filter_map(|(index, given)| Some((index, bytes_of(given, seed * 64 + index as u64)?)))
        .collect()
}

/// A random generator whose numbers are equal in each run of the test.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn next(&mut self, below: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below.max(1)
    }
}

/// Returns the bytes of an argument's buffer; `None` for an argument that is no buffer.
pub(crate) fn bytes_of(given: &Given, seed: u64) -> Option<Vec<u8>> {
    let mut draw = Draw(seed.wrapping_mul(31).wrapping_add(7));
    let mut ints = |count: usize, below: i32| -> Vec<u8> {
        let below = u64::from(below.unsigned_abs());
        (0..count)
            .map(|_| i32::try_from(draw.next(below)).expect("below the bound") + 1)
            .map(|value| value.min(i32::try_from(below).expect("small") - 1).max(0))
            .flat_map(i32::to_ne_bytes)
            .collect()
    };
    Some(match given {
        Given::Ints(count, below) => ints(*count, *below),
        // Quarters around 1, so that no sum is rounded.
        Given::Floats(count) => (0..*count)
            .map(|_| f32::from(u16::try_from(draw.next(64)).expect("small") + 1) * 0.25)
            .flat_map(f32::to_ne_bytes)
            .collect(),
        Given::Doubles(count) => (0..*count)
            .map(|_| f64::from(u16::try_from(draw.next(64)).expect("small") + 1) * 0.25)
            .flat_map(f64::to_ne_bytes)
            .collect(),
        Given::Permutation(count) => {
            let mut order: Vec<i32> = (0..).take(*count).collect();
            for last in (1..*count).rev() {
                let other = draw.next(last as u64 + 1);
                order.swap(last, usize::try_from(other).expect("an index"));
            }
            order.into_iter().flat_map(i32::to_ne_bytes).collect()
        }
        Given::Rows(count) => {
            let mut at = 0_i32;
            let rows = (0..*count).map(|_| {
                let here = at;
                at += i32::try_from(draw.next(4)).expect("small");
                here
            });
            rows.flat_map(i32::to_ne_bytes).collect()
        }
        Given::Int(_) | Given::Float(_) | Given::Local(_) => return None,
    })
}
