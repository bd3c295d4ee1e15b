//! Do files of a crate use each other in a circle?
//!
//! File `a` uses file `b` when its code outside of tests names an item that `b` defines, by an
//! import or by a path. If the name is a re-export, the file counts that defines the item. Uses
//! between a module and the modules inside of it do not count, as they are one subject.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Item, ItemUse, Macro, UseTree, Visibility};

use super::Finding;
use crate::modules::{self, Module};
use crate::{checkout, workspace};

/// Path of a module or item: the names from the crate's root down to it.
type ModulePath = Vec<String>;

pub(super) fn check() -> Result<Vec<Finding>> {
    let root = checkout::root();
    let mut found = Vec::new();
    for name in workspace::CRATES.iter().map(|row| row.name) {
        for tree in modules::trees(&root.join(workspace::folder(name)))? {
            found.extend(circles(&tree).iter().map(|circle| finding(&tree, circle)));
        }
    }
    Ok(found)
}

/// Use of one module by another: the code of the module `from` names the item `path` that the
/// module `to` defines. `from` and `to` are indices in the list of the crate's modules.
#[derive(Debug)]
struct Arrow {
    from: usize,
    to: usize,
    path: String,
}

/// Returns the circles in which modules use each other, each as the list of its arrows (uses of one
/// module by another); `tree` is the list of a crate's modules.
fn circles(tree: &[Module]) -> Vec<Vec<Arrow>> {
    let mut arrows: BTreeMap<(usize, usize), String> = BTreeMap::new();
    let scopes: Vec<Scope> = tree.iter().map(Scope::read).collect();
    let index = (0..).zip(tree).map(|(at, module)| (module.path.as_slice(), at)).collect();
    let resolver = Resolver { index, scopes: &scopes };
    for (from, scope) in scopes.iter().enumerate().filter(|(from, _)| !tree[*from].test) {
        let reached = scope.used.iter().filter_map(|(module, path)| {
            let to = resolver.file(module, path, 0)?;
            Some((to, path.join("::")))
        });
        for (to, path) in reached.filter(|(to, _)| !related(&tree[from], &tree[*to])) {
            arrows.entry((from, to)).or_insert(path);
        }
    }
    let reach: Vec<BTreeSet<usize>> =
        (0..tree.len()).map(|from| reachable(&arrows, from)).collect();
    let mut done = BTreeSet::new();
    let mut found = Vec::new();
    for start in 0..tree.len() {
        let circle: BTreeSet<usize> =
            reach[start].iter().copied().filter(|other| reach[*other].contains(&start)).collect();
        if circle.is_empty() || !done.insert(circle.clone()) {
            continue;
        }
        let inside = arrows.iter().filter(|((a, b), _)| circle.contains(a) && circle.contains(b));
        found.push(
            inside
                .map(|((from, to), path)| Arrow { from: *from, to: *to, path: path.clone() })
                .collect(),
        );
    }
    found
}

/// Returns whether one of the two modules stands inside of the other, or both are the same.
fn related(a: &Module, b: &Module) -> bool {
    a.path.starts_with(&b.path) || b.path.starts_with(&a.path)
}

/// Returns the modules that the module `from` uses, directly or through modules that it uses.
fn reachable(arrows: &BTreeMap<(usize, usize), String>, from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        let next = arrows.range((at, 0)..=(at, usize::MAX)).map(|((_, to), _)| *to);
        open.extend(next.filter(|to| reached.insert(*to)));
    }
    reached
}

fn finding(tree: &[Module], circle: &[Arrow]) -> Finding {
    let root = checkout::root();
    let name = |index: usize| {
        let file = &tree[index].file;
        file.strip_prefix(&root).unwrap_or(file).display().to_string()
    };
    let files: BTreeSet<usize> = circle.iter().map(|arrow| arrow.from).collect();
    let arrows: Vec<String> = circle
        .iter()
        .map(|Arrow { from, to, path }| {
            format!("\n      {} uses `{path}` of {}", name(*from), name(*to))
        })
        .collect();
    Finding {
        place: files.first().map(|index| name(*index)).unwrap_or_default(),
        what: format!("{} files import each other in a circle:{}", files.len(), arrows.concat()),
        mend: "move what several of them need into a file below them",
    }
}

