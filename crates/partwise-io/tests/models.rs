//! Promise: a model file reads back bit for bit, and damage is told.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use partwise::Matrix;
use partwise_io::{MODEL_FORMAT, ModelFile, Tensor};
use proptest::prelude::*;
use serde_json::json;
use std::path::Path;

fn model() -> ModelFile {
    let document = json!({ "method": "cnmf", "seeds": [1, 2], "tol": 1e-10, "name": "ä \"quoted\"" });
    ModelFile {
        document: document.as_object().cloned().unwrap_or_default(),
        tensors: vec![
            ("codes".into(), Tensor::F32(Matrix::from_fn(3, 1, |i, _| i as f32 / 3.0))),
            ("components".into(), Tensor::F64(Matrix::from_fn(2, 5, |i, j| (i * 5 + j) as f64 / 7.0))),
        ],
    }
}

fn message(bytes: &[u8]) -> String {
    ModelFile::from_bytes(Path::new("m.safetensors"), bytes).unwrap_err().to_string()
}

/// A file with this header and data.
fn file(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

#[test]
fn a_model_reads_back_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    model().write(&path).unwrap();
    let back = ModelFile::read(&path).unwrap();
    assert_eq!(back.tensor("codes"), model().tensor("codes"));
    assert_eq!(back.tensor("components"), model().tensor("components"));
    assert_eq!(back.tensor("other"), None);
    assert_eq!(back.document["tol"], json!(1e-10));
    assert_eq!(back.document["name"], "ä \"quoted\"");
    assert_eq!(back.document["format"], json!(MODEL_FORMAT));
    // Reading and writing again changes nothing.
    assert_eq!(ModelFile::from_bytes(&path, &back.to_bytes()).unwrap(), back);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn the_layout_is_that_of_safetensors() {
    let bytes = model().to_bytes();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    assert_eq!(length % 8, 0, "the data are aligned");
    let header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    assert_eq!(header["components"], json!({ "dtype": "F64", "shape": [2, 5], "data_offsets": [0, 80] }));
    assert_eq!(header["codes"], json!({ "dtype": "F32", "shape": [3, 1], "data_offsets": [80, 92] }));
    assert!(header["__metadata__"]["partwise"].is_string());
    assert_eq!(bytes[8 + length + 8..8 + length + 16], (1.0f64 / 7.0).to_le_bytes());
}

#[test]
fn newer_formats_and_other_files_are_refused() {
    let newer = file(r#"{"__metadata__":{"partwise":"{\"format\":2}"}}"#, &[]);
    assert_says(&message(&newer), &["m.safetensors", "format 2", "reads up to 1", "newer version"]);
    let none = file(r#"{"__metadata__":{"partwise":"{}"}}"#, &[]);
    assert_says(&message(&none), &["no valid \"format\""]);
    assert_says(&message(&file(r#"{"w":{}}"#, &[])), &["not a Partwise model"]);
    assert_says(&message(&npy_f8("(1, 1)", &[1.0])), &["not a model", "a NumPy array"]);
    assert_says(&message(b"index,label\n0,a\n"), &["not a model", "a text file"]);
    assert_says(&message(&[1, 2, 0]), &["ends after 3 bytes"]);
}

#[test]
fn damaged_models_are_told() {
    let whole = model().to_bytes();
    assert_says(
        &message(&whole[..whole.len() - 4]),
        &["\"codes\"", "bytes 80 to 92", "there are 88", "truncated"],
    );
    assert_says(&message(&whole[..100]), &["header is to have", "but 92 follow"]);
    let mut longer = whole.clone();
    longer.push(0);
    assert_says(&message(&longer), &["end at byte 92", "93 bytes of data"]);
    let with = |entry: &str, data: &[u8]| {
        message(&file(&format!(r#"{{"__metadata__":{{"partwise":"{{\"format\":1}}"}},"w":{entry}}}"#), data))
    };
    assert_says(
        &with(r#"{"dtype":"BF16","shape":[1,1],"data_offsets":[0,2]}"#, &[0; 2]),
        &["\"w\"", "BF16", "F64"],
    );
    assert_says(
        &with(r#"{"dtype":"F32","shape":[4],"data_offsets":[0,16]}"#, &[0; 16]),
        &["two whole numbers"],
    );
    assert_says(
        &with(r#"{"dtype":"F32","shape":[1,2],"data_offsets":[0,4]}"#, &[0; 4]),
        &["1 x 2 of F32", "4 bytes"],
    );
    assert_says(
        &with(r#"{"dtype":"F32","shape":[1,1],"data_offsets":[4,8]}"#, &[0; 8]),
        &["gap or an overlap"],
    );
    assert_says(&with(r#"{"dtype":"F32","shape":[1,1],"data_offsets":[8,4]}"#, &[0; 8]), &["bytes 8 to 4"]);
    let huge = r#"{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,8]}"#;
    assert_says(&with(huge, &[0; 8]), &["does not match"]);
    assert_says(&message(&file("{nonsense", &[])), &["not valid JSON"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn damaged_models_never_panic(at in 0usize..400, byte in any::<u8>(), cut in 0usize..400) {
        let mut bytes = model().to_bytes();
        let at = at % bytes.len();
        bytes[at] = byte;
        let _ = ModelFile::from_bytes(Path::new("m"), &bytes);
        bytes.truncate(cut);
        let _ = ModelFile::from_bytes(Path::new("m"), &bytes);
    }
}
