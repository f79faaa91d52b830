//! The search over candidate graphs, and the fused graph.

use super::readings::{Shares, spreading, symmetric};
use super::shares::{agreement, classes_of, held_out, weights};
use super::views::{Source, View};
use super::{Candidate, CandidateGraph, Stage};
use crate::foundation::pool::Pool;
use crate::foundation::{Real, Result};
use crate::graphs::Graph;

/// Shares of the second graph.
const SHARES: [f64; 3] = [1.0 / 3.0, 2.0 / 3.0, 1.0];
/// Numbers of components that are tried whatever their scores.
const ALWAYS: usize = 3;
/// So many numbers of components in a row that are no better end the search: scores over few labels are noisy, and the first that happens to
/// fall must not end it.
const PATIENCE: usize = 2;
/// Components may be at most this part of the samples, where a class owns several.
const MOST_COMPONENTS: f64 = 0.75;
/// Candidates of a lower weight are dropped.
const LEAST_WEIGHT: f64 = 0.02;
/// Iterations and sweeps of WS-SymNMF when a candidate is scored.
const SCORED: (usize, usize) = (30, 1);

/// What was tried.
pub(super) struct Search {
    /// All labels first, then the folds.
    pub(super) views: Vec<View>,
    pub(super) candidates: Vec<Candidate>,
    /// The place of each candidate's second graph in [`View::graphs`].
    places: Vec<usize>,
}

/// Tries the candidates. `hidden` is the number of hidden labels; `tell` hears of the numbers of components before they are tried.
pub(super) fn search<T: Real>(
    source: &Source<'_, T>,
    views: Vec<View>,
    hidden: f64,
    pool: &Pool,
    tell: &mut dyn FnMut(Stage),
) -> Result<Search> {
    let mut search = Search { views, candidates: Vec::new(), places: Vec::new() };
    let alone = [(CandidateGraph::Data, 0, 0.0)];
    let centroids = SHARES.map(|w| (CandidateGraph::Centroids, 0, w));
    score::<T>(source, &mut search, &[&alone[..], &centroids[..]].concat(), pool)?;
    let (n, k) = (source.data.n_samples(), search.views[0].labels.n_classes());
    let fits = |p: &usize| *p == 1 || (*p * k) as f64 <= MOST_COMPONENTS * n as f64;
    let parts: Vec<usize> = source.settings.components_per_class.iter().copied().filter(fits).collect();
    let first = ALWAYS.min(parts.len());
    if let Some(&least) = parts.first() {
        tell(Stage::Components { least, most: parts[first - 1] });
    }
    let mut best = climb::<T>(source, &mut search, &parts[..first], pool)?;
    let place = |p: usize| parts.iter().position(|q| *q == p).expect("the best is one of those tried");
    // How many of the last numbers were no better than the best; without scores no further one is tried.
    let mut misses = best.map_or(PATIENCE, |(p, _)| first - 1 - place(p));
    for &p in &parts[first..] {
        if misses >= PATIENCE {
            break;
        }
        tell(Stage::Components { least: p, most: p });
        let next = climb::<T>(source, &mut search, &[p], pool)?;
        let better = next.map(|(_, score)| score) > best.map(|(_, score)| score);
        (best, misses) = if better { (next, 0) } else { (best, misses + 1) };
    }
    weigh(&mut search.candidates, hidden);
    Ok(search)
}

/// Fits WS-NMF with these numbers of components a class in every fold, scores the candidates, and gives the best of them.
fn climb<T: Real>(
    source: &Source<'_, T>,
    search: &mut Search,
    parts: &[usize],
    pool: &Pool,
) -> Result<Option<(usize, f64)>> {
    let folds = 1..search.views.len();
    let tasks: Vec<(usize, usize)> = parts.iter().flat_map(|p| folds.clone().map(|v| (*p, v))).collect();
    let views = &search.views;
    let graphs = pool.map(tasks.clone(), |(p, v)| source.graph_of_codes(&views[v].labels, p));
    let first = search.views[0].graphs.len();
    for view in &mut search.views {
        view.graphs.resize_with(first + parts.len(), || None);
    }
    for ((p, v), graph) in tasks.into_iter().zip(graphs) {
        let at = parts.iter().position(|q| *q == p).expect("tasks are made of these numbers");
        search.views[v].graphs[first + at] = Some(graph?);
    }
    let tried: Vec<(CandidateGraph, usize, f64)> = parts
        .iter()
        .enumerate()
        .flat_map(|(at, p)| SHARES.map(|w| (CandidateGraph::Codes(*p), first + at, w)))
        .collect();
    let from = search.candidates.len();
    score::<T>(source, search, &tried, pool)?;
    let scored = search.candidates[from..].iter().filter_map(|c| match c.graph {
        CandidateGraph::Codes(p) => c.score.map(|score| (p, score)),
        _ => None,
    });
    Ok(scored.reduce(|best, next| if next.1 > best.1 { next } else { best }))
}

