//! The seam of the project: the objective seen from one factor U (rows × k), everything else held.
//!
//! ```text
//! Quadratic     f(U) = Σᵢ ( ½ uᵢ(G_i + δᵢI)uᵢᵀ − cᵢuᵢᵀ + sᵢ·λuᵢᵀ ) + constant
//!               G_i = G, or G + w(D − D^½r̂r̂ᵀD^½) for the rows of a group, with a diagonal metric D (METHODS R5: D = I) that is 0 at
//!               the components that the group spares
//! KlMajorizer   f(U) ≤ Σᵢⱼ ( −nᵢⱼ·ũᵢⱼ·ln uᵢⱼ + (tᵢbⱼ + sᵢλⱼ)·uᵢⱼ + ½(aⱼ + δᵢ)uᵢⱼ² ) + constant,   equal at U = Ũ
//! ```
//!
//! c is the cross matrix, split as MU needs it: c ≥ 0 goes to the numerator, the linear penalty λ to the denominator.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::linalg::Matrix;
use crate::real::Real;

/// Rows that share a Gram of their own: G + weight·(D − D^½ d dᵀ D^½) + A with the unit vector d (or zeros) and the quadratic's diagonal
/// metric D. It is what remains of an anchor w ≈ scale·reference after its free scale is minimized out.
#[derive(Clone, Debug, PartialEq)]
pub struct RowGroup<T> {
    /// The rows, ascending.
    pub rows: Vec<u32>,
    /// How strongly the rows are held to the direction (m² of WS-NMF).
    pub weight: T,
    /// The direction, of unit length (k), or zeros.
    pub direction: Vec<T>,
    /// Components that the weight leaves alone, ascending: D counts as 0 there.
    pub spared: Vec<u32>,
    /// A further part A (k × k) of the Gram, symmetric; G + A is positive semi-definite without a negative entry where G is. 0
    /// when absent.
    pub added: Option<Matrix<T>>,
}

impl<T: Real> RowGroup<T> {
    /// Rows whose Gram is G + A.
    pub(crate) fn with_gram(rows: Vec<u32>, added: Matrix<T>) -> Self {
        RowGroup {
            rows,
            weight: T::ZERO,
            direction: vec![T::ZERO; added.columns()],
            spared: Vec::new(),
            added: Some(added),
        }
    }

    /// D^½·d.
    fn metric_direction(&self, metric: Option<&[T]>) -> Vec<T> {
        match metric {
            None => self.direction.clone(),
            Some(metric) => self.direction.iter().zip(metric).map(|(d, m)| *d * Real::sqrt(*m)).collect(),
        }
    }

    /// The diagonal D of this group at component `j`.
    fn metric_at(&self, metric: Option<&[T]>, j: usize) -> T {
        if self.spared.binary_search(&(j as u32)).is_ok() {
            return T::ZERO;
        }
        metric.map_or(T::ONE, |m| m[j])
    }

    /// G + weight·(D − D^½ d dᵀ D^½) + A, k × k; D = I without a metric.
    pub fn gram(&self, base: &Matrix<T>, metric: Option<&[T]>) -> Matrix<T> {
        let k = base.columns();
        let direction = self.metric_direction(metric);
        // What is left of a Gram of which (nearly) all is taken away is rounding: no curvature then.
        let least = T::from_f64(T::EPSILON.to_f64() * 64.0);
        let vanishes = |j: usize| {
            self.added.as_ref().is_some_and(|a| base.get(j, j) + a.get(j, j) <= least * base.get(j, j))
        };
        Matrix::from_fn(k, k, |i, j| {
            if vanishes(i) || vanishes(j) {
                return T::ZERO;
            }
            let diagonal = if i == j { self.metric_at(metric, i) } else { T::ZERO };
            let added = self.added.as_ref().map_or(T::ZERO, |a| a.get(i, j));
            base.get(i, j) + self.weight * (diagonal - direction[i] * direction[j]) + added
        })
    }

    /// Whether its Gram has no negative entry beside a non-negative base: true when the direction has one non-zero entry.
    pub(crate) fn is_diagonal(&self) -> bool {
        self.direction.iter().filter(|d| **d != T::ZERO).count() <= 1
    }
}

