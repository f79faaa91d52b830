//! The search over candidate graphs, and the fused graph.

use partwise::graphs::Graph;
use partwise::internals::Pool;
use partwise::{Real, Result};

use crate::base::{label_spreading, symmetric_nmf};
use crate::folds::Fold;
use crate::graphs::{FittedCodes, Prepared, graph_of_rows};
use crate::posteriors::classes;
use crate::result::{Candidate, CandidateGraph, Phase};
use crate::scores::{agreement, held_out_score, weights};

/// Parts of the second graph.
const SHARES: [f64; 3] = [1.0 / 3.0, 2.0 / 3.0, 1.0];
/// Numbers of components that are tried whatever their scores.
pub(crate) const ALWAYS: usize = 3;
/// Scores that differ by rounding only are equal: dense and sparse data are to give the same search.
const EQUAL: f64 = 1e-9;
/// Components may be at most this part of the samples, where a class owns several.
const MOST_COMPONENTS: f64 = 0.75;
/// Candidates of a lower weight are dropped.
const LEAST_WEIGHT: f64 = 0.02;
/// Iterations and sweeps of WS-SymNMF when a candidate is scored.
const SCORED: (usize, usize) = (30, 1);

/// What was tried.
pub(crate) struct Search {
    pub(crate) folds: Vec<Fold>,
    pub(crate) candidates: Vec<Candidate>,
}

/// A second graph and its part w.
type Mixture = (CandidateGraph, f64);

/// Tries the candidates. `held_out` is the number of held-out labels; `observe` is called before numbers of
/// components are tried.
pub(crate) fn search<T: Real>(
    prepared: &Prepared<'_, T>,
    folds: Vec<Fold>,
    held_out: f64,
    pool: &Pool,
    observe: &mut dyn FnMut(Phase),
) -> Result<Search> {
    let mut search = Search { folds, candidates: Vec::new() };
    let centroids = SHARES.map(|w| (CandidateGraph::Centroids, w));
    score(prepared, &mut search, &[&[(CandidateGraph::Data, 0.0)], &centroids[..]].concat(), pool)?;
    let (n, k) = (prepared.rows.n_samples(), search.folds[0].labels.n_classes());
    let fits = |p: &usize| *p == 1 || (*p * k) as f64 <= MOST_COMPONENTS * n as f64;
    let numbers: Vec<usize> = prepared.settings.components_per_class.iter().copied().filter(fits).collect();
    let first = ALWAYS.min(numbers.len());
    if let Some(&least) = numbers.first() {
        observe(Phase::Components { least, most: numbers[first - 1] });
    }
    let (mut best, mut last) = (try_components(prepared, &mut search, &numbers[..first], pool)?, first);
    // The next number is tried while the last one is the best so far; without scores none is.
    for &p in &numbers[first..] {
        if best.is_none_or(|(best, _)| best != numbers[last - 1]) {
            break;
        }
        observe(Phase::Components { least: p, most: p });
        let next = try_components(prepared, &mut search, &[p], pool)?;
        let score = |found: Option<(usize, f64)>| found.map_or(f64::NEG_INFINITY, |(_, score)| score);
        if score(next) > score(best) + EQUAL {
            best = next;
        }
        last += 1;
    }
    weigh(&mut search.candidates, held_out);
    Ok(search)
}

/// Fits WS-NMF with these numbers of components per class in every fold, scores the candidates, and returns
/// the best of the numbers with its score.
fn try_components<T: Real>(
    prepared: &Prepared<'_, T>,
    search: &mut Search,
    numbers: &[usize],
    pool: &Pool,
) -> Result<Option<(usize, f64)>> {
    let folds = 1..search.folds.len();
    let tasks: Vec<(usize, usize)> = numbers.iter().flat_map(|p| folds.clone().map(|v| (*p, v))).collect();
    let graphs = pool.map(tasks.clone(), |(p, v)| prepared.graph_of_codes(&search.folds[v].labels, p));
    for ((p, v), graph) in tasks.into_iter().zip(graphs) {
        search.folds[v].add_graph(CandidateGraph::Codes(p), graph?);
    }
    let tried: Vec<Mixture> =
        numbers.iter().flat_map(|p| SHARES.map(|w| (CandidateGraph::Codes(*p), w))).collect();
    let from = search.candidates.len();
    score(prepared, search, &tried, pool)?;
    let scored = search.candidates[from..].iter().filter_map(|c| match c.graph {
        CandidateGraph::Codes(p) => c.score.map(|score| (p, score)),
        _ => None,
    });
    Ok(scored.reduce(|best, next| if next.1 > best.1 + EQUAL { next } else { best }))
}

