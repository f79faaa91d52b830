//! Data whose squares or products leave the range of the number type, divided by a power of 16 before the
//! loop.
//!
//! ```text
//! X = c·X̂, W = a·Ŵ, H = b·Ĥ, a·b = c:     ‖X − WH‖² = c²·‖X̂ − ŴĤ‖²,     D(X‖WH) = c·D(X̂‖ŴĤ)
//! ```
//!
//! c is a power of 16, so c, √c and its fourth root are exact, and a = b = √c (SCNMF's codes keep their size:
//! a = 1). What has a unit (raw strengths, penalties, references, a given start) is divided with the data.
//! Data in range are left alone.

use std::sync::Arc;

use crate::data::DataMatrix;
use crate::data::range::{divisor, largest_size, safe_range};
use crate::engine::losses::Loss;
use crate::engine::{Init, Iteration, Settings, Slot};
use crate::foundation::{Matrix, Real, Result};
use crate::methods::Model;

use super::checks::{check_data, check_form, check_unknown_entries};
use crate::foundation::Notice;

/// Objectives and gradients are given in the units of the data while the square of the divisor is in this
/// range.
const OBJECTIVES_IN_RANGE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Units {
    /// c.
    divisor: f64,
    /// Entries of the divided data below it count as 0.
    least: f64,
    loss: Loss,
}

impl Units {
    /// Those that the data need; none where they are in range (or faulty, which is refused later).
    pub(crate) fn of<T: Real>(data: &dyn DataMatrix<T>, loss: Loss) -> Option<Self> {
        let summary = data.summary();
        if summary.first_not_finite.is_some() || summary.first_negative.is_some() || summary.max <= 0.0 {
            return None;
        }
        let divisor = divisor(summary.max, &safe_range::<T>());
        let least = match loss {
            Loss::Frobenius => 0.0,
            Loss::KullbackLeibler => least_beside::<T>((summary.max / divisor).sqrt()),
        };
        let has_smaller = least > 0.0 && data.least_positive() / divisor < least;
        (divisor != 1.0 || has_smaller).then_some(Units { divisor, least, loss })
    }

    /// The divided data, and what there is to know of them.
    ///
    /// # Errors
    /// Faults of the data, with the caller's own numbers.
    pub(crate) fn divide<T: Real>(
        &self,
        data: &dyn DataMatrix<T>,
        model: Option<&Model>,
    ) -> Result<(Box<dyn DataMatrix<T>>, Vec<Notice>)> {
        check_data(data, true)?;
        if let Some(model) = model {
            check_form(data, model)?;
            check_unknown_entries(data, model)?;
        }
        let divided = data.divided(self.divisor, self.least);
        let mut notices = Vec::new();
        if self.divisor != 1.0 {
            let consequence = if self.has_own_objectives() {
                "all results are in the units of the data".to_string()
            } else {
                format!(
                    "objective, loss and projected gradient are those of the divided data (divisor {:e}); \
                    everything else is in the units of the data",
                    self.divisor
                )
            };
            notices.push(Notice {
                code: "divided",
                message: format!(
                    "the largest entry of the data is {:e}, and its square is out of range for {}: the fit \
                    used the data divided by {:e}; {consequence}",
                    data.summary().max,
                    T::NAME,
                    self.divisor
                ),
            });
        }
        let lost = data.summary().non_zeros - divided.summary().non_zeros;
        if lost > 0 {
            notices.push(Notice {
                code: "tiny-entries",
                message: format!(
                    "{lost} entries are too small compared with the largest ({:e}) for {}; they count as 0",
                    data.summary().max,
                    T::NAME
                ),
            });
        }
        Ok((divided, notices))
    }

