//! Promise: files of cells go into every command that reads data; the names of cells and genes come out, and
//! the record states the layer and the column of the labels.
//!
//! The files are those of `partwise-io/tests/cells`, written by the script beside them.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::path::Path;

use common::{json, run, stderr, succeed};

/// A folder with copies of the files; they are compressed, which the reader sees by itself.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../partwise-io/tests/cells");
    for name in ["sparse.h5ad.gz", "plain.h5ad.gz", "tenx3.h5.gz"] {
        let bytes = std::fs::read(from.join(name)).unwrap();
        let mut whole = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut whole).unwrap();
        std::fs::write(folder.path().join(name.strip_suffix(".gz").unwrap()), whole).unwrap();
    }
    folder
}

fn text(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn a_fit_keeps_the_names_and_records_the_layer() {
    let folder = folder();
    let folder = folder.path();
    succeed(folder, "fit sparse.h5ad --layer counts --label-column cell_type --method cnmf --out a --quiet");
    let run = json(folder.join("a/run.json"));
    assert_eq!(run["data"]["format"], "h5ad");
    assert_eq!(run["data"]["layer"], "counts");
    assert_eq!(run["guidance"]["labels"]["column"], "cell_type");
    assert_eq!(run["guidance"]["labels"]["class_names"], serde_json::json!(["B", "NK", "T"]));
    assert_eq!(run["guidance"]["labels"]["samples"], serde_json::json!([0, 1, 2, 4, 5]));
    assert!(text(folder, "a/codes.csv").contains("\ncell-5,"));
    assert!(text(folder, "a/components.csv").starts_with("component,CD3D,MS4A1,NKG7,GNLY,LYZ\n"));
    // The same labels from another file, by the names of the cells.
    succeed(
        folder,
        "fit plain.h5ad --layer counts --labels sparse.h5ad --label-column cell_type --method cnmf --out b --quiet",
    );
    assert_eq!(
        std::fs::read(folder.join("a/codes.npy")).unwrap(),
        std::fs::read(folder.join("b/codes.npy")).unwrap()
    );
}

#[test]
fn other_commands_read_files_of_cells() {
    let folder = folder();
    let folder = folder.path();
    succeed(folder, "fit sparse.h5ad -k 2 --out a --quiet");
    // The raw matrix has two genes more, which the model does not know.
    let printed = run(folder, "transform a plain.h5ad --layer raw --out t");
    assert!(printed.status.success(), "{}", stderr(&printed));
    let record = json(folder.join("t/run.json"));
    assert_eq!(record["data"]["layer"], "raw");
    assert_eq!(record["data"]["features"], 5);
    assert!(record["notes"].to_string().contains("2 of the 7 genes are not in the model and were left out"));
    // A model of a layer reads that layer again.
    succeed(folder, "fit sparse.h5ad --layer counts -k 2 --out layer --quiet");
    succeed(folder, "transform layer plain.h5ad --out same --quiet");
    let same = json(folder.join("same/run.json"));
    assert_eq!(same["data"]["layer"], "counts");
    assert!(same["notes"].to_string().contains("which the model was fitted to"), "{}", same["notes"]);
    // Another matrix than that of the fit is read with a notice, and the same one without.
    for (arguments, notice) in [
        ("transform a sparse.h5ad --layer counts", Some(("counts", "X"))),
        ("transform layer sparse.h5ad --layer X", Some(("X", "counts"))),
        ("transform layer plain.h5ad --layer raw", Some(("raw", "counts"))),
        ("transform layer sparse.h5ad --layer layers/counts", None),
        ("transform a sparse.h5ad", None),
    ] {
        let said = stderr(&run(folder, &format!("{arguments} --out other --force")));
        let expected = notice.map(|(read, fitted)| {
            format!("these rows are of \"{read}\", but the model was fitted to \"{fitted}\"")
        });
        assert_eq!(said.contains("but the model was fitted to"), expected.is_some(), "{arguments}: {said}");
        assert!(expected.is_none_or(|expected| said.contains(&expected)), "{arguments}: {said}");
    }
    // Layers of .h5ad mean nothing in a 10x file.
    let said = stderr(&run(folder, "transform layer tenx3.h5 --out never"));
    assert!(!said.contains("feature type \"counts\""), "{said}");
    succeed(folder, "sweep sparse.h5ad --label-column donor --scales 1 --max-iter 3 --out s --quiet");
    succeed(folder, "rank tenx3.h5 --from 1 --to 2 --splits 2 --restarts 1 --out r --quiet");
    assert_eq!(json(folder.join("r/run.json"))["data"]["format"], "10x");
    succeed(folder, "fit tenx3.h5 -k 2 --out x --quiet");
    assert!(text(folder, "x/memberships.csv").contains(",ACGT5-1,"));
    let printed = succeed(folder, "evaluate a --labels plain.h5ad --label-column cell_type --json");
    assert!(printed.contains("\"class_names\""), "{printed}");
    let printed = succeed(folder, "suggest a --labels plain.h5ad --label-column cell_type");
    assert!(printed.contains("cell-3") && !printed.contains("cell-0"), "{printed}");
}

#[test]
fn what_cannot_be_fitted_names_the_cell_and_the_way_out() {
    let folder = folder();
    let folder = folder.path();
    for (arguments, parts) in [
        ("fit sparse.h5ad --layer count -k 2 --out o", &["no layer \"count\"", "X, raw, bytes, counts"][..]),
        ("fit sparse.h5ad --key X -k 2 --out o", &["a key chooses an array of an .npz archive", "h5ad"]),
        ("fit sparse.h5ad --label-column celltype --out o", &["no column of obs \"celltype\"", "cell_type"]),
        ("fit sparse.h5ad --labels plain.h5ad --out o", &["--label-column", "cell_type"]),
        ("fit tenx3.h5 --layer X -k 2 --out o", &["no feature type \"X\"", "Antibody Capture"]),
    ] {
        let output = run(folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", stderr(&output));
        for part in parts {
            assert!(stderr(&output).contains(part), "{arguments}: {}", stderr(&output));
        }
        assert!(!folder.join("o").exists());
    }
}

#[test]
fn a_converted_file_of_cells_has_the_same_fit_and_names_for_every_matrix_in_it() {
    let folder = folder();
    let folder = folder.path();
    for (file, layer) in [
        ("sparse.h5ad", ""),
        ("sparse.h5ad", "--layer counts"),
        ("plain.h5ad", "--layer counts"),
        ("plain.h5ad", "--layer raw"),
        ("tenx3.h5", ""),
    ] {
        succeed(folder, &format!("convert {file} x.pwx {layer} --block-values 40 --force --quiet"));
        let fit = "-k 2 --max-iter 15 --quiet --force";
        succeed(folder, &format!("fit {file} {layer} {fit} --out source"));
        succeed(folder, &format!("fit x.pwx {fit} --out blocks"));
        succeed(folder, &format!("fit {file} {layer} {fit} --memory 500MB --out place"));
        for name in ["codes.csv", "components.csv"] {
            let read = |out: &str| text(&folder.join(out), name);
            assert!(read("source") == read("blocks"), "{file} {layer}: {name}");
            assert!(read("source") == read("place"), "{file} {layer}: {name}");
        }
    }
    let refused = run(folder, "convert sparse.h5ad y.pwx --layer nothing");
    assert!(stderr(&refused).contains("nothing") && !folder.join("y.pwx").exists());
}

#[test]
fn a_file_of_cells_is_fitted_in_place_within_memory_with_its_labels_and_leaves_nothing_behind() {
    let folder = folder();
    let folder = folder.path();
    let before = std::fs::read_dir(folder).unwrap().count();
    // One of the classes has a single sample, which comes after samples of other classes and of none.
    let fit = "fit sparse.h5ad --layer counts --label-column cell_type --method cnmf --max-iter 30 --quiet";
    succeed(folder, &format!("{fit} --out whole"));
    succeed(folder, &format!("{fit} --memory 500MB --out place"));
    for out in ["whole", "place"] {
        let run = json(folder.join(out).join("run.json"));
        assert_eq!((&run["data"]["format"], &run["data"]["layer"]), (&"h5ad".into(), &"counts".into()));
        assert_eq!(run["guidance"]["labels"]["class_names"], serde_json::json!(["B", "NK", "T"]));
    }
    for name in ["codes.csv", "components.csv"] {
        assert_eq!(text(&folder.join("whole"), name), text(&folder.join("place"), name), "{name}");
    }
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), before + 2);
    // What a small file needs does not depend on how much is read at once of a large one.
    succeed(folder, "fit sparse.h5ad -k 2 --max-iter 15 --quiet --memory 60MB --out small");
    // More is refused than --memory allows.
    let refused = run(folder, "fit sparse.h5ad -k 2 --memory 2MB --out none");
    assert!(stderr(&refused).contains("2.0 MB may be used") && !folder.join("none").exists());
}
