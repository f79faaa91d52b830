//! SCNMF's figures: Lan et al. 2014, "Soft-constrained nonnegative matrix factorization via normalization",
//! IJCNN 2014.
//!
//! The paper says: faces of ORL, FERET, Yale and UMIST; NMF, NMF-α, CNMF and SCNMF. Figure 1: the bases on
//! ORL with two labels a class. Figures 3–6: accuracy and NMI against k = 2..10 classes, two labels a class,
//! ten draws. Figures 7–10: against 1 to 5 labels a class, ten classes, ten draws. Figures 11–14: accuracy,
//! NMI and time against iterations. All figures are curves without numbers.
//!
//! It leaves open: starts, iterations, how clusters are read off the codes, NMF-α's λ and machines, the
//! setting of figures 11–14, and whether labelled images count. With the printed updates SCNMF is plain NMF
//! and one rescaling at the end (METHODS R8), so its start is what matters.
//!
//! Chosen here: as in CNMF's tables ([`super::cnmf`]): images / 255, 200 multiplicative updates, the basis
//! first; SCNMF, CNMF and NMF-α from uniform starts and from the labels; k-means × 20 on the codes as they
//! come (km), rows of unit length for NMF-α (kmR), the largest code for SCNMF (arg), too. NMF-α: machines one
//! against one with C = 1 on images / 255, λ such that the discriminative rows weigh as much as the data (ρ =
//! 1). Figures 11–14: ten classes, two labels, fits of their own for 1, 2, 5, 10, 20, 50, 100, 200
//! iterations; time is that of the fit (with NMF-α's machines), on one thread. Figure 1: ten classes. FERET
//! can't be had. The scores of all figures are those over unlabelled images, with those over all beside.
//!
//! NMF-α on Yale with 2 labels lies 6 above its reference (54.1 ± 1.0 from uniform starts, 48.2; from labels
//! 56.9 ± 2.2, 51.9). Methods that have no part in S are above theirs, too, on the same ten draws of classes:
//! NMF +1.6, CNMF +3.1, constrained k-means +2.2; and the references form S from clipped slacks in place of
//! dual coefficients: on ten other draws a program of its own (numpy) has 52.3 with the coefficients, 50.0
//! with the slacks, 50.2 without S (deviation over draws 5.5, so a standard error of 1.7 for each). What is
//! left is 1 to 2 standard errors.
//!
//! Reduced: 3 draws; k = 2, 6, 10; labels 1, 3, 5; iterations 1, 10, 200.

use anyhow::Result;

use super::clock::Clock;
use super::face_methods;
use super::faces::{Faces, Reading};
use super::{Axis, Case, Extent, Figure, Group, Outcome, Picture, Protocol, Reference, Unit};
use crate::methods::seeded_k_means;

const ITERATIONS: usize = 200;
const CLASSES_OF_FIGURES: usize = 10;
/// (folder, name).
const SETS: [(&str, &str); 3] = [("orl", "ORL"), ("yale", "Yale"), ("umist", "UMIST")];
const UNLABELLED: &str = "AC unlabelled";
const SECONDS: &str = "seconds";

const GROUPS: &[Group] = &[
    face_methods::NMF.group,
    face_methods::NMF_LABELS.group,
    face_methods::CNMF.group,
    face_methods::CNMF_LABELS.group,
    face_methods::NMF_ALPHA.group,
    face_methods::NMF_ALPHA_LABELS.group,
    face_methods::SCNMF.group,
    face_methods::SCNMF_LABELS.group,
    face_methods::CONSTRAINED_K_MEANS.group,
];

/// The methods of the charts.
const SHOWN: &[&str] = &[
    "NMF, km",
    "CNMF, km",
    "CNMF from labels, km",
    "NMF-alpha, kmR",
    "SCNMF, km",
    "SCNMF from labels, km",
    "constrained k-means",
];

const fn figure(name: &'static str, title: &'static str, score: &'static str) -> Figure {
    Figure { name, title, score, across: None, methods: SHOWN, logarithmic: false }
}

