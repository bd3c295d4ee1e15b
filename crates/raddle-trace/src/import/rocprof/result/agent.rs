//! What does a result of rocprofv3 say of the devices that its kernels ran on?

use super::records::RawAgent;
use crate::profile::SourceDevice;

/// A processor of the host or a GPU (an agent, in rocprofv3's words) that a result lists.
#[derive(Clone, Debug)]
pub(super) struct ProfiledAgent {
    /// Number by which records name the processor or GPU.
    pub(super) handle: u64,
    /// Properties of the GPU; `None` for a processor of the host.
    pub(super) gpu: Option<SourceDevice>,
}

impl ProfiledAgent {
    pub(super) fn of(raw: &RawAgent<'_>) -> Self {
        let gpu = (raw.kind == 2).then(|| device(raw));
        Self { handle: raw.id.handle, gpu }
    }
}

fn device(raw: &RawAgent<'_>) -> SourceDevice {
    // Some of the figures are 0 where the driver does not know them.
    let known = |figure: Option<u32>| figure.filter(|&n| n > 0);
    let arch = arch(raw);
    let (simds, waves) = (known(raw.simd_per_cu), known(raw.max_waves_per_simd));
    let lanes = known(raw.wave_front_size);
    let threads = simds
        .zip(waves)
        .zip(lanes)
        .and_then(|((simds, waves), lanes)| simds.checked_mul(waves)?.checked_mul(lanes));
    let name =
        if raw.product_name.is_empty() { arch.clone() } else { raw.product_name.to_string() };
    SourceDevice {
        name,
        sms: known(raw.cu_count),
        threads_per_sm: threads,
        shared_bytes_per_sm: known(raw.lds_size_in_kb).and_then(|kib| kib.checked_mul(1024)),
        wave_size: lanes,
        simds_per_sm: simds,
        waves_per_simd: waves,
        arch,
        ..SourceDevice::default()
    }
}

/// Returns the name of the GPU's instruction set. The last two digits of the version number become
/// hexadecimal: 90010 is gfx90a. Empty where the file gives no version.
fn arch(raw: &RawAgent<'_>) -> String {
    let version = raw.gfx_target_version;
    if raw.name.starts_with("gfx") {
        return raw.name.to_string();
    }
    match version {
        0 => String::new(),
        _ => format!("gfx{}{:x}{:x}", version / 10_000, version / 100 % 100, version % 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(text: &str) -> ProfiledAgent {
        ProfiledAgent::of(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn versions_name_instruction_sets() {
        for (version, name) in [
            (90_500, "gfx950"),
            (90_010, "gfx90a"),
            (90_402, "gfx942"),
            (110_001, "gfx1101"),
            (0, ""),
        ] {
            let agent = agent(&format!(r#"{{"type":2,"gfx_target_version":{version}}}"#));
            assert_eq!(agent.gpu.unwrap().arch, name);
        }
    }

    #[test]
    fn figures_of_0_are_unknown() {
        let agent = agent(r#"{"id":{"handle":7},"type":2,"name":"gfx942","cu_count":0}"#);
        let device = agent.gpu.unwrap();
        assert_eq!((agent.handle, &*device.name, device.sms), (7, "gfx942", None));
        assert_eq!((device.threads_per_sm, device.shared_bytes_per_sm), (None, None));
    }

    #[test]
    fn a_processor_of_the_host_is_no_gpu() {
        assert!(agent(r#"{"id":{"handle":1},"type":1,"name":"AMD EPYC"}"#).gpu.is_none());
    }
}
