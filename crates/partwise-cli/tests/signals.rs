//! Promise: Ctrl-C, SIGTERM and SIGHUP are heard in every piece of work, what can be kept is kept, and
//! nothing half-written stays. Limits of time are generous: they only tell an answer from none.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{groups, json, numbers, partwise, stderr, succeed, write_npy};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Far more than an answer takes on a busy machine, far less than the work would.
const LIMIT: Duration = Duration::from_secs(60);

fn signal(name: &str, child: &Child) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

fn begin(folder: &Path, arguments: &str) -> Child {
    let mut command = partwise();
    command.current_dir(folder).args(arguments.split_whitespace()).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until the process listens to signals (Linux says so), and then for `work` to begin.
fn listening(child: &Child, work: Duration) {
    let began = Instant::now();
    while began.elapsed() < LIMIT {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        // SIGINT is number 2.
        if caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 2 != 0) {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(work);
}

/// Waits for the end, which must come long before the work would be done.
fn ended(mut child: Child, what: &str) -> Output {
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > LIMIT {
            child.kill().unwrap();
            panic!("{what} did not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Data on which every search and classification works for minutes.
fn large(folder: &Path) {
    let noise = numbers(1_500 * 60, 5);
    let value = |at: usize| noise[at] + if at % 60 / 15 == at / 60 % 4 { 1.0 } else { 0.0 };
    write_npy(&folder.join("x.npy"), &[1_500, 60], &(0..90_000).map(value).collect::<Vec<_>>());
    let labels: String = (0..40).map(|i| format!("{i},{}\n", ["a", "b", "c", "d"][i % 4])).collect();
    fs::write(folder.join("labels.csv"), format!("index,label\n{labels}")).unwrap();
}

#[test]
fn work_without_a_result_ends_at_the_first_signal_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    large(at);
    write_npy(&at.join("many.npy"), &[30_000, 60], &numbers(1_800_000, 7));
    let long = "--tol 0 --max-iter 1000000";
    for (arguments, signals) in [
        (
            "classify x.npy --labels labels.csv --quiet --out deep/o".to_string(),
            &["-INT", "-TERM", "-HUP"][..],
        ),
        (
            format!("fit x.npy --method ws-nmf --strength auto --labels labels.csv {long} --quiet --out o"),
            &["-INT", "-TERM"],
        ),
        (
            format!("fit x.npy --method guided --strength auto --labels labels.csv {long} --quiet --out o"),
            &["-INT"],
        ),
        (format!("sweep x.npy --labels labels.csv {long} --quiet --out o"), &["-INT"]),
        (
            "fit many.npy --method gnmf -k 3 --graph-neighbours 5 --threads 1 --quiet --out o".to_string(),
            &["-INT"],
        ),
        ("demo --max-iter 100000000 --out o".to_string(), &["-INT", "-TERM"]),
    ] {
        for name in signals {
            let before = names(at);
            let child = begin(at, &arguments);
            // The demo's fits have no limit to raise: they are done soon.
            let work = if arguments.starts_with("demo") { 0 } else { 700 };
            listening(&child, Duration::from_millis(work));
            signal(name, &child);
            let output = ended(child, &arguments);
            assert_eq!(output.status.code(), Some(130), "{arguments} {name}: {}", stderr(&output));
            assert!(stderr(&output).contains("interrupted"), "{arguments} {name}: {}", stderr(&output));
            assert_eq!(names(at), before, "{arguments} {name}");
        }
    }
}

#[test]
fn a_search_for_a_strength_says_what_it_found_when_it_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    large(folder.path());
    let arguments =
        "fit x.npy --method ws-nmf --strength auto --labels labels.csv --tol 0 --max-iter 1000000 --out o";
    let child = begin(folder.path(), arguments);
    listening(&child, Duration::from_millis(500));
    signal("-INT", &child);
    let output = ended(child, arguments);
    assert_eq!(output.status.code(), Some(130));
    let said = stderr(&output);
    assert!(
        said.contains("the search for a strength was stopped") && said.contains("nothing was written"),
        "{said}"
    );
}

#[test]
fn a_read_that_waits_ends_at_the_first_signal() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    succeed(at, "fit x.npy --labels labels.csv --max-iter 2 --quiet --out first");
    for pipe in ["f", "f.npy"] {
        assert!(Command::new("mkfifo").arg(at.join(pipe)).status().unwrap().success());
    }
    for arguments in [
        "fit f --format csv -k 1 --out o",
        "fit - --format csv -k 1 --out o",
        "fit x.npy --labels f --out o",
        "fit x.npy -k 2 --guidance f --out o",
        "sweep x.npy --labels f --out o",
        "transform first f.npy --out o",
        "evaluate first --labels f",
        "suggest first --labels f",
    ] {
        for name in ["-INT", "-TERM"] {
            let before = names(at);
            let child = begin(at, arguments);
            listening(&child, Duration::from_millis(200));
            signal(name, &child);
            let output = ended(child, arguments);
            assert_eq!(output.status.code(), Some(130), "{arguments} {name}: {}", stderr(&output));
            assert_eq!(names(at), before, "{arguments} {name}");
        }
    }
}

#[test]
fn sigterm_and_sighup_keep_what_a_fit_reached_as_ctrl_c_does() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_npy(&at.join("x.npy"), &[400, 100], &numbers(40_000, 3));
    succeed(at, "fit x.npy -k 4 --max-iter 3 --quiet --out first");
    for (name, arguments) in [
        ("-INT", "fit x.npy -k 8 --tol 0 --max-iter 100000000 --quiet --out out-INT"),
        ("-TERM", "fit x.npy -k 8 --tol 0 --max-iter 100000000 --quiet --out out-TERM"),
        ("-HUP", "fit x.npy -k 8 --tol 0 --max-iter 100000000 --quiet --out out-HUP"),
        ("-INT", "transform first x.npy --tol 0 --max-iter 100000000 --solver mu --quiet --out codes"),
    ] {
        let child = begin(at, arguments);
        listening(&child, Duration::from_millis(1500));
        signal(name, &child);
        let output = ended(child, arguments);
        assert_eq!(output.status.code(), Some(130), "{arguments}: {}", stderr(&output));
        let out = at.join(arguments.rsplit(' ').next().unwrap());
        assert_eq!(json(out.join("run.json"))["result"]["stop"], "stopped by the observer", "{arguments}");
    }
}

/// As `nohup` begins a program: the signal is ignored, and stays so.
#[cfg(target_os = "linux")]
#[test]
fn a_hangup_that_is_ignored_at_the_beginning_stays_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_npy(&at.join("x.npy"), &[2_000, 100], &numbers(200_000, 3));
    let program = env!("CARGO_BIN_EXE_partwise");
    let arguments = "fit x.npy -k 8 --tol 0 --max-iter 300 --threads 1 --quiet --out o";
    let script = format!("trap '' HUP; exec {program} {arguments}");
    let mut command = Command::new("bash");
    let child = command
        .args(["-c", &script])
        .current_dir(at)
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    listening(&child, Duration::from_millis(100));
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    assert_eq!(u64::from_str_radix(mask.trim(), 16).unwrap() & 1, 1, "the hangup is ignored");
    signal("-HUP", &child);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(json(at.join("o/run.json"))["result"]["iterations"], 300);
}

