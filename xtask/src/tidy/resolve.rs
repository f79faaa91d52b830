//! From a path to the modules that it leads to, as the compiler looks names up: `crate`, `self` and `super`,
//! modules, imports, re-exports and globs.

use super::syntax::{CrateTree, Module};

/// Chains of re-exports longer than this go in a circle.
const LONGEST_CHAIN: usize = 20;

/// Where a path leads.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Target {
    /// The module that defines the last name of the path that is known. Nothing for names of other crates,
    /// parameters and variables.
    pub(super) definer: Option<usize>,
    /// The modules that the path itself names on the way, and that only re-export what comes behind them.
    pub(super) through: Vec<usize>,
    /// The whole path where it leads to another crate: `rayon::prelude`.
    pub(super) outside: Option<Vec<String>>,
}

impl Target {
    fn module(index: usize) -> Self {
        Target { definer: Some(index), ..Target::default() }
    }
}

impl CrateTree {
    /// Where `path` leads, spelled in the module `scope`.
    pub(super) fn resolve(&self, scope: usize, path: &[String]) -> Target {
        let mut through = Vec::new();
        let mut target = self.look_up(scope, path, &mut through, 0);
        through.retain(|module| Some(*module) != target.definer);
        target.through = through;
        target
    }

    fn look_up(&self, scope: usize, path: &[String], through: &mut Vec<usize>, chain: usize) -> Target {
        let Some((first, rest)) = path.split_first() else { return Target::module(scope) };
        let module = &self.modules[scope];
        match first.as_str() {
            "crate" => return self.walk(0, rest, through, chain),
            "self" => return self.walk(scope, rest, through, chain),
            "super" => return self.walk(module.parent.unwrap_or(0), rest, through, chain),
            "Self" => return Target::default(),
            _ => {}
        }
        if let Some(target) = self.member(scope, path, None, through, chain) {
            return target;
        }
        let outside = (path.len() > 1 || !module.items.contains(first)).then(|| path.to_vec());
        Target { outside, ..Target::default() }
    }

    /// Follows the rest of a path from inside a module.
    fn walk(&self, module: usize, path: &[String], through: &mut Vec<usize>, chain: usize) -> Target {
        match path.first().map(String::as_str) {
            None => Target::module(module),
            Some("super") => self.walk(self.modules[module].parent.unwrap_or(0), &path[1..], through, chain),
            Some("self") => self.walk(module, &path[1..], through, chain),
            // A name that a macro builds, or a variant of a type: it belongs to the module reached so far.
            Some(_) => self
                .member(module, path, Some(module), through, chain)
                .unwrap_or_else(|| Target::module(module)),
        }
    }

    /// Looks the first name of `path` up among the members of a module. `named` is the module that the path
    /// has named so far: a re-export in it is a use of that module, too.
    fn member(
        &self,
        index: usize,
        path: &[String],
        named: Option<usize>,
        through: &mut Vec<usize>,
        chain: usize,
    ) -> Option<Target> {
        if chain > LONGEST_CHAIN {
            return None;
        }
        let (first, rest) = path.split_first()?;
        let module = &self.modules[index];
        let child = module.children.get(first).copied();
        // A module and a function may share a name: only the module has something behind it.
        if let (Some(child), false) = (child, rest.is_empty()) {
            return Some(self.walk(child, rest, through, chain));
        }
        // So may an item and an import (`use faer::linalg::matmul; fn matmul() {}`).
        if rest.is_empty() && module.items.contains(first) {
            return Some(Target::module(index));
        }
        if let Some(alias) = module.aliases.get(first).filter(|alias| !is_itself(alias, first)) {
            // Only what the path itself names: further re-exports are the affair of the module that makes
            // them.
            through.extend(named.filter(|_| chain == 0));
            let longer: Vec<String> = alias.iter().chain(rest).cloned().collect();
            return Some(self.follow(index, alias, &longer, through, chain));
        }
        if module.items.contains(first) {
            return Some(Target::module(index));
        }
        if let Some(child) = child {
            return Some(self.walk(child, rest, through, chain));
        }
        self.in_globs(module, index, path, named, through, chain)
    }

    /// The target of an import. `use serde;` and the like name another crate.
    fn follow(
        &self,
        scope: usize,
        alias: &[String],
        longer: &[String],
        through: &mut Vec<usize>,
        chain: usize,
    ) -> Target {
        let first = &alias[0];
        let known = ["crate", "self", "super"].contains(&first.as_str())
            || self.modules[scope].children.contains_key(first)
            || self.modules[scope].items.contains(first)
            || self.modules[scope].aliases.get(first).is_some_and(|other| other != alias)
            || !self.modules[scope].globs.is_empty();
        if known {
            return self.look_up(scope, longer, through, chain + 1);
        }
        Target { outside: Some(longer.to_vec()), ..Target::default() }
    }

