//! What one iteration of a fit costs beside the bare products it can't do without: the gate of the project's speed.
//! `cargo bench -p partwise --bench iteration` prints CPU times of one thread and their ratio, and fails above the gate.
//!
//! Everything is measured in one process in interleaved rounds, in CPU time, and compared as a ratio of medians, since machines are
//! shared and their speed drifts. Bare: the two products with X and the two Grams, by faer for dense data, by the library's own
//! sparse products otherwise.

#![expect(clippy::print_stdout, reason = "a bench reports by printing")]

use std::hint::black_box;
use std::ops::ControlFlow;
use std::process::ExitCode;

use cpu_time::ProcessTime;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use partwise::{
    DataMatrix, DenseMatrix, Iteration, Labels, Loss, Matrix, Model, Settings, SolverChoice, fit_observed,
};

#[path = "common/workloads.rs"]
mod workloads;

const RANK: usize = 20;
const ROUNDS: usize = 5;
const ITERATIONS: usize = 8;

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// CPU milliseconds of `f`.
fn cpu_ms(f: impl FnOnce()) -> f64 {
    let began = ProcessTime::now();
    f();
    began.elapsed().as_secs_f64() * 1e3
}

/// Median CPU milliseconds of an iteration (the first is left out: it touches fresh memory).
fn iteration_ms(data: &dyn DataMatrix<f64>, model: &Model, solver: SolverChoice) -> f64 {
    let settings =
        Settings { solver, threads: 1, tolerance: 0.0, max_iterations: ITERATIONS, ..Settings::new(RANK) };
    let (mut times, mut last) = (Vec::new(), None::<ProcessTime>);
    let mut observer = |_: &Iteration| {
        if let Some(last) = last {
            times.push(last.elapsed().as_secs_f64() * 1e3);
        }
        last = Some(ProcessTime::now());
        ControlFlow::Continue(())
    };
    black_box(fit_observed(data, model, &settings, &mut observer).expect("a valid problem"));
    median(times.split_off(1))
}

/// X·V, Xᵀ·U, UᵀU and VᵀV by faer.
fn bare_dense_ms(x: &DenseMatrix<'_, f64>, u: &Matrix<f64>, v: &Matrix<f64>) -> f64 {
    let (n, d, k) = (u.rows(), v.rows(), RANK);
    let view = |m, rows, columns| MatRef::from_row_major_slice(m, rows, columns);
    let (x, u, v) = (view(x.as_slice(), n, d), view(u.as_slice(), n, k), view(v.as_slice(), d, k));
    let (mut xv, mut xtu, mut gram) = (vec![0.0; n * k], vec![0.0; k * d], vec![0.0; k * k]);
    cpu_ms(|| {
        let one = Accum::Replace;
        matmul(MatMut::from_row_major_slice_mut(&mut xv, n, k), one, x, v, 1.0, Par::Seq);
        // faer is fastest with the long side of the result contiguous.
        matmul(MatMut::from_row_major_slice_mut(&mut xtu, k, d), one, u.transpose(), x, 1.0, Par::Seq);
        matmul(MatMut::from_row_major_slice_mut(&mut gram, k, k), one, u.transpose(), u, 1.0, Par::Seq);
        matmul(MatMut::from_row_major_slice_mut(&mut gram, k, k), one, v.transpose(), v, 1.0, Par::Seq);
        black_box((&xv, &xtu, &gram));
    })
}

/// The library's own products with X, for sparse data.
fn bare_sparse_ms(x: &dyn DataMatrix<f64>, u: &Matrix<f64>, v: &Matrix<f64>) -> f64 {
    let (samples, features) = (x.sample_chunks(), x.feature_chunks());
    let (mut xv, mut xtu) = (vec![0.0; u.rows() * RANK], vec![0.0; v.rows() * RANK]);
    cpu_ms(|| {
        for chunk in &samples {
            x.times(chunk.clone(), v, &mut xv[chunk.start * RANK..chunk.end * RANK]);
        }
        for chunk in &features {
            x.transpose_times(chunk.clone(), u, &mut xtu[chunk.start * RANK..chunk.end * RANK]);
        }
        black_box((&xv, &xtu));
    })
}

