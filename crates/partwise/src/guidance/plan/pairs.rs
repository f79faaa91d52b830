//! Guidance on pairs of samples: links, graphs, and who shares a row of codes.

use std::collections::{BTreeMap, HashSet};

use super::{Compiler, Rows, check_length};
use crate::engine::Shape;
use crate::foundation::{Error, Notice, Result};
use crate::graphs::Graph;
use crate::guidance::{Advice, Guidance, LabelRule, Strength};
use crate::terms::{GraphForm, GraphSmoothing, Relation};

impl Compiler<'_> {
    pub(super) fn add_links(
        &mut self,
        must: &[(usize, usize)],
        cannot: &[(usize, usize)],
        strength: Strength,
        rows: &Rows,
    ) -> Result<()> {
        check_pairs("must-link", must, self.shape.samples)?;
        check_pairs("cannot-link", cannot, self.shape.samples)?;
        let apart: HashSet<(usize, usize)> = cannot.iter().map(|&(i, l)| (i.min(l), i.max(l))).collect();
        if let Some((i, l)) = must.iter().find(|&&(i, l)| apart.contains(&(i.min(l), i.max(l)))) {
            return Err(Error::Guidance(format!(
                "samples {i} and {l} have both a must-link and a cannot-link; remove one of them"
            )));
        }
        let held = strength.is_held();
        if held && !cannot.is_empty() {
            return Err(Error::incompatible(
                "exact cannot-links in a single fit",
                "which of the two samples goes where must be decided first",
                ["recipes::fit_guided, which decides it", "a strength below 1"],
            ));
        }
        let weight = strength.weight();
        if !held && !must.is_empty() {
            let mut pairs = Vec::new();
            for &(i, l) in must {
                pairs.extend([(i, l, weight, -weight), (l, i, weight, -weight)]);
            }
            self.relate("must-links", &pairs, rows, None);
        }
        if !cannot.is_empty() {
            let pairs: Vec<_> =
                cannot.iter().flat_map(|&(i, l)| [(i, l, 0.0, weight), (l, i, 0.0, weight)]).collect();
            self.relate("cannot-links", &pairs, rows, None);
        }
        Ok(())
    }

    pub(super) fn add_graph(&mut self, graph: &Graph, strength: Strength, rows: &Rows) -> Result<()> {
        check_graph(graph, self.shape)?;
        if let Strength::Raw(lambda) = strength {
            if rows.are_shared() || rows.are_weighted() {
                let beside =
                    if rows.are_shared() { "samples that share one row of codes" } else { "sample weights" };
                return Err(Error::incompatible(
                    format!("a graph with a raw strength together with {beside}"),
                    "its weight is in the unit of single rows",
                    ["a strength from 0 to 1 for the graph"],
                ));
            }
            self.contributions.push(Box::new(raw_graph(graph, lambda)));
            return Ok(());
        }
        let isolated = graph.isolated();
        if !isolated.is_empty() {
            self.notices.push(Notice {
                code: "isolated-samples",
                message: format!(
                    "{} samples have no edge in the graph, so it has no effect on them; the first is {}",
                    isolated.len(),
                    isolated[0]
                ),
            });
        }
        let weight = strength.weight();
        let (normalized, degrees) = (graph.normalized(), graph.degrees());
        let mut entries = Vec::new();
        let mut curvature = vec![0.0; graph.n_samples()];
        for (i, kappa) in curvature.iter_mut().enumerate() {
            let (neighbours, weights) = normalized.neighbours(i);
            if neighbours.is_empty() {
                continue;
            }
            if !rows.are_weighted() {
                // I − S ⪯ 2I.
                *kappa = 2.0 * weight;
                entries.push((i, i, weight, 0.0));
                entries
                    .extend(neighbours.iter().zip(weights).map(|(l, w)| (i, *l as usize, 0.0, -weight * w)));
                continue;
            }
            // The Laplacian of a graph with other weights, which is at most twice its diagonal.
            let given = graph.neighbours(i).1;
            for ((l, w), a) in neighbours.iter().zip(weights).zip(given) {
                let (l, own) = (*l as usize, weight * a / degrees[i]);
                *kappa += 2.0 * own * rows.pair(i, l).0;
                entries.push((i, l, own, -weight * w));
            }
        }
        self.relate("graph", &entries, rows, Some(curvature));
        Ok(())
    }

    /// A relation by its pairs in the working rows: samples i and l, what the pair has on the diagonal at i,
    /// what it has at (i, l).
    fn relate(
        &mut self,
        name: &'static str,
        entries: &[(usize, usize, f64, f64)],
        rows: &Rows,
        curvature: Option<Vec<f64>>,
    ) {
        let place = |i: usize| (rows.row(i), rows.share(rows.row(i)));
        let mut diagonal = vec![0.0; rows.len()];
        let mut off = Vec::new();
        for &(i, l, own, cross) in entries {
            let ((a, s), (b, t)) = (place(i), place(l));
            let (on, across) = rows.pair(i, l);
            diagonal[a] += own * on * s * s;
            let value = cross * across * s * t;
            if a == b {
                diagonal[a] += value;
            } else if value != 0.0 {
                off.push((a as u32, b as u32, value));
            }
        }
        let curvature = curvature.map(|given| {
            let mut most = vec![0.0f64; rows.len()];
            given.iter().enumerate().for_each(|(i, kappa)| most[place(i).0] = most[place(i).0].max(*kappa));
            most
        });
        self.contributions.push(Box::new(Relation::new(name, diagonal, &off, curvature)));
    }
}

