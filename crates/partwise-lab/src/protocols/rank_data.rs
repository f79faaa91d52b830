//! Matrices with a planted number of components, in seven families, and noise without any.
//!
//! ```text
//! gamma       W, H gamma, half of H zero                                       + normal noise
//! overlap     parts whose mean pairwise cosine is 0.5 to 0.8                   + normal noise
//! weak        as gamma, one part with 3 % of the energy                        + normal noise
//! negbin      counts of size 5: variance μ + μ²/5                              mean 20, 6, 1
//! text        Zipf words, Dirichlet topics, words per document                 200, 80, 30
//! signatures  COSMIC's signatures, k 3, 5, 8, 11, 50 to 200 genomes, Poisson   0, 5, 10 % uniform
//! cells       identity and activity programs, 5 % doublets, Poisson            counts per gene 2, 0.7, 0.25
//! counts      as gamma, Poisson                                                mean 20, 6, 1
//! noise       no component: uniform, |normal|, exponential, Poisson, size-5 counts of equal mean
//! ```
//!
//! Normal noise has 10, 25 or 50 % of the root mean square of W·H; entries below 0 become 0. The noise levels
//! are 1, 2 and 3, 2 is the middle one. `counts` is beside the seven: how far counts of mean 1 carry.

use anyhow::{Context, Result, bail};
use partwise::{DenseMatrix, Matrix};

use partwise::internals::Generator;

use super::Library;
use crate::draw::{below, generator, shuffled, uniform};

/// The families, as cases name them.
pub(super) const FAMILIES: [&str; 7] = ["gamma", "overlap", "weak", "negbin", "text", "signatures", "cells"];
/// Beside the families.
pub(super) const COUNTS: &str = "counts";
pub(super) const NOISE: &str = "noise";
/// The data set of the signatures.
pub(super) const SIGNATURES: &str = "brca21-mutations/signatures";

/// (samples, features, k) of small draws, in turn.
const SMALL: [(usize, usize, usize); 10] = [
    (60, 40, 2),
    (100, 60, 3),
    (100, 60, 5),
    (200, 80, 8),
    (60, 40, 1),
    (150, 100, 3),
    (200, 100, 5),
    (100, 60, 2),
    (300, 150, 8),
    (200, 80, 1),
];
/// The same of large ones.
const LARGE: [(usize, usize, usize); 5] =
    [(500, 300, 8), (1000, 500, 12), (2000, 1000, 20), (5000, 2000, 12), (1000, 500, 5)];

/// A matrix, and the number of components that it was made of.
pub(super) struct Planted {
    pub(super) data: DenseMatrix<'static, f64>,
    pub(super) k: usize,
    /// The part that has most of each sample, and the fraction of the sample that it has; where they are
    /// asked for.
    pub(super) main: Vec<(usize, f64)>,
}

/// The matrix of a family at a noise level; `seed` decides everything, `turn` the size and k.
pub(super) fn planted(
    family: &str,
    level: usize,
    (turn, large): (u64, bool),
    seed: u64,
    library: &dyn Library,
) -> Result<Planted> {
    let sizes: &[_] = if large { &LARGE } else { &SMALL };
    let (n, d, k) = sizes[turn as usize % sizes.len()];
    let mut random = Random { generator: generator(seed, 77), main: Vec::new() };
    let at = |levels: [f64; 3]| levels[level.clamp(1, 3) - 1];
    let (normal, counts) = (at([0.1, 0.25, 0.5]), at([20.0, 6.0, 1.0]));
    let matrix = match family {
        "gamma" => {
            let product = random.gamma_product(n, d, k);
            random.with_normal(product, normal)
        }
        "overlap" => {
            let product = random.overlapping_product(n, d, k);
            random.with_normal(product, normal)
        }
        "weak" => {
            let product = random.weak_product(n, d, k);
            random.with_normal(product, normal)
        }
        "negbin" => {
            let product = random.gamma_product(n, d, k);
            random.counts(scaled(product, counts), Some(5.0))
        }
        COUNTS => {
            let product = random.gamma_product(n, d, k);
            random.counts(scaled(product, counts), None)
        }
        "text" => {
            let (n, d) = (2 * n, 4 * d);
            let product = random.text_means(n, d, k, at([200.0, 80.0, 30.0]));
            random.counts(product, None)
        }
        "signatures" => {
            let k = [3, 5, 8, 11][turn as usize % 4];
            let n = if large { 200 } else { [50, 100, 150, 200][(turn / 2) as usize % 4] };
            let known = library.data_set(SIGNATURES)?.dense()?;
            let product = random.mutation_means(&known, n, k, at([0.0, 0.05, 0.1]))?;
            return Ok(Planted { data: random.counts(product, None), k, main: Vec::new() });
        }
        "cells" => {
            let (n, d) = (2 * n, 4 * d);
            let product = random.cell_means(n, d, k, at([2.0, 0.7, 0.25]));
            random.counts(product, None)
        }
        NOISE => return Ok(Planted { data: random.noise(turn, n, d)?, k: 0, main: Vec::new() }),
        _ => bail!("rank has no family \"{family}\""),
    };
    Ok(Planted { data: matrix, k, main: random.main })
}

