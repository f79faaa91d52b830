//! Promise: `-h` fits on a screen and begins with what matters; without --out no result is ever overwritten;
//! messages are in plain words.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{groups, partwise, run, stderr, stdout, succeed};

fn help(arguments: &[&str]) -> String {
    let output = partwise().env("COLUMNS", "80").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output)
}

#[test]
fn the_short_help_of_every_command_fits_on_a_screen() {
    for command in ["fit", "rank", "consensus", "classify", "transform", "suggest", "evaluate", "sweep"] {
        let text = help(&[command, "-h"]);
        assert!(text.lines().count() <= 30, "{command}: {} lines\n{text}", text.lines().count());
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains(&format!("\nExamples:\n  partwise {command} ")), "{text}");
        assert!(text.contains(&format!("partwise {command} --help")), "{text}");
        let long = help(&[command, "--help"]);
        assert!(long.contains("Exit codes:") && long.contains("Examples:"), "{long}");
    }
    assert_eq!(help(&["fit", "-h"]).matches("\n  partwise fit ").count(), 5);
}

#[test]
fn the_full_help_of_a_fit_begins_with_its_main_flags_and_lists_all_values() {
    let text = help(&["fit", "--help"]);
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("-k, --rank") < at("--labels <FILE>") && at("--labels <FILE>") < at("--out <DIR>"));
    assert!(at("--out <DIR>") < at("What you know:") && at("What you know:") < at("Method:"));
    assert!(at("Method:") < at("Solver:") && at("Solver:") < at("Reading the data:"));
    assert!(text.contains("- gnmf: samples that are connected in a graph"), "{text}");
}

#[test]
fn manual_pages_are_written_for_every_command() {
    let folder = tempfile::tempdir().unwrap();
    succeed(folder.path(), "man --out pages");
    let page = std::fs::read_to_string(folder.path().join("pages/partwise-fit.1")).unwrap();
    assert!(page.contains(".TH") && page.contains("Exit codes"), "{page}");
    assert!(folder.path().join("pages/partwise.1").is_file());
}

#[test]
fn without_out_a_new_folder_is_named_after_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    let fit = |more: &str| succeed(at, &format!("fit x.npy -k 3 --max-iter 2 {more}"));
    assert!(fit("").contains("result: x-partwise (open x-partwise/report.html)"));
    let first = std::fs::read(at.join("x-partwise/run.json")).unwrap();
    assert!(fit("").contains("result: x-partwise-2"));
    assert_eq!(std::fs::read(at.join("x-partwise/run.json")).unwrap(), first, "nothing is overwritten");
    assert!(fit("--seed 3 --force").contains("result: x-partwise "));
    assert_ne!(std::fs::read(at.join("x-partwise/run.json")).unwrap(), first, "--force replaces it");
    succeed(at, "transform x-partwise x.npy");
    succeed(at, "classify x.npy --labels labels.csv");
    succeed(at, "sweep x.npy --labels labels.csv --scales 0,1 --max-iter 2");
    succeed(at, "rank x.npy --to 2 --splits 2 --restarts 1");
    for made in ["x-codes", "x-classes", "x-sweep", "x-rank"] {
        assert!(at.join(made).join("run.json").is_file(), "{made}");
    }
    std::fs::create_dir(at.join("two.parts")).unwrap();
    std::fs::copy(at.join("x.npy"), at.join("two.parts/a.b.npy")).unwrap();
    assert!(succeed(at, "fit two.parts/a.b.npy -k 2 --max-iter 1").contains("result: a.b-partwise "));
}

#[test]
fn a_missing_k_names_the_command_that_finds_it_and_a_misspelt_method_the_right_one() {
    let folder = tempfile::tempdir().unwrap();
    groups(folder.path());
    let output = run(folder.path(), "fit x.npy");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("to find it: partwise rank x.npy"), "{}", stderr(&output));
    assert!(!folder.path().join("x-partwise").exists());
    for (wrong, right) in [("--method nfm", "'nmf'"), ("--loss frobenus", "'frobenius'")] {
        let output = run(folder.path(), &format!("fit x.npy -k 2 {wrong}"));
        assert_eq!(output.status.code(), Some(2));
        let said = stderr(&output);
        assert!(said.contains(&format!("a similar value exists: {right}")), "{said}");
    }
}

#[test]
fn a_misspelt_command_names_the_right_one_and_a_text_the_flag_that_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    for (wrong, right) in [("fti x.npy", "'fit'"), ("demmo", "'demo'")] {
        let output = run(folder.path(), wrong);
        assert_eq!(output.status.code(), Some(2));
        let said = stderr(&output);
        assert!(said.contains(&format!("a similar subcommand exists: {right}")), "{said}");
    }
    std::fs::write(folder.path().join("notes.md"), "# Title\n\nsome words\n").unwrap();
    let said = stderr(&run(folder.path(), "fit notes.md -k 2"));
    assert!(said.contains("texts are read with --text"), "{said}");
}

#[test]
fn a_short_fit_prints_no_progress_and_says_what_it_did_in_plain_words() {
    let folder = tempfile::tempdir().unwrap();
    groups(folder.path());
    let output = run(folder.path(), "fit x.npy -k 3");
    let (said, noted) = (stdout(&output), stderr(&output));
    assert!(said.contains("method: nmf (no labels were given)"), "{said}");
    assert!(!noted.contains("iteration") && !noted.contains("KKT"), "{noted}");
}
