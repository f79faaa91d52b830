//! Promise: each fault gets a message that says what, where, and what is valid.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use partwise_io::{IoError, ReadOptions, read_lines, read_names, read_reference, read_table};
use std::path::Path;

#[test]
fn npy_that_cannot_be_factored_is_refused_with_advice() {
    let says = |descr: &str, shape: &str, size: usize, parts: &[&str]| {
        assert_says(&fault("a.npy", &npy(descr, false, shape, &vec![0; size])), parts);
    };
    says("'<f2'", "(1, 2)", 4, &["a.npy", "half precision", "astype('float32')", "valid: bool"]);
    says("'<f16'", "(1, 2)", 32, &["extended precision"]);
    says("'<c16'", "(1, 2)", 32, &["complex numbers (<c16)", "abs(a)"]);
    says("'|O'", "(1, 2)", 16, &["Python objects"]);
    says("'<U2'", "(1, 2)", 16, &["<U2"]);
    says("'<M8[ns]'", "(1, 2)", 16, &["the type \"<M8[ns]\""]);
    says("[('p', '<f8'), ('q', '<i4', (2,))]", "(2,)", 24, &["structured arrays"]);
    says("'<f8'", "(3,)", 24, &["1-D", "(3,)", "reshape(1, -1)"]);
    says("'<f8'", "(1, 1, 1, 2)", 16, &["4-D", "reshape(len(a), -1)"]);
    says("'<f8'", "(0, 3)", 0, &["0 rows and 3 columns"]);
    says("'<f8'", "(0, 99999999999, 99999999999)", 0, &["0 rows"]);
}

#[test]
fn damaged_npy_says_what_is_missing() {
    let whole = npy_f8("(2, 2)", &[1.0, 2.0, 3.0, 4.0]);
    assert_says(&fault("a.npy", &whole[..whole.len() - 3]), &["(2, 2)", "needs 32 bytes", "there are 29"]);
    assert_says(&fault("a.npy", &whole[..20]), &["header is incomplete", "20 bytes"]);
    assert_says(&fault("a.npy", &npy_f8("(1, 1)", &[1.0, 2.0])), &["needs 8 bytes", "there are 16"]);
    let huge = npy("'<f8'", false, "(18446744073709551615, 8)", &[]);
    assert_says(&fault("a.npy", &huge), &["more than any file can contain"]);
    assert_says(&fault("a.npy", &npy("'<f8'", false, "(1, -1)", &[])), &["header is not valid", "at byte"]);
    assert_says(&fault("a.npy", b"\x93NUMPY\x09\x00\x00\x00"), &["version 9", "valid: 1, 2, 3"]);
}

#[test]
fn npz_lists_its_keys() {
    let both = zip_of(&[("x.npy", npy_f8("(1, 1)", &[1.0])), ("y.npy", npy_f8("(1, 1)", &[3.0]))]);
    assert_says(&fault("a.npz", &both), &["2 arrays", "--key", "valid: x, y"]);
    let options = ReadOptions { key: Some("z".into()), ..Default::default() };
    assert_says(&fault_with("a.npz", &both, &options), &["no array \"z\"", "valid: x, y"]);
    assert_says(&fault("a.npz", &zip_of(&[("readme.txt", b"hi".to_vec())])), &["no NumPy arrays"]);
    assert_says(&fault("a.npz", &both[..both.len() / 2]), &["broken or truncated"]);
    let inner = zip_of(&[("x.npy", npy("'<c8'", false, "(1, 1)", &[0; 8]))]);
    assert_says(&fault("a.npz", &inner), &["\"x\"", "complex"]);
    assert_says(&fault_with("a.npy", &npy_f8("(1, 1)", &[1.0]), &options), &["a key chooses", "\"npy\""]);
}

