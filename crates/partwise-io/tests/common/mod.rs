//! What the tests share: files made in memory, and readers called on bytes.
#![allow(dead_code)]

use flate2::Compression;
use flate2::write::GzEncoder;
use partwise_io::{DECODED_LIMIT, DenseValues, IoError, ReadOptions, Source, Table, Values, read_source};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;

/// Reads bytes as a file of this name.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Table, IoError> {
    read_with(name, bytes, &ReadOptions::default())
}

pub(crate) fn read_with(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Table, IoError> {
    read_source(&Source::from_bytes(Path::new(name), bytes.to_vec(), DECODED_LIMIT)?, options)
}

/// The message of the error that reading gives.
pub(crate) fn fault(name: &str, bytes: &[u8]) -> String {
    fault_with(name, bytes, &ReadOptions::default())
}

pub(crate) fn fault_with(name: &str, bytes: &[u8], options: &ReadOptions) -> String {
    match read_with(name, bytes, options) {
        Ok(table) => panic!("{name} was read: {table:?}"),
        Err(error) => error.to_string(),
    }
}

/// Fails unless the message has all the parts.
pub(crate) fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "the message {message:?} lacks {part:?}");
    }
}

/// All entries, row by row.
pub(crate) fn dense(values: &Values) -> Vec<Vec<f64>> {
    match values {
        Values::Dense { rows, columns, values } => {
            (0..*rows).map(|i| (0..*columns).map(|j| values.get(i * columns + j)).collect()).collect()
        }
        Values::Sparse { rows, columns, indptr, indices, values } => {
            let mut out = vec![vec![0.0; *columns]; *rows];
            assert_eq!(indptr.len(), rows + 1);
            for i in 0..*rows {
                let row = &indices[indptr[i]..indptr[i + 1]];
                assert!(row.windows(2).all(|pair| pair[0] < pair[1]), "columns ascend, none twice: {row:?}");
                for e in indptr[i]..indptr[i + 1] {
                    out[i][indices[e] as usize] = values.get(e);
                }
            }
            out
        }
    }
}

pub(crate) fn is_f32(values: &Values) -> bool {
    matches!(
        values,
        Values::Dense { values: DenseValues::F32(_), .. }
            | Values::Sparse { values: DenseValues::F32(_), .. }
    )
}

/// A `.npy` file with this header and these raw data.
pub(crate) fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

pub(crate) fn npy_f8(shape: &str, values: &[f64]) -> Vec<u8> {
    npy("'<f8'", false, shape, &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
}

pub(crate) fn npy_i4(shape: &str, values: &[i32]) -> Vec<u8> {
    npy("'<i4'", false, shape, &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
}

/// A zip archive of these members.
pub(crate) fn zip_of(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, SimpleFileOptions::default()).expect("a member can be started");
        writer.write_all(bytes).expect("a member can be written");
    }
    writer.finish().expect("an archive can be finished").into_inner()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory can be written");
    encoder.finish().expect("gzip can be finished")
}

/// The SciPy matrix [[1, 0, 2], [0, 0, 3]] in this format.
pub(crate) fn scipy_npz(format: &str) -> Vec<u8> {
    let name = npy("'|S3'", false, "()", format.as_bytes());
    let mut members = vec![("format.npy", name), ("shape.npy", npy_i4("(2,)", &[2, 3]))];
    let data = |values: &[f64]| ("data.npy", npy_f8("(3,)", values));
    match format {
        "csr" => members.extend([
            data(&[1.0, 2.0, 3.0]),
            ("indices.npy", npy_i4("(3,)", &[0, 2, 2])),
            ("indptr.npy", npy_i4("(3,)", &[0, 2, 3])),
        ]),
        "csc" => members.extend([
            data(&[1.0, 2.0, 3.0]),
            ("indices.npy", npy_i4("(3,)", &[0, 0, 1])),
            ("indptr.npy", npy_i4("(4,)", &[0, 1, 1, 3])),
        ]),
        _ => members.extend([
            data(&[3.0, 2.0, 1.0]),
            ("row.npy", npy_i4("(3,)", &[1, 0, 0])),
            ("col.npy", npy_i4("(3,)", &[2, 2, 0])),
        ]),
    }
    zip_of(&members)
}

pub(crate) const SCIPY_MATRIX: [[f64; 3]; 2] = [[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]];

/// The folder of the real data, if this machine has it.
pub(crate) fn data_folder() -> Option<PathBuf> {
    let folder = match std::env::var_os("PARTWISE_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    folder.is_dir().then_some(folder)
}

/// What a record of a result must have so that Partwise knows it as its own.
pub(crate) fn record() -> serde_json::Map<String, serde_json::Value> {
    let record = serde_json::json!({
        "command": "fit", "versions": { "partwise": "0.1.0", "model_format": 1 }, "data": { "sha256": "00" },
    });
    record.as_object().cloned().unwrap_or_default()
}
