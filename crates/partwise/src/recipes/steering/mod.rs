//! Steering a finished fit by hand: each action changes the guidance and refits warm, from the factors as
//! they are; every action can be undone. The topics that an action does not name stay ([`Others`]), and
//! [`Changes`] says what moved all the same.
//!
//! Reference for the scenario: Choo, Lee, Reddy & Park 2015, doi:10.1007/s10618-014-0384-8, section 5
//! (keyword refinement, merging and splitting of topics). Differs: any guidance stays in force through all
//! actions.

mod action;
mod actions;
mod changes;
mod edits;
mod parts;
mod ties;

pub use action::{Action, Others};
use actions::changed;
pub use changes::{Changes, TopicChange};
use changes::{Side, order, ordered};
use parts::Parts;
use ties::tied;

use super::guidance_report::{GuidanceReport, guidance_report};
use super::guided::{GuidedFit, fitted};
use super::memberships::ShareOf;
use crate::data::DataMatrix;
use crate::engine::losses::Loss;
use crate::engine::{Init, Observer, Settings};
use crate::fit::Fit;
use crate::foundation::checks::check_shape;
use crate::foundation::{Matrix, Real, Result, once};
use crate::guidance::{Guidance, Topic};

/// Codes (n × k) and components (k × d).
pub type Start = (Matrix<f64>, Matrix<f64>);

/// A state of the session.
#[derive(Clone, Debug)]
struct State<T> {
    guidance: Guidance,
    rank: usize,
    fit: Fit<T>,
    report: GuidanceReport,
    changes: Changes,
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
    others: Others,
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
        let rank = guidance.n_components();
        let settings = Settings { rank, ..settings };
        let first = Settings { init: Init::Guided, ..settings.clone() };
        let fit = fitted(data, &guidance, loss, &first, observer)?;
        let report = guidance_report(data, &guidance, &fit, &first)?;
        let state = State { guidance, rank, fit, report, changes: Changes::default() };
        Ok(Steering { data, loss, settings, others: Others::default(), states: vec![state] })
    }

    /// What becomes of the topics that an action does not name; they are tied by default.
    #[must_use]
    pub fn with_others(self, others: Others) -> Self {
        Steering { others, ..self }
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

    /// What the last action changed; empty before the first.
    pub fn changes(&self) -> &Changes {
        &self.current().changes
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
    /// [`Error::UnknownName`](crate::Error::UnknownName) for a topic that there is not, with those that there
    /// are; [`Error::Guidance`](crate::Error::Guidance) for an action that can't be done, and for a word that
    /// is not a feature; as [`fit`](crate::fit()).
    pub fn apply(&mut self, action: &Action, observer: &mut dyn Observer) -> Result<()> {
        let State { guidance, fit, .. } = self.current();
        let now = Now { guidance, codes: &fit.codes.cast(), components: &fit.components.cast() };
        let done = steer(self.data, &now, action, self.others, self.loss, &self.settings, observer)?;
        let Steered { guidance, done: GuidedFit { fit, report }, changes } = done;
        self.states.push(State { rank: guidance.n_components(), guidance, fit, report, changes });
        Ok(())
    }

    /// k as it is.
    #[doc(hidden)]
    pub fn rank(&self) -> usize {
        self.current().rank
    }
}

/// A guidance in which every component has a topic ([`with_all_topics`]), and the factors that were fitted by
/// it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Now<'n> {
    /// The guidance.
    pub guidance: &'n Guidance,
    /// n × k.
    pub codes: &'n Matrix<f64>,
    /// k × d.
    pub components: &'n Matrix<f64>,
}

/// What an action leads to.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Steered<T> {
    /// The new guidance.
    pub guidance: Guidance,
    /// The fit by it, with the report.
    pub done: GuidedFit<T>,
    /// What became of the topics.
    pub changes: Changes,
}

once! {
    /// Does an action: changes the guidance, and fits again from the factors. [`Steering`] keeps the states.
    ///
    /// # Errors
    /// As [`Steering::apply`]; [`Error::Shape`](crate::Error::Shape) for factors of other sizes.
    pub fn steer<'a, T>(
        data: &'a dyn DataMatrix<T>,
        now: &'a Now<'a>,
        action: &'a Action,
        others: Others,
        loss: Loss,
        settings: &'a Settings,
        observer: &'a mut dyn Observer,
    ) -> Result<Steered<T>> = steered;
}

/// The body of [`steer`].
fn steered<T: Real>(
    data: &dyn DataMatrix<T>,
    now: &Now<'_>,
    action: &Action,
    others: Others,
    loss: Loss,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Steered<T>> {
    let (n, d, k) = (data.n_samples(), data.n_features(), now.guidance.n_components());
    check_shape("the codes", (n, k), now.codes.shape())?;
    check_shape("the components", (k, d), now.components.shape())?;
    let step = changed(data, now.guidance, Parts::of(now.codes, now.components), action)?;
    let (codes, components) = step.start;
    let start = components.clone();
    let tied = tied(&step.guidance, &start, &step.free, action, others);
    let rank = step.guidance.n_components();
    let init = Init::Custom { codes: Some(codes), components: Some(components) };
    let mut settings = Settings { rank, init, ..settings.clone() };
    if matches!(action, Action::Rename { .. }) {
        // Nothing but a name changes.
        settings.max_iterations = 0;
    }
    let mut fit = fitted(data, &tied, loss, &settings, observer)?;
    let order = order(&step.guidance, &start, &fit.components.cast());
    if fit.further.is_empty() && order.iter().enumerate().any(|(at, from)| at != *from) {
        fit.codes = ordered(&fit.codes, &order, false);
        fit.components = ordered(&fit.components, &order, true);
    }
    let report = guidance_report(data, &step.guidance, &fit, &settings)?;
    let of = ShareOf::of_loss(loss);
    let before = Side { guidance: now.guidance, codes: now.codes, components: now.components };
    let (codes, components) = (fit.codes.cast(), fit.components.cast());
    let after = Side { guidance: &step.guidance, codes: &codes, components: &components };
    let changes = changes::changes(&before, action, &start, &after, of);
    Ok(Steered { guidance: step.guidance, done: GuidedFit { fit, report }, changes })
}

/// The same guidance with every component in a topic: what items mention is named, and free components get
/// the names that a fit gives them ("part 3"), so that actions can name them.
pub fn with_all_topics(mut guidance: Guidance, rank: usize) -> Guidance {
    guidance = guidance.with_components(&[]);
    for j in guidance.n_components()..rank {
        guidance.topics_mut().push(Topic::new(format!("part {}", j + 1)));
    }
    guidance
}