#[test]
fn sparse_npz_is_checked() {
    let with = |format: &str, indices: &[i32], indptr: &[i32], shape: &[i32]| {
        fault(
            "a.npz",
            &zip_of(&[
                ("format.npy", npy("'|S3'", false, "()", format.as_bytes())),
                ("shape.npy", npy_i4(&format!("({},)", shape.len()), shape)),
                ("data.npy", npy_f8("(2,)", &[1.0, 2.0])),
                ("indices.npy", npy_i4(&format!("({},)", indices.len()), indices)),
                ("indptr.npy", npy_i4(&format!("({},)", indptr.len()), indptr)),
            ]),
        )
    };
    assert_says(&with("csr", &[0, 3], &[0, 1, 2], &[2, 3]), &["\"indices\"", "entry 1 is 3", "0..3"]);
    assert_says(&with("csr", &[0, -1], &[0, 1, 2], &[2, 3]), &["entry 1 is -1"]);
    assert_says(&with("csr", &[0, 1], &[0, 2], &[2, 3]), &["\"indptr\"", "2 offsets, but 3 are needed"]);
    assert_says(&with("csr", &[0, 1], &[0, 3, 2], &[2, 3]), &["offset 1 is 3", "between 0 and 2"]);
    assert_says(&with("csr", &[0, 1], &[0, 1, 1], &[2, 3]), &["from 0 to 1"]);
    assert_says(&with("csr", &[0], &[0, 1, 2], &[2, 3]), &["2 values", "1 column indices"]);
    assert_says(&with("csr", &[0, 1], &[0, 1, 2], &[2, 3, 4]), &["\"shape\"", "[2, 3, 4]"]);
    assert_says(&with("csr", &[0, 1], &[0, 1, 2], &[2_000_000_000, 3]), &["too large for 2 entries"]);
    assert_says(&with("bsr", &[0, 1], &[0, 1, 2], &[2, 3]), &["\"bsr\"", "tocsr()", "valid: csr, csc, coo"]);
    assert_says(&with("coo", &[0, 1], &[0, 1, 2], &[2, 3]), &["no array \"row\""]);
}

#[test]
fn matrix_market_faults_have_lines() {
    let says = |text: &str, parts: &[&str]| assert_says(&fault("a.mtx", text.as_bytes()), parts);
    let head = "%%MatrixMarket matrix coordinate real general\n% comment\n2 3 2\n";
    says(&format!("{head}1 1 1\n3 1 1\n"), &["a.mtx: line 5", "row index is 3", "1..=2"]);
    says(&format!("{head}1 1 1\n1 4 1\n"), &["line 5", "column index is 4", "1..=3"]);
    says(&format!("{head}0 1 1\n1 1 1\n"), &["line 4", "row index is 0", "1..=2"]);
    says(&format!("{head}-1 1 1\n1 1 1\n"), &["line 4", "\"-1\" is not a whole number"]);
    says(&format!("{head}1 1 abc\n1 1 1\n"), &["line 4", "\"abc\" is not a number"]);
    says(&format!("{head}1 1\n1 1 1     \n"), &["line 4", "row column value"]);
    says(&format!("{head}1 1 1 1\n1 1 1\n"), &["line 4", "too many numbers"]);
    says(&format!("{head}1 1 1000000000\n"), &["line 4", "ends after 1 of 2 entries"]);
    says(&format!("{head}1 1 1\n1 2 1\n2 2 1\n"), &["line 6", "more than the 2 declared"]);
    says(
        "%%MatrixMarket matrix coordinate real general\n2 3 999999999999\n1 1 1\n",
        &["line 2", "room for 1"],
    );
    says(
        "%%MatrixMarket matrix coordinate real general\n2 4000000000 0\n",
        &["line 2", "too large for 0 entries"],
    );
    says(
        "%%MatrixMarket matrix coordinate real general\n2 x 1\n",
        &["line 2", "rows columns entries", "2 x 1"],
    );
    says("%%MatrixMarket matrix coordinate real general\n", &["size line"]);
    says(
        "%%MatrixMarket matrix coordinate complex general\n1 1 0\n",
        &["line 1", "complex", "valid: integer"],
    );
    says(
        "%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 0\n",
        &["skew-symmetric", "valid: general"],
    );
    says("%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", &["hermitian", "valid: general"]);
    says("%%MatrixMarket matrix list real general\n1 1 0\n", &["\"list\"", "valid: coordinate, array"]);
    says("%%MatrixMarket graph coordinate real general\n1 1 0\n", &["\"graph\"", "valid: matrix"]);
    says("%%MatrixMarket matrix\n1 1 0\n", &["line 1", "<layout> <field> <symmetry>"]);
    says("%%MatrixMarket matrix array pattern general\n1 1\n1\n", &["\"pattern\"", "\"array\""]);
    says("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", &["square", "2 x 3"]);
    says("%%MatrixMarket matrix array real general\n2 2\n10000\n2\n", &["line 4", "ends after 2 of 4"]);
    says("%%MatrixMarket matrix array real general\n99999999 99999999\n1\n", &["line 2", "has room for"]);
    says("%%MatrixMarket matrix array real general\n0 99999999999999\n", &["0 rows"]);
    says("%%MatrixMarket matrix array real general\n1 2\n1\nx\n", &["line 4", "\"x\" is not a number"]);
    says("%%MatrixMarket matrix array real general\n1 1\n1\n2\n", &["line 4", "more than the 1 declared"]);
}

