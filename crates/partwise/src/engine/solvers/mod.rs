//! Solvers of one factor's rows: each lowers ½uGuᵀ + … for independent rows u ≥ 0, single-threaded, on the
//! chunk it is given. They know a Gram, rows and nothing else. [`ALL`] is the registry.

mod bpp;
mod hals;
mod kl_mu;
mod mu;
mod nesterov;
mod nesterov_running;
mod tile;

use std::fmt::Debug;

#[doc(hidden)]
pub use bpp::Bpp;
#[doc(hidden)]
pub use hals::Hals;
pub(crate) use hals::Swept;
pub(crate) use kl_mu::{KlRows, improve_kl_rows};
#[doc(hidden)]
pub use mu::Mu;
#[doc(hidden)]
pub use nesterov::Nesterov;
#[doc(hidden)]
pub use nesterov_running::NesterovRunning;

use crate::engine::losses::Loss;
use crate::foundation::{Error, Matrix, Real, Result};

/// Users choose a solver, they don't write one.
mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Bpp {}
    impl Sealed for super::Hals {}
    impl Sealed for super::Mu {}
    impl Sealed for super::Nesterov {}
    impl Sealed for super::NesterovRunning {}
}

/// Rows of a chunk of m rows of a [`Quadratic`](crate::internals::quadratic::Quadratic) that share one Gram:
/// all of them, or those at some places.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, T> {
    /// G (k × k).
    pub gram: &'a Matrix<T>,
    /// What [`NnlsSolver::prepare`] returned for this Gram.
    pub prepared: &'a [T],
    /// C (m × k, row-major).
    pub cross: &'a [T],
    /// λ (k), the linear penalty.
    pub linear: &'a [T],
    /// sᵢ (m): multiplies λ for row i; 1 when absent.
    pub linear_rows: Option<&'a [T]>,
    /// δᵢ (m): added to the diagonal for row i; 0 when absent.
    pub shift: Option<&'a [T]>,
    /// The share (m), at most 1, of the solver's own step that each row takes; 1 when absent. Gradient
    /// solvers only.
    pub row_steps: Option<&'a [T]>,
    /// How often the solver was called on this slot before.
    pub calls: usize,
    /// The places of the rows that are meant, each below m and none twice; all when absent. What else is in
    /// the chunk is left as it is.
    pub places: Option<&'a [u32]>,
}

impl<T: Real> Rows<'_, T> {
    /// k.
    pub fn rank(&self) -> usize {
        self.gram.columns()
    }

    /// How many rows are meant.
    ///
    /// # Panics
    /// When k is 0.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.places.map_or(self.cross.len() / self.rank(), <[u32]>::len)
    }

    /// The place in the chunk of the `at`-th row that is meant.
    ///
    /// # Panics
    /// When there are no more than `at`.
    #[inline(always)]
    pub fn place(&self, at: usize) -> usize {
        self.places.map_or(at, |places| places[at] as usize)
    }
}

/// A solver of non-negative least squares rows: min ½u(G + δI)uᵀ − (c − sλ)uᵀ over u ≥ 0.
#[doc(hidden)]
pub trait NnlsSolver<T: Real>: sealed::Sealed + Debug + Send + Sync {
    /// Numbers that depend on the Gram alone (step sizes, reciprocals), computed once for all rows that share
    /// it.
    fn prepare(&self, gram: &Matrix<T>) -> Vec<T>;

    /// How many numbers the solver wants to remember of a row from call to call; they start at 0.
    fn state_per_row(&self, _rank: usize) -> usize {
        0
    }

    /// Lowers the rows of `factor` (m × k, row-major) that are meant in place; `state` holds
    /// m × [`NnlsSolver::state_per_row`] numbers. Returns the squared norm of the projected gradient on
    /// entry, summed over the rows. A solver that is listed as monotone raises no row's value.
    ///
    /// # Panics
    /// When a slice is shorter than the rows that are meant ask for.
    fn improve_rows(&self, rows: &Rows<'_, T>, factor: &mut [T], state: &mut [T]) -> f64;
}

/// Which solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum SolverChoice {
    /// HALS for the Frobenius loss. It costs no more per iteration than the others and needs the fewest
    /// seconds on every measured case; it supports every term of every model. Multiplicative updates for
    /// Kullback–Leibler.
    #[default]
    Auto,
    /// Multiplicative updates.
    Mu,
    /// Hierarchical alternating least squares: exact coordinate steps.
    Hals,
    /// Exact non-negative least squares by block principal pivoting.
    Bpp,
    /// Nesterov's accelerated projected gradient, restarted for each factor (NeNMF).
    Nesterov,
    /// Coordinate steps of the Kullback–Leibler loss, which go as far as Newton's and never raise it. Entries
    /// of very different sizes (1e-150 beside 1e150) may overflow, which is an error.
    Newton,
    /// One accelerated projected gradient step a factor and iteration, the momentum running on (NMF-DC).
    NesterovRunning,
}

