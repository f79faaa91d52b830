//! The settings of [`classify`](crate::classify).

use partwise::{Error, Result};

use crate::sizes::ClassSizes;

/// The settings of [`classify`](crate::classify). None of them has to be touched.
///
/// | field | default | range | unit |
/// |---|---|---|---|
/// | `components_per_class` | 1, 2, 3, 5, 8, 12, 20 | ascending, ≥ 1 | components |
/// | `graph_weight` | 0.01 | ≥ 0 | σ² of the graph in WS-NMF |
/// | `iterations` | 20 | ≥ 1 | of each WS-NMF, two coordinate sweeps per factor; of each CNMF |
/// | `max_folds` | 3 | ≥ 2 | folds |
/// | `class_sizes` | unknown | above 0, one per class | of all samples |
/// | `seed` | 0 | any | – |
/// | `threads` | 0 | 0 = all cores | –; the result does not depend on them |
/// | `memory_limit` | none | – | bytes that may be taken beside the data |
#[derive(Clone, Debug, PartialEq)]
pub struct ClassifySettings {
    /// The numbers of components that a class may own: tried in this order, the first three always, further
    /// ones as long as the last one was the best. More than 1 only where all of them are at most ¾ of the
    /// samples.
    pub components_per_class: Vec<usize>,
    /// How strongly neighbours are drawn together in WS-NMF.
    pub graph_weight: f64,
    /// Iterations of each WS-NMF and of each CNMF.
    pub iterations: usize,
    /// Folds at most; as many as the class with the most labels has, if that is less.
    pub max_folds: usize,
    /// About how large the classes are, where that is known.
    pub class_sizes: ClassSizes,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
    /// Refuse what would need more bytes than these (see [`memory`](crate::memory)). Default: none.
    pub memory_limit: Option<u64>,
}

impl Default for ClassifySettings {
    fn default() -> Self {
        ClassifySettings {
            components_per_class: vec![1, 2, 3, 5, 8, 12, 20],
            graph_weight: 0.01,
            iterations: 20,
            max_folds: 3,
            class_sizes: ClassSizes::Unknown,
            seed: 0,
            threads: 0,
            memory_limit: None,
        }
    }
}

impl ClassifySettings {
    pub(crate) fn check(&self) -> Result<()> {
        let fault = |name: &str, value: String, valid: &str| {
            Err(Error::OutOfRange { name: name.into(), value, valid: valid.into() })
        };
        let parts = &self.components_per_class;
        if parts.is_empty() || parts[0] == 0 || parts.windows(2).any(|pair| pair[0] >= pair[1]) {
            let valid = "numbers from 1, ascending, at least one";
            return fault("components per class", format!("{parts:?}"), valid);
        }
        if !(self.graph_weight >= 0.0 && self.graph_weight.is_finite()) {
            return fault("graph weight", self.graph_weight.to_string(), "a finite number of 0 or more");
        }
        if self.iterations == 0 {
            return fault("iterations", "0".into(), "1 or more");
        }
        if self.max_folds < 2 {
            return fault("the most folds", self.max_folds.to_string(), "2 or more");
        }
        Ok(())
    }
}
