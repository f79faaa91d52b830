//! CNMF's tables 1 and 2: Liu & Wu 2010, "Non-negative matrix factorization with constraints", AAAI 2010.
//!
//! The paper says: faces of ORL (table 1) and Yale (table 2), k = 2..10 classes by chance, 10 draws for each
//! k; two labelled images a class; NMF, GNMF, NTF, SemiGNMF and CNMF with k components; accuracy (AC) and NMI
//! (over the larger entropy) of k-means on the codes.
//!
//! It leaves open: the scale of the images, starts, iterations, the restarts of k-means, which scale the
//! codes have for it, the graph and λ of GNMF and SemiGNMF ("the best"), whether labelled images count in the
//! scores. Its "NMF" is the weighted NCW-NMF. The averages of table 2 can't be read in the text; the
//! published values here for Yale are those of NMF-DC's table IV, at "10 %" labels.
//!
//! Chosen here: images of 32 × 32 pixels divided by 255; uniform starts; multiplicative updates, the basis
//! first, 200 iterations, no other stop; k-means++ with 20 starts on the codes as they come (km), the lowest
//! inertia. GNMF and SemiGNMF: rows of unit length, 5 neighbours, binary weights, λ = 100, kmB. NMF-DC: the
//! running scheme with the paper's step, 200 steps, codes first, starts uniform times 2√(mean X/k). SCNMF and
//! CNMF also from the labels: one-hot rows + 0.1·U, class means + 0.01·mean·U. Other readings beside km where
//! the references have them. Every score over all images, as in the paper, and over the unlabelled ones. The
//! same on UMIST and Extended Yale B.
//!
//! Reduced: k = 2, 6, 10, 3 draws (Extended Yale B: 1).

use anyhow::Result;

use super::cnmf_values::{self as values, Values};
use super::face_methods;
use super::faces::{Faces, SCORES};
use super::{Axis, Case, Extent, Figure, Group, Outcome, Protocol, Published, Reference, Unit};

const LABELS: usize = 2;
const ITERATIONS: usize = 200;

const GROUPS: &[Group] = &[
    face_methods::NMF.group,
    face_methods::NCW_NMF.group,
    face_methods::GNMF.group,
    face_methods::NTF.group,
    face_methods::SEMI_GNMF.group,
    face_methods::CNMF.group,
    face_methods::CNMF_KL.group,
    face_methods::NMF_DC_0.group,
    face_methods::NMF_DC_0_3.group,
    face_methods::SCNMF.group,
    face_methods::SCNMF_LABELS.group,
    face_methods::CNMF_LABELS.group,
    face_methods::K_MEANS.group,
    face_methods::CONSTRAINED_K_MEANS.group,
];

const FACES: Protocol = Protocol {
    draws: 30,
    axis: Some(Axis { name: "k", independent: true, averaged: true }),
    groups: GROUPS,
    main_scores: &["AC all", "AC unlabelled"],
    pairs: &[
        ("CNMF, km", "NMF, km"),
        ("CNMF, km", "NCW-NMF, km"),
        ("CNMF, km", "CNMF-KL, km"),
        ("CNMF, km", "SCNMF, km"),
        ("CNMF from labels, km", "SCNMF from labels, km"),
        ("NMF-DC 0.3, km", "CNMF, km"),
        ("NMF-DC 0.3, km", "NMF-DC 0, km"),
        ("constrained k-means", "CNMF, km"),
        ("k-means", "NMF, km"),
    ],
    figures: &[
        figure("accuracy", "AC over all images", "AC all"),
        figure("accuracy-unlabelled", "AC over unlabelled images", "AC unlabelled"),
        figure("nmi", "NMI over all images", "NMI all"),
    ],
    ..Protocol::PLAIN
};

const fn figure(name: &'static str, title: &'static str, score: &'static str) -> Figure {
    Figure { name, title, score, across: None, methods: SHOWN, logarithmic: false }
}

/// The methods of the charts.
const SHOWN: &[&str] = &[
    "NCW-NMF, km",
    "GNMF, kmB",
    "NTF, km",
    "SemiGNMF, kmB",
    "CNMF, km",
    "NMF-DC 0.3, km",
    "SCNMF from labels, km",
    "constrained k-means",
];

/// Table 1.
pub const ORL: Protocol = Protocol {
    name: "cnmf-orl",
    title: "clusters of ORL faces by NMF, NCW-NMF, GNMF, NTF, SemiGNMF, CNMF and its successors, k = 2..10",
    paper: "Liu & Wu 2010 (CNMF), table 1",
    needs: &["orl"],
    minutes: 6.0,
    cases: |extent| cases("ORL", extent),
    run: |unit| run(unit, "orl"),
    published: published_orl,
    references: || {
        let mut all = references("ORL", values::ORL);
        for (method, by_k) in values::ORL_BY_K {
            all.extend(by_k.iter().enumerate().map(|(at, (mean, deviation))| Reference {
                case: "ORL",
                x: Some(2.0 + at as f64),
                method,
                score: SCORES[0],
                mean: *mean,
                error: deviation / values::ORL_DRAWS.sqrt(),
            }));
        }
        all
    },
    remarks: &[
        "The paper's \"NMF\" is NCW-NMF; its values stand beside both. GNMF's and SemiGNMF's λ is not stated in the paper.",
    ],
    ..FACES
};

