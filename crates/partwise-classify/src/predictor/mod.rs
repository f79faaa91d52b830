//! Posteriors of rows that the classification did not see: the weighted product of its views
//! and of the simple classifiers beside them.

mod space;
mod stored;
mod view;

use partwise::{DataMatrix, Error, Matrix, Notice, Real, Result, once};

use crate::columns::Columns;
use crate::ensemble::product_of;
use crate::posteriors::{logarithms, sharpened};
use crate::sizes::ToSizes;
use crate::standardized::{KernelScores, Scale, Scores, WeightedClassifiers};
use stored::{Reader, row, set_linear, wrong};

pub use stored::Part;
pub(crate) use view::ViewPredictor;

/// What stands before the names of the parts that the view of the columns has.
const COLUMNS: &str = "columns/";
/// The part that holds the weight and the sharpness of each view; there is none where the directions of rows
/// are all.
const VIEWS: &str = "views";
/// What stands before the names of the parts of the simple classifiers; there are none where features are
/// many.
const STANDARDIZED: &str = "standardized/";
/// The part that holds the unit of the data; there is none where it is 1, or where only directions count.
const UNIT: &str = "unit";
/// The part that holds the sharpness and the scales of known class sizes; there is none where they are not.
const SIZES: &str = "sizes";

/// What [`train`](crate::train) learned: the posteriors of new rows. It contains the samples of the fit at
/// unit length, because their neighbours among new rows follow from them.
#[derive(Debug)]
pub struct Predictor<T: Real> {
    /// One or more.
    views: Vec<View<T>>,
    /// Where features are few.
    simple: Option<WeightedClassifiers>,
    to_sizes: Option<ToSizes>,
    /// What the data of the fit were divided by, because squares of their entries would leave the range of
    /// the numbers: the columns are in this unit.
    unit: f64,
}

/// A view, and its part in the product.
#[derive(Debug)]
pub(crate) struct View<T: Real> {
    pub(crate) weight: f64,
    pub(crate) sharpness: f64,
    /// None for the directions of rows.
    pub(crate) columns: Option<Columns>,
    pub(crate) predictor: ViewPredictor<T>,
}

once! {
    /// The body of [`Predictor::posteriors`].
    fn posteriors<'a, T>(
        predictor: &'a Predictor<T>,
        data: &'a dyn DataMatrix<T>,
        threads: usize,
    ) -> Result<Matrix<f64>> = posteriors_of;
}

fn posteriors_of<T: Real>(
    predictor: &Predictor<T>,
    data: &dyn DataMatrix<T>,
    threads: usize,
) -> Result<Matrix<f64>> {
    if data.n_features() != predictor.n_features() {
        let expected = format!("{} features, as the classifier", predictor.n_features());
        return Err(Error::Shape {
            what: "the data".into(),
            expected,
            found: format!("{} features", data.n_features()),
        });
    }
    crate::checks::check_values(data)?;
    let divided = (predictor.unit != 1.0).then(|| data.divided(predictor.unit, 0.0));
    let data = divided.as_deref().unwrap_or(data);
    let of = |view: &View<T>| match &view.columns {
        Some(columns) => view.predictor.posteriors(&columns.view(data)?, threads),
        None => view.predictor.posteriors(data, threads),
    };
    let shape = (data.n_samples(), predictor.n_classes());
    let mut found = match &predictor.views[..] {
        [only] => of(only)?,
        views => {
            let mut members = Vec::new();
            for view in views {
                members.push((sharpened(&logarithms(&of(view)?), view.sharpness), view.weight));
            }
            product_of(shape, members.iter().map(|(posteriors, weight)| (posteriors, *weight)))
        }
    };
    if let Some(simple) = &predictor.simple {
        let members = simple.members(&found, data);
        found = product_of(shape, members.iter().map(|(posteriors, weight)| (posteriors, *weight)));
    }
    Ok(match &predictor.to_sizes {
        Some(to_sizes) => to_sizes.apply(&found),
        None => found,
    })
}

once! {
    /// The body of [`Predictor::from_parts`].
    fn from_parts<'a, T>(of: &'a dyn Fn(&str) -> Option<Part<T>>) -> Result<Predictor<T>> = made_from;
}

