//! WS-NMF's scenario 1: Choo, Lee, Reddy & Park 2015, "Weakly supervised nonnegative matrix factorization for
//! user-driven clustering", doi 10.1007/s10618-014-0384-8. Scenario 2 is [`super::ws_symnmf`], scenario 3
//! [`super::ws_nmf_words`].
//!
//! The paper says: soft reference rows for the codes, made from information that is at hand anyway, on Four
//! Area and NIPS papers. Shown by examples, without scores.
//!
//! It leaves open: the references' rows and weights; the start. Four Area and NIPS papers can't be had.
//!
//! Chosen here: Cora, all seven areas, 100 papers of each: 10 % of all 2708 papers have a known area, and the
//! reference row of any paper is the share of each area among the known ones that it cites or that cite it
//! (papers without any are free). 20 Newsgroups, six groups, 100 messages of each: the row is how often the
//! words of a group's name that no other name has stand in the message. Samples whose own area is known are
//! scored like the others (few are in the draw); no score sees a label but through the references. The
//! accuracy on samples without a reference, which are spread by what the others teach, stands beside that on
//! all. WS-NMF with the printed weight m (1, 3, 10; first 0.3, 1, 3, of which the largest was best on Cora)
//! for every row that has a reference, d eliminated, HALS with two sweeps, codes first, 100 iterations, basis
//! started at the means of the rows weighed by the references (a class that no reference names: at the mean
//! of the rows without one); arg. Beside: NMF; the references alone (their largest entry, the first class
//! where there are none); constrained k-means and WS-NMF with the rows whose largest reference is single as
//! hard labels (σ = 10).
//!
//! Reduced: 3 draws.

use anyhow::{Result, bail, ensure};
use partwise::metrics::{accuracy, restricted};
use partwise::{Advice, CodeReference, Fit, Init, Labels, Matrix, Model, Settings, Slot, Strength, fit};

use super::faces::seed_of;
use super::samples::{Preparation, largest};
use super::ws_nmf_sample::{Sample, arg};
use super::{Case, Group, LABEL_SIGMA, Outcome, Protocol, Row, Unit};
use crate::draw::shuffled;
use crate::methods::seeded_k_means::{self, constrained_k_means};
use partwise::clustering::KMeansSettings;

/// Scenario 1.
pub const SOFT: Protocol = Protocol {
    name: "ws-nmf-soft",
    title: "soft references from what is at hand: citations of known papers, words of the groups' names",
    paper: "Choo et al. 2015 (WS-NMF), scenario 1 (other data)",
    needs: &["cora", "20newsgroups"],
    draws: 10,
    minutes: 1.0,
    groups: &[
        Group { name: "nmf", title: "NMF" },
        Group { name: "reference", title: "the references alone" },
        Group { name: "constrained-k-means", title: "constrained k-means, references as labels" },
        Group { name: "hard", title: "WS-NMF, sigma 10, references as labels" },
        Group { name: "soft", title: "WS-NMF with soft references, m = 1, 3, 10" },
    ],
    cases: |_| vec![Case::new(CORA), Case::new(NEWS)],
    run: soft,
    main_scores: &["accuracy", "nmi"],
    remarks: &[
        "Four Area and NIPS papers can't be had; Cora's citations and the names of newsgroups stand in.",
        "No sample is labelled, only references are given: scores over all samples, and over those without a reference.",
    ],
    ..Protocol::PLAIN
};

const CORA: &str = "Cora, citations";
const NEWS: &str = "20 Newsgroups, names";
/// Papers or messages of each class.
const PER_CLASS: usize = 100;

