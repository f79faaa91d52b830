//! WS-SymNMF on graphs with few labels: Choo, Lee, Reddy & Park 2015, "Weakly supervised nonnegative matrix
//! factorization for user-driven clustering", doi 10.1007/s10618-014-0384-8, scenario 2 (table 3).
//!
//! The paper says: a co-starring graph of 166 people, k = 4, SymNMF, then WS-SymNMF with reference rows for
//! ten people (about 6 %) that its user picks; total cut, normalized cut and approximation error beside
//! spectral clustering. One graph, one run, no classes.
//!
//! It leaves open: the graph (not public), the weights m, the normalization, the stop, and whether the ten
//! people were picked by looking at the result.
//!
//! Chosen here: public graphs with classes (karate, books, football and blogs: all; e-mail: the 10 largest
//! departments), their largest connected part, every link of weight 1, no loops; S = D^-½ A D^-½; k the
//! number of classes; 6 % of the nodes of each class labelled, one at least, drawn at random; random starts
//! that all methods but the last share; HALS, H1 first, 200 iterations, no other stop; the cluster is the
//! largest entry of the row of H1. Both methods as published have μ = (max S)², WS-SymNMF m = 1, and it
//! alternates the scales d. The further lines are our own: a strength without a unit, σ = 1; and "defaults",
//! with one factor in place of μ (SymNMF from the eigenvectors; WS-SymNMF with σ = 10 from the labels).
//! Cuts are those of A; lower is better. Spectral clustering sees no labels, as SymNMF does; "unlabelled"
//! leaves out the nodes whose labels guide the others.
//!
//! Constrained k-means sees the same labels, on the points of the spectral embedding. The references are
//! those of SymNMF and WS-SymNMF with m = 1 from random starts on the same matrix, and of spectral
//! clustering; all choices are the same, the random numbers are not. Where all their draws agree their
//! standard error is that of the last printed digit.
//!
//! Reduced: 3 draws; karate, football, e-mail.

use anyhow::{Result, bail};
use partwise::graphs::Graph;
use partwise::metrics::{accuracy, cuts, nmi_max, restricted};
use partwise::{
    Advice, AnchorScale, DataMatrix, DenseMatrix, Init, Labels, Matrix, MethodOptions, Model, Settings,
    SolverChoice, SparseMatrix, Strength, fit,
};

use super::{Case, DataSet, Extent, Group, LABEL_SIGMA, Outcome, Protocol, Reference, Row, Unit};
use crate::methods::seeded_k_means::{self, constrained_k_means};
use crate::methods::spectral::{self, spectral_embedding};
use partwise::clustering::{KMeansSettings, k_means};
use partwise::draw_labels;

/// Five graphs, 6 % of the labels.
pub const GRAPHS: Protocol = Protocol {
    name: "ws-symnmf-graphs",
    title: "normalized cut and accuracy of WS-SymNMF with 6 % of the labels, of SymNMF and of spectral clustering",
    paper: "Choo et al. 2015, table 3 (another graph)",
    needs: &["graph-karate", "graph-polbooks", "graph-football", "graph-polblogs", "graph-email-eu-core"],
    draws: 20,
    minutes: 1.0,
    groups: &[
        Group { name: SYMNMF, title: "SymNMF" },
        Group { name: SYMNMF_DEFAULTS, title: "SymNMF as one factor, from the eigenvectors" },
        Group { name: PUBLISHED, title: "WS-SymNMF as published, m = 1" },
        Group { name: STRENGTH, title: "WS-SymNMF, strength 1 without a unit" },
        Group { name: DEFAULTS, title: "WS-SymNMF, sigma 10, from the labels" },
        Group { name: SPECTRAL, title: "spectral clustering" },
        Group { name: CONSTRAINED, title: "constrained k-means of the spectral embedding" },
    ],
    cases: |extent| {
        let kept = SETS.iter().filter(|set| extent == Extent::Full || REDUCED.contains(&set.1));
        kept.map(|(_, case, _)| Case::new(*case)).collect()
    },
    run,
    main_scores: &["accuracy", "unlabelled", "normalized cut"],
    references,
    revision: 3,
    ..Protocol::PLAIN
};

const SYMNMF: &str = "symnmf";
const SYMNMF_DEFAULTS: &str = "symnmf-defaults";
const PUBLISHED: &str = "ws-symnmf-m1";
const STRENGTH: &str = "ws-symnmf-strength1";
const DEFAULTS: &str = "ws-symnmf";
const SPECTRAL: &str = "spectral";
const CONSTRAINED: &str = "constrained-k-means";

