//! What guidance does to the parts: how much the named components look like the samples of their class, and
//! what it costs in error.
//!
//! ```text
//! m_j: the samples of the class of component j; where the class has several components, those of them that
//!      have more of j than of the others
//! mean cosine      of hⱼ and the mean of m_j
//! shared cosine    of hⱼ and (the mean of √x over m_j)², entry by entry: what nearly all of them have
//!                  counts, what a few have hardly does
//! ```

use crate::data::DataMatrix;
use crate::engine::losses::Loss;
use crate::foundation::{Matrix, Real};
use crate::recipes::memberships::{Owners, largest};

/// How much a named component looks like the samples of its class.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Likeness {
    /// Its name.
    pub component: String,
    /// Its topic or class.
    pub topic: String,
    /// The samples that it was compared with.
    pub samples: usize,
    /// Its cosine with their mean.
    pub mean_cosine: f64,
    /// Its cosine with what they share.
    pub shared_cosine: f64,
}

impl Likeness {
    /// In words.
    #[doc(hidden)]
    pub fn sentence(&self) -> String {
        let samples = if self.samples == 1 { "sample" } else { "samples" };
        format!(
            "\"{}\": cosine {:.2} with the mean of its {} {samples}, {:.2} with what they share",
            self.component, self.mean_cosine, self.samples, self.shared_cosine
        )
    }
}

/// An error below this is rounding, more or less.
const EXACT: f64 = 1e-6;
/// Of an error less than this part of another one, the other is no fraction that is worth a number.
const LEAST_PART: f64 = 0.1;

/// The relative error with guidance, and without it with as many components: that fit goes on from the
/// guided one, by the weights and known entries alone, for at most 100 iterations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GuidanceCost {
    /// What the errors are of.
    pub loss: Loss,
    /// Of the guided fit.
    pub guided: f64,
    /// Of the fit without guidance.
    pub unguided: f64,
}

impl GuidanceCost {
    /// By how much the guidance raises the error, as a fraction. `None` if an error is so small that the
    /// fraction means nothing: below a millionth with guidance, or less than a tenth of that without.
    pub fn fraction(&self) -> Option<f64> {
        let means_something = self.guided >= EXACT && self.unguided >= LEAST_PART * self.guided;
        means_something.then(|| self.guided / self.unguided - 1.0)
    }

    /// In words.
    #[doc(hidden)]
    pub fn sentence(&self) -> String {
        let name = self.loss.error_name();
        let [guided, unguided] = [self.guided, self.unguided].map(|error| match error {
            error if error == 0.0 || error >= 1e-3 => format!("{error:.4}"),
            error => format!("{error:.1e}"),
        });
        let cost = match self.fraction() {
            Some(fraction) => format!("so it costs {:.1} %", 100.0 * fraction),
            None if self.guided < EXACT => "so both fits are nearly exact".into(),
            None => "so nearly all of the error is from the guidance".into(),
        };
        format!("{name} {guided}; without the guidance {unguided}, {cost}")
    }
}

/// Of each component that has a name from guidance and samples in its class. `classes`: the topic of each
/// sample (n) as a number of the owners, where it is known; `shares` are memberships (n × k).
#[doc(hidden)]
pub fn likeness<T: Real, S: Real>(
    data: &dyn DataMatrix<T>,
    components: &Matrix<T>,
    shares: &Matrix<S>,
    component_names: &[String],
    owners: &Owners,
    classes: &[Option<usize>],
) -> Vec<Likeness> {
    let (k, d) = components.shape();
    let mut sums = Sums { means: Matrix::zeros(k, d), roots: Matrix::zeros(k, d), counts: vec![0; k] };
    let of = |i: usize| {
        let range = owners.components()[classes[i]?].clone();
        Some(range.start + largest(&shares.row(i)[range]))
    };
    match data.blocks() {
        None => sums.add(data, 0, &of),
        Some(blocks) => {
            let mut first = 0;
            blocks.for_each(|_, block, _| {
                sums.add(block, first, &of);
                first += block.n_samples();
            });
        }
    }
    let owner = |j: usize| owners.components().iter().position(|range| range.contains(&j));
    let mut out = Vec::new();
    for j in (0..k).filter(|j| sums.counts[*j] > 0) {
        let Some(topic) = owner(j).map(|owner| owners.names()[owner].clone()) else { continue };
        let count = sums.counts[j] as f64;
        let shared: Vec<f64> = sums.roots.row(j).iter().map(|root| (root / count).powi(2)).collect();
        out.push(Likeness {
            component: component_names[j].clone(),
            topic,
            samples: sums.counts[j],
            mean_cosine: super::items::cosine(sums.means.row(j), components.row(j)),
            shared_cosine: super::items::cosine(&shared, components.row(j)),
        });
    }
    out
}

/// Sums over the samples of each component.
struct Sums {
    means: Matrix<f64>,
    roots: Matrix<f64>,
    counts: Vec<usize>,
}

impl Sums {
    /// Adds rows, of which the first is sample `first`.
    fn add<T: Real>(
        &mut self,
        rows: &dyn DataMatrix<T>,
        first: usize,
        component: &impl Fn(usize) -> Option<usize>,
    ) {
        let mut row = vec![0.0; rows.n_features()];
        for i in 0..rows.n_samples() {
            let Some(j) = component(first + i) else { continue };
            self.counts[j] += 1;
            rows.add_row(i, 1.0, &mut row);
            let (means, roots) = (self.means.row_mut(j), self.roots.row_mut(j));
            for f in rows.non_zero_features(i).into_iter().map(|f| f as usize) {
                means[f] += row[f];
                roots[f] += row[f].max(0.0).sqrt();
                row[f] = 0.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_a_percentage_only_where_there_is_an_error_to_compare_with() {
        let of = |loss, guided, unguided| GuidanceCost { loss, guided, unguided }.sentence();
        let fro = |guided, unguided| of(Loss::Frobenius, guided, unguided);
        assert_eq!(fro(0.22, 0.2), "relative error 0.2200; without the guidance 0.2000, so it costs 10.0 %");
        let kl = of(Loss::KullbackLeibler, 0.01, 0.01);
        assert_eq!(kl, "divergence per unit of data 0.0100; without the guidance 0.0100, so it costs 0.0 %");
        for unguided in [0.0, 1e-12, 1e-3] {
            let found = fro(0.22, unguided);
            assert!(found.ends_with("nearly all of the error is from the guidance"), "{found}");
            assert!(!found.contains('%') && !found.contains("inf"), "{found}");
        }
        assert_eq!(
            fro(2e-9, 1e-9),
            "relative error 2.0e-9; without the guidance 1.0e-9, so both fits are nearly exact"
        );
        assert_eq!(GuidanceCost { loss: Loss::Frobenius, guided: 0.0, unguided: 0.0 }.fraction(), None);
    }
}
