//! The oracle of the tests: plain `f64` loops over a dense copy of X, one thread, no caching. It shares the
//! solvers and the terms with the other backends and nothing else.

use super::coordinates::{costs, linear_costs, side};
use super::{Backend, Exact};
use crate::engine::Problem;
use crate::engine::losses::Loss;
use crate::engine::quadratic::{KlMajorizer, Penalties, Quadratic, Subproblem};
use crate::engine::solvers::{Hals, KlRows, NnlsSolver, Rows, SolverChoice, improve_kl_rows};
use crate::engine::term;
use crate::engine::{Factors, Slot};
use crate::foundation::Matrix;

/// See the module.
pub struct ReferenceBackend<'p, 'a> {
    problem: &'p Problem<'a, f64>,
    data: Vec<Vec<f64>>,
    factors: Factors<f64>,
    current: Option<(Slot, Subproblem<f64>)>,
    states: [(Vec<f64>, usize); Slot::ALL.len()],
}

impl<'p, 'a> ReferenceBackend<'p, 'a> {
    /// At the start of a problem.
    pub fn new(problem: &'p Problem<'a, f64>, start: Factors<f64>) -> Self {
        let source = problem.data();
        let data = (0..source.n_samples())
            .map(|i| {
                let mut row = vec![0.0; source.n_features()];
                source.add_row(i, 1.0, &mut row);
                row
            })
            .collect();
        ReferenceBackend { problem, data, factors: start, current: None, states: Default::default() }
    }

    /// The subproblem that was formed last.
    pub fn subproblem(&self) -> Option<&Subproblem<f64>> {
        self.current.as_ref().map(|(_, subproblem)| subproblem)
    }

    /// A row of a factor as the other one meets it: v, or v·S with smoothing.
    fn seen(&self, slot: Slot, row: usize) -> Vec<f64> {
        let mut row = self.factors.get(slot).row(row).to_vec();
        if let Some(smoothing) = self.problem.smoothing {
            smoothing.smooth_row(&mut row);
        }
        row
    }

    /// (WSH)ᵢₑ for feature e.
    fn product(&self, i: usize, feature: usize) -> f64 {
        let (w, h) = (self.factors.get(Slot::Codes).row(i), self.seen(Slot::Components, feature));
        w.iter().zip(&h).map(|(a, b)| a * b).sum()
    }

    /// Σ over the entries of row `row` of the slot of weight(x, wh)·v, with v the row of the other factor.
    fn weighted_rows(&self, slot: Slot, weight: impl Fn(f64, f64) -> f64) -> Matrix<f64> {
        let (rows, k) = self.factors.get(slot).shape();
        let mut out = Matrix::zeros(rows, k);
        for (i, row) in self.data.iter().enumerate() {
            for (feature, x) in row.iter().enumerate() {
                let (mine, other) = if slot == Slot::Codes { (i, feature) } else { (feature, i) };
                let weight = weight(*x, self.product(i, feature));
                let v = self.seen(slot.other(), other);
                for (o, v) in out.row_mut(mine).iter_mut().zip(&v) {
                    *o += weight * v;
                }
            }
        }
        out
    }

    /// From the rows or columns of images, naively.
    fn restrict_to_images(&self, slot: Slot) -> Quadratic<f64> {
        let (codes, other) = (self.factors.get(Slot::Codes), self.factors.get(slot.other()));
        let q = self.factors.get(Slot::ImageColumns).rows();
        let mut quadratic = Quadratic::of_terms(self.factors.get(slot).shape());
        let k = other.columns();
        for j in 0..k {
            for l in 0..k {
                let of = |m: &Matrix<f64>| (0..m.rows()).map(|i| m.get(i, j) * m.get(i, l)).sum::<f64>();
                quadratic.gram.set(j, l, of(codes) * of(other));
            }
            for (i, row) in self.data.iter().enumerate() {
                for (at, x) in row.iter().enumerate() {
                    let (a, b) = (at / q, at % q);
                    let (mine, theirs) = if slot == Slot::ImageRows { (a, b) } else { (b, a) };
                    quadratic.cross.row_mut(mine)[j] += x * codes.get(i, j) * other.get(theirs, j);
                }
            }
        }
        quadratic.constant = 0.5 * self.data.iter().flatten().map(|x| x * x).sum::<f64>();
        quadratic
    }

