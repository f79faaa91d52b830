//! What bad input gets: exit code 2, a message with the place, and no folder.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::path::Path;

use common::{groups, json, numbers, run, stderr, succeed, write_npy};

/// Runs, expects exit code 2 and every part of the message, and that nothing was left behind.
fn refused(folder: &Path, arguments: &str, parts: &[&str]) {
    let before = std::fs::read_dir(folder).unwrap().count();
    let output = run(folder, &format!("{arguments} --out never"));
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
    assert!(message.contains("error: "), "{arguments}: {message}");
    for part in parts {
        assert!(message.contains(part), "{arguments}: \"{part}\" is not in: {message}");
    }
    assert!(!message.contains("panicked"), "{arguments}: {message}");
    assert!(!folder.join("never").exists(), "{arguments}");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), before, "{arguments} left something");
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

#[test]
fn faulty_entries_are_counted_and_placed_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "negative.csv", "name,price,size\nann,1,2\nbob,-1.5,3\ncid,2,-4\n");
    refused(
        at,
        "fit negative.csv -k 1",
        &["2 negative entries", "row 1 (\"bob\")", "column 0 (\"price\")", "-1.5"],
    );
    write_npy(&at.join("nan.npy"), &[2, 2], &[1.0, f64::NAN, f64::INFINITY, 2.0]);
    refused(at, "fit nan.npy -k 1 --scale unit-rows", &["1 NaN, 1 infinite entries", "row 0, column 1"]);
    write(at, "negative.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 3 -2\n3 2 1\n");
    refused(at, "fit negative.mtx -k 1", &["1 negative entry", "row 1, column 2"]);
}

#[test]
fn ranks_and_numbers_out_of_range_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    refused(at, "fit x.npy -k 0", &["--rank <K>", "1 or more"]);
    refused(at, "fit x.npy", &["-k (the number of components) is required"]);
    refused(at, "fit x.npy -k 2 --tol 1", &["--tol", "below 1"]);
    refused(at, "fit x.npy -k 2 --l1 1", &["--l1", "two numbers"]);
    refused(at, "fit x.npy -k 2 --l2=-1,0", &["--l2", "0 or more"]);
    refused(at, "fit x.npy -k 2 --time-limit 0", &["--time-limit", "above 0"]);
    refused(at, "fit x.npy -k 2 --image-shape 2x4", &["8 pixels, but the data have 9 features"]);
    refused(
        at,
        "fit x.npy -k 2 --strength 2",
        &["--strength applies only to the methods ws-nmf, ws-symnmf, guided"],
    );
    for scale in ["joint", "fixed"] {
        refused(
            at,
            &format!("fit x.npy --method ws-symnmf --labels labels.csv --anchor-scale {scale}"),
            &[scale, "ws-symnmf fits the scale in turn; valid: alternating"],
        );
    }
    refused(
        at,
        "fit x.npy -k 2 --graph-weight 2",
        &["--graph-weight applies only to the methods ws-nmf, gnmf, ", "semi-gnmf, guided"],
    );
    refused(at, "fit x.npy -k 2 --method gnmf --graph-weight=-2", &["graph weight is -2", "0 or more"]);
    refused(
        at,
        "fit x.npy -k 2 --method gnmf --graph x.npy",
        &["x.npy", "30 x 9", "as many columns as rows"],
    );
    refused(at, "fit x.npy -k 2 --method gnmf --graph-neighbours 30", &["neighbours", "30", "1 to 29"]);
    refused(at, "fit x.npy -k 2 --method semi-gnmf", &["SemiGNMF needs", "labels"]);
    refused(at, "fit x.npy -k 2 --inner 3 --solver bpp", &["--inner has no effect"]);
    refused(at, "fit x.npy -k 2 --labels-per-class 2", &["--labels-per-class needs --labels"]);
    refused(at, "fit x.npy -k 2 --loss kl --solver hals", &["solver \"hals\"", "valid: solver mu"]);
    refused(at, "fit x.npy -k 2 --method cnmf", &["CNMF needs labels"]);
    refused(at, "fit x.npy -k 2 --method ws-nmf", &["WS-NMF needs labels, reference codes or reference"]);
    refused(at, "fit x.npy -k 2 --init labels", &["label-aware start"]);
    refused(at, "fit x.npy -k 2 --init nndsvd --solver mu", &["exact zeros", "nndsvda"]);
    refused(at, "fit x.npy -k 2 --key a", &["x.npy", "a key chooses an array of an .npz"]);
    refused(at, "fit x.npy -k 2 --format cvs", &["--format", "csv"]);
    refused(at, "fit x.npy --labels labels.csv -k 2 --method ws-nmf", &["rank k is 2", "at least 3"]);
}

