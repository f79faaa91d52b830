//! Promise: a table is read as its writer meant it, or refused with the line and column; what was decided is
//! told.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use partwise_io::{ReadOptions, Table};

const VALUES: [[f64; 3]; 5] =
    [[5.0, 1.0, 0.5], [4.0, 1.0, 0.0], [0.25, 1.0, 3.0], [0.0, 2.0, 6.0], [6.0, 1.0, 0.5]];

/// The values as text: cells, a name before each row, a header, all joined.
struct Written<'a> {
    separator: &'a str,
    end: &'a str,
    header: &'a str,
    names: Option<[&'a str; 5]>,
    comma: bool,
}

const PLAIN: Written<'static> = Written { separator: ",", end: "\n", header: "", names: None, comma: false };

impl Written<'_> {
    fn text(&self) -> String {
        let mut out = String::new();
        if !self.header.is_empty() {
            out += &self.header.replace('|', self.separator);
            out += self.end;
        }
        for (i, row) in VALUES.iter().enumerate() {
            let mut cells: Vec<String> = self.names.iter().map(|names| names[i].to_string()).collect();
            cells.extend(
                row.iter().map(|value| format!("{value:?}").replace('.', if self.comma { "," } else { "." })),
            );
            out += &cells.join(self.separator);
            out += self.end;
        }
        out
    }
}

fn values(table: &Table) -> Vec<Vec<f64>> {
    dense(&table.values)
}

const NUMBERS: [&str; 5] = ["101", "102", "103", "104", "105"];
const SCATTERED: [&str; 5] = ["7", "3", "12", "1", "90"];
const CELLS: [&str; 5] = ["AA-1", "AC-1", "AG-1", "AT-1", "CA-1"];

