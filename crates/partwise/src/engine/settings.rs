//! [`Settings`]: how to factor, with every default, range and unit in one place.

use std::time::Duration;

use crate::engine::Slot;
use crate::engine::solvers::SolverChoice;
use crate::foundation::{Error, Matrix, Result};

/// Where the factors start.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub enum Init {
    /// [`Init::Guided`] with guidance; [`Init::Labels`] when labels are given and k is at least the number of
    /// classes ([`Init::Exemplars`] where a class owns several components); [`Init::Spectral`] where a
    /// symmetric factorization knows nothing else; [`Init::Random`] otherwise.
    #[default]
    Auto,
    /// Uniform on (0, 1) times √(mean X / k), from the seed.
    Random,
    /// NNDSVD: from a truncated SVD, with exact zeros (not for multiplicative updates).
    Nndsvd,
    /// NNDSVD with zeros filled by √(mean X / k).
    Nndsvda,
    /// NNDSVD with zeros filled by small random numbers (a hundredth of the random start).
    Nndsvdar,
    /// From the leading eigenvectors, turned so that they are nearly non-negative (symmetric data only).
    Spectral,
    /// Label-aware: class means as components, the codes solved at them, and the codes first in each
    /// iteration. It matters more than the model when labels are few.
    Labels,
    /// Labelled samples as components, one of the class's components each, and the codes improved at them
    /// before the first iteration, codes first: the start for several components per class.
    Exemplars,
    /// From guidance: each topic from its samples, seeds and references, the codes solved at them, and the
    /// codes first in each iteration.
    Guided,
    /// As WS-NMF is published: referenced rows and components copy the reference, the rest is uniform up to
    /// the largest copied entry; a factor without a reference is uniform on [0, max X].
    Published,
    /// Given factors, in the layout of their slots (rows × k; see [`Slot`]), for models with factors beside
    /// codes and components too; one that is absent is random, or follows from the others.
    Given(Vec<(Slot, Matrix<f64>)>),
    /// Given factors (warm start); one that is absent is random.
    Custom {
        /// W (n × k).
        codes: Option<Matrix<f64>>,
        /// H (k × d).
        components: Option<Matrix<f64>>,
    },
    /// As [`Init::Custom`], in single precision: given so, they needn't be widened and rounded again.
    #[doc(hidden)]
    Single {
        /// W (n × k).
        codes: Option<Matrix<f32>>,
        /// H (k × d).
        components: Option<Matrix<f32>>,
    },
}

impl Init {
    /// The names that settings and the command line know, with a sentence each ([`Init::Custom`] and
    /// [`Init::Given`] have none).
    #[doc(hidden)]
    pub const NAMES: &'static [(&'static str, &'static str)] = &[
        (
            "auto",
            "guided with guidance, labels when labels are given, spectral for symnmf without coupling, random \
            otherwise",
        ),
        ("random", "uniform, from the seed"),
        ("nndsvd", "from a truncated SVD, with exact zeros"),
        ("nndsvda", "nndsvd with zeros filled by a constant"),
        ("nndsvdar", "nndsvd with zeros filled by small random numbers"),
        ("spectral", "from the leading eigenvectors (symmetric data only)"),
        ("labels", "class means as components, codes solved first"),
        ("exemplars", "labelled samples as components, codes solved first"),
        ("guided", "topics from their samples, seeds and references, codes solved first"),
        ("published", "as in the WS-NMF paper: references copied, the rest uniform random"),
    ];

    /// The start with this name.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the valid names.
    pub fn from_name(name: &str) -> Result<Self> {
        use Init::{Auto, Exemplars, Guided, Labels, Nndsvd, Nndsvda, Nndsvdar, Published, Random, Spectral};
        let all = [Auto, Random, Nndsvd, Nndsvda, Nndsvdar, Spectral, Labels, Exemplars, Guided, Published];
        Error::choose("start", name, all.map(|start| (start.name(), start)))
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Init::Auto => "auto",
            Init::Random => "random",
            Init::Nndsvd => "nndsvd",
            Init::Nndsvda => "nndsvda",
            Init::Nndsvdar => "nndsvdar",
            Init::Spectral => "spectral",
            Init::Labels => "labels",
            Init::Exemplars => "exemplars",
            Init::Guided => "guided",
            Init::Published => "published",
            Init::Custom { .. } | Init::Single { .. } | Init::Given(_) => "custom",
        }
    }
}

