//! NMF-DC's step: Yang et al. 2018 (NMF-DC), the accelerated gradient.
//!
//! The paper takes one step 1/(‖G‖·max n_c) for every row. A row that stands for n_q samples allows
//! 1/(‖G‖·n_q) (METHODS R3). Asked here: after how many iterations is that where the paper's step is after
//! 200?
//!
//! The paper leaves open: δ, the stop, the start. Chosen here: δ = 0.3, k the number of classes, data divided
//! by their maximum, random starts that both share, components first; the clusters of both by k-means × 20 on
//! the codes, and constrained k-means beside. Generated data as the paper describes them: 0.2·(class
//! centre) + 0.8·noise, uniform on [0, 1]; 5 classes of 120 samples with 400 features, 60 % labelled. Faces:
//! ORL, 40 people, 2 labels each.
//!
//! Reduced: 3 draws.

use anyhow::{Context, Result};
use partwise::metrics::{accuracy, restricted};
use partwise::{
    DataMatrix, DenseMatrix, Init, Labels, Matrix, MethodOptions, Model, Settings, Slot, StepRule, fit,
};

use super::{Case, Group, Outcome, Protocol, Row, Unit};
use crate::draw::{generator, uniform};
use crate::methods::seeded_k_means::{self, constrained_k_means};
use partwise::clustering::{KMeansSettings, k_means};
use partwise::draw_labels;

/// How much faster the step by class is.
pub const STEP: Protocol = Protocol {
    name: "nmf-dc-step",
    title: "iterations in which the step by class is where the published step is after 200",
    paper: "Yang et al. 2018 (NMF-DC); not in the paper",
    needs: &["orl"],
    draws: 5,
    minutes: 2.0,
    revision: 2,
    main_scores: &["ratio", "AC all", "AC unlabelled"],
    groups: &[Group { name: "steps", title: "both steps" }],
    cases: |_| vec![Case::new(GENERATED), Case::new(FACES)],
    run,
    ..Protocol::PLAIN
};

const ITERATIONS: usize = 200;
const GENERATED: &str = "generated, 60 % labelled";
const FACES: &str = "faces, 2 labels each";

fn run(unit: &Unit<'_>) -> Result<Outcome> {
    if unit.case.name == GENERATED {
        let (data, classes) = generated(5, 120, 400, unit.draw)?;
        return Ok(compare(unit, &data, &classes, &draw_labels(&classes, 72, unit.draw))?.into());
    }
    let faces = unit.library.data_set("orl")?;
    let (images, people) = (faces.dense()?, faces.classes()?);
    let largest = images.summary().max;
    let images = Matrix::from_fn(images.n_samples(), images.n_features(), |i, j| images.row(i)[j] / largest);
    let images = DenseMatrix::from_matrix(images)?;
    Ok(compare(unit, &images, &people, &draw_labels(&people, 2, unit.draw))?.into())
}

/// 0.2·(class centre) + 0.8·noise (classes·size × features), divided by the largest entry, and the classes.
fn generated(
    classes: usize,
    size: usize,
    features: usize,
    seed: u64,
) -> Result<(DenseMatrix<'static, f64>, Vec<i32>)> {
    let mut random = generator(seed, 0);
    let mut uniforms = |rows: usize| Matrix::from_fn(rows, features, |_, _| uniform(&mut random));
    let (centres, noise) = (uniforms(classes), uniforms(classes * size));
    let value = |i: usize, j: usize| 0.2 * centres.get(i / size, j) + 0.8 * noise.get(i, j);
    let data = Matrix::from_fn(classes * size, features, value);
    let largest = data.as_slice().iter().fold(0.0_f64, |largest, v| v.max(largest));
    let scaled = Matrix::from_fn(classes * size, features, |i, j| data.get(i, j) / largest);
    Ok((DenseMatrix::from_matrix(scaled)?, (0..classes * size).map(|i| (i / size) as i32).collect()))
}

