//! Promise: AnnData and 10x Genomics files give the matrix, the names and the labels that Python sees,
//! however they are stored; what can't be read is refused with the array and what is valid.
//!
//! The files are written by `cells/write.py`, which states the entries.
#![cfg(feature = "hdf5")]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::path::{Path, PathBuf};

use common::{assert_says, dense, is_f32};
use partwise::Scaling;
use partwise::blocks::RowBlocks;
use partwise_io::{
    BlockFile, FileBlocks, FileKind, IoError, LabelOptions, LabelTable, ReadOptions, Table, convert_to_pwx,
    read_labels_with, read_table,
};

const GENES: [&str; 7] = ["CD3D", "MS4A1", "NKG7", "GNLY", "LYZ", "PPBP", "FCER1A"];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cells").join(format!("{name}.gz"))
}

fn layer(layer: &str) -> ReadOptions {
    ReadOptions { layer: Some(layer.into()), ..ReadOptions::default() }
}

fn try_read(name: &str, options: &ReadOptions) -> Result<Table, IoError> {
    read_table(&path(name), options)
}

fn read(name: &str, options: &ReadOptions) -> Table {
    try_read(name, options).unwrap_or_else(|e| panic!("{e}"))
}

fn fault(name: &str, options: &ReadOptions) -> String {
    try_read(name, options).map(|_| ()).unwrap_err().to_string()
}

fn count(i: usize, j: usize) -> f64 {
    ((3 * i + 2 * j) % 7) as f64 - 3.0
}

/// The entries of the script, changed by `of`.
fn entries(columns: usize, of: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
    (0..6).map(|i| (0..columns).map(|j| of(count(i, j).max(0.0))).collect()).collect()
}

fn cells(table: &Table) -> Vec<&str> {
    table.row_names.as_ref().unwrap().iter().map(String::as_str).collect()
}

fn genes(table: &Table) -> Vec<&str> {
    table.column_names.as_ref().unwrap().iter().map(String::as_str).collect()
}

#[test]
fn every_matrix_of_an_anndata_file_is_that_of_python() {
    let default = ReadOptions::default();
    for (name, is_dense) in [("sparse.h5ad", false), ("plain.h5ad", false), ("dense.h5ad", true)] {
        let table = read(name, &default);
        assert_eq!(dense(&table.values), entries(5, |x| 0.5 * x), "{name}");
        assert!(is_f32(&table.values) && table.kind == FileKind::AnnData, "{name}");
        assert_eq!(matches!(table.values, partwise_io::Values::Dense { .. }), is_dense, "{name}");
        assert_eq!(cells(&table), ["cell-0", "cell-1", "cell-2", "cell-3", "cell-4", "cell-5"]);
        assert_eq!(genes(&table), GENES[..5]);
        assert_eq!(table.sha256.len(), 64);
        for (named, width, of) in [
            ("counts", 5, (|x| x) as fn(f64) -> f64),
            ("dense", 5, |x| x + 0.25),
            ("bytes", 5, |x| x),
            ("half", 5, |x| x),
            ("found", 5, |x| f64::from(x > 0.0)),
            ("raw", 7, |x| x),
            ("X", 5, |x| 0.5 * x),
        ] {
            let table = read(name, &layer(named));
            assert_eq!(dense(&table.values), entries(width, of), "{name} {named}");
            assert_eq!(genes(&table), GENES[..width], "{name} {named}");
        }
    }
    let notes = read("sparse.h5ad", &layer("counts")).notes;
    assert_eq!(notes, ["integers (int32) were widened to f64"]);
    assert_says(&fault("sparse.h5ad", &layer("count")), &["no layer \"count\"", "X, raw, bytes, counts"]);
}

