//! Installs the files of a release as a user would, without Rust, and uses them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use anyhow::{Context, Result, bail, ensure};

use super::{FILES, SUMS, archive_name, emptied, folder, host, only_file, work};
use crate::pip::{NEWEST_PYTHON, environment, install, program, programs};
use crate::step::{execute, version};

/// What only the tests need, once it is shown that the wheel needs none of it.
const FOR_TESTS: &[&str] = &["pytest>=8", "pandas", "matplotlib"];

/// The tests that use the package as the documentation shows it.
const TESTS: &[&str] = &["test_installed_command.py", "test_documentation.py", "test_first_hour.py"];

/// Checks the files in `target/dist` that are for this machine.
pub(super) fn check(root: &Path) -> Result<ExitCode> {
    let wheel = only_file(&folder(root), ".whl")?;
    let sums = Command::new(NEWEST_PYTHON)
        .args([FILES, "check-sums"])
        .arg(folder(root))
        .arg(SUMS)
        .current_dir(root)
        .status();
    ensure!(sums.context("starting Python")?.success(), "a file changed after it was built");
    if cfg!(target_os = "linux") {
        platform(root, &wheel)?;
    }
    let user = User::new(emptied(work(root).join("check"))?)?;
    user.installs_the_wheel(&wheel, &version(root)?)?;
    user.fits()?;
    user.unpacks_the_archive(root)?;
    user.tests(root)
}

