//! [`Slot`] and [`Factors`]: the unknowns of a factorization, each stored with one row per sample or feature.

use crate::linalg::Matrix;
use crate::real::Real;

/// Which factor. The codes are n × k; the components are held as their transpose, d × k, so that in both
/// slots a row is one independent problem given the other factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// W (n × k): one row a sample.
    Codes,
    /// Hᵀ (d × k): one row a feature.
    Components,
}

impl Slot {
    /// Both slots, codes first.
    pub const ALL: [Slot; 2] = [Slot::Codes, Slot::Components];

    /// `"codes"` or `"components"`.
    pub fn name(self) -> &'static str {
        match self {
            Slot::Codes => "codes",
            Slot::Components => "components",
        }
    }

    /// The other factor.
    pub fn other(self) -> Slot {
        match self {
            Slot::Codes => Slot::Components,
            Slot::Components => Slot::Codes,
        }
    }

    pub(crate) fn index(self) -> usize {
        self as usize
    }
}

/// The current value of every slot.
#[derive(Clone, Debug, PartialEq)]
pub struct Factors<T> {
    slots: [Matrix<T>; 2],
    versions: [u64; 2],
    pub(crate) rescaling: Option<Vec<f64>>,
}

impl<T: Real> Factors<T> {
    /// From W (n × k) and Hᵀ (d × k).
    ///
    /// # Panics
    /// When the two have different numbers of columns.
    pub fn new(codes: Matrix<T>, components: Matrix<T>) -> Self {
        assert_eq!(codes.columns(), components.columns(), "codes and components must have the same rank");
        Factors { slots: [codes, components], versions: [0, 0], rescaling: None }
    }

    /// k.
    pub fn rank(&self) -> usize {
        self.slots[0].columns()
    }

    /// The factor of a slot (rows × k).
    pub fn get(&self, slot: Slot) -> &Matrix<T> {
        &self.slots[slot.index()]
    }

    /// The factor of a slot, to write. Counts as a change.
    pub fn get_mut(&mut self, slot: Slot) -> &mut Matrix<T> {
        self.versions[slot.index()] += 1;
        &mut self.slots[slot.index()]
    }

    /// Goes up with every change of the slot, so that what was computed from it can be reused.
    pub(crate) fn version(&self, slot: Slot) -> u64 {
        self.versions[slot.index()]
    }

    /// W (n × k) and Hᵀ (d × k).
    pub fn into_parts(self) -> (Matrix<T>, Matrix<T>) {
        let [codes, components] = self.slots;
        (codes, components)
    }
}
