//! The components of several fits, matched one to one to those of the best fit.

use super::restarts::Restart;
use super::{ComponentStability, Confusion};
use crate::foundation::{Matrix, Real};
use crate::metrics::best_matching;

/// From this cosine on, a component appears in a fit.
const APPEARS: f64 = 0.9;
/// Median absolute deviations beyond the median that are no outlier.
const DEVIATIONS: f64 = 3.0;
/// The quantiles of distances that are reported.
const QUANTILES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];
/// Cosines as whole numbers, for the matching.
const SCALE: f64 = (1_u64 << 40) as f64;

/// One fit beside the best one.
struct Pairing {
    /// For each component of the best fit the matched one of this fit.
    partner: Vec<usize>,
    /// The cosine of components of the best fit (rows) with those of this one (columns).
    cosines: Matrix<f64>,
}

/// Several fits with the same k, each at the components of the best.
pub(super) struct Matched<'f, T> {
    fits: &'f [Restart<T>],
    best: usize,
    /// Whether guidance names the component.
    named: Vec<bool>,
    /// One for each fit; that of the best fit pairs it with itself.
    pairings: Vec<Pairing>,
    /// 1 / length of each component of each fit; 0 for a component that is 0.
    scales: Vec<Vec<f64>>,
}

impl<'f, T: Real> Matched<'f, T> {
    pub(super) fn new(fits: &'f [Restart<T>], best: usize) -> Self {
        let names = &fits[best].names;
        let named: Vec<bool> =
            names.iter().enumerate().map(|(j, name)| *name != format!("part {}", j + 1)).collect();
        let scales: Vec<Vec<f64>> = fits.iter().map(|fit| inverse_lengths(&fit.components)).collect();
        let pairings = (0..fits.len())
            .map(|at| {
                let cosines =
                    cosines((&fits[best].components, &scales[best]), (&fits[at].components, &scales[at]));
                let partner =
                    if at == best { (0..names.len()).collect() } else { partners(&cosines, &named) };
                Pairing { partner, cosines }
            })
            .collect();
        Matched { fits, best, named, pairings, scales }
    }

    fn rank(&self) -> usize {
        self.named.len()
    }

    /// The cosine of component j of the best fit with its partner in another one.
    fn cosine(&self, fit: usize, j: usize) -> f64 {
        let pairing = &self.pairings[fit];
        pairing.cosines.get(j, pairing.partner[j])
    }

    fn others(&self) -> impl Iterator<Item = usize> {
        let best = self.best;
        (0..self.fits.len()).filter(move |fit| *fit != best)
    }

    /// The largest distance of a component in another fit.
    pub(super) fn largest_distance(&self) -> f64 {
        let of_fit =
            |fit: usize| (0..self.rank()).map(move |j| 1.0 - self.cosine(fit, j)).fold(0.0, f64::max);
        self.others().map(of_fit).fold(0.0, f64::max)
    }

    /// The distances of component j in the other fits, ascending.
    fn distances(&self, j: usize) -> Vec<f64> {
        let mut distances: Vec<f64> = self.others().map(|fit| 1.0 - self.cosine(fit, j)).collect();
        distances.sort_by(f64::total_cmp);
        distances
    }

    /// Median + 3·MAD of the distances of a component.
    fn limit(&self, j: usize) -> f64 {
        let distances = self.distances(j);
        let median = quantile(&distances, 0.5);
        let mut deviations: Vec<f64> = distances.iter().map(|distance| (distance - median).abs()).collect();
        deviations.sort_by(f64::total_cmp);
        median + DEVIATIONS * quantile(&deviations, 0.5)
    }

    /// The median of the matched components at unit length, of the fits in which they appear and are no
    /// outliers, each with sum 1 (k × d).
    pub(super) fn medians(&self) -> Matrix<T> {
        let d = self.fits[self.best].components.columns();
        let mut out = Matrix::zeros(self.rank(), d);
        for j in 0..self.rank() {
            let limit = self.limit(j);
            let near = |cosine: f64| cosine >= APPEARS && 1.0 - cosine <= limit;
            let counts = |fit: &usize| *fit == self.best || near(self.cosine(*fit, j));
            let rows: Vec<(&[T], f64)> = (0..self.fits.len())
                .filter(counts)
                .map(|fit| {
                    let row = self.pairings[fit].partner[j];
                    (self.fits[fit].components.row(row), self.scales[fit][row])
                })
                .collect();
            let mut entries = vec![0.0; rows.len()];
            let mut median = vec![0.0; d];
            for (feature, median) in median.iter_mut().enumerate() {
                entries
                    .iter_mut()
                    .zip(&rows)
                    .for_each(|(e, (row, scale))| *e = row[feature].to_f64() * scale);
                *median = middle(&mut entries);
            }
            let sum: f64 = median.iter().sum();
            for (entry, median) in out.row_mut(j).iter_mut().zip(&median) {
                *entry = T::from_f64(if sum > 0.0 { median / sum } else { 0.0 });
            }
        }
        out
    }