/// Names that one file defines, imports and uses outside of its tests.
#[derive(Default)]
struct Scope {
    /// Names of the items that the file defines, without modules.
    defines: BTreeSet<String>,
    /// Names that the file imports with `use`, each with (path of its item, true if public).
    aliases: BTreeMap<String, (ModulePath, bool)>,
    /// Paths that the file imports with `use path::*`, each with true if the import is public.
    globs: Vec<(ModulePath, bool)>,
    /// Paths in the file's code, each as (path of the module in which it stands, path as written).
    used: Vec<(ModulePath, ModulePath)>,
    /// Path of the module in the file at which reading has arrived.
    module: ModulePath,
}

impl Scope {
    fn read(module: &Module) -> Self {
        let mut scope = Self { module: module.path.clone(), ..Self::default() };
        scope.visit_file(&module.ast);
        let names = scope.aliases.values().cloned();
        let all = scope
            .globs
            .iter()
            .map(|(path, public)| ([&path[..], &["*".to_owned()]].concat(), *public));
        let private: Vec<ModulePath> =
            names.chain(all).filter(|(_, public)| !public).map(|(path, _)| path).collect();
        private.into_iter().for_each(|path| scope.uses(path));
        scope
    }

    fn import(&mut self, tree: &UseTree, before: &[String], public: bool) {
        match tree {
            UseTree::Path(path) => {
                let before = [before, &[path.ident.to_string()]].concat();
                self.import(&path.tree, &before, public);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, before, public);
                }
            }
            UseTree::Glob(_) => self.globs.push((before.to_vec(), public)),
            UseTree::Name(name) if name.ident == "self" => {
                let alias = before.last().cloned().unwrap_or_default();
                self.aliases.insert(alias, (before.to_vec(), public));
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                let path = [before, std::slice::from_ref(&name)].concat();
                self.aliases.insert(name, (path, public));
            }
            UseTree::Rename(renamed) => {
                let path = [before, &[renamed.ident.to_string()]].concat();
                self.aliases.insert(renamed.rename.to_string(), (path, public));
            }
        }
    }

    fn uses(&mut self, path: ModulePath) {
        self.used.push((self.module.clone(), path));
    }

    /// Records the paths in the arguments of a macro call, which syn has not parsed.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path = ModulePath::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) if path.is_empty() || colons == 2 => {
                    path.push(ident.to_string());
                    colons = 0;
                    continue;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => {
                    colons += 1;
                    continue;
                }
                TokenTree::Group(group) => self.tokens(group.stream()),
                _ => {}
            }
            if path.len() > 1 {
                self.uses(std::mem::take(&mut path));
            }
            (path, colons) = (ModulePath::new(), 0);
        }
        if path.len() > 1 {
            self.uses(path);
        }
    }
}

impl<'ast> Visit<'ast> for Scope {
    fn visit_item(&mut self, item: &'ast Item) {
        if modules::is_test(modules::attributes(item)) {
            return;
        }
        self.defines.extend(modules::ident(item).map(ToString::to_string));
        if let Item::Mod(inner) = item {
            self.module.push(inner.ident.to_string());
            visit::visit_item(self, item);
            self.module.pop();
        } else {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let public = !matches!(item.vis, Visibility::Inherited);
        self.import(&item.tree, &[], public);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.uses(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, macro_call: &'ast Macro) {
        self.tokens(macro_call.tokens.clone());
        visit::visit_macro(self, macro_call);
    }
}

struct Resolver<'a> {
    /// Index of each module in the list of the crate's modules, by its path.
    index: BTreeMap<&'a [String], usize>,
    scopes: &'a [Scope],
}

impl Resolver<'_> {
    /// Returns the index of the module whose file defines the item that `path`, written in
    /// `module`, names; `None` for a module, a local name, or an item of another crate. `depth`
    /// counts the re-exports that led here.
    fn file(&self, module: &[String], path: &[String], depth: usize) -> Option<usize> {
        let (first, rest) = path.split_first()?;
        // Re-exports may name each other in a circle.
        if depth > 16 {
            return None;
        }
        match first.as_str() {
            "crate" => self.below(&[], rest, depth),
            "self" => self.below(module, rest, depth),
            "super" => {
                let (_, parent) = module.split_last()?;
                match rest.first().map(String::as_str) {
                    Some("super") => self.file(parent, rest, depth),
                    _ => self.below(parent, rest, depth),
                }
            }
            _ => self.below(module, path, depth),
        }
    }