/// The working row of each sample, where some share one: those with the same label of a "same-codes" item,
/// and those with an exact must-link.
pub(crate) fn ties(guidance: &Guidance, n: usize) -> Result<Option<Vec<u32>>> {
    let mut parent: Vec<usize> = (0..n).collect();
    let mut any = false;
    let items = guidance.advice();
    for item in &items {
        match item {
            Advice::Labels { labels, rule: LabelRule::SameCodes, strength } if strength.is_held() => {
                check_length("the labels", labels.n_samples(), n)?;
                let mut first = vec![None; labels.n_classes()];
                for i in 0..n {
                    let Some(class) = labels.class(i) else { continue };
                    match first[class] {
                        None => first[class] = Some(i),
                        Some(other) => any |= join(&mut parent, i, other),
                    }
                }
            }
            Advice::Links { must, strength, .. } if strength.is_held() => {
                check_pairs("must-link", must, n)?;
                must.iter().for_each(|&(i, l)| any |= join(&mut parent, i, l));
            }
            _ => {}
        }
    }
    for item in items {
        if let Advice::Links { cannot, strength, .. } = item
            && strength.is_held()
        {
            check_pairs("cannot-link", cannot, n)?;
            if let Some((i, l)) = cannot.iter().find(|(i, l)| root(&mut parent, *i) == root(&mut parent, *l))
            {
                return Err(Error::Guidance(format!(
                    "samples {i} and {l} have a cannot-link, but exact must-links or labels put them \
                    together; remove one of the two"
                )));
            }
        }
    }
    if !any {
        return Ok(None);
    }
    let mut number: BTreeMap<usize, u32> = BTreeMap::new();
    let group = (0..n)
        .map(|i| {
            let next = number.len() as u32;
            *number.entry(root(&mut parent, i)).or_insert(next)
        })
        .collect();
    Ok(Some(group))
}

/// Refuses a graph over others than the samples.
pub(crate) fn check_graph(graph: &Graph, shape: Shape) -> Result<()> {
    let (expected, found) = (shape.samples, graph.n_samples());
    let words = |n: usize| format!("{n} samples");
    if expected == found {
        return Ok(());
    }
    Err(Error::shape("the graph over the samples", words(expected), words(found)))
}

/// (λ/2)·tr(WᵀLW), as GNMF is published. Its form is chosen with the solver, when the problem is made.
pub(crate) fn raw_graph(graph: &Graph, lambda: f64) -> GraphSmoothing<f64> {
    GraphSmoothing::new(graph.clone(), lambda, GraphForm::Separable)
}

fn check_pairs(what: &str, pairs: &[(usize, usize)], n: usize) -> Result<()> {
    for &(i, l) in pairs {
        if i >= n || l >= n {
            let at = i.max(l);
            return Err(Error::out_of_range(
                format!("a sample of the {what} ({i}, {l})"),
                at as f64,
                format!("below {n}, the number of samples"),
            ));
        }
        if i == l {
            return Err(Error::Guidance(format!("the {what} ({i}, {l}) connects a sample to itself")));
        }
    }
    Ok(())
}

fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

/// Joins two sets; the smaller number stays the root. Whether they were apart.
fn join(parent: &mut [usize], a: usize, b: usize) -> bool {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b)] = a.min(b);
    a != b
}
