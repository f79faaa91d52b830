//! How many components: `select_rank` on planted matrices, beside other rules in the same run.
//!
//! ```text
//! draw r of a family at a noise level: a matrix of rank_data.rs; k from 1 to 2k* + 4 (at most 24) is tried
//! exact, within one   × 100: whether the answer is k*, or beside it
//! structure           × 100: whether noise is seen as 2 components or more, or as structure
//! ```
//!
//! "seven families, noise 2" has the draws of all seven, for averages and tests over every matrix; its place
//! on the axis is the number of the family, from 0. The rule (thresholds, splits, starts) was chosen on the
//! draws of `rank-tuning`; those of `rank` were judged once with it. The seeds of the two do not meet.
//!
//! Reduced: noise level 2 and noise alone.

use anyhow::{Result, bail};
use partwise::guidance::Guidance;
use partwise::recipes::{Holdout, RankChoice, RankSettings, loss_for_rank, select_rank};
use partwise::{DataMatrix, DenseMatrix, Labels, Loss, Settings};

use super::clock::Clock;
use super::rank_data::{COUNTS, FAMILIES, NOISE, planted};
use super::rank_peers;
use super::{Axis, Case, Extent, Group, Outcome, Protocol, Unit};

const PARTWISE: Group = Group { name: "partwise", title: "select_rank; the argmin of its held-out errors" };
const PEERS: Group = Group {
    name: "peers",
    title: "silhouette of restarts, cophenetic correlation, SigProfiler's rule, BIC, bi-cross-validation",
};
const PAIRS: &[(&str, &str)] = &[
    ("partwise", "held-out argmin"),
    ("partwise", "silhouette"),
    ("partwise", "cophenetic"),
    ("partwise", "SigProfiler's rule"),
    ("partwise", "BIC"),
    ("partwise", "bi-CV"),
];
const ALL: &str = "seven families";
const REMARKS: &[&str] = &[
    "Scores are 0 or 100, so all differences of a pair have one size, and the signed-rank test is McNemar's (exact up to 50 pairs that differ).",
    "counts at noise level 3 have mean 1. noise has no k*: its rows say how often structure is seen.",
];

/// Small matrices, judged once.
pub const RANK: Protocol = Protocol {
    name: "rank",
    title: "how many components: planted matrices, generated, small",
    paper: "none",
    needs: &["brca21-mutations"],
    draws: 10,
    reduced_draws: 2,
    minutes: 240.0,
    axis: Some(Axis { name: "noise level", independent: true, averaged: true }),
    groups: &[PARTWISE, PEERS],
    cases,
    run: |unit| run(unit, JUDGED, false),
    main_scores: &["exact", "within one"],
    pairs: PAIRS,
    remarks: REMARKS,
    ..Protocol::PLAIN
};

/// The draws that the rule was tuned on.
pub const TUNING: Protocol = Protocol {
    name: "rank-tuning",
    title: "how many components: the generated draws that the rule was tuned on",
    run: |unit| run(unit, TUNED, false),
    ..RANK
};

/// Larger matrices and more components, judged once.
pub const LARGE: Protocol = Protocol {
    name: "rank-large",
    title: "how many components: planted matrices, generated, up to 5,000 x 2,000 and k* = 20",
    draws: 5,
    minutes: 600.0,
    groups: &[PARTWISE],
    pairs: &[("partwise", "held-out argmin")],
    run: |unit| run(unit, JUDGED, true),
    ..RANK
};

/// Planted matrices of which some parts are named by labels, judged once.
pub const GUIDED: Protocol = Protocol {
    name: "rank-guided",
    title: "how many free components beside the named ones: planted matrices, generated",
    paper: "none",
    draws: 10,
    reduced_draws: 2,
    minutes: 30.0,
    groups: &[PARTWISE],
    cases: |extent| {
        let levels: &[f64] = if extent == Extent::Reduced { &[2.0] } else { &[1.0, 2.0] };
        let families = ["gamma", COUNTS];
        families.iter().flat_map(|family| levels.iter().map(|level| Case::at(*family, *level))).collect()
    },
    run: run_guided,
    axis: RANK.axis,
    main_scores: &["exact", "within one"],
    remarks: &[
        "3 of 10 parts, at least one, are named by the labels of the 5 samples that have most of them.",
    ],
    ..Protocol::PLAIN
};