struct Case<'a> {
    name: &'a str,
    gate: Option<f64>,
    bare: Vec<f64>,
    ours: Vec<f64>,
}

impl Case<'_> {
    /// Prints the case; false when it is above its gate.
    fn report(&self) -> bool {
        let (bare, ours) = (median(self.bare.clone()), median(self.ours.clone()));
        let ratio = ours / bare;
        let gate = self.gate.map_or("      –".to_string(), |g| format!("≤ {g:.2}"));
        let passes = self.gate.is_none_or(|gate| ratio <= gate);
        let mark = if passes { "" } else { "  ABOVE THE GATE" };
        println!("{:<44} {bare:>9.2} {ours:>9.2} {ratio:>7.2} {gate:>8}{mark}", self.name);
        passes
    }
}

fn main() -> ExitCode {
    let dense = workloads::dense::<f64>();
    let sparse = workloads::sparse::<f64>();
    let (du, dv) = (workloads::factor(dense.n_samples(), RANK), workloads::factor(dense.n_features(), RANK));
    let (su, sv) =
        (workloads::factor(sparse.n_samples(), RANK), workloads::factor(sparse.n_features(), RANK));
    println!("CPU milliseconds of one thread, k = {RANK}, f64, medians of {ROUNDS} interleaved rounds");
    println!("{:<44} {:>9} {:>9} {:>7} {:>8}", "case", "bare", "iteration", "ratio", "gate");
    let nmf = Model::nmf();
    let mut passes = true;
    for (name, solver, gates) in [
        ("HALS", SolverChoice::Hals, (Some(1.5), Some(2.0))),
        ("MU", SolverChoice::Mu, (None, None)),
        ("Nesterov, 10 steps", SolverChoice::Nesterov, (None, None)),
        ("BPP", SolverChoice::Bpp, (None, None)),
    ] {
        let label = format!("dense 10,000 x 2,000, {name}");
        let mut on_dense = Case { name: &label, gate: gates.0, bare: vec![], ours: vec![] };
        let label = format!("sparse 18,846 x 24,360 (1.3 M), {name}");
        let mut on_sparse = Case { name: &label, gate: gates.1, bare: vec![], ours: vec![] };
        for _ in 0..ROUNDS {
            on_dense.bare.push(bare_dense_ms(&dense, &du, &dv));
            on_dense.ours.push(iteration_ms(&dense, &nmf, solver));
            on_sparse.bare.push(bare_sparse_ms(&sparse, &su, &sv));
            on_sparse.ours.push(iteration_ms(&sparse, &nmf, solver));
        }
        passes &= on_dense.report();
        passes &= on_sparse.report();
    }
    passes &= kl(&sparse, &su, &sv).report();
    passes &= cnmf(&dense).report();
    if passes { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Multiplicative updates for the Kullback–Leibler loss beside the same bare products.
fn kl(sparse: &dyn DataMatrix<f64>, u: &Matrix<f64>, v: &Matrix<f64>) -> Case<'static> {
    let model = Model::nmf().with_loss(Loss::KullbackLeibler).expect("NMF has this loss");
    let mut case = Case { name: "sparse, Kullback-Leibler, MU", gate: None, bare: vec![], ours: vec![] };
    for _ in 0..ROUNDS {
        case.bare.push(bare_sparse_ms(sparse, u, v));
        case.ours.push(iteration_ms(sparse, &model, SolverChoice::Mu));
    }
    case
}

/// CNMF with 20 % of the samples labelled, beside plain NMF on the same data: merged rows must not cost more.
fn cnmf(dense: &dyn DataMatrix<f64>) -> Case<'static> {
    let labels: Vec<i32> =
        (0..dense.n_samples()).map(|i| if i % 5 == 0 { (i / 5 % 20) as i32 } else { -1 }).collect();
    let cnmf = Model::cnmf(Labels::from_integers(&labels).expect("valid labels"));
    let name = "dense, CNMF 20 % labelled / plain NMF, HALS";
    let mut case = Case { name, gate: Some(1.0), bare: vec![], ours: vec![] };
    for _ in 0..ROUNDS {
        case.bare.push(iteration_ms(dense, &Model::nmf(), SolverChoice::Hals));
        case.ours.push(iteration_ms(dense, &cnmf, SolverChoice::Hals));
    }
    case
}
