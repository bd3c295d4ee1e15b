//! How is the signature of an item in rustdoc's JSON written in one line of Rust?
//!
//! Names of types are written without the modules before them.

use serde_json::Value;

pub(super) fn ty(value: &Value) -> String {
    if let Some(name) = value.as_str() {
        return if name == "infer" { "_".to_owned() } else { name.to_owned() };
    }
    let Some((kind, inner)) = value.as_object().and_then(|object| object.iter().next()) else {
        return "()".to_owned();
    };
    match kind.as_str() {
        "resolved_path" => path(inner),
        "generic" | "primitive" => name(inner),
        "tuple" => tuple(&types(inner)),
        "slice" => format!("[{}]", ty(inner)),
        "array" => format!("[{}; {}]", ty(&inner["type"]), name(&inner["len"])),
        "borrowed_ref" => {
            let lifetime = inner["lifetime"].as_str().map(|name| format!("{name} "));
            let mutable = if inner["is_mutable"] == true { "mut " } else { "" };
            format!("&{}{mutable}{}", lifetime.unwrap_or_default(), ty(&inner["type"]))
        }
        "raw_pointer" => {
            let mutable = if inner["is_mutable"] == true { "mut" } else { "const" };
            format!("*{mutable} {}", ty(&inner["type"]))
        }
        "impl_trait" => format!("impl {}", bounds(inner)),
        "dyn_trait" => {
            let traits = each(&inner["traits"]).map(|one| {
                format!("{}{}", higher_ranked(&one["generic_params"]), path(&one["trait"]))
            });
            let lifetime = inner["lifetime"].as_str().map(str::to_owned);
            format!("dyn {}", traits.chain(lifetime).collect::<Vec<_>>().join(" + "))
        }
        "qualified_path" => {
            let (of, member) = (ty(&inner["self_type"]), name(&inner["name"]));
            match path(&inner["trait"]) {
                own if own.is_empty() => format!("{of}::{member}"),
                own => format!("<{of} as {own}>::{member}"),
            }
        }
        "function_pointer" => format!("fn{}", signature(&inner["sig"])),
        other => format!("{other}?"),
    }
}

/// Writes the last name of a path with its generic arguments; empty for a path that is missing. The
/// modules before the name are left out, as they are no part of a signature.
fn path(value: &Value) -> String {
    let path = value["path"].as_str().unwrap_or_default();
    let name = path.rsplit_once("::").map_or(path, |(_, name)| name);
    format!("{name}{}", arguments(&value["args"]))
}

fn arguments(args: &Value) -> String {
    if let Some(inside) = args.get("parenthesized") {
        return format!("({}){}", types(&inside["inputs"]).join(", "), returned(&inside["output"]));
    }
    let inside = &args["angle_bracketed"];
    let plain =
        each(&inside["args"]).map(|arg| match arg.as_object().and_then(|a| a.iter().next()) {
            Some((kind, inner)) if kind == "type" => ty(inner),
            Some((kind, inner)) if kind == "const" => name(&inner["expr"]),
            Some((_, inner)) => name(inner),
            None => "_".to_owned(),
        });
    let bound = each(&inside["constraints"]).map(|one| {
        let binding = &one["binding"];
        match binding.get("equality") {
            Some(equal) => format!("{} = {}", name(&one["name"]), ty(&equal["type"])),
            None => format!("{}: {}", name(&one["name"]), bounds(&binding["constraint"])),
        }
    });
    match plain.chain(bound).collect::<Vec<_>>() {
        all if all.is_empty() => String::new(),
        all => format!("<{}>", all.join(", ")),
    }
}

/// Writes trait bounds, joined by ` + `.
pub(super) fn bounds(list: &Value) -> String {
    let each = each(list).map(|bound| {
        if let Some(inner) = bound.get("trait_bound") {
            let maybe = if inner["modifier"] == "maybe" { "?" } else { "" };
            let ranked = higher_ranked(&inner["generic_params"]);
            return format!("{ranked}{maybe}{}", path(&inner["trait"]));
        }
        match bound.get("use") {
            Some(captured) => format!("use<{}>", captures(captured)),
            None => name(&bound["outlives"]),
        }
    });
    each.collect::<Vec<_>>().join(" + ")
}

fn captures(list: &Value) -> String {
    let each =
        each(list).map(|one| match one.as_object().and_then(|inner| inner.values().next()) {
            Some(inner) => name(inner),
            None => name(one),
        });
    each.collect::<Vec<_>>().join(", ")
}

fn higher_ranked(list: &Value) -> String {
    match each(list).map(|one| name(&one["name"])).collect::<Vec<_>>() {
        none if none.is_empty() => String::new(),
        some => format!("for<{}> ", some.join(", ")),
    }
}