/// The wheel really runs on the Linux that its name states.
fn platform(root: &Path, wheel: &Path) -> Result<()> {
    let made = environment(root, "auditwheel", NEWEST_PYTHON, &["auditwheel>=6"])?;
    ensure!(made == ExitCode::SUCCESS, "auditwheel could not be installed");
    let shown = Command::new(program(root, "auditwheel", "auditwheel")).arg("show").arg(wheel).output()?;
    let text = String::from_utf8_lossy(&shown.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    let name = wheel.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    // A platform may have two names: manylinux2014 is manylinux_2_17.
    let stated = name.rsplit('-').next().unwrap_or_default();
    let confirms = |tag: &str| text.contains(&format!("platform tag: \"{tag}\""));
    println!("{text}");
    ensure!(
        shown.status.success() && stated.split('.').any(confirms),
        "auditwheel does not confirm the platform {stated} of {}",
        wheel.display()
    );
    Ok(())
}

/// Somebody with Python and without Rust.
struct User {
    /// Where this user works.
    home: PathBuf,
    /// The virtual environment.
    python: PathBuf,
    /// The `PATH`: the environment first, and no folder with a Rust compiler.
    path: OsString,
}

impl User {
    fn new(home: PathBuf) -> Result<Self> {
        let environment = home.join("environment");
        done(Command::new(NEWEST_PYTHON).args(["-m", "venv"]).arg(&environment))?;
        let own = programs(&environment);
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let others = std::env::split_paths(&paths).filter(|folder| !has_rust(folder));
        let path = std::env::join_paths(std::iter::once(own.clone()).chain(others))?;
        Ok(User { python: own.join("python"), path, home })
    }

    /// A program as this user starts it, in the folder where the user works.
    fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if ["CARGO", "RUST", "PYTHON"].iter().any(|start| text.starts_with(start)) {
                command.env_remove(&name);
            }
        }
        command.env("PATH", &self.path).env("MPLBACKEND", "Agg").current_dir(&self.home);
        command
    }

    fn partwise(&self) -> Command {
        self.command(programs(&self.home.join("environment")).join("partwise"))
    }

    fn installs_the_wheel(&self, wheel: &Path, version: &str) -> Result<()> {
        let pip = install(&self.python);
        // A wheel that isn't there for this platform must not be built: there is no compiler.
        done(
            self.command(pip.get_program()).args(pip.get_args()).args(["--only-binary", ":all:"]).arg(wheel),
        )?;
        let shown = text_of(self.partwise().arg("--version"))?;
        ensure!(shown.trim() == format!("partwise {version}"), "partwise --version printed {shown}");
        let module = text_of(self.command(&self.python).args(["-m", "partwise", "--version"]))?;
        ensure!(module == shown, "python -m partwise --version printed {module}");
        Ok(())
    }

    /// The demo, a fit from a file and one in Python, with nothing installed but what the wheel asks for.
    fn fits(&self) -> Result<()> {
        done(self.partwise().arg("demo"))?;
        let page = std::fs::read_to_string(self.home.join("partwise-demo").join("report.html"));
        ensure!(
            page.context("reading the demo's report")?.contains("</html>"),
            "the demo's report is cut off"
        );
        std::fs::write(self.home.join("x.csv"), "a,b,c\n5,1,0\n4,1,0\n0,1,3\n0,2,6\n")?;
        done(self.partwise().args(["fit", "x.csv", "-k", "2", "--out", "fit", "--quiet"]))?;
        let script = "import partwise; model = partwise.load('fit/model.safetensors'); \
            assert model.components_.shape == (2, 3); print(partwise.NMF(2).fit(model.codes_).objective_)";
        let objective = text_of(self.command(&self.python).args(["-c", script]))?;
        ensure!(objective.trim().parse::<f64>().is_ok(), "Python printed {objective}");
        let refused = self.partwise().args(["fit", "none.csv", "-k", "2", "--out", "none"]).output()?;
        ensure!(refused.status.code() == Some(2), "a missing file ended with {}", refused.status);
        Ok(())
    }

    /// The archive of the command line for this machine.
    fn unpacks_the_archive(&self, root: &Path) -> Result<()> {
        let name = archive_name(&version(root)?, &host()?);
        let end = if cfg!(windows) { "zip" } else { "tar.gz" };
        let archive = folder(root).join(format!("{name}.{end}"));
        let mut unpack = self.command(&self.python);
        let place = self.home.join("archive");
        done(unpack.arg(root.join(FILES)).arg("unpack").arg(&archive).arg(&place))?;
        let unpacked = place.join(name);
        for file in [
            "README.md",
            "CITATION.cff",
            "LICENSE-MIT",
            "LICENSE-APACHE",
            "completions/partwise.bash",
            "completions/_partwise",
            "completions/partwise.fish",
            "man/partwise.1",
            "man/partwise-fit.1",
        ] {
            let size =
                std::fs::metadata(unpacked.join(file)).with_context(|| format!("{file} is missing"))?;
            ensure!(size.len() > 100, "{file} in the archive is cut off");
        }
        let program = unpacked.join(if cfg!(windows) { "partwise.exe" } else { "partwise" });
        let shown = text_of(self.command(&program).arg("--version"))?;
        ensure!(shown == text_of(self.partwise().arg("--version"))?, "the archive has {shown}");
        done(self.command(&program).args(["fit", "x.csv", "-k", "2", "--out", "same", "--quiet"]))?;
        let codes = |folder: &str| std::fs::read(self.home.join(folder).join("codes.npy"));
        ensure!(
            codes("fit")? == codes("same")?,
            "the program of the archive has other results than the wheel"
        );
        Ok(())
    }

    /// The code of the documentation, the installed command and the first hour.
    fn tests(&self, root: &Path) -> Result<ExitCode> {
        let pip = install(&self.python);
        done(self.command(pip.get_program()).args(pip.get_args()).args(FOR_TESTS))?;
        let tests = root.join("python").join("tests");
        let mut pytest = self.command(&self.python);
        pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
        // The examples on data sets belong to the tests of the sources.
        pytest.env("PARTWISE_DATA", self.home.join("no-data"));
        execute(pytest.args(TESTS.iter().map(|file| tests.join(file))))
    }
}

/// Whether programs of Rust are in this folder.
fn has_rust(folder: &Path) -> bool {
    ["cargo", "rustc", "cargo.exe", "rustc.exe"].iter().any(|name| folder.join(name).exists())
}

/// Runs a program that must succeed.
fn done(command: &mut Command) -> Result<()> {
    if execute(command)? == ExitCode::SUCCESS { Ok(()) } else { bail!("this failed: {command:?}") }
}

/// What a program that must succeed prints.
fn text_of(command: &mut Command) -> Result<String> {
    let Output { status, stdout, stderr } =
        command.output().with_context(|| format!("starting {command:?}"))?;
    if !status.success() {
        bail!("{command:?} ended with {status}: {}", String::from_utf8_lossy(&stderr));
    }
    Ok(String::from_utf8_lossy(&stdout).replace("\r\n", "\n"))
}
