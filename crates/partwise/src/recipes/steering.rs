//! Steering a finished fit by hand: each action changes the guidance and refits warm, from the factors as they are; every action can be
//! undone.
//!
//! Reference for the scenario: Choo, Lee, Reddy & Park 2015, doi:10.1007/s10618-014-0384-8, section 5 (keyword refinement, merging and
//! splitting of topics). Differs: any guidance stays in force through all actions.

use super::guidance_report::{GuidanceReport, guidance_report, model};
use crate::data::DataMatrix;
use crate::error::{Error, Result};
use crate::fit::{Fit, fit_observed};
use crate::guidance::{Advice, Feature, Guidance, Seed, Strength, Topic};
use crate::linalg::Matrix;
use crate::losses::Loss;
use crate::observe::Observer;
use crate::real::Real;
use crate::settings::{Init, Settings};

/// What can be done to a fit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// A topic gets another name.
    Rename {
        /// Its name.
        topic: String,
        /// The new one.
        to: String,
    },
    /// Two topics become one, under the first's name.
    Merge {
        /// The one that stays.
        keep: String,
        /// The one that goes into it.
        with: String,
    },
    /// A topic becomes two: its own, and a new one that starts from `seeds`, or from the samples that it explains worst.
    Split {
        /// Which.
        topic: String,
        /// The name of the new one.
        new: String,
        /// Features of the new one.
        seeds: Vec<Feature>,
    },
    /// A topic goes; its samples find others.
    Delete {
        /// Which.
        topic: String,
    },
    /// A sample belongs to a topic, exactly.
    Move {
        /// Which.
        sample: usize,
        /// Where to.
        to: String,
    },
    /// A feature counts more in a topic: it becomes a seed, or a seed of more weight.
    Raise {
        /// The topic.
        topic: String,
        /// The feature.
        feature: Feature,
        /// What the weight of the seed is multiplied by, > 0.
        by: f64,
    },
    /// A feature stays out of a topic.
    Forbid {
        /// The topic.
        topic: String,
        /// The feature.
        feature: Feature,
    },
    /// A topic's component stays as it is.
    Pin {
        /// Which.
        topic: String,
    },
}

/// A state of the session.
#[derive(Clone, Debug)]
struct State<T> {
    guidance: Guidance,
    rank: usize,
    fit: Fit<T>,
    report: GuidanceReport,
}

/// A fit that is being steered.
pub struct Steering<'d, T: Real> {
    data: &'d dyn DataMatrix<T>,
    loss: Loss,
    settings: Settings,
    states: Vec<State<T>>,
}

impl<'d, T: Real> Steering<'d, T> {
    /// Fits once. Free components become topics under the names that the fit gives them ("part 3"), so that all can be spoken of.
    ///
    /// # Errors
    /// As [`fit`](crate::fit()).
    pub fn begin(
        data: &'d dyn DataMatrix<T>,
        guidance: Guidance,
        loss: Loss,
        settings: Settings,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let mut guidance = guidance;
        for (name, components) in guidance.all_topics() {
            if !guidance.topics().iter().any(|topic| topic.name == name) {
                guidance.topics_mut().push(Topic { components, ..Topic::new(name) });
            }
        }
        for j in guidance.n_components()..settings.rank {
            guidance.topics_mut().push(Topic::new(format!("part {}", j + 1)));
        }
        let mut steering = Steering { data, loss, settings, states: Vec::new() };
        let state = steering.refit(guidance, None, observer)?;
        steering.states.push(state);
        Ok(steering)
    }

    /// The fit as it is.
    pub fn fit(&self) -> &Fit<T> {
        &self.current().fit
    }

    /// The guidance as it is.
    pub fn guidance(&self) -> &Guidance {
        &self.current().guidance
    }

    /// What became of the advice.
    pub fn report(&self) -> &GuidanceReport {
        &self.current().report
    }

    /// How many actions can be undone.
    pub fn depth(&self) -> usize {
        self.states.len() - 1
    }

