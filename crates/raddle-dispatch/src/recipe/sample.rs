//! Which value can a setting have, for an example in a message?

use toml::Value;

/// Finds a key with its value in some TOML texts: in the text where the value is `word` or has
/// `word` as a key, else in the first text that has the key. A path that leads into a list ends at
/// the list.
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

/// Writes a key and its value as TOML or as JSON.
pub(super) fn shown((key, value): &(String, Value), json: bool) -> String {
    // A TOML value has no keys but text, so JSON can hold it.
    let json = json.then(|| serde_json::to_string(value).unwrap_or_default());
    json.map_or_else(|| format!("`{key} = {value}`"), |value| format!("`\"{key}\": {value}`"))
}
