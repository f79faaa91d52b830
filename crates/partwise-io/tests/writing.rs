//! Promise: results are written whole or not at all.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use partwise::Matrix;
use partwise_io::{IoError, Memberships, OutputFolder, number_text, read_table};
use partwise_io::{write_atomic, write_matrix_csv, write_memberships_csv};
use std::fs;
use std::path::Path;

fn listing(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_that_fails_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    write_atomic(&path, |w| w.write_all(b"old")).unwrap();
    let error = write_atomic(&path, |w| {
        w.write_all(b"half")?;
        Err(std::io::Error::new(std::io::ErrorKind::StorageFull, "no space left"))
    })
    .unwrap_err();
    assert_says(&error.to_string(), &["a.txt", "cannot write", "no space left"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(listing(folder.path()), ["a.txt"]);
    write_atomic(&path, |w| w.write_all(b"new")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    let nowhere = folder.path().join("none/a.txt");
    assert!(matches!(write_atomic(&nowhere, |_| Ok(())), Err(IoError::System { .. })));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_passed_on() {
    if !Path::new("/dev/full").exists() {
        eprintln!("left out: /dev/full is not on this machine");
        return;
    }
    // The content writer opens the device that is always full, as a disk that fills up would answer.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    let error = write_atomic(&path, |_| {
        use std::io::Write;
        fs::OpenOptions::new().write(true).open("/dev/full")?.write_all(b"x")
    })
    .unwrap_err();
    assert_says(&error.to_string(), &["a.txt", "cannot write"]);
    assert!(listing(folder.path()).is_empty());
}

#[test]
fn a_folder_appears_when_it_is_complete() {
    let home = tempfile::tempdir().unwrap();
    let target = home.path().join("deep/er/out");
    let folder = OutputFolder::create(&target, false).unwrap();
    folder.write("run.json", |w| w.write_all(b"{}")).unwrap();
    fs::write(folder.path().join("b.txt"), b"b").unwrap();
    assert!(!target.exists());
    folder.commit().unwrap();
    assert_eq!(listing(&target), ["b.txt", "run.json"]);
    assert_eq!(listing(&home.path().join("deep/er")), ["out"]);
}

#[test]
fn a_folder_that_is_dropped_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    let folder = OutputFolder::create(&home.path().join("deep/er/out"), false).unwrap();
    folder.write("a.txt", |w| w.write_all(b"a")).unwrap();
    drop(folder);
    assert!(listing(home.path()).is_empty());
    let folder = OutputFolder::create(&home.path().join("out"), false).unwrap();
    let error = folder.write("a.txt", |_| Err(std::io::Error::other("broken"))).unwrap_err();
    assert_says(&error.to_string(), &["out/a.txt", "broken"]);
    assert_eq!(error.path(), home.path().join("out/a.txt"));
}

#[test]
fn an_existing_folder_is_replaced_only_with_force_and_only_at_the_end() {
    let home = tempfile::tempdir().unwrap();
    let target = home.path().join("out");
    let first = OutputFolder::create(&target, false).unwrap();
    first.write("codes.csv", |w| w.write_all(b"1")).unwrap();
    first.write("stale.txt", |w| w.write_all(b"1")).unwrap();
    first.finish(record()).unwrap();
    let error = OutputFolder::create(&target, false).unwrap_err();
    assert_says(&error.to_string(), &["out", "already exists", "--force"]);
    let second = OutputFolder::create(&target, true).unwrap();
    second.write("codes.csv", |w| w.write_all(b"2")).unwrap();
    assert_eq!(fs::read(target.join("codes.csv")).unwrap(), b"1");
    drop(second);
    assert_eq!(fs::read(target.join("codes.csv")).unwrap(), b"1");
    let third = OutputFolder::create(&target, true).unwrap();
    third.write("codes.csv", |w| w.write_all(b"3")).unwrap();
    third.finish(record()).unwrap();
    assert_eq!(fs::read(target.join("codes.csv")).unwrap(), b"3");
    assert_eq!(listing(&target), ["codes.csv", "run.json"]);
    assert_eq!(listing(home.path()), ["out"]);
}

#[test]
fn force_does_not_remove_what_is_not_a_result() {
    let home = tempfile::tempdir().unwrap();
    let target = home.path().join("thesis");
    fs::create_dir(&target).unwrap();
    OutputFolder::create(&target, true).unwrap().commit().unwrap();
    fs::write(target.join("chapter1.tex"), b"x").unwrap();
    let error = OutputFolder::create(&target, true).unwrap_err();
    assert_says(&error.to_string(), &["thesis", "not a folder of results"]);
    let file = home.path().join("file");
    fs::write(&file, b"x").unwrap();
    assert_says(&OutputFolder::create(&file, true).unwrap_err().to_string(), &["it is a file"]);
    assert!(OutputFolder::create(Path::new(".."), true).is_err());
    assert!(OutputFolder::create(Path::new("/"), true).is_err());
}

#[test]
fn a_folder_that_appears_meanwhile_is_kept() {
    let home = tempfile::tempdir().unwrap();
    let target = home.path().join("out");
    let folder = OutputFolder::create(&target, false).unwrap();
    fs::create_dir(&target).unwrap();
    fs::write(target.join("theirs.txt"), b"x").unwrap();
    assert!(matches!(folder.commit(), Err(IoError::Exists { .. })));
    assert_eq!(listing(&target), ["theirs.txt"]);
    assert_eq!(listing(home.path()), ["out"]);
}

#[test]
fn matrices_with_odd_names_read_back_from_csv() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.csv");
    let matrix = Matrix::<f64>::from_vec(2, 2, vec![0.1, 1e-300, 3.0, 1.7976931348623157e308]).unwrap();
    let rows: Vec<String> = vec!["a, b".into(), "say \"hi\"".into()];
    let columns: Vec<String> = vec!["x;y".into(), "line\nbreak".into()];
    write_atomic(&path, |w| write_matrix_csv(w, "sample", &matrix, Some(&rows), Some(&columns))).unwrap();
    let table = read_table(&path, &Default::default()).unwrap();
    assert_eq!(dense(&table.values), [[0.1, 1e-300], [3.0, f64::MAX]]);
    assert_eq!((table.row_names, table.column_names), (Some(rows.clone()), Some(columns)));
    let error = write_matrix_csv(&mut Vec::new(), "", &matrix, Some(&rows[..1]), None).unwrap_err();
    assert_says(&error.to_string(), &["1 row names", "2"]);
}

#[test]
fn numbers_are_short_and_exact() {
    assert_eq!(number_text(0.1f32), "0.1");
    assert_eq!(number_text(0.1f64), "0.1");
    assert_eq!(number_text(0.0f64), "0");
    assert_eq!(number_text(1e-30f32), "1e-30");
    assert_eq!(number_text(2.5e20f64), "2.5e20");
}

#[test]
fn memberships_have_cluster_names_and_shares() {
    let shares = Matrix::<f32>::from_vec(2, 2, vec![0.75, 0.25, 0.0, 0.0]).unwrap();
    let text = |names: Option<&[String]>| {
        let mut bytes = Vec::new();
        let memberships = Memberships {
            sample_names: names,
            clusters: &["cat".into(), String::new()],
            shares: &shares,
            component_names: &["cat".into(), "dog, big".into()],
        };
        write_memberships_csv(&mut bytes, &memberships).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    assert_eq!(text(None), "index,cluster,cat,\"dog, big\"\n0,cat,0.75,0.25\n1,,0,0\n");
    let names = ["s1".to_string(), "s2".to_string()];
    assert!(text(Some(&names)).starts_with("index,name,cluster,cat,\"dog, big\"\n0,s1,cat,0.75,0.25\n"));
}
