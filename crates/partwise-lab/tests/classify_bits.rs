//! Promise: a change of structure changes no bit of the classes, posteriors and scores that come of a few
//! labels: they hash to the numbers in `classify_bits/<instructions>.txt`.
//!
//! A change that is meant to alter results writes the file anew with `PARTWISE_WRITE_BITS=1` and says in the
//! changelog what differs. Sums are ordered by the vector instructions of the machine, so there is one file
//! for each kind; a machine of another kind compares nothing and says so.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]
// Saying what was left out is the purpose of the one line.
#![allow(clippy::print_stdout)]

use std::fmt::Write as _;
use std::path::PathBuf;

use partwise::{DataMatrix, DenseMatrix, Labels, Matrix, Real, SparseMatrix};
use partwise_classify::{Classification, ClassifySettings, classify, spherical_k_means};
use partwise_io::digits;

/// The vector instructions that decide in which order numbers are added.
fn instructions() -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        if std::is_x86_feature_detected!("avx512f") {
            return Some("avx512");
        }
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            return Some("avx2");
        }
    }
    None
}

/// FNV-1a over the bits of numbers.
fn hash(numbers: impl IntoIterator<Item = f64>) -> u64 {
    let bytes = numbers.into_iter().flat_map(|number| number.to_bits().to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A number from 0 to 1 for each pair.
fn number(stream: usize, i: usize) -> f64 {
    let mut x = (stream as u64) << 32 | i as u64;
    for _ in 0..3 {
        x = (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    }
    (x >> 11) as f64 / (1u64 << 53) as f64
}

/// Data, the class of each sample.
struct Example {
    name: &'static str,
    x: Matrix<f64>,
    classes: Vec<usize>,
    iterations: usize,
}

/// Every sixth of the embedded digits.
fn embedded_digits() -> Example {
    let all = digits();
    let rows: Vec<usize> = (0..all.n_samples()).step_by(6).collect();
    Example {
        name: "digits",
        x: Matrix::from_fn(rows.len(), 64, |i, j| all.images[rows[i] * 64 + j]),
        classes: rows.iter().map(|i| all.labels[*i] as usize).collect(),
        iterations: 15,
    }
}

/// Three classes of two kinds each, as noisy directions; a few rows are repeated.
fn directions() -> Example {
    let (n, d) = (90, 20);
    let x = Matrix::from_fn(n, d, |i, j| {
        let i = if (50..60).contains(&i) { 50 + i % 3 } else { i };
        let kind = 2 * (i % 3) + (i / 3) % 2;
        let signal = if j / 3 == kind { 2.0 + number(5, j) } else { 0.0 };
        let noise = number(7, i * d + j);
        signal + if noise < 0.4 { 0.0 } else { noise }
    });
    Example { name: "directions", x, classes: (0..n).map(|i| i % 3).collect(), iterations: 10 }
}

/// Four classes of forty short texts: a few of the class's forty words among as many of everyone's.
fn counts() -> Example {
    let (classes, each, own, common) = (4, 40, 40, 30);
    let (n, d) = (classes * each, classes * own + common);
    let mut x = Matrix::zeros(n, d);
    for i in 0..n {
        for t in 0..6 {
            x.row_mut(i)[(i % classes) * own + (number(61 + t, i) * own as f64) as usize] += 1.0;
            x.row_mut(i)[classes * own + (number(71 + t, i) * common as f64) as usize] += 1.0;
        }
    }
    Example { name: "counts", x, classes: (0..n).map(|i| i % classes).collect(), iterations: 10 }
}

impl Example {
    /// The first `counts[c % counts.len()]` labels of each class.
    fn labels(&self, counts: &[usize]) -> Labels {
        let mut seen = vec![0; self.classes.iter().max().unwrap() + 1];
        let given: Vec<i32> = self
            .classes
            .iter()
            .map(|class| {
                seen[*class] += 1;
                if seen[*class] <= counts[*class % counts.len()] { *class as i32 } else { -1 }
            })
            .collect();
        Labels::from_integers(&given).unwrap()
    }

    fn dense<T: Real>(&self) -> DenseMatrix<'static, T> {
        DenseMatrix::from_matrix(self.x.cast()).unwrap()
    }

    fn sparse<T: Real>(&self) -> SparseMatrix<'static, T> {
        let (n, d) = self.x.shape();
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..n {
            for (j, value) in self.x.row(i).iter().enumerate().filter(|(_, value)| **value != 0.0) {
                indices.push(j as u32);
                values.push(T::from_f64(*value));
            }
            starts.push(indices.len());
        }
        SparseMatrix::new(n, d, starts, indices, values).unwrap()
    }
}

/// Classes; posteriors; what was tried and how it did.
fn hashes(found: &Classification) -> [u64; 3] {
    let judged = |score: Option<f64>, agreement: Option<f64>, weight: f64| {
        [score.unwrap_or(-1.0), agreement.unwrap_or(-2.0), weight]
    };
    let candidates = found.candidates.iter().flat_map(|c| {
        let [score, agreement, weight] = judged(c.score, c.agreement, c.weight);
        [c.share, score, agreement, weight]
    });
    let base_classifiers = found.base_classifiers.iter().flat_map(|r| judged(r.score, r.agreement, r.weight));
    let refinements = found.refinements.iter().flat_map(|r| judged(r.score, r.agreement, r.weight));
    let counts = [found.folds as f64, found.held_out as f64, found.notices.len() as f64];
    let scores =
        candidates.chain(base_classifiers).chain(refinements).chain(found.class_sizes.clone()).chain(counts);
    [
        hash(found.classes.iter().map(|class| *class as f64)),
        hash(found.posteriors.as_slice().iter().copied()),
        hash(scores),
    ]
}

fn line<T: Real>(example: &Example, kind: &str, counts: &[usize], data: &dyn DataMatrix<T>) -> String {
    let labels = example.labels(counts);
    let settings =
        ClassifySettings { iterations: example.iterations, threads: 1, ..ClassifySettings::default() };
    let [classes, posteriors, scores] = hashes(&classify(data, &labels, &settings).unwrap());
    let clusters = hash(spherical_k_means(data, &labels).unwrap().into_iter().map(|class| class as f64));
    format!(
        "{} | {kind} {} | labels {counts:?} | {classes:016x} {posteriors:016x} {scores:016x} {clusters:016x}",
        example.name,
        T::NAME
    )
}

fn lines() -> String {
    let mut out = String::new();
    for example in [embedded_digits(), directions(), counts()] {
        for counts in [&[1][..], &[2], &[5], &[4, 2, 1]] {
            writeln!(out, "{}", line(&example, "dense", counts, &example.dense::<f64>())).unwrap();
            writeln!(out, "{}", line(&example, "dense", counts, &example.dense::<f32>())).unwrap();
            writeln!(out, "{}", line(&example, "sparse", counts, &example.sparse::<f64>())).unwrap();
            writeln!(out, "{}", line(&example, "sparse", counts, &example.sparse::<f32>())).unwrap();
        }
    }
    out
}

#[test]
fn classes_posteriors_and_scores_have_the_bits_that_they_had() {
    let Some(instructions) = instructions() else {
        println!("left out: no bits are kept for the vector instructions of this machine");
        return;
    };
    let file =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/classify_bits/{instructions}.txt"));
    let found = lines();
    if std::env::var_os("PARTWISE_WRITE_BITS").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, &found).unwrap();
    }
    let Ok(kept) = std::fs::read_to_string(&file) else {
        println!("left out: there is no {}", file.display());
        return;
    };
    let differ: Vec<&str> = found.lines().filter(|line| !kept.lines().any(|kept| kept == *line)).collect();
    assert!(
        differ.is_empty() && kept.lines().count() == found.lines().count(),
        "{} of {} lines differ, the first:\n{}",
        differ.len(),
        found.lines().count(),
        differ.first().unwrap_or(&"(lines are missing)")
    );
}
