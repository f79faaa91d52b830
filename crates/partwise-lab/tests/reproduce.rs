//! Experiments from the command line: on the built-in digits under the name of a set of faces, which is
//! always there, and on the faces themselves where `PARTWISE_DATA` (relative to the workspace) or
//! `../shared/data` has them.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and prints what it left out"
)]

mod program;

use std::fs;
use std::path::{Path, PathBuf};

use program::{lab, run, stderr, succeed};

/// A `.npy` file of images of 8 × 8 pixels, little-endian f64 in C order.
fn write_images(path: &Path, count: usize, pixels: &[f64]) {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({count}, 8, 8), }}");
    let header = format!("{header:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    pixels.iter().for_each(|pixel| bytes.extend(pixel.to_le_bytes()));
    fs::write(path, bytes).unwrap();
}

/// A folder `data/orl` with 12 digits of each of the ten classes.
fn digits_as_faces(folder: &Path) {
    let digits = partwise_io::digits();
    let set = folder.join("data/orl");
    fs::create_dir_all(&set).unwrap();
    let mut kept: Vec<usize> = Vec::new();
    for class in 0..10 {
        kept.extend((0..digits.n_samples()).filter(|i| digits.labels[*i] == class).take(12));
    }
    let pixels: Vec<f64> = kept.iter().flat_map(|i| digits.images[i * 64..(i + 1) * 64].to_vec()).collect();
    write_images(&set.join("images.npy"), kept.len(), &pixels);
    let labels: String =
        kept.iter().enumerate().map(|(at, i)| format!("{at},{}\n", digits.labels[*i])).collect();
    fs::write(set.join("labels.csv"), format!("index,label\n{labels}")).unwrap();
}

/// Raw results without the times of the units.
fn draws(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("cnmf-orl/draws.csv")).unwrap();
    text.lines().filter(|line| !line.contains(",seconds,")).map(str::to_string).collect()
}

const SMALL: &str =
    "reproduce cnmf-orl --data data --reduced --draws 2 --methods nmf,cnmf,constrained-k-means";

#[test]
fn threads_and_interruptions_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    digits_as_faces(folder.path());
    succeed(folder.path(), &format!("{SMALL} --threads 1 --out one"));
    succeed(folder.path(), &format!("{SMALL} --threads 2 --out two"));
    let whole = draws(&folder.path().join("one"));
    // Two draws at three k; 2 + 2 + 1 readings with 5 scores each, and the head.
    assert_eq!(whole.len(), 1 + 2 * 3 * 5 * 5);
    assert_eq!(draws(&folder.path().join("two")), whole);
    // A kill in the middle of a unit: that unit is run again, with a word about it, and the rest is kept.
    let path = folder.path().join("two/cnmf-orl/draws.csv");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text[..text.len() * 2 / 3]).unwrap();
    let output = run(folder.path(), &format!("{SMALL} --threads 2 --out two"));
    let said = stderr(&output);
    assert!(output.status.success() && said.contains("was not written whole"), "{said}");
    assert!(said.contains("of 18 units of cnmf-orl are there already"), "{said}");
    assert_eq!(draws(&folder.path().join("two")), whole);
}

#[test]
fn a_unit_that_fails_does_not_take_the_others_with_it() {
    let folder = tempfile::tempdir().unwrap();
    digits_as_faces(folder.path());
    // A pixel below zero in a digit 9: draws with that class fail, the others don't.
    let path = folder.path().join("data/orl/images.npy");
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 8;
    bytes[last..].copy_from_slice(&(-1.0_f64).to_le_bytes());
    fs::write(&path, bytes).unwrap();
    let asked = "reproduce cnmf-orl --data data --reduced --draws 3 --methods nmf --out out";
    let output = run(folder.path(), asked);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("units of cnmf-orl failed"), "{said}");
    assert!(said.contains(", nmf, draw 0: ") && said.contains("negative entry"), "{said}");
    let kept = draws(&folder.path().join("out"));
    assert!(kept.iter().any(|line| line.contains(",2,")), "{kept:?}");
    let table = fs::read_to_string(folder.path().join("out/cnmf-orl/table.md")).unwrap();
    assert_eq!(table.matches("Failed: ORL 10, nmf, draw").count(), 3, "{table}");
}

