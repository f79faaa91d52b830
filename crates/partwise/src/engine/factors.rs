//! [`Slot`] and [`Factors`]: the unknowns of a factorization, each stored with one row per sample or feature.

use crate::engine::{Transfer, Transferred};
use crate::foundation::{Matrix, Real};
use crate::kernels;

/// Which factor. Every model has codes and components; some have further factors. The codes are n × k; the
/// components are stored as their transpose, d × k, so that in every slot a row is one independent problem
/// given the other factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Slot {
    /// W (n × k): one row per sample.
    Codes,
    /// Hᵀ (d × k): one row per feature.
    Components,
    /// Bᵀ (c × k): how the codes predict each label (SSNMF).
    Labels,
    /// U (p × k): the images' rows (NTF); component j is the image with entries Uₐⱼ·Vᵦⱼ.
    ImageRows,
    /// V (q × k): the images' columns (NTF).
    ImageColumns,
    /// d (n × 1): the free scale of each sample's reference where two factors share it (WS-SymNMF). Solved in
    /// closed form.
    Scales,
}

impl Slot {
    /// Every slot, codes first.
    #[doc(hidden)]
    pub const ALL: [Slot; 6] =
        [Slot::Codes, Slot::Components, Slot::Labels, Slot::ImageRows, Slot::ImageColumns, Slot::Scales];

    /// The two factors of every model, whose product approximates the data.
    #[doc(hidden)]
    pub const MAIN: [Slot; 2] = [Slot::Codes, Slot::Components];

    /// Its name: `"codes"`, `"components"`, ….
    pub fn name(self) -> &'static str {
        match self {
            Slot::Codes => "codes",
            Slot::Components => "components",
            Slot::Labels => "labels",
            Slot::ImageRows => "image rows",
            Slot::ImageColumns => "image columns",
            Slot::Scales => "scales",
        }
    }

    /// Whether the factor is one of the two of every model.
    #[doc(hidden)]
    pub fn is_main(self) -> bool {
        Slot::MAIN.contains(&self)
    }

    /// Whether the loss depends on it.
    #[doc(hidden)]
    pub fn sees_data(self) -> bool {
        match self {
            Slot::Codes | Slot::Components | Slot::ImageRows | Slot::ImageColumns => true,
            Slot::Labels | Slot::Scales => false,
        }
    }

    /// Whether it is solved in closed form, after all others.
    pub(crate) fn has_closed_form(self) -> bool {
        self == Slot::Scales
    }

    /// The factor that it is multiplied with.
    ///
    /// # Panics
    /// For the scales, which multiply a reference.
    #[doc(hidden)]
    pub fn other(self) -> Slot {
        match self {
            Slot::Codes => Slot::Components,
            Slot::Components | Slot::Labels => Slot::Codes,
            Slot::ImageRows => Slot::ImageColumns,
            Slot::ImageColumns => Slot::ImageRows,
            Slot::Scales => panic!("scales multiply a reference, not a factor"),
        }
    }

    pub(crate) fn index(self) -> usize {
        self as usize
    }
}

/// The current value of every slot that the model has.
#[derive(Clone, Debug, PartialEq)]
pub struct Factors<T> {
    slots: [Option<Matrix<T>>; Slot::ALL.len()],
    versions: [u64; Slot::ALL.len()],
    pub(crate) rescaling: Option<Vec<f64>>,
}

impl<T: Real> Factors<T> {
    /// From W (n × k) and Hᵀ (d × k).
    ///
    /// # Panics
    /// When the two have different numbers of columns.
    pub fn new(codes: Matrix<T>, components: Matrix<T>) -> Self {
        assert_eq!(codes.columns(), components.columns(), "codes and components must have the same rank");
        let mut slots = [const { None }; Slot::ALL.len()];
        slots[Slot::Codes.index()] = Some(codes);
        slots[Slot::Components.index()] = Some(components);
        Factors { slots, versions: [0; Slot::ALL.len()], rescaling: None }
    }

    /// The same with a further factor, or another value of one.
    #[must_use]
    pub fn with(mut self, slot: Slot, factor: Matrix<T>) -> Self {
        self.slots[slot.index()] = Some(factor);
        self.versions[slot.index()] += 1;
        self
    }

    /// k.
    pub fn rank(&self) -> usize {
        self.get(Slot::Codes).columns()
    }

    /// The slots that there are, codes first.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        Slot::ALL.into_iter().filter(|slot| self.slots[slot.index()].is_some())
    }

    /// The factor of a slot.
    ///
    /// # Panics
    /// When the model does not have it.
    pub fn get(&self, slot: Slot) -> &Matrix<T> {
        self.slots[slot.index()].as_ref().expect("the model has a factor in this slot")
    }

    /// The factor of a slot, to write. Counts as a change.
    ///
    /// # Panics
    /// When the model does not have it.
    pub fn get_mut(&mut self, slot: Slot) -> &mut Matrix<T> {
        self.versions[slot.index()] += 1;
        self.slots[slot.index()].as_mut().expect("the model has a factor in this slot")
    }

    /// The codes, to complete with rows that other processes have. Counts as no change.
    pub(crate) fn codes_to_complete(&mut self) -> &mut Matrix<T> {
        self.slots[Slot::Codes.index()].as_mut().expect("every model has codes")
    }

    /// Codes and components, to write. Counts as a change of both.
    pub(crate) fn main_mut(&mut self) -> [&mut Matrix<T>; 2] {
        Slot::MAIN.iter().for_each(|slot| self.versions[slot.index()] += 1);
        let [codes, components, ..] = &mut self.slots;
        [codes, components].map(|slot| slot.as_mut().expect("every model has both"))
    }

    /// All factors, to or from a checkpoint.
    pub(crate) fn transfer(&mut self, transfer: &mut Transfer<'_>) -> Transferred {
        let versions = self.versions;
        for slot in Slot::ALL {
            let mut there = self.slots[slot.index()].is_some();
            let expected = there;
            transfer.flag(&mut there)?;
            if there != expected {
                let message = format!("it is of another model: the {} do not fit", slot.name());
                return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, message));
            }
            if there {
                transfer.matrix(self.get_mut(slot))?;
            }
        }
        let mut rescales = self.rescaling.is_some();
        transfer.flag(&mut rescales)?;
        if rescales {
            transfer.values(self.rescaling.get_or_insert_default())?;
        }
        // To save them is no change: what was computed from them can still be used.
        if let Transfer::Save(_) = transfer {
            self.versions = versions;
        }
        Ok(())
    }

    /// Goes up with every change of the slot, so that what was computed from it can be reused.
    pub(crate) fn version(&self, slot: Slot) -> u64 {
        self.versions[slot.index()]
    }

    /// W (n × k) and Hᵀ (d × k).
    pub fn into_parts(mut self) -> (Matrix<T>, Matrix<T>) {
        let mut take = |slot: Slot| self.slots[slot.index()].take().expect("every model has both");
        (take(Slot::Codes), take(Slot::Components))
    }
}

/// ‖uⱼ‖² of each column.
pub(crate) fn column_squares<T: Real>(factors: &Factors<T>, slot: Slot) -> Vec<f64> {
    kernels::sums::column_squares(factors.get(slot))
}
