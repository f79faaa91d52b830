//! A [`Scaling`] in a model file: its kind in the document, its numbers there or among the matrices.
//!
//! ```text
//! scaling = {"kind": "none" | "unit-rows"} | {"kind": "max", "max": m} | {"kind": "tfidf"}
//! "idf"     a matrix of one row, the weight of each feature (tfidf)
//! ```

use std::path::Path;

use partwise::{Matrix, Scaling, ScalingKind};
use serde_json::{Value, json};

use crate::error::{IoError, Place, Result};
use crate::model::{ModelFile, Tensor};

/// The line of a document for a scaling.
pub fn scaling_json(scaling: &Scaling) -> Value {
    match scaling {
        Scaling::Max(max) => json!({ "kind": scaling.kind().name(), "max": max }),
        _ => json!({ "kind": scaling.kind().name() }),
    }
}

impl ModelFile {
    /// Puts the scaling of a model into its file.
    pub fn set_scaling(&mut self, scaling: &Scaling) {
        self.document.insert("scaling".into(), scaling_json(scaling));
        self.tensors.retain(|(name, _)| name != "idf");
        if let Scaling::TfIdf(idf) = scaling {
            let row = Matrix::from_fn(1, idf.len(), |_, j| idf[j]);
            self.tensors.push(("idf".into(), Tensor::F64(row)));
        }
    }

    /// The scaling that new rows get before they are encoded.
    ///
    /// # Errors
    /// If the record in the file is damaged.
    pub fn scaling(&self, path: &Path) -> Result<Scaling> {
        let fault = |message: String| {
            IoError::malformed(path, Place::Member("__metadata__".into()), format!("scaling: {message}"))
        };
        let given = match self.document.get("scaling") {
            None | Some(Value::Null) => return Ok(Scaling::None),
            Some(given) => given,
        };
        let kind = given.get("kind").and_then(Value::as_str);
        let Some(kind) = kind else {
            let valid = ScalingKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
            return Err(fault(format!("its \"kind\" is not one of {valid}")));
        };
        let kind = ScalingKind::from_name(kind).map_err(|error| fault(error.to_string()))?;
        Ok(match kind {
            ScalingKind::None => Scaling::None,
            ScalingKind::UnitRows => Scaling::UnitRows,
            ScalingKind::Max => match given.get("max").and_then(Value::as_f64) {
                Some(max) if max >= 0.0 && max.is_finite() => Scaling::Max(max),
                _ => return Err(fault("\"max\" lacks its number, a finite one of 0 or more".into())),
            },
            ScalingKind::TfIdf => {
                let features = self.tensor("components").map_or(0, |components| components.shape().1);
                let weights = self.tensor("idf").filter(|idf| idf.shape() == (1, features));
                let weights = weights.map(|idf| idf.to_matrix::<f64>().into_vec()).unwrap_or_default();
                if weights.len() != features || !weights.iter().all(|w| *w > 0.0 && w.is_finite()) {
                    return Err(fault(format!(
                        "tfidf lacks its matrix \"idf\" (1 x {features}, finite numbers above 0)"
                    )));
                }
                Scaling::TfIdf(weights)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    fn model() -> ModelFile {
        let components = Tensor::F64(Matrix::from_fn(2, 3, |_, _| 1.0));
        ModelFile { document: Map::new(), tensors: vec![("components".into(), components)] }
    }

    #[test]
    fn every_scaling_comes_back_from_a_model_file() {
        let path = Path::new("m");
        for scaling in
            [Scaling::None, Scaling::UnitRows, Scaling::Max(2.5), Scaling::TfIdf(vec![1.0, 1.5, 2.0])]
        {
            let mut model = model();
            model.set_scaling(&scaling);
            let again = ModelFile::from_bytes(path, &model.to_bytes()).unwrap();
            assert_eq!(again.scaling(path).unwrap(), scaling);
        }
        assert_eq!(model().scaling(path).unwrap(), Scaling::None);
    }

    #[test]
    fn a_damaged_scaling_is_refused_with_the_file_and_what_is_valid() {
        let path = Path::new("m.safetensors");
        for damaged in [
            json!(3),
            json!({}),
            json!({ "kind": 5 }),
            json!({ "kind": "tf" }),
            json!({ "kind": "max" }),
            json!({ "kind": "max", "max": -1.0 }),
            json!({ "kind": "tfidf" }),
        ] {
            let mut model = model();
            model.document.insert("scaling".into(), damaged.clone());
            let error = model.scaling(path).unwrap_err().to_string();
            assert!(error.contains("m.safetensors") && error.contains("scaling"), "{damaged}: {error}");
        }
    }
}
