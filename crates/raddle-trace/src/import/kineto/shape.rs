//! How large are a grid and a workgroup, as an event writes them?

use raddle_types::Dim3;
use serde_json::value::RawValue;

use crate::decimal::{natural, unquote};

/// Grid and workgroup of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The grid in workgroups.
    pub(super) grid: Dim3,
    /// Its volume, or 0 where a workgroup is empty.
    pub(super) workgroups: u64,
    /// Work-items of a workgroup.
    pub(super) threads: u32,
}

/// Why there is no [`Shape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShapeError {
    /// Not given, or not as numbers.
    Missing,
    /// More than can be counted.
    Overflow,
}

/// Reads grid and workgroup, each an array of up to three numbers, also within a string.
pub(super) fn shape(
    grid: Option<&RawValue>,
    block: Option<&RawValue>,
) -> Result<Shape, ShapeError> {
    let grid = extents(grid)?;
    let block = extents(block)?;
    let volume = grid.volume().ok_or(ShapeError::Overflow)?;
    let threads = block.volume().and_then(|n| u32::try_from(n).ok()).ok_or(ShapeError::Overflow)?;
    Ok(Shape { grid, workgroups: if threads == 0 { 0 } else { volume }, threads })
}

fn extents(raw: Option<&RawValue>) -> Result<Dim3, ShapeError> {
    let text = unquote(raw.ok_or(ShapeError::Missing)?.get());
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    let mut extents = [1; 3];
    let mut parts = inner.split(',');
    for (i, extent) in extents.iter_mut().enumerate() {
        let Some(part) = parts.next() else {
            if i == 0 {
                return Err(ShapeError::Missing);
            }
            break;
        };
        *extent = extent_of(part)?;
    }
    if parts.next().is_some() {
        return Err(ShapeError::Missing);
    }
    Ok(Dim3::new(extents[0], extents[1], extents[2]))
}

fn extent_of(part: &str) -> Result<u32, ShapeError> {
    let digits = unquote(part);
    match natural(digits) {
        Some(n) => u32::try_from(n).map_err(|_| ShapeError::Overflow),
        None if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            Err(ShapeError::Overflow)
        }
        None => Err(ShapeError::Missing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(grid: &str, block: &str) -> Result<Shape, ShapeError> {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        shape(Some(&raw(grid)), Some(&raw(block)))
    }

    #[test]
    fn arrays_and_strings() {
        let wanted = Shape { grid: Dim3::new(4, 2, 1), workgroups: 8, threads: 49 };
        assert_eq!(read("[4, 2, 1]", "[7,7,1]"), Ok(wanted));
        assert_eq!(read("\"[4,2,1]\"", "[7,7]"), Ok(wanted));
    }

    #[test]
    fn empty_missing_and_beyond_all_bounds_are_told_apart() {
        assert_eq!(read("[0,1,1]", "[32,1,1]").unwrap().workgroups, 0);
        assert_eq!(read("[5,1,1]", "[32,0,1]").unwrap().workgroups, 0);
        for text in ["[]", "\"inf\"", "null", "[1,2,3,4]", "[-1,1,1]", "[1.5,1,1]"] {
            assert_eq!(read(text, "[1,1,1]"), Err(ShapeError::Missing), "{text}");
        }
        assert_eq!(shape(None, None), Err(ShapeError::Missing));
        let huge = "[4294967295,4294967295,4294967295]";
        assert_eq!(read(huge, "[1,1,1]"), Err(ShapeError::Overflow));
        assert_eq!(read("[1,1,1]", huge), Err(ShapeError::Overflow));
        assert_eq!(read("[99999999999999999999999,1,1]", "[1,1,1]"), Err(ShapeError::Overflow));
    }
}