#[test]
fn files_of_10x_genomics_have_a_row_for_each_cell() {
    let default = ReadOptions::default();
    let all = read("tenx2.h5", &layer("GRCh38"));
    assert_eq!(dense(&all.values), entries(7, |x| x));
    assert_eq!(cells(&all)[..2], ["ACGT0-1", "ACGT1-1"]);
    let named = ["CD3D", "MS4A1", "NKG7", "GNLY", "CD3D-1", "PPBP", "FCER1A"];
    assert_eq!(genes(&all), named);
    assert_says(&all.notes.join("; "), &["1 feature has the same name as an earlier one", "int32"]);
    assert_says(&fault("tenx2.h5", &default), &["several genomes", "--layer", "GRCh38, mm10"]);
    assert_says(&fault("tenx2.h5", &layer("mouse")), &["no genome \"mouse\"", "GRCh38, mm10"]);
    let table = read("tenx3.h5", &default);
    assert_eq!(table.kind, FileKind::TenX);
    assert_eq!(dense(&table.values), entries(5, |x| x));
    assert_eq!(genes(&table), named[..5]);
    assert_says(&table.notes.join("; "), &["2 features of other types (Antibody Capture) were left out"]);
    let table = read("tenx3.h5", &layer("Antibody Capture"));
    let tags: Vec<Vec<f64>> = entries(7, |x| x).into_iter().map(|row| row[5..].to_vec()).collect();
    assert_eq!((dense(&table.values), genes(&table)), (tags, named[5..].to_vec()));
    assert_says(&fault("tenx3.h5", &layer("CRISPR")), &["no feature type \"CRISPR\"", "Gene Expression"]);
    let labelled = ReadOptions { label_column: Some("cell_type".into()), ..default };
    assert_says(&fault("tenx3.h5", &labelled), &["10x Genomics have no labels", "--labels"]);
}

/// The labels of a column, for samples of these names.
fn labels(
    name: &str,
    column: Option<&str>,
    names: Option<&[String]>,
    n: usize,
) -> Result<LabelTable, IoError> {
    read_labels_with(&path(name), n, &LabelOptions { column, sample_names: names })
}

/// The label of each sample as a text.
fn texts(table: &LabelTable) -> Vec<Option<&str>> {
    table.sets.iter().map(|set| set.first().map(|at| table.names[*at as usize].as_str())).collect()
}

#[test]
fn columns_of_every_kind_are_labels() {
    let (t, b, nk) = (Some("T"), Some("B"), Some("NK"));
    for (file, column, expected) in [
        ("sparse.h5ad", "cell_type", [t, b, t, None, nk, b]),
        ("old.h5ad", "cell_type", [t, b, t, None, nk, b]),
        ("plain.h5ad", "donor", [Some("anna"), Some("bob"), Some("anna"), None, Some("bob"), Some("anna")]),
        ("dense.h5ad", "kept", ["True", "False", "True", "True", "False", "True"].map(Some)),
        ("sparse.h5ad", "cluster", [Some("0"), Some("1"), Some("0"), None, Some("2"), Some("1")]),
        ("plain.h5ad", "age", [Some("30"), None, Some("30"), Some("41"), Some("41"), None]),
        ("sparse.h5ad", "stage", ["1", "2", "1", "1", "2", "2"].map(Some)),
    ] {
        let found = labels(file, Some(column), None, 6).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(texts(&found), expected, "{file} {column}");
        let of_data = ReadOptions { label_column: Some(column.into()), ..ReadOptions::default() };
        let read = read(file, &of_data).labels.unwrap();
        let again = LabelTable::from_column(Path::new(file), &read, "");
        assert_eq!(texts(&again), expected, "{file} {column}, with the data");
    }
    let fault = |column| labels("sparse.h5ad", column, None, 6).unwrap_err().to_string();
    assert_says(&fault(None), &["--label-column", "age, cell_type, cluster, donor, kept, stage"]);
    assert!(!fault(None).contains("percent"));
    assert_says(&fault(Some("celltype")), &["no column of obs \"celltype\"", "cell_type"]);
    assert_says(&fault(Some("percent")), &["obs/percent", "0.5", "whole numbers"]);
}

