//! Promise: a result replaces only what Partwise wrote, two runs never mix theirs, and whatever a killed run
//! left is put right.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use partwise_io::OutputFolder;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Every file below a folder with its content, and every empty folder.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            let inside = tree(&path);
            if inside.is_empty() {
                all.insert(path, Vec::new());
            } else {
                all.extend(inside);
            }
        } else {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    all
}

/// A finished result with these files.
fn result(target: &Path, force: bool, files: &[(&str, &str)]) -> partwise_io::Result<()> {
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    let folder = OutputFolder::for_files(target, force, &names)?;
    for (name, content) in files {
        folder.write(name, |w| w.write_all(content.as_bytes()))?;
    }
    folder.finish(record()).map(drop)
}

#[test]
fn force_replaces_the_files_of_the_list_and_leaves_every_other_as_it_is() {
    let home = tempfile::tempdir().unwrap();
    let target = home.path().join("out");
    result(&target, false, &[("codes.csv", "old"), ("sweep.csv", "old")]).unwrap();
    for folder in [".git/objects", "chapters", "empty"] {
        fs::create_dir_all(target.join(folder)).unwrap();
    }
    for file in ["thesis.md", ".git/objects/ab", "chapters/1.tex", "x.csv", ".hidden"] {
        fs::write(target.join(file), "mine").unwrap();
    }
    let mut expected = tree(&target);
    result(&target, true, &[("codes.csv", "new"), ("report.html", "new")]).unwrap();
    let mut found = tree(&target);
    let record: serde_json::Value =
        serde_json::from_slice(&found.remove(&target.join("run.json")).unwrap()).unwrap();
    let listed: Vec<&String> = record["files"].as_object().unwrap().keys().collect();
    assert_eq!(listed, ["codes.csv", "report.html"]);
    expected.remove(&target.join("run.json"));
    expected.remove(&target.join("sweep.csv"));
    expected.insert(target.join("codes.csv"), b"new".to_vec());
    expected.insert(target.join("report.html"), b"new".to_vec());
    assert_eq!(found, expected);
}

#[test]
fn what_partwise_did_not_write_is_refused_before_anything_is_done() {
    let foreign = "{\"scripts\": {}}";
    let run = serde_json::to_string(&record()).unwrap();
    // (what lies there, what the message must say)
    type Files<'a> = [(&'a str, &'a str)];
    let cases: [(&Files<'_>, &[&str]); 5] = [
        (&[("run.json", foreign)], &["run.json", "not written by Partwise", "--force"]),
        (&[("run.json", foreign), ("thesis.md", "mine")], &["not written by Partwise"]),
        (&[("run.json", "no JSON")], &["not written by Partwise"]),
        (&[("thesis.md", "mine")], &["not a folder of results", "no run.json"]),
        (&[("run.json", &run), ("sweep.csv", "mine")], &["sweep.csv", "did not write it", "move it away"]),
    ];
    for (files, said) in cases {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("out");
        fs::create_dir(&target).unwrap();
        files.iter().for_each(|(name, content)| fs::write(target.join(name), content).unwrap());
        let before = tree(home.path());
        let names = ["codes.csv", "sweep.csv", "run.json"];
        assert_says(&OutputFolder::for_files(&target, true, &names).unwrap_err().to_string(), said);
        assert_eq!(tree(home.path()), before);
    }
}

#[test]
fn files_that_were_changed_or_put_in_place_of_ours_are_not_replaced() {
    type Change = fn(&Path);
    let changes: [(&str, Change); 4] = [
        ("other content", |path| fs::write(path, "mine, longer than before").unwrap()),
        ("same length", |path| fs::write(path, "odd").unwrap()),
        ("a folder", |path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        }),
        #[cfg(unix)]
        ("a link", |path| {
            fs::remove_file(path).unwrap();
            fs::write(path.with_file_name("mine"), "old").unwrap();
            std::os::unix::fs::symlink("mine", path).unwrap();
        }),
        #[cfg(not(unix))]
        ("nothing else", |path| fs::write(path, "mine").unwrap()),
    ];
    for (what, change) in changes {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("out");
        result(&target, false, &[("codes.csv", "old")]).unwrap();
        change(&target.join("codes.csv"));
        let before = tree(home.path());
        let error = result(&target, true, &[("codes.csv", "new")]).unwrap_err().to_string();
        assert_says(&error, &["codes.csv", "changed after Partwise had written it", "--force"]);
        assert_eq!(tree(home.path()), before, "{what}");
        // Also when it happens while the new result is computed.
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("out");
        result(&target, false, &[("codes.csv", "old")]).unwrap();
        let folder = OutputFolder::create(&target, true).unwrap();
        folder.write("codes.csv", |w| w.write_all(b"new")).unwrap();
        change(&target.join("codes.csv"));
        let mine = tree(&target).remove(&target.join("codes.csv"));
        assert!(folder.finish(record()).is_err(), "{what}");
        assert_eq!(tree(&target).remove(&target.join("codes.csv")), mine, "{what}");
        let hidden = |entry: fs::DirEntry| entry.file_name().to_string_lossy().starts_with('.');
        assert!(!fs::read_dir(&target).unwrap().flatten().any(hidden), "{what}: nothing is left over");
    }
}

