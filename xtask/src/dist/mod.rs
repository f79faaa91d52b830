//! `cargo xtask dist`: the files of a release in `target/dist`, and the test that installs them.
//!
//! Everything is built from the source distribution, so that it is complete whenever a release is.

mod build;
mod check;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::pip::target;

/// What packs archives and computes sums, from the root of the workspace.
const FILES: &str = "xtask/src/dist/files.py";

/// The sums of all other files of a release, as `sha256sum` writes them.
const SUMS: &str = "SHA256SUMS";

/// Reads the options and does what they ask for.
pub(crate) fn command(root: &Path, options: &[String]) -> Result<ExitCode> {
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    match options[..] {
        [] => build::build(root, &host()?),
        ["--target", triple] => build::build(root, triple),
        ["--check"] => check::check(root),
        _ => bail!("cargo xtask dist takes --check, or --target and a platform such as aarch64-apple-darwin"),
    }
}

/// The folder of the files of a release.
fn folder(root: &Path) -> PathBuf {
    target(root).join("dist")
}

/// The folder for what is only needed in between.
fn work(root: &Path) -> PathBuf {
    target(root).join("dist-work")
}

/// An empty folder.
fn emptied(folder: PathBuf) -> Result<PathBuf> {
    if folder.is_dir() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("clearing {}", folder.display()))?;
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    Ok(folder)
}

/// The file of `folder` whose name ends so.
fn only_file(folder: &Path, end: &str) -> Result<PathBuf> {
    let found = std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut found: Vec<PathBuf> = found.flatten().map(|entry| entry.path()).collect();
    found.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(end)));
    match <[PathBuf; 1]>::try_from(found) {
        Ok([file]) => Ok(file),
        Err(found) => bail!(
            "{} has {} files *{end} and should have one: run cargo xtask dist first",
            folder.display(),
            found.len()
        ),
    }
}

/// The platform of this machine, as Rust names it.
fn host() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = std::process::Command::new(rustc).arg("-vV").output().context("starting rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_string).context("rustc -vV names no host")
}

/// How the archive with the command line is called, and the folder in it.
fn archive_name(version: &str, triple: &str) -> String {
    format!("partwise-{version}-{triple}")
}