#[test]
fn labels_go_to_the_samples_of_the_same_name() {
    let names = |text: &str| -> Vec<String> { text.split(' ').map(String::from).collect() };
    let few = names("cell-4 cell-1 other");
    let found = labels("sparse.h5ad", Some("cell_type"), Some(&few), 3).unwrap();
    assert_eq!(texts(&found), [Some("NK"), Some("B"), None]);
    assert_eq!(found.notes, ["4 of the 6 cells of the file are not in the data"]);
    let fault = |names: Option<&[String]>, n| {
        labels("sparse.h5ad", Some("cell_type"), names, n).unwrap_err().to_string()
    };
    assert_says(&fault(None, 5), &["has 6 cells, but the data have 5 samples"]);
    assert_says(&fault(Some(&names("a b")), 2), &["none of its 6 cells", "\"cell-0\"", "\"a\""]);
    assert_says(&fault(Some(&names("cell-1 cell-1")), 2), &["several samples are named \"cell-1\""]);
}

#[test]
fn a_file_of_another_kind_is_refused_with_what_it_is() {
    let format = |name: &str| ReadOptions { format: Some(name.into()), ..ReadOptions::default() };
    assert_says(&fault("sparse.h5ad", &format("10x")), &["the format \"10x\"", "AnnData"]);
    assert_says(&fault("tenx3.h5", &format("h5ad")), &["the format \"h5ad\"", "10x Genomics"]);
    assert_says(&fault("sparse.h5ad", &format("csv")), &["the format \"csv\"", "HDF5"]);
    let table = ReadOptions { header: Some(true), ..ReadOptions::default() };
    assert_says(&fault("sparse.h5ad", &table), &["apply only to text tables", "h5ad"]);
    let text = common::fault_with("a.csv", b"a,b\n1,2\n", &layer("counts"));
    assert_says(&text, &["a layer chooses a matrix of an .h5ad file", "csv"]);
}

#[test]
fn texts_and_compressions_that_cannot_be_decoded_are_refused() {
    assert_says(&fault("latin.h5ad", &ReadOptions::default()), &["obs/_index", "text 0", "not UTF-8", "caf"]);
    assert_says(&fault("old.h5ad", &layer("zstd")), &["layers/zstd", "filter 32015", "gzip, lzf, none"]);
}

/// The bytes of a file, uncompressed.
fn bytes(name: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let file = std::fs::File::open(path(name)).unwrap();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(file), &mut out).unwrap();
    out
}

#[test]
fn a_file_on_disk_and_its_bytes_are_the_same_table() {
    let folder = tempfile::tempdir().unwrap();
    let (stored, whole) = (folder.path().join("a.h5ad"), bytes("plain.h5ad"));
    std::fs::write(&stored, &whole).unwrap();
    let on_disk = read_table(&stored, &ReadOptions::default()).unwrap();
    assert_eq!(on_disk, common::read("a.h5ad", &whole).unwrap());
    assert_eq!(on_disk.sha256, partwise_io::sha256_hex(&whole));
    assert_eq!(on_disk.values, read("plain.h5ad", &ReadOptions::default()).values);
}

#[test]
fn a_truncated_file_is_refused_wherever_it_ends() {
    for name in ["plain.h5ad", "tenx3.h5"] {
        let whole = bytes(name);
        for end in (8..whole.len()).step_by(whole.len() / 40) {
            let message = common::fault(name, &whole[..end]);
            assert!(message.starts_with(name), "{message}");
        }
    }
}

/// A copy on disk, not compressed.
fn on_disk(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes(name)).unwrap();
    path
}

/// Blocks of about two stored values.
fn blocks(path: &Path, options: &ReadOptions) -> BlockFile {
    BlockFile::open(path, options, 2).unwrap().unwrap()
}