    fn in_globs(
        &self,
        module: &Module,
        index: usize,
        path: &[String],
        named: Option<usize>,
        through: &mut Vec<usize>,
        chain: usize,
    ) -> Option<Target> {
        for glob in &module.globs {
            // A glob that starts with the very name would ask itself.
            if glob.first() == path.first() && glob.len() == 1 {
                continue;
            }
            let opened = self.glob_module(index, glob, chain);
            let Some(opened) = opened.filter(|&opened| opened != index) else { continue };
            if let Some(target) = self.member(opened, path, None, &mut Vec::new(), chain + 1) {
                through.extend(named.filter(|_| chain == 0));
                return Some(target);
            }
        }
        None
    }

    /// The module that `glob::*` opens. Its first name is looked up without globs, which could go in a
    /// circle.
    fn glob_module(&self, scope: usize, glob: &[String], chain: usize) -> Option<usize> {
        let first = glob.first()?;
        let module = &self.modules[scope];
        let known = ["crate", "self", "super"].contains(&first.as_str())
            || module.children.contains_key(first)
            || module.aliases.contains_key(first);
        if !known {
            return None;
        }
        self.look_up(scope, glob, &mut Vec::new(), chain + 1).definer
    }
}

/// `use rand;` calls the path `rand` by its own name.
fn is_itself(alias: &[String], name: &str) -> bool {
    alias.len() == 1 && alias[0] == name
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A crate of the given files, and the names of the modules that a path leads to: the definer first.
    fn leads_to(files: &[(&str, &str)], scope: &str, path: &str) -> Vec<String> {
        let tree = CrateTree::parse(Path::new("src/lib.rs"), &mut |file| {
            let found = files.iter().find(|(name, _)| Path::new("src").join(name) == file);
            Ok(found.map(|(_, text)| text.to_string()))
        })
        .unwrap();
        let scope = tree.modules.iter().position(|module| module.path.join("::") == scope).unwrap();
        let path: Vec<String> = path.split("::").map(String::from).collect();
        let target = tree.resolve(scope, &path);
        if let Some(outside) = target.outside {
            return vec![format!("outside {}", outside.join("::"))];
        }
        let modules = target.definer.into_iter().chain(target.through);
        modules.map(|module| format!("crate::{}", tree.modules[module].path.join("::"))).collect()
    }

    const FILES: &[(&str, &str)] = &[
        (
            "lib.rs",
            "mod data; mod fit; mod shape; pub use data::{Dense, Stored as Kept}; pub use fit::fit; pub struct Here;",
        ),
        (
            "data/mod.rs",
            "mod dense; pub use dense::*; pub(crate) use crate::shape::Shape; pub struct Stored;",
        ),
        ("data/dense.rs", "use super::Stored; use rayon::prelude::*; pub struct Dense; struct Own;"),
        (
            "fit.rs",
            "use crate::data as d; use crate::{shape::{self, Shape as Form}}; pub fn fit() {} mod inner { use super::*; }",
        ),
        ("shape.rs", "pub struct Shape; pub enum Kind { A }"),
    ];

    #[test]
    fn reexports_at_the_root_lead_to_the_module_that_defines_the_name() {
        assert_eq!(leads_to(FILES, "fit", "crate::Dense"), ["crate::data::dense", "crate::"]);
        assert_eq!(leads_to(FILES, "fit", "crate::Kept"), ["crate::data", "crate::"]);
        assert_eq!(leads_to(FILES, "shape", "crate::Here"), ["crate::"]);
    }

    #[test]
    fn a_module_and_a_function_of_one_name_are_not_confused() {
        assert_eq!(leads_to(FILES, "shape", "crate::fit"), ["crate::fit", "crate::"]);
        assert_eq!(leads_to(FILES, "shape", "crate::fit::fit"), ["crate::fit"]);
    }

    #[test]
    fn aliases_groups_and_relative_paths_are_followed() {
        assert_eq!(leads_to(FILES, "fit", "d::Dense"), ["crate::data::dense"]);
        assert_eq!(leads_to(FILES, "fit", "shape::Kind::A"), ["crate::shape"]);
        assert_eq!(leads_to(FILES, "fit", "Form"), ["crate::shape"]);
        assert_eq!(leads_to(FILES, "data::dense", "Stored"), ["crate::data"]);
        assert_eq!(leads_to(FILES, "data::dense", "super::super::shape::Shape"), ["crate::shape"]);
        assert_eq!(leads_to(FILES, "data", "self::dense::Dense"), ["crate::data::dense"]);
    }

    #[test]
    fn a_reexport_of_another_module_counts_for_both() {
        assert_eq!(leads_to(FILES, "fit", "crate::data::Shape"), ["crate::shape", "crate::data"]);
    }

    #[test]
    fn globs_are_opened() {
        assert_eq!(leads_to(FILES, "data", "Dense"), ["crate::data::dense"]);
        assert_eq!(leads_to(FILES, "fit::inner", "Form"), ["crate::shape"]);
    }

    #[test]
    fn what_is_not_in_the_crate_is_outside_or_unknown() {
        assert_eq!(leads_to(FILES, "shape", "std::thread::spawn"), ["outside std::thread::spawn"]);
        assert_eq!(leads_to(FILES, "data::dense", "rayon::join"), ["outside rayon::join"]);
        // A name that nobody defines, perhaps by a macro, belongs to the module reached so far.
        assert_eq!(leads_to(FILES, "fit", "crate::data::made_by_macro"), ["crate::data"]);
    }
}