const CURVES: Protocol = Protocol {
    paper: "Lan et al. 2014 (SCNMF)",
    needs: &["orl", "yale", "umist"],
    draws: 10,
    groups: GROUPS,
    main_scores: &[UNLABELLED, "AC all"],
    pairs: &[
        ("SCNMF, km", "CNMF, km"),
        ("SCNMF from labels, km", "CNMF from labels, km"),
        ("SCNMF from labels, arg", "CNMF from labels, km"),
        ("SCNMF from labels, km", "CNMF, km"),
        ("SCNMF, km", "NMF-alpha, kmR"),
        ("SCNMF from labels, km", "NMF-alpha from labels, kmR"),
    ],
    figures: &[
        figure("accuracy", "AC over unlabelled images", UNLABELLED),
        figure("nmi", "NMI over unlabelled images", "NMI unlabelled"),
        figure("accuracy-all", "AC over all images", "AC all"),
    ],
    ..Protocol::PLAIN
};

/// Figures 3, 5, 6.
pub const CLASSES: Protocol = Protocol {
    name: "scnmf-classes",
    title: "SCNMF, CNMF, NMF-alpha and NMF against the number of classes, two labels a class",
    paper: "Lan et al. 2014 (SCNMF), figures 3, 5, 6",
    minutes: 40.0,
    axis: Some(Axis { name: "k", independent: true, averaged: true }),
    cases: |extent| {
        on_each(if extent == Extent::Reduced { &[2, 6, 10] } else { &[2, 3, 4, 5, 6, 7, 8, 9, 10] })
    },
    run: |unit| clusterings(unit, place(unit), 2),
    remarks: &["The paper shows curves without numbers."],
    ..CURVES
};

/// Figures 7, 9, 10.
pub const LABELS: Protocol = Protocol {
    name: "scnmf-labels",
    title: "SCNMF, CNMF, NMF-alpha and NMF against labels a class, ten classes",
    paper: "Lan et al. 2014 (SCNMF), figures 7, 9, 10",
    minutes: 45.0,
    axis: Some(Axis { name: "labels a class", independent: false, averaged: true }),
    cases: |extent| on_each(if extent == Extent::Reduced { &[1, 3, 5] } else { &[1, 2, 3, 4, 5] }),
    run: |unit| clusterings(unit, CLASSES_OF_FIGURES, place(unit)),
    references,
    remarks: &[
        "The paper shows curves without numbers. The references have 10 draws and state no standard error, so nothing is flagged.",
    ],
    ..CURVES
};

/// Where the curves of figures 11, 13 and 14 are taken.
const CHECKPOINTS: &[usize] = &[1, 2, 5, 10, 20, 50, 100, 200];

/// Figures 11, 13, 14.
pub const OVER_ITERATIONS: Protocol = Protocol {
    name: "scnmf-iterations",
    title: "SCNMF, CNMF, NMF-alpha and NMF against iterations and time, ten classes, two labels a class",
    paper: "Lan et al. 2014 (SCNMF), figures 11, 13, 14",
    minutes: 30.0,
    axis: Some(Axis { name: "iterations", independent: false, averaged: false }),
    cases: |extent| on_each(if extent == Extent::Reduced { &[1, 10, 200] } else { CHECKPOINTS }),
    run: iterations,
    figures: &[
        logarithmic("accuracy", "AC over unlabelled images", UNLABELLED, None),
        logarithmic("nmi", "NMI over unlabelled images", "NMI unlabelled", None),
        logarithmic("seconds", "Seconds", SECONDS, None),
        logarithmic("accuracy-time", "AC over unlabelled images against time", UNLABELLED, Some(SECONDS)),
    ],
    remarks: &["The paper shows curves without numbers. Seconds are CPU time of a fit."],
    ..CURVES
};

const fn logarithmic(
    name: &'static str,
    title: &'static str,
    score: &'static str,
    across: Option<&'static str>,
) -> Figure {
    Figure { across, logarithmic: true, ..figure(name, title, score) }
}

