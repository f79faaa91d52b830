//! Promise: no bytes make a reader panic or believe a forged size.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use partwise_io::labels::labels_of;
use partwise_io::{FORMATS, ReadOptions, Source};
use proptest::prelude::*;
use std::path::Path;

/// Valid files, one of each kind, as seeds to damage.
fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let mut text = String::from("%%MatrixMarket matrix coordinate real general\n% c\n4 5 6\n");
    for i in 0..6 {
        text += &format!("{} {} {}.5\n", i % 4 + 1, i % 5 + 1, i);
    }
    vec![
        ("a.npy", npy_f8("(2, 3)", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])),
        ("f.npy", npy("'>i2'", true, "(2, 2, 2)", &[0; 16])),
        ("s.npy", npy("[('p', '<f8'), ('q', '<i4')]", false, "(1,)", &[0; 12])),
        ("d.npz", zip_of(&[("x.npy", npy_f8("(1, 2)", &[1.0, 2.0]))])),
        ("r.npz", scipy_npz("csr")),
        ("c.npz", scipy_npz("csc")),
        ("o.npz", scipy_npz("coo")),
        ("a.mtx", text.clone().into_bytes()),
        ("y.mtx", b"%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n".to_vec()),
        ("a.mtx.gz", gzip(text.as_bytes())),
        ("t.csv", b"id,p,\"q, r\"\ns1,1,2\ns2,NA,-4e3\n".to_vec()),
        ("t.tsv", b"p\tq\nr\t1\t2\n".to_vec()),
        ("t.txt", b"1  2 3\n4 5 6\n".to_vec()),
        ("e.csv", b"source,target,weight\n0,1,1\n2,2,0.5\n".to_vec()),
        ("l.csv", b"index,label\n0,a\n3,b\n3,c\n".to_vec()),
        ("l.txt", b"a\nb\n\n-1\n".to_vec()),
    ]
}

/// All readers, each with options that reach its branches. The limit keeps forged archives small.
fn read_every_way(name: &str, bytes: &[u8]) {
    let source = Source::from_bytes(Path::new(name), bytes.to_vec(), 1 << 20);
    let Ok(source) = source else { return };
    let mut ways = vec![ReadOptions::default()];
    ways.extend(FORMATS.iter().map(|f| ReadOptions { format: Some(f.name.into()), ..Default::default() }));
    ways.push(ReadOptions { key: Some("x".into()), ..Default::default() });
    ways.push(ReadOptions { label_column: Some("1".into()), ..Default::default() });
    ways.push(ReadOptions { label_column: Some("0".into()), row_names: Some(true), ..Default::default() });
    ways.push(ReadOptions { header: Some(false), row_names: Some(false), ..Default::default() });
    ways.push(ReadOptions { n_nodes: Some(2), ..Default::default() });
    for mut options in ways {
        options.decoded_limit = 1 << 20;
        if let Ok(table) = partwise_io::read_source(&source, &options) {
            let (rows, columns) = table.values.shape();
            assert!(table.row_names.is_none_or(|names| names.len() == rows));
            assert!(table.column_names.is_none_or(|names| names.len() == columns));
            assert!(table.labels.is_none_or(|labels| labels.len() == rows));
            assert!(table.image_shape.is_none_or(|(height, width)| height * width == columns));
            if rows.saturating_mul(columns) < 10_000 {
                assert_eq!(dense(&table.values).len(), rows);
            }
        }
    }
    for n in [0, 4] {
        if let Ok(labels) = labels_of(&source, n, None) {
            assert_eq!(labels.sets.len(), n);
            let _ = labels.single();
        }
    }
}

#[test]
fn the_seeds_themselves_are_read() {
    for (name, bytes) in seeds() {
        read_every_way(name, &bytes);
        let is_labels = name.starts_with('l');
        assert!(is_labels || name == "s.npy" || read(name, &bytes).is_ok(), "{name}");
    }
}

#[test]
fn every_truncation_of_a_valid_file_is_taken() {
    for (name, bytes) in seeds() {
        for end in 0..bytes.len() {
            read_every_way(name, &bytes[..end]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damaged_files_never_panic(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        removed in prop::option::of((any::<prop::sample::Index>(), 1usize..20)),
    ) {
        let seeds = seeds();
        let (name, bytes) = &seeds[which.index(seeds.len())];
        let mut bytes = bytes.clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some((at, length)) = removed {
            let start = at.index(bytes.len());
            let end = (start + length).min(bytes.len());
            bytes.drain(start..end);
        }
        read_every_way(name, &bytes);
    }

    #[test]
    fn digits_in_the_wrong_place_never_panic(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        digits in prop::sample::select(vec!["9", "99999", "4294967296", "18446744073709551615", "-", "e", "\"", "\n"]),
    ) {
        let seeds = seeds();
        let (name, bytes) = &seeds[which.index(seeds.len())];
        let at = at.index(bytes.len());
        let damaged = [&bytes[..at], digits.as_bytes(), &bytes[at..]].concat();
        read_every_way(name, &damaged);
    }

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), magic in 0usize..8) {
        let magics: [&[u8]; 8] = [
            b"", b"\x93NUMPY\x01\x00", b"PK\x03\x04", b"%%MatrixMarket matrix coordinate real general\n",
            b"\x1f\x8b\x08\x00", b"source,target\n", b"a,b\n", b"\x93NUMPY\x01\x00\x40\x00{'descr': '<f8', ",
        ];
        let bytes = [magics[magic], &bytes].concat();
        for name in ["a.npy", "a.csv", "a.mtx.gz"] {
            read_every_way(name, &bytes);
        }
    }

    #[test]
    fn any_text_never_panics(text in "[0-9a-c,;\t \"\r\n.NA%-]{0,120}") {
        read_every_way("a.csv", text.as_bytes());
        read_every_way("a.csv", format!("source,target,weight\n{text}").as_bytes());
        read_every_way("a.mtx", format!("%%MatrixMarket matrix coordinate real general\n{text}").as_bytes());
        read_every_way("l.csv", format!("index,label\n{text}").as_bytes());
    }
}
