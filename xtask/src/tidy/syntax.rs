//! [`CrateTree`]: the modules of one crate, with the names that each defines and imports and the paths that
//! it mentions.
//!
//! The files are parsed by `syn`, following `mod` declarations from the crate's root. Seen are `use`
//! declarations (groups, aliases, globs, re-exports, inside functions too), paths in types, expressions,
//! patterns, traits and macro calls, and paths of two or more segments inside the arguments of macros, the
//! bodies of `macro_rules!` and the arguments of attributes.
//!
//! Not seen are methods and fields of a type that the module never names, items that a macro builds from
//! parts of names, single names inside the arguments of macros, and paths inside string literals. A glob
//! import counts as a path to the module that it opens.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, Meta, UseTree, Visibility};

use super::attributes::{attributes, is_test, item_name, path_attribute, summary};

/// The modules of a crate. The first one is the root (`lib.rs` or `main.rs`).
#[derive(Debug, Default)]
pub(super) struct CrateTree {
    pub(super) modules: Vec<Module>,
}

/// One module: a file, a folder or a block `mod name { … }`.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// The names from below the root: empty for the root itself.
    pub(super) path: Vec<String>,
    /// Where its code stands.
    pub(super) file: PathBuf,
    pub(super) parent: Option<usize>,
    pub(super) children: BTreeMap<String, usize>,
    /// Whether the module only exists in tests.
    pub(super) test: bool,
    /// The first sentence of its documentation.
    pub(super) summary: String,
    /// The names of its items.
    pub(super) items: BTreeSet<String>,
    /// What its `use` declarations call a path: `use a::b as c` gives `c` → `a::b`.
    pub(super) aliases: BTreeMap<String, Vec<String>>,
    /// The paths before `::*`.
    pub(super) globs: Vec<Vec<String>>,
    pub(super) mentions: Vec<Mention>,
}

/// A path that a module spells.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mention {
    pub(super) path: Vec<String>,
    /// Counted from 1.
    pub(super) line: usize,
    pub(super) kind: MentionKind,
}

/// Where a path stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MentionKind {
    /// In a `use` declaration.
    Use,
    /// In a `use` declaration with a visibility.
    Reexport,
    /// In code.
    Code,
}

impl CrateTree {
    /// Reads the crate whose root is the file `root`. Files are named relative to `workspace`.
    pub(super) fn read(workspace: &Path, root: &Path) -> Result<Self> {
        let mut load = |file: &Path| -> Result<Option<String>> {
            let whole = workspace.join(file);
            if !whole.is_file() {
                return Ok(None);
            }
            let text = std::fs::read_to_string(&whole);
            text.map(Some).with_context(|| format!("reading {}", file.display()))
        };
        CrateTree::parse(root, &mut load)
    }

    /// The same with a function that gives the text of a file, or nothing where there is none.
    pub(super) fn parse(root: &Path, load: &mut dyn FnMut(&Path) -> Result<Option<String>>) -> Result<Self> {
        let module = Module { file: root.to_path_buf(), ..Module::default() };
        let mut tree = CrateTree { modules: vec![module] };
        let folder = root.parent().unwrap_or(Path::new("")).to_path_buf();
        let mut waiting = vec![(0, folder)];
        while let Some((index, folder)) = waiting.pop() {
            let file = tree.modules[index].file.clone();
            let text = load(&file)?.with_context(|| format!("there is no file {}", file.display()))?;
            let parsed =
                syn::parse_file(&text).with_context(|| format!("{} is not valid Rust", file.display()))?;
            tree.modules[index].summary = summary(&parsed.attrs);
            let mut reader = Reader { tree: &mut tree, current: index, folder, declared: Vec::new() };
            reader.visit_file(&parsed);
            for declared in reader.declared {
                waiting.push(declared.find(&mut tree, load)?);
            }
        }
        Ok(tree)
    }

    /// The files of the modules.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.modules.iter().map(|module| module.file.as_path())
    }
}

/// A module `mod name;` whose file isn't read yet.
struct Declared {
    module: usize,
    /// The folder of the modules below the one that declares it.
    folder: PathBuf,
    /// What `#[path = "…"]` says, and the folder it starts from.
    path: Option<PathBuf>,
}

impl Declared {
    /// Sets the file of the module. Gives the module and the folder of the modules below it.
    fn find(
        self,
        tree: &mut CrateTree,
        load: &mut dyn FnMut(&Path) -> Result<Option<String>>,
    ) -> Result<(usize, PathBuf)> {
        let module = &mut tree.modules[self.module];
        let name = module.path.last().cloned().unwrap_or_default();
        let below = self.folder.join(&name);
        let candidates = match self.path {
            Some(path) => vec![path],
            None => vec![self.folder.join(format!("{name}.rs")), below.join("mod.rs")],
        };
        for file in candidates {
            if load(&file)?.is_some() {
                module.file = file;
                return Ok((self.module, below));
            }
        }
        let declared_in = module.file.display();
        bail!("{declared_in} declares the module {name}, but it has no file")
    }
}

/// Fills the modules of one file.
struct Reader<'a> {
    tree: &'a mut CrateTree,
    /// The module that the visitor is in.
    current: usize,
    /// Where the files of its submodules are.
    folder: PathBuf,
    declared: Vec<Declared>,
}

