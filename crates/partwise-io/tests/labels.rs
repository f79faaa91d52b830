//! Promise: labels are read from every form, and faults name line, index and file.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use partwise_io::labels::{LabelOptions, labels_of, labels_with};
use partwise_io::{DECODED_LIMIT, IoError, LabelTable, Source, read_labels, read_labels_column};
use std::path::Path;

fn labels(name: &str, bytes: &[u8], n: usize) -> Result<LabelTable, IoError> {
    labels_of(&Source::from_bytes(Path::new(name), bytes.to_vec(), DECODED_LIMIT)?, n, None)
}

fn message(name: &str, bytes: &[u8], n: usize) -> String {
    labels(name, bytes, n).unwrap_err().to_string()
}

#[test]
fn index_label_tables_are_read_in_any_order() {
    let table = labels("l.csv", b"index,label\n3,cat\n0,\"dog, big\"\n1,-1\n2,\n4,cat\n", 6).unwrap();
    assert_eq!(table.names, ["cat", "dog, big"]);
    assert_eq!(table.single().unwrap(), [1, -1, -1, 0, 0, -1]);
    assert_eq!(table.n_labelled(), 3);
    assert!(table.notes.is_empty());
    let swapped = labels("l.csv.gz", &gzip(b"label,index\nb,1\na,0\n"), 2).unwrap();
    assert_eq!((swapped.single().unwrap(), swapped.names), (vec![0, 1], vec!["a".into(), "b".into()]));
    let bare = labels("l.csv", b"0,x\n1,y\n", 2).unwrap();
    assert_eq!(bare.single().unwrap(), [0, 1]);
    assert_says(&bare.notes.concat(), &["no header"]);
}

#[test]
fn whole_number_names_are_sorted_as_numbers() {
    let table = labels("l.csv", b"index,label\n0,10\n1,9\n2,-3\n", 3).unwrap();
    assert_eq!(table.names, ["-3", "9", "10"]);
    let table = labels("l.csv", b"index,label\n0,10\n1,9\n2,x\n", 3).unwrap();
    assert_eq!(table.names, ["10", "9", "x"]);
}

#[test]
fn several_rows_of_an_index_make_a_set() {
    let table = labels("l.csv", b"index,label\n1,b\n1,a\n0,a\n1,b\n", 2).unwrap();
    assert_eq!(table.sets, [vec![0], vec![0, 1]]);
    assert_says(
        &table.notes.join(" "),
        &["1 repeated label was counted once", "1 sample has several labels"],
    );
    let error = table.single().unwrap_err().to_string();
    assert_says(&error, &["l.csv: sample 1", "2 labels (\"a\", \"b\")"]);
}

#[test]
fn lists_and_vectors_are_read() {
    assert_eq!(labels("l.txt", b"b\na\n\n-1\n", 4).unwrap().single().unwrap(), [1, 0, -1, -1]);
    assert_eq!(labels("l.txt", b"label\nb\na\n\n", 3).unwrap().single().unwrap(), [1, 0, -1]);
    assert_eq!(labels("l.csv", b"Mr. Hi\nOfficer\n", 2).unwrap().names, ["Mr. Hi", "Officer"]);
    let vector = labels("l.npy", &npy_i4("(4,)", &[7, -1, 0, 7]), 4).unwrap();
    assert_eq!((vector.single().unwrap(), vector.names), (vec![1, -1, 0, 1], vec!["0".into(), "7".into()]));
    let bytes = npy("'|u1'", false, "(2, 1)", &[3, 4]);
    assert_eq!(labels("l.npy", &bytes, 2).unwrap().names, ["3", "4"]);
    let column = [Some("v".to_string()), None, Some("-1".into()), Some("u".into())];
    assert_eq!(LabelTable::from_column(Path::new("d.csv"), &column, "").single().unwrap(), [1, -1, -1, 0]);
}

