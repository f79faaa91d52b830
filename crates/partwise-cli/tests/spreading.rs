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

/// 48 documents × 24 words in two topics of two kinds each; half of the documents have a label.
fn kinds(folder: &Path) {
    let header: Vec<String> = (0..24).map(|j| format!("w{j}")).collect();
    let row = |i: usize| -> String {
        let count = |j: usize| match j / 6 == i % 4 {
            true => 4 + (i + j) % 3,
            false => usize::from((i * 5 + j * 3).is_multiple_of(7)),
        };
        (0..24).map(|j| count(j).to_string()).collect::<Vec<_>>().join(",") + "\n"
    };
    let label = |i: usize| if i >= 24 { "-1\n" } else { ["sport\n", "sport\n", "law\n", "law\n"][i % 4] };
    let rows: String = (0..48).map(row).collect();
    let labels: String = (0..48).map(label).collect();
    std::fs::write(folder.join("docs.csv"), format!("{}\n{rows}", header.join(","))).unwrap();
    std::fs::write(folder.join("labels.csv"), format!("label\n{labels}")).unwrap();
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

#[test]
fn classes_with_several_components_are_one_cluster_in_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    kinds(at);
    let said = succeed(at, "fit docs.csv --labels labels.csv --components-per-class auto --out auto");
    assert!(said.contains("components per class: \"law\" 2, \"sport\" 2"), "{said}");
    assert!(said.contains("k: 4 (the components of the classes)"), "{said}");
    assert!(said.contains("without the guidance"), "{said}");
    assert!(said.contains("components: mean cosine"), "{said}");
    let run_json = json(at.join("auto/run.json"));
    assert_eq!(run_json["guidance_report"]["likeness"].as_array().unwrap().len(), 4);
    assert!(run_json["guidance_report"]["cost"]["fraction"].as_f64().unwrap() >= 0.0);
    let page = std::fs::read_to_string(at.join("auto/report.html")).unwrap();
    assert!(page.contains("Components and their classes") && page.contains("What the guidance costs"));
    let table = |folder: &str| std::fs::read_to_string(at.join(folder).join("memberships.csv")).unwrap();
    let clusters = |folder: &str| -> Vec<String> {
        table(folder).lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_string()).collect()
    };
    assert!(
        table("auto").lines().next().unwrap().ends_with("law 1,law 2,sport 1,sport 2"),
        "{}",
        table("auto")
    );
    let of_fit = clusters("auto");
    assert!(of_fit.iter().all(|name| name == "sport" || name == "law"), "{of_fit:?}");
    succeed(at, "transform auto docs.csv --out new");
    let alike = of_fit.iter().zip(clusters("new")).filter(|(a, b)| *a == b).count();
    assert!(alike >= 46, "{alike} of 48 rows are where they were");
    let scores = succeed(at, "evaluate auto --labels labels.csv");
    assert!(scores.contains("accuracy        1.0000"), "{scores}");
    let next = succeed(at, "suggest auto");
    assert!(!next.contains("sport 1"), "{next}");

    // A number, by a flag or in the guidance file, gives the same model.
    succeed(at, "fit docs.csv --labels labels.csv --components-per-class 2 --out two");
    std::fs::write(
        at.join("guidance.toml"),
        "labels = { file = \"labels.csv\", components_per_class = 2 }\n",
    )
    .unwrap();
    succeed(at, "fit docs.csv --guidance guidance.toml --out file");
    assert_eq!(table("two"), table("file"));
    assert_eq!(table("two"), table("auto"));

    for (arguments, wanted) in [
        ("fit docs.csv --labels labels.csv --components-per-class auto -k 5", "not supported with -k"),
        ("fit docs.csv --labels labels.csv --components-per-class some", "or auto"),
        (
            "fit docs.csv --labels labels.csv --method ws-nmf --components-per-class auto",
            "applies only to the method guided",
        ),
        ("sweep docs.csv --labels labels.csv --components-per-class auto", "not supported with sweep"),
        ("fit docs.csv --graph-neighbours 3 --method guided -k 2 --components-per-class 2", "needs labels"),
    ] {
        let refused = run(at, &format!("{arguments} --out x"));
        assert!(
            !refused.status.success() && stderr(&refused).contains(wanted),
            "{arguments}: {}",
            stderr(&refused)
        );
    }
    std::fs::write(
        at.join("guidance.toml"),
        "labels = { file = \"labels.csv\", components_per_class = \"few\" }\n",
    )
    .unwrap();
    let refused = run(at, "fit docs.csv --guidance guidance.toml --out x");
    assert!(stderr(&refused).contains("a whole number of 1 or more, or \"auto\""), "{}", stderr(&refused));
}