/// (folder, case, how many of the largest classes).
const SETS: [(&str, &str, usize); 5] = [
    ("graph-karate", "karate", usize::MAX),
    ("graph-polbooks", "books", usize::MAX),
    ("graph-football", "football", usize::MAX),
    ("graph-polblogs", "blogs", usize::MAX),
    ("graph-email-eu-core", "e-mail", 10),
];
const REDUCED: [&str; 3] = ["karate", "football", "e-mail"];

/// The share of each class that is labelled.
const SHARE: f64 = 0.06;
const ITERATIONS: usize = 200;

fn run(unit: &Unit<'_>) -> Result<Outcome> {
    let Some((set, _, classes)) = SETS.iter().find(|(_, case, _)| *case == unit.case.name) else {
        bail!("there is no graph \"{}\"", unit.case.name)
    };
    let part = LabelledGraph::largest_part(&*unit.library.data_set(set)?, *classes)?;
    Ok(part.trial(unit)?.into())
}

/// A connected graph whose nodes have classes.
struct LabelledGraph {
    graph: Graph,
    /// From 0 (n).
    classes: Vec<i32>,
    n_classes: usize,
}

impl LabelledGraph {
    /// The largest connected part of the graph over the nodes of the `most` largest classes (ties to the
    /// lower class).
    fn largest_part(set: &DataSet, most: usize) -> Result<Self> {
        let classes = set.classes()?;
        let mut sizes: Vec<(usize, i32)> = vec![];
        for class in 0..set.label_names.len() as i32 {
            sizes.push((classes.iter().filter(|c| **c == class).count(), class));
        }
        sizes.sort_by_key(|(size, class)| (std::cmp::Reverse(*size), *class));
        sizes.truncate(most);
        let kept = |node: &usize| sizes.iter().any(|(_, class)| *class == classes[*node]);
        let nodes: Vec<usize> = (0..classes.len()).filter(kept).collect();
        let all = graph_over(set, &nodes)?;
        let parts = all.components();
        let size = |part: usize| parts.iter().filter(|p| **p == part).count();
        let largest = (0..all.n_components()).rev().max_by_key(|part| size(*part)).unwrap_or(0);
        let nodes: Vec<usize> = (0..nodes.len()).filter(|i| parts[*i] == largest).map(|i| nodes[i]).collect();
        let graph = graph_over(set, &nodes)?;
        let mut present: Vec<i32> = nodes.iter().map(|node| classes[*node]).collect();
        present.sort_unstable();
        present.dedup();
        let place = |class: i32| present.partition_point(|other| *other < class) as i32;
        let classes = nodes.iter().map(|node| place(classes[*node])).collect();
        Ok(LabelledGraph { graph, classes, n_classes: present.len() })
    }

    /// The labels of [`SHARE`] of each class, one at least, −1 elsewhere.
    fn draw(&self, seed: u64) -> Vec<i32> {
        let mut drawn = vec![-1; self.classes.len()];
        for class in 0..self.n_classes as i32 {
            let own: Vec<i32> = self.classes.iter().map(|c| if *c == class { class } else { -1 }).collect();
            let size = own.iter().filter(|c| **c >= 0).count();
            let wanted = ((SHARE * size as f64).round() as usize).max(1);
            let of_class = draw_labels(&own, wanted, seed);
            drawn.iter_mut().zip(of_class).filter(|(_, new)| *new >= 0).for_each(|(old, new)| *old = new);
        }
        drawn
    }