#[test]
fn numbers_that_are_no_names_are_refused_beside_names_that_are_numbers() {
    let of = |text: &[u8], names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let source = Source::from_bytes(Path::new("l.csv"), text.to_vec(), DECODED_LIMIT)?;
        labels_with(&source, 3, &LabelOptions { column: None, sample_names: Some(&names) })
    };
    let refused = |text: &[u8], names: &[&str]| of(text, names).unwrap_err().to_string();
    // As a spreadsheet writes 0001.
    let said = refused(b"id,label\n1,odd\n2,even\n", &["0001", "0002", "0003"]);
    assert_says(&said, &["line 2", "are numbers, and \"1\" is not one of them", "column \"id\" to index"]);
    let said = refused(b"1,odd\n2,even\n", &["101", "102", "103"]);
    assert_says(&said, &["line 1", "\"1\" is not one of them", "header index,label"]);
    let places = of(b"index,label\n1,odd\n2,even\n", &["101", "102", "103"]).unwrap();
    assert_eq!(places.single().unwrap(), [-1, 1, 0]);
    let said = of(b"id,label\n1,odd\n2,even\n", &["a", "b", "c"]).unwrap();
    assert_says(&said.notes.join(" "), &["taken as positions, counted from 0"]);
}

#[test]
fn another_encoding_is_refused_with_its_line() {
    // As a spreadsheet writes Windows' own encoding; replaced characters would make one class of two.
    let said = message("l.csv", b"index,label\n0,Brot\n1,K\xe4se\n2,K\xf6se\n", 3);
    assert_says(&said, &["l.csv: line 3", "not UTF-8 (byte 0xE4)", "save the file as UTF-8"]);
    assert_says(&message("l.txt", b"Brot\nK\xe4se\n", 2), &["line 2", "byte 0xE4"]);
    assert_eq!(labels("l.csv", "0,Käse\n1,Köse\n".as_bytes(), 2).unwrap().names, ["Käse", "Köse"]);
}

#[test]
fn other_columns_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.csv");
    std::fs::write(&path, "index,label,university\n0,student,cornell\n1,staff,texas\n").unwrap();
    assert_eq!(read_labels(&path, 2).unwrap().names, ["staff", "student"]);
    assert_eq!(read_labels_column(&path, 2, "university").unwrap().names, ["cornell", "texas"]);
    let error = read_labels_column(&path, 2, "faculty").unwrap_err().to_string();
    assert_says(&error, &["no column \"faculty\"", "valid: index, label, university"]);
}

#[test]
fn faults_name_line_and_index() {
    assert_says(&message("l.csv", b"index,label\n0,a\n\n5,b\n", 5), &["l.csv: line 4", "index 5", "0..5"]);
    assert_says(&message("l.csv", b"index,label\n-2,a\n", 5), &["line 2", "index -2"]);
    assert_says(&message("l.csv", b"index,label\n1.5,a\n", 5), &["line 2", "\"1.5\" is not a whole number"]);
    assert_says(
        &message("l.csv", b"index,label\n99999999999999999999999,a\n", 5),
        &["line 2", "must be in 0..5"],
    );
    assert_says(&message("l.csv", b"index,label\n1\n", 5), &["line 2: the row has 1 cell, but 2"]);
    assert_says(&message("l.txt", b"a\nb\n", 5), &["2 labels (one per line)", "5 samples"]);
    assert_says(&message("l.npy", &npy_i4("(2,)", &[1, 2]), 5), &["2 labels", "5 samples"]);
    assert_says(&message("l.npy", &npy_i4("(2, 2)", &[1, 2, 3, 4]), 4), &["(2, 2)", "valid: (n,)"]);
    assert_says(&message("l.npy", &npy_f8("(2,)", &[1.0, 2.5]), 2), &["2.5", "whole numbers are needed"]);
    assert_says(&message("l.npy", b"0,a\n", 2), &["not a NumPy array", "a text file"]);
    assert_says(&message("l.csv", &scipy_npz("csr"), 2), &["label file", "a zip archive"]);
    assert_says(&message("l.csv", b"", 2), &["the file is empty"]);
}
