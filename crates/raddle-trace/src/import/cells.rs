//! Which cells does a row of a CSV file hold?

/// The cells of a row that is not blank.
///
/// As the csv crate reads it, whose reader costs more than the row where each row needs one.
pub(in crate::import) fn cells(row: &str) -> csv::StringRecord {
    let text = row.strip_suffix('\n').unwrap_or(row);
    let mut rest = text.strip_suffix('\r').unwrap_or(text);
    let mut cells = csv::StringRecord::with_capacity(rest.len(), 32);
    let mut cell = String::new();
    loop {
        cell.clear();
        let behind = match rest.strip_prefix('"') {
            Some(quoted) => unquote(quoted, &mut cell),
            None => rest,
        };
        let (plain, next) = match behind.split_once(',') {
            Some((plain, next)) => (plain, Some(next)),
            None => (behind, None),
        };
        cell.push_str(plain);
        cells.push_field(&cell);
        match next {
            Some(next) => rest = next,
            None => return cells,
        }
    }
}

/// Adds what stands before the closing quote to `cell`; what stands behind it. Two quotes stand for
/// one.
fn unquote<'t>(mut text: &'t str, cell: &mut String) -> &'t str {
    loop {
        let Some((part, behind)) = text.split_once('"') else {
            cell.push_str(text);
            return "";
        };
        cell.push_str(part);
        match behind.strip_prefix('"') {
            Some(more) => {
                cell.push('"');
                text = more;
            }
            None => return behind,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn with_the_crate(row: &str) -> csv::StringRecord {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(row.as_bytes());
        let mut cells = csv::StringRecord::new();
        reader.read_record(&mut cells).unwrap();
        cells
    }

    #[test]
    fn rows_of_every_kind() {
        for (row, wanted) in [
            ("a,b\n", vec!["a", "b"]),
            ("a,,\r\n", vec!["a", "", ""]),
            ("\"f(a, b)\",\"\",\"say \"\"x\"\"\"", vec!["f(a, b)", "", "say \"x\""]),
            ("\"two\nlines\",c\n", vec!["two\nlines", "c"]),
            ("mid\"quote,\"open", vec!["mid\"quote", "open"]),
        ] {
            assert_eq!(cells(row), wanted, "{row}");
        }
    }

    proptest! {
        #[test]
        fn cells_agree_with_the_csv_crate(row in "[ab,\" ]{1,40}") {
            // Only blank rows differ, which never come here.
            prop_assert_eq!(cells(&row), with_the_crate(&row));
        }
    }
}