    /// The settings for the divided data.
    pub(crate) fn settings(&self, settings: &Settings) -> Settings {
        let mut settings = settings.clone();
        let root = self.divisor.sqrt();
        let (l1, l2) = (settings.l1, settings.l2);
        let one_sided = (l1.0 > 0.0 || l2.0 > 0.0) != (l1.1 > 0.0 || l2.1 > 0.0);
        let c = self.divisor;
        // At unit length of the partner an L1 penalty goes with c and an L2 penalty with c²; else with √c and
        // c.
        let (first, second) = match (self.loss, one_sided) {
            (Loss::Frobenius, true) => (1.0 / c, 1.0),
            (Loss::Frobenius, false) => (1.0 / c / root, 1.0 / c),
            (Loss::KullbackLeibler, true) => (1.0, c),
            (Loss::KullbackLeibler, false) => (1.0 / root, 1.0),
        };
        let scaled = |value: f64, by: f64| if value > 0.0 { in_range(value * by) } else { value };
        settings.l1 = (scaled(l1.0, first), scaled(l1.1, first));
        settings.l2 = (scaled(l2.0, second), scaled(l2.1, second));
        let divide = |m: &Matrix<f64>, by: f64| times(m, 1.0 / by);
        settings.init = match settings.init {
            Init::Custom { codes, components } => Init::Custom {
                codes: codes.map(|m| divide(&m, root)),
                components: components.map(|m| divide(&m, root)),
            },
            Init::Single { codes, components } => Init::Custom {
                codes: codes.map(|m| divide(&m.cast(), root)),
                components: components.map(|m| divide(&m.cast(), root)),
            },
            Init::Given(factors) => Init::Given(
                factors.into_iter().map(|(slot, m)| (slot, divide(&m, self.of_slot(slot, root)))).collect(),
            ),
            other => other,
        };
        settings
    }

    /// What is known, for the divided data.
    pub(crate) fn model(&self, model: &Model) -> Model {
        let mut model = model.clone();
        let c = self.divisor;
        model.options.coupling = model.options.coupling.map(|weight| in_range(weight / c));
        model.guidance = Arc::new(model.guidance.divided(c));
        model
    }

    /// How much larger a factor of the data is than that of the divided data. `codes` is that of the codes.
    pub(crate) fn of_slot(&self, slot: Slot, codes: f64) -> f64 {
        match slot {
            Slot::Codes | Slot::Scales => codes,
            Slot::Components => self.divisor / codes,
            Slot::Labels => 1.0 / codes,
            Slot::ImageRows | Slot::ImageColumns => self.divisor.sqrt().sqrt(),
        }
    }

    /// √c.
    pub(crate) fn root(&self) -> f64 {
        self.divisor.sqrt()
    }

    /// c.
    pub(crate) fn divisor(&self) -> f64 {
        self.divisor
    }

    /// How much larger the loss is: c² or c.
    fn loss_factor(&self) -> f64 {
        match self.loss {
            Loss::Frobenius => self.divisor * self.divisor,
            Loss::KullbackLeibler => self.divisor,
        }
    }

    fn has_own_objectives(&self) -> bool {
        OBJECTIVES_IN_RANGE.contains(&self.divisor)
    }

    /// What objectives and projected gradients are multiplied by, and what they are then measured in (1: as
    /// the data).
    pub(crate) fn of_objective(&self) -> (f64, f64, f64) {
        match self.has_own_objectives() {
            true => (self.loss_factor(), self.loss_factor() / self.root(), 1.0),
            false => (1.0, 1.0, self.divisor),
        }
    }

    /// An iteration in the units of [`Units::of_objective`].
    pub(crate) fn iteration(&self, iteration: &Iteration) -> Iteration {
        let (objective, gradient, _) = self.of_objective();
        Iteration {
            objective: iteration.objective * objective,
            kkt: iteration.kkt.map(|kkt| kkt * gradient),
            ..*iteration
        }
    }

    /// Ridge and linear penalty of a row of codes, whose codes are `codes` times those of the divided data.
    pub(crate) fn encoding_factors(&self, codes: f64) -> (f64, f64) {
        match self.loss {
            Loss::Frobenius => {
                ((self.divisor / codes) * (self.divisor / codes), self.divisor / codes * self.divisor)
            }
            Loss::KullbackLeibler => (self.divisor / codes / codes, self.divisor / codes),
        }
    }
}