#[test]
fn labels_that_do_not_fit_are_refused_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    write(at, "far.csv", "index,label\n0,a\n30,b\n");
    refused(at, "fit x.npy --labels far.csv", &["far.csv", "line 3", "30", "0..30"]);
    write(at, "twice.csv", "index,label\n4,a\n4,b\n");
    refused(at, "fit x.npy --method cnmf --labels twice.csv", &["twice.csv", "sample 4", "\"a\", \"b\""]);
    write(at, "short.txt", "1\n2\n");
    refused(at, "fit x.npy --labels short.txt", &["short.txt", "2 labels", "30 samples"]);
    write(at, "none.csv", "index,label\n0,-1\n1,\n");
    refused(at, "fit x.npy --labels none.csv", &["-k (the number of components) is required"]);
    refused(at, "fit x.npy --labels labels.csv --label-column labl", &["no column \"labl\"", "label"]);
    refused(at, "fit x.npy --labels missing.csv", &["missing.csv", "cannot open"]);
}

#[test]
fn policies_on_weak_guidance_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    write(at, "single.csv", "index,label\n0,a\n1,b\n3,a\n");
    let output = run(at, "fit x.npy --method cnmf --labels single.csv --out one");
    assert!(stderr(&output).contains("has no effect in"), "{}", stderr(&output));
    write(at, "none.csv", "index,label\n0,-1\n1,\n");
    let output = run(at, "fit x.npy --method cnmf --labels none.csv -k 2 --out two");
    assert!(stderr(&output).contains("no sample is labelled"), "{}", stderr(&output));
    let output = run(at, "fit x.npy -k 12 --out three");
    assert!(stderr(&output).contains("larger than min(n, d) = 9"), "{}", stderr(&output));
    let output = run(at, "fit x.npy -k 2 --max-iter 1 --out four");
    assert!(
        stderr(&output).contains("stopped after 1 iteration, before full convergence"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn rows_of_zeros_belong_nowhere_and_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "x.csv", "name,a,b,c\nu,1,2,0\nv,0,0,0\nw,3,1,0\n");
    for scale in ["none", "unit-rows", "tfidf", "max"] {
        let output = run(at, &format!("fit x.csv -k 1 --scale {scale} --force --out out"));
        assert!(output.status.success(), "{}", stderr(&output));
        let said = stderr(&output);
        assert!(said.contains("1 row is empty (all zeros)") && said.contains(": 1\n"), "{said}");
        let text = std::fs::read_to_string(at.join("out/memberships.csv")).unwrap();
        assert_eq!(text.lines().nth(2), Some("1,v,,0"));
        assert_eq!(text.lines().nth(1), Some("0,u,part 1,1"));
    }
}

#[test]
fn broken_and_misnamed_files_are_refused_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "empty.csv", "");
    refused(at, "fit empty.csv -k 1", &["empty.csv", "empty"]);
    write(at, "ragged.csv", "a,b\n1,2\n3\n");
    refused(at, "fit ragged.csv -k 1", &["ragged.csv", "line 3"]);
    write(at, "word.csv", "a,b\n1,2\n3,x\n");
    refused(at, "fit word.csv -k 1", &["word.csv", "line 3", "column 2"]);
    write(at, "text.npy", "1,2\n");
    refused(at, "fit text.npy -k 1", &["text.npy", "not"]);
    write(at, "x.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n3 1 1\n");
    refused(at, "fit x.mtx -k 1", &["x.mtx", "line 4"]);
    write_npy(&at.join("x.npy"), &[20, 20], &numbers(400, 1));
    let bytes = std::fs::read(at.join("x.npy")).unwrap();
    std::fs::write(at.join("cut.npy"), &bytes[..bytes.len() / 2]).unwrap();
    refused(at, "fit cut.npy -k 1", &["cut.npy"]);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, &bytes).unwrap();
    let packed = encoder.finish().unwrap();
    std::fs::write(at.join("cut.npy.gz"), &packed[..packed.len() / 2]).unwrap();
    refused(at, "fit cut.npy.gz -k 1", &["cut.npy.gz", "gzip", "truncated"]);
    refused(at, "fit nothing.npy -k 1", &["nothing.npy", "cannot open"]);
    refused(at, "fit x.npy -k 2 --start x.npy", &["x.npy", "model"]);
    refused(at, "transform x.npy x.npy", &["x.npy", "model"]);
}

