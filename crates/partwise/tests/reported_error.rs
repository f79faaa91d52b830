//! Promise: the relative error and the loss that a fit reports are those of the factors that it returns, for
//! every model of the Frobenius loss without row weights; also where the published objective carries a factor
//! ½.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Example, cases};
use partwise::methods::Tying;
use partwise::{Loss, Settings, fit, metrics};

#[test]
fn the_reported_error_is_that_of_the_factors() {
    let mut seen = 0;
    for case in cases() {
        if case.loss != Loss::Frobenius || case.spec.tying == Tying::NormalizedCut {
            continue;
        }
        if case.spec.name == "guided" && !case.references {
            continue; // Its samples have weights.
        }
        let example = case.example(&Example::new(12, 12, 4, 3));
        let (data, model) = (example.dense::<f64>(), case.model(&example));
        if model.guidance().advice().iter().any(|item| matches!(item, partwise::Advice::KnownEntries(_))) {
            continue;
        }
        let settings = Settings { max_iterations: 5, ..Settings::new(example.k) };
        let fit = fit(&data, &model, &settings).unwrap();
        let theta = fit.encoding().smoothing;
        let k = example.k as f64;
        // W·S with S = (1 − θ)I + (θ/k)11ᵀ, where the model has it.
        let linked = partwise::Matrix::from_fn(example.n, example.k, |i, j| {
            let row = fit.codes.row(i);
            (1.0 - theta) * row[j] + theta / k * row.iter().sum::<f64>()
        });
        let x = partwise::Matrix::from_vec(example.n, example.d, data.as_slice().to_vec()).unwrap();
        let expected = metrics::relative_error(&x, &linked, &fit.components).unwrap();
        let label = format!("{}: {} and {expected}", case.spec.name, fit.relative_error);
        assert!((fit.relative_error - expected).abs() < 1e-9, "{label}");
        let squared: f64 = x.as_slice().iter().map(|v| v * v).sum();
        assert!((fit.loss_value - expected * expected * squared).abs() < 1e-9 * squared, "{label}");
        seen += 1;
    }
    assert!(seen >= 8, "{seen} models");
}