/// Adds candidates with their scores.
fn score<T: Real>(
    prepared: &Prepared<'_, T>,
    search: &mut Search,
    tried: &[Mixture],
    pool: &Pool,
) -> Result<()> {
    let folds = search.folds.len() - 1;
    let tasks: Vec<(usize, usize)> =
        (0..tried.len()).flat_map(|c| (1..=folds).map(move |v| (c, v))).collect();
    let scored = pool.map(tasks, |(c, v)| scored(prepared, &search.folds[v], tried[c]));
    let scored = scored.into_iter().collect::<Result<Vec<Scored>>>()?;
    let (over, n_classes) = (&search.folds[0].unlabelled, search.folds[0].labels.n_classes());
    for (c, (graph, share)) in tried.iter().enumerate() {
        let of_folds = &scored[c * folds..(c + 1) * folds];
        let score = (folds > 0).then(|| of_folds.iter().map(|s| s.score).sum::<f64>() / folds as f64);
        let agreements = [0, 1].map(|classifier| {
            let predictions: Vec<Vec<u32>> = of_folds.iter().map(|s| s.classes[classifier].clone()).collect();
            agreement(&predictions, n_classes, over)
        });
        let agreement = agreements[0].zip(agreements[1]).map(|(one, two)| 0.5 * (one + two));
        search.candidates.push(Candidate { graph: *graph, share: *share, score, agreement, weight: 0.0 });
    }
    Ok(())
}

/// How a candidate did in a fold.
struct Scored {
    /// On the held-out labels.
    score: f64,
    /// The class of each sample by label spreading, and by WS-SymNMF.
    classes: [Vec<u32>; 2],
}

fn scored<T: Real>(prepared: &Prepared<'_, T>, fold: &Fold, (graph, share): Mixture) -> Result<Scored> {
    let second = fold.graph(graph).map(|second| (share, second));
    let terms: Vec<_> = std::iter::once((1.0 - share, &prepared.graph)).chain(second).collect();
    let graph = Graph::weighted_sum(&terms)?;
    let scores = label_spreading::spread(&graph, &fold.labels)?;
    let codes = symmetric_nmf::codes::<T>(&graph, &fold.labels, &scores, SCORED)?;
    let posteriors = [label_spreading::of_scores(fold, &scores), symmetric_nmf::of_codes(fold, &codes)];
    let [one, two] = [0, 1].map(|classifier| held_out_score(&posteriors[classifier], &fold.held_out));
    Ok(Scored { score: 0.5 * (one + two), classes: posteriors.map(|posteriors| classes(&posteriors)) })
}

/// exp(b·(score − best)), without those that hardly count, summing to 1.
fn weigh(candidates: &mut [Candidate], held_out: f64) {
    // Without scores every candidate counts, however many there are.
    let scores: Vec<f64> = candidates.iter().map(|c| c.score.unwrap_or(0.0)).collect();
    let weights = weights(&scores, held_out);
    let sum: f64 = weights.iter().sum();
    for (candidate, weight) in candidates.iter_mut().zip(weights) {
        let part = weight / sum;
        candidate.weight = if part < LEAST_WEIGHT && candidate.score.is_some() { 0.0 } else { part };
    }
    let sum: f64 = candidates.iter().map(|c| c.weight).sum();
    candidates.iter_mut().for_each(|c| c.weight /= sum);
}

/// The fused graphs.
pub(crate) struct Fused<T> {
    /// That of each fold.
    pub(crate) graphs: Vec<Graph>,
    /// The codes of fold 0 that it is made of, by their number of components per class.
    pub(crate) codes: Vec<(usize, FittedCodes<T>)>,
}

/// The fused graph of each fold. The graphs of codes that fold 0 lacks are made now, where they have a
/// weight.
pub(crate) fn fuse<T: Real>(
    prepared: &Prepared<'_, T>,
    search: &mut Search,
    pool: &Pool,
) -> Result<Fused<T>> {
    let mut missing: Vec<usize> = Vec::new();
    for candidate in search.candidates.iter().filter(|c| c.weight > 0.0) {
        if let CandidateGraph::Codes(p) = candidate.graph
            && !missing.contains(&p)
        {
            missing.push(p);
        }
    }
    let labels = &search.folds[0].labels;
    let made = pool.map(missing.clone(), |p| {
        let codes = prepared.codes(labels, p)?;
        Ok((graph_of_rows(codes.scaled.clone())?, codes))
    });
    let mut of_fold_0 = Vec::new();
    for (p, made) in missing.into_iter().zip(made) {
        let (graph, codes) = made?;
        search.folds[0].add_graph(CandidateGraph::Codes(p), graph);
        of_fold_0.push((p, codes));
    }
    let fused = |fold: &Fold| {
        let mut terms = vec![(0.0, &prepared.graph)];
        for candidate in &search.candidates {
            terms[0].0 += candidate.weight * (1.0 - candidate.share);
            if candidate.weight * candidate.share > 0.0 {
                let graph = fold.graph(candidate.graph).expect("graphs with a weight were made");
                terms.push((candidate.weight * candidate.share, graph));
            }
        }
        Graph::weighted_sum(&terms)
    };
    let graphs = search.folds.iter().map(fused).collect::<Result<Vec<_>>>()?;
    Ok(Fused { graphs, codes: of_fold_0 })
}
