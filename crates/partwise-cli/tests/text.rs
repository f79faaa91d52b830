//! Promise: texts are data: a folder, a column of a table, JSON lines, or lines; new texts are counted with
//! the words of the model.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::path::Path;

use common::{json, run, stderr, succeed};

const SPORT: [&str; 4] = [
    "The striker scored a goal, and the goal won the match.",
    "A match without a goal; the striker missed.",
    "The team and its striker trained for the match.",
    "Goal after goal: the team won!",
];
const LAW: [&str; 4] = [
    "The court heard the judge, and the judge ruled.",
    "A judge ruled against the law in court.",
    "The law was changed; the court must follow the law.",
    "Judge and court ruled on the new law.",
];

fn texts() -> Vec<&'static str> {
    SPORT.into_iter().chain(LAW).collect()
}

fn folder_of_texts(folder: &Path) {
    for (i, text) in texts().iter().enumerate() {
        let class = folder.join("texts").join(if i < 4 { "sport" } else { "law" });
        std::fs::create_dir_all(&class).unwrap();
        std::fs::write(class.join(format!("{i}.txt")), text).unwrap();
    }
}

fn words(result: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(result.join("components.csv")).unwrap();
    text.lines().next().unwrap().split(',').skip(1).map(str::to_string).collect()
}

#[test]
fn a_folder_of_texts_with_seed_words_gives_named_topics_and_takes_new_texts() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    folder_of_texts(at);
    std::fs::write(at.join("topics.csv"), "topic,word\nsport,goal\nlaw,court\n").unwrap();
    succeed(at, "fit texts/ --text --topics topics.csv");
    let out = at.join("texts-partwise");
    assert_eq!(words(&out), ["court", "goal", "judge", "law", "match", "ruled", "striker", "team"]);
    let record = json(out.join("run.json"));
    assert_eq!(
        (&record["data"]["format"], &record["settings"]["scale"]["kind"]),
        (&"text".into(), &"tfidf".into())
    );
    let memberships = std::fs::read_to_string(out.join("memberships.csv")).unwrap();
    let topics: Vec<(&str, &str)> = memberships
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .map(|cells| (cells[1], cells[2]))
        .collect();
    assert!(topics.iter().all(|(name, topic)| name.split('/').next() == Some(topic)), "{topics:?}");
    let documents = std::fs::read_to_string(out.join("documents.csv")).unwrap();
    assert!(documents.starts_with("name,snippet\nlaw/4,\"The court heard the judge, and"), "{documents}");
    // New texts, with words that the model knows and others, in one line each.
    std::fs::write(at.join("new.txt"), "The judge saw a goalkeeper in court.\nA goal, a goal!\n").unwrap();
    succeed(at, "transform texts-partwise new.txt --text");
    let found = std::fs::read_to_string(at.join("new-codes/memberships.csv")).unwrap();
    let found: Vec<&str> = found.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    assert_eq!(found, ["law", "sport"]);
}

#[test]
fn tables_json_lines_and_lines_give_the_same_counts() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let quoted = |text: &str| format!("\"{}\"", text.replace("; ", ";\n"));
    let row =
        |(i, text): (usize, &&str)| format!("t{i},{},{}\n", quoted(text), if i < 4 { "sport" } else { "" });
    let table: String = texts().iter().enumerate().map(row).collect();
    std::fs::write(at.join("news.csv"), format!("id,body,kind\n{table}")).unwrap();
    let line = |(i, text): (usize, &&str)| {
        format!("{}\n", serde_json::json!({ "id": format!("t{i}"), "body": text }))
    };
    std::fs::write(at.join("news.jsonl"), texts().iter().enumerate().map(line).collect::<String>()).unwrap();
    std::fs::write(at.join("news.txt"), texts().join("\n")).unwrap();
    for (arguments, out) in [
        ("fit news.csv --text body", "table"),
        ("fit --text body news.csv", "before"),
        ("fit news.csv --text", "guessed"),
        ("fit news.jsonl --text body", "json"),
        ("fit --text news.txt", "lines"),
    ] {
        succeed(at, &format!("{arguments} -k 2 --quiet --out {out}"));
    }
    let components = |out: &str| std::fs::read(at.join(out).join("components.npy")).unwrap();
    for other in ["before", "guessed", "json", "lines"] {
        assert_eq!(components(other), components("table"), "{other}");
    }
    let memberships = std::fs::read_to_string(at.join("table/memberships.csv")).unwrap();
    assert!(memberships.lines().nth(1).unwrap().starts_with("0,t0,"), "{memberships}");
    succeed(at, "fit news.csv --text body --label-column kind -k 2 --quiet --out labelled");
    assert_eq!(
        json(at.join("labelled/run.json"))["guidance"]["labels"]["samples"].as_array().unwrap().len(),
        4
    );
    succeed(
        at,
        "fit news.csv --text body -k 2 --stop-words none --ngrams 1,2 --max-df 0.5 --max-features 6 --out few",
    );
    assert_eq!(words(&at.join("few")).len(), 6);
}

#[test]
fn mistakes_with_texts_are_answered_with_what_is_valid() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("news.csv"), "id,title,story\n1,a,some words here\n2,b,other words\n").unwrap();
    std::fs::write(at.join("x.csv"), "a,b\n1,2\n3,4\n").unwrap();
    succeed(at, "fit x.csv -k 1 --quiet --out plain");
    for (arguments, parts) in [
        ("fit news.csv --text -k 2", &["which column holds the texts", "id, title, story"][..]),
        ("fit news.csv --text stroy -k 2", &["no text column \"stroy\"", "did you mean \"story\"?"]),
        ("fit news.csv --text story -k 2 --min-df 5", &["news.csv", "--min-df"]),
        ("fit news.csv -k 2 --min-df 5", &["--text"]),
        ("fit --text nothere/ -k 2", &["nothere/", "no such file or folder"]),
        ("fit news.csv --text story -k 2 --stop-words klingon", &["english, none"]),
        ("transform plain news.csv --text story", &["not fitted to texts"]),
    ] {
        let output = run(at, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", stderr(&output));
        for part in parts {
            assert!(stderr(&output).contains(part), "{arguments}: {part}: {}", stderr(&output));
        }
    }
}
