//! `cargo xtask tidy`: the rules of the house that the compiler can't check.
//!
//! | rule | where | what |
//! |---|---|---|
//! | edges | `crates/partwise/src` outside tests | a room uses only the rooms it may (`edges.rs`) |
//! | crates | `crates/*/Cargo.toml` | a crate depends only on the crates it may (`crates.rs`) |
//! | size | all Rust files | over 450 lines of code a file or 80 a function fails, over 400 or 60 warns; `Long because` in the header of the file or above the function says why |
//! | calls | `crates/partwise/src` outside tests | no unwrap, no printing |
//! | tests | all Rust files | none ignored |
//! | leftovers | all Rust files | no notes of work to do, in comments or as macros |

mod crates;
mod edges;
mod rules;
mod source;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};

use source::Source;

/// What a rule finds.
#[derive(Clone, Debug, PartialEq)]
struct Finding {
    /// Counted from 1.
    line: usize,
    message: String,
    /// Whether it is only worth a look.
    warning: bool,
}

impl Finding {
    fn fault(line: usize, message: impl Into<String>) -> Self {
        Finding { line, message: message.into(), warning: false }
    }

    fn warning(line: usize, message: impl Into<String>) -> Self {
        Finding { line, message: message.into(), warning: true }
    }
}

/// Checks every Rust file of the workspace that `root` holds.
pub(crate) fn tidy(root: &Path) -> Result<ExitCode> {
    let mut files = Vec::new();
    for folder in ["crates", "xtask"] {
        rust_files(&root.join(folder), &mut files)?;
    }
    files.sort();
    ensure!(!files.is_empty(), "there are no Rust files under {}", root.display());
    let library = root.join("crates/partwise/src");
    let exports = edges::exports(&Source::of(&read(&library.join("lib.rs"))?));
    let mut tally = Tally::default();
    for file in &files {
        let source = Source::of(&read(file)?);
        let mut findings = rules::everywhere(&source);
        if let Ok(inside) = file.strip_prefix(&library) {
            findings.extend(rules::in_library(&source));
            findings.extend(edges::check(inside, &source, &exports));
        }
        tally.show(root, file, findings);
    }
    for entry in fs::read_dir(root.join("crates"))? {
        let entry = entry?;
        let manifest = entry.path().join("Cargo.toml");
        if manifest.is_file() {
            let findings = crates::check(&entry.file_name().to_string_lossy(), &read(&manifest)?);
            tally.show(root, &manifest, findings);
        }
    }
    println!("tidy: {} Rust files, {} errors, {} warnings", files.len(), tally.faults, tally.warnings);
    Ok(if tally.faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[derive(Default)]
struct Tally {
    faults: usize,
    warnings: usize,
}

impl Tally {
    fn show(&mut self, root: &Path, file: &Path, mut findings: Vec<Finding>) {
        findings.sort_by_key(|finding| finding.line);
        let shown = file.strip_prefix(root).unwrap_or(file).display();
        for finding in findings {
            let kind = if finding.warning { "warning" } else { "error" };
            println!("{shown}:{}: {kind}: {}", finding.line, finding.message);
            if finding.warning { self.warnings += 1 } else { self.faults += 1 }
        }
    }
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))
}

/// Adds the Rust files under `folder`, without build outputs and hidden folders.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                rust_files(&path, files)?;
            }
        } else if name.ends_with(".rs") {
            files.push(path);
        }
    }
    Ok(())
}
