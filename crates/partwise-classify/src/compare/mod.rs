//! Methods compared on the same data with the same few labels: each draw gives all methods the same labels,
//! and judges them by the samples whose label was not drawn.
//!
//! ```text
//! accuracy   methods that name their components after the classes: as named; others: under the best
//!            one-to-one map of clusters to classes, which sees all labels
//! error      of the factorization; the classifier has none
//! judged     the classes with more labels than a draw gives away; the others have no sample to judge by
//! ± means the standard error over the draws; differences are paired by draw
//! ```

mod summary;

use std::ops::ControlFlow;
use std::time::Instant;

use partwise::guidance::{Advice, Guidance};
use partwise::methods::{ALL, Form, Input, MethodSpec, for_inputs, named};
use partwise::recipes::{Memberships, Owners};
use partwise::{
    DataMatrix, Error, Labels, Loss, Model, Real, Result, Settings, draw_labels, fit, metrics, once,
};

use crate::{ClassifySettings, Spreading, classify, spread};
use summary::Judged;
pub use summary::{CompareLine, CompareRun, Compared, Mean};

/// A method to compare.
#[derive(Clone, Copy, Debug)]
pub enum Contender {
    /// The few-label classifier.
    Classifier,
    /// A method of the registry, with a loss if its name states one; one that takes guidance of any kind
    /// spreads the labels.
    Method(&'static MethodSpec, Option<Loss>),
}

/// The name of the few-label classifier among the methods.
pub const CLASSIFIER: &str = "classifier";

impl Contender {
    /// Those that are compared if none are named: plain NMF, the methods whose components are the classes,
    /// and the classifier.
    pub fn defaults() -> Vec<Contender> {
        let plain = for_inputs(&[]);
        let by_labels = |spec: &&&MethodSpec| {
            spec.form == Form::Matrix && spec.takes(Input::Labels) && spec.takes(Input::ComponentsPerClass)
        };
        let mut out = vec![Contender::Method(plain, None)];
        out.extend(ALL.iter().filter(by_labels).map(|spec| Contender::Method(spec, None)));
        if !out.iter().any(|contender| contender.spreads()) {
            out.push(Contender::Method(for_inputs(&[Input::Labels]), None));
        }
        out.push(Contender::Classifier);
        out
    }

    /// The method with this name: of the registry, or `"classifier"`.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the valid names; [`Error::Incompatible`] for methods of similarities and
    /// of images.
    pub fn from_name(name: &str) -> Result<Self> {
        if name == CLASSIFIER {
            return Ok(Contender::Classifier);
        }
        let (spec, loss) = named(name).map_err(|error| match error {
            Error::UnknownName { kind, name, mut valid } => {
                valid.push(CLASSIFIER.into());
                Error::UnknownName { kind, name, valid }
            }
            other => other,
        })?;
        if spec.form != Form::Matrix {
            return Err(Error::Incompatible {
                asked: format!("a comparison with {}", spec.name),
                reason: "it does not factor samples x features".into(),
                valid: ALL.iter().filter(|spec| spec.form == Form::Matrix).map(|s| s.name.into()).collect(),
            });
        }
        Ok(Contender::Method(spec, loss))
    }

    /// Its name.
    pub fn name(&self) -> String {
        match self {
            Contender::Classifier => CLASSIFIER.into(),
            Contender::Method(spec, None) => spec.name.into(),
            Contender::Method(spec, Some(loss)) if *loss == Loss::KullbackLeibler => {
                format!("{}-kl", spec.name)
            }
            Contender::Method(spec, Some(_)) => spec.name.into(),
        }
    }

    /// Its title.
    pub fn title(&self) -> String {
        match self {
            Contender::Classifier => "few-label classifier".into(),
            Contender::Method(spec, _) => spec.title.into(),
        }
    }

    /// Whether its clusters are the classes by name; other clusters are mapped to classes.
    pub fn names_classes(&self) -> bool {
        match self {
            Contender::Classifier => true,
            Contender::Method(spec, _) => spec.names_classes() || spec.takes(Input::Guidance),
        }
    }

