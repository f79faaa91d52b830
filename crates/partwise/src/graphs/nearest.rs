//! The nearest neighbours of every sample, exactly, by products of blocks of rows.

use crate::data::DataMatrix;
use crate::foundation::{Error, Real, Result, interrupt};
use crate::kernels::simd::{Kernel, dispatch};

/// Samples whose products with all others are computed together.
const BLOCK: usize = 64;

/// What makes samples near.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Closeness {
    /// The Euclidean distance ‖x − y‖. Equal rows have distance 0 exactly.
    #[default]
    Euclidean,
    /// 1 − x·y/(‖x‖‖y‖); a row of zeros has distance 1 to every other row. Computed from the product, so
    /// proportional rows may have a distance of some 1e-16.
    Cosine,
}

/// The k nearest neighbours of n samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbours {
    k: usize,
    samples: Vec<u32>,
    distances: Vec<f64>,
}

impl Neighbours {
    /// k.
    pub fn k(&self) -> usize {
        self.k
    }

    /// n.
    pub fn n_samples(&self) -> usize {
        self.samples.len() / self.k
    }

    /// The neighbours of sample `i` (k), the nearest first.
    ///
    /// # Panics
    /// When `i` is out of range.
    pub fn of(&self, i: usize) -> &[u32] {
        &self.samples[i * self.k..(i + 1) * self.k]
    }

    /// The distances of sample `i` to its neighbours (k), ascending.
    ///
    /// # Panics
    /// When `i` is out of range.
    pub fn distances(&self, i: usize) -> &[f64] {
        &self.distances[i * self.k..(i + 1) * self.k]
    }
}

/// The `k` nearest other samples of each sample of `data` (n × d), ties to the lower number. Time n²d for
/// dense data, the sum of the squared numbers of entries of the columns for sparse data, on the calling
/// thread; memory 64·n numbers.
///
/// # Errors
/// [`Error::OutOfRange`] when k is 0 or not below n; [`Error::NotFinite`] for such data.
pub fn nearest_neighbours<T: Real>(
    data: &dyn DataMatrix<T>,
    k: usize,
    closeness: Closeness,
) -> Result<Neighbours> {
    let n = data.n_samples();
    if k == 0 || k >= n {
        return Err(Error::out_of_range(
            "the number of neighbours",
            k,
            format!("1 to {} (one less than the samples)", n - 1),
        ));
    }
    let summary = data.summary();
    if let Some(first) = summary.first_not_finite {
        let (nan, infinite) = (summary.nan, summary.infinite);
        return Err(Error::NotFinite { what: "the data".into(), nan, infinite, first });
    }
    let mut search = Search::new(data, k, closeness);
    let mut found =
        Neighbours { k, samples: Vec::with_capacity(n * k), distances: Vec::with_capacity(n * k) };
    for start in (0..n).step_by(BLOCK) {
        let block = start..(start + BLOCK).min(n);
        search.products_with(block.clone());
        for i in block.clone() {
            interrupt::check();
            for (distance, j) in search.nearest(i, i - block.start) {
                found.samples.push(j);
                found.distances.push(distance);
            }
        }
    }
    Ok(found)
}

/// Up to so many smallest numbers are kept in order while the others pass by.
const KEPT: usize = 64;

/// So many numbers are compared with a bound at once.
const LANES: usize = 32;

/// The k-th smallest of k or more `values`.
#[inline(always)]
fn kth_smallest(values: &[f64], k: usize) -> f64 {
    if k > KEPT {
        let mut values = values.to_vec();
        return *values.select_nth_unstable_by(k - 1, f64::total_cmp).1;
    }
    let mut kept = [f64::INFINITY; KEPT];
    let kept = &mut kept[..k];
    for some in values.chunks(LANES) {
        let most = kept[k - 1];
        // Nearly always none is, and the comparison of all takes a few instructions.
        if !some.iter().fold(false, |any, value| any | (*value < most)) {
            continue;
        }
        for value in some {
            if *value < kept[k - 1] {
                let at = kept[..k - 1].partition_point(|smaller| *smaller <= *value);
                kept.copy_within(at..k - 1, at + 1);
                kept[at] = *value;
            }
        }
    }
    kept[k - 1]
}

/// The places of the `values` that are at most `limit`.
#[inline(always)]
fn at_most(values: &[f64], limit: f64, places: &mut Vec<u32>) {
    for (some, start) in values.chunks(LANES).zip((0u32..).step_by(LANES)) {
        if some.iter().fold(false, |any, value| any | (*value <= limit)) {
            let kept = some.iter().zip(start..).filter(|(value, _)| **value <= limit);
            places.extend(kept.map(|(_, place)| place));
        }
    }
}

/// The squared distances of one sample to all by their products, up to rounding, as bounds.
struct SquaredBounds<'a, T> {
    products: &'a [T],
    /// ‖x‖² of the sample, and of all.
    own: f64,
    others: &'a [f64],
    slack: f64,
    bounds: &'a mut Bounds,
}

