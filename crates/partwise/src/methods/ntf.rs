//! NTF: non-negative factorization of a stack of images as a third-order tensor (CP).
//!
//! ```text
//! min Σᵢₐᵦ ( Tᵢₐᵦ − Σⱼ Wᵢⱼ·Uₐⱼ·Vᵦⱼ )²,   W (n × k), U (p × k), V (q × k) ≥ 0
//! ```
//!
//! Each sample is an image of p × q pixels, row by row: X (n × p·q) with X[i, a·q + b] = T[i, a, b], the
//! shape in [`MethodOptions::image_shape`](super::MethodOptions). So each part is an image of rank one, and
//! the components (k × p·q) are these images, H[j, a·q + b] = Uₐⱼ·Vᵦⱼ: W·H is the tensor. Order: U, V, W
//! (codes first: W, U, V). U and V are in [`Fit::further`](crate::Fit). Reference: Shashua & Hazan 2005,
//! doi:10.1145/1102351.1102451. Differs: supports every solver, not only multiplicative updates; without
//! penalties; the start is random or given.

use super::{Error, Form, Input, Known, MethodSpec, Terms, publications};

pub(super) static SPEC: MethodSpec = MethodSpec {
    name: "ntf",
    estimator: "NTF",
    title: "NTF",
    summary: "images as slices of a tensor: each component is a column of pixels times a row",
    objective: "sum_iab (T_iab - sum_j W_ij U_aj V_bj)^2",
    needs: "the shape of the images",
    form: Form::Images,
    reference: "Shashua & Hazan 2005, doi:10.1145/1102351.1102451",
    publications: &[publications::SHASHUA_HAZAN_2005],
    differs: "supports every solver; no penalties; a random or custom start",
    takes: &[Input::ImageShape],
    terms,
    ..super::PLAIN
};

fn terms(known: Known<'_>) -> Terms {
    let Some((height, width)) = known.options.image_shape else {
        return Err(SPEC.lacks());
    };
    if height.checked_mul(width) != Some(known.shape.features) {
        return Err(Error::shape(
            "the images",
            format!("as many pixels as features, {}", known.shape.features),
            format!("{height} x {width}"),
        ));
    }
    Ok(Vec::new())
}
