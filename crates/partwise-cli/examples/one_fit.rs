//! One fit in Rust alone, for comparison with the same fit through Python (`bench/python_overhead.py`): CPU
//! seconds of the fit, the most memory beyond what was held before it, and the objective, as a line of JSON.
//! Reads `/proc`, so Linux only.
//!
//! ```text
//! one_fit x.npy rank iterations
//! ```

// An example prints, and may fail with a message.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::Path;

use partwise::{DenseMatrix, Init, Model, Settings, fit};
use partwise_io::{ReadOptions, read_table};

/// Nanoseconds of this thread on a processor: the fit has one thread, this one.
fn cpu() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse().unwrap()
}

/// A line of `/proc/self/status`, in bytes.
fn memory(key: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
    line.trim_start_matches(':').trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() * 1024
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let path = Path::new(&args[1]);
    let settings = Settings {
        init: Init::Random,
        max_iterations: args[3].parse().unwrap(),
        tolerance: 0.0,
        threads: 1,
        ..Settings::new(args[2].parse().unwrap())
    };
    let values = read_table(path, &ReadOptions::default()).unwrap().values.into_matrix::<f64>(path).unwrap();
    let data = DenseMatrix::from_matrix(values).unwrap();
    // Forgets what reading needed at most.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let (before, began) = (memory("VmRSS"), cpu());
    let found = fit(&data, &Model::nmf(), &settings).unwrap();
    let (seconds, peak) = ((cpu() - began) as f64 / 1e9, memory("VmHWM").saturating_sub(before));
    println!("{{\"cpu\": {seconds}, \"peak\": {peak}, \"objective\": {}}}", found.objective);
}
