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
    assert!(!stderr(&output).contains("% done"), "short work prints no progress: {}", stderr(&output));
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
    // What to label next is by the posteriors: doubt is 1 less what the first has more than the second.
    let asked: Value = serde_json::from_str(&succeed(at, "suggest out -n 1 --json")).unwrap();
    let row = asked[0]["sample"].as_u64().unwrap() as usize + 1;
    let memberships = std::fs::read_to_string(at.join("out/memberships.csv")).unwrap();
    let mut posteriors: Vec<f64> =
        memberships.lines().nth(row).unwrap().split(',').skip(2).map(|p| p.parse().unwrap()).collect();
    posteriors.sort_by(|a, b| b.total_cmp(a));
    let doubt = asked[0]["doubt"].as_f64().unwrap();
    assert!((doubt - (1.0 - posteriors[0] + posteriors[1])).abs() < 1e-3, "{doubt}, {posteriors:?}");
    // The clusters of codes are those of the components by class.
    let said = succeed(at, "evaluate out --labels labels.csv --clusters k-means");
    assert!(said.contains("all labelled samples (30)"), "{said}");
    for file in ["model.safetensors", "codes.npy", "codes.csv", "components.npy", "components.csv"] {
        std::fs::remove_file(at.join("out").join(file)).unwrap();
    }
    succeed(at, "evaluate out --labels labels.csv");
    let output = run(at, "evaluate out --labels labels.csv --clusters k-means");
    assert!(stderr(&output).contains("has only classes"), "{}", stderr(&output));
}

#[test]
fn a_classification_has_components_by_class_a_page_and_classifies_new_rows() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    succeed(at, "classify x.npy --labels labels.csv --labels-per-class 2 --out out");
    let rows = |file: &str| std::fs::read_to_string(at.join(file)).unwrap();
    let codes = rows("out/codes.csv");
    assert!(
        codes.starts_with("sample,<cats>,ants,bees\n") || codes.starts_with("sample,ants,bees,<cats>\n"),
        "{codes}"
    );
    assert_eq!(rows("out/components.csv").lines().count(), 4);
    let page = rows("out/report.html");
    for part in ["Classes", "Confusion", "Votes", "Components", "30 samples in 3 classes, from 6 labels"] {
        assert!(page.contains(part), "no {part} in the page");
    }
    assert!(page.contains("&lt;cats&gt;") && !page.contains("<cats>"), "a class name became markup");
    assert!(page.contains("data:image/png;base64,"), "images have no pictures");
    // The rows of the fit as new ones: the same classes, and each row by itself.
    succeed(at, "transform out x.npy --quiet --out new");
    let classes = |file: &str| -> Vec<String> {
        rows(file).lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_string()).collect()
    };
    assert_eq!(classes("new/memberships.csv"), classes("out/memberships.csv"));
    assert_eq!(rows("new/codes.csv").lines().count(), 31);
    // The largest code of a new row is that of its class.
    let record = json(at.join("new/run.json"));
    assert_eq!(record["classes"].as_array().unwrap().len(), 3);
    // Another number of features is refused, by both numbers.
    common::write_npy(&at.join("wide.npy"), &[2, 10], &common::numbers(20, 3));
    let output = run(at, "transform out wide.npy --out never");
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(said.contains("10 features") && said.contains("9"), "{said}");
}

