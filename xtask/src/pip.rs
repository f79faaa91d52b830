//! Virtual environments of the project's own, under `target/python`, and the programs in them.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::step::execute;

/// The newest Python that the machine has.
pub(crate) const NEWEST_PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// Where builds go.
pub(crate) fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// The folder of an environment.
pub(crate) fn folder(root: &Path, name: &str) -> PathBuf {
    target(root).join("python").join(name)
}

/// The folder of the programs of an environment that stands in `folder`.
pub(crate) fn programs(folder: &Path) -> PathBuf {
    folder.join(if cfg!(windows) { "Scripts" } else { "bin" })
}

/// A program of an environment.
pub(crate) fn program(root: &Path, name: &str, program: &str) -> PathBuf {
    programs(&folder(root, name)).join(program)
}

/// `pip install` in the environment of this Python.
pub(crate) fn install(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    command
}

/// Makes a virtual environment with these packages; made once for each list.
pub(crate) fn environment(root: &Path, name: &str, interpreter: &str, packages: &[&str]) -> Result<ExitCode> {
    let stamp = folder(root, name).join("packages.txt");
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|made| made == wanted) {
        return Ok(ExitCode::SUCCESS);
    }
    let made = execute(Command::new(interpreter).args(["-m", "venv", "--clear"]).arg(folder(root, name)))?;
    if made != ExitCode::SUCCESS {
        return Ok(made);
    }
    let code = execute(install(&program(root, name, "python")).args(packages))?;
    if code == ExitCode::SUCCESS {
        std::fs::write(&stamp, wanted).with_context(|| format!("writing {}", stamp.display()))?;
    }
    Ok(code)
}