/// Table 2.
pub const YALE: Protocol = Protocol {
    name: "cnmf-yale",
    title: "the same on Yale faces",
    paper: "Liu & Wu 2010 (CNMF), table 2; published values from Yang et al. 2018 (NMF-DC), table IV",
    needs: &["yale"],
    draws: 20,
    minutes: 4.0,
    cases: |extent| cases("Yale", extent),
    run: |unit| run(unit, "yale"),
    published: || {
        let all = values::PUBLISHED_YALE.iter();
        all.map(|(method, value)| Published {
            case: "Yale",
            x: None,
            method,
            score: SCORES[0],
            value: *value,
        })
        .collect()
    },
    references: || references("Yale", values::YALE),
    remarks: &[
        "Published for \"10 %\" labels, which is one label a class, where CNMF equals NMF; here two labels a class.",
    ],
    ..FACES
};

/// The same on UMIST; in no paper.
pub const UMIST: Protocol = Protocol {
    name: "cnmf-umist",
    title: "the same on UMIST faces, profile to front",
    paper: "none; the protocol of Liu & Wu 2010, table 1",
    needs: &["umist"],
    draws: 10,
    minutes: 4.0,
    cases: |extent| cases("UMIST", extent),
    run: |unit| run(unit, "umist"),
    references: || references("UMIST", values::UMIST),
    ..FACES
};

/// The same on Extended Yale B; in no paper.
pub const EXTENDED_YALE_B: Protocol = Protocol {
    name: "cnmf-extended-yale-b",
    title: "the same on Extended Yale B, where lighting hides the person",
    paper: "none; the protocol of Liu & Wu 2010, table 1",
    needs: &["extended-yale-b"],
    draws: 3,
    reduced_draws: 1,
    minutes: 20.0,
    cases: |extent| cases("Extended Yale B", extent),
    run: |unit| run(unit, "extended-yale-b"),
    references: || {
        let scores = [SCORES[0], SCORES[1], SCORES[3], SCORES[4]];
        let mut all = Vec::new();
        for (method, means) in values::EXTENDED_YALE_B {
            all.extend(scores.iter().zip(means).map(|(score, mean)| Reference {
                case: "Extended Yale B",
                x: None,
                method,
                score,
                mean: *mean,
                error: f64::NAN,
            }));
        }
        all
    },
    remarks: &["The references have 3 draws and state no standard error, so nothing is flagged."],
    ..FACES
};

fn cases(name: &str, extent: Extent) -> Vec<Case> {
    let sizes: &[usize] = if extent == Extent::Reduced { &[2, 6, 10] } else { &[2, 3, 4, 5, 6, 7, 8, 9, 10] };
    sizes.iter().map(|k| Case::at(name, *k as f64)).collect()
}

fn published_orl() -> Vec<Published> {
    let at = |method: &'static str, x, score, value| Published { case: "ORL", x, method, score, value };
    let mut all = Vec::new();
    for (method, [accuracy, nmi]) in values::PUBLISHED_ORL_AVERAGES {
        all.extend([at(method, None, SCORES[0], *accuracy), at(method, None, SCORES[1], *nmi)]);
    }
    for (method, by_k) in values::PUBLISHED_ORL {
        all.extend(
            by_k.iter().enumerate().map(|(i, value)| at(method, Some(2.0 + i as f64), SCORES[0], *value)),
        );
    }
    all
}

pub(super) fn references(case: &'static str, table: &[Values]) -> Vec<Reference> {
    let mut all = Vec::new();
    for (method, [ac, ac_se, nmi, nmi_se, ari, hidden_ac, hidden_ac_se, hidden_nmi, hidden_nmi_se]) in table {
        let known = [
            (*ac, *ac_se),
            (*nmi, *nmi_se),
            (*ari, f64::NAN),
            (*hidden_ac, *hidden_ac_se),
            (*hidden_nmi, *hidden_nmi_se),
        ];
        let reference = |(score, (mean, error))| Reference { case, x: None, method, score, mean, error };
        all.extend(SCORES.into_iter().zip(known).map(reference));
    }
    all
}

fn run(unit: &Unit<'_>, set: &str) -> Result<Outcome> {
    let k = unit.case.x.map_or(0, |k| k as usize);
    let faces = Faces::draw(&*unit.library.data_set(set)?, set, k, LABELS, unit.draw)?;
    let mut rows = Vec::new();
    for (name, clusters, solver) in face_methods::method(unit.group)?.readings(&faces, ITERATIONS)? {
        rows.push(unit.row(name).by(solver).with(faces.scores(&clusters)?));
    }
    Ok(rows.into())
}