    fn spreads(&self) -> bool {
        matches!(self, Contender::Method(spec, _) if spec.takes(Input::Guidance))
    }
}

/// What is compared, and how often.
#[derive(Clone, Debug)]
pub struct CompareSettings {
    /// The methods; differences are to the first.
    pub methods: Vec<Contender>,
    /// Labels per class that a draw gives to the methods, 1 or more each; classes with fewer give all.
    pub labels_per_class: Vec<usize>,
    /// Draws, 1 or more.
    pub draws: usize,
    /// Components of methods that do not name classes. Default: the number of classes.
    pub rank: Option<usize>,
    /// Of the first draw, and of the fits.
    pub seed: u64,
    /// Threads; the result does not depend on them.
    pub threads: usize,
    /// Refuse what would need more bytes.
    pub memory_limit: Option<u64>,
}

/// What is about to run.
#[derive(Clone, Debug)]
pub struct CompareProgress {
    /// The name of the method.
    pub method: String,
    /// Labels per class.
    pub labels_per_class: usize,
    /// From 0.
    pub draw: usize,
    /// Runs that are done, and all of them.
    pub done: (usize, usize),
}

/// Compares methods on `data` (n × d) with the classes `truth` (n, −1 for none; a number is a place in
/// `names`). `observe` is called before each run and may stop; what is left are the complete draws.
///
/// # Errors
/// [`Error::Labels`] without two classes, and where a draw takes all labels; [`Error::OutOfRange`] for no
/// method, no draw and no labels; the faults of the fits.
pub fn compare<T: Real>(
    data: &dyn DataMatrix<T>,
    truth: &[i32],
    names: &[String],
    settings: &CompareSettings,
    observe: &mut dyn FnMut(&CompareProgress) -> ControlFlow<()>,
) -> Result<Compared> {
    let mut out = Compared::default();
    compare_into(&mut out, data, truth, names, settings, observe)?;
    Ok(out)
}

once! {
    /// As [`compare`]; `out` has the complete draws at any time, also where the work is unwound.
    ///
    /// # Errors
    /// As [`compare`].
    pub fn compare_into<'a, T>(
        out: &'a mut Compared,
        data: &'a dyn DataMatrix<T>,
        truth: &'a [i32],
        names: &'a [String],
        settings: &'a CompareSettings,
        observe: &'a mut dyn FnMut(&CompareProgress) -> ControlFlow<()>,
    ) -> Result<()> = compared;
}

/// The body of [`compare_into`].
fn compared<T: Real>(
    out: &mut Compared,
    data: &dyn DataMatrix<T>,
    truth: &[i32],
    names: &[String],
    settings: &CompareSettings,
    observe: &mut dyn FnMut(&CompareProgress) -> ControlFlow<()>,
) -> Result<()> {
    check(data, truth, names, settings)?;
    out.methods = settings.methods.iter().map(Contender::name).collect();
    out.named = settings.methods.iter().map(Contender::names_classes).collect();
    out.runs.clear();
    out.judged = judged(truth, names, settings)?;
    out.stopped = true;
    let all = settings.draws * settings.labels_per_class.len() * settings.methods.len();
    let mut done = 0;
    // Draw by draw over all numbers of labels, so that a comparison that is stopped has all of them.
    for draw in 0..settings.draws {
        let mut of_draw = Vec::new();
        for &labels_per_class in &settings.labels_per_class {
            let seed = settings.seed.wrapping_add(draw as u64);
            let drawn = draw_labels(truth, labels_per_class, seed);
            let task = Task { data, truth, names, drawn: &drawn, settings, seed };
            for (method, contender) in settings.methods.iter().enumerate() {
                let name = contender.name();
                let progress = CompareProgress { method: name, labels_per_class, draw, done: (done, all) };
                if observe(&progress).is_break() {
                    return Ok(());
                }
                let run = task.run(contender)?;
                of_draw.push(CompareRun { method, labels_per_class, draw, ..run });
                done += 1;
            }
        }
        out.runs.extend(of_draw);
    }
    out.stopped = false;
    Ok(())
}

fn check<T: Real>(
    data: &dyn DataMatrix<T>,
    truth: &[i32],
    names: &[String],
    settings: &CompareSettings,
) -> Result<()> {
    let labels = Labels::with_names(truth, names)?;
    crate::checks::check_data(data, &labels)?;
    let fault = |name: &str, value: String, valid: &str| {
        Err(Error::OutOfRange { name: name.into(), value, valid: valid.into() })
    };
    if settings.methods.is_empty() {
        return fault("the number of methods", "0".into(), "1 or more");
    }
    if settings.draws == 0 {
        return fault("the number of draws", "0".into(), "1 or more");
    }
    if settings.labels_per_class.is_empty() || settings.labels_per_class.contains(&0) {
        return fault("labels per class", format!("{:?}", settings.labels_per_class), "numbers from 1");
    }
    let largest = labels.counts().into_iter().max().unwrap_or(0);
    if let Some(all) = settings.labels_per_class.iter().find(|number| **number >= largest) {
        return Err(Error::Labels(format!(
            "{all} labels per class leave no label to judge the methods by: the largest class has {largest}"
        )));
    }
    Ok(())
}

