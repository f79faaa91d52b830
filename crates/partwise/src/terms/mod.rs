//! The mechanisms that models are built from. A term only describes its contribution, from the closed list
//! [`Contribution`]; it never touches X. Backends call [`Contribution::add_to`] next to their data, so another backend can
//! evaluate the same list in its own way.

mod anchor;
mod coupling;
mod direction;
mod entry_weights;
mod feature_lists;
mod graph;
mod held;
mod label_view;
mod penalty;
mod placement;
mod relation;
mod seed_share;
mod shared_anchor;

use std::sync::Arc;

pub use crate::engine::losses::combined_rows::CombinedRows;
pub use anchor::{AnchorScale, ComponentAnchor, RowAnchor};
pub use coupling::Coupling;
pub use direction::ComponentDirection;
pub use entry_weights::EntryWeights;
pub use feature_lists::FeatureLists;
pub use graph::{GraphForm, GraphSmoothing};
pub use held::Held;
pub use label_view::LabelView;
pub use penalty::{ComponentPenalty, ProductRidge, ProductSparsity, Ridge, Sparsity};
pub use placement::{Placement, PlacementRule};
pub use relation::Relation;
pub use seed_share::{SeedShare, SeedWeights};
pub use shared_anchor::SharedAnchor;

pub use crate::engine::{Rescaling, Smoothing};

use crate::engine::losses::Loss;
use crate::engine::losses::combined_rows::{EachChunk, one_by_one};
use crate::engine::quadratic::{RowGroup, Subproblem};
use crate::engine::{Factors, Slot};
use crate::foundation::Real;

/// Everything that a term may add to the objective, in the half form (½‖X − WH‖² or D).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Contribution<T: Real> {
    /// (λ/2)·Σᵢ sᵢ‖uᵢ‖².
    Ridge(Ridge<T>),
    /// λ·Σᵢ sᵢ‖uᵢ‖₁.
    Sparsity(Sparsity<T>),
    /// λ·Σⱼ ‖wⱼ‖₁‖hⱼ‖₂: an L1 penalty on one factor that scaling the other can't cancel.
    ProductSparsity(ProductSparsity<T>),
    /// (λ/2)·Σⱼ ‖wⱼ‖²‖hⱼ‖²: an L2 penalty on one factor that scaling the other can't cancel.
    ProductRidge(ProductRidge<T>),
    /// ½·Σⱼ aⱼ‖uⱼ‖² + Σⱼ λⱼ‖uⱼ‖₁.
    ComponentPenalty(ComponentPenalty<T>),
    /// ½·Σᵢ mᵢ‖uᵢ − dᵢrᵢ‖².
    RowAnchor(RowAnchor<T>),
    /// ½·Σⱼ mⱼ‖u_:ⱼ − r_:ⱼ‖².
    ComponentAnchor(ComponentAnchor<T>),
    /// (λ/2)·tr(WᵀLW) with the Laplacian L of a graph over the samples.
    GraphSmoothing(GraphSmoothing<T>),
    /// D(SᵀX‖SᵀWH).
    CombinedRows(CombinedRows<T>),
    /// (λ/2)·‖M∘(Y − WB)‖² with B a factor of its own.
    LabelView(LabelView<T>),
    /// ½·Σ (cᵢⱼ − 1)·(wᵢ·hⱼ)², where X is c∘x.
    EntryWeights(EntryWeights),
    /// (μ/2)·‖H1 − H2‖².
    Coupling(Coupling<T>),
    /// ¼·Σᵢ mᵢ(‖h1ᵢ − dᵢrᵢ‖² + ‖h2ᵢ − dᵢrᵢ‖²) with d a factor of its own.
    SharedAnchor(SharedAnchor<T>),
    /// ½·Σᵢ [Σⱼ pᵢⱼ·yᵢⱼ² − (Σⱼ vᵢⱼ·yᵢⱼ)²] with yᵢⱼ = uᵢⱼ‖v_:ⱼ‖, or Σ pᵢⱼ·uᵢⱼ‖v_:ⱼ‖₁.
    Placement(Placement<T>),
    /// ½·Σⱼ σⱼ²‖wⱼ‖²(‖hⱼ‖² − (hⱼ·r̂ⱼ)²), or pseudo-counts.
    ComponentDirection(ComponentDirection<T>),
    /// The same with what the profile has beside the seeds left free.
    SeedShare(SeedShare),
    /// ½·tr(YᵀLY) with yᵢⱼ = wᵢⱼ‖hⱼ‖.
    Relation(Relation<T>),
    /// Nothing, but its entries don't move.
    Held(Held<T>),
}

