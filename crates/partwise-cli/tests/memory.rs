//! The command line at its limits: more memory than there is, and numbers at the ends of the range.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::path::Path;
use std::process::{Command, Output};

use common::{json, numbers, run, stderr, succeed, write_npy};
use serde_json::Value;

/// Runs it with so many kilobytes of address space.
#[cfg(target_os = "linux")]
fn run_within(folder: &Path, kilobytes: u64, arguments: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_partwise");
    let command = format!("ulimit -c 0; ulimit -v {kilobytes}; exec {program} {arguments}");
    Command::new("bash").current_dir(folder).args(["-c", &command]).output().unwrap()
}

fn data(folder: &Path, name: &str, factor: f64) {
    let values: Vec<f64> =
        numbers(30 * 12, 7).iter().map(|v| if *v < 0.4 { 0.0 } else { v * factor }).collect();
    write_npy(&folder.join(name), &[30, 12], &values);
}

fn result(folder: &Path) -> Value {
    json(folder.join("out/run.json"))["result"].clone()
}

#[test]
#[cfg(target_os = "linux")]
fn more_memory_than_there_is_is_refused_with_both_numbers_and_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("x.csv"), "a,b,c\n1,0,2\n0,3,1\n2,0,4\n").unwrap();
    std::fs::write(folder.join("labels.csv"), "index,label\n0,p\n1,q\n").unwrap();
    let huge = "%%MatrixMarket matrix coordinate real general\n4000000 4000000 1\n1 1 1\n";
    std::fs::write(folder.join("huge.mtx"), huge).unwrap();
    for arguments in [
        "fit x.csv -k 60000 --max-iter 1 --out out --force",
        "fit x.csv -k 100000 --loss kl --out out --force",
        "fit x.csv -k 60000 --solver bpp --out out --force",
        "fit x.csv -k 60000 --labels labels.csv --out out --force",
        "fit huge.mtx -k 50 --out out --force",
    ] {
        let output = run_within(folder, 2_000_000, arguments);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
        assert!(said.contains("needs about") && said.contains("are available"), "{arguments}: {said}");
        assert!(!folder.join("out").exists(), "{arguments}");
    }
    let output = run_within(folder, 2_000_000, "fit x.csv -k 2 --threads 1 --out out");
    assert!(output.status.success(), "{}", stderr(&output));
    let record = json(folder.join("out/run.json"));
    assert!(record["estimated_memory_bytes"].as_u64().unwrap() > 0);
    assert!(record["available_memory_bytes"].as_u64().unwrap() < 2_000_000 * 1024);
}

#[test]
fn a_large_fit_says_its_size_before_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), "a,b\n1,2\n3,4\n").unwrap();
    // 6000 components: Grams of 288 MB, and no iteration.
    let output = run(folder.path(), "fit x.csv -k 6000 --max-iter 0 --threads 1 --solver bpp --out out");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
    assert!(said.contains("memory: about ") || said.contains("needs about"), "{said}");
}

#[test]
fn data_at_the_ends_of_the_range_have_the_fit_of_the_same_data_in_other_units() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    data(folder, "one.npy", 1.0);
    for scale in ["none", "unit-rows", "max", "tfidf"] {
        for loss in ["frobenius", "kl"] {
            let fit = |name: &str| {
                succeed(
                    folder,
                    &format!("fit {name} -k 3 --scale {scale} --loss {loss} --threads 1 --out out --force"),
                );
                let found = result(folder);
                assert!(
                    found["kkt"].is_f64() && found["objective"].is_f64(),
                    "{name}, {scale}, {loss}: {found}"
                );
                found["relative_error"].as_f64().unwrap()
            };
            let plain = fit("one.npy");
            for (name, factor) in
                [("large.npy", 1e110), ("larger.npy", 1e160), ("most.npy", 1e307), ("small.npy", 1e-200)]
            {
                data(folder, name, factor);
                let error = fit(name);
                assert!((error - plain).abs() < 2e-3, "{name}, {scale}, {loss}: {error} for {plain}");
            }
        }
    }
}

#[test]
fn what_single_precision_cannot_hold_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (factor, said) in [(1e-50, "is 0 in f32"), (1e50, "out of the range of f32")] {
        data(folder, "x.npy", factor);
        for scale in ["none", "max"] {
            let output = run(folder, &format!("fit x.npy -k 3 --dtype f32 --scale {scale} --out out"));
            assert_eq!(output.status.code(), Some(2));
            assert!(stderr(&output).contains(said), "{}", stderr(&output));
        }
    }
}

#[test]
fn tiny_and_huge_entries_end_with_finite_numbers_in_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let plain = numbers(20 * 8, 3);
    let tiny: Vec<f64> =
        plain.iter().enumerate().map(|(at, v)| if at < 8 { v * 1e-310 } else { v + 0.1 }).collect();
    let wide: Vec<f64> =
        plain.iter().enumerate().map(|(at, v)| (v + 0.1) * 10f64.powi(at as i32 * 37 / 10 - 290)).collect();
    write_npy(&folder.join("tiny.npy"), &[20, 8], &tiny);
    write_npy(&folder.join("wide.npy"), &[20, 8], &wide);
    for name in ["tiny.npy", "wide.npy"] {
        for arguments in ["--loss kl", "--loss frobenius", "--solver bpp -k 8", "--init nndsvda"] {
            let rank = if arguments.contains("-k") { "" } else { "-k 2" };
            succeed(folder, &format!("fit {name} {rank} {arguments} --threads 1 --out out --force"));
            let found = result(folder);
            for number in ["objective", "kkt", "relative_error"] {
                assert!(found[number].is_f64(), "{name}, {arguments}: {number} is {}", found[number]);
            }
        }
    }
}

#[test]
fn the_two_projected_gradients_of_a_record_agree() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    data(folder, "x.npy", 1.0);
    for arguments in ["--loss kl", "--solver mu", "--solver hals", "--solver bpp"] {
        let after = |iterations: usize| {
            let limit = format!("--max-iter {iterations} --threads 1 --out out --force");
            succeed(folder, &format!("fit x.npy -k 3 {arguments} {limit}"));
            result(folder)
        };
        let (start, found) = (after(0), after(20_000));
        let ended = found["stop"].as_str().unwrap();
        assert!(["converged", "no further progress"].contains(&ended), "{arguments}: {ended}");
        let kkt = |result: &Value| result["kkt"].as_f64().unwrap();
        // Both tell how far the gradient has fallen; what the first iteration meets is not quite the gradient
        // at the start.
        let (fallen, relative) = (kkt(&found) / kkt(&start), found["relative_kkt"].as_f64().unwrap());
        assert!((0.03..30.0).contains(&(fallen / relative)), "{arguments}: {fallen:e} and {relative:e}");
    }
}
