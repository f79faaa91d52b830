//! Promise: the relative error and the loss that a fit reports are those of the factors that it returns, for
//! every model of the Frobenius loss without row weights; also where the published objective carries a factor
//! ½. A fit without the gradient at the end differs in that gradient alone.

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

#[test]
fn a_fit_without_the_gradient_at_the_end_reports_that_of_its_last_updates() {
    for case in cases() {
        let example = case.example(&Example::new(12, 12, 4, 3));
        let (data, model) = (example.dense::<f64>(), case.model(&example));
        for max_iterations in [0, 1, 6] {
            let exact = Settings { max_iterations, tolerance: 0.0, ..Settings::new(example.k) };
            let settings = Settings { gradient_at_end: false, ..exact.clone() };
            let (exact, without) =
                (fit(&data, &model, &exact).unwrap(), fit(&data, &model, &settings).unwrap());
            let label = format!("{}, {max_iterations} iterations", case.spec.name);
            assert_eq!(without.codes, exact.codes, "{label}");
            assert_eq!(without.components, exact.components, "{label}");
            assert_eq!(without.objective.to_bits(), exact.objective.to_bits(), "{label}");
            assert_eq!(without.loss_value.to_bits(), exact.loss_value.to_bits(), "{label}");
            let objectives = |fit: &partwise::Fit<f64>| fit.history.iter().map(|i| i.objective).collect();
            let (own, expected): (Vec<f64>, Vec<f64>) = (objectives(&without), objectives(&exact));
            assert_eq!(own, expected, "{label}");
            // A fit without an iteration has met none.
            let met = without.history.last().unwrap().kkt.unwrap_or(exact.kkt);
            assert!((without.kkt - met).abs() <= 1e-12 * met, "{label}: {} and {met}", without.kkt);
        }
    }
}
