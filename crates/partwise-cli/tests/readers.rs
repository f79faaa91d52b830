//! Promise: what a table or a label file means, and what was decided, is told on standard error and in
//! run.json; models that lie are refused by every command.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;

/// A table with numeric ids under a header without a usual name.
const IDS: &str = "ward,a,b,c\n1001,1.5,0,2\n1002,0,3,1\n1003,2,0.5,4\n1004,0,1,1\n";

#[test]
fn how_a_table_was_read_is_told_and_flags_say_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "ids.csv", IDS);
    write(at, "years.csv", "2019,2020,2021\n0.5,1,2\n3,0.25,1\n");
    for (command, features, samples, told) in [
        ("fit ids.csv", 3, 4, Some("--no-row-names")),
        ("fit ids.csv --no-row-names", 4, 4, None),
        ("fit years.csv", 3, 2, Some("--no-header")),
        ("fit years.csv --no-header", 3, 3, None),
        ("sweep years.csv --labels l.csv --scales 0,1", 3, 2, Some("--no-header")),
    ] {
        write(at, "l.csv", "a\nb\n");
        let output = run(at, &format!("{command} -k 2 --max-iter 2 --force --out o"));
        assert!(output.status.success(), "{command}: {}", stderr(&output));
        if command.starts_with("fit") {
            let record = json(at.join("o/run.json"));
            assert_eq!(record["data"]["features"], features, "{command}");
            assert_eq!(record["data"]["samples"], samples, "{command}");
            assert_eq!(
                record["notes"].to_string().contains("read as"),
                told.is_some(),
                "{command}: {}",
                record["notes"]
            );
        }
        let said = stderr(&output) + &String::from_utf8_lossy(&output.stdout);
        if let Some(told) = told {
            assert!(said.contains(told), "{command}: {said}");
        }
    }
    succeed(at, "fit ids.csv -k 2 --max-iter 2 --force --out o");
    // Files of our own are read back as what they are; new rows are read by the same flags.
    for file in ["codes.csv", "components.csv"] {
        succeed(at, &format!("fit o/{file} -k 1 --max-iter 2 --force --out back"));
        let record = json(at.join("back/run.json"));
        let (samples, features) = if file == "codes.csv" { (4, 2) } else { (2, 3) };
        assert_eq!(
            (record["data"]["samples"].as_u64(), record["data"]["features"].as_u64()),
            (Some(samples), Some(features))
        );
    }
    succeed(at, "transform o ids.csv --row-names --header --out new");
    refused_by(
        at,
        "transform o ids.csv --no-row-names --out other",
        &["4 names", "not features of the model"],
    );
    write_npy(&at.join("x.npy"), &[2, 2], &[1.0; 4]);
    refused_by(at, "fit x.npy -k 1 --header --out n", &["only to text tables"]);
}

#[test]
fn labels_go_by_name_in_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "x.csv", "name,a,b,c\nann,5,0,1\nbob,4,0,0\ncid,0,3,4\ndan,0,4,3\n");
    write(at, "l.csv", "sample,label\ndan,q\nann,p\n");
    write(at, "all.csv", "sample,label\ndan,q\nann,p\ncid,q\nbob,NA\n");
    write(at, "wrong.csv", "sample,label\ndna,q\nann,p\n");
    succeed(at, "fit x.csv --labels l.csv --method cnmf --max-iter 20 --out o");
    let record = json(at.join("o/run.json"));
    assert_eq!(record["guidance"]["labels"]["samples"], serde_json::json!([0, 3]));
    let output = run(at, "evaluate o --labels all.csv --json");
    assert!(output.status.success(), "{}", stderr(&output));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["class_names"], serde_json::json!(["p", "q"]));
    assert_eq!(found["evaluation"]["all"]["samples"], 3);
    succeed(at, "suggest o --labels all.csv");
    for command in [
        "fit x.csv --labels wrong.csv --out w",
        "evaluate o --labels wrong.csv",
        "suggest o --labels wrong.csv",
    ] {
        refused_by(at, command, &["wrong.csv", "line 2", "\"dna\"", "did you mean \"dan\"?"]);
    }
}