/// Data whose number of components is about known.
pub const REAL: Protocol = Protocol {
    name: "rank-real",
    title: "how many components: data sets whose number is about known, over seeds",
    paper: "none",
    needs: &["brca21-mutations", "jasper-ridge", "all-aml"],
    draws: 10,
    reduced_draws: 2,
    minutes: 20.0,
    groups: &[PARTWISE],
    cases: |_| REAL_SETS.iter().map(|set| Case::new(set.0)).collect(),
    run: run_real,
    main_scores: &["right", "rank"],
    remarks: &[
        "Right: 4 or 5 signatures of brca21-mutations, 3 to 5 endmembers of jasper-ridge (every 16th pixel), 2 to 4 of all-aml.",
    ],
    ..Protocol::PLAIN
};

/// (set, least and greatest right answer).
const REAL_SETS: [(&str, usize, usize); 3] =
    [("brca21-mutations", 4, 5), ("jasper-ridge", 3, 5), ("all-aml", 2, 4)];

/// Where the seeds of the draws begin.
const TUNED: u64 = 1_000_000;
const JUDGED: u64 = 500_000_000;
const GUIDED_SEED: u64 = 700_000_000;

fn cases(extent: Extent) -> Vec<Case> {
    let levels: &[f64] = if extent == Extent::Reduced { &[2.0] } else { &[1.0, 2.0, 3.0] };
    let families = FAMILIES.iter().chain([&COUNTS]);
    let mut cases: Vec<Case> =
        families.flat_map(|family| levels.iter().map(|level| Case::at(*family, *level))).collect();
    cases.push(Case::new(NOISE));
    cases
}

fn run(unit: &Unit<'_>, first_seed: u64, large: bool) -> Result<Outcome> {
    let family = FAMILIES.iter().chain([&COUNTS, &NOISE]).position(|family| *family == unit.case.name);
    let Some(place) = family else { bail!("rank has no family \"{}\"", unit.case.name) };
    let level = unit.case.x.map_or(0, |x| x as usize);
    let seed = first_seed + 100_000 * place as u64 + 10_000 * level as u64 + 20 * unit.draw;
    let made = planted(&unit.case.name, level, (unit.draw, large), seed, unit.library)?;
    let to = (2 * made.k + 4).clamp(8, 24);
    let mut rows = Vec::new();
    for (method, answer, structure, seconds) in answers(unit.group, &made.data, to, seed)? {
        let row = unit.row(method).noting(format!("k* {}, answer {answer}", made.k));
        if made.k == 0 {
            let seen = structure || answer > 1;
            rows.push(row.with([("structure", 100.0 * f64::from(u8::from(seen)))]));
            continue;
        }
        let score = |right: bool| 100.0 * f64::from(u8::from(right));
        let row = row.with([
            ("exact", score(answer == made.k)),
            ("within one", score(answer.abs_diff(made.k) <= 1)),
            ("seconds", seconds),
        ]);
        if place < FAMILIES.len() {
            rows.push(row.clone().of(Case::at(format!("{ALL}, noise {level}"), place as f64)));
        }
        rows.push(row);
    }
    Ok(rows.into())
}

/// (method, answer, whether structure is claimed, seconds).
fn answers(
    group: &str,
    data: &DenseMatrix<'static, f64>,
    to: usize,
    seed: u64,
) -> Result<Vec<(&'static str, usize, bool, f64)>> {
    let loss = loss_for_rank(data);
    let clock = Clock::start();
    if group == PARTWISE.name {
        let found = selected(data, loss, seed, to, Holdout::Auto)?;
        let seconds = clock.seconds();
        let least = found.table.iter().min_by(|a, b| a.error.total_cmp(&b.error));
        return Ok(vec![
            ("partwise", found.rank, found.structure, seconds),
            ("held-out argmin", least.map_or(1, |row| row.rank), false, seconds),
        ]);
    }
    let found = rank_peers::answers(data, loss, to, seed)?;
    let seconds = clock.seconds();
    let clock = Clock::start();
    let blocks = selected(data, loss, seed, to, Holdout::Blocks)?;
    Ok(vec![
        ("silhouette", found.silhouette, false, seconds),
        ("cophenetic", found.cophenetic, false, seconds),
        ("SigProfiler's rule", found.sigprofiler, false, seconds),
        ("BIC", found.bic, false, seconds),
        ("bi-CV", blocks.k_prediction, false, clock.seconds()),
    ])
}

