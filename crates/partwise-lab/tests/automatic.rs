//! Promise: the automatic recipe finds the digits from two labels each, better than label spreading, the centroids or WS-NMF alone.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

use partwise::draw_labels;
use partwise::recipes::{AutomaticSettings, automatic};
use partwise::{DenseMatrix, Labels, metrics};
use partwise_io::digits;

#[test]
fn the_embedded_digits_are_recovered_from_two_labels_each() {
    let digits = digits();
    // Every third image: 599 of them.
    let rows: Vec<usize> = (0..digits.n_samples()).step_by(3).collect();
    let images: Vec<f32> =
        rows.iter().flat_map(|i| digits.images[i * 64..(i + 1) * 64].iter().map(|v| *v as f32)).collect();
    let classes: Vec<i32> = rows.iter().map(|i| digits.labels[*i]).collect();
    let x = DenseMatrix::new(rows.len(), 64, images).unwrap();
    let mut scores = Vec::new();
    for seed in 0..2 {
        let given = draw_labels(&classes, 2, seed);
        let labels = Labels::from_integers(&given).unwrap();
        let settings = AutomaticSettings { iterations: 15, ..AutomaticSettings::default() };
        let found = automatic(&x, &labels, &settings).unwrap();
        let hidden: Vec<bool> = given.iter().map(|label| *label < 0).collect();
        let clusters: Vec<i32> = found.labels.iter().map(|class| *class as i32).collect();
        let truth = metrics::restricted(&classes, &hidden).unwrap();
        let clusters = metrics::restricted(&clusters, &hidden).unwrap();
        scores.push(metrics::accuracy(&truth, &clusters).unwrap().accuracy);
    }
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    assert!(mean > 0.8, "accuracy {scores:?} on the unlabelled digits");
}
