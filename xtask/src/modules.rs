//! Which files are the modules of a crate, as `mod` items say, and which lines are only for tests?

use std::collections::BTreeSet;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ImplItem, Item, ItemMod, Lit, Meta};

/// Module of a crate that has a file of its own.
pub(crate) struct Module {
    /// Names of the modules from the crate's root down to this module; empty for the root.
    pub(crate) path: Vec<String>,
    pub(crate) file: PathBuf,
    pub(crate) text: String,
    pub(crate) ast: syn::File,
    /// True if the whole file is compiled only for tests (`#[cfg(test)]`).
    pub(crate) test: bool,
}

impl Module {
    /// Returns the ranges of lines, from 1, of the module's items that are only for tests.
    pub(crate) fn test_lines(&self) -> Vec<RangeInclusive<usize>> {
        let mut found = TestItems(Vec::new());
        found.visit_file(&self.ast);
        found.0
    }
}

/// Returns the modules of each crate of a package: of the library, the program, and each program in
/// `src/bin`. `package` is the package's folder.
///
/// # Errors
/// When a file cannot be read or is no Rust.
pub(crate) fn trees(package: &Path) -> Result<Vec<Vec<Module>>> {
    let src = package.join("src");
    let mut roots = vec![src.join("lib.rs"), src.join("main.rs")];
    let programs = fs::read_dir(src.join("bin")).into_iter().flatten().flatten();
    roots.extend(programs.map(|entry| entry.path()).filter(|path| path.extension().is_some()));
    let roots = roots.into_iter().filter(|root| root.is_file());
    roots
        .map(|root| {
            let mut tree = Vec::new();
            load(&mut tree, root, Vec::new(), false)?;
            Ok(tree)
        })
        .collect()
}

fn load(tree: &mut Vec<Module>, file: PathBuf, path: Vec<String>, test: bool) -> Result<()> {
    let shown = file.display().to_string();
    let text = fs::read_to_string(&file).with_context(|| shown.clone())?;
    let ast = syn::parse_file(&text).with_context(|| shown)?;
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    let stem = file.file_stem().unwrap_or_default();
    let is_root = path.is_empty() || stem == "mod";
    let mut children = Vec::new();
    let inside = if is_root { folder.clone() } else { folder.join(stem) };
    declared(&ast.items, (&folder, &inside), &path, test, &mut children);
    tree.push(Module { path, file, text, ast, test });
    for (file, path, test) in children {
        // A module whose file is generated or chosen by the platform may be missing.
        if file.is_file() {
            load(tree, file, path, test)?;
        }
    }
    Ok(())
}

/// Adds to `found` the files of the `mod name;` items among `items`, also of those inside of other
/// modules. Each is given as (file, module path, true if it is only for tests).
fn declared(
    items: &[Item],
    (beside, inside): (&Path, &Path),
    path: &[String],
    test: bool,
    found: &mut Vec<(PathBuf, Vec<String>, bool)>,
) {
    for item in items {
        let Item::Mod(ItemMod { ident, content, attrs, .. }) = item else { continue };
        let (name, test) = (ident.to_string(), test || is_test(attrs));
        let path = [path, std::slice::from_ref(&name)].concat();
        if let Some((_, items)) = content {
            declared(items, (beside, &inside.join(&name)), &path, test, found);
            continue;
        }
        let plain = inside.join(format!("{name}.rs"));
        let file = match named_path(attrs) {
            Some(named) => beside.join(named),
            None if plain.is_file() => plain,
            None => inside.join(name).join("mod.rs"),
        };
        found.push((file, path, test));
    }
}

/// Returns the path in an item's attribute `#[path = ".."]`; `None` without such an attribute.
fn named_path(attrs: &[Attribute]) -> Option<String> {
    attrs.iter().find_map(|attr| match &attr.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

/// Returns whether one of the attributes is `#[cfg(test)]`, `#[cfg(all(test, ..))]` or
/// `#[cfg(doctest)]`.
pub(crate) fn is_test(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| match &attr.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string().replace(' ', "");
            ["test", "doctest"].contains(&&*condition) || condition.starts_with("all(test,")
        }
        _ => false,
    })
}

/// Returns the attributes of an item; an empty list for kinds of items that tests do not use.
pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns the name of an item; `None` for modules and items without a name.
pub(crate) fn ident(item: &Item) -> Option<&Ident> {
    match item {
        Item::Const(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Macro(item) => item.ident.as_ref(),
        Item::Static(item) => Some(&item.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        Item::Union(item) => Some(&item.ident),
        _ => None,
    }
}

struct TestItems(Vec<RangeInclusive<usize>>);

impl TestItems {
    fn add(&mut self, span: Span) {
        self.0.push(span.start().line..=span.end().line);
    }
}

impl<'ast> Visit<'ast> for TestItems {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_test(attributes(item)) {
            self.add(item.span());
        } else {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        match item {
            ImplItem::Fn(function) if is_test(&function.attrs) => self.add(item.span()),
            _ => {}
        }
    }
}

/// Returns the names of the types that a module defines outside of its tests.
pub(crate) fn type_names(module: &Module) -> BTreeSet<String> {
    struct TypeNames(BTreeSet<String>);
    impl<'ast> Visit<'ast> for TypeNames {
        fn visit_item(&mut self, item: &'ast Item) {
            if is_test(attributes(item)) {
                return;
            }
            let is_value =
                matches!(item, Item::Const(_) | Item::Fn(_) | Item::Macro(_) | Item::Static(_));
            if !is_value {
                self.0.extend(ident(item).map(ToString::to_string));
            }
            visit::visit_item(self, item);
        }
    }
    let mut names = TypeNames(BTreeSet::new());
    names.visit_file(&module.ast);
    names.0
}
