//! Guidance of every kind at random, and what a fit by it costs, written from the table of strengths alone.
//! Long because every row of that table is in it.

// Each promise uses a part of this.
#![allow(dead_code)]

use partwise::graphs::Graph;
use partwise::guidance::{Advice, Feature, Guidance, LabelRule, Seed, Spread, Strength, Topic};
use partwise::{DenseMatrix, Fit, Labels, Loss, Matrix, Real, Slot, SparseMatrix};

/// Numbers drawn one after the other.
pub(crate) struct Draw(pub u64);

impl Draw {
    pub(crate) fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((self.number() * end as f64) as usize).min(end - 1)
    }

    pub(crate) fn chance(&mut self, share: f64) -> bool {
        self.number() < share
    }

    pub(crate) fn one<V: Clone>(&mut self, of: &[V]) -> V {
        of[self.below(of.len())].clone()
    }

    pub(crate) fn matrix(&mut self, rows: usize, columns: usize, zeros: f64) -> Matrix<f64> {
        Matrix::from_fn(
            rows,
            columns,
            |_, _| if self.chance(zeros) { 0.0 } else { 0.05 + 3.0 * self.number() },
        )
    }
}

/// Data and what is known of them.
pub(crate) struct Known {
    pub(crate) x: Matrix<f64>,
    pub(crate) rank: usize,
    pub(crate) guidance: Guidance,
}

const KINDS: usize = 12;

impl Known {
    /// At random; about `most` items.
    pub(crate) fn new(draw: &mut Draw, most: f64) -> Self {
        let (n, d) = (4 + draw.below(6), 3 + draw.below(4));
        let mut x = draw.matrix(n, d, 0.25);
        if draw.chance(0.1) {
            x.row_mut(n - 1).fill(0.0);
        }
        let mut topics = Vec::new();
        for at in 0..draw.below(3) {
            let mut topic = Topic::new(format!("t{}", 2 - at));
            if draw.chance(0.2) {
                topic.components = 2;
            }
            for _ in 0..draw.below(3) {
                topic.seeds.push(Seed {
                    feature: Feature::Index(draw.below(d)),
                    weight: draw.one(&[1.0, 0.4, 3.0]),
                });
            }
            if draw.chance(0.2) {
                topic.forbidden.push(Feature::Index(draw.below(d)));
            }
            topic.strength = Strength::Relative(draw.one(&[0.0, 0.3, 0.7, 0.9, 1.0]));
            topics.push(topic);
        }
        let mut guidance = Guidance::new(topics);
        let share = most / KINDS as f64;
        // Raw weights and relative strengths are refused beside each other, so one of them is the rule.
        let raw = draw.chance(0.25);
        for kind in 0..KINDS {
            let again = if draw.chance(0.05) { 2 } else { 1 };
            for _ in 0..again {
                if draw.chance(share) {
                    let strength = strength(draw, raw);
                    if let Some(item) = item(draw, kind, &mut x, strength) {
                        guidance = guidance.with(item);
                    }
                }
            }
        }
        let rank = guidance.n_components().max(1) + draw.below(3);
        let rank = if draw.chance(0.03) { 1 } else { rank };
        Known { x, rank, guidance }
    }

    pub(crate) fn dense<T: Real>(&self) -> DenseMatrix<'static, T> {
        DenseMatrix::from_matrix(self.x.cast()).unwrap()
    }

    pub(crate) fn sparse<T: Real>(&self) -> SparseMatrix<'static, T> {
        let (n, d) = self.x.shape();
        let (mut begins, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..n {
            for j in (0..d).filter(|j| self.x.get(i, *j) != 0.0) {
                columns.push(j as u32);
                values.push(T::from_f64(self.x.get(i, j)));
            }
            begins.push(columns.len());
        }
        SparseMatrix::new(n, d, begins, columns, values).unwrap()
    }
}

fn strength(draw: &mut Draw, raw: bool) -> Strength {
    if raw && draw.chance(0.9) || draw.chance(0.03) {
        return Strength::Raw(draw.one(&[0.0, 0.3, 2.0]));
    }
    Strength::Relative(draw.one(&[0.0, 0.25, 0.6, 0.9, 1.0]))
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("t{at}")).collect()
}

pub(crate) fn labels(draw: &mut Draw, n: usize) -> Labels {
    let all: Vec<i32> =
        (0..n).map(|_| draw.below(4) as i32 - 1).map(|c| if c > 2 { -1 } else { c }).collect();
    Labels::with_names(&all, &names(3)).unwrap()
}