/// Writes generic parameters in angle brackets, without those that are made for `impl Trait`.
pub(super) fn generics(value: &Value) -> String {
    let params = each(&value["params"]).filter_map(|param| {
        let (kind, inner) = param["kind"].as_object()?.iter().next()?;
        let name = name(&param["name"]);
        let (prefix, limits) = match kind.as_str() {
            "const" => ("const ", ty(&inner["type"])),
            "type" if inner["is_synthetic"] == true => return None,
            "type" => ("", bounds(&inner["bounds"])),
            _ => ("", captures(&inner["outlives"]).replace(", ", " + ")),
        };
        let default = if inner["default"].is_null() || kind == "const" {
            String::new()
        } else {
            format!(" = {}", ty(&inner["default"]))
        };
        Some(format!("{prefix}{name}{}{default}", after(": ", &limits)))
    });
    match params.collect::<Vec<_>>() {
        none if none.is_empty() => String::new(),
        some => format!("<{}>", some.join(", ")),
    }
}

/// Writes the `where` clause of a signature, with a blank before it; empty where there is none.
pub(super) fn conditions(generics: &Value) -> String {
    let each = each(&generics["where_predicates"]).filter_map(|predicate| {
        let (kind, inner) = predicate.as_object()?.iter().next()?;
        Some(match kind.as_str() {
            "bound_predicate" => {
                let ranked = higher_ranked(&inner["generic_params"]);
                format!("{ranked}{}: {}", ty(&inner["type"]), bounds(&inner["bounds"]))
            }
            "lifetime_predicate" => {
                let outlived = captures(&inner["outlives"]).replace(", ", " + ");
                format!("{}: {outlived}", name(&inner["lifetime"]))
            }
            _ => format!("{} = {}", ty(&inner["lhs"]), ty(&inner["rhs"]["type"])),
        })
    });
    after(" where ", &each.collect::<Vec<_>>().join(", "))
}

/// Writes a function as (words up to `fn`, the part behind its name).
pub(super) fn function(inner: &Value) -> (String, String) {
    let mut before = String::new();
    for (key, word) in [("is_const", "const "), ("is_async", "async "), ("is_unsafe", "unsafe ")] {
        if inner["header"][key] == true {
            before.push_str(word);
        }
    }
    let generic = &inner["generics"];
    let behind =
        format!("{}{}{}", generics(generic), signature(&inner["sig"]), conditions(generic));
    (before + "fn", behind)
}

fn signature(sig: &Value) -> String {
    let inputs = each(&sig["inputs"]).map(|input| {
        let (name, kind) = (name(&input[0]), ty(&input[1]));
        match (name.as_str(), kind.as_str()) {
            ("self", "Self") => "self".to_owned(),
            ("self", "&Self") => "&self".to_owned(),
            ("self", "&mut Self") => "&mut self".to_owned(),
            ("", _) => kind,
            _ => format!("{name}: {kind}"),
        }
    });
    format!("({}){}", inputs.collect::<Vec<_>>().join(", "), returned(&sig["output"]))
}

fn returned(output: &Value) -> String {
    if output.is_null() { String::new() } else { format!(" -> {}", ty(output)) }
}

fn types(list: &Value) -> Vec<String> {
    each(list).map(ty).collect()
}

pub(super) fn tuple(members: &[String]) -> String {
    if let [only] = members { format!("({only},)") } else { format!("({})", members.join(", ")) }
}

/// Writes `text` with `mark` in front; empty if `text` is.
pub(super) fn after(mark: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{mark}{text}") }
}

fn name(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns the entries of a JSON list; no entries if the value is missing or no list.
pub(super) fn each(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_function_is_written_as_in_the_source() {
        let round = json!({"resolved_path": {"path": "Round", "args": {"angle_bracketed": {
            "args": [{"lifetime": "'a"}, {"type": {"generic": "T"}}], "constraints": []}}}});
        let closure = json!({"impl_trait": [{"trait_bound": {"modifier": "none", "generic_params": [],
            "trait": {"path": "FnMut", "args": {"parenthesized":
                {"inputs": [{"primitive": "u32"}], "output": {"primitive": "bool"}}}}}}]});
        let inner = json!({
            "header": {"is_const": true, "is_async": false, "is_unsafe": false},
            "generics": {
                "params": [
                    {"name": "'a", "kind": {"lifetime": {"outlives": []}}},
                    {"name": "T", "kind": {"type": {"is_synthetic": false, "default": null, "bounds":
                        [{"trait_bound": {"modifier": "maybe", "generic_params": [],
                            "trait": {"path": "Sized", "args": null}}}]}}},
                    {"name": "impl FnMut", "kind": {"type": {"is_synthetic": true, "bounds": []}}},
                ],
                "where_predicates": [{"bound_predicate": {"type": {"generic": "T"}, "generic_params": [],
                    "bounds": [{"outlives": "'a"}]}}],
            },
            "sig": {
                "inputs": [
                    ["self", {"borrowed_ref": {"lifetime": null, "is_mutable": true,
                        "type": {"generic": "Self"}}}],
                    ["round", {"borrowed_ref": {"lifetime": "'a", "is_mutable": false, "type": round}}],
                    ["choose", closure],
                ],
                "output": {"tuple": [{"slice": {"primitive": "u8"}}]},
            },
        });
        let (before, behind) = function(&inner);
        assert_eq!(
            format!("{before} pick{behind}"),
            "const fn pick<'a, T: ?Sized>(&mut self, round: &'a Round<'a, T>, \
             choose: impl FnMut(u32) -> bool) -> ([u8],) where T: 'a"
        );
    }
}
