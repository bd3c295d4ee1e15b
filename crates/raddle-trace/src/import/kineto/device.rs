//! What does a trace say about its devices?

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::decimal::natural;
use crate::profile::SourceDevice;

/// The entries of `deviceProperties` with their numbers; what does not parse is no device.
pub(super) fn parse(text: &[u8]) -> Vec<(Option<u64>, SourceDevice)> {
    let text = String::from_utf8_lossy(text);
    let entries: Vec<RawDevice<'_>> = serde_json::from_str(&text).unwrap_or_default();
    entries.iter().map(|raw| (raw.id.and_then(|id| natural(id.get())), raw.device())).collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawDevice<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    name: Option<String>,
    #[serde(borrow, default)]
    num_sms: Option<&'a RawValue>,
    #[serde(borrow, default)]
    compute_major: Option<&'a RawValue>,
    #[serde(borrow, default)]
    compute_minor: Option<&'a RawValue>,
    #[serde(borrow, default)]
    regs_per_multiprocessor: Option<&'a RawValue>,
    #[serde(borrow, default)]
    max_threads_per_multiprocessor: Option<&'a RawValue>,
    #[serde(borrow, default)]
    shared_mem_per_multiprocessor: Option<&'a RawValue>,
    #[serde(borrow, default)]
    warp_size: Option<&'a RawValue>,
}

impl RawDevice<'_> {
    fn device(&self) -> SourceDevice {
        let number = |raw: Option<&RawValue>| {
            raw.and_then(|raw| natural(raw.get())).and_then(|n| u32::try_from(n).ok())
        };
        SourceDevice {
            name: self.name.clone().unwrap_or_default(),
            sms: number(self.num_sms),
            compute_major: number(self.compute_major),
            compute_minor: number(self.compute_minor),
            registers_per_sm: number(self.regs_per_multiprocessor),
            threads_per_sm: number(self.max_threads_per_multiprocessor),
            shared_bytes_per_sm: number(self.shared_mem_per_multiprocessor),
            wave_size: number(self.warp_size),
            ..SourceDevice::default()
        }
    }
}