/// An item of each kind.
fn item(draw: &mut Draw, kind: usize, x: &mut Matrix<f64>, strength: Strength) -> Option<Advice> {
    let (n, d) = x.shape();
    let pairs = |draw: &mut Draw| -> Vec<(usize, usize)> {
        let some = draw.below(3);
        (0..some).map(|_| (draw.below(n), draw.below(n))).filter(|(i, l)| i != l).collect()
    };
    Some(match kind {
        0 => Advice::Labels { labels: labels(draw, n), rule: LabelRule::Components, strength },
        1 => {
            Advice::Labels { labels: labels(draw, n), rule: LabelRule::View, strength: soft(draw, strength) }
        }
        2 => {
            let strength = if draw.chance(0.8) { Strength::HELD } else { strength };
            Advice::Labels { labels: labels(draw, n), rule: LabelRule::SameCodes, strength }
        }
        3 => {
            let set = |draw: &mut Draw| draw.chance(0.4).then(|| vec![draw.below(2) as u32, 2]);
            Advice::Sets { names: names(3), sets: (0..n).map(|_| set(draw)).collect(), strength }
        }
        4 => {
            let full = draw.chance(0.6);
            let share = |draw: &mut Draw| match draw.number() {
                r if !full && r < 0.3 => f64::NAN,
                r if r < 0.5 => 0.0,
                r => r,
            };
            let mut shares = Matrix::from_fn(n, 2, |_, _| share(draw));
            for i in (0..n).filter(|i| i % 3 == 0) {
                shares.row_mut(i).fill(f64::NAN);
            }
            Advice::Memberships { names: names(2), shares, strength }
        }
        5 => Advice::References { names: vec!["t1".into()], profiles: draw.matrix(1, d, 0.2), strength },
        6 => {
            let strength = if draw.chance(0.4) { Strength::HELD } else { soft(draw, strength) };
            let cannot = if draw.chance(0.4) { pairs(draw) } else { Vec::new() };
            Advice::Links { must: pairs(draw), cannot, strength }
        }
        7 => {
            let entries: Vec<(usize, usize, f64)> =
                pairs(draw).iter().chain(&pairs(draw)).map(|(i, l)| (*i, *l, 0.5)).collect();
            Advice::Graph { graph: Graph::from_entries(n, &entries).ok()?, strength: soft(draw, strength) }
        }
        8 => Advice::SampleWeights((0..n).map(|_| draw.one(&[0.0, 0.5, 1.0, 3.0])).collect()),
        9 => Advice::FeatureWeights((0..d).map(|_| draw.one(&[0.0, 0.5, 1.0, 2.0])).collect()),
        10 => Advice::EntryWeights(Matrix::from_fn(n, d, |_, _| draw.one(&[0.0, 0.5, 1.0, 2.0]))),
        _ => {
            let known = Matrix::from_fn(n, d, |_, _| f64::from(draw.chance(0.8)));
            x.as_mut_slice().iter_mut().zip(known.as_slice()).for_each(|(x, mark)| *x *= mark);
            if draw.chance(0.5) {
                return Some(Advice::KnownEntries(known));
            }
            let row = |i: usize| (0..d).filter(|j| known.get(i, *j) > 0.0).map(|j| j as u32).collect();
            Advice::KnownFeatures((0..n).map(row).collect())
        }
    })
}

fn soft(draw: &mut Draw, strength: Strength) -> Strength {
    if strength == Strength::HELD && draw.chance(0.8) { Strength::Relative(0.5) } else { strength }
}

/// σ² of a relative strength below 1, m² of a raw one.
fn weight(strength: Strength) -> f64 {
    match strength {
        Strength::Relative(s) => (s / (1.0 - s)).powi(2),
        Strength::Raw(m) => m * m,
        Strength::Auto => unreachable!("nothing is searched here"),
    }
}

fn is_held(strength: Strength) -> bool {
    strength == Strength::HELD
}

/// The published objective of a fit, by `known` with this loss.
pub(crate) fn objective<T: Real>(known: &Known, loss: Loss, fit: &Fit<T>) -> f64 {
    Costs::new(known, loss, &fit.codes.cast(), &fit.components.cast()).all(fit)
}