#[test]
fn row_blocks_read_in_place_are_those_of_the_converted_file() {
    let folder = tempfile::tempdir().unwrap();
    for (name, choice) in [
        ("sparse.h5ad", None),
        ("sparse.h5ad", Some("counts")),
        ("sparse.h5ad", Some("bytes")),
        ("sparse.h5ad", Some("half")),
        ("sparse.h5ad", Some("dense")),
        ("sparse.h5ad", Some("raw")),
        ("plain.h5ad", None),
        ("dense.h5ad", None),
        ("old.h5ad", None),
        ("tenx3.h5", None),
        ("tenx3.h5", Some("Antibody Capture")),
        ("tenx2.h5", Some("GRCh38")),
    ] {
        let options = choice.map(layer).unwrap_or_default();
        let (path, pwx) = (on_disk(folder.path(), name), folder.path().join("x.pwx"));
        convert_to_pwx(&path, &options, 2, &pwx).unwrap();
        let (file, converted) = (blocks(&path, &options), blocks(&pwx, &ReadOptions::default()));
        let file = file.transposed(folder.path()).unwrap();
        assert_eq!(file.borders(), converted.borders(), "{name} {choice:?}");
        assert!(file.borders().len() > 2, "{name} {choice:?}: {:?}", file.borders());
        assert_eq!(file.stored(), converted.stored());
        assert_eq!(
            (file.shape(), file.precision(), file.is_sparse()),
            (converted.shape(), converted.precision(), converted.is_sparse())
        );
        assert_eq!(
            (file.row_names(), file.column_names()),
            (converted.row_names(), converted.column_names())
        );
        for block in 0..file.stored().len() {
            for single in [true, false] {
                let (own, other) = (file.read_block(block, single), converted.read_block(block, single));
                assert_eq!(own.unwrap(), other.unwrap(), "{name} {choice:?} block {block}");
            }
        }
    }
    // What was written on the way is gone.
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{left:?}");
}

#[test]
fn a_matrix_stored_by_columns_has_no_row_blocks_before_it_is_transposed() {
    let folder = tempfile::tempdir().unwrap();
    let file = blocks(&on_disk(folder.path(), "plain.h5ad"), &ReadOptions::default());
    assert!(file.is_by_columns());
    let fault = file.read_block(0, true).unwrap_err().to_string();
    assert!(fault.contains("stored by columns") && fault.contains("partwise convert"), "{fault}");
}

#[test]
fn labels_and_notes_come_with_the_row_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let options = ReadOptions { label_column: Some("cell_type".into()), ..layer("counts") };
    let file = blocks(&on_disk(folder.path(), "sparse.h5ad"), &options);
    let texts: Vec<_> = file.labels().unwrap().iter().map(Option::as_deref).collect();
    assert_eq!(texts, [Some("T"), Some("B"), Some("T"), None, Some("NK"), Some("B")]);
    assert_eq!(file.notes(), ["integers (int32) were widened to f64"]);
}

#[test]
fn a_file_that_changes_or_ends_while_its_blocks_are_read_is_refused_with_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = on_disk(folder.path(), "plain.h5ad");
    let whole = std::fs::read(&path).unwrap();
    let file = std::sync::Arc::new(blocks(&path, &layer("dense")));
    let source = FileBlocks::new(file, Scaling::None);
    let read = |block| RowBlocks::<f64>::read(&source, block).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(read(0), Ok(()));
    // The values 0.25, as they are stored: the first of them becomes another number.
    let (old, new) = (0.25_f64.to_le_bytes(), 0.75_f64.to_le_bytes());
    let at = whole.windows(8).position(|window| window == old).unwrap();
    let mut altered = whole.clone();
    altered[at..at + 8].copy_from_slice(&new);
    std::fs::write(&path, &altered).unwrap();
    let fault = read(0).unwrap_err();
    assert_says(&fault, &["plain.h5ad", "block 0 (rows 0 to", "changed while it is read"]);
    std::fs::write(&path, &whole).unwrap();
    assert_eq!(read(0), Ok(()));
    let cut = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    cut.set_len(600).unwrap();
    let fault = read(1).unwrap_err();
    assert_says(&fault, &["plain.h5ad", "block 1 (rows", "can't be read"]);
}