/// With this mean.
fn scaled(product: Matrix<f64>, mean: f64) -> Matrix<f64> {
    let all = product.as_slice();
    let by = mean * all.len() as f64 / all.iter().sum::<f64>();
    Matrix::from_fn(product.rows(), product.columns(), |i, j| by * product.get(i, j))
}

/// W·H.
fn product(codes: &Matrix<f64>, parts: &Matrix<f64>) -> Matrix<f64> {
    Matrix::from_fn(codes.rows(), parts.columns(), |i, j| {
        (0..parts.rows()).map(|c| codes.get(i, c) * parts.get(c, j)).sum()
    })
}

fn dense(matrix: Matrix<f64>) -> DenseMatrix<'static, f64> {
    DenseMatrix::from_matrix(matrix).expect("it has rows and columns")
}

/// Distributions.
struct Random {
    generator: Generator,
    /// Of the last product of gamma codes.
    main: Vec<(usize, f64)>,
}

impl Random {
    fn uniform(&mut self) -> f64 {
        uniform(&mut self.generator).max(1e-300)
    }

    fn normal(&mut self) -> f64 {
        let (radius, angle) = (self.uniform(), self.uniform());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }

    /// Of mean `shape`, by Marsaglia & Tsang.
    fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            let power = self.uniform().powf(1.0 / shape);
            return self.gamma(shape + 1.0) * power;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && self.uniform().ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }

    fn poisson(&mut self, mean: f64) -> f64 {
        if mean > 60.0 {
            // A Poisson number is one of two halves.
            return self.poisson(mean / 2.0) + self.poisson(mean / 2.0);
        }
        let (mut count, mut left) = (0.0, self.uniform());
        let limit = (-mean).exp();
        while left > limit {
            count += 1.0;
            left *= self.uniform();
        }
        count
    }

    fn gammas(&mut self, rows: usize, columns: usize, shape: f64) -> Matrix<f64> {
        Matrix::from_fn(rows, columns, |_, _| self.gamma(shape))
    }

    /// Gamma numbers that sum to 1.
    fn dirichlet(&mut self, shapes: &[f64]) -> Vec<f64> {
        let draws: Vec<f64> = shapes.iter().map(|shape| self.gamma(*shape)).collect();
        let sum: f64 = draws.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        draws.iter().map(|x| x / sum).collect()
    }

    /// Gamma parts, half of whose entries are 0.
    fn sparse_parts(&mut self, k: usize, d: usize) -> Matrix<f64> {
        Matrix::from_fn(k, d, |_, _| if self.uniform() < 0.5 { 0.0 } else { self.gamma(1.0) })
    }

    fn gamma_product(&mut self, n: usize, d: usize, k: usize) -> Matrix<f64> {
        let (codes, parts) = (self.gammas(n, k, 0.5), self.sparse_parts(k, d));
        let sizes: Vec<f64> = (0..k).map(|c| parts.row(c).iter().sum()).collect();
        let main = |i: usize| {
            let masses: Vec<f64> = (0..k).map(|c| codes.get(i, c) * sizes[c]).collect();
            let largest = (0..k).max_by(|a, b| masses[*a].total_cmp(&masses[*b])).unwrap_or(0);
            (largest, masses[largest] / masses.iter().sum::<f64>())
        };
        self.main = (0..n).map(main).collect();
        product(&codes, &parts)
    }

    /// Parts with a common profile, so large that their mean pairwise cosine is what was drawn.
    fn overlapping_product(&mut self, n: usize, d: usize, k: usize) -> Matrix<f64> {
        let wanted = 0.5 + 0.3 * self.uniform();
        let own = self.sparse_parts(k, d);
        let common: Vec<f64> = (0..d).map(|_| self.gamma(1.0)).collect();
        let parts =
            |share: f64| Matrix::from_fn(k, d, |c, j| share * common[j] + (1.0 - share) * own.get(c, j));
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            if mean_cosine(&parts(middle)) < wanted { low = middle } else { high = middle }
        }
        product(&self.gammas(n, k, 0.5), &parts(low))
    }

    /// As gamma, with one part scaled to 3 % of the energy of the product.
    fn weak_product(&mut self, n: usize, d: usize, k: usize) -> Matrix<f64> {
        let (mut codes, parts) = (self.gammas(n, k, 0.5), self.sparse_parts(k, d));
        if k > 1 {
            let energy = |m: &Matrix<f64>| m.as_slice().iter().map(|x| x * x).sum::<f64>();
            let weak = Matrix::from_fn(n, d, |i, j| codes.get(i, 0) * parts.get(0, j));
            let rest = product(
                &Matrix::from_fn(n, k - 1, |i, c| codes.get(i, c + 1)),
                &Matrix::from_fn(k - 1, d, |c, j| parts.get(c + 1, j)),
            );
            let by = (0.03 / 0.97 * energy(&rest) / energy(&weak)).sqrt();
            (0..n).for_each(|i| codes.set(i, 0, by * codes.get(i, 0)));
        }
        product(&codes, &parts)
    }

    fn with_normal(&mut self, product: Matrix<f64>, level: f64) -> DenseMatrix<'static, f64> {
        let all = product.as_slice();
        let size = (all.iter().map(|x| x * x).sum::<f64>() / all.len() as f64).sqrt();
        dense(Matrix::from_fn(product.rows(), product.columns(), |i, j| {
            (product.get(i, j) + level * size * self.normal()).max(0.0)
        }))
    }

    /// Counts with these means, of negative binomial size `size` or Poisson. Empty rows and columns get one
    /// count.
    fn counts(&mut self, means: Matrix<f64>, size: Option<f64>) -> DenseMatrix<'static, f64> {
        dense(Matrix::from_fn(means.rows(), means.columns(), |i, j| {
            let mean = means.get(i, j);
            let rate = size.map_or(mean, |size| mean * self.gamma(size) / size);
            self.poisson(rate)
        }))
    }

    /// Documents: words by Zipf's law, topics that favour some of them, a few topics per document.
    fn text_means(&mut self, n: usize, d: usize, k: usize, words: f64) -> Matrix<f64> {
        let order = {
            let seed = below(&mut self.generator, 1 << 30) as u64;
            shuffled(d, seed)
        };
        let sum: f64 = (1..=d).map(|rank| 1.0 / rank as f64).sum();
        let zipf: Vec<f64> = order.iter().map(|rank| 1.0 / ((rank + 1) as f64 * sum)).collect();
        let shapes: Vec<f64> = zipf.iter().map(|p| 0.15 * p * d as f64).collect();
        let mut topics = Matrix::zeros(k, d);
        for c in 0..k {
            topics.row_mut(c).copy_from_slice(&self.dirichlet(&shapes));
        }
        let mut codes = Matrix::zeros(n, k);
        for i in 0..n {
            let length = words * (0.5 * self.normal()).exp();
            let shares = self.dirichlet(&vec![0.2; k]);
            codes.row_mut(i).iter_mut().zip(&shares).for_each(|(code, share)| *code = length * share);
        }
        product(&codes, &topics)
    }

    /// Genomes of some 300 to 3,000 mutations by k of the known signatures, a fraction of them anywhere.
    fn mutation_means(
        &mut self,
        known: &DenseMatrix<'_, f64>,
        n: usize,
        k: usize,
        anywhere: f64,
    ) -> Result<Matrix<f64>> {
        let signatures = known.as_slice();
        let d = 96;
        let count = signatures.len() / d;
        let order = shuffled(count, below(&mut self.generator, 1 << 30) as u64);
        let chosen = order.get(..k).context("more signatures than are known")?;
        let mut codes = Matrix::zeros(n, k);
        for i in 0..n {
            let total = 1000.0 * (0.6 * self.normal()).exp();
            // Each genome has some of the signatures.
            let active: Vec<f64> =
                (0..k).map(|_| if self.uniform() < 0.6 { self.gamma(1.0) } else { 1e-9 }).collect();
            let sum: f64 = active.iter().sum();
            codes.row_mut(i).iter_mut().zip(&active).for_each(|(code, a)| *code = total * a / sum);
        }
        Ok(Matrix::from_fn(n, d, |i, j| {
            let by: f64 =
                chosen.iter().enumerate().map(|(c, s)| codes.get(i, c) * signatures[s * d + j]).sum();
            let total: f64 = codes.row(i).iter().sum();
            (1.0 - anywhere) * by + anywhere * total / d as f64
        }))
    }

    /// Cells: one identity program each, activity programs in some of them, 5 % doublets.
    fn cell_means(&mut self, n: usize, d: usize, k: usize, depth: f64) -> Matrix<f64> {
        let identities = if k < 3 { k } else { k - k / 3 };
        let genes: Vec<f64> = (0..d).map(|_| (1.0 * self.normal()).exp()).collect();
        let programs = Matrix::from_fn(k, d, |_, j| {
            let change =
                if self.uniform() < 0.2 { 1.5 * self.normal().abs() + 0.5 } else { 0.2 * self.normal() };
            genes[j] * change.exp()
        });
        let mut codes = Matrix::<f64>::zeros(n, k);
        for i in 0..n {
            let cells = if self.uniform() < 0.05 { 2 } else { 1 };
            for _ in 0..cells {
                let own = below(&mut self.generator, identities);
                codes.set(i, own, codes.get(i, own) + 1.0);
            }
            for c in identities..k {
                if self.uniform() < 0.3 {
                    codes.set(i, c, 0.3 + 0.7 * self.uniform());
                }
            }
            let size = (0.3 * self.normal()).exp();
            codes.row_mut(i).iter_mut().for_each(|code| *code *= size);
        }
        scaled(product(&codes, &programs), depth)
    }

    /// Entries of one distribution, in turn of six.
    fn noise(&mut self, turn: u64, n: usize, d: usize) -> Result<DenseMatrix<'static, f64>> {
        let equal = |mean: f64| Matrix::from_fn(n, d, |_, _| mean);
        Ok(match turn % 6 {
            0 => dense(Matrix::from_fn(n, d, |_, _| self.uniform())),
            1 => dense(Matrix::from_fn(n, d, |_, _| self.normal().abs())),
            2 => dense(self.gammas(n, d, 1.0)),
            3 => self.counts(equal(1.0), None),
            4 => self.counts(equal(6.0), None),
            _ => self.counts(equal(6.0), Some(5.0)),
        })
    }
}

