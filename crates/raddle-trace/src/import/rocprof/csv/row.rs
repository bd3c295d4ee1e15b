//! What do the cells of one row say?

use super::table::{RocprofColumn, RocprofColumns};
use crate::decimal::natural;
use crate::import::rocprof::registers::Registers;
use crate::import::rocprof::shape::{RocprofShape, shape};
use crate::report::Quirk;

/// Why a row is not taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RowFault {
    /// It is left out and counted.
    Quirk(Quirk),
    /// The text of a time that was rounded: nothing in the file can be trusted.
    Rounded(RocprofColumn, String),
}

const MALFORMED: RowFault = RowFault::Quirk(Quirk::Malformed);

/// One row, by column.
pub(super) struct RocprofRow<'a> {
    pub(super) cells: &'a csv::StringRecord,
    pub(super) columns: &'a RocprofColumns,
}

impl<'a> RocprofRow<'a> {
    /// The cell's text; `None` where it is blank or the column is absent.
    pub(super) fn text(&self, column: RocprofColumn) -> Option<&'a str> {
        let text = self.cells.get(self.columns.at(column)?)?.trim();
        (!text.is_empty()).then_some(text)
    }

    pub(super) fn number(&self, column: RocprofColumn) -> Result<Option<u64>, RowFault> {
        let number = |text| natural(text).ok_or(MALFORMED);
        self.text(column).map(number).transpose()
    }

    pub(super) fn small(&self, column: RocprofColumn) -> Result<Option<u32>, RowFault> {
        let number = self.number(column)?;
        number.map(|n| u32::try_from(n).map_err(|_| MALFORMED)).transpose()
    }

    pub(super) fn wanted(&self, column: RocprofColumn) -> Result<u64, RowFault> {
        self.number(column)?.ok_or(MALFORMED)
    }

    /// Start and duration.
    pub(super) fn span(&self) -> Result<(i64, u64), RowFault> {
        let (start, end) = (self.time(RocprofColumn::Start)?, self.time(RocprofColumn::End)?);
        let duration = u64::try_from(end - start).map_err(|_| MALFORMED)?;
        // The tools write 0 where they have no time.
        if start == 0 { Err(MALFORMED) } else { Ok((start, duration)) }
    }

    fn time(&self, column: RocprofColumn) -> Result<i64, RowFault> {
        let text = self.text(column).ok_or(MALFORMED)?;
        match natural(text).map(i64::try_from) {
            Some(Ok(time)) => Ok(time),
            None if is_rounded(text) => Err(RowFault::Rounded(column, text.to_owned())),
            _ => Err(MALFORMED),
        }
    }

    pub(super) fn shape(&self) -> Result<RocprofShape, RowFault> {
        let axes = |columns: [RocprofColumn; 3]| -> Result<[u64; 3], RowFault> {
            let [x, y, z] = columns;
            Ok([self.wanted(x)?, self.wanted(y)?, self.wanted(z)?])
        };
        let (grid, group) = if self.columns.is_flat() {
            ([self.wanted(RocprofColumn::Grid)?, 1, 1], [self.wanted(RocprofColumn::Group)?, 1, 1])
        } else {
            (
                axes([RocprofColumn::GridX, RocprofColumn::GridY, RocprofColumn::GridZ])?,
                axes([RocprofColumn::GroupX, RocprofColumn::GroupY, RocprofColumn::GroupZ])?,
            )
        };
        shape(grid, group).ok_or(RowFault::Quirk(Quirk::ShapeOverflow))
    }

    pub(super) fn lds(&self) -> Result<Option<u32>, RowFault> {
        match self.small(RocprofColumn::Lds)? {
            None => self.small(RocprofColumn::BlockLds),
            lds => Ok(lds),
        }
    }

    pub(super) fn registers(&self) -> Result<Option<Registers>, RowFault> {
        let accum = self.small(RocprofColumn::Accum)?.unwrap_or(0);
        Ok(self.small(RocprofColumn::Vgprs)?.map(|arch| Registers { arch, accum }))
    }

    /// The number of the device: `4`, `Agent 4`, `GPU 4`.
    pub(super) fn device(&self) -> Option<u64> {
        let text = self.text(RocprofColumn::Agent)?;
        let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        natural(digits)
    }
}

/// Whether a spreadsheet wrote this number: digits, an `E`, digits.
fn is_rounded(text: &str) -> bool {
    let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else {
        return false;
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    mantissa.split('.').all(digits) && digits(exponent.trim_start_matches(['+', '-']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_spreadsheets_are_told() {
        for text in ["8.1097E+14", "1e15", "1.62068E+14"] {
            assert!(is_rounded(text), "{text}");
        }
        for text in ["", "E", "E+14", "810970000000000", "8.1097E", "fe12"] {
            assert!(!is_rounded(text), "{text}");
        }
    }
}
