//! Checks of a model file before it is used: its factors and the fields of its document.
//!
//! Each fault names the file, the field and what is valid. Fields that are not named here are left alone.

use crate::error::{IoError, Place, Result};
use crate::model::{ModelFile, Tensor};
use crate::text::quoted;
use partwise::{Loss, Matrix, Real};
use serde_json::Value;
use std::path::Path;

impl ModelFile {
    /// Reads a model file and checks it, as [`ModelFile::check`] does.
    ///
    /// # Errors
    /// As [`ModelFile::read`] and [`ModelFile::check`].
    pub fn open(path: &Path) -> Result<ModelFile> {
        let model = ModelFile::read(path)?;
        model.check(path)?;
        Ok(model)
    }

    /// Checks factors and document; `path` is used in messages.
    ///
    /// # Errors
    /// As [`ModelFile::check_factors`]; a field that is missing, of a wrong type or out of range.
    pub fn check(&self, path: &Path) -> Result<()> {
        // A classifier may come without components; its own matrices are checked where they are used.
        if self.field("classifier").is_some() && self.tensor("components").is_none() {
            return Ok(());
        }
        let (n, k, d) = self.check_factors(path)?;
        let fields = Fields { model: self, path };
        fields.settings(k)?;
        fields.names(n, k, d)?;
        fields.numbers(k, d)?;
        fields.guidance(n)?;
        fields.result()
    }

    /// Checks codes (n × k) and components (k × d) and gives n, k and d.
    ///
    /// # Errors
    /// When one of them is missing, their shapes don't fit, or an entry is negative, NaN or infinite.
    pub fn check_factors(&self, path: &Path) -> Result<(usize, usize, usize)> {
        let fault =
            |name: &str, message: String| IoError::malformed(path, Place::Member(name.into()), message);
        let needed = |name: &str| {
            let have: Vec<&str> = self.tensors.iter().map(|(name, _)| name.as_str()).collect();
            let have = if have.is_empty() { "none".into() } else { have.join(", ") };
            self.tensor(name)
                .ok_or_else(|| fault(name, format!("the model has no such matrix; it has: {have}")))
        };
        let (codes, components) = (needed("codes")?, needed("components")?);
        let ((n, k), (rows, d)) = (codes.shape(), components.shape());
        if k != rows {
            return Err(fault(
                "codes",
                format!(
                    "it has {k} columns, but \"components\" has {rows} rows; codes are samples x components, components are components x features"
                ),
            ));
        }
        if n == 0 || k == 0 || d == 0 {
            return Err(fault(
                "codes",
                format!("{n} samples, {k} components and {d} features; at least one of each is needed"),
            ));
        }
        for (name, tensor) in [("codes", codes), ("components", components)] {
            let wrong = match tensor {
                Tensor::F32(matrix) => first_wrong(matrix),
                Tensor::F64(matrix) => first_wrong(matrix),
            };
            if let Some((row, column, value)) = wrong {
                return Err(fault(
                    name,
                    format!(
                        "the entry in row {row}, column {column} (counted from 0) is {value}; all must be finite and 0 or more"
                    ),
                ));
            }
        }
        Ok((n, k, d))
    }
}

fn first_wrong<T: Real>(matrix: &Matrix<T>) -> Option<(usize, usize, f64)> {
    let columns = matrix.columns();
    let wrong = |value: &T| !value.to_f64().is_finite() || value.to_f64() < 0.0;
    let at = matrix.as_slice().iter().position(wrong)?;
    Some((at / columns, at % columns, matrix.as_slice()[at].to_f64()))
}

struct Fields<'m> {
    model: &'m ModelFile,
    path: &'m Path,
}

impl<'m> Fields<'m> {
    fn fault(&self, field: &str, message: impl Into<String>) -> IoError {
        IoError::malformed(self.path, Place::Member(field.into()), message)
    }