/// What it is, the table, the name of its first column, and the names of its rows.
type Case<'a> = (&'a str, Written<'a>, Option<&'a str>, Option<[&'a str; 5]>);

#[test]
fn tables_of_all_makes_hold_the_same_numbers() {
    let cases: [Case<'_>; 27] = [
        ("bare", PLAIN, None, None),
        ("header", Written { header: "wörd|b|c", ..PLAIN }, Some("wörd"), None),
        ("crlf", Written { header: "a|b|c", end: "\r\n", ..PLAIN }, Some("a"), None),
        ("cr", Written { header: "a|b|c", end: "\r", ..PLAIN }, Some("a"), None),
        ("semicolons", Written { header: "a|b|c", separator: ";", ..PLAIN }, Some("a"), None),
        ("tabs", Written { header: "a|b|c", separator: "\t", ..PLAIN }, Some("a"), None),
        ("spaces", Written { header: "a|b|c", separator: " ", ..PLAIN }, Some("a"), None),
        ("spaces, bare", Written { separator: "   ", ..PLAIN }, None, None),
        (
            "decimal commas",
            Written { header: "a|b|c", separator: ";", comma: true, ..PLAIN },
            Some("a"),
            None,
        ),
        ("decimal commas, bare", Written { separator: ";", comma: true, ..PLAIN }, None, None),
        ("decimal commas, tabs", Written { separator: "\t", comma: true, ..PLAIN }, None, None),
        ("quoted line break", Written { header: "\"a\nb\"|b|c", ..PLAIN }, Some("a\nb"), None),
        ("years", Written { header: "1990|1991|1992", ..PLAIN }, Some("1990"), None),
        ("falling years", Written { header: "2021|2020|2019", ..PLAIN }, Some("2021"), None),
        ("pandas without index", Written { header: "0|1|2", ..PLAIN }, Some("0"), None),
        ("wavelengths", Written { header: "400|410|420", ..PLAIN }, Some("400"), None),
        ("quoted numbers", Written { header: "\"5\"|\"3\"|\"9\"", ..PLAIN }, Some("5"), None),
        ("cells", Written { header: "cell|a|b|c", names: Some(CELLS), ..PLAIN }, Some("a"), Some(CELLS)),
        ("cells, bare", Written { names: Some(CELLS), ..PLAIN }, None, Some(CELLS)),
        ("cells, R", Written { header: "a|b|c", names: Some(CELLS), ..PLAIN }, Some("a"), Some(CELLS)),
        ("numbers, R", Written { header: "a|b|c", names: Some(NUMBERS), ..PLAIN }, Some("a"), Some(NUMBERS)),
        (
            "numbers, R, spaces",
            Written { header: "\"a\"|\"b\"|\"c\"", separator: " ", names: Some(NUMBERS), ..PLAIN },
            Some("a"),
            Some(NUMBERS),
        ),
        (
            "numbers, counted columns",
            Written { header: "patient|0|1|2", names: Some(NUMBERS), ..PLAIN },
            Some("0"),
            Some(NUMBERS),
        ),
        (
            "names, counted columns",
            Written { header: "film|0|1|2", names: Some(CELLS), ..PLAIN },
            Some("0"),
            Some(CELLS),
        ),
        (
            "numbers, unknown corner",
            Written { header: "patient|a|b|c", names: Some(NUMBERS), ..PLAIN },
            Some("a"),
            Some(NUMBERS),
        ),
        (
            "counted rows under X",
            Written { header: "X|a|b|c", names: Some(["1", "2", "3", "4", "5"]), ..PLAIN },
            Some("a"),
            Some(["1", "2", "3", "4", "5"]),
        ),
        (
            "high numbers that rise",
            Written { header: "ward|a|b|c", names: Some(["1001", "1005", "1009", "1020", "4000"]), ..PLAIN },
            Some("a"),
            Some(["1001", "1005", "1009", "1020", "4000"]),
        ),
    ];
    for (what, written, first, names) in cases {
        for before in ["", "\u{feff}"] {
            let table = read("t.csv", format!("{before}{}", written.text()).as_bytes()).unwrap();
            assert_eq!(values(&table), VALUES, "{what}");
            let columns = table.column_names.as_ref().map(|columns| columns[0].as_str());
            assert_eq!(columns, first, "{what}");
            assert_eq!(table.row_names, names.map(|names| names.map(String::from).to_vec()), "{what}");
        }
    }
}

#[test]
fn numbers_under_a_usual_corner_are_names_and_it_is_told() {
    for corner in [
        "id",
        "ID",
        "ids",
        "index",
        "Index",
        "sample",
        "Samples",
        "name",
        "Names",
        "barcode",
        "cell",
        "gene",
        "row",
        "rownames",
        "row.names",
        "Unnamed: 0",
        "sample_id",
        "patient id",
        "CellBarcode",
        "component",
    ] {
        let header = format!("{corner}|a|b|c");
        let table =
            read("t.csv", Written { header: &header, names: Some(SCATTERED), ..PLAIN }.text().as_bytes())
                .unwrap();
        assert_eq!(values(&table), VALUES, "{corner}");
        assert_eq!(table.row_names, Some(SCATTERED.map(String::from).to_vec()), "{corner}");
        assert_says(&table.notes.concat(), &["read as row names", "--no-row-names", corner]);
        let data = ReadOptions { row_names: Some(false), ..Default::default() };
        let table = read_with(
            "t.csv",
            Written { header: &header, names: Some(SCATTERED), ..PLAIN }.text().as_bytes(),
            &data,
        );
        assert_eq!(table.unwrap().values.shape(), (5, 4), "{corner}");
    }
    let blank = Written { header: "|a|b|c", names: Some(SCATTERED), ..PLAIN }.text();
    assert_eq!(values(&read("t.csv", blank.as_bytes()).unwrap()), VALUES);
}

#[test]
fn how_an_uncertain_row_or_column_was_read_is_told() {
    for (text, shape, parts) in [
        (
            "1990,1991\n0.5,1\n2,0.3\n",
            (2, 2),
            &["first row", "1990, 1991", "header", "years", "--no-header"][..],
        ),
        ("0,1,2,3\n5,0,2,1\n1,1,0,0\n", (2, 4), &["first row", "header", "from 0", "--no-header"]),
        ("1,2,3\n5,0,2\n1,1,0\n", (3, 3), &["first row", "read as data", "--header"]),
        (
            "a,b\n1,5\n2,0\n3,9\n4,1\n5,5\n",
            (5, 1),
            &["first column", "\"a\"", "row names", "counts the rows"],
        ),
        ("ward,b\n11,5\n21,0\n23,9\n", (3, 2), &["first column", "\"ward\"", "read as data", "--row-names"]),
        (
            "a,b\n\"1\",5\n\"2x\",0\n\"3x\",1\n",
            (3, 1),
            &["row names", "2 of its cells are text", "--no-row-names"],
        ),
        ("a;b\n1,5;2\n", (1, 2), &["decimal commas"]),
        ("a,b,\n1,2,\n3,4,\n", (2, 2), &["ends with a separator"]),
        ("a,b\n1,2,\n3,4,\n", (2, 2), &["ends with a separator"]),
        ("a,b\n1,2\n,\n,\n", (1, 2), &["2 lines at the end", "ignored"]),
        ("a,a,b\n1,2,3\n", (1, 3), &["one of the column names occurs more than once", "\"a\""]),
        ("n,a\nx,2\nx,3\n", (2, 1), &["one of the row names occurs more than once", "\"x\""]),
        ("1,2,u\n3,4,5\n", (1, 3), &["first row", "header", "2 of its cells are numbers"]),
    ] {
        let table = read("t.csv", text.as_bytes()).unwrap();
        assert_eq!(table.values.shape(), shape, "{text:?}: {:?}", table.notes);
        assert_says(&table.notes.join("; "), parts);
    }
    for certain in
        ["p,q\n1,2\n3,4\n", "1,2.5\n3,4\n", "name,p\na,1\nb,2\n", "1,2,3\n4,5,6\n", ",p\n0,1\n1,5\n"]
    {
        assert_eq!(read("t.csv", certain.as_bytes()).unwrap().notes, [""; 0], "{certain:?}");
    }
}

#[test]
fn flags_decide_before_any_rule() {
    let said = |header, row_names| ReadOptions { header, row_names, ..Default::default() };
    for (text, options, shape) in [
        ("1990,1991\n0.5,1\n", said(Some(false), None), (2, 2)),
        ("7,3\n0.5,1\n", said(Some(true), None), (1, 2)),
        ("id,a\n5,1\n9,2\n", said(None, Some(false)), (2, 2)),
        ("5,1\n9,2\n", said(Some(false), Some(true)), (2, 1)),
        ("7,8\n1,5,0.5\n2,5,0.5\n", said(Some(true), None), (2, 2)),
    ] {
        assert_eq!(read_with("t.csv", text.as_bytes(), &options).unwrap().values.shape(), shape, "{text:?}");
    }
}

#[test]
fn numbers_written_otherwise_are_refused_with_their_place() {
    for (cell, parts) in [
        ("\u{2212}1", &["typographic minus"][..]),
        ("1_000", &["underscores"]),
        ("0x10", &["hexadecimal"]),
        ("1e400", &["larger than"]),
        ("-1e999", &["larger than"]),
        ("inf", &["not finite"]),
        ("-Infinity", &["not finite"]),
        ("5%", &["percentage"]),
        ("\"1,000,000\"", &["separators of thousands"]),
        ("1'000", &["separators of thousands"]),
        ("\"1,000\"", &["decimal points are needed"]),
        ("\"1,5\"", &["decimal points are needed"]),
        ("x", &["not a number"]),
    ] {
        assert_says(
            &fault("t.csv", format!("a,b\n3,4\n2,{cell}\n").as_bytes()),
            &["line 3, column 2 (\"b\")"],
        );
        assert_says(&fault("t.csv", format!("a,b\n3,4\n2,{cell}\n").as_bytes()), parts);
        // Nor does a first row of them become a header in silence.
        if cell != "x" {
            assert_says(&fault("t.csv", format!("{cell},1\n3,4\n").as_bytes()), &["line 1, column 1"]);
        }
    }
    assert_says(
        &fault("t.csv", b"a;b\n1,5;2.5\n"),
        &["line 2", "\"1,5\" has a comma", "\"2.5\"", "decimal point"],
    );
    assert_says(&fault("t.csv", b"a;b\n1,000;2\n"), &["line 2", "\"1,000\"", "separator of thousands"]);
    assert_says(&fault("t.csv", b"a,b\n1,2\n\"3,4\n5,6\n"), &["line 3", "quote", "never closes"]);
    assert_says(&fault("t.csv", b"a,b\n1,\"2\n3,4\n5,6\"\n7,8\n"), &["line 2", "quote", "whole rows"]);
}

#[test]
fn missing_cells_of_all_spellings_are_nan() {
    for cell in ["", "NA", "NaN", "nan", "N/A", "n/a", "None", "<NA>", "null", "NULL", "#N/A"] {
        let table = read("t.csv", format!("p,q\n1,2\n{cell},3\n").as_bytes()).unwrap();
        assert!(values(&table)[1][0].is_nan(), "{cell:?}");
        assert_says(&table.notes.concat(), &["1 missing cell", "line 3, column 1"]);
    }
}
