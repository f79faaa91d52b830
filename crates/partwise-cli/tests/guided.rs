//! The method guided on the command line: files and short forms, names, the report, sweeps, faulty guidance.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::path::Path;

use common::{groups, json, run, stderr, succeed};

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// 24 documents × 6 words in two topics, with names; the word "never" does not occur.
fn documents(folder: &Path) {
    let words = ["ball", "goal", "court", "judge", "team", "never"];
    let mut text = format!("name,{}\n", words.join(","));
    for i in 0..24 {
        let sport = i % 2 == 0;
        let (a, b) = if sport { (4 + i % 3, 0) } else { (0, 5 + i % 4) };
        text.push_str(&format!("d{i},{a},{},{b},{},{},0\n", a + i % 2, b + i % 3, if sport { 2 } else { 1 }));
    }
    write(folder, "docs.csv", &text);
    write(folder, "labels.csv", "index,label\n0,sport\n2,sport\n1,law\n");
    write(
        folder,
        "topics.csv",
        "topic,word,weight,forbidden\nlaw,court,,\nsport,ball,2,\nsport,judge,,yes\n",
    );
    write(folder, "links.csv", "first,second,link\nd4,d6,must\nd5,8,cannot\n");
    write(folder, "edges.csv", "source,target\n10,12\n11,13\n");
}

const FILE: &str = r#"
labels = "labels.csv"
links = "links.csv"
graph = "edges.csv"

[topics]
law = ["court"]
sport = { seeds = [{ word = "ball", weight = 2 }], forbidden = ["judge"] }
"#;

#[test]
fn the_file_and_the_short_forms_give_the_same_bits_and_names_go_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    documents(at);
    write(at, "guidance.toml", FILE);
    let said = succeed(at, "fit docs.csv --guidance guidance.toml --out file");
    assert!(said.contains("method: guided") && said.contains("k: 2 (the topics law, sport)"), "{said}");
    assert!(said.contains("guidance: 2 topics, 2 seeds, 3 labels, 2 links, a graph"), "{said}");
    assert!(said.contains("guidance: 9 items: 9 followed (100 %)"), "{said}");
    let short = "--labels labels.csv --topics topics.csv --links links.csv --graph edges.csv";
    succeed(at, &format!("fit docs.csv {short} --out short"));
    write(at, "part.toml", "links = { must = [[\"d4\", 6]], cannot = [[5, \"d8\"]] }\n");
    let mixed = "--guidance part.toml --labels labels.csv --topics topics.csv --graph edges.csv";
    succeed(at, &format!("fit docs.csv {mixed} --out mixed"));
    let bytes = |run: &str, file: &str| std::fs::read(at.join(run).join(file)).unwrap();
    for file in ["codes.npy", "components.npy", "codes.csv", "memberships.csv", "guidance_report.csv"] {
        assert!(bytes("file", file) == bytes("short", file), "{file}");
        assert!(bytes("file", file) == bytes("mixed", file), "{file}");
    }
    let text = |file: &str| String::from_utf8(bytes("file", file)).unwrap();
    assert!(text("codes.csv").starts_with("sample,law,sport\n"), "{}", text("codes.csv"));
    assert!(text("components.csv").contains("\nlaw,") && text("components.csv").contains("\nsport,"));
    let report = text("guidance_report.csv");
    assert!(
        report.starts_with(
            "kind,sample,sample_name,other_sample,other_sample_name,topic,level,verdict,data,message,share,"
        ),
        "{report}"
    );
    // Two topics, their components and nine items.
    assert_eq!(report.lines().count(), 14, "{report}");
    assert!(report.contains("\ntopic,,,,,law,good,followed,fits the data,"), "{report}");
    assert!(report.contains(",sport,,followed,unknown,\"\"\"judge\"\" is kept out of"), "{report}");
    assert!(report.contains("\nmust-link,4,d4,6,d6,,,followed,fits the data,"), "{report}");
    let run = json(at.join("file/run.json"));
    assert_eq!(run["guidance_report"]["counts"]["followed"], 9);
    assert_eq!(run["guidance_report"]["findings"].as_array().unwrap().len(), 9);
    assert_eq!(run["guidance_report"]["topics"][0]["level"], "good");
    assert_eq!(run["guidance"]["guided"]["topics"][1]["name"], "sport");
    assert_eq!(run["guidance"]["guided"]["topics"][1]["strength"], 0.9);
    assert_eq!(run["settings"]["method"], "guided");
    let page = text("report.html");
    assert!(page.contains("<h2>Guidance</h2>") && page.contains("of the guidance is followed"));
    // The names are in the model: new rows get them too.
    succeed(at, "transform file docs.csv --out new");
    assert!(std::fs::read_to_string(at.join("new/codes.csv")).unwrap().starts_with("sample,law,sport\n"));
}

