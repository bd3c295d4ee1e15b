//! Which second program does the layer build beside each OpenCL program?
//!
//! A second program, from the same source or intermediate language (SPIR-V) with the prologue and
//! with the same options. The program's own is left alone, so that the runtime answers questions
//! about it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::{Arc, Mutex};

use opencl_sys::{
    CL_BUILD_SUCCESS, CL_PROGRAM_BINARY_TYPE, CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
    CL_PROGRAM_BUILD_OPTIONS, CL_PROGRAM_BUILD_STATUS, CL_PROGRAM_CONTEXT, CL_PROGRAM_DEVICES,
    CL_PROGRAM_KERNEL_NAMES, CL_PROGRAM_SOURCE, cl_build_status, cl_context, cl_device_id, cl_int,
    cl_program, cl_program_binary_type, cl_uint,
};
use raddle_kernel::instrument::{self, Look, Opaque};
use raddle_kernel::{Construct, Ranges, Reason, Verdict};

use crate::arguments::ClArgumentKind;
use crate::counts::Count;
use crate::ending;
use crate::judged::{Findings, has_variables, judged, judged_module};
use crate::native::{NativeHandle, asked, asked_bytes, guarded, lock, native};
use crate::registry::{HandleRegistry, counted};

/// Program object that was made from source or SPIR-V. The layer makes a second build of it, whose
/// kernels test the preemption flag.
#[derive(Default)]
pub(crate) struct Program {
    /// SPIR-V module from which the program was made; `None` for a program from source.
    module: Option<Vec<u8>>,
    /// Second build of the program, whose kernels test the preemption flag; `None` until the
    /// program makes a kernel after it is built.
    second: Mutex<Option<Arc<Second>>>,
}

/// Second build of a program, whose kernels have the prologue that tests the preemption flag at
/// their start.
pub(crate) struct Second {
    built: Result<NativeHandle, Count>,
    /// True for a program that was given as a SPIR-V module; false for one given as source text.
    is_module: bool,
    /// Results of the analysis of the program's kernels, by the name of the kernel.
    findings: BTreeMap<String, Findings>,
    /// Names of the kernels that have added arguments, which say what range of a larger launch a
    /// launch runs.
    told: Vec<String>,
    /// Counter for the reason why it was not judged whether the kernels may be stopped part-way and
    /// run again; `None` where it was.
    unjudged: Option<Count>,
    /// Names of the kernels that have the prologue (code that tests the preemption flag), so that
    /// their launches can leave the device.
    kernels: Vec<String>,
    /// Counter for the reason why a kernel has no prologue (code that tests the preemption flag),
    /// by the name of the kernel. Kernels whose name is not known are left out.
    opaque: BTreeMap<String, Count>,
}

static PROGRAMS: HandleRegistry<Program> = HandleRegistry::new();

/// Returns the second build of a program, which the layer makes at the first call; `None` for a
/// program that was made from neither source nor SPIR-V.
pub(crate) fn second(program: cl_program) -> Option<Arc<Second>> {
    let known = PROGRAMS.get(NativeHandle(program))?;
    let mut second = lock(&known.second);
    Some(Arc::clone(second.get_or_insert_with(|| Arc::new(Second::of(program, &known)))))
}

impl Second {
    /// Returns the counter for the reason why a kernel could not be judged, so that it is never
    /// stopped part-way. `None` where there is a verdict, even one that forbids a stop.
    pub(crate) fn unjudged(&self, verdict: Option<&Verdict>) -> Option<Count> {
        let undecided = |why: &Reason| matches!(why.construct, Construct::Undecided(_));
        match verdict {
            Some(Verdict::Unknown(why)) if undecided(why) => Some(Count::UnjudgedMacro),
            _ => self.unjudged,
        }
    }