impl<T: Real> Contribution<T> {
    /// Its name in the parts of the objective.
    pub fn name(&self) -> String {
        match self {
            Contribution::Ridge(t) => format!("L2 of {}", t.slot.name()),
            Contribution::Sparsity(t) => format!("L1 of {}", t.slot.name()),
            Contribution::ProductSparsity(t) => format!("L1 of {} (scale-free)", t.slot.name()),
            Contribution::ProductRidge(t) => format!("L2 of {} (scale-free)", t.slot.name()),
            Contribution::ComponentPenalty(t) => format!("penalties of {}", t.slot.name()),
            Contribution::RowAnchor(t) => format!("reference of {}", t.slot.name()),
            Contribution::ComponentAnchor(t) => format!("reference of {} by component", t.slot.name()),
            Contribution::LabelView(_) => "labels".into(),
            Contribution::EntryWeights(t) => t.name().into(),
            Contribution::Coupling(_) => "distance of codes and components".into(),
            Contribution::SharedAnchor(_) => "reference of both factors".into(),
            Contribution::GraphSmoothing(_) => "graph".into(),
            Contribution::CombinedRows(_) => "margins".into(),
            Contribution::Placement(t) => t.name.into(),
            Contribution::ComponentDirection(_) => "references".into(),
            Contribution::SeedShare(_) => "weight of the seeds".into(),
            Contribution::Relation(t) => t.name.into(),
            Contribution::Held(_) => "held entries".into(),
        }
    }

    /// Its value at the factors, in `f64`.
    pub fn value(&self, factors: &Factors<T>, loss: Loss) -> f64 {
        let squared = loss == Loss::Frobenius;
        match self {
            Contribution::Ridge(t) => t.value(factors),
            Contribution::Sparsity(t) => t.value(factors),
            Contribution::ProductSparsity(t) => t.value(factors),
            Contribution::ProductRidge(t) => t.value(factors),
            Contribution::ComponentPenalty(t) => t.value(factors),
            Contribution::RowAnchor(t) => t.value(factors),
            Contribution::ComponentAnchor(t) => t.value(factors),
            Contribution::GraphSmoothing(t) => t.value(factors),
            Contribution::CombinedRows(t) => t.value(factors),
            Contribution::LabelView(t) => t.value(factors),
            Contribution::EntryWeights(t) => t.value(factors),
            Contribution::Coupling(t) => t.value(factors),
            Contribution::SharedAnchor(t) => t.value(factors),
            Contribution::Placement(t) => t.value(factors, squared),
            Contribution::ComponentDirection(t) => t.value(factors, squared),
            Contribution::SeedShare(t) => t.value(factors, squared),
            Contribution::Relation(t) => t.value(factors),
            Contribution::Held(_) => 0.0,
        }
    }

