//! The Python steps of `cargo xtask test`: one wheel, and its tests on the newest and the oldest supported
//! packages.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::pip::{NEWEST_PYTHON, environment, folder, install, program, target};
use crate::step::{Step, execute};

/// What the newest environment has, by name: whatever the package index has newest.
const NEWEST: &[&str] = &[
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "polars",
    "pyarrow",
    "matplotlib",
    "tqdm",
    // Where row blocks come from.
    "anndata",
    "dask",
    "distributed",
    "h5py",
    "xarray",
    "zarr",
    "pytest>=8",
    "maturin>=1.9,<2",
];

/// The oldest versions that are supported, on the oldest Python. They are those of `pyproject.toml`.
const OLDEST: &[&str] = &[
    "numpy==1.23.5",
    "scipy==1.9.3",
    "scikit-learn==1.6.0",
    "pandas==1.5.3",
    "matplotlib==3.6.3",
    "pytest>=8",
];

/// Interpreters to look for, the oldest supported; its tests are left out, with a word, where there is none.
const OLDEST_PYTHON: &str = "python3.10";

/// The steps in their order.
pub(crate) fn steps() -> Vec<Step> {
    vec![
        Step::new("Python environment", |root| environment(root, "newest", NEWEST_PYTHON, NEWEST)),
        Step::new("Python wheel", wheel),
        Step::new("Python tests", |root| tests(root, "newest")),
        Step::new("Python tests on the oldest packages", |root| {
            if !runs(OLDEST_PYTHON) {
                println!("{OLDEST_PYTHON} isn't there: the oldest packages were NOT tested");
                return Ok(ExitCode::SUCCESS);
            }
            let code = environment(root, "oldest", OLDEST_PYTHON, OLDEST)?;
            if code != ExitCode::SUCCESS { Ok(code) } else { tests(root, "oldest") }
        }),
    ]
}

/// Whether a program of this name starts (a name may be a stand-in for a version that isn't chosen).
fn runs(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Builds the wheel in the profile of the tests, which is quick to build and shares what they have built.
fn wheel(root: &Path) -> Result<ExitCode> {
    let wheels = folder(root, "wheels");
    if wheels.is_dir() {
        std::fs::remove_dir_all(&wheels).with_context(|| format!("clearing {}", wheels.display()))?;
    }
    let mut build = Command::new(program(root, "newest", "python"));
    build.args(["-m", "maturin", "build", "--quiet", "--profile", "dev"]);
    if cfg!(target_os = "linux") {
        // It stays on this machine.
        build.args(["--compatibility", "linux"]);
    }
    build.arg("--out");
    execute(build.arg(&wheels).current_dir(root))
}

/// Installs the wheel and runs the tests against it, from a folder that doesn't hold the sources.
fn tests(root: &Path, name: &str) -> Result<ExitCode> {
    let wheels = folder(root, "wheels");
    let found = std::fs::read_dir(&wheels).with_context(|| format!("reading {}", wheels.display()))?;
    let wheel = found.flatten().map(|entry| entry.path()).next().context("no wheel was built")?;
    let python = program(root, name, "python");
    let code = execute(install(&python).args(["--no-deps", "--force-reinstall"]).arg(wheel))?;
    if code != ExitCode::SUCCESS {
        return Ok(code);
    }
    let mut run = Command::new(&python);
    run.args(["-m", "pytest", "-p", "no:cacheprovider"]).arg(root.join("python").join("tests"));
    // The command line, built by the step of the Rust tests, is compared with.
    execute(run.env("CARGO_TARGET_DIR", target(root)).env("MPLBACKEND", "Agg").current_dir(target(root)))
}
