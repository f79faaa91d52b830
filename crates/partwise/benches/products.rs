//! The products of one iteration, on one thread: dense data of 10,000 × 2,000, and sparse data of the shape
//! of 20 Newsgroups. `cargo bench -p partwise --bench products`.

use std::hint::black_box;

use divan::Bencher;
use partwise::{DataMatrix, Real};

#[path = "common/workloads.rs"]
mod workloads;

use workloads::{dense, factor, sparse};

fn main() {
    divan::main();
}

fn bench_times<T: Real>(bencher: Bencher<'_, '_>, data: &dyn DataMatrix<T>, k: usize) {
    let (v, mut out) = (factor(data.n_features(), k), vec![T::ZERO; data.n_samples() * k]);
    let chunks = data.sample_chunks();
    bencher.bench_local(|| {
        for chunk in &chunks {
            data.times(chunk.clone(), black_box(&v), &mut out[chunk.start * k..chunk.end * k]);
        }
    });
}

fn bench_transpose_times<T: Real>(bencher: Bencher<'_, '_>, data: &dyn DataMatrix<T>, k: usize) {
    let (u, mut out) = (factor(data.n_samples(), k), vec![T::ZERO; data.n_features() * k]);
    let chunks = data.feature_chunks();
    bencher.bench_local(|| {
        for chunk in &chunks {
            data.transpose_times(chunk.clone(), black_box(&u), &mut out[chunk.start * k..chunk.end * k]);
        }
    });
}

fn bench_ratio_times<T: Real>(bencher: Bencher<'_, '_>, data: &dyn DataMatrix<T>, k: usize) {
    let (u, v) = (factor(data.n_samples(), k), factor(data.n_features(), k));
    let mut out = vec![T::ZERO; data.n_samples() * k];
    let chunks = data.sample_chunks();
    bencher.bench_local(|| {
        let mut sum = 0.0;
        for chunk in &chunks {
            let part = &mut out[chunk.start * k..chunk.end * k];
            sum += data.ratio_times(chunk.clone(), black_box(&u), black_box(&v), part);
        }
        sum
    });
}

#[divan::bench(types = [f64, f32], args = [20], sample_count = 10)]
fn dense_times<T: Real>(bencher: Bencher<'_, '_>, k: usize) {
    bench_times::<T>(bencher, &dense::<T>(10_000, 2_000), k);
}

#[divan::bench(types = [f64, f32], args = [20], sample_count = 10)]
fn dense_transpose_times<T: Real>(bencher: Bencher<'_, '_>, k: usize) {
    bench_transpose_times::<T>(bencher, &dense::<T>(10_000, 2_000), k);
}

#[divan::bench(types = [f64, f32], args = [20], sample_count = 3)]
fn dense_ratio_times<T: Real>(bencher: Bencher<'_, '_>, k: usize) {
    bench_ratio_times::<T>(bencher, &dense::<T>(10_000, 2_000), k);
}

#[divan::bench(types = [f64, f32], args = [20, 100], sample_count = 10)]
fn gram<T: Real>(bencher: Bencher<'_, '_>, k: usize) {
    let v = factor::<T>(10_000, k);
    bencher.bench_local(|| black_box(&v).gram());
}

#[divan::bench(types = [f64, f32], args = [10, 20, 50, 100], sample_count = 10)]
fn sparse_times<T: Real>(bencher: Bencher<'_, '_>, k: usize) {
    bench_times::<T>(bencher, &sparse::<T>(), k);
}

#[divan::bench(types = [f64, f32], args = [10, 20, 50, 100], sample_count = 10)]
fn sparse_transpose_times<T: Real>(bencher: Bencher<'_, '_>, k: usize) {
    bench_transpose_times::<T>(bencher, &sparse::<T>(), k);
}

#[divan::bench(types = [f64, f32], args = [20, 50, 100], sample_count = 5)]
fn sparse_ratio_times<T: Real>(bencher: Bencher<'_, '_>, k: usize) {
    bench_ratio_times::<T>(bencher, &sparse::<T>(), k);
}

/// What [`sparse_times`] is measured against: one entry after the other, sums in the output.
#[divan::bench(types = [f64, f32], args = [20], sample_count = 5)]
fn sparse_times_naive<T: Real>(bencher: Bencher<'_, '_>, k: usize) {
    let data = sparse::<T>();
    let (v, mut out) = (factor::<T>(data.n_features(), k), vec![T::ZERO; data.n_samples() * k]);
    bencher.bench_local(|| {
        let v = black_box(&v);
        out.fill(T::ZERO);
        for (i, out) in out.chunks_exact_mut(k).enumerate() {
            let (indices, values) = data.row(i);
            for (j, x) in indices.iter().zip(values) {
                for (out, v) in out.iter_mut().zip(v.row(*j as usize)) {
                    *out += *x * *v;
                }
            }
        }
    });
}
