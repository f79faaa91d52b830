//! The command line from end to end on small files.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{groups, json, numbers, partwise, read_npy, run, stderr, stdout, succeed, write_npy};

const OUTPUTS: [&str; 8] = [
    "model.safetensors",
    "codes.npy",
    "components.npy",
    "codes.csv",
    "components.csv",
    "memberships.csv",
    "run.json",
    "report.html",
];

#[test]
fn labels_without_a_method_are_guidance_and_are_spread() {
    let folder = tempfile::tempdir().unwrap();
    groups(folder.path());
    let said = succeed(folder.path(), "fit x.npy --labels labels.csv --labels-per-class 2 --out out");
    assert!(said.contains("method: guided (labels were given)"), "{said}");
    assert!(said.contains("6 labels were spread to the 24 samples without one"), "{said}");
    let record = json(folder.path().join("out/run.json"));
    assert_eq!(record["settings"]["method"], "guided");
    assert_eq!(record["evaluation"]["unlabelled"]["accuracy"], 1.0);
}

#[test]
fn a_fit_writes_every_output_and_each_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    groups(folder.path());
    let labels = "--labels labels.csv --labels-per-class 2";
    let said = succeed(folder.path(), &format!("fit x.npy {labels} --method cnmf --out out"));
    assert!(said.contains("k: 3 (the number of classes)"), "{said}");
    let out = folder.path().join("out");
    let mut found: Vec<String> =
        std::fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    found.sort();
    // The data are images.
    let mut expected: Vec<_> = OUTPUTS.iter().chain(&["components.png"]).map(ToString::to_string).collect();
    expected.sort();
    assert_eq!(found, expected);
    let record = json(out.join("run.json"));
    assert_eq!(record["data"]["samples"], 30);
    assert_eq!(record["data"]["image_shape"], serde_json::json!([3, 3]));
    assert_eq!(record["settings"]["method"], "cnmf");
    assert_eq!(record["guidance"]["labels"]["samples"].as_array().unwrap().len(), 6);
    assert_eq!(record["evaluation"]["unlabelled"]["samples"], 24);
    assert_eq!(record["evaluation"]["unlabelled"]["accuracy"], 1.0);
    let memberships = std::fs::read_to_string(out.join("memberships.csv")).unwrap();
    let mut lines = memberships.lines();
    assert_eq!(lines.next().unwrap(), "index,cluster,<cats>,ants,bees");
    for (i, line) in lines.enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[1], ["ants", "bees", "<cats>"][i % 3]);
        let sum: f64 = cells[2..].iter().map(|c| c.parse::<f64>().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }
    assert_eq!(read_npy(&out.join("codes.npy")).len(), 90);
    assert_eq!(read_npy(&out.join("components.npy")).len(), 27);
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(
        page.contains("&lt;cats&gt;") && !page.contains("<cats>") && page.matches("<script").count() == 1
    );
    assert!(page.contains("data:image/png;base64,") && !page.contains("http://") && !page.contains("NaN"));
}

#[test]
fn one_seed_gives_the_same_bytes_for_any_number_of_threads_and_another_seed_others() {
    let folder = tempfile::tempdir().unwrap();
    write_npy(&folder.path().join("x.npy"), &[300, 20], &numbers(6000, 1));
    for (name, flags) in [("a", "--threads 1"), ("b", "--threads 2"), ("c", "--threads 1 --seed 9")] {
        succeed(folder.path(), &format!("fit x.npy -k 4 --max-iter 20 {flags} --out {name}"));
    }
    let bytes = |name: &str, file: &str| std::fs::read(folder.path().join(name).join(file)).unwrap();
    for file in &OUTPUTS[..6] {
        assert!(bytes("a", file) == bytes("b", file), "{file} depends on the threads");
        assert!(bytes("a", file) != bytes("c", file), "{file} doesn't depend on the seed");
    }
}