/// Of each number of labels, the classes that some sample judges, and those that no sample does.
fn judged(truth: &[i32], names: &[String], settings: &CompareSettings) -> Result<Vec<Judged>> {
    let labels = Labels::with_names(truth, names)?;
    let counts: Vec<(&String, usize)> = labels.names().iter().zip(labels.counts()).collect();
    let of = |labels_per_class: &usize| {
        let none = counts.iter().filter(|(_, count)| (1..=*labels_per_class).contains(count));
        let without: Vec<String> = none.map(|(name, _)| (*name).clone()).collect();
        let labelled = counts.iter().filter(|(_, count)| *count > 0).count();
        Judged { labels_per_class: *labels_per_class, classes: labelled - without.len(), without }
    };
    Ok(settings.labels_per_class.iter().map(of).collect())
}

/// One draw.
struct Task<'t, T: Real> {
    data: &'t dyn DataMatrix<T>,
    truth: &'t [i32],
    names: &'t [String],
    drawn: &'t [i32],
    settings: &'t CompareSettings,
    seed: u64,
}

impl<T: Real> Task<'_, T> {
    fn run(&self, contender: &Contender) -> Result<CompareRun> {
        let labels = Labels::with_names(self.drawn, self.names)?;
        let began = Instant::now();
        let (clusters, relative_error) = match contender {
            Contender::Classifier => (self.classified(&labels)?, None),
            Contender::Method(spec, loss) => {
                let (clusters, error) = self.fitted(contender, spec, *loss, &labels)?;
                (clusters, Some(error))
            }
        };
        let seconds = began.elapsed().as_secs_f64();
        let open: Vec<bool> = self.truth.iter().zip(self.drawn).map(|(t, d)| *t >= 0 && *d < 0).collect();
        let truth = metrics::restricted(self.truth, &open)?;
        let clusters = metrics::restricted(&clusters, &open)?;
        let accuracy = match contender.names_classes() {
            true => truth.iter().zip(&clusters).filter(|(t, c)| t == c).count() as f64 / truth.len() as f64,
            false => metrics::accuracy(&truth, &clusters)?.accuracy,
        };
        let nmi = metrics::nmi_max(&truth, &clusters)?;
        Ok(CompareRun { method: 0, labels_per_class: 0, draw: 0, accuracy, nmi, relative_error, seconds })
    }

    fn classified(&self, labels: &Labels) -> Result<Vec<i32>> {
        let settings = ClassifySettings {
            seed: self.seed,
            threads: self.settings.threads,
            memory_limit: self.settings.memory_limit,
            ..ClassifySettings::default()
        };
        let found = classify(self.data, labels, &settings)?;
        Ok(found.classes.into_iter().map(|class| self.class(&labels.names()[class])).collect())
    }

    /// The cluster of each sample, and the relative error.
    fn fitted(
        &self,
        contender: &Contender,
        spec: &'static MethodSpec,
        loss: Option<Loss>,
        labels: &Labels,
    ) -> Result<(Vec<i32>, f64)> {
        let uses_labels = spec.takes(Input::Labels) || spec.takes(Input::Guidance);
        let mut guidance = Guidance::default();
        if uses_labels {
            guidance = Guidance::from(Advice::labels(labels.clone()));
        }
        let classes = labels.n_classes();
        let rank = if contender.names_classes() { classes } else { self.settings.rank.unwrap_or(classes) };
        let settings = Settings {
            seed: self.seed,
            threads: self.settings.threads,
            memory_limit: self.settings.memory_limit,
            ..Settings::new(rank)
        };
        let loss_of_spread = loss.unwrap_or_default();
        if contender.spreads() {
            guidance = spread(self.data, &guidance, loss_of_spread, &settings, Spreading::Auto)?.guidance;
        }
        let mut model = Model::of(spec, guidance);
        if let Some(loss) = loss {
            model = model.with_loss(loss)?;
        }
        let found = fit(self.data, &model, &settings)?;
        let of = partwise::recipes::ShareOf::of_loss(found.loss);
        let owners = Owners::new(&model.topics(), &found.component_names);
        let memberships = Memberships::new(&found.codes, &found.components, of, owners);
        // Clusters without a class, and samples without a cluster, get numbers of their own.
        let others = self.names.len() as i32;
        let number = |j: usize| match contender.names_classes() {
            true => {
                let class = self.class(&memberships.owners.names()[j]);
                if class < 0 { others + 1 + j as i32 } else { class }
            }
            false => j as i32,
        };
        let none = others + 1 + rank as i32;
        let clusters = memberships.topic.iter().map(|topic| topic.map_or(none, number)).collect();
        Ok((clusters, found.relative_error))
    }

    /// The number of a class name.
    fn class(&self, name: &str) -> i32 {
        self.names.iter().position(|known| known == name).map_or(-1, |at| at as i32)
    }
}
