//! Steering a finished fit by hand: each action changes the guidance and refits warm, from the factors as
//! they are; every action can be undone.
//!
//! Reference for the scenario: Choo, Lee, Reddy & Park 2015, doi:10.1007/s10618-014-0384-8, section 5
//! (keyword refinement, merging and splitting of topics). Differs: any guidance stays in force through all
//! actions.

mod edits;
mod parts;

use edits::{forget, forget_references, moved, rename};
use parts::Parts;

use super::guidance_report::{GuidanceReport, guidance_report};
use super::guided::model;
use crate::data::DataMatrix;
use crate::engine::losses::Loss;
use crate::engine::{Init, Observer, Settings};
use crate::fit::{Fit, fit_observed};
use crate::foundation::checks::check_shape;
use crate::foundation::{Error, Matrix, Real, Result, once};
use crate::guidance::{Advice, Feature, Guidance, Seed, Strength, Topic};

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
    /// A topic becomes two: its own, and a new one that starts from `seeds`, or from the samples that it
    /// explains worst.
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

/// Codes (n × k) and components (k × d).
pub type Start = (Matrix<f64>, Matrix<f64>);

/// A state of the session.
#[derive(Clone, Debug)]
struct State<T> {
    guidance: Guidance,
    rank: usize,
    fit: Fit<T>,
    report: GuidanceReport,
}

/// A fit that is being steered.
///
/// ```
/// use std::ops::ControlFlow;
/// use partwise::guidance::{Guidance, Topic};
/// use partwise::recipes::{Action, Steering};
/// use partwise::{DenseMatrix, Loss, Settings};
///
/// let x = DenseMatrix::new(4, 4, vec![
///     3.0, 2.0, 0.0, 0.0,
///     2.0, 1.0, 0.0, 0.1,
///     0.0, 0.0, 3.0, 2.0,
///     0.0, 0.1, 2.0, 4.0,
/// ])?;
/// let words = ["ball", "goal", "court", "judge"].map(String::from).to_vec();
/// let guidance = Guidance::new([Topic::new("sport").with_seeds(["ball"])]).with_feature_names(words);
/// let mut watch = |_: &_| ControlFlow::Continue(());
///
/// let settings = Settings::new(2);
/// let mut steering = Steering::begin(&x, guidance, Loss::Frobenius, settings, &mut watch)?;
/// steering.apply(&Action::Rename { topic: "part 2".into(), to: "law".into() }, &mut watch)?;
/// steering.apply(&Action::Forbid { topic: "law".into(), feature: "goal".into() }, &mut watch)?;
/// assert_eq!(steering.fit().component_names, ["sport", "law"]);
/// assert_eq!(steering.fit().components.get(1, 1), 0.0);
/// assert!(steering.undo());
/// # Ok::<(), partwise::Error>(())
/// ```
pub struct Steering<'d, T: Real> {
    data: &'d dyn DataMatrix<T>,
    loss: Loss,
    settings: Settings,
    states: Vec<State<T>>,
}

impl<'d, T: Real> Steering<'d, T> {
    /// Fits once, with every component in a topic ([`with_all_topics`]).
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
        let guidance = with_all_topics(guidance, settings.rank);
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

    /// The report on the guidance.
    pub fn report(&self) -> &GuidanceReport {
        &self.current().report
    }

    /// How many actions can be undone.
    #[doc(hidden)]
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
    /// [`Error::UnknownName`] for a topic that there is not, with those that there are; [`Error::Guidance`]
    /// for an action that can't be done; as [`fit`](crate::fit()).
    pub fn apply(&mut self, action: &Action, observer: &mut dyn Observer) -> Result<()> {
        let State { guidance, fit, .. } = self.current();
        let factors = Parts::of(&fit.codes, &fit.components);
        let (guidance, start) = changed(self.data, guidance, factors, action)?;
        let state = self.refit(guidance, Some(start), observer)?;
        self.states.push(state);
        Ok(())
    }

    fn refit(
        &self,
        guidance: Guidance,
        start: Option<Start>,
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

    /// k as it is.
    #[doc(hidden)]
    pub fn rank(&self) -> usize {
        self.current().rank
    }
}

/// The same guidance with every component in a topic: what items mention is named, and free components get
/// the names that a fit gives them ("part 3"), so that actions can name them.
pub fn with_all_topics(mut guidance: Guidance, rank: usize) -> Guidance {
    for (name, components) in guidance.all_topics() {
        if !guidance.topics().iter().any(|topic| topic.name == name) {
            guidance.topics_mut().push(Topic { components, ..Topic::new(name) });
        }
    }
    for j in guidance.n_components()..rank {
        guidance.topics_mut().push(Topic::new(format!("part {}", j + 1)));
    }
    guidance
}

once! {
    /// What an action makes of a guidance in which every component has a topic ([`with_all_topics`]), and of
    /// the factors that were fitted by it, codes (n × k) and components (k × d): the new guidance, and the
    /// factors to start its fit from. [`Steering`] does this and fits.
    ///
    /// # Errors
    /// As [`Steering::apply`], but for the fit; [`Error::Shape`] for factors of other sizes.
    pub fn steered<'a, T>(
        data: &'a dyn DataMatrix<T>,
        guidance: &'a Guidance,
        codes: &'a Matrix<f64>,
        components: &'a Matrix<f64>,
        action: &'a Action,
    ) -> Result<(Guidance, Start)> = steered_by;
}