/// One line of the registry of solvers.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SolverSpec {
    /// The choice it stands for.
    pub choice: SolverChoice,
    /// The name in settings and on the command line.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The losses that it supports.
    pub losses: &'static [Loss],
    /// Default number of inner steps per factor and iteration (0: it has none).
    pub inner_steps: usize,
    /// Whether the objective never rises.
    pub monotone: bool,
    /// Whether zeros of the start stay zero.
    pub zeros_stay: bool,
    /// Whether it needs a Gram without negative entries and data without negative entries.
    pub needs_non_negative: bool,
    /// Reference.
    pub reference: &'static str,
}

/// Every solver, in the order in which tables show them.
pub static ALL: &[SolverSpec] = &[
    SolverSpec {
        choice: SolverChoice::Hals,
        name: "hals",
        summary: "exact coordinate steps, one sweep per factor and iteration; the default for the Frobenius loss",
        losses: &[Loss::Frobenius],
        inner_steps: 1,
        monotone: true,
        zeros_stay: false,
        needs_non_negative: false,
        reference: "Cichocki & Phan 2009, doi:10.1587/transfun.E92.A.708",
    },
    SolverSpec {
        choice: SolverChoice::Bpp,
        name: "bpp",
        summary: "exact non-negative least squares by block principal pivoting: few, expensive iterations",
        losses: &[Loss::Frobenius],
        inner_steps: 0,
        monotone: true,
        zeros_stay: false,
        needs_non_negative: false,
        reference: "Kim & Park 2011, doi:10.1137/110821172",
    },
    SolverSpec {
        choice: SolverChoice::Nesterov,
        name: "nesterov",
        summary: "accelerated projected gradient, restarted for each factor",
        losses: &[Loss::Frobenius],
        inner_steps: 10,
        monotone: true,
        zeros_stay: false,
        needs_non_negative: false,
        reference: "Guan, Tao, Luo & Yuan 2012, doi:10.1109/TSP.2012.2190406",
    },
    SolverSpec {
        choice: SolverChoice::NesterovRunning,
        name: "nesterov-running",
        summary: "one accelerated step per factor and iteration, without restarts of the momentum; the \
            objective may rise; the default of nmf-dc",
        losses: &[Loss::Frobenius],
        inner_steps: 0,
        monotone: false,
        zeros_stay: false,
        needs_non_negative: false,
        reference: "Yang et al. 2018 (NMF-DC)",
    },
    SolverSpec {
        choice: SolverChoice::Mu,
        name: "mu",
        summary: "multiplicative updates: simple, slow to converge; the default with the Kullback-Leibler loss",
        losses: &[Loss::Frobenius, Loss::KullbackLeibler],
        inner_steps: 0,
        monotone: true,
        zeros_stay: true,
        needs_non_negative: true,
        reference: "Lee & Seung 2001",
    },
    SolverSpec {
        choice: SolverChoice::Newton,
        name: "newton",
        summary: "coordinate steps of the Kullback-Leibler loss, as long as Newton's: slower at first, but far \
            ahead in the last digits of sparse data",
        losses: &[Loss::KullbackLeibler],
        inner_steps: 2,
        monotone: true,
        zeros_stay: false,
        needs_non_negative: true,
        reference: "Hsieh & Dhillon 2011, doi:10.1145/2020408.2020577",
    },
];

impl SolverChoice {
    /// The choice with this name (`"auto"` or a name of [`ALL`]; `"cd"` is another name of `"hals"`).
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the valid names.
    pub fn from_name(name: &str) -> Result<Self> {
        if name == "auto" {
            return Ok(SolverChoice::Auto);
        }
        let wanted = if name == "cd" { "hals" } else { name };
        ALL.iter().find(|s| s.name == wanted).map(|s| s.choice).ok_or_else(|| Error::UnknownName {
            kind: "solver".into(),
            name: name.into(),
            valid: std::iter::once("auto".to_string())
                .chain(ALL.iter().map(|s| s.name.to_string()))
                .collect(),
        })
    }

