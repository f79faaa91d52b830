//! A fit that is killed goes on from its checkpoint with the same bits as one that never was.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use common::{numbers, partwise, run, stderr, succeed, write_npy};

fn factors(folder: &Path, out: &str) -> [Vec<u8>; 2] {
    ["codes.npy", "components.npy"].map(|name| fs::read(folder.join(out).join(name)).unwrap())
}

/// A fit of about a second, and so many milliseconds after which it is killed, again and again until it ends.
fn killed_and_resumed(folder: &Path, data: &str, kills: &[u64]) -> usize {
    let fit = format!("fit {data} -k 8 --tol 0 --max-iter 1200 --threads 1 --quiet");
    succeed(folder, &format!("{fit} --force --out whole"));
    let mut killed = 0;
    for (at, wait) in kills.iter().enumerate() {
        let out = format!("out-{}-{at}", data.replace(' ', "-"));
        let arguments = format!("{fit} --out {out} --checkpoint 0.02 --resume");
        for _ in 0..3 {
            let mut child = partwise();
            child.current_dir(folder).args(arguments.split_whitespace()).stderr(Stdio::null());
            let mut child = child.spawn().unwrap();
            std::thread::sleep(Duration::from_millis(*wait));
            // SIGKILL: nothing can be tidied up.
            if child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
                killed += 1;
            }
            child.wait().unwrap();
        }
        if !folder.join(&out).exists() {
            succeed(folder, &arguments);
        }
        assert_eq!(factors(folder, &out), factors(folder, "whole"), "{data}, killed after {wait} ms");
        assert!(!folder.join(format!("{out}.checkpoint")).exists(), "it is removed at the end");
    }
    killed
}

/// `PARTWISE_KILLS` asks for more kills.
#[test]
fn a_killed_fit_resumes_with_the_same_bits_in_memory_and_in_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_npy(&folder.join("x.npy"), &[300, 200], &numbers(300 * 200, 3));
    succeed(folder, "convert x.npy x.pwx --block-values 9000 --quiet");
    let count = std::env::var("PARTWISE_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(2);
    let waits: Vec<u64> = numbers(count, 17).iter().map(|x| 40 + (400.0 * x) as u64).collect();
    let killed = killed_and_resumed(folder, "x.npy", &waits)
        + killed_and_resumed(folder, "x.pwx --memory 1GB", &waits);
    assert!(killed > 0, "no fit was killed in time");
}

#[test]
fn only_the_same_fit_is_resumed_and_what_differs_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_npy(&folder.join("x.npy"), &[300, 200], &numbers(300 * 200, 3));
    let fit = "fit x.npy --tol 0 --max-iter 100000 --out out --checkpoint 0.02 --quiet";
    let arguments: Vec<String> = format!("{fit} -k 8").split_whitespace().map(str::to_string).collect();
    let mut child = partwise();
    let mut child = child.current_dir(folder).args(arguments).stderr(Stdio::null()).spawn().unwrap();
    let checkpoint = folder.join("out.checkpoint");
    while !checkpoint.exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let refused = |arguments: &str, words: &[&str]| {
        let output = run(folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", stderr(&output));
        let said = stderr(&output);
        assert!(words.iter().all(|word| said.contains(word)), "{arguments}: {said}");
    };
    refused(&format!("{fit} -k 7 --resume"), &["another fit", "rank 8 (now 7)"]);
    refused(&format!("{fit} -k 8 --resume --seed 4"), &["seed 0 (now 4)"]);
    refused(&format!("{fit} -k 8"), &["--resume goes on from it"]);
    let whole = fs::read(&checkpoint).unwrap();
    fs::write(&checkpoint, &whole[..whole.len() - 9]).unwrap();
    refused(&format!("{fit} -k 8 --resume"), &["out.checkpoint", "cut or altered"]);
    fs::write(&checkpoint, b"text").unwrap();
    refused(&format!("{fit} -k 8 --resume"), &["out.checkpoint"]);
    assert!(!folder.join("out").exists());
}
