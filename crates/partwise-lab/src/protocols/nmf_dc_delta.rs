//! NMF-DC's figures 2 and 3: Yang et al. 2018 (NMF-DC), δ against sparseness and accuracy.
//!
//! The paper says: on ORL the codes get sparser and the clustering better as δ grows.
//!
//! It leaves open: the number of classes, labels and draws, the stop, the start; whether the sparseness is
//! that of the factor Z or of the codes AZ (it calls them equal, which they are not).
//!
//! Chosen here: c = 3 and 10 classes, 1 and 2 labels a class, δ = 0, 0.1, …, 0.9; images / 255; 200 steps of
//! the running scheme, the paper's step, codes first; starts that every δ shares, uniform times 2√(mean X/k);
//! k-means × 20 on the codes as they come. Sparseness is Hoyer's of all entries of Z together (one row a
//! class for its labelled samples): chosen after a first look, since the mean over its rows was twice the
//! reference, so that it agrees is no evidence of its own. δ = 1 is left out: S then has rank one.
//! Constrained k-means has no δ: a level line.
//!
//! Reduced: 3 draws; δ = 0, 0.3, 0.6, 0.9.

use anyhow::Result;
use partwise::metrics::sparseness;
use partwise::{Fit, Settings};

use super::face_methods;
use super::faces::{Faces, Reading};
use super::{Axis, Case, Extent, Figure, Group, Outcome, Protocol, Reference, Unit, nmf_dc_methods};

/// Figures 2 and 3.
pub const DELTA: Protocol = Protocol {
    name: "nmf-dc-delta",
    title: "NMF-DC's delta against the sparseness of its codes and the accuracy, ORL",
    paper: "Yang et al. 2018 (NMF-DC), figures 2, 3",
    needs: &["orl"],
    draws: 10,
    minutes: 0.5,
    axis: Some(Axis { name: "delta", independent: false, averaged: true }),
    groups: &[Group { name: "nmf-dc", title: "NMF-DC" }, face_methods::CONSTRAINED_K_MEANS.group],
    cases: |extent| {
        let places: &[f64] = if extent == Extent::Reduced { &[0.0, 0.3, 0.6, 0.9] } else { &DELTAS };
        let all = SETTINGS.iter().flat_map(|setting| places.iter().map(|x| Case::at(setting.0, *x)));
        all.collect()
    },
    run,
    main_scores: &[SPARSENESS, "AC all", "AC unlabelled"],
    references,
    figures: &[
        figure("sparseness", "Sparseness of the codes", SPARSENESS),
        figure("accuracy", "AC over all images", "AC all"),
        figure("accuracy-unlabelled", "AC over unlabelled images", "AC unlabelled"),
    ],
    remarks: &[
        "The paper shows curves without numbers. The references have 10 draws and state no standard error, so nothing is flagged.",
    ],
    ..Protocol::PLAIN
};

const ITERATIONS: usize = 200;
const NMF_DC: &str = "NMF-DC, km";
const SPARSENESS: &str = "sparseness";
const DELTAS: [f64; 10] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
/// (case, classes, labels a class).
const SETTINGS: [(&str, usize, usize); 4] = [
    ("3 people, 1 label each", 3, 1),
    ("3 people, 2 labels each", 3, 2),
    ("10 people, 1 label each", 10, 1),
    ("10 people, 2 labels each", 10, 2),
];

const fn figure(name: &'static str, title: &'static str, score: &'static str) -> Figure {
    Figure { name, title, score, across: None, methods: &[], logarithmic: false }
}

fn run(unit: &Unit<'_>) -> Result<Outcome> {
    let setting = SETTINGS.iter().find(|setting| setting.0 == unit.case.name);
    let (_, k, labels) = *setting.unwrap_or(&SETTINGS[0]);
    let faces = Faces::draw(&*unit.library.data_set("orl")?, "orl", k, labels, unit.draw)?;
    if unit.group != "nmf-dc" {
        return Ok(nmf_dc_methods::rows(unit, &faces, face_methods::method(unit.group)?, 0)?.into());
    }
    let settings = Settings {
        seed: unit.draw,
        max_iterations: ITERATIONS,
        tolerance: 0.0,
        threads: 1,
        ..Settings::new(k)
    };
    let fitted = faces.nmf_dc(unit.case.x.unwrap_or(0.0), settings)?;
    let scores = faces.scores(&Reading::Plain.clusters(&fitted, &faces)?)?;
    let row = unit.row(NMF_DC).by(format!("{}, {} iterations", fitted.solver, fitted.iterations));
    let row = row.with([(SPARSENESS, sparseness_of(&fitted, &faces)?)]).with(scores);
    Ok(row.with([("relative error", fitted.relative_error)]).into())
}

