//! The paired Wilcoxon signed-rank test, two-sided.
//!
//! ```text
//! differences that are 0 are left out (n remain); equal sizes share the mean of their ranks;
//!     W⁺ = Σ ranks of the positive ones
//! n ≤ 50: p from the exact distribution of W⁺ over all 2ⁿ signs, with the ranks as they are
//! n > 50: normal, mean n(n + 1)/4, variance n(n + 1)(2n + 1)/24 − Σ(t³ − t)/48 over groups of t equal sizes,
//!     continuity correction ½
//! ```
//!
//! Reference: F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1, 1945, doi
//! 10.2307/3001968.

/// Up to so many differences the distribution is exact.
const EXACT: usize = 50;

/// What the test gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// Differences that are not 0.
    pub n: usize,
    /// W⁺.
    pub positive: f64,
    /// The two-sided probability of a W⁺ as far from its mean, if signs were by chance. 1 without
    /// differences.
    pub p: f64,
}

/// Tests whether paired differences lie around 0. Differences that are not finite are left out like zeros.
pub fn wilcoxon(differences: &[f64]) -> SignedRank {
    let mut kept: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0 && d.is_finite()).collect();
    kept.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let n = kept.len();
    // Twice the ranks: whole numbers also where equal sizes share a rank.
    let mut doubled = vec![0_usize; n];
    let (mut first, mut ties) = (0, 0.0);
    while first < n {
        let same = kept[first..].iter().take_while(|d| d.abs() == kept[first].abs()).count();
        doubled[first..first + same].fill(2 * first + same + 1);
        ties += (same as f64).powi(3) - same as f64;
        first += same;
    }
    let positive: usize = (0..n).filter(|i| kept[*i] > 0.0).map(|i| doubled[i]).sum();
    let p = if n <= EXACT { exact(&doubled, positive) } else { normal(n, ties, positive as f64 / 2.0) };
    SignedRank { n, positive: positive as f64 / 2.0, p }
}

/// The share of all signs whose sum of doubled ranks is as far from the mean.
fn exact(doubled: &[usize], positive: usize) -> f64 {
    let total: usize = doubled.iter().sum();
    let mut ways = vec![0.0; total + 1];
    ways[0] = 1.0;
    for &rank in doubled {
        for sum in (rank..=total).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let far = |sum: usize| (2 * sum).abs_diff(total) >= (2 * positive).abs_diff(total);
    let count: f64 = (0..=total).filter(|sum| far(*sum)).map(|sum| ways[sum]).sum();
    (count / 2.0_f64.powi(doubled.len() as i32)).min(1.0)
}

fn normal(n: usize, ties: f64, positive: f64) -> f64 {
    let n = n as f64;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
    let distance = ((positive - n * (n + 1.0) / 4.0).abs() - 0.5).max(0.0);
    (2.0 * upper_tail(distance / variance.sqrt())).min(1.0)
}

/// The probability that a standard normal number is above `z` ≥ 0, to a relative 1e-7 or better: a series up
/// to 3, a continued fraction beyond (Abramowitz & Stegun, 26.2.11 and 26.2.14).
fn upper_tail(z: f64) -> f64 {
    let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if z < 3.0 {
        let (mut term, mut sum) = (z, z);
        for i in 1..60 {
            term *= z * z / f64::from(2 * i + 1);
            sum += term;
        }
        return 0.5 - density * sum;
    }
    let fraction = (1..=60).rev().fold(z, |tail, i| z + f64::from(i) / tail);
    density / fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values: scipy.stats.wilcoxon 1.17.1, `method="exact"`, and `method="approx", correction=True`
    /// for the last.
    #[test]
    fn probabilities_are_those_of_another_program() {
        let differences = [1.2, -0.4, 2.5, 3.1, 0.9, -1.1, 0.3, 2.2, 1.7, 0.8];
        let found = wilcoxon(&differences);
        assert_eq!((found.n, found.positive), (10, 48.0));
        assert!((found.p - 0.037_109_375).abs() < 1e-12, "{found:?}");
        let all_better: Vec<f64> = (1..=6).map(f64::from).collect();
        assert!((wilcoxon(&all_better).p - 0.03125).abs() < 1e-15);
        // Sixty with zeros and equal sizes.
        let many: Vec<f64> = (0..60).map(|i| f64::from((i * 37) % 23 - 8) / 2.0).collect();
        let found = wilcoxon(&many);
        assert_eq!((found.n, found.positive), (58, 58.0 * 59.0 / 2.0 - 474.5));
        assert!((found.p - 0.003_193_147_509_504_852_3).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn nothing_to_compare_is_no_difference_and_the_sign_does_not_matter() {
        assert_eq!(wilcoxon(&[0.0, 0.0, f64::NAN]), SignedRank { n: 0, positive: 0.0, p: 1.0 });
        let differences = [0.5, -0.5, 1.5, 0.5, 2.0, -0.1];
        let turned: Vec<f64> = differences.iter().map(|d| -d).collect();
        assert_eq!(wilcoxon(&differences).p, wilcoxon(&turned).p);
    }

    #[test]
    fn the_normal_form_meets_the_exact_one() {
        let differences: Vec<f64> = (0..EXACT).map(|i| (i as f64 * 0.731).sin() + 0.25).collect();
        let exact = wilcoxon(&differences);
        let near = normal(EXACT, 0.0, exact.positive);
        assert!((exact.p - near).abs() < 2e-3, "{} {near}", exact.p);
        // Tables: P(Z > 1.96) and P(Z > 4).
        assert!((upper_tail(1.959_963_984_540_054) - 0.025).abs() < 1e-9);
        assert!((upper_tail(4.0) - 3.167_124_183_311_99e-5).abs() < 1e-12);
    }
}
