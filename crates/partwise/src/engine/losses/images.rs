//! ½‖X − WH‖² where each component is an image u·vᵀ: what the subproblem of the components becomes, seen from
//! U or from V.
//!
//! ```text
//! H[j, a·q + b] = Uₐⱼ·Vᵦⱼ     U: G = (WᵀW)∘(VᵀV), C[a, j] = Σᵦ (XᵀW)[a·q + b, j]·Vᵦⱼ
//!                             V: with the roles exchanged
//! ```

use crate::engine::quadratic::Quadratic;
use crate::engine::{Factors, Slot};
use crate::foundation::{Matrix, Real};

/// Hᵀ (p·q × k) from U (p × k) and V (q × k).
pub(crate) fn compose<T: Real>(rows: &Matrix<T>, columns: &Matrix<T>) -> Matrix<T> {
    let q = columns.rows();
    Matrix::from_fn(rows.rows() * q, rows.columns(), |at, j| rows.get(at / q, j) * columns.get(at % q, j))
}

/// The quadratic of `slot` (U or V) from that of the components; `gram` is that of the other one.
pub(crate) fn seen_from<T: Real>(
    slot: Slot,
    components: &Quadratic<T>,
    gram: &Matrix<T>,
    factors: &Factors<T>,
) -> Quadratic<T> {
    let (other, q) = (factors.get(slot.other()), factors.get(Slot::ImageColumns).rows());
    let mut quadratic = Quadratic::of_terms(factors.get(slot).shape());
    for at in 0..components.cross.rows() {
        let (mine, theirs) = if slot == Slot::ImageRows { (at / q, at % q) } else { (at % q, at / q) };
        let pixel = components.cross.row(at).iter().zip(other.row(theirs));
        for (c, (x, v)) in quadratic.cross.row_mut(mine).iter_mut().zip(pixel) {
            *c += *x * *v;
        }
    }
    let grams = components.gram.as_slice().iter().zip(gram.as_slice());
    for (g, (w, v)) in quadratic.gram.as_mut_slice().iter_mut().zip(grams) {
        *g = *w * *v;
    }
    quadratic.constant = components.constant;
    quadratic
}
