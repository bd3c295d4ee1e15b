//! In which direction does a copy go?
//!
//! Profilers write it into the name of the copy, each in its own spelling.

/// The direction of a copy between the memory of the host and that of the device. Devices have one
/// copy engine for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyDirection {
    /// From host to device.
    ToDevice,
    /// From device to host.
    ToHost,
}

impl CopyDirection {
    /// Both directions.
    pub const ALL: [Self; 2] = [Self::ToDevice, Self::ToHost];

    /// Reads the direction from the name of a copy; `None` where the name tells none, and of copies
    /// inside a device, which run as kernels.
    ///
    /// ```
    /// use raddle_trace::CopyDirection;
    ///
    /// let of = CopyDirection::of;
    /// assert_eq!(of("Memcpy HtoD (Pinned -> Device)"), Some(CopyDirection::ToDevice));
    /// assert_eq!(of("[CUDA memcpy Device-to-Host]"), Some(CopyDirection::ToHost));
    /// assert_eq!(of("CopyHostToDevice"), Some(CopyDirection::ToDevice));
    /// assert_eq!(of("MEMORY_COPY_DEVICE_TO_DEVICE"), None);
    /// assert_eq!(of("Memset (Device)"), None);
    /// ```
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let letters = name.bytes().filter(u8::is_ascii_alphanumeric);
        let letters: Vec<u8> = letters.map(|byte| byte.to_ascii_lowercase()).collect();
        let has = |words: &[&str]| {
            words.iter().any(|word| letters.windows(word.len()).any(|part| part == word.as_bytes()))
        };
        match () {
            () if has(&["htod", "hosttodevice", "h2d"]) => Some(Self::ToDevice),
            () if has(&["dtoh", "devicetohost", "d2h"]) => Some(Self::ToHost),
            () => None,
        }
    }
}
