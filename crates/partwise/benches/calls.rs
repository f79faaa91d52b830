//! What whole calls cost beside their arithmetic: start and end of a fit of sparse data in units of one
//! iteration, a tiny fit and one new row beside the products that they can't do without. `cargo bench -p
//! partwise --bench calls` prints CPU times of one thread and their ratios; with `-- --check` it fails above
//! a gate.

// Printing its table is what this bench is for.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::process::ExitCode;

use cpu_time::ProcessTime;
use partwise::{
    DataMatrix, DenseMatrix, Fit, Loss, Matrix, Model, Real, Settings, SolverChoice, SparseMatrix, fit,
};

#[path = "common/measure.rs"]
mod measure;
#[path = "common/workloads.rs"]
mod workloads;

use measure::{Table, iteration_ms};

/// CPU milliseconds of `f`, the mean of `count` times.
fn cpu_ms(count: usize, mut f: impl FnMut()) -> f64 {
    let began = ProcessTime::now();
    (0..count).for_each(|_| f());
    began.elapsed().as_secs_f64() * 1e3 / count as f64
}

/// The arrays of CSR.
fn arrays<T: Real>(x: &SparseMatrix<'_, T>) -> (Vec<usize>, Vec<u32>, Vec<T>) {
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..x.n_samples() {
        let (row, of_row) = x.row(i);
        indices.extend_from_slice(row);
        values.extend_from_slice(of_row);
        offsets.push(indices.len());
    }
    (offsets, indices, values)
}

/// All but the iterations of a fit: checks and sums of the data, their transpose, the start, the exact
/// objective and gradient.
fn start_and_end<T: Real>(table: &mut Table) {
    let x = workloads::sparse::<T>();
    let (offsets, indices, values) = arrays(&x);
    let settings = Settings { threads: 1, tolerance: 0.0, max_iterations: 1, ..Settings::new(20) };
    let kl = Model::nmf().with_loss(Loss::KullbackLeibler).expect("NMF has this loss");
    // Small numbers make the iterations cheaper, but not the checks and the start.
    let gate = if size_of::<T>() == 4 { 6.0 } else { 5.5 };
    for (what, model, gate) in [("", Model::nmf(), gate), (", KL", kl, 6.5)] {
        let whole = || {
            cpu_ms(1, || {
                let (n, d) = (x.n_samples(), x.n_features());
                let fresh = SparseMatrix::new(n, d, &offsets[..], &indices[..], &values[..]);
                black_box(
                    fit(&fresh.expect("rows of a matrix"), &model, &settings).expect("a valid problem"),
                );
            })
        };
        let name = format!("{} sparse text (1.3 M), k = 20{what}, one iteration in all", T::NAME);
        table.line(name, Some(gate), || iteration_ms(&x, &model, &settings), whole);
    }
}

/// X·V and Xᵀ·U by the library's own products.
fn products<T: Real>(x: &dyn DataMatrix<T>, u: &Matrix<T>, v: &Matrix<T>) {
    let (mut xv, mut xtu) = (vec![T::ZERO; u.as_slice().len()], vec![T::ZERO; v.as_slice().len()]);
    x.times(0..x.n_samples(), v, &mut xv);
    x.transpose_times(0..x.n_features(), u, &mut xtu);
    black_box((xv, xtu));
}

fn tiny<T: Real>(table: &mut Table) {
    let (n, d, k, iterations) = (100, 50, 5, 100);
    let x = workloads::dense::<T>(n, d);
    let (u, v) = (workloads::factor(n, k), workloads::factor(d, k));
    let settings = Settings { threads: 1, tolerance: 0.0, max_iterations: iterations, ..Settings::new(k) };
    let fitted = || fit(&x, &Model::nmf(), &settings).expect("a valid problem");
    let bare = || cpu_ms(20, || (0..iterations).for_each(|_| products(&x, &u, &v)));
    let ours = || cpu_ms(20, || drop(black_box(fitted())));
    table.line(format!("{} fit {n} x {d}, k = {k}, {iterations} iterations", T::NAME), Some(7.5), bare, ours);
    one_row(table, &x, &fitted());
}

fn one_row<T: Real>(table: &mut Table, x: &DenseMatrix<'_, T>, fitted: &Fit<T>) {
    let (d, k) = (x.n_features(), fitted.components.rows());
    let (u, v) = (workloads::factor(1, k), workloads::factor(d, k));
    let row = DenseMatrix::borrowed(1, d, &x.as_slice()[..d]).expect("a row");
    let settings = Settings {
        threads: 1,
        solver: SolverChoice::Bpp,
        max_iterations: 1,
        tolerance: 0.0,
        ..Settings::new(k)
    };
    let ours = || {
        cpu_ms(200, || {
            let row = DenseMatrix::borrowed(1, d, row.as_slice()).expect("a row");
            black_box(fitted.transform(&row, &settings).expect("a valid row"));
        })
    };
    let bare = || cpu_ms(200, || (0..100).for_each(|_| products(&row, &u, &v)));
    let name = format!("{} transform of one row, beside 100 times its products", T::NAME);
    table.line(name, Some(3.5), bare, ours);
}

fn main() -> ExitCode {
    let mut table = Table::begin("bare", "ours");
    start_and_end::<f64>(&mut table);
    start_and_end::<f32>(&mut table);
    tiny::<f64>(&mut table);
    tiny::<f32>(&mut table);
    table.end()
}
