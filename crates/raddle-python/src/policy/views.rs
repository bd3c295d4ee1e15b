//! Which state of processes, launches and resources can a policy in Python see?
//!
//! Times are in nanoseconds since the run began; registers, shared memory and barriers are in
//! granules of the device.

use pyo3::prelude::*;
use raddle_policy::{
    CuId, Cus, Free, Hints, Idempotence, Launch, ProcessState, ReadyLaunch, VictimLaunch,
};

/// A launch, as a policy in Python sees it.
#[pyclass(frozen, name = "Launch", module = "raddle._raddle")]
#[derive(Clone, Copy)]
pub(crate) struct LaunchView(pub(crate) Launch);

#[pymethods]
impl LaunchView {
    #[getter]
    fn id(&self) -> u32 {
        self.0.id.0
    }
    #[getter]
    fn process(&self) -> u16 {
        self.0.process.0
    }
    #[getter]
    fn stream(&self) -> u32 {
        self.0.stream.0
    }
    #[getter]
    fn level(&self) -> u8 {
        self.0.level.0
    }
    #[getter]
    fn workgroups(&self) -> u64 {
        self.0.workgroups
    }
    #[getter]
    fn waves(&self) -> u16 {
        self.0.demand.waves
    }
    #[getter]
    fn vgpr(&self) -> u16 {
        self.0.demand.vgpr
    }
    #[getter]
    fn sgpr(&self) -> u16 {
        self.0.demand.sgpr
    }
    #[getter]
    fn lds(&self) -> u32 {
        self.0.demand.lds
    }
    #[getter]
    fn barriers(&self) -> u16 {
        self.0.demand.barriers
    }
    #[getter]
    fn may_have_barrier(&self) -> bool {
        self.0.barrier.possible()
    }
    #[getter]
    fn idempotent(&self) -> Option<bool> {
        match self.0.idempotent {
            Idempotence::Idempotent => Some(true),
            Idempotence::Not => Some(false),
            Idempotence::Unknown => None,
        }
    }
    #[getter]
    fn kernel(&self) -> u32 {
        self.0.call.kernel
    }
    fn __repr__(&self) -> String {
        let Launch { id, process, level, workgroups, .. } = &self.0;
        format!("Launch({id}, {process}, level {}, {workgroups} workgroups)", level.0)
    }
}

/// A submitted launch that still has workgroups to start, as a policy in Python sees it.
#[pyclass(frozen, name = "ReadyLaunch", module = "raddle._raddle")]
#[derive(Clone, Copy)]
pub(crate) struct ReadyLaunchView(pub(crate) ReadyLaunch);

#[pymethods]
impl ReadyLaunchView {
    #[getter]
    fn launch(&self) -> LaunchView {
        LaunchView(*self.0.launch())
    }
    #[getter]
    fn next(&self) -> u64 {
        self.0.next()
    }
    #[getter]
    fn undistributed(&self) -> u64 {
        self.0.undistributed()
    }
    #[getter]
    fn submitted(&self) -> u64 {
        self.0.submitted().0
    }
    fn __repr__(&self) -> String {
        format!("ReadyLaunch({}, {} to start)", self.0.launch().id, self.0.undistributed())
    }
}

/// Resources that are free on one compute unit, summed over its SIMDs; registers and LDS in
/// granules.
#[pyclass(frozen, get_all, name = "Free", module = "raddle._raddle")]
#[derive(Clone, Copy)]
pub(crate) struct FreeView {
    waves: u64,
    vgpr: u64,
    sgpr: u64,
    lds: u64,
    workgroups: u64,
    barriers: u64,
}

impl From<Free> for FreeView {
    fn from(free: Free) -> Self {
        let Free { waves, vgpr, sgpr, lds, workgroups, barriers } = free;
        Self { waves, vgpr, sgpr, lds, workgroups, barriers }
    }
}

/// Resources that are free on every compute unit, as a policy in Python sees them.
#[pyclass(frozen, name = "Cus", module = "raddle._raddle")]
#[derive(Clone)]
pub(crate) struct CuView(pub(crate) Cus);

