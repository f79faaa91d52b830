//! Builds the files of a release: the source distribution, the wheel, the archive with the command line, and
//! their sums.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use super::{FILES, SUMS, archive_name, emptied, folder, host, work};
use crate::pip::{self, NEWEST_PYTHON, environment};
use crate::step::{execute, version};

const ENVIRONMENT: &str = "dist";

/// What builds on every platform.
const PACKAGES: &[&str] = &["maturin>=1.9,<2"];

/// Zig links against an old C library, so that one file runs on every Linux.
const LINUX_PACKAGES: &[&str] = &["maturin>=1.9,<2", "ziglang>=0.13", "cargo-zigbuild>=0.20"];

/// The oldest C library that Rust supports, which manylinux2014 stands for.
const GLIBC: &str = "2.17";

/// What the archive has beside the program and what the program prints itself.
const TEXTS: &[&str] = &["README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE-MIT", "LICENSE-APACHE"];

/// Shells, and the file in which each looks for its completions.
const SHELLS: &[(&str, &str)] = &[
    ("bash", "partwise.bash"),
    ("zsh", "_partwise"),
    ("fish", "partwise.fish"),
    ("powershell", "_partwise.ps1"),
];

/// Builds all of it for a platform.
pub(super) fn build(root: &Path, triple: &str) -> Result<ExitCode> {
    let zig = triple.contains("linux");
    let packages = if zig { LINUX_PACKAGES } else { PACKAGES };
    let made = environment(root, ENVIRONMENT, NEWEST_PYTHON, packages)?;
    if made != ExitCode::SUCCESS {
        return Ok(made);
    }
    let release = Release { root, triple, zig, version: version(root)?, out: emptied(folder(root))? };
    let source = release.source_distribution()?;
    release.wheel(&source)?;
    let program = release.program(&source)?;
    release.archive(&program)?;
    done(release.python().args([FILES, "write-sums"]).arg(&release.out).arg(SUMS))?;
    println!("in {}:", release.out.display());
    print!("{}", std::fs::read_to_string(release.out.join(SUMS)).context("reading the sums")?);
    Ok(ExitCode::SUCCESS)
}

/// One release for one platform.
struct Release<'a> {
    root: &'a Path,
    triple: &'a str,
    /// Whether zig links.
    zig: bool,
    version: String,
    out: PathBuf,
}

