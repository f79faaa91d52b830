//! The genes that vary more than their mean explains.
//!
//! ```text
//! fano       variance / mean
//! expected   A²·mean + B²
//! A          the least deviation / mean of the 20 genes with the largest mean
//! B²         the median fano of genes with mean and fano inside their 10 and 90 % quantiles
//! chosen     the largest fano / expected
//! ```

use crate::recipes::consensus::matching::quantile;

/// Genes with the largest mean that A is taken from.
const LARGEST: usize = 20;
/// The quantiles that bound the genes that B is taken from.
const QUANTILES: (f64, f64) = (0.1, 0.9);

/// The `count` genes with the largest variance relative to what is expected, ascending. Genes without a count
/// are never chosen.
pub(super) fn most_variable(mean: &[f64], deviation: &[f64], count: usize) -> Vec<usize> {
    let used: Vec<usize> = (0..mean.len()).filter(|gene| mean[*gene] > 0.0).collect();
    let fano = |gene: usize| deviation[gene].powi(2) / mean[gene];
    let mut by_mean = used.clone();
    by_mean.sort_by(|a, b| mean[*b].total_cmp(&mean[*a]));
    let relative = |gene: &usize| deviation[*gene] / mean[*gene];
    let a = by_mean.iter().take(LARGEST).map(relative).fold(f64::INFINITY, f64::min);
    // Genes without a count have a mean, 0, but no fano.
    let means = bounds(mean.to_vec());
    let fanos = bounds(used.iter().map(|gene| fano(*gene)).collect());
    let inside = |(low, high): (f64, f64), value: f64| value > low && value < high;
    let mut middle: Vec<f64> = used
        .iter()
        .filter(|gene| inside(means, mean[**gene]) && inside(fanos, fano(**gene)))
        .map(|gene| fano(*gene))
        .collect();
    middle.sort_by(f64::total_cmp);
    let b_squared = if middle.is_empty() { 0.0 } else { quantile(&middle, 0.5) };
    let ratio = |gene: usize| {
        let expected = a * a * mean[gene] + b_squared;
        if expected > 0.0 { fano(gene) / expected } else { 0.0 }
    };
    let mut chosen: Vec<usize> = used.into_iter().filter(|gene| deviation[*gene] > 0.0).collect();
    chosen.sort_by(|x, y| ratio(*y).total_cmp(&ratio(*x)).then(x.cmp(y)));
    chosen.truncate(count);
    chosen.sort_unstable();
    chosen
}

/// The 10 and 90 % quantiles.
fn bounds(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    if values.is_empty() {
        return (0.0, 0.0);
    }
    (quantile(&values, QUANTILES.0), quantile(&values, QUANTILES.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn genes_that_vary_beyond_their_mean_are_chosen_and_empty_ones_are_not() {
        // Poisson-like genes have variance = mean; three of them vary more, one is empty.
        let mean: Vec<f64> = (0..60).map(|g| if g == 7 { 0.0 } else { 1.0 + f64::from(g) }).collect();
        let mut deviation: Vec<f64> = mean.iter().map(|m| m.sqrt()).collect();
        for gene in [3, 30, 50] {
            deviation[gene] *= 3.0;
        }
        assert_eq!(most_variable(&mean, &deviation, 3), [3, 30, 50]);
        let all = most_variable(&mean, &deviation, 100);
        assert_eq!(all.len(), 59);
        assert!(!all.contains(&7) && all.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
