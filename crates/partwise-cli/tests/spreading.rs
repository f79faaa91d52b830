//! `--spread`: on by default for labels of the method guided, kept in the model, used by transform; off fits
//! as before.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::path::Path;

use common::{json, run, stderr, succeed};

/// 48 documents × 8 words in two topics of two kinds each; labels know one kind of each.
fn documents(folder: &Path) {
    let (mut text, mut labels) = (String::from("a,b,c,d,e,f,g,h\n"), String::from("label\n"));
    for i in 0..48 {
        let kind = i % 4;
        let row: Vec<String> = (0..8)
            .map(|j| if j / 2 == kind { 4 + (i + j) % 3 } else { usize::from((i * 5 + j * 3) % 7 == 0) })
            .map(|v| v.to_string())
            .collect();
        text.push_str(&format!("{}\n", row.join(",")));
        labels.push_str(match i {
            0 | 4 => "sport\n",
            2 | 6 => "law\n",
            _ => "-1\n",
        });
    }
    std::fs::write(folder.join("docs.csv"), text).unwrap();
    std::fs::write(folder.join("labels.csv"), labels).unwrap();
}

#[test]
fn labels_are_spread_by_default_and_the_model_keeps_it_for_new_rows() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    documents(at);
    let guided = "fit docs.csv --method guided --labels labels.csv";
    let said = succeed(at, &format!("{guided} --out auto"));
    assert!(said.contains("4 labels were spread to the 44 samples without one"), "{said}");
    assert!(said.contains("guidance: 4 items: 4 followed"), "{said}");
    assert!(said.contains("spread labels: 2 of 2 topics"), "{said}");
    let run = json(at.join("auto/run.json"));
    let items = run["guidance"]["guided"]["items"].as_array().unwrap();
    let kinds: Vec<&str> = items.iter().map(|item| item["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["labels", "spread", "scorer"]);
    assert_eq!(run["guidance_report"]["findings"].as_array().unwrap().len(), 4);
    assert_eq!(run["guidance_report"]["derived"].as_array().unwrap().len(), 2);
    // New rows lie where the same rows lay in the fit.
    succeed(at, "transform auto docs.csv --out new");
    let clusters = |folder: &str| -> Vec<String> {
        let text = std::fs::read_to_string(at.join(folder).join("memberships.csv")).unwrap();
        text.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_string()).collect()
    };
    let (fitted, new) = (clusters("auto"), clusters("new"));
    let alike = fitted.iter().zip(&new).filter(|(a, b)| a == b).count();
    assert!(alike >= 46, "{alike} of 48 rows are where they were");
}

#[test]
fn off_fits_labels_alone_and_on_refuses_what_cannot_be_spread() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    documents(at);
    let said = succeed(at, "fit docs.csv --method guided --labels labels.csv --spread off --out off");
    assert!(!said.contains("spread"), "{said}");
    let run_json = json(at.join("off/run.json"));
    assert_eq!(run_json["guidance"]["guided"]["items"].as_array().unwrap().len(), 1);
    assert_eq!(run_json["guidance_report"]["derived"].as_array().unwrap().len(), 0);

    std::fs::write(at.join("topics.csv"), "topic,word\nsport,a\nlaw,e\n").unwrap();
    let refused = run(at, "fit docs.csv --topics topics.csv --spread on --out x");
    assert!(!refused.status.success());
    assert!(
        stderr(&refused).contains("labels cannot be spread: that needs labelled samples"),
        "{}",
        stderr(&refused)
    );
    let refused = run(at, "fit docs.csv -k 2 --method nmf --spread on --out x");
    assert!(stderr(&refused).contains("--spread applies only to the method guided"), "{}", stderr(&refused));
    let refused = run(at, "fit docs.csv --topics topics.csv --spread maybe --out x");
    assert!(stderr(&refused).contains("auto, on, off"), "{}", stderr(&refused));
}
