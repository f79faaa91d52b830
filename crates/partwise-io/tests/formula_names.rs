//! Promise: no table of results holds a cell that a spreadsheet takes for a formula, and every name comes
//! back from it.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use partwise::Matrix;
use partwise_io::{Memberships, ReadOptions, read_labels_column, read_table};
use partwise_io::{write_atomic, write_matrix_csv, write_memberships_csv};

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

/// No cell of the text begins like a formula, numbers aside.
fn assert_harmless(text: &str) {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    for record in reader.records() {
        for cell in &record.unwrap() {
            let risky = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
            assert!(!risky || cell.parse::<f64>().is_ok(), "{cell:?}");
        }
    }
}

#[test]
fn names_like_formulas_are_harmless_in_every_table_and_read_back() {
    let home = tempfile::tempdir().unwrap();
    let rows = strings(&["=HYPERLINK(\"http://x\")", "+1-1", "-2+3", "@SUM(A1)", "'=quoted", "plain", "-1x"]);
    let columns = strings(&["=cmd|' /C calc'!A0", "-a", "@b"]);
    let matrix = Matrix::<f64>::from_fn(7, 3, |i, j| (i + j) as f64 - 3.0);
    for corner in ["sample", "component"] {
        let path = home.path().join("codes.csv");
        write_atomic(&path, |w| write_matrix_csv(w, corner, &matrix, Some(&rows), Some(&columns))).unwrap();
        assert_harmless(&std::fs::read_to_string(&path).unwrap());
        let table = read_table(&path, &ReadOptions::default()).unwrap();
        assert_eq!(dense(&table.values)[0][0], -3.0);
        assert_eq!((table.row_names, table.column_names), (Some(rows.clone()), Some(columns.clone())));
    }
    let path = home.path().join("memberships.csv");
    let clusters: Vec<String> = (0..7).map(|i| columns[i % 3].clone()).collect();
    let shares = Matrix::<f64>::from_fn(7, 3, |i, j| if i % 3 == j { 1.0 } else { 0.0 });
    let table = Memberships {
        sample_names: Some(&rows),
        clusters: &clusters,
        shares: &shares,
        component_names: &columns,
    };
    write_atomic(&path, |w| write_memberships_csv(w, &table)).unwrap();
    assert_harmless(&std::fs::read_to_string(&path).unwrap());
    let labels = read_labels_column(&path, 7, "cluster").unwrap();
    let mut names = columns.clone();
    names.sort();
    assert_eq!(labels.names, names);
}

#[test]
fn negative_numbers_stay_numbers() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("codes.csv");
    let matrix = Matrix::<f64>::from_fn(2, 2, |i, j| -1.5 - (i + j) as f64);
    let names = strings(&["-1", "-2.5e3"]);
    write_atomic(&path, |w| write_matrix_csv(w, "sample", &matrix, Some(&names), Some(&names))).unwrap();
    assert!(!std::fs::read_to_string(&path).unwrap().contains('\''));
}
