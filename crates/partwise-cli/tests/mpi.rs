//! Several processes of MPI fit one file of row blocks as one process does; an error or a lost process ends
//! all of them soon. Needs `mpirun`; `cargo xtask test` runs it where that is installed.
#![cfg(feature = "mpi")]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::{json, numbers, stderr, stdout, succeed, write_npy};

/// The command in several processes.
fn in_processes(count: usize, folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new("mpirun");
    // Containers run as root, and this machine may have fewer cores than there are processes.
    command.args(["--allow-run-as-root", "--oversubscribe", "-n", &count.to_string()]);
    command.arg(env!("CARGO_BIN_EXE_partwise")).args(arguments.split_whitespace());
    command.current_dir(folder);
    command
}

fn run(count: usize, folder: &Path, arguments: &str) -> Output {
    in_processes(count, folder, arguments).output().unwrap()
}

/// 64 × 40 counts in 8 blocks of 8 rows, and labels of some rows.
fn write_data(folder: &Path) {
    let values: Vec<f64> = numbers(64 * 40, 7).iter().map(|x| (9.0 * x - 4.0).max(0.0).floor()).collect();
    write_npy(&folder.join("x.npy"), &[64, 40], &values);
    succeed(folder, "convert x.npy x.pwx --block-values 320 --quiet");
    let labels: String = (0..12).map(|i| format!("{i},{}\n", ["ants", "bees", "cats"][i % 3])).collect();
    fs::write(folder.join("labels.csv"), format!("index,label\n{labels}")).unwrap();
}

fn factors(folder: &Path, out: &str) -> [Vec<u8>; 2] {
    ["codes.npy", "components.npy"].map(|name| fs::read(folder.join(out).join(name)).unwrap())
}

#[test]
fn any_number_of_processes_gives_the_result_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_data(folder);
    let fits =
        ["-k 4", "-k 4 --loss kl", "--labels labels.csv -k 4 --method cnmf", "--labels labels.csv -k 4"];
    for (number, fit) in fits.iter().enumerate() {
        let fit = format!("fit x.pwx {fit} --tol 0 --max-iter 30 --memory 1GB");
        succeed(folder, &format!("{fit} --quiet --out one-{number}"));
        let objective =
            |out: &str| json(folder.join(out).join("run.json"))["result"]["objective"].as_f64().unwrap();
        for count in [1, 2, 3, 4, 8] {
            let out = format!("{count}-{number}");
            let output = run(count, folder, &format!("{fit} --out {out}"));
            assert!(output.status.success(), "{fit}, {count} processes: {}", stderr(&output));
            let said = stdout(&output);
            let once = said.matches("data in 8 blocks").count() == 1;
            assert!(once && said.contains("in each of which"), "{fit}, {count} processes: {said}");
            let one = objective(&format!("one-{number}"));
            assert!((objective(&out) - one).abs() <= 1e-10 * one, "{fit}, {count} processes");
            if count != 3 {
                assert_eq!(
                    factors(folder, &out),
                    factors(folder, &format!("one-{number}")),
                    "{fit}, {count}"
                );
            }
        }
    }
}

#[test]
fn an_error_ends_all_processes_soon_with_one_message() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_data(folder);
    fs::create_dir(folder.join("mine")).unwrap();
    fs::write(folder.join("mine").join("file"), "kept").unwrap();
    let mut damaged = fs::read(folder.join("x.pwx")).unwrap();
    let last_block = damaged.len() / 2;
    damaged[last_block] ^= 1;
    fs::write(folder.join("damaged.pwx"), damaged).unwrap();
    for (arguments, words) in [
        ("fit x.npy -k 3 --out out", "x.npy: 4 processes share the row blocks of a .pwx file"),
        ("fit missing.pwx -k 3 --out out", "missing.pwx"),
        ("fit x.pwx -k 3 --no-such-flag", "--no-such-flag"),
        ("fit x.pwx -k 3 --out mine", "mine"),
        ("fit damaged.pwx -k 3 --out out", "altered"),
        ("transform x.pwx model", "only `partwise fit` runs in several"),
    ] {
        let began = Instant::now();
        let output = run(4, folder, arguments);
        let said = stderr(&output);
        assert!(!output.status.success(), "{arguments}: {said}");
        assert!(began.elapsed() < Duration::from_secs(20), "{arguments}: {:?}", began.elapsed());
        assert!(said.contains(words), "{arguments}: {said}");
        assert_eq!(said.matches("error: ").count(), 1, "{arguments}: {said}");
        assert!(!folder.join("out").exists(), "{arguments}");
    }
    assert_eq!(fs::read(folder.join("mine").join("file")).unwrap(), b"kept");
}