impl<T: Real> Kernel for SquaredBounds<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Bounds { lower, upper } = self.bounds;
        lower.resize(self.others.len(), 0.0);
        upper.resize(self.others.len(), 0.0);
        let pairs = self.products.iter().zip(self.others);
        for ((product, other), (lower, upper)) in pairs.zip(lower.iter_mut().zip(upper)) {
            let squares = self.own + other;
            let (rough, off) = (squares - 2.0 * product.to_f64(), self.slack * squares);
            (*lower, *upper) = (rough - off, rough + off);
        }
    }
}

/// Which samples may be among the k nearest.
struct Candidates<'a> {
    bounds: &'a Bounds,
    k: usize,
}

impl Kernel for Candidates<'_> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> Vec<u32> {
        let mut places = Vec::new();
        at_most(&self.bounds.lower, kth_smallest(&self.bounds.upper, self.k), &mut places);
        places
    }
}

/// Between what bounds the distances of one sample to all are (n each).
#[derive(Default)]
struct Bounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

struct Search<'a, T: Real> {
    data: &'a dyn DataMatrix<T>,
    k: usize,
    closeness: Closeness,
    /// ‖x‖² of each sample.
    squared_norms: Vec<f64>,
    /// (Rows of the block) · Xᵀ, block × n.
    products: Vec<T>,
    /// Scratch.
    bounds: Bounds,
    /// The row of one sample in full (d), for cosines; zeros between uses.
    row: Vec<f64>,
}

impl<'a, T: Real> Search<'a, T> {
    fn new(data: &'a dyn DataMatrix<T>, k: usize, closeness: Closeness) -> Self {
        let n = data.n_samples();
        let mut row = vec![0.0; data.n_features()];
        let mut squared_norms = Vec::with_capacity(n);
        for i in 0..n {
            interrupt::check();
            data.add_row(i, 1.0, &mut row);
            squared_norms.push(data.row_dot(i, &row));
            // x − x is 0 exactly, so the buffer is clean again without touching all of it.
            data.add_row(i, -1.0, &mut row);
        }
        Search { data, k, closeness, squared_norms, products: Vec::new(), bounds: Bounds::default(), row }
    }

    fn products_with(&mut self, block: std::ops::Range<usize>) {
        self.products.resize(block.len() * self.data.n_samples(), T::ZERO);
        self.data.row_products(block, &mut self.products);
    }

    /// The nearest of sample `i`, which is row `place` of the block.
    ///
    /// Products find the candidates: those that rounding leaves room for. What is kept is ordered by
    /// distances that are computed anew in `f64`.
    fn nearest(&mut self, i: usize, place: usize) -> Vec<(f64, u32)> {
        let mut bounds = std::mem::take(&mut self.bounds);
        self.bounds_of(i, place, &mut bounds);
        // A sample is not its own neighbour.
        (bounds.lower[i], bounds.upper[i]) = (f64::INFINITY, f64::INFINITY);
        let candidates = dispatch(Candidates { bounds: &bounds, k: self.k });
        self.bounds = bounds;
        // Only cosines are taken with the row in full.
        let in_full = self.closeness == Closeness::Cosine;
        if in_full {
            self.data.add_row(i, 1.0, &mut self.row);
        }
        let others = candidates.into_iter().filter(|j| *j as usize != i);
        let mut nearest: Vec<(f64, u32)> = others.map(|j| (self.distance(i, j as usize), j)).collect();
        if in_full {
            self.data.add_row(i, -1.0, &mut self.row);
        }
        nearest.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        nearest.truncate(self.k);
        nearest
    }

    /// From the products of row `place` of the block: between what the (squared) distances of sample `i` to
    /// all are.
    fn bounds_of(&self, i: usize, place: usize, bounds: &mut Bounds) {
        let n = self.data.n_samples();
        let products = &self.products[place * n..(place + 1) * n];
        let slack = self.slack();
        match self.closeness {
            Closeness::Euclidean => {
                let (own, others) = (self.squared_norms[i], &self.squared_norms[..]);
                dispatch(SquaredBounds { products, own, others, slack, bounds });
            }
            Closeness::Cosine => {
                bounds.lower.clear();
                bounds.upper.clear();
                for (j, product) in products.iter().enumerate() {
                    let rough = self.cosine_distance(i, j, product.to_f64());
                    bounds.lower.push(rough - slack);
                    bounds.upper.push(rough + slack);
                }
            }
        }
    }

    /// The relative error that a product of two rows may have.
    fn slack(&self) -> f64 {
        2.0 * (self.data.n_features() as f64 + 8.0) * T::EPSILON.to_f64()
    }

    /// The distance of sample `i`, whose values are in `row`, to `j`.
    fn distance(&self, i: usize, j: usize) -> f64 {
        match self.closeness {
            Closeness::Euclidean => self.data.squared_distance(i, j).sqrt(),
            Closeness::Cosine => self.cosine_distance(i, j, self.data.row_dot(j, &self.row)),
        }
    }

    fn cosine_distance(&self, i: usize, j: usize, product: f64) -> f64 {
        let norms = self.squared_norms[i].sqrt() * self.squared_norms[j].sqrt();
        if norms > 0.0 { (1.0 - product / norms).max(0.0) } else { 1.0 }
    }
}
