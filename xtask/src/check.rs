//! `cargo xtask test`: the steps, one after another, until one fails.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::Result;

use crate::step::{Step, execute};
use crate::{hosting, python, site, tidy};

/// Everything that a change must pass. Stops at the first step that fails, with its exit code.
pub(crate) fn test(root: &Path) -> Result<ExitCode> {
    let mut steps = vec![
        Step::cargo("fmt", &["fmt", "--all", "--check"]),
        Step::new("tidy", tidy::tidy),
        Step::new("workflows", hosting::workflows),
        Step::new("deny", |root| hosting::deny(root, false)),
        Step::cargo("clippy", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        Step::cargo_with("docs", &["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")]),
        Step::cargo("tests", &["test", "--workspace"]),
        Step::new("MPI", mpi),
    ];
    if root.join("python").is_dir() {
        steps.extend(python::steps());
        steps.extend(site::steps());
    }
    all(root, steps)
}

/// The tests of several processes over MPI, where MPI is installed.
fn mpi(root: &Path) -> Result<ExitCode> {
    let installed = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !installed("mpirun") || !installed("mpicc") {
        println!(
            "left out: fits by several processes (the feature mpi), because mpirun or mpicc is not installed; \
             on Debian and Ubuntu: apt install openmpi-bin libopenmpi-dev libclang-dev"
        );
        return Ok(ExitCode::SUCCESS);
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let features = ["-p", "partwise-cli", "--features", "mpi"];
    let clippy = ["clippy", "-p", "partwise-mpi", "--features", "mpi", "--", "-D", "warnings"];
    let code = execute(Command::new(&cargo).args(clippy).current_dir(root))?;
    if code != ExitCode::SUCCESS {
        return Ok(code);
    }
    execute(Command::new(&cargo).arg("test").args(features).args(["--test", "mpi"]).current_dir(root))
}

/// The documentation site, with the wheel and the command line that it needs.
pub(crate) fn documentation_site(root: &Path) -> Result<ExitCode> {
    let mut steps = vec![Step::cargo("command line", &["build", "-p", "partwise-cli"])];
    steps.extend(python::steps().into_iter().filter(|step| python_wheel(step.name)));
    steps.extend(site::steps());
    all(root, steps)
}

/// Whether a step leads to the wheel.
fn python_wheel(name: &str) -> bool {
    ["Python environment", "Python wheel"].contains(&name)
}

/// Runs the steps, one after another, until one fails.
fn all(root: &Path, steps: Vec<Step>) -> Result<ExitCode> {
    let begun = Instant::now();
    for step in steps {
        println!("== {}", step.name);
        let start = Instant::now();
        let code = (step.run)(root)?;
        let seconds = start.elapsed().as_secs_f64();
        if code != ExitCode::SUCCESS {
            println!("== {} FAILED after {seconds:.1} s", step.name);
            return Ok(code);
        }
        println!("== {} passed in {seconds:.1} s", step.name);
    }
    println!("== everything passed in {:.1} s", begun.elapsed().as_secs_f64());
    Ok(ExitCode::SUCCESS)
}

/// The benchmarks of the library.
pub(crate) fn bench(root: &Path) -> Result<ExitCode> {
    (Step::cargo("bench", &["bench", "-p", "partwise"]).run)(root)
}

/// The gates of speed: ratios of CPU times of one thread, each taken in one process.
pub(crate) fn bench_check(root: &Path) -> Result<ExitCode> {
    let benches = ["iteration", "supervision", "calls"].into_iter().flat_map(|bench| ["--bench", bench]);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["bench", "-p", "partwise"]).args(benches).args(["--", "--check"]);
    execute(command.current_dir(root))
}

/// The documentation of all crates, opened in a browser.
pub(crate) fn docs(root: &Path) -> Result<ExitCode> {
    (Step::cargo("docs", &["doc", "--workspace", "--no-deps", "--open"]).run)(root)
}
