//! The losses: how data and factors become a subproblem of one factor.

use crate::foundation::{Error, Result};

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

impl Loss {
    /// Both losses.
    pub const ALL: &'static [Loss] = &[Loss::Frobenius, Loss::KullbackLeibler];

    /// `"frobenius"` or `"kullback-leibler"`.
    pub fn name(self) -> &'static str {
        match self {
            Loss::Frobenius => "frobenius",
            Loss::KullbackLeibler => "kullback-leibler",
        }
    }

    /// The loss with this name; `"kl"` and `"fro"` are short forms.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the valid names.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "frobenius" | "fro" => Ok(Loss::Frobenius),
            "kullback-leibler" | "kl" => Ok(Loss::KullbackLeibler),
            _ => Err(Error::UnknownName {
                kind: "loss".into(),
                name: name.into(),
                valid: Loss::ALL.iter().map(|l| l.name().into()).collect(),
            }),
        }
    }

    /// What the subproblem's value is multiplied by to give the published objective: 2 for the Frobenius
    /// loss, whose subproblem carries the factor ½.
    pub(crate) fn published_factor(self) -> f64 {
        match self {
            Loss::Frobenius => 2.0,
            Loss::KullbackLeibler => 1.0,
        }
    }
}
