//! `partwise rank`: the number of planted parts, its files, and what it refuses.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::path::Path;

use common::{json, run, stderr, succeed};

/// 48 samples of one of two parts, as counts.
fn two_parts(folder: &Path) {
    let row = |i: usize| {
        let count = |j: usize| match i.is_multiple_of(2) == (j < 6) {
            true => 20 + (i * 7 + j * 11) % 9 + (i / 2 % 5) * (1 + j % 6),
            false => (i * 5 + j * 3) % 3,
        };
        (0..12).map(|j| count(j).to_string()).collect::<Vec<_>>().join(",")
    };
    std::fs::write(folder.join("x.csv"), (0..48).map(row).collect::<Vec<_>>().join("\n")).unwrap();
}

#[test]
fn the_number_of_parts_is_found_with_its_reasons() {
    let folder = tempfile::tempdir().unwrap();
    two_parts(folder.path());
    let said = succeed(folder.path(), "rank x.csv --no-header --to 6 --splits 4 --out out");
    let out = folder.path().join("out");
    let answer = json(out.join("rank.json"));
    assert_eq!((&answer["rank"], &answer["holdout"]), (&2.into(), &"thinning".into()), "{answer}");
    assert_eq!(answer["stopped"], false);
    assert!(said.contains(answer["explanation"].as_str().unwrap()), "{said}");
    let table = std::fs::read_to_string(out.join("rank.csv")).unwrap();
    assert!(table.starts_with("rank,error,excess,excess_standard_error,replication\n1,"), "{table}");
    assert_eq!(table.lines().count() - 1, answer["table"].as_array().unwrap().len());
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("held-out error") && !page.contains("NaN"), "{page}");
    let record = json(out.join("run.json"));
    assert_eq!((&record["command"], &record["result"]["rank"]), (&"rank".into(), &2.into()));
}

#[test]
fn an_answer_that_was_cut_short_says_so() {
    let folder = tempfile::tempdir().unwrap();
    two_parts(folder.path());
    let said = succeed(folder.path(), "rank x.csv --no-header --to 6 --time-limit 0.000001 --out out");
    let answer = json(folder.path().join("out/rank.json"));
    assert_eq!(answer["stopped"], true, "{answer}");
    assert!(said.contains("No answer: the search was stopped when only 1 component"), "{said}");
    assert!(answer["confidence"].is_null(), "{answer}");
    let fitted = run(folder.path(), "fit x.csv --no-header -k auto --time-limit 0.000001 --out never");
    assert!(stderr(&fitted).contains("stopped before it compared two numbers"), "{}", stderr(&fitted));
    assert!(!folder.path().join("never").exists());
}

#[test]
fn ranges_that_cannot_be_compared_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    two_parts(folder.path());
    for (flags, part) in [
        ("--from 5 --to 4", "--from is 5, but must be from 1 to --to, which is 4"),
        ("--from 20 --to 30", "--from is 20, but must be at most"),
        ("--splits 1", "--splits is 1, but must be 2 or more"),
        ("--holdout entries", "single entries need the squared loss"),
    ] {
        let output = run(folder.path(), &format!("rank x.csv --no-header {flags} --out never"));
        assert_eq!(output.status.code(), Some(2), "{flags}");
        assert!(stderr(&output).contains(part), "{flags}: {}", stderr(&output));
        assert!(!folder.path().join("never").exists());
    }
}

#[test]
fn a_fit_finds_its_own_number_of_components() {
    let folder = tempfile::tempdir().unwrap();
    two_parts(folder.path());
    let said = succeed(folder.path(), "fit x.csv --no-header -k auto --out out");
    assert!(said.contains("k: 2 (found as `partwise rank` does). 2 components"), "{said}");
    assert_eq!(json(folder.path().join("out/run.json"))["settings"]["rank"], 2);
    std::fs::write(folder.path().join("known.csv"), "index,label\n0,even\n2,even\n4,even\n6,even\n").unwrap();
    let guided = "fit x.csv --no-header --method guided --labels known.csv --spread off -k auto --out guided";
    let said = succeed(folder.path(), guided);
    assert!(said.contains("2 components (1 named, 1 free)"), "{said}");
    assert_eq!(json(folder.path().join("guided/run.json"))["settings"]["rank"], 2);
    let refused = run(folder.path(), "fit x.csv --no-header -k some --out never");
    assert!(!refused.status.success() && stderr(&refused).contains("or auto to find it"), "{refused:?}");
}

#[test]
fn free_components_are_compared_beside_named_ones() {
    let folder = tempfile::tempdir().unwrap();
    two_parts(folder.path());
    let known = "index,label\n0,even\n2,even\n4,even\n6,even\n8,even\n10,even\n";
    std::fs::write(folder.path().join("known.csv"), known).unwrap();
    let said = succeed(
        folder.path(),
        "rank x.csv --no-header --labels known.csv --to 5 --splits 4 --restarts 1 --out out",
    );
    assert!(said.contains("2 components (1 named, 1 free)"), "{said}");
    let answer = json(folder.path().join("out/rank.json"));
    assert_eq!(
        (&answer["guidance"]["named"], &answer["guidance"]["free"]),
        (&1.into(), &1.into()),
        "{answer}"
    );
    let table = std::fs::read_to_string(folder.path().join("out/rank.csv")).unwrap();
    assert!(
        table.starts_with("rank,error,excess,excess_standard_error,replication,free,hidden_labels_found,")
    );
    let page = std::fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert!(page.contains("Under guidance") && page.contains("What divides"), "{page}");
    let refused = run(folder.path(), "rank x.csv --no-header --guidance none.toml --out never");
    assert!(!refused.status.success() && stderr(&refused).contains("none.toml"), "{refused:?}");
}

#[test]
fn data_without_an_answer_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (rows, part) in
        [(vec!["0,0,0,0,0"; 8], "every entry is 0"), (vec!["1,2,3,4,5"; 2], "4 or more samples")]
    {
        std::fs::write(folder.path().join("x.csv"), rows.join("\n")).unwrap();
        let refused = run(folder.path(), "rank x.csv --no-header --out never");
        assert!(!refused.status.success() && stderr(&refused).contains(part), "{}", stderr(&refused));
        assert!(!folder.path().join("never/rank.json").exists());
    }
}