    /// Takes the last action back; `false` when there is none.
    pub fn undo(&mut self) -> bool {
        if self.states.len() < 2 {
            return false;
        }
        self.states.pop();
        true
    }

    fn current(&self) -> &State<T> {
        self.states.last().expect("a session begins with a state")
    }

    /// Does it. After an error everything is as before.
    ///
    /// # Errors
    /// [`Error::UnknownName`] for a topic that there is not, with those that there are; [`Error::Guidance`] for an action that can't be
    /// done; as [`fit`](crate::fit()).
    pub fn apply(&mut self, action: &Action, observer: &mut dyn Observer) -> Result<()> {
        let (guidance, start) = self.changed(action)?;
        let state = self.refit(guidance, Some(start), observer)?;
        self.states.push(state);
        Ok(())
    }

    fn refit(
        &self,
        guidance: Guidance,
        start: Option<(Matrix<f64>, Matrix<f64>)>,
        observer: &mut dyn Observer,
    ) -> Result<State<T>> {
        let rank = guidance.n_components();
        let init = match start {
            None => Init::Guided,
            Some((codes, components)) => Init::Custom { codes: Some(codes), components: Some(components) },
        };
        let settings = Settings { rank, init, ..self.settings.clone() };
        let fit = fit_observed(self.data, &model(&guidance, self.loss)?, &settings, observer)?;
        let report = guidance_report(self.data, &guidance, &fit, &settings)?;
        Ok(State { guidance, rank, fit, report })
    }

    /// The place of a topic among those of the guidance, and its components.
    fn place(&self, name: &str) -> Result<(usize, std::ops::Range<usize>)> {
        let mut begin = 0;
        let topics = self.current().guidance.topics();
        for (at, topic) in topics.iter().enumerate() {
            let range = begin..begin + topic.components;
            if topic.name == name {
                return Ok((at, range));
            }
            begin = range.end;
        }
        Err(Error::UnknownName {
            kind: "topic".into(),
            name: name.into(),
            valid: topics.iter().map(|topic| topic.name.clone()).collect(),
        })
    }

    /// The guidance after the action, and the factors to start from.
    fn changed(&self, action: &Action) -> Result<(Guidance, (Matrix<f64>, Matrix<f64>))> {
        let mut guidance = self.current().guidance.clone();
        let mut factors = Parts::of(&self.current().fit);
        match action {
            Action::Rename { topic, to } => {
                let (at, _) = self.place(topic)?;
                self.check_new(to)?;
                rename(&mut guidance, topic, to);
                guidance.topics_mut()[at].name.clone_from(to);
            }
            Action::Merge { keep, with } => {
                let ((to, kept), (from, gone)) = (self.place(keep)?, self.place(with)?);
                if to == from {
                    return Err(Error::Guidance(format!("topic \"{keep}\" can't be merged with itself")));
                }
                factors.merge(kept.start, gone.clone());
                let mut merged = guidance.topics()[from].clone();
                let topic = &mut guidance.topics_mut()[to];
                topic.seeds.append(&mut merged.seeds);
                topic.forbidden.retain(|f| !topic.seeds.iter().any(|seed| seed.feature == *f));
                guidance.topics_mut().remove(from);
                forget_references(&mut guidance, &[keep, with]);
                rename(&mut guidance, with, keep);
            }
            Action::Split { topic, new, seeds } => {
                let (at, range) = self.place(topic)?;
                self.check_new(new)?;
                factors.split(self.data, range.clone(), seeds, &guidance)?;
                guidance
                    .topics_mut()
                    .insert(at + 1, Topic::new(new.clone()).with_seeds(seeds.iter().cloned()));
                guidance.topics_mut()[at].seeds.retain(|seed| !seeds.contains(&seed.feature));
            }
            Action::Delete { topic } => {
                let (at, range) = self.place(topic)?;
                if guidance.topics().len() == 1 {
                    return Err(Error::Guidance(format!(
                        "topic \"{topic}\" is the only one; it can't be deleted"
                    )));
                }
                factors.remove(range);
                guidance.topics_mut().remove(at);
                forget(&mut guidance, topic)?;
            }
            Action::Move { sample, to } => {
                let (_, range) = self.place(to)?;
                let n = self.data.n_samples();
                if *sample >= n {
                    return Err(Error::OutOfRange {
                        name: "the sample to move".into(),
                        value: sample.to_string(),
                        valid: format!("below {n}, the number of samples"),
                    });
                }
                factors.place(*sample, range);
                guidance = moved(guidance, *sample, to, n);
            }
            Action::Raise { topic, feature, by } => {
                if !(*by > 0.0 && by.is_finite()) {
                    return Err(Error::OutOfRange {
                        name: "what a seed's weight is multiplied by".into(),
                        value: by.to_string(),
                        valid: "a finite number above 0".into(),
                    });
                }
                let (at, _) = self.place(topic)?;
                let topic = &mut guidance.topics_mut()[at];
                topic.forbidden.retain(|f| f != feature);
                match topic.seeds.iter_mut().find(|seed| seed.feature == *feature) {
                    Some(seed) => seed.weight *= by,
                    None => topic.seeds.push(Seed { feature: feature.clone(), weight: *by }),
                }
            }
            Action::Forbid { topic, feature } => {
                let (at, _) = self.place(topic)?;
                let topic = &mut guidance.topics_mut()[at];
                topic.seeds.retain(|seed| seed.feature != *feature);
                if !topic.forbidden.contains(feature) {
                    topic.forbidden.push(feature.clone());
                }
            }
            Action::Pin { topic } => {
                let (_, range) = self.place(topic)?;
                forget_references(&mut guidance, &[topic]);
                let profiles = Matrix::from_fn(range.len(), self.data.n_features(), |q, f| {
                    factors.components[range.start + q][f]
                });
                let names = vec![topic.clone(); range.len()];
                guidance = guidance.with(Advice::References { names, profiles, strength: Strength::HELD });
            }
        }
        Ok((guidance, factors.finish()))
    }