#[test]
fn table_faults_have_line_column_and_text() {
    let says = |text: &str, parts: &[&str]| assert_says(&fault("a.csv", text.as_bytes()), parts);
    says("p,q\n1,2\n\n3,oops\n", &["a.csv: line 4, column 2 (\"q\")", "\"oops\" is not a number"]);
    says("1,2\r\n3,x4\r\n", &["line 2, column 2: \"x4\""]);
    says("1,2\n3,4,5\n", &["line 2: the row has 3 cells, but 2 are expected"]);
    says("p,q\n1,2\n3\n", &["line 3: the row has 1 cell, but 2"]);
    says("p,q\n\"1,5\",2\n", &["line 2, column 1", "decimal points"]);
    says(
        "p,q\n1,2\n1O5,3\n4,4\n",
        &["line 3, column 1 (\"p\")", "\"1O5\"", "leave its cell in the header empty"],
    );
    says("p,q\n", &["0 rows"]);
    says("5.1,3.5,setosa\n4.9,3.0,setosa\n", &["line 2, column 3", "\"setosa\"", "--label-column"]);
    says("\n\n", &["the file is empty"]);
    let label = |column: &str| ReadOptions { label_column: Some(column.into()), ..Default::default() };
    let message = fault_with("a.csv", b"p,q\n1,2\n", &label("kind"));
    assert_says(&message, &["no column \"kind\"", "valid: 0 to 1, p, q"]);
    assert_says(&fault_with("a.csv", b"p,q\n1,2\n", &label("2")), &["no column \"2\"", "0 to 1"]);
    assert_says(&fault_with("a.csv", b"p,p\n1,2\n", &label("p")), &["columns 1 and 2 are both named \"p\""]);
    assert_says(&fault_with("a.npy", &npy_f8("(1, 1)", &[1.0]), &label("p")), &["only to text tables"]);
}

#[test]
fn edge_list_faults_have_lines() {
    let says = |text: &str, parts: &[&str]| assert_says(&fault("e.csv", text.as_bytes()), parts);
    says(
        "source,target,weight\n0,1,1\n0,x,1\n",
        &["line 3, column 2 (\"target\")", "\"x\" is not a node number"],
    );
    says("source,target\n-1,1\n", &["line 2, column 1 (\"source\")", "\"-1\""]);
    says(
        "source,target,weight\n0,1,heavy\n",
        &["line 2, column 3 (\"weight\")", "\"heavy\" is not a number"],
    );
    says("source,target,weight\n0,1,nan\n", &["\"nan\" is not a number"]);
    says("source,target,weight\n0,1\n", &["line 2: the row has 2 cells"]);
    says(
        "source,target\n0,1\n\n0,4000000000\n0,2\n",
        &["line 4", "node number 4000000000 is too large for 3 edges"],
    );
    says("source,target\n0,99999999999\n", &["node 99999999999 must be in 0..4294967295"]);
    says("source,target\n", &["no edges"]);
    let options = ReadOptions { n_nodes: Some(3), ..Default::default() };
    assert_says(&fault_with("e.csv", b"source,target\n0,3\n", &options), &["node 3 must be in 0..3"]);
    let options = ReadOptions { format: Some("edges".into()), ..Default::default() };
    assert_says(&fault_with("e.csv", b"a,b\n0,3\n", &options), &["line 1", "source,target"]);
}