    /// The registry line of the solver for `loss`: what `Auto` means, or the choice itself.
    ///
    /// # Errors
    /// [`Error::Incompatible`] when the solver does not support the loss, with those that do.
    #[doc(hidden)]
    pub fn resolve(self, loss: Loss) -> Result<&'static SolverSpec> {
        let choice = match (self, loss) {
            (SolverChoice::Auto, Loss::Frobenius) => SolverChoice::Hals,
            (SolverChoice::Auto, Loss::KullbackLeibler) => SolverChoice::Mu,
            (choice, _) => choice,
        };
        let spec = ALL.iter().find(|s| s.choice == choice).expect("every choice but Auto is in the registry");
        if spec.losses.contains(&loss) {
            return Ok(spec);
        }
        Err(Error::Incompatible {
            asked: format!("solver \"{}\" with the {} loss", spec.name, loss.name()),
            reason: "it solves quadratics only".into(),
            valid: ALL
                .iter()
                .filter(|s| s.losses.contains(&loss))
                .map(|s| format!("solver {}", s.name))
                .collect(),
        })
    }
}

impl SolverSpec {
    /// The solver as a value, with `inner_steps` or its default.
    pub(crate) fn build<T: Real>(&self, inner_steps: Option<usize>) -> Box<dyn NnlsSolver<T>> {
        let inner = inner_steps.unwrap_or(self.inner_steps);
        match self.choice {
            // Newton steps see the data, and solve no quadratics.
            SolverChoice::Mu | SolverChoice::Newton => Box::new(Mu),
            SolverChoice::Bpp => Box::new(Bpp::default()),
            SolverChoice::Nesterov => Box::new(Nesterov::new(inner)),
            SolverChoice::NesterovRunning => Box::new(NesterovRunning),
            SolverChoice::Hals | SolverChoice::Auto => Box::new(Hals::new(inner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_at_places_are_improved_as_their_copies_are_and_the_others_left() {
        let (m, k) = (45, 6);
        let number = |i: usize, step: usize| ((i * step + 3) % 23) as f64 / 23.0;
        let v = Matrix::from_fn(k + 3, k, |i, j| number(i * 7 + j * 3, 5));
        let gram = v.gram();
        let cross: Vec<f64> = (0..m * k).map(|i| 2.0 * number(i, 5)).collect();
        let (linear, shift): (Vec<f64>, Vec<f64>) =
            ((0..k).map(|j| number(j, 3)).collect(), (0..m).map(|i| number(i, 11)).collect());
        let start: Vec<f64> = (0..m * k).map(|i| number(i, 13)).collect();
        for spec in ALL {
            let solver = spec.build::<f64>(Some(2));
            let prepared = solver.prepare(&gram);
            let width = solver.state_per_row(k);
            let all = Rows {
                gram: &gram,
                prepared: &prepared,
                cross: &cross,
                linear: &linear,
                linear_rows: Some(&shift),
                shift: Some(&shift),
                row_steps: Some(&shift),
                calls: 0,
                places: None,
            };
            for count in [1, 4, 16, 19, 22] {
                let places: Vec<u32> = (0..count).map(|at| 2 * at + 1).collect();
                let picked = |values: &[f64], width: usize| -> Vec<f64> {
                    places.iter().flat_map(|&p| values[p as usize * width..][..width].to_vec()).collect()
                };
                let (cross, rows) = (picked(&cross, k), picked(&shift, 1));
                let copies = Rows {
                    cross: &cross,
                    linear_rows: Some(&rows),
                    shift: Some(&rows),
                    row_steps: Some(&rows),
                    ..all
                };
                let mut expected = picked(&start, k);
                let norm = solver.improve_rows(&copies, &mut expected, &mut vec![0.0; places.len() * width]);
                let mut factor = start.clone();
                let placed = Rows { places: Some(&places), ..all };
                let found = solver.improve_rows(&placed, &mut factor, &mut vec![0.0; m * width]);
                assert_eq!((found, picked(&factor, k)), (norm, expected), "{}, {count} rows", spec.name);
                for i in (0..m).filter(|i| !places.contains(&(*i as u32))) {
                    assert_eq!(factor[i * k..(i + 1) * k], start[i * k..(i + 1) * k], "{}", spec.name);
                }
            }
        }
    }
}