    /// Returns the index of the module whose file defines the item at `path` below `module`.
    fn below(&self, module: &[String], path: &[String], depth: usize) -> Option<usize> {
        let at = self.owner(module)?;
        let (name, rest) = path.split_first()?;
        if name == "*" {
            return Some(at);
        }
        let child = [module, std::slice::from_ref(name)].concat();
        if self.index.contains_key(child.as_slice()) {
            return if rest.is_empty() { None } else { self.below(&child, rest, depth) };
        }
        let scope = &self.scopes[at];
        if scope.defines.contains(name) {
            return Some(at);
        }
        if let Some((alias, _)) = scope.aliases.get(name) {
            let path = [alias, rest].concat();
            return self.file(&scope.module, &path, depth + 1);
        }
        let path = |glob: &[String]| [glob, path].concat();
        scope.globs.iter().find_map(|(glob, _)| self.file(&scope.module, &path(glob), depth + 1))
    }

    /// Returns the index of the module whose file holds `module`: its own or one around it.
    fn owner(&self, module: &[String]) -> Option<usize> {
        (0..=module.len()).rev().find_map(|length| self.index.get(&module[..length]).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the arrows (uses of one module by another) of all circles among files, each given as
    /// (name of its module, text). `root` is the text of the crate's root.
    fn found(root: &str, files: &[(&str, &str)]) -> Vec<String> {
        let module = |name: &str, text: &str| Module {
            path: if name.is_empty() { ModulePath::new() } else { vec![name.to_owned()] },
            file: name.into(),
            text: text.to_owned(),
            ast: syn::parse_file(text).unwrap(),
            test: false,
        };
        let mut tree = vec![module("", root)];
        tree.extend(files.iter().map(|(name, text)| module(name, text)));
        let arrows = circles(&tree).into_iter().flatten();
        arrows
            .map(|Arrow { from, to, path }| {
                format!("{} {path} {}", tree[from].file.display(), tree[to].file.display())
            })
            .collect()
    }

    #[test]
    fn two_files_that_use_each_other_are_found() {
        let a = ("a", "use crate::b::B; struct A;");
        for b in [
            "use super::a::A; struct B;",
            "use crate::{a::{A as Other}}; struct B;",
            "struct B; fn f() { let x = crate::a::A; }",
            "struct B; fn f() { print!(\"{}\", super::a::A::new()) }",
            "use crate::a; struct B; fn f(x: a::A) {}",
            "use crate::A; struct B;",
        ] {
            assert_eq!(found("mod a; mod b; pub use a::A;", &[a, ("b", b)]).len(), 2, "{b}");
        }
    }

    #[test]
    fn re_exports_tests_parents_and_other_crates_do_not_count() {
        let a = ("a", "use super::b::B; struct A;");
        for b in ["struct B; pub use super::a::A;", "struct B; #[cfg(test)] use super::a::A;"] {
            assert!(found("mod a; mod b;", &[a, ("b", b)]).is_empty(), "{b}");
        }
        let child = ("a", "use super::Root; struct A;");
        assert!(found("mod a; struct Root; fn f() { a::A; }", &[child]).is_empty());
        let b = ("b", "use std::fmt; struct B; fn f(a: u32) { a; fmt::A }");
        assert!(found("mod a; mod b;", &[("a", "use crate::b::B; struct A;"), b]).is_empty());
    }
}
