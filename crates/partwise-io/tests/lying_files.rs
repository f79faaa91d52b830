//! Promise: a file that lies about itself is refused with its place, fast and in little memory.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use partwise::Matrix;
use partwise_io::links::links_of;
use partwise_io::topics::topics_of;
use partwise_io::{DataNames, ModelFile, ReadOptions, Source, Tensor};
use serde_json::{Map, Value, json};
use std::path::Path;

#[test]
fn sides_that_the_entries_cannot_mean_are_refused() {
    let head = "%%MatrixMarket matrix coordinate real general\n";
    for sides in
        ["16777216 16777216 1", "16777216 3 1", "3 16777216 1", "4294967295 3 1", "5000000 5000000 1"]
    {
        assert_says(
            &fault("a.mtx", format!("{head}{sides}\n1 1 1\n").as_bytes()),
            &["line 2", "too large for 1 entry", "valid: sides up to"],
        );
    }
    assert_says(
        &fault("a.mtx", format!("{head}18446744073709551616 3 1\n1 1 1\n").as_bytes()),
        &["line 2", "rows columns entries"],
    );
    let wide =
        read("a.mtx", format!("{head}1000000 1000000 3\n1 1 1\n500000 2 2\n1000000 1000000 3\n").as_bytes())
            .unwrap();
    assert_eq!(wide.values.shape(), (1_000_000, 1_000_000));
    let dense = partwise_io::reference_of::<f64>(Path::new("a.mtx"), wide).unwrap_err().to_string();
    assert_says(&dense, &["1000000 x 1000000", "3 entries", "too large for a dense matrix"]);
    for far in ["0,1048591\n1,2\n", "0,1000000\n1,2\n", "0,1016\n1,2\n"] {
        assert_says(
            &fault("e.edges", format!("source,target\n{far}").as_bytes()),
            &["line 2", "too large for 2 edges", "up to node 1015"],
        );
    }
    let table = read("e.edges", b"source,target\n0,900\n1,2\n").unwrap();
    assert_eq!(table.values.shape(), (901, 901));
    assert_says(&table.notes.join("; "), &["897 nodes have no edge"]);
    let said = ReadOptions { n_nodes: Some(2_000_000), ..Default::default() };
    assert_eq!(
        read_with("e.edges", b"source,target\n0,1000000\n", &said).unwrap().values.shape().0,
        2_000_000
    );
}

#[test]
fn compressed_arrays_are_read_as_far_as_their_header_says() {
    let mut bytes = npy_f8("(2, 2)", &[1.0, 2.0, 3.0, 4.0]);
    assert_eq!(dense(&read("a.npy.gz", &gzip(&bytes)).unwrap().values), [[1.0, 2.0], [3.0, 4.0]]);
    // 100 MB of zeros in 100 kB.
    bytes.resize(100 << 20, 0);
    for (name, packed) in [("a.npy.gz", gzip(&bytes)), ("a.npz", packed_zip(&bytes))] {
        assert!(packed.len() < 300_000);
        assert_says(&fault(name, &packed), &["(2, 2)", "needs 32 bytes", "there are 33"]);
    }
    let text = vec![b'0'; 100 << 20];
    assert_says(&fault("a.csv.gz", &gzip(&text)), &["more than the limit of", "decompress it first"]);
}

/// A zip archive with the array `x`, compressed.
fn packed_zip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    writer.start_file("x.npy", options).unwrap();
    std::io::Write::write_all(&mut writer, bytes).unwrap();
    writer.finish().unwrap().into_inner()
}

#[test]
fn topics_of_many_rows_and_words_are_read_in_linear_time() {
    let features: Vec<String> = (0..20_000).map(|j| format!("w{j}")).collect();
    let names = DataNames::new(4, None, features.len(), Some(&features));
    let wide: String =
        (0..40_000).map(|i| format!("t{},w{},w{}\n", i % 3, i % 20_000, (i + 1) % 20_000)).collect();
    let long: String = (0..80_000)
        .map(|i| format!("t{i},w{}\n", i % 20_000))
        .fold("topic,word\n".into(), |text: String, row| text + &row);
    let toml = format!(
        "[topics]\nmany = [{}]\n",
        features.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(",")
    );
    let source =
        |name: &str, text: String| Source::from_bytes(Path::new(name), text.into_bytes(), 1 << 30).unwrap();
    let clock = cpu_time::ThreadTime::now();
    let found = topics_of(&source("t.csv", wide), &names).unwrap();
    assert_eq!((found.topics.len(), found.topics[0].topic.seeds.len()), (3, 20_000));
    assert_eq!(topics_of(&source("t.csv", long), &names).unwrap().topics.len(), 80_000);
    let file = partwise_io::guidance_file::guidance_of(&source("g.toml", toml), &names).unwrap();
    assert_eq!(file.topics[0].topic.seeds.len(), 20_000);
    // A tenth of it, if the machine is not asleep; quadratic time takes minutes.
    assert!(clock.elapsed().as_secs_f64() < 10.0, "{:?}", clock.elapsed());
}

