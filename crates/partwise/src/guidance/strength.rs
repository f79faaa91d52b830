//! [`Strength`]: the strength of an item, and the penalty that follows from it.

use serde::{Deserialize, Serialize};

use crate::foundation::{Error, Result};

/// How strongly an item is followed.
///
/// | value | meaning |
/// |---|---|
/// | `Relative(0)` | ignored |
/// | `Relative(s)`, 0 < s < 1 | σ = s/(1 − s); σ² multiplies the item's cost, which has no unit: at s = ½ a misplaced part costs as much as leaving it out of the fit |
/// | `Relative(1)` | held exactly |
/// | `Auto` | the least that is followed, to be searched |
/// | `Raw(m)`, m ≥ 0 | a paper's own weight, in its unit: m of WS-NMF (enters squared), λ of GNMF and SSNMF |
///
/// | item | cost, at unit length of the components (y = w·‖h‖), beside ½‖X − WH‖² | with the Kullback–Leibler loss | raw |
/// |---|---|---|---|
/// | labels as components, closed sets | ½σ²·Σ y² outside of the sample's topics | σ²·Σ w·‖h‖₁ there | ½m²‖wᵢ − dᵢ1_c‖² |
/// | labels as the same codes | held or ignored | held or ignored | – |
/// | labels as a view | (σ²/2)·(‖X‖²/‖Y‖²)·‖Y − WB‖² | – | (λ/2)·‖Y − WB‖² |
/// | spread labels | ½σ²·weight·Σ y² outside of the sample's topic | σ²·weight·Σ w·‖h‖₁ there | – |
/// | memberships | ½σ²·(‖y‖² − (y·r̂)²) over the known entries | – | ½m²‖wᵢ − dᵢrᵢ‖² |
/// | seed words | ½σ²·Σ y² of the word outside of its topics (y = h·‖w‖), times the word's weight | σ²·Σ h·‖w‖₁ there | – |
/// | their weight in their topics | (σ²/8)·‖wⱼ‖²·(‖hⱼ‖² − (hⱼ·r̂ⱼ)²), r the samples with the seeds, but for the other features | pseudo-counts, σ²/4 times an average component | – |
/// | references | ½σ²·‖wⱼ‖²·(‖hⱼ‖² − (hⱼ·r̂ⱼ)²) | pseudo-counts, σ² times an average component | ½m²‖hⱼ − rⱼ‖² |
/// | must-links | ½σ²·‖yᵢ − yₗ‖² | – | – |
/// | cannot-links | σ²·yᵢ·yₗ | – | – |
/// | a graph | ½σ²·tr(Yᵀ(I − D^-½AD^-½)Y) | – | (λ/2)·tr(WᵀLW) |
///
/// The weight of seeds in their topic is a [`SeedShare`](crate::terms::SeedShare): whatever else the topic is
/// made of is free, but it can't leave its seeds for something larger. Rows of H stand for unit length of the
/// codes where a feature is placed. Every relative cost is the same for X and c·X, and for n and 10·n
/// samples.
///
/// ```
/// use partwise::guidance::{Advice, Guidance, Strength};
/// use partwise::{DenseMatrix, Labels, Model, Settings, fit};
///
/// // The label of the last sample is wrong.
/// let x = DenseMatrix::new(4, 2, vec![3.0, 0.0, 2.0, 0.1, 0.1, 3.0, 2.0, 0.0])?;
/// let labels = Advice::labels(Labels::from_integers(&[0, -1, 1, 1])?);
/// let own = |strength| {
///     let guidance = Guidance::default().with(labels.clone().with_strength(strength));
///     let fit = fit(&x, &Model::guided(guidance), &Settings::new(2))?;
///     Ok::<_, partwise::Error>(fit.codes.get(3, 0))
/// };
/// assert_eq!(own(Strength::Relative(1.0))?, 0.0); // exact: nothing of the other class
/// assert!(own(Strength::Relative(0.3))? > 0.0); // soft: the data have a say
/// # Ok::<(), partwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(from = "StrengthText", into = "StrengthText")]
pub enum Strength {
    /// From 0 (ignored) to 1 (exact).
    Relative(f64),
    /// A paper's own weight.
    Raw(f64),
    /// The least that is followed, searched from the default of the item: see
    /// [`at_scale`](crate::recipes::at_scale). A fit refuses it.
    Auto,
}

/// A strength as it is written.
#[derive(Deserialize, Serialize)]
#[serde(untagged, expecting = "a strength is no number from 0 to 1, no { raw = m }, and not \"auto\"")]
enum StrengthText {
    Relative(f64),
    Raw { raw: f64 },
    Word(Word),
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Auto,
}

