//! Every reader, called on bytes as the front ends call it.

use partwise_io::guidance_file::guidance_of;
use partwise_io::labels::labels_with;
use partwise_io::links::links_of;
use partwise_io::topics::topics_of;
use partwise_io::{
    CountSettings, DataNames, DocumentLimit, DocumentOptions, IoError, LabelOptions, ModelFile, ReadOptions,
    Reference, Source, Vocabulary, documents_of, names_of, read_source, reference_of,
};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Panics of the crate that reads HDF5, which the reader turned into errors.
pub(crate) static CAUGHT: AtomicUsize = AtomicUsize::new(0);

/// What a file is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tables,
    Labels,
    Links,
    Topics,
    Names,
    Guidance,
    Models,
    Documents,
    /// HDF5, which is stored beside the other kinds.
    Cells,
}

pub(crate) const KINDS: [Kind; 8] = [
    Kind::Tables,
    Kind::Labels,
    Kind::Links,
    Kind::Topics,
    Kind::Names,
    Kind::Guidance,
    Kind::Models,
    Kind::Documents,
];

/// How many ways there are to read a file of each kind.
pub(crate) const WAYS: usize = 8;

impl Kind {
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Kind::Tables => "tables",
            Kind::Labels => "labels",
            Kind::Links => "links",
            Kind::Topics => "topics",
            Kind::Names => "names",
            Kind::Guidance => "guidance",
            Kind::Models => "models",
            Kind::Documents => "documents",
            Kind::Cells => "cells",
        }
    }
}

/// Reads bytes as a file of this name; whether that went well. Way 0 is the default.
pub(crate) fn read(kind: Kind, name: &str, bytes: &[u8], way: usize) -> bool {
    let path = Path::new(name);
    if kind == Kind::Models {
        return model(path, bytes);
    }
    let Ok(source) = Source::from_bytes(path, bytes.to_vec(), partwise_io::DECODED_LIMIT) else {
        return false;
    };
    let texts = |texts: &[&str]| -> Vec<String> { texts.iter().map(ToString::to_string).collect() };
    let (samples, features) =
        (texts(&["ann", "bob", "cid", "dan"]), texts(&["ball", "goal", "vote", "court"]));
    let named = way.is_multiple_of(2);
    let names = DataNames::new(4, named.then_some(&samples[..]), 4, named.then_some(&features[..]));
    match kind {
        Kind::Cells => cells(&source, name, way),
        Kind::Tables => table(&source, way),
        Kind::Labels => {
            let options = LabelOptions {
                column: (way == 5).then_some("label"),
                sample_names: named.then_some(&samples[..]),
            };
            let n = if way == 7 { 0 } else { 4 };
            labels_with(&source, n, &options).is_ok_and(|labels| {
                assert_eq!(labels.sets.len(), n);
                assert!(labels.sets.iter().flatten().all(|label| (*label as usize) < labels.names.len()));
                let _ = labels.single();
                true
            })
        }
        Kind::Links => links_of(&source, &names).is_ok_and(|links| {
            assert!(links.must.iter().chain(&links.cannot).all(|(i, l)| *i < 4 && *l < 4 && i != l));
            true
        }),
        Kind::Topics => topics_of(&source, &names).is_ok(),
        Kind::Names => names_of(&source, 4, "features").is_ok(),
        Kind::Guidance => guidance_of(&source, &names).is_ok(),
        Kind::Documents => documents(&source, way),
        Kind::Models => false,
    }
}