#[test]
fn transform_of_the_training_rows_gives_the_codes_of_the_fit() {
    let folder = tempfile::tempdir().unwrap();
    write_npy(&folder.path().join("x.npy"), &[40, 12], &numbers(480, 2));
    for scale in ["none", "max", "unit-rows", "tfidf"] {
        let tight = "--tol 1e-10 --max-iter 20000 --force";
        succeed(
            folder.path(),
            &format!("fit x.npy -k 3 --first components --scale {scale} {tight} --out fit"),
        );
        succeed(folder.path(), &format!("transform fit x.npy {tight} --out new"));
        let (fit, new) =
            (read_npy(&folder.path().join("fit/codes.npy")), read_npy(&folder.path().join("new/codes.npy")));
        let size = fit.iter().map(|v| v * v).sum::<f64>().sqrt();
        let gap = fit.iter().zip(&new).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        assert!(gap < 1e-6 * size, "{scale}: relative gap {}", gap / size);
    }
    let output = run(folder.path(), "transform fit nothing.npy --out never");
    assert_eq!(output.status.code(), Some(2));
    write_npy(&folder.path().join("narrow.npy"), &[4, 11], &numbers(44, 2));
    let output = run(folder.path(), "transform fit narrow.npy --out never");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("11 features, but the model has 12"), "{}", stderr(&output));
    assert!(!folder.path().join("never").exists());
}

#[test]
fn evaluate_measures_all_and_the_samples_that_did_not_guide() {
    let folder = tempfile::tempdir().unwrap();
    groups(folder.path());
    succeed(folder.path(), "fit x.npy --labels labels.csv --labels-per-class 2 --out out");
    for result in ["out", "out/model.safetensors"] {
        let text = succeed(folder.path(), &format!("evaluate {result} --labels labels.csv --json"));
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(found["evaluation"]["all"]["samples"], 30);
        assert_eq!(found["evaluation"]["unlabelled"]["samples"], 24);
        assert_eq!(found["evaluation"]["unlabelled"]["nmi"], 1.0);
    }
    assert!(succeed(folder.path(), "evaluate out --labels labels.csv").contains("accuracy"));
}

#[test]
fn an_existing_folder_is_left_alone_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    groups(folder.path());
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("precious.txt"), "mine").unwrap();
    for force in ["", "--force"] {
        let output = run(folder.path(), &format!("fit x.npy -k 2 --out out {force}"));
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("out: "), "{}", stderr(&output));
        assert_eq!(std::fs::read_to_string(out.join("precious.txt")).unwrap(), "mine");
        assert_eq!(std::fs::read_dir(&out).unwrap().count(), 1);
    }
    succeed(folder.path(), "fit x.npy -k 2 --out new");
    assert_eq!(run(folder.path(), "fit x.npy -k 2 --out new").status.code(), Some(2));
    succeed(folder.path(), "fit x.npy -k 2 --out new --force");
}

#[test]
fn json_on_standard_output_is_that_of_the_file_and_quiet_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    groups(folder.path());
    let text = succeed(folder.path(), "fit x.npy -k 2 --out a --json");
    let printed: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(printed, json(folder.path().join("a/run.json")));
    let output = run(folder.path(), "fit x.npy -k 2 --out b --quiet");
    assert!(output.status.success() && stdout(&output).is_empty() && stderr(&output).is_empty());
}

#[test]
fn a_warm_start_goes_on_from_a_model_and_keeps_its_names() {
    let folder = tempfile::tempdir().unwrap();
    groups(folder.path());
    succeed(folder.path(), "fit x.npy --labels labels.csv --out a --max-iter 5");
    let first = json(folder.path().join("a/run.json"));
    succeed(folder.path(), "fit x.npy --method nmf --start a/model.safetensors --out b");
    let second = json(folder.path().join("b/run.json"));
    assert!(second["cluster_sizes"].as_object().unwrap().contains_key("bees"));
    assert!(second["result"]["objective"].as_f64() <= first["result"]["objective"].as_f64());
}