#[test]
fn methods_are_compared_on_the_same_labels_and_by_their_class_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    let said = succeed(
        at,
        "compare x.npy --labels labels.csv --methods nmf,guided,classifier --draws 3 --labels-per-class 1,2 --out out",
    );
    for part in [
        "1 labels per class, 3 draws",
        "2 labels per class",
        "classifier",
        "nmf",
        "guided",
        "* under the best",
    ] {
        assert!(said.contains(part), "no {part} in {said}");
    }
    let lines = std::fs::read_to_string(at.join("out/compare.csv")).unwrap();
    assert_eq!(lines.lines().count(), 7, "{lines}");
    let runs = std::fs::read_to_string(at.join("out/draws.csv")).unwrap();
    assert_eq!(runs.lines().count(), 19, "{runs}");
    let record = json(at.join("out/run.json"));
    let lines = list(&record, "/lines");
    assert_eq!(lines[0]["accuracy_by"], "best map");
    assert_eq!(lines[0]["difference"], Value::Null);
    for line in &lines {
        assert_eq!(line["accuracy"]["mean"], 1.0, "three clear groups: {line}");
        assert_eq!(line["draws"], 3);
    }
    assert_eq!(lines[2]["accuracy_by"], "class names");
    assert_eq!(lines[2]["relative_error"], Value::Null);
    let page = std::fs::read_to_string(at.join("out/report.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("2 labels per class"), "{page}");
}

#[test]
fn a_comparison_that_cannot_be_made_is_refused_before_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    for (arguments, said) in [
        ("compare x.npy --out never", "give --labels"),
        ("compare x.npy --labels labels.csv --methods nfm --out never", "classifier"),
        ("compare x.npy --labels labels.csv --methods nmf,nmf --out never", "nmf twice"),
        ("compare x.npy --labels labels.csv --methods symnmf --out never", "does not factor samples"),
        ("compare x.npy --labels labels.csv --labels-per-class 10 --out never", "leave no label to judge"),
    ] {
        let output = run(at, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(stderr(&output).contains(said), "{arguments}: {}", stderr(&output));
        assert!(!at.join("never").exists(), "{arguments}");
    }
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
fn class_sizes_are_recorded_and_kept_for_new_rows_and_wrong_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    let classify = |more: &str, out: &str| {
        format!("classify x.npy --labels labels.csv --labels-per-class 2 {more} --out {out}")
    };
    let output = run(at, &classify("--class-sizes ants=50,bees=25,<cats>=25", "sized"));
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout).to_string() + &stderr(&output);
    assert!(text.contains("class sizes as given: ") && text.contains("ants 50.0 %"), "{text}");
    assert!(text.contains("sum to 100"), "{text}");
    let record = json(at.join("sized/run.json"));
    let sizes = list(&record, "/classification/classes").into_iter();
    let sizes: Vec<(Value, Value)> = sizes.zip(list(&record, "/classification/class_sizes")).collect();
    assert!(sizes.contains(&("ants".into(), 0.5.into())), "{sizes:?}");
    assert_eq!(record["classification"]["class_sizes_given"], true);
    succeed(at, &classify("--class-sizes labels", "by_labels"));
    let even = list(&json(at.join("by_labels/run.json")), "/classification/class_sizes");
    assert!(even.iter().all(|size| (size.as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12), "{even:?}");
    succeed(at, &classify("", "plain"));
    let mean_of_ants = |folder: &str| {
        let memberships = std::fs::read_to_string(at.join(folder).join("memberships.csv")).unwrap();
        let place = memberships.lines().next().unwrap().split(',').position(|name| name == "ants").unwrap();
        let value = |line: &str| line.split(',').nth(place).unwrap().parse::<f64>().unwrap();
        memberships.lines().skip(1).map(value).sum::<f64>() / 30.0
    };
    let mean = mean_of_ants("sized");
    assert!((mean - 0.5).abs() < 1e-3, "{mean}");
    // The same rows as new ones.
    succeed(at, "transform sized x.npy --out sized_new");
    succeed(at, "transform plain x.npy --out plain_new");
    let (sized, plain) = (mean_of_ants("sized_new"), mean_of_ants("plain_new"));
    assert!(sized > plain, "{sized} with sizes, {plain} without");
    for (sizes, said) in [
        ("ants=1,bees=1", "no class size for <cats>"),
        ("ants=1,bees=1,<cats>=0", "size of class \"<cats>\""),
        ("ants=1,bees=1,<cats>=1,dogs=1", "dogs"),
        ("ants", "NAME=SIZE"),
        ("even", "NAME=SIZE"),
    ] {
        let output = run(at, &classify(&format!("--class-sizes {sizes}"), "never"));
        assert_eq!(output.status.code(), Some(2), "{sizes}: {}", stderr(&output));
        assert!(stderr(&output).contains(said), "{sizes}: {}", stderr(&output));
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
