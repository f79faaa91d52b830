//! Promise: what is known of samples stays with them. Guidance of every kind beside everything that merges or
//! weights rows gives the same fit for samples in another order, in that order.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod known;

use known::{Draw, Known};
use partwise::graphs::Graph;
use partwise::guidance::{Advice, Guidance, LabelRule, Spread, Strength, Topic};
use partwise::{Fit, Init, Labels, Loss, Matrix, Model, Settings, SolverChoice, fit};

const N: usize = 9;
const D: usize = 6;
const K: usize = 4;

/// Sample `order[at]` of the original is sample `at`.
struct Order(Vec<usize>);

impl Order {
    fn list<V: Clone>(&self, values: &[V]) -> Vec<V> {
        self.0.iter().map(|i| values[*i].clone()).collect()
    }

    fn rows(&self, matrix: &Matrix<f64>) -> Matrix<f64> {
        Matrix::from_fn(matrix.rows(), matrix.columns(), |at, j| matrix.get(self.0[at], j))
    }

    fn pair(&self, (i, l): (usize, usize)) -> (usize, usize) {
        let place = |sample: usize| self.0.iter().position(|i| *i == sample).unwrap();
        (place(i), place(l))
    }
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("t{at}")).collect()
}

fn labels(order: &Order, classes: &[i32]) -> Labels {
    Labels::with_names(&order.list(classes), &names(3)).unwrap()
}