/// Whether each factor is moved on along its last change after an update, and HALS takes several sweeps where
/// they are cheap beside the product with X. Both leave the limits as they are and need fewer products; the
/// objective never rises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Acceleration {
    /// On, when `solver` is `Auto`, for plain NMF from a start that isn't made from labels, for guided NMF
    /// with the Kullback–Leibler loss, and for symmetric methods with one factor; off otherwise, so that a
    /// method or a solver that was asked for takes the iterations of its paper.
    #[default]
    Auto,
    /// Plain iterations.
    Off,
    /// On; an error if the solver or the method does not support it. HALS and multiplicative updates do, and
    /// methods that have only codes and components and exact terms in both.
    On,
}

impl Acceleration {
    /// All, by name, with what they mean.
    #[doc(hidden)]
    pub const NAMES: &'static [(&'static str, &'static str)] = &[
        (
            "auto",
            "on for plain nmf with solver auto from a start without labels, and for symmetric methods without \
            coupling with solver auto; off otherwise",
        ),
        ("off", "plain iterations, as in the papers"),
        ("on", "an error if the solver or the method does not support it"),
    ];

    /// The choice with this name.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the valid names.
    #[doc(hidden)]
    pub fn from_name(name: &str) -> Result<Self> {
        use Acceleration::{Auto, Off, On};
        Error::choose("acceleration", name, [Auto, Off, On].map(|choice| (choice.name(), choice)))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Acceleration::Auto => "auto",
            Acceleration::Off => "off",
            Acceleration::On => "on",
        }
    }
}

/// Each row of a random start has so many numbers of its own.
const MAX_RANK: usize = 1 << 19;