/// What both kinds of subproblem share: penalties of the rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Penalties<T> {
    /// λ (k): the linear penalty of each component, ≥ 0.
    pub linear: Vec<T>,
    /// sᵢ (rows): multiplies the linear penalty of a row; all 1 when absent.
    pub linear_rows: Option<Vec<T>>,
    /// δᵢ (rows): added to the diagonal for this row; all 0 when absent.
    pub shift: Option<Vec<T>>,
}

impl<T: Real> Penalties<T> {
    pub(crate) fn none(rank: usize) -> Self {
        Penalties { linear: vec![T::ZERO; rank], linear_rows: None, shift: None }
    }

    /// sᵢ.
    pub(crate) fn linear_row(&self, row: usize) -> T {
        self.linear_rows.as_ref().map_or(T::ONE, |s| s[row])
    }

    /// δᵢ.
    pub(crate) fn shift_row(&self, row: usize) -> T {
        self.shift.as_ref().map_or(T::ZERO, |s| s[row])
    }

    /// Adds `values` to the shifts, creating them at need.
    pub(crate) fn add_shift(&mut self, rows: usize, values: impl Iterator<Item = T>) {
        let shift = self.shift.get_or_insert_with(|| vec![T::ZERO; rows]);
        for (s, v) in shift.iter_mut().zip(values) {
            *s += v;
        }
    }
}

/// A quadratic in one factor, with independent rows. See the module's formula.
#[derive(Clone, Debug)]
pub struct Quadratic<T> {
    /// G (k × k), symmetric positive semi-definite.
    pub gram: Matrix<T>,
    /// C (rows × k).
    pub cross: Matrix<T>,
    /// Linear penalties and shifts.
    pub penalties: Penalties<T>,
    /// Rows with a Gram of their own; every other row uses `gram`.
    pub groups: Arc<Vec<RowGroup<T>>>,
    /// The diagonal metric D (k) of the groups; I when absent.
    pub group_metric: Option<Vec<T>>,
    /// What does not depend on this factor (without the loss, for a factor from which the data are not seen).
    pub constant: f64,
    /// Whether it lies above the objective away from the current factor (equal there) instead of being the objective.
    pub majorizer: bool,
}

impl<T: Real> Quadratic<T> {
    /// That of a factor (rows × k) from which the data are not seen: all of it comes from terms.
    pub(crate) fn of_terms((rows, k): (usize, usize)) -> Self {
        Quadratic {
            gram: Matrix::zeros(k, k),
            cross: Matrix::zeros(rows, k),
            penalties: Penalties::none(k),
            groups: Arc::default(),
            group_metric: None,
            constant: 0.0,
            majorizer: false,
        }
    }

    /// Adds groups whose Gram is G + A. Rows that are in a group already get both parts.
    pub(crate) fn add_groups(&mut self, groups: Vec<RowGroup<T>>) {
        if self.groups.is_empty() {
            self.groups = Arc::new(groups);
            return;
        }
        let places = |groups: &[RowGroup<T>]| {
            let mut place = vec![None; self.cross.rows()];
            for (at, group) in groups.iter().enumerate() {
                group.rows.iter().for_each(|&row| place[row as usize] = Some(at));
            }
            place
        };
        let mut joined: BTreeMap<(Option<usize>, Option<usize>), Vec<u32>> = BTreeMap::new();
        for (row, key) in places(&self.groups).into_iter().zip(places(&groups)).enumerate() {
            joined.entry(key).or_default().push(row as u32);
        }
        joined.remove(&(None, None));
        let join = |((one, two), rows): ((Option<usize>, Option<usize>), Vec<u32>)| {
            let (one, two) = (one.map(|at| &self.groups[at]), two.map(|at| &groups[at]));
            let mut group = one.or(two).expect("a row in neither was left out").clone();
            group.rows = rows;
            if let (Some(_), Some(two)) = (one, two) {
                group.added = match (group.added, &two.added) {
                    (Some(mut a), Some(b)) => {
                        a.as_mut_slice().iter_mut().zip(b.as_slice()).for_each(|(a, b)| *a += *b);
                        Some(a)
                    }
                    (a, b) => a.or_else(|| b.clone()),
                };
            }
            group
        };
        self.groups = Arc::new(joined.into_iter().map(join).collect());
    }

