//! The golden harness: every file of a folder of reference fixtures, compared number by number.
//!
//! A fixture belongs to the method that its name starts with: `cnmf__dense.json` to `cnmf`, the table
//! `metrics.json` to `metrics`. The table [`RUNNERS`](runners::RUNNERS) says which function checks a method;
//! [`NOT_BUILT`](runners::NOT_BUILT) lists the methods that are not built yet, and shrinks to nothing. A
//! fixture whose method is in neither table, or in both, is a failure, so no file is passed over by accident.
//! `problem_*.json` hold the data that others name, and `*.md` explains; any other kind of file is a failure
//! too.

mod compare;
mod fixture;
pub mod runners;

pub use compare::{Comparison, RunOutput, compare_run};
pub use fixture::{Fixture, NamedFactors, Problem, Triplets, flat_numbers, integers, matrix, numbers};

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

/// The variable that names another folder of fixtures; a relative path starts at the root of the workspace.
pub const FOLDER_VARIABLE: &str = "PARTWISE_FIXTURES";

/// One line of the table of methods.
#[derive(Clone, Copy, Debug)]
pub struct Runner {
    /// The method, as the names of its fixtures start.
    pub method: &'static str,
    /// Runs the method on one fixture and compares what comes out.
    pub run: fn(&Fixture, &mut Comparison) -> Result<()>,
}

/// What a folder of fixtures gave.
#[derive(Debug, Default)]
pub struct Report {
    /// Each file that was compared, and how many comparisons it took.
    pub compared: Vec<(String, usize)>,
    /// Each file that waits for its method.
    pub waiting: Vec<String>,
    /// Every failure, as one line each.
    pub failures: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comparisons: usize = self.compared.iter().map(|(_, count)| count).sum();
        writeln!(
            f,
            "{} fixtures compared ({comparisons} comparisons), {} waiting for their method, {} failures",
            self.compared.len(),
            self.waiting.len(),
            self.failures.len()
        )?;
        self.failures.iter().try_for_each(|failure| writeln!(f, "  {failure}"))
    }
}

/// The folder to check: the one that `named` (the value of [`FOLDER_VARIABLE`]) says, else the copy in this
/// crate.
///
/// # Errors
/// When the folder is missing.
pub fn fixtures_folder(named: Option<&str>) -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = match named {
        // An absolute path replaces what it is joined to.
        Some(path) => here.join("../..").join(path),
        None => here.join("fixtures"),
    };
    ensure!(folder.is_dir(), "the folder of fixtures {} is missing", folder.display());
    Ok(folder)
}

/// Compares every fixture of `folder` by the table `runners`, but for the methods in `not_built`.
///
/// # Errors
/// When the folder can't be read or holds no fixture, or a method is listed twice or in both tables. What
/// differs in a fixture is in the report.
pub fn check_folder(folder: &Path, runners: &[Runner], not_built: &[&str]) -> Result<Report> {
    check_tables(runners, not_built)?;
    let mut files: Vec<String> = Vec::new();
    for entry in folder.read_dir().with_context(|| format!("reading the folder {}", folder.display()))? {
        files.push(entry?.file_name().to_string_lossy().into_owned());
    }
    files.sort();
    let mut report = Report::default();
    for file in files {
        let Some(stem) = file.strip_suffix(".json") else {
            if !file.ends_with(".md") {
                report.failures.push(format!("{file}: neither a fixture (.json) nor its description (.md)"));
            }
            continue;
        };
        if stem.starts_with("problem_") {
            continue;
        }
        let method = stem.split_once("__").map_or(stem, |(method, _)| method);
        if not_built.contains(&method) {
            report.waiting.push(file);
            continue;
        }
        let Some(runner) = runners.iter().find(|runner| runner.method == method) else {
            report
                .failures
                .push(format!("{file}: the method \"{method}\" is neither in RUNNERS nor in NOT_BUILT"));
            continue;
        };
        let mut comparison = Comparison::of(&file);
        if let Err(error) =
            Fixture::read(folder, &file).and_then(|fixture| (runner.run)(&fixture, &mut comparison))
        {
            report.failures.push(format!("{file}: {error:#}"));
        } else if comparison.count() == 0 {
            report.failures.push(format!("{file}: its runner compared nothing"));
        }
        report.compared.push((file, comparison.count()));
        report.failures.extend(comparison.into_failures());
    }
    ensure!(
        !report.compared.is_empty() || !report.waiting.is_empty() || !report.failures.is_empty(),
        "the folder {} holds no fixture",
        folder.display()
    );
    Ok(report)
}