/// Adds candidates with their scores.
fn score<T: Real>(
    source: &Source<'_, T>,
    search: &mut Search,
    tried: &[(CandidateGraph, usize, f64)],
    pool: &Pool,
) -> Result<()> {
    let folds = search.views.len() - 1;
    let tasks: Vec<(usize, usize)> =
        (0..tried.len()).flat_map(|c| (1..=folds).map(move |v| (c, v))).collect();
    let views = &search.views;
    let scored = pool.map(tasks, |(c, v)| -> Result<Scored> {
        let (view, (_, place, share)) = (&views[v], tried[c]);
        let second =
            view.graphs[place].as_ref().expect("the graphs of folds are made before they are scored");
        let graph = Graph::weighted_sum(&[(1.0 - share, &source.graph), (share, second)])?;
        let scores = spreading(&graph, &view.labels)?;
        let codes = symmetric::<T>(&graph, &view.labels, &scores, SCORED)?;
        let shares = Shares::new(view);
        let (one, two) = (shares.of_spreading(&scores), shares.of_factorization(&codes));
        let held_out = 0.5 * (held_out(&one, &view.hidden) + held_out(&two, &view.hidden));
        Ok(Scored { held_out, classes: [classes_of(&one), classes_of(&two)] })
    });
    let mut scored = scored.into_iter().collect::<Result<Vec<Scored>>>()?;
    let (over, classes) = (search.views[0].unlabelled(), search.views[0].labels.n_classes());
    for (c, (graph, place, share)) in tried.iter().enumerate() {
        let of_folds = &mut scored[c * folds..(c + 1) * folds];
        let score = (folds > 0).then(|| of_folds.iter().map(|s| s.held_out).sum::<f64>() / folds as f64);
        let of_readings = [0, 1].map(|reading| {
            let classes_of_folds: Vec<Vec<u32>> =
                of_folds.iter_mut().map(|s| std::mem::take(&mut s.classes[reading])).collect();
            agreement(&classes_of_folds, classes, &over)
        });
        let agreement = of_readings[0].zip(of_readings[1]).map(|(one, two)| 0.5 * (one + two));
        search.candidates.push(Candidate { graph: *graph, share: *share, score, agreement, weight: 0.0 });
        search.places.push(*place);
    }
    Ok(())
}

/// How a candidate did in a fold.
struct Scored {
    /// On the hidden labels.
    held_out: f64,
    /// The class of each sample by label spreading, and by WS-SymNMF.
    classes: [Vec<u32>; 2],
}

/// exp(b·(score − best)), without those that hardly count, summing to 1.
fn weigh(candidates: &mut [Candidate], hidden: f64) {
    // Without scores every candidate counts, however many there are.
    let worths: Vec<f64> = candidates.iter().map(|c| c.score.unwrap_or(0.0)).collect();
    let weights = weights(&worths, hidden);
    let sum: f64 = weights.iter().sum();
    for (candidate, weight) in candidates.iter_mut().zip(weights) {
        let share = weight / sum;
        candidate.weight = if share < LEAST_WEIGHT && candidate.score.is_some() { 0.0 } else { share };
    }
    let sum: f64 = candidates.iter().map(|c| c.weight).sum();
    candidates.iter_mut().for_each(|c| c.weight /= sum);
}

/// The fused graph of each view. What all labels lack of the graphs with a weight is made now.
pub(super) fn fuse<T: Real>(source: &Source<'_, T>, search: &mut Search, pool: &Pool) -> Result<Vec<Graph>> {
    let mut missing: Vec<(usize, usize)> = Vec::new();
    for (candidate, place) in search.candidates.iter().zip(&search.places) {
        if let CandidateGraph::Codes(p) = candidate.graph
            && candidate.weight > 0.0
            && !missing.contains(&(p, *place))
        {
            missing.push((p, *place));
        }
    }
    let labels = &search.views[0].labels;
    let made = pool.map(missing.clone(), |(p, _)| source.graph_of_codes(labels, p));
    for ((_, place), graph) in missing.into_iter().zip(made) {
        search.views[0].graphs[place] = Some(graph?);
    }
    let fused = |view: &View| {
        let mut terms = vec![(0.0, &source.graph)];
        for (candidate, place) in search.candidates.iter().zip(&search.places) {
            terms[0].0 += candidate.weight * (1.0 - candidate.share);
            if candidate.weight * candidate.share > 0.0 {
                let graph = view.graphs[*place].as_ref().expect("graphs with a weight were made");
                terms.push((candidate.weight * candidate.share, graph));
            }
        }
        Graph::weighted_sum(&terms)
    };
    search.views.iter().map(fused).collect()
}