/// Hoyer's sparseness of Z, all entries together.
fn sparseness_of(fitted: &Fit<f64>, faces: &Faces) -> Result<f64> {
    let mut seen = vec![false; faces.k];
    let mut entries = Vec::new();
    for i in 0..fitted.codes.rows() {
        let again = faces.labels.class(i).is_some_and(|class| std::mem::replace(&mut seen[class], true));
        if !again {
            entries.extend_from_slice(fitted.codes.row(i));
        }
    }
    Ok(sparseness(&entries)?)
}

/// Of independent implementations, 10 draws.
fn references() -> Vec<Reference> {
    let mut all = Vec::new();
    for (case, score, values) in VALUES {
        all.extend(DELTAS.iter().zip(values).map(|(delta, mean)| Reference {
            case,
            x: Some(*delta),
            method: NMF_DC,
            score,
            mean: *mean,
            error: f64::NAN,
        }));
    }
    all
}

/// (case, score, by δ).
const VALUES: &[(&str, &str, [f64; 10])] = &[
    (SETTINGS[0].0, SPARSENESS, [0.18, 0.19, 0.21, 0.23, 0.25, 0.28, 0.31, 0.34, 0.37, 0.42]),
    (SETTINGS[0].0, "AC all", [83.0, 83.0, 82.3, 82.3, 82.0, 82.7, 82.0, 82.7, 82.7, 82.0]),
    (SETTINGS[0].0, "AC unlabelled", [83.0, 82.6, 82.2, 82.2, 81.9, 82.2, 81.5, 82.2, 81.5, 81.1]),
    (SETTINGS[0].0, "relative error", [0.14, 0.14, 0.14, 0.14, 0.14, 0.14, 0.14, 0.14, 0.15, 0.16]),
    (SETTINGS[1].0, SPARSENESS, [0.19, 0.20, 0.22, 0.23, 0.25, 0.27, 0.30, 0.34, 0.37, 0.43]),
    (SETTINGS[1].0, "AC all", [83.7, 83.7, 83.3, 83.3, 83.0, 83.3, 83.3, 83.3, 83.3, 84.0]),
    (SETTINGS[1].0, "AC unlabelled", [81.2, 81.2, 81.7, 81.7, 81.2, 80.8, 80.8, 80.8, 81.7, 83.3]),
    (SETTINGS[1].0, "relative error", [0.14, 0.14, 0.14, 0.14, 0.14, 0.14, 0.15, 0.15, 0.15, 0.16]),
    (SETTINGS[2].0, SPARSENESS, [0.27, 0.28, 0.30, 0.33, 0.35, 0.38, 0.42, 0.45, 0.51, 0.55]),
    (SETTINGS[2].0, "AC all", [69.1, 68.6, 72.6, 72.0, 71.6, 71.6, 69.4, 70.4, 68.9, 61.1]),
    (SETTINGS[2].0, "AC unlabelled", [69.6, 69.2, 72.8, 72.6, 72.0, 71.6, 70.0, 71.1, 68.8, 61.3]),
    (SETTINGS[2].0, "relative error", [0.12, 0.12, 0.12, 0.12, 0.12, 0.13, 0.13, 0.13, 0.14, 0.16]),
    (SETTINGS[3].0, SPARSENESS, [0.28, 0.29, 0.31, 0.33, 0.35, 0.38, 0.41, 0.45, 0.48, 0.53]),
    (SETTINGS[3].0, "AC all", [74.6, 74.4, 76.1, 75.0, 72.3, 71.9, 74.1, 71.9, 71.0, 64.3]),
    (SETTINGS[3].0, "AC unlabelled", [74.1, 72.9, 75.4, 74.0, 71.8, 71.4, 73.4, 70.2, 70.6, 63.2]),
    (SETTINGS[3].0, "relative error", [0.13, 0.13, 0.13, 0.13, 0.13, 0.13, 0.13, 0.14, 0.15, 0.16]),
];