    /// Adds it to the subproblem of `slot` at the current factors (as a constant when it does not depend on the slot).
    pub fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        self.add_to_by(slot, factors, subproblem, &one_by_one);
    }

    /// As [`Contribution::add_to`]; what is as large as a product with X is computed by `each_chunk`.
    pub(crate) fn add_to_by(
        &self,
        slot: Slot,
        factors: &Factors<T>,
        subproblem: &mut Subproblem<T>,
        each_chunk: &EachChunk<'_, T>,
    ) {
        match self {
            Contribution::CombinedRows(t) => {
                let Subproblem::KullbackLeibler(majorizer) = subproblem else {
                    panic!("a problem with combined rows has the Kullback-Leibler loss")
                };
                t.add_to(slot, factors, majorizer, each_chunk);
            }
            Contribution::Ridge(t) if t.slot == slot => t.add_to(factors, subproblem),
            Contribution::Sparsity(t) if t.slot == slot => t.add_to(factors, subproblem),
            Contribution::ComponentPenalty(t) if t.slot == slot => t.add_to(factors, subproblem),
            Contribution::RowAnchor(t) if t.slot == slot => t.add_to(factors, subproblem),
            Contribution::ComponentAnchor(t) if t.slot == slot => t.add_to(factors, subproblem),
            Contribution::ProductSparsity(t) if slot.is_main() => t.add_to(slot, factors, subproblem),
            Contribution::ProductRidge(t) if slot.is_main() => t.add_to(slot, factors, subproblem),
            Contribution::EntryWeights(t) if slot.is_main() => t.add_to(slot, factors, subproblem),
            Contribution::Coupling(t) if slot.is_main() => t.add_to(slot, factors, subproblem),
            Contribution::SharedAnchor(t) if slot.is_main() || slot == Slot::Scales => {
                t.add_to(slot, factors, subproblem);
            }
            Contribution::LabelView(t) if matches!(slot, Slot::Codes | Slot::Labels) => {
                t.add_to(slot, factors, subproblem);
            }
            Contribution::GraphSmoothing(t) if slot.is_main() => t.add_to(slot, factors, subproblem),
            Contribution::Placement(t) if slot.is_main() => t.add_to(slot, factors, subproblem),
            Contribution::ComponentDirection(t) if slot.is_main() => t.add_to(slot, factors, subproblem),
            Contribution::SeedShare(t) if slot.is_main() => t.add_to(slot, factors, subproblem),
            Contribution::Relation(t) if slot.is_main() => t.add_to(slot, factors, subproblem),
            Contribution::Held(t) if t.slot == slot => t.add_to(factors, subproblem),
            _ => {
                let loss = match subproblem {
                    Subproblem::Quadratic(_) => Loss::Frobenius,
                    Subproblem::KullbackLeibler(_) => Loss::KullbackLeibler,
                };
                subproblem.add_constant(self.value(factors, loss));
            }
        }
    }

    /// Whether it changes the cross matrix of `slot`, so that a cached product with X can't be used as it is.
    pub(crate) fn changes_cross(&self, slot: Slot) -> bool {
        match self {
            Contribution::RowAnchor(t) => t.slot == slot && !t.is_joint(),
            Contribution::ComponentAnchor(t) => t.slot == slot,
            Contribution::GraphSmoothing(t) => slot == Slot::Codes && !t.is_weightless(),
            Contribution::Coupling(_) | Contribution::SharedAnchor(_) => slot.is_main(),
            Contribution::LabelView(_) => slot == Slot::Codes,
            Contribution::Relation(_) => slot == Slot::Codes,
            Contribution::ComponentDirection(_) | Contribution::SeedShare(_) => slot == Slot::Components,
            Contribution::Placement(t) => t.slot != slot && slot.is_main() && t.has_directions(),
            Contribution::Held(t) => t.slot == slot,
            _ => false,
        }
    }

    /// Bytes of rows that it holds.
    pub(crate) fn owned_bytes(&self) -> usize {
        match self {
            Contribution::CombinedRows(t) => t.owned_bytes(),
            _ => 0,
        }
    }

    /// The rows that get a Gram of their own in `slot`.
    pub(crate) fn row_groups(&self, slot: Slot) -> Option<Arc<Vec<RowGroup<T>>>> {
        match self {
            Contribution::RowAnchor(t) if t.slot == slot => t.row_groups(),
            Contribution::Placement(t) if t.slot == slot => Some(t.groups()),
            Contribution::Held(t) if t.slot == slot && !t.groups().is_empty() => Some(t.groups()),
            _ => None,
        }
    }

    /// The factor that it brings along, updated after the components.
    pub(crate) fn slot_after_components(&self) -> Option<Slot> {
        matches!(self, Contribution::LabelView(_)).then_some(Slot::Labels)
    }

    /// The factor that it brings along, updated last in each iteration.
    pub(crate) fn closed_form_slot(&self) -> Option<Slot> {
        matches!(self, Contribution::SharedAnchor(_)).then_some(Slot::Scales)
    }
}