#[test]
fn results_of_the_version_without_a_list_are_replaced_by_the_names_that_it_wrote() {
    let home = tempfile::tempdir().unwrap();
    let target = home.path().join("out");
    fs::create_dir(&target).unwrap();
    fs::write(target.join("run.json"), serde_json::to_string(&record()).unwrap()).unwrap();
    for file in ["codes.csv", "report.html", "model.safetensors", "thesis.md", "memberships.npy"] {
        fs::write(target.join(file), "old").unwrap();
    }
    result(&target, true, &[("codes.csv", "new")]).unwrap();
    let names: Vec<String> =
        tree(&target).into_keys().map(|p| p.file_name().unwrap().to_string_lossy().into_owned()).collect();
    // A fit of that version wrote no memberships.npy.
    assert_eq!(names, ["codes.csv", "memberships.npy", "run.json", "thesis.md"]);
}

#[test]
fn of_two_runs_into_one_folder_the_second_is_told_at_once() {
    for exists in [false, true] {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("out");
        if exists {
            result(&target, false, &[("codes.csv", "old")]).unwrap();
        }
        let first = OutputFolder::create(&target, exists).unwrap();
        first.write("codes.csv", |w| w.write_all(b"first")).unwrap();
        let error = OutputFolder::create(&target, exists).unwrap_err();
        assert_says(&error.to_string(), &["out", "another run of Partwise is writing it"]);
        first.finish(record()).unwrap();
        assert_eq!(fs::read(target.join("codes.csv")).unwrap(), b"first");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
        result(&target, true, &[("codes.csv", "third")]).unwrap();
        assert_eq!(tree(&target).len(), 2);
    }
}

#[test]
fn runs_without_a_name_take_the_next_number_while_another_is_being_written() {
    let home = tempfile::tempdir().unwrap();
    let numbered = || (1..4).map(|number| home.path().join(format!("x-{number}")));
    let first = OutputFolder::in_first_free(numbered(), &["codes.csv"]).unwrap();
    let second = OutputFolder::in_first_free(numbered(), &["codes.csv"]).unwrap();
    assert_eq!([first.target(), second.target()], [home.path().join("x-1"), home.path().join("x-2")]);
    first.finish(record()).unwrap();
    let third = OutputFolder::in_first_free(numbered(), &["codes.csv"]).unwrap();
    assert_eq!(third.target(), home.path().join("x-3"));
    let error = OutputFolder::in_first_free(numbered(), &["codes.csv"]).unwrap_err();
    assert_says(&error.to_string(), &["x-3", "another run of Partwise is writing it"]);
    drop(second);
    assert_eq!(OutputFolder::in_first_free(numbered(), &[]).unwrap().target(), home.path().join("x-2"));
}