#[test]
fn starts_and_references_of_a_wrong_shape_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    write_npy(&at.join("other.npy"), &[5, 4], &numbers(20, 1));
    succeed(at, "fit other.npy -k 2 --out other");
    refused(at, "fit x.npy -k 2 --start other/model.safetensors", &["start", "9"]);
    refused(at, "fit x.npy -k 2 --reference other.npy", &["other.npy", "4 columns", "9 features"]);
    write(at, "names.txt", "a\nb\n");
    refused(at, "fit x.npy -k 2 --feature-names names.txt", &["names.txt", "2 names", "9 features"]);
    write(at, "ref.csv", "name,a,b,c,d,e,f,g,h,i\nbees,0,0,0,0,0,0,1,1,1\n");
    refused(
        at,
        "fit x.npy --method ws-nmf --labels labels.csv --reference ref.csv",
        &["row 0 is \"bees\"", "the class \"<cats>\""],
    );
}

#[test]
fn a_scaled_matrix_gives_the_same_fit_for_both_losses() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let values = numbers(400, 6);
    for loss in ["frobenius", "kullback-leibler"] {
        let errors: Vec<(f64, u64)> = [1.0, 1e-6, 1e6]
            .iter()
            .map(|c| {
                let scaled: Vec<f64> = values.iter().map(|v| v * c).collect();
                write_npy(&at.join("x.npy"), &[20, 20], &scaled);
                succeed(at, &format!("fit x.npy -k 3 --loss {loss} --max-iter 60 --force --out out"));
                let record = json(at.join("out/run.json"));
                let result = &record["result"];
                (result["relative_error"].as_f64().unwrap(), result["iterations"].as_u64().unwrap())
            })
            .collect();
        for (error, iterations) in &errors[1..] {
            assert!((error - errors[0].0).abs() < 1e-7 * errors[0].0, "{loss}: {errors:?}");
            assert_eq!(*iterations, errors[0].1, "{loss}");
        }
    }
}

/// A disk that is full: no file may grow beyond some blocks, so a write fails on the way.
#[cfg(unix)]
#[test]
fn a_write_that_fails_on_the_way_leaves_no_folder_and_says_which_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_npy(&at.join("x.npy"), &[40, 30], &numbers(1200, 5));
    let program = env!("CARGO_BIN_EXE_partwise");
    // The shell ignores the signal of the limit, so that the write returns an error as on a full disk.
    let script =
        format!("trap '' XFSZ; ulimit -f 4; exec {program} fit x.npy -k 3 --max-iter 5 --quiet --out never");
    let output = std::process::Command::new("bash").args(["-c", &script]).current_dir(at).output().unwrap();
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("error: ") && message.contains("never"), "{message}");
    assert!(!message.contains("panicked"), "{message}");
    let left: Vec<_> = std::fs::read_dir(at).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["x.npy"], "{message}");
}