#[test]
fn a_link_between_a_numeric_name_and_a_position_is_refused() {
    let names: Vec<String> = ["1", "2", "ann", "7"].map(String::from).to_vec();
    let links = |text: &str| {
        let source = Source::from_bytes(Path::new("links.csv"), text.as_bytes().to_vec(), 1 << 20).unwrap();
        links_of(&source, &DataNames::new(4, Some(&names), 3, None))
    };
    assert_eq!(links("1,7,must\nann,0,cannot\n").unwrap().must, [(0, 3)]);
    for (text, column) in [("1,0,must\n", 2), ("0,7,must\n", 1)] {
        let message = links(text).unwrap_err().to_string();
        assert_says(
            &message,
            &[&format!("line 1, column {column}"), "\"0\" is a position", "is a sample name"],
        );
    }
}

/// A sound model of 3 samples, 2 components and 4 features.
fn sound() -> ModelFile {
    let document = json!({
        "data": { "samples": 3, "features": 4 },
        "settings": { "method": "nmf", "loss": "frobenius", "rank": 2, "solver": "hals", "init": "nndsvd", "first": "codes",
            "seed": 0, "tolerance": 1e-4, "max_iterations": 10, "l1": [0.0, 0.0], "l2": [0.0, 0.0] },
        "component_names": ["a", "b"],
        "feature_names": ["p", "q", "r", "s"],
        "row_names": null,
        "guidance": { "labels": { "class_names": ["a", "b"], "samples": [0, 2], "classes": [1, 0] } },
        "encoding": { "ridge": [0.0, 0.0], "linear": [0.0, 0.0], "smoothing": 0.0 },
        "scaling": { "kind": "max", "max": 2.0 },
        "result": { "objective": 1.0, "relative_error": 0.5, "kkt": null, "stop": "converged", "iterations": 3, "parts": { "fit": 1.0 } },
        "history_columns": ["iteration", "objective"],
        "history": [[0, 2.0], [3, 1.0]],
        "python": { "parameters": {}, "notices": [["code", "message"]] },
    });
    let tensors = vec![
        ("codes".into(), Tensor::F32(Matrix::from_fn(3, 2, |i, j| (i + j) as f32))),
        ("components".into(), Tensor::F64(Matrix::from_fn(2, 4, |i, j| (i + j) as f64))),
    ];
    ModelFile { document: document.as_object().cloned().unwrap_or_default(), tensors }
}

fn complaint(model: &ModelFile) -> String {
    let path = Path::new("m.safetensors");
    let model = ModelFile::from_bytes(path, &model.to_bytes()).unwrap();
    model.check(path).err().map_or(String::new(), |error| error.to_string())
}

#[test]
fn a_model_with_impossible_factors_is_refused_by_name_and_place() {
    assert_eq!(complaint(&sound()), "");
    for name in ["codes", "components"] {
        for value in [-1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for single in [false, true] {
                let mut model = sound();
                let tensor = &mut model.tensors.iter_mut().find(|(known, _)| known == name).unwrap().1;
                let mut matrix = tensor.to_matrix::<f64>();
                matrix.set(1, 1, value);
                *tensor = if single { Tensor::F32(matrix.cast()) } else { Tensor::F64(matrix) };
                assert_says(
                    &complaint(&model),
                    &["m.safetensors", &format!("\"{name}\""), "row 1, column 1", "finite and 0 or more"],
                );
            }
        }
        let mut model = sound();
        model.tensors.retain(|(known, _)| known != name);
        assert_says(
            &complaint(&model),
            &["m.safetensors", &format!("\"{name}\""), "no such matrix", "it has: co"],
        );
    }
    for columns in [1, 3] {
        let mut model = sound();
        model.tensors[0].1 = Tensor::F64(Matrix::zeros(3, columns));
        assert_says(&complaint(&model), &["\"codes\"", &format!("{columns} columns"), "2 rows"]);
    }
    let mut model = sound();
    model.tensors[0].1 = Tensor::F64(Matrix::zeros(0, 2));
    assert_says(&complaint(&model), &["0 samples"]);
    let mut model = sound();
    model.tensors.push(("idf".into(), Tensor::F64(Matrix::zeros(1, 3))));
    assert_says(&complaint(&model), &["\"idf\"", "1 x 3", "1 x 4"]);
}