fn soft(unit: &Unit<'_>) -> Result<Outcome> {
    let (sample, reference) = match unit.case.name.as_str() {
        CORA => citations(unit)?,
        NEWS => names(unit)?,
        other => bail!("{} has no case \"{other}\"", SOFT.name),
    };
    let total = |i: usize| reference.row(i).iter().sum::<f64>();
    let referenced = (0..reference.rows()).filter(|i| total(*i) > 0.0).count();
    let note = format!("{referenced} of {} samples have a reference", reference.rows());
    let single = |i: usize| {
        let row = reference.row(i);
        let place = largest(row);
        let ties = row.iter().filter(|value| **value == row[place as usize]).count();
        if total(i) > 0.0 && ties == 1 { place } else { -1 }
    };
    let hard: Vec<i32> = (0..reference.rows()).map(single).collect();
    let row = |name: &str| unit.row(name).noting(&note);
    // What stands here for the score on unlabelled samples.
    let without: Vec<bool> = (0..reference.rows()).map(|i| total(i) == 0.0).collect();
    let free = |row: Row, clusters: &[i32]| -> Result<Row> {
        if !without.contains(&true) {
            return Ok(row);
        }
        let (truth, found) = (restricted(&sample.classes, &without)?, restricted(clusters, &without)?);
        Ok(row.with([("accuracy without reference", 100.0 * accuracy(&truth, &found)?.accuracy)]))
    };
    let solver = |fitted: &Fit<f64>| format!("{}, {} iterations", fitted.solver, fitted.iterations);
    let (name, solver, clusters) = match unit.group {
        "reference" => ("references alone", "no fit".to_string(), arg(&reference)),
        "constrained-k-means" => {
            let settings = KMeansSettings { seed: sample.seed, ..KMeansSettings::default() };
            let labels = Labels::from_integers(&hard)?;
            let found = constrained_k_means(sample.data.as_ref(), sample.k, &labels, &settings)?;
            let clusters = found.labels.iter().map(|c| *c as i32).collect();
            ("constrained k-means", seeded_k_means::SOLVER.to_string(), clusters)
        }
        "nmf" => {
            let settings = sample.settings(sample.k, Init::Random, 200);
            let fitted = fit(sample.data.as_ref(), &Model::nmf(), &settings)?;
            ("NMF, arg", solver(&fitted), arg(&fitted.codes))
        }
        "hard" => {
            let labels = Labels::from_integers(&hard)?;
            let settings = sample.settings(sample.k, Init::Auto, 200);
            let strength = Strength::of_sigma(LABEL_SIGMA);
            let model = Model::ws_nmf(Advice::labels(labels).with_strength(strength));
            let fitted = fit(sample.data.as_ref(), &model, &settings)?;
            ("WS-NMF, hard, arg", solver(&fitted), arg(&fitted.codes))
        }
        _ => {
            let mut rows = Vec::new();
            for m in [1.0, 3.0, 10.0] {
                let fitted = softly(&sample, &reference, m)?;
                let row = row(&format!("WS-NMF, soft, m = {m}, arg")).by(solver(&fitted));
                rows.push(free(sample.row(row, &arg(&fitted.codes))?, &arg(&fitted.codes))?);
            }
            return Ok(rows.into());
        }
    };
    Ok(free(sample.row(row(name).by(solver), &clusters)?, &clusters)?.into())
}

/// WS-NMF with weight m for each row that has a reference.
fn softly(sample: &Sample, reference: &Matrix<f64>, m: f64) -> Result<Fit<f64>> {
    let (n, k) = reference.shape();
    let mut components = Matrix::from_fn(k, sample.samples.features, |_, _| 0.0);
    for i in 0..n {
        for c in 0..k {
            let share = reference.get(i, c);
            if share > 0.0 {
                let row = components.row_mut(c);
                sample.samples.rows[i].iter().for_each(|(j, value)| row[*j as usize] += share * value);
            }
        }
    }
    let free: Vec<usize> = (0..n).filter(|i| reference.row(*i).iter().sum::<f64>() == 0.0).collect();
    for c in 0..k {
        let mut weight: f64 = (0..n).map(|i| reference.get(i, c)).sum();
        if weight == 0.0 {
            weight = free.len().max(1) as f64;
            for &i in &free {
                let row = components.row_mut(c);
                sample.samples.rows[i].iter().for_each(|(j, value)| row[*j as usize] += value);
            }
        }
        components.row_mut(c).iter_mut().for_each(|value| *value /= weight);
    }
    let weight = (0..n).map(|i| if reference.row(i).iter().sum::<f64>() > 0.0 { m } else { 0.0 }).collect();
    let reference = CodeReference { reference: reference.clone(), weight };
    let model = Model::ws_nmf(Advice::CodeReference(reference));
    let init = Init::Custom { codes: None, components: Some(components) };
    let settings =
        Settings { first: Some(Slot::Codes), inner_steps: Some(2), ..sample.settings(k, init, 100) };
    Ok(fit(sample.data.as_ref(), &model, &settings)?)
}

/// The shares of areas among known papers that a paper is linked with.
fn citations(unit: &Unit<'_>) -> Result<(Sample, Matrix<f64>)> {
    let (raw, links) = (unit.library.data_set("cora")?, unit.library.data_set("cora/edges")?);
    let areas: Vec<u32> = (0..raw.label_names.len() as u32).collect();
    let seed = seed_of("cora citations", areas.len(), unit.draw);
    let sample = Sample::draw(&raw, &areas, PER_CLASS, Preparation::Plain, seed)?;
    let n = raw.n_samples();
    let mut known = vec![false; n];
    shuffled(n, seed).into_iter().take(n / 10).for_each(|i| known[i] = true);
    let all = raw.classes()?;
    let mut reference = Matrix::from_fn(sample.rows.len(), areas.len(), |_, _| 0.0);
    for (place, &paper) in sample.rows.iter().enumerate() {
        let linked = links.indices[links.indptr[paper]..links.indptr[paper + 1]].iter();
        let linked: Vec<usize> = linked.map(|other| *other as usize).filter(|other| known[*other]).collect();
        for other in &linked {
            reference.row_mut(place)[all[*other] as usize] += 1.0 / linked.len() as f64;
        }
    }
    Ok((sample, reference))
}