    /// Returns whether launches of a kernel may be cut into ranges of workgroups.
    pub(crate) fn ranges(&self, name: &str) -> Ranges {
        match self.findings.get(name).map_or(Ranges::Never, |found| found.ranges) {
            Ranges::Told if !self.told.iter().any(|told| told == name) => Ranges::Never,
            found => found,
        }
    }

    /// Returns the kind of an argument of a kernel: for SPIR-V by its type in the module, else by
    /// what the runtime says about the second build; `None` where the layer cannot record such an
    /// argument.
    pub(crate) fn kind(
        &self,
        (name, kernel): (&str, NativeHandle),
        index: cl_uint,
    ) -> Option<ClArgumentKind> {
        if !self.is_module {
            return ClArgumentKind::of(kernel.0, index);
        }
        let found = self.findings.get(name)?;
        found.arguments.get(index as usize).copied().and_then(ClArgumentKind::of_module)
    }

    /// Makes the second build of the kernel `name`, and returns (its handle, its verdict); the
    /// verdict is `None` where the kernel was not judged. The error is the counter for the reason
    /// why there is no second build.
    pub(crate) fn kernel(&self, name: &str) -> Result<(NativeHandle, Option<&Verdict>), Count> {
        if !self.built.is_err_and(|why| why != Count::Hidden)
            && !self.kernels.iter().any(|known| known == name)
        {
            return Err(self.opaque.get(name).copied().unwrap_or(Count::Hidden));
        }
        let program = self.built?;
        let name = CString::new(name).map_err(|_| Count::NotBuilt)?;
        let mut code = 0;
        let kernel = native!(clCreateKernel(program.0, name.as_ptr(), &raw mut code));
        if kernel.is_null() {
            return Err(Count::NotBuilt);
        }
        let found = name.to_str().ok().and_then(|name| self.findings.get(name));
        Ok((NativeHandle(kernel), found.map(|found| &found.verdict)))
    }

    fn of(program: cl_program, known: &Program) -> Self {
        let made = match &known.module {
            Some(module) => Self::of_module(program, module),
            None => Self::of_source(program),
        };
        made.unwrap_or_else(|why| {
            let (findings, opaque) = (BTreeMap::new(), BTreeMap::new());
            let (told, kernels) = (Vec::new(), Vec::new());
            Self {
                built: Err(why),
                is_module: false,
                findings,
                told,
                unjudged: None,
                kernels,
                opaque,
            }
        })
    }

    /// Makes the second build of a program from SPIR-V. Its kernels are judged by the SPIR-V module
    /// alone. The error is the counter for the reason why there is no second build.
    fn of_module(program: cl_program, module: &[u8]) -> Result<Self, Count> {
        let (context, devices, options) = built_for(program).ok_or(Count::NotBuilt)?;
        let (findings, unjudged) = match judged_module(module) {
            Ok(findings) => (findings, None),
            Err(why) => (BTreeMap::new(), Some(why)),
        };
        let look = |name: &str| findings.get(name).map_or(Look::Never, |found| found.look);
        let done = instrument::spirv(module, look).map_err(|_| Count::NotBuilt)?;
        let done = done.ok_or(Count::Variables)?;
        let made = of_il(context, &done.bytes);
        let built = build(made, &options, &devices);
        let opaque = done.opaque.into_iter().map(|(name, _)| (name, Count::Called)).collect();
        let (kernels, told) = (done.kernels, Vec::new());
        Ok(Self { built, is_module: true, findings, told, unjudged, kernels, opaque })
    }

