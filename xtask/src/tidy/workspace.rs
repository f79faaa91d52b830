//! What the workspace holds: its crates with their root files, and the files that the rules read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::syntax::CrateTree;
use super::walls;

/// Folders that hold no source of the project. Hidden ones are skipped, too.
const SKIPPED: [&str; 8] =
    ["target", "shared", "site", "dist", "build", "__pycache__", "node_modules", "partwise-out"];

/// A crate of the workspace.
pub(super) struct WorkspaceCrate {
    pub(super) name: String,
    /// Its folder, from the root of the workspace.
    pub(super) folder: PathBuf,
    pub(super) manifest: String,
    /// Its trees of modules by name: that of the library (or the only program) has the name of the crate.
    pub(super) trees: Vec<(String, CrateTree)>,
}

/// The crates under `crates/` and `xtask`, parsed.
pub(super) fn crates(root: &Path) -> Result<Vec<WorkspaceCrate>> {
    let mut folders = vec![PathBuf::from("xtask")];
    let crates = root.join("crates");
    for entry in fs::read_dir(&crates).with_context(|| format!("reading {}", crates.display()))? {
        folders.push(Path::new("crates").join(entry?.file_name()));
    }
    folders.retain(|folder| root.join(folder).join("Cargo.toml").is_file());
    folders.sort();
    ensure!(folders.len() > 1, "there are no crates under {}", crates.display());
    folders.into_iter().map(|folder| read_crate(root, folder)).collect()
}

fn read_crate(root: &Path, folder: PathBuf) -> Result<WorkspaceCrate> {
    let manifest = read(&root.join(&folder).join("Cargo.toml"))?;
    let document: toml_edit::DocumentMut = manifest.parse()?;
    let name = document.get("package").and_then(|package| package.get("name")?.as_str());
    let name = name.with_context(|| format!("{}/Cargo.toml names no package", folder.display()))?.to_string();
    let mut trees = Vec::new();
    let mut targets = vec![folder.join("src/lib.rs"), folder.join("src/main.rs")];
    if let Ok(programs) = fs::read_dir(root.join(&folder).join("src/bin")) {
        let files = programs.flatten().map(|entry| folder.join("src/bin").join(entry.file_name()));
        targets.extend(files.filter(|file| file.extension().is_some_and(|extension| extension == "rs")));
    }
    for file in targets.into_iter().filter(|file| root.join(file).is_file()) {
        let label = match trees.is_empty() {
            true => name.clone(),
            false => format!("{name}-{}", file.file_stem().unwrap_or_default().display()),
        };
        trees.push((label, CrateTree::read(root, &file)?));
    }
    Ok(WorkspaceCrate { name, folder, manifest, trees })
}

/// Which crates of the workspace each crate depends on.
pub(super) fn dependencies(crates: &[WorkspaceCrate]) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let names: BTreeSet<String> = crates.iter().map(|one| one.name.clone()).collect();
    crates
        .iter()
        .map(|one| {
            let used = walls::dependencies(&one.manifest, &names);
            Ok((one.name.clone(), used.with_context(|| format!("{}/Cargo.toml", one.folder.display()))?))
        })
        .collect()
}

/// The files of the project whose names end in one of `extensions`, in order, named from the root.
pub(super) fn files(root: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(folder) = waiting.pop() {
        let whole = root.join(&folder);
        for entry in fs::read_dir(&whole).with_context(|| format!("reading {}", whole.display()))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = folder.join(&name);
            if entry.file_type()?.is_dir() {
                let hidden = name.starts_with('.') && name != ".github";
                if !hidden && !SKIPPED.contains(&name.as_str()) {
                    waiting.push(path);
                }
            } else if extensions.iter().any(|extension| name.ends_with(&format!(".{extension}"))) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The text of a file.
pub(super) fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))
}
