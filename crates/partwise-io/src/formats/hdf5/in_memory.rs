//! A file that was never written, to try layouts that no program writes; and what the readers say of them.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::Result;
use crate::formats::ReadOptions;
use crate::formats::hdf5::file::{Array, Element, Hdf5};
use crate::formats::hdf5::reader::Reader;
use crate::source::Source;
use crate::table::{DenseValues, Table, Values};

const DOUBLE: Element = Element::Double;
const INTEGER: Element = Element::Whole { bytes: 4, signed: true };

/// An array: its shape and element, and its values as numbers or as texts.
#[derive(Clone)]
enum Stored {
    Numbers(Vec<usize>, Element, Vec<f64>),
    Texts(Vec<String>),
}

#[derive(Clone, Default)]
struct InMemory {
    arrays: BTreeMap<String, Stored>,
    attributes: BTreeMap<(String, String), String>,
}

impl InMemory {
    fn with(mut self, path: &str, stored: Stored) -> Self {
        self.arrays.insert(path.into(), stored);
        self
    }

    fn numbers(self, path: &str, element: Element, values: &[f64]) -> Self {
        self.with(path, Stored::Numbers(vec![values.len()], element, values.to_vec()))
    }

    fn texts(self, path: &str, texts: &str) -> Self {
        self.with(path, Stored::Texts(texts.split_whitespace().map(String::from).collect()))
    }

    fn attribute(mut self, path: &str, name: &str, text: &str) -> Self {
        self.attributes.insert((path.into(), name.into()), text.into());
        self
    }

    /// 3 cells × 2 genes, compressed as `encoding` says.
    fn annotated(encoding: &str, data: &[f64], indices: &[f64], indptr: &[f64]) -> Self {
        InMemory::default()
            .texts("obs/_index", "ann bob cid")
            .texts("var/_index", "CD3D LYZ")
            .attribute("X", "encoding-type", encoding)
            .numbers("X/data", DOUBLE, data)
            .numbers("X/indices", INTEGER, indices)
            .numbers("X/indptr", INTEGER, indptr)
    }

    fn read(&self, options: &ReadOptions) -> Result<Table> {
        let source = Source::from_bytes(Path::new("a.csv"), b"a,b".to_vec(), 1 << 20)?;
        super::table(&Reader { file: self, path: Path::new("a.h5ad") }, &source, options)
    }

    fn fault(&self) -> String {
        self.read(&ReadOptions::default()).map(|_| ()).unwrap_err().to_string()
    }
}

impl Hdf5 for InMemory {
    fn names(&self, group: &str) -> Option<Vec<String>> {
        let prefix = if group.is_empty() { String::new() } else { format!("{group}/") };
        let inside = self.arrays.keys().filter_map(|path| path.strip_prefix(&prefix));
        let mut names: Vec<String> =
            inside.filter_map(|rest| rest.split('/').next()).map(String::from).collect();
        names.dedup();
        (!names.is_empty()).then_some(names)
    }

    fn attribute(&self, path: &str, name: &str) -> Option<String> {
        self.attributes.get(&(path.into(), name.into())).cloned()
    }

    fn array(&self, path: &str) -> std::result::Result<Option<Array>, String> {
        let array = |stored: &Stored| {
            let (shape, element) = match stored {
                Stored::Numbers(shape, element, _) => (shape.clone(), *element),
                Stored::Texts(texts) => (vec![texts.len()], Element::Text),
            };
            Array { shape, element, step: 1 }
        };
        Ok(self.arrays.get(path).map(array))
    }

    fn reals(
        &self,
        path: &str,
        start: &[usize],
        count: &[usize],
    ) -> std::result::Result<DenseValues, String> {
        let Some(Stored::Numbers(shape, _, values)) = self.arrays.get(path) else {
            return Err("no numbers".into());
        };
        let width: usize = shape[1..].iter().product();
        Ok(DenseValues::F64(values[start[0] * width..(start[0] + count[0]) * width].to_vec()))
    }

    fn whole(&self, path: &str, start: usize, count: usize) -> std::result::Result<Vec<i64>, String> {
        let values = self.reals(path, &[start], &[count])?;
        Ok((0..values.len()).map(|at| values.get(at) as i64).collect())
    }

    fn texts(&self, path: &str) -> std::result::Result<Vec<String>, String> {
        match self.arrays.get(path) {
            Some(Stored::Texts(texts)) => Ok(texts.clone()),
            _ => Err("no texts".into()),
        }
    }
}

#[test]
fn rows_out_of_order_are_sorted_and_duplicates_summed() {
    for (encoding, indices, indptr) in [
        ("csr_matrix", [1.0, 0.0, 1.0, 0.0, 0.0], &[0.0, 2.0, 3.0, 5.0][..]),
        ("csc_matrix", [0.0, 2.0, 2.0, 0.0, 1.0], &[0.0, 3.0, 5.0]),
    ] {
        let data =
            if encoding == "csr_matrix" { [1.0, 2.0, 3.0, 4.0, 5.0] } else { [2.0, 4.0, 5.0, 1.0, 3.0] };
        let table = InMemory::annotated(encoding, &data, &indices, indptr).read(&ReadOptions::default());
        let table = table.unwrap_or_else(|e| panic!("{e}"));
        let expected = Values::Sparse {
            rows: 3,
            columns: 2,
            indptr: vec![0, 2, 3, 4],
            indices: vec![0, 1, 1, 0],
            values: DenseValues::F64(vec![2.0, 1.0, 3.0, 9.0]),
        };
        assert_eq!(table.values, expected, "{encoding}");
        assert_eq!(table.notes, ["1 duplicate entry was summed"]);
    }
}

