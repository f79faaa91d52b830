//! The command line on data in row blocks: converted without loss, fitted within --memory with the same bits
//! however little that is, and refused with the place when the file is not what it was.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use common::{json, numbers, run, stderr, stdout, succeed, write_npy};
use serde_json::Value;

const ROWS: usize = 60;
const COLUMNS: usize = 12;

/// Counts in three groups, most of them 0, as x.npy (dense), x.csv (with names) and x.mtx (sparse).
fn write_data(folder: &Path) {
    let drawn = numbers(ROWS * COLUMNS, 11);
    let value = |at: usize| {
        let (i, j) = (at / COLUMNS, at % COLUMNS);
        let most = if j * 3 / COLUMNS == i % 3 { 9.0 } else { 1.4 };
        (most * drawn[at]).floor()
    };
    let values: Vec<f64> = (0..ROWS * COLUMNS).map(value).collect();
    write_npy(&folder.join("x.npy"), &[ROWS, COLUMNS], &values);
    let names: Vec<String> = (0..COLUMNS).map(|j| format!("gene {j}")).collect();
    let mut csv = format!("cell,{}\n", names.join(","));
    let mut entries = String::new();
    for (i, row) in values.chunks_exact(COLUMNS).enumerate() {
        let row_text: Vec<String> = row.iter().map(f64::to_string).collect();
        writeln!(csv, "c{i},{}", row_text.join(",")).unwrap();
        for (j, x) in row.iter().enumerate().filter(|(_, x)| **x > 0.0) {
            writeln!(entries, "{} {} {x}", i + 1, j + 1).unwrap();
        }
    }
    let count = entries.lines().count();
    let mtx = format!("%%MatrixMarket matrix coordinate real general\n{ROWS} {COLUMNS} {count}\n{entries}");
    fs::write(folder.join("x.csv"), csv).unwrap();
    fs::write(folder.join("x.mtx"), mtx).unwrap();
    let mut labels = "cell,label\n".to_string();
    (0..12).for_each(|i| writeln!(labels, "c{i},{}", ["ants", "bees", "cats"][i % 3]).unwrap());
    fs::write(folder.join("labels.csv"), labels).unwrap();
}

fn record(folder: &Path, out: &str) -> Value {
    json(folder.join(out).join("run.json"))
}

fn objective(folder: &Path, out: &str) -> f64 {
    record(folder, out)["result"]["objective"].as_f64().unwrap()
}

fn factors(folder: &Path, out: &str) -> [Vec<u8>; 2] {
    ["codes.npy", "components.npy"].map(|name| fs::read(folder.join(out).join(name)).unwrap())
}

#[test]
fn a_converted_table_has_the_same_fit_and_the_same_names() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_data(folder);
    for source in ["x.npy", "x.csv", "x.mtx"] {
        succeed(folder, &format!("convert {source} {source}.pwx --block-values 50 --quiet"));
        let fit = "-k 3 --max-iter 20 --quiet --force --scale tfidf";
        succeed(folder, &format!("fit {source} {fit} --out of-source"));
        succeed(folder, &format!("fit {source}.pwx {fit} --out of-blocks"));
        assert_eq!(factors(folder, "of-source"), factors(folder, "of-blocks"), "{source}");
        let codes = |out: &str| fs::read_to_string(folder.join(out).join("codes.csv")).unwrap();
        assert_eq!(codes("of-source"), codes("of-blocks"), "{source}: the names of rows");
        assert_eq!(record(folder, "of-blocks")["data"]["format"], "pwx");
    }
}

#[test]
fn memory_decides_how_much_is_read_again_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_data(folder);
    for (source, more) in [
        ("x.mtx", "-k 3"),
        ("x.npy", "-k 3 --loss kullback-leibler"),
        ("x.csv", "--labels labels.csv"),
        ("x.csv", "--labels labels.csv --method cnmf --scale tfidf"),
        ("x.mtx", "-k 3 --init nndsvd --scale unit-rows"),
    ] {
        succeed(folder, &format!("convert {source} x.pwx --block-values 50 --force --quiet"));
        // Labels guide the unlabelled samples through a classifier that needs all of the data.
        let spread = if more.ends_with("labels.csv") { "--spread off" } else { "" };
        let fit = format!("{more} --tol 0 --max-iter 20 --quiet --force");
        succeed(folder, &format!("fit {source} {fit} {spread} --out memory"));
        let needed = run(folder, &format!("fit x.pwx {fit} --memory 1MB --out none"));
        assert_eq!(needed.status.code(), Some(2));
        let said = stderr(&needed);
        assert!(said.contains("needs about") && said.contains("1.0 MB may be used"), "{said}");
        assert!(!folder.join("none").exists());
        succeed(folder, &format!("fit x.pwx {fit} --memory 3GB --threads 1 --out much"));
        let (one, other) = (objective(folder, "memory"), objective(folder, "much"));
        assert!((one - other).abs() <= 1e-10 * one, "{source} {more}: {one} and {other}");
        let chosen = record(folder, "much")["chosen"].to_string();
        assert!(chosen.contains("all blocks stay in memory"), "{chosen}");
        // As little as is not refused, so that nothing stays in memory: 1 MB steps from the need up.
        let little = (10..400).find(|megabytes| {
            let arguments = format!("fit x.pwx {fit} --memory {megabytes}MB --threads 2 --out little");
            run(folder, &arguments).status.success()
        });
        assert!(little.is_some(), "{source} {more}");
        assert_eq!(factors(folder, "little"), factors(folder, "much"), "{source} {more}");
    }
}

