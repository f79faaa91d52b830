//! The published objectives, naively: they share no code with the engine.

use partwise::methods::Form;
use partwise::{AnchorScale, Loss, Matrix, Settings, Slot, SupportVectors};

use super::facts::{Facts, Margins, Unit};
use super::{Case, Example, guided, number, product};

/// The published objective of a case at W (n × k), H (k × d) and what factors there are beside them, naively.
pub(crate) fn objective(
    example: &Example,
    case: &Case,
    settings: &Settings,
    w: &Matrix<f64>,
    h: &Matrix<f64>,
    further: &[(Slot, Matrix<f64>)],
) -> f64 {
    let h = match further {
        [(Slot::ImageRows, u), (Slot::ImageColumns, v)] => {
            let q = v.rows();
            &Matrix::from_fn(w.columns(), u.rows() * q, |j, at| u.get(at / q, j) * v.get(at % q, j))
        }
        _ => h,
    };
    let (x, p) = (&example.x, product(w, &case.linked(h)));
    let weights = case.row_weights(example);
    let facts = case.facts(example);
    let known = |i: usize, j: usize| facts.known_entries.as_ref().is_none_or(|m| m.get(i, j) > 0.0);
    let mut value = 0.0;
    for i in 0..example.n {
        for j in 0..example.d {
            let (x, p) = (x.get(i, j), p.get(i, j));
            value += match case.loss {
                Loss::Frobenius if known(i, j) => weights[i] * (x - p) * (x - p),
                Loss::Frobenius => 0.0,
                Loss::KullbackLeibler if x > 0.0 => weights[i] * (x * (x / p).ln() - x + p),
                Loss::KullbackLeibler => weights[i] * p,
                other => panic!("no formula for {other:?}"),
            };
        }
    }
    if case.spec.name == "nmf-alpha" {
        value += combined_divergence(example, w, h);
    }
    if case.spec.name == "ws-nmf" {
        value += references(example, case, w, h);
    }
    if case.spec.name == "guided" {
        value += guided::costs(example, case, w, h);
    }
    if case.takes_graph() {
        value += smoothness(example, case, w);
    }
    if case.spec.name == "ssnmf" {
        value += label_view(example, &facts, w, &further.iter().find(|(s, _)| *s == Slot::Labels).unwrap().1);
    }
    if case.spec.form == Form::Symmetric {
        value += symmetric(example, case, w, &h.transposed(), further);
    }
    // The penalties belong to the half objective of the Frobenius loss.
    let published = if case.loss == Loss::Frobenius && !case.spec.half_objective { 2.0 } else { 1.0 };
    let value = if case.spec.half_objective { 0.5 * value } else { value };
    // One factor has the penalties of both, in equal parts.
    let mean = |(a, b): (f64, f64)| (0.5 * (a + b), 0.5 * (a + b));
    let of_one = Settings { l1: mean(settings.l1), l2: mean(settings.l2), ..settings.clone() };
    let settings = if case.is_one_factor() { &of_one } else { settings };
    value + published * penalties(settings, w, h)
}

/// S of two machines, given, so that examples with one class have it too: a third of the rows, one column of
/// zeros.
pub(crate) fn margins(example: &Example) -> Margins {
    let coefficient = |i: usize, j: usize| {
        let r = number(example.seed ^ 0xa1fa, 4 * i + j);
        if j == 2 || r < 0.65 { 0.0 } else { r }
    };
    let support = SupportVectors::from_matrix(&Matrix::from_fn(example.n, 4, coefficient)).unwrap();
    Margins { discriminative_weight: 1.7, support: Some(support), ..Margins::default() }
}

/// λ·D(SᵀX‖SᵀWH).
fn combined_divergence(example: &Example, w: &Matrix<f64>, h: &Matrix<f64>) -> f64 {
    let margins = margins(example);
    let s = margins.support.unwrap().to_matrix();
    let (x, p) = (product(&s.transposed(), &example.x), product(&product(&s.transposed(), w), h));
    let entry = |(x, p): (&f64, &f64)| if *x > 0.0 { x * (x / p).ln() - x + p } else { *p };
    margins.discriminative_weight * x.as_slice().iter().zip(p.as_slice()).map(entry).sum::<f64>()
}

/// Σᵢ m²‖Wᵢ − dᵢ·rᵢ‖² + Σ_c m²‖H_c − R_c‖².
fn references(example: &Example, case: &Case, w: &Matrix<f64>, h: &Matrix<f64>) -> f64 {
    let facts = case.facts(example);
    let mut value = 0.0;
    if facts.code_reference.is_none() && case.unit == Unit::Relative {
        return misplaced(example, &facts, w, h);
    }
    for i in 0..example.n {
        let (m, r): (f64, Vec<f64>) = match &facts.code_reference {
            Some(reference) => (reference.weight[i], reference.reference.row(i).to_vec()),
            None => {
                let label = example.labels().class(i);
                let one_hot = (0..example.k).map(|j| f64::from(label == Some(j))).collect();
                (if label.is_some() { facts.strength } else { 0.0 }, one_hot)
            }
        };
        let along: f64 = r.iter().zip(w.row(i)).map(|(r, w)| r * w).sum();
        let length: f64 = r.iter().map(|r| r * r).sum();
        let d = match case.scale {
            AnchorScale::Fixed => 1.0,
            _ if length > 0.0 => along / length,
            _ => 0.0,
        };
        value += m * m * r.iter().zip(w.row(i)).map(|(r, w)| (w - d * r) * (w - d * r)).sum::<f64>();
    }
    if let Some(reference) = &facts.component_reference {
        for (c, m) in reference.weight.iter().enumerate() {
            let distance: f64 =
                h.row(c).iter().zip(reference.reference.row(c)).map(|(h, r)| (h - r) * (h - r)).sum();
            value += m * m * distance;
        }
    }
    value
}

