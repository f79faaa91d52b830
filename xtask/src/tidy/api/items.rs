//! The items of the modules of a crate.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use proc_macro2::TokenTree;
use syn::Item;

use crate::tidy::attributes::{attributes, is_test};
use crate::tidy::syntax::CrateTree;

/// The items of each module, without those of tests.
pub(super) fn items(
    tree: &CrateTree,
    load: &mut dyn FnMut(&Path) -> Result<String>,
) -> Result<Vec<Vec<Item>>> {
    let mut items = vec![Vec::new(); tree.modules.len()];
    let mut read: BTreeSet<PathBuf> = BTreeSet::new();
    for (index, module) in tree.modules.iter().enumerate() {
        let is_block = module.parent.is_some_and(|parent| tree.modules[parent].file == module.file);
        if module.test || is_block || !read.insert(module.file.clone()) {
            continue;
        }
        let text = load(&module.file)?;
        let file = syn::parse_file(&text).with_context(|| format!("reading {}", module.file.display()))?;
        place(tree, index, file.items, &mut items);
    }
    Ok(items)
}

/// Puts the items into their module, those of blocks `mod name { … }` into the module of the block.
fn place(tree: &CrateTree, index: usize, found: Vec<Item>, items: &mut [Vec<Item>]) {
    for item in found {
        if is_test(attributes(&item)) {
            continue;
        }
        if let Item::Mod(module) = &item
            && let Some((_, inner)) = &module.content
            && let Some(&child) = tree.modules[index].children.get(&module.ident.to_string())
        {
            place(tree, child, inner.clone(), items);
        }
        items[index].extend(of_names(&item));
        items[index].push(item);
    }
}

/// The `impl` block that the library's macro `names! { Type, "what it is", { … } }` writes.
fn of_names(item: &Item) -> Option<Item> {
    let Item::Macro(call) = item else { return None };
    if !call.mac.path.is_ident("names") {
        return None;
    }
    let text = call.mac.tokens.to_string();
    let hidden = if text.contains("hidden") { "#[doc(hidden)]" } else { "" };
    let names = |token| if let TokenTree::Ident(name) = token { Some(name) } else { None };
    let name = call.mac.tokens.clone().into_iter().find_map(names)?;
    // What the names are called in messages is given where there is a `from_name`.
    let is_read = call.mac.tokens.clone().into_iter().any(|token| matches!(token, TokenTree::Literal(_)));
    let read = format!("{hidden} pub fn from_name(name: &str) -> Result<Self> {{}}");
    let block = format!(
        "impl {name} {{
            {hidden} pub const ALL: &'static [{name}] = &[];
            {hidden} pub fn name(self) -> &'static str {{}}
            {}
        }}",
        if is_read { read } else { String::new() }
    );
    syn::parse_str(&block).ok()
}