/// Figure 1.
pub const BASIS: Protocol = Protocol {
    name: "scnmf-basis",
    title: "pictures of the bases of SCNMF, CNMF and NMF on ORL, ten classes, two labels a class",
    paper: "Lan et al. 2014 (SCNMF), figure 1",
    needs: &["orl"],
    draws: 1,
    reduced_draws: 1,
    minutes: 1.0,
    groups: &[Group { name: "bases", title: "SCNMF (random start, from labels), CNMF, NMF" }],
    cases: |_| vec![Case::new("ORL")],
    run: bases,
    remarks: &[
        "Likeness: the cosine of a component with a class mean, paired one to one, the most alike first, averaged; 100 is equal.",
    ],
    ..Protocol::PLAIN
};

fn on_each(places: &[usize]) -> Vec<Case> {
    let each =
        |set: &(&str, &str)| -> Vec<Case> { places.iter().map(|x| Case::at(set.1, *x as f64)).collect() };
    SETS.iter().flat_map(each).collect()
}

fn place(unit: &Unit<'_>) -> usize {
    unit.case.x.map_or(0, |x| x as usize)
}

fn draw(unit: &Unit<'_>, k: usize, labels: usize) -> Result<Faces> {
    let folder = SETS.iter().find(|set| set.1 == unit.case.name).map_or("", |set| set.0);
    Faces::draw(&*unit.library.data_set(folder)?, folder, k, labels, unit.draw)
}

fn clusterings(unit: &Unit<'_>, k: usize, labels: usize) -> Result<Outcome> {
    let faces = draw(unit, k, labels)?;
    let mut rows = Vec::new();
    for (name, clusters, solver) in face_methods::method(unit.group)?.readings(&faces, ITERATIONS)? {
        rows.push(unit.row(name).by(solver).with(faces.scores(&clusters)?));
    }
    Ok(rows.into())
}

fn iterations(unit: &Unit<'_>) -> Result<Outcome> {
    let faces = draw(unit, CLASSES_OF_FIGURES, 2)?;
    let method = face_methods::method(unit.group)?;
    let began = Clock::start();
    let Some(fitted) = method.fit(&faces, place(unit))? else {
        // A clustering has no such iterations: a level line.
        let clusters = method.clusters(&faces)?.unwrap_or_default();
        let seconds = began.seconds();
        let row = unit.row(method.name).by(seeded_k_means::SOLVER).with(faces.scores(&clusters)?);
        return Ok(row.with([(SECONDS, seconds)]).into());
    };
    let seconds = began.seconds();
    let mut rows = Vec::new();
    for reading in method.readings {
        let scores = faces.scores(&reading.clusters(&fitted, &faces)?)?;
        let row = unit
            .row(format!("{}, {}", method.name, reading.name()))
            .by(format!("{}, {} iterations", fitted.solver, fitted.iterations));
        rows.push(row.with(scores).with([(SECONDS, seconds)]));
    }
    Ok(rows.into())
}