#[test]
fn references_name_and_hold_components() {
    let folder = tempfile::tempdir().unwrap();
    groups(folder.path());
    let rows = "name,a,b,c,d,e,f,g,h,i\nlast,0,0,0,0,0,0,1,1,1\nfirst,1,1,1,0,0,0,0,0,0\n";
    std::fs::write(folder.path().join("ref.csv"), rows).unwrap();
    let said = succeed(folder.path(), "fit x.npy --reference ref.csv -k 3 --strength 5 --out out");
    assert!(said.contains("method: ws-nmf"), "{said}");
    let text = std::fs::read_to_string(folder.path().join("out/components.csv")).unwrap();
    let row = text.lines().nth(1).unwrap();
    let values: Vec<f64> = row.split(',').skip(1).map(|v| v.parse().unwrap()).collect();
    assert!(row.starts_with("last,"), "{text}");
    assert!(values[6..].iter().all(|v| *v > 0.5) && values[..6].iter().all(|v| *v < 0.2), "{text}");
    succeed(folder.path(), "fit x.npy --labels labels.csv --method ws-nmf --strength auto --out auto");
    assert!(json(folder.path().join("auto/run.json"))["settings"]["strength"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_graph_comes_from_a_file_or_from_the_data() {
    let folder = tempfile::tempdir().unwrap();
    groups(folder.path());
    let edges: String = (3..30).map(|i| format!("{},{i}\n", i - 3)).collect();
    std::fs::write(folder.path().join("graph.csv"), format!("source,target\n{edges}")).unwrap();
    let fit = "fit x.npy -k 3 --method gnmf";
    let said = succeed(folder.path(), &format!("{fit} --graph graph.csv --graph-weight 4 --out a"));
    assert!(said.contains("54 entries and 3 connected components, graph.csv"), "{said}");
    assert_eq!(json(folder.path().join("a/run.json"))["settings"]["graph_weight"], 4.0);
    let said = succeed(folder.path(), &format!("{fit} --graph-neighbours 4 --out b"));
    assert!(said.contains("4 nearest neighbours"), "{said}");
    let said = succeed(folder.path(), "fit x.npy --labels labels.csv --method semi-gnmf --out c");
    assert!(said.contains("5 nearest neighbours"), "{said}");
}

#[test]
fn the_tables_come_from_the_registries() {
    let folder = tempfile::tempdir().unwrap();
    let text = succeed(folder.path(), "methods");
    let table: serde_json::Value = serde_json::from_str(&succeed(folder.path(), "methods --json")).unwrap();
    for kind in ["methods", "solvers", "starts", "scalings", "formats"] {
        for line in table[kind].as_array().unwrap() {
            assert!(text.contains(line["name"].as_str().unwrap()), "{kind}: {line}");
        }
    }
    for method in partwise_methods() {
        assert!(table["methods"].as_array().unwrap().iter().any(|m| m["name"] == method), "{method}");
    }
    assert!(succeed(folder.path(), "completions bash").contains("cnmf-kl"));
    let output = partwise().args(["fit", "x", "--method", "nfm", "--out", "o"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("ws-nmf"), "{}", stderr(&output));
}

fn partwise_methods() -> Vec<&'static str> {
    partwise::methods::ALL.iter().map(|spec| spec.name).collect()
}

#[test]
fn the_demo_runs_beats_chance_and_replaces_only_its_own_folder() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let said = succeed(folder.path(), "demo --out shown");
        let rows = ["plain NMF, no labels", "few-label classifier", "guided NMF"];
        assert!(rows.iter().all(|row| said.contains(row)), "{said}");
        // The first thing that a newcomer sees has nothing to worry about.
        assert!(!said.contains("iteration") && !said.contains("converg"), "{said}");
    }
    let record = json(folder.path().join("shown/run.json"));
    let accuracy = record["evaluation"]["unlabelled"]["accuracy"].as_f64().unwrap();
    assert_eq!(record["evaluation"]["unlabelled"]["samples"], 1777);
    assert!(accuracy > 0.5, "accuracy {accuracy}");
    std::fs::create_dir(folder.path().join("other")).unwrap();
    let output = run(folder.path(), "demo --out other");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_dir(folder.path().join("other")).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn ctrl_c_writes_what_was_reached_and_exits_with_130() {
    use std::io::{BufRead, BufReader};
    let folder = tempfile::tempdir().unwrap();
    write_npy(&folder.path().join("x.npy"), &[400, 100], &numbers(40_000, 3));
    let mut child = partwise()
        .current_dir(folder.path())
        .args("fit x.npy -k 8 --tol 0 --max-iter 100000000 --out out".split(' '))
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("iteration ")), "the fit began");
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(rest.iter().any(|line| line.contains("Ctrl-C ended the fit")), "{rest:?}");
    for file in OUTPUTS {
        assert!(folder.path().join("out").join(file).is_file(), "{file}");
    }
    assert_eq!(json(folder.path().join("out/run.json"))["result"]["stop"], "stopped by the observer");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn images_serve_ntf_and_delta_reaches_the_smoothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_npy(&at.join("stack.npy"), &[12, 4, 5], &numbers(240, 3));
    succeed(at, "fit stack.npy --method ntf -k 2 --max-iter 10 --quiet --out ntf");
    assert!(at.join("ntf/report.html").is_file());
    succeed(at, "fit stack.npy --method ns-nmf --delta 0.7 -k 2 --max-iter 5 --quiet --out smooth");
    let run = json(at.join("smooth/run.json"));
    assert_eq!(run["settings"]["smoothing"].as_f64(), Some(0.7), "{run:#}");
}

