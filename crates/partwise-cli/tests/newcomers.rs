//! Promise: what a newcomer gets wrong, or should know of a result, is reported by every command alike: words
//! that are not in the data, classes that no sample judges, another layer, a folder without a model.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::path::Path;

use common::{groups, json, numbers, partwise, run, stderr, stdout, succeed, write_npy};

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// 24 documents × 5 words in two topics.
fn documents(folder: &Path) {
    let mut text = "name,ball,goal,court,judge,team\n".to_string();
    for i in 0..24 {
        let (a, b) = if i % 2 == 0 { (4 + i % 3, 0) } else { (0, 5 + i % 4) };
        text.push_str(&format!("d{i},{a},{},{b},{},{}\n", a + i % 2, b + i % 3, 1 + i % 2));
    }
    write(folder, "docs.csv", &text);
}

#[test]
fn words_that_are_not_in_the_data_get_the_same_notices_from_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    documents(at);
    write(at, "topics.csv", "sport,ball,gaol\nlaw,court\nmusic,piano,violin\n");
    let notices = [
        "the seed \"gaol\" of topic \"sport\" is not a feature (nearest: \"goal\"); it is left out",
        "the seed \"piano\" of topic \"music\" is not a feature; it is left out",
        "the seed \"violin\" of topic \"music\" is not a feature; it is left out",
        "none of the seeds of topic \"music\" is a feature, so the topic is not guided",
    ];
    for command in [
        "fit docs.csv --max-iter 5",
        "sweep docs.csv --scales 1 --max-iter 5",
        "rank docs.csv --to 4 --splits 2 --restarts 1",
        "consensus docs.csv -k 3 --method guided --restarts 2 --max-iter 5",
    ] {
        let output = run(at, &format!("{command} --topics topics.csv --out out --force"));
        let said = stderr(&output);
        assert!(output.status.success(), "{command}: {said}");
        let record = json(at.join("out/run.json"))["notes"].to_string().replace("\\\"", "\"");
        for notice in notices {
            assert_eq!(said.matches(notice).count(), 1, "{command}: {said}");
            assert!(record.contains(notice), "{command}: {record}");
        }
    }
}

#[test]
fn classes_without_a_sample_to_judge_by_are_named_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    let class = |i: usize| if i < 2 { "rare" } else { ["ants", "bees", "cats"][i % 3] };
    let labels: String = (0..30).map(|i| format!("{i},{}\n", class(i))).collect();
    write(at, "labels.csv", &format!("index,label\n{labels}"));
    let compare =
        "compare x.npy --labels labels.csv --methods nmf --draws 1 --labels-per-class 1,2 --out out";
    let output = run(at, compare);
    let notice = "with 2 labels per class, 1 of 4 classes has no sample left to judge by";
    let said = stderr(&output);
    assert!(said.contains("\"rare\"") && said.matches("no sample left to judge by").count() == 1, "{said}");
    assert!(said.contains(notice), "{said}");
    let table = stdout(&output);
    assert!(table.contains("3 of 4 classes judged") && table.matches("judged").count() == 1, "{table}");
    let record = json(at.join("out/run.json"));
    let judged: Vec<_> = record["lines"].as_array().unwrap().iter().map(|l| &l["classes_judged"]).collect();
    assert_eq!(judged, [4, 3]);
    assert!(record["notes"].to_string().contains("no sample left"), "{}", record["notes"]);
    let csv = std::fs::read_to_string(at.join("out/compare.csv")).unwrap();
    assert!(
        csv.lines().next().unwrap().ends_with(",classes_judged") && csv.trim_end().ends_with(",3"),
        "{csv}"
    );
    let page = std::fs::read_to_string(at.join("out/report.html")).unwrap();
    assert!(page.contains("Only 3 of 4 classes are judged") && page.contains("rare"), "{page}");
}