    fn trial(&self, unit: &Unit<'_>) -> Result<Row> {
        let drawn = self.draw(unit.draw);
        let labels = Labels::from_integers(&drawn)?;
        let unlabelled: Vec<bool> = drawn.iter().map(|label| *label < 0).collect();
        if unit.group == CONSTRAINED {
            let points =
                DenseMatrix::from_matrix(spectral_embedding(&self.graph, self.n_classes, unit.draw)?.points)?;
            let settings = KMeansSettings { seed: unit.draw, ..KMeansSettings::default() };
            let found = constrained_k_means(&points, self.n_classes, &labels, &settings)?;
            let clusters: Vec<i32> = found.labels.iter().map(|cluster| *cluster as i32).collect();
            let row = unit.row("constrained k-means").by(seeded_k_means::SOLVER);
            return self.row(row, &clusters, &unlabelled, None);
        }
        if unit.group == SPECTRAL {
            let embedding = spectral_embedding(&self.graph, self.n_classes, unit.draw)?;
            let points = DenseMatrix::from_matrix(embedding.points)?;
            let settings = KMeansSettings { seed: unit.draw, ..KMeansSettings::default() };
            let found = k_means(&points, self.n_classes, &settings)?;
            let clusters: Vec<i32> = found.labels.iter().map(|cluster| *cluster as i32).collect();
            return self.row(unit.row("spectral").by(spectral::SOLVER), &clusters, &unlabelled, None);
        }
        let normalized = self.graph.normalized();
        let similarities: SparseMatrix<'_, f64> = normalized.to_sparse();
        let most = similarities.summary().max;
        let published = MethodOptions {
            anchor_scale: AnchorScale::Alternating,
            coupling: Some(most * most),
            ..MethodOptions::default()
        };
        let guided = |strength| Model::ws_symnmf(Advice::labels(labels.clone()).with_strength(strength));
        let (method, model, init) = match unit.group {
            SYMNMF => ("symnmf", Model::symnmf().with_options(published), Init::Random),
            SYMNMF_DEFAULTS => ("symnmf, defaults", Model::symnmf(), Init::Auto),
            PUBLISHED => {
                ("ws-symnmf, m = 1", guided(Strength::Raw(1.0)).with_options(published), Init::Random)
            }
            STRENGTH => {
                let model = guided(Strength::of_sigma(1.0)).with_options(published);
                ("ws-symnmf, strength 1", model, Init::Random)
            }
            _ => ("ws-symnmf, defaults", guided(Strength::of_sigma(LABEL_SIGMA)), Init::Labels),
        };
        let by_default = [SYMNMF_DEFAULTS, DEFAULTS].contains(&unit.group);
        let settings = Settings {
            seed: unit.draw,
            init,
            solver: if by_default { SolverChoice::Auto } else { SolverChoice::Hals },
            max_iterations: ITERATIONS,
            tolerance: 0.0,
            threads: 1,
            ..Settings::new(self.n_classes)
        };
        let fitted = fit(&similarities, &model, &settings)?;
        let clusters: Vec<i32> = (0..fitted.codes.rows()).map(|i| largest(&fitted.codes, i)).collect();
        let row = unit.row(method).by(format!("{}, {} iterations", fitted.solver, fitted.iterations));
        self.row(row, &clusters, &unlabelled, Some(fitted.relative_error))
    }

    fn row(&self, row: Row, clusters: &[i32], unlabelled: &[bool], error: Option<f64>) -> Result<Row> {
        let hidden = accuracy(&restricted(&self.classes, unlabelled)?, &restricted(clusters, unlabelled)?)?;
        let cut = cuts(&self.graph.entries(), clusters)?;
        let detail = format!(
            "{} nodes, {} classes, {} labelled",
            clusters.len(),
            self.n_classes,
            unlabelled.iter().filter(|u| !**u).count()
        );
        let row = row.noting(detail).with([
            ("accuracy", 100.0 * accuracy(&self.classes, clusters)?.accuracy),
            ("unlabelled", 100.0 * hidden.accuracy),
            ("nmi", 100.0 * nmi_max(&self.classes, clusters)?),
            ("normalized cut", cut.normalized),
            ("total cut", cut.total),
        ]);
        Ok(row.with(error.map(|error| ("relative error", error))))
    }
}

/// (case, method, accuracy, its deviation, normalized cut, its deviation, draws) of independent
/// implementations.
const VALUES: &[(&str, &str, f64, f64, f64, f64, f64)] = &[
    ("karate", "symnmf", 94.1, 0.0, 0.26, 0.00, 20.0),
    ("karate", "ws-symnmf, m = 1", 94.1, 1.0, 0.26, 0.01, 20.0),
    ("karate", "spectral", 94.1, 0.0, 0.26, 0.00, 20.0),
    ("books", "symnmf", 83.8, 0.0, 0.39, 0.00, 20.0),
    ("books", "ws-symnmf, m = 1", 83.3, 3.1, 0.40, 0.05, 20.0),
    ("books", "spectral", 82.9, 0.0, 0.48, 0.00, 20.0),
    ("football", "symnmf", 89.4, 3.1, 4.18, 0.24, 20.0),
    ("football", "ws-symnmf, m = 1", 90.0, 1.9, 4.11, 0.08, 20.0),
    ("football", "spectral", 91.3, 0.0, 4.05, 0.00, 20.0),
    ("blogs", "symnmf", 86.5, 19.4, 0.22, 0.18, 5.0),
    ("blogs", "ws-symnmf, m = 1", 95.3, 0.2, 0.15, 0.00, 5.0),
    ("blogs", "spectral", 51.9, 0.0, 0.54, 0.00, 5.0),
    ("e-mail", "symnmf", 83.7, 3.4, 2.87, 0.14, 20.0),
    ("e-mail", "ws-symnmf, m = 1", 83.9, 4.0, 2.84, 0.14, 20.0),
    ("e-mail", "spectral", 91.1, 0.0, 2.91, 0.00, 20.0),
];

