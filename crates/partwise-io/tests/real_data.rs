//! Promise: the public data sets are read right. Where they are absent, each test says what it leaves out;
//! its twin on data made here always runs.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use partwise_io::{FileKind, ReadOptions, read_labels, read_names, read_table};
use std::path::PathBuf;

fn file(name: &str) -> Option<PathBuf> {
    let path = data_folder().map(|folder| folder.join(name)).filter(|path| path.exists());
    if path.is_none() {
        eprintln!("left out: {name} (set PARTWISE_DATA to the folder of the data sets)");
    }
    path
}

fn auto() -> ReadOptions {
    ReadOptions::default()
}

#[test]
fn real_images() {
    for (name, shape, largest) in [
        ("orl/images.npy", (400, 32, 32), 235.0),
        ("orl/images_112x92.npz", (400, 112, 92), 251.0),
        ("umist/images.npy", (575, 32, 32), 241.0),
        ("mnist-4-9/images.npz", (13782, 28, 28), 255.0),
    ] {
        let Some(path) = file(name) else { continue };
        let table = read_table(&path, &auto()).unwrap();
        let (n, height, width) = shape;
        assert_eq!(table.values.shape(), (n, height * width), "{name}");
        assert_eq!(table.image_shape, Some((height, width)));
        let partwise_io::Values::Dense { values, .. } = &table.values else { panic!("{name} is dense") };
        let max = (0..values.len()).map(|i| values.get(i)).fold(0.0, f64::max);
        assert_eq!(max, largest, "{name}");
    }
}

#[test]
fn images_made_here() {
    let bytes = npy("'|u1'", false, "(2, 1, 2)", &[0, 235, 3, 4]);
    let table = read("images.npz", &zip_of(&[("images.npy", bytes)])).unwrap();
    assert_eq!((table.values.shape(), table.image_shape), ((2, 2), Some((1, 2))));
}

#[test]
fn real_counts_and_labels() {
    for (name, n, d, stored, classes, labels) in [
        ("20newsgroups", 18846, 24360, 1323582, 20, 18846),
        ("worm-neuron", 4186, 13488, 780212, 10, 4186),
        ("bbc", 2225, 9635, 286774, 5, 2225),
        ("tmc2007-500", 28596, 500, 648547, 22, 61768),
        ("reuters21578", 10789, 11812, 473048, 90, 13331),
    ] {
        let Some(path) = file(&format!("{name}/counts.mtx.gz")) else { continue };
        let start = std::time::Instant::now();
        let table = read_table(&path, &auto()).unwrap();
        eprintln!("{name}: read in {:.3} s", start.elapsed().as_secs_f64());
        assert_eq!((table.values.shape(), table.values.n_stored()), ((n, d), stored), "{name}");
        assert!(table.notes.is_empty(), "{name}: {:?}", table.notes);
        let found = read_labels(&path.with_file_name("labels.csv"), n).unwrap();
        assert_eq!(found.names.len(), classes, "{name}");
        if labels == n {
            assert_eq!(found.single().unwrap().len(), n);
        } else {
            assert!(found.single().is_err());
            // Two of the 13331 lines of Reuters repeat a pair, which the table's notes say.
            let pairs: usize = found.sets.iter().map(Vec::len).sum();
            assert!(name != "reuters21578" || pairs == 13329);
        }
        let terms = path.with_file_name("terms.txt");
        if terms.exists() {
            assert_eq!(read_names(&terms, d, "columns").unwrap().len(), d);
        }
    }
}

#[test]
fn counts_and_labels_made_here() {
    let text =
        gzip(b"%%MatrixMarket matrix coordinate integer general\n% made\n3 2 3\n1 1 4\n3 1 1\n3 2 11151\n");
    let table = read("counts.mtx.gz", &text).unwrap();
    assert_eq!(dense(&table.values), [[4.0, 0.0], [0.0, 0.0], [1.0, 11151.0]]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.csv");
    std::fs::write(&path, "index,label\n0,class02\n0,class06\n2,class02\n").unwrap();
    let labels = read_labels(&path, 3).unwrap();
    assert_eq!(labels.sets, [vec![0, 1], vec![], vec![0]]);
}

#[test]
fn real_tables() {
    for (name, rows, columns, first) in [
        ("all-aml/matrix.csv.gz", 38, 5000, "ALL_19769_B-cell"),
        ("medulloblastoma/matrix.csv.gz", 34, 5893, "Brain_MD_7"),
        ("brca21-mutations/counts.csv.gz", 21, 96, "PD3851a"),
        ("brca21-mutations/signatures_v3.csv.gz", 67, 96, "SBS1"),
    ] {
        let Some(path) = file(name) else { continue };
        let table = read_table(&path, &auto()).unwrap();
        assert_eq!(table.values.shape(), (rows, columns), "{name}");
        assert_eq!(table.row_names.map(|names| names[0].clone()), Some(first.to_string()));
        assert_eq!(table.column_names.map(|names| names.len()), Some(columns));
    }
}

#[test]
fn tables_made_here() {
    let table =
        read("matrix.csv.gz", &gzip(b"sample,A[C>A]A,M12759_at\nPD3851a,31,0.5\nPD3890a,110,2\n")).unwrap();
    assert_eq!(dense(&table.values), [[31.0, 0.5], [110.0, 2.0]]);
    assert_eq!(table.row_names, Some(vec!["PD3851a".to_string(), "PD3890a".to_string()]));
}

#[test]
fn real_graphs() {
    // Undirected edges, each of which is stored twice (self-loops once).
    for (name, nodes, stored) in [
        ("graph-karate", 34, Some(2 * 78)),
        ("graph-football", 115, Some(2 * 613)),
        ("graph-polbooks", 105, Some(2 * 441)),
        ("cora", 2708, Some(2 * 5278)),
        ("graph-email-eu-core", 1005, None),
    ] {
        let Some(path) = file(&format!("{name}/edges.csv")) else { continue };
        let table = read_table(&path, &auto()).unwrap();
        assert_eq!((table.values.shape(), table.kind), ((nodes, nodes), FileKind::Edges), "{name}");
        assert!(stored.is_none_or(|stored| stored == table.values.n_stored()), "{name}");
        assert!(
            name != "graph-email-eu-core" || table.notes.iter().any(|note| note.contains("642 self-loops"))
        );
        assert_eq!(read_labels(&path.with_file_name("labels.csv"), nodes).unwrap().n_labelled(), nodes);
    }
}

#[test]
fn graphs_made_here() {
    let table = read("edges.csv", b"source,target,weight\n0,1,1\n1,2,1\n2,2,1\n").unwrap();
    assert_eq!((table.values.shape(), table.values.n_stored()), ((3, 3), 5));
}
