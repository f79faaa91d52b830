//! [`Step`]: one step of the tests, mostly a program that runs to its end.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

/// What a step does in the root of the workspace.
pub(crate) type Action = Box<dyn Fn(&Path) -> Result<ExitCode>>;

/// One step of the tests.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) run: Action,
}

impl Step {
    /// A step that isn't one call of cargo.
    pub(crate) fn new(name: &'static str, run: impl Fn(&Path) -> Result<ExitCode> + 'static) -> Self {
        Step { name, run: Box::new(run) }
    }

    /// One call of cargo.
    pub(crate) fn cargo(name: &'static str, arguments: &'static [&'static str]) -> Self {
        Step::cargo_with(name, arguments, &[])
    }

    /// One call of cargo with environment variables.
    pub(crate) fn cargo_with(
        name: &'static str,
        arguments: &'static [&'static str],
        environment: &'static [(&'static str, &'static str)],
    ) -> Self {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Step {
            name,
            run: Box::new(move |root| {
                execute(
                    Command::new(&cargo).args(arguments).envs(environment.iter().copied()).current_dir(root),
                )
            }),
        }
    }
}

/// Runs a program to its end.
pub(crate) fn execute(command: &mut Command) -> Result<ExitCode> {
    let program: OsString = command.get_program().into();
    let status = command.status().with_context(|| format!("starting {}", program.display()))?;
    // A process that a signal ended has no code.
    let code = status.code().map_or(1, |code| u8::try_from(code).unwrap_or(1));
    Ok(ExitCode::from(code))
}

/// The version of the workspace.
pub(crate) fn version(root: &Path) -> Result<String> {
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).context("reading Cargo.toml")?;
    let manifest: toml_edit::DocumentMut = manifest.parse().context("parsing Cargo.toml")?;
    let version = manifest["workspace"]["package"]["version"].as_str();
    version.map(str::to_string).context("Cargo.toml has no version")
}