fn made_from<T: Real>(of: &dyn Fn(&str) -> Option<Part<T>>) -> Result<Predictor<T>> {
    let has_columns =
        ["numbers", "least", "most"].iter().any(|name| of(&format!("{COLUMNS}{name}")).is_some());
    let rows = |weight: f64, sharpness: f64| -> Result<View<T>> {
        Ok(View { weight, sharpness, columns: None, predictor: ViewPredictor::from_parts(of, "")? })
    };
    if !has_columns && of(VIEWS).is_none() {
        return with_sizes(of, vec![rows(1.0, 1.0)?]);
    }
    let reader = Reader { of, before: "" };
    let numbers = reader.row(VIEWS, Some(4))?;
    let mut views = Vec::new();
    if numbers[0] > 0.0 {
        views.push(rows(numbers[0], numbers[1])?);
    }
    let reader = Reader { of, before: COLUMNS };
    let least = reader.row("least", None)?;
    let most = reader.row("most", Some(least.len()))?;
    let predictor = ViewPredictor::from_parts(of, COLUMNS)?;
    if predictor.n_features() != 2 * least.len() {
        let (expected, found) = (2 * least.len(), predictor.n_features());
        let what = format!("{COLUMNS}least");
        return Err(wrong(&what, format!("one for each of {found} / 2 features"), expected.to_string()));
    }
    let columns = Some(Columns { least, most });
    views.push(View { weight: numbers[2], sharpness: numbers[3], columns, predictor });
    let found = with_sizes(of, views)?;
    let sizes = |view: &View<T>| (view.n_features(), view.predictor.n_classes());
    if found.views.iter().any(|view| sizes(view) != sizes(&found.views[0])) {
        let expected = "as many features and classes in each view".to_string();
        return Err(wrong(VIEWS, expected, "different numbers".into()));
    }
    Ok(found)
}

/// The predictor of these views, with the simple classifiers and the class sizes of its parts.
fn with_sizes<T: Real>(of: &dyn Fn(&str) -> Option<Part<T>>, views: Vec<View<T>>) -> Result<Predictor<T>> {
    let mut to_sizes = None;
    if of(SIZES).is_some() {
        let numbers = Reader { of, before: "" }.row(SIZES, Some(1 + views[0].predictor.n_classes()))?;
        if numbers.iter().any(|number| *number <= 0.0) {
            return Err(wrong(SIZES, "numbers above 0".into(), "others".into()));
        }
        to_sizes = Some(ToSizes { sharpness: numbers[0], scales: numbers[1..].to_vec() });
    }
    let simple = simple_classifiers(of, views[0].n_features(), views[0].predictor.n_classes())?;
    let mut found = Predictor::of_views(views, simple, to_sizes);
    if of(UNIT).is_some() {
        let unit = Reader { of, before: "" }.row(UNIT, Some(1))?[0];
        if unit <= 0.0 {
            return Err(wrong(UNIT, "a number above 0".into(), unit.to_string()));
        }
        found = found.in_unit(unit);
    }
    Ok(found)
}

/// The simple classifiers of the parts; none where there are none.
fn simple_classifiers<T: Real>(
    of: &dyn Fn(&str) -> Option<Part<T>>,
    features: usize,
    classes: usize,
) -> Result<Option<WeightedClassifiers>> {
    if !["numbers", "rows"].iter().any(|name| of(&format!("{STANDARDIZED}{name}")).is_some()) {
        return Ok(None);
    }
    let reader = Reader { of, before: STANDARDIZED };
    let missing =
        || wrong(&format!("{STANDARDIZED}linear/weights"), "a matrix".into(), "none in the file".into());
    let linear = reader.linear("linear", features, Some(classes))?.ok_or_else(missing)?;
    let numbers = reader.row("numbers", Some(5))?;
    let scale = Scale {
        least: reader.row("least", Some(features))?,
        factors: reader.row("factors", Some(features))?,
    };
    let rows = reader.double("rows", None, Some(features))?;
    let weights = reader.double("kernel", Some(rows.rows()), Some(classes))?;
    Ok(Some(WeightedClassifiers {
        scores: Scores { linear, kernel: KernelScores { scale, rows, weights } },
        of_views: numbers[0],
        sharpness: [numbers[1], numbers[2]],
        weights: [numbers[3], numbers[4]],
    }))
}

