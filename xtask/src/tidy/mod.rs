//! `cargo xtask tidy`: the rules of the house that the compiler can't check.
//!
//! | rule | where | what |
//! |---|---|---|
//! | edges | `crates/partwise/src` outside tests | a room uses only the rooms it may (`edges.rs`) |
//! | size | all Rust files | over 450 lines of code a file or 80 a function fails, over 400 or 60 warns; `Long because` in the header of the file or above the function says why |
//! | calls | `crates/partwise/src` outside tests | no unwrap, no printing |
//! | tests | all Rust files | none ignored |
//! | leftovers | all Rust files | no notes of work to do, in comments or as macros |

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
    let exports = edges::exports(&Source::of(&fs::read_to_string(library.join("lib.rs"))?));
    let (mut faults, mut warnings) = (0, 0);
    for file in &files {
        let text = fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
        let source = Source::of(&text);
        let mut findings = rules::everywhere(&source);
        if let Ok(inside) = file.strip_prefix(&library) {
            findings.extend(rules::in_library(&source));
            findings.extend(edges::check(inside, &source, &exports));
        }
        findings.sort_by_key(|finding| finding.line);
        let shown = file.strip_prefix(root).unwrap_or(file).display();
        for finding in findings {
            let kind = if finding.warning { "warning" } else { "error" };
            println!("{shown}:{}: {kind}: {}", finding.line, finding.message);
            if finding.warning { warnings += 1 } else { faults += 1 }
        }
    }
    println!("tidy: {} files, {faults} errors, {warnings} warnings", files.len());
    Ok(if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