    /// f(U) in `f64`. `own_gram` is UᵀU where the caller has it.
    ///
    /// # Panics
    /// When `factor` does not have the shape of `cross`.
    pub fn value(&self, factor: &Matrix<T>, own_gram: Option<&Matrix<T>>) -> f64 {
        assert_eq!(factor.shape(), self.cross.shape(), "the factor must have the shape of the cross matrix");
        let mut value = match own_gram {
            Some(own) => 0.5 * dot(own.as_slice(), self.gram.as_slice()),
            None => (0..factor.rows()).map(|i| 0.5 * form(&self.gram, factor.row(i))).sum(),
        };
        value -= dot(self.cross.as_slice(), factor.as_slice());
        value += penalty_value(&self.penalties, factor);
        for group in self.groups.iter() {
            let weight = group.weight.to_f64();
            let direction = group.metric_direction(self.group_metric.as_deref());
            for &row in &group.rows {
                let u = factor.row(row as usize);
                let along = dot(u, &direction);
                value += 0.5 * weight * (self.metric_square(group, u) - along * along);
                value += group.added.as_ref().map_or(0.0, |added| 0.5 * form(added, u));
            }
        }
        value + self.constant
    }

    /// u D uᵀ.
    fn metric_square(&self, group: &RowGroup<T>, u: &[T]) -> f64 {
        let metric = |j: usize| group.metric_at(self.group_metric.as_deref(), j).to_f64();
        u.iter().enumerate().map(|(j, v)| metric(j) * v.to_f64() * v.to_f64()).sum()
    }

    /// The gradient of one row, G_i u + δu − c + sλ, in `f64`.
    pub fn gradient_row(&self, row: usize, u: &[T], group: Option<&RowGroup<T>>) -> Vec<f64> {
        let k = u.len();
        let shift = self.penalties.shift_row(row).to_f64();
        let scale = self.penalties.linear_row(row).to_f64();
        let direction = group.map(|g| g.metric_direction(self.group_metric.as_deref()));
        let along = direction.as_ref().map_or(0.0, |d| dot(u, d));
        (0..k)
            .map(|j| {
                let mut g = dot(self.gram.row(j), u) + shift * u[j].to_f64();
                g += scale * self.penalties.linear[j].to_f64() - self.cross.get(row, j).to_f64();
                if let (Some(group), Some(direction)) = (group, &direction) {
                    let metric = group.metric_at(self.group_metric.as_deref(), j).to_f64();
                    g += group.weight.to_f64() * (metric * u[j].to_f64() - along * direction[j].to_f64());
                    g += group.added.as_ref().map_or(0.0, |added| dot(added.row(j), u));
                }
                g
            })
            .collect()
    }
}

/// The Kullback–Leibler twin of [`Quadratic`]: a separable upper bound, equal at the factor it was formed at.
#[derive(Clone, Debug)]
pub struct KlMajorizer<T> {
    /// N (rows × k): R·V with R = X/(UVᵀ) at the current factors.
    pub numerator: Matrix<T>,
    /// b (k): column sums of the other factor.
    pub base: Vec<T>,
    /// tᵢ (rows): multiplies b in this row; all 1 when absent.
    pub base_rows: Option<Vec<T>>,
    /// a (k): ridge of each component.
    pub ridge: Vec<T>,
    /// Linear penalties and shifts.
    pub penalties: Penalties<T>,
    /// Everything that, added to the formula at U = Ũ, gives the objective there.
    pub constant: f64,
    /// Σ x·ln(x/(UVᵀ)) at the current factors.
    pub log_sum: f64,
}

impl<T: Real> KlMajorizer<T> {
    /// tᵢ.
    fn base_row(&self, row: usize) -> T {
        self.base_rows.as_ref().map_or(T::ONE, |t| t[row])
    }

    /// The objective at the current factor (at which the majorizer was formed).
    pub fn value_here(&self, factor: &Matrix<T>) -> f64 {
        let mut value = self.log_sum + self.constant + penalty_value(&self.penalties, factor);
        for i in 0..factor.rows() {
            let times = self.base_row(i).to_f64();
            for (j, u) in factor.row(i).iter().enumerate() {
                let u = u.to_f64();
                value += times * self.base[j].to_f64() * u + 0.5 * self.ridge[j].to_f64() * u * u;
            }
        }
        value
    }