#[test]
fn parts_that_do_not_fit_are_refused_with_the_array_and_what_is_needed() {
    let good = InMemory::annotated("csr_matrix", &[1.0, 2.0], &[0.0, 1.0], &[0.0, 1.0, 1.0, 2.0]);
    assert!(good.read(&ReadOptions::default()).is_ok());
    let dense = |shape: &[usize], element| {
        let mut file = good.clone();
        file.arrays.retain(|path, _| !path.starts_with("X/"));
        file.with("X", Stored::Numbers(shape.to_vec(), element, vec![1.0; shape.iter().product()]))
    };
    let mut no_cells = good.clone();
    no_cells.arrays.retain(|path, _| !path.starts_with("obs"));
    let mut no_names = good.clone();
    no_names.arrays.remove("obs/_index");
    let no_names = no_names.texts("obs/type", "a b c");
    let records = Stored::Numbers(vec![3], Element::Other, vec![0.0; 3]);
    let mut no_data = good.clone();
    no_data.arrays.remove("X/data");
    for (file, parts) in [
        (good.clone().numbers("X/indices", INTEGER, &[0.0, 2.0]), &["X/indices", "entry 1 is 2", "0..2"][..]),
        (good.clone().numbers("X/indices", INTEGER, &[0.0, -1.0]), &["X/indices", "entry 1 is -1"]),
        (good.clone().numbers("X/indices", INTEGER, &[0.0]), &["X/indices", "1 indices, but 2 values"]),
        (
            good.clone().numbers("X/indptr", INTEGER, &[0.0, 1.0, 2.0]),
            &["X/indptr", "3 offsets", "4 are needed"],
        ),
        (good.clone().numbers("X/indptr", INTEGER, &[0.0, 1.0, 1.0, 3.0]), &["X/indptr", "from 0 to 3"]),
        (good.clone().numbers("X/indptr", INTEGER, &[0.0, 2.0, 1.0, 2.0]), &["X/indptr", "offset 2 is 1"]),
        (good.clone().numbers("X/indptr", INTEGER, &[0.0, -5.0, 1.0, 2.0]), &["X/indptr", "offset 1 is -5"]),
        (good.clone().texts("X/data", "a b"), &["X/data", "numbers are needed", "text"]),
        (good.clone().attribute("X", "encoding-type", "awkward"), &["\"X\"", "awkward", "csr_matrix"]),
        (no_data, &["X/data", "no such array"]),
        (dense(&[2, 3], DOUBLE), &["\"X\"", "(2, 3)", "3 rows and 2 rows"]),
        (dense(&[6], DOUBLE), &["\"X\"", "(6,)"]),
        (dense(&[3, 2], Element::Other), &["\"X\"", "numbers are needed"]),
        (no_cells.clone(), &["no table of cells", "it has X, var", "AnnData"]),
        (no_cells.with("obs", records), &["\"obs\"", "before 0.7", "write the file again"]),
        (no_names, &["\"obs\"", "no names of its rows"]),
    ] {
        let message = file.fault();
        for part in parts {
            assert!(message.contains(part), "\"{part}\" is not in: {message}");
        }
    }
}

#[test]
fn other_programs_files_are_called_by_their_names() {
    let file = |paths: &[&str]| paths.iter().fold(InMemory::default(), |file, path| file.texts(path, "a"));
    for (file, part) in [
        (
            file(&["mod/rna/X", "mod/atac/X", "obs/_index", "var/_index"]),
            "MuData with several tables (atac, rna)",
        ),
        (file(&["matrix", "row_attrs/Gene", "col_attrs/CellID"]), "Loom"),
        (file(&["assays/RNA", "cell.names"]), "Seurat"),
        (file(&["barcode_idx", "umi"]), "filtered_feature_bc_matrix.h5"),
        (file(&["model_weights/dense"]), "it has model_weights"),
    ] {
        let message = file.fault();
        assert!(message.contains(part), "\"{part}\" is not in: {message}");
    }
}

#[test]
fn a_layer_that_is_missing_or_not_clear_is_refused_with_the_layers() {
    let of = |layer: Option<&str>| ReadOptions { layer: layer.map(String::from), ..ReadOptions::default() };
    let matrix = Stored::Numbers(vec![3, 2], DOUBLE, vec![1.0; 6]);
    let mut file = InMemory::annotated("csr_matrix", &[], &[], &[0.0; 4])
        .with("layers/raw", matrix.clone())
        .with("layers/counts", matrix.clone())
        .with("raw/X", Stored::Numbers(vec![3, 1], DOUBLE, vec![2.0; 3]))
        .texts("raw/var/_index", "LYZ");
    let fault = |file: &InMemory, layer| file.read(&of(layer)).map(|_| ()).unwrap_err().to_string();
    assert!(fault(&file, Some("raw")).contains("valid: layers/raw, raw/X"));
    assert_eq!(file.read(&of(Some("raw/X"))).map(|table| table.values.shape()).ok(), Some((3, 1)));
    assert_eq!(file.read(&of(Some("layers/raw"))).map(|table| table.values.shape()).ok(), Some((3, 2)));
    assert!(fault(&file, Some("spliced")).contains("valid: X, raw/X, counts, layers/raw"));
    file.arrays.retain(|path, _| !path.starts_with("X/"));
    assert!(fault(&file, None).contains("no X; choose another matrix with --layer; valid: raw/X, counts"));
}
