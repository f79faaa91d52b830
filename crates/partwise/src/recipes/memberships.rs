//! From codes to memberships and clusters.

use std::ops::Range;

use crate::engine::losses::Loss;
use crate::foundation::{Matrix, Real, names, once};
use crate::kernels::lanes::{LANES, padded, turn_in};
use crate::kernels::simd::{Kernel, dispatch};

/// How memberships measure the size of a component: a sample's membership in component j is the size of
/// wᵢⱼ·hⱼ, divided by the sum of these sizes. Scaling a component up and its codes down does not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareOf {
    /// wᵢⱼ·‖hⱼ‖₂: by the Euclidean norm, as the squared loss measures.
    Length,
    /// wᵢⱼ·Σhⱼ: by the sum, for counts. A minimum of the Kullback–Leibler loss keeps the sum of each row, so
    /// these are fractions of the sample's total.
    Sum,
}

names! { #[doc(hidden)] ShareOf, "kind of memberships", { Length = "length", Sum = "sum" } }

impl ShareOf {
    /// The default for a fit with this loss.
    pub fn of_loss(loss: Loss) -> Self {
        match loss {
            Loss::Frobenius => ShareOf::Length,
            Loss::KullbackLeibler => ShareOf::Sum,
        }
    }

    /// The definition in words, for reports.
    #[doc(hidden)]
    pub fn summary(self) -> &'static str {
        match self {
            ShareOf::Length => {
                "membership by length: code times Euclidean norm of the component, divided by the sum of the \
                row"
            }
            ShareOf::Sum => {
                "membership by sum: code times sum of the component, divided by the sum of the row"
            }
        }
    }

    /// The size of each component (k × d).
    #[doc(hidden)]
    pub fn sizes<T: Real>(self, components: &Matrix<T>) -> Vec<f64> {
        match self {
            ShareOf::Length => component_lengths(components),
            ShareOf::Sum => (0..components.rows())
                .map(|j| components.row(j).iter().map(|h| h.to_f64()).sum::<f64>())
                .collect(),
        }
    }
}

/// Memberships (n × k) of each sample, from codes (n × k) and components (k × d): rows sum to 1, or are 0.
pub fn shares<T: Real>(codes: &Matrix<T>, components: &Matrix<T>, of: ShareOf) -> Matrix<f64> {
    shares_as(codes, components, of)
}

/// [`shares`] in the number type of the result. Each row is computed in `f64`.
fn shares_as<T: Real, S: Real>(codes: &Matrix<T>, components: &Matrix<T>, of: ShareOf) -> Matrix<S> {
    let sizes = of.sizes(components);
    let mut out = Matrix::zeros(codes.rows(), codes.columns());
    let mut row = vec![0.0; codes.columns()];
    for i in 0..codes.rows() {
        let products = codes.row(i).iter().zip(&sizes).map(|(code, size)| code.to_f64() * size);
        row.iter_mut().zip(products).for_each(|(share, product)| *share = product);
        let sum: f64 = row.iter().sum();
        if sum > 0.0 {
            row.iter_mut().for_each(|share| *share /= sum);
        }
        out.row_mut(i).iter_mut().zip(&row).for_each(|(out, share)| *out = S::from_f64(*share));
    }
    out
}

/// Memberships as [`shares`] gives them, made when they are asked for, so that there is no matrix of them.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct SharesOf<'a, T> {
    codes: &'a Matrix<T>,
    sizes: Vec<f64>,
    /// Of each row, the sum of its products of code and size; 1 for a row of zeros.
    sums: Vec<f64>,
}

impl<'a, T: Real> SharesOf<'a, T> {
    /// From codes (n × k) and components (k × d).
    pub fn new(codes: &'a Matrix<T>, components: &Matrix<T>, of: ShareOf) -> Self {
        let sizes = of.sizes(components);
        let sum = |i| {
            let sum: f64 = codes.row(i).iter().zip(&sizes).map(|(code, size)| code.to_f64() * size).sum();
            if sum > 0.0 { sum } else { 1.0 }
        };
        let sums = (0..codes.rows()).map(sum).collect();
        SharesOf { codes, sizes, sums }
    }