#[pymethods]
impl CuView {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Returns the number of further workgroups of the launch that fit on a compute unit.
    fn room(&self, cu: u16, launch: &LaunchView) -> u32 {
        self.0.room(CuId(cu), &launch.0.demand)
    }

    /// Returns the resources that are free on the compute unit `cu`, counted from 0.
    fn free(&self, cu: u16) -> FreeView {
        self.0.free(CuId(cu)).into()
    }
}

/// The argument of an allocate policy in Python: launches on the device in the order of their
/// submission, and the free resources of its compute units.
#[pyclass(frozen, get_all, name = "Ready", module = "raddle._raddle")]
pub(crate) struct ReadyView {
    pub(crate) launches: Vec<Py<ReadyLaunchView>>,
    pub(crate) cus: Py<CuView>,
}

impl ReadyView {
    pub(crate) fn of(py: Python<'_>, ready: &raddle_policy::ReadyView<'_>) -> PyResult<Self> {
        let launches = ready.launches().iter().map(|&entry| Py::new(py, ReadyLaunchView(entry)));
        Ok(Self {
            launches: launches.collect::<PyResult<_>>()?,
            cus: Py::new(py, CuView(ready.cus().clone()))?,
        })
    }
}

/// A process, as a policy in Python sees it; times are nanoseconds.
#[pyclass(frozen, get_all, name = "Process", module = "raddle._raddle")]
#[derive(Clone, Copy)]
pub(crate) struct ProcessView {
    id: u16,
    level: u8,
    share: u32,
    joined: u64,
    alive: u64,
    ran: u64,
    resident_waves: u64,
    ready: Option<u64>,
    submitted: u64,
    outstanding: Option<u64>,
    ready_since: u64,
    waiting_since: Option<u64>,
    streams: Option<u32>,
    hints: HintsView,
}

/// Latest hint of each kind that the program of a process gave the scheduler; `None` where it gave
/// none.
#[pyclass(frozen, get_all, eq, name = "Hints", module = "raddle._raddle")]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct HintsView {
    priority: Option<u8>,
    deadline: Option<u64>,
    laxity: Option<u64>,
    utilisation: Option<u16>,
    custom: Option<u64>,
}

impl From<Hints> for HintsView {
    fn from(hints: Hints) -> Self {
        Self {
            priority: hints.priority().map(|it| it.0),
            deadline: hints.deadline().map(|it| it.0),
            laxity: hints.laxity().map(|it| it.0),
            utilisation: hints.utilisation(),
            custom: hints.custom(),
        }
    }
}

impl From<&ProcessState> for ProcessView {
    fn from(process: &ProcessState) -> Self {
        let ProcessState { share, resident_waves, ready, submitted, streams, .. } = *process;
        Self {
            id: process.id.0,
            level: process.level.0,
            share,
            joined: process.joined.0,
            alive: process.alive.0,
            ran: process.ran.0,
            resident_waves,
            ready,
            submitted,
            outstanding: process.outstanding.map(|it| it.0),
            ready_since: process.ready_since.0,
            waiting_since: process.waiting_since.map(|it| it.0),
            streams,
            hints: process.hints.into(),
        }
    }
}

/// A submitted launch of a process that lost its turn, as a Python object sees it.
#[pyclass(frozen, name = "VictimLaunch", module = "raddle._raddle")]
#[derive(Clone, Copy)]
pub(crate) struct VictimLaunchView(pub(crate) VictimLaunch);

#[pymethods]
impl VictimLaunchView {
    #[getter]
    fn launch(&self) -> LaunchView {
        LaunchView(*self.0.launch())
    }
    #[getter]
    fn unstarted(&self) -> u64 {
        self.0.unstarted()
    }
    #[getter]
    fn resident_waves(&self) -> u64 {
        self.0.resident_waves()
    }
    #[getter]
    fn submitted(&self) -> u64 {
        self.0.submitted().0
    }
}
