//! What one iteration of a fit costs beside the bare products it can't do without: the gate of the project's
//! speed. `cargo bench -p partwise --bench iteration` prints CPU times of one thread and their ratios; with
//! `-- --check` it fails above a gate.
//!
//! Everything is measured in one process in interleaved rounds, in CPU time, and compared as a ratio. Bare:
//! the two products with X and the two Grams, by faer for dense data, by the library's own products with X
//! for sparse data; one own product with S for symmetric data.

// Printing its table is what this bench is for.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::ops::ControlFlow;
use std::process::ExitCode;

use cpu_time::ProcessTime;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use partwise::{
    Acceleration, DataMatrix, DenseMatrix, Iteration, Loss, Matrix, Model, Real, Settings, SolverChoice,
    SparseMatrix, StopReason, fit, fit_observed,
};

#[path = "common/measure.rs"]
mod measure;
#[path = "common/workloads.rs"]
mod workloads;

use measure::{Table, iteration_ms};

/// CPU milliseconds of `f`.
fn cpu_ms(f: impl FnOnce()) -> f64 {
    let began = ProcessTime::now();
    f();
    began.elapsed().as_secs_f64() * 1e3
}

/// X·V, Xᵀ·U, UᵀU and VᵀV by faer.
fn bare_dense_ms<T: Real + faer::traits::ComplexField>(
    x: &DenseMatrix<'_, T>,
    u: &Matrix<T>,
    v: &Matrix<T>,
) -> f64 {
    let (n, d, k) = (u.rows(), v.rows(), u.columns());
    let view = |m, rows, columns| MatRef::from_row_major_slice(m, rows, columns);
    let (x, u, v) = (view(x.as_slice(), n, d), view(u.as_slice(), n, k), view(v.as_slice(), d, k));
    let (mut xv, mut xtu, mut gram) = (vec![T::ZERO; n * k], vec![T::ZERO; k * d], vec![T::ZERO; k * k]);
    cpu_ms(|| {
        let (one, replace) = (T::ONE, Accum::Replace);
        matmul(MatMut::from_row_major_slice_mut(&mut xv, n, k), replace, x, v, one, Par::Seq);
        // faer is fastest with the long side of the result contiguous.
        matmul(MatMut::from_row_major_slice_mut(&mut xtu, k, d), replace, u.transpose(), x, one, Par::Seq);
        matmul(MatMut::from_row_major_slice_mut(&mut gram, k, k), replace, u.transpose(), u, one, Par::Seq);
        matmul(MatMut::from_row_major_slice_mut(&mut gram, k, k), replace, v.transpose(), v, one, Par::Seq);
        black_box((&xv, &xtu, &gram));
    })
}

/// The library's own products with X.
fn own_products_ms<T: Real>(x: &dyn DataMatrix<T>, u: &Matrix<T>, v: &Matrix<T>) -> f64 {
    let (samples, features, k) = (x.sample_chunks(), x.feature_chunks(), u.columns());
    let (mut xv, mut xtu) = (vec![T::ZERO; u.rows() * k], vec![T::ZERO; v.rows() * k]);
    cpu_ms(|| {
        for chunk in &samples {
            x.times(chunk.clone(), v, &mut xv[chunk.start * k..chunk.end * k]);
        }
        for chunk in &features {
            x.transpose_times(chunk.clone(), u, &mut xtu[chunk.start * k..chunk.end * k]);
        }
        black_box((&xv, &xtu));
    })
}

fn settings(rank: usize, solver: SolverChoice) -> Settings {
    Settings { solver, acceleration: Acceleration::Off, ..Settings::new(rank) }
}

fn dense_lines<T: Real + faer::traits::ComplexField>(table: &mut Table) {
    let nmf = Model::nmf();
    for ((n, d), k, gate) in
        [((10_000, 2_000), 20, 1.2), ((2_000, 1_024), 40, 1.6), ((10_000, 2_000), 100, 1.5)]
    {
        let x = workloads::dense::<T>(n, d);
        let (u, v) = (workloads::factor(n, k), workloads::factor(d, k));
        let (plain, fast) = (settings(k, SolverChoice::Hals), Settings::new(k));
        let what = format!("{} dense {n} x {d}, k = {k}", T::NAME);
        let bare = || bare_dense_ms(&x, &u, &v);
        table.line(format!("{what}, own products"), None, bare, || own_products_ms(&x, &u, &v));
        table.line(format!("{what}, HALS"), Some(gate), bare, || iteration_ms(&x, &nmf, &plain));
        table.line(format!("{what}, accelerated"), None, bare, || iteration_ms(&x, &nmf, &fast));
    }
}