fn documents(source: &Source, way: usize) -> bool {
    let column = |name: &str| Some(name.to_string());
    let options = match way {
        1 => DocumentOptions { column: column("body"), ..DocumentOptions::default() },
        2 => DocumentOptions { label_column: column("kind"), ..DocumentOptions::default() },
        3 => DocumentOptions { header: Some(false), column: column("1"), ..DocumentOptions::default() },
        4 => DocumentOptions { row_names: Some(true), ..DocumentOptions::default() },
        _ => DocumentOptions::default(),
    };
    let Ok(documents) = documents_of(source, &options) else { return false };
    let n = documents.texts.len();
    assert!(documents.names.as_ref().is_none_or(|names| names.len() == n));
    assert!(documents.labels.as_ref().is_none_or(|labels| labels.len() == n));
    let settings =
        CountSettings { min_documents: DocumentLimit::Count(1), ngrams: (1, 2), ..Default::default() };
    if let Ok((vocabulary, counts)) = Vocabulary::learn(&documents.texts, &settings) {
        assert_eq!(counts.shape(), (n, vocabulary.words().len()));
        assert_eq!(vocabulary.count(&documents.texts), counts);
    }
    documents.snippets().len() == n
}

fn table(source: &Source, way: usize) -> bool {
    let default = ReadOptions::default;
    let options = match way {
        1 => ReadOptions { header: Some(true), row_names: Some(true), ..default() },
        2 => ReadOptions { header: Some(false), row_names: Some(false), ..default() },
        3 => ReadOptions { label_column: Some("1".into()), ..default() },
        4 => ReadOptions { n_nodes: Some(4), ..default() },
        5 => ReadOptions { format: Some("csv".into()), ..default() },
        6 => ReadOptions { key: Some("x".into()), ..default() },
        _ => default(),
    };
    let Ok(table) = read_source(source, &options) else { return false };
    let (rows, columns) = table.values.shape();
    assert!(rows > 0 && columns > 0);
    assert!(table.row_names.as_ref().is_none_or(|names| names.len() == rows));
    assert!(table.column_names.as_ref().is_none_or(|names| names.len() == columns));
    assert!(table.labels.as_ref().is_none_or(|labels| labels.len() == rows));
    assert!(table.image_shape.is_none_or(|(height, width)| height * width == columns));
    let reference: Result<Reference<f64>, _> = reference_of(source.path(), table);
    if let Ok(reference) = reference {
        assert_eq!(reference.values.shape(), (rows, columns));
    }
    true
}

fn model(path: &Path, bytes: &[u8]) -> bool {
    let Ok(model) = ModelFile::from_bytes(path, bytes) else { return false };
    if model.check(path).is_err() {
        return false;
    }
    let codes = model.tensor("codes").unwrap().to_matrix::<f64>();
    assert!(codes.as_slice().iter().all(|code| *code >= 0.0 && code.is_finite()));
    assert_eq!(codes.columns(), model.tensor("components").unwrap().shape().0);
    model.guidance(path).is_ok()
}

/// A matrix of a file of cells, or a column of it as labels.
fn cells(source: &Source, name: &str, way: usize) -> bool {
    if let 5 | 6 = way {
        let column = Some(if way == 5 { "cell_type" } else { "donor" });
        let options = LabelOptions { column, sample_names: None };
        return labels_with(source, 6, &options).inspect_err(count_panic).is_ok_and(|labels| {
            assert_eq!(labels.sets.len(), 6);
            true
        });
    }
    let layer = match way {
        _ if name.starts_with("tenx2") => Some("GRCh38"),
        1 => Some("counts"),
        2 => Some("raw"),
        3 => Some("dense"),
        7 => Some("half"),
        _ => None,
    };
    let label_column = (way == 4).then(|| "cell_type".to_string());
    let options = ReadOptions { layer: layer.map(String::from), label_column, ..ReadOptions::default() };
    read_source(source, &options).inspect_err(count_panic).is_ok_and(|table| {
        let (rows, columns) = table.values.shape();
        assert!(table.row_names.is_some_and(|names| names.len() == rows));
        assert!(table.column_names.is_some_and(|names| names.len() == columns));
        assert!(table.labels.is_none_or(|labels| labels.len() == rows));
        true
    })
}

fn count_panic(error: &IoError) {
    if error.to_string().contains("internal error of the HDF5 reader") {
        CAUGHT.fetch_add(1, Ordering::Relaxed);
    }
}