#[test]
fn broken_gzip_says_how_much_could_be_decoded() {
    let text: Vec<u8> =
        (0..20000u32).flat_map(|i| format!("{},{}\n", i, i * 7919 % 1009).into_bytes()).collect();
    let whole = gzip(&text);
    let message = fault("a.csv.gz", &whole[..whole.len() / 2]);
    assert_says(&message, &["a.csv.gz: after ", " decompressed bytes", "end too early"]);
    let decoded: usize = message.split(' ').nth(2).and_then(|n| n.parse().ok()).unwrap();
    assert!(decoded > 0 && decoded < text.len());
    let mut flipped = whole.clone();
    let last = flipped.len() - 6;
    flipped[last] ^= 0xff;
    assert_says(&fault("a.csv.gz", &flipped), &["decompressed bytes", "broken"]);
    let limit = ReadOptions { decoded_limit: 1000, ..Default::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv.gz");
    std::fs::write(&path, &whole).unwrap();
    assert_says(&read_table(&path, &limit).unwrap_err().to_string(), &["more than the limit of 1000 bytes"]);
}

#[test]
fn files_that_are_not_what_their_name_says_are_told() {
    let text = b"1,2\n3,4\n";
    assert_says(&fault("a.npy", text), &["not the format \"npy\"", "looks like a text file", "--format"]);
    assert_says(&fault("a.npz", text), &["not the format \"npz\""]);
    assert_says(&fault("a.mtx", text), &["not the format \"mtx\"", "a text file"]);
    assert_says(&fault("a.csv", &npy_f8("(1, 1)", &[1.0])), &["not the format \"csv\"", "a NumPy array"]);
    assert_says(&fault("a.csv", &scipy_npz("csr")), &["a zip archive"]);
    assert_says(&fault("a.csv", b"%%MatrixMarket matrix array real general\n1 1\n1\n"), &["Matrix Market"]);
    assert_says(&fault("a.csv.gz", text), &["not gzip", "a text file"]);
    assert_says(&fault("a.npy", b"\x89HDF\r\n\x1a\nxxxx"), &["HDF5"]);
    assert_says(&fault("a.csv", b"version https://git-lfs.github.com/spec/v1\n"), &["Git LFS pointer"]);
    assert_says(&fault("a.csv", b"\xff\xfe1\0,\0"), &["UTF-16"]);
    assert_says(&fault("a.csv", b"\x01\x02\x00\x03"), &["binary data"]);
    assert_says(
        &fault("a.xyz", text),
        &["extension \"xyz\"", ".npy", ".tsv", "--format", "looks like a text file"],
    );
    assert_says(&fault("noextension", text), &["valid: .npy"]);
    let options = ReadOptions { format: Some("parquet".into()), ..Default::default() };
    assert_says(
        &fault_with("a.csv", text, &options),
        &["no format \"parquet\"", "valid: npy, npz, mtx, csv, edges"],
    );
}

#[test]
fn missing_files_folders_and_empty_files_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let read = |path: &Path| read_table(path, &ReadOptions::default()).unwrap_err();
    let missing = folder.path().join("none.csv");
    let error = read(&missing);
    assert!(matches!(error, IoError::System { .. }));
    assert_says(&error.to_string(), &["none.csv", "cannot open"]);
    assert_says(&read(folder.path()).to_string(), &["this is a folder"]);
    let empty = folder.path().join("empty.csv");
    std::fs::write(&empty, b"").unwrap();
    assert_says(&read(&empty).to_string(), &["empty.csv", "the file is empty"]);
    assert_says(&fault("a.csv.gz", &gzip(b"")), &["the file is empty"]);
}

#[test]
fn name_files_must_have_the_right_count() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terms.txt");
    std::fs::write(&path, "term\nalpha\r\nbeta\n\n").unwrap();
    assert_eq!(read_lines(&path).unwrap(), ["term", "alpha", "beta"]);
    assert_eq!(read_names(&path, 3, "columns of the data").unwrap().len(), 3);
    let message = read_names(&path, 2, "columns of the data").unwrap_err().to_string();
    assert_says(&message, &["terms.txt", "3 names", "2 columns of the data", "\"term\", a header?"]);
    std::fs::write(&path, npy_f8("(1, 1)", &[1.0])).unwrap();
    assert_says(&read_lines(&path).unwrap_err().to_string(), &["one entry per line", "a NumPy array"]);
}

#[test]
fn references_are_matched_to_features_by_name_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reference.csv");
    std::fs::write(&path, "signature,q,p\nS1,1,2\nS2,3,4\n").unwrap();
    let reference = || read_reference::<f32>(&path, &ReadOptions::default()).unwrap();
    let features = |names: &[&str]| -> Vec<String> { names.iter().map(ToString::to_string).collect() };
    let aligned = reference().aligned_to(2, Some(&features(&["p", "q"]))).unwrap();
    assert_eq!(aligned.values.as_slice(), [2.0, 1.0, 4.0, 3.0]);
    assert_eq!(aligned.row_names, Some(features(&["S1", "S2"])));
    assert_says(&aligned.notes.concat(), &["by name"]);
    assert_eq!(reference().aligned_to(2, None).unwrap().values.as_slice(), [1.0, 2.0, 3.0, 4.0]);
    let message = |n, names: Option<&[String]>| reference().aligned_to(n, names).unwrap_err().to_string();
    assert_says(&message(3, None), &["reference.csv", "2 columns", "3 features"]);
    assert_says(&message(2, Some(&features(&["p", "r"]))), &["no column is named \"r\""]);
}