#[test]
fn corrected_codes_have_the_inner_products_of_the_approximation() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    let fit = "fit x.npy --labels labels.csv --method nmf-alpha --svm-cost 2 --margin-weight 0.5 -k 4";
    succeed(at, &format!("{fit} --max-iter 20 --quiet --out plain"));
    succeed(at, &format!("{fit} --max-iter 20 --codes corrected --quiet --out corrected"));
    let (w, h) = (read_npy(&at.join("plain/codes.npy")), read_npy(&at.join("plain/components.npy")));
    let corrected = read_npy(&at.join("corrected/codes.npy"));
    assert_eq!(
        std::fs::read(at.join("plain/model.safetensors")).unwrap(),
        std::fs::read(at.join("corrected/model.safetensors")).unwrap()
    );
    let approximation = |i: usize, j: usize| (0..4).map(|c| w[i * 4 + c] * h[c * 9 + j]).sum::<f64>();
    for (a, b) in [(0, 0), (0, 1), (7, 22), (29, 3)] {
        let expected: f64 = (0..9).map(|j| approximation(a, j) * approximation(b, j)).sum();
        let found: f64 = (0..4).map(|c| corrected[a * 4 + c] * corrected[b * 4 + c]).sum();
        assert!((found - expected).abs() < 1e-9 * (1.0 + expected), "{found} and {expected}");
    }
    succeed(at, "transform plain x.npy --codes corrected --quiet --out new");
    assert_eq!(read_npy(&at.join("new/codes.npy")).len(), 120);
    let settings = &json(at.join("plain/run.json"))["settings"];
    assert_eq!((settings["svm_cost"].as_f64(), settings["margin_weight"].as_f64()), (Some(2.0), Some(0.5)));
}

#[test]
fn several_labels_a_sample_guide_nmf_alpha_and_ssnmf() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    let sets: String = (0..20).map(|i| format!("{i},g{}\n{i},h{}\n", i % 3, i % 2)).collect();
    std::fs::write(at.join("sets.csv"), format!("index,label\n{sets}")).unwrap();
    let out = run(at, "fit x.npy --labels sets.csv --method nmf-alpha -k 4 --max-iter 5 --out alpha");
    assert!(stderr(&out).contains("5 support vector machines trained"), "{}", stderr(&out));
    succeed(
        at,
        "fit x.npy --labels sets.csv --method ssnmf -k 4 --max-iter 5 --label-weight 2 --quiet --out view",
    );
    // The same as numbers: 1 for each label of a sample, not known from sample 20 on.
    let has = |i: usize, label: usize| if label < 3 { i % 3 == label } else { i % 2 == label - 3 };
    let value = |at: usize| match (at / 5, at % 5) {
        (i, _) if i >= 20 => f64::NAN,
        (i, label) => f64::from(u8::from(has(i, label))),
    };
    write_npy(&at.join("targets.npy"), &[30, 5], &(0..150).map(value).collect::<Vec<_>>());
    succeed(
        at,
        "fit x.npy --label-targets targets.npy --method ssnmf -k 4 --max-iter 5 --label-weight 2 --quiet --out same",
    );
    assert_eq!(read_npy(&at.join("view/codes.npy")), read_npy(&at.join("same/codes.npy")));
    assert_eq!(json(at.join("view/run.json"))["settings"]["label_weight"].as_f64(), Some(2.0));
}