/// The second signal ends the program at once also where the first waits for an iteration.
#[test]
fn a_second_signal_ends_at_once_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_npy(&at.join("x.npy"), &[20_000, 100], &numbers(2_000_000, 3));
    let arguments =
        "fit x.npy -k 200 --solver bpp --init random --tol 0 --max-iter 1000000 --threads 1 --quiet --out o";
    let child = begin(at, arguments);
    listening(&child, Duration::from_millis(2000));
    signal("-INT", &child);
    signal("-INT", &child);
    let output = ended(child, arguments);
    assert_eq!(output.status.code(), Some(130));
    let left = names(at);
    assert!(left == ["x.npy"] || left == ["o", "x.npy"], "{left:?}");
}

#[test]
fn a_sweep_keeps_the_fits_that_are_done() {
    use std::io::{BufRead, BufReader};
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    large(at);
    let arguments = "sweep x.npy --labels labels.csv --tol 0 --max-iter 300 --threads 1 --out o";
    let mut child = begin(at, arguments);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The header of the table, and the first fit below it.
    assert!(lines.any(|line| line.unwrap().contains("agreement")));
    lines.next().unwrap().unwrap();
    signal("-INT", &child);
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    let output = ended(child, arguments);
    assert_eq!(output.status.code(), Some(130), "{rest:?} {}", stderr(&output));
    let record = json(at.join("o/run.json"));
    let points = record["points"].as_array().unwrap().len();
    assert!((1..9).contains(&points), "{points} fits");
    let told = format!("stopped after {points} of 9 scales");
    assert!(stderr(&output).contains(&told) && record["stopped"] == true, "{}", stderr(&output));
    assert!(std::fs::read_to_string(at.join("o/report.html")).unwrap().contains(&told));
}