/// λ‖M∘(Y − WB)‖² with B given as its transpose; without a unit, λ is times ‖X‖²/‖M∘Y‖².
fn label_view(example: &Example, facts: &Facts, w: &Matrix<f64>, b: &Matrix<f64>) -> f64 {
    let one_hot = |i: usize, l: usize| f64::from(example.labels().class(i) == Some(l));
    let (mut value, mut size) = (0.0, 0.0);
    for i in 0..example.n {
        for l in 0..b.rows() {
            let (y, m) = match &facts.label_targets {
                Some(given) => (given.targets.get(i, l), given.known.get(i, l)),
                None => (one_hot(i, l), f64::from(example.labels[i] >= 0)),
            };
            let product: f64 = w.row(i).iter().zip(b.row(l)).map(|(w, b)| w * b).sum();
            value += m * (y - product) * (y - product);
            size += m * y * y;
        }
    }
    let squares: f64 = example.x.as_slice().iter().map(|x| x * x).sum();
    let unit = if facts.unit == Unit::Relative { squares / size } else { 1.0 };
    facts.label_weight * unit * value
}

/// μ‖H1 − H2‖² + ½Σᵢ m²(‖H1ᵢ − dᵢ·rᵢ‖² + ‖H2ᵢ − dᵢ·rᵢ‖²) with μ = (max S)², or what the relative strength
/// makes of the last; without μ where H1 and H2 are one factor.
fn symmetric(
    example: &Example,
    case: &Case,
    h1: &Matrix<f64>,
    h2: &Matrix<f64>,
    further: &[(Slot, Matrix<f64>)],
) -> f64 {
    let largest = example.x.as_slice().iter().fold(0.0f64, |m, v| m.max(*v));
    let distance = |a: &[f64], b: &[f64], d: f64| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - d * b) * (a - d * b)).sum()
    };
    let coupling = if case.is_one_factor() { 0.0 } else { largest * largest };
    let mut value = coupling * distance(h1.as_slice(), h2.as_slice(), 1.0);
    if case.spec.name != "ws-symnmf" {
        return value;
    }
    let facts = case.facts(example);
    if !case.references && case.unit == Unit::Relative {
        let (a, b) = (h1.transposed(), h2.transposed());
        return value + 0.5 * (misplaced(example, &facts, h1, &b) + misplaced(example, &facts, h2, &a));
    }
    let scales = &further.iter().find(|(slot, _)| *slot == Slot::Scales).unwrap().1;
    for i in 0..example.n {
        let label = example.labels().class(i);
        let (m, r): (f64, Vec<f64>) = match &facts.code_reference {
            Some(reference) => (reference.weight[i], reference.reference.row(i).to_vec()),
            None => (
                if label.is_some() { facts.strength } else { 0.0 },
                (0..example.k).map(|j| f64::from(label == Some(j))).collect(),
            ),
        };
        let d = scales.get(i, 0);
        value += 0.5 * m * m * (distance(h1.row(i), &r, d) + distance(h2.row(i), &r, d));
    }
    value
}

/// s²·Σ_{i labelled} Σ_{j ≠ class(i)} w_ij²‖h_j‖².
fn misplaced(example: &Example, facts: &Facts, w: &Matrix<f64>, h: &Matrix<f64>) -> f64 {
    let mut value = 0.0;
    for i in 0..example.n {
        let Some(class) = example.labels().class(i) else { continue };
        for j in (0..example.k).filter(|&j| j != class) {
            value += w.get(i, j).powi(2) * h.row(j).iter().map(|h| h * h).sum::<f64>();
        }
    }
    facts.strength * facts.strength * value
}

/// λ·tr(WᵀLW), with the labelled pairs of the graph overridden for SemiGNMF.
fn smoothness(example: &Example, case: &Case, w: &Matrix<f64>) -> f64 {
    let (graph, n) = (example.graph(), example.n);
    let adjacency = Matrix::from_fn(n, n, |i, j| match (example.labels[i], example.labels[j]) {
        (a, b) if case.spec.name == "semi-gnmf" && i != j && a >= 0 && b >= 0 => f64::from(a == b),
        _ => graph.weight(i, j),
    });
    let mut value = 0.0;
    for i in 0..n {
        let degree: f64 = adjacency.row(i).iter().sum();
        for j in 0..n {
            let laplacian = if i == j { degree } else { 0.0 } - adjacency.get(i, j);
            value += laplacian * (0..w.columns()).map(|c| w.get(i, c) * w.get(j, c)).sum::<f64>();
        }
    }
    case.facts(example).graph_weight * value
}

/// The penalties of the settings as documented, in the half form.
fn penalties(settings: &Settings, w: &Matrix<f64>, h: &Matrix<f64>) -> f64 {
    let (n, d) = (w.rows() as f64, h.columns() as f64);
    let ((l1w, l1h), (l2w, l2h)) = (settings.l1, settings.l2);
    let one_sided = (l1w > 0.0 || l2w > 0.0) != (l1h > 0.0 || l2h > 0.0);
    let mut value = 0.0;
    for c in 0..h.rows() {
        let w: Vec<f64> = (0..w.rows()).map(|i| w.get(i, c)).collect();
        let sum = |v: &[f64]| v.iter().sum::<f64>();
        let squares = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>();
        let unit = |v: &[f64]| if one_sided { squares(v) } else { 1.0 };
        value += d * (l1w * sum(&w) * unit(h.row(c)).sqrt() + 0.5 * l2w * squares(&w) * unit(h.row(c)));
        value += n * (l1h * sum(h.row(c)) * unit(&w).sqrt() + 0.5 * l2h * squares(h.row(c)) * unit(&w));
    }
    value
}
