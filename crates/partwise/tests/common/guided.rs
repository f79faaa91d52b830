//! Guidance for random problems, and its costs written from the table of strengths alone.

use partwise::guidance::{Advice, Feature, Guidance, LabelRule, Seed, Strength, Topic};
use partwise::{Loss, Matrix};

use super::{Case, Example, number};

/// σ² of a strength.
fn weight(s: f64) -> f64 {
    (s / (1.0 - s)).powi(2)
}

const LABELS: f64 = 0.5;
const SETS: f64 = 0.4;
const SEEDS: f64 = 0.55;
const REFERENCE: f64 = 0.45;
const LINKS: f64 = 0.35;
const GRAPH: f64 = 0.3;
const MEMBERSHIPS: f64 = 0.6;

/// For some samples which of the first two topics they are made of.
fn sets(example: &Example) -> Vec<Option<Vec<u32>>> {
    let most = example.k.min(2) as u32;
    (0..example.n).map(|i| (i % 4 == 1).then(|| (0..most).collect())).collect()
}

/// Shares in the first topics, unknown here and there.
fn shares(example: &Example) -> Matrix<f64> {
    Matrix::from_fn(example.n, example.k.min(3), |i, c| {
        let r = number(example.seed ^ 0x5a, 3 * i + c);
        if i % 3 == 0 || r < 0.2 { f64::NAN } else { (r - 0.4).max(0.0) }
    })
}

fn must(example: &Example) -> Vec<(usize, usize)> {
    vec![(0, 1), (1, example.n - 1)]
}

fn cannot(example: &Example) -> Vec<(usize, usize)> {
    vec![(0, 2), (2, example.n - 1)]
}

fn profile(example: &Example) -> Matrix<f64> {
    let drawn = example.positive(1, example.d, 93);
    Matrix::from_fn(1, example.d, |_, f| if f == 1 || f + 1 == example.d { 0.0 } else { drawn.get(0, f) })
}

impl Case {
    /// What is given, by which variant of the case.
    pub(super) fn guidance(&self, example: &Example) -> Guidance {
        let (k, n) = (example.k, example.n);
        let names = |m: usize| (0..m).map(|c| c.to_string()).collect::<Vec<String>>();
        let seed = |f: usize, weight: f64| Seed { feature: Feature::Index(f), weight };
        let mut topics: Vec<Topic> = names(k.min(3)).into_iter().map(Topic::new).collect();
        topics[0].seeds = vec![seed(0, 1.0)];
        topics[0].seeds.extend((example.d > 1).then(|| seed(1, 2.0)));
        topics[0].strength = Strength::Relative(SEEDS);
        if k > 1 {
            topics[1].seeds = vec![seed(0, 0.5)];
            topics[1].strength = Strength::Relative(SEEDS);
            topics[1].forbidden.extend((example.d > 2).then(|| Feature::Index(example.d - 1)));
        }
        let mut guidance = Guidance::new(topics);
        let labels = example.labels();
        let squared = self.loss == Loss::Frobenius;
        let last = vec![(k.min(3) - 1).to_string()];
        let reference = |s| Advice::References {
            names: last.clone(),
            profiles: profile(example),
            strength: Strength::Relative(s),
        };
        if self.references {
            guidance = guidance.with(Advice::Labels {
                labels,
                rule: LabelRule::SameCodes,
                strength: Strength::HELD,
            });
            if squared {
                guidance = guidance.with(Advice::Memberships {
                    names: names(k.min(3)),
                    shares: shares(example),
                    strength: Strength::Relative(MEMBERSHIPS),
                });
            }
            // Held: the component does not move.
            return if k > 1 { guidance.with(reference(1.0)) } else { guidance };
        }
        guidance = guidance
            .with(Advice::Labels {
                labels,
                rule: LabelRule::Components,
                strength: Strength::Relative(LABELS),
            })
            .with(Advice::Sets {
                names: names(k.min(2)),
                sets: sets(example),
                strength: Strength::Relative(SETS),
            })
            .with(reference(REFERENCE))
            .with(Advice::SampleWeights((0..n).map(|i| 0.3 + number(example.seed ^ 0x99, i)).collect()));
        if squared && n > 3 {
            guidance = guidance
                .with(Advice::Links {
                    must: must(example),
                    cannot: cannot(example),
                    strength: Strength::Relative(LINKS),
                })
                .with(Advice::Graph { graph: example.graph(), strength: Strength::Relative(GRAPH) });
        }
        guidance
    }

