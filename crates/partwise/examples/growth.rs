//! How time and memory grow with the size of sparse data: CPU time of an iteration on one thread, and the
//! peak memory of the process.
//!
//! `cargo run --release -p partwise --example growth` runs 1e5 to 1e7 stored values (100 a row, 20,000
//! features, f32, k = 20) and then shapes and ranks; `-- 1e8` adds the largest. Each size runs in a process
//! of its own, so that its peak is its own. The lines are CSV, and the slopes on log-log axes stand at the
//! end.

// Printing its table is what this example is for.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::ops::ControlFlow;
use std::process::Command;

use cpu_time::ProcessTime;
use partwise::{Acceleration, Init, Iteration, Model, Settings, SparseMatrix, fit_observed};

/// One size: samples, features, stored values a row, rank.
#[derive(Clone, Copy)]
struct Size {
    samples: usize,
    features: usize,
    a_row: usize,
    rank: usize,
}

fn number(index: u64) -> u64 {
    let mut z = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Each row has its values at random distances, spread over all features.
fn data(size: Size) -> Result<SparseMatrix<'static, f32>, partwise::Error> {
    let stored = size.samples * size.a_row;
    let (mut offsets, mut indices, mut values) =
        (Vec::with_capacity(size.samples + 1), Vec::with_capacity(stored), Vec::with_capacity(stored));
    offsets.push(0);
    let gap = (size.features / size.a_row) as u64;
    for i in 0..size.samples {
        for e in 0..size.a_row {
            let random = number((i * size.a_row + e) as u64);
            indices.push((e as u64 * gap + random % gap) as u32);
            values.push((random >> 40) as f32 / (1u64 << 24) as f32 + 0.1);
        }
        offsets.push(indices.len());
    }
    SparseMatrix::new(size.samples, size.features, offsets, indices, values)
}

/// A value of this process in /proc/self/status, in MB; NaN where there is none.
fn status_mb(key: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(key));
    let kilobytes =
        line.and_then(|line| line.split_whitespace().nth(1)).and_then(|value| value.parse::<f64>().ok());
    kilobytes.map_or(f64::NAN, |kilobytes| kilobytes / 1024.0)
}

/// Fits one size in this process and prints its line.
fn measure(size: Size) -> Result<(), Box<dyn Error>> {
    let x = data(size)?;
    let data_mb = status_mb("VmRSS:");
    let settings = Settings {
        init: Init::Random,
        acceleration: Acceleration::Off,
        threads: 1,
        tolerance: 0.0,
        max_iterations: 4,
        ..Settings::new(size.rank)
    };
    let (mut seconds, mut last) = (Vec::new(), None::<ProcessTime>);
    let mut observer = |_: &Iteration| {
        seconds.extend(last.map(|last| last.elapsed().as_secs_f64()));
        last = Some(ProcessTime::now());
        ControlFlow::Continue(())
    };
    let fit = fit_observed(&x, &Model::nmf(), &settings, &mut observer)?;
    let mut later = seconds.split_off(1);
    later.sort_by(f64::total_cmp);
    let Size { samples, features, a_row, rank } = size;
    println!(
        "{},{samples},{features},{rank},{:.6},{data_mb:.1},{:.1},{:.1}",
        samples * a_row,
        later[later.len() / 2],
        status_mb("VmHWM:"),
        fit.working_bytes as f64 / 1e6
    );
    Ok(())
}

/// Measures a size in a process of its own: (stored or another measure, seconds, MB).
fn in_own_process(size: Size) -> Result<(f64, f64), Box<dyn Error>> {
    let sizes = [size.samples, size.features, size.a_row, size.rank].map(|v| v.to_string());
    let output = Command::new(std::env::current_exe()?).arg("one").args(sizes).output()?;
    let line = String::from_utf8(output.stdout)?;
    print!("{line}");
    let field = |at: usize| line.trim().split(',').nth(at).and_then(|v| v.parse::<f64>().ok());
    Ok((field(4).ok_or("no time")?, field(6).ok_or("no memory")?))
}

/// The slope of the least-squares line on log-log axes.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    logs.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>()
        / logs.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>()
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|a| a == "one") {
        let sizes: Vec<usize> = arguments[1..].iter().map(|v| v.parse()).collect::<Result<_, _>>()?;
        return measure(Size { samples: sizes[0], features: sizes[1], a_row: sizes[2], rank: sizes[3] });
    }
    let base = Size { samples: 10_000, features: 20_000, a_row: 100, rank: 20 };
    println!("stored,samples,features,rank,cpu_seconds_an_iteration,mb_with_data,mb_at_peak,mb_of_factors");
    let mut series: Vec<(&str, Vec<(f64, Size)>)> = Vec::new();
    let mut samples = vec![1_000, 3_000, 10_000, 30_000, 100_000];
    if arguments.first().is_some_and(|a| a == "1e8") {
        samples.extend([300_000, 1_000_000]);
    }
    let stored = samples.into_iter().map(|n| (100.0 * n as f64, Size { samples: n, ..base }));
    series.push(("stored values, more samples", stored.collect()));
    let denser = [25, 50, 100, 200, 400].map(|a_row| (1e4 * a_row as f64, Size { a_row, ..base }));
    series.push(("stored values, fuller rows", denser.to_vec()));
    let wider = [5_000, 10_000, 20_000, 40_000, 80_000].map(|d| (d as f64, Size { features: d, ..base }));
    series.push(("features", wider.to_vec()));
    let deeper = [5, 10, 20, 40, 80].map(|k| (k as f64, Size { rank: k, ..base }));
    series.push(("rank", deeper.to_vec()));
    for (name, sizes) in series {
        let mut points = Vec::new();
        for (measure, size) in sizes {
            let (seconds, mb) = in_own_process(size)?;
            points.push((measure, seconds, mb));
        }
        let time: Vec<(f64, f64)> = points.iter().map(|p| (p.0, p.1)).collect();
        let memory: Vec<(f64, f64)> = points.iter().map(|p| (p.0, p.2)).collect();
        println!("# slope against {name}: time {:.3}, memory {:.3}", slope(&time), slope(&memory));
    }
    Ok(())
}