    /// The images that rows and columns make, as components.
    fn compose(&mut self) {
        let (u, v) = (self.factors.get(Slot::ImageRows), self.factors.get(Slot::ImageColumns));
        let mut composed = Matrix::zeros(u.rows() * v.rows(), u.columns());
        for a in 0..u.rows() {
            for b in 0..v.rows() {
                for j in 0..u.columns() {
                    composed.set(a * v.rows() + b, j, u.get(a, j) * v.get(b, j));
                }
            }
        }
        *self.factors.get_mut(Slot::Components) = composed;
    }

    /// From codes or components, naively.
    fn restrict_to_data(&self, slot: Slot) -> Subproblem<f64> {
        let other = self.factors.get(slot.other());
        let k = other.columns();
        let sum = |f: &dyn Fn(&[f64]) -> f64| {
            (0..other.rows()).map(|i| f(&self.seen(slot.other(), i))).sum::<f64>()
        };
        match self.problem.loss {
            Loss::Frobenius => Subproblem::Quadratic(Quadratic {
                gram: Matrix::from_fn(k, k, |a, b| sum(&|row| row[a] * row[b])),
                cross: self.weighted_rows(slot, |x, _| x),
                penalties: Penalties::none(k),
                groups: Default::default(),
                group_metric: None,
                constant: 0.5 * self.data.iter().flatten().map(|x| x * x).sum::<f64>()
                    + self.problem.merge_constant,
                majorizer: false,
            }),
            Loss::KullbackLeibler => {
                let mut log_sum = 0.0;
                for (i, row) in self.data.iter().enumerate() {
                    for (feature, x) in row.iter().enumerate().filter(|(_, x)| **x > 0.0) {
                        log_sum += x * (x / self.product(i, feature)).ln();
                    }
                }
                Subproblem::KullbackLeibler(KlMajorizer {
                    numerator: self.weighted_rows(slot, |x, p| if x > 0.0 { x / p } else { 0.0 }),
                    base: (0..k).map(|j| sum(&|row| row[j])).collect(),
                    base_rows: None,
                    ridge: vec![0.0; k],
                    entries: None,
                    penalties: Penalties::none(k),
                    constant: self.problem.merge_constant - self.data.iter().flatten().sum::<f64>(),
                    log_sum,
                })
            }
        }
    }

    /// The loss in the half form, naively.
    fn loss(&self) -> f64 {
        let mut sum = 0.0;
        for (i, row) in self.data.iter().enumerate() {
            for (feature, x) in row.iter().enumerate() {
                let p = self.product(i, feature);
                sum += match self.problem.loss {
                    Loss::Frobenius => 0.5 * (x - p) * (x - p),
                    Loss::KullbackLeibler if *x > 0.0 => x * (x / p).ln() - x + p,
                    Loss::KullbackLeibler => p,
                };
            }
        }
        sum + self.problem.merge_constant
    }
}

impl Backend<f64> for ReferenceBackend<'_, '_> {
    fn slots(&self) -> Vec<Slot> {
        self.problem.order.clone()
    }

    fn restrict(&mut self, slot: Slot) {
        let mut subproblem = match slot {
            Slot::Codes | Slot::Components => self.restrict_to_data(slot),
            Slot::ImageRows | Slot::ImageColumns => Subproblem::Quadratic(self.restrict_to_images(slot)),
            Slot::Labels | Slot::Scales => {
                Subproblem::Quadratic(Quadratic::of_terms(self.factors.get(slot).shape()))
            }
        };
        for contribution in &self.problem.contributions {
            let n = self.factors.get(Slot::Codes).rows();
            let over_codes = |of_rows: &dyn Fn(std::ops::Range<usize>) -> f64| of_rows(0..n);
            let (factors, one_by_one) = (&self.factors, &term::one_by_one);
            term::add(contribution.as_ref(), slot, factors, &mut subproblem, one_by_one, &over_codes);
        }
        self.current = Some((slot, subproblem));
    }

    fn objective(&mut self) -> f64 {
        let terms: f64 =
            self.problem.contributions.iter().map(|c| c.value(&self.factors, self.problem.loss)).sum();
        self.loss() + terms
    }

