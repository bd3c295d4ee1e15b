//! How does Python ask at which addresses a workgroup's resources (SIMDs and granules) are?

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raddle_policy::{CuId, CuShape, Demand, LaunchId};
use raddle_workgroup::{Allocator, SimdRule};

use super::number::numbers;
use super::{Number, refused};

/// Addresses of one wave's resources: its SIMD, and its first granule of vector registers, scalar
/// registers and LDS.
#[pyclass(frozen, get_all, name = "Place", module = "raddle._raddle")]
pub(crate) struct PlaceView {
    simd: u8,
    vgpr: u16,
    sgpr: u16,
    lds: u32,
}

#[pymethods]
impl PlaceView {
    fn __repr__(&self) -> String {
        let Self { simd, vgpr, sgpr, lds } = self;
        format!("Place(simd={simd}, vgpr={vgpr}, sgpr={sgpr}, lds={lds})")
    }
}

/// Compute units of a device, with a record of each granule that is taken, and of the workgroup
/// that has it.
#[pyclass(name = "Allocator", module = "raddle._raddle")]
pub(crate) struct AllocatorObject {
    allocator: Allocator,
    simds: u8,
}

#[pymethods]
impl AllocatorObject {
    #[new]
    #[pyo3(signature = (cus, *, simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        cus: Number<u16>,
        simds: Number<u8>,
        waves_per_simd: Number<u16>,
        vgpr_per_simd: Number<u16>,
        sgpr: Number<u16>,
        lds: Number<u32>,
        workgroups: Number<u16>,
        barriers: Number<u16>,
    ) -> PyResult<Self> {
        numbers!(cus, simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers);
        let shape =
            CuShape { simds, waves_per_simd, vgpr_per_simd, sgpr, lds, workgroups, barriers };
        shape.check().map_err(refused)?;
        if cus == 0 {
            return Err(PyValueError::new_err("`cus` is 0: give 1 or more"));
        }
        Ok(Self { allocator: Allocator::new(shape, cus), simds })
    }
    #[getter]
    fn workgroups(&self) -> usize {
        self.allocator.groups()
    }
    #[pyo3(signature = (cu, launch, workgroup, *, waves, vgpr = Number::Fits(0), sgpr = Number::Fits(0), lds = Number::Fits(0), barriers = Number::Fits(0), simd = None), text_signature = r#"($self, cu, launch, workgroup, *, waves, vgpr=0, sgpr=0, lds=0, barriers=0, simd=None)"#)]
    #[expect(clippy::too_many_arguments, reason = "most are keywords in Python")]
    fn allocate<'py>(
        &mut self,
        py: Python<'py>,
        cu: Number<u16>,
        launch: Number<u32>,
        workgroup: Number<u64>,
        waves: Number<u16>,
        vgpr: Number<u16>,
        sgpr: Number<u16>,
        lds: Number<u32>,
        barriers: Number<u16>,
        simd: Option<Number<u8>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        numbers!(cu, launch, workgroup, waves, vgpr, sgpr, lds, barriers, simd);
        self.check_cu(cu)?;
        if waves == 0 {
            return Err(PyValueError::new_err("`waves` is 0: give 1 or more"));
        }
        let rule = match simd {
            None => SimdRule::MostRoom,
            Some(simd) if simd < self.simds => SimdRule::From(simd),
            Some(simd) => {
                let text = format!("`simd` is {simd} of {}: count from 0", self.simds);
                return Err(PyValueError::new_err(text));
            }
        };
        let demand = Demand { waves, vgpr, sgpr, lds, barriers };
        let plan = match self.allocator.probe(CuId(cu), &demand, rule) {
            Ok(plan) => plan,
            Err(refusal) => return refusal.resource().name().into_bound_py_any(py),
        };
        let placed = self.allocator.commit(plan, LaunchId(launch), workgroup).map_err(refused)?;
        let view = |it: &raddle_policy::Place| PlaceView {
            simd: it.simd,
            vgpr: it.vgpr,
            sgpr: it.sgpr,
            lds: it.lds,
        };
        placed.iter().map(view).collect::<Vec<_>>().into_bound_py_any(py)
    }
    fn release(
        &mut self,
        cu: Number<u16>,
        launch: Number<u32>,
        workgroup: Number<u64>,
    ) -> PyResult<()> {
        numbers!(cu, launch, workgroup);
        self.check_cu(cu)?;
        self.allocator.release(CuId(cu), LaunchId(launch), workgroup).map_err(refused)
    }
}

impl AllocatorObject {
    fn check_cu(&self, cu: u16) -> PyResult<()> {
        let cus = self.allocator.len();
        if usize::from(cu) < cus {
            return Ok(());
        }
        let text = format!("`cu` is {cu} of {cus} compute units: count from 0");
        Err(PyValueError::new_err(text))
    }
}
