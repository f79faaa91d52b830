//! What the tests of the command line share: running it, and small files.
#![allow(dead_code, clippy::unwrap_used, reason = "each test binary uses a part, and fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The built program.
pub(crate) fn partwise() -> Command {
    Command::new(env!("CARGO_BIN_EXE_partwise"))
}

/// Runs it in a folder.
pub(crate) fn run(folder: &Path, arguments: &str) -> Output {
    partwise().current_dir(folder).args(arguments.split_whitespace()).output().unwrap()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs it and expects success; gives what it printed.
pub(crate) fn succeed(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", stderr(&output));
    stdout(&output)
}

/// A JSON file.
pub(crate) fn json(path: PathBuf) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A `.npy` file of little-endian f64 in C order.
pub(crate) fn write_npy(path: &Path, shape: &[usize], values: &[f64]) {
    let shape: Vec<String> = shape.iter().map(|n| format!("{n},")).collect();
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}), }}", shape.join(" "));
    let padding = 64 - (10 + header.len() + 1) % 64;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    values.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    std::fs::write(path, bytes).unwrap();
}

/// The values of a `.npy` file of f64.
pub(crate) fn read_npy(path: &Path) -> Vec<f64> {
    let bytes = std::fs::read(path).unwrap();
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[start..].chunks_exact(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect()
}

/// Numbers that look random, in 0..1, the same each time.
pub(crate) fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 53) as f64
        })
        .collect()
}

/// 30 samples × 9 features in three groups, as a 3-D stack of 3 × 3 images; writes x.npy, labels.csv.
pub(crate) fn groups(folder: &Path) {
    let noise = numbers(30 * 9, 5);
    let value = |at: usize| {
        let (sample, feature) = (at / 9, at % 9);
        let strength = 1.0 + noise[at];
        if feature / 3 == sample % 3 { strength } else { 0.05 * noise[at] }
    };
    write_npy(&folder.join("x.npy"), &[30, 3, 3], &(0..270).map(value).collect::<Vec<_>>());
    let names = ["ants", "bees", "<cats>"];
    let labels: String = (0..30).map(|i| format!("{i},{}\n", names[i % 3])).collect();
    std::fs::write(folder.join("labels.csv"), format!("index,label\n{labels}")).unwrap();
}