    /// The membership of sample `i` in component `j`.
    ///
    /// # Panics
    /// When there is no such sample or component.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.codes.get(i, j).to_f64() * self.sizes[j] / self.sums[i]
    }

    /// Those of sample `i`.
    ///
    /// # Panics
    /// When there is no such sample.
    pub fn row(&self, i: usize) -> Vec<f64> {
        (0..self.sizes.len()).map(|j| self.get(i, j)).collect()
    }
}

/// Which components belong together: those of a topic or class. Free components come after them, each by
/// itself.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct Owners {
    names: Vec<String>,
    components: Vec<Range<usize>>,
}

impl Owners {
    /// Of the topics with the numbers of their components, the first ones, and of free components.
    pub fn new(topics: &[(String, usize)], component_names: &[String]) -> Self {
        let mut owners = Owners::default();
        let free = component_names.iter().skip(topics.iter().map(|(_, count)| count).sum());
        for (name, count) in
            topics.iter().map(|(name, count)| (name, *count)).chain(free.map(|name| (name, 1)))
        {
            let first = owners.components.last().map_or(0, |range| range.end);
            owners.names.push(name.clone());
            owners.components.push(first..first + count);
        }
        owners
    }

    /// The names of the topics and of the free components.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The components of each of them.
    pub fn components(&self) -> &[Range<usize>] {
        &self.components
    }

    /// Memberships in each of them (n × owners): the sums of those in their components (n × k).
    pub fn memberships<T: Real>(&self, shares: &Matrix<T>) -> Matrix<T> {
        Matrix::from_fn(shares.rows(), self.components.len(), |i, owner| {
            self.membership(owner, shares.row(i))
        })
    }

    /// Of a row of memberships in components, the membership in one of them.
    fn membership<T: Real>(&self, owner: usize, shares: &[T]) -> T {
        shares[self.components[owner].clone()].iter().fold(T::ZERO, |sum, share| sum + *share)
    }

    /// The one with the largest membership of each row, the first of equals; `None` for a row of zeros.
    fn largest<T: Real>(&self, shares: &Matrix<T>) -> Vec<Option<usize>> {
        let mut row = vec![T::ZERO; self.components.len()];
        let mut of = |i: usize| {
            row.iter_mut().enumerate().for_each(|(j, sum)| *sum = self.membership(j, shares.row(i)));
            largest_above_zero(&row)
        };
        (0..shares.rows()).map(&mut of).collect()
    }
}

/// The topic and the component that each sample belongs to, and its memberships.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Memberships<T> {
    /// The topic or free component with the largest membership (the first of equals), as a number of the
    /// owners; `None` for a row of zeros. Memberships are compared, not codes: scaling a component up and
    /// its codes down does not change the factorization.
    pub topic: Vec<Option<usize>>,
    /// The component with the largest membership among those of this topic.
    pub cluster: Vec<Option<usize>>,
    /// n × k, as [`shares`] gives them.
    pub shares: Matrix<T>,
    /// How they measure a component.
    pub of: ShareOf,
    /// Which components belong together.
    pub owners: Owners,
}

impl<T: Real> Memberships<T> {
    /// From W (n × k) and H (k × d).
    pub fn new(codes: &Matrix<T>, components: &Matrix<T>, of: ShareOf, owners: Owners) -> Self {
        let shares: Matrix<T> = shares_as(codes, components, of);
        let topic = owners.largest(&shares);
        let cluster = |(i, topic): (usize, &Option<usize>)| {
            let range = owners.components[(*topic)?].clone();
            Some(range.start + largest(&shares.row(i)[range]))
        };
        let cluster = topic.iter().enumerate().map(cluster).collect();
        Memberships { topic, cluster, shares, of, owners }
    }