#[test]
fn what_a_method_cannot_take_is_refused_with_what_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    for delta in ["1.5", "-0.1", "nan"] {
        let arguments = format!("fit x.npy -k 2 --labels labels.csv --method nmf-dc --delta={delta}");
        refused(at, &arguments, &["delta", "from 0 (no smoothing) to 1"]);
    }
    let alpha = "fit x.npy --labels labels.csv --method nmf-alpha";
    refused(at, &format!("{alpha} --svm-cost 0"), &["cost C", "is 0", "positive"]);
    refused(at, &format!("{alpha} --margin-weight=-1"), &["lambda is -1", "0 or more"]);
    write(at, "one.csv", "index,label\n0,a\n3,a\n");
    refused(at, "fit x.npy --labels one.csv --method nmf-alpha", &["all 2", "class \"a\"", "two or more"]);
    refused(at, "fit x.npy -k 2 --svm-cost 2", &["--svm-cost applies only to the method nmf-alpha"]);
    refused(
        at,
        "fit x.npy -k 2 --method ns-nmf --missing",
        &["--missing applies only to the methods nmf, ssnmf, guided"],
    );
    refused(at, "fit x.npy -k 2 --zeros-missing", &["--zeros-missing applies only to the method guided"]);
    write(at, "sets.csv", "index,label\n0,a\n0,b\n1,a\n2,b\n");
    refused(
        at,
        "fit x.npy -k 2 --method cnmf --labels sets.csv",
        &["sample 0", "2 labels", "one label per sample"],
    );
    let several = "fit x.npy -k 2 --labels sets.csv --method nmf-alpha --labels-per-class 1";
    refused(at, several, &["--labels-per-class", "sets.csv has several"]);
    write(at, "targets.csv", "a,b\n1,0\n0,1\n");
    let targets = "fit x.npy -k 2 --method ssnmf --label-targets targets.csv";
    refused(at, targets, &["targets.csv", "2 rows for 30 samples"]);
    refused(at, &format!("{targets} --labels labels.csv"), &["--label-targets replaces --labels"]);
    refused(at, "fit x.npy -k 2 --method gnmf --graph-weights heat", &["--graph-weights heat needs"]);
    let heat = "fit x.npy -k 2 --method gnmf --graph-weights heat --heat-width=-1";
    refused(at, heat, &["width of the heat weights is -1", "positive"]);
    refused(at, "fit x.npy -k 2 --method gnmf --graph-neighbours 30", &["neighbours is 30", "1 to 29"]);
    // A stack of images has one size; what is not one is named.
    refused(at, "fit x.npy -k 2 --method ntf --image-shape 9x2", &["18 pixels", "9 features"]);
    write_npy(&at.join("ragged.npy"), &[2, 3, 2, 2], &[1.0; 24]);
    refused(at, "fit ragged.npy -k 1 --method ntf", &["4-D", "3-D stacks of images"]);
}

#[test]
fn similarities_that_are_none_are_refused_by_the_pair() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_npy(&at.join("skew.npy"), &[3, 3], &[1.0, 0.5, 0.2, 0.5, 1.0, 0.3, 0.2, 0.4, 1.0]);
    refused(at, "fit skew.npy -k 2 --method symnmf", &["pair (1, 2)", "0.3", "0.4", "symmetric"]);
    write_npy(&at.join("negative.npy"), &[2, 2], &[1.0, -0.5, -0.5, 1.0]);
    refused(at, "fit negative.npy -k 1 --method symnmf", &["2 negative entries", "row 0, column 1", "-0.5"]);
    write(at, "s.csv", "source,target,weight\n0,1,2\n1,2,1\n");
    refused(
        at,
        "fit s.csv --format edges -k 2 --method symnmf --coupling=-1",
        &["coupling is -1", "0 or more"],
    );
    refused(
        at,
        "fit skew.npy -k 2 --coupling 1",
        &["--coupling applies only to the methods symnmf, ws-symnmf"],
    );
}

#[test]
fn graphs_in_parts_and_isolated_nodes_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    write(at, "part.csv", "source,target\n0,3\n3,6\n");
    let output = run(at, "fit x.npy -k 3 --method gnmf --graph part.csv --max-iter 3 --out one");
    let said = stderr(&output);
    assert!(
        said.contains("the graph has 28 connected components") && said.contains("27 samples are isolated"),
        "{said}"
    );
    // Three groups that are far apart, with 2 neighbours each.
    let output = run(at, "fit x.npy -k 3 --method symnmf --graph-neighbours 2 --max-iter 3 --out two");
    assert!(output.status.success(), "{}", stderr(&output));
    let chosen = json(at.join("two/run.json"))["chosen"][0].as_str().unwrap().to_string();
    assert!(chosen.contains("connected components, in place of the data"), "{chosen}");
    assert!(!chosen.contains(" 1 connected"), "{chosen}");
    write(at, "alone.csv", "source,target\n0,1\n1,2\n4,4\n");
    let output = run(at, "fit alone.csv --format edges -k 1 --method symnmf --max-iter 3 --out three");
    assert!(stderr(&output).contains("1 row is empty (all zeros)"), "{}", stderr(&output));
}
