//! Promise: no number of threads that is asked for can harm the machine, and none changes the result.
#![allow(clippy::unwrap_used)]

mod common;

use common::facts::Facts;
use std::ops::ControlFlow;

use partwise::internals::most_threads;
use partwise::{DenseMatrix, Iteration, Labels, Model, Settings, encode, fit, methods};

fn data() -> DenseMatrix<'static, f64> {
    let value = |at: usize| {
        let (i, j) = (at / 6, at % 6);
        if j / 3 == i % 2 { 1.0 + ((7 * i + 3 * j) % 5) as f64 } else { 0.1 * ((i + j) % 3) as f64 }
    };
    DenseMatrix::new(12, 6, (0..72).map(value).collect()).unwrap()
}

fn labels() -> Labels {
    Labels::from_integers(&[0, 1, 0, 1, -1, -1, -1, -1, -1, -1, -1, -1]).unwrap()
}

/// Nobody should run this against a library without the limit: it would start as many threads.
#[test]
fn too_many_threads_are_limited_with_a_notice_in_every_method() {
    let (x, mut tried) = (data(), 0);
    for spec in methods::ALL {
        let facts = Facts { labels: Some(labels()), ..Facts::default() };
        let Ok(model) = facts.try_model(spec.name) else { continue };
        let settings = |threads| Settings { threads, max_iterations: 3, ..Settings::new(2) };
        let Ok(few) = fit(&x, &model, &settings(1)) else { continue };
        tried += 1;
        assert!(few.notices.iter().all(|notice| notice.code != "threads"), "{}", spec.name);
        let many = fit(&x, &model, &settings(usize::MAX)).unwrap();
        assert!(many.threads <= most_threads(), "{}: {} threads", spec.name, many.threads);
        let notice = many.notices.iter().find(|notice| notice.code == "threads").unwrap();
        assert!(notice.message.contains(&format!("at most {}", most_threads())), "{}", notice.message);
        assert_eq!(many.codes, few.codes, "{}", spec.name);
    }
    assert!(tried >= 4, "only {tried} methods take labels alone");
}

#[test]
fn too_many_threads_are_limited_with_a_notice_in_transform() {
    let x = data();
    let settings = Settings { max_iterations: 3, ..Settings::new(2) };
    let done = fit(&x, &Model::nmf(), &settings).unwrap();
    let many = Settings { threads: 1 << 40, ..settings };
    let mut watch = |_: &Iteration| -> ControlFlow<()> { ControlFlow::Continue(()) };
    let codes = encode(&x, &done.components, done.encoding(), done.loss, &many, &mut watch).unwrap();
    assert!(codes.threads <= most_threads() && codes.notices.iter().any(|notice| notice.code == "threads"));
}
