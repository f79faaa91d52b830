//! [`Surface`]: what can be reached from outside a crate, found in its source.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use syn::{Fields, ImplItem, Item, TraitItem, UseTree, Visibility};

use super::items::items;
use super::signature::{self, is_hidden, promises, text};
use crate::tidy::attributes::{attributes, is_test, item_name};
use crate::tidy::syntax::CrateTree;

/// Chains of re-exports longer than this go in a circle.
const LONGEST_CHAIN: usize = 20;

/// What a line of the listing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Module,
    Struct,
    Enum,
    Trait,
    Function,
    Method,
    Constant,
    Type,
    Field,
    Variant,
    Implementation,
    Reexport,
}

impl Kind {
    pub(super) fn plural(self) -> &'static str {
        match self {
            Kind::Module => "modules",
            Kind::Struct => "structs",
            Kind::Enum => "enums",
            Kind::Trait => "traits",
            Kind::Function => "functions",
            Kind::Method => "methods",
            Kind::Constant => "constants",
            Kind::Type => "types",
            Kind::Field => "fields",
            Kind::Variant => "variants",
            Kind::Implementation => "implementations of traits",
            Kind::Reexport => "further paths",
        }
    }

    /// Whether it is an item of its own, not a part of one or another way to it.
    pub(super) fn is_counted(self) -> bool {
        self < Kind::Field
    }
}

/// One line of the listing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    /// What it is sorted by: the path, then the place within the item.
    order: (String, usize),
    pub(super) kind: Kind,
    pub(super) line: String,
}

/// An item: the module that defines it, and its name there.
type Key = (usize, String);

/// Where a path leads.
enum Found {
    Item(Key),
    Module(usize),
}

pub(super) struct Surface<'t> {
    tree: &'t CrateTree,
    /// The items of each module.
    items: Vec<Vec<Item>>,
    /// All public paths of each public item, each with its length, so that the shortest comes first.
    public: BTreeMap<Key, BTreeSet<(usize, String)>>,
    pub(super) entries: Vec<Entry>,
}

impl<'t> Surface<'t> {
    pub(super) fn of(
        tree: &'t CrateTree,
        name: &str,
        load: &mut dyn FnMut(&Path) -> Result<String>,
    ) -> Result<Self> {
        let items = items(tree, load)?;
        let mut surface = Surface { tree, items, public: BTreeMap::new(), entries: Vec::new() };
        surface.module(0, name, 0);
        for (key, paths) in surface.public.clone() {
            surface.item(&key, &paths);
        }
        surface.implementations();
        surface.entries.sort();
        surface.entries.dedup();
        Ok(surface)
    }

    fn add(&mut self, path: &str, place: usize, kind: Kind, line: String) {
        self.entries.push(Entry { order: (path.to_string(), place), kind, line });
    }

    /// Notes the public items of a module, and lists the modules below it.
    fn module(&mut self, index: usize, path: &str, depth: usize) {
        if depth > LONGEST_CHAIN {
            return;
        }
        self.add(path, 0, Kind::Module, format!("mod {path}"));
        for item in self.items[index].clone() {
            self.member(index, path, depth, &item);
        }
    }

    fn member(&mut self, index: usize, path: &str, depth: usize, item: &Item) {
        if is_hidden(attributes(item)) || !is_public(item) {
            return;
        }
        match item {
            Item::Use(used) => {
                let mut leaves = Vec::new();
                leaves_of(&used.tree, &[], &mut leaves);
                for (name, target) in leaves {
                    self.reexport(index, path, depth, &name, &target);
                }
            }
            Item::Mod(module) => {
                let name = module.ident.to_string();
                if let Some(&child) = self.tree.modules[index].children.get(&name) {
                    self.module(child, &format!("{path}::{name}"), depth + 1);
                }
            }
            _ => {
                if let Some(name) = item_name(item) {
                    self.note((index, name.clone()), &format!("{path}::{name}"));
                }
            }
        }
    }

    fn reexport(&mut self, index: usize, path: &str, depth: usize, name: &str, target: &[String]) {
        let whole = format!("{path}::{name}");
        match self.find(index, target, 0) {
            Some(Found::Module(module)) if name == "*" => {
                for item in self.items[module].clone() {
                    self.member(module, path, depth + 1, &item);
                }
            }
            Some(Found::Module(module)) => self.module(module, &whole, depth + 1),
            Some(Found::Item(key)) => self.note(key, &whole),
            None => self.add(&whole, 0, Kind::Reexport, format!("use {whole} = {}", target.join("::"))),
        }
    }