#[test]
fn what_is_not_followed_or_surprising_is_listed_in_every_output() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    documents(at);
    // Document 3 is about law, whatever its label says; two words have no support.
    write(at, "labels.csv", "index,label\n0,sport\n2,sport\n1,law\n3,sport\n");
    write(
        at,
        "guidance.toml",
        "topics = { law = [\"court\"], sport = [\"ball\", \"never\", \"strange\"] }\n",
    );
    let said = succeed(at, "fit docs.csv --guidance guidance.toml --labels labels.csv --out out");
    assert!(said.contains("surprising: Sample 3 is labelled \"sport\" but looks like \"law\""), "{said}");
    assert!(said.contains("no support: \"never\", a seed of \"sport\", does not occur"), "{said}");
    let run = json(at.join("out/run.json"));
    let report = &run["guidance_report"];
    let found = (&report["surprising"], &report["counts"]["no_support"]);
    assert_eq!(found, (&1.into(), &2.into()), "{report}");
    let page = std::fs::read_to_string(at.join("out/report.html")).unwrap();
    assert!(
        page.contains("What was not followed")
            && page.contains("but surprising")
            && page.contains("<li><b>label sport: d3 (3)</b>"),
        "the lists are missing"
    );
}

#[test]
fn strengths_of_items_flags_and_the_search_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    documents(at);
    write(
        at,
        "guidance.toml",
        "strength = 0.5\nlabels = { file = \"labels.csv\", strength = 1 }\ntopics = { law = [\"court\"], sport = { seeds = \"ball\", strength = \"auto\" } }\n",
    );
    let strengths = |out: &str| {
        let run = json(at.join(out).join("run.json"));
        let guided = &run["guidance"]["guided"];
        let topic = |j: usize| guided["topics"][j]["strength"].as_f64().unwrap();
        (guided["items"][0]["strength"].as_f64().unwrap(), topic(0), topic(1))
    };
    let said = succeed(at, "fit docs.csv --guidance guidance.toml --max-iter 30 --out a");
    assert!(said.contains("strengths: ") && said.contains(" fits)"), "{said}");
    let (labels, law, sport) = strengths("a");
    // Only the one that asked for it was searched.
    assert_eq!((labels, law), (1.0, 0.5));
    assert!(sport > 0.0 && sport < 1.0 && sport != 0.9, "{sport}");
    succeed(at, "fit docs.csv --guidance guidance.toml --strength 0.25 --max-iter 5 --out b");
    let (labels, law, _) = strengths("b");
    assert_eq!((labels, law), (1.0, 0.25));
    let said = succeed(
        at,
        "fit docs.csv --topics topics.csv --labels labels.csv --strength auto --max-iter 30 --out c",
    );
    assert!(said.contains("the smallest that follows 95 % of the guidance"), "{said}");
}

#[test]
fn images_go_to_the_topics_that_labels_and_nameless_references_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    write(at, "ref.csv", "1,1,1,0,0,0,0,0,0\n0,0,0,1,1,1,0,0,0\n");
    let said =
        succeed(at, "fit x.npy --labels labels.csv --labels-per-class 2 --reference ref.csv --out out");
    assert!(said.contains("which have no names, are in order <cats>, ants"), "{said}");
    let run = json(at.join("out/run.json"));
    let report = &run["guidance_report"];
    // The references belong to ants and bees, but lie in the places of cats and ants; 6 labels say so.
    assert!(report["surprising"].as_u64().unwrap() > 0, "{report}");
    write(at, "ref.csv", "name,a,b,c,d,e,f,g,h,i\nants,1,1,1,0,0,0,0,0,0\nbees,0,0,0,1,1,1,0,0,0\n");
    succeed(at, "fit x.npy --labels labels.csv --labels-per-class 2 --reference ref.csv --out named");
    let run = json(at.join("named/run.json"));
    assert_eq!(run["guidance_report"]["counts"]["followed"], 8, "{}", run["guidance_report"]);
    assert_eq!(run["evaluation"]["unlabelled"]["accuracy"], 1.0);
}

#[test]
fn a_sweep_shows_fit_against_agreement() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    documents(at);
    // Half of the labels are wrong: following them costs.
    let wrong: String = (0..12).map(|i| format!("{i},{}\n", ["sport", "law"][i / 6])).collect();
    write(at, "labels.csv", &format!("index,label\n{wrong}"));
    let said = succeed(at, "sweep docs.csv --labels labels.csv --scales 10,0,0.1,1 --out out");
    assert!(said.contains("k: 2") && said.contains("agreement"), "{said}");
    let table = std::fs::read_to_string(at.join("out/sweep.csv")).unwrap();
    let rows: Vec<Vec<f64>> =
        table.lines().skip(1).map(|l| l.split(',').map(|c| c.parse().unwrap()).collect()).collect();
    assert_eq!(rows.iter().map(|r| r[0]).collect::<Vec<_>>(), [0.0, 0.1, 1.0, 10.0]);
    assert!(rows[3][2] > rows[0][2], "agreement does not grow: {table}");
    assert!(rows[3][1] > rows[0][1], "following wrong labels costs nothing: {table}");
    let page = std::fs::read_to_string(at.join("out/report.html")).unwrap();
    assert!(page.contains("fraction of the guidance that is followed") && page.contains("×0.1"));
    assert_eq!(json(at.join("out/run.json"))["points"].as_array().unwrap().len(), 4);
}