#[test]
fn methods_and_draws_can_be_added_on_the_same_draws() {
    let folder = tempfile::tempdir().unwrap();
    digits_as_faces(folder.path());
    let part = "reproduce cnmf-orl --data data --reduced --out part";
    succeed(folder.path(), &format!("{part} --draws 1 --methods cnmf"));
    succeed(folder.path(), &format!("{part} --draws 2 --methods constrained-k-means,nmf"));
    succeed(folder.path(), &format!("{part} --draws 2 --methods cnmf"));
    succeed(folder.path(), &format!("{SMALL} --out all"));
    assert_eq!(draws(&folder.path().join("part")), draws(&folder.path().join("all")));
}

#[test]
fn cases_can_be_chosen_and_others_added_on_the_same_draws() {
    let folder = tempfile::tempdir().unwrap();
    digits_as_faces(folder.path());
    let run_cases = |out: &str, cases: &str| {
        let base = "reproduce cnmf-orl --data data --draws 2 --methods cnmf,constrained-k-means";
        let output = lab()
            .current_dir(folder.path())
            .args(base.split(' '))
            .args(["--out", out, "--cases", cases])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    run_cases("parts", "ORL 3");
    let some = draws(&folder.path().join("parts"));
    // Two draws at one k; 2 + 1 readings with 5 scores each, and the head.
    assert_eq!(some.len(), 1 + 2 * 3 * 5);
    assert!(some[1..].iter().all(|line| line.starts_with("ORL,3,")), "{some:?}");
    let said = run_cases("parts", "ORL 4, ORL 3,ORL 2");
    assert!(said.contains("4 of 12 units of cnmf-orl are there already"), "{said}");
    run_cases("whole", "ORL 2,ORL 3,ORL 4");
    assert_eq!(draws(&folder.path().join("parts")), draws(&folder.path().join("whole")));
    // Fewer cases run nothing and lose nothing.
    run_cases("parts", "ORL 2");
    assert_eq!(draws(&folder.path().join("parts")), draws(&folder.path().join("whole")));
    let table = fs::read_to_string(folder.path().join("parts/cnmf-orl/table.md")).unwrap();
    assert!(table.contains("averages over k = 2, 3, 4"), "{table}");
}

#[test]
fn tables_figures_and_the_page_are_written_and_stand_alone() {
    let folder = tempfile::tempdir().unwrap();
    digits_as_faces(folder.path());
    let printed = succeed(folder.path(), &format!("{SMALL} --json --out out"));
    let printed: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(printed["rows"].as_array().unwrap().len(), 2 * 3 * 5);
    let first = &printed["overall"][0]["scores"]["AC all"];
    assert!(first["mean"].as_f64().unwrap() > 30.0 && first["published"].as_f64().is_some(), "{first}");
    let out = folder.path().join("out/cnmf-orl");
    let table = fs::read_to_string(out.join("table.md")).unwrap();
    for promised in
        ["AC all, published", "AC unlabelled", "constrained k-means", "mu, 200 iterations", "Wilcoxon p = "]
    {
        assert!(table.contains(promised), "{promised}: {table}");
    }
    assert!(fs::read_to_string(out.join("table.tex")).unwrap().contains("\\bottomrule"));
    assert!(fs::read_to_string(out.join("table.csv")).unwrap().lines().count() > 5 * 5);
    let svg = fs::read_to_string(out.join("figures/accuracy-orl.svg")).unwrap();
    assert!(svg.starts_with("<svg xmlns=") && svg.contains("CNMF, km"));
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("constrained k-means"));
    for address in ["src=\"http", "href=\"http", "@import", "<script"] {
        assert!(!page.contains(address), "{address}");
    }
    let settings: serde_json::Value =
        serde_json::from_slice(&fs::read(out.join("settings.json")).unwrap()).unwrap();
    assert_eq!(settings["extent"], "reduced");
}