    fn of_source(program: cl_program) -> Result<Self, Count> {
        let source = source(program).ok_or(Count::NoSource)?;
        let (context, devices, options) = built_for(program).ok_or(Count::NotBuilt)?;
        // The second program would have variables of its own.
        if has_variables(&source, &options) {
            return Err(Count::Variables);
        }
        let (findings, unjudged) =
            match judged(&source, &options, |asks| answered(asks, context, &options, &devices)) {
                Ok(findings) => (findings, None),
                Err(why) => (BTreeMap::new(), Some(why)),
            };
        let told = instrument::opencl_in_ranges(
            &source,
            |name| findings.get(name).map_or(Look::Never, |found| found.look),
            |name| findings.get(name).is_some_and(|found| found.ranges == Ranges::Told),
        );
        let why = |why: Opaque| match why {
            Opaque::Called => Count::Called,
            _ => Count::Hidden,
        };
        let opaque = told.opaque.into_iter().map(|(name, reason)| (name, why(reason))).collect();
        let built = if told.kernels.is_empty() {
            Err(Count::Hidden)
        } else {
            build(of_source(context, &told.source), &options, &devices)
        };
        let (kernels, told) = (told.kernels, told.told);
        Ok(Self { built, is_module: false, findings, told, unjudged, kernels, opaque })
    }
}

impl Drop for Second {
    fn drop(&mut self) {
        if let Ok(program) = self.built {
            let _ = native!(clReleaseProgram(program.0));
        }
    }
}

fn source(program: cl_program) -> Option<String> {
    let source = asked_bytes(|size, value, ret| {
        native!(clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, value, ret))
    })?;
    let end = source.iter().position(|&byte| byte == 0).unwrap_or(source.len());
    let source = String::from_utf8(source[..end].to_vec()).ok()?;
    (!source.trim().is_empty()).then_some(source)
}

