//! The predictor of a view as named matrices, for model files, and back.

use partwise::internals::RowGroups;
use partwise::{DataMatrix, DenseMatrix, Error, Matrix, Real, Result, SparseMatrix};

use super::space::Space;
use super::view::{Map, ViewPredictor};
use crate::linear_scores::LinearScores;
use crate::refinement::Rule;

/// A matrix of a [`Predictor`](super::Predictor).
#[derive(Clone, Debug, PartialEq)]
pub enum Part<T> {
    /// In the precision of the data.
    Data(Matrix<T>),
    /// In double precision.
    Double(Matrix<f64>),
}

/// The largest number of spaces in a file; more are not believed.
const MOST_SPACES: usize = 1000;

impl<T: Real> ViewPredictor<T> {
    /// The matrices that [`ViewPredictor::from_parts`] takes, with their names.
    pub(super) fn parts(&self) -> Vec<(String, Part<T>)> {
        let mut out = Vec::new();
        let mut set = |name: &str, part: Part<T>| out.push((name.to_string(), part));
        let mixture = |at: usize| [self.mixtures[at].weight, self.mixtures[at].sharpness];
        let mut numbers =
            vec![self.features as f64, self.classes as f64, self.others.len() as f64, self.rows.0];
        numbers.extend(self.graph_weights.iter().chain(&self.vote_weights).chain(&self.vote_sharpness));
        numbers.extend(mixture(0).into_iter().chain(mixture(1)));
        set("numbers", row(&numbers));
        for (name, matrix) in ["first", "second", "last"].iter().zip(&self.smoothings) {
            set(name, Part::Double(matrix.clone()));
        }
        for (name, rule) in MIXTURES.iter().zip(&self.mixtures) {
            if let Some(linear) = &rule.scores {
                set_linear(name, linear, &mut set);
            }
        }
        let as_data = |matrix: Matrix<T>| Part::Data(matrix);
        set_space("rows", &self.rows.1, as_data, &mut set);
        for (at, (weight, map, space)) in self.others.iter().enumerate() {
            let name = format!("space{at}");
            set_space(&name, space, Part::Double, &mut set);
            set(&format!("{name}/weight"), row(&[*weight]));
            match map {
                Map::Cosines(directions) => {
                    set(&format!("{name}/centroids"), Part::Double(directions.clone()));
                }
                Map::Codes(components, lengths) => {
                    set(&format!("{name}/components"), Part::Data(components.clone()));
                    set(&format!("{name}/lengths"), row(lengths));
                }
            }
        }
        if let Some((linear, space)) = &self.discriminants {
            set_linear("discriminants", linear, &mut set);
            set_space("discriminants", space, Part::Double, &mut set);
        }
        out
    }

    /// A view's predictor from its parts, whose names begin with `before`; `of` returns the matrix of a name,
    /// if there is one.
    ///
    /// # Errors
    /// [`Error::Shape`] and [`Error::NotFinite`] for parts that do not fit together, with their names.
    pub(super) fn from_parts(of: &dyn Fn(&str) -> Option<Part<T>>, before: &str) -> Result<Self> {
        let reader = Reader { of, before };
        let numbers = reader.row("numbers", Some(14))?;
        let count = |at: usize, name: &str, most: usize| {
            let value = numbers[at];
            match value >= 0.0 && value.fract() == 0.0 && value <= most as f64 {
                true => Ok(value as usize),
                false => Err(wrong(name, format!("a whole number up to {most}"), value.to_string())),
            }
        };
        let features = count(0, "the number of features", 1 << 40)?;
        let classes = count(1, "the number of classes", 1 << 30)?;
        let spaces = count(2, "the number of spaces", MOST_SPACES)?;
        let first = reader.double("first", None, Some(classes))?;
        let n = first.rows();
        let smoothing = |name: &str| reader.double(name, Some(n), Some(classes));
        let smoothings = [first, smoothing("second")?, smoothing("last")?];
        let rule = |at: usize| -> Result<Rule> {
            let scores = reader.linear(MIXTURES[at], features, Some(classes))?;
            Ok(Rule { weight: numbers[10 + 2 * at], sharpness: numbers[11 + 2 * at], scores })
        };
        let rows = reader.space("rows", n, features, |part| match part {
            Part::Data(matrix) => matrix,
            Part::Double(matrix) => matrix.cast(),
        })?;
        let double = |part: Part<T>| match part {
            Part::Data(matrix) => matrix.cast(),
            Part::Double(matrix) => matrix,
        };
        let other = |at: usize| {
            let name = format!("space{at}");
            let weight = reader.row(&format!("{name}/weight"), Some(1))?[0];
            let (map, dimensions) = match reader.find(&format!("{name}/components")) {
                Some(part) => {
                    let lengths = reader.row(&format!("{name}/lengths"), None)?;
                    let shape = (Some(lengths.len()), Some(features));
                    let components = checked(&reader.full(&format!("{name}/components")), part, shape)?;
                    let components = match components {
                        Part::Data(matrix) => matrix,
                        Part::Double(matrix) => matrix.cast(),
                    };
                    let k = lengths.len();
                    (Map::Codes(components, lengths), k)
                }
                None => {
                    let centroids =
                        reader.double(&format!("{name}/centroids"), Some(features), Some(classes))?;
                    (Map::Cosines(centroids), classes)
                }
            };
            Ok((weight, map, reader.space(&name, n, dimensions, double)?))
        };
        let discriminants = match reader.linear("discriminants", features, None)? {
            None => None,
            Some(linear) => {
                let dimensions = linear.offsets.len();
                Some((linear, reader.space("discriminants", n, dimensions, double)?))
            }
        };
        Ok(ViewPredictor {
            features,
            classes,
            rows: (numbers[3], rows),
            others: (0..spaces).map(other).collect::<Result<_>>()?,
            discriminants,
            graph_weights: [numbers[4], numbers[5]],
            smoothings,
            vote_weights: [numbers[6], numbers[7]],
            vote_sharpness: [numbers[8], numbers[9]],
            mixtures: [rule(0)?, rule(1)?],
        })
    }
}

