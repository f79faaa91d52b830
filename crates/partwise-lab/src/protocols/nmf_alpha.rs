//! NMF-α before a linear classifier: Cho & Saul 2011, "Nonnegative matrix factorization for semi-supervised
//! dimensionality reduction", arXiv:1112.3714, section 3. What the experiments run is in `nmf_alpha_trial`,
//! figure 2 in [`super::nmf_alpha_basis`].
//!
//! The paper says: factor all training rows with few labels, map every row to r codes, correct them to
//! W(HHᵀ)^½, train linear support vector machines on the same labelled rows, tune their cost and λ on
//! validation rows; 5 splits of training and validation rows, the official test rows; PCA, LDA, NMF, SSNMF
//! and CNMF in NMF-α's place, a transductive machine (TSVM) and a plain one on raw rows. MNIST 4 against 9:
//! 5,000 / 6,791 / 1,991 rows, 2, 10, 100 % labelled, accuracy; 20 Newsgroups: 9,007 training rows, 20, 40,
//! 100 %, accuracy; aviation reports (22 labels): 12,912 / 8,607 / 7,077 rows, 5, 10, 100 % labelled, the
//! mean of macro- and micro-averaged F.
//!
//! It leaves open: iterations, starts, the machines' loss, bias and cost, the encoding of new rows (only
//! implied), how labelled rows are drawn, and the grids.
//!
//! Chosen here: data divided by the mean length of the training rows; random starts, the same for every λ;
//! 250 iterations (text: 40), components first, no other stop; new rows by 40 updates of their codes from the
//! constant 1/r, training rows encoded in the same way, so that all codes are of one kind; hinge loss for
//! MNIST, its square for text; no bias for classes and a constant feature for label sets; every
//! representation divided by the mean length of its training rows (text: each row by its own), so that one
//! grid of costs (0.1, 1, …, 1000) serves all; the first rows of a random order of the training rows are
//! labelled; S from machines on the raw rows with a tenth of the cost that is best for them on validation
//! rows, one against one for several classes. λ's scale is that of S, so the grid is over the mass ρ =
//! λ·ΣSᵀX/ΣX ∈ {1, 10}, beside ρ = 0, which is plain KL-NMF. r ∈ {16, 64, 128} for MNIST, {32, 64} for
//! reports, {32, 64, 128} for 20 Newsgroups. SSNMF: relative weights of the labels 0.1, 1, 10; CNMF:
//! Frobenius loss, not where everything is labelled (it then has one row a class). LDA: its own nearest class
//! mean with a ridge of 0.01, 0.1, 1; over 2,000 features on the 64 first principal components. TSVM: costs
//! 1, 10, 100. Every parameter is chosen on validation rows. 20 Newsgroups: the 10,000 terms of the most
//! training documents, tf-idf or counts. The aviation set is the public one of 500 chosen terms, not the
//! 28,426 of the paper, and the term list of 20 Newsgroups is ours, so published figures stand there for
//! orientation only.
//!
//! Constrained k-means: as many clusters as classes over the training rows, labelled rows held; a test row
//! belongs to the nearest centre. It needs one label a row, as do LDA, TSVM, SSNMF and CNMF here: the
//! aviation reports have none of these lines.
//!
//! Reduced: one draw, r = 64. MNIST: 80 iterations. Reports: 5 and 100 % labelled. 20 Newsgroups: 20 %
//! labelled, without TSVM. SSNMF: weight 1. TSVM: cost 10.

use anyhow::Result;
use partwise::internals::svm::SvmLoss;

use super::classifiers::Measure;
use super::nmf_alpha_trial::{ALPHA_CHOSEN, Study, Terms, run};
use super::{Case, Extent, Group, Outcome, Protocol, Published, Reference, Unit};

