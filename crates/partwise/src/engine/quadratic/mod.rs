//! The core object: the objective as a function of one factor U (rows × k), with everything else fixed.
//!
//! ```text
//! Quadratic     f(U) = Σᵢ ( ½ uᵢ(G_i + δᵢI)uᵢᵀ − cᵢuᵢᵀ + sᵢ·λuᵢᵀ ) + constant
//!               G_i = G, or G + w(D − D^½r̂r̂ᵀD^½) + … for the rows of a group,
//!                   with a diagonal metric D (METHODS R5: D = I);
//!               see RowGroup
//! KlMajorizer   f(U) ≤ Σᵢⱼ ( −nᵢⱼ·ũᵢⱼ·ln uᵢⱼ + (tᵢbⱼ + sᵢλⱼ + Λᵢⱼ)·uᵢⱼ + ½(aⱼ + δᵢ)uᵢⱼ² ) + constant,
//!               equal at U = Ũ
//! ```
//!
//! c is the cross matrix, split as MU needs it: c ≥ 0 goes to the numerator, the linear penalty λ to the
//! denominator.

mod groups;
mod majorizer;
mod projected_gradient;

pub use groups::RowGroup;
pub use majorizer::KlMajorizer;
pub(crate) use projected_gradient::ProjectedGradient;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::foundation::{Matrix, Real};
use crate::kernels::simd::{Kernel, dispatch};
use crate::kernels::sums::wide_gram;

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
    /// Whether it lies above the objective away from the current factor (equal there) instead of being the
    /// objective.
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

    /// Adds groups. Rows that are in a group already get the rules of both.
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
            let first = one.or(two).expect("a row in neither was left out").clone();
            let group = match (one, two) {
                (Some(_), Some(two)) => first.joined(two),
                _ => first,
            };
            RowGroup { rows, ..group }
        };
        self.groups = Arc::new(joined.into_iter().map(join).collect());
    }

    /// f(U) in `f64`. `own_gram` is UᵀU where the caller has it.
    ///
    /// # Panics
    /// When `factor` does not have the shape of `cross`.
    pub fn value(&self, factor: &Matrix<T>, own_gram: Option<&Matrix<T>>) -> f64 {
        assert_eq!(factor.shape(), self.cross.shape(), "the factor must have the shape of the cross matrix");
        let start = match own_gram {
            Some(own) => self.gram_value(own),
            None => (0..factor.rows()).map(|i| 0.5 * form(&self.gram, factor.row(i))).sum(),
        };
        self.value_from(start, factor, 0..factor.rows()) + self.constant
    }

    /// ½⟨UᵀU, G⟩.
    pub(crate) fn gram_value(&self, own_gram: &Matrix<T>) -> f64 {
        0.5 * dot(own_gram.as_slice(), self.gram.as_slice())
    }

    /// `start`, and what some rows add to f(U) beside their part of ½⟨UᵀU, G⟩ and the constant.
    pub(crate) fn value_from(&self, start: f64, factor: &Matrix<T>, rows: Range<usize>) -> f64 {
        let k = factor.columns();
        let entries = rows.start * k..rows.end * k;
        let mut value = start - dot(&self.cross.as_slice()[entries.clone()], &factor.as_slice()[entries]);
        value += penalty_value(&self.penalties, factor, rows.clone());
        for group in self.groups.iter() {
            let members = group.within(&rows);
            let mut taken = group.taken(self.group_metric.as_deref());
            taken.retain(|(weight, _)| *weight != T::ZERO);
            let metric: Vec<f64> = (0..k).map(|j| self.weighted_metric(group, j)).collect();
            if !taken.is_empty() || metric.iter().any(|m| *m != 0.0) {
                for &row in members {
                    let u = factor.row(row as usize);
                    let along: f64 = taken.iter().map(|(w, v)| w.to_f64() * dot(u, v).powi(2)).sum();
                    let square: f64 = metric.iter().zip(u).map(|(m, v)| m * v.to_f64() * v.to_f64()).sum();
                    value += 0.5 * (square - along);
                }
            }
            if let Some(added) = &group.added {
                // Σ uAuᵀ = ⟨A, UᵀU⟩.
                let own = wide_gram(&factor.gathered(members), 0..members.len());
                value += 0.5 * dot(own.as_slice(), added.cast::<f64>().as_slice());
            }
        }
        value
    }

    /// Dⱼ times what the group multiplies it by.
    fn weighted_metric(&self, group: &RowGroup<T>, j: usize) -> f64 {
        group.diagonal(j).to_f64() * self.group_metric.as_ref().map_or(1.0, |m| m[j].to_f64())
    }

    /// The gradient of one row, G_i u + δu − c + sλ, in `f64`.
    pub fn gradient_row(&self, row: usize, u: &[T], group: Option<&RowGroup<T>>) -> Vec<f64> {
        let k = u.len();
        let shift = self.penalties.shift_row(row).to_f64();
        let scale = self.penalties.linear_row(row).to_f64();
        let taken = group.map(|g| g.taken(self.group_metric.as_deref()));
        (0..k)
            .map(|j| {
                if group.is_some_and(|group| group.holds(j)) {
                    return 0.0;
                }
                let mut g = dot(self.gram.row(j), u) + shift * u[j].to_f64();
                g += scale * self.penalties.linear[j].to_f64() - self.cross.get(row, j).to_f64();
                if let (Some(group), Some(taken)) = (group, &taken) {
                    let taken: f64 = taken.iter().map(|(w, v)| w.to_f64() * dot(u, v) * v[j].to_f64()).sum();
                    g += self.weighted_metric(group, j) * u[j].to_f64() - taken;
                    g += group.added.as_ref().map_or(0.0, |added| dot(added.row(j), u));
                }
                g
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

    /// The projected gradient of some rows of a quadratic at a time. `zero_share`: see
    /// [`Subproblem::squared_projected_gradient`].
    pub(crate) fn projected_gradient(&self, zero_share: f64) -> Option<ProjectedGradient<'_, T>> {
        match self {
            Subproblem::Quadratic(quadratic) => Some(ProjectedGradient::new(quadratic, zero_share)),
            Subproblem::KullbackLeibler(_) => None,
        }
    }

    /// The squared norm of the projected gradient over all rows at the current factor: the gradient where u >
    /// 0, its negative part where u = 0. An entry up to `zero_share` of the largest of its row counts as 0.
    pub fn squared_projected_gradient(&self, factor: &Matrix<T>, zero_share: f64) -> f64 {
        match self {
            Subproblem::Quadratic(q) => {
                ProjectedGradient::new(q, zero_share).squared_norm(factor, 0..factor.rows())
            }
            Subproblem::KullbackLeibler(m) => {
                m.squared_projected_gradient(factor, 0..factor.rows(), zero_share)
            }
        }
    }
}

/// What counts as 0 in the projected gradient of multiplicative updates, as a share of the largest entry of
/// the row: they bring an entry near 0 but never there.
pub(crate) const NEAR_ZERO: f64 = 1e-6;

/// The squared norm of the projected gradient of a row.
fn squared_projected_row<T: Real>(gradient: &[f64], u: &[T], zero_share: f64) -> f64 {
    let zero = zero_share * u.iter().fold(0.0, |most, u| f64::max(most, u.to_f64()));
    let projected = |(g, u): (&f64, &T)| if u.to_f64() > zero { *g } else { g.min(0.0) };
    gradient.iter().zip(u).map(projected).map(|g| g * g).sum()
}

/// What the penalties of some rows come to.
fn penalty_value<T: Real>(penalties: &Penalties<T>, factor: &Matrix<T>, rows: Range<usize>) -> f64 {
    let mut value = 0.0;
    if penalties.linear.iter().any(|l| *l != T::ZERO) {
        for i in rows.clone() {
            value += penalties.linear_row(i).to_f64() * dot(&penalties.linear, factor.row(i));
        }
    }
    if let Some(shift) = &penalties.shift {
        for i in rows {
            let u = factor.row(i);
            value += 0.5 * shift[i].to_f64() * dot(u, u);
        }
    }
    value
}

/// Σ aᵢbᵢ in `f64`.
pub(crate) fn dot<T: Real>(a: &[T], b: &[T]) -> f64 {
    // Choosing the instructions takes longer than few products.
    if a.len() < LONG { lanes_dot(a, b) } else { dispatch(Dot { a, b }) }
}

/// Numbers from which on wide instructions pay.
const LONG: usize = 256;

/// [`dot`] in wide instructions.
struct Dot<'a, T> {
    a: &'a [T],
    b: &'a [T],
}

impl<T: Real> Kernel for Dot<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        lanes_dot(self.a, self.b)
    }
}

#[inline(always)]
fn lanes_dot<T: Real>(a: &[T], b: &[T]) -> f64 {
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