impl From<StrengthText> for Strength {
    fn from(text: StrengthText) -> Self {
        match text {
            StrengthText::Relative(strength) => Strength::Relative(strength),
            StrengthText::Raw { raw } => Strength::Raw(raw),
            StrengthText::Word(Word::Auto) => Strength::Auto,
        }
    }
}

impl From<Strength> for StrengthText {
    fn from(strength: Strength) -> Self {
        match strength {
            Strength::Relative(strength) => StrengthText::Relative(strength),
            Strength::Raw(raw) => StrengthText::Raw { raw },
            Strength::Auto => StrengthText::Word(Word::Auto),
        }
    }
}

impl Strength {
    /// Exact.
    pub const HELD: Strength = Strength::Relative(1.0);
    /// The default of labels, sets, memberships, seeds, references and links: σ = 9.
    pub const FIRM: Strength = Strength::Relative(0.9);
    /// The default of label targets, and of labels as a view in SSNMF: σ = 1, as much as the data.
    pub const EVEN: Strength = Strength::Relative(0.5);
    /// The default of labels in WS-NMF and WS-SymNMF: σ = 10.
    #[doc(hidden)]
    pub const STRONG: Strength = Strength::Relative(10.0 / 11.0);
    /// The default of a graph: σ = ⅓.
    #[doc(hidden)]
    pub const LIGHT: Strength = Strength::Relative(0.25);

    /// The relative strength with this σ ≥ 0: σ/(1 + σ), 1 for an infinite one. A negative σ stays as it is,
    /// out of range.
    pub fn of_sigma(sigma: f64) -> Self {
        Strength::Relative(match sigma {
            f64::INFINITY => 1.0,
            sigma if sigma < 0.0 => sigma,
            sigma => sigma / (1.0 + sigma),
        })
    }

    /// σ of a relative strength (infinite for 1); the weight itself of a raw one.
    #[doc(hidden)]
    pub fn sigma(self) -> f64 {
        match self {
            Strength::Relative(s) if s >= 1.0 => f64::INFINITY,
            Strength::Relative(s) => s / (1.0 - s),
            Strength::Raw(m) => m,
            Strength::Auto => Strength::FIRM.sigma(),
        }
    }

    /// σ² of a relative strength below 1; infinite for 1.
    pub(crate) fn weight(self) -> f64 {
        match self {
            Strength::Relative(s) if s >= 1.0 => f64::INFINITY,
            Strength::Relative(s) => (s / (1.0 - s)).powi(2),
            Strength::Raw(m) => m * m,
            Strength::Auto => Strength::FIRM.weight(),
        }
    }

    /// Refuses what is out of range, and what a single fit cannot have.
    pub(crate) fn check(self, what: &str) -> Result<()> {
        if self == Strength::Auto {
            return Err(Error::incompatible(
                format!("{what} of \"auto\" in a single fit"),
                "it is found by a search over several fits",
                ["recipes::auto_scale", "a number from 0 to 1"],
            ));
        }
        self.check_range(what)
    }

    /// Refuses what is out of range.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    #[doc(hidden)]
    pub fn check_range(self, what: &str) -> Result<()> {
        match self {
            Strength::Relative(s) if !(0.0..=1.0).contains(&s) => {
                Err(Error::out_of_range(what, s, "from 0 (ignored) to 1 (fixed exactly)"))
            }
            Strength::Raw(m) if !(m >= 0.0 && m.is_finite()) => {
                Err(Error::out_of_range(what, m, "a finite raw weight of 0 or more"))
            }
            _ => Ok(()),
        }
    }

    /// The same with σ times `scale`; what is ignored, fixed or raw has none.
    pub(crate) fn scaled(self, scale: f64) -> Self {
        match self {
            Strength::Relative(s) if s > 0.0 && s < 1.0 => {
                let sigma = scale * s / (1.0 - s);
                Strength::Relative(sigma / (1.0 + sigma))
            }
            other => other,
        }
    }

    /// Whether it is more than what stands for the default in a document.
    #[doc(hidden)]
    pub fn is_stated(self) -> bool {
        !matches!(self, Strength::Relative(s) if s.is_nan())
    }

    /// Whether it is a paper's own weight.
    #[doc(hidden)]
    pub fn is_raw(self) -> bool {
        matches!(self, Strength::Raw(_))
    }

    pub(crate) fn is_held(self) -> bool {
        matches!(self, Strength::Relative(s) if s >= 1.0)
    }
}
