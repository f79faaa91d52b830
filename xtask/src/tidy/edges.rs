//! Which module of a crate uses which: the paths of a [`CrateTree`], gathered by pairs of modules.
//!
//! Two views are taken. *Top-level modules* (the children of `lib.rs` or `main.rs`, with all that is below
//! them) are what `walls.toml` lists. *Inside a folder*, its files and subfolders are the nodes, and `mod.rs`
//! is one more.

use std::collections::BTreeMap;
use std::fmt;

use super::syntax::{CrateTree, Mention, MentionKind};

/// How the root of a crate is called where a module uses an item that stands in `lib.rs` or `main.rs` itself.
pub(super) const ROOT: &str = "crate";

/// The places of each edge: user → used.
pub(super) type Edges = BTreeMap<(String, String), Vec<Place>>;

/// A line that uses another module.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) path: String,
    pub(super) is_use: bool,
}

impl Place {
    /// Whether the path says where its name comes from. Other paths in code say again what an import has
    /// said.
    pub(super) fn names_the_way(&self) -> bool {
        self.is_use
            || ["crate", "super", "self"].iter().any(|start| self.path.starts_with(&format!("{start}::")))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keyword = if self.is_use { "use " } else { "" };
        write!(out, "{}:{} ({keyword}{})", self.file, self.line, self.path)
    }
}

/// The edges between the top-level modules of a crate, outside tests.
pub(super) fn top_level(tree: &CrateTree) -> Edges {
    let mut edges = Edges::new();
    for (user, mention) in mentions(tree) {
        let Some(from) = tree.modules[user].path.first() else { continue };
        let target = tree.resolve(user, &mention.path);
        let defines = target.definer.map(|module| tree.modules[module].path.first());
        // The root stands for the names that it defines, not for those that it re-exports.
        let through = target.through.iter().filter_map(|&module| tree.modules[module].path.first());
        let used = defines.map(|name| name.map_or(ROOT, String::as_str)).into_iter();
        for to in used.chain(through.map(String::as_str)).filter(|to| to != from) {
            add(&mut edges, from, to, place(tree, user, mention));
        }
    }
    edges
}

/// The edges between the files and subfolders of each folder of modules, by the path of the folder.
pub(super) fn inside_folders(tree: &CrateTree) -> BTreeMap<String, Edges> {
    let mut folders: BTreeMap<String, Edges> = BTreeMap::new();
    for (user, mention) in mentions(tree) {
        let from = &tree.modules[user].path;
        let Some(definer) = tree.resolve(user, &mention.path).definer else { continue };
        let to = &tree.modules[definer].path;
        let shared = from.iter().zip(to).take_while(|(one, other)| one == other).count();
        // A module that re-exports what is below it uses nothing.
        let shows = mention.kind == MentionKind::Reexport && from.len() == shared;
        if shared == 0 || shows || from == to {
            continue;
        }
        let node = |path: &[String]| path.get(shared).cloned().unwrap_or("mod.rs".into());
        let edges = folders.entry(from[..shared].join("::")).or_default();
        add(edges, &node(from), &node(to), place(tree, user, mention));
    }
    folders
}

/// The modules and what they say about paths outside the crate that begin with `name` (`rayon`,
/// `std::thread`).
pub(super) fn outside(tree: &CrateTree, name: &str) -> BTreeMap<String, Vec<Place>> {
    let wanted: Vec<&str> = name.split("::").collect();
    let mut users: BTreeMap<String, Vec<Place>> = BTreeMap::new();
    for (user, mention) in mentions(tree) {
        let Some(path) = tree.resolve(user, &mention.path).outside else { continue };
        if path.len() >= wanted.len() && path.iter().zip(&wanted).all(|(one, other)| one == other) {
            let module = tree.modules[user].path.join("::");
            let module = if module.is_empty() { ROOT.to_string() } else { module };
            users.entry(module).or_default().push(place(tree, user, mention));
        }
    }
    users
}

/// Every path outside tests, with the module that it stands in.
fn mentions(tree: &CrateTree) -> impl Iterator<Item = (usize, &Mention)> {
    let modules = tree.modules.iter().enumerate().filter(|(_, module)| !module.test);
    modules.flat_map(|(index, module)| module.mentions.iter().map(move |mention| (index, mention)))
}

fn place(tree: &CrateTree, user: usize, mention: &Mention) -> Place {
    Place {
        file: tree.modules[user].file.display().to_string(),
        line: mention.line,
        path: mention.path.join("::"),
        is_use: mention.kind != MentionKind::Code,
    }
}

fn add(edges: &mut Edges, from: &str, to: &str, place: Place) {
    let places = edges.entry((from.to_string(), to.to_string())).or_default();
    if !places.contains(&place) {
        places.push(place);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn tree(files: &[(&str, &str)]) -> CrateTree {
        CrateTree::parse(Path::new("src/lib.rs"), &mut |file| {
            let found = files.iter().find(|(name, _)| Path::new("src").join(name) == file);
            Ok(found.map(|(_, text)| text.to_string()))
        })
        .unwrap()
    }

    fn pairs(edges: &Edges) -> Vec<String> {
        edges.iter().map(|((from, to), places)| format!("{from} -> {to} {}", places.len())).collect()
    }

    fn example() -> CrateTree {
        tree(&[
            (
                "lib.rs",
                "mod data; mod fit; pub use data::Dense; pub const LIMIT: u8 = 1; fn f() { fit::run(); }",
            ),
            ("data/mod.rs", "mod dense; mod sparse; pub use dense::Dense; pub struct Base;"),
            ("data/dense.rs", "use super::sparse::Sparse; pub struct Dense; fn f() -> Sparse { Sparse }"),
            (
                "data/sparse.rs",
                "use super::Dense; pub struct Sparse; #[cfg(test)] mod tests { use crate::fit; }",
            ),
            (
                "fit.rs",
                "use crate::Dense;\nuse rayon::prelude::*;\nfn g() -> u8 { crate::LIMIT }\npub fn run() {}",
            ),
        ])
    }

    #[test]
    fn tests_and_what_the_root_uses_make_no_edges() {
        assert_eq!(pairs(&top_level(&example())), ["fit -> crate 1", "fit -> data 1"]);
    }

    #[test]
    fn inside_a_folder_a_reexport_stands_for_the_file_that_defines_the_name() {
        let folders = inside_folders(&example());
        assert_eq!(folders.keys().collect::<Vec<_>>(), ["data"]);
        assert_eq!(pairs(&folders["data"]), ["dense -> sparse 2", "sparse -> dense 1"]);
    }

    #[test]
    fn paths_of_other_crates_are_found_by_their_beginning() {
        let tree = example();
        let users = outside(&tree, "rayon");
        assert_eq!(users.keys().collect::<Vec<_>>(), ["fit"]);
        assert_eq!(users["fit"][0].line, 2);
        assert!(outside(&tree, "rayon::iter").is_empty() && outside(&tree, "ray").is_empty());
    }
}