    /// The majorizer at `factor`, formed at `here`.
    pub fn value(&self, here: &Matrix<T>, factor: &Matrix<T>) -> f64 {
        let mut value = self.value_here(factor);
        for (i, n) in self.numerator.as_slice().iter().enumerate() {
            let (old, new) = (here.as_slice()[i].to_f64(), factor.as_slice()[i].to_f64());
            let weight = n.to_f64() * old;
            if weight > 0.0 {
                value -= weight * (new / old).ln();
            }
        }
        value
    }

    /// The gradient of one row at the current factor: tb + sλ + (a + δ)u − n, in `f64`.
    pub fn gradient_row(&self, row: usize, u: &[T]) -> Vec<f64> {
        let shift = self.penalties.shift_row(row).to_f64();
        let times = self.base_row(row).to_f64();
        let scale = self.penalties.linear_row(row).to_f64();
        (0..u.len())
            .map(|j| {
                times * self.base[j].to_f64()
                    + scale * self.penalties.linear[j].to_f64()
                    + (self.ridge[j].to_f64() + shift) * u[j].to_f64()
                    - self.numerator.get(row, j).to_f64()
            })
            .collect()
    }
}

/// The objective seen from one factor.
#[derive(Clone, Debug)]
pub enum Subproblem<T> {
    /// Frobenius loss.
    Quadratic(Quadratic<T>),
    /// Kullback–Leibler loss.
    KullbackLeibler(KlMajorizer<T>),
}

impl<T: Real> Subproblem<T> {
    pub(crate) fn penalties_mut(&mut self) -> &mut Penalties<T> {
        match self {
            Subproblem::Quadratic(q) => &mut q.penalties,
            Subproblem::KullbackLeibler(m) => &mut m.penalties,
        }
    }

    pub(crate) fn add_constant(&mut self, value: f64) {
        match self {
            Subproblem::Quadratic(q) => q.constant += value,
            Subproblem::KullbackLeibler(m) => m.constant += value,
        }
    }

    /// The squared norm of the projected gradient over all rows at the current factor: the gradient where u > 0,
    /// its negative part where u = 0.
    pub fn squared_projected_gradient(&self, factor: &Matrix<T>) -> f64 {
        let mut group_of: Vec<Option<&RowGroup<T>>> = vec![None; factor.rows()];
        if let Subproblem::Quadratic(q) = self {
            for group in q.groups.iter() {
                group.rows.iter().for_each(|&row| group_of[row as usize] = Some(group));
            }
        }
        let mut sum = 0.0;
        for i in 0..factor.rows() {
            let u = factor.row(i);
            let gradient = match self {
                Subproblem::Quadratic(q) => q.gradient_row(i, u, group_of[i]),
                Subproblem::KullbackLeibler(m) => m.gradient_row(i, u),
            };
            for (g, u) in gradient.iter().zip(u) {
                let g = if *u > T::ZERO { *g } else { g.min(0.0) };
                sum += g * g;
            }
        }
        sum
    }
}

fn penalty_value<T: Real>(penalties: &Penalties<T>, factor: &Matrix<T>) -> f64 {
    let mut value = 0.0;
    if penalties.linear.iter().any(|l| *l != T::ZERO) {
        for i in 0..factor.rows() {
            value += penalties.linear_row(i).to_f64() * dot(&penalties.linear, factor.row(i));
        }
    }
    if let Some(shift) = &penalties.shift {
        for (i, s) in shift.iter().enumerate() {
            let u = factor.row(i);
            value += 0.5 * s.to_f64() * dot(u, u);
        }
    }
    value
}

/// Σ aᵢbᵢ in `f64`.
pub(crate) fn dot<T: Real>(a: &[T], b: &[T]) -> f64 {
    // Eight partial sums in a fixed order: fast and the same everywhere.
    let mut sums = [0.0f64; 8];
    let (chunks_a, chunks_b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 =
        chunks_a.remainder().iter().zip(chunks_b.remainder()).map(|(x, y)| x.to_f64() * y.to_f64()).sum();
    for (x, y) in chunks_a.zip(chunks_b) {
        for lane in 0..8 {
            sums[lane] += x[lane].to_f64() * y[lane].to_f64();
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// u G uᵀ in `f64`.
fn form<T: Real>(gram: &Matrix<T>, u: &[T]) -> f64 {
    (0..u.len()).map(|j| u[j].to_f64() * dot(gram.row(j), u)).sum()
}
