//! The main job on real data, as a user would run it. The data are where `PARTWISE_DATA` says (relative to
//! the workspace) or in `../shared/data`; where they are absent, what was left out is printed, and the
//! built-in digits stand in.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and prints what it measured"
)]

mod common;

use std::io::Write;
use std::path::{Path, PathBuf};

use common::{json, succeed};
use serde_json::Value;

/// The folder of a data set, or `None` with a word about it.
fn data(name: &str) -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = std::env::var_os("PARTWISE_DATA").unwrap_or_else(|| "../shared/data".into());
    let folder = workspace.join(root).join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("left out: {name}, which is not in {}", folder.display());
    None
}

/// Fits, prints what it took and gave, and returns run.json.
fn fit(folder: &Path, name: &str, arguments: &str) -> Value {
    let out = folder.join(name);
    succeed(folder, &format!("fit {arguments} --quiet --out {}", out.display()));
    let record = json(out.join("run.json"));
    let unlabelled = &record["evaluation"]["unlabelled"];
    println!(
        "{name}: {:.2} s reading, {:.2} s fitting, {} iterations, {} MB at most, relative error {:.4}, accuracy {}, NMI {} on unlabelled samples",
        record["seconds"]["read"].as_f64().unwrap(),
        record["seconds"]["fit"].as_f64().unwrap(),
        record["result"]["iterations"],
        record["peak_memory_bytes"].as_u64().map_or("?".into(), |bytes| (bytes / 1_000_000).to_string()),
        record["result"]["relative_error"].as_f64().unwrap(),
        unlabelled["accuracy"],
        unlabelled["nmi"]
    );
    for file in ["model.safetensors", "codes.npy", "memberships.csv", "report.html"] {
        assert!(out.join(file).is_file(), "{name}: {file}");
    }
    record
}

fn accuracy(record: &Value) -> f64 {
    record["evaluation"]["unlabelled"]["accuracy"].as_f64().unwrap()
}

#[test]
fn faces_of_40_people_with_2_labels_each() {
    let Some(data) = data("orl") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (images, labels) = (data.join("images.npy"), data.join("labels.csv"));
    let input = format!("{} --labels {} --labels-per-class 2", images.display(), labels.display());
    for (name, flags) in [
        ("orl-cnmf", "--method cnmf --scale unit-rows --solver nesterov"),
        ("orl-ws-nmf", "--method ws-nmf --strength 10 --scale unit-rows --solver bpp --max-iter 50"),
    ] {
        let record = fit(folder.path(), name, &format!("{input} {flags}"));
        assert_eq!(record["evaluation"]["unlabelled"]["samples"], 320);
        // Chance is 1/40.
        assert!(accuracy(&record) > 0.4, "{name}: {}", accuracy(&record));
        let page = std::fs::read_to_string(folder.path().join(name).join("report.html")).unwrap();
        assert!(page.matches("class=\"part\"").count() == 40);
    }
}

#[test]
fn news_posts_with_labels_for_5_percent() {
    let Some(data) = data("20newsgroups") else { return };
    let folder = tempfile::tempdir().unwrap();
    let all = std::fs::read_to_string(data.join("labels.csv")).unwrap();
    let mut some = std::fs::File::create(folder.path().join("some.csv")).unwrap();
    writeln!(some, "index,label").unwrap();
    all.lines().skip(1).step_by(20).for_each(|line| writeln!(some, "{line}").unwrap());
    let input = format!(
        "{} --feature-names {} --labels some.csv -k 20 --scale tfidf --max-iter 20 \
        --spread off",
        data.join("counts.mtx.gz").display(),
        data.join("terms.txt").display()
    );
    let record = fit(folder.path(), "20newsgroups", &input);
    assert_eq!(record["data"]["stored_values"], 1_323_582);
    let evaluate = format!("evaluate 20newsgroups --labels {} --json", data.join("labels.csv").display());
    let found: Value = serde_json::from_str(&succeed(folder.path(), &evaluate)).unwrap();
    let unlabelled = &found["evaluation"]["unlabelled"];
    println!("20newsgroups, by evaluate: {unlabelled}");
    // Chance is 1/20.
    assert!(unlabelled["accuracy"].as_f64().unwrap() > 0.15);
    let page = std::fs::read_to_string(folder.path().join("20newsgroups/report.html")).unwrap();
    assert!(page.contains("sci.space") && page.contains("class=\"bar\""));
}

#[test]
fn cells_by_their_counts_with_the_kullback_leibler_loss() {
    let Some(data) = data("worm-neuron") else { return };
    let folder = tempfile::tempdir().unwrap();
    let input = format!(
        "{} --labels {} --labels-per-class 2 --method nmf --init random --loss kl -k 10 --max-iter 60",
        data.join("counts.mtx.gz").display(),
        data.join("labels.csv").display()
    );
    let record = fit(folder.path(), "worm-neuron", &input);
    assert_eq!(record["settings"]["loss"], "kullback-leibler");
    assert!(accuracy(&record) > 0.2, "{}", accuracy(&record));
}

#[test]
fn the_built_in_digits_stand_in_for_absent_data() {
    let folder = tempfile::tempdir().unwrap();
    let digits = Path::new(env!("CARGO_MANIFEST_DIR")).join("../partwise-io/data/digits.csv.gz");
    let input = format!(
        "{} --label-column 64 --labels-per-class 2 --scale unit-rows --image-shape 8x8 --max-iter 10",
        digits.display()
    );
    for (name, flags) in [
        ("digits-cnmf", "--method cnmf --solver bpp"),
        ("digits-ws-nmf", "--method ws-nmf --solver bpp"),
        ("digits-kl", "--method cnmf-kl"),
        ("digits-guided", "--method guided"),
        ("digits-guided-graph", "--graph-neighbours 5"),
    ] {
        let record = fit(folder.path(), name, &format!("{input} {flags}"));
        assert_eq!(record["evaluation"]["unlabelled"]["samples"], 1777);
        // Chance is 1/10.
        assert!(accuracy(&record) > 0.4, "{name}: {}", accuracy(&record));
    }
}