/// The processes that `mpirun` has started.
fn started_by(mpirun: &Child) -> Vec<u32> {
    let parent = mpirun.id().to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // "id (name) state parent ..."
        let Some((name, rest)) = stat.split_once(')') else { continue };
        if name.ends_with("(partwise") && rest.split_whitespace().nth(1) == Some(&parent) {
            found.push(id);
        }
    }
    found.sort_unstable();
    found
}

#[test]
fn a_lost_process_ends_the_job_and_the_fit_goes_on_from_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_data(folder);
    // No end in sight: the job is killed; the limit may change when it goes on.
    let fit = "fit x.pwx -k 4 --tol 0 --quiet --checkpoint 0.02 --resume --out out";
    let checkpoint = folder.join("out.checkpoint");
    for lost in [1, 0] {
        let mut command = in_processes(4, folder, &format!("{fit} --max-iter 100000000"));
        let mut job = command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let began = Instant::now();
        let before = fs::read(&checkpoint).unwrap_or_default();
        while fs::read(&checkpoint).unwrap_or_default() == before {
            assert!(began.elapsed() < Duration::from_secs(60), "no checkpoint is written");
            std::thread::sleep(Duration::from_millis(20));
        }
        let processes = started_by(&job);
        assert_eq!(processes.len(), 4);
        let killed = Instant::now();
        let status = Command::new("kill").args(["-9", &processes[lost].to_string()]).status().unwrap();
        assert!(status.success());
        assert!(!job.wait().unwrap().success());
        assert!(killed.elapsed() < Duration::from_secs(10), "{:?}", killed.elapsed());
        assert!(!folder.join("out").exists() && checkpoint.exists());
    }
    // The iteration of the checkpoint is known by its history when one process goes on from a copy of it.
    fs::copy(&checkpoint, folder.join("alone.checkpoint")).unwrap();
    let goes_on = |count: usize, out: &str| {
        let arguments = fit.replace("--out out", &format!("--out {out}"));
        let arguments = arguments.replace("--checkpoint 0.02", "--checkpoint 1000");
        let output = run(count, folder, &format!("{arguments} --max-iter 1"));
        assert!(output.status.success(), "{}", stderr(&output));
        json(folder.join(out).join("run.json"))["result"]["iterations"].as_u64().unwrap()
    };
    fs::copy(&checkpoint, folder.join("probe.checkpoint")).unwrap();
    let reached = goes_on(1, "probe");
    assert!(reached > 0, "the checkpoint is of a later iteration than the first");
    let more = reached + 20;
    for (count, out) in [(4, "out"), (2, "alone")] {
        let arguments = fit.replace("--out out", &format!("--out {out}"));
        let output = run(count, folder, &format!("{arguments} --max-iter {more}"));
        assert!(output.status.success(), "{}", stderr(&output));
    }
    succeed(folder, &format!("fit x.pwx -k 4 --tol 0 --quiet --memory 1GB --max-iter {more} --out whole"));
    assert_eq!(factors(folder, "out"), factors(folder, "whole"));
    assert_eq!(factors(folder, "alone"), factors(folder, "whole"));
}

#[test]
fn ctrl_c_ends_the_job_within_seconds_and_the_fit_goes_on_from_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_data(folder);
    let fit = "fit x.pwx -k 4 --tol 0 --quiet --checkpoint 1000 --out out";
    let mut command = in_processes(2, folder, &format!("{fit} --max-iter 100000000"));
    // In a group of its own, so that no signal of mpirun reaches the test.
    command.process_group(0).stdin(Stdio::null());
    let mut job = command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while started_by(&job).len() < 2 {
        assert!(began.elapsed() < Duration::from_secs(60), "the processes don't start");
        std::thread::sleep(Duration::from_millis(20));
    }
    // Into the iterations.
    std::thread::sleep(Duration::from_secs(2));
    let interrupted = Instant::now();
    assert!(Command::new("kill").args(["-INT", &job.id().to_string()]).status().unwrap().success());
    assert!(!job.wait().unwrap().success());
    assert!(interrupted.elapsed() < Duration::from_secs(10), "{:?}", interrupted.elapsed());
    assert!(folder.join("out.checkpoint").exists(), "Ctrl-C saves the state, whatever --checkpoint says");
    let stopped = json(folder.join("out").join("run.json"))["result"]["iterations"].as_u64().unwrap();
    assert!(stopped > 0, "the result so far is written");
    let more = stopped + 20;
    let output = run(2, folder, &format!("{fit} --resume --force --max-iter {more}"));
    assert!(output.status.success(), "{}", stderr(&output));
    succeed(folder, &format!("fit x.pwx -k 4 --tol 0 --quiet --memory 1GB --max-iter {more} --out whole"));
    assert_eq!(factors(folder, "out"), factors(folder, "whole"));
}
