//! Promise: what is printed is whole or the exit code says so, and files of others are left alone.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod program;

use program::{lab, run, stderr, succeed};
use std::fs;
use std::process::Stdio;

#[test]
fn reproduce_leaves_files_of_others_alone_and_refuses_data_that_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let named = succeed(at, "reproduce --json");
    let list: serde_json::Value = serde_json::from_str(&named).unwrap();
    for experiment in list["experiments"].as_array().unwrap() {
        let name = experiment["name"].as_str().unwrap();
        let output = run(at, &format!("reproduce {name} --data nowhere --reduced --draws 1"));
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(
            stderr(&output).contains("nowhere: there is no such folder, but --data names it"),
            "{}",
            stderr(&output)
        );
    }
    for arguments in ["reproduce all --data nowhere", "reproduce --data nowhere"] {
        assert!(stderr(&run(at, arguments)).contains("nowhere: there is no such folder"), "{arguments}");
    }
    let alone = list["experiments"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["data_sets"].as_array().unwrap().is_empty());
    let Some(alone) = alone else {
        eprintln!("left out: every experiment needs data");
        return;
    };
    let name = alone["name"].as_str().unwrap();
    for file in ["report.html", "table.md", "table.csv", "table.tex", "draws.csv", "settings.json"] {
        let out = at.join("out").join(name);
        fs::create_dir_all(&out).unwrap();
        fs::write(out.join(file), "{\"mine\": 1}").unwrap();
        let output = run(at, &format!("reproduce {name} --reduced --draws 1 --out out"));
        assert_eq!(output.status.code(), Some(2), "{file}");
        assert!(stderr(&output).contains(file), "{}", stderr(&output));
        assert_eq!(fs::read_to_string(out.join(file)).unwrap(), "{\"mine\": 1}", "{file}");
        fs::remove_dir_all(at.join("out")).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_under_standard_output_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["reproduce", "reproduce --json"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut process = lab();
        process.current_dir(folder.path()).args(command.split_whitespace()).stdout(full);
        let output = process.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}: {}", stderr(&output));
        assert!(stderr(&output).contains("standard output"), "{command}: {}", stderr(&output));
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_gone_away_ends_the_list_quietly() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["reproduce", "reproduce --json"] {
        let mut process = lab();
        process.current_dir(folder.path()).args(command.split_whitespace());
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let child = process.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(141), "{command}: {}", stderr(&output));
        assert!(!stderr(&output).contains("error: "), "{command}: {}", stderr(&output));
    }
}

#[test]
fn the_help_says_what_the_exit_codes_mean() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["", "reproduce"] {
        let help = succeed(folder.path(), &format!("{command} --help"));
        for code in ["Exit codes", "130", "141"] {
            assert!(help.contains(code), "{command}: {help}");
        }
    }
}

#[test]
fn standard_output_is_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), "reproduce few-labels --out -");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("they need a folder, not standard output"), "{}", stderr(&output));
    assert!(!folder.path().join("-").exists());
}
