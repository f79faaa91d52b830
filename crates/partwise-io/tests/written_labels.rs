//! Promise: missing is missing in every label file, one class has one name, and a sample is found by name
//! where there are names.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use partwise_io::labels::labels_with;
use partwise_io::{IoError, LabelOptions, LabelTable, Source};
use std::path::Path;

fn labels_named(text: &[u8], n: usize, names: Option<&[String]>) -> Result<LabelTable, IoError> {
    let source = Source::from_bytes(Path::new("l.csv"), text.to_vec(), 1 << 20)?;
    labels_with(&source, n, &LabelOptions { column: None, sample_names: names })
}

fn labels(text: &str, n: usize) -> LabelTable {
    labels_named(text.as_bytes(), n, None).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn message(text: &str, n: usize, names: Option<&[String]>) -> String {
    labels_named(text.as_bytes(), n, names).unwrap_err().to_string()
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

const MISSING: [&str; 17] = [
    "", "  ", "NA", "NaN", "nan", "NAN", "None", "<NA>", "N/A", "n/a", "null", "NULL", "-1", "-1.0", "#N/A",
    "\"\"", "\"NA\"",
];

#[test]
fn every_spelling_of_missing_is_unlabelled_in_every_form() {
    for missing in MISSING {
        let forms = [
            format!("a\n{missing}\nb\na\n"),
            format!("label\na\n{missing}\nb\na\n"),
            format!("\"x\"\n\"a\"\n{missing}\n\"b\"\n\"a\"\n"),
            format!("index,label\n0,a\n1,{missing}\n2,b\n3,a\n"),
            format!(",label\n0,a\n1,{missing}\n2,b\n3,a\n"),
            format!("\u{feff}index;label\r\n0;a\r\n1;{missing}\r\n2;b\r\n3;a\r\n"),
            format!("index\tlabel\n0\ta\n1\t{missing}\n2\tb\n3\ta\n"),
            format!("\"x\"\n\"1\",\"a\"\n\"2\",{missing}\n\"3\",\"b\"\n\"4\",\"a\"\n"),
            format!("row,class\r0,a\r1,{missing}\r2,b\r3,a\r"),
        ];
        for text in forms {
            let table = labels(&text, 4);
            assert_eq!(table.names, ["a", "b"], "{text:?}");
            assert_eq!(table.single().unwrap(), [0, -1, 1, 0], "{text:?}");
        }
        let column: Vec<Option<String>> =
            ["a", missing.trim_matches('"'), "b"].map(|t| Some(t.to_string())).to_vec();
        let table = LabelTable::from_column(Path::new("d.csv"), &column, "");
        assert_eq!(table.single().unwrap(), [0, -1, 1], "{missing:?}");
    }
}

#[test]
fn labels_that_look_unknown_are_classes_and_told() {
    for word in ["?", "unknown", "Unknown", "none", "none-of-these", "unlabelled", "Unassigned", "na.", "na"]
    {
        let table = labels(&format!("a\n{word}\nb\n{word}\n"), 4);
        assert_eq!(table.names.len(), 3, "{word}");
        let sorted = table.notes.join("; ");
        assert_says(&sorted, &[&format!("\"{word}\""), "2 samples", "unlabelled", "NA"]);
    }
    assert_says(
        &labels("a\nNA\nNA\nnull\n", 4).notes.join("; "),
        &["3 missing labels were read as unlabelled", "NA", "null"],
    );
    assert_eq!(labels("a\nb\n\n-1\n", 4).notes, [""; 0]);
}

#[test]
fn one_class_has_one_name_and_codes_keep_theirs() {
    assert_eq!(labels("1\n1.0\n\"1\"\n2.0\n", 4).names, ["1", "2"]);
    assert_eq!(labels("index,label\n0,1.0\n1,1\n2,\n", 3).names, ["1"]);
    assert_eq!(labels("01\n1\n", 2).names, ["01", "1"]);
    assert_eq!(labels("True\nFalse\n", 2).names, ["False", "True"]);
    assert_eq!(labels("1152921504606846977\n1152921504606846976\n", 2).names.len(), 2);
    assert_eq!(labels("1e+05\n100000\n1.5\n", 3).names.len(), 2);
    let npy = |bytes: &[u8]| labels_named(bytes, 3, None).unwrap();
    assert_eq!(npy(&npy_f8("(3,)", &[1.0, f64::NAN, -1.0])).names, ["1"]);
    let table = npy(&common::npy("'|b1'", false, "(3,)", &[1, 0, 1]));
    assert_eq!((table.names.clone(), table.single().unwrap()), (texts(&["False", "True"]), vec![1, 0, 1]));
    let table = npy(&common::npy("'|S2'", false, "(3,)", b"a\0NAb\0"));
    assert_eq!((table.names.clone(), table.single().unwrap()), (texts(&["a", "b"]), vec![0, -1, 1]));
}

#[test]
fn samples_are_found_by_name_where_the_data_have_names() {
    let names = texts(&["ann", "bob", "cid", "dan"]);
    let named = |text: &str| labels_named(text.as_bytes(), 4, Some(&names)).unwrap();
    for text in [
        "sample,label\nbob,y\nann,x\n",
        "bob,y\nann,x\n",
        "label,name\ny,bob\nx,ann\n",
        "index,name,label\n3,bob,y\n2,ann,x\n",
        ",label\nbob,y\nann,x\n",
        "cell\ttype\nbob\ty\nann\tx\n",
        "row;class\nbob;y\nann;x\n",
        "\"x\"\n\"bob\" \"y\"\n\"ann\" \"x\"\n",
        "sample label\nbob y\nann x\n",
    ] {
        assert_eq!(named(text).single().unwrap(), [0, 1, -1, -1], "{text:?}");
    }
    // Without any name that fits, numbers are positions.
    assert_eq!(named("index,label\n1,y\n0,x\n").single().unwrap(), [0, 1, -1, -1]);
    assert_says(
        &message("sample,label\nbob,y\nanm,x\n", 4, Some(&names)),
        &["line 3", "\"anm\"", "did you mean \"ann\"?"],
    );
    assert_says(
        &message("sample,label\nzed,y\nyak,x\n", 4, Some(&names)),
        &["line 2", "\"zed\"", "names of the rows"],
    );
    assert_says(&message("sample,label\nbob,y\n", 4, None), &["line 2", "\"bob\"", "no names of rows"]);
    let twice = texts(&["ann", "bob", "bob", "dan"]);
    assert_says(&message("sample,label\nbob,y\n", 4, Some(&twice)), &["several samples are named \"bob\""]);
    // Names that are numbers are names.
    let numbers = texts(&["3", "2", "1", "0"]);
    let table = labels_named(b"id,label\n3,a\n0,b\n", 4, Some(&numbers)).unwrap();
    assert_eq!(table.single().unwrap(), [0, -1, -1, 1]);
    assert_says(&table.notes.join("; "), &["by their names, which are numbers"]);
    assert_says(&message("id,label\n3,a\n7,b\n", 4, Some(&numbers)), &["line 3", "\"7\""]);
}

#[test]
fn indices_that_run_from_one_are_those_of_r() {
    let table = labels("\"\",\"x\"\n\"1\",\"a\"\n\"2\",\"b\"\n\"3\",\"a\"\n", 3);
    assert_eq!(table.single().unwrap(), [0, 1, 0]);
    assert_says(&table.notes.join("; "), &["from 1 to 3", "counted from 1"]);
    assert_says(&message("index,label\n1,a\n3,b\n", 3, None), &["line 3", "0..3"]);
}

#[test]
fn what_is_no_list_of_labels_is_refused_with_its_place() {
    for (text, n, parts) in [
        ("a\nb\nc\n", 4, &["3 labels", "4 samples"][..]),
        ("a\nb\na\nb\na\n", 4, &["5 labels", "4 samples"]),
        ("x\na\nb\nc\n", 2, &["4 labels", "2 samples"]),
        ("label\na\nb\n", 3, &["2 labels", "below its header", "3 samples"]),
        ("label\n0;a\n1;b;x\n2;c\n", 4, &["line 2", "semicolons"]),
        ("index,label\n0,a\n1,b\n2,a\"\n3,\"b\n", 4, &["line 5", "quote", "never closes"]),
        ("index,label\n0,a\n1,\"b\n2,c\n3,d\"\n", 4, &["line 3", "quote", "whole rows"]),
        ("a\n\"b\nc\n", 3, &["line 2", "quote"]),
        (
            "cell_type,batch\nT,1\nT,1\nB,2\n",
            3,
            &["line 1", "no column has the sample names", "valid: cell_type, batch"],
        ),
        ("age,label\n1,a\n1,b\n2,a\n", 3, &["line 3", "\"age\"", "more than once", "rename it to index"]),
        ("id,mass,colour\n0,1,red\n", 1, &["which column has the labels", "valid: id, mass, colour"]),
    ] {
        assert_says(&message(text, n, None), parts);
    }
    assert_eq!(labels("row;class\n0,a\n1,b\n", 2).single().unwrap(), [0, 1]);
    let header = labels("sort\na\nb\na\n", 3);
    assert_eq!(header.single().unwrap(), [0, 1, 0]);
    assert_says(&header.notes.join("; "), &["the first line, \"sort\", was read as the header"]);
}
