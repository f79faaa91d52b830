//! The project's own commands: `cargo xtask test | tidy | bench | docs | site | dist | workflows | deny`.

// Printing is what these commands do.
#![allow(clippy::print_stdout)]

mod check;
mod dist;
mod hosting;
mod pip;
mod python;
mod site;
mod step;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

const USAGE: &str = "\
cargo xtask test    everything a change must pass: fmt, tidy, clippy, docs, all tests
cargo xtask tidy    the rules of the house that the compiler can't check; options:
    --list-cycles   every pair of modules in a cycle, with the lines that use one from the other
    --list-widths   every line of prose that is too wide
    --write-api     writes the public items of the library into crates/partwise/API.txt
    --write-walls   writes today's edges between modules into xtask/walls.toml
    --touch NAME    the files that spell a name: what it took to add
cargo xtask bench   the benchmarks of the library; with --check only the gates of speed: an iteration beside the bare products, guided beside plain
cargo xtask docs    the documentation of the Rust crates, opened in a browser
cargo xtask site    the documentation site, into target/site
cargo xtask dist    the files of a release, in target/dist: wheel, source distribution, command line; options:
    --target TRIPLE for another platform, such as aarch64-unknown-linux-gnu
    --check         installs the files that are there without Rust and uses them
cargo xtask workflows   the files in .github and CITATION.cff: schemas, expressions, security
cargo xtask deny    licences, duplicates and origins of the dependencies; --advisories: vulnerabilities too";

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode> {
    let root = workspace_root()?;
    let mut arguments = std::env::args().skip(1).peekable();
    let command = arguments.next();
    let check =
        command.as_deref() == Some("bench") && arguments.next_if(|option| option == "--check").is_some();
    if command.as_deref() == Some("tidy") {
        return tidy::command(&root, &arguments.collect::<Vec<_>>());
    }
    if command.as_deref() == Some("dist") {
        return dist::command(&root, &arguments.collect::<Vec<_>>());
    }
    let advisories =
        command.as_deref() == Some("deny") && arguments.next_if(|option| option == "--advisories").is_some();
    if let Some(surplus) = arguments.next() {
        bail!("\"{surplus}\" is one argument too many\n{USAGE}");
    }
    match command.as_deref() {
        Some("test") => check::test(&root),
        Some("bench") if check => check::bench_check(&root),
        Some("bench") => check::bench(&root),
        Some("docs") => check::docs(&root),
        Some("workflows") => hosting::workflows(&root),
        Some("deny") => hosting::deny(&root, advisories),
        Some("site") => check::documentation_site(&root),
        Some(other) => bail!("there is no command \"{other}\"\n{USAGE}"),
        None => bail!("a command is needed\n{USAGE}"),
    }
}

fn workspace_root() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(Path::to_path_buf).context("xtask stands in the root of the workspace")
}