    /// A hidden item stays hidden wherever it is exported.
    fn note(&mut self, key: Key, path: &str) {
        let mut named = self.items[key.0].iter().filter(|item| item_name(item).as_ref() == Some(&key.1));
        if named.any(|item| is_hidden(attributes(item))) {
            return;
        }
        let length = path.matches("::").count();
        self.public.entry(key).or_default().insert((length, path.to_string()));
    }

    /// The module or item that `path` names in the module `scope`.
    fn find(&self, scope: usize, path: &[String], chain: usize) -> Option<Found> {
        let Some((first, rest)) = path.split_first() else { return Some(Found::Module(scope)) };
        let module = &self.tree.modules[scope];
        if chain > LONGEST_CHAIN {
            return None;
        }
        match first.as_str() {
            "crate" => return self.find(0, rest, chain + 1),
            "self" => return self.find(scope, rest, chain + 1),
            "super" => return self.find(module.parent?, rest, chain + 1),
            _ => {}
        }
        // A module and a function may share a name: only the module has something behind it.
        if rest.is_empty() && module.items.contains(first) {
            return Some(Found::Item((scope, first.clone())));
        }
        if let Some(child) = module.children.get(first).filter(|_| !rest.is_empty()) {
            return self.find(*child, rest, chain + 1);
        }
        if let Some(alias) = module.aliases.get(first).filter(|alias| alias.len() > 1) {
            let longer: Vec<String> = alias.iter().chain(rest).cloned().collect();
            return self.find(scope, &longer, chain + 1);
        }
        module.children.get(first).and_then(|child| self.find(*child, rest, chain + 1))
    }

    /// Lists an item under its shortest path.
    fn item(&mut self, key: &Key, paths: &BTreeSet<(usize, String)>) {
        let mut paths = paths.iter().map(|(_, path)| path.clone());
        let path = paths.next().expect("an item is noted with a path");
        for other in paths {
            self.add(&other, 0, Kind::Reexport, format!("use {other} = {path}"));
        }
        let named = |item: &&Item| item_name(item).as_deref() == Some(&key.1);
        for item in self.items[key.0].iter().filter(named).cloned().collect::<Vec<_>>() {
            self.declaration(&path, &item);
        }
    }

    fn declaration(&mut self, path: &str, item: &Item) {
        let (grows, derives) = promises(attributes(item));
        match item {
            Item::Struct(item) => {
                let generics = format!("{}{}", text(&item.generics), signature::bounds(&item.generics));
                let shape = match &item.fields {
                    Fields::Named(_) => String::new(),
                    fields => signature::fields(fields, false),
                };
                let line = format!("{grows}struct {path}{generics}{shape}{derives}");
                self.add(path, 0, Kind::Struct, line);
                for (place, field) in item.fields.iter().enumerate() {
                    let Some(name) = field.ident.as_ref().filter(|_| shown(&field.vis, &field.attrs)) else {
                        continue;
                    };
                    let line = format!("field {path}::{name}: {}", text(&field.ty));
                    self.add(path, place + 1, Kind::Field, line);
                }
            }
            Item::Enum(item) => {
                let generics = format!("{}{}", text(&item.generics), signature::bounds(&item.generics));
                self.add(path, 0, Kind::Enum, format!("{grows}enum {path}{generics}{derives}"));
                let variants = item.variants.iter().filter(|variant| !is_hidden(&variant.attrs));
                for (place, variant) in variants.enumerate() {
                    let fields = signature::fields(&variant.fields, true);
                    let (grows, _) = promises(&variant.attrs);
                    let line = format!("{grows}variant {path}::{}{fields}", variant.ident);
                    self.add(path, place + 1, Kind::Variant, line);
                }
            }
            Item::Trait(item) => {
                let above = signature::supertraits(&item.supertraits);
                let line = format!("trait {path}{}{above}", text(&item.generics));
                self.add(path, 0, Kind::Trait, line + &signature::bounds(&item.generics));
                for member in &item.items {
                    self.trait_member(path, member);
                }
            }
            Item::Fn(item) => self.add(path, 0, Kind::Function, signature::function(path, &item.sig)),
            Item::Const(item) => {
                self.add(path, 0, Kind::Constant, format!("const {path}: {}", text(&item.ty)));
            }
            Item::Static(item) => {
                self.add(path, 0, Kind::Constant, format!("static {path}: {}", text(&item.ty)));
            }
            Item::Type(item) => {
                let line = format!("type {path}{} = {}", text(&item.generics), text(&item.ty));
                self.add(path, 0, Kind::Type, line);
            }
            _ => {}
        }
    }

