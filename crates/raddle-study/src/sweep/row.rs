//! How is the row of a case of a sweep (its values and figures) written, and read back?

use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Number, Value};

/// Result of one case of a sweep. It is written as one flat JSON object: `case`, `of`, the values
/// of the varied options, then the figures, or `error`.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepRow {
    /// Id of the case that the row is about, such as `load=40/s recipe=leftover`.
    pub case: String,
    /// Fingerprint of the case, which differs from that of a case with the same id in another
    /// sweep.
    pub of: String,
    /// Values of the varied options in the case, each as (key of the option, value).
    pub values: Vec<(String, String)>,
    /// Figures of the case as (name, number), or the reason why there are none.
    pub result: Result<Vec<(String, Number)>, String>,
}

impl SweepRow {
    /// Returns the row as one line of JSON, with its line end.
    #[must_use]
    pub fn line(&self) -> String {
        // Strings and finite numbers only: this cannot fail.
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }
}

impl Serialize for SweepRow {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut row = to.serialize_map(None)?;
        row.serialize_entry("case", &self.case)?;
        row.serialize_entry("of", &self.of)?;
        for (key, value) in &self.values {
            row.serialize_entry(key, &number(value))?;
        }
        match &self.result {
            Ok(figures) => {
                for (key, value) in figures {
                    row.serialize_entry(key, value)?;
                }
            }
            Err(error) => row.serialize_entry("error", error)?,
        }
        row.end()
    }
}

/// Converts a value of a varied option to JSON: to a number if it is one, or a rate such as `40/s`,
/// else to a string.
fn number(value: &str) -> Value {
    let bare = value.strip_suffix("/s").unwrap_or(value);
    let plain = |c: char| c.is_ascii_digit() || c == '.';
    let is_number = !bare.is_empty() && bare.chars().all(plain);
    let read = bare.parse().ok().filter(|_| is_number);
    read.map_or_else(|| value.into(), Value::Number)
}

/// Row of a sweep (the result of one case), as it is read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadRow {
    /// Id of the case that the row is about, such as `load=40/s recipe=leftover`.
    pub case: String,
    /// Fingerprint of the case, which differs from that of a case with the same id in another
    /// sweep.
    pub of: String,
    /// Figures of the case by their names, or the reason why it has none.
    pub result: Result<BTreeMap<String, f64>, String>,
}

impl ReadRow {
    /// Reads a row from a line of JSON; `None` where the line is no row of a sweep.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let Value::Object(row) = serde_json::from_str(line).ok()? else { return None };
        let text = |key: &str| row.get(key)?.as_str().map(str::to_owned);
        let figures = || row.iter().filter_map(|(key, value)| Some((key.clone(), value.as_f64()?)));
        Some(Self {
            case: text("case")?,
            of: text("of")?,
            result: text("error").map_or_else(|| Ok(figures().collect()), Err),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_read_back() {
        let values = [("load", "40/s"), ("device", "h100"), ("window", "8"), ("x", "1.2.3")];
        let values = values.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        let figures = vec![("a.p99-ns".to_owned(), 7.into())];
        let row = SweepRow { case: "c".into(), of: "f".into(), values, result: Ok(figures) };
        assert_eq!(
            row.line(),
            "{\"case\":\"c\",\"of\":\"f\",\"load\":40,\"device\":\"h100\",\"window\":8,\"x\":\"1.2.3\",\"a.p99-ns\":7}\n"
        );
        let read = ReadRow::parse(&row.line()).unwrap();
        assert_eq!((&*read.case, read.result.unwrap()["a.p99-ns"]), ("c", 7.0));
        let failed = SweepRow { result: Err("no \"x\"".into()), ..row };
        assert_eq!(ReadRow::parse(&failed.line()).unwrap().result, Err("no \"x\"".to_owned()));
        assert_eq!(ReadRow::parse("{\"case\":\"c\"}"), None);
        assert_eq!(ReadRow::parse("{\"case\":\"c"), None);
    }
}