#[test]
fn nan_entries_are_unknown_when_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // Rank one: what is hidden follows from the rest.
    let value = |at: usize| (1.0 + (at / 6) as f64) * (1.0 + (at % 6) as f64);
    let hidden = [7, 20, 33];
    let values: Vec<f64> =
        (0..48).map(|at| if hidden.contains(&at) { f64::NAN } else { value(at) }).collect();
    write_npy(&at.join("x.npy"), &[8, 6], &values);
    let labels: String = (0..8).map(|i| format!("{i},a\n")).collect();
    std::fs::write(at.join("labels.csv"), format!("index,label\n{labels}")).unwrap();
    succeed(
        at,
        "fit x.npy --labels labels.csv --method ssnmf --label-weight 0 -k 1 --missing --max-iter 500 --tol 1e-9 --quiet --out out",
    );
    let (w, h) = (read_npy(&at.join("out/codes.npy")), read_npy(&at.join("out/components.npy")));
    for at in hidden {
        let found = w[at / 6] * h[at % 6];
        assert!((found - value(at)).abs() < 1e-3 * value(at), "{found} for {}", value(at));
    }
}

/// Ratings: what a sparse file does not list is not known; and weights of 0 say the same.
#[test]
fn what_is_not_listed_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let value = |i: usize, j: usize| (1.0 + i as f64) * (1.0 + j as f64);
    let known = |i: usize, j: usize| !(i + 2 * j).is_multiple_of(3);
    let cells: Vec<(usize, usize)> = (0..8).flat_map(|i| (0..6).map(move |j| (i, j))).collect();
    let listed: Vec<(usize, usize)> = cells.iter().copied().filter(|(i, j)| known(*i, *j)).collect();
    let lines: String =
        listed.iter().map(|(i, j)| format!("{} {} {}\n", i + 1, j + 1, value(*i, *j))).collect();
    let header = "%%MatrixMarket matrix coordinate real general\n";
    std::fs::write(at.join("x.mtx"), format!("{header}8 6 {}\n{lines}", listed.len())).unwrap();
    let all: Vec<f64> = cells.iter().map(|(i, j)| value(*i, *j) + f64::from(!known(*i, *j))).collect();
    let weights: Vec<f64> = cells.iter().map(|(i, j)| f64::from(known(*i, *j))).collect();
    write_npy(&at.join("x.npy"), &[8, 6], &all);
    write_npy(&at.join("weights.npy"), &[8, 6], &weights);
    for input in ["x.mtx --zeros-missing", "x.npy --entry-weights weights.npy"] {
        let rest = "--method guided -k 1 --max-iter 500 --tol 1e-9 --quiet --force --out out";
        succeed(at, &format!("fit {input} {rest}"));
        let (w, h) = (read_npy(&at.join("out/codes.npy")), read_npy(&at.join("out/components.npy")));
        for &(i, j) in &cells {
            let found = w[i] * h[j];
            assert!((found - value(i, j)).abs() < 1e-3 * value(i, j), "{input}: {found} for {}", value(i, j));
        }
    }
}