    fn check_new(&self, name: &str) -> Result<()> {
        match self.place(name) {
            Ok(_) => Err(Error::Guidance(format!("there is a topic \"{name}\" already"))),
            Err(_) => Ok(()),
        }
    }

    /// k as it is.
    pub fn rank(&self) -> usize {
        self.current().rank
    }
}

/// Every mention of a topic under another name; two columns or entries that come to mean the same are put together.
fn rename(guidance: &mut Guidance, from: &str, to: &str) {
    for item in guidance.advice_mut() {
        match item {
            Advice::Labels { labels, .. } => *labels = labels.renamed(from, to),
            Advice::References { names, .. } => {
                names.iter_mut().filter(|n| *n == from).for_each(|n| *n = to.into());
            }
            Advice::Sets { names, sets, .. } => {
                let old = names.iter().position(|n| n == from);
                let known = names.iter().position(|n| n == to);
                match (old, known) {
                    (Some(old), Some(known)) => sets.iter_mut().flatten().for_each(|set| {
                        set.iter_mut().filter(|t| **t as usize == old).for_each(|t| *t = known as u32);
                        set.sort_unstable();
                        set.dedup();
                    }),
                    (Some(old), None) => names[old] = to.into(),
                    _ => {}
                }
                drop_unused(names, sets);
            }
            Advice::Memberships { names, shares, .. } => {
                let old = names.iter().position(|n| n == from);
                let known = names.iter().position(|n| n == to);
                match (old, known) {
                    (Some(old), Some(known)) => {
                        let sum = |i: usize| shares.get(i, known) + shares.get(i, old);
                        let kept: Vec<usize> = (0..names.len()).filter(|c| *c != old).collect();
                        *shares = Matrix::from_fn(shares.rows(), kept.len(), |i, c| {
                            if kept[c] == known { sum(i) } else { shares.get(i, kept[c]) }
                        });
                        names.remove(old);
                    }
                    (Some(old), None) => names[old] = to.into(),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// Topics that no set has are no longer named.
fn drop_unused(names: &mut Vec<String>, sets: &mut [Option<Vec<u32>>]) {
    let used: std::collections::BTreeSet<u32> = sets.iter().flatten().flatten().copied().collect();
    let place: std::collections::BTreeMap<u32, u32> =
        used.iter().enumerate().map(|(new, old)| (*old, new as u32)).collect();
    *names = used.iter().map(|old| names[*old as usize].clone()).collect();
    sets.iter_mut().flatten().for_each(|set| set.iter_mut().for_each(|t| *t = place[t]));
}

/// Leaves out what is said of a topic.
fn forget(guidance: &mut Guidance, topic: &str) -> Result<()> {
    forget_references(guidance, &[topic]);
    for item in guidance.advice_mut() {
        match item {
            Advice::Labels { labels, .. } => *labels = labels.without(topic),
            Advice::Sets { names, sets, .. } => {
                if let Some(old) = names.iter().position(|n| n == topic) {
                    for set in sets.iter_mut() {
                        if let Some(topics) = set {
                            topics.retain(|t| *t as usize != old);
                            if topics.is_empty() {
                                *set = None;
                            }
                        }
                    }
                }
                drop_unused(names, sets);
            }
            Advice::Memberships { names, shares, .. } => {
                let kept: Vec<usize> = (0..names.len()).filter(|c| names[*c] != topic).collect();
                *shares = Matrix::from_fn(shares.rows(), kept.len(), |i, c| shares.get(i, kept[c]));
                names.retain(|n| n != topic);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Leaves out the references of topics.
fn forget_references(guidance: &mut Guidance, topics: &[&str]) {
    for item in guidance.advice_mut() {
        if let Advice::References { names, profiles, .. } = item {
            let kept: Vec<usize> =
                (0..names.len()).filter(|r| !topics.contains(&names[*r].as_str())).collect();
            *profiles = Matrix::from_fn(kept.len(), profiles.columns(), |r, f| profiles.get(kept[r], f));
            *names = kept.iter().map(|r| names[*r].clone()).collect();
        }
    }
    guidance
        .advice_mut()
        .retain(|item| !matches!(item, Advice::References { names, .. } if names.is_empty()));
}

/// A sample belongs to one topic, exactly; what was said of it before is left out.
fn moved(mut guidance: Guidance, sample: usize, to: &str, n: usize) -> Guidance {
    for item in guidance.advice_mut() {
        match item {
            Advice::Labels { labels, .. } => *labels = labels.without_sample(sample),
            Advice::Sets { sets, names, .. } => {
                sets[sample] = None;
                drop_unused(names, sets);
            }
            Advice::Memberships { shares, .. } => {
                shares.row_mut(sample).iter_mut().for_each(|s| *s = f64::NAN);
            }
            _ => {}
        }
    }
    let mut sets = vec![None; n];
    sets[sample] = Some(vec![0]);
    guidance.with(Advice::Sets { names: vec![to.into()], sets, strength: Strength::HELD })
}

/// The factors, component by component.
struct Parts {
    /// k columns of n codes.
    codes: Vec<Vec<f64>>,
    /// k rows of d features.
    components: Vec<Vec<f64>>,
}

impl Parts {
    fn of<T: Real>(fit: &Fit<T>) -> Self {
        let k = fit.components.rows();
        let column = |j: usize| (0..fit.codes.rows()).map(|i| fit.codes.get(i, j).to_f64()).collect();
        let row = |j: usize| fit.components.row(j).iter().map(|h| h.to_f64()).collect();
        Parts { codes: (0..k).map(column).collect(), components: (0..k).map(row).collect() }
    }

    fn finish(self) -> (Matrix<f64>, Matrix<f64>) {
        let (n, d, k) = (self.codes[0].len(), self.components[0].len(), self.codes.len());
        (Matrix::from_fn(n, k, |i, j| self.codes[j][i]), Matrix::from_fn(k, d, |j, f| self.components[j][f]))
    }

    fn size(values: &[f64]) -> f64 {
        values.iter().map(|v| v * v).sum::<f64>().sqrt()
    }

    fn remove(&mut self, range: std::ops::Range<usize>) {
        self.codes.drain(range.clone());
        self.components.drain(range);
    }

    /// Components `gone` go into `kept`: profiles and codes add up in proportion to what each explains.
    fn merge(&mut self, kept: usize, gone: std::ops::Range<usize>) {
        for from in gone.clone() {
            let (a, b) = (Self::size(&self.codes[kept]), Self::size(&self.codes[from]));
            let (component, code) = (self.components[from].clone(), self.codes[from].clone());
            let total = a + b;
            if total == 0.0 {
                continue;
            }
            let mix = |x: f64, y: f64| (a * x + b * y) / total;
            self.components[kept].iter_mut().zip(component).for_each(|(x, y)| *x = mix(*x, y));
            self.codes[kept].iter_mut().zip(code).for_each(|(x, y)| *x += y);
        }
        self.remove(gone);
    }

    /// A component after those of the topic: what its samples that hold the seeds have, or those that it explains worst.
    fn split<T: Real>(
        &mut self,
        data: &dyn DataMatrix<T>,
        range: std::ops::Range<usize>,
        seeds: &[Feature],
        guidance: &Guidance,
    ) -> Result<()> {
        let d = data.n_features();
        let mut wanted = vec![0.0; d];
        for seed in seeds {
            let place = match seed {
                Feature::Index(f) => Some(*f).filter(|f| *f < d),
                Feature::Name(name) => {
                    guidance.feature_names().and_then(|names| names.iter().position(|n| n == name))
                }
            };
            if let Some(f) = place {
                wanted[f] = 1.0;
            }
        }
        let by_seeds = wanted.contains(&1.0);
        let topic: Vec<f64> =
            (0..data.n_samples()).map(|i| range.clone().map(|j| self.codes[j][i]).sum()).collect();
        // How much each of the topic's samples belongs to the new one.
        let weight: Vec<f64> = (0..data.n_samples())
            .map(|i| {
                if topic[i] == 0.0 {
                    0.0
                } else if by_seeds {
                    topic[i] * data.row_dot(i, &wanted)
                } else {
                    self.unexplained(data, i)
                }
            })
            .collect();
        let mut profile = vec![0.0; d];
        for (i, w) in weight.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            data.add_row(i, *w, &mut profile);
        }
        if profile.iter().all(|v| *v == 0.0) {
            return Err(Error::Guidance(
                "nothing to split off: no sample of the topic has the seeds, or all are explained exactly"
                    .into(),
            ));
        }
        let target = range.clone().map(|j| Self::size(&self.components[j])).fold(0.0f64, f64::max);
        let scale = target / Self::size(&profile);
        profile.iter_mut().for_each(|v| *v *= scale);
        let most = weight.iter().fold(0.0f64, |m, w| m.max(*w));
        let code = weight.iter().zip(&topic).map(|(w, t)| t * (0.1 + 0.9 * w / most)).collect();
        self.components.insert(range.end, profile);
        self.codes.insert(range.end, code);
        Ok(())
    }

    /// ‖x − wH‖² of one sample.
    fn unexplained<T: Real>(&self, data: &dyn DataMatrix<T>, i: usize) -> f64 {
        let mut row = vec![0.0; data.n_features()];
        data.add_row(i, 1.0, &mut row);
        for (code, component) in self.codes.iter().zip(&self.components) {
            row.iter_mut().zip(component).for_each(|(x, h)| *x -= code[i] * h);
        }
        row.iter().map(|r| r * r).sum()
    }

    /// Everything of a sample goes to one topic.
    fn place(&mut self, sample: usize, range: std::ops::Range<usize>) {
        let norms: Vec<f64> = self.components.iter().map(|h| Self::size(h)).collect();
        let total: f64 = (0..norms.len()).map(|j| self.codes[j][sample] * norms[j]).sum();
        for j in 0..norms.len() {
            let inside = range.contains(&j) && norms[j] > 0.0;
            self.codes[j][sample] = if inside { total / (range.len() as f64 * norms[j]) } else { 0.0 };
        }
    }
}
