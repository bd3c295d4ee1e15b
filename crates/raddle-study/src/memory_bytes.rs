//! How much device memory does a user say that a program holds?

use crate::rules::Named;

/// Units of memory and their bytes.
const UNITS: [(&str, u64); 4] =
    [("GiB", 1 << 30), ("MiB", 1 << 20), ("GB", 1_000_000_000), ("MB", 1_000_000)];

/// A number of bytes of device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct MemoryBytes(pub u64);

impl Named<MemoryBytes> {
    /// Reads the memory that a program holds, `FILE=40GB`.
    ///
    /// # Errors
    /// Returns what is wrong with the text.
    pub fn memory(text: &str) -> Result<Self, String> {
        let (file, value) = text.rsplit_once('=').ok_or("there is no `=` in it")?;
        let wrong =
            || format!("`{value}` is no amount of memory: write it as 40GB, 40GiB or 900MB");
        let amount = value.trim();
        let unit =
            UNITS.iter().find_map(|(unit, bytes)| Some((amount.strip_suffix(unit)?, *bytes)));
        let (number, bytes) = unit.ok_or_else(wrong)?;
        let (whole, part) = number.trim().split_once('.').unwrap_or((number.trim(), "0"));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > 6 {
            return Err(wrong());
        }
        let part: u64 = format!("{part:0<6}").parse().map_err(|_| wrong())?;
        let whole: u64 = whole.parse().map_err(|_| wrong())?;
        let whole = whole.checked_mul(bytes).ok_or_else(wrong)?;
        let part = u128::from(part) * u128::from(bytes) / 1_000_000;
        let part = u64::try_from(part).map_err(|_| wrong())?;
        let all = whole.checked_add(part).filter(|&all| all > 0).ok_or_else(wrong)?;
        Ok(Self { file: file.to_owned(), value: MemoryBytes(all) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_a_unit() {
        let bytes = |text: &str| Named::memory(text).map(|it| it.value.0);
        assert_eq!(bytes("a=40GB"), Ok(40_000_000_000));
        assert_eq!(bytes("a=1.5GiB"), Ok(1_610_612_736));
        assert_eq!(bytes("my=file=900 MB"), Ok(900_000_000));
        for wrong in ["a=40", "a=GB", "a=-1GB", "a=0GB", "a=1.2.3GB", "a=99999999999999GB", "40GB"]
        {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