    /// The name of each sample's topic, blank where there is none.
    pub fn names(&self) -> Vec<String> {
        let name = |topic: &Option<usize>| topic.map_or(String::new(), |t| self.owners.names[t].clone());
        self.topic.iter().map(name).collect()
    }

    /// Samples of each component (k).
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.shares.columns()];
        self.cluster.iter().flatten().for_each(|c| sizes[*c] += 1);
        sizes
    }
}

once! {
    /// The component with the largest membership of each sample, the first of equals; -1 for a row of zeros.
    /// From codes (n × k, row-major) and the size of each component: without a matrix of memberships.
    #[doc(hidden)]
    pub fn largest_components<'a, T>(codes: &'a [T], sizes: &'a [f64]) -> Vec<i64> = largest_products;
}

/// The body of [`largest_components`].
fn largest_products<T: Real>(codes: &[T], sizes: &[f64]) -> Vec<i64> {
    dispatch(LargestProducts { codes, sizes })
}

/// Many rows at once, one a lane. Rows in which the largest product may not be the only one are looked at by
/// themselves.
struct LargestProducts<'a, T> {
    codes: &'a [T],
    sizes: &'a [f64],
}

impl<T: Real> Kernel for LargestProducts<'_, T> {
    type Output = Vec<i64>;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> Vec<i64> {
        let LargestProducts { codes, sizes } = self;
        let k = sizes.len().max(1);
        let mut found = Vec::with_capacity(codes.len() / k);
        let mut lanes = vec![[T::ZERO; LANES]; padded(k)];
        let mut products = vec![0.0; sizes.len()];
        for rows in codes.chunks(LANES * k) {
            turn_in(rows, k, &mut lanes);
            let (mut best, mut most, mut sum) = ([0i64; LANES], [f64::NEG_INFINITY; LANES], [0.0; LANES]);
            for (j, (codes, size)) in (0..).zip(lanes.iter().zip(sizes)) {
                for l in 0..LANES {
                    let product = codes[l].to_f64() * size;
                    sum[l] += product;
                    best[l] = if product > most[l] { j } else { best[l] };
                    most[l] = if product > most[l] { product } else { most[l] };
                }
            }
            let mut near = [0i64; LANES];
            for (codes, size) in lanes.iter().zip(sizes) {
                for l in 0..LANES {
                    near[l] += i64::from(codes[l].to_f64() * size >= most[l] * NEAR);
                }
            }
            // Nearly always the largest product of each row is above 0 and alone, and all are finite.
            let least =
                most.iter().fold(f64::INFINITY, |least, most| if *most < least { *most } else { least });
            let alone = near.iter().fold(0, |any, near| any | (near ^ 1)) == 0;
            if alone && least > 0.0 && sum.iter().sum::<f64>() < f64::INFINITY {
                found.extend_from_slice(&best[..rows.len() / k]);
            } else {
                found.extend(rows.chunks_exact(k).map(|row| largest_product(row, sizes, &mut products)));
            }
        }
        found
    }
}

/// Products that differ in their last digit may be equal as shares: the least share of the largest that an
/// equal one has.
const NEAR: f64 = 1.0 - 4.0 * f64::EPSILON;

/// Of one row.
#[inline(never)]
fn largest_product<T: Real>(row: &[T], sizes: &[f64], products: &mut [f64]) -> i64 {
    let (mut best, mut most, mut sum) = (0, f64::NEG_INFINITY, 0.0);
    for (j, (code, size)) in row.iter().zip(sizes).enumerate() {
        let product = code.to_f64() * size;
        products[j] = product;
        sum += product;
        (best, most) = if product > most { (j, product) } else { (best, most) };
    }
    if !(most > 0.0 && sum.is_finite()) {
        return if most / sum > 0.0 { best as i64 } else { -1 };
    }
    let equal = |product: &f64| *product >= most * NEAR && product / sum == most / sum;
    products[..best].iter().position(equal).unwrap_or(best) as i64
}

/// The place of the largest entry of each row, the first of equals; `None` for a row of zeros.
#[doc(hidden)]
pub fn clusters<T: Real>(matrix: &Matrix<T>) -> Vec<Option<usize>> {
    (0..matrix.rows()).map(|i| largest_above_zero(matrix.row(i))).collect()
}