#[test]
fn weights_of_features_come_by_name_and_the_model_encodes_new_rows_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    documents(at);
    write(
        at,
        "named.toml",
        "labels = \"labels.csv\"\nfeature_weights = { goal = 2.5, team = 0, unheard = 3 }\n",
    );
    write(at, "weights.txt", "1\n2.5\n1\n1\n0\n1\n");
    write(at, "lines.toml", "labels = \"labels.csv\"\nfeature_weights = \"weights.txt\"\n");
    for name in ["named", "lines"] {
        let output =
            run(at, &format!("fit docs.csv --method guided --guidance {name}.toml --seed 1 --out {name}"));
        assert!(output.status.success(), "{}", stderr(&output));
        if name == "named" {
            assert!(stderr(&output).contains("feature_weights names unheard"), "{}", stderr(&output));
        }
    }
    let model = |name: &str| std::fs::read(at.join(name).join("components.npy")).unwrap();
    assert_eq!(model("named"), model("lines"));
    // What stands in an ignored feature changes no code.
    let text = std::fs::read_to_string(at.join("docs.csv")).unwrap();
    let other: Vec<String> = text
        .lines()
        .map(|line| {
            let mut cells: Vec<&str> = line.split(',').collect();
            if cells[5] != "team" {
                cells[5] = "9";
            }
            cells.join(",")
        })
        .collect();
    write(at, "other.csv", &(other.join("\n") + "\n"));
    for data in ["docs", "other"] {
        let output = run(at, &format!("transform named/model.safetensors {data}.csv --out new-{data}"));
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let codes = |data: &str| std::fs::read(at.join(format!("new-{data}")).join("codes.npy")).unwrap();
    assert_eq!(codes("docs"), codes("other"));
}

#[test]
fn faulty_guidance_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    documents(at);
    write(at, "key.toml", "labels = \"labels.csv\"\ntopcis = []\n");
    write(at, "range.toml", "[[topics]]\nname = \"law\"\nstrength = 2\n");
    write(at, "labels.toml", "labels = \"labels.csv\"\n");
    write(at, "missing.toml", "labels = \"nowhere.csv\"\n");
    write(at, "empty.toml", "\n# nothing\n");
    write(at, "weights.txt", "1\n2\n");
    write(at, "weights.toml", "labels = \"labels.csv\"\nsample_weights = \"weights.txt\"\n");
    write(at, "columns.toml", "labels = \"labels.csv\"\nfeature_weights = \"weights.txt\"\n");
    write(at, "header.csv", "topic,seed\nlaw,court\n");
    write(at, "bad.csv", "d0,d99,must\n");
    for (arguments, parts) in [
        ("--guidance key.toml", &["key.toml: line 2, column 1", "did you mean \"topics\"?"][..]),
        ("--guidance range.toml", &["line 3, column 12", "from 0 (ignored) to 1 (fixed exactly)"]),
        ("--guidance labels.toml --labels labels.csv", &["remove --labels"]),
        ("--guidance missing.toml", &["nowhere.csv"]),
        ("--guidance empty.toml -k 2", &["--topics", "needs guidance"]),
        ("--guidance weights.toml", &["weights.txt", "2 weights for 24 samples"]),
        ("--guidance columns.toml", &["weights.txt", "2 weights for 6 features"]),
        ("--topics header.csv", &["header.csv", "no column of words", "valid: topic,word"]),
        ("--links bad.csv -k 2", &["bad.csv: line 1, column 2", "\"d99\""]),
        ("--links links.csv", &["-k (the number of components) is required"]),
        ("--topics topics.csv -k 1", &["at least 2", "law, sport"]),
        ("--topics topics.csv --method cnmf", &["--topics applies only to the method guided"]),
        ("--topics topics.csv --strength 3", &["--strength 3", "from 0 (ignored) to 1"]),
        ("--graph edges.csv --labels labels.csv --strength 1 --guidance nope.toml", &["nope.toml"]),
    ] {
        let output = run(at, &format!("fit docs.csv {arguments} --out never"));
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
        for part in parts {
            assert!(message.contains(part), "{arguments}: \"{part}\" is not in: {message}");
        }
        assert!(!at.join("never").exists(), "{arguments}");
    }
    let output = run(at, "sweep docs.csv --labels labels.csv --scales 1,-1 --out never");
    assert!(stderr(&output).contains("0 or more"), "{}", stderr(&output));
    let output = run(at, "sweep docs.csv --labels labels.csv --method cnmf --out never");
    assert!(stderr(&output).contains("only the method guided"), "{}", stderr(&output));
}