/// MNIST, 4 against 9.
pub const MNIST: Protocol = Protocol {
    name: "nmf-alpha-mnist",
    title: "4 against 9 by a linear classifier on NMF-alpha's codes, on other codes, on pixels",
    paper: "Cho & Saul 2011, figure 3, top row",
    needs: &["mnist-4-9"],
    minutes: 30.0,
    published: || {
        let values = MNIST_SHARES.iter().zip([93.3, 96.9, 98.2]);
        values.map(|(share, value)| published(share.1, ALPHA_CHOSEN, value)).collect()
    },
    references: || references(MNIST_VALUES),
    cases: |_| cases(MNIST_SHARES),
    run: |unit| study(&MNIST_STUDY, unit, 80, MNIST_SHARES),
    remarks: &[UNSEEN, CONVERGED],
    ..CODES
};

/// Aviation reports, 22 labels.
pub const AVIATION: Protocol = Protocol {
    name: "nmf-alpha-aviation",
    title: "22 labels of aviation reports by linear classifiers on NMF-alpha's codes, on other codes, on terms",
    paper: "Cho & Saul 2011, figure 3, bottom row (500 terms instead of 28426)",
    needs: &["tmc2007-500"],
    revision: TEXT_REVISION,
    minutes: 15.0,
    groups: &[RAW_GROUP, PCA_GROUP, NMF_GROUP, ALPHA_GROUP],
    references: || references(AVIATION_VALUES),
    cases: |extent| cases(if extent == Extent::Reduced { AVIATION_REDUCED_SHARES } else { AVIATION_SHARES }),
    run: |unit| study(&AVIATION_STUDY, unit, 40, AVIATION_REDUCED_SHARES),
    remarks: &[
        UNSEEN,
        "Constrained k-means, LDA, TSVM, SSNMF and CNMF need one label a row; a report has several, so they have no lines here.",
    ],
    ..CODES
};

/// 20 Newsgroups.
pub const NEWSGROUPS: Protocol = Protocol {
    name: "nmf-alpha-newsgroups",
    title: "20 newsgroups by linear classifiers on NMF-alpha's codes, on other codes, on terms",
    paper: "Cho & Saul 2011, figure 3, middle row, and table 2 (our term list)",
    needs: &["20newsgroups"],
    revision: TEXT_REVISION,
    minutes: 60.0,
    published: || {
        let mut all = Vec::new();
        let by_share = NEWSGROUPS_SHARES.iter().zip([(70.1, 65.3), (75.3, 69.8), (78.1, 73.5)]);
        for (share, (alpha, lda)) in by_share {
            all.extend([published(share.1, ALPHA_CHOSEN, alpha), published(share.1, "lda", lda)]);
        }
        all
    },
    references: || references(NEWSGROUPS_VALUES),
    cases: |extent| {
        let shares = if extent == Extent::Reduced { &NEWSGROUPS_SHARES[..1] } else { NEWSGROUPS_SHARES };
        [cases(shares), cases(COUNTS_SHARES)].concat()
    },
    run: |unit| {
        let counted = COUNTS_SHARES.iter().any(|share| share.1 == unit.case.name);
        let (own, few) = if counted {
            (&COUNTS_STUDY, COUNTS_SHARES)
        } else {
            (&NEWSGROUPS_STUDY, &NEWSGROUPS_SHARES[..1])
        };
        study(own, unit, 40, few)
    },
    remarks: &[
        UNSEEN,
        "Published with another list of 53,975 terms and with headers, which ours lacks: for orientation only.",
    ],
    ..CODES
};

/// Since machines on text have the squared hinge.
const TEXT_REVISION: u32 = 3;
const UNSEEN: &str = "Test rows are never labelled, so every score is one over unlabelled rows; there is no \"all\". Parameters are chosen on validation rows.";
const CONVERGED: &str = "References have 250 iterations and 3 splits.";

const CODES: Protocol = Protocol {
    draws: 3,
    reduced_draws: 1,
    revision: 2,
    groups: &[
        RAW_GROUP,
        Group { name: "tsvm", title: "transductive machines on raw rows" },
        PCA_GROUP,
        Group { name: "lda", title: "linear discriminant analysis" },
        NMF_GROUP,
        Group { name: "ssnmf", title: "SSNMF" },
        Group { name: "cnmf", title: "CNMF" },
        ALPHA_GROUP,
        Group { name: "constrained-k-means", title: "constrained k-means, test rows by the nearest centre" },
    ],
    main_scores: &["test"],
    ..Protocol::PLAIN
};