const MIXTURES: [&str; 2] = ["gaussian_mixture", "multinomial_mixture"];

pub(super) fn row<T>(values: &[f64]) -> Part<T> {
    Part::Double(Matrix::from_fn(1, values.len(), |_, j| values[j]))
}

pub(super) fn set_linear<T>(name: &str, linear: &LinearScores, set: &mut dyn FnMut(&str, Part<T>)) {
    set(&format!("{name}/weights"), Part::Double(linear.weights.clone()));
    set(&format!("{name}/offsets"), row(&linear.offsets));
}

fn set_space<T: Real, U: Real>(
    name: &str,
    space: &Space<U>,
    part: impl Fn(Matrix<U>) -> Part<T>,
    set: &mut dyn FnMut(&str, Part<T>),
) {
    let whole = |values: &[u32]| values.iter().map(|v| f64::from(*v)).collect::<Vec<f64>>();
    set(&format!("{name}/samples"), row(&whole(&space.samples)));
    set(&format!("{name}/scales"), row(&space.scales));
    set(&format!("{name}/degrees"), row(&space.degrees));
    let Some(points) = &space.points else { return };
    let (m, p) = (points.n_samples(), points.n_features());
    let mut full = vec![0.0; p];
    if !points.is_sparse() {
        let mut matrix = Matrix::<U>::zeros(m, p);
        for i in 0..m {
            full.fill(0.0);
            points.add_row(i, 1.0, &mut full);
            matrix.row_mut(i).iter_mut().zip(&full).for_each(|(to, v)| *to = U::from_f64(*v));
        }
        set(&format!("{name}/points"), part(matrix));
        return;
    }
    let (mut offsets, mut features, mut values) = (vec![0.0], Vec::new(), Vec::new());
    for i in 0..m {
        points.add_row(i, 1.0, &mut full);
        for feature in points.non_zero_features(i) {
            features.push(f64::from(feature));
            values.push(U::from_f64(std::mem::take(&mut full[feature as usize])));
        }
        offsets.push(features.len() as f64);
    }
    set(&format!("{name}/row_offsets"), row(&offsets));
    set(&format!("{name}/row_features"), row(&features));
    set(&format!("{name}/row_values"), part(Matrix::from_fn(1, values.len(), |_, j| values[j])));
}

pub(super) fn wrong(what: &str, expected: String, found: String) -> Error {
    Error::Shape { what: format!("the classifier's {what}"), expected, found }
}