/// The value at a path of keys.
fn at<'v>(document: &'v mut Map<String, Value>, field: &str) -> (&'v mut Map<String, Value>, String) {
    let mut keys: Vec<&str> = field.split('.').collect();
    let last = keys.pop().unwrap().to_string();
    let mut place = document;
    for key in keys {
        place = place.get_mut(key).unwrap().as_object_mut().unwrap();
    }
    (place, last)
}

// Long because it lists every field.
#[test]
fn a_field_that_is_missing_or_of_another_type_is_named() {
    let needed = [
        "data.samples",
        "data.features",
        "settings",
        "settings.method",
        "settings.loss",
        "settings.rank",
        "settings.solver",
        "settings.init",
        "settings.first",
        "component_names",
        "encoding.ridge",
        "encoding.linear",
        "result",
        "result.stop",
        "result.iterations",
        "history_columns",
        "history",
        "guidance.labels.class_names",
        "guidance.labels.samples",
        "guidance.labels.classes",
    ];
    for field in needed {
        let mut model = sound();
        let (place, key) = at(&mut model.document, field);
        place.remove(&key);
        assert_says(
            &complaint(&model),
            &["m.safetensors", &format!("\"{field}\""), "does not have this field", "must be"],
        );
    }
    for (field, wrong) in [
        ("data.samples", json!(4)),
        ("data.samples", json!(1_000_000_000_000_u64)),
        ("data.samples", json!("3")),
        ("data.features", json!(0)),
        ("settings", json!([])),
        ("settings.method", json!(3)),
        ("settings.loss", json!("taxicab")),
        ("settings.rank", json!(3)),
        ("settings.rank", json!(2.5)),
        ("settings.solver", json!({})),
        ("settings.seed", json!("x")),
        ("settings.tolerance", json!("small")),
        ("settings.tolerance", json!(-1)),
        ("settings.max_iterations", json!(-1)),
        ("settings.l1", json!([0.0])),
        ("component_names", json!(["a"])),
        ("component_names", json!([1, 2])),
        ("component_names", json!("ab")),
        ("feature_names", json!(["p"])),
        ("feature_names", json!({})),
        ("row_names", json!(["x"])),
        ("encoding.ridge", json!([0.0])),
        ("encoding.linear", json!([0.0, "x"])),
        ("encoding.smoothing", json!("x")),
        ("encoding.feature_weights", json!([1.0])),
        ("encoding.feature_weights", json!([1.0, 1.0, -1.0, 1.0])),
        ("scaling", json!("none")),
        ("scaling.max", json!(0)),
        ("scaling.max", json!("x")),
        ("guidance", json!(3)),
        ("guidance.labels", json!([])),
        ("guidance.labels.class_names", json!("ab")),
        ("guidance.labels.samples", json!([0, 3])),
        ("guidance.labels.samples", json!([0, -1])),
        ("guidance.labels.classes", json!([1])),
        ("guidance.labels.classes", json!([1, 2])),
        ("result", json!(1)),
        ("result.objective", json!("x")),
        ("result.kkt", json!([])),
        ("result.parts", json!({ "fit": "x" })),
        ("result.stop", json!(1)),
        ("result.iterations", json!(-1)),
        ("history_columns", json!([1])),
        ("history", json!([[0, 1.0], [3]])),
        ("history", json!([["x", 1.0]])),
        ("python", json!("x")),
        ("python.parameters", json!([])),
        ("python.notices", json!([["code"]])),
    ] {
        let mut model = sound();
        let (place, key) = at(&mut model.document, field);
        place.insert(key, wrong.clone());
        assert_says(
            &complaint(&model),
            &["m.safetensors", &format!("\"{field}"), "must be"]
                .map(|part| if field == "settings.loss" && part == "must be" { "taxicab" } else { part }),
        );
    }
}

#[test]
fn the_guidance_of_a_model_does_not_take_memory_by_its_word() {
    let mut model = sound();
    let known = json!({ "topics": [], "items": [{ "kind": "labels", "strength": 1, "n_samples": 1_000_000_000_000_000_u64,
        "classes": [], "samples": [], "names": [], "rule": "components" }], "samples": [], "feature_names": null });
    model.document.insert("guidance".into(), json!({ "guided": { "known": known } }));
    let message = model.guidance(Path::new("m.safetensors")).unwrap_err().to_string();
    assert_says(&message, &["m.safetensors", "n_samples", "1000000000000000", "3 samples"]);
}