const RAW_GROUP: Group = Group { name: "raw", title: "support vector machines on raw rows" };
const PCA_GROUP: Group = Group { name: "pca", title: "principal components" };
const NMF_GROUP: Group = Group { name: "nmf", title: "KL-NMF" };
const ALPHA_GROUP: Group = Group { name: "nmf-alpha", title: "NMF-alpha" };

type Shares = &'static [(f64, &'static str)];

const MNIST_SHARES: Shares = &[(0.02, "2 % labelled"), (0.1, "10 % labelled"), (1.0, "100 % labelled")];
const AVIATION_SHARES: Shares = &[(0.05, "5 % labelled"), (0.1, "10 % labelled"), (1.0, "100 % labelled")];
const AVIATION_REDUCED_SHARES: Shares = &[AVIATION_SHARES[0], AVIATION_SHARES[2]];
const NEWSGROUPS_SHARES: Shares =
    &[(0.2, "tf-idf, 20 % labelled"), (0.4, "tf-idf, 40 % labelled"), (1.0, "tf-idf, 100 % labelled")];
const COUNTS_SHARES: Shares = &[(0.2, "counts, 20 % labelled")];

pub(super) static MNIST_STUDY: Study = Study {
    set: "mnist-4-9",
    measure: Measure::Accuracy,
    loss: SvmLoss::Hinge,
    terms: Terms::AsTheyCome,
    training: 5000,
    shares: MNIST_SHARES,
    ranks: &[16, 64, 128],
    masses: &[1.0, 10.0],
    label_weights: &[0.1, 1.0, 10.0],
    transductive_costs: &[1.0, 10.0, 100.0],
    iterations: 250,
    encoding_steps: 40,
};

static AVIATION_STUDY: Study = Study {
    set: "tmc2007-500",
    measure: Measure::AverageF,
    terms: Terms::Counts,
    loss: SvmLoss::SquaredHinge,
    training: 12_912,
    shares: AVIATION_SHARES,
    ranks: &[32, 64],
    iterations: 40,
    ..MNIST_STUDY
};

static NEWSGROUPS_STUDY: Study = Study {
    set: "20newsgroups",
    measure: Measure::Classes,
    loss: SvmLoss::SquaredHinge,
    terms: Terms::TfIdf,
    training: 9007,
    shares: NEWSGROUPS_SHARES,
    ranks: &[32, 64, 128],
    iterations: 40,
    ..MNIST_STUDY
};

static COUNTS_STUDY: Study = Study { terms: Terms::Counts, shares: COUNTS_SHARES, ..NEWSGROUPS_STUDY };

/// The study, or what the reduced variant has of it: fewer iterations and shares of labels.
fn study(
    study: &'static Study,
    unit: &Unit<'_>,
    reduced_iterations: usize,
    reduced_shares: Shares,
) -> Result<Outcome> {
    if unit.extent == Extent::Full {
        return run(study, unit);
    }
    let transductive_costs: &[f64] = if study.measure == Measure::Accuracy { &[10.0] } else { &[] };
    let reduced = Study {
        ranks: &[64],
        iterations: reduced_iterations,
        shares: reduced_shares,
        label_weights: &[1.0],
        transductive_costs,
        ..*study
    };
    run(&reduced, unit)
}

fn cases(shares: Shares) -> Vec<Case> {
    shares.iter().map(|share| Case::new(share.1)).collect()
}

fn published(case: &'static str, method: &'static str, value: f64) -> Published {
    Published { case, x: None, method, score: "test", value }
}

/// Case, method, mean and standard deviation over splits, splits.
type Value = (&'static str, &'static str, f64, f64, f64);

fn references(values: &[Value]) -> Vec<Reference> {
    let error = |deviation: f64, splits: f64| if splits > 1.0 { deviation / splits.sqrt() } else { f64::NAN };
    let each = values.iter().map(|(case, method, mean, deviation, splits)| Reference {
        case,
        x: None,
        method,
        score: "test",
        mean: *mean,
        error: error(*deviation, *splits),
    });
    each.collect()
}