    fn trait_member(&mut self, path: &str, member: &TraitItem) {
        match member {
            TraitItem::Fn(method) if !is_hidden(&method.attrs) => {
                let path = format!("{path}::{}", method.sig.ident);
                let provided = if method.default.is_some() { " { .. }" } else { "" };
                let line = format!("{}{provided}", signature::function(&path, &method.sig));
                self.add(&path, 0, Kind::Method, line);
            }
            TraitItem::Const(constant) if !is_hidden(&constant.attrs) => {
                let path = format!("{path}::{}", constant.ident);
                self.add(&path, 0, Kind::Constant, format!("const {path}: {}", text(&constant.ty)));
            }
            TraitItem::Type(kind) if !is_hidden(&kind.attrs) => {
                let path = format!("{path}::{}", kind.ident);
                self.add(&path, 0, Kind::Type, format!("type {path}{}", text(&kind.generics)));
            }
            _ => {}
        }
    }

    /// Lists the methods of the public types, and the traits that they implement.
    fn implementations(&mut self) {
        for index in 0..self.items.len() {
            for item in self.items[index].clone() {
                let Item::Impl(block) = &item else { continue };
                let Some(path) = self.self_path(index, &block.self_ty) else { continue };
                match &block.trait_ {
                    None => block.items.iter().for_each(|member| self.inherent(&path, member)),
                    Some((name, _)) if self.is_known_outside(index, name) => {
                        let line = format!("impl {} for {path}", text(name));
                        self.add(&path, usize::MAX, Kind::Implementation, line);
                    }
                    Some(_) => {}
                }
            }
        }
    }

    /// The public path of the type of an `impl` block.
    fn self_path(&self, scope: usize, kind: &syn::Type) -> Option<String> {
        let syn::Type::Path(kind) = kind else { return None };
        let segments: Vec<String> = kind.path.segments.iter().map(|part| part.ident.to_string()).collect();
        let Some(Found::Item(key)) = self.find(scope, &segments, 0) else { return None };
        self.public.get(&key)?.first().map(|(_, path)| path.clone())
    }

    /// Whether users can name a trait: one of another crate, or a public one.
    fn is_known_outside(&self, scope: usize, name: &syn::Path) -> bool {
        let segments: Vec<String> = name.segments.iter().map(|part| part.ident.to_string()).collect();
        match self.find(scope, &segments, 0) {
            Some(Found::Item(key)) => self.public.contains_key(&key),
            _ => true,
        }
    }

    fn inherent(&mut self, path: &str, member: &ImplItem) {
        match member {
            ImplItem::Fn(method) if shown(&method.vis, &method.attrs) => {
                let path = format!("{path}::{}", method.sig.ident);
                self.add(&path, 0, Kind::Method, signature::function(&path, &method.sig));
            }
            ImplItem::Const(constant) if shown(&constant.vis, &constant.attrs) => {
                let path = format!("{path}::{}", constant.ident);
                self.add(&path, 0, Kind::Constant, format!("const {path}: {}", text(&constant.ty)));
            }
            _ => {}
        }
    }
}

/// The names that a `use` makes, with the paths that they stand for.
fn leaves_of(tree: &UseTree, before: &[String], leaves: &mut Vec<(String, Vec<String>)>) {
    let joined = |last: String| before.iter().cloned().chain([last]).collect::<Vec<_>>();
    match tree {
        UseTree::Path(path) => leaves_of(&path.tree, &joined(path.ident.to_string()), leaves),
        UseTree::Group(group) => group.items.iter().for_each(|item| leaves_of(item, before, leaves)),
        UseTree::Glob(_) => leaves.push(("*".into(), before.to_vec())),
        UseTree::Name(name) if name.ident == "self" => {
            leaves.push((before.last().cloned().unwrap_or_default(), before.to_vec()));
        }
        UseTree::Name(name) => leaves.push((name.ident.to_string(), joined(name.ident.to_string()))),
        UseTree::Rename(rename) => {
            leaves.push((rename.rename.to_string(), joined(rename.ident.to_string())));
        }
    }
}

fn shown(visibility: &Visibility, attributes: &[syn::Attribute]) -> bool {
    matches!(visibility, Visibility::Public(_)) && !is_hidden(attributes) && !is_test(attributes)
}

fn is_public(item: &Item) -> bool {
    let visibility = match item {
        Item::Const(item) => &item.vis,
        Item::Enum(item) => &item.vis,
        Item::Fn(item) => &item.vis,
        Item::Mod(item) => &item.vis,
        Item::Static(item) => &item.vis,
        Item::Struct(item) => &item.vis,
        Item::Trait(item) => &item.vis,
        Item::Type(item) => &item.vis,
        Item::Use(item) => &item.vis,
        _ => return false,
    };
    matches!(visibility, Visibility::Public(_))
}

#[cfg(test)]
mod tests;
