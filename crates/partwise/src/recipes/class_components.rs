//! How many components a class needs: classes whose samples look in several ways get several.
//!
//! ```text
//! the unit rows of the class are halved SPLITS times, their features too; for q = 1, 2, …:
//!   groups    q groups of the first half of the samples, with their means
//!   error     of the second half: the group whose mean is nearest in one half of the features predicts
//!             the entries of the other half; and the other way round
//! answer      the last q whose error is clearly below that of q − 1: by more than LEAST_GAIN of it, and
//!             by two standard errors over the splits
//! ```
//!
//! Reference: W. Fu, P. O. Perry, "Estimating the number of clusters using cross-validation", Journal of
//! Computational and Graphical Statistics 29, 2020, doi:10.1080/10618600.2019.1647846. Differs: the groups
//! are found in all features of the first half of the samples, and the answer is the last clear gain.

use crate::clustering::{Directions, units};
use crate::data::DataMatrix;
use crate::foundation::draw::{Generator, below, generator};
use crate::foundation::{Matrix, Real};

/// Components of a class, at most.
const MOST: usize = 4;
/// Splits of the samples and features.
const SPLITS: usize = 6;
/// Samples that are looked at, at most.
const MOST_SAMPLES: usize = 300;
/// Samples of a half for each group, at least.
const LEAST_PER_GROUP: usize = 2;
/// The fraction of the error that a further group must remove.
const LEAST_GAIN: f64 = 0.01;

/// How many components the class of these samples needs, 1 to 4: as many as groups of its samples predict
/// entries of held-out samples clearly better than fewer groups do.
#[doc(hidden)]
pub fn components_for_class<T: Real>(data: &dyn DataMatrix<T>, samples: &[usize], seed: u64) -> usize {
    let step = samples.len().div_ceil(MOST_SAMPLES).max(1);
    let some: Vec<usize> = samples.iter().copied().step_by(step).collect();
    let most = MOST.min(some.len() / 2 / LEAST_PER_GROUP);
    if most < 2 {
        return 1;
    }
    let mut random = generator(seed, 0);
    let splits: Vec<Split> = (0..SPLITS).map(|_| Split::new(&some, data.n_features(), &mut random)).collect();
    let errors = |count: usize| -> Vec<[f64; 2]> {
        splits.iter().zip(0..).map(|(split, at)| split.errors(data, count, seed ^ at)).collect()
    };
    let mut before = errors(1);
    for count in 2..=most {
        let next = errors(count);
        if !is_clearly_less(&next, &before) {
            return count - 1;
        }
        before = next;
    }
    most
}

/// Whether the errors are below the others by more than a little, and by two standard errors.
fn is_clearly_less(errors: &[[f64; 2]], others: &[[f64; 2]]) -> bool {
    let pairs = errors.iter().flatten().zip(others.iter().flatten());
    let gains: Vec<f64> = pairs.map(|(e, o)| if *o > 0.0 { 1.0 - e / o } else { 0.0 }).collect();
    let count = gains.len() as f64;
    let mean = gains.iter().sum::<f64>() / count;
    let variance = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / (count - 1.0);
    mean > LEAST_GAIN.max(2.0 * (variance / count).sqrt())
}

/// Halves of the samples and of the features.
struct Split {
    fitted: Vec<usize>,
    predicted: Vec<usize>,
    /// Whether each feature (d) is in the first half.
    first: Vec<bool>,
}

impl Split {
    fn new(samples: &[usize], features: usize, random: &mut Generator) -> Self {
        let mut order = samples.to_vec();
        shuffle(&mut order, random);
        let predicted = order.split_off(order.len() / 2);
        let mut columns: Vec<usize> = (0..features).collect();
        shuffle(&mut columns, random);
        let mut first = vec![false; features];
        columns[..features / 2].iter().for_each(|f| first[*f] = true);
        Split { fitted: order, predicted, first }
    }

    /// The squared errors of the second and of the first half of the features.
    fn errors<T: Real>(&self, data: &dyn DataMatrix<T>, count: usize, seed: u64) -> [f64; 2] {
        let means = Directions::of(data, &self.fitted, count, seed).means(data, &self.fitted);
        let halves = [true, false].map(|wanted| {
            Matrix::from_fn(means.rows(), means.columns(), |g, f| {
                if self.first[f] == wanted { means.get(g, f) } else { 0.0 }
            })
        });
        let squares = halves.each_ref().map(|half| {
            let squares = |g: usize| half.row(g).iter().map(|m| m * m).sum::<f64>();
            (0..half.rows()).map(squares).collect::<Vec<f64>>()
        });
        let mut errors = [0.0; 2];
        let mut row = vec![0.0; data.n_features()];
        for (&i, unit) in self.predicted.iter().zip(units(data, &self.predicted)) {
            row.fill(0.0);
            data.add_row(i, unit, &mut row);
            for (error, (from, to)) in errors.iter_mut().zip([(0, 1), (1, 0)]) {
                // ‖x − m‖² − ‖x‖² in one half of the features.
                let distance = |half: usize, g: usize| {
                    squares[half][g] - 2.0 * unit * data.row_dot(i, halves[half].row(g))
                };
                let nearest = (0..means.rows())
                    .map(|g| (g, distance(from, g)))
                    .reduce(|best, next| if next.1 < best.1 { next } else { best });
                let own = row.iter().zip(&self.first).filter(|(_, first)| **first == (to == 0));
                let own: f64 = own.map(|(x, _)| x * x).sum();
                *error += own + nearest.map_or(0.0, |(g, _)| distance(to, g));
            }
        }
        errors
    }
}

fn shuffle(values: &mut [usize], random: &mut Generator) {
    for at in (1..values.len()).rev() {
        values.swap(at, below(random, at + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::DenseMatrix;

    /// Samples about `ways` profiles, with noise.
    fn looking(ways: usize) -> DenseMatrix<'static, f64> {
        let (n, d) = (60, 40);
        let mut random = generator(5, ways as u64);
        let mut values = Vec::new();
        for i in 0..n {
            for f in 0..d {
                let profile = if f % ways == i % ways { 4.0 } else { 1.0 };
                values.push(profile + crate::foundation::draw::uniform(&mut random));
            }
        }
        DenseMatrix::new(n, d, values).unwrap()
    }

    #[test]
    fn a_class_gets_as_many_components_as_it_has_looks() {
        let all: Vec<usize> = (0..60).collect();
        for ways in 1..=3 {
            assert_eq!(components_for_class(&looking(ways), &all, 0), ways, "{ways} looks");
        }
        assert_eq!(components_for_class(&looking(3), &all[..3], 0), 1, "too few samples to tell");
    }
}
