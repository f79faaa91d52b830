//! The documentation site, built by `cargo xtask site` and as the last step of `cargo xtask test`.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::pip::{NEWEST_PYTHON, environment, folder, install, program, target};
use crate::step::{Step, execute};

/// What builds the site: the extra `docs` of `pyproject.toml`, and what Partwise itself needs.
const SITE: &[&str] = &[
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "matplotlib",
    "networkx",
    "h5py",
    "mkdocs-material>=9.5,<10",
    "mkdocstrings-python>=2,<3",
    "latex2mathml>=3.77",
    "ruff",
];

/// Builds the site into `target/site`, with the wheel and the command line that stand in `target`. A warning
/// fails, and so does code on a page; code that is cut fails where there is a browser to see it.
pub(crate) fn steps() -> Vec<Step> {
    vec![
        Step::new("documentation environment", |root| environment(root, "site", NEWEST_PYTHON, SITE)),
        Step::new("documentation site", build),
        Step::new("widths of the pages", |root| {
            let mut check = Command::new(program(root, "site", "python"));
            let script = root.join("docs").join("check_widths.py");
            execute(check.arg(script).arg(target(root).join("site")).current_dir(root))
        }),
    ]
}

fn build(root: &Path) -> Result<ExitCode> {
    let wheels = folder(root, "wheels");
    let found = std::fs::read_dir(&wheels).with_context(|| format!("reading {}", wheels.display()))?;
    let wheel = found.flatten().map(|entry| entry.path()).next().context("no wheel was built")?;
    let python = program(root, "site", "python");
    let code = execute(install(&python).args(["--no-deps", "--force-reinstall"]).arg(wheel))?;
    if code != ExitCode::SUCCESS {
        return Ok(code);
    }
    let mut build = Command::new(python);
    build.args(["-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir"]);
    build.arg(target(root).join("site")).current_dir(root);
    // The command line, whose help the reference shows, is looked for there. mkdocs-material prints an
    // advertisement otherwise.
    execute(build.env("CARGO_TARGET_DIR", target(root)).env("NO_MKDOCS_2_WARNING", "1"))
}