/// What a run leaves that is killed: nothing of it is dropped.
fn killed(target: &Path, force: bool) {
    let folder = OutputFolder::create(target, force).unwrap();
    folder.write("codes.csv", |w| w.write_all(b"half")).unwrap();
    let copy = tempfile::tempdir().unwrap();
    let hidden = folder.path().parent().unwrap().to_path_buf();
    let kept = copy.path().join("kept");
    copy_folder(&hidden, &kept);
    drop(folder);
    copy_folder(&kept, &hidden);
    let lock = hidden.file_name().unwrap().to_string_lossy().into_owned();
    fs::write(hidden.with_file_name(format!("{}-lock", lock.rsplit_once('-').unwrap().0)), "").unwrap();
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy_folder(&path, &target) } else { fs::copy(&path, &target).map(drop).unwrap() }
    }
}

#[test]
fn what_killed_runs_left_is_removed_and_never_in_the_way() {
    for exists in [false, true] {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("out");
        if exists {
            result(&target, false, &[("codes.csv", "old")]).unwrap();
        }
        killed(&target, exists);
        let inside = if exists { &target } else { home.path() };
        assert!(fs::read_dir(inside).unwrap().count() > 1);
        // Names of the version before, and of others, are not ours to remove.
        for other in [".out.partial-1-0", ".out.partial-1-1", ".partwise-notes", ".out.partwise-mine"] {
            fs::create_dir(inside.join(other)).unwrap();
        }
        result(&target, exists, &[("codes.csv", "new")]).unwrap();
        assert_eq!(fs::read(target.join("codes.csv")).unwrap(), b"new");
        let hidden = |folder: &Path| {
            let names = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
            names.filter(|name| name.starts_with('.')).count()
        };
        assert_eq!(hidden(inside), 4);
    }
}

/// A kill between the first and the last of the renames into a folder that exists.
#[test]
fn a_run_killed_while_it_moved_its_files_is_finished_by_the_next() {
    let home = tempfile::tempdir().unwrap();
    let target = home.path().join("out");
    result(&target, false, &[("codes.csv", "old"), ("stale.csv", "old")]).unwrap();
    fs::write(target.join("thesis.md"), "mine").unwrap();
    killed(&target, true);
    let entries = fs::read_dir(&target).unwrap().flatten().map(|entry| entry.path());
    let hidden = entries.into_iter().find(|path| path.join("result").is_dir()).unwrap();
    let sha = |content: &str| partwise_io::sha256_hex(content.as_bytes());
    let old_record = fs::read_to_string(target.join("run.json")).unwrap();
    fs::write(hidden.join("result/report.html"), "new").unwrap();
    fs::write(hidden.join("result/run.json"), "new record").unwrap();
    let journal = serde_json::json!({
        "codes.csv": sha("old"), "report.html": null, "stale.csv": sha("old"), "run.json": sha(&old_record),
        "thesis.md": sha("not what it is"), "../escaped": null,
    });
    fs::write(hidden.join("journal.json"), journal.to_string()).unwrap();
    // The first file was moved before the kill.
    fs::rename(hidden.join("result/codes.csv"), target.join("codes.csv")).unwrap();
    let error = OutputFolder::create(&target, true).unwrap_err();
    assert_says(&error.to_string(), &["not written by Partwise"]);
    let found: Vec<(String, String)> = tree(&target)
        .into_iter()
        .map(|(path, content)| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), String::from_utf8(content).unwrap())
        })
        .collect();
    let found: Vec<(&str, &str)> =
        found.iter().map(|(name, content)| (name.as_str(), content.as_str())).collect();
    let expected =
        [("codes.csv", "half"), ("report.html", "new"), ("run.json", "new record"), ("thesis.md", "mine")];
    assert_eq!(found, expected);
}

#[cfg(unix)]
#[test]
fn results_may_be_read_by_others_as_far_as_the_mask_lets_them() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("plain"), "").unwrap();
    fs::create_dir(home.path().join("folder")).unwrap();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode();
    result(&home.path().join("out"), false, &[("codes.csv", "x")]).unwrap();
    partwise_io::write_atomic(&home.path().join("single"), |w| w.write_all(b"x")).unwrap();
    assert_eq!(mode(home.path().join("out")), mode(home.path().join("folder")));
    for file in ["out/codes.csv", "out/run.json", "single"] {
        assert_eq!(mode(home.path().join(file)), mode(home.path().join("plain")), "{file}");
    }
}
