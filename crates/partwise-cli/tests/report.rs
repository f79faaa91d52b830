//! The page of a fit: the story first, then what stands behind it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{groups, numbers, run, stderr, succeed, write_npy};
use std::fs;
use std::path::Path;

/// 24 texts as counts of seven words: 12 about sport, 8 about law, 4 about food; snippets, and labels.
fn texts(at: &Path) {
    let noise = numbers(24 * 7, 3);
    let mut table = String::from("name,goal,match,team,court,judge,bread,salt\n");
    let mut snippets = String::from("name,snippet\n");
    let mut labels = String::from("name,label\n");
    for i in 0..24 {
        let (topic, words) = match i {
            0..12 => ("sport", 0..3),
            12..20 => ("law", 3..5),
            _ => ("food", 5..7),
        };
        let count = |word: usize| {
            let often = if words.contains(&word) { 4.0 } else { 0.2 };
            (often * (1.0 + noise[i * 7 + word])).round()
        };
        let row: Vec<String> = (0..7).map(|word| count(word).to_string()).collect();
        table.push_str(&format!("t{i},{}\n", row.join(",")));
        snippets.push_str(&format!("t{i},\"A text on {topic}, number {i} <i>\"\n"));
        labels.push_str(&format!("t{i},{topic}\n"));
    }
    fs::write(at.join("counts.csv"), table).unwrap();
    fs::write(at.join("snippets.csv"), snippets).unwrap();
    fs::write(at.join("labels.csv"), labels).unwrap();
    let topics = "topic,word,forbidden\nsport,goal,no\nsport,salt,yes\nlaw,court,no\n";
    fs::write(at.join("topics.csv"), topics).unwrap();
}

fn page(at: &Path, out: &str) -> String {
    fs::read_to_string(at.join(out).join("report.html")).unwrap()
}

/// Where each of these stands, in this order.
fn in_order(page: &str, parts: &[&str]) {
    let mut from = 0;
    for part in parts {
        let at = page[from..].find(part).unwrap_or_else(|| panic!("{part} is missing, or too early"));
        from += at + part.len();
    }
}

#[test]
fn the_page_begins_with_what_was_found_and_marks_what_the_user_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    texts(at);
    succeed(at, "fit counts.csv -k 3 --topics topics.csv --snippets snippets.csv --spread off --out out");
    let page = page(at, "out");
    in_order(
        &page,
        &[
            "<p class=\"story\">3 topics in 24 documents. Your 2 words were followed.",
            "1 forbidden word stays out.",
            "Largest: sport (12).</p>",
            "<h2>Topics</h2>",
            // The largest first.
            "<h3>sport</h3><p class=\"size\">12 documents · 50 % · <span class=\"verdict good\"",
            "Kept out by you: <s>salt</s>",
            "<h3>law</h3><p class=\"size\">8 documents",
            "<h3>part 3</h3><p class=\"size\">4 documents · 17 %</p>",
            "<h2>Map</h2>",
            "<h2>Guidance</h2>",
            "<h2>Make this again</h2>",
            "partwise fit counts.csv -k 3 --topics topics.csv",
            "<dt>SHA-256</dt>",
            "<h2>How to cite</h2>",
            "@misc{partwise,",
            "<details><summary><h2>Behind the numbers",
        ],
    );
    let seeds: Vec<&str> = page.split("<div class=\"bar seed\">").skip(1).collect();
    assert_eq!(seeds.len(), 2, "one for each word");
    assert!(seeds[0].starts_with("<span class=\"n\" title=\"goal\">"), "{}", &seeds[0][..80]);
    assert!(seeds[1].starts_with("<span class=\"n\" title=\"court\">"), "{}", &seeds[1][..80]);
    // Names, snippets and memberships of the samples that represent a topic; all in the map.
    assert!(page.contains("<span>A text on law, number 1"), "a snippet in a card");
    assert!(page.contains("&lt;i&gt;") && !page.contains("number 1 <i>"), "snippets are text");
    assert_eq!(page.matches("<circle cx=").count(), 24, "all samples are on the map");
    assert!(page.contains("t0\t0\t"), "the list for the search box");
}

#[test]
fn components_and_labels_are_counted_against_each_other_and_only_held_out_labels_are_scored() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    texts(at);
    let fit = "fit counts.csv --labels labels.csv --method guided --spread off";
    succeed(at, &format!("{fit} --labels-per-class 2 --out some"));
    let some = page(at, "some");
    in_order(
        &some,
        &[
            "Your 6 labels were followed.",
            "100 % of the 18 held-out labels are right.",
            "<table class=\"heat\"",
            "<th><span>food</span></th><th><span>law</span></th><th><span>sport</span></th>",
            "<tr><th>food</th><td style=\"--s:100%\" class=\"hi\">4</td><td>·</td><td>·</td></tr>",
            "<tr><th>law</th><td>·</td><td style=\"--s:100%\" class=\"hi\">8</td><td>·</td></tr>",
            "<tr><th>sport</th><td>·</td><td>·</td><td style=\"--s:100%\" class=\"hi\">12</td></tr>",
        ],
    );
    // A score on labels that the fit used is no headline.
    succeed(at, &format!("{fit} --out all"));
    let all = page(at, "all");
    let (story, _) = all.split_once("<h2>").unwrap();
    assert!(!story.contains("accuracy") && !story.contains("held-out"), "{story}");
    assert!(all.contains("all labelled samples, whose labels the fit used"));
}

#[test]
fn images_are_shown_beside_their_reconstruction_and_the_terms_of_the_sum() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    succeed(at, "fit x.npy -k 3 --out out");
    let light = page(at, "out");
    in_order(
        &light,
        &[
            "<p class=\"story\">3 components in 30 images. Largest: part 1 (10).</p>",
            "white is large, as in a photograph",
            "<h2>Images from their components</h2>",
            "<figcaption>rebuilt</figcaption>",
        ],
    );
    assert_eq!(light.matches("<div class=\"sum\">").count(), 3);
    assert_eq!(light.matches("class=\"part\"").count(), 3);
    succeed(at, "fit x.npy -k 3 --pictures ink --out ink");
    let ink = page(at, "ink");
    assert!(ink.contains("dark is large"));
    let first = |page: &str| page.split("class=\"part\"").nth(1).unwrap()[..400].to_string();
    assert!(first(&light) != first(&ink), "the other end of the scale is dark");
}

#[test]
fn settings_are_plain_and_snippets_must_match_the_samples() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    texts(at);
    succeed(at, "fit counts.csv -k 3 --scale tfidf --out out");
    let page = page(at, "out");
    assert!(page.contains("<dt>scale</dt><dd>tfidf</dd>") && !page.contains("{&quot;"), "settings");
    fs::write(at.join("few.txt"), "one\ntwo\n").unwrap();
    let output = run(at, "fit counts.csv -k 3 --snippets few.txt --out none");
    assert!(stderr(&output).contains("few.txt: the file has 2 texts, but there are 24 samples"));
    assert!(!at.join("none").exists());
}

#[test]
fn a_large_page_stays_small() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_npy(&at.join("x.npy"), &[300, 64, 64], &numbers(300 * 4096, 2));
    succeed(at, "fit x.npy -k 40 --max-iter 2 --out out");
    let bytes = fs::metadata(at.join("out/report.html")).unwrap().len();
    assert!(bytes < 1_000_000, "{bytes}");
}