type Item = (&'static str, fn(&Order) -> Advice);

const CLASSES: [i32; N] = [0, 1, -1, 2, -1, -1, 0, 1, -1];
const RELATIVE: Strength = Strength::Relative(0.6);
const RAW: Strength = Strength::Raw(0.8);

fn all_labels(order: &Order, rule: LabelRule, strength: Strength) -> Advice {
    Advice::Labels { labels: labels(order, &CLASSES), rule, strength }
}

fn shares(order: &Order, full: bool) -> Matrix<f64> {
    let mut draw = Draw(77);
    let shares = Matrix::from_fn(N, 3, |i, c| match (i % 3, c) {
        (0, _) => f64::NAN,
        (1, 2) if !full => f64::NAN,
        _ => draw.number(),
    });
    order.rows(&shares)
}

fn known_of(order: &Order, marks: bool) -> Matrix<f64> {
    let mut draw = Draw(5);
    let entry = |draw: &mut Draw| if marks { f64::from(draw.chance(0.8)) } else { 2.0 * draw.number() };
    order.rows(&Matrix::from_fn(N, D, |_, _| entry(&mut draw)))
}

/// One item of each kind that is about samples.
const ITEMS: [Item; 17] = [
    ("labels as components", |o| all_labels(o, LabelRule::Components, RELATIVE)),
    ("labels as components, fixed", |o| all_labels(o, LabelRule::Components, Strength::HELD)),
    ("labels as components, raw", |o| all_labels(o, LabelRule::Components, RAW)),
    ("labels as a view", |o| all_labels(o, LabelRule::View, RELATIVE)),
    ("labels as a view, raw", |o| all_labels(o, LabelRule::View, RAW)),
    ("sets", |o| Advice::Sets {
        names: names(3),
        sets: o.list(&(0..N).map(|i| (i % 2 == 0).then(|| vec![0, (i % 3) as u32])).collect::<Vec<_>>()),
        strength: RELATIVE,
    }),
    ("memberships", |o| Advice::Memberships {
        names: names(3),
        shares: shares(o, false),
        strength: RELATIVE,
    }),
    ("memberships, raw", |o| Advice::Memberships { names: names(3), shares: shares(o, true), strength: RAW }),
    ("spread labels", |o| {
        Advice::Spread(Spread {
            names: names(3),
            posteriors: shares(o, false),
            weights: o.list(&(0..N).map(|i| (i % 4) as f64 / 3.0).collect::<Vec<_>>()),
            strength: RELATIVE,
        })
    }),
    ("must-links", |o| Advice::Links { must: vec![o.pair((1, 4))], cannot: vec![], strength: RELATIVE }),
    ("cannot-links", |o| Advice::Links { must: vec![], cannot: vec![o.pair((1, 5))], strength: RELATIVE }),
    ("a graph", |o| Advice::Graph { graph: graph(o), strength: RELATIVE }),
    ("a graph, raw", |o| Advice::Graph { graph: graph(o), strength: Strength::Raw(0.5) }),
    ("known entries", |o| Advice::KnownEntries(known_of(o, true))),
    ("known features", |o| {
        let known = known_of(o, true);
        let row = |i: usize| (0..D).filter(|j| known.get(i, *j) > 0.0).map(|j| j as u32).collect();
        Advice::KnownFeatures((0..N).map(row).collect())
    }),
    ("weights of entries", |o| Advice::EntryWeights(known_of(o, false))),
    ("same codes", |o| all_labels(o, LabelRule::SameCodes, Strength::HELD)),
];

fn graph(order: &Order) -> Graph {
    let edges = [(0, 3, 1.0), (2, 7, 0.5), (3, 8, 2.0), (1, 6, 1.0)];
    let entries: Vec<(usize, usize, f64)> = edges
        .iter()
        .flat_map(|&(i, l, weight)| {
            let (i, l) = order.pair((i, l));
            [(i, l, weight), (l, i, weight)]
        })
        .collect();
    Graph::from_entries(N, &entries).unwrap()
}

/// What merges rows, weights them, or leaves them as they are. The links join labelled and unlabelled
/// samples, of several classes too.
const MERGERS: [Item; 4] = [
    ("nothing", |_| Advice::FeatureWeights(vec![1.0, 2.0, 0.5, 1.0, 1.0, 1.0])),
    ("fixed must-links", |o| Advice::Links {
        must: vec![o.pair((8, 0)), o.pair((0, 5)), o.pair((2, 7)), o.pair((6, 3))],
        cannot: vec![],
        strength: Strength::HELD,
    }),
    ("same codes", |o| {
        let classes = [1, -1, 0, 1, -1, 0, 0, -1, -1];
        Advice::Labels { labels: labels(o, &classes), rule: LabelRule::SameCodes, strength: Strength::HELD }
    }),
    ("sample weights", |o| Advice::SampleWeights(o.list(&[1.0, 0.5, 2.0, 0.0, 3.0, 1.0, 1.5, 0.25, 1.0]))),
];

fn known(order: &Order, item: Item, merger: Item) -> Known {
    let item = item.1(order);
    let mut draw = Draw(31);
    let mut x = order.rows(&draw.matrix(N, D, 0.2));
    if matches!(item, Advice::KnownEntries(_) | Advice::KnownFeatures(_)) {
        let marks = known_of(order, true);
        x.as_mut_slice().iter_mut().zip(marks.as_slice()).for_each(|(x, mark)| *x *= mark);
    }
    let topics = names(3).into_iter().map(Topic::new);
    let guidance = Guidance::new(topics).with(item).with(merger.1(order));
    Known { x, rank: K, guidance }
}

/// Codes at unit length of the components, and components at unit length.
fn measured(fit: &Fit<f64>) -> (Matrix<f64>, Matrix<f64>) {
    let length = |j: usize| fit.components.row(j).iter().map(|h| h * h).sum::<f64>().sqrt().max(1e-300);
    let codes = Matrix::from_fn(N, K, |i, j| fit.codes.get(i, j) * length(j));
    (codes, Matrix::from_fn(K, D, |j, f| fit.components.get(j, f) / length(j)))
}

#[test]
fn guidance_stays_with_its_samples_beside_everything_that_merges_or_weights_rows() {
    let plain = Order((0..N).collect());
    let orders = [Order(vec![8, 3, 5, 0, 7, 1, 6, 2, 4]), Order((0..N).rev().collect())];
    let (mut fits, mut refused) = (0, Vec::new());
    for item in ITEMS {
        for merger in MERGERS {
            for (guided, solver) in
                [(false, SolverChoice::Hals), (false, SolverChoice::Bpp), (true, SolverChoice::Bpp)]
            {
                let mut draw = Draw(97);
                let (codes, components) = (draw.matrix(N, K, 0.0), draw.matrix(K, D, 0.0));
                let settings = |order: &Order| Settings {
                    solver,
                    init: match guided {
                        true => Init::Auto,
                        false => Init::Custom {
                            codes: Some(order.rows(&codes)),
                            components: Some(components.clone()),
                        },
                    },
                    max_iterations: 6,
                    tolerance: 0.0,
                    threads: 1,
                    ..Settings::new(K)
                };
                let label = format!("{} beside {}, {solver:?}, guided {guided}", item.0, merger.0);
                let run = |order: &Order| {
                    let known = known(order, item, merger);
                    let found =
                        fit(&known.dense::<f64>(), &Model::guided(known.guidance.clone()), &settings(order));
                    (known, found)
                };
                let (known, first) = run(&plain);
                let Ok(first) = first else {
                    assert!(orders.iter().all(|order| run(order).1.is_err()), "{label}");
                    refused.push(format!("{} beside {}", item.0, merger.0));
                    continue;
                };
                let naive = known::objective(&known, Loss::Frobenius, &first);
                let off = (first.objective - naive).abs();
                assert!(off <= 1e-9 * (1.0 + naive), "{label}: {} is not {naive}", first.objective);
                // What couples samples, or codes and labels, begins where the random codes are, whose numbers
                // go by place; what is raw sees their size.
                let coupled = ["view", "links", "a graph", "raw"].iter().any(|part| item.0.contains(part));
                // A row of few known entries has a Gram with many minimizers, of which rounding chooses.
                let ambiguous = solver == SolverChoice::Bpp && item.0.contains("known");
                for order in orders.iter().filter(|_| !(guided && coupled || ambiguous)) {
                    let other = run(order).1.unwrap_or_else(|e| panic!("{label}: {e}"));
                    let off = (other.objective - first.objective).abs() / first.objective;
                    assert!(off < 1e-9, "{label}: {} and {}", first.objective, other.objective);
                    // The size of a component against its codes follows the start.
                    let (first, other) = (measured(&first), measured(&other));
                    let same = |a: &Matrix<f64>, b: &Matrix<f64>| {
                        let size = a.as_slice().iter().fold(0.0f64, |m, v| m.max(*v));
                        a.as_slice().iter().zip(b.as_slice()).all(|(a, b)| (a - b).abs() < 1e-7 * size)
                    };
                    assert!(same(&order.rows(&first.0), &other.0), "{label}: the codes");
                    assert!(same(&first.1, &other.1), "{label}: the components");
                    fits += 1;
                }
            }
        }
    }
    refused.dedup();
    // Samples of two classes that share a row, each fixed to its own, contradict each other.
    let reasons =
        ["labels as components, fixed", "known", "weights of entries", "a graph, raw", "sample weights"];
    assert!(refused.iter().all(|what| reasons.iter().any(|reason| what.contains(reason))), "{refused:?}");
    assert!(fits > 200, "{fits}, {refused:?}");
}

/// Samples that are fixed together have the row that one sample with all their weight would have.
#[test]
fn a_view_beside_must_links_is_that_of_each_sample() {
    let plain = Order((0..N).collect());
    for strength in [RELATIVE, RAW] {
        let item: Item = match strength {
            Strength::Raw(_) => ITEMS[4],
            _ => ITEMS[3],
        };
        for merger in [MERGERS[1], MERGERS[2], MERGERS[3]] {
            for solver in [SolverChoice::Mu, SolverChoice::Hals, SolverChoice::Bpp, SolverChoice::Nesterov] {
                let known = known(&plain, item, merger);
                let settings =
                    Settings { solver, max_iterations: 200, threads: 1, tolerance: 0.0, ..Settings::new(K) };
                let model = Model::guided(known.guidance.clone());
                let found = fit(&known.dense::<f64>(), &model, &settings).unwrap();
                let naive = known::objective(&known, Loss::Frobenius, &found);
                let label = format!("{} {strength:?} {solver:?}", merger.0);
                assert!((found.objective - naive).abs() < 1e-9 * (1.0 + naive), "{label}");
                let falls = found
                    .history
                    .windows(2)
                    .all(|two| two[1].objective <= two[0].objective + 1e-10 * (1.0 + two[0].objective));
                assert!(falls, "{label}: the objective rises");
            }
        }
    }
}