fn largest_above_zero<T: Real>(row: &[T]) -> Option<usize> {
    Some(largest(row)).filter(|j| row.get(*j).is_some_and(|value| *value > T::ZERO))
}

/// ‖h_j‖ of each component (k × d), by which a code is measured so that rescaling a component against its
/// codes changes nothing.
pub(super) fn component_lengths<T: Real>(components: &Matrix<T>) -> Vec<f64> {
    let largest = components.as_slice().iter().fold(0.0f64, |most, h| most.max(h.to_f64()));
    // Squares out of range: the lengths in units of the largest entry.
    let unit = if largest == 0.0 || (1e-100..=1e100).contains(&largest) { 1.0 } else { largest };
    let length = |j: usize| components.row(j).iter().map(|h| (h.to_f64() / unit).powi(2)).sum::<f64>().sqrt();
    (0..components.rows()).map(|j| length(j) * unit).collect()
}

/// The place of the first largest entry.
pub(super) fn largest<T: Real>(row: &[T]) -> usize {
    (0..row.len()).fold(0, |best, j| if row[j] > row[best] { j } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_zeros_belongs_nowhere_and_shares_sum_to_1() {
        let codes = Matrix::from_vec(3, 2, vec![1.0, 2.0, 0.0, 0.0, 3.0, 3.0]).unwrap();
        let components = Matrix::from_vec(2, 2, vec![3.0, 4.0, 0.0, 1.0]).unwrap();
        let names = ["a".to_string(), "b".to_string()];
        let of = |of| Memberships::<f64>::new(&codes, &components, of, Owners::new(&[], &names));
        let found = of(ShareOf::Length);
        assert_eq!(found.cluster, [Some(0), None, Some(0)]);
        assert_eq!(found.shares.row(0), [5.0 / 7.0, 2.0 / 7.0]);
        assert_eq!(found.shares.row(1), [0.0, 0.0]);
        let by_sum = of(ShareOf::Sum);
        assert_eq!(by_sum.shares.row(0), [7.0 / 9.0, 2.0 / 9.0]);
        assert_eq!(found.sizes(), [2, 0]);
        let made = SharesOf::new(&codes, &components, ShareOf::Length);
        assert!((0..3).all(|i| made.row(i) == found.shares.row(i)));
    }

    #[test]
    fn the_largest_component_is_that_of_the_memberships() {
        // With ties, rows of zeros, and components of different sizes.
        let codes = Matrix::from_fn(60, 7, |i, j| (((i * 5 + j * j) % 6) * usize::from(i % 9 > 0)) as f64);
        let components = Matrix::from_fn(7, 4, |j, f| f64::from(((j % 3 + f) % 5) as u8));
        for of in [ShareOf::Length, ShareOf::Sum] {
            let expected = clusters(&shares(&codes, &components, of));
            let expected: Vec<i64> = expected.iter().map(|j| j.map_or(-1, |j| j as i64)).collect();
            let sizes = of.sizes(&components);
            assert_eq!(largest_components(codes.as_slice(), &sizes), expected);
            assert_eq!(largest_components(codes.cast::<f32>().as_slice(), &sizes), expected);
        }
    }

    #[test]
    fn memberships_in_the_components_of_a_topic_are_summed() {
        let codes = Matrix::from_vec(2, 3, vec![3.0, 3.0, 4.0, 1.0, 0.0, 4.0]).unwrap();
        let components = Matrix::from_fn(3, 3, |j, f| f64::from(j == f));
        let names = ["sea 1", "sea 2", "part 3"].map(String::from);
        let owners = Owners::new(&[("sea".into(), 2)], &names);
        let found = Memberships::<f64>::new(&codes, &components, ShareOf::Length, owners);
        assert_eq!(found.names(), ["sea", "part 3"]);
        assert_eq!(found.cluster, [Some(0), Some(2)]);
    }
}