impl<T: Real> View<T> {
    /// The number of features that rows must have.
    fn n_features(&self) -> usize {
        self.columns.as_ref().map_or_else(|| self.predictor.n_features(), |columns| columns.least.len())
    }
}

impl<T: Real> Predictor<T> {
    /// Of one or more views, whose product is multiplied by the simple classifiers, and brought to
    /// class sizes where they are known.
    pub(crate) fn of_views(
        views: Vec<View<T>>,
        simple: Option<WeightedClassifiers>,
        to_sizes: Option<ToSizes>,
    ) -> Self {
        Predictor { views, simple, to_sizes, unit: 1.0 }
    }

    /// The same, for data that `unit` divides first. Directions do not depend on it.
    pub(crate) fn in_unit(self, unit: f64) -> Self {
        let directions_alone = self.simple.is_none() && self.views.iter().all(|view| view.columns.is_none());
        Predictor { unit: if directions_alone { 1.0 } else { unit }, ..self }
    }

    /// The number of features that rows must have.
    pub fn n_features(&self) -> usize {
        self.views[0].n_features()
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.views[0].predictor.n_classes()
    }

    /// The posterior of each class for each row of `data` (n × d, scaled as the data of the fit were): n × c,
    /// rows sum to 1. The result does not depend on `threads` (0 = all cores).
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of features; [`Error::NotFinite`] and [`Error::Negative`] for such
    /// data.
    pub fn posteriors(&self, data: &dyn DataMatrix<T>, threads: usize) -> Result<Matrix<f64>> {
        posteriors(self, data, threads)
    }

    /// What the user should know of the posteriors of `data`: rows of zeros.
    pub fn notices(&self, data: &dyn DataMatrix<T>) -> Vec<Notice> {
        crate::checks::new_rows_of_zeros(data).into_iter().collect()
    }

    /// The matrices that [`Predictor::from_parts`] takes, with their names.
    pub fn parts(&self) -> Vec<(String, Part<T>)> {
        let mut out = Vec::new();
        for view in &self.views {
            let before = if view.columns.is_some() { COLUMNS } else { "" };
            let named = |(name, part)| (format!("{before}{name}"), part);
            out.extend(view.predictor.parts().into_iter().map(named));
            if let Some(columns) = &view.columns {
                out.push((format!("{COLUMNS}least"), row(&columns.least)));
                out.push((format!("{COLUMNS}most"), row(&columns.most)));
            }
        }
        if self.views.iter().any(|view| view.columns.is_some()) {
            let of = |columns: bool| {
                let view = self.views.iter().find(|view| view.columns.is_some() == columns);
                view.map_or([0.0, 1.0], |view| [view.weight, view.sharpness])
            };
            out.push((VIEWS.to_string(), row(&[of(false), of(true)].concat())));
        }
        if self.unit != 1.0 {
            out.push((UNIT.to_string(), row(&[self.unit])));
        }
        if let Some(simple) = &self.simple {
            let mut set = |name: &str, part| out.push((format!("{STANDARDIZED}{name}"), part));
            let Scores { linear, kernel } = &simple.scores;
            set_linear("linear", linear, &mut set);
            set("least", row(&kernel.scale.least));
            set("factors", row(&kernel.scale.factors));
            set("rows", Part::Double(kernel.rows.clone()));
            set("kernel", Part::Double(kernel.weights.clone()));
            set("numbers", row(&[&[simple.of_views], &simple.sharpness[..], &simple.weights].concat()));
        }
        if let Some(ToSizes { sharpness, scales }) = &self.to_sizes {
            out.push((SIZES.to_string(), row(&[&[*sharpness], &scales[..]].concat())));
        }
        out
    }

    /// A predictor from its parts; `of` returns the matrix of a name, if there is one.
    ///
    /// # Errors
    /// [`Error::Shape`] and [`Error::NotFinite`] for parts that do not fit together, with their names.
    pub fn from_parts(of: &dyn Fn(&str) -> Option<Part<T>>) -> Result<Self> {
        from_parts(of)
    }
}