    /// The value of a field such as `settings.loss`; null counts as missing.
    fn get(&self, field: &str) -> Option<&'m Value> {
        self.model.field(field)
    }

    fn wrong<T>(&self, field: &str, value: &Value, wanted: &str) -> Result<T> {
        Err(self
            .fault(field, format!("it is {}, but must be {wanted}", quoted(value.to_string().as_bytes()))))
    }

    /// The value of a field that must be there and of a kind.
    fn need(&self, field: &str, wanted: &str, fits: impl Fn(&Value) -> bool) -> Result<&'m Value> {
        match self.get(field) {
            Some(value) if fits(value) => Ok(value),
            Some(value) => self.wrong(field, value, wanted),
            None => Err(self.fault(
                field,
                format!(
                    "the document does not have this field; it must be \
                {wanted}"
                ),
            )),
        }
    }

    /// A field that may be missing or null.
    fn may(&self, field: &str, wanted: &str, fits: impl Fn(&Value) -> bool) -> Result<Option<&'m Value>> {
        match self.get(field) {
            None => Ok(None),
            Some(value) if fits(value) => Ok(Some(value)),
            Some(value) => self.wrong(field, value, wanted),
        }
    }

    fn settings(&self, k: usize) -> Result<()> {
        self.need("settings", "an object", Value::is_object)?;
        for field in ["settings.method", "settings.solver", "settings.init", "settings.first"] {
            self.need(field, "a text", Value::is_string)?;
        }
        let loss = self.need("settings.loss", "a text", Value::is_string)?;
        if let Err(error) = Loss::from_name(loss.as_str().unwrap_or_default()) {
            return Err(self.fault("settings.loss", error.to_string()));
        }
        let rank = format!("the number of components, {k}");
        self.need("settings.rank", &rank, |value| value.as_u64() == Some(k as u64))?;
        self.may("settings.seed", "a whole number", |value| value.is_u64() || value.is_i64())?;
        self.may("settings.max_iterations", "a whole number of 0 or more", Value::is_u64)?;
        self.may("settings.tolerance", "a number of 0 or more", |value| {
            value.as_f64().is_some_and(|v| v >= 0.0)
        })?;
        for field in ["settings.l1", "settings.l2"] {
            let pair = |value: &Value| {
                value.as_array().is_some_and(|pair| pair.len() == 2 && pair.iter().all(Value::is_number))
            };
            self.may(field, "two numbers", pair)?;
        }
        Ok(())
    }

    fn texts(value: &Value, counts: &[usize]) -> bool {
        value.as_array().is_some_and(|list| counts.contains(&list.len()) && list.iter().all(Value::is_string))
    }

    fn names(&self, n: usize, k: usize, d: usize) -> Result<()> {
        let wanted = |count: usize, of: &str| format!("a list of {count} texts, one for each {of}");
        self.need("component_names", &wanted(k, "component"), |value| Self::texts(value, &[k]))?;
        self.may(
            "component_topics",
            &format!("pairs of a name and a number, {k} in all at most"),
            |value| {
                let count = |pair: &Value| pair.get(0)?.is_string().then_some(pair.get(1)?.as_u64()?);
                let counts: Option<Vec<u64>> =
                    value.as_array().and_then(|pairs| pairs.iter().map(count).collect());
                counts.is_some_and(|counts| {
                    counts.iter().all(|c| *c > 0) && counts.iter().sum::<u64>() <= k as u64
                })
            },
        )?;
        self.may("row_names", &wanted(n, "sample"), |value| Self::texts(value, &[n]))?;
        // Symmetric methods have components over the samples of data with features of their own.
        let features =
            self.get("data.features").and_then(Value::as_u64).map_or(d, |features| features as usize);
        self.may("feature_names", &wanted(d, "feature"), |value| Self::texts(value, &[d, features]))?;
        let samples = format!("the number of samples, {n} (the rows of the codes)");
        self.need("data.samples", &samples, |value| value.as_u64() == Some(n as u64))?;
        self.need("data.features", "a whole number of 1 or more", |value| {
            value.as_u64().is_some_and(|d| d > 0)
        })?;
        Ok(())
    }

    fn numbers(&self, k: usize, d: usize) -> Result<()> {
        let of = |value: &Value, count: usize| {
            value.as_array().is_some_and(|list| list.len() == count && list.iter().all(Value::is_number))
        };
        for field in ["encoding.ridge", "encoding.linear"] {
            self.need(field, &format!("a list of {k} numbers, one for each component"), |value| {
                of(value, k)
            })?;
        }
        self.may("encoding.smoothing", "a number", Value::is_number)?;
        let weights = |value: &Value| {
            of(value, d)
                && value
                    .as_array()
                    .is_some_and(|list| list.iter().all(|v| v.as_f64().is_some_and(|v| v >= 0.0)))
        };
        self.may("encoding.feature_weights", &format!("a list of {d} numbers of 0 or more"), weights)?;
        self.may("scaling", "an object with the text \"kind\"", |value| {
            value.get("kind").is_some_and(Value::is_string)
        })?;
        if self.get("scaling.kind").and_then(Value::as_str) == Some("max") {
            let wanted = "a finite number above 0";
            self.need("scaling.max", wanted, |value| {
                value.as_f64().is_some_and(|max| max > 0.0 && max.is_finite())
            })?;
        }
        if let Some(idf) = self.model.tensor("idf") {
            let values = idf.to_matrix::<f64>();
            let fits = values.shape() == (1, d) && first_wrong(&values).is_none();
            if !fits {
                let (rows, columns) = values.shape();
                return Err(self.fault("idf", format!(
                    "it is {rows} x {columns}, but must be 1 x {d}, finite and 0 or more: one number for each feature"
                )));
            }
        }
        Ok(())
    }

    fn guidance(&self, n: usize) -> Result<()> {
        self.may("guidance", "an object", Value::is_object)?;
        let below = |value: &Value, limit: u64| {
            value.as_array().is_some_and(|list| list.iter().all(|v| v.as_u64().is_some_and(|v| v < limit)))
        };
        let samples = format!("a list of samples, each a whole number below {n}");
        self.may("guidance.guided", "an object", Value::is_object)?;
        self.may("guidance.guided.known", "an object", Value::is_object)?;
        self.may("guidance.guided.known.samples", &samples, |value| below(value, n as u64))?;
        if self.may("guidance.labels", "an object", Value::is_object)?.is_none() {
            return Ok(());
        }
        let names = self
            .need("guidance.labels.class_names", "a list", Value::is_array)?
            .as_array()
            .map_or(0, Vec::len);
        let listed = self.need("guidance.labels.samples", &samples, |value| below(value, n as u64))?;
        let count = listed.as_array().map_or(0, Vec::len);
        let classes = format!("a list of {count} classes, each a whole number below {names}");
        let fits = |value: &Value| {
            below(value, names as u64) && value.as_array().is_some_and(|list| list.len() == count)
        };
        self.need("guidance.labels.classes", &classes, fits)?;
        Ok(())
    }

    fn result(&self) -> Result<()> {
        self.need("result", "an object", Value::is_object)?;
        // What JSON can't hold, an infinite number, is null.
        for field in ["result.objective", "result.relative_error", "result.kkt"] {
            self.may(field, "a number or null", Value::is_number)?;
        }
        self.need("result.stop", "a text", Value::is_string)?;
        self.need("result.iterations", "a whole number of 0 or more", Value::is_u64)?;
        let parts = |value: &Value| {
            value
                .as_object()
                .is_some_and(|parts| parts.values().all(|part| part.is_number() || part.is_null()))
        };
        self.may("result.parts", "an object of numbers", parts)?;
        let columns = self.need("history_columns", "a list of texts", |value| {
            value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
        })?;
        let width = columns.as_array().map_or(0, Vec::len);
        let row = |row: &Value| {
            row.as_array()
                .is_some_and(|row| row.len() == width && row.iter().all(|v| v.is_number() || v.is_null()))
        };
        let wanted = format!("a list of lists of {width} numbers");
        self.need("history", &wanted, |value| value.as_array().is_some_and(|rows| rows.iter().all(row)))?;
        for field in ["python", "python.parameters", "python.report"] {
            self.may(field, "an object", Value::is_object)?;
        }
        let notice = |value: &Value| {
            value.as_array().is_some_and(|pair| pair.len() == 2 && pair.iter().all(Value::is_string))
        };
        self.may("python.notices", "a list of pairs of texts", |value| {
            value.as_array().is_some_and(|list| list.iter().all(notice))
        })?;
        Ok(())
    }
}