#[test]
fn models_that_lie_are_refused_by_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "x.csv", "a,b,c\n5,0,1\n4,0,0\n0,3,4\n0,4,3\n");
    write(at, "l.csv", "p\np\nq\nq\n");
    succeed(at, "fit x.csv -k 2 --dtype f64 --max-iter 5 --out o");
    let whole = std::fs::read(at.join("o/model.safetensors")).unwrap();
    let header = u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize + 8;
    for (name, value) in [("nan", f64::NAN), ("negative", -1.0), ("infinite", f64::INFINITY)] {
        for place in ["first", "last"] {
            let mut bytes = whole.clone();
            let begin = if place == "first" { header } else { bytes.len() - 8 };
            bytes[begin..begin + 8].copy_from_slice(&value.to_le_bytes());
            std::fs::write(at.join("bad.safetensors"), &bytes).unwrap();
            for command in [
                "evaluate bad.safetensors --labels l.csv",
                "evaluate bad.safetensors --labels l.csv --clusters largest",
                "evaluate bad.safetensors --labels l.csv --clusters k-means",
                "suggest bad.safetensors",
                "suggest bad.safetensors --links",
                "transform bad.safetensors x.csv --out t",
                "fit x.csv -k 2 --start bad.safetensors --out t",
            ] {
                refused_by(at, command, &["bad.safetensors", "finite and 0 or more", "row"]);
            }
            assert!(!at.join("t").exists(), "{name}");
        }
    }
    // Codes of other shapes: 4 x 2 codes become 2 x 4 or 8 x 1.
    let text = String::from_utf8_lossy(&whole[8..header]).into_owned();
    for shape in ["[2,4]", "[8,1]"] {
        let damaged = text.replace("[4,2]", shape);
        assert_ne!(damaged, text);
        let mut bytes = (damaged.len() as u64).to_le_bytes().to_vec();
        bytes.extend(damaged.as_bytes());
        bytes.extend(&whole[header..]);
        std::fs::write(at.join("bad.safetensors"), bytes).unwrap();
        let command = "evaluate bad.safetensors --labels l.csv --clusters largest";
        refused_by(at, command, &["bad.safetensors", "\"codes\"", "components"]);
    }
}

#[test]
fn a_record_that_lies_about_a_classification_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::create_dir(at.join("r")).unwrap();
    write(at, "l.csv", "p\nq\n");
    // As written before there was `partwise classify`, and since.
    let former = r#"{"recipe": {"classes": ["p", "q"]}, "labels": {"samples": [0]}}"#;
    let sound = r#"{"classification": {"classes": ["p", "q"]}, "labels": {"samples": [0]}}"#;
    let lists_one = r#"{"classification": {"classes": ["p"]}}"#;
    for (values, record, parts) in [
        ([1.0, 0.0, 0.0, 1.0], sound, None),
        ([1.0, 0.0, 0.0, 1.0], former, None),
        ([1.0, 0.0, 0.0, 1.0], lists_one, Some(["run.json", "classification.classes"])),
        ([f64::NAN, 0.0, 0.0, 1.0], sound, Some(["memberships.npy", "row 0, column 0"])),
        ([1.0, 0.0, -1.0, 1.0], sound, Some(["memberships.npy", "row 1, column 0"])),
        ([1.0, 0.0, 0.0, 1.0], r#"{"recipe": {"classes": ["p"]}}"#, Some(["run.json", "recipe.classes"])),
        ([1.0, 0.0, 0.0, 1.0], r#"{"recipe": {}}"#, Some(["run.json", "recipe.classes"])),
        (
            [1.0, 0.0, 0.0, 1.0],
            r#"{"recipe": {"classes": ["p", "q"]}, "labels": {"samples": [5]}}"#,
            Some(["run.json", "labels.samples"]),
        ),
    ] {
        write_npy(&at.join("r/memberships.npy"), &[2, 2], &values);
        write(at, "r/run.json", record);
        match parts {
            None => drop(succeed(at, "evaluate r --labels l.csv")),
            Some(parts) => refused_by(at, "evaluate r --labels l.csv", &parts),
        }
    }
}

#[test]
fn mutated_records_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "l.csv", "p\nq\np\nq\n");
    write(at, "x.csv", "a,b\n1.5,0\n0,3\n2,0.5\n0,1\n");
    succeed(at, "classify x.csv --labels l.csv --out r");
    let sound = std::fs::read(at.join("r/run.json")).unwrap();
    let pieces: [&[u8]; 8] =
        [b"null", b"-1", b"1e999", b"[]", b"{}", b"\"", b"18446744073709551616", b"\xff"];
    let mut state = 7_u64;
    let mut draw = |end: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % end
    };
    let mut refused = 0;
    for round in 0..300 {
        let mut bytes = sound.clone();
        for _ in 0..=draw(3) {
            let place = draw(bytes.len());
            match draw(4) {
                0 => bytes[place] = draw(256) as u8,
                1 => bytes.truncate(place.max(1)),
                2 => drop(bytes.drain(place..(place + 1 + draw(20)).min(bytes.len()))),
                _ => drop(bytes.splice(place..place, pieces[draw(pieces.len())].iter().copied())),
            }
            if bytes.is_empty() {
                bytes.push(b'{');
            }
        }
        std::fs::write(at.join("r/run.json"), &bytes).unwrap();
        let output = run(at, "evaluate r --labels l.csv");
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 2)), "round {round}: {code:?}: {}", stderr(&output));
        refused += usize::from(code == Some(2));
    }
    assert!(refused > 50, "only {refused} of 300 records were refused");
}

fn write(at: &std::path::Path, name: &str, text: &str) {
    std::fs::write(at.join(name), text).unwrap();
}

/// Fails unless the command ends with exit code 2 and a message that has all parts.
fn refused_by(at: &std::path::Path, command: &str, parts: &[&str]) {
    let output = run(at, command);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{command}: {message}");
    assert!(!message.contains("panicked"), "{command}: {message}");
    for part in parts {
        assert!(message.contains(part), "{command}: \"{part}\" is not in: {message}");
    }
}