    /// What each sample counts.
    pub(super) fn sample_weights(&self, example: &Example) -> Vec<f64> {
        let weighted = self.spec.name == "guided" && !self.references;
        (0..example.n).map(|i| if weighted { 0.3 + number(example.seed ^ 0x99, i) } else { 1.0 }).collect()
    }

    /// The components with what guidance holds in place.
    pub(crate) fn components(&self, example: &Example, h: &Matrix<f64>) -> Matrix<f64> {
        let mut h = h.clone();
        if self.spec.name != "guided" {
            return h;
        }
        let k = example.k;
        let fixed = (self.references && k > 1).then(|| k.min(3) - 1);
        if k > 1 && fixed != Some(1) && example.d > 2 {
            h.set(1, example.d - 1, 0.0);
        }
        if let Some(fixed) = fixed {
            h.row_mut(fixed).copy_from_slice(profile(example).row(0));
        }
        h
    }
}

/// The costs of the guidance, in the published form (twice the half form with the Frobenius loss).
pub(super) fn costs(example: &Example, case: &Case, w: &Matrix<f64>, h: &Matrix<f64>) -> f64 {
    let squared = case.loss == Loss::Frobenius;
    let (n, d, k) = (example.n, example.d, example.k);
    let power = |v: f64| if squared { v * v } else { v };
    let norm = |v: &[f64]| match squared {
        true => v.iter().map(|v| v * v).sum::<f64>().sqrt(),
        false => v.iter().sum::<f64>(),
    };
    // With weights the sample's costs count as it does.
    let weights = case.sample_weights(example);
    let counted = |i: usize| if squared { weights[i].sqrt() } else { weights[i] };
    let w = &Matrix::from_fn(n, k, |i, j| w.get(i, j) * counted(i));
    let column: Vec<Vec<f64>> = (0..k).map(|j| (0..n).map(|i| w.get(i, j)).collect()).collect();
    let (tall, long): (Vec<f64>, Vec<f64>) =
        ((0..k).map(|j| norm(h.row(j))).collect(), column.iter().map(|c| norm(c)).collect());
    let y = |i: usize, j: usize| w.get(i, j) * tall[j];
    let fixed = (case.references && k > 1).then(|| k.min(3) - 1);
    let mut value = 0.0;
    // Feature 0 seeds topics 0 and 1, feature 1 topic 0.
    for (f, most, topics) in [(0, 1.0, 2.min(k)), (1, 2.0, 1)] {
        for j in (topics..k).filter(|j| Some(*j) != fixed) {
            value += weight(SEEDS) * most * power(h.get(j, f) * long[j]);
        }
    }
    for (topic, seeds) in [(0, vec![(0, 1.0), (1, 2.0)]), (1, vec![(0, 0.5)])] {
        let seeds: Vec<(usize, f64)> = seeds.into_iter().filter(|(f, _)| *f < d).collect();
        if topic < k && Some(topic) != fixed {
            value += weight(SEEDS) / 4.0 * seed_share(example, &seeds, h.row(topic), long[topic], squared);
        }
    }
    let last = k.min(3) - 1;
    let r = profile(example);
    if case.references {
        if squared {
            value += memberships(example, &y);
        }
        return value;
    }
    let labels = example.labels();
    for i in 0..n {
        for j in 0..k {
            if labels.class(i).is_some_and(|class| labels.names()[class] != j.to_string()) {
                value += weight(LABELS) * power(y(i, j));
            }
            if sets(example)[i].is_some() && j >= 2 {
                value += weight(SETS) * power(y(i, j));
            }
        }
    }
    let length = norm(r.row(0));
    if squared {
        let along: f64 = (0..d).map(|f| h.get(last, f) * r.get(0, f) / length).sum();
        value += weight(REFERENCE) * long[last] * long[last] * (tall[last] * tall[last] - along * along);
        // A pair counts as the root of the product of both weights says.
        let counts = |i: usize| weights[i];
        value += pairs(example, &|i, j| y(i, j) / counted(i), &|i, l| (counts(i) * counts(l)).sqrt());
    } else {
        let mass = example.x.as_slice().iter().sum::<f64>() / k as f64;
        let part = |f: usize| {
            let share = r.get(0, f) / length;
            if share > 0.0 { share * (share * tall[last] / h.get(last, f)).ln() } else { 0.0 }
        };
        value += weight(REFERENCE) * mass * (0..d).map(part).sum::<f64>();
    }
    value
}