#[test]
fn symmetric_methods_take_edges_or_neighbours_of_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    for weights in ["binary", "self-tuning", "cosine", "dot", "heat --heat-width 4"] {
        let flags = format!("--graph-neighbours 6 --graph-weights {weights} --degree-normalized");
        let fit = format!("fit x.npy --method ws-symnmf --labels labels.csv --labels-per-class 1 {flags}");
        succeed(at, &format!("{fit} --strength 1 --coupling 0.5 --quiet --force --out near"));
        let run = json(at.join("near/run.json"));
        assert_eq!(run["evaluation"]["unlabelled"]["accuracy"].as_f64(), Some(1.0), "{weights}: {run:#}");
        assert_eq!(
            (run["settings"]["coupling"].as_f64(), run["data"]["features"].as_u64()),
            (Some(0.5), Some(30))
        );
    }
    let fit = "fit x.npy --method ws-symnmf --labels labels.csv --graph-neighbours 6";
    succeed(at, &format!("{fit} --strength auto --out auto"));
    assert!(json(at.join("auto/run.json"))["settings"]["strength"].as_f64().unwrap() > 0.0);
    succeed(at, &format!("{fit} --strength 5 --anchor-scale alternating --quiet --out published"));
    let settings = &json(at.join("published/run.json"))["settings"];
    assert_eq!(settings["strength"].as_f64(), Some(5.0), "{settings:#}");
    let edges: String = (0..30)
        .flat_map(|i| (i + 1..30).map(move |j| (i, j)))
        .filter(|(i, j)| i % 3 == j % 3)
        .map(|(i, j)| format!("{i},{j}\n"))
        .collect();
    std::fs::write(at.join("edges.csv"), format!("source,target\n{edges}")).unwrap();
    succeed(at, "fit edges.csv --method symnmf -k 3 --degree-normalized --quiet --out graph");
    let said = succeed(at, "evaluate graph --labels labels.csv");
    assert!(said.contains("accuracy        1.0000"), "{said}");
}

#[test]
fn suggestions_leave_out_what_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    succeed(at, "fit x.npy --labels labels.csv --labels-per-class 1 --method ws-nmf --quiet --out fit");
    let run = json(at.join("fit/run.json"));
    let said = succeed(at, "suggest fit -n 5 --json");
    let found: serde_json::Value = serde_json::from_str(&said).unwrap();
    let samples: Vec<u64> = found.as_array().unwrap().iter().map(|s| s["sample"].as_u64().unwrap()).collect();
    assert_eq!(samples.len(), 5, "{run:#}");
    std::fs::write(at.join("more.csv"), format!("index,label\n{},a\n", samples[0])).unwrap();
    let said = succeed(at, "suggest fit -n 40 --labels more.csv --json");
    let rest: serde_json::Value = serde_json::from_str(&said).unwrap();
    let rest: Vec<u64> = rest.as_array().unwrap().iter().map(|s| s["sample"].as_u64().unwrap()).collect();
    // 30 samples, 3 of which guided the fit, and one more is labelled now.
    assert_eq!(rest.len(), 26);
    assert!(!rest.contains(&samples[0]));
    let table = succeed(at, "suggest fit -n 2");
    assert!(table.contains("between"), "{table}");
    assert!(succeed(at, "suggest fit --links -n 3").contains("closeness"));
}

#[test]
fn clusters_are_shares_codes_or_k_means() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    succeed(at, "fit x.npy -k 5 --quiet --out five");
    for clusters in ["k-means", "k-means-rows"] {
        let said = succeed(at, &format!("evaluate five --labels labels.csv --clusters {clusters}"));
        assert!(said.contains("accuracy        1.0000"), "{clusters}: {said}");
        let one =
            succeed(at, &format!("evaluate five --labels labels.csv --clusters {clusters} -k 1 --json"));
        let one: serde_json::Value = serde_json::from_str(&one).unwrap();
        assert_eq!(one["cluster_names"], serde_json::json!(["cluster 1"]));
        assert_eq!(one["evaluation"]["all"]["accuracy"].as_f64(), Some(10.0 / 30.0));
    }
    let output = run(at, "evaluate five --labels labels.csv -k 2");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("--n-clusters applies only to --clusters k-means"),
        "{}",
        stderr(&output)
    );
    succeed(at, "fit x.npy -k 3 --labels labels.csv --quiet --out three");
    let said = succeed(at, "evaluate three --labels labels.csv --clusters largest");
    assert!(said.contains("accuracy        1.0000"), "{said}");
}

#[test]
fn reproduce_says_where_it_moved_whatever_follows_and_is_not_offered() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in ["reproduce", "reproduce --help", "reproduce cnmf-orl --data d --draws 2 --json"] {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        let said = stderr(&output);
        assert!(said.contains("cargo run --release -p partwise-lab -- reproduce"), "{arguments}: {said}");
    }
    assert!(!succeed(folder.path(), "--help").contains("reproduce"));
    assert!(!succeed(folder.path(), "completions zsh").contains("reproduce"));
}
