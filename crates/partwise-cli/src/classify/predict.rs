//! The classifier in a model file: what is written, and classes of new rows.

use std::path::Path;

use anyhow::{Result, bail};
use partwise::{DataMatrix, Matrix, Real};
use partwise_classify::{Part, Predictor};
use partwise_io::{ModelFile, Tensor, scaling_json, versions};
use serde_json::{Map, Value, json};

use crate::classification::Classified;

/// What the names of its matrices begin with.
const PREFIX: &str = "classifier/";

/// The document of a model file without components.
pub(super) fn model_without_components<T: Real>(classified: &Classified<'_, T>) -> ModelFile {
    let source = classified.source;
    let fields = [
        ("versions", versions()),
        ("data", crate::record::data_json(source, T::NAME)),
        ("settings", json!({ "scale": scaling_json(classified.scaling) })),
        ("feature_names", json!(source.feature_names)),
        ("row_names", json!(source.row_names)),
    ];
    let document: Map<String, Value> =
        fields.map(|(name, value)| (name.to_string(), value)).into_iter().collect();
    let mut model = ModelFile { document, tensors: Vec::new() };
    if let Some(texts) = &source.texts {
        model.document.insert("text".into(), texts.vocabulary.to_json());
    }
    model.set_scaling(classified.scaling);
    model
}

/// Adds the classifier to a model.
pub(super) fn set_classifier<T: Real>(
    model: &mut ModelFile,
    predictor: &Predictor<T>,
    classified: &Classified<'_, T>,
    classification: &Value,
) {
    let known = classified.known;
    let labelled: Vec<usize> = (0..known.used.len()).filter(|i| known.used[*i] >= 0).collect();
    let mut document = classification.clone();
    document["labelled"] = json!(labelled);
    model.document.insert("classifier".into(), document);
    let posteriors = Tensor::F64(classified.found.posteriors.clone());
    model.tensors.push((format!("{PREFIX}posteriors"), posteriors));
    for (name, part) in predictor.parts() {
        let tensor = match part {
            Part::Data(matrix) => Tensor::new(&matrix),
            Part::Double(matrix) => Tensor::F64(matrix),
        };
        model.tensors.push((format!("{PREFIX}{name}"), tensor));
    }
}

/// The classifier of a model file.
pub(crate) struct ClassifierFile<T: Real> {
    pub(crate) classes: Vec<String>,
    predictor: Predictor<T>,
}

impl<T: Real> ClassifierFile<T> {
    /// None where the model has none.
    pub(crate) fn of(model: &ModelFile, path: &Path) -> Result<Option<Self>> {
        if model.field("classifier").is_none() {
            return Ok(None);
        }
        let find = |name: &str| {
            Some(match model.tensor(&format!("{PREFIX}{name}"))? {
                Tensor::F64(matrix) => Part::Double(matrix.clone()),
                Tensor::F32(matrix) => Part::Data(matrix.cast()),
            })
        };
        let predictor = match Predictor::from_parts(&find) {
            Ok(predictor) => predictor,
            Err(error) => bail!("{}: {error}", path.display()),
        };
        let classes = model.texts("classifier.classes").unwrap_or_default();
        if classes.len() != predictor.n_classes() {
            bail!(
                "{}: \"classifier.classes\" must be a list of {} texts",
                path.display(),
                predictor.n_classes()
            );
        }
        Ok(Some(ClassifierFile { classes, predictor }))
    }

    /// The number of features of rows.
    pub(crate) fn n_features(&self) -> usize {
        self.predictor.n_features()
    }

    /// What the user should know of the posteriors of these rows.
    pub(crate) fn notes(&self, data: &dyn DataMatrix<T>) -> impl Iterator<Item = String> {
        self.predictor.notices(data).into_iter().map(|notice| notice.message)
    }

    /// The posteriors of new rows (n × classes).
    pub(crate) fn posteriors(&self, data: &dyn DataMatrix<T>, threads: usize) -> Result<Matrix<f64>> {
        Ok(self.predictor.posteriors(data, threads)?)
    }
}

/// The posteriors of the samples of a classification (n × classes), and the names of the classes.
pub(crate) fn posteriors(model: &ModelFile) -> Option<(Matrix<f64>, Vec<String>)> {
    let posteriors: Matrix<f64> = model.tensor(&format!("{PREFIX}posteriors"))?.to_matrix();
    let names = model.texts("classifier.classes")?;
    (names.len() == posteriors.columns()).then_some((posteriors, names))
}

/// Whether a model computes in single precision: by its components, or by the classifier's samples.
pub(crate) fn is_single(model: &ModelFile) -> bool {
    let named = |name: &str| model.tensor(name);
    let tensor = named("components").or_else(|| named(&format!("{PREFIX}rows/points")));
    matches!(tensor.or_else(|| named(&format!("{PREFIX}rows/row_values"))), Some(Tensor::F32(_)))
}
