//! What tells a component from the others: the samples that have much of it and little of anything else, and
//! the features that are its own.

use crate::foundation::{Matrix, Real};

use super::memberships::ShareOf;

/// The samples that represent each component, at most `count` of each, best first, with their membership in
/// it (0 to 1). They are ranked by code × membership: the membership alone ranks the shortest samples first,
/// whose few entries all lie in one component, and the code alone ranks long samples that have much of
/// everything. Equal ones come in the order of the samples; samples whose code is 0 don't come at all.
///
/// `codes` are n × k, `components` k × d. Scaling a component up and its codes down changes nothing.
#[doc(hidden)]
pub fn representatives<T: Real>(
    codes: &Matrix<T>,
    components: &Matrix<T>,
    of: ShareOf,
    count: usize,
) -> Vec<Vec<(usize, f64)>> {
    let (n, k) = (codes.rows(), codes.columns());
    let mut sizes = of.sizes(components);
    // In units of the largest, so that no product leaves the range.
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    if largest > 0.0 {
        sizes.iter_mut().for_each(|size| *size /= largest);
    }
    let largest_code = codes.as_slice().iter().fold(0.0f64, |most, w| most.max(w.to_f64()));
    let unit = if largest_code > 0.0 { largest_code } else { 1.0 };
    let part = |i: usize, j: usize| codes.get(i, j).to_f64() / unit * sizes[j];
    let sums: Vec<f64> = (0..n).map(|i| (0..k).map(|j| part(i, j)).sum()).collect();
    let of_component = |j: usize| {
        let ranked = |i: usize| {
            let (part, sum) = (part(i, j), sums[i]);
            (part > 0.0 && sum > 0.0).then(|| (i, part / sum, part * (part / sum)))
        };
        let mut all: Vec<(usize, f64, f64)> = (0..n).filter_map(ranked).collect();
        let better = |a: &(usize, f64, f64), b: &(usize, f64, f64)| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0));
        if all.len() > count {
            all.select_nth_unstable_by(count, better);
            all.truncate(count);
        }
        all.sort_unstable_by(better);
        all.into_iter().map(|(i, share, _)| (i, share)).collect()
    };
    (0..k).map(of_component).collect()
}

/// The features that tell each component from the others, at most `count` of each, best first, with the
/// fraction of their use that is in it (0 to 1). They are ranked by p·ln(p/p̄), where p is the fraction of
/// the feature in the sum of the component and p̄ its mean over the components that are not 0: the terms of
/// the divergence of the component from the mean of all. Features with p ≤ p̄ don't come at all.
#[doc(hidden)]
pub fn distinctive_features<T: Real>(components: &Matrix<T>, count: usize) -> Vec<Vec<(usize, f64)>> {
    let (k, d) = (components.rows(), components.columns());
    let sums = ShareOf::Sum.sizes(components);
    let used = sums.iter().filter(|sum| **sum > 0.0).count().max(1) as f64;
    let fraction = |j: usize, f: usize| {
        if sums[j] > 0.0 { components.get(j, f).to_f64() / sums[j] } else { 0.0 }
    };
    let totals: Vec<f64> = (0..d).map(|f| (0..k).map(|j| fraction(j, f)).sum()).collect();
    let of_component = |j: usize| {
        let ranked = |f: usize| {
            let (p, mean) = (fraction(j, f), totals[f] / used);
            (p > mean && mean > 0.0).then(|| (f, p / totals[f], p * (p / mean).ln()))
        };
        let mut all: Vec<(usize, f64, f64)> = (0..d).filter_map(ranked).collect();
        all.sort_unstable_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
        all.into_iter().take(count).map(|(f, share, _)| (f, share)).collect()
    };
    (0..k).map(of_component).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_and_pure_samples_come_before_short_and_before_mixed_ones() {
        // Short and pure, large and mixed, large and nearly pure, without any.
        let codes = Matrix::from_vec(4, 2, vec![0.1, 0.0, 3.0, 3.0, 2.5, 0.1, 0.0, 0.0]).unwrap();
        let components = Matrix::from_vec(2, 2, vec![1.0, 0.0, 0.0, 1.0]).unwrap();
        let found = representatives(&codes, &components, ShareOf::Length, 10);
        assert_eq!(found[0].iter().map(|s| s.0).collect::<Vec<_>>(), [2, 1, 0]);
        assert!((found[0][0].1 - 2.5 / 2.6).abs() < 1e-12 && found[0][2].1 == 1.0);
        assert_eq!(found[1].iter().map(|s| s.0).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(representatives(&codes, &components, ShareOf::Length, 1)[0], found[0][..1]);
    }

    #[test]
    fn the_scale_of_a_component_and_of_all_changes_nothing() {
        let codes = Matrix::from_fn(20, 3, |i, j| ((i * 7 + j * 5) % 11) as f64);
        let components = Matrix::from_fn(3, 4, |j, f| ((j + 2 * f) % 5) as f64 + 0.5);
        let found = representatives(&codes, &components, ShareOf::Sum, 4);
        let scale = [4.0, 0.25, 1e150];
        let codes = Matrix::from_fn(20, 3, |i, j| codes.get(i, j) / scale[j]);
        let components = Matrix::from_fn(3, 4, |j, f| components.get(j, f) * scale[j]);
        let again = representatives(&codes, &components, ShareOf::Sum, 4);
        let samples = |of: &[Vec<(usize, f64)>]| -> Vec<Vec<usize>> {
            of.iter().map(|component| component.iter().map(|sample| sample.0).collect()).collect()
        };
        assert_eq!(samples(&again), samples(&found));
    }

    #[test]
    fn what_only_one_component_has_tells_it_from_the_others() {
        // The first feature is large in both; the second is all of the first component's.
        let components = Matrix::from_vec(2, 3, vec![6.0, 3.0, 1.0, 6.0, 0.0, 4.0]).unwrap();
        let found = distinctive_features(&components, 2);
        assert_eq!(found[0], [(1, 1.0)]);
        assert_eq!(found[1].iter().map(|f| f.0).collect::<Vec<_>>(), [2]);
        assert!((found[1][0].1 - 0.8).abs() < 1e-12);
    }
}