/// The body of [`steered`].
fn steered_by<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    codes: &Matrix<f64>,
    components: &Matrix<f64>,
    action: &Action,
) -> Result<(Guidance, Start)> {
    let (n, d, k) = (data.n_samples(), data.n_features(), guidance.n_components());
    check_shape("the codes", (n, k), codes.shape())?;
    check_shape("the components", (k, d), components.shape())?;
    changed(data, guidance, Parts::of(codes, components), action)
}

/// The place of a topic among those of the guidance, and its components.
fn place(guidance: &Guidance, name: &str) -> Result<(usize, std::ops::Range<usize>)> {
    let mut begin = 0;
    let topics = guidance.topics();
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
// Long because it has one arm for each action.
fn changed<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    mut factors: Parts,
    action: &Action,
) -> Result<(Guidance, Start)> {
    let place = |name: &str| place(guidance, name);
    let check_new = |name: &str| check_new(guidance, name);
    let mut guidance = guidance.clone();
    match action {
        Action::Rename { topic, to } => {
            let (at, _) = place(topic)?;
            check_new(to)?;
            rename(&mut guidance, topic, to);
            guidance.topics_mut()[at].name.clone_from(to);
        }
        Action::Merge { keep, with } => {
            let ((to, kept), (from, gone)) = (place(keep)?, place(with)?);
            if to == from {
                return Err(Error::Guidance(format!("topic \"{keep}\" cannot be merged with itself")));
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
            let (at, range) = place(topic)?;
            check_new(new)?;
            factors.split(data, range.clone(), seeds, &guidance)?;
            guidance.topics_mut().insert(at + 1, Topic::new(new.clone()).with_seeds(seeds.iter().cloned()));
            guidance.topics_mut()[at].seeds.retain(|seed| !seeds.contains(&seed.feature));
        }
        Action::Delete { topic } => {
            let (at, range) = place(topic)?;
            if guidance.topics().len() == 1 {
                return Err(Error::Guidance(format!(
                    "topic \"{topic}\" is the only one, so it cannot be deleted"
                )));
            }
            factors.remove(range);
            guidance.topics_mut().remove(at);
            forget(&mut guidance, topic);
        }
        Action::Move { sample, to } => {
            let (_, range) = place(to)?;
            let n = data.n_samples();
            if *sample >= n {
                return Err(Error::out_of_range(
                    "the sample to move",
                    sample,
                    format!("below {n}, the number of samples"),
                ));
            }
            factors.place(*sample, range);
            guidance = moved(guidance, *sample, to, n);
        }
        Action::Raise { topic, feature, by } => {
            if !(*by > 0.0 && by.is_finite()) {
                return Err(Error::out_of_range(
                    "what a seed's weight is multiplied by",
                    by,
                    "a finite number above 0",
                ));
            }
            let (at, _) = place(topic)?;
            let topic = &mut guidance.topics_mut()[at];
            topic.forbidden.retain(|f| f != feature);
            match topic.seeds.iter_mut().find(|seed| seed.feature == *feature) {
                Some(seed) => seed.weight *= by,
                None => topic.seeds.push(Seed { feature: feature.clone(), weight: *by }),
            }
        }
        Action::Forbid { topic, feature } => {
            let (at, _) = place(topic)?;
            let topic = &mut guidance.topics_mut()[at];
            topic.seeds.retain(|seed| seed.feature != *feature);
            if !topic.forbidden.contains(feature) {
                topic.forbidden.push(feature.clone());
            }
        }
        Action::Pin { topic } => {
            let (_, range) = place(topic)?;
            forget_references(&mut guidance, &[topic]);
            let profiles = Matrix::from_fn(range.len(), data.n_features(), |q, f| {
                factors.components[range.start + q][f]
            });
            let names = vec![topic.clone(); range.len()];
            guidance = guidance.with(Advice::References { names, profiles, strength: Strength::HELD });
        }
    }
    Ok((guidance, factors.finish()))
}

fn check_new(guidance: &Guidance, name: &str) -> Result<()> {
    match place(guidance, name) {
        Ok(_) => Err(Error::Guidance(format!("there is already a topic \"{name}\""))),
        Err(_) => Ok(()),
    }
}