/// How often the words of each group's name stand in a message, as shares.
fn names(unit: &Unit<'_>) -> Result<(Sample, Matrix<f64>)> {
    let raw = unit.library.data_set("20newsgroups")?;
    let words = super::few_labels::words(&raw);
    let named: Vec<u32> =
        (0..raw.label_names.len() as u32).filter(|c| !words[*c as usize].is_empty()).collect();
    let seed = seed_of("20newsgroups names", 6, unit.draw);
    let mut groups: Vec<u32> = shuffled(named.len(), seed).into_iter().take(6).map(|at| named[at]).collect();
    groups.sort_unstable();
    ensure!(groups.len() == 6, "only {} groups have a word of their own in their names", groups.len());
    let sample = Sample::draw(&raw, &groups, PER_CLASS, Preparation::Text, seed)?;
    let mut reference = Matrix::from_fn(sample.rows.len(), groups.len(), |_, _| 0.0);
    for (place, &message) in sample.rows.iter().enumerate() {
        let row = reference.row_mut(place);
        for at in raw.indptr[message]..raw.indptr[message + 1] {
            for (c, group) in groups.iter().enumerate() {
                if words[*group as usize].contains(&raw.indices[at]) {
                    row[c] += raw.values[at];
                }
            }
        }
        let total: f64 = row.iter().sum();
        if total > 0.0 {
            row.iter_mut().for_each(|value| *value /= total);
        }
    }
    Ok((sample, reference))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::protocols::{DataSet, Extent, Library, ws_nmf_sample::made};

    /// Papers of three areas that cite their own area, and messages of seven groups that name their group now
    /// and then.
    struct Made;

    impl Library for Made {
        fn data_set(&self, name: &str) -> Result<Arc<DataSet>> {
            let areas = ["area one", "area two", "area three"];
            Ok(Arc::new(match name {
                "cora" => made::messages(&areas, 60),
                "cora/edges" => made::citations(areas.len() * 60, 60),
                _ => made::messages(&["a.ant", "a.bee", "b.cat", "b.dog", "c.elk", "c.fox", "misc"], 40),
            }))
        }
    }

    fn rows(case: &str) -> Vec<Row> {
        let case = Case::new(case);
        let unit = |group| Unit { library: &Made, extent: Extent::Full, case: &case, group, draw: 1 };
        SOFT.groups.iter().flat_map(|group| soft(&unit(group.name)).unwrap().rows).collect()
    }

    fn score(rows: &[Row], method: &str, score: &str) -> f64 {
        rows.iter().find(|row| row.method == method).and_then(|row| row.score(score)).expect(method)
    }

    #[test]
    fn references_that_few_samples_have_teach_the_others() {
        for case in [CORA, NEWS] {
            let rows = rows(case);
            assert_eq!(rows.len(), 7);
            let alone = score(&rows, "references alone", "accuracy");
            for method in ["WS-NMF, soft, m = 10, arg", "WS-NMF, hard, arg", "constrained k-means"] {
                let found = score(&rows, method, "accuracy");
                assert!(found > alone + 5.0 && found > 85.0, "{case}, {method}: {found} and {alone} alone");
            }
            // Those without a reference all get the first class where references stand alone.
            let without = |method| score(&rows, method, "accuracy without reference");
            assert!(without("references alone") < 60.0, "{case}");
            assert!(without("WS-NMF, soft, m = 10, arg") > 80.0, "{case}");
            assert!(
                rows.iter().all(|row| !row.solver.is_empty() && row.detail == rows[0].detail),
                "{:?}",
                rows[0]
            );
        }
    }

    #[test]
    fn a_reference_row_is_the_shares_of_what_is_known_or_nothing() {
        let case = Case::new(CORA);
        let unit = Unit { library: &Made, extent: Extent::Full, case: &case, group: "soft", draw: 0 };
        for (sample, reference) in [citations(&unit).unwrap(), names(&unit).unwrap()] {
            assert_eq!(reference.shape(), (sample.classes.len(), sample.k));
            let sums: Vec<f64> = (0..reference.rows()).map(|i| reference.row(i).iter().sum()).collect();
            assert!(sums.iter().all(|sum| *sum == 0.0 || (sum - 1.0).abs() < 1e-12), "{sums:?}");
            let known = sums.iter().filter(|sum| **sum > 0.0).count();
            assert!(known > 10 && known < sums.len(), "{known} of {}", sums.len());
            // Papers cite their own area and messages name their own group, so a reference is never wrong
            // here.
            let right = (0..sums.len()).filter(|i| sums[*i] > 0.0);
            assert!(right.into_iter().all(|i| reference.get(i, sample.classes[i] as usize) == 1.0));
        }
    }
}