    fn improve(&mut self) -> f64 {
        let (slot, subproblem) = self.current.as_ref().expect("a slot was restricted");
        let slot = *slot;
        let solver: Box<dyn NnlsSolver<f64>> = match slot {
            Slot::Scales => Box::new(Hals::new(1)),
            _ => self.problem.solver.build(self.problem.inner_steps),
        };
        let (rows, k) = self.factors.get(slot).shape();
        let width = solver.state_per_row(k);
        let (state, calls) = &mut self.states[slot.index()];
        state.resize(rows * width, 0.0);
        let row_steps = if slot == Slot::Codes { self.problem.row_steps.as_deref() } else { None };
        let inner_steps = self.problem.inner_steps.unwrap_or(self.problem.solver.inner_steps);
        let (data, mut squared) = (self.problem.data(), 0.0);
        let other = if slot.is_main() { self.factors.get(slot.other()).clone() } else { Matrix::zeros(0, k) };
        let other = self.problem.smoothing.map_or_else(|| other.clone(), |s| s.smooth(&other));
        for row in 0..self.factors.get(slot).rows() {
            let factor = self.factors.get_mut(slot).row_mut(row);
            let at = row..row + 1;
            match subproblem {
                Subproblem::Quadratic(q) => {
                    let group = q.groups.iter().find(|g| g.rows.contains(&(row as u32)));
                    let gram =
                        group.map_or_else(|| q.gram.clone(), |g| g.gram(&q.gram, q.group_metric.as_deref()));
                    let view = Rows {
                        gram: &gram,
                        prepared: &solver.prepare(&gram),
                        cross: q.cross.row(row),
                        linear: &q.penalties.linear,
                        linear_rows: q.penalties.linear_rows.as_ref().map(|v| &v[at.clone()]),
                        shift: q.penalties.shift.as_ref().map(|v| &v[at.clone()]),
                        row_steps: row_steps.map(|v| &v[at]),
                        calls: *calls,
                        places: None,
                    };
                    let state = &mut state[row * width..(row + 1) * width];
                    squared += solver.improve_rows(&view, factor, state);
                }
                Subproblem::KullbackLeibler(m) if self.problem.solver.choice == SolverChoice::Newton => {
                    let (linear, sweeps) = (linear_costs(m), inner_steps);
                    let costs = costs(m, &linear);
                    squared += data.steps(side(slot, at), factor, &other, costs, sweeps).squared_gradient;
                }
                Subproblem::KullbackLeibler(m) => {
                    let view = KlRows {
                        numerator: m.numerator.row(row),
                        base: &m.base,
                        base_rows: m.base_rows.as_ref().map(|v| &v[at.clone()]),
                        ridge: &m.ridge,
                        linear: &m.penalties.linear,
                        linear_rows: m.penalties.linear_rows.as_ref().map(|v| &v[at.clone()]),
                        shift: m.penalties.shift.as_ref().map(|v| &v[at]),
                        entries: m.entries.as_ref().map(|m| m.row(row)),
                    };
                    squared += improve_kl_rows(&view, factor);
                }
            }
        }
        *calls += 1;
        self.problem.place_fixed(&mut self.factors, slot);
        let is_zero = |slot: Slot| self.factors.get(slot).as_slice().iter().all(|v| *v == 0.0);
        if self.problem.vanishes_with_partner(slot) && is_zero(slot.other()) && !is_zero(slot) {
            self.factors.get_mut(slot).as_mut_slice().fill(0.0);
        }
        if let (Some(rescaling), Some(&last)) = (&self.problem.rescaling, self.problem.order.last())
            && last == slot
        {
            self.factors.rescaling = rescaling.apply(&mut self.factors);
        }
        if matches!(slot, Slot::ImageRows | Slot::ImageColumns) {
            self.compose();
        }
        if self.problem.has_equal_factors() && slot == Slot::Codes {
            *self.factors.get_mut(Slot::Components) = self.factors.get(Slot::Codes).clone();
        }
        squared
    }

    fn exact(&mut self, gradient: bool) -> Exact {
        let mut parts = vec![("fit".to_string(), self.loss())];
        parts.extend(
            self.problem.contributions.iter().map(|c| (c.name(), c.value(&self.factors, self.problem.loss))),
        );
        if !gradient {
            return Exact { parts, kkt: f64::NAN };
        }
        let mut squared = 0.0;
        for slot in self.slots() {
            self.restrict(slot);
            let (_, subproblem) = self.current.as_ref().expect("a slot was restricted");
            let zero_share = self.problem.zero_share(slot);
            squared += subproblem.squared_projected_gradient(self.factors.get(slot), zero_share);
        }
        Exact { parts, kkt: squared.sqrt() }
    }

    fn into_factors(self: Box<Self>) -> Factors<f64> {
        self.factors
    }
}