impl Release<'_> {
    /// A program of the environment.
    fn tool(&self, name: &str) -> Command {
        self.prepared(pip::program(self.root, ENVIRONMENT, name).into())
    }

    fn cargo(&self) -> Command {
        self.prepared(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }

    fn prepared(&self, program: OsString) -> Command {
        let folder = pip::programs(&pip::folder(self.root, ENVIRONMENT));
        let mut command = Command::new(program);
        // maturin looks for `python3 -m ziglang`.
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(folder).chain(std::env::split_paths(&paths));
        if let Ok(paths) = std::env::join_paths(paths) {
            command.env("PATH", paths);
        }
        command.env("CARGO_TARGET_DIR", pip::target(self.root)).current_dir(self.root);
        command
    }

    fn python(&self) -> Command {
        self.tool("python")
    }

    /// Makes the source distribution, and returns the folder in which it is unpacked.
    fn source_distribution(&self) -> Result<PathBuf> {
        done(self.tool("maturin").args(["sdist", "--out"]).arg(&self.out))?;
        let packed = self.out.join(format!("partwise-{}.tar.gz", self.version));
        let folder = work(self.root).join("source");
        done(self.python().args([FILES, "unpack"]).arg(packed).arg(&folder))?;
        let source = folder.join(format!("partwise-{}", self.version));
        // The lock file still has the crates that the source distribution leaves out.
        done(
            self.cargo()
                .args(["metadata", "--format-version", "1", "--quiet"])
                .current_dir(&source)
                .stdout(std::process::Stdio::null()),
        )?;
        Ok(source)
    }

    fn wheel(&self, source: &Path) -> Result<()> {
        done(self.maturin(&self.out).current_dir(source))
    }

    /// The program `partwise`, for the same platforms as the wheel. (maturin refuses to build a program where the
    /// package has an entry point.)
    fn program(&self, source: &Path) -> Result<PathBuf> {
        let mut build = if self.zig { self.tool("cargo-zigbuild") } else { self.cargo() };
        let target = if self.links_glibc() { format!("{}.{GLIBC}", self.triple) } else { self.triple.into() };
        build.args(["rustc", "--release", "--locked", "--package", "partwise-cli", "--bin", "partwise"]);
        build.args(["--target", &target]);
        if self.zig {
            // Without symbols, as maturin links the wheel.
            build.args(["--", "-C", "link-arg=-s"]);
        }
        done(build.current_dir(source))?;
        let name = if self.triple.contains("windows") { "partwise.exe" } else { "partwise" };
        Ok(pip::target(self.root).join(self.triple).join("release").join(name))
    }

    fn links_glibc(&self) -> bool {
        self.triple.contains("linux-gnu")
    }

    /// `maturin build` of a release into a folder.
    fn maturin(&self, out: &Path) -> Command {
        let mut build = self.tool("maturin");
        build.args(["build", "--release", "--strip", "--locked", "--target", self.triple]);
        if self.zig {
            // Against the oldest C library that Rust supports.
            build.arg("--zig");
        }
        // The platforms that the Python package index takes, or an error.
        let platform = if self.links_glibc() { "manylinux2014" } else { "pypi" };
        build.args(["--compatibility", platform, "--out"]).arg(out);
        build
    }

    /// The archive: the program, its manual pages and completions, and texts.
    fn archive(&self, program: &Path) -> Result<()> {
        let name = archive_name(&self.version, self.triple);
        let stage = emptied(work(self.root).join("archive"))?.join(&name);
        std::fs::create_dir_all(stage.join("completions")).context("making the folder of the archive")?;
        let file = program.file_name().context("the program has a name")?;
        copy(program, &stage.join(file))?;
        for text in TEXTS {
            copy(&self.root.join(text), &stage.join(text))?;
        }
        // The program writes them itself; for another platform the one of this machine does.
        let runs =
            if self.triple == host()? { program.to_path_buf() } else { self.program_of_this_machine()? };
        done(Command::new(&runs).args(["man", "--out"]).arg(stage.join("man")))?;
        for (shell, file) in SHELLS {
            let printed =
                Command::new(&runs).args(["completions", shell]).output().context("starting partwise")?;
            if !printed.status.success() {
                bail!("partwise completions {shell} failed: {}", String::from_utf8_lossy(&printed.stderr));
            }
            std::fs::write(stage.join("completions").join(file), printed.stdout)
                .context("writing completions")?;
        }
        let end = if self.triple.contains("windows") { "zip" } else { "tar.gz" };
        let archive = self.out.join(format!("{name}.{end}"));
        done(self.python().args([FILES, "pack"]).arg(stage).arg(archive))
    }

    fn program_of_this_machine(&self) -> Result<PathBuf> {
        done(self.cargo().args(["build", "--package", "partwise-cli"]))?;
        Ok(pip::target(self.root).join("debug").join("partwise"))
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to).map(drop).with_context(|| format!("copying {}", from.display()))
}

/// Runs a program that must succeed.
fn done(command: &mut Command) -> Result<()> {
    let name = Path::new(command.get_program()).file_name().unwrap_or_default().to_os_string();
    let words: Vec<_> =
        std::iter::once(&*name).chain(command.get_args()).map(|word| word.to_string_lossy()).collect();
    println!("dist: {}", words.join(" "));
    if execute(command)? == ExitCode::SUCCESS { Ok(()) } else { bail!("{} failed", name.display()) }
}