/// Everything at the scale at which costs are taken.
struct Costs<'a> {
    known: &'a Known,
    squared: bool,
    /// X with the weights of features and entries.
    x: Matrix<f64>,
    /// Codes as the data have them, and with the weights of samples; components with the weights of features.
    codes: Matrix<f64>,
    w: Matrix<f64>,
    h: Matrix<f64>,
    /// Lengths of the components and of the codes of each.
    tall: Vec<f64>,
    long: Vec<f64>,
    /// Costs of the loss itself.
    loss: f64,
    /// Components whose profile is fixed.
    fixed: Vec<usize>,
}

impl<'a> Costs<'a> {
    fn new(known: &'a Known, loss: Loss, codes: &Matrix<f64>, components: &Matrix<f64>) -> Self {
        let squared = loss == Loss::Frobenius;
        let (n, d) = known.x.shape();
        let k = codes.columns();
        let (mut samples, mut features, mut entries) = (vec![1.0; n], vec![1.0; d], None);
        for item in known.guidance.advice() {
            match item {
                Advice::SampleWeights(given) => samples.clone_from(given),
                Advice::FeatureWeights(given) => features.clone_from(given),
                Advice::EntryWeights(given) | Advice::KnownEntries(given) => entries = Some(given.clone()),
                Advice::KnownFeatures(rows) => {
                    let mark = |i: usize, j: usize| f64::from(rows.row(i).contains(&(j as u32)));
                    entries = Some(Matrix::from_fn(n, d, mark));
                }
                _ => {}
            }
        }
        let root = |c: f64| if squared { c.sqrt() } else { c };
        let entry = |i: usize, j: usize| entries.as_ref().map_or(1.0, |e| e.get(i, j));
        let mut loss = 0.0;
        for i in 0..n {
            for j in 0..d {
                let (x, p): (f64, f64) =
                    (known.x.get(i, j), (0..k).map(|c| codes.get(i, c) * components.get(c, j)).sum());
                let own = if squared {
                    (x - p).powi(2)
                } else if x > 0.0 {
                    x * (x / p).ln() - x + p
                } else {
                    p
                };
                let weight = samples[i] * features[j] * entry(i, j);
                loss += if weight > 0.0 { weight * own } else { 0.0 };
            }
        }
        let w = Matrix::from_fn(n, k, |i, c| codes.get(i, c) * root(samples[i]));
        let h = Matrix::from_fn(k, d, |c, f| components.get(c, f) * root(features[f]));
        let norm = |v: Vec<f64>| match squared {
            true => v.iter().map(|v| v * v).sum::<f64>().sqrt(),
            false => v.iter().sum(),
        };
        let mut costs = Costs {
            known,
            squared,
            x: Matrix::from_fn(n, d, |i, j| entry(i, j) * root(features[j]) * known.x.get(i, j)),
            codes: codes.clone(),
            tall: (0..k).map(|c| norm(h.row(c).to_vec())).collect(),
            long: (0..k).map(|c| norm((0..n).map(|i| w.get(i, c)).collect())).collect(),
            w,
            h,
            loss,
            fixed: Vec::new(),
        };
        costs.fixed = costs.references().filter(|(_, _, s)| is_held(*s)).map(|(j, _, _)| j).collect();
        costs
    }

    fn y(&self, i: usize, c: usize) -> f64 {
        self.w.get(i, c) * self.tall[c]
    }

    fn power(&self, v: f64) -> f64 {
        if self.squared { v * v } else { v }
    }

    /// The components of a topic.
    fn components(&self, name: &str) -> std::ops::Range<usize> {
        let mut begin = 0;
        for (known, components) in self.known.guidance.all_topics() {
            if known == name {
                return begin..begin + components;
            }
            begin += components;
        }
        unreachable!("{name} is a topic")
    }

