//! The losses: how data and factors become a subproblem of one factor.

use crate::foundation::names;

pub(crate) mod frobenius;
pub(crate) mod images;
pub(crate) mod kullback_leibler;

/// Which loss measures the distance of X from W·H.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Loss {
    /// ‖X − WH‖², the squared Frobenius norm.
    #[default]
    Frobenius,
    /// D(X‖WH) = Σ x·ln(x/(WH)) − x + (WH), the generalized Kullback–Leibler (I-) divergence.
    KullbackLeibler,
}

names! { Loss, "loss", { Frobenius = "frobenius" | "fro", KullbackLeibler = "kullback-leibler" | "kl" } }

impl Loss {
    /// What the subproblem's value is multiplied by to give the published objective: 2 for the Frobenius
    /// loss, whose subproblem carries the factor ½.
    pub(crate) fn published_factor(self) -> f64 {
        match self {
            Loss::Frobenius => 2.0,
            Loss::KullbackLeibler => 1.0,
        }
    }

    /// What [`Fit::relative_error`](crate::Fit::relative_error) is called: an error for the Frobenius loss,
    /// else the loss over the sum of the data.
    #[doc(hidden)]
    pub fn error_name(self) -> &'static str {
        match self {
            Loss::Frobenius => "relative error",
            Loss::KullbackLeibler => "divergence per unit of data",
        }
    }
}
