//! Promise: `partwise classify` gives every sample a class and says why; what it writes is evaluated as a fit
//! is; the former spelling `fit --recipe auto` works and names the new one.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{groups, json, run, stderr, succeed};
use serde_json::Value;

fn list(record: &Value, at: &str) -> Vec<Value> {
    record.pointer(at).and_then(Value::as_array).unwrap_or_else(|| panic!("{at} in {record}")).clone()
}

#[test]
fn every_sample_gets_a_class_and_the_record_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    let output = run(at, "classify x.npy --labels labels.csv --labels-per-class 2 --out out");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("classify: 1 to 3 components per class"), "{}", stderr(&output));
    let record = json(at.join("out/run.json"));
    assert_eq!(record["classification"]["folds"], 2);
    assert_eq!(record["classification"]["held_out_labels"], 6);
    let weights =
        list(&record, "/classification/candidates").into_iter().map(|c| c["weight"].as_f64().unwrap());
    assert!((weights.sum::<f64>() - 1.0).abs() < 1e-12);
    assert_eq!(list(&record, "/classification/base_classifiers").len(), 6);
    let refinements = list(&record, "/classification/refinements");
    assert_eq!(refinements.len(), 4);
    assert!(refinements.iter().any(|r| r["weight"] == 1.0), "{refinements:?}");
    assert!(record.get("recipe").is_none(), "{record}");
    let memberships = std::fs::read_to_string(at.join("out/memberships.csv")).unwrap();
    assert_eq!(memberships.lines().count(), 31);
}

#[test]
fn a_classification_is_evaluated_over_all_samples_and_over_those_without_a_label() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    succeed(at, "classify x.npy --labels labels.csv --labels-per-class 2 --out out");
    let said = succeed(at, "evaluate out --labels labels.csv");
    assert!(
        said.contains("all labelled samples (30)") && said.contains("the fit did not use (24)"),
        "{said}"
    );
    let output = run(at, "evaluate out --labels labels.csv --clusters k-means");
    assert!(stderr(&output).contains("writes only classes"), "{}", stderr(&output));
}

#[test]
fn labels_are_needed_and_flags_of_a_fit_are_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    for (arguments, said) in [
        ("classify x.npy --out never", "give --labels"),
        ("classify x.npy --labels labels.csv -k 3 --out never", "-k"),
        ("classify x.npy --labels labels.csv --codes plain --out never", "--codes"),
    ] {
        let output = run(at, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(stderr(&output).contains(said), "{arguments}: {}", stderr(&output));
    }
}

#[test]
fn labels_may_be_a_column_of_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let row = |i: usize| {
        let label = if i < 6 { ["p", "q"][i % 2] } else { "" };
        format!("{},{},{label}\n", [3 + i, 1][i % 2], [1, 3 + i][i % 2])
    };
    let rows: String = (0..20).map(row).collect();
    std::fs::write(at.join("t.csv"), format!("a,b,kind\n{rows}")).unwrap();
    succeed(at, "classify t.csv --label-column kind --out out");
    let memberships = std::fs::read_to_string(at.join("out/memberships.csv")).unwrap();
    let classes: Vec<&str> =
        memberships.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    assert_eq!(classes, ["p", "q"].repeat(10), "{memberships}");
}

#[test]
fn the_former_spelling_gives_the_same_and_names_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    succeed(at, "classify x.npy --labels labels.csv --labels-per-class 2 --quiet --out new");
    let output = run(at, "fit x.npy --recipe auto --labels labels.csv --labels-per-class 2 --out old");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("is now `partwise classify`"), "{}", stderr(&output));
    for file in ["memberships.csv", "memberships.npy"] {
        let [new, old] = ["new", "old"].map(|folder| std::fs::read(at.join(folder).join(file)).unwrap());
        assert_eq!(new, old, "{file}");
    }
    // Its record has the former names, too.
    let record = json(at.join("old/run.json"));
    assert_eq!(record["recipe"]["folds"], record["classification"]["folds"]);
    assert_eq!(list(&record, "/recipe/readings").len(), 6);
    assert_eq!(list(&record, "/recipe/refinements")[0]["refinement"], "neighbours' vote");
    let output = run(at, "fit x.npy --recipe auto --labels labels.csv -k 3 --out never");
    assert_eq!(output.status.code(), Some(2));
    let output = run(at, "fit x.npy --recipe auto --out never");
    assert!(stderr(&output).contains("give --labels"), "{}", stderr(&output));
    let help = succeed(at, "fit --help");
    assert!(!help.contains("--recipe"), "{help}");
}