    /// Component, profile without what is forbidden, strength of each reference.
    fn references(&self) -> impl Iterator<Item = (usize, Vec<f64>, Strength)> + '_ {
        let mut taken = std::collections::BTreeMap::<usize, usize>::new();
        self.known.guidance.advice().into_iter().filter_map(move |item| {
            let Advice::References { names, profiles, strength } = item else { return None };
            let range = self.components(&names[0]);
            let at = taken.entry(range.start).or_default();
            let j = range.start + *at;
            *at += 1;
            let feature_weights = self.known.guidance.advice().into_iter().find_map(|item| match item {
                Advice::FeatureWeights(weights) => Some(weights.clone()),
                _ => None,
            });
            let scale = |f: usize| {
                let weight = feature_weights.as_ref().map_or(1.0, |weights| weights[f]);
                if self.squared { weight.sqrt() } else { weight }
            };
            let topic = self.known.guidance.topics().iter().find(|topic| topic.name == names[0]);
            let forbidden =
                |f: usize| topic.is_some_and(|topic| topic.forbidden.contains(&Feature::Index(f)));
            let profile: Vec<f64> = (0..self.x.columns())
                .map(|f| if forbidden(f) { 0.0 } else { profiles.get(0, f) * scale(f) })
                .collect();
            profile.iter().any(|v| *v > 0.0).then_some((j, profile, *strength))
        })
    }

    fn all<T: Real>(&self, fit: &Fit<T>) -> f64 {
        let items = self.known.guidance.advice();
        let mut value = self.loss + self.seeds();
        for item in items {
            if item.strength().is_some_and(|s| weight(s) == 0.0) {
                continue;
            }
            value += match item {
                Advice::Labels { labels, rule: LabelRule::Components, strength } => {
                    let topic = |i: usize| labels.class(i).map(|c| vec![labels.names()[c].clone()]);
                    self.within(&topic, *strength)
                }
                Advice::Labels { labels, rule: LabelRule::View, strength } => {
                    self.view(labels, *strength, fit)
                }
                Advice::Sets { names, sets, strength } => {
                    let topics = |i: usize| {
                        let set = sets[i].as_ref()?;
                        Some(set.iter().map(|at| names[*at as usize].clone()).collect())
                    };
                    self.within(&topics, *strength)
                }
                Advice::Memberships { names, shares, strength } => self.memberships(names, shares, *strength),
                Advice::Links { must, cannot, strength } if !is_held(*strength) => {
                    let mut value = 0.0;
                    for c in 0..self.w.columns() {
                        let (y, both) =
                            (|i: usize| self.codes.get(i, c) * self.tall[c], |i, l| self.both(i, l));
                        value += must.iter().map(|&(i, l)| both(i, l) * (y(i) - y(l)).powi(2)).sum::<f64>();
                        value += cannot.iter().map(|&(i, l)| both(i, l) * 2.0 * y(i) * y(l)).sum::<f64>();
                    }
                    weight(*strength) * value
                }
                Advice::Graph { graph, strength } => self.graph(graph, *strength),
                Advice::Spread(spread) => self.spread(spread),
                _ => 0.0,
            };
        }
        for (j, profile, strength) in self.references() {
            value += self.reference(j, &profile, strength);
        }
        value
    }

    /// What is outside of a sample's topics.
    fn within(&self, topics: &dyn Fn(usize) -> Option<Vec<String>>, strength: Strength) -> f64 {
        let k = self.w.columns();
        let mut value = 0.0;
        for i in 0..self.w.rows() {
            let Some(topics) = topics(i) else { continue };
            let own: Vec<usize> = topics.iter().flat_map(|name| self.components(name)).collect();
            value += match strength {
                Strength::Raw(_) => {
                    let squares: f64 = self.w.row(i).iter().map(|w| w * w).sum();
                    let along: f64 = own.iter().map(|j| self.w.get(i, *j)).sum();
                    squares - along * along / own.len() as f64
                }
                _ => (0..k).filter(|j| !own.contains(j)).map(|j| self.power(self.y(i, j))).sum(),
            };
        }
        if is_held(strength) { 0.0 } else { weight(strength) * value }
    }

    /// What is outside of the most likely topic of a sample without a label.
    fn spread(&self, spread: &Spread) -> f64 {
        let outside = |i: usize| {
            let row = spread.posteriors.row(i);
            let best = (0..row.len()).reduce(|best, c| if row[c] > row[best] { c } else { best });
            let Some(best) = best.filter(|best| row[*best] > 0.0) else { return 0.0 };
            let own = self.components(&spread.names[best]);
            (0..self.w.columns()).filter(|j| !own.contains(j)).map(|j| self.power(self.y(i, j))).sum::<f64>()
        };
        let costs = (0..self.w.rows()).map(|i| spread.weights[i] * outside(i));
        weight(spread.strength) * costs.sum::<f64>()
    }

    fn view<T: Real>(&self, labels: &Labels, strength: Strength, fit: &Fit<T>) -> f64 {
        let b = fit.further.iter().find(|(slot, _)| *slot == Slot::Labels);
        let Some((_, b)) = b else { return 0.0 };
        let size: f64 = self.x.as_slice().iter().map(|x| x * x).sum();
        let lambda = match strength {
            Strength::Raw(lambda) => lambda,
            _ => weight(strength) * size / labels.n_labelled().max(1) as f64,
        };
        let mut value = 0.0;
        for i in 0..self.w.rows() {
            let Some(class) = labels.class(i) else { continue };
            // How much the sample counts: its weighted row is that much longer.
            let codes = self.codes.row(i);
            let counts = self.counts(i);
            for l in 0..labels.n_classes() {
                let said: f64 = codes.iter().zip(b.row(l)).map(|(w, b)| w * b.to_f64()).sum();
                value += counts * (f64::from(l == class) - said).powi(2);
            }
        }
        lambda * value
    }

    fn counts(&self, sample: usize) -> f64 {
        let weights = self.known.guidance.advice().into_iter().find_map(|item| match item {
            Advice::SampleWeights(weights) => Some(weights[sample]),
            _ => None,
        });
        weights.unwrap_or(1.0)
    }

    /// What a pair counts.
    fn both(&self, i: usize, l: usize) -> f64 {
        (self.counts(i) * self.counts(l)).sqrt()
    }

    fn memberships(&self, names: &[String], shares: &Matrix<f64>, strength: Strength) -> f64 {
        let k = self.w.columns();
        let mut value = 0.0;
        for i in 0..shares.rows() {
            let mut known: Vec<Option<f64>> = vec![None; k];
            let mut all = true;
            for (at, name) in names.iter().enumerate() {
                let share = shares.get(i, at);
                all &= !share.is_nan();
                known[self.components(name).start] = Some(share).filter(|share| !share.is_nan());
            }
            if known.iter().all(Option::is_none) {
                continue;
            }
            if all {
                known.iter_mut().for_each(|share| *share = share.or(Some(0.0)));
            }
            let length = known.iter().flatten().map(|s| s * s).sum::<f64>().sqrt();
            let (mut whole, mut along) = (0.0, 0.0);
            for (c, share) in known.iter().enumerate() {
                let Some(share) = share else { continue };
                let y = if matches!(strength, Strength::Raw(_)) { self.w.get(i, c) } else { self.y(i, c) };
                whole += self.power(y);
                along += if length > 0.0 { y * share / length } else { 0.0 };
            }
            let single = known.iter().flatten().filter(|s| **s > 0.0).count() == 1;
            // What must be 0 is fixed there; what has several shares is drawn to them, a million times.
            let kept = match strength {
                Strength::Relative(s) if s >= 1.0 && single => 0.0,
                Strength::Relative(s) if s >= 1.0 => 1e6,
                _ => weight(strength),
            };
            value += kept * (whole - if self.squared { along * along } else { along });
        }
        value
    }

    fn graph(&self, graph: &Graph, strength: Strength) -> f64 {
        let n = self.w.rows();
        let degree = |i: usize| (0..n).map(|l| graph.weight(i, l)).sum::<f64>();
        let mut value = 0.0;
        for i in 0..n {
            for l in 0..n {
                let a = graph.weight(i, l);
                if a == 0.0 {
                    continue;
                }
                for c in 0..self.w.columns() {
                    value += match strength {
                        Strength::Raw(lambda) => {
                            0.5 * lambda * a * (self.w.get(i, c) - self.w.get(l, c)).powi(2)
                        }
                        _ => {
                            let (d, e) = (degree(i).sqrt(), degree(l).sqrt());
                            let y = |i: usize| self.codes.get(i, c) * self.tall[c];
                            0.5 * weight(strength) * a * self.both(i, l) * (y(i) / d - y(l) / e).powi(2)
                        }
                    };
                }
            }
        }
        value
    }

    fn reference(&self, j: usize, r: &[f64], strength: Strength) -> f64 {
        if is_held(strength) || weight(strength) == 0.0 {
            return 0.0;
        }
        let h = self.h.row(j);
        if let Strength::Raw(_) = strength {
            return weight(strength) * h.iter().zip(r).map(|(h, r)| (h - r).powi(2)).sum::<f64>();
        }
        if self.squared {
            let length = r.iter().map(|r| r * r).sum::<f64>().sqrt();
            let along: f64 = h.iter().zip(r).map(|(h, r)| h * r / length).sum();
            return weight(strength) * self.long[j].powi(2) * (self.tall[j].powi(2) - along * along);
        }
        let length: f64 = r.iter().sum();
        let part = |(h, r): (&f64, &f64)| {
            let share = r / length;
            if share > 0.0 { share * (share * self.tall[j] / h).ln() } else { 0.0 }
        };
        weight(strength) * self.mass() * h.iter().zip(r).map(part).sum::<f64>()
    }

    fn mass(&self) -> f64 {
        self.x.as_slice().iter().sum::<f64>() / self.w.columns() as f64
    }

    /// Seeds outside of their topics, and their weight in them.
    fn seeds(&self) -> f64 {
        let (d, k) = (self.x.columns(), self.w.columns());
        let mut value = 0.0;
        let topics = self.known.guidance.topics();
        let seeds: Vec<Vec<(usize, f64)>> = topics.iter().map(seeds_of).collect();
        for f in 0..d {
            let (mut most, mut allowed) = (0.0f64, vec![false; k]);
            for (topic, seeds) in topics.iter().zip(&seeds) {
                let Some((_, s)) = seeds.iter().find(|(seed, _)| *seed == f) else { continue };
                let strength = weight(topic.strength);
                most = most.max(if strength == 0.0 { 0.0 } else { strength * s });
                self.components(&topic.name).for_each(|j| allowed[j] = true);
            }
            if most > 0.0 && most.is_finite() {
                let free = (0..k).filter(|j| !allowed[*j] && !self.fixed.contains(j));
                value += most * free.map(|j| self.power(self.h.get(j, f) * self.long[j])).sum::<f64>();
            }
        }
        for (topic, seeds) in topics.iter().zip(&seeds) {
            let strength = weight(topic.strength).min(weight(Strength::FIRM)) / 4.0;
            for j in self.components(&topic.name).filter(|j| !self.fixed.contains(j)) {
                value += if strength > 0.0 { strength * self.seed_share(seeds, j) } else { 0.0 };
            }
        }
        value
    }

    fn seed_share(&self, seeds: &[(usize, f64)], j: usize) -> f64 {
        let (x, h) = (&self.x, self.h.row(j));
        let (n, d) = x.shape();
        let column = |f: usize| (0..n).map(|i| x.get(i, f)).sum::<f64>();
        let present: Vec<&(usize, f64)> = seeds.iter().filter(|(f, _)| column(*f) > 0.0).collect();
        if present.is_empty() {
            return 0.0;
        }
        let mut r = vec![0.0; d];
        for i in 0..n {
            let held: f64 = present.iter().map(|(f, s)| s * x.get(i, *f) / column(*f)).sum();
            (0..d).for_each(|f| r[f] += held.sqrt() * x.get(i, f));
        }
        seeds.iter().for_each(|(f, s)| r[*f] *= s);
        let sum = |values: &dyn Fn(usize) -> f64, inside: bool| -> f64 {
            (0..d).filter(|f| present.iter().any(|(s, _)| s == f) == inside).map(values).sum()
        };
        if self.squared {
            let squares = |v: &[f64], inside: bool| sum(&|f| v[f] * v[f], inside);
            let length = (squares(&r, true) + squares(&r, false)).sqrt();
            let along = sum(&|f| h[f] * r[f], true) + (squares(h, false) * squares(&r, false)).sqrt();
            let whole = squares(h, true) + squares(h, false);
            return self.long[j].powi(2) * (whole - (along / length).powi(2));
        }
        let total = |v: &[f64], inside: bool| sum(&|f| v[f], inside);
        let (all_r, all_h) = (total(&r, true) + total(&r, false), total(h, true) + total(h, false));
        let part = |q: f64, s: f64| if q > 0.0 { q * (q / s).ln() } else { 0.0 };
        let own = sum(&|f| part(r[f] / all_r, h[f] / all_h), true);
        self.mass() * (own + part(total(&r, false) / all_r, total(h, false) / all_h))
    }
}

fn seeds_of(topic: &Topic) -> Vec<(usize, f64)> {
    let mut found: Vec<(usize, f64)> = Vec::new();
    for seed in &topic.seeds {
        let Feature::Index(f) = seed.feature else { continue };
        match found.iter_mut().find(|(known, _)| *known == f) {
            Some((_, weight)) => *weight = weight.max(seed.weight),
            None => found.push((f, seed.weight)),
        }
    }
    found
}
