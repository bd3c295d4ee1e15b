//! How does Python ask for which launches a packet (seed 002) stands?

use std::collections::BTreeMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raddle_packet::{
    AQL_BYTES, Agent, AqlFormat, HALF_WORDS, KernelDispatch, LaunchImage, Received,
};

use super::refused;

/// Agent: the part of a device that reads packets (launches encoded as bytes), here with the
/// default format of AQL.
#[pyclass(module = "raddle._raddle")]
pub(crate) struct PacketAgent(Agent);

#[pymethods]
impl PacketAgent {
    #[new]
    fn new() -> Self {
        Self(Agent::new(AqlFormat::default()))
    }
    fn receive(
        &mut self,
        packet: &[u8],
    ) -> PyResult<(&'static str, Vec<BTreeMap<&'static str, u64>>)> {
        let bytes: &[u8; AQL_BYTES] = packet.try_into().map_err(|_| {
            let text = format!("the packet has {} bytes: give {AQL_BYTES}", packet.len());
            PyValueError::new_err(text)
        })?;
        let mut list = [LaunchImage::default(); HALF_WORDS];
        let received = self.0.receive(bytes, &mut list).map_err(refused)?;
        let kind = match received {
            Received::Launches(_) => "launches",
            Received::Barrier => "barrier",
            Received::Foreign(_) => "foreign",
        };
        Ok((kind, received.launches().iter().map(fields).collect()))
    }
}

fn fields(launch: &LaunchImage) -> BTreeMap<&'static str, u64> {
    let it = KernelDispatch::of(launch);
    BTreeMap::from([
        ("synch_scopes", it.synch_scopes.into()),
        ("setup", it.setup.into()),
        ("workgroup_size_x", it.workgroup_size_x.into()),
        ("workgroup_size_y", it.workgroup_size_y.into()),
        ("workgroup_size_z", it.workgroup_size_z.into()),
        ("grid_size_x", it.grid_size_x.into()),
        ("grid_size_y", it.grid_size_y.into()),
        ("grid_size_z", it.grid_size_z.into()),
        ("private_segment_size", it.private_segment_size.into()),
        ("group_segment_size", it.group_segment_size.into()),
        ("kernel_object", it.kernel_object),
        ("kernarg_address", it.kernarg_address),
        ("completion_signal", it.completion_signal),
    ])
}