#[test]
fn what_is_not_supported_in_blocks_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_data(folder);
    succeed(folder, "convert x.csv x.pwx --quiet");
    for (arguments, words) in [
        ("--method symnmf -k 3", "not supported"),
        ("--method nmf-alpha -k 3 --labels labels.csv", "method cnmf"),
        ("--labels labels.csv --spread on", "--memory was given"),
        ("--missing -k 3 --method guided", "--missing needs all of the data in memory"),
        ("--method gnmf -k 3 --graph-neighbours 3", "in blocks"),
    ] {
        let output = run(folder, &format!("fit x.pwx {arguments} --memory 2GB --out none"));
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
        assert!(said.contains(words) && !folder.join("none").exists(), "{arguments}: {said}");
    }
}

#[test]
fn data_of_another_format_that_need_more_than_memory_are_refused_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_data(folder);
    let output = run(folder, "fit x.mtx -k 3 --memory 2MB --out none");
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("2.0 MB may be used") && said.contains("partwise convert x.mtx x.pwx"), "{said}");
    assert!(!folder.join("none").exists());
    succeed(folder, "fit x.mtx -k 3 --memory 2GB --out out --quiet");
}

/// A limit on the data of the process stands for a machine with little memory.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_does_not_fit_into_what_is_free_is_read_in_blocks_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (rows, columns) = (2000, 3000);
    write_npy(&folder.join("x.npy"), &[rows, columns], &numbers(rows * columns, 5));
    succeed(folder, "convert x.npy x.pwx --block-values 300000 --quiet");
    let fit = "fit x.pwx -k 2 --max-iter 5 --threads 1 --out";
    let free = run(folder, &format!("{fit} free"));
    succeed(folder, &format!("{fit} blocks --memory 500MB"));
    let limited = Command::new("sh")
        .args(["-c", "ulimit -d 145000; exec \"$0\" $1 little", env!("CARGO_BIN_EXE_partwise"), fit])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(free.status.success() && limited.status.success(), "{}", stderr(&limited));
    assert!(stdout(&limited).contains("data in 20 blocks"), "{}", stdout(&limited));
    assert!(!stdout(&free).contains("blocks"), "{}", stdout(&free));
    assert_eq!(factors(folder, "little"), factors(folder, "blocks"));
}

#[test]
fn a_file_that_was_cut_altered_or_continued_is_refused_with_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_data(folder);
    succeed(folder, "convert x.mtx good.pwx --block-values 50 --quiet");
    let good = fs::read(folder.join("good.pwx")).unwrap();
    let refused = |bytes: &[u8], words: &[&str]| {
        fs::write(folder.join("x.pwx"), bytes).unwrap();
        for more in ["", "--memory 2GB"] {
            let output = run(folder, &format!("fit x.pwx -k 3 {more} --out none"));
            let said = stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{said}");
            let missing = words.iter().find(|word| !said.contains(**word));
            assert!(missing.is_none() && said.contains("x.pwx"), "{missing:?} in {said}");
            assert!(!folder.join("none").exists());
        }
    };
    refused(&good[..good.len() - 1], &["truncated", "its header says"]);
    refused(&good[..100], &["100 bytes", "header"]);
    refused(&[&good[..], b"more"].concat(), &["something was appended"]);
    let altered = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        bytes
    };
    refused(&altered(20), &["header's checksum"]);
    refused(&altered(128), &["block 0 (rows 0 to", "wrong checksum"]);
    refused(&altered(good.len() - 60), &["table of blocks"]);
    // Every byte is covered by some check: none can change unnoticed, and none leads to a panic.
    for at in (0..good.len()).step_by(97) {
        fs::write(folder.join("x.pwx"), altered(at)).unwrap();
        let output = run(folder, "fit x.pwx -k 2 --max-iter 1 --memory 2GB --out none --force");
        assert_eq!(output.status.code(), Some(2), "byte {at}: {}", stderr(&output));
    }
}

#[test]
fn the_table_of_methods_in_the_documentation_is_that_of_the_registry() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/large_data.md");
    let page = fs::read_to_string(page).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let methods: Value = serde_json::from_str(&succeed(folder.path(), "methods --json")).unwrap();
    let line = |m: &Value| format!("| {} | {} |", m["name"].as_str().unwrap(), m["data"].as_str().unwrap());
    let expected: Vec<String> = methods["methods"].as_array().unwrap().iter().map(line).collect();
    let found: Vec<&str> = page.lines().filter(|line| line.contains("| in memory")).collect();
    assert_eq!(found, expected);
}

#[test]
fn convert_refuses_what_it_can_not_write() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_data(folder);
    let said = stdout(&run(folder, "convert x.npy x.pwx"));
    assert!(said.is_empty() || said.contains("60 rows × 12 columns"), "{said}");
    for (arguments, words) in [
        ("x.npy x.pwx", "--force replaces it"),
        ("x.npy x.bin", "must end with .pwx"),
        ("x.pwx x.pwx --force", "this is the data"),
        ("nothing.npy y.pwx", "nothing.npy"),
    ] {
        let output = run(folder, &format!("convert {arguments}"));
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(stderr(&output).contains(words), "{arguments}: {}", stderr(&output));
    }
    succeed(folder, "convert x.mtx x.pwx --force --quiet");
}