/// Returns (context of a program, devices for which it has been built, build options for the first
/// of these devices). `None` where no executable has been built.
fn built_for(program: cl_program) -> Option<(cl_context, Vec<cl_device_id>, String)> {
    let null = std::ptr::null_mut();
    let context: cl_context = asked(|size, value| {
        native!(clGetProgramInfo(program, CL_PROGRAM_CONTEXT, size, value, null))
    })?;
    let all = asked_bytes(|size, value, ret| {
        native!(clGetProgramInfo(program, CL_PROGRAM_DEVICES, size, value, ret))
    });
    let all = all.unwrap_or_default();
    let devices = all.chunks_exact(size_of::<usize>()).map(|bytes| {
        let address = usize::from_ne_bytes(bytes.try_into().unwrap_or_default());
        std::ptr::with_exposed_provenance_mut::<c_void>(address)
    });
    let is_built = |&device: &cl_device_id| {
        let status: Option<cl_build_status> = asked(|size, value| {
            let what = CL_PROGRAM_BUILD_STATUS;
            native!(clGetProgramBuildInfo(program, device, what, size, value, null))
        });
        let kind: Option<cl_program_binary_type> = asked(|size, value| {
            let what = CL_PROGRAM_BINARY_TYPE;
            native!(clGetProgramBuildInfo(program, device, what, size, value, null))
        });
        let whole = kind.is_none_or(|kind| kind == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
        status == Some(CL_BUILD_SUCCESS) && whole
    };
    let devices: Vec<cl_device_id> = devices.filter(is_built).collect();
    let options = devices.first().and_then(|&device| {
        asked_bytes(|size, value, ret| {
            let what = CL_PROGRAM_BUILD_OPTIONS;
            native!(clGetProgramBuildInfo(program, device, what, size, value, ret))
        })
    });
    let options = String::from_utf8(options.unwrap_or_default()).unwrap_or_default();
    (!devices.is_empty()).then(|| (context, devices, options.trim_end_matches('\0').to_owned()))
}

/// Builds a test source with the device's compiler and returns the names of its kernels: which of
/// them exist depends on macros of that compiler. `None` where the program is built for several
/// devices, or where the source does not build.
fn answered(
    source: &str,
    context: cl_context,
    options: &str,
    devices: &[cl_device_id],
) -> Option<BTreeSet<String>> {
    if devices.len() != 1 {
        return None;
    }
    let program = build(of_source(context, source), options, devices).ok()?;
    let names = asked_bytes(|size, value, ret| {
        native!(clGetProgramInfo(program.0, CL_PROGRAM_KERNEL_NAMES, size, value, ret))
    });
    let _ = native!(clReleaseProgram(program.0));
    let names = String::from_utf8(names?).ok()?;
    let names = names.trim_end_matches('\0').split(';');
    Some(names.filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn of_source(context: cl_context, source: &str) -> cl_program {
    let (mut code, mut text, length) = (0, source.as_ptr().cast::<c_char>(), source.len());
    let (text, code) = (&raw mut text, &raw mut code);
    native!(clCreateProgramWithSource(context, 1, text, &raw const length, code))
}

fn of_il(context: cl_context, module: &[u8]) -> cl_program {
    let mut code = 0;
    native!(clCreateProgramWithIL(context, module.as_ptr().cast(), module.len(), &raw mut code))
}

/// Builds a program that the runtime has just created (null if that failed), and returns it; a
/// program that does not build is released. The error is the counter for that.
fn build(
    program: cl_program,
    options: &str,
    devices: &[cl_device_id],
) -> Result<NativeHandle, Count> {
    if program.is_null() {
        return Err(Count::NotBuilt);
    }
    // The layer needs to ask for the kind of each argument.
    let options = CString::new(format!("{options} -cl-kernel-arg-info"));
    let count = cl_uint::try_from(devices.len()).unwrap_or(cl_uint::MAX);
    let code = options.map_or(-1, |options| {
        let (devices, options) = (devices.as_ptr(), options.as_ptr());
        native!(clBuildProgram(program, count, devices, options, None, std::ptr::null_mut()))
    });
    if code != 0 {
        let _ = native!(clReleaseProgram(program));
        return Err(Count::NotBuilt);
    }
    Ok(NativeHandle(program))
}

pub(crate) unsafe extern "C" fn create(
    context: cl_context,
    count: cl_uint,
    strings: *mut *const c_char,
    lengths: *const usize,
    code: *mut cl_int,
) -> cl_program {
    guarded(|| {
        let program = native!(clCreateProgramWithSource(context, count, strings, lengths, code));
        if !program.is_null() {
            PROGRAMS.made(NativeHandle(program), Arc::new(Program::default()));
        }
        program
    })
}

pub(crate) unsafe extern "C" fn create_of_il(
    context: cl_context,
    module: *const c_void,
    length: usize,
    code: *mut cl_int,
) -> cl_program {
    guarded(|| {
        let program = native!(clCreateProgramWithIL(context, module, length, code));
        if !program.is_null() && !module.is_null() {
            // SAFETY: the runtime has read that many bytes.
            let bytes = unsafe { std::slice::from_raw_parts(module.cast::<u8>(), length) };
            let known = Program { module: Some(bytes.to_vec()), ..Program::default() };
            PROGRAMS.made(NativeHandle(program), Arc::new(known));
        }
        program
    })
}

counted!(PROGRAMS: cl_program, clRetainProgram, clReleaseProgram);

type Built = Option<unsafe extern "C" fn(cl_program, *mut c_void)>;

pub(crate) unsafe extern "C" fn build_own(
    program: cl_program,
    count: cl_uint,
    devices: *const cl_device_id,
    options: *const c_char,
    notify: Built,
    data: *mut c_void,
) -> cl_int {
    guarded(|| {
        if let Some(known) = PROGRAMS.get(NativeHandle(program)) {
            // A new build may be for other devices or options, so the second program is made again.
            let before = lock(&known.second).take();
            drop(before);
        }
        let code = native!(clBuildProgram(program, count, devices, options, notify, data));
        ending::register();
        code
    })
}

/// Returns a C string as text; `None` where it is null or not UTF-8.
pub(crate) fn text(name: *const c_char) -> Option<String> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the program gives a string that ends with zero, as the runtime needs it.
    unsafe { CStr::from_ptr(name) }.to_str().ok().map(str::to_owned)
}