/// How to factor. `Settings::new(k)` gives the defaults; set what should differ:
///
/// ```
/// use partwise::Settings;
/// let settings = Settings { seed: 7, max_iterations: 500, ..Settings::new(10) };
/// # let _ = settings;
/// ```
///
/// | field | default | range | unit |
/// |---|---|---|---|
/// | `rank` | – | 1 to 524288 | components |
/// | `seed` | 0 | any | – |
/// | `solver` | `Auto` | one that supports the loss | – |
/// | `inner_steps` | the solver's (HALS 1, accelerated 1 to 4 by the shape of the data; Nesterov 10) | ≥ 1 | steps per factor and iteration |
/// | `acceleration` | `Auto` | `On` with HALS or MU and methods of two factors | – |
/// | `init` | `Auto` | – | – |
/// | `first` | codes after a label-aware start and for symmetric models, components otherwise | – | – |
/// | `max_iterations` | 500 | ≥ 0 | updates of both factors |
/// | `tolerance` | 1e-4 | ≥ 0, < 1; 0 = stop only at a limit | projected gradient, relative to the first iteration; see the field |
/// | `time_limit` | none | – | wall time; checked after each iteration |
/// | `threads` | 0 | 0 = all cores; more than [`most_threads`](crate::internals::most_threads) count as that many, with a notice | – |
/// | `l1`, `l2` | 0, 0 | ≥ 0 | see the fields |
/// | `memory_limit` | none | – | bytes that may be taken beside the data |
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// k, the number of components.
    pub rank: usize,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Which solver.
    pub solver: SolverChoice,
    /// Steps of the solver per factor and iteration; the solver's default when absent.
    pub inner_steps: Option<usize>,
    /// Whether iterations are accelerated: extrapolation, and several sweeps of HALS.
    pub acceleration: Acceleration,
    /// The start.
    pub init: Init,
    /// Which factor is updated first in each iteration: the codes or the components.
    pub first: Option<Slot>,
    /// Iterations (updates of every factor) at most.
    pub max_iterations: usize,
    /// Stop when the norm of the projected gradient, met by the updates of an iteration, is at most this
    /// times that of the first iteration. For multiplicative updates, which can't reach zero, an entry below
    /// 1e-6 of the largest of its row counts as zero in it. Stop also when the last 50 iterations together
    /// lowered the objective by less than a ten-thousandth of it (with a tolerance below 1e-4: by less than
    /// tolerance²·10⁴ of it). 0 stops at a limit only.
    pub tolerance: f64,
    /// Stop after this much wall time; what has been reached is returned.
    pub time_limit: Option<Duration>,
    /// Threads, at most [`most_threads`](crate::internals::most_threads); the result does not depend on them.
    pub threads: usize,
    /// L1 penalty of (codes, components), normalized by size as in scikit-learn: the half objective gets
    /// `l1.0·d·‖W‖₁ + l1.1·n·‖H‖₁`. When only one factor is penalized (by `l1` and `l2` together), each of
    /// its components is measured at unit length of its partner, so that the penalty can't be cancelled by
    /// growing the other factor.
    pub l1: (f64, f64),
    /// L2 penalty of (codes, components): the half objective gets `½·l2.0·d·‖W‖² + ½·l2.1·n·‖H‖²`. One-sided:
    /// as for `l1`.
    pub l2: (f64, f64),
    /// Refuse what would need more bytes than these beside the data, before anything is allocated (see
    /// [`memory`](crate::memory)). The command line and the Python package set it to what the machine has
    /// left.
    pub memory_limit: Option<u64>,
    /// Leave out the exact objective and gradient at the end, which cost as much as an iteration: they are
    /// NaN. Only where no factor is extrapolated.
    #[doc(hidden)]
    pub factors_only: bool,
    /// Compute the exact gradient at the end, which takes a product with the data for each factor. Without it
    /// [`Fit::kkt`](crate::Fit::kkt) is that which the updates of the last iteration met.
    #[doc(hidden)]
    pub gradient_at_end: bool,
}

impl Settings {
    /// The defaults for k components.
    pub fn new(rank: usize) -> Self {
        Settings {
            rank,
            seed: 0,
            solver: SolverChoice::Auto,
            inner_steps: None,
            acceleration: Acceleration::Auto,
            init: Init::Auto,
            first: None,
            max_iterations: 500,
            tolerance: 1e-4,
            time_limit: None,
            threads: 0,
            l1: (0.0, 0.0),
            l2: (0.0, 0.0),
            memory_limit: None,
            factors_only: false,
            gradient_at_end: true,
        }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] naming the setting and its range.
    #[doc(hidden)]
    pub fn validate(&self) -> Result<()> {
        let fault = |name: &str, value: String, valid: &str| Err(Error::out_of_range(name, value, valid));
        if self.rank == 0 {
            return fault("rank k", "0".into(), "1 or more");
        }
        if self.rank > MAX_RANK {
            return fault("rank k", self.rank.to_string(), &format!("at most {MAX_RANK}"));
        }
        if !(0.0..1.0).contains(&self.tolerance) {
            return fault(
                "tolerance",
                self.tolerance.to_string(),
                "at least 0 (never stop on it) and below 1",
            );
        }
        if let Some(first) = self.first.filter(|slot| !slot.is_main()) {
            return fault("the factor to update first", first.name().into(), "the codes or the components");
        }
        if self.inner_steps == Some(0) {
            return fault("inner steps", "0".into(), "1 or more");
        }
        for (name, value) in [
            ("l1 of the codes", self.l1.0),
            ("l1 of the components", self.l1.1),
            ("l2 of the codes", self.l2.0),
            ("l2 of the components", self.l2.1),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return fault(name, value.to_string(), "a finite number of 0 or more");
            }
        }
        Ok(())
    }
}
