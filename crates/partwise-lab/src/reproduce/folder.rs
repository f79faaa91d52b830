//! Data sets in folders: a table, labels.csv, and split.csv and terms.txt where there are any.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::protocols::{DataSet, Library, Protocol};
use anyhow::{Context, Result, bail};
use partwise_io::{
    LabelTable, ReadOptions, Values, read_labels, read_labels_column, read_lines, read_table, sha256_hex,
};

/// The names that a table may have, the first that is there.
const TABLES: [&str; 8] = [
    "counts.mtx.gz",
    "values.mtx.gz",
    "images.npy",
    "images.npz",
    "cube.npz",
    "matrix.csv.gz",
    "counts.csv.gz",
    EDGES,
];

const EDGES: &str = "edges.csv";

const LABELS: &str = "labels.csv";
/// Profiles that go with a set, without labels.
const SIGNATURES: &str = "signatures_v3.csv.gz";
const SPLIT: &str = "split.csv";
const TERMS: &str = "terms.txt";

/// A folder of data sets, each read once.
pub(super) struct Folder {
    path: PathBuf,
    read: Mutex<HashMap<String, Arc<DataSet>>>,
}

impl Folder {
    pub(super) fn new(path: PathBuf) -> Self {
        Folder { path, read: Mutex::default() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The data sets of a protocol that aren't there.
    pub(super) fn missing(&self, protocol: &Protocol) -> Vec<&'static str> {
        protocol.needs.iter().copied().filter(|set| !self.path.join(set).is_dir()).collect()
    }

    /// For each data set of a protocol the SHA-256 of its files, so that results of other data aren't
    /// continued.
    pub(super) fn digests(&self, protocol: &Protocol) -> Result<Vec<(&'static str, String)>> {
        let digest = |set: &&'static str| {
            let folder = self.path.join(set);
            let mut all = String::new();
            let table = self.table(set)?;
            let edges = Some(folder.join(EDGES)).filter(|edges| *edges != table);
            let files = [
                Some(table),
                Some(folder.join(LABELS)),
                Some(folder.join(SPLIT)),
                Some(folder.join(TERMS)),
                edges,
            ];
            for file in files.into_iter().flatten() {
                if file.is_file() {
                    let bytes = std::fs::read(&file).with_context(|| file.display().to_string())?;
                    all.push_str(&sha256_hex(&bytes));
                }
            }
            Ok((*set, sha256_hex(all.as_bytes())))
        };
        protocol.needs.iter().map(digest).collect()
    }

    fn table(&self, name: &str) -> Result<PathBuf> {
        let folder = self.path.join(name);
        let found = TABLES.iter().map(|table| folder.join(table)).find(|path| path.is_file());
        found.with_context(|| {
            format!("{} has no table; one of {} is needed", folder.display(), TABLES.join(", "))
        })
    }

    fn load(&self, name: &str) -> Result<DataSet> {
        let (links_of, profiles_of) = (name.strip_suffix("/edges"), name.strip_suffix("/signatures"));
        let folder = self.path.join(links_of.or(profiles_of).unwrap_or(name));
        let path = match (links_of, profiles_of) {
            (Some(_), _) => folder.join(EDGES),
            (_, Some(_)) => folder.join(SIGNATURES),
            _ => self.table(name)?,
        };
        let labels = folder.join(LABELS);
        let edges = path.ends_with(EDGES);
        // A node without a link is a node all the same: the labels count them.
        let nodes = if edges { Some(last_index(&labels)? + 1) } else { None };
        let table = read_table(&path, &ReadOptions { n_nodes: nodes, ..ReadOptions::default() })?;
        let (n, n_features) = table.values.shape();
        let (indptr, indices, values) = compressed(table.values);
        let (names, sets) = match labels.is_file() && profiles_of.is_none() {
            true => {
                let LabelTable { names, sets, .. } = read_labels(&labels, n)?;
                (names, sets)
            }
            false => (Vec::new(), vec![Vec::new(); n]),
        };
        let (split, terms) = (folder.join(SPLIT), folder.join(TERMS));
        let parts = if split.is_file() { parts(&split, n)? } else { Vec::new() };
        let terms = if terms.is_file() && !edges { read_lines(&terms)? } else { Vec::new() };
        if !terms.is_empty() && terms.len() != n_features {
            bail!("{}: {} terms for {n_features} features", folder.join(TERMS).display(), terms.len());
        }
        let image_shape = table.image_shape;
        Ok(DataSet {
            n_features,
            indptr,
            indices,
            values,
            labels: sets,
            label_names: names,
            parts,
            image_shape,
            terms,
        })
    }
}

impl Library for Folder {
    fn data_set(&self, name: &str) -> Result<Arc<DataSet>> {
        // Held while reading, so that two threads don't read the same set; a reader that panicked has added
        // nothing.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = read.get(name) {
            return Ok(Arc::clone(set));
        }
        let set = Arc::new(self.load(name)?);
        read.insert(name.to_string(), Arc::clone(&set));
        Ok(set)
    }
}

/// The largest index of a table index,label.
fn last_index(path: &Path) -> Result<usize> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let indices = text.lines().filter_map(|line| line.split(',').next()?.trim().parse::<usize>().ok());
    indices.max().with_context(|| format!("{}: no line begins with an index", path.display()))
}

fn parts(path: &Path, n: usize) -> Result<Vec<String>> {
    let table = read_labels_column(path, n, "split")?;
    let single = table.single()?;
    let name = |part: &i32| usize::try_from(*part).map_or(String::new(), |part| table.names[part].clone());
    Ok(single.iter().map(name).collect())
}

/// Compressed rows without the zeros.
fn compressed(values: Values) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
    match values {
        Values::Sparse { indptr, indices, values, .. } => (indptr, indices, values.into_real()),
        Values::Dense { rows, columns, values } => {
            let values: Vec<f64> = values.into_real();
            let (mut indptr, mut indices, mut stored) = (vec![0], Vec::new(), Vec::new());
            for row in 0..rows {
                for (column, value) in values[row * columns..(row + 1) * columns].iter().enumerate() {
                    if *value != 0.0 {
                        indices.push(column as u32);
                        stored.push(*value);
                    }
                }
                indptr.push(indices.len());
            }
            (indptr, indices, stored)
        }
    }
}