fn bases(unit: &Unit<'_>) -> Result<Outcome> {
    let faces = draw(unit, CLASSES_OF_FIGURES, 2)?;
    let means: Vec<Vec<f64>> = (0..faces.k).map(|class| class_mean(&faces, class as i32)).collect();
    let mut pictures: Vec<(String, Vec<Vec<f64>>)> = Vec::new();
    for place in 0..2 {
        let labelled = |class: usize| {
            let mut own = (0..faces.classes.len()).filter(|i| faces.labels.class(*i) == Some(class));
            own.nth(place).map_or(Vec::new(), |i| faces.data.row(i).to_vec())
        };
        pictures.push((format!("labelled {}", place + 1), (0..faces.k).map(labelled).collect()));
    }
    let mut rows = Vec::new();
    for method in [&face_methods::SCNMF, &face_methods::SCNMF_LABELS, &face_methods::CNMF, &face_methods::NMF]
    {
        let Some(fitted) = method.fit(&faces, ITERATIONS)? else { continue };
        let components: Vec<Vec<f64>> = (0..faces.k).map(|j| fitted.components.row(j).to_vec()).collect();
        let clusters = Reading::Plain.clusters(&fitted, &faces)?;
        let likeness = ("likeness to class means", 100.0 * likeness(&components, &means));
        let solver = format!("{}, {} iterations", fitted.solver, fitted.iterations);
        rows.push(unit.row(method.name).by(solver).with([likeness]).with(faces.scores(&clusters)?));
        pictures.push((method.name.to_string(), components));
    }
    if let Some(clusters) = face_methods::CONSTRAINED_K_MEANS.clusters(&faces)? {
        let row = unit.row(face_methods::CONSTRAINED_K_MEANS.name).by(seeded_k_means::SOLVER);
        rows.push(row.with(faces.scores(&clusters)?));
    }
    let picture = Picture {
        name: format!("basis-draw-{}", unit.draw),
        title: "Two labelled images of each class, and the bases".into(),
        shape: faces.shape,
        rows: pictures,
    };
    Ok(Outcome { rows, pictures: vec![picture] })
}

fn class_mean(faces: &Faces, class: i32) -> Vec<f64> {
    let own: Vec<usize> = (0..faces.classes.len()).filter(|i| faces.classes[*i] == class).collect();
    let sum = |j: usize| own.iter().map(|i| faces.data.row(*i)[j]).sum::<f64>();
    (0..faces.shape.0 * faces.shape.1).map(|j| sum(j) / own.len() as f64).collect()
}

/// The mean cosine of components with class means, paired one to one, the most alike first.
fn likeness(components: &[Vec<f64>], means: &[Vec<f64>]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let cosine = |a: &[f64], b: &[f64]| {
        let lengths = (dot(a, a) * dot(b, b)).sqrt();
        if lengths > 0.0 { dot(a, b) / lengths } else { 0.0 }
    };
    let mut free: Vec<usize> = (0..means.len()).collect();
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (j, component) in components.iter().enumerate() {
        pairs.extend(means.iter().enumerate().map(|(c, mean)| (cosine(component, mean), j, c)));
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut used, mut total) = (vec![false; components.len()], 0.0);
    for (cosine, j, c) in pairs {
        if !used[j] && free.contains(&c) {
            used[j] = true;
            free.retain(|other| *other != c);
            total += cosine;
        }
    }
    total / means.len() as f64
}

/// Accuracy on unlabelled images, and NMI, of independent implementations; 10 classes, 10 draws.
fn references() -> Vec<Reference> {
    let mut all = Vec::new();
    for (case, labels, method, accuracy, nmi) in VALUES {
        for (score, mean) in [(UNLABELLED, *accuracy), ("NMI unlabelled", *nmi)] {
            all.push(Reference { case, x: Some(*labels), method, score, mean, error: f64::NAN });
        }
    }
    all
}