fn check_tables(runners: &[Runner], not_built: &[&str]) -> Result<()> {
    for (place, runner) in runners.iter().enumerate() {
        if not_built.contains(&runner.method) {
            bail!("the method \"{}\" is both in RUNNERS and in NOT_BUILT", runner.method);
        }
        if runners[..place].iter().any(|other| other.method == runner.method) {
            bail!("the method \"{}\" is twice in RUNNERS", runner.method);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const ONE: Runner = Runner {
        method: "one",
        run: |fixture, comparison| {
            comparison.number("value", None, 1.0, fixture.value["value"].as_f64().context("no value")?);
            Ok(())
        },
    };

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn a_fixture_is_compared_by_its_prefix_and_a_waiting_one_is_listed() {
        let folder = folder(&[
            ("one__a.json", r#"{"value": 1.0}"#),
            ("one.json", r#"{"value": 1.0}"#),
            ("two__a.json", "not read"),
            ("problem_a.json", "not read"),
            ("README.md", "words"),
        ]);
        let report = check_folder(folder.path(), &[ONE], &["two"]).unwrap();
        assert_eq!(report.compared, [("one.json".to_string(), 1), ("one__a.json".to_string(), 1)]);
        assert_eq!(report.waiting, ["two__a.json"]);
        assert!(report.failures.is_empty(), "{report}");
    }

    #[test]
    fn a_difference_is_told_with_its_place_and_numbers() {
        let folder = folder(&[("one__a.json", r#"{"value": 1.25}"#)]);
        let report = check_folder(folder.path(), &[ONE], &[]).unwrap();
        assert_eq!(report.failures.len(), 1);
        for part in ["one__a.json", "value", "got 1", "expected 1.25", "difference 2.5e-1"] {
            assert!(report.failures[0].contains(part), "{part} is not in: {}", report.failures[0]);
        }
    }

    #[test]
    fn an_unknown_method_an_unknown_kind_of_file_and_a_broken_file_fail() {
        let folder = folder(&[("three__a.json", "{}"), ("notes.txt", ""), ("one__b.json", "{")]);
        let report = check_folder(folder.path(), &[ONE], &["two"]).unwrap();
        assert_eq!(report.failures.len(), 3, "{report}");
        assert!(report.to_string().contains("\"three\" is neither in RUNNERS nor in NOT_BUILT"), "{report}");
    }

    #[test]
    fn a_runner_that_compares_nothing_fails() {
        let folder = folder(&[("idle__a.json", "{}")]);
        let idle = Runner { method: "idle", run: |_, _| Ok(()) };
        let report = check_folder(folder.path(), &[idle], &[]).unwrap();
        assert_eq!(report.failures, ["idle__a.json: its runner compared nothing"]);
    }

    #[test]
    fn tables_that_contradict_each_other_fail() {
        let folder = folder(&[("one__a.json", r#"{"value": 1.0}"#)]);
        assert!(check_folder(folder.path(), &[ONE], &["one"]).unwrap_err().to_string().contains("both"));
        assert!(check_folder(folder.path(), &[ONE, ONE], &[]).unwrap_err().to_string().contains("twice"));
    }

    #[test]
    fn a_missing_or_empty_folder_fails() {
        let empty = folder(&[("README.md", "nothing but words")]);
        assert!(
            check_folder(empty.path(), &[ONE], &[]).unwrap_err().to_string().contains("holds no fixture")
        );
        assert!(fixtures_folder(Some("no/such/folder")).unwrap_err().to_string().contains("missing"));
        assert!(fixtures_folder(Some(empty.path().to_str().unwrap())).is_ok());
        assert!(
            fixtures_folder(Some("crates")).is_ok(),
            "a relative path starts at the root of the workspace"
        );
    }
}
