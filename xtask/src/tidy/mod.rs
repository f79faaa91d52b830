//! `cargo xtask tidy`: the rules of the house that the compiler can't check.
//!
//! | rule | where | what |
//! |---|---|---|
//! | walls | every crate outside tests | a module uses exactly the modules that `walls.toml` lists, a crate the crates (`architecture.rs`) |
//! | cycles | every crate outside tests | no two top-level modules reach each other; inside folders this only warns |
//! | size | all Rust files | over 450 lines of code a file or 80 a function fails, over 400 or 60 warns; `Long because` in the header of the file or above the function says why (`rules.rs`) |
//! | calls | `crates/partwise/src` outside tests | no unwrap, no printing |
//! | tests | all Rust files | none ignored |
//! | leftovers | all Rust files | no notes of work to do, in comments or as macros |
//! | widths | comments, docstrings, Markdown, subjects of commits | at most 110 and 72 columns (`widths.rs`) |
//! | API | `crates/partwise` | the public items are those of `API.txt`, 250 at most (`api/`) |
//! | names | everything but methods, tests and experiments | no name of a method as a string literal (`names.rs`) |

mod api;
mod architecture;
mod attributes;
mod cycles;
mod edges;
mod findings;
mod names;
mod python_source;
mod resolve;
mod rules;
mod source;
mod syntax;
mod touch;
mod walls;
mod widths;
mod workspace;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};

use findings::{Finding, Tally};
use source::Source;
use widths::Subjects;

/// `cargo xtask tidy` with its options.
pub(crate) fn command(root: &Path, arguments: &[String]) -> Result<ExitCode> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => tidy(root),
        ["--list-cycles"] => architecture::list_cycles(root),
        ["--list-widths"] => list_widths(root),
        ["--write-api"] => api::write(root),
        ["--write-walls"] => architecture::write_walls(root),
        ["--touch", name] => touch::touch(root, name),
        _ => bail!(
            "tidy takes no option, --list-cycles, --list-widths, --write-api, --write-walls or --touch NAME, \
             not \"{}\"",
            arguments.join(" ")
        ),
    }
}

/// Checks the workspace.
pub(crate) fn tidy(root: &Path) -> Result<ExitCode> {
    let mut tally = Tally::default();
    let rust = workspace::files(root, &["rs"])?;
    let library = Path::new("crates/partwise/src");
    for file in &rust {
        let source = Source::of(&workspace::read(&root.join(file))?);
        let mut findings = rules::everywhere(&source);
        if file.starts_with(library) {
            findings.extend(rules::in_library(&source));
        }
        tally.show(file, findings);
    }
    for (file, finding) in architecture::check(root, &rust)? {
        tally.show(Path::new(&file), vec![finding]);
    }
    tally.show(Path::new(api::LISTING), api::check(root)?);
    method_names(root, &mut tally)?;
    line_widths(root, &mut tally)?;
    subject_widths(root, &mut tally);
    println!("tidy: {} Rust files, {} errors, {} warnings", rust.len(), tally.faults, tally.warnings);
    Ok(if tally.faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Names of methods outside the methods.
fn method_names(root: &Path, tally: &mut Tally) -> Result<()> {
    let registry = names::registry(root)?;
    let (mut rust, mut python) = (0, 0);
    for file in workspace::files(root, &["rs", "py", "pyi"])? {
        if !names::is_checked(&file) {
            continue;
        }
        let text = workspace::read(&root.join(&file))?;
        let mut spelled = names::spelled(&extension(&file), &text, &registry)?;
        spelled.retain(|(_, name)| !names::means_something_else(&file, name));
        *if extension(&file) == "rs" { &mut rust } else { &mut python } += spelled.len();
        let finding = |(line, name): (usize, String)| {
            let message =
                format!("the method \"{name}\" is named outside methods/: read the registry instead");
            Finding::fault(line, message)
        };
        tally.show(&file, spelled.into_iter().map(finding).collect());
    }
    let methods = registry.len();
    println!("tidy: {methods} methods, spelled {rust} times in Rust and {python} in Python outside methods/");
    Ok(())
}

/// Files with lines of prose that are too wide, one finding a file.
fn line_widths(root: &Path, tally: &mut Tally) -> Result<()> {
    let (mut files, mut count) = (0, 0);
    for (file, lines) in wide_lines(root)? {
        files += 1;
        count += lines.len();
        let message = format!(
            "{} columns are exceeded by lines of prose (only a row of a table and a lone link may): {}",
            widths::COLUMNS,
            lines.len()
        );
        tally.show(&file, vec![Finding::fault(lines[0], message)]);
    }
    println!(
        "tidy: {count} lines of comments and Markdown over {} columns in {files} files",
        widths::COLUMNS
    );
    Ok(())
}

/// Prints every line of prose that is too wide.
fn list_widths(root: &Path) -> Result<ExitCode> {
    let (mut count, mut listed) = (0, String::new());
    for (file, lines) in wide_lines(root)? {
        count += lines.len();
        let text = workspace::read(&root.join(&file))?;
        for line in lines {
            let words = text.split('\n').nth(line - 1).unwrap_or_default().trim();
            listed += &format!("{}:{line}: {words}\n", file.display());
        }
    }
    findings::print(&format!("{listed}{count} lines over {} columns\n", widths::COLUMNS));
    Ok(ExitCode::SUCCESS)
}

fn wide_lines(root: &Path) -> Result<Vec<(PathBuf, Vec<usize>)>> {
    let mut found = Vec::new();
    for file in workspace::files(root, &["rs", "py", "pyi", "toml", "md"])? {
        let lines = widths::wide_lines(&extension(&file), &workspace::read(&root.join(&file))?);
        if !lines.is_empty() {
            found.push((file, lines));
        }
    }
    Ok(found)
}

/// Subjects of commits that are too wide.
fn subject_widths(root: &Path, tally: &mut Tally) {
    match widths::subjects(root) {
        Subjects::Skipped(reason) => println!("tidy: subjects of commits are not checked: {reason}"),
        Subjects::Read { count, wide } => {
            for subject in &wide {
                let limit = widths::SUBJECT_COLUMNS;
                let message = format!("the subject of this commit has over {limit} columns: {subject}");
                tally.show(Path::new("git log"), vec![Finding::fault(1, message)]);
            }
            println!("tidy: {count} subjects of commits read, {} too wide", wide.len());
        }
    }
}

fn extension(file: &Path) -> String {
    file.extension().unwrap_or_default().to_string_lossy().into_owned()
}