/// The least entry whose divergence can be computed beside a factor of this size: the codes of an entry lie
/// at its size over that, and the logarithm of a quotient of numbers that have lost their digits means
/// nothing.
fn least_beside<T: Real>(factor: f64) -> f64 {
    T::MIN_POSITIVE.to_f64() / T::EPSILON.to_f64() * factor.max(1.0)
}

/// As large or small as a normal number may be: a penalty beyond all range stays one.
fn in_range(value: f64) -> f64 {
    value.clamp(0.0, f64::MAX)
}

/// A matrix times a number.
pub(crate) fn times<T: Real>(matrix: &Matrix<T>, factor: f64) -> Matrix<T> {
    let (rows, columns) = matrix.shape();
    Matrix::from_fn(rows, columns, |i, j| T::from_f64(matrix.get(i, j).to_f64() * factor))
}

/// Of one factor with the other fixed: the data are divided by one power of 16, the fixed factor by another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedUnits {
    data: f64,
    factor: f64,
    /// Entries of the divided data below it count as 0.
    least: f64,
}

impl FixedUnits {
    /// Those that data and a fixed factor need; none where both are in range, or not finite (which is refused
    /// later).
    pub(crate) fn of<T: Real>(data: &dyn DataMatrix<T>, factor: &Matrix<T>, loss: Loss) -> Option<Self> {
        let (summary, range) = (data.summary(), safe_range::<T>());
        let size = |values: &[T]| values.iter().fold(0.0f64, |most, v| most.max(v.to_f64().abs()));
        if summary.first_not_finite.is_some() || !factor.as_slice().iter().all(|v| v.is_finite()) {
            return None;
        }
        let factors = if T::NAME == "f32" { 1e-12..=1e12 } else { 1e-50..=1e50 };
        let size = size(factor.as_slice());
        let (data_divisor, factor_divisor) = (divisor(largest_size(data), &range), divisor(size, &factors));
        let least = match loss {
            Loss::Frobenius => 0.0,
            Loss::KullbackLeibler => least_beside::<T>(size / factor_divisor),
        };
        let has_smaller = least > 0.0 && data.least_positive() / data_divisor < least;
        (data_divisor != 1.0 || factor_divisor != 1.0 || has_smaller).then_some(FixedUnits {
            data: data_divisor,
            factor: factor_divisor,
            least,
        })
    }

    /// The divided data.
    pub(crate) fn divide<T: Real>(&self, data: &dyn DataMatrix<T>) -> Box<dyn DataMatrix<T>> {
        data.divided(self.data, self.least)
    }

    /// The fixed factor, divided.
    pub(crate) fn divide_factor<T: Real>(&self, factor: &Matrix<T>) -> Matrix<T> {
        times(factor, 1.0 / self.factor)
    }

    /// How much larger the factor that is solved for is than that of the divided problem.
    pub(crate) fn of_solved(&self) -> f64 {
        self.data / self.factor
    }

    /// What ridges and linear penalties are multiplied by.
    pub(crate) fn penalties(&self, loss: Loss) -> (f64, f64) {
        match loss {
            Loss::Frobenius => (1.0 / self.factor / self.factor, 1.0 / self.factor / self.data),
            Loss::KullbackLeibler => (self.data / self.factor / self.factor, 1.0 / self.factor),
        }
    }

    /// What objectives and projected gradients are multiplied by, and what they are then measured in.
    pub(crate) fn of_objective(&self, loss: Loss) -> (f64, f64, f64) {
        let loss = if loss == Loss::Frobenius { self.data * self.data } else { self.data };
        match OBJECTIVES_IN_RANGE.contains(&self.data) && OBJECTIVES_IN_RANGE.contains(&self.of_solved()) {
            true => (loss, loss / self.of_solved(), 1.0),
            false => (1.0, 1.0, self.data),
        }
    }
}