/// What it costs a topic not to have its seeds at the weight of the samples that hold them, all else being
/// free. `long`: the length of its codes.
fn seed_share(example: &Example, seeds: &[(usize, f64)], h: &[f64], long: f64, squared: bool) -> f64 {
    let (x, d) = (&example.x, example.d);
    let column = |f: usize| (0..example.n).map(|i| x.get(i, f)).sum::<f64>();
    let seeds: Vec<&(usize, f64)> = seeds.iter().filter(|(f, _)| column(*f) > 0.0).collect();
    if seeds.is_empty() {
        return 0.0;
    }
    let mut r = vec![0.0; d];
    for i in 0..example.n {
        let held: f64 = seeds.iter().map(|(f, s)| s * x.get(i, *f) / column(*f)).sum();
        (0..d).for_each(|f| r[f] += held.sqrt() * x.get(i, f));
    }
    seeds.iter().for_each(|(f, s)| r[*f] *= s);
    let is_seed = |f: &usize| seeds.iter().any(|(seed, _)| seed == f);
    let sum = |values: &dyn Fn(usize) -> f64, inside: bool| {
        (0..d).filter(|f| is_seed(f) == inside).map(values).sum::<f64>()
    };
    let squares = |v: &[f64], inside: bool| sum(&|f| v[f] * v[f], inside);
    if squared {
        let length = (squares(&r, true) + squares(&r, false)).sqrt();
        let along = sum(&|f| h[f] * r[f], true) + (squares(h, false) * squares(&r, false)).sqrt();
        return long * long * (squares(h, true) + squares(h, false) - (along / length).powi(2));
    }
    let total = |v: &[f64], inside: bool| sum(&|f| v[f], inside);
    let (all_r, all_h) = (total(&r, true) + total(&r, false), total(h, true) + total(h, false));
    let part = |q: f64, s: f64| if q > 0.0 { q * (q / s).ln() } else { 0.0 };
    let mass = x.as_slice().iter().sum::<f64>() / example.k as f64;
    mass * (sum(&|f| part(r[f] / all_r, h[f] / all_h), true)
        + part(total(&r, false) / all_r, total(h, false) / all_h))
}

/// σ²(‖y‖² − (y·r̂)²) over the known entries; a row that is known in full is known to have nothing of the
/// other components.
fn memberships(example: &Example, y: &impl Fn(usize, usize) -> f64) -> f64 {
    let shares = shares(example);
    let mut value = 0.0;
    for i in 0..example.n {
        let known: Vec<Option<f64>> =
            (0..shares.columns()).map(|c| Some(shares.get(i, c)).filter(|s| !s.is_nan())).collect();
        let all = known.iter().all(Option::is_some);
        let share = |j: usize| known.get(j).copied().unwrap_or(if all { Some(0.0) } else { None });
        let length = known.iter().flatten().map(|s| s * s).sum::<f64>().sqrt();
        let (mut squares, mut along) = (0.0, 0.0);
        for j in 0..example.k {
            let Some(share) = share(j) else { continue };
            squares += y(i, j).powi(2);
            along += if length > 0.0 { y(i, j) * share / length } else { 0.0 };
        }
        value += weight(MEMBERSHIPS) * (squares - along * along);
    }
    value
}

/// Links and the graph.
fn pairs(example: &Example, y: &impl Fn(usize, usize) -> f64, counts: &impl Fn(usize, usize) -> f64) -> f64 {
    let mut value = 0.0;
    for j in 0..example.k {
        for (i, l) in must(example) {
            value += weight(LINKS) * counts(i, l) * (y(i, j) - y(l, j)).powi(2);
        }
        for (i, l) in cannot(example) {
            value += 2.0 * weight(LINKS) * counts(i, l) * y(i, j) * y(l, j);
        }
    }
    let graph = example.graph();
    let degree = |i: usize| (0..example.n).map(|l| graph.weight(i, l)).sum::<f64>();
    for i in 0..example.n {
        for l in 0..example.n {
            let a = graph.weight(i, l);
            if a > 0.0 {
                let (d, e) = (degree(i).sqrt(), degree(l).sqrt());
                for j in 0..example.k {
                    let apart = y(i, j) / d - y(l, j) / e;
                    value += 0.5 * weight(GRAPH) * a * counts(i, l) * apart.powi(2);
                }
            }
        }
    }
    value
}
