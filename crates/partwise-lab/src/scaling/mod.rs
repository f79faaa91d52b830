//! `partwise-lab scaling`: how long an iteration of one fit takes in 1, 2, 3, … processes of MPI on this
//! machine, beside one process with as many threads as cores; what a cost model predicts, and what it says
//! of more machines. `partwise-lab make-blocks` makes the data.

mod made;
mod model;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;
use partwise_report::console;
use partwise_report::program::Outcome;
use serde_json::Value;

pub use made::{MakeBlocksArgs, make_blocks};
use model::{Constants, Network, Shape};

/// How much the processes of the fitted model have at most.
const FITTED_TO: usize = 4;

/// The arguments of `partwise-lab scaling`.
#[derive(Debug, Args)]
pub struct ScalingArgs {
    /// A file of row blocks.
    file: PathBuf,
    /// The command line to run, built with the feature mpi.
    #[arg(long, default_value = "target/release/partwise")]
    program: PathBuf,
    /// Numbers of processes.
    #[arg(long, value_delimiter = ',', default_value = "1,2,3,4,8")]
    processes: Vec<usize>,
    /// The number of components.
    #[arg(short = 'k', long = "rank", default_value_t = 50)]
    rank: usize,
    /// Iterations of a run. The first three are not counted.
    #[arg(long, default_value_t = 12)]
    iterations: usize,
    /// Runs of each kind, one after the other in turn.
    #[arg(long, default_value_t = 3)]
    repeats: usize,
    /// Memory of all processes together, in gigabytes.
    #[arg(long, default_value_t = 12)]
    memory: usize,
}

/// One kind of run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// One process without MPI.
    Threads(usize),
    /// Processes of one thread.
    Processes(usize),
}

/// What was measured of a kind.
struct Measured {
    kind: Kind,
    /// Wall seconds of each iteration.
    seconds: Vec<f64>,
}

impl Measured {
    fn median(&self) -> f64 {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }
}

/// Measures, fits, predicts and prints.
///
/// # Errors
/// When a run ends with an error, or the model has too few points.
pub fn run(args: &ScalingArgs) -> Result<Outcome> {
    if args.iterations < 5 || args.repeats == 0 || args.processes.contains(&0) {
        bail!("at least 5 iterations, 1 repeat and 1 process are needed");
    }
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut kinds = vec![Kind::Threads(1), Kind::Threads(cores)];
    kinds.extend(args.processes.iter().filter(|count| **count > 1).map(|count| Kind::Processes(*count)));
    let mut measured: Vec<Measured> =
        kinds.iter().map(|kind| Measured { kind: *kind, seconds: Vec::new() }).collect();
    let mut shape = None;
    let folder = std::env::temp_dir().join(format!("partwise-scaling-{}", std::process::id()));
    for _ in 0..args.repeats {
        for of_kind in &mut measured {
            let record = once(args, of_kind.kind, &folder);
            std::fs::remove_dir_all(&folder).ok();
            let record = record.with_context(|| format!("{:?}", of_kind.kind))?;
            of_kind.seconds.extend(iterations(&record)?);
            let number = |key: &str| record["data"][key].as_u64().map(|value| value as f64);
            shape = number("stored_values").zip(number("features"));
        }
    }
    let (stored, features) = shape.context("run.json has no numbers of values and features")?;
    let shape = Shape { stored, features, rank: args.rank as f64 };
    show(&measured, cores, shape)
}

/// One fit; returns its run.json.
fn once(args: &ScalingArgs, kind: Kind, folder: &Path) -> Result<Value> {
    let (count, threads) = match kind {
        Kind::Threads(threads) => (1, threads),
        Kind::Processes(count) => (count, 1),
    };
    let mut command = match kind {
        Kind::Threads(_) => Command::new(&args.program),
        Kind::Processes(_) => {
            let mut command = Command::new("mpirun");
            command.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n"]);
            command.arg(count.to_string()).arg(&args.program);
            command
        }
    };
    let megabytes = args.memory * 1000 / count;
    command.arg("fit").arg(&args.file).args(["--quiet", "--tol", "0", "--seed", "0"]);
    command.args(["-k", &args.rank.to_string(), "--max-iter", &args.iterations.to_string()]);
    command.args(["--threads", &threads.to_string(), "--memory", &format!("{megabytes}MB")]);
    let done = command.arg("--out").arg(folder).output().context("the program can't be run")?;
    if !done.status.success() {
        bail!("{}", String::from_utf8_lossy(&done.stderr).trim());
    }
    let record = std::fs::read_to_string(folder.join("run.json"))?;
    Ok(serde_json::from_str(&record)?)
}

/// The seconds of each iteration but the first three, which read the blocks.
fn iterations(record: &Value) -> Result<Vec<f64>> {
    let ends = record["iteration_ends"].as_array().context("run.json has no iteration_ends")?;
    let ends: Vec<f64> = ends.iter().filter_map(Value::as_f64).collect();
    Ok(ends.windows(2).skip(2).map(|pair| pair[1] - pair[0]).collect())
}

fn show(measured: &[Measured], cores: usize, shape: Shape) -> Result<Outcome> {
    let of = |kind| measured.iter().find(|m| m.kind == kind).map(Measured::median);
    let points: Vec<(usize, f64)> = measured
        .iter()
        .filter_map(|m| match m.kind {
            Kind::Threads(1) => Some((1, m.median())),
            Kind::Threads(_) => None,
            Kind::Processes(count) => Some((count, m.median())),
        })
        .collect();
    let few: Vec<(usize, f64)> = points.iter().copied().filter(|(count, _)| *count <= FITTED_TO).collect();
    let constants = Constants::fitted(&few, cores, shape).context("too few numbers of processes")?;
    let mut lines = vec![format!(
        "{} stored values, {} features, {} components, {cores} cores; median wall seconds of an iteration",
        shape.stored, shape.features, shape.rank
    )];
    for m in measured {
        let name = match m.kind {
            Kind::Threads(threads) => format!("1 process, threads: {threads}"),
            Kind::Processes(count) => format!("{count} processes of one thread"),
        };
        let predicted = match m.kind {
            Kind::Threads(threads) if threads > 1 => String::new(),
            Kind::Threads(_) => predicted(&constants, 1, cores, shape, m.median()),
            Kind::Processes(count) => predicted(&constants, count, cores, shape, m.median()),
        };
        lines.push(format!("{name:<26} {:>8.4}{predicted}", m.median()));
    }
    if let Some((threads, processes)) = of(Kind::Threads(cores)).zip(of(Kind::Processes(cores))) {
        let percent = 100.0 * (processes / threads - 1.0);
        lines.push(format!("{cores} processes instead of {cores} threads: {percent:+.1} %"));
    }
    lines.push(constants.text());
    lines.extend(model::table(&constants, shape, Network::default()));
    console::print(&lines.join("\n"));
    Ok(Outcome::Done)
}

fn predicted(constants: &Constants, count: usize, cores: usize, shape: Shape, seconds: f64) -> String {
    let predicted = constants.on_one_machine(count, cores, shape);
    format!("   model {predicted:.4} ({:+.1} %)", 100.0 * (predicted / seconds - 1.0))
}