impl Reader<'_> {
    fn module(&mut self) -> &mut Module {
        &mut self.tree.modules[self.current]
    }

    fn mention(&mut self, path: Vec<String>, line: usize, kind: MentionKind) {
        self.module().mentions.push(Mention { path, line, kind });
    }

    /// Adds the module `name` below the current one, or finds it (two `mod` lines under different `cfg`s).
    fn child(&mut self, name: &str, attributes: &[Attribute]) -> usize {
        if let Some(&known) = self.module().children.get(name) {
            return known;
        }
        let parent = self.current;
        let number = self.tree.modules.len();
        let above = self.module();
        above.children.insert(name.to_string(), number);
        let path = above.path.iter().cloned().chain([name.to_string()]).collect();
        let module = Module {
            path,
            file: above.file.clone(),
            parent: Some(parent),
            test: above.test || is_test(attributes),
            summary: summary(attributes),
            ..Module::default()
        };
        self.tree.modules.push(module);
        number
    }

    /// Takes a tree of `use` apart.
    fn used(&mut self, tree: &UseTree, before: &[String], kind: MentionKind) {
        let joined = |last: String| before.iter().cloned().chain([last]).collect::<Vec<_>>();
        match tree {
            UseTree::Path(path) => self.used(&path.tree, &joined(path.ident.to_string()), kind),
            UseTree::Group(group) => {
                for item in &group.items {
                    self.used(item, before, kind);
                }
            }
            UseTree::Glob(glob) => {
                self.module().globs.push(before.to_vec());
                self.mention(before.to_vec(), glob.span().start().line, kind);
            }
            UseTree::Name(name) => self.leaf(joined(name.ident.to_string()), None, name.span(), kind),
            UseTree::Rename(rename) => {
                let path = joined(rename.ident.to_string());
                self.leaf(path, Some(rename.rename.to_string()), rename.span(), kind);
            }
        }
    }

    fn leaf(
        &mut self,
        mut path: Vec<String>,
        name: Option<String>,
        span: proc_macro2::Span,
        kind: MentionKind,
    ) {
        // `use a::{self}` is `use a`.
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let name = name.or_else(|| path.last().cloned()).unwrap_or_default();
        self.mention(path.clone(), span.start().line, kind);
        if name != "_" {
            self.module().aliases.entry(name).or_insert(path);
        }
    }

    /// The paths of two or more segments in tokens that aren't parsed as code.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut place = 0;
        while place < tokens.len() {
            if let TokenTree::Group(group) = &tokens[place] {
                self.tokens(group.stream());
            }
            let (path, length) = path_at(&tokens[place..]);
            let after_dot = place > 0 && is_punctuation(&tokens[place - 1], '.');
            if path.len() > 1 && !after_dot {
                self.mention(path, tokens[place].span().start().line, MentionKind::Code);
            }
            place += length.max(1);
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = attributes(item);
        if let Item::Mod(module) = item {
            return self.visit_item_mod(module);
        }
        if is_test(attributes) {
            return;
        }
        if let Some(name) = item_name(item) {
            if attributes.iter().any(|attribute| attribute.path().is_ident("macro_export")) {
                let here = self.module().path.clone();
                let path = ["crate".to_string()].into_iter().chain(here).chain([name.clone()]).collect();
                self.tree.modules[0].aliases.entry(name.clone()).or_insert(path);
            }
            self.module().items.insert(name);
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let name = item.ident.to_string();
        let child = self.child(&name, &item.attrs);
        let Some((_, items)) = &item.content else {
            let folder = self.folder.clone();
            let beside = self.module().file.parent().unwrap_or(Path::new("")).to_path_buf();
            let path = path_attribute(&item.attrs).map(|path| beside.join(path));
            self.declared.push(Declared { module: child, folder, path });
            return;
        };
        let outside = (self.current, self.folder.clone());
        self.current = child;
        self.folder.push(&name);
        for inner in items {
            self.visit_item(inner);
        }
        (self.current, self.folder) = outside;
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let private = matches!(item.vis, Visibility::Inherited);
        let kind = if private { MentionKind::Use } else { MentionKind::Reexport };
        self.used(&item.tree, &[], kind);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.mention(segments, path.span().start().line, MentionKind::Code);
        visit::visit_path(self, path);
    }

    fn visit_expr_path(&mut self, expression: &'ast syn::ExprPath) {
        // A single name in small letters is a variable, unless it is called.
        if !expression.path.get_ident().is_some_and(is_lower) {
            visit::visit_expr_path(self, expression);
        }
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        match &*call.func {
            Expr::Path(function) if function.path.get_ident().is_some_and(is_lower) => {
                self.visit_path(&function.path);
                call.args.iter().for_each(|argument| self.visit_expr(argument));
            }
            _ => visit::visit_expr_call(self, call),
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.tokens(list.tokens.clone());
        }
    }

    // `pub(in crate::a)` and `pub(super)` use nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

fn is_lower(name: &syn::Ident) -> bool {
    name.to_string().starts_with(|first: char| first.is_lowercase() || first == '_')
}

fn is_punctuation(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punctuation) if punctuation.as_char() == character)
}

/// The path that starts at the first token, without generic arguments, and how many tokens it takes.
fn path_at(tokens: &[TokenTree]) -> (Vec<String>, usize) {
    let mut path = Vec::new();
    let mut place = 0;
    while let Some(TokenTree::Ident(name)) = tokens.get(place) {
        path.push(name.to_string());
        place += 1;
        let colons = tokens.get(place..place + 2);
        let more = colons.is_some_and(|pair| pair.iter().all(|token| is_punctuation(token, ':')));
        if !more || !matches!(tokens.get(place + 2), Some(TokenTree::Ident(_))) {
            break;
        }
        place += 2;
    }
    (path, place)
}

#[cfg(test)]
mod tests;