    /// A row for each component, in the order of the best fit; `size` is not known yet.
    pub(super) fn stability(&self, names: &[String]) -> Vec<ComponentStability> {
        let others = self.fits.len() - 1;
        let row = |j: usize| {
            let (distances, limit) = (self.distances(j), self.limit(j));
            let appears = self.others().filter(|fit| self.cosine(*fit, j) >= APPEARS).count();
            ComponentStability {
                name: names[j].clone(),
                named: self.named[j],
                share: appears as f64 / others as f64,
                distances: QUANTILES.map(|share| quantile(&distances, share)),
                limit,
                outliers: distances.iter().filter(|distance| **distance > limit).count(),
                confusion: self.confusion(j),
                size: 0.0,
            }
        };
        (0..self.rank()).map(row).collect()
    }

    /// In the fits without component j: what the component most similar to it, beside its own partner, is
    /// matched to.
    fn confusion(&self, j: usize) -> Option<Confusion> {
        let mut found = vec![(0usize, 0.0); self.rank()];
        let mut lacking = 0;
        for fit in self.others().filter(|fit| self.cosine(*fit, j) < APPEARS) {
            let Pairing { partner, cosines } = &self.pairings[fit];
            let others = (0..self.rank()).filter(|i| *i != j).map(|i| (i, cosines.get(j, partner[i])));
            let (with, cosine) = others.max_by(|a, b| a.1.total_cmp(&b.1))?;
            found[with] = (found[with].0 + 1, found[with].1 + cosine);
            lacking += 1;
        }
        let (with, (count, cosines)) = found.into_iter().enumerate().max_by_key(|(_, (count, _))| *count)?;
        (count > 0).then(|| Confusion {
            with,
            share: count as f64 / lacking as f64,
            cosine: cosines / count as f64,
        })
    }
}

/// For each component of the best fit the one of another fit: named ones by their place, the others so that
/// the sum of their cosines is the largest.
fn partners(cosines: &Matrix<f64>, named: &[bool]) -> Vec<usize> {
    let free: Vec<usize> = (0..named.len()).filter(|j| !named[*j]).collect();
    let weight = |a: usize, b: usize| (cosines.get(a, b) * SCALE) as i64;
    let weights: Vec<i64> = free.iter().flat_map(|a| free.iter().map(|b| weight(*a, *b))).collect();
    let mut partner: Vec<usize> = (0..named.len()).collect();
    for (a, b) in best_matching(free.len(), free.len(), &weights).into_iter().enumerate() {
        partner[free[a]] = b.map_or(free[a], |b| free[b]);
    }
    partner
}

fn inverse_lengths<T: Real>(components: &Matrix<T>) -> Vec<f64> {
    let length = |row: &[T]| row.iter().map(|h| h.to_f64().powi(2)).sum::<f64>().sqrt();
    (0..components.rows())
        .map(|j| length(components.row(j)))
        .map(|length| if length > 0.0 { 1.0 / length } else { 0.0 })
        .collect()
}

/// The cosines of the rows of two matrices with these inverse lengths.
fn cosines<T: Real>(one: (&Matrix<T>, &[f64]), other: (&Matrix<T>, &[f64])) -> Matrix<f64> {
    let dot = |a: &[T], b: &[T]| a.iter().zip(b).map(|(a, b)| a.to_f64() * b.to_f64()).sum::<f64>();
    Matrix::from_fn(one.0.rows(), other.0.rows(), |a, b| {
        (dot(one.0.row(a), other.0.row(b)) * one.1[a] * other.1[b]).clamp(0.0, 1.0)
    })
}

/// The quantile of ascending numbers, between neighbours in proportion.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (below, part) = (at.floor() as usize, at.fract());
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + part * (sorted[above] - sorted[below])
}

/// The median; of an even count the mean of the two in the middle.
pub(super) fn middle(entries: &mut [f64]) -> f64 {
    let (count, half) = (entries.len(), entries.len() / 2);
    let (below, &mut upper, _) = entries.select_nth_unstable_by(half, f64::total_cmp);
    if count % 2 == 1 {
        return upper;
    }
    (below.iter().copied().fold(f64::NEG_INFINITY, f64::max) + upper) / 2.0
}