/// A part of this shape, all of whose numbers are finite.
fn checked<T: Real>(name: &str, part: Part<T>, shape: (Option<usize>, Option<usize>)) -> Result<Part<T>> {
    let (found, finite) = match &part {
        Part::Data(matrix) => (matrix.shape(), matrix.as_slice().iter().all(|v| v.to_f64().is_finite())),
        Part::Double(matrix) => (matrix.shape(), matrix.as_slice().iter().all(|v| v.is_finite())),
    };
    let any = |size: Option<usize>| size.map_or("any number".into(), |size| size.to_string());
    if shape.0.is_some_and(|rows| rows != found.0) || shape.1.is_some_and(|columns| columns != found.1) {
        let expected = format!("{} x {}", any(shape.0), any(shape.1));
        return Err(wrong(name, expected, format!("{} x {}", found.0, found.1)));
    }
    if !finite {
        return Err(wrong(name, "finite numbers".into(), "NaN or infinite ones".into()));
    }
    Ok(part)
}

pub(super) struct Reader<'r, T> {
    pub(super) of: &'r dyn Fn(&str) -> Option<Part<T>>,
    /// What the names of all parts begin with.
    pub(super) before: &'r str,
}

impl<T: Real> Reader<'_, T> {
    fn full(&self, name: &str) -> String {
        format!("{}{name}", self.before)
    }

    fn find(&self, name: &str) -> Option<Part<T>> {
        (self.of)(&self.full(name))
    }

    fn part(&self, name: &str, rows: Option<usize>, columns: Option<usize>) -> Result<Part<T>> {
        let part = self.find(name);
        let part =
            part.ok_or_else(|| wrong(&self.full(name), "a matrix".into(), "none in the file".into()))?;
        checked(&self.full(name), part, (rows, columns))
    }

    pub(super) fn double(
        &self,
        name: &str,
        rows: Option<usize>,
        columns: Option<usize>,
    ) -> Result<Matrix<f64>> {
        Ok(match self.part(name, rows, columns)? {
            Part::Data(matrix) => matrix.cast(),
            Part::Double(matrix) => matrix,
        })
    }

    pub(super) fn row(&self, name: &str, length: Option<usize>) -> Result<Vec<f64>> {
        Ok(self.double(name, Some(1), length)?.as_slice().to_vec())
    }

    /// None where there is none.
    pub(super) fn linear(
        &self,
        name: &str,
        features: usize,
        columns: Option<usize>,
    ) -> Result<Option<LinearScores>> {
        let matrix = format!("{name}/weights");
        if self.find(&matrix).is_none() {
            return Ok(None);
        }
        let weights = self.double(&matrix, Some(features), columns)?;
        let offsets = self.row(&format!("{name}/offsets"), Some(weights.columns()))?;
        Ok(Some(LinearScores { weights, offsets }))
    }

    /// Whole numbers below `limit`.
    fn whole(&self, name: &str, length: Option<usize>, limit: usize) -> Result<Vec<u32>> {
        let values = self.row(name, length)?;
        if let Some(bad) = values.iter().find(|v| !(**v >= 0.0 && v.fract() == 0.0 && **v < limit as f64)) {
            return Err(wrong(name, format!("whole numbers below {limit}"), bad.to_string()));
        }
        Ok(values.into_iter().map(|v| v as u32).collect())
    }

    /// The points of some of `n` samples, in `dimensions`.
    fn space<U: Real>(
        &self,
        name: &str,
        n: usize,
        dimensions: usize,
        cast: impl Fn(Part<T>) -> Matrix<U>,
    ) -> Result<Space<U>> {
        let samples = self.whole(&format!("{name}/samples"), None, n)?;
        let m = samples.len();
        let scales = self.row(&format!("{name}/scales"), Some(m))?;
        let degrees = self.row(&format!("{name}/degrees"), Some(m))?;
        if m == 0 {
            return Ok(Space { points: None, samples, scales, degrees });
        }
        let points: Box<dyn DataMatrix<U>> = match self.find(&format!("{name}/points")) {
            Some(part) => {
                let part = checked(&self.full(&format!("{name}/points")), part, (Some(m), Some(dimensions)))?;
                Box::new(DenseMatrix::from_matrix(cast(part))?)
            }
            None => {
                let values =
                    cast(self.part(&format!("{name}/row_values"), Some(1), None)?).as_slice().to_vec();
                let features = self.whole(&format!("{name}/row_features"), Some(values.len()), dimensions)?;
                let offsets = self.whole(&format!("{name}/row_offsets"), Some(m + 1), values.len() + 1)?;
                let offsets: Vec<usize> = offsets.into_iter().map(|v| v as usize).collect();
                let sparse = SparseMatrix::new(m, dimensions, offsets, features, values)?;
                // The copy owns its memory.
                let all = RowGroups { group: (0..m as u32).collect(), scale: vec![1.0; m] };
                sparse.grouped(&all)
            }
        };
        Ok(Space { points: Some(points), samples, scales, degrees })
    }
}
