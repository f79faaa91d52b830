//! The public items of the library, one a line in `crates/partwise/API.txt`, so that a change of the API
//! shows in review. `tidy` compares the file with the code, `tidy --write-api` writes it.
//!
//! The items are read from the source, following `pub mod` and `pub use`, so any compiler will do and nothing
//! is built. What is `#[doc(hidden)]` is not listed. An item with several public paths stands under the
//! shortest one; the others are listed as re-exports. Types are spelled as in the source. Not seen are items
//! that a macro writes, but for the macro `names!`, and `impl` blocks for aliases of types.

mod items;
mod signature;
mod surface;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::findings::Finding;
use super::syntax::CrateTree;
use super::workspace;
use surface::{Entry, Kind, Surface};

/// The file of the listing, from the root of the workspace.
pub(super) const LISTING: &str = "crates/partwise/API.txt";

const CRATE_NAME: &str = "partwise";
const CRATE_ROOT: &str = "crates/partwise/src/lib.rs";

/// At most so many items make up the API.
const MOST_ITEMS: usize = 250;

/// Compares the listing with the code.
pub(super) fn check(root: &Path) -> Result<Vec<Finding>> {
    let entries = entries(root)?;
    let today = listing(&entries);
    let written = std::fs::read_to_string(root.join(LISTING)).unwrap_or_default();
    let mut findings = Vec::new();
    if let Some((line, text)) = first_difference(&written, &today) {
        let advice = "look at it, then run `cargo xtask tidy --write-api` and commit the file";
        let message = format!("the public items differ from the code, first at \"{text}\": {advice}");
        findings.push(Finding::fault(line, message));
    }
    let count = counted(&entries);
    println!("tidy: {count} public items in {LISTING}, of {MOST_ITEMS} at most");
    if count > MOST_ITEMS {
        let message = format!("{count} public items, over {MOST_ITEMS}: hide what users don't need");
        findings.push(Finding::fault(1, message));
    }
    Ok(findings)
}

/// Writes the listing.
pub(super) fn write(root: &Path) -> Result<ExitCode> {
    let entries = entries(root)?;
    std::fs::write(root.join(LISTING), listing(&entries)).with_context(|| format!("writing {LISTING}"))?;
    println!("tidy: {} public items written into {LISTING}", counted(&entries));
    Ok(ExitCode::SUCCESS)
}

fn entries(root: &Path) -> Result<Vec<Entry>> {
    let tree = CrateTree::read(root, Path::new(CRATE_ROOT))?;
    let mut load = |file: &Path| workspace::read(&root.join(file));
    Ok(Surface::of(&tree, CRATE_NAME, &mut load)?.entries)
}

fn counted(entries: &[Entry]) -> usize {
    entries.iter().filter(|entry| entry.kind.is_counted()).count()
}

/// The text of the file: how many of each kind, then the items by path.
fn listing(entries: &[Entry]) -> String {
    let mut kinds: BTreeMap<Kind, usize> = BTreeMap::new();
    for entry in entries {
        *kinds.entry(entry.kind).or_default() += 1;
    }
    let list = |counted: bool| {
        let kinds = kinds.iter().filter(|(kind, _)| kind.is_counted() == counted);
        kinds.map(|(kind, count)| format!("{count} {}", kind.plural())).collect::<Vec<_>>().join(", ")
    };
    let mut text = format!(
        "# The public items of {CRATE_NAME}. Written by `cargo xtask tidy --write-api`.\n\
         # {} items: {}.\n# Not counted: {}.\n\n",
        counted(entries),
        list(true),
        list(false)
    );
    for entry in entries {
        writeln!(text, "{}", entry.line).expect("a string takes everything");
    }
    text
}

/// The first line of the written listing that differs, from 1, and the line as it should be or should not be.
fn first_difference(written: &str, today: &str) -> Option<(usize, String)> {
    let (mut old, mut new) = (written.lines(), today.lines());
    for number in 1.. {
        match (old.next(), new.next()) {
            (None, None) => return None,
            (old, new) if old == new || old.is_some_and(is_comment) && new.is_some_and(is_comment) => {}
            (old, new) => return Some((number, new.or(old).unwrap_or_default().to_string())),
        }
    }
    None
}

/// The counts differ wherever an item does: the item says more.
fn is_comment(line: &str) -> bool {
    line.starts_with('#') && !line.starts_with("#[")
}