fn references() -> Vec<Reference> {
    let mut all = Vec::new();
    for (case, method, accuracy, accuracy_spread, cut, cut_spread, draws) in VALUES {
        let error = |spread: f64, digit: f64| (spread / draws.sqrt()).max(digit / 12.0_f64.sqrt());
        let of = |score, mean, error| Reference { case, x: None, method, score, mean, error };
        all.push(of("accuracy", *accuracy, error(*accuracy_spread, 0.1)));
        all.push(of("normalized cut", *cut, error(*cut_spread, 0.01)));
    }
    all
}

/// The graph over some nodes: every link has weight 1, loops are left out.
fn graph_over(set: &DataSet, nodes: &[usize]) -> Result<Graph> {
    let mut place = vec![usize::MAX; set.n_samples()];
    nodes.iter().enumerate().for_each(|(i, node)| place[*node] = i);
    let mut entries = Vec::new();
    for (i, &node) in nodes.iter().enumerate() {
        for other in &set.indices[set.indptr[node]..set.indptr[node + 1]] {
            let j = place[*other as usize];
            if j != usize::MAX && j != i {
                entries.push((i, j, 1.0));
            }
        }
    }
    Ok(Graph::from_entries(nodes.len(), &entries)?)
}

/// The largest entry of a row, the first of equals.
fn largest(codes: &Matrix<f64>, row: usize) -> i32 {
    let row = codes.row(row);
    (0..row.len()).fold(0, |best, j| if row[j] > row[best] { j } else { best }) as i32
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::protocols::{Extent, Library};
    use crate::results::summarize;

    /// Two rings of cliques under both names: 4 classes of 9 nodes, and a node that hangs on nothing.
    struct Cliques;

    impl Library for Cliques {
        fn data_set(&self, _: &str) -> Result<Arc<DataSet>> {
            let class = |i: usize| i / 9;
            let joined = |i: usize, j: usize| {
                i < 36 && j < 36 && i != j && (class(i) == class(j) || (i + 1) % 36 == j || (j + 1) % 36 == i)
            };
            let mut set = DataSet { n_features: 37, indptr: vec![0], ..DataSet::default() };
            for i in 0..37 {
                // A loop, which the protocol leaves out.
                let row = (0..37).filter(|j| joined(i, *j) || (i == 3 && *j == 3));
                set.indices.extend(row.map(|j| j as u32));
                set.values.resize(set.indices.len(), 2.0);
                set.indptr.push(set.indices.len());
                set.labels.push(vec![class(i) as u32 % 4]);
            }
            set.label_names = ["a", "b", "c", "d"].map(str::to_string).to_vec();
            Ok(Arc::new(set))
        }
    }

    #[test]
    fn cliques_in_a_ring_are_found_and_cut_at_four_edges() {
        let groups = GRAPHS.groups_named(&[]).unwrap();
        let mut rows = Vec::new();
        for id in GRAPHS.units(&(GRAPHS.cases)(Extent::Full), 2, &groups) {
            let (case, group, draw) = (&id.case, id.group, id.draw);
            let unit = Unit { library: &Cliques, extent: Extent::Full, case, group, draw };
            rows.extend(run(&unit).unwrap().rows);
        }
        assert_eq!(rows.len(), SETS.len() * 2 * GRAPHS.groups.len());
        assert!(rows.iter().all(|row| row.detail == "36 nodes, 4 classes, 4 labelled"), "{:?}", rows[0]);
        let found = summarize(&GRAPHS, &rows).overall;
        let guided = found.iter().filter(|s| s.method == "ws-symnmf, defaults" || s.method == "spectral");
        for line in guided {
            assert_eq!(line.scores[0].1.mean, 100.0, "{line:?}");
            // Each clique has 2·(36 + 1) of the weight, of which its 2 edges to the neighbours are cut.
            assert!((line.scores[3].1.mean - 4.0 * 2.0 / 74.0).abs() < 1e-12, "{line:?}");
            assert_eq!(line.scores[4].1.mean, 8.0);
        }
    }
}
