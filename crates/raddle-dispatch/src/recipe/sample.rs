//! Which valid value of a setting can an error message give as an example?

use toml::Value;

/// Looks up a path of keys in several TOML texts, and returns (last key of the path, value). Takes
/// the first text whose value there is `word` or has a key `word`, else the first text that has the
/// path; `None` where no text has it. Of a path into a list, only the part before the index is
/// used.
pub(super) fn find(texts: &[&str], path: &[&str], word: Option<&str>) -> Option<(String, Value)> {
    let index = |step: &&str| step.trim_end_matches(']').parse::<usize>().is_ok();
    let path = &path[..path.iter().position(index).unwrap_or(path.len())];
    let values = texts.iter().filter_map(|text| {
        let table = Value::Table(toml::from_str(text).ok()?);
        path.iter().try_fold(&table, |value, step| value.get(step)).cloned()
    });
    let values: Vec<Value> = values.collect();
    let fits = |value: &&Value| {
        word.is_some_and(|word| value.as_str() == Some(word) || value.get(word).is_some())
    };
    let value = values.iter().find(fits).or(values.first())?;
    Some(((*path.last()?).to_owned(), value.clone()))
}

/// Returns a key and its value as text in backticks: as JSON if `json` is true, else as TOML.
pub(super) fn shown((key, value): &(String, Value), json: bool) -> String {
    // A TOML value has no keys but text, so JSON can hold it.
    let json = json.then(|| serde_json::to_string(value).unwrap_or_default());
    json.map_or_else(|| format!("`{key} = {value}`"), |value| format!("`\"{key}\": {value}`"))
}