fn compare(
    unit: &Unit<'_>,
    data: &DenseMatrix<'static, f64>,
    classes: &[i32],
    given: &[i32],
) -> Result<Vec<Row>> {
    let labels = Labels::from_integers(given)?;
    let settings = Settings {
        init: Init::Random,
        seed: unit.draw,
        first: Some(Slot::Components),
        tolerance: 0.0,
        max_iterations: ITERATIONS,
        threads: 1,
        ..Settings::new(labels.n_classes())
    };
    let k_means_settings = KMeansSettings { seed: unit.draw, ..KMeansSettings::default() };
    let objectives = |step_rule| -> Result<(Vec<f64>, Scores)> {
        let options = MethodOptions { step_rule, ..MethodOptions::default() };
        let model = Model::from_name("nmf-dc", labels.clone())?.with_options(options);
        let found = fit(data, &model, &settings)?;
        let codes = DenseMatrix::from_matrix(found.codes)?;
        let clusters = k_means(&codes, labels.n_classes(), &k_means_settings)?.labels;
        let objectives = found.history.iter().map(|iteration| iteration.objective).collect();
        Ok((objectives, scores(classes, given, &clusters)?))
    };
    let (published, published_scores) = objectives(StepRule::LargestClass)?;
    let (by_class, scores_by_class) = objectives(StepRule::OwnClass)?;
    let reached = by_class
        .iter()
        .position(|objective| *objective <= published[ITERATIONS])
        .with_context(|| format!("the step by class never reaches {}", published[ITERATIONS]))?;
    let detail = format!("objective {:.6e} after {ITERATIONS} published steps", published[ITERATIONS]);
    let constrained = constrained_k_means(data, labels.n_classes(), &labels, &k_means_settings)?.labels;
    let solver = format!("nesterov-running, {ITERATIONS} iterations");
    Ok(vec![
        unit.row("step by class").by(&solver).noting(detail).with(scores_by_class).with([
            ("iterations", reached as f64),
            ("ratio", ITERATIONS as f64 / reached as f64),
            ("objective ratio", by_class[ITERATIONS] / published[ITERATIONS]),
        ]),
        unit.row("published step").by(solver).with(published_scores),
        unit.row("constrained k-means").by(seeded_k_means::SOLVER).with(scores(
            classes,
            given,
            &constrained,
        )?),
    ])
}

type Scores = [(&'static str, f64); 2];

/// Accuracy over all samples, and over those that no method sees the label of, in %.
fn scores(classes: &[i32], given: &[i32], clusters: &[usize]) -> Result<Scores> {
    let clusters: Vec<i32> = clusters.iter().map(|cluster| *cluster as i32).collect();
    let unlabelled: Vec<bool> = given.iter().map(|label| *label < 0).collect();
    let (hidden, found) = (restricted(classes, &unlabelled)?, restricted(&clusters, &unlabelled)?);
    let all = accuracy(classes, &clusters)?.accuracy;
    Ok([("AC all", 100.0 * all), ("AC unlabelled", 100.0 * accuracy(&hidden, &found)?.accuracy)])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::protocols::{DataSet, Extent, Library};

    struct Nothing;

    impl Library for Nothing {
        fn data_set(&self, name: &str) -> Result<Arc<DataSet>> {
            anyhow::bail!("{name} is not asked for")
        }
    }

    #[test]
    fn the_step_by_class_is_there_sooner_on_digits() {
        let digits = partwise_io::digits();
        let scaled: Vec<f64> = digits.images[..400 * 64].iter().map(|pixel| pixel / 16.0).collect();
        let data = DenseMatrix::new(400, 64, scaled).unwrap();
        let labels = draw_labels(&digits.labels[..400], 20, 3);
        let case = Case::new("digits");
        let unit = Unit { library: &Nothing, extent: Extent::Full, case: &case, group: "steps", draw: 0 };
        let rows = compare(&unit, &data, &digits.labels[..400], &labels).unwrap();
        let (iterations, ratio) = (rows[0].score("iterations").unwrap(), rows[0].score("ratio").unwrap());
        assert!(iterations < ITERATIONS as f64 && ratio > 1.0, "{rows:?}");
        // The labels alone beat chance, 10 %, on the digits that have none.
        assert!(rows.iter().all(|row| row.score("AC unlabelled").unwrap() > 30.0), "{rows:?}");
    }
}