fn sparse_lines<T: Real>(table: &mut Table) {
    let (x, nmf) = (workloads::sparse::<T>(), Model::nmf());
    let kl = Model::nmf().with_loss(Loss::KullbackLeibler).expect("NMF has this loss");
    for (k, gate) in [(20, 1.8), (50, 2.2)] {
        let (u, v) = (workloads::factor(x.n_samples(), k), workloads::factor(x.n_features(), k));
        let what = format!("{} sparse text (1.3 M), k = {k}", T::NAME);
        let bare = || own_products_ms(&x, &u, &v);
        let with = |solver| settings(k, solver);
        let line = |solver| iteration_ms(&x, &nmf, &with(solver));
        table.line(format!("{what}, HALS"), Some(gate), bare, || line(SolverChoice::Hals));
        table.line(format!("{what}, accelerated"), None, bare, || iteration_ms(&x, &nmf, &Settings::new(k)));
        if k == 20 {
            let mu = with(SolverChoice::Mu);
            // Divisions and logarithms gain less from f32 than the products do.
            let gate = if size_of::<T>() == 4 { 3.0 } else { 2.4 };
            table.line(format!("{what}, KL"), Some(gate), bare, || iteration_ms(&x, &kl, &mu));
            table.line(format!("{what}, MU"), None, bare, || line(SolverChoice::Mu));
            table.line(format!("{what}, Nesterov"), None, bare, || line(SolverChoice::Nesterov));
            // Supports are small systems that no product hides: 12 and 24 on an Intel Xeon, 15 and 26 on an
            // AMD EPYC.
            let gate = if size_of::<T>() == 4 { 34.0 } else { 20.0 };
            table.line(format!("{what}, BPP"), Some(gate), bare, || line(SolverChoice::Bpp));
        }
    }
}

/// X·V by the library's own product.
fn own_product_ms<T: Real>(x: &dyn DataMatrix<T>, v: &Matrix<T>) -> f64 {
    let (samples, k) = (x.sample_chunks(), v.columns());
    let mut xv = vec![T::ZERO; x.n_samples() * k];
    cpu_ms(|| {
        for chunk in &samples {
            x.times(chunk.clone(), v, &mut xv[chunk.start * k..chunk.end * k]);
        }
        black_box(&xv);
    })
}

/// CPU milliseconds of a symmetric fit from its default start until its error is within 0.1 % of what many
/// iterations reach.
fn to_the_minimum_ms<T: Real>(x: &dyn DataMatrix<T>, settings: &Settings, best: f64) -> f64 {
    let settings = Settings { tolerance: 0.0, threads: 1, ..settings.clone() };
    let mut reached = |iteration: &Iteration| match iteration.objective <= 1.002 * best {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    cpu_ms(|| {
        let fit = fit_observed(x, &Model::symnmf(), &settings, &mut reached).expect("a valid problem");
        assert_eq!(fit.stop, StopReason::Observer, "the minimum is reached");
    })
}

/// n × n similarities of k groups: S = HHᵀ of a planted H, and noise in every entry (`dense`), or in few of
/// those where HHᵀ is above 0.
fn similarities(n: usize, k: usize, dense: bool) -> Matrix<f64> {
    let draw =
        |i: usize, j: usize, of: u64| workloads::number(of * 1_000_003 + (i.min(j) * n + i.max(j)) as u64);
    let size = |i: usize| 0.2 + workloads::number(i as u64);
    Matrix::from_fn(n, n, |i, j| {
        let together = i % k == j % k;
        match (together, dense) {
            (true, true) => size(i) * size(j) + 0.3 * draw(i, j, 1),
            (false, true) => 0.3 * draw(i, j, 1),
            (true, false) if draw(i, j, 2) < 0.1 => 0.5 + size(i) * size(j),
            (false, false) if draw(i, j, 3) < 5e-4 => draw(i, j, 4),
            _ => 0.0,
        }
    })
}

/// A symmetric factorization: an iteration is one product with S, and so many of them reach the minimum.
fn symmetric_lines<T: Real>(table: &mut Table) {
    let k = 20;
    let (dense, sparse) = (similarities(2_000, k, true), similarities(5_000, k, false));
    let n = sparse.rows() as u32;
    let stored = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let stored = stored.map(|(i, j)| (i, j, T::from_f64(sparse.get(i as usize, j as usize))));
    let stored: Vec<_> = stored.filter(|(_, _, value)| *value > T::ZERO).collect();
    let sparse = SparseMatrix::from_triplets(n as usize, n as usize, stored).expect("indices in range").0;
    let dense = DenseMatrix::from_matrix(dense.cast::<T>()).expect("a shape that is not empty");
    let cases =
        [("dense 2,000", &dense as &dyn DataMatrix<T>, 1.6, 30.0), ("sparse 5,000", &sparse, 4.5, 75.0)];
    for (kind, x, iteration, minimum) in cases {
        let (model, settings) = (Model::symnmf(), Settings::new(k));
        let v = workloads::factor(x.n_samples(), k);
        let many = Settings { tolerance: 0.0, max_iterations: 150, ..settings.clone() };
        let best = fit(x, &model, &many).expect("a valid problem").objective;
        let (what, bare) = (format!("{} symmetric {kind}, k = {k}", T::NAME), || own_product_ms(x, &v));
        table
            .line(format!("{what}, iteration"), Some(iteration), bare, || iteration_ms(x, &model, &settings));
        table
            .line(format!("{what}, to 0.1 %"), Some(minimum), bare, || to_the_minimum_ms(x, &settings, best));
    }
}

fn main() -> ExitCode {
    let mut table = Table::begin("bare", "ours");
    dense_lines::<f64>(&mut table);
    dense_lines::<f32>(&mut table);
    sparse_lines::<f64>(&mut table);
    sparse_lines::<f32>(&mut table);
    symmetric_lines::<f64>(&mut table);
    symmetric_lines::<f32>(&mut table);
    table.end()
}