#[test]
fn a_folder_without_a_model_says_which_command_wrote_it_and_where_models_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    documents(at);
    write(at, "labels.csv", "index,label\nd0,sport\nd1,law\n");
    succeed(at, "sweep docs.csv --labels labels.csv --scales 1 --max-iter 3 --out swept");
    succeed(at, "fit docs.csv -k 2 --max-iter 3 --out several/one");
    for command in
        ["suggest swept", "evaluate swept --labels labels.csv", "transform swept docs.csv --out never"]
    {
        let output = run(at, command);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{command}: {said}");
        assert!(said.contains("swept: this is a result of `partwise sweep`, which has no model"), "{said}");
    }
    let said = stderr(&run(at, "suggest several"));
    assert!(said.contains("no model.safetensors; these folders in it have one: several/one"), "{said}");
    let said = stderr(&run(at, "suggest nowhere"));
    assert!(said.contains("nowhere: cannot open"), "{said}");
}

#[test]
fn a_file_that_guidance_names_and_that_is_missing_is_reported_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    documents(at);
    for (text, place, what) in [
        ("\nlabels = \"lables.csv\"\n", "line 2, column 10", "labels: lables.csv"),
        ("labels = { file = \"lables.csv\" }\n", "line 1, column 19", "file of labels: lables.csv"),
        ("strength = 0.5\nlinks = \"lables.csv\"\n", "line 2, column 9", "links: lables.csv"),
        ("sample_weights = \"lables.csv\"\n", "line 1, column 18", "sample_weights: lables.csv"),
    ] {
        write(at, "guidance.toml", text);
        let said = stderr(&run(at, "fit docs.csv -k 2 --guidance guidance.toml --out never"));
        for part in ["guidance.toml: ", place, what, "relative to the folder"] {
            assert!(said.contains(part), "{part} is not in {said}");
        }
    }
}

#[test]
fn errors_and_costs_are_called_what_the_loss_measures() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    documents(at);
    write(at, "labels.csv", "index,label\nd0,sport\nd1,law\n");
    for (loss, own, other) in [
        ("frobenius", "relative error", "divergence per unit of data"),
        ("kl", "divergence per unit of data", "relative error"),
    ] {
        let fit = format!("fit docs.csv --labels labels.csv --loss {loss} --force --out out");
        let said = succeed(at, &fit);
        assert!(said.matches(own).count() == 2 && !said.contains(other), "{said}");
        let said =
            succeed(at, &format!("consensus docs.csv -k 2 --loss {loss} --restarts 2 --force --out out"));
        assert!(said.contains(own) && !said.contains(other), "{said}");
    }
}

/// Without --out, each of several runs at the same time has a folder of its own.
#[test]
fn runs_at_the_same_time_without_out_take_one_number_each() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_npy(&at.join("x.npy"), &[300, 30], &numbers(9_000, 3));
    let begin = |seed: usize| {
        let fit = format!("fit x.npy -k 4 --init random --seed {seed} --max-iter 20 --threads 1");
        let mut command = partwise();
        command.current_dir(at).args(fit.split_whitespace());
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let runs: Vec<_> = (0..6).map(begin).collect();
    let mut folders: Vec<String> = Vec::new();
    for (seed, run) in runs.into_iter().enumerate() {
        let output = run.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let said = stdout(&output);
        let result = said.lines().find_map(|line| line.strip_prefix("result: ")).unwrap();
        let name = result.split(' ').next().unwrap().to_string();
        assert_eq!(json(at.join(&name).join("run.json"))["settings"]["seed"], seed, "{name}");
        folders.push(name);
    }
    folders.sort();
    let first = folders[0].clone();
    let expected: Vec<String> =
        std::iter::once(first.clone()).chain((2..=6).map(|n| format!("{first}-{n}"))).collect();
    assert_eq!(folders, expected);
    assert_eq!(std::fs::read_dir(at).unwrap().count(), 7, "nothing else is left");
}