fn selected(
    data: &dyn DataMatrix<f64>,
    loss: Loss,
    seed: u64,
    to: usize,
    holdout: Holdout,
) -> Result<RankChoice> {
    let settings = Settings { seed, threads: 1, ..Settings::new(1) };
    let rank = RankSettings { to, holdout, ..RankSettings::default() };
    Ok(select_rank(data, None, loss, &settings, &rank, None, &mut |_| std::ops::ControlFlow::Continue(()))?)
}

/// Labels of 5 samples for 30 % of the parts; the score is that of the free ones.
fn run_guided(unit: &Unit<'_>) -> Result<Outcome> {
    const LABELS: usize = 5;
    let level = unit.case.x.map_or(0, |x| x as usize);
    let seed = GUIDED_SEED + 100_000 * unit.case.name.len() as u64 + 10_000 * level as u64 + 20 * unit.draw;
    // Turns with 3 parts or more.
    let turn = [1, 2, 3, 5, 6, 8][unit.draw as usize % 6];
    let made = planted(&unit.case.name, level, (turn, false), seed, unit.library)?;
    let named = ((3 * made.k).div_ceil(10)).max(1);
    let mut labels = vec![-1; made.data.n_samples()];
    for part in 0..named {
        let mut members: Vec<usize> = (0..labels.len()).filter(|i| made.main[*i].0 == part).collect();
        members.sort_by(|a, b| made.main[*b].1.total_cmp(&made.main[*a].1));
        members.iter().take(LABELS).for_each(|i| labels[*i] = part as i32);
    }
    let guidance = Guidance::from(Labels::from_integers(&labels)?);
    let loss = loss_for_rank(&made.data);
    let settings = Settings { seed, threads: 1, ..Settings::new(1) };
    let rank = RankSettings { to: 2 * made.k + 4, ..RankSettings::default() };
    let clock = Clock::start();
    let go_on = &mut |_| std::ops::ControlFlow::Continue(());
    let found = select_rank(&made.data, Some(&guidance), loss, &settings, &rank, None, go_on)?;
    let row = unit.row("partwise").noting(format!("k* {}, named {named}, answer {}", made.k, found.rank));
    let score = |right: bool| 100.0 * f64::from(u8::from(right));
    let scores = [
        ("exact", score(found.rank == made.k)),
        ("within one", score(found.rank.abs_diff(made.k) <= 1)),
        ("seconds", clock.seconds()),
    ];
    Ok(row.with(scores).into())
}

fn run_real(unit: &Unit<'_>) -> Result<Outcome> {
    let Some((name, least, most)) = REAL_SETS.iter().find(|set| set.0 == unit.case.name) else {
        bail!("rank-real has no set \"{}\"", unit.case.name)
    };
    let data = unit.library.data_set(name)?.dense()?;
    let data = if *name == "jasper-ridge" { pixels(&data)? } else { data };
    // Reflectances are whole numbers but no counts; expression is measured, too.
    let loss = if *name == "brca21-mutations" { Loss::KullbackLeibler } else { Loss::Frobenius };
    let holdout = if loss == Loss::Frobenius { Holdout::Entries } else { Holdout::Auto };
    let clock = Clock::start();
    let found = selected(&data, loss, unit.draw, 15, holdout)?;
    let right = (*least..=*most).contains(&found.rank);
    let row = unit.row("partwise").noting(format!(
        "answer {}, by prediction {}, confidence {:.2}",
        found.rank, found.k_prediction, found.confidence
    ));
    let scores = [
        ("right", 100.0 * f64::from(u8::from(right))),
        ("rank", found.rank as f64),
        ("seconds", clock.seconds()),
    ];
    Ok(row.with(scores).into())
}

/// Every 16th pixel of the cube, 198 bands each.
fn pixels(cube: &DenseMatrix<'static, f64>) -> Result<DenseMatrix<'static, f64>> {
    const BANDS: usize = 198;
    let rows: Vec<&[f64]> = cube.as_slice().chunks_exact(BANDS).step_by(16).collect();
    Ok(DenseMatrix::new(rows.len(), BANDS, rows.concat())?)
}
