//! Promise: a classification is refused before it takes more memory than there is, starts no more threads
//! than the machine can use, ends when it is interrupted, and says which classes are guesses.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use std::thread;
use std::time::Duration;

use common::number;
use partwise::memory::{DataSize, in_words};
use partwise::{DenseMatrix, Error, Interrupt, Interrupted, Labels, Matrix};
use partwise_classify::{ClassifySettings, classify, memory};

fn data(n: usize, d: usize) -> DenseMatrix<'static, f64> {
    DenseMatrix::from_matrix(Matrix::from_fn(n, d, |i, j| number(3, i * 1000 + j))).unwrap()
}

/// The first `given` of `n` samples are labelled, with `classes` classes in turn.
fn labels(n: usize, given: usize, classes: usize) -> Labels {
    let label = |i: usize| if i < given { (i % classes) as i32 } else { -1 };
    Labels::from_integers(&(0..n).map(label).collect::<Vec<i32>>()).unwrap()
}

#[test]
fn more_memory_than_the_limit_is_refused_with_both_numbers() {
    let settings = ClassifySettings { memory_limit: Some(1000), ..ClassifySettings::default() };
    let error = classify(&data(2000, 4), &labels(2000, 2000, 2), &settings).unwrap_err();
    let Error::Memory { what, needed, available, largest, advice } = error else {
        panic!("{error} is of another kind")
    };
    assert!(what.contains("classifying 2000 x 4 with 2 classes"), "{what}");
    assert!(needed > available && available == 1000, "{needed} of {available}");
    assert!(!largest.is_empty() && !advice.is_empty());
}

#[test]
fn no_shape_makes_an_estimate_overflow() {
    let most = usize::MAX;
    for (sparse, number) in [(false, 4), (false, 8), (true, 4), (true, 8)] {
        for (samples, features, stored) in [(most, most, most), (1, most, 3), (most, 1, 3), (1, 1, 1)] {
            let size = DataSize { samples, features, stored, sparse, number };
            let estimate = memory::estimate(size, most, most);
            assert!(estimate.bytes() > (1 << 30) && !in_words(estimate.bytes()).is_empty(), "{size:?}");
        }
    }
}

/// Nobody should run this against a library without the limit: it would start as many threads.
#[test]
fn too_many_threads_are_limited_with_a_notice() {
    let (x, labels) = (data(12, 6), labels(12, 4, 2));
    let settings = |threads| ClassifySettings { threads, ..ClassifySettings::default() };
    let many = classify(&x, &labels, &settings(1 << 40)).unwrap();
    assert!(many.notices.iter().any(|notice| notice.code == "threads"), "{:?}", many.notices);
    let few = classify(&x, &labels, &settings(1)).unwrap();
    assert!(few.notices.iter().all(|notice| notice.code != "threads"), "{:?}", few.notices);
    assert_eq!(many.posteriors, few.posteriors);
}

#[test]
fn an_interrupt_ends_it() {
    let (x, labels) = (data(6_000, 400), labels(6_000, 40, 4));
    for threads in [1, 2] {
        let interrupt = Interrupt::default();
        let other = interrupt.clone();
        let request = thread::spawn(move || {
            thread::sleep(Duration::from_millis(200));
            other.request();
        });
        let settings = ClassifySettings { threads, ..ClassifySettings::default() };
        let result = interrupt.run(|| classify(&x, &labels, &settings));
        assert_eq!(result.err(), Some(Interrupted), "it was done before the request");
        request.join().unwrap();
    }
}

#[test]
fn a_row_of_zeros_is_reported_as_a_guess() {
    let x =
        Matrix::from_fn(
            14,
            6,
            |i, j| {
                if i == 9 { 0.0 } else { number(3, i * 6 + j) + f64::from((i + j) % 2 == 0) }
            },
        );
    let settings = ClassifySettings { iterations: 5, ..ClassifySettings::default() };
    let found = classify(&DenseMatrix::from_matrix(x).unwrap(), &labels(14, 4, 2), &settings).unwrap();
    let notice = found.notices.iter().find(|n| n.code == "classes-of-zero-rows");
    assert!(
        notice.is_some_and(|n| n.message.contains("1 unlabelled sample has no entry above 0, number 9")),
        "{:?}",
        found.notices
    );
}