/// (set, labels a class, method, AC, NMI).
const VALUES: &[(&str, f64, &str, f64, f64)] = &[
    ("ORL", 1.0, "NMF, km", 68.9, 76.2),
    ("ORL", 1.0, "CNMF, km", 70.6, 75.8),
    ("ORL", 1.0, "CNMF, kmR", 71.2, 75.3),
    ("ORL", 1.0, "SCNMF, km", 61.4, 66.0),
    ("ORL", 1.0, "SCNMF, arg", 34.2, 32.8),
    ("ORL", 1.0, "NMF-alpha, kmR", 71.9, 73.7),
    ("ORL", 1.0, "constrained k-means", 73.1, 74.9),
    ("ORL", 1.0, "NMF from labels, km", 68.8, 73.6),
    ("ORL", 1.0, "CNMF from labels, km", 71.8, 76.3),
    ("ORL", 1.0, "CNMF from labels, kmR", 71.0, 75.0),
    ("ORL", 1.0, "SCNMF from labels, km", 69.3, 74.0),
    ("ORL", 1.0, "SCNMF from labels, arg", 64.9, 67.3),
    ("ORL", 1.0, "NMF-alpha from labels, kmR", 71.9, 72.7),
    ("ORL", 2.0, "NMF, km", 69.6, 76.7),
    ("ORL", 2.0, "CNMF, km", 73.8, 77.5),
    ("ORL", 2.0, "CNMF, kmR", 72.2, 76.9),
    ("ORL", 2.0, "SCNMF, km", 63.9, 69.1),
    ("ORL", 2.0, "SCNMF, arg", 37.6, 38.9),
    ("ORL", 2.0, "NMF-alpha, kmR", 74.6, 77.6),
    ("ORL", 2.0, "constrained k-means", 79.5, 81.2),
    ("ORL", 2.0, "NMF from labels, km", 75.6, 78.4),
    ("ORL", 2.0, "CNMF from labels, km", 75.9, 78.0),
    ("ORL", 2.0, "CNMF from labels, kmR", 77.4, 79.6),
    ("ORL", 2.0, "SCNMF from labels, km", 74.8, 77.4),
    ("ORL", 2.0, "SCNMF from labels, arg", 76.2, 76.3),
    ("ORL", 2.0, "NMF-alpha from labels, kmR", 81.2, 81.2),
    ("ORL", 3.0, "NMF, km", 69.7, 77.0),
    ("ORL", 3.0, "CNMF, km", 76.7, 79.4),
    ("ORL", 3.0, "CNMF, kmR", 77.6, 79.9),
    ("ORL", 3.0, "SCNMF, km", 64.3, 69.7),
    ("ORL", 3.0, "SCNMF, arg", 37.9, 39.8),
    ("ORL", 3.0, "NMF-alpha, kmR", 79.3, 81.5),
    ("ORL", 3.0, "constrained k-means", 86.1, 85.8),
    ("ORL", 3.0, "NMF from labels, km", 79.4, 80.7),
    ("ORL", 3.0, "CNMF from labels, km", 81.0, 81.7),
    ("ORL", 3.0, "CNMF from labels, kmR", 81.3, 82.0),
    ("ORL", 3.0, "SCNMF from labels, km", 78.9, 80.1),
    ("ORL", 3.0, "SCNMF from labels, arg", 80.9, 81.0),
    ("ORL", 3.0, "NMF-alpha from labels, kmR", 84.4, 84.3),
    ("ORL", 5.0, "NMF, km", 70.8, 78.1),
    ("ORL", 5.0, "CNMF, km", 83.8, 85.6),
    ("ORL", 5.0, "CNMF, kmR", 82.2, 84.1),
    ("ORL", 5.0, "SCNMF, km", 67.2, 72.8),
    ("ORL", 5.0, "SCNMF, arg", 39.6, 42.1),
    ("ORL", 5.0, "NMF-alpha, kmR", 78.6, 82.2),
    ("ORL", 5.0, "constrained k-means", 92.0, 91.9),
    ("ORL", 5.0, "NMF from labels, km", 83.6, 83.7),
    ("ORL", 5.0, "CNMF from labels, km", 80.8, 81.5),
    ("ORL", 5.0, "CNMF from labels, kmR", 84.0, 85.0),
    ("ORL", 5.0, "SCNMF from labels, km", 84.0, 83.9),
    ("ORL", 5.0, "SCNMF from labels, arg", 82.6, 82.8),
    ("ORL", 5.0, "NMF-alpha from labels, kmR", 88.8, 88.7),
    ("Yale", 2.0, "NMF, km", 44.1, 43.8),
    ("Yale", 2.0, "CNMF, km", 44.6, 43.8),
    ("Yale", 2.0, "CNMF, kmR", 44.1, 43.7),
    ("Yale", 2.0, "SCNMF, km", 42.0, 42.5),
    ("Yale", 2.0, "SCNMF, arg", 33.3, 28.6),
    ("Yale", 2.0, "NMF-alpha, kmR", 48.2, 48.1),
    ("Yale", 2.0, "constrained k-means", 48.1, 46.7),
    ("Yale", 2.0, "NMF from labels, km", 45.9, 45.5),
    ("Yale", 2.0, "CNMF from labels, km", 46.7, 47.2),
    ("Yale", 2.0, "CNMF from labels, kmR", 47.2, 46.1),
    ("Yale", 2.0, "SCNMF from labels, km", 47.0, 45.4),
    ("Yale", 2.0, "SCNMF from labels, arg", 43.6, 41.5),
    ("Yale", 2.0, "NMF-alpha from labels, kmR", 51.9, 51.4),
    ("Yale", 5.0, "NMF, km", 47.0, 51.6),
    ("Yale", 5.0, "CNMF, km", 52.7, 55.3),
    ("Yale", 5.0, "CNMF, kmR", 52.2, 54.6),
    ("Yale", 5.0, "SCNMF, km", 43.8, 48.1),
    ("Yale", 5.0, "SCNMF, arg", 34.2, 32.3),
    ("Yale", 5.0, "NMF-alpha, kmR", 53.0, 56.9),
    ("Yale", 5.0, "constrained k-means", 60.5, 60.5),
    ("Yale", 5.0, "NMF from labels, km", 49.2, 52.0),
    ("Yale", 5.0, "CNMF from labels, km", 53.0, 55.0),
    ("Yale", 5.0, "CNMF from labels, kmR", 54.3, 55.6),
    ("Yale", 5.0, "SCNMF from labels, km", 50.8, 54.2),
    ("Yale", 5.0, "SCNMF from labels, arg", 49.8, 53.2),
    ("Yale", 5.0, "NMF-alpha from labels, kmR", 58.5, 60.6),
    ("UMIST", 2.0, "NMF, km", 47.7, 57.9),
    ("UMIST", 2.0, "CNMF, km", 47.8, 59.7),
    ("UMIST", 2.0, "CNMF, kmR", 49.2, 59.1),
    ("UMIST", 2.0, "SCNMF, km", 42.7, 50.3),
    ("UMIST", 2.0, "SCNMF, arg", 34.2, 30.6),
    ("UMIST", 2.0, "NMF-alpha, kmR", 49.9, 58.6),
    ("UMIST", 2.0, "constrained k-means", 57.5, 67.7),
    ("UMIST", 2.0, "NMF from labels, km", 53.0, 62.7),
    ("UMIST", 2.0, "CNMF from labels, km", 53.1, 63.0),
    ("UMIST", 2.0, "CNMF from labels, kmR", 52.1, 60.0),
    ("UMIST", 2.0, "SCNMF from labels, km", 50.8, 60.2),
    ("UMIST", 2.0, "SCNMF from labels, arg", 52.0, 53.7),
    ("UMIST", 2.0, "NMF-alpha from labels, kmR", 57.1, 60.9),
    ("UMIST", 5.0, "NMF, km", 47.5, 58.4),
    ("UMIST", 5.0, "CNMF, km", 52.0, 62.7),
    ("UMIST", 5.0, "CNMF, kmR", 52.9, 62.5),
    ("UMIST", 5.0, "SCNMF, km", 44.8, 52.0),
    ("UMIST", 5.0, "SCNMF, arg", 37.1, 34.4),
    ("UMIST", 5.0, "NMF-alpha, kmR", 53.6, 61.1),
    ("UMIST", 5.0, "constrained k-means", 66.7, 72.6),
    ("UMIST", 5.0, "NMF from labels, km", 53.3, 62.7),
    ("UMIST", 5.0, "CNMF from labels, km", 56.5, 65.6),
    ("UMIST", 5.0, "CNMF from labels, kmR", 56.4, 65.2),
    ("UMIST", 5.0, "SCNMF from labels, km", 53.5, 63.9),
    ("UMIST", 5.0, "SCNMF from labels, arg", 53.1, 56.5),
    ("UMIST", 5.0, "NMF-alpha from labels, kmR", 65.1, 69.0),
];