/// Of independent implementations: 250 iterations, 3 splits.
const MNIST_VALUES: &[Value] = &[
    ("2 % labelled", "raw", 91.9, 1.4, 3.0),
    ("2 % labelled", "lda", 91.7, 1.1, 3.0),
    ("2 % labelled", "pca, r = 64", 91.2, 1.2, 3.0),
    ("2 % labelled", "kl-nmf, r = 64", 92.8, 0.7, 3.0),
    ("2 % labelled", "nmf-alpha, r = 64, rho = 1", 93.0, 1.1, 3.0),
    ("2 % labelled", "nmf-alpha, r = 64, rho = 10", 92.0, 3.0, 3.0),
    ("2 % labelled", "pca, r = 128", 91.3, 1.5, 3.0),
    ("2 % labelled", "kl-nmf, r = 128", 92.4, 1.4, 3.0),
    ("2 % labelled", "nmf-alpha, r = 128, rho = 1", 92.4, 1.3, 3.0),
    ("2 % labelled", "nmf-alpha, r = 128, rho = 10", 93.2, 1.9, 3.0),
    ("10 % labelled", "raw", 94.8, 0.4, 3.0),
    ("10 % labelled", "lda", 93.7, 0.3, 3.0),
    ("10 % labelled", "pca, r = 64", 94.6, 0.3, 3.0),
    ("10 % labelled", "kl-nmf, r = 64", 95.5, 0.1, 3.0),
    ("10 % labelled", "nmf-alpha, r = 64, rho = 1", 95.4, 0.3, 3.0),
    ("10 % labelled", "nmf-alpha, r = 64, rho = 10", 95.6, 0.7, 3.0),
    ("10 % labelled", "pca, r = 128", 94.8, 0.2, 3.0),
    ("10 % labelled", "kl-nmf, r = 128", 95.1, 0.2, 3.0),
    ("10 % labelled", "nmf-alpha, r = 128, rho = 1", 95.2, 0.6, 3.0),
    ("10 % labelled", "nmf-alpha, r = 128, rho = 10", 96.2, 0.6, 3.0),
    ("100 % labelled", "raw", 96.7, 0.4, 3.0),
    ("100 % labelled", "lda", 96.2, 0.1, 3.0),
    ("100 % labelled", "pca, r = 64", 96.4, 0.0, 3.0),
    ("100 % labelled", "kl-nmf, r = 64", 96.9, 0.2, 3.0),
    ("100 % labelled", "nmf-alpha, r = 64, rho = 1", 97.3, 0.2, 3.0),
    ("100 % labelled", "nmf-alpha, r = 64, rho = 10", 97.2, 0.3, 3.0),
    ("100 % labelled", "pca, r = 128", 96.4, 0.1, 3.0),
    ("100 % labelled", "kl-nmf, r = 128", 97.2, 0.2, 3.0),
    ("100 % labelled", "nmf-alpha, r = 128, rho = 1", 97.1, 0.4, 3.0),
    ("100 % labelled", "nmf-alpha, r = 128, rho = 10", 97.8, 0.1, 3.0),
];

/// Of independent implementations: 40 iterations, 1 split.
const AVIATION_VALUES: &[Value] = &[
    ("5 % labelled", "raw", 46.1, 0.0, 1.0),
    ("5 % labelled", "kl-nmf, r = 32", 48.6, 0.0, 1.0),
    ("5 % labelled", "nmf-alpha, r = 32, rho = 1", 49.1, 0.0, 1.0),
    ("5 % labelled", "nmf-alpha, r = 32, rho = 10", 48.8, 0.0, 1.0),
    ("5 % labelled", "kl-nmf, r = 64", 48.1, 0.0, 1.0),
    ("5 % labelled", "nmf-alpha, r = 64, rho = 1", 49.5, 0.0, 1.0),
    ("5 % labelled", "nmf-alpha, r = 64, rho = 10", 47.2, 0.0, 1.0),
    ("10 % labelled", "raw", 51.9, 0.0, 1.0),
    ("10 % labelled", "kl-nmf, r = 32", 47.1, 0.0, 1.0),
    ("10 % labelled", "nmf-alpha, r = 32, rho = 1", 49.7, 0.0, 1.0),
    ("10 % labelled", "nmf-alpha, r = 32, rho = 10", 50.1, 0.0, 1.0),
    ("10 % labelled", "kl-nmf, r = 64", 50.7, 0.0, 1.0),
    ("10 % labelled", "nmf-alpha, r = 64, rho = 1", 52.3, 0.0, 1.0),
    ("10 % labelled", "nmf-alpha, r = 64, rho = 10", 52.9, 0.0, 1.0),
    ("100 % labelled", "raw", 59.0, 0.0, 1.0),
    ("100 % labelled", "kl-nmf, r = 32", 46.6, 0.0, 1.0),
    ("100 % labelled", "nmf-alpha, r = 32, rho = 1", 47.8, 0.0, 1.0),
    ("100 % labelled", "nmf-alpha, r = 32, rho = 10", 49.4, 0.0, 1.0),
    ("100 % labelled", "kl-nmf, r = 64", 50.5, 0.0, 1.0),
    ("100 % labelled", "nmf-alpha, r = 64, rho = 1", 52.8, 0.0, 1.0),
    ("100 % labelled", "nmf-alpha, r = 64, rho = 10", 52.5, 0.0, 1.0),
];