fn mean_cosine(parts: &Matrix<f64>) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let k = parts.rows();
    let (mut sum, mut count) = (0.0, 0.0);
    for a in 0..k {
        for b in 0..a {
            let (x, y) = (parts.row(a), parts.row(b));
            sum += dot(x, y) / (dot(x, x) * dot(y, y)).sqrt();
            count += 1.0;
        }
    }
    // One part has no pair.
    if count > 0.0 { sum / count } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::DataSet;
    use std::sync::Arc;

    /// Ten signatures of 96 types.
    struct Signatures;

    impl Library for Signatures {
        fn data_set(&self, _: &str) -> Result<Arc<DataSet>> {
            let mut random = Random { generator: generator(1, 0), main: Vec::new() };
            let values = random.gammas(12, 96, 0.3).as_slice().to_vec();
            let indices = (0..12).flat_map(|_| 0..96).collect();
            let indptr = (0..=12).map(|i| 96 * i).collect();
            Ok(Arc::new(DataSet { n_features: 96, indptr, indices, values, ..DataSet::default() }))
        }
    }

    #[test]
    fn every_family_gives_its_own_matrix_for_each_seed() {
        for family in FAMILIES.iter().chain([&COUNTS, &NOISE]) {
            let make = |seed| planted(family, 2, (1, false), seed, &Signatures).unwrap();
            let (first, again, other) = (make(5), make(5), make(6));
            assert_eq!(first.data.as_slice(), again.data.as_slice(), "{family}");
            assert_ne!(first.data.as_slice(), other.data.as_slice(), "{family}");
            assert!(first.data.as_slice().iter().all(|x| *x >= 0.0 && x.is_finite()), "{family}");
            assert_eq!(first.k == 0, *family == NOISE);
            let counts = ["negbin", "text", "signatures", "cells", COUNTS].contains(family);
            assert!(!counts || first.data.as_slice().iter().all(|x| x.fract() == 0.0), "{family}");
        }
    }

    #[test]
    fn parts_overlap_and_are_weak_as_they_should() {
        let mut random = Random { generator: generator(3, 0), main: Vec::new() };
        let same = Matrix::from_fn(3, 4, |_, j| (j + 1) as f64);
        assert!((mean_cosine(&same) - 1.0).abs() < 1e-12);
        let gamma = random.gamma_product(30, 20, 3);
        assert_eq!((gamma.shape(), random.main.len()), ((30, 20), 30));
        assert!(random.main.iter().all(|(part, share)| *part < 3 && *share > 1.0 / 3.0 - 1e-9));
        let means = scaled(gamma, 6.0);
        assert!((means.as_slice().iter().sum::<f64>() / 600.0 - 6.0).abs() < 1e-9);
        let many: f64 = (0..2000).map(|_| random.poisson(200.0)).sum::<f64>() / 2000.0;
        assert!((many - 200.0).abs() < 2.0, "{many}");
    }
}