#[test]
fn results_of_other_settings_are_not_continued() {
    let folder = tempfile::tempdir().unwrap();
    digits_as_faces(folder.path());
    let run_it = |rest: &str| {
        run(folder.path(), &format!("reproduce cnmf-orl --data data --draws 1 --methods k-means {rest}"))
    };
    assert!(run_it("--reduced").status.success());
    let output = run_it("");
    let said = stderr(&output);
    assert!(
        output.status.code() == Some(2) && said.contains("extent \"reduced\"") && said.contains("--out"),
        "{said}"
    );
    let labels = folder.path().join("data/orl/labels.csv");
    let changed = fs::read_to_string(&labels).unwrap().replace("0,0\n", "0,1\n");
    fs::write(&labels, changed).unwrap();
    assert!(stderr(&run_it("--reduced")).contains("data_sha256"));
}

#[test]
fn the_list_and_refusals_name_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    digits_as_faces(folder.path());
    let list = succeed(folder.path(), "reproduce --data data");
    for name in
        ["cnmf-orl", "scnmf-labels", "missing here: yale", "FERET", "constrained-k-means", "cases: ORL 2|3|4"]
    {
        assert!(list.contains(name), "{name}: {list}");
    }
    for (arguments, said) in [
        ("reproduce cnmf-orll --data data", "valid: all, cnmf-orl"),
        ("reproduce cnmf-orl --data data --methods nfm", "valid: nmf, ncw-nmf"),
        ("reproduce cnmf-yale --data data", "has no data set yale"),
        ("reproduce cnmf-orl --data data --draws 0", "--draws"),
        ("reproduce cnmf-orl --data data --cases ORL2", "no case \"ORL2\"; valid: ORL 2, ORL 3"),
        ("reproduce cnmf-orl --data data --reduced --cases Yale", "valid: ORL 2, ORL 6, ORL 10"),
        ("reproduce all --data data --cases ORL", "--cases is for one experiment"),
    ] {
        let output = run(folder.path(), arguments);
        assert!(output.status.code() == Some(2) && stderr(&output).contains(said), "{}", stderr(&output));
    }
}

/// The folder of the real faces, or `None` with a word about it.
fn faces() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = workspace.join(std::env::var_os("PARTWISE_DATA").unwrap_or_else(|| "../shared/data".into()));
    if root.join("orl").is_dir() {
        return Some(root);
    }
    println!("left out: orl, which is not in {}", root.display());
    None
}

#[test]
fn faces_are_clustered_as_well_as_by_independent_implementations() {
    let Some(data) = faces() else { return };
    let folder = tempfile::tempdir().unwrap();
    let output = lab()
        .current_dir(folder.path())
        .args([
            "reproduce",
            "cnmf-orl",
            "--json",
            "--cases",
            "ORL 2,ORL 3,ORL 4",
            "--draws",
            "2",
            "--methods",
            "nmf,cnmf,constrained-k-means",
        ])
        .arg("--data")
        .arg(data)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut compared = 0;
    for line in found["overall"].as_array().unwrap() {
        let score = |name: &str| line["scores"][name]["mean"].as_f64().unwrap();
        println!(
            "{}: AC {:.1} all, {:.1} unlabelled",
            line["method"],
            score("AC all"),
            score("AC unlabelled")
        );
        // Six clusterings of 2 to 4 people: by chance about 50 %.
        assert!(score("AC all") > 65.0, "{line}");
        // Readings without a reference are not compared.
        assert_ne!(line["scores"]["AC all"]["outside"], true, "{line}");
        compared += usize::from(line["scores"]["AC all"]["outside"] == false);
    }
    assert_eq!(compared, 2, "NMF and CNMF have references at each of these k");
}