/// Of independent implementations: squared hinge, 40 iterations, 1 split.
const NEWSGROUPS_VALUES: &[Value] = &[
    ("tf-idf, 20 % labelled", "raw", 70.5, 0.0, 1.0),
    ("tf-idf, 20 % labelled", "kl-nmf, r = 32", 51.5, 0.0, 1.0),
    ("tf-idf, 20 % labelled", "nmf-alpha, r = 32, rho = 1", 69.1, 0.0, 1.0),
    ("tf-idf, 20 % labelled", "nmf-alpha, r = 32, rho = 10", 66.5, 0.0, 1.0),
    ("tf-idf, 20 % labelled", "kl-nmf, r = 64", 62.1, 0.0, 1.0),
    ("tf-idf, 20 % labelled", "nmf-alpha, r = 64, rho = 1", 67.5, 0.0, 1.0),
    ("tf-idf, 20 % labelled", "nmf-alpha, r = 64, rho = 10", 65.8, 0.0, 1.0),
    ("tf-idf, 20 % labelled", "kl-nmf, r = 128", 59.5, 0.0, 1.0),
    ("tf-idf, 20 % labelled", "nmf-alpha, r = 128, rho = 1", 65.5, 0.0, 1.0),
    ("tf-idf, 20 % labelled", "nmf-alpha, r = 128, rho = 10", 65.8, 0.0, 1.0),
    ("tf-idf, 100 % labelled", "raw", 76.0, 0.0, 1.0),
    ("tf-idf, 100 % labelled", "kl-nmf, r = 64", 63.3, 0.0, 1.0),
    ("tf-idf, 100 % labelled", "nmf-alpha, r = 64, rho = 1", 67.1, 0.0, 1.0),
    ("tf-idf, 100 % labelled", "nmf-alpha, r = 64, rho = 10", 67.6, 0.0, 1.0),
    ("counts, 20 % labelled", "raw", 66.8, 0.0, 1.0),
    ("counts, 20 % labelled", "kl-nmf, r = 32", 54.7, 0.0, 1.0),
    ("counts, 20 % labelled", "nmf-alpha, r = 32, rho = 1", 62.6, 0.0, 1.0),
    ("counts, 20 % labelled", "nmf-alpha, r = 32, rho = 10", 65.9, 0.0, 1.0),
    ("counts, 20 % labelled", "kl-nmf, r = 64", 63.0, 0.0, 1.0),
    ("counts, 20 % labelled", "nmf-alpha, r = 64, rho = 1", 67.6, 0.0, 1.0),
    ("counts, 20 % labelled", "nmf-alpha, r = 64, rho = 10", 67.2, 0.0, 1.0),
    ("counts, 20 % labelled", "kl-nmf, r = 128", 64.7, 0.0, 1.0),
    ("counts, 20 % labelled", "nmf-alpha, r = 128, rho = 1", 67.7, 0.0, 1.0),
    ("counts, 20 % labelled", "nmf-alpha, r = 128, rho = 10", 67.4, 0.0, 1.0),
];
